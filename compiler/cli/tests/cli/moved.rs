//! A blueprint that is elsewhere in the revision that it is compared with: it is found, named, or refused, and never told as new.

use crate::sandbox::{Outcome, Sandbox};
use slipform::ExitStatus::{Clean, Different, Unusable};
use std::process::Command;

const POOL: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
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
"#;

const NAMED: &str = "[project]\nname = \"training\"\n";

/// A repository with these files in one revision; nothing where there is no git.
fn committed(files: &[(&str, &str)]) -> Option<Sandbox> {
    let sandbox = Sandbox::new(files);
    let git = |args: &[&str]| {
        let who = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
        let run = Command::new("git").arg("-C").arg(sandbox.path("")).args(who).args(args).output();
        run.is_ok_and(|output| output.status.success())
    };
    let made = git(&["init", "-q"]) && git(&["add", "."]) && git(&["commit", "-qm", "first"]);
    made.then_some(sandbox)
}

/// The pool without the capacity that it had: it is replaced.
fn replaced() -> String {
    POOL.replace("capacity = spot", "capacity = on_demand")
}

fn moved(sandbox: &Sandbox, from: &str, to: &str) {
    std::fs::create_dir_all(sandbox.path(to).parent().unwrap()).unwrap();
    std::fs::rename(sandbox.path(from), sandbox.path(to)).unwrap();
}

fn gate(sandbox: &Sandbox, path: &str) -> Outcome {
    sandbox.run(&["plan", path, "--against", "HEAD", "--fail-on", "replace"])
}

#[test]
fn a_project_of_the_same_name_is_found_wherever_it_was() {
    let files = [("old/train.bp", POOL), ("old/slipform.toml", NAMED), ("beside/other.bp", "")];
    let Some(sandbox) = committed(&files) else { return };
    moved(&sandbox, "old", "infra/new");
    sandbox.write("infra/new/train.bp", replaced());
    for (path, was) in [("infra/new", "old"), ("infra/new/train.bp", "old/train.bp")] {
        let told = gate(&sandbox, path).expect(Different).out;
        let head = format!(
            "default, against HEAD:{was}\nnote: HEAD has no `{path}`: `{was}` has the same name, `training`;"
        );
        assert!(told.starts_with(&head), "{told}");
        assert!(told.contains("replaces         pool a3m.gpus: capacity spot"), "{told}");
        assert!(!told.contains("prefix"), "its states are the same: {told}");
    }
    sandbox.write("infra/new/train.bp", POOL);
    gate(&sandbox, "infra/new").expect(Clean);
}

#[test]
fn what_is_gone_is_taken_for_what_came_in_its_place() {
    let Some(sandbox) = committed(&[("train.bp", POOL)]) else { return };
    moved(&sandbox, "train.bp", "run.bp");
    sandbox.write("run.bp", replaced());
    let told = gate(&sandbox, "run.bp").expect(Different).out;
    let head = "default, against HEAD:train.bp\nnote: HEAD has no `run.bp`: `train.bp`, which is gone, is taken for it;";
    assert!(told.starts_with(head), "{told}");
    assert!(told.contains("replaces         pool a3m.gpus"), "{told}");
    assert!(told.contains("prefix train/default/30-a3m -> run/default/30-a3m"), "{told}");
    // a folder without a name keeps the name that all such have
    moved(&sandbox, "run.bp", "infra/train.bp");
    let told = gate(&sandbox, "infra").expect(Different).out;
    assert!(told.starts_with("default, against HEAD:.\n"), "{told}");
    assert!(!told.contains("prefix"), "{told}");
}

#[test]
fn the_one_that_is_most_like_it_is_taken() {
    let files = [("a/train.bp", POOL), ("a/probe.bp", ""), ("b/train.bp", ""), ("c/eval.bp", "")];
    let Some(sandbox) = committed(&files) else { return };
    moved(&sandbox, "a", "moved");
    std::fs::remove_dir_all(sandbox.path("c")).unwrap();
    sandbox.write("moved/train.bp", replaced());
    let told = gate(&sandbox, "moved/train.bp").expect(Different).out;
    assert!(told.starts_with("default, against HEAD:a/train.bp\n"), "{told}");
    let told = gate(&sandbox, "moved").expect(Different).out;
    assert!(told.starts_with("default, against HEAD:a\n"), "{told}");
}

#[test]
fn where_it_is_not_clear_no_gate_is_passed() {
    let files = [("a/one.bp", POOL), ("b/two.bp", POOL)];
    let Some(sandbox) = committed(&files) else { return };
    moved(&sandbox, "a", "away");
    std::fs::remove_dir_all(sandbox.path("b")).unwrap();
    std::fs::remove_dir_all(sandbox.path("away")).unwrap();
    sandbox.write("new/run.bp", replaced());
    let refused = gate(&sandbox, "new/run.bp").expect(Unusable);
    let why = "HEAD has no `new/run.bp`: `a/one.bp`, `b/two.bp` are gone, and any of them may be what it was, so that no gate can be passed";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert!(refused.err.contains("name the one that it was: `--against HEAD:a/one.bp`"));
    let told = sandbox.run(&["plan", "new/run.bp", "--against", "HEAD"]).expect(Different).out;
    assert!(told.contains("note: HEAD has no `new/run.bp`: `a/one.bp`, `b/two.bp` are"), "{told}");
    for path in ["HEAD:b/two.bp", "HEAD:./b/two.bp"] {
        let named = ["plan", "new/run.bp", "--fail-on", "replace", "--against", path];
        let told = sandbox.run(&named).expect(Different).out;
        assert!(told.starts_with(&format!("default, against {path}\nreplaces")), "{told}");
    }
}

