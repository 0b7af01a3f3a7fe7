//! What stands above a noun in an editor: who uses it.

use super::ties::{Node, nouns};
use crate::Analysis;
use slipform_model::{Noun, NounId};
use slipform_source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

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
