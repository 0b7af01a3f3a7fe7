//! Which runs use the rights that are given here: whoever takes one away has them stop before.

use super::labels::Labels;
use super::root::Root;
use super::{grants, identity, workload_identity};
use crate::Stage;
use slipform_model::NounId;
use slipform_model::plan::Sound;
use std::collections::BTreeMap;

/// The runs that use each right, with the role that each of them needs, by the folder of Terraform and the address in it:
/// `10-foundation/google_storage_bucket_iam_member.data_trainer`. Of a right that is not among them nobody here knows what it is used for;
/// of one without runs it is known that none of them does.
pub fn users_of_grants(plan: Sound<'_>) -> BTreeMap<String, BTreeMap<NounId, String>> {
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
