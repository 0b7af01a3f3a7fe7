//! Nouns under other names: which noun of one side is which of the other.

use super::again::is_of_one;
use super::before::Before;
use super::former::{Former, Formers};
use slipform_analysis::Analysis;
use slipform_model::Noun;
use slipform_model::plan::Plan;
use std::collections::BTreeMap;

/// The nouns of both sides. What they are called outside of the blueprint tells which is which.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(super) now: Option<&'a Plan>,
    pub(super) then: Option<&'a Plan>,
    /// The nouns of the other side, where its blueprint is not at hand either.
    pub(super) nouns: &'a Formers,
    /// The first noun of each of its files, by its path.
    owners: &'a BTreeMap<String, String>,
    /// Its files, by their paths.
    pub(super) files: &'a [(String, String)],
}

impl<'a> Sides<'a> {
    pub(super) fn of(before: &'a Before, now: &'a Analysis) -> Self {
        let then = before.analysis.as_ref().and_then(|analysis| analysis.plan.as_ref());
        Self {
            now: now.plan.as_ref(),
            then,
            nouns: &before.nouns,
            owners: &before.owners,
            files: &before.files,
        }
    }

    /// The noun that something was made for, as it is now and as it was.
    pub(super) fn of_origin(&self, origin: &str) -> (Option<&'a Noun>, Option<&'a Noun>) {
        let made_for =
            |plan: Option<&'a Plan>| plan?.model.nouns.iter().find(|noun| noun.origin == origin);
        match (made_for(self.now), made_for(self.then)) {
            (Some(now), _) => (Some(now), twin(self.then, now)),
            (None, then) => (then.and_then(|then| twin(self.now, then)), then),
        }
    }

    /// What a noun was on the other side.
    pub(super) fn twin(&self, noun: &Noun) -> Option<&'a Noun> {
        twin(self.then, noun)
    }

    /// The run that a file of the other side was of.
    pub(super) fn former_run(&self, file: &str) -> Option<&'a Former> {
        self.nouns.at(self.owners.get(file)?).filter(|it| it.kind == "workload")
    }

    /// What was, on the other side, what something is made for.
    pub(super) fn former_of(&self, origin: &str) -> Option<&'a Former> {
        let now = || self.now?.model.nouns.iter().find(|noun| noun.origin == origin);
        let called = now().and_then(|noun| {
            self.nouns.called(&noun.outside.path).filter(|it| it.kind == noun.kind())
        });
        called.or_else(|| self.nouns.made_for(origin))
    }

    /// The cluster of the other side that a folder of objects was of.
    pub(super) fn former_cluster(&self, root: &str) -> Option<&'a Former> {
        let owner = self.owners.get(&format!("{root}/kustomization.yaml"))?;
        self.nouns.at(owner).filter(|it| it.kind == "cluster")
    }

    /// The noun of the other side that a file was of.
    pub(super) fn former_owner(&self, file: &str) -> Option<&'a Former> {
        self.nouns.at(self.owners.get(file).filter(|_| is_of_one(file))?)
    }

    /// What a noun was called on the other side, where it has another name now that is not its parent's alone.
    pub(super) fn former(&self, noun: &Noun) -> Option<&'a str> {
        let model = &self.now?.model;
        let parent = noun.parent.and_then(|id| model.get(id));
        let called = |outside: &str| self.nouns.called(outside).map(|it| &it.path);
        let then = called(&noun.outside.path)?;
        let around = parent.map(|it| called(&it.outside.path).unwrap_or(&it.path));
        let now = own(&noun.path, parent.map(|it| it.path.as_str()));
        (own(then, around.map(String::as_str)) != now).then_some(then.as_str())
    }
}

/// The part of a path that is behind what it lies in.
fn own<'p>(path: &'p str, around: Option<&str>) -> &'p str {
    around.and_then(|around| path.strip_prefix(around)?.strip_prefix('.')).unwrap_or(path)
}

/// The noun of another plan that is called the same outside.
fn twin<'a>(plan: Option<&'a Plan>, of: &Noun) -> Option<&'a Noun> {
    let mut nouns = plan?.model.nouns.iter();
    nouns.find(|noun| noun.outside.path == of.outside.path && noun.kind() == of.kind())
}
