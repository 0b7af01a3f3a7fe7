//! What can be done about a place besides mending what is reported: what is missing, what is too much, what is said twice.

use super::complete::names::named_texts;
use super::complete::scope::component_fields;
use super::complete::snippet::{Examples, plain, value};
use super::cursor::{Cursor, tree, word_at};
use super::references::{target, uses};
use super::unused::{self, unused};
use super::{allowances, components, mends, ranges};
use crate::Analysis;
use crate::check::nouns::TYPES_MISSING_FIELD;
use crate::schema::WAS;
use crate::types::{Fields, Type};
use slipform_model::{Diagnostic, Fix};
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Decl, Expr, ExprKind, LiteralKind, Stmt, StmtKind, Tree};
use std::collections::BTreeSet;
use std::ops::Range;

/// Something that an editor may do.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// What it is for.
    pub kind: ActionKind,
    /// What it lets be as it is, for a reason: a code. Of several that let the same be, the first that does is the one.
    pub allows: Option<String>,
    /// The edits.
    pub fix: Fix,
}

/// What an action is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// It mends something.
    Mend,
    /// It writes what is missing as far as it is known: the rest is for people to fill in.
    Fill,
    /// It gives a value a name.
    Extract,
    /// It makes a component of a noun; what is rendered then says where it comes from.
    Component,
    /// It puts a value in the places of its name.
    Inline,
    /// It says something otherwise.
    Rewrite,
}

/// What can be done about a selection, beside the fixes of what is reported there, by the compiler or by targets.
pub fn actions(analysis: &Analysis, reports: &[Diagnostic], at: Span) -> Vec<Action> {
    let mut found = Vec::new();
    let offset = at.start as usize;
    let Some(cursor) = Cursor::new(analysis, at.file, offset) else { return found };
    let action = |kind| move |fix| Action { kind, allows: None, fix };
    let mend = action(ActionKind::Mend);
    found.extend(missing_fields(&cursor).map(action(ActionKind::Fill)));
    found.extend(without_unused(analysis, at).into_iter().map(mend));
    found.extend(ranges::free(&cursor).map(mend));
    found.extend(mends::mends(analysis, reports, at).into_iter().map(mend));
    found.extend(all_of_a_kind(reports, at).into_iter().map(mend));
    found.extend(allowances::offered(analysis, reports, at));
    found.extend(extractions(&cursor, at));
    let component = action(ActionKind::Component);
    found.extend(components::extracted(&cursor).into_iter().map(component));
    found.extend(inlined(&cursor));
    found.extend(kept_name(&cursor).map(action(ActionKind::Rewrite)));
    found
}

/// The edits of all problems of a file that can be mended in one way: none that touches another; with what they mend.
pub fn fix_all<'d>(
    reports: impl IntoIterator<Item = &'d Diagnostic>,
    file: FileId,
) -> Option<(Vec<&'d Diagnostic>, Fix)> {
    let (mended, edits) = mended(reports, file);
    let fix = Fix { title: "mend all that can be mended".to_owned(), edits };
    (!mended.is_empty()).then_some((mended, fix))
}

/// The same for all problems of the file that are of the kind of one at a place, where there are several.
fn all_of_a_kind(reports: &[Diagnostic], at: Span) -> Vec<Fix> {
    let here = reports.iter().filter(|it| it.span().is_some_and(|it| it.meets(at)));
    let codes: BTreeSet<&str> = here.map(|it| &*it.code).collect();
    let all = |code: &str| {
        let (mended, edits) = mended(reports.iter().filter(|it| it.code == code), at.file);
        let count = mended.len();
        (count > 1).then(|| Fix { title: format!("mend all {count} of `{code}`"), edits })
    };
    codes.into_iter().filter_map(all).collect()
}

/// Which problems of a file can be mended in one way beside each other, and the edits.
fn mended<'d>(
    reports: impl IntoIterator<Item = &'d Diagnostic>,
    file: FileId,
) -> (Vec<&'d Diagnostic>, Vec<(Span, String)>) {
    let mut mended = Vec::new();
    let mut edits: Vec<(Span, String)> = Vec::new();
    for diagnostic in reports {
        let [fix] = diagnostic.fixes.as_slice() else { continue };
        let here = fix.edits.iter().all(|(span, _)| span.file == file);
        let is_taken = |span: &Span| edits.iter().any(|(taken, _)| taken.meets(*span));
        if here && !fix.edits.iter().any(|(span, _)| is_taken(span)) {
            mended.push(diagnostic);
            edits.extend(fix.edits.iter().cloned());
        }
    }
    (mended, edits)
}

