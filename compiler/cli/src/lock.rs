//! `slipform lock`: holds a project to the facts of this compiler, so that a later one does not change what is built.

use crate::Context;
use crate::args::{Inputs, LockArgs};
use crate::blueprint::Blueprint;
use crate::report;
use crate::stop::{ExitStatus, Stop};
use crate::world::{read, said};
use crate::{atomic, git};
use camino::Utf8Path;
use slipform_analysis::{CATALOG_LOCK, EDITIONS, LOCK_FILE, PROJECT_FILE};
use slipform_model::Diagnostic;
use slipform_model::catalog::{Catalog, LockError, Locked};
use slipform_source::ReadError;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_LOCK = "usage/lock":
        "a lock cannot be written here",
        "name the folder of a project, or a `.bp` file, and see that the folder can be written to";
}

pub(crate) fn run(args: &LockArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let inputs = Inputs { path: args.path.clone(), set: Vec::new() };
    let blueprint = Blueprint::open(&inputs, context)?;
    if !is_project(&blueprint.folder) {
        let message = format!(
            "there is nothing to hold to facts in `{}`: it has neither a blueprint nor a `{PROJECT_FILE}`",
            blueprint.shown
        );
        let help = "name the folder of a project, or a `.bp` file";
        return Err(Stop::new(USAGE_LOCK, message).help(help));
    }
    let path = blueprint.folder.join(LOCK_FILE);
    let shown = blueprint.base.join(LOCK_FILE);
    let own = Catalog::builtin();
    let text = own.lock(EDITIONS.last().copied().unwrap_or_default());
    let text =
        text.map_err(|why| Stop::new(USAGE_LOCK, format!("`{shown}` cannot be written: {why}")))?;
    let held = read(&path);
    if args.update && path.is_symlink() {
        is_of_lock(&shown, &held)?;
    }
    let (line, status) = match held {
        Ok(held) if args.update && *held == *text => {
            (format!("{shown} has the facts of this compiler already"), ExitStatus::Clean)
        }
        // what cannot be understood is what this mends
        Ok(_) | Err(ReadError::NotUtf8(_) | ReadError::TooLarge) if args.update => {
            written(&shown, atomic::replace(&path, &text))?;
            holds(&shown)
        }
        Ok(held) => standing(&shown, &locked(&shown, &held)?, args.check),
        Err(ReadError::NotFound) if args.check => (
            format!("there is no {shown}\n  help: `slipform lock` writes it"),
            ExitStatus::Different,
        ),
        Err(ReadError::NotFound) => {
            written(&shown, atomic::write(&path, &text))?;
            holds(&shown)
        }
        Err(why) => {
            return Err(Stop::new(CATALOG_LOCK, format!("`{shown}` cannot be read: {why}")));
        }
    };
    report::progress(context.console, context.format, &line);
    Ok(status)
}

/// Refuses a link that leads to something else than a lock, which would be lost.
fn is_of_lock(shown: &Utf8Path, held: &Result<Arc<str>, ReadError>) -> Result<(), Stop> {
    if held.as_ref().is_ok_and(|text| Catalog::locked(text).is_ok()) {
        return Ok(());
    }
    let message =
        format!("`{shown}` is a symbolic link to something else than a lock, which would be lost");
    Err(Stop::new(USAGE_LOCK, message).help("remove the link, or mend what it leads to"))
}

fn holds(shown: &Utf8Path) -> (String, ExitStatus) {
    let version = Catalog::builtin().version();
    (format!("{shown} holds the project to the catalog {version}"), ExitStatus::Clean)
}

/// A project's file, or a blueprint: what stands in a folder in which a lock is looked for.
fn is_project(folder: &Path) -> bool {
    let mut names = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.file_name());
    names.any(|name| {
        let name = Path::new(&name);
        name == PROJECT_FILE || name.extension().is_some_and(|ending| ending == "bp")
    })
}

/// How a lock stands to this compiler.
fn standing(shown: &Utf8Path, locked: &Locked, check: bool) -> (String, ExitStatus) {
    let own = Catalog::builtin().version();
    if !locked.differs {
        return (format!("{shown} has the facts of this compiler already"), ExitStatus::Clean);
    }
    let line = format!(
        "{shown} holds the project to the catalog {}; this compiler has {own}\n  help: `slipform catalog diff` tells what the other facts mean, `slipform lock --update` takes them",
        locked.catalog.version()
    );
    (line, if check { ExitStatus::Different } else { ExitStatus::Clean })
}

fn written(shown: &Utf8Path, outcome: io::Result<()>) -> Result<(), Stop> {
    outcome.map_err(|error| {
        Stop::new(USAGE_LOCK, format!("`{shown}` cannot be written: {}", said(&error)))
    })
}

/// The facts in the text of a lock.
pub(crate) fn locked(shown: &Utf8Path, text: &str) -> Result<Locked, Stop> {
    Catalog::locked(text).map_err(|LockError { problems, help }| {
        let told = |(line, message)| {
            Diagnostic::nowhere(CATALOG_LOCK, format!("{shown}:{line}: {message}"))
                .help(help.clone())
        };
        Stop(problems.into_iter().map(told).collect())
    })
}

/// A file of a project at revisions of the repository, the newest first; of one revision where it is named.
pub(crate) fn at_revisions(
    folder: &Path,
    name: &str,
    revision: Option<&str>,
) -> impl Iterator<Item = String> {
    let commits = match revision {
        Some(revision) => git::commit(folder, revision).into_iter().collect(),
        None => git::touching(folder, name),
    };
    commits.into_iter().filter_map(move |commit| git::file(folder, &commit, name))
}
