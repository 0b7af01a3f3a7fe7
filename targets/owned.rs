//! What fields of the blueprint say in documents that may be patched: a patch does not overrule it unasked. Where a document
//! says nothing its fields have said so: a patch that adds what a field would say overrules it as well.
//!
//! `owned.tsv` has a line for each path of a document: the fields that change what stands there, those of the patched noun
//! by their names, others behind the kind of theirs. Tests make it by changing every field (`tests/coverage.rs`). What no
//! field says, and the rest goes by all the same, is in `relied.tsv`.

use crate::coverage::allowance;
use crate::document::Node;
use crate::patch::locate;
use crate::relied::{self, PATCH_RELIED};
use crate::schema::{Met, Overruled};
use crate::{Output, patch};
use slipform_model::plan::Sound;
use slipform_model::{Diagnostic, Noun, Patch, Placed, Severity};
use slipform_source::{Code, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) PATCH_OWNED = "patch/owned":
        "a patch overrules what a field of the blueprint says: rules, and whatever else follows from the field, go by the field",
        "set the field instead, or allow this with a reason";
}

/// The most fields that are named.
const NAMED: usize = 3;

/// What a patch may add though fields say it, with the reason.
const FREE: &[(&str, &str, &str)] = &[
    ("bucket", "lifecycle_rule.condition.age", "how old, of a rule whose `action` is what counts"),
    ("cluster", "addons_config.", "nouns turn on what they need, and nothing needs one to be off"),
    ("network", "deletion_policy", "what is kept more strictly than its clusters ask for is kept"),
    ("subnetwork", "deletion_policy", "the same"),
    ("filesystem", "timeouts.", "how long an apply waits for a server that has no such limit"),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template.metadata.annotations.gke-gcsfuse/",
        "volumes of a patch are mounted by the same sidecar",
    ),
    (
        "jobset",
        "spec.replicatedJobs.template.spec.template.spec.containers.resources.requests.ephemeral-storage",
        "what a container writes beside its mounts, which is held to the disk of a node",
    ),
    ("sbatch", "account", "who is billed: nothing here goes by it"),
    ("sbatch", "comment", "read by people alone"),
    ("sbatch", "nice", "an order among jobs of others"),
    ("sbatch", "qos", "what a site gives to whom: nothing here goes by it"),
    ("slurm_conf", "MessageTimeout", "what no network of GPUs asks for, is a site's own"),
    ("slurm_conf", "SlurmctldParameters", "words beside those of fields, which are not there"),
];

/// Lists that a patch says whole: what goes by the words that are there is told of each that is left out.
const WHOLE: &[(&str, &str)] = &[("slurm_conf", "SchedulerParameters")];

/// What is true where a document does not say it: `false` is something else there.
const TRUE_BY_ITSELF: [&str; 1] = ["automountServiceAccountToken"];

/// Beginnings of the names of variables that rules, launchers, fabrics or platforms go by.
const VARIABLES: [&str; 31] = [
    "AIP_",
    "CLOUD_ML_",
    "CLUSTER_SPEC",
    "CUDA_",
    "GLOO_",
    "GPU_",
    "HSA_",
    "JAX_",
    "JOB_COMPLETION_INDEX",
    "KUBERNETES_",
    "LD_",
    "LOCAL_",
    "MASTER_",
    "MEGASCALE_",
    "NCCL_",
    "NNODES",
    "NODE_RANK",
    "NPROC_",
    "NVIDIA_",
    "NVSHMEM_",
    "OMPI_",
    "OMP_NUM_THREADS",
    "PATH",
    "PJRT_",
    "RANK",
    "SLURM_",
    "TF_CONFIG",
    "TORCH_",
    "TPU_",
    "UCX_",
    "WORLD_SIZE",
];

/// Errors that let themselves be allowed: the document is as whole with them as without.
const YIELDING: [Code; 2] = [PATCH_OWNED, PATCH_RELIED];

/// What is told of patches and may be allowed: what they overrule, and what is only warned of.
pub(crate) fn allowed() -> impl Iterator<Item = Code> {
    let doubts = crate::kubernetes::held::DOUBTS.iter().copied();
    YIELDING.into_iter().chain([crate::patch::PATCH_NEW_ITEM]).chain(doubts)
}

fn may_be_allowed(name: &str) -> bool {
    allowed().any(|code| code.name == name)
}

/// Whether an error lets itself be allowed.
pub(crate) fn yields(code: &str) -> bool {
    YIELDING.iter().any(|known| known.name == code)
}

