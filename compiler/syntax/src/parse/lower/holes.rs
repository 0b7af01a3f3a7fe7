//! What is missing or in the way, in the user's words: a problem for each mark that the grammar leaves.

use super::{Lower, Node};
use crate::blank::BLANK;
use crate::brackets::{is_inside, left_open, quote_end};
use crate::chunks::STATEMENT_WORDS;
use crate::grammar::Rule;
use crate::operators;
use crate::parse::MAX_NESTING;
use crate::parse::lower::exprs::{SYNTAX_OPERATOR, SYNTAX_WORD};
use crate::parse::lower::rules::SYNTAX_FIX;
use crate::tree::{ClauseWord, Problem};
use slipform_source::{Code, Span, nearest, similar};

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) SYNTAX_BRACE = "syntax/brace":
        "a `{` is missing",
        "open the block on the line of its header";
    SYNTAX_CLAUSE = "syntax/clause":
        "this is no line of a rule",
        "a rule has `when`, `let`, `for`, `require`, `error`, `warning`, `label`, `help`, `fix`, `symptom` and `since`";
    SYNTAX_COLON = "syntax/colon":
        "types follow a `:`, values an `=`",
        "write `name: Type = value`";
    pub(crate) SYNTAX_COMMA = "syntax/comma":
        "a comma is missing, or one too many",
        "separate the entries of lists, records and calls by commas or newlines";
    SYNTAX_COMMENT = "syntax/comment":
        "comments start with `#`; there are no block comments",
        "write `#` in front of each line";
    SYNTAX_ELEMENT = "syntax/element":
        "this is no element of a list, a record or a call",
        "separate elements by commas";
    SYNTAX_ELSE = "syntax/else":
        "an `else` is missing, or belongs to no `if`",
        "an `if` that gives a value needs both branches";
    pub(crate) SYNTAX_EQUALS = "syntax/equals":
        "values are set with `=` and compared with `==`",
        "write one or the other";
    SYNTAX_FOR = "syntax/for":
        "an `in` is missing",
        "write `for name in list { ... }`";
    SYNTAX_IS = "syntax/is":
        "`is` asks whether something is set",
        "write `is set` or `is not set`; to compare, write `==`";
    pub(crate) SYNTAX_NAME = "syntax/name":
        "a name is missing, or this is none",
        "a name has letters a to z, digits and `_`, and does not start with a digit";
    SYNTAX_NESTING = "syntax/nesting":
        "brackets stand too deep inside each other",
        "name the inner parts with `let`";
    pub(crate) SYNTAX_QUOTES = "syntax/quotes":
        "strings stand in straight double quotes",
        "write `\"text\"`";
    SYNTAX_SEMICOLON = "syntax/semicolon":
        "a statement ends with its line",
        "leave the `;` out";
    SYNTAX_SPACE = "syntax/space":
        "this is not an ordinary space, though it looks like one",
        "write a space";
    SYNTAX_STATEMENT = "syntax/statement":
        "this is no statement",
        "a line is `name = value`, or a declaration such as `network name { ... }`";
    SYNTAX_TRAILING = "syntax/trailing":
        "something stands behind the end of a statement",
        "each statement stands on a line of its own";
    pub(crate) SYNTAX_TYPE = "syntax/type":
        "a type is missing, or this is none",
        "write `name: Type`";
    pub(crate) SYNTAX_UNCLOSED = "syntax/unclosed":
        "a bracket, block or string is never closed",
        "close it where the report says it is missing";
    pub(crate) SYNTAX_UNOPENED = "syntax/unopened":
        "a bracket closes nothing",
        "remove it, or open what it is to close";
    pub(crate) SYNTAX_VALUE = "syntax/value":
        "a value is missing",
        "write one, or remove what wants it";
}

/// The statement word that was probably meant: one of a file or a block, of a part of one, or of another language.
fn meant(written: &str) -> Option<&'static str> {
    let known = STATEMENT_WORDS.into_iter().chain(["else", "derived", "import"]);
    nearest(written, known)
}

/// Text that is nested deeper than a tree may be.
pub(crate) fn nesting(at: Span) -> Problem {
    Problem::new(
        SYNTAX_NESTING,
        format!("nested more than {MAX_NESTING} deep"),
        at,
        "too deep from here on",
    )
    .help("name the inner parts with `let`")
}

