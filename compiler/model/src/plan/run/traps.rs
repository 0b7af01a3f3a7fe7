//! What a text for a shell does when it ends, or is told to end: traps, and whether they make a success of all that has happened.

use super::shell::{Simple, base, commands, word};
use std::collections::BTreeMap;

/// The signal whose trap ends a text well, whatever has happened; of these signals alone, and of traps that stand in front of a command.
pub(super) fn ends_well(
    text: &str,
    all: &[Simple],
    up_to: usize,
    signals: &[&str],
) -> Option<String> {
    let mut traps: BTreeMap<String, String> = BTreeMap::new();
    let own = |it: &&Simple| it.brackets.is_empty() && !it.background && !it.is_conditional();
    for line in all.iter().take(up_to).filter(own).filter(|it| word(it, 0) == "trap") {
        let Some(Some(does)) = line.words.get(1) else { continue };
        for signal in line.words.iter().skip(2).flatten().map(|it| signal(it)) {
            match does.as_str() {
                "-" | "" => traps.remove(&signal),
                does => traps.insert(signal, does.to_owned()),
            };
        }
    }
    let is_well = |signal: &&&str| traps.get(**signal).is_some_and(|does| is_well(text, all, does));
    signals.iter().find(is_well).map(|it| (*it).to_owned())
}

/// Whether commands end with `exit 0` and look at no status: those of a trap, and of a function that it calls.
fn is_well(text: &str, all: &[Simple], does: &str) -> bool {
    let read = commands(&format!("{text}\n{does}"));
    let own = read.get(all.len()..).unwrap_or_default();
    let looks = |it: &Simple| it.asked.iter().any(|name| name == "?") || requeues(it);
    let ends = own.last().is_some_and(|it| {
        word(it, 0) == "exit"
            && it.words.get(1) == Some(&Some("0".to_owned()))
            && !it.is_conditional()
    });
    ends && !own.iter().any(looks)
}

/// Whether a command has its job started again by somebody else.
fn requeues(line: &Simple) -> bool {
    line.words.iter().flatten().any(|it| matches!(base(it), "requeue" | "sbatch" | "kubectl"))
}

/// A signal as it is called here: `SIGTERM`, `15` and `term` are `TERM`.
fn signal(written: &str) -> String {
    let name = written.to_ascii_uppercase();
    match name.strip_prefix("SIG").unwrap_or(&name) {
        "0" => "EXIT".to_owned(),
        "15" => "TERM".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_that_ends_well_hides_what_has_failed() {
        let of = |text: &str| {
            let all = commands(text);
            ends_well(text, &all, all.len(), &["EXIT", "ERR", "TERM"])
        };
        for (text, signal) in [
            ("trap 'exit 0' EXIT; a", "EXIT"),
            ("trap 'rm -f /tmp/a; exit 0' ERR; a", "ERR"),
            ("trap 'kill $P; wait $P; exit 0' SIGTERM INT\na & P=$!; wait $P", "TERM"),
            ("f() { echo bye; exit 0; }; trap f 0; a", "EXIT"),
        ] {
            assert_eq!(of(text).as_deref(), Some(signal), "{text}");
        }
        for text in [
            "trap 'rm -f /tmp/a' EXIT; a",
            "trap 'exit' EXIT; a",
            "trap 'code=$?; b; exit $code' EXIT; a",
            "trap 'exit 143' TERM; a",
            "trap '[ $? = 0 ] && exit 0' EXIT; a",
            "trap '[ -f /a ] && exit 0; exit 1' EXIT; a",
            "trap 'exit 0' EXIT; trap - EXIT; a",
            "(trap 'exit 0' EXIT; a)",
            "if a; then trap 'exit 0' EXIT; fi; a",
            "f() { c=$?; exit 0; }; trap f EXIT; a",
            "trap 'scontrol requeue $SLURM_JOB_ID; exit 0' TERM; a",
            "trap 'exit 0' USR1; a",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