/// The fields that a noun lacks, with an example of each.
fn missing_fields(cursor: &Cursor<'_>) -> Option<Fix> {
    let decl = cursor.decls().next()?;
    let mut reported = cursor.analysis.diagnostics.iter();
    let is_told =
        |it: &Diagnostic| it.code == TYPES_MISSING_FIELD.name && it.span() == Some(decl.header);
    // of what is not closed it is not told yet what it lacks
    let open = unclosed(cursor, decl);
    if open.is_none() && !reported.any(is_told) {
        return None;
    }
    let mut written: BTreeSet<String> = BTreeSet::new();
    super::cursor::each_stmt(&decl.body, &mut |stmt| {
        if let StmtKind::Attr(attr) = &stmt.kind {
            written.insert(attr.name.value.to_string());
        }
    });
    let mut examples = Examples::new(cursor.analysis);
    let mut filled = |fields: &Fields| -> Vec<(String, String)> {
        let missing = fields.0.iter().filter(|(name, field)| {
            !field.may_be_left_out() && &***name != "place" && !written.contains(&***name)
        });
        let filled = missing.map(|(name, field)| {
            let example = plain(&value(name, field, 1, &mut examples));
            let known = Some(example).filter(|it| !["", "[]"].contains(&it.as_str()));
            let known = known.or_else(|| of_nouns(cursor.analysis, &field.ty));
            (name.to_string(), known.unwrap_or_else(|| "\"\"".to_owned()))
        });
        filled.collect()
    };
    let filled = match cursor.analysis.schema.of_decl(decl) {
        Some(kind) => filled(&kind.fields),
        None => filled(&*component_fields(cursor.analysis, cursor.file, &decl.kind.value)?),
    };
    let names: Vec<String> = filled.iter().map(|(name, _)| format!("`{name}`")).collect();
    let title = format!("add {}", names.join(", "));
    let edit = match open {
        Some(at) => {
            let indent = indent_of(cursor, decl);
            let line = |(name, value): &(String, String)| format!("\n{indent}  {name} = {value}");
            insert(cursor, at, &filled.iter().map(line).collect::<String>())
        }
        None => into_block(cursor, decl, &filled)?,
    };
    (!filled.is_empty()).then(|| Fix { title, edits: vec![edit] })
}

/// Behind the last line of a block that is never closed.
fn unclosed(cursor: &Cursor<'_>, decl: &Decl) -> Option<usize> {
    let head = decl.header.end as usize;
    let open = head + cursor.text.get(head..)?.find('{')?;
    let is_open = |it: &&Diagnostic| {
        it.code.ends_with("/unclosed") && it.span().is_some_and(|at| at.range().start == open)
    };
    cursor.analysis.diagnostics.iter().find(is_open)?;
    let last = decl.body.iter().rfind(|stmt| matches!(stmt.kind, StmtKind::Attr(_)));
    Some(last.map_or(open + 1, |stmt| stmt.span.end as usize))
}

/// Fields at the end of a block, their values below those that stand there.
pub(super) fn into_block(
    cursor: &Cursor<'_>,
    decl: &Decl,
    fields: &[(String, String)],
) -> Option<(Span, String)> {
    let indent = indent_of(cursor, decl);
    let longest = fields.iter().map(|(name, _)| name.len()).max()?;
    let attrs = decl.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) => Some(attr),
        _ => None,
    });
    let wide = attrs.last().map_or(0, |attr| {
        let equals = attr.value.span.start.saturating_sub(attr.name.span.start) as usize;
        equals.saturating_sub(3)
    });
    let width = longest.max(wide);
    let line = |(name, value): &(String, String)| format!("{indent}  {name:width$} = {value}\n");
    let lines: String = fields.iter().map(line).collect();
    if let Some(close) = closing_brace(cursor, decl) {
        return Some(insert(cursor, close, &lines));
    }
    // `{ }` in one line
    let end = decl.body.last().map_or(decl.header.end, |stmt| stmt.span.end) as usize;
    let rest = cursor.text.get(end..)?;
    let close = end + rest.find('}')?;
    let between = cursor.text.get(end..close)?;
    let is_empty =
        decl.body.is_empty() && between.trim_start().trim_start_matches('{').trim().is_empty();
    let open = end + between.find('{')? + 1;
    is_empty.then(|| (Span::new(cursor.file, open, close), format!("\n{lines}{indent}")))
}

