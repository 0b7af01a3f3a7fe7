//! Facts of what workloads mount: paths that are taken already, and folders that two of them write.

use super::records;
use crate::NounId;
use crate::catalog::{Catalog, Meaning};
use crate::nouns::{Body, Filesystem, Kind, MountUse, Ref, SlurmCluster, Workload};
use crate::plan::{CommandLine, Gang, MountPlan, Place, Plan, Program, Said, Server, Source};
use std::collections::{BTreeMap, BTreeSet};

/// Where Linux itself is to be seen in every container.
const SYSTEM: [&str; 4] = ["/", "/dev", "/proc", "/sys"];
/// Those of them where no folder can be made.
const KERNEL: [&str; 2] = ["/proc", "/sys"];
/// Where the memory is that processes share.
const SHARED_MEMORY: &str = "/dev/shm";

/// The mounts of a gang at paths that what runs it uses itself.
pub(super) fn taken_paths(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let gang = plan.gang(id)?;
    let place = gang.program.place.value;
    let own = own_paths(plan, gang);
    let taken = gang.program.mounts.iter().filter(|mount| {
        let path = clean(&mount.path.value);
        own.contains(path)
            || own.iter().any(|own| nothing_fits_below(own, place) && inside(path, own).is_some())
            || is_under_a_root(plan, place, mount, path)
    });
    Some(taken.map(|mount| mount.path.value.clone()).collect())
}

/// Where a gang mounts a share that its nodes do not have: those that a cluster on Google Cloud makes mount what the cluster says, and what a script of
/// their own does.
pub(super) fn not_on_nodes(plan: &Plan, id: NounId) -> Option<Vec<String>> {
    let gang = plan.gang(id)?;
    let Place::Partition(partition) = gang.program.place.value else { return Some(Vec::new()) };
    let cluster = plan.model.get(partition.id())?.parent?;
    // scripts of one's own may mount it
    let body = SlurmCluster::of(&plan.model.get(cluster)?.body)?;
    let prologs = !body.prologs.is_empty();
    let starts = prologs || plan.model.body(partition)?.startup.is_some();
    let Some(cloud) = plan.slurm(cluster)?.cloud.as_ref().filter(|_| !starts) else {
        return Some(Vec::new());
    };
    let is_there = |mount: &MountPlan, wanted: Ref<Filesystem>| {
        let at = clean(&mount.path.value);
        cloud.mounts.iter().any(|(path, source)| {
            let is_it = matches!(source, Source::Share { noun, .. } if *noun == wanted);
            is_it && (clean(path) == at || inside(at, clean(path)).is_some())
        })
    };
    let missing = gang.program.mounts.iter().filter(|mount| match &mount.source.value {
        Source::Share { noun, server } => match server {
            Server::Filestore { .. } | Server::Lustre { .. } | Server::Nfs { .. } => {
                !is_there(mount, *noun)
            }
            Server::Nodes { .. } | Server::Disk { .. } => false,
        },
        Source::Bucket { .. }
        | Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => false,
    });
    Some(missing.map(|mount| mount.path.value.clone()).collect())
}

/// Whether nothing can be mounted below a path either: no folder is made in the kernel's own ones, and on Slurm those of the
/// GPUs' network are mounted last and hide what is below them.
fn nothing_fits_below(own: &str, place: Place) -> bool {
    let hidden = match place {
        Place::Partition(_) => !SYSTEM.contains(&own),
        Place::Pool(_) | Place::Vertex(_) => false,
    };
    KERNEL.contains(&own) || hidden
}

fn clean(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    }
}

/// The paths of a container where something is already.
fn own_paths<'a>(plan: &'a Plan, gang: &Gang) -> BTreeSet<&'a str> {
    let catalog: &Catalog = &plan.model.catalog;
    let mut paths = BTreeSet::from(SYSTEM);
    match gang.program.place.value {
        Place::Pool(pool) => {
            let Some(pool) = plan.pool(pool) else { return paths };
            if gang.shared_memory.0 > 0 {
                paths.insert(SHARED_MEMORY);
            }
            if pool.machine.accelerator.is_some() {
                paths.insert(catalog.kubernetes().driver_mount_path.as_str());
            }
            let stack = pool.stack.as_ref().filter(|_| gang.fabric);
            let mounts = stack.and_then(|stack| stack.gke.as_ref()).map(|gke| &gke.mounts);
            // how much memory is shared is the workload's to say, not the stack's
            let paths_of = mounts.into_iter().flatten().map(|mount| mount.path.as_str());
            paths.extend(paths_of.filter(|path| *path != SHARED_MEMORY));
        }
        Place::Partition(partition) => {
            let stack = plan.partition(partition).and_then(|it| it.stack.as_ref());
            let slurm = stack.filter(|_| gang.fabric).and_then(|stack| stack.slurm.as_ref());
            let mounts = slurm.map(|slurm| &slurm.mounts).into_iter().flatten();
            paths.extend(mounts.filter_map(|mount| mount.split(':').nth(1)).map(clean));
        }
        Place::Vertex(_) => {
            paths.insert(SHARED_MEMORY);
        }
    }
    paths
}

