//! Names that nothing here is called by, and that a file of the project declares: what brings them in.

use super::complete::Unread;
use super::cursor::{Cursor, tree};
use crate::Analysis;
use crate::check::nouns::NAMES_UNKNOWN_KIND;
use crate::infer::NAMES_UNKNOWN;
use crate::load::module_of;
use crate::program::declared_name;
use slipform_model::{Diagnostic, Fix};
use slipform_source::{FileId, Span, World};
use slipform_syntax::parse;
use slipform_syntax::tree::{Stmt, StmtKind};

/// How many files are offered for a name.
const MOST: usize = 4;

/// The `use` of each file of the project that declares what a report at a place misses, whether it is read already or not.
pub fn imports(
    analysis: &Analysis,
    world: &dyn World,
    reports: &[Diagnostic],
    at: Span,
) -> Vec<Fix> {
    let is_of_name = |it: &&Diagnostic| {
        [NAMES_UNKNOWN.name, NAMES_UNKNOWN_KIND.name].contains(&&*it.code)
            && it.span().is_some_and(|span| span.meets(at) && span.file == at.file)
    };
    let missed = reports.iter().filter(is_of_name).filter_map(Diagnostic::span);
    missed.flat_map(|span| of_name(analysis, world, span)).collect()
}

fn of_name(analysis: &Analysis, world: &dyn World, span: Span) -> Vec<Fix> {
    let name = analysis.sources.text(span);
    let (Some(project), Some(file)) = (&analysis.project, analysis.sources.get(span.file)) else {
        return Vec::new();
    };
    let own = module_of(&project.source, &file.path);
    let mut found = Vec::new();
    for module in Unread::modules(world, &project.source) {
        let path = project.source.join(module.replace('.', "/")).with_extension("bp");
        let text = world.read(&path).ok().filter(|text| module != own && text.contains(name));
        let Some(text) = text else { continue };
        let stmts = parse(FileId(u32::MAX), &text).stmts;
        // files use each other in one direction
        if stmts.iter().any(|stmt| uses(stmt, &own)) {
            continue;
        }
        if !stmts.iter().any(|stmt| is_brought(stmt, name)) {
            continue;
        }
        found.extend(brought(analysis, span, &format!("use {module}.{{{name}}}")));
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Whether a statement declares a name that can be brought in.
fn is_brought(stmt: &Stmt, name: &str) -> bool {
    let is_value = matches!(
        stmt.kind,
        StmtKind::Let(_) | StmtKind::Param(_) | StmtKind::Decl(_) | StmtKind::Component(_)
    );
    is_value && declared_name(stmt).is_some_and(|it| it.value == name)
}

/// Whether a statement uses a file.
fn uses(stmt: &Stmt, module: &str) -> bool {
    let StmtKind::Use(used) = &stmt.kind else { return false };
    let path: Vec<&str> = used.path.iter().map(|name| name.value.as_str()).collect();
    path.join(".") == module
}

/// The edit that writes a `use` behind the last one of a file, or at its top.
fn brought(analysis: &Analysis, at: Span, line: &str) -> Option<Fix> {
    let stmts = &tree(analysis, at.file)?.stmts;
    let last = stmts.iter().rfind(|stmt| matches!(stmt.kind, StmtKind::Use(_)));
    let edit = match last {
        Some(last) => (last.span.at_end(), format!("\n{line}")),
        None => {
            let cursor = Cursor::new(analysis, at.file, 0)?;
            let first = stmts.first().map_or(0, |stmt| stmt.span.start as usize);
            let top = super::actions::top_at(cursor.text, first);
            (Span::new(at.file, top, top), format!("{line}\n\n"))
        }
    };
    Some(Fix { title: format!("add `{line}`"), edits: vec![edit] })
}
