//! The commands that bring a deployment from one blueprint to another.

use super::blueprint::{Blueprint, Module};
use super::controller::Controller;
use super::database::{Renewal, TARGETED, Taken, is_placed_alike, loses_apps, loses_homes};
use super::mounted::{
    self, ASIDE, CONTROLLERS, COPIED_BESIDE, COPIED_FIRST, DEPLOYED, Share, is_of_another,
    is_of_state, is_plain, is_same_share, let_go, remounted, state_moved,
};
use super::rows::{BUILT_IMAGE, CONTROLLER, DATABASE, MOUNT, NODES, PARTITION, TPUS};
use super::{
    APPS, BUILT_FIRST, CONTROLLER_ANEW, DATABASE_STAYS, FILES, HOME_GOES, IMAGE_WITH_CLUSTER,
    IN_DEPLOYMENT, NEXT_IMAGE, NEXT_NODES, OTHER_NETWORK, PLACE, PROLOGS_ANEW,
    SHARED_BY_CONTROLLER, STARTED_THERE, STATE_GOES, WITH_CLUSTER, destroyed,
};
use crate::{Change, Effect, file_name, word};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Slurm's administrator is root there, whose `PATH` has none of Slurm's programs.
const SCONTROL: &str = "sudo \"$(command -v scontrol)\" update";
/// Where it is given, and when; of a cluster without machines to submit from, on its controller.
const BEFORE: &str = "on a login node, before it is deployed";
const AFTER: &str = "on a login node, once it is deployed";
const SUBMITTING: &str = "on a login node";
const ALONE: &str = "on the controller";
/// What a controller does when it is made, as it has it minutes after each deployment; nothing of slurm-gcp runs it again.
pub(super) const CONTROLLER_START: &str =
    "sudo bash /slurm/custom_scripts/controller.d/ghpc_startup.sh";

macro_rules! all_drained {
    () => {
        "for partition in $(sinfo --noheader --format=%R); do sudo \"$(command -v scontrol)\" update PartitionName=\"$partition\" State=DRAIN; done"
    };
}

/// No job is taken any more, and those that there are end, as the page of the output has it. A node that comes up has Slurm read its settings anew (slurm-gcp:
/// `update_topology`), by which partitions take jobs again.
pub(super) const ALL_DRAINED: &str =
    concat!(all_drained!(), "  # on a login node: jobs that there are end first");
pub(super) const ALL_ENDED: &str = concat!(
    "until jobs=\"$(squeue --noheader)\" && [ -z \"$jobs\" ]; do echo \"$jobs\"; ",
    all_drained!(),
    "; sleep 60; done  # on a login node: it ends with the last job, and drains each minute what a node that comes up lifts; jobs that wait begin still, and `sudo \"$(command -v scancel)\" --state=pending` ends those that are not to"
);
/// How what waits for that begins, of all jobs or of some.
pub(crate) const ENDED: &str = "until jobs=\"$(squeue ";
/// When a cluster goes that others folders make anew what it stands on of.
const FIRST_OF_ALL: &str = "  # before any folder is applied";
pub(super) const BEFORE_ALL: &str = "before any folder is applied";

/// What makes a whole deployment anew: it is taken away behind the last of its jobs, before what it stands on is another.
pub(crate) fn renewed(
    root: &str,
    before: &BTreeMap<&str, &str>,
    after: &BTreeMap<&str, &str>,
) -> Renewed {
    let Renewal { away, back } = Renewal::of(root, (before, after), FIRST_OF_ALL);
    let (old, new) = (whole(before), whole(after));
    let drained = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into_iter();
    let away = drained.chain(away).map(|it| placed(it, old.as_ref(), new.as_ref()));
    let again = commands(root, before, after).into_iter().chain(back);
    let again = again.map(|it| placed(it, old.as_ref(), new.as_ref()));
    Renewed { away: away.collect(), again: again.collect() }
}

