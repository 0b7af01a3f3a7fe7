//! Statuses that a text looks at, or seems to, and that it ends without: it ends well whatever its program has ended with.

use super::lost::{Lost, trains};
use super::questions::Question;
use super::shell::{End, Simple, base, word};
use super::started::{Script, launcher};

/// How the failure of the last launcher of a text is overlooked; nothing where the text may end with it, or where that is not certain.
pub(super) fn overlooked(script: &Script, all: &[Simple]) -> Option<Lost> {
    if let Some(lost) = each_aside(script, all) {
        return Some(lost);
    }
    let loops = ["while ", "until ", "for ", "select ", "case "];
    if script.strict
        || loops.iter().any(|it| script.text.contains(it))
        || all.iter().any(leaves_open)
    {
        return None;
    }
    let at = all.iter().rposition(|it| launcher(&it.words).is_some());
    let at = at.or_else(|| all.iter().rposition(|it| trains(&it.words)))?;
    let program = all.get(at).filter(|it| !it.execs)?;
    let name = base(program.words.first()?.as_deref()?).to_owned();
    let lost = |how: String| Some(Lost { program: name, how });
    let behind = all.get(at + 1..)?;
    if behind.iter().any(|it| trains(&it.words)) {
        return None;
    }
    if let Some(how) = of_another(script, program, behind) {
        return lost(how);
    }
    ends_well(program, behind).and_then(lost)
}

/// `for i in ...; do python train.py & done; wait`: a `wait` for all of them ends well.
fn each_aside(script: &Script, all: &[Simple]) -> Option<Lost> {
    let aside = |it: &&Simple| it.background && trains(&it.words);
    let at = all.iter().rposition(|it| word(it, 0) == "wait")?;
    let (before, behind) = all.split_at_checked(at)?;
    let (last, rest) = behind.split_first()?;
    let own = ["$!", "wait -n", "trap ", "jobs -p", "pgrep"];
    let plain = last.words.len() == 1 && last.end == End::Next;
    let waits = plain && rest.iter().all(|it| is_shown(it) && !it.is_conditional());
    if !waits
        || script.strict
        || !script.text.contains("for ")
        || own.iter().any(|it| script.text.contains(it))
    {
        return None;
    }
    let program = before.iter().rev().find(aside)?;
    let name = base(program.words.first()?.as_deref()?).to_owned();
    let others = before.iter().any(|it| trains(&it.words) && !it.background);
    (!others).then(|| Lost { program: name, how: "& wait".to_owned() })
}

/// The status of another command is asked for: of what a pipe ends with, or of what stands between.
fn of_another(script: &Script, program: &Simple, behind: &[Simple]) -> Option<String> {
    let text = &script.text;
    let pipes = script.pipes || text.contains("pipefail");
    if text.contains("if ") || !program.questions.is_empty() {
        return None;
    }
    let asks = |it: &&Simple| it.asked.iter().any(|name| name == "?");
    if program.end == End::Pipe {
        let [piped, rest @ ..] = behind else { return None };
        let next = rest.first().filter(|_| piped.end == End::Next)?;
        let of_pipe = format!("| {}", word(piped, 0));
        let of_first = ["PIPESTATUS[0]", "PIPESTATUS[@]", "PIPESTATUS[*]"];
        let asked = text.contains("PIPESTATUS");
        if asked && !of_first.iter().any(|it| text.contains(it)) && !text.contains("$?") {
            return (text.contains("PIPESTATUS[1]") && !pipes).then_some(of_pipe);
        }
        if asked && is_shown(next) && next.written.is_empty() {
            return Some(format!("; {}", word(next, 0)));
        }
        let ends = word(next, 0) == "exit" || next.words.is_empty();
        return (!asked && !pipes && ends && asks(&next)).then_some(of_pipe);
    }
    let [next, rest @ ..] = behind else { return None };
    let hides = program.end == End::Next && is_shown(next) && next.written.is_empty();
    (hides && next.end == End::Next && rest.iter().any(|it| asks(&it) && !is_shown(it)))
        .then(|| format!("; {}", word(next, 0)))
}

/// The text ends with what never fails, and leaves nowhere before.
fn ends_well(program: &Simple, behind: &[Simple]) -> Option<String> {
    let last = behind.last()?;
    let leaves = |it: &Simple| {
        let ends = matches!(word(it, 0), "exit" | "return") && word(it, 1) != "0";
        it.brackets.is_empty() && ends || word(it, 0) == "false"
    };
    if behind.iter().any(leaves) {
        return None;
    }
    if word(last, 0) == "fi" {
        let asked = program.end == End::Next && !program.background;
        let plain = |it: &Simple| is_shown(it) || word(it, 0) == "fi" || word(it, 0) == "exit";
        let in_question = asked && program.questions.contains(&Question::Itself);
        return (in_question && behind.iter().all(plain)).then(|| "if ...; fi".to_owned());
    }
    let never_fails = is_shown(last) || word(last, 0) == "exit";
    // what stands in front of `&&` may be the last
    let decided = behind.iter().rev().nth(1).is_some_and(|it| it.end == End::And)
        || behind.len() == 1 && program.end == End::And;
    // who writes `||` behind it is told by that
    let own = program.end == End::Background || program.end == End::Next && behind.len() > 1;
    // a question in front of it may be what the text ends with
    let of_wait = behind.iter().rev().nth(1).is_some_and(|it| word(it, 0) == "wait");
    let is_last = last.end == End::Next && !last.background && (of_wait || !last.is_conditional());
    (own && never_fails && !decided && is_last).then(|| format!("; {}", word(last, 0)))
}

