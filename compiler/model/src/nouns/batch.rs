//! What a batch job of Slurm has and no other run.

use super::{Choice, Ref, Workload};
use crate::Duration;
use serde::{Deserialize, Deserializer};
use slipform_source::Spanned;
use std::ops::Deref;
use std::sync::OnceLock;

/// What a workload says as a batch job. Most say nothing, and have what is usual in common: a job takes more than half a kilobyte.
#[derive(Clone, PartialEq, Debug)]
pub struct OfBatch(Kept);

#[derive(Clone, PartialEq, Debug)]
enum Kept {
    Usual(&'static Batch),
    Said(Box<Batch>),
}

impl Deref for OfBatch {
    type Target = Batch;

    fn deref(&self) -> &Batch {
        match &self.0 {
            Kept::Usual(batch) => batch,
            Kept::Said(batch) => batch,
        }
    }
}

impl<'de> Deserialize<'de> for OfBatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        static USUAL: OnceLock<Batch> = OnceLock::new();
        let batch = Batch::deserialize(deserializer)?;
        Ok(Self(match batch.is_usual() {
            true => Kept::Usual(USUAL.get_or_init(|| batch)),
            false => Kept::Said(batch.into()),
        }))
    }
}

/// A job of Slurm besides what any run says.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Batch {
    /// The account that its use is counted for.
    pub account: Option<Spanned<String>>,
    /// Its quality of service.
    pub qos: Option<Spanned<String>>,
    /// The reservation whose nodes it takes.
    pub reservation: Option<Spanned<String>>,
    /// How far behind others it stands.
    pub nice: Spanned<i64>,
    /// Its log.
    pub output: Choice<Spanned<String>>,
    /// What it writes as errors.
    pub error: Option<Spanned<String>>,
    /// Whether lines of its log say whose they are.
    pub label: bool,
    /// Whether each further attempt has a log of its own.
    pub attempt_logs: bool,
    /// The numbers of its runs, where it is an array of them.
    pub array: Option<Spanned<String>>,
    /// What it waits for in the queue.
    pub dependency: Vec<Spanned<Dependency>>,
    /// Whether one of these is enough.
    pub any_dependency: bool,
    /// What its processes get when it is warned.
    pub signal: Signal,
    /// Nodes that stand in one block together.
    pub segment: Choice<Spanned<i64>>,
    /// Leaf switches that its nodes are under at most.
    pub switches: Choice<Spanned<Switches>>,
    /// The order of its ranks.
    pub ranks: Ranks,
    /// The processors that each task runs on.
    pub cpu_bind: Option<Spanned<String>>,
    /// The memory that each task takes.
    pub mem_bind: Option<Spanned<String>>,
    /// The GPUs that each task sees.
    pub gpu_bind: Option<Spanned<String>>,
    /// How its processes find an MPI.
    pub mpi: Choice<Spanned<String>>,
    /// Where images are imported.
    pub import: Import,
    /// Files that are copied to each of its nodes.
    pub stage: Vec<Spanned<Staged>>,
    /// A folder of each node that squashfs files are copied to.
    pub stage_images: Option<Spanned<String>>,
    /// A squashfs file that its container becomes.
    pub save: Option<Spanned<String>>,
    /// Commands on the host that submits it.
    pub login: Vec<Spanned<Vec<String>>>,
}

