//! What works and is easily taken for a mistake: `tests/right` holds small runs by class, each with a name, that no rule may report. A
//! new rule, or a new row of a table, brings its right neighbours there.
//!
//! A file has cases (`== NAME`) of workloads that stand in a blueprint of the folder (`@ gke`). `| FIELD = VALUE` takes the place of the
//! field there, `| no FIELD` leaves it out, and what follows is the text of a shell that the workload starts. `@train` stands for a
//! launch of all nodes, `@torchrun` for its launcher alone, and `@args` for what a program of one's own is told. In a blueprint with `@script`
//! it takes the place of that, in each script that no run starts.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_tests::{checked_text, files, reports, root};
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "tests/right";

const TORCHRUN: &str = "torchrun --nnodes=4 --nproc_per_node=8 --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT";

const TRAIN: &str =
    "/workspace/train.py --output_dir /ckpt/run1 --save_steps 500 --max_steps 100000";

const ARGS: &str = r#"{ max_steps = 100000, save_steps = 500, output_dir = "/ckpt/run1" }"#;

struct Case {
    /// `removals.txt: arith`
    name: String,
    /// The blueprint that it stands in: `gke`.
    frame: String,
    fields: Vec<String>,
    shell: String,
}

/// The cases of a file.
fn cases(path: &str, text: &str) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let mut frame = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("@ ") {
            frame = name.to_owned();
        } else if let Some(name) = line.strip_prefix("== ") {
            let (name, frame) = (format!("{path}: {name}"), frame.clone());
            found.push(Case { name, frame, fields: Vec::new(), shell: String::new() });
        } else if let Some(case) = found.last_mut() {
            match line.strip_prefix("| ") {
                Some(field) => case.fields.push(field.replace("@args", ARGS)),
                None => case.shell.push_str(&format!("      {line}\n")),
            }
        }
    }
    found
}

/// The blueprint of a case: its frame, whose workload has its fields, or whose scripts say what it says.
fn blueprint(frame: &str, case: &Case) -> String {
    if frame.contains("@script\n") {
        let lines = |line: &str| match line.strip_suffix("@script") {
            Some(blank) => {
                let own = case.shell.lines().map(|it| it.strip_prefix("      ").unwrap_or(it));
                own.map(|it| format!("{blank}{it}\n")).collect()
            }
            None => format!("{line}\n"),
        };
        return frame.lines().map(lines).collect();
    }
    let name = |line: &str| line.trim_start().split([' ', '=']).next().unwrap().to_owned();
    let own = |field: &String| name(field.strip_prefix("no ").unwrap_or(field));
    let own: BTreeSet<String> = case.fields.iter().map(own).collect();
    let (before, workload) = frame.rsplit_once("\nworkload ").unwrap();
    let usual = workload.lines().filter(|line| *line != "}" && !own.contains(&name(line)));
    let said = case.fields.iter().filter(|it| !it.starts_with("no ")).map(String::as_str);
    let mut lines: Vec<String> = usual.chain(said).map(str::to_owned).collect();
    if !case.shell.trim().is_empty() {
        let train = format!("{TORCHRUN} {TRAIN}");
        let text = case.shell.replace("@train", &train).replace("@torchrun", TORCHRUN);
        lines.push(format!("  launch = command([\"bash\", \"-c\", @\"\"\"\n{text}      \"\"\"])"));
    }
    format!("{before}\nworkload {}\n}}\n", lines.join("\n"))
}

#[test]
fn nothing_is_said_of_what_works() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let frames: BTreeMap<String, String> = files(FOLDER, ".bp")
        .iter()
        .map(|path| (path.file_stem().unwrap().to_owned(), read(path.as_str())))
        .collect();
    let texts = files(FOLDER, ".txt");
    let all: Vec<Case> = texts
        .iter()
        .flat_map(|path| cases(path.file_name().unwrap(), &read(path.as_str())))
        .collect();
    assert!(all.len() > 400, "only {} cases were found", all.len());
    let names: BTreeSet<&str> = all.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), all.len(), "two cases of a file are called the same");
    let alarms = |cases: &[Case]| -> String {
        let told = cases.iter().flat_map(|case| {
            let (analysis, _) = checked_text(&blueprint(&frames[&case.frame], case));
            let told = reports(&analysis).into_iter();
            let told = told.map(|it| format!("{}: {}: {}\n", case.name, it.code, it.message));
            told.collect::<Vec<_>>()
        });
        told.collect()
    };
    // two halves at once
    let (first, second) = all.split_at(all.len() / 2);
    let alarms = std::thread::scope(|scope| {
        let half = scope.spawn(|| alarms(first));
        alarms(second) + &half.join().unwrap()
    });
    assert!(alarms.is_empty(), "\n{alarms}");
}
