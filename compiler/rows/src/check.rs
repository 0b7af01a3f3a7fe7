//! What must hold between rows: names that are referred to exist, and numbers agree with each other.
//! Used when the catalog is baked and when a project corrects it. Values alone are checked by
//! their types.

use crate::rows::{
    Component, Gpu, KueueRelease, Limits, Machine, MachineKind, Prerequisite, Region, Slice,
    SlurmMachine, Source, SsdMode, Stack, Tpu, ZoneOffer,
};
use crate::tables::{Each, Known, Row, Sheet, Tables, Typed};
use crate::version::{GkeVersion, region_of};

/// GiB and processors that no machine has: sums of them stay far from where numbers end.
const MOST: f64 = 1_000_000.0;

/// A row that does not hold, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The row: "machine `a5-highgpu-8g`".
    pub row: String,
    /// The key inside the row.
    pub key: String,
    /// What is wrong.
    pub message: String,
}

/// Every fault of `tables`, whose references may also lead into what is `known`.
pub fn check(tables: &Tables<Typed>, known: &impl Known) -> Vec<Fault> {
    let limits = tables.limits.as_ref().or_else(|| known.sheet());
    let mtu = limits.map(|limits: &Limits| (limits.vpc.mtu_min, limits.vpc.mtu_max));
    let mut checker = Checker { tables, known, mtu, faults: Vec::new() };
    checker.all();
    checker.faults
}

struct Checker<'a, K> {
    tables: &'a Tables<Typed>,
    known: &'a K,
    /// Smallest and largest MTU.
    mtu: Option<(u32, u32)>,
    faults: Vec<Fault>,
}

/// Every row of a table names its source and its day.
impl<K: Known> Each for Checker<'_, K> {
    fn rows<T: Row>(&mut self) {
        for row in T::of(self.tables).values() {
            if let Some(origin) = row.origin() {
                let label = label(row);
                self.sources(&label, origin.source);
                self.date(&label, origin.date);
            }
        }
    }

    fn sheet<T: Sheet>(&mut self) {}
}

impl<'a, K: Known> Checker<'a, K> {
    fn all(&mut self) {
        let tables = self.tables;
        Tables::<Typed>::each(self);
        for (key, source) in &tables.sources {
            self.day(key, source);
        }
        for machine in tables.machines.values() {
            self.machine(machine);
        }
        for attachable in tables.attachables.values() {
            self.gpu(&label(attachable), "gpu", &attachable.gpu);
        }
        for gpu in tables.gpus.values() {
            self.profiles(gpu);
        }
        for table in tables.slices.values() {
            for slice in &table.slices {
                self.slice(&table.generation, slice);
            }
        }
        for offer in tables.offers.values() {
            self.offer(offer);
        }
        for region in tables.vertex_regions.values() {
            self.region(&label(region), &region.region);
        }
        for stack in tables.stacks.values() {
            self.stack(stack);
        }
        for row in tables.slurm_machines.values() {
            self.slurm_machine(row);
        }
        for component in tables.components.values() {
            self.component(component);
        }
        for name in Prerequisite::ALL.map(Prerequisite::name) {
            if self.find::<Component>(name).is_none() {
                self.fault(&format!("component `{name}`"), "name", "is missing".into());
            }
        }
        let kueue = self.find::<Component>(Prerequisite::Kueue.name());
        if let Some(oldest) = kueue.and_then(|kueue| kueue.min.clone())
            && self.find::<KueueRelease>(&oldest).is_none()
        {
            let message = format!("there is none for {oldest}, the oldest that output fits");
            self.fault("table `kueue_release`", "since", message);
        }
        for release in tables.kueue_releases.values() {
            self.kueue_release(release);
        }
        if let Some(limits) = &tables.limits {
            self.limits(limits);
        }
    }

    fn day(&mut self, key: &str, source: &Source) {
        let day = source.date.as_deref().map(|date| match date.len() {
            // A month alone.
            7 => format!("{date}-01"),
            _ => date.to_owned(),
        });
        if let Some(day) = day {
            self.date(&format!("source `{key}`"), &day);
        }
    }

    fn profiles(&mut self, gpu: &Gpu) {
        for profile in &gpu.mig {
            self.sources(&label(gpu), &profile.source);
            if profile.compute > profile.of {
                let message = format!("{} is more than whole", profile.profile);
                self.fault(&label(gpu), "mig", message);
            }
        }
    }

