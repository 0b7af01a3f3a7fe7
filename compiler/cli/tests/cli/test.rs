//! `slipform test`: programs that must be refused, what must hold of a project, what nouns render to, and what is said of all that.

use crate::sandbox::{Outcome, Sandbox};
use slipform::ExitStatus::{Clean, Errors, Unusable};

const PROJECT: &str = r#"[project]
name = "training"

[params]
project = "my-project"

[env.dev.params]
project = "my-dev"
keep    = "7d"

[env.prod.params]
project = "my-prod"
keep    = "90d"
"#;

const DATA: &str = r#"param project: ProjectId
param keep: Duration

bucket data {
  location     = "us-east4"
  delete_after = keep
  labels       = { owner = "vision" }
}

bucket logs {
  location = "us-east4"
  labels   = { owner = "vision" }
}
"#;

const POLICY: &str = r#"## Buckets say who pays for them.
rule company/owner on bucket {
  require "owner" in labels
  error   "the bucket belongs to nobody"
  label   labels "no `owner`"
  help    "write `labels = { owner = \"TEAM\" }`"
}

## Nothing is kept for more than a year.
rule company/keep on bucket {
  require delete_after is not set or delete_after <= 365d
  warning "data is kept for longer than a year"
  label   delete_after "here"
}
"#;

const OWNER: &str = r#"use policy

param project: ProjectId = "my-project"

bucket data {
  location     = "us-east4"
  labels       = {} # error: [company/owner] belongs to nobody # help: TEAM # at: {}
  delete_after = 400d # warning: [company/keep]
}
"#;

const FLEET: &str = r#"use data.{data, logs}

## However long it is kept.
test lengths {
  params = { keep = [1d, 30d] }
}

test too_long {
  environments = ["prod"]
  params       = { keep = [366d] }
  refused      = ["company/keep"]
}

test shapes {
  renders = [data]
}

rule fleet/location on bucket {
  require location == "us-east4"
  error   "this bucket is far from its readers"
  label   location "here"
}

assert data.location == logs.location, "what belongs together lies together"
"#;

/// A project with tests of each kind, which pass once snapshots are kept.
fn project() -> Sandbox {
    Sandbox::new(&[
        ("slipform.toml", PROJECT),
        ("data.bp", DATA),
        ("policy.bp", POLICY),
        ("tests/owner.bp", OWNER),
        ("tests/fleet.test.bp", FLEET),
    ])
}

fn updated() -> Sandbox {
    let sandbox = project();
    sandbox.run(&["test", "--update"]).expect(Clean);
    sandbox
}

/// A project with one file of tests.
fn with_tests(text: &str) -> Sandbox {
    let sandbox = project();
    std::fs::remove_file(sandbox.path("tests/fleet.test.bp")).unwrap();
    std::fs::remove_file(sandbox.path("tests/owner.bp")).unwrap();
    sandbox.write("tests/it.test.bp", text);
    sandbox
}

fn all(outcome: Outcome) -> String {
    format!("{}--- stderr\n{}", outcome.out, outcome.err)
}

#[test]
fn what_is_kept_is_written_once_and_holds_from_then_on() {
    let sandbox = project();
    let before = sandbox.tree();
    let first = sandbox.run(&["test"]).expect(Errors);
    assert_eq!(sandbox.tree(), before, "nothing is written without `--update`");
    insta::assert_snapshot!("first", all(first));
    insta::assert_snapshot!("update", all(sandbox.run(&["test", "--update"]).expect(Clean)));
    insta::assert_snapshot!(
        "kept",
        sandbox.read("tests/snapshots/fleet.test/shapes/prod/10-foundation/storage.tf")
    );
    let kept = sandbox.tree();
    sandbox.run(&["test"]).expect(Clean);
    let again = sandbox.run(&["test", "--update"]).expect(Clean);
    assert_eq!((again.err.as_str(), sandbox.tree()), ("", kept), "nothing is left to keep");
}