/// What takes a deployment away, and what makes it anew once what it stands on is there.
pub(crate) struct Renewed {
    pub(crate) away: Vec<String>,
    pub(crate) again: Vec<String>,
}

/// Has the commands that take a deployment away do so before anything is applied.
pub(crate) fn put_first(commands: &mut [String], root: &str) {
    let away = destroyed(root);
    for command in commands.iter_mut().filter(|it| **it == away || it.contains(TARGETED)) {
        if !is_first_of_all(command) {
            command.push_str(FIRST_OF_ALL);
        }
    }
}

/// Whether a command comes before anything is applied.
pub fn is_first_of_all(command: &str) -> bool {
    command.ends_with(BEFORE_ALL)
}

/// A command that comes then as well.
pub(crate) fn first_of_all(command: &str) -> String {
    format!("{command}, {BEFORE_ALL}")
}

/// Whether it takes a deployment away then.
pub(crate) fn is_taken_first(command: &str) -> bool {
    command.ends_with(FIRST_OF_ALL)
}

/// What of that comes before what else: all is copied out of clusters before the first of them goes, and kept behind the last who writes to it.
pub fn turn_of_first(command: &str) -> u8 {
    match command {
        it if it.starts_with(crate::terraform::KEPT) => 2,
        it => u8::from(is_taken_first(it) && it.contains(" destroy")),
    }
}

/// Both sides of a cluster, and what brings its deployment from one to the other.
pub(super) struct Deployment<'b> {
    pub(super) root: &'b str,
    pub(super) old: &'b Blueprint,
    pub(super) new: &'b Blueprint,
    pub(super) deploy: &'b [String],
    /// Its files on both sides.
    pub(super) files: (&'b BTreeMap<&'b str, &'b str>, &'b BTreeMap<&'b str, &'b str>),
}

