//! Changes by the noun that they come from.

use super::before::Before;
use crate::args::FailOn;
use crate::report::words::{apart, short};
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, File};
use slipform_model::graph::EdgeKind;
use slipform_model::plan::Plan;
use slipform_model::{Noun, NounId, Value};
use slipform_source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of one environment.
pub(crate) struct Groups {
    pub(crate) environment: String,
    /// What it is compared with.
    pub(crate) against: String,
    /// Why everything may differ: another compiler, another catalog.
    pub(crate) causes: Vec<String>,
    /// The worst first.
    pub(crate) groups: Vec<Group>,
    /// Folders in which something differs, in the order in which they are applied.
    pub(crate) touched: Vec<String>,
    /// Folders in which nothing does.
    pub(crate) untouched: Vec<String>,
}

/// What becomes of one noun.
pub(crate) struct Group {
    /// `pool a3m.gpus`; what the file says of it where no noun is known.
    pub(crate) noun: String,
    /// Its head in the blueprint, where it still stands there.
    pub(crate) span: Option<Span>,
    pub(crate) effect: Effect,
    /// What its words say now: `nodes 16 -> 32`.
    pub(crate) fields: Vec<String>,
    pub(crate) changes: Vec<Change>,
    /// Workloads that end with it.
    pub(crate) ends: Vec<String>,
    /// The noun says of the worst of it that it is meant.
    pub(crate) allowed: bool,
}

