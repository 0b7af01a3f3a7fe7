//! Tree to model: names, types, evaluation, kinds, derived facts, rules; and what an editor asks.
//!
//! [`analyse`] does everything over a [`World`] and reads nothing else. It reports everything that is wrong in one
//! run; what could not be understood is left out quietly further on. The order is that of the modules: `load`,
//! `schema` and `program` (what may be named), `check` and `infer` (types, without values), `eval` (values and
//! nouns), `assemble` (the model), `rules`.

mod assemble;
mod check;
mod codes;
mod cuts;
mod environments;
mod eval;
mod expected;
mod explain;
mod facts;
mod functions;
mod given;
pub mod ide;
mod index;
mod infer;
mod labels;
mod load;
mod pattern;
mod program;
mod project;
mod quotas;
mod report;
mod rules;
mod schema;
mod source_text;
mod test_file;
mod types;

pub use codes::codes;
pub use cuts::cut;
pub use environments::both_make;
pub use eval::MAX_EXPANSION;
pub use expected::{Expectation, TEST_EXPECTED, expectations, surprises};
pub use explain::{RuleDoc, check_library, explain_rules};
pub use facts::{CATALOG_LOCAL, CATALOG_LOCK, facts_in};
pub use functions::{ALL as FUNCTIONS, Function};
pub use index::{Index, Mention};
pub use load::{PROJECT_UNREADABLE, Parser};
pub use project::{
    EDITIONS, LOCAL_CATALOG, LOCK_FILE, PROJECT_EMPTY, PROJECT_ENVIRONMENT, PROJECT_FILE, Project,
    Setting, project_name,
};
pub use report::of_syntax as syntax_diagnostic;
pub use schema::{BUILT_IN, Kind, Schema};
pub use test_file::{
    MAX_RUNS, Said, TEST_RENDERS, TESTS, Test, TestFile, is_test_file, no_noun, nouns_named,
    unnamed,
};
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
    /// How far it went.
    pub depth: Depth,
    /// What was reported of names, where it did not go to the rules.
    begun: Option<Reports>,
    /// What the components in the trees take, and types as they are written.
    signatures: Arc<program::Signatures>,
    /// Values that parameters have from outside.
    given: BTreeMap<String, Expr>,
}

impl Analysis {
    /// Whether everything is known that targets ask for: nothing is wrong, and no parameter waits for its value.
    pub fn can_be_rendered(&self) -> bool {
        !self.has_errors() && !self.diagnostics.iter().any(|it| it.code == PARAM_MISSING.name)
    }

    /// The trees, each with its name as a `use` writes it.
    pub(crate) fn files(&self) -> Vec<(&Tree, String)> {
        self.trees.iter().map(|tree| (&**tree, ide::module(self, tree))).collect()
    }

    /// Takes what evaluating came to.
    fn take(&mut self, evaluated: Option<Evaluated>) {
        let Some(Evaluated { plan, values, depth }) = evaluated else { return };
        self.index.learn(values);
        (self.plan, self.depth) = (Some(plan), depth);
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
        Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Rules, ahead: None },
    )
}

/// How far an analysis goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// Syntax, names and types: there is no plan.
    Names,
    /// Values, nouns and what follows from them; no rule is tried.
    Values,
    /// All of it.
    Rules,
}

/// What happens while a blueprint is analysed, for somebody who waits and may change the text meanwhile.
pub struct Stages<'s> {
    /// Called with the texts and the diagnostics so far once syntax, names and types are checked.
    pub checked: &'s mut dyn FnMut(&Sources, &[Diagnostic]),
    /// How far it has to go; asked now and then from there on, by several threads, and never more than it said before. Where
    /// that is not to the rules, the diagnostics are those that `checked` was told of.
    pub wanted: &'s (dyn Fn() -> Depth + Sync),
    /// Where somebody waits for one noun more than for all others.
    pub ahead: Option<Ahead<'s>>,
}

/// What is judged ahead of everything else: of a large blueprint the nouns that somebody types in.
pub struct Ahead<'s> {
    /// Where that is in the newest text; asked once all values are known.
    pub at: &'s dyn Fn() -> Option<Span>,
    /// Called with the texts, what is reported of names, of values and by rules of these nouns, and where they stand.
    pub judged: &'s mut Judged<'s>,
}

/// Who is told of the texts, of reports, and where the nouns stand that rules were tried on.
pub type Judged<'s> = dyn FnMut(&Sources, &[Diagnostic], &[Span]) + 's;

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
    labels::check(&program.schema, &project, &mut reports);
    quotas::check(&project, &catalog, &mut reports);
    missing_params(&program, &given, options.build, &mut reports);
    (stages.checked)(&sources, reports.so_far());
    let asked = Asked { options, wanted: stages.wanted, ahead: stages.ahead };
    let ground = Ground { project: &project, catalog: &catalog, given: &given, sources: &sources };
    let (evaluated, begun, mut diagnostics) = go_on(&program, ground, reports, asked);
    cut(&sources, &trees, &mut diagnostics);
    let (schema, signatures) = (program.schema.clone(), program.signatures.clone());
    let mut analysis = Analysis {
        sources,
        trees,
        project: Some(project),
        catalog,
        schema,
        plan: None,
        tests,
        index,
        diagnostics,
        depth: Depth::Names,
        begun,
        signatures,
        given,
    };
    analysis.take(evaluated);
    analysis
}

