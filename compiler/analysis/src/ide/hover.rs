//! What is shown when the cursor rests: type, documentation, value, and the facts behind it.

use super::cursor::{Cursor, given, word_of};
use super::definition::{declaring, member, rule, used_stmt};
use super::{
    Hover, autos, cards, choices, complete, declared, facts_file, in_force, keys, project_file,
    ranges, show, words,
};
use crate::Analysis;
use crate::schema::BUILT_IN;
use slipform_model::plan::{Plan, facts};
use slipform_model::{Noun, Value};
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{
    Attr, Clause, ClauseKind, ClauseWord, Decl, Expr, ExprKind, LiteralKind, Mend, Name, Stmt,
    StmtKind, StrPart, TypeExpr, TypeExprKind,
};

/// Values of so many nouns are shown where a loop makes several.
const MOST_VALUES: usize = 4;

/// Characters of one value.
const MOST_CHARACTERS: usize = 1200;

/// Characters of what a field means, beside its value.
const MOST_SAID: usize = 90;

/// Derived fields that say more to rules than to people.
const QUIET: [&str; 4] = ["made", "name_budget", "name_clash", "owned_env"];

/// What is known of the word or the value at an offset.
pub fn hover(analysis: &Analysis, file: FileId, offset: usize) -> Option<Hover> {
    hover_so_far(analysis, file, offset).0
}

/// The same, and whether there is more to tell once values are known.
pub fn hover_so_far(analysis: &Analysis, file: FileId, offset: usize) -> (Option<Hover>, bool) {
    let Some(cursor) = Cursor::new(analysis, file, offset) else {
        let of_project = || project_file::hover(analysis, file, offset);
        return (of_project().or_else(|| facts_file::hover(analysis, file, offset)), false);
    };
    let comments = super::cursor::tree(analysis, file).map(|tree| &tree.comments);
    let in_comment = comments
        .into_iter()
        .flat_map(|all| all.iter())
        .any(|comment| (comment.span.start as usize) < offset && comment.span.touches(offset));
    if in_comment {
        return (None, false);
    }
    let found = declared::hover(&cursor)
        .or_else(|| of_mention(&cursor))
        .or_else(|| of_node(&cursor))
        .or_else(|| keys::hover(&cursor))
        .or_else(|| of_word(&cursor))
        .or_else(|| declared::of_what_it_is_given_to(&cursor));
    let hover = found.map(|(span, parts)| Hover { span, markdown: parts.join("\n\n") });
    (hover, cursor.waits.get())
}

/// Paragraphs about a place.
pub(super) type Found = Option<(Span, Vec<String>)>;

/// A name that stands for something declared.
fn of_mention(cursor: &Cursor<'_>) -> Found {
    let mention = cursor.analysis.index.at(cursor.file, cursor.offset)?;
    let whole = mention.declared.and_then(|it| declared::of_component(cursor, it));
    let title = whole.unwrap_or_else(|| mention.title());
    let mut parts = vec![show::code(&title)];
    let is_declaration = mention.declared == Some(mention.span);
    let doc = cursor.stmt().and_then(|stmt| stmt.doc.as_ref()).filter(|_| is_declaration);
    parts.extend(mention.doc.as_ref().or(doc).map(|doc| doc.to_string()));
    let mut values = value_at(cursor, mention.span);
    if let Some(named) = mention.declared.filter(|_| values.is_empty()) {
        values = of_name(cursor, named);
    }
    let of = in_force::of_value(cursor, mention.span, mention.declared);
    let of = of.filter(|_| !values.is_empty());
    parts.extend(values.into_iter().chain(of));
    Some((mention.span, parts))
}

/// What a name is worth: the noun that it declares, the field that it sets, or the field whose value it is.
fn value_at(cursor: &Cursor<'_>, span: Span) -> Vec<String> {
    let Some(decl) = cursor.decls().next() else { return Vec::new() };
    let attr = match cursor.stmt().map(|stmt| &stmt.kind) {
        Some(StmtKind::Attr(attr)) => {
            Some(attr).filter(|attr| attr.name.span == span || attr.value.span == span)
        }
        _ => None,
    };
    let is_name = decl.name.as_ref().is_some_and(|name| name.span == span);
    if !is_name && attr.is_none() {
        return Vec::new();
    }
    let Some(plan) = cursor.plan() else { return Vec::new() };
    let nouns = cursor.nouns(decl);
    if is_name {
        return nouns.first().map(|noun| of_noun(cursor.analysis, plan, noun)).unwrap_or_default();
    }
    attr.map(|attr| of_field(plan, &nouns, attr)).unwrap_or_default()
}