impl Deployment<'_> {
    /// Gives each change what lets its own jobs end, and then all that comes behind, so that none of it is told before what deploys.
    pub(super) fn give(&self, found: &mut [Change]) {
        let is_elsewhere = is_moved(self.files.0, self.files.1) || found.iter().any(is_rehomed);
        let is_anew = is_elsewhere || found.iter().any(shares_otherwise);
        let then = if is_anew { self.made_anew(found, is_elsewhere) } else { self.changed(found) };
        if is_anew {
            self.tell_anew(found);
        }
        for change in found.iter_mut().filter(|it| it.effect != Effect::Nothing) {
            let own = if is_anew { Vec::new() } else { self.drained(change) };
            let all = own.into_iter().chain(then.iter().cloned());
            let placed = all.map(|it| placed(it, Some(self.old), Some(self.new)));
            change.commands.extend(placed);
        }
    }

    /// Nothing of a cluster that is made anew goes on as it was.
    fn tell_anew(&self, found: &mut [Change]) {
        let (before, after) = self.files;
        if !is_placed_alike(before, after) {
            let stays = format!("; {DATABASE_STAYS}");
            found.iter_mut().for_each(|it| it.why = it.why.replace(&stays, ""));
        }
        let goes_on =
            |it: &Change| it.thing.starts_with("module ") || it.why.contains(CONTROLLER_ANEW);
        let is_told = |it: &Change| ![Effect::Adds, Effect::Nothing].contains(&it.effect);
        for change in found.iter_mut().filter(|it| is_told(it) && goes_on(it)) {
            let was = self.old.modules.get(id(change));
            let of_image = was.is_some_and(|it| self.old.builds_image_with(it))
                || was.is_none() && change.why.starts_with(NEXT_IMAGE);
            let is_database = was.is_some_and(|it| it.source.ends_with(DATABASE));
            (change.effect, change.why) = match change.effect <= Effect::Replaces {
                _ if of_image => (Effect::NextStart, IMAGE_WITH_CLUSTER.to_owned()),
                true if !change.why.contains(CONTROLLER_ANEW) => continue,
                // it may stay
                false if is_database => continue,
                _ => (Effect::Replaces, WITH_CLUSTER.to_owned()),
            };
        }
    }

    /// What takes all of it away, and deploys it again.
    fn made_anew(&self, found: &[Change], is_elsewhere: bool) -> Vec<String> {
        let copied = |of: fn(&Self, Option<&Module>, Option<&Module>) -> Option<String>| {
            let shares = found.iter().filter(|it| shares_otherwise(it));
            shares.filter_map(move |it| {
                let (was, is) = sides(it, self.old, self.new);
                of(self, was, is)
            })
        };
        let mut all: Vec<String> = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into();
        all.extend(copied(|_, _, is| kept(is?)));
        let others = found.iter().map(|it| sides(it, self.old, self.new));
        all.extend(others.filter_map(|(was, is)| {
            let (was, is) = was.zip(is)?;
            is_of_another(was, is).then(|| filled_by(was, is)).flatten()
        }));
        let when = if is_elsewhere { FIRST_OF_ALL } else { "" };
        let mut seen = BTreeSet::new();
        all.retain(|it| seen.insert(it.clone()));
        let Renewal { away, back } = Renewal::of(self.root, self.files, when);
        all.extend(away);
        all.extend(self.deploy.iter().cloned());
        all.extend(back);
        if !is_elsewhere {
            all.extend(copied(|it, was, _| brought_back(was?, it.new)));
        }
        all
    }

    /// What comes behind the drains of single changes: nodes go by force once their jobs are over, it is deployed, and what stands is told.
    fn changed(&self, found: &[Change]) -> Vec<String> {
        let found = || found.iter().filter(|it| it.effect != Effect::Nothing);
        let is_anew = found().any(|it| it.why.contains(CONTROLLER_ANEW));
        let mut forced = found().flat_map(|it| self.forced(it)).peekable();
        let partitions: BTreeSet<&str> =
            found().flat_map(|it| &it.partitions).map(String::as_str).collect();
        let ended = forced.peek().is_some().then(|| {
            let partitions: Vec<&str> = partitions.into_iter().collect();
            format!("squeue --partition={} --states=running,completing  # on a login node, until it lists none", partitions.join(","))
        });
        let mut last: Vec<String> =
            found().flat_map(|it| after(it, self.old, self.new, is_anew)).collect();
        last.sort_by_key(|it| {
            TURNS.iter().position(|turn| it.contains(turn)).map_or(0, |at| at + 1)
        });
        let (before, after) = self.files;
        let taken = self.taken(found(), is_anew);
        let [state_kept, state_on, state_back] = self.state(found(), is_anew);
        let former = Controller::of(self.old, before);
        let unnumbered = (is_anew && taken.accounts).then(|| former.unnumbered());
        // whoever acts as another account may lose what it needs for jobs that wait
        let acts = |it: &Change| it.acts_otherwise() && it.thing == "module controller";
        let ended_first = match found().any(acts) {
            true => format!("{ALL_ENDED}; {BEFORE_ALL}"),
            false => ALL_ENDED.to_owned(),
        };
        let emptied = [ALL_DRAINED.to_owned(), ended_first].into_iter();
        let loses_jobs = found().any(|it| it.why.contains(STATE_GOES));
        let kept = emptied
            .filter(|_| taken.homes || loses_jobs)
            .chain(taken.away(self.root, self.old, before))
            .chain(unnumbered);
        let back = taken.back(self.old.cluster(), self.new, after).into_iter().chain(state_back);
        let deploy = state_on.into_iter().chain(self.deploy.iter().cloned());
        let deploy = deploy.chain(self.deployed_again(found())).chain(back);
        let first = self.unmounted_first(found()).into_iter().chain(state_kept);
        let all = first.chain(kept).chain(ended).chain(forced).chain(deploy).chain(last);
        let mut seen = BTreeSet::new();
        all.filter(|it| seen.insert(it.clone())).collect()
    }

    /// What of the controller is taken along, where it is made anew, or counts elsewhere.
    fn taken<'c>(&self, found: impl Iterator<Item = &'c Change> + Clone, is_anew: bool) -> Taken {
        let is_homeless = found
            .clone()
            .any(|it| [CONTROLLER_ANEW, HOME_GOES].iter().all(|why| it.why.contains(why)));
        // one that comes is empty
        let counts_elsewhere = |it: &Change| {
            let (was, is) = sides(it, self.old, self.new);
            was.or(is).is_some_and(|it| it.source.ends_with(DATABASE))
                && (was.is_none() || it.effect == Effect::DestroysData)
        };
        Taken {
            homes: is_homeless && loses_homes(self.old, self.new),
            apps: is_anew && loses_apps(self.old, self.new),
            accounts: found.clone().any(counts_elsewhere)
                || is_anew && self.old.database().is_none(),
        }
    }

    /// A network goes with the last of its nodes, which those that are always there leave once Slurm knows them no more. Another image would have the
    /// controller made anew once more.
    fn deployed_again<'c>(&self, found: impl Iterator<Item = &'c Change>) -> Option<String> {
        let is_held = |it: &Change| {
            let network = self.old.modules.get(id(it)).filter(|was| is_other_network(it, was));
            network.is_some_and(|it| self.old.sets_on(it).any(|set| set.least() > 0))
        };
        let mut held = found.filter(|it| is_held(it));
        held.next()?;
        let deploy = self.deploy.last()?;
        let built = self.new.image().filter(|_| !deploy.contains(SKIPPED));
        let skipped = built.map(|(group, _)| format!("{SKIPPED}{group}")).unwrap_or_default();
        Some(format!(
            "{deploy}{skipped}  # again, minutes later: it stops at the network as long as nodes are on it"
        ))
    }

    /// What takes along what controllers know of jobs, where that lies in another filesystem.
    fn state<'c>(
        &self,
        found: impl Iterator<Item = &'c Change>,
        is_anew: bool,
    ) -> [Vec<String>; 3] {
        let (before, after) = self.files;
        let controllers = (&Controller::of(self.old, before), &Controller::of(self.new, after));
        let moved = found.map(|it| sides(it, self.old, self.new));
        let mut moved = moved
            .filter(|(was, is)| was.or(*is).is_some_and(is_of_state) && !is_same_share(*was, *is));
        let both = moved.next();
        both.map(|both| state_moved(both, controllers, is_anew)).unwrap_or_default()
    }

    /// What lets shares go of which others take the place, which an apply may destroy before the cluster is deployed again: hosts would hang.
    fn unmounted_first<'c>(&self, found: impl Iterator<Item = &'c Change>) -> Vec<String> {
        let others = found.filter_map(|it| {
            let (was, is) = sides(it, self.old, self.new);
            let both = was.zip(is).filter(|(was, is)| is_of_another(was, is));
            both.filter(|(was, _)| !is_of_state(was))
        });
        let off: Vec<String> = others
            .flat_map(|(was, is)| {
                let path = was.says.get("local_mount").filter(|it| is_plain(it));
                let copied = filled_by(was, is);
                copied.into_iter().chain(path.into_iter().flat_map(|path| let_go(path)))
            })
            .collect();
        let drained = [ALL_DRAINED.to_owned(), format!("{ALL_ENDED}; {BEFORE_ALL}")];
        drained.into_iter().filter(|_| !off.is_empty()).chain(off.iter().cloned()).collect()
    }

    /// What lets the jobs of one change end, and no others begin.
    fn drained(&self, change: &Change) -> Vec<String> {
        let (was, is) = sides(change, self.old, self.new);
        let Some(was) = was else { return Vec::new() };
        let nodes = |set: &Module, which| {
            let nodes = self.old.nodes(set, which);
            nodes.map(|it| drained(&format!("NodeName={}", word(&it)), REASON))
        };
        if is_other_network(change, was) {
            let sets = self.old.sets_on(was);
            return sets.filter_map(|set| nodes(set, 0..set.most())).collect();
        }
        let partition = was
            .says
            .get("partition_name")
            .filter(|_| is.is_none() && was.source.ends_with(PARTITION));
        if let Some(name) = partition {
            let waiting = format!(
                "{ENDED}--partition={name} --noheader)\" && [ -z \"$jobs\" ]; do echo \"$jobs\"; {SCONTROL} PartitionName={name} State=DRAIN; sleep 60; done  # {SUBMITTING}: it ends with the last job there, and drains each minute what a node that comes up lifts; jobs that wait there begin still, and `sudo \"$(command -v scancel)\" --partition={name} --state=pending` ends those that are not to"
            );
            return vec![drained(&format!("PartitionName={name}"), ""), waiting];
        }
        let Some(is) = is.filter(|it| it.source.ends_with(NODES) || it.source.ends_with(TPUS))
        else {
            return Vec::new();
        };
        let is_other =
            was.says.get("machine_type") != is.says.get("machine_type") || is_other_slice(was, is);
        let stay = if is_other { 0 } else { is.most() };
        let going = self.old.nodes(was, stay..was.most());
        let let_end = |all: String| {
            [drained(&format!("NodeName={}", word(&all)), REASON), ended("nodelist", &all)]
        };
        going.into_iter().flat_map(let_end).collect()
    }

    /// What takes nodes off a network that goes. Those that are always there would be made anew at once: they go when Slurm knows them no more.
    fn forced(&self, change: &Change) -> Vec<String> {
        let network = self.old.modules.get(id(change)).filter(|it| is_other_network(change, it));
        let sets = network.into_iter().flat_map(|it| self.old.sets_on(it));
        let nodes = sets.filter_map(|set| self.old.nodes(set, set.least()..set.most()));
        let forced = nodes.map(|nodes| {
            format!("{SCONTROL} NodeName={} State=POWER_DOWN_FORCE  # {BEFORE}", word(&nodes))
        });
        forced.collect()
    }
}

