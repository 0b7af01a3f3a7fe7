//! What `slurm.conf` says of nodes, partitions and controllers, and which jobs a change of them ends.

pub(crate) mod counter;
pub(crate) mod hosts_of;
pub(crate) mod kept;
pub(crate) mod limits;
pub(crate) mod releases;

use crate::{Effect, word};
use std::collections::{BTreeMap, BTreeSet};

/// Jobs that end.
pub(crate) struct Loss {
    pub(crate) effect: Effect,
    /// Which, and why.
    pub(crate) why: String,
    /// Their partitions; none where it is all of them.
    pub(crate) partitions: Vec<String>,
    /// What lets these jobs end first, and no others begin.
    pub(crate) drained: Vec<String>,
    /// What comes once the daemons know it.
    pub(crate) after: Vec<String>,
}

/// Which jobs end, and why, where another text takes the place of one.
pub(crate) fn loss(old: &str, new: &str) -> Option<Loss> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let all = |why| Loss {
        effect: Effect::Replaces,
        why,
        partitions: Vec::new(),
        drained: emptied(&old),
        after: Vec::new(),
    };
    renamed(&old, &new).map(all).or_else(|| gone(&old, &new))
}

/// What lets all jobs of a cluster end, and no others begin.
fn emptied(old: &Settings) -> Vec<String> {
    let partitions = old.partitions.keys();
    let drained =
        partitions.map(|it| format!("scontrol update PartitionName={it} State=DRAIN{FIRST}"));
    let ended = old.partitions.first_key_value().map(|_| ALL_ENDED.to_owned());
    drained.chain(ended).collect()
}

/// What lets jobs end that another release would not know.
pub(crate) fn emptied_for_release(old: &str) -> Vec<String> {
    emptied(&Settings::read(old))
}

/// What an earlier release starts on: nothing, and what was counted as it was before.
pub(crate) fn turned_back(old: &str) -> Vec<String> {
    let state = state(old);
    vec![
        "systemctl stop slurmdbd && mysqldump --single-transaction slurm_acct_db >later.sql && mysql slurm_acct_db <slurm_acct_db.sql && systemctl start slurmdbd  # on its host, where there is one, with the earlier packages: the second file is what was dumped before the upgrade".to_owned(),
        format!("systemctl stop slurmctld && mv {state} {state}.later  # on each controller, before the earlier packages; README makes the folder again, and starts it"),
        "systemctl restart slurmd  # on every node".to_owned(),
    ]
}

/// Behind drains of all that there is.
const ALL_ENDED: &str = "squeue  # on a controller, until it lists none: jobs that wait begin still, and `scancel --state=pending` ends those that are not to";

/// Nodes whose machine is another one, which people put in their place.
pub(crate) fn exchanged(old: &str, new: &str) -> Option<Loss> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let is_other = |name: &&String| {
        let both = old.machines.get(*name).zip(new.machines.get(*name));
        both.is_some_and(|(was, is)| was.is_other(is))
    };
    let nodes: Vec<&String> = old.nodes.intersection(&new.nodes).filter(is_other).collect();
    if nodes.is_empty() {
        return None;
    }
    let has =
        |(_, members): &(&String, &BTreeSet<String>)| nodes.iter().any(|it| members.contains(*it));
    let partitions = old.partitions.iter().filter(has).map(|(name, _)| name.clone()).collect();
    Some(Loss {
        effect: Effect::MayReplace,
        why: format!(
            "machines are exchanged by hand, and jobs there end: {}. A node that does not have what slurm.conf says is taken out of service (INVAL)",
            listed(&nodes)
        ),
        partitions,
        drained: drained(&nodes, "exchange"),
        after: resumed(&nodes, "once the other machines are there"),
    })
}

/// Controllers that come and go.
pub(crate) struct Controllers {
    /// What becomes of them.
    pub(crate) why: String,
    /// What ends those that are none any more.
    pub(crate) ended: Option<String>,
    /// What has the others read the settings.
    pub(crate) started: Vec<String>,
}

