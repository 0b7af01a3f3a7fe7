//! What earlier builds wrote for nouns that the blueprint has no more, where something that was applied from it may still
//! be there.
//!
//! What a command needs in order to take it away is kept. A Terraform root stays where it is: beside its files lies what
//! Terraform itself put there. A Kustomize folder moves below [`KEPT`], where nothing that walks the workloads applies it
//! again; so does one whose objects are in another cluster or namespace from now on, and the new one takes its place. All
//! else that is no longer made is removed: it takes nothing away that a name does not.

use super::{Content, Folder, Found};
use crate::manifest::{Entry, Manifest};
use camino::{Utf8Path, Utf8PathBuf};
use slipform_changes::{File, MADE_AWAY, taking_away, undeployed};
use slipform_model::Noun;
use slipform_model::plan::Plan;
use slipform_targets::left_behind::{FormerMachines, LeftBehind, Released, Remains, filled_anyhow};
use slipform_targets::terraform::{addresses, between_others};
use slipform_targets::{Applied, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// Where Kustomize folders are kept.
const KEPT: &str = "left-behind";

/// A folder that stays, and where.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Left {
    /// Where it was found.
    pub(super) from: Utf8PathBuf,
    /// What is told of it; names where it lies from now on.
    pub(crate) told: LeftBehind,
}

impl Left {
    /// Whether a file lies in it.
    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        path.starts_with(&self.from)
    }

    /// Its entry in the manifest from now on.
    pub(super) fn kept(&self, entry: &Entry) -> Option<Entry> {
        let path = entry.path.strip_prefix(&self.from).ok()?;
        Some(Entry { path: self.told.folder.join(path), ..entry.clone() })
    }

    /// Whether it is kept elsewhere.
    pub(super) fn moves(&self) -> bool {
        self.from != self.told.folder
    }

    /// Whether a file goes with it, whatever is made in its place.
    pub(super) fn takes(&self, path: &Utf8Path) -> bool {
        !self.is_root() && self.has(path)
    }

    /// Whether only the files of builds are this folder's, and others may lie beside them.
    pub(super) fn is_root(&self) -> bool {
        !matches!(self.told.remains, Remains::Objects { .. })
    }
}

impl Folder {
    /// The folders that earlier builds wrote and this one does not, in which something is applied that may still be
    /// there.
    pub(crate) fn left_behind(&self, last: &Manifest, content: &Content, plan: &Plan) -> Vec<Left> {
        let made: BTreeSet<&Utf8Path> = content
            .files
            .iter()
            .map(|file| file.path.as_path())
            .chain(content.others.iter().map(Utf8PathBuf::as_path))
            .collect();
        let displaced = displaced(last, content);
        let mut folders: BTreeMap<&Utf8Path, Vec<&Entry>> = BTreeMap::new();
        for entry in &last.artifacts {
            let Some(folder) = stage_folder(&entry.path) else { continue };
            if !made.contains(entry.path.as_path()) || displaced.contains(folder) {
                folders.entry(folder).or_default().push(entry);
            }
        }
        let gone = Gone { folder: self, last, made: &made, displaced: &displaced, plan };
        folders.iter().flat_map(|(folder, entries)| gone.of_folder(folder, entries)).collect()
    }

    /// What commands made where no script looks for it from now on, while it may still be there.
    pub(crate) fn former_machines(
        &self,
        last: &Manifest,
        content: &Content,
        left: &[Left],
    ) -> Vec<FormerMachines> {
        let now = |path: &Utf8Path| {
            let file = content.files.iter().find(|file| file.path == path)?;
            taking_away(&file.content)
        };
        let stays = |path: &Utf8PathBuf| {
            content.others.contains(path) || left.iter().any(|left| left.has(path))
        };
        let scripts = last.artifacts.iter().map(|entry| &entry.path);
        let scripts = scripts.filter(|path| path.file_name() == Some(MADE_AWAY) && !stays(path));
        let new = scripts.filter_map(|path| {
            let command = taking_away(&self.text(path))?;
            Some(FormerMachines { folder: path.parent()?.to_string(), command })
        });
        let mut all = last.former_machines.clone();
        all.extend(new);
        // where a script looks for them again, it is enough
        all.retain(|it| {
            now(&Utf8Path::new(&it.folder).join(MADE_AWAY)).as_ref() != Some(&it.command)
        });
        let mut seen = BTreeSet::new();
        all.retain(|it| seen.insert(it.command.clone()));
        all
    }

