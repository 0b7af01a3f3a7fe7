//! What the editor was told of each file, so that it is told of news only. An editor that asks for diagnostics is answered from
//! here, and told to ask anew where it cannot know that something is another; all others are told unasked.

use crate::documents::Documents;
use crate::project::Shown;
use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::Sender;
use gen_lsp_types as lsp;
use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The diagnostics that the editor shows.
pub(crate) struct Board {
    sender: Sender<Message>,
    /// The editor asks for diagnostics.
    asks: bool,
    /// What was told last of each file.
    published: BTreeMap<Utf8PathBuf, Told>,
    /// How many results there were.
    results: u32,
    /// How often the editor was told to ask anew.
    refreshed: u32,
}

/// What the editor was told of a file, or is told once it asks.
struct Told {
    /// As the editor calls it: a document without a file has no other name once it is closed.
    uri: lsp::Uri,
    /// The version of the text.
    version: Option<i32>,
    diagnostics: Vec<lsp::Diagnostic>,
    /// The number of this result.
    result: u32,
    /// The editor has it.
    delivered: Cell<bool>,
    /// The editor has it, or was told to ask anew.
    announced: Cell<bool>,
    /// The version of the text that the editor asked of last.
    asked: Cell<Option<i32>>,
}

/// What is wrong in each file.
type Wanted<'b> = BTreeMap<&'b Utf8PathBuf, Vec<&'b lsp::Diagnostic>>;

impl Board {
    pub(crate) fn new(sender: Sender<Message>, asks: bool) -> Self {
        Self { sender, asks, published: BTreeMap::new(), results: 0, refreshed: 0 }
    }

    /// Tells what is wrong in each file, where that is not what was told last. Files that answer for themselves
    /// (`open`) are told of even where nothing is wrong. What others do not agree to is left out.
    pub(crate) fn publish<'b>(
        &mut self,
        documents: &Documents,
        open: impl Iterator<Item = &'b Utf8PathBuf>,
        shown: &[&'b Shown],
        agreed: &dyn Fn(&Utf8Path, &lsp::Diagnostic) -> bool,
    ) {
        let mut wanted: Wanted<'_> = open.map(|path| (path, Vec::new())).collect();
        for (path, diagnostics) in shown.iter().copied().flatten() {
            let known = wanted.entry(path).or_default();
            // A file that several blueprints use is told of once.
            let told = known.len();
            let is_new =
                |it: &&lsp::Diagnostic| !known.get(..told).unwrap_or_default().contains(it);
            let new = diagnostics.iter().filter(is_new).filter(|it| agreed(path, it));
            let new: Vec<&lsp::Diagnostic> = new.collect();
            known.extend(new);
        }
        self.forget(&wanted);
        for (path, diagnostics) in wanted {
            let version = documents.get(path).map(|document| document.version);
            let told = self.published.get(path);
            let same = told.is_some_and(|it| it.diagnostics.iter().eq(diagnostics.iter().copied()));
            if same && told.is_some_and(|it| it.version == version) {
                continue;
            }
            let Some(uri) = documents.uri(path) else { continue };
            let diagnostics: Vec<lsp::Diagnostic> = diagnostics.into_iter().cloned().collect();
            self.tell(path, uri, version, diagnostics, same);
        }
        self.announce();
    }

    /// Of files that nothing is wrong with any more the editor is told so, once.
    fn forget(&mut self, wanted: &Wanted<'_>) {
        let gone: Vec<Utf8PathBuf> =
            self.published.keys().filter(|path| !wanted.contains_key(path)).cloned().collect();
        for path in gone {
            let Some(told) = self.published.remove(&path) else { continue };
            let is_over = told.diagnostics.is_empty() && told.delivered.get();
            if !self.asks || !is_over {
                self.tell(&path, told.uri, None, Vec::new(), told.diagnostics.is_empty());
            }
            if !self.asks {
                self.published.remove(&path);
            }
        }
    }