pub(super) fn foreign_letter(word: &str, at: Span) -> Problem {
    let letter = word.chars().find(|c| !c.is_ascii()).unwrap_or_default();
    Problem::new(
        SYNTAX_NAME,
        format!("a name cannot contain `{letter}`"),
        at,
        "only letters a to z, digits and `_`",
    )
}

/// What is told where something is missing.
struct Missing {
    code: Code,
    /// What was expected.
    expected: &'static str,
    /// What is said at the place.
    label: &'static str,
}

/// What a mark of the grammar stands for; `None` where the node is text.
fn missing(mark: Rule) -> Option<Missing> {
    let (code, expected, label) = match mark {
        Rule::no_expr | Rule::no_operand => (SYNTAX_VALUE, "a value", "a value goes here"),
        Rule::no_type => (SYNTAX_TYPE, "a type", "a type goes here"),
        Rule::no_name => (SYNTAX_NAME, "a name", "a name goes here"),
        Rule::no_path => (SYNTAX_NAME, "a dotted path", "a path goes here"),
        Rule::no_code => (SYNTAX_NAME, "the code of a rule", "a code goes here"),
        Rule::no_place => (SYNTAX_NAME, "a field", "a field goes here"),
        Rule::no_fix => (SYNTAX_FIX, "`remove` or `set`", "goes here"),
        Rule::no_reason => (SYNTAX_VALUE, "a reason", "the reason goes here"),
        Rule::no_eq => (SYNTAX_EQUALS, "`=`", "`=` goes here"),
        Rule::no_colon => (SYNTAX_COLON, "`:`", "`:` and a type go here"),
        Rule::no_in => (SYNTAX_FOR, "`in`", "`in` goes here"),
        Rule::no_set => (SYNTAX_IS, "`set`", "`set` goes here"),
        Rule::no_else => (SYNTAX_ELSE, "`else`", "`else { ... }` goes here"),
        Rule::no_body => (SYNTAX_BRACE, "`{`", "`{` goes here"),
        Rule::no_comma => (SYNTAX_COMMA, "`,`", "`,` goes here"),
        _ => return None,
    };
    Some(Missing { code, expected, label })
}

/// How what is missing is written, where its name alone does not say it.
fn how_to_write(mark: Rule) -> Option<&'static str> {
    Some(match mark {
        Rule::no_path => "for example `use std.components.{nccl_test}`",
        Rule::no_code => "a code is `area/name`, for example `tpu/hosts`",
        Rule::no_fix => "write `fix remove field` or `fix set field = value`",
        Rule::no_reason => "say in a string why the rule may be broken here",
        Rule::no_in => "write `for name in list { ... }`",
        Rule::no_set => "write `is set` or `is not set`; to compare, write `==`",
        _ => return None,
    })
}

/// What opens at a place and is not closed by another.
fn unclosed(what: &str, opened: Span, closer: &str, missing: Span) -> Problem {
    let message = format!("this {what} is never closed");
    Problem::new(SYNTAX_UNCLOSED, message, opened, "opened here")
        .also(missing, format!("`{closer}` is missing by here"))
}

/// A `}` that closes a block whose lines go on below.
pub(crate) fn early(at: Span) -> Problem {
    let message = "this `}` closes the block too early";
    Problem::new(SYNTAX_UNOPENED, message, at, "the block goes on below").fix(at, "")
}

/// The first line and the end of a block that no line opens.
pub(crate) fn headless(first: Span, end: Span) -> Problem {
    let message = "the line that opens this block is missing";
    Problem::new(SYNTAX_UNOPENED, message, first, "the block begins here")
        .also(end, "and ends here")
        .help("write it above, such as `network name {`, or take the block away")
}

/// A `{` with nothing that it could open.
pub(crate) fn needless(at: Span) -> Problem {
    Problem::new(SYNTAX_UNCLOSED, "this `{` is never closed", at, "leave it out").fix(at, "")
}

