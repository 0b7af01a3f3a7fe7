//! Which cluster of hosts of one's own a command is for, where there are several: the same words are another command for each.

use super::name;
use crate::{Change, File, file_name, root_of};
use std::collections::BTreeMap;

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
