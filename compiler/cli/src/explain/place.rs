//! `slipform explain PATH:LINE`: the line of a blueprint, or of a file that was rendered, and the project that it belongs to.

use super::gather::{Gathered, Rendered, edited, of_manifest};
use super::trials::Bench;
use crate::Context;
use crate::args::Inputs;
use crate::blueprint::Blueprint;
use crate::manifest::{Entry, MANIFEST, Manifest};
use crate::report::words::counted;
use crate::report::{self, Found};
use crate::stop::{ExitStatus, Stop};
use crate::world::read;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::PROJECT_FILE;
use slipform_source::{FileId, ReadError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    USAGE_LINE = "usage/line":
        "there is no such line to explain",
        "name a line of a blueprint, or of a file that `slipform build` wrote: `train.bp:12`";
}

/// A line, as a report or an editor names it.
pub(super) struct Place<'a> {
    path: &'a Utf8Path,
    line: usize,
}

impl<'a> Place<'a> {
    /// `path:line`, `path:line:column`: nothing where no number stands behind a path.
    pub(super) fn parse(asked: &'a str) -> Option<Self> {
        let (rest, last) = numbered(asked.trim_end_matches(':'))?;
        let (path, line) = numbered(rest).unwrap_or((rest, last));
        Some(Self { path: Utf8Path::new(path), line })
    }

    /// Explains it.
    pub(super) fn explain(
        &self,
        environment: Option<&str>,
        context: &mut Context<'_, '_>,
    ) -> Result<ExitStatus, Stop> {
        let at = context.folder.join(self.path);
        let text = self.text(&at)?;
        let at = at.canonicalize().unwrap_or(at);
        if self.path.extension() == Some("bp") || self.path.file_name() == Some(PROJECT_FILE) {
            return self.of_blueprint(&at, &text, environment, context);
        }
        let (folder, manifest, entry) = self.build(&at)?;
        if let Some(asked) = environment.filter(|asked| **asked != manifest.environment) {
            let message = format!(
                "`{}` was built for the environment `{}`, not for `{asked}`",
                self.path, manifest.environment
            );
            return Err(Stop::new(USAGE_LINE, message).help("leave `--env` out"));
        }
        let file =
            Rendered { text: &text, line: self.line - 1, manifest: &manifest, entry: &entry };
        let told = match blueprint_of(&manifest, &folder, context) {
            Some(blueprint) => {
                let environment = chosen(&blueprint, Some(&manifest.environment));
                let bench = Bench::new(&blueprint, environment.as_deref());
                Gathered::new(&bench, &blueprint).of_rendered(&file)
            }
            None => {
                of_manifest(&file, edited(&file).into_iter().chain([alone(&manifest)]).collect())
            }
        };
        told.at(self.path, self.line, line(&text, self.line)).print(context);
        Ok(ExitStatus::Clean)
    }

    /// The text, where it has the line.
    fn text(&self, at: &Path) -> Result<Arc<str>, Stop> {
        let path = self.path;
        let stop = |why: String| Stop::new(USAGE_LINE, why);
        let text = read(at).map_err(|why| match why {
            ReadError::NotFound => stop(format!("there is no file `{path}`")),
            ReadError::IsFolder => stop(format!("`{path}` is a folder, not a file"))
                .help("name a file in it, and the line"),
            ReadError::NotUtf8(_) => stop(format!("`{path}` has no lines: it is not UTF-8 text")),
            why => stop(format!("`{path}` cannot be read: {why}")),
        })?;
        let lines = text.lines().count();
        if self.line == 0 {
            return Err(stop(format!("`{path}` has no line 0")).help("lines are counted from one"));
        }
        if self.line > lines {
            let lines = counted(lines, "line");
            return Err(stop(format!("`{path}` has no line {}: it has {lines}", self.line)));
        }
        Ok(text)
    }

    fn of_blueprint(
        &self,
        at: &Path,
        text: &str,
        environment: Option<&str>,
        context: &mut Context<'_, '_>,
    ) -> Result<ExitStatus, Stop> {
        let project = at.ancestors().skip(1).find(|folder| folder.join(PROJECT_FILE).is_file());
        let project = project.and_then(|folder| shown(folder, context));
        let paths = project.into_iter().chain([self.path.to_owned()]);
        for path in paths {
            let blueprint = Blueprint::open(&Inputs { path, set: Vec::new() }, context)?;
            let environment = chosen(&blueprint, environment);
            let bench = Bench::new(&blueprint, environment.as_deref());
            let analysis = &bench.analysis;
            if blueprint.status(analysis) == ExitStatus::Unusable {
                let (places, diagnostics) = (blueprint.places(analysis), &analysis.diagnostics);
                let found = Found { places, diagnostics: diagnostics.clone() };
                report::located(context.console, context.format, &[found]);
                return Ok(ExitStatus::Unusable);
            }
            if let Some(file) = file_at(&bench, &blueprint, at) {
                let told = Gathered::new(&bench, &blueprint).of_blueprint(file, self.line - 1);
                told.at(self.path, self.line, line(text, self.line)).print(context);
                return Ok(ExitStatus::Clean);
            }
        }
        let message = format!("the project does not read `{}`", self.path);
        Err(Stop::new(USAGE_LINE, message).help("`use` it in a blueprint of the project"))
    }

