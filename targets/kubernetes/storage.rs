//! Filesystems as volumes of the cluster: one, with its claim, in each namespace that mounts it.

use super::context::{Context, text};
use super::deferred::{Deferrals, PLACEHOLDER};
use super::kustomize::Stream;
use super::objects::{
    ClaimRef, ClaimResources, ClaimSpec, CsiVolume, Meta, NfsVolume, NodeTerm, NodeTerms, Object,
    Pairs, PersistentVolumeSpec, Requirement, Storage, VolumeNodes,
};
use super::text::quantity;
use super::volumes::claim_name;
use slipform_model::catalog::StorageDriver;
use slipform_model::nouns::{self, Bucket, Filesystem, GkeCluster, Ref, Workload};
use slipform_model::plan::{ClusterPlan, Later, Planned, Source as MountSource};
use slipform_model::{Diagnostic, Noun, Size};
use std::collections::{BTreeMap, BTreeSet};

slipform_source::codes! {
    pub(crate) CODES;
    KUBERNETES_FILESYSTEM = "kubernetes/filesystem":
        "a filesystem cannot be mounted without its location and project",
        "say its `location`, and declare `param project: ProjectId`";
}

/// What the volume of a server without a stated size holds; nothing measures it.
const UNMEASURED: Size = Size(1 << 40);

/// What every claim asks for. A claim is bound to the volume that it names if that holds no less, and sees all of it. A
/// claim of no storage class can never ask for another amount, so it is the same however large the filesystem becomes:
/// only the capacity of the volume follows.
const CLAIMED: Size = Size(1 << 30);

/// How many nodes have a filesystem that all of them may write to.
const WRITTEN: &str = "ReadWriteMany";
/// How many nodes have a disk that none of them writes to.
const READ: &str = "ReadOnlyMany";
/// How many nodes have a disk that one of them writes to.
const OWNED: &str = "ReadWriteOnce";
/// The filesystem on a disk, which its driver makes of an empty one, and never where there is one.
const DISK_FORMAT: &str = "ext4";
/// The label of nodes by which the driver of disks knows their zone.
const ZONE: &str = "topology.gke.io/zone";

/// What has a volume and a claim in one namespace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shared {
    pub(crate) namespace: String,
    volume: Volume,
}

/// What a volume shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Volume {
    /// A filesystem, and the address of its server, where Terraform knows it.
    Filesystem(Ref<Filesystem>, Option<Later>),
    /// A bucket; workloads of the blueprint mount theirs without one.
    Bucket(Ref<Bucket>),
}

impl Volume {
    /// Of what workloads mount, that which has volumes.
    fn of_mount(source: &MountSource) -> Option<Self> {
        match source {
            MountSource::Share { noun, .. } => {
                Some(Self::Filesystem(*noun, source.address().cloned()))
            }
            // what someone else makes has its objects already
            MountSource::Bucket { .. }
            | MountSource::LocalCheckpoints { .. }
            | MountSource::Scratch { .. }
            | MountSource::Object { .. }
            | MountSource::HostPath { .. } => None,
        }
    }

    /// Of what a cluster shows to others.
    fn of_cluster(source: &MountSource) -> Option<Self> {
        match source {
            MountSource::Bucket { noun, .. } => Some(Self::Bucket(*noun)),
            MountSource::Share { .. }
            | MountSource::LocalCheckpoints { .. }
            | MountSource::Scratch { .. }
            | MountSource::Object { .. }
            | MountSource::HostPath { .. } => Self::of_mount(source),
        }
    }
}