/// Which hosts are controllers no more, and which from now on, where some are.
pub(crate) fn controllers(old: &str, new: &str) -> Option<Controllers> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let Members { gone, stay, come } = Members::of(&old, &new);
    if gone.is_empty() && come.is_empty() || old.controllers.is_empty() {
        return None;
    }
    let mut said = Vec::new();
    if !gone.is_empty() {
        let what = if gone.len() == 1 { "is a controller" } else { "are controllers" };
        said.push(format!("{} {what} no more: a slurmctld that goes on there has the former slurm.conf, and may take over with it", listed(&gone)));
    }
    if !come.is_empty() {
        let what = if come.len() == 1 { "is one" } else { "are such" };
        said.push(format!("{} {what} from now on", listed(&come)));
    }
    let restarted =
        (!stay.is_empty()).then(|| format!("systemctl restart slurmctld  # on {}", on(&stay)));
    Some(Controllers {
        why: said.join("; "),
        ended: ended(&gone),
        started: restarted.into_iter().chain(enabled(&come)).collect(),
    })
}

/// Controllers of two texts, by what becomes of them.
struct Members<'s> {
    gone: Vec<&'s String>,
    stay: Vec<&'s String>,
    come: Vec<&'s String>,
}

impl<'s> Members<'s> {
    fn of(old: &'s Settings, new: &'s Settings) -> Self {
        let beyond = |one: &'s Settings, other: &Settings| {
            one.controllers.iter().filter(|it| !other.controllers.contains(it)).collect()
        };
        let stay = old.controllers.iter().filter(|it| new.controllers.contains(it)).collect();
        Self { gone: beyond(old, new), stay, come: beyond(new, old) }
    }
}

fn on(hosts: &[&String]) -> String {
    hosts.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(", ")
}

/// It would be there again when its host starts.
fn ended(gone: &[&String]) -> Option<String> {
    (!gone.is_empty()).then(|| format!("systemctl disable --now slurmctld  # on {}", on(gone)))
}

fn enabled(come: &[&String]) -> Option<String> {
    (!come.is_empty()).then(|| {
        format!(
            "systemctl enable --now munge slurmctld  # on {}, with the new slurm.conf",
            on(come)
        )
    })
}

/// Where controllers keep what they know of jobs.
pub(crate) fn state(text: &str) -> String {
    Settings::read(text).state.unwrap_or_else(|| STATE.to_owned())
}

/// What a cluster is called.
pub(crate) fn name(text: &str) -> Option<String> {
    Settings::read(text).name
}

/// What becomes of a cluster whose hosts are another's.
pub(crate) struct Heir {
    /// Why its jobs are lost.
    pub(crate) why: String,
    /// What has to be done before the other cluster starts, and where.
    pub(crate) commands: Vec<String>,
}

/// A cluster that starts on a controller of this one, which it does not know.
pub(crate) fn heir(old: &str, new: &str) -> Option<Heir> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let host = old.controllers.iter().find(|it| new.controllers.contains(*it))?;
    let (was, is) = (old.name.as_deref()?, new.name.as_deref()?);
    let state = old.state.as_deref().unwrap_or(STATE);
    let mut why = format!(
        "`{is}` starts on its hosts, and knows none of its jobs: all of them are lost, and its daemons have to end first"
    );
    let mut commands = stopped(&old);
    let same = new.state.as_deref().unwrap_or(STATE) == state;
    commands.extend(same.then(|| format!("mv {state} {state}.{was}  # on {host}")));
    if old.is_counted && new.is_counted {
        why.push_str(&format!(
            "; who may submit, limits and shares are those of `{was}` in the database, and `{is}` has none of them until they are brought to it: what was used stays with `{was}`"
        ));
        commands.insert(0, format!("sudo sacctmgr --immediate dump {was} file={was}.cfg  # on {host}, in a folder that stays"));
        commands.push(format!(
            "sudo sacctmgr --immediate load file={was}.cfg cluster={is}  # on {host}, once slurmctld of {is} is started there, before anybody submits"
        ));
    }
    Some(Heir { why, commands })
}

/// What ends a cluster: its jobs first, since they outlive the daemons of their nodes and keep what they have of these.
fn stopped(old: &Settings) -> Vec<String> {
    let nodes = "systemctl disable --now slurmd  # on every node".to_owned();
    let controllers = on(&old.controllers.iter().collect::<Vec<_>>());
    let controllers = format!("systemctl disable --now slurmctld  # on {controllers}");
    emptied(old).into_iter().chain([nodes, controllers]).collect()
}

