//! Nouns that have another owner on the other side: `existing` there and made here, or made there and `existing` here.

use super::before::Before;
use super::former::is_existing;
use super::perhaps::Advice;
use camino::Utf8PathBuf;
use slipform_analysis::Analysis;
use slipform_changes::{Change, File, Handed, Standing, hold, let_go, take_over, taken_from_nodes};
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};
use slipform_targets::Stage;
use slipform_targets::left_behind::{LeftBehind, Released, Remains};
use slipform_targets::terraform::{addresses, between_others};

/// Corrects what is told of them: no command destroys what others own, and nothing is made where something is.
pub(super) fn tell(
    found: &mut [Change],
    (before, old): (&Before, &[File<'_>]),
    (now, new): (&Analysis, &[File<'_>]),
) -> Option<Advice> {
    let plan = now.plan.as_ref()?;
    let changed = plan.model.nouns.iter().filter_map(|noun| {
        let then = before.nouns.twin(plan, noun)?;
        let is_existing = is_existing(&plan.model, noun);
        let is_handed = then.kind == noun.kind()
            && then.existing != is_existing
            && then.is_same(plan, noun)
            && noun.parent.and_then(|id| plan.model.get(id)).is_none_or(|around| {
                let then = before.nouns.twin(plan, around);
                then.is_none_or(|then| then.is_same(plan, around))
            });
        let origin = if is_existing { &then.origin } else { &noun.origin };
        is_handed.then(|| (noun.id, is_existing, handed(plan, noun, origin)))
    });
    let (given, taken): (Vec<_>, Vec<_>) = changed.partition(|(_, is_given, _)| *is_given);
    let ids: Vec<NounId> = given.iter().map(|(id, ..)| *id).collect();
    let nouns = |all: Vec<(NounId, bool, Vec<Handed>)>| all.into_iter().flat_map(|it| it.2);
    let given: Vec<Handed> = nouns(given).chain(between(plan, &ids, before)).collect();
    let_go(found, old, &given);
    hold(found, &standing(plan, before));
    let taken_from = taken_from_nodes(found, old, &given);
    let of: Vec<String> = taken_from.into_iter().map(|it| it.origin.clone()).collect();
    take_over(found, (old, new), &nouns(taken).collect::<Vec<_>>());
    (!of.is_empty()).then(|| Advice { of, help: KEEP_ACCOUNT.to_owned() })
}

const KEEP_ACCOUNT: &str = "nodes of a cluster that is `existing` from now on act as it, and may no more what this takes away, pull images among it: keep it, as `node_identity` of the cluster, until its owner has given them another";

/// What others own that stands on networks, and has machines of reservations, that are made here.
fn standing(plan: &Plan, before: &Before) -> Vec<Standing> {
    let edges = plan.graph.edges().filter_map(|(from, to, _)| {
        let (of, ground) = (plan.model.get(from)?, plan.model.get(to)?);
        let is_ground = ["network", "reservation"].contains(&ground.kind()) && !ground.existing;
        let is_of_others = ["cluster", "pool"].contains(&of.kind()) && is_existing(&plan.model, of);
        (is_ground && is_of_others).then_some((of, ground))
    });
    let told = edges.map(|(of, ground)| {
        // one that was made here until now is in its folder
        let then = before.nouns.twin(plan, of).filter(|it| !it.existing);
        let root = then.and_then(|_| cluster_folder(plan, of));
        Standing {
            ground: ground.origin.clone(),
            called: format!("{} {}", of.kind(), of.path),
            root: root.map(|it| it.to_string()),
        }
    });
    told.collect()
}

/// What was made between two nouns, of which one is handed over now, and the other is someone else's as well.
fn between(plan: &Plan, given: &[NounId], before: &Before) -> Vec<Handed> {
    let of_given = between_others(plan).into_iter().filter_map(|(stage, block, nouns)| {
        let noun = nouns.iter().find(|it| given.contains(it))?;
        let noun = plan.model.get(*noun)?;
        let origin = before.nouns.twin(plan, noun)?.origin.clone();
        let root = stage.folder().to_string();
        let (inside, forget) = (String::new(), Vec::new());
        Some(Handed { origin, root, blocks: vec![block], whole: false, inside, forget })
    });
    of_given.collect()
}

/// A noun, and what Terraform keeps of it: of a cluster in its own root, and besides.
fn handed(plan: &Plan, noun: &Noun, origin: &str) -> Vec<Handed> {
    let origin = || origin.to_owned();
    let own = cluster_folder(plan, noun).map(|folder| {
        let (root, blocks, forget) = (folder.to_string(), Vec::new(), forget(folder));
        let name = plan.name(noun.id).cloned().unwrap_or_default();
        let inside = Stage::Queues(name).folder().to_string();
        Handed { origin: origin(), root, blocks, whole: true, inside, forget }
    });
    // objects, of which no folder of Terraform knows
    let queue = (noun.kind() == "queue").then(|| Handed {
        origin: origin(),
        root: String::new(),
        blocks: Vec::new(),
        whole: false,
        inside: String::new(),
        forget: Vec::new(),
    });
    let besides = addresses(plan, noun.id).map(|(stage, blocks)| {
        let (root, whole) = (stage.folder().to_string(), noun.kind() == "pool");
        let (inside, forget) = (String::new(), Vec::new());
        Handed { origin: origin(), root, blocks, whole, inside, forget }
    });
    own.into_iter().chain(queue).chain(besides).collect()
}

/// The folder of a cluster.
fn cluster_folder(plan: &Plan, noun: &Noun) -> Option<Utf8PathBuf> {
    let name = plan.name(noun.id).filter(|_| noun.kind() == "cluster");
    name.map(|name| Stage::Cluster(name.to_owned()).folder())
}

/// What lets Terraform forget the folder of a cluster.
fn forget(folder: Utf8PathBuf) -> Vec<String> {
    let released = Released::Root;
    let remains = Remains::Resources { protected: false, released, made: None };
    LeftBehind { folder, remains }.commands()
}
