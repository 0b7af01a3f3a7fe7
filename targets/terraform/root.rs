//! One Terraform root while it is being written: topic files, variables, outputs, and what could not be expressed.

use super::labels::Labels;
use super::outputs::OutputBlock;
use super::services::{self, Services};
use super::variables::Variable;
use crate::document::hcl::{Attribute, Block, Body, Expr, Member, to_hcl};
use crate::schema::Shape;
use crate::{Output, Stage};
use camino::Utf8PathBuf;
use indexmap::{IndexMap, IndexSet};
use slipform_model::catalog::Prerequisite;
use slipform_model::plan::Sound;
use slipform_model::{Diagnostic, Noun, NounId};
use std::collections::BTreeSet;

/// The topic files of a root, in the order in which a reader wants them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum File {
    /// What another root made, or someone else.
    Lookups,
    /// APIs of the project.
    Services,
    /// VPCs.
    Network,
    /// Buckets and filesystems.
    Storage,
    /// Repositories of images.
    Registry,
    /// Service accounts and what they may do.
    Iam,
    /// TensorBoards.
    Dashboards,
    /// Machines that are kept.
    Reservations,
    /// The control plane.
    Cluster,
    /// Node pools.
    NodePools,
    /// Plain machines.
    Machines,
    /// What is someone else's by now.
    Released,
}

impl File {
    /// What whoever reviews the file has to know first.
    fn head(self) -> Option<&'static str> {
        const RELEASED: &str = "What is someone else's, and may have been made here before: Terraform forgets it, and destroys nothing. Where its state knows\n\
            nothing of it, as in a new project, the block means nothing.";
        (self == Self::Released).then_some(RELEASED)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Lookups => "data.tf",
            Self::Services => "services.tf",
            Self::Network => "network.tf",
            Self::Storage => "storage.tf",
            Self::Registry => "registry.tf",
            Self::Iam => "iam.tf",
            Self::Dashboards => "dashboards.tf",
            Self::Reservations => "reservations.tf",
            Self::Cluster => "cluster.tf",
            Self::NodePools => "node_pools.tf",
            Self::Machines => "machines.tf",
            Self::Released => "released.tf",
        }
    }
}

/// A root. Blocks are pushed into it; [`Root::finish`] prints it.
pub(super) struct Root<'p> {
    /// What is rendered.
    pub(super) plan: Sound<'p>,
    /// The names of blocks.
    pub(super) labels: Labels<'p>,
    /// What this target cannot express.
    pub(super) diagnostics: Vec<Diagnostic>,
    folder: Utf8PathBuf,
    region: Option<String>,
    zone: Option<String>,
    features: BTreeSet<Feature>,
    files: IndexMap<File, (Body, IndexSet<NounId>)>,
    variables: Vec<Variable>,
    outputs: Vec<OutputBlock>,
    looked_up: IndexSet<NounId>,
    services: Services,
}

/// What a root may ask of the provider that not every release has, as the catalog calls it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    /// `accelerator_network_profile` of node pools.
    AcceleratorProfile,
    /// `high_scale_checkpointing_config` of clusters.
    Checkpointing,
    /// `deletion_policy`.
    DeletionPolicy,
    /// `maintenance_policy` of node pools.
    PoolMaintenance,
    /// `FLEX_START` and `RESERVATION_BOUND` of templates.
    ProvisioningModels,
    /// `slice_controller_config` of clusters.
    SliceController,
}

impl Feature {
    fn name(self) -> &'static str {
        match self {
            Self::AcceleratorProfile => "accelerator_network_profile",
            Self::Checkpointing => "high_scale_checkpointing_config",
            Self::DeletionPolicy => "deletion_policy",
            Self::PoolMaintenance => "node_pool_maintenance",
            Self::ProvisioningModels => "provisioning_models",
            Self::SliceController => "slice_controller_config",
        }
    }
}

impl<'p> Root<'p> {
    /// An empty root for a stage; its variables `region` and `zone` have these values, where it has any.
    pub(super) fn new(
        plan: Sound<'p>,
        stage: &Stage,
        region: Option<String>,
        zone: Option<String>,
    ) -> Self {
        let mut root = Self {
            plan,
            labels: Labels::new(plan),
            diagnostics: Vec::new(),
            folder: stage.folder(),
            region,
            zone,
            features: BTreeSet::new(),
            files: IndexMap::new(),
            variables: Vec::new(),
            outputs: Vec::new(),
            looked_up: IndexSet::new(),
            services: Services::new(),
        };
        root.variable(Variable::project(plan.project()));
        if let Some(region) = root.region.clone() {
            root.variable(Variable::region(&region));
        }
        if let Some(zone) = root.zone.clone() {
            root.variable(Variable::zone(&zone, root.region.is_some()));
        }
        root
    }

