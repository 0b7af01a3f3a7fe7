//! Releases of Slurm, and by which of them a cluster comes from one to a later one.

/// In their order, as SchedMD made them ("Release Announcements").
const RELEASES: [&str; 11] = [
    "20.02", "20.11", "21.08", "22.05", "23.02", "23.11", "24.05", "24.11", "25.05", "25.11",
    "26.05",
];

/// The first that takes over the state of three before it ("Upgrade Guide"); each before it does so of two.
const OF_THREE: &str = "24.11";

/// Those in between, each as late as may be: none where the daemons of the later one take over the state of the earlier one. Nothing where one of both is not
/// known.
pub(crate) fn between(old: &str, new: &str) -> Option<Vec<&'static str>> {
    let at = |release: &str| RELEASES.iter().position(|it| *it == release);
    let (mut now, last) = (at(old)?, at(new)?);
    let three = at(OF_THREE)?;
    let reaches = |from: usize, to: usize| to - from <= if to >= three { 3 } else { 2 };
    let mut way = Vec::new();
    while now < last {
        now = (now + 1..=last).rev().find(|to| reaches(now, *to))?;
        way.extend(RELEASES.get(now).filter(|_| now < last));
    }
    Some(way)
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
            assert_eq!(between(old, new).as_deref(), Some(way), "{old} {new}");
        }
        assert_eq!(between("24.05", "31.05"), None);
    }
}
