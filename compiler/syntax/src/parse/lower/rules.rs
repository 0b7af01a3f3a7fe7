//! Rules, line by line.

use super::{Lower, Node, inner};
use crate::grammar::Rule;
use crate::tree::*;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) SYNTAX_FIX = "syntax/fix":
        "a `fix` removes or sets a field",
        "write `fix remove field` or `fix set field = value`";
}

impl<'t> Lower<'t> {
    pub(super) fn rule(&mut self, node: Node<'t>) -> StmtKind {
        let mut it = RuleDecl { code: None, on: Vec::new(), clauses: Vec::new().into() };
        for part in inner(node) {
            match part.as_rule() {
                Rule::code | Rule::no_code => it.code = self.name_or_hole(&part),
                Rule::rule_on => it.on.extend(inner(part).map(|kind| {
                    inner(kind).filter_map(|name| self.name_or_hole(&name)).collect::<Vec<_>>()
                })),
                Rule::clauses => it.clauses = self.clauses(part).into(),
                _ => self.hole(&part),
            }
        }
        StmtKind::Rule(it.into())
    }

    fn clauses(&mut self, node: Node<'t>) -> Vec<Clause> {
        let open = node.as_span().start();
        let mut clauses = Vec::new();
        for child in inner(node) {
            match child.as_rule() {
                Rule::no_close_brace => self.unclosed(&child, open),
                Rule::err_tail => self.passed_over(&child),
                Rule::err_stmt | Rule::block_comment => self.no_clause(&child),
                _ => clauses.extend(self.clause(child)),
            }
        }
        clauses
    }

    fn clause(&mut self, node: Node<'t>) -> Option<Clause> {
        let span = self.span(&node);
        let mut parts = inner(node).peekable();
        let first = parts.next()?;
        let word = ClauseWord::of(first.as_str())?;
        let (mut names, mut exprs, mut verb) = (Vec::new(), Vec::new(), None);
        while let Some(part) = parts.next() {
            match part.as_rule() {
                Rule::fix_verb => verb = Some(part.as_str()),
                Rule::word | Rule::no_name => names.extend(self.declared(&part)),
                Rule::no_eq | Rule::no_in | Rule::no_fix => self.hole(&part),
                _ => {
                    let assign = parts.peek().is_some_and(|part| part.as_rule() == Rule::assign);
                    exprs.push(self.condition(part, &mut parts, assign));
                }
            }
        }
        let mut exprs = exprs.into_iter();
        let of = exprs.next().unwrap_or_else(|| self.missing_behind(span));
        let second = exprs.next();
        let kind = match word {
            ClauseWord::When => ClauseKind::When(of),
            ClauseWord::Let => ClauseKind::Let(names.into_iter().next(), of.into()),
            ClauseWord::For => ClauseKind::For(names, of),
            ClauseWord::Require => ClauseKind::Require(of.into()),
            ClauseWord::Error => ClauseKind::Says(Level::Error, of.into()),
            ClauseWord::Warning => ClauseKind::Says(Level::Warning, of.into()),
            ClauseWord::Label => ClauseKind::Label(
                of.into(),
                second.unwrap_or_else(|| self.missing_behind(span)).into(),
            ),
            ClauseWord::Help => ClauseKind::Help(of.into()),
            ClauseWord::Fix => ClauseKind::Fix(self.mend(verb, of, second)),
            ClauseWord::Symptom => ClauseKind::Symptom(of.into()),
            ClauseWord::Since => ClauseKind::Since(of.into()),
        };
        Some(Clause { span, word: self.span(&first), kind })
    }

    /// What a `fix` does: to set something takes a value, to remove it none.
    fn mend(&mut self, verb: Option<&str>, place: Expr, value: Option<Expr>) -> Mend {
        match (verb, value) {
            (Some("remove"), Some(value)) => {
                let rest = place.span.at_end().to(value.span);
                let problem = Problem::new(
                    SYNTAX_FIX,
                    "`fix remove` takes no value",
                    value.span,
                    "leave it out",
                );
                self.report(problem.fix(rest, ""));
                Mend::Remove(place.into())
            }
            (Some("set"), None) => {
                let at = place.span.at_end();
                let problem =
                    Problem::new(SYNTAX_FIX, "`fix set` needs a value", at, "`= value` goes here");
                self.report(problem.help("write `fix set field = value`"));
                Mend::Set(place.into(), Expr { span: at, kind: ExprKind::Missing }.into())
            }
            (_, Some(value)) => Mend::Set(place.into(), value.into()),
            (_, None) => Mend::Remove(place.into()),
        }
    }
}
