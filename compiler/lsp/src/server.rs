//! The loop: what the editor says goes in, answers and diagnostics come out.

use crate::documents::{Document, Documents, path_of};
use crate::project::{Blueprint, root_of};
use crate::render::{Job, Rendered, Renderer};
use crate::requests;
use crate::settings::Settings;
use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::{Sender, select};
use gen_lsp_types as lsp;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::json;
use slipform_analysis::{Analysis, LOCAL_CATALOG, PROJECT_FILE};
use slipform_source::FileId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A running server.
pub(crate) struct Server {
    pub(crate) settings: Settings,
    pub(crate) documents: Documents,
    sender: Sender<Message>,
    renderer: Renderer,
    /// The blueprints that open documents belong to, by the path that is analysed.
    blueprints: BTreeMap<Utf8PathBuf, Blueprint>,
    /// Blueprints may be gone: what is shown of them must go too.
    moved: bool,
    /// Which blueprint answers for an open document.
    homes: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// What the editor was told last of each file.
    published: BTreeMap<Utf8PathBuf, (Option<i32>, Vec<lsp::Diagnostic>)>,
}

/// A document in the analysis that answers for it.
pub(crate) struct Place {
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) file: FileId,
}

impl Server {
    pub(crate) fn new(connection: &Connection, settings: Settings) -> Self {
        Self {
            settings,
            documents: Documents::default(),
            sender: connection.sender.clone(),
            renderer: Renderer::start(),
            blueprints: BTreeMap::new(),
            moved: false,
            homes: BTreeMap::new(),
            published: BTreeMap::new(),
        }
    }

