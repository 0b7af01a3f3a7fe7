//! `NAME.test.bp`: what must hold of a project. Its rules and asserts are tried with the project's own, and its `test` statements say
//! for which environments and parameters, what has to be refused there, and what nouns render to.
//!
//! A `test` is written as a noun is, so that the grammar knows nothing of it. Its values are literals: nothing in it is evaluated.

use crate::load::Loaded;
use crate::program::Program;
use crate::project::Project;
use crate::report::Reports;
use crate::{Analysis, Options, given};
use camino::Utf8Path;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Noun, nearest};
use slipform_source::{Code, Sources, Span, Spanned};
use slipform_syntax::tree::{
    Attr, Decl, Doc, Entry, Expr, ExprKind, Stmt, StmtKind, StrPart, Tree,
};
use std::collections::{BTreeMap, BTreeSet};

slipform_source::codes! {
    pub(crate) CODES;
    TEST_EMPTY = "test/empty":
        "a file of tests, or a list in it, has nothing to test",
        "write a `rule`, an `assert` or a `test`; a list has an entry for each run";
    TEST_ENVIRONMENT = "test/environment":
        "a test names an environment that the project does not have",
        "check the spelling; `slipform.toml` declares them";
    TEST_PARAM = "test/param":
        "a test gives values to a parameter that the blueprint does not have",
        "check the spelling";
    pub TEST_RENDERS = "test/renders":
        "a test asks what a noun renders to, and there is nothing to show",
        "name a noun that the environment has, as the blueprint refers to it";
    TEST_RUNS = "test/runs":
        "a test would run too often",
        "write fewer values, or several tests with fewer parameters each";
    TEST_STATEMENT = "test/statement":
        "a file of tests says something that no test can say",
        "it has `use`, `let`, `type`, `rule`, `assert` and `test`; what is made stands in the project";
}

/// The folder of tests, in the folder of a project.
pub const TESTS: &str = "tests";

/// The statement.
const TEST: &str = "test";

/// What it may say, how a value begins, and what it is for.
pub(crate) const FIELDS: [(&str, &str, &str); 4] = [
    ("environments", "[$0]", "Where it runs; in every environment where it is left out."),
    ("params", "{ $0 }", "Lists of values: it runs with each combination of them."),
    ("refused", "[$0]", "Codes that have to be reported, in every run. No other error may be."),
    ("renders", "[$0]", "Nouns whose artifacts are kept in `tests/snapshots`."),
];

/// How often one test may run: for each environment with each combination of values.
pub const MAX_RUNS: usize = 1_000;

/// Something written in a test.
pub type Said = Spanned<String>;

/// What a file of tests says.
#[derive(Clone, Default, Debug)]
pub struct TestFile {
    /// Its tests; one without a name where it has rules and asserts alone.
    pub tests: Vec<Test>,
    /// The codes of its own rules.
    pub rules: BTreeSet<String>,
    /// The codes of all rules that a blueprint has of its own, those of its tests among them.
    pub known: BTreeSet<String>,
}

/// One `test`.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its name, which is empty where the file as a whole is meant.
    pub name: Said,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// The environments that it is for; all where it does not say.
    pub environments: Option<Vec<Said>>,
    /// Parameters, each with the values that it takes one after the other.
    pub params: Vec<(Said, Vec<Said>)>,
    /// Codes that have to be reported.
    pub refused: Vec<Said>,
    /// Nouns whose artifacts are kept.
    pub renders: Vec<Said>,
}

/// The nouns that a test names by a path: all that a loop makes under one name.
pub fn nouns_named<'m>(plan: &'m Plan, path: &'m str) -> impl Iterator<Item = &'m Noun> {
    let is_it = move |noun: &&Noun| {
        let rest = noun.path.strip_prefix(path);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('[') && rest.ends_with(']') && !rest.contains("].")
        })
    };
    plan.model.nouns.iter().filter(is_it)
}

/// That no noun is called as a test names it.
pub fn no_noun(plan: &Plan, said: &Said, environment: Option<&str>) -> Diagnostic {
    let place = environment.map(|name| format!(" in the environment `{name}`"));
    let message = format!("there is no noun `{}`{}", said.value, place.unwrap_or_default());
    let report = Diagnostic::error(TEST_RENDERS, message, said.span);
    let paths = plan.model.nouns.iter().map(|noun| noun.path.as_str());
    match nearest(&said.value, paths) {
        Some(near) => report.meant("a noun", near, said.span),
        None => report.help("name it as the blueprint refers to it: `a3m.gpus`"),
    }
}

