//! How long Slurm keeps what jobs used, and whom it lets submit, where that is less than before.

use std::collections::BTreeMap;

/// What is deleted, and what keeps it.
pub(crate) fn forgotten(old: &str, new: &str) -> Option<(String, String)> {
    let (was, is) = (purged(old), purged(new));
    let sooner = is.iter().find(|(what, now)| was.get(*what).is_none_or(|then| *now < then));
    let (_, days) = sooner?;
    let host = |name: &str| {
        new.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).map(str::trim)
    };
    let database = host("StorageHost").filter(|it| *it != "localhost").or_else(|| host("DbdHost"));
    let why = format!(
        "what is older than {days} days is deleted from the database with its next purge: jobs, and what shares and reports go by; no archive is made of it"
    );
    let kept = format!(
        "mysqldump --single-transaction slurm_acct_db >slurm_acct_db.older.sql  # on {}, before slurmdbd is started anew, where it is to be kept",
        database.unwrap_or("its host")
    );
    Some((why, kept))
}

/// After how many days each sort of record goes (slurmdbd.conf(5): `PurgeJobAfter` and the like).
fn purged(text: &str) -> BTreeMap<String, u64> {
    let lines = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let what = name.trim().strip_prefix("Purge")?.strip_suffix("After")?;
        let value = value.trim();
        let number = value.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = value.get(number.len()..)?.to_lowercase();
        // months of 30 days are near enough to tell more from less
        let hours = match unit.as_str() {
            "hour" | "hours" => 1,
            "day" | "days" => 24,
            _ => 24 * 30,
        };
        Some((what.to_owned(), (number.parse::<u64>().ok()? * hours).div_ceil(24)))
    });
    lines.collect()
}

/// What holds no more of those who submit.
pub(crate) fn let_in(old: &str, new: &str) -> Option<String> {
    let said = |text: &str| -> Vec<String> {
        let mut lines = text.lines().filter_map(|line| line.split_once('='));
        let found = lines.find(|(name, _)| name.trim() == "AccountingStorageEnforce");
        let words = found.map(|(_, words)| words.trim().to_owned()).unwrap_or_default();
        words.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect()
    };
    let (was, is) = (said(old), said(new));
    let gone: Vec<String> =
        was.iter().filter(|it| !is.contains(it)).map(|it| format!("`{it}`")).collect();
    (!gone.is_empty()).then(|| {
        format!("{} is asked of nobody any more who submits: whoever reaches the cluster may, and limits of accounts hold as far as what is left says", gone.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::{forgotten, let_in};

    #[test]
    fn less_is_kept_where_less_is_said() {
        let conf = |after: &str| format!("DbdHost=db1\nStorageHost=localhost\n{after}");
        let told = |then: &str, now: &str| forgotten(&conf(then), &conf(now));
        let (why, kept) =
            told("PurgeJobAfter=730days\n", "PurgeJobAfter=365days\n").unwrap_or_default();
        assert!(why.contains("older than 365 days") && kept.contains("# on db1"), "{why} {kept}");
        assert!(told("", "PurgeJobAfter=12months\n").is_some());
        assert!(told("PurgeJobAfter=30days\n", "PurgeJobAfter=365days\n").is_none());
        assert!(told("PurgeJobAfter=30days\n", "").is_none());
        let enforce = |words: &str| format!("AccountingStorageEnforce={words}\n");
        assert!(let_in(&enforce("associations,limits"), &enforce("associations")).is_some());
        assert!(let_in(&enforce("associations"), &enforce("associations,limits")).is_none());
    }
}
