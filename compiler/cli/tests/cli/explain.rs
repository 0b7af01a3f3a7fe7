//! `explain` and `catalog`: what the compiler knows, looked up.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Unusable};
use slipform_targets::coverage::{Cover, Platform};
use std::collections::BTreeSet;
use std::path::Path;

/// What codes start with, as they are written in the compiler and the targets.
const AREAS: &[&str] = &[
    "allow",
    "catalog",
    "eval",
    "image",
    "kubernetes",
    "limits",
    "names",
    "output",
    "param",
    "patch",
    "plan",
    "project",
    "slurm",
    "syntax",
    "terraform",
    "text",
    "types",
    "usage",
    "vertex",
];

#[test]
fn every_code_that_is_reported_is_explained() {
    let sandbox = Sandbox::new(&[]);
    let listed = sandbox.run(&["explain"]).expect(Clean).out;
    let known: BTreeSet<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(listed.lines().count(), known.len(), "a code is a rule's and a target's");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut used = BTreeSet::new();
    for folder in ["compiler/analysis/src", "compiler/cli/src", "compiler/syntax/src", "targets"] {
        codes(&root.join(folder), &mut used);
    }
    for (_, cover) in Platform::ALL.iter().flat_map(|it| it.rows("workload")).flatten() {
        if let Cover::Ignored(answer) | Cover::Refused(answer) = cover {
            used.insert(answer.code.to_owned());
        }
    }
    assert!(used.len() > 60, "only {} codes were found", used.len());
    let unknown: Vec<&String> = used.iter().filter(|code| !known.contains(code.as_str())).collect();
    assert_eq!(unknown, Vec::<&String>::new());
}

/// The codes in the sources of a folder: what stands first in a call that makes a diagnostic.
fn codes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            codes(&path, found);
        } else if name.ends_with(".rs") && !name.starts_with("test") {
            let text = std::fs::read_to_string(&path).unwrap();
            for makes in [
                "::error(",
                "::warning(",
                ".error(",
                "Problem::new(",
                "Stop::new(",
                "problem(",
                "refuse(",
            ] {
                let calls = text.split(makes).skip(1);
                found.extend(calls.filter_map(|call| code(call.trim_start())));
            }
        }
    }
}

fn code(call: &str) -> Option<String> {
    let (literal, _) = call.strip_prefix('"')?.split_once('"')?;
    let (area, rest) = literal.split_once('/')?;
    let is_code = AREAS.contains(&area) && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    is_code.then(|| literal.to_owned())
}

#[test]
fn a_rule_explains_itself() {
    let sandbox = Sandbox::new(&[]);
    let text = sandbox.run(&["explain", "error[tpu/hosts]:"]).expect(Clean).out;
    assert!(text.starts_with("tpu/hosts: error on pool\n"), "{text}");
    assert!(text.contains("Why:") && text.contains("rule tpu/hosts on pool {"), "{text}");
    let json = sandbox.run(&["explain", "tpu/hosts", "--message-format", "json"]).expect(Clean).out;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["code"], "tpu/hosts");
    sandbox.refuses(
        &["explain", "tpu/host"],
        Unusable,
        "a code with a similar name exists: `tpu/hosts`",
    );
    sandbox.refuses(&["explain", "zzz"], Unusable, "lists all of them");
}

#[test]
fn the_catalog_shows_tables_and_rows() {
    let sandbox = Sandbox::new(&[]);
    for (table, name) in [
        ("machines", "a3-megagpu-8g"),
        ("gpus", "h100-80gb"),
        ("tpus", "v5p"),
        ("zones", "us-east4-a"),
        ("stacks", "tcpxo"),
    ] {
        let overview = sandbox.run(&["catalog"]).expect(Clean).out;
        assert!(overview.contains(table), "{overview}");
        let whole = sandbox.run(&["catalog", table]).expect(Clean).out;
        assert!(whole.lines().any(|line| line.starts_with(name)), "{table}");
        let row = sandbox.run(&["catalog", table, name]).expect(Clean).out;
        assert!(
            row.contains(name) && row.contains("stated 20") && row.contains("source: "),
            "{row}"
        );
        let json =
            sandbox.run(&["catalog", table, name, "--message-format", "json"]).expect(Clean).out;
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(value["source"].is_array() && value["date"].is_string(), "{value}");
        let lines = sandbox.run(&["catalog", table, "--message-format", "json"]).expect(Clean).out;
        assert_eq!(lines.lines().count(), whole.lines().count() - 1);
    }
    sandbox.refuses(
        &["catalog", "machine"],
        Unusable,
        "a table with a similar name exists: `machines`",
    );
    sandbox.refuses(&["catalog", "machines", "a3-megagpu-8"], Unusable, "`a3-megagpu-8g`");
}

#[test]
fn a_project_adds_facts() {
    let sandbox = Sandbox::new(&[(
        "catalog.local.toml",
        "[[machine]]\nname = \"a9-megagpu-8g\"\nlike = \"a3-megagpu-8g\"\n",
    )]);
    sandbox.run(&["catalog", "machines", "a9-megagpu-8g"]).expect(Clean);
    sandbox.write("catalog.local.toml", "[[machine]]\nname = \"a9\"\nnonsense = 1\n");
    sandbox.refuses(&["catalog"], Unusable, "catalog.local.toml:");
}
