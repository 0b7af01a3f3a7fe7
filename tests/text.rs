//! Blueprints that tests write as text: what follows from them, and what is rendered, by the way that users take.

#![allow(clippy::panic, reason = "what a test takes for granted fails it")]

use crate::{Report, checked, reports};
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::plan::{
    ClusterPlan, Gang, PartitionPlan, Plan, PoolPlan, QueuePlan, Run, VertexPlan, facts,
};
use slipform_model::{Noun, NounId};
use slipform_source::MemoryWorld;
use slipform_targets::Output;
use std::fmt::Write as _;

/// What every text starts with: the project that its names are made of.
const PROJECT: &str = "param project: ProjectId = \"my-project-1\"\n";

fn world(files: &[(&str, &str)]) -> (MemoryWorld, Options) {
    let files = files.iter().map(|(path, text)| match *path {
        "main.bp" => (*path, format!("{PROJECT}{text}")),
        _ => (*path, (*text).to_owned()),
    });
    let path = "main.bp".into();
    (MemoryWorld::new(files), Options { path, ..Options::default() })
}

/// Fails on a report whose code is not among these.
fn expect(analysis: &Analysis, text: &str, codes: &[&str]) {
    expect_of(analysis, text, |it| codes.contains(&it.code.as_str()));
}

/// Fails on a report that is not among those that are known.
fn expect_of(analysis: &Analysis, text: &str, known: impl Fn(&Report) -> bool) {
    let found = reports(analysis);
    let strange: Vec<String> = found
        .iter()
        .filter(|it| !known(it))
        .map(|it| format!("{} [{}] {} at `{}`", it.line - 1, it.code, it.message, it.at))
        .collect();
    assert!(strange.is_empty(), "{}\n{text}", strange.join("\n"));
}

/// What follows from a text; its nouns go by their paths.
pub struct Planned {
    /// Everything that follows.
    pub plan: Plan,
}

/// What follows from a text that nothing is said of.
pub fn planned(text: &str) -> Planned {
    planned_despite(text, &[])
}

/// What follows from a text of which nothing is said but what has these codes.
pub fn planned_despite(text: &str, codes: &[&str]) -> Planned {
    let (world, options) = world(&[("main.bp", text)]);
    let analysis = analyse(&world, &options);
    expect(&analysis, text, codes);
    let Some(plan) = &analysis.plan else { panic!("no plan of\n{text}") };
    Planned { plan: Plan::clone(plan) }
}

/// What a text must have: the plan of a noun.
fn there<T>(found: Option<T>, path: &str) -> T {
    found.unwrap_or_else(|| panic!("nothing follows for `{path}`"))
}

impl Planned {
    /// The noun at a path.
    pub fn noun(&self, path: &str) -> &Noun {
        there(self.plan.model.nouns.iter().find(|noun| noun.path == path), path)
    }

    /// The id of the noun at a path.
    pub fn id(&self, path: &str) -> NounId {
        self.noun(path).id
    }

    /// The path of a noun.
    pub fn path(&self, id: NounId) -> &str {
        self.plan.model.get(id).map_or("-", |noun| &noun.path)
    }

    /// What follows for a cluster.
    pub fn cluster(&self, path: &str) -> &ClusterPlan {
        there(self.plan.cluster(self.id(path)), path)
    }

    /// What follows for a pool.
    pub fn pool(&self, path: &str) -> &PoolPlan {
        there(self.plan.pool(self.id(path)), path)
    }

    /// What follows for a partition.
    pub fn partition(&self, path: &str) -> &PartitionPlan {
        there(self.plan.partition(self.id(path)), path)
    }

    /// What follows for a queue.
    pub fn queue(&self, path: &str) -> &QueuePlan {
        there(self.plan.queue(self.id(path)), path)
    }

    /// What follows for machines of Vertex AI.
    pub fn vertex(&self, path: &str) -> &VertexPlan {
        there(self.plan.vertex(self.id(path)), path)
    }

    /// What follows for a workload.
    pub fn run(&self, path: &str) -> &Run {
        there(self.plan.workload(self.id(path)), path)
    }

    /// The gang of a side job.
    pub fn group(&self, path: &str) -> &Gang {
        there(self.plan.group(self.id(path)), path)
    }

    /// A derived field as text; `-` where it does not follow.
    pub fn fact(&self, path: &str, name: &str) -> String {
        let value = facts(&self.plan, self.id(path), name);
        value.map_or_else(|| "-".to_owned(), |value| value.to_string())
    }

    /// Derived fields of a noun, a line each.
    pub fn facts(&self, path: &str, names: &[&str]) -> String {
        let mut out = String::new();
        for name in names {
            let _ = writeln!(out, "{path}.{name} = {}", self.fact(path, name));
        }
        out
    }
}

/// What is rendered of a text.
pub struct Rendered {
    /// The text.
    pub text: String,
    /// What follows from it.
    pub planned: Planned,
    /// What comes of it.
    pub output: Output,
    /// The errors, by which nothing is rendered.
    pub errors: Vec<String>,
    /// The codes of what is said of it, in order.
    pub codes: Vec<String>,
}

/// What is rendered of a text that nothing is said of.
pub fn rendered(text: &str) -> Rendered {
    rendered_despite(text, &[])
}

/// What is rendered of a text of which nothing is said but what has these codes.
pub fn rendered_despite(text: &str, codes: &[&str]) -> Rendered {
    rendered_in(&[("main.bp", text)], codes)
}

/// What is rendered of a text that means something and that nothing refuses, whatever is warned of.
pub fn rendered_unjudged(text: &str) -> Rendered {
    render(&[("main.bp", text)], |it| it.severity != "error")
}

/// What is rendered of `main.bp` among files.
pub fn rendered_in(files: &[(&str, &str)], codes: &[&str]) -> Rendered {
    render(files, |it| codes.contains(&it.code.as_str()))
}

fn render(files: &[(&str, &str)], known: impl Fn(&Report) -> bool) -> Rendered {
    let (world, options) = world(files);
    let (analysis, output) = checked(&world, &options);
    let text = files.iter().find(|(path, _)| *path == "main.bp").map_or("", |(_, text)| text);
    expect_of(&analysis, text, known);
    let Some(plan) = &analysis.plan else { panic!("no plan of\n{text}") };
    let planned = Planned { plan: Plan::clone(plan) };
    let found = reports(&analysis);
    let errors = found.iter().filter(|it| it.severity == "error");
    let errors = errors.map(|it| format!("[{}] {} at `{}`", it.code, it.message, it.at)).collect();
    let codes = found.into_iter().map(|it| it.code).collect();
    Rendered { text: text.to_owned(), planned, output, errors, codes }
}

impl Rendered {
    /// The text of a file.
    pub fn file(&self, path: &str) -> &str {
        let found = self.output.artifacts.iter().find(|it| it.path == path);
        let paths: Vec<_> = self.output.artifacts.iter().map(|it| it.path.as_str()).collect();
        &found.unwrap_or_else(|| panic!("no {path} in {paths:#?}")).content
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.output.artifacts.iter().any(|it| it.path == path)
    }

    /// A snapshot: the text, and the files that a test is about.
    pub fn shown(&self, files: &[&str]) -> String {
        let mut out = format!("{}\n", self.text.trim());
        for path in files {
            let _ = write!(out, "\n--- {path}\n{}\n", self.file(path).trim_end());
        }
        out
    }
}
