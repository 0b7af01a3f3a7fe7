//! The tables that can be shown: their columns, their rows, one row in full.

use serde_json::{Value, json};
use slipform_model::catalog::{Catalog, Machine, MachineKind, Offer, ZoneOffer};

/// A table of the catalog.
pub(crate) struct Table {
    /// As the command line names it.
    pub(crate) name: &'static str,
    pub(super) about: &'static str,
    pub(super) columns: &'static [&'static str],
    /// A cell for each column; the first is the row's name.
    pub(super) rows: fn(&Catalog) -> Vec<Vec<String>>,
    /// Everything that is known of one.
    pub(crate) row: fn(&Catalog, &str) -> Option<Value>,
}

pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "machines",
        about: "machine types, and presets of nodes on one's own floor",
        columns: &["machine", "vcpus", "memory", "accelerators", "fabric", "egress", "stack"],
        rows: |catalog| catalog.machines().map(machine).collect(),
        row: |catalog, name| catalog.machine(name).and_then(value),
    },
    Table {
        name: "gpus",
        about: "GPUs: memory, speed, the parts they can be cut into",
        columns: &["gpu", "architecture", "memory", "bf16 tflops", "nvlink gb/s", "mig profiles"],
        rows: |catalog| catalog.gpus().map(gpu).collect(),
        row: |catalog, name| catalog.gpu(name).and_then(value),
    },
    Table {
        name: "tpus",
        about: "TPU generations, and the slices that each can be cut into",
        columns: &["tpu", "memory", "bf16 tflops", "chips a host", "largest slice", "slices"],
        rows: |catalog| {
            catalog
                .tpus()
                .map(|tpu| {
                    vec![
                        tpu.generation.clone(),
                        format!("{} GiB", tpu.hbm_gib_per_chip),
                        tpu.bf16_tflops_per_chip.to_string(),
                        tpu.chips_per_host.to_string(),
                        format!("{} chips", tpu.max_slice_chips),
                        catalog.slices(&tpu.generation).len().to_string(),
                    ]
                })
                .collect()
        },
        row: tpu_row,
    },
    Table {
        name: "zones",
        about: "zones, and what each is known to offer",
        columns: &["zone", "known to offer"],
        rows: |catalog| {
            catalog
                .zones()
                .into_iter()
                .map(|zone| {
                    let offered = offered(catalog, &zone, Offer::InZone).join(", ");
                    vec![zone, offered]
                })
                .collect()
        },
        row: zone_row,
    },
    Table {
        name: "stacks",
        about: "GPU network stacks: plugin, daemon and installer that belong together",
        columns: &["stack", "gpudirect", "plugin", "nccl"],
        rows: |catalog| {
            catalog
                .stacks()
                .map(|stack| {
                    vec![
                        stack.name.clone(),
                        word(&stack.gpudirect),
                        stack.plugin.to_string(),
                        stack.nccl.clone().unwrap_or_default(),
                    ]
                })
                .collect()
        },
        row: |catalog, name| catalog.stack(name).and_then(value),
    },
];

fn machine(machine: &Machine) -> Vec<String> {
    let accelerators = match (&machine.accelerator, &machine.tpu) {
        (Some(gpu), _) => format!("{} x {}", gpu.count, gpu.gpu),
        (None, Some(tpu)) => format!("{} x {}", tpu.chips, tpu.generation),
        (None, None) => String::new(),
    };
    let network = &machine.network;
    let is_cloud = machine.kind != MachineKind::Node;
    let fabric = match network.fabric {
        Some(fabric) => word(&fabric),
        None if network.gpu_nics > 0 => {
            format!("{} x {}", network.gpu_nics, word(&network.gpudirect))
        }
        None => String::new(),
    };
    let egress = if is_cloud && network.max_egress_gbps > 0 {
        format!("{} Gbps", network.max_egress_gbps)
    } else {
        String::new()
    };
    vec![
        machine.name.clone(),
        machine.vcpus.to_string(),
        format!("{} GiB", machine.memory_gib),
        accelerators,
        fabric,
        egress,
        machine.stack.clone().unwrap_or_default(),
    ]
}

fn gpu(gpu: &slipform_model::catalog::Gpu) -> Vec<String> {
    vec![
        gpu.name.clone(),
        gpu.architecture.clone(),
        format!("{} GB", gpu.memory_gb),
        gpu.bf16_dense_tflops.to_string(),
        gpu.nvlink_gbytes_per_s.to_string(),
        gpu.mig.iter().map(|profile| profile.profile.as_str()).collect::<Vec<_>>().join(" "),
    ]
}

fn tpu_row(catalog: &Catalog, name: &str) -> Option<Value> {
    let mut row = value(catalog.tpu(name)?)?;
    let slices = catalog.slices(name).iter().map(|slice| {
        json!({
            "name": slice.name, "topology": slice.topology, "chips": slice.chips, "hosts": slice.hosts, "machine": slice.machine,
        })
    });
    row.as_object_mut()?.insert("slices".to_owned(), slices.collect());
    Some(row)
}

fn zone_row(catalog: &Catalog, zone: &str) -> Option<Value> {
    if !catalog.has_zone(zone) {
        return None;
    }
    let region = slipform_model::catalog::region_of(zone)?;
    let facts = catalog.region(region)?;
    let vertex =
        catalog.vertex_region(region).map(|row| row.accelerators.clone()).unwrap_or_default();
    Some(json!({
        "zone": zone,
        "region": region,
        "known_to_offer": offered(catalog, zone, Offer::InZone),
        "offered_in_region": offered(catalog, zone, Offer::InRegion),
        "vertex_accelerators": vertex,
        "notes": ["the zones of an offer are a hint and never complete; its regions are complete on the day of the fact"],
        "source": facts.source,
        "date": facts.date,
        "confidence": facts.confidence,
    }))
}

fn offered(catalog: &Catalog, zone: &str, how: Offer) -> Vec<String> {
    let is_offered = |offer: &&ZoneOffer| catalog.offered(&offer.name, zone) == how;
    catalog.zone_offers().filter(is_offered).map(|offer| offer.name.clone()).collect()
}

fn value(row: &impl serde::Serialize) -> Option<Value> {
    serde_json::to_value(row).ok()
}

/// A word of the catalog as its files write it.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