/// What ends a cluster that the blueprint has no more.
pub(crate) fn ended_by_hand(old: &str) -> Vec<String> {
    stopped(&Settings::read(old))
}

/// Whether nodes fetch the configuration from the controllers from then on, or have it themselves, where that is otherwise than before.
pub(crate) fn fetches(old: &str, new: &str) -> Option<bool> {
    let [old, new] = [old, new].map(|text| Settings::read(text).is_configless);
    (old != new).then_some(new)
}

/// What starts nodes that come into a cluster which is there, now and with their hosts.
pub(crate) fn come(old: &str, new: &str) -> Option<String> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let renamed: BTreeSet<&str> =
        old.nodes.iter().filter_map(|it| Some(new.name_of_host(&old, it)?.as_str())).collect();
    let fresh = new.nodes.difference(&old.nodes).filter(|it| !renamed.contains(it.as_str()));
    let fresh: Vec<&String> = fresh.collect();
    (!fresh.is_empty() && !old.nodes.is_empty()).then(|| {
        format!(
            "systemctl enable --now munge slurmd  # on {}, with the new slurm.conf",
            compact(&fresh)
        )
    })
}

/// What takes the state of a cluster along into another folder, or onto another host, where jobs go on with it.
pub(crate) fn copied(old: &str, new: &str) -> Option<Vec<String>> {
    let (old, new) = (Settings::read(old), Settings::read(new));
    let [from, to] = [&old, &new].map(|it| it.state.as_deref().unwrap_or(STATE));
    let ([was, ..], [is, ..]) = (old.controllers.as_slice(), new.controllers.as_slice()) else {
        return None;
    };
    let is_alone = is_local(to) && !old.controllers.contains(is);
    if from == to && !is_alone || old.name != new.name {
        return None;
    }
    // who was one and stays one has both folders
    let both = new.controllers.iter().find(|it| old.controllers.contains(*it));
    let (host, source) = match is_alone {
        true => (is, format!("{was}:{from}")),
        false => (both.unwrap_or(was), from.to_owned()),
    };
    let Members { gone, stay, come } = Members::of(&old, &new);
    let stays = |what: &str, then: &str| {
        (!stay.is_empty()).then(|| format!("systemctl {what} slurmctld  # on {}{then}", on(&stay)))
    };
    let copied = format!("mkdir -p {to} && rsync -a {source}/ {to}/  # on {host}");
    let all = [ended(&gone), stays("stop", ""), Some(copied)].into_iter();
    let all = all.chain([stays("start", ", with the new slurm.conf"), enabled(&come)]);
    Some(all.flatten().collect())
}

/// What makes `slurmctld` refuse to start, and lose its jobs where it is made to.
fn renamed(old: &Settings, new: &Settings) -> Option<String> {
    let (was, is) = (old.name.as_deref()?, new.name.as_deref()?);
    let state = new.state.as_deref().unwrap_or(STATE);
    (was != is).then(|| {
        format!(
            "`{state}` is of the cluster `{was}`, and slurmctld of `{is}` does not start on it (CLUSTER NAME MISMATCH): all jobs are lost"
        )
    })
}

/// The lines of a `slurm.conf`, as far as jobs stand on them (slurm.conf(5)).
#[derive(Default)]
struct Settings {
    name: Option<String>,
    /// In the order in which they take over from each other.
    controllers: Vec<String>,
    state: Option<String>,
    /// Nodes fetch the configuration from the controllers.
    is_configless: bool,
    /// What jobs use is counted.
    is_counted: bool,
    nodes: BTreeSet<String>,
    /// Where each of them is.
    addresses: BTreeMap<String, String>,
    /// What each of them is.
    machines: BTreeMap<String, Machine>,
    /// Nodes of each partition; none where it takes them as a word: `ALL`, the name of a set.
    partitions: BTreeMap<String, BTreeSet<String>>,
}