#[test]
fn a_difference_is_shown() {
    let sandbox = updated();
    sandbox.write("data.bp", DATA.replace("vision", "speech"));
    insta::assert_snapshot!(
        "difference",
        all(sandbox.run(&["test", "shapes", "--env", "dev"]).expect(Errors))
    );
    sandbox.run(&["test", "--update"]).expect(Clean);
    sandbox.run(&["test"]).expect(Clean);
}

#[test]
fn what_fails_is_shown_where_it_stands() {
    let sandbox = updated();
    sandbox.write("policy.bp", POLICY.replace("365d", "399d").replace("nobody\"", "no one\""));
    sandbox.write(
        "data.bp",
        DATA.replacen("us-east4", "us-east5", 1).replace("delete_after = keep", ""),
    );
    insta::assert_snapshot!(
        "failures",
        all(sandbox.run(&["test", "owner", "too_long"]).expect(Errors))
    );
}

#[test]
fn a_rule_of_a_test_fails_it_even_with_a_warning() {
    let rule = "rule it/it on bucket {\n  require location != \"us-east4\"\n  warning \"far\"\n}\n";
    let sandbox = with_tests(rule);
    let outcome = sandbox.run(&["test"]).expect(Errors);
    assert!(outcome.out.contains("warning[it/it]: far"), "{}", outcome.out);
    sandbox.run(&["check", "--env", "dev"]).expect(Clean);
    let expected = format!("{rule}\ntest far {{\n  refused = [\"it/it\"]\n}}\n");
    with_tests(&expected).run(&["test"]).expect(Clean);
}

#[test]
fn what_a_test_says_wrongly_is_told_there() {
    let sandbox = with_tests(
        r#"test a {
  environments = ["pord", prod]
  params       = { kep = [1d], keep = [], keep = [2d], project = "x" }
  refusd       = ["x"]
  renders      = ["data"]
}

existing test a on x {
  environments = []
  params       = {}
  refused      = [company/keep]
  let x = 1
  params       = { keep = [for i in 0..3 { 1d * i }] }
}

bucket made {
  location = "us-east4"
}
"#,
    );
    insta::assert_snapshot!("statements", all(sandbox.run(&["test"]).expect(Errors)));
}

#[test]
fn a_test_runs_so_often_and_no_more() {
    let values = |count: usize| {
        let days: Vec<String> = (1..=count).map(|day| format!("{day}d")).collect();
        format!(
            "test it {{\n  environments = [\"dev\"]\n  params = {{ keep = [{}] }}\n}}\n",
            days.join(", ")
        )
    };
    let listed = with_tests(&values(1000)).run(&["test", "--list"]).expect(Clean);
    assert_eq!(listed.out.lines().count(), 1000);
    let outcome = with_tests(&values(1001)).run(&["test"]).expect(Errors);
    assert!(
        outcome.out.contains("this test would run 1001 times, more than 1000"),
        "{}",
        outcome.out
    );
}

#[test]
fn what_tests_nothing_is_told() {
    let cases = [
        ("it.test.bp", "# words\nlet x = 1\n", "this file tests nothing"),
        ("it.bp", "# words\n", "this program is empty"),
        (
            "it.bp",
            "bucket x {\n  location = \"us-east4\" # error: [x/y] z\n}\n",
            "no error `x/y` is reported here",
        ),
        (
            "it.bp",
            "# error: [types/mismatch]\nbucket x {\n  location = 5\n}\n",
            "`types/mismatch` is reported in line 3",
        ),
        (
            "it.test.bp",
            "test x {\n  refused = [\"company/kep\"]\n}\n",
            "a code with a similar name exists: `company/keep`",
        ),
        (
            "it.test.bp",
            "test x {\n  renders = [dat]\n}\n",
            "there is no noun `dat` in the environment `dev`",
        ),
    ];
    for (name, text, said) in cases {
        let sandbox = project();
        sandbox.write(&format!("tests/{name}"), text);
        let outcome = sandbox.run(&["test", name.trim_end_matches(".bp")]).expect(Errors);
        assert!(outcome.out.contains(said), "{said}\n{}", outcome.out);
    }
}

