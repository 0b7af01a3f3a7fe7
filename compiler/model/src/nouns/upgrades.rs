//! When and how clusters and their nodes get newer versions.

use crate::Duration;
use indexmap::IndexMap;
use serde::Deserialize;

/// GKE's release channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// Newest first.
    Rapid,
    /// The middle way.
    Regular,
    /// Oldest first.
    Stable,
    /// Long support.
    Extended,
    /// No channel.
    None,
}

/// When GKE may upgrade a cluster by itself.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maintenance {
    /// The one form.
    Window {
        /// When it opens, `03:00`, UTC.
        start: String,
        /// How long it is open.
        length: Duration,
        /// On which days of the week; none: on all of them.
        days: Vec<Weekday>,
        /// When it stays shut, by a name for each time.
        except: IndexMap<String, Exclusion>,
    },
}

impl Maintenance {
    /// When it stays shut.
    pub fn except(&self) -> &IndexMap<String, Exclusion> {
        let Self::Window { start: _, length: _, days: _, except } = self;
        except
    }
}

/// A day of the week.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    /// Monday
    Mon,
    /// Tuesday
    Tue,
    /// Wednesday
    Wed,
    /// Thursday
    Thu,
    /// Friday
    Fri,
    /// Saturday
    Sat,
    /// Sunday
    Sun,
}

/// A time in which GKE upgrades less.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exclusion {
    /// Nothing at all is upgraded.
    NoUpgrades {
        /// The first day.
        from: String,
        /// The day on which it is over.
        until: String,
    },
    /// Nothing gets another minor version.
    NoMinorUpgrades {
        /// The first day.
        from: String,
        /// The day on which it is over; without it, when the version has no support any more.
        until: Option<String>,
    },
    /// The control plane alone is upgraded, and gets no other minor version.
    NoMinorOrNodeUpgrades {
        /// The first day.
        from: String,
        /// The day on which it is over; without it, when the version has no support any more.
        until: Option<String>,
    },
}

impl Exclusion {
    /// Its first day, and the day on which it is over, where that is said.
    pub fn days(&self) -> (&str, Option<&str>) {
        match self {
            Self::NoUpgrades { from, until } => (from, Some(until)),
            Self::NoMinorUpgrades { from, until } | Self::NoMinorOrNodeUpgrades { from, until } => {
                (from, until.as_deref())
            }
        }
    }

    /// What is not upgraded, as blueprints spell it.
    pub fn scope(&self) -> &'static str {
        match self {
            Self::NoUpgrades { .. } => "no_upgrades",
            Self::NoMinorUpgrades { .. } => "no_minor_upgrades",
            Self::NoMinorOrNodeUpgrades { .. } => "no_minor_or_node_upgrades",
        }
    }

    /// How many days it takes; `None` where it has no end, or ends on a day that no calendar has.
    pub fn length(&self) -> Option<i64> {
        let (from, until) = self.days();
        Some(number_of_day(until?)? - number_of_day(from)?)
    }
}

/// Days since the first of March of the year 0 in a calendar that is continued backwards; `None` for a day that is none, `2026-02-30`.
pub fn number_of_day(day: &str) -> Option<i64> {
    let mut parts = day.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !(1..=12).contains(&month) || !(1..=longest).contains(&day) {
        return None;
    }
    // counted from March on, the months have 30.6 days, and the leap day is the last one of its year
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1)
}

/// Who begins an upgrade of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upgrades {
    /// GKE, in the windows of the cluster.
    Automatic,
    /// GKE, once their version has no support any more.
    EndOfSupport,
    /// People alone.
    ByHand,
}

/// How nodes are upgraded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpgradeBy {
    /// Some at a time.
    Surge {
        /// Nodes that are made besides.
        extra: i64,
        /// Nodes that may be missing.
        missing: i64,
    },
    /// As many again are made, and the old ones go once the new ones have stood for a while.
    BlueGreen {
        /// Nodes that are emptied at a time.
        batch: i64,
        /// How long after each batch.
        batch_soak: Duration,
        /// How long after all of them.
        soak: Duration,
    },
}

/// How often the machines under nodes are maintained.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostMaintenance {
    /// When it is needed.
    AsNeeded,
    /// All at once, at intervals.
    Periodic,
}

#[cfg(test)]
mod tests {
    use super::number_of_day;

    #[test]
    fn days_are_counted_over_leap_years() {
        let between = |from, until| Some(number_of_day(until)? - number_of_day(from)?);
        assert_eq!(between("2027-12-31", "2028-01-01"), Some(1));
        assert_eq!(between("2028-02-28", "2028-03-01"), Some(2));
        assert_eq!(between("2026-02-28", "2026-03-01"), Some(1));
        assert_eq!(between("2026-01-01", "2027-01-01"), Some(365));
        assert_eq!(number_of_day("2026-02-29"), None);
        assert_eq!(number_of_day("2026-04-31"), None);
    }
}
