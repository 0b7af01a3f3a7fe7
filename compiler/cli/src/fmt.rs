//! `slipform fmt`: blueprints in the one layout. A file with syntax errors is laid out where it is sound.

use crate::args::FmtArgs;
use crate::blueprint::USAGE_PATH;
use crate::report::{self, Found, Places};
use crate::stop::{ExitStatus, Stop};
use crate::world::{read, said};
use crate::{Context, atomic};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_model::Diagnostic;
use slipform_source::Sources;
use std::path::Path;

pub(crate) fn run(args: &FmtArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let files = files(&args.paths, context.folder)?;
    let mut sources = Sources::default();
    let mut problems = Vec::new();
    let mut laid_out = Vec::new();
    let mut unreadable = Vec::new();
    for path in &files {
        let text = match read(&context.folder.join(path)) {
            Ok(text) => text,
            Err(why) => {
                unreadable.push(Diagnostic::nowhere(
                    USAGE_PATH,
                    format!("`{path}` cannot be read: {why}"),
                ));
                continue;
            }
        };
        let id = sources.add(path.clone(), text.clone());
        let tree = slipform_syntax::parse(id, &text);
        problems.extend(tree.problems.iter().map(slipform_analysis::syntax_diagnostic));
        let wanted = slipform_syntax::format(&tree, &text);
        if *wanted != *text {
            laid_out.push((path, wanted));
        }
    }
    let places = Places { sources: &sources, base: Utf8Path::new(""), library: 0 };
    let is_sound = problems.is_empty();
    report::located(context.console, context.format, &[Found { places, diagnostics: problems }]);
    if !unreadable.is_empty() {
        return Err(Stop(unreadable));
    }
    for (path, wanted) in &laid_out {
        if !args.check {
            let written = atomic::replace(&context.folder.join(path), wanted);
            written.map_err(|error| {
                Stop::new(USAGE_PATH, format!("`{path}` cannot be written: {}", said(&error)))
            })?;
        }
        context.result(&format!("{path}\n"));
    }
    closing(args, context, files.len(), laid_out.len());
    Ok(match (is_sound, args.check && !laid_out.is_empty()) {
        (false, _) => ExitStatus::Errors,
        (true, true) => ExitStatus::Different,
        (true, false) => ExitStatus::Clean,
    })
}

fn closing(args: &FmtArgs, context: &mut Context<'_, '_>, files: usize, changed: usize) {
    let of = report::words::counted(files, "file");
    let line = match (args.check, changed) {
        (_, 0) => format!("{of} laid out already"),
        (true, changed) => format!("{changed} of {of} would change"),
        (false, changed) => format!("{changed} of {of} changed"),
    };
    report::progress(context.console, context.format, &line);
}

/// The `.bp` files that are meant: named ones, and those below named folders, each once, by path.
fn files(paths: &[Utf8PathBuf], folder: &Path) -> Result<Vec<Utf8PathBuf>, Stop> {
    let mut found = Vec::new();
    for path in paths {
        let metadata = std::fs::metadata(folder.join(path)).map_err(|error| {
            Stop::new(USAGE_PATH, format!("`{path}` cannot be read: {}", said(&error)))
        })?;
        if metadata.is_dir() {
            let start = if path == "." { Utf8Path::new("") } else { path };
            let before = found.len();
            below(folder, start, &mut found);
            if found.len() == before {
                return Err(Stop::new(USAGE_PATH, format!("there is no `.bp` file in `{path}`")));
            }
        } else if path.extension() == Some("bp") {
            found.push(path.clone());
        } else {
            return Err(Stop::new(
                USAGE_PATH,
                format!("`{path}` is no blueprint: its name does not end in `.bp`"),
            ));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Walks a folder; hidden folders and symbolic links are not followed.
fn below(root: &Path, start: &Utf8Path, found: &mut Vec<Utf8PathBuf>) {
    let mut folders = vec![start.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            match name.starts_with('.') {
                true => {}
                false if kind.is_dir() => folders.push(folder.join(name)),
                false if kind.is_file() && name.ends_with(".bp") => found.push(folder.join(name)),
                false => {}
            }
        }
    }
}
