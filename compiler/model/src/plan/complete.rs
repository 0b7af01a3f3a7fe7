//! What everything that is written of a noun holds. A rule judges each of these, and where it is allowed to be broken there is
//! still nothing to write: the noun is told, and nothing is left out of it.

use super::{Any, Gang, Plan, Planned, Run, Server, Site, SlurmCloud, Source, VertexPlan};
use crate::NounId;
use crate::nouns::{After, Capacity, GkeCluster, Place, Storage, VertexCluster, Volume};
use slipform_source::Spanned;

/// Whether a noun has it: the addresses of a data network and volumes that a cluster can have, where a filesystem is
/// made, where an image is pushed, the zone of a reservation on
/// Vertex AI; of a run a dashboard whose address somebody knows; and of gangs a place in their run's own cluster, others of
/// their run alone, and a way to mount what they mount.
pub(super) fn is_complete(plan: &Plan, it: Any<'_>) -> bool {
    match it {
        Any::GkeCluster(cluster) => is_cluster(plan, &cluster),
        Any::VertexCluster(cluster) => is_place(&cluster),
        Any::Workload(workload) => {
            let lead = workload.plan.lead();
            let mut shown = workload.plan.dashboard.iter();
            shown.all(|later| plan.model.get(later.noun).is_some_and(|it| !it.existing))
                && is_of_run(plan, workload.plan, lead, &workload.body.after)
        }
        Any::Group(group) => {
            let run = group.noun.parent.and_then(|run| plan.workload(run));
            run.is_some_and(|run| is_of_run(plan, run, group.plan, &group.body.after))
        }
        Any::SlurmCluster(cluster) => cluster.plan.cloud.as_ref().is_none_or(is_on_cloud),
        Any::Machines(it) => it.plan.data_networks.iter().all(|network| network.range.is_some()),
        Any::Image(image) => !image.is_made() || image.body.push_to.is_some() || !image.body.adds(),
        Any::Filesystem(filesystem) => {
            let kept = !filesystem.is_made() || !filesystem.body.storage.value.is_managed();
            kept || filesystem.body.location.is_some() && filesystem.body.network.is_some()
        }
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Reservation(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::Queue(_) => true,
    }
}

/// Whether all networks of a Slurm cluster have addresses, and all that its hosts mount can be mounted.
fn is_on_cloud(cloud: &SlurmCloud) -> bool {
    let nodes_own =
        |source: &Source| matches!(source, Source::Share { server: Server::Nodes { .. }, .. });
    cloud.data_networks.iter().all(|network| network.range.is_some())
        && !cloud.mounts.iter().any(|(_, source)| nodes_own(source))
}

fn is_cluster(plan: &Plan, cluster: &Planned<'_, GkeCluster>) -> bool {
    let ranges = cluster.plan.data_networks.iter().all(|network| network.range.is_some());
    let volumes = cluster.body.volumes.iter().all(|volume| match volume.value {
        Volume::Bucket(_) => true,
        Volume::Filesystem(shared) => match plan.model.body(shared).map(|it| &it.storage.value) {
            Some(Storage::Path { .. }) | None => false,
            Some(Storage::Filestore { .. } | Storage::Lustre { .. } | Storage::Nfs { .. }) => true,
        },
    });
    (!cluster.is_made() || ranges) && volumes
}

fn is_place(cluster: &Planned<'_, VertexCluster>) -> bool {
    match cluster.body.capacity.value {
        Capacity::Reservation { .. } | Capacity::Calendar { .. } => cluster.body.zone.is_some(),
        Capacity::OnDemand
        | Capacity::Spot
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. } => true,
    }
}

/// Whether a gang runs where its run does, and names none but those of its run.
fn is_of_run(plan: &Plan, run: &Run, gang: &Gang, after: &[Spanned<After>]) -> bool {
    let is_one = |noun: NounId| run.gangs().any(|it| it.program.noun == noun);
    let awaited = after.iter().map(|it| it.value.awaited().id());
    gang.program.hosts().chain(awaited).all(is_one) && is_placed(plan, run, gang)
}

fn is_placed(plan: &Plan, run: &Run, gang: &Gang) -> bool {
    let place = gang.program.place.value;
    match (&run.site, place) {
        (Site::Gke(site), Place::Pool(pool)) => {
            plan.pool(pool).is_some_and(|it| it.cluster == site.cluster)
        }
        (Site::Slurm(site), Place::Partition(partition)) => {
            let mut berths = site.components.iter().flat_map(|it| &it.berths);
            plan.partition(partition).is_some_and(|it| it.cluster == site.cluster)
                && berths.any(|berth| berth.gang == gang.program.noun)
                && mounts(gang).all(is_on_hosts)
        }
        (Site::Vertex(site), Place::Vertex(cluster)) => {
            let leads = run.lead().program.noun == gang.program.noun;
            plan.vertex(cluster).is_some_and(|it| has_request(it, gang))
                && (leads || site.parts.contains_key(&gang.program.noun))
        }
        (Site::Gke(_) | Site::Slurm(_) | Site::Vertex(_), _) => false,
    }
}

fn mounts(gang: &Gang) -> impl Iterator<Item = &Source> {
    gang.program.mounts.iter().map(|mount| &mount.source.value)
}

/// Whether hosts of Slurm can have it: not what Kubernetes alone has.
fn is_on_hosts(source: &Source) -> bool {
    match source {
        Source::Bucket { .. }
        | Source::Share { .. }
        | Source::HostPath { .. }
        | Source::Scratch { .. } => true,
        Source::Object { .. } | Source::LocalCheckpoints { .. } => false,
    }
}

/// Whether a request of Vertex AI can say what a gang runs on and what it mounts.
fn has_request(machines: &VertexPlan, gang: &Gang) -> bool {
    let shaped = machines.machine.tpu.is_none() || machines.slice(gang.nodes).is_some();
    let mounted = mounts(gang).all(|source| match source {
        Source::Share { server, .. } => match server {
            Server::Nfs { .. } | Server::Filestore { .. } => true,
            Server::Lustre { .. } | Server::Nodes { .. } => false,
        },
        Source::Bucket { .. } | Source::Scratch { .. } => true,
        Source::LocalCheckpoints { .. } | Source::Object { .. } | Source::HostPath { .. } => false,
    });
    shaped && mounted
}
