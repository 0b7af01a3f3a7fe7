//! Machines that commands made, or asked Cloud TPU for: no apply takes them away, and what a build leaves has to know them.

use crate::drained::told;
use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different};

const GROUND: &str =
    "param project: ProjectId = \"my-project\"\n\nnetwork fabric {\n  region = \"us-east4\"\n}\n";

const DESK: &str = r#"
machines desk {
  machine = "n2-standard-16"
  nodes   = 2
  network = fabric
  zone    = "us-east4-b"
  image   = image_family("ubuntu-2204-lts", project = "ubuntu-os-cloud")
  made_by = "commands"
}
"#;

const CHIPS: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region = "us-west4"
}

identity trainer {
  roles = ["roles/logging.logWriter"]
}

machines chips {
  machine  = "ct5lp-hightpu-4t"
  topology = 2x2
  nodes    = 1
  network  = fabric
  zone     = "us-west4-b"
  capacity = spot
  identity = trainer
}
"#;

const MACHINES: &str = "there=\"$(gcloud compute instances list --project=my-project --zones=us-east4-b --filter='name ~ \"^desk-[0-9]{4,6}$\"' --format='value(name)')\"; [ -z \"$there\" ] || gcloud compute instances delete $(echo \"$there\") --project=my-project --zone=us-east4-b";
const SLICES: &str = "gcloud compute tpus queued-resources delete chips --zone=us-west4-b --project=my-project --force";

fn desk() -> String {
    format!("{GROUND}{DESK}")
}

/// A blueprint without what begins with a line.
fn without(text: &str, head: &str) -> String {
    text.split(head).next().unwrap_or_default().to_owned()
}

#[test]
fn what_commands_made_is_taken_away_before_what_it_was_made_of() {
    let said = told(&desk(), GROUND);
    assert!(said.contains("needs commands   30-desk"), "{said}");
    let commands: Vec<&str> =
        said.lines().filter_map(|line| line.split_once("$ ")).map(|it| it.1).collect();
    assert_eq!(commands, ["30-desk/delete.sh", "terraform -chdir=30-desk destroy"], "{said}");
    let said = told(CHIPS, &without(CHIPS, "\nmachines chips"));
    assert!(
        said.contains("needs commands   machines chips") && said.contains("30-chips/delete.sh"),
        "{said}"
    );
}

#[test]
fn machines_elsewhere_are_taken_away_by_where_they_were() {
    let said = told(&desk(), &desk().replace("us-east4-b", "us-east4-c"));
    assert!(said.contains("needs commands   machines desk") && said.contains(MACHINES), "{said}");
    let said = told(CHIPS, &CHIPS.replace("us-west4-b", "us-west4-a"));
    assert!(said.contains("needs commands   machines chips") && said.contains(SLICES), "{said}");
    // those of a group have names of their own
    let said = told(&desk(), &desk().replace("  made_by = \"commands\"\n", ""));
    assert!(said.contains(MACHINES), "{said}");
    let said = told(&desk(), &desk().replace("ubuntu-2204-lts", "ubuntu-2404-lts-amd64"));
    assert!(!said.contains("gcloud compute instances delete"), "{said}");
}

/// Nobody ends what is beyond a lower number but a command, which knows the number.
#[test]
fn machines_beyond_the_number_are_taken_away() {
    let three = desk().replace("nodes   = 2", "nodes   = 3");
    let said = told(&three, &desk());
    assert!(said.contains("needs commands   machines desk"), "{said}");
    assert!(said.contains("$ 30-desk/delete.sh surplus\n"), "{said}");
    let said = told(&desk(), &three);
    assert!(!said.contains("$ 30-desk/delete.sh surplus"), "{said}");
}

#[test]
fn a_gate_stops_where_machines_would_be_forgotten() {
    for (before, after) in [
        (desk(), GROUND.to_owned()),
        (desk(), desk().replace("us-east4-b", "us-east4-c")),
        (CHIPS.to_owned(), without(CHIPS, "\nmachines chips")),
    ] {
        let files = [("before/train.bp", before.as_str()), ("train.bp", after.as_str())];
        let sandbox = Sandbox::new(&files);
        let plan = ["plan", "train.bp", "--against", "before/train.bp", "--fail-on", "destroy"];
        sandbox.run(&plan).expect(Different);
    }
}

