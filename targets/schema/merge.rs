//! A patch merged into a document, by the rules that the module states.

use super::Shape;
use super::library::{Kind, PLACE};
use slipform_document::{Item, Map, Node};

impl Shape {
    /// Applies a `patch` to a document. What is not in the shape merges by the plain rules: records by key, lists
    /// replaced. Comments of the patch are added to those of the document.
    pub fn merge(&self, base: &mut Node, patch: Node) {
        self.value(Some(&self.root.kind), base, patch);
    }

    fn value(&self, kind: Option<&Kind>, base: &mut Node, patch: Node) {
        match (base, patch) {
            (Node::Map(base), Node::Map(patch)) => self.map(kind, base, patch),
            (Node::Seq(base), Node::Seq(patch)) => match kind {
                Some(Kind::List(inner, keys)) if keys == &[PLACE] => {
                    self.placed(inner, base, patch)
                }
                Some(Kind::List(inner, keys)) if !keys.is_empty() => {
                    self.keyed(inner, keys, base, patch)
                }
                _ => *base = patch,
            },
            (base, patch) => *base = patch,
        }
    }

    fn map(&self, kind: Option<&Kind>, base: &mut Map, patch: Map) {
        for (key, entry) in patch {
            if entry.value == Node::Null {
                base.remove(&key);
                continue;
            }
            let inner = self.inner(kind, &key);
            let target = base.entry(key);
            join(&mut target.comment, &entry.comment);
            self.value(inner, &mut target.value, entry.value);
        }
    }

    /// The kind of the value under `key`.
    pub(super) fn inner<'k>(&self, kind: Option<&'k Kind>, key: &str) -> Option<&'k Kind>
    where
        Self: 'k,
    {
        match kind? {
            Kind::Map(inner) => Some(inner),
            Kind::Record(name) | Kind::Blocks { record: name, .. } => {
                self.library.record(name)?.field(key).map(|field| &field.kind)
            }
            _ => None,
        }
    }

    /// Items at the places of the patch; those behind stay as they are.
    fn placed(&self, inner: &Kind, base: &mut Vec<Item>, patch: Vec<Item>) {
        for (index, item) in patch.into_iter().enumerate() {
            match base.get_mut(index) {
                Some(target) => {
                    join(&mut target.comment, &item.comment);
                    self.value(Some(inner), &mut target.value, item.value);
                }
                None => base.push(item),
            }
        }
    }

    fn keyed(&self, inner: &Kind, keys: &[&'static str], base: &mut Vec<Item>, patch: Vec<Item>) {
        for item in patch {
            let same = |other: &&mut Item| {
                keys.iter().all(|key| other.value.get(key) == item.value.get(key))
            };
            let named = keys.iter().any(|key| item.value.get(key).is_some());
            match base.iter_mut().find(same).filter(|_| named) {
                Some(target) => {
                    join(&mut target.comment, &item.comment);
                    self.value(Some(inner), &mut target.value, item.value);
                }
                None => base.push(item),
            }
        }
    }
}

pub(super) fn join(comment: &mut String, more: &str) {
    if !comment.is_empty() && !more.is_empty() {
        comment.push('\n');
    }
    comment.push_str(more);
}
