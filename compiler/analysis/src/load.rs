//! Reads the files of a blueprint and those that they use. The standard library is parsed once a process.

use crate::program::NAMES_USE;
use crate::project::Project;
use crate::report::Reports;
use crate::schema::{Components, Schema, StmtAt};
use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use slipform_model::{Diagnostic, nearest};
use slipform_source::{FileId, ReadError, Sources, Span, World};
use slipform_syntax::tree::{Late, Stmt, StmtKind, Tree, Use};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_USE_CYCLE = "names/use-cycle":
        "files use each other in a circle",
        "move what both need into a third file";
    pub PROJECT_UNREADABLE = "project/unreadable":
        "a file cannot be read",
        "check that it exists, that it is UTF-8 text, and its permissions";
}

/// The standard library, parsed.
pub(crate) struct Standard {
    pub(crate) sources: Sources,
    pub(crate) files: Vec<(Arc<Tree>, String)>,
    pub(crate) schema: Schema,
    pub(crate) components: Components,
    pub(crate) heads: Heads,
}

/// What there is to know of what the library declares besides rules before one of it is read.
#[derive(Default, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Heads {
    /// The files that declare something besides rules.
    declaring: BTreeSet<usize>,
    /// The constructors of types, each with the name of its type.
    pub(crate) ctors: Vec<(&'static str, &'static str)>,
}

impl Standard {
    /// What stands there.
    pub(crate) fn stmt(&self, at: StmtAt) -> Option<&Stmt> {
        let (tree, _) = self.files.get(at.file)?;
        tree.stmts.get(at.stmt)
    }

    /// Whether a file declares something besides rules, which nobody names.
    pub(crate) fn declares(&self, file: usize) -> bool {
        self.heads.declaring.contains(&file)
    }
}

/// The standard library. Its files come first in every [`Sources`], so its spans are the same everywhere.
pub(crate) fn standard() -> &'static Standard {
    static STANDARD: OnceLock<Standard> = OnceLock::new();
    STANDARD.get_or_init(|| {
        let mut sources = Sources::default();
        let mut files = Vec::new();
        let (stored, heads) = stored();
        for (StoredFile { path, module, stmts, comments }, (_, text)) in
            stored.into_iter().zip(slipform_stdlib::FILES)
        {
            let file = sources.add(path, *text);
            let (stmts, comments) = (Late::stored(body(stmts)), Late::stored(body(comments)));
            let tree = Tree { file, stmts, comments, problems: Vec::new() };
            files.push((Arc::new(tree), module.to_owned()));
        }
        let mut schema = Schema::default();
        let declaring = heads.declaring.iter().filter_map(|at| Some((*at, &*files.get(*at)?.0)));
        let components = schema.extend_by_standard(declaring, &heads.ctors);
        Standard { sources, files, schema, components, heads }
    })
}

/// A file of the library: where the build left its statements and its comments. Its name stands here once more, since the names of all are read at every
/// start, and its text only where something is told.
#[derive(Deserialize)]
struct StoredFile {
    path: &'static str,
    module: &'static str,
    stmts: Range<usize>,
    comments: Range<usize>,
}

/// The files of the library, and what there is to know of them before one is read.
fn stored() -> (Vec<StoredFile>, Heads) {
    const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/stdlib.bin"));
    // Bytes that the build itself wrote; a test makes sure that they hold every file.
    postcard::from_bytes(BYTES).unwrap_or_default()
}

/// Statements, comments or expressions as the build left them.
pub(crate) fn body(at: Range<usize>) -> &'static [u8] {
    const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/trees.bin"));
    BYTES.get(at).unwrap_or_default()
}

/// The files of a blueprint, the standard library's first.
pub(crate) struct Loaded {
    pub(crate) files: Vec<(Arc<Tree>, String)>,
    pub(crate) std_files: usize,
}

/// Parses a text; an editor keeps what did not change.
pub type Parser<'p> = dyn FnMut(FileId, &str) -> Tree + 'p;

/// Reads the project's files and everything that they use.
pub(crate) fn load(
    world: &dyn World,
    project: &Project,
    parse: &mut Parser<'_>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Loaded {
    let standard = standard();
    let mut loader = Loader {
        world,
        project,
        parse,
        sources,
        reports,
        files: standard.files.clone(),
        known: BTreeMap::new(),
        active: Vec::new(),
    };
    for entry in &project.entries {
        loader.file(entry, None);
    }
    Loaded { files: loader.files, std_files: standard.files.len() }
}