/// What is given behind all else once it is deployed, in this order.
const TURNS: [&str; 4] = ["/etc/fstab && sudo mkdir", "POWER_DOWN_ASAP", "sinfo ", "UNDRAIN"];
/// How a deployment builds no image.
const SKIPPED: &str = " --skip=";
/// Nodes whose jobs are not over have mounted what may be destroyed next.
const NONE_STANDS: &str = "sinfo --Node --states=draining,power_down,powering_down  # on a login node, until it lists none: they mount what goes until then";

/// Compute Engine takes back no machine that somebody has.
pub(super) const NONE_RESERVED: &str = "until it lists none: they have what is reserved until then";

/// Whether nodes of a set have machines of a reservation no more, or fewer of them.
fn leaves_reservation(was: &Module, is: Option<&Module>) -> bool {
    let leaves = |is: &Module| is.most() < was.most() || reserved(is) != reserved(was);
    reserved(was).is_some() && is.is_none_or(leaves)
}

/// The reservation that nodes are had from.
fn reserved(set: &Module) -> Option<&String> {
    set.says.get("reservation_name")
}

/// A command, with the host of that very cluster on which it is given.
pub(super) fn placed(command: String, old: Option<&Blueprint>, new: Option<&Blueprint>) -> String {
    let is_after =
        ["once", "after"].iter().any(|it| command.contains(&format!("{it} it is deployed")));
    let is_after = is_after || command == NONE_STANDS || command.ends_with(NONE_RESERVED);
    let Some(of) = (if is_after { new } else { old }) else { return command };
    let host = if of.has_login() { SUBMITTING } else { ALONE };
    let command = command.replacen(SUBMITTING, &format!("{host} of {}", of.cluster()), 1);
    let alone = format!("{ALONE} of {},", of.cluster());
    let command = command.replacen(&format!("{ALONE},"), &alone, 1);
    let is_named = command.contains(&format!("{CONTROLLERS} of "));
    let side = if command.contains(DEPLOYED) { new } else { old };
    match side {
        Some(of) if !is_named => {
            command.replacen(CONTROLLERS, &format!("{CONTROLLERS} of {}", of.cluster()), 1)
        }
        _ => command,
    }
}