impl<'t> Lower<'t> {
    /// The problem of a node that marks something missing; any other node is text that was passed over.
    pub(super) fn hole(&mut self, node: &Node<'t>) {
        if let Some(problem) = self.odd_sign(node) {
            return self.report(problem);
        }
        let mark = node.as_rule();
        let Some(Missing { code, expected, label }) = missing(mark) else {
            return self.passed_over(node);
        };
        let at = self.place(node);
        let span = self.span_at(at, at);
        let message = match mark {
            Rule::no_else => "an `if` that gives a value needs an `else`".to_owned(),
            Rule::no_reason => "expected a reason after the code of the rule".to_owned(),
            _ => format!("expected {expected}{}", self.behind(at)),
        };
        let mut problem = Problem::new(code, message, span, label);
        if let Some(help) = how_to_write(mark) {
            problem = problem.help(help);
        }
        if mark == Rule::no_comma {
            let blanks = self.slice(at, self.text.len()).split(';').next().unwrap_or_default();
            let other =
                blanks.trim_matches(BLANK).is_empty() && blanks.len() < self.text.len() - at;
            let end = if other { at + blanks.len() + 1 } else { at };
            problem = problem.fix(self.span_at(at, end), ",");
        }
        if mark == Rule::no_body && self.problems.is_empty() && self.has_block_without_brace(at) {
            problem = problem.fix(span, " {");
        }
        self.report(problem);
    }

    /// An opener whose closer is missing; `open` is where it stands.
    pub(super) fn unclosed(&mut self, node: &Node<'t>, open: usize) {
        let (what, closer, width) = match node.as_rule() {
            Rule::no_close_brace => ("`{`", "}", 1),
            Rule::no_close_bracket => ("`[`", "]", 1),
            Rule::no_close_paren => ("`(`", ")", 1),
            Rule::no_close_interp => ("`${`", "}", 2),
            Rule::no_close_quote => ("string", "\"", 1),
            _ => ("multi-line string", "\"\"\"", 3),
        };
        let is_bracket = matches!(what, "`{`" | "`[`" | "`(`");
        if is_bracket && self.left_open(open) {
            return;
        }
        let at = self.place(node);
        let one_line = !self.slice(open, at).contains('\n');
        let is_string = node.as_rule() == Rule::no_close_quote;
        let at = if is_string { self.end_of_string(open) } else { at };
        let span = self.span_at(at, at);
        let opened = self.span_at(open, open + width);
        let mut problem = unclosed(what, opened, closer, span);
        if one_line {
            problem = problem.fix(span, closer);
        }
        if is_string {
            problem = problem.help(
                "a string ends on its own line; longer text stands between lines of `\"\"\"`",
            );
        }
        self.report(problem);
    }

    /// Where a string is meant to end that its line leaves open.
    fn end_of_string(&self, open: usize) -> usize {
        let start = self.slice(0, open).rfind('\n').map_or(0, |at| at + 1);
        let line = self.slice(start, self.text.len()).lines().next().unwrap_or_default();
        start + quote_end(line, open - start)
    }

    /// Tells of the bracket, not in front of `open`, that the lines below show to be left open; no, where they do not.
    fn left_open(&mut self, open: usize) -> bool {
        let Some(left) = left_open(self.text, open) else { return false };
        let inside = self.slice(0, left.at).trim_end_matches(BLANK);
        let last = inside.rsplit('\n').next().unwrap_or_default();
        let line_start = self.slice(0, left.open).rfind('\n').map_or(0, |at| at + 1);
        let indent = self.slice(line_start, line_start + left.indent);
        let alone = !left.inline && (last.contains('#') || left.closers.starts_with('}'));
        let closer = if alone { format!("\n{indent}{}", left.closers) } else { left.closers };
        // what follows is the next element of what is around
        let is_element = !alone && last.ends_with(',') && is_inside(self.text, line_start);
        let (at, opener) =
            (inside.len() - usize::from(is_element), self.slice(left.open, left.open + 1));
        let (span, opened) = (self.span_at(at, at), self.span_at(left.open, left.open + 1));
        let problem = unclosed(&format!("`{opener}`"), opened, closer.trim_start(), span);
        self.report(problem.fix(span, closer));
        true
    }

    /// `:` where `=` belongs.
    pub(super) fn colon_for_eq(&mut self, node: &Node<'t>) {
        let span = self.span(node);
        let start = node.as_span().start();
        let spaced = self.slice(0, start).ends_with([' ', '\t']);
        let problem =
            Problem::new(SYNTAX_COLON, "a value is set with `=`, not `:`", span, "write `=`")
                .fix(span, if spaced { "=" } else { " =" });
        self.report(problem);
    }

