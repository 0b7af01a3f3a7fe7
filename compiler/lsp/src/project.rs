//! One blueprint as the editor has it open: a project's folder, or a file that stands alone.
//!
//! A small blueprint is analysed at once. Of a large one syntax, names and types are told of first, together with what
//! was known of the rest before, moved along with the text; the rest follows when nobody types.

use crate::convert;
use crate::documents::Documents;
use crate::early::{Early, Older, Screen, Told, told_of};
use crate::elsewhere::Elsewhere;
use crate::files::Files;
use crate::render::is_large;
use crate::settings::Settings;
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types as lsp;
use slipform_analysis::ide::{self, library_text};
use slipform_analysis::{
    Ahead, Analysis, Depth, Options, PROJECT_FILE, Project, Stages, TEST_EXPECTED, TESTS,
    analyse_in_stages, deepened, expectations, is_test_file, surprises, unnamed,
};
use slipform_model::{Diagnostic, Label};
use slipform_source::{FileId, Sources, Span, World};
use slipform_syntax::tree::Tree;
use slipform_syntax::{parse, reparse};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is shown, by file.
pub(crate) type Shown = BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>>;

/// How much is known of the newest text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Known {
    /// Nothing: something has changed.
    #[default]
    Nothing,
    /// Syntax, names and types.
    Names,
    /// Values, nouns and what follows from them.
    Values,
    /// Rules too.
    All,
}

impl Known {
    /// How far an analysis has to go for it.
    fn depth(self) -> Depth {
        match self {
            Self::Nothing | Self::Names => Depth::Names,
            Self::Values => Depth::Values,
            Self::All => Depth::Rules,
        }
    }
}

impl From<Depth> for Known {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::Names => Self::Names,
            Depth::Values => Self::Values,
            Depth::Rules => Self::All,
        }
    }
}

/// A blueprint and what is known of it.
#[derive(Default)]
pub(crate) struct Blueprint {
    /// The newest analysis; of an older text where nothing is known of the newest.
    pub(crate) analysis: Option<Arc<Analysis>>,
    pub(crate) known: Known,
    /// Counts the analyses.
    pub(crate) revision: u64,
    /// So many nouns that stages are told of one by one.
    large: bool,
    /// What was reported last, in places of the newest analysis.
    pub(crate) older: Older,
    /// Where somebody typed last, in its texts.
    typed: Option<Span>,
    /// What it renders to, where it is large: as of the last text that was sound while nobody typed.
    pub(crate) files: Arc<Files>,
    /// What is wrong in the environments that are not chosen; nothing where that is not known of the newest text.
    pub(crate) elsewhere: Elsewhere,
    /// All is known of the newest text, but targets and other environments were not asked of it: somebody else waited for an answer.
    pub(crate) unasked: bool,
    pub(crate) shown: Shown,
    /// The file of tests that it is of: what it says of other files is theirs to say.
    test: Option<Utf8PathBuf>,
    /// What the editor shows beside the texts of other documents than the one that is typed in is of older texts.
    pub(crate) outdated: bool,
}

/// How an analysis went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Done,
    Interrupted,
    Failed,
}

/// What an analysis is made with.
pub(crate) struct Means<'m> {
    pub(crate) documents: &'m Documents,
    pub(crate) settings: &'m Settings,
    /// How much has to be known, as long as nobody waits who needs less.
    pub(crate) need: &'m (dyn Fn() -> Known + Sync),
    /// How much of a small blueprint is worked out, whoever waits.
    pub(crate) least: Known,
    /// Shows what is known early.
    pub(crate) early: &'m mut dyn FnMut(&Shown),
}

