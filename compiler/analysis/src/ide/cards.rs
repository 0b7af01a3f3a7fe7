//! Rows of the catalog as small tables, with their sources and dates.

use ipnet::IpNet;
use slipform_model::catalog::{
    Capacity, CapacityModel, Catalog, Confidence, GpuDirect, Machine, MachineKind, Slice, SsdMode,
    Support, region_of,
};
use std::fmt::Write;

/// What the catalog knows under a name: a machine type, a zone, a region, a GPU or a TPU generation.
pub(crate) fn named(catalog: &Catalog, name: &str) -> Option<String> {
    machine(catalog, name)
        .or_else(|| zone(catalog, name))
        .or_else(|| region(catalog, name))
        .or_else(|| gpu(catalog, name))
        .or_else(|| tpu(catalog, name))
}

/// A machine type.
pub(crate) fn machine(catalog: &Catalog, name: &str) -> Option<String> {
    let row = catalog.machine(name)?;
    let what = match row.kind {
        MachineKind::Gpu => "machine type with GPUs",
        MachineKind::Tpu => "machine type with TPU chips",
        MachineKind::Cpu => "machine type",
        MachineKind::Node => "node of one's own",
    };
    let mut card = Card::new(name, what);
    card.row("accelerators", accelerators(row));
    card.row("processors", processors(row));
    card.row("network", network(row));
    card.row("local disks", local_disks(row));
    card.row("capacity", capacity(&row.capacity));
    let regions = catalog.offer_of(name).map(|offer| offer.regions.join(", "));
    card.row("regions", regions.unwrap_or_default());
    Some(card.finish(catalog, &row.source, &row.date, row.confidence))
}

/// What one line says of a machine, for lists.
pub(crate) fn machine_line(row: &Machine) -> String {
    let accelerators = accelerators(row);
    if accelerators.is_empty() { processors(row) } else { accelerators }
}

fn accelerators(row: &Machine) -> String {
    if let Some(gpus) = &row.accelerator {
        let part =
            gpus.fraction.as_ref().map(|part| format!(" ({part} of one)")).unwrap_or_default();
        return format!("{} x {}{part}, {} GB each", gpus.count, gpus.gpu, gpus.memory_gb_each);
    }
    match &row.tpu {
        Some(tpu) => format!("{} x TPU {}", tpu.chips, tpu.generation),
        None => String::new(),
    }
}

fn processors(row: &Machine) -> String {
    match (row.vcpus, row.memory_gib > 0.0) {
        (0, false) => String::new(),
        (0, true) => format!("{} GiB", row.memory_gib),
        (cpus, true) => format!("{cpus} vCPUs, {} GiB", row.memory_gib),
        (cpus, false) => format!("{cpus} vCPUs"),
    }
}

fn network(row: &Machine) -> String {
    let network = &row.network;
    let mut parts = Vec::new();
    if network.gpu_nics > 0 {
        parts.push(format!(
            "{} NICs next to the GPUs, {} Gbps",
            network.gpu_nics, network.gpu_fabric_gbps
        ));
    } else if network.max_egress_gbps > 0 {
        parts.push(format!("{} Gbps", network.max_egress_gbps));
    }
    match network.gpudirect {
        GpuDirect::None => {}
        GpuDirect::Tcpx => parts.push("GPUDirect-TCPX".to_owned()),
        GpuDirect::Tcpxo => parts.push("GPUDirect-TCPXO".to_owned()),
        GpuDirect::Rdma => parts.push("GPUDirect RDMA".to_owned()),
    }
    if network.additional_vpcs > 0 {
        let mtu =
            network.additional_vpc_mtu.map(|mtu| format!(" of MTU {mtu}")).unwrap_or_default();
        let many = if network.additional_vpcs == 1 { "network" } else { "networks" };
        parts.push(format!("{} more {many}{mtu}", network.additional_vpcs));
    }
    parts.join(", ")
}

fn local_disks(row: &Machine) -> String {
    let disks = &row.local_ssd;
    let counts: Vec<String> = disks.counts.iter().map(u32::to_string).collect();
    match disks.mode {
        SsdMode::None => String::new(),
        SsdMode::Bundled => {
            format!("{} x {} GiB, always there", counts.join(" or "), disks.disk_gib)
        }
        SsdMode::Optional => format!("{} x {} GiB", counts.join(" or "), disks.disk_gib),
    }
}

fn capacity(capacity: &Capacity) -> String {
    const MODELS: [(&str, CapacityModel); 6] = [
        ("on_demand", CapacityModel::OnDemand),
        ("spot", CapacityModel::Spot),
        ("reservation", CapacityModel::Reservation),
        ("future_reservation", CapacityModel::FutureReservation),
        ("flex_start", CapacityModel::FlexStart),
        ("calendar", CapacityModel::Calendar),
    ];
    let known = MODELS.iter().filter_map(|(name, model)| match capacity.support(*model) {
        Support::Yes => Some(format!("`{name}`")),
        Support::Allowlist => Some(format!("`{name}` for those let in")),
        Support::No | Support::Unknown => None,
    });
    known.collect::<Vec<_>>().join(", ")
}

