//! Files that are neither Terraform's nor objects: scripts, configuration of Slurm, requests, images, pages.

mod images;
mod left;

use crate::tree::{Detail, details, flat};
use crate::{Change, Effect, File, Grammar, file_name, machines, pages, slurm, toolkit};
use images::MACHINE_IMAGES;
pub(crate) use images::{Built, build_first, make_folders_last, tell_clusters};
use left::elsewhere;
pub(crate) use left::{is_elsewhere, left_behind};
use std::collections::{BTreeMap, BTreeSet};

/// Files in YAML that are no objects: builds of images, and what Cluster Toolkit reads.
pub(crate) const OTHERS: [&str; 3] = ["cloudbuild.yaml", "cluster.yaml", "deployment.yaml"];

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

/// What brings a file of a unit of systemd to the hosts that run it, in a copy of the folder.
macro_rules! installed {
    ($file:literal, $hosts:literal) => {
        concat!(
            "install -D -m 644 ./",
            $file,
            " /etc/systemd/system/",
            $file,
            " && systemctl daemon-reload  # ",
            $hosts,
            ", in a copy of {folder}"
        )
    };
}

const RECONFIGURE: &[&str] = &["scontrol reconfigure  # on a controller"];
const CONTROLLERS_ANEW: &str = "systemctl restart slurmctld  # on each controller";
const NODES_ANEW: &str = "systemctl restart slurmd  # on every node";
const COUNTER_ANEW: &str = "systemctl restart slurmdbd  # on its host";
const RESTART: &[&str] = &[CONTROLLERS_ANEW, NODES_ANEW];
const RESTART_NODES: &[&str] = &[NODES_ANEW];
const RESTART_ACCOUNTING: &[&str] = &[COUNTER_ANEW];
const RESTART_SERVICE: &[&str] =
    &[installed!("slurmd.service.d/jobs.conf", "on every node"), NODES_ANEW];
const RESTART_CONTROLLER: &[&str] =
    &[installed!("slurmctld.service.d/user.conf", "on each controller"), CONTROLLERS_ANEW];
const RESTART_COUNTER: &[&str] =
    &[installed!("slurmdbd.service.d/user.conf", "on its host"), COUNTER_ANEW];
const SUBMITTING: &str = installed!("sackd.service.d/submit.conf", "on each host to submit from");
const RESTART_SUBMITTING: &[&str] =
    &[SUBMITTING, "systemctl restart sackd  # on each host to submit from"];

/// `sackd` fetches the configuration where jobs are submitted, and commands read a file that is there in its place.
const SUBMIT: &str = "sackd.service.d/submit.conf";
const SUBMIT_COMES: &[&str] = &[
    SUBMITTING,
    "rm -f /etc/slurm/slurm.conf && systemctl enable --now munge sackd  # on each host to submit from that is no controller",
];
const SUBMIT_GOES: &[&str] = &["systemctl disable --now sackd  # on each host to submit from"];
const FETCHED_THERE: &str = "where jobs are submitted sackd fetches the configuration";
const READ_THERE: &str = "where jobs are submitted the files are read that lie there";

/// Nodes that have the configuration themselves, or fetch it from then on.
const FETCHED: &str = "nodes fetch the configuration when slurmd starts, unless there is one: what lies there would be read in its place; jobs go on";
const FETCH: &[&str] = &[
    CONTROLLERS_ANEW,
    "rm /etc/slurm/slurm.conf  # on every node that is no controller",
    NODES_ANEW,
];
const READ_ON_EACH: &str = "no controller hands the configuration out any more: slurmd of a node that has none does not start; jobs go on";
const READ_THEMSELVES: &[&str] = &[
    "install -d -m 755 /etc/slurm && install -m 644 ./*.conf /etc/slurm/  # on every host, in a copy of {folder}, with what else its README has there",
    CONTROLLERS_ANEW,
    NODES_ANEW,
];

/// What of the commands of one cluster comes before what else: rows by what they say, and the place of those that say none of it.
const TURNS: &[&[&str]] = &[
    &["State=DRAIN", "squeue "],
    &["install "],
    &["slurmdbd", "slurm_acct_db"],
    &["sacctmgr "],
    &[slurm::counter::RENUMBERED, "/clustername  # "],
    &[],
    &[" slurmd  # "],
    &[" sackd  # "],
    &["scontrol reconfigure", "State=RESUME"],
    // a script that daemons look for, and do not find, takes nodes out of service
    &["rm /etc/slurm/prolog.d/", "rm /etc/slurm/epilog.d/"],
];

