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
mod study;

pub(crate) use coverage::COVERAGE;

use crate::document::{Node, to_json, to_node};
use crate::patch::{PATCH_UNKNOWN_DOCUMENT, Spelling, checked};
use crate::schema::Shape;
use crate::template::{TEXT_SPELLING, Templates};
use crate::{Output, Stage, Target};
use job::{CUSTOM_JOB, FORMS, Place, Request, Started, TRAINING_PIPELINE, TUNING_JOB};
use payload::Payload;
use serde::Serialize;
use slipform_model::Diagnostic;
use slipform_model::nouns::Workload;
use slipform_model::plan::{Site, Sound};
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
        "custom jobs, hyperparameter tuning jobs and training pipelines of Vertex AI, and scripts that create them"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (CUSTOM_JOB.document, "workload"),
            (TUNING_JOB.document, "workload"),
            (TRAINING_PIPELINE.document, "workload"),
        ]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for workload in plan.all::<Workload>() {
            match &workload.plan.site {
                Site::Vertex(site) => {
                    render(Request::of_own(plan, workload, site), out);
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
    /// `custom job`
    sort: &'a str,
    /// `customJobs`
    collection: &'a str,
    /// `jobSpec`
    spec: &'a str,
    /// `custom-jobs`; of a training pipeline gcloud knows nothing.
    command: Option<&'a str>,
    /// What the request is called, its labels and its key, where gcloud has no other place for them.
    title: Option<String>,
    labels: String,
    key: Option<String>,
    launchers: Vec<Launcher>,
    region: &'a str,
    project: Option<&'a str>,
    /// Every value once.
    values: Vec<Handed<'a>>,
    /// Where values go.
    places: &'a [Place],
    /// The folder of all runs, where each has its own below it: of a training pipeline, and of a study.
    folder: Option<String>,
    /// A run is a study of many trials.
    study: bool,
    /// The model that is uploaded once it has run.
    model: Option<Uploaded>,
}

/// A model that the registry has, or does not have, when a run is sent.
#[derive(Serialize)]
struct Uploaded {
    id: String,
    /// Its whole name, where it has to be there; otherwise its id has to be free.
    parent: Option<String>,
}

/// The launcher of a gang, which is a file of its own.
#[derive(Serialize)]
struct Launcher {
    file: &'static str,
    /// What stands for it in the request.
    marker: String,
}

#[derive(Serialize, PartialEq)]
struct Handed<'a> {
    name: &'a str,
    root: &'a str,
}

fn render(request: Request<'_>, out: &mut Output) {
    let mut refused = Vec::new();
    let groups = request.of_groups();
    refuse::refuse(request, &groups, &mut refused);
    let own = Started::new(request, &mut refused);
    let groups: Vec<Started<'_>> =
        groups.into_iter().map(|group| Started::new(group, &mut refused)).collect();
    let (job, places) = job::job(&own, &groups, &mut refused);
    let document = patched(request, &job, &mut refused);
    let sent = document.and_then(|it| Some((written(request, to_json(&it), &mut refused)?, it)));
    let stops = crate::owned::stops(&refused);
    out.diagnostics.append(&mut refused);
    let (false, Some((payload, document))) = (stops, sent) else { return };
    let gangs: Vec<&Started<'_>> = std::iter::once(&own).chain(&groups).collect();
    let Some(launchers) = launchers(&gangs, out) else { return };
    let Some(submit) = submit(request, &gangs, &places, &document, out) else { return };
    let folder = Stage::Workload(request.run.name.clone()).folder();
    let nouns = gangs.iter().flat_map(|it| it.request.nouns());
    out.file(folder.join(file_name(request)), payload, nouns.clone());
    for (request, launcher) in launchers {
        out.program(folder.join(request.launcher()), launcher, request.nouns());
    }
    out.program(folder.join("submit.sh"), submit, nouns);
}

/// The launchers of those gangs that need one; nothing where one cannot be written.
fn launchers<'a>(gangs: &[&Started<'a>], out: &mut Output) -> Option<Vec<(Request<'a>, String)>> {
    let needed = gangs.iter().filter(|it| !it.start.is_needless());
    let text = |it: &&Started<'a>| {
        let noun = it.request.plan.noun(it.request.gang.program.noun);
        Some((it.request, TEMPLATES.fill(out, noun, "launch.sh", &it.start)?))
    };
    needed.map(text).collect()
}

