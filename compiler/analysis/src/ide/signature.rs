//! What a call takes, while its arguments are written.

use super::complete::scope::component_fields;
use super::cursor::Cursor;
use crate::Analysis;
use crate::index::Called;
use crate::types::{Ctor, Field};
use slipform_source::FileId;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Arg, Doc, Expr, ExprKind, StmtKind};
use std::ops::Range;
use std::sync::Arc;

/// A constructor, a function or a component, and the argument that the cursor is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// `mount(source: Source, path: AbsolutePath): Mount`
    pub label: String,
    /// Where the parameters stand in it, in bytes.
    pub parameters: Vec<Range<usize>>,
    /// What each of them means, where that is known.
    pub said: Vec<Option<Doc>>,
    /// The one that is being written.
    pub active: Option<usize>,
    /// Its documentation.
    pub doc: Option<Doc>,
}

/// What the call, or the use of a component, around an offset takes.
pub fn signature(analysis: &Analysis, file: FileId, offset: usize) -> Option<Signature> {
    in_call(analysis, file, offset).or_else(|| in_use(analysis, file, offset))
}

/// What a component has to be given, in the block of its use, and what the line of the cursor gives it.
fn in_use(analysis: &Analysis, file: FileId, offset: usize) -> Option<Signature> {
    let cursor = Cursor::new(analysis, file, offset)?;
    let decl = cursor.decls().next()?;
    // in its head nothing of it is written
    if offset <= decl.header.end as usize {
        return None;
    }
    let fields = component_fields(analysis, file, &decl.kind.value)?;
    // behind `name = ` nothing is there yet
    let written = cursor.text.get(..offset)?.trim_end_matches([' ', '\t']).len();
    let here = decl.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) if stmt.span.touches(offset) || stmt.span.touches(written) => {
            Some(attr.name.value.as_str())
        }
        _ => None,
    });
    let own = fields.0.iter().filter(|(name, _)| &***name != "place");
    let (told, rest): (Vec<_>, Vec<_>) =
        own.partition(|(name, field)| !field.may_be_left_out() || here == Some(&***name));
    let (mut label, mut parameters) = (format!("{} {{ ", decl.kind.value), Vec::new());
    for (name, field) in &told {
        let start = label.len();
        let mark = if field.may_be_left_out() { "?" } else { "" };
        label.push_str(&format!("{name}{mark}: {}", field.ty.set()));
        parameters.push(start..label.len());
        label.push_str(", ");
    }
    label.truncate(label.trim_end_matches(", ").len());
    label.push_str(if rest.is_empty() { " }" } else { ", ... }" });
    let active = told.iter().position(|(name, _)| here == Some(&***name));
    let at = decl.kind.span.start as usize + 1;
    let doc = analysis.index.at(file, at).and_then(|mention| mention.doc.clone());
    let said = told.iter().map(|(_, field)| field.doc.clone()).collect();
    Some(Signature { label, parameters, said, active, doc })
}

fn in_call(analysis: &Analysis, file: FileId, offset: usize) -> Option<Signature> {
    let text = &analysis.sources.get(file)?.text;
    // behind a comma the arguments so far may be all that could be read
    let written = text.get(..offset)?.trim_end_matches([' ', ',', '\t']).len();
    [offset, written].into_iter().find_map(|at| {
        let cursor = Cursor::new(analysis, file, at)?;
        let mut calls = cursor.path.iter().rev().filter_map(|node| match node {
            NodeRef::Expr(Expr { kind: ExprKind::Call(callee, args), .. }) => Some((callee, args)),
            _ => None,
        });
        let behind = |callee: &Expr| text.get(callee.span.end as usize..offset);
        let (callee, args) = calls.find(|(callee, _)| behind(callee).is_some_and(is_open))?;
        of_call(analysis, callee, args, text, offset)
    })
}

/// Whether more parentheses are opened than closed, those in texts not counted.
fn is_open(text: &str) -> bool {
    let (mut open, mut quoted, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' if !quoted => open += 1,
            ')' if !quoted => open -= 1,
            _ => {}
        }
    }
    open > 0
}

