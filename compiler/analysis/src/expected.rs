//! What a program of tests expects to be reported, in comments on its own lines:
//!
//! ```bp
//! nodes = 16 # error: [tpu/hosts] 32 hosts # help: set `nodes = 32` # at: 16
//! ```
//!
//! `# warning: [code] text` expects a warning, `# advice: [code] text` a piece of advice. `# help: text` behind it asks for a help, `# at: text` for the text that is pointed
//! at. Whatever else is reported is not expected.

use slipform_model::{Diagnostic, Severity};
use slipform_source::{FileId, SourceFile, Sources, Span};

slipform_source::codes! {
    pub(crate) CODES;
    pub TEST_EXPECTED = "test/expected":
        "a test expects a report that nothing makes",
        "mend what should be refused, or what the test expects";
}

/// Areas of codes whose errors leave rules silent about what they stand in.
const CAUSES: [&str; 3] = ["syntax/", "names/", "types/"];

/// A comment that expects a report on its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The comment.
    pub span: Span,
    /// How bad it must be.
    pub severity: Severity,
    /// `tpu/hosts`
    pub code: String,
    /// What it has to say.
    pub text: String,
    /// What has to be in its help.
    pub help: String,
    /// The text that it has to point at; any where it is empty.
    pub at: String,
    /// It is written almost as one is, so that it would expect nothing: nothing meets it.
    pub slip: bool,
}

/// What the comments of a text expect, line by line.
pub fn expectations(file: FileId, text: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        of_line(file, line.trim_end(), start, &mut found);
        start += line.len();
    }
    found
}

fn of_line(file: FileId, line: &str, start: usize, found: &mut Vec<Expectation>) {
    const MARK: &str = "# ";
    let before = found.len();
    let mut parts = line.split(MARK);
    let mut at = start + parts.next().map_or(0, str::len);
    if let Some(slip) = slip(line) {
        found.push(Expectation {
            span: Span::new(file, start + slip, start + line.len()),
            severity: Severity::Error,
            code: String::new(),
            text: String::new(),
            help: String::new(),
            at: String::new(),
            slip: true,
        });
        return;
    }
    for part in parts {
        let end = at + MARK.len() + part.len();
        let (word, rest) = part.trim().split_once(": ").unwrap_or_default();
        let severity = match word {
            "error" => Some(Severity::Error),
            "warning" => Some(Severity::Warning),
            "advice" => Some(Severity::Advice),
            _ => None,
        };
        let last = found.get_mut(before..).and_then(<[Expectation]>::last_mut);
        match (word, severity.zip(rest.strip_prefix('[')), last) {
            (_, Some((severity, rest)), _) => {
                let (code, text) = rest.split_once(']').unwrap_or((rest, ""));
                found.push(Expectation {
                    span: Span::new(file, at, end),
                    severity,
                    code: code.trim().to_owned(),
                    text: text.trim().to_owned(),
                    help: String::new(),
                    at: String::new(),
                    slip: false,
                });
            }
            ("help", None, Some(last)) => last.help = rest.to_owned(),
            ("at", None, Some(last)) => last.at = rest.to_owned(),
            _ => {}
        }
        at = end;
    }
}

