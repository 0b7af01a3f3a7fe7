//! How diagnostics read: for people, a line each, and for programs.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::Errors;
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
