//! Whom a change reaches: the runs that end with what goes, and those that cannot do without it.

mod former;

use super::former::Former;
use super::renamed::Sides;
use crate::manifest::Rights;
use slipform_changes::{Change, Effect};
use slipform_model::graph::EdgeKind;
use slipform_model::nouns::{Body, Identity, Ref};
use slipform_model::plan::{GkeSite, Held, Plan, Source};
use slipform_model::{Noun, NounId};
use slipform_source::Spanned;
use slipform_targets::Stage;
use slipform_targets::users_of_rights;
use std::collections::{BTreeMap, BTreeSet};

pub(super) use former::{of_former, using};

/// The workloads that run on what ends or starts anew of a noun. A cluster takes its pools along; what else is made anew inside of
/// one leaves its runs alone.
pub(super) fn standing_on(
    plan: &Plan,
    noun: NounId,
    changes: &[Change],
    sides: Sides<'_>,
) -> Vec<String> {
    let mut grounds: BTreeSet<NounId> = BTreeSet::new();
    let changes = || ending(changes);
    if changes().any(|it| touches_nodes(it) && it.partitions.is_empty()) {
        grounds.insert(noun);
    }
    if changes().any(ends_all) {
        grounds.extend(plan.children(noun).iter().copied());
    }
    let losing = changes().flat_map(|it| &it.partitions).map(String::as_str);
    let losing: BTreeSet<&str> = losing.collect();
    let within: Vec<(NounId, &str)> =
        plan.children(noun).iter().filter_map(|id| Some((*id, plan.name(*id)?.as_str()))).collect();
    // of one that this plan does not know only what was built tells who ran there
    let is_known = losing.iter().all(|it| within.iter().any(|(_, name)| name == it));
    let lost = within.into_iter().filter(|(_, name)| losing.contains(name));
    grounds.extend(lost.map(|(id, _)| id));
    let taken: BTreeSet<&String> = changes().flat_map(|it| &it.takes_along).collect();
    for cluster in plan.model.nouns.iter().filter(|it| taken.contains(&it.origin)) {
        grounds.insert(cluster.id);
        grounds.extend(plan.children(cluster.id).iter().copied());
    }
    let is_stopped = changes().any(stops);
    let edges = plan.graph.edges();
    let queued =
        edges.filter(|(_, to, edge)| is_stopped && *to == noun && edge.kind == EdgeKind::QueuedBy);
    let queued = queued.map(|(from, ..)| from);
    let on_them = on_any(plan, |id| grounds.contains(&id));
    let mut found: BTreeSet<String> = runs(plan, queued.chain(on_them)).into_iter().collect();
    if !is_known {
        found.extend(left_partition(plan, noun, &losing, sides));
    }
    found.into_iter().collect()
}

/// The changes that end something: jobs that commands of a change let end before go on elsewhere, or are over.
fn ending(changes: &[Change]) -> impl Iterator<Item = &Change> {
    changes.iter().filter(|it| !it.lets_end())
}

/// The runs, and groups of them, that say they run on some places, and the runs that their queue may have put there.
pub(super) fn on_any(plan: &Plan, is_ground: impl Fn(NounId) -> bool) -> BTreeSet<NounId> {
    let edges = plan.graph.edges();
    let said = edges.filter(|(_, to, edge)| edge.kind == EdgeKind::RunsOn && is_ground(*to));
    let grounds = plan.model.nouns.iter().map(|it| it.id).filter(|id| is_ground(*id));
    let put = grounds.flat_map(|id| plan.runs_on(id).map(|(run, _)| run));
    said.map(|(from, ..)| from).chain(put).collect()
}

/// Whether it stops a queue, and so what that let begin.
fn stops(change: &Change) -> bool {
    change.effect == Effect::Restarts && change.thing.starts_with("ClusterQueue ")
}

/// Whether a change ends what runs on its noun, or starts it anew.
fn touches_nodes(change: &Change) -> bool {
    let has_nodes =
        ["google_container_", "module nodes-"].iter().any(|it| change.thing.starts_with(it));
    change.effect <= Effect::MayReplace || change.effect == Effect::Restarts && has_nodes
}

