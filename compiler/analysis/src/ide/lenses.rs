//! What stands above a head in an editor: who uses the nouns that it makes.

use super::ties::{Node, nouns};
use crate::Analysis;
use slipform_model::NounId;
use slipform_model::plan::Plan;
use slipform_source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How often the nouns of a head are used, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lens {
    /// The first of them, with the head that it shares with the others.
    pub node: Node,
    /// The paths of all that a loop or a component makes of the head: what files are rendered of it is known by them.
    pub nouns: Vec<String>,
    /// How many nouns of each kind need one of them, their own parts not counted: `2 workloads`.
    pub users: Vec<(String, usize)>,
    /// Where they are used.
    pub uses: Vec<Span>,
}

/// What is to be said above the heads of a file.
pub fn lenses(analysis: &Analysis, file: FileId) -> Vec<Lens> {
    let Some(plan) = &analysis.plan else { return Vec::new() };
    let nodes = nouns(analysis);
    let mut heads: BTreeMap<Span, BTreeSet<NounId>> = BTreeMap::new();
    for noun in plan.model.nouns.iter().filter(|noun| noun.span.file == file) {
        heads.entry(noun.span).or_default().insert(noun.id);
    }
    let mut users: BTreeMap<NounId, Vec<(NounId, Span)>> = BTreeMap::new();
    for (from, to, edge) in plan.graph.edges() {
        users.entry(to).or_default().push((from, edge.span));
    }
    let lens = |nouns: BTreeSet<NounId>| {
        let node = nodes.get(nouns.first()?)?.clone();
        let needed = nouns.iter().filter_map(|noun| users.get(noun)).flatten();
        let needed = needed.filter(|(user, _)| !is_part(plan, *user, &nouns));
        let (by, uses): (BTreeSet<NounId>, BTreeSet<Span>) = needed.copied().unzip();
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for user in by.into_iter().filter_map(|user| plan.model.get(user)) {
            *kinds.entry(user.body.kind().to_owned()).or_default() += 1;
        }
        let (users, uses) = (kinds.into_iter().collect(), uses.into_iter().collect());
        let nouns = nouns.into_iter().filter_map(|noun| plan.model.get(noun));
        let nouns = nouns.map(|noun| noun.path.clone()).collect();
        Some(Lens { node, nouns, users, uses })
    };
    heads.into_values().filter_map(lens).collect()
}

/// Whether a noun is one of these, or declared in one.
fn is_part(plan: &Plan, noun: NounId, of: &BTreeSet<NounId>) -> bool {
    let parent = plan.model.get(noun).and_then(|noun| noun.parent);
    of.contains(&noun) || parent.is_some_and(|parent| of.contains(&parent))
}
