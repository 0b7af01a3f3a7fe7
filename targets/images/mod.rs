//! Container images: for each that is built, a Dockerfile and the Cloud Build that builds and pushes it.
//!
//! An image that adds nothing and goes nowhere is only a name, and an existing one is someone else's: neither has
//! files.

use crate::coverage::Cover::{Honoured, Making, NoEffect, Only};
use crate::coverage::{Answer, Mend, Row, Tables};
use crate::document::{Document, Node, map, seq, to_yaml};
use crate::template::Templates;
use crate::{Output, Stage, Target};
use serde::Serialize;
use slipform_model::catalog::{Catalog, CloudBuildLimits, DebianPackage};
use slipform_model::nouns::{Image, ImageUse, Workload};
use slipform_model::plan::{Any, Gang, Planned, Run, Site, Sound};
use slipform_model::{Diagnostic, Noun, NounId};
use std::sync::LazyLock;

slipform_source::codes! {
    pub(crate) CODES;
    IMAGE_PROJECT = "image/project":
        "an image is pushed to a repository of an unknown project",
        "declare `param project: ProjectId`";
    IMAGE_TAG = "image/tag":
        "an image has a tag, and is only a name for the one that it starts from",
        "leave `tag` out, and name the tag in `from`";
}

/// What is done with the fields of an image.
pub(crate) const COVERAGE: &Tables = &[("image", &[IMAGE])];

const IMAGE: &[Row] = &[
    ("from", Honoured),
    ("system_packages", Making),
    ("packages", Honoured),
    ("run", Making),
    ("copy", Making),
    ("env", Making),
    ("workdir", Making),
    ("push_to", Honoured),
    ("push_to.location", Honoured),
    ("push_to.repository", Honoured),
    (
        "tag",
        Only(
            is_pushed,
            &Answer {
                code: IMAGE_TAG,
                why: "this image is pushed nowhere and only names the one that it starts from, so it has no tag of its own",
                mend: Mend::LeftOut("leave `tag` out: the tag of `from` says which image it is"),
            },
        ),
    ),
    ("cuda", NoEffect("rules hold it against the driver of its nodes")),
    ("platform", Honoured),
];

/// The target.
pub(crate) struct Images;

static TEMPLATES: LazyLock<Templates> =
    LazyLock::new(|| Templates::new(&[("Dockerfile", include_str!("templates/Dockerfile"))]));

/// A policy of ours. Images for training are tens of gigabytes: the usual minutes, disk and machine of a build do not do.
const BUILD_SECONDS: u32 = 7200;
const BUILD_DISK_GB: u32 = 300;
const BUILD_MACHINE: &str = "E2_HIGHCPU_8";

impl Target for Images {
    fn name(&self) -> &'static str {
        "images"
    }

    fn about(&self) -> &'static str {
        "Dockerfiles, and the Cloud Build configurations that build and push them"
    }

    fn patches(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn render(&self, plan: Sound<'_>, out: &mut Output) {
        for image in plan.made::<Image>() {
            render(plan, image, out);
        }
    }
}

/// Whether an image is built here and pushed under a name of its own.
fn is_pushed(it: Any<'_>) -> bool {
    matches!(it, Any::Image(image) if image.is_made() && image.body.push_to.is_some())
}

#[derive(Serialize)]
struct Dockerfile<'a> {
    origin: String,
    from: &'a str,
    system_packages: &'a [String],
    /// What speaks to a Reduction Server, where a run has one.
    reduction: Option<&'a DebianPackage>,
    packages: &'a [String],
    run: Vec<Command<'a>>,
    copy: Vec<String>,
    env: Vec<(&'a str, &'a str)>,
    workdir: Option<String>,
}

/// A command of a shell, as it stands or as a list of words.
#[derive(Serialize)]
struct Command<'a> {
    plain: Option<&'a str>,
    words: Option<String>,
}

fn render(plan: Sound<'_>, planned: Planned<'_, Image>, out: &mut Output) {
    let Planned { noun, body: image, plan: reference, .. } = planned;
    // A sound plan has one for each that is more than what it starts from.
    let Some(target) = &image.push_to else { return };
    let Some(project) = plan.project() else {
        let message = format!(
            "image `{}` is pushed to a registry of a project, and the blueprint has none",
            noun.path
        );
        out.diagnostics.push(
            Diagnostic::error(IMAGE_PROJECT, message, target.span)
                .help("add a parameter of type `ProjectId`"),
        );
        return;
    };
    let Some(text) = TEMPLATES.fill(out, noun, "Dockerfile", &dockerfile(plan, noun, image)) else {
        return;
    };
    let folder = Stage::Image(planned.name().to_owned()).folder();
    out.file(folder.join("Dockerfile"), text, [noun.id]);
    let builder = plan.builder().and_then(|account| plan.email_of(&account));
    let account = builder.map(|email| format!("projects/{project}/serviceAccounts/{email}"));
    let build = cloud_build(plan.catalog(), image, reference, account);
    let build = Document::new(build).comment(noun.origin.clone());
    out.file(folder.join("cloudbuild.yaml"), to_yaml(&[build]), [noun.id]);
}

