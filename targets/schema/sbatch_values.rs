//! The forms that values of sbatch's options have, from its manual page. What is not here takes any text.

/// What the value of an option has to be, where it is not.
#[must_use]
pub fn misses(option: &str, value: &str) -> Option<&'static str> {
    // what the site's own scripts fill in
    if value.contains('$') {
        return None;
    }
    let (fits, wanted) = form(option)?.judged(value);
    (!fits).then_some(wanted)
}

/// What the value of an option has to be; nothing where that is any text.
#[must_use]
pub fn wanted(option: &str) -> Option<&'static str> {
    Some(form(option)?.judged("").1)
}

/// The words that the value of an option may be, or be made of.
#[must_use]
pub fn words(option: &str) -> &'static [&'static str] {
    match form(option) {
        Some(Form::Word(words, _) | Form::Words(words, _)) => words,
        _ => &[],
    }
}

fn form(option: &str) -> Option<Form> {
    let mut known = FORMS.iter();
    known.find(|(options, _)| options.split(' ').any(|it| it == option)).map(|(_, form)| *form)
}

#[derive(Clone, Copy)]
enum Form {
    /// `90`, `1:30:00`, `2-12`, `2-12:30:00`, `infinite`.
    Time,
    /// `16:00`, `2026-12-01T08:00:00`, `now+1hour`, `tomorrow`.
    Moment,
    /// `64G`, in megabytes without a letter.
    Size,
    Count,
    /// A number that may be below zero.
    Number,
    /// `[R|B:]SIGNAL[@SECONDS]`.
    Signal,
    /// `afterok:123:124,afterany:125`, `singleton`.
    Dependency,
    /// `0-31%4`, `1,3,5`.
    Array,
    /// `2@10:00`.
    Switches,
    /// One of these, in any case.
    Word(&'static [&'static str], &'static str),
    /// Some of these, with commas between.
    Words(&'static [&'static str], &'static str),
    /// `block:cyclic,Pack`.
    Distribution,
    /// Hosts: `n[1-4],n7`, or the path of a file.
    Hosts,
}

const FORMS: &[(&str, Form)] = &[
    ("time time-min", Form::Time),
    ("begin deadline", Form::Moment),
    ("mem mem-per-cpu mem-per-gpu tmp", Form::Size),
    (
        "cpus-per-gpu cpus-per-task mincpus ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket core-spec thread-spec \
         cores-per-socket sockets-per-node threads-per-core segment delay-boot",
        Form::Count,
    ),
    ("nice", Form::Number),
    ("signal", Form::Signal),
    ("dependency", Form::Dependency),
    ("array", Form::Array),
    ("switches", Form::Switches),
    ("distribution", Form::Distribution),
    ("nodelist exclude", Form::Hosts),
    ("wait-all-nodes", Form::Word(&["0", "1"], "`0` or `1`")),
    ("kill-on-invalid-dep", Form::Word(&["yes", "no"], "`yes` or `no`")),
    ("open-mode", Form::Word(&["append", "truncate"], "`append` or `truncate`")),
    ("exclusive", Form::Word(&["user", "mcs", "topo"], "`true`, `user`, `mcs` or `topo`")),
    (
        "hint",
        Form::Words(
            &["compute_bound", "memory_bound", "multithread", "nomultithread", "help"],
            "one of compute_bound, memory_bound, multithread, nomultithread",
        ),
    ),
    (
        "mail-type",
        Form::Words(
            &[
                "none",
                "begin",
                "end",
                "fail",
                "requeue",
                "all",
                "invalid_depend",
                "stage_out",
                "time_limit",
                "time_limit_90",
                "time_limit_80",
                "time_limit_50",
                "array_tasks",
            ],
            "one or more of NONE, BEGIN, END, FAIL, REQUEUE, ALL, INVALID_DEPEND, STAGE_OUT, TIME_LIMIT, TIME_LIMIT_90, TIME_LIMIT_80, \
             TIME_LIMIT_50, ARRAY_TASKS",
        ),
    ),
    (
        "profile",
        Form::Words(
            &["all", "none", "energy", "task", "lustre", "network"],
            "one or more of all, none, energy, task, lustre, network",
        ),
    ),
];

