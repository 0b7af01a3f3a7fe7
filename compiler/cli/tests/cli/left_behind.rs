//! Nouns that leave a blueprint, or change hands, after something was applied: what a build keeps, and tells.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different, Errors};
use slipform::MANIFEST;
use std::fs;

const NETWORK: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

filesystem home {
  storage  = filestore(2560GiB)
  network  = fabric
  location = "us-east4-a"
}
"#;

const CLUSTER: &str = r#"
cluster aa on gke {
  network = fabric
  zone    = "us-east4-a"
  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}
"#;

const WORKLOAD: &str = r#"
workload old on aa.gpus {
  image    = "nvcr.io/nvidia/nemo:24.07"
  nodes    = 2
  launch   = torchrun("pretrain.py")
  env      = { HOME_SERVER = home.address }
  restarts = 3
}
"#;

const ROOT: &str = "out/default/30-aa/cluster.tf";
const PAGE: &str = "out/default/LEFT-BEHIND.md";

fn built() -> Sandbox {
    let sandbox = Sandbox::new(&[("train.bp", &format!("{NETWORK}{CLUSTER}{WORKLOAD}"))]);
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("left-behind"), "{}", outcome.err);
    assert!(!sandbox.path(PAGE).exists());
    sandbox
}

fn without_cluster() -> Sandbox {
    let sandbox = built();
    sandbox.write("out/default/30-aa/terraform.tfstate", "{}");
    sandbox.write("train.bp", NETWORK);
    sandbox
}

#[test]
fn a_root_that_is_no_longer_asked_for_stays_and_is_told_until_it_is_pruned() {
    let sandbox = without_cluster();
    let cluster = sandbox.read(ROOT);
    sandbox.refuses(&["build", "train.bp", "--check"], Different, "output/left-behind");
    for args in [&["build", "train.bp"][..], &["build", "train.bp", "--target", "terraform"]] {
        let outcome = sandbox.run(args).expect(Clean);
        assert!(outcome.err.contains("warning[output/left-behind]"), "{}", outcome.err);
        assert!(outcome.err.contains("terraform -chdir=30-aa destroy"), "{}", outcome.err);
        assert_eq!(sandbox.read(ROOT), cluster);
        let page = sandbox.read(PAGE);
        assert!(page.contains("terraform -chdir=30-aa init -backend-config="), "{page}");
        assert!(page.contains("prefix=train/default/30-aa"), "{page}");
        sandbox.refuses(&["build", "train.bp", "--check"], Clean, "terraform -chdir=30-aa destroy");
    }
    sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!sandbox.path(ROOT).exists() && !sandbox.path(PAGE).exists());
    assert!(!sandbox.path("out/default/left-behind").exists());
    let state = sandbox.read("out/default/30-aa/terraform.tfstate");
    assert_eq!(state, "{}", "what Terraform keeps there is not the build's");
    let outcome = sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
    assert!(!outcome.err.contains("left-behind"), "{}", outcome.err);
}

#[test]
fn a_root_that_is_left_behind_may_be_edited_and_deleted_by_hand() {
    let sandbox = without_cluster();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write(ROOT, "# nothing is protected here any more\n");
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
    assert_eq!(sandbox.read(ROOT), "# nothing is protected here any more\n");
    for folder in ["30-aa", "left-behind"] {
        fs::remove_dir_all(sandbox.path(&format!("out/default/{folder}"))).unwrap();
    }
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("left-behind"), "{}", outcome.err);
    assert!(!sandbox.path(PAGE).exists());
    assert!(!sandbox.read(&format!("out/default/{MANIFEST}")).contains("30-aa"));
}

#[test]
fn a_root_that_comes_back_is_the_blueprints_again() {
    let sandbox = without_cluster();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", format!("{NETWORK}{CLUSTER}{WORKLOAD}"));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("left-behind"), "{}", outcome.err);
    assert!(sandbox.path(ROOT).exists() && !sandbox.path(PAGE).exists());
    assert!(!sandbox.path("out/default/left-behind").exists());
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
}