#[test]
fn tests_are_chosen_by_words_and_environments() {
    let sandbox = project();
    let listed = |args: &[&str]| {
        let outcome = sandbox.run(&[&["test", "--list"], args].concat()).expect(Clean);
        outcome.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["owner"]), ["owner.bp"]);
    assert_eq!(listed(&["too", "owner"]), ["fleet::too_long (prod, keep = 366d)", "owner.bp"]);
    assert_eq!(listed(&["--env", "dev", "shapes"]), ["fleet::shapes (dev)"]);
    assert_eq!(listed(&[]).len(), 8);
    sandbox.refuses(&["test", "ownr"], Unusable, "no test is called `ownr`");
    sandbox.refuses(
        &["test", "--env", "pord"],
        Unusable,
        "an environment with a similar name exists: `prod`",
    );
    sandbox.refuses(&["test", "--project", "data.bp"], Unusable, "is a file");
    Sandbox::with_bucket().refuses(&["test"], Unusable, "there is no `.bp` file below `tests`");
    assert!(sandbox.run(&["check", "--env", "dev"]).expect(Clean).err.contains("no problems"));
}

#[test]
fn a_program_has_its_own_values_and_those_that_it_cannot_do_without() {
    let program = "use shared\nparam keep: Duration = 1d\nbucket data {\n  location = \"us-east4\"\n  delete_after = keep\n}\nassert keep == 1d\nassert project == \"my-project\"\n";
    let sandbox = project();
    sandbox.write("shared.bp", "param team: string\n");
    sandbox.write("slipform.toml", PROJECT.replace("[params]", "[params]\nteam = \"vision\""));
    sandbox.write(
        "tests/it.bp",
        program.replace("assert project", "param project: ProjectId\nassert project"),
    );
    sandbox.run(&["test", "it.bp"]).expect(Clean);
}

#[test]
fn the_project_file_is_read_first() {
    let sandbox = project();
    sandbox.write("slipform.toml", "[project]\nnam = \"x\"\n");
    sandbox.refuses(&["test"], Errors, "unknown field");
}

#[test]
fn a_lock_that_cannot_be_used_is_told_once() {
    let sandbox = project();
    sandbox.write("slipform.lock", "<<<<<<< HEAD\n");
    let outcome = sandbox.run(&["test"]).expect(Errors);
    assert_eq!(outcome.out, "");
    assert_eq!(outcome.err.matches("error[catalog/lock]").count(), 1, "{}", outcome.err);
}

#[test]
fn programs_read_each_format() {
    let sandbox = project();
    let printed = |format: &str| {
        sandbox.run(&["test", "too", "shapes", "--message-format", format]).expect(Errors)
    };
    let lines = printed("json").out;
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["params"], serde_json::json!({ "keep": "366d" }));
    assert_eq!(lines[1]["diagnostics"][0]["file"], "tests/fleet.test.bp");
    assert_eq!(lines[3], serde_json::json!({ "passed": 1, "failed": 2, "filtered": 5 }));
    insta::assert_snapshot!("junit", printed("junit").out);
    for format in ["sarif", "gitlab", "rdjson"] {
        let document: serde_json::Value = serde_json::from_str(&printed(format).out).unwrap();
        assert!(document.to_string().contains("test/snapshot"), "{document}");
    }
    assert!(printed("github").out.contains("::error file=tests/fleet.test.bp,line=15"));
    sandbox.write("data.bp", DATA.replacen("us-east4", "us-east5", 1));
    let annotations =
        sandbox.run(&["test", "lengths", "--message-format", "github"]).expect(Errors).out;
    let errors: Vec<&str> =
        annotations.lines().filter(|line| line.starts_with("::error")).collect();
    assert_eq!(errors.len(), 2, "each problem is told once: {annotations}");
    assert!(
        errors[0].contains("it fails the test `fleet::lengths (dev, keep = 1d)` and 3 more"),
        "{annotations}"
    );
    sandbox.write("data.bp", DATA);
    assert!(printed("short").err.starts_with("tests/fleet.test.bp:15:14: error[test/snapshot]: "));
}

