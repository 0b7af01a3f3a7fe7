//! Expressions: on one line where they fit and the author did not break them, else bracket by bracket.

use super::rows::{Row, Sort, column_behind, render, width};
use super::stmts::names;
use super::{INDENT, Printer, WIDTH};
use crate::tree::*;
use slipform_source::Span;

/// An element of a bracket, while it is laid out a line each.
pub(super) struct Element<'e> {
    /// Where it is written.
    pub(super) span: Span,
    /// What is padded: the name of an entry.
    pub(super) cell: Option<String>,
    /// In front of the value, not padded.
    pub(super) head: String,
    /// What follows.
    pub(super) value: Value<'e>,
}

/// The part of an element that may itself be broken.
pub(super) enum Value<'e> {
    Expr(&'e Expr),
    Field(&'e TypeExpr, Option<&'e Expr>),
}

/// How the elements of a bracket stand, a line each.
#[derive(Clone, Copy)]
pub(super) struct Bracket {
    open: &'static str,
    close: &'static str,
    /// Behind each element.
    comma: &'static str,
}

pub(super) const LIST: Bracket = Bracket { open: "[", close: "]", comma: "," };
pub(super) const RECORD: Bracket = Bracket { open: "{", close: "}", comma: "," };
pub(super) const CALL: Bracket = Bracket { open: "(", close: ")", comma: "," };
/// The fields of a record type read like those of a kind.
pub(super) const LINES: Bracket = Bracket { open: "{", close: "}", comma: "" };

impl<'t> Printer<'t> {
    /// An expression that starts in `column` of a line that is indented by `indent`; `tail` columns stand behind it.
    pub(super) fn expr(&mut self, it: &Expr, indent: usize, column: usize, tail: usize) -> String {
        if let Some(flat) = self.flat(it)
            && (column + width(&flat) + tail <= WIDTH || !can_break(it))
        {
            return flat;
        }
        self.broken(it, indent, column, tail)
    }

    /// On one line; `None` where the author, a comment or a multi-line string forbids it.
    pub(super) fn flat(&self, it: &Expr) -> Option<String> {
        let source = self.slice(it.span);
        if source.contains('\n') && self.has_comment(it.span) {
            return None;
        }
        Some(match &it.kind {
            ExprKind::Bool(_) | ExprKind::Auto | ExprKind::Literal(..) | ExprKind::Name(_) => {
                source.to_owned()
            }
            ExprKind::Str(_) => return (!source.contains('\n')).then(|| source.to_owned()),
            ExprKind::Member(of, name) => format!("{}.{}", self.flat(of)?, name.as_ref()?.value),
            ExprKind::Index(of, at) => format!("{}[{}]", self.flat(of)?, self.flat(at)?),
            ExprKind::Call(of, args) => {
                self.not_opened(of.span.end, !args.is_empty())?;
                let args: Option<Vec<_>> = args.iter().map(|arg| self.flat_arg(arg)).collect();
                format!("{}({})", self.flat(of)?, args?.join(", "))
            }
            ExprKind::List(items) => {
                self.not_opened(it.span.start, !items.is_empty())?;
                let items: Option<Vec<_>> = items.iter().map(|item| self.flat(item)).collect();
                format!("[{}]", items?.join(", "))
            }
            ExprKind::Record(entries) => {
                self.not_opened(it.span.start, !entries.is_empty())?;
                self.flat_record(entries)?
            }
            ExprKind::ListFor(of) => {
                self.not_broken_before(&of.value, of)?;
                format!("[{} {{ {} }}]", self.flat_rounds(of)?, self.flat(&of.value)?)
            }
            ExprKind::RecordFor(of) => {
                let key = of.key.as_ref()?;
                self.not_broken_before(key, of)?;
                let (key, value) = (self.flat(key)?, self.flat(&of.value)?);
                format!("{{ {} {{ {key} = {value} }} }}", self.flat_rounds(of)?)
            }
            ExprKind::Unary(UnaryOp::Neg, of) => format!("-{}", self.flat(of)?),
            ExprKind::Unary(UnaryOp::Not, of) => format!("not {}", self.flat(of)?),
            ExprKind::Binary(op, place, left, right) => {
                if self.is_broken_around(place.span, left, right) {
                    return None;
                }
                let space = if *op == BinaryOp::Range { "" } else { " " };
                format!("{}{space}{}{space}{}", self.flat(left)?, op.text(), self.flat(right)?)
            }
            ExprKind::If(condition, then, otherwise) => self.flat_if(condition, then, otherwise)?,
            ExprKind::IsSet(of, set) => {
                format!("{} {}", self.flat(of)?, if *set { "is set" } else { "is not set" })
            }
            ExprKind::Paren(of) => format!("({})", self.flat(of)?),
            ExprKind::Missing => return None,
        })
    }

