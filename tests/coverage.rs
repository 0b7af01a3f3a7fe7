//! What platforms do with fields: every field has a row, and every row is tried by writing the field.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_analysis::{Options, analyse};
use slipform_source::MemoryWorld;
use slipform_targets::Artifact;
use slipform_targets::coverage::{Cover, Platform};
use slipform_tests::{Report, checked_text, reports};

/// Everything that a workload may refer to, on each platform.
const GROUND: &str = r#"param project: ProjectId = "my-project"

network vpc {
  region   = "us-east5"
  subnet   = 10.0.0.0/16
  pods     = 10.4.0.0/14
  services = 10.8.0.0/20
}

identity trainer {}
identity other {}

bucket data {
  location = "us-east5"
  access   = "write"
}

dashboard board {
  region = "us-east5"
}

cluster gke on gke {
  network = vpc
  zone    = "us-east5-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  pool spare {
    machine  = "a3-megagpu-8g"
    nodes    = 4
    capacity = spot
  }

  pool cpus {
    machine = "n2-standard-8"
    nodes   = 2
  }

  pool more {
    machine = "n2-standard-8"
    nodes   = 2
  }

  pool slices {
    machine  = "ct5p-hightpu-4t"
    topology = 2x2x2
    slices   = 2
    zone     = "us-east5-a"
  }

  queue first {
    pools      = [gpus]
    namespaces = ["default", "team"]
  }

  queue second {
    pools      = [gpus]
    namespaces = ["default", "team"]
  }
}

cluster slurm on slurm {
  shared        = "/shared"
  node_identity = trainer

  partition h100 {
    machine = "a3-megagpu-8g"
    nodes   = 4
  }

  partition more {
    machine = "a3-megagpu-8g"
    hosts   = "more-[0-3]"
    nodes   = 4
  }
}

cluster vertex on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
  staging = data
  capacity = spot
}

cluster vertex2 on vertex {
  region  = "us-east5"
  machine = "a3-megagpu-8g"
  staging = data
  capacity = flex_start(1d)
}
"#;