/// What the tests of a file ask of nouns that there are not, in the environment that is analysed. Nothing of a test that gives
/// parameters values: its nouns are those of each run.
pub fn unnamed(analysis: &Analysis) -> Vec<Diagnostic> {
    let Some((plan, project)) = analysis.plan.as_ref().zip(analysis.project.as_ref()) else {
        return Vec::new();
    };
    let chosen = Some(project.environment.as_str()).filter(|_| !project.environments.is_empty());
    let is_run = |test: &&Test| {
        let names = test.environments.as_ref();
        let is_for = |chosen| names.is_none_or(|all| all.iter().any(|it| it.value == chosen));
        test.params.is_empty() && test.refused.is_empty() && chosen.is_none_or(is_for)
    };
    let said = analysis.tests.tests.iter().filter(is_run).flat_map(|test| &test.renders);
    let lost = said.filter(|said| nouns_named(plan, &said.value).next().is_none());
    lost.map(|said| no_noun(plan, said, chosen)).collect()
}

/// Whether a file speaks of its project; any other blueprint among tests is a program by itself.
pub fn is_test_file(path: &Utf8Path) -> bool {
    path.as_str().ends_with(".test.bp")
}

/// The file of tests among the files of a blueprint.
pub(crate) struct Tried<'l> {
    /// A program by itself.
    program: Option<&'l Tree>,
    /// A file that speaks of the project.
    file: Option<&'l Tree>,
    /// The same without its tests: what is tried with the project.
    rest: Option<Tree>,
    is_program: bool,
}

impl<'l> Tried<'l> {
    pub(crate) fn new(options: &Options, loaded: &'l Loaded, sources: &Sources) -> Self {
        let tree = |path: &Utf8Path| {
            let id = sources.find(path)?;
            loaded.files.iter().map(|(tree, _)| &**tree).find(|tree| tree.file == id)
        };
        let program = options.program().and_then(tree);
        let file = options.test_file().and_then(tree);
        Self { program, file, rest: file.map(rest), is_program: options.program().is_some() }
    }

    /// What the program is made of, with the name of each file.
    pub(crate) fn files<'a>(&'a self, loaded: &'a Loaded) -> Vec<(&'a Tree, String)> {
        let files = loaded.files.iter().map(|(tree, module)| {
            let rest = self.rest.as_ref().filter(|rest| rest.file == tree.file);
            (rest.unwrap_or(tree), module.clone())
        });
        files.collect()
    }

    /// Reads what the file says.
    pub(crate) fn read(
        &self,
        program: &Program<'_>,
        project: &mut Project,
        sources: &Sources,
        reports: &mut Reports,
    ) -> TestFile {
        if self.is_program {
            given::only_waiting(program, project);
        }
        if let Some(tree) = self.program.filter(|it| it.stmts.is_empty() && it.problems.is_empty())
        {
            let at = Span::new(tree.file, 0, 0);
            reports.error(TEST_EMPTY, "this program is empty, so that it tests nothing", at);
        }
        let Some(tree) = self.file else { return TestFile::default() };
        let params = given::names(program);
        let reader = Reader { project, params: &params, sources, reports };
        let own = program.units.iter().filter(|unit| !unit.std).map(|unit| unit.tree);
        TestFile { known: rules(own), ..reader.file(tree) }
    }
}

/// A tree without its tests, and without what does not belong there.
fn rest(tree: &Tree) -> Tree {
    let kept = |stmt: &&Stmt| {
        matches!(
            stmt.kind,
            StmtKind::Use(_)
                | StmtKind::Let(_)
                | StmtKind::Type(_)
                | StmtKind::Rule(_)
                | StmtKind::Assert(_)
        )
    };
    let stmts: Vec<Stmt> = tree.stmts.iter().filter(kept).cloned().collect();
    let (comments, problems) = (tree.comments.clone(), tree.problems.clone());
    Tree { file: tree.file, stmts: stmts.into(), comments, problems }
}

