//! What is wrong, where, and how to mend it: the same value for the terminal, for programs and for editors.

use slipform_source::Span;
use std::borrow::Cow;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing.
    Advice,
    /// Doubtful; it does not stop a build.
    Warning,
    /// It must be mended before anything is built.
    Error,
}

/// One problem.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// Stable and readable: `tpu/hosts`.
    pub code: Cow<'static, str>,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence with both values: lower case, no final period.
    pub message: String,
    /// Places; the first is the primary one.
    pub labels: Vec<Label>,
    /// What to do, one sentence each.
    pub help: Vec<String>,
    /// Edits that mend it.
    pub fixes: Vec<Fix>,
}

/// A place and what is to be seen there.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// One fact; may be empty.
    pub text: String,
}

/// An edit that mends a problem, all of its replacements together.
#[derive(Clone, PartialEq, Debug)]
pub struct Fix {
    /// What it does, as an editor lists it.
    pub title: String,
    /// Ranges and what stands there afterwards; they do not overlap.
    pub edits: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error at one place.
    pub fn error(code: impl Into<Cow<'static, str>>, message: impl Into<String>, at: Span) -> Self {
        Self {
            code: code.into(),
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span: at, text: String::new() }],
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// A warning at one place.
    pub fn warning(
        code: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        at: Span,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, at) }
    }

    /// Says what is to be seen at the primary place.
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Adds a second place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds what to do.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds an edit that mends it.
    pub fn fix(
        mut self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fixes.push(Fix { title: title.into(), edits: vec![(span, replacement.into())] });
        self
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// The name among `known` that `written` most likely means: equal but for case, or few edits away.
///
/// At most a third of the letters may differ, and none of a word that is too short to be misspelt; between equals
/// the first wins.
pub fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = written.chars().count();
    let limit = if length < 3 { 0 } else { (length / 3).max(1) };
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance =
            if name.eq_ignore_ascii_case(written) { 0 } else { edits(written, name, limit + 1) };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words; gives up at `limit`.
fn edits(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) >= limit {
        return limit;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(limit);
            let mut best = at(&last, j) + usize::from(x != y);
            best = best.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        (before, last) = (last, row);
    }
    last.last().copied().unwrap_or(limit).min(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_and_a_far_one_is_not() {
        let known = ["topology", "nodes", "machine"];
        assert_eq!(nearest("topolgy", known), Some("topology"));
        assert_eq!(nearest("Nodes", known), Some("nodes"));
        assert_eq!(nearest("ndoes", known), Some("nodes"));
        assert_eq!(nearest("capacity", known), None);
    }
}
