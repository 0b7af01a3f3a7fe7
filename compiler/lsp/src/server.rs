//! The loop: what the editor says goes in, answers and diagnostics come out.

mod questions;

use crate::Goodbye;
use crate::asking::Asking;
use crate::board::Board;
use crate::documents::{Document, Documents, path_of};
use crate::elsewhere::elsewhere;
use crate::files::Files;
use crate::inbox::Inbox;
use crate::project::{self, Blueprint, Known, Leftover, Means, Outcome, Shown, root_of};
use crate::render::{self, Job, Rendered, Renderer};
use crate::requests;
use crate::requests::commands::Choices;
use crate::settings::{SCHEME, Settings};
use crate::workspace;
use camino::{Utf8Path, Utf8PathBuf};
use crossbeam_channel::{after, never, select};
use gen_lsp_types as lsp;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::json;
use slipform_analysis::ide::library_text;
use slipform_analysis::{Analysis, LOCAL_CATALOG, LOCK_FILE, Options, PROJECT_FILE};
use slipform_source::{FileId, SourceFile, World};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// How long nobody types before a large blueprint is rendered.
const PAUSE: Duration = Duration::from_millis(150);

/// A running server.
pub(crate) struct Server {
    pub(crate) settings: Settings,
    pub(crate) documents: Documents,
    inbox: Inbox,
    pub(crate) board: Board,
    renderer: Renderer,
    /// Large blueprints that are rendered once nobody types for a while.
    pause_jobs: BTreeMap<Utf8PathBuf, Job>,
    /// The blueprints that open documents belong to, and those of the workspace, by the path that is analysed.
    blueprints: BTreeMap<Utf8PathBuf, Blueprint>,
    /// Blueprints may be gone: what is shown of them must go too.
    moved: bool,
    /// The editor has asked for the end.
    over: bool,
    /// The projects of the workspace, open or not.
    projects: BTreeSet<Utf8PathBuf>,
    /// Which blueprint answers for an open document.
    homes: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    /// The answer that was just found is another once values are known.
    pub(crate) waits: Cell<Option<Known>>,
    /// What the user was asked, with what there is to choose from.
    questions: RefCell<BTreeMap<String, Choices>>,
    /// How much was asked of the editor.
    asked: Cell<u32>,
    /// What is left of older analyses: it is given back once the editor has its answer.
    leftovers: Vec<Leftover>,
}

/// A document in the analysis that answers for it.
pub(crate) struct Place {
    pub(crate) analysis: Arc<Analysis>,
    pub(crate) file: FileId,
    pub(crate) source: Arc<SourceFile>,
}

impl Server {
    /// A server with what was agreed on; `copies` is where files of the library are written for an editor that opens files alone.
    pub(crate) fn new(
        connection: &Connection,
        settings: Settings,
        copies: Option<Utf8PathBuf>,
    ) -> Self {
        let board = Board::new(connection.sender.clone(), settings.asks);
        let documents = Documents::with_copies(copies.filter(|_| !settings.opens));
        Self {
            settings,
            documents,
            inbox: Inbox::new(connection.receiver.clone()),
            board,
            renderer: Renderer::start(),
            pause_jobs: BTreeMap::new(),
            blueprints: BTreeMap::new(),
            moved: false,
            over: false,
            projects: BTreeSet::new(),
            homes: BTreeMap::new(),
            waits: Cell::new(None),
            questions: RefCell::default(),
            asked: Cell::new(0),
            leftovers: Vec::new(),
        }
    }

