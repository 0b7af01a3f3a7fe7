//! What patched nodes are told that GKE, or their machine, does not take: Terraform's plan passes with it, and the apply fails or makes nodes that nothing
//! runs on.

use super::patch::{PATCH_WORD, said};
use crate::document::Node;
use slipform_model::catalog::{Catalog, GpuDirect, Machine};
use slipform_model::{Diagnostic, Patch, Placed, Value};

/// Settings of the nodes in a patch of a node pool that are not taken, by what the pool is before it.
pub(super) fn bounds(
    patch: &Patch,
    resource: &str,
    base: &Node,
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    if resource != "google_container_node_pool" {
        return Vec::new();
    }
    let kernel = &["node_config", "linux_node_config", "sysctls"];
    let mut found = numbers(patch, catalog.names("gke.sysctls"), kernel);
    let kubelet = &["node_config", "kubelet_config"];
    found.extend(numbers(patch, catalog.names("gke.kubelets"), kubelet));
    found.extend(images(patch));
    let machine = base.get("node_config").and_then(|it| it.get("machine_type")?.as_str());
    if let Some(machine) = machine.and_then(|it| catalog.row::<Machine>(it)) {
        found.extend(system(patch, machine, catalog));
        found.extend(encrypted(patch, machine));
        found.extend(in_time(patch, machine));
    }
    found
}

/// The system of nodes whose network has a stack of its own.
fn system(patch: &Patch, machine: &Machine, catalog: &Catalog) -> Option<Diagnostic> {
    let known = &catalog.kubernetes().gpudirect_images;
    let asked = said(&patch.value, &["node_config", "image_type"]);
    let other = |placed: &&&Placed| match &placed.value {
        Value::Str(text) => !known.iter().any(|it| it.eq_ignore_ascii_case(text)),
        _ => false,
    };
    let placed = asked.iter().find(other)?;
    if machine.network.gpudirect == GpuDirect::None {
        return None;
    }
    let message = format!(
        "the network stack of {} is made for nodes of {}: on others its GPUs talk over plain TCP, or not at all",
        machine.name,
        known.join(", ")
    );
    Some(Diagnostic::warning(PATCH_WORD, message, placed.span).help("leave it out"))
}

/// Memory that is encrypted, of which the machines that have it with accelerators are few.
fn encrypted(patch: &Patch, machine: &Machine) -> Option<Diagnostic> {
    let asked = said(&patch.value, &["node_config", "confidential_nodes", "enabled"]);
    let placed = asked.into_iter().find(|placed| matches!(placed.value, Value::Bool(true)))?;
    let several = machine.accelerator.as_ref().is_some_and(|it| it.count > 1);
    if !several && machine.tpu.is_none() {
        return None;
    }
    let message =
        format!("{} is no machine of Confidential VM: GKE makes no such nodes", machine.name);
    let help = "leave it out; with a GPU `a3-highgpu-1g` is one, and there are others without accelerators";
    Some(Diagnostic::warning(PATCH_WORD, message, placed.span).help(help))
}

/// A pool of accelerators that is given up before its nodes are there.
fn in_time(patch: &Patch, machine: &Machine) -> Option<Diagnostic> {
    let asked = said(&patch.value, &["timeouts", "create"]);
    let (placed, text) = asked.into_iter().find_map(|placed| match &placed.value {
        Value::Str(text) => Some((placed, text)),
        _ => None,
    })?;
    let minutes: u32 = text.strip_suffix('m')?.parse().ok()?;
    if minutes >= SOON || machine.accelerator.is_none() && machine.tpu.is_none() {
        return None;
    }
    let message = format!(
        "Terraform gives the pool up after {text}, and nodes with accelerators take longer to come: the pool is tainted, and made anew at each apply"
    );
    Some(
        Diagnostic::warning(PATCH_WORD, message, placed.span)
            .help("leave it out: the provider waits for half an hour and longer"),
    )
}

/// Minutes that a pool of accelerators is not made in, which is a policy of ours.
const SOON: u32 = 10;

/// Settings of kernels or kubelets, by the bounds that GKE has for each.
fn numbers(patch: &Patch, known: &[String], path: &[&str]) -> Vec<Diagnostic> {
    let all = said(&patch.value, path);
    let entries = all.into_iter().filter_map(|placed| match &placed.value {
        Value::Record(record) => Some(record),
        _ => None,
    });
    let judge = |(name, placed): (&std::sync::Arc<str>, &Placed)| {
        let row = known.iter().find_map(|row| row.strip_prefix(&**name)?.strip_prefix(' '))?;
        let (least, most) = row.split_once(' ')?;
        let (least, most): (f64, f64) = (least.parse().ok()?, most.parse().ok()?);
        let value: f64 = number(&placed.value)?;
        if value >= least && value <= most {
            return None;
        }
        let message = format!("GKE takes {least} to {most} for `{name}`, and not {value}");
        Some(
            Diagnostic::error(PATCH_WORD, message, placed.span)
                .help("write a number that it takes"),
        )
    };
    entries.flat_map(|record| record.iter().filter_map(judge).collect::<Vec<_>>()).collect()
}

/// Shares of the disk at which the kubelet begins to remove images, and ends.
fn images(patch: &Patch) -> Option<Diagnostic> {
    let of = |key: &str| {
        let all = said(&patch.value, &["node_config", "kubelet_config", key]);
        all.into_iter().find_map(|placed| Some((number(&placed.value)?, placed.span)))
    };
    let (low, at) = of("image_gc_low_threshold_percent")?;
    let (high, _) = of("image_gc_high_threshold_percent")?;
    if low < high {
        return None;
    }
    let message = format!(
        "the kubelet removes images from {high} % on until {low} % are left, which is no less"
    );
    let help = "let the low threshold be below the high one";
    Some(Diagnostic::error(PATCH_WORD, message, at).help(help))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Str(text) => text.parse().ok(),
        _ => None,
    }
}
