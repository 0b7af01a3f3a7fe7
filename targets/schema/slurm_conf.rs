//! The settings of `slurm.conf` that are of a whole cluster: what each takes, and the releases of Slurm that have it.
//!
//! As Slurm's own parser takes them, which was asked in 22.05, 24.11 and 26.05. What came or went between two of these counts for the releases
//! between as well: nothing that may work is refused. Nodes, partitions and controllers are no settings.

use super::sbatch::{Release, release};

/// A setting of `slurm.conf`.
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

/// Every setting, sorted by name.
pub fn settings() -> impl Iterator<Item = SlurmSetting> {
    include_str!("slurm_conf.tsv").lines().filter_map(parse)
}

/// The setting of this name.
#[must_use]
pub fn setting(name: &str) -> Option<SlurmSetting> {
    settings().find(|setting| setting.name == name)
}

fn parse(line: &'static str) -> Option<SlurmSetting> {
    let mut cells = line.split('\t');
    let (name, kind) = (cells.next()?, cells.next()?);
    let mut told = || cells.next().and_then(release);
    Some(SlurmSetting { name, kind, since: told(), until: told() })
}