/// Whether hosts mount something from then on where the controller shares what is its own, or the other way around.
fn shares_otherwise(change: &Change) -> bool {
    change.why.starts_with(SHARED_BY_CONTROLLER)
}

/// Whether the controller and its nodes are on another network from then on: those that stand would not reach each other.
fn is_rehomed(change: &Change) -> bool {
    change.why.starts_with(OTHER_NETWORK)
}

/// What a node says why it takes no jobs.
const REASON: &str = " Reason=change";

/// What shows whether the last job is over: what drains does not wait for that.
fn ended(by: &str, which: &str) -> String {
    format!("squeue --{by}={}  # on a login node, until it lists none", word(which))
}

/// What gives nodes no more jobs.
fn drained(which: &str, reason: &str) -> String {
    format!("{SCONTROL} {which} State=DRAIN{reason}  # {BEFORE}; jobs there end first")
}

/// What comes once a change of one module is deployed; whether the controller and the machines to submit from are made anew with it.
fn after(change: &Change, old: &Blueprint, new: &Blueprint, is_anew: bool) -> Vec<String> {
    let (was, is) = sides(change, old, new);
    let mut after = Vec::new();
    if change.why.starts_with(PROLOGS_ANEW) {
        after.push(format!("{CONTROLLER_START}  # {ALONE}, minutes after it is deployed"));
    }
    if change.why.starts_with(STARTED_THERE) && !is_anew {
        after.push(format!("{CONTROLLER_START}  # {ALONE}, minutes after it is deployed, where all of it is to run there again"));
    }
    if let Some((was, is)) = was.zip(is.filter(|it| it.source.ends_with(NODES))) {
        after.extend(nodes_anew(change, old, (was, is)));
    }
    if let Some((was, is)) = was.zip(is).filter(|(was, is)| is_other_slice(was, is)) {
        let nodes = old.nodes(was, 0..was.most().min(is.most()));
        after.extend(nodes.map(|it| undrained(&it)));
    }
    let is_controller = was.zip(is).is_some_and(|(_, is)| is.source.ends_with(CONTROLLER));
    let is_controller = is_controller || change.why.contains(BUILT_FIRST);
    let serves_apps = is_controller && change.effect <= Effect::Restarts && !new.mounts(APPS);
    let of_image = was.is_some_and(|it| old.builds_image_with(it))
        && (is.is_some() || new.is_built_elsewhere)
        || was.is_none() && is.is_some_and(|it| it.source.ends_with(BUILT_IMAGE));
    if let Some(set) = was.filter(|was| leaves_reservation(was, is)) {
        let is_other = |is: &&Module| reserved(is) != reserved(set);
        let stay = is.filter(is_other).map_or(0, Module::most);
        let stand = old.nodes(set, 0..set.most().min(stay));
        after.extend(stand.map(|nodes| made_anew(&nodes)));
        after.push(format!("sinfo --Node --states=draining,power_down,powering_down  # {SUBMITTING}, {NONE_RESERVED}"));
    }
    let of_mount = was.or(is).is_some_and(|it| it.source.ends_with(MOUNT));
    if of_mount && !is_anew {
        after.extend(remounted(was, is));
    }
    if serves_apps || of_image || of_mount {
        // one that is made for a job, and stays for a while, has it mounted as well
        let goes = of_mount && was.is_some() && !is_same_share(was, is);
        let sets = old.modules.values().filter(|it| it.source.ends_with(NODES));
        // those that go are named no more
        let comes = of_mount && was.is_none();
        let count = |set: &Module| if goes || comes { set.most() } else { set.least() };
        let stay = |set: &Module| new.modules.get(&set.id).map_or(0, |it| it.most());
        let nodes = sets.filter_map(|set| old.nodes(set, 0..count(set).min(stay(set))));
        after.extend(nodes.map(|nodes| made_anew(&nodes)));
        after.extend(goes.then(|| NONE_STANDS.to_owned()));
    }
    after
}

