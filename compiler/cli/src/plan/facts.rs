//! Which changes come from other facts: those that the present blueprint does not make under the facts of before.

use super::before::Before;
use super::files;
use crate::blueprint::Blueprint;
use crate::check::render;
use crate::lock::at_revisions;
use crate::world::{DiskWorld, Edited};
use slipform_analysis::{Analysis, LOCAL_CATALOG, LOCK_FILE};
use slipform_changes::{Change, File, changes};
use slipform_model::catalog::Catalog;
use std::collections::BTreeMap;

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
    /// The catalog of before, where it was another.
    pub(crate) catalog: Option<String>,
    /// Whether what the project adds to it was another, too.
    pub(crate) own: bool,
    changes: Vec<Change>,
}

/// What the other side was built with.
struct Then {
    base: Catalog,
    /// The text of the project's own facts.
    own: String,
    /// The version of both together.
    version: String,
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
        let then = Then::of(before, blueprint)?;
        if then.version == now.catalog.version() {
            return None;
        }
        let catalog = then.base.version().to_owned();
        let catalog = (catalog != base(now.catalog.version())).then_some(catalog);
        let own = own(&then.version) != own(now.catalog.version());
        let mut world = Edited { disk: DiskWorld::new(&blueprint.folder), texts: BTreeMap::new() };
        if own {
            world.texts.insert(LOCAL_CATALOG.into(), then.own.into());
        }
        let blueprint = blueprint.under(then.base);
        let mut analysis = blueprint.analyse_in(&world, blueprint.file(), environment(now));
        let artifacts = render(&mut analysis, &[]);
        if analysis.has_errors() {
            return None;
        }
        Some(Self { catalog, own, changes: changes(old, &files(&artifacts)) })
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

impl Then {
    /// The facts of the other side, where its blueprint is there, or where the repository has them.
    fn of(before: &Before, blueprint: &Blueprint) -> Option<Self> {
        if let Some(analysis) = &before.analysis {
            let version = analysis.catalog.version().to_owned();
            return Some(Self { base: analysis.catalog.base(), own: before.own.clone(), version });
        }
        let version = before.catalog.clone()?;
        let base = at_hand(&version, blueprint)?;
        let own = own_at_hand(&version, &base, blueprint)?;
        Some(Self { base, own, version })
    }
}

/// The facts of a catalog that something was built with: of this compiler, or of a lock that the repository had.
fn at_hand(version: &str, blueprint: &Blueprint) -> Option<Catalog> {
    let version = base(version);
    let own = Catalog::builtin();
    if own.version() == version {
        return Some(own.clone());
    }
    let is_it = |text: &String| text.lines().take(16).any(|line| line.contains(version));
    let locks = at_revisions(&blueprint.folder, LOCK_FILE, None).filter(is_it);
    let mut facts = locks.filter_map(|text| Some(Catalog::locked(&text).ok()?.catalog));
    facts.find(|facts| facts.version() == version)
}

/// What a project added to a catalog, where the repository had it.
fn own_at_hand(version: &str, base: &Catalog, blueprint: &Blueprint) -> Option<String> {
    if own(version).is_none() {
        return Some(String::new());
    }
    let mut texts = at_revisions(&blueprint.folder, LOCAL_CATALOG, None);
    texts.find(|text| base.with_local(text).is_ok_and(|it| it.version() == version))
}

/// The version of a catalog without what a project adds.
pub(crate) fn base(version: &str) -> &str {
    version.split_once(OWN).map_or(version, |(base, _)| base)
}

/// The digest of what a project adds.
fn own(version: &str) -> Option<&str> {
    version.split_once(OWN).map(|(_, own)| own)
}

/// Before the digest of what a project adds, in the version of a catalog.
const OWN: &str = "+local.";
