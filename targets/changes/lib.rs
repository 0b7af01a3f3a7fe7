//! What becomes of what runs when one output takes the place of another: told from the files alone, by what the consumers
//! document of changes.
//!
//! Both sides are read with the consumers' own grammars, so that a comment or an order that means nothing is no change.
//! Terraform's resources are taken instance by instance, with their locals and variables put in; objects of Kubernetes by
//! kind, namespace and name; other files by their lines. What nobody knows the effect of *may replace*, and is never said to be in place.

mod files;
mod kubernetes;
mod terraform;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

pub use tree::Detail;

/// A file of an output.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Where it lies in the output: `30-a3m/cluster.tf`.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// Which grammar a file is read by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grammar {
    Terraform,
    Kubernetes,
    /// Scripts, configuration of Slurm, requests, images, pages: by their lines.
    Lines,
}

impl File<'_> {
    fn grammar(&self) -> Grammar {
        match self.path.rsplit_once('.').map(|(_, end)| end) {
            Some("tf" | "tfvars") => Grammar::Terraform,
            Some("yaml") if !self.path.ends_with("cloudbuild.yaml") => Grammar::Kubernetes,
            _ => Grammar::Lines,
        }
    }
}

/// `cluster.tf` of `30-a3m/cluster.tf`.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What applying a change does, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Effect {
    /// What is stored is gone.
    DestroysData,
    /// Something is destroyed, and made anew where it still stands in the output. What runs there ends.
    Replaces,
    /// Nobody knows: it is to be feared.
    MayReplace,
    /// Nodes or pods start anew.
    Restarts,
    /// The consumer refuses to change it: commands have to be given.
    ByHand,
    /// What runs goes on, and changes.
    InPlace,
    /// What is started from now on is another.
    NextStart,
    /// Something is made that was not there.
    Adds,
    /// Only words for people are others.
    Nothing,
}

impl Effect {
    /// All of them, the worst first.
    pub const ALL: [Self; 9] = [
        Self::DestroysData,
        Self::Replaces,
        Self::MayReplace,
        Self::Restarts,
        Self::ByHand,
        Self::InPlace,
        Self::NextStart,
        Self::Adds,
        Self::Nothing,
    ];

    /// As the command line names it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DestroysData => "destroy",
            Self::Replaces => "replace",
            Self::MayReplace => "may-replace",
            Self::Restarts => "restart",
            Self::ByHand => "by-hand",
            Self::InPlace => "in-place",
            Self::NextStart => "next-start",
            Self::Adds => "add",
            Self::Nothing => "nothing",
        }
    }

    /// What a noun allows of which such a change is meant; what harms nothing need not be.
    pub const fn allowance(self) -> Option<&'static str> {
        match self {
            Self::DestroysData => Some("change/destroy"),
            Self::Replaces => Some("change/replace"),
            Self::MayReplace => Some("change/may-replace"),
            Self::Restarts => Some("change/restart"),
            Self::ByHand => Some("change/by-hand"),
            Self::InPlace | Self::NextStart | Self::Adds | Self::Nothing => None,
        }
    }

    /// As a sentence says it.
    pub const fn said(self) -> &'static str {
        match self {
            Self::DestroysData => "destroys data",
            Self::Replaces => "replaces",
            Self::MayReplace => "may replace",
            Self::Restarts => "restarts",
            Self::ByHand => "needs commands",
            Self::InPlace => "in place",
            Self::NextStart => "from the next start on",
            Self::Adds => "adds",
            Self::Nothing => "changes nothing",
        }
    }
}

/// What becomes of one thing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// What applying it does.
    pub effect: Effect,
    /// The folder of the output that it is part of; empty for the output itself.
    pub root: String,
    /// The file that it stands in, or stood.
    pub file: String,
    /// `google_container_node_pool.gpus`, `JobSet research/pretrain`, or the file's name.
    pub thing: String,
    /// What it was made for, as the comment above it says: `cluster a3m, pool gpus`; empty where there is none.
    pub origin: String,
    /// What differs in it; nothing where it comes or goes as a whole.
    pub details: Vec<Detail>,
    /// Why it has the effect.
    pub why: String,
    /// Commands that do what the consumer does not by itself.
    pub commands: Vec<String>,
    /// What stops it: a protection that has to be lifted first.
    pub stopped_by: Option<String>,
}

impl Change {
    /// A change of a whole file, of which nothing else is known.
    fn of_file(effect: Effect, root: &str, path: &str, why: &str) -> Self {
        Self {
            effect,
            root: root.to_owned(),
            file: path.to_owned(),
            thing: file_name(path).to_owned(),
            origin: String::new(),
            details: Vec::new(),
            why: why.to_owned(),
            commands: Vec::new(),
            stopped_by: None,
        }
    }
}

/// Every code that a noun may allow of its changes.
pub fn allowances() -> impl Iterator<Item = &'static str> {
    Effect::ALL.into_iter().filter_map(Effect::allowance)
}

/// Everything that differs between two outputs, the worst first, then in the order in which commands for it are given, and of the folders.
pub fn changes(before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let (old, new) = (by_root(before), by_root(after));
    let mut found = Vec::new();
    let roots: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    for root in roots {
        let none = Vec::new();
        let (old, new) = (old.get(root).unwrap_or(&none), new.get(root).unwrap_or(&none));
        found.extend(terraform::changes(root, old, new));
        if root.starts_with("left-behind") {
            continue;
        }
        if new.is_empty() && !root.is_empty() {
            found.extend(kubernetes::left_behind(root, old));
            found.extend(files::left_behind(root, old));
            continue;
        }
        found.extend(kubernetes::changes(root, old, new));
        found.extend(files::changes(root, old, new));
    }
    let place = |it: &Change| (it.effect, kubernetes::turn(&it.thing), it.root.clone(), rank(it));
    found.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.thing.cmp(&b.thing)));
    found
}

/// `1 object`, `2 objects`
fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What people look for first: clusters, their nodes and what holds data.
fn rank(change: &Change) -> u8 {
    let first = [
        "google_container_",
        "google_storage_bucket.",
        "google_filestore_",
        "google_lustre_",
        "JobSet ",
    ];
    u8::from(!first.iter().any(|start| change.thing.starts_with(start)))
}

/// The files of each folder right below the output, workloads one by one.
fn by_root<'a>(files: &[File<'a>]) -> BTreeMap<&'a str, Vec<File<'a>>> {
    let mut found: BTreeMap<&str, Vec<File<'a>>> = BTreeMap::new();
    for file in files {
        found.entry(root_of(file.path)).or_default().push(*file);
    }
    found
}

/// `30-a3m` of `30-a3m/cluster.tf`, `50-workloads/pretrain` of what lies below that.
fn root_of(path: &str) -> &str {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let Some(first) = slashes.next() else { return "" };
    let folder = path.get(..first).unwrap_or_default();
    let holds_folders = folder.ends_with("workloads") || folder.ends_with("images");
    match slashes.next().filter(|_| holds_folders) {
        Some(second) => path.get(..second).unwrap_or_default(),
        None => folder,
    }
}
