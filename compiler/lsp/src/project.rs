//! One blueprint as the editor has it open: a project's folder, or a file that stands alone.

use crate::convert;
use crate::documents::Documents;
use crate::settings::Settings;
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types as lsp;
use slipform_analysis::{Analysis, Options, PROJECT_FILE, analyse_with};
use slipform_model::{Diagnostic, Label};
use slipform_source::{Span, World};
use slipform_syntax::{ParseCache, parse_cached};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A blueprint and what is known of it.
#[derive(Default)]
pub(crate) struct Blueprint {
    cache: ParseCache,
    /// The analysis of the newest text, unless `stale`.
    pub(crate) analysis: Option<Arc<Analysis>>,
    /// Something that it was made from has changed.
    pub(crate) stale: bool,
    /// Counts the analyses.
    pub(crate) revision: u64,
    /// What the targets reported of this revision.
    pub(crate) rendered: Vec<Diagnostic>,
    /// What is shown, by file.
    pub(crate) shown: BTreeMap<Utf8PathBuf, Vec<lsp::Diagnostic>>,
}

impl Blueprint {
    /// A blueprint that was not analysed yet.
    pub(crate) fn new() -> Self {
        Self { stale: true, ..Self::default() }
    }

    /// Analyses the newest text. False where that failed: what was known before stays.
    pub(crate) fn analyse(
        &mut self,
        path: &Utf8Path,
        documents: &Documents,
        settings: &Settings,
    ) -> bool {
        let options = Options {
            path: path.to_owned(),
            environment: settings.environment.clone(),
            set: settings.set.clone(),
            build: false,
            editor: true,
        };
        let cache = &mut self.cache;
        let mut parse = |file, text: &str| parse_cached(cache, file, text);
        let analysed =
            catch_unwind(AssertUnwindSafe(|| analyse_with(documents, &options, &mut parse)));
        self.stale = false;
        self.revision += 1;
        self.rendered.clear();
        match analysed {
            Ok(analysis) => {
                self.analysis = Some(Arc::new(analysis));
                true
            }
            Err(_) => {
                self.cache = ParseCache::default();
                false
            }
        }
    }

    /// Whether its analysis read a file.
    pub(crate) fn reads(&self, path: &Utf8Path) -> bool {
        self.analysis.as_ref().is_some_and(|analysis| analysis.sources.find(path).is_some())
    }

    /// Works out what is to be shown.
    pub(crate) fn show(&mut self, documents: &Documents, settings: &Settings) {
        self.shown.clear();
        let Some(analysis) = &self.analysis else { return };
        for diagnostic in analysis.diagnostics.iter().chain(&self.rendered) {
            let diagnostic = reachable(diagnostic, analysis, documents);
            let Some(file) = diagnostic.span().and_then(|span| analysis.sources.get(span.file))
            else {
                continue;
            };
            let shown =
                convert::diagnostic(&diagnostic, &analysis.sources, documents, settings.encoding);
            self.shown.entry(file.path.clone()).or_default().extend(shown);
        }
    }
}

/// A diagnostic whose places an editor can go to. Values that are given from outside have texts of their own, which
/// are no files: their keys in the project file stand for them, or the blueprint as a whole.
fn reachable<'d>(
    diagnostic: &'d Diagnostic,
    analysis: &Analysis,
    documents: &Documents,
) -> Cow<'d, Diagnostic> {
    let path = |span: Span| analysis.sources.get(span.file).map(|file| file.path.as_path());
    let is_file = |span: Span| path(span).is_some_and(|path| documents.uri(path).is_some());
    if diagnostic.labels.iter().all(|label| is_file(label.span)) {
        return Cow::Borrowed(diagnostic);
    }
    let mut mended = diagnostic.clone();
    for label in mended.labels.iter_mut().filter(|label| !is_file(label.span)) {
        let name = path(label.span)
            .and_then(|path| path.as_str().strip_prefix(PROJECT_FILE)?.strip_prefix(" ("));
        let name = name.and_then(|name| name.strip_suffix(')'));
        let params = analysis.project.as_ref().map(|project| &project.params);
        let key = name.and_then(|name| params?.get(name)?.1);
        label.span = key.unwrap_or(label.span);
    }
    mended.labels.retain(|label| is_file(label.span));
    let whole = analysis
        .project
        .as_ref()
        .and_then(|project| analysis.sources.find(project.entries.first()?));
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
