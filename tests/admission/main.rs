//! Does each workload ever start? Small blueprints near the borders of queues and pools, each with what a real control plane
//! with Kueue did with an earlier rendering: `SLIPFORM_ADMISSION` names a folder of them (`CASE/train.bp` and
//! `CASE/observed.json`). Where it is not there, nothing is looked at.
//!
//! What started is not refused. What did not is, or starts now: by a model of Kueue and of the scheduler that reads the
//! rendered objects, on nodes that were observed.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

mod control_plane;
mod observed;

use camino::Utf8PathBuf;
use control_plane::{Keys, run};
use observed::Case;
use slipform_analysis::Options;
use slipform_source::MemoryWorld;
use slipform_tests::{Report, checked, reports};
use std::collections::BTreeMap;

/// What is said of where machines are offered and how, and of nodes that come one by one or are taken away: those observed
/// were there.
const OF_STOCK: [&str; 5] = [
    "placement/",
    "capacity/unsupported",
    "capacity/uncertain",
    "capacity/flex-start-gang",
    "capacity/spot-without-restarts",
];
/// Quotas above what the pools have are refused, also where nobody asked for what is not there; then others have none.
const OVER_PROMISED: [&str; 3] =
    ["queue/quota-beyond-pools", "queue/quota-too-small", "queue/holds-nothing"];

fn cases() -> Option<Vec<Case>> {
    let folder = Utf8PathBuf::from(std::env::var("SLIPFORM_ADMISSION").ok()?);
    let mut names: Vec<String> = folder
        .read_dir_utf8()
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| entry.unwrap().file_name().to_owned())
        .filter(|name| folder.join(name).join("observed.json").is_file())
        .collect();
    names.sort();
    Some(names.into_iter().map(|name| Case::read(&folder, name)).collect())
}

/// Cases with groups, as they are written now: what was observed was written with an earlier word for them.
const GROUPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/admission/groups");

/// A case as it is written now.
fn blueprint(case: &Case) -> MemoryWorld {
    let own = Utf8PathBuf::from(GROUPS).join(format!("{}.bp", case.name));
    let path = if own.is_file() { own } else { case.folder.join("train.bp") };
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    MemoryWorld::new([("train.bp", text)])
}

/// What is wrong with how a case is taken now.
fn judged(case: &Case) -> Result<&'static str, String> {
    let options = Options { path: "train.bp".into(), build: true, ..Options::default() };
    let (analysis, output) = checked(&blueprint(case), &options);
    let said = reports(&analysis);
    let refusals: Vec<&Report> = said.iter().filter(|report| report.severity == "error").collect();
    if case.started {
        let of_stock = |it: &&Report| OF_STOCK.iter().any(|code| it.code.starts_with(code));
        let said: Vec<_> = said.iter().filter(|it| !of_stock(it)).collect();
        let over_promised = said.iter().any(|it| it.code == OVER_PROMISED[0]);
        if over_promised && said.iter().all(|it| OVER_PROMISED.contains(&it.code.as_str())) {
            return Ok("started, and promises more than there is");
        }
        if !said.is_empty() {
            return Err(format!("started, but is told {said:#?}"));
        }
        if !refusals.is_empty() {
            return Ok("started, and is not to be had so");
        }
    } else if !refusals.is_empty() {
        return Ok("refused");
    }
    let plan = analysis.plan.as_ref().ok_or("nothing was planned")?;
    for keys in [Keys::OfGroup, Keys::OfFlavor] {
        let stuck = run(case, plan, &output, keys);
        if !stuck.is_empty() {
            return Err(format!("{} of a rendering that is not refused", stuck.join("; ")));
        }
    }
    Ok(if case.started { "started, and does still" } else { "starts now" })
}

#[test]
fn no_workload_waits_for_ever_without_a_word() {
    let Some(cases) = cases() else {
        println!("not looked at: SLIPFORM_ADMISSION names no folder of observed admissions");
        return;
    };
    assert!(cases.len() > 50, "only {} cases were found", cases.len());
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut failures = String::new();
    for case in &cases {
        match (judged(case), case.doubtful) {
            (Ok(now), _) => *counts.entry((case.outcome.clone(), now)).or_default() += 1,
            (Err(_), true) => {
                *counts.entry((case.outcome.clone(), "doubtful, and otherwise")).or_default() += 1;
            }
            (Err(why), false) => failures.push_str(&format!("{}: {why}\n", case.name)),
        }
    }
    for ((outcome, now), count) in &counts {
        println!("{outcome:18} {now:45} {count}");
    }
    assert!(failures.is_empty(), "\n{failures}");
}
