//! Who refers to whom: nouns, typed edges, and the order in which things are made.
//!
//! An edge leads from the noun that says something to the noun that it needs. Every answer is in the order of the
//! blueprint wherever the edges leave a choice. Cycles are found, never judged; every query terminates on them.

use crate::nouns::{Body, Choice, GkeCluster, Kind, Place, Pool, Queue, Ref, Workload};
use crate::{Model, Noun, NounId};
use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;
use slipform_source::Span;
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

mod draw;
mod references;

pub(crate) use references::references;

/// What one noun has to do with another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Declared inside it.
    PartOf,
    /// A workload and its pool, partition or cluster.
    RunsOn,
    /// A container and its image.
    BuiltFrom,
    /// A process and the storage that it sees.
    Mounts,
    /// A workload and the queue that admits it.
    QueuedBy,
    /// An image and its registry.
    PushedTo,
    /// A workload and its identity.
    ActsAs,
    /// A workload and its dashboard.
    ShownIn,
    /// Nodes of a workload and others of it that start before them.
    Awaits,
    /// Processes and the nodes of their run that they find.
    Reaches,
    /// Any other reference.
    Uses,
}

impl EdgeKind {
    /// As a sentence would say it: `runs on`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PartOf => "part of",
            Self::RunsOn => "runs on",
            Self::BuiltFrom => "built from",
            Self::Mounts => "mounts",
            Self::QueuedBy => "queued by",
            Self::PushedTo => "pushed to",
            Self::ActsAs => "acts as",
            Self::ShownIn => "shown in",
            Self::Awaits => "waits for",
            Self::Reaches => "reaches",
            Self::Uses => "uses",
        }
    }
}

/// A reference from one noun to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// What it means.
    pub kind: EdgeKind,
    /// Where the blueprint says it.
    pub span: Span,
}

/// Nouns and the references between them.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The index of a node is the number of its noun.
    inner: DiGraph<NounId, Edge>,
}

impl Graph {
    /// The graph of a model. References that lead out of the model make no edge.
    pub fn new(model: &Model) -> Self {
        let mut graph = Self::with_nodes(model.nouns.len());
        let queues = Admission::new(model);
        for noun in &model.nouns {
            if let Some(parent) = noun.parent {
                let edge = Edge { kind: EdgeKind::PartOf, span: noun.span };
                graph.add(noun.id, parent, edge);
            }
            // In which order the nodes of one run start, and which of them others find, says nothing of the order in which nouns are made.
            let made = references(&noun.body).into_iter();
            for reference in
                made.filter(|it| !matches!(it.edge.kind, EdgeKind::Awaits | EdgeKind::Reaches))
            {
                graph.add(noun.id, reference.to, reference.edge);
            }
            if let Some((queue, span)) = Workload::of(&noun.body).and_then(|it| queues.chosen(it)) {
                graph.add(noun.id, queue.id(), Edge { kind: EdgeKind::QueuedBy, span });
            }
        }
        graph
    }

    fn with_nodes(count: usize) -> Self {
        let mut inner = DiGraph::with_capacity(count, count * 3);
        for number in 0..count {
            inner.add_node(NounId(number as u32));
        }
        Self { inner }
    }

    fn add(&mut self, from: NounId, to: NounId, edge: Edge) {
        let count = self.inner.node_count();
        if (from.0 as usize) < count && (to.0 as usize) < count {
            self.inner.add_edge(node(from), node(to), edge);
        }
    }

    /// Every edge as (from, to, what), in the order of the blueprint.
    pub fn edges(&self) -> impl Iterator<Item = (NounId, NounId, &Edge)> {
        self.inner.edge_references().map(|it| (noun(it.source()), noun(it.target()), it.weight()))
    }

