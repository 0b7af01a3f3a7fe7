//! Files that are neither Terraform's nor objects: scripts, configuration of Slurm, requests, images, pages.

use crate::tree::{Detail, details, flat};
use crate::{Change, Effect, File, Grammar, file_name};
use std::collections::{BTreeMap, BTreeSet};

/// What another text does.
struct Row {
    /// How the file's path ends, or the key of the line.
    of: &'static str,
    effect: Effect,
    why: &'static str,
    commands: &'static [&'static str],
}

const fn row(
    of: &'static str,
    effect: Effect,
    why: &'static str,
    commands: &'static [&'static str],
) -> Row {
    Row { of, effect, why, commands }
}

const RECONFIGURE: &[&str] = &["scontrol reconfigure"];
const RESTART: &[&str] = &["systemctl restart slurmctld", "systemctl restart slurmd"];
const RESTART_NODES: &[&str] = &["systemctl restart slurmd"];

const BY_SUBMISSION: &str = "a job keeps the script that it was submitted with";
const REQUESTED: &str = "a job that runs is not changed: the next one is another";
const ANOTHER_IMAGE: &str = "another image has to be built and pushed";
const READ_AT_START: &str = "slurmd reads it when it starts";
const READ_ANEW: &str = "the daemons read it anew";

/// Files by how they end; the first that fits counts. A job keeps the script that it was submitted with (sbatch(1)).
const ROWS: &[Row] = &[
    row("README.md", Effect::Nothing, "a page for people", &[]),
    row("LEFT-BEHIND.md", Effect::Nothing, "a page for people", &[]),
    row("gres.conf", Effect::Restarts, READ_AT_START, RESTART_NODES),
    row("cgroup.conf", Effect::Restarts, READ_AT_START, RESTART_NODES),
    row("topology.conf", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("plugstack.conf", Effect::NextStart, "each job reads it when it starts", &[]),
    row(".sbatch", Effect::NextStart, BY_SUBMISSION, &[]),
    row("Dockerfile", Effect::NextStart, ANOTHER_IMAGE, &[]),
    row("cloudbuild.yaml", Effect::NextStart, ANOTHER_IMAGE, &[]),
    row(".json", Effect::NextStart, REQUESTED, &[]),
    row(".sh", Effect::NextStart, "it counts when it is run again", &[]),
];

const COMMENTS: Row = row("", Effect::Nothing, "only comments differ", &[]);
const UNKNOWN: Row = row("", Effect::MayReplace, "what reads this file is not known", &[]);

const OTHER_STATE: &str = "what the controller knows of jobs lies elsewhere then: they are lost";
const OTHER_NODES: &str = "nodes that come or go need the daemons started again";

/// Lines of slurm.conf by their keys (slurm.conf(5)).
const SLURM_KEYS: &[Row] = &[
    row("ClusterName", Effect::Replaces, OTHER_STATE, RESTART),
    row("StateSaveLocation", Effect::Replaces, OTHER_STATE, RESTART),
    row("NodeName", Effect::Restarts, OTHER_NODES, RESTART),
    row("NodeSet", Effect::Restarts, OTHER_NODES, RESTART),
    row("PartitionName", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("SchedulerParameters", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightAge", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightFairshare", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("KillWait", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("MaxJobCount", Effect::InPlace, READ_ANEW, RECONFIGURE),
];

/// Of a key without a row.
const READ_BY_DAEMONS: Row =
    row("", Effect::Restarts, "the daemons read it when they start; jobs go on", RESTART);

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let (old, new) = (texts(before), texts(after));
    let paths: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let both = paths.into_iter().map(|path| (path, old.get(path).copied(), new.get(path).copied()));
    both.filter_map(|(path, old, new)| change(root, path, old, new)).collect()
}

/// Runs of Slurm and of Vertex AI whose folder is no longer in the output: what was submitted goes on.
pub(crate) fn left_behind(root: &str, old: &[File<'_>]) -> Option<Change> {
    let name = file_name(root);
    let ends = |end: &str| old.iter().find(|file| file.path.ends_with(end));
    let batch = ends(".sbatch").map(|it| (it, format!("scancel --name={name}")));
    let request = ends(".json")
        .map(|it| (it, format!("gcloud ai custom-jobs list --filter=displayName={name}")));
    let (file, command) = batch.or(request)?;
    let why =
        "the blueprint has it no more: jobs that were submitted go on until they are cancelled";
    Some(Change {
        origin: origin(file.text),
        commands: vec![command],
        ..Change::of_file(Effect::ByHand, root, file.path, why)
    })
}

fn texts<'a>(files: &[File<'a>]) -> BTreeMap<&'a str, &'a str> {
    let by_lines = files.iter().filter(|file| file.grammar() == Grammar::Lines);
    by_lines.map(|file| (file.path, file.text)).collect()
}

fn change(root: &str, path: &str, old: Option<&str>, new: Option<&str>) -> Option<Change> {
    let known = match (old, new) {
        (Some(old), Some(new)) if old == new => return None,
        (Some(old), Some(new)) => {
            let row = told(path, old, new);
            Change {
                details: lines(path, old, new),
                commands: row.commands.iter().map(|it| (*it).to_owned()).collect(),
                ..Change::of_file(row.effect, root, path, row.why)
            }
        }
        (None, Some(_)) if path.ends_with(".md") => {
            Change::of_file(Effect::Nothing, root, path, "a page for people")
        }
        (None, Some(_)) => Change::of_file(Effect::Adds, root, path, ""),
        (Some(_), None) => {
            Change::of_file(Effect::Nothing, root, path, "nothing reads it any more")
        }
        (None, None) => return None,
    };
    Some(Change { origin: origin(new.or(old)?), ..known })
}

/// What another text of a file does.
fn told(path: &str, old: &str, new: &str) -> &'static Row {
    if meant(path, old) == meant(path, new) {
        return &COMMENTS;
    }
    if file_name(path) == "slurm.conf" {
        return told_of_slurm(&lines(path, old, new));
    }
    ROWS.iter().find(|row| path.ends_with(row.of)).unwrap_or(&UNKNOWN)
}

/// The worst of what its lines do.
fn told_of_slurm(lines: &[Detail]) -> &'static Row {
    let differing = lines.iter().flat_map(|line| [&line.before, &line.after]).flatten();
    let keys = differing.filter_map(|line| line.split_once('=')).map(|(key, _)| key.trim());
    let rows =
        keys.map(|key| SLURM_KEYS.iter().find(|row| row.of == key).unwrap_or(&READ_BY_DAEMONS));
    rows.min_by_key(|row| row.effect).unwrap_or(&READ_BY_DAEMONS)
}

