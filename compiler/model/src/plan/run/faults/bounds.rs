//! What a text takes away from the processes that it starts: limits of the kernel, and processors of their node.

use super::super::shell::{Known, Simple, base, word};
use super::super::started::launcher;
use super::{Door, Mistake, Reader};

impl Reader<'_> {
    /// `ulimit -n 256`: less than what processes of a training ask for.
    pub(super) fn lowered(&mut self, lines: &[Simple]) {
        if self.door != Door::Launch {
            return;
        }
        let least = self.catalog.names("commands.least_limits");
        let told = |option: &str, value: &str| {
            let letter = option.strip_prefix('-')?.trim_start_matches(['S', 'H']);
            let number: u64 = value.parse().ok()?;
            let row = least.iter().find_map(|it| it.strip_prefix(letter)?.strip_prefix(' '))?;
            let (bound, what) = row.split_once(' ')?;
            (letter.len() == 1 && number < bound.parse().ok()?)
                .then(|| (format!("ulimit {option} {value}"), what.to_owned()))
        };
        let limits =
            lines.iter().filter(|line| line.brackets.is_empty() && word(line, 0) == "ulimit");
        let found = limits.flat_map(|line| line.words.windows(2)).find_map(|pair| match pair {
            [Some(option), Some(value)] => told(option, value),
            _ => None,
        });
        if let Some((limit, what)) = found {
            self.put_beside(Mistake::Lowered, limit, &what);
        }
    }

    /// `taskset -c 0-7 torchrun`: the words of one command, or of a text on one line. Several that share a node have a part each.
    pub(super) fn bound<'w>(&mut self, words: impl Iterator<Item = Option<&'w str>>) {
        let Some(all) = self.beside.processors else { return };
        let words: Vec<&str> = words.map(Option::unwrap_or_default).collect();
        let binds = |word: &&&str| matches!(base(word), "taskset" | "numactl");
        if words.iter().filter(binds).count() != 1 {
            return;
        }
        let mut behind = words.iter().copied().skip_while(|it| !binds(&it));
        let Some(binder) = behind.next() else { return };
        let behind: Vec<&str> = behind.collect();
        let own = behind.iter().take_while(|it| base(it) != "torchrun" && !is_program(it));
        let own = own.count();
        let (told, rest) = behind.split_at_checked(own).unwrap_or_default();
        let goes_on = |it: &&&str| !it.ends_with(';') && !matches!(**it, "&&" | "||" | "|" | "&");
        let own: Vec<Known> =
            rest.iter().take_while(goes_on).map(|it| Some((*it).to_owned())).collect();
        let aside = rest.get(own.len()) == Some(&"&");
        let Some(few) = processors(base(binder), told) else { return };
        // one process may need no more
        if launcher(&own).is_some() && !aside && few.saturating_mul(FEW) <= all {
            let line = format!("{} {}", base(binder), told.join(" "));
            self.put_beside(Mistake::Bound, line, &format!("{few} of {all} processors"));
        }
    }
}

/// So many times fewer processors than there are is few, which is a policy of ours: a half may be meant.
const FEW: u32 = 4;

/// Whether a word is what a binder starts, and none of its own.
fn is_program(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !word.starts_with("0x")
}

/// How many processors a binder leaves, where it counts them up.
fn processors(binder: &str, told: &[&str]) -> Option<u32> {
    let options: &[&str] = match binder {
        "taskset" => &["-c", "--cpu-list", "-ac"],
        _ => &["-C", "--physcpubind"],
    };
    let joined = told.iter().find_map(|it| {
        it.split_once('=').filter(|(option, _)| options.contains(option)).map(|(_, list)| list)
    });
    let at = told.iter().position(|it| options.contains(it));
    let list = joined.or_else(|| told.get(at? + 1).copied())?;
    let count = |part: &str| match part.split_once('-') {
        Some((from, to)) => {
            let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
            (to.checked_sub(from)?).checked_add(1)
        }
        None => part.parse::<u32>().ok().map(|_| 1),
    };
    list.split(',').map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_of_a_binder_are_counted() {
        let few = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let (binder, told) = words.split_first()?;
            processors(binder, told)
        };
        assert_eq!(few("taskset -c 0-7"), Some(8));
        assert_eq!(few("taskset --cpu-list=0,2,4-5"), Some(4));
        assert_eq!(few("numactl -C 3"), Some(1));
        for line in ["taskset 0xff", "numactl --cpunodebind=0", "taskset -c $CPUS", "taskset -c"] {
            assert_eq!(few(line), None, "{line}");
        }
    }
}
