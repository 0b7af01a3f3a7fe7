//! Files to use, and what they declare.

use super::super::cursor::word_of;
use super::{Completer, Completion, CompletionKind};
use crate::program::declared_name;
use slipform_syntax::tree::StmtKind;
use std::collections::BTreeSet;

impl Completer<'_, '_, '_> {
    /// Files that can be used: the project's own, and the components of the standard library.
    pub(super) fn modules(&mut self) {
        let mut modules: BTreeSet<String> = BTreeSet::new();
        let others = self.program.units.iter().enumerate().filter(|(at, _)| *at != self.unit.0);
        for (_, unit) in others {
            if unit.std && !unit.module.starts_with("std.components.") {
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
            let insert = match self.place.continues {
                true => module.clone(),
                false => format!("{module}.{{$0\\}}"),
            };
            let detail = "file".to_owned();
            self.found.push(Completion {
                insert,
                detail,
                ..self.item(module, CompletionKind::Module, 0)
            });
        }
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