/// What takes along what lies in a folder of the controller, where something is mounted from then on.
fn kept(is: &Module) -> Option<String> {
    let share = Share::of(is).filter(|_| is.mounts_shared())?;
    Some(share.copied([share.path, ASIDE], COPIED_FIRST))
}

/// What takes along what lies in a share, where another one is mounted there.
fn filled_by(was: &Module, is: &Module) -> Option<String> {
    let share = Share::of(is).filter(|it| it.is_of_files())?;
    let path = was.says.get("local_mount").filter(|it| is_plain(it))?;
    Share::of(was).filter(Share::is_of_files)?;
    Some(share.copied([path, ASIDE], COPIED_BESIDE))
}

/// What takes along what lies in a share, where the controller has a folder of its own from then on.
fn brought_back(was: &Module, new: &Blueprint) -> Option<String> {
    let share = Share::of(was).filter(|it| was.mounts_shared() && !new.mounts(it.path))?;
    Some(share.copied([ASIDE, share.path], "once it is deployed"))
}

/// Whether slices of TPUs have another shape, and so other hosts.
fn is_other_slice(was: &Module, is: &Module) -> bool {
    let shape = |it: &Module| -> BTreeMap<String, String> {
        let is_shape = |name: &&String| {
            ["node_type", "accelerator_config"].iter().any(|it| name.starts_with(it))
        };
        let says = it.says.iter().filter(|(name, _)| is_shape(name));
        says.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    was.source.ends_with(TPUS) && shape(was) != shape(is)
}

/// What gives nodes jobs again that were drained for others of their name.
fn undrained(nodes: &str) -> String {
    format!("{SCONTROL} NodeName={} State=UNDRAIN  # minutes later", word(nodes))
}

/// What gives nodes of a set what they are made from now.
fn nodes_anew(change: &Change, old: &Blueprint, (was, is): (&Module, &Module)) -> Vec<String> {
    if was.says.get("machine_type") != is.says.get("machine_type") {
        let all = old.nodes(was, 0..was.most().min(is.most())).into_iter();
        let commands = all.flat_map(|nodes| [made_anew(&nodes), undrained(&nodes)]);
        return commands.collect();
    }
    // those that wait for jobs would act as the former account
    let count = if change.acts_otherwise() { Module::most } else { Module::least };
    let always = old.nodes(was, 0..count(was).min(count(is)));
    let always = always.filter(|_| change.why.contains(NEXT_NODES));
    always.map(|nodes| made_anew(&nodes)).into_iter().collect()
}

/// What gives nodes that are always there what is made from now on.
pub(super) fn made_anew(nodes: &str) -> String {
    format!(
        "{SCONTROL} NodeName={} State=POWER_DOWN_ASAP  # {AFTER}: each is made anew as its job ends",
        word(nodes)
    )
}

/// A module as it was, and as it is.
fn sides<'b>(
    change: &Change,
    old: &'b Blueprint,
    new: &'b Blueprint,
) -> (Option<&'b Module>, Option<&'b Module>) {
    let (was, is) = (old.modules.get(id(change)), new.modules.get(id(change)));
    match (was, is) {
        (Some(was), None) => (Some(was), mounted::in_place_of(was, (new, old))),
        (None, Some(is)) => (mounted::in_place_of(is, (old, new)), Some(is)),
        both => both,
    }
}

