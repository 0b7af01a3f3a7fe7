//! Tree to model: names, types, evaluation, kinds, derived facts, rules; and what an editor asks.
//!
//! [`analyse`] does everything over a [`World`] and reads nothing else. It reports everything that is wrong in one
//! run; what could not be understood is left out quietly further on. The order is that of the modules: `load`,
//! `schema` and `program` (what may be named), `check` and `infer` (types, without values), `eval` (values and
//! nouns), `assemble` (the model), `rules`.

mod assemble;
mod check;
mod codes;
mod eval;
mod expected;
mod explain;
mod facts;
mod functions;
mod given;
pub mod ide;
mod index;
mod infer;
mod load;
mod pattern;
mod program;
mod project;
mod report;
mod rules;
mod schema;
mod source_text;
mod test_file;
mod types;

pub use codes::codes;
pub use eval::MAX_EXPANSION;
pub use expected::{Expectation, TEST_EXPECTED, expectations, surprises};
pub use explain::{RuleDoc, check_library, explain_rules};
pub use facts::{CATALOG_LOCAL, CATALOG_LOCK, facts_in};
pub use functions::{ALL as FUNCTIONS, Function};
pub use index::{Index, Mention};
pub use load::{PROJECT_UNREADABLE, Parser};
pub use project::{
    EDITIONS, LOCAL_CATALOG, LOCK_FILE, PROJECT_EMPTY, PROJECT_ENVIRONMENT, PROJECT_FILE, Project,
    Setting,
};
pub use report::of_syntax as syntax_diagnostic;
pub use schema::{BUILT_IN, Kind, Schema};
pub use test_file::{MAX_RUNS, Said, TESTS, Test, TestFile, is_test_file};
pub use types::{Block, Ctor, Field, Fields, Limit, Limited, Named, Type};

use camino::{Utf8Path, Utf8PathBuf};
use eval::Evaluation;
use program::{Program, UnitId};
use report::Reports;
use slipform_model::catalog::Catalog;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Severity, Value};
use slipform_source::{Sources, Span, World};
use slipform_syntax::tree::{Expr, Param, StmtKind, Tree};
use std::collections::BTreeMap;
use std::sync::Arc;
use test_file::Tried;

slipform_source::codes! {
    pub(crate) CODES;
    ASSERT = "assert":
        "an assertion of the blueprint does not hold",
        "change the values that it compares, or the assertion";
    PARAM_MISSING = "param/missing":
        "a parameter has neither a value nor a default; `check` warns, `build` needs one",
        "give one with `--set name=value`, or under `[params]` in `slipform.toml`";
    PARAM_WHERE = "param/where":
        "the value of a parameter breaks the condition behind `where`",
        "choose another value, or change the condition";
}

/// What to analyse.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// A `.bp` file, or the folder of a project.
    pub path: Utf8PathBuf,
    /// A file of tests of the project at that path: one that speaks of the project is analysed with it, any other in its place.
    pub test: Option<Utf8PathBuf>,
    /// The environment; the only one, or none, where it is left out.
    pub environment: Option<String>,
    /// `--set name=value`, in order.
    pub set: Vec<(String, String)>,
    /// Parameters without a value are errors: something is to be built.
    pub build: bool,
    /// An editor listens: the index of places is filled.
    pub editor: bool,
    /// Codes of what targets warn of by themselves: `allow` reaches it as it reaches rules.
    pub advice: Vec<&'static str>,
    /// Codes of what targets cannot write, which nothing can allow.
    pub refusals: Vec<&'static str>,
    /// Facts that take the place of the compiler's and of a lock's; a project's own come on top.
    pub facts: Option<Arc<Catalog>>,
}

impl Options {
    /// The file that speaks of the project.
    fn test_file(&self) -> Option<&Utf8Path> {
        self.test.as_deref().filter(|path| is_test_file(path))
    }

    /// The file that is tested by itself.
    fn program(&self) -> Option<&Utf8Path> {
        self.test.as_deref().filter(|path| !is_test_file(path))
    }
}

/// What became of it.
#[derive(Debug)]
pub struct Analysis {
    /// Every text that was read, the standard library's first.
    pub sources: Sources,
    /// The trees, in the order of the sources that are blueprints.
    pub trees: Vec<Arc<Tree>>,
    /// The project; `None` where there was nothing to compile.
    pub project: Option<Project>,
    /// What is known of machines and places, the project's own facts among it.
    pub catalog: Arc<Catalog>,
    /// What may be declared.
    pub schema: Arc<Schema>,
    /// The blueprint and what follows from it; nouns that could not be understood are broken in it.
    pub plan: Option<Plan>,
    /// What the file of tests says that the project is analysed with.
    pub tests: TestFile,
    /// What is known of places, for an editor.
    pub index: Index,
    /// Everything that is wrong or doubtful, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What the components in the trees take, and types as they are written.
    signatures: Arc<program::Signatures>,
}

