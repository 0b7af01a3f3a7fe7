//! The fields of nouns, each evaluated once, when it is asked for.

use super::expand::MAX_COMPONENT_DEPTH;
use super::{Bound, Evaluation, FrameId, State};
use crate::infer::misspelt_fields;
use crate::types::{Field, Type};
use slipform_model::nouns::Body;
use slipform_model::plan::{Fact, fact_of, follows};
use slipform_model::{Deferred, Diagnostic, NounId, Placed, Record, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Expr, ExprKind};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    EVAL_FACT = "eval/fact":
        "a field asks for something that follows from another noun and the project, and there is no project",
        "declare one: `param project: ProjectId`";
    pub(crate) NAMES_CYCLE = "names/cycle":
        "a value needs itself to be known",
        "break the circle: one of the values must not refer to the next";
}

/// A field's value, or how far it is.
#[derive(Clone, Debug)]
pub(crate) enum FieldState {
    /// Nothing asked for it yet.
    Waiting,
    /// Being evaluated: asking for it again is a cycle.
    Active,
    /// Known.
    Done(Placed),
}

impl<'t> Evaluation<'t, '_> {
    /// A field, or what is declared inside, or, where the whole blueprint is known, a fact.
    pub(super) fn noun_member(&mut self, id: NounId, name: &str) -> Value {
        let Some(instance) = self.nouns.get(id.0 as usize) else { return Value::Unknown };
        let inside =
            self.frames.get(instance.frame.0).and_then(|frame| frame.names.get(name)).cloned();
        if let Some(Bound::Value(Value::Unknown)) = inside {
            return Value::Unknown;
        }
        if let Some(bound @ (Bound::Noun(_) | Bound::Group(_) | Bound::Inside(_))) = inside {
            return match self.bound(bound) {
                super::Thing::Value(value) => value,
                super::Thing::Inside(_) => Value::Unknown,
            };
        }
        match instance.kind.fields.0.get_index_of(name) {
            Some(field) => self.member_at(id, field),
            None => self.parent(id, name),
        }
    }

    /// A field or a fact, by its index in the kind. Facts are kept once the whole blueprint is known.
    pub(super) fn member_at(&mut self, id: NounId, at: usize) -> Value {
        let kind = self.nouns.get(id.0 as usize).map(|noun| &noun.kind);
        let field = kind.and_then(|kind| kind.fields.0.get_index(at));
        if self.plan.is_none() || !field.is_some_and(|(_, field)| field.derived) {
            return self.field_or_fact(id, at);
        }
        let known = self.facts.get(&id);
        if let Some((_, known)) = known.and_then(|it| it.iter().find(|(known, _)| *known == at)) {
            return known.clone();
        }
        let value = self.field_or_fact(id, at);
        self.facts.entry(id).or_default().push((at, value.clone()));
        value
    }

    /// A field or a fact, by its index in the kind.
    pub(crate) fn field_or_fact(&mut self, id: NounId, at: usize) -> Value {
        let Some(instance) = self.nouns.get(id.0 as usize) else { return Value::Unknown };
        let Some((name, field)) = instance.kind.fields.0.get_index(at) else {
            return Value::Unknown;
        };
        if field.derived {
            return self.derived(id, at);
        }
        let value = match &instance.settled {
            Some(fields) => match (fields.get(name), &field.default) {
                (Some(placed), _) => placed.value.clone(),
                (None, None) => Value::Absent,
                (None, Some(default)) => match self.defaults.get(&default.span) {
                    Some(known) => known.clone(),
                    None => self.settled_default(id, at),
                },
            },
            None => self.field(id, at).map_or(Value::Unknown, |placed| placed.value),
        };
        match value {
            Value::Auto => Value::Absent,
            value => value,
        }
    }

    /// The fields, by their index in the kind, that a noun means to set but misspells: what they hold is not known.
    pub(crate) fn misspelt(&self, id: NounId) -> Vec<usize> {
        let Some(noun) = self.nouns.get(id.0 as usize) else { return Vec::new() };
        let fields = &noun.kind.fields;
        let meant = misspelt_fields(fields, noun.attrs.keys().copied()).into_iter();
        meant.filter_map(|name| fields.0.get_index_of(name)).collect()
    }

    /// What a noun is declared in, by the name of its kind.
    fn parent(&self, id: NounId, name: &str) -> Value {
        let noun = self.nouns.get(id.0 as usize);
        let parent = noun.and_then(|noun| self.nouns.get(noun.parent?.0 as usize));
        let parent = parent.filter(|parent| *parent.kind.name == *name);
        match (parent, noun) {
            (Some(parent), _) => Value::Ref(parent.noun_ref()),
            // Nouns of its kind on another platform have it.
            (None, Some(noun)) if self.program.schema.field_of(&noun.kind.name, name).is_some() => {
                Value::Absent
            }
            _ => Value::Unknown,
        }
    }

    fn derived(&mut self, id: NounId, at: usize) -> Value {
        let Some(instance) = self.nouns.get(id.0 as usize) else { return Value::Unknown };
        let Some((name, field)) = instance.kind.fields.0.get_index(at) else {
            return Value::Unknown;
        };
        if matches!(field.ty.bare(), Type::Deferred(_)) {
            return Value::Deferred(Deferred { noun: id, field: name.clone() });
        }
        if self.plan.is_none() {
            let name = name.clone();
            return match self.own_fact(id, &name) {
                Some(value) => value,
                None => self.no_fact(id, &name),
            };
        }
        let kind = &instance.kind;
        match fact_of(&kind.name, kind.platform.as_deref(), name) {
            Some(fact) => self.fact(id, at, fact),
            None => Value::Unknown,
        }
    }

    /// What follows from a noun once the whole blueprint is known: a fact, and the index of the field that holds it.
    pub(crate) fn fact(&self, id: NounId, at: usize, fact: &dyn Fact) -> Value {
        let Some(plan) = &self.plan else { return Value::Unknown };
        follows(plan, id, fact).unwrap_or_else(|| {
            let kind = self.nouns.get(id.0 as usize).map(|noun| &noun.kind);
            let field = kind.and_then(|kind| kind.fields.0.get_index(at));
            // What should follow but does not was not understood: rules are silent about it.
            let broken =
                plan.model.get(id).is_none_or(|noun| matches!(noun.body, Body::Broken { .. }));
            match field {
                Some((_, field)) if field.ty.is_optional() && !broken => Value::Absent,
                _ => Value::Unknown,
            }
        })
    }

    /// The value of a declared field, by its index in the kind; `None` where it needs itself.
    pub(crate) fn field(&mut self, id: NounId, at: usize) -> Option<Placed> {
        let instance = self.nouns.get(id.0 as usize)?;
        let kind = &instance.kind;
        let (name, _) = kind.fields.0.get_index(at)?;
        if let Some(fields) = &instance.settled {
            let (placed, span) = (fields.get(name).cloned(), instance.header);
            return placed.or_else(|| Some(Placed { value: self.settled_default(id, at), span }));
        }
        match instance.fields.get(at) {
            Some(FieldState::Done(placed)) => return Some(placed.clone()),
            Some(FieldState::Active) => {
                let name = name.clone();
                self.field_cycle(id, &name);
                return None;
            }
            Some(FieldState::Waiting) | None => {}
        }
        let kind = kind.clone();
        let (name, field) = kind.fields.0.get_index(at)?;
        self.field_state(id, at, FieldState::Active);
        let placed = self.evaluate_field(id, name, field);
        self.field_state(id, at, FieldState::Done(placed.clone()));
        Some(placed)
    }

    /// What a field of a settled noun holds that is not kept with it.
    fn settled_default(&mut self, id: NounId, at: usize) -> Value {
        let Some(instance) = self.nouns.get(id.0 as usize) else { return Value::Unknown };
        let (kind, header) = (instance.kind.clone(), instance.header);
        let field = kind.fields.0.get_index(at).filter(|(_, field)| field.default.is_some());
        field.and_then(|(_, field)| self.default_of(field, header)).unwrap_or(Value::Absent)
    }

    /// Keeps the fields of a noun as they are, and forgets how they came about.
    pub(crate) fn settle(&mut self, id: NounId, own: Arc<Record>) {
        if let Some(instance) = self.nouns.get_mut(id.0 as usize) {
            instance.fields = Vec::new();
            instance.settled = Some(own);
        }
    }

    /// Forgets the facts of a noun: few are asked for once its own rules are tried.
    pub(crate) fn forget(&mut self, id: NounId) {
        self.facts.swap_remove(&id);
    }

    fn field_state(&mut self, id: NounId, at: usize, state: FieldState) {
        let Some(instance) = self.nouns.get_mut(id.0 as usize) else { return };
        if instance.fields.is_empty() {
            instance.fields.resize(instance.kind.fields.0.len(), FieldState::Waiting);
        }
        if let Some(known) = instance.fields.get_mut(at) {
            *known = state;
        }
    }

    fn evaluate_field(&mut self, id: NounId, name: &Arc<str>, field: &Field) -> Placed {
        let Some(instance) = self.nouns.get(id.0 as usize) else {
            return Placed { value: Value::Unknown, span: field.span };
        };
        let (header, unfolded, kind) = (instance.header, instance.unfolded, instance.kind.clone());
        let outer = instance.outer();
        let place = instance
            .decl
            .on
            .as_ref()
            .filter(|_| &**name == "place" && instance.kind.platform.is_none());
        let given = match (instance.attrs.get(&**name), place) {
            (Some((_, expr, frame)), _) => Some((*expr, *frame)),
            (None, Some(expr)) => Some((expr, outer)),
            (None, None) => None,
        };
        if let Some((expr, frame)) = given {
            let span = if unfolded { self.asked_at(expr, frame, header) } else { expr.span };
            let value = self.eval(expr, frame);
            if !matches!(value, Value::Absent) {
                return Placed { value: self.conform(value, &field.written(), span), span };
            }
            // An absent optional given to a field leaves the field to its default, as if it were not written.
            return match self.default_of(field, header) {
                Some(value) => Placed { value, span: header },
                None => Placed { value: self.conform(Value::Absent, &field.ty, span), span },
            };
        }
        if self.misspelt(id).iter().any(|at| kind.fields.0.get_index_of(name) == Some(*at)) {
            return Placed { value: Value::Unknown, span: header };
        }
        Placed { value: self.default_of(field, header).unwrap_or(Value::Unknown), span: header }
    }

    /// A fact that another field needs, but that does not follow: the project is not known, or the noun is broken.
    fn no_fact(&mut self, id: NounId, name: &str) -> Value {
        let Some(noun) = self.nouns.get(id.0 as usize) else { return Value::Unknown };
        let given = !self.program.project_params().is_empty();
        if !given && !self.reports.has_error_in(noun.stmt.span) {
            self.reports.add(
                Diagnostic::error(
                    EVAL_FACT,
                    format!("`{}.{name}` is asked for, but does not follow", noun.path),
                    noun.header,
                )
                .help("it needs a project: `param project: ProjectId`, with a value"),
            );
        }
        Value::Unknown
    }

    /// Where the blueprint wrote what a component handed on; the component's use where it made the value itself.
    fn asked_at(&self, expr: &'t Expr, frame: FrameId, header: Span) -> Span {
        let (mut expr, mut frame) = (expr, frame);
        for _ in 0..MAX_COMPONENT_DEPTH {
            let ExprKind::Name(name) = &expr.kind else { return header };
            let Some(Bound::Lazy(at)) = self.lookup(name, frame) else { return header };
            let Some(lazy) = self.lazies.get(at) else { return header };
            match lazy.expr {
                Some(inner) if lazy.span == inner.span && self.is_handed_on(inner, lazy.frame) => {
                    (expr, frame) = (inner, lazy.frame);
                }
                _ => return lazy.span,
            }
        }
        header
    }

    /// Whether an expression is the field of a component, itself given by another one's use.
    fn is_handed_on(&self, expr: &Expr, frame: FrameId) -> bool {
        let ExprKind::Name(name) = &expr.kind else { return false };
        let in_file = self.file_frames.contains(&frame);
        !in_file && matches!(self.lookup(name, frame), Some(Bound::Lazy(_)))
    }

    fn field_cycle(&mut self, id: NounId, name: &str) {
        let Some(instance) = self.nouns.get(id.0 as usize) else { return };
        let span = |instance: &super::Instance<'t>, name: &str| -> Span {
            let written = instance.attrs.get(name).filter(|_| !instance.unfolded);
            written.map_or(instance.header, |(_, expr, _)| expr.span)
        };
        let at = span(instance, name);
        let mut report = Diagnostic::error(
            NAMES_CYCLE,
            format!("`{}.{name}` needs its own value", instance.path),
            at,
        );
        for other in self.nouns.iter() {
            for (field, state) in other.kind.fields.0.keys().zip(&other.fields) {
                if matches!(state, FieldState::Active) && !(other.id == id && &**field == name) {
                    report = report
                        .also(span(other, field), format!("through `{}.{field}`", other.path));
                }
            }
        }
        for lazy in self.lazies.iter() {
            if matches!(lazy.state, State::Active) {
                report = report.also(lazy.span, format!("through `{}`", lazy.name));
            }
        }
        self.reports.add(report);
    }
}
