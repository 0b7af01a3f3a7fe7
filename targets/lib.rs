//! From a plan to files: one folder a target. A target knows only the model; it returns artifacts in memory, or
//! diagnostics that name what it cannot express. Nothing here reads or writes a disk.

mod artifact;
mod chains;
mod codes;
pub mod coverage;
mod gcloud;
mod images;
pub mod kubernetes;
mod labels;
mod launch;
pub mod left_behind;
mod on_image;
mod on_nodes;
mod owned;
mod packer;
mod patch;
pub mod patchable;
mod readme;
mod relied;
mod rights;
mod shell;
mod slurm;
mod stage;
mod template;
pub mod terraform;
mod toolkit;
mod vertex;

pub use artifact::{Applied, Artifact, Output, by_folders};
pub use codes::{advice, codes, refusals};
pub use readme::readme;
pub use rights::users_of_rights;
pub use slipform_document as document;
pub use slipform_schema as schema;
pub use stage::Stage;

use slipform_model::Diagnostic;
use slipform_model::plan::{Gap, Plan, Sound};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    PLAN_UNSOUND = "plan/unsound":
        "what the blueprint says does not hold together, and a rule that would have said so was allowed to be broken",
        "remove the `allow`, and mend what the rule then reports";
}

/// One kind of consumer of artifacts.
pub trait Target: Sync {
    /// As `--target` names it.
    fn name(&self) -> &'static str;

    /// What it writes, in one line, for `slipform build --help` and the documentation.
    fn about(&self) -> &'static str;

    /// The documents that a `patch` block may name, each with the kind of noun that it may stand in.
    fn patches(&self) -> &'static [(&'static str, &'static str)];

    /// Writes what it can and says what it cannot.
    fn render(&self, plan: Sound<'_>, out: &mut Output);
}

/// Every target. A new one is a folder here and a line in this table.
pub const TARGETS: &[&dyn Target] = &[
    &terraform::Terraform,
    &gcloud::Gcloud,
    &images::Images,
    &packer::Packer,
    &kubernetes::Kubernetes,
    &slurm::Slurm,
    &toolkit::Toolkit,
    &vertex::Vertex,
];

/// Renders a plan for the targets that are named, or for all where none is, with a page that says how
/// to apply what came out. Artifacts come sorted by path.
pub fn render(plan: &Plan, only: &[&str]) -> Output {
    match plan.sound() {
        Ok(plan) => rendered(plan, only),
        Err(gap) => {
            let mut out = Output::default();
            out.diagnostics.push(unsound(gap));
            out
        }
    }
}

/// What no target could go on from: a rule that would have said more was allowed to be broken.
fn unsound(gap: Gap<'_>) -> Diagnostic {
    let Gap { noun, lack, allowed } = gap;
    let path = &noun.path;
    let (what, span) =
        lack.map_or((String::new(), noun.span), |it| (format!(": {}", it.what), it.span));
    let message = format!("nothing can be written while `{path}` does not hold together{what}");
    let told = Diagnostic::error(PLAN_UNSOUND, message, span);
    let is_rule = |it: &&(String, Span)| codes().all(|known| known.name != it.0);
    let rules: Vec<&(String, Span)> = allowed.into_iter().filter(is_rule).collect();
    let told = rules
        .iter()
        .fold(told, |told, (code, span)| told.also(*span, format!("`{code}` may be broken here")));
    match rules.as_slice() {
        [] => told.help("keep the rule that an `allow` lets it break"),
        [(code, _)] => told.help(format!("remove `allow {code}`, and mend what it then reports")),
        _ => {
            told.help("remove the `allow` of the rule that says so, and mend what it then reports")
        }
    }
}

/// What all targets have to say of a plan, for somebody who writes nothing: as much as [`render`] says.
pub fn problems(plan: &Plan) -> Vec<Diagnostic> {
    match plan.sound() {
        Ok(plan) => spelled(plan, &[], Output::unread()).diagnostics,
        Err(gap) => vec![unsound(gap)],
    }
}

fn rendered(plan: Sound<'_>, only: &[&str]) -> Output {
    let mut out = spelled(plan, only, Output::default());
    if !out.artifacts.is_empty() {
        match readme(plan, &out.artifacts) {
            Ok(page) => out.artifacts.push(page),
            Err(unspelled) => out.diagnostics.push(*unspelled),
        }
    }
    out.artifacts.sort_by(|a, b| by_folders(&a.path, &b.path));
    out
}

/// What targets write, without the page about it.
fn spelled(plan: Sound<'_>, only: &[&str], mut out: Output) -> Output {
    patch::refuse_strangers(plan, &mut out);
    coverage::tell(plan, &mut out);
    for target in TARGETS {
        if only.is_empty() || only.contains(&target.name()) {
            target.render(plan, &mut out);
        }
    }
    owned::settle(plan, only.is_empty(), &mut out);
    out
}
