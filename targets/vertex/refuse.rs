//! What Vertex AI has no form for, and what has no full name without a project.

use super::job::{Request, VERTEX_PROJECT};
use crate::launch::Word;
use crate::template::TEXT_SPELLING;
use indexmap::IndexMap;
use slipform_model::plan::{Env, Variable};
use slipform_model::{Diagnostic, Noun};
use slipform_source::Span;

slipform_source::codes! {
    pub(crate) CODES;
    VERTEX_ENV_COUNT = "vertex/env-count":
        "Vertex AI takes fewer environment variables",
        "put some into a file of the image";
    VERTEX_ENV_NAME = "vertex/env-name":
        "Vertex AI sets this environment variable itself",
        "leave it out, or use another name";
    VERTEX_LABEL = "vertex/label":
        "Vertex AI does not take this label",
        "use small letters, digits, `-` and `_`; the report says how many";
}

/// Says what of a job cannot be done.
pub(crate) fn refuse(own: Request<'_>, groups: &[Request<'_>], refused: &mut Vec<Diagnostic>) {
    let mut labelled = vec![(own.noun, &*own.workload.labels)];
    for request in std::iter::once(&own).chain(groups) {
        environment(*request, refused);
        if labelled.iter().all(|(noun, _)| noun.id != request.cluster_noun.id) {
            labelled.push((request.cluster_noun, &request.cluster.labels));
        }
    }
    for (noun, written) in labelled {
        labels(own, noun, written, refused);
    }
}

fn environment(request: Request<'_>, refused: &mut Vec<Diagnostic>) {
    let facts = request.plan.catalog().vertex();
    if request.gang.program.words().any(|word| !Word::fits(word)) {
        let message = "a word of the command holds a NUL, which no program can be given";
        refused.push(Diagnostic::error(TEXT_SPELLING, message, request.gang.program.launcher.span));
    }
    for Variable { name, value, span } in &request.gang.program.env {
        if let Env::Word(word) = value
            && !Word::fits(word)
        {
            let message = format!("`{name}` holds a NUL, which no variable can");
            refused.push(Diagnostic::error(TEXT_SPELLING, message, *span));
        }
        if facts.injected.contains(name) {
            let message = format!("`{name}` is set by Vertex AI itself");
            refused.push(
                Diagnostic::error(VERTEX_ENV_NAME, message, *span)
                    .help("leave it out, or use another name"),
            );
        }
    }
    let most = request.plan.catalog().limits().vertex.env_max;
    let env = &request.gang.program.env;
    if let (true, Some(first)) = (env.len() > most as usize, env.first()) {
        let message = format!("{} environment variables, and Vertex AI takes {most}", env.len());
        refused.push(Diagnostic::error(VERTEX_ENV_COUNT, message, first.span));
    }
}

/// Labels are of lower-case letters, digits, `_` and `-`.
fn labels(
    request: Request<'_>,
    noun: &Noun,
    labels: &IndexMap<String, String>,
    refused: &mut Vec<Diagnostic>,
) {
    let most = request.plan.catalog().limits().vertex.label_max as usize;
    let plain = |c: char| c.is_lowercase() || c.is_numeric() || matches!(c, '_' | '-');
    let fits = |text: &str| text.chars().count() <= most && text.chars().all(plain);
    for (key, value) in labels {
        if !fits(key) || !fits(value) || !key.starts_with(char::is_lowercase) {
            let message = format!(
                "label `{key} = \"{value}\"` is not one of Vertex AI: lower-case letters, digits, `_` and `-`, at most {most}"
            );
            let at = noun.fields.get("labels").map_or(noun.span, |labels| labels.span);
            refused.push(Diagnostic::error(VERTEX_LABEL, message, at));
        }
    }
}

/// The whole name of a model, which is all that the API takes.
pub(super) fn model_name(
    request: Request<'_>,
    parent: &str,
    span: Span,
    refused: &mut Vec<Diagnostic>,
) -> String {
    if parent.contains('/') {
        return parent.to_owned();
    }
    let region = &request.cluster.region.value;
    if let Some(project) = request.plan.project() {
        return format!("projects/{project}/locations/{region}/models/{parent}");
    }
    let message = format!(
        "the model `{parent}` that this makes a version of has no full name without a project, and the blueprint has none"
    );
    let help = format!(
        "add a parameter of type `ProjectId`, or write `parent = \"projects/PROJECT/locations/{region}/models/{parent}\"`"
    );
    refused.push(Diagnostic::error(VERTEX_PROJECT, message, span).help(help));
    parent.to_owned()
}

/// Who a job is, by its address.
pub(super) fn service_account(
    request: Request<'_>,
    refused: &mut Vec<Diagnostic>,
) -> Option<String> {
    let identity = request.workload.identity.as_ref()?;
    if request.plan.project().is_none() {
        let message =
            "the address of a service account names its project, and the blueprint has none";
        refused.push(
            Diagnostic::error(VERTEX_PROJECT, message, identity.span)
                .help("add a parameter of type `ProjectId`"),
        );
    }
    request.plan.email(identity.value)
}
