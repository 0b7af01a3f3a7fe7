use super::*;
use crate::plan::fixture::{Blueprint, Made, at, list, mount, record};
use crate::{Deferred, Value};

/// A blueprint with every kind of edge.
fn everything() -> (Model, Vec<Made>) {
    let mut blueprint = Blueprint::new();
    let workload_first = blueprint.network("fabric", &[]);
    let bucket = blueprint.bucket("data", &[]);
    let registry = blueprint.registry("images");
    let image = blueprint.image("nemo", &[("push_to", registry.get())]);
    let identity = blueprint.identity("trainer");
    let dashboard = blueprint.dashboard("board");
    let cluster = blueprint.gke("a3m", workload_first, &[]);
    let pool = blueprint.pool("a3m.gpus", cluster, "a3-megagpu-8g", &[("nodes", 4.into())]);
    let queue = blueprint.queue("a3m.research", cluster, &[pool], &[]);
    let board = Value::Deferred(Deferred { noun: dashboard.id, field: "resource".into() });
    let workload = blueprint.workload(
        "pretrain",
        pool,
        &[
            ("image", image.get()),
            ("mounts", list([mount(bucket.get(), "/data")])),
            ("identity", identity.get()),
            ("dashboard", dashboard.get()),
            ("env", record(&[("BOARD", board)])),
        ],
    );
    let side = blueprint.side_job("pretrain.upload", workload, pool, &[("image", image.get())]);
    let made = vec![
        workload_first,
        bucket,
        registry,
        image,
        identity,
        dashboard,
        cluster,
        pool,
        queue,
        workload,
        side,
    ];
    (blueprint.model(), made)
}

fn names(model: &Model, ids: &[NounId]) -> Vec<String> {
    ids.iter().map(|id| model.get(*id).unwrap().path.clone()).collect()
}

#[test]
fn every_reference_is_an_edge() {
    let (model, _) = everything();
    let graph = Graph::new(&model);
    let edges: Vec<String> = graph
        .edges()
        .map(|(from, to, edge)| {
            let path = |id| &model.get(id).unwrap().path;
            format!("{} {} {}", path(from), edge.kind.as_str(), path(to))
        })
        .collect();
    assert_eq!(
        edges,
        [
            "nemo pushed to images",
            "a3m uses fabric",
            "a3m.gpus part of a3m",
            "a3m.research part of a3m",
            "a3m.research uses a3m.gpus",
            "pretrain runs on a3m.gpus",
            "pretrain built from nemo",
            "pretrain mounts data",
            "pretrain uses board",
            "pretrain acts as trainer",
            "pretrain shown in board",
            "pretrain queued by a3m.research",
            "pretrain.upload part of pretrain",
            "pretrain.upload runs on a3m.gpus",
            "pretrain.upload built from nemo",
        ]
    );
}

#[test]
fn an_edge_knows_where_it_was_written() {
    let (model, made) = everything();
    let graph = Graph::new(&model);
    let (cluster, network) = (made[6], made[0]);
    let edges: Vec<_> = graph.edges_from(cluster.id).collect();
    assert_eq!(edges, [(network.id, &Edge { kind: EdgeKind::Uses, span: at(6, 1) })]);
    let users: Vec<_> = graph.edges_to(network.id).map(|(id, _)| id).collect();
    assert_eq!(users, [cluster.id]);
}

#[test]
fn order_puts_what_is_needed_first_and_keeps_the_blueprint_otherwise() {
    let mut blueprint = Blueprint::new();
    let late = blueprint.network("late", &[]);
    let cluster = blueprint.gke("a", late, &[]);
    let pool = blueprint.pool("a.gpus", cluster, "a3-megagpu-8g", &[]);
    blueprint.workload("w", pool, &[]);
    blueprint.bucket("b", &[]);
    let model = blueprint.model();
    let graph = Graph::new(&model);
    assert_eq!(names(&model, &graph.order()), ["late", "a", "a.gpus", "w", "b"]);
    let levels: Vec<_> = graph.levels().iter().map(|level| names(&model, level)).collect();
    assert_eq!(levels, [vec!["late", "b"], vec!["a"], vec!["a.gpus"], vec!["w"]]);
    assert_eq!(graph.cycle(), None);
}

