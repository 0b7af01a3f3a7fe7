//! What is offered at `$0` of a text that is being typed.

use super::complete;
use crate::{Options, analyse};
use slipform_source::MemoryWorld;

/// What is offered at the mark of a text.
struct Offered(Vec<(u8, String)>, String);

fn at(marked: &str) -> Offered {
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let world = MemoryWorld::new([("main.bp", text)]);
    let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
    let analysis = analyse(&world, &options);
    let file = analysis.trees.last().expect("a tree").file;
    let found = complete(&analysis, file, offset);
    Offered(found.into_iter().map(|it| (it.rank, it.label)).collect(), marked.to_owned())
}

impl Offered {
    /// What fits best is just this, in order.
    fn first(self, labels: &str) -> Self {
        let best = self.0.first().map(|(rank, _)| *rank);
        let found = self.0.iter().filter(|(rank, _)| Some(*rank) == best);
        let found: Vec<&str> = found.map(|(_, label)| label.as_str()).collect();
        assert_eq!(found.join(", "), labels, "offered first in\n{}", self.1);
        self
    }

    fn has(self, labels: &[&str]) -> Self {
        for label in labels {
            let found = self.labels().any(|it| it == *label);
            assert!(found, "`{label}` is missing among {:?} of\n{}", self.0, self.1);
        }
        self
    }

    fn lacks(self, labels: &[&str]) -> Self {
        for label in labels {
            assert!(self.labels().all(|it| it != *label), "`{label}` is too much in\n{}", self.1);
        }
        self
    }

    fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, label)| label.as_str())
    }
}

/// A cluster with pools, and `$body` behind it.
fn behind_a_cluster(body: &str) -> Offered {
    at(&format!(
        "network net {{\n  region = \"us-east4\"\n}}\ncluster c on gke {{\n  network = net\n  \
         pool gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }}\n}}\n{body}"
    ))
}

#[test]
fn a_statement_begins_with_what_its_block_takes() {
    at("$0").has(&["network", "cluster on gke", "param", "let", "use"]).lacks(&["pool", "nodes"]);
    at("netw$0\n").has(&["network", "existing"]);
    at("network net {\n  $0\n}\n").first("region").has(&["subnet", "allow"]).lacks(&["free"]);
    at("network net {\n  subnet = \n  $0\n}\n").first("region").lacks(&["subnet"]);
}

