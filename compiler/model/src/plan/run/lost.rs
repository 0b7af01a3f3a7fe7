//! Failures that nobody is told of: the status of a text for a shell is that of its last command, whatever failed before.

use super::overlooked::overlooked;
use super::shell::{End, Known, Simple, base, commands};
use super::started::{Script, launcher};
use super::traps::ends_well;

/// A program whose failure is taken for a success.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The program: `torchrun`.
    pub program: String,
    /// What takes its status away: `| tee`.
    pub how: String,
}

/// What becomes of the failure of the last program of a text that trains; nothing where it is the text's own, or where the text may look
/// at it by itself.
pub(super) fn lost(script: &Script) -> Option<Lost> {
    let all = commands(&script.text);
    let by_trap = by_trap(script, &all);
    by_trap.or_else(|| let_go(script, &all)).or_else(|| overlooked(script, &all))
}

/// What takes the status of a program away in a text that looks at none.
fn let_go(script: &Script, all: &[Simple]) -> Option<Lost> {
    if looks_at_status(&script.text) {
        return None;
    }
    if script.text.contains("trap ") && !all.iter().all(is_deaf_to_ends) {
        return None;
    }
    let at = all.iter().rposition(|it| trains(&it.words))?;
    // what is started behind it, or says by itself how the text ends, is what counts
    let counts = |it: &Simple| fails(it) || !it.words.is_empty() && !is(it, &CLEARS_UP);
    if all.iter().skip(at + 1).any(counts) {
        return None;
    }
    let sets = |option: &str| all.iter().take(at).any(|it| sets(it, option));
    let name =
        |at: usize| all.get(at).map(|it| it.words.first().cloned().flatten().unwrap_or_default());
    let lost = |how: String| {
        let program = base(&name(at).unwrap_or_default()).to_owned();
        Some(Lost { program, how })
    };
    if all.get(at)?.end == End::Pipe && !script.pipes && !sets("pipefail") {
        return lost(format!("| {}", name(at + 1).unwrap_or_default()));
    }
    // its shell is gone, and what stands behind it is never reached
    if all.get(at)?.execs {
        return None;
    }
    // what it is joined to fails with it
    let joined =
        all.iter().skip(at).take_while(|it| matches!(it.end, End::And | End::Pipe)).count();
    let behind = all.get(at + joined + 1..)?;
    let next = name(at + joined + 1).unwrap_or_default();
    let first = behind.first();
    match all.get(at + joined)?.end {
        // what stands behind the launcher may be there for its own sake
        End::Or if launcher(&all.get(at)?.words).is_none() && all.iter().take(at).any(launches) => {
            None
        }
        End::Or
            if first.is_some_and(|it| {
                let zero = it.words.get(1).is_some_and(|it| it.as_deref() == Some("0"));
                is(it, &["true", ":", "echo"]) || is(it, &["exit"]) && zero
            }) =>
        {
            lost(format!("|| {next}"))
        }
        End::Background if behind.iter().any(waits_for_all) && !script.text.contains("$!") => {
            lost("& wait".to_owned())
        }
        End::Background if !behind.is_empty() && !behind.iter().any(|it| is(it, &["wait"])) => {
            lost("&".to_owned())
        }
        End::Next if !script.strict && !sets("errexit") => {
            // the status of `exit` alone is that of what stands before it
            let ends = |it: &&Simple| is(it, &["exit"]) && it.words.len() == 1;
            first.filter(|it| !ends(it)).and_then(|_| lost(format!("; {next}")))
        }
        End::And | End::Or | End::Pipe | End::Background | End::Next => None,
    }
}

/// What a trap makes a success of, once the text has begun what it is there for.
fn by_trap(script: &Script, all: &[Simple]) -> Option<Lost> {
    let at = all.iter().rposition(|it| trains(&it.words))?;
    let program = all.get(at).filter(|it| !it.execs)?.words.first()?.as_deref().map(base)?;
    let signal = ends_well(&script.text, all, at, &["EXIT", "ERR"])?;
    Some(Lost { program: program.to_owned(), how: format!("trap ... {signal}") })
}

/// Whether a text looks at a status by itself. Who shows one does nothing about it.
fn looks_at_status(text: &str) -> bool {
    let commands = text.split(['\n', ';']).flat_map(|it| it.split("&&"));
    let shows = |it: &&str| {
        let first = it.split_whitespace().next();
        matches!(first, Some("echo" | "printf" | "logger"))
    };
    let others = || commands.clone().filter(|it| !shows(it));
    STATUS.iter().any(|it| others().any(|line| line.contains(it)))
        || LOOKS.iter().any(|it| text.contains(it))
}

