//! Sentences of `docs/architecture.md` that no type and no crate edge holds: they are read off the sources.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

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

/// What a text brings into scope from some root (`crate`, `super`, `std`): the words of each such `use`.
fn brought<'a>(text: &'a str, roots: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let trees = text.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    let trees =
        trees.filter(|tree| roots.iter().any(|root| tree.starts_with(&format!("{root}::"))));
    trees.flat_map(|tree| tree.split(|c: char| !c.is_alphanumeric() && c != '_'))
}

/// How often a text has a word that is no part of a longer one.
fn mentions(text: &str, word: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !inside(c)).filter(|it| *it == word).count()
}

#[test]
fn what_is_brought_into_scope_is_found_in_every_form() {
    let text =
        "use crate::{Output, slurm};    use std::fs;pub(crate) use super::super::vertex::Job;";
    let found: Vec<&str> = brought(text, &["crate", "super"]).collect();
    assert!(found.contains(&"slurm") && found.contains(&"vertex") && !found.contains(&"fs"));
    assert_eq!(mentions("LAUNCH, NO_LAUNCH, LAUNCHER", "LAUNCH"), 1);
}

#[test]
fn targets_never_look_at_each_other() {
    let targets: Vec<&str> = slipform_targets::TARGETS.iter().map(|it| it.name()).collect();
    let mut looks = Vec::new();
    for target in &targets {
        let texts = sources(&format!("targets/{target}"));
        assert!(!texts.is_empty(), "{target} is no folder");
        for (path, text) in texts {
            let words: BTreeSet<&str> = brought(&text, &["crate", "super"]).collect();
            let others = targets.iter().filter(|other| *other != target);
            let seen = others.filter(|other| {
                words.contains(**other) || text.contains(&format!("crate::{other}::"))
            });
            looks.extend(seen.map(|other| format!("{path} looks at {other}")));
        }
    }
    assert!(looks.is_empty(), "{looks:#?}");
}

/// The texts of all `match`es, each from behind its `{` to its `}`.
fn matches(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("match ").filter_map(|(at, _)| text.get(at..));
    starts.filter_map(|rest| {
        let (_, arms) = rest.split_once('{')?;
        let mut depth = 1;
        let end = arms.find(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        })?;
        arms.get(..end)
    })
}

/// What stands in a text outside of its braces, parentheses and brackets: of a `match`, the patterns of its arms.
fn outermost(text: &str) -> String {
    let mut depth = 0;
    let kept = text.chars().filter(|c| {
        depth += i32::from("{([".contains(*c));
        let kept = depth == 0;
        depth -= i32::from("})]".contains(*c));
        kept
    });
    kept.collect()
}

/// A new noun or platform is a compile error wherever all others are told apart.
#[test]
fn no_match_over_nouns_or_platforms_has_a_wildcard() {
    let mut loose = Vec::new();
    let rooms = [
        "compiler/model/src",
        "compiler/analysis/src",
        "compiler/cli/src",
        "compiler/lsp/src",
        "targets",
    ];
    for (path, text) in rooms.into_iter().flat_map(sources) {
        let found = matches(&text).filter(|arms| is_loose(arms)).map(outermost);
        loose.extend(found.map(|arms| format!("{path}: {arms}")));
    }
    assert!(loose.is_empty(), "{loose:#?}");
    for arms in [
        " Body::Pool(pool) => 1, _ => 2, ",
        " Some(Site::Gke(site)) => site.f(), None | Some(_) => 0, ",
        " (Place::Pool(_), 1) => 1, other => f(other), ",
    ] {
        assert!(is_loose(arms), "{arms}");
    }
    for arms in [
        " Body::Pool(_) => f(|_| 1), Body::Queue(_) => 2, ",
        " _ if small => 1, Body::Pool(_) => 2, Body::Queue(_) => 3, ",
    ] {
        assert!(!is_loose(arms), "{arms}");
    }
}