/// Goes on with an analysis that ended early, of the same texts with the same options, as far as is wanted now: what is known of
/// names is not worked out again. One of a file of tests is left as it is.
pub fn deepened(
    mut analysis: Analysis,
    options: &Options,
    wanted: &(dyn Fn() -> Depth + Sync),
    ahead: Option<Ahead<'_>>,
) -> Analysis {
    let reports = analysis.begun.take();
    let (evaluated, begun, diagnostics) = {
        let project = analysis.project.as_ref().filter(|_| options.test.is_none());
        let Some((project, reports)) = project.zip(reports) else { return analysis };
        let Analysis { sources, catalog, given, .. } = &analysis;
        let files = analysis.files();
        let known = (analysis.schema.clone(), analysis.signatures.clone());
        let std_files = load::standard().files.len();
        // what there is to say of the files is said
        let program = Program::again(&files, std_files, known, &mut Reports::default());
        let ground = Ground { project, catalog, given, sources };
        go_on(&program, ground, reports, Asked { options, wanted, ahead })
    };
    (analysis.begun, analysis.diagnostics) = (begun, diagnostics);
    cut(&analysis.sources, &analysis.trees, &mut analysis.diagnostics);
    analysis.take(evaluated);
    analysis
}

/// What names and types are known of, and more is asked of.
#[derive(Clone, Copy)]
struct Ground<'g> {
    project: &'g Project,
    catalog: &'g Arc<Catalog>,
    given: &'g BTreeMap<String, Expr>,
    sources: &'g Sources,
}

/// Evaluates as far as is wanted; `reports` are those so far. Where that is not to the rules, they stay as they are, and are given back to go on with.
fn go_on(
    program: &Program<'_>,
    ground: Ground<'_>,
    mut reports: Reports,
    asked: Asked<'_, '_>,
) -> (Option<Evaluated>, Option<Reports>, Vec<Diagnostic>) {
    let known = asked.options.editor.then(|| reports.clone());
    let given: BTreeMap<String, &Expr> =
        ground.given.iter().map(|(name, expr)| (name.clone(), expr)).collect();
    let evaluated = evaluate(program, ground, &given, &mut reports, asked);
    let is_whole = evaluated.as_ref().is_some_and(|it| it.depth == Depth::Rules);
    let begun = known.filter(|_| !is_whole);
    let told = begun.clone().unwrap_or(reports);
    (evaluated, begun, told.finish())
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
        depth: Depth::Rules,
        begun: None,
        signatures: Arc::default(),
        given: BTreeMap::new(),
    }
}

/// What is asked for, and how much of it.
struct Asked<'o, 'a> {
    options: &'o Options,
    wanted: &'o (dyn Fn() -> Depth + Sync),
    ahead: Option<Ahead<'a>>,
}

/// What comes of evaluating a blueprint.
struct Evaluated {
    plan: Plan,
    /// The values of names, by where these stand.
    values: Vec<(Span, Value)>,
    depth: Depth,
}

/// Nouns and what follows, and the values of names; `None` where nobody wants so much.
fn evaluate(
    program: &Program<'_>,
    Ground { project, catalog, sources, .. }: Ground<'_>,
    given: &BTreeMap<String, &Expr>,
    reports: &mut Reports,
    asked: Asked<'_, '_>,
) -> Option<Evaluated> {
    let wanted = asked.wanted;
    let go_on = || (wanted() >= Depth::Values).then_some(());
    go_on()?;
    let mut evaluation = Evaluation::new(program, catalog, project, given, reports);
    evaluation.expand();
    go_on()?;
    let model = assemble::model(&mut evaluation, project, catalog, go_on)?;
    evaluation.force_all();
    conditions(program, &mut evaluation);
    go_on()?;
    let plan = Arc::new(Plan::new(model));
    evaluation.plan = Some(plan.clone());
    let judged = judge(program, &mut evaluation, sources, asked);
    go_on()?;
    evaluation.outward = true;
    let outputs = outputs(&mut evaluation);
    let values = evaluation.named_values();
    drop(evaluation);
    let plan = Arc::unwrap_or_clone(plan).giving(outputs);
    Some(Evaluated { plan, values, depth: if judged { Depth::Rules } else { Depth::Values } })
}

