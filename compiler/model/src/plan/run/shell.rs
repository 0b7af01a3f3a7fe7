//! Command lines as a shell reads them, as far as that is known before it does: words, what ends a command, and what is set
//! in front of one. A word that holds an expansion is not known.

mod grammar;
mod lists;
mod reader;

use super::functions::called;
use super::questions::Question;
use super::settled::{DECLARES, settled};
use super::starters::drop_starter;
pub(super) use grammar::unread;
use reader::raw;
pub(in crate::plan) use reader::{ATTEMPT, is_made_up};
pub(super) use reader::{NEW_EACH_TIME, documents, swallowed};
use std::collections::BTreeMap;

/// A word; `None` where only the shell knows what becomes of it.
pub(super) type Known = Option<String>;

/// A command without operators.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Simple {
    /// What is set for it, or from it on.
    pub(super) assigned: Vec<(String, Known)>,
    /// The program and its words, without what it is started by (`exec`, `env`, `timeout 1h`).
    pub(super) words: Vec<Known>,
    /// Variables that a shell puts into it: those without a value of their own there (`${RANK:-0}`).
    pub(super) asked: Vec<String>,
    /// Names that its words hold otherwise than as what is put in (`read RANK`), or with a value of their own (`${RANK:=0}`).
    pub(super) spoken: Vec<String>,
    /// Those that it sets where nobody has: `${LOGS:=/logs}`, `{lock}>/tmp/lock`.
    pub(super) given: Vec<String>,
    /// Files that its output goes to.
    pub(super) written: Vec<String>,
    /// Files, and texts behind `<<<`, that its input comes from.
    pub(super) taken: Vec<String>,
    /// What comes behind it.
    pub(super) end: End,
    /// The function whose body follows.
    pub(super) defines: Option<String>,
    /// It is one that declares: what it names, programs may be given as well (`export`).
    pub(super) declares: bool,
    /// What decides whether it is run, or how often: it stands in a branch or a loop, or behind a question.
    pub(super) questions: Vec<Question>,
    /// The brackets that are open around it, each a shell of its own, by the order in which they opened.
    pub(super) brackets: Vec<usize>,
    /// Nobody waits for it: it, or what stands around it, is in front of `&`.
    pub(super) background: bool,
    /// It sets variables whose names only the shell knows: `export $(cat .env)`.
    pub(super) sets_any: bool,
    /// It takes the place of its shell (`exec torchrun`).
    pub(super) execs: bool,
    /// A program that is joined to what declares: `export NAME=VALUE torchrun`.
    pub(super) joined: Option<String>,
}

/// What joins a command to the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum End {
    /// `;`, a new line, a bracket, or the end of the text.
    #[default]
    Next,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
    /// `&`
    Background,
}

/// Words of the grammar that may stand in front of a command.
pub(super) const KEYWORDS: [&str; 10] =
    ["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}"];

/// What a test says that asks whether something is set.
const GUARDS: [&str; 4] = ["-n", "-z", "-v", ""];

/// What a switch is compared with by who leaves it out where it is off.
const SWITCHED: [&str; 9] = ["1", "true", "True", "TRUE", "yes", "y", "on", "x1", "xtrue"];

/// How it is compared.
const COMPARES: [&str; 6] = ["=", "==", "!=", "-eq", "-ne", "in"];

/// Programs that are no names of variables.
pub(super) const LAUNCHERS: [&str; 7] =
    ["torchrun", "accelerate", "deepspeed", "mpirun", "srun", "python", "python3"];

/// Heads of what is no command.
const HEADS: [&str; 6] = ["for", "case", "select", "function", "[[", "(("];

/// A word of a command; empty where it has none there, or where nobody knows it.
pub(super) fn word(line: &Simple, at: usize) -> &str {
    line.words.get(at).and_then(|it| it.as_deref()).unwrap_or_default()
}

impl Simple {
    /// The command that words are, without what starts it.
    pub(super) fn of(words: Vec<Known>) -> Self {
        Self::read(Self { words, ..Self::default() })
    }

    /// Tells what is set in front of the words, and what starts them, from the command.
    pub(super) fn read(self) -> Self {
        let Self { mut words, mut spoken, .. } = self;
        let mut assigned = Vec::new();
        let (mut declares, mut execs, mut joined, mut sets_any) = (false, false, None, false);
        loop {
            let skipped = words.iter().take_while(|it| is_one_of(it, &KEYWORDS)).count();
            words.drain(..skipped);
            let set = words.iter().map_while(assignment).count();
            assigned.extend(words.drain(..set).filter_map(|word| assignment(&word)));
            let Some(first) = words.first().cloned().flatten() else { break };
            let name = base(&first);
            if matches!(name, "[" | "[[" | "test") && words.iter().any(|it| is_one_of(it, &GUARDS))
            {
                let all = self.asked.iter().chain(&spoken);
                let all = all.flat_map(|name| [name, family(name)]).map(str::to_owned);
                let all: Vec<String> = all.collect();
                spoken.extend(all);
            } else if matches!(name, "[" | "[[" | "test" | "case") && is_switch(&words) {
                spoken.extend(self.asked.iter().cloned());
            } else if shows(name, &words) && self.written.is_empty() && self.end != End::Pipe {
                spoken.clear();
            }
            if HEADS.contains(&name) {
                words.clear();
            } else if DECLARES.contains(&name) {
                declares = true;
                assigned.extend(words.iter().filter_map(assignment));
                sets_any = words.iter().any(Option::is_none);
                let behind = words.iter().skip_while(|it| assignment(it).is_none());
                joined = behind.flatten().find(|it| LAUNCHERS.contains(&it.as_str())).cloned();
                words.clear();
            } else if drop_starter(&mut words) {
                execs |= name == "exec" && !words.is_empty();
                continue;
            }
            break;
        }
        spoken.extend(self.given.iter().cloned());
        Self { assigned, words, spoken, declares, execs, joined, sets_any, ..self }
    }

