//! Nouns that have another owner on the other side: `existing` there and made here, or made there and `existing` here.

use super::before::Before;
use super::former::is_existing;
use slipform_analysis::Analysis;
use slipform_changes::{Change, File, Handed, let_go, take_over};
use slipform_model::Noun;
use slipform_model::plan::Plan;
use slipform_targets::Stage;
use slipform_targets::left_behind::{LeftBehind, Released, Remains};
use slipform_targets::terraform::addresses;

/// Corrects what is told of them: no command destroys what others own, and nothing is made where something is.
pub(super) fn tell(found: &mut [Change], before: &Before, now: &Analysis, old: &[File<'_>]) {
    let Some(plan) = &now.plan else { return };
    let changed = plan.model.nouns.iter().filter_map(|noun| {
        let then = before.nouns.called(&noun.outside.path)?;
        let is_existing = is_existing(&plan.model, noun);
        let is_handed = then.kind == noun.kind() && then.existing != is_existing;
        let origin = if is_existing { &then.origin } else { &noun.origin };
        is_handed.then(|| (is_existing, handed(plan, noun, origin)))
    });
    let (given, taken): (Vec<_>, Vec<_>) = changed.partition(|(is_given, _)| *is_given);
    let nouns = |all: Vec<(bool, Handed)>| all.into_iter().map(|it| it.1).collect::<Vec<_>>();
    let_go(found, old, &nouns(given));
    take_over(found, &nouns(taken));
}

/// A noun, and what Terraform keeps of it.
fn handed(plan: &Plan, noun: &Noun, origin: &str) -> Handed {
    let (root, blocks) = addresses(plan, noun.id)
        .map(|(stage, blocks)| (stage.folder().to_string(), blocks))
        .unwrap_or_default();
    Handed { origin: origin.to_owned(), root, blocks, forget: forget(plan, noun) }
}

/// What lets Terraform forget the folder of a cluster.
fn forget(plan: &Plan, noun: &Noun) -> Vec<String> {
    let name = plan.name(noun.id).filter(|_| noun.kind() == "cluster");
    let folder = name.map(|name| Stage::Cluster(name.to_owned()).folder());
    let released = Released::Root;
    let remains = Remains::Resources { protected: false, released, made: None };
    folder.map_or_else(Vec::new, |folder| LeftBehind { folder, remains }.commands())
}