    /// Serves until the editor says goodbye.
    pub(crate) fn serve(mut self) -> Goodbye {
        self.look_around();
        loop {
            self.leftovers.clear();
            let Some(message) = self.next() else {
                let went = self.refresh(Asking::Nobody);
                self.leftovers.clear();
                // what came meanwhile lies in the inbox, where nobody waits for it
                if went == Outcome::Interrupted || self.inbox.is_waiting() {
                    continue;
                }
                let (said, done) = (self.inbox.receiver.clone(), self.renderer.done.clone());
                let pause = if self.pause_jobs.is_empty() { never() } else { after(PAUSE) };
                select! {
                    recv(said) -> message => match message {
                        Ok(message) => self.inbox.put(message),
                        Err(_) => return Goodbye::Said,
                    },
                    recv(done) -> rendered => {
                        if let Ok(rendered) = rendered {
                            self.rendered(rendered);
                        }
                    }
                    recv(pause) -> _ => {
                        for job in std::mem::take(&mut self.pause_jobs).into_values() {
                            self.renderer.render(job);
                        }
                    }
                }
                continue;
            };
            match message {
                Message::Request(request) if self.over => {
                    self.refuse(request, "the server has been shut down");
                }
                Message::Request(request) if request.method == "initialize" => {
                    self.refuse(request, "the server is initialized already");
                }
                Message::Request(request) if request.method == "shutdown" => {
                    self.over = true;
                    let answer = Response::new_ok(request.id, serde_json::Value::Null);
                    self.board.send(Message::Response(answer));
                }
                Message::Request(request) => self.request(request),
                Message::Notification(note) if note.method == "exit" => {
                    return if self.over { Goodbye::Said } else { Goodbye::Unsaid };
                }
                Message::Notification(note) => self.notification(note),
                Message::Response(response) => self.answered(&response),
            }
        }
    }

    /// What is to be answered next; what is cancelled by now is answered so.
    fn next(&self) -> Option<Message> {
        self.inbox.next(|cancelled| {
            let code = ErrorCode::RequestCanceled as i32;
            let message = "the request was cancelled".to_owned();
            self.board.send(Message::Response(Response::new_err(cancelled.id, code, message)));
        })
    }

    /// What may not be asked now: anything after `shutdown`, and `initialize` a second time.
    fn refuse(&self, request: Request, why: &str) {
        let code = ErrorCode::InvalidRequest as i32;
        self.board.send(Message::Response(Response::new_err(request.id, code, why.to_owned())));
    }

    /// Asks to be told of files that change on the disk.
    fn watch(&self) {
        if !self.settings.watches {
            return;
        }
        let names = ["*.bp", PROJECT_FILE, LOCAL_CATALOG, LOCK_FILE];
        let watchers = names.map(|name| json!({ "globPattern": format!("**/{name}") }));
        let registration = json!({
            "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers },
        });
        let params = json!({ "registrations": [registration] });
        let id = RequestId::from("watch".to_owned());
        self.board.send(Message::Request(Request::new(
            id,
            "client/registerCapability".to_owned(),
            params,
        )));
    }

    fn request(&mut self, request: Request) {
        let document = requests::document(&request);
        self.refresh(match requests::asks_what_is_wrong(&request.method) {
            true => Asking::Reports,
            false => Asking::Request(requests::needs(&request.method), document.as_deref()),
        });
        let mut response = self.response(request.clone());
        if let Some(known) = self.waits.take() {
            self.refresh(Asking::Request(known, document.as_deref()));
            response = self.response(request);
            self.waits.set(None);
        }
        self.board.send(Message::Response(response));
    }

    fn response(&self, request: Request) -> Response {
        let id = request.id.clone();
        let answered = catch_unwind(AssertUnwindSafe(|| requests::answer(self, request)));
        match answered {
            // what `new_ok` is given it copies value by value
            Ok(Ok(result)) => Response { id, response_result: Ok(result) },
            Ok(Err((code, message))) => Response::new_err(id, code as i32, message),
            Err(_) => {
                let message = "the request could not be answered: please report this as a bug";
                Response::new_err(id, ErrorCode::InternalError as i32, message.to_owned())
            }
        }
    }

