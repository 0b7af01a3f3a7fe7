//! What becomes of what runs when one output takes the place of another: told from the files alone, by what the consumers
//! document of changes.
//!
//! Both sides are read with the consumers' own grammars, so that a comment or an order that means nothing is no change.
//! Terraform's resources are taken instance by instance, with their locals and variables put in; objects of Kubernetes by
//! kind, namespace and name; other files by their lines. What nobody knows the effect of *may replace*, and is never said to be in place.

mod asked;
mod files;
mod handed;
mod kubernetes;
mod left;
mod machines;
mod moved;
mod networks;
mod order;
mod pages;
mod readers;
mod reservations;
mod shares;
mod slurm;
mod steps;
mod terraform;
mod toolkit;
mod tree;
mod vertex;
mod written;

use std::collections::{BTreeMap, BTreeSet};

pub use handed::{Handed, Standing, hold, let_go, may_be_made, take_over, taken_from_nodes};
pub use machines::{MADE_AWAY, script_of, taking_away};
pub use moved::{Moved, bare, ends_cluster, move_runs, on};
pub use order::{Part, Turn, in_turn};
pub use pages::without_secrets;
pub use steps::{Given, as_applied, in_steps};
pub use terraform::holds;
pub use toolkit::{destroyed, is_first_of_all, turn_of_first, undeployed};
pub use tree::Detail;
pub use written::{Inherited, inherited};

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
            Some("yaml") if !files::OTHERS.contains(&file_name(self.path)) => Grammar::Kubernetes,
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
    /// How that is lifted.
    pub lifted_by: Option<String>,
    /// Whether what stops it is no protection of one's own: nobody lets it through, and nobody has to make way for it.
    pub refused: bool,
    /// The origins of other nouns that go with it, and whatever runs on them: of clusters that its commands take away, of the pool that
    /// something was made for before.
    pub takes_along: Vec<String>,
    /// The partitions of Slurm, as it names them, whose jobs end with it; none where it is not known, or all of them.
    pub partitions: Vec<String>,
    /// The block of Terraform in the same folder that it is made anew with.
    pub follows: Option<String>,
    /// Whether the thing itself stays, whatever becomes of what it holds.
    pub stays: bool,
    /// Whether no apply ends it, while its commands destroy what is stored in it.
    pub leaves_data: bool,
}

impl Change {
    /// A change of a whole file, of which nothing else is known.
    pub fn of_file(effect: Effect, root: &str, path: &str, why: &str) -> Self {
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
            lifted_by: None,
            refused: false,
            takes_along: Vec::new(),
            partitions: Vec::new(),
            follows: None,
            stays: effect > Effect::Replaces,
            leaves_data: false,
        }
    }
}

/// The command that starts again what a file is of, from the folder of the output: what a run is applied with, and first the end of the
/// one that was there; the script that submits it, or the chain that it is part of.
pub fn started_again(file: &File<'_>) -> Option<String> {
    match file_name(file.path) {
        "submit.sh" if file.text.contains("chain.sh submits") => None,
        "submit.sh" | "chain.sh" => Some(file.path.to_owned()),
        "kustomization.yaml" => kubernetes::again(file),
        _ => None,
    }
}

/// Every code that a noun may allow of its changes.
pub fn allowances() -> impl Iterator<Item = &'static str> {
    Effect::ALL.into_iter().filter_map(Effect::allowance)
}

