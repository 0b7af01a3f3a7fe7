//! What follows from blueprints: machines, networks, runs, queues, names, derived fields and the graph.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

mod facts;
mod fits;
mod graph;
mod machines;
mod names;
mod networks;
mod queues;
mod runs;
mod sound;
mod system;

use slipform_tests::text::{Planned, planned, planned_despite};

/// A network that has what clusters need.
const FABRIC: &str = r#"
network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.4.0.0/20
}
"#;

/// A cluster on the network, with these fields, pools and queues: `gke("existing cluster main", "zone = ...")`.
fn gke(head: &str, body: &str) -> String {
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    format!("{head} on gke {{\n  network = fabric\n{body}}}\n")
}

/// The network, and on it the cluster `a3m` with these pools and queues.
fn cluster(nouns: &str) -> String {
    FABRIC.to_owned() + &gke("cluster a3m", &format!("zone = \"us-east4-a\"\n{nouns}"))
}

/// A workload with these further fields.
fn workload(name: &str, place: &str, fields: &str) -> String {
    let own = fields.split("group ").next().unwrap_or_default();
    let launch = if own.contains("launch") { "" } else { "launch = torchrun(\"train.py\")" };
    let fields: String = fields.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "workload {name} on {place} {{\n  image = \"nvcr.io/nvidia/nemo:24.07\"\n  {launch}\n{fields}}}\n"
    )
}

/// What follows from a text that means something, whatever rules say of it: tables try machines in a zone that does not
/// offer them, and what a plan makes of a mistake is a plan too.
fn unjudged(text: &str) -> Planned {
    let rules = slipform_analysis::explain_rules();
    let codes: Vec<&str> = rules.iter().map(|rule| rule.code.as_str()).collect();
    planned_despite(text, &codes)
}

/// The pool `a3m.p` of a machine with these further fields, and what else stands there.
fn pool(machine: &str, fields: &str, beside: &str) -> Planned {
    unjudged(&(cluster(&format!("pool p {{\n machine = \"{machine}\"\n {fields}\n}}")) + beside))
}
