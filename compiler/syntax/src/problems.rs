//! How a problem is put together, and which of several on a line is told.

use crate::parse::lower::exprs::SYNTAX_WORD;
use crate::parse::lower::holes::{SYNTAX_BRACE, SYNTAX_EQUALS, SYNTAX_UNCLOSED};
use crate::tree::Problem;
use slipform_source::{Code, Span};

impl Problem {
    pub(crate) fn new(
        code: Code,
        message: impl Into<String>,
        at: Span,
        label: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            at: (at, label.into()),
            also: None,
            help: None,
            fix: None,
        }
    }

    pub(crate) fn also(self, at: Span, label: impl Into<String>) -> Self {
        Self { also: Some((at, label.into())), ..self }
    }

    /// Whether it is certain what is meant, which the edit writes: another word, a value that is set, a bracket that is closed.
    pub(crate) fn is_certain(&self) -> bool {
        self.fix.as_ref().is_some_and(|(at, text)| match self.code {
            SYNTAX_WORD => *at == self.at.0,
            SYNTAX_EQUALS => text.trim() == "=",
            SYNTAX_BRACE => text.trim() == "{",
            SYNTAX_UNCLOSED => true,
            _ => false,
        })
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(crate) fn fix(self, at: Span, text: impl Into<String>) -> Self {
        Self { fix: Some((at, text.into())), ..self }
    }
}

/// Sorts by place and keeps the first of each line: the later ones are mostly its echo. A string that is left open takes the brackets with it
/// that would close those in front of it. `offset` gives where in `text` an offset of the file is.
pub(crate) fn one_a_line(problems: &mut Vec<Problem>, offset: impl Fn(u32) -> usize, text: &str) {
    problems.sort_by_key(|problem| (problem.at.0.start, problem.at.0.end));
    let at = |problem: &Problem| offset(problem.at.0.start);
    let is_string =
        |problem: &Problem| text.get(at(problem)..).is_some_and(|it| it.starts_with('"'));
    let is_open = |problem: &Problem| problem.code == SYNTAX_UNCLOSED;
    problems.dedup_by(|later, first| {
        let beside = text.get(at(first)..at(later)).is_some_and(|between| !between.contains('\n'));
        if beside && is_open(first) && is_open(later) && is_string(later) {
            std::mem::swap(first, later);
        }
        beside
    });
}