impl Settings {
    fn read(text: &str) -> Self {
        let mut read = Self::default();
        let whole = text.replace("\\\n", " ");
        let mut sets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in whole.lines().map(|line| line.split('#').next().unwrap_or_default()) {
            let words: Vec<(String, &str)> = line
                .split_whitespace()
                .filter_map(|word| word.split_once('='))
                .map(|(key, value)| (key.to_lowercase(), value))
                .collect();
            let Some((key, value)) = words.first() else { continue };
            let nodes = || {
                let said = words.iter().find(|(key, _)| key == "nodes");
                said.map(|(_, nodes)| hosts(nodes)).unwrap_or_default()
            };
            match key.as_str() {
                "slurmctldhost" => {
                    let host = value.split('(').next().unwrap_or_default();
                    read.controllers.push(host.to_owned());
                }
                "clustername" => read.name = Some((*value).to_owned()),
                "slurmctldparameters" => {
                    read.is_configless = line.contains("enable_configless");
                }
                "accountingstoragetype" => read.is_counted = value.ends_with("/slurmdbd"),
                "statesavelocation" => read.state = Some((*value).to_owned()),
                "nodename" if *value != "DEFAULT" => {
                    let names = hosts(value);
                    let said = words.iter().find(|(key, _)| key == "nodeaddr");
                    let addresses = said.map(|(_, it)| in_order(it)).unwrap_or_default();
                    read.addresses.extend(in_order(value).into_iter().zip(addresses));
                    let machine = Machine::of(&words);
                    read.machines.extend(names.iter().map(|it| (it.clone(), machine.clone())));
                    read.nodes.extend(names);
                }
                "nodeset" => {
                    sets.insert((*value).to_owned(), nodes());
                }
                "partitionname" if *value != "DEFAULT" => {
                    read.partitions.insert((*value).to_owned(), nodes());
                }
                _ => {}
            }
        }
        for nodes in read.partitions.values_mut() {
            let named: Vec<_> = nodes.iter().filter_map(|name| sets.get(name)).cloned().collect();
            nodes.extend(named.into_iter().flatten());
            if nodes.contains("ALL") {
                nodes.extend(read.nodes.iter().cloned());
            }
            nodes.retain(|name| read.nodes.contains(name));
        }
        read
    }
}

impl Settings {
    /// What the host of a node of other settings is called here, where it stands on.
    fn name_of_host(&self, old: &Self, node: &str) -> Option<&String> {
        let address = old.addresses.get(node)?;
        self.addresses.iter().find(|(_, it)| *it == address).map(|(name, _)| name)
    }

    /// What gives hosts the names of their nodes, by which slurmd knows which one it is.
    fn called_otherwise(&self, old: &Self, nodes: &[&String]) -> Vec<String> {
        let names: Vec<&String> =
            nodes.iter().filter_map(|it| self.name_of_host(old, it)).collect();
        let called = format!(
            "hostnamectl set-hostname \"${{NODE:?}}\"  # on each host that was one of {}: as which of {} has its address in slurm.conf",
            compact(nodes),
            compact(&names)
        );
        (!nodes.is_empty()).then_some(called).into_iter().collect()
    }
}

/// What a node is, as far as its line says it.
#[derive(Clone)]
struct Machine {
    /// What it is called: the first of its features.
    feature: Option<String>,
    /// Its GPUs: `gpu:h100:8`.
    gpus: Option<String>,
}

impl Machine {
    fn of(words: &[(String, &str)]) -> Self {
        let said = |name: &str| {
            let word = words.iter().find(|(key, _)| key == name)?.1;
            word.split(',').next().map(str::to_owned)
        };
        Self { feature: said("feature").or_else(|| said("features")), gpus: said("gres") }
    }

    /// What only one of them says tells nothing.
    fn is_other(&self, new: &Self) -> bool {
        let differs = |was: &Option<String>, is: &Option<String>| {
            was.as_ref().zip(is.as_ref()).is_some_and(|(was, is)| was != is)
        };
        let types = |of: &Option<String>| of.as_ref().is_some_and(|it| it.matches(':').count() > 1);
        let gpus = types(&self.gpus) == types(&new.gpus) && differs(&self.gpus, &new.gpus);
        gpus || differs(&self.feature, &new.feature)
    }
}

/// Folders of the host itself, by how they begin; Slurm's own default is one.
const LOCAL: &[&str] = &["/var/", "/tmp/", "/run/", "/opt/", "/root/"];

const STATE: &str = "/var/spool";

