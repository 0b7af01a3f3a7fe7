//! Facts of images of machines, and of what starts from them: what is older than something needs.

use super::records::OldSoftware;
use super::scripts::SCRIPTS;
use super::{MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, Table, fact, platform};
use crate::NounId;
use crate::catalog::Machine;
use crate::nouns::{
    BootImage, Image, ImageUse, Kind, MachineImage, Machines, Place, Ref, SlurmCluster,
};
use crate::plan::Plan;
use crate::plan::run::packages_of;
use slipform_source::Spanned;
use std::cmp::Ordering;

pub(super) const MACHINE_IMAGE: Table = Table {
    kind: "machine_image",
    platform: None,
    shared: &[MADE, NAME_BUDGET, NAME_CLASH, SHORT_OF_QUOTA, SCRIPTS],
    rows: &[
        &fact("build_machine", |plan, id| Some(Some(plan.machine_image(id)?.machine.name.clone()))),
        &fact("build_platform", |plan, id| {
            Some(Some(platform(&plan.machine_image(id)?.machine).to_owned()))
        }),
        &fact("builds_on_tpu", |plan, id| Some(plan.machine_image(id)?.machine.tpu.is_some())),
        &fact("region", |plan, id| Some(plan.machine_image(id)?.region.clone())),
        &fact("base", |plan, id| {
            let from = image(plan, id)?.from.as_ref();
            Some(from.and_then(|it| it.value.built()).filter(|it| it.id() != id))
        }),
        &fact("circles", |plan, id| {
            image(plan, id)?;
            Some(line(plan, id).skip(1).any(|it| it == id))
        }),
        &fact("without_enroot", without_enroot),
        &fact("without_lustre", without_lustre),
        &fact("package_form", |plan, id| {
            let first = line(plan, id).last().and_then(|it| image(plan, it)?.from.as_ref())?;
            Some(
                first
                    .value
                    .named()
                    .and_then(|name| packages_of(&plan.model.catalog, name))
                    .map(str::to_owned),
            )
        }),
        &fact("too_old", |plan, id| {
            let image = image(plan, id)?;
            let cuda = image.cuda.as_ref().map(|it| it.value.as_str());
            Some(driver_of_cuda(plan, image, cuda).into_iter().collect::<Vec<_>>())
        }),
    ],
};

/// An image and those that it is made of, one after the other; the first again at the end where they go in a circle.
fn line(plan: &Plan, id: NounId) -> impl Iterator<Item = NounId> {
    let from = |it: &Ref<MachineImage>| plan.model.body(*it)?.from.as_ref()?.value.built();
    let all = plan.model.machine_images().count();
    std::iter::successors(Some(Ref::to(id)), from).take(all + 1).map(|it| it.id())
}

/// Of an image that is somebody's, or is made of such a one, nobody knows what is on it.
fn without_enroot(plan: &Plan, id: NounId) -> Option<bool> {
    let known = &plan.model.catalog.limits().machine_image;
    without(plan, id, &known.enroot_by, &known.enroot_in, |it| it.enroot.is_some())
}

fn without_lustre(plan: &Plan, id: NounId) -> Option<bool> {
    let known = &plan.model.catalog.limits().machine_image;
    without(plan, id, &known.lustre_by, &known.lustre_in, |_| false)
}

/// Whether nothing of the blueprint installs what scripts and packages name so, on top of a public image of a project whose images do not have it.
fn without(
    plan: &Plan,
    id: NounId,
    installed_by: &[String],
    had_in: &[String],
    says: fn(&MachineImage) -> bool,
) -> Option<bool> {
    image(plan, id)?;
    let known = &plan.model.catalog.limits().machine_image;
    let names_it = |text: &String| installed_by.iter().any(|it| text.contains(it));
    let installs = |image: &MachineImage| {
        says(image)
            || image.scripts.values().any(names_it)
            || image.system_packages.iter().any(names_it)
    };
    let mut last = None;
    for image in line(plan, id).filter_map(|it| image(plan, it)) {
        if installs(image) {
            return Some(false);
        }
        last = image.from.as_ref();
    }
    let project = last.and_then(|it| it.value.project());
    let is_among = |all: &[String]| project.is_some_and(|it| all.iter().any(|known| known == it));
    Some(is_among(&known.public_projects) && !is_among(had_in))
}

fn image(plan: &Plan, id: NounId) -> Option<&MachineImage> {
    MachineImage::of(&plan.model.get(id)?.body)
}

/// What a noun says that it starts from; of a partition its cluster's.
fn boot(plan: &Plan, id: NounId) -> Option<Option<&Spanned<BootImage>>> {
    let noun = plan.model.get(id)?;
    let of_machines = Machines::of(&noun.body).map(|it| it.image.as_ref());
    let around = noun.parent.and_then(|parent| plan.model.get(parent));
    let mut clusters = [Some(noun), around].into_iter().flatten();
    let cluster = clusters.find_map(|noun| SlurmCluster::of(&noun.body));
    of_machines.or_else(|| cluster.map(|it| it.image.as_ref()))
}

/// The image of the blueprint that something starts from.
pub(super) fn built_image(plan: &Plan, id: NounId) -> Option<Option<Ref<MachineImage>>> {
    Some(boot(plan, id)?.and_then(|it| it.value.built()))
}

