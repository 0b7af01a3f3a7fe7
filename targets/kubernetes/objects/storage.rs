//! Volumes of the cluster, networks of the accelerators, and claims of devices.

use super::{NodeTerms, Pairs, Text, Toleration};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which nodes keep checkpoints in their memory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckpointsSpec<'a> {
    pub(crate) cloud_storage_bucket_name: Text<'a>,
    pub(crate) in_memory_volume_size: Text<'a>,
    pub(crate) node_selector: Pairs<'a>,
    pub(crate) tolerations: Vec<Toleration<'a>>,
    pub(crate) gcs_fuse_mount_options: Vec<Text<'a>>,
}

/// A volume that exists.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersistentVolumeSpec<'a> {
    pub(crate) access_modes: Vec<&'static str>,
    pub(crate) capacity: Storage<'a>,
    pub(crate) persistent_volume_reclaim_policy: &'static str,
    pub(crate) storage_class_name: &'static str,
    pub(crate) volume_mode: &'static str,
    pub(crate) claim_ref: ClaimRef<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mount_options: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) csi: Option<CsiVolume<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nfs: Option<NfsVolume<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node_affinity: Option<VolumeNodes<'a>>,
}

/// Nodes that can have a volume.
#[derive(Serialize)]
pub(crate) struct VolumeNodes<'a> {
    pub(crate) required: NodeTerms<'a>,
}

/// How much space.
#[derive(Serialize)]
pub(crate) struct Storage<'a> {
    pub(crate) storage: Text<'a>,
}

/// The claim that a volume is kept for.
#[derive(Serialize)]
pub(crate) struct ClaimRef<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) namespace: Text<'a>,
}

/// A volume of a storage driver.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CsiVolume<'a> {
    pub(crate) driver: Text<'a>,
    pub(crate) volume_handle: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fs_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_only: Option<bool>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) volume_attributes: Pairs<'a>,
}

/// A folder of an NFS server.
#[derive(Serialize)]
pub(crate) struct NfsVolume<'a> {
    pub(crate) server: Text<'a>,
    pub(crate) path: Text<'a>,
}

/// A claim of a volume.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClaimSpec<'a> {
    pub(crate) access_modes: Vec<&'static str>,
    pub(crate) resources: ClaimResources<'a>,
    pub(crate) storage_class_name: &'static str,
    pub(crate) volume_name: Text<'a>,
}

/// What a claim asks for.
#[derive(Serialize)]
pub(crate) struct ClaimResources<'a> {
    pub(crate) requests: Storage<'a>,
}

/// A network that pods may have an interface on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NetworkSpec<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) parameters_ref: super::ObjectRef<'a>,
}

/// The VPC behind a network.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NetworkParams<'a> {
    pub(crate) vpc: Text<'a>,
    pub(crate) vpc_subnet: Text<'a>,
    pub(crate) device_mode: &'static str,
}

/// Nodes whose GPUs share memory over NVLink.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ComputeDomainSpec<'a> {
    pub(crate) num_nodes: i64,
    pub(crate) channel: Channel<'a>,
}

/// The claim template that a compute domain makes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Channel<'a> {
    pub(crate) resource_claim_template: super::Named<'a>,
}

/// Devices that each pod claims.
#[derive(Serialize)]
pub(crate) struct ClaimTemplateSpec<'a> {
    pub(crate) spec: DeviceClaimSpec<'a>,
}

/// A claim of devices.
#[derive(Serialize)]
pub(crate) struct DeviceClaimSpec<'a> {
    pub(crate) devices: Devices<'a>,
}

/// Requests for devices.
#[derive(Serialize)]
pub(crate) struct Devices<'a> {
    pub(crate) requests: Vec<DeviceRequest<'a>>,
}

/// A request for devices.
#[derive(Serialize)]
pub(crate) struct DeviceRequest<'a> {
    pub(crate) name: Text<'a>,
    pub(crate) exactly: ExactDevices<'a>,
}

/// So many devices of one class.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExactDevices<'a> {
    pub(crate) device_class_name: Text<'a>,
    pub(crate) allocation_mode: &'static str,
    pub(crate) count: u32,
}
