//! What no field says and everything else goes by: a patch does not change it unasked.
//!
//! `relied.tsv` has a line for each: the document, the path in it, the values that it may have all the same (`-` where there are none), what
//! goes by it, what to write instead, and, where there is one, what beside it in its item of a list keeps it to a part that nothing goes by. Among the values `absent` stands for any where the document says none, `more` for greater numbers.

use crate::document::Node;
use crate::schema::{Overruled, Step};
use slipform_model::Value;
use std::sync::LazyLock;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) PATCH_RELIED = "patch/relied-on":
        "a patch changes what no field says, and what else is written here goes by all the same",
        "leave it as it is, or allow this with a reason";
}

/// What is relied on at a path of a document.
pub(crate) struct Row {
    document: &'static str,
    path: &'static str,
    /// The words that it may be.
    fine: Vec<&'static str>,
    /// What goes by it.
    pub(crate) why: &'static str,
    /// What to do about it.
    pub(crate) instead: &'static str,
    /// What keeps it to a part that nothing goes by, from its item of a list on.
    part: Option<&'static str>,
}

impl Row {
    /// Whether all else goes by what a patch says as well.
    pub(crate) fn allows(&self, it: &Overruled) -> bool {
        let fine = |word: &str| self.fine.contains(&word);
        match (&it.is, &it.then) {
            (Node::Null, _) if fine("absent") => true,
            (Node::Int(is), Node::Int(then)) if fine("more") => then >= is,
            (_, Node::Str(text)) => fine(text),
            (_, Node::Int(then)) => fine(&then.to_string()),
            (_, Node::Bool(is)) => fine(if *is { "true" } else { "false" }),
            _ => false,
        }
    }
}

impl Row {
    /// Whether the patch keeps what it says to a part that nothing goes by.
    pub(crate) fn is_apart(&self, patch: &Value, it: &Overruled) -> bool {
        let Some(part) = self.part else { return false };
        let items = it.path.iter().rposition(|step| matches!(step, Step::Index(_)));
        let steps = it.path.iter().take(items.map_or(0, |at| at + 1)).cloned();
        let keys = part.split('.').map(|key| Step::Key(key.to_owned()));
        let found = steps.chain(keys).try_fold(patch, |value, step| match (value, step) {
            (Value::Record(fields), Step::Key(key)) => fields.get(&*key).map(|it| &it.value),
            (Value::List(items), Step::Index(at)) => items.get(at).map(|it| &it.value),
            // one block may stand for a list of one
            (_, Step::Index(0)) => Some(value),
            _ => None,
        });
        found.is_some_and(|value| !matches!(value, Value::List(items) if items.is_empty()))
    }
}

/// The row of a value.
pub(crate) fn row(document: &str, it: &Overruled) -> Option<&'static Row> {
    let path = it.names.join(".");
    let around = format!("{path}.");
    // what takes a whole block away takes all of it away
    let whole = it.then == Node::Null && it.is != Node::Null;
    ROWS.iter()
        .filter(|row| row.document == document)
        .find(|row| row.path == path || whole && row.path.starts_with(&around))
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut words = line.split('\t');
        let mut next = || words.next().unwrap_or_default();
        let (document, path, fine) = (next(), next(), next());
        let (why, instead) = (next(), next());
        let part = Some(next()).filter(|part| !part.is_empty());
        Row { document, path, fine: fine.split(' ').collect(), why, instead, part }
    };
    include_str!("relied.tsv").lines().map(row).collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patchable;

    #[test]
    fn what_is_relied_on_is_in_documents() {
        for row in ROWS.iter() {
            assert!(!row.why.is_empty() && !row.instead.is_empty(), "{}", row.path);
            let keys: Vec<String> = row.path.split('.').map(str::to_owned).collect();
            for (at, key) in keys.iter().enumerate() {
                let fields = patchable::at(row.document, keys.get(..at).unwrap_or_default()).fields;
                // below a field of any keys there are none that are known
                assert!(
                    at > 0 && fields.is_empty() || fields.iter().any(|field| field.name == *key),
                    "{}: no {key} in {}",
                    row.document,
                    row.path
                );
                if fields.is_empty() {
                    break;
                }
            }
        }
    }
}