/// What of it is older than a machine needs.
pub(super) fn too_old_for(plan: &Plan, id: NounId, machine: &Machine) -> Option<Vec<OldSoftware>> {
    let Some(image) = built_image(plan, id)? else { return Some(Vec::new()) };
    let image = plan.model.body(image)?;
    let needs = &machine.software;
    let both =
        [("driver", &image.driver, &needs.min_driver), ("CUDA", &image.cuda, &needs.min_cuda)];
    let old = |(what, has, wants): (&str, &Option<Spanned<String>>, &Option<String>)| {
        older(what, has.as_ref()?, wants.as_deref()?, &machine.name)
    };
    Some(both.into_iter().filter_map(old).collect())
}

/// What the nodes of a gang have of it that is older than its containers need.
pub(super) fn too_old_for_containers(plan: &Plan, id: NounId) -> Option<Vec<OldSoftware>> {
    let program = plan.program(id)?;
    let Place::Partition(partition) = program.place.value else { return Some(Vec::new()) };
    let contained = match &program.image {
        ImageUse::Image(_) | ImageUse::String(_) | ImageUse::Squashfs { .. } => true,
        ImageUse::NoContainer => false,
    };
    let image = built_image(plan, partition.id())?.filter(|_| contained);
    let Some(image) = image else { return Some(Vec::new()) };
    let image = plan.model.body(image)?;
    let cuda = container_cuda(plan, &program.image);
    let least = &plan.model.catalog.limits().machine_image.enroot;
    let enroot = image.enroot.as_ref();
    let enroot = enroot.and_then(|has| older("enroot", has, least, "pyxis"));
    Some(driver_of_cuda(plan, image, cuda.as_deref()).into_iter().chain(enroot).collect())
}

/// The CUDA in a container: what its image says, or the name of one does.
fn container_cuda(plan: &Plan, used: &ImageUse) -> Option<String> {
    match used.noun() {
        Some(image) => {
            let image: &Image = plan.model.body(image)?;
            image.cuda.clone().or_else(|| named_cuda(&image.from.value))
        }
        None => named_cuda(used.said()?),
    }
}

/// The CUDA that the name of an image tells: `pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime`, `nvidia/cuda:13.0.1-base-ubuntu24.04`.
pub(super) fn named_cuda(reference: &str) -> Option<String> {
    let (name, tag) = reference.rsplit_once(':')?;
    let said = match tag.split_once("cuda") {
        Some((_, behind)) => behind,
        None if name.ends_with("/cuda") => tag,
        None => return None,
    };
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let (major, behind) = said.split_once('.')?;
    let minor = number(behind);
    (!minor.is_empty() && !major.is_empty() && major == number(major))
        .then(|| format!("{major}.{minor}"))
}

/// The driver of an image, where it is older than a CUDA needs.
fn driver_of_cuda(plan: &Plan, image: &MachineImage, cuda: Option<&str>) -> Option<OldSoftware> {
    let cuda = cuda?;
    let major = cuda.split('.').next().unwrap_or(cuda);
    let least = plan.model.catalog.limits().machine_image.drivers.get(major)?;
    older("driver", image.driver.as_ref()?, least, &format!("CUDA {cuda}"))
}

fn older(what: &str, has: &Spanned<String>, wants: &str, of: &str) -> Option<OldSoftware> {
    is_older(&has.value, wants).then(|| OldSoftware {
        what: what.to_owned(),
        has: has.value.clone(),
        wants: wants.to_owned(),
        of: of.to_owned(),
    })
}

/// Whether a version is older than another, as far as both are said: `550` may be any of that branch.
pub(super) fn is_older(version: &str, than: &str) -> bool {
    let parts =
        |text: &str| -> Vec<u64> { text.split('.').map_while(|part| part.parse().ok()).collect() };
    let both = parts(version).into_iter().zip(parts(than));
    let differs = both.map(|(a, b)| a.cmp(&b)).find(|it| *it != Ordering::Equal);
    differs == Some(Ordering::Less)
}

/// The processor of a machine by its type.
pub(super) fn platform_of(plan: &Plan, machine: &str) -> Option<String> {
    plan.model.catalog.machine(machine).map(|machine| platform(machine).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_far_as_both_are_said() {
        for (version, than, older) in [
            ("525", "550", true),
            ("550", "550.54.14", false),
            ("550.40", "550.54.14", true),
            ("580.95.05", "580", false),
            ("12.10", "12.4", false),
            ("3.0.2", "3.1", true),
        ] {
            assert_eq!(is_older(version, than), older, "{version} {than}");
        }
    }

    #[test]
    fn names_of_images_tell_their_cuda() {
        for (name, cuda) in [
            ("pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime", Some("12.4")),
            ("nvidia/cuda:13.0.1-base-ubuntu24.04", Some("13.0")),
            ("nvcr.io/nvidia/nemo:24.07", None),
            ("registry:5000/cuda", None),
            ("a/cuda-samples:latest", None),
        ] {
            assert_eq!(named_cuda(name).as_deref(), cuda, "{name}");
        }
    }
}
