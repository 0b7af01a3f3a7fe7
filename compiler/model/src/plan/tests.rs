//! Whole blueprints, and what follows from them.

use super::fixture::{Blueprint, Made, list, lit, mount, python, range, record, torchrun, variant};
use super::*;
use crate::Value;
use crate::nouns::{Disk, LocalSsd, Ref};

fn cluster() -> (Blueprint, Made) {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a3m", network, &[]);
    (blueprint, cluster)
}

fn labels(labels: &BTreeMap<String, String>) -> Vec<String> {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn sixteen_a3_mega_nodes() {
    let (mut blueprint, cluster) = cluster();
    let pool = blueprint.pool("a3m.gpus", cluster, "a3-megagpu-8g", &[("nodes", 16.into())]);
    let workload = blueprint.workload("pretrain", pool, &[]);
    let plan = blueprint.plan();

    let networks = &plan.cluster(cluster.id).unwrap().data_networks;
    assert_eq!(networks.len(), 8);
    assert_eq!(
        networks[0],
        DataNetwork {
            object: "vpc1".into(),
            vpc: "a3m-vpc1".into(),
            subnet: "a3m-vpc1".into(),
            range: Some("192.168.0.0/21".parse().unwrap()),
            nodes: 16,
            mtu: 8244,
            interface: "eth1".into(),
            rdma: false,
            profile: None,
        }
    );
    assert_eq!((networks[7].object.as_str(), networks[7].interface.as_str()), ("vpc8", "eth8"));
    assert_eq!(networks[7].range, Some("192.168.56.0/21".parse().unwrap()));

    let gpus = plan.pool(pool.id).unwrap();
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

    let run = plan.workload(workload.id).unwrap();
    assert_eq!(
        (run.lead.nodes, run.lead.processes_per_node, run.lead.world_size, run.data_parallel),
        (16, 8, 128, Some(128))
    );
    assert_eq!(run.lead.rendezvous.as_deref(), Some("pretrain-node-0-0.pretrain"));
    assert!(run.lead.fabric);
    assert_eq!(plan.cluster(cluster.id).map(|it| it.system_pool), Some(true));
}

#[test]
fn two_v5e_slices() {
    let (mut blueprint, cluster) = cluster();
    let fields = [("topology", lit("4x4")), ("slices", 2.into())];
    let pool = blueprint.pool("a3m.slice", cluster, "ct5lp-hightpu-4t", &fields);
    let workload = blueprint.workload("tune", pool, &[("slices", 2.into()), ("launch", python())]);
    let plan = blueprint.plan();

    let chips = plan.pool(pool.id).unwrap();
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

    let run = plan.workload(workload.id).unwrap();
    assert_eq!(
        (
            run.lead.replicated_job.as_str(),
            run.lead.slices,
            run.lead.nodes_per_slice,
            run.lead.nodes
        ),
        ("slice", 2, 4, 8)
    );
    assert_eq!((run.lead.processes_per_node, run.lead.world_size, run.chips), (1, 8, 32));
    assert!(!run.lead.fabric);
}

#[test]
fn more_slices_leave_the_first_as_it_is() {
    for (machine, first) in
        [("ct5lp-hightpu-4t", "one-0"), ("ct5lp-hightpu-8t", "one-0"), ("a3-megagpu-8g", "one")]
    {
        let of = |slices: i64| {
            let (mut blueprint, cluster) = cluster();
            let nodes = if machine.starts_with("a3") { (2 * slices).into() } else { Value::Auto };
            let fields = [("slices", slices.into()), ("nodes", nodes)];
            let pool = blueprint.pool("a3m.one", cluster, machine, &fields);
            blueprint.plan().pool(pool.id).unwrap().clone()
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
fn clusters_that_are_made_here_have_a_dns_name_by_themselves() {
    let (mut blueprint, made) = cluster();
    let network = blueprint.network("other", &[]);
    let theirs = blueprint.gke("theirs", network, &[]);
    let said = blueprint.gke("said", network, &[("dns_endpoint", true.into())]);
    for cluster in [theirs, said] {
        blueprint.existing(cluster);
    }
    let plan = blueprint.plan();
    let reached = |cluster: Made| plan.cluster(cluster.id).unwrap().dns_endpoint;
    assert_eq!([made, theirs, said].map(reached), [true, false, true]);
}

#[test]
fn v4_8_is_a_single_host() {
    let (mut blueprint, cluster) = cluster();
    let said =
        blueprint.pool("a3m.said", cluster, "ct4p-hightpu-4t", &[("topology", lit("2x2x1"))]);
    let derived = blueprint.pool("a3m.derived", cluster, "ct4p-hightpu-4t", &[("nodes", 3.into())]);
    let workload = blueprint.workload("tune", said, &[("launch", python())]);
    let plan = blueprint.plan();
    for (pool, nodes) in [(said, (1, 1)), (derived, (3, 3))] {
        let pool = plan.pool(pool.id).unwrap();
        let slice = pool.slice.as_ref().unwrap();
        assert_eq!(
            (slice.topology.to_string().as_str(), slice.hosts, slice.single_host),
            ("2x2x1", 1, true)
        );
        assert_eq!(slice.name.as_deref(), Some("v4-8"));
        assert_eq!((pool.nodes, &pool.placement), (nodes, &PlacementPlan::Spread));
    }
    assert_eq!(plan.workload(workload.id).map(|run| (run.lead.nodes, run.chips)), Some((1, 4)));
}

#[test]
fn an_impossible_topology_still_has_hosts() {
    let (mut blueprint, cluster) = cluster();
    let pool = blueprint.pool(
        "a3m.s",
        cluster,
        "ct5p-hightpu-4t",
        &[("topology", lit("5x5x5")), ("nodes", 7.into())],
    );
    let plan = blueprint.plan();
    let slice = plan.pool(pool.id).and_then(|pool| pool.slice.clone()).unwrap();
    assert_eq!((slice.hosts, slice.chips, slice.name), (32, 125, None));
}

#[test]
fn rdma_networks_of_a3_ultra() {
    let (mut blueprint, cluster) = cluster();
    let pool = blueprint.pool("a3m.gpus", cluster, "a3-ultragpu-8g", &[("nodes", 300.into())]);
    let second = blueprint.pool("a3m.b200", cluster, "a4-highgpu-8g", &[("nodes", 2.into())]);
    let other =
        blueprint.pool("a3m.far", cluster, "a3-ultragpu-8g", &[("zone", "us-east4-b".into())]);
    let plan = blueprint.plan();
    let networks = &plan.pool(pool.id).unwrap().data_networks;
    let shown: Vec<_> =
        networks.iter().map(|it| (it.object.as_str(), it.interface.as_str(), it.rdma)).collect();
    assert_eq!(
        shown[..3],
        [("gvnic-1", "eth1", false), ("rdma-0", "eth2", true), ("rdma-1", "eth3", true)]
    );
    assert_eq!((networks.len(), networks[8].interface.as_str()), (9, "eth9"));
    assert_eq!(networks[0].profile, None);
    assert_eq!(networks[1].profile.as_deref(), Some("us-east4-a-vpc-roce"));
    assert_eq!((networks[1].vpc.as_str(), networks[8].vpc.as_str()), ("a3m-rdma", "a3m-rdma"));
    assert_eq!((networks[1].subnet.as_str(), networks[1].mtu), ("a3m-rdma-0", 8896));
    // The nodes of every pool that shares them.
    assert_eq!((networks[0].nodes, networks[1].nodes), (303, 302));
    assert_eq!(networks[1].range, Some("192.168.128.0/21".parse().unwrap()));
    assert_eq!(&plan.pool(second.id).unwrap().data_networks, networks);
    assert_eq!(plan.pool(pool.id).unwrap().disk, Disk::HyperdiskBalanced);

    let far = &plan.pool(other.id).unwrap().data_networks;
    assert_eq!(far[0], networks[0]);
    assert_eq!((far[1].object.as_str(), far[1].vpc.as_str()), ("rdma-0-b", "a3m-rdma-b"));
    assert_eq!(far[1].range, networks[1].range);
    assert_eq!(far[1].profile.as_deref(), Some("us-east4-b-vpc-roce"));
    assert_eq!(plan.cluster(cluster.id).unwrap().data_networks.len(), 17);
}

#[test]
fn placement_follows_family_and_capacity() {
    let week = || [("max", lit("7d"))];
    let reserved = || variant("reservation", &[("name", "r".into())]);
    let placed = || variant("reservation", &[("name", "r".into()), ("policy", "dense".into())]);
    let named = |workload| PlacementPlan::Named { policy: "dense".into(), workload };
    let compact = PlacementPlan::Compact;
    let spread = PlacementPlan::Spread;
    let policy = |topology: &str| PlacementPlan::WorkloadPolicy(topology.into());
    for (machine, fields, expected) in [
        ("a3-megagpu-8g", vec![("nodes", 1.into())], &spread),
        ("a3-megagpu-8g", vec![("nodes", 2.into()), ("placement", "spread".into())], &spread),
        ("a3-megagpu-8g", vec![("nodes", 2.into())], &compact),
        ("a3-megagpu-8g", vec![("nodes", 2.into()), ("capacity", reserved())], &spread),
        ("a3-ultragpu-8g", vec![("nodes", 2.into()), ("capacity", reserved())], &spread),
        (
            "a3-megagpu-8g",
            vec![("nodes", 2.into()), ("capacity", variant("calendar", &[("name", "r".into())]))],
            &spread,
        ),
        ("a3-megagpu-8g", vec![("nodes", 2.into()), ("capacity", placed())], &named(false)),
        ("a4x-highgpu-4g", vec![("nodes", 18.into()), ("capacity", reserved())], &policy("1x72")),
        ("a4x-highgpu-4g", vec![("nodes", 18.into()), ("capacity", placed())], &named(true)),
        ("ct5p-hightpu-4t", vec![("topology", lit("2x2x2")), ("capacity", reserved())], &compact),
        (
            "a3-megagpu-8g",
            vec![("nodes", 2.into()), ("capacity", variant("queued", &week()))],
            &spread,
        ),
        (
            "a3-megagpu-8g",
            vec![("nodes", 2.into()), ("capacity", variant("flex_start", &week()))],
            &spread,
        ),
        (
            "a3-ultragpu-8g",
            vec![("nodes", 2.into()), ("capacity", variant("flex_start", &week()))],
            &compact,
        ),
        ("g2-standard-24", vec![("nodes", 2.into())], &spread),
        ("e2-standard-8", vec![("nodes", 2.into())], &spread),
        ("c2-standard-60", vec![("nodes", 2.into()), ("placement", "compact".into())], &compact),
        ("a4x-highgpu-4g", vec![("nodes", 18.into())], &policy("1x72")),
        ("tpu7x-standard-4t", vec![("topology", lit("4x4x4"))], &policy("4x4x4")),
        ("tpu7x-standard-4t", vec![("topology", lit("2x2x1"))], &spread),
        (
            "ct5p-hightpu-4t",
            vec![("topology", lit("2x2x2")), ("capacity", variant("queued", &week()))],
            &compact,
        ),
    ] {
        let (mut blueprint, cluster) = cluster();
        let pool = blueprint.pool("a3m.p", cluster, machine, &fields);
        assert_eq!(
            &blueprint.plan().pool(pool.id).unwrap().placement,
            expected,
            "{machine} {fields:?}"
        );
    }
}

#[test]
fn without_a_zone_nothing_is_put_together() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let regional = blueprint.gke("r", network, &[("zone", Value::Absent)]);
    let pool = blueprint.pool("r.gpus", regional, "a3-megagpu-8g", &[("nodes", 2.into())]);
    let zonal =
        blueprint.gke("z", network, &[("zone", Value::Absent), ("location", "us-east4-c".into())]);
    let near = blueprint.pool("z.gpus", zonal, "a3-megagpu-8g", &[("nodes", 2.into())]);
    let plan = blueprint.plan();
    let pool = plan.pool(pool.id).unwrap();
    assert_eq!((&pool.zone, &pool.placement), (&None, &PlacementPlan::Spread));
    assert_eq!(plan.pool(near.id).unwrap().zone.as_deref(), Some("us-east4-c"));
    assert_eq!(plan.cluster(regional.id).map(|it| it.location.as_str()), Some("us-east4"));
    assert_eq!(
        plan.cluster(zonal.id).map(|it| (it.location.as_str(), it.region.as_str())),
        Some(("us-east4-c", "us-east4"))
    );
}

/// The names and ranges of a cluster's data networks.
fn data_networks(plan: &Plan, cluster: Made) -> Vec<(String, String)> {
    let networks = &plan.cluster(cluster.id).unwrap().data_networks;
    networks
        .iter()
        .map(|it| (it.subnet.clone(), it.range.map_or("-".into(), |range| range.to_string())))
        .collect()
}

#[test]
fn a_data_network_depends_on_nothing_but_itself() {
    let mega = ("gpus", "a3-megagpu-8g", "us-east4-a");
    let ultra = ("ultra", "a3-ultragpu-8g", "us-east4-a");
    let far = ("far", "a4-highgpu-8g", "us-east4-b");
    let build = |beside: &[(&str, &str, &str)], own: &[(&str, &str, &str)], zone: Value| {
        let mut blueprint = Blueprint::new();
        let network = blueprint.network("fabric", &[]);
        let mut pools = |path: &str, pools: &[(&str, &str, &str)], zone: Value| {
            let cluster = blueprint.gke(path, network, &[("zone", zone)]);
            for (name, machine, zone) in pools {
                let fields = [("nodes", 400.into()), ("zone", (*zone).into())];
                blueprint.pool(&format!("{path}.{name}"), cluster, machine, &fields);
            }
            cluster
        };
        pools("aa", beside, "us-east4-a".into());
        let cluster = pools("bb", own, zone);
        data_networks(&blueprint.plan(), cluster)
    };
    for zone in [Value::from("us-east4-a"), Value::Absent] {
        let alone = build(&[], &[far], zone.clone());
        for (beside, own) in
            [(vec![mega], vec![far]), (vec![], vec![ultra, far]), (vec![ultra], vec![mega, far])]
        {
            let all = build(&beside, &own, zone.clone());
            assert!(alone.iter().all(|network| all.contains(network)), "{alone:?} {all:?}");
        }
    }
}

#[test]
fn sizes_of_pools() {
    let flex = || variant("flex_start", &[("max", lit("7d"))]);
    for (machine, fields, nodes, pools, elastic) in [
        ("e2-standard-8", vec![], (1, 1), 1, false),
        ("e2-standard-8", vec![("nodes", range(0, 8))], (0, 8), 1, true),
        (
            "e2-standard-8",
            vec![("nodes", range(2, 8)), ("autoscale", true.into())],
            (2, 8),
            1,
            true,
        ),
        ("e2-standard-8", vec![("nodes", 4.into()), ("autoscale", true.into())], (0, 4), 1, true),
        ("a3-megagpu-8g", vec![("nodes", 4.into()), ("capacity", flex())], (0, 4), 1, true),
        ("a4x-highgpu-4g", vec![("nodes", 36.into()), ("slices", 2.into())], (18, 18), 2, false),
        (
            "ct5p-hightpu-4t",
            vec![("topology", lit("4x4x4")), ("nodes", 16.into())],
            (16, 16),
            1,
            false,
        ),
        (
            "ct5p-hightpu-4t",
            vec![("topology", lit("4x4x4")), ("nodes", 7.into())],
            (16, 16),
            1,
            false,
        ),
        (
            "ct5p-hightpu-4t",
            vec![("topology", lit("4x4x4")), ("autoscale", true.into())],
            (0, 16),
            1,
            true,
        ),
    ] {
        let (mut blueprint, cluster) = cluster();
        let pool = blueprint.pool("a3m.p", cluster, machine, &fields);
        let plan = blueprint.plan();
        let pool = plan.pool(pool.id).unwrap();
        assert_eq!(
            (pool.nodes, pool.node_pools.len(), pool.elastic),
            (nodes, pools, elastic),
            "{fields:?}"
        );
    }
}

#[test]
fn capacity_shows_in_labels_taints_and_reservation() {
    let queued = variant("queued", &[("max", lit("7d"))]);
    let block = variant(
        "reservation",
        &[("name", "projects/p/reservations/r".into()), ("block", "b1".into())],
    );
    let (mut blueprint, cluster) = cluster();
    let mut pool = |path: &str, capacity| {
        blueprint.pool(
            path,
            cluster,
            "a3-megagpu-8g",
            &[("nodes", 2.into()), ("capacity", capacity)],
        )
    };
    let queued = pool("a3m.queued", queued);
    let spot = pool("a3m.spot", variant("spot", &[]));
    let reserved = pool("a3m.reserved", block);
    let plan = blueprint.plan();

    let queued = plan.pool(queued.id).unwrap();
    assert_eq!(
        queued.selector.get("cloud.google.com/gke-flex-start").map(String::as_str),
        Some("true")
    );
    assert_eq!(queued.node_labels, BTreeMap::new());
    let taints: Vec<_> = queued.taints.iter().map(|taint| taint.key.as_str()).collect();
    assert_eq!(taints, ["nvidia.com/gpu", "cloud.google.com/gke-queued"]);
    let spot = plan.pool(spot.id).unwrap();
    assert_eq!(spot.selector.get("cloud.google.com/gke-spot").map(String::as_str), Some("true"));
    assert_eq!(spot.node_labels, BTreeMap::new());
    let value = "projects/p/reservations/r/reservationBlocks/b1".to_owned();
    assert_eq!(plan.pool(reserved.id).unwrap().reservation, Some(("r".into(), value)));
}

#[test]
fn arm_nodes_are_tainted() {
    let (mut blueprint, cluster) = cluster();
    let pool = blueprint.pool("a3m.p", cluster, "a4x-highgpu-4g", &[("nodes", 2.into())]);
    let plan = blueprint.plan();
    let taints: Vec<_> =
        plan.pool(pool.id).unwrap().taints.iter().map(|taint| taint.key.as_str()).collect();
    assert_eq!(taints, ["nvidia.com/gpu", "kubernetes.io/arch"]);
}

#[test]
fn local_disks_follow_machine_choice_and_mounts() {
    let scratch = |size: &str| mount(variant("scratch", &[("size", lit(size))]), "/scratch");
    for (machine, choice, mounted, expected) in [
        ("a3-megagpu-8g", None, None, (LocalSsd::Scratch, 16)),
        ("a3-megagpu-8g", Some("raw"), None, (LocalSsd::Raw, 16)),
        ("a3-megagpu-8g", Some("none"), None, (LocalSsd::None, 0)),
        ("a2-highgpu-8g", None, None, (LocalSsd::None, 0)),
        ("a2-highgpu-8g", None, Some("2TiB"), (LocalSsd::Scratch, 8)),
        ("a2-highgpu-8g", Some("scratch"), None, (LocalSsd::Scratch, 8)),
        ("e2-standard-8", Some("scratch"), Some("1GiB"), (LocalSsd::None, 0)),
    ] {
        let (mut blueprint, cluster) = cluster();
        let fields: Vec<(&str, Value)> =
            choice.into_iter().map(|choice| ("local_ssd", choice.into())).collect();
        let pool = blueprint.pool("a3m.p", cluster, machine, &fields);
        if let Some(size) = mounted {
            blueprint.workload("w", pool, &[("mounts", list([scratch(size)]))]);
        }
        assert_eq!(
            blueprint.plan().pool(pool.id).unwrap().local_ssd,
            expected,
            "{machine} {choice:?} {mounted:?}"
        );
    }
}

#[test]
fn a_partition_on_the_floor() {
    let mut blueprint = Blueprint::new();
    let slurm = blueprint.slurm("hpc");
    let named = blueprint.partition(
        "hpc.dgx",
        slurm,
        8,
        &[("hosts", "dgx[001-008]".into()), ("switch_nodes", 4.into())],
    );
    let auto = blueprint.partition("hpc.small", slurm, 2, &[]);
    let workload = blueprint.workload("pretrain", named, &[("nodes", 8.into())]);
    let plan = blueprint.plan();

    let dgx = plan.partition(named.id).unwrap();
    assert_eq!((dgx.host_names.len(), dgx.host_names[7].as_str()), (8, "dgx008"));
    assert_eq!(
        dgx.switches,
        [
            ("dgx-leaf1".to_owned(), "dgx[001-004]".to_owned()),
            ("dgx-leaf2".to_owned(), "dgx[005-008]".to_owned())
        ]
    );
    assert_eq!((dgx.gpus, dgx.gpu_type.as_deref()), (8, Some("h100")));
    let small = plan.partition(auto.id).unwrap();
    assert_eq!(small.hosts, "hpc-small-[0-1]");
    assert_eq!(small.host_names, ["hpc-small-0", "hpc-small-1"]);
    assert_eq!(small.switches, [("small-leaf1".to_owned(), "hpc-small-[0-1]".to_owned())]);

    let run = plan.workload(workload.id).unwrap();
    assert_eq!(
        (run.lead.world_size, run.lead.rendezvous.as_ref(), run.lead.port),
        (64, None, 29_500)
    );
    assert_eq!((run.namespace.as_str(), run.queue), ("", None));
}

#[test]
fn machines_on_vertex() {
    let mut blueprint = Blueprint::new();
    let ultra = blueprint.vertex("ultra", "a3-ultragpu-8g", &[]);
    let high = blueprint.vertex("high", "a3-highgpu-8g", &[]);
    let workload = blueprint.workload("tune", high, &[("nodes", 4.into())]);
    let alone = blueprint.workload("alone", high, &[]);
    let plan = blueprint.plan();
    assert_eq!(
        plan.vertex(ultra.id).map(|it| (it.disk, it.gpus)),
        Some((Disk::HyperdiskBalanced, 8))
    );
    assert_eq!(plan.vertex(high.id).map(|it| (it.disk, it.gpus)), Some((Disk::PdSsd, 8)));
    let run = plan.workload(workload.id).unwrap();
    assert_eq!(
        (run.place, run.lead.nodes, run.lead.world_size, run.lead.fabric),
        (Place::Vertex(Ref::to(high.id)), 4, 32, true)
    );
    assert_eq!(
        plan.workload(alone.id).map(|run| (run.lead.nodes, run.lead.fabric)),
        Some((1, false))
    );
}

#[test]
fn launches_decide_how_many_processes_a_node_has() {
    let argv = || ("argv", list(["true".into()]));
    for (launch, processes) in [
        (torchrun(), 8),
        (variant("srun", &[argv(), ("args", record(&[]))]), 8),
        (variant("mpirun", &[argv(), ("args", record(&[]))]), 8),
        (python(), 1),
        (variant("command", &[argv()]), 1),
    ] {
        let (mut blueprint, cluster) = cluster();
        let pool = blueprint.pool("a3m.p", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
        let workload = blueprint.workload("w", pool, &[("launch", launch.clone())]);
        let plan = blueprint.plan();
        let run = plan.workload(workload.id).unwrap();
        assert_eq!(
            (run.lead.processes_per_node, run.lead.world_size),
            (processes, processes * 2),
            "{launch}"
        );
    }
}

#[test]
fn data_parallelism_is_what_is_left_where_it_divides() {
    for (tensor, pipeline, left) in
        [(8, 2, Some(1)), (8, 1, Some(2)), (8, 3, None), (16, 2, None), (3, 1, None)]
    {
        let (mut blueprint, cluster) = cluster();
        let pool = blueprint.pool("a3m.p", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
        let degrees = [
            ("tensor", tensor.into()),
            ("pipeline", pipeline.into()),
            ("context", 1.into()),
            ("expert", 1.into()),
        ];
        let workload = blueprint.workload("w", pool, &[("parallel", record(&degrees))]);
        let found = blueprint.plan().workload(workload.id).unwrap().data_parallel;
        assert_eq!(found, left, "{tensor} x {pipeline}");
    }
}

#[test]
fn queues_admit_and_share_out() {
    let (mut blueprint, cluster) = cluster();
    let queued = variant("queued", &[("max", lit("7d"))]);
    let first = blueprint.pool("a3m.first", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
    let second = blueprint.pool(
        "a3m.second",
        cluster,
        "a3-megagpu-8g",
        &[("nodes", 4.into()), ("capacity", queued)],
    );
    let cpus = blueprint.pool("a3m.cpus", cluster, "e2-standard-8", &[("nodes", 3.into())]);
    let all = blueprint.queue("a3m.all", cluster, &[first, second, cpus], &[]);
    let some = blueprint.queue(
        "a3m.some",
        cluster,
        &[first, second],
        &[("quota", 24.into()), ("namespaces", list(["team-c".into()]))],
    );
    let more = blueprint.queue("a3m.more", cluster, &[first, second], &[("quota", 100.into())]);
    let auto = blueprint.workload("auto", first, &[]);
    let served = blueprint.workload("served", first, &[("namespace", "team-c".into())]);
    let said = blueprint.workload("said", first, &[("queue", more.get())]);
    let plan = blueprint.plan();

    let quotas = |queue: Made| {
        let flavors = &plan.queue(queue.id).unwrap().flavors;
        flavors
            .iter()
            .map(|it| (it.name.as_str(), it.quota.devices, it.queued.is_some()))
            .collect::<Vec<_>>()
    };
    // What has a quota comes first, and first what its own workloads need: 16 each of the pool that no other queue needs.
    assert_eq!(quotas(some), [("first", 8, false), ("second", 16, true)]);
    assert_eq!(quotas(more), [("first", 8, false), ("second", 16, true)]);
    assert_eq!(quotas(all), [("first", 0, false), ("second", 0, true), ("cpus", 0, false)]);
    let undealt = |queue: Made| plan.queue(queue.id).unwrap().undealt;
    assert_eq!((undealt(more), undealt(some), undealt(all)), (76, 0, 0));
    let cpus = plan.queue(all.id).unwrap().flavors[2].quota;
    assert_eq!(cpus.millicpus, 3 * 7910);

    let admitted = |workload: Made| {
        let run = plan.workload(workload.id).unwrap();
        (run.queue, run.namespace.clone())
    };
    assert_eq!(admitted(auto), (Some(Ref::to(all.id)), "team-a".into()));
    assert_eq!(admitted(served), (Some(Ref::to(some.id)), "team-c".into()));
    assert_eq!(admitted(said), (Some(Ref::to(more.id)), "team-a".into()));
    let found = plan.cluster(cluster.id).unwrap();
    assert_eq!(found.namespaces, ["team-a", "team-b", "team-c"]);
    assert!(found.system_pool, "the queue may fill the nodes of CPUs");
}

#[test]
fn a_cluster_knows_what_its_workloads_need() {
    let (mut blueprint, cluster) = cluster();
    let bucket = blueprint.bucket("data", &[]);
    let storage = variant("lustre", &[("capacity", lit("18000GiB")), ("throughput", 250.into())]);
    let network = blueprint.network("other", &[]);
    let lustre = blueprint.filesystem("fast", storage, network);
    let identity = blueprint.identity("trainer");
    let pool = blueprint.pool("a3m.p", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
    let workload = blueprint.workload(
        "w",
        pool,
        &[
            ("mounts", list([mount(bucket.get(), "/data")])),
            ("identity", identity.get()),
            ("namespace", "research".into()),
        ],
    );
    blueprint.side_job(
        "w.node",
        workload,
        pool,
        &[("mounts", list([mount(lustre.get(), "/fast")]))],
    );
    let plan = blueprint.plan();
    let found = plan.cluster(cluster.id).unwrap();
    assert_eq!((found.gcsfuse, found.filestore, found.lustre), (true, false, true));
    assert_eq!(found.namespaces, ["research"]);
    assert_eq!(
        found.accounts,
        [("research".to_owned(), "trainer".to_owned(), Ref::to(identity.id))]
    );
    assert_eq!(plan.workload(workload.id).unwrap().account, "trainer");
    let side = plan.children(workload.id)[0];
    assert_eq!(plan.side_job(side).unwrap().replicated_job, "side-node");
}

#[test]
fn images_go_by_where_they_are_pushed() {
    let mut blueprint = Blueprint::new();
    let registry = blueprint.registry("training");
    let spot =
        variant("registry", &[("location", "us-east4".into()), ("repository", "training".into())]);
    let package = || ("packages", list(["hydra-core==1.3.2".into()]));
    let plain = blueprint.image("plain", &[]);
    let built = blueprint.image("built", &[("push_to", registry.get()), package()]);
    let named = blueprint.image("my_image", &[("push_to", spot), ("tag", "v2".into())]);
    let nowhere = blueprint.image("nowhere", &[package()]);
    let existing = blueprint.image("existing", &[("push_to", registry.get())]);
    blueprint.existing(existing);
    let plan = blueprint.plan();
    for (image, reference) in [
        (plain, "nvcr.io/nvidia/nemo:24.07"),
        (built, "us-east4-docker.pkg.dev/acme-train/training/built:v1"),
        (named, "us-east4-docker.pkg.dev/acme-train/training/my-image:v2"),
        (nowhere, "nowhere:v1"),
        (existing, "nvcr.io/nvidia/nemo:24.07"),
    ] {
        assert_eq!(plan.image(image.id).map(String::as_str), Some(reference));
    }
}

#[test]
fn derived_names_fit_and_said_names_stay() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[("name", "shared-vpc".into())]);
    let cluster = blueprint.gke(&"c".repeat(50), network, &[]);
    let pool = blueprint.pool(
        &format!("c.{}", "p".repeat(50)),
        cluster,
        "a3-megagpu-8g",
        &[("slices", 2.into())],
    );
    let workload = blueprint.workload(&"w".repeat(70), pool, &[]);
    blueprint.side_job("w.uploader", workload, pool, &[]);
    let bucket = blueprint.bucket(&"b".repeat(70), &[]);
    let plan = blueprint.plan();
    assert_eq!(plan.network(network.id).map(|it| it.name.as_str()), Some("shared-vpc"));
    assert_eq!(plan.network(network.id).map(|it| it.subnet.as_str()), Some("shared-vpc-us-east4"));
    assert_eq!(plan.cluster(cluster.id).unwrap().name.len(), 40);
    let pools = &plan.pool(pool.id).unwrap().node_pools;
    assert_eq!((pools[0].name.len(), pools[1].name.len()), (40, 40));
    assert_ne!(pools[0].name, pools[1].name);
    for id in [cluster.id, pool.id, workload.id, bucket.id] {
        assert!(plan.name_budgets(id).iter().all(NameBudget::fits), "{:?}", plan.name_budgets(id));
    }
    // The side job's longer name decides.
    let name = &plan.workload(workload.id).unwrap().name;
    assert_eq!(format!("{name}-uploader-0-0-xxxxx").len(), 63);
}

#[test]
fn shared_memory_is_the_usual_or_half_of_the_machine() {
    for (machine, gib) in [("a3-megagpu-8g", 250), ("g2-standard-8", 16)] {
        let (mut blueprint, cluster) = cluster();
        let pool = blueprint.pool("a3m.p", cluster, machine, &[("nodes", 1.into())]);
        let workload = blueprint.workload("w", pool, &[]);
        assert_eq!(
            blueprint.plan().workload(workload.id).unwrap().lead.shared_memory.gib(),
            gib,
            "{machine}"
        );
    }
}

#[test]
fn what_is_not_understood_has_no_plan_and_stops_nothing() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.broken("network", "fabric");
    let cluster = blueprint.gke("a", network, &[]);
    let unknown = blueprint.pool("a.unknown", cluster, "a9-megagpu-8g", &[]);
    let image = blueprint.broken("image", "nemo");
    let known = blueprint.pool("a.known", cluster, "a3-megagpu-8g", &[("nodes", (-3).into())]);
    let lost = blueprint.workload("lost", unknown, &[]);
    let run =
        blueprint.workload("run", known, &[("image", image.get()), ("nodes", i64::MAX.into())]);
    let queue = blueprint.queue("a.q", cluster, &[unknown, known], &[]);
    let plan = blueprint.plan();
    assert!(
        plan.network(network.id).is_none()
            && plan.pool(unknown.id).is_none()
            && plan.workload(lost.id).is_none()
    );
    let found = plan.cluster(cluster.id).unwrap();
    assert_eq!((found.region.as_str(), found.data_networks.len()), ("us-east4", 8));
    assert!(found.data_networks.iter().all(|network| network.range.is_none()));
    assert_eq!(plan.workload(run.id).map(|run| run.lead.image.as_str()), Some(""));
    assert_eq!(plan.queue(queue.id).map(|queue| queue.flavors.len()), Some(1));
    for noun in &plan.model.nouns {
        let tables = Table::all().filter(|table| table.kind == noun.body.kind());
        for fact in tables.flat_map(Table::facts) {
            // No noun may make a fact fail.
            let _ = facts(&plan, noun.id, fact.name());
        }
        let _ = plan.name_budgets(noun.id);
    }
}

#[test]
fn two_nouns_of_one_name_in_one_place_clash() {
    let (mut blueprint, cluster) = cluster();
    let network = blueprint.network("other", &[]);
    let second = blueprint.gke("b", network, &[]);
    let pool = blueprint.pool("a3m.my_gpus", cluster, "a3-megagpu-8g", &[("slices", 2.into())]);
    let slice = blueprint.pool("a3m.my-gpus-1", cluster, "a3-megagpu-8g", &[]);
    let elsewhere = blueprint.pool("b.my_gpus", second, "a3-megagpu-8g", &[]);
    let run = blueprint.workload("run_1", pool, &[]);
    let again = blueprint.workload("run-1", slice, &[]);
    let apart = blueprint.workload(
        "apart",
        slice,
        &[("name", "run-1".into()), ("namespace", "team-b".into())],
    );
    let far = blueprint.workload("far", elsewhere, &[("name", "run-1".into())]);
    let theirs = blueprint.network("theirs", &[("name", "other".into())]);
    blueprint.existing(theirs);
    let plan = blueprint.plan();
    for (noun, first) in [
        (pool, None),
        (slice, Some(pool.id)),
        (elsewhere, None),
        (run, None),
        (again, Some(run.id)),
        (apart, None),
        (far, None),
        (theirs, None),
    ] {
        assert_eq!(
            plan.name_clash(noun.id),
            first,
            "{:?}",
            plan.model.get(noun.id).map(|noun| &noun.path)
        );
    }
}

#[test]
fn pools_share_the_networks_that_they_both_need() {
    let (mut blueprint, cluster) = cluster();
    let high = blueprint.pool("a3m.high", cluster, "a3-highgpu-8g", &[("nodes", 2.into())]);
    let mega = blueprint.pool("a3m.mega", cluster, "a3-megagpu-8g", &[("nodes", 2.into())]);
    let cpus = blueprint.pool("a3m.cpus", cluster, "e2-standard-8", &[("nodes", 1000.into())]);
    let plan = blueprint.plan();
    let objects = |pool: Made| {
        let networks = &plan.pool(pool.id).unwrap().data_networks;
        networks.iter().map(|network| network.object.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(objects(high), ["vpc1", "vpc2", "vpc3", "vpc4"]);
    assert_eq!(objects(mega), ["vpc1", "vpc2", "vpc3", "vpc4", "vpc5", "vpc6", "vpc7", "vpc8"]);
    assert!(objects(cpus).is_empty());
    let networks = &plan.cluster(cluster.id).unwrap().data_networks;
    assert_eq!((networks[3].nodes, networks[4].nodes), (4, 2));
    assert_eq!((networks.len(), networks[7].range), (8, Some("192.168.56.0/21".parse().unwrap())));
}