impl Form {
    /// Whether a value fits, and what would.
    fn judged(self, value: &str) -> (bool, &'static str) {
        let lower = value.to_ascii_lowercase();
        match self {
            Self::Time => {
                (is_time(&lower), "a time, such as `90` minutes, `1:30:00` or `2-12:30:00`")
            }
            Self::Moment => (
                is_moment(&lower),
                "a moment, such as `16:00`, `2026-12-01T08:00:00`, `now+1hour` or `tomorrow`",
            ),
            Self::Size => {
                (is_count(lower.trim_end_matches(['k', 'm', 'g', 't'])), "a size, such as `64G`")
            }
            Self::Count => (is_count(value), "a number"),
            Self::Number => (is_count(value.trim_start_matches('-')), "a number"),
            Self::Signal => (is_signal(&lower), "a signal, such as `B:USR1@300`"),
            Self::Dependency => (
                lower.split([',', '?']).all(is_dependency),
                "what it waits for, such as `afterok:123` or `singleton`",
            ),
            Self::Array => (
                lower.split('%').count() <= 2
                    && lower.chars().any(|c| c.is_ascii_digit())
                    && lower.chars().all(|c| c.is_ascii_digit() || "-,:%".contains(c)),
                "numbers, such as `0-31%4`",
            ),
            Self::Switches => {
                let (count, wait) = lower.split_once('@').unwrap_or((&lower, "1"));
                (is_count(count) && is_time(wait), "a number of switches, such as `1@10:00`")
            }
            Self::Word(words, wanted) => (words.contains(&lower.as_str()), wanted),
            Self::Words(words, wanted) => (lower.split(',').all(|it| words.contains(&it)), wanted),
            Self::Distribution => (
                is_distribution(&lower),
                "how tasks are dealt, such as `block:cyclic` or `plane=8`",
            ),
            Self::Hosts => {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,[]/".contains(c);
                (!value.is_empty() && value.chars().all(plain), "hosts, such as `n[1-4],n7`")
            }
        }
    }
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn is_time(text: &str) -> bool {
    if matches!(text, "infinite" | "unlimited" | "-1") {
        return true;
    }
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(days), rest),
        None => (None, text),
    };
    days.is_none_or(is_count) && rest.split(':').count() <= 3 && rest.split(':').all(is_count)
}

/// A moment as sbatch reads it: a time, a day, both, or a word. What is held here was tried against `sbatch` 24.11: `now+1h` and a month of 13 are refused,
/// `2027-02-30` is not.
fn is_moment(text: &str) -> bool {
    const DAYS: [&str; 7] =
        ["today", "tomorrow", "midnight", "noon", "elevenses", "fika", "teatime"];
    if let Some(rest) = text.strip_prefix("now") {
        let rest = rest.replace(' ', "");
        let Some(rest) = rest.strip_prefix(['+', '-']) else { return rest.is_empty() };
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let units = ["", "second", "minute", "hour", "day", "week"];
        return rest.starts_with(|c: char| c.is_ascii_digit())
            && units.contains(&unit.strip_suffix('s').unwrap_or(unit));
    }
    if text.strip_prefix("uts").is_some_and(is_count) {
        return true;
    }
    let is_part = |it: &str| DAYS.contains(&it) || is_clock(it) || is_day(it);
    // a day and a time are joined by `T`, a dash or a blank
    let joined = |(at, joint): (usize, &str)| {
        let (day, clock) = (text.get(..at), text.get(at + joint.len()..));
        day.zip(clock).is_some_and(|(day, clock)| is_day(day) && is_clock(clock))
    };
    is_part(text)
        || text.match_indices(['t', '-']).any(joined)
        || text.split_once(' ').is_some_and(|(a, b)| is_part(a) && is_part(b.trim()))
}

/// `16:00`, `8:30:15`, `4:00pm`.
fn is_clock(text: &str) -> bool {
    let half = text.strip_suffix("am").or_else(|| text.strip_suffix("pm"));
    let most = if half.is_some() { 12 } else { 23 };
    let parts: Vec<&str> = half.unwrap_or(text).trim_end().split(':').collect();
    let within = |it: &str, most: u32| is_count(it) && it.parse::<u32>().is_ok_and(|it| it <= most);
    match parts.as_slice() {
        [hour, rest @ ..] if !rest.is_empty() && rest.len() < 3 => {
            within(hour, most) && rest.iter().all(|it| within(it, 59))
        }
        _ => false,
    }
}

/// `2026-12-01`, `12/01/26`, `12.01`, `1201`, `120126`.
fn is_day(text: &str) -> bool {
    let is_date = |month: &str, day: &str| {
        let of = |it: &str| Some(it).filter(|it| is_count(it) && it.len() < 3)?.parse::<u32>().ok();
        of(month).is_some_and(|it| (1..=12).contains(&it))
            && of(day).is_some_and(|it| (1..=31).contains(&it))
    };
    let split = |joint: char| text.split(joint).collect::<Vec<_>>();
    match split('-').as_slice() {
        [year, month, day] => {
            return year.len() == 4 && is_count(year) && month.len() == 2 && is_date(month, day);
        }
        [_] => {}
        _ => return false,
    }
    for joint in ['/', '.'] {
        match split(joint).as_slice() {
            [month, day] => return is_date(month, day),
            [month, day, year] => return is_date(month, day) && is_count(year),
            _ => {}
        }
    }
    let plain = is_count(text) && matches!(text.len(), 4 | 6);
    plain
        && text
            .split_at_checked(2)
            .and_then(|(month, rest)| Some((month, rest.get(..2)?)))
            .is_some_and(|(month, day)| is_date(month, day))
}

