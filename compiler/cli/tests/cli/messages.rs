//! How diagnostics read: for people, a line each, and for programs.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::{Clean, Errors};
use slipform::{Console, ExitStatus};

const WRONG: &str = "bucket data {\n  location = 99\n  # caf\u{e9}\n  locaton  = \"us\"\n}\n";

#[test]
fn people_see_the_lines() {
    let sandbox = Sandbox::new(&[("train.bp", WRONG)]);
    let outcome = sandbox.run(&["check", "train.bp"]).expect(Errors);
    assert_eq!(outcome.out, "");
    let text = outcome.err;
    assert!(text.contains("error[names/unknown-field]: a bucket has no field `locaton`\n   ╭─[train.bp:4:3]\n 4 │   locaton  = \"us\"\n   ·   ───────\n   ╰────\n  help: a field with a similar name exists: `location`\n"), "{text}");
    assert!(text.ends_with("checked train.bp: 2 errors\n"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn short_is_one_line_a_problem() {
    let sandbox = Sandbox::new(&[("train.bp", WRONG)]);
    let text = sandbox.run(&["check", "train.bp", "--message-format", "short"]).expect(Errors).err;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines
            .contains(&"train.bp:4:3: error[names/unknown-field]: a bucket has no field `locaton`"),
        "{text}"
    );
}

#[test]
fn no_text_of_a_rule_begins_a_line() {
    let rule = "rule own/words on bucket {\n  require false\n  label location \"a\\n::error::label\"\n  error \"b\\n::error::message\"\n  help \"c\\n  ::error::help\"\n}\n";
    let sandbox = Sandbox::with_bucket();
    sandbox.write("train.bp", format!("{}{rule}", sandbox.read("train.bp")));
    for format in ["human", "short", "github"] {
        let told = sandbox.run(&["check", "train.bp", "--message-format", format]).expect(Errors);
        let text = told.err + &told.out;
        let commands = text.lines().filter(|line| line.trim_start().starts_with("::"));
        assert_eq!(commands.count(), usize::from(format == "github"), "{text}");
        assert!(text.contains("::error::message"), "{text}");
    }
}

#[test]
fn json_has_a_stable_shape() {
    let sandbox = Sandbox::new(&[("train.bp", WRONG)]);
    let text = sandbox.run(&["check", "train.bp", "--message-format", "json"]).expect(Errors).err;
    let reports: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2, "every line is a report");
    for report in &reports {
        let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["code", "severity", "message", "file", "range", "labels", "help", "fixes"]
        );
    }
    let report = reports.iter().find(|report| report["code"] == "names/unknown-field").unwrap();
    assert_eq!(report["severity"], "error");
    assert_eq!(report["file"], "train.bp");
    let start = WRONG.find("locaton").unwrap();
    assert_eq!(
        report["range"],
        serde_json::json!({
            "start": {"line": 4, "column": 3, "offset": start},
            "end": {"line": 4, "column": 10, "offset": start + 7},
        })
    );
    assert_eq!(report["labels"][0]["file"], "train.bp");
    let edit = &report["fixes"][0]["edits"][0];
    assert_eq!(edit["replacement"], "location");
    assert_eq!(edit["range"], report["range"]);
}

#[test]
fn a_wrong_use_is_json_too() {
    let sandbox = Sandbox::new(&[]);
    let text = sandbox
        .run(&["check", "nowhere", "--message-format", "json"])
        .expect(ExitStatus::Unusable)
        .err;
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["code"], "usage/path");
    assert!(report["file"].is_null() && report["range"].is_null());
}

#[test]
fn what_a_terminal_would_obey_is_not_printed() {
    let sandbox =
        Sandbox::new(&[("train.bp", "bucket data {\n  x\u{1b}[31m = \"\u{202e}us\u{7}\"\n}\n")]);
    for format in ["human", "short"] {
        let text =
            sandbox.run(&["check", "train.bp", "--message-format", format]).expect(Errors).err;
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text:?}");
    }
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let sandbox = Sandbox::new(&[("train.bp", WRONG)]);
    for colour in [false, true] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::new(&mut out, &mut err);
        console.colour_err = colour;
        let words = ["slipform", "check", "train.bp"].map(Into::into);
        slipform::run(words, &mut console, &sandbox.path("."));
        assert_eq!(err.contains(&0x1b), colour);
    }
}

/// A blueprint with two mistakes, one of which has one mend.
const TWO: &str = "network net {\n  regoin = \"us-east4\"\n}\n\nnetwork other {\n  region = \"us-east4\"\n  mtu    = 4\n}\n";

