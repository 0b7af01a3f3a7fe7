//! What commands of a text for a shell stand behind: whether one is run is asked of something, and of what decides what a rule says of it.

use super::shell::{End, KEYWORDS, Known, Simple, base, is_one_of};

/// What decides whether a command is run, or how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether something is there: `[ -d /ckpt/run1 ]`.
    There(String),
    /// What variables hold: `[ "$NODE_RANK" = 0 ]`.
    Holds(Vec<String>),
    /// It is run for each of what lies somewhere: `for it in /ckpt/*`.
    Each,
    /// It is given what the command in front of it says.
    Piped,
    /// It is what a branch asks: `if rm -r /tmp/a; then`.
    Itself,
    /// Anything else.
    Other,
}

/// Words that begin what is run on a condition, or again and again.
const HEADS: [&str; 6] = ["if", "while", "until", "for", "case", "select"];

/// What asks whether a path is there.
const THERE: [&str; 9] = ["-d", "-e", "-f", "-L", "-h", "-s", "-r", "-w", "-x"];

/// The questions in front of each command, of commands that are gone through in order.
#[derive(Default)]
pub(super) struct Course {
    open: Vec<Block>,
    /// Of the commands that are joined to the next one.
    joined: Vec<Question>,
    /// What ended the last command.
    end: End,
    /// Somebody may have left the text before.
    left: bool,
}

/// What is open: a branch, a loop, or brackets.
struct Block {
    head: &'static str,
    /// Its question is not yet over.
    asks: bool,
    questions: Vec<Question>,
    /// Of the commands that it is joined to.
    around: Vec<Question>,
    /// Which brackets it is, where it is some.
    bracket: Option<usize>,
}

impl Course {
    /// The questions that the next command stands behind.
    pub(super) fn behind(&mut self, command: &Simple) -> Vec<Question> {
        self.nest(&command.brackets);
        let leads = |it: &&Known| is_one_of(it, &KEYWORDS) || is_one_of(it, &HEADS);
        let leading = command.words.iter().take_while(leads).count();
        let (leading, own) = command.words.split_at_checked(leading).unwrap_or_default();
        leading.iter().flatten().for_each(|word| self.lead(word, own, command));
        self.close(own);
        let mut found: Vec<Question> = self
            .open
            .iter()
            .flat_map(|it| it.around.iter().chain(&it.questions))
            .cloned()
            .collect();
        found.extend(self.joined.iter().cloned());
        found.extend((self.end == End::Pipe).then_some(Question::Piped));
        found.extend(self.open.last().filter(|it| it.asks).map(|_| Question::Itself));
        let leaves = own.first().is_some_and(|it| is_one_of(it, &LEAVES));
        let follows = matches!(self.end, End::And | End::Or);
        found.extend((self.left || leaves && follows).then_some(Question::Other));
        let asked = match is_one_of(leading.last().unwrap_or(&None), &["!"]) {
            true => Some(vec![Question::Other]),
            false => asked(own, command),
        };
        self.ask(asked, command.end);
        found
    }

    /// Whoever goes through these commands may leave here: what follows in this loop, or in the whole text, stands behind that.
    pub(super) fn leave(&mut self, word: &str) {
        let is_loop = |it: &&mut Block| matches!(it.head, "for" | "while" | "until" | "select");
        match matches!(word, "continue" | "break") {
            true => {
                let of = self.open.iter_mut().rev().find(is_loop);
                of.into_iter().for_each(|it| it.questions.push(Question::Other));
            }
            false => self.left = true,
        }
    }

    /// Opens and closes the brackets around a command.
    fn nest(&mut self, brackets: &[usize]) {
        while let Some(at) = self
            .open
            .iter()
            .position(|it| it.bracket.is_some_and(|bracket| !brackets.contains(&bracket)))
        {
            while self.open.len() > at {
                self.pop();
            }
            // the last command in it ends as they do
            if matches!(self.end, End::Next | End::Background) {
                self.joined.clear();
            }
        }
        for bracket in brackets {
            if self.open.iter().all(|it| it.bracket != Some(*bracket)) {
                self.push("(", Vec::new());
                self.open.last_mut().into_iter().for_each(|it| it.bracket = Some(*bracket));
            }
        }
    }

