//! Statements as rows.

use super::rows::{Row, Sort, width};
use super::{INDENT, Printer, WIDTH};
use crate::blank::BLANK;
use crate::tree::*;
use slipform_source::Span;

impl<'t> Printer<'t> {
    /// The statements and comments between two offsets: the inside of a block, or a whole file.
    pub(super) fn block(
        &mut self,
        stmts: &[Stmt],
        indent: usize,
        start: usize,
        end: usize,
    ) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut at = start;
        for stmt in stmts {
            let begin = stmt.span.start as usize;
            at = self.own_line_comments(&mut rows, indent, at, begin);
            let blank = !rows.is_empty() && self.is_blank_between(at, begin);
            let first = rows.len();
            self.stmt(stmt, indent, &mut rows);
            if let Some(row) = rows.get_mut(first) {
                row.set_blank(blank);
            }
            at = stmt.span.end as usize;
            if let Some(comment) = self.trailing_comment(at) {
                at += self.between(at, end).find('\n').unwrap_or(0);
                if let Some(row) = rows.last_mut() {
                    row.set_comment(Some(comment));
                }
            }
        }
        self.own_line_comments(&mut rows, indent, at, end);
        rows
    }

    /// One statement. Where its comments do not all come out, it is copied.
    fn stmt(&mut self, stmt: &Stmt, indent: usize, rows: &mut Vec<Row>) {
        let (first, comments) = (rows.len(), self.next);
        let inside = self.comments_before(stmt.span.end as usize);
        if !stmt.broken && self.laid_out(stmt, indent, rows).is_some() && self.next == inside {
            return;
        }
        rows.truncate(first);
        self.next = inside.max(comments);
        // what stands further in may be read as part of what stands above it
        let kept = if stmt.broken { self.written_indent(stmt.span) } else { indent };
        rows.push(Row::new(indent.max(kept), self.verbatim(stmt.span)));
    }

    /// How far in a statement stands that begins a line; nothing where something stands in front of it.
    fn written_indent(&self, span: Span) -> usize {
        let text = self.slice(span);
        let start = span.start as usize + text.len() - text.trim_start_matches(BLANK).len();
        let front = self.between(0, start);
        let line = front.rsplit('\n').next().unwrap_or_default();
        if line.chars().all(|it| it == ' ') { line.len() } else { 0 }
    }

    /// The text of a statement as it is, with plain newlines.
    fn verbatim(&self, span: Span) -> String {
        self.slice(span).trim_matches(BLANK).replace("\r\n", "\n")
    }

    fn laid_out(&mut self, stmt: &Stmt, indent: usize, rows: &mut Vec<Row>) -> Option<()> {
        let end = stmt.span.end as usize;
        let row = match &stmt.kind {
            StmtKind::Error => return None,
            StmtKind::Use(it) => Row::new(indent, self.use_(it, indent)?),
            StmtKind::Param(it) => Row::new(indent, self.param(it, indent)?),
            StmtKind::Let(it) => Row::new(indent, self.let_("let", it, indent)?),
            StmtKind::Output(it) => Row::new(indent, self.let_("output", it, indent)?),
            StmtKind::Assert(it) => Row::new(indent, self.assert(it, indent)),
            StmtKind::Type(it) => Row::new(indent, self.type_decl(it, indent)?),
            StmtKind::Attr(it) => self.attr(it, indent),
            StmtKind::Field(it) => Row::new(indent, self.field(it, indent)),
            StmtKind::Allow(it) => Row::new(indent, self.allow(it, indent)?),
            StmtKind::Rule(it) => return self.rule(it, end, indent, rows),
            StmtKind::If(it) => return self.if_(it, end, indent, rows),
            StmtKind::Kind(it) => {
                let mut head = format!("kind {}", it.name.as_ref()?.value);
                let mut at = it.name.as_ref()?.span.end;
                for (word, name) in [(" in ", &it.parent), (" on ", &it.platform)] {
                    if let Some(name) = name {
                        head = head + word + &name.value;
                        at = name.span.end;
                    }
                }
                return self.braces(head, at as usize, &it.body, end, indent, rows);
            }
            StmtKind::Component(it) => {
                let name = it.name.as_ref()?;
                let head = format!("component {}", name.value);
                return self.braces(head, name.span.end as usize, &it.body, end, indent, rows);
            }
            StmtKind::Patch(it) => {
                let name = it.target.as_ref()?;
                let head = format!("patch {}", name.value);
                return self.braces(head, name.span.end as usize, &it.body, end, indent, rows);
            }
            StmtKind::Decl(it) => {
                let existing = if it.existing.is_some() { "existing " } else { "" };
                let mut head = format!("{existing}{} {}", it.kind.value, it.name.as_ref()?.value);
                if let Some(on) = &it.on {
                    head += " on ";
                    head += &self.expr(on, indent, indent + width(&head), 2);
                }
                return self.braces(head, it.header.end as usize, &it.body, end, indent, rows);
            }
            StmtKind::For(it) => {
                let mut head = format!("for {} in ", names(&it.names));
                head += &self.expr(&it.items, indent, indent + width(&head), 2);
                if let Some(key) = &it.key {
                    head += " by ";
                    head += &self.expr(key, indent, indent + width(&head), 2);
                }
                let at = it.key.as_deref().unwrap_or(&it.items).span.end;
                return self.braces(head, at as usize, &it.body, end, indent, rows);
            }
        };
        rows.push(row);
        Some(())
    }

    /// `head { ... }`, where only spaces stand between `at` and the `{`, and the `}` is the last character before `end`.
    fn braces(
        &mut self,
        head: String,
        at: usize,
        body: &[Stmt],
        end: usize,
        indent: usize,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        let open = at + self.between(at, end).find('{')?;
        let close = end.checked_sub(1).filter(|close| self.between(*close, end) == "}")?;
        if let Some(line) = self.one_line(&head, open, close, body, indent) {
            rows.push(Row::new(indent, line));
            return Some(());
        }
        self.opened(head, open, close, body, indent, rows);
        rows.push(Row::new(indent, "}"));
        Some(())
    }

    /// `head {` and what is inside.
    fn opened(
        &mut self,
        head: String,
        open: usize,
        close: usize,
        body: &[Stmt],
        indent: usize,
        rows: &mut Vec<Row>,
    ) {
        let comment = self.trailing_comment(open + 1);
        rows.push(Row::new(indent, head + " {").comment(comment));
        let inside = self.block(body, indent + INDENT, open + 1, close);
        rows.extend(inside);
    }

    /// `head { name = value }`, if the author wrote it on one line.
    fn one_line(
        &mut self,
        head: &str,
        open: usize,
        close: usize,
        body: &[Stmt],
        indent: usize,
    ) -> Option<String> {
        if self.is_broken_between(open, close) || body.len() > 1 {
            return None;
        }
        let inside = match body.first() {
            None => return Some(format!("{head} {{}}")),
            Some(stmt) if stmt.broken => return None,
            Some(Stmt { kind: StmtKind::Attr(it), .. }) => {
                format!("{} = {}", it.name.value, self.flat(&it.value)?)
            }
            Some(Stmt { kind: StmtKind::Field(it), .. }) => self.field(it, 0),
            Some(_) => return None,
        };
        let line = format!("{head} {{ {inside} }}");
        (!line.contains('\n') && indent + width(&line) <= WIDTH).then_some(line)
    }

    fn if_(&mut self, it: &If, end: usize, indent: usize, rows: &mut Vec<Row>) -> Option<()> {
        if it.otherwise.is_none() {
            let mut head = String::from("if ");
            head += &self.expr(&it.condition, indent, indent + 3, 2);
            return self.braces(head, it.condition.span.end as usize, &it.then, end, indent, rows);
        }
        let mut arm = it;
        let mut head = String::from("if ");
        loop {
            head += &self.expr(&arm.condition, indent, indent + width(&head), 2);
            let at = arm.condition.span.end as usize;
            let open = at + self.between(at, end).find('{')?;
            let close = self.close_of(&arm.then, open + 1);
            self.opened(head, open, close, &arm.then, indent, rows);
            let Some(otherwise) = &arm.otherwise else { break };
            if let [Stmt { kind: StmtKind::If(next), span, .. }] = otherwise.as_slice() {
                // `else { if ... { } }` has a brace in between
                if !self.between(close, span.start as usize).contains('{') {
                    head = String::from("} else if ");
                    arm = next;
                    continue;
                }
            }
            let open = close + self.between(close, end).find('{')?;
            self.opened("} else".into(), open, end.checked_sub(1)?, otherwise, indent, rows);
            break;
        }
        rows.push(Row::new(indent, "}"));
        Some(())
    }

    /// The `}` of a block whose inside starts at `start`.
    fn close_of(&self, body: &[Stmt], start: usize) -> usize {
        let mut at = body.last().map_or(start, |stmt| stmt.span.end as usize);
        while let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) {
            match c {
                '}' => break,
                '#' => {
                    at +=
                        self.text.get(at..).and_then(|rest| rest.find('\n')).unwrap_or(c.len_utf8())
                }
                _ => at += c.len_utf8(),
            }
        }
        at
    }

    fn rule(
        &mut self,
        it: &RuleDecl,
        end: usize,
        indent: usize,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        let code = it.code.as_ref()?;
        let dotted = |kind: &Vec<Name>| {
            kind.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(".")
        };
        let on = it.on.iter().map(dotted).collect::<Vec<_>>().join(" | ");
        let head = if on.is_empty() {
            format!("rule {}", code.value)
        } else {
            format!("rule {} on {on}", code.value)
        };
        let at = it.on.iter().flatten().last().unwrap_or(code).span.end as usize;
        let open = at + self.between(at, end).find('{')?;
        let close = end.checked_sub(1).filter(|close| self.between(*close, end) == "}")?;
        let comment = self.trailing_comment(open + 1);
        rows.push(Row::new(indent, head + " {").comment(comment));
        let mut inside = Vec::new();
        let mut at = open + 1;
        for clause in it.clauses.iter() {
            let begin = clause.span.start as usize;
            at = self.own_line_comments(&mut inside, indent + INDENT, at, begin);
            let blank = !inside.is_empty() && self.is_blank_between(at, begin);
            let row = self.clause(clause, indent + INDENT)?;
            at = clause.span.end as usize;
            let comment = self.trailing_comment(at);
            if comment.is_some() {
                at += self.between(at, end).find('\n').unwrap_or(0);
            }
            inside.push(row.blank(blank).comment(comment));
        }
        self.own_line_comments(&mut inside, indent + INDENT, at, close);
        rows.extend(inside);
        rows.push(Row::new(indent, "}"));
        Some(())
    }

    fn clause(&mut self, it: &Clause, indent: usize) -> Option<Row> {
        // Eight columns: the widest words are `require`, `warning` and `symptom`.
        let column = indent + 8;
        let mut cells = vec![it.kind.word().spelling().to_owned()];
        let text = match &it.kind {
            ClauseKind::Let(name, value) => {
                self.behind(format!("{} = ", name.as_ref()?.value), value, indent, column)
            }
            ClauseKind::For(over, items) => {
                self.behind(format!("{} in ", names(over)), items, indent, column)
            }
            ClauseKind::Label(place, text) => {
                let place = self.expr(place, indent, column, 0);
                let text = self.expr(text, indent, column + width(&place) + 1, 0);
                cells.push(place);
                text
            }
            ClauseKind::Fix(Mend::Remove(place)) => format!("remove {}", self.flat(place)?),
            ClauseKind::Fix(Mend::Set(place, value)) => {
                self.behind(format!("set {} = ", self.flat(place)?), value, indent, column)
            }
            ClauseKind::When(of) => self.expr(of, indent, column, 0),
            ClauseKind::Require(of)
            | ClauseKind::Says(_, of)
            | ClauseKind::Help(of)
            | ClauseKind::Symptom(of)
            | ClauseKind::Since(of) => self.expr(of, indent, column, 0),
        };
        Some(Row::new(indent, text).cells(Sort::Clause, cells))
    }

    /// An expression behind the first words of its line.
    fn behind(&mut self, head: String, expr: &Expr, indent: usize, column: usize) -> String {
        let expr = self.expr(expr, indent, column + width(&head), 0);
        head + &expr
    }

    fn use_(&mut self, it: &Use, indent: usize) -> Option<String> {
        let path = it.path.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(".");
        let alias = |alias: &Option<Name>| {
            alias.as_ref().map(|name| format!(" as {}", name.value)).unwrap_or_default()
        };
        let Some(names) = &it.names else { return Some(format!("use {path}{}", alias(&it.alias))) };
        let names: Vec<_> =
            names.iter().map(|(name, other)| format!("{}{}", name.value, alias(other))).collect();
        let line = format!("use {path}.{{{}}}{}", names.join(", "), alias(&it.alias));
        if indent + width(&line) <= WIDTH {
            return Some(line);
        }
        let inner = " ".repeat(indent + INDENT);
        let lines: String = names.iter().map(|name| format!("{inner}{name},\n")).collect();
        Some(format!("use {path}.{{\n{lines}{}}}{}", " ".repeat(indent), alias(&it.alias)))
    }

    fn param(&mut self, it: &Param, indent: usize) -> Option<String> {
        let mut out = format!("param {}", it.name.as_ref()?.value);
        if let Some(ty) = &it.ty {
            out += ": ";
            out += &self.ty(ty, indent, indent + width(&out), 0);
        }
        for (word, expr) in [(" = ", it.default.as_ref()), (" where ", it.condition.as_deref())] {
            if let Some(expr) = expr {
                out += word;
                out += &self.expr(expr, indent, self.column(&out, indent), 0);
            }
        }
        Some(out)
    }

    fn let_(&mut self, word: &str, it: &Let, indent: usize) -> Option<String> {
        let mut out = format!("{word} {}", it.name.as_ref()?.value);
        if let Some(ty) = &it.ty {
            out += ": ";
            out += &self.ty(ty, indent, indent + width(&out), 4);
        }
        out += " = ";
        out += &self.expr(&it.value, indent, self.column(&out, indent), 0);
        Some(out)
    }

    fn assert(&mut self, it: &Assert, indent: usize) -> String {
        let mut out = String::from("assert ");
        let message = it.message.as_ref().map(|message| (message, self.flat(message)));
        let tail = match &message {
            Some((_, Some(flat))) => width(flat) + 2,
            _ => 0,
        };
        let condition = self.expr(&it.condition, indent, indent + width(&out), 0);
        let one_line =
            indent + width(&out) + width(&condition) + tail <= WIDTH && !condition.contains('\n');
        out += &condition;
        let Some((message, _)) = message else { return out };
        let broken =
            self.is_broken_between(it.condition.span.end as usize, message.span.start as usize);
        if one_line && !broken {
            out += ", ";
            out += &self.expr(message, indent, self.column(&out, indent), 0);
            return out;
        }
        out += ",\n";
        out.extend(std::iter::repeat_n(' ', indent + INDENT));
        out += &self.expr(message, indent + INDENT, indent + INDENT, 0);
        out
    }

    fn type_decl(&mut self, it: &TypeDecl, indent: usize) -> Option<String> {
        let head = format!("type {} =", it.name.as_ref()?.value);
        if let TypeExprKind::Union(parts) = &it.definition.kind
            && let Some(lines) = self.union_lines(parts, &it.definition, indent, width(&head) + 1)
        {
            return Some(head + &lines);
        }
        let column = indent + width(&head) + 1;
        Some(head + " " + &self.ty(&it.definition, indent, column, 0))
    }

    fn attr(&mut self, it: &Attr, indent: usize) -> Row {
        let value = self.expr(&it.value, indent, indent + width(&it.name.value) + 3, 0);
        Row::new(indent, format!("= {value}"))
            .cells(Sort::Assigned, vec![it.name.value.to_string()])
    }

    fn field(&mut self, it: &FieldDecl, indent: usize) -> String {
        let derived = if it.derived { "derived " } else { "" };
        let mut out = format!("{derived}{}: ", it.name.value);
        let column = indent + width(&out);
        out += &self.ty_and_default(&it.ty, it.default.as_ref(), indent, column, 0);
        out
    }

    fn allow(&mut self, it: &Allow, indent: usize) -> Option<String> {
        let mut out = format!("allow {} ", it.code.as_ref()?.value);
        out += &self.expr(it.reason.as_ref()?, indent, indent + width(&out), 0);
        Some(out)
    }

    /// The column behind what has been printed of a statement.
    fn column(&self, out: &str, indent: usize) -> usize {
        super::rows::column_behind(out, indent)
    }
}

pub(super) fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.value.as_str()).collect::<Vec<_>>().join(", ")
}