impl Blueprint {
    /// Analyses the newest text. What is left of the analysis before it is given back: forgetting it takes time, and
    /// may wait.
    pub(crate) fn analyse(&mut self, path: &Utf8Path, means: Means<'_>) -> (Outcome, Leftover) {
        let Means { documents, settings, need, least, early } = means;
        let screen = Screen { documents, settings, show: early };
        let options = options(path, settings, documents);
        // how long a blueprint is that nobody has counted the nouns of is known once it is read
        let (large, long) = (self.large, AtomicBool::new(self.large));
        let wanted = || if long.load(Ordering::Relaxed) { need().depth() } else { least.depth() };
        if let Some(analysis) = self.begun(&options) {
            return (self.go_on(analysis, &options, &wanted, screen), None);
        }
        self.test.clone_from(&options.test);
        let (before, mut trees, leftover) = take_apart(self.analysis.take());
        let in_stages = options.test.is_none();
        let project = before.as_ref().and_then(|before| before.project.clone());
        let early = RefCell::new(Early::new(std::mem::take(&mut self.older), project, screen));
        let mut checked = |sources: &Sources, found: &[Diagnostic]| {
            let mut early = early.borrow_mut();
            early.told = told_of(found);
            match &before {
                Some(before) => early.moved(&before.sources, sources),
                None if is_long(sources) && in_stages => long.store(true, Ordering::Relaxed),
                None => {}
            }
            if long.load(Ordering::Relaxed) && in_stages {
                early.checked(sources, found);
            }
        };
        let ahead = Ahead {
            at: &|| early.borrow().typed.filter(|_| large && in_stages),
            judged: &mut |sources, found, of| early.borrow_mut().judged(sources, found, of),
        };
        let mut parser = |file, text: &str| {
            let old = before.as_ref().and_then(|before| before.sources.get(file));
            match trees.remove(&file).zip(old) {
                Some((tree, old)) => reparse(tree, &old.text, text),
                None => parse(file, text),
            }
        };
        let stages = Stages { checked: &mut checked, wanted: &wanted, ahead: Some(ahead) };
        let analysed = catch_unwind(AssertUnwindSafe(|| {
            analyse_in_stages(documents, &options, &mut parser, stages)
        }));
        let Early { older, typed, told, .. } = early.into_inner();
        (self.older, self.typed, self.large) = (older, typed, long.into_inner());
        (self.take(analysed.ok(), &told), leftover)
    }

    /// An analysis of the newest text that ended early, where one can go on with it.
    fn begun(&mut self, options: &Options) -> Option<Analysis> {
        let is_begun = matches!(self.known, Known::Names | Known::Values);
        if !is_begun || options.test.is_some() {
            return None;
        }
        match Arc::try_unwrap(self.analysis.take()?) {
            Ok(analysis) => Some(analysis),
            // somebody looks at it
            Err(shared) => {
                self.analysis = Some(shared);
                None
            }
        }
    }

    /// Works out more of the newest text.
    fn go_on(
        &mut self,
        analysis: Analysis,
        options: &Options,
        wanted: &(dyn Fn() -> Depth + Sync),
        screen: Screen<'_>,
    ) -> Outcome {
        let told = told_of(&analysis.diagnostics);
        let typed = self.typed.filter(|_| self.large);
        let older = std::mem::take(&mut self.older);
        let mut early = Early::new(older, analysis.project.clone(), screen);
        let ahead = Ahead {
            at: &|| typed,
            judged: &mut |sources, found, of| early.judged(sources, found, of),
        };
        let deepened = AssertUnwindSafe(|| deepened(analysis, options, wanted, Some(ahead)));
        let analysed = catch_unwind(deepened).ok();
        self.older = early.older;
        self.take(analysed, &told)
    }

    /// Takes an analysis of the newest text; `told` is what was known of it with names.
    fn take(&mut self, analysis: Option<Analysis>, told: &Told) -> Outcome {
        self.revision += 1;
        (self.elsewhere, self.unasked) = (Elsewhere::default(), false);
        let Some(analysis) = analysis else {
            (self.older, self.known) = (Older::default(), Known::All);
            return Outcome::Failed;
        };
        let is_whole = analysis.depth == Depth::Rules;
        if is_whole {
            let news = |it: &&Diagnostic| !told.contains(&(it.span(), it.code.to_string()));
            self.older.late = analysis.diagnostics.iter().filter(news).cloned().collect();
            self.older.idle = ide::idle(&analysis);
            self.large = is_large(&analysis);
        }
        self.known = analysis.depth.into();
        self.analysis = Some(Arc::new(analysis));
        if is_whole { Outcome::Done } else { Outcome::Interrupted }
    }

    /// Whether what it shows is of an older text, or comes in part later than the rest of a small one, which is told of all at once.
    pub(crate) fn is_behind(&self) -> bool {
        self.known == Known::Nothing || !self.large && !self.is_done()
    }

