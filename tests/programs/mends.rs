//! The edits that reports suggest, each tried on the programs that are refused; and the mends that are told and that nothing makes.

use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, Options};
use slipform_model::{Diagnostic, Fix, Severity};
use slipform_source::{FileId, ReadError, World};
use slipform_syntax::tree::{ClauseKind, StmtKind};
use slipform_tests::{Checkout, checked, files};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Edits behind which something else is wrong that only then shows, or that was told of the other way round: the program, and what
/// the edit does.
const MORE_TO_MEND: &[(&str, &str)] = &[
    // the last checkpoint needs time besides
    ("capacity/run-too-long.bp", "set `max_run = 3d`"),
    ("capacity/run-too-long-elsewhere.bp", "set `max_run = 1d`"),
    // nothing is out of reach any more, which is allowed there
    ("network/image-unreachable.bp", "remove `nat`"),
    ("network/nothing-to-fetch.bp", "remove `nat`"),
    // what has a name at last is checked for the first time
    ("language/components.bp", "add `use std.components.{megatron}`"),
    ("language/patch-held.bp", "write \"node\""),
    ("language/patch-owned.bp", "write \"node\""),
    ("language/patches.bp", "write `jobset`"),
    ("language/patches.bp", "write `spec`"),
    ("language/patches.bp", "write `ttlSecondsAfterFinished`"),
    ("vertex/no-spelling.bp", "write `enableWebAccess`"),
    ("language/helps.bp", "put it in quotes"),
    ("language/once.bp", "write `megatron`"),
    ("language/once.bp", "write `Topology`"),
    ("names/was.bp", "put it in quotes"),
    // the zone was that of the capacity
    ("vertex/persistent-reserved.bp", "remove `capacity`"),
];

/// The checkout with other texts in the place of some of its files.
struct Edited(BTreeMap<Utf8PathBuf, Arc<str>>);

impl World for Edited {
    fn read(&self, path: &Utf8Path) -> Result<Arc<str>, ReadError> {
        self.0.get(path).map_or_else(|| Checkout.read(path), |text| Ok(text.clone()))
    }

    fn list(&self, folder: &Utf8Path) -> Vec<String> {
        Checkout.list(folder)
    }
}

fn edited(analysis: &Analysis, fix: &Fix) -> Edited {
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse((span.start, span.end)));
    let mut texts: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    for (span, new) in edits {
        let file = analysis.sources.get(span.file).unwrap();
        let text = texts.entry(file.path.clone()).or_insert_with(|| file.text.to_string());
        text.replace_range(span.range(), &new);
    }
    Edited(texts.into_iter().map(|(path, text)| (path, text.into())).collect())
}

fn options(path: &Utf8Path) -> Options {
    Options { path: path.to_owned(), ..Options::default() }
}

/// How often something is reported that is wrong or doubtful.
fn counted(reported: &[Diagnostic]) -> BTreeMap<&str, usize> {
    let mut found = BTreeMap::new();
    for it in reported.iter().filter(|it| it.severity > Severity::Advice) {
        *found.entry(&*it.code).or_default() += 1;
    }
    found
}

#[test]
fn every_edit_mends_what_it_is_suggested_for_and_breaks_nothing_else() {
    let mut wrong = Vec::new();
    let mut more: BTreeSet<(String, String)> = BTreeSet::new();
    let mut tried = 0;
    for path in files("tests/check", ".bp") {
        let (before, _) = checked(&Checkout, &options(&path));
        let known = counted(&before.diagnostics);
        let mut done: BTreeSet<String> = BTreeSet::new();
        for diagnostic in &before.diagnostics {
            for fix in &diagnostic.fixes {
                // the same edits in the same program are tried once
                if !done.insert(format!("{} {fix:?}", diagnostic.code)) {
                    continue;
                }
                tried += 1;
                let (after, _) = checked(&edited(&before, fix), &options(&path));
                let now = counted(&after.diagnostics);
                let count =
                    |of: &BTreeMap<&str, usize>, code: &str| of.get(code).copied().unwrap_or(0);
                let is_gone = diagnostic.severity == Severity::Advice
                    || count(&now, &diagnostic.code) < count(&known, &diagnostic.code);
                let new: Vec<&str> =
                    now.keys().copied().filter(|it| count(&now, it) > count(&known, it)).collect();
                let name = path.strip_prefix("tests/check").unwrap().to_string();
                let is_known = MORE_TO_MEND.contains(&(name.as_str(), fix.title.as_str()));
                if is_gone && new.is_empty() {
                    continue;
                }
                if is_gone && is_known {
                    more.insert((name, fix.title.clone()));
                    continue;
                }
                wrong.push(format!(
                    "{name}: {} of `{}`: gone {is_gone}, new {new:?}",
                    fix.title, diagnostic.code
                ));
            }
        }
    }
    assert!(tried > 200, "only {tried} edits were tried");
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
    assert_eq!(more.len(), MORE_TO_MEND.len(), "these hold by now: all but {more:?}");
}

/// Whoever adds a report whose help names a mend, between backticks, sees it here, unless it suggests the edit as well: `mends.tsv` has
/// those without, because there is more than one way, or because something has to be known that no blueprint says.
#[test]
fn mends_that_are_told_and_that_nothing_makes_are_listed() {
    let mut made: BTreeSet<String> = BTreeSet::new();
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    for path in files("tests/check", ".bp") {
        let (analysis, _) = checked(&Checkout, &options(&path));
        for it in &analysis.diagnostics {
            let help = it.help.iter().find(|help| help.contains('`'));
            if !it.fixes.is_empty() {
                made.insert(it.code.to_string());
            } else if let Some(help) = help {
                told.entry(it.code.to_string()).or_insert_with(|| help.replace('\n', " "));
            }
        }
    }
    told.retain(|code, _| !made.contains(code));
    let idle: Vec<String> = mending_rules().into_iter().filter(|it| !made.contains(it)).collect();
    assert_eq!(idle, [""; 0], "the `fix` of these rules makes no edit in any program");
    let table: String = told.iter().map(|(code, help)| format!("{code}\t{help}\n")).collect();
    let path = slipform_tests::root().join("tests/programs/mends.tsv");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let added: Vec<&str> =
        table.lines().filter(|line| !known.lines().any(|it| it == *line)).collect();
    assert_eq!(added, [""; 0], "they suggest no edit: `UPDATE=1` lists them in {path}");
    assert_eq!(known, table, "`UPDATE=1` writes {path}");
}

/// The rules that say how they are mended.
fn mending_rules() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in files("stdlib/rules", ".bp") {
        let text = std::fs::read_to_string(slipform_tests::root().join(path)).unwrap();
        for stmt in &slipform_syntax::parse(FileId(0), &text).stmts {
            let StmtKind::Rule(rule) = &stmt.kind else { continue };
            let mends = rule.clauses.iter().any(|it| matches!(it.kind, ClauseKind::Fix(_)));
            found.extend(rule.code.iter().filter(|_| mends).map(|it| it.value.to_string()));
        }
    }
    found
}