/// Vertex AI mounts below folders of its own, where nothing else can be put.
fn is_under_a_root(plan: &Plan, place: Place, mount: &MountPlan, path: &str) -> bool {
    match place {
        Place::Vertex(_) => {}
        Place::Pool(_) | Place::Partition(_) => return false,
    }
    let facts = plan.model.catalog.vertex();
    let own = match &mount.source.value {
        Source::Bucket { name, .. } => Some((&facts.mount_roots.gcs, name)),
        Source::Share { noun, .. } => plan.name(*noun).map(|name| (&facts.mount_roots.nfs, name)),
        Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => None,
    };
    let source = own.map(|(root, name)| mount.inside(&format!("{root}/{name}")));
    source.is_none_or(|source| source != path)
        && facts.mount_roots.all().into_iter().any(|root| {
            path == root || inside(path, root).is_some() || inside(root, path).is_some()
        })
}

/// The part of a path below a folder.
fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Workloads that write or save where an earlier one does.
#[derive(Clone, Debug, Default)]
pub(in crate::plan) struct SharedFolders {
    written: BTreeMap<NounId, NounId>,
    saved: BTreeMap<NounId, SavedTogether>,
}

/// Both of a plan whose command lines are read.
pub(in crate::plan) fn shared_folders(plan: &Plan) -> SharedFolders {
    SharedFolders { written: same_folders(plan), saved: saved_together(plan) }
}

/// Folders of one bucket or filesystem that a run may write.
#[derive(Debug)]
struct Written {
    source: NounId,
    /// Those that its command and its variables name, or all that is mounted.
    folders: BTreeSet<String>,
    checkpoints: bool,
}

/// The workload before this one in the blueprint that writes its checkpoints where this one does.
pub(super) fn same_folder(plan: &Plan, id: NounId) -> Option<Ref<Workload>> {
    plan.shared_folders.written.get(&id).copied().map(Ref::to)
}

/// Workloads with an earlier one that writes where they do, and one of the two checkpoints.
///
/// Runs that share one folder and have others of their own read what the other has made: they are none.
fn same_folders(plan: &Plan) -> BTreeMap<NounId, NounId> {
    type Earlier = Vec<(NounId, bool)>;
    let mut earlier: BTreeMap<(NounId, BTreeSet<String>), Earlier> = BTreeMap::new();
    let mut same = BTreeMap::new();
    for (noun, _) in plan.model.workloads() {
        for written in written(plan, noun.id) {
            let before = earlier.entry((written.source, written.folders)).or_default();
            let other = before
                .iter()
                .find(|(other, theirs)| *other != noun.id && (written.checkpoints || *theirs));
            if let Some((other, _)) = other {
                same.entry(noun.id).or_insert(*other);
            }
            // the first that keeps checkpoints and the first that does not stand for the others
            if !before.iter().any(|(_, checkpoints)| *checkpoints == written.checkpoints) {
                before.push((noun.id, written.checkpoints));
            }
        }
    }
    same
}

/// What tries its place writes nothing that anybody goes on from.
fn written(plan: &Plan, id: NounId) -> Vec<Written> {
    let is_test =
        matches!(plan.model.get(id).map(|noun| &noun.body), Some(Body::Workload(it)) if it.test);
    let Some(program) = plan.program(id).filter(|_| !is_test) else { return Vec::new() };
    let named = named(program);
    let of = |mount: &MountPlan| {
        let source = kept_in(mount)?;
        let whole = mount.folder.clone().unwrap_or_default();
        let path = clean(&mount.path.value);
        let below = named.iter().filter(|(owner, _)| owner == path);
        let mut folders: BTreeSet<String> =
            below.map(|(_, rest)| format!("{whole}/{rest}").trim_matches('/').to_owned()).collect();
        if folders.is_empty() {
            folders.insert(whole);
        }
        let checkpoints = mount.purpose == MountUse::Checkpoints;
        (!mount.reads_alone()).then_some(Written { source, folders, checkpoints })
    };
    program.mounts.iter().filter_map(of).collect()
}

/// So many workloads of one folder are looked at: one that does not wait for another is enough.
const FEW: usize = 8;

/// Where a run saves, and another one in the same folder.
#[derive(Clone, Debug)]
struct SavedTogether {
    /// The option that says so, counted from 0.
    option: usize,
    /// The folder as it is written.
    path: String,
    other: NounId,
}