    /// `=` where `==` belongs.
    pub(super) fn assign_for_eq(&mut self, node: &Node<'t>) {
        let span = self.span(node);
        let end = node.as_span().end();
        if self.slice(end, end + 1) == ">" {
            let span = self.span_at(node.as_span().start(), end + 1);
            let problem = Problem::new(SYNTAX_EQUALS, "`=>` is written `>=`", span, "write `>=`");
            return self.report(problem.fix(span, ">="));
        }
        self.report(
            Problem::new(
                SYNTAX_EQUALS,
                "values are compared with `==`, not `=`",
                span,
                "write `==`",
            )
            .fix(span, "=="),
        );
    }

    /// Text that is no statement, no element, or stands behind the end of one.
    pub(super) fn passed_over(&mut self, node: &Node<'t>) {
        let start = node.as_span().start();
        let text = node.as_str().trim_end_matches(BLANK);
        let span = self.span_at(start, start + first_line(text).len());
        let other = || self.other_else(text, start);
        let problem = other().or_else(|| self.known_mistake(text, start));
        let problem = problem.unwrap_or_else(|| match node.as_rule() {
            Rule::err_tail | Rule::err_tail_top => Problem::new(
                SYNTAX_TRAILING,
                "unexpected text behind the end of this statement",
                span,
                "not understood",
            )
            .help("each statement stands on a line of its own"),
            Rule::err_elem => Problem::new(
                SYNTAX_ELEMENT,
                "this is no element of a list, a record or a call",
                span,
                "not understood",
            ),
            _ => Problem::new(SYNTAX_STATEMENT, "this is no statement", span, "not understood")
                .help("a line is `name = value`, or a declaration such as `network name { ... }`"),
        });
        self.report(problem);
    }

    /// Tells of the mistake that the text has mended, in the innermost statement that it stands in.
    pub(super) fn tell_of_mistake(&mut self, span: Span) {
        let Some(mistaken) = &self.place.mistaken else { return };
        if span.range().contains(&(mistaken.problem.at.0.start as usize)) {
            self.tell();
        }
    }

    /// Tells of the mistake that the text has mended, in the statement at hand.
    pub(super) fn tell(&mut self) {
        if let Some(mistaken) = self.place.mistaken.as_ref().filter(|_| !self.told) {
            self.told = true;
            self.report(mistaken.problem.clone());
        }
    }

    /// Text in a rule that is no clause.
    pub(super) fn no_clause(&mut self, node: &Node<'t>) {
        let start = node.as_span().start();
        let text = node.as_str().trim_end_matches(BLANK);
        let word = first_word(text);
        let span = self.span_at(start, start + word.len());
        let known = || ClauseWord::ALL.into_iter().map(ClauseWord::spelling);
        let problem =
            self.known_mistake(text, start).unwrap_or_else(|| match nearest(word, known()) {
                Some(meant) => misspelt(word, meant, span),
                None => {
                    let span = self.span_at(start, start + first_line(text).len());
                    let words: Vec<String> = known().map(|word| format!("`{word}`")).collect();
                    Problem::new(SYNTAX_CLAUSE, "this is no line of a rule", span, "not understood")
                        .help(format!("the lines of a rule start with {}", words.join(", ")))
                }
            });
        self.report(problem);
    }

    /// `lett x = 1`: two words where neither an attribute nor a declaration follows.
    pub(super) fn no_declaration(&mut self, word: &Node<'t>, hole: &Node<'t>) {
        let span = self.span(word);
        let Some(meant) = meant(word.as_str()) else {
            return self.hole(hole);
        };
        let meant = if meant == "import" { "use" } else { meant };
        self.report(misspelt(word.as_str(), meant, span));
    }

    /// Whether lines that belong to a header stand below it, further in, and a brace closes them.
    fn has_block_without_brace(&self, at: usize) -> bool {
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let header = self.slice(0, at).rsplit('\n').next().map_or(0, indent);
        let code = |line: &'t str| line.split(" #").next().unwrap_or_default();
        let is_code =
            |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
        let rest = self.slice(at, self.text.len()).lines().map(code);
        let is_field = |line: &str| {
            let line = line.trim_start();
            let behind = line.get(first_word(line).len()..).unwrap_or_default().trim_start();
            behind.starts_with('=') || behind.trim_end().ends_with('{')
        };
        let below = rest.clone().skip(1).find(is_code);
        let count = |brace: char| rest.clone().flat_map(str::chars).filter(|c| *c == brace).count();
        below.is_some_and(|line| indent(line) > header && is_field(line)) && count('}') > count('{')
    }

