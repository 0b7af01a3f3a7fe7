//! Workloads, what they need of their cluster, and images.

use super::{pool, workload};
use slipform_tests::text::planned_despite;

#[test]
fn launches_decide_how_many_processes_a_node_has() {
    for (launch, processes) in [
        ("torchrun(\"train.py\")", 8),
        ("srun([\"true\"])", 8),
        ("mpirun([\"true\"])", 8),
        ("python(\"train.py\")", 1),
        ("command([\"true\"])", 1),
    ] {
        let run = workload("w", "a3m.p", &format!("launch = {launch}"));
        let planned = pool("a3-megagpu-8g", "nodes = 2", &run);
        let lead = planned.run("w").lead();
        let found = (lead.processes_per_node, lead.world_size);
        assert_eq!(found, (processes, processes * 2), "{launch}");
    }
}

/// A part of the GPUs of a node is that part of the rest, and another pod may have what is left.
#[test]
fn a_gang_may_have_a_part_of_each_node() {
    let of = |fields: &str| {
        let run = workload("w", "a3m.p", &format!("launch = torchrun(\"train.py\")\n{fields}"));
        pool("a3-megagpu-8g", "nodes = 2", &run).run("w").lead().clone()
    };
    let (whole, half) = (of("nodes = 2"), of("nodes = 2\naccelerators = 4"));
    assert_eq!((half.chips_per_node, half.processes_per_node, half.world_size), (4, 4, 8));
    assert_eq!((whole.request.devices, half.request.devices), (8, 4));
    assert_eq!(half.request.millicpus, whole.request.millicpus / 2);
    assert!(whole.fabric && !half.fabric);
    let crowded = of("nodes = 2\nprocesses = 16");
    assert_eq!(
        (crowded.processes_per_node, crowded.world_size, crowded.chips_per_node),
        (16, 32, 8)
    );
    let none = of("nodes = 2\naccelerators = 0");
    assert_eq!((none.request.devices, none.processes_per_node), (0, 1));
}

#[test]
fn data_parallelism_is_what_is_left_where_it_divides() {
    for (tensor, pipeline, left) in
        [(8, 2, Some(1)), (8, 1, Some(2)), (8, 3, None), (16, 2, None), (3, 1, None)]
    {
        let degrees = format!("parallel = {{ tensor = {tensor}, pipeline = {pipeline} }}");
        let planned = pool("a3-megagpu-8g", "nodes = 2", &workload("w", "a3m.p", &degrees));
        assert_eq!(planned.run("w").data_parallel, left, "{tensor} x {pipeline}");
    }
}

#[test]
fn a_cluster_knows_what_its_workloads_need() {
    let nouns = r#"
bucket data {
  location = "us-east4"
}

filesystem fast {
  storage  = lustre(36000GiB)
  location = "us-east4-a"
  network  = fabric
}

identity trainer {}

workload w on a3m.p {
  image     = "nvcr.io/nvidia/nemo:24.07"
  launch    = torchrun("train.py")
  mounts    = [mount(data, "/data")]
  identity  = trainer
  namespace = "research"

  group node on a3m.p {
    decides = false
    cpus = 1
    memory = 2GiB
    image  = "uploader:v1"
    launch = python("upload.py")
    mounts = [mount(fast, "/fast")]
  }
}
"#;
    let planned = pool("a3-megagpu-8g", "nodes = 2", nouns);
    let found = planned.cluster("a3m");
    assert_eq!((found.gcsfuse, found.filestore, found.lustre), (true, false, true));
    assert_eq!(found.namespaces, ["research"]);
    let accounts = found.accounts.iter();
    let accounts: Vec<_> = accounts
        .map(|(space, account, identity)| {
            (space.as_str(), account.as_str(), planned.path(identity.id()))
        })
        .collect();
    assert_eq!(accounts, [("research", "trainer", "trainer")]);
    assert_eq!(planned.run("w").lead().pod.account, "trainer");
    assert_eq!(planned.group("w.node").role, "group-node");
}

#[test]
fn images_go_by_where_they_are_pushed() {
    let text = r#"
registry training {
  location = "us-east4"
}

image plain {
  from = "nvcr.io/nvidia/nemo:24.07"
}

image built {
  from     = "nvcr.io/nvidia/nemo:24.07"
  packages = ["hydra-core==1.3.2"]
  push_to  = training
}

image my_image {
  from    = "nvcr.io/nvidia/nemo:24.07"
  tag     = "v2"
  push_to = registry("us-east4", "training")
}

image nowhere {
  from     = "nvcr.io/nvidia/nemo:24.07"
  packages = ["hydra-core==1.3.2"]
}

existing image there {
  from    = "nvcr.io/nvidia/nemo:24.07"
  push_to = training
}
"#;
    let planned = planned_despite(text, &["image/not-pushed"]);
    for (image, reference) in [
        ("plain", "nvcr.io/nvidia/nemo:24.07"),
        ("built", "us-east4-docker.pkg.dev/my-project-1/training/built:v1"),
        ("my_image", "us-east4-docker.pkg.dev/my-project-1/training/my-image:v2"),
        ("nowhere", "nowhere:v1"),
        ("there", "nvcr.io/nvidia/nemo:24.07"),
    ] {
        let found = planned.plan.image(planned.id(image)).map(String::as_str);
        assert_eq!(found, Some(reference), "{image}");
    }
}

#[test]
fn shared_memory_is_the_usual_or_half_of_the_machine() {
    for (machine, gib) in [("a3-megagpu-8g", 250), ("g2-standard-8", 16)] {
        let planned = pool(machine, "nodes = 1", &workload("w", "a3m.p", ""));
        assert_eq!(planned.run("w").lead().shared_memory.gib(), gib, "{machine}");
    }
}

#[test]
fn what_is_not_understood_has_no_plan_and_stops_nothing() {
    let text = r#"
network fabric {
  region = 3
}

image nemo {
  from = 7
}

cluster main on gke {
  network = fabric
  zone    = "us-east4-a"

  pool unknown {
    machine = "a9-megagpu-8g"
  }

  pool known {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }

  queue q {
    pools = [unknown, known]
  }
}

workload lost on main.unknown {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
}

workload run on main.known {
  image  = nemo
  launch = torchrun("train.py")
}
"#;
    let planned = planned_despite(text, &["types/mismatch", "catalog/machine"]);
    let plan = &planned.plan;
    assert!(
        plan.network(planned.id("fabric")).is_none()
            && plan.pool(planned.id("main.unknown")).is_none()
            && plan.workload(planned.id("lost")).is_none()
    );
    let found = planned.cluster("main");
    assert_eq!((found.region.as_str(), found.data_networks.len()), ("us-east4", 8));
    assert!(found.data_networks.iter().all(|network| network.range.is_none()));
    assert_eq!(planned.run("run").lead().image, "");
    assert_eq!(planned.queue("main.q").flavors.len(), 1);
    for noun in &plan.model.nouns {
        let tables = slipform_model::plan::Table::all();
        let tables = tables.filter(|table| table.kind == noun.body.kind());
        for fact in tables.flat_map(slipform_model::plan::Table::facts) {
            // No noun may make a fact fail.
            let _ = planned.fact(&noun.path, fact.name());
        }
        let _ = plan.name_budgets(noun.id);
    }
}