/// What nodes need that train from an image and send their gradients to machines that reduce.
fn reduction(plan: Sound<'_>, image: NounId) -> Option<&DebianPackage> {
    let of_image = |gang: &Gang| match gang.program.image {
        ImageUse::Image(it) => it.id() == image,
        ImageUse::String(_) | ImageUse::Squashfs { .. } | ImageUse::NoContainer => false,
    };
    let reduced = |run: &Run| match &run.site {
        Site::Vertex(site) => site.reducers.is_some() && run.gangs().any(of_image),
        Site::Gke(_) | Site::Slurm(_) => false,
    };
    let needed = plan.all::<Workload>().any(|workload| reduced(workload.plan));
    needed.then(|| &plan.catalog().vertex().reduction_server_package)
}

fn dockerfile<'a>(plan: Sound<'a>, noun: &Noun, image: &'a Image) -> Dockerfile<'a> {
    Dockerfile {
        origin: noun.origin.clone(),
        from: &image.from.value,
        system_packages: &image.system_packages,
        reduction: reduction(plan, noun.id),
        packages: &image.packages,
        run: image.run.iter().map(|text| command(text)).collect(),
        copy: image.copy.iter().map(|(from, to)| words(&[&escaped(from), &escaped(to)])).collect(),
        env: image.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        workdir: image.workdir.as_deref().map(escaped),
    }
}

/// As it stands where that is safe: one line that no one can take for flags, words, a here-document, or for the
/// beginning of the next line.
fn command(text: &str) -> Command<'_> {
    let plain = !text.contains(char::is_control)
        && !text.contains("<<")
        && !text.starts_with(['-', '[', '#'])
        && !text.ends_with('\\')
        && text.trim() == text
        && !text.is_empty();
    if plain {
        return Command { plain: Some(text), words: None };
    }
    Command { plain: None, words: Some(words(&["/bin/sh", "-c", text])) }
}

/// A list of words, which is JSON.
fn words(words: &[&str]) -> String {
    serde_json::Value::from(words).to_string()
}

/// A word that instructions other than `RUN` expand: `$` and quotes would not stand for themselves.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '\\' | '$' | '"' | '\'') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn cloud_build(catalog: &Catalog, image: &Image, reference: &str, account: Option<String>) -> Node {
    // pinned to the versions that were looked at: another one may build otherwise
    let CloudBuildLimits { docker_image: docker, emulator_image: emulator, .. } =
        &catalog.limits().cloud_build;
    let step = |args: Vec<String>| map().with("name", docker.clone()).with("args", args);
    let platform = format!("--platform=linux/{}", image.platform);
    let tag = format!("--tag={reference}");
    let mut steps = Vec::new();
    if image.platform != "amd64" {
        // builders are amd64: another processor has to be emulated
        let args = ["run", "--privileged", "--rm", emulator, "--install", &image.platform];
        steps.push(step(args.map(str::to_owned).to_vec()));
    }
    let args =
        ["build".to_owned(), platform, "--file=${_DOCKERFILE}".to_owned(), tag, ".".to_owned()];
    let build = step(args.to_vec()).with("env", seq(["DOCKER_BUILDKIT=1"]));
    steps.push(build);
    // with an account of one's own, logs go to Cloud Logging: Google's bucket for them takes none
    let options = map()
        .with("diskSizeGb", BUILD_DISK_GB)
        .with("logging", "CLOUD_LOGGING_ONLY")
        .with("machineType", BUILD_MACHINE);
    map()
        .with("steps", seq(steps))
        .with("images", seq([reference]))
        .with_opt("serviceAccount", account)
        .with_comment(
            "Where the Dockerfile lies in the folder that is sent.",
            "substitutions",
            map().with("_DOCKERFILE", "Dockerfile"),
        )
        .with("timeout", format!("{BUILD_SECONDS}s"))
        .with("options", options)
        .into()
}
