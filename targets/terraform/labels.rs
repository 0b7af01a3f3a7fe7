//! The names of blocks inside a root: `google_storage_bucket.<label>`.
//!
//! A label is the noun's own name in the usual style of Terraform (`_`, no `-`), so that a reader finds the noun.
//! It never depends on how many nouns there are, save where two would be the same.

use slipform_model::plan::Sound;
use slipform_model::{Noun, NounId};
use std::collections::BTreeMap;

/// The label of every noun.
pub(super) struct Labels<'p> {
    plan: Sound<'p>,
    /// Those that are not the noun's own name.
    odd: BTreeMap<NounId, String>,
}

impl<'p> Labels<'p> {
    /// Names the nouns of a model; siblings get different labels.
    pub(super) fn new(plan: Sound<'p>) -> Self {
        let nouns = || plan.nouns().map(|it| it.noun());
        let odd: Vec<&Noun> = nouns().filter(|noun| !is_label(&noun.outside.name)).collect();
        if odd.is_empty() {
            return Self { plan, odd: BTreeMap::new() };
        }
        let mut uses: BTreeMap<(Option<NounId>, String), usize> = BTreeMap::new();
        for noun in nouns() {
            *uses.entry((noun.parent, snake(&noun.outside.name))).or_default() += 1;
        }
        let label = |noun: &Noun| {
            let short = snake(&noun.outside.name);
            let shared = uses.get(&(noun.parent, short.clone())).is_some_and(|count| *count > 1);
            // dashes are legal in a label, and the names of siblings differ
            if shared { identifier(&noun.outside.name, |c| c == '-') } else { short }
        };
        Self { plan, odd: odd.into_iter().map(|noun| (noun.id, label(noun))).collect() }
    }

    /// The label of a noun.
    pub(super) fn of(&self, id: NounId) -> &str {
        self.odd.get(&id).map_or_else(|| self.plan.noun(id).outside.name.as_str(), String::as_str)
    }
}

/// Whether a name is a label in Terraform's style as it stands.
fn is_label(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A name as Terraform's style has it.
pub(super) fn snake(name: &str) -> String {
    identifier(name, |_| false)
}

/// Letters, digits, `_` and what else is allowed; starts with a letter or `_`.
fn identifier(name: &str, allowed: impl Fn(char) -> bool) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '_' || allowed(c) { c } else { '_' };
    let text: String = name.chars().map(clean).collect();
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text
    } else {
        format!("n_{text}")
    }
}
