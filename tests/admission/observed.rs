//! What was observed of one blueprint.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;
use std::collections::BTreeMap;

/// A blueprint, and what became of it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) folder: Utf8PathBuf,
    pub(crate) outcome: String,
    /// Every workload started on nodes that are right for it.
    pub(crate) started: bool,
    /// A real cloud may decide otherwise.
    pub(crate) doubtful: bool,
    /// By cluster.
    pub(crate) pools: BTreeMap<String, Vec<ObservedPool>>,
}

/// A node pool of a cluster.
pub(crate) struct ObservedPool {
    pub(crate) name: String,
    pub(crate) machine: String,
    pub(crate) nodes: usize,
    pub(crate) queued: bool,
    pub(crate) allocatable: BTreeMap<String, i64>,
    pub(crate) labels: BTreeMap<String, String>,
}

impl Case {
    pub(crate) fn read(folder: &Utf8Path, name: String) -> Self {
        let folder = folder.join(&name);
        let text = std::fs::read_to_string(folder.join("observed.json")).unwrap();
        let seen: Value = serde_json::from_str(&text).unwrap();
        let outcome = seen["outcome"].as_str().unwrap().to_owned();
        let clusters = seen["clusters"].as_array().unwrap().iter();
        let pools = clusters.map(|cluster| {
            let pools = cluster["pools"].as_array().unwrap().iter().map(pool);
            (cluster["cluster"].as_str().unwrap().to_owned(), pools.collect())
        });
        Self {
            started: outcome == "all start",
            doubtful: seen["doubtful"].as_array().is_some_and(|why| !why.is_empty()),
            pools: pools.collect(),
            outcome,
            folder,
            name,
        }
    }
}

fn pool(seen: &Value) -> ObservedPool {
    let machine = seen["machine"].as_str().unwrap().to_owned();
    let queued = seen["queued"].as_bool().unwrap();
    let mut labels: BTreeMap<String, String> = pairs(&seen["labels"]);
    labels.insert("node.kubernetes.io/instance-type".into(), machine.clone());
    let allocatable = pairs(&seen["allocatable"]);
    ObservedPool {
        name: seen["name"].as_str().unwrap().to_owned(),
        machine,
        nodes: usize::try_from(seen["nodes"].as_u64().unwrap()).unwrap(),
        queued,
        allocatable: allocatable
            .into_iter()
            .map(|(name, amount)| (name, quantity(&amount)))
            .collect(),
        labels,
    }
}

fn pairs(value: &Value) -> BTreeMap<String, String> {
    let pairs = value.as_object().unwrap().iter();
    pairs.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
}

/// A quantity of Kubernetes in thousandths.
pub(crate) fn quantity(text: &str) -> i64 {
    const UNITS: [(&str, i64); 9] = [
        ("Ki", 1 << 10),
        ("Mi", 1 << 20),
        ("Gi", 1 << 30),
        ("Ti", 1 << 40),
        ("K", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("T", 1_000_000_000_000),
        ("", 1),
    ];
    if let Some(thousandths) = text.strip_suffix('m') {
        return thousandths.parse().unwrap();
    }
    let (unit, factor) = UNITS.iter().find(|(unit, _)| text.ends_with(unit)).unwrap();
    let number: i64 = text.strip_suffix(unit).unwrap().parse().unwrap();
    number * factor * 1000
}
