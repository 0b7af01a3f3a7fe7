//! What nouns are called outside of the blueprint: as inside, until a noun, or the use of a component, says `was`.

use super::expand::Site;
use super::{Evaluation, FrameId};
use crate::eval::fields::NAMES_CYCLE;
use crate::schema::{NAMES_DUPLICATE, WAS};
use slipform_model::{Diagnostic, Map, NounId, Outside, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Attr, Decl, Expr, Name, Stmt, StmtKind};
use std::collections::BTreeMap;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    NAMES_WAS = "names/was":
        "`was` says the name that a noun has already",
        "take it out: a noun that had no other name needs no `was`";
}

/// A declaration that may be called something else outside of the blueprint, or that lies in one.
#[derive(Debug)]
pub(crate) struct Called<'t> {
    site: Site,
    name: &'t str,
    header: Span,
    by: By<'t>,
    /// What its `was` comes to.
    said: Option<Arc<str>>,
    known: Known,
}

/// What would say so.
#[derive(Clone, Copy, Debug)]
pub(super) enum By<'t> {
    /// A noun, whose words are gathered later.
    Noun(NounId),
    /// The use of a component.
    Use(Option<Was<'t>>),
}

/// `was = ...`, and where it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Was<'t> {
    span: Span,
    value: &'t Expr,
    frame: FrameId,
}

#[derive(Clone, Debug)]
enum Known {
    Waiting,
    Active,
    Done(Outside),
}

/// What nouns must not share: what they lie in, and a name.
type Shared = (Option<NounId>, String);

impl<'t> Was<'t> {
    /// Among what a component's use is given.
    pub(super) fn among(attrs: &[&'t Attr], frame: FrameId) -> Option<Self> {
        let attr = attrs.iter().find(|attr| attr.name.value == WAS)?;
        Some(Self { span: attr.name.span.to(attr.value.span), value: &attr.value, frame })
    }
}

/// Whether a block says `was` in any of its branches.
fn says_was(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Attr(attr) => attr.name.value == WAS,
        StmtKind::If(choice) => {
            says_was(&choice.then) || choice.otherwise.as_deref().is_some_and(says_was)
        }
        _ => false,
    })
}