    /// The build that wrote the file: its folder, its manifest, and what that says of the file.
    fn build(&self, at: &Path) -> Result<(PathBuf, Manifest, Entry), Stop> {
        let path = self.path;
        let unknown = |why: String| {
            let stop = Stop::new(USAGE_LINE, why);
            stop.help("name a line of a blueprint, or of a file that `slipform build` wrote")
        };
        let folder = at.ancestors().skip(1).find(|folder| folder.join(MANIFEST).is_file());
        let Some(folder) = folder else {
            let why = "neither a blueprint nor in a folder that `slipform build` wrote";
            return Err(unknown(format!("`{path}` is {why}")));
        };
        let text = read(&folder.join(MANIFEST));
        let manifest = text.map_err(|why| why.to_string()).and_then(|it| Manifest::read(&it));
        let manifest = manifest.map_err(|why| {
            unknown(format!("the manifest beside `{path}` cannot be understood: {why}"))
        })?;
        let inside = at.strip_prefix(folder).unwrap_or(at);
        if inside == Path::new(MANIFEST) {
            return Err(unknown(format!("`{path}` is the list of what was built")));
        }
        match manifest.artifacts.iter().find(|entry| inside == entry.path.as_std_path()) {
            Some(entry) => Ok((folder.to_owned(), manifest.clone(), entry.clone())),
            None => Err(unknown(format!("no build wrote `{path}`: someone else put it there"))),
        }
    }
}

/// A text with a number behind its last colon.
fn numbered(text: &str) -> Option<(&str, usize)> {
    let (head, tail) = text.rsplit_once(':')?;
    let is_number = !head.is_empty() && tail.bytes().all(|byte| byte.is_ascii_digit());
    Some((head, tail.parse().ok().filter(|_| is_number)?))
}

fn line(text: &str, line: usize) -> &str {
    text.lines().nth(line - 1).unwrap_or_default()
}

/// What is said where nothing but the manifest is known.
fn alone(manifest: &Manifest) -> String {
    let name = &manifest.blueprint;
    format!("its blueprint `{name}` lies neither above it nor here: this is what the manifest says")
}

/// A folder as the user would name it.
fn shown(folder: &Path, context: &Context<'_, '_>) -> Option<Utf8PathBuf> {
    let here = context.folder.canonicalize().ok()?;
    let below = folder.strip_prefix(&here).unwrap_or(folder);
    let path = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    Utf8PathBuf::from_path_buf(path.to_owned()).ok()
}

/// The environment that is looked at: the usual one of a project that has several, or its first.
fn chosen(blueprint: &Blueprint, asked: Option<&str>) -> Option<String> {
    let first = blueprint.analyse(None, false);
    let project = first.project?;
    let known = |name: &str| project.environments.iter().any(|known| known == name);
    match asked {
        // A project without environments is built for one that it does not name.
        Some(asked) if asked == project.environment => known(asked).then(|| asked.to_owned()),
        Some(asked) => Some(asked.to_owned()),
        None if known(&project.environment) => None,
        None => project.environments.into_iter().next(),
    }
}

/// The blueprint that a build was made from, where it lies above its output or here.
fn blueprint_of(
    manifest: &Manifest,
    folder: &Path,
    context: &Context<'_, '_>,
) -> Option<Blueprint> {
    let here = context.folder.canonicalize().ok()?;
    let source = manifest.artifacts.iter().flat_map(|entry| &entry.sources).next();
    let source = source.and_then(|at| Some(Utf8Path::new(at.rsplit_once(':')?.0)));
    for above in folder.ancestors().skip(1).chain([here.as_path()]) {
        let whole = above.join(PROJECT_FILE).is_file().then_some(Utf8Path::new(""));
        // a folder and its one file are two projects, and either may have been built
        let alone = source.filter(|source| above.join(source).is_file());
        let folder_of_it = alone.filter(|_| whole.is_none()).and_then(Utf8Path::parent);
        for path in [whole, alone, folder_of_it].into_iter().flatten() {
            let path = shown(above, context)?.join(path);
            let opened = Blueprint::open(&Inputs { path, set: Vec::new() }, context);
            let Ok(blueprint) = opened else { continue };
            let Some(project) = blueprint.analyse(None, false).project else { continue };
            // any folder may have a file of that name: it is the one whose output is here, or where the command was given
            let out = blueprint.folder.join(&project.out).join(&manifest.environment);
            let is_its = whole.is_some() || above == here || out == *folder;
            if is_its && project.name == manifest.blueprint {
                return Some(blueprint);
            }
        }
    }
    None
}

/// The file of an analysis that lies at a path.
fn file_at(bench: &Bench<'_>, blueprint: &Blueprint, at: &Path) -> Option<FileId> {
    let own = bench.analysis.sources.iter().skip(slipform_stdlib::FILES.len());
    let is_it =
        |path: &Utf8Path| blueprint.folder.join(path).canonicalize().is_ok_and(|it| it == at);
    own.into_iter().find(|(_, file)| is_it(&file.path)).map(|(file, _)| file)
}
