//! Secrets of clusters that are made anew, or are other ones from now on: nothing in them is there, and no file has what runs read of them.

use super::again::new_clusters;
use super::before::Before;
use super::moved::other_clusters;
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, bare, made_again, on};
use slipform_model::NounId;
use slipform_model::nouns::Body;
use slipform_model::plan::{ClusterPlan, Plan};
use slipform_targets::Artifact;
use std::collections::BTreeSet;

/// The page of an output.
const PAGE: &str = "README.md";

/// Tells of those with the secrets that nobody made yet.
pub(super) fn tell(found: &mut Vec<Change>, before: &Before, (now, new): (&Analysis, &[Artifact])) {
    let page = new.iter().find(|it| it.path == PAGE);
    let was_built = before.files.iter().any(|(path, _)| path == PAGE);
    let Some((plan, page)) = now.plan.as_ref().zip(page).filter(|_| was_built) else { return };
    let mut clusters: BTreeSet<NounId> = new_clusters(found, plan, new);
    clusters.extend(other_clusters(before, plan, new));
    let is_gke = |it: &&slipform_model::Noun| matches!(it.body, Body::GkeCluster(_));
    let several = plan.model.nouns.iter().filter(is_gke).nth(1).is_some();
    let made = clusters.into_iter().flat_map(|id| {
        let called = plan.model.get(id).filter(|_| several).map(|it| it.outside.path.clone());
        let commands = made_in(plan, id, page.content.as_str()).into_iter();
        commands.map(move |it| called.as_ref().map_or_else(|| it.to_owned(), |name| on(it, name)))
    });
    let made: Vec<String> = made.collect();
    if made.is_empty() {
        return;
    }
    let is_told = |it: &&mut Change| it.thing == "secrets" && it.file == PAGE;
    if let Some(told) = found.iter_mut().find(is_told) {
        told.commands.retain(|it| !made.iter().any(|made| bare(made) == it));
        told.commands.extend(made);
        return;
    }
    let at = found.iter().position(|it| it.effect >= Effect::ByHand).unwrap_or(found.len());
    found.insert(at, made_again(PAGE, made));
}

/// What the page of an output has whoever sets up a cluster of GKE make secrets by.
fn made_in<'p>(plan: &Plan, cluster: NounId, page: &'p str) -> Vec<&'p str> {
    let Some(ClusterPlan { name, location, .. }) = plan.cluster(cluster) else { return Vec::new() };
    let connects =
        format!("gcloud container clusters get-credentials {name} --location={location}");
    let is_of_it = |section: &&str| {
        let rest = section.lines().find_map(|line| line.strip_prefix(&connects));
        let project = rest.and_then(|rest| rest.split_once("--project=")?.1.split(' ').next());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            && plan.owner(cluster).zip(project).is_none_or(|(owner, said)| owner == said)
    };
    let sections = page.split("\n## Workloads on ").skip(1);
    let sections = sections.map(|it| it.split("\n## ").next().unwrap_or_default());
    let lines = sections.filter(is_of_it).flat_map(str::lines);
    lines.filter(|line| line.starts_with("kubectl create secret ")).collect()
}