/// Everything that differs between two outputs, the worst first, then in the order in which commands for it are given, and of the folders.
pub fn changes(before: &[File<'_>], after: &[File<'_>]) -> Vec<Change> {
    let (old, new) = (by_root(before), by_root(after));
    let (mut found, mut left) = (Vec::new(), Vec::new());
    let built = files::Built::of(before, after);
    let roots: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    for root in roots {
        let none = Vec::new();
        let (old, new) = (old.get(root).unwrap_or(&none), new.get(root).unwrap_or(&none));
        if new.is_empty() && !root.is_empty() && !root.starts_with("left-behind") {
            left.extend(terraform::left_behind(root, old, &BTreeSet::new()));
            left.extend(kubernetes::left_behind(root, old));
            left.extend(files::left_behind(root, old, after));
            continue;
        }
        found.extend(terraform::changes(root, old, new));
        if root.starts_with("left-behind") {
            continue;
        }
        found.extend(kubernetes::changes(root, old, new));
        found.extend(files::changes(root, old, new, &built));
    }
    files::tell_clusters(&mut found, before, after);
    name_readers(&mut found, before);
    readers::pass_on(&mut found, (before, after), &built);
    networks::free(&mut found, before, after);
    networks::take_once(&mut found);
    reservations::free(&mut found, before, after);
    terraform::put_again(&mut found, before, after);
    terraform::leave_accounts(&mut found, before, after);
    machines::leave_accounts(&mut found, before, after);
    machines::ask_for_more(&mut found, before, after);
    machines::ask_again(&mut found, after);
    shares::hand_over(&mut found, before, after);
    shares::make_first(&mut found);
    toolkit::end_first(&mut found, before);
    shares::keep_last(&mut found, before);
    files::build_first(&mut found, before, after);
    files::make_folders_last(&mut found, after);
    terraform::restore_behind(&mut found);
    left::with_clusters(&mut left, &found, (before, after));
    networks::give_once(&mut left, &found);
    found.extend(left);
    slurm::counter::leave_shared(&mut found, after);
    slurm::hosts_of::hand_over(&mut found, before);
    slurm::hosts_of::say(&mut found, before, after);
    found.sort_by(|a, b| {
        let place = |it: &Change| (it.effect, kubernetes::turn(&it.thing), leaving(it));
        let roots = match leaving(a) {
            // what stands on something is taken away before it
            1 => b.root.cmp(&a.root),
            _ => a.root.cmp(&b.root),
        };
        let things = || rank(a).cmp(&rank(b)).then_with(|| a.thing.cmp(&b.thing));
        place(a).cmp(&place(b)).then(roots).then_with(things)
    });
    found
}

/// Tells of each output of Terraform that goes which scripts asked for it.
fn name_readers(found: &mut [Change], before: &[File<'_>]) {
    let scripts = || before.iter().filter(|file| file.path.ends_with(".sh"));
    for change in found {
        let Some(name) = terraform::gone_output(change) else { continue };
        let is_word = |word: &str| word == name;
        let asks = |file: &&File<'_>| {
            let words =
                |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_word);
            file.text.lines().any(words)
        };
        let readers: Vec<String> =
            scripts().filter(asks).map(|it| format!("`{}`", it.path)).collect();
        if !readers.is_empty() {
            change.why = format!("{}; {} asked for it", change.why, readers.join(" and "));
        }
    }
}

/// Folders that are left behind come behind what is deleted in them by name, and last those that go by themselves.
fn leaving(change: &Change) -> u8 {
    match (
        change.effect == Effect::ByHand && change.file.ends_with('/'),
        change.commands.is_empty(),
    ) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => 2,
    }
}

/// A word of a shell, between quotes where it would be a pattern.
pub(crate) fn word(text: &str) -> String {
    if text.contains(['[', '*', '?', ' ']) { quoted(text) } else { text.to_owned() }
}

/// A word of a shell, which arrives as it is.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The folder of a command of Terraform's, and what is done with it: `terraform -chdir=FOLDER apply`.
pub fn of_terraform(command: &str) -> Option<(&str, &str)> {
    command.strip_prefix("terraform -chdir=")?.split_once(' ')
}

/// The folder of which a command destroys everything.
pub fn destroyed_whole(command: &str) -> Option<&str> {
    let (root, does) = of_terraform(command)?;
    ["destroy", "destroy -refresh=false"].contains(&does).then_some(root)
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

/// The texts of one folder.
fn texts_of<'a>(root: &str, files: &[File<'a>]) -> BTreeMap<&'a str, &'a str> {
    let of_root = files.iter().filter(|it| root_of(it.path) == root);
    of_root.map(|it| (it.path, it.text)).collect()
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
