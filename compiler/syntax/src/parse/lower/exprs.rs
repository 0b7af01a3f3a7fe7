//! Expressions: the flat chains of the grammar become trees by precedence.

use super::{Lower, Node, inner, nesting, room};
use crate::grammar::Rule;
use crate::operators::{self, Foreign, Power};
use crate::parse::MAX_NESTING;
use crate::parse::lower::holes::{SYNTAX_COMMA, SYNTAX_VALUE};
use crate::tree::{Arg, BinaryOp, Comprehension, Entry, Expr, ExprKind, Problem};
use pest::iterators::Pairs;
use slipform_source::{Span, Spanned};

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) SYNTAX_OPERATOR = "syntax/operator":
        "there is no such operator, or it does not stand here",
        "write `and`, `or`, `not`, `if a { b } else { c }`; end a line with the operator to continue it";
    pub(crate) SYNTAX_WORD = "syntax/word":
        "this is no word of the language",
        "take the one that the report offers";
}

/// Whether a word stands between operands and is never one.
fn joins_operands(word: &str) -> bool {
    operators::follows_operand(word) || matches!(word, "else" | "where" | "as")
}

impl<'t> Lower<'t> {
    /// The expression of an `expr`, a `pexpr`, a `place`; a hole for anything else.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Expr {
        if !matches!(node.as_rule(), Rule::expr | Rule::pexpr | Rule::place) {
            self.hole(&node);
            return self.missing(&node);
        }
        let span = self.span(&node);
        let parts = node.into_inner();
        // A level of nesting, and below it one for each operator: what is left of an operator lies a level deeper.
        let height = parts.len();
        self.depth += height;
        let expr = if self.depth > 2 * MAX_NESTING {
            self.report(nesting(span));
            Expr { span, kind: ExprKind::Missing }
        } else {
            Chain { lower: self, parts }
                .climb(Power::None)
                .unwrap_or(Expr { span, kind: ExprKind::Missing })
        };
        self.depth -= height;
        expr
    }

    /// `a`, or `a = b` where `a == b` was meant; `next` are the nodes behind `first`.
    pub(super) fn condition(
        &mut self,
        first: Node<'t>,
        next: &mut impl Iterator<Item = Node<'t>>,
        assign: bool,
    ) -> Expr {
        let left = self.expr(first);
        if !assign {
            return left;
        }
        let (Some(op), Some(right)) = (next.next(), next.next()) else { return left };
        self.assign_for_eq(&op);
        let op = Spanned::new((), self.span(&op));
        let right = self.expr(right);
        let span = left.span.to(right.span);
        Expr { span, kind: ExprKind::Binary(BinaryOp::Eq, op, Box::new(left), Box::new(right)) }
    }

    /// The empty expression where a node marks a hole.
    pub(super) fn missing(&self, node: &Node<'t>) -> Expr {
        let at = self.place(node);
        Expr { span: self.span_at(at, at), kind: ExprKind::Missing }
    }

    /// An empty expression at the end of a node.
    pub(super) fn missing_behind(&self, span: Span) -> Expr {
        Expr { span: span.at_end(), kind: ExprKind::Missing }
    }

    fn primary(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let kind = match node.as_rule() {
            Rule::word => self.word(&node),
            Rule::plain => self.plain(&node),
            Rule::number => self.number(&node),
            Rule::string => self.string(node),
            Rule::block_dollar | Rule::block_percent | Rule::block_at | Rule::block_two => {
                self.block_string(node)
            }
            Rule::single_quoted => self.single_quoted(&node),
            Rule::paren => ExprKind::Paren(Box::new(self.bracketed(node))),
            Rule::list => self.list(node),
            Rule::record => self.record(node),
            Rule::list_for | Rule::record_for => self.comprehension(node),
            Rule::if_expr => return self.if_expr(node),
            _ => {
                self.hole(&node);
                return self.missing(&node);
            }
        };
        Expr { span, kind }
    }

    fn word(&mut self, node: &Node<'t>) -> ExprKind {
        let word = node.as_str();
        match word {
            "true" => return ExprKind::Bool(true),
            "false" => return ExprKind::Bool(false),
            "auto" => return ExprKind::Auto,
            _ => {}
        }
        let span = self.span(node);
        let wrong = |message: String, label: &str| Problem::new(SYNTAX_WORD, message, span, label);
        match word {
            "True" | "TRUE" => {
                self.report(
                    wrong(format!("`{word}` is written `true`"), "write `true`").fix(span, "true"),
                );
                return ExprKind::Bool(true);
            }
            "False" | "FALSE" => {
                self.report(
                    wrong(format!("`{word}` is written `false`"), "write `false`")
                        .fix(span, "false"),
                );
                return ExprKind::Bool(false);
            }
            "null" | "None" | "nil" | "undefined" => {
                self.report(
                    wrong(format!("there is no `{word}`"), "no such value")
                        .help("leave the attribute out: it is then absent"),
                );
                return ExprKind::Missing;
            }
            _ if joins_operands(word) => {
                self.report(Problem::new(
                    SYNTAX_VALUE,
                    format!("expected a value in front of `{word}`"),
                    span,
                    "a value goes in front",
                ));
                return ExprKind::Missing;
            }
            _ => {}
        }
        if !word.is_ascii() {
            self.name(node);
        }
        ExprKind::Name(word.into())
    }

    /// The expression between two brackets.
    pub(super) fn bracketed(&mut self, node: Node<'t>) -> Expr {
        let open = node.as_span().start();
        let span = self.span(&node);
        let mut value = None;
        for child in inner(node) {
            match child.as_rule() {
                Rule::expr | Rule::pexpr | Rule::no_expr => value = Some(self.expr(child)),
                _ => self.closer(&child, open),
            }
        }
        value.unwrap_or_else(|| self.missing_behind(span))
    }

    /// What stands between the elements of a bracket: the mark of a missing closer, or a mistake.
    pub(super) fn closer(&mut self, node: &Node<'t>, open: usize) {
        match node.as_rule() {
            Rule::no_close_brace | Rule::no_close_bracket | Rule::no_close_paren => {
                self.unclosed(node, open)
            }
            Rule::extra_comma => {
                let span = self.span(node);
                self.report(
                    Problem::new(
                        SYNTAX_COMMA,
                        "there is nothing in front of this `,`",
                        span,
                        "one comma too many",
                    )
                    .fix(span, ""),
                );
            }
            _ => self.hole(node),
        }
    }

    fn list(&mut self, node: Node<'t>) -> ExprKind {
        let open = node.as_span().start();
        let children = inner(node);
        let mut items = room(&children);
        for child in children {
            match child.as_rule() {
                Rule::expr => items.push(self.expr(child)),
                _ => self.closer(&child, open),
            }
        }
        ExprKind::List(items)
    }

    fn record(&mut self, node: Node<'t>) -> ExprKind {
        let open = node.as_span().start();
        let children = inner(node);
        let mut entries = room(&children);
        for child in children {
            match child.as_rule() {
                Rule::entry => entries.extend(self.entry(child)),
                _ => self.closer(&child, open),
            }
        }
        ExprKind::Record(entries)
    }

    fn entry(&mut self, node: Node<'t>) -> Option<Entry> {
        let span = self.span(&node);
        let mut parts = inner(node);
        let key = self.key(parts.next()?);
        let mut value = None;
        for part in parts {
            match part.as_rule() {
                Rule::colon_for_eq => self.colon_for_eq(&part),
                Rule::expr | Rule::no_expr => value = Some(self.expr(part)),
                _ => self.hole(&part),
            }
        }
        Some(Entry { key, value: value.unwrap_or_else(|| self.missing_behind(span)) })
    }

    /// Any word may be a key.
    fn key(&mut self, node: Node<'t>) -> Expr {
        if node.as_rule() != Rule::word {
            return self.primary(node);
        }
        let name = self.name(&node);
        Expr { span: name.span, kind: ExprKind::Name(name.value) }
    }

    fn args(&mut self, node: Node<'t>) -> Vec<Arg> {
        let open = node.as_span().start();
        let children = inner(node);
        let mut args = room(&children);
        for child in children {
            match child.as_rule() {
                Rule::arg => args.push(self.arg(child)),
                _ => self.closer(&child, open),
            }
        }
        args
    }

    fn arg(&mut self, node: Node<'t>) -> Arg {
        let span = self.span(&node);
        let mut arg = Arg { name: None, value: self.missing_behind(span) };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word => arg.name = Some(self.name(&part)),
                Rule::colon_for_eq => self.colon_for_eq(&part),
                _ => arg.value = self.expr(part),
            }
        }
        arg
    }

    fn comprehension(&mut self, node: Node<'t>) -> ExprKind {
        let open = node.as_span().start();
        let of_list = node.as_rule() == Rule::list_for;
        let end = self.missing_behind(self.span(&node));
        let mut it = Comprehension {
            names: Vec::new(),
            items: end.clone(),
            condition: None,
            key: None,
            value: end,
        };
        for child in inner(node) {
            match child.as_rule() {
                Rule::word | Rule::no_name => it.names.extend(self.declared(&child)),
                Rule::expr | Rule::no_expr => it.items = self.expr(child),
                Rule::comp_if => it.condition = Some(self.header(child)),
                Rule::comp_value => it.value = self.bracketed(child),
                Rule::comp_entry => self.round_entry(child, &mut it),
                _ => self.closer(&child, open),
            }
        }
        if of_list { ExprKind::ListFor(Box::new(it)) } else { ExprKind::RecordFor(Box::new(it)) }
    }

    /// `{ key = value }` of one round.
    fn round_entry(&mut self, node: Node<'t>, it: &mut Comprehension) {
        let open = node.as_span().start();
        for child in inner(node) {
            match child.as_rule() {
                Rule::expr | Rule::no_expr if it.key.is_none() => it.key = Some(self.expr(child)),
                Rule::expr | Rule::no_expr => it.value = self.expr(child),
                Rule::colon_for_eq => self.colon_for_eq(&child),
                _ => self.closer(&child, open),
            }
        }
    }

    /// The condition of an `if` or a `where`, when nothing else is inside the node.
    pub(super) fn header(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let mut parts = inner(node).peekable();
        let Some(first) = parts.next() else { return self.missing_behind(span) };
        let assign = parts.peek().is_some_and(|part| part.as_rule() == Rule::assign);
        self.condition(first, &mut parts, assign)
    }

    /// `if a { x } else if b { y } else { z }`: the last arm first, so that each can hold the ones behind it.
    fn if_expr(&mut self, node: Node<'t>) -> Expr {
        let span = self.span(&node);
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut starts = Vec::new();
        for child in inner(node) {
            match child.as_rule() {
                Rule::value_arm => {
                    starts.push(self.arm_start(&child, span));
                    arms.push(self.value_arm(child));
                }
                Rule::comp_value => otherwise = Some(self.bracketed(child)),
                _ => self.hole(&child),
            }
        }
        let mut expr = otherwise.unwrap_or_else(|| self.missing_behind(span));
        if arms.len() + self.depth > 2 * MAX_NESTING {
            self.report(nesting(span));
            return Expr { span, kind: ExprKind::Missing };
        }
        for ((condition, then), start) in arms.into_iter().zip(starts).rev() {
            let span = Span { start, ..span };
            expr = Expr {
                span,
                kind: ExprKind::If(Box::new(condition), Box::new(then), Box::new(expr)),
            };
        }
        expr
    }

    /// The offset of the `if` in front of an arm.
    pub(super) fn arm_start(&self, arm: &Node<'t>, whole: Span) -> u32 {
        let before = self.slice(0, arm.as_span().start());
        before.rfind("if").map_or(whole.start, |at| self.span_at(at, at).start)
    }

    fn value_arm(&mut self, node: Node<'t>) -> (Expr, Expr) {
        let span = self.span(&node);
        let mut parts = inner(node).peekable();
        let Some(first) = parts.next() else {
            return (self.missing_behind(span), self.missing_behind(span));
        };
        let assign = parts.peek().is_some_and(|part| part.as_rule() == Rule::assign);
        let condition = self.condition(first, &mut parts, assign);
        let then = match parts.next() {
            Some(part) if part.as_rule() == Rule::comp_value => self.bracketed(part),
            Some(part) => {
                self.hole(&part);
                self.missing(&part)
            }
            None => self.missing_behind(span),
        };
        (condition, then)
    }
}

