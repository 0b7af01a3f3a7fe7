//! The artifacts of every blueprint as files under `tests/golden`: those of a blueprint as it is in a folder of their own,
//! and of each variant what is new in it, beside its difference to them. `UPDATE=1` in the environment writes them.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use camino::{Utf8Path, Utf8PathBuf};
use slipform_source::{ReadError, World};
use slipform_tests::{Folder, checked, checked_text, files, reports, root, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

#[test]
fn every_variant_renders_to_its_files() {
    let golden = root().join("tests/golden");
    let mut wanted: BTreeMap<Utf8PathBuf, File> = BTreeMap::new();
    let mut base: BTreeMap<Utf8PathBuf, File> = BTreeMap::new();
    for (title, folder, options) in variants() {
        let (analysis, output) = checked(&folder, &options);
        assert_eq!(reports(&analysis), [], "{title}");
        assert!(!output.artifacts.is_empty(), "{title} renders nothing");
        let name = title.trim_start_matches("blueprints/").replace("--", "");
        let name = Utf8PathBuf::from(name.replace([' ', '/', '='], "_"));
        let files = output.artifacts.into_iter().map(|it| {
            let file = File { text: it.content, executable: it.executable };
            (it.path, file)
        });
        let files: BTreeMap<Utf8PathBuf, File> = files.collect();
        let shown = match title.contains(' ') {
            true => difference(&title, &base, &files),
            false => {
                base.clone_from(&files);
                files
            }
        };
        wanted.extend(shown.into_iter().map(|(path, file)| (name.join(path), file)));
    }
    if std::env::var_os("UPDATE").is_some() {
        return write(&golden, &wanted);
    }
    let found = read(&golden);
    let paths: BTreeSet<&Utf8PathBuf> = wanted.keys().chain(found.keys()).collect();
    let differs = |path: &&&Utf8PathBuf| wanted.get(**path) != found.get(**path);
    if let Some(path) = paths.iter().find(differs) {
        let text = |files: &BTreeMap<Utf8PathBuf, File>| {
            files.get(*path).map(|file| file.text.clone()).unwrap_or_default()
        };
        let count = paths.iter().filter(differs).count();
        let shown = changes(&text(&found), &text(&wanted));
        panic!("{count} files differ; `UPDATE=1` writes them. The first is {path}:\n{shown}");
    }
}

/// A file, and whether it is a program.
#[derive(Clone, PartialEq, Debug)]
struct File {
    text: String,
    executable: bool,
}

/// What a variant has that its base has not, and a page of what became of the rest.
fn difference(
    title: &str,
    base: &BTreeMap<Utf8PathBuf, File>,
    variant: &BTreeMap<Utf8PathBuf, File>,
) -> BTreeMap<Utf8PathBuf, File> {
    let mut page = format!("slipform build {title}\n");
    for path in base.keys().filter(|path| !variant.contains_key(*path)) {
        page.push_str(&format!("without {path}\n"));
    }
    let mut shown = BTreeMap::new();
    for (path, file) in variant {
        match base.get(path) {
            None => {
                shown.insert(path.clone(), file.clone());
            }
            Some(before) if before != file => {
                page.push_str(&format!("\n==> {path}\n{}", changes(&before.text, &file.text)));
            }
            Some(_) => {}
        }
    }
    shown.insert("DIFFERENCE".into(), File { text: page, executable: false });
    shown
}

/// The lines that differ, with two around them.
fn changes(before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(2).missing_newline_hint(false).to_string()
}

fn read(folder: &Utf8Path) -> BTreeMap<Utf8PathBuf, File> {
    let all = files("tests/golden", "").into_iter();
    let read = all.map(|path| {
        let path = root().join(path);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(folder).unwrap().to_owned();
        (path, File { text, executable: mode & 0o111 != 0 })
    });
    read.collect()
}

fn write(folder: &Utf8Path, files: &BTreeMap<Utf8PathBuf, File>) {
    let _ = fs::remove_dir_all(folder);
    for (path, file) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.text).unwrap();
        if file.executable {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
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
  image = \"nvcr.io/nvidia/nemo:25.07\"
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
    let line = "  CUDA_DEVICE_MAX_CONNECTIONS=1\n";
    assert!(megatron("a3-megagpu-8g", "").contains(line));
    assert!(megatron("hgx-h200", "").contains(line));
    for machine in ["a4-highgpu-8g", "hgx-b200", "a4x-highgpu-4g"] {
        assert!(!megatron(machine, "").contains("CUDA_DEVICE_MAX_CONNECTIONS"), "{machine}");
    }
    let own = megatron("hgx-h100", "  env = { CUDA_DEVICE_MAX_CONNECTIONS = 32, A = \"b\" }");
    assert!(own.contains("  CUDA_DEVICE_MAX_CONNECTIONS=32\n") && own.contains("  A=b\n"));
    assert!(!own.contains(line));
}

/// Llama's values are there, and every argument can be another, or one more.
#[test]
fn arguments_of_a_component_can_be_said() {
    let usual = megatron("hgx-h100", "  rotary_base = 500000");
    for argument in [
        " --rotary-base=500000 ",
        " --hidden-dropout=0.0 ",
        " --attention-dropout=0.0 ",
        " --lr-decay-style=cosine ",
        " --data-cache-path=/checkpoints/data-index ",
    ] {
        assert!(usual.contains(argument), "{argument}: {usual}");
    }
    let args = "  args = { \"bf16\" = false, \"save-interval\" = 5, \"recompute-granularity\" = \"selective\" }";
    let other = megatron("hgx-h100", args);
    assert!(other.contains(" --save-interval=5 ") && !other.contains("--save-interval=200"));
    assert!(other.contains(" --recompute-granularity=selective") && !other.contains("--bf16"));
}