fn of_call(
    analysis: &Analysis,
    callee: &Expr,
    args: &[Arg],
    text: &str,
    offset: usize,
) -> Option<Signature> {
    let middle = (callee.span.start as usize + callee.span.end as usize) / 2;
    let mention = analysis.index.at(callee.span.file, middle)?;
    let label = match &mention.called {
        Called::Ctor(ctor) => form(ctor),
        _ => mention.title(),
    };
    let parameters = parameters(&label);
    let active = active(&label, &parameters, args, text, offset);
    let said = match &mention.called {
        Called::Ctor(ctor) => ctor.fields.0.values().map(|field| field.doc.clone()).collect(),
        _ => Vec::new(),
    };
    Some(Signature { label, parameters, said, active, doc: mention.doc.clone() })
}

/// A constructor with its arguments: those that may be left out say so.
fn form(ctor: &Ctor) -> String {
    let argument = |(name, field): (&Arc<str>, &Field)| {
        let mark = if field.may_be_left_out() { "?" } else { "" };
        format!("{name}{mark}: {}", field.ty.set())
    };
    let arguments: Vec<String> = ctor.fields.0.iter().map(argument).collect();
    format!("{}({}): {}", ctor.name, arguments.join(", "), ctor.of)
}

/// Where the parameters of a signature stand in it.
fn parameters(title: &str) -> Vec<Range<usize>> {
    let Some(open) = title.find('(') else { return Vec::new() };
    let mut found = Vec::new();
    let (mut depth, mut start, mut quoted) = (0, open + 1, false);
    for (at, c) in title.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 1 => depth -= 1,
            ',' if depth == 1 => {
                found.push(start..at);
                start = at + 1;
            }
            ')' => {
                found.push(start..at);
                break;
            }
            _ => {}
        }
    }
    let trimmed = found.into_iter().map(|range| {
        let text = title.get(range.clone()).unwrap_or_default();
        range.end - text.trim_start().len()..range.end
    });
    trimmed.filter(|range| !range.is_empty()).collect()
}

/// The parameter that an argument at an offset is for: by its name, or by how many stand in front of it.
fn active(
    title: &str,
    parameters: &[Range<usize>],
    args: &[Arg],
    text: &str,
    offset: usize,
) -> Option<usize> {
    // whoever is about to write the value is there
    let end = |arg: &Arg| {
        let end = arg.value.span.end as usize;
        let is_open = arg.value.kind == ExprKind::Missing;
        let behind = text.get(end..).filter(|_| is_open).unwrap_or_default();
        end + behind.len() - behind.trim_start_matches([' ', '\t', '=']).len()
    };
    let here = args.iter().position(|arg| {
        let start = arg.name.as_ref().map_or(arg.value.span.start, |name| name.span.start);
        (start as usize..=end(arg)).contains(&offset)
    });
    let is_of = |range: &Range<usize>, name: &str| {
        let parameter = title.get(range.clone()).unwrap_or_default();
        parameter.split([':', '?', ' ']).next() == Some(name)
    };
    if let Some(name) = here.and_then(|at| args.get(at)?.name.as_ref()) {
        return parameters.iter().position(|it| is_of(it, &name.value));
    }
    let before = args.iter().enumerate().filter(|(at, arg)| match here {
        Some(here) => *at < here,
        None => text.get(end(arg)..offset).is_some_and(|behind| behind.contains(',')),
    });
    let (named, plain): (Vec<_>, Vec<_>) =
        before.map(|(_, arg)| arg.name.as_ref()).partition(Option::is_some);
    let is_given =
        |range: &Range<usize>| named.iter().flatten().any(|name| is_of(range, &name.value));
    let mut free = parameters.iter().enumerate().skip(plain.len());
    free.find(|(_, range)| !is_given(range)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_between_the_outer_commas() {
        let title = "mount(source: bucket | scratch(size: Size), path: \"a,b\" = \"a\"): Mount";
        let texts: Vec<&str> =
            parameters(title).into_iter().filter_map(|range| title.get(range)).collect();
        assert_eq!(texts, ["source: bucket | scratch(size: Size)", "path: \"a,b\" = \"a\""]);
        assert!(parameters("spot: Capacity").is_empty());
    }
}
