//! Vertex AI: the request that creates a custom job for each workload, and the script that sends it.
//!
//! The request is data and printed as JSON. What the containers run first is a script of its own, so that it can be read;
//! the script that sends the request puts it in, and the values that Terraform knows.

pub(crate) mod capacity;
pub(crate) mod coverage;
pub(crate) mod job;
mod payload;
pub(crate) mod refuse;
pub(crate) mod start;

pub(crate) use coverage::COVERAGE;

use crate::document::{to_json, to_node};
use crate::patch::{Spelling, checked};
use crate::schema::{Document, Shape};
use crate::template::{TEXT_SPELLING, Templates};
use crate::{Output, Stage, Target};
use job::{Place, Request};
use serde::Serialize;
use slipform_model::nouns::Workload;
use slipform_model::plan::{Site, Sound};
use slipform_model::{Diagnostic, Severity};
use std::sync::LazyLock;

/// The target.
pub(crate) struct Vertex;

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| {
    Templates::new(&[
        ("launch.sh", include_str!("templates/launch.sh")),
        ("submit.sh", include_str!("templates/submit.sh")),
    ])
});

/// The API counts disks in GB and times in seconds with an `s`.
const SPELLING: Spelling = Spelling {
    consumer: "Vertex AI",
    size: |size| Some(size.gib().into()),
    duration: |time| payload::duration_text(time).into(),
};

impl Target for Vertex {
    fn name(&self) -> &'static str {
        "vertex"
    }

    fn about(&self) -> &'static str {
        "custom jobs of Vertex AI, and scripts that create them"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[("custom_job", "workload")]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for workload in plan.all::<Workload>() {
            match &workload.plan.site {
                Site::Vertex(site) => {
                    render(Request::new(plan, workload, plan.get(site.cluster)), out);
                }
                Site::Gke(_) | Site::Slurm(_) => {}
            }
        }
    }
}

/// The script that sends a request.
#[derive(Serialize)]
struct Submission<'a> {
    payload: &'a str,
    /// The launcher is a file of its own, and this stands for it.
    launcher: Option<&'a str>,
    region: &'a str,
    project: Option<&'a str>,
    /// Every value once.
    values: Vec<Value<'a>>,
    /// Where values go.
    places: &'a [Place],
}

#[derive(Serialize, PartialEq)]
struct Value<'a> {
    name: &'a str,
    root: &'a str,
}

fn render(request: Request<'_>, out: &mut Output) {
    let mut refused = Vec::new();
    refuse::refuse(request, &mut refused);
    let start = start::start(request, &mut refused);
    let (job, places) = job::job(request, &start, &mut refused);
    let payload = patched(request, &job, &mut refused);
    let stops = refused.iter().any(|it| it.severity == Severity::Error);
    out.diagnostics.append(&mut refused);
    let (false, Some(payload)) = (stops, payload) else { return };
    let launcher = (!start.is_needless()).then_some(job::LAUNCHER);
    let launch = match launcher {
        Some(_) => match TEMPLATES.fill(out, request.noun, "launch.sh", &start) {
            Some(text) => Some(text),
            None => return,
        },
        None => None,
    };
    let folder = Stage::Workload(request.run.name.clone()).folder();
    let name = format!("{}.json", request.run.name);
    let mut values: Vec<Value<'_>> = Vec::new();
    for place in &places {
        let value = Value { name: &place.name, root: &place.root };
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let project = request.plan.project();
    let submission = Submission {
        payload: &name,
        launcher,
        region: &request.cluster.region.value,
        project,
        values,
        places: &places,
    };
    let Some(submit) = TEMPLATES.fill(out, request.noun, "submit.sh", &submission) else { return };
    let nouns = [request.noun.id, request.cluster_noun.id];
    out.file(folder.join(&name), payload, nouns);
    if let Some(launch) = launch {
        out.program(folder.join("launch.sh"), launch, nouns);
    }
    out.program(folder.join("submit.sh"), submit, nouns);
}

/// The request with everything that patches say.
fn patched(
    request: Request<'_>,
    job: &payload::CustomJob,
    refused: &mut Vec<Diagnostic>,
) -> Option<String> {
    let patches: Vec<_> =
        request.noun.patches.iter().filter(|patch| patch.target == "custom_job").collect();
    if patches.is_empty() {
        return written(request, to_json(job), refused);
    }
    let shape = Shape::document(Document::CustomJob);
    let mut document = written(request, to_node(job), refused)?;
    for patch in patches {
        match checked(request.noun, patch, &shape, SPELLING) {
            Ok(node) => shape.merge(&mut document, node),
            Err(found) => refused.extend(found),
        }
    }
    written(request, to_json(&document), refused)
}

/// A form of the request; what has none is refused.
fn written<T, E: std::fmt::Display>(
    request: Request<'_>,
    form: Result<T, E>,
    refused: &mut Vec<Diagnostic>,
) -> Option<T> {
    form.map_err(|error| {
        let message =
            format!("the custom_job of `{}` cannot be written: {error}", request.noun.path);
        refused.push(Diagnostic::error(TEXT_SPELLING, message, request.noun.span));
    })
    .ok()
}
