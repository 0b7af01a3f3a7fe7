//! Who needs whom, for the views of an editor: nouns, and the words that tie them.

use super::cursor::{each_stmt, own_trees, tree};
use super::references::{target, uses};
use crate::Analysis;
use slipform_model::{Diagnostic, Noun, NounId};
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, Param, Stmt, StmtKind, TypeExprKind};
use std::collections::{BTreeMap, BTreeSet};

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
fn nouns(analysis: &Analysis) -> BTreeMap<NounId, Node> {
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

/// How often a noun is used, and where: what stands above it in an editor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The noun.
    pub node: Node,
    /// Its identity in the plan: what files are rendered of it is known by that.
    pub noun: NounId,
    /// How many nouns of each kind need it, its own parts not counted: `2 workloads`.
    pub users: Vec<(String, usize)>,
    /// Where it is used.
    pub uses: Vec<Span>,
}

/// What is to be said above the nouns of a file.
pub fn lenses(analysis: &Analysis, file: FileId) -> Vec<Lens> {
    let Some(plan) = &analysis.plan else { return Vec::new() };
    let nodes = nouns(analysis);
    let mut users: BTreeMap<NounId, BTreeMap<NounId, Span>> = BTreeMap::new();
    for (from, to, edge) in plan.graph.edges() {
        users.entry(to).or_default().insert(from, edge.span);
    }
    let here = plan.model.nouns.iter().filter(|noun| noun.span.file == file);
    let lens = |noun: &Noun| {
        let node = nodes.get(&noun.id)?.clone();
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        let mut uses = Vec::new();
        for (user, span) in users.get(&noun.id).into_iter().flatten() {
            let Some(user) = plan.model.get(*user) else { continue };
            if user.parent != Some(noun.id) {
                *kinds.entry(user.body.kind().to_owned()).or_default() += 1;
                uses.push(*span);
            }
        }
        Some(Lens { node, noun: noun.id, users: kinds.into_iter().collect(), uses })
    };
    let mut seen = BTreeSet::new();
    here.filter(|noun| seen.insert(noun.span)).filter_map(lens).collect()
}

slipform_source::codes! {
    pub(crate) CODES;
    pub NAMES_UNUSED = "names/unused":
        "a `let`, a `param` or a `use` that nothing speaks of; editors show it paler, and it stops nothing",
        "remove it, or speak of it";
}

/// What nothing speaks of in the blueprint's own files, as editors are told of it.
pub fn idle(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for tree in own_trees(analysis) {
        found.extend(unused(analysis, tree.file).into_iter().map(|it| {
            let message = format!("nothing speaks of the {} `{}`", it.word, it.name);
            Diagnostic::advice(NAMES_UNUSED, message, it.span)
        }));
    }
    found
}

/// A name that nothing speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unused {
    /// Where it is declared, or brought in.
    pub span: Span,
    /// What it is: `param`, `let`, `use`.
    pub word: &'static str,
    /// How it is called.
    pub name: String,
    /// The statement, where nothing else stands in it.
    pub stmt: Option<Span>,
}

/// The `let`, `param` and `use` of a file that nothing speaks of.
pub fn unused(analysis: &Analysis, file: FileId) -> Vec<Unused> {
    let stmts = tree(analysis, file).map(|tree| tree.stmts.as_slice()).unwrap_or_default();
    let named = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Let(it) => it.name.clone().map(|name| (name, "let", stmt.span)),
        // the project of a blueprint is asked for by its type
        StmtKind::Param(it) if is_project(it) => None,
        StmtKind::Param(it) => it.name.clone().map(|name| (name, "param", stmt.span)),
        _ => None,
    };
    let all: Vec<_> = stmts.iter().filter_map(named).collect();
    let idle = analysis.index.unmentioned(all.iter().map(|(name, ..)| name.span).collect());
    // what is reached through the name of a file is not in the index
    let members = if idle.is_empty() { BTreeSet::new() } else { members(analysis) };
    let idle = all.into_iter().filter(|(name, ..)| {
        idle.contains(&name.span)
            && (!members.contains(name.value.as_str()) || uses(analysis, name.span).is_empty())
    });
    let mut found: Vec<Unused> = idle
        .map(|(name, word, stmt)| Unused {
            span: name.span,
            word,
            name: name.value.to_string(),
            stmt: Some(stmt).filter(|_| !has_key(analysis, &name.value)),
        })
        .collect();
    found.extend(idle_uses(analysis, file, stmts));
    found
}

fn is_project(param: &Param) -> bool {
    let ty = param.ty.as_ref().map(|ty| &ty.kind);
    matches!(ty, Some(TypeExprKind::Name(name)) if name == "ProjectId")
}

/// Whether the project file gives a parameter a value: it cannot be taken away here alone.
fn has_key(analysis: &Analysis, name: &str) -> bool {
    analysis.project.iter().flat_map(|project| &project.keys).any(|(key, _)| key == name)
}

/// Every name that stands behind a dot.
fn members(analysis: &Analysis) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for tree in own_trees(analysis) {
        slipform_syntax::walk(tree, &mut |node| {
            if let NodeRef::Expr(Expr { kind: ExprKind::Member(_, Some(name)), .. }) = node {
                found.insert(name.value.to_string());
            }
        });
    }
    found
}

/// Names that a file brings in and never speaks of.
fn idle_uses(analysis: &Analysis, file: FileId, stmts: &[Stmt]) -> Vec<Unused> {
    let mut found = Vec::new();
    for stmt in stmts {
        let StmtKind::Use(used) = &stmt.kind else { continue };
        let names = used.names.iter().flatten();
        let several = names.clone().count() > 1;
        let names = names.map(|(name, alias)| (name.span, alias.as_ref().unwrap_or(name)));
        for (name, local) in names {
            let middle = (name.start as usize + name.end as usize) / 2;
            let Some(declared) = target(analysis, file, middle) else { continue };
            let speaks = |span: Span| {
                span.file == file
                    && span != name
                    && span != local.span
                    && analysis.sources.text(span) == local.value.as_str()
            };
            // types are not in the index
            let known = analysis.index.of(declared).any(speaks);
            if !known && !uses(analysis, declared).into_iter().any(speaks) {
                found.push(Unused {
                    span: local.span,
                    word: "use",
                    name: local.value.to_string(),
                    stmt: (!several).then_some(stmt.span),
                });
            }
        }
    }
    found
}
