use super::*;
use slipform_source::FileId;

/// The place of an edge, by its number.
fn at(edge: usize) -> Span {
    Span::new(FileId(0), edge, edge + 1)
}

#[test]
fn a_noun_written_before_what_it_needs_comes_after_it() {
    let graph = edges(3, &[(0, 2)]);
    assert_eq!(graph.order(), [1, 2, 0].map(NounId));
}

fn edges(count: usize, edges: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::with_nodes(count);
    for (at_edge, (from, to)) in edges.iter().enumerate() {
        let edge = Edge { kind: EdgeKind::Uses, span: at(at_edge) };
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
    assert_eq!(graph.edges_from(NounId(9)).len(), 0);
}
