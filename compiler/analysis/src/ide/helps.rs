//! Mends that a report tells and has no edit of: what its help spells, and what fits in the place of what does not. Each is to be tried
//! before it is offered.

use super::actions::{first_line, into_block, lines_of, top_at};
use super::complete::{CompletionKind, complete, plain};
use super::cursor::{Cursor, each_stmt, is_own};
use super::mends::pointed;
use crate::Analysis;
use crate::infer::NAMES_UNKNOWN;
use slipform_model::{Diagnostic, Fix};
use slipform_source::{Span, nearest};
use slipform_syntax::tree::{Attr, Decl, Expr, ExprKind, LiteralKind, StmtKind};
use slipform_syntax::{NodeRef, parse};

/// So many of what fits in a place are tried.
const MOST_FITTING: usize = 3;

/// What would mend a report, what is likeliest first.
pub fn told(analysis: &Analysis, report: &Diagnostic) -> Vec<Fix> {
    let mut found: Vec<Fix> = Vec::new();
    for help in &report.help {
        for way in ways(help) {
            found.extend(fix_of(analysis, report, &way));
        }
    }
    found.extend(with_unit(analysis, report));
    found.extend(numbers(analysis, report));
    found.extend(zones(analysis, report));
    found.extend(fitting(analysis, report));
    let mut known: Vec<Fix> = Vec::new();
    for fix in found {
        if !known.iter().any(|it| it.edits == fix.edits) {
            known.push(fix);
        }
    }
    known
}

/// One of the ways that a help tells: what is done, and the words of a blueprint that it is done with.
#[derive(PartialEq, Debug)]
struct Way {
    verb: Verb,
    words: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Verb {
    /// Something is written: in the place of what stands there, or as a field.
    Write,
    /// Something is left out.
    Leave,
}

/// Words that say what is to be done.
const VERBS: [(&str, Verb); 14] = [
    ("write", Verb::Write),
    ("set", Verb::Write),
    ("use", Verb::Write),
    ("say", Verb::Write),
    ("take", Verb::Write),
    ("declare", Verb::Write),
    ("choose", Verb::Write),
    ("name", Verb::Write),
    ("call it", Verb::Write),
    ("let the compiler", Verb::Write),
    ("wait for it", Verb::Write),
    ("extend it", Verb::Write),
    ("leave", Verb::Leave),
    ("remove", Verb::Leave),
];

/// The ways that a help tells, by the words in backquotes: what is joined by `and` is done together.
fn ways(help: &str) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::new();
    let mut parts = help.split('`');
    let mut said = parts.next().unwrap_or_default();
    let mut verb = None;
    while let Some(word) = parts.next() {
        let last = |(text, verb): &(&str, Verb)| said.rfind(text).map(|at| (at, *verb));
        verb = VERBS.iter().filter_map(last).max_by_key(|(at, _)| *at).map(|(_, it)| it).or(verb);
        let joined = said.trim() == "and" || said.trim_start().starts_with("and ");
        if word == "allow" {
            verb = None;
        }
        let usable = !is_example(word);
        match (verb, found.last_mut()) {
            (Some(_), Some(way)) if joined && usable => way.words.push(word.to_owned()),
            (Some(verb), _) if usable => found.push(Way { verb, words: vec![word.to_owned()] }),
            _ => {}
        }
        said = parts.next().unwrap_or_default();
    }
    found
}

/// Whether words have a place for something to be filled in: `reservation("NAME")`, `on CLUSTER.POOL`.
fn is_example(word: &str) -> bool {
    let is_place = |it: &str| it.len() > 2 && it.chars().all(|c| c.is_ascii_uppercase());
    let quoted = word.contains('"') || word.starts_with("on ") || word.contains("...");
    quoted
        && (word.contains("...")
            || word.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_place))
}

fn fix_of(analysis: &Analysis, report: &Diagnostic, way: &Way) -> Vec<Fix> {
    if way.verb == Verb::Leave {
        return way.words.iter().filter_map(|word| left_out(analysis, report, word)).collect();
    }
    if let Some(fix) = written(analysis, report, &way.words) {
        return vec![fix];
    }
    way.words.iter().flat_map(|word| replaced(analysis, report, word)).collect()
}