/// What `check` prints in a format, of a blueprint that is wrong and of one where nothing is.
fn printed(format: &str) -> [String; 2] {
    let sandbox = Sandbox::new(&[("a b/train.bp", TWO), ("sound.bp", BUCKET)]);
    let wrong = sandbox.run(&["check", "a b/train.bp", "--message-format", format]).expect(Errors);
    let sound = sandbox.run(&["check", "sound.bp", "--message-format", format]).expect(Clean);
    [wrong.out, sound.out]
}

#[test]
fn sarif_is_one_document_with_places_and_mends() {
    let [wrong, sound] = printed("sarif");
    let wrong: serde_json::Value = serde_json::from_str(&wrong).unwrap();
    assert_eq!(wrong["version"], "2.1.0");
    let run = &wrong["runs"][0];
    let results = run["results"].as_array().unwrap();
    let unknown = results.iter().find(|it| it["ruleId"] == "names/unknown-field").unwrap();
    let index = usize::try_from(unknown["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "names/unknown-field");
    let place = &unknown["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/train.bp");
    assert_eq!(
        (place["region"]["startLine"].as_u64(), place["region"]["endColumn"].as_u64()),
        (Some(2), Some(9))
    );
    let mend = &unknown["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(mend["insertedContent"]["text"], "region");
    let sound: serde_json::Value = serde_json::from_str(&sound).unwrap();
    assert_eq!(sound["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn annotations_stand_at_their_lines() {
    let [wrong, sound] = printed("github");
    assert!(wrong.starts_with("::error file=a b/train.bp,line=2,endLine=2,col=3,endColumn=9,title=names/unknown-field::"), "{wrong}");
    assert!(wrong.lines().all(|line| line.starts_with("::")), "{wrong}");
    assert_eq!(sound, "");
}

#[test]
fn reports_of_quality_tell_equal_mistakes_apart() {
    let twice = TWO.replace("mtu    = 4", "regoin = \"us-east4\"");
    let sandbox = Sandbox::new(&[("train.bp", &twice)]);
    let outcome = sandbox.run(&["check", "train.bp", "--message-format", "gitlab"]).expect(Errors);
    let issues: Vec<serde_json::Value> = serde_json::from_str(&outcome.out).unwrap();
    let mut marks: Vec<&str> =
        issues.iter().map(|it| it["fingerprint"].as_str().unwrap()).collect();
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), issues.len());
    assert_eq!(
        issues[0]["location"],
        serde_json::json!({ "path": "train.bp", "lines": { "begin": 2 } })
    );
    assert_eq!(printed("gitlab")[1], "[]\n");
}

#[test]
fn junit_has_a_case_for_each_problem_and_one_where_there_is_none() {
    let [wrong, sound] = printed("junit");
    assert_eq!(wrong.matches("<failure ").count(), wrong.matches("<testcase ").count(), "{wrong}");
    assert!(
        wrong.contains(
            "<testcase classname=\"a b/train.bp\" name=\"names/unknown-field at line 2\">"
        ),
        "{wrong}"
    );
    assert!(sound.contains("tests=\"1\" failures=\"0\""), "{sound}");
}

#[test]
fn reviewdog_gets_suggestions() {
    let [wrong, _] = printed("rdjson");
    let wrong: serde_json::Value = serde_json::from_str(&wrong).unwrap();
    let first = &wrong["diagnostics"][0];
    assert_eq!(first["severity"], "ERROR");
    assert_eq!(first["suggestions"][0]["text"], "region");
    assert_eq!(
        first["suggestions"][0]["range"]["start"],
        serde_json::json!({ "line": 2, "column": 3 })
    );
}

/// To start a program takes as long as a small check.
#[cfg(unix)]
#[test]
fn git_is_asked_where_forges_count_paths_from_its_root_alone() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_bucket();
    sandbox.write("bin/git", "#!/bin/sh\n: >asked\nexit 1\n");
    let git = sandbox.path("bin/git");
    std::fs::set_permissions(git, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (format, is_asked) in [("human", false), ("json", false), ("github", true)] {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_slipform"));
        program.args(["check", "train.bp", "--message-format", format]);
        program.current_dir(sandbox.path("")).env("PATH", sandbox.path("bin"));
        assert!(program.output().unwrap().status.success(), "{format}");
        assert_eq!(sandbox.path("asked").exists(), is_asked, "{format}");
    }
}
