//! Command lines as a shell reads them, as far as that is known before it does: words, what ends a command, and what is set
//! in front of one. A word that holds an expansion is not known.

use super::functions::called;
use super::reckoned::reckoned;
use super::settled::settled;
use super::starters::drop_starter;
use std::collections::{BTreeMap, VecDeque};
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
    /// Names that its words hold otherwise than as what is put in (`read RANK`), or with a value of their own (`${RANK:=0}`).
    pub(super) spoken: Vec<String>,
    /// Files that its output goes to.
    pub(super) written: Vec<String>,
    /// What comes behind it.
    pub(super) end: End,
    /// The function whose body follows.
    pub(super) defines: Option<String>,
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

/// Heads of what is no command.
const HEADS: [&str; 5] = ["for", "case", "select", "function", "[["];

impl Simple {
    /// The command that words are, without what starts it.
    pub(super) fn of(words: Vec<Known>) -> Self {
        Self::read(Self { words, ..Self::default() })
    }

    /// Tells what is set in front of the words, and what starts them, from the command.
    pub(super) fn read(self) -> Self {
        let Self { mut words, mut spoken, .. } = self;
        let mut assigned = Vec::new();
        loop {
            let skipped = words.iter().take_while(|it| is_one_of(it, &KEYWORDS)).count();
            words.drain(..skipped);
            let set = words.iter().map_while(assignment).count();
            assigned.extend(words.drain(..set).filter_map(|word| assignment(&word)));
            let Some(first) = words.first().cloned().flatten() else { break };
            let name = base(&first);
            if matches!(name, "[" | "[[" | "test") && words.iter().any(|it| is_one_of(it, &GUARDS))
            {
                spoken.extend(
                    self.asked.iter().flat_map(|name| [name, family(name)]).map(str::to_owned),
                );
            } else if shows(name, &words) && self.written.is_empty() && self.end != End::Pipe {
                spoken.clear();
            }
            if HEADS.contains(&name) {
                words.clear();
            } else if matches!(name, "export" | "declare" | "typeset" | "readonly") {
                assigned.extend(words.iter().filter_map(assignment));
                words.clear();
            } else if drop_starter(&mut words) {
                continue;
            }
            break;
        }
        Self { assigned, words, spoken, ..self }
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
    let is_one = |it: &Simple| !it.assigned.is_empty() || !it.words.is_empty();
    called(read).into_iter().filter(is_one).collect()
}

/// Values that are made of each other are followed so far.
const DEEPEST_VALUE: usize = 4;

/// The same, with what only looks or repeats (`[[`, `for`), which has no words, and no value known.
pub(super) fn lines(text: &str) -> Vec<Simple> {
    called(raw(text, &Values::new()))
}

/// What ends as a command does, as it is written.
fn raw(text: &str, values: &Values) -> Vec<Simple> {
    let mut reader =
        Reader { rest: text.chars().peekable(), values: Some(values), ..Reader::default() };
    while let Some(c) = reader.rest.next() {
        reader.take(c);
    }
    reader.end_command(End::Next);
    reader.found
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    values: Option<&'t Values>,
    found: Vec<Simple>,
    words: Vec<Known>,
    asked: Vec<String>,
    spoken: Vec<String>,
    written: Vec<String>,
    word: String,
    /// A word has begun, though it may hold nothing.
    begun: bool,
    /// Where the word holds its first expansion.
    expands: Option<usize>,
    /// The next word is where something is read from, or written to.
    redirects: Option<bool>,
    /// What ends the texts that begin behind this line, in order, and whether tabs in front of their lines count for nothing.
    texts: VecDeque<(String, bool)>,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self {
            rest: "".chars().peekable(),
            values: None,
            found: Vec::new(),
            words: Vec::new(),
            asked: Vec::new(),
            spoken: Vec::new(),
            written: Vec::new(),
            word: String::new(),
            begun: false,
            expands: None,
            redirects: None,
            texts: VecDeque::new(),
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
            '$' => self.expansion(false),
            '`' => {
                self.unknown();
                self.rest.by_ref().take_while(|c| *c != '`').for_each(drop);
            }
            '#' if !self.begun => while self.rest.next_if(|c| *c != '\n').is_some() {},
            '\n' => {
                self.end_command(End::Next);
                self.skip_texts();
            }
            '(' => self.bracket(),
            ';' | ')' => self.end_command(End::Next),
            '&' if self.rest.peek() == Some(&'>') => {
                self.end_word();
                self.redirect('&');
            }
            '&' | '|' => {
                let end = match (c, self.rest.next_if(|next| *next == c || *next == '&')) {
                    ('&', None) => End::Background,
                    ('&', Some(_)) => End::And,
                    (_, Some('|')) => End::Or,
                    _ => End::Pipe,
                };
                self.end_command(end);
            }
            '<' | '>' if !self.begun && self.rest.peek() == Some(&'(') => {
                self.unknown();
                self.inside('(', ')');
            }
            '<' | '>' => self.redirect(c),
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
        self.expands = self.expands.or(Some(self.word.len()));
    }

    fn quoted(&mut self) {
        self.begun = true;
        while let Some(c) = self.rest.next() {
            match c {
                '"' => return,
                '\\' => self.word.extend(self.rest.next().filter(|c| *c != '\n')),
                '$' => self.expansion(true),
                '`' => {
                    self.unknown();
                    self.rest.by_ref().take_while(|c| *c != '`').for_each(drop);
                }
                c => self.word.push(c),
            }
        }
    }

    /// What follows a `$`.
    fn expansion(&mut self, quoted: bool) {
        let (open, close) = match self.rest.peek() {
            Some('(') => ('(', ')'),
            Some('{') => ('{', '}'),
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?!$-".contains(*c) => {
                let is_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let first = self.rest.next();
                let mut name: String = first.into_iter().collect();
                if first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
                    while let Some(c) = self.rest.next_if(is_name) {
                        name.push(c);
                    }
                }
                self.put_in(&name, quoted);
                self.asked.push(name);
                return;
            }
            _ => return self.push('$'),
        };
        let inside = self.inside(open, close);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, operator) =
            inside.split_at(inside.find(|c| !is_name(c)).unwrap_or(inside.len()));
        if open == '{' && (operator.is_empty() || operator.trim_start_matches(':').starts_with('-'))
        {
            self.put_in(name, quoted);
        } else if open == '('
            && let Some(sum) = inside.strip_prefix('(').and_then(|it| it.strip_suffix(')'))
            && let Some(value) = self.values.and_then(|values| reckoned(sum, values))
        {
            self.begun = true;
            self.word.push_str(&value.to_string());
        } else if open == '(' && is_new_each_time(&inside) {
            self.begun = true;
            self.word.push_str(&format!("$({inside})"));
        } else {
            self.unknown();
        }
        if open == '(' {
            self.spoken.extend(names(&inside));
        } else if operator.is_empty() {
            self.asked.push(inside);
        } else if operator.trim_start_matches(':').starts_with(['-', '=', '+', '?']) {
            self.spoken.push(name.to_owned());
        }
    }

    /// Puts in the value of a variable, which is several words where nothing quotes it.
    fn put_in(&mut self, name: &str, quoted: bool) {
        if name == "RANDOM" {
            return "$RANDOM".chars().for_each(|c| self.push(c));
        }
        let Some(value) = self.values.and_then(|it| it.get(name)).filter(|it| !it.is_empty())
        else {
            return self.unknown();
        };
        let mut depth = 0_usize;
        for c in value.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if c.is_whitespace() && !quoted && depth == 0 {
                self.end_word();
            } else {
                self.push(c);
            }
        }
    }

    /// What stands up to the bracket that closes the next one, without the texts in it that are given to its commands.
    fn inside(&mut self, open: char, close: char) -> String {
        let (mut depth, mut inside, mut quote) = (0_usize, String::new(), None);
        let mut texts = VecDeque::new();
        while let Some(c) = self.rest.next() {
            match (c, quote) {
                ('\\', None | Some('"')) => {
                    inside.push(c);
                    inside.extend(self.rest.next());
                    continue;
                }
                (_, Some(by)) => quote = Some(by).filter(|by| *by != c),
                ('"', _) => quote = Some(c),
                ('\'', _) if open == '(' => quote = Some(c),
                ('#', _) if open == '(' && inside.ends_with(char::is_whitespace) => {
                    while self.rest.next_if(|c| *c != '\n').is_some() {}
                }
                ('<', _) if open == '(' && inside.ends_with('<') && depth == 1 => {
                    texts.extend(self.text_behind());
                }
                ('\n', _) => self.skip(&mut texts),
                _ if c == open => depth += 1,
                _ if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            if depth > 1 || c != open {
                inside.push(c);
            }
        }
        inside
    }

    /// What ends the text behind `<<`: nothing where that is `<<<`, whose text is its next word.
    fn text_behind(&mut self) -> Option<(String, bool)> {
        match self.rest.next_if_eq(&'<') {
            Some(_) => None,
            None => self.delimiter(),
        }
    }

    /// What ends a text, behind `<<`: nothing where no word stands there.
    fn delimiter(&mut self) -> Option<(String, bool)> {
        let tabs = self.rest.next_if_eq(&'-').is_some();
        while self.rest.next_if(|c| *c == ' ' || *c == '\t').is_some() {}
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| !c.is_whitespace() && !";&|<>()".contains(*c)) {
            word.extend(Some(c).filter(|c| !"'\"\\".contains(*c)));
        }
        Some((word, tabs)).filter(|(word, _)| !word.is_empty())
    }

    /// Skips the lines of the texts that begin here.
    fn skip(&mut self, texts: &mut VecDeque<(String, bool)>) {
        while let Some((end, tabs)) = texts.pop_front() {
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|c| *c != '\n').collect();
                let line = if tabs { line.trim_start_matches('\t') } else { &line };
                if line == end {
                    break;
                }
            }
        }
    }

    fn skip_texts(&mut self) {
        let mut texts = std::mem::take(&mut self.texts);
        self.skip(&mut texts);
    }

    /// `2> file`, `>&2`, `&> file`, `<<< text`, `<< END`: the number in front and the word behind are no words of the command.
    fn redirect(&mut self, first: char) {
        if self.begun && self.word.chars().all(|c| c.is_ascii_digit()) {
            self.word.clear();
            self.begun = false;
        }
        self.end_word();
        if first == '<' && self.rest.next_if_eq(&'<').is_some() {
            if self.rest.next_if_eq(&'<').is_none() {
                let text = self.delimiter();
                self.texts.extend(text);
                return;
            }
        } else {
            while self.rest.next_if(|c| ">&|".contains(*c)).is_some() {}
        }
        self.redirects = Some(first != '<');
    }

    /// `NAME()` begins a function, and any other bracket commands of their own.
    fn bracket(&mut self) {
        self.end_word();
        let function = self.words.first() == Some(&Some("function".to_owned()));
        let name = match (self.words.as_slice(), function) {
            ([Some(name)], false) | ([_, Some(name)], true) => Some(name.clone()),
            _ => None,
        };
        let name = name.filter(|name| !name.contains('='));
        if name.is_some() && self.rest.next_if_eq(&')').is_some() {
            self.words.clear();
            self.spoken.clear();
            self.found.push(Simple { defines: name, ..Simple::default() });
        } else {
            self.end_command(End::Next);
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let (begun, expands) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.expands));
        if !begun {
            return;
        }
        if let Some(writes) = self.redirects.take() {
            self.written.extend(Some(word).filter(|_| writes && expands.is_none()));
            return;
        }
        self.spoken.extend(names(&word));
        self.words.push(match expands {
            Some(at) => named(&word, at),
            None => Some(word),
        });
    }

    fn end_command(&mut self, end: End) {
        self.end_word();
        self.redirects = None;
        let command = Simple {
            words: std::mem::take(&mut self.words),
            asked: std::mem::take(&mut self.asked),
            spoken: std::mem::take(&mut self.spoken),
            written: std::mem::take(&mut self.written),
            end,
            ..Simple::default()
        };
        // what stands behind a bracket is behind the last command in it
        let closes = command.words.iter().all(|it| is_one_of(it, &["}"]));
        if closes && let Some(last) = self.found.last_mut().filter(|last| last.end == End::Next) {
            last.end = end;
        }
        if !command.words.is_empty() || !command.asked.is_empty() || !command.spoken.is_empty() {
            self.found.push(command);
        }
    }
}

/// What a variable's name begins with: `SLURM_`. Who asks whether one is there asks for all of them.
pub(super) fn family(name: &str) -> &str {
    name.split_inclusive('_').next().unwrap_or(name)
}

/// Whether what a shell puts in for a command is another text each time: such a word is known but for that, and keeps the command.
fn is_new_each_time(command: &str) -> bool {
    let first = command.split_whitespace().next();
    first.is_some_and(|it| matches!(base(it), "date" | "uuidgen"))
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
        assert_eq!(shown("a ${B:-c d} `e` $1f $"), ["a ? ? ? $"]);
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
