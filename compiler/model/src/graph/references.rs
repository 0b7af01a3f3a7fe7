//! What each noun refers to. Every struct and every enum in one is taken apart whole, so that a field or a constructor
//! that is added must be looked at here before anything compiles.

mod queue;
mod reserved;
mod run;
mod slurm;

use super::{Edge, EdgeKind};
use crate::nouns::{
    Access, Addon, Amount, Attached, AttachedGpu, Body, BootImage, Bucket, Choice, Countable,
    Counted, Dashboard, Detection, DevicePart, Disk, Displace, Driver, Enforced, Exclusion,
    FabricUse, FairBy, Family, Federation, FilestoreTier, Filesystem, FlowLogs, GkeCluster,
    Granted, GroupPart, HealthCheck, HostMaintenance, Identity, Image, InLine, Ingress, Kind,
    LocalSsd, Logged, MachineImage, Machines, MadeBy, Maintenance, Measured, MountUse, Mpi,
    Network, NodeEffect, NodeTaint, Nodes, OnHostMaintenance, Options, PartitionNodes, Placement,
    Pool, Preemption, PushTo, Rdma, ReadyWithin, Reclaim, Ref, Registry, Release, Rendezvous,
    Sharing, Slicing, Step, Stop, Storage, StorageClass, Topologies, Unqueued, UpgradeBy, Upgrades,
    VertexCluster, VertexDisk, Weekday, Within,
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
        Body::Reservation(it) => it.refer(&mut found),
        Body::Image(it) => it.refer(&mut found),
        Body::MachineImage(it) => it.refer(&mut found),
        Body::GkeCluster(it) => it.refer(&mut found),
        Body::SlurmCluster(it) => it.refer(&mut found),
        Body::VertexCluster(it) => it.refer(&mut found),
        Body::Pool(it) => it.refer(&mut found),
        Body::Partition(it) => it.refer(&mut found),
        Body::Machines(it) => it.refer(&mut found),
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
    fn refer(&self, to: &mut References) {
        let Self {
            region: _,
            subnet: _,
            pods: _,
            services: _,
            accelerators: _,
            mtu: _,
            nat: _,
            nat_addresses: _,
            nat_ports: _,
            ssh: _,
            firewall,
            private_services: _,
            own_ranges: _,
            more_private_services: _,
            flow_logs,
            name: _,
            project: _,
            subnet_name: _,
            pods_name: _,
            services_name: _,
        } = self;
        flow_logs.refer(to);
        firewall.values().for_each(|ingress| ingress.refer(to));
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
            class,
            rapid: _,
            caches: _,
            cached_for: _,
            retention: _,
            encryption_key: _,
            deletion_protection: _,
            force_destroy: _,
            labels: _,
        } = self;
        class.refer(to);
        access.refer(to);
    }
}

impl Refers for Filesystem {
    fn refer(&self, to: &mut References) {
        let Self {
            storage,
            network,
            location: _,
            name: _,
            share: _,
            encryption_key: _,
            deletion_protection: _,
            labels: _,
        } = self;
        to.all(EdgeKind::Uses, network);
        storage.refer(to);
    }
}

impl Refers for Registry {
    fn refer(&self, _to: &mut References) {
        let Self { location: _, name: _, project: _, keep: _, encryption_key: _, labels: _ } = self;
    }
}

impl Refers for Identity {
    fn refer(&self, to: &mut References) {
        let Self { account: _, project: _, roles: _, reads, writes, secrets: _, federated } = self;
        reads.iter().chain(writes).for_each(|granted| granted.refer(to));
        federated.values().for_each(|it| it.value.refer(to));
    }
}

impl Refers for Spanned<Granted> {
    fn refer(&self, to: &mut References) {
        match self.value {
            Granted::Bucket(bucket) => to.to(EdgeKind::Uses, bucket, self.span),
            Granted::Registry(registry) => to.to(EdgeKind::Uses, registry, self.span),
        }
    }
}

impl Refers for Federation {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::Github { repository: _, at: _, environment: _ }
            | Self::Oidc { issuer: _, subject: _, audience: _, keys: _ } => {}
        }
    }
}

