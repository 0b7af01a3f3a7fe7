//! The known name that a misspelt one was probably meant to be.

/// The candidate closest to `name`, if one is close enough to be meant: equal up to case, `_` and `-`, or at most a
/// third of its letters off.
pub(super) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let plain = fold(name);
    let limit = (plain.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&plain, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

fn fold(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).take(64).collect()
}

/// Letters inserted, removed, replaced, or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    let mut last = None;
    for (row, &a) in left.iter().enumerate() {
        let mut line = vec![row + 1];
        let mut previous = None;
        for (column, &b) in right.iter().enumerate() {
            let at =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut cost = (at(&line, column) + 1).min(at(&above, column + 1) + 1);
            cost = cost.min(at(&above, column) + usize::from(a != b));
            if last == Some(b) && previous == Some(a) && column > 0 {
                cost = cost.min(at(&before, column - 1) + 1);
            }
            line.push(cost);
            previous = Some(b);
        }
        before = std::mem::replace(&mut above, line);
        last = Some(a);
    }
    above.last().copied().unwrap_or(0)
}
