//! Files to use, and what they declare.

use super::super::cursor::word_of;
use super::place::Wanted;
use super::{Completer, Completion, CompletionKind};
use crate::program::declared_name;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_source::{Span, World};
use slipform_syntax::tree::StmtKind;
use std::collections::BTreeSet;

/// How deep files are looked for in the folder of a project.
const DEEPEST: usize = 4;

/// How many files of it are offered.
const MOST_FILES: usize = 200;

/// A place where a file is wanted, of which an analysis knows those alone that are used already.
#[derive(Clone, PartialEq, Debug)]
pub struct Unread {
    /// The folder of the project's blueprints.
    source: Utf8PathBuf,
    /// The file at the cursor, as a `use` writes it.
    own: String,
    replace: Span,
    continues: bool,
}

impl Unread {
    /// The files that lie in the folder, besides the one at the cursor.
    pub fn completions(&self, world: &dyn World) -> Vec<Completion> {
        let mut modules = Self::modules(world, &self.source);
        modules.retain(|module| *module != self.own);
        let completion = |module| of_module(module, self.replace, self.continues);
        modules.into_iter().map(completion).collect()
    }

    /// The files in the folder of a project's blueprints, each as a `use` writes it.
    pub(in crate::ide) fn modules(world: &dyn World, source: &Utf8Path) -> Vec<String> {
        let mut modules = Vec::new();
        Self::walk(world, source, "", &mut modules);
        modules
    }

    fn walk(world: &dyn World, folder: &Utf8Path, inside: &str, found: &mut Vec<String>) {
        for name in world.list(folder) {
            let stem = name.strip_suffix(".bp").unwrap_or(&name);
            if found.len() >= MOST_FILES || !is_name(stem) {
                continue;
            }
            let module = format!("{inside}{stem}");
            if stem != name {
                found.push(module);
            } else if module.matches('.').count() + 1 < DEEPEST {
                Self::walk(world, &folder.join(&name), &format!("{module}."), found);
            }
        }
    }
}

/// Whether the path of a `use` can have a file or a folder of this name.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// A file, as a `use` writes it.
fn of_module(module: String, replace: Span, continues: bool) -> Completion {
    let insert = match continues {
        true => module.clone(),
        false => format!("{module}.{{$0\\}}"),
    };
    Completion {
        kind: CompletionKind::Module,
        detail: "file".to_owned(),
        doc: None,
        insert,
        replace,
        filter: module.clone(),
        rank: 0,
        near: u32::MAX,
        label: module,
    }
}

impl Completer<'_, '_, '_> {
    /// Files that can be used: the project's own, and the components of the standard library.
    pub(super) fn modules(&mut self) {
        let mut modules: BTreeSet<String> = BTreeSet::new();
        let others = self.program.units.iter().enumerate().filter(|(at, _)| *at != self.unit.0);
        for (_, unit) in others {
            let of_library = unit.std && !unit.module.starts_with("std.components.");
            if of_library || !unit.module.split('.').all(is_name) {
                continue;
            }
            if let Some((folder, _)) = unit.module.rsplit_once('.') {
                modules.insert(folder.to_owned());
            }
            if !unit.std {
                modules.insert(unit.module.clone());
            }
        }
        for module in modules {
            self.found.push(of_module(module, self.place.replace, self.place.continues));
        }
    }

    /// Where files are to use that nobody uses yet.
    pub(super) fn unread(&self) -> Option<Unread> {
        let source = &self.analysis.project.as_ref()?.source;
        let own = self.program.units.get(self.unit.0).map(|unit| unit.module.clone());
        matches!(self.place.wanted, Wanted::Module).then(|| Unread {
            source: source.clone(),
            own: own.unwrap_or_default(),
            replace: self.place.replace,
            continues: self.place.continues,
        })
    }

    /// What a file, or the files of a folder, declare.
    pub(super) fn imports(&mut self, module: &[String]) {
        let module = module.join(".");
        let inside = format!("{module}.");
        let units = self.program.units.iter();
        let units = units.filter(|unit| unit.module == module || unit.module.starts_with(&inside));
        for stmt in units.flat_map(|unit| &unit.tree.stmts) {
            let Some(name) = declared_name(stmt) else { continue };
            if self.place.written.iter().any(|known| *known == *name.value) {
                continue;
            }
            let kind = match &stmt.kind {
                StmtKind::Component(_) => CompletionKind::Kind,
                StmtKind::Decl(_) => CompletionKind::Noun,
                StmtKind::Param(_) | StmtKind::Let(_) => CompletionKind::Name,
                // Types and kinds are known everywhere.
                _ => continue,
            };
            let detail = word_of(stmt).unwrap_or_default().to_owned();
            let doc = stmt.doc.clone();
            self.found.push(Completion { detail, doc, ..self.item(name.value.as_str(), kind, 0) });
        }
    }
}
