//! What containers name to get an image.

use crate::nouns::{Image, ImageUse, PushTo, Ref, Registry};
use crate::plan::Plan;
use crate::plan::names::{Limit, derived, valid};
use crate::{Model, Noun, NounId};
use std::collections::BTreeMap;

/// Stands for the project where the blueprint names none.
const NO_PROJECT: &str = "PROJECT";

pub(crate) fn images(plan: &Plan) -> BTreeMap<NounId, String> {
    plan.model.images().map(|(noun, image)| (noun.id, reference(plan, noun, image))).collect()
}

impl Plan {
    /// The service account that images are built as: one for the blueprint, which writes to the repositories that they
    /// are pushed to. None where nothing is pushed.
    pub fn builder(&self) -> Option<String> {
        let model = &self.model;
        let pushed = model.images().any(|(noun, image)| !noun.existing && image.push_to.is_some());
        pushed.then(|| derived(&model.catalog, Limit::ServiceAccount, &[&model.name, "builds"]))
    }
}

fn reference(plan: &Plan, noun: &Noun, image: &Image) -> String {
    if noun.existing || (image.push_to.is_none() && adds_nothing(image)) {
        return image.from.value.clone();
    }
    let name = valid(&[&noun.name]);
    match image.push_to.as_ref().and_then(|target| repository(plan, &target.value)) {
        Some(repository) => format!("{repository}/{name}:{}", image.tag),
        None => format!("{name}:{}", image.tag),
    }
}

fn adds_nothing(image: &Image) -> bool {
    let steps = [&image.system_packages, &image.packages, &image.run];
    steps.iter().all(|steps| steps.is_empty())
        && image.copy.is_empty()
        && image.env.is_empty()
        && image.workdir.is_none()
}

fn repository(plan: &Plan, target: &PushTo) -> Option<String> {
    match target {
        PushTo::Registry { location, repository } => Some(url(&plan.model, location, repository)),
        PushTo::Noun(id) => registry_url(plan, *id),
    }
}

/// `LOCATION-docker.pkg.dev/PROJECT/NAME` of a registry.
pub(crate) fn registry_url(plan: &Plan, id: Ref<Registry>) -> Option<String> {
    let registry = plan.model.body(id)?;
    Some(url(&plan.model, &registry.location, plan.name(id)?))
}

fn url(model: &Model, location: &str, repository: &str) -> String {
    let project = model.project.as_deref().unwrap_or(NO_PROJECT);
    format!("{location}-docker.pkg.dev/{project}/{repository}")
}

/// The reference behind a use; empty where its noun could not be understood.
pub(crate) fn of_use(plan: &Plan, image: &ImageUse) -> String {
    match image {
        ImageUse::String(reference) => reference.clone(),
        ImageUse::Image(id) => plan.image(*id).cloned().unwrap_or_default(),
    }
}
