//! What hosts of Cloud TPU take, which are in no pool: slices of their own, and those of Slurm.

use super::{Amount, Counted, Paid};
use crate::NounId;
use crate::catalog::{Machine, NameCounts};
use crate::nouns::{Capacity, Machines};
use crate::plan::Planned;

impl Counted<'_> {
    /// Slices of Cloud TPU.
    pub(super) fn slices(&mut self) {
        for Planned { noun, body, plan, .. } in self.plan.made::<Machines>() {
            let hosts = Amount::fixed(body.nodes.value);
            self.of_cloud_tpu(noun.id, &plan.machine, &body.capacity, &body.zone, hosts);
        }
    }

    /// Hosts of Cloud TPU, which has quotas of its own in each zone: of cores, where the names of slices count these.
    pub(super) fn of_cloud_tpu(
        &mut self,
        noun: NounId,
        machine: &Machine,
        capacity: &Capacity,
        zone: &str,
        hosts: Amount,
    ) {
        let Some(own) = &machine.tpu else { return };
        let Some(tpu) = self.plan.catalog().tpu(&own.generation) else { return };
        let quota = tpu.cloud_tpu.as_ref().and_then(|it| match Paid::of(capacity) {
            Paid::ByUse => it.quota.as_deref(),
            Paid::Preemptible => it.preemptible_quota.as_deref(),
            Paid::Before => None,
        });
        let each = match tpu.name_counts {
            NameCounts::Tensorcores => u64::from(tpu.cores_per_chip),
            NameCounts::Chips => 1,
        };
        if let Some(quota) = quota {
            self.plain(noun, quota, zone, hosts.times(u64::from(own.chips)).times(each));
        }
    }
}
