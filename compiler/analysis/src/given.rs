//! Values of parameters that come from outside: the command line and the project file.

use crate::check::Scope;
use crate::index::Index;
use crate::infer::{Infer, not_called};
use crate::program::Program;
use crate::project::{Project, Setting};
use crate::report::Reports;
use crate::types::Type;
use slipform_model::{Diagnostic, nearest, similar};
use slipform_source::{FileId, Sources, Span};
use slipform_syntax::tree::{Entry, Expr, ExprKind, Param, StmtKind, StrPart, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    PARAM_UNKNOWN = "param/unknown":
        "a value is given to a parameter that the blueprint does not have",
        "check the spelling";
    PARAM_VALUE = "param/value":
        "the value of a parameter is not of its type",
        "write it as the blueprint would: `16`, `80GiB`, `[\"a\", \"b\"]`";
}

/// The text of one value, and where it is written.
struct Given<'g> {
    name: &'g str,
    text: &'g str,
    /// What the project file says of it; `None` for the command line.
    setting: Option<&'g Setting>,
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
    for (name, setting) in &project.params {
        given.insert(name, Given { name, text: &setting.text, setting: Some(setting) });
    }
    for (name, text) in set {
        given.insert(name, Given { name, text, setting: None });
    }
    let mut values = BTreeMap::new();
    for one in given.values() {
        match params.get(one.name) {
            Some(ty) => {
                if let Some(expr) = value(program, one, ty.as_ref(), sources, reports) {
                    values.insert(one.name.to_owned(), expr);
                }
            }
            // Under another name in the blueprint it is missed there.
            None if reports.says(&not_called(one.name)) => {}
            None => {
                let Some(near) = unknown(one, &params, sources, reports) else { continue };
                // It is missed under no other name, then.
                let ty = params.get(near).filter(|_| !given.contains_key(near));
                if let Some(expr) =
                    ty.and_then(|ty| value(program, one, ty.as_ref(), sources, reports))
                {
                    values.entry(near.to_owned()).or_insert(expr);
                }
            }
        }
    }
    values
}

/// The parameters that a blueprint has.
pub(crate) fn names(program: &Program<'_>) -> BTreeSet<String> {
    params(program).into_keys().collect()
}

/// Leaves a project those values that a program cannot do without: of parameters without a default of their own.
pub(crate) fn only_waiting(program: &Program<'_>, project: &mut Project) {
    let stmts = program.units.iter().filter(|unit| !unit.std).flat_map(|unit| &unit.tree.stmts);
    let waits = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Param(Param { name: Some(name), default: None, .. }) => Some(name.value.as_str()),
        _ => None,
    });
    let waits: BTreeSet<&str> = waits.collect();
    project.params.retain(|name, _| waits.contains(name.as_str()));
}

/// Each with its type, where one is written.
fn params(program: &Program<'_>) -> BTreeMap<String, Option<Type>> {
    let stmts =
        program.units.iter().filter(|unit| !unit.std).flat_map(|unit| unit.tree.stmts.iter());
    let params = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Param(Param { name: Some(name), ty, .. }) => {
            Some((name.value.to_string(), ty.as_ref().map(|ty| program.written_type(ty))))
        }
        _ => None,
    });
    params.collect()
}

/// The place of a value: a text of its own, so that a report can show it.
fn place(one: &Given<'_>, text: &str, sources: &mut Sources) -> slipform_source::FileId {
    let path = match one.setting {
        Some(_) => format!("{} ({})", crate::project::PROJECT_FILE, one.name),
        None => format!("--set {}", one.name),
    };
    sources.add(path, Arc::from(text))
}

/// Tells of a value of no parameter; gives the one that was probably meant.
fn unknown<'p>(
    one: &Given<'_>,
    params: &'p BTreeMap<String, Option<Type>>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<&'p str> {
    let span = one.setting.map(|setting| setting.key).unwrap_or_else(|| {
        let text = format!("{}={}", one.name, one.text);
        Span::new(place(one, &text, sources), 0, one.name.len())
    });
    let mut report = Diagnostic::error(
        PARAM_UNKNOWN,
        format!("the blueprint has no parameter `{}`", one.name),
        span,
    );
    let known: Vec<&str> = params.keys().map(String::as_str).collect();
    let near = nearest(one.name, known.iter().copied());
    if let Some(near) = near {
        report = match one.setting {
            Some(_) => report.meant("a parameter", near, span),
            None => report.help(similar("a parameter", near)),
        };
    } else if !known.is_empty() {
        report = report.help(format!("its parameters are {}", known.join(", ")));
    }
    reports.add_once(report);
    near
}