impl Analysis {
    /// Whether everything is known that targets ask for: nothing is wrong, and no parameter waits for its value.
    pub fn can_be_rendered(&self) -> bool {
        !self.has_errors() && !self.diagnostics.iter().any(|it| it.code == PARAM_MISSING.name)
    }

    /// Whether anything stops a build.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Analyses a blueprint.
pub fn analyse(world: &dyn World, options: &Options) -> Analysis {
    analyse_with(world, options, &mut slipform_syntax::parse)
}

/// Analyses a blueprint with a parser that may remember what it parsed before.
pub fn analyse_with(world: &dyn World, options: &Options, parse: &mut Parser<'_>) -> Analysis {
    analyse_in_stages(
        world,
        options,
        parse,
        Stages { checked: &mut |_, _| {}, interrupted: &|| false },
    )
}

/// What happens while a blueprint is analysed, for somebody who waits and may change the text meanwhile.
pub struct Stages<'s> {
    /// Called with the texts and the diagnostics so far once syntax, names and types are checked.
    pub checked: &'s mut dyn FnMut(&Sources, &[Diagnostic]),
    /// Asked now and then from there on, by several threads. Once it says yes nothing more is worked out: the
    /// analysis has no plan, and of its diagnostics those that `checked` was told of.
    pub interrupted: &'s (dyn Fn() -> bool + Sync),
}

/// As [`analyse_with`], but tells of its stages.
pub fn analyse_in_stages(
    world: &dyn World,
    options: &Options,
    parse: &mut Parser<'_>,
    stages: Stages<'_>,
) -> Analysis {
    let standard = load::standard();
    let mut sources = standard.sources.clone();
    let mut reports = Reports::default();
    let project = Project::find(world, options, &mut sources, &mut reports);
    let Some(mut project) = project else { return without_project(sources, reports) };
    let given = options.facts.as_ref();
    let catalog = facts::facts(world, &project.root, given, &mut sources, &mut reports);
    let loaded = load::load(world, &project, parse, &mut sources, &mut reports);
    let trees: Vec<Arc<Tree>> = loaded.files.iter().map(|(tree, _)| tree.clone()).collect();
    let tried = Tried::new(options, &loaded, &sources);
    let files = tried.files(&loaded);
    let program = Program::new(&files, standard.schema.clone(), loaded.std_files, &mut reports);
    let mut index = Index::new(options.editor);
    check::check(&program, &mut reports, &mut index, false);
    let tests = tried.read(&program, &mut project, &sources, &mut reports);
    let given = given::read(&program, &project, &options.set, &mut sources, &mut reports);
    let given: BTreeMap<String, &Expr> =
        given.iter().map(|(name, expr)| (name.clone(), expr)).collect();
    missing_params(&program, &given, options.build, &mut reports);
    (stages.checked)(&sources, reports.so_far());
    let checked = reports.so_far().len();
    let asked = Asked { options, interrupted: stages.interrupted };
    let plan = evaluate(&program, &project, &catalog, &given, &sources, &mut reports, asked);
    let plan = match plan {
        Some((plan, values)) => {
            index.learn(values);
            Some(plan)
        }
        None => {
            reports.forget_after(checked);
            None
        }
    };
    let (schema, signatures) = (program.schema.clone(), program.signatures.clone());
    Analysis {
        sources,
        trees,
        project: Some(project),
        catalog,
        schema,
        plan,
        tests,
        index,
        diagnostics: reports.finish(),
        signatures,
    }
}

/// What is said where there is nothing to compile.
fn without_project(sources: Sources, reports: Reports) -> Analysis {
    Analysis {
        sources,
        trees: Vec::new(),
        project: None,
        catalog: Arc::new(Catalog::builtin().clone()),
        schema: Arc::new(load::standard().schema.clone()),
        plan: None,
        tests: TestFile::default(),
        index: Index::default(),
        diagnostics: reports.finish(),
        signatures: Arc::default(),
    }
}

/// What is asked for, and for how long.
struct Asked<'o> {
    options: &'o Options,
    interrupted: &'o (dyn Fn() -> bool + Sync),
}

