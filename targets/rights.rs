//! Which runs use the rights that are given here: whoever takes one away has them stop before.

use crate::{kubernetes, terraform};
use slipform_model::NounId;
use slipform_model::plan::Sound;
use std::collections::BTreeMap;

/// The runs that use each right, with the role that each of them needs, by the folder and what it is called there:
/// `10-foundation/google_storage_bucket_iam_member.data_trainer`, `40-a3m-queues/ServiceAccount research/trainer`. Of a right that is
/// not among them nobody here knows what it is used for; of one without runs it is known that none of them does.
pub(crate) type Users = BTreeMap<String, BTreeMap<NounId, String>>;

/// The users of every right: of grants of Terraform, and of the accounts that pods have in a cluster.
pub fn users_of_rights(plan: Sound<'_>) -> BTreeMap<String, BTreeMap<NounId, String>> {
    let mut users = terraform::users_of_grants(plan);
    users.extend(kubernetes::cluster::users_of_accounts(plan));
    users
}