/// The operands and operators of one expression, in order.
struct Chain<'l, 't> {
    lower: &'l mut Lower<'t>,
    parts: Pairs<'t, Rule>,
}

impl<'t> Chain<'_, 't> {
    /// An operand, and all operators behind it that bind tighter than `least`.
    fn climb(&mut self, least: Power) -> Option<Expr> {
        let mut left = self.operand()?;
        let mut compared = false;
        loop {
            let Some(next) = self.peek() else { return Some(left) };
            let (op, power) = match next.as_rule() {
                Rule::op => {
                    let (op, power) = self.lower.operator(&next);
                    (Some(op), power)
                }
                Rule::is_test => (None, Power::Compare),
                _ => return Some(left),
            };
            if power <= least {
                return Some(left);
            }
            self.parts.next();
            if power == Power::Compare && std::mem::replace(&mut compared, true) {
                self.chained(&next);
            }
            left = match op {
                Some(op) => self.binary(left, op, power, &next),
                None => self.is_test(left, next),
            };
        }
    }

    fn peek(&mut self) -> Option<Node<'t>> {
        while let Some(next) = self.parts.peek() {
            if next.as_rule() != Rule::comment {
                return Some(next);
            }
            self.parts.next();
        }
        None
    }

    fn binary(&mut self, left: Expr, op: BinaryOp, power: Power, node: &Node<'t>) -> Expr {
        let place = Spanned::new((), self.lower.span(node));
        let right = self.climb(power).unwrap_or_else(|| self.lower.missing_behind(place.span));
        let span = left.span.to(right.span);
        Expr { span, kind: ExprKind::Binary(op, place, Box::new(left), Box::new(right)) }
    }

    fn is_test(&mut self, left: Expr, node: Node<'t>) -> Expr {
        let span = left.span.to(self.lower.span(&node));
        let mut set = true;
        for part in inner(node) {
            match part.as_rule() {
                Rule::is_not => set = false,
                _ => self.lower.hole(&part),
            }
        }
        Expr { span, kind: ExprKind::IsSet(Box::new(left), set) }
    }

    fn chained(&mut self, node: &Node<'t>) {
        let span = self.lower.span(node);
        self.lower.report(
            Problem::new(
                SYNTAX_OPERATOR,
                "comparisons cannot be chained",
                span,
                "a second comparison",
            )
            .help("join two comparisons with `and`"),
        );
    }

    fn operand(&mut self) -> Option<Expr> {
        self.peek()?;
        let node = self.parts.next()?;
        if node.as_rule() == Rule::prefix {
            return Some(self.prefixed(node));
        }
        let mut expr = self.lower.primary(node.clone());
        if let Some(unit) = self.parts.peek().filter(|next| next.as_rule() == Rule::late_unit) {
            self.parts.next();
            expr = self.lower.joined(&node, &unit);
        }
        while let Some(next) = self.parts.peek() {
            if !matches!(next.as_rule(), Rule::member | Rule::index | Rule::call) {
                break;
            }
            self.parts.next();
            expr = self.lower.postfix(expr, next);
        }
        Some(expr)
    }

    fn prefixed(&mut self, node: Node<'t>) -> Expr {
        let span = self.lower.span(&node);
        // The grammar takes no others, as a test makes sure.
        let Some(prefix) = operators::prefix(node.as_str()) else {
            return self.lower.missing_behind(span);
        };
        if let Some(meant) = prefix.meant {
            let message = format!("`{}` is written `{meant}`", prefix.spelling);
            let label = format!("write `{meant}`");
            let problem = Problem::new(SYNTAX_OPERATOR, message, span, label);
            self.lower.report(problem.fix(span, format!("{meant} ")));
        }
        let (op, power) = (prefix.op, prefix.power);
        let of = self.climb(power).unwrap_or_else(|| self.lower.missing_behind(span));
        Expr { span: span.to(of.span), kind: ExprKind::Unary(op, Box::new(of)) }
    }
}