#[test]
fn a_project_that_got_another_name_on_the_way_is_not_told_as_new() {
    let files = [("old/train.bp", POOL), ("old/slipform.toml", NAMED)];
    let Some(sandbox) = committed(&files) else { return };
    moved(&sandbox, "old", "new");
    sandbox.write("new/slipform.toml", "[project]\nname = \"pretraining\"\n");
    let refused = gate(&sandbox, "new").expect(Unusable);
    assert!(refused.err.contains("`old`, of another name, is gone, and may be"), "{}", refused.err);
}

#[test]
fn what_is_new_beside_others_is_new() {
    let files = [("a/train.bp", POOL), ("a/slipform.toml", NAMED), ("b/run.bp", POOL)];
    let Some(sandbox) = committed(&files) else { return };
    sandbox.write("c/probe.bp", POOL);
    let told = gate(&sandbox, "c/probe.bp").expect(Clean).out;
    assert!(
        told.starts_with("default, against nothing: HEAD has no such blueprint\nadds"),
        "{told}"
    );
    sandbox.write("c/run.bp", POOL);
    let told = gate(&sandbox, "c/run.bp").expect(Clean).out;
    assert!(told.contains("note: `b/run.bp` has the same name, `run`: where one bucket"), "{told}");
}

#[test]
fn a_place_of_a_revision_is_named_as_git_names_it() {
    let Some(sandbox) = committed(&[("infra/old/train.bp", POOL)]) else { return };
    moved(&sandbox, "infra/old/train.bp", "infra/new/train.bp");
    let near = ["plan", "train.bp", "--against", "HEAD:../old/train.bp"];
    let told = sandbox.run_in("infra/new", &near).expect(Clean).out;
    assert_eq!(told, "default, against HEAD:../old/train.bp\nnothing changes\n");
    for path in ["HEAD:infra/new", "HEAD:infra/old/run.bp", "HEAD:", "HEAD:--exec=x"] {
        let against = format!("--against={path}");
        let outcome = sandbox.run(&["plan", "infra/new/train.bp", &against]).expect(Unusable);
        assert!(outcome.err.contains("`HEAD` has no blueprint at"), "{}", outcome.err);
        assert!(outcome.err.contains("help: it has `infra/old"), "{}", outcome.err);
    }
    let outside = ["plan", "infra/new/train.bp", "--against", "HEAD:../out"];
    sandbox.run(&outside).expect(Unusable);
}

#[test]
fn annotations_lead_from_the_root_of_the_repository_and_stand_once() {
    let both = "[project]\nname = \"training\"\n\n[env.dev.params]\nproject = \"my-dev\"\n\n[env.prod.params]\nproject = \"my-prod\"\n";
    let files = [("infra/train.bp", POOL), ("infra/slipform.toml", both)];
    let Some(sandbox) = committed(&files) else { return };
    sandbox.write("infra/train.bp", replaced());
    let plan = ["plan", "--against", "HEAD", "--message-format", "github"];
    let told = sandbox.run_in("infra", &plan).expect(Different).out;
    let of_pool: Vec<&str> = told.lines().filter(|line| line.contains("pool a3m.gpus")).collect();
    assert_eq!(of_pool.len(), 1, "{told}");
    let head = "::error file=infra/train.bp,line=13,col=3,title=replaces (dev%2C prod)::";
    assert!(of_pool.iter().all(|line| line.starts_with(head)), "{told}");
    sandbox.write("infra/train.bp", POOL.replace("nodes    = 2", "nodes    = nothing"));
    for (format, mark) in [
        ("github", "file=infra/train.bp,"),
        ("gitlab", "\"path\": \"infra/train.bp\""),
        ("sarif", "\"uri\": \"infra/train.bp\""),
        ("rdjson", "\"path\": \"infra/train.bp\""),
    ] {
        let told = sandbox.run_in("infra", &["check", "--message-format", format]).out;
        assert!(told.contains(mark), "{format}: {told}");
    }
    let told = sandbox.run_in("infra", &["check", "--message-format", "short"]).err;
    assert!(told.starts_with("train.bp:15:"), "{told}");
}

#[test]
fn a_base_that_does_not_check_says_what_is_wrong_and_where() {
    let broken = POOL.replace("nodes    = 2", "nodes    = nothing");
    let Some(sandbox) = committed(&[("train.bp", &broken)]) else { return };
    sandbox.write("train.bp", POOL);
    let refused = gate(&sandbox, "train.bp").expect(Unusable).err;
    let why = "the blueprint of `HEAD` has errors under this compiler, so that nobody can say what changes: train.bp:15: nothing here is called `nothing` (names/unknown)";
    assert!(refused.contains(why), "{refused}");
    assert!(refused.contains("compare with what was built"), "{refused}");
}
