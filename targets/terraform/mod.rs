//! Terraform: one root for what outlives clusters (`10-foundation`), one for each GKE cluster (`30-<cluster>`).
//!
//! A root stands alone: what another one makes is read by its name, so each can be planned, applied and destroyed by
//! itself, in the order of its number. Every block names the line of the blueprint that asked for it. Bindings of
//! roles are additive only, repeated resources have keys that survive a change of their number, and nothing is
//! written that belongs into a cluster (see `crate::kubernetes`) or into a lock file.
//!
//! What it does not do: judge the blueprint, which rules do before; make anything that is `existing`.

mod accounts;
mod capacity;
mod cluster;
mod data_networks;
mod foundation;
mod grants;
mod identity;
mod labels;
mod names;
mod network;
mod node_config;
mod node_pool;
mod outputs;
mod patch;
mod registry;
mod root;
mod services;
mod storage;
#[cfg(test)]
mod tests;
mod variables;

pub use outputs::output_stage;

use crate::{Output, Target};
use slipform_model::plan::Plan;

/// Everything on Google Cloud that Terraform keeps.
pub struct Terraform;

impl Target for Terraform {
    fn name(&self) -> &'static str {
        "terraform"
    }

    fn about(&self) -> &'static str {
        "Terraform roots for networks, storage, registries, identities and GKE clusters"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        patch::DOCUMENTS
    }

    fn render(&self, plan: &Plan, out: &mut Output) {
        patch::refuse_rest(&plan.model, out);
        foundation::render(plan, out);
        for (noun, body) in plan.model.gke_clusters().filter(|(noun, _)| !noun.existing) {
            cluster::render(plan, noun, body, out);
        }
    }
}
