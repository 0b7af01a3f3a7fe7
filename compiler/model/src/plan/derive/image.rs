//! What containers name to get an image.

use crate::nouns::{Image, ImageUse, PushTo};
use crate::plan::names::{Limit, derived, valid};
use crate::plan::{Alone, Plan};
use crate::{Noun, NounId};
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
        let parts: Vec<&str> =
            model.prefix.as_deref().into_iter().chain([model.name.as_str(), "builds"]).collect();
        pushed.then(|| derived(&model.catalog, Limit::ServiceAccount, &parts))
    }
}

fn reference(plan: &Plan, noun: &Noun, image: &Image) -> String {
    if noun.existing || (image.push_to.is_none() && adds_nothing(image)) {
        return image.from.value.clone();
    }
    let name = valid(&[&noun.outside.name]);
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
        PushTo::Registry { location, repository } => {
            Some(repository_url(plan.model.project.as_deref(), location, repository))
        }
        PushTo::Noun(id) => Alone::of(plan, id.id())?.registry_url(),
    }
}

/// `LOCATION-docker.pkg.dev/PROJECT/REPOSITORY`.
pub(crate) fn repository_url(project: Option<&str>, location: &str, repository: &str) -> String {
    let project = project.unwrap_or(NO_PROJECT);
    format!("{location}-docker.pkg.dev/{project}/{repository}")
}

/// The reference behind a use; empty where its noun could not be understood.
pub(crate) fn of_use(plan: &Plan, image: &ImageUse) -> String {
    match image.noun() {
        Some(id) => plan.image(id).cloned().unwrap_or_default(),
        None => image.said().unwrap_or_default().to_owned(),
    }
}
