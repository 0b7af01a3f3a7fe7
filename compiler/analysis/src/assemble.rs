//! From evaluated declarations to the model: every field asked for, every noun typed.

use crate::eval::{Evaluation, Instance, Lowered, Settled};
use crate::project::Project;
use slipform_model::catalog::Catalog;
use slipform_model::{Model, Noun, NounId, Nouns};
use std::sync::{Arc, mpsc};

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
    let fields = |evaluation: &mut Evaluation<'_, '_>, start: usize| -> Option<Vec<Settled>> {
        let ids = (start..count.min(start + NOUNS_AT_ONCE)).map(|at| NounId(at as u32));
        let fields: Option<Vec<_>> =
            ids.map(|id| go_on().map(|()| evaluation.fields_of(id))).collect();
        Some(fields?.into_iter().flatten().collect())
    };
    let mut add = |evaluation: &mut Evaluation<'_, '_>, Typed { settled, lowered }: Typed| {
        let typed = settled.into_iter().zip(lowered);
        nouns.extend(typed.filter_map(|(settled, body)| noun(evaluation, settled, body)));
    };
    let first = fields(evaluation, 0)?;
    if count <= NOUNS_AT_ONCE {
        add(evaluation, Typed::of(first));
        return Some(nouns);
    }
    std::thread::scope(|scope| {
        let (to_type, settled) = mpsc::channel();
        let (to_add, typed) = mpsc::channel();
        let worker = move || settled.into_iter().try_for_each(|it| to_add.send(Typed::of(it)));
        let worker = scope.spawn(worker);
        // who listens no more has panicked, which is told where it is waited for
        let _ = to_type.send(first);
        for start in (NOUNS_AT_ONCE..count).step_by(NOUNS_AT_ONCE) {
            let next = fields(evaluation, start)?;
            let before = typed.recv();
            let _ = to_type.send(next);
            before.into_iter().for_each(|it| add(evaluation, it));
        }
        drop(to_type);
        typed.into_iter().for_each(|it| add(evaluation, it));
        if let Err(panic) = worker.join() {
            std::panic::resume_unwind(panic);
        }
        Some(())
    })?;
    Some(nouns)
}

/// Nouns and their typed forms.
struct Typed {
    settled: Vec<Settled>,
    lowered: Vec<Option<Lowered>>,
}

impl Typed {
    fn of(settled: Vec<Settled>) -> Self {
        let lowered = settled.iter().map(Settled::lowered).collect();
        Self { settled, lowered }
    }
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
