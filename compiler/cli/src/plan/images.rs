//! Images that are built anew under the name that they have already: nothing else of the output differs, and runs get what is new.

use super::perhaps::Advice;
use super::reach::runs;
use slipform_changes::{Change, Effect, File};
use slipform_model::graph::EdgeKind;
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};

/// What is told of each: the runs that start from it.
pub(super) fn advice(plan: &Plan, old: &[File<'_>], found: &[Change]) -> Vec<Advice> {
    let images = plan.model.nouns.iter().filter(|noun| noun.kind() == "image");
    let told = images.filter_map(|image| {
        let is_built = |it: &&Change| it.origin == image.origin && it.effect == Effect::NextStart;
        let root = &found.iter().find(is_built)?.root;
        let users: Vec<NounId> = users(plan, image).collect();
        let name = users.iter().find_map(|id| Some(plan.gang(*id)?.image.clone()))?;
        let pushes = |it: &&File<'_>| it.path.starts_with(root.as_str()) && it.text.contains(&name);
        old.iter().find(pushes)?;
        let runs: Vec<String> = runs(plan, users.into_iter()).iter().map(|it| format!("`{it}`")).collect();
        let help = format!(
            "its tag is as it was, so that {} goes on with another image from its next start on: another `tag` makes that a change of the run",
            runs.join(", ")
        );
        Some(Advice { of: vec![image.origin.clone()], help })
    });
    told.collect()
}

/// The nodes of runs that start from an image.
fn users(plan: &Plan, image: &Noun) -> impl Iterator<Item = NounId> {
    let edges = plan
        .graph
        .edges()
        .filter(|(_, to, edge)| *to == image.id && edge.kind == EdgeKind::BuiltFrom);
    edges.map(|(from, ..)| from)
}
