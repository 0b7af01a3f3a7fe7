//! The commands that bring a deployment from one blueprint to another.

use super::blueprint::{Blueprint, Module};
use super::database::{Renewal, TARGETED};
use super::{
    APPS, CONTROLLER, CONTROLLER_ANEW, DATABASE, FILES, HOME_GOES, IN_DEPLOYMENT, MOUNT,
    NEXT_NODES, NODES, OTHER_NETWORK, PARTITION, PLACE, PROLOGS_ANEW, SHARED_BY_CONTROLLER,
    STARTED_THERE, TPUS, destroyed,
};
use crate::{Change, Effect, File, file_name};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// slurm-gcp calls its own so (`conf.py`: `install_slurmdbd_conf`), and has the words of the other in a secret.
const DATABASE_KEPT: &str = "sudo systemctl stop slurmdbd && sudo mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on the controller, before it is deployed";
const DATABASE_FILLED: &str = "sudo systemctl stop slurmdbd && mysql --host=\"$HOST\" --user=\"$DB_USER\" --password \"$LOC\" <slurm_acct_db.sql && sudo systemctl start slurmdbd  # once it is deployed, where /etc/slurm/slurmdbd.conf says StorageHost, StorageUser and StorageLoc";
/// What people have in their folders on the disk of a controller that is made anew, by way of the host that deploys it.
const HOME_KEPT: &str = "gcloud compute ssh \"${CONTROLLER:?}\" --zone=\"${ZONE:?}\" --command='sudo tar --create --gzip --directory=/ home' >home.tgz  # here, before it is deployed; README has both, and what else that takes, as the way onto the controller";
const HOME_BACK: &str = "gcloud compute ssh \"${CONTROLLER:?}\" --zone=\"${ZONE:?}\" --command='sudo tar --extract --gzip --directory=/' <home.tgz  # here, minutes after it is deployed";
/// What Terraform refuses to destroy a database with, and what it lets it go with.
const PROTECTED: &str = "deletion_protection: true";
const LIFTED: &str = "deletion_protection: false";

/// Slurm's administrator is root there, whose `PATH` has none of Slurm's programs.
const SCONTROL: &str = "sudo \"$(command -v scontrol)\" update";
/// Where it is given, and when.
const BEFORE: &str = "on a login node, before it is deployed";
const AFTER: &str = "on a login node, once it is deployed";
/// What a controller does when it is made, as it has it minutes after each deployment; nothing of slurm-gcp runs it again.
pub(super) const CONTROLLER_START: &str =
    "sudo bash /slurm/custom_scripts/controller.d/ghpc_startup.sh";

/// No job is taken any more, and those that there are end, as the page of the output has it.
const ALL_DRAINED: &str = "for partition in $(sinfo --noheader --format=%R); do sudo \"$(command -v scontrol)\" update PartitionName=\"$partition\" State=DRAIN; done  # on a login node: jobs that there are end first";
const ALL_ENDED: &str = "squeue  # on a login node, until it lists none";
/// When a cluster goes that others folders make anew what it stands on of.
const FIRST_OF_ALL: &str = "  # before any folder is applied";
/// Hosts that no deployment makes anew.
const STANDING: &str = "on the controller and on each machine to submit from, once it is deployed";

