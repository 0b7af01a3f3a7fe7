//! A noun with all its fields, and what follows from it before the blueprint around it is known.

use super::Evaluation;
use crate::infer::TYPES_MISMATCH;
use crate::schema::Kind;
use crate::types::Field;
use slipform_model::lower::LowerError;
use slipform_model::nouns::Body;
use slipform_model::plan::{Alone, is_own};
use slipform_model::{NounId, Placed, Record, Value};
use slipform_source::Span;
use std::sync::Arc;

/// The fields of a noun.
pub(crate) struct Settled {
    pub(crate) id: NounId,
    kind: Arc<Kind>,
    header: Span,
    /// All that have a value, in the order of the kind.
    fields: Vec<(Arc<str>, Placed)>,
    /// Which of them are what every noun has that does not write them, and known without it: not kept with this one.
    shared: Vec<bool>,
    /// None is missing that must have a value.
    pub(crate) whole: bool,
}

/// A typed form, or why there is none.
pub(crate) type Lowered = Result<Body, LowerError>;

impl Settled {
    /// The typed form of the fields; `None` where they are not whole.
    pub(crate) fn lowered(&self) -> Option<Lowered> {
        let Self { kind, fields, header, .. } = self;
        let lower = || Body::lower(&kind.name, kind.platform.as_deref(), fields, *header);
        self.whole.then(lower)
    }

    /// Those that are kept with the noun: of one that is not whole, all.
    pub(crate) fn kept(self) -> Arc<Record> {
        let Self { fields, shared, whole, .. } = self;
        let kept = fields.into_iter().zip(shared).filter(|(_, shared)| !(whole && *shared));
        // as large as it has to be: most of a kind's fields are derived, absent, or the same everywhere
        let kept: Vec<_> = kept.map(|(field, _)| field).collect();
        Arc::new(kept.into_iter().collect())
    }
}

/// What a field of a kind holds where a noun does not write it.
#[derive(Clone, Debug)]
pub(super) enum Unwritten {
    /// Nothing, or what follows: it is never among the fields.
    Nothing,
    /// The same for all nouns.
    Shared(Value),
    /// What has to be asked for.
    Asked,
}

impl Evaluation<'_, '_> {
    /// Every declared field that has a value, and whether none is missing that must have one.
    pub(crate) fn fields_of(&mut self, id: NounId) -> Option<Settled> {
        let noun = self.nouns.get(id.0 as usize)?;
        let (kind, header, settled) = (noun.kind.clone(), noun.header, noun.settled.is_some());
        let count = kind.fields.0.len();
        // of a noun that is settled it is known what it keeps, and not what it writes
        let mut written = vec![settled; count];
        let known = noun.attrs.keys().filter_map(|name| kind.fields.0.get_index_of(*name));
        for at in known.chain(self.misspelt(id)) {
            if let Some(written) = written.get_mut(at) {
                *written = true;
            }
        }
        let unwritten = self.unwritten(&kind, header);
        // most fields of a kind hold nothing
        let holds = |(unwritten, written): &(&Unwritten, &bool)| {
            **written || !matches!(unwritten, Unwritten::Nothing)
        };
        let room = unwritten.iter().zip(&written).filter(holds).count();
        let mut fields = Vec::with_capacity(room);
        let mut shared = Vec::with_capacity(room);
        let mut whole = true;
        let all = kind.fields.0.iter().zip(unwritten.iter()).zip(written);
        for (at, (((name, field), unwritten), written)) in all.enumerate() {
            let mut is_default = false;
            let placed = match unwritten {
                _ if field.derived => continue,
                Unwritten::Nothing if !written => continue,
                Unwritten::Shared(value) if !written => {
                    shared.push(true);
                    fields.push((name.clone(), Placed { value: value.clone(), span: header }));
                    continue;
                }
                // There is nothing to evaluate where it is not written and may be left out, and no circle to be in.
                _ if !written && field.may_be_left_out() => {
                    is_default = true;
                    let value = self.default_of(field, header);
                    value.map(|value| Placed { value, span: header })
                }
                _ => self.field(id, at),
            };
            match placed.filter(|placed| !placed.value.has_unknown()) {
                Some(Placed { value: Value::Absent, .. }) => whole &= field.may_be_left_out(),
                Some(placed) => {
                    shared.push(is_default);
                    fields.push((name.clone(), placed));
                }
                None => whole = false,
            }
        }
        Some(Settled { id, kind, header, fields, shared, whole })
    }

