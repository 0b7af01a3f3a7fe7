//! What is asked between `[[` and `]]`.

use super::letters::{Letters, Token, behind, blank, is_blank};

/// How a question is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// Up to its end.
    Whole,
    /// The text ends in it.
    Unended,
    /// Otherwise than it is written here: Bash leaves what follows unread and calls it right.
    Doubtful,
}

/// What stands between two words of a question.
const COMPARES: [&str; 13] =
    ["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];

impl Letters<'_> {
    /// Passes what `[[` asks, up to its end.
    pub(super) fn question(&mut self) -> Asked {
        let whole = self.rest;
        let mut text = whole;
        let mut begins = true;
        while let Some(c) = text.chars().next() {
            if begins && text.starts_with("]]") {
                let after = text.get(2..).unwrap_or_default();
                let ends = |c: char| is_blank(c) || ";&|)<>".contains(c);
                if after.chars().next().is_none_or(ends) {
                    let asked = whole.get(..whole.len() - text.len()).unwrap_or_default();
                    self.go(after);
                    return if is_plain(asked) { Asked::Whole } else { Asked::Doubtful };
                }
            }
            begins = is_blank(c);
            if !self.part(&mut text, c) {
                text = behind(text, c);
            }
        }
        if is_plain(whole.trim_end()) { Asked::Unended } else { Asked::Doubtful }
    }

    /// A pattern behind `=~`, whose brackets are its own.
    fn pattern(&mut self) -> bool {
        let mut text = blank(self.rest);
        let (start, mut depth) = (text.len(), 0_usize);
        while let Some(c) = text.chars().next() {
            match c {
                _ if is_blank(c) && (depth == 0 || c == '\n') => break,
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                ';' | '&' | '<' | '>' => return false,
                '|' if depth == 0 => return false,
                _ => {}
            }
            if !self.part(&mut text, c) {
                text = behind(text, c);
            }
        }
        let read = text.len() < start && depth == 0;
        self.go(text);
        read
    }

    /// One question: whether it is read.
    fn term(&mut self) -> bool {
        let Token::Word(first) = self.next() else { return false };
        let compares = |it: &Token| match it {
            Token::Word(word) => COMPARES.contains(&word.as_str()),
            Token::Redirect(sign) => matches!(*sign, "<" | ">"),
            _ => false,
        };
        if first.len() == 2 && first.starts_with('-') {
            let known = first.ends_with(|c| "abcdefghknoprstuvwxzGLNORS".contains(c));
            let next = self.next();
            return known && matches!(next, Token::Word(_)) && !compares(&next);
        }
        if COMPARES.contains(&first.as_str()) {
            return false;
        }
        let between = self.peek();
        if !compares(&between) {
            return true;
        }
        self.next();
        match between {
            Token::Word(word) if word == "=~" => self.pattern(),
            _ => matches!(self.next(), Token::Word(_)),
        }
    }

    fn lines(&mut self) {
        while self.peek() == Token::Line {
            self.next();
        }
    }
}

/// Whether this is asked as everybody does.
fn is_plain(asked: &str) -> bool {
    let mut letters = Letters::new(asked);
    let mut depth = 0_usize;
    loop {
        letters.lines();
        while matches!(letters.peek(), Token::Word(word) if word == "!") {
            letters.next();
        }
        if letters.peek() == Token::Sign("(") {
            letters.next();
            depth += 1;
            continue;
        }
        if !letters.term() {
            return false;
        }
        while depth > 0 && letters.peek() == Token::Sign(")") {
            letters.next();
            depth -= 1;
        }
        match letters.next() {
            Token::Sign("&&" | "||") => {}
            Token::End => return depth == 0 && letters.open.is_none(),
            _ => return false,
        }
    }
}
