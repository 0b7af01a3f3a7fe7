//! What is taken of the quotas of a project, from the plan and the catalog, and which of those that are known have less. A quota
//! that is not known for sure is not named.

mod slurm;
mod tpus;

use super::{AttachedDisk, DiskKind, Plan, Planned, PoolPlan, Site, Sound};
use crate::catalog::{
    self, AcceleratorQuota, Catalog, Gpu, Machine, MachineKind, SsdMode, Tpu, region_of,
};
use crate::nouns::{
    Attached, Capacity, Disk, FilestoreTier, Filesystem, GkeCluster, LocalSsd, MachineImage,
    Machines, Network, Pool, Reservation, Storage, UpgradeBy, Workload,
};
use crate::{NounId, Size};
use std::collections::{BTreeMap, BTreeSet};

/// A quota of a project, where it is counted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Quota {
    /// As Google Cloud calls it: `NVIDIA_L4_GPUS`.
    pub name: String,
    /// What tells several of the name apart: `gpu_family=NVIDIA_H100`.
    pub dimension: Option<String>,
    /// The region; [`EVERYWHERE`] of those that a project has once.
    pub region: String,
}

/// The region of quotas that a project has once.
pub const EVERYWHERE: &str = "all regions";

/// How much is taken: at the least, and once all is there that may be.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Amount {
    /// What is there all the time.
    pub least: u64,
    /// What may be there.
    pub most: u64,
}

impl Amount {
    fn fixed(amount: i64) -> Self {
        Self::just(unsigned(amount))
    }

    fn just(amount: u64) -> Self {
        Self { least: amount, most: amount }
    }

    fn between((least, most): (i64, i64)) -> Self {
        Self { least: unsigned(least), most: unsigned(most) }
    }

    fn times(self, each: u64) -> Self {
        let all = |count: u64| count.saturating_mul(each);
        Self { least: all(self.least), most: all(self.most) }
    }

    fn plus(self, other: Self) -> Self {
        let (least, most) =
            (self.least.saturating_add(other.least), self.most.saturating_add(other.most));
        Self { least, most }
    }

    /// The same with so many that are there for a while.
    fn with_spare(self, spare: u64) -> Self {
        Self { most: self.most.saturating_add(spare), ..self }
    }

    fn or_more(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), most: self.most.max(other.most) }
    }
}

/// What the nouns of a blueprint take of the quotas of their project.
#[derive(Default, Debug)]
pub struct Quotas {
    /// Of each, who takes how much as long as it is there, in the order of the blueprint.
    kept: BTreeMap<Quota, Vec<(NounId, Amount)>>,
    /// The same of jobs of Vertex AI, and of machines that images are built on, which come and go.
    jobs: BTreeMap<Quota, Vec<(NounId, Amount)>>,
}

impl Quotas {
    /// What is taken of each: all that is kept, and the largest of the jobs, since others may come after it.
    pub fn taken(&self) -> BTreeMap<&Quota, Amount> {
        self.sums(Amount::or_more)
    }

    /// What is taken of each where all jobs run at once.
    pub fn taken_together(&self) -> BTreeMap<&Quota, Amount> {
        self.sums(Amount::plus)
    }

    fn sums(&self, of_jobs: fn(Amount, Amount) -> Amount) -> BTreeMap<&Quota, Amount> {
        let mut found: BTreeMap<&Quota, Amount> = BTreeMap::new();
        for (quota, all) in &self.kept {
            found.insert(quota, all.iter().fold(Amount::default(), |sum, (_, one)| sum.plus(*one)));
        }
        for (quota, all) in &self.jobs {
            let jobs = all.iter().fold(Amount::default(), |sum, (_, one)| of_jobs(sum, *one));
            let sum = found.entry(quota).or_default();
            *sum = sum.plus(jobs);
        }
        found
    }

    /// The quotas that have less than is taken of them, each at the first noun that it is too little for: for what is there all
    /// the time, or else for what may be there.
    pub(super) fn short(&self, known: &BTreeMap<Quota, u64>) -> BTreeMap<NounId, Vec<Short>> {
        let mut found: BTreeMap<NounId, Vec<Short>> = BTreeMap::new();
        for (quota, has) in known {
            let mut sum = Amount::default();
            let kept = self.kept.get(quota).into_iter().flatten().map(|(noun, one)| {
                sum = sum.plus(*one);
                (*noun, sum)
            });
            let kept: Vec<_> = kept.collect();
            let always = kept.iter().find(|(_, sum)| sum.least > *has);
            let first = always.or_else(|| kept.iter().find(|(_, sum)| sum.most > *has));
            // a job comes to what is there, where that leaves room for any
            let there = match first {
                Some(_) => Amount::default(),
                None => kept.last().map_or_else(Amount::default, |(_, sum)| *sum),
            };
            let jobs = self.jobs.get(quota).into_iter().flatten();
            let jobs = jobs.map(|(noun, one)| (*noun, there.plus(*one)));
            let jobs: Vec<_> = jobs.filter(|(_, sum)| sum.most > *has).collect();
            for (noun, taken) in first.into_iter().chain(&jobs) {
                let short = Short { quota: quota.clone(), taken: *taken, has: *has };
                found.entry(*noun).or_default().push(short);
            }
        }
        found
    }
}

