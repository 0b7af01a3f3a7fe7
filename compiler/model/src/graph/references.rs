//! What each noun refers to. Every struct and every enum in one is taken apart whole, so that a field or a constructor
//! that is added must be looked at here before anything compiles.

mod run;

use super::{Edge, EdgeKind};
use crate::nouns::{
    Access, Body, Bucket, Capacity, Choice, Cohort, Dashboard, Disk, Driver, FabricUse,
    FilestoreTier, Filesystem, GkeCluster, GroupPart, Identity, Image, Kind, Kueue, LocalSsd,
    MountUse, Mpi, Network, Nodes, Options, Partition, Placement, Pool, Preemption, PushTo, Queue,
    Reclaim, Ref, Registry, Release, Rendezvous, Sharing, SlurmCluster, Storage, Unqueued,
    VertexCluster, VertexDisk, Volume, Within,
};
use crate::{Deferred, NounId};
use slipform_source::{Span, Spanned};

/// A reference from a noun, as its fields say it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) to: NounId,
    pub(crate) edge: Edge,
    /// Whether a noun is of the kind that the field asks for.
    pub(crate) fits: fn(&Body) -> bool,
}

/// Everything that the fields of a noun refer to, in the order in which it is made or looked up.
pub(crate) fn references(body: &Body) -> Vec<Reference> {
    let mut found = References::default();
    match body {
        Body::Network(it) => it.refer(&mut found),
        Body::Bucket(it) => it.refer(&mut found),
        Body::Filesystem(it) => it.refer(&mut found),
        Body::Registry(it) => it.refer(&mut found),
        Body::Identity(it) => it.refer(&mut found),
        Body::Dashboard(it) => it.refer(&mut found),
        Body::Image(it) => it.refer(&mut found),
        Body::GkeCluster(it) => it.refer(&mut found),
        Body::SlurmCluster(it) => it.refer(&mut found),
        Body::VertexCluster(it) => it.refer(&mut found),
        Body::Pool(it) => it.refer(&mut found),
        Body::Partition(it) => it.refer(&mut found),
        Body::Queue(it) => it.refer(&mut found),
        Body::Workload(it) => it.refer(&mut found),
        Body::Group(it) => it.refer(&mut found),
        Body::Broken { kind: _, platform: _ } => {}
    }
    found.0
}

#[derive(Default)]
struct References(Vec<Reference>);

impl References {
    fn to<K: Kind>(&mut self, kind: EdgeKind, to: Ref<K>, span: Span) {
        let edge = Edge { kind, span };
        self.0.push(Reference { to: to.id(), edge, fits: |body| K::of(body).is_some() });
    }

    fn all<'a, K: Kind>(
        &mut self,
        kind: EdgeKind,
        targets: impl IntoIterator<Item = &'a Spanned<Ref<K>>>,
    ) {
        targets.into_iter().for_each(|target| self.to(kind, target.value, target.span));
    }

    /// A value that is known later; which nouns have it is for the types of the language.
    fn later(&mut self, deferred: &Deferred, span: Span) {
        let edge = Edge { kind: EdgeKind::Uses, span };
        self.0.push(Reference { to: deferred.noun, edge, fits: |_| true });
    }
}

/// What has fields that may refer to nouns.
trait Refers {
    fn refer(&self, to: &mut References);
}

impl Refers for Network {
    fn refer(&self, _to: &mut References) {
        let Self {
            region: _,
            subnet: _,
            pods: _,
            services: _,
            accelerators: _,
            mtu: _,
            nat: _,
            flow_logs: _,
            name: _,
            subnet_name: _,
            pods_name: _,
            services_name: _,
        } = self;
    }
}

impl Refers for Bucket {
    fn refer(&self, to: &mut References) {
        let Self {
            location: _,
            name: _,
            hierarchical: _,
            versioning: _,
            soft_delete: _,
            delete_after: _,
            access,
            force_destroy: _,
            labels: _,
        } = self;
        access.refer(to);
    }
}

impl Refers for Filesystem {
    fn refer(&self, to: &mut References) {
        let Self { storage, network, location: _, share: _, deletion_protection: _, labels: _ } =
            self;
        to.all(EdgeKind::Uses, network);
        storage.refer(to);
    }
}

impl Refers for Registry {
    fn refer(&self, _to: &mut References) {
        let Self { location: _, name: _, keep: _, labels: _ } = self;
    }
}

impl Refers for Identity {
    fn refer(&self, _to: &mut References) {
        let Self { account: _, roles: _ } = self;
    }
}

impl Refers for Dashboard {
    fn refer(&self, _to: &mut References) {
        let Self { region: _, title: _, labels: _ } = self;
    }
}

impl Refers for Image {
    fn refer(&self, to: &mut References) {
        let Self {
            from: _,
            system_packages: _,
            packages: _,
            run: _,
            copy: _,
            env: _,
            workdir: _,
            push_to,
            tag: _,
            platform: _,
        } = self;
        if let Some(target) = push_to {
            match target.value {
                PushTo::Noun(registry) => to.to(EdgeKind::PushedTo, registry, target.span),
                PushTo::Registry { location: _, repository: _ } => {}
            }
        }
    }
}

