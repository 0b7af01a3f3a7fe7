//! What each platform does with each field that a blueprint may write: nothing that is written is dropped without a word.
//!
//! A target has one table for each kind that it renders: a platform for what runs or stands on it, Terraform and the
//! images for what all platforms share. [`tell`] holds what a blueprint writes against the table of the
//! platform that its noun is rendered for; tests hold the tables against the kinds, and each row against what is rendered.

use crate::{Output, images, kubernetes, slurm, terraform, vertex};
use slipform_model::plan::{Any, Place, Sound};
use slipform_model::{Diagnostic, Noun, Record, Value};
use slipform_source::{Code, Span};

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
        match self {
            Self::Gke => rows(kubernetes::COVERAGE, kind).or(rows(terraform::GKE, kind)),
            Self::Slurm => rows(slurm::COVERAGE, kind),
            Self::Vertex => rows(vertex::COVERAGE, kind),
        }
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "gke" => Some(Self::Gke),
            "slurm" => Some(Self::Slurm),
            "vertex" => Some(Self::Vertex),
            _ => None,
        }
    }
}

/// What becomes of the fields of a kind that belongs to no platform: networks, storage, accounts, images.
pub fn shared(kind: &str) -> Option<&'static [Row]> {
    rows(terraform::SHARED, kind).or(rows(images::COVERAGE, kind))
}

fn rows(tables: &Tables, kind: &str) -> Option<&'static [Row]> {
    tables.iter().find(|(known, _)| *known == kind).map(|(_, rows)| *rows)
}

/// The rows of each kind.
pub(crate) type Tables = [(&'static str, &'static [Row])];

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
    pub code: Code,
    /// What is wrong, as a sentence without its period.
    pub why: &'static str,
    /// The mend.
    pub help: &'static str,
}

/// Says of every field that is written in vain what its platform does with it.
pub(crate) fn tell(plan: Sound<'_>, out: &mut Output) {
    for it in plan.nouns() {
        let noun = it.noun();
        let place = place(plan, it);
        let platform = match place {
            Some((platform, _)) => Some(platform),
            None => platform(plan, noun),
        };
        let kind = noun.body.kind();
        let rows = platform.map_or_else(|| shared(kind), |platform| platform.rows(kind));
        for (field, cover) in rows.into_iter().flatten() {
            let (Cover::Ignored(answer) | Cover::Refused(answer)) = cover else { continue };
            for span in written(noun, field) {
                let make = match cover {
                    Cover::Refused(_) => Diagnostic::error,
                    _ => Diagnostic::warning,
                };
                let told = make(answer.code, answer.why.to_owned(), span).help(answer.help);
                out.diagnostics.push(match place {
                    Some((platform, place)) => {
                        told.also(place, format!("it runs on {}", platform.title()))
                    }
                    None => told,
                });
            }
        }
    }
}

/// The platform that a workload, or a job beside one, runs on, and where the blueprint says so.
fn place(plan: Sound<'_>, noun: Any<'_>) -> Option<(Platform, Span)> {
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

/// The platform of a cluster, or of the one that a noun is declared in.
fn platform(plan: Sound<'_>, noun: &Noun) -> Option<Platform> {
    let above = || plan.plan().model.get(noun.parent?)?.body.platform();
    Platform::named(noun.body.platform().or_else(above)?)
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
