//! The artifacts of every blueprint, as snapshots: one a variant, headed by the command that makes it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use camino::Utf8Path;
use insta::Settings;
use slipform_analysis::Options;
use slipform_source::{ReadError, World};
use slipform_tests::{Folder, checked, checked_text, reports, root};
use std::sync::Arc;

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

/// Lines move whenever somebody writes a comment; what is applied must not.
#[test]
fn a_comment_at_the_top_of_a_blueprint_changes_no_artifact() {
    for (title, folder, options) in variants() {
        let (_, before) = checked(&folder, &options);
        let (_, after) = checked(&Commented(folder), &options);
        assert_eq!(before.artifacts, after.artifacts, "{title}");
    }
}

/// A folder whose blueprints have each got three lines more.
struct Commented(Folder);

impl World for Commented {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        let text = self.0.read(path)?;
        Ok(match path.extension() {
            Some("bp") => format!("# Who reads this\n# reads on.\n\n{text}").into(),
            _ => text,
        })
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        self.0.list(folder)
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

/// The batch script of `megatron` with these fields more, on nodes of a machine.
fn megatron(machine: &str, fields: &str) -> String {
    let text = format!(
        "use std.components.{{megatron}}
existing cluster hpc on slurm {{
  partition p {{
    machine = \"{machine}\"
    nodes   = 2
  }}
}}
megatron run on hpc.p {{
  nodes = 2
  image = \"nvcr.io/nvidia/nemo:24.07\"
  layers = 32
  hidden = 4096
  ffn_hidden = 14336
  heads = 32
  query_groups = 8
  global_batch = 64
  steps = 10
  tokenizer_model = \"t\"
  data = \"/data/x\"
  checkpoints = \"/checkpoints\"
  parallel = {{ tensor = 4 }}
{fields}
}}
"
    );
    let (analysis, output) = checked_text(&text);
    assert_eq!(reports(&analysis), [], "{text}");
    let script = output.artifacts.iter().find(|it| it.path.extension() == Some("sbatch"));
    script.expect("a script is rendered").content.clone()
}

/// Megatron-LM stops before the first step where tensor parallelism meets more than one connection, up to Hopper; from
/// Blackwell on it asks for none. What is written goes first.
#[test]
fn megatron_has_one_connection_before_blackwell() {
    let line = "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    assert!(megatron("a3-megagpu-8g", "").contains(line));
    assert!(megatron("hgx-h200", "").contains(line));
    for machine in ["a4-highgpu-8g", "hgx-b200", "a4x-highgpu-4g"] {
        assert!(!megatron(machine, "").contains("CUDA_DEVICE_MAX_CONNECTIONS"), "{machine}");
    }
    let own = megatron("hgx-h100", "  env = { CUDA_DEVICE_MAX_CONNECTIONS = 32, A = \"b\" }");
    assert!(
        own.contains("export CUDA_DEVICE_MAX_CONNECTIONS=32\n") && own.contains("export A=b\n")
    );
    assert!(!own.contains(line));
}

/// Llama's values are there, and every argument can be another, or one more.
#[test]
fn arguments_of_a_component_can_be_said() {
    let usual = megatron("hgx-h100", "  rotary_base = 500000");
    for argument in [
        " --rotary-base=500000 ",
        " --hidden-dropout=0 ",
        " --attention-dropout=0 ",
        " --lr-decay-style=cosine ",
        " --data-cache-path=/checkpoints/data-index ",
    ] {
        assert!(usual.contains(argument), "{argument}: {usual}");
    }
    let args = "  args = { \"bf16\" = false, \"save-interval\" = 5, \"recompute-granularity\" = \"full\" }";
    let other = megatron("hgx-h100", args);
    assert!(other.contains(" --save-interval=5 ") && !other.contains("--save-interval=200"));
    assert!(other.contains(" --recompute-granularity=full") && !other.contains("--bf16"));
}
