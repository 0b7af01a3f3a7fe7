//! What each platform does with each field that a blueprint may write: nothing that is written is dropped without a word.
//!
//! A target has one table for each kind that it renders: a platform for what runs or stands on it, Terraform and the
//! images for what all platforms share. [`tell`] holds what a blueprint writes against the table of the
//! platform that its noun is rendered for; tests hold the tables against the kinds, and each row against what is rendered.

use crate::{Output, Target, images, kubernetes, packer, slurm, terraform, vertex};
use slipform_model::plan::{Any, Site, Sound};
use slipform_model::{Diagnostic, Noun, Patch, Severity, Value};
use slipform_source::{Code, Span};
use std::collections::BTreeSet;
use std::iter::{Copied, Flatten};
use std::slice::Iter;

slipform_source::codes! {
    pub(crate) CODES;
    ALLOW_NEEDLESS = "allow/needless":
        "an `allow` names a warning about fields that are written in vain, and there is none here",
        "remove the `allow`";
    EXISTING_UNUSED = "existing/unused":
        "a field says how a noun is made, and the noun is `existing`: nothing is done with the field",
        "leave it out, or take `existing` away where the noun is to be made";
    OUTPUT_NOWHERE = "terraform/output-nowhere":
        "no file can give this output: a blueprint without anything of Terraform's has no root that hands it on",
        "leave it out, or allow this in any noun: an output stands in none";
    PATCH_OTHER_PLATFORM = "patch/other-platform":
        "a document is patched that this run has on another platform alone: the patch changes nothing here",
        "leave it out, or patch what there is of the run on its platform; allow it where the run moves between platforms";
    STORAGE_UNMANAGED = "storage/unmanaged":
        "a field says where Google Cloud holds a filesystem, and this one is a server's own or a folder",
        "leave it out: the address of the server, or the path of the folder, says all";
}

/// A platform that workloads run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Platform {
    /// Google Kubernetes Engine.
    Gke,
    /// Slurm.
    Slurm,
    /// Vertex AI.
    Vertex,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gke, Self::Slurm, Self::Vertex];

    /// As blueprints write it, behind `on`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gke => "gke",
            Self::Slurm => "slurm",
            Self::Vertex => "vertex",
        }
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Gke => "GKE",
            Self::Slurm => "Slurm",
            Self::Vertex => "Vertex AI",
        }
    }

    /// What writes the runs on it.
    fn target(self) -> &'static dyn Target {
        match self {
            Self::Gke => &kubernetes::Kubernetes,
            Self::Slurm => &slurm::Slurm,
            Self::Vertex => &vertex::Vertex,
        }
    }

    /// What it does with the fields of a kind, those of its constructors included (`mounts.use`); the row without a name
    /// is of the kind itself. `None` where the kind is nothing of this platform.
    pub fn rows(self, kind: &str) -> Option<Rows> {
        match self {
            Self::Gke => rows(kubernetes::COVERAGE, kind).or(rows(terraform::GKE, kind)),
            Self::Slurm => rows(slurm::COVERAGE, kind),
            Self::Vertex => rows(vertex::COVERAGE, kind),
        }
    }
}

/// Whether a noun on a platform, by its name in blueprints, has a document that is patched. One that no platform writes is everybody's.
pub fn has_document(kind: &str, platform: &str, document: &str) -> bool {
    let has = |it: &Platform| it.target().patches().contains(&(document, kind));
    let mut having = Platform::ALL.into_iter().filter(has).peekable();
    having.peek().is_none() || having.any(|it| it.word() == platform)
}

/// Whether a platform, by its name in blueprints, leaves a field of a kind out, or refuses it; of machines that are made on Google Cloud, where
/// that is known.
pub fn is_in_vain(kind: &str, platform: &str, on_cloud: bool, field: &str) -> bool {
    let platform = Platform::ALL.into_iter().find(|it| it.word() == platform);
    let mut rows = platform.and_then(|it| it.rows(kind)).into_iter().flatten();
    let row = rows.find(|(name, _)| *name == field);
    row.is_some_and(|(_, cover)| match cover {
        Cover::Ignored(_) | Cover::Refused(_) => true,
        Cover::Only(_, answer) => on_cloud && answer.code == slurm::coverage::SLURM_OWN_HOSTS,
        Cover::Honoured
        | Cover::Making
        | Cover::Managed
        | Cover::Noted(_)
        | Cover::NoEffect(_)
        | Cover::Ruled(_) => false,
    })
}