/// Where a comment begins that was meant to expect something, and does not: `#error: [x/y]`, `# Error: [x/y]`, `# error [x/y]`,
/// `# error: x/y`, or `# at: text` behind nothing.
fn slip(line: &str) -> Option<usize> {
    let mut seen = false;
    for (at, _) in line.match_indices('#') {
        let rest = line.get(at + 1..).unwrap_or_default();
        let said = rest.trim_start();
        let word = said.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let behind = said.get(word.len()..).unwrap_or_default();
        let lower = word.to_ascii_lowercase();
        let expects = ["error", "warning", "advice"].contains(&lower.trim_end_matches('s'));
        let right = expects
            && rest.starts_with(' ')
            && word == lower
            && !lower.ends_with('s')
            && behind.starts_with(": [");
        let names = behind.trim_start_matches([':', ' ', '[']);
        let names = names.split([' ', ']']).next().unwrap_or_default();
        let is_code =
            names.split_once('/').is_some_and(|(area, name)| is_name(area) && is_name(name));
        let is_alone = ["help", "at"].contains(&word) && behind.starts_with(": ") && !seen;
        if !right && (expects && is_code || is_alone && rest.starts_with(' ')) {
            return Some(at);
        }
        seen |= right;
    }
    None
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// What a program reports otherwise than its comments expect: reports that nobody expects, and expectations that nothing meets.
pub fn surprises(
    diagnostics: &[Diagnostic],
    expected: &[Expectation],
    sources: &Sources,
) -> Vec<Diagnostic> {
    let mut left: Vec<&Diagnostic> = diagnostics.iter().collect();
    let mut missing: Vec<&Expectation> = Vec::new();
    for one in expected {
        match left.iter().position(|it| one.is_met(it, sources)) {
            Some(at) => {
                left.remove(at);
            }
            None => missing.push(one),
        }
    }
    // what is reported of the code, but otherwise or elsewhere, is told with what was expected: one mistake, one report
    let mut told = Vec::new();
    missing.retain(|one| match one.instead(&left, sources) {
        Some(at) => {
            told.push(one.otherwise(left.remove(at), sources));
            false
        }
        None => true,
    });
    // where a file beside the program is wrong, or the text, a name or a type of the program, rules are silent for that reason
    let is_beside = |at: Span| expected.iter().all(|one| one.span.file != at.file);
    let is_echo = left.iter().any(|it| {
        let is_cause = CAUSES.iter().any(|area| it.code.starts_with(area));
        it.severity == Severity::Error && (is_cause || it.span().is_some_and(is_beside))
    });
    let missing = missing.into_iter().filter(|one| one.slip || !is_echo);
    told.extend(missing.map(Expectation::missing));
    let mut found: Vec<Diagnostic> = left.into_iter().cloned().chain(told).collect();
    found.sort_by_key(Diagnostic::span);
    found
}

impl Expectation {
    /// Whether this is the report that is expected.
    fn is_met(&self, diagnostic: &Diagnostic, sources: &Sources) -> bool {
        let line = |file: &SourceFile, span: Span| file.lines().line(span.start as usize);
        let of = |span: &Span| span.file == self.span.file;
        let place = diagnostic.span().filter(of).zip(sources.get(self.span.file));
        place.is_some_and(|(span, file)| {
            !self.slip
                && line(file, span) == line(file, self.span)
                && diagnostic.severity == self.severity
                && diagnostic.code == self.code
                && diagnostic.message.contains(&self.text)
                && diagnostic.help.join("; ").contains(&self.help)
                && (self.at.is_empty() || self.at == sources.text(span))
        })
    }

    /// Which report of its code nobody expects: on its line, where one stands there.
    fn instead(&self, left: &[&Diagnostic], sources: &Sources) -> Option<usize> {
        let line = self.line(self.span, sources);
        let of_code =
            || left.iter().enumerate().filter(|(_, it)| !self.slip && it.code == self.code);
        let in_line = |it: &Diagnostic| {
            it.span().filter(|span| span.file == self.span.file).map(|at| self.line(at, sources))
        };
        let here = of_code().find(|(_, it)| in_line(it).is_some_and(|it| it == line));
        here.or_else(|| of_code().find(|(_, it)| in_line(it).is_some())).map(|(at, _)| at)
    }

    /// The line of a place of its file, from 1.
    fn line(&self, span: Span, sources: &Sources) -> u32 {
        sources.get(span.file).map_or(0, |file| file.lines().line(span.start as usize) + 1)
    }

    /// That its code is reported, but otherwise than it says: with what is reported, and the edit that expects it.
    fn otherwise(&self, reported: &Diagnostic, sources: &Sources) -> Diagnostic {
        let code = &self.code;
        let at = reported.span().unwrap_or(self.span);
        let line = self.line(at, sources);
        let is_here = line == self.line(self.span, sources);
        let message = match is_here {
            true => format!("`{code}` is reported here otherwise than this line expects"),
            false => {
                format!("`{code}` is reported in line {line}, and not here, as this line expects")
            }
        };
        let said = format!("{} `{}`", word(reported.severity), reported.message);
        let report = Diagnostic::error(TEST_EXPECTED, message, self.span)
            .labelled(self.wanted())
            .also(at, format!("reported: {said}"));
        let new = format!("# {}: [{code}] {}", word(reported.severity), reported.message);
        let can_be_said = is_here && !reported.message.contains("# ") && !new.contains('\n');
        match can_be_said {
            true => report.fix("expect what is reported", trimmed(self.span, sources), new),
            false => report,
        }
    }

    /// What it asks for, as a label says it.
    fn wanted(&self) -> String {
        let parts = [
            ("that says", &self.text),
            ("with the help", &self.help),
            ("that points at", &self.at),
        ];
        let asked = parts.into_iter().filter(|(_, text)| !text.is_empty());
        let asked: Vec<String> = asked.map(|(what, text)| format!("{what} `{text}`")).collect();
        match asked.is_empty() {
            true => format!("expected here: {}", word(self.severity)),
            false => format!("expected: {} {}", word(self.severity), asked.join(", ")),
        }
    }

    /// That nothing meets it.
    fn missing(&self) -> Diagnostic {
        if self.slip {
            let message =
                "this comment expects nothing, though it is written almost as one that does";
            return Diagnostic::error(TEST_EXPECTED, message.to_owned(), self.span).help(
                "write `# error: [area/rule] text`, with `# help: text` and `# at: text` behind it; `warning` and `advice` likewise",
            );
        }
        let word = word(self.severity);
        let message = format!("no {word} `{}` is reported here, as this line expects", self.code);
        Diagnostic::error(TEST_EXPECTED, message, self.span).labelled(self.wanted())
    }
}

/// `error`
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}

/// A place without the blanks at its end.
fn trimmed(span: Span, sources: &Sources) -> Span {
    let text = sources.text(span).trim_end();
    Span::new(span.file, span.start as usize, span.start as usize + text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_expect_several_reports() {
        let text =
            "a\nb = 1 # note # error: [x/y] no # warning: [z] # at: b # help: do: it\r\nc = 2";
        let found = expectations(FileId(0), text);
        let told: Vec<_> = found
            .iter()
            .map(|it| (it.code.as_str(), it.text.as_str(), it.at.as_str(), it.help.as_str()))
            .collect();
        assert_eq!(told, [("x/y", "no", "", ""), ("z", "", "b", "do: it")]);
        assert_eq!(text.get(found[0].span.range()), Some("# error: [x/y] no "));
    }

    #[test]
    fn what_is_almost_an_expectation_is_met_by_nothing() {
        for slip in [
            "b = 1 #error: [x/y] no",
            "b = 1 # Error: [x/y] no",
            "b = 1 # error [x/y] no",
            "b = 1 # error: x/y no",
            "b = 1 # errors: [x/y] no",
            "b = 1 # at: b",
            "b = 1 # help: do it # error: [x/y] no",
        ] {
            let found = expectations(FileId(0), slip);
            assert!(found.iter().all(|it| it.slip) && found.len() == 1, "{slip}: {found:?}");
        }
        for prose in
            ["# errors are told below", "b = \"#error\"", "# error: of old", "# see warning x/y"]
        {
            assert_eq!(expectations(FileId(0), prose), [], "{prose}");
        }
    }
}
