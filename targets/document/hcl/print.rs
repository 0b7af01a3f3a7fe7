//! The printer. Its layout is the one that `terraform fmt` arrives at, so that formatting changes nothing:
//! two spaces of indent; `=` aligned over neighbouring lines whose value closes on the same line (a heredoc counts as
//! one such line; a blank line, a comment, a block or a value that opens a bracket for later lines ends the run), in
//! bodies and in objects alike; `{}` for an empty body.

use std::borrow::Cow;

use super::expr::{Expr, For, Key, Object, Part};
use super::text::{self, Next};
use super::{Attribute, Block, Body, Member};
use crate::comment::{pad, push_lines};

/// The widest list, object or call that stays on one line.
const WIDTH: usize = 80;

/// Prints a file.
#[must_use]
pub fn to_hcl(body: &Body) -> String {
    let mut out = String::new();
    members(&mut out, body, 0);
    out
}

/// `key = value` before its `=` is aligned.
struct Line<'a> {
    comment: &'a str,
    key: Cow<'a, str>,
    value: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Closes on its line.
    One,
    /// Of several lines, but counts as one.
    Heredoc,
    /// Opens a bracket for later lines.
    Several,
}

/// What stands above the next member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Above {
    /// The opening brace or the beginning of the file.
    Start,
    Attribute(Shape),
    Block,
    Comment,
    Gap,
}

fn members(out: &mut String, body: &Body, indent: usize) {
    let mut above = Above::Start;
    let mut run: Vec<Line<'_>> = Vec::new();
    for member in &body.members {
        match member {
            Member::Attribute(attribute) => {
                let line = attribute_line(attribute, indent);
                if blank_between(above, Some(line.shape)) {
                    flush(out, &mut run, indent);
                    out.push('\n');
                }
                above = Above::Attribute(line.shape);
                run.push(line);
            }
            Member::Block(nested) => {
                flush(out, &mut run, indent);
                if blank_between(above, None) {
                    out.push('\n');
                }
                block(out, nested, indent);
                above = Above::Block;
            }
            Member::Comment(comment) => {
                flush(out, &mut run, indent);
                if above != Above::Start {
                    out.push('\n');
                }
                push_lines(out, comment, indent);
                above = Above::Comment;
            }
            Member::Gap => {
                if above != Above::Start {
                    above = Above::Gap;
                }
            }
        }
    }
    flush(out, &mut run, indent);
}

/// Whether a blank line belongs between what is above and an attribute of some shape, or a block.
fn blank_between(above: Above, attribute: Option<Shape>) -> bool {
    match (above, attribute) {
        (Above::Start, _) => false,
        (Above::Attribute(before), Some(here)) => {
            before == Shape::Several || here == Shape::Several
        }
        _ => true,
    }
}

fn attribute_line(attribute: &Attribute, indent: usize) -> Line<'_> {
    let (value, shape) = whole(&attribute.expr, indent);
    Line { comment: &attribute.comment, key: Cow::Borrowed(&attribute.name), value, shape }
}

/// Prints neighbouring lines with their `=` aligned as far as they may be.
fn flush(out: &mut String, lines: &mut Vec<Line<'_>>, indent: usize) {
    let mut rest = lines.as_slice();
    while let Some(first) = rest.first() {
        let length = run_length(rest);
        let (run, tail) = rest.split_at(length);
        let aligned = first.shape != Shape::Several;
        let width =
            if aligned { run.iter().map(|line| width(&line.key)).max().unwrap_or(0) } else { 0 };
        for line in run {
            push_lines(out, line.comment, indent);
            pad(out, indent);
            out.push_str(&line.key);
            pad(out, width.saturating_sub(self::width(&line.key)));
            out.push_str(" = ");
            out.push_str(&line.value);
            out.push('\n');
        }
        rest = tail;
    }
    lines.clear();
}

