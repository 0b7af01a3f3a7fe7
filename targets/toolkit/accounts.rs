//! Where a cluster keeps what jobs used: a database of Cloud SQL, or the controller's own.

use super::blueprint::Cluster;
use super::module::Module;
use super::networks;
use crate::document::map;
use slipform_model::nouns::SlurmAccounting;

const ACCOUNTS: &str = "accounts";

/// The database, which nodes and people reach by an address of the cluster's network.
pub(super) fn module(cluster: Cluster<'_>) -> Option<Module> {
    let accounting = cluster.planned.body.accounting.as_ref()?;
    let SlurmAccounting::CloudSql { tier, backups, deletion_protection } = &accounting.value else {
        return None;
    };
    let settings = map()
        .with("sql_instance_name", format!("{}-accounts", cluster.planned.name()))
        .with("tier", tier)
        .with("enable_backups", *backups)
        .with("deletion_protection", *deletion_protection)
        .with("use_psc_connection", true);
    let module = Module::new(ACCOUNTS, "community/modules/database/slurm-cloudsql-federation");
    let module = module.comment(&cluster.planned.noun.origin);
    Some(module.uses([networks::NETWORK.to_owned()]).settings(settings))
}

/// What the controller takes of it.
pub(super) fn id(cluster: Cluster<'_>) -> Option<String> {
    cluster.planned.body.in_cloud_sql().then(|| ACCOUNTS.to_owned())
}
