//! Who refers to whom: nouns, typed edges, and the order in which things are made.
//!
//! An edge leads from the noun that says something to the noun that it needs. Every answer is in the order of the
//! blueprint wherever the edges leave a choice. Cycles are found, never judged; every query terminates on them.

use crate::nouns::{
    Argument, Body, Choice, EnvValue, ImageUse, Launch, Mount, MountSource, PushTo, SideJob,
    Workload,
};
use crate::{Model, Noun, NounId};
use indexmap::IndexMap;
use petgraph::Direction;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::EdgeRef;
use slipform_source::{Span, Spanned};
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

mod draw;

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
            let mut edges = Edges { graph: &mut graph, from: noun.id };
            if let Some(parent) = noun.parent {
                edges.add(EdgeKind::PartOf, parent, noun.span);
            }
            edges.of_body(noun, &queues);
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

    /// What a noun refers to, in the order written.
    pub fn edges_from(&self, id: NounId) -> impl Iterator<Item = (NounId, &Edge)> {
        self.side(id, Direction::Outgoing).into_iter().map(|it| (noun(it.target()), it.weight()))
    }

    /// What refers to a noun, in the order of the blueprint.
    pub fn edges_to(&self, id: NounId) -> impl Iterator<Item = (NounId, &Edge)> {
        self.side(id, Direction::Incoming).into_iter().map(|it| (noun(it.source()), it.weight()))
    }

    /// Every edge as (from, to, what), in the order of the blueprint.
    pub fn edges(&self) -> impl Iterator<Item = (NounId, NounId, &Edge)> {
        self.inner.edge_references().map(|it| (noun(it.source()), noun(it.target()), it.weight()))
    }

    fn side(&self, id: NounId, direction: Direction) -> Vec<EdgeReference<'_, Edge>> {
        let mut edges: Vec<_> = self.inner.edges_directed(node(id), direction).collect();
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
            for edge in self.side(noun(at), Direction::Outgoing) {
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

/// The queues of each pool, in the order of the blueprint: what `queue = auto` chooses from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Admission {
    by_pool: BTreeMap<NounId, Vec<(NounId, Vec<String>)>>,
}

impl Admission {
    pub(crate) fn new(model: &Model) -> Self {
        let mut by_pool: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (noun, queue) in model.queues() {
            let namespaces: Vec<String> =
                queue.namespaces.iter().map(|it| it.value.clone()).collect();
            for pool in &queue.pools {
                by_pool.entry(pool.value).or_default().push((noun.id, namespaces.clone()));
            }
        }
        Self { by_pool }
    }

    /// The queue that admits a workload: its own, or the first of its pool that serves its namespace, or the first.
    pub(crate) fn queue(&self, workload: &Workload) -> Option<NounId> {
        if let Choice::Set(queue) = &workload.queue {
            return Some(queue.value);
        }
        let queues = self.by_pool.get(&workload.place.value)?;
        let wanted = workload.namespace.set().map(|it| &it.value);
        let serving =
            wanted.and_then(|wanted| queues.iter().find(|(_, served)| served.contains(wanted)));
        serving.or(queues.first()).map(|(queue, _)| *queue)
    }

    /// Another queue that has as good a claim on a workload, where the workload itself names none.
    pub(crate) fn other(&self, workload: &Workload) -> Option<NounId> {
        if matches!(workload.queue, Choice::Set(_)) {
            return None;
        }
        let chosen = self.queue(workload)?;
        let queues = self.by_pool.get(&workload.place.value)?;
        let wanted = workload.namespace.set().map(|it| &it.value);
        let serves = |served: &Vec<String>| wanted.is_none_or(|wanted| served.contains(wanted));
        let strict = queues.iter().any(|(_, served)| serves(served));
        let mut equal = queues.iter().filter(|(_, served)| !strict || serves(served));
        equal.find(|(queue, _)| *queue != chosen).map(|(queue, _)| *queue)
    }
}

/// Edges from one noun, as its body says them.
struct Edges<'a> {
    graph: &'a mut Graph,
    from: NounId,
}