/// The codes of the rules of some files.
fn rules<'t>(trees: impl Iterator<Item = &'t Tree>) -> BTreeSet<String> {
    let rules = trees.flat_map(|tree| &tree.stmts).filter_map(|stmt| match &stmt.kind {
        StmtKind::Rule(rule) => rule.code.as_ref(),
        _ => None,
    });
    rules.map(|code| code.value.to_string()).collect()
}

/// The declaration that a `test` is written as.
pub(crate) fn test(stmt: &Stmt) -> Option<&Decl> {
    match &stmt.kind {
        StmtKind::Decl(decl) if decl.kind.value == TEST => Some(decl),
        _ => None,
    }
}

impl Test {
    fn of_file(tree: &Tree) -> Self {
        Self::new(Spanned::new(String::new(), Span::new(tree.file, 0, 0)), None)
    }

    fn new(name: Said, doc: Option<Doc>) -> Self {
        let (params, refused, renders) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, doc, environments: None, params, refused, renders }
    }

    /// Every combination of the values, in the order in which they are written: the last parameter changes first.
    pub fn combinations(&self) -> Vec<Vec<(String, String)>> {
        let mut found = vec![Vec::new()];
        for (name, values) in &self.params {
            let longer = found.iter().flat_map(|so_far: &Vec<(String, String)>| {
                values.iter().map(|value| {
                    let last = (name.value.clone(), value.value.clone());
                    so_far.iter().cloned().chain([last]).collect()
                })
            });
            found = longer.collect();
        }
        found
    }

    /// How often it runs in one environment; more than [`MAX_RUNS`] are not told apart.
    fn count(&self) -> usize {
        self.params.iter().fold(1, |count: usize, (_, values)| count.saturating_mul(values.len()))
    }
}

struct Reader<'r> {
    project: &'r Project,
    params: &'r BTreeSet<String>,
    sources: &'r Sources,
    reports: &'r mut Reports,
}

