//! Numbers of patched nodes that GKE does not take: Terraform's plan passes with them, and the apply fails.

use super::patch::{PATCH_WORD, said};
use slipform_model::catalog::Catalog;
use slipform_model::{Diagnostic, Patch, Placed, Value};

/// Settings of kernels and of the kubelet in a patch of a node pool that are not taken.
pub(super) fn bounds(patch: &Patch, resource: &str, catalog: &Catalog) -> Vec<Diagnostic> {
    if resource != "google_container_node_pool" {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = kernel(patch, catalog);
    found.extend(images(patch));
    found
}

/// Settings of kernels, by the bounds that GKE has for each.
fn kernel(patch: &Patch, catalog: &Catalog) -> Vec<Diagnostic> {
    let known = catalog.names("gke.sysctls");
    let all = said(&patch.value, &["node_config", "linux_node_config", "sysctls"]);
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
