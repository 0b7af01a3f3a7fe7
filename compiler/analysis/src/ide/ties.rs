//! Who needs whom, for the views of an editor: nouns and components, and the words that tie them.

use super::cursor::{each_stmt, own_trees};
use super::references::{target, uses};
use crate::Analysis;
use slipform_model::{Noun, NounId};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Name, Stmt, StmtKind};
use std::collections::BTreeMap;

/// A noun or a component as a view shows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    /// `a3m.gpus`, `component nccl_test`
    pub path: String,
    /// `pool`
    pub kind: String,
    /// Its head.
    pub span: Span,
    /// Its name in it.
    pub name: Span,
}

/// A noun that another one needs, or that needs it: what ties them, and where the blueprint says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    /// The other one.
    pub node: Node,
    /// Where it is said.
    pub spans: Vec<Span>,
}

/// The noun or the component that the word at an offset stands for.
pub fn node_at(analysis: &Analysis, file: FileId, offset: usize) -> Option<Node> {
    let declared = target(analysis, file, offset)?;
    let noun = nouns(analysis).into_values().find(|node| node.name == declared);
    noun.or_else(|| components(analysis).into_iter().find(|node| node.name == declared))
}

/// What a noun needs, or a component uses.
pub fn needs(analysis: &Analysis, path: &str) -> Vec<Tie> {
    let Some(component) = component(analysis, path) else { return ties(analysis, path, true) };
    let others = components(analysis).into_iter().filter(|it| it.name != component.name);
    let inside = |other: &Node| -> Vec<Span> {
        let spans = uses(analysis, other.name).into_iter();
        spans.filter(|span| component.span.covers(*span)).collect()
    };
    let ties = others.map(|other| Tie { spans: inside(&other), node: other });
    ties.filter(|tie| !tie.spans.is_empty()).collect()
}

/// What needs a noun, or is made by a component.
pub fn needed_by(analysis: &Analysis, path: &str) -> Vec<Tie> {
    let Some(component) = component(analysis, path) else { return ties(analysis, path, false) };
    let spoken = uses(analysis, component.name);
    let mut found = Vec::new();
    for tree in own_trees(analysis) {
        made_by(&tree.stmts, &spoken, &mut found);
    }
    found
}

/// The statements that are written with a word at one of some places as their kind.
fn made_by(stmts: &[Stmt], spoken: &[Span], found: &mut Vec<Tie>) {
    each_stmt(stmts, &mut |stmt| match &stmt.kind {
        StmtKind::Decl(decl) => {
            if spoken.contains(&decl.kind.span) {
                let name = decl.name.as_ref().unwrap_or(&decl.kind);
                let (path, kind) = (name.value.to_string(), decl.kind.value.to_string());
                let node = Node { path, kind, span: decl.header, name: name.span };
                found.push(Tie { node, spans: vec![decl.kind.span] });
            }
            made_by(&decl.body, spoken, found);
        }
        StmtKind::Component(component) => made_by(&component.body, spoken, found),
        _ => {}
    });
}

/// The component that a path stands for.
fn component(analysis: &Analysis, path: &str) -> Option<Node> {
    components(analysis).into_iter().find(|node| node.path == path)
}

/// Every component that the blueprint may use.
fn components(analysis: &Analysis) -> Vec<Node> {
    let stmts = analysis.trees.iter().flat_map(|tree| &tree.stmts);
    let declared = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Component(it) => it.name.as_ref().map(|name| (stmt, name)),
        _ => None,
    });
    let node = |(stmt, name): (&Stmt, &Name)| Node {
        path: format!("component {}", name.value),
        kind: "component".to_owned(),
        span: stmt.span,
        name: name.span,
    };
    declared.map(node).collect()
}

fn ties(analysis: &Analysis, path: &str, outgoing: bool) -> Vec<Tie> {
    let Some(plan) = &analysis.plan else { return Vec::new() };
    let Some(noun) = plan.model.nouns.iter().find(|noun| noun.path == path) else {
        return Vec::new();
    };
    let nodes = nouns(analysis);
    let mut found: BTreeMap<NounId, Vec<Span>> = BTreeMap::new();
    for (from, to, edge) in plan.graph.edges() {
        let (own, other) = if outgoing { (from, to) } else { (to, from) };
        if own == noun.id {
            found.entry(other).or_default().push(edge.span);
        }
    }
    let tie = |(id, spans): (NounId, Vec<Span>)| Some(Tie { node: nodes.get(&id)?.clone(), spans });
    found.into_iter().filter_map(tie).collect()
}

/// All nouns whose heads stand in a file.
pub(super) fn nouns(analysis: &Analysis) -> BTreeMap<NounId, Node> {
    let mut names: BTreeMap<Span, Span> = BTreeMap::new();
    for tree in &analysis.trees {
        named(&tree.stmts, &mut names);
    }
    let all = analysis.plan.iter().flat_map(|plan| &plan.model.nouns);
    let node = |noun: &Noun| {
        Some((
            noun.id,
            Node {
                path: noun.path.clone(),
                kind: noun.body.kind().to_owned(),
                span: noun.span,
                name: *names.get(&noun.span)?,
            },
        ))
    };
    all.filter_map(node).collect()
}

/// The name in each head.
fn named(stmts: &[Stmt], found: &mut BTreeMap<Span, Span>) {
    each_stmt(stmts, &mut |stmt| match &stmt.kind {
        StmtKind::Decl(decl) => {
            let name = decl.name.as_ref().unwrap_or(&decl.kind);
            found.insert(decl.header, name.span);
            named(&decl.body, found);
        }
        StmtKind::Component(component) => named(&component.body, found),
        _ => {}
    });
}
