//! Secrets of clusters that are made anew, or are other ones from now on, and of those that runs come to: no file has what runs read of them.

use super::again::new_clusters;
use super::before::Before;
use super::moved::{other_clusters, shown_here};
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, bare, on, without_secrets};
use slipform_model::NounId;
use slipform_model::nouns::Body;
use slipform_model::plan::{ClusterPlan, Plan};
use slipform_targets::Artifact;
use std::collections::BTreeSet;

/// The page of an output.
const PAGE: &str = "README.md";

/// Tells of those with the secrets that nobody made yet, and of clusters that have them from now on.
pub(super) fn tell(found: &mut Vec<Change>, before: &Before, (now, new): (&Analysis, &[Artifact])) {
    let page = new.iter().find(|it| it.path == PAGE).map(|it| it.content.as_str());
    let was_built = before.files.iter().find(|(path, _)| path == PAGE);
    let (Some(plan), Some(page), Some((_, former))) = (&now.plan, page, was_built) else { return };
    let mut made_anew: BTreeSet<NounId> = new_clusters(found, plan, new);
    made_anew.extend(other_clusters(before, plan, new));
    let clusters = plan.model.nouns.iter().filter(|it| matches!(it.body, Body::GkeCluster(_)));
    let several = clusters.clone().nth(1).is_some();
    let made = clusters.flat_map(|cluster| {
        let mut commands = made_in(plan, cluster.id, page);
        if !made_anew.contains(&cluster.id) {
            let there = made_in(plan, cluster.id, former);
            commands.retain(|it| !there.contains(it));
        }
        let given = move |it: &str| match several {
            true => on(it, &shown_here(plan, cluster)),
            false => it.to_owned(),
        };
        commands.into_iter().map(given)
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
    found.insert(at, without_secrets(PAGE, made));
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
