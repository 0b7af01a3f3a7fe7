//! Texts that end at their first start, or at each one behind it: what is looked for and not yet there, what is made though it is there, questions
//! whose answer is always yes, functions that nothing calls, and words of Bash that a plain shell refuses.

use super::super::lost::trains;
use super::super::questions::Question;
use super::super::shell::{End, Simple, base, commands, word};
use super::super::started::{Script, launcher};
use super::{Door, Mistake, Reader, joined};
use crate::plan::run::Source;

impl Reader<'_> {
    /// All of it.
    pub(super) fn starts(&mut self, shell: &str, script: &Script, text: &str, lines: &[Simple]) {
        if let Some(question) = always(text).filter(|_| !script.text.contains("<<")) {
            self.put(Mistake::AlwaysTrue, question);
        }
        if shell == "sh"
            && let Some(word) = of_bash(&script.text, text)
        {
            self.put(Mistake::BashAlone, word);
        }
        if !matches!(self.door, Door::Launch | Door::Setup(_)) {
            return;
        }
        let strict = is_strict(script, lines);
        self.made_again(strict, lines);
        if strict && let Some(asked) = first_start(script, text) {
            self.put(Mistake::FirstStart, asked);
        }
        if self.door == Door::Launch {
            self.only_first(text, lines);
        }
        if let Some(name) = never_called(&script.text).filter(|_| lines.is_empty()) {
            self.put(Mistake::NeverCalled, name);
        }
    }

    /// `set -e; mkdir /ckpt/run1`: each node makes it, at each start.
    pub(super) fn made_again(&mut self, strict: bool, lines: &[Simple]) {
        let Some(program) = self.program else { return };
        for (at, line) in lines.iter().enumerate() {
            let name = base(word(line, 0));
            let has = |it: &str| line.words.iter().flatten().any(|word| word == it);
            let parents = |it: &String| it.starts_with('-') && it.contains('p');
            let makes = match name {
                "mkdir" => !line.words.iter().flatten().any(parents),
                "git" => word(line, 1) == "clone" && line.words.len() > 3,
                _ => false,
            };
            let ends = line.end == End::And || strict && line.end == End::Next;
            if !makes || !ends || line.is_conditional() || line.background || has("--help") {
                continue;
            }
            let Some(path) = line.words.last().cloned().flatten() else { continue };
            let removed = lines.iter().take(at).any(|it| {
                matches!(base(word(it, 0)), "rm" | "mv")
                    && it.words.iter().flatten().any(|it| path.starts_with(it.as_str()))
            });
            // what can only be read is told by a rule of its own
            let lasts = program.holder(&path).is_some_and(|(_, mount)| {
                !matches!(mount.source.value, Source::Scratch { .. }) && !mount.reads_alone()
            });
            if path.starts_with('/') && lasts && !removed {
                return self.put(Mistake::MadeAgain, joined(&line.words));
            }
        }
    }

    /// The first node alone starts a launcher that waits for others.
    fn only_first(&mut self, text: &str, lines: &[Simple]) {
        let started: Vec<&Simple> = lines.iter().filter(|it| trains(&it.words)).collect();
        let mut launchers = started.iter().filter_map(|it| Some((*it, launcher(&it.words)?)));
        let (Some((line, (name, told))), None) = (launchers.next(), launchers.next()) else {
            return;
        };
        let options = match name {
            "torchrun" => ["--nnodes", "--nnodes"],
            "accelerate" => ["--num-machines", "--num_machines"],
            _ => return,
        };
        let several = told.iter().enumerate().any(|(at, it)| {
            let Some(it) = it.as_deref() else { return false };
            let (option, value) = match it.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (it, told.get(at + 1).and_then(|it| it.as_deref())),
            };
            options.contains(&option) && !matches!(value, Some("1" | "1:1"))
        });
        let [Question::Holds(names)] = line.questions.as_slice() else { return };
        let ranks = self.catalog.names("commands.ranks");
        let [asked] = names.as_slice() else { return };
        if !several || line.end == End::Or || !ranks.iter().any(|it| asked.ends_with(&**it)) {
            return;
        }
        let is_first = [" = 0 ", " == 0 ", " -eq 0 ", " = \"0\" ", " == \"0\" "];
        let asks = is_first.iter().any(|it| {
            [
                format!("{asked}\"{it}"),
                format!("{asked}{it}"),
                format!("{asked}}}\"{it}"),
                format!("{asked}:-0}}\"{it}"),
            ]
            .iter()
            .any(|it| text.contains(it.as_str()))
        });
        let chosen = text.contains(&format!("{asked} in 0) "))
            || text.contains(&format!("{asked}\" in 0) "));
        if asks && !text.contains("while ") && !text.contains("until ")
            || chosen && text.matches(") ").count() == 1
        {
            self.put(Mistake::OneNode, name);
        }
    }
}

