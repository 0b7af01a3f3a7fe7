//! Statements, and the documentation above them.

use super::{Lower, Node, inner, is_doc, nesting, room};
use crate::blank::BLANK;
use crate::grammar::Rule;
use crate::parse::MAX_NESTING;
use crate::parse::lower::holes::{SYNTAX_EQUALS, SYNTAX_NAME, misspelt};
use crate::tree::*;
use slipform_source::{Span, Spanned, nearest};

impl<'t> Lower<'t> {
    /// The statements of a whole chunk.
    pub(crate) fn file(&mut self, root: Node<'t>) -> Vec<Stmt> {
        self.stmts(root, 0)
    }

    /// The statements of a block, or none where the node marks a missing one.
    fn block(&mut self, node: Node<'t>) -> Vec<Stmt> {
        if !matches!(node.as_rule(), Rule::body | Rule::fields) {
            self.hole(&node);
            return Vec::new();
        }
        self.depth += 1;
        let stmts = if self.depth > MAX_NESTING {
            self.report(nesting(self.span(&node)));
            Vec::new()
        } else {
            let start = node.as_span().start() + 1;
            self.stmts(node, start)
        };
        self.depth -= 1;
        stmts
    }

    /// The statements inside a node whose text starts at `start`.
    fn stmts(&mut self, node: Node<'t>, start: usize) -> Vec<Stmt> {
        let open = node.as_span().start();
        let children = node.into_inner();
        let mut stmts: Vec<Stmt> = room(&children);
        let mut docs = self.docs(start);
        for child in children {
            match child.as_rule() {
                Rule::comment => docs.comment(&child),
                Rule::EOI => {}
                Rule::no_close_brace => self.unclosed(&child, open),
                Rule::err_tail | Rule::err_tail_top => {
                    self.tail(&child, stmts.last_mut());
                    docs.passed(&child);
                }
                _ => {
                    let doc = docs.above(&child);
                    stmts.push(self.stmt(child, doc));
                }
            }
        }
        stmts
    }

    /// Text behind the end of a statement: it belongs to it, since nothing else would keep it.
    fn tail(&mut self, node: &Node<'t>, stmt: Option<&mut Stmt>) {
        let holes = self.holes;
        self.passed_over(node);
        if let Some(stmt) = stmt {
            self.holes = holes;
            stmt.span = stmt.span.to(self.span(node));
            stmt.broken = true;
        }
    }

    fn stmt(&mut self, node: Node<'t>, doc: Option<Doc>) -> Stmt {
        let holes = std::mem::take(&mut self.holes);
        let span = self.span(&node);
        let kind = self.stmt_kind(node);
        self.tell_of_mistake(span);
        let broken = self.holes > 0;
        self.holes = holes;
        Stmt { span, doc, kind, broken }
    }

    fn stmt_kind(&mut self, node: Node<'t>) -> StmtKind {
        match node.as_rule() {
            Rule::attr => self.attr(node),
            Rule::decl => self.decl(node),
            Rule::field => self.field(node),
            Rule::use_ => self.use_(node),
            Rule::param => self.param(node),
            Rule::let_ => StmtKind::Let(self.let_(node)),
            Rule::output => StmtKind::Output(self.let_(node)),
            Rule::assert => self.assert(node),
            Rule::type_decl => self.type_decl(node),
            Rule::kind => self.kind(node),
            Rule::rule_decl => self.rule(node),
            Rule::component => self.component(node),
            Rule::patch => self.patch(node),
            Rule::allow => self.allow(node),
            Rule::for_ => self.for_(node),
            Rule::if_ => self.if_(node),
            _ => {
                self.passed_over(&node);
                self.begun(&node)
            }
        }
    }

    /// A line of one word: whoever types begins an attribute so, which is there and of no value yet.
    fn begun(&mut self, node: &Node<'t>) -> StmtKind {
        let text = node.as_str().trim_end_matches(BLANK);
        let is_word = text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
        if self.depth == 0 || !is_word || text.starts_with(|head: char| head.is_ascii_digit()) {
            return StmtKind::Error;
        }
        let span = self.span(node);
        StmtKind::Attr(Attr {
            name: Spanned::new(text.into(), span),
            value: self.missing_behind(span),
        })
    }

