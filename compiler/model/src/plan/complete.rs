//! What everything that is written of a noun holds. A rule judges each of these, and where it is allowed to be broken there is
//! still nothing to write: the noun is told, and nothing is left out of it.

use super::{Any, Gang, Plan, Planned, Run, RunValue, Server, Site, Source, VertexPlan};
use crate::NounId;
use crate::nouns::{
    After, Capacity, Filesystem, GkeCluster, Image, Kind, MachineImage, Machines, Partition, Place,
    Pool, Queue, SlurmCluster, Storage, VertexCluster, Volume, Workload,
};
use slipform_source::{Span, Spanned};
use std::collections::BTreeSet;

/// What a noun lacks, so that nothing can be written.
#[derive(Clone, Copy, Debug)]
pub struct Lack {
    /// The end of a sentence about it.
    pub what: &'static str,
    /// The value that asks for it.
    pub span: Span,
}

/// What a noun lacks: addresses of a data network, volumes that a cluster can have, where a filesystem is made, where an image
/// is pushed, what an image of machines is built from, the zone of a reservation on Vertex AI, a weight of the priority of what names none; of a run a dashboard whose
/// address somebody knows and a warning that its platform can give; and of gangs a place in their run's own cluster, others
/// of their run alone, and a way to mount what they mount.
pub(super) fn lack(plan: &Plan, it: Any<'_>) -> Option<Lack> {
    match it {
        Any::GkeCluster(cluster) => of_gke(plan, cluster),
        Any::SlurmCluster(cluster) => of_slurm(cluster),
        Any::VertexCluster(cluster) => of_vertex(cluster),
        Any::Pool(pool) => of_pool(pool),
        Any::Partition(partition) => of_partition(partition),
        Any::Workload(workload) => of_run(plan, workload),
        Any::Group(group) => {
            let run = group.noun.parent.and_then(|run| plan.workload(run))?;
            of_gang(plan, run, group.plan, &group.body.after)
        }
        Any::Machines(machines) => of_machines(machines),
        Any::Image(image) => of_image(image),
        Any::MachineImage(image) => of_machine_image(image),
        Any::Filesystem(filesystem) => of_filesystem(filesystem),
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Queue(_) => None,
    }
}

/// What is lacking where this does not hold.
fn unless(holds: bool, what: &'static str, span: Span) -> Option<Lack> {
    (!holds).then_some(Lack { what, span })
}

fn of_machines(machines: Planned<'_, Machines>) -> Option<Lack> {
    let Planned { body, plan, .. } = machines;
    let has = |span, what, holds| unless(holds, what, span);
    if plan.machine.tpu.is_none() {
        let ranges = plan.data_networks.iter().all(|network| network.range.is_some());
        let network = body.network.span;
        return has(network, "a network of its accelerators has no addresses", ranges)
            .or_else(|| has(body.machine.span, "nothing to start from", body.image.is_some()));
    }
    let slices = plan.slices.as_ref();
    let asked = slices.is_some_and(|slices| slices.asked.is_some() && slices.runtime.is_some());
    has(body.machine.span, "no slice that Cloud TPU makes", asked)
}

fn of_gke(plan: &Plan, cluster: Planned<'_, GkeCluster>) -> Option<Lack> {
    let body = cluster.body;
    let ranges = cluster.plan.data_networks.iter().all(|network| network.range.is_some());
    let ranges = unless(
        !cluster.is_made() || ranges,
        "a network of its accelerators has no addresses",
        body.network.span,
    );
    let mounted = |storage: &Storage| match storage {
        Storage::Path { .. } => false,
        Storage::Filestore { .. }
        | Storage::Lustre { .. }
        | Storage::HyperdiskMl { .. }
        | Storage::HyperdiskBalanced { .. }
        | Storage::HyperdiskThroughput { .. }
        | Storage::Nfs { .. } => true,
    };
    let volumes = body.volumes.iter().find_map(|volume| match volume.value {
        Volume::Bucket(_) => None,
        Volume::Filesystem(shared) => {
            let found = plan.model.body(shared).is_some_and(|it| mounted(&it.storage.value));
            unless(found, "no pod can mount this volume", volume.span)
        }
    });
    let weight = body.default_priority.as_ref().filter(|_| cluster.is_made()).and_then(|name| {
        let weights = weights(plan, cluster.noun.id, &name.value);
        unless(weights.len() == 1, "queues give this priority no weight, or several", name.span)
    });
    ranges.or(volumes).or(weight)
}