struct Loader<'a, 'p> {
    world: &'a dyn World,
    project: &'a Project,
    parse: &'a mut Parser<'p>,
    sources: &'a mut Sources,
    reports: &'a mut Reports,
    files: Vec<(Arc<Tree>, String)>,
    known: BTreeMap<Utf8PathBuf, Option<usize>>,
    /// The files being read, each with the `use` that asked for the next.
    active: Vec<(Utf8PathBuf, Span)>,
}

/// The most files of a circle that are named.
const NAMED: usize = 8;

impl Loader<'_, '_> {
    fn file(&mut self, path: &Utf8Path, asked: Option<Span>) {
        if let Some(start) = self.active.iter().position(|(active, _)| active == path) {
            self.cycle(start, asked);
            return;
        }
        if self.known.contains_key(path) {
            return;
        }
        let text = match self.world.read(path) {
            Ok(text) => text,
            Err(why) => {
                self.known.insert(path.to_owned(), None);
                self.unreadable(path, &why, asked);
                return;
            }
        };
        let id = self.sources.add(path.to_owned(), text.clone());
        let tree = Arc::new((self.parse)(id, &text));
        for problem in &tree.problems {
            self.reports.add(crate::report::of_syntax(problem));
        }
        if !tree.problems.is_empty() && has_lost_name(&tree.stmts, &text) {
            self.reports.lose_a_name();
        }
        self.files.push((tree.clone(), module_of(&self.project.source, path)));
        self.known.insert(path.to_owned(), Some(self.files.len() - 1));
        for stmt in &tree.stmts {
            if let StmtKind::Use(used) = &stmt.kind {
                self.active.push((path.to_owned(), stmt.span));
                self.used(used, stmt.span);
                self.active.pop();
            }
        }
    }

    fn used(&mut self, used: &Use, at: Span) {
        let segments: Vec<&str> = used.path.iter().map(|name| name.value.as_str()).collect();
        let Some(first) = segments.first() else { return };
        if *first == "std" {
            let module = segments.join(".");
            let known = self
                .files
                .iter()
                .any(|(_, known)| *known == module || known.starts_with(&format!("{module}.")));
            if !known {
                self.not_of_library(used, &module, at);
            }
            return;
        }
        let base =
            segments.iter().fold(self.project.source.clone(), |path, segment| path.join(segment));
        let file = base.with_extension("bp");
        let inside: Vec<Utf8PathBuf> = self
            .world
            .list(&base)
            .into_iter()
            .filter(|name| name.ends_with(".bp"))
            .map(|name| base.join(name))
            .collect();
        match self.world.read(&file) {
            Err(ReadError::NotFound) if !inside.is_empty() => {
                for path in inside {
                    self.file(&path, Some(at));
                }
            }
            _ => self.file(&file, Some(at)),
        }
    }

    fn not_of_library(&mut self, used: &Use, module: &str, at: Span) {
        let names = used.path.first().zip(used.path.last());
        let at = names.map_or(at, |(first, last)| first.span.to(last.span));
        let message = format!("the standard library has no `{module}`");
        let report = Diagnostic::error(NAMES_USE, message, at);
        let folders = self.files.iter().filter_map(|(_, it)| Some(it.rsplit_once('.')?.0));
        let files = self.files.iter().map(|(_, known)| known.as_str());
        let known = folders.chain(files).filter(|it| it.starts_with("std."));
        let report = match nearest(module, known) {
            Some(near) => report.meant("a part of it", near, at),
            None => report.help("its components are in `std.components`"),
        };
        self.reports.add(report);
    }

    fn cycle(&mut self, start: usize, asked: Option<Span>) {
        let circle = self.active.get(start..).unwrap_or_default();
        // files are told apart by where they lie in the folder of all of them
        let paths = || circle.iter().map(|(path, _)| path);
        let folders = paths().next().into_iter().flat_map(|path| path.ancestors().skip(1));
        let mut common = folders.filter(|folder| paths().all(|path| path.starts_with(folder)));
        let common = common.next().unwrap_or(Utf8Path::new(""));
        let short = |path: &Utf8Path| path.strip_prefix(common).unwrap_or(path).to_string();
        let mut path: Vec<String> = paths().take(NAMED).map(|path| short(path)).collect();
        let first = path.first().cloned().unwrap_or_default();
        if circle.len() > NAMED {
            path.push(format!("{} more", circle.len() - NAMED));
        }
        let message = format!("files use each other in a circle: {} -> {first}", path.join(" -> "));
        let Some(at) = asked else { return };
        let mut report = Diagnostic::error(NAMES_USE_CYCLE, message, at)
            .help("move what both need into a third file");
        for (path, span) in circle.iter().take(NAMED) {
            if *span != at {
                report = report.also(*span, format!("`{}` uses the next one here", short(path)));
            }
        }
        self.reports.add(report);
    }

