//! Where the places that a rule names are written, and the edits that are made there.

use super::attempt::Attempt;
use crate::eval::{Evaluation, FrameId};
use crate::infer::key_text;
use crate::source_text::{insertion, literal, part_of, whole_line};
use slipform_model::{Fix, NounId, Value};
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, Mend, Stmt, StmtKind};

impl<'t> Attempt<'_, 't> {
    pub(super) fn header(&self, evaluation: &Evaluation<'t, '_>, id: NounId) -> Span {
        let of_rule = || self.body.require.span;
        evaluation.nouns.get(id.0 as usize).map_or_else(of_rule, |noun| noun.header)
    }

    /// Where a place is written: a field's value, or the header of its noun where nothing is.
    pub(super) fn place(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        place: &'t Expr,
        frame: FrameId,
    ) -> Written<'t> {
        match &place.kind {
            ExprKind::Name(name) => {
                // another noun that follows from this one is where that stands
                let own = self.field_place(evaluation, self.id, name);
                if let Some(written) = own.filter(|_| !self.follows(evaluation, place)) {
                    return written;
                }
                match evaluation.eval(place, frame) {
                    Value::Ref(noun) => Written::header(self.header(evaluation, noun.id), noun.id),
                    _ => Written::header(self.header(evaluation, self.id), self.id),
                }
            }
            ExprKind::Member(base, Some(member)) => match evaluation.eval(base, frame) {
                Value::Ref(noun) => self
                    .field_place(evaluation, noun.id, &member.value)
                    .unwrap_or_else(|| Written::header(self.header(evaluation, noun.id), noun.id)),
                Value::Record(record) | Value::Variant(_, record) => {
                    let outer = self.place(evaluation, base, frame);
                    let item = record.get(member.value.as_str());
                    outer.part(item.map(|item| item.span))
                }
                _ => self.place(evaluation, base, frame),
            },
            ExprKind::Index(base, key) => {
                let outer = self.place(evaluation, base, frame);
                let found = evaluation.eval(base, frame);
                let key = evaluation.eval(key, frame);
                let item = match (&found, &key) {
                    (Value::Record(record), Value::Str(key)) => record.get(&**key),
                    (Value::List(items), Value::Int(number)) => {
                        usize::try_from(*number).ok().and_then(|number| items.get(number))
                    }
                    _ => None,
                };
                let item = item.map(|item| item.span);
                match item.filter(|_| self.follows(evaluation, base)) {
                    Some(span) => {
                        let attr = self.source_of(evaluation, &key, span);
                        let stands = attr.map_or(Stands::Elsewhere, |_| Stands::Part);
                        Written { span, attr, stands, ..outer }
                    }
                    None => outer.part(item),
                }
            }
            ExprKind::Paren(inner) => self.place(evaluation, inner, frame),
            _ => match evaluation.eval(place, frame) {
                Value::Ref(noun) => Written::header(self.header(evaluation, noun.id), noun.id),
                _ => Written::header(self.header(evaluation, self.id), self.id),
            },
        }
    }

    /// Whether a name is a `derived` field of the noun.
    fn follows(&self, evaluation: &Evaluation<'t, '_>, name: &Expr) -> bool {
        let ExprKind::Name(name) = &name.kind else { return false };
        let noun = evaluation.nouns.get(self.id.0 as usize);
        noun.and_then(|noun| noun.kind.fields.0.get(name.as_str())).is_some_and(|it| it.derived)
    }

    fn field_place(
        &self,
        evaluation: &Evaluation<'t, '_>,
        id: NounId,
        name: &str,
    ) -> Option<Written<'t>> {
        let noun = evaluation.nouns.get(id.0 as usize)?;
        let known = noun.kind.fields.0.contains_key(name);
        if noun.unfolded {
            let span = noun.written(name).unwrap_or(noun.header);
            return known.then(|| Written::header(span, id));
        }
        if let Some((_, expr, _)) = noun.attrs.get(name) {
            let attr = attr_stmt(&noun.decl.body, expr.span);
            return Some(Written { span: expr.span, noun: id, attr, stands: Stands::Whole });
        }
        if name == "place" {
            let on = noun.decl.on.as_ref()?;
            return Some(Written { span: on.span, noun: id, attr: None, stands: Stands::Whole });
        }
        let stands = Stands::Nowhere;
        known.then(|| Written { stands, ..Written::header(noun.header, id) })
    }

    /// The edit of a `fix`, where it can be made.
    pub(super) fn fix(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        mend: &'t Mend,
        frame: FrameId,
    ) -> Option<Fix> {
        let (Mend::Remove(place) | Mend::Set(place, _)) = mend;
        let name = name_of(evaluation, place, frame)?;
        let written = self.place(evaluation, place, frame);
        let (title, edit) = match mend {
            Mend::Remove(_) => {
                (format!("remove {name}"), (self.gone(evaluation, &written)?, String::new()))
            }
            Mend::Set(_, value) => {
                let value = literal(&evaluation.eval(value, frame))?;
                let title = match &place.kind {
                    ExprKind::Index(..) => format!("write `{value}`"),
                    _ => format!("set `{} = {value}`", name.trim_matches('`')),
                };
                // one that is left out stands, for all else, where what it is an argument of does
                let argued = self.argued(evaluation, place, &value, frame);
                (title, argued.or_else(|| self.said(evaluation, place, &written, value))?)
            }
        };
        Some(Fix { title, edits: vec![edit] })
    }

    /// The edit that gives an argument of a constructor, or an entry of a record, that is not written: behind those that are.
    fn argued(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        place: &'t Expr,
        value: &str,
        frame: FrameId,
    ) -> Option<(Span, String)> {
        let ExprKind::Member(base, Some(member)) = &place.kind else { return None };
        let found = evaluation.eval(base, frame);
        let (form, known) = match &found {
            Value::Record(known) => (None, known),
            Value::Variant(form, known) => (Some(&**form), known),
            _ => return None,
        };
        let outer = self.place(evaluation, base, frame);
        let is_inside = |span: Span| outer.span.covers(span) && outer.span != span;
        let is_written = known.get(member.value.as_str()).is_some_and(|it| is_inside(it.span));
        let StmtKind::Attr(attr) = &outer.attr.filter(|_| !is_written)?.kind else { return None };
        let mut whole = None;
        NodeRef::Expr(&attr.value).walk(&mut |node| match node {
            NodeRef::Expr(expr) if expr.span == outer.span => whole = whole.or(Some(expr)),
            _ => {}
        });
        let new = format!("{} = {value}", member.value);
        behind_arguments(whole?, form, &new)
    }

    /// What has to go for a place to say nothing.
    fn gone(&self, evaluation: &Evaluation<'t, '_>, written: &Written<'t>) -> Option<Span> {
        let stmt = written.attr?;
        match written.stands {
            Stands::Whole => Some(whole_line(self.sources, stmt)),
            Stands::Part => {
                let StmtKind::Attr(attr) = &stmt.kind else { return None };
                let part = part_of(self.sources, &attr.value, written.span)?;
                let noun = evaluation.nouns.get(written.noun.0 as usize)?;
                let field = noun.kind.fields.0.get(attr.name.value.as_str())?;
                let goes = part.is_all && field.may_be_left_out();
                Some(if goes { whole_line(self.sources, stmt) } else { part.span })
            }
            Stands::Nowhere | Stands::Elsewhere => None,
        }
    }

    /// The edit that gives a place another value, or one where it has none.
    fn said(
        &self,
        evaluation: &Evaluation<'t, '_>,
        place: &Expr,
        written: &Written<'t>,
        value: String,
    ) -> Option<(Span, String)> {
        let name = match &place.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Member(_, name) => name.as_ref().map(|name| &name.value),
            _ => None,
        };
        match (written.stands, name) {
            (Stands::Whole | Stands::Part, _) => Some((written.span, value)),
            (Stands::Nowhere, Some(name)) => {
                let noun = evaluation.nouns.get(written.noun.0 as usize)?;
                insertion(self.sources, noun.stmt, noun.decl, &format!("{name} = {value}"))
            }
            (Stands::Nowhere | Stands::Elsewhere, _) => None,
        }
    }

    /// The statement of the noun in which a value is written that follows from what it says: an entry of that name, or an item of
    /// a list.
    fn source_of(
        &self,
        evaluation: &Evaluation<'t, '_>,
        key: &Value,
        value: Span,
    ) -> Option<&'t Stmt> {
        let noun = evaluation.nouns.get(self.id.0 as usize).filter(|noun| !noun.unfolded)?;
        let mut found = None;
        for stmt in &noun.decl.body {
            NodeRef::Stmt(stmt).walk(&mut |node| {
                let NodeRef::Stmt(it) = node else { return };
                let StmtKind::Attr(attr) = &it.kind else { return };
                if attr.value.span.covers(value) && has_part(&attr.value, key, value) {
                    found = Some(it);
                }
            });
        }
        found
    }
}

