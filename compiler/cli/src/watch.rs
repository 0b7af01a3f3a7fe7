//! `--watch`: a command is run again when what it read is another. The system's events say when to look, and looking says
//! whether anything changed: own output, access times and events that never come decide nothing.

use crate::Context;
use crate::report;
use crate::stop::{ExitStatus, Stop};
use crate::world::Asked;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher, recommended_watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_WATCH = "usage/watch":
        "`--watch` writes reports again and again, and the format is one document",
        "use `human`, `short` or `json`";
}

/// Editors write a file in several steps: nothing may happen for so long before it is read.
const QUIET: Duration = Duration::from_millis(50);

/// So many times at most: somebody else may write beside the blueprints without end.
const MOST_QUIET: usize = 40;

/// Where the system tells nothing, as of folders that other machines share, the files are looked at so often.
const LOOK: Duration = Duration::from_secs(2);

/// So many changed files are named.
const MOST_NAMED: usize = 3;

/// Runs a command, and again whenever what it read changes. It ends only where the first run cannot be.
pub(crate) fn watch(
    context: &mut Context<'_, '_>,
    mut run: impl FnMut(&mut Context<'_, '_>) -> Result<ExitStatus, Stop>,
) -> Result<ExitStatus, Stop> {
    if context.format.is_document() {
        let why = "`--watch` writes reports again and again, and this format is one document";
        return Err(Stop::new(USAGE_WATCH, why).help("use `human`, `short` or `json`"));
    }
    let (tell, told) = channel();
    // Without the system's help the files are looked at all the same.
    let mut watcher = recommended_watcher(move |event: notify::Result<Event>| {
        // Reading is no change; and it would be told of the reading here.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            let _ = tell.send(());
        }
    })
    .ok();
    let mut status = run(context)?;
    report::progress(context.console, context.format, "-- watching what was read; Ctrl-C ends it");
    loop {
        if context.console.flush().is_err() {
            return Ok(status.max(ExitStatus::Unusable));
        }
        let changed = changed(context, watcher.as_mut(), &told);
        report::progress(context.console, context.format, &format!("-- {changed}"));
        let last = context.asked.anew();
        status = run(context).unwrap_or_else(|Stop(problems)| {
            report::plain(context.console, context.format, &problems);
            ExitStatus::Unusable
        });
        // Where it could not begin, what it read last tells when it can: as that was before.
        context.asked.or(last);
    }
}

/// Lets go of what nobody asks any more. Where no other run follows, the process is about to end: its memory goes back at once then, and not value by
/// value.
pub(crate) fn leave<T>(it: T, is_watched: bool) {
    if !is_watched {
        std::mem::forget(it);
    }
}

/// Waits until something is another, and has stayed so for a moment: tells what.
fn changed(
    context: &Context<'_, '_>,
    mut watcher: Option<&mut RecommendedWatcher>,
    told: &Receiver<()>,
) -> String {
    let mut woken = true;
    loop {
        if let Some(watcher) = watcher.as_mut().filter(|_| woken) {
            follow(*watcher, &context.asked);
        }
        if !context.asked.changes().is_empty() {
            settle(told);
            let changes = context.asked.changes();
            if !changes.is_empty() {
                return listed(&changes, context.folder);
            }
        }
        woken = match told.recv_timeout(LOOK) {
            Ok(()) => {
                settle(told);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            // There is no watcher.
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(LOOK);
                false
            }
        };
    }
}

/// Waits until nothing happens for a moment.
fn settle(told: &Receiver<()>) {
    for _ in 0..MOST_QUIET {
        match told.recv_timeout(QUIET) {
            Ok(()) => while told.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(QUIET),
        }
    }
}

/// Watches the folders of all that was asked for: editors replace files, so that a file alone would be lost sight of. Again
/// each time, since a folder may be another of the same name.
fn follow(watcher: &mut impl Watcher, asked: &Asked) {
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for path in asked.paths() {
        let there = path.canonicalize().ok();
        for path in there.iter().chain([&path]) {
            let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
            folders.extend(folder.map(Path::to_owned));
        }
    }
    for folder in folders {
        let _ = watcher.watch(&folder, RecursiveMode::NonRecursive);
    }
}

/// `train.bp changed, teams/a.bp is gone and 2 more`
fn listed(changes: &[(PathBuf, &'static str)], here: &Path) -> String {
    let named = changes.iter().take(MOST_NAMED).map(|(path, word)| {
        let path = path.strip_prefix(here).unwrap_or(path);
        format!("{} {word}", report::clean(&path.to_string_lossy()))
    });
    let text = named.collect::<Vec<_>>().join(", ");
    match changes.len().saturating_sub(MOST_NAMED) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}
