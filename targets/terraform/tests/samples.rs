//! Blueprints that the tests look at.

use crate::testing::{
    Blueprint, cidr, gib, list, mount, python, record, seconds, topology, variant,
};
use slipform_model::{Deferred, NounId, Value};

/// What most blueprints share.
pub(super) struct Base {
    pub(super) network: NounId,
    pub(super) bucket: NounId,
    pub(super) identity: NounId,
    pub(super) dashboard: NounId,
    pub(super) image: NounId,
}

pub(super) fn base(blueprint: &mut Blueprint, region: &str) -> Base {
    let network = blueprint.noun(
        "network",
        "fabric",
        &[
            ("region", region.into()),
            ("pods", cidr("10.64.0.0/14")),
            ("services", cidr("10.68.0.0/20")),
        ],
    );
    let labels = record(&[("team", "${danger}".into())]);
    let bucket =
        blueprint.noun("bucket", "data", &[("location", region.into()), ("labels", labels)]);
    let identity = blueprint.noun("identity", "trainer", &[]);
    let dashboard = blueprint.noun("dashboard", "board", &[("region", region.into())]);
    let push_to =
        variant("registry", &[("location", region.into()), ("repository", "training".into())]);
    let from = ("from", "nvcr.io/nvidia/nemo:24.07".into());
    let image = blueprint.noun("image", "nemo", &[from, ("push_to", push_to)]);
    Base { network, bucket, identity, dashboard, image }
}

pub(super) fn workload(
    blueprint: &mut Blueprint,
    base: &Base,
    name: &str,
    pool: NounId,
    more: &[(&str, Value)],
) -> NounId {
    let mut fields = vec![
        ("place", blueprint.to(pool)),
        ("image", blueprint.to(base.image)),
        ("launch", python()),
        ("mounts", list([mount(blueprint.to(base.bucket), "/data")])),
        ("identity", blueprint.to(base.identity)),
        ("dashboard", blueprint.to(base.dashboard)),
    ];
    fields.extend(more.iter().cloned());
    blueprint.noun("workload", name, &fields)
}

/// 16 A3 Mega nodes of a reservation.
pub(super) fn mega() -> Blueprint {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-east4");
    let cluster = blueprint.noun(
        "cluster on gke",
        "a3m",
        &[
            ("network", blueprint.to(base.network)),
            ("zone", "us-east4-a".into()),
            ("labels", record(&[("team", "ml".into())])),
        ],
    );
    let capacity = variant("reservation", &[("name", "my-reservation".into())]);
    let pool = blueprint.inside(
        cluster,
        "pool",
        "gpus",
        &[("machine", "a3-megagpu-8g".into()), ("nodes", 16.into()), ("capacity", capacity)],
    );
    workload(&mut blueprint, &base, "pretrain", pool, &[("nodes", 16.into())]);
    blueprint
}

