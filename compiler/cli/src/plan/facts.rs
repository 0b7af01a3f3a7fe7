//! Which changes come from other facts: those that the present blueprint does not make under the facts of before.

use super::before::Before;
use super::files;
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::lock::at_revisions;
use slipform_analysis::Analysis;
use slipform_changes::{Change, File, changes};
use slipform_model::catalog::Catalog;

/// How much of a change comes from other facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// The blueprint makes it under either.
    None,
    /// The paths of what does.
    Part(Vec<String>),
    Whole,
}

impl Share {
    /// As programs read it.
    pub(crate) fn name(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Part(_) => Some("part"),
            Self::Whole => Some("whole"),
        }
    }
}

/// The changes that are there under the facts of before, too.
pub(crate) struct Without {
    /// The catalog of before.
    pub(crate) catalog: String,
    changes: Vec<Change>,
}

impl Without {
    /// Builds the blueprint under the facts of before, where they were others and are at hand. A blueprint that has errors
    /// under them tells nothing.
    pub(crate) fn find(
        before: &Before,
        blueprint: &Blueprint,
        now: &Analysis,
        old: &[File<'_>],
    ) -> Option<Self> {
        let facts = match (&before.analysis, &before.catalog) {
            (Some(analysis), _) => analysis.catalog.base(),
            (None, Some(version)) => at_hand(version, blueprint)?,
            (None, None) => return None,
        };
        if facts.version() == now.catalog.base().version() {
            return None;
        }
        let catalog = facts.version().to_owned();
        let mut analysis = blueprint.under(facts).analyse(environment(now), true);
        let artifacts = render(&mut analysis, &[]);
        if analysis.has_errors() {
            return None;
        }
        Some(Self { catalog, changes: changes(old, &files(&artifacts)) })
    }

    /// How much of a change is not there without the other facts.
    pub(crate) fn share(&self, change: &Change) -> Share {
        let same = |it: &&Change| {
            (&it.root, &it.file, &it.thing) == (&change.root, &change.file, &change.thing)
        };
        match self.changes.iter().find(same) {
            None => Share::Whole,
            Some(it) if it.effect == change.effect && it.details == change.details => Share::None,
            Some(it) => {
                let others = change.details.iter().filter(|detail| !it.details.contains(detail));
                Share::Part(others.map(|detail| detail.path.clone()).collect())
            }
        }
    }
}

/// The environment of an analysis, where its project declares it.
pub(super) fn environment(now: &Analysis) -> Option<&str> {
    let project = now.project.as_ref()?;
    let declared = project.environments.contains(&project.environment);
    declared.then_some(project.environment.as_str())
}

/// The facts of a catalog that something was built with: of this compiler, or of a lock that the repository had.
fn at_hand(version: &str, blueprint: &Blueprint) -> Option<Catalog> {
    let version = base(version);
    let own = Catalog::builtin();
    if own.version() == version {
        return Some(own.clone());
    }
    let is_it = |text: &String| text.lines().take(16).any(|line| line.contains(version));
    let locks = at_revisions(&blueprint.folder, None).filter(is_it);
    let mut facts = locks.filter_map(|text| Some(Catalog::locked(&text).ok()?.catalog));
    facts.find(|facts| facts.version() == version)
}

/// The version of a catalog without what a project adds.
pub(crate) fn base(version: &str) -> &str {
    version.split_once("+local.").map_or(version, |(base, _)| base)
}
