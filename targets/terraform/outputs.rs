//! What roots hand on: addresses that exist once they are applied, and the blueprint's own `output` statements.
//!
//! The name of an output depends on nothing but its noun and field, so that later stages can ask for it.

use super::cluster::CLUSTER;
use super::root::{File, Root, data};
use crate::Stage;
use crate::document::hcl::{Block, Expr, Key};
use slipform_model::nouns::{Filesystem, GkeCluster, Storage};
use slipform_model::plan::{Any, Planned, Sound};
use slipform_model::{Deferred, Diagnostic, Noun, Placed, Value};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    TERRAFORM_DEFERRED = "terraform/deferred":
        "nothing in Terraform knows this value",
        "use another field of the noun";
    TERRAFORM_OUTPUT_NAME = "terraform/output-name":
        "an output has the name of one that is written anyway",
        "rename it";
    TERRAFORM_OUTPUT_OF_TWO_ROOTS = "terraform/output-of-two-roots":
        "an output joins values of several Terraform roots, and none of them knows all",
        "make it several outputs";
}

/// An output of a root.
pub(super) struct OutputBlock {
    pub(super) name: String,
    description: String,
    value: Expr,
    sensitive: bool,
    origin: Option<String>,
}

impl OutputBlock {
    /// What a noun's field will be: `fabric_subnet`.
    pub(super) fn of(
        plan: Sound<'_>,
        noun: &Noun,
        field: &str,
        description: String,
        value: Expr,
    ) -> Self {
        let name = plan.later(&Deferred { noun: noun.id, field: field.into() }).output;
        Self::named(noun, name, description, value)
    }

    /// What a noun asks for that is no noun itself.
    pub(super) fn named(noun: &Noun, name: String, description: String, value: Expr) -> Self {
        Self { name, description, value, sensitive: false, origin: Some(noun.origin.clone()) }
    }

    /// Its block.
    pub(super) fn block(&self) -> Block {
        let block = Block::new("output", [self.name.clone()])
            .attr("description", &self.description)
            .attr("value", self.value.clone())
            .attr_opt("sensitive", self.sensitive.then_some(true));
        match &self.origin {
            Some(origin) => block.comment(origin),
            None => block,
        }
    }
}

/// Hands on what the makers or finders of a noun alone know; what nothing in Terraform knows is said where it is read.
pub(super) fn hand_on(root: &mut Root<'_>, it: Any<'_>) {
    let (plan, noun) = (root.plan, it.noun());
    for (later, span) in plan.handed_on().iter().filter(|(later, _)| later.noun == noun.id) {
        let Some(value) = address(root, it, &later.field) else {
            root.diagnostics.push(unknown(it, &later.field, *span));
            continue;
        };
        root.output(OutputBlock {
            name: later.output.clone(),
            description: what(it),
            value,
            sensitive: later.sensitive,
            origin: Some(noun.origin.clone()),
        });
    }
}

/// Hands on, from the foundation, what is known of nouns that exist already.
pub(super) fn hand_on_existing(root: &mut Root<'_>) {
    for it in root.plan.nouns().filter(|it| it.noun().existing) {
        hand_on(root, it);
    }
}