#[test]
fn snapshots_that_nobody_writes_are_told_and_removed() {
    let sandbox = updated();
    sandbox.write("tests/snapshots/old.test/it/dev/a.tf", "old");
    sandbox.write("tests/snapshots/.gitattributes", "* -text");
    let outcome = sandbox.run(&["test"]).expect(Clean);
    assert!(
        outcome.err.contains("nobody writes tests/snapshots/old.test/it/dev/a.tf any more"),
        "{}",
        outcome.err
    );
    sandbox.run(&["test", "shapes", "--update"]).expect(Clean);
    assert!(sandbox.path("tests/snapshots/old.test").exists(), "of other tests nothing is known");
    sandbox.run(&["test", "--update"]).expect(Clean);
    assert!(!sandbox.path("tests/snapshots/old.test").exists());
    assert!(sandbox.path("tests/snapshots/.gitattributes").exists());
    let kept = "tests/snapshots/fleet.test/shapes/dev/10-foundation/gone.tf";
    sandbox.write(kept, "gone");
    let outcome = sandbox.run(&["test", "shapes"]).expect(Errors);
    assert!(outcome.out.contains("gone: 10-foundation/gone.tf"), "{}", outcome.out);
    sandbox.write("data.bp", "wrong");
    sandbox.run(&["test", "--update"]).expect(Errors);
    assert!(sandbox.path(kept).exists(), "what could not be rendered keeps what it has");
}