/// Statements that are written: fields of the noun that is told of, and nouns in front of it.
fn written(analysis: &Analysis, report: &Diagnostic, words: &[String]) -> Option<Fix> {
    let cursor = pointed(analysis, report, 0)?;
    let mut edits = Vec::new();
    let mut fields = Vec::new();
    for word in words {
        let tree = parse(cursor.file, word);
        let [stmt] = tree.stmts.as_slice() else { return None };
        if !tree.problems.is_empty() {
            return None;
        }
        match &stmt.kind {
            StmtKind::Attr(attr) => {
                let value = word.get(attr.value.span.range())?;
                fields.push((attr.name.value.to_string(), value.to_owned()));
            }
            StmtKind::Decl(_) => {
                let NodeRef::Stmt(top) = cursor.path.first()? else { return None };
                let at = top_at(cursor.text, top.span.start as usize);
                edits.push((
                    Span::new(cursor.file, at, at),
                    format!("{}\n\n", word.replace("{ }", "{}")),
                ));
            }
            _ => return None,
        }
    }
    let decl = cursor.decls().next()?;
    let mut new = Vec::new();
    for (name, value) in fields {
        match attr_of(decl, &name) {
            Some(attr) => edits.push((attr.value.span, value)),
            None => new.push((name, value)),
        }
    }
    if !new.is_empty() {
        let (name, value) = new.first()?;
        let line = || first_line(&cursor, decl, &format!("{name} = {value}"));
        edits.push(into_block(&cursor, decl, &new).or_else(line)?);
    }
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    Some(Fix { title: format!("write {}", quoted.join(" and ")), edits })
}

/// The line of a noun that gives a field a value, wherever in its block.
fn attr_of<'t>(decl: &'t Decl, name: &str) -> Option<&'t Attr> {
    let mut found = None;
    each_stmt(&decl.body, &mut |stmt| match &stmt.kind {
        StmtKind::Attr(attr) if attr.name.value == *name => found = Some(attr),
        _ => {}
    });
    found
}

/// The line of a field that is to be left out.
fn left_out(analysis: &Analysis, report: &Diagnostic, word: &str) -> Option<Fix> {
    let cursor = pointed(analysis, report, 0)?;
    let mut found = None;
    each_stmt(&cursor.decls().next()?.body, &mut |stmt| match &stmt.kind {
        StmtKind::Attr(attr) if attr.name.value == *word => found = Some(stmt.span),
        _ => {}
    });
    let edits = vec![(lines_of(cursor.text, found?), String::new())];
    Some(Fix { title: format!("remove `{word}`"), edits })
}

/// A word in the place of what is told of: as it is, and in quotes where those stand there.
fn replaced(analysis: &Analysis, report: &Diagnostic, word: &str) -> Vec<Fix> {
    let Some(at) = report.span().filter(|at| is_own(analysis, at.file)) else { return Vec::new() };
    let at = key_of(analysis, at, &report.message).unwrap_or(at);
    let text = analysis.sources.text(at);
    let is_one = !text.contains('\n') && !text.contains('{') && text != word;
    let quoted = text.starts_with('"') && !word.starts_with('"') && !word.contains('(');
    let key = is_key(analysis, at);
    let plain = word.chars().all(crate::source_text::is_word);
    if !is_one || key && !plain || text.is_empty() || text.split(' ').count() > 1 && !quoted {
        return Vec::new();
    }
    let new = if quoted { format!("\"{}\"", word.replace('"', "\\\"")) } else { word.to_owned() };
    vec![Fix { title: format!("write `{word}`"), edits: vec![(at, new)] }]
}

/// The key of the entry whose value stands at a place, where it is the key that a message speaks of.
fn key_of(analysis: &Analysis, at: Span, message: &str) -> Option<Span> {
    let cursor = Cursor::new(analysis, at.file, at.start as usize)?;
    let key = cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Entry(entry) if entry.value.span == at => Some(entry.key.span),
        _ => None,
    })?;
    let named = format!("`{}`", analysis.sources.text(key).trim_matches('"'));
    message.contains(&named).then_some(key)
}

/// Whether a key of a record stands at a place, or the name of a field.
fn is_key(analysis: &Analysis, at: Span) -> bool {
    let cursor = Cursor::new(analysis, at.file, at.start as usize);
    cursor.is_some_and(|cursor| {
        cursor.path.iter().any(|node| match node {
            NodeRef::Entry(entry) => entry.key.span == at,
            NodeRef::Name(name) => name.span == at,
            _ => false,
        })
    })
}

