//! Whole blueprints over an in-memory world.

use slipform_analysis::{Analysis, Options, analyse};
use slipform_source::{Encoding, MemoryWorld};

fn analysed(text: &str) -> Analysis {
    let world = MemoryWorld::new([("train.bp", text)]);
    analyse(&world, &Options { path: "train.bp".into(), ..Options::default() })
}

/// `line: severity [code] message`, one a report.
fn reports(analysis: &Analysis) -> String {
    let mut text = String::new();
    for report in &analysis.diagnostics {
        let line = report.span().and_then(|span| {
            let file = analysis.sources.get(span.file)?;
            Some(file.lines().position(&file.text, span.start as usize, Encoding::Chars).line + 1)
        });
        text.push_str(&format!(
            "{}: {:?} [{}] {}\n",
            line.unwrap_or(0),
            report.severity,
            report.code,
            report.message
        ));
    }
    text
}

#[test]
fn the_standard_library_is_sound() {
    let mut analysis = analysed("");
    analysis.diagnostics = slipform_analysis::check_library();
    assert_eq!(reports(&analysis), "");
}

#[test]
fn the_example_of_the_design_is_clean() {
    let analysis = analysed(
        r#"
param project: ProjectId = "my-project"
param nodes: int = 16 where nodes >= 1
param reserved: string?

let zone = "us-east4-a"

network fabric {
  region   = "us-east4"
  subnet   = 10.0.0.0/20
  pods     = 10.64.0.0/14
  services = 10.1.0.0/20
}

bucket data {
  location = "us-east4"
}

identity trainer {}

image nemo {
  from     = "nvcr.io/nvidia/nemo:24.07"
  packages = ["hydra-core==1.3.2"]
  push_to  = registry("us-east4", "training")
}

cluster a3m on gke {
  network = fabric
  zone    = zone
  pool gpus {
    machine   = "a3-megagpu-8g"
    nodes     = nodes
    capacity  = if reserved is set { reservation(reserved) } else { queued(max = 7d) }
    placement = auto
  }
  queue research {
    pools      = [gpus]
    namespaces = ["team-a", "team-b"]
  }
}

workload pretrain on a3m.gpus {
  image    = nemo
  identity = trainer
  nodes    = nodes
  launch   = torchrun("pretrain_gpt.py", args = { max_steps = 10 })
  parallel = { tensor = 8, pipeline = 4 }
  mounts   = [data at "/data", scratch(2TiB) at "/scratch"]
  env      = { HF_TOKEN = secret("hf-token") }
  restarts = 3
  patch jobset { spec = { ttlSecondsAfterFinished = 3600 } }
}

assert nodes % 2 == 0, "the rail layout of this fleet needs pairs of nodes"
output world = pretrain.world_size
"#,
    );
    assert_eq!(reports(&analysis), "");
    let plan = analysis.plan.unwrap();
    let (_, workload) = plan.model.workloads().next().unwrap();
    assert_eq!(workload.parallel.tensor.value, 8);
    assert_eq!(plan.model.nouns.len(), 8);
    assert_eq!(plan.outputs().first().unwrap().1.value.to_string(), "128");
}

#[test]
fn values_of_the_project_file_are_reported_where_it_writes_them() {
    let project = r#"[project]
name = "keep" # nodes = 1, keep = 2

[env.dev.params]
nodes = 1
keep = 2

[env.prod.params]
"nodes" = 400
keep = "now"
capacity = "queued(max = 2)"
zones = ["us-east4-a", 7]
labels = 'none'
"#;
    let blueprint = r#"
param nodes: int = 1 where nodes < 100
param keep: int
param capacity: Capacity
param zones: [string]
param labels: Labels
"#;
    let world = MemoryWorld::new([("p/slipform.toml", project), ("p/train.bp", blueprint)]);
    let options =
        Options { path: "p".into(), environment: Some("prod".into()), ..Options::default() };
    let analysis = analyse(&world, &options);
    let found: Vec<(&str, &str)> = analysis
        .diagnostics
        .iter()
        .filter_map(|report| {
            let span = report.span()?;
            let file = analysis.sources.get(span.file)?;
            assert_eq!(file.path, "p/slipform.toml", "{report:?}");
            Some((&*report.code, file.text.get(span.range())?))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("param/where", "400"),
            ("param/value", "now"),
            ("types/mismatch", "2"),
            ("types/mismatch", "7"),
            ("param/value", "none"),
        ]
    );
}

#[test]
fn names_come_through_a_long_chain_of_files_that_use_the_next_one_twice() {
    const FILES: usize = 48;
    let mut files: Vec<(String, String)> = (0..FILES)
        .map(|at| {
            let next = at + 1;
            let text = format!(
                "use f{next}.{{deep as a}}\nuse f{next}.{{deep as b}}\nlet deep = if true {{ a }} else {{ b }}\n"
            );
            (format!("p/f{at}.bp"), text)
        })
        .collect();
    files.push((format!("p/f{FILES}.bp"), "let deep = 7\n".to_owned()));
    files.push(("p/main.bp".to_owned(), "use f0.{deep}\nlet size: Size = deep\n".to_owned()));
    let world = MemoryWorld::new(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let analysis = analyse(&world, &Options { path: "p/main.bp".into(), ..Options::default() });
    assert_eq!(reports(&analysis), "2: Error [types/mismatch] expected `Size`, found `int`\n");
}

#[test]
fn a_noun_is_told_by_what_the_blueprint_declares_and_not_by_its_line() {
    let analysis = analysed(
        r#"
param project: ProjectId = "my-project"

component pair {
  bucket hot {
    location = "us"
  }
  for place in ["eu", "us"] {
    bucket cold {
      location = place
    }
  }
}

component lone {
  bucket whatever {
    location = "us"
  }
}

component nested {
  lone inner {}
}

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

for zone in ["us-east4-a"] {
  cluster c on gke {
    network = fabric
    zone    = zone
    for number in 0..0 {
      pool gpus {
        machine = "a3-megagpu-8g"
        nodes   = 2
      }
    }
  }
}

pair store {}
lone single {}
nested deep {}
for city in ["a b"] {
  lone many {}
}
"#,
    );
    assert_eq!(reports(&analysis), "");
    let origins = analysis.plan.iter().flat_map(|plan| &plan.model.nouns);
    let origins: Vec<&str> = origins.map(|noun| noun.origin.as_str()).collect();
    assert_eq!(
        origins,
        [
            "network fabric",
            "pair store, bucket hot",
            "lone single",
            "nested deep",
            r#"cluster c["us-east4-a"]"#,
            r#"cluster c["us-east4-a"], pool gpus[0]"#,
            r#"pair store, bucket cold["eu"]"#,
            r#"pair store, bucket cold["us"]"#,
            r#"lone many["a b"]"#,
        ]
    );
}

#[test]
fn another_field_reads_the_url_of_a_bucket_as_the_plan_has_it() {
    let analysis = analysed(
        "bucket data {\n  location = \"us-east4\"\n}\nimage i {\n  from = \"python:3.12\"\n  env = { DATA = data.url }\n}\n",
    );
    let plan = analysis.plan.unwrap();
    let (bucket, _) = plan.model.buckets().next().unwrap();
    let (_, image) = plan.model.images().next().unwrap();
    let url = format!("gs://{}", plan.name(bucket.id).unwrap());
    assert_eq!(url, "gs://train-data");
    assert_eq!(image.env.get("DATA"), Some(&url));
}