/// Tries rules and assertions; whether somebody wanted that, to the end.
fn judge<'t>(
    program: &Program<'t>,
    evaluation: &mut Evaluation<'t, '_>,
    sources: &Sources,
    Asked { options, wanted, ahead }: Asked<'_, '_>,
) -> bool {
    let interrupted = || wanted() < Depth::Rules;
    if interrupted() {
        return false;
    }
    let rules = rules::Rules::new(program);
    if let Some(Ahead { at, judged }) = ahead
        && let Some(typed) = at()
        && let Some((found, places)) = rules::ahead(evaluation, &rules, sources, typed)
    {
        judged(sources, &found, &places);
    }
    let used = rules::run(evaluation, &rules, sources, &interrupted);
    if interrupted() {
        return false;
    }
    rules::allowances(evaluation, &rules, &used, options);
    asserts(evaluation);
    true
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
    given: &BTreeMap<String, Expr>,
    build: bool,
    reports: &mut Reports,
) {
    // what the project file would give is not known where it cannot be read
    let unread = [project::UNUSABLE.name, PROJECT_ENVIRONMENT.name];
    if reports.so_far().iter().any(|it| unread.contains(&&*it.code)) {
        return;
    }
    let stmts =
        program.units.iter().filter(|unit| !unit.std).flat_map(|unit| unit.tree.stmts.iter());
    for stmt in stmts {
        let StmtKind::Param(Param { name: Some(name), ty: Some(ty), default: None, .. }) =
            &stmt.kind
        else {
            continue;
        };
        let ty = program.written_type(ty);
        // Of a type that nobody knows it may be left out, for all that is known.
        if given.contains_key(name.value.as_str())
            || ty.is_optional()
            || matches!(ty.bare(), Type::Unknown)
            || reports.has_error_in(stmt.span)
        {
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

#[cfg(test)]
mod tests {
    use super::*;
    use slipform_source::MemoryWorld;

    #[test]
    fn an_analysis_that_goes_on_comes_to_what_one_at_once_does() {
        let text = r#"param zone: Zone
param most: int = 4 where most < 3
let twice = most * 2
network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}
cluster a on gke {
  network = net
  zone    = zone
  pool p {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}
workload w on a.p {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = twice
  launch = torchrun("train.py")
  allow gpu/nothing "it is unknown"
}
output nodes = w.nodes
"#;
        let world = MemoryWorld::new([("main.bp", text)]);
        let set = vec![("zone".to_owned(), "us-east4-a".to_owned())];
        let options = Options { path: "main.bp".into(), set, editor: true, ..Options::default() };
        let whole = analyse(&world, &options);
        let stages = Stages { checked: &mut |_, _| {}, wanted: &|| Depth::Names, ahead: None };
        let begun = analyse_in_stages(&world, &options, &mut slipform_syntax::parse, stages);
        assert!(begun.plan.is_none());
        let names = begun.diagnostics.clone();
        let values = deepened(begun, &options, &|| Depth::Values, None);
        assert_eq!((values.depth, &values.diagnostics), (Depth::Values, &names));
        assert!(values.plan.is_some());
        let rules = deepened(values, &options, &|| Depth::Rules, None);
        assert!(rules.diagnostics.len() > names.len(), "{:?}", rules.diagnostics);
        assert_eq!((rules.depth, &rules.diagnostics), (Depth::Rules, &whole.diagnostics));
        assert_eq!(format!("{:?}", rules.plan), format!("{:?}", whole.plan));
        assert_eq!(format!("{:?}", rules.index), format!("{:?}", whole.index));
    }

    #[test]
    fn nouns_that_somebody_types_in_are_judged_ahead_as_they_are_in_the_end() {
        let mut text = String::from(
            r#"network net {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}
cluster a on gke {
  network = net
  zone    = "us-east4-a"
  pool p {
    machine = "a3-megagpu-8g"
    nodes   = 2
  }
}
"#,
        );
        for at in 0..300 {
            let nodes = if at % 100 == 50 { 7 } else { 2 };
            text += &format!(
                "workload w{at} on a.p {{ image = \"nvcr.io/nvidia/nemo:24.07\", nodes = {nodes}, launch = torchrun(\"train.py\") }}\n"
            );
        }
        let text = text.replace(", nodes", "\n nodes").replace(", launch", "\n launch");
        let text = text.replace("{ image", "{\n image").replace(" }\nwork", "\n}\nwork");
        let world = MemoryWorld::new([("main.bp", text.as_str())]);
        let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
        let whole = analyse(&world, &options);
        let file = whole.sources.find(Utf8Path::new("main.bp")).unwrap();
        let start = text.find("workload w150 ").unwrap();
        let mut ahead: Vec<(Vec<Diagnostic>, Vec<Span>)> = Vec::new();
        let stages = Stages {
            checked: &mut |_, _| {},
            wanted: &|| Depth::Rules,
            ahead: Some(Ahead {
                at: &|| Some(Span::new(file, start + 3, start + 4)),
                judged: &mut |_, found, places| ahead.push((found.to_vec(), places.to_vec())),
            }),
        };
        let staged = analyse_in_stages(&world, &options, &mut slipform_syntax::parse, stages);
        assert_eq!(staged.diagnostics, whole.diagnostics);
        let [(found, places)] = &*ahead else { panic!("told {} times", ahead.len()) };
        let is_there = |it: &&Diagnostic| it.span().is_some_and(|at| places[0].covers(at));
        let of_noun: Vec<&Diagnostic> = whole.diagnostics.iter().filter(is_there).collect();
        assert!(!of_noun.is_empty() && of_noun.len() < whole.diagnostics.len());
        assert_eq!(found.iter().filter(is_there).collect::<Vec<_>>(), of_noun);
    }
}
