//! What holds of any text and of any value.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use proptest::prelude::*;
use slipform_tests::{checked_text, files, root};

const BLUEPRINT: &str = r#"
param project: ProjectId = "my-project"

network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.1.0.0/20
}

cluster gpu on gke {
  network = net
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    labels   = { note = LABEL }
    capacity = reservation("r")
  }
}

workload w on gpu.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 2
  launch = torchrun("train.py", args = { note = VALUE })
  env    = { NOTE = VALUE }
}
"#;

/// A value as a string literal of the language.
fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn rendered(value: &str, place: &str) -> Vec<slipform_targets::Artifact> {
    let text = BLUEPRINT.replace("VALUE", &literal(value)).replace("LABEL", "\"plain\"");
    let text = match place {
        "gke" => text,
        "slurm" => {
            text.replace("workload w on gpu.gpus", "workload w on hpc.a3")
                + "cluster hpc on slurm {\n  partition a3 {\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }\n}\n"
        }
        _ => {
            text.replace("workload w on gpu.gpus", "workload w on managed")
                + "cluster managed on vertex {\n  region = \"us-east4\"\n  machine = \"a3-megagpu-8g\"\n}\n"
        }
    };
    let (analysis, output) = checked_text(&text);
    assert!(!analysis.has_errors(), "{:#?}", analysis.diagnostics);
    output.artifacts
}

/// The strings of a document, wherever they are.
fn strings(value: &serde_yaml::Value, found: &mut Vec<String>) {
    match value {
        serde_yaml::Value::String(text) => found.push(text.clone()),
        serde_yaml::Value::Sequence(items) => items.iter().for_each(|item| strings(item, found)),
        serde_yaml::Value::Mapping(map) => map.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}

/// What Kubernetes and Vertex AI make of a text: a doubled dollar is one. `None` where `$(NAME)` would be replaced.
fn expanded(text: &str) -> Option<String> {
    let halved = text
        .split("$$")
        .map(|part| (!part.contains("$(")).then_some(part))
        .collect::<Option<Vec<_>>>();
    halved.map(|parts| parts.join("$"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_arrives_in_a_jobset_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered(&value, "gke");
        let jobset = artifacts.iter().find(|artifact| artifact.path.as_str().ends_with("w/base/jobset.yaml")).unwrap();
        let document: serde_yaml::Value = serde_yaml::from_str(&jobset.content).unwrap();
        let mut found = Vec::new();
        strings(&document, &mut found);
        prop_assert!(found.iter().any(|text| expanded(text).as_ref() == Some(&value)), "{value:?} is not in {found:?}");
    }

    #[test]
    fn a_value_arrives_in_a_vertex_payload_as_it_was_written(value in "[ -~\n\u{e9}]{0,24}") {
        let artifacts = rendered(&value, "vertex");
        let payload = artifacts.iter().find(|artifact| artifact.path.as_str().ends_with("w/w.json")).unwrap();
        let document: serde_yaml::Value = serde_yaml::from_str(&serde_json::from_str::<serde_json::Value>(&payload.content).unwrap().to_string()).unwrap();
        let mut found = Vec::new();
        strings(&document, &mut found);
        prop_assert!(found.iter().any(|text| expanded(text).as_ref() == Some(&value)), "{value:?} is not in {found:?}");
    }

    #[test]
    fn no_text_makes_the_analysis_panic(cut in 0usize..6000, junk in "[ -~\n]{0,12}") {
        for path in files("blueprints", ".bp") {
            let text = std::fs::read_to_string(root().join(path)).unwrap();
            let at = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= cut).last().unwrap_or(0);
            let (head, tail) = text.split_at(at);
            let (analysis, _) = checked_text(&format!("{head}{junk}{tail}"));
            for report in &analysis.diagnostics {
                for label in &report.labels {
                    let file = analysis.sources.get(label.span.file).unwrap();
                    prop_assert!(file.text.get(label.span.range()).is_some(), "{report:?} points outside of its text");
                }
            }
        }
    }
}
