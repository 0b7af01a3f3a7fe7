//! What a change does, as it is told: each format, each other side, and where it is not clear what is meant.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different, Errors, Unusable};
use std::process::Command;

pub(crate) const FLEET: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket data {
  location = "us-east4"
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}

workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
}
"#;

fn built() -> Sandbox {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox
}

/// A folder under version control, with one revision.
fn committed() -> Option<Sandbox> {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    let git = |args: &[&str]| {
        let run = Command::new("git").arg("-C").arg(sandbox.path("")).args(args).output();
        run.is_ok_and(|output| output.status.success())
    };
    let made = git(&["init", "-q"]) && git(&["add", "."]);
    let who = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
    let commit = [&who[..], &["commit", "-qm", "first"]].concat();
    (made && git(&commit)).then_some(sandbox)
}

#[test]
fn what_is_the_same_changes_nothing() {
    let sandbox = built();
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Clean);
    assert_eq!(outcome.out, "default, against out/default\nnothing changes\n");
    sandbox.write("train.bp", format!("# words\n{FLEET}"));
    sandbox.run(&["plan", "train.bp"]).expect(Clean);
}

#[test]
fn each_effect_is_told_in_nouns() {
    let sandbox = built();
    let tries = [
        ("a pool grows", FLEET.replace("nodes    = 2", "nodes    = 4")),
        ("a machine is another", FLEET.replace("a3-megagpu-8g", "a3-highgpu-8g")),
        ("a bucket is dropped", FLEET.replace("bucket data {\n  location = \"us-east4\"\n}\n", "")),
        ("a cluster has another name", FLEET.replace("a3m", "east")),
        ("an image is another", FLEET.replace("24.07", "24.09")),
        (
            "a cluster is made anew",
            FLEET.replace("pool gpus", "control_plane = 172.17.0.0/28\n  pool gpus"),
        ),
    ];
    let mut told = String::new();
    for (what, text) in tries {
        sandbox.write("train.bp", &text);
        let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
        told.push_str(&format!("# {what}\n{}\n", outcome.out));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn files_of_slurm_are_told_by_their_nouns() {
    let text = "cluster lab on slurm {\n  partition gpu {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 8\n  }\n}\n\nworkload train on lab.gpu {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  nodes  = 4\n  launch = torchrun(\"train.py\")\n}\n";
    let sandbox = Sandbox::new(&[("lab.bp", text)]);
    sandbox.run(&["build", "lab.bp"]).expect(Clean);
    sandbox.write("lab.bp", text.replace("nodes   = 8", "nodes   = 12").replace("24.07", "24.09"));
    insta::assert_snapshot!(sandbox.run(&["plan", "lab.bp"]).expect(Different).out);
    sandbox.write("before/lab.bp", text);
    let words = sandbox.run(&["plan", "lab.bp", "--against", "before/lab.bp"]).expect(Different);
    assert!(words.out.contains("  partition lab.gpu: nodes 8 -> 12\n"), "{}", words.out);
    sandbox.write("lab.bp", text.replace("lab", "floor"));
    let gone = sandbox.run(&["plan", "lab.bp", "--fail-on", "by-hand"]).expect(Different).out;
    assert!(gone.contains("$ systemctl disable --now slurmctld"), "{gone}");
}

#[test]
fn a_cluster_of_slurm_under_another_name_takes_its_runs_along() {
    let text = "param project: ProjectId = \"my-project\"\n\nnetwork net {\n  region = \"us-east4\"\n}\n\ncluster hpc on slurm {\n  network = net\n  shared  = \"/home/slipform\"\n  zone    = \"us-east4-b\"\n  image   = image_family(\"slurm-a3mega\")\n  partition gpu {\n    machine = \"a3-megagpu-8g\"\n    nodes   = 4\n    capacity = spot\n  }\n}\n\nworkload train on hpc.gpu {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  nodes  = 4\n  launch = torchrun(\"train.py\")\n}\n";
    let sandbox = Sandbox::new(&[("before/hpc.bp", text)]);
    sandbox.write("hpc.bp", text.replace("hpc", "lab"));
    let plan = ["plan", "hpc.bp", "--against", "before/hpc.bp"];
    let told = sandbox.run(&plan).expect(Different).out;
    for words in [
        "what runs there ends with it: train\n",
        "$ gcluster destroy hpc  # before any folder is applied\n",
        "drain first: train\n",
        "start again at the end: train\n",
    ] {
        assert!(told.contains(words), "{words}:\n{told}");
    }
}

#[test]
fn a_folder_and_its_one_file_are_told_to_be_two_projects() {
    let sandbox = Sandbox::new(&[("infra/train.bp", FLEET)]);
    let plan = ["plan", "infra/train.bp", "--against", "infra"];
    let told = sandbox.run(&plan).expect(Different).out;
    let note = "note: the other side is the project `blueprint`, and this one `train`: ";
    assert!(told.contains(note), "{told}");
    sandbox.write("infra/slipform.toml", "[project]\nname = \"fleet\"\n");
    let told = sandbox.run(&plan).expect(Clean).out;
    assert!(!told.contains("the other side is the project"), "{told}");
}

#[test]
fn a_gate_stops_what_is_as_bad_and_nothing_else() {
    let sandbox = built();
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = 4"));
    sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Clean);
    sandbox.run(&["plan", "train.bp", "--fail-on", "in-place"]).expect(Different);
    sandbox.write("train.bp", FLEET.replace("capacity = spot", "capacity = on_demand"));
    sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Different);
    sandbox.run(&["plan", "train.bp", "--fail-on", "destroy"]).expect(Clean);
}

