//! A blueprint with another text in one place, and what is rendered of it all the same. Nothing is written.

use crate::blueprint::Blueprint;
use crate::world::{DiskWorld, Edited};
use slipform_analysis::Analysis;
use slipform_source::Span;
use slipform_targets::Artifact;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The disk with another text in a place of a file; none where there is no such place.
pub(crate) fn edited(
    blueprint: &Blueprint,
    analysis: &Analysis,
    span: Span,
    instead: &str,
) -> Option<Edited> {
    let file = analysis.sources.get(span.file)?;
    let mut text = file.text.to_string();
    text.get(span.range())?;
    text.replace_range(span.range(), instead);
    let texts = BTreeMap::from([(file.path.clone(), text.into())]);
    Some(Edited { disk: DiskWorld::new(&blueprint.folder), texts })
}

/// What is rendered of a plan that is sound. A rule may be broken by the one text: what comes out tells what depends on it.
pub(crate) fn rendered(analysis: &Analysis) -> Option<Vec<Artifact>> {
    let plan = analysis.plan.as_ref()?;
    // What rules keep from the targets reaches them here.
    let render = || slipform_targets::render(plan, &[]).artifacts;
    catch_unwind(AssertUnwindSafe(render)).ok().filter(|artifacts| !artifacts.is_empty())
}
