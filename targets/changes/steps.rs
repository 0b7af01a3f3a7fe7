//! In which order commands of several changes are given where clusters of Cluster Toolkit, or machines that commands made, are among them: jobs end, what is held is saved, hosts let go, what
//! goes is taken away, what it stands on is applied, and all is there again, each step of all clusters before the next.

use crate::order::Turn;
use crate::{destroyed_whole, is_first_of_all, of_terraform, shares, terraform, toolkit};
use std::collections::BTreeSet;

/// Steps, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Drained,
    Empty,
    Saved,
    LetGo,
    TakenAway,
    Kept,
    Applied,
    Restored,
    Built,
    Prepared,
    Deployed,
    BroughtBack,
    Told,
    Gone,
}

/// What tells of which step a command is, by what it says; the first that fits.
const SAID: &[(Step, &[&str])] = &[
    (Step::Drained, &["State=DRAIN", "scancel --name="]),
    (
        Step::Saved,
        &["beside the former, which is copied", "before it is destroyed", "# here, before "],
    ),
    (Step::Saved, &["# here: the controller, before", LAST_OF]),
    (Step::Saved, &[toolkit::COPIED_BESIDE]),
    (Step::Saved, &["before what they know of jobs is read", "once slurmctld is stopped"]),
    (Step::TakenAway, &["destroy -target=module.controller", "gcluster destroy ", "/delete.sh"]),
    (
        Step::TakenAway,
        &["deletion_protection *= true", "deletion_protection: true", OURS[2], OURS[3]],
    ),
    (Step::LetGo, &["before any folder is applied"]),
    (Step::Restored, &["gcloud filestore instances ", "read -r FORMER NEXT", "/mnt/former"]),
    (Step::Prepared, &["before it is deployed", "says that it is mounted there"]),
    (Step::Prepared, &["/install.sh"]),
    (Step::Prepared, &["gcloud storage mv gs://$STATE", shares::MADE_FIRST]),
    (Step::Deployed, &["gcluster create ", "gcluster deploy ", "/create.sh", "/request.sh"]),
    (Step::Gone, &["sinfo --Node", "State=UNDRAIN", "\"$LOGIN\"", "LOGIN="]),
    (Step::Told, &["once it is deployed", "minutes after it is deployed; ", "ghpc_startup.sh"]),
    (Step::BroughtBack, &["# here"]),
];

/// What is done to a controller behind all that is saved of its cluster.
const LAST_OF: &str = "behind the last of these of ";

/// A command, and the change that gives it.
pub type Given = (usize, String);

/// All of them in their order, each with the change that it is given with from then on; as they are where none is of such a cluster or machine.
pub fn in_steps(all: Vec<Given>, turns: &[Turn]) -> Vec<Given> {
    let makes = |it: &str| {
        let (does, _) = it.split_once("  # ").unwrap_or((it, ""));
        OURS.iter().any(|words| does.contains(words))
    };
    let any = |of: &dyn Fn(&str) -> bool| all.iter().any(|(_, it)| of(it));
    let is_of_images = any(&|it| it.starts_with("packer ")) && !any(&|it| it.contains("kubectl "));
    if !any(&makes) && !is_of_images {
        return all;
    }
    let all = with_applies(without_needless(all), turns);
    let steps = steps(&all);
    let mut placed: Vec<(Step, Place, Given)> =
        steps.into_iter().zip(all).map(|(step, it)| (step, place(step, &it.1), it)).collect();
    placed.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut found: Vec<Given> = placed.into_iter().map(|(_, _, it)| it).collect();
    guard(&mut found);
    // no later than what comes behind it
    let mut least = usize::MAX;
    for (change, _) in found.iter_mut().rev() {
        least = least.min(*change);
        *change = least;
    }
    found
}

/// What clusters of Cluster Toolkit are made and taken away by, and machines that commands made.
const OURS: [&str; 4] =
    ["gcluster ", "/delete.sh", "gcloud compute instances delete ", "queued-resources delete "];

/// Has what takes a cluster away, or makes its controller anew, do so only where there is something in each file that it is saved in.
fn guard(found: &mut [Given]) {
    let mut saved: Vec<String> = Vec::new();
    for (_, command) in found {
        if let Some(file) = saved_in(command).filter(|_| !command.ends_with(toolkit::OPTIONAL)) {
            saved.push(file.to_owned());
        }
        let deployed = command.strip_prefix("gcluster deploy ").and_then(|it| it.split(' ').next());
        let Some(cluster) = destroyed(command).or_else(|| deployed.map(str::to_owned)) else {
            continue;
        };
        let is_of_it = |file: &&String| cluster_of(file) == Some(cluster.as_str());
        let tests: String =
            saved.iter().filter(is_of_it).map(|it| format!("test -s {it} && ")).collect();
        command.insert_str(0, &tests);
    }
}

