//! What hosts that stand mount, and no deployment tells them.

use super::blueprint::{Blueprint, Module};
use super::commands::BEFORE_ALL;
use super::controller::{Controller, FORMER, NEXT};
use super::rows::MOUNT;

/// Hosts that no deployment makes anew.
const STANDING: &str = "on each controller and on each machine to submit to it from";
pub(super) const CONTROLLERS: &str = "on each controller";
pub(super) const DEPLOYED: &str = "once it is deployed";
/// In front of what reads what they write.
const FIRST: &str = "before what they know of jobs is read";
/// Behind the apply that makes a share anew, and before the controllers are started by anybody else.
const NEW: &str = "once what is mounted there is there, before it is deployed";
const THERE: &str = "once that is there, and what it held, before it is deployed";

/// Where controllers keep what they know of jobs (slurm-gcp: `slurmctld` is told so).
const STATE: &str = "/var/spool/slurm";

/// What hosts that stand mount no more, and what they mount from then on: no deployment tells them.
pub(super) fn remounted(was: Option<&Module>, is: Option<&Module>) -> impl Iterator<Item = String> {
    // that of controllers is taken along before it is deployed
    let differs = |it: &&Module| !is_same_share(was, is) && !is_of_state(it);
    let [was, is] = [was, is].map(|it| it.filter(differs));
    let goes_then = was.filter(|it| is.is_none_or(|is| !is_of_another(it, is)));
    let path = goes_then.and_then(|it| it.says.get("local_mount")).filter(|it| is_plain(it));
    let unmounted = path.map(|path| unmounted(path, DEPLOYED));
    let mounted = is.and_then(Share::of).map(|it| it.mounted(DEPLOYED));
    unmounted.into_iter().chain(mounted)
}

/// What lets a folder go before any folder is applied: `slurmctld` would go on with an empty one in the place of its state.
pub(super) fn let_go(path: &str) -> impl Iterator<Item = String> {
    let stopped = (path == STATE).then(|| stopped(BEFORE_ALL));
    stopped.into_iter().chain([unmounted(path, BEFORE_ALL)])
}

fn stopped(when: &str) -> String {
    format!("sudo systemctl stop slurmctld  # {CONTROLLERS}, {when}")
}

fn started(when: &str) -> String {
    format!("sudo systemctl start slurmctld  # {CONTROLLERS}, {when}")
}

/// Whether it is mounted where controllers keep what they know of jobs.
pub(super) fn is_of_state(module: &Module) -> bool {
    module.mounts(STATE)
}

/// What takes along what controllers know of jobs, where another filesystem is mounted there from then on, or none: before anything is applied, and before
/// it is deployed, or behind that where they are made anew.
pub(super) fn state_moved(
    (was, is): (Option<&Module>, Option<&Module>),
    (then, now): (&Controller, &Controller),
    is_anew: bool,
) -> [Vec<String>; 3] {
    let off = was.map(|_| unmounted(STATE, BEFORE_ALL));
    let kept = [stopped(FIRST), then.found(FORMER), then.state_kept()];
    let first = kept.into_iter().chain(off).collect();
    if is_anew {
        let found = now.found(NEXT);
        let back = now.state_back(then.name(), DEPLOYED);
        return [first, Vec::new(), vec![stopped(DEPLOYED), found, back, started(DEPLOYED)]];
    }
    let on = is.and_then(Share::of).map(|it| it.mounted(NEW));
    let back = [then.found(FORMER), then.state_back(then.name(), NEW), started(NEW)];
    [first, on.into_iter().chain(back).collect(), Vec::new()]
}

/// Lets a folder go; before an apply also while somebody is in it, who would hang there.
fn unmounted(path: &str, when: &str) -> String {
    let lazy = if when == BEFORE_ALL { " --lazy" } else { "" };
    format!(
        "sudo umount{lazy} {path} && sudo sed -i '\\#[[:space:]]{path}/*[[:space:]]#d' /etc/fstab  # {STANDING}, {when}"
    )
}

