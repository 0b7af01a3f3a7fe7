//! The words and signs of a text for a shell, as its grammar sees them.

use std::collections::VecDeque;

/// A word or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// As it is written, with its quotes.
    Word(String),
    /// `;`, `&&`, `(`
    Sign(&'static str),
    /// `>`, `<<`
    Redirect(&'static str),
    /// The end of a line.
    Line,
    /// The end of the text.
    End,
}

impl Token {
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Word(word) => word.chars().take(24).collect(),
            Self::Sign(sign) | Self::Redirect(sign) => (*sign).to_owned(),
            Self::Line | Self::End => String::new(),
        }
    }
}

/// Signs between commands, longer ones first.
const SIGNS: [&str; 11] = [";;&", ";;", ";&", ";", "&&", "||", "|&", "|", "&", "(", ")"];

/// Signs in front of files, longer ones first.
const REDIRECTS: [&str; 12] =
    ["<<<", "<<-", "&>>", "<<", "<>", "<&", ">>", ">|", ">&", "&>", "<", ">"];

#[derive(Clone)]
pub(super) struct Letters<'t> {
    pub(super) rest: &'t str,
    /// The next one, with what stands behind it.
    ahead: Option<(Token, &'t str)>,
    /// What ends the texts that begin behind this line.
    texts: VecDeque<(String, bool)>,
    /// How many expansions it stands in.
    depth: usize,
    /// What is open where the text ends.
    pub(super) open: Option<&'static str>,
    /// It is nested deeper than anybody looks, or more than one thing.
    pub(super) deep: bool,
    /// What is wrong with commands whose output is put in.
    pub(super) inner: Option<String>,
}

/// Nothing is said of what is nested deeper.
pub(super) const DEEPEST: usize = 48;

