//! What clusters of Slurm and their partitions name.

use super::{References, Refers};
use crate::graph::EdgeKind;
use crate::nouns::{
    NodeCheck, Partition, SlurmAccounting, SlurmCluster, SlurmController, SlurmLogin,
    SlurmPriority, SlurmStandby, TpuNodes, Volume,
};
use slipform_source::Spanned;
impl Refers for SlurmCluster {
    fn refer(&self, to: &mut References) {
        let Self {
            name: _,
            network,
            zone: _,
            controllers: _,
            release: _,
            mpi,
            shared: _,
            requeue: _,
            user: _,
            node_identity,
            controller,
            login,
            mounts,
            image,
            health_checks,
            prologs: _,
            epilogs: _,
            node_check,
            reboot: _,
            reboot_time: _,
            accounting,
            priority,
            configless: _,
            startup_time: _,
        } = self;
        to.all(EdgeKind::Uses, network);
        to.all(EdgeKind::ActsAs, node_identity);
        mpi.refer(to);
        controller.refer(to);
        login.refer(to);
        node_check.iter().for_each(|check| check.refer(to));
        accounting.iter().for_each(|it| it.value.refer(to));
        priority.refer(to);
        mounts.values().for_each(|mount| mount.refer(to));
        image.iter().for_each(|image| image.refer(to));
        health_checks.iter().for_each(|check| check.refer(to));
    }
}

impl Refers for Spanned<Volume> {
    fn refer(&self, to: &mut References) {
        match self.value {
            Volume::Bucket(bucket) => to.to(EdgeKind::Mounts, bucket, self.span),
            Volume::Filesystem(shared) => to.to(EdgeKind::Mounts, shared, self.span),
        }
    }
}

impl Refers for Spanned<SlurmController> {
    fn refer(&self, to: &mut References) {
        let SlurmController::Controller {
            machine: _,
            disk: _,
            disk_type,
            state: _,
            public: _,
            identity,
            startup: _,
            standby,
        } = &self.value;
        disk_type.refer(to);
        identity.iter().for_each(|it| to.to(EdgeKind::ActsAs, *it, self.span));
        standby.iter().for_each(|it| it.refer(to));
    }
}

impl Refers for SlurmStandby {
    fn refer(&self, _to: &mut References) {
        let Self::Standby { zone: _, addresses: _ } = self;
    }
}

impl Refers for SlurmLogin {
    fn refer(&self, to: &mut References) {
        let Self::Login { machine: _, count: _, disk: _, disk_type, public: _, startup: _ } = self;
        disk_type.refer(to);
    }
}

impl Refers for TpuNodes {
    fn refer(&self, _to: &mut References) {
        let Self::TpuNodes { tensorflow: _, container: _, keep: _ } = self;
    }
}

impl Refers for NodeCheck {
    fn refer(&self, _to: &mut References) {
        let Self::NodeCheck { script: _, every: _ } = self;
    }
}

impl Refers for SlurmAccounting {
    fn refer(&self, to: &mut References) {
        match self {
            Self::Slurmdbd { host: _, database: _, enforce, keep: _, qualities: _ } => {
                enforce.iter().for_each(|it| it.refer(to));
            }
            Self::CloudSql { tier: _, backups: _, deletion_protection: _ } => {}
        }
    }
}

impl Refers for SlurmPriority {
    fn refer(&self, _to: &mut References) {
        match self {
            Self::FirstCome
            | Self::Multifactor {
                age: _,
                fair_share: _,
                size: _,
                qos: _,
                half_life: _,
                max_age: _,
            } => {}
        }
    }
}

impl Refers for Partition {
    fn refer(&self, to: &mut References) {
        let Self {
            machine: _,
            nodes,
            topology: _,
            tpus,
            capacity,
            host_maintenance,
            zones: _,
            threads_per_core: _,
            tier_1: _,
            placement,
            disk: _,
            disk_type,
            startup: _,
            public: _,
            idle: _,
            hosts: _,
            first_address: _,
            switch_nodes: _,
            block_nodes: _,
            detect,
            default: _,
            max_time: _,
            tier: _,
            exclusive: _,
        } = self;
        nodes.refer(to);
        tpus.value.refer(to);
        capacity.refer(to);
        placement.refer(to);
        disk_type.refer(to);
        host_maintenance.refer(to);
        detect.iter().for_each(|it| it.value.refer(to));
    }
}
