//! What a build tells besides what it wrote: what a former build knew and this blueprint says otherwise.

use super::Build;
use crate::blueprint::Blueprint;
use crate::folder::{Content, Folder};
use crate::manifest::Manifest;
use camino::Utf8Path;
use slipform_changes::may_be_made;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, NounId};
use slipform_source::Code;
use slipform_targets::left_behind::{FormerMachines, LEFT_BEHIND, LeftBehind, Remains};
use slipform_targets::terraform::{CLUSTER, addresses};
use slipform_targets::{Applied, Stage};

slipform_source::codes! {
    pub(crate) CODES;
    OUTPUT_ENVIRONMENT_GONE = "output/environment-gone":
        "a folder was built for an environment that the blueprint has no more",
        "follow \"Tear down\" of the folder's `README.md`, then remove the folder";
    OUTPUT_FORMER_MACHINES = "output/former-machines":
        "what commands made is where the scripts of this build do not look for it",
        "run the command that the warning has, which takes the former away, or look whether it is gone already";
    OUTPUT_LEFT_BEHIND = "output/left-behind":
        "a folder is not asked for any more, but what was applied from it may still be there",
        "run the commands of `LEFT-BEHIND.md`, then `slipform build --prune`";
    OUTPUT_OTHER_PROJECT = "output/other-project":
        "the output folder was built for another project before; what was applied there stays, and is paid for",
        "follow `LEFT-BEHIND.md`, or build each project into a folder of its own with `--out`";
    OUTPUT_TAKEN_AWAY = "output/taken-away":
        "the next `terraform apply` destroys an account or a bucket that running workloads may still use",
        "start what uses it anew without it first; where it was renamed, let the noun say so: `was = \"name\"` keeps it";
    OUTPUT_TAKEN_OVER = "output/taken-over":
        "a noun was `existing` at the last build and is not any more: Terraform would make what is there",
        "let Terraform take it over before it is applied: `terraform import ADDRESS ID`";
}

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
            warning(OUTPUT_LEFT_BEHIND, message).help(format!("in `{shown}`: {commands}"))
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

/// One warning for each script that takes away something else from now on, while what it took away may still be there.
pub(super) fn former_machines(former: &[FormerMachines]) -> Vec<Diagnostic> {
    let told = former.iter().map(|former| {
        let message = format!(
            "what commands made of `{}` may still be where no script looks for it from now on, and is paid for",
            former.folder
        );
        let help = format!("this takes it away: {}", former.command);
        let page = format!("`{LEFT_BEHIND}` keeps that; then build with `--prune`");
        warning(OUTPUT_FORMER_MACHINES, message).help(help).help(page)
    });
    told.collect()
}

/// One warning for each project that the folder was built for before.
pub(super) fn other_projects(
    shown: &Utf8Path,
    now: Option<&str>,
    before: &[String],
) -> Vec<Diagnostic> {
    let page = shown.join(LEFT_BEHIND);
    let told = before.iter().map(|project| {
        let now = now.map_or("no project".to_owned(), |now| format!("the project `{now}`"));
        let message = format!(
            "`{shown}` was built for the project `{project}` and is built for {now} from now on; what was applied in `{project}` stays there, and is paid for"
        );
        warning(OUTPUT_OTHER_PROJECT, message).help(format!(
            "`{page}` says how it is taken away; where both shall stand, build each into a folder of its own with `--out`"
        ))
    });
    told.collect()
}

/// One warning for each folder that was built for an environment which the blueprint has no more.
pub(super) fn gone_environments(blueprint: &Blueprint, builds: &[Build]) -> Vec<Diagnostic> {
    let Some(project) = builds.first().map(|build| &build.project) else { return Vec::new() };
    let is_known = |name: &String| {
        project.environments.contains(name)
            || builds.iter().any(|build| build.plan.model.environment == *name)
    };
    let out = Folder {
        shown: blueprint.base.join(&project.out),
        at: blueprint.folder.join(&project.out),
    };
    let own = |name: &str| builds.iter().any(|build| build.plan.model.name == name);
    let gone = out.environments(own).into_iter().filter(|(name, _)| !is_known(name));
    let told = gone.map(|(name, Folder { shown, .. })| {
        let message = format!(
            "`{shown}` was built for the environment `{name}`, which the blueprint has no more; what was applied from it may still be there"
        );
        warning(OUTPUT_ENVIRONMENT_GONE, message).help(format!(
            "follow \"Tear down\" of `{shown}/README.md`, then remove the folder; a renamed environment has a state and objects of its own"
        ))
    });
    told.collect()
}