#[test]
fn objects_of_a_workload_that_is_renamed_are_kept_where_nobody_applies_them_again() {
    let sandbox = built();
    sandbox.write("out/default/50-workloads/old/base/deferred.env", "HOME_ADDRESS=10.0.0.2\n");
    sandbox.write("train.bp", format!("{NETWORK}{CLUSTER}{}", WORKLOAD.replace("old", "new")));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let command = "kubectl delete -k left-behind/50-workloads/old/overlays/default";
    assert!(outcome.err.contains(command), "{}", outcome.err);
    assert!(sandbox.read(PAGE).contains(command));
    assert!(!sandbox.path("out/default/50-workloads/old").exists());
    let kept = "out/default/left-behind/50-workloads/old";
    assert!(sandbox.path(&format!("{kept}/overlays/default/kustomization.yaml")).exists());
    let filled = sandbox.read(&format!("{kept}/base/deferred.env"));
    assert_eq!(filled, "HOME_ADDRESS=10.0.0.2\n", "without it the folder does not build");
    let before = sandbox.tree();
    sandbox.refuses(&["build", "train.bp", "--check"], Clean, command);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(sandbox.tree() == before);
    sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!sandbox.path("out/default/left-behind").exists() && !sandbox.path(PAGE).exists());
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
}

const OVERLAY: &str = "50-workloads/old/overlays/default";

#[test]
fn objects_of_a_workload_that_moves_to_another_cluster_are_left_in_the_former() {
    let second = CLUSTER.replace("cluster aa", "cluster bb");
    let on = |cluster: &str| {
        let workload = WORKLOAD.replace("aa.gpus", &format!("{cluster}.gpus"));
        format!("{NETWORK}{CLUSTER}{second}{workload}")
    };
    let sandbox = Sandbox::new(&[("train.bp", &on("aa"))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let fresh = Sandbox::new(&[("train.bp", &on("bb"))]);
    fresh.run(&["build", "train.bp"]).expect(Clean);
    let jobset = "out/default/50-workloads/old/base/jobset.yaml";
    let edited = format!("{}# by hand\n", sandbox.read(jobset));
    sandbox.write(jobset, &edited);
    sandbox.write("train.bp", on("bb"));
    sandbox.refuses(&["build", "train.bp", "--check"], Different, "output/left-behind");
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let command = format!("kubectl delete -k left-behind/{OVERLAY}");
    assert!(outcome.err.contains(&command), "{}", outcome.err);
    let place = "in the namespace `default` of the cluster `aa in us-east4 of my-project`";
    assert!(outcome.err.contains(place), "{}", outcome.err);
    let page = sandbox.read(PAGE);
    assert!(page.contains(&command) && page.contains(place), "{page}");
    assert_eq!(sandbox.read("out/default/left-behind/50-workloads/old/base/jobset.yaml"), edited);
    assert_eq!(sandbox.read(jobset), fresh.read(jobset));
    let before = sandbox.tree();
    sandbox.refuses(&["build", "train.bp", "--check"], Clean, &command);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(sandbox.tree() == before);
    // Back again: what was left there is the blueprint's, and the other is left.
    sandbox.write("train.bp", on("aa"));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let command = format!("kubectl delete -k left-behind/2/{OVERLAY}");
    assert!(outcome.err.contains(&command), "{}", outcome.err);
    assert!(
        outcome.err.contains("of the cluster `bb in us-east4 of my-project`"),
        "{}",
        outcome.err
    );
    assert!(!outcome.err.contains("of the cluster `aa"), "{}", outcome.err);
    assert!(!sandbox.path("out/default/left-behind/50-workloads").exists());
    sandbox.refuses(&["build", "train.bp", "--check"], Clean, &command);
    sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!sandbox.path("out/default/left-behind").exists() && !sandbox.path(PAGE).exists());
    assert!(sandbox.path(&format!("out/default/{OVERLAY}")).exists());
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
}

#[test]
fn objects_of_a_workload_that_moves_to_another_namespace_are_left_in_the_former() {
    let sandbox = built();
    let cluster = CLUSTER.replace("  pool gpus", "  namespace = \"team\"\n  pool gpus");
    let moved = format!("{NETWORK}{cluster}{WORKLOAD}");
    let manifest = format!("out/default/{MANIFEST}");
    let before = sandbox.read(&manifest);
    assert!(before.contains("\"applied\""), "{before}");
    sandbox.write("train.bp", &moved);
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let command = format!("kubectl delete -k left-behind/{OVERLAY}");
    assert!(outcome.err.contains(&command), "{}", outcome.err);
    let kept = sandbox.read("out/default/left-behind/50-workloads/old/base/jobset.yaml");
    assert!(kept.contains("namespace: default"), "{kept}");
    let made = sandbox.read("out/default/50-workloads/old/base/jobset.yaml");
    assert!(made.contains("namespace: team"), "{made}");
    // A manifest that does not say where things are is no reason to complain.
    let sandbox = built();
    let mut silent: serde_json::Value = serde_json::from_str(&before).unwrap();
    for entry in silent["artifacts"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("applied");
    }
    assert_ne!(silent.to_string(), before);
    sandbox.write(&manifest, silent.to_string());
    sandbox.write("train.bp", &moved);
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("left-behind"), "{}", outcome.err);
}