    /// The label of a noun's blocks.
    pub(super) fn label(&self, id: impl Into<NounId>) -> String {
        self.labels.of(id.into()).to_owned()
    }

    /// Adds a block that `noun` asked for.
    pub(super) fn push(&mut self, file: File, noun: &Noun, block: Block) {
        for service in services::of_block(&block) {
            self.services.entry(service).or_insert(noun.id);
        }
        let block = in_project(block).comment(&noun.origin);
        let (body, nouns) = self.files.entry(file).or_default();
        *body = std::mem::take(body).block(block);
        nouns.insert(noun.id);
    }

    /// The APIs behind everything that was added, each with the noun that asked first.
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// Whether this root makes a resource.
    pub(super) fn has(&self, address: &str) -> bool {
        self.blocks().any(|block| {
            block.kind == "resource"
                && address.split('.').eq(block.labels.iter().map(AsRef::as_ref))
        })
    }

    /// Everything that was added.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block> {
        let members = self.files.values().flat_map(|(body, _)| &body.members);
        members.filter_map(|member| match member {
            Member::Block(block) => Some(block),
            _ => None,
        })
    }

    /// Adds a variable, unless one of its name is there.
    pub(super) fn variable(&mut self, variable: Variable) {
        if self.variables.iter().all(|known| known.name != variable.name) {
            self.variables.push(variable);
        }
    }

    /// Adds an output, unless one of its name is there.
    pub(super) fn output(&mut self, output: OutputBlock) -> bool {
        let new = self.outputs.iter().all(|known| known.name != output.name);
        if new {
            self.outputs.push(output);
        }
        new
    }

    /// Asks for a newer provider than the floor of every root.
    pub(super) fn needs(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    /// What refuses to delete a resource, or does not. A plan that would destroy it fails by `prevent_destroy`, but only
    /// while its block is there: that of a noun that was renamed or dropped is not, and what was applied decides. So it
    /// is written either way.
    pub(super) fn deletion_policy(&mut self, protected: bool) -> Expr {
        self.needs(Feature::DeletionPolicy);
        if !protected {
            return "DELETE".into();
        }
        self.variable(Variable::deletion_protection());
        Expr::reference(Variable::DELETION_PROTECTION).then_else("PREVENT", "DELETE")
    }

    /// Whether a noun's `data` block is still to be written; from now on it is not.
    pub(super) fn first_lookup(&mut self, id: NounId) -> bool {
        self.looked_up.insert(id)
    }

    /// A region or a zone: the variable where it has this value, so that a place is written once in a root.
    pub(super) fn place(&self, name: &str) -> Expr {
        if self.region.as_deref() == Some(name) {
            Expr::reference("var.region")
        } else if self.zone.as_deref() == Some(name) {
            Expr::reference("var.zone")
        } else {
            name.into()
        }
    }

    /// The value of the variable `zone`.
    pub(super) fn zone(&self) -> Option<&str> {
        self.zone.as_deref()
    }

    /// Prints every file into `out`.
    pub(super) fn finish(mut self, out: &mut Output) {
        out.diagnostics.append(&mut self.diagnostics);
        let mut all: IndexSet<NounId> =
            self.files.values().flat_map(|(_, nouns)| nouns.iter().copied()).collect();
        all.sort();
        let versions = versions(self.plan, &self.features, self.region.is_some());
        self.write(out, "versions.tf", &versions, all.iter().copied());
        let variables = Body::new().blocks(self.variables.iter().map(Variable::block));
        self.write(out, "variables.tf", &variables, all.iter().copied());
        let values = self
            .variables
            .iter()
            .filter_map(|variable| Some((variable.name, variable.value.clone()?)));
        let values = values.fold(Body::new(), |body, (name, value)| body.attr(name, value));
        self.write(out, "terraform.tfvars", &values, all.iter().copied());
        for (file, (body, nouns)) in &self.files {
            let headed =
                file.head().map(|head| Body::new().comment(head).gap().extend(body.clone()));
            let body = headed.as_ref().unwrap_or(body);
            self.write(out, file.name(), body, nouns.iter().copied());
        }
        if !self.outputs.is_empty() {
            let outputs = Body::new().blocks(self.outputs.iter().map(OutputBlock::block));
            self.write(out, "outputs.tf", &outputs, all.iter().copied());
        }
    }

    fn write(
        &self,
        out: &mut Output,
        name: &str,
        body: &Body,
        nouns: impl IntoIterator<Item = NounId>,
    ) {
        out.file(self.folder.join(name), to_hcl(body), nouns);
    }
}

