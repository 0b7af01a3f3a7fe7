//! Command lines as a shell reads them, as far as that is known before it does: words, what ends a command, and what is set
//! in front of one. A word that holds an expansion is not known.

use std::iter::Peekable;
use std::str::Chars;

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
    /// What comes behind it.
    pub(super) end: End,
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

/// Programs that start the rest of their words, with their options that take a value, and how many words of their own come
/// before the rest.
const STARTERS: [(&str, &[&str], usize); 12] = [
    ("exec", &["-a"], 0),
    ("env", &["-u", "-C", "-S"], 0),
    ("nohup", &[], 0),
    ("command", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("sudo", &["-u", "-g"], 0),
    ("nice", &["-n"], 0),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("numactl", &["-N", "-m", "-C", "-p"], 0),
    ("setsid", &[], 0),
    ("ionice", &["-c", "-n"], 0),
];

/// Words of the grammar that may stand in front of a command.
const KEYWORDS: [&str; 10] = ["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}"];

/// Heads of what is no command.
const HEADS: [&str; 5] = ["for", "case", "select", "function", "[["];

impl Simple {
    /// The command that words are, without what starts it.
    pub(super) fn of(words: Vec<Known>) -> Self {
        Self::read(Self { words, ..Self::default() })
    }

    /// Tells what is set in front of the words, and what starts them, from the command.
    fn read(Self { mut words, asked, end, .. }: Self) -> Self {
        let mut assigned = Vec::new();
        loop {
            let skipped = words.iter().take_while(|it| is_one_of(it, &KEYWORDS)).count();
            words.drain(..skipped);
            let set = words.iter().map_while(assignment).count();
            assigned.extend(words.drain(..set).filter_map(|word| assignment(&word)));
            let Some(first) = words.first().cloned().flatten() else { break };
            let name = base(&first);
            if HEADS.contains(&name) {
                words.clear();
            } else if matches!(name, "export" | "declare" | "typeset" | "readonly") {
                assigned.extend(words.iter().filter_map(assignment));
                words.clear();
            } else if let Some((_, valued, own)) = STARTERS.iter().find(|it| it.0 == name) {
                words.drain(..1);
                started(&mut words, valued, *own);
                continue;
            }
            break;
        }
        Self { assigned, words, asked, end }
    }
}

/// Drops the options and own words of what starts another program.
fn started(words: &mut Vec<Known>, valued: &[&str], own: usize) {
    while let Some(Some(first)) = words.first()
        && first.starts_with('-')
    {
        let count = if valued.contains(&first.as_str()) { 2 } else { 1 };
        words.drain(..count.min(words.len()));
    }
    words.drain(..own.min(words.len()));
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_one_of(word: &Known, words: &[&str]) -> bool {
    word.as_deref().is_some_and(|word| words.contains(&word))
}

/// `NAME=VALUE`. A word with an expansion keeps what is in front of it, so that the name of what is set is known.
fn assignment(word: &Known) -> Option<(String, Known)> {
    let (name, value) = word.as_deref()?.split_once('=')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name =
        name.chars().all(plain) && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    let value = value.strip_suffix(UNKNOWN).map_or_else(|| Some(value.to_owned()), |_| None);
    is_name.then(|| (name.to_owned(), value))
}

/// Ends an assignment whose value only the shell knows.
pub(super) const UNKNOWN: char = '\0';

/// The commands of a text, in order, wherever they stand in it.
pub(super) fn commands(text: &str) -> Vec<Simple> {
    let mut reader = Reader { rest: text.chars().peekable(), ..Reader::default() };
    while let Some(c) = reader.rest.next() {
        reader.take(c);
    }
    reader.end_command(End::Next);
    let is_one = |it: &Simple| !it.assigned.is_empty() || !it.words.is_empty();
    reader.found.into_iter().map(Simple::read).filter(is_one).collect()
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    found: Vec<Simple>,
    words: Vec<Known>,
    asked: Vec<String>,
    word: String,
    /// A word has begun, though it may hold nothing.
    begun: bool,
    /// The word holds an expansion.
    expands: bool,
    /// The next word is where something is read from or written to.
    redirects: bool,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            rest: "".chars().peekable(),
            found: Vec::new(),
            words: Vec::new(),
            asked: Vec::new(),
            word: String::new(),
            begun: false,
            expands: false,
            redirects: false,
        }
    }
}