/// The file that a command saves something in.
fn saved_in(command: &str) -> Option<&str> {
    let file = command.rsplit_once("' >")?.1.split(' ').next()?;
    cluster_of(file).map(|_| file)
}

/// The cluster of which such a file is.
fn cluster_of(file: &str) -> Option<&str> {
    toolkit::SAVED.iter().find_map(|end| file.strip_suffix(end))
}

/// What is applied behind all others.
const LAST: &str = "once hosts have let go of what goes";

/// Applies a folder that clusters stand on by a command as well, where others come before it, or look up what it makes.
fn with_applies(mut all: Vec<Given>, turns: &[Turn]) -> Vec<Given> {
    for (at, turn) in turns.iter().enumerate() {
        let Turn::Apply(root) = turn else { continue };
        let whole = format!("terraform -chdir={root} apply");
        let part = format!("{whole} -target=");
        let output = format!("terraform -chdir={root} output ");
        let any = |of: &dyn Fn(&str) -> bool| all.iter().any(|(_, it)| of(it));
        let is_divided = any(&|it| it.starts_with(&part) && it.ends_with(shares::MADE_FIRST));
        let is_deployed = |it: &Turn| {
            let name = it.root().split_once('-').map_or("", |(_, name)| name);
            any(&|it| is_it(it, &format!("gcluster deploy {name}")))
        };
        let is_last = is_divided || turns.iter().take(at).any(is_deployed);
        let is_between = any(&|it| is_first_of_all(it) || it.contains(&output));
        let is_in_parts = turns.iter().any(|it| it.root() == root && matches!(it, Turn::Part(..)));
        let is_told =
            is_divided || !is_in_parts && (is_between || any(&|it| it.starts_with(&part)));
        if !root.starts_with('1') || any(&|it| is_it(it, &whole)) || !is_told {
            continue;
        }
        let command = if is_last { format!("{whole}  # {LAST}") } else { whole };
        let change = all.iter().map(|(change, _)| *change).max().unwrap_or_default();
        all.push((change, command));
    }
    all
}

/// The folders that commands apply, in their order; those that they do not apply stay where they are.
pub fn as_applied(turns: Vec<Turn>, commands: &[String]) -> Vec<Turn> {
    let at = |root: &String| {
        let name = root.split_once('-').map_or("", |(_, name)| name);
        let does = [
            format!("terraform -chdir={root} apply"),
            format!("gcluster deploy {name}"),
            format!("packer build {root}"),
        ];
        commands.iter().position(|it| does.iter().any(|does| is_it(it, does)))
    };
    if !commands.iter().any(|it| it.contains("gcluster deploy ")) {
        return turns;
    }
    let place = |turn: &Turn| match turn {
        Turn::Apply(root) => at(root),
        Turn::Part(..) | Turn::Away(_) => None,
    };
    let is_told = |it: &Turn| place(it).is_some();
    let mut told: Vec<Turn> = turns.iter().filter(|it| is_told(it)).cloned().collect();
    told.sort_by_key(&place);
    let mut told = told.into_iter();
    let in_turn = |turn: Turn| if is_told(&turn) { told.next().unwrap_or(turn) } else { turn };
    turns.into_iter().map(in_turn).collect()
}

/// Whether a command does something to all of a folder.
fn is_it(command: &str, does: &str) -> bool {
    let (_, last) = command
        .rsplit_once(" && ")
        .filter(|_| command.starts_with("test -s "))
        .unwrap_or(("", command));
    let rest = last.strip_prefix(does);
    rest.is_some_and(|it| it.is_empty() || it.starts_with(' ') && !it.starts_with(" -target="))
}

/// Whether it applies all that clusters stand on, while hosts may have what goes.
fn applies_ground(command: &str) -> bool {
    is_it(command, "terraform -chdir=10-foundation apply") && !command.ends_with(LAST)
}