#[test]
fn programs_and_reviews_have_formats_of_their_own() {
    let sandbox = built();
    sandbox.write("train.bp", FLEET.replace("capacity = spot", "capacity = on_demand"));
    let plan = |args: &[&str]| sandbox.run(&[&["plan", "train.bp"], args].concat());
    let run = |format: &str| {
        let outcome = plan(&["--message-format", format]).expect(Different);
        let other = plan(&["--format", format]).expect(Different);
        assert_eq!((&outcome.out, &outcome.err), (&other.out, &other.err), "{format}");
        let before = sandbox.run(&["--message-format", format, "plan", "train.bp"]);
        assert_eq!(outcome.out, before.expect(Different).out, "{format}");
        outcome.out
    };
    let json = run("json");
    let lines: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pool = lines.iter().find(|line| line["noun"] == "pool a3m.gpus").expect("the pool");
    assert_eq!(pool["effect"], "replace");
    assert_eq!(pool["thing"], "google_container_node_pool.gpus");
    assert_eq!(pool["ends"], serde_json::json!(["train"]));
    let markdown = run("markdown");
    assert!(markdown.contains("| **replaces** | pool a3m.gpus |"), "{markdown}");
    let github = run("github");
    assert!(github.starts_with("::error file=train.bp,line=17,"), "{github}");
    assert!(github.lines().all(|line| line.starts_with("::")), "{github}");
    assert_eq!(run("human"), plan(&[]).expect(Different).out);
    plan(&["--format", "json", "--message-format", "json"]).expect(Unusable);
}

#[test]
fn a_format_of_problems_alone_is_refused() {
    let sandbox = built();
    for format in ["short", "sarif", "gitlab", "junit", "rdjson"] {
        let plan = ["plan", "train.bp", "--message-format", format];
        sandbox.refuses(&plan, Unusable, &format!("`{format}` is a format of problems alone"));
        sandbox.refuses(&plan, Unusable, "help: use `human`, `markdown`, `json` or `github`");
    }
    for command in [&["check"][..], &["build", "--check"], &["test"], &["catalog"]] {
        let args = [command, &["--message-format", "markdown"]].concat();
        sandbox.refuses(&args, Unusable, "`markdown` is a format of changes");
    }
}

#[test]
fn another_folder_is_a_build_or_a_blueprint() {
    let sandbox = built();
    sandbox.write("before/train.bp", FLEET);
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = 4"));
    let of_build = sandbox.run(&["plan", "train.bp", "--against", "out/default"]).expect(Different);
    assert!(of_build.out.contains("node_count 2 -> 4"), "{}", of_build.out);
    let of_source =
        sandbox.run(&["plan", "train.bp", "--against", "before/train.bp"]).expect(Different);
    assert!(of_source.out.contains("pool a3m.gpus: nodes 2 -> 4"), "{}", of_source.out);
}

#[test]
fn a_revision_is_read_where_there_is_a_repository() {
    let Some(sandbox) = committed() else { return };
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = 4"));
    let outcome = sandbox.run(&["plan", "train.bp", "--against", "HEAD"]).expect(Different);
    assert!(outcome.out.contains("pool a3m.gpus: nodes 2 -> 4"), "{}", outcome.out);
    for odd in ["HEAD~7", "--upload-pack=x", "nothing"] {
        let outcome =
            sandbox.run(&["plan", "train.bp", &format!("--against={odd}")]).expect(Unusable);
        assert!(outcome.err.contains("plan/against"), "{}", outcome.err);
    }
}

#[test]
fn a_revision_without_the_blueprint_is_nothing_yet() {
    let Some(sandbox) = committed() else { return };
    sandbox.write("new/train.bp", FLEET);
    for (path, name) in [("new", "blueprint"), ("new/train.bp", "train")] {
        let outcome = sandbox.run(&["plan", path, "--against", "HEAD"]).expect(Different);
        let told = "default, against nothing: HEAD has no such blueprint\nnote: ";
        assert!(outcome.out.starts_with(told), "{}", outcome.out);
        assert!(outcome.out.contains(&format!("has the same name, `{name}`: where one bucket")));
        assert!(outcome.out.contains("\nadds ") && !outcome.out.contains("replaces"));
    }
}