/// Whether a change ends all that runs in a cluster, or starts it anew.
fn ends_all(change: &Change) -> bool {
    let whole = match change.effect {
        Effect::DestroysData | Effect::Replaces | Effect::MayReplace => {
            is_gke_cluster(change) || is_slurm(change) && change.partitions.is_empty()
        }
        // what all nodes of a cluster are made anew for
        Effect::Restarts => is_gke_cluster(change),
        _ => false,
    };
    whole || change.is_left_cluster()
}

/// Whether runs stand on nouns of a kind.
fn carries_runs(kind: &str) -> bool {
    matches!(kind, "cluster" | "pool" | "partition")
}

/// The runs that stand on each noun, or need it, by their paths.
pub(crate) fn runs_by_noun(plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let of_noun = plan.model.nouns.iter().filter_map(|noun| {
        let kind = noun.kind();
        let found = match kind {
            _ if carries_runs(kind) => runs(plan, on_any(plan, |id| id == noun.id).into_iter()),
            "queue" => {
                let edges = plan.graph.edges();
                let of_it =
                    edges.filter(|(_, to, edge)| *to == noun.id && edge.kind == EdgeKind::QueuedBy);
                runs(plan, of_it.map(|(from, ..)| from))
            }
            _ if NEEDED.iter().any(|(of, _)| *of == kind) => {
                runs(plan, users(plan, noun.id).into_iter())
            }
            _ => Vec::new(),
        };
        (!found.is_empty()).then(|| (noun.path.clone(), found))
    });
    of_noun.collect()
}

/// The runs that use each right that a blueprint gives, by their paths, with the role that each needs.
pub(crate) fn rights(plan: &Plan) -> Rights {
    let path = |id: NounId| plan.model.get(id).map(|it| it.path.clone());
    let users = plan.sound().map(users_of_rights).unwrap_or_default();
    let all = users.into_iter().map(|(grant, runs)| {
        let runs = runs.into_iter().filter_map(|(run, role)| Some((path(run)?, role)));
        (grant, runs.collect())
    });
    all.collect()
}

/// The runs of a cluster that stood on one of these partitions on the other side.
fn left_partition(
    plan: &Plan,
    cluster: NounId,
    partitions: &BTreeSet<&str>,
    sides: Sides<'_>,
) -> Vec<String> {
    let here = |to: NounId| to == cluster || plan.children(cluster).contains(&to);
    let edges = plan.graph.edges();
    let edges = edges.filter(|(_, to, edge)| edge.kind == EdgeKind::RunsOn && here(*to));
    let stood = stood(sides);
    let stood_there = |run: &String| {
        let called = plan.model.nouns.iter().find(|it| it.path == *run);
        let then = called.and_then(|it| stood.get(it.outside.path.as_str()));
        then.is_some_and(|then| then.iter().any(|it| partitions.contains(it)))
    };
    runs(plan, edges.map(|(from, ..)| from)).into_iter().filter(stood_there).collect()
}

/// The partitions that each run of the other side asked for, by what it is called outside: its batch script has them.
fn stood(sides: Sides<'_>) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in sides.files.iter().filter(|(path, _)| path.ends_with(".sbatch")) {
        let Some(run) = sides.former_run(path).map(|it| it.outside.as_str()) else { continue };
        let asked = text.lines().filter_map(|line| line.strip_prefix("#SBATCH --partition="));
        found.entry(run).or_default().extend(asked.flat_map(|it| it.trim().split(',')));
    }
    found
}