/// The value of a `let` or a parameter.
fn of_name(cursor: &Cursor<'_>, declared: Span) -> Vec<String> {
    let [value] = cursor.values(declared) else { return Vec::new() };
    let Some(plan) = cursor.plan() else { return Vec::new() };
    if matches!(value, Value::Unknown | Value::Ref(_)) {
        return Vec::new();
    }
    let name = cursor.analysis.sources.text(declared);
    let text = show::shortened(&show::value(value, plan), MOST_CHARACTERS);
    let card = match value {
        Value::Str(text) => cards::named(&plan.model.catalog, text),
        _ => None,
    };
    std::iter::once(show::code(&format!("{name} = {text}"))).chain(card).collect()
}

/// The value of a field, for each noun that a declaration makes.
fn of_field(plan: &Plan, nouns: &[&Noun], attr: &Attr) -> Vec<String> {
    let name = attr.name.value.as_str();
    let mut lines = Vec::new();
    let mut card = None;
    if matches!(attr.value.kind, ExprKind::Auto) {
        let chosen = nouns.iter().filter_map(|noun| {
            let text = autos::chosen(plan, noun, name)?;
            Some(format!("{}{name} = {text}", of(nouns, noun)))
        });
        lines.extend(chosen.take(MOST_VALUES));
    }
    let values = nouns.iter().filter_map(|noun| Some((noun, given(noun, attr)?)));
    let says = |value: &Value| !matches!(value, Value::Unknown | Value::Auto);
    let values: Vec<_> = values.filter(|(_, value)| says(value)).collect();
    for (noun, value) in values.iter().take(MOST_VALUES) {
        if let Value::Str(text) = value {
            card = cards::named(&plan.model.catalog, text);
        }
        let value = show::shortened(&show::value(value, plan), MOST_CHARACTERS);
        lines.push(format!("{}{name} = {value}", of(nouns, noun)));
    }
    if values.len() > MOST_VALUES {
        lines.push(format!("# and {} more", values.len() - MOST_VALUES));
    }
    let lines = (!lines.is_empty()).then(|| show::code(&lines.join("\n")));
    lines.into_iter().chain(card).collect()
}

/// The noun that a value is of, where there are several.
fn of(nouns: &[&Noun], noun: &Noun) -> String {
    if nouns.len() == 1 { String::new() } else { format!("{}.", noun.path) }
}

/// What follows for a noun.
fn of_noun(analysis: &Analysis, plan: &Plan, noun: &Noun) -> Vec<String> {
    let kind = analysis.schema.kind(noun.body.kind(), noun.body.platform());
    let Some(kind) = kind else { return Vec::new() };
    let mut lines = Vec::new();
    for (name, field) in kind.fields.0.iter().filter(|(_, field)| field.derived) {
        if QUIET.contains(&&**name) {
            continue;
        }
        let Some(value) = facts(plan, noun.id, name).filter(is_telling) else { continue };
        let value = show::shortened(&show::value(&value, plan), MOST_CHARACTERS);
        let said = field.doc.as_ref().map(|doc| first_sentence(doc));
        let said = said.map(|said| format!("  # {said}")).unwrap_or_default();
        lines.push(format!("{name} = {value}{said}"));
    }
    if lines.is_empty() {
        return Vec::new();
    }
    vec![format!("What follows from the blueprint:\n{}", show::code(&lines.join("\n")))]
}

/// What a field means, in one line of a list of them.
fn first_sentence(doc: &str) -> String {
    let line = doc.lines().next().unwrap_or_default();
    let end = line.find(". ").unwrap_or(line.len());
    show::shortened(line.get(..end).unwrap_or(line).trim_end_matches('.'), MOST_SAID)
}

/// Whether a value tells something: what does not hold and what there is none of does not.
fn is_telling(value: &Value) -> bool {
    match value {
        Value::Absent | Value::Unknown | Value::Bool(false) | Value::Int(0) => false,
        Value::List(items) => !items.is_empty(),
        _ => true,
    }
}