#[test]
fn what_is_wrong_is_told_and_nothing_planned() {
    let sandbox = built();
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = nothing"));
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Errors);
    assert_eq!(outcome.out, "");
    assert!(outcome.err.contains("nothing planned for train.bp"), "{}", outcome.err);
}

#[test]
fn what_was_never_built_is_all_made() {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.starts_with("default, against nothing: out/default was never built"));
    assert!(!outcome.out.contains("replaces"), "{}", outcome.out);
}

#[test]
fn what_stands_on_a_network_of_another_name_is_told() {
    let named =
        FLEET.replace("region   = \"us-east4\"", "region   = \"us-east4\"\n  name     = \"other\"");
    let sandbox = built();
    sandbox.write("train.bp", named);
    let outcome = sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Different);
    let is_replaced = |line: &str| line.starts_with("replaces") && line.contains("cluster a3m");
    assert!(outcome.out.lines().any(is_replaced), "{}", outcome.out);
    assert!(outcome.out.contains("goes with it: cluster a3m\n"), "{}", outcome.out);
    assert!(outcome.out.contains("what runs there ends: train"), "{}", outcome.out);
}

/// What Terraform destroys before it stops is gone, whatever the effect of the rest is.
#[test]
fn every_gate_stops_what_an_apply_stops_at_half_way() {
    let federated = "  federated = { actions = github(\"acme/models\") }\n";
    let applies = format!("{FLEET}\nidentity applies {{\n{federated}}}\n");
    let sandbox = Sandbox::new(&[("train.bp", &applies)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let gate = ["plan", "train.bp", "--fail-on", "destroy"];
    sandbox.write("train.bp", applies.replace(federated, ""));
    let told = sandbox.run(&gate).expect(Different).out;
    assert!(told.contains("the apply stops there, after others are gone"), "{told}");
    assert!(!told.contains("destroys data"), "{told}");
    sandbox.write("train.bp", applies.replace("acme/models", "acme/others"));
    sandbox.run(&gate).expect(Clean);
}

#[test]
fn a_cluster_under_another_name_in_the_cloud_is_replaced() {
    let sandbox = built();
    sandbox
        .write("train.bp", FLEET.replace("\"us-east4-a\"", "\"us-east4-a\"\n  name    = \"east\""));
    let outcome = sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Different);
    insta::assert_snapshot!(outcome.out);
}

#[test]
fn a_cluster_that_goes_tells_what_ran_there() {
    let sandbox = Sandbox::new(&[("before/train.bp", FLEET)]);
    sandbox.write("train.bp", FLEET.split("cluster a3m").next().unwrap_or_default());
    let outcome = sandbox.run(&["plan", "train.bp", "--against=before/train.bp"]).expect(Different);
    assert!(outcome.out.contains("what runs there ends with it: train\n"), "{}", outcome.out);
    assert!(!outcome.out.contains("$ kubectl delete gkenetworkparamset"), "{}", outcome.out);
}

#[test]
fn an_output_that_goes_is_told() {
    let sandbox = Sandbox::new(&[("train.bp", &format!("{FLEET}\noutput reach = a3m.endpoint\n"))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", FLEET);
    let outcome = sandbox.run(&["plan", "train.bp", "--fail-on", "in-place"]).expect(Different);
    let told = "in place  30-a3m output reach\n            it is gone, and who asks for it finds nothing\n";
    assert!(outcome.out.contains(told), "{}", outcome.out);
}

#[test]
fn what_cannot_be_read_is_feared_or_refused() {
    let sandbox = built();
    let path = "out/default/10-foundation/storage.tf";
    let sound = sandbox.read(path);
    sandbox.write(path, format!("{sound}}}\n"));
    let outcome = sandbox.run(&["plan", "train.bp", "--fail-on", "may-replace"]).expect(Different);
    assert!(outcome.out.contains("may replace"), "{}", outcome.out);
    std::fs::remove_file(sandbox.path(path)).unwrap();
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Unusable);
    assert!(outcome.err.contains("storage.tf"), "{}", outcome.err);
}

#[test]
fn nothing_is_compared_with_itself() {
    let sandbox = built();
    for against in ["--against=", "--against=train.bp"] {
        let outcome = sandbox.run(&["plan", "train.bp", against]).expect(Unusable);
        assert!(outcome.err.contains("names no other side"), "{}", outcome.err);
    }
}

#[test]
fn a_batch_job_that_leaves_the_blueprint_is_told() {
    let slurm = "cluster floor on slurm {\n  partition h100 {\n    machine = \"hgx-h100\"\n    nodes   = 2\n  }\n}\n";
    let job = "workload train on floor.h100 {\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  launch = torchrun(\"train.py\")\n}\n";
    let sandbox = Sandbox::new(&[("train.bp", &format!("{slurm}{job}"))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", slurm);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.contains("$ scancel --name=train"), "{}", outcome.out);
    sandbox.write(
        "train.bp",
        slurm.replace("partition h100", "partition other") + &job.replace("h100", "other"),
    );
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.contains("what runs there ends: train"), "{}", outcome.out);
}

#[test]
fn an_environment_that_the_other_side_does_not_have_is_all_made() {
    let environments = |names: &[&str]| -> String {
        let tables =
            names.iter().map(|name| format!("[env.{name}.params]\nproject = \"project-{name}\"\n"));
        format!(
            "[project]\nname = \"fleet\"\nenvironment = \"dev\"\n{}",
            tables.collect::<String>()
        )
    };
    let plain = FLEET.replace(" = \"my-project\"", "");
    let other = Sandbox::new(&[("train.bp", &plain), ("slipform.toml", &environments(&["dev"]))]);
    let sandbox =
        Sandbox::new(&[("train.bp", &plain), ("slipform.toml", &environments(&["dev", "prod"]))]);
    let against = format!("--against={}", other.path("").display());
    let outcome = sandbox.run(&["plan", &against]).expect(Different);
    assert!(outcome.out.contains("nothing changes"), "{}", outcome.out);
    assert!(outcome.out.contains("has no environment `prod`"), "{}", outcome.out);
    other.run(&["build"]).expect(Clean);
    let built = format!("--against={}", other.path("out").display());
    let outcome = sandbox.run(&["plan", &built]).expect(Different);
    assert!(outcome.out.contains("prod was never built"), "{}", outcome.out);
    let twice = sandbox.run(&["plan", "--env", "dev", "--env", "dev", &built]).expect(Clean);
    assert_eq!(twice.out.matches("nothing changes").count(), 1, "{}", twice.out);
}

#[test]
fn a_document_stands_alone_on_stdout() {
    let sandbox = built();
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = 3"));
    for command in [&["build", "train.bp", "--check"][..], &["build", "train.bp", "--stdout"]] {
        let outcome = sandbox.run(&[command, &["--message-format", "sarif"]].concat());
        let read: Result<serde_json::Value, _> = serde_json::from_str(&outcome.out);
        assert!(read.is_ok(), "{command:?}: {}", outcome.out);
        assert!(outcome.err.contains("train"), "{command:?}: {}", outcome.err);
    }
}

#[test]
fn what_ends_is_what_ran_there() {
    let sandbox = Sandbox::new(&[("before/train.bp", FLEET)]);
    let moved = FLEET
        .replace("capacity = spot", "capacity = on_demand")
        .replace("workload train", "workload next");
    sandbox.write("train.bp", moved);
    let outcome = sandbox.run(&["plan", "train.bp", "--against=before/train.bp"]).expect(Different);
    assert!(outcome.out.contains("what runs there ends: train\n"), "{}", outcome.out);
}

#[test]
fn what_a_build_left_behind_is_no_change_of_the_next() {
    let sandbox = built();
    let without = FLEET.split("cluster a3m").next().unwrap_or_default();
    sandbox.write("train.bp", without);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.contains("$ terraform -chdir=30-a3m destroy"), "{}", outcome.out);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Clean);
    assert!(outcome.out.ends_with("nothing changes\n"), "{}", outcome.out);
}

#[test]
fn a_change_that_is_meant_passes_its_gate_once() {
    let sandbox = Sandbox::new(&[("before.bp", FLEET)]);
    let pool = "capacity = on_demand\n    allow change/replace \"the spot nodes are given back on Friday\"";
    let moved = FLEET.replace("capacity = spot", pool);
    sandbox.write("meant.bp", moved.clone());
    let gate = ["--fail-on", "replace"];
    let plan =
        |path, against: &'static str| sandbox.run(&[&["plan", path, against], &gate[..]].concat());
    let outcome = plan("meant.bp", "--against=before.bp").expect(Clean);
    assert!(
        outcome.out.contains("pool a3m.gpus, as is meant: capacity spot -> on_demand"),
        "{}",
        outcome.out
    );
    sandbox.write("later.bp", moved.replace("on_demand", "spot"));
    plan("later.bp", "--against=meant.bp").expect(Different);
    sandbox.write("other.bp", moved.replace("change/replace", "change/restart"));
    plan("other.bp", "--against=before.bp").expect(Different);
    sandbox.write("wrong.bp", moved.replace("change/replace", "change/replaces"));
    let outcome = plan("wrong.bp", "--against=before.bp").expect(Errors);
    assert!(outcome.err.contains("`change/replace`"), "{}", outcome.err);
}

/// The fleet with a pool, a bucket, the cluster, its network and the run under other names, each with what it was where that is said.
fn renamed(says: bool) -> String {
    let names = [
        ("network", "fabric", "core", " {"),
        ("bucket", "data", "corpus", " {"),
        ("cluster", "a3m", "fleet", " on gke {"),
        ("pool", "gpus", "big", " {"),
        ("workload", "train", "pretrain", " on fleet.big {"),
    ];
    let text = FLEET.replace("a3m.gpus", "fleet.big").replace("= fabric", "= core");
    names.iter().fold(text, |text, (kind, old, new, rest)| {
        let was = if says { format!("\n  was = \"{old}\"") } else { String::new() };
        text.replace(&format!("{kind} {old}{rest}"), &format!("{kind} {new}{rest}{was}"))
    })
}

#[test]
fn a_rename_that_is_written_changes_nothing() {
    let sandbox = built();
    sandbox.write("train.bp", renamed(true));
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    insta::assert_snapshot!(outcome.out);
    sandbox.run(&["plan", "train.bp", "--fail-on", "in-place"]).expect(Clean);
    let json = sandbox.run(&["plan", "train.bp", "--message-format", "json"]).expect(Different).out;
    assert!(
        json.contains(r#""effect":"nothing","noun":"pool fleet.big","fields":["was a3m.gpus"]"#)
    );
    let grown = renamed(true).replace("nodes    = 2", "nodes    = 4");
    sandbox.write("train.bp", &grown);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(
        outcome.out.contains("in place         pool fleet.big: was a3m.gpus\n"),
        "{}",
        outcome.out
    );
    sandbox.write("before/train.bp", FLEET);
    let against = ["plan", "train.bp", "--against", "before/train.bp"];
    let outcome = sandbox.run(&against).expect(Different);
    assert!(
        outcome.out.contains("pool fleet.big: was a3m.gpus, nodes 2 -> 4\n"),
        "{}",
        outcome.out
    );
}

#[test]
fn a_rename_is_told_once_and_a_further_one_by_the_name_between() {
    let sandbox = built();
    sandbox.write("train.bp", renamed(true));
    let built = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!built.err.contains("output/"), "{}", built.err);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Clean);
    assert_eq!(outcome.out, "default, against out/default\nnothing changes\n");
    sandbox.write("train.bp", renamed(true).replace("bucket corpus", "bucket texts"));
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.contains("bucket texts: was corpus\n"), "{}", outcome.out);
    for (noun, was) in [("fleet", "a3m"), ("corpus", "data"), ("fleet.big", "gpus")] {
        let line = format!("\n  was = \"{was}\"");
        sandbox.write("train.bp", renamed(true).replace(&line, ""));
        let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
        let helps = outcome.out.lines().filter(|line| line.contains("help: "));
        let told = format!(
            "help: `{noun}` says no more what it was: without `was = \"{was}\"` another one is made in its place"
        );
        assert_eq!(helps.map(str::trim).collect::<Vec<_>>(), [told], "{}", outcome.out);
    }
}