fn is_signal(text: &str) -> bool {
    let (_, text) = text.split_once(':').map_or(("", text), |(kind, rest)| {
        if matches!(kind, "r" | "b" | "rb" | "br") { (kind, rest) } else { ("", text) }
    });
    let (signal, seconds) = text.split_once('@').unwrap_or((text, "60"));
    const SIGNALS: [&str; 19] = [
        "hup", "int", "quit", "abrt", "kill", "alrm", "term", "usr1", "usr2", "urg", "cont",
        "stop", "tstp", "ttin", "ttou", "pipe", "chld", "xcpu", "trap",
    ];
    let known = is_count(signal) || SIGNALS.contains(&signal.trim_start_matches("sig"));
    known && is_count(seconds)
}

fn is_dependency(text: &str) -> bool {
    const KINDS: [&str; 6] =
        ["after", "afterany", "afterburstbuffer", "aftercorr", "afternotok", "afterok"];
    let mut parts = text.split(':');
    let kind = parts.next().unwrap_or_default();
    if kind == "singleton" {
        return parts.next().is_none();
    }
    let job = |job: &str| job.starts_with(|c: char| c.is_ascii_digit());
    let jobs: Vec<&str> = parts.collect();
    KINDS.contains(&kind) && !jobs.is_empty() && jobs.into_iter().all(job)
}

fn is_distribution(text: &str) -> bool {
    let (levels, pack) = text.split_once(',').unwrap_or((text, "pack"));
    let level = |it: &str| {
        matches!(it, "*" | "block" | "cyclic" | "arbitrary" | "fcyclic" | "plane")
            || it.strip_prefix("plane=").is_some_and(is_count)
    };
    matches!(pack, "pack" | "nopack")
        && levels.split(':').count() <= 3
        && levels.split(':').all(level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sbatch;

    #[test]
    fn values_have_the_form_that_sbatch_reads() {
        for (option, value) in [
            ("time", "90"),
            ("time", "2-12:30:00"),
            ("time", "UNLIMITED"),
            ("begin", "now+1hour"),
            ("begin", "16:00"),
            ("deadline", "2026-12-01T08:00:00"),
            ("begin", "tomorrow"),
            ("begin", "now+60"),
            ("begin", "now + 2 hours"),
            ("begin", "now-1hour"),
            ("begin", "4:00pm"),
            ("begin", "1201"),
            ("begin", "12/01/27-08:00"),
            ("begin", "12.01.27"),
            ("begin", "16:00 12/01"),
            ("begin", "2026-12-01-08:00"),
            ("begin", "2026-12-01T8:00"),
            ("begin", "uts1700000000"),
            ("mem", "64G"),
            ("mem", "0"),
            ("nice", "-5"),
            ("signal", "B:USR1@300"),
            ("signal", "SIGTERM"),
            ("signal", "R:10@5"),
            ("dependency", "afterok:1:2,afterany:3"),
            ("dependency", "singleton"),
            ("dependency", "afterok:$ID"),
            ("dependency", "after:5+10"),
            ("array", "0-31%4"),
            ("array", "1,3,5-9:2"),
            ("switches", "2@10:00"),
            ("mail-type", "END,FAIL"),
            ("exclusive", "user"),
            ("open-mode", "append"),
            ("distribution", "block:cyclic"),
            ("distribution", "plane=8"),
            ("nodelist", "n[1-4],m7"),
            ("comment", "anything at all"),
            ("qos", "high"),
            ("hint", "nomultithread"),
        ] {
            assert_eq!(misses(option, value), None, "{option} {value}");
        }
        for (option, _) in FORMS {
            for option in option.split_whitespace() {
                assert!(sbatch::option(option).is_some(), "{option}");
                assert!(misses(option, "potato pie").is_some(), "{option}");
            }
        }
        for (option, value) in [
            ("time", "1h"),
            ("mem", "64 GB"),
            ("dependency", "afterok"),
            ("signal", "USR9@1"),
            ("array", "a-b"),
            ("begin", "2027-13-01"),
            ("begin", "2027-12-32"),
            ("begin", "2027-12-01T25:00"),
            ("begin", "24:00"),
            ("begin", "now+1h"),
            ("begin", "now+1month"),
            ("begin", "13/01/27"),
            ("begin", "4pm"),
            ("begin", "20261201"),
            ("begin", "tomorrow+1hour"),
            ("deadline", "2026-12-01T08:00:00Z"),
        ] {
            assert!(misses(option, value).is_some(), "{option} {value}");
        }
    }
}
