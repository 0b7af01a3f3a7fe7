//! What edits would make of a blueprint, tried before they are offered.

use crate::documents::Renamed;
use crate::render::{problems, rendered};
use crate::server::Server;
use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types as lsp;
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Severity};
use slipform_source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A blueprint with other texts.
pub(super) struct Trial<'s> {
    server: &'s Server,
    options: Options,
    texts: BTreeMap<Utf8PathBuf, Arc<str>>,
}

impl<'s> Trial<'s> {
    /// The blueprint that a document belongs to, with edits.
    pub(super) fn of(
        server: &'s Server,
        uri: &lsp::Uri,
        analysis: &Analysis,
        edits: &[(Span, String)],
    ) -> Option<Self> {
        Some(Self { server, options: server.options(uri)?, texts: edited_files(analysis, edits) })
    }

    /// The same with edits of what another blueprint reads besides.
    pub(super) fn and(mut self, analysis: &Analysis, edits: &[(Span, String)]) -> Self {
        self.texts.extend(edited_files(analysis, edits));
        self
    }

    /// The same with another file.
    pub(super) fn with(mut self, path: &Utf8Path, text: &str) -> Self {
        self.texts.insert(path.to_owned(), text.into());
        self
    }

    /// What comes of it.
    pub(super) fn now(&self) -> Analysis {
        self.analysed(&self.options, &self.texts)
    }

    /// What is, and what would be, in the environment that is chosen and in all others.
    pub(super) fn in_every_environment(&self, now: &Analysis) -> Vec<(Analysis, Analysis)> {
        let project = now.project.as_ref();
        let known = project.map(|it| it.environments.as_slice()).unwrap_or_default();
        let usual = || known.iter().find(|it| project.is_some_and(|own| own.environment == **it));
        let chosen = self.options.environment.clone().or_else(|| usual().cloned());
        let others = known.iter().filter(|it| chosen.as_ref() != Some(it)).cloned().map(Some);
        let environments: Vec<Option<String>> =
            std::iter::once(chosen.clone()).chain(others).collect();
        let both = |environment: Option<String>| {
            let options = Options { environment, ..self.options.clone() };
            let before = self.analysed(&options, &BTreeMap::new());
            (before, self.analysed(&options, &self.texts))
        };
        environments.into_iter().map(both).collect()
    }

    /// What is, and what would be, of the other open blueprints that use a file with edits, each with its path.
    pub(super) fn in_other_blueprints(&self) -> Vec<(Utf8PathBuf, Analysis, Analysis)> {
        let users = self.texts.keys().flat_map(|path| self.server.users(path));
        let others = users.map(|options| (options.path.clone(), options));
        let mut others: BTreeMap<Utf8PathBuf, Options> = others.collect();
        others.remove(&self.options.path);
        let both = |options: &Options| {
            let before = self.analysed(options, &BTreeMap::new());
            (options.path.clone(), before, self.analysed(options, &self.texts))
        };
        others.values().map(both).collect()
    }

    fn analysed(&self, options: &Options, texts: &BTreeMap<Utf8PathBuf, Arc<str>>) -> Analysis {
        analyse(&Renamed { documents: &self.server.documents, texts }, options)
    }
}

/// Whether edits mend all that is reported under some codes or some of it, and leave nothing as bad behind that is not there now: neither
/// here nor, where it can be rendered then, with the targets.
pub(super) fn mends(
    before: &Analysis,
    after: &Analysis,
    edits: &[(Span, String)],
    mended: &[&Diagnostic],
) -> bool {
    let counted = |of: &Analysis, code: &str| {
        let told = of.diagnostics.iter().filter(|it| it.code == *code).count();
        told + problems(of).iter().filter(|it| it.code == *code).count()
    };
    let fewer = |it: &&Diagnostic| counted(after, &it.code) < counted(before, &it.code);
    let as_bad = mended.iter().map(|it| it.severity).min().unwrap_or(Severity::Error);
    let wanted = |severity| severity >= as_bad;
    mended.iter().all(fewer)
        && more(&before.diagnostics, &after.diagnostics, wanted).is_none()
        && !is_refused(before, after, edits)
}

/// Whether targets refuse then what edits have made: another error than now, or, where nothing can be rendered now, one that speaks of
/// a place that is edited.
pub(super) fn is_refused(before: &Analysis, after: &Analysis, edits: &[(Span, String)]) -> bool {
    let is_error = |severity| severity == Severity::Error;
    let then = problems(after);
    if before.can_be_rendered() {
        return more(&problems(before), &then, is_error).is_some();
    }
    let places: Vec<Span> =
        edits.iter().filter_map(|edit| place_then(before, after, edits, edit)).collect();
    let speaks = |it: &Diagnostic| {
        it.labels.iter().any(|label| places.iter().any(|place| place.meets(label.span)))
    };
    then.iter().any(|it| is_error(it.severity) && speaks(it))
}

