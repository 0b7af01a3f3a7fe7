//! What edits would make of a blueprint, tried before they are offered.

use crate::documents::Renamed;
use crate::render::artifacts;
use crate::server::Server;
use camino::Utf8PathBuf;
use gen_lsp_types as lsp;
use slipform_analysis::{Analysis, Options, analyse};
use slipform_model::Severity;
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
        Some(Self { server, options: server.options(uri)?, texts: edited(analysis, edits) })
    }

    /// What comes of it.
    pub(super) fn now(&self) -> Analysis {
        self.analysed(&self.options, &self.texts)
    }

    /// What is, and what would be, in the environment that is chosen and in all others.
    pub(super) fn in_every_environment(&self, now: &Analysis) -> Vec<(Analysis, Analysis)> {
        let project = now.project.as_ref();
        let known = project.map(|it| it.environments.clone()).unwrap_or_default();
        let mut environments: Vec<Option<String>> = vec![self.options.environment.clone()];
        environments.extend(known.into_iter().map(Some));
        environments.dedup();
        let both = |environment: Option<String>| {
            let options = Options { environment, ..self.options.clone() };
            let before = self.analysed(&options, &BTreeMap::new());
            (before, self.analysed(&options, &self.texts))
        };
        environments.into_iter().map(both).collect()
    }

    fn analysed(&self, options: &Options, texts: &BTreeMap<Utf8PathBuf, Arc<str>>) -> Analysis {
        analyse(&Renamed { documents: &self.server.documents, texts }, options)
    }
}

/// The texts of the files that edits change.
fn edited(analysis: &Analysis, edits: &[(Span, String)]) -> BTreeMap<Utf8PathBuf, Arc<str>> {
    let mut by_file: BTreeMap<_, Vec<&(Span, String)>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(edit.0.file).or_default().push(edit);
    }
    let text = |(file, mut edits): (_, Vec<&(Span, String)>)| {
        let file = analysis.sources.get(file)?;
        let mut text = file.text.to_string();
        edits.sort_by_key(|(span, _)| std::cmp::Reverse((span.start, span.end)));
        for (span, new) in edits {
            text.get(span.range())?;
            text.replace_range(span.range(), new);
        }
        Some((file.path.clone(), text.into()))
    };
    by_file.into_iter().filter_map(text).collect()
}

/// The first error that is there then and is not now.
pub(super) fn worse(before: &Analysis, after: &Analysis) -> Option<String> {
    let known = counts(before, |severity| severity == Severity::Error);
    let then = counts(after, |severity| severity == Severity::Error);
    let more = |code: &String, now: usize| now > known.get(code).map_or(0, |(count, _)| *count);
    then.into_iter().find(|(code, (now, _))| more(code, *now)).map(|(_, (_, said))| said)
}

/// How often each code is reported, with its first message.
fn counts(
    analysis: &Analysis,
    wanted: impl Fn(Severity) -> bool,
) -> BTreeMap<String, (usize, String)> {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for it in analysis.diagnostics.iter().filter(|it| wanted(it.severity)) {
        let entry = counts.entry(it.code.to_string());
        entry.or_insert_with(|| (0, it.message.clone())).0 += 1;
    }
    counts
}

/// Whether fewer things are reported then, and nothing new is.
pub(super) fn better(before: &Analysis, after: &Analysis) -> bool {
    let (known, then) = (counts(before, |_| true), counts(after, |_| true));
    let more = |code: &String, now: usize| now > known.get(code).map_or(0, |(count, _)| *count);
    let fewer = after.diagnostics.len() < before.diagnostics.len();
    fewer && !then.iter().any(|(code, (now, _))| more(code, *now))
}

/// Whether a blueprint renders to the same then, byte by byte.
pub(super) fn same(before: &Analysis, after: &Analysis) -> bool {
    let (old, new) = (artifacts(before), artifacts(after));
    let equal = old.len() == new.len()
        && old.iter().zip(&new).all(|(a, b)| a.path == b.path && a.content == b.content);
    !old.is_empty() && equal && worse(before, after).is_none()
}