/// Every other family and model of capacity that a root has to say differently.
pub(super) fn zoo() -> Blueprint {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint, "us-central1");
    let network = blueprint.to(base.network);
    let home = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let home = blueprint.noun(
        "filesystem",
        "home",
        &[("storage", home), ("network", network.clone()), ("location", "us-central1-a".into())],
    );
    let fast = variant("lustre", &[("capacity", gib(18000)), ("throughput", 250.into())]);
    let fast = blueprint.noun(
        "filesystem",
        "fast",
        &[
            ("storage", fast),
            ("network", network.clone()),
            ("location", "us-central1-a".into()),
            ("share", "scratch".into()),
        ],
    );
    blueprint.noun("registry", "more", &[("location", "us-central1".into())]);
    blueprint.noun(
        "bucket",
        "ckpt",
        &[
            ("location", "us".into()),
            ("hierarchical", true.into()),
            ("delete_after", seconds(30 * 86_400)),
        ],
    );
    let cluster = blueprint.noun(
        "cluster on gke",
        "zoo",
        &[("network", network), ("zone", "us-central1-a".into()), ("version", "1.33".into())],
    );
    let mut pools = Vec::new();
    let mut pool =
        |blueprint: &mut Blueprint, name: &str, machine: &str, more: &[(&str, Value)]| {
            let mut fields = vec![("machine", machine.into())];
            fields.extend(more.iter().cloned());
            pools.push(blueprint.inside(cluster, "pool", name, &fields));
        };
    let flex = variant("flex_start", &[("max", seconds(604_800))]);
    let queued = variant("queued", &[("max", seconds(604_800))]);
    pool(&mut blueprint, "cpu", "n2-standard-8", &[("nodes", 3.into())]);
    pool(
        &mut blueprint,
        "spread",
        "n2-standard-8",
        &[("nodes", Value::Range(slipform_model::Range(0, 8)))],
    );
    pool(
        &mut blueprint,
        "spot",
        "g2-standard-12",
        &[
            ("nodes", 2.into()),
            ("capacity", Value::word("spot")),
            ("sharing", variant("time_shared", &[("clients", 4.into())])),
        ],
    );
    pool(
        &mut blueprint,
        "mig",
        "a2-highgpu-1g",
        &[("nodes", 2.into()), ("sharing", variant("mig", &[("profile", "1g.5gb".into())]))],
    );
    pool(&mut blueprint, "ultra", "a3-ultragpu-8g", &[("nodes", 4.into()), ("capacity", flex)]);
    pool(&mut blueprint, "b200", "a4-highgpu-8g", &[("nodes", 4.into()), ("capacity", queued)]);
    pool(
        &mut blueprint,
        "nvl",
        "a4x-highgpu-4g",
        &[
            ("nodes", 18.into()),
            (
                "capacity",
                variant(
                    "reservation",
                    &[("name", "projects/p-owner/reservations/r".into()), ("block", "b1".into())],
                ),
            ),
        ],
    );
    pool(&mut blueprint, "metal", "a4x-maxgpu-4g-metal", &[("nodes", 18.into())]);
    pool(
        &mut blueprint,
        "v5e",
        "ct5lp-hightpu-4t",
        &[("topology", topology("4x4")), ("slices", 2.into())],
    );
    pool(
        &mut blueprint,
        "v5e-auto",
        "ct5lp-hightpu-4t",
        &[("topology", topology("4x4")), ("autoscale", true.into())],
    );
    pool(&mut blueprint, "single", "ct5lp-hightpu-8t", &[("topology", topology("2x4"))]);
    pool(&mut blueprint, "ironwood", "tpu7x-standard-4t", &[("topology", topology("4x4x4"))]);
    let mounts = list([
        mount(blueprint.to(base.bucket), "/data"),
        mount(blueprint.to(home), "/home"),
        mount(blueprint.to(fast), "/scratch"),
    ]);
    workload(
        &mut blueprint,
        &base,
        "pretrain",
        pools[8],
        &[("slices", 2.into()), ("mounts", mounts)],
    );
    blueprint.output("server", Value::Deferred(Deferred { noun: home, field: "address".into() }));
    blueprint.output("lustre", Value::Deferred(Deferred { noun: fast, field: "address".into() }));
    blueprint.output(
        "board",
        Value::Deferred(Deferred { noun: base.dashboard, field: "resource".into() }),
    );
    blueprint.output(
        "plane",
        list([Value::Deferred(Deferred { noun: cluster, field: "endpoint".into() }), 3.into()]),
    );
    blueprint
}

