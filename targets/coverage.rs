//! What each platform does with each field that a blueprint may write: nothing that is written is dropped without a word.
//!
//! A platform has one table for each kind that it renders. [`tell`] holds what a blueprint writes against the table of the
//! platform that its noun is rendered for; tests hold the tables against the kinds, and each row against what is rendered.

use crate::{Output, kubernetes, slurm, vertex};
use slipform_model::plan::{Any, Place, Sound};
use slipform_model::{Diagnostic, Noun, Record, Value};
use slipform_source::Span;

/// A platform that workloads run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Platform {
    /// Google Kubernetes Engine.
    Gke,
    /// Slurm.
    Slurm,
    /// Vertex AI.
    Vertex,
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gke, Self::Slurm, Self::Vertex];

    /// As people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Gke => "GKE",
            Self::Slurm => "Slurm",
            Self::Vertex => "Vertex AI",
        }
    }

    /// What it does with the fields of a kind, those of its constructors included (`mounts.use`); the row without a name
    /// is of the kind itself. `None` where the kind is nothing of this platform.
    pub fn rows(self, kind: &str) -> Option<&'static [Row]> {
        let tables = match self {
            Self::Gke => kubernetes::COVERAGE,
            Self::Slurm => slurm::COVERAGE,
            Self::Vertex => vertex::COVERAGE,
        };
        tables.iter().find(|(known, _)| *known == kind).map(|(_, rows)| *rows)
    }
}

/// A field and what becomes of it.
pub type Row = (&'static str, Cover);

/// What becomes of a field.
#[derive(Clone, Copy, Debug)]
pub enum Cover {
    /// It changes what is written.
    Honoured,
    /// It changes what is written, and what it means there has to be said.
    Noted(&'static str),
    /// It changes nothing there, and says why; that is how it is meant.
    NoEffect(&'static str),
    /// It is left out, and a warning says so where it is written.
    Ignored(Answer),
    /// The platform cannot do it; an error says so where it is written.
    Refused(Answer),
    /// A rule of this code answers it.
    Ruled(&'static str),
}

/// What is said of a field that is written in vain.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The code.
    pub code: &'static str,
    /// What is wrong, as a sentence without its period.
    pub why: &'static str,
    /// The mend.
    pub help: &'static str,
}

/// Says of every field that is written in vain what its platform does with it.
pub(crate) fn tell(plan: Sound<'_>, out: &mut Output) {
    for it in plan.nouns() {
        let Some((platform, place)) = platform(plan, it) else { continue };
        let noun = it.noun();
        for (field, cover) in platform.rows(noun.kind()).into_iter().flatten() {
            let (Cover::Ignored(answer) | Cover::Refused(answer)) = cover else { continue };
            for span in written(noun, field) {
                let make = match cover {
                    Cover::Refused(_) => Diagnostic::error,
                    _ => Diagnostic::warning,
                };
                let told = make(answer.code, answer.why.to_owned(), span).help(answer.help);
                let on = format!("it runs on {}", platform.title());
                out.diagnostics.push(told.also(place, on));
            }
        }
    }
}

/// The platform that a workload, or a job beside one, runs on, and where the blueprint says so.
fn platform(plan: Sound<'_>, noun: Any<'_>) -> Option<(Platform, Span)> {
    let run = match noun {
        Any::Workload(workload) => workload.plan,
        Any::SideJob(job) => plan.beside(job).plan,
        Any::Network(_)
        | Any::Bucket(_)
        | Any::Filesystem(_)
        | Any::Registry(_)
        | Any::Identity(_)
        | Any::Dashboard(_)
        | Any::Image(_)
        | Any::GkeCluster(_)
        | Any::SlurmCluster(_)
        | Any::VertexCluster(_)
        | Any::Pool(_)
        | Any::Partition(_)
        | Any::Queue(_) => return None,
    };
    let platform = match run.place {
        Place::Pool(_) => Platform::Gke,
        Place::Partition(_) => Platform::Slurm,
        Place::Vertex(_) => Platform::Vertex,
    };
    Some((platform, run.lead.program.place.span))
}

/// Where a field is written: a default stands where what surrounds it does.
fn written(noun: &Noun, field: &str) -> Vec<Span> {
    let mut found = Vec::new();
    match field.split_once('.') {
        _ if field.is_empty() => found.push(noun.span),
        None => {
            found.extend(noun.fields.get(field).map(|it| it.span).filter(|span| *span != noun.span))
        }
        Some((field, inner)) => {
            if let Some(value) = noun.fields.get(field) {
                constructors(
                    &value.value,
                    &mut |record, span| {
                        let inner = record.get(inner).map(|it| it.span);
                        found.extend(inner.filter(|inner| *inner != span));
                    },
                    value.span,
                );
            }
        }
    }
    found
}

/// Every constructor in a field's value, or in the list that it is, with its place.
fn constructors(value: &Value, visit: &mut impl FnMut(&Record, Span), span: Span) {
    match value {
        Value::Variant(_, record) | Value::Record(record) => visit(record, span),
        Value::List(items) => {
            items.iter().for_each(|item| constructors(&item.value, visit, item.span));
        }
        _ => {}
    }
}