    /// What the last build here wrote to a file, or who edited it since; empty where there is none.
    pub(crate) fn text(&self, path: &Utf8Path) -> String {
        match self.found(path) {
            Ok(Found::File { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        }
    }
}

/// Looks at stages with files that are no longer made.
struct Gone<'a> {
    folder: &'a Folder,
    /// What the last build made.
    last: &'a Manifest,
    /// What this build makes.
    made: &'a BTreeSet<&'a Utf8Path>,
    /// The folders of what is made elsewhere.
    displaced: &'a BTreeSet<&'a Utf8Path>,
    plan: &'a Plan,
}

impl Gone<'_> {
    fn of_folder(&self, folder: &Utf8Path, entries: &[&Entry]) -> Vec<Left> {
        let there = |entry: &&&Entry| self.folder.is_inside(&entry.path).unwrap_or(false);
        let entries: Vec<&Entry> = entries.iter().filter(there).copied().collect();
        let stage = plain(folder);
        let still = |ending: &str| {
            self.made.iter().any(|path| path.starts_with(stage) && path.as_str().ends_with(ending))
        };
        if entries.iter().any(|entry| is_terraform(&entry.path)) && !still(".tf") {
            let paths: Vec<&Utf8Path> = entries.iter().map(|entry| entry.path.as_path()).collect();
            return vec![self.root(stage, &paths)];
        }
        let scripts =
            |entry: &&&Entry| entry.path.parent() == Some(stage) && self.takes_away(&entry.path);
        if let Some(script) = entries.iter().find(scripts).filter(|_| !still("")) {
            let remains = Remains::Made { script: script.path.clone() };
            let told = LeftBehind { folder: stage.to_owned(), remains };
            return vec![Left { from: stage.to_owned(), told }];
        }
        if let Some(left) = self.deployment(stage, &entries).filter(|_| !still(DEPLOYED)) {
            return vec![left];
        }
        let applied: Vec<&Entry> =
            entries.into_iter().filter(|entry| entry.path.ends_with(KUSTOMIZATION)).collect();
        let mut folders: Vec<Utf8PathBuf> = match self.displaced.contains(folder) {
            _ if applied.is_empty() => Vec::new(),
            true => vec![folder.to_owned()],
            false if still(KUSTOMIZATION) => Vec::new(),
            false => applied.iter().filter_map(|entry| self.unit(stage, &entry.path)).collect(),
        };
        folders.dedup();
        folders.into_iter().map(|folder| self.objects(folder, &applied)).collect()
    }

    fn root(&self, stage: &Utf8Path, paths: &[&Utf8Path]) -> Left {
        let texts: String = paths.iter().map(|path| self.folder.text(path)).collect();
        let protected = texts.lines().any(is_protection);
        let released = self.released(stage, &texts);
        let made = paths.iter().find(|path| self.takes_away(path)).map(|path| (*path).to_owned());
        let remains = Remains::Resources { protected, released, made };
        Left { from: stage.to_owned(), told: LeftBehind { folder: stage.to_owned(), remains } }
    }

    /// A cluster of Cluster Toolkit, unless others look after it from now on.
    fn deployment(&self, stage: &Utf8Path, entries: &[&Entry]) -> Option<Left> {
        entries.iter().find(|entry| entry.path.ends_with(DEPLOYED))?;
        let nouns = self.plan.model.nouns.iter().filter(|it| it.existing && it.kind() == "cluster");
        let mut names = nouns.filter_map(|noun| self.plan.name(noun.id));
        if names.any(|name| Stage::Cluster(name.to_owned()).folder() == stage) {
            return None;
        }
        let texts: Vec<(&str, String)> =
            entries.iter().map(|it| (it.path.as_str(), self.folder.text(&it.path))).collect();
        let files = texts.iter().map(|(path, text)| File { path, text });
        let commands = undeployed(stage.as_str(), &files.collect::<Vec<_>>());
        let told =
            LeftBehind { folder: stage.to_owned(), remains: Remains::Deployment { commands } };
        Some(Left { from: stage.to_owned(), told })
    }

    /// Whether a script takes away what commands made.
    fn takes_away(&self, path: &Utf8Path) -> bool {
        let is_script = || taking_away(&self.folder.text(path)).is_some();
        path.file_name() == Some(MADE_AWAY) && is_script()
    }

    /// What of a root is someone else's by now.
    fn released(&self, stage: &Utf8Path, texts: &str) -> Released {
        let model = &self.plan.model;
        let is_stage = |of: Stage| of.folder() == stage;
        // a cluster cannot move: one in another place is another one
        let is_same = |noun: &Noun| {
            let now = self.plan.whereabouts(noun.id);
            let then = self.last.place_of(&noun.outside.path);
            then.is_none_or(|then| now.as_ref() == Some(then))
                && self.plan.owner(noun.id) == model.project.as_deref()
        };
        let cluster = self.plan.clusters().any(|(id, cluster)| {
            model.get(id).is_some_and(|noun| noun.existing && is_same(noun))
                && is_stage(Stage::Cluster(cluster.name.clone()))
        });
        if cluster {
            return Released::Root;
        }
        let is_within_it =
            |noun: &&Noun| noun.parent.and_then(|id| model.get(id)).is_none_or(is_same);
        let existing = model.nouns.iter().filter(|noun| noun.existing).filter(is_within_it);
        let held = existing.filter_map(|noun| addresses(self.plan, noun.id));
        let held = held.filter(|(of, _)| is_stage(of.clone())).flat_map(|(_, all)| all);
        let between = between_others(self.plan).into_iter();
        let between =
            between.filter(|(of, ..)| is_stage(of.clone())).map(|(_, address, _)| address);
        let held = held.chain(between);
        let written = |address: &String| {
            address.split_once('.').is_some_and(|(kind, label)| {
                texts.contains(&format!("resource \"{kind}\" \"{label}\" {{"))
            })
        };
        let held: BTreeSet<String> = held.filter(written).collect();
        let made = texts.lines().filter(|line| line.starts_with("resource \"")).count();
        match held.len() {
            all if all == made => Released::Root,
            _ => Released::Addresses(held.into_iter().collect()),
        }
    }