/// Nouns and what follows, and the values of names; `None` where that was interrupted.
fn evaluate(
    program: &Program<'_>,
    project: &Project,
    catalog: &Arc<Catalog>,
    given: &BTreeMap<String, &Expr>,
    sources: &Sources,
    reports: &mut Reports,
    Asked { options, interrupted }: Asked<'_>,
) -> Option<(Plan, Vec<(Span, Value)>)> {
    let go_on = || (!interrupted()).then_some(());
    go_on()?;
    let mut evaluation = Evaluation::new(program, catalog, &project.name, given, reports);
    evaluation.expand();
    go_on()?;
    let model = assemble::model(&mut evaluation, project, catalog);
    evaluation.force_all();
    conditions(program, &mut evaluation);
    go_on()?;
    let plan = Arc::new(Plan::new(model));
    evaluation.plan = Some(plan.clone());
    go_on()?;
    let rules = rules::rules(program);
    let used = rules::run(&mut evaluation, &rules, sources, interrupted);
    go_on()?;
    rules::allowances(&mut evaluation, &rules, &used, options);
    asserts(&mut evaluation);
    evaluation.outward = true;
    let outputs = outputs(&mut evaluation);
    let values = evaluation.named_values();
    drop(evaluation);
    Some((Arc::unwrap_or_clone(plan).giving(outputs), values))
}

/// `param ... where condition`
fn conditions<'t>(program: &'t Program<'t>, evaluation: &mut Evaluation<'t, '_>) {
    for (at, unit) in program.units.iter().enumerate().filter(|(_, unit)| !unit.std) {
        let Some(frame) = evaluation.file_frame(UnitId(at)) else { continue };
        for stmt in &unit.tree.stmts {
            let StmtKind::Param(Param { name: Some(name), condition: Some(condition), .. }) =
                &stmt.kind
            else {
                continue;
            };
            if !matches!(evaluation.eval(condition, frame), Value::Bool(false)) {
                continue;
            }
            let value = evaluation.named(&name.value, frame);
            let given = evaluation.given.get(name.value.as_str()).map(|expr| expr.span);
            let mut report = Diagnostic::error(
                PARAM_WHERE,
                format!("`{} = {value}` does not satisfy its condition", name.value),
                given.unwrap_or(condition.span),
            );
            if given.is_some() {
                report = report.also(condition.span, "the condition");
            }
            evaluation.reports.add(report);
        }
    }
}

fn asserts(evaluation: &mut Evaluation<'_, '_>) {
    for (assert, frame, used) in std::mem::take(&mut evaluation.asserts) {
        let holds = !matches!(evaluation.eval(&assert.condition, frame), Value::Bool(false));
        if holds || evaluation.reports.has_error_in(assert.condition.span) {
            continue;
        }
        let message = assert.message.as_ref().map(|message| evaluation.eval(message, frame));
        let message = match message {
            Some(Value::Str(text)) => text.to_string(),
            _ => "this assertion does not hold".to_owned(),
        };
        let at = used.unwrap_or(assert.condition.span);
        let label = if used.is_some() { "asked for here" } else { "does not hold" };
        evaluation.reports.add(Diagnostic::error(ASSERT, message, at).labelled(label));
    }
}

fn outputs(evaluation: &mut Evaluation<'_, '_>) -> Vec<(String, slipform_model::Placed)> {
    let mut found = Vec::new();
    for (output, frame) in std::mem::take(&mut evaluation.outputs) {
        let Some(name) = &output.name else { continue };
        let placed = evaluation.placed(&output.value, frame);
        if !placed.value.has_unknown() && !matches!(placed.value, Value::Absent) {
            found.push((name.value.to_string(), placed));
        }
    }
    found
}

fn missing_params(
    program: &Program<'_>,
    given: &BTreeMap<String, &Expr>,
    build: bool,
    reports: &mut Reports,
) {
    let stmts =
        program.units.iter().filter(|unit| !unit.std).flat_map(|unit| unit.tree.stmts.iter());
    for stmt in stmts {
        let StmtKind::Param(Param { name: Some(name), ty: Some(ty), default: None, .. }) =
            &stmt.kind
        else {
            continue;
        };
        if given.contains_key(name.value.as_str()) || program.written_type(ty).is_optional() {
            continue;
        }
        let message = format!("the parameter `{}` has no value", name.value);
        let help = format!(
            "give one with `--set {}=...`, or under `[params]` in `{PROJECT_FILE}`",
            name.value
        );
        let report = match build {
            true => Diagnostic::error(PARAM_MISSING, message, name.span),
            false => Diagnostic::warning(PARAM_MISSING, message, name.span)
                .help("what depends on it cannot be checked"),
        };
        reports.add(report.help(help));
    }
}
