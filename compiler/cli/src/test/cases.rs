//! The tests of a project: found below `tests/`, each with the runs that it asks for.

use super::{SNAPSHOTS, USAGE_TEST};
use crate::args::TestArgs;
use crate::blueprint::Blueprint;
use crate::report::words::short;
use crate::stop::Stop;
use crate::world::said;
use camino::{Utf8Path, Utf8PathBuf};
use slipform_analysis::{Analysis, TESTS, Test, is_test_file};
use slipform_model::{Diagnostic, Severity, nearest, similar};
use slipform_source::Sources;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;

/// Letters of a value that are shown in the name of a run.
const MOST_LETTERS: usize = 40;

/// One run of one test.
pub(super) struct Case {
    /// `policy::every_size (prod, nodes = 2)`; a program is called as its file.
    pub(super) name: String,
    /// Of the project: `tests/policy.test.bp`.
    pub(super) file: Utf8PathBuf,
    pub(super) what: What,
}

/// What is run.
pub(super) enum What {
    /// A program, whose comments say what it expects.
    Program,
    /// A test of the project.
    Project(Run),
    /// Nothing: the file cannot be understood.
    Broken { diagnostics: Vec<Diagnostic>, sources: Sources, tests: Vec<String> },
}

/// With what a test of the project is run.
pub(super) struct Run {
    /// Its name in its file; empty for the file as a whole.
    pub(super) test: String,
    pub(super) environment: Option<String>,
    /// Values of parameters, as `--set` takes them.
    pub(super) set: Vec<(String, String)>,
}

/// The runs that are asked for.
pub(super) struct Cases {
    pub(super) chosen: Vec<Case>,
    /// So many are not asked for.
    pub(super) left_out: usize,
}

impl Cases {
    /// All tests of a project that the command line asks for.
    pub(super) fn find(blueprint: &Blueprint, args: &TestArgs) -> Result<Self, Stop> {
        let files = files(blueprint)?;
        let mut environments = BTreeSet::new();
        let mut all = Vec::new();
        for file in &files {
            match is_test_file(file) {
                true => of_file(blueprint, file, &mut environments, &mut all),
                false => all.push(Case {
                    name: below(file).to_string(),
                    file: file.clone(),
                    what: What::Program,
                }),
            }
        }
        let found = all.len();
        let names: Vec<String> = all.iter().map(|case| case.name.clone()).collect();
        all.retain(|case| case.is_asked_for(args));
        if all.is_empty() {
            return Err(nothing(args, &names, &environments));
        }
        Ok(Self { left_out: found - all.len(), chosen: all })
    }

    /// Whether every test of the project is among them.
    pub(super) fn is_whole(&self) -> bool {
        self.left_out == 0
    }
}

impl Case {
    fn is_asked_for(&self, args: &TestArgs) -> bool {
        let tests = match &self.what {
            What::Broken { tests, .. } => tests.as_slice(),
            What::Program | What::Project(_) => &[],
        };
        let names = || [self.name.as_str(), self.file.as_str()].into_iter();
        let names = || names().chain(tests.iter().map(String::as_str));
        let is_named = |word: &String| names().any(|name| name.contains(word));
        let is_there = match &self.what {
            What::Program => args.env.is_empty(),
            What::Broken { .. } => true,
            What::Project(run) => {
                args.env.is_empty()
                    || run.environment.as_ref().is_some_and(|own| args.env.contains(own))
            }
        };
        is_there && (args.names.is_empty() || args.names.iter().any(is_named))
    }
}

/// Why no test is left.
fn nothing(args: &TestArgs, names: &[String], environments: &BTreeSet<String>) -> Stop {
    if let Some(unknown) = args.env.iter().find(|env| !environments.contains(*env)) {
        let stop = Stop::new(USAGE_TEST, format!("no test is for an environment `{unknown}`"));
        return match nearest(unknown, environments.iter().map(String::as_str)) {
            Some(near) => stop.help(similar("an environment", near)),
            None => stop.help("`slipform test --list` shows all tests"),
        };
    }
    let words: Vec<String> = args.names.iter().map(|word| format!("`{word}`")).collect();
    let message = match words.is_empty() {
        true => "no test is left to run".to_owned(),
        false => format!("no test is called {}", words.join(" or ")),
    };
    let stop = Stop::new(USAGE_TEST, message);
    let parts = names.iter().flat_map(|name| name.split([' ', ':', '/']));
    let near = args.names.iter().find_map(|word| nearest(word, parts.clone()));
    match near {
        Some(near) => stop.help(similar("a test", near)),
        None => stop
            .help("`slipform test --list` shows all tests; `--project DIR` names another project"),
    }
}

