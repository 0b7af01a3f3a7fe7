//! Images of machines: what they are built on, and by whom.

use super::place::boot_disk;
use crate::catalog::region_of;
use crate::nouns::{BootImage, MachineImage, Ref};
use crate::plan::{ImageBuilder, MachineImagePlan, Plan};
use crate::{Noun, NounId};
use slipform_source::Spanned;
use std::collections::BTreeMap;

pub(crate) fn machine_images(plan: &Plan) -> BTreeMap<NounId, MachineImagePlan> {
    let all = plan.model.machine_images();
    all.filter_map(|(noun, body)| Some((noun.id, of_image(plan, noun, body)?))).collect()
}

fn of_image(plan: &Plan, noun: &Noun, body: &MachineImage) -> Option<MachineImagePlan> {
    let catalog = &*plan.model.catalog;
    let usual = catalog.limits().machine_image.machines.get(&body.platform);
    let machine = body.machine.set().map(|it| &it.value).or(usual)?;
    let machine = catalog.machine(machine)?;
    let zone = body.zone.as_ref().map(|zone| zone.value.as_str());
    Some(MachineImagePlan {
        disk: boot_disk(None, &machine.disk.boot),
        machine: machine.clone(),
        region: zone.and_then(region_of).map(str::to_owned),
        builder: builder(plan, noun.id),
    })
}

/// Cluster Toolkit builds what one of its clusters starts from, and nothing else.
fn builder(plan: &Plan, image: NounId) -> ImageBuilder {
    let is = |from: Option<&Spanned<BootImage>>| {
        from.and_then(|it| it.value.built()).is_some_and(|it: Ref<MachineImage>| it.id() == image)
    };
    let model = &plan.model;
    let elsewhere = model.machines().any(|(_, body)| is(body.image.as_ref()))
        || model.machine_images().any(|(_, body)| is(body.from.as_ref()));
    let mut clusters = model.slurm_clusters().filter(|(_, body)| is(body.image.as_ref()));
    match (clusters.next(), clusters.next()) {
        (Some((cluster, _)), None) if !elsewhere && is_made(plan, cluster) => {
            ImageBuilder::Toolkit(Ref::to(cluster.id))
        }
        _ => ImageBuilder::Packer,
    }
}

fn is_made(plan: &Plan, cluster: &Noun) -> bool {
    !cluster.existing && plan.slurm(cluster.id).is_some_and(|it| it.cloud.is_some())
}