    /// Whether it may not be run, or again and again.
    pub(super) fn is_conditional(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Whether it stands behind a question that may be about what there is, and not about which node asks.
    pub(super) fn is_guarded(&self) -> bool {
        self.questions.iter().any(|it| match it {
            Question::Holds(names) => {
                let of_slurm = |it: &String| it.starts_with("SLURM_");
                let of_node = ["RANK", "NODEID", "INDEX", "PROCID"];
                let tells = |it: &String| of_node.iter().any(|own| it.contains(own));
                names.iter().any(|it| of_slurm(it) || !tells(it))
            }
            Question::There(_) | Question::Itself | Question::Other => true,
            Question::Each | Question::Piped => false,
        })
    }

    /// How many braces it opens, less those that it closes.
    pub(super) fn braces(&self) -> isize {
        let leading = self.words.iter().take_while(|it| is_one_of(it, &KEYWORDS));
        let worth = |word: &Known| match word.as_deref() {
            Some("{") => 1,
            Some("}") => -1,
            _ => 0,
        };
        leading.map(worth).sum()
    }
}

/// Whether a question is one of a switch: `[ "$DEBUG" = 1 ]`, `[ "$DEBUG" ]`.
fn is_switch(words: &[Known]) -> bool {
    let has = |those: &[&str]| words.iter().any(|it| is_one_of(it, those));
    matches!(words, [_, None] | [_, None, Some(_)]) || has(&COMPARES) && has(&SWITCHED)
}

/// Whether a command shows its words and sets nothing.
fn shows(name: &str, words: &[Known]) -> bool {
    name == "echo" || name == "printf" && !words.iter().any(|it| is_one_of(it, &["-v"]))
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn is_one_of(word: &Known, words: &[&str]) -> bool {
    word.as_deref().is_some_and(|word| words.contains(&word))
}

/// `NAME=VALUE`. A word with an expansion keeps what is in front of it, so that the name of what is set is known.
pub(super) fn assignment(word: &Known) -> Option<(String, Known)> {
    let (name, value) = word.as_deref()?.split_once('=')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name =
        name.chars().all(plain) && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    let value = value.strip_suffix(UNKNOWN).map_or_else(|| Some(value.to_owned()), |_| None);
    is_name.then(|| (name.to_owned(), value))
}

/// Ends an assignment, or an option, whose value only the shell knows.
pub(super) const UNKNOWN: char = '\0';

/// A word of which only so much is known: what is set, or told, where its name is in that.
pub(super) fn named(word: &str, known: usize) -> Known {
    let (name, _) = word.get(..known)?.split_once('=')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.+/".contains(c);
    let is_name = !name.is_empty() && name.chars().all(plain);
    is_name.then(|| format!("{word}{UNKNOWN}"))
}

/// Variables whose values are known before a shell runs.
pub(super) type Values = BTreeMap<String, String>;

/// The commands of a text, in order, wherever they stand in it: those of a function where it is called first, and nowhere where nothing
/// calls it.
pub(super) fn commands(text: &str) -> Vec<Simple> {
    commands_among(text, &Values::new())
}

/// The same where these variables have these values, and those that the text sets once and for all theirs.
pub(super) fn commands_among(text: &str, given: &Values) -> Vec<Simple> {
    let mut values = given.clone();
    let mut read = raw(text, &values);
    for _ in 0..DEEPEST_VALUE {
        let now = settled(&read, given);
        if now == values {
            break;
        }
        values = now;
        read = raw(text, &values);
    }
    let is_one = |it: &Simple| it.declares || !it.assigned.is_empty() || !it.words.is_empty();
    called(read).into_iter().filter(is_one).collect()
}

/// Values that are made of each other are followed so far.
const DEEPEST_VALUE: usize = 4;

/// The same, with what only looks or repeats (`[[`, `for`), which has no words, and no value known.
pub(super) fn lines(text: &str) -> Vec<Simple> {
    called(raw(text, &Values::new()))
}

/// What a variable's name begins with: `SLURM_`. Who asks whether one is there asks for all of them.
pub(super) fn family(name: &str) -> &str {
    name.split_inclusive('_').next().unwrap_or(name)
}

/// The names in a text that are not put in by a shell.
fn names(text: &str) -> impl Iterator<Item = String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = "";
    let found = text.split_inclusive(move |c| !is_name(c)).filter_map(move |part| {
        let name = part.trim_end_matches(|c| !is_name(c));
        let put_in = before.ends_with('$') || before.ends_with('{');
        before = part;
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (begins && !put_in).then(|| name.to_owned())
    });
    found.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn shown(text: &str) -> Vec<String> {
        let word = |word: &Known| word.clone().unwrap_or_else(|| "?".to_owned());
        let set = |(name, value): &(String, Known)| format!("{name}={}", word(value));
        let line = |it: &Simple| {
            let words = it.assigned.iter().map(set).chain(it.words.iter().map(word));
            words.collect::<Vec<_>>().join(" ")
        };
        commands(text).iter().map(line).collect()
    }

    #[test]
    fn commands_are_found_wherever_a_shell_would_start_one() {
        assert_eq!(shown("cd /w && exec torchrun a.py"), ["cd /w", "torchrun a.py"]);
        assert_eq!(shown("if true; then X=1 timeout -k 5 1h a; fi"), ["true", "X=1 a", "fi"]);
        assert_eq!(shown("a 'b c' \"d $E\" f\\ g # h\ni"), ["a b c ? f g", "i"]);
        assert_eq!(shown("a > log 2>&1 | tee b"), ["a", "tee b"]);
        assert_eq!(
            shown("export A=1 B=$(x y); for i in 1 2; do c; done"),
            ["A=1 B=?", "c", "done"]
        );
        assert_eq!(shown("(a; b) & c \\\n d"), ["a", "b", "c d"]);
        assert_eq!(
            shown("case $X in\n  -h | --help) a ;;\n  (srun) b;;\n  *)\n    c\nesac\nd"),
            ["a", "b", "c", "esac", "d"]
        );
        assert_eq!(
            shown("while a; do case \"$1\" in\n--x) b;; esac; done").join(" "),
            "a b esac done"
        );
        assert_eq!(shown("case $X in esac\na"), ["a"]);
        assert_eq!(shown("case $X in a|srun) b;; c) d;; esac && e"), ["b", "d", "esac", "e"]);
        assert_eq!(shown("a ${B:-c d} `e` $1f $"), ["a ? ? ? $"]);
        assert_eq!(
            shown("a ${B:+--b \"$B\"} ${C:+-c}").concat().replace(UNKNOWN, "?"),
            "a --b=? ?"
        );
    }

    #[test]
    fn commands_are_joined_by_what_stands_between() {
        let ends = |text| commands(text).iter().map(|it| it.end).collect::<Vec<_>>();
        assert_eq!(
            ends("a && b | c || d; e &"),
            [End::And, End::Pipe, End::Or, End::Next, End::Background]
        );
        assert_eq!(
            ends("{ a; b; } | c; (d) || e"),
            [End::Next, End::Pipe, End::Next, End::Or, End::Next]
        );
        assert_eq!(ends("a |& b\nc >&2 & d"), [End::Pipe, End::Next, End::Background, End::Next]);
    }

    #[test]
    fn texts_that_are_given_to_commands_are_no_commands() {
        assert_eq!(shown("cat > a <<E\nit's b\nE\nc"), ["cat", "c"]);
        assert_eq!(
            shown("cat <<-'E' | b\n\tc\n\tE\nd <<A; e <<B\nf\nA\ng\nB\nh"),
            ["cat", "b", "d", "e", "h"]
        );
        assert_eq!(shown("a=$(cat <<E\nit's (b\nE\n)\nc $((1<<2)) <<< d"), ["a=?", "c ?"]);
        assert_eq!(
            commands("cat <<E > /a 2>&1\nb\nE").first().map(|it| it.written.join(" ")).as_deref(),
            Some("/a 1")
        );
    }

    #[test]
    fn lists_and_sums_are_no_commands() {
        assert_eq!(shown("A=(\n --x 1\n \"b c\"\n)\nd"), ["A=?", "d"]);
        assert_eq!(
            shown("A+=(b $C); (( x = 1 )) && d; for ((i=0;i<2;i++)); do e; done"),
            ["A=?", "d", "e", "done"]
        );
        assert_eq!(commands("A=(b $C)").first().map(|it| it.asked.concat()).as_deref(), Some("C"));
    }

    #[test]
    fn what_is_written_elsewhere_is_no_end() {
        assert_eq!(
            shown("a &> b; c &>> d; e >& f; g > >(tee h) 2>&1; i <(j)"),
            ["a", "c", "e", "g", "i ?"]
        );
    }

    #[test]
    fn what_does_not_end_is_read_to_the_end() {
        for text in [
            "'a",
            "\"a",
            "$(a",
            "${a",
            "`a",
            "a \\",
            "a >",
            "a &>",
            "a <<E",
            "a <<E\nb",
            "a <(b",
            "a() {",
            "$(a <<E\nb",
        ] {
            assert!(commands(text).len() <= 1, "{text}");
        }
    }
}
