//! Another Google Cloud project: what is there stays where it is, and all of it is made in the other.
//!
//! README.md keeps the states of Terraform in a bucket of the project itself. Where it is another one, an apply finds no state: it
//! looks at nothing of the former, and destroys nothing there. It is told as replaced all the same: what runs there has to begin anew
//! in the other, and what is left behind is paid for until somebody destroys it.

use super::before::Before;
use super::elsewhere::TORN_DOWN;
use super::groups::Group;
use super::moved::name_places;
use super::words::arrow;
use slipform_changes::{Change, Detail, Effect, File, changes, destroyed, quoted, script_of};
use slipform_model::plan::Plan;
use slipform_targets::Artifact;
use std::collections::{BTreeMap, BTreeSet};

const STAYS: &str = "its state lies in a bucket of the former project: an apply finds none, and makes all of it in the other one; what there is goes on, and is paid for, until the former output is destroyed";

const ONE_BUCKET: &str = "where `$STATE` is the former bucket all the same, the apply destroys what is in the former project before it makes the other";

/// The folders that are applied in another project than before, each with both.
pub(crate) type Away = BTreeMap<String, (String, String)>;

/// Folders of both sides that say different projects.
pub(super) fn away(before: &Before, now: &[Artifact]) -> Away {
    let new: Vec<File<'_>> = super::files(now);
    let old = before.files.iter().map(|(path, text)| File { path, text });
    let new = projects(new.into_iter());
    let of_both = projects(old).into_iter().filter_map(|(root, then)| {
        let now = new.get(root)?;
        (*now != then).then(|| (root.to_owned(), (then.to_owned(), (*now).to_owned())))
    });
    of_both.collect()
}

/// The project of an output.
pub(super) fn project(now: &[Artifact]) -> Option<String> {
    projects(super::files(now).into_iter()).into_values().next().map(str::to_owned)
}

/// The files of the other side that an apply of this one knows of.
pub(super) fn known<'b>(before: &'b Before, away: &Away) -> Vec<File<'b>> {
    let files = before.files.iter().filter(|(path, _)| !away.contains_key(root(path)));
    files.map(|(path, text)| File { path, text }).collect()
}

/// What is told of them together.
pub(super) fn group(away: &Away, before: &Before, plan: Option<&Plan>) -> Option<Group> {
    let (then, now) = away.values().next()?;
    let model = &plan?.model;
    let name = before.name.as_deref().unwrap_or(&model.name);
    let holding = holding(before, away);
    let files: Vec<_> = before.files.iter().map(|(path, text)| File { path, text }).collect();
    let first = away.keys().rev().find(|root| holding.contains(*root)).or(away.keys().next_back());
    let there = changes(&files, &[]);
    let left = |(root, (then, now)): (&String, &(String, String))| {
        let prefix = quoted(&format!("prefix={name}/{}/{root}", model.environment));
        let commands = match root_of_toolkit(before, root) {
            true => vec![destroyed(root)],
            false => {
                let init = format!(
                    "terraform -chdir={root} init -reconfigure -backend-config=\"bucket={then}-terraform-state\" -backend-config={prefix}"
                );
                let made = script_of(root, &files);
                let destroy = format!("terraform -chdir={root} destroy");
                made.into_iter().chain([init, destroy]).collect()
            }
        };
        let why = if Some(root) == first { STAYS } else { "stays there, too" };
        let stopped_by =
            there.iter().find(|it| it.root == *root).and_then(|it| it.stopped_by.clone());
        Change {
            lifted_by: stopped_by.as_ref().map(|_| TORN_DOWN.to_owned()),
            stopped_by,
            commands,
            details: vec![Detail {
                path: "project".to_owned(),
                before: Some(then.clone()),
                after: Some(now.clone()),
            }],
            thing: "state".to_owned(),
            leaves_data: holding.contains(root),
            ..Change::of_file(Effect::Replaces, root, &format!("{root}/"), why)
        }
    };
    // what stands on something is taken away before it
    let mut left: Vec<Change> = away.iter().rev().map(left).collect();
    let (ends, mut deleted) = runs(before, away, &there);
    if let Some(change) = left.first_mut() {
        deleted.append(&mut change.commands);
        change.commands = deleted;
    }
    let group = Group::of_all(format!("project {now}"), Effect::Replaces, left);
    let fields = vec![arrow("", Some(then), Some(now))];
    let help = format!("{ONE_BUCKET}; the commands are for the former output");
    Some(Group { fields, help: Some(help), is_noun: true, ends, ..group })
}

/// The runs on clusters that stay there, and what deletes those of them that are objects: they save and end before anything that they need goes.
fn runs(before: &Before, away: &Away, there: &[Change]) -> (Vec<String>, Vec<String>) {
    let stays = |root: &str| {
        let cluster = before.grounds.get(root);
        cluster.is_none_or(|it| away.contains_key(&format!("30-{it}")))
    };
    let run = |path: &String| {
        let (stage, rest) = path.split_once('/')?;
        stays(&format!("{stage}/{}", rest.split('/').next()?)).then_some(())
    };
    let owned = before.owners.iter().filter(|(path, _)| run(path).is_some());
    let owned = owned.filter_map(|(_, noun)| before.nouns.at(noun));
    let ends: BTreeSet<String> =
        owned.filter(|it| it.kind == "workload").map(|it| it.path.clone()).collect();
    let is_run = |it: &&Change| it.root.contains('/') && it.takes_away() && stays(&it.root);
    let mut objects: Vec<Change> = there.iter().filter(is_run).cloned().collect();
    name_places(&mut objects, before);
    (ends.into_iter().collect(), objects.into_iter().flat_map(|it| it.commands).collect())
}

/// The folders in which something is stored.
fn holding(before: &Before, away: &Away) -> BTreeSet<String> {
    let files = before.files.iter().filter(|(path, _)| away.contains_key(root(path)));
    let old: Vec<File<'_>> = files.map(|(path, text)| File { path, text }).collect();
    let left = changes(&old, &[]).into_iter().filter(|change| change.leaves_data);
    left.map(|change| change.root).collect()
}

/// The project that each folder says.
fn projects<'f>(files: impl Iterator<Item = File<'f>>) -> BTreeMap<&'f str, &'f str> {
    let said = files.filter_map(|file| {
        let equals = match file.path.rsplit('/').next()? {
            "terraform.tfvars" => '=',
            "deployment.yaml" => ':',
            _ => return None,
        };
        let mut lines = file.text.lines().filter_map(|line| line.split_once(equals));
        let (_, project) = lines.find(|(name, _)| name.trim() == "project_id")?;
        Some((root(file.path), project.trim().trim_matches('"')))
    });
    said.collect()
}

fn root_of_toolkit(before: &Before, of: &str) -> bool {
    let mut files = before.files.iter().filter(|(path, _)| root(path) == of);
    files.any(|(path, _)| path.ends_with("/deployment.yaml"))
}

/// `30-a3m` of `30-a3m/cluster.tf`.
fn root(path: &str) -> &str {
    path.split_once('/').map_or("", |(root, _)| root)
}
