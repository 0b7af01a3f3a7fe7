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
            (Some(now), _) => (Some(now), self.twin(now)),
            (None, then) => (then.and_then(|then| self.successor(then)), then),
        }
    }

    /// What a noun was on the other side.
    pub(super) fn twin(&self, noun: &Noun) -> Option<&'a Noun> {
        let former = self.former_twin(noun)?;
        self.then?.model.nouns.iter().find(|it| it.path == former.path)
    }

    /// The same, where the blueprint of the other side is not at hand either.
    fn former_twin(&self, noun: &Noun) -> Option<&'a Former> {
        self.nouns.twin(self.now?, noun).filter(|it| it.kind == noun.kind())
    }

    /// What a noun of the other side is now.
    fn successor(&self, then: &Noun) -> Option<&'a Noun> {
        let is_it = |noun: &&Noun| {
            let was = || self.former_twin(noun).is_some_and(|it| it.path == then.path);
            noun.kind() == then.kind() && was()
        };
        self.now?.model.nouns.iter().find(is_it)
    }

    /// The run that a file of the other side was of.
    pub(super) fn former_run(&self, file: &str) -> Option<&'a Former> {
        self.nouns.at(self.owners.get(file)?).filter(|it| it.kind == "workload")
    }

    /// What was, on the other side, what something is made for.
    pub(super) fn former_of(&self, origin: &str) -> Option<&'a Former> {
        let now = self.now.and_then(|plan| plan.model.nouns.iter().find(|it| it.origin == origin));
        let called = now.and_then(|noun| self.former_twin(noun));
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
        let then = &self.former_twin(noun)?.path;
        let around = parent.map(|it| self.former_twin(it).map_or(&it.path, |then| &then.path));
        let now = own(&noun.path, parent.map(|it| it.path.as_str()));
        (own(then, around.map(String::as_str)) != now).then_some(then.as_str())
    }
}

/// The part of a path that is behind what it lies in.
fn own<'p>(path: &'p str, around: Option<&str>) -> &'p str {
    around.and_then(|around| path.strip_prefix(around)?.strip_prefix('.')).unwrap_or(path)
}
