//! The name that a misspelt one was probably meant to be.

/// The name among `known` that `written` most likely means: equal but for case, `_` and `-`, or few edits away.
///
/// At most a third of the letters may differ, and no more than three; none of a word that is too short to be misspelt.
/// Between equals the first wins.
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let written = folded(written);
    let limit = match written.len() {
        0..3 => 0,
        letters => (letters / 3).min(MOST_EDITS),
    };
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = edits(&written, &folded(name), limit + 1);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// What is said of the name that was probably meant; `what` is what it names, with its article.
pub fn similar(what: &str, name: &str) -> String {
    format!("{what} with a similar name exists: `{name}`")
}

/// Words further apart are two words, however long they are.
const MOST_EDITS: usize = 3;

/// Letters that count; what is longer differs early or not at all.
const MOST_LETTERS: usize = 64;

fn folded(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.flat_map(char::to_lowercase).take(MOST_LETTERS).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours between two words; gives up at `limit`.
fn edits(a: &[char], b: &[char], limit: usize) -> usize {
    if a.len().abs_diff(b.len()) >= limit {
        return limit;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(limit);
            let mut best = at(&last, j) + usize::from(x != y);
            best = best.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        (before, last) = (last, row);
    }
    last.last().copied().unwrap_or(limit).min(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_far_one_is_not() {
        let known = ["topology", "nodes", "machine", "let", "max_restarts"];
        for (written, meant) in [
            ("topolgy", Some("topology")),
            ("Nodes", Some("nodes")),
            ("ndoes", Some("nodes")),
            ("lett", Some("let")),
            ("elt", Some("let")),
            ("maxRestarts", Some("max_restarts")),
            ("max-restart", Some("max_restarts")),
            ("capacity", None),
            ("x", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
    }

    #[test]
    fn a_long_name_is_not_meant_by_one_that_differs_in_four_letters() {
        assert_eq!(nearest("checkpoint_bucket_x", ["checkpoint_folders"]), None);
        assert_eq!(nearest("checkpoint_buket", ["checkpoint_bucket"]), Some("checkpoint_bucket"));
    }
}
