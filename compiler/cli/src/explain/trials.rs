//! What follows from a word of a blueprint, by trial: another word is put in its place, everything is rendered anew, and what differs
//! depends on that word. Nothing is written.

use crate::blueprint::Blueprint;
use crate::report::words::in_a_line;
use crate::trial::{edited, rendered};
use crate::world::DiskWorld;
use camino::{Utf8Path, Utf8PathBuf};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use slipform_analysis::ide::{Saying, instead, sayings};
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::{Noun, NounId};
use slipform_source::Span;
use slipform_targets::Artifact;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// So many words of a small blueprint are tried; of larger ones fewer, since each trial takes longer.
const MOST_TRIALS: usize = 400;

/// A blueprint of so many nouns is tried with as many words as a small one.
const SMALL: usize = 25;

/// A blueprint as it is, and what is rendered of it.
pub(super) struct Bench<'b> {
    blueprint: &'b Blueprint,
    options: Options,
    pub(super) analysis: Analysis,
    /// None where something is wrong with the blueprint.
    pub(super) artifacts: Vec<Artifact>,
}

/// A word, another in its place, and what differs then.
pub(super) struct Trial {
    pub(super) span: Span,
    pub(super) instead: String,
    /// By file.
    effects: BTreeMap<Utf8PathBuf, Vec<Effect>>,
    /// The fields that have another value then.
    pub(super) fields: Vec<(NounId, Arc<str>)>,
}

/// What becomes of a line.
#[derive(Clone)]
pub(super) struct Effect {
    /// Counted from zero.
    pub(super) line: usize,
    /// What stands in its place; nothing where it is gone.
    pub(super) then: Option<String>,
}

/// What trials found.
pub(super) struct Found {
    /// Those in which something differs, what changes least first.
    pub(super) trials: Vec<Trial>,
    /// The words that were tried.
    pub(super) tried: usize,
    /// The words of the blueprint.
    pub(super) all: usize,
}

impl Trial {
    /// How many lines differ.
    pub(super) fn size(&self) -> usize {
        self.effects.values().map(Vec::len).sum()
    }

    /// What becomes of one line.
    pub(super) fn effect(&self, path: &Utf8Path, line: usize) -> Option<&Effect> {
        self.effects.get(path)?.iter().find(|effect| effect.line == line)
    }

    /// Every line that differs, with its file.
    pub(super) fn effects(&self) -> impl Iterator<Item = (&Utf8Path, &Effect)> {
        let files = self.effects.iter();
        files.flat_map(|(path, effects)| effects.iter().map(|effect| (path.as_path(), effect)))
    }
}

impl<'b> Bench<'b> {
    pub(super) fn new(blueprint: &'b Blueprint, environment: Option<&str>) -> Self {
        let options =
            Options { editor: true, ..blueprint.options(blueprint.file(), environment, false) };
        let analysis = analyse(&DiskWorld::new(&blueprint.folder), &options);
        let artifacts = match analysis.can_be_rendered() {
            true => rendered(&analysis).unwrap_or_default(),
            false => Vec::new(),
        };
        Self { blueprint, options: Options { editor: false, ..options }, analysis, artifacts }
    }

    pub(super) fn artifact(&self, path: &Utf8Path) -> Option<&Artifact> {
        self.artifacts.iter().find(|artifact| artifact.path == path)
    }

    pub(super) fn nouns(&self) -> &[Noun] {
        self.analysis.plan.as_ref().map_or(&[], |plan| &plan.model.nouns)
    }

    /// Tries every word, or where these are too many those near a place, and as many of those that have names.
    pub(super) fn try_all(&self, near: Option<Span>) -> Found {
        let far = |span: Span| match near {
            Some(near) if near.file == span.file => near.start.abs_diff(span.start),
            _ => u32::MAX,
        };
        let (named, mut own): (Vec<Saying>, Vec<Saying>) =
            sayings(&self.analysis).into_iter().partition(|word| word.shared);
        let all = named.len() + own.len();
        own.sort_by_key(|word| (far(word.span), word.span));
        let mut ranked: Vec<(usize, Saying)> =
            own.into_iter().enumerate().chain(named.into_iter().enumerate()).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.truncate(MOST_TRIALS * SMALL / self.nouns().len().max(SMALL));
        let words: Vec<Saying> = ranked.into_iter().map(|(_, word)| word).collect();
        Found { all, ..self.try_some(&words) }
    }

