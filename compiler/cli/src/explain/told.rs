//! What is told of a line, for people and for programs.

use super::facts::Fact;
use crate::Context;
use crate::args::ResultFormat;
use crate::report::words;
use camino::Utf8Path;
use serde::Serialize;
use std::fmt::Write;

/// So many of each are listed for people; the rest is counted.
const MOST: usize = 5;

/// Characters of a line or a word.
const MOST_CHARACTERS: usize = 80;

/// What is told of a line.
#[derive(Default, Serialize)]
pub(super) struct Told {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) environment: Option<String>,
    pub(super) says: Option<Says>,
    pub(super) nouns: Vec<Of>,
    /// What queues hold of the pools of the line, or its queues of their pools, and what of that nobody holds.
    pub(super) holds: Vec<String>,
    /// The runs that those of the line give way to, and why.
    pub(super) yields: Vec<String>,
    /// The runs that give way to them.
    pub(super) before: Vec<String>,
    /// The words that were shown to change it, or what they change; what changes least comes first.
    pub(super) words: Vec<Word>,
    /// The files that the nouns of a blueprint's line render to, where no word was tried.
    pub(super) files: Vec<String>,
    pub(super) rules: Vec<Rule>,
    pub(super) facts: Vec<Fact>,
    pub(super) notes: Vec<String>,
}

/// What a line of a blueprint says.
#[derive(Serialize)]
pub(super) struct Says {
    /// `nodes: int`
    pub(super) what: String,
    /// What that comes to, in each noun that differs.
    pub(super) values: Vec<String>,
}

/// A noun.
#[derive(Serialize)]
pub(super) struct Of {
    pub(super) kind: Option<String>,
    pub(super) path: String,
    /// Where it is declared.
    pub(super) at: Option<String>,
}

/// A word of a blueprint, and what another in its place does.
#[derive(Serialize)]
pub(super) struct Word {
    pub(super) at: String,
    pub(super) text: String,
    pub(super) instead: String,
    /// The fields that have another value then.
    pub(super) fields: Vec<String>,
    /// How many rendered lines differ then.
    pub(super) lines: usize,
    /// In how many files.
    pub(super) files: usize,
    /// The line that was asked for, or some of those that a word of a blueprint makes.
    pub(super) makes: Vec<Made>,
}

/// A rendered line, and what stands in its place with another word.
#[derive(Serialize)]
pub(super) struct Made {
    pub(super) at: String,
    pub(super) text: String,
    /// Nothing where it is gone.
    pub(super) then: Option<String>,
}

/// A rule that reads a field which the line depends on.
#[derive(Serialize)]
pub(super) struct Rule {
    pub(super) code: String,
    pub(super) severity: &'static str,
    pub(super) what: String,
    /// Whether its report points at the field.
    pub(super) points: bool,
}

impl Told {
    /// Says which line it is.
    pub(super) fn at(self, path: &Utf8Path, line: usize, text: &str) -> Self {
        Self { path: path.to_string(), line, text: text.trim_end().to_owned(), ..self }
    }

    /// Writes it.
    pub(super) fn print(&self, context: &mut Context<'_, '_>) {
        let text = match context.results {
            ResultFormat::Json => format!("{}\n", serde_json::to_string(self).unwrap_or_default()),
            ResultFormat::Text => self.written(),
        };
        context.console.print(&text);
    }

