//! From evaluated declarations to the model: every field asked for, every noun typed.

use crate::eval::{Evaluation, Instance};
use crate::infer::TYPES_MISMATCH;
use crate::program::{Program, UnitId};
use crate::project::Project;
use crate::types::Type;
use slipform_model::catalog::Catalog;
use slipform_model::nouns::Body;
use slipform_model::plan::{Fact, Plan, facts};
use slipform_model::{Model, Noun, NounId, Placed, Record, Value};
use slipform_syntax::tree::{Name, Param, StmtKind};
use std::sync::Arc;

/// Evaluates every field of every noun, and gives the typed model.
pub(crate) fn model(
    evaluation: &mut Evaluation<'_, '_>,
    project: &Project,
    catalog: &Arc<Catalog>,
) -> Model {
    let count = evaluation.nouns.len();
    let mut nouns = Vec::with_capacity(count);
    for at in 0..count {
        if let Some(noun) = noun(evaluation, NounId(at as u32)) {
            nouns.push(noun);
        }
    }
    Model {
        nouns,
        project: project_id(evaluation),
        name: project.name.clone(),
        environment: project.environment.clone(),
        outputs: Vec::new(),
        catalog: catalog.clone(),
    }
}

/// A fact that follows from a noun and the project alone, before the whole blueprint is known.
pub(crate) fn own_fact(
    evaluation: &mut Evaluation<'_, '_>,
    id: NounId,
    name: &str,
) -> Option<Value> {
    let kind = evaluation.nouns.get(id.0 as usize)?.kind.name.clone();
    if !Fact::is_own(&kind, name) {
        return None;
    }
    let noun = Noun { id: NounId(0), parent: None, ..noun(evaluation, id)? };
    let model = Model {
        nouns: vec![noun],
        project: project_id(evaluation),
        name: String::new(),
        environment: String::new(),
        outputs: Vec::new(),
        catalog: evaluation.catalog.clone(),
    };
    facts(&Plan::new(model), NounId(0), name)
}

fn noun(evaluation: &mut Evaluation<'_, '_>, id: NounId) -> Option<Noun> {
    let kind = evaluation.nouns.get(id.0 as usize)?.kind.clone();
    let mut fields = Record::with_capacity_and_hasher(kind.fields.0.len(), Default::default());
    let mut whole = true;
    for (name, field) in kind.fields.0.iter().filter(|(_, field)| !field.derived) {
        let Some(placed) = evaluation.field(id, name) else {
            whole = false;
            continue;
        };
        if placed.value.has_unknown() {
            whole = false;
            continue;
        }
        if !matches!(placed.value, Value::Absent) {
            fields.insert(name.clone(), placed);
        } else if !field.may_be_left_out() {
            whole = false;
        }
    }
    let patches = evaluation.patches(id);
    let instance = evaluation.nouns.get(id.0 as usize)?;
    let span = instance.header;
    let fields = Arc::new(fields);
    let body = body(evaluation, id, &fields, whole)?;
    if whole {
        evaluation.settle(id, fields.clone());
    }
    let instance: &Instance<'_> = evaluation.nouns.get(id.0 as usize)?;
    let allowed = instance.allows.iter().filter_map(|allow| allow.code.as_ref());
    Some(Noun {
        id,
        name: instance.name.clone(),
        path: instance.path.clone(),
        parent: instance.parent,
        existing: instance.decl.existing.is_some(),
        doc: instance.stmt.doc.clone(),
        span,
        origin: instance.origin.clone(),
        body,
        fields,
        patches,
        allowed: allowed.map(|code| (code.value.clone(), code.span)).collect(),
    })
}

fn body(
    evaluation: &mut Evaluation<'_, '_>,
    id: NounId,
    fields: &Arc<Record>,
    whole: bool,
) -> Option<Body> {
    let instance = evaluation.nouns.get(id.0 as usize)?;
    let kind = instance.kind.clone();
    let (at, header) = (instance.stmt.span, instance.header);
    let broken = |kind: &str, platform: Option<&str>| {
        let known = Body::KINDS.iter().find(|(name, on)| *name == kind && *on == platform);
        known.map(|(kind, platform)| Body::Broken { kind, platform: *platform })
    };
    if whole {
        let placed = Placed { value: Value::Record(fields.clone()), span: header };
        match Body::lower(&kind.name, kind.platform.as_deref(), &placed) {
            Ok(body) => return Some(body),
            Err(error) if !evaluation.reports.has_error_in(at) => {
                let span = error.span.unwrap_or(header);
                evaluation.reports.error(
                    TYPES_MISMATCH,
                    format!("this {} does not hold together: {error}", kind.name),
                    span,
                );
            }
            Err(_) => {}
        }
    }
    broken(&kind.name, kind.platform.as_deref())
}

/// The project of everything that is made: the value of the parameter of that type.
fn project_id(evaluation: &mut Evaluation<'_, '_>) -> Option<String> {
    for (unit, name) in project_params(evaluation.program) {
        let frame = evaluation.file_frame(unit)?;
        if let Value::Str(project) = evaluation.named(&name.value, frame) {
            return Some(project.to_string());
        }
    }
    None
}

/// The parameters that name a project: their values may still be missing, which is reported elsewhere.
pub(crate) fn project_params<'t>(program: &'t Program<'t>) -> Vec<(UnitId, &'t Name)> {
    let mut found = Vec::new();
    for (at, unit) in program.units.iter().enumerate().filter(|(_, unit)| !unit.std) {
        for stmt in &unit.tree.stmts {
            let StmtKind::Param(Param { name: Some(name), ty: Some(ty), .. }) = &stmt.kind else {
                continue;
            };
            if is_project(&program.written_type(ty)) {
                found.push((UnitId(at), name));
            }
        }
    }
    found
}

fn is_project(ty: &Type) -> bool {
    match ty {
        Type::Named(named) => &*named.name == "ProjectId" || is_project(&named.definition),
        Type::Optional(inner) => is_project(inner),
        _ => false,
    }
}
