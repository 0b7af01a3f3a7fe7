//! What a picture tells of each noun: where it is declared, what it needs, and what it renders to.

use crate::report::clean;
use crate::report::words::address;
use serde::Serialize;
use slipform_model::graph::EdgeKind;
use slipform_model::nouns::Body;
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId};
use slipform_source::Sources;
use slipform_targets::{Artifact, Stage};
use std::collections::BTreeMap;

/// The stages in the order in which they are applied, each with the kinds that it makes.
pub(super) const STAGES: &[(&str, &[&str])] = &[
    (
        "Foundation",
        &["network", "bucket", "filesystem", "registry", "identity", "dashboard", "reservation"],
    ),
    ("Images", &["image", "machine_image"]),
    ("Clusters", &["cluster", "pool", "partition", "machines"]),
    ("Queues", &["queue"]),
    ("Workloads", &["workload", "group"]),
];

/// What a blueprint renders to.
pub(super) enum Outcome<'a> {
    Files(&'a [Artifact]),
    /// Why there are none.
    Nothing(&'static str),
}

/// Every noun with its ties, and every file.
#[derive(Serialize)]
pub(super) struct Told {
    /// By their numbers.
    pub(super) nouns: Vec<Declared>,
    /// Each as the folder of its stage and the rest.
    files: Vec<(String, String)>,
    /// Why there are none.
    unrendered: Option<&'static str>,
    /// Their titles.
    stages: Vec<&'static str>,
}

/// A noun.
#[derive(Serialize)]
pub(super) struct Declared {
    /// `a3m.gpus`
    pub(super) path: String,
    /// `cluster on gke`
    pub(super) kind: String,
    /// One of [`STAGES`].
    pub(super) stage: usize,
    #[serde(skip)]
    pub(super) parent: Option<usize>,
    doc: String,
    existing: bool,
    /// It could not be understood.
    broken: bool,
    source: Source,
    /// The numbers of those that it needs, and what for: `runs on`.
    pub(super) needs: Vec<(usize, String)>,
    /// What it renders to, by numbers of files.
    pub(super) files: Vec<usize>,
}

/// Where a noun is declared. Paths are of the project, so that they are the same on every machine.
#[derive(Serialize)]
struct Source {
    /// `train.bp:12`
    place: String,
    /// The same as an address, from the folder of the project.
    link: String,
    /// What stands there.
    line: String,
}

impl Told {
    /// What is to be told of a plan and of what was rendered from it.
    pub(super) fn of(plan: &Plan, outcome: &Outcome<'_>, sources: &Sources) -> Self {
        let (artifacts, unrendered) = match outcome {
            Outcome::Files(artifacts) => (*artifacts, None),
            Outcome::Nothing(why) => (&[][..], Some(*why)),
        };
        let nouns = plan.model.nouns.iter();
        let mut nouns: Vec<Declared> = nouns.map(|noun| Declared::of(noun, sources)).collect();
        for ((from, to), kinds) in ties(plan) {
            if let Some(noun) = nouns.get_mut(from) {
                let words: Vec<&str> = kinds.into_iter().map(EdgeKind::as_str).collect();
                noun.needs.push((to, words.join(", ")));
            }
        }
        for (file, artifact) in artifacts.iter().enumerate() {
            for noun in &artifact.nouns {
                if let Some(noun) = nouns.get_mut(number(*noun)) {
                    noun.files.push(file);
                }
            }
        }
        let files = artifacts.iter().map(folder_and_rest).collect();
        Self { nouns, files, unrendered, stages: STAGES.iter().map(|(title, _)| *title).collect() }
    }
}

/// Who needs whom, and what for: each once, however often the blueprint says it.
fn ties(plan: &Plan) -> BTreeMap<(usize, usize), Vec<EdgeKind>> {
    let mut ties: BTreeMap<(usize, usize), Vec<EdgeKind>> = BTreeMap::new();
    for (from, to, edge) in plan.graph.edges().filter(|(from, to, _)| from != to) {
        let kinds = ties.entry((number(from), number(to))).or_default();
        if !kinds.contains(&edge.kind) {
            kinds.push(edge.kind);
        }
    }
    ties
}

fn number(id: NounId) -> usize {
    id.0 as usize
}

fn folder_and_rest(artifact: &Artifact) -> (String, String) {
    let folder = Stage::folder_of(&artifact.path);
    let parts = folder.and_then(|folder| Some((folder, artifact.path.strip_prefix(folder).ok()?)));
    match parts {
        Some((folder, rest)) => (shown(folder.as_str()), shown(rest.as_str())),
        None => (String::new(), shown(artifact.path.as_str())),
    }
}

impl Declared {
    fn of(noun: &Noun, sources: &Sources) -> Self {
        let kind = match noun.body.platform() {
            Some(platform) => format!("{} on {platform}", noun.kind()),
            None => noun.kind().to_owned(),
        };
        let stage = STAGES.iter().position(|(_, kinds)| kinds.contains(&noun.kind()));
        Self {
            path: shown(&noun.path),
            kind,
            stage: stage.unwrap_or(STAGES.len() - 1),
            parent: noun.parent.map(number),
            doc: noun.doc.as_deref().map(shown).unwrap_or_default(),
            existing: noun.existing,
            broken: matches!(noun.body, Body::Broken { .. }),
            source: Source::of(noun, sources),
            needs: Vec::new(),
            files: Vec::new(),
        }
    }
}

impl Source {
    fn of(noun: &Noun, sources: &Sources) -> Self {
        let Some(file) = sources.get(noun.span.file) else {
            return Self { place: String::new(), link: String::new(), line: String::new() };
        };
        let line = file.lines().line(noun.span.start as usize);
        let text = file.text.get(file.lines().range(line)).unwrap_or_default();
        Self {
            place: format!("{}:{}", shown(file.path.as_str()), line + 1),
            // Without the dot a name with a colon would begin with a scheme.
            link: format!("./{}#L{}", address(file.path.as_str()), line + 1),
            line: shown(text.trim()),
        }
    }
}

/// A text of the user's without what reorders it or what XML cannot hold; lines become one.
pub(super) fn shown(text: &str) -> String {
    let line = text.split(['\n', '\r', '\t']).collect::<Vec<_>>().join(" ");
    clean(&line).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_stage() {
        for (kind, _) in Body::KINDS {
            let stages = STAGES.iter().filter(|(_, kinds)| kinds.contains(kind)).count();
            assert_eq!(stages, 1, "{kind}");
        }
    }

    #[test]
    fn what_reorders_a_text_is_shown() {
        assert_eq!(shown("a\nb\u{202e}\u{0}\u{ffff}"), "a b\\u{202e}\\u{0}\u{fffd}");
    }
}
