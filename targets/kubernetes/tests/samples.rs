//! Blueprints that the tests look at.

use crate::testing::{
    Blueprint, Fields, cidr, gib, list, mount, record, seconds, topology, variant,
};
use slipform_model::{Deferred, NounId, Value};

/// What most blueprints share.
pub(super) struct Base {
    pub(super) network: NounId,
    pub(super) bucket: NounId,
    pub(super) identity: NounId,
    pub(super) image: NounId,
}

pub(super) fn base(blueprint: &mut Blueprint) -> Base {
    let region = Value::from("us-east4");
    let fields = [
        ("region", region.clone()),
        ("pods", cidr("10.64.0.0/14")),
        ("services", cidr("10.68.0.0/20")),
    ];
    let network = blueprint.noun("network", "fabric", &fields);
    let bucket = blueprint.noun("bucket", "data", &[("location", region.clone())]);
    let identity = blueprint.noun("identity", "trainer", &[]);
    let push_to = variant("registry", &[("location", region), ("repository", "training".into())]);
    let from = ("from", "nvcr.io/nvidia/nemo:24.07".into());
    let image = blueprint.noun("image", "nemo", &[from, ("push_to", push_to)]);
    Base { network, bucket, identity, image }
}

pub(super) fn cluster(blueprint: &mut Blueprint, base: &Base, more: Fields<'_>) -> NounId {
    let mut fields = vec![("network", blueprint.to(base.network)), ("zone", "us-east4-a".into())];
    fields.extend(more.iter().cloned());
    blueprint.noun("cluster on gke", "a3m", &fields)
}

pub(super) fn pool(
    blueprint: &mut Blueprint,
    cluster: NounId,
    name: &str,
    machine: &str,
    more: Fields<'_>,
) -> NounId {
    let mut fields = vec![("machine", machine.into())];
    fields.extend(more.iter().cloned());
    blueprint.inside(cluster, "pool", name, &fields)
}

pub(super) fn workload(
    blueprint: &mut Blueprint,
    base: &Base,
    name: &str,
    pool: NounId,
    more: Fields<'_>,
) -> NounId {
    let mut fields = vec![("place", blueprint.to(pool)), ("image", blueprint.to(base.image))];
    fields.extend(more.iter().cloned());
    blueprint.noun("workload", name, &fields)
}

pub(super) fn torchrun(args: Fields<'_>) -> Value {
    variant(
        "torchrun",
        &[("script", "pretrain_gpt.py".into()), ("args", record(args)), ("module", false.into())],
    )
}

pub(super) fn command(words: &[&str]) -> Value {
    variant("command", &[("argv", list(words.iter().map(|word| Value::from(*word))))])
}

pub(super) fn argv(launch: &str, words: &[&str]) -> Value {
    variant(
        launch,
        &[("argv", list(words.iter().map(|word| Value::from(*word)))), ("args", record(&[]))],
    )
}

pub(super) fn queue(
    blueprint: &mut Blueprint,
    cluster: NounId,
    name: &str,
    pools: &[NounId],
    more: Fields<'_>,
) -> NounId {
    let pools = list(pools.iter().map(|pool| blueprint.to(*pool)).collect::<Vec<_>>());
    let mut fields =
        vec![("pools", pools), ("namespaces", list(["team-a".into(), "team-b".into()]))];
    fields.extend(more.iter().cloned());
    blueprint.inside(cluster, "queue", name, &fields)
}

pub(super) fn scratch(size: u64) -> Value {
    variant("scratch", &[("size", gib(size))])
}

/// One GPU pool with a queue and a run of all its nodes, which uses everything that a workload may say.
pub(super) fn gpus(machine: &str, nodes: i64) -> Blueprint {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint);
    let board = blueprint.noun("dashboard", "runs", &[("region", "us-east4".into())]);
    let home = variant("filestore", &[("capacity", gib(2560)), ("tier", "basic_ssd".into())]);
    let network = ("network", blueprint.to(base.network));
    let location = ("location", "us-east4-a".into());
    let home = blueprint.noun("filesystem", "home", &[("storage", home), network, location]);
    let nfs =
        variant("nfs", &[("server", "10.0.0.5".into()), ("export", "/exports/models".into())]);
    let models = blueprint.noun("filesystem", "models", &[("storage", nfs)]);
    let cluster = cluster(&mut blueprint, &base, &[]);
    let gpus = pool(&mut blueprint, cluster, "gpus", machine, &[("nodes", nodes.into())]);
    let cpus = pool(&mut blueprint, cluster, "cpus", "n2-standard-8", &[("nodes", 2.into())]);
    queue(&mut blueprint, cluster, "research", &[gpus], &[("cohort", "all".into())]);
    let mounts = list([
        mount(blueprint.to(base.bucket), "/data"),
        mount(blueprint.to(home), "/home"),
        mount(blueprint.to(models), "/models"),
        mount(scratch(1024), "/scratch"),
    ]);
    let deferred = |noun, field: &str| Value::Deferred(Deferred { noun, field: field.into() });
    let secret = variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]);
    let env = record(&[
        ("HF_TOKEN", secret),
        ("MODE", "$(HOME) $$".into()),
        ("STEPS", 10.into()),
        ("SERVER", deferred(home, "address")),
    ]);
    let args = [
        ("max_steps", 10.into()),
        ("fast", true.into()),
        ("slow", false.into()),
        ("board", deferred(board, "resource")),
    ];
    let fields = [
        ("nodes", nodes.into()),
        ("launch", torchrun(&args)),
        ("mounts", mounts),
        ("env", env),
        ("restarts", 3.into()),
        ("max_run", seconds(86_400)),
        ("priority", "high".into()),
        ("identity", blueprint.to(base.identity)),
        ("dashboard", blueprint.to(board)),
        ("workdir", "/opt/nemo".into()),
        ("labels", record(&[("team", "llm".into())])),
    ];
    let run = workload(&mut blueprint, &base, "pretrain", gpus, &fields);
    let beside = [
        ("pool", blueprint.to(cpus)),
        ("image", "python:3.12".into()),
        ("launch", command(&["python3", "-c", "print('$(x)')"])),
        ("mounts", list([mount(blueprint.to(base.bucket), "/data")])),
    ];
    blueprint.inside(run, "side_job", "uploader", &beside);
    workload(
        &mut blueprint,
        &base,
        "bandwidth",
        gpus,
        &[("nodes", 2.into()), ("launch", argv("mpirun", &["all_gather_perf", "-b", "8"]))],
    );
    workload(
        &mut blueprint,
        &base,
        "ranks",
        gpus,
        &[("nodes", 2.into()), ("launch", argv("srun", &["python3", "it's.py"]))],
    );
    blueprint
}

/// Two slices of 16 chips.
pub(super) fn tpus(more: Fields<'_>) -> (Blueprint, Base, NounId) {
    let mut blueprint = Blueprint::new();
    let base = base(&mut blueprint);
    let cluster = cluster(&mut blueprint, &base, &[]);
    let mut fields = vec![("topology", topology("4x4")), ("slices", 2.into())];
    fields.extend(more.iter().cloned());
    let pool = pool(&mut blueprint, cluster, "v5e", "ct5lp-hightpu-4t", &fields);
    (blueprint, base, pool)
}
