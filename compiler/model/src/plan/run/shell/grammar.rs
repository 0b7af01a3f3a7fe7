//! Whether a shell reads a text to its end: the grammar of lists, branches and loops, as Bash has it.
//!
//! What is doubtful is read as right: a text that this refuses, `bash -n` refuses.

mod letters;
mod questions;

use letters::{DEEPEST, Letters, Token};
use questions::Asked;

/// What no shell reads in a text: what it opens and does not close, or what stands where nothing like it may.
pub(in super::super) fn unread(text: &str) -> Option<String> {
    // patterns that the text itself allows are read otherwise from there on
    if text.contains("extglob") || text.contains("alias ") {
        return None;
    }
    let mut grammar = Grammar { letters: Letters::new(text), depth: 0, compound: false };
    let read = grammar.list(&[]).and_then(|_| match grammar.letters.peek() {
        Token::End => grammar.letters.open.map_or(Ok(()), |open| Err(left(open))),
        other => Err(grammar.stray(&other)),
    });
    let wrong = read.err().or(grammar.letters.inner.take());
    wrong.filter(|it| !it.is_empty() && !grammar.letters.deep)
}

/// What is wrong; empty where nobody looks any further.
type Read<T> = Result<T, String>;

struct Grammar<'t> {
    letters: Letters<'t>,
    depth: usize,
    /// The last command has an end of its own: a word of the grammar may follow it.
    compound: bool,
}

/// Words that begin what is closed by another one.
const HEADS: [&str; 8] = ["{", "if", "while", "until", "for", "select", "case", "[["];

/// Words that end something, or divide it.
const INNER: [&str; 8] = ["}", "then", "elif", "else", "fi", "do", "done", "esac"];