fn what(it: Any<'_>) -> String {
    match it {
        Any::GkeCluster(cluster) => {
            format!("Address of the control plane of {}.", cluster.name())
        }
        Any::Machines(it) => format!("What the machines {} are made of.", it.noun.outside.path),
        Any::Dashboard(it) => format!("Resource name of the TensorBoard {}.", it.noun.outside.path),
        Any::Filesystem(_)
        | Any::Network(_)
        | Any::Bucket(_)
        | Any::Registry(_)
        | Any::Reservation(_)
        | Any::Identity(_)
        | Any::Image(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::MachineImage(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => format!("Address of the server of {}.", it.noun().outside.path),
    }
}

fn unknown(it: Any<'_>, field: &str, span: Span) -> Diagnostic {
    let noun = it.noun();
    let message = format!("nothing in Terraform knows `{field}` of {}", noun.path);
    let told = Diagnostic::error(TERRAFORM_DEFERRED, message, span);
    let told = told.also(noun.span, "declared here");
    if !matches!(it, Any::Dashboard(_)) {
        return told;
    }
    told.help(
        "leave it out, and say the dashboard's resource name as text: `tensorboard` of the cluster on Vertex AI, in `env` elsewhere",
    )
}

/// The blueprint's `output` statements that belong into a root: those whose deferred values it knows, and, in the
/// foundation, those without any.
pub(super) fn statements(root: &mut Root<'_>, stage: &Stage) {
    let plan = root.plan;
    for (name, placed) in plan.outputs() {
        let mut stages: Vec<Stage> = Vec::new();
        deferred(&placed.value, &mut |value| stages.push(Stage::from(&plan.later(value).root)));
        stages.sort();
        stages.dedup();
        match stages.as_slice() {
            [] if *stage == Stage::Foundation => statement(root, name, placed),
            [only] if only == stage => statement(root, name, placed),
            [first, _, ..] if first == stage => root.diagnostics.push(
                Diagnostic::error(
                    TERRAFORM_OUTPUT_OF_TWO_ROOTS,
                    format!("output `{name}` joins values of {} Terraform roots", stages.len()),
                    placed.span,
                )
                .labelled(
                    stages
                        .iter()
                        .map(|stage| stage.folder().to_string())
                        .collect::<Vec<_>>()
                        .join(", "),
                )
                .help("write one output for each"),
            ),
            _ => {}
        }
    }
}

fn statement(root: &mut Root<'_>, name: &str, placed: &Placed) {
    let Some(value) = expression(root, placed) else { return };
    let description = format!("Output {name} of the blueprint.");
    let mut sensitive = false;
    deferred(&placed.value, &mut |value| sensitive |= root.plan.later(value).sensitive);
    let output = OutputBlock { name: name.to_owned(), description, value, sensitive, origin: None };
    if !root.output(output) {
        root.diagnostics.push(
            Diagnostic::error(
                TERRAFORM_OUTPUT_NAME,
                format!("`{name}` is the name of an output that Slipform writes itself"),
                placed.span,
            )
            .help("name the output otherwise"),
        );
    }
}

/// Calls `visit` with every deferred value in `value`.
fn deferred(value: &Value, visit: &mut impl FnMut(&Deferred)) {
    match value {
        Value::Deferred(value) => visit(value),
        Value::List(items) => items.iter().for_each(|item| deferred(&item.value, visit)),
        Value::Record(record) | Value::Variant(_, record) => {
            record.values().for_each(|item| deferred(&item.value, visit));
        }
        _ => {}
    }
}

/// A value of the blueprint as an expression; what has no form in Terraform is said and left out.
fn expression(root: &mut Root<'_>, placed: &Placed) -> Option<Expr> {
    Some(match &placed.value {
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        Value::Float(it) => (*it).into(),
        Value::List(items) => {
            Expr::List(items.iter().filter_map(|item| expression(root, item)).collect())
        }
        Value::Record(record) => {
            let entry = |(key, item): (&std::sync::Arc<str>, &Placed)| {
                Some((Key::from(&**key), expression(root, item)?))
            };
            let entries: Vec<(Key, Expr)> = record.iter().filter_map(entry).collect();
            Expr::object(entries)
        }
        Value::Deferred(value) => return deferred_expression(root, value, placed),
        Value::Ref(noun) => root.plan.noun(noun.id).outside.path.clone().into(),
        Value::Absent | Value::Auto => Expr::Null,
        Value::Unknown => return None,
        plain => plain.to_string().into(),
    })
}

fn deferred_expression(root: &mut Root<'_>, value: &Deferred, placed: &Placed) -> Option<Expr> {
    let it = root.plan.any(value.noun);
    let found = address(root, it, &value.field);
    if found.is_none() {
        root.diagnostics.push(unknown(it, &value.field, placed.span));
    }
    found
}

/// The expression for a derived field of a noun, in the root that knows it.
pub(super) fn address(root: &mut Root<'_>, it: Any<'_>, field: &str) -> Option<Expr> {
    let noun = it.noun();
    let label = root.label(noun.id);
    let mode = if noun.existing { "data." } else { "" };
    let reference = |path: String| Some(Expr::reference(format!("{mode}{path}")));
    match (it, field) {
        (Any::GkeCluster(_), "endpoint") if !noun.existing => {
            Some(Expr::reference(format!("{CLUSTER}.endpoint")))
        }
        (Any::GkeCluster(cluster), "endpoint") => {
            look_up_cluster(root, cluster);
            reference(format!("google_container_cluster.{label}.endpoint"))
        }
        (Any::Dashboard(_), "resource") if !noun.existing => {
            reference(format!("google_vertex_ai_tensorboard.{label}.name"))
        }
        (Any::Machines(_), "template") => {
            reference(format!("google_compute_instance_template.{label}.self_link"))
        }
        (Any::Filesystem(filesystem), "address") => match &filesystem.body.storage.value {
            Storage::Filestore { .. } => {
                look_up_filesystem(root, filesystem, "google_filestore_instance", "name");
                reference(format!("google_filestore_instance.{label}.networks[0].ip_addresses[0]"))
            }
            Storage::Lustre { .. } => {
                look_up_filesystem(root, filesystem, "google_lustre_instance", "instance_id");
                // the mount point is ADDRESS@tcp:/FILESYSTEM
                let point = format!("{mode}google_lustre_instance.{label}.mount_point");
                let parts = Expr::call("split", [Expr::from("@"), Expr::reference(point)]);
                Some(parts.index(0))
            }
            Storage::Nfs { server, .. } => Some(server.into()),
            Storage::HyperdiskMl { .. }
            | Storage::HyperdiskBalanced { .. }
            | Storage::HyperdiskThroughput { .. }
            | Storage::Path { .. } => None,
        },
        (
            Any::GkeCluster(_)
            | Any::Dashboard(_)
            | Any::Filesystem(_)
            | Any::Network(_)
            | Any::Bucket(_)
            | Any::Registry(_)
            | Any::Reservation(_)
            | Any::Identity(_)
            | Any::Image(_)
            | Any::SlurmCluster(_)
            | Any::VertexCluster(_)
            | Any::Pool(_)
            | Any::Partition(_)
            | Any::MachineImage(_)
            | Any::Machines(_)
            | Any::Queue(_)
            | Any::Workload(_)
            | Any::Group(_),
            _,
        ) => None,
    }
}

/// Reads an existing filesystem, once.
fn look_up_filesystem(
    root: &mut Root<'_>,
    filesystem: Planned<'_, Filesystem>,
    kind: &'static str,
    key: &'static str,
) {
    let Planned { noun, body, .. } = filesystem;
    if !noun.existing || !root.first_lookup(noun.id) {
        return;
    }
    let label = root.label(noun.id);
    let place = if kind == "google_lustre_instance" { "zone" } else { "location" };
    let location = body.location.as_ref().map(|location| root.place(&location.value));
    let block = data(kind, &label).attr(key, filesystem.name()).attr_opt(place, location);
    root.push(File::Lookups, noun, block);
}

/// Reads an existing cluster, once.
fn look_up_cluster(root: &mut Root<'_>, cluster: Planned<'_, GkeCluster>) {
    let Planned { noun, plan, .. } = cluster;
    if !root.first_lookup(noun.id) {
        return;
    }
    let block = data("google_container_cluster", root.labels.of(noun.id))
        .attr("name", &plan.name)
        .attr("location", root.place(&plan.location))
        .attr_opt("project", root.plan.other_project(noun.id));
    root.push(File::Lookups, noun, block);
}

/// Whether an `output` statement, or what reads of a noun that exists, asks for something that only the root of a stage
/// knows.
pub(super) fn any_in(plan: Sound<'_>, stage: &Stage) -> bool {
    let mut found = plan.handed_on().iter().any(|(later, _)| Stage::from(&later.root) == *stage);
    for (_, placed) in plan.outputs() {
        deferred(&placed.value, &mut |value| {
            found |= Stage::from(&plan.later(value).root) == *stage;
        });
    }
    found
}