/// Whether a command shows or marks something, and never fails.
fn is_shown(line: &Simple) -> bool {
    let shows = ["echo", "printf", "true", ":", "date", "touch", "logger", "sync", "tee"];
    shows.contains(&word(line, 0))
}

/// Whether a command may end the text, or have somebody told, in a way that is not seen here.
fn leaves_open(line: &Simple) -> bool {
    let sets = word(line, 0) == "set" && {
        let mut words = line.words.iter().skip(1).flatten();
        words.any(|it| it == "errexit" || it.starts_with('-') && it.contains('e'))
    };
    let others = ["source", ".", "eval", "exec", "kill", "scontrol", "sbatch", "kubectl", "trap"];
    sets || line.execs || others.contains(&word(line, 0))
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::super::started::shell_text;
    use super::*;

    fn how(text: &str) -> Option<String> {
        let words = ["bash", "-c", text].map(|it| Some(it.to_owned()));
        overlooked(&shell_text(&words)?, &commands(text)).map(|it| it.how)
    }

    #[test]
    fn a_status_that_is_looked_at_and_thrown_away_is_overlooked() {
        for (text, by) in [
            ("torchrun t.py & P=$!; wait $P; exit 0", "; exit"),
            ("torchrun t.py & P=$!; wait $P; echo \"ended with $?\"", "; echo"),
            ("torchrun t.py & P=$!; wait $P || true", "; true"),
            ("torchrun t.py; rc=$?; echo $rc > /ckpt/rc", "; echo"),
            ("torchrun t.py; rc=$?; echo \"rc $rc\"; exit 0", "; exit"),
            ("torchrun t.py; rc=$?; [ $rc -eq 0 ] && touch DONE; exit 0", "; exit"),
            ("if torchrun t.py; then echo ok; else echo failed; fi", "if ...; fi"),
            ("if ! torchrun t.py; then echo failed; fi", "if ...; fi"),
            ("{ torchrun t.py; } 2>&1 | tee log; exit $?", "| tee"),
            ("torchrun t.py | tee log; exit ${PIPESTATUS[1]}", "| tee"),
            (
                "torchrun t.py | tee log; echo \"s ${PIPESTATUS[0]}\"; exit ${PIPESTATUS[0]}",
                "; echo",
            ),
            ("torchrun t.py; echo done; exit $?", "; echo"),
            ("for i in 0 1; do python t.py $i & done; wait", "& wait"),
            ("for i in 0 1; do python t.py $i & done\nwait\necho done", "& wait"),
            ("if ! torchrun t.py; then echo failed | tee -a log; fi", "if ...; fi"),
        ] {
            assert_eq!(how(text).as_deref(), Some(by), "{text}");
        }
    }

    #[test]
    fn a_status_that_the_text_may_end_with_is_its_own() {
        for text in [
            "torchrun t.py; rc=$?; echo \"rc $rc\"; exit $rc",
            "torchrun t.py; rc=$?; [ $rc -eq 0 ] && touch DONE; exit $rc",
            "torchrun t.py; rc=$?; [ $rc -eq 0 ] && touch DONE",
            "torchrun t.py; rc=$?; [ $rc -ne 0 ] && exit 1; exit 0",
            "torchrun t.py; rc=$?; if [ $rc -ne 0 ]; then exit $rc; fi; echo done",
            "if torchrun t.py; then touch DONE; else exit 1; fi",
            "if torchrun t.py; then touch DONE; else false; fi",
            "if torchrun t.py; then touch DONE; else cp -r a b; fi",
            "if [ \"$A\" = 1 ]; then torchrun t.py; else torchrun u.py; fi",
            "if [ \"$A\" = 1 ]; then torchrun t.py; fi",
            "torchrun t.py & P=$!; wait $P",
            "torchrun t.py & P=$!; wait $P; exit $?",
            "torchrun t.py & P=$!; wait $P; rc=$?; echo $rc; exit $rc",
            "set -e; torchrun t.py & P=$!; wait $P; exit 0",
            "torchrun t.py | tee log; exit ${PIPESTATUS[0]}",
            "torchrun t.py | tee log; rc=${PIPESTATUS[0]}; echo $rc; exit $rc",
            "set -o pipefail; torchrun t.py | tee log; exit $?",
            "set -o pipefail; torchrun t.py | tee log; rc=$?; echo done; exit $rc",
            "torchrun t.py; echo $? > /s; exit $(cat /s)",
            "torchrun t.py; rc=$?; if [ $rc -eq 85 ]; then sbatch next.sh; fi; exit 0",
            "trap 'kill $P' TERM; torchrun t.py & P=$!; wait $P; wait $P",
            "for i in 1 2 3; do torchrun t.py && break; done; exit 0",
            "torchrun t.py && echo done",
            "for i in 0 1; do python t.py $i & done; for p in $(jobs -p); do wait $p || exit 1; done",
            "for i in 0 1; do python t.py $i & pids+=($!); done; wait",
            "torchrun t.py || exit 1; echo done",
            "die() { echo \"$1\"; exit 1; }; torchrun t.py || die failed; echo done",
            "exec torchrun t.py; echo done",
            "torchrun t.py; code=$?; . /workspace/end.sh; exit 0",
        ] {
            assert_eq!(how(text), None, "{text}");
        }
    }
}