impl<'t> Lower<'t> {
    fn postfix(&mut self, of: Expr, node: Node<'t>) -> Expr {
        let span = of.span.to(self.span(&node));
        let of = Box::new(of);
        let kind = match node.as_rule() {
            Rule::call => ExprKind::Call(of, self.args(node).into()),
            Rule::index => ExprKind::Index(of, Box::new(self.bracketed(node))),
            _ => {
                let name = inner(node).next().and_then(|name| self.name_or_hole(&name));
                ExprKind::Member(of, name.map(Box::new))
            }
        };
        Expr { span, kind }
    }

    fn operator(&mut self, node: &Node<'t>) -> (BinaryOp, Power) {
        let written = node.as_str();
        // The grammar takes no others, as a test makes sure.
        let Some((operator, foreign)) = operators::binary(written) else {
            return (BinaryOp::Eq, Power::Compare);
        };
        if let Some(foreign) = foreign {
            let problem = foreign_operator(foreign, operator.spelling, self.span(node));
            self.report(problem);
        }
        (operator.op, operator.power)
    }
}

/// The operator of another language, where `meant` is the nearest of this one.
fn foreign_operator(foreign: &Foreign, meant: &str, at: Span) -> Problem {
    let written = foreign.spelling;
    if foreign.same {
        let message = format!("`{written}` is written `{meant}`");
        return Problem::new(SYNTAX_OPERATOR, message, at, format!("write `{meant}`"))
            .fix(at, meant);
    }
    let problem =
        Problem::new(SYNTAX_OPERATOR, format!("there is no `{written}`"), at, "not an operator");
    match foreign.help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