/// Each once its packages are installed (Slurm: "Upgrade Guide"); the first is a site's own.
const UPGRADE: &[&str] = &[slurm::counter::KEPT, COUNTER_ANEW, CONTROLLERS_ANEW, NODES_ANEW];

const UPGRADED: &str = "another release: the daemons are upgraded in this order, and started again: slurmdbd, if there is one, slurmctld, slurmd on every node; jobs go on, and plugins such as pyxis are built anew for it";
const TOO_FAR: &str = "a daemon takes over the state of two releases before it, from 24.11 on of three: by way of {between}, with these commands for each, jobs are kept and so is what was counted. Otherwise jobs are lost, and slurmdbd does not start on tables of so old a release";
const BACK: &str = "no daemon reads the state of a later release: what slurmctld knows of jobs is lost, and slurmdbd reads what was counted from the dump alone that was made before the upgrade";

/// The releases that one takes over the state of are at most so many months older (the table of the "Upgrade Guide").
const MONTHS: u32 = 21;

const BY_SUBMISSION: &str = "a job keeps the script that it was submitted with";
const REQUESTED: &str = "a job that runs is not changed: the next one is another";
const ANOTHER_IMAGE: &str = "another image has to be built and pushed";
const BUILT_ANEW: &str = "`packer build` makes another image of the family: machines that are made from then on start from it, and those that stand keep theirs";
const ROLLED_OUT: &str =
    "it is run with the folder: what it installs is rolled out where it is another, and runs go on";
const READ_AT_START: &str = "slurmd reads it when it starts";
const COUNTED_LATER: &str =
    "slurmdbd reads it when it starts; what is to be counted waits with the controller until then";
const OF_SERVICE: &str = "slurmd is started with it; jobs go on";
const OF_SUBMITTING: &str = "sackd is started with it where jobs are submitted; they go on";
const READ_ANEW: &str = "the daemons read it anew";

