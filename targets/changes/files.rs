//! Files that are neither Terraform's nor objects: scripts, configuration of Slurm, requests, images, pages.

use crate::tree::{Detail, details, flat};
use crate::{Change, Effect, File};
use std::collections::BTreeMap;

/// What another text of a file does.
struct Row {
    /// How its path ends.
    end: &'static str,
    effect: Effect,
    why: &'static str,
    commands: &'static [&'static str],
}

const fn row(
    end: &'static str,
    effect: Effect,
    why: &'static str,
    commands: &'static [&'static str],
) -> Row {
    Row { end, effect, why, commands }
}

/// The first that fits counts. Of Slurm: `scontrol reconfigure` reads its files anew; nodes that come or go need the daemons
/// started again (slurm.conf(5)). A job keeps the script that it was submitted with (sbatch(1)).
const ROWS: &[Row] = &[
    row("README.md", Effect::Nothing, "a page for people", &[]),
    row("LEFT-BEHIND.md", Effect::Nothing, "a page for people", &[]),
    row("slurm.conf", Effect::InPlace, "the daemons read it anew", &["scontrol reconfigure"]),
    row(
        "gres.conf",
        Effect::Restarts,
        "slurmd reads it when it starts",
        &["systemctl restart slurmd"],
    ),
    row(
        "cgroup.conf",
        Effect::Restarts,
        "slurmd reads it when it starts",
        &["systemctl restart slurmd"],
    ),
    row("topology.conf", Effect::InPlace, "the daemons read it anew", &["scontrol reconfigure"]),
    row("plugstack.conf", Effect::NextStart, "each job reads it when it starts", &[]),
    row(".sbatch", Effect::NextStart, "a job keeps the script that it was submitted with", &[]),
    row("Dockerfile", Effect::NextStart, "another image has to be built and pushed", &[]),
    row("cloudbuild.yaml", Effect::NextStart, "another image has to be built and pushed", &[]),
    row(".json", Effect::NextStart, "a job that runs is not changed: the next one is another", &[]),
    row(".sh", Effect::NextStart, "it counts when it is run again", &[]),
];

/// Lines of slurm.conf that name nodes: those that come or go need the daemons started again.
const NODE_LINES: [&str; 2] = ["NodeName=", "NodeSet="];

/// Keys whose other value leaves the controller without its jobs, and those that `scontrol reconfigure` takes (slurm.conf(5)).
const LOSES_JOBS: [&str; 2] = ["ClusterName", "StateSaveLocation"];
const RECONFIGURED: [&str; 6] = [
    "PartitionName",
    "SchedulerParameters",
    "PriorityWeightAge",
    "PriorityWeightFairshare",
    "KillWait",
    "MaxJobCount",
];

pub(crate) fn changes(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let texts = |files: &[File<'_>]| -> BTreeMap<String, String> {
        let other = files.iter().filter(|file| !is_read_elsewhere(file.path));
        other.map(|file| (file.path.to_owned(), file.text.to_owned())).collect()
    };
    let (old, new) = (texts(before), texts(after));
    let paths: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    paths.into_iter().filter_map(|path| change(root, path, old.get(path), new.get(path))).collect()
}

/// Runs of Slurm and of Vertex AI whose folder is no longer in the output: what was submitted goes on.
pub(crate) fn left_behind(root: &str, old: &[File<'_>]) -> Option<Change> {
    let name = root.rsplit('/').next().unwrap_or(root);
    let ends = |end: &str| old.iter().find(|file| file.path.ends_with(end));
    let batch = ends(".sbatch").map(|it| (it, format!("scancel --name={name}")));
    let request = ends(".json")
        .map(|it| (it, format!("gcloud ai custom-jobs list --filter=displayName={name}")));
    let (file, command) = batch.or(request)?;
    Some(Change {
        effect: Effect::ByHand,
        root: root.to_owned(),
        file: file.path.to_owned(),
        thing: file.path.rsplit('/').next().unwrap_or_default().to_owned(),
        origin: origin(file.text),
        details: Vec::new(),
        why:
            "the blueprint has it no more: jobs that were submitted go on until they are cancelled"
                .to_owned(),
        commands: vec![command],
        stopped_by: None,
    })
}

/// Terraform's files and objects of Kubernetes; of a build of images the YAML is no object.
fn is_read_elsewhere(path: &str) -> bool {
    let is_object = path.ends_with(".yaml") && !path.ends_with("cloudbuild.yaml");
    is_object || [".tf", ".tfvars"].iter().any(|end| path.ends_with(end))
}

fn change(root: &str, path: &str, old: Option<&String>, new: Option<&String>) -> Option<Change> {
    let (effect, why, details, commands) = match (old, new) {
        (Some(old), Some(new)) if old == new => return None,
        (Some(old), Some(new)) => {
            let (effect, why, commands) = told(path, old, new);
            (effect, why, lines(path, old, new), commands)
        }
        (None, Some(_)) => (Effect::Adds, "", Vec::new(), Vec::new()),
        (Some(_), None) => (Effect::Nothing, "nothing reads it any more", Vec::new(), Vec::new()),
        (None, None) => return None,
    };
    let effect = if path.ends_with(".md") { Effect::Nothing } else { effect };
    Some(Change {
        effect,
        root: root.to_owned(),
        file: path.to_owned(),
        thing: path.rsplit('/').next().unwrap_or(path).to_owned(),
        origin: origin(new.or(old)?),
        details,
        why: why.to_owned(),
        commands,
        stopped_by: None,
    })
}

/// The effect of another text, why, and the commands that bring it.
fn told(path: &str, old: &str, new: &str) -> (Effect, &'static str, Vec<String>) {
    if meant(path, old) == meant(path, new) {
        return (Effect::Nothing, "only comments differ", Vec::new());
    }
    let nodes = |text: &str| -> Vec<String> {
        let of_nodes = |line: &&str| NODE_LINES.iter().any(|start| line.starts_with(start));
        text.lines().filter(of_nodes).map(str::to_owned).collect()
    };
    if path.ends_with("slurm.conf") && nodes(old) != nodes(new) {
        let commands = ["systemctl restart slurmctld", "systemctl restart slurmd"];
        let why = "nodes that come or go need the daemons started again";
        return (Effect::Restarts, why, commands.map(str::to_owned).to_vec());
    }
    if path.ends_with("slurm.conf") {
        let own = |text: &str| -> Vec<String> { meant(path, text) };
        let (before, after) = (own(old), own(new));
        let differ = before
            .iter()
            .filter(|line| !after.contains(line))
            .chain(after.iter().filter(|line| !before.contains(line)));
        let keys: Vec<&str> = differ.filter_map(|line| line.split('=').next()).collect();
        if keys.iter().any(|key| LOSES_JOBS.contains(key)) {
            return (
                Effect::Replaces,
                "what the controller knows of jobs lies elsewhere then: they are lost",
                Vec::new(),
            );
        }
        if !keys.iter().all(|key| RECONFIGURED.contains(key)) {
            let commands = ["systemctl restart slurmctld", "systemctl restart slurmd"];
            let why = "the daemons read it when they start; jobs go on";
            return (Effect::Restarts, why, commands.map(str::to_owned).to_vec());
        }
    }
    match ROWS.iter().find(|row| path.ends_with(row.end)) {
        Some(row) => {
            (row.effect, row.why, row.commands.iter().map(|it| (*it).to_owned()).collect())
        }
        None => (Effect::MayReplace, "what reads this file is not known", Vec::new()),
    }
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