/// Those that hosts need that are not made anew.
fn without_needless(all: Vec<Given>) -> Vec<Given> {
    let anew: BTreeSet<String> = all.iter().filter_map(|(_, it)| destroyed(it)).collect();
    let of_hosts = ["/etc/fstab", "State=POWER_DOWN", "sinfo --Node", "State=UNDRAIN"];
    let texts: BTreeSet<String> = all.iter().map(|(_, it)| it.clone()).collect();
    let fresh: BTreeSet<&str> = all.iter().filter_map(|(_, it)| filled_anew(it)).collect();
    let is_needless = |command: &String| {
        let of = host_of(command).filter(|it| anew.contains(*it));
        let goes = of.is_some() && of_hosts.iter().any(|it| command.contains(it));
        let within = texts.iter().any(|it| holds_nodes(it, command));
        let mounts = command.contains(" | sudo tee -a /etc/fstab")
            && command.contains("once it is deployed");
        goes || within
            || is_kept_anyway(command, &texts)
            || mounts && host_of(command).is_some_and(|it| fresh.contains(it))
    };
    let waits_longer = |it: &String| texts.contains(&format!("{it}; before any folder is applied"));
    let applies = texts.iter().any(|it| applies_ground(it));
    let drained: BTreeSet<&str> = texts
        .iter()
        .filter(|it| it.starts_with("for partition in "))
        .filter_map(|it| host_of(it))
        .collect();
    let whole: BTreeSet<&str> = texts.iter().filter_map(|it| destroyed_whole(it)).collect();
    let is_in_whole = |it: &String| {
        let of = of_terraform(it).filter(|(_, does)| does.starts_with("destroy -target="));
        of.is_some_and(|(root, _)| whole.contains(root))
    };
    let needless: BTreeSet<String> = texts
        .iter()
        .filter(|it| is_needless(it) || waits_longer(it) || is_in_whole(it))
        .cloned()
        .collect();
    let rest = all.into_iter().filter(|(_, it)| !needless.contains(it));
    let sooner = |(change, command): Given| {
        let is_drained = || host_of(&command).is_some_and(|it| drained.contains(it));
        let goes = command.starts_with("sudo umount /") && applies && is_drained();
        // what is applied then may destroy it
        let command = match goes {
            true => command.replacen("sudo umount /", "sudo umount --lazy /", 1).replacen(
                "once it is deployed",
                "before any folder is applied",
                1,
            ),
            false => command,
        };
        (change, command)
    };
    rest.map(sooner).collect()
}

/// Whether it keeps, in case it goes, what another one keeps since it goes, or finds the host of that.
fn is_kept_anyway(command: &str, all: &BTreeSet<String>) -> bool {
    let file = command.split_once(&format!("  # here, {}", toolkit::PERHAPS));
    let file = file.and_then(|(does, _)| Some(does.rsplit_once(" >")?.1));
    let found = command.split_once(&format!(", {}", toolkit::PERHAPS));
    let mut others = all.iter().filter(|it| !it.contains(toolkit::PERHAPS));
    match (file, found) {
        (Some(file), _) => others.any(|it| it.contains(&format!(" >{file}  # here, "))),
        (None, Some((does, _))) => others.any(|it| it.starts_with(&format!("{does}, before "))),
        (None, None) => false,
    }
}

/// The cluster that a command takes away.
fn destroyed(command: &str) -> Option<String> {
    let (does, _) = command.split_once("  # ").unwrap_or((command, ""));
    let by_folder = || {
        let (folder, rest) = does.strip_prefix("terraform -chdir=")?.split_once('/')?;
        rest.contains(" destroy -target=module.controller").then_some(folder)
    };
    does.strip_prefix("gcluster destroy ").or_else(by_folder).map(str::to_owned)
}

/// Whether a command does to more nodes what another one does to some of them.
fn holds_nodes(command: &str, other: &str) -> bool {
    let parts = |it: &str| -> Option<(String, u64, u64, String)> {
        let (start, rest) = it.split_once("NodeName='")?;
        let (nodes, does) = rest.split_once("]'")?;
        let (name, range) = nodes.split_once('[')?;
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let does = does.starts_with(" State=POWER_DOWN_ASAP ").then_some(does)?;
        Some((format!("{start}{name}"), first.parse().ok()?, last.parse().ok()?, does.to_owned()))
    };
    let both = parts(command).zip(parts(other)).filter(|_| command != other);
    both.is_some_and(|(more, some)| {
        (&more.0, &more.3) == (&some.0, &some.3) && more.1 <= some.1 && some.2 <= more.2
    })
}

/// The cluster whose controller, and the machines to submit from with it, are made anew, and have what they mount: folders of its disk are brought back to it.
fn filled_anew(command: &str) -> Option<&str> {
    let (_, rest) = command.split_once("--directory=/' <")?;
    let (file, _) = rest.split_once("  # here, minutes after it is deployed")?;
    cluster_of(file)
}

/// The cluster on whose hosts a command is given.
fn host_of(command: &str) -> Option<&str> {
    let (_, said) = command.split_once("  # on ")?;
    let (_, rest) = said.split_once(" of ")?;
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    rest.split(is_end).next()
}