#[test]
fn what_someone_else_owns_by_now_is_forgotten_and_not_destroyed() {
    let sandbox = built();
    let theirs = NETWORK.replace("filesystem home", "existing filesystem home");
    sandbox.write("train.bp", format!("{theirs}{CLUSTER}"));
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let released = sandbox.read("out/default/10-foundation/released.tf");
    assert!(released.contains("from = google_filestore_instance.home"), "{released}");
    assert!(released.contains("destroy = false"), "{released}");
    let theirs = theirs.replace("network fabric", "existing network fabric");
    sandbox.write("train.bp", &theirs);
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(outcome.err.contains("terraform -chdir=30-aa destroy"), "{}", outcome.err);
    let page = sandbox.read(PAGE);
    let forget = "terraform -chdir=10-foundation state rm google_compute_network.fabric\n";
    let (at, destroy) = (page.find(forget), page.find("terraform -chdir=10-foundation destroy\n"));
    assert!(at.is_some() && at < destroy, "{page}");
}

#[test]
fn a_cluster_that_someone_else_owns_by_now_is_forgotten_whole() {
    let sandbox = built();
    sandbox
        .write("train.bp", format!("{NETWORK}{}", CLUSTER.replace("cluster", "existing cluster")));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("-chdir=30-aa destroy"), "{}", outcome.err);
    assert!(outcome.err.contains("terraform -chdir=30-aa state rm"), "{}", outcome.err);
}

#[test]
fn what_was_someone_elses_is_told_when_it_is_made() {
    let sandbox = built();
    let theirs = NETWORK.replace("filesystem home", "existing filesystem home");
    sandbox.write("train.bp", format!("{theirs}{CLUSTER}"));
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.write("train.bp", format!("{NETWORK}{CLUSTER}"));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let command = "terraform -chdir=10-foundation import google_filestore_instance.home ID";
    assert!(outcome.err.contains(command), "{}", outcome.err);
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!outcome.err.contains("taken-over"), "{}", outcome.err);
}

#[test]
fn a_folder_that_was_filled_is_built_again() {
    let sandbox = built();
    let filled = "out/default/50-workloads/old/base/deferred.env";
    assert!(!sandbox.path(filled).exists());
    sandbox.write(filled, "HOME_ADDRESS=10.0.0.2\n");
    sandbox.run(&["build", "train.bp", "--check"]).expect(Clean);
    let changed = WORKLOAD.replace("restarts = 3", "restarts = 4");
    sandbox.write("train.bp", format!("{NETWORK}{CLUSTER}{changed}"));
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert_eq!(sandbox.read(filled), "HOME_ADDRESS=10.0.0.2\n");
}

#[test]
fn environments_that_would_make_the_same_things_are_refused() {
    let toml = |dev: &str, prod: &str| {
        format!(
            "[env.dev.params]\nproject = \"{dev}\"\n\n[env.prod.params]\nproject = \"{prod}\"\n"
        )
    };
    let sandbox = Sandbox::new(&[
        ("p/slipform.toml", &toml("project-one", "project-one")),
        ("p/train.bp", &format!("{NETWORK}{CLUSTER}")),
    ]);
    let said = "the environments `dev` and `prod` would both make network `fabric`";
    for args in
        [&["check", "p"][..], &["build", "p", "--env", "prod"], &["build", "p", "--all-envs"]]
    {
        sandbox.refuses(args, Errors, said);
    }
    let outcome = sandbox.run(&["check", "p", "--message-format", "short"]).expect(Errors);
    assert_eq!(outcome.err.matches("error[project/environments]").count(), 1, "{}", outcome.err);
    assert!(outcome.err.starts_with("p/slipform.toml:5:11:"), "{}", outcome.err);
    // What is set on the command line belongs to this run only.
    sandbox.run(&["build", "p", "--env", "dev", "--set", "project=project-mine"]).expect(Clean);
    sandbox.write("p/slipform.toml", toml("project-one", "project-two"));
    sandbox.run(&["check", "p"]).expect(Clean);
    sandbox.run(&["build", "p", "--all-envs"]).expect(Clean);
    // Names of buckets are shared by all projects.
    let bucket = "\nbucket data {\n  location = \"us-east4\"\n  name     = \"our-data\"\n}\n";
    sandbox.write("p/train.bp", format!("{NETWORK}{CLUSTER}{bucket}"));
    sandbox.refuses(&["check", "p"], Errors, "would both make bucket `our-data`");
}