/// How many of `lines`, at least one, are aligned together.
fn run_length(lines: &[Line<'_>]) -> usize {
    let Some(first) = lines.first() else { return 0 };
    if first.shape == Shape::Several {
        return 1;
    }
    let joins = |line: &&Line<'_>| line.shape != Shape::Several && line.comment.is_empty();
    1 + lines.iter().skip(1).take_while(joins).count()
}

fn width(key: &str) -> usize {
    key.chars().count()
}

fn block(out: &mut String, block: &Block, indent: usize) {
    push_lines(out, &block.comment, indent);
    pad(out, indent);
    out.push_str(&block.kind);
    for label in &block.labels {
        out.push(' ');
        text::quoted(out, label);
    }
    if block.body.members.iter().all(|member| *member == Member::Gap) {
        out.push_str(" {}\n");
        return;
    }
    out.push_str(" {\n");
    members(out, &block.body, indent + 2);
    pad(out, indent);
    out.push_str("}\n");
}

/// The value of a whole attribute or entry; later lines are indented for a key at `indent`.
fn whole(expr: &Expr, indent: usize) -> (String, Shape) {
    let mut out = String::new();
    match expr {
        Expr::Str(string) => {
            let parts = [Part::Text(string.clone())];
            if let Some(end) = text::heredoc_end(&parts) {
                heredoc(&mut out, &parts, end, indent);
                return (out, Shape::Heredoc);
            }
        }
        Expr::Template(parts) => {
            let parts = text::joined(parts);
            if let Some(end) = text::heredoc_end(&parts) {
                heredoc(&mut out, &parts, end, indent);
                return (out, Shape::Heredoc);
            }
        }
        Expr::Object(object) if !object.inline => {
            spread_object(&mut out, object, indent);
            let shape = if object.entries.is_empty() { Shape::One } else { Shape::Several };
            return (out, shape);
        }
        _ => {}
    }
    spread(&mut out, expr, indent);
    let shape = if out.contains('\n') { Shape::Several } else { Shape::One };
    (out, shape)
}

/// Prints an expression on one line if it fits, on several if it can be spread.
fn spread(out: &mut String, expr: &Expr, indent: usize) {
    let start = out.len();
    compact(out, expr);
    let length = out.len() - start;
    let fits = length <= WIDTH;
    match expr {
        Expr::List(items) if !items.is_empty() && (!fits || items.iter().any(is_record)) => {
            out.truncate(start);
            spread_list(out, items, indent);
        }
        Expr::Object(object)
            if !object.entries.is_empty() && (!fits || object.entries.len() > 2) =>
        {
            out.truncate(start);
            spread_object(out, object, indent);
        }
        Expr::Call(name, arguments) if !fits || arguments.iter().any(wants_lines) => {
            if let Some((last, before)) =
                arguments.split_last().filter(|_| arguments.iter().any(can_spread))
            {
                out.truncate(start);
                out.push_str(name);
                spread_call(out, before, last, indent);
            }
        }
        Expr::For(each) if !fits => {
            out.truncate(start);
            spread_for(out, each, indent);
            // `terraform fmt` would align an object in front of the result with the entries of the result
            if out
                .get(start..)
                .is_some_and(|text| text.lines().nth(1).is_some_and(|head| head.contains(" = ")))
            {
                out.truncate(start);
                compact(out, expr);
            }
        }
        _ => {}
    }
}

fn is_record(expr: &Expr) -> bool {
    matches!(expr, Expr::Object(object) if !object.entries.is_empty())
}

/// Whether an argument is better read on lines of its own, however short it is.
fn wants_lines(expr: &Expr) -> bool {
    match expr {
        Expr::Object(object) => object.entries.len() > 2,
        Expr::List(items) => items.iter().any(is_record),
        Expr::Call(_, arguments) => arguments.last().is_some_and(wants_lines),
        _ => false,
    }
}

fn can_spread(expr: &Expr) -> bool {
    match expr {
        Expr::Object(object) => !object.entries.is_empty(),
        Expr::List(items) => !items.is_empty(),
        Expr::Call(_, arguments) => arguments.last().is_some_and(can_spread),
        _ => false,
    }
}

/// Only the last argument is spread if the others are short; otherwise each argument has its own line.
fn spread_call(out: &mut String, before: &[Expr], last: &Expr, indent: usize) {
    if can_spread(last) && !before.iter().any(can_spread) {
        out.push('(');
        for argument in before {
            compact(out, argument);
            out.push_str(", ");
        }
        spread(out, last, indent);
        out.push(')');
        return;
    }
    out.push_str("(\n");
    for argument in before.iter().chain([last]) {
        pad(out, indent + 2);
        spread(out, argument, indent + 2);
        out.push_str(",\n");
    }
    pad(out, indent);
    out.push(')');
}

fn spread_for(out: &mut String, each: &For, indent: usize) {
    let (open, close) = if each.result_key.is_some() { ('{', '}') } else { ('[', ']') };
    out.push(open);
    out.push('\n');
    pad(out, indent + 2);
    for_head(out, each);
    match &each.result {
        Expr::Object(object) => spread_object(out, object, indent + 2),
        result => clause(out, "", "", result),
    }
    for_tail(out, each);
    out.push('\n');
    pad(out, indent);
    out.push(close);
}

fn spread_list(out: &mut String, items: &[Expr], indent: usize) {
    out.push_str("[\n");
    for item in items {
        pad(out, indent + 2);
        match item {
            Expr::Object(object) => spread_object(out, object, indent + 2),
            _ => spread(out, item, indent + 2),
        }
        out.push_str(",\n");
    }
    pad(out, indent);
    out.push(']');
}

fn spread_object(out: &mut String, object: &Object, indent: usize) {
    if object.entries.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{\n");
    let mut lines = object
        .entries
        .iter()
        .map(|(name, expr)| {
            let (value, shape) = whole(expr, indent + 2);
            Line { comment: "", key: Cow::Owned(key(name)), value, shape }
        })
        .collect();
    flush(out, &mut lines, indent + 2);
    pad(out, indent);
    out.push('}');
}

fn heredoc(out: &mut String, parts: &[Part], end: &str, indent: usize) {
    let mut text = String::new();
    let mut rest = parts.iter().peekable();
    while let Some(part) = rest.next() {
        match part {
            Part::Text(piece) => text::unquoted(&mut text, piece, next(rest.peek().copied())),
            Part::Interp(expr) => interpolation(&mut text, expr),
        }
    }
    out.push_str("<<-");
    out.push_str(end);
    for line in text.strip_suffix('\n').unwrap_or(&text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(out, indent + 2);
            out.push_str(line);
        }
    }
    out.push('\n');
    pad(out, indent);
    out.push_str(end);
}

/// Prints an expression on one line.
fn compact(out: &mut String, expr: &Expr) {
    match expr {
        Expr::Null => out.push_str("null"),
        Expr::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Expr::Int(value) => out.push_str(&value.to_string()),
        Expr::Float(value) => out.push_str(&float(*value)),
        Expr::Str(string) => text::quoted(out, string),
        Expr::List(items) => {
            out.push('[');
            separated(out, items);
            out.push(']');
        }
        Expr::Object(object) => compact_object(out, object),
        Expr::Raw(raw) => out.push_str(raw),
        Expr::Index(base, index) => {
            operand(out, base);
            out.push('[');
            compact(out, index);
            out.push(']');
        }
        Expr::Attr(base, name) => {
            operand(out, base);
            out.push('.');
            out.push_str(name);
        }
        Expr::Call(name, arguments) => {
            out.push_str(name);
            out.push('(');
            separated(out, arguments);
            out.push(')');
        }
        Expr::Template(parts) => template(out, parts),
        Expr::If(condition, then, otherwise) => {
            operand(out, condition);
            out.push_str(" ? ");
            operand(out, then);
            out.push_str(" : ");
            operand(out, otherwise);
        }
        Expr::Binary(left, operator, right) => {
            operand(out, left);
            out.push(' ');
            out.push_str(operator);
            out.push(' ');
            operand(out, right);
        }
        Expr::Not(value) => {
            out.push('!');
            operand(out, value);
        }
        Expr::For(each) => compact_for(out, each),
    }
}

/// Prints an expression so that an operator beside it cannot tear it apart.
fn operand(out: &mut String, expr: &Expr) {
    let loose = match expr {
        Expr::If(..) | Expr::Binary(..) | Expr::Not(_) => true,
        Expr::Int(value) => *value < 0,
        Expr::Float(value) => *value < 0.0,
        Expr::Raw(raw) => raw.contains(' '),
        _ => false,
    };
    if loose {
        out.push('(');
    }
    compact(out, expr);
    if loose {
        out.push(')');
    }
}

/// Prints a part of a `for` behind its keyword. `terraform fmt` takes `in (` and `if (` for calls, `if [` for an index,
/// and closes the gap; a minus sign there it takes for a subtraction.
fn clause(out: &mut String, keyword: &str, tight: &str, expr: &Expr) {
    out.push_str(keyword);
    let start = out.len();
    match expr {
        Expr::Binary(..) | Expr::Not(_) => compact(out, expr),
        _ => operand(out, expr),
    }
    let loose = !out.get(start..).is_some_and(|text| text.starts_with(|c| tight.contains(c)));
    if loose && !keyword.is_empty() {
        out.insert(start, ' ');
    }
}

fn separated(out: &mut String, items: &[Expr]) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        compact(out, item);
    }
}