/// Whether a folder is of the host itself.
fn is_local(folder: &str) -> bool {
    LOCAL.iter().any(|start| format!("{folder}/").starts_with(start))
}

/// Partitions and nodes that are there no more: slurmctld ends jobs of a partition that it does not know, and of nodes as if they
/// had failed.
fn gone(old: &Settings, new: &Settings) -> Option<Loss> {
    let nodes: Vec<&String> = old.nodes.difference(&new.nodes).collect();
    let (renamed, away): (Vec<&String>, Vec<&String>) =
        nodes.iter().partition(|it| new.name_of_host(old, it).is_some());
    let left: Vec<&String> =
        old.partitions.keys().filter(|name| !new.partitions.contains_key(*name)).collect();
    let taken = taken(old, new);
    let of_nodes = |nodes: &[&String], what: &str| {
        (!nodes.is_empty()).then(|| format!("{}{what}", listed(nodes)))
    };
    let said = [
        of_nodes(
            &away,
            ": jobs there end as on nodes that fail, and go back to the queue if they may",
        ),
        of_nodes(
            &renamed,
            ", whose hosts have other names: jobs there end as on nodes that fail, and go back to the queue if they may",
        ),
        of_nodes(&left, ": jobs of that partition end"),
    ];
    let from = taken.iter().map(|(partition, nodes)| {
        format!("{} of partition `{partition}`: its jobs there end", listed(nodes))
    });
    let said: Vec<String> = said.into_iter().flatten().chain(from).collect();
    let loses = |(name, before): &(&String, &BTreeSet<String>)| {
        new.partitions.get(*name).is_none_or(|after| !before.is_subset(after))
    };
    let partitions = old.partitions.iter().filter(loses).map(|(name, _)| name.clone()).collect();
    let moved: BTreeSet<&String> = taken.values().flatten().copied().collect();
    let moved: Vec<&String> = moved.into_iter().collect();
    // nodes alone are drained, and what is lost with them starts again
    let nodes_alone = left.is_empty() && taken.is_empty();
    Some(Loss {
        effect: if nodes_alone { Effect::Restarts } else { Effect::Replaces },
        why: format!("gone are {}", said.join("; ")),
        partitions,
        drained: [closed(&left), drained(&nodes, "goes"), drained(&moved, "moves")].concat(),
        after: [
            new.called_otherwise(old, &renamed),
            stopped_on(&away),
            resumed(&moved, "once their partitions are others"),
        ]
        .concat(),
    })
    .filter(|_| !said.is_empty())
}

/// Nodes that stay, by the partitions that have them no more.
fn taken<'s>(old: &'s Settings, new: &'s Settings) -> BTreeMap<&'s String, Vec<&'s String>> {
    let both = old.partitions.iter().filter_map(|(name, before)| {
        let after = new.partitions.get(name)?;
        let taken = before.difference(after).filter(|node| new.nodes.contains(*node));
        Some((name, taken.collect::<Vec<_>>()))
    });
    both.filter(|(_, nodes)| !nodes.is_empty()).collect()
}

/// What lets jobs of partitions end, and no others come.
fn closed(partitions: &[&String]) -> Vec<String> {
    let each = partitions
        .iter()
        .map(|it| format!("scontrol update PartitionName={it} State=DRAIN{FIRST}"));
    let names: Vec<&str> = partitions.iter().map(|it| it.as_str()).collect();
    let names = names.join(",");
    let ended = format!(
        "squeue --partition={names}{UNTIL_NONE}: jobs that wait there begin still, and `scancel --partition={names} --state=pending` ends those that are not to"
    );
    each.chain((!partitions.is_empty()).then_some(ended)).collect()
}

/// What lets jobs of nodes end, and no others begin there.
fn drained(nodes: &[&String], reason: &str) -> Vec<String> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let all = compact(nodes);
    vec![
        format!("scontrol update NodeName={} State=DRAIN Reason={reason}{FIRST}", word(&all)),
        format!("squeue --nodelist={}{UNTIL_NONE}", word(&all)),
    ]
}

/// What lets nodes take jobs again.
fn resumed(nodes: &[&String], when: &str) -> Vec<String> {
    let all = compact(nodes);
    let resumed =
        format!("scontrol update NodeName={} State=RESUME  # on a controller, {when}", word(&all));
    (!nodes.is_empty()).then_some(resumed).into_iter().collect()
}

