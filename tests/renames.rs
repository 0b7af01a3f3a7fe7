//! A noun that gets another name and says what it `was`: every noun of every variant, and one of each kind. What is rendered is the
//! same to the byte, but for comments and for pages that people read.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

#[path = "coverage/nouns.rs"]
#[allow(dead_code, reason = "fields are changed elsewhere")]
mod nouns;

use camino::{Utf8Path, Utf8PathBuf};
use nouns::SUBJECTS;
use slipform_analysis::ide::{library_text, renamed};
use slipform_analysis::{Analysis, Options, analyse};
use slipform_source::{MemoryWorld, ReadError, Span, World};
use slipform_syntax::tree::{Decl, For, Stmt, StmtKind};
use slipform_targets::Output;
use slipform_tests::{checked, checked_text, reports, variants};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A world in which some files say something else.
struct Edited<'w> {
    world: &'w dyn World,
    texts: BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl World for Edited<'_> {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        self.texts.get(path).map_or_else(|| self.world.read(path), |text| Ok(text.clone()))
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        self.world.list(folder)
    }
}

/// Every declaration of a blueprint under another name, with what it was.
struct Renaming<'a> {
    analysis: &'a Analysis,
    edits: BTreeMap<Span, String>,
}

impl<'a> Renaming<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        let mut this = Self { analysis, edits: BTreeMap::new() };
        for tree in &analysis.trees {
            let file = analysis.sources.get(tree.file).unwrap();
            if library_text(&file.path).is_none() {
                this.stmts(&tree.stmts, &[]);
            }
        }
        this
    }

    /// `rounds` are the loops whose keys are part of what is declared here.
    fn stmts(&mut self, stmts: &[Stmt], rounds: &[&For]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Decl(decl) => {
                    self.rename(decl, rounds);
                    self.stmts(&decl.body, &[]);
                }
                StmtKind::Component(component) => self.stmts(&component.body, &[]),
                StmtKind::For(inner) => {
                    let rounds: Vec<&For> = rounds.iter().copied().chain([inner]).collect();
                    self.stmts(&inner.body, &rounds);
                }
                StmtKind::If(choice) => {
                    self.stmts(&choice.then, rounds);
                    self.stmts(choice.otherwise.as_deref().unwrap_or_default(), rounds);
                }
                _ => {}
            }
        }
    }

    fn rename(&mut self, decl: &Decl, rounds: &[&For]) {
        let name = decl.name.as_ref().unwrap();
        let found = renamed(self.analysis, name.span.file, name.span.start as usize).unwrap();
        let new = format!("{}{NEW}", found.name);
        self.edits.extend(found.places.into_iter().map(|place| (place, new.clone())));
        let text = &self.analysis.sources.get(name.span.file).unwrap().text;
        let behind = decl.header.end as usize;
        let open = behind + text.get(behind..).unwrap().find('{').unwrap() + 1;
        let key = |rounds: &&For| match &rounds.key {
            Some(key) => format!("-${{{}}}", self.analysis.sources.text(key.span)),
            None => format!("-${{{}}}", rounds.names.last().unwrap().value),
        };
        let keys: String = rounds.iter().map(key).collect();
        let at = Span::new(name.span.file, open, open);
        self.edits.insert(at, format!("\nwas = \"{}{keys}\"\n", name.value));
    }

    fn texts(self) -> BTreeMap<Utf8PathBuf, Arc<str>> {
        let mut texts: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
        for (span, edit) in self.edits.iter().rev() {
            let file = self.analysis.sources.get(span.file).unwrap();
            let text = texts.entry(file.path.clone()).or_insert_with(|| file.text.to_string());
            text.replace_range(span.range(), edit);
        }
        texts.into_iter().map(|(path, text)| (path, text.into())).collect()
    }
}

/// What every noun is called anew, behind its name.
const NEW: &str = "_then";

/// What a consumer reads of each file. Pages speak to people, of nouns as the blueprint has them.
fn read(output: &Output) -> BTreeMap<Utf8PathBuf, String> {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        ["# ", "// "].iter().any(|mark| line.starts_with(mark))
    };
    let files = output.artifacts.iter();
    let texts = files.map(|it| {
        let lines: Vec<&str> = it.content.lines().filter(|line| !is_comment(line)).collect();
        let text = lines.join("\n");
        let is_page = it.path.extension() == Some("md");
        (it.path.clone(), if is_page { text.replace(NEW, "") } else { text })
    });
    texts.collect()
}

