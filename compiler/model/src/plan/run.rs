//! Runs, resolved: what a workload and the jobs beside it start, mount, read and wait for.
//!
//! A run is gangs of equal nodes. The first is the workload's own; a side job is a gang that does not hold the run open.
//! Targets spell gangs and look nothing up: what a mount leads to, who may write there, which root knows a value that
//! comes later, is decided here.

mod later;
mod mount;
mod words;

pub use later::{Later, Root};
pub use mount::{MountPlan, Server, Source};
pub use words::{Env, Launcher, Piece, Variable, Word};

use crate::nouns::ImageUse;
use crate::{Deferred, NounId};
use slipform_source::Spanned;

/// Equal nodes that start together.
#[derive(Clone, PartialEq, Debug)]
pub struct Gang {
    /// The workload, or the side job.
    pub noun: NounId,
    /// The pool, partition or Vertex AI cluster that it names.
    pub place: Spanned<NounId>,
    /// The image as the blueprint says it.
    pub image: ImageUse,
    /// How its processes start.
    pub launcher: Spanned<Launcher>,
    /// The command: for `torchrun` what comes behind the launcher's own options, for `python` the interpreter and its
    /// script, otherwise the command itself.
    pub command: Vec<Word>,
    /// Its variables, in order.
    pub env: Vec<Variable>,
    /// What its processes see of storage.
    pub mounts: Vec<MountPlan>,
    /// The folder that its processes start in.
    pub workdir: Option<String>,
    /// The run is over when it is.
    pub holds_open: bool,
}

impl Gang {
    /// Space on the node's own disks that its mounts ask for.
    pub fn scratch(&self) -> crate::Size {
        let sizes = self.mounts.iter().map(|mount| match mount.source.value {
            Source::Scratch { size } => size.0,
            Source::Bucket { .. } | Source::Share { .. } => 0,
        });
        crate::Size(sizes.fold(0, u64::saturating_add))
    }

    /// The values that its command and its variables take from Terraform, in order, once each.
    pub fn reads(&self) -> Vec<&Later> {
        let variables = self.env.iter().filter_map(|variable| match &variable.value {
            Env::Word(word) => Some(word),
            Env::Secret { .. } => None,
        });
        let mut reads: Vec<&Later> = Vec::new();
        for later in self.command.iter().chain(variables).flat_map(Word::laters) {
            if !reads.contains(&later) {
                reads.push(later);
            }
        }
        reads
    }

    /// The values that its mounts take from Terraform.
    pub(crate) fn mounted(&self) -> impl Iterator<Item = (&Later, slipform_source::Span)> {
        self.mounts.iter().filter_map(|mount| Some((mount.source.value.address()?, mount.span)))
    }
}

impl super::Plan {
    /// The gangs of a workload, its own first; none where the workload could not be understood.
    pub fn gangs(&self, workload: NounId) -> &[Gang] {
        self.gangs.get(&workload).map_or(&[], Vec::as_slice)
    }

    /// Every gang of every workload, with the workload.
    pub fn all_gangs(&self) -> impl Iterator<Item = (NounId, &Gang)> {
        self.gangs.iter().flat_map(|(id, gangs)| gangs.iter().map(|gang| (*id, gang)))
    }

    /// What a deferred value is called, and who knows it.
    pub fn later(&self, value: &Deferred) -> Later {
        Later::of(self, value)
    }

    /// Every value that a root hands on: each that a noun which is made comes to, and of what exists already those that
    /// something reads, with the place of the first reader.
    pub fn handed_on(&self) -> &[(Later, slipform_source::Span)] {
        &self.handed_on
    }
}