/// Whether the same is mounted at the same place.
pub(super) fn is_same_share(was: Option<&Module>, is: Option<&Module>) -> bool {
    let shown = |it: &Module| SHOWN.map(|name| it.says.get(name).cloned());
    was.zip(is).is_some_and(|(was, is)| shown(was) == shown(is))
}

/// Whether what is mounted is of another server, or another folder of it.
pub(super) fn is_of_another(was: &Module, is: &Module) -> bool {
    let whence = |it: &Module| ["server_ip", "remote_mount"].map(|name| it.says.get(name).cloned());
    was.source.ends_with(MOUNT) && whence(was) != whence(is)
}

/// The share at the same place that only the other side has, where this one is only on its own: both serve files by an address.
pub(super) fn in_place_of<'b>(
    share: &Module,
    (there, own): (&'b Blueprint, &Blueprint),
) -> Option<&'b Module> {
    let path = share.says.get("local_mount").filter(|_| is_served(share))?;
    let mut others = there.modules.values().filter(|it| is_served(it) && it.mounts(path));
    others.find(|it| !own.modules.contains_key(&it.id))
}

fn is_served(module: &Module) -> bool {
    let kind = module.says.get("fs_type").filter(|_| module.source.ends_with(MOUNT));
    kind.is_some_and(|it| it.starts_with("nfs"))
}

/// What is mounted, and where; what else a module of a share says is how.
const SHOWN: [&str; 4] = ["server_ip", "remote_mount", "fs_type", "local_mount"];

/// What hosts mount, as slurm-gcp has it in `/etc/fstab`.
pub(super) struct Share<'m> {
    from: String,
    pub(super) path: &'m str,
    kind: &'m str,
    options: &'m str,
    /// Who knows the variable in it.
    whence: String,
}

impl<'m> Share<'m> {
    pub(super) fn of(module: &'m Module) -> Option<Self> {
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

    /// Whether hosts see there what others write to it, as files.
    pub(super) fn is_of_files(&self) -> bool {
        self.kind.starts_with("nfs")
    }

    /// Whether controllers keep there what they know of jobs.
    pub(super) fn is_state(&self) -> bool {
        self.path == STATE
    }

    /// With what it held, before anybody starts them.
    pub(super) fn state_back(&self) -> [String; 2] {
        [
            self.mounted(THERE),
            started(&format!("once `mountpoint {STATE}` says that it is mounted there")),
        ]
    }

    /// On a host that stands, now and when it starts again.
    pub(super) fn mounted(&self, when: &str) -> String {
        let Self { from, path, kind, options, whence } = self;
        format!(
            "echo \"{from} {path} {kind} {options} 0 0\" | sudo tee -a /etc/fstab && sudo mkdir -p {path} && sudo mount {path}  # {STANDING}, {when}{whence}"
        )
    }

    /// What is in one folder of the controller, once it is mounted elsewhere for that.
    pub(super) fn copied(&self, way: [&str; 2], when: &str) -> String {
        let Self { from, kind, whence, .. } = self;
        let [source, target] = way;
        format!(
            "sudo mkdir -p {ASIDE} && sudo mount -t {kind} \"{from}\" {ASIDE} && sudo rsync -aHAX --update {source}/ {target}/ && sudo umount {ASIDE}  # on the controller, {when}{whence}; it stops where what `sudo du -sh {source}` says does not fit"
        )
    }
}

/// When a share is filled with what the controller has.
pub(crate) const COPIED_FIRST: &str = "before it is destroyed";
/// When it is filled with what another share has.
pub(crate) const COPIED_BESIDE: &str = "while the former is mounted there";

/// Where a share is mounted to be filled, or emptied.
pub(super) const ASIDE: &str = "/mnt/share";

/// What a shell and `sed` read as it stands.
pub(super) fn is_plain(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.,:=@".contains(c))
}
