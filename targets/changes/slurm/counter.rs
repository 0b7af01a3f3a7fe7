//! The host that counts what jobs use, and the one whose database has it (slurmdbd.conf(5)).

use crate::{Change, Effect, File, file_name, root_of};
use std::collections::BTreeMap;

const FILE: &str = "slurmdbd.conf";

/// No earlier release reads the tables that a later one has changed.
pub(crate) const KEPT: &str = "systemctl stop slurmdbd && mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on its host, where there is one, before its packages are upgraded";

const COMES: &str = "slurmctld asks it for accounts from its next start on: it, its database and who may submit are there before, since jobs of others are refused or held";
const GOES: &str = "nothing asks it any more; what was counted stays in its database";

const ASKED_STILL: &str =
    "other clusters ask its host still, which goes on; what was counted stays in its database";
/// When what was counted is to be had elsewhere.
const OUTLIVES: &str = "where it is to outlive that host";

struct Counter {
    host: String,
    database: String,
}

impl Counter {
    fn read(text: &str) -> Option<Self> {
        let says = |name: &str| {
            let said = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
            said.map(|it| it.trim().to_owned())
        };
        let host = says("DbdHost")?;
        let database = says("StorageHost").filter(|it| it != "localhost");
        Some(Self { database: database.unwrap_or_else(|| host.clone()), host })
    }

    fn of(files: &BTreeMap<&str, &str>) -> Option<Self> {
        let text = files.iter().find(|(path, _)| file_name(path) == FILE)?.1;
        Self::read(text)
    }

    fn ended(&self) -> String {
        format!("systemctl disable --now slurmdbd  # on {}", self.host)
    }

    /// With what it has counted, which stays where it is.
    fn left(&self) -> Vec<String> {
        let kept = format!(
            "mysqldump --single-transaction --databases slurm_acct_db >slurm_acct_db.sql  # on {}, {OUTLIVES}",
            self.database
        );
        vec![self.ended(), kept]
    }

    fn started(&self, once: &str) -> String {
        format!(
            "systemctl enable --now slurmdbd  # on {}, with the new slurmdbd.conf{once}",
            self.host
        )
    }

    /// Once the database lets it in.
    fn let_in(&self) -> String {
        let password =
            if self.host == self.database { "" } else { " and its slurmdbd-password.conf" };
        self.started(&format!(", once README has made its user on {}{password}", self.database))
    }
}

/// Why another host counts, or in the database of another one, and what does that.
pub(crate) fn counted_elsewhere(old: &str, new: &str) -> Option<(String, Vec<String>)> {
    let (was, is) = (Counter::read(old)?, Counter::read(new)?);
    match (was.host == is.host, was.database == is.database) {
        (true, true) => None,
        (false, true) => Some(handed_over(&was, &is)),
        _ => Some(taken_along(&was, &is)),
    }
}

/// The same database lets one host in, and then another.
fn handed_over(was: &Counter, is: &Counter) -> (String, Vec<String>) {
    let why = format!(
        "`{}` counts from now on, which `{}` does not let in yet; a slurmdbd that goes on on `{}` would write there as well",
        is.host, is.database, was.host
    );
    (why, vec![was.ended(), is.let_in()])
}

/// What jobs have used, from one database into another.
fn taken_along(was: &Counter, is: &Counter) -> (String, Vec<String>) {
    let Counter { host, database } = is;
    let why = format!(
        "`{host}` counts in the database of `{database}` from now on, and what was counted, accounts and who is in them lie in that of `{}`: where that is not taken along, who asks for an account is refused",
        was.database
    );
    let ended = if was.host == is.host {
        format!("systemctl stop slurmdbd  # on {}", was.host)
    } else {
        was.ended()
    };
    let commands = vec![
        ended,
        format!(
            "mysqldump --single-transaction --databases slurm_acct_db >slurm_acct_db.sql  # on {}",
            was.database
        ),
        format!(
            "scp {}:slurm_acct_db.sql . && mysql <slurm_acct_db.sql  # on {database}, once README has made its user there",
            was.database
        ),
        is.started(""),
    ];
    (why, commands)
}