/// The workloads that need what goes, or is made anew, of a noun that nothing runs on itself: they mount it, act as it, pull from it,
/// or stand on a cluster that does. Of a cluster, the account and the rights of its nodes. Of a right, those who have it.
pub(super) fn needing(
    plan: &Plan,
    noun: NounId,
    changes: &[Change],
    sides: Sides<'_>,
) -> Vec<String> {
    let gone: Vec<&Change> = changes.iter().filter(|it| goes(it)).collect();
    let frees_nodes = changes.iter().any(frees_nodes);
    let mut found: BTreeSet<String> = mounting(plan, &gone, sides).into_iter().collect();
    let kind = plan.model.get(noun).map_or("", Noun::kind);
    if frees_nodes && kind == "pool" {
        found.extend(runs(plan, on_any(plan, |id| id == noun).into_iter()));
    }
    let (known, untold) = by_users(&gone, sides);
    found.extend(known.into_iter().cloned());
    let untold: Vec<&Change> = untold.into_iter().filter(|it| is_needed(kind, it)).collect();
    if !untold.is_empty() {
        found.extend(needing_of(plan, noun, &untold));
    }
    found.into_iter().collect()
}

/// Whether whoever runs on a pool ends before its commands are given: what Kueue let begin on a flavor that it knows no more is counted no more, and it would
/// deal the nodes once again; and what nodes hold of checkpoints is gone with what set that up.
fn frees_nodes(change: &Change) -> bool {
    change.deletes_flavor() || change.empties_memory()
}

