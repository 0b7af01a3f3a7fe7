//! From evaluated declarations to the model: every field asked for, every noun typed.

use crate::eval::{Evaluation, Instance, Settled};
use crate::project::Project;
use slipform_model::catalog::Catalog;
use slipform_model::{Model, Noun, NounId};
use std::sync::Arc;

/// Evaluates every field of every noun, and gives the typed model; nothing once `go_on` says no, which is asked for each noun.
pub(crate) fn model(
    evaluation: &mut Evaluation<'_, '_>,
    project: &Project,
    catalog: &Arc<Catalog>,
    go_on: impl Fn() -> Option<()>,
) -> Option<Model> {
    evaluation.call_all();
    let count = evaluation.nouns.len();
    let mut nouns = Vec::with_capacity(count);
    for at in 0..count {
        go_on()?;
        if let Some(noun) = noun(evaluation, NounId(at as u32)) {
            nouns.push(noun);
        }
    }
    Some(Model {
        nouns,
        project: evaluation.project(),
        name: project.name.clone(),
        environment: project.environment.clone(),
        labels: project.labels.iter().map(|(key, it)| (key.clone(), it.text.clone())).collect(),
        prefix: project.prefix.clone(),
        apis: project.apis.clone(),
        quotas: crate::quotas::known(project, catalog),
        catalog: catalog.clone(),
    })
}

fn noun(evaluation: &mut Evaluation<'_, '_>, id: NounId) -> Option<Noun> {
    let Settled { fields, own, whole } = evaluation.fields_of(id)?;
    let patches = evaluation.patches(id);
    let instance = evaluation.nouns.get(id.0 as usize)?;
    let span = instance.header;
    let body = evaluation.body_of(id, &fields, whole)?;
    if whole {
        evaluation.settle(id, own.clone());
    }
    let outside = evaluation.outside(id)?;
    let instance: &Instance<'_> = evaluation.nouns.get(id.0 as usize)?;
    let allowed = instance.allows.iter().filter_map(|allow| allow.code.as_ref());
    Some(Noun {
        id,
        path: instance.path.clone(),
        outside,
        parent: instance.parent,
        existing: instance.decl.existing.is_some(),
        doc: instance.stmt.doc.as_deref().map(str::to_owned),
        span,
        declared: instance.decl.header,
        origin: instance.origin.clone(),
        body,
        fields: if whole { own } else { fields },
        patches,
        allowed: allowed.map(|code| (code.value.to_string(), code.span)).collect(),
    })
}
