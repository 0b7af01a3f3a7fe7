//! Values of parameters that come from outside: the command line and the project file.

use crate::check::Scope;
use crate::index::Index;
use crate::infer::Infer;
use crate::program::Program;
use crate::project::Project;
use crate::report::Reports;
use crate::types::Type;
use slipform_model::{Diagnostic, nearest};
use slipform_source::{Sources, Span};
use slipform_syntax::tree::{Expr, ExprKind, Param, StmtKind, StrPart, Tree};
use std::collections::BTreeMap;

/// The text of one value, and where it is written.
struct Given<'g> {
    name: &'g str,
    text: &'g str,
    /// Its key in the project file; `None` for the command line.
    key: Option<Span>,
}

/// Reads the given values by the types of their parameters.
///
/// A text stands for itself where its parameter is a string; anything else is read as an expression.
pub(crate) fn read(
    program: &Program<'_>,
    project: &Project,
    set: &[(String, String)],
    sources: &mut Sources,
    reports: &mut Reports,
) -> BTreeMap<String, Expr> {
    let params = params(program);
    let mut given: BTreeMap<&str, Given<'_>> = BTreeMap::new();
    for (name, (text, key)) in &project.params {
        given.insert(name, Given { name, text, key: *key });
    }
    for (name, text) in set {
        given.insert(name, Given { name, text, key: None });
    }
    let mut values = BTreeMap::new();
    for one in given.values() {
        match params.get(one.name) {
            Some(ty) => {
                if let Some(expr) = value(program, one, ty, sources, reports) {
                    values.insert(one.name.to_owned(), expr);
                }
            }
            None => unknown(one, &params, sources, reports),
        }
    }
    values
}

fn params(program: &Program<'_>) -> BTreeMap<String, Type> {
    let stmts =
        program.units.iter().filter(|unit| !unit.std).flat_map(|unit| unit.tree.stmts.iter());
    let params = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Param(Param { name: Some(name), ty, .. }) => Some((
            name.value.clone(),
            ty.as_ref().map_or(Type::Unknown, |ty| program.written_type(ty)),
        )),
        _ => None,
    });
    params.collect()
}

/// The place of a value: a text of its own, so that a report can show it.
fn place(one: &Given<'_>, text: &str, sources: &mut Sources) -> slipform_source::FileId {
    let path = match one.key {
        Some(_) => format!("{} ({})", crate::project::PROJECT_FILE, one.name),
        None => format!("--set {}", one.name),
    };
    sources.add(path, text.into())
}

fn unknown(
    one: &Given<'_>,
    params: &BTreeMap<String, Type>,
    sources: &mut Sources,
    reports: &mut Reports,
) {
    let span = one.key.unwrap_or_else(|| {
        let text = format!("{}={}", one.name, one.text);
        Span::new(place(one, &text, sources), 0, one.name.len())
    });
    let mut report = Diagnostic::error(
        "param/unknown",
        format!("the blueprint has no parameter `{}`", one.name),
        span,
    );
    let known: Vec<&str> = params.keys().map(String::as_str).collect();
    if let Some(near) = nearest(one.name, known.iter().copied()) {
        report = report.help(format!("a parameter with a similar name exists: `{near}`"));
    } else if !known.is_empty() {
        report = report.help(format!("its parameters are {}", known.join(", ")));
    }
    reports.add(report);
}

fn value(
    program: &Program<'_>,
    one: &Given<'_>,
    ty: &Type,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<Expr> {
    let takes_text = ty.arms().iter().any(|arm| Type::Str.fits(arm));
    if takes_text {
        let file = place(one, one.text, sources);
        let kind = ExprKind::Str(vec![StrPart::Text(one.text.to_owned())]);
        return Some(Expr { span: Span::new(file, 0, one.text.len()), kind });
    }
    let text = format!("let {} = {}", one.name, one.text);
    let file = place(one, &text, sources);
    let tree: Tree = slipform_syntax::parse(file, &text);
    let expr = match tree.stmts.as_slice() {
        [stmt] if tree.problems.is_empty() => match &stmt.kind {
            StmtKind::Let(binding) => Some(binding.value.clone()),
            _ => None,
        },
        _ => None,
    };
    let Some(expr) = expr else {
        let head = text.len() - one.text.len();
        reports.error(
            "param/value",
            format!("`{}` is no `{ty}`", one.text),
            Span::new(file, head, text.len()),
        );
        return None;
    };
    let scope = Scope::default();
    let mut index = Index::new(false);
    Infer::new(&program.schema, reports, &mut index, &scope, false).check(&expr, ty);
    Some(expr)
}
