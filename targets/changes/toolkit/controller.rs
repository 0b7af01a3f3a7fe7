//! What lies on the disk of a controller, or is reached from there alone, and is taken along where that goes: by way of the host that deploys it.

use super::blueprint::Blueprint;
use super::commands::variable;
use super::mounted::is_plain;
use std::collections::BTreeMap;

/// slurm-gcp writes down where the database of Cloud SQL is, and with which words it opens (`slurmdbd.conf.tpl`), each as a shell reads it.
macro_rules! by_slurmdbd {
    ($does:literal) => {
        concat!(
            "sudo systemctl stop slurmdbd; eval \"$(sudo grep ^Storage /etc/slurm/slurmdbd.conf)\"; ",
            $does,
            " --host=\"$StorageHost\" --port=\"$StoragePort\" --user=\"$StorageUser\" --password=\"$StoragePass\" \"$StorageLoc\""
        )
    };
}

/// What slurmctld saved has the number of the database that it began with, and it ends where another one says another (`CLUSTER ID MISMATCH`): without that
/// it takes what the database says, and jobs go on.
macro_rules! with_its_number {
    ($does:expr) => {
        concat!(
            "sudo systemctl stop slurmctld slurmdbd; ",
            $does,
            " && sudo systemctl start slurmdbd && sudo rm -f \"$(sudo sed -n s/^StateSaveLocation=//p /etc/slurm/slurm.conf)\"/clustername && sudo systemctl start slurmctld"
        )
    };
}

/// The controller sets its own database up when it is made, and where there is another one it does not (`setup.py`: `configure_mysql`). MySQL has
/// an order of letters that MariaDB does not know.
const FILLED_THERE: &str = with_its_number!(concat!(
    "sudo systemctl enable --now mariadb && sudo mysql --execute \"CREATE DATABASE IF NOT EXISTS slurm_acct_db; CREATE USER IF NOT EXISTS slurm@localhost; GRANT ALL ON slurm_acct_db.* TO slurm@localhost\" && ",
    "sed s/utf8mb4_0900_ai_ci/utf8mb4_general_ci/g | sudo mysql slurm_acct_db"
));
const FILLED: &str = with_its_number!(by_slurmdbd!("mysql"));

/// slurm-gcp calls its own so (`conf.py`: `install_slurmdbd_conf`).
const DUMPED_THERE: &str =
    "sudo systemctl stop slurmdbd && sudo mysqldump --single-transaction slurm_acct_db";

/// A controller of one side.
pub(super) struct Controller {
    cluster: String,
    /// The option that says whose it is.
    project: String,
}

impl Controller {
    pub(super) fn of(blueprint: &Blueprint, files: &BTreeMap<&str, &str>) -> Self {
        let project = variable(files, "project_id").filter(|it| is_plain(it));
        Self {
            cluster: blueprint.cluster().to_owned(),
            project: project.map(|it| format!(" --project={it}")).unwrap_or_default(),
        }
    }

    /// What finds it for the commands behind this.
    pub(super) fn found(&self, which: &str) -> String {
        let Self { cluster, project } = self;
        format!(
            "read -r CONTROLLER ZONE <<<\"$(gcloud compute instances list{project} --filter='labels.slurm_cluster_name={cluster} AND labels.slurm_instance_role=controller AND status=RUNNING' --format='value(name, zone.basename())' --limit=1)\"  # here: {which}"
        )
    }

    /// The folders of people.
    pub(super) fn homes_kept(&self) -> String {
        let there = self.there("sudo tar --create --gzip --directory=/ home");
        format!(
            "{there} >{}-home.tgz  # here, before its disk goes, where `df -h .` has room for it: `sudo du -sh /home` there says how much",
            self.cluster
        )
    }

    pub(super) fn homes_back(&self) -> String {
        let there = self.there("sudo tar --extract --gzip --directory=/");
        format!("{there} <{}-home.tgz  # here, minutes after it is deployed", self.cluster)
    }

    /// What is in its database, of Cloud SQL or on its own disk.
    pub(super) fn dumped(&self, in_cloud: bool) -> String {
        let dumped = by_slurmdbd!("mysqldump --single-transaction --no-tablespaces");
        let there = self.there(if in_cloud { dumped } else { DUMPED_THERE });
        format!("{there} >{}-slurm_acct.sql  # here, before it is destroyed", self.cluster)
    }

    /// That, where the database is another one of Cloud SQL, or the controller's own.
    pub(super) fn filled(&self, in_cloud: bool) -> String {
        let there = self.there(if in_cloud { FILLED } else { FILLED_THERE });
        format!("{there} <{}-slurm_acct.sql  # here, minutes after it is deployed", self.cluster)
    }

    fn there(&self, does: &str) -> String {
        let project = &self.project;
        format!(
            "gcloud compute ssh \"${{CONTROLLER:?}}\"{project} --zone=\"${{ZONE:?}}\" --command='{does}'"
        )
    }
}

/// Which controller is meant.
pub(super) const FORMER: &str = "the controller, before it goes";
pub(super) const NEXT: &str = "the controller, minutes after it is deployed";