/// A noun that is there and fits, a text, or a constructor that takes one.
fn of_nouns(analysis: &Analysis, ty: &Type) -> Option<String> {
    let nouns = || analysis.plan.iter().flat_map(|plan| &plan.model.nouns);
    let arms = ty.arms();
    let noun = arms.iter().find_map(|arm| match arm {
        Type::Noun(kind) => {
            nouns().find(|noun| noun.body.kind() == &**kind).map(|noun| noun.path.clone())
        }
        Type::List(inner) => Some(format!("[{}]", of_nouns(analysis, inner)?)),
        _ => None,
    });
    let is_text = |arm: &&Type| matches!(arm.bare(), Type::Str);
    let text = || arms.iter().find(is_text).map(|_| "\"\"".to_owned());
    let built = || {
        arms.iter().find_map(|arm| {
            let Type::Ctor(ctor) = arm else { return None };
            let mut needed = ctor.fields.0.values().filter(|field| !field.may_be_left_out());
            let only = needed.next().filter(|it| matches!(it.ty.bare(), Type::Str))?;
            (needed.next().is_none() && !only.may_be_left_out())
                .then(|| format!("{}(\"\")", ctor.name))
        })
    };
    noun.or_else(text).or_else(built)
}

/// Where the line of the brace starts that closes a block over several lines.
fn closing_brace(cursor: &Cursor<'_>, decl: &Decl) -> Option<usize> {
    let stmt = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(stmt) if matches!(&stmt.kind, StmtKind::Decl(it) if **it == *decl) => {
            Some(stmt)
        }
        _ => None,
    })?;
    let end = (stmt.span.end as usize).checked_sub(1)?;
    let line = line_start(cursor.text, end);
    let is_first = cursor.text.get(line..end)?.trim().is_empty();
    let alone = is_first && cursor.text.get(end..=end) == Some("}");
    (alone && line > decl.header.end as usize).then_some(line)
}

fn indent_of(cursor: &Cursor<'_>, decl: &Decl) -> String {
    let start = decl.existing.unwrap_or(decl.header).start as usize;
    let indent = cursor.text.get(line_start(cursor.text, start)..start).unwrap_or_default();
    indent.chars().take_while(|c| c.is_whitespace()).collect()
}

fn insert(cursor: &Cursor<'_>, at: usize, text: &str) -> (Span, String) {
    (Span::new(cursor.file, at, at), text.to_owned())
}

/// The line behind the last `use` of a file; the first line where there is none.
pub(super) fn behind_uses(tree: &Tree, text: &str) -> usize {
    let uses = tree.stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Use(_)));
    let end = uses.map(|stmt| stmt.span.end as usize).max();
    end.map_or(0, |end| line_end(text, end))
}

/// A `let`, a `param` or a `use` at a place that nothing speaks of, taken away; and all of the file, where there are several.
fn without_unused(analysis: &Analysis, at: Span) -> Vec<Fix> {
    let found = unused(analysis, at.file);
    let Some(here) = found.iter().find(|it| it.span.meets(at)) else { return Vec::new() };
    let one = here.gone.map(|span| Fix {
        title: format!("remove the `{}` of `{}`", here.word, here.name),
        edits: vec![(span, String::new())],
    });
    let all = all_unused(analysis, at.file).filter(|(count, _)| *count > 1).map(|(_, all)| all);
    one.into_iter().chain(all).collect()
}

/// Everything of a file that nothing speaks of, taken away.
pub fn without_all_unused(analysis: &Analysis, file: FileId) -> Option<Fix> {
    all_unused(analysis, file).map(|(_, all)| all)
}

/// The same, and how many names that is.
fn all_unused(analysis: &Analysis, file: FileId) -> Option<(usize, Fix)> {
    let found = unused(analysis, file);
    let (count, edits) = unused::all_gone(analysis, file, &found);
    let title = match count {
        0 => return None,
        1 => "remove the name that nothing speaks of".to_owned(),
        _ => format!("remove all {count} names that nothing speaks of"),
    };
    Some((count, Fix { title, edits }))
}

