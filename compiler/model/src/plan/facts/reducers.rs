//! Facts of Reduction Servers.

use super::cluster::not_offered;
use super::records::Reducers;
use super::told::Plugin;
use crate::NounId;
use crate::nouns::ImageUse;
use crate::plan::{Env, Gang, Piece, Plan, Site, Word};

/// The Reduction Server of a workload on Vertex AI.
pub(super) fn reducers(plan: &Plan, id: NounId) -> Option<Option<Reducers>> {
    let run = plan.workload(id)?;
    let reducers = match &run.site {
        Site::Vertex(site) => site.reducers.as_ref(),
        Site::Gke(_) | Site::Slurm(_) => None,
    };
    Some(reducers.map(|it| Reducers {
        nodes: it.nodes,
        needed: it.needed,
        egress: it.egress,
        trainers: it.trainers,
        machine: it.machine.name.clone(),
        accelerated: it.machine.accelerator.is_some() || it.machine.tpu.is_some(),
        trainable: it.machine.vertex.training && !not_offered(plan, &it.machine),
        tier_1: it.machine.network.tier1_gbps.map(i64::from),
        fusion: fusion(run.lead()),
        bucket: bucket(run.lead()),
        pointless: pointless(plan, run.lead()),
        plugin: plugin(plan, run.lead()),
    }))
}

/// GPUs of a gang that reach each other faster by themselves.
fn pointless(plan: &Plan, gang: &Gang) -> Option<String> {
    let machines = plan.vertex(gang.program.place.value.id())?;
    let gpus = machines.machine.vertex.accelerator_type.as_ref()?;
    plan.model.catalog.vertex().reduction_server_pointless.contains(gpus).then(|| gpus.clone())
}

/// What Horovod sends at once, as far as a variable says it.
fn fusion(gang: &Gang) -> Option<i64> {
    let said = gang.program.env.iter().find(|it| it.name == "HOROVOD_FUSION_THRESHOLD")?;
    match &said.value {
        Env::Word(word) => number(word),
        Env::Secret { .. } => None,
    }
}

/// The size of PyTorch's buckets, as far as an option says it.
fn bucket(gang: &Gang) -> Option<i64> {
    let said = |text: &str| {
        let (name, size) = text.split_once('=')?;
        let name = name.trim_start_matches('-').replace('-', "_");
        (name == "bucket_cap_mb").then(|| size.parse().ok())?
    };
    gang.program.texts().find_map(said)
}

fn number(word: &Word) -> Option<i64> {
    match word.0.as_slice() {
        [Piece::Text(text)] => text.parse().ok(),
        _ => None,
    }
}

/// Whether the image of a gang holds what speaks to the server: what is built here does, and so do Google's prebuilt images from
/// some version of their framework on.
fn plugin(plan: &Plan, gang: &Gang) -> Plugin {
    if let ImageUse::Image(image) = gang.program.image
        && plan.model.body(image).is_some_and(|image| image.push_to.is_some())
        && plan.model.get(image.id()).is_some_and(|noun| !noun.existing)
    {
        return Plugin::There;
    }
    let facts = plan.model.catalog.vertex();
    let prebuilt = gang.image.split_once(&facts.prebuilt_images).map(|(_, name)| name);
    let Some((framework, version)) = prebuilt.and_then(prebuilt_of) else { return Plugin::Unknown };
    let Some(least) = facts.reduction_server_min.get(framework) else { return Plugin::Unknown };
    match (numbers(version), numbers(least)) {
        (Some(version), Some(least)) if version >= least => Plugin::There,
        (Some(_), Some(_)) => Plugin::Missing,
        _ => Plugin::Unknown,
    }
}

/// The framework of a prebuilt image and its version: `tf-gpu.2-12.py310:latest`.
fn prebuilt_of(name: &str) -> Option<(&'static str, &str)> {
    let (of, rest) = name.split_once('.')?;
    let version = rest.split(['.', ':', '@']).next()?;
    let framework = match of.split('-').next()? {
        "tf" | "tf2" => "tensorflow",
        "pytorch" => "pytorch",
        _ => return None,
    };
    Some((framework, version))
}

/// `2-12` and `2.12` alike.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split(['-', '.']).map(|part| part.parse().ok()).collect()
}