impl Reader<'_> {
    fn take(&mut self, c: char) {
        match c {
            '\\' => match self.rest.next() {
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            '\'' => {
                self.begun = true;
                while let Some(c) = self.rest.next().filter(|c| *c != '\'') {
                    self.word.push(c);
                }
            }
            '"' => self.quoted(),
            '$' => self.expansion(),
            '`' => {
                self.unknown();
                self.rest.by_ref().take_while(|c| *c != '`').for_each(drop);
            }
            '#' if !self.begun => {
                self.rest.by_ref().take_while(|c| *c != '\n').for_each(drop);
                self.end_command(End::Next);
            }
            ';' | '\n' | '(' | ')' => self.end_command(End::Next),
            '&' | '|' => {
                let end = match (c, self.rest.next_if(|next| *next == c || *next == '&')) {
                    ('&', None) => End::Background,
                    ('&', Some(_)) => End::And,
                    (_, Some('|')) => End::Or,
                    _ => End::Pipe,
                };
                self.end_command(end);
            }
            '<' | '>' => self.redirect(),
            c if c.is_whitespace() => self.end_word(),
            c => self.push(c),
        }
    }

    fn push(&mut self, c: char) {
        self.begun = true;
        self.word.push(c);
    }

    fn unknown(&mut self) {
        self.begun = true;
        self.expands = true;
    }

    fn quoted(&mut self) {
        self.begun = true;
        while let Some(c) = self.rest.next() {
            match c {
                '"' => return,
                '\\' => self.word.extend(self.rest.next().filter(|c| *c != '\n')),
                '$' => self.expansion(),
                '`' => {
                    self.unknown();
                    self.rest.by_ref().take_while(|c| *c != '`').for_each(drop);
                }
                c => self.word.push(c),
            }
        }
    }

    /// What follows a `$`.
    fn expansion(&mut self) {
        let (open, close) = match self.rest.peek() {
            Some('(') => ('(', ')'),
            Some('{') => ('{', '}'),
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?!$-".contains(*c) => {
                self.unknown();
                let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let first = self.rest.next();
                let mut name: String = first.into_iter().collect();
                if first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
                    while let Some(c) = self.rest.next_if(is_name) {
                        name.push(c);
                    }
                }
                self.asked.push(name);
                return;
            }
            _ => return self.push('$'),
        };
        self.unknown();
        let (mut depth, mut inside) = (0_usize, String::new());
        for c in self.rest.by_ref() {
            if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            } else {
                inside.push(c);
            }
        }
        if open == '{' && inside.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.asked.push(inside);
        }
    }

    /// `2> file`, `>&2`, `<<< text`: the number in front and the word behind are no words of the command.
    fn redirect(&mut self) {
        if self.begun && self.word.chars().all(|c| c.is_ascii_digit()) {
            self.word.clear();
            self.begun = false;
        }
        self.end_word();
        while self.rest.next_if(|c| "<>&|".contains(*c)).is_some() {}
        self.redirects = true;
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let (begun, expands) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.expands));
        if !begun || std::mem::take(&mut self.redirects) {
            return;
        }
        let sets =
            Some(format!("{word}{UNKNOWN}")).filter(|it| assignment(&Some(it.clone())).is_some());
        self.words.push(if expands { sets } else { Some(word) });
    }

    fn end_command(&mut self, end: End) {
        self.end_word();
        self.redirects = false;
        let (words, asked) = (std::mem::take(&mut self.words), std::mem::take(&mut self.asked));
        self.found.push(Simple { words, asked, end, ..Simple::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
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
        assert_eq!(shown("a ${B:-c d} `e` $1f $"), ["a ? ? ? $"]);
    }

    #[test]
    fn commands_are_joined_by_what_stands_between() {
        let ends = |text| commands(text).iter().map(|it| it.end).collect::<Vec<_>>();
        assert_eq!(
            ends("a && b | c || d; e &"),
            [End::And, End::Pipe, End::Or, End::Next, End::Background]
        );
        assert_eq!(ends("a |& b\nc >&2 & d"), [End::Pipe, End::Next, End::Background, End::Next]);
    }

    #[test]
    fn what_does_not_end_is_read_to_the_end() {
        for text in ["'a", "\"a", "$(a", "${a", "`a", "a \\", "a >"] {
            assert!(commands(text).len() <= 1, "{text}");
        }
    }
}
