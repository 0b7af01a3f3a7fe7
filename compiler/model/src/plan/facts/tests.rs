use super::*;
use crate::nouns::Body;
use crate::plan::fixture::{Blueprint, Made, lit, record, shown, variant};
use std::collections::BTreeSet;

#[test]
fn a_fact_is_there_once_and_belongs_to_a_kind() {
    let mut seen = BTreeSet::new();
    let named = |table: &'static Table| table.facts().map(move |fact| (table, fact.name()));
    for (Table { kind, platform, .. }, name) in Table::all().flat_map(named) {
        assert!(Body::KINDS.contains(&(*kind, *platform)), "{kind} {platform:?}");
        assert!(seen.insert((kind, platform, name)), "{kind}.{name} stands twice");
    }
}

fn check(plan: &Plan, noun: Made, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(shown(plan, noun, name), *value, "{name}");
    }
}

#[test]
fn facts_of_a_pool() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[("pods", lit("10.64.0.0/20"))]);
    let cluster = blueprint.gke("a3m", network, &[("version", "1.32.1-gke.100".into())]);
    let pool = blueprint.pool("a3m.gpus", cluster, "a3-megagpu-8g", &[("nodes", 16.into())]);
    let plan = blueprint.plan();
    check(
        &plan,
        pool,
        &[
            ("max_nodes", "16"),
            ("chips", "128"),
            ("location", "us-east4-a"),
            ("region", "us-east4"),
            ("arrangement", "compact"),
            ("pod_room", "16"),
            ("support", "yes"),
            ("needed_version", "1.32.11-gke.1174000"),
            ("boot_disk", "pd-balanced"),
            ("local_disks", "16"),
            ("scratch_room", "5300GiB"),
            ("slice", "nothing"),
            ("topologies", "[]"),
            ("nosuch", "-"),
        ],
    );
    let nics = shown(&plan, pool, "nics");
    assert_eq!(nics, "{ data_nics = 8, networks = 8, gpudirect = tcpxo, mtu = 8244 }");
    assert_eq!(
        shown(&plan, pool, "name_budget"),
        "{ what = a node pool's name, name = gpus, used = 4, least = 1, most = 40 }"
    );
    check(
        &plan,
        cluster,
        &[
            ("region", "us-east4"),
            ("max_nodes", "16"),
            ("pod_addresses", "4096"),
            ("pod_room", "4096"),
            ("data_networks", "8"),
            ("data_nodes", "16"),
            ("data_room", "2044"),
        ],
    );
    check(&plan, network, &[("free", &(65_536 - 8 * 2048).to_string()), ("subnet_room", "4092")]);
}

#[test]
fn facts_of_a_machine() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a", network, &[]);
    let slurm = blueprint.slurm("hpc");
    let gpus = blueprint.pool("a.gpus", cluster, "a3-megagpu-8g", &[]);
    let chips = blueprint.pool("a.chips", cluster, "ct5lp-hightpu-4t", &[("topology", lit("4x4"))]);
    let own = blueprint.partition("hpc.l40s", slurm, 1, &[("machine", "l40s-8".into())]);
    let unknown = blueprint.pool("a.unknown", cluster, "a9-megagpu-8g", &[]);
    let plan = blueprint.plan();
    let entry =
        |noun, name: &str| match plan.model.get(noun).and_then(|_| facts(&plan, noun, "spec")) {
            Some(Value::Record(record)) => {
                record.get(name).map_or("-".to_owned(), |entry| entry.value.to_string())
            }
            _ => "no record".to_owned(),
        };
    for (noun, name, value) in [
        (gpus, "memory", "1872GiB"),
        (gpus, "vcpus", "208"),
        (gpus, "accelerator", "h100-mega-80gb"),
        (gpus, "chip_memory", "80GB"),
        (gpus, "nvlink_chips", "8"),
        (gpus, "is_gpu", "true"),
        (chips, "accelerator", "v5e"),
        (chips, "chips", "4"),
        (chips, "is_tpu", "true"),
        (chips, "chip_memory", "16GiB"),
        (own, "memory", "-"),
        (own, "vcpus", "-"),
        (own, "accelerator", "l40s"),
        (unknown, "name", "no record"),
    ] {
        assert_eq!(entry(noun.id, name), value, "{name}");
    }
    assert_eq!(
        shown(&plan, chips, "slice"),
        "{ hosts = 4, chips = 16, chips_per_host = 4, topology = 4x4, single_host = false, name = v5litepod-16 }"
    );
}