/// What makes a whole deployment anew: it is taken away behind the last of its jobs, before what it stands on is another.
pub(crate) fn renewed(
    root: &str,
    before: &BTreeMap<&str, &str>,
    after: &BTreeMap<&str, &str>,
) -> Renewed {
    let Renewal { away, back } = Renewal::of(root, (before, after), FIRST_OF_ALL);
    let drained = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into_iter();
    let again = commands(root, before, after).into_iter().chain(back);
    Renewed { away: drained.chain(away).collect(), again: again.collect() }
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

/// Whether a command takes a deployment away before anything is applied.
pub fn is_first_of_all(command: &str) -> bool {
    command.ends_with(FIRST_OF_ALL)
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
        for change in found.iter_mut().filter(|it| it.effect != Effect::Nothing) {
            let own = if is_anew { Vec::new() } else { self.drained(change) };
            change.commands.extend(own.into_iter().chain(then.iter().cloned()));
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
        let when = if is_elsewhere { FIRST_OF_ALL } else { "" };
        let Renewal { away, back } = Renewal::of(self.root, self.files, when);
        all.extend(away);
        all.extend(self.deploy.iter().cloned());
        all.extend(back);
        all.extend(copied(|it, was, _| brought_back(was?, it.new)));
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
            found().flat_map(|it| after(it, self.old, self.new, self.deploy, is_anew)).collect();
        last.sort_by_key(|it| {
            TURNS.iter().position(|turn| it.contains(turn)).map_or(0, |at| at + 1)
        });
        let is_homeless =
            found().any(|it| [CONTROLLER_ANEW, HOME_GOES].iter().all(|why| it.why.contains(why)));
        let home = |all: &[&str]| -> Vec<String> {
            all.iter().filter(|_| is_homeless).map(|it| (*it).to_owned()).collect()
        };
        let kept = home(&[ALL_DRAINED, ALL_ENDED, HOME_KEPT]).into_iter();
        let deploy = self.deploy.iter().cloned().chain(home(&[HOME_BACK]));
        let all = kept.chain(ended).chain(forced).chain(deploy).chain(last);
        let mut seen = BTreeSet::new();
        all.filter(|it| seen.insert(it.clone())).collect()
    }

    /// What lets the jobs of one change end, and no others begin.
    fn drained(&self, change: &Change) -> Vec<String> {
        let (was, is) = sides(change, self.old, self.new);
        let Some(was) = was else {
            let kept = is.filter(|it| it.source.ends_with(DATABASE));
            return kept.map(|_| DATABASE_KEPT.to_owned()).into_iter().collect();
        };
        let nodes = |set: &Module, which| {
            let nodes = self.old.nodes(set, which);
            nodes.map(|it| drained(&format!("NodeName={it}"), REASON))
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
            return vec![drained(&format!("PartitionName={name}"), ""), ended("partition", name)];
        }
        let Some(is) = is.filter(|it| it.source.ends_with(NODES) || it.source.ends_with(TPUS))
        else {
            return Vec::new();
        };
        let is_other = was.says.get("machine_type") != is.says.get("machine_type");
        let stay = if is_other { 0 } else { is.most() };
        let going = self.old.nodes(was, stay..was.most());
        let let_end =
            |all: String| [drained(&format!("NodeName={all}"), REASON), ended("nodelist", &all)];
        going.into_iter().flat_map(let_end).collect()
    }

    /// What takes nodes off a network that goes. Those that are always there would be made anew at once: they go when Slurm knows them no more.
    fn forced(&self, change: &Change) -> Vec<String> {
        let network = self.old.modules.get(id(change)).filter(|it| is_other_network(change, it));
        let sets = network.into_iter().flat_map(|it| self.old.sets_on(it));
        let nodes = sets.filter_map(|set| self.old.nodes(set, set.least()..set.most()));
        let forced = nodes
            .map(|nodes| format!("{SCONTROL} NodeName={nodes} State=POWER_DOWN_FORCE  # {BEFORE}"));
        forced.collect()
    }
}

/// What is given behind all else once it is deployed, in this order.
const TURNS: [&str; 4] = ["POWER_DOWN_ASAP", "sinfo ", "UNDRAIN", "gcluster deploy "];
/// Nodes whose jobs are not over have mounted what may be destroyed next.
const NONE_STANDS: &str = "sinfo --Node --states=draining,power_down,powering_down  # on a login node, until it lists none: they mount what goes until then";

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
    format!("squeue --{by}={which}  # on a login node, until it lists none")
}

/// What gives nodes no more jobs.
fn drained(which: &str, reason: &str) -> String {
    format!("{SCONTROL} {which} State=DRAIN{reason}  # {BEFORE}; jobs there end first")
}

