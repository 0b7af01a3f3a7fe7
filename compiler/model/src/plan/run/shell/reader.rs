//! The letters of a text for a shell, read into words and commands.

mod given;

pub(in super::super) use given::{documents, swallowed};

use super::super::reckoned::reckoned;
use super::lists::Lists;
use super::{End, KEYWORDS, Known, Simple, Values, base, is_one_of, named, names};
use std::collections::VecDeque;
use std::iter::Peekable;
use std::str::Chars;

/// What ends as a command does, as it is written.
pub(super) fn raw(text: &str, values: &Values) -> Vec<Simple> {
    Reader::read(text, values).found
}

struct Reader<'t> {
    rest: Peekable<Chars<'t>>,
    values: Option<&'t Values>,
    found: Vec<Simple>,
    words: Vec<Known>,
    asked: Vec<String>,
    spoken: Vec<String>,
    given: Vec<String>,
    written: Vec<String>,
    /// Files that are read.
    taken: Vec<String>,
    word: String,
    /// A word has begun, though it may hold nothing.
    begun: bool,
    /// Where the word holds its first expansion.
    expands: Option<usize>,
    /// The next word is where something is read from, or written to.
    redirects: Option<bool>,
    /// What ends the texts that begin behind this line, in order, and whether tabs in front of their lines count for nothing.
    texts: VecDeque<(String, bool)>,
    /// Shells in brackets that are open.
    brackets: Vec<usize>,
    /// How many there have been.
    shells: usize,
    lists: Lists,
    /// What follows is what `case` compares with, up to its bracket.
    pattern: bool,
    /// What ends a text that is given to a command, and the line in it that was meant to.
    swallowed: Option<(String, String)>,
    /// Texts that are given to commands.
    documents: Vec<String>,
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
            given: Vec::new(),
            written: Vec::new(),
            taken: Vec::new(),
            word: String::new(),
            begun: false,
            expands: None,
            redirects: None,
            texts: VecDeque::new(),
            brackets: Vec::new(),
            shells: 0,
            lists: Lists::new(),
            pattern: false,
            swallowed: None,
            documents: Vec::new(),
        }
    }
}

impl<'t> Reader<'t> {
    /// A whole text, read to its end.
    fn read(text: &'t str, values: &'t Values) -> Self {
        let mut reader =
            Reader { rest: text.chars().peekable(), values: Some(values), ..Reader::default() };
        while let Some(c) = reader.rest.next() {
            reader.take(c);
        }
        reader.end_command(End::Next);
        reader
    }