#[test]
fn a_rename_that_is_not_written_is_told_how_to_be() {
    let sandbox = built();
    let swapped = |old: &str, new: &str| FLEET.replace(old, new);
    let tries = [
        ("bucket data", "bucket corpus", "if `corpus` is `data` renamed, write `was = \"data\"`"),
        ("a3m", "east", "if `east` is `a3m` renamed, write `was = \"a3m\"`"),
        ("gpus", "big", "if `a3m.big` is `gpus` renamed, write `was = \"gpus\"`"),
        ("workload train", "workload run", "if `run` is `train` renamed, write `was = \"train\"`"),
    ];
    for (old, new, help) in tries {
        sandbox.write("train.bp", swapped(old, new));
        let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
        let helps = outcome.out.lines().filter(|line| line.contains("help: ")).count();
        assert!(outcome.out.contains(help) && helps == 1, "{help}\n{}", outcome.out);
    }
    sandbox.write("before/train.bp", FLEET);
    sandbox.write("train.bp", renamed(false).replace("fleet", "a3m"));
    let against = ["plan", "train.bp", "--against", "before/train.bp"];
    let outcome = sandbox.run(&against).expect(Different);
    for was in ["fabric", "data", "gpus", "train"] {
        assert!(outcome.out.contains(&format!("write `was = \"{was}\"` in it")), "{}", outcome.out);
    }
}

