//! What is taken of the quotas of a project once everything is there, from the plan and the catalog. A quota that is not
//! known for sure is not named.

use super::before::{Uses, on_vertex};
use serde::Serialize;
use slipform_model::catalog::{self, AcceleratorQuota, Gpu, Machine, SsdMode, region_of};
use slipform_model::nouns::{
    Attached, Capacity, Disk, FilestoreTier, Filesystem, GkeCluster, LocalSsd, Network, Pool,
    Reservation, Storage,
};
use slipform_model::plan::{Planned, PoolPlan, Sound};
use std::collections::{BTreeMap, BTreeSet};

/// A quota, and what is taken of it.
#[derive(Serialize)]
pub(super) struct Quota {
    name: String,
    dimension: Option<String>,
    region: String,
    amount: u64,
}

/// The quotas that what the commands of the page make is taken of.
pub(super) fn of(plan: Sound<'_>, uses: &Uses<'_>) -> Vec<Quota> {
    let mut quotas = Quotas::default();
    if uses.terraform {
        quotas.networks(plan);
        quotas.filesystems(plan);
        quotas.system_pools(plan);
        quotas.reservations(plan);
        quotas.pools(plan);
    }
    quotas.vertex(plan, uses);
    quotas.rows()
}

/// How capacity is paid for, as quotas see it.
#[derive(Clone, Copy, PartialEq)]
enum Paid {
    ByUse,
    Preemptible,
    /// Quota was taken when it was reserved.
    Before,
}

impl Paid {
    fn of(capacity: &Capacity) -> Self {
        match capacity {
            Capacity::OnDemand => Self::ByUse,
            Capacity::Spot | Capacity::FlexStart { .. } | Capacity::Queued { .. } => {
                Self::Preemptible
            }
            Capacity::Reservation { .. } | Capacity::Calendar { .. } => Self::Before,
        }
    }
}

/// What is taken, by quota, dimension and region.
#[derive(Default)]
struct Quotas(BTreeMap<(String, Option<String>, String), u64>);

/// The region of quotas that a project has once.
const EVERYWHERE: &str = "all regions";

impl Quotas {
    fn take(&mut self, name: &str, dimension: Option<&str>, region: &str, amount: u64) {
        if amount > 0 {
            let key = (name.to_owned(), dimension.map(str::to_owned), region.to_owned());
            let taken = self.0.entry(key).or_default();
            *taken = taken.saturating_add(amount);
        }
    }

    /// Takes of a quota that has no dimension.
    fn plain(&mut self, name: &str, region: &str, amount: u64) {
        self.take(name, None, region, amount);
    }

    /// Networks of the blueprint, and of the accelerators of its clusters.
    fn networks(&mut self, plan: Sound<'_>) {
        let made = plan.made::<Network>().count();
        let clusters = plan.made::<GkeCluster>().map(|cluster| cluster.plan);
        let data: BTreeSet<&str> =
            clusters.flat_map(|it| &it.data_networks).map(|it| it.vpc.as_str()).collect();
        let all = made.saturating_add(data.len()) as u64;
        self.plain(&quotas(plan).networks, EVERYWHERE, all);
    }

    fn filesystems(&mut self, plan: Sound<'_>) {
        for body in plan.made::<Filesystem>().map(|it| it.body) {
            let (Storage::Filestore { capacity, tier, reserved: _ }, Some(zone)) =
                (&body.storage.value, &body.location)
            else {
                continue;
            };
            let quota = match tier {
                FilestoreTier::BasicHdd => &quotas(plan).filestore_basic_hdd,
                FilestoreTier::BasicSsd => &quotas(plan).filestore_basic_ssd,
                // what these are counted by has changed with their capacity
                FilestoreTier::Zonal | FilestoreTier::Regional => continue,
            };
            let region = region_of(&zone.value).unwrap_or_default();
            self.plain(quota, region, capacity.value.gib());
        }
    }