fn of_node(cursor: &Cursor<'_>) -> Found {
    let node = cursor.node()?;
    match node {
        NodeRef::Expr(expr) => of_expr(cursor, expr),
        NodeRef::TypeExpr(ty) => match &ty.kind {
            TypeExprKind::Name(name) => {
                let known = of_type(cursor.analysis, name).map(|parts| (ty.span, parts));
                known.or_else(|| of_form(cursor, ty))
            }
            _ => of_form(cursor, ty),
        },
        NodeRef::Name(name) => {
            if let NodeRef::TypeExpr(ty) = cursor.parent()? {
                return of_form(cursor, ty);
            }
            if let NodeRef::Expr(Expr {
                kind: ExprKind::ListFor(of) | ExprKind::RecordFor(of),
                ..
            }) = cursor.parent()?
            {
                return declared::of_round(cursor, name, &of.items);
            }
            if let NodeRef::Expr(Expr { kind: ExprKind::Member(base, _), .. }) = cursor.parent()? {
                return Some((name.span, of_member(cursor, base, name)?));
            }
            let NodeRef::Stmt(stmt) = cursor.parent()? else { return None };
            let parts = match &stmt.kind {
                StmtKind::Allow(_) => of_rule(cursor.analysis, &name.value)?,
                StmtKind::Rule(rule) => {
                    let kind = rule.on.iter().find(|kind| kind.contains(name))?.first()?;
                    of_type(cursor.analysis, &kind.value)?
                }
                StmtKind::Use(used) => match used_stmt(cursor.analysis, used, name) {
                    Some(stmt) => of_stmt(stmt)?,
                    None => declared::of_module(cursor.analysis, used, name)?,
                },
                _ => return None,
            };
            Some((name.span, parts))
        }
        _ => None,
    }
}

/// What is declared inside of a noun, a component or a file: the `gpus` of `a3m.gpus`; of anything else its type.
fn of_member(cursor: &Cursor<'_>, base: &Expr, name: &Name) -> Option<Vec<String>> {
    let analysis = cursor.analysis;
    let stmt = member(analysis, base, name).and_then(|declared| declaring(analysis, declared));
    let Some(stmt) = stmt else { return of_part(cursor, name) };
    let StmtKind::Decl(decl) = &stmt.kind else {
        let mut parts = of_stmt(stmt)?;
        parts.extend(of_name(cursor, crate::program::declared_name(stmt)?.span));
        return Some(parts);
    };
    let mut parts = vec![show::code(&format!("{} {}", decl.kind.value, name.value))];
    if let Some(plan) = cursor.plan()
        && let Some(noun) = plan.model.nouns.iter().find(|noun| noun.span == decl.header)
    {
        parts.extend(noun.doc.clone());
        parts.extend(of_noun(analysis, plan, noun));
    } else {
        parts.extend(stmt.doc.as_ref().map(|doc| doc.to_string()));
    }
    Some(parts)
}

/// A part of a record or of what a loop walks.
fn of_part(cursor: &Cursor<'_>, name: &Name) -> Option<Vec<String>> {
    let whole = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Expr(expr) => Some(*expr),
        _ => None,
    })?;
    let ty = complete::type_at(cursor, whole)?;
    Some(vec![show::code(&format!("{}: {ty}", name.value))])
}

fn of_expr(cursor: &Cursor<'_>, expr: &Expr) -> Found {
    let catalog = &cursor.analysis.catalog;
    let parts = match &expr.kind {
        ExprKind::Str(parts) => match parts.as_slice() {
            [StrPart::Text(text)] => match cards::named(catalog, text) {
                Some(card) => vec![card],
                None => choices::of_word(cursor, expr, text)?,
            },
            _ => return None,
        },
        ExprKind::Literal(LiteralKind::Address, range) => {
            let card = cards::range(range)?;
            std::iter::once(card).chain(ranges::beside(cursor.analysis, expr.span, range)).collect()
        }
        ExprKind::Literal(LiteralKind::Topology, shape) => {
            cursor.asked_for_values();
            vec![cards::topology(catalog, shape, cursor.machine().as_deref())?]
        }
        ExprKind::Name(name) => of_platform(cursor, expr, name)?,
        ExprKind::Auto => of_auto(cursor, expr)?,
        _ => return None,
    };
    Some((expr.span, parts))
}