impl Refers for Dashboard {
    fn refer(&self, _to: &mut References) {
        let Self { region: _, title: _, encryption_key: _, labels: _ } = self;
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
            cuda: _,
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
            project: _,
            name: _,
            control_plane: _,
            authorized: _,
            google_ranges: _,
            global_access: _,
            private_endpoint: _,
            dns_endpoint: _,
            release,
            version: _,
            maintenance,
            deletion_protection: _,
            system_machine: _,
            system_disk: _,
            max_pods: _,
            node_identity,
            namespace: _,
            volumes,
            accounts,
            teams,
            default_priority: _,
            kueue,
            cohorts,
            addons,
            groups: _,
            logs,
            metrics,
            dcgm: _,
            prometheus: _,
            encryption_key: _,
            disk_key: _,
            labels: _,
        } = self;
        to.all(EdgeKind::Uses, [network]);
        to.all(EdgeKind::ActsAs, node_identity);
        volumes.iter().for_each(|volume| volume.refer(to));
        to.all(EdgeKind::ActsAs, accounts.values());
        release.refer(to);
        maintenance.refer(to);
        addons.iter().for_each(|addon| addon.refer(to));
        logs.value.iter().for_each(|part| part.refer(to));
        metrics.iter().for_each(|part| part.refer(to));
        teams.values().for_each(|team| team.refer(to));
        kueue.refer(to);
        for within in cohorts.values() {
            let Within::Within { cohort: _, weight: _ } = within;
        }
    }
}

impl Refers for Attached {
    fn refer(&self, to: &mut References) {
        let Self::Attached { gpu, count: _ } = self;
        gpu.refer(to);
    }
}

impl Refers for Ingress {
    fn refer(&self, _to: &mut References) {
        let Self::Ingress { from: _, tcp: _, udp: _, icmp: _ } = self;
    }
}

impl Refers for NodeTaint {
    fn refer(&self, to: &mut References) {
        let Self::Taint { key: _, value: _, effect } = self;
        effect.refer(to);
    }
}

impl Refers for Maintenance {
    fn refer(&self, to: &mut References) {
        let Self::Window { start: _, length: _, days, except } = self;
        days.iter().for_each(|day| day.refer(to));
        except.values().for_each(|exclusion| exclusion.refer(to));
    }
}

impl Refers for Spanned<BootImage> {
    fn refer(&self, to: &mut References) {
        match &self.value {
            BootImage::ImageFamily { name, project: _ } => match name {
                Family::MachineImage(image) => to.to(EdgeKind::Uses, *image, self.span),
                Family::String(_) => {}
            },
            BootImage::ExactImage { name: _, project: _ } => {}
        }
    }
}

impl Refers for MachineImage {
    fn refer(&self, to: &mut References) {
        let Self {
            from,
            network,
            zone: _,
            platform: _,
            machine: _,
            disk: _,
            identity,
            os_login: _,
            system_packages: _,
            scripts: _,
            driver: _,
            cuda: _,
            slurm: _,
            enroot: _,
            stack: _,
            labels: _,
            name: _,
        } = self;
        from.iter().for_each(|from| from.refer(to));
        to.all(EdgeKind::Uses, network);
        to.all(EdgeKind::ActsAs, identity);
    }
}

impl Refers for Machines {
    fn refer(&self, to: &mut References) {
        let Self {
            machine: _,
            nodes: _,
            topology: _,
            runtime: _,
            network,
            zone: _,
            image,
            capacity,
            made_by,
            wait: _,
            placement,
            disk: _,
            disk_type,
            identity,
            startup: _,
            public: _,
            os_login: _,
            on_host_maintenance,
            threads_per_core: _,
            tier_1: _,
            labels: _,
            name: _,
        } = self;
        to.all(EdgeKind::Uses, [network]);
        image.iter().for_each(|image| image.refer(to));
        capacity.refer(to);
        made_by.refer(to);
        placement.refer(to);
        disk_type.refer(to);
        to.all(EdgeKind::ActsAs, identity);
        on_host_maintenance.refer(to);
    }
}

impl Refers for VertexCluster {
    fn refer(&self, to: &mut References) {
        let Self {
            region: _,
            machine: _,
            gpus,
            capacity,
            zone: _,
            staging,
            staging_folder: _,
            network: _,
            reserved_ranges: _,
            network_attachment: _,
            max_wait: _,
            persistent_resource: _,
            encryption_key: _,
            tensorboard: _,
            web_access: _,
            dashboard_access: _,
            experiment: _,
            experiment_run: _,
            disk: _,
            disk_type,
            labels: _,
        } = self;
        to.all(EdgeKind::Uses, staging);
        gpus.refer(to);
        capacity.refer(to);
        disk_type.refer(to);
    }
}