/// The step of each; what says nothing of it comes with what stands before it in its change.
fn steps(all: &[Given]) -> Vec<Step> {
    let applies = all.iter().any(|(_, it)| applies_ground(it));
    let known: Vec<Option<Step>> =
        all.iter().enumerate().map(|(at, (_, it))| step(it, all.get(at..)?, applies)).collect();
    let of_change = |at: usize| all.get(at).map(|(change, _)| *change);
    // what is only deleted is so while its cluster is there
    let only_goes = |at: usize| {
        let mut same = all.iter().filter(|(change, _)| Some(*change) == of_change(at));
        same.all(|(_, it)| it.starts_with("kubectl delete ") && !it.contains(" && "))
    };
    let near = |at: usize| {
        let same = |it: &usize| of_change(*it) == of_change(at);
        let before = (0..at).rev().take_while(same).find_map(|it| known.get(it).copied()?);
        let behind = || (at..all.len()).take_while(same).find_map(|it| known.get(it).copied()?);
        let alone = if only_goes(at) { Step::LetGo } else { Step::Applied };
        before.or_else(behind).unwrap_or(alone)
    };
    known.iter().enumerate().map(|(at, it)| it.unwrap_or_else(|| near(at))).collect()
}

fn step(command: &str, behind: &[Given], applies: bool) -> Option<Step> {
    if command.starts_with(terraform::KEPT) {
        let is_before = applies || is_first_of_all(command);
        return Some(if is_before { Step::Kept } else { Step::Gone });
    }
    if command.starts_with("squeue ") || command.starts_with(toolkit::ENDED) {
        return Some(Step::Empty);
    }
    if command.starts_with("packer ") {
        return Some(Step::Built);
    }
    // what takes it away again
    if let Some(rest) = command
        .strip_prefix("gcluster create 30-")
        .or_else(|| command.strip_prefix("gcluster deploy "))
    {
        let name = rest.split(['/', ' ']).next().unwrap_or_default();
        let goes = behind.iter().any(|(_, it)| destroyed(it).as_deref() == Some(name));
        return Some(if goes { Step::TakenAway } else { Step::Deployed });
    }
    if command.ends_with(LAST) {
        return Some(Step::Gone);
    }
    if let Some(rest) = command.strip_prefix("terraform -chdir=") {
        let is_folder = |starts: &[char]| rest.starts_with(starts);
        if is_it(command, &format!("terraform -chdir={} apply", rest.split(' ').next()?)) {
            return Some(if is_folder(&['0', '1', '2']) { Step::Applied } else { Step::Deployed });
        }
        if rest.contains(" destroy") && is_folder(&['3', '4', '5']) {
            return Some(Step::TakenAway);
        }
        if rest.contains(" destroy") && !rest.contains("-target=module.") {
            return Some(Step::Deployed);
        }
    }
    let says = |(_, words): &&(Step, &[&str])| words.iter().any(|it| command.contains(it));
    SAID.iter().find(says).map(|(step, _)| *step)
}

/// Where in its step: by cluster, and what others go by first.
type Place = (String, u8);

fn place(step: Step, command: &str) -> Place {
    match step {
        Step::Saved => {
            let by_label =
                command.split_once("slurm_cluster_name=").and_then(|(_, it)| it.split(' ').next());
            let by_file = saved_in(command).and_then(cluster_of);
            let by_word = || command.split_once(LAST_OF).and_then(|(_, it)| it.split(':').next());
            let cluster = by_label.or(by_file).or_else(by_word).or_else(|| host_of(command));
            let cluster = cluster.unwrap_or_default();
            let rank = match command {
                _ if by_label.is_some() => 0,
                it if it.contains("before what they know") => 1,
                it if it.contains(LAST_OF) => 3,
                _ => 2,
            };
            (cluster.to_owned(), rank)
        }
        Step::Told => {
            let rank = match command {
                it if it.starts_with("sudo umount") => 0,
                it if it.contains("/etc/fstab") => 1,
                it if it.contains("State=POWER_DOWN") => 3,
                _ => 2,
            };
            (String::new(), rank)
        }
        Step::Gone => {
            let rank = match command {
                it if it.starts_with("sinfo ") => 0,
                it if it.contains("State=UNDRAIN") => 1,
                it if it.starts_with(terraform::KEPT) => 2,
                it if it.ends_with(LAST) => 3,
                _ => 4,
            };
            (String::new(), rank)
        }
        _ => (String::new(), 0),
    }
}