/// Whether this is told of what no longer fits once patches are merged.
fn is_held(code: &str) -> bool {
    use crate::{kubernetes::held, terraform::patch::TOGETHER};
    let mut all = [held::CODES, held::DOUBTS, TOGETHER].into_iter().flatten();
    all.any(|known| known.name == code) || crate::patch::PATCH_NEW_ITEM.name == code
}

/// What a patch overrules of what fields say, and of what all else goes by.
pub(crate) fn told(noun: &Noun, patch: &Patch, met: &Met) -> Vec<Diagnostic> {
    let place = Placed { value: patch.value.clone(), span: patch.span };
    let values = || met.overruled.iter().chain(&met.added);
    let relied = values().chain(&met.items).filter_map(|it| {
        let row = relied::row(&patch.target, it).filter(|row| !row.allows(it))?;
        if row.is_apart(&patch.value, it) {
            return None;
        }
        let name = shown(&it.names);
        let message = match it.then {
            Node::Null => format!("a patch takes `{name}` away: {}", row.why),
            _ => format!("a patch {} of `{name}`: {}", says(it), row.why),
        };
        Some((PATCH_RELIED, message, row.instead, it))
    });
    let owned = values().filter(|it| relied::row(&patch.target, it).is_none()).filter_map(|it| {
        let fields = match it.is {
            Node::Null => owners_of_new(&patch.target, it),
            _ if WHOLE.contains(&(&patch.target, &it.names.join("."))) => None,
            _ => owners(&patch.target, it),
        };
        let owner = named(noun, &closest(&patch.target, &fields?));
        let message =
            format!("`{}` follows from {owner}, and a patch {}", shown(&it.names), says(it));
        Some((PATCH_OWNED, message, "set that instead", it))
    });
    let variables = met.items.iter().filter(|it| is_variable(it)).filter_map(|it| {
        let message = format!("`{}` follows from `env`, and a patch sets it", it.then.as_str()?);
        Some((
            PATCH_OWNED,
            message,
            "set it in `env`, where it is held to the nodes of the run",
            it,
        ))
    });
    let all = relied.chain(owned).chain(variables).map(|(code, message, instead, it)| {
        let help = format!("{instead}, or allow this with a reason: `allow {} \"...\"`", code.name);
        Diagnostic::error(code, message, locate(&place, &it.path)).help(help)
    });
    all.collect()
}

/// A field as people find it: with the one around it, where many are called so.
fn shown(names: &[String]) -> String {
    const COMMON: [&str; 5] = ["enabled", "key", "mode", "name", "type"];
    match names {
        [.., around, name] if COMMON.contains(&&**name) => format!("{around}.{name}"),
        [.., name] => name.clone(),
        [] => String::new(),
    }
}

/// What a patch does to a value, for the end of a sentence.
fn says(it: &Overruled) -> String {
    match (short(&it.is), short(&it.then)) {
        (_, _) if it.then == Node::Null => "takes it away".to_owned(),
        (Some(is), Some(then)) => format!("says {then} instead of {is}"),
        (_, Some(then)) if it.is == Node::Null => format!("says {then} where nothing is said"),
        (..) if it.is == Node::Null => "says it where nothing is said".to_owned(),
        (..) => "says something else".to_owned(),
    }
}

/// The fields that would say what stands nowhere yet.
fn owners_of_new(document: &str, it: &Overruled) -> Option<Vec<&'static str>> {
    let path = it.names.join(".");
    let name = it.names.last()?;
    let by_default = it.then == Node::Bool(false) && !TRUE_BY_ITSELF.contains(&name.as_str());
    let free = |row: &&(&str, &str, &str)| {
        row.0 == document
            && (row.1 == path || row.1.ends_with(['.', '/']) && path.starts_with(row.1))
    };
    if by_default || FREE.iter().any(|row| free(&row)) {
        return None;
    }
    let table = TABLE.get(document)?;
    let around =
        it.names.split_last().map(|(_, around)| [around.join("."), "*".to_owned()].join("."));
    let fields = table.get(path.as_str()).or_else(|| table.get(around?.as_str()))?;
    // what groups alone say is said of theirs; one more label contradicts none
    let counts = |field: &&str| !field.starts_with("group.") && !field.ends_with("labels");
    let fields: Vec<&str> = fields.split(' ').filter(counts).collect();
    (!fields.is_empty()).then_some(fields)
}

/// A variable of a container that has an `env`, under a name that something goes by.
fn is_variable(it: &Overruled) -> bool {
    let name = it.then.as_str().unwrap_or_default();
    it.names.ends_with(&["env".to_owned(), "name".to_owned()])
        && it
            .names
            .iter()
            .any(|key| ["containers", "containerSpec", "pythonPackageSpec"].contains(&&**key))
        && VARIABLES.iter().any(|head| name.starts_with(head))
}

