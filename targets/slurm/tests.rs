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