/// What `auto` means, and what it came to.
fn of_auto(cursor: &Cursor<'_>, expr: &Expr) -> Option<Vec<String>> {
    let word = words::find("auto")?;
    let mut parts = vec![show::code(word.form), word.doc.to_owned()];
    parts.extend(value_at(cursor, expr.span));
    Some(parts)
}

/// The `gke` of `cluster a on gke`.
fn of_platform(cursor: &Cursor<'_>, expr: &Expr, name: &str) -> Option<Vec<String>> {
    let decl: &Decl = cursor.decls().next()?;
    decl.on.as_ref().filter(|on| on.span == expr.span)?;
    let kind = cursor.analysis.schema.kind(&decl.kind.value, Some(name))?;
    Some(
        std::iter::once(show::code(&format!("kind {}", kind.title())))
            .chain(kind.doc.as_deref().map(str::to_owned))
            .collect(),
    )
}

fn of_type(analysis: &Analysis, name: &str) -> Option<Vec<String>> {
    if let Some(ty) = analysis.schema.types.get(name) {
        let title = show::code(&format!("type {name} = {}", *ty.definition));
        return Some(std::iter::once(title).chain(ty.doc.as_deref().map(str::to_owned)).collect());
    }
    if let Some(kind) = analysis.schema.variants(name).next() {
        return Some(
            std::iter::once(show::code(&format!("kind {name}")))
                .chain(kind.doc.as_deref().map(str::to_owned))
                .collect(),
        );
    }
    let (name, _, doc) = BUILT_IN.iter().find(|(known, _, _)| *known == name)?;
    Some(vec![show::code(name), (*doc).to_owned()])
}

/// One of the forms that a declared type has: what it looks like, and what the type says of it.
fn of_form(cursor: &Cursor<'_>, ty: &TypeExpr) -> Found {
    let stmt = cursor.stmt()?;
    let is_word = matches!(ty.kind, TypeExprKind::Word(_));
    match &stmt.kind {
        StmtKind::Type(_) => {}
        StmtKind::Param(_) | StmtKind::Field(_) if is_word => {}
        _ => return None,
    }
    let written = cursor.analysis.sources.text(ty.span);
    let word = match &ty.kind {
        TypeExprKind::Word(word) => word.as_str(),
        TypeExprKind::Name(name) => name.as_str(),
        TypeExprKind::Constructor(name, _) => name.value.as_str(),
        _ => "",
    };
    let said = stmt.doc.as_ref().map(|doc| doc.to_string());
    let said = said.map(|doc| choices::meaning(&doc, word).unwrap_or(doc));
    Some((ty.span, std::iter::once(show::code(written)).chain(said).collect()))
}

/// The documentation of a rule.
pub(crate) fn of_rule(analysis: &Analysis, code: &str) -> Option<Vec<String>> {
    let stmt = rule(analysis, code)?;
    Some(
        std::iter::once(show::code(&format!("rule {code}")))
            .chain(stmt.doc.as_deref().map(str::to_owned))
            .collect(),
    )
}

/// What a `use` brings in.
fn of_stmt(stmt: &Stmt) -> Option<Vec<String>> {
    let name = &crate::program::declared_name(stmt)?.value;
    let title = show::code(&format!("{} {name}", word_of(stmt)?));
    Some(std::iter::once(title).chain(stmt.doc.as_deref().map(str::to_owned)).collect())
}

/// A word of the language.
fn of_word(cursor: &Cursor<'_>) -> Found {
    let (span, word) = cursor.word()?;
    if let Some(clause) = clause(cursor) {
        let (form, doc) = words::clause(clause);
        return Some((span, vec![show::code(form), doc.to_owned()]));
    }
    if cursor.in_text() || matches!(cursor.node(), Some(NodeRef::Name(_))) {
        return None;
    }
    let known = words::find(word)?;
    Some((span, vec![show::code(known.form), known.doc.to_owned()]))
}

/// The first word of a line of a rule, at the cursor.
fn clause(cursor: &Cursor<'_>) -> Option<ClauseWord> {
    let node = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Clause(clause) => Some(*clause),
        _ => None,
    });
    let is_word = |clause: &&Clause| match &clause.kind {
        // `remove` and `set` belong to it
        ClauseKind::Fix(Mend::Remove(place) | Mend::Set(place, _)) => {
            cursor.offset < place.span.start as usize
        }
        _ => clause.word.touches(cursor.offset),
    };
    node.filter(is_word).map(|clause| clause.kind.word())
}