impl<'t> Evaluation<'t, '_> {
    /// Remembers a declaration that is perhaps called something else; `None` where neither it nor what is around it says so.
    pub(super) fn call_declared(
        &mut self,
        decl: &'t Decl,
        name: &'t Name,
        by: By<'t>,
        site: &Site,
    ) -> Option<usize> {
        if site.called.is_none() && !says_was(&decl.body) {
            return None;
        }
        let (name, header) = (name.value.as_str(), decl.header);
        let (site, known) = (site.clone(), Known::Waiting);
        self.called.push(Called { site, name, header, by, said: None, known });
        Some(self.called.len() - 1)
    }

    /// What a noun is called outside.
    pub(crate) fn outside(&mut self, id: NounId) -> Option<Outside> {
        let noun = self.nouns.get(id.0 as usize)?;
        match noun.called {
            Some(at) => self.resolved(at),
            None => Some(Outside { name: noun.name.clone(), path: noun.path.clone() }),
        }
    }

    fn resolved(&mut self, at: usize) -> Option<Outside> {
        let called = self.called.get(at)?;
        let (name, header) = (called.name, called.header);
        match &called.known {
            Known::Done(outside) => return Some(outside.clone()),
            Known::Active => {
                let message = format!("`was` of `{name}` needs what follows from it");
                self.reports.error(NAMES_CYCLE, message, header);
                return None;
            }
            Known::Waiting => {}
        }
        let (site, was) = (called.site.clone(), self.was_of(called.by));
        self.know(at, Known::Active);
        let was = was.and_then(|was| self.former_name(was));
        if let Some(called) = self.called.get_mut(at) {
            called.said.clone_from(&was);
        }
        let site = match site.called.and_then(|around| self.resolved(around)) {
            Some(around) => site.within(&around),
            None => site,
        };
        let (own, keyed) = match was {
            Some(was) => site.formerly(&was),
            None => (site.own(name), site.keyed(name)),
        };
        let outside = site.called_outside(&own, &keyed);
        self.know(at, Known::Done(outside.clone()));
        Some(outside)
    }

    fn know(&mut self, at: usize, known: Known) {
        if let Some(called) = self.called.get_mut(at) {
            called.known = known;
        }
    }

    fn was_of(&self, by: By<'t>) -> Option<Was<'t>> {
        match by {
            By::Use(was) => was,
            By::Noun(id) => {
                let (name, value, frame) = self.nouns.get(id.0 as usize)?.attrs.get(WAS)?;
                Some(Was { span: name.span.to(value.span), value, frame: *frame })
            }
        }
    }

    /// The text of `was`; nothing where it is absent, or no name.
    fn former_name(&mut self, was: Was<'t>) -> Option<Arc<str>> {
        let ty = self.program.schema.word_of_all(WAS)?.ty;
        match self.eval(was.value, was.frame) {
            Value::Absent => None,
            value => match self.conform(value, &ty, was.value.span) {
                Value::Str(text) => Some(text),
                _ => None,
            },
        }
    }

    /// Finds what every noun is called outside, and what is wrong with it.
    pub(crate) fn call_all(&mut self) {
        for at in 0..self.called.len() {
            self.resolved(at);
        }
        if self.called.len() > 0 {
            self.says_nothing();
            self.called_alike();
        }
    }

    /// Warns of each `was` that says in every round what is so without it.
    fn says_nothing(&mut self) {
        let mut all: BTreeMap<Span, (bool, &'t str)> = BTreeMap::new();
        for at in 0..self.called.len() {
            let Some(called) = self.called.get(at) else { continue };
            let Some((said, was)) = called.said.as_deref().zip(self.was_of(called.by)) else {
                continue;
            };
            let (same, _) = all.entry(was.span).or_insert((true, called.name));
            *same &= called.site.formerly(said).0 == called.site.own(called.name);
        }
        for (span, (_, name)) in all.into_iter().filter(|(_, (same, _))| *same) {
            let message = format!("`was` says nothing: `{name}` is called so without it");
            let report = Diagnostic::warning(NAMES_WAS, message, span);
            self.reports.add(report.fix("take it out", span, ""));
        }
    }

    /// Reports nouns that would be called the same, one of them by `was`.
    fn called_alike(&mut self) {
        let mut first: Map<Shared, Vec<NounId>> = Map::default();
        for at in 0..self.nouns.len() {
            let id = NounId(at as u32);
            let Some(outside) = self.outside(id) else { continue };
            let Some(parent) = self.nouns.get(at).map(|noun| noun.parent) else { continue };
            let known = first.entry((parent, outside.name.clone())).or_default();
            let other = known.iter().copied().find(|other| self.collide(*other, id));
            known.push(id);
            if let Some(other) = other {
                self.report_alike(other, id, &outside.name);
            }
        }
    }

    /// Whether two nouns must not have one name outside: what is declared under one name is found without this.
    fn collide(&mut self, one: NounId, other: NounId) -> bool {
        let renamed = |this: &mut Self, id: NounId| {
            let outside = this.outside(id);
            let noun = this.nouns.get(id.0 as usize);
            noun.zip(outside).is_some_and(|(noun, outside)| noun.name != outside.name)
        };
        let (a, b) = (self.nouns.get(one.0 as usize), self.nouns.get(other.0 as usize));
        let Some((a, b)) = a.zip(b) else { return false };
        let is_called = a.called.is_some() || b.called.is_some();
        let of_one_kind = is_called && a.kind.name == b.kind.name;
        of_one_kind || renamed(self, one) || renamed(self, other)
    }

    fn report_alike(&mut self, first: NounId, second: NounId, name: &str) {
        let place = |id: NounId| {
            let noun = self.nouns.get(id.0 as usize)?;
            let was = noun.attrs.get(WAS).map(|(_, value, _)| value.span);
            Some((noun.header, was.unwrap_or(noun.header)))
        };
        let Some(((one, told), (at, said))) = place(first).zip(place(second)) else { return };
        let message = format!("two nouns would be called `{name}` outside of the blueprint");
        let mut report = Diagnostic::error(NAMES_DUPLICATE, message, at);
        report = if one == at {
            report.also(said, "said in every round").help(format!(
                "put the key of the round into it, as for `for i in ...`: `was = \"{name}[${{i}}]\"`"
            ))
        } else {
            if said != at {
                report = report.also(said, "said here");
            }
            report.also(told, "the other one").help(
                "what is outside tells nouns apart by these names: only one can have been called so",
            )
        };
        self.reports.add(report);
    }
}