#[test]
fn a_member_is_one_of_what_stands_before_the_dot() {
    for body in [
        "let a = c.$0\n",
        "let a = c.gp$0\n",
        "workload w on c.$0 {\n}\n",
        "workload w on c.gpus {\n  nodes = \n  queue = c.$0\n}\n",
        "workload w on c.gpus {\n  env = { A = c.$0 }\n}\n",
        "workload w on c.gpus {\n  env = { A = \"${c.$0}\" }\n}\n",
        "workload w on c.gpus {\n  env = { A = f( c.$0\n",
        "let a = [1, c.$0]\n",
        "workload w on c.$0",
        "for a in c.$0",
        "if c.$0",
        "param p: int = 1 where c.$0\n",
        "param p: int = c.$0",
        "let a = c.$0gpus.nodes\n",
        "let a = { b = 1, d = c.$0\n",
        "workload w on c.gpus {\n  launch = torchrun(c.$0\n  nodes = 1\n}\n",
        "workload w on c.gpus {\n  launch = torchrun(\"a\", args = { b = c.$0 })\n}\n",
        "workload w on c.gpus {\n  nodes = 1\n  patch jobset {\n    a = c.$0\n  }\n}\n",
        "let a = min(1, c.$0",
        "assert c.$0\n",
        "output o = (c.$0\n",
        "let a = if c.$0 { 1 } else { 2 }\n",
    ] {
        behind_a_cluster(body).has(&["gpus", "network"]).lacks(&["let", "min"]);
    }
    for body in [
        "let a = c.gpus.$0\n",
        "let a = 1 + c.gpus.$0\n",
        "let a = not c.gpus.$0\n",
        "let a = c.gpus.nodes == c.gpus.$0\n",
        "let b = c.\nlet a = c.gpus.$0\n",
        "let a = c.gpus.$0 + 1\n",
        "workload w on c.gpus {\n  nodes = = 3\n  restarts = c.gpus.$0\n  nodes\n}\n",
    ] {
        behind_a_cluster(body).has(&["nodes", "machine"]).lacks(&["gpus", "let", "chips"]);
    }
    behind_a_cluster("let a = [c.gpus][0].$0\n").has(&["nodes"]);
    behind_a_cluster("let a = (if true { c.gpus } else { c.gpus }).$0\n").has(&["nodes"]);
    behind_a_cluster("rule r on pool {\n  when spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("rule r on pool {\n  label spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("rule r on pool {\n  fix set spec.$0\n}\n").has(&["vcpus", "chips"]);
    behind_a_cluster("assert c.gpus.$0\n").has(&["nodes", "chips"]);
    behind_a_cluster("let a = c.gpus.capacity.$0\n").lacks(&["nodes", "let"]);
}

#[test]
fn a_value_fits_its_field() {
    behind_a_cluster("workload w on $0 {\n}\n").has(&["c.gpus"]);
    behind_a_cluster("workload w on c.gpus {\n  launch = $0\n}\n")
        .has(&["torchrun", "srun", "command"]);
    behind_a_cluster("workload w on c.gpus {\n  fabric = $0\n}\n").has(&["auto"]);
    at("cluster c on gke {\n  release = \"$0\"\n}\n").has(&["rapid", "stable"]).lacks(&["auto"]);
    at("cluster c on gke {\n  pool p {\n    capacity = $0\n  }\n}\n").has(&["spot", "flex_start"]);
    at("cluster c on gke {\n  pool p {\n    machine = \"a3-mega$0\"\n  }\n}\n")
        .has(&["a3-megagpu-8g"]);
    at("let n = $0\n").has(&["min", "if"]);
    at("let n = 1\nlet m = n + $0\n").has(&["n"]);
}

#[test]
fn brackets_know_what_they_hold() {
    at("cluster c on gke {\n  pool p {\n    capacity = reservation($0\n  }\n}\n")
        .has(&["name", "block"]);
    at("cluster c on gke {\n  pool p {\n    capacity = reservation(name = \"r\", $0)\n  }\n}\n")
        .has(&["block"])
        .lacks(&["name"]);
    behind_a_cluster("workload w on c.gpus {\n  parallel = { ten$0 }\n}\n").has(&["tensor"]);
    behind_a_cluster("workload w on c.gpus {\n  mounts = [$0]\n}\n").has(&["mount"]);
}

#[test]
fn words_behind_words_are_known() {
    at("cluster c on $0").first("gke, slurm, vertex");
    at("param p: $0\n").has(&["int", "Size", "ProjectId", "network"]).lacks(&["min"]);
    at("existing $0\n").has(&["network", "bucket"]).lacks(&["let"]);
    at("use std.$0\n").has(&["std.components"]);
    at("network net {\n  allow $0\n}\n").lacks(&["region"]);
}

#[test]
fn nothing_is_offered_in_a_comment_or_a_number() {
    at("# a$0\n").first("");
    at("let a = 12$0\n").first("");
}

#[test]
fn the_machine_around_decides_which_facts_fit() {
    let machine = "machine = \"ct5lp-hightpu-4t\"";
    for body in [
        format!("{machine}\n    topology = $0\n  }}\n}}\n"),
        format!("{machine}\n    topology = 4$0\n  }}\n}}\n"),
        format!("{machine}\n    topology = $0"),
        format!("{machine}\n    topology = 2x$0\n    nodes = = 3\n"),
        format!("topology = $0\n    {machine}\n  }}\n}}\n"),
        format!("topology = $0\n    nodes = \n    {machine}\n"),
        format!("labels = {{ a = \"b\" }}\n    {machine}\n    topology = $0\n    slices = 2\n}}\n"),
    ] {
        at(&format!("cluster c on gke {{\n  pool p {{\n    {body}"))
            .has(&["4x4"])
            .lacks(&["2x2x1", "4x4x4"]);
    }
    at("cluster c on gke {\n  pool p {\n    topology = $0\n  }\n}\n").has(&["4x4", "2x2x1"]);
}