    fn take(&mut self, c: char) {
        if self.pattern && self.compares(c) {
            return;
        }
        match c {
            '\\' => match self.rest.next() {
                Some('\n') | None => {}
                Some(escaped) => self.push(escaped),
            },
            '\'' => self.literal(false),
            '"' => self.quoted(),
            '$' if self.rest.next_if_eq(&'\'').is_some() => self.literal(true),
            '$' => self.expansion(false),
            '`' => self.backticks(),
            '#' if !self.begun => while self.rest.next_if(|c| *c != '\n').is_some() {},
            '\n' => self.line(),
            '|' if self.begins_to_choose() => {
                self.end_command(End::Next);
                self.pattern = true;
            }
            '=' if self.begun && self.rest.peek() == Some(&'(') => self.list(),
            // `((X++))`: a sum is one word, behind its brackets
            '(' if !self.begun && self.rest.peek() == Some(&'(') => {
                self.words.push(Some("((".to_owned()));
                self.begun = true;
                self.word = self.inside('(', ')', false).trim().to_owned();
                self.rest.next_if_eq(&')');
            }
            '(' => self.bracket(),
            ';' => self.semicolon(),
            ')' => {
                self.end_command(End::Next);
                if self.lists.unbracket() {
                    self.brackets.pop();
                }
            }
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
                self.inside('(', ')', false);
            }
            '<' | '>' => self.redirect(c),
            c if c.is_whitespace() => self.end_word(),
            c => self.push(c),
        }
    }

    fn line(&mut self) {
        let begins = self.begins_to_choose();
        self.end_command(End::Next);
        self.skip_texts();
        self.pattern |= begins;
    }

    /// `;`, or `;;` behind a choice of `case`.
    fn semicolon(&mut self) {
        self.end_command(End::Next);
        if self.rest.next_if(|c| *c == ';' || *c == '&').is_some() {
            self.rest.next_if_eq(&'&');
            self.pattern = self.lists.chooses();
        }
    }

    /// Whether the words are `case X in`, and no command of their own.
    fn begins_to_choose(&mut self) -> bool {
        self.end_word();
        let mut own = self.words.iter().skip_while(|it| is_one_of(it, &KEYWORDS));
        own.next().is_some_and(|it| is_one_of(it, &["case"]))
            && own.any(|it| is_one_of(it, &["in"]))
            && !is_one_of(self.words.last().unwrap_or(&None), &["esac"])
    }

    /// Takes a letter of what `case` compares with, unless it ends there.
    fn compares(&mut self, c: char) -> bool {
        if !c.is_whitespace() && !"|();&".contains(c) {
            return false;
        }
        self.end_word();
        if self.words.as_slice() == [Some("esac".to_owned())] {
            self.pattern = false;
            return false;
        }
        if c == ')' {
            self.words.clear();
            self.asked.clear();
            self.spoken.clear();
            self.pattern = false;
        }
        true
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
                '`' => self.backticks(),
                c => self.word.push(c),
            }
        }
    }

    /// What stands between single quotes; signs may be escaped behind a `$`.
    fn literal(&mut self, escapes: bool) {
        self.begun = true;
        while let Some(c) = self.rest.next() {
            match c {
                '\'' => return,
                '\\' if escapes => self.word.extend(self.rest.next()),
                c => self.word.push(c),
            }
        }
    }

    fn backticks(&mut self) {
        self.unknown();
        while let Some(c) = self.rest.next() {
            match c {
                '`' => return,
                '\\' => _ = self.rest.next(),
                _ => {}
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
        let inside = self.inside(open, close, quoted);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, operator) =
            inside.split_at(inside.find(|c| !is_name(c)).unwrap_or(inside.len()));
        let known = operator.trim_start_matches(':').starts_with(['-', '=', '?']);
        if open == '{' && (operator.is_empty() || known) {
            self.put_in(name, quoted);
        } else if open == '('
            && let Some(text) = self.substituted(&inside)
        {
            self.begun = true;
            self.word.push_str(&text);
        } else if !quoted
            && !self.begun
            && let Some(option) = option_where_set(operator)
        {
            self.word = format!("{option}=");
            self.unknown();
        } else {
            self.unknown();
        }
        if open == '(' {
            self.spoken.extend(names(&inside));
        } else if operator.is_empty() {
            self.asked.push(inside);
        } else if operator.trim_start_matches(':').starts_with('?') {
            self.asked.push(name.to_owned());
        } else if operator.trim_start_matches(':').starts_with(['-', '=', '+']) {
            self.spoken.push(name.to_owned());
            let sets = operator.trim_start_matches(':').starts_with('=');
            self.given.extend(sets.then(|| name.to_owned()));
        }
    }

    /// What is put in for a command, as far as that is known: a sum, a folder by a template, and what is another text each time.
    fn substituted(&self, inside: &str) -> Option<String> {
        let sum = inside.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let value = sum.zip(self.values).and_then(|(sum, values)| reckoned(sum, values));
        let new = || is_new_each_time(inside).then(|| format!("$({inside})"));
        value.map(|it| it.to_string()).or_else(|| made_by_template(inside)).or_else(new)
    }

    /// Puts in the value of a variable, which is several words where nothing quotes it.
    fn put_in(&mut self, name: &str, quoted: bool) {
        if NEW_EACH_TIME.contains(&name) {
            return format!("${name}").chars().for_each(|c| self.push(c));
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

    /// `2> file`, `>&2`, `&> file`, `<<< text`, `<< END`: the number in front and the word behind are no words of the command.
    fn redirect(&mut self, first: char) {
        // `exec {lock}>file` sets a variable to the number
        let named = self.word.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        let named = named.filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        let named = named.filter(|it| !it.is_empty()).map(str::to_owned);
        if self.begun && (named.is_some() || self.word.chars().all(|c| c.is_ascii_digit())) {
            self.word.clear();
            self.begun = false;
            self.given.extend(named);
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

    /// `NAME=(a b)`, `NAME+=(c)`: what is set is not known here, and what is put into it is.
    fn list(&mut self) {
        if self.word.ends_with('+') {
            self.word.pop();
        }
        self.push('=');
        self.unknown();
        let items = self.inside('(', ')', false);
        let none = Values::new();
        for command in Reader::read(&items, &none).found {
            self.asked.extend(command.asked);
            self.spoken.extend(command.spoken);
        }
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
            self.define(name);
        } else {
            self.end_command(End::Next);
            self.lists.bracket(self.found.len());
            self.shells += 1;
            self.brackets.push(self.shells);
        }
    }

    fn define(&mut self, defines: Option<String>) {
        self.words.clear();
        self.spoken.clear();
        self.found.push(Simple { defines, ..Simple::default() });
    }

    /// `function NAME`, and `{` or the end of a line.
    fn end_head(&mut self) {
        let behind = match self.words.as_slice() {
            [Some(function), Some(name), behind @ ..] if function == "function" => behind
                .iter()
                .all(|it| is_one_of(it, &["{"]))
                .then(|| (name.clone(), behind.to_vec())),
            _ => None,
        };
        if let Some((name, behind)) = behind {
            self.define(Some(name));
            self.words = behind;
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        let (begun, expands) = (std::mem::take(&mut self.begun), std::mem::take(&mut self.expands));
        if !begun {
            return;
        }
        if let Some(writes) = self.redirects.take() {
            let files = if writes { &mut self.written } else { &mut self.taken };
            files.extend(Some(word).filter(|_| expands.is_none()));
            return;
        }
        self.spoken.extend(names(&word));
        self.words.push(match expands {
            Some(at) => named(&word, at),
            None => Some(word),
        });
        if self.words.len() > 2 {
            self.end_head();
        }
    }

    fn end_command(&mut self, end: End) {
        self.end_word();
        self.end_head();
        self.redirects = None;
        let command = Simple {
            words: std::mem::take(&mut self.words),
            asked: std::mem::take(&mut self.asked),
            spoken: std::mem::take(&mut self.spoken),
            given: std::mem::take(&mut self.given),
            written: std::mem::take(&mut self.written),
            taken: std::mem::take(&mut self.taken),
            end,
            brackets: self.brackets.clone(),
            ..Simple::default()
        };
        self.lists.take(&command.words, &mut self.found);
        // what stands behind a bracket is behind the last command in it
        let closes = command.words.iter().all(|it| is_one_of(it, &["}"]));
        if closes && let Some(last) = self.found.last_mut().filter(|last| last.end == End::Next) {
            last.end = end;
        }
        let is_one =
            !command.words.is_empty() || !command.asked.is_empty() || !command.spoken.is_empty();
        self.found.extend(Some(command).filter(|_| is_one));
        // a list may go on in the next line
        let ends = |end: End| matches!(end, End::Next | End::Background);
        if ends(end) && (is_one || self.found.last().is_none_or(|it| ends(it.end))) {
            self.lists.end(end, &mut self.found);
        }
    }
}

/// The option that is told where a variable is set, with a value that only a shell knows: `${LAST:+--resume "$LAST"}`.
fn option_where_set(operator: &str) -> Option<&str> {
    let told = operator.trim_start_matches(':').strip_prefix('+')?;
    let (option, value) = told.split_once([' ', '='])?;
    let value = value.trim_start().trim_start_matches('"');
    (option.starts_with("--") && value.starts_with('$')).then_some(option)
}

/// Whether what a shell puts in for a command is another text each time: such a word is known but for that, and keeps the command.
fn is_new_each_time(command: &str) -> bool {
    let first = command.split_whitespace().next();
    first.is_some_and(|it| matches!(base(it), "date" | "uuidgen" | "shuf" | "openssl"))
        || command.contains("/proc/sys/kernel/random")
        || command.contains("/dev/urandom")
}

/// What `mktemp` makes by a template, with what stands for its letters: `mktemp -d /ckpt/run-XXXX`. What is made where nothing stays is nobody's folder.
fn made_by_template(command: &str) -> Option<String> {
    const PASSING: [&str; 4] = ["/tmp/", "/var/tmp/", "/dev/shm/", "/run/"];
    let (program, words) = command.split_once(' ')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let mut words = words.split_whitespace().filter(|it| !matches!(*it, "-d" | "--directory"));
    let template = words.next().filter(|it| it.starts_with('/') && it.chars().all(is_plain))?;
    let begin = template.trim_end_matches('X');
    let is_one =
        base(program) == "mktemp" && words.next().is_none() && begin.len() + 3 <= template.len();
    let stays = !PASSING.iter().any(|it| template.starts_with(it));
    (is_one && stays).then(|| format!("{begin}{BY_TEMPLATE}"))
}

/// What stands for the letters of a template that `mktemp` puts in.
const BY_TEMPLATE: &str = "$(mktemp)";

/// What stands for the number of an attempt, which a variable of the run is told.
pub(in crate::plan) const ATTEMPT: &str = "$(attempt)";

/// Whether a text holds what is another one at each start, as far as a reader keeps that: `/ckpt/$(date +%s)`.
pub(in crate::plan) fn is_made_up(text: &str) -> bool {
    let is_new = |(at, _): (usize, &str)| {
        let rest = text.get(at..).unwrap_or_default();
        let inside = rest.strip_prefix("$(").and_then(|it| it.split(')').next());
        let name = rest.get(1..).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = name.split(|c| !is_name(c)).next().unwrap_or_default();
        [ATTEMPT, BY_TEMPLATE].iter().any(|it| rest.starts_with(it))
            || inside.is_some_and(is_new_each_time)
            || NEW_EACH_TIME.contains(&name)
    };
    text.match_indices('$').any(is_new)
}

/// Variables that are another one at each start.
pub(in super::super) const NEW_EACH_TIME: [&str; 5] =
    ["RANDOM", "SRANDOM", "EPOCHSECONDS", "JOBSET_RESTART_ATTEMPT", "SLURM_RESTART_COUNT"];

#[cfg(test)]
mod tests {
    use super::{is_made_up, made_by_template};

    #[test]
    fn what_a_template_makes_is_known_but_for_its_letters() {
        let made = made_by_template("mktemp -d /ckpt/run-XXXX").unwrap();
        assert_eq!(made, "/ckpt/run-$(mktemp)");
        assert!(is_made_up(&made));
        for command in [
            "mktemp -d",
            "mktemp -d /tmp/a-XXXX",
            "mktemp -d \"$DIR/a-XXXX\"",
            "mktemp -p /ckpt a-XXXX",
            "ls /ckpt/a-XXXX",
        ] {
            assert_eq!(made_by_template(command), None, "{command}");
        }
    }

    #[test]
    fn what_is_another_one_at_each_start_is_known_by_what_makes_it() {
        for text in [
            "/a/$(date +%s)",
            "run_$(uuidgen)",
            "$RANDOM",
            "/a/$(attempt)/b",
            "$(head -c 4 /dev/urandom | xxd -p)",
        ] {
            assert!(is_made_up(text), "{text}");
        }
        for text in ["/a/b", "$RANDOM_SEED", "/a/$(hostname)", "$(cat /etc/name)", "$"] {
            assert!(!is_made_up(text), "{text}");
        }
    }
}
