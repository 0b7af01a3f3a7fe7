//! The two sides of `slipform catalog diff`: facts by a word of the command line.

use super::{USAGE_FACTS, with_local};
use crate::Context;
use crate::args::DiffArgs;
use crate::blueprint::Blueprint;
use crate::lock::{at_revisions, locked};
use crate::stop::Stop;
use crate::world::read;
use camino::Utf8Path;
use slipform_analysis::{LOCAL_CATALOG, LOCK_FILE, PROJECT_FILE};
use slipform_model::Diagnostic;
use slipform_model::catalog::Catalog;
use slipform_source::ReadError;
use std::path::Path;
use std::sync::Arc;

/// As the command line calls the facts of this compiler.
const BUILTIN: &str = "builtin";

/// Files of one catalog, and folders in it, that are read.
const MOST_FILES: usize = 1000;

/// Facts, and what they are called.
pub(super) struct Side {
    pub(super) shown: String,
    /// Without what the project adds to them.
    pub(super) facts: Catalog,
    /// What the project added to them there; none where that is what it adds now.
    pub(super) own: Option<Arc<str>>,
}

impl Side {
    fn new(shown: String, facts: Catalog) -> Self {
        Self { shown, facts, own: None }
    }

    /// With what the project adds, where the sides differ in that.
    pub(super) fn whole(&self) -> Result<Catalog, Stop> {
        match self.own.as_deref() {
            None | Some("") => Ok(self.facts.clone()),
            Some(own) => with_local(&self.facts, LOCAL_CATALOG, own),
        }
    }
}

/// What was before, and what comes.
pub(super) fn both(
    args: &DiffArgs,
    blueprint: &Blueprint,
    context: &Context<'_, '_>,
) -> Result<(Side, Side), Stop> {
    let [old, new] = [&args.old, &args.new].map(Option::as_deref);
    // what a file adds lies on the other side, or on the project's own facts
    let around = |other: Option<&str>| match other.filter(|it| !is_of_facts(it)) {
        Some(word) => side(word, blueprint, context),
        None => base(blueprint),
    };
    let is_own = |word: &str| {
        let own = blueprint.folder.join(LOCAL_CATALOG).canonicalize();
        own.is_ok_and(|own| context.folder.join(word).canonicalize().is_ok_and(|it| it == own))
    };
    let named = |word: &str, other: Option<&str>| match is_of_facts(word) {
        true => on_top(word, is_own(word), &around(other)?, context),
        false => side(word, blueprint, context),
    };
    let before = old.map_or_else(|| of_project(blueprint), |word| named(word, new))?;
    let after = named(new.unwrap_or(BUILTIN), old)?;
    let names_own = [old, new].into_iter().flatten().any(is_own);
    with_own(before, after, if names_own { None } else { Some(blueprint) })
}

/// What the project adds is of its day at a revision, and of now elsewhere; beside the file of it, it adds nothing.
fn with_own(
    mut old: Side,
    mut new: Side,
    elsewhere: Option<&Blueprint>,
) -> Result<(Side, Side), Stop> {
    if old.own.is_none() && new.own.is_none() {
        return Ok((old, new));
    }
    let own = elsewhere.map(|it| (it.base.join(LOCAL_CATALOG), it.folder.join(LOCAL_CATALOG)));
    let own = match own.filter(|(_, path)| path.exists()) {
        Some((shown, path)) => text(&shown, &path)?,
        None => "".into(),
    };
    for side in [&mut old, &mut new] {
        side.own.get_or_insert_with(|| own.clone());
    }
    Ok((old, new))
}

/// Whether a word names a file of facts, which is no whole catalog.
fn is_of_facts(word: &str) -> bool {
    Utf8Path::new(word).extension() == Some("toml")
}

/// The facts of the project's lock, or of the compiler.
fn base(blueprint: &Blueprint) -> Result<Side, Stop> {
    match blueprint.folder.join(LOCK_FILE).exists() {
        true => of_project(blueprint),
        false => Ok(Side::new(BUILTIN.to_owned(), Catalog::builtin().clone())),
    }
}

/// Facts with those of a file on top, which may be what the project itself adds.
fn on_top(word: &str, is_own: bool, base: &Side, context: &Context<'_, '_>) -> Result<Side, Stop> {
    let path = context.folder.join(word);
    if !path.is_file() {
        return Err(unknown(word, "is no file"));
    }
    let text = text(Utf8Path::new(word), &path)?;
    let facts = with_local(&base.facts, word, &text)?;
    let shown = format!("{word} on {}", base.shown);
    Ok(match is_own {
        true => Side { shown, facts: base.facts.clone(), own: Some(text) },
        false => Side { shown, facts, own: base.own.clone() },
    })
}

fn of_project(blueprint: &Blueprint) -> Result<Side, Stop> {
    let path = blueprint.folder.join(LOCK_FILE);
    let shown = blueprint.base.join(LOCK_FILE);
    if path.exists() {
        return of_file(&shown, &path);
    }
    let stop =
        Stop::new(USAGE_FACTS, format!("there is no `{shown}`: the project is held to no facts"));
    Err(stop.help("hold it to those of this compiler with `slipform lock`, or name what to compare: `slipform catalog diff OLD NEW`"))
}

