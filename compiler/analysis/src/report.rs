//! The diagnostics of one analysis: each place is reported once.

use slipform_model::{Diagnostic, Label, Severity};
use slipform_source::{Code, Span};
use slipform_syntax::tree::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// A problem of a text as a diagnostic.
pub fn of_syntax(problem: &Problem) -> Diagnostic {
    let (span, label) = &problem.at;
    let mut report =
        Diagnostic::error(problem.code, problem.message.clone(), *span).labelled(label.clone());
    if let Some((span, text)) = &problem.also {
        report = report.also(*span, text.clone());
    }
    if let Some(help) = &problem.help {
        report = report.help(help.clone());
    }
    if let Some((span, text)) = &problem.fix {
        let says = || match text.trim() {
            "" => "take it away".to_owned(),
            text => format!("write `{text}`"),
        };
        // what is closed needs no more words than what closes it
        let is_closed = problem.code.name == "syntax/unclosed";
        let help = problem.help.clone().filter(|_| !is_closed);
        let title = help.unwrap_or_else(says);
        report = report.fix(title, *span, text.clone());
    }
    report
}

/// Collects diagnostics. Of several errors at one place the first is kept: what comes later is mostly its echo.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Reports {
    found: Vec<Diagnostic>,
    errors_at: BTreeSet<Span>,
    /// Where the first report of what is said once stands.
    once: BTreeMap<String, usize>,
    /// Words that are probably misspelt, each with the message that says so.
    doubted: BTreeMap<String, String>,
    /// Names are declared that could not be read.
    has_lost_names: bool,
    /// Names that are meant to be there, and are not for a reason that is told.
    missed: BTreeSet<String>,
}

impl Reports {
    /// Adds a diagnostic, unless an error at the same place is known already.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        if let Some(span) = diagnostic.span() {
            if self.errors_at.contains(&span) {
                return;
            }
            if diagnostic.severity == Severity::Error {
                self.errors_at.insert(span);
            }
        }
        self.found.push(diagnostic);
    }

    /// Adds a diagnostic whose message names what is wrong: where that is known already, this is one more place of the same mistake, and
    /// the same edit mends both.
    pub fn add_once(&mut self, diagnostic: Diagnostic) {
        let first = self.once.get(&diagnostic.message).and_then(|at| self.found.get_mut(*at));
        let same = |first: &&mut Diagnostic| {
            first.code == diagnostic.code && first.message == diagnostic.message
        };
        let (Some(span), Some(first)) = (diagnostic.span(), first.filter(same)) else {
            self.once.insert(diagnostic.message.clone(), self.found.len());
            return self.add(diagnostic);
        };
        if self.errors_at.contains(&span) || first.labels.iter().any(|label| label.span == span) {
            return;
        }
        first.labels.push(Label { span, text: "here too".to_owned() });
        for fix in diagnostic.fixes {
            match first.fixes.iter_mut().find(|known| known.title == fix.title) {
                Some(known) => known.edits.extend(fix.edits),
                None => first.fixes.push(fix),
            }
        }
        if diagnostic.severity == Severity::Error {
            self.errors_at.insert(span);
        }
    }

    /// Whether something is said that is said once.
    pub fn says(&self, message: &str) -> bool {
        self.once.contains_key(message)
    }

    /// A noun is declared whose name could not be read: a name that is not known may be its own.
    pub fn lose_a_name(&mut self) {
        self.has_lost_names = true;
    }

    /// A name is not there for a reason that is told: a `use` of it is misspelt, or the file that says it could not be read.
    pub fn miss(&mut self, name: &str) {
        self.missed.insert(name.to_owned());
    }

    /// Whether a name is not there for a reason that is told.
    pub fn is_missed(&self, name: &str) -> bool {
        self.missed.contains(name)
    }

    /// Whether a name that is not known may be one that could not be read.
    pub fn has_lost_names(&self) -> bool {
        self.has_lost_names
    }

    /// A word is probably misspelt, as a report of this message says: what rules say of it follows from the same mistake.
    pub fn doubt(&mut self, word: &str, message: &str) {
        self.doubted.insert(word.to_owned(), message.to_owned());
    }

    /// Adds a diagnostic of a rule: several rules may speak of one place, but none of one that was not understood.
    pub fn add_rule(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span().is_some_and(|span| self.has_error_in(span)) {
            return;
        }
        match self.source_of(&diagnostic) {
            Some(source) => follow(source, diagnostic),
            None => self.found.push(diagnostic),
        }
    }

    /// The report of the misspelt word that a rule speaks of.
    fn source_of(&mut self, of_rule: &Diagnostic) -> Option<&mut Diagnostic> {
        let mut doubted = self.doubted.iter();
        let (_, message) = doubted.find(|(word, _)| speaks_of(&of_rule.message, word))?;
        self.found.iter_mut().find(|it| it.message == *message)
    }

    /// Adds a plain error.
    pub fn error(&mut self, code: Code, message: impl Into<String>, at: Span) {
        self.add(Diagnostic::error(code, message, at));
    }

    /// Whether anything inside this place is known to be wrong.
    pub fn has_error_in(&self, span: Span) -> bool {
        let from = Span { end: span.start, ..span };
        self.errors_at
            .range(from..)
            .take_while(|at| at.file == span.file && at.start <= span.end)
            .any(|at| span.covers(*at))
    }

    /// Whether an error inside this place has a code that begins so.
    pub fn has_error_of(&self, area: &str, span: Span) -> bool {
        let is_it = |it: &&Diagnostic| it.code.starts_with(area);
        self.has_error_in(span)
            && self.found.iter().filter(is_it).any(|it| it.span().is_some_and(|at| span.covers(at)))
    }

    /// Whether there is any error.
    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The diagnostics so far, in the order of adding.
    pub fn so_far(&self) -> &[Diagnostic] {
        &self.found
    }

    /// All diagnostics, by file and place; the order of adding decides between equals.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.span());
        self.found
    }
}

/// Tells what follows from a mistake in the report of the mistake, which is as bad then as what follows. Where it is none, since the
/// catalog is behind, the code says what is to be allowed.
fn follow(source: &mut Diagnostic, of_rule: Diagnostic) {
    if of_rule.severity == Severity::Error {
        source.severity = Severity::Error;
    }
    let told = format!("as it is written, {} (`{}`)", of_rule.message, of_rule.code);
    if !source.help.contains(&told) {
        source.help.push(told);
    }
}

/// Whether a sentence has a name of the cloud in it, as a whole.
fn speaks_of(sentence: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    sentence.split(|c| !is_part(c)).any(|word| word == name)
}

/// The kind that plain instances of machines have: each of its nouns is several.
const SEVERAL: &str = "machines";

/// A noun of a kind, as messages speak of the one that is written.
pub(crate) fn this(kind: &str) -> String {
    if kind == SEVERAL { format!("this block of {kind}") } else { format!("this {kind}") }
}

/// A kind or a type with its article, as messages name one: `an image`, `a pool`, and `machines`, which are several.
pub(crate) fn one(noun: &str) -> String {
    match noun.chars().next() {
        _ if noun == SEVERAL => noun.to_owned(),
        Some('a' | 'e' | 'i' | 'o' | 'A' | 'E' | 'I' | 'O') => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
