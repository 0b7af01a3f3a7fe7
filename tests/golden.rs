//! The artifacts of every blueprint, as snapshots: one a file, with the options that made it.

use insta::Settings;
use slipform_analysis::Options;
use slipform_tests::{Checkout, checked, reports, root};

/// The variants that the real consumers are given too: a blueprint's folder and its options, a line each.
fn variants() -> Vec<(String, Options)> {
    let table = std::fs::read_to_string(root().join("tests/consumers/variants.txt")).unwrap();
    let lines =
        table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| (line.to_owned(), options(line))).collect()
}

fn options(line: &str) -> Options {
    let mut words = line.split_whitespace();
    let mut options = Options {
        path: words.next().unwrap_or_default().into(),
        build: true,
        ..Options::default()
    };
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
    options
}

#[test]
fn every_variant_renders_to_its_snapshots() {
    for (title, options) in variants() {
        let (analysis, output) = checked(&Checkout, &options);
        assert_eq!(reports(&analysis), [], "{title}");
        assert!(!output.artifacts.is_empty(), "{title} renders nothing");
        let folder = title.replace([' ', '/', '='], "_").replace("__", "_");
        let mut settings = Settings::clone_current();
        settings.set_snapshot_path(root().join("tests/snapshots").join(folder.replace("--", "")));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description(title.clone());
        for artifact in &output.artifacts {
            let name = artifact.path.as_str().replace('/', "--");
            settings.bind(|| insta::assert_snapshot!(name, artifact.content));
        }
    }
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    for (title, options) in variants() {
        let (_, first) = checked(&Checkout, &options);
        let (_, second) = checked(&Checkout, &options);
        assert_eq!(first.artifacts, second.artifacts, "{title}");
    }
}

#[test]
fn every_structured_artifact_reads_back() {
    for (title, options) in variants() {
        let (_, output) = checked(&Checkout, &options);
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
