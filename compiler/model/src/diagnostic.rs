//! What is wrong, where, and how to mend it: the same value for the terminal, for programs and for editors.

use slipform_source::{Code, Span, similar};
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

impl Severity {
    /// `error`, `warning`, `advice`
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Advice => "advice",
        }
    }
}

/// One problem. What the compiler reports by itself starts with a [`Code`], which explains it; what a rule reports is
/// explained by the rule.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
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
    /// It is mended by leaving out what stands at the primary place: whoever has the text makes an edit of it.
    pub left_out: bool,
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
    pub fn error(code: Code, message: impl Into<String>, at: Span) -> Self {
        let labels = vec![Label { span: at, text: String::new() }];
        Self { labels, ..Self::nowhere(code, message) }
    }

    /// What is said once and stops nothing, at one place.
    pub fn advice(code: Code, message: impl Into<String>, at: Span) -> Self {
        Self { severity: Severity::Advice, ..Self::error(code, message, at) }
    }

    /// A warning at one place.
    pub fn warning(code: Code, message: impl Into<String>, at: Span) -> Self {
        Self::error(code, message, at).doubtful()
    }

    /// An error that belongs to no place in a source.
    pub fn nowhere(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message, ..Self::bare(Cow::Borrowed(code.name), Severity::Error) }
    }

    /// A rule that is broken. What it says is still to be filled in.
    pub fn of_rule(rule: String, severity: Severity) -> Self {
        Self::bare(Cow::Owned(rule), severity)
    }

    fn bare(code: Cow<'static, str>, severity: Severity) -> Self {
        let message = String::new();
        let labels = Vec::new();
        Self {
            code,
            severity,
            message,
            labels,
            help: Vec::new(),
            fixes: Vec::new(),
            left_out: false,
        }
    }

    /// The same as a warning.
    pub fn doubtful(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// Says what is to be seen at the primary place.
    pub fn labelled(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Says that it is mended by leaving out what stands at the primary place.
    pub fn left_out(self) -> Self {
        Self { left_out: true, ..self }
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

    /// Offers the name that was probably meant at `at`; `what` is what it names, with its article.
    pub fn meant(self, what: &str, near: &str, at: Span) -> Self {
        self.help(similar(what, near)).fix(format!("write `{near}`"), at, near)
    }

    /// As [`Diagnostic::meant`], where the name is written as a string.
    pub fn meant_text(self, what: &str, near: &str, at: Span) -> Self {
        let written = format!("\"{near}\"");
        self.help(similar(what, near)).fix(format!("write {written}"), at, written)
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}