impl Refers for Pool {
    fn refer(&self, to: &mut References) {
        let Self {
            machine: _,
            gpus,
            nodes,
            topology: _,
            slices: _,
            slicing,
            capacity,
            placement,
            zone: _,
            sharing,
            driver,
            disk: _,
            disk_type,
            disk_key: _,
            local_ssd,
            local_ssds: _,
            autoscale: _,
            max_pods: _,
            labels: _,
            interfaces: _,
            rdma,
            second_network: _,
            name: _,
            taints,
            image_streaming: _,
            image_disks: _,
            upgrades,
            upgrade_by,
            version: _,
            repair: _,
            host_maintenance,
        } = self;
        gpus.refer(to);
        nodes.refer(to);
        capacity.refer(to);
        slicing.refer(to);
        rdma.refer(to);
        taints.iter().for_each(|taint| taint.refer(to));
        upgrades.refer(to);
        upgrade_by.refer(to);
        host_maintenance.refer(to);
        placement.refer(to);
        sharing.refer(to);
        driver.refer(to);
        disk_type.refer(to);
        local_ssd.refer(to);
    }
}

impl<T: Refers> Refers for Spanned<T> {
    fn refer(&self, to: &mut References) {
        self.value.refer(to);
    }
}

impl<T: Refers> Refers for Box<T> {
    fn refer(&self, to: &mut References) {
        (**self).refer(to);
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
    Addon { Backup, ConfigConnector, Filestore, Gcsfuse, Lustre, Parallelstore, Ray, StatefulHa }
    Access { Read, Write }
    Amount { Int(_), Of { devices: _, cpus: _, memory: _, disk: _, others: _ } }
    Countable { Int(_), Size(_) }
    Counted { Each { amounts: _, times: _, kept: _ } }
    DevicePart {
        Counter { name: _, classes: _, driver: _, of: _ },
        Capacity { name: _, classes: _, driver: _, of: _ },
    }
    Displace { Bool(_), String(_) }
    AttachedGpu { T4, P4, P100, V100 }
    Detection { Nvml, Nvidia }
    Disk { PdStandard, PdBalanced, PdSsd, HyperdiskBalanced }
    Driver { Default, Latest, None }
    Enforced { Associations, Limits, Qos, Safe }
    Exclusion {
        NoUpgrades { from: _, until: _ },
        NoMinorUpgrades { from: _, until: _ },
        NoMinorOrNodeUpgrades { from: _, until: _ },
    }
    FabricUse { Off }
    FlowLogs { Bool(_), Int(_) }
    FairBy { FinalShare, InitialShare }
    FilestoreTier { BasicHdd, BasicSsd, Zonal, Regional }
    GroupPart { Workers, Servers, Evaluators }
    HostMaintenance { AsNeeded, Periodic }
    LocalSsd { Scratch, Raw, None }
    Logged { System, Workloads, ApiServer, Scheduler, ControllerManager }
    MadeBy { Group, Commands }
    Measured { ApiServer, Scheduler, ControllerManager }
    MountUse { Data, Checkpoints, Serving }
    Mpi { Pmix, Pmi2, None }
    NodeEffect { NoSchedule, PreferNoSchedule, NoExecute }
    HealthCheck { Prolog, Epilog }
    InLine { Kept, Last }
    Nodes { Auto, Int(_), Range(_) }
    PartitionNodes { Int(_), Range(_) }
    OnHostMaintenance { Migrate, Terminate }
    Options { Dashed, Plain }
    Placement { Compact, Spread }
    Preemption { Bool(_), LowerOrNewer }
    Rdma { Claims }
    ReadyWithin { Duration(_), Never }
    Reclaim { Never, Lower, Any }
    Rendezvous { Static, C10d }
    Release { Rapid, Regular, Stable, Extended, None }
    Sharing { Mig { profile: _ }, TimeShared { clients: _ } }
    Step { Borrow, Preempt }
    StorageClass { Standard, Nearline, Coldline, Archive }
    Stop { Hold, Drain }
    Slicing { Fixed, Dynamic }
    Topologies { Asked }
    Unqueued { Run, Wait }
    UpgradeBy { Surge { extra: _, missing: _ }, BlueGreen { batch: _, batch_soak: _, soak: _ } }
    Upgrades { Automatic, EndOfSupport, ByHand }
    VertexDisk { PdSsd, PdStandard, HyperdiskBalanced }
    Weekday { Mon, Tue, Wed, Thu, Fri, Sat, Sun }
}

impl Refers for Storage {
    fn refer(&self, to: &mut References) {
        match self {
            Self::Filestore { capacity: _, tier, reserved: _ } => tier.refer(to),
            Self::Lustre { capacity: _, throughput: _ }
            | Self::HyperdiskMl { capacity: _, from: _, read_rate: _ }
            | Self::HyperdiskBalanced { capacity: _, from: _, iops: _, rate: _ }
            | Self::HyperdiskThroughput { capacity: _, from: _, rate: _ }
            | Self::Nfs { server: _, export: _ }
            | Self::Path { folder: _ } => {}
        }
    }
}
