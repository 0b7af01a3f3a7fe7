//! What the editor was told of each file, so that it is told of news only.

use crate::documents::Documents;
use crate::project::Shown;
use camino::Utf8PathBuf;
use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use lsp_server::{Message, Notification};
use std::collections::BTreeMap;

/// The diagnostics that the editor shows.
pub(crate) struct Board {
    pub(crate) sender: Sender<Message>,
    /// What was told last of each file.
    published: BTreeMap<Utf8PathBuf, Told>,
}

/// What the editor was told of a file.
struct Told {
    /// As the editor calls it: a document without a file has no other name once it is closed.
    uri: lsp::Uri,
    /// The version of the text.
    version: Option<i32>,
    diagnostics: Vec<lsp::Diagnostic>,
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
        for told in gone.iter().filter_map(|path| self.published.remove(path)).collect::<Vec<_>>() {
            self.tell(told.uri, None, Vec::new());
        }
        for (path, diagnostics) in wanted {
            let version = documents.get(path).map(|document| document.version);
            let same = self.published.get(path).is_some_and(|told| {
                told.version == version && told.diagnostics.iter().eq(diagnostics.iter().copied())
            });
            if let Some(uri) = documents.uri(path).filter(|_| !same) {
                let diagnostics: Vec<lsp::Diagnostic> = diagnostics.into_iter().cloned().collect();
                self.tell(uri.clone(), version, diagnostics.clone());
                self.published.insert(path.clone(), Told { uri, version, diagnostics });
            }
        }
    }

    fn tell(&self, uri: lsp::Uri, version: Option<i32>, diagnostics: Vec<lsp::Diagnostic>) {
        let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Message::Notification(Notification::new(method, params)));
    }

    /// Who listens no more is noticed where messages are received.
    pub(crate) fn send(&self, message: Message) {
        let _ = self.sender.send(message);
    }
}