/// A quota that is too little.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Short {
    /// Which.
    pub quota: Quota,
    /// What is taken of it with the noun that it is too little for.
    pub taken: Amount,
    /// What the project has.
    pub has: u64,
}

impl Plan {
    /// The quotas of the project that are too little once a noun is there, where what it has is known.
    pub fn short_of_quota(&self, id: NounId) -> &[Short] {
        self.short_of_quota.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// What the quotas that are known are too little for; nothing of a plan with nouns that could not be understood.
pub(super) fn short(plan: &Plan) -> BTreeMap<NounId, Vec<Short>> {
    let known = &plan.model.quotas;
    match plan.sound() {
        Ok(sound) if !known.is_empty() => sound.quotas().short(known),
        _ => BTreeMap::new(),
    }
}

/// The quotas that something is counted against; of a region each stands once, with no region.
pub fn counted(catalog: &Catalog) -> BTreeSet<Quota> {
    let quota = |name: &str, dimension: Option<&str>, region: &str| {
        let (name, dimension) = (name.to_owned(), dimension.map(str::to_owned));
        Quota { name, dimension, region: region.to_owned() }
    };
    let facts = &catalog.kubernetes().quotas;
    let everywhere = [&facts.all_gpus, &facts.all_cpus, &facts.networks];
    let disks = &facts.disks;
    let plain = [
        &facts.preemptible_local_ssd,
        &facts.filestore_basic_hdd,
        &facts.filestore_basic_ssd,
        &disks.pd_standard,
        &disks.pd_balanced,
        &disks.pd_ssd,
        &disks.hyperdisk_balanced,
        &facts.hyperdisk_ml,
        &facts.hyperdisk_ml_rate,
    ];
    let of_machines =
        catalog.rows::<Machine>().map(|it| quota(&facts.local_ssd, Some(&family(&it.series)), ""));
    let gpus = catalog.rows::<Gpu>().filter_map(|it| it.quota.as_ref());
    let tpus = catalog.rows::<Tpu>().filter_map(|it| it.quota.as_ref());
    let series = catalog.kubernetes().cpu_quotas.values();
    let of_devices = gpus.chain(tpus).chain(series).flat_map(|it| {
        let lent = [&it.preemptible, &it.vertex, &it.vertex_preemptible];
        let lent = lent.into_iter().flatten().map(|name| (name, None));
        std::iter::once((&it.on_demand, it.dimension.as_deref())).chain(lent)
    });
    let everywhere = everywhere.into_iter().map(|name| quota(name, None, EVERYWHERE));
    let plain = plain.into_iter().map(|name| quota(name, None, ""));
    let of_devices = of_devices.map(|(name, dimension)| quota(name, dimension, ""));
    everywhere.chain(plain).chain(of_machines).chain(of_devices).collect()
}

/// The dimension of quotas of local disks.
fn family(series: &str) -> String {
    format!("vm_family={}", series.to_ascii_uppercase())
}

impl Sound<'_> {
    /// What is taken of the quotas of the project.
    pub fn quotas(self) -> Quotas {
        let mut quotas = Counted { plan: self, all: Quotas::default() };
        quotas.networks();
        quotas.filesystems();
        quotas.clusters();
        quotas.reservations();
        quotas.pools();
        quotas.partitions();
        quotas.plain_machines();
        quotas.slices();
        quotas.builders();
        quotas.jobs();
        quotas.all
    }
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
            Capacity::Reservation { .. } | Capacity::AnyReservation | Capacity::Calendar { .. } => {
                Self::Before
            }
        }
    }
}

/// Who takes of a quota, where, and how its machines are paid for.
#[derive(Clone, Copy)]
struct Taker<'a> {
    noun: NounId,
    region: &'a str,
    paid: Paid,
}

/// Counts.
struct Counted<'p> {
    plan: Sound<'p>,
    all: Quotas,
}