/// A number with a unit, where a time or a size is wanted.
fn with_unit(analysis: &Analysis, report: &Diagnostic) -> Vec<Fix> {
    let Some(at) = report.span() else { return Vec::new() };
    let wanted = report.message.split(", found").next().unwrap_or_default();
    let units: &[&str] = match (wanted.contains("Duration"), wanted.contains("Size")) {
        (true, false) => &["h", "m", "d"],
        (false, true) => &["GiB"],
        _ => return Vec::new(),
    };
    let is_number = value_at(analysis, at)
        .is_some_and(|it| matches!(it.kind, ExprKind::Literal(LiteralKind::Int, _)));
    if !is_number {
        return Vec::new();
    }
    let text = analysis.sources.text(at);
    let fix = |unit: &&str| Fix {
        title: format!("write `{text}{unit}`"),
        edits: vec![(at, format!("{text}{unit}"))],
    };
    units.iter().map(fix).collect()
}

/// A number in the place of another, where a report speaks of both.
fn numbers(analysis: &Analysis, report: &Diagnostic) -> Vec<Fix> {
    let labels = report.labels.iter().map(|label| label.text.as_str());
    let help = report.help.iter().map(String::as_str);
    let texts = [report.message.as_str()].into_iter().chain(labels).chain(help);
    let is_part = |c: char| c.is_alphanumeric() || "._-/:".contains(c);
    let words = texts.flat_map(|text| text.split(move |c| !is_part(c)));
    let is_number = |it: &&str| it.parse::<u32>().is_ok();
    let words: Vec<&str> =
        words.map(|it| it.trim_end_matches(['.', ':'])).filter(is_number).collect();
    let mut found: Vec<Fix> = Vec::new();
    for at in report.labels.iter().take(2).map(|label| label.span) {
        let is_own = is_own(analysis, at.file);
        let number = value_at(analysis, at).filter(|_| is_own);
        if !number.is_some_and(|it| matches!(it.kind, ExprKind::Literal(LiteralKind::Int, _))) {
            continue;
        }
        let text = analysis.sources.text(at);
        let field = field_of(analysis, at).map(|it| format!("{it} = ")).unwrap_or_default();
        for word in words.iter().filter(|word| **word != text) {
            let title = format!("write `{field}{word}`");
            if !found.iter().any(|fix| fix.title == title) {
                found.push(Fix { title, edits: vec![(at, (*word).to_owned())] });
            }
        }
    }
    found.truncate(MOST_FITTING);
    found
}

/// The field that a value is given to as a whole.
fn field_of(analysis: &Analysis, at: Span) -> Option<String> {
    let cursor = Cursor::new(analysis, at.file, at.start as usize)?;
    let StmtKind::Attr(attr) = &cursor.stmt()?.kind else { return None };
    (attr.value.span == at).then(|| attr.name.value.to_string())
}

/// A zone that a report names, in the place of the one that the nouns around have.
fn zones(analysis: &Analysis, report: &Diagnostic) -> Vec<Fix> {
    let Some(cursor) = pointed(analysis, report, 0) else { return Vec::new() };
    let Some(zone) = cursor.decls().find_map(|decl| attr_of(decl, "zone")) else {
        return Vec::new();
    };
    let known = analysis.catalog.zones();
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    let words = report.labels.iter().flat_map(|label| label.text.split(move |c| !is_part(c)));
    let named = words.filter(|word| known.iter().any(|zone| zone == word));
    let named =
        named.filter(|word| analysis.sources.text(zone.value.span).trim_matches('"') != *word);
    let fix = |word: &str| Fix {
        title: format!("write `zone = \"{word}\"`"),
        edits: vec![(zone.value.span, format!("\"{word}\""))],
    };
    named.take(MOST_FITTING).map(fix).collect()
}

/// The expression at a place.
fn value_at(analysis: &Analysis, at: Span) -> Option<&Expr> {
    let cursor = Cursor::new(analysis, at.file, at.start as usize)?;
    cursor.path.iter().rev().find_map(|node| match node {
        NodeRef::Expr(expr) if expr.span == at => Some(*expr),
        _ => None,
    })
}