/// Whether something of this has no form at all: what a patch overrules has one, and may be allowed.
pub(crate) fn stops(told: &[Diagnostic]) -> bool {
    told.iter().any(|it| it.severity == Severity::Error && !may_be_allowed(&it.code))
}

/// Takes away what is allowed; an allowance that is not needed is told where all targets were asked.
pub(crate) fn settle(plan: Sound<'_>, all: bool, out: &mut Output) {
    let nouns = || plan.nouns().map(|it| it.noun());
    let patched =
        |span: Span| nouns().find(|noun| noun.patches.iter().any(|it| patch::says(it, span)));
    let mut used = BTreeSet::new();
    out.diagnostics.retain(|told| {
        let noun = told.span().filter(|_| may_be_allowed(&told.code)).and_then(patched);
        let allow = noun.and_then(|noun| allowance(plan, noun, told));
        used.extend(allow);
        allow.is_none()
    });
    once(out);
    if all {
        crate::coverage::needless(plan, used, may_be_allowed, out);
    }
}

/// What a patch may not say is not asked for besides whether it fits.
fn once(out: &mut Output) {
    let yielding = out.diagnostics.iter().filter(|it| yields(&it.code));
    let places: BTreeSet<Span> = yielding.filter_map(Diagnostic::span).collect();
    out.diagnostics
        .retain(|it| !is_held(&it.code) || it.span().is_none_or(|span| !places.contains(&span)));
}

/// The fields that say what stands at a place; `None` where none does.
fn owners(document: &str, it: &Overruled) -> Option<Vec<&'static str>> {
    let table = TABLE.get(document)?;
    let around = (1..=it.names.len()).rev().find_map(|count| {
        let names = it.names.get(..count)?;
        let any =
            names.split_last().map(|(_, around)| [around.join("."), "*".to_owned()].join("."));
        table.get(names.join(".").as_str()).or_else(|| table.get(any?.as_str()))
    });
    let inside = || {
        let prefix = format!("{}.", it.names.join("."));
        let inside = table.iter().filter(|(path, _)| path.starts_with(&prefix));
        let fields: BTreeSet<&str> = inside.flat_map(|(_, fields)| fields.split(' ')).collect();
        (!fields.is_empty()).then(|| fields.into_iter().collect())
    };
    around.map(|fields| fields.split(' ').collect()).or_else(inside)
}

/// The fields that say least besides, those of the noun itself before others: what says a hundred things is seldom meant.
fn closest<'f>(document: &str, fields: &[&'f str]) -> Vec<&'f str> {
    let own = fields.iter().any(|field| !field.contains('.'));
    let fields = || fields.iter().filter(|field| own != field.contains('.')).copied();
    let says = |field: &str| {
        let all = TABLE.get(document).into_iter().flat_map(BTreeMap::values);
        all.filter(|fields| fields.split(' ').any(|it| it == field)).count()
    };
    let least = fields().map(says).min();
    fields().filter(|field| Some(says(field)) == least).collect()
}

/// `nodes` of the pool.
fn named(noun: &Noun, fields: &[&str]) -> String {
    let own: Vec<&&str> = fields.iter().filter(|field| !field.contains('.')).collect();
    let words = |fields: Vec<String>| match fields.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let most = |fields: Vec<String>| {
        let more = fields.len() > NAMED;
        let shown: Vec<String> = fields.into_iter().take(NAMED).collect();
        words(if more { [shown, vec!["others".to_owned()]].concat() } else { shown })
    };
    if own.is_empty() {
        let of = |field: &&str| match field.split_once('.') {
            Some((kind, field)) => format!("`{field}` of the {kind}"),
            None => format!("`{field}`"),
        };
        return most(fields.iter().map(of).collect());
    }
    format!(
        "{} of the {}",
        most(own.into_iter().map(|it| format!("`{it}`")).collect()),
        noun.kind()
    )
}

/// A value that has room in a sentence.
fn short(node: &Node) -> Option<String> {
    match node {
        Node::Bool(it) => Some(it.to_string()),
        Node::Int(it) => Some(it.to_string()),
        Node::Float(it) => Some(it.to_string()),
        Node::Str(text) if text.len() <= 40 && !text.contains('\n') => Some(format!("`{text}`")),
        Node::Str(_) | Node::Null | Node::Seq(_) | Node::Map(_) => None,
    }
}

type Table = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

/// The fields of each path of each document.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::new();
    for line in include_str!("owned.tsv").lines() {
        let mut words = line.split('\t');
        if let (Some(document), Some(path), Some(fields)) =
            (words.next(), words.next(), words.next())
        {
            table.entry(document).or_default().insert(path, fields);
        }
    }
    table
});