#[test]
fn facts_of_a_workload() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a3m", network, &[]);
    let capacity = variant("flex_start", &[("max", lit("2d"))]);
    let pool = blueprint.pool(
        "a3m.gpus",
        cluster,
        "a3-megagpu-8g",
        &[("nodes", 16.into()), ("capacity", capacity)],
    );
    let queue = blueprint.queue("a3m.research", cluster, &[pool], &[]);
    let degrees =
        [("tensor", 8.into()), ("pipeline", 4.into()), ("context", 1.into()), ("expert", 1.into())];
    let workload = blueprint.workload(
        "pretrain",
        pool,
        &[
            ("nodes", 16.into()),
            ("parallel", record(&degrees)),
            ("env", record(&[("NCCL_SOCKET_IFNAME", "eth9".into()), ("HOME", "/root".into())])),
        ],
    );
    let plan = blueprint.plan();
    check(
        &plan,
        workload,
        &[
            ("chips", "128"),
            ("world_size", "128"),
            ("processes_per_node", "8"),
            ("model_parallel", "32"),
            ("data_parallel", "4"),
            ("rendezvous", "pretrain-node-0-0.pretrain"),
            ("platform", "gke"),
            ("total_nodes", "16"),
            ("room", "16"),
            ("slice_room", "1"),
            ("longest_run", "2d"),
            ("capacity", "flex_start(max = 2d)"),
            ("admitted_by", "a queue"),
            ("in_namespace", "team-a"),
            ("uses_fabric", "true"),
            ("owned_env", "[NCCL_SOCKET_IFNAME]"),
            ("shared_memory_size", "250GiB"),
            ("scratch_size", "0B"),
            ("scratch_room", "5300GiB"),
            ("image_platform", "nothing"),
            ("reference", "nvcr.io/nvidia/nemo:24.07"),
        ],
    );
    let budget = shown(&plan, workload, "name_budget");
    assert!(
        budget.contains("name = pretrain-node-0-15-xxxxx, used = 24, least = 1, most = 63"),
        "{budget}"
    );
    check(&plan, queue, &[("chips", "128")]);
}

#[test]
fn an_explicit_name_that_is_too_long_stays_and_is_counted() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a3m", network, &[]);
    let pool = blueprint.pool("a3m.gpus", cluster, "a3-megagpu-8g", &[("nodes", 16.into())]);
    let name = "n".repeat(50);
    let workload = blueprint.workload("pretrain", pool, &[("name", name.as_str().into())]);
    let plan = blueprint.plan();
    let budget = &plan.name_budgets(workload.id)[0];
    assert_eq!((budget.used, budget.most, budget.fits()), (66, 63, false));
    assert_eq!(plan.name(workload.id), Some(&name));
}

#[test]
fn facts_of_storage_and_accounts() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let bucket = blueprint.bucket("data", &[]);
    let storage =
        variant("filestore", &[("capacity", lit("2560GiB")), ("tier", "basic_ssd".into())]);
    let filesystem = blueprint.filesystem("home", storage, network);
    let registry = blueprint.registry("training_images");
    let identity = blueprint.identity("sa");
    let dashboard = blueprint.dashboard("board");
    let image = blueprint.image("nemo", &[("push_to", registry.get())]);
    let plan = blueprint.plan();
    for (noun, name, value) in [
        (bucket, "url", "gs://acme-train-data"),
        (filesystem, "address", "deferred address"),
        (registry, "url", "us-east4-docker.pkg.dev/acme-train/training-images"),
        (identity, "email", "sa-identity@acme-train.iam.gserviceaccount.com"),
        (dashboard, "resource", "deferred resource"),
        (image, "reference", "us-east4-docker.pkg.dev/acme-train/training-images/nemo:v1"),
    ] {
        assert_eq!(shown(&plan, noun, name), value);
    }
}

#[test]
fn facts_of_vertex_and_partitions() {
    let mut blueprint = Blueprint::new();
    let vertex = blueprint.vertex("managed", "a3-highgpu-8g", &[]);
    let slurm = blueprint.slurm("hpc");
    let partition = blueprint.partition("hpc.dgx", slurm, 8, &[("hosts", "dgx[001-006]".into())]);
    let workload = blueprint.workload("tune", vertex, &[("nodes", 2.into())]);
    let plan = blueprint.plan();
    check(
        &plan,
        vertex,
        &[
            ("chips", "8"),
            ("trainable", "true"),
            ("accelerator_type", "NVIDIA_H100_80GB"),
            ("boot_disk", "pd-ssd"),
        ],
    );
    check(&plan, partition, &[("chips", "48"), ("host_count", "6"), ("switches", "1")]);
    check(&plan, slurm, &[("nodes", "6")]);
    check(
        &plan,
        workload,
        &[("platform", "vertex"), ("room", "nothing"), ("rendezvous", "nothing")],
    );
}

#[test]
fn mig_and_time_sharing_multiply_what_a_node_offers() {
    let mut blueprint = Blueprint::new();
    let network = blueprint.network("fabric", &[]);
    let cluster = blueprint.gke("a", network, &[]);
    let shared = |blueprint: &mut Blueprint, path: &str, sharing: Value| {
        blueprint.pool(path, cluster, "a3-megagpu-8g", &[("nodes", 1.into()), ("sharing", sharing)])
    };
    let mig = shared(&mut blueprint, "a.mig", variant("mig", &[("profile", "1g.10gb".into())]));
    let wrong = shared(&mut blueprint, "a.wrong", variant("mig", &[("profile", "9g.99gb".into())]));
    let turns = shared(&mut blueprint, "a.turns", variant("time_shared", &[("clients", 4.into())]));
    let plan = blueprint.plan();
    for (pool, parts, shares) in
        [(mig, "7", "56"), (wrong, "nothing", "8"), (turns, "nothing", "32")]
    {
        assert_eq!(
            (shown(&plan, pool, "mig_parts").as_str(), shown(&plan, pool, "shares").as_str()),
            (parts, shares)
        );
    }
    assert!(shown(&plan, mig, "mig_profiles").contains("1g.10gb"));
}