/// Corrects what is told of a cluster that stands: counting begins or ends there, or what was counted lies on another host than the one that counts.
pub(crate) fn correct(
    found: &mut [Change],
    old: &BTreeMap<&str, &str>,
    new: &BTreeMap<&str, &str>,
) {
    let (was, is) = (Counter::of(old), Counter::of(new));
    for change in found.iter_mut().filter(|it| file_name(&it.file) == FILE) {
        let told = match (&was, &is) {
            (None, Some(is)) => (COMES, begun(is, new)),
            (Some(was), None) => (GOES, was.left()),
            _ => continue,
        };
        change.effect = Effect::ByHand;
        (change.why, change.commands) = (told.0.to_owned(), told.1);
    }
    if let Some(was) = was.filter(|it| it.host != it.database) {
        for change in found.iter_mut() {
            keep_there(&mut change.commands, &was);
        }
    }
}

/// Leaves a host alone that counts for another cluster as well.
pub(crate) fn leave_shared(found: &mut [Change], after: &[File<'_>]) {
    let settings = || after.iter().filter(|it| file_name(it.path) == FILE);
    for change in found.iter_mut().filter(|it| !it.commands.is_empty()) {
        let root = change.root.clone();
        let of_others = settings().filter(|it| root_of(it.path) != root);
        for shared in of_others.filter_map(|it| Counter::read(it.text)) {
            shared.leave(change);
        }
    }
}

impl Counter {
    /// Takes its end out of what is told of one of its clusters.
    fn leave(&self, change: &mut Change) {
        let ended = self.ended();
        if !change.commands.contains(&ended) {
            return;
        }
        let is_kept = |it: &String| it.starts_with("mysqldump ") && it.ends_with(OUTLIVES);
        change.commands.retain(|it| *it != ended && !is_kept(it));
        let dumped = format!("slurm_acct_db.sql  # on {}", self.database);
        for command in change.commands.iter_mut().filter(|it| it.ends_with(&dumped)) {
            command.push_str(
                ", which counts for other clusters still: what they used is in it as well",
            );
        }
        if change.why == GOES {
            (change.effect, change.why) = (Effect::Nothing, ASKED_STILL.to_owned());
            // what else is given is given with the settings
            change.commands.clear();
        }
    }
}

/// What ends the counting of a cluster that is no more.
pub(crate) fn ended_by_hand(files: &BTreeMap<&str, &str>) -> Vec<String> {
    Counter::of(files).map(|it| it.left()).unwrap_or_default()
}

/// Whether counting begins.
pub(crate) fn comes(old: &BTreeMap<&str, &str>, new: &BTreeMap<&str, &str>) -> bool {
    Counter::of(old).is_none() && Counter::of(new).is_some()
}

/// When controllers are stopped: one that has made a number of its own does not start with that of the database (`CLUSTER ID MISMATCH`).
pub(crate) const RENUMBERED: &str = "before it takes another number";

/// Accounts are of a cluster, which slurmctld makes known with its start alone.
fn begun(is: &Counter, new: &BTreeMap<&str, &str>) -> Vec<String> {
    let settings = new.iter().find(|(path, _)| file_name(path) == "slurm.conf");
    let cluster = settings.and_then(|(_, text)| super::name(text)).map(|name| {
        format!("sudo sacctmgr --immediate add cluster {name}  # on a controller, with the new slurm.conf")
    });
    let state = settings.map(|(_, text)| super::state(text)).unwrap_or_default();
    let numbered = [
        format!("systemctl stop slurmctld  # on each controller, {RENUMBERED}"),
        format!(
            "rm -f {state}/clustername  # on a controller: the number of the cluster is there that slurmctld has made, and it takes that of the database; jobs that run go on"
        ),
    ];
    [is.let_in()].into_iter().chain(cluster).chain(numbered).collect()
}

/// A database is dumped where it is.
fn keep_there(commands: &mut Vec<String>, was: &Counter) {
    let Some(at) = commands.iter().position(|it| it == KEPT) else { return };
    let Counter { host, database } = was;
    let kept = [
        format!("systemctl stop slurmdbd  # on {host}"),
        format!(
            "mysqldump --single-transaction slurm_acct_db >slurm_acct_db.sql  # on {database}, before the packages of {host} are upgraded"
        ),
    ];
    commands.splice(at..=at, kept);
}