/// Whether the arms of a `match` tell nouns or platforms apart, and one of them takes all others.
fn is_loose(arms: &str) -> bool {
    const TOLD: [&str; 15] = [
        "Body", "Any", "Site", "Place", "Platform", "Ground", "Capacity", "Storage", "PushTo",
        "Stage", "Source", "Server", "Launcher", "RunValue", "ImageUse",
    ];
    let patterns = patterns(arms);
    // the macro that makes the enum of nouns tells one from all others
    let of_code = !arms.contains('$');
    let takes_all = |pattern: &String| {
        !pattern.contains(" if ")
            && pattern.split('|').map(str::trim).any(|it| {
                let inner =
                    it.strip_prefix("Some(").and_then(|it| it.strip_suffix(')')).unwrap_or(it);
                inner == "_"
                    || inner.chars().all(|c| c.is_lowercase() || c == '_')
                        && inner != "true"
                        && inner != "false"
            })
    };
    let is_over = |pattern: &String| {
        let told = pattern.split(" if ").next().unwrap_or_default();
        TOLD.iter().any(|it| told.contains(&format!("{it}::")))
    };
    of_code && patterns.iter().any(is_over) && patterns.iter().any(takes_all)
}

/// The patterns of the arms of a `match` with their guards, without what they lead to.
fn patterns(arms: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut pattern, mut skipped) = (0, String::new(), false);
    let mut rest = arms;
    while let Some(c) = rest.chars().next() {
        depth += i32::from("{([".contains(c));
        depth -= i32::from("})]".contains(c));
        if !skipped && depth == 0 && rest.starts_with("=>") {
            found.push(pattern.trim_matches([',', ' ']).to_owned());
            (pattern, skipped) = (String::new(), true);
        } else if skipped && depth == 0 && (c == ',' || c == '}') {
            skipped = false;
        } else if !skipped {
            pattern.push(c);
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    found
}

/// A new field of what is rendered is a compile error where each target takes it apart: it is honoured there, or stands as
/// `field: _`.
#[test]
fn targets_take_runs_apart_field_by_field() {
    let mut wanting = Vec::new();
    let sites: [(&str, &[&str]); 3] = [
        (
            "kubernetes",
            &[
                "GkeSite",
                "PodPlan",
                "SidecarPlan",
                "Reaction",
                "Awaits",
                "Nearness",
                "Cut",
                "Selection",
            ],
        ),
        ("slurm", &["SlurmSite", "Component", "Berth", "Awaits"]),
        ("vertex", &["VertexSite"]),
    ];
    for (target, of_site) in sites {
        let all = sources(&format!("targets/{target}"));
        for part in ["Run", "Gang", "Program", "MountPlan"].iter().chain(of_site) {
            let start = format!("let plan::{part} {{");
            let patterns: Vec<&str> =
                all.iter().flat_map(|(_, text)| text.split(&start).skip(1)).collect();
            let whole = |it: &&str| it.split_once('}').is_some_and(|(it, _)| !it.contains(".."));
            if patterns.is_empty() || !patterns.iter().all(whole) {
                wanting.push(format!("{target} does not take `{part}` apart without `..`"));
            }
        }
    }
    // what mounts lead to is told apart whole where it is rendered; others look for what they need of it
    for path in ["kubernetes/volumes.rs", "slurm/mounts.rs", "vertex/start.rs"] {
        let path = format!("targets/{path}");
        let all = sources("targets").into_iter().find(|(it, _)| *it == path).unwrap().1;
        let arms = ["Bucket", "Share", "Scratch", "LocalCheckpoints", "Object", "HostPath"];
        for arm in arms {
            let start = format!(" Source::{arm} {{");
            let mut patterns = all.split(&start).skip(1);
            let whole = |it: &str| it.split_once('}').is_some_and(|(it, _)| !it.contains(".."));
            if !patterns.any(whole) {
                wanting.push(format!("{path} does not take `Source::{arm}` apart without `..`"));
            }
        }
    }
    assert!(wanting.is_empty(), "{wanting:#?}");
}

/// Whether a text has a literal that starts with three numbers and dots between, whatever signs are in front, or is two of
/// them: a version, or an address.
fn states_a_version(text: &str) -> bool {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.split('"').skip(1).any(|literal| {
        let number = literal.trim_start_matches(['v', '>', '<', '=', '~', ' ']);
        let mut parts = number.splitn(3, '.');
        let whole = |part: Option<&str>| {
            part.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        whole(parts.next())
            && whole(parts.next())
            && parts.next().is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

#[test]
fn versions_and_addresses_stand_in_the_catalog() {
    assert!(states_a_version(r#"attr("version", ">= 7.20.0")"#));
    assert!(states_a_version(r#"release < "23.11""#));
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

/// What only the machine knows that a compiler runs on.
const DOORS: [&str; 9] = [
    "std::fs",
    "std::env",
    "std::process",
    "TcpStream",
    "UdpSocket",
    "SystemTime",
    "Instant",
    "available_parallelism",
    "thread::current",
];

/// Who asks nevertheless, with the reason why no byte of the output depends on the answer.
const ASKED: [(&str, &str, &str); 1] = [(
    "targets/kubernetes/mod.rs",
    "available_parallelism",
    "in how many parts folders are rendered at once; they are joined in their order",
)];

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
    let mut asks = BTreeSet::new();
    for (path, text) in folders.into_iter().flat_map(sources) {
        let brought: BTreeSet<&str> = brought(&text, &["std"]).collect();
        for door in DOORS {
            let module = door.strip_prefix("std::").filter(|module| brought.contains(module));
            if text.contains(door) || module.is_some() {
                asks.insert((path.clone(), door));
            }
        }
    }
    let asked = ASKED.map(|(path, door, _)| (path.to_owned(), door));
    assert_eq!(asks, BTreeSet::from(asked));
}

/// How many lines a function may have: what is longer does several things.
const LONGEST: usize = 60;

/// The functions that are longer, with the reason. An entry goes with the function's length; none comes.
const LONG: [(&str, &str, &str); 3] = [
    (
        "targets/kubernetes/pod.rs",
        "of_gang",
        "takes a gang and its program apart field by field, and has a line for each field of the pod",
    ),
    ("targets/slurm/step.rs", "step", "takes a gang and its program apart field by field"),
    (
        "targets/vertex/start.rs",
        "start",
        "takes a run, its gang and its program apart field by field",
    ),
];

/// The functions of a formatted text that have more lines than `most`, from the line of `fn` to the brace that closes
/// them, with their lines.
fn longer_than(most: usize, text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((before, rest)) = line.split_once("fn ") else { continue };
        let words = ["pub", "const", "async", "unsafe"];
        let is_head = |word: &str| words.contains(&word) || word.starts_with("pub(");
        if !before.split_whitespace().all(is_head) {
            continue;
        }
        let indent = before.len() - before.trim_start().len();
        let outer =
            |line: &&&str| !line.is_empty() && line.trim_start().len() + indent == line.len();
        // The head may run over several lines; behind it a body follows, or nothing.
        let head = |line: &&&str| outer(line) && line.ends_with(['{', '}', ';']);
        let body = lines[at..].iter().find(head).is_some_and(|line| line.ends_with('{'));
        let end = lines[at..].iter().position(|line| outer(&line) && line.trim() == "}");
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
        if let Some(end) = end.filter(|end| body && *end >= most) {
            found.push((name, end + 1));
        }
    }
    found
}

#[test]
fn a_function_is_as_long_as_from_its_first_line_to_its_brace() {
    let text = "fn one(a: u8) {}\n\npub(crate) const fn four(\n    a: u8,\n) -> u8 {\n}\n\n\
        trait Is {\n    fn is(\n        &self,\n    ) -> bool;\n    fn three(&self) -> bool {\n        \
        true\n    }\n}\n\n// a fn five(\n}\n";
    assert_eq!(longer_than(2, text), [("four", 4), ("three", 3)]);
    assert_eq!(longer_than(3, text), [("four", 4)]);
    assert_eq!(longer_than(4, text), []);
}

#[test]
fn no_function_is_long_without_a_reason() {
    let mut long = BTreeSet::new();
    let mut seen = 0;
    for folder in ["compiler", "targets", "stdlib"] {
        let own = files(folder, ".rs").into_iter().map(|path| path.into_string());
        for path in own.filter(|path| !path.contains("/tests")) {
            let text = fs::read_to_string(root().join(&path)).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            seen += longer_than(LONGEST / 2, code).len();
            let found = longer_than(LONGEST, code).into_iter();
            long.extend(found.map(|(name, lines)| (path.clone(), name.to_owned(), lines)));
        }
    }
    assert!(seen > 100, "{seen} functions are read");
    let known = |path: &str, name: &str| LONG.iter().any(|it| (it.0, it.1) == (path, name));
    let new: Vec<_> = long.iter().filter(|(path, name, _)| !known(path, name)).collect();
    assert!(new.is_empty(), "longer than {LONGEST} lines, split along what they do: {new:#?}");
    let is_long = |path: &str, name: &str| long.iter().any(|it| (&*it.0, &*it.1) == (path, name));
    let short: Vec<_> = LONG.iter().filter(|(path, name, _)| !is_long(path, name)).collect();
    assert!(short.is_empty(), "these are long no more, take them from the list: {short:#?}");
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
                let uses: usize = all.iter().map(|(_, text)| mentions(text, name)).sum();
                if uses < 2 {
                    faults.push(format!("{path}: nothing reports {name}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What targets report, by the reason why no rule does. A relation between nouns is a rule's, so that `allow` reaches it.
const NO_RULES: [(&str, &[&str]); 9] = [
    (
        "the consumer has no spelling for a value or a form of one",
        &[
            "kubernetes/label",
            "kubernetes/mount",
            "patch/value",
            "slurm/addresses",
            "slurm/mount-path",
            "terraform/bucket-age",
            "terraform/lustre-share",
            "text/spelling",
            "kubernetes/run-value",
            "slurm/run-value",
            "vertex/entrypoint",
            "vertex/run-value",
            "vertex/env-count",
            "vertex/env-name",
            "vertex/label",
        ],
    ),
    (
        "a field is written in vain: a row of a coverage table",
        &[
            "allow/needless",
            "existing/unused",
            "gpu/driver",
            "image/tag",
            "machines/unused",
            "slurm/dashboard",
            "slurm/gcsfuse",
            "slurm/namespace",
            "slurm/ttl",
            "slurm/deadline",
            "slurm/pull-secrets",
            "slurm/account",
            "slurm/cloud-alone",
            "slurm/own-hosts",
            "slurm/privileges",
            "slurm/priority",
            "slurm/shared-memory",
            "slurm/domain",
            "slurm/topology-level",
            "slurm/failure",
            "slurm/readiness",
            "slurm/sidecars",
            "storage/unmanaged",
            "patch/other-platform",
            "terraform/output-nowhere",
            "vertex/gcsfuse",
            "vertex/namespace",
            "vertex/nodes",
            "vertex/ttl",
            "vertex/deadline",
            "vertex/pull-secrets",
            "vertex/account",
            "vertex/host-network",
            "vertex/privileges",
            "vertex/priority",
            "vertex/shared-memory",
            "vertex/domain",
            "vertex/topology-level",
            "vertex/failure",
            "vertex/part-of-node",
            "vertex/readiness",
            "vertex/sidecars",
        ],
    ),
    (
        "a document is held together once it is patched, with the nodes that its pods may be on: rules see no documents",
        &[
            "patch/amount",
            "patch/elsewhere",
            "patch/endless",
            "patch/hampered",
            "patch/metadata",
            "patch/network",
            "patch/nodes",
            "patch/reference",
            "patch/refused",
            "patch/together",
            "patch/untolerated",
            "patch/unused",
            "patch/word",
        ],
    ),
    (
        "the schema of a document decides about a patch, and what fields say in it",
        &[
            "patch/identity",
            "patch/new-item",
            "patch/no-such-item",
            "patch/owned",
            "patch/relied-on",
            "patch/unknown-document",
            "patch/unknown-field",
            "patch/secret",
            "patch/wrong-value",
            "slurm/patch",
            "slurm/patch-of-nothing",
            "terraform/patch-of-nothing",
            "toolkit/patch-of-nothing",
        ],
    ),
    ("a release has no spelling for a word, or for a line of a patch", &["slurm/release"]),
    (
        "what is written is incomplete without a field, or the project",
        &["image/project", "kubernetes/filesystem", "kubernetes/identity", "vertex/project"],
    ),
    (
        "the catalog lacks a name or a number that has to be written",
        &["slurm/node-facts", "terraform/accelerator"],
    ),
    (
        "a rule was allowed to be broken, and nothing can be written without what it asks for",
        &["plan/unsound"],
    ),
    (
        "how values and lists are divided among files is the target's own",
        &["terraform/deferred", "terraform/output-name", "terraform/output-of-two-roots"],
    ),
];

#[test]
fn targets_report_what_no_rule_can() {
    let argued: BTreeSet<&str> =
        NO_RULES.iter().flat_map(|(_, codes)| codes.iter().copied()).collect();
    let reported: BTreeSet<&str> = slipform_targets::codes().map(|code| code.name).collect();
    assert_eq!(reported, argued);
}

const PAGE: &str = "docs/architecture.md";

/// The rows of the table of the page that starts with a title, as their cells.
fn table<'a>(page: &'a str, title: &str) -> Vec<Vec<&'a str>> {
    let (_, rest) = page.split_once(title).unwrap();
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// The crates of this house that a crate is built on, without `slipform-`.
fn edges(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let (_, rest) = manifest.split_once("[dependencies]").unwrap_or_default();
    let own = rest.split("\n[").next().unwrap_or_default().lines();
    own.filter_map(|line| line.strip_prefix("slipform-")?.strip_suffix(".workspace = true"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_table_of_rooms_has_every_crate_and_what_it_knows() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let rows = table(&page, "| folder | crate | holds | may know |");
    let mut faults = Vec::new();
    for row in &rows {
        let [folder, name, _, knows] = row[..] else { panic!("{row:?}") };
        let folder = folder.trim_matches('`');
        let member = format!("{} = {{ path = \"{folder}\"", name.trim_matches('`'));
        if !manifest.contains(&member) && folder != "tests" {
            faults.push(format!("{name} is not at {folder}"));
        }
        let known = knows.split(", ").filter(|it| *it != "nothing").map(str::to_owned);
        let (known, edges) = (known.collect(), edges(folder));
        if knows != "everything" && edges != known {
            faults.push(format!("{name} knows {edges:?}, and the page says {known:?}"));
        }
    }
    let members = manifest.lines().filter(|it| it.contains("path = ")).count();
    if members + 1 != rows.len() {
        faults.push(format!("{} rows for {} crates", rows.len(), members + 1));
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What the page shows in the type of code, with fenced blocks left out.
fn spans(page: &str) -> Vec<&str> {
    let plain = page.split("```").step_by(2);
    plain.flat_map(|text| text.split('`').skip(1).step_by(2)).collect()
}

/// What the paths of the page start at.
const FROM: [&str; 2] = ["", "compiler/model/src"];

/// What the page names and no file of the tree is or says.
fn astray(page: &str) -> Vec<String> {
    let tree = ["compiler", "targets", "tests", "stdlib"];
    let tree: Vec<_> = tree.into_iter().flat_map(|folder| files(folder, "")).collect();
    let names: BTreeSet<&str> = tree.iter().flat_map(|path| path.iter()).collect();
    let said = tree.iter().map(|path| path.as_str()).chain(["Cargo.toml"]);
    let said = said.filter(|path| [".rs", ".bp", ".toml"].iter().any(|end| path.ends_with(end)));
    let said: Vec<String> = said.map(|it| fs::read_to_string(root().join(it)).unwrap()).collect();
    let part = |c: char| !c.is_alphanumeric() && c != '_';
    let words: BTreeSet<&str> = said.iter().flat_map(|text| text.split(part)).collect();
    let mut astray = Vec::new();
    for span in spans(page) {
        let is_path = span.contains('/') && !span.contains([' ', '<', '*']);
        let known = if is_path {
            FROM.iter().any(|from| root().join(from).join(span).exists())
        } else if [".rs", ".pest", ".py"].iter().any(|end| span.ends_with(end)) {
            names.contains(span)
        } else {
            span.split(part)
                .filter(|word| !word.is_empty())
                .all(|word| words.contains(word) || names.contains(word))
        };
        if !known {
            astray.push(span.to_owned());
        }
    }
    astray
}

#[test]
fn the_page_names_what_is_there() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    assert_eq!(astray(&page), [""; 0]);
    let wrong = ["no".repeat(9), format!("targets/{}.rs", "no".repeat(9))];
    assert_eq!(astray(&format!("`{}` and `{}` and `Sound`", wrong[0], wrong[1])), wrong);
}

#[test]
fn every_enum_of_a_noun_is_taken_apart_in_the_graph() {
    // what they bring from the nouns is no taking apart
    let files = files("compiler/model/src/graph", ".rs");
    let behind = |path: &camino::Utf8PathBuf| {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let rest = text.split_once("\n\n/// ").or_else(|| text.split_once("\n\nimpl "));
        rest.map_or_else(String::new, |(_, rest)| rest.to_owned())
    };
    let taken: Vec<String> =
        files.iter().filter(|path| path.as_str().contains("references")).map(behind).collect();
    let nouns = sources("compiler/model/src/nouns");
    let enums = nouns.iter().flat_map(|(_, text)| text.split("pub enum ").skip(1));
    let names = enums.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    let names: Vec<&str> = names.collect();
    assert!(names.contains(&"Capacity") && names.contains(&"Place"), "{names:?}");
    let is_taken = |name: &&str| taken.iter().any(|text| mentions(text, name) > 0);
    let (_, forgotten): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_taken);
    assert_eq!(forgotten, [""; 0]);
}
