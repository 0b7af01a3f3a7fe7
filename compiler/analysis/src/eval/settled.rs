//! A noun with all its fields, and what follows from it before the blueprint around it is known.

use super::Evaluation;
use crate::infer::TYPES_MISMATCH;
use slipform_model::nouns::Body;
use slipform_model::plan::{Alone, is_own};
use slipform_model::{NounId, Placed, Record, Value};
use std::sync::Arc;

/// The fields of a noun.
pub(crate) struct Settled {
    /// All that have a value.
    pub(crate) fields: Arc<Record>,
    /// Those that are kept with the noun: a default that is the same for all nouns is known without.
    pub(crate) own: Arc<Record>,
    /// None is missing that must have a value.
    pub(crate) whole: bool,
}

impl Evaluation<'_, '_> {
    /// Every declared field that has a value, and whether none is missing that must have one.
    pub(crate) fn fields_of(&mut self, id: NounId) -> Option<Settled> {
        let noun = self.nouns.get(id.0 as usize)?;
        let (kind, header, settled) = (noun.kind.clone(), noun.header, noun.settled.is_some());
        let written = noun.attrs.keys().filter_map(|name| kind.fields.0.get_index_of(*name));
        let written: Vec<usize> = written.chain(self.misspelt(id)).collect();
        let mut found = Vec::with_capacity(kind.fields.0.len());
        let mut own = Vec::new();
        let mut whole = true;
        for (at, (name, field)) in kind.fields.0.iter().enumerate() {
            if field.derived {
                continue;
            }
            // There is nothing to evaluate where it is not written and may be left out, and no circle to be in.
            let unwritten = field.may_be_left_out() && !settled && !written.contains(&at);
            let placed = match unwritten {
                true => self.default_of(field, header).map(|value| Placed { value, span: header }),
                false => self.field(id, at),
            };
            match placed.filter(|placed| !placed.value.has_unknown()) {
                Some(Placed { value: Value::Absent, .. }) => whole &= field.may_be_left_out(),
                Some(placed) => {
                    if !unwritten || !self.is_shared(field) {
                        own.push((name.clone(), placed.clone()));
                    }
                    found.push((name.clone(), placed));
                }
                None => whole = false,
            }
        }
        // each as large as it has to be: most of a kind's fields are derived, absent, or the same everywhere
        let record = |found: Vec<_>| Arc::new(found.into_iter().collect());
        Some(Settled { fields: record(found), own: record(own), whole })
    }

    /// The typed form of a noun's fields; broken where they are not whole.
    pub(crate) fn body_of(
        &mut self,
        id: NounId,
        fields: &Arc<Record>,
        whole: bool,
    ) -> Option<Body> {
        let instance = self.nouns.get(id.0 as usize)?;
        let kind = instance.kind.clone();
        let (at, header) = (instance.stmt.span, instance.header);
        if whole {
            let placed = Placed { value: Value::Record(fields.clone()), span: header };
            match Body::lower(&kind.name, kind.platform.as_deref(), &placed) {
                Ok(body) => return Some(body),
                Err(error) if !self.reports.has_error_in(at) => self.reports.error(
                    TYPES_MISMATCH,
                    format!("this {} does not hold together: {error}", kind.name),
                    error.span.unwrap_or(header),
                ),
                Err(_) => {}
            }
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
        let Settled { fields, whole, .. } = self.fields_of(id)?;
        let body = self.body_of(id, &fields, whole)?;
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
