//! Releases of Slurm, and by which of them a cluster comes from one to a later one.

/// The first behind which another follows each half a year; before it nine months lay between two ("Release Announcements").
const HALF_YEARLY: u32 = 23 * 12 + 11;

/// The first that takes over the state of three before it ("Upgrade Guide"); each before it does so of two.
const OF_THREE: u32 = 24 * 12 + 11;

/// Those in between, each as late as may be: none where the daemons of the later one take over the state of the earlier one. Nothing where no releases lead
/// from one to the other.
pub(crate) fn between(old: &str, new: &str) -> Option<Vec<String>> {
    let (from, to) = (months(old)?, months(new)?);
    let mut all = vec![from];
    while let Some(last) = all.last().filter(|it| **it < to) {
        all.push(last + if *last < HALF_YEARLY { 9 } else { 6 });
    }
    all.last().filter(|it| **it == to)?;
    let reaches = |from: usize, to: usize| {
        let most = if all.get(to).is_some_and(|it| *it >= OF_THREE) { 3 } else { 2 };
        to - from <= most
    };
    let (mut now, last) = (0, all.len().checked_sub(1)?);
    let mut way = Vec::new();
    while now < last {
        now = (now + 1..=last).rev().find(|to| reaches(now, *to))?;
        way.extend(all.get(now).filter(|_| now < last));
    }
    let said = |it: u32| {
        let (year, month) = ((it - 1) / 12, (it - 1) % 12 + 1);
        format!("{year}.{month:02}")
    };
    Some(way.into_iter().map(said).collect())
}

/// Since the year that they are counted from.
fn months(release: &str) -> Option<u32> {
    let (year, month) = release.split_once('.')?;
    Some(year.parse::<u32>().ok()?.checked_mul(12)? + month.parse::<u32>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn a_release_is_reached_by_those_in_between() {
        let rows: [(&str, &str, &[&str]); 6] = [
            ("24.05", "24.11", &[]),
            ("23.02", "24.11", &[]),
            ("22.05", "24.05", &["23.11"]),
            ("22.05", "24.11", &["23.11"]),
            ("23.11", "26.05", &["25.05"]),
            ("22.05", "26.05", &["23.11", "25.05"]),
        ];
        for (old, new, way) in rows {
            assert_eq!(between(old, new).unwrap_or_default(), way, "{old} {new}");
        }
        assert_eq!(between("24.05", "31.04"), None);
    }
}