/// Every root of the folder is another project's from then on, so nothing in it would ever take the former estate away.
#[test]
fn another_project_is_told_until_it_is_pruned() {
    let sandbox = built();
    let other = &["build", "train.bp", "--set", "project=my-other-project"][..];
    for _ in 0..2 {
        let outcome = sandbox.run(other).expect(Clean);
        assert!(outcome.err.contains("warning[output/other-project]"), "{}", outcome.err);
        let page = sandbox.read(PAGE);
        assert!(page.contains("## Project `my-project`\n"), "{page}");
    }
    let back = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(back.err.contains("was built for the project `my-other-project`"), "{}", back.err);
    assert!(!back.err.contains("was built for the project `my-project`"), "{}", back.err);
    let pruned = sandbox.run(&["build", "train.bp", "--prune"]).expect(Clean);
    assert!(!pruned.err.contains("other-project") && !sandbox.path(PAGE).exists());
    let later = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!later.err.contains("other-project"), "{}", later.err);
}

#[test]
fn an_environment_that_is_renamed_or_dropped_is_told_as_long_as_its_folder_is_there() {
    let project = |environment: &str| {
        format!(
            "[project]\nname = \"train\"\nedition = \"2026\"\n\n[env.{environment}.params]\nproject = \"my-project\"\n"
        )
    };
    let sandbox = Sandbox::new(&[("train.bp", NETWORK), ("slipform.toml", &project("dev"))]);
    sandbox.run(&["build", "--env", "dev"]).expect(Clean);
    sandbox.write("slipform.toml", project("test"));
    for _ in 0..2 {
        let outcome = sandbox.run(&["build", "--env", "test"]).expect(Clean);
        assert!(outcome.err.contains("warning[output/environment-gone]"), "{}", outcome.err);
        assert!(outcome.err.contains("out/dev/README.md"), "{}", outcome.err);
    }
    fs::remove_dir_all(sandbox.path("out/dev")).unwrap();
    let outcome = sandbox.run(&["build", "--env", "test"]).expect(Clean);
    assert!(!outcome.err.contains("environment-gone"), "{}", outcome.err);
}

/// The foundation is applied before workloads are: who drops an account or a bucket learns what runs with it first.
#[test]
fn what_workloads_may_still_hold_is_told_once_when_it_goes() {
    let held = "bucket data {\n  location = \"us-east4\"\n}\n\nidentity trainer {}\n";
    let sandbox = Sandbox::new(&[("train.bp", &format!("{NETWORK}\n{held}"))]);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    let same = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!same.err.contains("taken-away"), "{}", same.err);
    let theirs = held.replace("bucket data", "existing bucket data").replace("trainer", "tutor");
    sandbox.write("train.bp", format!("{NETWORK}\n{theirs}"));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert_eq!(outcome.err.matches("output/taken-away").count(), 1, "{}", outcome.err);
    assert!(outcome.err.contains("`google_service_account.trainer`"), "{}", outcome.err);
    let later = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!later.err.contains("taken-away"), "{}", later.err);
}