/// A cluster on what someone else owns.
pub(super) fn shared() -> Blueprint {
    let mut blueprint = Blueprint::new();
    let network = blueprint.existing(
        "network",
        "shared",
        &[
            ("region", "europe-west4".into()),
            ("name", "corp".into()),
            ("subnet_name", "corp-ew4".into()),
            ("pods_name", "pods".into()),
            ("services_name", "svc".into()),
        ],
    );
    let bucket = blueprint.existing(
        "bucket",
        "corpus",
        &[("location", "eu".into()), ("name", "corp-corpus".into())],
    );
    let identity = blueprint.noun("identity", "reader-account", &[]);
    let cluster = blueprint.noun(
        "cluster on gke",
        "dev",
        &[("network", blueprint.to(network)), ("location", "europe-west4-a".into())],
    );
    let pool = blueprint.inside(
        cluster,
        "pool",
        "l4",
        &[("machine", "g2-standard-12".into()), ("nodes", 1.into())],
    );
    let fields = [
        ("place", blueprint.to(pool)),
        ("image", "nvcr.io/nvidia/nemo:24.07".into()),
        ("mounts", list([mount(blueprint.to(bucket), "/data")])),
        ("identity", blueprint.to(identity)),
        ("namespace", "team-a".into()),
    ];
    blueprint.noun("workload", "tune", &fields);
    blueprint
}

/// The environment of Google's guide to training on TPU v4 and v5e: each of its Terraform variables has a field.
pub(super) fn guide() -> Blueprint {
    let mut blueprint = Blueprint::new();
    let region = || Value::from("us-central2");
    let network = blueprint.noun(
        "network",
        "training",
        &[
            ("region", region()),
            ("name", "my-network".into()),
            ("subnet_name", "my-subnet".into()),
            ("subnet", cidr("10.129.0.0/20")),
            ("pods", cidr("192.168.64.0/20")),
            ("services", cidr("192.168.80.0/20")),
            ("accelerators", cidr("172.20.0.0/16")),
        ],
    );
    let bucket = blueprint.noun(
        "bucket",
        "aiml",
        &[("location", region()), ("name", "my-aiml-repository".into())],
    );
    blueprint.noun(
        "registry",
        "images",
        &[("location", region()), ("name", "gke-tpu-training".into())],
    );
    let board = blueprint.noun("dashboard", "board", &[("region", "us-central1".into())]);
    let roles = || list(["roles/storage.objectAdmin".into(), "roles/logging.logWriter".into()]);
    let nodes =
        blueprint.noun("identity", "nodes", &[("account", "my-gke-sa".into()), ("roles", roles())]);
    let trainer = blueprint.noun(
        "identity",
        "trainer",
        &[("account", "cloud-tpu-sa".into()), ("roles", roles())],
    );
    let fields = [
        ("network", blueprint.to(network)),
        ("zone", "us-central2-b".into()),
        ("name", "gke-tpu-training-cluster".into()),
        ("version", "1.33".into()),
        ("namespace", "tpu-training".into()),
        ("node_identity", blueprint.to(nodes)),
    ];
    let cluster = blueprint.noun("cluster on gke", "training_cluster", &fields);
    blueprint.at(cluster).doc = Some("GKE cluster for running TPU training workloads".into());
    let fields = [
        ("machine", "n1-standard-4".into()),
        ("nodes", 3.into()),
        ("disk", gib(200)),
        ("disk_type", "pd-standard".into()),
    ];
    blueprint.inside(cluster, "pool", "cpu", &fields);
    let fields = [
        ("machine", "ct4p-hightpu-4t".into()),
        ("topology", topology("2x2x2")),
        ("slices", 2.into()),
        ("autoscale", true.into()),
        ("labels", record(&[("multislice-group", "multi-slice-group".into())])),
    ];
    let pool = blueprint.inside(cluster, "pool", "tpu-node-pool", &fields);
    let fields = [
        ("place", blueprint.to(pool)),
        ("image", "us-docker.pkg.dev/p/r/maxtext:1".into()),
        ("slices", 2.into()),
        ("mounts", list([mount(blueprint.to(bucket), "/data")])),
        ("identity", blueprint.to(trainer)),
        ("dashboard", blueprint.to(board)),
    ];
    blueprint.noun("workload", "maxtext", &fields);
    blueprint
}
