//! From evaluated declarations to the model: every field asked for, every noun typed.

use crate::eval::{Evaluation, Instance, Lowered, Settled};
use crate::project::Project;
use slipform_model::catalog::Catalog;
use slipform_model::{Model, Noun, NounId, Nouns};
use std::sync::Arc;

/// Nouns whose fields are evaluated while those before them become typed. Fewer are assembled faster than a thread starts, and of more what they
/// hold until then lies in no cache.
const NOUNS_AT_ONCE: usize = 96;

/// Evaluates every field of every noun, and gives the typed model; nothing once `go_on` says no, which is asked for each noun.
pub(crate) fn model(
    evaluation: &mut Evaluation<'_, '_>,
    project: &Project,
    catalog: &Arc<Catalog>,
    go_on: impl Fn() -> Option<()>,
) -> Option<Model> {
    evaluation.call_all();
    Some(Model {
        nouns: Nouns::new(nouns(evaluation, go_on)?),
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

/// Every noun, typed: on a second thread where there are many, always those before the ones whose fields are evaluated.
fn nouns(evaluation: &mut Evaluation<'_, '_>, go_on: impl Fn() -> Option<()>) -> Option<Vec<Noun>> {
    let count = evaluation.nouns.len();
    let mut nouns = Vec::with_capacity(count);
    let mut add = |evaluation: &mut Evaluation<'_, '_>, settled: Vec<Settled>, lowered: Vec<_>| {
        let typed = settled.into_iter().zip(lowered);
        nouns.extend(typed.filter_map(|(settled, body)| noun(evaluation, settled, body)));
    };
    let mut before: Vec<Settled> = Vec::new();
    for start in (0..count).step_by(NOUNS_AT_ONCE) {
        let (fields, typed) = std::thread::scope(|scope| {
            let earlier = (!before.is_empty()).then(|| scope.spawn(|| lowered(&before)));
            let ids = (start..count.min(start + NOUNS_AT_ONCE)).map(|at| NounId(at as u32));
            let fields = ids.map(|id| go_on().map(|()| evaluation.fields_of(id)));
            let fields: Option<Vec<_>> = fields.collect();
            let typed = earlier.map(|it| it.join());
            (fields, typed.unwrap_or(Ok(Vec::new())))
        });
        let typed = typed.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let next = fields?.into_iter().flatten().collect();
        add(evaluation, std::mem::replace(&mut before, next), typed);
    }
    let typed = lowered(&before);
    add(evaluation, before, typed);
    Some(nouns)
}

/// The typed forms of nouns.
fn lowered(settled: &[Settled]) -> Vec<Option<Lowered>> {
    settled.iter().map(Settled::lowered).collect()
}

fn noun(
    evaluation: &mut Evaluation<'_, '_>,
    settled: Settled,
    lowered: Option<Lowered>,
) -> Option<Noun> {
    let id = settled.id;
    let body = evaluation.body_of(&settled, lowered)?;
    let whole = settled.whole;
    let fields = settled.kept();
    let patches = evaluation.patches(id);
    let instance = evaluation.nouns.get(id.0 as usize)?;
    let span = instance.header;
    if whole {
        evaluation.settle(id, fields.clone());
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
        fields,
        patches,
        allowed: allowed.map(|code| (code.value.to_string(), code.span)).collect(),
    })
}