    fn attr(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut name = Spanned::new(Lexeme::default(), span.at_start());
        let mut value = None;
        for part in inner(node) {
            match part.as_rule() {
                Rule::word => name = self.name(&part),
                Rule::colon_for_eq => self.colon_for_eq(&part),
                _ => value = Some(self.expr(part)),
            }
        }
        StmtKind::Attr(Attr { name, value: value.unwrap_or_else(|| self.missing_behind(span)) })
    }

    fn field(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let name = Spanned::new(Lexeme::default(), span.at_start());
        let mut field =
            FieldDecl { derived: false, name, ty: self.no_ty(span).into(), default: None };
        for part in inner(node) {
            match part.as_rule() {
                Rule::derived => field.derived = true,
                Rule::word => field.name = self.name(&part),
                Rule::ty | Rule::no_type => field.ty = self.ty(part).into(),
                _ => field.default = Some(self.expr(part)),
            }
        }
        StmtKind::Field(field)
    }

    fn use_(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = Use { path: Vec::new(), alias: None, names: None };
        for part in inner(node) {
            match part.as_rule() {
                Rule::use_names => it.names = Some(self.use_names(part)),
                Rule::alias => it.alias = self.new_name(part),
                _ => it.path.extend(self.name_or_hole(&part)),
            }
        }
        StmtKind::Use(it)
    }

    fn use_names(&mut self, node: Node<'t>) -> Vec<(Name, Option<Name>)> {
        let open = node.as_span().start();
        let mut names = Vec::new();
        for child in inner(node) {
            if child.as_rule() != Rule::use_name {
                self.closer(&child, open);
                continue;
            }
            let mut parts = inner(child);
            let Some(name) = parts.next().map(|name| self.name(&name)) else { continue };
            let alias = parts.next().and_then(|alias| self.new_name(alias));
            names.push((name, alias));
        }
        names
    }

    /// The name, or the hole, that is all a node holds.
    fn only_name(&mut self, node: Node<'t>) -> Option<Name> {
        inner(node).next().and_then(|name| self.name_or_hole(&name))
    }

    /// The new name, or the hole, that is all a node holds.
    fn new_name(&mut self, node: Node<'t>) -> Option<Name> {
        inner(node).next().and_then(|name| self.declared(&name))
    }