/// Where the text of an edit stands once all of them are made.
fn place_then(
    before: &Analysis,
    after: &Analysis,
    edits: &[(Span, String)],
    (span, text): &(Span, String),
) -> Option<Span> {
    let file = after.sources.find(&before.sources.get(span.file)?.path)?;
    let earlier = edits.iter().filter(|(it, _)| it.file == span.file && it.start < span.start);
    let (gone, come) =
        earlier.fold((0, 0), |(gone, come), (it, new)| (gone + it.range().len(), come + new.len()));
    let start = (span.start as usize + come).checked_sub(gone)?;
    Some(Span::new(file, start, start + text.len()))
}

/// The texts of the files that edits change.
fn edited_files(analysis: &Analysis, edits: &[(Span, String)]) -> BTreeMap<Utf8PathBuf, Arc<str>> {
    let mut by_file: BTreeMap<_, Vec<&(Span, String)>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(edit.0.file).or_default().push(edit);
    }
    let text = |(file, edits): (_, Vec<&(Span, String)>)| {
        let file = analysis.sources.get(file)?;
        Some((file.path.clone(), edited(&file.text, edits)?.into()))
    };
    by_file.into_iter().filter_map(text).collect()
}

/// A text with edits.
pub(super) fn edited<'e>(
    text: &str,
    edits: impl IntoIterator<Item = &'e (Span, String)>,
) -> Option<String> {
    let mut text = text.to_owned();
    let mut edits: Vec<&(Span, String)> = edits.into_iter().collect();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse((span.start, span.end)));
    for (span, new) in edits {
        text.get(span.range())?;
        text.replace_range(span.range(), new);
    }
    Some(text)
}

/// The first error that is there then and is not now.
pub(super) fn worse(before: &Analysis, after: &Analysis) -> Option<String> {
    more(&before.diagnostics, &after.diagnostics, |severity| severity == Severity::Error)
}

/// The same where a name is another one then: what a rule of that name reports now, it reports under the other.
pub(super) fn worse_renamed(
    before: &Analysis,
    after: &Analysis,
    (old, new): (&str, &str),
) -> Option<String> {
    let mut now = before.diagnostics.clone();
    for report in now.iter_mut().filter(|report| report.code == *old) {
        report.code = new.to_owned().into();
    }
    more(&now, &after.diagnostics, |severity| severity == Severity::Error)
}

/// Whether fewer things are reported then, and nothing new is: by targets, too, where these are asked now as well.
pub(super) fn better(before: &Analysis, after: &Analysis) -> bool {
    let fewer = |before: &[Diagnostic], after: &[Diagnostic]| {
        after.len() < before.len() && more(before, after, |_| true).is_none()
    };
    if fewer(&before.diagnostics, &after.diagnostics) {
        return true;
    }
    let same = more(&before.diagnostics, &after.diagnostics, |_| true).is_none();
    same && before.can_be_rendered() && fewer(&problems(before), &problems(after))
}

/// Whether nothing can be written of a blueprint because of a noun that allows a code: a rule of what targets take for granted has no
/// exceptions.
pub(super) fn is_needed(after: &Analysis, code: &str) -> bool {
    let mut gaps = after.plan.iter().flat_map(Plan::gaps);
    gaps.any(|gap| gap.allowed.iter().any(|(allowed, _)| allowed == code))
}

/// The first report of a code that is reported more often then.
fn more(
    before: &[Diagnostic],
    after: &[Diagnostic],
    wanted: impl Fn(Severity) -> bool,
) -> Option<String> {
    let counts = |reports: &[Diagnostic]| {
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for it in reports.iter().filter(|it| wanted(it.severity)) {
            let entry = counts.entry(it.code.to_string());
            entry.or_insert_with(|| (0, it.message.clone())).0 += 1;
        }
        counts
    };
    let known = counts(before);
    let is_more = |code: &String, now: usize| known.get(code).is_none_or(|(count, _)| now > *count);
    let mut then = counts(after).into_iter();
    then.find(|(code, (now, _))| is_more(code, *now)).map(|(_, (_, said))| said)
}

/// Whether a blueprint renders to the same then, byte by byte.
pub(super) fn same(before: &Analysis, after: &Analysis) -> bool {
    renders(before, after, |a, b| a == b)
}

/// The same but for remarks, which say what of the blueprint a file comes from. What sbatch reads is no remark.
pub(super) fn alike(before: &Analysis, after: &Analysis) -> bool {
    renders(before, after, |a, b| said(a).eq(said(b)))
}

/// The lines of a file that are no remarks.
fn said(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("# "))
}

/// Whether a blueprint renders to as many files then, each of them equal, and nothing is worse.
fn renders(before: &Analysis, after: &Analysis, equal: impl Fn(&str, &str) -> bool) -> bool {
    let (old, new) = (rendered(before).artifacts, rendered(after).artifacts);
    let pairs = || old.iter().zip(&new);
    let all = pairs().all(|(a, b)| a.path == b.path && equal(&a.content, &b.content));
    !old.is_empty() && old.len() == new.len() && all && worse(before, after).is_none()
}