/// The filesystems that workloads of a cluster mount, and what it shows to others.
pub(crate) fn mounted(cx: &Context<'_>, cluster: Ref<GkeCluster>) -> BTreeSet<Shared> {
    let mut found = BTreeSet::new();
    for run in cx.plan.all::<Workload>().map(|workload| workload.plan) {
        let Some(site) = run.gke().filter(|site| site.cluster == cluster) else { continue };
        let mounts = run.gangs().flat_map(|gang| &gang.program.mounts);
        let volumes = mounts.filter_map(|mount| Volume::of_mount(&mount.source.value));
        found.extend(volumes.map(|volume| Shared { namespace: site.namespace.clone(), volume }));
    }
    let cluster = cx.plan.get(cluster);
    let others = cluster.plan.namespaces.iter().filter(|it| **it != cluster.body.namespace);
    let namespaces: Vec<&String> = others.chain([&cluster.body.namespace]).collect();
    for volume in cluster.plan.volumes.iter().filter_map(Volume::of_cluster) {
        found.extend(
            namespaces.iter().map(|namespace| Shared {
                namespace: (*namespace).clone(),
                volume: volume.clone(),
            }),
        );
    }
    found
}

/// Volumes and claims for what is mounted.
pub(crate) fn render(
    cx: &Context<'_>,
    cluster: &ClusterPlan,
    mounted: &BTreeSet<Shared>,
    deferrals: &mut Deferrals,
    diagnostics: &mut Vec<Diagnostic>,
) -> Stream {
    let mut stream = Stream::default();
    for Shared { namespace, volume: shown } in mounted {
        let noun = match shown {
            Volume::Filesystem(filesystem, _) => cx.plan.get(*filesystem).noun,
            Volume::Bucket(bucket) => cx.plan.get(*bucket).noun,
        };
        let volume = format!("{}-{namespace}-{}", cluster.name, claim_name(cx, noun));
        deferrals.within("PersistentVolume", &volume, None);
        let source = match shown {
            Volume::Filesystem(filesystem, _) => source(cx, cx.plan.get(*filesystem), diagnostics),
            Volume::Bucket(bucket) => Some(through_fuse(cx, cx.plan.get(*bucket))),
        };
        let Some(source) = source else { continue };
        if let Volume::Filesystem(_, Some(address)) = shown {
            deferrals.place(address, "spec.csi.volumeAttributes.ip".to_owned());
        }
        let claim = claim_name(cx, noun);
        let access = source.access;
        let spec = PersistentVolumeSpec {
            access_modes: vec![source.access],
            capacity: Storage { storage: source.size.into() },
            persistent_volume_reclaim_policy: "Retain",
            storage_class_name: "",
            volume_mode: "Filesystem",
            claim_ref: ClaimRef { name: claim.clone().into(), namespace: text(namespace) },
            mount_options: source.options.iter().map(|option| text(option)).collect(),
            csi: source.csi,
            nfs: source.nfs,
            node_affinity: source.zone.map(in_zone),
        };
        stream.object(
            &noun.origin,
            &Object::new("v1", "PersistentVolume", Meta::named(volume.clone()), spec),
        );
        let spec = ClaimSpec {
            access_modes: vec![access],
            resources: ClaimResources { requests: Storage { storage: quantity(CLAIMED).into() } },
            storage_class_name: "",
            volume_name: volume.into(),
        };
        stream.object(
            &noun.origin,
            &Object::new("v1", "PersistentVolumeClaim", Meta::of(claim, text(namespace)), spec),
        );
    }
    stream
}

/// Where the files are.
struct Source<'a> {
    size: String,
    /// How nodes may have it at once.
    access: &'static str,
    /// Whose nodes alone may have it.
    zone: Option<&'a str>,
    options: &'a [String],
    csi: Option<CsiVolume<'a>>,
    nfs: Option<NfsVolume<'a>>,
}

