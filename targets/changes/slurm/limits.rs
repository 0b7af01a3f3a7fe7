//! How long jobs of a partition may run, where that is less than before.

use std::collections::BTreeMap;

/// Jobs that wait keep what they asked for, also with `EnforcePartLimits=ALL`.
pub(crate) const SHORTENED: &str = "jobs that wait there and ask for longer wait for ever (PartitionTimeLimit), until `scontrol update JobId=… TimeLimit=…` shortens them or `scancel` ends them";

/// The partitions of a `slurm.conf` whose longest time is less than it was, and what becomes of jobs that wait there.
pub(crate) fn shortened(old: &str, new: &str) -> Option<String> {
    let (old, new) = (longest(old), longest(new));
    let is_less = |(name, now): &(&String, &Option<u64>)| {
        old.get(*name).is_some_and(|then| is_shorter(*then, **now))
    };
    let names: Vec<String> =
        new.iter().filter(is_less).map(|(name, _)| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("less time in {}: {SHORTENED}", names.join(", ")))
}

/// Whether one is less than another; none is without end.
pub(crate) fn is_shorter(then: Option<u64>, now: Option<u64>) -> bool {
    now.is_some_and(|now| then.is_none_or(|then| now < then))
}

/// The longest time of each partition in seconds; nothing where there is no end to it.
fn longest(text: &str) -> BTreeMap<String, Option<u64>> {
    let whole = text.replace("\\\n", " ");
    let partitions = whole.lines().filter_map(|line| {
        let said = |name: &str| {
            let mut words = line.split_whitespace().filter_map(|it| it.split_once('='));
            words.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        let name = said("PartitionName").filter(|it| *it != "DEFAULT")?;
        Some((name.to_owned(), said("MaxTime").and_then(seconds)))
    });
    partitions.collect()
}

/// `60`, `10:30`, `1-12`, `2-00:00:00` (sbatch(1), `--time`); nothing for what is no time.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let parts: Vec<u64> = rest.split(':').map(|it| it.parse().ok()).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match (days.is_some(), parts.as_slice()) {
        (true, [hours]) => (*hours, 0, 0),
        (true, [hours, minutes]) => (*hours, *minutes, 0),
        (false, [minutes]) => (0, *minutes, 0),
        (false, [minutes, seconds]) => (0, *minutes, *seconds),
        (_, [hours, minutes, seconds]) => (*hours, *minutes, *seconds),
        _ => return None,
    };
    let days: u64 = days.map_or(Some(0), |it| it.parse().ok())?;
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::{seconds, shortened};

    #[test]
    fn times_are_read_as_slurm_reads_them() {
        let rows = [
            ("60", Some(3600)),
            ("10:30", Some(630)),
            ("1:00:00", Some(3600)),
            ("1-12", Some(129_600)),
            ("2-00:00:00", Some(172_800)),
            ("INFINITE", None),
        ];
        for (text, expected) in rows {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn less_time_is_told_of_its_partition_alone() {
        let conf = |time: &str| {
            format!("PartitionName=gpu Nodes=a MaxTime={time}\nPartitionName=cpu Nodes=b\n")
        };
        let told = |then, now| shortened(&conf(then), &conf(now));
        let less = told("7-00:00:00", "1-00:00:00").unwrap_or_default();
        assert!(less.starts_with("less time in `gpu`: ") && !less.contains("cpu"), "{less}");
        assert!(told("INFINITE", "60").is_some());
        assert!(told("60", "INFINITE").is_none() && told("60", "120").is_none());
    }
}