    fn param(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = Param { name: None, ty: None, default: None, condition: None };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.name = self.declared(&part),
                Rule::ty | Rule::no_type => it.ty = Some(self.ty(part).into()),
                Rule::where_ => it.condition = Some(self.header(part).into()),
                _ => it.default = Some(self.expr(part)),
            }
        }
        StmtKind::Param(it)
    }

    fn let_(&mut self, node: Node<'t>) -> Let {
        let span = self.span(&node);
        let mut it = Let { name: None, ty: None, value: self.missing_behind(span) };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.name = self.declared(&part),
                Rule::ty | Rule::no_type => it.ty = Some(self.ty(part).into()),
                Rule::no_eq => self.hole(&part),
                _ => it.value = self.expr(part),
            }
        }
        it
    }

    fn assert(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut parts = inner(node).peekable();
        let condition = match parts.next() {
            Some(first) => {
                let assign = parts.peek().is_some_and(|part| part.as_rule() == Rule::assign);
                self.condition(first, &mut parts, assign)
            }
            None => self.missing_behind(span),
        };
        let message = parts.next().map(|message| self.header(message));
        StmtKind::Assert(Assert { condition, message })
    }

    fn type_decl(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut it = TypeDecl { name: None, definition: self.no_ty(span).into() };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.name = self.declared(&part),
                Rule::ty | Rule::no_type => it.definition = self.ty(part).into(),
                _ => self.hole(&part),
            }
        }
        StmtKind::Type(it)
    }

    fn kind(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = KindDecl { name: None, parent: None, platform: None, body: Vec::new().into() };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.name = self.declared(&part),
                Rule::in_parent => it.parent = self.only_name(part),
                Rule::on_platform => it.platform = self.only_name(part),
                _ => it.body = self.block(part).into(),
            }
        }
        StmtKind::Kind(it.into())
    }

    fn component(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = ComponentDecl { name: None, body: Vec::new().into() };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.name = self.declared(&part),
                _ => it.body = self.block(part).into(),
            }
        }
        // The fields of a component are names in its body; those of a kind are reached behind a point.
        for stmt in it.body.iter() {
            if let StmtKind::Field(field) = &stmt.kind {
                self.readable(&field.name);
            }
        }
        StmtKind::Component(it)
    }

    fn patch(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = Patch { target: None, body: Vec::new() };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.target = self.name_or_hole(&part),
                _ => it.body = self.block(part),
            }
        }
        StmtKind::Patch(it)
    }

    fn allow(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = Allow { code: None, reason: None };
        for part in inner(node) {
            match part.as_rule() {
                Rule::code | Rule::no_code => it.code = self.name_or_hole(&part),
                Rule::expr => it.reason = Some(self.expr(part)),
                _ => self.hole(&part),
            }
        }
        StmtKind::Allow(it)
    }

    fn decl(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut it = Decl {
            existing: None,
            kind: Spanned::new(Lexeme::default(), span.at_start()),
            name: None,
            on: None,
            body: Vec::new(),
            header: span,
        };
        let mut first = None;
        let (mut assigned, mut quoted) = (false, None);
        let mut end = span.start;
        for part in inner(node) {
            let part_span = self.span(&part);
            match part.as_rule() {
                Rule::existing => it.existing = Some(part_span),
                Rule::word => {
                    self.tell_of_head(&part);
                    it.kind = self.name(&part);
                    first = Some(part);
                }
                // of one that is written nowhere nobody knows the name
                Rule::decl_name if it.is_lost() => {}
                Rule::decl_name => it.name = self.new_name(part),
                Rule::quoted_name if it.existing.is_none() && !self.has_body(&part) => {
                    quoted = Some(part_span);
                }
                Rule::quoted_name => it.name = self.quoted_name(part),
                Rule::no_name => self.hole(&part),
                Rule::on_place => it.on = Some(self.header(part)),
                Rule::extra_eq => {
                    assigned = true;
                    self.extra_eq(part, first.as_ref());
                    continue;
                }
                // `zone "us-east4-a"`: no name, and no block
                Rule::no_body if quoted.is_some() => {
                    self.no_equals(&it.kind, quoted.take().unwrap_or(span));
                    continue;
                }
                Rule::no_body => {
                    match &first {
                        Some(word) if it.on.is_none() || assigned => {
                            self.no_declaration(word, &part)
                        }
                        _ => self.hole(&part),
                    }
                    continue;
                }
                _ => {
                    it.body = self.block(part);
                    continue;
                }
            }
            end = end.max(part_span.end);
        }
        it.header = Span { end, ..span };
        StmtKind::Decl(it.into())
    }

    /// Tells of a head that is written nowhere, where a declaration begins with its stand-in.
    fn tell_of_head(&mut self, word: &Node<'t>) {
        if self.place.is_lost(word.as_span().start()) {
            self.tell();
        }
    }

    /// A value behind a word, with no `=` between them.
    fn no_equals(&mut self, word: &Name, value: Span) {
        let message = format!("expected `=` after `{}`", word.value);
        let problem = Problem::new(SYNTAX_EQUALS, message, value, "`=` goes in front");
        self.report(problem.fix(value.at_start(), "= "));
    }

    /// Whether a line goes on to a block behind a part of it.
    fn has_body(&self, part: &Node<'t>) -> bool {
        let rest = self.text.get(part.as_span().end()..).unwrap_or_default();
        rest.lines().next().is_some_and(|line| line.contains('{'))
    }

    /// `cluster "main" { ... }`
    fn quoted_name(&mut self, node: Node<'t>) -> Option<Name> {
        let span = self.span(&node);
        let text = node.as_str().trim_matches('"');
        let is_name = !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !text.starts_with(|c: char| c.is_ascii_digit());
        let mut problem =
            Problem::new(SYNTAX_NAME, "a name stands without quotes", span, "write it bare");
        problem = if is_name {
            problem.fix(span, text)
        } else {
            problem.help("a name has letters a to z, digits and `_`")
        };
        self.report(problem);
        Some(Spanned::new(text.into(), span))
    }

    /// `pool gpus = { ... }`, or `lett x = 1`, which is told at its first word.
    fn extra_eq(&mut self, node: Node<'t>, first: Option<&Node<'t>>) {
        let start = node.as_span().start();
        let span = self.span_at(start, start + 1);
        let blank = node.as_str().trim_end_matches(BLANK).len() == 1;
        for part in inner(node) {
            self.expr(part);
        }
        if blank {
            let word = first.map(|word| (word.as_str(), self.span(word)));
            let value = |word| nearest(word, ["let", "output"]);
            if let Some((word, span, meant)) =
                word.and_then(|(word, at)| Some((word, at, value(word)?)))
            {
                return self.report(misspelt(word, meant, span));
            }
            let problem = Problem::new(
                SYNTAX_EQUALS,
                "a declaration has no `=` in front of its `{`",
                span,
                "leave it out",
            );
            return self.report(problem.fix(span, ""));
        }
        let Some(first) = first else { return };
        let words = self.slice(first.as_span().start(), start).trim_end_matches(BLANK);
        let at = self.span_at(first.as_span().start(), first.as_span().start() + words.len());
        self.report(
            Problem::new(
                SYNTAX_NAME,
                format!("`{words}` is no name"),
                at,
                "two words in front of `=`",
            )
            .help("an attribute is `name = value`; to name a value, write `let name = value`"),
        );
    }

    fn for_(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut it = For {
            names: Vec::new(),
            items: self.missing_behind(span),
            key: None,
            body: Vec::new(),
        };
        for part in inner(node) {
            match part.as_rule() {
                Rule::word | Rule::no_name => it.names.extend(self.declared(&part)),
                Rule::expr | Rule::no_expr => it.items = self.expr(part),
                Rule::by => it.key = Some(self.header(part).into()),
                Rule::no_in => self.hole(&part),
                _ => it.body = self.block(part),
            }
        }
        StmtKind::For(it)
    }

    /// The last arm first, so that each can hold the ones behind it as its `otherwise`.
    fn if_(&mut self, node: Node<'t>) -> StmtKind {
        let span = self.span(&node);
        let mut arms = Vec::new();
        let mut otherwise = None;
        for part in inner(node) {
            match part.as_rule() {
                Rule::arm => {
                    let start = self.arm_start(&part, span);
                    arms.push((start, self.arm(part)));
                }
                _ => otherwise = inner(part).next().map(|body| self.block(body)),
            }
        }
        if arms.len() + self.depth > MAX_NESTING {
            self.report(nesting(span));
            arms.truncate(1);
        }
        let broken = self.holes > 0;
        let mut arms = arms.into_iter().rev().peekable();
        while let Some((start, (condition, then))) = arms.next() {
            let kind = StmtKind::If(If { condition, then, otherwise: otherwise.take() });
            if arms.peek().is_none() {
                return kind;
            }
            otherwise = Some(vec![Stmt { span: Span { start, ..span }, doc: None, kind, broken }]);
        }
        StmtKind::Error
    }

    fn arm(&mut self, node: Node<'t>) -> (Expr, Vec<Stmt>) {
        let span = self.span(&node);
        let mut parts = inner(node).peekable();
        let Some(first) = parts.next() else { return (self.missing_behind(span), Vec::new()) };
        let assign = parts.peek().is_some_and(|part| part.as_rule() == Rule::assign);
        let condition = self.condition(first, &mut parts, assign);
        let then = parts.next().map(|body| self.block(body)).unwrap_or_default();
        (condition, then)
    }
}