    /// The largest folder around a kustomization that holds nothing which is made.
    fn unit(&self, stage: &Utf8Path, kustomization: &Utf8Path) -> Option<Utf8PathBuf> {
        let free = |folder: &&Utf8Path| !self.made.iter().any(|path| path.starts_with(folder));
        let within = |folder: &&Utf8Path| plain(folder).starts_with(stage);
        let around = kustomization.ancestors().skip(1).take_while(within).take_while(free);
        around.last().map(Utf8Path::to_owned)
    }

    fn objects(&self, from: Utf8PathBuf, applied: &[&Entry]) -> Left {
        let to = if from.starts_with(KEPT) { from.clone() } else { self.free(&from) };
        let inside =
            applied.iter().filter_map(|entry| entry.path.parent()?.strip_prefix(&from).ok());
        let inside: Vec<&Utf8Path> = inside.collect();
        let mut within = applied.iter().filter(|entry| entry.path.starts_with(&from));
        let place = within.find_map(|entry| entry.applied.clone());
        let overlay = |path: &&Utf8Path| path.components().any(|part| part.as_str() == "overlays");
        let overlays = inside.iter().copied().any(|path| overlay(&path));
        let folders = inside.into_iter().filter(|path| !overlays || overlay(path));
        let folders = folders.map(|path| joined(&to, path)).collect();
        let scripts = self.last.artifacts.iter().filter_map(|entry| {
            let inside = entry.path.strip_prefix(&from).ok()?;
            filled_anyhow(&joined(&to, inside), &self.folder.text(&entry.path))
        });
        let filling = scripts.collect();
        let remains = Remains::Objects { folders, filling, applied: place };
        Left { from, told: LeftBehind { folder: to, remains } }
    }

    /// Where a folder can be kept: what was kept before stays where it is.
    fn free(&self, from: &Utf8Path) -> Utf8PathBuf {
        let is_free = |to: &Utf8Path| std::fs::symlink_metadata(self.folder.at.join(to)).is_err();
        let first = Utf8Path::new(KEPT).join(from);
        let next = (2_u32..).map(|number| Utf8Path::new(KEPT).join(number.to_string()).join(from));
        let mut all = std::iter::once(first.clone()).chain(next);
        all.find(|to| is_free(to)).unwrap_or(first)
    }
}

/// The folders of stages that are made for another place than they were.
fn displaced<'a>(last: &'a Manifest, content: &Content) -> BTreeSet<&'a Utf8Path> {
    let made = content.files.iter().filter_map(|file| Some((&*file.path, file.applied.as_ref()?)));
    let made: BTreeMap<&Utf8Path, &Applied> = made.collect();
    let elsewhere = |entry: &&Entry| match (&entry.applied, made.get(plain(&entry.path))) {
        (Some(before), Some(now)) => before.is_elsewhere(now),
        _ => false,
    };
    let entries = last.artifacts.iter().filter(elsewhere);
    entries.filter_map(|entry| stage_folder(&entry.path)).collect()
}

/// A path as it was before it was kept: below [`KEPT`], or below a number there.
fn plain(path: &Utf8Path) -> &Utf8Path {
    let Ok(kept) = path.strip_prefix(KEPT) else { return path };
    let mut parts = kept.components();
    let number = parts.next().is_some_and(|first| first.as_str().parse::<u32>().is_ok());
    if number { parts.as_path() } else { kept }
}

/// The folder of the stage that a file belongs to, where it lies.
fn stage_folder(path: &Utf8Path) -> Option<&Utf8Path> {
    let stage = Stage::folder_of(plain(path))?;
    path.ancestors().find(|folder| plain(folder) == stage)
}

/// The folder of a stage below [`KEPT`], for a file in it.
pub(super) fn kept_folder(path: &Utf8Path) -> Option<Utf8PathBuf> {
    stage_folder(path).filter(|folder| folder.starts_with(KEPT)).map(Utf8Path::to_owned)
}

/// A path below a folder, or the folder itself.
fn joined(folder: &Utf8Path, path: &Utf8Path) -> Utf8PathBuf {
    if path.as_str().is_empty() { folder.to_owned() } else { folder.join(path) }
}

const KUSTOMIZATION: &str = "kustomization.yaml";

/// What Cluster Toolkit deploys.
const DEPLOYED: &str = "cluster.yaml";

fn is_terraform(path: &Utf8Path) -> bool {
    path.extension() == Some("tf")
}

/// Whether a line keeps Terraform from destroying something.
fn is_protection(line: &str) -> bool {
    let words = ["prevent_destroy", "deletion_protection", "deletion_protection_enabled"];
    let Some((name, value)) = line.split_once('=') else { return false };
    value.trim() == "true" && words.contains(&name.trim())
}
