//! The words and brackets of a statement, whatever state it is in.

use slipform_syntax::operators;

/// A piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) text: &'t str,
    /// Bytes of the file.
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// `name`, `param`
    Word,
    /// Anything that starts with a digit.
    Number,
    /// A string, or a piece of one, between these offsets.
    Text {
        from: usize,
        to: usize,
    },
    /// `${`, `(`, `[`, `{`
    Open,
    /// `}`, `)`, `]`
    Close,
    /// An operator, a comma, a colon, a dot.
    Sign,
    Newline,
    Comment,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && !matches!(self.kind, TokenKind::Text { .. } | TokenKind::Comment)
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }
}

/// How a string goes on.
#[derive(Clone, Copy)]
struct Style {
    sigil: &'static str,
    long: bool,
}

/// Splits `text`, which starts at `base` of its file.
pub(super) fn tokens(text: &str, base: usize) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, base, at: 0, found: Vec::new(), open: Vec::new() };
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.found
}

struct Lexer<'t> {
    text: &'t str,
    base: usize,
    at: usize,
    found: Vec<Token<'t>>,
    /// Brackets that are open: `None` for plain ones, the string for the `${` inside of one.
    open: Vec<Option<Style>>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, len: usize, kind: TokenKind) {
        let text = self.text.get(self.at..self.at + len).unwrap_or_default();
        let start = self.base + self.at;
        self.found.push(Token { kind, text, start, end: start + len });
        self.at += len.max(1);
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return;
        };
        if let Some((style, quotes)) = string_start(rest) {
            return self.string(style, quotes);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match first {
            '\n' => self.take(1, TokenKind::Newline),
            '#' => self.take(rest.find('\n').unwrap_or(rest.len()), TokenKind::Comment),
            '(' | '[' | '{' => {
                self.open.push(None);
                self.take(1, TokenKind::Open);
            }
            ')' | ']' | '}' => {
                let closed = self.open.pop().flatten();
                self.take(1, TokenKind::Close);
                if let Some(style) = closed {
                    self.string(style, 0);
                }
            }
            c if c.is_ascii_digit() => self.take(number_len(rest), TokenKind::Number),
            c if is_word(c) => {
                self.take(rest.len() - rest.trim_start_matches(is_word).len(), TokenKind::Word)
            }
            c if c.is_whitespace() => self.at += c.len_utf8(),
            _ => {
                let sign = operators::sign_at(rest).map_or(first.len_utf8(), str::len);
                self.take(sign, TokenKind::Sign);
            }
        }
    }

    /// A string from its quotes, or from behind what is interpolated, to its end or to what is interpolated next.
    fn string(&mut self, style: Style, quotes: usize) {
        let rest = self.rest();
        let body = rest.get(quotes..).unwrap_or_default();
        let mut chars = body.char_indices();
        let mut end = (body.len(), 0);
        let mut interpolates = false;
        while let Some((at, c)) = chars.next() {
            let here = body.get(at..).unwrap_or_default();
            if !style.long && c == '\\' {
                chars.next();
            } else if style.long && here.starts_with("\"\"\"") {
                end = (at, 3);
                break;
            } else if !style.long && (c == '"' || c == '\n') {
                end = (at, usize::from(c == '"'));
                break;
            } else if here.strip_prefix(style.sigil).is_some_and(|rest| rest.starts_with('{')) {
                end = (at, 0);
                interpolates = true;
                break;
            }
        }
        let from = self.base + self.at + quotes;
        let kind = TokenKind::Text { from, to: from + end.0 };
        let len = quotes + end.0 + end.1;
        if len > 0 {
            self.take(len, kind);
        }
        if interpolates {
            self.open.push(Some(style));
            self.take(style.sigil.len() + 1, TokenKind::Open);
        }
    }
}

/// The style of a string that starts here, and the length of what opens it.
fn string_start(rest: &str) -> Option<(Style, usize)> {
    for (prefix, sigil) in [("$$\"\"\"", "$$"), ("%\"\"\"", "%"), ("@\"\"\"", "@"), ("\"\"\"", "$")]
    {
        if rest.starts_with(prefix) {
            return Some((Style { sigil, long: true }, prefix.len()));
        }
    }
    rest.starts_with('"').then_some((Style { sigil: "$", long: false }, 1))
}

/// Digits, letters and single dots.
fn number_len(rest: &str) -> usize {
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let double_dot = c == '.' && chars.peek().is_some_and(|(_, next)| *next == '.');
        if double_dot || !(c.is_ascii_alphanumeric() || c == '_' || c == '.') {
            return at;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text, 0).iter().map(|token| token.text).collect()
    }

    #[test]
    fn strings_are_one_token_between_what_is_interpolated() {
        assert_eq!(
            texts("a = \"x ${b.c} y\" + 1"),
            ["a", "=", "\"x ", "${", "b", ".", "c", "}", " y\"", "+", "1"]
        );
        assert_eq!(texts("%\"\"\"a ${b} %{c}\"\"\""), ["%\"\"\"a ${b} ", "%{", "c", "}", "\"\"\""]);
    }

    #[test]
    fn a_string_that_is_not_closed_ends_with_its_line() {
        assert_eq!(texts("m = \"a3\nnodes"), ["m", "=", "\"a3", "\n", "nodes"]);
        let token = tokens("\"a3", 5)[0];
        assert_eq!(token.kind, TokenKind::Text { from: 6, to: 8 });
    }

    #[test]
    fn an_operator_is_one_token_in_any_language() {
        assert_eq!(texts("a <= b && c"), ["a", "<=", "b", "&&", "c"]);
    }

    #[test]
    fn ranges_are_no_numbers() {
        assert_eq!(
            texts("3..10 4x4x8 10.0.0.0/8"),
            ["3", "..", "10", "4x4x8", "10.0.0.0", "/", "8"]
        );
    }
}