impl<'t> Lower<'t> {
    /// The documentation of what stands in a block whose text starts at `start`.
    pub(super) fn docs(&self, start: usize) -> Docs<'t> {
        Docs { text: self.text, end: start, lines: Vec::new() }
    }
}

/// The `##` lines directly above the next statement, as far as the block has been read.
pub(super) struct Docs<'t> {
    text: &'t str,
    /// Where the last comment or statement ends.
    end: usize,
    lines: Vec<&'t str>,
}

impl<'t> Docs<'t> {
    pub(super) fn comment(&mut self, node: &Node<'t>) {
        let start = node.as_span().start();
        let head = self.text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t', '\r']);
        let own_line = head.is_empty() || head.ends_with('\n');
        if !own_line || !is_doc(node.as_str()) || self.newlines(start) > 1 {
            self.lines.clear();
        }
        if own_line && is_doc(node.as_str()) {
            let line = node.as_str().trim_start_matches('#');
            self.lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end_matches(BLANK));
        }
        self.passed(node);
    }

    /// The documentation of a statement.
    pub(super) fn above(&mut self, node: &Node<'t>) -> Option<Doc> {
        let near = self.newlines(node.as_span().start()) == 1;
        self.passed(node);
        let lines = std::mem::take(&mut self.lines);
        (near && !lines.is_empty()).then(|| lines.join("\n").into())
    }

    pub(super) fn passed(&mut self, node: &Node<'t>) {
        self.end = node.as_span().end();
    }

    fn newlines(&self, start: usize) -> usize {
        let gap = self.text.get(self.end..start).unwrap_or_default();
        gap.bytes().filter(|b| *b == b'\n').count()
    }
}