    /// `} eles {`, behind the branch of an `if`.
    fn other_else(&self, text: &str, start: usize) -> Option<Problem> {
        let word = first_word(text);
        let behind = self.slice(0, start).trim_end_matches(BLANK).ends_with('}');
        let goes_on = text.get(word.len()..)?.trim_start_matches(BLANK);
        let branches = goes_on.starts_with('{') || first_word(goes_on) == "if";
        let meant = nearest(word, ["else"]).filter(|meant| *meant != word)?;
        (behind && branches).then(|| misspelt(word, meant, self.span_at(start, start + word.len())))
    }

    /// The mistakes that people bring from other languages.
    fn known_mistake(&self, text: &str, start: usize) -> Option<Problem> {
        let head = text.chars().next()?;
        let first = self.span_at(start, start + 1);
        Some(match head {
            '/' if text.starts_with("//") || text.starts_with("/*") => {
                self.foreign_comment(text, start)
            }
            ';' | ',' => self.separator(text, start),
            '}' | ')' | ']' => Problem::new(
                SYNTAX_UNOPENED,
                format!("this `{head}` closes nothing"),
                first,
                "nothing is open here",
            ),
            '\'' => {
                Problem::new(SYNTAX_QUOTES, "strings stand in double quotes", first, "write `\"`")
            }
            '?' => Problem::new(SYNTAX_OPERATOR, "there is no `? :`", first, "not an operator")
                .help("write `if condition { a } else { b }`"),
            '=' if text.starts_with("==") => Problem::new(
                SYNTAX_OPERATOR,
                "comparisons cannot be chained",
                self.span_at(start, start + 2),
                "a second comparison",
            )
            .help("join two comparisons with `and`"),
            '=' => Problem::new(SYNTAX_EQUALS, "unexpected `=`", first, "not expected here")
                .help("to compare, write `==`; each attribute stands on a line of its own"),
            _ if operators::sign_at(text).is_some() => {
                self.leading_operator(operators::sign_at(text)?, start)?
            }
            _ if is_word(first_word(text)) => self.known_word(text, start)?,
            _ => self.odd_letter(head, start)?,
        })
    }

    /// `//` or `/*`
    fn foreign_comment(&self, text: &str, start: usize) -> Problem {
        let at = self.span_at(start, start + 2);
        if text.starts_with("//") {
            return Problem::new(SYNTAX_COMMENT, "comments start with `#`", at, "write `#`")
                .fix(at, "#");
        }
        let label = "write `#` in front of each line";
        Problem::new(SYNTAX_COMMENT, "there are no block comments", at, label)
            .help("comments start with `#` and run to the end of the line")
    }

    /// `;` or `,` behind a statement.
    fn separator(&self, text: &str, start: usize) -> Problem {
        let at = self.span_at(start, start + 1);
        let (code, message) = if text.starts_with(';') {
            (SYNTAX_SEMICOLON, "a statement ends with its line, not with `;`")
        } else {
            if let Some(problem) = self.thousands(first_line(text), start) {
                return problem;
            }
            (SYNTAX_COMMA, "statements are not separated by commas")
        };
        let problem = Problem::new(code, message, at, "leave it out");
        if text.len() == 1 { problem.fix(at, "") } else { problem }
    }

    /// A sign that looks like another and stands where a value was expected.
    fn odd_sign(&self, hole: &Node<'t>) -> Option<Problem> {
        let start = hole.as_span().start();
        let head = self.text.get(start..)?.chars().next()?;
        self.odd_letter(head, start)
    }

    fn odd_letter(&self, letter: char, start: usize) -> Option<Problem> {
        let at = self.span_at(start, start + letter.len_utf8());
        match letter {
            '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{3000}' | '\u{feff}' | '\u{200b}' => Some(
                Problem::new(SYNTAX_SPACE, "this is not an ordinary space", at, "write a space")
                    .fix(at, " "),
            ),
            '“' | '”' | '„' | '‘' | '’' => Some(Problem::new(
                SYNTAX_QUOTES,
                "strings stand in straight double quotes",
                at,
                "write `\"`",
            )),
            _ => None,
        }
    }