    /// Whether there is nothing more to find out.
    pub(crate) fn is_done(&self) -> bool {
        self.known == Known::All && !self.unasked
    }

    /// Whether more has to be found out for somebody who needs so much, and `least` of a small one.
    pub(crate) fn is_stale(&self, need: Known, least: Known) -> bool {
        let need = if self.large { need } else { least };
        self.known < need || need == Known::All && self.unasked
    }

    /// Whether its analysis read a file.
    pub(crate) fn reads(&self, path: &Utf8Path) -> bool {
        self.analysis.as_ref().is_some_and(|analysis| analysis.sources.find(path).is_some())
    }

    /// Whether its newest analysis did not read a file.
    pub(crate) fn leaves_out(&self, path: &Utf8Path) -> bool {
        self.known != Known::Nothing && !self.reads(path)
    }

    /// Works out what is to be shown.
    pub(crate) fn show(&mut self, documents: &Documents, settings: &Settings) {
        let Some(analysis) = &self.analysis else { return self.shown.clear() };
        let Older { late, rendered, idle } = &self.older;
        let late = late.iter().filter(|_| self.known != Known::All);
        let all = analysis.diagnostics.iter().chain(late).chain(rendered);
        let of_test = self.test.as_deref().map(|test| self.of_test(test, analysis, all.clone()));
        let project = analysis.project.as_ref();
        let show = |all: &mut dyn Iterator<Item = &Diagnostic>| {
            show(all, &analysis.sources, project, documents, settings)
        };
        let shown = match &of_test {
            Some(own) => show(&mut own.iter().chain(idle)),
            None => show(&mut all.chain(idle)),
        };
        self.shown = shown;
        for (path, found) in &self.elsewhere.shown {
            self.shown.entry(path.clone()).or_default().extend(found.iter().cloned());
        }
    }

    /// What a file of tests is told: of a program what its comments do not expect, of one that speaks of the project what is wrong
    /// in the file itself.
    fn of_test<'d>(
        &self,
        test: &Utf8Path,
        analysis: &Analysis,
        all: impl Iterator<Item = &'d Diagnostic>,
    ) -> Vec<Diagnostic> {
        let sources = &analysis.sources;
        let Some(id) = sources.find(test) else { return all.cloned().collect() };
        let all = all.cloned();
        if is_test_file(test) {
            let own = all.filter(|it| it.span().is_some_and(|span| span.file == id));
            let lost = unnamed(analysis).into_iter().filter(|_| self.known == Known::All);
            return own.chain(lost).collect();
        }
        let text = sources.get(id).map(|file| &*file.text).unwrap_or_default();
        let all: Vec<Diagnostic> = all.collect();
        let mut found = surprises(&all, &expectations(id, text), sources);
        // What is not known yet is not missing.
        found.retain(|it| self.known == Known::All || it.code != TEST_EXPECTED.name);
        found
    }
}

/// Texts of a blueprint of so many bytes are told of in stages from the first time on, when nobody has counted its nouns.
const LONG: usize = 1 << 16;

/// Whether a blueprint's own texts are long.
fn is_long(sources: &Sources) -> bool {
    let own = sources.iter().map(|(_, file)| file).filter(|it| library_text(&it.path).is_none());
    own.map(|file| file.text.len()).sum::<usize>() > LONG
}

/// How the blueprint at a path is analysed for an editor.
pub(crate) fn options(path: &Utf8Path, settings: &Settings, world: &dyn World) -> Options {
    let project = tested(path, world);
    Options {
        test: project.as_ref().map(|_| path.to_owned()),
        path: project.unwrap_or_else(|| path.to_owned()),
        environment: settings.environment.clone(),
        set: settings.set.clone(),
        build: false,
        editor: true,
        advice: slipform_targets::advice().chain(slipform_changes::allowances()).collect(),
        refusals: slipform_targets::refusals().collect(),
        facts: None,
    }
}

/// What a new analysis needs of the one before.
struct Before {
    sources: Sources,
    project: Option<Project>,
}

/// What it does not need.
pub(crate) type Leftover = Option<Arc<Analysis>>;