    fn notification(&mut self, note: Notification) {
        match note.method.as_str() {
            // what the editor is asked for it takes from then on
            "initialized" => self.watch(),
            "textDocument/didOpen" => {
                let Some(params) = read::<lsp::DidOpenTextDocumentParams>(note) else { return };
                let lsp::TextDocumentItem { uri, version, text, .. } = params.text_document;
                let Some(path) = path_of(&uri) else { return };
                let document = Document { uri, version, text: text.into() };
                self.reopened(&path.clone(), |documents| documents.open(path, document));
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
                self.reopened(&path, |documents| documents.close(&path));
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.documents.forget_disk();
                self.look_around();
                self.outdated(None);
            }
            "workspace/didChangeConfiguration" => {
                if let Some(settings) = note.params.get("settings") {
                    self.settings.choose(settings.get("slipform").unwrap_or(settings));
                    self.look_again();
                    self.outdated(None);
                }
            }
            _ => {}
        }
    }

    /// Has the editor ask anew for what it shows beside the text.
    fn refresh_views(&mut self) {
        for method in &self.settings.refreshes {
            self.board.refresh(method);
        }
    }

    /// The text of an open document is another.
    fn changed(&mut self, path: &Utf8Path) {
        let home = self.homes.get(path);
        for (root, blueprint) in &mut self.blueprints {
            if home == Some(root) || blueprint.reads(path) {
                blueprint.known = Known::Nothing;
                blueprint.outdated |= has_others(&self.homes, root, Some(path));
            }
        }
    }

    /// A document is opened or closed: from then on the text of the editor counts, or that of the disk.
    fn reopened(&mut self, path: &Utf8Path, change: impl FnOnce(&mut Documents)) {
        let before = self.documents.read(path).ok();
        change(&mut self.documents);
        self.look_again();
        if self.documents.read(path).ok() != before {
            self.outdated(Some(path));
        }
    }

    /// Whatever stands beside open documents may be another, but for the one that somebody types in: the editor asks for that
    /// by itself.
    fn outdated(&mut self, typed: Option<&Utf8Path>) {
        for (root, blueprint) in &mut self.blueprints {
            blueprint.outdated |= has_others(&self.homes, root, typed);
        }
    }

    /// Other projects may lie in the workspace.
    fn look_around(&mut self) {
        self.projects = workspace::projects(&self.settings.folders);
        self.look_again();
    }

    /// Whether a document of a blueprint is open.
    fn is_open(&self, root: &Utf8Path) -> bool {
        self.homes.values().any(|home| home == root)
    }

    /// Other documents are open, or other files lie on the disk: anything may have changed.
    fn look_again(&mut self) {
        let blueprints = self.documents.iter().filter(|(path, document)| {
            let is_of_library = document.uri.scheme() == SCHEME || library_text(path).is_some();
            !is_of_library && path.extension() == Some("bp")
        });
        let files = self.documents.iter().map(|(path, _)| path);
        let beside = files.filter(|path| is_beside(path)).filter_map(|path| {
            let root = root_of(path, &self.documents);
            (root != *path).then(|| (path.clone(), root))
        });
        let homes = blueprints.map(|(path, _)| (path.clone(), root_of(path, &self.documents)));
        self.homes = homes.chain(beside).collect();
        let roots: BTreeSet<&Utf8PathBuf> = self.homes.values().chain(&self.projects).collect();
        self.blueprints.retain(|root, _| roots.contains(root));
        for root in roots {
            self.blueprints.entry(root.clone()).or_default().known = Known::Nothing;
        }
        self.moved = true;
    }