fn value(
    program: &Program<'_>,
    one: &Given<'_>,
    ty: Option<&Type>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<Expr> {
    let ty = ty.unwrap_or(&Type::Str);
    // That there is no such type is said where it is written.
    if let (Type::Unknown, Some(setting)) = (ty.bare(), one.setting) {
        return Some(Expr { span: setting.value, kind: ExprKind::Missing });
    }
    let takes_text = ty.arms().iter().any(|arm| Type::Str.fits(arm));
    if takes_text {
        let span = match one.setting {
            Some(setting) => setting.value,
            None => Span::new(place(one, one.text, sources), 0, one.text.len()),
        };
        let kind = ExprKind::Str(vec![StrPart::Text(one.text.into())]);
        return Some(Expr { span, kind });
    }
    let in_project = one.setting.and_then(|setting| in_project(one.text, setting, sources));
    let (whole, expr) = match in_project {
        Some(expr) => (expr.span, Some(expr)),
        None => {
            let text = format!("{HEAD}{}", one.text);
            let file = place(one, &text, sources);
            let whole = Span::new(file, HEAD.len(), text.len());
            (one.setting.map_or(whole, |setting| setting.value), only_value(file, 0, &text))
        }
    };
    // a word that is no form of the type is a value of another
    let is_word = |expr: &Expr| match &expr.kind {
        ExprKind::Name(name) => !program.schema.ctors.contains_key(name.as_str()),
        _ => false,
    };
    let Some(expr) = expr else {
        reports.error(PARAM_VALUE, format!("`{}` is no `{ty}`", one.text), whole);
        return None;
    };
    if is_word(&expr) {
        reports.error(PARAM_VALUE, format!("`{}` is no `{ty}`", one.text), whole);
        return Some(Expr { span: whole, kind: ExprKind::Missing });
    }
    let scope = Scope::default();
    let mut index = Index::new(false);
    Infer::new(&program.schema, reports, &mut index, &scope, false).check(&expr, ty);
    Some(expr)
}

/// What stands in front of a value, to make a statement of it.
const HEAD: &str = "let x = ";

/// The value of a text at an offset of its file that is one statement and nothing else.
fn only_value(file: FileId, offset: usize, text: &str) -> Option<Expr> {
    let tree: Tree = slipform_syntax::parse_at(file, offset, text);
    match tree.stmts.as_slice() {
        [stmt] if tree.problems.is_empty() => match &stmt.kind {
            StmtKind::Let(binding) => Some(binding.value.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The value with its places in the project file, where the file writes it as a blueprint would: in a string, or as a
/// number, a list or a table that both read alike.
fn in_project(text: &str, setting: &Setting, sources: &Sources) -> Option<Expr> {
    let file = sources.get(setting.value.file)?;
    let raw = file.text.get(setting.value.range())?;
    let inside = |quotes: &str| raw.strip_prefix(quotes)?.strip_suffix(quotes);
    let (raw, quote) = match inside("\"").or_else(|| inside("'")) {
        Some(inside) => (inside, 1),
        None => (raw, 0),
    };
    // Read as if it stood behind its head in the file, the value has its places there.
    let offset = (setting.value.start as usize + quote).checked_sub(HEAD.len())?;
    let expr = only_value(setting.value.file, offset, &format!("{HEAD}{raw}"))?;
    let other = || only_value(setting.value.file, 0, &format!("{HEAD}{text}"));
    let same = raw == text || other().is_some_and(|other| alike(&expr, &other));
    same.then_some(expr)
}

/// Whether two values of a project file are the same, wherever they stand.
fn alike(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
        (ExprKind::Literal(a, text), ExprKind::Literal(b, other)) => (a, text) == (b, other),
        (ExprKind::Str(a), ExprKind::Str(b)) => match (a.as_slice(), b.as_slice()) {
            ([], []) => true,
            ([StrPart::Text(a)], [StrPart::Text(b)]) => a == b,
            _ => false,
        },
        (ExprKind::Unary(a, of), ExprKind::Unary(b, other)) => a == b && alike(of, other),
        (ExprKind::List(a), ExprKind::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (ExprKind::Record(a), ExprKind::Record(b)) => {
            let same =
                |(a, b): (&Entry, &Entry)| alike(&a.key, &b.key) && alike(&a.value, &b.value);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
        _ => false,
    }
}
