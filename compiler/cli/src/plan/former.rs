//! The nouns of the other side, as far as is known of them: by their blueprint, or by the manifest of what was built.

use super::reach::rights;
use crate::manifest::{Manifest, Rights};
use slipform_changes::{Change, holds};
use slipform_model::plan::Plan;
use slipform_model::{Model, Noun};
use std::collections::{BTreeMap, BTreeSet};

/// A noun of the other side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Former {
    pub(crate) kind: String,
    /// As its blueprint referred to it.
    pub(crate) path: String,
    /// What it is called outside of the blueprint.
    pub(crate) outside: String,
    /// How its blueprint declared it, as comments in artifacts say.
    pub(crate) origin: String,
    /// Whether it was someone else's.
    pub(crate) existing: bool,
    /// Which thing it was, where it may be another one elsewhere by now: of a cluster the place, of what exists in another project that.
    pub(super) place: Option<String>,
    /// The runs that stood on it or needed it, as its blueprint referred to them; told where that blueprint is not at hand.
    pub(super) runs: Vec<String>,
}

/// All of them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Formers {
    all: Vec<Former>,
    by_path: BTreeMap<String, usize>,
    by_outside: BTreeMap<String, usize>,
    by_origin: BTreeMap<String, usize>,
    /// The runs that use each right that is given there; nothing where it is not told.
    rights: Option<Rights>,
}