    /// The nodes that each cluster has for itself.
    fn system_pools(&mut self, plan: Sound<'_>) {
        for Planned { plan: cluster, .. } in plan.made::<GkeCluster>() {
            let Some(pool) = &cluster.system else { continue };
            let facts = plan.catalog().kubernetes();
            let nodes = unsigned(pool.nodes.1);
            self.processors(plan, &pool.machine, Paid::ByUse, &cluster.region, nodes);
            if let Some(disk) = pool.machine.disk.boot.iter().find_map(|name| Disk::named(name)) {
                let gb = nodes.saturating_mul(u64::from(facts.boot_disk_gib));
                self.plain(of_disk(plan, disk), &cluster.region, gb);
            }
        }
    }

    /// Processors of machines whose series has a quota that is known.
    fn processors(
        &mut self,
        plan: Sound<'_>,
        machine: &Machine,
        paid: Paid,
        region: &str,
        nodes: u64,
    ) {
        let facts = plan.catalog().kubernetes();
        let quota = facts.cpu_quotas.get(&machine.series);
        if let Some((name, dimension)) = quota.and_then(|quota| of_compute(quota, paid)) {
            let cpus = nodes.saturating_mul(u64::from(machine.vcpus));
            self.take(name, dimension, region, cpus);
            self.plain(&facts.quotas.all_cpus, EVERYWHERE, cpus);
        }
    }

    fn pools(&mut self, plan: Sound<'_>) {
        for Planned { body, plan: pool, .. } in plan.made::<Pool>() {
            let made = plan.get(pool.cluster);
            let (made, cluster) = (made.is_made(), made.plan);
            let paid = Paid::of(&body.capacity.value);
            if !made {
                continue;
            }
            // a reservation holds no boot disks
            let nodes = unsigned(pool.max_nodes());
            let gb = nodes.saturating_mul(body.disk.gib());
            self.plain(of_disk(plan, pool.disk), &cluster.region, gb);
            if paid != Paid::Before {
                self.processors(plan, &pool.machine, paid, &cluster.region, nodes);
                self.pool(plan, pool, paid, &cluster.region);
            }
        }
    }

    fn pool(&mut self, plan: Sound<'_>, pool: &PoolPlan, paid: Paid, region: &str) {
        let catalog = plan.catalog();
        let chips = unsigned(pool.chips());
        let gpu = pool.machine.accelerator.as_ref().and_then(|it| catalog.gpu(&it.gpu));
        let tpu = pool.machine.tpu.as_ref().and_then(|it| catalog.tpu(&it.generation));
        if let Some(gpu) = gpu {
            self.gpus(plan, gpu, paid, region, chips);
        }
        if let Some(quota) = tpu.and_then(|it| it.quota.as_ref()) {
            self.chips(quota, paid, region, chips);
        }
        let (use_, disks) = pool.local_ssd;
        let disks = if use_ == LocalSsd::None { 0 } else { unsigned(disks) };
        let disks = disks.saturating_mul(unsigned(pool.max_nodes()));
        self.local_disks(plan, &pool.machine, paid, region, disks);
    }

    /// What is reserved by the apply is taken then, whoever uses it.
    fn reservations(&mut self, plan: Sound<'_>) {
        let catalog = plan.catalog();
        for body in plan.made::<Reservation>().map(|it| it.body) {
            let (Some(machine), Some(count)) = (catalog.machine(&body.machine), &body.count) else {
                continue;
            };
            let region = region_of(&body.zone.value).unwrap_or_default();
            let machines = unsigned(count.value);
            self.processors(plan, machine, Paid::ByUse, region, machines);
            let own = machine.accelerator.as_ref().map(|it| (it.gpu.as_str(), it.count.into()));
            let attached = body.gpus.as_ref().map(|it| {
                let Attached::Attached { gpu, count } = &it.value;
                (gpu.as_str(), *count)
            });
            if let Some((gpu, each)) = own.or(attached)
                && let Some(gpu) = catalog.gpu(gpu)
            {
                let all = unsigned(each).saturating_mul(machines);
                self.gpus(plan, gpu, Paid::ByUse, region, all);
            }
            let bundled = match machine.local_ssd.mode {
                SsdMode::Bundled => machine.local_ssd.counts.first().copied().unwrap_or(0),
                SsdMode::None | SsdMode::Optional => 0,
            };
            let disks = u64::from(bundled).saturating_add(unsigned(body.local_ssds.value));
            self.local_disks(plan, machine, Paid::ByUse, region, disks.saturating_mul(machines));
        }
    }

