//! Who refers to whom, in what order, and the pictures of it.

use super::{FABRIC, planned};
use slipform_model::NounId;
use slipform_tests::text::Planned;

/// A blueprint with every kind of edge.
const EVERYTHING: &str = r#"
bucket data {
  location = "us-east4"
}

registry images {
  location = "us-east4"
}

image nemo {
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = images
}

identity trainer {}

dashboard board {
  region = "us-east4"
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }
  queue research {
    pools = [gpus]
  }
}

workload pretrain on a3m.gpus {
  image     = nemo
  launch    = torchrun("train.py")
  mounts    = [mount(data, "/data")]
  identity  = trainer
  dashboard = board
  env       = { BOARD = board.resource }

  group upload on a3m.gpus {
    decides = false
    cpus = 1
    memory = 2GiB
    image  = nemo
    launch = python("upload.py")
  }
}
"#;

fn names<'a>(planned: &'a Planned, ids: &[NounId]) -> Vec<&'a str> {
    ids.iter().map(|id| planned.path(*id)).collect()
}

#[test]
fn every_reference_is_an_edge() {
    let planned = planned(&(FABRIC.to_owned() + EVERYTHING));
    let edges = planned.plan.graph.edges().map(|(from, to, edge)| {
        format!("{} {} {}", planned.path(from), edge.kind.as_str(), planned.path(to))
    });
    assert_eq!(
        edges.collect::<Vec<_>>(),
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
    let planned = planned(&(FABRIC.to_owned() + EVERYTHING));
    let (cluster, network) = (planned.id("a3m"), planned.id("fabric"));
    let (graph, written) = (&planned.plan.graph, &planned.noun("a3m").fields["network"]);
    let touches = |from, to| from == cluster || to == network;
    let edges: Vec<_> = graph.edges().filter(|(from, to, _)| touches(*from, *to)).collect();
    let shown: Vec<_> =
        edges.iter().map(|(from, to, edge)| (*from, *to, edge.kind.as_str(), edge.span)).collect();
    assert_eq!(shown, [(cluster, network, "uses", written.span)]);
}

/// A network, a cluster with a pool, a workload there and a bucket that nobody needs.
const SMALL: &str = r#"
network late {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.4.0.0/20
}

cluster main on gke {
  network = late
  zone    = "us-east4-a"
  pool gpus {
    machine = "a3-megagpu-8g"
  }
}

workload w on main.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
}

bucket b {
  location = "us-east4"
}
"#;

#[test]
fn order_puts_what_is_needed_first_and_keeps_the_blueprint_otherwise() {
    let planned = planned(SMALL);
    let graph = &planned.plan.graph;
    assert_eq!(names(&planned, &graph.order()), ["late", "main", "main.gpus", "w", "b"]);
    let levels: Vec<_> = graph.levels().iter().map(|level| names(&planned, level)).collect();
    assert_eq!(levels, [vec!["late", "b"], vec!["main"], vec!["main.gpus"], vec!["w"]]);
    assert!(graph.cycle().is_none());
}

/// A pool of a list, whose path has quotes, on a network that is there already.
const DRAWN: &str = r#"
existing network fabric {
  region        = "us-east4"
  subnet_name   = "nodes"
  pods_name     = "pods"
  services_name = "services"
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"
  for name in ["a"] {
    pool slice {
      machine = "a3-megagpu-8g"
    }
  }
}

workload pretrain on a3m.slice["a"] {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
}
"#;

#[test]
fn the_picture_for_graphviz() {
    let planned = planned(DRAWN);
    insta::assert_snapshot!(planned.plan.graph.to_dot(&planned.plan.model));
}

#[test]
fn the_picture_for_mermaid() {
    let planned = planned(DRAWN);
    insta::assert_snapshot!(planned.plan.graph.to_mermaid(&planned.plan.model));
}

#[test]
fn a_noun_that_is_named_twice_is_drawn_with_one_arrow() {
    let twice = EVERYTHING.replace(
        "    pools = [gpus]\n",
        "    pools   = [gpus]\n    flavors = [flavor([gpus], name = \"h100\")]\n",
    );
    let planned = planned(&(FABRIC.to_owned() + &twice));
    let (queue, pool) = (planned.id("a3m.research"), planned.id("a3m.gpus"));
    let graph = &planned.plan.graph;
    let said = graph.edges().filter(|(from, to, _)| (*from, *to) == (queue, pool)).count();
    assert_eq!(said, 2);
    let model = &planned.plan.model;
    for picture in [graph.to_dot(model), graph.to_mermaid(model)] {
        let arrow = format!("n{} -", queue.0);
        let drawn: Vec<&str> = picture.lines().filter(|it| it.trim().starts_with(&arrow)).collect();
        assert_eq!(drawn.len(), 1, "{picture}");
    }
}