    /// Tells of a file, or keeps what there is to say until the editor asks; `same` says that this is only of another text.
    fn tell(
        &mut self,
        path: &Utf8Path,
        uri: lsp::Uri,
        version: Option<i32>,
        diagnostics: Vec<lsp::Diagnostic>,
        same: bool,
    ) {
        let before = self.published.remove(path);
        if !self.asks {
            let (uri, diagnostics) = (uri.clone(), diagnostics.clone());
            let params = lsp::PublishDiagnosticsParams { uri, version, diagnostics };
            let method = "textDocument/publishDiagnostics".to_owned();
            self.send(Message::Notification(Notification::new(method, params)));
        }
        let told = match before {
            Some(told) if same => Told { uri, version, ..told },
            before => {
                self.results += 1;
                Told {
                    uri,
                    version,
                    diagnostics,
                    result: self.results,
                    delivered: Cell::new(false),
                    announced: Cell::new(false),
                    asked: Cell::new(before.and_then(|it| it.asked.get())),
                }
            }
        };
        self.published.insert(path.to_owned(), told);
    }

    /// Has the editor ask for diagnostics anew where it does not by itself: of a text that it has not asked of yet it will.
    fn announce(&mut self) {
        let is_news = |(path, told): &(&Utf8PathBuf, &Told)| {
            let awaited = told.version != told.asked.get() && path.extension() == Some("bp");
            !told.announced.get() && !awaited
        };
        let news: Vec<&Told> =
            self.published.iter().filter(is_news).map(|(_, told)| told).collect();
        news.iter().for_each(|told| told.announced.set(true));
        if self.asks && !news.is_empty() {
            self.refresh("workspace/diagnostic/refresh");
        }
    }

    /// What is wrong in a document; with `related`, also what is wrong in files that are not open, as far as the editor does
    /// not know.
    pub(crate) fn report(
        &self,
        path: &Utf8Path,
        documents: &Documents,
        previous: Option<&str>,
        related: bool,
    ) -> Value {
        let mut report = match self.published.get(path) {
            Some(told) => told.report(previous),
            None => json!({ "kind": "full", "items": [] }),
        };
        let others = self.published.iter().filter(|(other, told)| {
            related && *other != path && documents.get(other).is_none() && !told.delivered.get()
        });
        let others: serde_json::Map<String, Value> =
            others.map(|(_, told)| (told.uri.to_string(), told.report(None))).collect();
        if let (Some(fields), false) = (report.as_object_mut(), others.is_empty()) {
            fields.insert("relatedDocuments".to_owned(), others.into());
        }
        report
    }

    /// What is wrong in all files; `previous` has the results that the editor knows.
    pub(crate) fn reports(&self, previous: &[lsp::PreviousResultId]) -> Value {
        let items = self.published.values().map(|told| {
            let known = previous.iter().find(|it| it.uri == told.uri);
            let mut report = told.report(known.map(|it| it.value.as_str()));
            if let Some(fields) = report.as_object_mut() {
                fields.insert("uri".to_owned(), json!(told.uri));
                fields.insert("version".to_owned(), json!(told.version));
            }
            report
        });
        json!({ "items": items.collect::<Vec<Value>>() })
    }

    /// Has the editor ask anew for something.
    pub(crate) fn refresh(&mut self, method: &str) {
        self.refreshed += 1;
        let id = RequestId::from(format!("refresh-{}", self.refreshed));
        self.send(Message::Request(Request::new(id, method.to_owned(), Value::Null)));
    }

    /// Who listens no more is noticed where messages are received.
    pub(crate) fn send(&self, message: Message) {
        let _ = self.sender.send(message);
    }
}

impl Told {
    /// The result, for an editor that knows another or the same. From then on it has this one.
    fn report(&self, previous: Option<&str>) -> Value {
        self.delivered.set(true);
        self.announced.set(true);
        self.asked.set(self.version);
        let result = self.result.to_string();
        if previous == Some(result.as_str()) {
            return json!({ "kind": "unchanged", "resultId": result });
        }
        json!({ "kind": "full", "resultId": result, "items": self.diagnostics })
    }
}