/// A node that is none any more would start again with its host.
fn stopped_on(nodes: &[&String]) -> Vec<String> {
    let stopped = format!("systemctl disable --now slurmd  # on {}", compact(nodes));
    (!nodes.is_empty()).then_some(stopped).into_iter().collect()
}

/// Behind a list of what has to end before the new settings are there.
const UNTIL_NONE: &str = "  # on a controller, until it lists none";

/// Whether a command comes before the daemons know the new settings.
pub(crate) fn comes_first(command: &str) -> bool {
    command.ends_with(FIRST) || command.contains(UNTIL_NONE)
}

/// When jobs of what goes are let end.
pub(crate) const FIRST: &str =
    "  # on a controller, before the new slurm.conf is installed; jobs there end first";

/// `a[08-10],b` of `a08`, `a09`, `a10` and `b`: numbers of one width that follow each other.
fn compact(names: &[&String]) -> String {
    let split = |name: &str| {
        let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = name.get(head.len()..).unwrap_or_default().to_owned();
        (head.to_owned(), digits)
    };
    let mut runs: Vec<(String, String, String)> = Vec::new();
    for (head, digits) in names.iter().map(|name| split(name)) {
        let follows = |last: &str| {
            let [last_number, number] = [last, digits.as_str()].map(|it| it.parse::<u64>().ok());
            last.len() == digits.len()
                && last_number.and_then(|it| it.checked_add(1)).is_some_and(|it| Some(it) == number)
        };
        match runs.last_mut() {
            Some((known, _, last)) if *known == head && follows(last) => *last = digits,
            _ => runs.push((head, digits.clone(), digits)),
        }
    }
    let told = runs.into_iter().map(|(head, from, to)| match from == to {
        true => format!("{head}{from}"),
        false => format!("{head}[{from}-{to}]"),
    });
    told.collect::<Vec<_>>().join(",")
}

/// Some names, and how many others.
fn listed(names: &[&String]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    match names.len().checked_sub(shown.len()) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// No cluster has more; a text that says so is not followed to its end.
const MOST: usize = 100_000;

/// `a1`, `a2` and `b` of `a[1-2],b`.
fn hosts(list: &str) -> BTreeSet<String> {
    in_order(list).into_iter().collect()
}

/// As they follow each other, by which names and addresses belong together.
fn in_order(list: &str) -> Vec<String> {
    let mut depth = 0_u32;
    let parts = list.split(|c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.is_empty()).flat_map(expanded).collect()
}

/// Every name of one part, bracket by bracket; the digits keep their width.
fn expanded(part: &str) -> Vec<String> {
    let Some((head, rest)) = part.split_once('[') else { return vec![part.to_owned()] };
    let Some((ranges, tail)) = rest.split_once(']') else { return vec![part.to_owned()] };
    let tails = expanded(tail);
    let numbers = ranges.split(',').flat_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let bounds = first.parse::<usize>().ok().zip(last.parse::<usize>().ok());
        let width = first.len();
        let (from, to) = bounds.unwrap_or((1, 0));
        (from..=to.min(from.saturating_add(MOST))).map(move |number| format!("{number:0width$}"))
    });
    let names = numbers.flat_map(|number| {
        tails.iter().map(move |tail| format!("{head}{number}{tail}")).collect::<Vec<_>>()
    });
    names.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::{compact, hosts};

    #[test]
    fn lists_of_hosts_come_to_their_names() {
        let names = |list: &str| hosts(list).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(names("a[08-10,12],b"), "a08 a09 a10 a12 b");
        assert_eq!(names("r[1-2]n[1-2]"), "r1n1 r1n2 r2n1 r2n2");
        assert_eq!(names("a[1"), "a[1");
        for list in ["a[08-10],b", "r1n[1-2]", "b,c7,d[1-9]", "n[8-9],n10"] {
            let all: Vec<String> = hosts(list).into_iter().collect();
            assert_eq!(hosts(&compact(&all.iter().collect::<Vec<_>>())), hosts(list));
        }
        let eight: Vec<String> = hosts("dgx[25-32]").into_iter().collect();
        assert_eq!(compact(&eight.iter().collect::<Vec<_>>()), "dgx[25-32]");
    }
}
