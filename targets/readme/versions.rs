//! Models of Vertex AI that one job makes and others make versions of.

use slipform_model::nouns::{ModelUpload, Workload};
use slipform_model::plan::{Planned, Site, Sound};

/// The job that makes the model which another one makes a version of; none where the model is of elsewhere.
pub(super) fn maker<'a>(
    plan: Sound<'a>,
    jobs: &[Planned<'a, Workload>],
    version: Planned<'a, Workload>,
) -> Option<&'a str> {
    let ModelUpload::Upload { parent, .. } = &version.body.upload.as_ref()?.value;
    let parts: Vec<&str> = parent.as_deref()?.split('/').collect();
    let (region, model) = match parts[..] {
        ["projects", _, "locations", region, "models", model] => (region, model),
        [model] => (region(plan, version)?, model),
        _ => return None,
    };
    let mut makers = jobs.iter().filter(|it| self::region(plan, **it) == Some(region));
    makers.find(|it| made(it.body) == Some(model)).map(|it| it.plan.name.as_str())
}

fn region<'a>(plan: Sound<'a>, job: Planned<'a, Workload>) -> Option<&'a str> {
    match &job.plan.site {
        Site::Vertex(site) => Some(&plan.get(site.cluster).body.region.value),
        Site::Gke(_) | Site::Slurm(_) => None,
    }
}

/// The id of the model that a job makes, where the blueprint chooses it.
pub(super) fn made(workload: &Workload) -> Option<&str> {
    let ModelUpload::Upload { id, .. } = &workload.upload.as_ref()?.value;
    id.as_deref()
}
