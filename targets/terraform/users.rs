//! Which runs use what Terraform grants.

use super::labels::Labels;
use super::root::Root;
use super::{grants, identity, workload_identity};
use crate::Stage;
use crate::rights::Users;
use slipform_model::plan::Sound;

/// The users of each grant of the foundation, and of what lets accounts of pods act as identities.
pub(crate) fn users_of_grants(plan: Sound<'_>) -> Users {
    let root = Root::new(plan, &Stage::Foundation, None, None);
    let shared = grants::users(&root).into_iter().chain(identity::users(&root));
    let shared = shared.map(|it| (Stage::Foundation, it));
    let bound = workload_identity::users(plan, &Labels::new(plan)).into_iter();
    let all = shared.chain(bound.map(|it| (Stage::WorkloadIdentity, it)));
    let told = all.map(|(stage, (address, runs))| {
        let runs = runs.into_iter().map(|(run, role)| (run, role.to_owned()));
        (format!("{}/{address}", stage.folder()), runs.collect())
    });
    told.collect()
}
