//! What is taken of the quotas of a project once everything is there, as the page lists it.

use serde::Serialize;
use slipform_model::plan::Sound;

/// A quota, and what is taken of it.
#[derive(Serialize)]
pub(super) struct Quota {
    name: String,
    dimension: Option<String>,
    region: String,
    amount: u64,
    /// What all jobs take that come and go, where that is more than the largest of them.
    together: Option<u64>,
}

/// The quotas that are taken of.
pub(super) fn of(plan: Sound<'_>) -> Vec<Quota> {
    let quotas = plan.quotas();
    let together = quotas.taken_together();
    let rows = quotas.taken().into_iter().map(|(quota, amount)| Quota {
        name: quota.name.clone(),
        dimension: quota.dimension.clone(),
        region: quota.region.clone(),
        amount: amount.most,
        together: together.get(quota).map(|it| it.most).filter(|it| *it > amount.most),
    });
    rows.collect()
}