/// Dev is torn down, and prod's pods are nobody: Workload Identity is one in all clusters of a project.
#[test]
fn environments_that_would_own_the_same_grant_are_refused() {
    let shared = "existing identity shared {\n  account = \"shared-sa\"\n}\n";
    let accounts =
        |namespace: &str| format!("  accounts = {{ \"{namespace}/loader\" = shared }}\n");
    let text = |namespace: &str| {
        let cluster = CLUSTER
            .replace("  network = fabric\n", &(accounts(namespace) + "  network = fabric\n"));
        format!("param team: string = \"vision\"\n{NETWORK}{cluster}\n{shared}")
    };
    let toml = |prod: &str| {
        let team = |name: &str| format!("[env.{name}.params]\nteam = \"{name}-vision\"\n");
        let cloud = |name: &str| format!("[env.{name}.cloud]\nprefix = \"{name}\"\n");
        let project = format!(
            "[params]\nproject = \"project-one\"\n\n[env.prod.params]\nproject = \"{prod}\"\n"
        );
        [project, team("dev"), cloud("dev"), cloud("prod")].join("\n")
    };
    let sandbox =
        Sandbox::new(&[("p/slipform.toml", &toml("project-one")), ("p/train.bp", &text("vision"))]);
    let said = "the environments `dev` and `prod` would both own the grant of `roles/iam.workloadIdentityUser` on account `shared-sa` of \
                `project-one` to `project-one.svc.id.goog[vision/loader]`";
    for args in [&["check", "p"][..], &["build", "p", "--all-envs"]] {
        sandbox.refuses(args, Errors, said);
    }
    let outcome = sandbox.run(&["check", "p", "--message-format", "short"]).expect(Errors);
    assert_eq!(outcome.err.matches("error[project/grants]").count(), 1, "{}", outcome.err);
    // A namespace that differs, and a project of its own, are other grants.
    sandbox.write("p/train.bp", text("${team}"));
    sandbox.run(&["check", "p"]).expect(Clean);
    sandbox.write("p/train.bp", text("vision"));
    sandbox.write("p/slipform.toml", toml("project-two"));
    sandbox.run(&["check", "p"]).expect(Clean);
}

/// A platform's cluster has one account of a name, whoever applies it.
#[test]
fn environments_whose_pods_would_act_as_two_identities_under_one_account_are_refused() {
    let text = |namespace: &str| {
        format!(
            "param project: ProjectId\nparam team: string\n\nexisting network shared {{\n  region  = \"us-east4\"\n  project = \"company-host\"\n}}\n\n\
             existing cluster platform on gke {{\n  network  = shared\n  zone     = \"us-east4-a\"\n  project  = \"company-platform\"\n  \
             accounts = {{ \"{namespace}/loader\" = loader }}\n\n  pool gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes   = 2\n  }}\n}}\n\nidentity loader {{}}\n"
        )
    };
    let of = |name: &str| {
        format!("[env.{name}.params]\nproject = \"project-{name}\"\nteam = \"{name}-vision\"\n")
    };
    let toml = format!("{}\n{}", of("dev"), of("prod"));
    let sandbox = Sandbox::new(&[("p/slipform.toml", &toml), ("p/train.bp", &text("vision"))]);
    let said = "the environments `dev` and `prod` would have the account `vision/loader` of the cluster platform in us-east4 of company-platform act as \
                `loader@project-dev.iam.gserviceaccount.com` and as `loader@project-prod.iam.gserviceaccount.com`";
    for args in [&["check", "p"][..], &["build", "p", "--all-envs"]] {
        sandbox.refuses(args, Errors, said);
    }
    sandbox.write("p/train.bp", text("${team}"));
    sandbox.run(&["check", "p"]).expect(Clean);
    // one identity is one, whoever applies it
    let one = text("vision").replace(
        "identity loader {}",
        "existing identity loader {\n  project = \"company-accounts\"\n}",
    );
    sandbox.write("p/train.bp", one);
    sandbox.run(&["check", "p"]).expect(Clean);
}

/// The kubectl of whoever reads the page may point at the other cluster of that name by then.
#[test]
fn objects_in_a_cluster_whose_name_another_project_has_from_now_on_are_left_in_the_former() {
    let sandbox = built();
    let theirs = CLUSTER
        .replace("cluster aa", "existing cluster aa")
        .replace("  zone ", "  project = \"company-platform\"\n  zone ");
    sandbox.write("train.bp", format!("{NETWORK}{theirs}{WORKLOAD}"));
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    let former = "`aa in us-east4 of my-project`";
    assert!(outcome.err.contains(former), "{}", outcome.err);
    let page = sandbox.read(PAGE);
    let run = "kubectl delete -k left-behind/50-workloads/old/overlays/default\n";
    assert!(page.contains(former) && page.contains(run), "{page}");
    let file = "left-behind/50-workloads/old/base/deferred.env";
    let filling =
        format!("[ -e {file} ] || printf '%s=set-by-terraform\\n' HOME_ADDRESS > {file}\n{run}");
    assert!(page.contains(&filling), "{page}");
}

/// Terraform replaces a cluster that it made, and what is in it goes with it.
#[test]
fn objects_in_a_cluster_that_is_made_in_another_region_are_not_left() {
    let sandbox = built();
    let moved = format!("{NETWORK}{CLUSTER}{WORKLOAD}").replace("us-east4", "us-east5");
    sandbox.write("train.bp", &moved);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(!sandbox.path(PAGE).exists());
}
