//! What a root says beside its resources: outputs, which providers read it, and what those make of all that is in it.

use super::root::{Output, Reference, references_in};
use super::{Comparison, DEPTH, Fate};
use crate::tree::{Detail, details, names};
use crate::{Change, Effect, File};
use slipform_schema::Shape;
use std::collections::BTreeSet;

impl Comparison {
    /// Outputs that go, and those that are known to be others, or to come from what is made anew.
    pub(super) fn outputs(&self, root: &str) -> Vec<Change> {
        let anew = self.blocks(Fate::is_end);
        let told = |(name, old): (&String, &Output)| {
            let new = self.new.outputs.get(name);
            let told = Change {
                thing: format!("output {name}"),
                origin: old.origin.clone(),
                ..Change::of_file(Effect::InPlace, root, &old.file, "")
            };
            match new {
                None => Some(Change { why: GONE.to_owned(), ..told }),
                Some(new) if new.value != old.value => {
                    let (before, after) = (Some(old.value.clone()), Some(new.value.clone()));
                    let details = vec![Detail { path: String::new(), before, after }];
                    Some(Change { details, origin: new.origin.clone(), ..told })
                }
                Some(new) => {
                    let references = references_in(&new.value, "");
                    let other = references
                        .iter()
                        .any(|it| !is_of_words(it) && self.is_another(it, &anew, DEPTH));
                    other.then(|| Change { why: GIVEN_ANEW.to_owned(), ..told })
                }
            }
        };
        self.old.outputs.iter().filter_map(told).collect()
    }

    /// Another range of providers, and what a provider adds to all that it makes.
    pub(super) fn settings(&self, root: &str, after: &[File<'_>]) -> Vec<Change> {
        let both = self.old.settings.iter();
        let both = both.filter_map(|(name, old)| Some((name, old, self.new.settings.get(name)?)));
        let told = both.filter_map(|(name, old, new)| {
            let details = details(old, new);
            let inner: BTreeSet<&str> =
                details.iter().filter_map(|it| names(&it.path).first().copied()).collect();
            let (effect, why) = match inner.iter().all(|first| SETTINGS.contains(first)) {
                _ if details.is_empty() => return None,
                true if name == "terraform" => (Effect::InPlace, OTHER_RANGE.to_owned()),
                true if inner.contains("default_labels") => {
                    (Effect::InPlace, ADDED_TO_ALL.to_owned())
                }
                true => (Effect::InPlace, SAID_FOR_ALL.to_owned()),
                false => (Effect::MayReplace, "it is not known what this does".to_owned()),
            };
            let file = after.iter().find(|file| file.path.ends_with("versions.tf"));
            let file = file.map(|file| file.path).unwrap_or_default();
            let told = Change::of_file(effect, root, file, &why);
            Some(Change { thing: name.clone(), details, ..told })
        });
        told.collect()
    }
}

/// What is said of a root itself: which releases read it, and where a provider makes what does not say so, and with which labels.
/// Each resource says its project and its place.
const SETTINGS: &[&str] =
    &["required_version", "required_providers", "project", "region", "zone", "default_labels"];

const OTHER_RANGE: &str = "where what is locked is outside of it, `terraform init -upgrade`";
const ADDED_TO_ALL: &str = "what has labels gets them";
const SAID_FOR_ALL: &str = "it is for what says none of its own";

/// What a provider makes of names and places that are written: made anew, it is the same.
const OF_WORDS: &[&str] = &["id", "name", "url", "self_link", "email", "member"];

/// Whether a reference comes to the same when its resource is made anew. A name that nobody writes is one that the provider gives.
fn is_of_words(reference: &Reference) -> bool {
    let resource = reference.block.split('.').next().unwrap_or_default();
    let is_given = || Shape::of(resource).is_some_and(|shape| !shape.takes("name"));
    OF_WORDS.contains(&reference.field.as_str()) && !(reference.field == "name" && is_given())
}

const GIVEN_ANEW: &str = "what it is of is made anew, and it is another from then on";

/// The name of an output that is another, though its text is the same.
pub(crate) fn other_output(change: &Change) -> Option<&str> {
    change.thing.strip_prefix("output ").filter(|_| change.why == GIVEN_ANEW)
}

const GONE: &str = "it is gone, and who asks for it finds nothing";

/// The name of an output that goes.
pub(crate) fn gone_output(change: &Change) -> Option<&str> {
    change.thing.strip_prefix("output ").filter(|_| change.why == GONE)
}