/// What a noun says before it is renamed, so that everything outside goes on calling it as now.
fn kept_name(cursor: &Cursor<'_>) -> Option<Fix> {
    let decl = cursor.decls().next()?;
    let name = decl.name.as_ref().filter(|name| name.span.touches(cursor.offset))?;
    let mut says_was = false;
    super::cursor::each_stmt(&decl.body, &mut |stmt| {
        says_was |= matches!(&stmt.kind, StmtKind::Attr(attr) if attr.name.value == WAS);
    });
    let around = cursor.path.iter().rev().filter_map(|node| match node {
        NodeRef::Stmt(stmt) => Some(&stmt.kind),
        _ => None,
    });
    let around = around.skip(1).take_while(|it| !matches!(it, StmtKind::Decl(_)));
    // in rounds it would say the key, too
    if says_was || around.into_iter().any(|it| matches!(it, StmtKind::For(_))) {
        return None;
    }
    let line = format!("was = \"{}\"", name.value);
    let title = format!("keep what is outside when this is renamed: `{line}`");
    Some(Fix { title, edits: vec![first_line(cursor, decl, &line)?] })
}

/// A line more at the top of a block.
pub(super) fn first_line(cursor: &Cursor<'_>, decl: &Decl, line: &str) -> Option<(Span, String)> {
    let open = decl.header.end as usize;
    let brace = open + cursor.text.get(open..)?.find('{')?;
    let behind = line_end(cursor.text, brace);
    let indent = indent_of(cursor, decl);
    let rest = cursor.text.get(brace + 1..behind)?.trim_start();
    Some(match rest.chars().next() {
        None => insert(cursor, behind, &format!("{indent}  {line}\n")),
        Some('}') => insert(cursor, brace + 1, &format!("\n{indent}  {line}\n{indent}")),
        Some(_) => insert(cursor, brace + 1, &format!("\n{indent}  {line}\n{indent} ")),
    })
}

/// The selected value as a `let`, or as a `param`, in front of the statement.
fn extractions(cursor: &Cursor<'_>, at: Span) -> Vec<Action> {
    let trimmed = trim(cursor.text, at);
    let Some(inside) = Cursor::new(cursor.analysis, cursor.file, trimmed.start as usize) else {
        return Vec::new();
    };
    let path = &inside.path;
    let is_key = |expr: &Expr| {
        path.iter().any(|node| matches!(node, NodeRef::Entry(entry) if entry.key.span == expr.span))
    };
    let Some(expr) = path.iter().find_map(|node| match node {
        NodeRef::Expr(expr) if expr.span == trimmed => Some(*expr),
        _ => None,
    }) else {
        return Vec::new();
    };
    if trimmed.start == trimmed.end || is_key(expr) {
        return Vec::new();
    }
    let Some(NodeRef::Stmt(top)) = path.first() else { return Vec::new() };
    let start = top_at(cursor.text, top.span.start as usize);
    let value = cursor.analysis.sources.text(expr.span);
    let name = free_name(cursor, expr);
    let place = (expr.span, name.clone());
    let mut found = vec![Action {
        kind: ActionKind::Extract,
        allows: None,
        fix: Fix {
            title: format!("extract into `let {name}`"),
            edits: vec![insert(cursor, start, &format!("let {name} = {value}\n\n")), place.clone()],
        },
    }];
    if let Some(ty) = type_at(&inside, expr) {
        let line = format!("param {name}: {ty} = {value}\n\n");
        found.push(Action {
            kind: ActionKind::Extract,
            allows: None,
            fix: Fix {
                title: format!("extract into `param {name}`"),
                edits: vec![insert(cursor, start, &line), place],
            },
        });
    }
    found
}

/// A selection without the blanks around it.
fn trim(text: &str, at: Span) -> Span {
    let range = at.range();
    let selected = text.get(range.clone()).unwrap_or_default();
    let start = range.end - selected.trim_start().len();
    Span::new(at.file, start, start + selected.trim().len())
}

/// Where the lines of a statement start that starts at an offset, its documentation among them.
pub(super) fn top_at(text: &str, start: usize) -> usize {
    let mut start = line_start(text, start);
    while let Some(above) = start.checked_sub(1) {
        let line = line_start(text, above);
        if !text.get(line..above).is_some_and(|line| line.trim_start().starts_with("##")) {
            break;
        }
        start = line;
    }
    start
}

/// The lines of a statement, with its documentation and what is remarked behind it; the statement alone where anything
/// else stands on its lines.
pub(super) fn lines_of(text: &str, stmt: Span) -> Span {
    let Range { start, end } = stmt.range();
    let first = line_start(text, start);
    let last = line_end(text, end);
    let before = text.get(first..start).unwrap_or_default().trim();
    let behind = text.get(end..last).unwrap_or_default().trim();
    if before.is_empty() && (behind.is_empty() || behind.starts_with('#')) {
        return Span::new(stmt.file, top_at(text, start), last);
    }
    stmt
}

/// Where the line of an offset starts.
fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|head| head.rfind('\n')).map_or(0, |end| end + 1)
}

