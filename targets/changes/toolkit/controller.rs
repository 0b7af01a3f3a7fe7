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
macro_rules! unnumbered {
    () => {
        "sudo rm -f \"$(sudo sed -n s/^StateSaveLocation=//p /etc/slurm/slurm.conf)\"/clustername"
    };
}
macro_rules! with_its_number {
    ($does:expr) => {
        concat!(
            "sudo systemctl stop slurmctld slurmdbd; ",
            $does,
            " && sudo systemctl start slurmdbd && ",
            unnumbered!(),
            " && sudo systemctl start slurmctld"
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

/// Where there is another database, slurmctld ends on what it saved.
const UNNUMBERED: &str = concat!("sudo systemctl stop slurmctld && ", unnumbered!());

/// slurm-gcp calls its own so (`conf.py`: `install_slurmdbd_conf`).
const DUMPED_THERE: &str =
    "sudo systemctl stop slurmdbd && sudo mysqldump --single-transaction slurm_acct_db";

/// What it has besides, as long as slurmdbd goes on: its tables as they are at one time.
const DUMPED_AS_IT_GOES: &str = "sudo mysqldump --single-transaction slurm_acct_db";

/// When that is kept of which nobody knows whether it goes.
pub(crate) const PERHAPS: &str = "before it is deployed, for the case that Terraform says then that the controller must be replaced";

/// How files end that what it holds is saved in, behind the name of its cluster.
pub(crate) const SAVED: [&str; 4] = ["-home.tgz", "-apps.tgz", "-state.tgz", "-slurm_acct.sql"];
const SAVED_PERHAPS: [&str; 3] = ["-home.tgz", "-apps.tgz", "-slurm_acct.sql"];

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

    /// What its cluster is called.
    pub(super) fn name(&self) -> &str {
        &self.cluster
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

    /// Those of the controller that the cluster had then.
    pub(super) fn homes_back(&self, from: &str) -> String {
        let there = self.there("sudo tar --extract --gzip --directory=/");
        format!("{there} <{from}-home.tgz  # here, minutes after it is deployed")
    }

    /// What it shares besides, where nothing else is mounted.
    pub(super) fn apps_kept(&self) -> String {
        let there = self.there("sudo tar --create --gzip --directory=/ opt/apps");
        format!("{there} >{}-apps.tgz  # here, before its disk goes", self.cluster)
    }

    /// What an image brings is not written over.
    pub(super) fn apps_back(&self, from: &str) -> String {
        let there = self.there("sudo tar --extract --gzip --skip-old-files --directory=/");
        format!(
            "{there} <{from}-apps.tgz  # here, minutes after it is deployed: what is there already stays as it is"
        )
    }

    /// All that controllers know of jobs, once none of them writes it.
    pub(super) fn state_kept(&self) -> String {
        let there = self.there("sudo tar --create --gzip --directory=/var/spool slurm");
        format!("{there} >{}-state.tgz  # here, once slurmctld is stopped on each", self.cluster)
    }

    /// That, where another filesystem is mounted for it.
    pub(super) fn state_back(&self, from: &str, when: &str) -> String {
        let there = self.there("sudo tar --extract --gzip --directory=/var/spool");
        format!("{there} <{from}-state.tgz  # here, {when}")
    }

    /// What it saved of jobs, without the number of a database that the next one does not have: that would not start on it, and not set all of itself up.
    pub(super) fn unnumbered(&self) -> String {
        let there = self.there(UNNUMBERED);
        format!(
            "{there}  # here, behind the last of these of {}: the next one starts on what this one saved of jobs, by whichever database is there",
            self.cluster
        )
    }

    /// What is in its database, of Cloud SQL or on its own disk.
    pub(super) fn dumped(&self, in_cloud: bool) -> String {
        let dumped = by_slurmdbd!("mysqldump --single-transaction --no-tablespaces");
        let there = self.there(if in_cloud { dumped } else { DUMPED_THERE });
        format!("{there} >{}-slurm_acct.sql  # here, before it is destroyed", self.cluster)
    }

    /// That, where the database is another one of Cloud SQL, or the controller's own.
    /// Tables of a cluster have its name, and so has the row that says which clusters there are.
    pub(super) fn filled(&self, in_cloud: bool, from: &str) -> String {
        let there = self.there(if in_cloud { FILLED } else { FILLED_THERE });
        let (then, when) = (&self.cluster, "# here, minutes after it is deployed");
        match then == from {
            true => format!("{there} <{from}-slurm_acct.sql  {when}"),
            false => format!(
                "sed \"s/\\`{from}_/\\`{then}_/g; /INSERT INTO .cluster_table./,/;$/s/'{from}'/'{then}'/g\" {from}-slurm_acct.sql | {there}  {when}"
            ),
        }
    }

    /// The folders of people, what it shares besides, and what is in its database, each where it lies on its disk: nothing is stopped for that.
    pub(super) fn kept_perhaps(&self, each: [bool; 3]) -> Vec<String> {
        let [homes, apps, accounts] = SAVED_PERHAPS;
        let folder = "sudo tar --create --gzip --directory=/";
        let does = [
            (homes, format!("{folder} home")),
            (apps, format!("{folder} opt/apps")),
            (accounts, DUMPED_AS_IT_GOES.to_owned()),
        ];
        let found = self.found(&format!("the controller, {PERHAPS}"));
        let kept =
            does.iter().zip(each).filter(|(_, is_there)| *is_there).map(|((end, does), _)| {
                format!("{} >{}{end}  # here, {PERHAPS}", self.there(does), self.cluster)
            });
        std::iter::once(found).filter(|_| each.contains(&true)).chain(kept).collect()
    }

    /// By way of IAP, which alone reaches hosts, also such as have an address of their own.
    fn there(&self, does: &str) -> String {
        let project = &self.project;
        format!(
            "gcloud compute ssh \"${{CONTROLLER:?}}\"{project} --zone=\"${{ZONE:?}}\" --tunnel-through-iap --command='{does}'"
        )
    }
}

/// Which controller is meant.
pub(super) const FORMER: &str = "the controller, before it goes";
pub(super) const NEXT: &str = "the controller, minutes after it is deployed";