fn source<'a>(
    cx: &Context<'a>,
    filesystem: Planned<'a, Filesystem>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Source<'a>> {
    let Planned { noun, body, .. } = filesystem;
    let drivers = &cx.facts.storage;
    let (driver, share, size) = match &body.storage.value {
        nouns::Storage::Filestore { capacity, .. } => {
            (&drivers.filestore, Some("volume"), capacity.value)
        }
        nouns::Storage::Lustre { capacity, .. } => {
            (&drivers.lustre, Some("filesystem"), capacity.value)
        }
        nouns::Storage::HyperdiskMl { capacity, .. }
        | nouns::Storage::HyperdiskBalanced { capacity, .. }
        | nouns::Storage::HyperdiskThroughput { capacity, .. } => {
            (&drivers.persistent_disk, None, capacity.value)
        }
        nouns::Storage::Nfs { server, export } => {
            return Some(of_server(NfsVolume { server: text(server), path: text(export) }));
        }
        // A folder of the nodes is no volume of the cluster.
        nouns::Storage::Path { .. } => return None,
    };
    let Some(handle) = handle(cx, driver, filesystem) else {
        diagnostics.push(unnamed(noun));
        return None;
    };
    // a disk has neither address nor share
    let disk = body.storage.value.disk();
    let access = disk.map(|disk| disk.kind.access());
    let attributes = |share: &'static str| {
        Pairs::from([("ip".into(), PLACEHOLDER.into()), (share.into(), text(&body.share))])
    };
    let csi = CsiVolume {
        driver: text(&driver.driver),
        volume_handle: handle.into(),
        fs_type: disk.map(|_| DISK_FORMAT),
        read_only: (access == Some(nouns::Access::Read)).then_some(true),
        volume_attributes: share.map(attributes).unwrap_or_default(),
    };
    let zone = body.location.as_ref().filter(|_| disk.is_some()).map(|zone| zone.value.as_str());
    Some(Source {
        size: quantity(size),
        access: match access {
            None => WRITTEN,
            Some(nouns::Access::Read) => READ,
            Some(nouns::Access::Write) => OWNED,
        },
        zone,
        options: &driver.mount_options,
        csi: Some(csi),
        nfs: None,
    })
}

/// What a server of someone else shares.
fn of_server(nfs: NfsVolume<'_>) -> Source<'_> {
    Source {
        size: quantity(UNMEASURED),
        access: WRITTEN,
        zone: None,
        options: &[],
        csi: None,
        nfs: Some(nfs),
    }
}

fn unnamed(noun: &Noun) -> Diagnostic {
    let message =
        format!("the volume of `{}` cannot be named without a project and a location", noun.path);
    Diagnostic::error(KUBERNETES_FILESYSTEM, message, noun.span)
        .help("say the filesystem's `location`, and declare `param project: ProjectId`")
}

/// A bucket as whoever claims it sees it: with the options of data that nobody knows the changes of.
fn through_fuse<'a>(cx: &Context<'a>, bucket: Planned<'a, Bucket>) -> Source<'a> {
    let facts = &cx.facts.gcsfuse;
    let driver = text(&facts.driver);
    let csi = CsiVolume {
        driver,
        volume_handle: text(bucket.name()),
        fs_type: None,
        read_only: None,
        volume_attributes: BTreeMap::new(),
    };
    Source {
        size: quantity(UNMEASURED),
        access: WRITTEN,
        zone: None,
        options: &facts.shown,
        csi: Some(csi),
        nfs: None,
    }
}

/// Nodes that a disk of a zone can be attached to.
fn in_zone(zone: &str) -> VolumeNodes<'_> {
    let zone = Requirement { key: ZONE.into(), operator: "In", values: vec![text(zone)] };
    VolumeNodes {
        required: NodeTerms {
            node_selector_terms: vec![NodeTerm { match_expressions: vec![zone] }],
        },
    }
}

/// The handle of a volume: the driver's form with its parts filled in; `None` where one is not known.
fn handle(
    cx: &Context<'_>,
    driver: &StorageDriver,
    filesystem: Planned<'_, Filesystem>,
) -> Option<String> {
    let body = filesystem.body;
    let mut handle = driver.handle.clone();
    let parts = [
        ("{project}", cx.plan.project()),
        ("{location}", body.location.as_ref().map(|it| it.value.as_str())),
        ("{zone}", body.location.as_ref().map(|it| it.value.as_str())),
        ("{instance}", Some(filesystem.name())),
        ("{disk}", Some(filesystem.name())),
        ("{share}", Some(body.share.as_str())),
    ];
    for (part, it) in parts {
        if handle.contains(part) {
            handle = handle.replace(part, it?);
        }
    }
    Some(handle)
}