    fn flat_arg(&self, arg: &Arg) -> Option<String> {
        let value = self.flat(&arg.value)?;
        Some(arg.name.as_ref().map(|name| format!("{} = {value}", name.value)).unwrap_or(value))
    }

    fn flat_record(&self, entries: &[Entry]) -> Option<String> {
        if entries.is_empty() {
            return Some("{}".into());
        }
        let flat = |entry: &Entry| {
            Some(format!("{} = {}", self.flat(&entry.key)?, self.flat(&entry.value)?))
        };
        let entries: Option<Vec<_>> = entries.iter().map(flat).collect();
        Some(format!("{{ {} }}", entries?.join(", ")))
    }

    fn flat_if(&self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Option<String> {
        if self.is_broken_between(condition.span.end as usize, then.span.start as usize) {
            return None;
        }
        let head = format!("if {} {{ {} }} else ", self.flat(condition)?, self.flat(then)?);
        let otherwise_flat = self.flat(otherwise)?;
        Some(match self.is_else_if(then, otherwise) {
            true => head + &otherwise_flat,
            false => format!("{head}{{ {otherwise_flat} }}"),
        })
    }

    fn flat_rounds(&self, it: &Comprehension) -> Option<String> {
        let condition = match &it.condition {
            Some(condition) => format!(" if {}", self.flat(condition)?),
            None => String::new(),
        };
        Some(format!("for {} in {}{condition}", names(&it.names), self.flat(&it.items)?))
    }

    /// `None` where the author put a newline right behind the bracket at `open`.
    pub(super) fn not_opened(&self, open: u32, filled: bool) -> Option<()> {
        let behind =
            self.between(open as usize + 1, self.text.len()).trim_start_matches([' ', '\t', '\r']);
        (!filled || !behind.starts_with(['\n', '#'])).then_some(())
    }

    /// `None` where the author broke the line in front of what one round gives.
    fn not_broken_before(&self, first: &Expr, it: &Comprehension) -> Option<()> {
        let head = it.condition.as_ref().unwrap_or(&it.items).span.end as usize;
        (!self.is_broken_between(head, first.span.start as usize)).then_some(())
    }

    fn is_broken_around(&self, op: Span, left: &Expr, right: &Expr) -> bool {
        self.is_broken_between(left.span.end as usize, op.start as usize)
            || self.is_broken_between(op.end as usize, right.span.start as usize)
    }

    /// Whether an `else` is followed by another `if` without a brace in between.
    fn is_else_if(&self, then: &Expr, otherwise: &Expr) -> bool {
        let between = self.between(then.span.end as usize, otherwise.span.start as usize);
        matches!(otherwise.kind, ExprKind::If(..)) && !between.contains('{')
    }

    fn broken(&mut self, it: &Expr, indent: usize, column: usize, tail: usize) -> String {
        match &it.kind {
            ExprKind::List(items) => {
                let elements = items.iter().map(|item| Element::of(item, item.span)).collect();
                self.bracket(LIST, it.span.start as usize, it.span.end as usize, elements, indent)
            }
            ExprKind::Record(entries) => {
                let elements = entries.iter().map(|entry| self.entry_element(entry)).collect();
                self.bracket(RECORD, it.span.start as usize, it.span.end as usize, elements, indent)
            }
            ExprKind::Call(of, args) => self.broken_call(of, args, it.span, indent, column, tail),
            ExprKind::Binary(op, place, left, right) => {
                self.broken_binary(*op, place.span, left, right, indent, column, tail)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.broken_if(condition, then, otherwise, indent, column)
            }
            ExprKind::ListFor(of) => self.broken_rounds(("[", "]"), of, indent, column),
            ExprKind::RecordFor(of) => self.broken_rounds(("{ ", " }"), of, indent, column),
            ExprKind::Member(of, name) => {
                let name = name.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
                let of = self.expr(of, indent, column, tail + width(name) + 1);
                format!("{of}.{name}")
            }
            ExprKind::Index(of, at) => {
                let of = self.expr(of, indent, column, tail);
                let at = self.expr(at, indent, column_behind(&of, column) + 1, tail + 1);
                format!("{of}[{at}]")
            }
            ExprKind::Unary(UnaryOp::Neg, of) => {
                "-".to_owned() + &self.expr(of, indent, column + 1, tail)
            }
            ExprKind::Unary(UnaryOp::Not, of) => {
                "not ".to_owned() + &self.expr(of, indent, column + 4, tail)
            }
            ExprKind::IsSet(of, set) => {
                let test = if *set { " is set" } else { " is not set" };
                self.expr(of, indent, column, tail + test.len()) + test
            }
            ExprKind::Paren(of) => {
                let of = self.expr(of, indent, column + 1, tail + 1);
                format!("({of})")
            }
            _ => self.slice(it.span).replace("\r\n", "\n"),
        }
    }

    fn entry_element<'e>(&self, entry: &'e Entry) -> Element<'e> {
        let span = entry.key.span.to(entry.value.span);
        let cell = Some(self.slice(entry.key.span).to_owned());
        Element { span, cell, head: "= ".into(), value: Value::Expr(&entry.value) }
    }

    /// One element a line, with the comments among them.
    pub(super) fn bracket(
        &mut self,
        Bracket { open, close, comma }: Bracket,
        start: usize,
        end: usize,
        elements: Vec<Element<'_>>,
        indent: usize,
    ) -> String {
        let inner = indent + INDENT;
        let mut rows: Vec<Row> = Vec::new();
        let comment = self.trailing_comment(start + 1);
        let mut at = start + 1;
        for element in elements {
            let begin = element.span.start as usize;
            at = self.own_line_comments(&mut rows, inner, at, begin);
            let blank = !rows.is_empty() && self.is_blank_between(at, begin);
            let mut row = self.element_row(&element, inner).blank(blank);
            row.push(comma);
            at = element.span.end as usize;
            let comment = self.trailing_comment(at);
            if comment.is_some() {
                at += self.between(at, end).find('\n').unwrap_or(0);
            }
            rows.push(row.comment(comment));
        }
        self.own_line_comments(&mut rows, inner, at, end);
        let comment = comment.map(|comment| format!("  {comment}")).unwrap_or_default();
        format!("{open}{comment}\n{}{:indent$}{close}", render(rows), "")
    }

    fn element_row(&mut self, element: &Element<'_>, indent: usize) -> Row {
        let cell = element.cell.as_ref().map_or(0, |cell| width(cell) + 1);
        let column = indent + cell + width(&element.head);
        let value = match element.value {
            Value::Expr(value) => self.expr(value, indent, column, 1),
            Value::Field(ty, default) => self.ty_and_default(ty, default, indent, column, 1),
        };
        let row = Row::new(indent, format!("{}{value}", element.head));
        match &element.cell {
            Some(cell) => row.cells(Sort::Assigned, vec![cell.clone()]),
            None => row,
        }
    }

    /// One argument a line; or, where only the last one is a bracket that does not fit, that one alone is broken.
    fn broken_call(
        &mut self,
        of: &Expr,
        args: &[Arg],
        whole: Span,
        indent: usize,
        column: usize,
        tail: usize,
    ) -> String {
        let callee = self.expr(of, indent, column, 0);
        let open = of.span.end;
        if args.is_empty() && !self.has_comment(whole) {
            return format!("{callee}()");
        }
        if self.not_opened(open, true).is_some()
            && let Some(text) =
                self.hugging_call(&callee, args, indent, column_behind(&callee, column), tail)
        {
            return text;
        }
        let elements = args.iter().map(Element::of_arg).collect();
        callee + &self.bracket(CALL, open as usize, whole.end as usize, elements, indent)
    }

    /// `f(a, b = {` ... `})`
    fn hugging_call(
        &mut self,
        callee: &str,
        args: &[Arg],
        indent: usize,
        column: usize,
        tail: usize,
    ) -> Option<String> {
        let (last, first) = args.split_last()?;
        if !matches!(last.value.kind, ExprKind::List(_) | ExprKind::Record(_) | ExprKind::Str(_)) {
            return None;
        }
        let first: Option<Vec<_>> = first.iter().map(|arg| self.flat_arg(arg)).collect();
        let mut head: String = first?.into_iter().map(|arg| arg + ", ").collect();
        if let Some(name) = &last.name {
            head += &name.value;
            head += " = ";
        }
        let at = column + 1 + width(&head);
        if at + 1 > WIDTH {
            return None;
        }
        let printed = self.next;
        let value = self.expr(&last.value, indent, at, tail + 1);
        if !value.contains('\n') {
            self.next = printed;
            return None;
        }
        Some(format!("{callee}({head}{value})"))
    }

    /// The author's breaks stay, behind the operator; a long `and` or `or` is broken at each of its links.
    #[expect(clippy::too_many_arguments, reason = "the parts of one node and its place")]
    fn broken_binary(
        &mut self,
        op: BinaryOp,
        place: Span,
        left: &Expr,
        right: &Expr,
        indent: usize,
        column: usize,
        tail: usize,
    ) -> String {
        let too_long =
            matches!(op, BinaryOp::And | BinaryOp::Or) && !self.ends_with_break(left, right);
        let breaks = self.is_broken_around(place, left, right) || too_long;
        let mut out = if too_long {
            self.links(op, left, indent, column)
        } else {
            self.expr(left, indent, column, 0)
        };
        let space = if op == BinaryOp::Range { "" } else { " " };
        out += space;
        out += op.text();
        if breaks {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent + INDENT));
            out += &self.expr(right, indent + INDENT, indent + INDENT, tail);
        } else {
            out += space;
            out += &self.expr(right, indent, column_behind(&out, column), tail);
        }
        out
    }

    /// Whether one of the operands must be broken anyway, so that the operator need not be.
    fn ends_with_break(&self, left: &Expr, right: &Expr) -> bool {
        self.flat(left).is_none() || self.flat(right).is_none()
    }

    /// The links of a chain of one operator, each on a line.
    fn links(&mut self, op: BinaryOp, it: &Expr, indent: usize, column: usize) -> String {
        match &it.kind {
            ExprKind::Binary(inner, _, left, right) if *inner == op => {
                let mut out = self.links(op, left, indent, column);
                out.push(' ');
                out += op.text();
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent + INDENT));
                out += &self.expr(right, indent + INDENT, indent + INDENT, 0);
                out
            }
            _ => self.expr(it, indent, column, 0),
        }
    }

    fn broken_if(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        indent: usize,
        column: usize,
    ) -> String {
        let condition = self.expr(condition, indent, column + 3, 2);
        let else_if = self.is_else_if(then, otherwise);
        let mut out = format!("if {condition} {{\n");
        out += &self.own_line(then, indent);
        out += &" ".repeat(indent);
        out += "} else ";
        if else_if {
            let column = column_behind(&out, column);
            return out + &self.broken(otherwise, indent, column, 0);
        }
        out += "{\n";
        out += &self.own_line(otherwise, indent);
        out += &" ".repeat(indent);
        out + "}"
    }

    /// An expression on lines of its own, one level in.
    fn own_line(&mut self, it: &Expr, indent: usize) -> String {
        let inner = indent + INDENT;
        format!("{:inner$}{}\n", "", self.expr(it, inner, inner, 0))
    }

    fn broken_rounds(
        &mut self,
        (open, close): (&str, &str),
        it: &Comprehension,
        indent: usize,
        column: usize,
    ) -> String {
        let mut out = format!("{open}for {} in ", names(&it.names));
        out += &self.expr(&it.items, indent, column_behind(&out, column), 2);
        if let Some(condition) = &it.condition {
            out += " if ";
            out += &self.expr(condition, indent, column_behind(&out, column), 2);
        }
        out += " {\n";
        let inner = indent + INDENT;
        match &it.key {
            None => out += &self.own_line(&it.value, indent),
            Some(key) => {
                let head = format!("{:inner$}{} = ", "", self.expr(key, inner, inner, 3));
                let value = self.expr(&it.value, inner, column_behind(&head, 0), 0);
                out = out + &head + &value + "\n";
            }
        }
        out + &" ".repeat(indent) + "}" + close
    }
}