#[test]
fn what_leaves_its_rounds_is_told_how_to_stay() {
    let data = "bucket data {\n  location = \"us-east4\"\n}";
    let rounds = "for name in [\"one\"] {\n  bucket data {\n    location = \"us-east4\"\n  }\n}";
    let sandbox = Sandbox::new(&[("train.bp", &FLEET.replace(data, rounds))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", FLEET);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    let help = "if `data` is `data[one]` renamed, write `was = \"data[one]\"` in it";
    assert!(outcome.out.contains(help), "{}", outcome.out);
    let was = FLEET.replace("bucket data {", "bucket data {\n  was = \"data[one]\"");
    sandbox.write("train.bp", was);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(outcome.out.contains("bucket data: was data[\"one\"]\n"), "{}", outcome.out);
}

#[test]
fn a_noun_that_is_another_one_is_not_taken_for_a_rename() {
    let sandbox = built();
    let other = FLEET.replace("gpus", "big").replace("a3-megagpu-8g", "a3-highgpu-8g");
    sandbox.write("train.bp", other);
    let outcome = sandbox.run(&["plan", "train.bp"]).expect(Different);
    assert!(!outcome.out.contains("help: "), "{}", outcome.out);
}

#[test]
fn a_project_under_another_name_has_its_states_moved() {
    let named = |name: &str| format!("[project]\nname = \"{name}\"\n");
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("slipform.toml", &named("one"))]);
    sandbox.run(&["build"]).expect(Clean);
    sandbox.run(&["plan", "--fail-on", "by-hand"]).expect(Clean);
    sandbox.write("slipform.toml", named("other"));
    let plan = sandbox.run(&["plan", "--fail-on", "by-hand"]).expect(Different);
    for words in [
        "project other: name one -> other\n",
        "prefix one/default/30-a3m -> other/default/30-a3m",
        "$ terraform -chdir=30-a3m init -reconfigure -backend-config=\"bucket=$STATE\" -backend-config='prefix=one/default/30-a3m'\n",
        "$ terraform -chdir=30-a3m init -migrate-state -backend-config=\"bucket=$STATE\" -backend-config='prefix=other/default/30-a3m'\n",
    ] {
        assert!(plan.out.contains(words), "{words}:\n{}", plan.out);
    }
}

