//! The facts that a project is checked against: the compiler's, or those that a lock holds it to, and its own on top.

use crate::project::{LOCAL_CATALOG, LOCK_FILE};
use crate::report::Reports;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_model::catalog::{Catalog, CatalogProblem, LockError, Locked};
use slipform_model::{Diagnostic, Severity, nearest};
use slipform_source::{Code, FileId, ReadError, Sources, Span, World};
use std::sync::{Arc, Mutex, PoisonError};

slipform_source::codes! {
    pub(crate) CODES;
    pub CATALOG_HELD = "catalog/held":
        "`slipform.lock` holds the project to other facts than those of this compiler",
        "`slipform catalog diff` tells what the newer facts mean for the project; `slipform lock --update` takes them";
    pub CATALOG_LOCAL = "catalog/local":
        "the project's own facts cannot be used",
        "mend the line of `catalog.local.toml`; its tables have the form of the built-in ones";
    pub CATALOG_LOCK = "catalog/lock":
        "the facts that `slipform.lock` holds the project to cannot be used",
        "bring `slipform.lock` back from version control, or write it anew with `slipform lock --update`; a project's own facts go into `catalog.local.toml`";
}

/// Names that one note spells out.
const SPELLED: usize = 4;

/// The facts of a project; over `given` ones where somebody wants to know what others would mean.
pub(crate) fn facts(
    world: &dyn World,
    root: &Utf8Path,
    given: Option<&Arc<Catalog>>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Arc<Catalog> {
    let base = match given {
        Some(given) => given.clone(),
        None => held(world, root, sources, reports),
    };
    local(world, root, base, sources, reports)
}

/// The facts of the project in a folder, whatever its blueprints say; what is wrong with them, each with its place.
pub fn facts_in(
    world: &dyn World,
    root: &Utf8Path,
) -> Result<Arc<Catalog>, Vec<(String, Diagnostic)>> {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let found = facts(world, root, None, &mut sources, &mut reports);
    if !reports.has_errors() {
        return Ok(found);
    }
    let errors = reports.finish().into_iter().filter(|it| it.severity == Severity::Error);
    let at = |it: &Diagnostic| it.span().map_or_else(String::new, |span| sources.line_ref(span));
    Err(errors.map(|it| (at(&it), it)).collect())
}

/// The text of a file beside the project's; nothing where there is none, or it cannot be read.
fn read(
    world: &dyn World,
    path: Utf8PathBuf,
    code: Code,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<(FileId, Arc<str>)> {
    match world.read(&path) {
        Ok(text) => Some((sources.add(path, text.clone()), text)),
        Err(ReadError::NotFound) => None,
        Err(why) => {
            let at = sources.add(path.clone(), "");
            let message = format!("`{path}` cannot be read: {why}");
            reports.error(code, message, Span::new(at, 0, 0));
            None
        }
    }
}

/// A line, from 1, without its end.
fn line(sources: &Sources, file: FileId, line: u32) -> Span {
    let Some(source) = sources.get(file) else { return Span::new(file, 0, 0) };
    let range = source.lines().range(line.saturating_sub(1));
    let text = source.text.get(range.clone()).unwrap_or_default();
    Span::new(file, range.start, range.start + text.trim_end().len())
}

/// The compiler's own facts, or those of a lock.
fn held(
    world: &dyn World,
    root: &Utf8Path,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Arc<Catalog> {
    let own = || Arc::new(Catalog::builtin().clone());
    let path = root.join(LOCK_FILE);
    let Some((file, text)) = read(world, path, CATALOG_LOCK, sources, reports) else {
        return own();
    };
    match locked(&text) {
        Ok(locked) => {
            let at = text.lines().position(|line| line.starts_with("catalog = ")).unwrap_or(0);
            let at = line(sources, file, u32::try_from(at + 1).unwrap_or(1));
            if locked.differs {
                reports.add(note(&locked, at));
            }
            Arc::new(locked.catalog.clone())
        }
        Err(why) => {
            let LockError { problems, help } = &*why;
            for (at, message) in problems.clone() {
                let at = line(sources, file, at);
                reports.add(Diagnostic::error(CATALOG_LOCK, message, at).help(help.clone()));
            }
            own()
        }
    }
}

/// What a lock comes to.
type Held = Result<Arc<Locked>, Arc<LockError>>;

/// The facts of a lock, or why there are none. Environments, and analyses of one edit after another, have the same one: the last is kept.
fn locked(text: &Arc<str>) -> Held {
    static LAST: Mutex<Option<(Arc<str>, Held)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, held)) = last.as_ref().filter(|(known, _)| known == text) {
        return held.clone();
    }
    let held = Catalog::locked(text).map(Arc::new).map_err(Arc::new);
    *last = Some((text.clone(), held.clone()));
    held
}

/// What is worth knowing of a lock that holds: all of it at once.
fn note(locked: &Locked, at: Span) -> Diagnostic {
    let (its, own) = (locked.catalog.version(), Catalog::builtin().version());
    let message =
        format!("the project is held to the facts of the catalog {its}; this compiler has {own}");
    let mut note = Diagnostic::advice(CATALOG_HELD, message, at)
        .help("`slipform catalog diff` tells what the other facts mean for the project, and `slipform lock --update` takes them");
    let unknown = [
        (&locked.filled, "what the lock could not say comes from this compiler"),
        (&locked.aside, "what the lock says and this compiler does not know is left aside"),
    ];
    for (names, what) in unknown.into_iter().filter(|(names, _)| !names.is_empty()) {
        let spelled: Vec<String> = names.iter().take(SPELLED).map(|it| format!("`{it}`")).collect();
        let more = names.len() - spelled.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        note = note.help(format!("{what}: {}{more}", spelled.join(", ")));
    }
    note
}

/// A project's own facts on top of others.
fn local(
    world: &dyn World,
    root: &Utf8Path,
    base: Arc<Catalog>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Arc<Catalog> {
    let path = root.join(LOCAL_CATALOG);
    let Some((file, text)) = read(world, path, CATALOG_LOCAL, sources, reports) else {
        return base;
    };
    match base.with_local(&text) {
        Ok(catalog) => Arc::new(catalog),
        Err(error) => {
            // what it says is known to nobody, for this reason
            let said = text.split('"').skip(1).step_by(2);
            said.filter(|it| !it.is_empty()).for_each(|it| reports.miss(it));
            for problem in error.problems {
                let at = line(sources, file, problem.line.unwrap_or(1));
                let told = misspelt(&problem, &text, at);
                let plain = || Diagnostic::error(CATALOG_LOCAL, problem.message.clone(), at);
                reports.add(told.unwrap_or_else(plain));
            }
            base
        }
    }
}

/// A problem with a word that is almost one that may stand there, at the word; `line` is where the problem is told.
fn misspelt(problem: &CatalogProblem, text: &str, line: Span) -> Option<Diagnostic> {
    let quoted: Vec<&str> = problem.message.split('`').skip(1).step_by(2).collect();
    let (written, expected) = quoted.split_first()?;
    let forms = Catalog::builtin().forms();
    let of_row = problem.row.split(' ').next().unwrap_or_default();
    let rows = forms.iter().filter(|form| form.table == of_row).flat_map(|form| &form.rows);
    let (what, known): (&str, Vec<&str>) = match problem.key.as_deref() {
        Some(_) if problem.row.is_empty() => {
            ("a table", forms.iter().map(|form| form.table).collect())
        }
        Some("like") => ("a row", rows.map(String::as_str).collect()),
        _ => ("a word", expected.to_vec()),
    };
    let near = nearest(written, known)?;
    let behind = text.get(line.start as usize..)?;
    let start = line.start as usize + behind.find(written)?;
    let span = Span::new(line.file, start, start + written.len());
    let said = problem.message.split(", expected ").next().unwrap_or_default();
    Some(Diagnostic::error(CATALOG_LOCAL, said, span).meant(what, near, span))
}
