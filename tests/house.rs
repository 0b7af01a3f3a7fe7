//! Sentences of `docs/architecture.md` that no type and no crate edge holds: they are read off the sources.

#![allow(clippy::unwrap_used, reason = "what a test takes for granted fails it")]

use slipform_tests::{files, root};
use std::collections::BTreeSet;
use std::fs;

/// The sources of a folder without their tests.
fn sources(folder: &str) -> Vec<(String, String)> {
    let all = files(folder, ".rs").into_iter().map(|path| path.into_string());
    let own = all.filter(|path| !path.contains("/tests"));
    let read = own.map(|path| {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines();
        let text: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        (path, text)
    });
    read.collect()
}

#[test]
fn targets_never_look_at_each_other() {
    let targets = ["terraform", "images", "kubernetes", "slurm", "vertex"];
    let mut looks = Vec::new();
    for target in targets {
        for (path, text) in sources(&format!("targets/{target}")) {
            let others = targets.iter().filter(|other| **other != target);
            let seen = others.filter(|other| text.contains(&format!("crate::{other}")));
            looks.extend(seen.map(|other| format!("{path} looks at {other}")));
        }
    }
    assert!(looks.is_empty(), "{looks:#?}");
}

/// Whether a text has a literal that starts with three numbers and dots between, whatever signs are in front: a version, or
/// an address.
fn states_a_version(text: &str) -> bool {
    text.split('"').skip(1).any(|literal| {
        let number = literal.trim_start_matches(['v', '>', '<', '=', '~', ' ']);
        let mut parts = number.splitn(3, '.');
        let whole = |part: Option<&str>| {
            part.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        whole(parts.next())
            && whole(parts.next())
            && parts.next().is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn versions_and_addresses_stand_in_the_catalog() {
    assert!(states_a_version(r#"attr("version", ">= 7.20.0")"#));
    let sources = ["compiler/model/src", "targets"].into_iter().flat_map(sources);
    let stated: Vec<String> =
        sources.filter(|(_, text)| states_a_version(text)).map(|(path, _)| path).collect();
    assert!(stated.is_empty(), "{stated:#?}");
}

/// What a noun says comes from `Sound`, where nothing is broken and whoever follows a reference gets what it leads to.
#[test]
fn targets_look_nouns_up_in_a_sound_plan_alone() {
    let mut looks = Vec::new();
    for (path, text) in sources("targets") {
        let untyped = ["noun.body", "noun().body", ".model.", ".model()", "model.get("];
        let seen = untyped.into_iter().filter(|look| text.contains(look));
        looks.extend(seen.map(|look| format!("{path} has `{look}`")));
        let imports = text.split("slipform_model::nouns::").skip(1);
        let broken = imports
            .filter_map(|import| import.split(';').next())
            .any(|import| import.split(|c: char| !c.is_alphanumeric()).any(|name| name == "Body"));
        looks.extend(broken.then(|| format!("{path} knows the untyped `Body`")));
        let plans = ["targets/lib.rs", "targets/terraform/released.rs"];
        if text.contains("&Plan") && !plans.contains(&path.as_str()) {
            looks.push(format!("{path} takes a plan that may be broken"));
        }
    }
    assert!(looks.is_empty(), "{looks:#?}");
}

#[test]
fn nothing_below_the_programs_asks_the_world() {
    let folders = [
        "compiler/source/src",
        "compiler/syntax/src",
        "compiler/rows/src",
        "compiler/catalog/src",
        "compiler/model/src",
        "compiler/analysis/src",
        "targets",
    ];
    let doors =
        ["std::fs", "std::env", "TcpStream", "UdpSocket", "std::process", "SystemTime", "Instant"];
    let mut asks = Vec::new();
    for (path, text) in folders.into_iter().flat_map(sources) {
        let used = doors.iter().filter(|door| text.contains(**door));
        asks.extend(used.map(|door| format!("{path} uses {door}")));
    }
    assert!(asks.is_empty(), "{asks:#?}");
}

/// The crates that report by themselves, with the file that lists their tables of codes.
const REPORTING: [(&str, &str); 4] = [
    ("compiler/syntax/src", "codes.rs"),
    ("compiler/analysis/src", "codes.rs"),
    ("compiler/cli/src", "explain/codes.rs"),
    ("targets", "codes.rs"),
];

#[test]
fn every_code_is_listed_and_reported() {
    let mut faults = Vec::new();
    for (folder, list) in REPORTING {
        let all = sources(folder);
        let list = fs::read_to_string(root().join(folder).join(list)).unwrap();
        for (path, text) in &all {
            let Some((_, block)) = text.split_once("slipform_source::codes! {") else { continue };
            let module = path.trim_start_matches(folder).trim_start_matches('/');
            let module = module.trim_end_matches(".rs").trim_end_matches("/mod");
            let module = if module == "lib" { String::new() } else { format!("{module}/") };
            let table = format!("crate::{}CODES,", module.replace('/', "::"));
            if !list.contains(&table) {
                faults.push(format!("{table} is not listed"));
            }
            let words = block.split(" = \"").filter_map(|before| before.rsplit([' ', ';']).next());
            for name in words.filter(|it| it.chars().all(|c| c.is_ascii_uppercase() || c == '_')) {
                let uses: usize = all.iter().map(|(_, text)| text.matches(name).count()).sum();
                if uses < 2 {
                    faults.push(format!("{path}: nothing reports {name}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What targets report, by the reason why no rule does. A relation between nouns is a rule's, so that `allow` reaches it.
const NO_RULES: [(&str, &[&str]); 7] = [
    (
        "the consumer has no spelling for a value or a form of one",
        &[
            "kubernetes/label",
            "kubernetes/mount",
            "patch/value",
            "slurm/addresses",
            "slurm/grace",
            "slurm/mount-path",
            "terraform/bucket-age",
            "terraform/lustre-share",
            "text/spelling",
            "vertex/env-count",
            "vertex/env-name",
            "vertex/filesystem",
            "vertex/label",
            "vertex/topology",
        ],
    ),
    (
        "a field is written in vain: a row of a coverage table",
        &[
            "allow/needless",
            "existing/unused",
            "slurm/dashboard",
            "slurm/namespace",
            "slurm/priority",
            "slurm/shared-memory",
            "slurm/side-job",
            "storage/unmanaged",
            "vertex/namespace",
            "vertex/priority",
            "vertex/shared-memory",
            "vertex/side-job",
        ],
    ),
    (
        "the schema of a document decides about a patch",
        &[
            "patch/identity",
            "patch/unknown-document",
            "patch/unknown-field",
            "patch/wrong-value",
            "slurm/patch",
            "terraform/patch-of-nothing",
        ],
    ),
    (
        "what is written is incomplete without a field, or the project",
        &[
            "image/project",
            "image/push-to",
            "kubernetes/filesystem",
            "kubernetes/identity",
            "terraform/incomplete",
            "vertex/project",
        ],
    ),
    (
        "the catalog lacks a name or a number that has to be written",
        &["slurm/interfaces", "slurm/node-facts", "terraform/accelerator"],
    ),
    (
        "a rule was allowed to be broken, and nothing can be written without what it asks for",
        &["plan/unsound"],
    ),
    (
        "how values and lists are divided among files is the target's own",
        &[
            "terraform/deferred",
            "terraform/output-name",
            "terraform/output-nowhere",
            "terraform/output-of-two-roots",
        ],
    ),
];

#[test]
fn targets_report_what_no_rule_can() {
    let argued: BTreeSet<&str> =
        NO_RULES.iter().flat_map(|(_, codes)| codes.iter().copied()).collect();
    let reported: BTreeSet<&str> = slipform_targets::codes().map(|code| code.name).collect();
    assert_eq!(reported, argued);
}