    fn written(&self) -> String {
        let environment = self.environment.as_ref().map(|it| format!(", environment {it}"));
        let mut out = format!("{}:{}{}\n", self.path, self.line, environment.unwrap_or_default());
        let _ = writeln!(out, "    {}\n", short(self.text.trim()));
        if let Some(Says { what, values }) = &self.says {
            let values: Vec<String> = values.iter().map(|value| short(value)).collect();
            let value =
                if values.is_empty() { String::new() } else { format!(" = {}", values.join(", ")) };
            section(&mut out, "says", 0, [format!("{}{value}", short(what))]);
        }
        let of = self.nouns.iter().map(|noun| {
            let kind = noun.kind.as_ref().map(|kind| format!("{kind} ")).unwrap_or_default();
            let at = noun.at.as_ref().map(|at| format!(", {at}")).unwrap_or_default();
            format!("{kind}{}{at}", noun.path)
        });
        section(&mut out, "of", self.nouns.len(), of);
        section(&mut out, "holds", self.holds.len(), self.holds.iter().cloned());
        section(&mut out, "yields", self.yields.len(), self.yields.iter().cloned());
        section(&mut out, "before", self.before.len(), self.before.iter().cloned());
        match self.says.is_some() {
            true => self.effects(&mut out),
            false => section(&mut out, "words", self.words.len(), self.words.iter().map(made_by)),
        }
        section(&mut out, "files", self.files.len(), self.files.iter().cloned());
        let rules = self
            .rules
            .iter()
            .map(|rule| format!("{}, {}: {}", rule.code, rule.severity, rule.what));
        section(&mut out, "rules", self.rules.len(), rules);
        section(&mut out, "facts", self.facts.len(), self.facts.iter().map(stated));
        section(&mut out, "note", self.notes.len(), self.notes.iter().cloned());
        out
    }

    /// What the words of a line of a blueprint make.
    fn effects(&self, out: &mut String) {
        for word in self.words.iter().take(MOST) {
            let (lines, files) =
                (words::counted(word.lines, "line"), words::counted(word.files, "file"));
            let verb = if word.lines == 1 { "differs" } else { "differ" };
            let (text, instead) = (short(&word.text), short(&word.instead));
            let head = format!("with {instead} for {text}, {lines} of {files} {verb}:");
            let made = word.makes.iter().map(|made| {
                let (text, then) = both(made);
                format!("  {}  {text} -> {then}", made.at)
            });
            section(out, "makes", 0, std::iter::once(head).chain(made));
        }
        if let Some(more) = self.words.len().checked_sub(MOST).filter(|more| *more > 0) {
            let _ = writeln!(out, "{:<7}and {more} more words", "");
        }
    }
}

/// `train.bp:12  2 as a3m.gpus.nodes; with 3: node_count = 3`
fn made_by(word: &Word) -> String {
    let through = if word.fields.is_empty() {
        String::new()
    } else {
        format!(" as {}", word.fields.join(" and "))
    };
    let (_, then) = word.makes.first().map(both).unwrap_or_default();
    format!("{}  {}{through}; with {}: {then}", word.at, short(&word.text), short(&word.instead))
}

/// A line, and what it is then.
fn both(made: &Made) -> (String, String) {
    match &made.then {
        Some(then) => words::apart(&made.text, then, MOST_CHARACTERS),
        None => (short(&made.text), "gone".to_owned()),
    }
}

fn stated(fact: &Fact) -> String {
    let said =
        if fact.said.is_empty() { String::new() } else { format!(": {}", fact.said.join(", ")) };
    let more = fact.sources.len().saturating_sub(1);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let source = fact.sources.first().map(|source| short(source)).unwrap_or_default();
    format!("{} {}{said} (stated {}; {source}{more})", fact.table, fact.row, fact.date)
}

/// A word in the margin, and lines beside it: at most so many where they are `all`, the rest counted.
fn section(out: &mut String, name: &str, all: usize, lines: impl IntoIterator<Item = String>) {
    let most = if all == 0 { usize::MAX } else { MOST };
    let mut margin = name;
    for line in lines.into_iter().take(most) {
        let _ = writeln!(out, "{margin:<7}{line}");
        margin = "";
    }
    if all > MOST {
        let _ = writeln!(out, "{margin:<7}and {} more", all - MOST);
    }
}

fn short(text: &str) -> String {
    words::short(text, MOST_CHARACTERS)
}