impl<'t> Letters<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            ahead: None,
            texts: VecDeque::new(),
            depth: 0,
            open: None,
            deep: false,
            inner: None,
        }
    }

    pub(super) fn peek(&mut self) -> Token {
        if self.ahead.is_none() {
            let mut text = self.rest;
            let token = self.token(&mut text);
            self.ahead = Some((token, text));
        }
        self.ahead.as_ref().map_or(Token::End, |(token, _)| token.clone())
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek();
        if let Some((_, behind)) = self.ahead.take() {
            self.rest = behind;
        }
        if token == Token::Line {
            self.skip_texts();
        }
        token
    }

    /// The next one where it is a word, and what stands there otherwise.
    pub(super) fn next_if_word(&mut self) -> Token {
        match self.peek() {
            Token::Word(_) => self.next(),
            other => other,
        }
    }

    /// Passes `()`.
    pub(super) fn brackets(&mut self) -> bool {
        let Some(behind) = blank(self.rest).strip_prefix('(') else { return false };
        let Some(behind) = blank(behind).strip_prefix(')') else { return false };
        self.go(behind);
        true
    }

    /// Passes a sum between double brackets, where the next one is such.
    pub(super) fn sum(&mut self) -> bool {
        let end = blank(self.rest).strip_prefix("((").and_then(sum_end);
        end.is_some_and(|end| {
            self.go(end);
            true
        })
    }

    /// Two brackets are next.
    pub(super) fn doubled(&self) -> bool {
        blank(self.rest).starts_with("((")
    }

    /// Passes the number behind `>&`: it is no file's that is told anew by what follows.
    pub(super) fn file_number(&mut self, sign: &str) -> bool {
        let text = blank(self.rest);
        let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let is = matches!(sign, ">&" | "<&")
            && behind.len() < text.len()
            && behind.starts_with(['<', '>']);
        if is {
            self.go(behind);
        }
        is
    }

    /// A text begins behind this line, which such a word ends.
    pub(super) fn given(&mut self, end: &str, tabs: bool) {
        self.next();
        let bare: String = end.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        self.texts.push_back((bare, tabs));
    }

    pub(super) fn go(&mut self, to: &'t str) {
        self.rest = to;
        self.ahead = None;
    }

    fn skip_texts(&mut self) {
        while let Some((end, tabs)) = self.texts.pop_front() {
            loop {
                let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
                let ended = self.rest.is_empty();
                self.rest = rest;
                let line = if tabs { line.trim_start_matches('\t') } else { line };
                if ended || line == end {
                    break;
                }
            }
        }
    }

    fn token(&mut self, text: &mut &'t str) -> Token {
        *text = blank(text);
        while let Some(rest) = text.strip_prefix('#') {
            *text = rest.find('\n').and_then(|at| rest.get(at..)).unwrap_or_default();
        }
        let Some(first) = text.chars().next() else { return Token::End };
        if first == '\n' {
            *text = behind(text, first);
            return Token::Line;
        }
        // the number of a file, or a variable for one
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let named = text.strip_prefix('{').and_then(|it| it.split_once('}')).filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        for after in [Some(digits), named.map(|(_, after)| after)].into_iter().flatten() {
            let is_file =
                after.starts_with(['<', '>']) && !(after.len() == text.len() && is_process(after));
            if let Some(sign) = REDIRECTS.iter().find(|it| is_file && after.starts_with(**it)) {
                *text = after.get(sign.len()..).unwrap_or_default();
                return Token::Redirect(sign);
            }
        }
        if text.starts_with("&>") {
            let sign = if text.starts_with("&>>") { "&>>" } else { "&>" };
            *text = text.get(sign.len()..).unwrap_or_default();
            return Token::Redirect(sign);
        }
        if let Some(sign) = SIGNS.iter().find(|it| text.starts_with(**it)) {
            *text = text.get(sign.len()..).unwrap_or_default();
            return Token::Sign(sign);
        }
        self.word(text)
    }

    fn word(&mut self, text: &mut &'t str) -> Token {
        let start = *text;
        while let Some(c) = text.chars().next() {
            let so_far = start.get(..start.len() - text.len()).unwrap_or_default();
            if is_process(text) {
                *text = text.get(2..).unwrap_or_default();
                self.inside(text);
            } else if c == '(' && so_far.ends_with('=') && is_name(so_far) {
                *text = behind(text, c);
                self.items(text);
            } else if c == '['
                && is_name(&format!("{so_far}="))
                && let Some(end) = indexed(text)
            {
                *text = end;
            } else if c == '[' && is_name(&format!("{so_far}=")) && is_index(text) {
                self.deep = true;
                *text = behind(text, c);
            } else if is_blank(c) || ";&|()<>".contains(c) {
                break;
            } else if !self.part(text, c) {
                *text = behind(text, c);
            }
        }
        // what a line goes on behind is no part of the word
        let word = start.get(..start.len() - text.len()).unwrap_or_default();
        Token::Word(word.replace("\\\n", ""))
    }

    /// Passes what is quoted or put in here; whether there is such.
    pub(super) fn part(&mut self, text: &mut &'t str, c: char) -> bool {
        let rest = behind(text, c);
        match c {
            '\\' => *text = rest.chars().next().map_or(rest, |c| behind(rest, c)),
            '\'' => *text = self.up_to(rest, '\'', "`'`"),
            '"' => {
                *text = rest;
                self.quoted(text, '"');
            }
            '`' => {
                *text = rest;
                self.backticks(text);
            }
            '$' if rest.starts_with('\'') => {
                *text = rest.get(1..).unwrap_or_default();
                self.escaped(text);
            }
            '$' => {
                *text = rest;
                self.put_in(text, false);
            }
            _ => return false,
        }
        true
    }

    fn up_to(&mut self, text: &'t str, end: char, open: &'static str) -> &'t str {
        match text.find(end) {
            Some(at) => text.get(at + 1..).unwrap_or_default(),
            None => self.left(open),
        }
    }

    fn left(&mut self, open: &'static str) -> &'t str {
        self.open = self.open.or(Some(open));
        ""
    }

    /// `$'...'`
    fn escaped(&mut self, text: &mut &'t str) {
        while let Some(c) = text.chars().next() {
            *text = behind(text, c);
            match c {
                '\'' => return,
                '\\' => *text = text.chars().next().map_or(*text, |c| behind(text, c)),
                _ => {}
            }
        }
        *text = self.left("`'`");
    }

    /// What stands between double quotes, or between braces of a variable.
    fn quoted(&mut self, text: &mut &'t str, end: char) {
        while let Some(c) = text.chars().next() {
            *text = behind(text, c);
            match c {
                c if c == end => return,
                '\\' => *text = text.chars().next().map_or(*text, |c| behind(text, c)),
                '$' => self.put_in(text, true),
                '`' => self.backticks(text),
                _ => {}
            }
        }
        *text = self.left("`\"`");
    }

    fn backticks(&mut self, text: &mut &'t str) {
        while let Some(c) = text.chars().next() {
            *text = behind(text, c);
            match c {
                '`' => return,
                '\\' => *text = text.chars().next().map_or(*text, |c| behind(text, c)),
                _ => {}
            }
        }
        *text = self.left("a backtick");
    }

    /// What stands behind `$`.
    fn put_in(&mut self, text: &mut &'t str, quoted: bool) {
        if let Some(end) = text.strip_prefix("((").and_then(sum_end) {
            *text = end;
            return;
        }
        match text.chars().next() {
            // what only begins as a sum is read when it is reckoned
            Some('(') if text.starts_with("((") => {
                let inner = self.inner.take();
                *text = behind(text, '(');
                self.inside(text);
                self.inner = inner;
            }
            Some('(') => {
                *text = behind(text, '(');
                self.inside(text);
            }
            Some('{') => {
                *text = behind(text, '{');
                self.braces(text, quoted);
            }
            // a sum as it was written once
            Some('[') if !quoted => {
                *text = text.split_once(']').map_or(*text, |(_, behind)| behind)
            }
            // `$#` is no comment, and `$"` a quote
            Some(c) if "#$!?*@-".contains(c) => *text = behind(text, c),
            _ => {}
        }
    }

    /// `${NAME:-WORD}`
    fn braces(&mut self, text: &mut &'t str, quoted: bool) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.deep = true;
            *text = "";
            return;
        }
        self.in_braces(text, quoted);
        self.depth -= 1;
    }

    fn in_braces(&mut self, text: &mut &'t str, quoted: bool) {
        while let Some(c) = text.chars().next() {
            let rest = behind(text, c);
            match c {
                '}' => {
                    *text = rest;
                    return;
                }
                // between double quotes a single one is a letter
                '\'' if quoted || !rest.contains('\'') => *text = rest,
                '"' if !rest.contains('"') => *text = rest,
                c if self.part(text, c) => {}
                _ => *text = rest,
            }
        }
        *text = self.left("`${`");
    }

    /// Commands in brackets, whose own grammar is another text's.
    fn inside(&mut self, text: &mut &'t str) {
        let mut other = Letters { depth: self.depth + 1, ..Letters::new(text) };
        if other.depth > DEEPEST {
            self.deep = true;
            *text = "";
            return;
        }
        let mut opened: Vec<bool> = Vec::new();
        let mut begins = true;
        loop {
            let token = other.next();
            match &token {
                Token::End => {
                    self.deep |= other.deep;
                    self.open = self.open.or(other.open).or(Some("`$(`"));
                    *text = "";
                    return;
                }
                Token::Word(word) if begins && word == "case" => opened.push(true),
                Token::Word(word) if word == "esac" && opened.last() == Some(&true) => {
                    opened.pop();
                }
                Token::Sign("(") => opened.push(false),
                // behind a choice of `case`
                Token::Sign(")") if opened.last() == Some(&true) => {}
                Token::Sign(")") if opened.pop().is_none() => {
                    let length = text.len() - other.rest.len();
                    let own = text.get(..length.saturating_sub(1)).unwrap_or_default();
                    // each is asked once, by the text that it stands in
                    if self.depth == 0 && self.inner.is_none() {
                        self.inner = super::unread(own);
                    }
                    self.deep |= other.deep;
                    // what ends no text in here begins behind the line that this stands in
                    self.texts.append(&mut other.texts);
                    *text = other.rest;
                    return;
                }
                Token::Redirect(sign) if matches!(*sign, "<<" | "<<-") => {
                    if let Token::Word(end) = other.peek() {
                        other.given(&end, *sign == "<<-");
                    }
                }
                _ => {}
            }
            let leads = |it: &str| matches!(it, "do" | "then" | "else" | "{" | "!" | "in" | "time");
            begins = match &token {
                Token::Word(word) => leads(word),
                Token::Redirect(_) => false,
                _ => true,
            };
        }
    }

    /// `NAME=(a b)`
    fn items(&mut self, text: &mut &'t str) {
        while let Some(c) = text.chars().next() {
            match c {
                ')' => {
                    *text = behind(text, c);
                    return;
                }
                '#' => {
                    *text = text.find('\n').and_then(|at| text.get(at..)).unwrap_or_default();
                }
                c if is_blank(c) || "(;&|<>".contains(c) && !is_process(text) => {
                    *text = behind(text, c);
                }
                _ => self.word_or_letter(text),
            }
        }
        *text = self.left("`(`");
    }

    fn word_or_letter(&mut self, text: &mut &'t str) {
        let before = text.len();
        self.word(text);
        if text.len() == before {
            let c = text.chars().next();
            *text = c.map_or("", |c| behind(text, c));
        }
    }
}