#[test]
fn a_noun_written_before_what_it_needs_comes_after_it() {
    let graph = edges(3, &[(0, 2)]);
    assert_eq!(graph.order(), [1, 2, 0].map(NounId));
}

fn edges(count: usize, edges: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::with_nodes(count);
    for (at_edge, (from, to)) in edges.iter().enumerate() {
        let edge = Edge { kind: EdgeKind::Uses, span: at(0, at_edge) };
        graph.add(NounId(*from), NounId(*to), edge);
    }
    graph
}

#[test]
fn a_cycle_is_a_path_from_its_first_noun() {
    for (count, pairs, path) in [
        (3, &[(0, 1), (1, 2)][..], None),
        (3, &[(0, 1), (1, 2), (2, 0)], Some(vec![(0, 0), (1, 1), (2, 2)])),
        // The first noun only leads to the cycle.
        (4, &[(0, 1), (1, 3), (3, 2), (2, 1)], Some(vec![(1, 1), (3, 2), (2, 3)])),
        // Of two ways round, the shorter one.
        (3, &[(0, 1), (1, 2), (2, 0), (1, 0)], Some(vec![(0, 0), (1, 3)])),
        (2, &[(1, 1)], Some(vec![(1, 0)])),
    ] {
        let found = edges(count, pairs).cycle();
        let found = found
            .map(|path| path.iter().map(|(id, edge)| (id.0, edge.span.start)).collect::<Vec<_>>());
        assert_eq!(found, path, "{pairs:?}");
    }
}

#[test]
fn cycles_and_foreign_nouns_stop_no_query() {
    let graph = edges(4, &[(0, 1), (1, 0), (2, 1), (0, 9)]);
    assert_eq!(graph.order(), [3, 0, 1, 2].map(NounId));
    assert_eq!(graph.levels().concat().len(), 4);
    assert_eq!(graph.edges_from(NounId(9)).count(), 0);
}

#[test]
fn the_picture_for_graphviz() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    blueprint.existing(network);
    let cluster = blueprint.gke("a3m", network, &[]);
    let pool = blueprint.pool("a3m.slice[\"a\"]", cluster, "a3-megagpu-8g", &[]);
    blueprint.workload("pretrain", pool, &[]);
    let model = blueprint.model();
    let graph = Graph::new(&model);
    let lines: Vec<_> = graph.to_dot(&model).lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "digraph blueprint {",
            "  rankdir = LR",
            "  node [shape = box]",
            "  n0 [label = \"network fabric\", style = dashed]",
            "  subgraph cluster_1 {",
            "    n1 [label = \"cluster a3m on gke\"]",
            "    n2 [label = \"pool a3m.slice[\\\"a\\\"]\"]",
            "  }",
            "  n3 [label = \"workload pretrain\"]",
            "  n1 -> n0 [label = \"uses\"]",
            "  n3 -> n2 [label = \"runs on\"]",
            "}",
        ]
    );
}

#[test]
fn the_picture_for_mermaid() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a3m", network, &[]);
    blueprint.pool("a3m.slice[\"a\"]", cluster, "a3-megagpu-8g", &[]);
    let model = blueprint.model();
    let lines: Vec<_> = Graph::new(&model).to_mermaid(&model).lines().map(str::to_owned).collect();
    assert_eq!(
        lines,
        [
            "flowchart LR",
            "  n0[\"network fabric\"]",
            "  subgraph g1[\" \"]",
            "    n1[\"cluster a3m on gke\"]",
            "    n2[\"pool a3m.slice[#34;a#34;]\"]",
            "  end",
            "  n1 -->|uses| n0",
        ]
    );
}
