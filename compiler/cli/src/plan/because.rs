//! Which words of other nouns a change of a noun comes from: tried by taking each of them back.
//!
//! What Terraform makes anew since it stands on something that is made anew has its cause there, and nothing has to be tried.

use super::before::Before;
use super::facts::environment;
use super::files;
use super::groups::{Group, Groups, named};
use super::renamed::Sides;
use super::words::differing;
use crate::blueprint::Blueprint;
use crate::trial::{edited, rendered};
use slipform_analysis::Analysis;
use slipform_changes::{Change, Effect, File, changes};
use slipform_model::plan::Plan;
use slipform_model::{Noun, Placed, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Attr, Stmt, StmtKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// So many words are taken back of a small blueprint; of a larger one fewer, since each takes longer.
const MOST_TRIALS: usize = 24;

/// A blueprint of so many nouns is tried with as many words as a small one.
const SMALL: usize = 50;

/// A word that is another, and the nouns that say it: what is declared in rounds, or by a component, is several.
struct Word<'a> {
    nouns: Vec<&'a Noun>,
    /// What it says now, and said: `nodes 16 -> 32`.
    told: Vec<String>,
    /// What takes it back: where, and what stands there then.
    back: (Span, String),
}

/// Tells each group which words of other nouns made it.
pub(super) fn tell(
    groups: &mut Groups,
    before: &Before,
    (blueprint, now): (&Blueprint, &Analysis),
    old: &[File<'_>],
) {
    let sides = Sides::of(before, now);
    let (Some(plan), Some(then)) = (sides.now, sides.then) else { return };
    let is_open = |group: &Group| group.is_noun && group.effect != Effect::Nothing;
    if !groups.groups.iter().any(is_open) {
        return;
    }
    let mut words = words(before, now, (plan, then), sides);
    words.truncate(MOST_TRIALS * SMALL / plan.model.nouns.len().max(SMALL));
    for word in words {
        // what is told of one noun alone needs no cause
        let others = |group: &Group| {
            is_open(group) && word.nouns.iter().all(|noun| noun.origin != group.origin)
        };
        if !groups.groups.iter().any(others) {
            continue;
        }
        let Some(without) = without(&word, blueprint, now, old) else { continue };
        let Some(name) = word.named() else { continue };
        let cause = (name, word.told.clone());
        for group in groups.groups.iter_mut().filter(|group| others(group)) {
            if group.changes.iter().any(|change| !is_same(change, &without)) {
                group.because_of(cause.clone());
            }
        }
    }
    stand_on(groups);
}

/// Of what Terraform makes anew since something of another noun is, and no word alone was found to make: the words of that noun, or
/// what these come from.
fn stand_on(groups: &mut Groups) {
    let mut told: Vec<(usize, (String, Vec<String>))> = Vec::new();
    let open = groups.groups.iter().enumerate().filter(|(_, group)| group.because.is_empty());
    for (at, group) in open {
        let mut seen = BTreeSet::from([at]);
        let mut next = followed(groups, at);
        while let Some(other) = next.filter(|other| seen.insert(*other)) {
            let Some(cause) = groups.groups.get(other) else { break };
            if !cause.fields.is_empty() {
                if group.is_noun && cause.is_noun {
                    told.push((at, (cause.noun.clone(), cause.fields.clone())));
                }
                break;
            }
            next = followed(groups, other);
        }
    }
    for (at, cause) in told {
        if let Some(group) = groups.groups.get_mut(at) {
            group.because_of(cause);
        }
    }
}

/// The group of what something of a group is made anew with, where that is another group.
fn followed(groups: &Groups, at: usize) -> Option<usize> {
    let of_it = groups.groups.get(at)?.changes.iter();
    let mut blocks = of_it.filter_map(|it| Some((&it.root, it.follows.as_deref()?)));
    blocks.find_map(|(root, block)| {
        let is_it = |it: &Change| {
            it.root == *root
                && it
                    .thing
                    .strip_prefix(block)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let found = groups.groups.iter().position(|group| group.changes.iter().any(is_it))?;
        (found != at).then_some(found)
    })
}

/// Every word that differs in a noun that is there on both sides, and can be taken back by itself.
fn words<'a>(
    before: &'a Before,
    now: &'a Analysis,
    (plan, then): (&'a Plan, &'a Plan),
    sides: Sides<'a>,
) -> Vec<Word<'a>> {
    let Some(former) = &before.analysis else { return Vec::new() };
    let mut found: Vec<Word<'_>> = Vec::new();
    for noun in &plan.model.nouns {
        let Some(twin) = sides.twin(noun) else { continue };
        for (name, told) in differing((twin, Some(then)), (noun, Some(plan))) {
            let (was, is) = (twin.fields.get(&*name), noun.fields.get(&*name));
            let text = |placed: &Placed| former.sources.text(placed.span).to_owned();
            let back = match (was, is) {
                (Some(was), Some(is)) => match text(was) {
                    // it is said elsewhere: by a parameter, by a `let`
                    same if same == now.sources.text(is.span) => {
                        literal(&was.value).map(|it| (is.span, it))
                    }
                    other => Some((is.span, other)),
                },
                (None, Some(is)) => whole(now, noun, is.span).map(|span| (span, String::new())),
                (Some(was), None) => {
                    opened(now, noun).map(|at| (at, format!("\n{name} = {}\n", text(was))))
                }
                (None, None) => None,
            };
            let Some(back) = back else { continue };
            match found.iter_mut().find(|word| word.back.0 == back.0) {
                Some(word) => word.nouns.push(noun),
                None => found.push(Word { nouns: vec![noun], told, back }),
            }
        }
    }
    found
}