#[test]
fn a_value_that_does_not_fit_is_told_where_it_is_given() {
    let sandbox = with_tests("test it {\n  params = { keep = [1d, 2, week] }\n}\n");
    let outcome = sandbox.run(&["test", "dev", "--message-format", "short"]).expect(Errors);
    insta::assert_snapshot!(outcome.err, @r"
    tests/it.test.bp:2:26: error[types/mismatch]: expected `Duration`, found `int`
    tests/it.test.bp:2:29: error[param/value]: `week` is no `Duration`
    ");
}

#[test]
fn a_name_of_a_loop_stands_for_all_that_it_makes() {
    let sandbox = with_tests("test it {\n  renders = [data]\n}\n");
    let each = "for team in [\"a\", \"b\"] {\n  bucket data {\n    location = \"us-east4\"\n    labels   = { owner = team }\n  }\n}\n";
    sandbox.write("data.bp", format!("param project: ProjectId\nparam keep: Duration\n{each}"));
    sandbox.run(&["test", "--update"]).expect(Clean);
    let kept = sandbox.read("tests/snapshots/it.test/it/dev/10-foundation/storage.tf");
    assert_eq!(kept.matches("\nresource ").count(), 2, "{kept}");
}

#[test]
fn values_are_no_paths() {
    let text = "test it {\n  params  = { team = [\"../../../x\", \"/etc\", \"\", \"a\\nb\"] }\n  renders = [data]\n}\n";
    let sandbox = with_tests(text);
    sandbox.write("data.bp", format!("param team: string = \"\"\n{DATA}"));
    sandbox.run(&["test", "--update"]).expect(Clean);
    sandbox.run(&["test"]).expect(Clean);
    let own = |path: &String| path.starts_with("tests/") || !path.contains('/');
    assert!(sandbox.tree().keys().all(own), "{:?}", sandbox.tree().keys());
    let runs = std::fs::read_dir(sandbox.path("tests/snapshots/it.test/it")).unwrap().count();
    assert_eq!(runs, 8, "each run has a folder of its own");
}

#[test]
fn values_that_read_like_others_are_kept_apart() {
    let text = "test it {\n  environments = [\"dev\"]\n  params = { a = [\"1\", \"1,b=2\"], b = [\"2,b=3\", \"3\"] }\n  renders = [data]\n}\n";
    let sandbox = with_tests(text);
    let owner = r#"owner = replace(replace("${a}__${b}", ",", "-"), "=", "-")"#;
    let data = DATA.replacen("owner = \"vision\"", owner, 1);
    sandbox.write("data.bp", format!("param a: string = \"\"\nparam b: string = \"\"\n{data}"));
    sandbox.run(&["test", "--update"]).expect(Clean);
    sandbox.run(&["test"]).expect(Clean);
    assert_eq!(std::fs::read_dir(sandbox.path("tests/snapshots/it.test/it")).unwrap().count(), 4);
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_tests_is_written() {
    use std::os::unix::fs::symlink;
    let folders = [
        "tests/snapshots",
        "tests/snapshots/fleet.test",
        "tests/snapshots/fleet.test/shapes/dev/10-foundation",
    ];
    for folder in folders {
        let sandbox = project();
        sandbox.write("elsewhere/file.tf", "mine");
        let at = sandbox.path(folder);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(sandbox.path("elsewhere"), &at).unwrap();
        sandbox.refuses_in_out(&["test", "--update", "--env", "dev"], "is a symbolic link");
    }
    let sandbox = updated();
    let file = "tests/snapshots/fleet.test/shapes/dev/10-foundation/storage.tf";
    sandbox.write("mine.tf", "mine");
    std::fs::remove_file(sandbox.path(file)).unwrap();
    symlink(sandbox.path("mine.tf"), sandbox.path(file)).unwrap();
    sandbox.refuses_in_out(&["test", "--update"], "is a symbolic link, and no snapshot");
    std::fs::remove_file(sandbox.path(file)).unwrap();
    std::fs::create_dir(sandbox.path(file)).unwrap();
    sandbox.refuses_in_out(&["test", "--update"], "is no file, as a snapshot is");
    symlink(sandbox.path("mine.tf"), sandbox.path("tests/snapshots/link")).unwrap();
    // as it is called until it is whole
    let beside = format!(
        "{}/.storage.tf.slipform-{}",
        file.trim_end_matches("/storage.tf"),
        std::process::id()
    );
    symlink(sandbox.path("mine.tf"), sandbox.path(&beside)).unwrap();
    std::fs::remove_dir(sandbox.path(file)).unwrap();
    sandbox.run(&["test", "--update"]).expect(Clean);
    assert_eq!(sandbox.read("mine.tf"), "mine");
    assert!(!sandbox.tree().contains_key("tests/snapshots/link@"));
}

#[cfg(unix)]
#[test]
fn no_name_begins_a_line() {
    let sandbox = project();
    sandbox.write(
        "slipform.toml",
        format!("{PROJECT}\n[env.\"b\\n::error::c\".params]\nproject = \"my-prod\"\n"),
    );
    sandbox.write("tests/a\n::error::b.bp", OWNER.replace("# error", "#"));
    for format in ["human", "short", "github"] {
        let Outcome { out, err, .. } =
            sandbox.run(&["test", "--message-format", format]).expect(Errors);
        let is_command = |line: &&str| line.starts_with("::error::");
        assert_eq!(out.lines().chain(err.lines()).find(is_command), None);
    }
}

#[cfg(unix)]
#[test]
fn hostile_files_fail_and_nothing_else() {
    use std::os::unix::fs::symlink;
    let sandbox = project();
    sandbox.write("tests/bytes.bp", [0xff, 0xfe]);
    sandbox.write("tests/bytes.test.bp", [0xff, 0xfe]);
    sandbox.write("a.bp", "use b\n");
    sandbox.write("b.bp", "use tests.cycle\n");
    sandbox.write("tests/cycle.bp", "use a\n");
    sandbox.write("tests/broken.test.bp", "test a {\n  renders = [\ntest b {{{\n");
    sandbox.write("tests/folder.bp/inner.bp", OWNER);
    symlink(sandbox.path("tests"), sandbox.path("tests/loop")).unwrap();
    symlink("nowhere", sandbox.path("tests/dangling.bp")).unwrap();
    let outcome =
        sandbox.run(&["test", "bytes", "cycle", "broken", "inner", "dangling"]).expect(Errors);
    let failed = |name: &str| outcome.out.contains(&format!("test {name} ... FAILED"));
    for name in ["bytes.bp", "bytes.test.bp", "cycle.bp", "broken.test.bp", "dangling.bp"] {
        assert!(failed(name), "{name}\n{}", outcome.out);
    }
    assert!(outcome.out.contains("test folder.bp/inner.bp ... ok"), "{}", outcome.out);
    assert!(outcome.out.contains("5 failed"), "{}", outcome.out);
}
