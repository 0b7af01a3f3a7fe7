//! Pictures of the graph: Graphviz and Mermaid. Nouns with parts are boxes around them; being part of something is
//! shown by lying inside, every other edge is an arrow with its name.

use super::{EdgeKind, Graph};
use crate::{Model, Noun, NounId};
use std::collections::BTreeSet;
use std::fmt::Write as _;

impl Graph {
    /// The picture for Graphviz.
    pub fn to_dot(&self, model: &Model) -> String {
        let mut out = String::from("digraph blueprint {\n  rankdir = LR\n  node [shape = box]\n");
        draw_nouns(&mut out, model, &Dot);
        for (from, to, kind) in self.arrows() {
            let _ =
                writeln!(out, "  n{} -> n{} [label = {}]", from.0, to.0, dot_string(kind.as_str()));
        }
        out.push_str("}\n");
        out
    }

    /// The picture for Mermaid, as Markdown hosts draw it.
    pub fn to_mermaid(&self, model: &Model) -> String {
        let mut out = String::from("flowchart LR\n");
        draw_nouns(&mut out, model, &Mermaid);
        for (from, to, kind) in self.arrows() {
            let _ = writeln!(out, "  n{} -->|{}| n{}", from.0, kind.as_str(), to.0);
        }
        out
    }

    /// Each once: a noun may name another at several places for the same thing.
    fn arrows(&self) -> impl Iterator<Item = (NounId, NounId, EdgeKind)> {
        let mut drawn = BTreeSet::new();
        let named = self.edges().filter(|(_, _, edge)| edge.kind != EdgeKind::PartOf);
        let arrows = named.map(|(from, to, edge)| (from, to, edge.kind));
        arrows.filter(move |arrow| drawn.insert(*arrow))
    }
}

/// What the two pictures write differently.
trait Pen {
    fn node(&self, noun: &Noun) -> String;
    fn open(&self, noun: &Noun) -> String;
    fn close(&self) -> &'static str;
}

struct Dot;

impl Pen for Dot {
    fn node(&self, noun: &Noun) -> String {
        let style = if noun.existing { ", style = dashed" } else { "" };
        format!("n{} [label = {}{style}]", noun.id.0, dot_string(&label(noun)))
    }

    fn open(&self, noun: &Noun) -> String {
        format!("subgraph cluster_{} {{", noun.id.0)
    }

    fn close(&self) -> &'static str {
        "}"
    }
}

struct Mermaid;

impl Pen for Mermaid {
    fn node(&self, noun: &Noun) -> String {
        format!("n{}[\"{}\"]", noun.id.0, mermaid_text(&label(noun)))
    }

    fn open(&self, noun: &Noun) -> String {
        format!("subgraph g{}[\" \"]", noun.id.0)
    }

    fn close(&self) -> &'static str {
        "end"
    }
}

/// `cluster a3m on gke`
fn label(noun: &Noun) -> String {
    match noun.body.platform() {
        Some(platform) => format!("{} {} on {platform}", noun.body.kind(), noun.path),
        None => format!("{} {}", noun.body.kind(), noun.path),
    }
}

/// Every noun in the order of the blueprint, those with parts as boxes around them. The walk keeps its own stack, so
/// that no depth of nesting can exhaust the thread's.
fn draw_nouns(out: &mut String, model: &Model, pen: &dyn Pen) {
    let mut children: Vec<Vec<&Noun>> = vec![Vec::new(); model.nouns.len()];
    let mut roots = Vec::new();
    for noun in &model.nouns {
        match noun.parent.and_then(|parent| children.get_mut(parent.0 as usize)) {
            Some(siblings) => siblings.push(noun),
            None => roots.push(noun),
        }
    }
    let mut stack: Vec<Step<'_>> = roots.into_iter().rev().map(Step::Enter).collect();
    let mut depth = 1;
    while let Some(step) = stack.pop() {
        match step {
            Step::Enter(noun) => {
                let parts =
                    children.get_mut(noun.id.0 as usize).map(std::mem::take).unwrap_or_default();
                if parts.is_empty() {
                    line(out, depth, &pen.node(noun));
                    continue;
                }
                line(out, depth, &pen.open(noun));
                depth += 1;
                line(out, depth, &pen.node(noun));
                stack.push(Step::Leave);
                stack.extend(parts.into_iter().rev().map(Step::Enter));
            }
            Step::Leave => {
                depth -= 1;
                line(out, depth, pen.close());
            }
        }
    }
}

enum Step<'a> {
    Enter(&'a Noun),
    Leave,
}

fn line(out: &mut String, depth: usize, text: &str) {
    for _ in 0..depth {
        out.push_str("  ");
    }
    out.push_str(text);
    out.push('\n');
}

fn dot_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Mermaid has no escapes inside quotes, but entities by number.
fn mermaid_text(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' => {
                let _ = write!(safe, "#{};", c as u32);
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
