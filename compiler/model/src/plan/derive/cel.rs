//! Whether a text is an expression of CEL, as far as its grammar tells: names and types are the business of who evaluates it.

/// Parentheses within parentheses: the API server refuses more.
const DEEPEST: u32 = 32;

/// Whether a text can be read as one expression.
pub(crate) fn is_expression(text: &str) -> bool {
    tokens(text).is_some_and(|tokens| {
        let mut reader = Reader { left: &tokens, depth: 0 };
        reader.expression() && reader.left.is_empty()
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Name(&'a str),
    /// A number or a text.
    Literal,
    Sign(&'a str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}",
];
const BETWEEN: [&str; 13] = ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%"];

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' | '\'' => (Token::Literal, string(rest, false)?),
            '0'..='9' => (Token::Literal, number(rest)),
            'a'..='z' | 'A'..='Z' | '_' => word(rest)?,
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
                (Token::Sign(sign), sign.len())
            }
        };
        found.push(token);
        rest = rest.get(length..)?.trim_start();
    }
    Some(found)
}

/// A name, or a text with letters in front of it that say how it is read.
fn word(text: &str) -> Option<(Token<'_>, usize)> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(length)?;
    let how = name.to_ascii_lowercase();
    if ["r", "b", "rb", "br"].contains(&how.as_str()) && rest.starts_with(['"', '\'']) {
        return Some((Token::Literal, length + string(rest, how.contains('r'))?));
    }
    Some((Token::Name(name), length))
}

fn number(text: &str) -> usize {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    text.find(|c: char| !part(c)).unwrap_or(text.len())
}

/// The length of a text, with what it is put in; in a raw one `\` is a sign like any other.
fn string(text: &str, raw: bool) -> Option<usize> {
    let quote = text.chars().next()?;
    let long: String = std::iter::repeat_n(quote, 3).collect();
    let end = if text.starts_with(&long) { long } else { quote.to_string() };
    let mut at = end.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(&end) {
            return Some(at + end.len());
        }
        let mut next = rest.chars();
        let first = next.next()?;
        at += first.len_utf8();
        if first == '\\' && !raw {
            at += next.next()?.len_utf8();
        }
    }
}

struct Reader<'t, 'a> {
    left: &'t [Token<'a>],
    depth: u32,
}

impl<'a> Reader<'_, 'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(*first)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let takes = self.left.first() == Some(&Token::Sign(sign));
        if takes {
            self.next();
        }
        takes
    }

    fn expression(&mut self) -> bool {
        self.depth += 1;
        let read = self.depth <= DEEPEST && self.operands() && self.choice();
        self.depth -= 1;
        read
    }

    /// `a ? b : c`.
    fn choice(&mut self) -> bool {
        !self.takes("?") || self.expression() && self.takes(":") && self.expression()
    }

    fn operands(&mut self) -> bool {
        loop {
            while self.takes("!") || self.takes("-") {}
            if !self.member() {
                return false;
            }
            match self.left.first() {
                Some(Token::Name("in")) => {}
                Some(Token::Sign(sign)) if BETWEEN.contains(sign) => {}
                _ => return true,
            }
            self.next();
        }
    }

    fn member(&mut self) -> bool {
        let dotted = self.takes(".");
        let begins = match self.next() {
            Some(Token::Name(name)) => name != "in",
            Some(Token::Literal) => !dotted,
            Some(Token::Sign("(")) => !dotted && self.expression() && self.takes(")"),
            Some(Token::Sign("[")) => !dotted && self.list("]"),
            Some(Token::Sign("{")) => !dotted && self.list("}"),
            _ => false,
        };
        begins && self.selected()
    }

    /// What is selected of it, and called with.
    fn selected(&mut self) -> bool {
        loop {
            let read = if self.takes(".") {
                self.takes("?");
                matches!(self.next(), Some(Token::Name(_)))
            } else if self.takes("[") {
                self.takes("?");
                self.expression() && self.takes("]")
            } else if self.takes("(") {
                self.list(")")
            } else if self.takes("{") {
                self.list("}")
            } else {
                return true;
            };
            if !read {
                return false;
            }
        }
    }

    /// Expressions up to a sign, pairs of them in braces.
    fn list(&mut self, end: &str) -> bool {
        loop {
            if self.takes(end) {
                return true;
            }
            self.takes("?");
            if !self.expression() || end == "}" && !(self.takes(":") && self.expression()) {
                return false;
            }
            if !self.takes(",") {
                return self.takes(end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_expression;

    #[test]
    fn expressions_are_told_from_what_is_none() {
        for text in [
            "true",
            "device.driver == \"gpu.example.com\"",
            "device.attributes[\"gpu.example.com\"].model.lowerAscii().matches('^a100')",
            "device.capacity['gpu.example.com'].memory.compareTo(quantity(\"10Gi\")) >= 0 && !(a in [1, 2.5, 0x1f])",
            "has(device.attributes) ? {'a': 1}.a == 1 : -2 < 3",
            "device.?attributes[?'x'].orValue(r'\\') != '''it's'''",
        ] {
            assert!(is_expression(text), "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
        for text in [
            "",
            "  ",
            "all of them",
            "device.driver ==",
            "(a",
            "a)",
            "'open",
            "a &&& b",
            "f(a, , b)",
            "a ? b",
            "{1}",
            "a.",
            "a = b",
            "$a",
            &deep,
        ] {
            assert!(!is_expression(text), "{text}");
        }
    }
}