    /// Analyses what has changed, and tells the editor.
    fn refresh(&mut self, asking: Asking<'_>) -> Outcome {
        let mut news = std::mem::take(&mut self.moved);
        let mut outcome = Outcome::Done;
        while let Some((root, mut blueprint)) = self.take_stale(asking) {
            if news && !self.is_open(&root) {
                // nobody waits for what is not open
                self.publish();
            }
            news = true;
            let (went, before) = self.analyse(&root, &mut blueprint, asking);
            self.leftovers.push(before);
            self.blueprints.insert(root, blueprint);
            self.adopt();
            if went == Outcome::Interrupted && asking == Asking::Nobody {
                outcome = went;
                break;
            }
        }
        let mut behind = self.blueprints.iter().filter(|(_, it)| it.is_behind());
        if behind.any(|(root, _)| self.is_open(root)) {
            self.moved = news;
        } else if news {
            self.publish();
        }
        let told = self.blueprints.values_mut().filter(|it| it.is_done());
        let outdated = told.map(|it| std::mem::take(&mut it.outdated));
        if outdated.fold(false, |any, it| any | it) {
            self.refresh_views();
        }
        outcome
    }

    fn take_stale(&mut self, asking: Asking<'_>) -> Option<(Utf8PathBuf, Blueprint)> {
        // Whichever has changed may read a file that stands alone.
        let home = match asking {
            Asking::Request(_, Some(path)) => self.homes.get(path).filter(|home| *home != path),
            _ => None,
        };
        let of_one = matches!(asking, Asking::Request(_, Some(_)));
        let stale = self.blueprints.iter().filter(|(root, blueprint)| {
            let asked = home.is_none_or(|home| home == *root) && (!of_one || self.is_open(root));
            blueprint.is_stale(asking.need(), asking.least()) && asked
        });
        let root = stale.min_by_key(|(root, _)| !self.is_open(root))?.0.clone();
        self.blueprints.remove_entry(&root)
    }

    fn analyse(
        &mut self,
        root: &Utf8Path,
        blueprint: &mut Blueprint,
        asking: Asking<'_>,
    ) -> (Outcome, Leftover) {
        // what waits to be rendered is older, and would keep the trees from being gone on with
        self.pause_jobs.remove(root);
        let Self { documents, homes, blueprints, board, settings, inbox, .. } = self;
        let mut early = |shown: &Shown| {
            let others = blueprints.values().map(|blueprint| &blueprint.shown);
            let all: Vec<&Shown> = others.chain([shown]).collect();
            board.publish(documents, homes.keys(), &all, &|path, it| agreed(blueprints, path, it));
        };
        let need = || match asking {
            Asking::Nobody => inbox.needs(),
            Asking::Reports | Asking::Request(..) => asking.need(),
        };
        let least = asking.least();
        let means = Means { documents, settings, need: &need, least, early: &mut early };
        let (mut outcome, old) = match blueprint.known {
            Known::All => (Outcome::Done, None),
            _ => blueprint.analyse(root, means),
        };
        if outcome == Outcome::Failed {
            let text = format!("`{root}` could not be analysed: please report this as a bug");
            let params = json!({ "type": lsp::MessageType::Error, "message": text });
            let note = Notification::new("window/logMessage".to_owned(), params);
            self.board.send(Message::Notification(note));
        }
        let analysis = blueprint.analysis.clone().filter(|_| outcome == Outcome::Done);
        if let Some(analysis) = analysis {
            outcome = self.ask_targets(root, blueprint, analysis, asking);
        }
        blueprint.show(&self.documents, &self.settings);
        (outcome, old)
    }

    /// Asks targets and the other environments: of a large blueprint once nobody types for a while, of a small one when nobody waits for anything
    /// that needs less.
    fn ask_targets(
        &mut self,
        root: &Utf8Path,
        blueprint: &mut Blueprint,
        analysis: Arc<Analysis>,
        asking: Asking<'_>,
    ) -> Outcome {
        let Self { documents, settings, inbox, .. } = self;
        if render::is_large(&analysis) {
            let job = Job {
                root: root.to_owned(),
                revision: blueprint.revision,
                analysis,
                documents: documents.clone(),
                settings: settings.clone(),
            };
            self.pause_jobs.insert(root.to_owned(), job);
            return Outcome::Done;
        }
        let waits = || match asking {
            Asking::Nobody => inbox.needs() < Known::All,
            Asking::Reports | Asking::Request(..) => asking.least() < Known::All,
        };
        let asked = (!waits()).then(|| {
            blueprint.older.rendered = render::problems(&analysis);
            elsewhere(root, &analysis, documents, settings, &waits)
        });
        match asked.flatten() {
            Some(found) => {
                (blueprint.elsewhere, blueprint.unasked) = (found, false);
                Outcome::Done
            }
            None => {
                blueprint.unasked = true;
                Outcome::Interrupted
            }
        }
    }

