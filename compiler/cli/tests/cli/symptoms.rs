//! `explain --symptom`: a line of a log leads to the rules that prevent it, and to what is known where none does.

use crate::sandbox::{Outcome, Sandbox};
use slipform::ExitStatus::{Clean, Unusable};
use std::path::Path;

const LOGS: &str = include_str!("logs.tsv");

fn asked(line: &str) -> Outcome {
    Sandbox::new(&[]).run(&["explain", "--symptom", line])
}

/// The rules and pages that a line leads to.
fn leads(line: &str) -> Vec<String> {
    let told = asked(line).out;
    let heads = told.lines().filter(|it| !it.starts_with(' ') && !it.is_empty());
    heads.map(|it| it.trim_start_matches("docs/").to_owned()).collect()
}

#[test]
fn lines_that_people_paste_lead_to_rules_and_pages() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for row in LOGS.lines().filter(|row| !row.starts_with('#')) {
        let (wanted, line) = row.split_once('\t').unwrap_or_else(|| panic!("no tab in {row}"));
        let wanted: Vec<&str> = wanted.split(' ').collect();
        let found = leads(line);
        if found != wanted {
            wrong.push(format!(
                "{line}\n  leads to {}\n  not to   {}",
                found.join(" "),
                wanted.join(" ")
            ));
        }
        tried += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 80, "{tried} lines");
}

#[test]
fn what_no_rule_prevents_says_why_and_where_to_read_on() {
    let said = "Watchdog caught collective operation timeout";
    let told = asked(&format!("[Rank 3] {said}: WorkNCCL")).expect(Clean).out;
    let page = "docs/how-to/run-nccl-tests.md";
    assert!(told.starts_with(&format!("{page}\n  No rule prevents it: ")), "{told}");
    assert!(told.contains(&format!("seen in logs: {said}")), "{told}");
    let args = ["explain", "--symptom", said, "--message-format", "json"];
    let line = Sandbox::new(&[]).run(&args).expect(Clean).out;
    let known: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(known["code"].is_null() && known["page"] == page, "{line}");
}

#[test]
fn every_page_that_a_line_leads_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = 0;
    for row in LOGS.lines().filter(|row| !row.starts_with('#')) {
        for page in row.split(['\t', ' ']).filter(|it| it.ends_with(".md")) {
            assert!(root.join("docs").join(page).is_file(), "{page}");
            pages += 1;
        }
    }
    assert!(pages > 30, "{pages}");
}

#[test]
fn words_that_only_look_alike_lead_nowhere() {
    for line in [
        "all is well",
        "",
        // the words of `Insufficient cpu`, `i/o timeout` and `403 Forbidden`, in other lines
        "the learning rate is insufficient for the CPU schedule",
        "step 12: timeout of the profiler is 30 s",
        "Error: Error releasing the state lock",
        "exceeded the best loss so far, quota of saved models is 3",
    ] {
        let outcome = asked(line).expect(Unusable);
        assert!(outcome.err.contains("usage/symptom"), "{line}: {}", outcome.err);
    }
}

#[test]
fn every_symptom_finds_its_own_rule() {
    let rules = Sandbox::new(&[]).run(&["explain", "--message-format", "json"]).expect(Clean).out;
    let mut tried = 0;
    for line in rules.lines() {
        let rule: serde_json::Value = serde_json::from_str(line).unwrap();
        for symptom in rule["symptoms"].as_array().unwrap() {
            let (code, symptom) = (rule["code"].as_str().unwrap(), symptom.as_str().unwrap());
            // with something of one's own where names stand
            let said = symptom.replace("...", "my-project/team.one");
            assert!(leads(&said).iter().any(|it| it == code), "{code}: {symptom}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} symptoms");
}
