//! The folder of one workload: a base that is complete, and an overlay for the environment.

use super::context::Context;
use super::held;
use super::jobset::{self, ClaimObject};
use super::kustomize::{Folder, Stream, environment_patch, image};
use super::objects::{Image, JobSetSpec, Kustomization, Object};
use super::patch;
use super::pod::{Findings, Run};
use crate::document::{Node, to_node};
use crate::launch::Word;
use crate::template::TEXT_SPELLING;
use crate::{Output, Stage};
use slipform_model::Diagnostic;
use slipform_model::nouns::{Pool, Workload};
use slipform_model::plan::{self, Env, Launcher, Planned};

/// Writes a workload that runs on GKE.
pub(crate) fn render<'a>(
    cx: &'a Context<'a>,
    workload: Planned<'a, Workload>,
    stream: &mut Stream,
    out: &mut Output,
) {
    let Some(run) = run(cx, workload) else { return };
    let noun = run.noun;
    let folder = Stage::Workload(run.plan.name.clone()).folder();
    let nouns: Vec<_> = run.plan.gangs().map(|gang| gang.program.noun).collect();
    let base = Folder { path: folder.join("base"), nouns };

    let mut found = Findings::default();
    let jobset = jobset::of_workload(cx, run, &mut found);
    for object in jobset::claims(cx, run) {
        match object {
            ClaimObject::Domain(object) => stream.object(&noun.origin, &object),
            ClaimObject::Template(object) => stream.object(&noun.origin, &object),
        }
    }
    let comment = comment(cx, run);
    if patch::has(noun, patch::Document::JobSet) {
        let told = &mut found.diagnostics;
        let tree = patch::applied(noun, patch::Document::JobSet, &jobset, told);
        told.extend(held(cx, run, &jobset, Some(&tree)));
        stream.add(&comment, &tree);
    } else {
        found.diagnostics.extend(held(cx, run, &jobset, None));
        stream.add(&comment, &jobset);
    }
    out.file(base.path.join("jobset.yaml"), stream.take(), base.nouns());

    let mut kustomization =
        Kustomization { resources: vec!["jobset.yaml".into()], ..Kustomization::default() };
    found.deferrals.finish(&mut kustomization, &base, out);
    base.kustomization(&noun.origin, &kustomization, stream, out);

    if out.is_read() {
        overlay(cx, run, &jobset, base, stream, out);
    }
    out.applied(super::cluster::place(cx, run.nodes.cluster, &run.site.namespace));
    out.diagnostics.extend(found.diagnostics);
    out.diagnostics.extend(unspelled(run));
}

/// Writes the overlay for the environment.
fn overlay(
    cx: &Context<'_>,
    run: Run<'_>,
    jobset: &Object<'_, JobSetSpec<'_>>,
    base: Folder,
    stream: &mut Stream,
    out: &mut Output,
) {
    let jobs = jobset.spec.as_ref().map_or(0, |spec| spec.replicated_jobs.len());
    let daemons: Vec<String> =
        run.crews(cx).filter_map(|crew| Some(crew.fabric()?.daemon()?.name.into_owned())).collect();
    let environment = environment(cx);
    let path = base.path.with_file_name("overlays").join(&environment);
    let kustomization = Kustomization {
        resources: vec!["../../base".into()],
        images: images(jobset, &daemons),
        patches: vec![environment_patch(&cx.jobset.api, &run.plan.name, jobs, &environment)],
        ..Kustomization::default()
    };
    let overlay = Folder { path, nouns: base.nouns };
    overlay.kustomization(&overlay_comment(run), &kustomization, stream, out);
}

/// The run of a workload; none where it is not on GKE.
fn run<'a>(cx: &'a Context<'a>, workload: Planned<'a, Workload>) -> Option<Run<'a>> {
    let Planned { noun, body, plan, .. } = workload;
    let site = plan.gke()?;
    // Its namespace and priority are what objects are given; another queue that would have it is a rule's.
    let plan::GkeSite { pool, cluster: _, namespace: _, queue, other_queue: _, priority: _ } = site;
    let nodes = cx.nodes(cx.plan.get(*pool));
    let admission = queue.map(|queue| cx.admission(queue));
    Some(Run { noun, body, plan, site, nodes, admission })
}