/// Where the objects of a folder are.
fn place(remains: &Remains) -> String {
    match remains {
        Remains::Objects { applied: Some(Applied { cluster, namespace, place, .. }), .. } => {
            let cluster = place.as_ref().unwrap_or(cluster);
            match namespace.as_str() {
                "" => format!(" in the cluster `{cluster}`"),
                _ => format!(" in the namespace `{namespace}` of the cluster `{cluster}`"),
            }
        }
        _ => String::new(),
    }
}

/// One warning for each noun that was someone else's and is made from now on.
pub(super) fn taken_over(last: &Manifest, plan: &Plan, content: &Content) -> Vec<Diagnostic> {
    let nouns = plan.model.nouns.iter().filter(|noun| !noun.existing);
    // what was another project's is there still, under a name that is free here
    let here = |noun: &&slipform_model::Noun| {
        let then = last.place_of(&noun.outside.path);
        then.is_none_or(|then| crate::plan::place(plan, noun).as_ref() == Some(then))
    };
    let nouns = nouns.filter(|noun| last.existing.contains(&noun.outside.path)).filter(here);
    nouns
        .filter_map(|noun| {
            let (import, rest) = import(plan, noun.id, content)?;
            let message = format!(
                "`{}` was someone else's at the last build and is made from now on",
                noun.path
            );
            Some(warning(OUTPUT_TAKEN_OVER, message).help(format!(
                "where it exists, making it is refused; let Terraform take it over first: {import}{rest}"
            )))
        })
        .collect()
}

/// What lets Terraform take over a noun that this output makes, and what is to be said besides.
fn import(plan: &Plan, id: NounId, content: &Content) -> Option<(String, &'static str)> {
    let cluster = plan.model.get(id).filter(|noun| matches!(noun.body, Body::GkeCluster(_)));
    let (stage, all, rest) = match cluster.and(plan.name(id)) {
        Some(name) => (Stage::Cluster(name.to_owned()), vec![CLUSTER.to_owned()], OF_CLUSTER),
        None => addresses(plan, id).map(|(stage, all)| (stage, all, BESIDES))?,
    };
    let folder = stage.folder();
    // of all that a noun may be made as it is one: a disk, or an instance of Filestore
    let is_made = |address: &&String| {
        let Some((kind, label)) = address.split_once('.') else { return false };
        let block = format!("resource \"{kind}\" \"{label}\"");
        let mut files = content.files.iter().filter(|it| it.path.starts_with(&folder));
        !may_be_made(kind) && files.any(|it| it.content.contains(&block))
    };
    let mut made = all.iter().filter(is_made);
    let first = made.next()?;
    let is_all = cluster.is_none() && made.next().is_none();
    let rest = if is_all { "" } else { rest };
    Some((format!("terraform -chdir={folder} import {first} ID"), rest))
}

/// Where the rest is named of what is taken over.
const OF_CLUSTER: &str = ", and so what else is there of its pools, networks and accounts: `slipform plan` against the former revision lists it";
const BESIDES: &str =
    ", and so what else is there of it: `slipform plan` against the former revision lists it";

/// What running workloads hold on to, and Terraform destroys without being stopped.
const HELD: [&str; 2] = ["google_service_account", "google_storage_bucket"];

/// One warning for each account and bucket that a root, which stays, has no more.
pub(super) fn taken_away(folder: &Folder, last: &Manifest, content: &Content) -> Vec<Diagnostic> {
    let terraform = |path: &Utf8Path| path.extension() == Some("tf");
    let mut told = Vec::new();
    for entry in last.artifacts.iter().filter(|entry| terraform(&entry.path)) {
        let Some(root) = entry.path.parent() else { continue };
        let files = || content.files.iter().filter(|file| file.path.parent() == Some(root));
        if !files().any(|file| terraform(&file.path)) {
            continue;
        }
        let before = folder.text(&entry.path);
        for (head, address) in before.lines().filter_map(held) {
            let end = format!("{address}\n");
            let is_kept = |text: &str| text.contains(head) || text.contains(&end);
            if files().any(|file| is_kept(&file.content)) {
                continue;
            }
            let message = format!(
                "`{root}` has `{address}` no more: the next `terraform apply` there destroys it, and what still runs with it loses its rights or its files at once"
            );
            told.push(warning(OUTPUT_TAKEN_AWAY, message).help(
                "first start what uses it anew without it; where it was renamed, let the noun say so: `was = \"name\"` keeps it",
            ));
        }
    }
    told
}

/// `resource "google_storage_bucket" "data" {`, with the address of the resource.
fn held(line: &str) -> Option<(&str, String)> {
    let mut words = line.strip_prefix("resource ")?.split_whitespace();
    let (kind, label) = (words.next()?.trim_matches('"'), words.next()?.trim_matches('"'));
    HELD.contains(&kind).then(|| (line, format!("{kind}.{label}")))
}

fn warning(code: Code, message: String) -> Diagnostic {
    Diagnostic::nowhere(code, message).doubtful()
}
