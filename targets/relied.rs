//! What no field says and everything else goes by: a patch does not change it unasked.
//!
//! `relied.tsv` has a line for each: the document, the path in it, the values that it may have all the same (`-` where there are none), what
//! goes by it, and what to write instead. Among the values `absent` stands for any where the document says none, `more` for greater numbers.

use crate::document::Node;
use crate::schema::Overruled;
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
}

impl Row {
    /// Whether all else goes by what a patch says as well.
    pub(crate) fn allows(&self, it: &Overruled) -> bool {
        let fine = |word: &str| self.fine.contains(&word);
        match (&it.is, &it.then) {
            (Node::Null, _) if fine("absent") => true,
            (Node::Int(is), Node::Int(then)) if fine("more") => then >= is,
            (_, Node::Str(text)) => fine(text),
            (_, Node::Bool(is)) => fine(if *is { "true" } else { "false" }),
            _ => false,
        }
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
        Row { document, path, fine: fine.split(' ').collect(), why: next(), instead: next() }
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