/// Without blanks in front, and lines that go on.
pub(super) fn blank(text: &str) -> &str {
    let mut text = text;
    loop {
        let rest = text.trim_start_matches([' ', '\t']);
        text = rest.strip_prefix("\\\n").unwrap_or(rest);
        if text.len() == rest.len() {
            return text;
        }
    }
}

pub(super) fn behind(text: &str, c: char) -> &str {
    text.get(c.len_utf8()..).unwrap_or_default()
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// What stands behind a sum, whose first brackets have been read.
fn sum_end(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            (c, Some(by)) if c == by => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) if depth > 0 => depth -= 1,
            (')', None) => return text.get(at..)?.strip_prefix("))"),
            _ => {}
        }
    }
    None
}

/// `<(commands)`
fn is_process(text: &str) -> bool {
    text.starts_with("<(") || text.starts_with(">(")
}

/// `NAME=`, `NAME+=`, `NAME[1]=`
fn is_name(text: &str) -> bool {
    let Some(name) = text.strip_suffix('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.strip_suffix(']').and_then(|it| it.split_once('[')).map_or(name, |it| it.0);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether what stands in brackets behind a name may be read as an index, whatever is in it.
fn is_index(text: &str) -> bool {
    let inside = text.split([']', '\n']).next().unwrap_or_default();
    inside.contains(|c: char| is_blank(c) || "();&|<>".contains(c))
}

/// What stands behind the brackets of `NAME[a b]=`, where it is that.
fn indexed(text: &str) -> Option<&str> {
    let at = text.find([']', '\n'])?;
    let inside = text.get(..at)?;
    let rest = text.get(at + 1..)?;
    let plain = !inside.contains(['\n', ';', '\'', '"', '`', '$']);
    (plain && (rest.starts_with('=') || rest.starts_with("+="))).then_some(rest)
}
