//! Where the places that a rule names are written, and the edits that are made there.

use super::attempt::Attempt;
use crate::eval::{Evaluation, FrameId};
use crate::source_text::{insertion, literal, whole_line};
use slipform_model::{Fix, NounId, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Expr, ExprKind, Mend, Stmt, StmtKind};

impl<'t> Attempt<'_, 't> {
    pub(super) fn header(&self, evaluation: &Evaluation<'t, '_>, id: NounId) -> Span {
        evaluation.nouns.get(id.0 as usize).map_or(self.rule.stmt.span, |noun| noun.header)
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
                if let Some(written) = self.field_place(evaluation, self.id, name) {
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
                    match record.get(member.value.as_str()) {
                        Some(item) if outer.span.covers(item.span) => {
                            Written { span: item.span, attr: None, ..outer }
                        }
                        _ => outer,
                    }
                }
                _ => self.place(evaluation, base, frame),
            },
            ExprKind::Index(base, key) => {
                let outer = self.place(evaluation, base, frame);
                let found = evaluation.eval(base, frame);
                let item = match (&found, evaluation.eval(key, frame)) {
                    (Value::Record(record), Value::Str(key)) => record.get(&*key),
                    (Value::List(items), Value::Int(number)) => {
                        usize::try_from(number).ok().and_then(|number| items.get(number))
                    }
                    _ => None,
                };
                // What a `let` or a default made stands elsewhere; the field is where it was asked for. What follows says where it was written.
                let follows = self.follows(evaluation, base);
                match item.filter(|item| follows || outer.span.covers(item.span)) {
                    Some(item) => Written { span: item.span, attr: None, ..outer },
                    None => outer,
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
            let attr = attr_stmt(&noun.decl.body, name);
            return Some(Written { span: expr.span, noun: id, attr });
        }
        if name == "place" {
            let on = noun.decl.on.as_ref()?;
            return Some(Written { span: on.span, noun: id, attr: None });
        }
        known.then(|| Written::header(noun.header, id))
    }

    /// The edit of a `fix`, where it can be made.
    pub(super) fn fix(
        &self,
        evaluation: &mut Evaluation<'t, '_>,
        mend: &'t Mend,
        frame: FrameId,
    ) -> Option<Fix> {
        let (Mend::Remove(place) | Mend::Set(place, _)) = mend;
        let name = match &place.kind {
            ExprKind::Name(name) => name.as_str(),
            ExprKind::Member(_, Some(member)) => member.value.as_str(),
            _ => return None,
        };
        let written = self.place(evaluation, place, frame);
        match mend {
            Mend::Remove(_) => {
                let edit = (whole_line(self.sources, written.attr?), String::new());
                Some(Fix { title: format!("remove `{name}`"), edits: vec![edit] })
            }
            Mend::Set(_, value) => {
                let value = literal(&evaluation.eval(value, frame))?;
                let edit = match written.attr {
                    Some(_) => (written.span, value.clone()),
                    None if matches!(place.kind, ExprKind::Name(_)) => {
                        let noun = evaluation.nouns.get(written.noun.0 as usize)?;
                        if noun.unfolded {
                            return None;
                        }
                        insertion(self.sources, noun.stmt, noun.decl, &format!("{name} = {value}"))?
                    }
                    None if written.span == self.header(evaluation, written.noun) => return None,
                    None => (written.span, value.clone()),
                };
                Some(Fix { title: format!("set `{name} = {value}`"), edits: vec![edit] })
            }
        }
    }
}

/// Where a place is written.
pub(super) struct Written<'t> {
    pub(super) span: Span,
    noun: NounId,
    /// The statement that sets it, where one does.
    attr: Option<&'t Stmt>,
}

impl Written<'_> {
    fn header(span: Span, noun: NounId) -> Self {
        Self { span, noun, attr: None }
    }
}

fn attr_stmt<'t>(body: &'t [Stmt], name: &str) -> Option<&'t Stmt> {
    body.iter().find(|stmt| matches!(&stmt.kind, StmtKind::Attr(attr) if attr.name.value == name))
}