/// Where one argument or entry more of a value goes, of a constructor of that name, and the text that puts it there.
fn behind_arguments(whole: &Expr, form: Option<&str>, new: &str) -> Option<(Span, String)> {
    let is_form = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(it) if Some(&**it) == form);
    let last = match &whole.kind {
        ExprKind::Call(called, arguments) if is_form(called) => {
            arguments.last().map(|it| it.value.span)
        }
        ExprKind::Record(entries) => entries.last().map(|it| it.value.span),
        // a constructor by its name alone
        _ if is_form(whole) => return Some((whole.span.at_end(), format!("({new})"))),
        _ => return None,
    };
    match (last, &whole.kind) {
        (Some(last), _) => Some((last.at_end(), format!(", {new}"))),
        (None, ExprKind::Record(_)) => Some((whole.span, format!("{{ {new} }}"))),
        // the brackets are empty
        (None, _) => None,
    }
}

/// Whether a value has a part of that name, or in a list, at a place.
fn has_part(whole: &Expr, key: &Value, value: Span) -> bool {
    let mut found = false;
    NodeRef::Expr(whole).walk(&mut |node| match (node, key) {
        (NodeRef::Entry(entry), Value::Str(key)) => {
            found |= entry.value.span == value && key_text(&entry.key).as_deref() == Some(&**key);
        }
        (NodeRef::Expr(Expr { kind: ExprKind::List(items), .. }), Value::Int(_)) => {
            found |= items.iter().any(|item| item.span == value);
        }
        _ => {}
    });
    found
}

