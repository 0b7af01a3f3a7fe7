//! Runs that end before another one starts, since that writes where they do until then.

use super::before::Before;
use super::groups::Groups;
use super::renamed::Sides;
use slipform_analysis::Analysis;
use slipform_changes::{File, inherited};

/// A run that makes way for another one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Former {
    pub(crate) run: String,
    /// What it writes to until it ends.
    pub(crate) place: String,
}

/// Tells with a run who writes until now where it does from then on.
pub(super) fn tell(
    groups: &mut Groups,
    before: &Before,
    now: &Analysis,
    (old, new): (&[File<'_>], &[File<'_>]),
) {
    let sides = Sides::of(before, now);
    for it in inherited(old, new) {
        let is_of = |root: &str| format!("{root}/");
        let mut files = before.files.iter().map(|(path, _)| path);
        let run = files.find_map(|path| {
            sides.former_run(path).filter(|_| path.starts_with(&is_of(&it.former)))
        });
        let next = groups.groups.iter_mut().find(|group| {
            group.noun.starts_with("workload ")
                && group.changes.iter().any(|change| change.root == it.next)
        });
        if let Some((run, group)) = run.zip(next) {
            group.makes_way.push(Former { run: run.path.clone(), place: it.place });
        }
    }
}
