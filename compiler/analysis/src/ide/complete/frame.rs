//! The brackets that are open around a place, and what is written in each.

use super::tokens::{Token, TokenKind};
use crate::schema::Kind;
use crate::types::{Ctor, Fields, Type};
use slipform_syntax::operators;
use std::sync::Arc;

/// What a place lies in.
#[derive(Clone, Debug)]
pub(super) enum Within {
    File,
    Noun(Arc<Kind>),
    /// The use of a component.
    Use(Arc<Fields>),
    /// The declaration of a component.
    Component,
    /// The declaration of a kind.
    Kind,
    Rule,
    /// A block or a record of which nothing is known.
    Unknown,
    Record(Arc<Fields>),
    Map(Type),
    List(Option<Type>),
    Arguments(Arc<Ctor>),
    Function(String),
    /// Parentheses, a branch, an element's key, an interpolation.
    Inner(Option<Type>),
    Import(Vec<String>),
}

impl Within {
    /// Statements or entries, one a line.
    pub(super) fn has_lines(&self) -> bool {
        !matches!(
            self,
            Self::List(_)
                | Self::Arguments(_)
                | Self::Function(_)
                | Self::Inner(_)
                | Self::Import(_)
        )
    }

    /// Entries that commas may separate.
    pub(super) fn has_commas(&self) -> bool {
        !matches!(
            self,
            Self::File | Self::Noun(_) | Self::Use(_) | Self::Component | Self::Kind | Self::Rule
        )
    }
}

/// A bracket that is open, and what was written since its last separator.
pub(super) struct Frame<'t> {
    pub(super) within: Within,
    pub(super) segment: Vec<Token<'t>>,
    /// Entries that are finished.
    pub(super) count: usize,
    pub(super) written: Vec<String>,
}

impl<'t> Frame<'t> {
    pub(super) fn new(within: Within) -> Self {
        Self { within, segment: Vec::new(), count: 0, written: Vec::new() }
    }

    /// Ends a statement or an entry.
    pub(super) fn finish(&mut self) {
        let name = match self.segment.as_slice() {
            [name, equals, ..] if name.is_word() && equals.is("=") => Some(name.text.to_owned()),
            [] => None,
            _ => match &self.within {
                Within::Arguments(ctor) => {
                    ctor.fields.0.get_index(self.count).map(|(name, _)| name.to_string())
                }
                _ => None,
            },
        };
        self.count += usize::from(!self.segment.is_empty());
        self.written.extend(name);
        self.segment.clear();
    }

    pub(super) fn continues(&self) -> bool {
        self.segment.last().is_some_and(|last| {
            let in_code = matches!(last.kind, TokenKind::Word | TokenKind::Sign);
            in_code && (last.text == "," || operators::joins_next_line(last.text))
        })
    }
}

/// The tokens of the value that is being written: what stands behind `=`, or behind the words that introduce a value.
pub(super) fn value_tokens<'s, 't>(segment: &'s [Token<'t>]) -> &'s [Token<'t>] {
    const INTRODUCING: [&str; 12] = [
        "assert", "when", "require", "if", "in", "by", "where", "on", "label", "fix", "error",
        "for",
    ];
    let equals = segment.iter().position(|token| token.is("="));
    let from = equals.map(|at| at + 1).unwrap_or_else(|| {
        let introduced = segment
            .iter()
            .take(1)
            .chain(segment.iter().skip(1).filter(|it| !it.is("if") && !it.is("for")));
        let last = introduced.rev().find(|token| INTRODUCING.iter().any(|word| token.is(word)));
        let at = last.and_then(|last| segment.iter().position(|token| token.start == last.start));
        match at {
            // The condition of a value, `if a { b }`, is part of it.
            Some(0) if segment.first().is_some_and(|it| it.is("if") || it.is("for")) => 0,
            Some(at) => at + 1,
            None => 0,
        }
    });
    segment.get(from..).unwrap_or_default()
}

/// Whether a value ends with a token.
pub(super) fn ends_value(token: &Token<'_>) -> bool {
    const OPEN: [&str; 6] = ["if", "else", "on", "by", "where", "for"];
    match token.kind {
        TokenKind::Word => !operators::is_operator_word(token.text) && !OPEN.contains(&token.text),
        TokenKind::Number | TokenKind::Text { .. } | TokenKind::Close => true,
        _ => token.is("?"),
    }
}

/// The names that are given behind a place, up to the end of the brackets around it.
pub(super) fn behind(rest: &[Token<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0usize;
    let mut starts = false;
    for (at, token) in rest.iter().enumerate() {
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => break,
            },
            TokenKind::Newline => starts = depth == 0,
            TokenKind::Sign if token.text == "," => starts = depth == 0,
            TokenKind::Comment => {}
            _ => {
                let is_name =
                    starts && token.is_word() && rest.get(at + 1).is_some_and(|next| next.is("="));
                if is_name {
                    names.push(token.text.to_owned());
                }
                starts = false;
            }
        }
    }
    names
}
