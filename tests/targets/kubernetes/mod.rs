//! What comes out, read back: every document is parsed again and looked at as data.

mod admitted;
mod cluster;
mod counted;
mod flavors;
mod given;
mod groups;
mod placed;
mod samples;
mod teams;
mod workload;

use serde_yaml::Value;
use slipform_targets::Output;
use slipform_tests::text::rendered_unjudged;

/// What a blueprint gives, whatever rules warn of: all machines stand in one zone here.
fn rendered(text: impl AsRef<str>) -> Output {
    rendered_unjudged(text.as_ref()).output
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