/// Another workload that is told to save where this one is.
pub(super) fn saves_with(plan: &Plan, id: NounId) -> Option<Option<records::SavedTogether>> {
    let same = plan.shared_folders.saved.get(&id);
    Some(same.map(|it| records::SavedTogether {
        option: it.option as i64,
        path: it.path.clone(),
        other: Ref::to(it.other),
    }))
}

/// Workloads that are told to save where an earlier one is, and of which neither waits for the other.
fn saved_together(plan: &Plan) -> BTreeMap<NounId, SavedTogether> {
    let mut earlier: BTreeMap<(Option<NounId>, String), Vec<NounId>> = BTreeMap::new();
    let mut same = BTreeMap::new();
    for (noun, _) in plan.model.workloads().filter(|(_, body)| !body.test) {
        let id = noun.id;
        for (option, path, key) in saved(plan, id) {
            let before = earlier.entry(key).or_default();
            let apart = |other: NounId| {
                !plan.queued_behind(id).contains(&other) && !plan.queued_behind(other).contains(&id)
            };
            let other = before.iter().copied().find(|other| *other != id && apart(*other));
            if let Some(other) = other {
                same.entry(id).or_insert(SavedTogether { option, path, other });
            }
            if before.len() < FEW {
                before.push(id);
            }
        }
    }
    same
}

/// The folders that the options of a workload's own nodes save to: of a bucket or a filesystem, or by an address.
fn saved(
    plan: &Plan,
    id: NounId,
) -> impl Iterator<Item = (usize, String, (Option<NounId>, String))> {
    let program = plan.program(id);
    let line = plan.command_line(id);
    let options = line.into_iter().flat_map(|line| line.options.iter().enumerate());
    options.filter_map(move |(number, said)| {
        let path = said.value.as_deref().filter(|_| said.means == Some(Meaning::Saves))?;
        let run = run_below(line?, said)?;
        let known = ![path, &run].iter().any(|it| it.contains(['$', '{', '%', '(']));
        if path.contains("://") {
            let own = format!("{}/{run}", path.trim_end_matches('/'));
            return known.then(|| (number, path.to_owned(), (None, own)));
        }
        let mounts = program.into_iter().flat_map(|it| &it.mounts);
        let holds =
            mounts.filter_map(|mount| Some((mount, below(path, clean(&mount.path.value))?)));
        let (mount, rest) = holds.min_by_key(|(_, rest)| rest.len())?;
        let source = kept_in(mount).filter(|_| known && !mount.reads_alone())?;
        let whole = mount.folder.as_deref().unwrap_or_default();
        let folder = format!("{whole}/{}/{run}", clean(rest));
        Some((number, path.to_owned(), (Some(source), folder.trim_matches('/').to_owned())))
    })
}

/// The folder of a run below the one that an option names: frameworks that keep many runs in one name it by another option, or by the
/// time, which nobody knows.
fn run_below(line: &CommandLine, said: &Said) -> Option<String> {
    const OF_MANY: [(&str, &str); 4] = [
        ("base_output_directory", "run_name"),
        ("exp_dir", "name"),
        ("default_root_dir", "name"),
        ("dump_folder", "checkpoint.folder"),
    ];
    let name = said.name();
    let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let named = OF_MANY.iter().find(|(of, _)| last(&name).as_deref() == Some(of));
    let Some((_, by)) = named else { return Some(String::new()) };
    let ends = |other: &str| other == *by || last(other).as_deref() == Some(by);
    let mut options = line.options.iter().filter(|it| it.program == said.program);
    options.find(|it| ends(&it.name()))?.value.clone()
}

/// The part of a path below a folder, or nothing of the folder itself.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    if path.trim_end_matches('/') == folder { Some("") } else { inside(path, folder) }
}

/// The bucket or the filesystem of a mount.
fn kept_in(mount: &MountPlan) -> Option<NounId> {
    match &mount.source.value {
        Source::Bucket { noun, .. } => Some(noun.id()),
        Source::Share { noun, .. } => Some(noun.id()),
        Source::Scratch { .. }
        | Source::LocalCheckpoints { .. }
        | Source::Object { .. }
        | Source::HostPath { .. } => None,
    }
}

/// Every path of the command and the variables that lies in a mount: the mount's path, and the rest.
fn named(program: &Program) -> BTreeSet<(String, String)> {
    let tokens =
        program.texts().flat_map(|text| text.split(ends_a_path)).filter(|it| it.starts_with('/'));
    let owner = |token: &str| {
        let paths = program.mounts.iter().map(|mount| clean(&mount.path.value));
        let holder = paths
            .filter(|path| token == *path || inside(token, path).is_some())
            .max_by_key(|path| path.len())?;
        Some((holder.to_owned(), inside(token, holder).unwrap_or_default().to_owned()))
    };
    tokens.map(|token| token.trim_end_matches('/')).filter_map(owner).collect()
}

fn ends_a_path(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '=' | ':' | ',' | ';' | '"' | '\'')
}