/// The program that a text leaves behind when it ends: its last one, which nothing waits for.
pub(super) fn left_behind(script: &Script) -> Option<String> {
    let all = commands(&script.text);
    let waits = all.iter().any(|it| is(it, &["wait"]));
    let detaches = |it: &Simple| {
        let has = |word: &str| it.words.iter().flatten().any(|it| it.starts_with(word));
        // a text in quotes with variables in it is none that is known
        let program = it
            .words
            .iter()
            .any(|it| it.as_deref().is_none_or(|it| it.contains(".py") || it.contains("torchrun")));
        program
            && (is(it, &["screen"]) && has("-d") || is(it, &["tmux"]) && has("new") && has("-d"))
    };
    if let Some(last) = all.last().filter(|it| detaches(it) && !it.is_conditional()) {
        return last.words.first().cloned().flatten();
    }
    // what stands behind it waits for nothing
    let aside = |it: &&Simple| is(it, &["disown", "done"]);
    let last = all.iter().rev().find(|it| !aside(it)).filter(|it| it.end == End::Background)?;
    let name = last.words.first().cloned().flatten().filter(|_| !waits)?;
    Some(base(&name).to_owned())
}

/// The last program of a text that trains, and what keeps the text going when that has ended: `; sleep infinity`, or a loop without an end. A
/// text that does other things on some nodes keeps those for others.
pub(super) fn goes_on(script: &Script) -> Option<Lost> {
    let all = commands(&script.text);
    let at = all.iter().rposition(|it| trains(&it.words) && it.end != End::Background)?;
    let name = all.get(at)?.words.first()?.as_deref().map(base)?;
    let found = |how: String| Some(Lost { program: name.to_owned(), how });
    let text = on_one_line(&script.text);
    if let Some(head) = endless_loop(&text) {
        let (before, inside) = text.split_once(head)?;
        let is_inside = inside.split("done").next().is_some_and(|body| body.contains(name));
        let is_first = before.rsplit("; ").next().is_none_or(|it| !it.contains(name));
        if is_inside && is_first {
            return found(head.trim_end_matches([';', ' ']).to_owned());
        }
    }
    if ["if ", "case ", "trap "].iter().any(|it| text.contains(it)) {
        return None;
    }
    let last = all.iter().skip(at + 1).find(|it| !it.background && never_ends(&it.words))?;
    let words: Vec<&str> = last.words.iter().flatten().map(String::as_str).collect();
    let joint = if all.get(at)?.end == End::Or { "||" } else { ";" };
    found(format!("{joint} {}", words.join(" ")))
}

/// The words of a text, with one blank behind each.
pub(super) fn on_one_line(text: &str) -> String {
    text.split_whitespace().flat_map(|word| [word, " "]).collect()
}

/// How the loop of such a text begins that nothing ends.
pub(super) fn endless_loop(text: &str) -> Option<&'static str> {
    let leaves = LEAVES.iter().any(|it| text.contains(it));
    LOOPS.into_iter().find(|it| !leaves && text.contains(it))
}

/// How loops begin that nothing but their own commands ends.
const LOOPS: [&str; 5] =
    ["while true; ", "while true do ", "while :; ", "while : do ", "while [ 1 ]; "];

/// What ends a loop from within, or a text.
const LEAVES: [&str; 4] = ["break", "exit", "return", "exec "];

/// Whether a command does nothing for as long as somebody lets it.
pub(super) fn never_ends(words: &[Known]) -> bool {
    let word = |at: usize| words.get(at).and_then(|it| it.as_deref()).unwrap_or_default();
    let days = |it: &str| it.strip_suffix('d').is_some_and(|days| days.parse::<u32>().is_ok());
    match base(word(0)) {
        "sleep" => {
            let seconds = word(1).parse::<u64>().is_ok_and(|it| it >= HALF_A_DAY);
            matches!(word(1), "infinity" | "inf") || days(word(1)) || seconds
        }
        "tail" => word(1) == "-f" && word(2) == "/dev/null",
        _ => false,
    }
}

/// Nobody waits so long for what somebody else does.
const HALF_A_DAY: u64 = 43_200;

/// Whether a command is `wait` for all that runs, whose status is that of a success.
fn waits_for_all(command: &Simple) -> bool {
    is(command, &["wait"]) && command.words.len() == 1
}