    fn gpus(&mut self, plan: Sound<'_>, gpu: &Gpu, paid: Paid, region: &str, count: u64) {
        if let Some(quota) = &gpu.quota {
            self.chips(quota, paid, region, count);
        }
        self.plain(&quotas(plan).all_gpus, EVERYWHERE, count);
    }

    fn chips(&mut self, quota: &AcceleratorQuota, paid: Paid, region: &str, count: u64) {
        if let Some((name, dimension)) = of_compute(quota, paid) {
            self.take(name, dimension, region, count);
        }
    }

    fn local_disks(
        &mut self,
        plan: Sound<'_>,
        machine: &Machine,
        paid: Paid,
        region: &str,
        disks: u64,
    ) {
        let quotas = quotas(plan);
        let gb = disks.saturating_mul(u64::from(machine.local_ssd.disk_gib));
        let family = format!("vm_family={}", machine.series.to_ascii_uppercase());
        match paid {
            Paid::Preemptible => self.plain(&quotas.preemptible_local_ssd, region, gb),
            Paid::ByUse | Paid::Before => {
                self.take(&quotas.local_ssd, Some(&family), region, gb);
            }
        }
    }

    /// The largest job of each region: others may come after it.
    fn vertex(&mut self, plan: Sound<'_>, uses: &Uses<'_>) {
        let mut most: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for it in &uses.vertex {
            let at_once = it.body.tuning.as_ref().map_or(1, |tuning| tuning.value.parallel);
            let mut job: BTreeMap<(&str, &str), u64> = BTreeMap::new();
            for (gang, Planned { body, plan: machines, .. }) in on_vertex(plan, it.plan) {
                let gpu = machines.machine.accelerator.as_ref();
                let quota = gpu.and_then(|it| plan.catalog().gpu(&it.gpu)?.quota.as_ref());
                let name = quota.and_then(|quota| match Paid::of(&body.capacity.value) {
                    Paid::ByUse => quota.vertex.as_deref(),
                    Paid::Preemptible => quota.vertex_preemptible.as_deref(),
                    Paid::Before => None,
                });
                if let Some(name) = name {
                    let chips = gang.nodes.saturating_mul(gang.chips_per_node);
                    let chips = unsigned(chips.saturating_mul(at_once));
                    let taken = job.entry((name, &body.region.value)).or_default();
                    *taken = taken.saturating_add(chips);
                }
            }
            for (quota, chips) in job {
                let taken = most.entry(quota).or_default();
                *taken = chips.max(*taken);
            }
        }
        for ((name, region), amount) in most {
            self.take(name, None, region, amount);
        }
    }

    fn rows(self) -> Vec<Quota> {
        let row = |((name, dimension, region), amount)| Quota { name, dimension, region, amount };
        self.0.into_iter().map(row).collect()
    }
}

fn quotas(plan: Sound<'_>) -> &catalog::Quotas {
    &plan.catalog().kubernetes().quotas
}

fn of_disk(plan: Sound<'_>, disk: Disk) -> &str {
    let disks = &quotas(plan).disks;
    match disk {
        Disk::PdStandard => &disks.pd_standard,
        Disk::PdBalanced => &disks.pd_balanced,
        Disk::PdSsd => &disks.pd_ssd,
        Disk::HyperdiskBalanced => &disks.hyperdisk_balanced,
    }
}

fn of_compute(quota: &AcceleratorQuota, paid: Paid) -> Option<(&str, Option<&str>)> {
    match paid {
        Paid::ByUse => Some((&quota.on_demand, quota.dimension.as_deref())),
        Paid::Preemptible => Some((quota.preemptible.as_deref()?, None)),
        Paid::Before => None,
    }
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