impl Batch {
    /// The numbers of its runs as they are written, each from one to another.
    pub fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        let array = self.array.as_ref().map_or("", |array| array.value.as_str());
        let (indexes, _) = array.split_once('%').unwrap_or((array, ""));
        indexes.split(',').filter_map(|part| {
            let (span, _) = part.split_once(':').unwrap_or((part, ""));
            let (first, last) = span.split_once('-').unwrap_or((span, span));
            let number = |text: &str| text.parse().unwrap_or(u64::MAX);
            (!span.is_empty()).then(|| (number(first), number(last)))
        })
    }

    /// Whether it says nothing.
    pub fn is_usual(&self) -> bool {
        let Self {
            account: None,
            qos: None,
            reservation: None,
            nice: Spanned { value: 0, .. },
            output: Choice::Auto,
            error: None,
            label: false,
            attempt_logs: false,
            array: None,
            dependency,
            any_dependency: false,
            signal: Signal::Term,
            segment: Choice::Auto,
            switches: Choice::Auto,
            ranks: Ranks::Slurm,
            cpu_bind: None,
            mem_bind: None,
            gpu_bind: None,
            mpi: Choice::Auto,
            import: Import::Submit,
            stage,
            stage_images: None,
            save: None,
            login,
        } = self
        else {
            return false;
        };
        dependency.is_empty() && stage.is_empty() && login.is_empty()
    }
}

/// What a job waits for in the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependency {
    /// The end of a job that went well.
    Afterok {
        /// Which.
        of: AwaitedJob,
    },
    /// The end of a job.
    Afterany {
        /// Which.
        of: AwaitedJob,
    },
    /// The failure of a job.
    Afternotok {
        /// Which.
        of: AwaitedJob,
    },
    /// The good end of the job of the same number in another array.
    Aftercorr {
        /// Which array.
        of: AwaitedJob,
    },
    /// The start of a job.
    After {
        /// Which.
        of: AwaitedJob,
        /// How long ago.
        delay: Duration,
    },
    /// Every other job of its name.
    Singleton,
}

/// A job that another one waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AwaitedJob {
    /// A workload of the blueprint.
    Workload(Ref<Workload>),
    /// Any job.
    Job {
        /// Its number.
        number: i64,
    },
}

impl Dependency {
    /// The job that it waits for; none where that is each of its name.
    pub fn job(self) -> Option<AwaitedJob> {
        match self {
            Self::Afterok { of }
            | Self::Afterany { of }
            | Self::Afternotok { of }
            | Self::Aftercorr { of }
            | Self::After { of, delay: _ } => Some(of),
            Self::Singleton => None,
        }
    }

    /// Whether it waits for an end, and not for a start.
    pub fn awaits_end(self) -> bool {
        match self {
            Self::Afterok { .. }
            | Self::Afterany { .. }
            | Self::Afternotok { .. }
            | Self::Aftercorr { .. } => true,
            Self::After { .. } | Self::Singleton => false,
        }
    }

    /// The workload that it waits for.
    pub fn workload(self) -> Option<Ref<Workload>> {
        match self.job()? {
            AwaitedJob::Workload(workload) => Some(workload),
            AwaitedJob::Job { number: _ } => None,
        }
    }
}

/// A signal that programs may take as a word to write a checkpoint and end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// The usual one.
    Term,
    /// As from a keyboard.
    Int,
    /// A terminal has gone.
    Hup,
    /// As from a keyboard, with a core.
    Quit,
    /// A program's own.
    Usr1,
    /// Another one.
    Usr2,
}

impl Signal {
    /// Without `SIG`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "TERM",
            Self::Int => "INT",
            Self::Hup => "HUP",
            Self::Quit => "QUIT",
            Self::Usr1 => "USR1",
            Self::Usr2 => "USR2",
        }
    }
}

/// Leaf switches that nodes are under.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switches {
    /// At most so many.
    Switches {
        /// How many.
        count: i64,
        /// How long a job waits for them.
        wait: Choice<Duration>,
    },
}

/// The order of ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranks {
    /// That of Slurm's nodes.
    Slurm,
    /// That of the machines which hold the nodes.
    PhysicalHost,
}

/// Where images are imported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Import {
    /// Before the job is submitted.
    Submit,
    /// By the job, on its first node.
    Job,
}

/// A file that each node gets.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staged {
    /// A copy.
    Staged {
        /// Where it is.
        from: String,
        /// Where each node has it.
        to: String,
    },
}