/// What a place is called in the title of an edit; nothing where it is none that can be edited.
fn name_of<'t>(
    evaluation: &mut Evaluation<'t, '_>,
    place: &'t Expr,
    frame: FrameId,
) -> Option<String> {
    match &place.kind {
        ExprKind::Name(name) => Some(format!("`{name}`")),
        ExprKind::Member(_, Some(member)) => Some(format!("`{}`", member.value)),
        ExprKind::Index(base, key) => Some(match evaluation.eval(key, frame) {
            Value::Str(key) => format!("`{key}`"),
            _ => match evaluation.eval(place, frame) {
                Value::Str(text) => format!("`{text}`"),
                _ => format!("this of {}", name_of(evaluation, base, frame)?),
            },
        }),
        _ => None,
    }
}

/// Where a place is written.
pub(super) struct Written<'t> {
    pub(super) span: Span,
    noun: NounId,
    /// The statement that sets its field, where one does.
    attr: Option<&'t Stmt>,
    stands: Stands,
}

/// What of a place stands where it is shown.
#[derive(Clone, Copy)]
enum Stands {
    /// The value of a field.
    Whole,
    /// An entry, an item or an argument in the value of a field.
    Part,
    /// The head of the noun that does not say it.
    Nowhere,
    /// Something around it: it is written elsewhere.
    Elsewhere,
}

impl Written<'_> {
    fn header(span: Span, noun: NounId) -> Self {
        Self { span, noun, attr: None, stands: Stands::Elsewhere }
    }

    /// A part of what is written here, where it stands inside of it. What a `let` or a default made stands elsewhere: the field is where
    /// it was asked for.
    fn part(self, item: Option<Span>) -> Self {
        match item {
            Some(span) if self.attr.is_some() && self.span.covers(span) => {
                Self { span, stands: Stands::Part, ..self }
            }
            Some(span) if self.span.covers(span) => {
                Self { span, stands: Stands::Elsewhere, ..self }
            }
            _ => Self { stands: Stands::Elsewhere, ..self },
        }
    }
}

/// The statement that gives a field its value, in whichever branch.
fn attr_stmt(body: &[Stmt], value: Span) -> Option<&Stmt> {
    let mut found = None;
    for stmt in body {
        NodeRef::Stmt(stmt).walk(&mut |node| match node {
            NodeRef::Stmt(it) if matches!(&it.kind, StmtKind::Attr(attr) if attr.value.span == value) => {
                found = Some(it);
            }
            _ => {}
        });
    }
    found
}