#[test]
fn the_script_that_takes_them_away_stays_until_it_is_pruned() {
    let page = "out/default/LEFT-BEHIND.md";
    for (text, rest, script, commands) in [
        (
            desk(),
            GROUND.to_owned(),
            "30-desk/delete.sh",
            "30-desk/delete.sh\nterraform -chdir=30-desk destroy\n",
        ),
        (
            CHIPS.to_owned(),
            without(CHIPS, "\nmachines chips"),
            "30-chips/delete.sh",
            "```sh\n30-chips/delete.sh\n```\n",
        ),
    ] {
        let sandbox = Sandbox::new(&[("train.bp", &text)]);
        sandbox.run(&["build", "train.bp"]).expect(Clean);
        let lies = format!("out/default/{script}");
        let then = sandbox.read(&lies);
        sandbox.write("train.bp", &rest);
        for _ in 0..2 {
            let built = sandbox.run(&["build", "train.bp"]).expect(Clean);
            assert!(built.err.contains("warning[output/left-behind]"), "{}", built.err);
            assert!(built.err.contains(script), "{}", built.err);
            assert_eq!(sandbox.read(&lies), then);
            assert!(sandbox.read(page).contains(commands), "{}", sandbox.read(page));
        }
        sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
        assert!(!sandbox.path(&lies).exists() && !sandbox.path(page).exists());
    }
}

#[test]
fn a_build_tells_of_machines_that_no_script_looks_for_any_more() {
    let sandbox = Sandbox::new(&[("train.bp", &desk())]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let again = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!again.err.contains("former-machines"), "{}", again.err);
    sandbox.write("train.bp", desk().replace("us-east4-b", "us-east4-c"));
    let built = sandbox.run(&["build", "train.bp", "--target", "terraform"]).expect(Clean);
    assert!(!built.err.contains("former-machines"), "{}", built.err);
    let built = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(built.err.contains("warning[output/former-machines]"), "{}", built.err);
    assert!(built.err.contains(MACHINES), "{}", built.err);
    let page = "out/default/LEFT-BEHIND.md";
    let again = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(again.err.contains("warning[output/former-machines]"), "{}", again.err);
    assert!(sandbox.read(page).contains(MACHINES), "{}", sandbox.read(page));
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
    let plan = sandbox.run(&["plan", "train.bp"]).expect(Clean);
    assert!(plan.out.contains("nothing"), "{}", plan.out);
    sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!sandbox.path(page).exists());
    let pruned = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!pruned.err.contains("former-machines"), "{}", pruned.err);
    sandbox.write("train.bp", desk());
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", desk().replace("us-east4-b", "us-east4-c"));
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", desk());
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let page = sandbox.read(page);
    assert!(!page.contains("us-east4-b") && page.contains("us-east4-c"), "{page}");
}

const CLUSTER: &str = r#"
cluster hpc on slurm {
  network = fabric
  shared  = "/home/slipform"
  zone    = "us-east4-b"
  image   = image_family("slurm-a3mega")

  partition debug {
    machine = "n2-standard-8"
    nodes   = 0..4
  }
}
"#;

#[test]
fn a_deployment_that_is_no_longer_asked_for_stays_and_is_told_until_it_is_pruned() {
    let text = format!("{GROUND}{CLUSTER}");
    let sandbox = Sandbox::new(&[("train.bp", &text), ("before/train.bp", &text)]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let lies = "out/default/30-hpc/cluster.yaml";
    let cluster = sandbox.read(lies);
    sandbox.write("train.bp", GROUND);
    let plan = sandbox.run(&["plan", "train.bp", "--against", "before/train.bp"]).expect(Different);
    for words in [
        "$ gcluster create 30-hpc/cluster.yaml ",
        "$ gcluster destroy hpc  # before any folder is applied\n",
        "take away before anything is applied: 30-hpc\napply in this order: 10-foundation\n",
    ] {
        assert!(plan.out.contains(words), "{words}:\n{}", plan.out);
    }
    for _ in 0..2 {
        let built = sandbox.run(&["build", "train.bp"]).expect(Clean);
        assert!(built.err.contains("warning[output/left-behind]"), "{}", built.err);
        assert!(built.err.contains("gcluster destroy hpc"), "{}", built.err);
        assert_eq!(sandbox.read(lies), cluster);
        let page = sandbox.read("out/default/LEFT-BEHIND.md");
        let orders = "--overwrite-deployment\ngcluster destroy hpc\n```\n";
        assert!(page.contains("STATE=NAME") && page.contains(orders), "{page}");
    }
    sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!sandbox.path(lies).exists());
    // others look after it from then on
    sandbox.write("train.bp", &text);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let handed = CLUSTER.replace("cluster hpc", "existing cluster hpc");
    sandbox.write("train.bp", format!("{GROUND}{handed}"));
    let built = sandbox.run(&["build", "train.bp"]);
    assert!(!built.err.contains("gcluster destroy"), "{}", built.err);
}