/// Programs that clear up behind another one. None of them is what a text is there for.
pub(super) const CLEARS_UP: [&str; 43] = [
    "echo",
    "printf",
    "date",
    "true",
    ":",
    "exit",
    "return",
    "tee",
    "cat",
    "head",
    "tail",
    "grep",
    "sed",
    "ls",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "touch",
    "chmod",
    "ln",
    "tar",
    "gzip",
    "zip",
    "rsync",
    "sync",
    "sleep",
    "wait",
    "kill",
    "pkill",
    "killall",
    "gcloud",
    "gsutil",
    "aws",
    "rclone",
    "s5cmd",
    "curl",
    "wget",
    "nvidia-smi",
    "ts",
    "popd",
    "cd",
    "logger",
];

/// Whether a command ends the text by a status of its own: a failure, or what only the shell knows.
fn fails(command: &Simple) -> bool {
    let said = command.words.get(1);
    let other = said.is_some_and(|it| it.as_deref() != Some("0"));
    is(command, &["false"]) || is(command, &["exit", "return"]) && other
}

/// What a text says that may look at a status by itself.
const LOOKS: [&str; 5] = ["if ", "while ", "until ", "for ", "case "];

/// The status of what has run, as shells call it.
const STATUS: [&str; 2] = ["$?", "PIPESTATUS"];

/// Whether a command sets no trap for what ends: one for signals from outside looks at no status.
fn is_deaf_to_ends(command: &Simple) -> bool {
    let from_outside = |it: &Known| {
        it.as_deref().is_some_and(|it| OUTSIDE.contains(&it.strip_prefix("SIG").unwrap_or(it)))
    };
    let mut told = command.words.iter().skip(2).peekable();
    !is(command, &["trap"]) || told.peek().is_some() && told.all(from_outside)
}

/// Signals that somebody outside sends.
const OUTSIDE: [&str; 8] = ["TERM", "INT", "HUP", "USR1", "15", "2", "1", "10"];

/// Whether a command is `set -o OPTION`, or says so by its letter.
fn sets(command: &Simple, option: &str) -> bool {
    let by_letter = |word: &str| {
        option == "errexit"
            && word.starts_with('-')
            && !word.starts_with("--")
            && word.contains('e')
    };
    let mut words = command.words.iter().skip(1).flatten();
    is(command, &["set"]) && words.any(|word| word == option || by_letter(word))
}

fn launches(command: &Simple) -> bool {
    launcher(&command.words).is_some()
}

/// Whether words start a launcher, or a script of Python.
pub(super) fn trains(words: &[Known]) -> bool {
    let python =
        words.first().and_then(|it| it.as_deref()).is_some_and(|it| base(it).starts_with("python"));
    let script = |it: &Known| it.as_deref().is_some_and(|it| it.ends_with(".py"));
    launcher(words).is_some() || python && words.iter().any(script)
}