    /// A file that its project does not read stands alone, and so does one without a project, until the project or another that
    /// stands alone reads it.
    fn adopt(&mut self) {
        let alone = self.homes.iter().filter(|(path, home)| path == home);
        let alone: Vec<Utf8PathBuf> = alone.map(|(path, _)| path.clone()).collect();
        for path in alone {
            let Some(root) = self.reader(&path) else { continue };
            self.blueprints.remove(&path);
            for home in self.homes.values_mut().filter(|home| **home == path) {
                home.clone_from(&root);
            }
            if let Some(blueprint) = self.blueprints.get_mut(&root) {
                blueprint.outdated = true;
            }
            self.moved = true;
        }
        for (path, home) in &mut self.homes {
            let orphan = self.blueprints.get(home).is_some_and(|it| it.leaves_out(path));
            if orphan && home != path && !is_beside(path) {
                home.clone_from(path);
                self.blueprints.entry(path.clone()).or_default().outdated = true;
            }
        }
    }

    /// The blueprint that reads a file, other than the file by itself: its project's, or one that stands alone.
    fn reader(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let project = root_of(path, &self.documents);
        let is_own = |root: &Utf8Path| self.homes.get(root).is_some_and(|home| home == root);
        let mut readers = self.blueprints.iter().filter(|(root, blueprint)| {
            **root != path && blueprint.known != Known::Nothing && blueprint.reads(path)
        });
        let (root, _) = readers.find(|(root, _)| **root == project || is_own(root))?;
        Some(root.clone())
    }

    /// The targets have their say about a blueprint.
    fn rendered(&mut self, rendered: Rendered) {
        let Some(blueprint) = self.blueprints.get_mut(&rendered.root) else { return };
        let files = rendered.files.filter(|files| *files != *blueprint.files);
        let others = files.is_some();
        if let Some(files) = files {
            blueprint.files = Arc::new(files);
        }
        let same = blueprint.older.rendered == rendered.diagnostics
            && blueprint.elsewhere == rendered.elsewhere;
        let news = blueprint.revision == rendered.revision && !same;
        if news && blueprint.known == Known::All {
            blueprint.older.rendered = rendered.diagnostics;
            blueprint.elsewhere = rendered.elsewhere;
            blueprint.show(&self.documents, &self.settings);
            self.publish();
        }
        if others {
            self.refresh_views();
        }
    }

    /// Tells the editor what is wrong in each file.
    fn publish(&mut self) {
        let shown: Vec<&Shown> =
            self.blueprints.values().map(|blueprint| &blueprint.shown).collect();
        let agreed = |path: &Utf8Path, it: &lsp::Diagnostic| agreed(&self.blueprints, path, it);
        self.board.publish(&self.documents, self.homes.keys(), &shown, &agreed);
    }

    /// The analysis that answers for a document; for a text of the standard library, any.
    pub(crate) fn place(&self, uri: &lsp::Uri) -> Option<Place> {
        let path = path_of(uri)?;
        let analysis = match self.homes.get(&path) {
            Some(home) => self.blueprints.get(home)?.analysis.clone()?,
            None => self.analyses().find(|analysis| analysis.sources.find(&path).is_some())?,
        };
        let file = analysis.sources.find(&path)?;
        let source = analysis.sources.get(file)?.clone();
        Some(Place { analysis, file, source })
    }