    /// A word of the grammar in front of a command.
    fn lead(&mut self, word: &str, own: &[Known], command: &Simple) {
        match word {
            "{" => self.push("{", Vec::new()),
            "}" => self.pop(),
            "then" | "do" => self.open.last_mut().into_iter().for_each(|it| it.asks = false),
            "else" | "elif" => self.otherwise(word == "elif"),
            _ => {
                let Some(head) = HEADS.into_iter().find(|it| *it == word) else { return };
                self.push(head, of_head(head, own, command));
            }
        }
    }

    fn push(&mut self, head: &'static str, questions: Vec<Question>) {
        let around = std::mem::take(&mut self.joined);
        self.open.push(Block { head, asks: head == "if", questions, around, bracket: None });
    }

    fn pop(&mut self) {
        let Some(Block { around, .. }) = self.open.pop() else { return };
        // the last command in it is joined to what stands behind it
        let inside = std::mem::replace(&mut self.joined, around);
        self.joined.extend(inside);
    }

    /// The other branch: its question is none that a first one has asked.
    fn otherwise(&mut self, asks: bool) {
        if let Some(block) = self.open.last_mut() {
            block.questions = vec![Question::Other];
            block.asks = asks;
        }
    }

    fn close(&mut self, own: &[Known]) {
        if own.first().is_some_and(|it| is_one_of(it, &["fi", "done", "esac"])) {
            self.pop();
        }
    }

    /// What a command asks decides over its branch, and over what it is joined to.
    fn ask(&mut self, asked: Option<Vec<Question>>, end: End) {
        if let Some(block) = self.open.last_mut().filter(|it| it.asks) {
            let sure = asked.clone().filter(|_| matches!(end, End::And | End::Next));
            block.questions.extend(sure.unwrap_or_else(|| vec![Question::Other]));
        }
        match end {
            End::And => self.joined.extend(asked.into_iter().flatten()),
            End::Or => self.joined.push(Question::Other),
            End::Pipe => {}
            End::Next | End::Background => self.joined.clear(),
        }
        self.end = end;
    }
}

/// Words that leave a loop, a function or a text.
const LEAVES: [&str; 4] = ["exit", "return", "continue", "break"];

/// What a branch or a loop asks by its own words. What `if` asks are commands.
fn of_head(head: &str, own: &[Known], command: &Simple) -> Vec<Question> {
    match head {
        "if" => Vec::new(),
        "for" if looped(own).is_some() => vec![Question::Each],
        "case" => vec![held(command)],
        _ => vec![Question::Other],
    }
}

/// The variable of a loop over all that lies somewhere, and what that is called: `for it in /ckpt/*`.
pub(super) fn looped(behind: &[Known]) -> Option<(&str, &str)> {
    match behind {
        [Some(name), Some(of), Some(what)] if of == "in" && what.contains('*') => {
            Some((name, what))
        }
        _ => None,
    }
}

/// What a command asks; nothing where it is no question. `cd /w && X=1` fails where it does not set; `[ -z "$X" ] && X=1` goes on.
fn asked(words: &[Known], command: &Simple) -> Option<Vec<Question>> {
    let (first, rest) = words.split_first()?;
    let (last, _) = words.split_last()?;
    let closes = is_one_of(last, &["]", "]]"]);
    let inside = |words: &[Known]| {
        let length = words.len() - usize::from(closes && !words.is_empty());
        Some(tested(words.get(..length).unwrap_or_default(), command))
    };
    match first.as_deref().map(base) {
        Some("((") => Some(vec![reckons(rest)]),
        Some("[" | "[[" | "test") => inside(rest),
        // the rest of a question with `&&` in it
        _ if closes => inside(words),
        None | Some("grep" | "command" | "which" | "type" | "hash") => Some(vec![Question::Other]),
        Some(_) => None,
    }
}

/// The questions between brackets.
fn tested(words: &[Known], command: &Simple) -> Vec<Question> {
    if words.iter().any(|it| is_one_of(it, &["-o", "!"])) {
        return vec![Question::Other];
    }
    let one = |part: &[Known]| match part {
        [how, Some(path)] if is_one_of(how, &THERE) => Question::There(path.clone()),
        _ => held(command),
    };
    words.split(|it| is_one_of(it, &["-a"])).map(one).collect()
}

