//! The variables of roots: typed, described, validated; their values stand in `terraform.tfvars`.

use crate::document::hcl::{Block, Expr, For, Part};
use indexmap::IndexMap;
use ipnet::IpNet;

/// A variable and the value that the blueprint gives it.
pub(super) struct Variable {
    pub(super) name: &'static str,
    pub(super) value: Option<Expr>,
    description: &'static str,
    kind: &'static str,
    check: Option<(Expr, &'static str)>,
}

impl Variable {
    /// The project. Without a value Terraform asks for it.
    pub(super) fn project(project: Option<&str>) -> Self {
        let pattern = "^[a-z][a-z0-9-]{4,28}[a-z0-9]$";
        let matches = Expr::call("regex", [Expr::from(pattern), Expr::reference("var.project_id")]);
        Self {
            name: "project_id",
            value: project.map(Expr::from),
            description: "Google Cloud project that owns every resource of this root.",
            kind: "string",
            check: Some((
                Expr::call("can", [matches]),
                "project_id must be 6 to 30 characters: lowercase letters, digits and dashes, starting with a letter.",
            )),
        }
    }

    /// The region.
    pub(super) fn region(region: &str) -> Self {
        let matches = Expr::call(
            "regex",
            [Expr::from("^[a-z]+-[a-z]+[0-9]+$"), Expr::reference("var.region")],
        );
        Self {
            name: "region",
            value: Some(region.into()),
            description: "Region of everything that is regional.",
            kind: "string",
            check: Some((
                Expr::call("can", [matches]),
                "region must be a region, such as us-central1.",
            )),
        }
    }

    /// The zone; where there is a region it must lie there.
    pub(super) fn zone(zone: &str, in_region: bool) -> Self {
        let prefix = Expr::template([Part::from(Expr::reference("var.region")), Part::from("-")]);
        let inside = Expr::call("startswith", [Expr::reference("var.zone"), prefix]);
        Self {
            name: "zone",
            value: Some(zone.into()),
            description: "Zone of the accelerators.",
            kind: "string",
            check: in_region.then_some((inside, "zone must be a zone of var.region.")),
        }
    }

    /// How blocks refer to [`Self::deletion_protection`].
    pub(super) const DELETION_PROTECTION: &'static str = "var.deletion_protection";

    /// Whether filesystems, and what protected clusters stand on, may be destroyed.
    pub(super) fn deletion_protection() -> Self {
        Self {
            name: "deletion_protection",
            value: Some(true.into()),
            description: "Refuses to destroy filesystems, and what clusters stand on, even once they have left these files. While they are in them, plans refuse it whatever this says: set deletion_protection = false in the blueprint, build and apply before a destroy.",
            kind: "bool",
            check: None,
        }
    }

    /// Who reaches the control plane.
    pub(super) fn authorized_networks(networks: &IndexMap<String, IpNet>) -> Self {
        let cidr = || Expr::reference("cidr");
        let each = For {
            key: None,
            value: "cidr".into(),
            collection: Expr::call("values", [Expr::reference("var.authorized_networks")]),
            result_key: None,
            result: Expr::call("can", [Expr::call("cidrhost", [cidr(), Expr::from(0)])]),
            condition: None,
            group: false,
        };
        let value =
            Expr::object(networks.iter().map(|(name, range)| (name.clone(), range.to_string())));
        Self {
            name: "authorized_networks",
            value: Some(value),
            description: "Ranges that may reach the addresses of the control plane, by a name for each; none may if it is empty.",
            kind: "map(string)",
            check: Some((
                Expr::call("alltrue", [Expr::from(each)]),
                "authorized_networks must hold ranges of addresses, such as 10.0.0.0/8.",
            )),
        }
    }

    /// Its block.
    pub(super) fn block(&self) -> Block {
        let check = self.check.as_ref().map(|(condition, message)| {
            Block::of("validation")
                .attr("condition", condition.clone())
                .attr("error_message", *message)
        });
        Block::new("variable", [self.name])
            .attr("description", self.description)
            .attr("type", Expr::reference(self.kind))
            .attr("nullable", false)
            .block_opt(check)
    }
}