/// The module that a change is of.
fn id(change: &Change) -> &str {
    change.thing.strip_prefix("module ").unwrap_or_default()
}

/// A network that is made anew, or goes, with nodes on it.
fn is_other_network(change: &Change, was: &Module) -> bool {
    was.is_data_network() && change.effect == Effect::Replaces
}

/// What makes the deployment of a folder anew, and then changes what there is. Packer builds its image each time that it is let, and another
/// image has the controller made anew: only one of which something is another is built.
pub(crate) fn commands(
    root: &str,
    before: &BTreeMap<&str, &str>,
    all: &BTreeMap<&str, &str>,
) -> Vec<String> {
    let name = file_name(root);
    let name = name.strip_prefix("30-").unwrap_or(name);
    let of_it = all.iter().filter(|(path, _)| FILES.contains(&file_name(path)));
    let words = of_it.flat_map(|(_, text)| text.split("$(vars.").skip(1));
    let words = words.filter_map(|rest| Some(rest.split_once(')')?.0));
    let later: BTreeSet<&str> = words.filter(|word| !IN_DEPLOYMENT.contains(word)).collect();
    let later = later.into_iter().map(|word| {
        format!(" --vars={word}=\"$(terraform -chdir=10-foundation output -raw {word})\"")
    });
    let later: String = later.collect();
    let (old, new) = (whole(before), whole(all));
    let sides = old.as_ref().zip(new.as_ref());
    let gone = sides.map(|(old, new)| old.groups_beyond(new)).unwrap_or_default();
    let is_forced = !gone.is_empty() || sides.is_some_and(|(old, new)| old.release != new.release);
    let forced = if is_forced { " --force" } else { "" };
    let create = format!(
        "gcluster create {root}/cluster.yaml --deployment-file={root}/deployment.yaml --backend-config=\"bucket=$STATE\"{later} --overwrite-deployment{forced}"
    );
    let deploy = match sides.and_then(|(old, new)| kept_image((old, before), (new, all))) {
        Some(group) => format!("gcluster deploy {name}{SKIPPED}{group}"),
        None => format!("gcluster deploy {name}"),
    };
    let gone = gone.into_iter().map(|group| format!("terraform -chdir={name}/{group} destroy"));
    gone.chain([create, deploy]).collect()
}