/// What is asked of the variables of a command.
fn held(command: &Simple) -> Question {
    let is_word = |name: &String| {
        let words = command.words.iter().flatten();
        words.clone().any(|it| it.strip_prefix('-').unwrap_or(it) == name)
    };
    let names = command.asked.iter().chain(&command.spoken).filter(|it| !is_word(it));
    let mut names: Vec<String> = names.cloned().collect();
    names.dedup();
    match names.is_empty() {
        true => Question::Other,
        false => Question::Holds(names),
    }
}

/// What is asked of the variables of a sum: `(( NODE_RANK == 0 ))`.
fn reckons(words: &[Known]) -> Question {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let parts = words.iter().flatten().flat_map(|it| it.split(|c| !is_name(c)));
    let names = parts.filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    let names: Vec<String> = names.map(str::to_owned).collect();
    match names.is_empty() {
        true => Question::Other,
        false => Question::Holds(names),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shell::commands;
    use super::*;

    fn of(text: &str) -> String {
        let is = |it: &Simple| it.words.first() == Some(&Some("rm".to_owned()));
        let questions = commands(text).into_iter().find(is).map(|it| it.questions);
        let shown = |it: Question| match it {
            Question::There(path) => path,
            Question::Holds(names) => names.join("+"),
            Question::Each => "each".to_owned(),
            Question::Piped => "piped".to_owned(),
            Question::Itself => "itself".to_owned(),
            Question::Other => "?".to_owned(),
        };
        questions.into_iter().flatten().map(shown).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_command_stands_behind_the_questions_of_its_branch_and_of_what_it_is_joined_to() {
        for (text, asked) in [
            ("cd /w || exit 1; rm a", ""),
            ("cd /w && rm a", ""),
            ("clean() { rm a; }; clean", ""),
            ("[ -d b ] && c; rm a", ""),
            ("if b; then c; fi; rm a", ""),
            ("[ -d b ] && { c; rm a; }", "b"),
            ("[ -d b ] && (c; rm a)", "b"),
            ("( [ -d b ] && c ); rm a", ""),
            ("( [ -d b ] && c ); ( rm a )", ""),
            ("[ -d b ] && ( c ); ( rm a )", ""),
            ("( [ -d b ] && ( c ) || d ); ( ( rm a ) )", ""),
            ("[ -d b ] && ( ( c ); ( rm a ) )", "b"),
            ("[ -d b ] && c && rm a", "b"),
            ("if [ -d b ]; then c; rm a; fi", "b"),
            ("if [ \"$R\" = 0 ] && [ -d b ]; then rm a; fi", "R, b"),
            ("[[ $R -eq 0 && $A -eq 0 ]] && rm a", "R, A"),
            ("[ \"${R:-0}\" = \"0\" ] && rm a", "R"),
            ("(( R == 0 )) && rm a", "R"),
            ("(( ${D:-0} )) && rm a", "D"),
            ("case \"$R\" in 0) rm a ;; esac", "R"),
            ("for d in /b/*; do rm a; done", "each"),
            ("ls b | rm a", "piped"),
            ("if rm a; then b; fi", "itself"),
            ("for d in $(b); do rm a; done", "?"),
            ("for d in /b/*; do c && continue; rm a; done", "each, ?"),
            ("for d in /b/*; do c && continue; done; rm a", ""),
            ("if ! ls b; then rm a; fi", "?"),
            ("if [ -d b ]; then c; else rm a; fi", "?"),
            ("if [ -d b ] || [ -d c ]; then rm a; fi", "?, c"),
            ("[ ! -d b ] && rm a", "?"),
            ("c | grep -q d && rm a", "?"),
            ("[ -d b ] || rm a", "?"),
            ("fresh() { [ \"$A\" = 0 ] || return 0; rm a; }; fresh", "?"),
            ("if [ \"$A\" != 0 ]; then exec b; fi; rm a", "?"),
            ("clean() { rm a; }; [ -n \"$C\" ] && clean", "C"),
        ] {
            assert_eq!(of(text), asked, "{text}");
        }
    }
}