#[test]
fn what_is_in_another_project_stays_there_and_is_made_in_the_new_one() {
    let sandbox = built();
    sandbox.write("train.bp", FLEET.replace("my-project", "other-project"));
    let told = sandbox.run(&["plan", "train.bp", "--fail-on", "replace"]).expect(Different).out;
    // the commands destroy the bucket
    sandbox.run(&["plan", "train.bp", "--fail-on", "destroy"]).expect(Different);
    for words in [
        "replaces         project other-project: my-project -> other-project\n",
        "10-foundation state: its state lies in a bucket of the former project: an apply finds none",
        "$ terraform -chdir=30-a3m init -reconfigure -backend-config=\"bucket=my-project-terraform-state\" -backend-config='prefix=train/default/30-a3m'\n",
        "$ terraform -chdir=30-a3m destroy\n",
        "where `$STATE` is the former bucket all the same, the apply destroys what is in",
        "30-a3m google_container_cluster.this: is made\n",
        "bucket data\n",
    ] {
        assert!(told.contains(words), "{words}:\n{told}");
    }
    for words in ["destroys data", "it is destroyed", "cannot be changed"] {
        assert!(!told.contains(words), "{words}:\n{told}");
    }
}

/// Commands take rights and clusters from runs of the former project: these save and end before.
#[test]
fn runs_of_the_former_project_end_before_what_they_need_goes() {
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("before/train.bp", FLEET)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", FLEET.replace("my-project", "other-project"));
    for against in [&[][..], &["--against", "before/train.bp"]] {
        let told = sandbox.run(&[&["plan", "train.bp"], against].concat()).expect(Different).out;
        for words in [
            "what runs there ends: train\n",
            "stopped by `prevent_destroy`: Terraform stops before it does anything (`google_container_cluster.this`)\n",
            "drain first: train\n",
            "start again at the end: train\n",
        ] {
            assert!(told.contains(words), "{words}:\n{told}");
        }
        let places = ["$ kubectl delete jobset train ", "$ terraform -chdir=30-a3m destroy\n"]
            .map(|it| told.find(it));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{told}");
    }
}

