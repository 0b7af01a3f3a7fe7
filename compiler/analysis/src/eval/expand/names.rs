//! What nouns are called, and what that is made of: their own names, the components and the loops around them.

use super::Site;
use crate::eval::Evaluation;
use crate::schema::Kind;
use crate::schema::NAMES_DUPLICATE;
use slipform_model::{Diagnostic, Map, NounId, Outside, Value};
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
        let Outside { name, path } =
            site.called_outside(&site.own(&name.value), &site.keyed(&name.value));
        (name, path)
    }

    /// Reports a name that another noun has already.
    pub(super) fn unique(&mut self, name: &str, kind: &Kind, site: &Site, at: Span) {
        // Plain declarations of one name are found without evaluating anything; only loops can clash here.
        if site.keys.is_empty() && site.name.is_none() {
            return;
        }
        while let Some(noun) = self.nouns.get(self.named.nouns) {
            if noun.called.is_none() {
                let named = (noun.parent, noun.kind.name.clone(), noun.name.clone());
                self.named.first.entry(named).or_insert(noun.header);
            }
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

impl Site {
    /// `gpus`, `slice-0`, `c-us-east4-a`
    pub(in crate::eval) fn own(&self, name: &str) -> String {
        std::iter::once(name.to_owned())
            .chain(self.keys.iter().map(slug))
            .collect::<Vec<_>>()
            .join("-")
    }

    /// `gpus`, `slice[0]`, `c["us-east4-a"]`
    pub(in crate::eval) fn keyed(&self, name: &str) -> String {
        let mut keyed = name.to_owned();
        for key in &self.keys {
            match key {
                Value::Int(number) => keyed.push_str(&format!("[{number}]")),
                key => keyed.push_str(&format!("[{:?}]", key.to_string())),
            }
        }
        keyed
    }

    /// `slice[0]` of the `slice-0` that something was called in these rounds; the name itself where it does not end in their
    /// keys.
    fn keyed_again(&self, was: &str) -> String {
        let own = was.strip_suffix(&self.own(""));
        own.filter(|own| !own.is_empty()).map_or_else(|| was.to_owned(), |own| self.keyed(own))
    }

    /// The own name and the end of the path of what was called so: `slice-0`, or as a blueprint refers to it, `slice[0]`.
    pub(in crate::eval) fn formerly(&self, was: &str) -> (String, String) {
        let Some((own, keys)) = was.split_once('[') else {
            return (was.to_owned(), self.keyed_again(was));
        };
        let keys = keys.trim_end_matches(']').split("][").map(|key| match key.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => Value::Str(key.trim_matches('"').into()),
        });
        let site = Self { keys: keys.collect(), ..self.clone() };
        (site.own(own), site.keyed(own))
    }

    /// The whole name and path of what stands here, by its own.
    pub(in crate::eval) fn called_outside(&self, own: &str, keyed: &str) -> Outside {
        let name = match &self.name {
            Some(used) if self.only => used.clone(),
            Some(used) => format!("{used}-{own}"),
            None => own.to_owned(),
        };
        Outside { name, path: format!("{}{keyed}", self.path) }
    }

    /// The same place, where what is around it is called so.
    pub(in crate::eval) fn within(self, around: &Outside) -> Self {
        let name = self.name.map(|_| around.name.clone());
        Self { name, path: format!("{}.", around.path), ..self }
    }
}

/// How the blueprint declares it. What stands alone in a component is what the component's use declares.
pub(super) fn origin(decl: &Decl, name: &Name, site: &Site) -> String {
    if site.only {
        return site.origin.clone();
    }
    let own = format!("{} {}", decl.kind.value, site.keyed(&name.value));
    if site.origin.is_empty() { own } else { format!("{}, {own}", site.origin) }
}

/// A key as a part of a name: small letters and digits, anything else a dash.
fn slug(key: &Value) -> String {
    let text = key.to_string().to_lowercase();
    let dashed: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}