/// Whether a text ends at its first failure.
pub(super) fn is_strict(script: &Script, lines: &[Simple]) -> bool {
    let letter = |it: &String| {
        it == "errexit" || it.starts_with('-') && !it.starts_with("--") && it.contains('e')
    };
    let off = |it: &Simple| it.words.iter().flatten().any(|it| it == "+e");
    let sets = lines.iter().filter(|it| word(it, 0) == "set");
    script.strict && !lines.iter().any(off)
        || sets.clone().any(|it| it.words.iter().skip(1).flatten().any(letter))
            && !sets.clone().any(off)
}

/// What a text looks for that its own runs leave behind: `LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1)`.
fn first_start(script: &Script, text: &str) -> Option<String> {
    let pipes = script.pipes || text.contains("pipefail");
    for (at, head) in text.match_indices("=$(") {
        let inside = text.get(at + head.len()..)?.split(')').next()?;
        let before = text.get(..at)?;
        let joined = before.rsplit(' ').nth(1).unwrap_or_default();
        // who asks first whether it is there, or lets something else decide, has thought of it
        let asks = ["[ -", "[[ -", "if ", "test -", "compgen", "shopt", "set +e"];
        let masked = matches!(joined, "export" | "local" | "declare" | "readonly" | "&&" | "||");
        let looks = inside.starts_with("ls ") || inside.starts_with("cat ");
        let kept = [
            "checkpoint-*",
            "checkpoint_*",
            "global_step*",
            "iter_*",
            "step_*",
            "step-*",
            "*.pt",
            "*.ckpt",
            "latest",
        ];
        let of_run = kept.iter().any(|it| inside.contains(it)) && inside.contains('/');
        let ends = !inside.contains("||") && (pipes || !inside.contains('|'));
        let behind = text.get(at + head.len() + inside.len()..).unwrap_or_default();
        let goes_on = behind.trim_start_matches([')', '"', ' ']).starts_with("||");
        if looks
            && of_run
            && ends
            && !masked
            && !goes_on
            && !asks.iter().any(|it| before.contains(it))
        {
            return Some(inside.trim().to_owned());
        }
    }
    None
}

/// A question that is answered with yes whatever is asked: `[ "$X"=0 ]`, and one that writes a file: `[ "$X" > 0 ]`.
fn always(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let opens = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or(";");
        let begins = before.ends_with([';', '|', '&', '{', '(']);
        begins
            || matches!(
                before,
                "if" | "elif" | "while" | "until" | "then" | "do" | "else" | "!" | "-c"
            )
    };
    for (at, word) in words.iter().enumerate() {
        if !matches!(*word, "[" | "[[") || !opens(at) {
            continue;
        }
        let close = if *word == "[" { "]" } else { "]]" };
        let length = words.iter().skip(at + 1).position(|it| it.trim_end_matches(';') == close)?;
        let inside = words.get(at + 1..at + 1 + length).unwrap_or_default();
        let shown = || format!("{word} {} {close}", inside.join(" "));
        match inside {
            [one] if one.starts_with(['$', '"']) && one.contains('$') => {
                let bare = one.replace(['"', '\''], "");
                let (name, value) = bare.split_once('=').unwrap_or((&bare, ""));
                let plain = |it: &str| {
                    it.trim_start_matches('=').chars().all(|c| c.is_ascii_alphanumeric())
                };
                let is_name = name.starts_with('$') && !name.contains(['(', ':', '/', '-']);
                if is_name && bare.contains('=') && !value.is_empty() && plain(value) {
                    return Some(shown());
                }
            }
            [asked, ">" | "<", number]
                if *word == "[" && asked.contains('$') && number.len() < 4 =>
            {
                return Some(shown());
            }
            _ => {}
        }
    }
    None
}