    /// The blueprint that a document is of.
    fn blueprint_of(&self, uri: &lsp::Uri) -> Option<&Blueprint> {
        self.blueprints.get(self.homes.get(&path_of(uri)?)?)
    }

    /// What the blueprint of a document renders to. Of a large one that is known once nobody types for a while.
    pub(crate) fn files(&self, uri: &lsp::Uri, analysis: &Analysis) -> Arc<Files> {
        if !render::is_large(analysis) {
            return Arc::new(Files::new(analysis, &render::rendered(analysis).artifacts));
        }
        self.blueprint_of(uri).map(|it| it.files.clone()).unwrap_or_default()
    }

    /// What targets were known to report of the blueprint of a document when nobody typed.
    pub(crate) fn told_by_targets(&self, uri: &lsp::Uri) -> Vec<slipform_model::Diagnostic> {
        self.blueprint_of(uri).map(|it| it.older.rendered.clone()).unwrap_or_default()
    }

    /// What is reported of the blueprint of a document in its other environments, and has edits.
    pub(crate) fn mends_elsewhere(&self, uri: &lsp::Uri) -> Vec<slipform_model::Diagnostic> {
        self.blueprint_of(uri).map(|it| it.elsewhere.mends.clone()).unwrap_or_default()
    }

    /// The analyses of all open blueprints.
    pub(crate) fn analyses(&self) -> impl Iterator<Item = Arc<Analysis>> {
        self.blueprints.values().filter_map(|blueprint| blueprint.analysis.clone())
    }

    /// Where the open blueprints lie: folders of projects, and files that stand alone.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Utf8Path> {
        self.blueprints.keys().map(Utf8PathBuf::as_path)
    }

    /// How the blueprints are analysed that use a file.
    pub(crate) fn users(&self, path: &Utf8Path) -> impl Iterator<Item = Options> {
        let users = self.blueprints.iter().filter(move |(_, blueprint)| blueprint.reads(path));
        users.map(|(root, _)| project::options(root, &self.settings, &self.documents))
    }

    /// How the blueprint is analysed that a document belongs to.
    pub(crate) fn options(&self, uri: &lsp::Uri) -> Option<Options> {
        let home = self.homes.get(&path_of(uri)?)?;
        Some(project::options(home, &self.settings, &self.documents))
    }
}

/// Whether a file is no blueprint, and says something of those beside it.
fn is_beside(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| [PROJECT_FILE, LOCAL_CATALOG].contains(&name))
}

/// Whether all who use a file say so too: what one of them does not speak of, another may.
fn agreed(
    blueprints: &BTreeMap<Utf8PathBuf, Blueprint>,
    path: &Utf8Path,
    it: &lsp::Diagnostic,
) -> bool {
    let mut users = blueprints.values().filter(|blueprint| blueprint.reads(path));
    !is_idle(it) || users.all(|user| user.shown.get(path).is_some_and(|shown| shown.contains(it)))
}

/// Whether a report says that nobody speaks of something.
fn is_idle(it: &lsp::Diagnostic) -> bool {
    it.tags.as_ref().is_some_and(|tags| tags.contains(&lsp::DiagnosticTag::Unnecessary))
}

/// Whether documents of a blueprint are open other than the one at a path, beside whose texts anything is shown.
fn has_others(
    homes: &BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    root: &Utf8Path,
    path: Option<&Utf8Path>,
) -> bool {
    let mut open = homes.iter().filter(|(open, _)| !is_beside(open));
    open.any(|(open, home)| home == root && Some(open.as_path()) != path)
}

/// The parameters of a notification; one that does not read as the protocol has it is passed over.
fn read<T: DeserializeOwned>(note: Notification) -> Option<T> {
    serde_json::from_value(note.params).ok()
}

#[cfg(test)]
mod tests;