    fn edges_from(&self, id: NounId) -> Vec<EdgeReference<'_, Edge>> {
        let mut edges: Vec<_> = self.inner.edges(node(id)).collect();
        edges.sort_by_key(|it| it.id());
        edges
    }

    /// Every noun, each behind what it needs. Nouns of a cycle, and what needs them, come last.
    pub fn order(&self) -> Vec<NounId> {
        let mut waits: Vec<usize> =
            self.inner.node_indices().map(|at| self.inner.edges(at).count()).collect();
        let mut ready: BinaryHeap<Reverse<usize>> = waits
            .iter()
            .enumerate()
            .filter(|(_, count)| **count == 0)
            .map(|(at, _)| Reverse(at))
            .collect();
        let mut done = vec![false; waits.len()];
        let mut order = Vec::with_capacity(waits.len());
        while let Some(Reverse(at)) = ready.pop() {
            if let Some(done) = done.get_mut(at) {
                *done = true;
            }
            order.push(NounId(at as u32));
            for user in self.inner.neighbors_directed(NodeIndex::new(at), Direction::Incoming) {
                let Some(wait) = waits.get_mut(user.index()) else { continue };
                *wait = wait.saturating_sub(1);
                if *wait == 0 {
                    ready.push(Reverse(user.index()));
                }
            }
        }
        let left = done.iter().enumerate().filter(|(_, done)| !**done);
        order.extend(left.map(|(at, _)| NounId(at as u32)));
        order
    }

    /// Nouns by the stage in which they can be made: the first need nothing, each later one only earlier ones.
    pub fn levels(&self) -> Vec<Vec<NounId>> {
        let mut level_of = vec![0usize; self.inner.node_count()];
        let mut levels: Vec<Vec<NounId>> = Vec::new();
        for id in self.order() {
            let needs =
                self.inner.neighbors(node(id)).filter(|needed| needed.index() != id.0 as usize);
            let level =
                needs.filter_map(|needed| level_of.get(needed.index())).map(|it| it + 1).max();
            let level = level.unwrap_or(0).min(levels.len());
            if let Some(slot) = level_of.get_mut(id.0 as usize) {
                *slot = level;
            }
            match levels.get_mut(level) {
                Some(stage) => stage.push(id),
                None => levels.push(vec![id]),
            }
        }
        for stage in &mut levels {
            stage.sort();
        }
        levels
    }

    /// A shortest cycle through the noun that comes first in the blueprint among those on cycles: each noun with the
    /// edge that leads to the next one, the last one's back to the first.
    pub fn cycle(&self) -> Option<Vec<(NounId, Edge)>> {
        let components = kosaraju_scc(&self.inner);
        let on_cycles = components.iter().filter(|component| match component.as_slice() {
            [only] => self.inner.contains_edge(*only, *only),
            many => many.len() > 1,
        });
        let first = on_cycles.filter_map(|component| component.iter().min()).min()?;
        self.way_round(*first)
    }

    /// The shortest way from a node to itself.
    fn way_round(&self, start: NodeIndex) -> Option<Vec<(NounId, Edge)>> {
        let mut came: BTreeMap<NodeIndex, (NodeIndex, Edge)> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for edge in self.edges_from(noun(at)) {
                let next = edge.target();
                if next == start {
                    return Some(Self::trace(start, at, *edge.weight(), &came));
                }
                if let Entry::Vacant(slot) = came.entry(next) {
                    slot.insert((at, *edge.weight()));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn trace(
        start: NodeIndex,
        last: NodeIndex,
        closing: Edge,
        came: &BTreeMap<NodeIndex, (NodeIndex, Edge)>,
    ) -> Vec<(NounId, Edge)> {
        let mut path = vec![(noun(last), closing)];
        let mut at = last;
        while at != start {
            let Some((before, edge)) = came.get(&at) else { break };
            path.push((noun(*before), *edge));
            at = *before;
        }
        path.reverse();
        path
    }
}

fn node(id: NounId) -> NodeIndex {
    NodeIndex::new(id.0 as usize)
}

fn noun(at: NodeIndex) -> NounId {
    NounId(at.index() as u32)
}

/// A queue and the namespaces that it serves.
type Serving = (Ref<Queue>, Vec<String>);

/// The queues of each pool, in the order of the blueprint: what `queue = auto` chooses from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admission {
    by_pool: BTreeMap<Ref<Pool>, Vec<Serving>>,
    unread: BTreeMap<NounId, Ref<Queue>>,
}

impl Admission {
    pub(crate) fn new(model: &Model) -> Self {
        let mut by_pool: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let reached = model.queues().filter(|(_, queue)| !queue.is_lender());
        for (noun, queue) in reached {
            let namespaces: Vec<String> =
                queue.namespaces.iter().map(|it| it.value.clone()).collect();
            for pool in &queue.pools {
                by_pool.entry(pool.value).or_default().push((Ref::to(noun.id), namespaces.clone()));
            }
        }
        let is_unread =
            |noun: &&Noun| matches!(noun.body, Body::Broken { kind, .. } if kind == Queue::KIND.0);
        let inside = model.nouns.iter().filter(is_unread);
        let unread = inside.filter_map(|noun| Some((noun.parent?, Ref::to(noun.id))));
        // the first of a cluster
        Self { by_pool, unread: unread.rev().collect() }
    }

    /// A queue of a cluster that could not be understood: for all that is known, it admits what no other does.
    pub(crate) fn unread(&self, cluster: Ref<GkeCluster>) -> Option<Ref<Queue>> {
        self.unread.get(&cluster.id()).copied()
    }

    /// The queue that admits a workload: its own, or the first of its pool that serves its namespace, or the first.
    pub(crate) fn queue(&self, workload: &Workload) -> Option<Ref<Queue>> {
        match &workload.queue {
            Choice::Set(queue) => Some(queue.value),
            Choice::Auto => self.chosen(workload).map(|(queue, _)| queue),
        }
    }

    /// The queue of a workload that names none, and where the blueprint says so: at its place.
    fn chosen(&self, workload: &Workload) -> Option<(Ref<Queue>, Span)> {
        let queues = self.of(workload)?;
        let wanted = workload.namespace.set().map(|it| &it.value);
        let serving =
            wanted.and_then(|wanted| queues.iter().find(|(_, served)| served.contains(wanted)));
        serving.or(queues.first()).map(|(queue, _)| (*queue, workload.place.span))
    }

    /// The queues of the pool of a workload that names no queue.
    fn of(&self, workload: &Workload) -> Option<&Vec<Serving>> {
        match (&workload.queue, workload.place.value) {
            (Choice::Auto, Place::Pool(pool)) => self.by_pool.get(&pool),
            (Choice::Set(_), _) | (_, Place::Partition(_) | Place::Vertex(_)) => None,
        }
    }

    /// Another queue that has as good a claim on a workload, where the workload itself names none.
    pub(crate) fn other(&self, workload: &Workload) -> Option<Ref<Queue>> {
        let (chosen, _) = self.chosen(workload)?;
        let queues = self.of(workload)?;
        let wanted = workload.namespace.set().map(|it| &it.value);
        let serves = |served: &Vec<String>| wanted.is_none_or(|wanted| served.contains(wanted));
        let strict = queues.iter().any(|(_, served)| serves(served));
        let mut equal = queues.iter().filter(|(_, served)| !strict || serves(served));
        equal.find(|(queue, _)| *queue != chosen).map(|(queue, _)| *queue)
    }
}

#[cfg(test)]
mod tests;
