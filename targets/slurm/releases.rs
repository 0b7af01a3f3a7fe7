//! What the release of a cluster does not have yet.

use super::batch::not_of;
use super::cluster::Member;
use crate::Output;
use slipform_model::nouns::{Detection, SlurmCluster};
use slipform_model::plan::{Planned, Sound};
use slipform_source::Span;

/// Says which words of a cluster's partitions its release cannot be told; whether there are any.
pub(super) fn refuse(
    plan: Sound<'_>,
    planned: Planned<'_, SlurmCluster>,
    members: &[Member<'_>],
    out: &mut Output,
) -> bool {
    let facts = plan.catalog().slurm();
    let release = &planned.body.release;
    let has = |what: &str| facts.has(&release.value, what);
    let since = |what: &str| facts.minimums.get(what).map_or("a later one", String::as_str);
    let mut tell = |message: String, help: &str, at: Span| {
        out.diagnostics.push(not_of(planned.body, message, help, at));
    };
    let before = |what: &str, needed: &str| {
        format!("{what} came with Slurm {}, and the cluster has {}", since(needed), release.value)
    };
    let mut refused = false;
    for member in members {
        let detect = member.body.detect.as_ref();
        if let Some(said) = detect.filter(|it| it.value == Detection::Nvidia)
            && !has("detect_nvidia")
        {
            let what = "that nodes find GPUs by the driver alone";
            let help = "write `detect = \"nvml\"`, leave it out, or raise `release` where that is what the cluster has";
            tell(before(what, "detect_nvidia"), help, said.span);
            refused = true;
        }
        let Some(said) = member.body.block_nodes.set() else { continue };
        let help = "leave `block_nodes` out, or raise `release` where that is what the cluster has";
        if !has("topology_block") {
            tell(before("blocks of nodes", "topology_block"), help, said.span);
            refused = true;
        }
    }
    refused
}