fn compact_object(out: &mut String, object: &Object) {
    if object.entries.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{ ");
    for (index, (name, value)) in object.entries.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        out.push_str(&key(name));
        out.push_str(" = ");
        compact(out, value);
    }
    out.push_str(" }");
}

fn compact_for(out: &mut String, each: &For) {
    out.push_str(if each.result_key.is_some() { "{ " } else { "[" });
    for_head(out, each);
    clause(out, "", "", &each.result);
    for_tail(out, each);
    out.push_str(if each.result_key.is_some() { " }" } else { "]" });
}

/// Up to the result.
fn for_head(out: &mut String, each: &For) {
    out.push_str("for ");
    if let Some(name) = &each.key {
        out.push_str(name);
        out.push_str(", ");
    }
    out.push_str(&each.value);
    clause(out, " in", "(", &each.collection);
    out.push_str(" : ");
    if let Some(result_key) = &each.result_key {
        clause(out, "", "", result_key);
        out.push_str(" => ");
    }
}

/// Behind the result.
fn for_tail(out: &mut String, each: &For) {
    if each.group && each.result_key.is_some() {
        out.push_str("...");
    }
    if let Some(condition) = &each.condition {
        clause(out, " if", "([", condition);
    }
}

fn template(out: &mut String, parts: &[Part]) {
    let parts = text::joined(parts);
    // `terraform fmt` writes a lone interpolation as the expression itself
    if let [Part::Interp(expr)] = parts.as_slice() {
        compact(out, expr);
        return;
    }
    out.push('"');
    let mut rest = parts.iter().peekable();
    while let Some(part) = rest.next() {
        match part {
            Part::Text(piece) => text::escaped(out, piece, next(rest.peek().copied())),
            Part::Interp(expr) => interpolation(out, expr),
        }
    }
    out.push('"');
}

fn next(part: Option<&Part>) -> Next {
    if matches!(part, Some(Part::Interp(_))) { Next::Interpolation } else { Next::End }
}

fn interpolation(out: &mut String, expr: &Expr) {
    out.push_str("${");
    compact(out, expr);
    out.push('}');
}

fn key(key: &Key) -> String {
    match key {
        Key::Name(name) if text::is_bare_key(name) => name.to_string(),
        Key::Name(name) => {
            let mut out = String::new();
            text::quoted_key(&mut out, name);
            out
        }
        Key::Expr(expr) => {
            let mut out = String::from("(");
            compact(&mut out, expr);
            out.push(')');
            out
        }
    }
}

fn float(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { "null".to_owned() }
}
