//! Who needs whom, for the views of an editor: nouns, and the words that tie them.

use super::cursor::each_stmt;
use super::references::target;
use crate::Analysis;
use slipform_model::{Noun, NounId};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Stmt, StmtKind};
use std::collections::BTreeMap;

/// A noun as a view shows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Node {
    /// `a3m.gpus`
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

/// The noun that the word at an offset stands for.
pub fn node_at(analysis: &Analysis, file: FileId, offset: usize) -> Option<Node> {
    let declared = target(analysis, file, offset)?;
    nouns(analysis).into_values().find(|node| node.name == declared)
}

/// What a noun needs.
pub fn needs(analysis: &Analysis, path: &str) -> Vec<Tie> {
    ties(analysis, path, true)
}

/// What needs a noun.
pub fn needed_by(analysis: &Analysis, path: &str) -> Vec<Tie> {
    ties(analysis, path, false)
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
