//! The settings of Slurm's own files that a blueprint may patch: what each takes, and the releases of Slurm that have it.
//!
//! As Slurm's own parsers take them, which were asked in 22.05, 24.11 and 26.05. What came or went between two of these counts for the releases
//! between as well: nothing that may work is refused. What Slurm reads and leaves out is no setting.

use super::sbatch::{Release, release};

/// A file of settings, or a line of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlurmFile {
    /// What patches call it: `slurm_conf`.
    pub document: &'static str,
    /// That without what does not matter in it.
    pub(super) key: &'static str,
    /// What Slurm calls it: `slurm.conf`, and a line of it by its first word.
    pub name: &'static str,
    /// The page that describes it.
    pub(super) page: &'static str,
    table: &'static str,
}

/// Every file, and lines that are of nodes.
pub const FILES: [SlurmFile; 4] = [
    SlurmFile {
        document: "slurm_conf",
        key: "slurmconf",
        name: "slurm.conf",
        page: "slurm.conf",
        table: include_str!("slurm_conf.tsv"),
    },
    SlurmFile {
        document: "cgroup_conf",
        key: "cgroupconf",
        name: "cgroup.conf",
        page: "cgroup.conf",
        table: include_str!("cgroup_conf.tsv"),
    },
    SlurmFile {
        document: "partition_line",
        key: "partitionline",
        name: "PartitionName",
        page: "slurm.conf",
        table: include_str!("partition_line.tsv"),
    },
    SlurmFile {
        document: "node_line",
        key: "nodeline",
        name: "NodeName",
        page: "slurm.conf",
        table: include_str!("node_line.tsv"),
    },
];

/// A setting of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlurmSetting {
    /// As Slurm documents it: `MaxJobCount`.
    pub name: &'static str,
    /// What it takes, in the form of shapes.
    pub(super) kind: &'static str,
    /// The first release that may have it, where 22.05 does not.
    pub since: Option<Release>,
    /// The last release that may have it, where 26.05 does not.
    pub until: Option<Release>,
}

/// The file that patches call so.
#[must_use]
pub fn file(document: &str) -> Option<SlurmFile> {
    FILES.into_iter().find(|file| file.document == document)
}

impl SlurmFile {
    /// Every setting, sorted by name.
    pub fn settings(self) -> impl Iterator<Item = SlurmSetting> {
        self.table.lines().filter_map(parse)
    }

    /// The setting of this name.
    #[must_use]
    pub fn setting(self, name: &str) -> Option<SlurmSetting> {
        self.settings().find(|setting| setting.name == name)
    }
}

fn parse(line: &'static str) -> Option<SlurmSetting> {
    let mut cells = line.split('\t');
    let (name, kind) = (cells.next()?, cells.next()?);
    let mut told = || cells.next().and_then(release);
    Some(SlurmSetting { name, kind, since: told(), until: told() })
}