fn side(word: &str, blueprint: &Blueprint, context: &Context<'_, '_>) -> Result<Side, Stop> {
    if word == BUILTIN {
        return Ok(Side::new(word.to_owned(), Catalog::builtin().clone()));
    }
    let (shown, path) = (Utf8Path::new(word), context.folder.join(word));
    if !word.is_empty() && path.is_dir() {
        let lock = path.join(LOCK_FILE);
        return match lock.exists() {
            true => of_file(&shown.join(LOCK_FILE), &lock),
            false => of_folder(shown, &path),
        };
    }
    if !word.is_empty() && path.exists() {
        return of_file(shown, &path);
    }
    of_revision(word, blueprint)
}

/// What the project was held to at a revision, and what it added there: to the facts of this compiler, where it had no lock.
fn of_revision(word: &str, blueprint: &Blueprint) -> Result<Side, Stop> {
    let at = |name: &str| at_revisions(&blueprint.folder, name, Some(word)).next();
    let own = at(LOCAL_CATALOG);
    let (base, facts) = match (at(LOCK_FILE), &own) {
        (Some(text), _) => {
            let place = format!("{word}:{LOCK_FILE}");
            (LOCK_FILE, locked(Utf8Path::new(&place), &text)?.catalog)
        }
        (None, Some(_)) => (BUILTIN, Catalog::builtin().clone()),
        (None, None) => {
            let why = format!(
                "is no file, no folder, and no revision of the repository that has a lock, or a `{LOCAL_CATALOG}`, beside the project"
            );
            return Err(unknown(word, &why));
        }
    };
    if let Some(own) = &own {
        with_local(&facts, &format!("{word}:{LOCAL_CATALOG}"), own)?;
    }
    let added = own.as_ref().map_or_else(String::new, |_| format!(" with {LOCAL_CATALOG}"));
    let shown = format!("{base}{added} at {word}");
    Ok(Side { shown, facts, own: Some(own.unwrap_or_default().into()) })
}

fn unknown(word: &str, why: &str) -> Stop {
    let stop = Stop::new(USAGE_FACTS, format!("`{word}` {why}"));
    stop.help(format!("name `{BUILTIN}`, a lock, a folder with one or with a whole catalog, a file of facts, or a revision such as `HEAD~1`"))
}

/// A lock.
fn of_file(shown: &Utf8Path, path: &Path) -> Result<Side, Stop> {
    let facts = locked(shown, &text(shown, path)?)?.catalog;
    Ok(Side::new(shown.to_string(), facts))
}

fn text(shown: &Utf8Path, path: &Path) -> Result<Arc<str>, Stop> {
    read(path).map_err(|why: ReadError| {
        Stop::new(USAGE_FACTS, format!("`{shown}` cannot be read: {why}"))
    })
}

/// A whole catalog, as `stdlib/catalog` is.
fn of_folder(shown: &Utf8Path, path: &Path) -> Result<Side, Stop> {
    let mut files = Vec::new();
    gather(path, "", &mut files);
    files.sort();
    let mut texts = Vec::new();
    for name in files {
        let text = read(&path.join(&name)).map_err(|why| {
            Stop::new(USAGE_FACTS, format!("`{}` cannot be read: {why}", shown.join(&name)))
        })?;
        texts.push((name, text));
    }
    if let Some(stop) = no_catalog(shown, &texts) {
        return Err(stop);
    }
    let named: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), &**text)).collect();
    let facts = Catalog::of_files(&named).map_err(|problems| {
        let told = |it: String| Diagnostic::nowhere(USAGE_FACTS, format!("{shown}: {it}"));
        let stop = Stop(problems.into_iter().map(told).collect());
        stop.help("a folder without a lock has to be a whole catalog, as `stdlib/catalog` of a checkout of Slipform is")
    })?;
    Ok(Side::new(shown.to_string(), facts))
}

/// What a folder is that is no catalog: a project that is held to no facts, or nothing of the sort.
fn no_catalog(shown: &Utf8Path, texts: &[(String, Arc<str>)]) -> Option<Stop> {
    let has = |name: &str| texts.iter().any(|(path, _)| path == name);
    if has(LOCAL_CATALOG) {
        let own = if shown == "." { Utf8Path::new("") } else { shown }.join(LOCAL_CATALOG);
        let why = format!("is a project without a lock, and `{LOCAL_CATALOG}` is no whole catalog");
        let stop = Stop::new(USAGE_FACTS, format!("`{shown}` {why}"));
        return Some(stop.help(format!(
            "what it adds to the facts of this compiler: `slipform catalog diff {BUILTIN} {own}`"
        )));
    }
    if has(PROJECT_FILE) {
        let stop = Stop::new(
            USAGE_FACTS,
            format!(
                "`{shown}` is a project without a lock: it has the facts of this compiler, which are `{BUILTIN}`"
            ),
        );
        return Some(stop.help("hold it to them with `slipform lock`, or name a lock, or a revision of the repository that has one"));
    }
    texts.is_empty().then(|| unknown(shown.as_str(), "has neither a lock nor files of facts"))
}

/// The `.toml` files below a folder.
fn gather(root: &Path, inside: &str, found: &mut Vec<String>) {
    let entries = std::fs::read_dir(root.join(inside)).into_iter().flatten().flatten();
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if inside.is_empty() { name } else { format!("{inside}/{name}") };
        // a link may lead round in a circle
        let kind = entry.file_type().ok();
        if found.len() >= MOST_FILES || path.split('/').any(|part| part.starts_with('.')) {
            continue;
        }
        if kind.is_some_and(|kind| kind.is_dir()) {
            gather(root, &path, found);
        } else if path.ends_with(".toml") {
            found.push(path);
        }
    }
}