    fn unreadable(&mut self, path: &Utf8Path, why: &ReadError, asked: Option<Span>) {
        let at = asked.unwrap_or_else(|| Span::new(self.sources.add(path.to_owned(), ""), 0, 0));
        self.reports.error(PROJECT_UNREADABLE, format!("`{path}` cannot be read: {why}"), at);
    }
}

/// Whether a noun is declared whose name could not be read, or a block whose head could not.
fn has_lost_name(stmts: &[Stmt], text: &str) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Decl(decl) => {
            // behind a head of too many words the block is none
            let tail = decl.header.end as usize..stmt.span.end as usize;
            let cut = || text.get(tail).is_some_and(|tail| tail.contains('{'));
            decl.name.is_none()
                || stmt.broken && decl.body.is_empty() && cut()
                || has_lost_name(&decl.body, text)
        }
        StmtKind::For(rounds) => has_lost_name(&rounds.body, text),
        StmtKind::If(choice) => {
            let otherwise = choice.otherwise.as_deref().unwrap_or_default();
            has_lost_name(&choice.then, text) || has_lost_name(otherwise, text)
        }
        StmtKind::Error => text.get(stmt.span.range()).is_some_and(|it| it.contains('{')),
        _ => false,
    })
}

/// `std/components/nccl_test.bp` as a `use` writes it.
pub(crate) fn module_of(source: &Utf8Path, path: &Utf8Path) -> String {
    let path = path.strip_prefix(source).unwrap_or(path).with_extension("");
    let parts: Vec<&str> = path.components().map(|part| part.as_str()).collect();
    parts.join(".")
}

/// The module that a `use` names to bring in something of a file: of the standard library its folder.
pub(crate) fn as_used(module: &str) -> &str {
    let folder = module.rsplit_once('.').map_or(module, |(folder, _)| folder);
    if module.starts_with("std.") { folder } else { module }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Fields;

    #[test]
    fn the_baked_library_is_what_its_text_says() {
        let baked = &standard().files;
        assert_eq!(baked.len(), slipform_stdlib::FILES.len());
        for ((tree, module), (path, text)) in baked.iter().zip(slipform_stdlib::FILES) {
            assert_eq!(**tree, slipform_syntax::parse(tree.file, text), "{path}");
            assert_eq!(*module, module_of(Utf8Path::new(""), Utf8Path::new(path)));
            assert_eq!(standard().sources.get(tree.file).unwrap().path, *path);
        }
    }

    #[test]
    fn files_that_declare_nothing_but_rules_are_known() {
        let standard = standard();
        for (at, (tree, module)) in standard.files.iter().enumerate() {
            let alone = tree.stmts.iter().all(|stmt| matches!(stmt.kind, StmtKind::Rule(_)));
            assert_eq!(standard.declares(at), !alone, "{module}");
        }
    }

    #[test]
    fn what_is_read_late_is_what_is_read_at_once() {
        let Standard { files, schema: late, .. } = standard();
        let mut schema = Schema::default();
        schema.extend(files.iter().map(|(tree, _)| &**tree), &mut Reports::default());
        let spelled = |fields: &Fields| {
            let fields = fields.0.iter();
            fields
                .map(|(name, it)| format!("{name}: {} {:?}", it.ty, it.default))
                .collect::<Vec<_>>()
        };
        let ctors = |of: &Schema| -> BTreeMap<_, _> {
            let all = of.ctors.values();
            all.map(|it| (it.name.clone(), (it.of.clone(), it.span, spelled(&it.fields)))).collect()
        };
        assert_eq!(ctors(&schema), ctors(late));
        assert!(!ctors(late).is_empty());
        assert_eq!(schema.types.len(), late.types.len());
        for (name, ty) in &schema.types {
            let of = &late.types[name];
            assert_eq!((ty.span, ty.definition.to_string()), (of.span, of.definition.to_string()));
        }
        for (name, kind) in &schema.kinds {
            let of = &late.kinds[name];
            assert_eq!((kind.span, spelled(&kind.fields)), (of.span, spelled(&of.fields)));
        }
    }
}
