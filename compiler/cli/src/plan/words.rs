//! What the words of a noun say now, and said.

use crate::report::words::{apart, short};
use slipform_model::plan::Plan;
use slipform_model::{Noun, Placed, Record, Value};
use std::collections::BTreeSet;

/// Characters of one value.
const MOST: usize = 60;

/// A noun, and the plan that its references are of.
pub(super) type Said<'a> = (&'a Noun, Option<&'a Plan>);

/// The words of a noun that say something else. Of long ones it is told what differs in them: `launch.args.steps 100 -> 200`.
pub(super) fn fields(then: Said<'_>, now: Said<'_>) -> Vec<String> {
    differing(then, now).into_iter().flat_map(|(_, told)| told).collect()
}

/// The same, by the first name of each.
pub(super) fn differing(then: Said<'_>, now: Said<'_>) -> Vec<(String, Vec<String>)> {
    let (old, new) = (&then.0.fields, &now.0.fields);
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).map(|name| &**name).collect();
    let told = names.into_iter().map(|name| {
        let mut comparison = Comparison { then: then.1, now: now.1, found: Vec::new() };
        let said = |fields: &'_ Record| fields.get(name).map(|placed| placed.value.clone());
        comparison.compare(name, said(old).as_ref(), said(new).as_ref());
        (name.to_owned(), comparison.found)
    });
    told.filter(|(_, told)| !told.is_empty()).collect()
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

struct Comparison<'a> {
    then: Option<&'a Plan>,
    now: Option<&'a Plan>,
    found: Vec<String>,
}

impl Comparison<'_> {
    fn compare(&mut self, path: &str, old: Option<&Value>, new: Option<&Value>) {
        if self.is_same(old, new) {
            return;
        }
        match (old, new) {
            (Some(Value::Record(old)), Some(Value::Record(new))) => self.inside(path, old, new),
            (Some(Value::Variant(word, old)), Some(Value::Variant(other, new)))
                if word == other =>
            {
                self.inside(path, old, new);
            }
            (Some(Value::List(old)), Some(Value::List(new))) => self.items(path, old, new),
            _ => {
                let path_of: Called = |noun| &noun.path;
                let old = old.map(|value| plain(value, self.then, path_of));
                let new = new.map(|value| plain(value, self.now, path_of));
                self.found.push(arrow(path, old.as_deref(), new.as_deref()));
            }
        }
    }

    /// A noun that has another name is the same one.
    fn is_same(&self, old: Option<&Value>, new: Option<&Value>) -> bool {
        let outside: Called = |noun| &noun.outside.path;
        old.map(|value| plain(value, self.then, outside))
            == new.map(|value| plain(value, self.now, outside))
    }

    fn inside(&mut self, path: &str, old: &Record, new: &Record) {
        let names: BTreeSet<&str> = old.keys().chain(new.keys()).map(|name| &**name).collect();
        for name in names {
            let said = |fields: &'_ Record| fields.get(name).map(|placed| placed.value.clone());
            self.compare(&format!("{path}.{name}"), said(old).as_ref(), said(new).as_ref());
        }
    }

    /// Where one item is another one, what differs in it; otherwise the items that come and go.
    fn items(&mut self, path: &str, old: &[Placed], new: &[Placed]) {
        let unlike =
            |(old, new): &(&Placed, &Placed)| !self.is_same(Some(&old.value), Some(&new.value));
        let pairs: Vec<(usize, (&Placed, &Placed))> =
            old.iter().zip(new).enumerate().filter(|(_, pair)| unlike(pair)).collect();
        if let (true, [(at, (old, new))]) = (old.len() == new.len(), pairs.as_slice()) {
            return self.compare(&format!("{path}[{at}]"), Some(&old.value), Some(&new.value));
        }
        let has = |all: &[Placed], it: &Placed, comes: bool| {
            all.iter().any(|other| match comes {
                true => self.is_same(Some(&other.value), Some(&it.value)),
                false => self.is_same(Some(&it.value), Some(&other.value)),
            })
        };
        let path_of: Called = |noun| &noun.path;
        let gone = old.iter().filter(|it| !has(new, it, false));
        let come = new.iter().filter(|it| !has(old, it, true));
        let gone = gone.map(|it| arrow(path, Some(&plain(&it.value, self.then, path_of)), None));
        let come = come.map(|it| arrow(path, None, Some(&plain(&it.value, self.now, path_of))));
        let mut told: Vec<String> = gone.chain(come).collect();
        if told.is_empty() {
            told.push(format!("{path} in another order"));
        }
        self.found.extend(told);
    }
}

/// By what a noun goes.
type Called = fn(&Noun) -> &String;

/// A value as the blueprint writes it, nouns by their paths: their numbers are others in another blueprint.
fn plain(value: &Value, plan: Option<&Plan>, called: Called) -> String {
    match value {
        Value::Ref(noun) => {
            let noun = plan.and_then(|plan| plan.model.get(noun.id));
            noun.map_or_else(|| value.to_string(), |noun| called(noun).clone())
        }
        Value::Deferred(it) => {
            let noun = plan.and_then(|plan| plan.model.get(it.noun));
            noun.map_or_else(|| value.to_string(), |noun| format!("{}.{}", called(noun), it.field))
        }
        Value::List(items) => {
            let items: Vec<String> =
                items.iter().map(|item| plain(&item.value, plan, called)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Record(fields) | Value::Variant(_, fields) => {
            let word = match value {
                Value::Variant(word, _) => word.to_string(),
                _ => String::new(),
            };
            let written =
                fields.iter().filter(|(_, it)| !matches!(it.value, Value::Auto | Value::Absent));
            let fields =
                written.map(|(name, it)| format!("{name} = {}", plain(&it.value, plan, called)));
            let fields = fields.collect::<Vec<_>>().join(", ");
            if fields.is_empty() { word } else { format!("{word}({fields})") }
        }
        other => other.to_string(),
    }
}