impl<'e> Element<'e> {
    fn of(value: &'e Expr, span: Span) -> Self {
        Self { span, cell: None, head: String::new(), value: Value::Expr(value) }
    }

    fn of_arg(arg: &'e Arg) -> Self {
        let Some(name) = &arg.name else { return Self::of(&arg.value, arg.value.span) };
        let span = name.span.to(arg.value.span);
        Self {
            span,
            cell: Some(name.value.to_string()),
            head: "= ".into(),
            value: Value::Expr(&arg.value),
        }
    }
}

/// Whether an expression has a place where its line may end.
pub(super) fn can_break(it: &Expr) -> bool {
    match &it.kind {
        ExprKind::List(items) => !items.is_empty(),
        ExprKind::Record(entries) => !entries.is_empty(),
        ExprKind::Call(of, args) => !args.is_empty() || can_break(of),
        ExprKind::ListFor(_) | ExprKind::RecordFor(_) | ExprKind::If(..) => true,
        ExprKind::Binary(op, _, left, right) => {
            matches!(op, BinaryOp::And | BinaryOp::Or) || can_break(left) || can_break(right)
        }
        ExprKind::Member(of, _)
        | ExprKind::Unary(_, of)
        | ExprKind::IsSet(of, _)
        | ExprKind::Paren(of) => can_break(of),
        ExprKind::Index(of, at) => can_break(of) || can_break(at),
        _ => false,
    }
}
