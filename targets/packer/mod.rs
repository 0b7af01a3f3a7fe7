//! Images of machines: for each that no cluster of Cluster Toolkit has built for itself a template of Packer, with the scripts that it runs.

use crate::coverage::Cover::{Honoured, Making, NoEffect};
use crate::coverage::{Row, Tables};
use crate::document::hcl::{Block, Body, Expr, Part, to_hcl};
use crate::on_image::{self, Step};
use crate::{Output, Stage, Target, labels};
use slipform_model::nouns::MachineImage;
use slipform_model::plan::{Boot, ImageBuilder, Planned, Sound, fitted};
use std::collections::BTreeMap;

/// What is done with the fields of an image of machines.
pub(crate) const COVERAGE: &Tables = &[("machine_image", &[MACHINE_IMAGE])];

const MACHINE_IMAGE: &[Row] = &[
    ("from", Making),
    ("from.name", Making),
    ("from.project", Making),
    ("network", Making),
    ("zone", Making),
    ("platform", Honoured),
    ("machine", Making),
    ("disk", Honoured),
    ("identity", Making),
    ("os_login", Making),
    ("system_packages", Making),
    ("scripts", Making),
    ("driver", Honoured),
    ("cuda", Honoured),
    ("slurm", Honoured),
    ("enroot", Honoured),
    ("stack", NoEffect("rules hold it against the machines that start from the image")),
    ("labels", Making),
    ("name", Honoured),
];

/// The file of a template.
pub(crate) const TEMPLATE: &str = "image.pkr.hcl";

/// The most characters of a family that a time behind it leaves for the name of an image.
const PREFIX: usize = 63 - "-20261120083000".len();

/// The target.
pub(crate) struct Packer;

impl Target for Packer {
    fn name(&self) -> &'static str {
        "packer"
    }

    fn about(&self) -> &'static str {
        "templates of Packer, which builds images of machines"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for image in plan.made::<MachineImage>() {
            match image.plan.builder {
                ImageBuilder::Packer => render(plan, image, out),
                // its modules run Packer themselves
                ImageBuilder::Toolkit(_) => {}
            }
        }
    }
}

fn render(plan: Sound<'_>, image: Planned<'_, MachineImage>, out: &mut Output) {
    let Some(source) = source(plan, image) else { return };
    let Some(steps) = on_image::steps(image, out) else { return };
    let folder = Stage::MachineImage(image.name().to_owned()).folder();
    let template = Body::new()
        .comment(format!("Image of machines {}", image.name()))
        .block(requirements(plan))
        .block(project(plan))
        .block(source)
        .block(build(&steps));
    out.file(folder.join(TEMPLATE), to_hcl(&template), [image.noun.id]);
    for step in steps {
        out.program(folder.join(step.name), step.script, [image.noun.id]);
    }
}

/// The Packer, and its plugin, that the template is for.
fn requirements(plan: Sound<'_>) -> Block {
    let limits = &plan.catalog().limits().machine_image;
    let plugin = Expr::object([
        ("source", Expr::from("github.com/hashicorp/googlecompute")),
        ("version", Expr::from(format!(">= {}, < 2.0.0", limits.packer_plugin))),
    ]);
    Block::of("packer")
        .attr("required_version", format!(">= {}", limits.packer))
        .block(Block::of("required_plugins").attr("googlecompute", plugin))
}

fn project(plan: Sound<'_>) -> Block {
    Block::new("variable", ["project_id"])
        .attr("description", "Google Cloud project that the image is built in, and belongs to.")
        .attr("type", Expr::reference("string"))
        .attr_opt("default", plan.project())
}

/// The machine that the image is made of.
fn source(plan: Sound<'_>, image: Planned<'_, MachineImage>) -> Option<Block> {
    let Planned { noun, body, plan: made, .. } = image;
    // a sound plan has all three
    let from = &body.from.as_ref()?.value;
    let network = plan.get(body.network.as_ref()?.value);
    let zone = &body.zone.as_ref()?.value;
    let (family, exact) = match plan.boot(from) {
        Boot::Family(name) => (Some(name), None),
        Boot::Image(name) => (None, Some(name)),
    };
    let owner = from.project().map_or_else(|| Expr::reference("var.project_id"), Expr::from);
    let account = body.identity.and_then(|it| plan.email(it.value));
    let login = if body.os_login { "TRUE" } else { "FALSE" };
    let mut labels: BTreeMap<String, String> = labels::of_blueprint(plan).collect();
    labels.extend(body.labels.iter().map(|(key, value)| (key.clone(), value.clone())));
    // what holds a machine on its host
    let stays = made.machine.is_bound();
    Some(
        Block::new("source", ["googlecompute", "image"])
            .comment(noun.origin.as_str())
            .attr("project_id", Expr::reference("var.project_id"))
            .attr("zone", zone)
            .attr("source_image_project_id", Expr::list([owner]))
            .attr_opt("source_image_family", family)
            .attr_opt("source_image", exact)
            .gap()
            .attr("image_family", image.name())
            .attr("image_name", name(image.name()))
            .attr_opt("image_description", noun.doc.as_deref())
            .attr("image_labels", Expr::object(labels.clone()))
            .gap()
            .attr("machine_type", &made.machine.name)
            .attr("state_timeout", plan.catalog().limits().machine_image.wait.as_str())
            .attr("disk_size", body.disk.gib())
            .attr("disk_type", made.disk.as_str())
            .attr_opt("on_host_maintenance", stays.then_some("TERMINATE"))
            .attr_opt("network_project_id", network.body.project.as_ref().map(|it| &it.value))
            .attr("network", &network.plan.name)
            .attr("subnetwork", &network.plan.subnet)
            .attr("omit_external_ip", true)
            .attr("use_internal_ip", true)
            .attr("use_iap", true)
            .attr("use_os_login", body.os_login)
            .attr("ssh_username", "packer")
            .attr("metadata", Expr::object([("enable-oslogin", login)]))
            .attr_opt("disable_default_service_account", account.is_none().then_some(true))
            .attr_opt("service_account_email", account.clone())
            .attr_opt("scopes", account.map(|_| Expr::list([CLOUD_PLATFORM])))
            .attr("labels", Expr::object(labels)),
    )
}

const CLOUD_PLATFORM: &str = "https://www.googleapis.com/auth/cloud-platform";

/// The family with a time behind it, so that each build makes another image.
fn name(family: &str) -> Expr {
    let now = Expr::call("timestamp", Vec::<Expr>::new());
    let time = Expr::call("formatdate", [Expr::from("YYYYMMDDhhmmss"), now]);
    Expr::template([
        Part::from((fitted(family.to_owned(), PREFIX) + "-").as_str()),
        Part::from(time),
    ])
}

fn build(steps: &[Step]) -> Block {
    let path = |step: &Step| {
        Expr::template([
            Part::from(Expr::reference("path.root")),
            Part::from(format!("/{}", step.name).as_str()),
        ])
    };
    let run = (!steps.is_empty()).then(|| {
        Block::new("provisioner", ["shell"])
            .attr("scripts", Expr::list(steps.iter().map(path)))
            .attr("execute_command", "chmod +x {{ .Path }} && sudo --set-home {{ .Path }}")
    });
    Block::of("build").attr("sources", ["source.googlecompute.image"]).block_opt(run)
}