fn is(command: &Simple, names: &[&str]) -> bool {
    command.words.first().and_then(|it| it.as_deref()).is_some_and(|it| names.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(text: &str) -> Option<String> {
        let words = ["bash", "-c", text].map(|it| Some(it.to_owned()));
        super::super::started::shell_text(&words).and_then(|it| lost(&it)).map(|it| it.how)
    }

    #[test]
    fn a_failure_is_that_of_the_text_or_is_lost() {
        let lost = |text: &str, by: &str| assert_eq!(how(text).as_deref(), Some(by), "{text}");
        lost("torchrun t.py | tee log", "| tee");
        lost("cd /w && torchrun t.py 2>&1 | tee log", "| tee");
        lost("set -e; torchrun t.py | tee log", "| tee");
        lost("torchrun t.py || true", "|| true");
        lost("python t.py & date", "&");
        lost("python a.py & python b.py & wait", "& wait");
        lost("torchrun t.py; gcloud storage cp -r out gs://b", "; gcloud");
        lost("torchrun t.py && echo done; date", "; date");
        lost("python3 -u t.py\nexit 0", "; exit");
        lost("{ torchrun t.py; } | tee log", "| tee");
        lost("main() { torchrun t.py; }; main | tee log", "| tee");
        lost("torchrun t.py || { echo failed; }", "|| echo");
        lost("trap 'kill $(jobs -p)' TERM SIGINT\ntorchrun t.py &\nwait", "& wait");
        lost("set -e; trap 'echo bye; exit 0' EXIT; torchrun t.py", "trap ... EXIT");
        lost("if a; then b; fi; trap 'exit 0' ERR; torchrun t.py || exit 1", "trap ... ERR");
        lost("torchrun t.py | tee log; echo ${PIPESTATUS[0]}", "| tee");
        lost("torchrun t.py\necho \"status $?\"", "; echo");
        lost("torchrun t.py | tee log; echo done; exit ${PIPESTATUS[0]}", "; echo");
        for text in [
            "torchrun t.py",
            "pip install x; exec torchrun t.py",
            "set -o pipefail; torchrun t.py | tee log",
            "set -euo pipefail\ntorchrun t.py | tee log\ndate",
            "set -e; torchrun t.py; date",
            "torchrun t.py || exit 1",
            "trap 'exit $code' EXIT; torchrun t.py & wait",
            "trap 'exit 1' CHLD; torchrun t.py & wait",
            "trap 'kill $P' TERM; torchrun t.py & P=$!; wait $P",
            "trap 'exit 1' USR2; (torchrun t.py || kill -USR2 $$) & wait",
            "torchrun t.py && date",
            "torchrun t.py; exit",
            "torchrun t.py; status=$?; date; exit $status",
            "torchrun t.py; echo $? > /s; exit $(cat /s)",
            "trap 'exit 0' EXIT; exec torchrun t.py",
            "set -e; torchrun t.py; [ $R = 0 ] && python export.py || true",
            "torchrun t.py; trap 'exit 0' EXIT",
            "python a.py & python b.py & wait $!",
            "python a.py & A=$!; python b.py & wait; wait $A",
            "python a.py & python b.py & wait -n",
            "until torchrun t.py; do sleep 1; done",
            "echo torchrun | tee log",
            "torchrun t.py &> log",
            "torchrun t.py > >(tee log) 2>&1",
            "torchrun t.py || { echo failed >&2; exit 1; }",
            "torchrun t.py || (echo failed >&2; exit 1)",
            "python t.py && ok=1; python u.py; [ \"$ok\" = 1 ]",
            "main() { torchrun t.py; }; main",
            "main() {\n  torchrun t.py\n}\nmain \"$@\"",
            "cat > s.sh <<'E'\nexec torchrun t.py\nE\nexec ./s.sh",
            "python exporter.py & exec vllm serve m",
            "python prefetch.py || true\nlightning run t.py",
            "python env.py | tee env\nexec axolotl train x.yaml",
            "python t.py || code=1; python notify.py || true; exit ${code:-0}",
        ] {
            assert_eq!(how(text), None, "{text}");
        }
    }

    #[test]
    fn what_runs_on_behind_the_end_is_left() {
        let left = |text: &str| {
            let words = ["bash", "-c", text].map(|it| Some(it.to_owned()));
            super::super::started::shell_text(&words).and_then(|it| left_behind(&it))
        };
        assert_eq!(left("cd /w; nohup ./train.sh > log 2>&1 &").as_deref(), Some("train.sh"));
        assert_eq!(left("python t.py &\n").as_deref(), Some("python"));
        for text in [
            "a & b & wait",
            "a & wait $!",
            "a &\nb",
            "a && b",
            "a & exec b",
            "a &> log",
            "a &>> log",
        ] {
            assert_eq!(left(text), None, "{text}");
        }
    }

    #[test]
    fn what_goes_on_behind_the_end_is_found() {
        let goes_on = |text: &str| {
            let words = ["bash", "-c", text].map(|it| Some(it.to_owned()));
            super::super::started::shell_text(&words).and_then(|it| goes_on(&it)).map(|it| it.how)
        };
        let found =
            |text: &str, how: &str| assert_eq!(goes_on(text).as_deref(), Some(how), "{text}");
        found("set -e; torchrun t.py; sleep infinity", "; sleep infinity");
        found("torchrun t.py && sleep 7d", "; sleep 7d");
        found("torchrun t.py || sleep inf", "|| sleep inf");
        found("python t.py\ntail -f /dev/null", "; tail -f /dev/null");
        found("while true; do torchrun t.py; done", "while true");
        found("cd /w\nwhile :\ndo\n  python t.py\n  sleep 5\ndone", "while : do");
        for text in [
            "sleep infinity",
            "torchrun t.py; sleep 60",
            "python server.py & sleep infinity",
            "if [ $NODE_RANK = 0 ]; then python t.py; else sleep infinity; fi",
            "while true; do torchrun t.py && break; done",
            "until torchrun t.py; do sleep 10; done",
            "while true; do nvidia-smi; sleep 60; done & torchrun t.py",
            "torchrun t.py; while true; do date; done & wait $!",
            "while true; do nc -z a 1 && break; done; torchrun t.py",
        ] {
            assert_eq!(goes_on(text), None, "{text}");
        }
    }
}
