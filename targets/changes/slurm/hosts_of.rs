//! Which cluster of hosts of one's own a command is for, where there are several: the same words are another command for each.

use super::{Settings, hosts, name};
use crate::{Change, File, file_name, root_of, toolkit};
use std::collections::{BTreeMap, BTreeSet};

/// Whom commands name, and how that is said of one cluster; the first that fits.
const HOSTS: [(&str, &str); 6] = [
    ("on each host to submit from", "on each host to submit to {} from"),
    ("on every node", "on every node of {}"),
    ("on every host", "on every host of {}"),
    ("on each controller", "on each controller of {}"),
    ("on a controller", "on a controller of {}"),
    ("on its host", "on the host that counts for {}"),
];

/// Says it of each.
pub(crate) fn say(found: &mut [Change], before: &[File<'_>], after: &[File<'_>]) {
    let settings = before.iter().chain(after).filter(|it| file_name(it.path) == "slurm.conf");
    let clusters: BTreeMap<&str, String> =
        settings.filter_map(|it| Some((root_of(it.path), name(it.text)?))).collect();
    if clusters.len() < 2 {
        return;
    }
    for change in found {
        let Some(cluster) = clusters.get(change.root.as_str()) else { continue };
        for command in &mut change.commands {
            let Some((does, said)) = command.split_once("  # ") else { continue };
            let known = HOSTS.iter().find(|(whom, _)| said.starts_with(whom));
            let Some((whom, of)) = known else { continue };
            let said = said.replacen(whom, &of.replace("{}", cluster), 1);
            *command = format!("{does}  # {said}");
        }
    }
}

/// Ends daemons on hosts that another cluster has from then on before that one starts its own there: they are one service of the host.
pub(crate) fn hand_over(found: &mut [Change], before: &[File<'_>]) {
    let settings = before.iter().filter(|it| file_name(it.path) == "slurm.conf");
    let nodes: BTreeMap<&str, BTreeSet<String>> =
        settings.map(|it| (root_of(it.path), Settings::read(it.text).nodes)).collect();
    let started: Vec<(String, Service)> = found
        .iter()
        .flat_map(|it| it.commands.iter().map(|command| (it.root.clone(), command)))
        .filter_map(|(root, command)| Some((root, Service::of(command, STARTS, None)?)))
        .collect();
    for change in found.iter_mut() {
        let all = nodes.get(change.root.as_str());
        let root = change.root.clone();
        let is_taken_over =
            |ended: &Service| started.iter().any(|(of, it)| *of != root && it.is_where(ended));
        for command in &mut change.commands {
            let ended = Service::of(command, ENDS, all);
            if ended.is_some_and(|it| is_taken_over(&it)) && !toolkit::is_first_of_all(command) {
                *command = toolkit::first_of_all(command);
            }
        }
    }
}

const ENDS: &str = "systemctl disable --now ";
const STARTS: &str = "systemctl enable --now munge ";

/// A daemon on hosts.
struct Service {
    daemon: String,
    hosts: BTreeSet<String>,
}

impl Service {
    /// What a command does it to; every node of a cluster are those that it had.
    fn of(command: &str, does: &str, all: Option<&BTreeSet<String>>) -> Option<Self> {
        let (daemon, said) = command.strip_prefix(does)?.split_once("  # on ")?;
        let hosts = match said.starts_with("every node") {
            true => all?.clone(),
            false => hosts(&said.split(", with ").next()?.replace(", ", ",")),
        };
        Some(Self { daemon: daemon.to_owned(), hosts })
    }

    fn is_where(&self, other: &Self) -> bool {
        self.daemon == other.daemon && !self.hosts.is_disjoint(&other.hosts)
    }
}