/// What no process can be given: words and values with a NUL.
fn unspelled(run: Run<'_>) -> Vec<Diagnostic> {
    let mut told = Vec::new();
    for gang in run.plan.gangs() {
        let program = &gang.program;
        if program.words().any(|word| !Word::fits(word)) {
            let message = "a word of the command holds a NUL, which no program can be given";
            told.push(Diagnostic::error(TEXT_SPELLING, message, program.launcher.span));
        }
        told.extend(program.env.iter().filter_map(|variable| match &variable.value {
            Env::Word(word) if !Word::fits(word) => {
                let message = format!("`{}` holds a NUL, which no variable can", variable.name);
                Some(Diagnostic::error(TEXT_SPELLING, message, variable.span))
            }
            Env::Word(_) | Env::Secret { .. } => None,
        }));
    }
    told
}

/// What no longer fits once the JobSet, or a pool that it may run on, is patched.
fn held(
    cx: &Context<'_>,
    run: Run<'_>,
    jobset: &impl serde::Serialize,
    patched: Option<&Node>,
) -> Vec<Diagnostic> {
    let is_patched = |it: Planned<'_, Pool>| !it.noun.patches.is_empty();
    let mut pools = run.plan.gangs().flat_map(|gang| cx.plan.selected(&gang.pod.selection));
    if patched.is_none() && !pools.any(is_patched) {
        return Vec::new();
    }
    let Ok(before) = to_node(jobset) else { return Vec::new() };
    let grounds = held::grounds(cx, run);
    let mut told = held::untolerated(&grounds, patched.unwrap_or(&before));
    if let Some(after) = patched {
        told.extend(held::told(run.noun, (cx.plan.catalog(), &grounds), &before, after));
    }
    told
}

/// An environment's name as a folder and as a label's value.
fn environment(cx: &Context<'_>) -> String {
    let name = cx.dns(cx.plan.environment());
    if name.is_empty() { "default".to_owned() } else { name }
}

fn images<'a>(jobset: &Object<'a, JobSetSpec<'a>>, daemons: &[String]) -> Vec<Image<'static>> {
    let mut images: Vec<Image<'static>> = Vec::new();
    let jobs = jobset.spec.iter().flat_map(|spec| &spec.replicated_jobs);
    let pods = jobs.map(|job| &job.value.template.spec.template.spec);
    let containers = pods.flat_map(|pod| pod.containers.iter().chain(&pod.init_containers));
    for container in
        containers.filter(|container| !daemons.iter().any(|daemon| *daemon == container.name))
    {
        let image = owned(image(&container.image));
        if !images.iter().any(|known| known.name == image.name) {
            images.push(image);
        }
    }
    images
}

fn owned(image: Image<'_>) -> Image<'static> {
    Image {
        name: image.name.into_owned().into(),
        new_tag: image.new_tag.map(|tag| tag.into_owned().into()),
        digest: image.digest.map(|digest| digest.into_owned().into()),
    }
}

fn comment(cx: &Context<'_>, run: Run<'_>) -> String {
    let mut comment = run.noun.origin.clone();
    if run.crews(cx).any(|crew| crew.tpu() && crew.gang.identity.is_some()) {
        comment.push_str(
            "\nno hostNetwork: Workload Identity does not reach pods on the network of their node",
        );
    }
    if run.plan.gangs().any(|gang| gang.program.launcher.value == Launcher::Mpirun) {
        let (name, namespace) = (&run.plan.name, &run.site.namespace);
        comment.push_str(&format!(
            "\nan image without keys of its own needs a pair:\n  ssh-keygen -t ed25519 -N '' -f id\n  kubectl create secret generic {name}-ssh --namespace={namespace} --from-file=id --from-file=id.pub"
        ));
    }
    comment
}

/// A JobSet's jobs cannot be changed once it is there, so a new run takes the place of the old one.
fn overlay_comment(run: Run<'_>) -> String {
    let (name, namespace) = (&run.plan.name, &run.site.namespace);
    format!(
        "{}\nstart:    kubectl apply -k .\nagain:    kubectl delete jobset {name} --namespace={namespace} --ignore-not-found --cascade=foreground && kubectl apply -k .\nby digest: put `digest: sha256:...` in the place of `newTag`",
        run.noun.origin.clone()
    )
}
