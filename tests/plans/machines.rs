//! Pools, slices, partitions and machines of Vertex AI.

use super::{cluster, planned, pool, unjudged, workload};
use slipform_model::nouns::{Disk, LocalSsd, VertexDisk};
use slipform_model::plan::{NodePool, PartitionPlan, PlacementPlan, Site, host_list};
use std::collections::BTreeMap;

fn labels(labels: &BTreeMap<String, String>) -> Vec<String> {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn sixteen_a3_mega_nodes() {
    let text = cluster("pool gpus {\n machine = \"a3-megagpu-8g\"\n nodes = 16\n}");
    let planned = planned(&(text + &workload("pretrain", "a3m.gpus", "")));
    let networks = &planned.cluster("a3m").data_networks;
    assert_eq!(networks.len(), 8);
    let first = format!("{:?}", networks[0]);
    assert_eq!(
        first,
        "DataNetwork { object: \"vpc1\", vpc: \"a3m-vpc1\", subnet: \"a3m-vpc1\", range: Some(192.168.0.0/21), \
         nodes: 16, mtu: 8244, interface: \"eth1\", rdma: false, profile: None }"
    );
    assert_eq!((networks[7].object.as_str(), networks[7].interface.as_str()), ("vpc8", "eth8"));
    assert_eq!(networks[7].range, Some("192.168.56.0/21".parse().unwrap()));

    let gpus = planned.pool("a3m.gpus");
    assert_eq!(&gpus.data_networks, networks);
    assert_eq!((gpus.nodes, gpus.elastic, gpus.chips()), ((16, 16), false, 128));
    assert_eq!(gpus.placement, PlacementPlan::Compact);
    assert_eq!(gpus.local_ssd, (LocalSsd::Scratch, 16));
    assert_eq!(gpus.disk, Disk::PdBalanced);
    assert_eq!((gpus.resource.as_deref(), gpus.resource_count), (Some("nvidia.com/gpu"), 8));
    assert_eq!(gpus.stack.as_ref().map(|stack| stack.name.as_str()), Some("tcpxo"));
    assert_eq!(
        labels(&gpus.selector),
        [
            "cloud.google.com/gke-accelerator=nvidia-h100-mega-80gb",
            "cloud.google.com/gke-nodepool=gpus",
            "node.kubernetes.io/instance-type=a3-megagpu-8g"
        ]
    );
    assert_eq!(gpus.node_labels, BTreeMap::new());
    let taint = &gpus.taints[0];
    assert_eq!(
        (taint.key.as_str(), taint.value.as_str(), taint.by_gke),
        ("nvidia.com/gpu", "present", false)
    );

    let run = planned.run("pretrain");
    assert_eq!(
        (run.lead().nodes, run.lead().processes_per_node, run.lead().world_size, run.data_parallel),
        (16, 8, 128, Some(128))
    );
    assert_eq!(run.lead().rendezvous.as_deref(), Some("pretrain-node-0-0.pretrain"));
    assert!(run.lead().fabric);
    assert!(planned.cluster("a3m").system.is_some());
}

#[test]
fn two_v5e_slices() {
    let text =
        cluster("pool slice {\n machine = \"ct5lp-hightpu-4t\"\n topology = 4x4\n slices = 2\n}");
    let run = workload("tune", "a3m.slice", "slices = 2\n launch = python(\"train.py\")");
    let planned = unjudged(&(text + &run));
    let chips = planned.pool("a3m.slice");
    let names: Vec<_> =
        chips.node_pools.iter().map(|it| (it.name.as_str(), it.key.as_str())).collect();
    assert_eq!(names, [("slice-0", "slice-0"), ("slice-1", "slice-1")]);
    assert_eq!((chips.nodes, chips.max_nodes(), chips.chips()), ((4, 4), 8, 32));
    let slice = chips.slice.as_ref().unwrap();
    assert_eq!(
        (slice.hosts, slice.chips, slice.chips_per_host, slice.single_host),
        (4, 16, 4, false)
    );
    assert_eq!(slice.name.as_deref(), Some("v5litepod-16"));
    assert_eq!(chips.placement, PlacementPlan::Compact);
    assert_eq!(
        labels(&chips.selector),
        [
            "cloud.google.com/gke-tpu-accelerator=tpu-v5-lite-podslice",
            "cloud.google.com/gke-tpu-topology=4x4",
            "node.kubernetes.io/instance-type=ct5lp-hightpu-4t",
            "slipform-pool=slice"
        ]
    );
    assert_eq!(labels(&chips.node_labels), ["slipform-pool=slice"]);
    assert!(chips.data_networks.is_empty());

    let run = planned.run("tune");
    let lead = run.lead();
    assert_eq!(
        (lead.role.as_str(), lead.slices, lead.nodes_per_slice, lead.nodes),
        ("slice", 2, 4, 8)
    );
    assert_eq!((lead.processes_per_node, lead.world_size, run.chips), (1, 8, 32));
    assert!(!lead.fabric);
}

#[test]
fn more_slices_leave_the_first_as_it_is() {
    for (machine, first) in
        [("ct5lp-hightpu-4t", "p-0"), ("ct5lp-hightpu-8t", "p-0"), ("a3-megagpu-8g", "p")]
    {
        let of = |slices: i64| {
            let nodes = if machine.starts_with("a3") {
                format!("nodes = {}", 2 * slices)
            } else {
                String::new()
            };
            pool(machine, &format!("slices = {slices}\n{nodes}"), "").pool("a3m.p").clone()
        };
        let (one, three) = (of(1), of(3));
        assert_eq!(one.node_pools, [NodePool { name: first.into(), key: first.into() }]);
        assert_eq!((&three.node_pools[..1], three.node_pools.len()), (&one.node_pools[..], 3));
        assert_eq!(one.nodes, three.nodes);
        if one.slice.is_some() {
            assert_eq!((one.node_labels, one.selector), (three.node_labels, three.selector));
        }
    }
}

#[test]
fn v4_8_is_a_single_host() {
    let text = cluster(
        "pool said {\n machine = \"ct4p-hightpu-4t\"\n topology = 2x2x1\n}\n\
         pool derived {\n machine = \"ct4p-hightpu-4t\"\n nodes = 3\n}",
    );
    let run = workload("tune", "a3m.said", "launch = python(\"train.py\")");
    let planned = unjudged(&(text + &run));
    for (path, nodes) in [("a3m.said", (1, 1)), ("a3m.derived", (3, 3))] {
        let pool = planned.pool(path);
        let slice = pool.slice.as_ref().unwrap();
        assert_eq!(
            (slice.topology.to_string().as_str(), slice.hosts, slice.single_host),
            ("2x2x1", 1, true)
        );
        assert_eq!(slice.name.as_deref(), Some("v4-8"));
        assert_eq!((pool.nodes, &pool.placement), (nodes, &PlacementPlan::Spread));
    }
    let run = planned.run("tune");
    assert_eq!((run.lead().nodes, run.chips), (1, 4));
}

#[test]
fn an_impossible_topology_still_has_hosts() {
    let planned = pool("ct5p-hightpu-4t", "topology = 5x5x5\n nodes = 7", "");
    let slice = planned.pool("a3m.p").slice.clone().unwrap();
    assert_eq!((slice.hosts, slice.chips, slice.name), (32, 125, None));
}

#[test]
fn placement_follows_family_and_capacity() {
    let named = |workload| PlacementPlan::Named { policy: "dense".into(), workload };
    let compact = PlacementPlan::Compact;
    let spread = PlacementPlan::Spread;
    let policy = |topology: &str| PlacementPlan::WorkloadPolicy(topology.into());
    let (reserved, placed) = ("reservation(\"r\")", "reservation(\"r\", policy = \"dense\")");
    let (flex, queued) = ("flex_start(7d)", "queued(7d)");
    for (machine, size, capacity, expected) in [
        ("a3-megagpu-8g", "nodes = 1", "", &spread),
        ("a3-megagpu-8g", "nodes = 2\n placement = \"spread\"", "", &spread),
        ("a3-megagpu-8g", "nodes = 2", "", &compact),
        ("a3-megagpu-8g", "nodes = 2", reserved, &spread),
        ("a3-ultragpu-8g", "nodes = 2", reserved, &spread),
        ("a3-megagpu-8g", "nodes = 2", "calendar(\"r\")", &spread),
        ("a3-megagpu-8g", "nodes = 2", placed, &named(false)),
        ("a4x-highgpu-4g", "nodes = 18", reserved, &policy("1x72")),
        ("a4x-highgpu-4g", "nodes = 18", placed, &named(true)),
        ("ct5p-hightpu-4t", "topology = 2x2x2", reserved, &compact),
        ("a3-megagpu-8g", "nodes = 2", queued, &spread),
        ("a3-megagpu-8g", "nodes = 2", flex, &spread),
        ("a3-ultragpu-8g", "nodes = 2", flex, &compact),
        ("g2-standard-24", "nodes = 2", "", &spread),
        ("e2-standard-8", "nodes = 2", "", &spread),
        ("c2-standard-60", "nodes = 2\n placement = \"compact\"", "", &compact),
        ("a4x-highgpu-4g", "nodes = 18", "", &policy("1x72")),
        ("tpu7x-standard-4t", "topology = 4x4x4", "", &policy("4x4x4")),
        ("tpu7x-standard-4t", "topology = 2x2x1", "", &spread),
        ("ct5p-hightpu-4t", "topology = 2x2x2", queued, &compact),
    ] {
        let capacity = if capacity.is_empty() { "on_demand" } else { capacity };
        let planned = pool(machine, &format!("{size}\n capacity = {capacity}"), "");
        assert_eq!(&planned.pool("a3m.p").placement, expected, "{machine} {size} {capacity}");
    }
}

#[test]
fn sizes_of_pools() {
    for (machine, fields, nodes, pools, elastic) in [
        ("e2-standard-8", "", (1, 1), 1, false),
        ("e2-standard-8", "nodes = 0..8", (0, 8), 1, true),
        ("e2-standard-8", "nodes = 2..8\n autoscale = true", (2, 8), 1, true),
        ("e2-standard-8", "nodes = 4\n autoscale = true", (0, 4), 1, true),
        ("a3-megagpu-8g", "nodes = 4\n capacity = flex_start(7d)", (0, 4), 1, true),
        ("a4x-highgpu-4g", "nodes = 36\n slices = 2", (18, 18), 2, false),
        ("ct5p-hightpu-4t", "topology = 4x4x4\n nodes = 16", (16, 16), 1, false),
        ("ct5p-hightpu-4t", "topology = 4x4x4\n nodes = 7", (16, 16), 1, false),
        ("ct5p-hightpu-4t", "topology = 4x4x4\n autoscale = true", (0, 16), 1, true),
    ] {
        let planned = pool(machine, fields, "");
        let pool = planned.pool("a3m.p");
        let found = (pool.nodes, pool.node_pools.len(), pool.elastic);
        assert_eq!(found, (nodes, pools, elastic), "{machine} {fields}");
    }
}

#[test]
fn capacity_shows_in_labels_taints_and_reservation() {
    let of = |capacity: &str| {
        let fields = format!("nodes = 2\n capacity = {capacity}");
        pool("a3-megagpu-8g", &fields, "").pool("a3m.p").clone()
    };
    let queued = of("queued(7d)");
    let selected = |labels: &BTreeMap<String, String>, key: &str| labels.get(key).cloned();
    assert_eq!(
        selected(&queued.selector, "cloud.google.com/gke-flex-start").as_deref(),
        Some("true")
    );
    assert_eq!(queued.node_labels, BTreeMap::new());
    let taints: Vec<_> = queued.taints.iter().map(|taint| taint.key.as_str()).collect();
    assert_eq!(taints, ["nvidia.com/gpu", "cloud.google.com/gke-queued"]);
    let spot = of("spot");
    assert_eq!(selected(&spot.selector, "cloud.google.com/gke-spot").as_deref(), Some("true"));
    assert_eq!(spot.node_labels, BTreeMap::new());
    let reserved = of("reservation(\"projects/owner/reservations/r\", block = \"b1\")");
    let value = "projects/owner/reservations/r/reservationBlocks/b1".to_owned();
    assert_eq!(reserved.reservation, Some(("r".into(), value)));
}

#[test]
fn arm_nodes_are_tainted() {
    let planned = pool("a4x-highgpu-4g", "nodes = 2", "");
    let taints: Vec<_> = planned.pool("a3m.p").taints.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(taints, ["nvidia.com/gpu", "kubernetes.io/arch"]);
}

#[test]
fn local_disks_follow_machine_choice_and_mounts() {
    for (machine, choice, mounted, expected) in [
        ("a3-megagpu-8g", "", "", (LocalSsd::Scratch, 16)),
        ("a3-megagpu-8g", "local_ssd = \"raw\"", "", (LocalSsd::Raw, 16)),
        ("a3-megagpu-8g", "local_ssd = \"none\"", "", (LocalSsd::None, 0)),
        ("a2-highgpu-8g", "", "", (LocalSsd::None, 0)),
        ("a2-highgpu-8g", "", "2TiB", (LocalSsd::Scratch, 8)),
        ("a2-highgpu-8g", "local_ssd = \"scratch\"", "", (LocalSsd::Scratch, 8)),
        ("e2-standard-8", "local_ssd = \"scratch\"", "1GiB", (LocalSsd::None, 0)),
    ] {
        let mounts = format!("mounts = [mount(scratch({mounted}), \"/scratch\")]");
        let run = if mounted.is_empty() { String::new() } else { workload("w", "a3m.p", &mounts) };
        let planned = pool(machine, choice, &run);
        assert_eq!(planned.pool("a3m.p").local_ssd, expected, "{machine} {choice} {mounted}");
    }
}

#[test]
fn a_partition_on_the_floor() {
    let text = r#"
cluster hpc on slurm {
  partition dgx {
    machine      = "hgx-h100"
    nodes        = 8
    hosts        = "dgx[001-008]"
    switch_nodes = 4
    default      = true
  }
  partition small {
    machine = "hgx-h100"
    nodes   = 2
  }
}
"#;
    let planned = planned(&(text.to_owned() + &workload("pretrain", "hpc.dgx", "nodes = 8")));
    let dgx = planned.partition("hpc.dgx");
    assert_eq!((dgx.host_names.len(), dgx.host_names[7].as_str()), (8, "dgx008"));
    let leaves = |of: &PartitionPlan| {
        let leaves = of.switches.iter();
        leaves.map(|(name, hosts)| format!("{name} {}", host_list(hosts))).collect::<Vec<_>>()
    };
    assert_eq!(leaves(dgx), ["dgx-leaf1 dgx[001-004]", "dgx-leaf2 dgx[005-008]"]);
    assert_eq!((dgx.gpus, dgx.gpu_type.as_deref()), (8, Some("h100")));
    let small = planned.partition("hpc.small");
    assert_eq!(small.hosts, "hpc-small-[0-1]");
    assert_eq!(small.host_names, ["hpc-small-0", "hpc-small-1"]);
    assert_eq!(leaves(small), ["small-leaf1 hpc-small-[0-1]"]);

    let run = planned.run("pretrain");
    let lead = run.lead();
    assert_eq!((lead.world_size, lead.rendezvous.as_ref(), lead.port), (64, None, 29_500));
    assert!(matches!(run.site, Site::Slurm(_)));
}

#[test]
fn machines_on_vertex() {
    let text = "cluster ultra on vertex {\n region = \"us-east4\"\n machine = \"a3-ultragpu-8g\"\n}\n\
                cluster high on vertex {\n region = \"us-east4\"\n machine = \"a3-highgpu-8g\"\n}\n";
    let runs = workload("tune", "high", "nodes = 4") + &workload("alone", "high", "");
    let planned = unjudged(&(text.to_owned() + &runs));
    let machines = |path: &str| (planned.vertex(path).disk, planned.vertex(path).gpus);
    assert_eq!(machines("ultra"), (VertexDisk::HyperdiskBalanced, 8));
    assert_eq!(machines("high"), (VertexDisk::PdSsd, 8));
    let run = planned.run("tune");
    assert!(matches!(run.site, Site::Vertex(_)));
    assert_eq!((run.lead().nodes, run.lead().world_size, run.lead().fabric), (4, 32, true));
    let alone = planned.run("alone").lead();
    assert_eq!((alone.nodes, alone.fabric), (1, false));
}
