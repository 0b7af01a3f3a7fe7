//! Nodes with TPUs: slices that the controller asks Cloud TPU for.

use super::blueprint::Cluster;
use super::module::{Module, literal};
use super::nodes::Member;
use super::{networks, patch};
use crate::Output;
use crate::document::{Map, map};
use slipform_model::nouns::{Capacity, TpuNodes};
use slipform_model::plan::TpuType;

/// The nodes of a partition with TPUs.
pub(super) fn nodes(cluster: Cluster<'_>, member: Member<'_>, out: &mut Output) -> Module {
    let Member { partition, set } = member;
    let TpuNodes::TpuNodes { tensorflow, container, keep } = &partition.body.tpus.value;
    let (least, most) = set.nodes;
    let settings = map().with("name", &set.name);
    let settings = asked(set.tpu.as_ref(), settings)
        .with("tf_version", tensorflow)
        .with_opt("docker_image", container.as_deref().map(literal))
        .with("node_count_static", least)
        .with("node_count_dynamic_max", most.saturating_sub(least))
        .with("preserve_tpu", *keep);
    let settings = capacity(&partition.body.capacity.value, settings)
        .with_opt("service_account_email", cluster.account())
        .with_opt("enable_public_ips", partition.body.public.then_some(true));
    let settings =
        patch::apply(partition.noun, patch::TPU_NODE_SET, settings, &[networks::SUBNET], out);
    Module::new(member.nodes_id(), "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-tpu")
        .comment(&partition.noun.origin)
        .uses([networks::NETWORK.to_owned()])
        .settings(settings)
}

/// A slice, by the one word or the other.
fn asked(slice: Option<&TpuType>, settings: Map) -> Map {
    match slice {
        // a rule answers it
        None => settings,
        Some(TpuType::Name(name)) => settings.with("node_type", name),
        Some(TpuType::Shape { generation, topology }) => {
            let shape = map().with("topology", topology).with("version", generation.to_uppercase());
            settings.with("accelerator_config", shape)
        }
    }
}

/// How slices are obtained.
fn capacity(capacity: &Capacity, settings: Map) -> Map {
    match capacity {
        Capacity::Spot => settings.with("preemptible", true),
        Capacity::AnyReservation => settings.with("reserved", true),
        // the rest are answered by a rule
        Capacity::OnDemand
        | Capacity::Reservation { .. }
        | Capacity::FlexStart { .. }
        | Capacity::Queued { .. }
        | Capacity::Calendar { .. } => settings,
    }
}