/// The texts and the trees of an analysis, and the rest. The trees of the standard library are left out.
fn take_apart(
    analysis: Option<Arc<Analysis>>,
) -> (Option<Before>, BTreeMap<FileId, Tree>, Leftover) {
    let Some(mut analysis) = analysis else { return (None, BTreeMap::new(), None) };
    let before = Before { sources: analysis.sources.clone(), project: analysis.project.clone() };
    let trees = match Arc::get_mut(&mut analysis) {
        Some(analysis) => std::mem::take(&mut analysis.trees),
        // It is being rendered.
        None => analysis.trees.clone(),
    };
    let own = trees.into_iter().filter(|tree| {
        let file = before.sources.get(tree.file);
        file.is_some_and(|file| library_text(&file.path).is_none())
    });
    let own = own.map(|tree| (tree.file, Arc::unwrap_or_clone(tree))).collect();
    (Some(before), own, Some(analysis))
}

pub(crate) fn show<'d>(
    diagnostics: impl Iterator<Item = &'d Diagnostic>,
    sources: &Sources,
    project: Option<&Project>,
    documents: &Documents,
    settings: &Settings,
) -> Shown {
    let mut shown = Shown::new();
    for diagnostic in diagnostics {
        let diagnostic = reachable(diagnostic, sources, project, documents);
        let Some(file) = diagnostic.span().and_then(|span| sources.get(span.file)) else {
            continue;
        };
        let one = convert::diagnostic(&diagnostic, sources, documents, settings);
        shown.entry(file.path.clone()).or_default().extend(one);
    }
    shown
}

/// A diagnostic whose places an editor can go to. Values that are given from outside have texts of their own, which
/// are no files: their keys in the project file stand for them, or the blueprint as a whole.
pub(crate) fn reachable<'d>(
    diagnostic: &'d Diagnostic,
    sources: &Sources,
    project: Option<&Project>,
    documents: &Documents,
) -> Cow<'d, Diagnostic> {
    let path = |span: Span| sources.get(span.file).map(|file| file.path.as_path());
    let is_file = |span: Span| path(span).is_some_and(|path| documents.uri(path).is_some());
    if diagnostic.labels.iter().all(|label| is_file(label.span)) {
        return Cow::Borrowed(diagnostic);
    }
    let mut mended = diagnostic.clone();
    for label in mended.labels.iter_mut().filter(|label| !is_file(label.span)) {
        let name = path(label.span)
            .and_then(|path| path.as_str().strip_prefix(PROJECT_FILE)?.strip_prefix(" ("));
        let name = name.and_then(|name| name.strip_suffix(')'));
        let value = name.and_then(|name| Some(project?.params.get(name)?.value));
        label.span = value.unwrap_or(label.span);
    }
    mended.labels.retain(|label| is_file(label.span));
    let whole = project.and_then(|project| sources.find(project.entries.first()?));
    if let (true, Some(file)) = (mended.labels.is_empty(), whole) {
        mended.labels.push(Label { span: Span::new(file, 0, 0), text: String::new() });
    }
    mended.fixes.retain(|fix| fix.edits.iter().all(|(span, _)| is_file(*span)));
    Cow::Owned(mended)
}

/// Where the project of a blueprint's file lies: the nearest folder above with a project file, else the file itself.
pub(crate) fn root_of(path: &Utf8Path, world: &dyn World) -> Utf8PathBuf {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_str().is_empty());
    let mut projects = folders.filter(|folder| world.read(&folder.join(PROJECT_FILE)).is_ok());
    projects.next().unwrap_or(path).to_owned()
}

/// The project whose tests a file is among: without a project file, the folder of blueprints that `tests` lies in.
fn tested(path: &Utf8Path, world: &dyn World) -> Option<Utf8PathBuf> {
    if path.extension() != Some("bp") {
        return None;
    }
    let project = root_of(path, world);
    if project != path {
        return path.starts_with(project.join(TESTS)).then_some(project);
    }
    let mut folders = path.ancestors().skip(1).filter(|it| it.file_name() == Some(TESTS));
    let is_blueprint = |name: &String| name.ends_with(".bp");
    folders.find_map(|tests| {
        let above = tests.parent()?;
        world.list(above).iter().any(is_blueprint).then(|| above.to_owned())
    })
}