impl Edges<'_> {
    fn add(&mut self, kind: EdgeKind, to: NounId, span: Span) {
        self.graph.add(self.from, to, Edge { kind, span });
    }

    fn to(&mut self, kind: EdgeKind, target: &Spanned<NounId>) {
        self.add(kind, target.value, target.span);
    }

    fn of_body(&mut self, noun: &Noun, queues: &Admission) {
        match &noun.body {
            Body::GkeCluster(cluster) => {
                self.to(EdgeKind::Uses, &cluster.network);
                cluster
                    .node_identity
                    .iter()
                    .for_each(|identity| self.to(EdgeKind::ActsAs, identity));
            }
            Body::VertexCluster(cluster) => {
                cluster.staging.iter().for_each(|staging| self.to(EdgeKind::Uses, staging));
            }
            Body::Filesystem(filesystem) => {
                filesystem.network.iter().for_each(|network| self.to(EdgeKind::Uses, network));
            }
            Body::Image(image) => {
                if let Some(Spanned { value: PushTo::Noun(registry), span }) = &image.push_to {
                    self.add(EdgeKind::PushedTo, *registry, *span);
                }
            }
            Body::Queue(queue) => queue.pools.iter().for_each(|pool| self.to(EdgeKind::Uses, pool)),
            Body::Workload(workload) => self.of_workload(workload, queues),
            Body::SideJob(job) => self.of_side_job(job),
            Body::Network(_)
            | Body::Bucket(_)
            | Body::Registry(_)
            | Body::Identity(_)
            | Body::Dashboard(_)
            | Body::SlurmCluster(_)
            | Body::Pool(_)
            | Body::Partition(_)
            | Body::Broken { .. } => {}
        }
    }

    fn of_workload(&mut self, workload: &Workload, queues: &Admission) {
        self.to(EdgeKind::RunsOn, &workload.place);
        self.image(&workload.image);
        self.mounts(&workload.mounts);
        self.launch(&workload.launch);
        self.env(&workload.env);
        if let Some(queue) = queues.queue(workload) {
            let span = workload.queue.set().map_or(workload.place.span, |queue| queue.span);
            self.add(EdgeKind::QueuedBy, queue, span);
        }
        workload.identity.iter().for_each(|identity| self.to(EdgeKind::ActsAs, identity));
        workload.dashboard.iter().for_each(|dashboard| self.to(EdgeKind::ShownIn, dashboard));
    }

    fn of_side_job(&mut self, job: &SideJob) {
        self.to(EdgeKind::RunsOn, &job.pool);
        self.image(&job.image);
        self.mounts(&job.mounts);
        self.launch(&job.launch);
        self.env(&job.env);
    }

    fn image(&mut self, image: &Spanned<ImageUse>) {
        if let ImageUse::Image(id) = image.value {
            self.add(EdgeKind::BuiltFrom, id, image.span);
        }
    }

    fn mounts(&mut self, mounts: &[Spanned<Mount>]) {
        for mount in mounts {
            let Mount::Mount { source, .. } = &mount.value;
            if let MountSource::Bucket(id) | MountSource::Filesystem(id) = source.value {
                self.add(EdgeKind::Mounts, id, source.span);
            }
        }
    }

    fn env(&mut self, env: &IndexMap<String, Spanned<EnvValue>>) {
        for value in env.values() {
            if let EnvValue::Deferred(deferred) = &value.value {
                self.add(EdgeKind::Uses, deferred.noun, value.span);
            }
        }
    }

    fn launch(&mut self, launch: &Spanned<Launch>) {
        let (words, options): (&[Argument], Option<&IndexMap<String, Argument>>) =
            match &launch.value {
                Launch::Torchrun { args, .. } | Launch::Python { args, .. } => (&[], Some(args)),
                Launch::Srun { argv, args } | Launch::Mpirun { argv, args } => (argv, Some(args)),
                Launch::Command { argv } => (argv, None),
            };
        for word in words.iter().chain(options.into_iter().flat_map(IndexMap::values)) {
            if let Argument::Deferred(deferred) = word {
                self.add(EdgeKind::Uses, deferred.noun, launch.span);
            }
        }
    }
}

#[cfg(test)]
mod tests;