impl Reader<'_> {
    fn file(mut self, tree: &Tree) -> TestFile {
        let mut found = TestFile { rules: rules(std::iter::once(tree)), ..TestFile::default() };
        let mut is_empty = tree.problems.is_empty();
        for stmt in &tree.stmts {
            match (&stmt.kind, test(stmt)) {
                (_, Some(decl)) => {
                    let test = self.test(stmt, decl);
                    self.once(&test, &found.tests);
                    found.tests.push(test);
                }
                (StmtKind::Rule(_) | StmtKind::Assert(_), _) => is_empty = false,
                (StmtKind::Use(_) | StmtKind::Let(_) | StmtKind::Type(_) | StmtKind::Error, _) => {}
                _ => self.foreign(stmt),
            }
        }
        if found.tests.is_empty() && is_empty {
            let message = "this file tests nothing: it has no `rule`, no `assert` and no `test`";
            self.error(TEST_EMPTY, message, Span::new(tree.file, 0, 0));
        }
        if found.tests.is_empty() {
            found.tests.push(Test::of_file(tree));
        }
        found
    }

    fn error(&mut self, code: Code, message: impl Into<String>, at: Span) {
        self.reports.error(code, message, at);
    }

    fn test(&mut self, stmt: &Stmt, decl: &Decl) -> Test {
        let name = match &decl.name {
            Some(name) => Spanned::new(name.value.to_string(), name.span),
            // The parser has told of it.
            None => Spanned::new(TEST.to_owned(), decl.kind.span),
        };
        if let Some(span) = decl.existing.or(decl.on.as_ref().map(|on| on.span)) {
            self.error(TEST_STATEMENT, "a test is a name and a block, and nothing else", span);
        }
        let mut test = Test::new(name, stmt.doc.clone());
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        for stmt in &decl.body {
            match &stmt.kind {
                StmtKind::Attr(attr) => {
                    if let Some(before) = seen.insert(&attr.name.value, attr.name.span) {
                        let message = format!("`{}` is said twice", attr.name.value);
                        let report = Diagnostic::error(TEST_STATEMENT, message, attr.name.span);
                        self.reports.add(report.also(before, "here first"));
                    } else {
                        self.field(&mut test, attr);
                    }
                }
                StmtKind::Error => {}
                _ => {
                    let message = format!("a test has {} and nothing else", listed());
                    self.error(TEST_STATEMENT, message, stmt.span);
                }
            }
        }
        self.bounded(&test);
        test
    }

    fn field(&mut self, test: &mut Test, attr: &Attr) {
        match attr.name.value.as_str() {
            "environments" => {
                let names = self.texts(&attr.value, "the name of an environment");
                names.iter().for_each(|name| self.environment(name));
                test.environments = Some(once_each(names));
            }
            "params" => test.params = self.matrix(&attr.value),
            "refused" => test.refused = once_each(self.texts(&attr.value, "a code")),
            "renders" => test.renders = once_each(self.nouns(&attr.value)),
            other => {
                let message = format!("a test has no `{other}`");
                let report = Diagnostic::error(TEST_STATEMENT, message, attr.name.span);
                self.reports.add(match nearest(other, FIELDS.map(|(name, ..)| name)) {
                    Some(near) => report.meant("a field", near, attr.name.span),
                    None => report.help(format!("it has {}", listed())),
                });
            }
        }
    }

    /// The entries of a list that is written out.
    fn list<'e>(&mut self, expr: &'e Expr) -> &'e [Expr] {
        let text = self.sources.text(expr.span);
        match &expr.kind {
            ExprKind::List(items) if items.is_empty() => {
                let message = "this list is empty, so that there is nothing to test";
                self.error(TEST_EMPTY, message, expr.span);
                &[]
            }
            ExprKind::List(items) => items,
            ExprKind::Missing => &[],
            _ => {
                let message = format!("`{text}` is no list that is written out");
                let report = Diagnostic::error(TEST_STATEMENT, message, expr.span);
                let help = "a test is a table: write each entry into it, as `[16, 32]`";
                self.reports.add(report.help(help));
                &[]
            }
        }
    }

    /// The texts of a list.
    fn texts(&mut self, expr: &Expr, what: &str) -> Vec<Said> {
        let mut found = Vec::new();
        for item in self.list(expr) {
            match text(item) {
                Some(text) => found.push(Spanned::new(text, item.span)),
                None if item.kind == ExprKind::Missing => {}
                None => {
                    let written = self.sources.text(item.span);
                    let message = format!("`{written}` is no text in quotes, as {what} is");
                    self.error(TEST_STATEMENT, message, item.span);
                }
            }
        }
        found
    }

    /// `[pretrain, a3m.gpus, c["us-east4-a"]]`
    fn nouns(&mut self, expr: &Expr) -> Vec<Said> {
        let mut found = Vec::new();
        for item in self.list(expr) {
            let written = self.sources.text(item.span);
            if is_path(item) {
                let path = written.split_whitespace().collect();
                found.push(Spanned::new(path, item.span));
            } else if item.kind != ExprKind::Missing {
                let message = format!("`{written}` is no noun");
                let report = Diagnostic::error(TEST_STATEMENT, message, item.span);
                self.reports.add(report.help("name it as the blueprint does: `a3m.gpus`"));
            }
        }
        found
    }

    fn environment(&mut self, name: &Said) {
        let known = &self.project.environments;
        // which there are nobody knows where the project file has a mistake
        let is_broken = |it: &Diagnostic| it.code.starts_with("project/");
        if known.contains(&name.value) || self.reports.so_far().iter().any(is_broken) {
            return;
        }
        let message = format!("the project has no environment `{}`", name.value);
        let report = Diagnostic::error(TEST_ENVIRONMENT, message, name.span);
        let near = nearest(&name.value, known.iter().map(String::as_str));
        self.reports.add(match near {
            Some(near) => report.meant_text("an environment", near, name.span),
            None if known.is_empty() => report.help("leave `environments` out"),
            None => report.help(format!("the environments are {}", known.join(", "))),
        });
    }

    /// `{ nodes = [2, 16], place = ["gke", "slurm"] }`
    fn matrix(&mut self, expr: &Expr) -> Vec<(Said, Vec<Said>)> {
        let entries = match &expr.kind {
            ExprKind::Record(entries) if !entries.is_empty() => entries.as_slice(),
            ExprKind::Record(_) => {
                self.error(TEST_EMPTY, "there is no parameter in this matrix", expr.span);
                &[]
            }
            ExprKind::Missing => &[],
            _ => {
                let message = "the parameters of a test are a record of lists";
                let report = Diagnostic::error(TEST_STATEMENT, message, expr.span);
                self.reports.add(report.help("write `params = { nodes = [16, 32] }`"));
                &[]
            }
        };
        let mut found: Vec<(Said, Vec<Said>)> = Vec::new();
        for Entry { key, value } in entries {
            let Some(name) = name(key) else { continue };
            if found.iter().any(|(known, _)| known.value == name.value) {
                self.error(TEST_STATEMENT, format!("`{}` is given twice", name.value), name.span);
                continue;
            }
            self.param(&name);
            let values = self.list(value).iter().filter_map(|it| self.value(it)).collect();
            found.push((name, once_each(values)));
        }
        found
    }

    fn param(&mut self, name: &Said) {
        if self.params.contains(&name.value) {
            return;
        }
        let message = format!("the blueprint has no parameter `{}`", name.value);
        let report = Diagnostic::error(TEST_PARAM, message, name.span);
        let known: Vec<&str> = self.params.iter().map(String::as_str).collect();
        self.reports.add(match nearest(&name.value, known.iter().copied()) {
            Some(near) => report.meant("a parameter", near, name.span),
            None if known.is_empty() => report,
            None => report.help(format!("its parameters are {}", known.join(", "))),
        });
    }

    /// A value as `--set` takes it: a text for itself, anything else as it is written.
    fn value(&mut self, item: &Expr) -> Option<Said> {
        match (&item.kind, text(item)) {
            (_, Some(text)) => Some(Spanned::new(text, item.span)),
            (ExprKind::Missing, _) => None,
            (ExprKind::Str(_), _) => {
                let message = "a value of a test is written out: nothing is put into its text";
                self.error(TEST_STATEMENT, message, item.span);
                None
            }
            _ => Some(Spanned::new(self.sources.text(item.span).to_owned(), item.span)),
        }
    }

    fn bounded(&mut self, test: &Test) {
        let of_project = self.project.environments.len().max(1);
        let environments = test.environments.as_ref().map_or(of_project, Vec::len);
        let runs = test.count().saturating_mul(environments);
        if runs > MAX_RUNS {
            let message = format!("this test would run {runs} times, more than {MAX_RUNS}");
            let at = test.params.last().map_or(test.name.span, |(name, _)| name.span);
            let report = Diagnostic::error(TEST_RUNS, message, at);
            self.reports.add(report.help("write fewer values, or several tests"));
        }
    }

    /// Tells of a name that two tests have.
    fn once(&mut self, test: &Test, others: &[Test]) {
        if let Some(other) = others.iter().find(|other| other.name.value == test.name.value) {
            let message = format!("two tests are called `{}`", test.name.value);
            let report = Diagnostic::error(TEST_STATEMENT, message, test.name.span);
            self.reports.add(report.also(other.name.span, "the other one"));
        }
    }

    fn foreign(&mut self, stmt: &Stmt) {
        let message = "a file of tests makes nothing: it speaks of what the project makes";
        let report = Diagnostic::error(TEST_STATEMENT, message, stmt.span.at_start());
        self.reports.add(report.help(
            "move it into the project; a program that is to be refused stands in a file of its own, beside this one, called `NAME.bp`",
        ));
    }
}

/// The fields of a test, for a sentence.
fn listed() -> String {
    FIELDS.map(|(name, ..)| format!("`{name}`")).join(", ")
}

/// A text without anything put into it.
pub(crate) fn text(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Str(parts) => match parts.as_slice() {
            [] => Some(String::new()),
            [StrPart::Text(text)] => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn name(key: &Expr) -> Option<Said> {
    match &key.kind {
        ExprKind::Name(name) => Some(Spanned::new(name.to_string(), key.span)),
        _ => text(key).map(|text| Spanned::new(text, key.span)),
    }
}

/// Whether an expression is the way to a noun.
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => true,
        ExprKind::Member(of, name) => name.is_some() && is_path(of),
        ExprKind::Index(of, key) => {
            is_path(of) && (text(key).is_some() || matches!(key.kind, ExprKind::Literal(..)))
        }
        _ => false,
    }
}

fn once_each(said: Vec<Said>) -> Vec<Said> {
    let mut seen = BTreeSet::new();
    said.into_iter().filter(|one| seen.insert(one.value.clone())).collect()
}