/// Without anything stored, what is in the former project is replaced, and no more.
#[test]
fn another_project_stops_the_gate_of_what_is_replaced() {
    let dataless = FLEET.replace("bucket data {\n  location = \"us-east4\"\n}\n\n", "");
    let sandbox = Sandbox::new(&[("train.bp", &dataless)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", dataless.replace("my-project", "other-project"));
    let plan = |gate| sandbox.run(&["plan", "train.bp", "--fail-on", gate]);
    plan("destroy").expect(Clean);
    plan("replace").expect(Different);
}

/// No apply ends it: the commands do, with all that runs there, and who gives them nothing pays for it.
#[test]
fn a_cluster_that_is_left_behind_stops_the_gate_of_what_is_replaced() {
    let dataless = FLEET.replace("bucket data {\n  location = \"us-east4\"\n}\n\n", "");
    let (network, _) = dataless.split_once("cluster a3m").unwrap();
    let slurm = "cluster onprem on slurm {\n  partition gpus {\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }\n}\n";
    for (before, after) in [
        (dataless.clone(), network.trim_end().to_owned() + "\n"),
        (format!("{dataless}\n{slurm}"), dataless.clone()),
    ] {
        let sandbox = Sandbox::new(&[("before/train.bp", &before), ("train.bp", &after)]);
        let plan = |gate| {
            sandbox.run(&["plan", "train.bp", "--against", "before/train.bp", "--fail-on", gate])
        };
        let told = plan("replace").expect(Different).out;
        plan("destroy").expect(Clean);
        let left = |line: &str| line.starts_with("needs commands") && line.contains("  cluster ");
        assert!(told.lines().any(left), "{told}");
        let format = ["plan", "train.bp", "--against", "before/train.bp", "--message-format"];
        let json = sandbox.run(&[&format[..], &["json"]].concat()).expect(Different).out;
        let lines = json.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
        let left: Vec<serde_json::Value> =
            lines.filter(|it| it["leaves_cluster"] == true).collect();
        assert_eq!(left.len(), 1, "{json}");
        let github = sandbox.run(&[&format[..], &["github"]].concat()).expect(Different).out;
        assert!(github.contains("::error title=needs commands"), "{github}");
    }
}

/// What protected something is lifted in the change that ends it: the word, that it comes too late, and that a gate stops.
#[test]
fn a_protection_that_is_lifted_with_what_it_protected_is_told() {
    let shared = "filesystem home {\n  storage  = filestore(2560GiB)\n  network  = fabric\n  location = \"us-east4-a\"\n}\n\ncluster a3m";
    let with_share = FLEET.replace("cluster a3m", shared);
    let late = "lifted by `deletion_protection = false`, which is part of this change and comes too late for it: two applies, the first with that word alone\n";
    let cluster = "  network = fabric\n  zone    = \"us-east4-a\"\n";
    let other_cluster = "  network             = fabric\n  location            = \"us-east4-a\"\n  zone                = \"us-east4-a\"\n  deletion_protection = false\n";
    let share = "  location = \"us-east4-a\"\n";
    let other_share = "  location = \"us-east4-b\"\n  deletion_protection = false\n";
    for (noun, from, to, stopped) in [
        ("replaces", cluster, other_cluster, "stopped by `deletion_protection`: the provider does"),
        ("destroys data", share, other_share, "stopped by `deletion_policy`: the provider does"),
    ] {
        let after = with_share.replacen(from, to, 1);
        assert_ne!(after, with_share);
        let sandbox = Sandbox::new(&[("before/train.bp", &with_share), ("train.bp", &after)]);
        let plan = ["plan", "train.bp", "--against", "before/train.bp", "--fail-on", "replace"];
        let told = sandbox.run(&plan).expect(Different).out;
        assert!(told.starts_with(&format!("default, against before/train.bp\n{noun} ")), "{told}");
        for words in [
            late,
            stopped,
            "`prevent_destroy` goes with this change",
            "deletion_protection false (new)",
        ] {
            assert!(told.contains(words), "{words}:\n{told}");
        }
        // once that is applied, nothing stops it
        let lifted =
            with_share.replacen(from, &format!("{from}  deletion_protection = false\n"), 1);
        sandbox.write("before/train.bp", &lifted);
        let told = sandbox.run(&plan).expect(Different).out;
        assert!(!told.contains("two applies"), "{told}");
        assert!(!told.contains("the apply stops there"), "{told}");
    }
}

#[test]
fn an_environment_that_goes_is_told_with_what_stays_of_it() {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    let both = "[project]\nname = \"one\"\n\n[env.dev.params]\nproject = \"my-dev\"\n\n[env.prod.params]\nproject = \"my-prod\"\n";
    sandbox.write("before/train.bp", FLEET);
    sandbox.write("before/slipform.toml", both);
    let (dev, _) = both.split_once("\n[env.prod").unwrap();
    sandbox.write("slipform.toml", dev);
    let plan = ["plan", "--against", "before", "--fail-on", "by-hand"];
    let told = sandbox.run(&plan).expect(Different).out;
    for words in [
        "dev, against before\nnothing changes\n",
        "prod, against before\nneeds commands  environment prod: gone\n",
        "what runs there ends with it: train",
        "--ignore-not-found  # on a3m in us-east4 of my-prod\n",
        "$ terraform -chdir=30-a3m destroy\n                  $ terraform -chdir=10-foundation destroy\n",
    ] {
        assert!(told.contains(words), "{words}:\n{told}");
    }
    // the bucket is shown before what stands on it, and stops the gate of what is destroyed
    let gone = told.split("environment prod: gone\n").nth(1).unwrap_or_default();
    assert!(gone.trim_start().starts_with("10-foundation "), "{told}");
    assert!(gone.contains(" 1 of them with data:"), "{told}");
    let gate = ["plan", "--against", "before", "--fail-on", "destroy"];
    sandbox.run(&gate).expect(Different);
    let json = sandbox.run(&[&gate[..], &["--message-format", "json"]].concat());
    let json = json.expect(Different).out;
    let lines = json.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
    let with_data: Vec<String> = lines
        .filter(|it| it["leaves_data"] == true)
        .map(|it| it["root"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(with_data, ["10-foundation"]);
    let dataless = FLEET.replace("bucket data {\n  location = \"us-east4\"\n}\n", "");
    sandbox.write("train.bp", &dataless);
    sandbox.write("before/train.bp", &dataless);
    sandbox.run(&gate).expect(Clean);
    sandbox.write("train.bp", FLEET);
    sandbox.write("before/train.bp", FLEET);
    let one = sandbox.run(&[&plan[..], &["--env", "dev"]].concat()).expect(Clean).out;
    assert!(!one.contains("environment prod"), "{one}");
    sandbox.write("slipform.toml", both);
    sandbox.run(&plan).expect(Clean);
}

/// What was built is the other side as a revision is: its folder says of which project and environment it is.
#[test]
fn an_environment_that_goes_is_told_of_what_was_built_as_well() {
    let both = "[project]\nname = \"one\"\n\n[env.dev.params]\nproject = \"my-dev\"\n\n[env.prod.params]\nproject = \"my-prod\"\n";
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("slipform.toml", both)]);
    sandbox.run(&["build", "--all-envs"]).expect(Clean);
    let manifest = sandbox.read("out/prod/slipform.manifest.json");
    let of_another = manifest.replace("\"blueprint\": \"one\"", "\"blueprint\": \"two\"");
    sandbox.write("out/alien/slipform.manifest.json", of_another.replace("\"prod\"", "\"alien\""));
    sandbox.write("out/loose/README.md", "nobody built this");
    let gate = ["plan", "--fail-on", "destroy"];
    sandbox.run(&["plan"]).expect(Clean);
    sandbox.write("slipform.toml", both.split_once("\n[env.prod").unwrap().0);
    for against in [&[][..], &["--against", "out"]] {
        let told = sandbox.run(&[&gate[..], against].concat()).expect(Different).out;
        for words in [
            "dev, against out/dev\nnothing changes\n",
            "prod, against out/prod\nneeds commands  environment prod: gone\n",
            "lifted by what \"Tear down\" of its `README.md` says\n",
            "what runs there ends with it: train",
            "--ignore-not-found  # on a3m in us-east4 of my-prod\n",
            "$ terraform -chdir=30-a3m destroy\n",
        ] {
            assert!(told.contains(words), "{words}:\n{told}");
        }
        assert!(!told.contains("alien") && !told.contains("loose"), "{told}");
    }
    let one = sandbox.run(&["plan", "--env", "dev"]).expect(Clean).out;
    assert!(!one.contains("environment prod"), "{one}");
    // under another name all of it is made once more, and what there is stays
    sandbox.write("slipform.toml", both.replace("env.prod", "env.live"));
    let told = sandbox.run(&gate).expect(Different).out;
    assert!(
        told.contains("keep the former one: under another all of it is made a second time"),
        "{told}"
    );
}

#[test]
fn of_long_words_it_is_told_what_differs_in_them() {
    let sandbox = Sandbox::new(&[("before/train.bp", "")]);
    let text = FLEET.replace(
        "launch = torchrun(\"train.py\")",
        "launch = torchrun(\"train.py\", args = { steps = 100, rate = 3 })\n  env    = { A = \"1\", B = \"2\" }",
    );
    sandbox.write("before/train.bp", &text);
    sandbox.write("train.bp", text.replace("steps = 100", "steps = 200").replace("B = ", "C = "));
    let plan = ["plan", "train.bp", "--against", "before/train.bp"];
    let told = sandbox.run(&plan).expect(Different).out;
    let head = "workload train: env.B 2 (gone), env.C 2 (new), launch.args.steps 100 -> 200\n";
    assert!(told.contains(head), "{told}");
}

#[test]
fn a_fleet_is_told_in_sorts() {
    let run = |at: usize, image: &str| {
        format!(
            "\nworkload run_{at} on a3m.gpus {{\n  image  = \"a/{image}\"\n  launch = torchrun(\"train.py\")\n}}\n"
        )
    };
    let fleet = |image: &dyn Fn(usize) -> String| {
        (0..60).fold(FLEET.to_owned(), |text, at| text + &run(at, &image(at)))
    };
    let sandbox = Sandbox::new(&[("train.bp", &fleet(&|_| "a:1".to_owned()))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", fleet(&|_| "a:2".to_owned()));
    let alike = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(alike.contains("workload run_0, run_1, run_10, run_11 and 56 more"), "{alike}");
    assert!(
        alike.contains("and 52 more commands: `--message-format json` has all of them"),
        "{alike}"
    );
    assert!(alike.lines().count() < 20, "{alike}");
    assert!(alike.contains("60 needs commands\n"), "{alike}");
    sandbox.write("train.bp", fleet(&|at| format!("a:{}", at + 2)));
    let unlike = sandbox.run(&["plan", "train.bp"]).expect(Different).out;
    assert!(unlike.contains("needs commands  and 40 more: "), "{unlike}");
    assert!(unlike.lines().count() < 100, "{unlike}");
    let json = sandbox.run(&["plan", "train.bp", "--format", "json"]).expect(Different).out;
    assert!(json.lines().filter(|line| line.contains("\"by-hand\"")).count() >= 60, "{json}");
}