/// The runs that have rights which go, and what goes of which nobody told who has it.
fn by_users<'a, 'c>(
    gone: &[&'c Change],
    sides: Sides<'a>,
) -> (BTreeSet<&'a String>, Vec<&'c Change>) {
    let (mut known, mut untold) = (BTreeSet::new(), Vec::new());
    for change in gone {
        match sides.nouns.users(change) {
            Some(users) => known.extend(users),
            None => untold.push(*change),
        }
    }
    (known, untold)
}

/// Whether something goes, is made anew, or is no longer given.
fn goes(change: &Change) -> bool {
    let destroys = || change.destroyed_by_hand().next().is_some() || change.frees_volumes();
    change.effect <= Effect::Restarts && !change.is_clean_up()
        || change.revokes()
        || change.effect == Effect::ByHand && destroys()
}

/// Whether runs need something of a noun of a kind. How others come to act as an account is none of their business.
fn is_needed(kind: &str, change: &Change) -> bool {
    let mut needed = NEEDED.iter().filter(|(of, _)| *of == kind).flat_map(|(_, things)| *things);
    let bound = change.thing.starts_with("google_service_account_iam_member.");
    let lets_in = change.thing.starts_with("google_iam_workload_identity_pool")
        || bound && change.root != Stage::WorkloadIdentity.folder().as_str();
    !lets_in && !is_watched_by(change) && needed.any(|start| change.thing.starts_with(start))
}

/// Roles by which a run only tells of itself: what it computes and keeps goes on without them.
const TELLING: [&str; 3] =
    ["roles/logging.logWriter", "roles/monitoring.metricWriter", "roles/cloudtrace.agent"];

/// Whether a change takes a right away by which runs are only watched.
fn is_watched_by(change: &Change) -> bool {
    let role = change.thing.strip_prefix("google_project_iam_member.");
    role.is_some_and(|it| TELLING.iter().any(|role| it.ends_with(&format!("[\"{role}\"]"))))
}

/// The workloads that need what goes of a noun.
fn needing_of(plan: &Plan, noun: NounId, gone: &[&Change]) -> Vec<String> {
    let mut reached = users(plan, noun);
    // of rights to buckets alone, the runs that have something to do with one of them
    let buckets: Option<Vec<NounId>> = gone.iter().map(|it| granted(plan, it)).collect();
    if let Some(buckets) = buckets {
        let of_them: BTreeSet<NounId> = buckets.iter().flat_map(|it| users(plan, *it)).collect();
        reached.retain(|id| of_them.contains(id));
    }
    // none where it is more than what namespaces have
    let namespaces: Option<BTreeSet<&str>> = gone.iter().map(|it| bound(it)).collect();
    let is_reached = |id: &NounId| namespaces.as_ref().is_none_or(|of| is_within(plan, *id, of));
    runs(plan, reached.into_iter().filter(is_reached))
}

/// The workloads whose pods mount a claim that is deleted, in the cluster that it is deleted in.
fn mounting(plan: &Plan, gone: &[&Change], sides: Sides<'_>) -> Vec<String> {
    let claims: Vec<_> = freed_claims(gone, sides).collect();
    let is_freed = |site: &GkeSite, name: &str| {
        let cluster = plan.model.get(site.cluster.id()).map(|it| it.path.as_str());
        claims.iter().any(|(of, namespace, claim)| {
            of.is_none_or(|of| Some(of.path.as_str()) == cluster)
                && (*namespace, *claim) == (site.namespace.as_str(), name)
        })
    };
    let mounts = |noun: &&Noun| {
        let Some(run) = plan.workload(noun.id) else { return false };
        let Some(site) = run.gke() else { return false };
        let mut mounts = run.gangs().flat_map(|gang| &gang.program.mounts);
        mounts.any(|mount| match &mount.source.value {
            Source::Share { noun, .. } => {
                let name =
                    plan.model.get(noun.id()).map(|it| it.outside.path.replace(['.', '_'], "-"));
                name.is_some_and(|name| is_freed(site, &name))
            }
            Source::Object { kind: Held::Claim, name } => is_freed(site, name),
            Source::Bucket { .. }
            | Source::Scratch { .. }
            | Source::LocalCheckpoints { .. }
            | Source::Object { .. }
            | Source::HostPath { .. } => false,
        })
    };
    runs(plan, plan.model.nouns.iter().filter(mounts).map(|it| it.id))
}

/// The claims that are deleted, each with the cluster that it was in, where that is known, and its namespace.
fn freed_claims<'a, 'c>(
    gone: &[&'c Change],
    sides: Sides<'a>,
) -> impl Iterator<Item = (Option<&'a Former>, &'c str, &'c str)> {
    gone.iter().flat_map(move |change| {
        let cluster = sides.former_cluster(&change.root);
        change.freed_claims().map(move |(namespace, name)| (cluster, namespace, name))
    })
}

/// A noun, and whoever needs it, through others that pass it on.
fn users(plan: &Plan, noun: NounId) -> BTreeSet<NounId> {
    let mut reached = BTreeSet::from([noun]);
    let mut waiting = vec![noun];
    while let Some(needed) = waiting.pop() {
        let users = plan.graph.edges().filter(|(_, to, _)| *to == needed);
        for user in users.map(|(from, ..)| from) {
            if shows_only(plan, user, needed) {
                continue;
            }
            if reached.insert(user) && leads_on(plan, user) {
                waiting.push(user);
            }
        }
    }
    reached
}

/// The bucket that a grant is about: `scratch` of `google_storage_bucket_iam_member.scratch_trainer`.
fn granted(plan: &Plan, change: &Change) -> Option<NounId> {
    let grant = change.thing.strip_prefix("google_storage_bucket_iam_member.")?;
    let named = |noun: &&Noun| {
        let key = noun.path.replace(['.', '-'], "_");
        grant.strip_prefix(&key).is_some_and(|rest| rest.starts_with('_'))
    };
    let buckets = plan.model.nouns.iter().filter(|noun| noun.kind() == "bucket");
    buckets.filter(named).max_by_key(|noun| noun.path.len()).map(|noun| noun.id)
}

/// The namespace to whose account alone a grant gives an identity: `research` of `["research/trainer"]`.
fn bound(change: &Change) -> Option<&str> {
    let grant = change.thing.strip_prefix("google_service_account_iam_member.")?;
    let (namespace, _) = grant.split_once("[\"")?.1.split_once('/')?;
    Some(namespace)
}

/// Whether a run, or the one that a group is of, is in one of these namespaces.
fn is_within(plan: &Plan, noun: NounId, namespaces: &BTreeSet<&str>) -> bool {
    let around = plan.model.get(noun).filter(|it| it.kind() == "group").and_then(|it| it.parent);
    let site = plan.workload(around.unwrap_or(noun)).and_then(|run| run.gke());
    site.is_some_and(|site| namespaces.contains(site.namespace.as_str()))
}

/// What runs need of nouns that they do not run on, by how it begins. Who logs in needs more of a network.
const NEEDED: &[(&str, &[&str])] = &[
    (
        "network",
        &[
            "google_compute_network.",
            "google_compute_subnetwork.",
            "google_compute_router",
            "google_compute_global_address.",
            "google_service_networking_connection.",
            "module ",
        ],
    ),
    ("bucket", &["google_storage_bucket."]),
    ("filesystem", &["google_"]),
    ("registry", &["google_artifact_registry_repository."]),
    ("identity", &["google_"]),
    ("dashboard", &["google_vertex_ai_tensorboard."]),
    // of its nodes
    ("cluster", &["google_service_account.", "google_project_iam_member.nodes"]),
];

/// What of a noun's needs those have that need it in turn.
enum Passing<'b> {
    /// A run ends there, and so does a queue: of its runs only some stand on a pool.
    Nothing,
    /// All.
    All,
    /// A cluster has volumes, and accounts of pods or of its controller, for whoever asks for them. All its runs are on nodes that act as one account.
    Nodes { account: Option<&'b Spanned<Ref<Identity>>>, volumes: bool },
}

fn passing(body: &Body) -> Passing<'_> {
    match body {
        Body::Workload(_) | Body::Group(_) | Body::Queue(_) => Passing::Nothing,
        Body::GkeCluster(it) => {
            Passing::Nodes { account: it.node_identity.as_ref(), volumes: true }
        }
        Body::SlurmCluster(it) => {
            Passing::Nodes { account: it.node_identity.as_ref(), volumes: false }
        }
        Body::VertexCluster(_)
        | Body::Network(_)
        | Body::Bucket(_)
        | Body::Filesystem(_)
        | Body::Registry(_)
        | Body::Identity(_)
        | Body::Reservation(_)
        | Body::Dashboard(_)
        | Body::Image(_)
        | Body::MachineImage(_)
        | Body::Machines(_)
        | Body::Pool(_)
        | Body::Partition(_)
        | Body::Broken { .. } => Passing::All,
    }
}

/// Whether a noun only has something for whoever asks for it, or for itself.
fn shows_only(plan: &Plan, user: NounId, shown: NounId) -> bool {
    let (Some(body), Some(kind)) = (plan.model.get(user).map(|it| &it.body), plan.model.get(shown))
    else {
        return false;
    };
    match (passing(body), kind.kind()) {
        // as which it is built: nobody acts as that on a machine which starts from it
        _ if matches!(body, Body::MachineImage(_)) => kind.kind() == "identity",
        (Passing::Nodes { volumes, .. }, "filesystem" | "bucket") => volumes,
        (Passing::Nodes { account, .. }, "identity") => {
            account.is_none_or(|it| it.value.id() != shown)
        }
        _ => false,
    }
}

/// Whether what needs a noun passes that on.
fn leads_on(plan: &Plan, noun: NounId) -> bool {
    let passes = |body| !matches!(passing(body), Passing::Nothing);
    plan.model.get(noun).map(|it| &it.body).is_some_and(passes)
}

/// Of what a whole cluster of Slurm is made from: its settings, or the blueprint of Cluster Toolkit.
fn is_slurm(change: &Change) -> bool {
    ["slurm.conf", "cluster.yaml", "deployment.yaml"].contains(&change.thing.as_str())
        || change.thing.starts_with("module ")
}

fn is_gke_cluster(change: &Change) -> bool {
    change.thing.starts_with("google_container_cluster.")
}

/// The paths of workloads, and of those that groups are of.
pub(super) fn runs(plan: &Plan, nouns: impl Iterator<Item = NounId>) -> Vec<String> {
    let run = |id: NounId| {
        let noun = plan.model.get(id)?;
        match (noun.kind(), noun.parent) {
            ("workload", _) => Some(noun.path.clone()),
            ("group", Some(run)) => plan.model.get(run).map(|run| run.path.clone()),
            _ => None,
        }
    };
    nouns.filter_map(run).collect::<BTreeSet<String>>().into_iter().collect()
}