/// A word of Bash that the plain `sh` of Debian reads otherwise, or refuses.
fn of_bash(whole: &str, text: &str) -> Option<&'static str> {
    if whole.contains("<<") && !whole.contains("<<<") || whole.contains("bash -c") {
        return None;
    }
    // what stands between single quotes is read by others
    let text: String = text.split('\'').step_by(2).collect::<Vec<_>>().join("q");
    let words: Vec<&str> = text.split(' ').collect();
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or(";");
        before.ends_with([';', '|', '&', '{'])
            || matches!(before, "if" | "elif" | "while" | "until" | "then" | "do" | "else" | "!")
    };
    let is_name = |it: &str| {
        !it.is_empty()
            && it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !it.starts_with(|c: char| c.is_ascii_digit())
    };
    let has = |what: &str| words.iter().enumerate().any(|(at, it)| *it == what && begins(at));
    let list = words
        .iter()
        .enumerate()
        .any(|(at, it)| it.split_once("=(").is_some_and(|(name, _)| is_name(name)) && begins(at));
    let cut = |it: &str| {
        let mut parts = it.split("${").skip(1).filter_map(|it| it.split_once('}'));
        parts.any(|(inside, _)| {
            let name = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let digit = name
                .strip_prefix(':')
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()));
            name.len() < inside.len()
                && (digit
                    || name.starts_with("^^")
                    || name.starts_with(",,")
                    || name.starts_with("//"))
        })
    };
    match () {
        () if has("[[") => Some("[["),
        () if compares(&words, &begins) => Some("=="),
        () if has("function") => Some("function"),
        () if words.contains(&"<<<") => Some("<<<"),
        () if words.iter().any(|it| it.starts_with(">(") || it.starts_with("<(")) => Some("<(...)"),
        () if list => Some("NAME=(...)"),
        () if cut(&text) => Some("${NAME:0:1}"),
        () => None,
    }
}

/// Whether a plain question compares with `==`.
fn compares(words: &[&str], begins: &dyn Fn(usize) -> bool) -> bool {
    words.iter().enumerate().any(|(at, it)| {
        let mut inside = words.iter().skip(at + 1).take_while(|it| it.trim_end_matches(';') != "]");
        *it == "[" && begins(at) && inside.any(|it| *it == "==")
    })
}

/// The function that a text is made of, where nothing calls it.
fn never_called(text: &str) -> Option<String> {
    let (name, _) = text.split_once("()")?;
    let name = name.split_whitespace().last()?.to_owned();
    commands(text).is_empty().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::super::lost::on_one_line;
    use super::*;

    #[test]
    fn questions_with_one_answer_are_found() {
        let of = |text: &str| always(&on_one_line(text));
        for text in [
            "[ \"$NODE_RANK\"=0 ] && a",
            "if [ $NODE_RANK=0 ]; then a; fi",
            "[[ \"$NODE_RANK\"==0 ]] && a",
            "if [ \"$NODE_RANK\" > 0 ]; then a; fi",
            "[ $NODE_RANK < 1 ] && a",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        for text in [
            "[ \"$NODE_RANK\" = 0 ] && a",
            "[ \"$A\" ] && a",
            "[ -n \"$A\" ] && a",
            "[ \"${A:-x=1}\" ] && a",
            "[[ $A > 0 ]] && a",
            "[ \"$A\" \\> 0 ] && a",
            "[ \"$(cat a | grep b=1)\" ] && a",
            "echo \"[ $A=0 ]\"",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn words_of_bash_are_told_from_those_of_every_shell() {
        let of = |text: &str| of_bash(text, &on_one_line(text));
        for text in [
            "if [[ $A = 1 ]]; then b; fi",
            "A=(a b); c",
            "a <<< \"$B\"",
            "a > >(tee b)",
            "function f { a; }; f",
            "a ${X:0:1}",
            "a \"${X^^}\"",
            "if [ \"$A\" == 1 ]; then b; fi",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        for text in [
            "if [ \"$A\" = 1 ]; then b; fi",
            "a \"${X:-0}\" \"${X:+y}\" \"${X%/*}\" \"${X##*/}\"",
            "python -c 'a = [[1, 2], [3]]; b=(1, 2)'",
            "cat > a <<E\n[[ -f b ]]\nE\nc",
            "bash -c '[[ -f a ]] && b'",
            "f() { a; }; f",
            "a=$((1 + 2)); b",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_the_first_start_does_not_find_is_found() {
        let of = |text: &str| {
            let words = ["bash", "-c", text].map(|it| Some(it.to_owned()));
            let script = super::super::super::started::shell_text(&words)?;
            let lines = commands(text);
            is_strict(&script, &lines).then(|| first_start(&script, &on_one_line(text))).flatten()
        };
        for text in [
            "set -euo pipefail; LAST=$(ls -d /ckpt/run1/checkpoint-* | sort -V | tail -1); a",
            "set -e\nSTEP=$(cat /ckpt/run1/latest)\na",
        ] {
            assert!(of(text).is_some(), "{text}");
        }
        for text in [
            "LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1); a",
            "set -e; LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1); a",
            "set -euo pipefail; LAST=$(ls -d /ckpt/run1/checkpoint-* 2>/dev/null | tail -1 || true); a",
            "set -euo pipefail; LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1) || true; a",
            "set -euo pipefail; if [ -d /ckpt/run1 ]; then LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1); fi; a",
            "set -euo pipefail; export LAST=$(ls -d /ckpt/run1/checkpoint-* | tail -1); a",
            "set -e; N=$(cat /workspace/steps); a",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