/// What comes once a change of one module is deployed; whether the controller and the machines to submit from are made anew with it.
fn after(
    change: &Change,
    old: &Blueprint,
    new: &Blueprint,
    deploy: &[String],
    is_anew: bool,
) -> Vec<String> {
    let (was, is) = sides(change, old, new);
    let mut after = Vec::new();
    if change.why.starts_with(PROLOGS_ANEW) {
        after
            .push(format!("{CONTROLLER_START}  # on the controller, minutes after it is deployed"));
    }
    if change.why.starts_with(STARTED_THERE) && !is_anew {
        after.push(format!("{CONTROLLER_START}  # on the controller, minutes after it is deployed, where all of it is to run there again"));
    }
    if let Some((was, is)) = was.zip(is.filter(|it| it.source.ends_with(NODES))) {
        after.extend(nodes_anew(change, old, (was, is)));
    }
    let is_controller = was.zip(is).is_some_and(|(_, is)| is.source.ends_with(CONTROLLER));
    let serves_apps = is_controller && change.effect <= Effect::Restarts && !new.mounts(APPS);
    let of_image = was.is_some_and(|it| old.builds_image_with(it)) && is.is_some();
    let of_mount = was.or(is).is_some_and(|it| it.source.ends_with(MOUNT));
    if of_mount && !is_anew {
        after.extend(remounted(was, is));
    }
    if serves_apps || of_image || of_mount {
        // one that is made for a job, and stays for a while, has it mounted as well
        let goes = of_mount && was.is_some() && !is_same_share(was, is);
        let sets = old.modules.values().filter(|it| it.source.ends_with(NODES));
        let nodes =
            sets.filter_map(|set| old.nodes(set, 0..if goes { set.most() } else { set.least() }));
        after.extend(nodes.map(|nodes| made_anew(&nodes)));
        after.extend(goes.then(|| NONE_STANDS.to_owned()));
    }
    if was.is_none() && is.is_some_and(|it| it.source.ends_with(DATABASE)) {
        after.push(DATABASE_FILLED.to_owned());
    }
    if let Some(network) = was.filter(|it| is_other_network(change, it))
        && old.sets_on(network).any(|set| set.least() > 0)
    {
        after.extend(deploy.last().map(|deploy| {
            format!("{deploy}  # again, minutes later: it stops at the network as long as nodes are on it")
        }));
    }
    after
}

/// What hosts that stand mount no more, and what they mount from then on: no deployment tells them.
fn remounted(was: Option<&Module>, is: Option<&Module>) -> impl Iterator<Item = String> {
    let [was, is] = [was, is].map(|it| it.filter(|_| !is_same_share(was, is)));
    let path = was.and_then(|it| it.says.get("local_mount")).filter(|it| is_plain(it));
    let unmounted = path.map(|path| {
        format!("sudo umount {path} && sudo sed -i '\\#[[:space:]]{path}/*[[:space:]]#d' /etc/fstab  # {STANDING}")
    });
    let mounted = is.and_then(Share::of).map(|it| it.mounted());
    unmounted.into_iter().chain(mounted)
}

/// Whether the same is mounted at the same place.
fn is_same_share(was: Option<&Module>, is: Option<&Module>) -> bool {
    let shown = |it: &Module| SHOWN.map(|name| it.says.get(name).cloned());
    was.zip(is).is_some_and(|(was, is)| shown(was) == shown(is))
}

/// What is mounted, and where; what else a module of a share says is how.
const SHOWN: [&str; 4] = ["server_ip", "remote_mount", "fs_type", "local_mount"];

/// What hosts mount, as slurm-gcp has it in `/etc/fstab`.
struct Share<'m> {
    from: String,
    path: &'m str,
    kind: &'m str,
    options: &'m str,
    /// Who knows the variable in it.
    whence: String,
}

impl<'m> Share<'m> {
    fn of(module: &'m Module) -> Option<Self> {
        let said = |name: &str| module.says.get(name).map(String::as_str);
        let (path, folder) = (said("local_mount")?, said("remote_mount")?);
        let (kind, options) = (said("fs_type")?, said("mount_options").unwrap_or("defaults"));
        let server = said("server_ip").unwrap_or_default();
        let later = server.strip_prefix("$(vars.").and_then(|it| it.split_once(')'));
        let (server, whence) = match later {
            Some((word, rest)) => {
                let name = word.to_uppercase();
                let known = format!(
                    "; {name} is what `terraform -chdir=10-foundation output -raw {word}` says here"
                );
                (format!("${{{name}:?}}{rest}"), known)
            }
            None => (server.to_owned(), String::new()),
        };
        let is_known = later.is_some() || is_plain(&server);
        let plain = [path, folder, kind, options].iter().all(|it| is_plain(it));
        let from = match server.as_str() {
            "" => folder.to_owned(),
            server => format!("{server}:{folder}"),
        };
        (plain && is_known).then_some(Self { from, path, kind, options, whence })
    }

