//! Labels and annotations of a patched JobSet and of what it takes pods by, in the form that Kubernetes has for them.

use super::valid::{MOST, SELECTORS, reach};
use super::{Look, record, shown};
use crate::document::{Map, Node};
use crate::labels::{is_label_key, is_label_value};

const FORM: &str =
    "letters, digits, `-`, `_` and `.`, 63 at most, a letter or a digit at both ends";

impl Look<'_> {
    /// What an object is labelled with.
    pub(super) fn labels(&mut self, metadata: &Node) {
        for (key, entry) in record(metadata, "annotations").into_iter().flat_map(Map::iter) {
            // their names are judged in small letters
            self.key("annotations", &key.to_ascii_lowercase(), key, entry.value.as_str());
        }
        self.pairs("labels", record(metadata, "labels"));
    }

    /// The labels by which pods are taken.
    pub(super) fn selectors(&mut self, pod: &Node) {
        for path in SELECTORS {
            let path = format!("{path}.labelSelector");
            let mut found = Vec::new();
            reach(pod, &path.split('.').collect::<Vec<_>>(), &mut found);
            for selector in found {
                self.pairs(&format!("{path}.matchLabels"), record(selector, "matchLabels"));
            }
        }
    }

    fn pairs(&mut self, path: &str, pairs: Option<&Map>) {
        for (key, entry) in pairs.into_iter().flat_map(Map::iter) {
            let value = shown(&entry.value);
            self.key(path, key, key, Some(&value));
            if !is_label_value(&value, MOST) {
                let message = format!("`{value}` is no value of a label");
                self.refuse(path, &value, message, &format!("write {FORM}"));
            }
        }
    }

    fn key(&mut self, path: &str, judged: &str, key: &str, value: Option<&str>) {
        if !is_label_key(judged, MOST) {
            let message = format!("`{key}` is no name of a label or an annotation");
            let help = format!("write {FORM}; a domain may stand in front, with a `/` behind it");
            self.refuse(path, value.unwrap_or_default(), message, &help);
        }
    }
}
