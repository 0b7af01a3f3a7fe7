//! What a plan says of machines that stay where they are, and of queues that hold less of them.

use crate::drained::{retold, reworded, told_both_ways};
use crate::plan::FLEET;

/// The autoscaler takes what has little to do, and no node that a run fills.
#[test]
fn nodes_that_a_run_fills_are_not_given_back() {
    let grows = [("nodes    = 2", "nodes    = 1..2")];
    let told = retold(FLEET, &grows);
    assert!(told.contains("in place  pool a3m.gpus") && !told.contains("drain first"), "{told}");
    assert!(told.contains("the runs here ask for half of a node or more"), "{told}");
    let small =
        reworded(FLEET, &[("  launch = torchrun", "  accelerators = 1\n  launch = torchrun")]);
    let told = retold(&small, &grows);
    assert!(told.contains("drain first: train"), "{told}");
}

/// Of a queue it is told what it holds less of, by the names of its pools.
#[test]
fn a_queue_that_holds_less_of_a_pool_says_of_which() {
    let burst = "    capacity = spot\n  }\n\n  pool burst {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = 8\n    capacity = spot\n  }\n\n  queue llm {\n    pools = [gpus, burst]\n    quota = 48\n    cohort = \"all\"\n  }\n\n  queue vision {\n    pools = [gpus, burst]\n    cohort = \"all\"\n  }\n";
    let fleet = reworded(
        FLEET,
        &[("    capacity = spot\n  }\n", burst), ("launch =", "queue = a3m.llm\n  launch =")],
    );
    for told in told_both_ways(&fleet, &reworded(&fleet, &[("nodes    = 2", "nodes    = 6")])) {
        for words in [" 0 of nvidia.com/gpu instead of 32", "is borrowed from then on"] {
            assert!(told.contains(words), "{words}:\n{told}");
        }
    }
}