/// The first paragraph of a noun's documentation, on one line.
pub(super) fn description(noun: &Noun) -> Option<String> {
    let words = noun.doc.as_deref()?.lines().map(str::trim).take_while(|line| !line.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    if text.is_empty() { None } else { Some(text) }
}

/// A resource block without its body.
pub(super) fn resource(kind: &'static str, label: &str) -> Block {
    Block::new("resource", [kind.to_owned(), label.to_owned()])
}

/// A resource block that names its project, where its kind takes one: in another project it is another resource, and
/// a plan says so.
fn in_project(mut block: Block) -> Block {
    const PROJECT: &str = "project";
    let takes = |kind: &std::borrow::Cow<'_, str>| {
        Shape::of_resource(kind).is_some_and(|it| it.takes(PROJECT))
    };
    let named = |member: &Member| matches!(member, Member::Attribute(it) if it.name == PROJECT);
    if block.kind != "resource" || !block.labels.first().is_some_and(takes) {
        return block;
    }
    let members = &mut block.body.members;
    if !members.iter().any(named) {
        // what repeats a resource stands above everything else
        let gap = members.iter().take(2).position(|member| *member == Member::Gap);
        let project = Attribute::new(PROJECT, Expr::reference("var.project_id"));
        members.insert(gap.map_or(0, |at| at + 1), Member::Attribute(project));
    }
    block
}

/// A data block without its body.
pub(super) fn data(kind: &'static str, label: &str) -> Block {
    Block::new("data", [kind.to_owned(), label.to_owned()])
}

/// Has Terraform find what it keeps under one address under another.
pub(super) fn moved(from: String, to: Expr) -> Block {
    Block::of("moved").attr("from", Expr::reference(from)).attr("to", to)
}

/// A `depends_on` of these addresses.
pub(super) fn depends_on(block: Block, addresses: impl IntoIterator<Item = String>) -> Block {
    let addresses: Vec<Expr> = addresses.into_iter().map(Expr::reference).collect();
    if addresses.is_empty() { block } else { block.gap().attr("depends_on", Expr::List(addresses)) }
}

/// What makes a plan fail that would destroy the resource, before anything else is destroyed.
pub(super) fn never_destroyed() -> Block {
    Block::of("lifecycle").attr("prevent_destroy", true)
}

/// `{ key = value }`, or nothing where there is nothing in it.
pub(super) fn string_map<'a>(
    entries: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Option<Expr> {
    let entries: Vec<(String, Expr)> =
        entries.into_iter().map(|(key, value)| (key.clone(), value.into())).collect();
    if entries.is_empty() { None } else { Some(Expr::object(entries)) }
}

/// Versions, the backend, and the provider with the labels of everything that it makes.
fn versions(plan: Sound<'_>, features: &BTreeSet<Feature>, region: bool) -> Body {
    let google = bounds(plan, Prerequisite::TerraformGoogle, features);
    let google = Expr::object([("source", "hashicorp/google"), ("version", google.as_str())]);
    let terraform = Block::of("terraform")
        .attr("required_version", bounds(plan, Prerequisite::Terraform, &BTreeSet::new()))
        .block(Block::of("required_providers").attr("google", google))
        .block(Block::new("backend", ["gcs"]));
    let provider = Block::new("provider", ["google"])
        .attr("project", Expr::reference("var.project_id"))
        .attr_opt("region", region.then(|| Expr::reference("var.region")))
        .attr("default_labels", Expr::object(crate::labels::of_blueprint(plan)));
    Body::new().block(terraform).block(provider)
}

/// The versions of a component that the output is for: `>= 7.20.0, < 8.0.0`.
fn bounds(plan: Sound<'_>, component: Prerequisite, features: &BTreeSet<Feature>) -> String {
    let component = plan.catalog().prerequisite(component);
    let first = component.first_with(features.iter().map(|feature| feature.name()));
    let below = component.below.iter().map(|below| format!(", < {below}"));
    std::iter::once(format!(">= {first}")).chain(below).collect()
}