impl Word<'_> {
    /// `pool a3m.gpus`, `pool a3m.part[0] and 3 more`
    fn named(&self) -> Option<String> {
        let first = named(self.nouns.first()?);
        Some(match self.nouns.len() {
            1 => first,
            all => format!("{first} and {} more", all - 1),
        })
    }
}

/// A value as a blueprint says it; none of what is more than one word.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Size(_)
        | Value::Duration(_)
        | Value::Cidr(_)
        | Value::Topology(_)
        | Value::Range(_) => Some(value.to_string()),
        Value::Str(text) => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./: ".contains(c);
            text.chars().all(is_plain).then(|| format!("\"{text}\""))
        }
        Value::Variant(word, fields) if fields.is_empty() => Some(word.to_string()),
        _ => None,
    }
}

/// What differs still, once a word is taken back. None where nothing can be rendered then.
fn without(
    word: &Word<'_>,
    blueprint: &Blueprint,
    now: &Analysis,
    old: &[File<'_>],
) -> Option<Vec<Change>> {
    let (span, text) = &word.back;
    let world = edited(blueprint, now, *span, text)?;
    let analysis = blueprint.analyse_in(&world, blueprint.file(), environment(now));
    let artifacts = rendered(&analysis)?;
    Some(changes(old, &files(&artifacts)))
}

/// Whether a change is there all the same, with all that differs.
fn is_same(change: &Change, found: &[Change]) -> bool {
    let is_it = |it: &&Change| {
        (&it.root, &it.file, &it.thing) == (&change.root, &change.file, &change.thing)
    };
    let it = found.iter().find(is_it);
    change.effect == Effect::Nothing
        || it.is_some_and(|it| it.effect == change.effect && it.details == change.details)
}

/// The attribute whose value stands somewhere in the declaration of a noun.
fn whole(now: &Analysis, noun: &Noun, value: Span) -> Option<Span> {
    let file = now.sources.get(noun.declared.file)?;
    let tree = slipform_syntax::parse(noun.declared.file, &file.text);
    let attr = attribute(&tree.stmts, value)?;
    let Range { start, end } = attr.name.span.start..attr.value.span.end;
    Some(Span { start, end, ..value })
}

fn attribute(stmts: &[Stmt], value: Span) -> Option<&Attr> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) if attr.value.span == value => Some(attr),
        kind => super::perhaps::inside(kind).into_iter().find_map(|it| attribute(it, value)),
    })
}

/// Where a word more would stand in the declaration of a noun.
fn opened(now: &Analysis, noun: &Noun) -> Option<Span> {
    let file = now.sources.get(noun.declared.file)?;
    let behind = noun.declared.end as usize;
    let rest = file.text.get(behind..)?;
    let open = rest.len() - rest.trim_start().strip_prefix('{')?.len();
    let at = u32::try_from(behind + open).ok()?;
    Some(Span { start: at, end: at, ..noun.declared })
}