impl Formers {
    /// Every noun of a blueprint.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        let model = &plan.model;
        let former = |noun: &Noun| Former {
            kind: noun.kind().to_owned(),
            path: noun.path.clone(),
            outside: noun.outside.path.clone(),
            origin: noun.origin.clone(),
            existing: is_existing(model, noun),
            place: place(plan, noun),
            runs: Vec::new(),
        };
        Self::new(model.nouns.iter().map(former).collect(), Some(rights(plan)))
    }

    /// Every noun that a manifest knows.
    pub(crate) fn of_manifest(manifest: &Manifest) -> Self {
        let mut told = told_by_paths(&manifest.nouns);
        told.extend(manifest.origins.clone());
        let all = manifest
            .nouns
            .iter()
            .flat_map(|(kind, paths)| paths.iter().map(move |path| (kind, path)));
        let former = |(kind, path): (&String, &String)| {
            let outside = manifest.was.get(path).unwrap_or(path);
            let cluster = outside.split('.').next().filter(|_| is_of_cluster(kind));
            let is_listed = |path: &str| manifest.existing.iter().any(|it| it == path);
            Former {
                kind: kind.clone(),
                path: path.clone(),
                outside: outside.clone(),
                origin: told.remove(path).unwrap_or_default(),
                existing: is_listed(outside) || cluster.is_some_and(is_listed),
                place: manifest.places.get(path).cloned(),
                runs: manifest.runs.get(path).cloned().unwrap_or_default(),
            }
        };
        Self::new(all.map(former).collect(), manifest.rights.clone())
    }

    fn new(all: Vec<Former>, rights: Option<Rights>) -> Self {
        let by = |key: fn(&Former) -> &String| {
            // the first one counts
            all.iter().enumerate().rev().map(|(at, it)| (key(it).clone(), at)).collect()
        };
        let (by_path, by_outside) = (by(|it| &it.path), by(|it| &it.outside));
        let by_origin = by(|it| &it.origin);
        Self { all, by_path, by_outside, by_origin, rights }
    }

    /// Whether it is told of every noun which runs stood on it, or needed it.
    pub(super) fn tell_runs(&self) -> bool {
        self.rights.is_some()
    }

    /// The runs that used what a change takes away of a right, or all rights of a folder, where it is known who used it. One that needs no more than
    /// the right holds from then on loses nothing.
    pub(super) fn users(&self, change: &Change) -> Option<BTreeSet<&String>> {
        let rights = self.rights.as_ref()?;
        if change.is_left_root() {
            let folder = format!("{}/", change.root);
            let of_it = rights.iter().filter(|(grant, _)| grant.starts_with(&folder));
            return Some(of_it.flat_map(|(_, users)| users.keys()).collect());
        }
        let mut known = change
            .rights()
            .filter_map(|right| rights.get(&format!("{}/{right}", change.root)))
            .peekable();
        known.peek()?;
        let role = match change.details.as_slice() {
            [only] if only.path == "role" => only.after.as_deref(),
            _ => None,
        };
        let loses = |needed: &String| role.is_none_or(|role| !holds(role, needed));
        let losing = known.flatten().filter(|(_, needed)| loses(needed));
        Some(losing.map(|(run, _)| run).collect())
    }

    /// A noun, and those in it.
    pub(super) fn within<'f>(&'f self, around: &'f Former) -> impl Iterator<Item = &'f Former> {
        let is_in = |it: &&Former| {
            let rest = it.path.strip_prefix(&around.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.all.iter().filter(is_in)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Former> {
        self.all.iter()
    }

    /// By the path that its blueprint had for it.
    pub(super) fn at(&self, path: &str) -> Option<&Former> {
        self.all.get(*self.by_path.get(path)?)
    }

    /// By what it is called outside.
    pub(super) fn called(&self, outside: &str) -> Option<&Former> {
        self.all.get(*self.by_outside.get(outside)?)
    }

    /// What a noun was: of a cluster by its place, and of what lies in one with that; else by what it is called outside, as long as no other
    /// cluster of now is there.
    pub(super) fn twin(&self, plan: &Plan, noun: &Noun) -> Option<&Former> {
        if noun.kind() == "cluster" {
            return self.cluster(plan, noun);
        }
        let around = noun.parent.and_then(|id| plan.model.get(id));
        let Some(around) = around.filter(|it| it.kind() == "cluster") else {
            return self.called(&noun.outside.path);
        };
        let name = noun.outside.path.strip_prefix(&around.outside.path)?;
        self.called(&format!("{}{name}", self.cluster(plan, around)?.outside))
    }

    fn cluster(&self, plan: &Plan, noun: &Noun) -> Option<&Former> {
        let at = place(plan, noun);
        let is_there = |it: &&Former| it.kind == "cluster" && it.place.is_some() && it.place == at;
        let called = || {
            let then = self.called(&noun.outside.path)?;
            let mut clusters = plan.model.nouns.iter().filter(|it| it.kind() == "cluster");
            let is_taken = then.place.is_some() && clusters.any(|it| place(plan, it) == then.place);
            (!is_taken).then_some(then)
        };
        self.all.iter().find(is_there).or_else(called)
    }

    /// By what comments say that something was made for.
    pub(super) fn made_for(&self, origin: &str) -> Option<&Former> {
        self.all.get(*self.by_origin.get(origin)?)
    }
}

impl Former {
    /// Whether a noun is the same thing still, as far as is known: what is in another place is another one.
    pub(super) fn is_same(&self, plan: &Plan, noun: &Noun) -> bool {
        let now = place(plan, noun);
        match noun.kind() {
            "cluster" => {
                self.place.as_ref().zip(now.as_ref()).is_none_or(|(then, now)| then == now)
            }
            _ => self.place == now,
        }
    }

    /// What it is called outside, in what it lies in.
    pub(super) fn name(&self) -> &str {
        self.outside.rsplit('.').next().unwrap_or_default()
    }

    /// `pool a3m.gpus`
    pub(crate) fn named(&self) -> String {
        format!("{} {}", self.kind, self.path)
    }
}

/// Which thing a noun is, where it may be elsewhere: of a cluster the place, of what exists in another project that.
pub(crate) fn place(plan: &Plan, noun: &Noun) -> Option<String> {
    let owner =
        || plan.owner(noun.id).filter(|owner| plan.model.project.as_deref() != Some(*owner));
    match noun.kind() {
        "cluster" => plan.whereabouts(noun.id),
        _ => owner().filter(|_| noun.existing).map(str::to_owned),
    }
}

/// The same of all nouns, by their paths.
pub(crate) fn places(plan: &Plan) -> BTreeMap<String, String> {
    let nouns = plan.model.nouns.iter();
    nouns.filter_map(|noun| Some((noun.path.clone(), place(plan, noun)?))).collect()
}

/// Whether nouns of a kind are someone else's where the cluster is that they lie in.
fn is_of_cluster(kind: &str) -> bool {
    matches!(kind, "pool" | "partition")
}

/// Whether a noun is someone else's, or lies in a cluster that is.
pub(super) fn is_existing(model: &Model, noun: &Noun) -> bool {
    let around = noun.parent.filter(|_| is_of_cluster(noun.kind()));
    noun.existing || around.and_then(|id| model.get(id)).is_some_and(|it| it.existing)
}

/// The paths of nouns, by kind.
pub(crate) fn paths_by_kind(model: &Model) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for noun in &model.nouns {
        found.entry(noun.kind().to_owned()).or_default().push(noun.path.clone());
    }
    found
}

/// How nouns are declared whose paths do not tell it.
pub(crate) fn origins(model: &Model) -> BTreeMap<String, String> {
    let told = told_by_paths(&paths_by_kind(model));
    let others = model.nouns.iter().filter(|noun| told.get(&noun.path) != Some(&noun.origin));
    others.map(|noun| (noun.path.clone(), noun.origin.clone())).collect()
}

/// `cluster a3m, pool gpus` for `a3m.gpus`: how nouns are declared that came out of no component.
fn told_by_paths(nouns: &BTreeMap<String, Vec<String>>) -> BTreeMap<String, String> {
    let kinds = nouns
        .iter()
        .flat_map(|(kind, paths)| paths.iter().map(move |path| (path.as_str(), kind.as_str())));
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    // what lies in another one is behind it in this order
    for (path, kind) in kinds.collect::<BTreeMap<&str, &str>>() {
        let dots = path.rmatch_indices('.');
        let mut around = dots.filter_map(|(at, _)| Some((at, found.get(path.get(..at)?)?)));
        let origin = match around.next() {
            Some((at, around)) => {
                format!("{around}, {kind} {}", path.get(at + 1..).unwrap_or_default())
            }
            None => format!("{kind} {path}"),
        };
        found.insert(path.to_owned(), origin);
    }
    found
}
