//! What comes out, read back: every document is parsed again and looked at as data.

mod cluster;
mod refused;
mod samples;
mod workload;

use super::Kubernetes;
use crate::testing::Blueprint;
use crate::{Output, Target};
use serde_yaml::Value;

/// What a blueprint gives, and nothing wrong with it.
fn rendered(blueprint: Blueprint) -> Output {
    let out = rendered_with_diagnostics(blueprint);
    assert_eq!(out.diagnostics, [], "{:#?}", out.diagnostics);
    out
}

fn rendered_with_diagnostics(blueprint: Blueprint) -> Output {
    let mut out = Output::default();
    Kubernetes.render(blueprint.plan().sound().unwrap(), &mut out);
    out
}

/// The codes and messages of what is refused.
fn refused(blueprint: Blueprint) -> Vec<(String, String)> {
    let out = rendered_with_diagnostics(blueprint);
    out.diagnostics.iter().map(|it| (it.code.to_string(), it.message.clone())).collect()
}

fn file<'a>(out: &'a Output, path: &str) -> &'a str {
    let found = out.artifacts.iter().find(|artifact| artifact.path == path);
    let paths: Vec<_> = out.artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    &found.unwrap_or_else(|| panic!("no {path} in {paths:#?}")).content
}

/// The documents of a file.
fn documents(out: &Output, path: &str) -> Vec<Value> {
    file(out, path).split("\n---\n").map(|text| serde_yaml::from_str(text).unwrap()).collect()
}

/// The document of a kind and name.
fn object(out: &Output, path: &str, kind: &str, name: &str) -> Value {
    let is = |it: &Value| it["kind"] == kind && it["metadata"]["name"] == name;
    documents(out, path)
        .into_iter()
        .find(is)
        .unwrap_or_else(|| panic!("no {kind} {name} in {path}"))
}

fn jobset(out: &Output, name: &str) -> Value {
    object(out, &format!("50-workloads/{name}/base/jobset.yaml"), "JobSet", name)
}

/// The Job template of a replicated job.
fn job<'a>(jobset: &'a Value, name: &str) -> &'a Value {
    let jobs = jobset["spec"]["replicatedJobs"].as_sequence().unwrap();
    &jobs.iter().find(|job| job["name"] == name).unwrap()["template"]
}

fn pod<'a>(jobset: &'a Value, name: &str) -> &'a Value {
    &job(jobset, name)["spec"]["template"]
}

fn container<'a>(jobset: &'a Value, name: &str) -> &'a Value {
    &pod(jobset, name)["spec"]["containers"][0]
}

/// The value of a variable of a container.
fn env<'a>(container: &'a Value, name: &str) -> &'a Value {
    let variables = container["env"].as_sequence().unwrap();
    &variables
        .iter()
        .find(|variable| variable["name"] == name)
        .unwrap_or_else(|| panic!("no {name}"))["value"]
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_sequence().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

/// As a literal of YAML.
fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

/// What Kubernetes makes of a word of a command: `$(NAME)` becomes the variable, `$$` one sign.
fn expanded(word: &str, env: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(tail) = after.strip_prefix('$') {
            out.push('$');
            rest = tail;
        } else if let Some((name, tail)) =
            after.strip_prefix('(').and_then(|inner| inner.split_once(')'))
        {
            out.push_str(&env(name).unwrap_or_else(|| format!("$({name})")));
            rest = tail;
        } else {
            out.push('$');
            rest = after;
        }
    }
    out + rest
}