/// Files by how they end; the first that fits counts. A job keeps the script that it was submitted with (sbatch(1)).
const ROWS: &[Row] = &[
    row("README.md", Effect::Nothing, "a page for people", &[]),
    row("LEFT-BEHIND.md", Effect::Nothing, "a page for people", &[]),
    row("gres.conf", Effect::Restarts, READ_AT_START, RESTART_NODES),
    row("cgroup.conf", Effect::Restarts, READ_AT_START, RESTART_NODES),
    row("topology.conf", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("topology.yaml", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("slurmdbd.conf", Effect::Restarts, COUNTED_LATER, RESTART_ACCOUNTING),
    row(".service.d/jobs.conf", Effect::Restarts, OF_SERVICE, RESTART_SERVICE),
    row("slurmctld.service.d/user.conf", Effect::Restarts, OTHER_USER, RESTART_CONTROLLER),
    row("slurmdbd.service.d/user.conf", Effect::Restarts, COUNTED_LATER, RESTART_COUNTER),
    row(".service.d/submit.conf", Effect::InPlace, OF_SUBMITTING, RESTART_SUBMITTING),
    row("plugstack.conf", Effect::NextStart, "each job reads it when it starts", &[]),
    row(".sbatch", Effect::NextStart, BY_SUBMISSION, &[]),
    row("Dockerfile", Effect::NextStart, ANOTHER_IMAGE, &[]),
    row("cloudbuild.yaml", Effect::NextStart, ANOTHER_IMAGE, &[]),
    row(".json", Effect::NextStart, REQUESTED, &[]),
    row("health-check.sh", Effect::NextStart, "nodes run the one that is installed there", &[]),
    row("install.sh", Effect::InPlace, ROLLED_OUT, &[]),
    row(".sh", Effect::NextStart, "it counts when it is run again", &[]),
];

/// Folders of scripts that root runs on each node of a job, and what another script there does.
const AROUND_JOBS: [&str; 2] = ["prolog.d/", "epilog.d/"];
const NEXT_JOB: Row = row("", Effect::NextStart, "each job runs it where it is installed", &[]);
const STILL_RUN: &str = "it is on every node, and runs there until it is removed";

const NEW_MACHINE_IMAGE: Row = row("", Effect::NextStart, BUILT_ANEW, &["packer build {folder}"]);

const COMMENTS: Row = row("", Effect::Nothing, "only comments differ", &[]);
const FOLLOWS: Row = row("", Effect::Nothing, "it follows from the rest", &[]);
const UNKNOWN: Row = row("", Effect::MayReplace, "what reads this file is not known", &[]);

const OTHER_NAME: &str =
    "slurmctld does not start on what another cluster saved: all jobs are lost";
const MOVED_STATE: &str = "what the controller knows of jobs lies elsewhere then: copied there while no slurmctld runs, all jobs go on; without that they are lost";
const OTHER_USER: &str = "slurmctld starts only where the folders of its state, log and key are that user's: `chown` them before; jobs go on";
const OTHER_NODES: &str =
    "which nodes there are, and what each is, the daemons read when they start; jobs go on";

/// Lines of slurm.conf by their keys (slurm.conf(5)).
const SLURM_KEYS: &[Row] = &[
    row("ClusterName", Effect::Replaces, OTHER_NAME, RESTART),
    row("StateSaveLocation", Effect::Restarts, MOVED_STATE, RESTART),
    row("SlurmUser", Effect::Restarts, OTHER_USER, RESTART),
    row("NodeName", Effect::Restarts, OTHER_NODES, RESTART),
    row("NodeSet", Effect::Restarts, OTHER_NODES, RESTART),
    row("PartitionName", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("SchedulerParameters", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightAge", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightFairshare", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightJobSize", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityWeightQOS", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityDecayHalfLife", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("PriorityMaxAge", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("ResumeTimeout", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("Prolog", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("Epilog", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("HealthCheckProgram", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("HealthCheckInterval", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("RebootProgram", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("KillWait", Effect::InPlace, READ_ANEW, RECONFIGURE),
    row("MaxJobCount", Effect::InPlace, READ_ANEW, RECONFIGURE),
];

/// The digest of what is applied, by which `install.sh` knows what an apply takes away.
const VERSION: &str = "app.kubernetes.io/version!=";

/// Of a key without a row.
const READ_BY_DAEMONS: Row =
    row("", Effect::Restarts, "the daemons read it when they start; jobs go on", RESTART);

pub(crate) fn changes(
    root: &str,
    before: &[File<'_>],
    after: &[File<'_>],
    built: &Built,
) -> Vec<Change> {
    let (old, new) = (texts(before), texts(after));
    let paths: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let both = paths.into_iter().map(|path| (path, old.get(path).copied(), new.get(path).copied()));
    let told = |(path, was, is): (&str, Option<&str>, Option<&str>)| match (was, is) {
        (Some(was), Some(is)) if was != is && toolkit::FILES.contains(&file_name(path)) => {
            toolkit::changes(root, path, (was, is), (&old, &new), built)
        }
        _ => {
            let lost = was.and_then(|was| machines::lost(root, path, was, &new));
            let lost = lost.or_else(|| machines::fewer(root, path, was?, is?));
            let lost = lost.or_else(|| machines::asked_anew(root, path, (&old, &new)));
            lost.or_else(|| change(root, path, was, is)).into_iter().collect()
        }
    };
    let mut found: Vec<Change> = both.flat_map(told).collect();
    let mut accounts = pages::accounts(root, &old, &new);
    let is_cluster = |files: &BTreeMap<&str, &str>| files.keys().any(|it| is_settings(it));
    if is_cluster(&old) && is_cluster(&new) {
        found.iter_mut().filter(|it| it.effect == Effect::Adds).for_each(submit);
        slurm::counter::correct(&mut found, &old, &new);
        if slurm::counter::comes(&old, &new) {
            found.extend(accounts.take());
        }
        in_turn(&mut found);
    }
    found.extend(elsewhere(root, before, after));
    let secrets = pages::secrets(root, &old, &new);
    let folders = pages::folders(root, &old, &new);
    found.into_iter().chain(secrets).chain(accounts).chain(folders).collect()
}

/// Has hosts have what they run, and those to submit from fetch the configuration, where that comes into a cluster that is there.
fn submit(change: &mut Change) {
    let brought = brought(&change.root, &change.file);
    let user =
        ROWS.iter().find(|row| row.of.ends_with("user.conf") && change.file.ends_with(row.of));
    if let Some(command) = brought {
        (change.effect, change.why, change.commands) =
            (Effect::ByHand, INSTALLED_FIRST.to_owned(), vec![command]);
    } else if let Some(row) = user {
        (change.effect, change.why, change.commands) =
            (Effect::ByHand, row.why.to_owned(), given(row.commands, &change.root));
    }
    if change.file.ends_with(SUBMIT) {
        let commands = given(SUBMIT_COMES, &change.root);
        (change.effect, change.why, change.commands) =
            (Effect::ByHand, FETCHED_THERE.to_owned(), commands);
    }
}

/// Gives each change of a cluster the commands of all of them, in the order in which hosts take them: none of them starts anything before what it reads
/// is there.
fn in_turn(found: &mut [Change]) {
    let turn = |command: &String| {
        let says = |words: &&&[&str]| words.iter().any(|it| command.contains(it));
        let found = TURNS.iter().position(|it| says(&it));
        found.or_else(|| TURNS.iter().position(|it| it.is_empty()))
    };
    let mut all: Vec<String> = found.iter().flat_map(|it| &it.commands).rev().cloned().collect();
    let mut seen = BTreeSet::new();
    all.retain(|it| seen.insert(it.clone()));
    all.reverse();
    all.sort_by_key(turn);
    for change in found.iter_mut().filter(|it| !it.commands.is_empty()) {
        change.commands.clone_from(&all);
    }
}

/// Whether a file is what a whole cluster of Slurm is made from: its settings, or the blueprint of Cluster Toolkit.
pub(crate) fn is_of_cluster(path: &str) -> bool {
    ["slurm.conf", "cluster.yaml"].contains(&file_name(path))
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
            let known = Change {
                details: lines(path, old, new),
                commands: match row.effect == Effect::NextStart {
                    true => {
                        brought(root, path).into_iter().chain(given(row.commands, root)).collect()
                    }
                    false => given(row.commands, root),
                },
                ..Change::of_file(row.effect, root, path, row.why)
            };
            let worse = [
                moved_state(root, path, old, new),
                moved_database(root, path, old, new),
                forgotten(root, path, old, new),
                upgrade(root, path, old, new),
                fetched(root, path, old, new),
                lost(root, path, old, new, slurm::loss),
                lost(root, path, old, new, slurm::exchanged),
            ];
            let whole = worst(known, worse.into_iter().flatten());
            let handed = is_settings(path).then(|| slurm::controllers(old, new)).flatten();
            let whole = handed.into_iter().fold(whole, with_controllers);
            let less = is_settings(path)
                .then(|| [slurm::limits::shortened(old, new), slurm::kept::let_in(old, new)]);
            let whole = less.into_iter().flatten().flatten().fold(whole, with_words);
            let come = is_settings(path).then(|| slurm::come(old, new)).flatten();
            come.into_iter().fold(whole, with_command)
        }
        (None, Some(_)) if path.ends_with(".md") => {
            Change::of_file(Effect::Nothing, root, path, "a page for people")
        }
        (None, Some(_)) => Change::of_file(Effect::Adds, root, path, ""),
        (Some(_), None) if path.ends_with(SUBMIT) => Change {
            commands: given(SUBMIT_GOES, root),
            ..Change::of_file(Effect::ByHand, root, path, READ_THERE)
        },
        (Some(_), None) if around_jobs(path).is_some() => Change {
            commands: around_jobs(path)
                .map(|file| format!("rm /etc/slurm/{file}  # on every node"))
                .into_iter()
                .collect(),
            ..Change::of_file(Effect::ByHand, root, path, STILL_RUN)
        },
        (Some(_), None) => {
            Change::of_file(Effect::Nothing, root, path, "nothing reads it any more")
        }
        (None, None) => return None,
    };
    Some(Change { origin: origin(new.or(old)?), ..known })
}

const INSTALLED_FIRST: &str =
    "nodes have it before the daemons know of it: where it is not, nodes are taken out of service";

/// What brings a script that nodes run to them.
fn brought(root: &str, path: &str) -> Option<String> {
    let checks = (file_name(path) == CHECK).then_some(CHECK);
    let file = around_jobs(path).or(checks)?;
    Some(format!(
        "install -D -m 755 ./{file} /etc/slurm/{file}  # on every node, in a copy of {root}"
    ))
}

/// What nodes run by themselves from time to time.
const CHECK: &str = "health-check.sh";

/// A script that hosts of one's own run before jobs or after them, as they have it in the folder of Slurm's configuration.
fn around_jobs(path: &str) -> Option<&str> {
    let at = AROUND_JOBS.iter().find_map(|folder| path.rfind(folder))?;
    path.get(at..)
}

/// What another text of a file does.
fn told(path: &str, old: &str, new: &str) -> &'static Row {
    if meant(path, old) == meant(path, new) {
        return &COMMENTS;
    }
    if around_jobs(path).is_some() {
        return &NEXT_JOB;
    }
    if path.starts_with(MACHINE_IMAGES) && !path.ends_with(".md") {
        return &NEW_MACHINE_IMAGE;
    }
    if file_name(path) == "slurm.conf" {
        return told_of_slurm(&lines(path, old, new));
    }
    let follows = |line: &Detail| {
        [&line.before, &line.after].into_iter().flatten().all(|line| line.contains(VERSION))
    };
    if file_name(path) == "install.sh" && lines(path, old, new).iter().all(follows) {
        return &FOLLOWS;
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

/// The worst of what becomes of a file, with the words and the commands of all that is as bad as its lines by themselves.
fn worst(known: Change, others: impl Iterator<Item = Change>) -> Change {
    let others: Vec<Change> = others.filter(|it| it.effect <= known.effect).collect();
    let Some(effect) = others.iter().map(|it| it.effect).min() else { return known };
    let whys: Vec<&str> = others.iter().map(|it| it.why.as_str()).collect();
    let why = whys.join("; ");
    // none means all of them
    let mut worst = others.iter().filter(|it| it.effect == effect);
    let partitions = match worst.clone().all(|it| !it.partitions.is_empty()) {
        true => worst.clone().flat_map(|it| it.partitions.clone()).collect(),
        false => Vec::new(),
    };
    let base = worst.next().cloned().unwrap_or_else(|| known.clone());
    let (mut details, mut commands) = (Vec::new(), Vec::new());
    for other in others {
        details.extend(other.details);
        let new: Vec<String> =
            other.commands.into_iter().filter(|it| !commands.contains(it)).collect();
        commands.extend(new);
    }
    details.extend(known.details);
    // jobs end before the daemons know it
    commands.sort_by_key(|it: &String| !slurm::comes_first(it));
    Change { why, details, commands, partitions, ..base }
}

/// Commands of a table, which name the folder that they are of.
fn given(commands: &[&str], root: &str) -> Vec<String> {
    commands.iter().map(|it| it.replace("{folder}", root)).collect()
}

/// The folder of the controllers' state, which another one takes the place of.
fn moved_state(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let copied = slurm::copied(old, new).filter(|_| is_settings(path))?;
    let commands = copied.into_iter().chain(given(RESTART_NODES, root));
    let change = Change::of_file(Effect::Restarts, root, path, MOVED_STATE);
    Some(Change { commands: commands.collect(), ..change })
}

/// The host that counts what jobs use, or its database.
fn moved_database(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let is_it = file_name(path) == "slurmdbd.conf";
    let (why, commands) = is_it.then(|| slurm::counter::counted_elsewhere(old, new)).flatten()?;
    Some(Change { commands, ..Change::of_file(Effect::Restarts, root, path, &why) })
}

/// What jobs used, where it is kept for less time than before.
fn forgotten(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let is_it = file_name(path) == "slurmdbd.conf";
    let (why, kept) = is_it.then(|| slurm::kept::forgotten(old, new)).flatten()?;
    let commands = vec![kept, COUNTER_ANEW.to_owned()];
    Some(Change { commands, ..Change::of_file(Effect::DestroysData, root, path, &why) })
}

/// Who has the configuration, where that are others than before.
fn fetched(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let fetches = is_settings(path).then(|| slurm::fetches(old, new)).flatten()?;
    let (why, commands) = if fetches { (FETCHED, FETCH) } else { (READ_ON_EACH, READ_THEMSELVES) };
    let change = Change::of_file(Effect::Restarts, root, path, why);
    Some(Change { commands: given(commands, root), ..change })
}

/// What jobs stand on, and is gone, or is another.
fn lost(
    root: &str,
    path: &str,
    old: &str,
    new: &str,
    of: fn(&str, &str) -> Option<slurm::Loss>,
) -> Option<Change> {
    let loss = is_settings(path).then(|| of(old, new)).flatten()?;
    let commands = loss.drained.into_iter().chain(RESTART.iter().map(|it| (*it).to_owned()));
    let change = Change::of_file(loss.effect, root, path, &loss.why);
    let commands = commands.chain(loss.after).collect();
    Some(Change { commands, partitions: loss.partitions, ..change })
}

/// Whether a file is what a cluster of hosts of one's own is set by.
fn is_settings(path: &str) -> bool {
    file_name(path) == "slurm.conf"
}

/// The change, with controllers that end first, and such as start.
fn with_controllers(change: Change, handed: slurm::Controllers) -> Change {
    let is_moved = change.commands.iter().any(|it| it.contains("rsync "));
    let rest = change.commands.into_iter().flat_map(|it| match it == CONTROLLERS_ANEW {
        true if is_moved => Vec::new(),
        true => handed.started.clone(),
        false => vec![it],
    });
    let ended = handed.ended.into_iter().filter(|_| !is_moved);
    let why = format!("{}; {}", change.why, handed.why);
    Change { why, commands: ended.chain(rest).collect(), ..change }
}

/// The change, with what is to be known besides.
fn with_words(change: Change, words: String) -> Change {
    Change { why: format!("{}; {words}", change.why), ..change }
}

/// The change, with a command behind the others.
fn with_command(mut change: Change, command: String) -> Change {
    change.commands.push(command);
    change
}

/// Another release of Slurm, which the first line of its settings says.
fn upgrade(root: &str, path: &str, old: &str, new: &str) -> Option<Change> {
    let was = old;
    let [old, new] = [old, new].map(|text| {
        let rest = text.strip_prefix("# Slurm ").filter(|_| file_name(path) == "slurm.conf")?;
        let release = rest.split(' ').next()?;
        let (year, month) = release.split_once('.')?;
        Some((release, year.parse::<u32>().ok()? * 12 + month.parse::<u32>().ok()?))
    });
    let ((old, then), (new, now)) = old.zip(new).filter(|(old, new)| old != new)?;
    let emptied = || slurm::emptied_for_release(was);
    let between = match (now.checked_sub(then), slurm::releases::between(old, new)) {
        (None, _) => None,
        (Some(_), Some(known)) => Some(known.join(", then ")),
        (Some(months), None) if months > MONTHS => Some("one in between".to_owned()),
        (Some(_), None) => Some(String::new()),
    };
    let (effect, why, mut commands) = match &between {
        None => (Effect::Replaces, BACK.to_owned(), [emptied(), slurm::turned_back(was)].concat()),
        Some(between) if between.is_empty() => (Effect::Restarts, UPGRADED.to_owned(), Vec::new()),
        Some(between) => (Effect::Replaces, TOO_FAR.replace("{between}", between), emptied()),
    };
    if between.is_some() {
        commands.extend(UPGRADE.iter().map(|it| (*it).to_owned()));
    }
    let (before, after) = (Some(old.to_owned()), Some(new.to_owned()));
    Some(Change {
        details: vec![Detail { path: "release".to_owned(), before, after }],
        commands,
        ..Change::of_file(effect, root, path, &why)
    })
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

/// What differs: values of JSON and YAML, otherwise lines.
fn lines(path: &str, old: &str, new: &str) -> Vec<Detail> {
    if let (Some(old), Some(new)) = (tree(path, old), tree(path, new)) {
        return details(&flat(&old), &flat(&new));
    }
    let (old, new) = (meant(path, old), meant(path, new));
    let (mut gone, mut come) = (beyond(&old, &new).into_iter(), beyond(&new, &old).into_iter());
    let mut found = Vec::new();
    loop {
        match (gone.next(), come.next()) {
            (None, None) => return found,
            (before, after) => found.push(Detail { path: String::new(), before, after }),
        }
    }
}

/// A file as a tree, where it is one.
fn tree(path: &str, text: &str) -> Option<serde_json::Value> {
    let value: serde_json::Value = match path.rsplit_once('.')?.1 {
        "json" => serde_json::from_str(text).ok()?,
        "yaml" => serde_yaml::from_str(text).ok()?,
        _ => return None,
    };
    (value.is_object() || value.is_array()).then_some(value)
}

/// The lines that one text has more often than another: of two that are alike, one may go and the other stay.
pub(crate) fn beyond(lines: &[String], others: &[String]) -> Vec<String> {
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for line in others {
        *left.entry(line).or_default() += 1;
    }
    let more = lines.iter().filter(|line| match left.get_mut(line.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.trim().is_empty(),
    });
    more.cloned().collect()
}

/// What a file was made for: a comment at its top, of kinds and names, as in `cluster a3m, pool gpus`.
pub(crate) fn origin(text: &str) -> String {
    let top = text.lines().skip_while(|line| line.starts_with("#!"));
    let mut said = top.map_while(|line| line.strip_prefix("# ")).map(str::trim);
    let is_declared = |said: &&str| said.split(", ").all(|it| it.split(' ').count() == 2);
    said.find(is_declared).unwrap_or_default().to_owned()
}
