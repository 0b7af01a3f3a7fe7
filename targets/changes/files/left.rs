//! What is no longer in the output, and goes on where it was started.

use super::{origin, texts};
use crate::{Change, Effect, File, Grammar, file_name, machines, slurm, toolkit, vertex};

const STOPPED_BY_HAND: &str = "the blueprint has it no more: its daemons go on until they are stopped, and a cluster of another name knows none of its jobs";
const DESTROYED_BY_HAND: &str =
    "the blueprint has it no more: its controller and nodes stay until the deployment is destroyed";
/// Runs of Slurm and of Vertex AI, and clusters of Slurm, whose folder is no longer in the output: what was submitted or
/// started goes on.
pub(crate) fn left_behind(root: &str, old: &[File<'_>], after: &[File<'_>]) -> Option<Change> {
    let name = file_name(root);
    let ends = |end: &str| old.iter().find(|file| file.path.ends_with(end));
    if let Some(file) = ends("slurm.conf") {
        let settings = after.iter().filter(|it| file_name(it.path) == "slurm.conf");
        let mut heirs = settings.filter_map(|it| Some((it, slurm::heir(file.text, it.text)?)));
        if let Some((heir, slurm::Heir { why, commands })) = heirs.next() {
            let before = heir.path.split('/').next().unwrap_or_default();
            let order = format!("{why}; these come before {before} is applied");
            let change = Change::of_file(Effect::Replaces, root, file.path, &order);
            return Some(Change { origin: origin(file.text), commands, ..change });
        }
        let mut commands = slurm::ended_by_hand(file.text);
        commands.extend(slurm::counter::ended_by_hand(&texts(old)));
        return Some(Change {
            origin: origin(file.text),
            commands,
            ..Change::of_file(Effect::ByHand, root, file.path, STOPPED_BY_HAND)
        });
    }
    if let Some(file) = ends("cluster.yaml") {
        let stored = toolkit::stored(file.text);
        let why = match &stored {
            Some(stored) => format!("{DESTROYED_BY_HAND}; then {stored}"),
            None => DESTROYED_BY_HAND.to_owned(),
        };
        // it stands on what others may make anew
        let mut commands = toolkit::undeployed(root, old);
        toolkit::put_first(&mut commands, root);
        return Some(Change {
            origin: origin(file.text),
            commands,
            leaves_data: stored.is_some(),
            ..Change::of_file(Effect::ByHand, root, file.path, &why)
        });
    }
    if !old.iter().any(|it| it.grammar() == Grammar::Terraform)
        && let Some(made) = machines::left_behind(root, old)
    {
        return Some(made);
    }
    let batch = ends(".sbatch").map(|it| (it, vec![format!("scancel --name={name}")]));
    let request = ends(".json").map(|it| (it, vertex::cancelled(name, it.text, old)));
    let (file, commands) = batch.or(request)?;
    let why =
        "the blueprint has it no more: jobs that were submitted go on until they are cancelled";
    Some(Change {
        origin: origin(file.text),
        commands,
        ..Change::of_file(Effect::ByHand, root, file.path, why)
    })
}

const ELSEWHERE: &str = "; another one is made in its place, on another platform";

/// Whether a cluster is on another platform from then on.
pub(crate) fn is_elsewhere(change: &Change) -> bool {
    change.why.ends_with(ELSEWHERE)
}

/// A cluster whose folder is of one on another platform from then on: the former stays.
pub(super) fn elsewhere(root: &str, before: &[File<'_>], after: &[File<'_>]) -> Option<Change> {
    let has = |files: &[File<'_>], name: &str| files.iter().any(|it| file_name(it.path) == name);
    let of_cluster = ["slurm.conf", toolkit::FILES[0]];
    let goes = of_cluster.iter().any(|it| has(before, it) && !has(after, it));
    let comes = of_cluster.iter().any(|it| has(after, it) && !has(before, it));
    let left = left_behind(root, before, &[]).filter(|_| goes && comes)?;
    let why = format!("{}{ELSEWHERE}", left.why);
    Some(Change { effect: Effect::Replaces, why, ..left })
}
