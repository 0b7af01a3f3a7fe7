//! From a model to its plan, noun by noun: each step reads what the steps before it found.

use super::of_nouns::OfNouns;
use super::{Plan, Run};
use crate::graph::{Admission, Graph};
use crate::{Model, NounId};
use std::collections::BTreeMap;

mod allocatable;
mod apart;
mod beyond;
mod blocks;
mod cel;
mod checks;
mod cluster;
mod cohorts;
mod command;
mod counted;
mod deal;
mod fit;
mod footprint;
mod gang;
mod handing;
mod hosts;
mod image;
mod lasting;
mod levels;
mod machine_image;
mod machines;
mod naming;
mod network;
mod nodeset;
mod place;
mod pool;
mod program;
mod queue;
mod reservation;
mod said;
mod shape;
mod shortage;
mod site;
mod slicing;
mod system;
mod vertex;
mod workload;

pub(super) use apart::{overbooked, stranded};
pub(super) use beyond::{starved, unclaimed, uncounted};
pub(super) use blocks::without_blocks;
pub(super) use cel::is_expression;
pub(super) use checks::{Long, check_clash, clashing_checks, long_checks};
pub(super) use counted::{counted_by_workers, covers, overlent_others};
pub(super) use footprint::{footprint, in_gib};
pub use hosts::host_list;
pub(super) use image::repository_url;
pub use lasting::{Guest, Shared, WORKLOAD_IDENTITY_ROLE};
pub(super) use levels::{level_words, room as room_of_level};
pub(super) use naming::{account_address, name as own_name};
pub(super) use network::{addresses, free_addresses, fullest, node_block, subnet_addresses};
pub(super) use nodeset::set_name;
pub(super) use pool::{capacity_model, mig_parts, usual_pods};
pub(super) use program::mounts_unread;
pub(super) use queue::{blurred, disputed, disputed_classes, most_told, overdrawn, overlent};
pub use reservation::Taken;
pub(super) use reservation::Taker;
pub(super) use shortage::{Shortage, cramped, grantable, raised_quota, rival, stranger, unserved};
pub(super) use slicing::{shapes, slicing_version};
pub(super) use workload::model_parallel;

impl Plan {
    /// Everything that follows from a model. A noun that could not be understood, and one whose machine the catalog
    /// does not know, has no entry; nothing here fails or judges.
    pub fn new(model: Model) -> Self {
        let graph = Graph::new(&model);
        let queues = Admission::new(&model);
        let children = children(&model);
        let mut plan = Self {
            model,
            graph,
            networks: BTreeMap::new(),
            clusters: BTreeMap::new(),
            pools: BTreeMap::new(),
            slurm_clusters: BTreeMap::new(),
            partitions: BTreeMap::new(),
            machines: BTreeMap::new(),
            queues: BTreeMap::new(),
            vertex_clusters: BTreeMap::new(),
            short_of_quota: BTreeMap::new(),
            workloads: OfNouns::default(),
            on_pools: BTreeMap::new(),
            programs: OfNouns::default(),
            command_lines: OfNouns::default(),
            handed_on: Vec::new(),
            images: BTreeMap::new(),
            machine_images: BTreeMap::new(),
            names: BTreeMap::new(),
            clashes: BTreeMap::new(),
            shared_folders: Default::default(),
            asked_together: BTreeMap::new(),
            placed: BTreeMap::new(),
            specs: BTreeMap::new(),
            children,
            outputs: Vec::new(),
        };
        plan.names = naming::names(&plan);
        plan.programs = program::programs(&plan);
        plan.networks = network::networks(&plan);
        let (clusters, networks) = cluster::clusters(&plan);
        plan.clusters = clusters;
        plan.pools = pool::pools(&plan, networks);
        (plan.slurm_clusters, plan.partitions) = hosts::clusters(&plan);
        plan.machines = machines::machines(&plan);
        plan.handed_on = program::handed_on(&plan);
        plan.vertex_clusters = place::vertex(&plan);
        plan.images = image::images(&plan);
        plan.machine_images = machine_image::machine_images(&plan);
        plan.placed = levels::placed(&plan);
        plan.workloads = workload::workloads(&plan, &queues);
        plan.on_pools = workload::on_pools(&plan);
        plan.command_lines = command::command_lines(&plan);
        plan.queues = queue::queues(&plan, None);
        let running = running(&plan);
        plan.names.extend(running);
        cluster::add_use(&mut plan);
        plan.clashes = naming::clashes(&plan);
        plan.shared_folders = super::facts::shared_folders(&plan);
        plan.asked_together = super::facts::asked_together(&plan);
        plan.specs = super::facts::specs(&plan);
        plan.short_of_quota = super::quotas::short(&plan);
        plan
    }
}

/// What runs and their groups are called.
fn running(plan: &Plan) -> Vec<(NounId, String)> {
    let jobs = |run: &Run| {
        let gangs = run.groups().iter();
        gangs.map(|it| (it.program.noun, it.role.clone())).collect::<Vec<_>>()
    };
    let all = plan.workloads();
    all.flat_map(|(id, run)| std::iter::once((id, run.name.clone())).chain(jobs(run))).collect()
}

fn children(model: &Model) -> BTreeMap<NounId, Vec<NounId>> {
    let mut children: BTreeMap<NounId, Vec<NounId>> = BTreeMap::new();
    for noun in &model.nouns {
        if let Some(parent) = noun.parent {
            children.entry(parent).or_default().push(noun.id);
        }
    }
    children
}

/// How many parts of `size` hold `all`; neither is negative.
fn parts(all: i64, size: i64) -> i64 {
    let size = size.max(1);
    let all = all.max(0);
    all / size + i64::from(all % size > 0)
}