/// Every blueprint below `tests/`, by path. Hidden names and linked folders are left out.
fn files(blueprint: &Blueprint) -> Result<Vec<Utf8PathBuf>, Stop> {
    let mut found = Vec::new();
    let mut folders = vec![Utf8PathBuf::from(TESTS)];
    while let Some(folder) = folders.pop() {
        let at = blueprint.folder.join(&folder);
        let entries = match std::fs::read_dir(&at) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                let shown = blueprint.base.join(&folder);
                let message = format!("`{shown}` cannot be read: {}", said(&error));
                return Err(Stop::new(USAGE_TEST, message));
            }
        };
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = folder.join(&name);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_kept = path == Utf8Path::new(TESTS).join(SNAPSHOTS);
            if name.starts_with('.') || is_kept {
                continue;
            }
            if is_folder {
                folders.push(path);
            } else if name.ends_with(".bp") && !leads_to_folder(&entry.path()) {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        let folder = blueprint.base.join(TESTS);
        let stop = Stop::new(USAGE_TEST, format!("there is no `.bp` file below `{folder}`"));
        return Err(stop.help(
            "a program with what it expects in comments, `NAME.bp`, or what must hold of the project, `NAME.test.bp`",
        ));
    }
    found.sort();
    Ok(found)
}

fn leads_to_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The path of a file below `tests/`.
pub(super) fn below(file: &Utf8Path) -> &Utf8Path {
    file.strip_prefix(TESTS).unwrap_or(file)
}

/// The runs of a file that speaks of the project; one that fails where it cannot be understood.
fn of_file(
    blueprint: &Blueprint,
    file: &Utf8Path,
    environments: &mut BTreeSet<String>,
    found: &mut Vec<Case>,
) {
    let analysis = blueprint.read_test(file);
    let known = analysis.project.as_ref().map(|project| project.environments.clone());
    let known = known.unwrap_or_default();
    environments.extend(known.iter().cloned());
    let wrong = own_errors(&analysis, file);
    if !wrong.is_empty() {
        let tests = analysis.tests.tests.into_iter().map(|test| test.name.value).collect();
        let what = What::Broken { diagnostics: wrong, sources: analysis.sources, tests };
        found.push(Case { name: below(file).to_string(), file: file.to_owned(), what });
        return;
    }
    for test in &analysis.tests.tests {
        for environment in environments_of(test, &known) {
            for set in test.combinations() {
                let environment = environment.clone();
                let run = Run { test: test.name.value.clone(), environment, set };
                let name = run.name(file, known.len());
                found.push(Case { name, file: file.to_owned(), what: What::Project(run) });
            }
        }
    }
}

fn environments_of(test: &Test, known: &[String]) -> Vec<Option<String>> {
    match &test.environments {
        Some(own) => own.iter().map(|name| Some(name.value.clone())).collect(),
        None if known.is_empty() => vec![None],
        None => known.iter().cloned().map(Some).collect(),
    }
}

/// What is wrong in the file itself, whatever the environment.
fn own_errors(analysis: &Analysis, file: &Utf8Path) -> Vec<Diagnostic> {
    let is_own = |diagnostic: &&Diagnostic| {
        let at = diagnostic.span().and_then(|span| analysis.sources.get(span.file));
        diagnostic.severity == Severity::Error && at.is_some_and(|at| at.path == file)
    };
    analysis.diagnostics.iter().filter(is_own).cloned().collect()
}

impl Run {
    fn name(&self, file: &Utf8Path, environments: usize) -> String {
        let file = below(file);
        let name = match (self.test.as_str(), file.as_str().strip_suffix(".test.bp")) {
            ("", _) | (_, None) => file.to_string(),
            (test, Some(stem)) => format!("{stem}::{test}"),
        };
        let values = self.set.iter();
        let values = values.map(|(name, value)| format!("{name} = {}", short(value, MOST_LETTERS)));
        let environment = self.environment.clone().filter(|_| environments > 0);
        let with: Vec<String> = environment.into_iter().chain(values).collect();
        match with.is_empty() {
            true => name,
            false => format!("{name} ({})", with.join(", ")),
        }
    }
}