/// What becomes of the fields of a kind that belongs to no platform: networks, storage, accounts, images.
pub fn shared(kind: &str) -> Option<Rows> {
    rows(terraform::SHARED, kind).or(rows(images::COVERAGE, kind)).or(rows(packer::COVERAGE, kind))
}

fn rows(tables: &Tables, kind: &str) -> Option<Rows> {
    tables.iter().find(|(known, _)| *known == kind).map(|(_, rows)| rows.iter().copied().flatten())
}

/// The rows of each kind; some are of several kinds.
pub(crate) type Tables = [(&'static str, &'static [&'static [Row]])];

/// The rows of a kind.
pub type Rows = Flatten<Copied<Iter<'static, &'static [Row]>>>;

/// A field and what becomes of it.
pub type Row = (&'static str, Cover);

/// What becomes of a field.
#[derive(Clone, Copy, Debug)]
pub enum Cover {
    /// It changes what is written.
    Honoured,
    /// It changes what is made. On an `existing` noun it is left out, and a warning says so where it is written.
    Making,
    /// It changes where Google Cloud holds a filesystem. Of one that it does not hold it is left out, and a warning says so
    /// where it is written.
    Managed,
    /// It changes what is written of nouns that this holds of. Of others it is left out, and a warning says so where it is
    /// written.
    Only(fn(Any<'_>) -> bool, &'static Answer),
    /// It changes what is written, and what it means there has to be said.
    Noted(&'static str),
    /// It changes nothing there, and says why; that is how it is meant.
    NoEffect(&'static str),
    /// It is left out, and a warning says so where it is written.
    Ignored(&'static Answer),
    /// The platform cannot do it; an error says so where it is written.
    Refused(&'static Answer),
    /// A rule of this code answers it.
    Ruled(&'static str),
}

impl Cover {
    /// Whether there is something to say where a field is written.
    fn may_answer(self) -> bool {
        match self {
            Self::Making | Self::Managed | Self::Only(..) | Self::Ignored(_) | Self::Refused(_) => {
                true
            }
            Self::Honoured | Self::Noted(_) | Self::NoEffect(_) | Self::Ruled(_) => false,
        }
    }
}

/// What becomes of how a model is cut up, on every platform.
pub(crate) const PARALLEL: Cover = Cover::NoEffect("rules check it, and the command line says it");

/// What becomes of the model that a workload trains, on every platform.
pub(crate) const MODEL: &[Row] = &[
    ("model", PARALLEL),
    ("model.framework", PARALLEL),
    ("model.layers", PARALLEL),
    ("model.hidden", PARALLEL),
    ("model.heads", PARALLEL),
    ("model.kv_heads", PARALLEL),
    ("model.head_size", PARALLEL),
    ("model.feed_forward", PARALLEL),
    ("model.gated", PARALLEL),
    ("model.vocabulary", PARALLEL),
    ("model.tied", PARALLEL),
    ("model.experts", PARALLEL),
    ("model.experts.count", PARALLEL),
    ("model.experts.active", PARALLEL),
    ("model.experts.width", PARALLEL),
    ("model.experts.shared", PARALLEL),
    ("model.experts.dense_layers", PARALLEL),
    ("model.experts.every", PARALLEL),
    ("model.latent", PARALLEL),
    ("model.latent.query", PARALLEL),
    ("model.latent.key_value", PARALLEL),
    ("model.latent.nope", PARALLEL),
    ("model.latent.rope", PARALLEL),
    ("model.latent.value", PARALLEL),
    ("model.sequence", PARALLEL),
    ("model.precision", PARALLEL),
    ("model.sharding", PARALLEL),
    ("model.shards", PARALLEL),
    ("model.weight_bytes", PARALLEL),
    ("model.gradient_bytes", PARALLEL),
    ("model.optimizer_bytes", PARALLEL),
    ("model.recompute", PARALLEL),
    ("model.recompute_modules", PARALLEL),
    ("model.recompute_layers", PARALLEL),
    ("model.kept", PARALLEL),
    ("model.vocabulary_tiles", PARALLEL),
    ("model.offloaded", PARALLEL),
    ("model.lora", PARALLEL),
    ("model.virtual_pipeline", PARALLEL),
    ("model.expert_tensor", PARALLEL),
    ("model.sequence_parallel", PARALLEL),
    ("model.uneven_stages", PARALLEL),
    ("model.save_on_notice", PARALLEL),
];

/// What Slurm alone has of a workload, on the other platforms.
pub(crate) const SLURM_ALONE: &[Row] = &[
    ("batch", BATCH),
    ("batch.account", BATCH),
    ("batch.qos", BATCH),
    ("batch.reservation", BATCH),
    ("batch.nice", BATCH),
    ("batch.output", BATCH),
    ("batch.error", BATCH),
    ("batch.label", BATCH),
    ("batch.attempt_logs", BATCH),
    ("batch.any_dependency", BATCH),
    ("batch.array", BATCH),
    ("batch.dependency", BATCH),
    ("batch.dependency.of", BATCH),
    ("batch.dependency.of.number", BATCH),
    ("batch.dependency.delay", BATCH),
    ("batch.signal", BATCH),
    ("batch.segment", BATCH),
    ("batch.switches", BATCH),
    ("batch.switches.count", BATCH),
    ("batch.switches.wait", BATCH),
    ("batch.ranks", BATCH),
    ("batch.cpu_bind", BATCH),
    ("batch.mem_bind", BATCH),
    ("batch.gpu_bind", BATCH),
    ("batch.mpi", BATCH),
    ("batch.import", BATCH),
    ("batch.stage", BATCH),
    ("batch.stage.from", BATCH),
    ("batch.stage.to", BATCH),
    ("batch.stage_images", BATCH),
    ("batch.save", BATCH),
    ("batch.login", BATCH),
];

/// What Vertex AI alone has of a workload, on the other platforms.
pub(crate) const VERTEX_ALONE: &[Row] = &[
    (
        "title",
        Cover::NoEffect("what people see it called on Vertex AI, and it has a name elsewhere"),
    ),
    ("upload", UPLOAD),
    ("upload.title", UPLOAD),
    ("upload.image", UPLOAD),
    ("upload.predict", UPLOAD),
    ("upload.health", UPLOAD),
    ("upload.port", UPLOAD),
    ("upload.id", UPLOAD),
    ("upload.parent", UPLOAD),
    ("upload.aliases", UPLOAD),
    ("reduction_server", REDUCTION),
    ("reduction_server.machine", REDUCTION),
    ("reduction_server.nodes", REDUCTION),
    ("reduction_server.tier_1", REDUCTION),
    ("tuning", TUNING),
    ("tuning.metrics", TUNING),
    ("tuning.parameters", TUNING),
    ("tuning.parameters.min", TUNING),
    ("tuning.parameters.max", TUNING),
    ("tuning.parameters.scale", TUNING),
    ("tuning.parameters.under", TUNING),
    ("tuning.parameters.under.parameter", TUNING),
    ("tuning.parameters.under.values", TUNING),
    ("tuning.parameters.values", TUNING),
    ("tuning.trials", TUNING),
    ("tuning.parallel", TUNING),
    ("tuning.failures", TUNING),
    ("tuning.algorithm", TUNING),
    ("tuning.measurement", TUNING),
    ("tuning.early_stopping", TUNING),
    ("tuning.early_stopping.elapsed", TUNING),
    ("tuning.early_stopping.max_steps", TUNING),
    ("tuning.early_stopping.min_steps", TUNING),
    ("tuning.early_stopping.min_measurements", TUNING),
    ("tuning.early_stopping.learning_rate", TUNING),
    ("tuning.early_stopping.update_all", TUNING),
];

/// What becomes of packages of Vertex AI's prebuilt images elsewhere.
pub(crate) const PACKAGES: Cover = Cover::Ruled("vertex/packages-elsewhere");

const BATCH: Cover = Cover::Ruled("slurm/batch-elsewhere");
const TUNING: Cover = Cover::Ruled("tuning/elsewhere");
const UPLOAD: Cover = Cover::Ruled("vertex/upload-elsewhere");
const REDUCTION: Cover = Cover::Ruled("reduction/elsewhere");

/// What is said of a field that is written in vain.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The code.
    pub code: Code,
    /// What is wrong, as a sentence without its period.
    pub why: &'static str,
    /// The mend.
    pub mend: Mend,
}

/// What is to be done about a field that is written in vain: a sentence, without its period.
#[derive(Clone, Copy, Debug)]
pub enum Mend {
    /// To leave it out, and nothing else, which is an edit.
    LeftOut(&'static str),
    /// What only whoever writes it can decide.
    Said(&'static str),
}

impl Answer {
    /// What is said at a place, as an error.
    fn told(&self, at: Span) -> Diagnostic {
        let Self { code, why, mend } = *self;
        let told = Diagnostic::error(code, why, at);
        match mend {
            Mend::LeftOut(help) => told.help(help).left_out(),
            Mend::Said(help) => told.help(help),
        }
    }
}

/// The codes of what is only warned of, which `allow` reaches.
pub(crate) fn advice() -> impl Iterator<Item = &'static str> {
    let tables = [
        kubernetes::COVERAGE,
        slurm::COVERAGE,
        vertex::COVERAGE,
        terraform::GKE,
        terraform::SHARED,
        images::COVERAGE,
        packer::COVERAGE,
    ];
    let rows = tables.into_iter().flatten().flat_map(|(_, rows)| rows.iter().copied().flatten());
    let ignored = rows.filter_map(|(_, cover)| match cover {
        Cover::Ignored(answer) | Cover::Only(_, answer) => Some(answer.code.name),
        _ => None,
    });
    ignored.chain(
        [EXISTING_UNUSED, OUTPUT_NOWHERE, PATCH_OTHER_PLATFORM, STORAGE_UNMANAGED]
            .map(|it| it.name),
    )
}

/// Says of every field that is written in vain what its platform does with it; what is only warned of may be allowed.
pub(crate) fn tell(plan: Sound<'_>, out: &mut Output) {
    let mut used = BTreeSet::new();
    for it in plan.nouns() {
        let noun = it.noun();
        let (platform, place) = standing(plan, it);
        let rows =
            platform.map_or_else(|| shared(noun.kind()), |platform| platform.rows(noun.kind()));
        let Some(rows) = rows else { continue };
        for (field, cover) in rows.clone().filter(|(_, cover)| cover.may_answer()) {
            for span in written(noun, field) {
                if said_around(&rows, it, field, *cover) {
                    break;
                }
                let Some(told) = answered(plan, it, field, *cover, span) else { continue };
                if let Some(allow) = allowance(plan, noun, &told) {
                    used.insert(allow);
                    continue;
                }
                out.diagnostics.push(standing_on(told, platform, place));
            }
        }
        for told in noun.patches.iter().filter_map(|patch| patched_in_vain(noun, patch, platform?))
        {
            match allowance(plan, noun, &told) {
                Some(allow) => _ = used.insert(allow),
                None => out.diagnostics.push(standing_on(told, platform, place)),
            }
        }
    }
    homeless(plan, &mut used, out);
    let advice: BTreeSet<&str> = advice().collect();
    needless(plan, used, |code| advice.contains(code), out);
}

/// The same with where the noun runs.
fn standing_on(told: Diagnostic, platform: Option<Platform>, place: Option<Span>) -> Diagnostic {
    match (platform, place) {
        (Some(platform), Some(place)) => {
            told.also(place, format!("it runs on {}", platform.title()))
        }
        _ => told,
    }
}

/// A patch of a document that a run has on other platforms alone.
fn patched_in_vain(noun: &Noun, patch: &Patch, here: Platform) -> Option<Diagnostic> {
    let has = |it: &Platform| it.target().patches().contains(&(&*patch.target, noun.kind()));
    let others: Vec<&str> = Platform::ALL.into_iter().filter(has).map(Platform::title).collect();
    if others.is_empty() || has(&here) {
        return None;
    }
    let message = format!(
        "`patch {}` changes nothing: a {} has that document on {} alone",
        patch.target,
        noun.kind(),
        others.join(" and ")
    );
    let told = Diagnostic::warning(PATCH_OTHER_PLATFORM, message, patch.span);
    Some(told.help("leave it out, or allow it where the run moves between platforms"))
}

/// Whether the same is said of the whole field that this one is an argument in.
fn said_around(rows: &Rows, it: Any<'_>, field: &str, cover: Cover) -> bool {
    let code = |cover: Cover| match cover {
        Cover::Ignored(answer) | Cover::Refused(answer) => Some(answer.code.name),
        Cover::Only(holds, answer) if !holds(it) => Some(answer.code.name),
        Cover::Making => Some(EXISTING_UNUSED.name),
        _ => None,
    };
    let outers = field.match_indices('.').filter_map(|(at, _)| field.get(..at));
    let mut around = outers.filter_map(|outer| rows.clone().find(|(name, _)| *name == outer));
    around.any(|(_, around)| code(cover).is_some() && code(cover) == code(*around))
}

/// Says of `output` statements that no root holds them, where there is none. They stand in no noun, so any may allow it.
fn homeless(plan: Sound<'_>, used: &mut BTreeSet<Span>, out: &mut Output) {
    if plan.outputs().is_empty() || terraform::has_roots(plan) {
        return;
    }
    let allowed = plan.nouns().flat_map(|it| &it.noun().allowed);
    let allowed = allowed.filter(|(code, _)| *code == OUTPUT_NOWHERE.name);
    let spans: Vec<Span> = allowed.map(|(_, span)| *span).collect();
    if !spans.is_empty() {
        used.extend(spans);
        return;
    }
    for (name, placed) in plan.outputs() {
        let message =
            format!("output `{name}` is written nowhere: nothing here is made by Terraform");
        let told = Diagnostic::warning(OUTPUT_NOWHERE, message, placed.span);
        out.diagnostics.push(
            told.help("leave the output out, or let it refer to something that Terraform makes"),
        );
    }
}

/// Where a noun, or one that it is declared in, allows what a warning says, or that a patch overrules a field.
pub(crate) fn allowance(plan: Sound<'_>, noun: &Noun, told: &Diagnostic) -> Option<Span> {
    let around = std::iter::successors(Some(noun), |noun| noun.parent.map(|it| plan.noun(it)));
    let allowed = around.flat_map(|noun| &noun.allowed);
    let mut spans = allowed.filter(|(code, _)| *code == told.code).map(|(_, span)| *span);
    spans.next().filter(|_| told.severity == Severity::Warning || crate::owned::yields(&told.code))
}

/// Allowances that were not needed, of some codes.
pub(crate) fn needless(
    plan: Sound<'_>,
    mut used: BTreeSet<Span>,
    of: impl Fn(&str) -> bool,
    out: &mut Output,
) {
    let allowed = plan.nouns().flat_map(|it| &it.noun().allowed);
    for (code, span) in allowed.filter(|(code, _)| of(code)) {
        if used.insert(*span) {
            let message =
                format!("nothing here is warned of as `{code}`, so it need not be allowed");
            let told = Diagnostic::warning(ALLOW_NEEDLESS, message, *span);
            out.diagnostics.push(told.help("remove the allowance").left_out());
        }
    }
}

/// What is said of a field where it is written.
fn answered(
    plan: Sound<'_>,
    it: Any<'_>,
    field: &str,
    cover: Cover,
    span: Span,
) -> Option<Diagnostic> {
    let noun = it.noun();
    match cover {
        Cover::Ignored(answer) => Some(answer.told(span).doubtful()),
        Cover::Only(holds, answer) => (!holds(it)).then(|| answer.told(span).doubtful()),
        Cover::Refused(answer) => Some(answer.told(span)),
        Cover::Making if exists(plan, it) => {
            let message = format!(
                "`{field}` says how a {} is made, and {} exists already",
                noun.kind(),
                noun.path
            );
            let help =
                format!("leave `{field}` out and see to it where the {} is made", noun.kind());
            Some(Diagnostic::warning(EXISTING_UNUSED, message, span).help(help).left_out())
        }
        Cover::Managed if is_unmanaged(it) => {
            let message = format!(
                "`{field}` says where Google Cloud holds a filesystem, and {} is held elsewhere",
                noun.path
            );
            let help = format!("leave `{field}` out: `storage` says where the files are");
            Some(Diagnostic::warning(STORAGE_UNMANAGED, message, span).help(help))
        }
        Cover::Making
        | Cover::Managed
        | Cover::Honoured
        | Cover::Noted(_)
        | Cover::NoEffect(_)
        | Cover::Ruled(_) => None,
    }
}

/// Whether a filesystem is someone's server, or a folder of the nodes.
fn is_unmanaged(it: Any<'_>) -> bool {
    matches!(it, Any::Filesystem(filesystem) if !filesystem.body.storage.value.is_managed())
}

/// Whether a noun is `existing`, or is part of one that is; a filesystem that Google Cloud does not hold always is.
fn exists(plan: Sound<'_>, it: Any<'_>) -> bool {
    let noun = it.noun();
    let above = noun.parent.map(|parent| plan.noun(parent));
    noun.existing || is_unmanaged(it) || above.is_some_and(|above| above.existing)
}

/// The platform that a noun is part of, or runs on and then where the blueprint says so; none for what all of them share.
fn standing(plan: Sound<'_>, it: Any<'_>) -> (Option<Platform>, Option<Span>) {
    let run = match it {
        Any::Workload(workload) => workload.plan,
        Any::Group(group) => plan.run_of(group).plan,
        Any::GkeCluster(_) | Any::Pool(_) | Any::Queue(_) => return (Some(Platform::Gke), None),
        Any::SlurmCluster(_) | Any::Partition(_) => return (Some(Platform::Slurm), None),
        Any::VertexCluster(_) => return (Some(Platform::Vertex), None),
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Filesystem(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Image(_) => return (None, None),
    };
    let platform = match run.site {
        Site::Gke(_) => Platform::Gke,
        Site::Slurm(_) => Platform::Slurm,
        Site::Vertex(_) => Platform::Vertex,
    };
    (Some(platform), Some(run.lead().program.place.span))
}

/// Where a field is written: a default stands where what surrounds it does.
fn written(noun: &Noun, field: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (first, inner) = field.split_once('.').unwrap_or((field, ""));
    match noun.fields.get(first) {
        _ if field.is_empty() => found.push(noun.span),
        Some(it) if !inner.is_empty() => arguments(&it.value, it.span, inner, &mut found),
        Some(it) if it.span != noun.span => found.push(it.span),
        _ => {}
    }
    found
}

/// Where an argument is written in the constructors that a value is made of. What a map holds has no name that a row knows:
/// `env.key` is of the constructors in `env`, whatever the variables are called.
fn arguments(value: &Value, around: Span, path: &str, found: &mut Vec<Span>) {
    let (first, inner) = path.split_once('.').unwrap_or((path, ""));
    match value {
        Value::Variant(_, record) => match record.get(first) {
            Some(it) if !inner.is_empty() => arguments(&it.value, it.span, inner, found),
            Some(it) if it.span != around => found.push(it.span),
            _ => {}
        },
        Value::List(items) => {
            items.iter().for_each(|item| arguments(&item.value, item.span, path, found));
        }
        Value::Record(map) => {
            map.values().for_each(|item| arguments(&item.value, item.span, path, found));
        }
        _ => {}
    }
}

/// Whether it is a partition whose nodes Cluster Toolkit has Cloud TPU make.
pub(crate) fn makes_tpus(it: Any<'_>) -> bool {
    matches!(it, Any::Partition(partition) if partition.plan.machine.tpu.is_some())
        && is_on_cloud(it)
}

/// Whether it is made on Google Cloud, or part of what is.
pub(crate) fn is_on_cloud(it: Any<'_>) -> bool {
    match it {
        Any::SlurmCluster(cluster) => cluster.plan.cloud.is_some(),
        Any::Partition(partition) => partition.plan.set.is_some(),
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Filesystem(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Image(_)
        | Any::GkeCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::MachineImage(_)
        | Any::Machines(_)
        | Any::Queue(_)
        | Any::Workload(_)
        | Any::Group(_) => false,
    }
}