/// The weights that queues which are made in a cluster give a priority.
fn weights(plan: &Plan, cluster: NounId, priority: &str) -> BTreeSet<i64> {
    let inside = plan.children(cluster).iter().filter_map(|id| plan.model.get(*id));
    let made = inside.filter(|noun| !noun.existing).filter_map(|noun| Queue::of(&noun.body));
    made.filter_map(|queue| queue.priorities.get(priority).copied()).collect()
}

fn of_slurm(cluster: Planned<'_, SlurmCluster>) -> Option<Lack> {
    let cloud = cluster.plan.cloud.as_ref()?;
    let at = cluster.body.network.as_ref().map_or(cluster.noun.span, |network| network.span);
    let ranges = cloud.data_networks.iter().all(|network| network.range.is_some());
    let ranges = unless(ranges, "a network of its accelerators has no addresses", at);
    let mounts = cloud.mounts.iter().find_map(|(path, source)| {
        let own = matches!(source, Source::Share { server: Server::Nodes { .. }, .. });
        let said = cluster.body.mounts.get(path).map_or(cluster.noun.span, |it| it.span);
        unless(!own, "nodes that are made have no folder of their own to mount", said)
    });
    ranges.or(mounts)
}

fn of_vertex(cluster: Planned<'_, VertexCluster>) -> Option<Lack> {
    let capacity = &cluster.body.capacity;
    match capacity.value {
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => {
            unless(cluster.body.zone.is_some(), "no zone says where this is", capacity.span)
        }
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::AnyReservation
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. } => None,
    }
}

fn of_pool(pool: Planned<'_, Pool>) -> Option<Lack> {
    let interfaces = &pool.body.interfaces;
    let named = pool.body.rdma.set().is_none() || interfaces.value.is_empty();
    unless(named, "pods claim interfaces, which have no such names", interfaces.span)
}

fn of_partition(partition: Planned<'_, Partition>) -> Option<Lack> {
    let first = partition.body.first_address.as_ref().filter(|_| partition.plan.set.is_some())?;
    unless(false, "nodes that are made get addresses by themselves", first.span)
}

fn of_image(image: Planned<'_, Image>) -> Option<Lack> {
    let pushed = !image.is_made() || image.body.push_to.is_some() || !image.body.adds();
    unless(pushed, "nothing says where it is pushed to", image.noun.span)
}

fn of_machine_image(image: Planned<'_, MachineImage>) -> Option<Lack> {
    let MachineImage { from, network, zone, .. } = image.body;
    let placed = from.is_some() && network.is_some() && zone.is_some();
    let what = "nothing says what it is built from, or where";
    unless(!image.is_made() || placed, what, image.noun.span)
}

fn of_filesystem(filesystem: Planned<'_, Filesystem>) -> Option<Lack> {
    let body = filesystem.body;
    let kept = !filesystem.is_made() || !body.storage.value.is_managed();
    let reached = body.network.is_some() || body.storage.value.disk().is_some();
    let placed = kept || body.location.is_some() && reached;
    unless(placed, "nothing says where it is made, and on which network", body.storage.span)
}

fn of_run(plan: &Plan, workload: Planned<'_, Workload>) -> Option<Lack> {
    let (run, body) = (workload.plan, workload.body);
    let most = plan.model.catalog.limits().slurm.longest_warning_seconds;
    let warned = run.slurm().is_none() || run.grace.0 <= most;
    let grace = body.grace.set().map_or(workload.noun.span, |grace| grace.span);
    let shown = body.dashboard.as_ref().and_then(|dashboard| {
        let made = plan.model.get(dashboard.value.id()).is_some_and(|noun| !noun.existing);
        unless(made, "nobody knows the address of this dashboard", dashboard.span)
    });
    unless(warned, "Slurm has no way to warn so long before the end", grace)
        .or(shown)
        .or_else(|| of_gang(plan, run, run.lead(), &body.after))
}

