//! What the editor was told of each file, so that it is told of news only.

use crate::documents::Documents;
use crate::project::Shown;
use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use lsp_server::{Message, Notification};
use std::collections::BTreeMap;

/// The diagnostics that the editor shows.
pub(crate) struct Board {
    pub(crate) sender: Sender<Message>,
    /// What was told last, with the version of the text.
    published: BTreeMap<Utf8PathBuf, (Option<i32>, Vec<lsp::Diagnostic>)>,
}

impl Board {
    pub(crate) fn new(sender: Sender<Message>) -> Self {
        Self { sender, published: BTreeMap::new() }
    }

    /// Tells what is wrong in each file, where that is not what was told last. Files that answer for themselves
    /// (`open`) are told of even where nothing is wrong.
    pub(crate) fn publish<'b>(
        &mut self,
        documents: &Documents,
        open: impl Iterator<Item = &'b Utf8PathBuf>,
        shown: &[&'b Shown],
    ) {
        let mut wanted: BTreeMap<&Utf8PathBuf, Vec<&lsp::Diagnostic>> =
            open.map(|path| (path, Vec::new())).collect();
        for (path, diagnostics) in shown.iter().copied().flatten() {
            let known = wanted.entry(path).or_default();
            // A file that several blueprints use is told of once.
            let told = known.len();
            let is_new =
                |it: &&lsp::Diagnostic| !known.get(..told).unwrap_or_default().contains(it);
            let new: Vec<&lsp::Diagnostic> = diagnostics.iter().filter(is_new).collect();
            known.extend(new);
        }
        let gone: Vec<Utf8PathBuf> =
            self.published.keys().filter(|path| !wanted.contains_key(path)).cloned().collect();
        for path in gone {
            self.published.remove(&path);
            self.tell(documents, &path, None, Vec::new());
        }
        for (path, diagnostics) in wanted {
            let version = documents.get(path).map(|document| document.version);
            let same = self.published.get(path).is_some_and(|(known_version, known)| {
                *known_version == version && known.iter().eq(diagnostics.iter().copied())
            });
            if !same {
                let diagnostics: Vec<lsp::Diagnostic> = diagnostics.into_iter().cloned().collect();
                self.tell(documents, path, version, diagnostics.clone());
                self.published.insert(path.clone(), (version, diagnostics));
            }
        }
    }

    fn tell(
        &self,
        documents: &Documents,
        path: &Utf8Path,
        version: Option<i32>,
        diagnostics: Vec<lsp::Diagnostic>,
    ) {
        let Some(uri) = documents.uri(path) else { return };
        let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Message::Notification(Notification::new(method, params)));
    }

    /// Who listens no more is noticed where messages are received.
    pub(crate) fn send(&self, message: Message) {
        let _ = self.sender.send(message);
    }
}
