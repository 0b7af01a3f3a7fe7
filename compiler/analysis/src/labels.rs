//! Labels that a project puts on all that it makes on Google Cloud, held to the form that those of nouns have.

use crate::pattern::Pattern;
use crate::project::Project;
use crate::report::Reports;
use crate::schema::{Schema, TYPES_PATTERN};
use crate::types::{Limit, Named, Type};
use slipform_model::Diagnostic;
use slipform_source::Span;

/// The type of what nouns on Google Cloud are labelled with.
const LABELS: &str = "Labels";

/// Reports labels of a project that Google Cloud does not take.
pub(crate) fn check(schema: &Schema, project: &Project, reports: &mut Reports) {
    let Some(Type::Map(key, value)) = schema.types.get(LABELS).map(|labels| &*labels.definition)
    else {
        return;
    };
    for (name, setting) in &project.labels {
        hold(key, name, setting.key, reports);
        hold(value, &setting.text, setting.value, reports);
    }
}

fn hold(ty: &Type, text: &str, at: Span, reports: &mut Reports) {
    let Some((named, pattern)) = form(ty) else { return };
    if pattern.matches(text).unwrap_or(true) {
        return;
    }
    let message = format!("{text:?} is not a `{}`", named.name);
    let help = named.doc.as_deref().unwrap_or_default().to_owned();
    reports.add(Diagnostic::error(TYPES_PATTERN, message, at).help(help));
}

/// The pattern of a type of texts, and how it is called.
fn form(ty: &Type) -> Option<(&Named, &Pattern)> {
    let Type::Named(named) = ty else { return None };
    let Type::Limited(limited) = &*named.definition else { return None };
    match &limited.limit {
        Limit::Matching(pattern) => Some((named, pattern)),
        Limit::Between(..) => None,
    }
}