/// The script that sends the request.
fn submit(
    request: Request<'_>,
    gangs: &[&Started<'_>],
    places: &[Place],
    sent: &Node,
    out: &mut Output,
) -> Option<String> {
    let mut values: Vec<Handed<'_>> = Vec::new();
    for place in places {
        let value = Handed { name: &place.name, root: &place.root };
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let needed = gangs.iter().filter(|it| !it.start.is_needless()).map(|it| it.request);
    let launcher = |it: Request<'_>| Launcher { file: it.launcher(), marker: it.launcher_marker() };
    let form = request.form();
    let text = |path: &[&str]| {
        let found = path.iter().try_fold(sent, |at, key| at.get(key));
        found.and_then(Node::as_str).map(str::to_owned)
    };
    let labels = match sent.get("labels") {
        Some(Node::Map(labels)) => Some(labels.iter()),
        _ => None,
    };
    let labels = labels.into_iter().flatten();
    let labels = labels.filter_map(|(key, it)| Some(format!("{key}={}", it.value.as_str()?)));
    let labels: Vec<String> = labels.collect();
    let submission = Submission {
        payload: &file_name(request),
        sort: form.title,
        collection: form.collection,
        spec: form.spec,
        command: form.command,
        title: text(&["displayName"]),
        labels: if form.document == CUSTOM_JOB.document { labels.join(",") } else { String::new() },
        key: text(&["encryptionSpec", "kmsKeyName"]),
        launchers: needed.map(launcher).collect(),
        region: &request.cluster.region.value,
        project: request.plan.project(),
        values,
        places,
        folder: text(&[form.spec, "baseOutputDirectory", "outputUriPrefix"])
            .filter(|_| form.document != CUSTOM_JOB.document)
            .map(|folder| folder.trim_end_matches('/').to_owned()),
        study: form.document == TUNING_JOB.document,
        model: uploaded(&text),
    };
    TEMPLATES.fill(out, request.noun, "submit.sh", &submission)
}

/// The model that a request keeps, as far as it can be asked for before.
fn uploaded(text: &dyn Fn(&[&str]) -> Option<String>) -> Option<Uploaded> {
    let parent = text(&["parentModel"]);
    let id = match &parent {
        Some(parent) => parent.rsplit('/').next().map(str::to_owned),
        None => text(&["modelId"]),
    };
    Some(Uploaded { id: id?, parent })
}

/// The file of the request.
fn file_name(request: Request<'_>) -> String {
    format!("{}.json", request.run.name)
}

/// The request with everything that patches say.
fn patched(request: Request<'_>, job: &Payload, refused: &mut Vec<Diagnostic>) -> Option<Node> {
    let form = request.form();
    let of = |document: &'static str| {
        request.noun.patches.iter().filter(move |patch| patch.target == document)
    };
    for other in FORMS.into_iter().filter(|other| other.document != form.document) {
        for patch in of(other.document) {
            let message =
                format!("`{}` is a {}, not a {}", request.noun.path, form.title, other.title);
            let title = format!("patch `{}`", form.document);
            refused.push(
                Diagnostic::error(PATCH_UNKNOWN_DOCUMENT, message, patch.span).help(&title).fix(
                    title,
                    patch.span,
                    form.document,
                ),
            );
        }
    }
    let shape = Shape::document(form.shape);
    let mut document = written(request, to_node(job), refused)?;
    for patch in of(form.document) {
        match checked(request.noun, patch, &shape, SPELLING, &document, refused) {
            Ok(node) => shape.merge(&mut document, node),
            Err(found) => refused.extend(found),
        }
    }
    Some(document)
}

/// A form of the request; what has none is refused.
fn written<T, E: std::fmt::Display>(
    request: Request<'_>,
    form: Result<T, E>,
    refused: &mut Vec<Diagnostic>,
) -> Option<T> {
    form.map_err(|error| {
        let message = format!(
            "the {} of `{}` cannot be written: {error}",
            request.form().title,
            request.noun.path
        );
        refused.push(Diagnostic::error(TEXT_SPELLING, message, request.noun.span));
    })
    .ok()
}
