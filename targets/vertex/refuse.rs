//! What Vertex AI has no form for.

use super::job::Site;
use crate::launch::Word;
use slipform_model::Diagnostic;
use slipform_model::nouns::Body;
use slipform_model::plan::{Env, Variable};

/// Says what of a workload cannot be done.
pub(crate) fn refuse(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    machine(site, refused);
    dashboard(site, refused);
    environment(site, refused);
    labels(site, refused);
}

fn machine(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    let machine = &site.machines.machine;
    if !machine.vertex.training
        && machine.vertex.accelerator_type.is_none()
        && (machine.accelerator.is_some() || machine.tpu.is_some())
        || not_offered(site)
    {
        let message = format!("Vertex AI does not train on `{}`", machine.name);
        refused.push(
            Diagnostic::error("vertex/machine", message, site.cluster.machine.span)
                .also(site.workload.place.span, "runs there"),
        );
    }
    let has_fabric = site.machines.stack.as_ref().is_none_or(|stack| stack.vertex.is_some());
    if site.run.lead.fabric && !has_fabric {
        let message =
            format!("the GPUs of `{}` reach the network over plain TCP on Vertex AI", machine.name);
        refused.push(
            Diagnostic::warning("vertex/fabric", message, site.workload.place.span)
                .help("set `fabric = \"off\"` if that is meant"),
        );
    }
}

/// By its own name or its family's.
fn not_offered(site: Site<'_>) -> bool {
    let machine = &site.machines.machine;
    let names = site.plan.model.catalog.vertex().map_or(&[][..], |facts| &facts.not_offered);
    names
        .iter()
        .any(|name| *name == machine.name || *name == machine.family || *name == machine.series)
}

fn dashboard(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    let Some(dashboard) = &site.workload.dashboard else { return };
    if site.workload.identity.is_none() {
        let message = "a custom job with a dashboard needs a service account that may write to it";
        refused.push(
            Diagnostic::error("vertex/dashboard-identity", message, dashboard.span)
                .help("add `identity` to the workload"),
        );
    }
    let Some(Body::Dashboard(body)) = site.plan.model.get(dashboard.value).map(|noun| &noun.body)
    else {
        return;
    };
    if body.region.value != site.cluster.region.value {
        let message = format!(
            "the dashboard is in {}, and the job runs in {}",
            body.region.value, site.cluster.region.value
        );
        let diagnostic = Diagnostic::error("vertex/dashboard-region", message, dashboard.span);
        refused.push(
            diagnostic
                .also(body.region.span, "the dashboard's")
                .also(site.cluster.region.span, "the job's"),
        );
    }
}

fn environment(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    let facts = site.plan.model.catalog.vertex();
    if site.gang.program.command.iter().any(|word| !Word::from(word).has_spelling()) {
        let message = "a word of the command holds a NUL, which no program can be given";
        refused.push(Diagnostic::error("text/spelling", message, site.workload.launch.span));
    }
    for Variable { name, value, span } in &site.gang.program.env {
        if let Env::Word(word) = value
            && !Word::from(word).has_spelling()
        {
            let message = format!("`{name}` holds a NUL, which no variable can");
            refused.push(Diagnostic::error("text/spelling", message, *span));
        }
        if facts.is_some_and(|facts| facts.injected.contains(name)) {
            let message = format!("`{name}` is set by Vertex AI itself");
            refused.push(
                Diagnostic::error("vertex/env-name", message, *span)
                    .help("leave it out, or use another name"),
            );
        }
    }
    let most = site.plan.model.catalog.limits().map_or(u32::MAX, |limits| limits.vertex.env_max);
    let env = &site.gang.program.env;
    if let (true, Some(first)) = (env.len() > most as usize, env.first()) {
        let message = format!("{} environment variables, and Vertex AI takes {most}", env.len());
        refused.push(Diagnostic::error("vertex/env-count", message, first.span));
    }
}

/// Labels are of lower-case letters, digits, `_` and `-`.
fn labels(site: Site<'_>, refused: &mut Vec<Diagnostic>) {
    let most = site
        .plan
        .model
        .catalog
        .limits()
        .map_or(usize::MAX, |limits| limits.vertex.label_max as usize);
    let plain = |c: char| c.is_lowercase() || c.is_numeric() || matches!(c, '_' | '-');
    let fits = |text: &str| text.chars().count() <= most && text.chars().all(plain);
    for (noun, labels) in
        [(site.cluster_noun, &site.cluster.labels), (site.noun, &site.workload.labels)]
    {
        for (key, value) in labels {
            if !fits(key) || !fits(value) || !key.starts_with(char::is_lowercase) {
                let message = format!(
                    "label `{key} = \"{value}\"` is not one of Vertex AI: lower-case letters, digits, `_` and `-`, at most {most}"
                );
                let at = noun.fields.get("labels").map_or(noun.span, |labels| labels.span);
                refused.push(Diagnostic::error("vertex/label", message, at));
            }
        }
    }
}
