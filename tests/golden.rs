//! The artifacts of every blueprint, as snapshots: one a variant, headed by the command that makes it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use insta::Settings;
use slipform_analysis::Options;
use slipform_tests::{Folder, checked, reports, root};

/// The variants that the real consumers are given too: a blueprint's folder and its options, a line each.
fn variants() -> Vec<(String, Folder, Options)> {
    let table = std::fs::read_to_string(root().join("tests/consumers/variants.txt")).unwrap();
    let lines =
        table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(variant).collect()
}

fn variant(line: &str) -> (String, Folder, Options) {
    let mut words = line.split_whitespace();
    let folder = Folder(root().join(words.next().unwrap_or_default()));
    let mut options = Options { build: true, ..Options::default() };
    while let Some(word) = words.next() {
        let value = words.next().unwrap_or_default();
        match word {
            "--set" => {
                let (name, value) = value.split_once('=').expect("`--set` takes name=value");
                options.set.push((name.to_owned(), value.to_owned()));
            }
            "--env" => options.environment = Some(value.to_owned()),
            other => panic!("{other} is not known here"),
        }
    }
    (line.to_owned(), folder, options)
}

#[test]
fn every_variant_renders_to_its_snapshot() {
    for (title, folder, options) in variants() {
        let (analysis, output) = checked(&folder, &options);
        assert_eq!(reports(&analysis), [], "{title}");
        assert!(!output.artifacts.is_empty(), "{title} renders nothing");
        let mut text = String::new();
        for artifact in &output.artifacts {
            let mode = if artifact.executable { " (executable)" } else { "" };
            text.push_str(&format!("==> {}{mode}\n{}\n", artifact.path, artifact.content));
        }
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path(root().join("tests/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(format!("slipform build {title}"));
        let name =
            title.trim_start_matches("blueprints/").replace("--", "").replace([' ', '/', '='], "_");
        settings.bind(|| insta::assert_snapshot!(name, text));
    }
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    for (title, folder, options) in variants() {
        let (_, first) = checked(&folder, &options);
        let (_, second) = checked(&folder, &options);
        assert_eq!(first.artifacts, second.artifacts, "{title}");
    }
}

#[test]
fn every_structured_artifact_reads_back() {
    for (title, folder, options) in variants() {
        let (_, output) = checked(&folder, &options);
        for artifact in &output.artifacts {
            let (path, text) = (&artifact.path, &artifact.content);
            match path.extension() {
                Some("tf" | "tfvars") => {
                    hcl::parse(text).unwrap_or_else(|error| panic!("{title}: {path}: {error}"));
                }
                Some("yaml") => {
                    for document in serde_yaml::Deserializer::from_str(text) {
                        use serde_yaml::Value;
                        let read: Result<Value, _> = serde::Deserialize::deserialize(document);
                        read.unwrap_or_else(|error| panic!("{title}: {path}: {error}"));
                    }
                }
                Some("json") => {
                    let read: Result<serde_json::Value, _> = serde_json::from_str(text);
                    read.unwrap_or_else(|error| panic!("{title}: {path}: {error}"));
                }
                _ => {}
            }
        }
    }
}