impl Refers for GkeCluster {
    fn refer(&self, to: &mut References) {
        let Self {
            network,
            location: _,
            zone: _,
            name: _,
            control_plane: _,
            authorized: _,
            private_endpoint: _,
            dns_endpoint: _,
            release,
            version: _,
            deletion_protection: _,
            system_machine: _,
            node_identity,
            namespace: _,
            volumes,
            kueue,
            cohorts,
            labels: _,
        } = self;
        to.all(EdgeKind::Uses, [network]);
        to.all(EdgeKind::ActsAs, node_identity);
        for volume in volumes {
            match volume.value {
                Volume::Bucket(bucket) => to.to(EdgeKind::Mounts, bucket, volume.span),
                Volume::Filesystem(shared) => to.to(EdgeKind::Mounts, shared, volume.span),
            }
        }
        release.refer(to);
        kueue.refer(to);
        for within in cohorts.values() {
            let Within::Within { cohort: _, weight: _ } = within;
        }
    }
}

impl Refers for Kueue {
    fn refer(&self, to: &mut References) {
        let Self::Kueue {
            ready_within: _,
            fair_sharing: _,
            unqueued_jobs,
            keep_finished: _,
            integrations: _,
        } = self;
        unqueued_jobs.refer(to);
    }
}

impl Refers for SlurmCluster {
    fn refer(&self, to: &mut References) {
        let Self {
            name: _,
            controllers: _,
            release: _,
            mpi,
            shared: _,
            requeue: _,
            user: _,
            node_identity,
        } = self;
        to.all(EdgeKind::ActsAs, node_identity);
        mpi.refer(to);
    }
}

impl Refers for VertexCluster {
    fn refer(&self, to: &mut References) {
        let Self {
            region: _,
            machine: _,
            capacity,
            zone: _,
            staging,
            network: _,
            disk: _,
            disk_type,
            labels: _,
        } = self;
        to.all(EdgeKind::Uses, staging);
        capacity.refer(to);
        disk_type.refer(to);
    }
}

impl Refers for Pool {
    fn refer(&self, to: &mut References) {
        let Self {
            machine: _,
            nodes,
            topology: _,
            slices: _,
            capacity,
            placement,
            zone: _,
            sharing,
            driver,
            disk: _,
            disk_type,
            local_ssd,
            autoscale: _,
            max_pods: _,
            labels: _,
            interfaces: _,
        } = self;
        nodes.refer(to);
        capacity.refer(to);
        placement.refer(to);
        sharing.refer(to);
        driver.refer(to);
        disk_type.refer(to);
        local_ssd.refer(to);
    }
}

impl Refers for Partition {
    fn refer(&self, _to: &mut References) {
        let Self {
            machine: _,
            nodes: _,
            hosts: _,
            first_address: _,
            switch_nodes: _,
            default: _,
            max_time: _,
            tier: _,
            exclusive: _,
        } = self;
    }
}

impl Refers for Queue {
    fn refer(&self, to: &mut References) {
        let Self {
            pools,
            namespaces: _,
            quota: _,
            name: _,
            local_name: _,
            cohort,
            preemption,
            strict: _,
            priorities: _,
        } = self;
        to.all(EdgeKind::Uses, pools);
        cohort.refer(to);
        preemption.refer(to);
    }
}

impl<T: Refers> Refers for Spanned<T> {
    fn refer(&self, to: &mut References) {
        self.value.refer(to);
    }
}

impl<T: Refers> Refers for Option<T> {
    fn refer(&self, to: &mut References) {
        self.iter().for_each(|it| it.refer(to));
    }
}

impl<T: Refers> Refers for Choice<T> {
    fn refer(&self, to: &mut References) {
        self.set().into_iter().for_each(|it| it.refer(to));
    }
}

/// Enums none of whose constructors refers to a noun.
macro_rules! refer_to_nothing {
    ($($ty:ident { $($constructor:pat),+ $(,)? })+) => {$(
        impl Refers for $ty {
            fn refer(&self, _to: &mut References) {
                use $ty::*;
                match self {
                    $($constructor)|+ => {}
                }
            }
        }
    )+};
}

refer_to_nothing! {
    Access { Read, Write }
    Capacity {
        OnDemand,
        Spot,
        Reservation { name: _, block: _, policy: _ },
        FlexStart { max: _ },
        Queued { max: _ },
        Calendar { name: _ },
    }
    Disk { PdStandard, PdBalanced, PdSsd, HyperdiskBalanced }
    Driver { Default, Latest, None }
    FabricUse { Off }
    FilestoreTier { BasicHdd, BasicSsd, Zonal, Regional }
    GroupPart { Workers, Servers, Evaluators }
    LocalSsd { Scratch, Raw, None }
    MountUse { Data, Checkpoints, Serving }
    Mpi { Pmix, Pmi2, None }
    Nodes { Auto, Int(_), Range(_) }
    Options { Dashed, Plain }
    Placement { Compact, Spread }
    Preemption { Bool(_), LowerOrNewer }
    Reclaim { Never, Lower, Any }
    Rendezvous { Static, C10d }
    Release { Rapid, Regular, Stable, Extended }
    Sharing { Mig { profile: _ }, TimeShared { clients: _ } }
    Unqueued { Run, Wait }
    VertexDisk { PdSsd, PdStandard, HyperdiskBalanced }
}

impl Refers for Cohort {
    fn refer(&self, to: &mut References) {
        match self {
            Self::String(_) => {}
            Self::Cohort { name: _, lend: _, borrow: _, weight: _, reclaim } => reclaim.refer(to),
        }
    }
}

impl Refers for Storage {
    fn refer(&self, to: &mut References) {
        match self {
            Self::Filestore { capacity: _, tier } => tier.refer(to),
            Self::Lustre { capacity: _, throughput: _ }
            | Self::Nfs { server: _, export: _ }
            | Self::Path { folder: _ } => {}
        }
    }
}
