//! What nouns are called, and what that is made of: their own names, the components and the loops around them.

use super::Site;
use crate::eval::Evaluation;
use crate::schema::Kind;
use crate::schema::NAMES_DUPLICATE;
use slipform_model::{Diagnostic, Map, NounId, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Decl, Name};
use std::sync::Arc;

/// Where names that nouns are made under were first given, by what they lie in and their kind.
#[derive(Default)]
pub(in crate::eval) struct Named {
    first: Map<(Option<NounId>, Arc<str>, String), Span>,
    /// How many nouns this knows.
    nouns: usize,
}

impl Evaluation<'_, '_> {
    /// The name of a noun and its path.
    pub(super) fn names(&self, name: &Name, site: &Site) -> (String, String) {
        let mut parts = site.name.clone();
        if !site.only {
            parts.push(name.value.to_string());
        }
        parts.extend(site.keys.iter().map(slug));
        (parts.join("-"), format!("{}{}", site.path, keyed(name, site)))
    }

    /// Reports a name that another noun has already.
    pub(super) fn unique(&mut self, name: &str, kind: &Kind, site: &Site, at: Span) {
        // Plain declarations of one name are found without evaluating anything; only loops can clash here.
        if site.keys.is_empty() && site.name.is_empty() {
            return;
        }
        while let Some(noun) = self.nouns.get(self.named.nouns) {
            let named = (noun.parent, noun.kind.name.clone(), noun.name.clone());
            self.named.first.entry(named).or_insert(noun.header);
            self.named.nouns += 1;
        }
        let named = (site.parent, kind.name.clone(), name.to_owned());
        if let Some(first) = self.named.first.get(&named).copied() {
            self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("two nouns would be called `{name}`"),
                    at,
                )
                .also(first, "the other one")
                .help("the keys of a loop must differ in their letters and digits"),
            );
        }
    }
}

/// `gpus`, `slice[0]`, `c["us-east4-a"]`
fn keyed(name: &Name, site: &Site) -> String {
    let mut keyed = name.value.to_string();
    for key in &site.keys {
        match key {
            Value::Int(number) => keyed.push_str(&format!("[{number}]")),
            key => keyed.push_str(&format!("[{:?}]", key.to_string())),
        }
    }
    keyed
}

/// How the blueprint declares it. What stands alone in a component is what the component's use declares.
pub(super) fn origin(decl: &Decl, name: &Name, site: &Site) -> String {
    if site.only {
        return site.origin.clone();
    }
    let own = format!("{} {}", decl.kind.value, keyed(name, site));
    if site.origin.is_empty() { own } else { format!("{}, {own}", site.origin) }
}

/// A key as a part of a name: small letters and digits, anything else a dash.
fn slug(key: &Value) -> String {
    let text = key.to_string().to_lowercase();
    let dashed: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}