fn zone(catalog: &Catalog, name: &str) -> Option<String> {
    if !catalog.has_zone(name) {
        return None;
    }
    let region = catalog.region(region_of(name)?)?;
    let mut card = Card::new(name, "zone");
    card.row("region", region.name.clone());
    card.row("offers", offers(catalog, name));
    Some(card.finish(catalog, &region.source, &region.date, region.confidence))
}

fn region(catalog: &Catalog, name: &str) -> Option<String> {
    let row = catalog.region(name)?;
    let mut card = Card::new(name, "region");
    let zones: Vec<String> = row.zones.iter().map(|zone| format!("{name}-{zone}")).collect();
    card.row("zones", zones.join(", "));
    card.row("offers", offers(catalog, name));
    Some(card.finish(catalog, &row.source, &row.date, row.confidence))
}

/// Families, GPUs and TPU generations that a zone or a region is known to have.
fn offers(catalog: &Catalog, place: &str) -> String {
    let has = |zones: &[String], regions: &[String]| {
        zones.iter().chain(regions).any(|known| known == place)
    };
    let offers = catalog.zone_offers().filter(|offer| has(&offer.zones, &offer.regions));
    offers.map(|offer| offer.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn gpu(catalog: &Catalog, name: &str) -> Option<String> {
    let row = catalog.gpu(name)?;
    let mut card = Card::new(name, "GPU");
    let on = |machine: &&Machine| machine.accelerator.as_ref().is_some_and(|gpus| gpus.gpu == name);
    let machines: Vec<&str> =
        catalog.machines().filter(on).map(|machine| machine.name.as_str()).collect();
    card.row("machines", machines.join(", "));
    let profiles: Vec<&str> = row
        .mig
        .iter()
        .filter(|profile| profile.gke)
        .map(|profile| profile.profile.as_str())
        .collect();
    card.row("MIG profiles", profiles.join(", "));
    Some(card.finish(catalog, &row.source, &row.date, row.confidence))
}

fn tpu(catalog: &Catalog, name: &str) -> Option<String> {
    let row = catalog.tpu(name)?;
    let mut card = Card::new(name, "TPU generation");
    card.row(
        "one chip",
        format!("{} GiB, {} TFLOP/s in bfloat16", row.hbm_gib_per_chip, row.bf16_tflops_per_chip),
    );
    card.row("largest slice", format!("{} chips", row.max_slice_chips));
    Some(card.finish(catalog, &row.source, &row.date, row.confidence))
}

/// The shape of a slice: on hosts of one machine type, or in every generation that has it.
pub(crate) fn topology(catalog: &Catalog, shape: &str, machine: Option<&str>) -> Option<String> {
    if let Some(machine) = machine {
        let generation = catalog.tpu_of_machine(machine)?;
        let Some(slice) = catalog.slice_on(machine, shape) else {
            return Some(format!("**{shape}** is no slice of {machine}"));
        };
        let mut card = Card::new(shape, &format!("slice of TPU {}", generation.generation));
        card.row("chips", slice.chips.to_string());
        card.row("hosts", format!("{}, {} chips each", slice.hosts, slice.chips_per_host));
        card.row("machine", machine.to_owned());
        card.row("name", slice.name.clone());
        return Some(card.finish(catalog, &generation.source, &generation.date, slice.confidence));
    }
    let found: Vec<String> = catalog
        .tpus()
        .filter_map(|tpu| Some((tpu, catalog.slice(&tpu.generation, shape)?)))
        .map(|(tpu, slice)| format!("| {} | {} |", tpu.generation, slice_line(slice)))
        .collect();
    let rows = found.join("\n");
    (!found.is_empty()).then(|| format!("**{shape}**\n\n| generation | slice |\n|---|---|\n{rows}"))
}

/// What one line says of a slice, for lists.
pub(crate) fn slice_line(slice: &Slice) -> String {
    let hosts = if slice.hosts == 1 { "host" } else { "hosts" };
    format!("{} chips, {} {hosts}", slice.chips, slice.hosts)
}

struct Card {
    text: String,
}

impl Card {
    fn new(name: &str, what: &str) -> Self {
        Self { text: format!("**{name}**, {what}\n\n| | |\n|---|---|\n") }
    }

    fn row(&mut self, what: &str, value: String) {
        if !value.is_empty() {
            // Writing into a string cannot fail.
            let _ = writeln!(self.text, "| {what} | {} |", value.replace('|', "\\|"));
        }
    }

    fn finish(
        mut self,
        catalog: &Catalog,
        sources: &[String],
        date: &str,
        trust: Confidence,
    ) -> String {
        let names = sources
            .iter()
            .map(|key| catalog.source(key).map_or(key.as_str(), |source| &source.name));
        let names = names.collect::<Vec<_>>().join("; ");
        let _ = write!(self.text, "\nSource: {names} ({date}, confidence {trust})");
        self.text
    }
}

/// An address range: its first and last address, and how many there are.
pub(crate) fn range(text: &str) -> Option<String> {
    let net: IpNet = text.parse().ok()?;
    if net.prefix_len() == net.max_prefix_len() {
        return None;
    }
    let bits = u32::from(net.max_prefix_len() - net.prefix_len());
    let count = 1_u128.checked_shl(bits).map_or_else(|| format!("2^{bits}"), |it| it.to_string());
    Some(format!("`{net}`: {} to {}, {count} addresses", net.network(), net.broadcast()))
}
