//! What fields of the blueprint say in documents that may be patched: a patch does not overrule it unasked.
//!
//! `owned.tsv` has a line for each path of a document: the fields that change what stands there, those of the patched noun
//! by their names, others behind the kind of theirs. Tests make it by changing every field (`tests/coverage.rs`).

use crate::coverage::allowance;
use crate::document::Node;
use crate::patch::locate;
use crate::schema::Overruled;
use crate::{Output, patch};
use slipform_model::plan::Sound;
use slipform_model::{Diagnostic, Noun, Patch, Placed, Severity};
use slipform_source::{Code, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) PATCH_OWNED = "patch/owned":
        "a patch overrules what a field of the blueprint says: rules, and whatever else follows from the field, go by the field",
        "set the field instead, or allow this with a reason";
}

/// The most fields that are named.
const NAMED: usize = 3;

/// What is told of patches and may be allowed: what they overrule, and what no longer fits once they are merged.
pub(crate) fn allowed() -> impl Iterator<Item = Code> {
    let held = [crate::kubernetes::held::CODES, crate::terraform::patch::TOGETHER];
    let new = [PATCH_OWNED, crate::patch::PATCH_NEW_ITEM];
    new.into_iter().chain(held.into_iter().flatten().copied())
}

fn may_be_allowed(name: &str) -> bool {
    allowed().any(|code| code.name == name)
}

/// What a patch overrules of what fields say.
pub(crate) fn told<'a>(
    noun: &'a Noun,
    patch: &'a Patch,
    overruled: &'a [Overruled],
) -> impl Iterator<Item = Diagnostic> + 'a {
    overruled.iter().filter_map(|it| {
        let fields = closest(&patch.target, &owners(&patch.target, it)?);
        let place = Placed { value: patch.value.clone(), span: patch.span };
        let span = locate(&place, &it.path);
        let name = it.names.last()?;
        let says = match (short(&it.is), short(&it.then)) {
            (_, _) if it.then == Node::Null => "takes it away".to_owned(),
            (Some(is), Some(then)) => format!("says {then} instead of {is}"),
            (..) => "says something else".to_owned(),
        };
        let message = format!("`{name}` follows from {}, and a patch {says}", named(noun, &fields));
        let help = "set that instead, or allow this with a reason: `allow patch/owned \"...\"`";
        Some(Diagnostic::error(PATCH_OWNED, message, span).help(help))
    })
}

/// Whether something of this has no form at all: what a patch overrules has one, and may be allowed.
pub(crate) fn stops(told: &[Diagnostic]) -> bool {
    told.iter().any(|it| it.severity == Severity::Error && !may_be_allowed(&it.code))
}

/// Takes away what is allowed; an allowance that is not needed is told where all targets were asked.
pub(crate) fn settle(plan: Sound<'_>, all: bool, out: &mut Output) {
    let nouns = || plan.nouns().map(|it| it.noun());
    let patched =
        |span: Span| nouns().find(|noun| noun.patches.iter().any(|it| patch::says(it, span)));
    let mut used = BTreeSet::new();
    out.diagnostics.retain(|told| {
        let noun = told.span().filter(|_| may_be_allowed(&told.code)).and_then(patched);
        let allow = noun.and_then(|noun| allowance(plan, noun, told));
        used.extend(allow);
        allow.is_none()
    });
    if all {
        crate::coverage::needless(plan, used, may_be_allowed, out);
    }
}

/// The fields that say what stands at a place; `None` where none does.
fn owners(document: &str, it: &Overruled) -> Option<Vec<&'static str>> {
    let table = TABLE.get(document)?;
    let around = (1..=it.names.len()).rev().find_map(|count| {
        let names = it.names.get(..count)?;
        let any =
            names.split_last().map(|(_, around)| [around.join("."), "*".to_owned()].join("."));
        table.get(names.join(".").as_str()).or_else(|| table.get(any?.as_str()))
    });
    let inside = || {
        let prefix = format!("{}.", it.names.join("."));
        let inside = table.iter().filter(|(path, _)| path.starts_with(&prefix));
        let fields: BTreeSet<&str> = inside.flat_map(|(_, fields)| fields.split(' ')).collect();
        (!fields.is_empty()).then(|| fields.into_iter().collect())
    };
    around.map(|fields| fields.split(' ').collect()).or_else(inside)
}

/// The fields that say least besides, those of the noun itself before others: what says a hundred things is seldom meant.
fn closest<'f>(document: &str, fields: &[&'f str]) -> Vec<&'f str> {
    let own = fields.iter().any(|field| !field.contains('.'));
    let fields = || fields.iter().filter(|field| own != field.contains('.')).copied();
    let says = |field: &str| {
        let all = TABLE.get(document).into_iter().flat_map(BTreeMap::values);
        all.filter(|fields| fields.split(' ').any(|it| it == field)).count()
    };
    let least = fields().map(says).min();
    fields().filter(|field| Some(says(field)) == least).collect()
}

/// `nodes` of the pool.
fn named(noun: &Noun, fields: &[&str]) -> String {
    let own: Vec<&&str> = fields.iter().filter(|field| !field.contains('.')).collect();
    let words = |fields: Vec<String>| match fields.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    let most = |fields: Vec<String>| {
        let more = fields.len() > NAMED;
        let shown: Vec<String> = fields.into_iter().take(NAMED).collect();
        words(if more { [shown, vec!["others".to_owned()]].concat() } else { shown })
    };
    if own.is_empty() {
        let of = |field: &&str| match field.split_once('.') {
            Some((kind, field)) => format!("`{field}` of the {kind}"),
            None => format!("`{field}`"),
        };
        return most(fields.iter().map(of).collect());
    }
    format!(
        "{} of the {}",
        most(own.into_iter().map(|it| format!("`{it}`")).collect()),
        noun.kind()
    )
}

/// A value that has room in a sentence.
fn short(node: &Node) -> Option<String> {
    match node {
        Node::Bool(it) => Some(it.to_string()),
        Node::Int(it) => Some(it.to_string()),
        Node::Float(it) => Some(it.to_string()),
        Node::Str(text) if text.len() <= 40 && !text.contains('\n') => Some(format!("`{text}`")),
        Node::Str(_) | Node::Null | Node::Seq(_) | Node::Map(_) => None,
    }
}

type Table = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

/// The fields of each path of each document.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::new();
    for line in include_str!("owned.tsv").lines() {
        let mut words = line.split('\t');
        if let (Some(document), Some(path), Some(fields)) =
            (words.next(), words.next(), words.next())
        {
            table.entry(document).or_default().insert(path, fields);
        }
    }
    table
});