    /// Serves until the editor says goodbye.
    pub(crate) fn serve(mut self, connection: &Connection) -> Result<(), String> {
        self.watch();
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            waiting.extend(connection.receiver.try_iter());
            if waiting.is_empty() {
                self.refresh();
                let done = self.renderer.done.clone();
                select! {
                    recv(connection.receiver) -> message => match message {
                        Ok(message) => waiting.push_back(message),
                        Err(_) => return Ok(()),
                    },
                    recv(done) -> rendered => {
                        if let Ok(rendered) = rendered {
                            self.rendered(rendered);
                        }
                    }
                }
                continue;
            }
            match waiting.pop_front() {
                Some(Message::Request(request)) => {
                    if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    self.request(request);
                }
                Some(Message::Notification(note)) if note.method == "$/cancelRequest" => {
                    self.cancel(&note, &mut waiting);
                }
                Some(Message::Notification(note)) if note.method == "exit" => return Ok(()),
                Some(Message::Notification(note)) => self.notification(note),
                Some(Message::Response(_)) | None => {}
            }
        }
    }

    /// Asks to be told of files that change on the disk.
    fn watch(&self) {
        if !self.settings.watches {
            return;
        }
        let names = ["*.bp", PROJECT_FILE, LOCAL_CATALOG];
        let watchers = names.map(|name| json!({ "globPattern": format!("**/{name}") }));
        let registration = json!({
            "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers },
        });
        let params = json!({ "registrations": [registration] });
        let id = RequestId::from("watch".to_owned());
        self.send(Message::Request(Request::new(
            id,
            "client/registerCapability".to_owned(),
            params,
        )));
    }

    /// Who listens no more is noticed where messages are received.
    fn send(&self, message: Message) {
        let _ = self.sender.send(message);
    }

    /// A request that is not answered yet need not be.
    fn cancel(&self, note: &Notification, waiting: &mut VecDeque<Message>) {
        let Some(id) = note.params.get("id").and_then(|id| serde_json::from_value(id.clone()).ok())
        else {
            return;
        };
        let id: RequestId = id;
        let before = waiting.len();
        waiting.retain(|message| !matches!(message, Message::Request(request) if request.id == id));
        if waiting.len() != before {
            let code = ErrorCode::RequestCanceled as i32;
            self.send(Message::Response(Response::new_err(
                id,
                code,
                "the request was cancelled".to_owned(),
            )));
        }
    }

    fn request(&mut self, request: Request) {
        self.refresh();
        let id = request.id.clone();
        let answered = catch_unwind(AssertUnwindSafe(|| requests::answer(self, request)));
        let response = match answered {
            Ok(Ok(result)) => Response::new_ok(id, result),
            Ok(Err((code, message))) => Response::new_err(id, code as i32, message),
            Err(_) => {
                let message = "the request could not be answered: please report this as a bug";
                Response::new_err(id, ErrorCode::InternalError as i32, message.to_owned())
            }
        };
        self.send(Message::Response(response));
    }

    fn notification(&mut self, note: Notification) {
        match note.method.as_str() {
            "textDocument/didOpen" => {
                let Some(params) = read::<lsp::DidOpenTextDocumentParams>(note) else { return };
                let lsp::TextDocumentItem { uri, version, text, .. } = params.text_document;
                let Some(path) = path_of(&uri) else { return };
                self.documents.open(path, Document { uri, version, text: text.into() });
                self.look_again();
            }
            "textDocument/didChange" => {
                let Some(params) = read::<lsp::DidChangeTextDocumentParams>(note) else { return };
                let Some(path) = path_of(&params.text_document.text_document_identifier.uri) else {
                    return;
                };
                let version = params.text_document.version;
                self.documents.change(
                    &path,
                    version,
                    params.content_changes,
                    self.settings.encoding,
                );
                self.changed(&path);
            }
            "textDocument/didClose" => {
                let Some(params) = read::<lsp::DidCloseTextDocumentParams>(note) else { return };
                let Some(path) = path_of(&params.text_document.uri) else { return };
                self.documents.close(&path);
                self.look_again();
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.documents.forget_disk();
                self.look_again();
            }
            _ => {}
        }
    }

    /// The text of an open document is another.
    fn changed(&mut self, path: &Utf8Path) {
        let home = self.homes.get(path);
        for (root, blueprint) in &mut self.blueprints {
            if home == Some(root) || blueprint.reads(path) {
                blueprint.stale = true;
            }
        }
    }

    /// Other documents are open, or other files lie on the disk: anything may have changed.
    fn look_again(&mut self) {
        let blueprints = self.documents.iter().filter(|(path, document)| {
            document.uri.scheme() != crate::settings::SCHEME && path.extension() == Some("bp")
        });
        self.homes =
            blueprints.map(|(path, _)| (path.clone(), root_of(path, &self.documents))).collect();
        let roots: BTreeSet<&Utf8PathBuf> = self.homes.values().collect();
        self.blueprints.retain(|root, _| roots.contains(root));
        for root in roots {
            self.blueprints.entry(root.clone()).or_insert_with(Blueprint::new).stale = true;
        }
        self.moved = true;
    }

    /// Analyses what has changed, and tells the editor.
    fn refresh(&mut self) {
        let mut news = std::mem::take(&mut self.moved);
        while let Some((root, mut blueprint)) = self.take_stale() {
            news = true;
            self.analyse(&root, &mut blueprint);
            self.blueprints.insert(root, blueprint);
            self.adopt();
        }
        if news {
            self.publish();
        }
    }

    fn take_stale(&mut self) -> Option<(Utf8PathBuf, Blueprint)> {
        let root = self.blueprints.iter().find(|(_, blueprint)| blueprint.stale)?.0.clone();
        self.blueprints.remove_entry(&root)
    }

    fn analyse(&mut self, root: &Utf8Path, blueprint: &mut Blueprint) {
        if !blueprint.analyse(root, &self.documents, &self.settings) {
            let text = format!("`{root}` could not be analysed: please report this as a bug");
            let params = json!({ "type": lsp::MessageType::Error, "message": text });
            self.send(Message::Notification(Notification::new(
                "window/logMessage".to_owned(),
                params,
            )));
        }
        if let Some(analysis) = blueprint.analysis.clone().filter(|analysis| !analysis.has_errors())
        {
            let job = Job { root: root.to_owned(), revision: blueprint.revision, analysis };
            blueprint.rendered = self.renderer.render(job).unwrap_or_default();
        }
        blueprint.show(&self.documents, &self.settings);
    }

    /// A file below a project that the project does not read stands alone.
    fn adopt(&mut self) {
        for (path, home) in &mut self.homes {
            let orphan = self.blueprints.get(home).is_some_and(|it| !it.stale && !it.reads(path));
            if orphan && home != path {
                home.clone_from(path);
                self.blueprints.entry(path.clone()).or_insert_with(Blueprint::new);
            }
        }
    }

    /// The targets have their say about a blueprint.
    fn rendered(&mut self, rendered: Rendered) {
        let Some(blueprint) = self.blueprints.get_mut(&rendered.root) else { return };
        let news =
            blueprint.revision == rendered.revision && blueprint.rendered != rendered.diagnostics;
        if news && !blueprint.stale {
            blueprint.rendered = rendered.diagnostics;
            blueprint.show(&self.documents, &self.settings);
            self.publish();
        }
    }

    /// Tells the editor what is wrong in each file, where that is not what it was told last.
    fn publish(&mut self) {
        let mut wanted: BTreeMap<&Utf8PathBuf, Vec<&lsp::Diagnostic>> = BTreeMap::new();
        for (path, _) in self.documents.iter().filter(|(path, _)| self.homes.contains_key(*path)) {
            wanted.insert(path, Vec::new());
        }
        for (path, diagnostics) in self.blueprints.values().flat_map(|blueprint| &blueprint.shown) {
            let known = wanted.entry(path).or_default();
            // A file that several blueprints use is told of once.
            let new: Vec<&lsp::Diagnostic> =
                diagnostics.iter().filter(|it| !known.contains(it)).collect();
            known.extend(new);
        }
        let mut told: Vec<(Utf8PathBuf, (Option<i32>, Vec<lsp::Diagnostic>))> = Vec::new();
        for (path, diagnostics) in &wanted {
            let version = self.documents.get(path).map(|document| document.version);
            let known = self.published.get(*path);
            let same = known.is_some_and(|(known_version, known)| {
                *known_version == version && known.iter().eq(diagnostics.iter().copied())
            });
            if !same {
                told.push((
                    (*path).clone(),
                    (version, diagnostics.iter().copied().cloned().collect()),
                ));
            }
        }
        let gone: Vec<Utf8PathBuf> =
            self.published.keys().filter(|path| !wanted.contains_key(path)).cloned().collect();
        for path in gone {
            self.published.remove(&path);
            self.tell(&path, None, &[]);
        }
        for (path, (version, diagnostics)) in told {
            self.tell(&path, version, &diagnostics);
            self.published.insert(path, (version, diagnostics));
        }
    }

    fn tell(&self, path: &Utf8Path, version: Option<i32>, diagnostics: &[lsp::Diagnostic]) {
        let Some(uri) = self.documents.uri(path) else { return };
        let params =
            lsp::PublishDiagnosticsParams { uri, version, diagnostics: diagnostics.to_vec() };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Message::Notification(Notification::new(method, params)));
    }

    /// The analysis that answers for a document.
    pub(crate) fn place(&self, uri: &lsp::Uri) -> Option<Place> {
        let path = path_of(uri)?;
        let blueprint = self.blueprints.get(self.homes.get(&path)?)?;
        let analysis = blueprint.analysis.clone()?;
        let file = analysis.sources.find(&path)?;
        Some(Place { analysis, file })
    }
}

/// The parameters of a notification; one that does not read as the protocol has it is passed over.
fn read<T: DeserializeOwned>(note: Notification) -> Option<T> {
    serde_json::from_value(note.params).ok()
}