    /// An operator that starts its line, where an expression that is not in parentheses does not go on.
    fn leading_operator(&self, written: &str, start: usize) -> Option<Problem> {
        let line = self.slice(0, start).rsplit('\n').next().unwrap_or_default();
        line.trim().is_empty().then(|| {
            Problem::new(
                SYNTAX_OPERATOR,
                format!("a line cannot start with `{written}`"),
                self.span_at(start, start + written.len()),
                "belongs to the line above",
            )
            .help("end the line above with the operator, or put the expression in parentheses")
        })
    }

    fn known_word(&self, text: &str, start: usize) -> Option<Problem> {
        let word = first_word(text);
        let span = self.span_at(start, start + word.len());
        let line = self.slice(0, start).rsplit('\n').next().unwrap_or_default();
        let leads = line.trim().is_empty();
        match word {
            _ if operators::follows_operand(word) => self.leading_operator(word, start),
            "else" if leads => Some(Problem::new(
                SYNTAX_ELSE,
                "this `else` belongs to no `if`",
                span,
                "no `if` ends in front of it",
            )),
            _ if leads && first_line(text) == word => None,
            // `subnet 10.0.0.0/20`, `pools [a]`
            _ if leads && text.get(word.len()..).is_some_and(is_value) => {
                let rest = text.get(word.len()..).unwrap_or_default().trim_start_matches(BLANK);
                let at = start + text.len() - rest.len();
                let place = self.span_at(at, at + first_line(rest).len());
                let message = format!("expected `=` after `{word}`");
                let problem = Problem::new(SYNTAX_EQUALS, message, place, "`=` goes in front");
                Some(problem.fix(place.at_start(), "= "))
            }
            _ if leads && is_compared(text, word) => {
                let at = start + text.find("==")?;
                let at = self.span_at(at, at + "==".len());
                let message = "a value is set with `=`, not `==`";
                Some(Problem::new(SYNTAX_EQUALS, message, at, "write `=`").fix(at, "="))
            }
            _ if leads => {
                let meant = meant(word).filter(|meant| *meant != word)?;
                Some(misspelt(word, if meant == "import" { "use" } else { meant }, span))
            }
            _ => None,
        }
    }

    /// Where a hole is shown: right behind the last text in front of it that is no comment.
    pub(super) fn place(&self, node: &Node<'t>) -> usize {
        let mut end = self.slice(0, node.as_span().start()).trim_end_matches(BLANK).len();
        while let Some(start) = self.comment_ending_at(end) {
            end = self.slice(0, start).trim_end_matches(BLANK).len();
        }
        end
    }

    fn comment_ending_at(&self, end: usize) -> Option<usize> {
        let end = self.span_at(end, end).end;
        let at = self.comments.binary_search_by_key(&end, |comment| comment.span.end).ok()?;
        Some(self.place.offset(self.comments.get(at)?.span.start))
    }

    /// ` after ...`: the token in front of an offset.
    fn behind(&self, at: usize) -> String {
        let text = self.slice(0, at);
        let token = last_token(text);
        if token.is_empty() { String::new() } else { format!(" after `{token}`") }
    }
}

pub(super) fn misspelt(word: &str, meant: &str, at: Span) -> Problem {
    Problem::new(SYNTAX_WORD, format!("`{word}` is no statement"), at, "not a word of the language")
        .help(similar("a word", meant))
        .fix(at, meant)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_end_matches(BLANK)
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// Whether a number or a list stands behind a word, and a space.
fn is_value(behind: &str) -> bool {
    behind.trim_start_matches(BLANK).starts_with(|head: char| head.is_ascii_digit() || head == '[')
        && behind.starts_with(BLANK)
}

/// `nodes == 1`, where nothing is compared.
fn is_compared(text: &str, word: &str) -> bool {
    let rest = text.get(word.len()..).unwrap_or_default().trim_start_matches(BLANK);
    rest.strip_prefix("==").is_some_and(|rest| !rest.starts_with('='))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The word or the sign at the end of a text.
fn last_token(text: &str) -> &str {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = text.len() - text.trim_end_matches(in_word).len();
    let sign = |c: char| {
        !in_word(c) && !c.is_whitespace() && !matches!(c, '"' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    let len = match word {
        0 => text.len() - text.trim_end_matches(sign).len(),
        len => len,
    };
    let len = if len == 0 { text.chars().next_back().map_or(0, char::len_utf8) } else { len };
    let token = text.get(text.len() - len..).unwrap_or_default();
    if token.len() > 40 || token == "\"" { "" } else { token }
}