fn assert_same(title: &str, before: &Output, after: &Output) {
    let (before, after) = (read(before), read(after));
    let paths =
        |files: &BTreeMap<Utf8PathBuf, String>| files.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(paths(&before), paths(&after), "{title}");
    for (path, text) in &before {
        let diff = similar::TextDiff::from_lines(text, &after[path]);
        let diff = diff.unified_diff().context_radius(1).to_string();
        assert!(diff.is_empty(), "{title}: {path}\n{diff}");
    }
}

/// Renames every noun, and gives how many edits that took.
fn rename_all(title: &str, world: &dyn World, options: &Options) -> usize {
    let (then, before) = checked(world, options);
    assert!(!then.has_errors(), "{title}: {:?}", reports(&then));
    let analysis = analyse(world, &Options { editor: true, ..options.clone() });
    let renaming = Renaming::of(&analysis);
    let count = renaming.edits.len();
    let edited = Edited { world, texts: renaming.texts() };
    let (now, after) = checked(&edited, options);
    let said = |analysis: &Analysis| -> Vec<String> {
        reports(analysis).into_iter().map(|it| it.message.replace(NEW, "")).collect()
    };
    let text: String = edited.texts.values().map(|text| text.to_string()).collect();
    assert_eq!(said(&now), said(&then), "{title}\n{text}");
    assert_same(title, &before, &after);
    count
}

#[test]
fn nothing_follows_from_new_names_of_all_nouns() {
    let all = variants().into_iter();
    let count: usize =
        all.map(|(title, folder, options)| rename_all(&title, &folder, &options)).sum();
    assert!(count > 500, "only {count} places were edited");
}

#[test]
fn nothing_follows_from_a_new_name_of_any_kind_of_noun() {
    for subject in SUBJECTS {
        for text in [subject.with("", ""), subject.existing("", "")] {
            let title = format!("{} {:?}", subject.kind, subject.platform);
            rename_all_of(&title, &text);
        }
    }
}

fn rename_all_of(title: &str, text: &str) {
    let world = MemoryWorld::new([("main.bp", text)]);
    rename_all(title, &world, &Options { path: "main.bp".into(), ..Options::default() });
}

/// Names in rounds, in components, in each other, in texts, and known only later.
const NESTED: &str = r#"param project: ProjectId = "my-project-1"

use std.components.{nccl_test}

component team {
  place: pool
  location: Region = "us-east4"
  bucket files {
    location = location
  }
  identity account {
    roles = ["roles/logging.logWriter"]
  }
  for step in ["a", "b"] {
    workload run on place {
      image    = "example.com/run:1"
      nodes    = 1
      launch   = command(["run", "--out", files.url])
      identity = account
    }
  }
}

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

for name in ["one", "two"] {
  filesystem home {
    network  = fabric
    storage  = filestore(3TiB)
    location = "us-east4-a"
  }
}

for letter in ["a-1", "c"] {
  cluster training on gke {
    network = fabric
    zone    = "us-east4-a"
    for number in 0..1 {
      pool slice {
        machine = "a3-megagpu-8g"
        nodes   = 2
      }
    }
  }
}

for name in ["red", "blue"] {
  team it on training["c"].slice[1] {}
}

nccl_test allreduce on training["c"].slice[0] {}

output endpoint = training["c"].endpoint
output homes = [home["one"].address, home["two"].address]
output told = "${fabric} and ${training["c"].slice[1]}"
output noun = fabric
"#;

#[test]
fn nothing_follows_from_new_names_in_rounds_and_components() {
    rename_all_of("nested", NESTED);
}

const ROUNDS: &str = r#"param project: ProjectId = "my-project-1"

network fabric {
  region = "us-east4"
}

for name in ["one"] {
  filesystem home {
    network  = fabric
    storage  = filestore(3TiB)
    location = "us-east4-a"
  }
}

for number in 0..0 {
  identity account {}
}

output address = home["one"].address
"#;

const ALONE: &str = r#"param project: ProjectId = "my-project-1"

network fabric {
  region = "us-east4"
}

filesystem first {
  was      = "home[one]"
  network  = fabric
  storage  = filestore(3TiB)
  location = "us-east4-a"
}

identity reader {
  was = "account[0]"
}

output address = first.address
"#;

#[test]
fn what_leaves_its_rounds_is_what_it_was() {
    let of = |text: &str| {
        let (analysis, output) = checked_text(text);
        assert!(!analysis.has_errors(), "{:?}", reports(&analysis));
        let files = read(&output).into_iter();
        files.filter(|(path, _)| path.extension() != Some("md")).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (of(ROUNDS), of(ALONE));
    assert_eq!(before, after);
    assert!(after.values().any(|text| text.contains("home[\\\"one\\\"]")), "{after:?}");
}
