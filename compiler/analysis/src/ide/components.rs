//! Making a component of a noun: what it says in numbers and words becomes fields, and the noun a use of it.

use super::actions::type_at;
use super::cursor::{Cursor, word_at};
use super::references::uses;
use slipform_model::Fix;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Attr, Decl, Name, Stmt, StmtKind};

/// The noun at the cursor as a component that is used in its place: with fields for its plain values, and without, since not every
/// value may come from a field. Whoever offers it tries which of them renders the same.
pub(super) fn extracted(cursor: &Cursor<'_>) -> Vec<Fix> {
    let Some((stmt, decl, name)) = noun(cursor) else { return Vec::new() };
    let text = cursor.analysis.sources.text(stmt.span);
    let component = free(cursor, &format!("like_{}", name.value));
    // lines of a text would move with the block
    if text.contains("\"\"\"") {
        return Vec::new();
    }
    let outside: Vec<_> =
        uses(cursor.analysis, name.span).into_iter().filter(|it| !stmt.span.covers(*it)).collect();
    if outside.iter().any(|it| it.file != cursor.file) {
        return Vec::new();
    }
    let fields = fields(cursor, decl);
    let mut found = Vec::new();
    for fields in [fields.as_slice(), &[]] {
        let new = written(cursor, stmt, (name, &component), fields);
        let title = format!("extract into `component {component}`");
        // the noun is inside of the use of the component then
        let inner = format!("{0}.{0}", name.value);
        let spoken = outside.iter().map(|it| (*it, inner.clone()));
        let edits = std::iter::once((stmt.span, new)).chain(spoken).collect();
        let fix = Fix { title, edits };
        if !found.contains(&fix) {
            found.push(fix);
        }
    }
    found
}

/// The noun at the top of the file whose head the cursor touches.
fn noun<'a>(cursor: &Cursor<'a>) -> Option<(&'a Stmt, &'a Decl, &'a Name)> {
    let Some(NodeRef::Stmt(stmt)) = cursor.path.first() else { return None };
    let StmtKind::Decl(decl) = &stmt.kind else { return None };
    let name = decl.name.as_ref()?;
    let is_head = decl.header.touches(cursor.offset) && decl.existing.is_none();
    let is_noun = cursor.analysis.schema.has_kind(&decl.kind.value);
    (is_head && is_noun).then_some((stmt, decl, name))
}

/// A value that becomes a field.
struct Field<'a> {
    attr: &'a Attr,
    ty: String,
}

fn fields<'a>(cursor: &Cursor<'a>, decl: &'a Decl) -> Vec<Field<'a>> {
    let schema = &cursor.analysis.schema;
    let Some(kind) = schema.of_decl(decl) else { return Vec::new() };
    let plain = decl.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) if kind.fields.0.contains_key(attr.name.value.as_str()) => {
            Some(Field { attr, ty: type_at(cursor, &attr.value)? })
        }
        _ => None,
    });
    plain.collect()
}

/// The component, and its use in the place of the noun.
fn written(
    cursor: &Cursor<'_>,
    stmt: &Stmt,
    (name, component): (&Name, &str),
    fields: &[Field<'_>],
) -> String {
    let sources = &cursor.analysis.sources;
    let start = stmt.span.start as usize;
    let mut noun = sources.text(stmt.span).to_owned();
    for Field { attr, .. } in fields.iter().rev() {
        let range = attr.value.span.range();
        noun.replace_range(range.start - start..range.end - start, &attr.name.value);
    }
    let indented = |line: &str| if line.is_empty() { String::new() } else { format!("  {line}") };
    let noun: Vec<String> = noun.lines().map(indented).collect();
    let declared = fields.iter().map(|it| format!("  {}: {}\n", it.attr.name.value, it.ty));
    let declared: String = declared.collect();
    let given = fields.iter().map(|Field { attr, .. }| {
        format!("  {} = {}\n", attr.name.value, sources.text(attr.value.span))
    });
    let given: String = given.collect();
    let apart = if fields.is_empty() { "" } else { "\n" };
    format!(
        "component {component} {{\n{declared}{apart}{}\n}}\n\n{component} {} {{\n{given}}}",
        noun.join("\n"),
        name.value
    )
}

/// A name that nothing in the file has.
pub(super) fn free(cursor: &Cursor<'_>, base: &str) -> String {
    let is_taken = |name: &String| {
        let mut places = cursor.text.match_indices(name.as_str());
        places.any(|(at, _)| {
            let place = || Cursor::new(cursor.analysis, cursor.file, at);
            // what a text calls so is no name
            word_at(cursor.text, at) == Some(at..at + name.len())
                && !place().is_some_and(|place| place.in_text())
        })
    };
    let numbered = (2..).map(|count| format!("{base}_{count}"));
    let mut names = std::iter::once(base.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| base.to_owned())
}
