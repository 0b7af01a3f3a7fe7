//! The word that was probably meant.

/// The candidate that is fewest edits away from `word`, if the distance is small for a word of that
/// length: one edit up to four letters, two above. Swapped neighbours count as one edit. The first
/// of several equally near ones wins, so the answer does not depend on anything but the arguments.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: Vec<char> = word.chars().take(MAX_WORD + 1).collect();
    if word.len() < 2 || word.len() > MAX_WORD {
        return None;
    }
    let limit = if word.len() <= 4 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = distance(&word, &candidate.chars().collect::<Vec<_>>());
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

const MAX_WORD: usize = 64;

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &[char], b: &[char]) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
            let mut least =
                (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_slip_finds_its_word() {
        let words = ["let", "param", "output", "component", "network"];
        for (slip, meant) in [
            ("lett", Some("let")),
            ("elt", Some("let")),
            ("parma", Some("param")),
            ("ouptut", Some("output")),
            ("netwrk", Some("network")),
            ("x", None),
            ("cluster", None),
        ] {
            assert_eq!(nearest(slip, words), meant, "{slip}");
        }
    }
}