    fn slurm_machine(&mut self, row: &SlurmMachine) {
        match self.find::<Machine>(&row.machine) {
            None => self.fault(&label(row), "machine", "is not a machine".into()),
            Some(machine) if machine.vcpus != row.cpus() => {
                let message = format!("{} CPUs, the machine has {}", row.cpus(), machine.vcpus);
                self.fault(&label(row), "cores_per_socket", message);
            }
            Some(_) => {}
        }
    }

    fn sources(&mut self, row: &str, keys: &[String]) {
        if keys.is_empty() {
            self.fault(row, "source", "names no source".into());
        }
        for key in keys {
            let found = self.find::<Source>(key).is_some();
            if !found {
                self.fault(row, "source", format!("`{key}` is not in the table of sources"));
            }
        }
    }

    fn date(&mut self, row: &str, date: &str) {
        if !is_date(date) {
            self.fault(row, "date", format!("`{date}` is not a date such as 2026-11-20"));
        }
    }

    /// Types of disks that a machine boots from and no quota is known of.
    fn unknown_disks<'m>(&self, machine: &'m Machine) -> Vec<&'m String> {
        let facts = self.tables.kubernetes.as_ref().or_else(|| self.known.sheet());
        let Some(quotas) = facts.map(|facts| &facts.quotas.disks) else { return Vec::new() };
        machine.disk.boot.iter().filter(|disk| quotas.of(disk).is_none()).collect()
    }

    fn sizes(&mut self, row: &str, machine: &Machine) {
        let sizes = [
            ("memory_gib", machine.memory_gib),
            ("vcpus", f64::from(machine.vcpus)),
            ("local_ssd", machine.local_ssd.most_gib()),
        ];
        for (field, size) in sizes {
            if !(0.0..=MOST).contains(&size) {
                let than = if size < 0.0 { "less" } else { "more" };
                self.fault(row, field, format!("{size:?} is {than} than any machine has"));
            }
        }
    }

    fn machine(&mut self, machine: &Machine) {
        let row = label(machine);
        if machine.kind != MachineKind::Node && (machine.vcpus == 0 || machine.memory_gib == 0.0) {
            self.fault(&row, "vcpus", "needs `vcpus` and `memory_gib`".into());
        }
        self.sizes(&row, machine);
        for disk in self.unknown_disks(machine) {
            self.fault(
                &row,
                "disk.boot",
                format!("`{disk}` has no quota under `kubernetes.quotas.disks`"),
            );
        }
        // of cores alone how many threads they have may be known
        let is_shaped = machine.sockets > 0;
        if is_shaped && machine.cores_per_socket().is_none() {
            let message = format!(
                "{} vcpus cannot be dealt to {} sockets of cores with {} threads",
                machine.vcpus, machine.sockets, machine.threads_per_core
            );
            self.fault(&row, "sockets", message);
        }
        let wants_gpu = matches!(machine.kind, MachineKind::Gpu | MachineKind::Node);
        if wants_gpu != machine.accelerator.is_some() {
            self.fault(&row, "accelerator", "belongs to kinds `gpu` and `node` alone".into());
        }
        if (machine.kind == MachineKind::Tpu) != machine.tpu.is_some() {
            self.fault(&row, "tpu", "belongs to kind `tpu` alone".into());
        }
        if let Some(accelerator) = &machine.accelerator {
            self.gpu(&row, "accelerator.gpu", &accelerator.gpu);
            if accelerator.count == 0 {
                self.fault(&row, "accelerator.count", "must be 1 or more".into());
            }
        }
        if let Some(profiles) = &machine.sharing.mig_profiles_of {
            self.gpu(&row, "sharing.mig_profiles_of", profiles);
        }
        if let Some(tpu) = &machine.tpu {
            let generation = &tpu.generation;
            if self.find::<Tpu>(generation).is_none() {
                let message = format!("`{generation}` is not a TPU generation");
                self.fault(&row, "tpu.generation", message);
            }
        }
        if let Some(stack) = &machine.stack
            && self.find::<Stack>(stack).is_none()
        {
            self.fault(&row, "stack", format!("`{stack}` is not a stack"));
        }
        let ssd = &machine.local_ssd;
        if (ssd.mode == SsdMode::None) != (ssd.max_gib() == 0) {
            self.fault(&row, "local_ssd", "needs `mode`, `counts` and `disk_gib` together".into());
        }
        self.network(&row, machine);
        self.versions(&row, machine);
    }

    /// The first versions of GKE that have the machine.
    fn versions(&mut self, row: &str, machine: &Machine) {
        let gke = &machine.gke;
        let versions = gke.standard_min.iter().chain(&gke.unreserved_min);
        let versions = versions.chain(&gke.gpudirect_min);
        for (branch, version) in versions {
            match GkeVersion::parse(version) {
                Some(parsed) if parsed.branch() == *branch => {}
                _ => {
                    let message = format!("`{version}` is not a version of branch {branch}");
                    self.fault(row, "gke", message);
                }
            }
        }
        let single = [&gke.autopilot_min, &gke.dranet_min];
        for version in single.into_iter().flatten() {
            if GkeVersion::parse(version).is_none() {
                self.fault(row, "gke", format!("`{version}` is not a GKE version"));
            }
        }
    }

    fn network(&mut self, row: &str, machine: &Machine) {
        let network = &machine.network;
        if machine.kind != MachineKind::Node && network.gpu_nics > network.physical_nics {
            let message = format!("{} of {} cards", network.gpu_nics, network.physical_nics);
            self.fault(row, "network.gpu_nics", message);
        }
        if network.gpu_fabric_gbps > network.max_egress_gbps && network.max_egress_gbps > 0 {
            let message =
                format!("{} Gbps of {} in all", network.gpu_fabric_gbps, network.max_egress_gbps);
            self.fault(row, "network.gpu_fabric_gbps", message);
        }
        if network.additional_vpcs > 0 && network.additional_vpc_mtu.is_none() {
            self.fault(row, "network.additional_vpc_mtu", "is missing".into());
        }
        if let (Some(mtu), Some((least, most))) = (network.additional_vpc_mtu, self.mtu)
            && !(least..=most).contains(&mtu)
        {
            let message = format!("{mtu} does not lie in {least} to {most}");
            self.fault(row, "network.additional_vpc_mtu", message);
        }
    }

    fn slice(&mut self, generation: &str, slice: &Slice) {
        let row = format!("slice `{}` of {generation}", slice.topology);
        let product: u32 = slice.sides.iter().product();
        if product != slice.chips {
            self.fault(&row, "chips", format!("{} chips, the sides give {product}", slice.chips));
        }
        if slice.hosts * slice.chips_per_host != slice.chips {
            let message = format!(
                "{} hosts of {} chips, the slice has {}",
                slice.hosts, slice.chips_per_host, slice.chips
            );
            self.fault(&row, "hosts", message);
        }
        let Some(tpu) = self.find::<Tpu>(generation) else {
            self.fault(&row, "generation", "is not a TPU generation".into());
            return;
        };
        let sides = slice.topology.split('x').count();
        if sides != usize::from(tpu.dimensions) {
            self.fault(&row, "topology", format!("needs {} sides", tpu.dimensions));
        }
        let Some(name) = &slice.machine else { return };
        match self.find::<Machine>(name).and_then(|machine| machine.tpu.as_ref()) {
            Some(host) if host.generation == generation && host.chips == slice.chips_per_host => {}
            _ => {
                let chips = slice.chips_per_host;
                let message = format!("`{name}` is not a {generation} machine of {chips} chips");
                self.fault(&row, "machine", message);
            }
        }
    }

    fn offer(&mut self, offer: &ZoneOffer) {
        let row = label(offer);
        let name = &offer.name;
        let known = self.find::<Tpu>(name).is_some()
            || self.find::<Gpu>(name).is_some()
            || self.tables.machines.values().any(|machine| machine.family == *name)
            || self.known.all::<Machine>().any(|machine| machine.family == *name);
        if !known {
            self.fault(&row, "name", "is no machine family, GPU or TPU generation".into());
        }
        for region in &offer.regions {
            self.region(&row, region);
        }
        let zones = [&offer.zones, &offer.flex_start_zones, &offer.calendar_zones];
        for zone in zones.into_iter().flatten() {
            match region_of(zone) {
                Some(region) if offer.regions.iter().any(|known| known == region) => {}
                _ => self.fault(&row, "zones", format!("`{zone}` is in none of the regions")),
            }
            let suffix = region_of(zone).and_then(|region| zone.get(region.len() + 1..));
            let listed =
                region_of(zone).and_then(|region| self.find::<Region>(region)).is_some_and(
                    |region| region.zones.iter().any(|name| Some(name.as_str()) == suffix),
                );
            if !listed {
                self.fault(&row, "zones", format!("`{zone}` is not a zone of its region"));
            }
        }
    }

    fn region(&mut self, row: &str, name: &str) {
        if self.find::<Region>(name).is_none() {
            self.fault(row, "regions", format!("`{name}` is not a region"));
        }
    }

    fn stack(&mut self, stack: &Stack) {
        let row = label(stack);
        let Some(gke) = &stack.gke else { return };
        let mounts = gke.daemon.iter().flat_map(|daemon| &daemon.mounts).chain(&gke.mounts);
        for mount in mounts {
            if !gke.volumes.iter().any(|volume| volume.name == mount.volume) {
                let message = format!("`{}` is not a volume of the stack", mount.volume);
                self.fault(&row, "gke.mounts", message);
            }
        }
        for name in &gke.components {
            if self.find::<Component>(name).is_none() {
                let message = format!("`{name}` is no component");
                self.fault(&row, "gke.components", message);
            }
        }
        let installed = gke.installed.as_deref().and_then(|file| gke.on_node(file));
        if let Some(file) = installed.filter(|file| !gke.installs(file)) {
            let message = format!("none fills the folder of `{file}`, which workloads wait for");
            self.fault(&row, "gke.installers", message);
        }
        let (Some(daemon), Some(tag)) = (&gke.daemon, &stack.plugin.tag) else { return };
        let belongs = stack.daemon_for(tag);
        let ships = daemon.image.tag.as_deref().map(|tag| tag.trim_start_matches('v'));
        if belongs != ships {
            let daemon = ships.unwrap_or("without a version");
            let message = format!("plugin {tag} and daemon {daemon} are not a listed pair");
            self.fault(&row, "pairs", message);
        }
    }

    fn component(&mut self, component: &Component) {
        let bounds =
            [("min", &component.min), ("max", &component.max), ("below", &component.below)];
        let bounds = bounds.iter().filter_map(|(key, version)| Some((*key, version.as_ref()?)));
        let since = component.since.values().map(|version| ("since", version));
        for (key, version) in bounds.chain(since).chain([("version", &component.version)]) {
            if GkeVersion::parse(version).is_none() {
                self.fault(&label(component), key, format!("`{version}` is not a version"));
            }
        }
    }

    fn kueue_release(&mut self, release: &KueueRelease) {
        if GkeVersion::parse(&release.since).is_none() {
            let message = format!("`{}` is not a version", release.since);
            self.fault(&label(release), "since", message);
        }
        if release.integrations.is_empty() {
            // Kueue itself takes none for its own default, which has no JobSets.
            self.fault(&label(release), "integrations", "names none".into());
        }
    }

    fn limits(&mut self, limits: &Limits) {
        let vpc = &limits.vpc;
        if vpc.mtu_min > vpc.mtu_default || vpc.mtu_default > vpc.mtu_max {
            self.fault("table `limits`", "vpc", "MTU bounds are out of order".into());
        }
        if !(vpc.mtu_min..=vpc.mtu_max).contains(&vpc.mtu_data) {
            let message =
                format!("{} does not lie in {} to {}", vpc.mtu_data, vpc.mtu_min, vpc.mtu_max);
            self.fault("table `limits`", "vpc.mtu_data", message);
        }
        if limits.flex_start.min_run_seconds > limits.flex_start.max_run_seconds {
            self.fault("table `limits`", "flex_start", "bounds are out of order".into());
        }
    }

    fn gpu(&mut self, row: &str, key: &str, name: &str) {
        if self.find::<Gpu>(name).is_none() {
            self.fault(row, key, format!("`{name}` is not a GPU"));
        }
    }

    fn find<T: Row>(&self, key: &str) -> Option<&'a T> {
        T::of(self.tables).get(key).or_else(|| self.known.row(key))
    }

    fn fault(&mut self, row: &str, key: &str, message: String) {
        self.faults.push(Fault { row: row.to_owned(), key: key.to_owned(), message });
    }
}

fn label<T: Row>(row: &T) -> String {
    format!("{} `{}`", T::TABLE, row.key())
}

/// `YYYY-MM-DD`, months and days in range.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let within = |part: &str, len: usize, most: u32| {
        part.len() == len && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    within(year, 4, 9999) && within(month, 2, 12) && within(day, 2, 31)
}
