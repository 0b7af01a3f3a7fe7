//! What clusters of Slurm take that are made on Google Cloud: nodes, controllers and the machines that people submit from.

use super::{Amount, Counted, EVERYWHERE, Paid, Taker, of_disk};
use crate::nouns::{Disk, Partition, SlurmCluster, SlurmController, SlurmLogin};
use crate::plan::{Planned, SlurmCloud};
use crate::{NounId, Size};
use std::collections::BTreeSet;

impl Counted<'_> {
    /// Nodes of Slurm that Cluster Toolkit makes, with the networks of their accelerators.
    pub(super) fn partitions(&mut self) {
        let quota = &self.facts().networks;
        for cluster in self.plan.made::<SlurmCluster>() {
            let Some(cloud) = &cluster.plan.cloud else { continue };
            // subnets of one network for RDMA are one network
            let vpcs: BTreeSet<&str> =
                cloud.data_networks.iter().map(|network| network.vpc.as_str()).collect();
            let networks = Amount::fixed(vpcs.len() as i64);
            self.plain(cluster.noun.id, quota, EVERYWHERE, networks);
            self.slurm_servers(cluster.noun.id, cluster.body, cloud);
            for Planned { noun, body, plan: partition, .. } in
                self.plan.inside::<Partition>(cluster.noun.id)
            {
                let Some(set) = &partition.set else { continue };
                let (region, nodes) = (cloud.region.as_str(), Amount::between(set.nodes));
                if partition.machine.tpu.is_some() {
                    self.of_cloud_tpu(
                        noun.id,
                        &partition.machine,
                        &body.capacity,
                        &cloud.zone,
                        nodes,
                    );
                    continue;
                }
                let gb = nodes.times(body.disk.gib());
                self.plain(noun.id, of_disk(self.facts(), set.disk), region, gb);
                let paid = Paid::of(&body.capacity.value);
                if paid != Paid::Before {
                    let taker = Taker { noun: noun.id, region, paid };
                    self.machines(taker, &partition.machine, None, 0, nodes);
                }
            }
        }
    }

    /// Controllers of a cluster of Slurm and the machines that people submit from there, with their disks.
    fn slurm_servers(&mut self, noun: NounId, cluster: &SlurmCluster, cloud: &SlurmCloud) {
        let (region, disks) = (cloud.region.as_str(), cloud.disks);
        let SlurmController::Controller { machine, disk, state, standby, .. } =
            &cluster.controller.value;
        let controllers = Amount::fixed(if standby.is_some() { 2 } else { 1 });
        self.slurm_server(noun, region, machine, (disks.controller, *disk), controllers);
        if standby.is_none() {
            // of two, what they know of jobs is in a filesystem that both mount
            let gb = Amount::just(state.gib());
            self.plain(noun, of_disk(self.facts(), disks.state), region, gb);
        }
        let SlurmLogin::Login { machine, count, disk, .. } = &cluster.login;
        let count = Amount::fixed(*count);
        self.slurm_server(noun, region, machine, (disks.login, *disk), count);
    }

    /// So many equal machines, with a boot disk each.
    fn slurm_server(
        &mut self,
        noun: NounId,
        region: &str,
        machine: &str,
        (disk, size): (Disk, Size),
        count: Amount,
    ) {
        self.plain(noun, of_disk(self.facts(), disk), region, count.times(size.gib()));
        if let Some(machine) = self.plan.catalog().machine(machine) {
            let taker = Taker { noun, region, paid: Paid::ByUse };
            self.machines(taker, machine, None, 0, count);
        }
    }
}