impl<'p> Counted<'p> {
    fn take(
        &mut self,
        noun: NounId,
        name: &str,
        dimension: Option<&str>,
        region: &str,
        it: Amount,
    ) {
        if it.most > 0 {
            let (name, dimension) = (name.to_owned(), dimension.map(str::to_owned));
            let quota = Quota { name, dimension, region: region.to_owned() };
            self.all.kept.entry(quota).or_default().push((noun, it));
        }
    }

    /// Takes of a quota that has no dimension.
    fn plain(&mut self, noun: NounId, name: &str, region: &str, it: Amount) {
        self.take(noun, name, None, region, it);
    }

    fn facts(&self) -> &'p catalog::Quotas {
        &self.plan.catalog().kubernetes().quotas
    }

    /// Networks of the blueprint, and of the accelerators of its clusters.
    fn networks(&mut self) {
        let quota = &self.facts().networks;
        for network in self.plan.made::<Network>() {
            self.plain(network.noun.id, quota, EVERYWHERE, Amount::fixed(1));
        }
        let mut seen = BTreeSet::new();
        for cluster in self.plan.made::<GkeCluster>() {
            let vpcs = cluster.plan.data_networks.iter().map(|it| it.vpc.as_str());
            let new = vpcs.filter(|vpc| seen.insert(*vpc)).count();
            self.plain(cluster.noun.id, quota, EVERYWHERE, Amount::fixed(new as i64));
        }
    }

    fn filesystems(&mut self) {
        let facts = self.facts();
        for Planned { noun, body, .. } in self.plan.made::<Filesystem>() {
            let Some(zone) = &body.location else { continue };
            let region = region_of(&zone.value).unwrap_or_default();
            if let Some(disk) = body.storage.value.disk() {
                self.disk(noun.id, region, disk);
            }
            let Storage::Filestore { capacity, tier, reserved: _ } = &body.storage.value else {
                continue;
            };
            let quota = match tier {
                FilestoreTier::BasicHdd => &facts.filestore_basic_hdd,
                FilestoreTier::BasicSsd => &facts.filestore_basic_ssd,
                // what these are counted by has changed with their capacity
                FilestoreTier::Zonal | FilestoreTier::Regional => continue,
            };
            self.plain(noun.id, quota, region, Amount::just(capacity.value.gib()));
        }
    }

    /// A disk that holds a filesystem, with what it gives.
    fn disk(&mut self, noun: NounId, region: &str, disk: AttachedDisk<'_>) {
        let facts = self.facts();
        let gib = disk.capacity.gib();
        match disk.kind {
            DiskKind::Ml { read_rate } => {
                let limits = &self.plan.catalog().limits().storage;
                let usual = gib.saturating_mul(limits.hyperdisk_ml_usual_rate_per_gib.into());
                let usual = usual.max(limits.hyperdisk_ml_usual_rate_min.into());
                let rate = read_rate.map_or(usual, unsigned);
                self.plain(noun, &facts.hyperdisk_ml, region, Amount::just(gib));
                self.plain(noun, &facts.hyperdisk_ml_rate, region, Amount::just(rate));
            }
            DiskKind::Balanced { .. } => {
                self.plain(noun, &facts.disks.hyperdisk_balanced, region, Amount::just(gib));
            }
            DiskKind::Throughput { .. } => {}
        }
    }

    /// The nodes that each cluster has for itself.
    fn clusters(&mut self) {
        for Planned { noun, body, plan: cluster, .. } in self.plan.made::<GkeCluster>() {
            let Some(pool) = &cluster.system else { continue };
            let facts = self.plan.catalog().kubernetes();
            let nodes = Amount::between(pool.nodes).with_spare(SYSTEM_SPARE);
            let taker = Taker { noun: noun.id, region: &cluster.region, paid: Paid::ByUse };
            self.machines(taker, &pool.machine, None, 0, nodes);
            let boots = &pool.machine.disk.boot;
            let usual = Disk::PdBalanced;
            let takes = boots.is_empty() || boots.iter().any(|it| it == usual.as_str());
            let disk = Some(usual).filter(|_| takes);
            if let Some(disk) = disk.or_else(|| boots.iter().find_map(|name| Disk::named(name))) {
                let each = body.system_disk.map_or(u64::from(facts.boot_disk_gib), Size::gib);
                self.plain(
                    noun.id,
                    of_disk(self.facts(), disk),
                    &cluster.region,
                    nodes.times(each),
                );
            }
        }
    }

    /// Processors of machines whose series has a quota that is known.
    fn processors(&mut self, taker: Taker<'_>, machine: &Machine, nodes: Amount) {
        let facts = self.plan.catalog().kubernetes();
        let quota = facts.cpu_quotas.get(&machine.series);
        if let Some((name, dimension)) = quota.and_then(|quota| of_compute(quota, taker.paid)) {
            let cpus = nodes.times(u64::from(machine.vcpus));
            self.take(taker.noun, name, dimension, taker.region, cpus);
            self.plain(taker.noun, &facts.quotas.all_cpus, EVERYWHERE, cpus);
        }
    }

    fn pools(&mut self) {
        for Planned { noun, body, plan: pool, .. } in self.plan.made::<Pool>() {
            let made = self.plan.get(pool.cluster);
            if !made.is_made() {
                continue;
            }
            let (region, paid) = (made.plan.region.as_str(), Paid::of(&body.capacity.value));
            // a reservation holds no boot disks
            let nodes = nodes(pool).with_spare(spare(body, pool));
            let gb = nodes.times(body.disk.gib());
            self.plain(noun.id, of_disk(self.facts(), pool.disk), region, gb);
            if paid != Paid::Before {
                let taker = Taker { noun: noun.id, region, paid };
                self.processors(taker, &pool.machine, nodes);
                self.pool(taker, pool, nodes);
            }
        }
    }

    fn pool(&mut self, taker: Taker<'_>, pool: &PoolPlan, nodes: Amount) {
        let catalog = self.plan.catalog();
        let chips = nodes.times(unsigned(pool.chips_per_node));
        let gpu = pool.machine.accelerator.as_ref().and_then(|it| catalog.gpu(&it.gpu));
        let tpu = pool.machine.tpu.as_ref().and_then(|it| catalog.tpu(&it.generation));
        if let Some(gpu) = gpu {
            self.gpus(taker, gpu, chips);
        }
        if let Some(quota) = tpu.and_then(|it| it.quota.as_ref()) {
            self.chips(taker, quota, chips);
        }
        let (use_, disks) = pool.local_ssd;
        let disks = if use_ == LocalSsd::None { 0 } else { unsigned(disks) };
        self.local_disks(taker, &pool.machine, nodes.times(disks));
    }

    /// What is reserved by the apply is taken then, whoever uses it.
    fn reservations(&mut self) {
        let catalog = self.plan.catalog();
        for Planned { noun, body, .. } in self.plan.made::<Reservation>() {
            let (Some(machine), Some(count)) = (catalog.machine(&body.machine), &body.count) else {
                continue;
            };
            let region = region_of(&body.zone.value).unwrap_or_default();
            let taker = Taker { noun: noun.id, region, paid: Paid::ByUse };
            let machines = Amount::fixed(count.value);
            let attached = body.gpus.as_ref().map(|it| {
                let Attached::Attached { gpu, count } = &it.value;
                (gpu.as_str(), *count)
            });
            self.machines(taker, machine, attached, unsigned(body.local_ssds.value), machines);
        }
    }

    /// Machines without a cluster, with the networks of their accelerators.
    fn plain_machines(&mut self) {
        let quota = &self.facts().networks;
        // Cloud TPU has quotas of its own
        let instances = self.plan.made::<Machines>().filter(|it| it.plan.machine.tpu.is_none());
        for Planned { noun, body, plan, .. } in instances {
            let vpcs: BTreeSet<_> = plan.data_networks.iter().map(|it| &it.vpc).collect();
            self.plain(noun.id, quota, EVERYWHERE, Amount::fixed(vpcs.len() as i64));
            let nodes = Amount::fixed(body.nodes.value);
            let gb = nodes.times(body.disk.gib());
            self.plain(noun.id, of_disk(self.facts(), plan.disk), &plan.region, gb);
            let paid = Paid::of(&body.capacity.value);
            if paid != Paid::Before {
                let taker = Taker { noun: noun.id, region: &plan.region, paid };
                self.machines(taker, &plan.machine, None, 0, nodes);
            }
        }
    }

    /// Machines that images are built on, which are there for as long as it takes.
    fn builders(&mut self) {
        for Planned { noun, body, plan, .. } in self.plan.made::<MachineImage>() {
            let Some(region) = plan.region.as_deref() else { continue };
            let mut own = Counted { plan: self.plan, all: Quotas::default() };
            let one = Amount::fixed(1);
            let gb = one.times(body.disk.value.gib());
            own.plain(noun.id, of_disk(self.facts(), plan.disk), region, gb);
            let taker = Taker { noun: noun.id, region, paid: Paid::ByUse };
            own.machines(taker, &plan.machine, None, 0, one);
            for (quota, taken) in own.all.kept {
                self.all.jobs.entry(quota).or_default().extend(taken);
            }
        }
    }

    /// Machines with what comes with them, and what is attached to each.
    fn machines(
        &mut self,
        taker: Taker<'_>,
        machine: &Machine,
        attached: Option<(&str, i64)>,
        local_ssds: u64,
        count: Amount,
    ) {
        self.processors(taker, machine, count);
        let own = machine.accelerator.as_ref().map(|it| (it.gpu.as_str(), it.count.into()));
        let catalog = self.plan.catalog();
        if let Some((gpu, each)) = own.or(attached)
            && let Some(gpu) = catalog.gpu(gpu)
        {
            self.gpus(taker, gpu, count.times(unsigned(each)));
        }
        let bundled = match machine.local_ssd.mode {
            SsdMode::Bundled => machine.local_ssd.counts.first().copied().unwrap_or(0),
            SsdMode::None | SsdMode::Optional => 0,
        };
        let disks = u64::from(bundled).saturating_add(local_ssds);
        self.local_disks(taker, machine, count.times(disks));
    }

    fn gpus(&mut self, taker: Taker<'_>, gpu: &Gpu, count: Amount) {
        if let Some(quota) = &gpu.quota {
            self.chips(taker, quota, count);
        }
        self.plain(taker.noun, &self.facts().all_gpus, EVERYWHERE, count);
    }

    fn chips(&mut self, taker: Taker<'_>, quota: &AcceleratorQuota, count: Amount) {
        if let Some((name, dimension)) = of_compute(quota, taker.paid) {
            self.take(taker.noun, name, dimension, taker.region, count);
        }
    }

    fn local_disks(&mut self, taker: Taker<'_>, machine: &Machine, disks: Amount) {
        let gb = disks.times(u64::from(machine.local_ssd.disk_gib));
        let family = family(&machine.series);
        let facts = self.facts();
        match taker.paid {
            Paid::Preemptible => {
                self.plain(taker.noun, &facts.preemptible_local_ssd, taker.region, gb);
            }
            Paid::ByUse | Paid::Before => {
                self.take(taker.noun, &facts.local_ssd, Some(&family), taker.region, gb);
            }
        }
    }

    /// Jobs of Vertex AI, with all trials that run at once.
    fn jobs(&mut self) {
        for Planned { noun, body, plan: run, .. } in self.plan.all::<Workload>() {
            if !matches!(run.site, Site::Vertex(_)) {
                continue;
            }
            let at_once = body.tuning.as_ref().map_or(1, |tuning| tuning.value.parallel);
            let mut job: BTreeMap<Quota, Amount> = BTreeMap::new();
            for gang in run.gangs() {
                let Planned { body, plan: machines, .. } = self.plan.machines_of(gang);
                let gpu = machines.machine.accelerator.as_ref();
                let quota = gpu.and_then(|it| self.plan.catalog().gpu(&it.gpu)?.quota.as_ref());
                let name = quota.and_then(|quota| match Paid::of(&body.capacity.value) {
                    Paid::ByUse => quota.vertex.clone(),
                    Paid::Preemptible => quota.vertex_preemptible.clone(),
                    Paid::Before => None,
                });
                if let Some(name) = name {
                    let region = body.region.value.clone();
                    let chips = gang.nodes.saturating_mul(gang.chips_per_node);
                    let chips = Amount::fixed(chips.saturating_mul(at_once));
                    let taken = job.entry(Quota { name, dimension: None, region }).or_default();
                    *taken = taken.plus(chips);
                }
            }
            for (quota, chips) in job.into_iter().filter(|(_, it)| it.most > 0) {
                self.all.jobs.entry(quota).or_default().push((noun.id, chips));
            }
        }
    }
}

/// Nodes of a pool; machines that are waited for are there only then.
fn nodes(pool: &PoolPlan) -> Amount {
    let pools = pool.node_pools.len() as u64;
    Amount::between(pool.nodes).times(pools)
}

/// Nodes that GKE makes besides those of a pool while it is upgraded: of several node pools, one is at a time.
fn spare(body: &Pool, pool: &PoolPlan) -> u64 {
    match body.upgraded_by(pool.machine.kind == MachineKind::Cpu) {
        Some(UpgradeBy::Surge { extra, .. }) => unsigned(extra),
        Some(UpgradeBy::BlueGreen { .. }) => unsigned(pool.nodes.1),
        None => 0,
    }
}

/// What GKE makes besides those that a cluster has for itself, which say nothing of upgrades.
const SYSTEM_SPARE: u64 = 1;

fn of_disk(facts: &catalog::Quotas, disk: Disk) -> &str {
    let disks = &facts.disks;
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
