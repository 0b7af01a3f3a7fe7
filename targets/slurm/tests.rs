//! Blueprints rendered for Slurm: what the scripts say, and what is refused.

use super::{Job, Slurm, TEMPLATES};
use crate::launch::Word;
use crate::shell::tests::words;
use crate::template::HeaderOption;
use crate::testing::{Blueprint, Fields, gib, list, mount, record, seconds, variant};
use crate::{Output, Target};
use proptest::prelude::*;
use slipform_model::{NounId, Value};

/// A cluster with a partition of its own.
struct Site {
    blueprint: Blueprint,
    cluster: NounId,
    partition: NounId,
}

fn site(existing: bool, cluster: Fields<'_>, partition: Fields<'_>) -> Site {
    let mut blueprint = Blueprint::new();
    let kind = "cluster on slurm";
    let cluster = if existing { blueprint.existing(kind, "hpc", cluster) } else { blueprint.noun(kind, "hpc", cluster) };
    let partition = blueprint.inside(cluster, "partition", "gpu", partition);
    Site { blueprint, cluster, partition }
}

fn mega(nodes: i64) -> Site {
    site(true, &[("release", "25.11".into())], &[("machine", "a3-megagpu-8g".into()), ("nodes", nodes.into())])
}

impl Site {
    fn workload(&mut self, fields: Fields<'_>) -> NounId {
        let mut all = vec![("place", self.blueprint.to(self.partition)), ("image", variant("string", &[]))];
        all[1].1 = "nvcr.io/nvidia/nemo:24.07".into();
        all.extend(fields.iter().cloned());
        self.blueprint.noun("workload", "pretrain", &all)
    }

    fn render(self) -> Output {
        let mut out = Output::default();
        Slurm.render(&self.blueprint.plan(), &mut out);
        out
    }
}

fn torchrun(args: Fields<'_>) -> Value {
    variant("torchrun", &[("script", "pretrain_gpt.py".into()), ("args", record(args)), ("module", false.into())])
}

fn file<'a>(out: &'a Output, name: &str) -> &'a str {
    let found = out.artifacts.iter().find(|it| it.path.file_name() == Some(name));
    found.map_or_else(|| panic!("no {name}: {:#?}", out.diagnostics), |it| it.content.as_str())
}

#[test]
fn a_training_run() {
    let mut site = mega(32);
    let data = site.blueprint.noun("bucket", "data", &[("location", "us-east4".into())]);
    let data = site.blueprint.to(data);
    site.workload(&[
        ("nodes", 16.into()),
        ("launch", torchrun(&[("max_steps", 10.into()), ("name", "it's".into())])),
        ("mounts", list([mount(data, "/data"), mount(variant("scratch", &[("size", gib(2048))]), "/scratch")])),
        ("env", record(&[("HF_TOKEN", variant("secret", &[("name", "hf-token".into()), ("key", "value".into())]))])),
        ("restarts", 3.into()),
        ("max_run", seconds(259_200)),
    ]);
    let out = site.render();
    for artifact in &out.artifacts { println!("=== {}\n{}", artifact.path, artifact.content); }
    println!("{:#?}", out.diagnostics);
}

#[test]
fn scratch_dump() {
    let Ok(dir) = std::env::var("SLIP_DUMP") else { return };
    let mut site = site(false, &[("release", "22.05".into())], &[("machine", "hgx-h100".into()), ("nodes", 4.into()), ("switch_nodes", 2.into()), ("default", true.into()), ("max_time", seconds(259_200)), ("hosts", "dgx[001-004]".into()), ("first_address", Value::Address("10.0.1.1".parse().unwrap()))]);
    let cpu = site.blueprint.inside(site.cluster, "partition", "prep", &[("machine", "n2-standard-8".into()), ("nodes", 1.into()), ("exclusive", false.into())]);
    let _ = cpu;
    let place = site.blueprint.to(site.partition);
    let scratch = mount(variant("scratch", &[("size", gib(2048))]), "/scratch");
    let argv = list(["python".into(), "train.py".into()]);
    for (name, launch) in [("torch", torchrun(&[("max_steps", 10.into()), ("name", "it's $HOME".into())])), ("ranks", variant("srun", &[("argv", argv.clone()), ("args", record(&[]))])),
        ("mpi", variant("mpirun", &[("argv", argv.clone()), ("args", record(&[]))]))] {
        site.blueprint.noun("workload", name, &[("place", place.clone()), ("image", "nvcr.io/nvidia/nemo:24.07".into()), ("nodes", 2.into()), ("launch", launch), ("restarts", 2.into()), ("max_run", seconds(3600)),
            ("mounts", list([scratch.clone()])), ("env", record(&[("A", "x 'y' $z".into()), ("N", 3.into())])), ("labels", record(&[("team", "a b#c".into())]))]);
    }
    let out = site.render();
    println!("{:#?}", out.diagnostics);
    for artifact in out.artifacts {
        let path = std::path::Path::new(&dir).join(artifact.path.as_str());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, artifact.content).unwrap();
    }
}
