//! What a build tells besides what it wrote: what a former build knew and this blueprint says otherwise.

use crate::manifest::Manifest;
use crate::stop::problem;
use camino::Utf8Path;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Severity};
use slipform_targets::Applied;
use slipform_targets::left_behind::{LEFT_BEHIND, LeftBehind, Remains};
use slipform_targets::terraform::addresses;

/// One warning for each folder that stays though the blueprint asks for it no more.
pub(super) fn left_behind(shown: &Utf8Path, left: &[LeftBehind]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = left
        .iter()
        .map(|left| {
            let message = format!(
                "the blueprint has `{}`{} no more, but what was applied from it may still be there",
                shown.join(&left.folder),
                place(&left.remains),
            );
            let commands = left.commands().join("\n");
            warning("output/left-behind", message).help(format!("in `{shown}`: {commands}"))
        })
        .collect();
    if let Some(last) = told.last_mut() {
        let page = shown.join(LEFT_BEHIND);
        last.help.push(format!(
            "`{page}` has all of it, to be done before the rest is applied; then build with `--prune`"
        ));
    }
    told
}

/// Where the objects of a folder are.
fn place(remains: &Remains) -> String {
    match remains {
        Remains::Objects { applied: Some(Applied { cluster, namespace }), .. } => {
            format!(" in the namespace `{namespace}` of the cluster `{cluster}`")
        }
        _ => String::new(),
    }
}

/// One warning for each noun that was someone else's and is made from now on.
pub(super) fn taken_over(last: &Manifest, plan: &Plan) -> Vec<Diagnostic> {
    let nouns = plan.model.nouns.iter().filter(|noun| !noun.existing);
    let nouns = nouns.filter(|noun| last.existing.contains(&noun.path));
    nouns
        .filter_map(|noun| {
            let (stage, addresses) = addresses(plan, noun.id)?;
            let message = format!(
                "`{}` was someone else's at the last build and is made from now on",
                noun.path
            );
            Some(warning("output/taken-over", message).help(format!(
                "where it exists, making it is refused; let Terraform take it over first: terraform -chdir={} import {} ID",
                stage.folder(),
                addresses.first()?
            )))
        })
        .collect()
}

fn warning(code: &'static str, message: String) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..problem(code, message) }
}