    /// What the fields of a kind hold where they are not written, by their index. Worked out once a kind.
    fn unwritten(&mut self, kind: &Arc<Kind>, at: Span) -> Arc<[Unwritten]> {
        let known = self.unwritten.iter().find(|(known, _)| Arc::ptr_eq(known, kind));
        if let Some((_, known)) = known {
            return known.clone();
        }
        let of_field = |field: &Field| match self.default_of(field, at) {
            _ if field.derived => Unwritten::Nothing,
            _ if !field.may_be_left_out() => Unwritten::Asked,
            Some(Value::Absent) => Unwritten::Nothing,
            Some(value) if self.is_shared(field) && !value.has_unknown() => {
                Unwritten::Shared(value)
            }
            _ => Unwritten::Asked,
        };
        let all: Arc<[Unwritten]> = kind.fields.0.values().map(of_field).collect();
        self.unwritten.push((kind.clone(), all.clone()));
        all
    }

    /// Which fields hold something else than what all nouns have that do not write them, by their index in the kind. Empty where
    /// the noun is not whole: of no field it is known then.
    pub(crate) fn written(&self, id: NounId) -> Vec<bool> {
        let Some(noun) = self.nouns.get(id.0 as usize) else { return Vec::new() };
        let Some(own) = &noun.settled else { return Vec::new() };
        let fields = &noun.kind.fields.0;
        let mut written = vec![false; fields.len()];
        for at in own.keys().filter_map(|name| fields.get_index_of(name)) {
            if let Some(known) = written.get_mut(at) {
                *known = true;
            }
        }
        written
    }

    /// The typed form of a noun's fields; broken where they are not whole, or do not hold together, which is reported.
    pub(crate) fn body_of(&mut self, settled: &Settled, lowered: Option<Lowered>) -> Option<Body> {
        let Settled { id, kind, header, .. } = settled;
        let at = self.nouns.get(id.0 as usize)?.stmt.span;
        match lowered {
            Some(Ok(body)) => return Some(body),
            Some(Err(error)) if !self.reports.has_error_in(at) => self.reports.error(
                TYPES_MISMATCH,
                format!("this {} does not hold together: {error}", kind.name),
                error.span.unwrap_or(*header),
            ),
            Some(Err(_)) | None => {}
        }
        let known = |(name, on): &&(&str, Option<&str>)| {
            *name == &*kind.name && *on == kind.platform.as_deref()
        };
        let (kind, platform) = *Body::KINDS.iter().find(known)?;
        Some(Body::Broken { kind, platform })
    }

    /// A fact that follows from a noun and the project alone.
    pub(super) fn own_fact(&mut self, id: NounId, name: &str) -> Option<Value> {
        let kind = self.nouns.get(id.0 as usize)?.kind.clone();
        if !is_own(&kind.name, name) {
            return None;
        }
        let existing = self.nouns.get(id.0 as usize)?.decl.existing.is_some();
        let settled = self.fields_of(id)?;
        let body = self.body_of(&settled, settled.lowered())?;
        let (project, outside) = (self.project(), self.outside(id)?);
        let alone = Alone {
            name: &outside.name,
            body: &body,
            project: project.as_deref(),
            blueprint: self.blueprint,
            prefix: self.prefix.filter(|_| !existing),
            catalog: self.catalog,
        };
        alone.fact(name)
    }

    /// The project of everything that is made: the value of the parameter of that type.
    pub(crate) fn project(&mut self) -> Option<String> {
        for (unit, name) in self.program.project_params() {
            let frame = self.file_frame(unit)?;
            if let Value::Str(project) = self.named(&name.value, frame) {
                return Some(project.to_string());
            }
        }
        None
    }
}