impl Groups {
    pub(crate) fn of(
        before: &Before,
        now: &Analysis,
        found: Vec<Change>,
        new: &[File<'_>],
    ) -> Self {
        let old_plan = before.analysis.as_ref().and_then(|analysis| analysis.plan.as_ref());
        let plans: Vec<&Plan> = now.plan.iter().chain(old_plan).collect();
        let mut by_noun: BTreeMap<String, (usize, Vec<Change>)> = BTreeMap::new();
        let touched: BTreeSet<String> = found
            .iter()
            .filter(|change| change.effect != Effect::Nothing && !change.root.is_empty())
            .filter(|change| new.iter().any(|file| is_in(file.path, &change.root)))
            .map(|change| change.root.clone())
            .collect();
        for (turn, change) in found.into_iter().enumerate() {
            let key = match change.effect {
                Effect::Nothing => String::new(),
                _ if names_noun(now, &change.origin) => change.origin.clone(),
                _ => format!("{} {}", change.root, change.thing).trim_start().to_owned(),
            };
            by_noun.entry(key).or_insert((turn, Vec::new())).1.push(change);
        }
        let mut in_turn: Vec<(String, (usize, Vec<Change>))> = by_noun.into_iter().collect();
        in_turn.sort_by_key(|(_, (turn, _))| *turn);
        let mut groups: Vec<Group> = in_turn
            .into_iter()
            .filter_map(|(origin, (_, changes))| Group::of(&origin, changes, &plans, old_plan))
            .collect();
        groups.sort_by_key(|group| group.effect);
        give_once(&mut groups);
        let all: BTreeSet<String> = new.iter().filter_map(|file| folder(file.path)).collect();
        let untouched = all.into_iter().filter(|root| !touched.iter().any(|it| is_in(it, root)));
        let mut causes = Vec::new();
        causes.extend(before.compiler.as_ref().map(|it| format!("it was built by slipform {it}")));
        causes.extend(
            before.catalog.as_ref().map(|it| format!("it was built with the catalog {it}")),
        );
        Self {
            environment: now.project.as_ref().map_or_else(String::new, |it| it.environment.clone()),
            against: before.shown.clone(),
            causes,
            groups,
            untouched: untouched.collect(),
            touched: touched.into_iter().collect(),
        }
    }

    /// Whether something is as bad as a gate lets nothing be; anything at all where there is no gate.
    pub(crate) fn reaches(&self, gate: Option<FailOn>) -> bool {
        match gate.map(FailOn::effect) {
            Some(limit) => self.groups.iter().any(|group| group.effect <= limit && !group.allowed),
            None => !self.groups.is_empty(),
        }
    }
}

/// Leaves each command with the last change that needs it: what makes things anew is given when all of them are deleted.
fn give_once(groups: &mut [Group]) {
    let mut given: BTreeSet<String> = BTreeSet::new();
    for change in groups.iter_mut().rev().flat_map(|group| group.changes.iter_mut().rev()) {
        change.commands.reverse();
        change.commands.retain(|command| given.insert(command.clone()));
        change.commands.reverse();
    }
}

/// Whether the comment above something says what noun it was made for: `cluster a3m, pool gpus`.
fn names_noun(now: &Analysis, origin: &str) -> bool {
    let first = origin.split(' ').next().unwrap_or_default();
    let mut nouns = now.plan.iter().flat_map(|plan| &plan.model.nouns);
    now.schema.has_kind(first) || nouns.any(|noun| noun.origin == origin)
}

/// `30-a3m` of `30-a3m/cluster.tf`.
fn folder(path: &str) -> Option<String> {
    path.split_once('/').map(|(folder, _)| folder.to_owned())
}

/// Whether a path is a folder, or lies in it.
pub(crate) fn is_in(path: &str, folder: &str) -> bool {
    path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Group {
    fn of(origin: &str, changes: Vec<Change>, plans: &[&Plan], old: Option<&Plan>) -> Option<Self> {
        let effect = changes.iter().map(|change| change.effect).min()?;
        let find = |plan: &Plan| {
            plan.model.nouns.iter().find(|noun| noun.origin == origin).map(|it| it.id)
        };
        let noun = plans.iter().find_map(|plan| plan.model.get(find(plan)?));
        let now = plans.first().and_then(|plan| plan.model.get(find(plan)?));
        let then = old.and_then(|plan| plan.model.get(find(plan)?));
        let named = |noun: &Noun| format!("{} {}", noun.body.kind(), noun.path);
        let fields = match (then, now) {
            (Some(then), Some(now)) => fields((then, old), (now, plans.first().copied())),
            _ => Vec::new(),
        };
        // what ran there before is known where the former blueprint is
        let ground = old.or(plans.first().copied()).and_then(|plan| Some((plan, find(plan)?)));
        let ends = ground.map_or_else(Vec::new, |(plan, id)| standing_on(plan, id, &changes));
        Some(Self {
            noun: noun.map_or_else(|| origin.to_owned(), named),
            span: now.map(|noun| noun.span),
            effect,
            fields,
            changes,
            ends,
            allowed: allowed(effect, (plans.first().copied(), now), (old, then)),
        })
    }
}

/// Whether a noun, or one that it lies in, says of a change that it is meant: with a word that the other side does not have, since
/// that one was for another change.
fn allowed(effect: Effect, now: Side<'_>, then: Side<'_>) -> bool {
    let Some(code) = effect.allowance() else { return false };
    let says = |(plan, noun): Side<'_>| {
        let parent = |noun: &&Noun| plan?.model.get(noun.parent?);
        let around = std::iter::successors(noun, parent);
        around.flat_map(|noun| &noun.allowed).filter(|(allowed, _)| allowed == code).count()
    };
    says(now) > says(then)
}

/// A noun in its blueprint, as far as there are both.
type Side<'a> = (Option<&'a Plan>, Option<&'a Noun>);

/// The words of a noun that say something else.
fn fields(then: (&Noun, Option<&Plan>), now: (&Noun, Option<&Plan>)) -> Vec<String> {
    let names: BTreeSet<&str> =
        then.0.fields.keys().chain(now.0.fields.keys()).map(|name| &**name).collect();
    let said = |(noun, plan): (&Noun, Option<&Plan>), name: &str| {
        noun.fields.get(name).map(|placed| plain(&placed.value, plan))
    };
    let differs = names.into_iter().filter_map(|name| {
        let (old, new) = (said(then, name), said(now, name));
        (old != new).then(|| arrow(name, old.as_deref(), new.as_deref()))
    });
    differs.collect()
}

/// `nodes 16 -> 32`
pub(crate) fn arrow(name: &str, old: Option<&str>, new: Option<&str>) -> String {
    let said = match (old, new) {
        (Some(old), Some(new)) => {
            let (old, new) = apart(old, new, MOST);
            format!("{old} -> {new}")
        }
        (None, Some(new)) => format!("{} (new)", short(new, MOST)),
        (Some(old), None) => format!("{} (gone)", short(old, MOST)),
        (None, None) => String::new(),
    };
    if name.is_empty() { said } else { format!("{name} {said}") }
}

/// Characters of one value.
const MOST: usize = 60;

/// A value as the blueprint writes it, nouns by their paths: their numbers are others in another blueprint.
fn plain(value: &Value, plan: Option<&Plan>) -> String {
    match value {
        Value::Ref(noun) => {
            let noun = plan.and_then(|plan| plan.model.get(noun.id));
            noun.map_or_else(|| value.to_string(), |noun| noun.path.clone())
        }
        Value::Deferred(it) => {
            let noun = plan.and_then(|plan| plan.model.get(it.noun));
            noun.map_or_else(|| value.to_string(), |noun| format!("{}.{}", noun.path, it.field))
        }
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| plain(&item.value, plan)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Record(fields) | Value::Variant(_, fields) => {
            let word = match value {
                Value::Variant(word, _) => word.to_string(),
                _ => String::new(),
            };
            let fields =
                fields.iter().map(|(name, it)| format!("{name} = {}", plain(&it.value, plan)));
            let fields = fields.collect::<Vec<_>>().join(", ");
            if fields.is_empty() { word } else { format!("{word}({fields})") }
        }
        other => other.to_string(),
    }
}

/// The workloads that run on what ends or starts anew of a noun. A cluster that goes takes its pools along; what is made anew
/// inside of a cluster leaves its runs alone.
fn standing_on(plan: &Plan, noun: NounId, changes: &[Change]) -> Vec<String> {
    let is_of = |change: &Change, resource: &str| change.thing.starts_with(resource);
    let replaced = |it: &Change| it.effect <= Effect::Replaces;
    let touches_nodes = |it: &Change| {
        replaced(it) || it.effect == Effect::Restarts && is_of(it, "google_container_")
    };
    let mut grounds: BTreeSet<NounId> = BTreeSet::new();
    if changes.iter().any(touches_nodes) {
        grounds.insert(noun);
    }
    if changes.iter().any(|it| replaced(it) && is_of(it, "google_container_cluster.")) {
        grounds.extend(plan.children(noun).iter().copied());
    }
    let mut found = BTreeSet::new();
    for (from, to, edge) in plan.graph.edges() {
        if edge.kind == EdgeKind::RunsOn && grounds.contains(&to) {
            found.extend(plan.model.get(from).map(|noun| noun.path.clone()));
        }
    }
    found.into_iter().collect()
}
