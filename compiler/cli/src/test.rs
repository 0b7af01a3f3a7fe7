//! `slipform test`: what a project expects of itself. Below `tests/` a `NAME.test.bp` speaks of the project, and any other blueprint is
//! a program whose comments say what has to be reported.

mod cases;
mod document;
mod runs;
mod snapshots;
mod told;

use crate::Context;
use crate::args::{Inputs, TestArgs};
use crate::blueprint::{Blueprint, USAGE_PATH};
use crate::report::{self, Found};
use crate::stop::{ExitStatus, Stop};
use cases::Cases;
use slipform_analysis::{Analysis, LOCAL_CATALOG, LOCK_FILE, PROJECT_FILE};
use slipform_model::{Diagnostic, Severity};
use snapshots::Snapshots;
use told::Told;

slipform_source::codes! {
    pub(crate) CODES;
    TEST_SNAPSHOT = "test/snapshot":
        "a noun renders to something else than what is kept of it",
        "mend the blueprint; where the change is meant, `slipform test --update` keeps it";
    USAGE_TEST = "usage/test":
        "there is no such test to run",
        "`slipform test --list` shows them; they stand below `tests/`";
}

/// What tests keep of artifacts, in the folder of tests.
const SNAPSHOTS: &str = "snapshots";

pub(crate) fn run(args: &TestArgs, context: &mut Context<'_, '_>) -> Result<ExitStatus, Stop> {
    let inputs = Inputs { path: args.project.clone(), set: Vec::new() };
    let blueprint = Blueprint::open(&inputs, context)?;
    if !blueprint.file().as_str().is_empty() {
        let message = format!("`{}` is a file, and tests are of a project", args.project);
        return Err(Stop::new(USAGE_PATH, message).help("name the folder that `tests/` lies in"));
    }
    let project = blueprint.analyse(None, false);
    let broken: Vec<Diagnostic> =
        project.diagnostics.iter().filter(|it| is_of_file(it, &project)).cloned().collect();
    if !broken.is_empty() {
        let found = Found { places: blueprint.places(&project), diagnostics: broken };
        report::located(context.console, context.format, &[found]);
        return Ok(ExitStatus::Errors);
    }
    let cases = Cases::find(&blueprint, args)?;
    if args.list {
        told::list(&cases.chosen, context);
        return Ok(ExitStatus::Clean);
    }
    let mut snapshots = Snapshots::new(&blueprint, args.update);
    let mut told = Told::new(&blueprint, &cases, context);
    for case in &cases.chosen {
        let outcome = case.run(&blueprint, &mut snapshots);
        told.add(case, outcome, context);
    }
    snapshots.tidy(&cases)?;
    Ok(told.finish(&snapshots, context))
}

/// Whether nothing can be known of a project, since a file that it is described by cannot be used.
fn is_of_file(diagnostic: &Diagnostic, project: &Analysis) -> bool {
    let file = diagnostic.span().and_then(|span| project.sources.get(span.file));
    file.is_some_and(|file| match file.path.as_str() {
        PROJECT_FILE => diagnostic.code.starts_with("project/"),
        LOCAL_CATALOG | LOCK_FILE => diagnostic.severity == Severity::Error,
        _ => false,
    })
}