impl Grammar<'_> {
    /// Commands up to one of these words, to a bracket that closes or to the end: how many there are.
    fn list(&mut self, ends: &[&str]) -> Read<usize> {
        let mut count = 0;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(String::new());
        }
        loop {
            self.lines();
            match self.letters.peek() {
                Token::End | Token::Sign(")" | ";;" | ";&" | ";;&") => break,
                Token::Word(word) if ends.contains(&word.as_str()) => break,
                _ => {}
            }
            self.joined()?;
            count += 1;
            match self.letters.peek() {
                Token::Sign(";" | "&") => _ = self.letters.next(),
                Token::Line | Token::End | Token::Sign(")" | ";;" | ";&" | ";;&") => {}
                Token::Word(word) if self.compound && INNER.contains(&word.as_str()) => {}
                other => return Err(self.stray(&other)),
            }
        }
        self.depth -= 1;
        Ok(count)
    }

    fn lines(&mut self) {
        while self.letters.peek() == Token::Line {
            self.letters.next();
        }
    }

    /// Commands with `&&`, `||` and `|` between them.
    fn joined(&mut self) -> Read<()> {
        loop {
            self.command()?;
            let Token::Sign(sign @ ("&&" | "||" | "|" | "|&")) = self.letters.peek() else {
                return Ok(());
            };
            self.letters.next();
            self.lines();
            if self.letters.peek() == Token::End {
                return Err(format!("it ends behind `{sign}`, where a command has to stand"));
            }
        }
    }

    fn command(&mut self) -> Read<()> {
        let mut alone = false;
        while let Token::Word(word) = self.letters.peek()
            && matches!(word.as_str(), "!" | "time")
        {
            self.letters.next();
            alone = true;
            let timed = word == "time";
            while timed
                && matches!(self.letters.peek(), Token::Word(it) if it == "-p" || it == "--")
            {
                self.letters.next();
            }
        }
        let ends =
            |it: &Token| matches!(it, Token::End | Token::Line | Token::Sign(";" | "&" | ")"));
        match self.letters.peek() {
            it if alone && ends(&it) => Ok(()),
            Token::Sign("(") => self.compound(),
            Token::Word(word) if HEADS.contains(&word.as_str()) => self.compound(),
            Token::Word(word) if word == "function" => self.function(),
            Token::Word(word) if word == "coproc" => self.aside(),
            other => self.simple(&other),
        }
    }

    /// What has an end of its own, and where it is read from or written to.
    fn compound(&mut self) -> Read<()> {
        match self.letters.peek() {
            Token::Sign("(") if self.letters.sum() => {}
            Token::Sign("(") => {
                self.letters.next();
                let count = self.list(&[])?;
                self.closed("(", count, &Token::Sign(")"))?;
            }
            Token::Word(word) => self.headed(&word)?,
            other => return Err(self.stray(&other)),
        }
        while self.redirect()? {}
        self.compound = true;
        Ok(())
    }

    fn headed(&mut self, head: &str) -> Read<()> {
        self.letters.next();
        match head {
            "{" => self.body("{", "}"),
            "[[" => match self.letters.question() {
                Asked::Whole => Ok(()),
                Asked::Unended => Err(left("`[[`")),
                Asked::Doubtful => Err(String::new()),
            },
            "if" => self.branch(),
            "while" | "until" => {
                let count = self.list(&["do", "done"])?;
                self.begun(head, count, "do")?;
                self.body(head, "done")
            }
            "for" | "select" => self.each(head),
            _ => self.choice(),
        }
    }

    /// What stands in front of the word that ends it.
    fn body(&mut self, head: &str, end: &str) -> Read<()> {
        let count = self.list(&[end])?;
        self.closed(head, count, &Token::Word(end.to_owned()))
    }

    fn closed(&mut self, head: &str, count: usize, end: &Token) -> Read<()> {
        let next = self.letters.peek();
        if next == Token::End {
            return Err(self.unended(head));
        }
        if next != *end {
            return Err(self.stray(&next));
        }
        if count == 0 {
            return Err(empty(&next.shown()));
        }
        self.letters.next();
        Ok(())
    }

    /// `then` behind what `if` asks, `do` behind what a loop does.
    fn begun(&mut self, head: &str, count: usize, begins: &str) -> Read<()> {
        match self.letters.peek() {
            Token::Word(word) if word == begins && count > 0 => {
                self.letters.next();
                Ok(())
            }
            Token::Word(word) if word == begins => Err(empty(begins)),
            Token::End => Err(self.unended(head)),
            Token::Word(word) if INNER.contains(&word.as_str()) => {
                Err(format!("`{head}` has no `{begins}`"))
            }
            other => Err(self.stray(&other)),
        }
    }

    fn branch(&mut self) -> Read<()> {
        let asked = self.list(&["then", "elif", "else", "fi"])?;
        self.begun("if", asked, "then")?;
        loop {
            let count = self.list(&["elif", "else", "fi"])?;
            let next = self.letters.peek();
            match &next {
                Token::Word(word) if count == 0 => return Err(empty(word)),
                Token::Word(word) if word == "elif" => {
                    self.letters.next();
                    let asked = self.list(&["then", "elif", "else", "fi"])?;
                    self.begun("elif", asked, "then")?;
                }
                Token::Word(word) if word == "else" => {
                    self.letters.next();
                    return self.body("if", "fi");
                }
                _ => return self.closed("if", count, &Token::Word("fi".to_owned())),
            }
        }
    }

    /// `for NAME in WORDS; do`, `for ((A; B; C)); do`.
    fn each(&mut self, head: &str) -> Read<()> {
        if self.letters.peek() == Token::Sign("(") {
            if !self.letters.sum() {
                // what is no sum in the end, Bash may read as something else
                if self.letters.doubled() {
                    return Err(String::new());
                }
                return Err(format!(
                    "`{head} (` begins no loop: a sum stands between `((` and `))`"
                ));
            }
            if self.letters.peek() == Token::Sign(";") {
                self.letters.next();
            }
        } else {
            let Token::Word(_) = self.letters.peek() else {
                return Err(format!("`{head}` has no name behind it"));
            };
            self.letters.next();
            self.lines();
            let listed = matches!(self.letters.peek(), Token::Word(it) if it == "in");
            while listed && let Token::Word(_) = self.letters.next_if_word() {}
            match self.letters.peek() {
                Token::Sign(";") | Token::Line => _ = self.letters.next(),
                Token::Word(word) if !listed && matches!(word.as_str(), "do" | "{") => {}
                Token::End => return Err(self.unended(head)),
                Token::Word(_) if !listed => return Err(format!("`{head}` has no `in`")),
                other => return Err(self.stray(&other)),
            }
        }
        self.lines();
        match self.letters.peek() {
            Token::Word(word) if word == "{" => {
                self.letters.next();
                self.body("{", "}")
            }
            Token::Word(word) if word == "do" => {
                self.letters.next();
                self.body(head, "done")
            }
            Token::End => Err(self.unended(head)),
            _ => Err(format!("`{head}` has no `do`")),
        }
    }

    fn choice(&mut self) -> Read<()> {
        let Token::Word(_) = self.letters.peek() else {
            return Err("`case` has no word behind it".to_owned());
        };
        self.letters.next();
        self.lines();
        match self.letters.next() {
            Token::Word(word) if word == "in" => {}
            Token::End => return Err(self.unended("case")),
            _ => return Err("`case` has no `in`".to_owned()),
        }
        loop {
            self.lines();
            match self.letters.peek() {
                Token::Word(word) if word == "esac" => {
                    self.letters.next();
                    return Ok(());
                }
                Token::End => return Err(self.unended("case")),
                Token::Sign("(") => _ = self.letters.next(),
                _ => {}
            }
            loop {
                match self.letters.next() {
                    Token::Word(_) => {}
                    Token::End => return Err(self.unended("case")),
                    other => return Err(self.stray(&other)),
                }
                match self.letters.next() {
                    Token::Sign("|") => {}
                    Token::Sign(")") => break,
                    Token::End => return Err(self.unended("case")),
                    _ => return Err("a choice of `case` has no `)` behind what it is".to_owned()),
                }
            }
            self.list(&["esac"])?;
            if let Token::Sign(";;" | ";&" | ";;&") = self.letters.peek() {
                self.letters.next();
            } else if !matches!(self.letters.peek(), Token::Word(_) | Token::End) {
                let other = self.letters.peek();
                return Err(self.stray(&other));
            }
        }
    }

    /// `function NAME { ... }`
    fn function(&mut self) -> Read<()> {
        self.letters.next();
        let Token::Word(name) = self.letters.next() else { return Err(String::new()) };
        if self.letters.peek() == Token::Sign("(") && !self.letters.brackets() {
            return Err(format!("`function {name}(` has no `)` behind it"));
        }
        self.defined()
    }

    fn defined(&mut self) -> Read<()> {
        self.lines();
        match self.letters.peek() {
            Token::Sign("(") => self.compound(),
            Token::Word(word) if HEADS.contains(&word.as_str()) => self.compound(),
            _ => Err("a function has no body between `{` and `}`".to_owned()),
        }
    }

    /// `coproc NAME { ... }`, `coproc command`: what is doubtful of it is left.
    fn aside(&mut self) -> Read<()> {
        self.letters.next();
        let before = self.letters.clone();
        if let Token::Word(word) = self.letters.peek()
            && !HEADS.contains(&word.as_str())
        {
            self.letters.next();
            match self.letters.peek() {
                Token::Sign("(") => return self.compound(),
                Token::Word(word) if HEADS.contains(&word.as_str()) => return self.compound(),
                _ => self.letters = before,
            }
        }
        self.command()
    }

    /// A program and its words, or `NAME() { ... }`.
    fn simple(&mut self, first: &Token) -> Read<()> {
        if let Token::Word(word) = first
            && INNER.contains(&word.as_str())
        {
            return Err(self.stray(first));
        }
        self.compound = false;
        let mut words = 0;
        loop {
            if self.redirect()? {
                words += 1;
                continue;
            }
            match self.letters.peek() {
                Token::Word(_) => {
                    self.letters.next();
                    words += 1;
                }
                Token::Sign("(") if words == 1 && self.letters.brackets() => {
                    return self.defined();
                }
                Token::Sign("(") if words > 0 => {
                    return Err(
                        "a bracket stands in the middle of a command: quote what it belongs to"
                            .to_owned(),
                    );
                }
                other if words == 0 => return Err(self.stray(&other)),
                _ => return Ok(()),
            }
        }
    }

    /// `> file`, if there is one.
    fn redirect(&mut self) -> Read<bool> {
        let Token::Redirect(sign) = self.letters.peek() else { return Ok(false) };
        self.letters.next();
        if self.letters.file_number(sign) {
            return Ok(true);
        }
        match self.letters.peek() {
            Token::Word(end) if sign.starts_with("<<") && sign != "<<<" => {
                self.letters.given(&end, sign == "<<-");
            }
            Token::Word(_) => _ = self.letters.next(),
            _ => {
                return Err(format!(
                    "behind `{sign}` no file is named: quote it, where it is no redirection"
                ));
            }
        }
        Ok(true)
    }

    /// Where the text ends in something: a quote that is open comes first.
    fn unended(&self, head: &str) -> String {
        left(self.letters.open.unwrap_or(&format!("`{head}`")))
    }

    /// What stands where nothing like it may.
    fn stray(&self, token: &Token) -> String {
        if let Some(open) = self.letters.open {
            return left(open);
        }
        match token {
            Token::Word(word) if matches!(word.as_str(), "fi" | "done" | "esac" | "}") => {
                format!("`{word}` closes nothing")
            }
            Token::Word(word) if INNER.contains(&word.as_str()) => {
                format!("`{word}` stands where nothing is open that it belongs to")
            }
            Token::Sign(")") => "`)` closes nothing".to_owned(),
            Token::End => "it ends where a command has to stand".to_owned(),
            Token::Line => "a line ends where a command has to stand".to_owned(),
            other => format!("`{}` stands where none may", other.shown()),
        }
    }
}

fn empty(next: &str) -> String {
    format!("nothing stands in front of `{next}`, where a command has to")
}

fn left(open: &str) -> String {
    format!("{open} is opened and not closed")
}