fn text<'t>(files: &BTreeMap<&str, &'t str>, name: &str) -> Option<&'t str> {
    files.iter().find(|(path, _)| file_name(path) == name).map(|(_, text)| *text)
}

/// The blueprint of a folder.
pub(super) fn whole(files: &BTreeMap<&str, &str>) -> Option<Blueprint> {
    Blueprint::read(text(files, FILES[0])?)
}

/// One side of a folder: its blueprint, and its files.
type Side<'s> = (&'s Blueprint, &'s BTreeMap<&'s str, &'s str>);

/// A variable of the deployment of a folder.
pub(super) fn variable(files: &BTreeMap<&str, &str>, name: &str) -> Option<String> {
    let deployment: Value = serde_yaml::from_str(text(files, FILES[1])?).ok()?;
    Some(deployment.get("vars")?.get(name)?.as_str()?.to_owned())
}

/// Whether a deployment is in another place from then on.
pub(super) fn is_moved(before: &BTreeMap<&str, &str>, after: &BTreeMap<&str, &str>) -> bool {
    PLACE.iter().any(|name| variable(before, name) != variable(after, name))
}

/// The group that would build the very image which is there.
fn kept_image((old, before): Side<'_>, (new, after): Side<'_>) -> Option<String> {
    let (group, parts) = new.image()?;
    let (_, former) = old.image()?;
    let is_same = parts.len() == former.len()
        && parts
            .iter()
            .zip(&former)
            .all(|(is, was)| (&is.id, &is.source, &is.says) == (&was.id, &was.source, &was.says));
    let project = |files| variable(files, "project_id");
    (is_same && project(before) == project(after)).then(|| group.to_owned())
}