    /// Tries some words, on as many threads as there are processors.
    pub(super) fn try_some(&self, words: &[Saying]) -> Found {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            while let Some(word) = words.get(next.fetch_add(1, Ordering::Relaxed)) {
                found.extend(self.try_one(word));
            }
            found
        };
        let threads = available_parallelism().map_or(1, NonZero::get).min(words.len());
        let mut trials: Vec<Trial> = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut found = work();
            found.extend(threads.into_iter().filter_map(|thread| thread.join().ok()).flatten());
            found
        });
        trials.sort_by_key(|trial| (trial.size(), trial.span));
        Found { trials, tried: words.len(), all: words.len() }
    }

    /// The first other word with which something differs and nothing is wrong, or else the first with which something differs.
    fn try_one(&self, word: &Saying) -> Option<Trial> {
        let mut broken = None;
        for other in instead(&self.analysis, word) {
            match self.with(word.span, other) {
                Some((trial, true)) => return Some(trial),
                Some((trial, false)) => broken = broken.or(Some(trial)),
                None => {}
            }
        }
        broken
    }

    /// What comes of a text in another's place, and whether the blueprint is right with it.
    fn with(&self, span: Span, instead: String) -> Option<(Trial, bool)> {
        let world = edited(self.blueprint, &self.analysis, span, &instead)?;
        let then = analyse(&world, &self.options);
        let artifacts = rendered(&then)?;
        let effects = self.differences(&artifacts);
        if effects.values().all(Vec::is_empty) {
            return None;
        }
        let fields = self.fields_that_differ(&then);
        Some((Trial { span, instead, effects, fields }, !then.has_errors()))
    }

    fn differences(&self, then: &[Artifact]) -> BTreeMap<Utf8PathBuf, Vec<Effect>> {
        let by_path: BTreeMap<&Utf8Path, &Artifact> =
            then.iter().map(|it| (it.path.as_path(), it)).collect();
        let mut found = BTreeMap::new();
        for artifact in &self.artifacts {
            let after = by_path.get(artifact.path.as_path()).copied();
            let after = after.or_else(|| self.moved(artifact, then));
            let after = after.map_or("", |artifact| artifact.content.as_str());
            if artifact.content != after {
                found.insert(artifact.path.clone(), changed_lines(&artifact.content, after));
            }
        }
        found
    }

    /// The file in another folder, as where the folder has the name of what it is of.
    fn moved<'t>(&self, artifact: &Artifact, then: &'t [Artifact]) -> Option<&'t Artifact> {
        let depth = |path: &Utf8Path| path.components().count();
        let mut alike = then.iter().filter(|it| {
            it.path.file_name() == artifact.path.file_name()
                && depth(&it.path) == depth(&artifact.path)
                && it.nouns == artifact.nouns
                && self.artifact(&it.path).is_none()
        });
        alike.next().filter(|_| alike.next().is_none())
    }

    fn fields_that_differ(&self, then: &Analysis) -> Vec<(NounId, Arc<str>)> {
        let others = then.plan.iter().flat_map(|plan| &plan.model.nouns);
        let others: BTreeMap<&str, &Noun> = others.map(|it| (it.path.as_str(), it)).collect();
        let mut found = Vec::new();
        for noun in self.nouns() {
            let Some(other) = others.get(noun.path.as_str()) else { continue };
            for (name, placed) in noun.fields.iter() {
                let value = other.fields.get(name).map(|placed| placed.value.to_string());
                if value != Some(placed.value.to_string()) {
                    found.push((noun.id, name.clone()));
                }
            }
        }
        found
    }
}

/// The lines of a text that another has not. How the words of a line are aligned tells nothing.
pub(super) fn changed_lines(before: &str, after: &str) -> Vec<Effect> {
    let (old, new): (Vec<String>, Vec<String>) =
        (before.lines().map(in_a_line).collect(), after.lines().map(in_a_line).collect());
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let behind = new.get(op.new_range()).unwrap_or_default();
        let even = op.old_range().len() == behind.len();
        for (at, line) in op.old_range().enumerate() {
            let key = old.get(line).map(|text| key(text)).unwrap_or_default();
            let same = behind.iter().find(|text| self::key(text) == key);
            let then = if even { behind.get(at) } else { same };
            found.push(Effect { line, then: then.cloned() });
        }
    }
    found
}

/// What a line is called in its block: `node_count` of `node_count = 2`.
fn key(line: &str) -> &str {
    line.split(['=', ':']).next().unwrap_or_default().trim()
}

/// Where a line of one text stands in another; nothing where the other has not got it.
pub(super) fn line_in(before: &str, line: usize, after: &str) -> Option<usize> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    capture_diff_slices(Algorithm::Myers, &old, &new).into_iter().find_map(|op| match op {
        DiffOp::Equal { old_index, new_index, len }
            if (old_index..old_index + len).contains(&line) =>
        {
            Some(new_index + line - old_index)
        }
        _ => None,
    })
}