/// The lines that say something: no comments, but `#SBATCH` and the like.
fn meant(path: &str, text: &str) -> Vec<String> {
    if path.ends_with(".json") {
        return match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => vec![value.to_string()],
            Err(_) => vec![text.to_owned()],
        };
    }
    let comment = |line: &str| {
        let rest = line.trim_start();
        rest.starts_with('#') && !rest.starts_with("#SBATCH") && !rest.starts_with("#!")
    };
    text.lines().filter(|line| !comment(line)).map(|line| line.trim_end().to_owned()).collect()
}

/// What differs: values of JSON, otherwise lines.
fn lines(path: &str, old: &str, new: &str) -> Vec<Detail> {
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    if let (true, Some(old), Some(new)) = (path.ends_with(".json"), json(old), json(new)) {
        return details(&flat(&old), &flat(&new));
    }
    let (old, new) = (meant(path, old), meant(path, new));
    let gone = old.iter().filter(|line| !new.contains(line) && !line.trim().is_empty());
    let come = new.iter().filter(|line| !old.contains(line) && !line.trim().is_empty());
    let (mut gone, mut come) = (gone.cloned(), come.cloned());
    let mut found = Vec::new();
    loop {
        match (gone.next(), come.next()) {
            (None, None) => return found,
            (before, after) => found.push(Detail { path: String::new(), before, after }),
        }
    }
}

/// What a file was made for: its first comment.
fn origin(text: &str) -> String {
    let first = text.lines().find(|line| !line.starts_with("#!")).unwrap_or_default();
    let said = first.strip_prefix("# ").unwrap_or_default();
    said.trim().to_owned()
}