/// A field of a workload as it stands at first, if it does, and as it stands then.
struct Change {
    field: &'static str,
    before: &'static str,
    after: &'static str,
    /// Where it stands on one platform instead of its usual place: a TPU pool for slices.
    at: Option<(Platform, &'static str)>,
}

const fn change(field: &'static str, before: &'static str, after: &'static str) -> Change {
    Change { field, before, after, at: None }
}

/// What both mount.
const MOUNTS: &[Change] = &[
    change("mounts", "", "mounts = [mount(data, \"/data\")]"),
    change(
        "mounts.folder",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", folder = \"part\")]",
    ),
    change(
        "mounts.read_only",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", read_only = true)]",
    ),
    change(
        "mounts.use",
        "mounts = [mount(data, \"/data\")]",
        "mounts = [mount(data, \"/data\", use = \"checkpoints\")]",
    ),
];

/// Every field of a workload, changed. What names a place of the platform stands in capitals.
const WORKLOAD: &[Change] = &[
    change("place", "", ""),
    change("image", "", ""),
    change("nodes", "nodes = 2", "nodes = 3"),
    Change {
        at: Some((Platform::Gke, "gke.slices")),
        ..change("slices", "slices = 1", "slices = 2")
    },
    change("launch", "launch = torchrun(\"train.py\")", "launch = torchrun(\"other.py\")"),
    change("parallel", "", "parallel = { tensor = 8 }"),
    change("env", "", "env = { A = \"b\" }"),
    change("restarts", "", "restarts = 1"),
    change("max_run", "", "max_run = 5h"),
    change("test", "", "test = true"),
    change("grace", "", "grace = 10s"),
    change("queue", "", "queue = gke.second"),
    change("namespace", "", "namespace = \"team\""),
    change("priority", "", "priority = \"high\""),
    change("identity", "identity = trainer", "identity = other"),
    change("dashboard", "", "dashboard = board"),
    change("shared_memory", "", "shared_memory = 1GiB"),
    change("workdir", "", "workdir = \"/work\""),
    change("name", "", "name = \"other\""),
    change("fabric", "", "fabric = \"off\""),
    change("labels", "", "labels = { team = \"a\" }"),
];

/// The same of a side job.
const SIDE_JOB: &[Change] = &[
    change("", "", ""),
    change("pool", "pool = gke.cpus", "pool = gke.more"),
    change("image", "image = \"a:1\"", "image = \"a:2\""),
    change("launch", "launch = command([\"true\"])", "launch = command([\"false\"])"),
    change("env", "", "env = { A = \"b\" }"),
    change("cpus", "", "cpus = 2"),
    change("memory", "", "memory = 3GiB"),
];

fn places(platform: Platform) -> [&'static str; 2] {
    match platform {
        Platform::Gke => ["gke.gpus", "gke.spare"],
        Platform::Slurm => ["slurm.h100", "slurm.more"],
        Platform::Vertex => ["vertex", "vertex2"],
    }
}

/// What the fields of a workload are where none of them is tried.
const USUAL: [(&str, &str); 4] = [
    ("image", "image = \"pytorch/pytorch:2.7.0-cuda12.8-cudnn9-runtime\""),
    ("nodes", "nodes = 2"),
    ("launch", "launch = torchrun(\"train.py\")"),
    ("identity", "identity = trainer"),
];

/// A workload with one field as it is tried.
fn workload(place: &str, field: &str, line: &str, side_job: Option<&str>) -> String {
    let usual = USUAL.iter().filter(|(name, _)| *name != field);
    let usual = usual.filter(|(name, _)| field != "slices" || *name != "nodes");
    let mut lines: Vec<&str> = usual.map(|(_, line)| *line).collect();
    lines.push(line);
    lines.extend(side_job);
    format!("{GROUND}\nworkload train on {place} {{\n  {}\n}}\n", lines.join("\n  "))
}

fn side_job(field: &str, line: &str) -> String {
    let usual = ["pool = gke.cpus", "image = \"a:1\"", "launch = command([\"true\"])"];
    let is = |line: &&str| line.split(' ').next() == Some(field);
    let mut lines: Vec<&str> = usual.into_iter().filter(|line| !is(line)).collect();
    lines.push(line);
    format!("side_job beside {{\n    {}\n  }}", lines.join("\n    "))
}

/// The blueprints before and after a change.
fn both(platform: Platform, kind: &str, change: &Change) -> [String; 2] {
    let [place, other] = places(platform);
    let own = change.at.filter(|(it, _)| *it == platform);
    let place = own.map_or(place, |(_, place)| place);
    let Change { field, before, after, .. } = change;
    match (kind, *field) {
        ("side_job", "") => {
            [workload(place, "", "", None), workload(place, "", "", Some(&side_job("", "")))]
        }
        ("side_job", _) => {
            [before, after].map(|line| workload(place, "", "", Some(&side_job(field, line))))
        }
        (_, "place") => [workload(place, "", "", None), workload(other, "", "", None)],
        (_, "image") => {
            ["image = \"a:1\"", "image = \"a:2\""].map(|line| workload(place, "image", line, None))
        }
        _ => [before, after].map(|line| workload(place, field, line, None)),
    }
}

/// What a blueprint renders to, and what is said of it.
fn tried(text: &str) -> (Vec<Artifact>, Vec<Report>) {
    let (analysis, output) = checked_text(text);
    (output.artifacts, reports(&analysis))
}

fn bytes(artifacts: &[Artifact]) -> Vec<(&str, &str)> {
    artifacts.iter().map(|it| (it.path.as_str(), it.content.as_str())).collect()
}

/// What does not hold of a row.
fn fault(cover: Cover, texts: [String; 2]) -> Option<String> {
    let [(before, first), (after, then)] = texts.map(|text| tried(&text));
    if let Some(error) = first.iter().find(|it| it.severity == "error") {
        return Some(format!("before the change: {error:?}"));
    }
    let same = bytes(&before) == bytes(&after);
    let told = |code: &str| then.iter().any(|it| it.code == code);
    let error = then.iter().find(|it| it.severity == "error");
    match cover {
        Cover::Honoured | Cover::Noted(_) => match error {
            Some(error) => Some(format!("after the change: {error:?}")),
            None => same.then(|| "changes nothing".to_owned()),
        },
        Cover::NoEffect(_) => (!same).then(|| format!("changes something: {error:?}")),
        Cover::Ignored(answer) => {
            (!told(answer.code.name) || !same).then(|| "is not ignored with a warning".to_owned())
        }
        Cover::Refused(answer) => (!told(answer.code.name) || error.is_none())
            .then(|| format!("is not refused: {then:?}")),
        Cover::Ruled(code) => (!told(code)).then(|| format!("{code} does not say so: {then:?}")),
    }
}

#[test]
fn every_row_is_true() {
    let mut faults = Vec::new();
    for platform in Platform::ALL {
        for (kind, changes) in [("workload", WORKLOAD), ("side_job", SIDE_JOB)] {
            for (field, cover) in platform.rows(kind).unwrap() {
                let change = changes.iter().chain(MOUNTS).find(|it| it.field == *field);
                let change = change.unwrap_or_else(|| panic!("no change of {kind} {field}"));
                let texts = both(platform, kind, change);
                if let Some(fault) = fault(*cover, texts) {
                    faults.push(format!("{} {kind} {field}: {fault}", platform.title()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_field_has_a_row_on_every_platform() {
    let world = MemoryWorld::new([("main.bp", "")]);
    let schema = analyse(&world, &Options { path: "main.bp".into(), ..Options::default() }).schema;
    for kind in schema.kinds.values().filter(|it| ["workload", "side_job"].contains(&&*it.name)) {
        for platform in Platform::ALL {
            let rows = platform.rows(&kind.name).unwrap();
            if let [("", Cover::Refused(_))] = rows {
                continue;
            }
            let named: Vec<&str> = rows
                .iter()
                .map(|(field, _)| *field)
                .filter(|it| !it.contains('.') && !it.is_empty())
                .collect();
            let declared = kind.fields.0.iter().filter(|(_, field)| !field.derived);
            let declared: Vec<&str> = declared.map(|(name, _)| &**name).collect();
            assert_eq!(named, declared, "{} on {}", kind.name, platform.title());
        }
    }
}