    /// On a host that stands, now and when it starts again.
    fn mounted(&self) -> String {
        let Self { from, path, kind, options, whence } = self;
        format!(
            "echo \"{from} {path} {kind} {options} 0 0\" | sudo tee -a /etc/fstab && sudo mkdir -p {path} && sudo mount {path}  # {STANDING}{whence}"
        )
    }

    /// What is in one folder of the controller, once it is mounted elsewhere for that.
    fn copied(&self, way: [&str; 2], when: &str) -> String {
        let Self { from, kind, whence, .. } = self;
        let [source, target] = way;
        format!(
            "sudo mkdir -p {ASIDE} && sudo mount -t {kind} \"{from}\" {ASIDE} && sudo rsync -aHAX {source}/ {target}/ && sudo umount {ASIDE}  # on the controller, {when}{whence}"
        )
    }
}

/// When a share is filled with what the controller has.
pub(crate) const COPIED_FIRST: &str = "before it is destroyed";

/// Where a share is mounted to be filled, or emptied.
const ASIDE: &str = "/mnt/share";

/// What takes along what lies in a folder of the controller, where something is mounted from then on.
fn kept(is: &Module) -> Option<String> {
    let share = Share::of(is).filter(|_| is.mounts_shared())?;
    Some(share.copied([share.path, ASIDE], COPIED_FIRST))
}

/// What takes along what lies in a share, where the controller has a folder of its own from then on.
fn brought_back(was: &Module, new: &Blueprint) -> Option<String> {
    let share = Share::of(was).filter(|it| was.mounts_shared() && !new.mounts(it.path))?;
    Some(share.copied([ASIDE, share.path], "once it is deployed"))
}

/// What gives nodes of a set what they are made from now.
fn nodes_anew(change: &Change, old: &Blueprint, (was, is): (&Module, &Module)) -> Vec<String> {
    if was.says.get("machine_type") != is.says.get("machine_type") {
        let all = old.nodes(was, 0..was.most().min(is.most())).into_iter();
        let commands = all.flat_map(|nodes| {
            let again = format!("{SCONTROL} NodeName={nodes} State=UNDRAIN  # minutes later");
            [made_anew(&nodes), again]
        });
        return commands.collect();
    }
    let always = old.nodes(was, 0..was.least().min(is.least()));
    let always = always.filter(|_| change.why.contains(NEXT_NODES));
    always.map(|nodes| made_anew(&nodes)).into_iter().collect()
}

/// What gives nodes that are always there what is made from now on.
fn made_anew(nodes: &str) -> String {
    format!(
        "{SCONTROL} NodeName={nodes} State=POWER_DOWN_ASAP  # {AFTER}: each is made anew as its job ends"
    )
}

/// What a shell and `sed` read as it stands.
fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.,:=@".contains(c))
}

/// A module as it was, and as it is.
fn sides<'b>(
    change: &Change,
    old: &'b Blueprint,
    new: &'b Blueprint,
) -> (Option<&'b Module>, Option<&'b Module>) {
    (old.modules.get(id(change)), new.modules.get(id(change)))
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
        Some(group) => format!("gcluster deploy {name} --skip={group}"),
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

/// What takes a deployment away that the output has no more, also where its folder is not there.
pub fn undeployed(root: &str, files: &[File<'_>]) -> Vec<String> {
    let texts = files.iter().map(|it| (it.path, it.text)).collect();
    let made = commands(root, &BTreeMap::new(), &texts);
    let create = made.first().cloned();
    let protected = files.iter().find(|it| {
        file_name(it.path) == FILES[0] && it.text.contains(DATABASE) && it.text.contains(PROTECTED)
    });
    let lifted = protected.map(|file| format!("sed -i 's/{PROTECTED}/{LIFTED}/' {}", file.path));
    // Terraform would stop at the database, with all else gone
    let deployed = protected.map(|_| {
        let name = destroyed(root).replacen("destroy", "deploy", 1);
        match whole(&texts).as_ref().and_then(Blueprint::image) {
            Some((group, _)) => format!("{name} --skip={group}"),
            None => name,
        }
    });
    let drained = [ALL_DRAINED, ALL_ENDED].map(str::to_owned).into_iter();
    let made = lifted.into_iter().chain(create).chain(deployed);
    drained.chain(made).chain([destroyed(root)]).collect()
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
