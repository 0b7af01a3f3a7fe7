//! Plans in which nothing is broken, as targets get them.

use super::{cluster, planned_despite, unjudged, workload};
use slipform_model::nouns::{Pool, Workload};
use slipform_model::plan::{Any, Plan};

/// A cluster with a pool of this machine, on which a workload runs.
fn text(machine: &str) -> String {
    cluster(&format!("pool gpus {{\n  machine = \"{machine}\"\n  nodes = 2\n}}\n"))
        + &workload("pretrain", "a3m.gpus", "")
}

fn gap(plan: &Plan) -> Option<&str> {
    plan.sound().err().map(|gap| gap.noun.path.as_str())
}

#[test]
fn references_of_a_sound_plan_lead_to_what_they_name() {
    let planned = unjudged(&text("a3-megagpu-8g"));
    let sound = planned.plan.sound().unwrap();
    let pool = sound.all::<Pool>().next().unwrap();
    assert_eq!(sound.get(pool.plan.cluster).name(), "a3m");
    let workload = sound.all::<Workload>().next().unwrap();
    assert_eq!(workload.noun.path, "pretrain");
    assert!(matches!(sound.any(pool.noun.id), Any::Pool(_)));
    assert_eq!(sound.nouns().count(), planned.plan.model.nouns.len());
}

#[test]
fn what_is_not_whole_makes_no_sound_plan() {
    assert_eq!(gap(&unjudged(&text("a3-megagpu-8g")).plan), None);
    let broken = text("a3-megagpu-8g") + "bucket data {\n  location = 3\n}\n";
    assert_eq!(gap(&planned_despite(&broken, &["types/mismatch"]).plan), Some("data"));
    // Nothing can be worked out for a machine that nobody knows.
    let unknown = planned_despite(&text("abacus"), &["catalog/machine"]);
    assert_eq!(gap(&unknown.plan), Some("a3m.gpus"));
}
