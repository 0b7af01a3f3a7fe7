//! Names that fit, and names that meet.

use super::{FABRIC, cluster, unjudged, workload};
use slipform_model::plan::NameBudget;
use slipform_tests::text::planned_despite;

#[test]
fn derived_names_fit_and_said_names_stay() {
    let (c, p, w, b) = ("c".repeat(50), "p".repeat(50), "w".repeat(70), "b".repeat(70));
    let text = format!(
        r#"
network fabric {{
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.4.0.0/20
  name     = "shared-vpc"
}}

bucket {b} {{
  location = "us-east4"
}}

cluster {c} on gke {{
  network = fabric
  zone    = "us-east4-a"

  pool {p} {{
    machine = "a3-megagpu-8g"
    nodes   = 2
    slices  = 2
  }}
}}

workload {w} on {c}.{p} {{
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")

  group uploader on {c}.{p} {{
    decides = false
    cpus = 1
    memory = 2GiB
    image  = "uploader:v1"
    launch = python("upload.py")
  }}
}}
"#
    );
    let planned = unjudged(&text);
    let network = planned.plan.network(planned.id("fabric")).unwrap();
    assert_eq!(
        (network.name.as_str(), network.subnet.as_str()),
        ("shared-vpc", "shared-vpc-us-east4")
    );
    assert_eq!(planned.cluster(&c).name.len(), 40);
    let pool = format!("{c}.{p}");
    let pools = &planned.pool(&pool).node_pools;
    assert_eq!((pools[0].name.len(), pools[1].name.len()), (40, 40));
    assert_ne!(pools[0].name, pools[1].name);
    for path in [&c, &pool, &w, &b] {
        let budgets = planned.plan.name_budgets(planned.id(path));
        assert!(!budgets.is_empty() && budgets.iter().all(NameBudget::fits), "{budgets:?}");
    }
    // The side job's longer name decides.
    assert_eq!(format!("{}-uploader-0-0-xxxxx", planned.run(&w).name).len(), 63);
}

#[test]
fn an_explicit_name_that_is_too_long_stays_and_is_counted() {
    let name = "n".repeat(50);
    let text = cluster("pool gpus {\n machine = \"a3-megagpu-8g\"\n nodes = 16\n}")
        + &workload("pretrain", "a3m.gpus", &format!("name = \"{name}\""));
    let planned = planned_despite(&text, &["names/pods-too-long"]);
    let id = planned.id("pretrain");
    let budget = &planned.plan.name_budgets(id)[0];
    assert_eq!((budget.used, budget.most, budget.fits()), (66, 63, false));
    assert_eq!(planned.plan.name(id), Some(&name));
}

#[test]
fn two_nouns_of_one_name_in_one_place_clash() {
    let text = FABRIC.to_owned()
        + r#"
network second {
  region   = "us-east4"
  pods     = 10.128.0.0/14
  services = 10.8.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool my_gpus {
    machine = "a3-megagpu-8g"
    nodes   = 4
    slices  = 2
  }
  pool my_gpus_1 {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

cluster other on gke {
  network = second
  zone    = "us-east4-a"

  pool my_gpus {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}

existing network theirs {
  region = "us-east4"
  name   = "second"
}
"# + &workload("run_1", "a3m.my_gpus", "")
        + &workload("again", "a3m.my_gpus_1", "name = \"run-1\"")
        + &workload("apart", "a3m.my_gpus_1", "name = \"run-1\"\n namespace = \"team-b\"")
        + &workload("far", "other.my_gpus", "name = \"run-1\"");
    let planned = planned_despite(&text, &["names/same-pool", "names/same-workload"]);
    for (noun, first) in [
        ("a3m.my_gpus", None),
        ("a3m.my_gpus_1", Some("a3m.my_gpus")),
        ("other.my_gpus", None),
        ("run_1", None),
        ("again", Some("run_1")),
        ("apart", None),
        ("far", None),
        ("theirs", None),
    ] {
        let clash = planned.plan.name_clash(planned.id(noun));
        assert_eq!(clash.map(|id| planned.path(id)), first, "{noun}");
    }
}
