//! Facts of what workloads mount: paths that are taken already, and folders that two of them write.

use crate::NounId;
use crate::catalog::Catalog;
use crate::nouns::{Body, MountUse, Ref, Workload};
use crate::plan::{Gang, MountPlan, Place, Plan, Program, Source};
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
    plan.same_folders.get(&id).copied().map(Ref::to)
}

/// Workloads with an earlier one that writes where they do, and one of the two checkpoints.
///
/// Runs that share one folder and have others of their own read what the other has made: they are none.
pub(in crate::plan) fn same_folders(plan: &Plan) -> BTreeMap<NounId, NounId> {
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
        let source = match &mount.source.value {
            Source::Bucket { noun, .. } => noun.id(),
            Source::Share { noun, .. } => noun.id(),
            Source::Scratch { .. }
            | Source::LocalCheckpoints { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => return None,
        };
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