/// What completion has for the place of a value that does not do: the word that is spelt most like it, and what fits best.
fn fitting(analysis: &Analysis, report: &Diagnostic) -> Vec<Fix> {
    if report.code == NAMES_UNKNOWN.name {
        return report.span().and_then(|at| without_kind(analysis, at)).into_iter().collect();
    }
    let places = report.labels.iter().map(|label| label.span);
    places.take(2).flat_map(|at| fitting_at(analysis, at)).collect()
}

/// `fabric` in the place of `network.fabric`, as others write it.
fn without_kind(analysis: &Analysis, at: Span) -> Option<Fix> {
    let cursor = Cursor::new(analysis, at.file, at.start as usize)?;
    let (whole, name) = cursor.path.iter().find_map(|node| match node {
        NodeRef::Expr(Expr { kind: ExprKind::Member(base, Some(name)), span }) => {
            (base.span == at).then_some((*span, name.value.to_string()))
        }
        _ => None,
    })?;
    let is_kind = analysis.schema.has_kind(analysis.sources.text(at));
    is_kind.then(|| Fix { title: format!("write `{name}`"), edits: vec![(whole, name)] })
}

fn fitting_at(analysis: &Analysis, at: Span) -> Vec<Fix> {
    let written = value_at(analysis, at).filter(|_| is_own(analysis, at.file));
    let Some(value) = written else { return Vec::new() };
    let quoted = matches!(value.kind, ExprKind::Str(_));
    if !quoted && !matches!(value.kind, ExprKind::Name(_)) {
        return Vec::new();
    }
    let text = analysis.sources.text(at);
    let offered = complete(analysis, at.file, at.start as usize + usize::from(quoted)).found;
    let is_value = |kind: CompletionKind| {
        matches!(kind, CompletionKind::Value | CompletionKind::Fact | CompletionKind::Noun)
            || !quoted && kind == CompletionKind::Name
    };
    let best = offered.iter().filter(|it| is_value(it.kind)).map(|it| it.rank).min();
    let all: Vec<String> = offered
        .iter()
        .filter(|it| is_value(it.kind) && at.covers(it.replace) && !it.label.contains('/'))
        .map(|it| (it.rank, plain(&it.insert)))
        .filter(|(rank, _)| Some(*rank) == best)
        .map(|(_, new)| new)
        .collect();
    let bare = text.trim_matches('"');
    let is_machine = analysis.catalog.machine(bare).is_some();
    let like = nearest(bare, all.iter().map(|it| it.trim_matches('"'))).map(str::to_owned);
    let like = like.filter(|_| !is_machine);
    let is_like = |it: &&String| like.as_deref() == Some(it.trim_matches('"'));
    let first = all.iter().filter(is_like);
    // what nobody has misspelt is meant, and does not fit: another of its sort may, but for a machine, which nothing else stands for
    let is_place = |it: &str| analysis.catalog.zones().iter().any(|zone| zone == it);
    let others = |it: &str| is_place(it) || analysis.catalog.machine(it).is_none();
    let rest = all.iter().filter(|it| {
        let text = it.trim_matches('"');
        like.is_none() && !is_machine && text != bare && others(text)
    });
    let new = |it: &String| match quoted && !it.starts_with('"') {
        true => format!("\"{it}\""),
        false => it.clone(),
    };
    let fix = |it: &String| {
        let new = new(it);
        Fix { title: format!("write `{}`", new.trim_matches('"')), edits: vec![(at, new)] }
    };
    first.chain(rest).take(MOST_FITTING).map(fix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_help_tells_ways() {
        let told = |help: &str| -> Vec<String> {
            ways(help)
                .into_iter()
                .map(|it| format!("{:?} {}", it.verb, it.words.join(" + ")))
                .collect()
        };
        for (help, found) in [
            (
                "declare `identity trainer { }` and set `identity = trainer`: it gets the rights",
                &["Write identity trainer { } + identity = trainer"][..],
            ),
            (
                "write `any_reservation`, `spot`, or leave `capacity` out",
                &["Write any_reservation", "Write spot", "Leave capacity"],
            ),
            ("write `NCCL_DEBUG`, or `allow` it where `NCLL_DEBUG` is read", &["Write NCCL_DEBUG"]),
            ("set `push_to = registry(\"REGION\", \"NAME\")`", &[]),
            ("write `on CLUSTER.POOL`", &[]),
            ("choose a zone of us-east4", &[]),
        ] {
            assert_eq!(told(help), found, "{help}");
        }
    }
}