/// Where a gang does not run where its run does, or names others than those of its run.
fn of_gang(plan: &Plan, run: &Run, gang: &Gang, after: &[Spanned<After>]) -> Option<Lack> {
    let is_one = |noun: NounId| run.gangs().any(|it| it.program.noun == noun);
    let told = gang.program.known_to_run().find_map(|(value, span)| match value {
        RunValue::Host(noun) => {
            unless(is_one(noun), "nothing there knows nodes of another run", span)
        }
        RunValue::Id
        | RunValue::Attempt
        | RunValue::NodeRank
        | RunValue::SliceIndex
        | RunValue::NodeCount
        | RunValue::ArrayIndex => None,
    });
    let awaited = after.iter().find_map(|it| {
        let own = is_one(it.value.awaited().id());
        unless(own, "nothing there waits for another run", it.span)
    });
    told.or(awaited).or_else(|| of_place(plan, run, gang))
}

fn of_place(plan: &Plan, run: &Run, gang: &Gang) -> Option<Lack> {
    const ELSEWHERE: &str = "the nodes of a run are in one cluster, and have a place in it";
    let place = &gang.program.place;
    let here = match (&run.site, place.value) {
        (Site::Gke(site), Place::Pool(pool)) => {
            plan.pool(pool).is_some_and(|it| it.cluster == site.cluster)
        }
        (Site::Slurm(site), Place::Partition(partition)) => {
            let mut berths = site.components.iter().flat_map(|it| &it.berths);
            plan.partition(partition).is_some_and(|it| it.cluster == site.cluster)
                && berths.any(|berth| berth.gang == gang.program.noun)
        }
        (Site::Vertex(site), Place::Vertex(_)) => {
            let leads = run.lead().program.noun == gang.program.noun;
            leads || site.parts.contains_key(&gang.program.noun)
        }
        (Site::Gke(_) | Site::Slurm(_) | Site::Vertex(_), _) => false,
    };
    unless(here, ELSEWHERE, place.span).or_else(|| of_mounts(gang)).or_else(|| match place.value {
        Place::Vertex(cluster) => {
            let shaped = plan.vertex(cluster).is_some_and(|it| is_shaped(it, gang));
            unless(shaped, "Vertex AI has no slice of so many nodes", place.span)
        }
        Place::Pool(_) | Place::Partition(_) => None,
    })
}

/// Whether Vertex AI has slices of the size of a gang.
fn is_shaped(machines: &VertexPlan, gang: &Gang) -> bool {
    machines.machine.tpu.is_none() || machines.slice(gang.nodes).is_some()
}

fn of_mounts(gang: &Gang) -> Option<Lack> {
    let place = gang.program.place.value;
    gang.program.mounts.iter().find_map(|mount| {
        unless(can_mount(place, &mount.source.value), "nothing there mounts this", mount.span)
    })
}

/// Whether processes at a place can have it.
fn can_mount(place: Place, source: &Source) -> bool {
    match (place, source) {
        (Place::Pool(_), _) | (_, Source::Bucket { .. } | Source::Scratch { .. }) => true,
        // what Kubernetes alone has
        (_, Source::Object { .. } | Source::LocalCheckpoints { .. }) => false,
        (Place::Partition(_), Source::Share { server: Server::Disk { .. }, .. }) => false,
        (Place::Partition(_), Source::Share { .. } | Source::HostPath { .. }) => true,
        (Place::Vertex(_), Source::HostPath { .. }) => false,
        (Place::Vertex(_), Source::Share { server, .. }) => match server {
            Server::Nfs { .. } | Server::Filestore { .. } => true,
            Server::Lustre { .. } | Server::Disk { .. } | Server::Nodes { .. } => false,
        },
    }
}