/// Where the line behind that of an offset starts.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1)
}

/// The type of a value: that of the field that it is given to, where that has a name of its own and is a text; else what the value
/// says.
pub(super) fn type_at(cursor: &Cursor<'_>, expr: &Expr) -> Option<String> {
    let said = type_of(expr)?;
    let of_field = || {
        let place = Cursor::new(cursor.analysis, cursor.file, expr.span.start as usize)?;
        let StmtKind::Attr(attr) = &place.stmt()?.kind else { return None };
        let kind = cursor.analysis.schema.of_decl(place.decls().next()?)?;
        let field = kind.fields.0.get(attr.name.value.as_str())?;
        let arms = field.ty.arms();
        let facts = arms.iter().filter(|arm| matches!(arm, Type::Fact(_))).map(Type::to_string);
        let named = named_texts(&field.ty).into_iter().map(|named| named.name.to_string());
        let mut names: Vec<String> = facts.chain(named).collect();
        let only = names.pop().filter(|_| names.is_empty());
        only.filter(|_| attr.value.span == expr.span)
    };
    let named = if said == "string" { of_field() } else { None };
    Some(named.unwrap_or_else(|| said.to_owned()))
}

/// The type of a value that says it.
fn type_of(expr: &Expr) -> Option<&'static str> {
    match &expr.kind {
        ExprKind::Bool(_) => Some("bool"),
        ExprKind::Str(_) => Some("string"),
        ExprKind::Literal(LiteralKind::Int, _) => Some("int"),
        ExprKind::Literal(LiteralKind::Float, _) => Some("float"),
        ExprKind::Literal(LiteralKind::Topology, _) => Some("Topology"),
        ExprKind::Literal(LiteralKind::Address, text) if text.contains('/') => Some("Cidr"),
        ExprKind::Literal(LiteralKind::Quantity, text) => {
            Some(if text.ends_with('B') { "Size" } else { "Duration" })
        }
        _ => None,
    }
}

/// A name for a value that nothing in the file has: that of its field, as a rule.
fn free_name(cursor: &Cursor<'_>, expr: &Expr) -> String {
    let attr = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }) => Some(attr.name.value.to_string()),
        _ => None,
    });
    let base = attr.unwrap_or_else(|| "value".to_owned());
    let taken = |name: &str| {
        cursor.text.match_indices(name).any(|(at, _)| {
            let whole = word_at(cursor.text, at) == Some(at..at + name.len());
            whole && !is_attr_name(cursor, at) && !expr.span.touches(at)
        })
    };
    let numbered = (2..).map(|count| format!("{base}_{count}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(base)
}

/// Whether the name of a field stands there.
fn is_attr_name(cursor: &Cursor<'_>, at: usize) -> bool {
    let place = Cursor::new(cursor.analysis, cursor.file, at);
    let stmt = place.as_ref().and_then(Cursor::stmt);
    stmt.is_some_and(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) => attr.name.span.start as usize == at,
        _ => false,
    })
}

/// A `let` at the cursor, with its value wherever its name stands.
fn inlined(cursor: &Cursor<'_>) -> Option<Action> {
    let declared = target(cursor.analysis, cursor.file, cursor.offset)?;
    let tree = tree(cursor.analysis, declared.file)?;
    let stmt = tree.stmts.iter().find(|stmt| match &stmt.kind {
        StmtKind::Let(it) => it.name.as_ref().is_some_and(|name| name.span == declared),
        _ => false,
    })?;
    let StmtKind::Let(binding) = &stmt.kind else { return None };
    let text = cursor.analysis.sources.text(binding.value.span);
    let whole = match binding.value.kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::If(..) | ExprKind::IsSet(..) => {
            format!("({text})")
        }
        _ => text.to_owned(),
    };
    let places = uses(cursor.analysis, declared);
    let in_text = places.iter().any(|place| {
        let cursor = Cursor::new(cursor.analysis, place.file, place.start as usize);
        cursor.is_some_and(|cursor| cursor.in_text())
    });
    if places.is_empty() || in_text && text.contains('"') {
        return None;
    }
    let mut edits: Vec<(Span, String)> =
        places.into_iter().map(|place| (place, whole.clone())).collect();
    let source = &cursor.analysis.sources.get(declared.file)?.text;
    edits.push((lines_of(source, stmt.span), String::new()));
    let title =
        format!("write the value of `{}` in its places", cursor.analysis.sources.text(declared));
    Some(Action { kind: ActionKind::Inline, allows: None, fix: Fix { title, edits } })
}
