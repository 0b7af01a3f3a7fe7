//! An editor, as the server sees one.

#![allow(dead_code, reason = "each of the tests uses a part")]

use camino::Utf8PathBuf;
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use slipform_lsp::Goodbye;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// An editor with a server of its own. What the server says unasked is kept until it is looked at.
pub(crate) struct Editor {
    pub(crate) connection: Connection,
    server: Option<JoinHandle<Result<Goodbye, String>>>,
    next: i32,
    pub(crate) said: Vec<Notification>,
    /// What the server asked for.
    pub(crate) asked: Vec<Request>,
    /// What the server answered to `initialize`.
    pub(crate) offered: Value,
}

impl Editor {
    pub(crate) fn new() -> Self {
        Self::with(json!({ "general": { "positionEncodings": ["utf-16"] } }))
    }

    pub(crate) fn with(capabilities: Value) -> Self {
        Self::started(capabilities, Value::Null)
    }

    /// An editor that hands over options when it starts the server.
    pub(crate) fn started(capabilities: Value, options: Value) -> Self {
        Self::beside(None, capabilities, options)
    }

    /// An editor that says of itself nothing, and files of the library are copied to a folder for it.
    pub(crate) fn of_files(copies: &Path) -> Self {
        let copies = copies.to_path_buf().try_into().unwrap();
        Self::beside(Some(copies), json!({}), Value::Null)
    }

    fn beside(copies: Option<Utf8PathBuf>, capabilities: Value, options: Value) -> Self {
        let (server, connection) = Connection::memory();
        let server = std::thread::spawn(move || slipform_lsp::run(server, copies));
        let mut editor = Self {
            connection,
            server: Some(server),
            next: 0,
            said: Vec::new(),
            asked: Vec::new(),
            offered: Value::Null,
        };
        let params = json!({
            "processId": null, "rootUri": null, "capabilities": capabilities, "initializationOptions": options,
        });
        editor.offered = editor.ask("initialize", params);
        editor.tell("initialized", json!({}));
        editor
    }

    pub(crate) fn tell(&self, method: &str, params: Value) {
        self.connection.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
    }

    /// Answers what the server asked for.
    pub(crate) fn answer(&self, id: lsp_server::RequestId, result: Value) {
        self.connection.sender.send(lsp_server::Response::new_ok(id, result).into()).unwrap();
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The answer, or why there is none.
    pub(crate) fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.next += 1;
        let id = self.next;
        self.connection
            .sender
            .send(Request::new(id.into(), method.to_owned(), params).into())
            .unwrap();
        loop {
            match self.receive() {
                Message::Response(response) => {
                    assert_eq!(response.id, id.into());
                    return response.response_result.map_err(|error| error.message);
                }
                Message::Notification(note) => self.said.push(note),
                Message::Request(request) => self.asked.push(request),
            }
        }
    }

    pub(crate) fn receive(&self) -> Message {
        self.connection.receiver.recv_timeout(PATIENCE).expect("the server says something")
    }

    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "slipform", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn replace(&self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, json!([{ "text": text }]));
    }

    pub(crate) fn change(&self, uri: &str, version: i32, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// The diagnostics of a version of a document.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        loop {
            let found = self.said.iter().position(|note| {
                note.method == "textDocument/publishDiagnostics"
                    && note.params["uri"] == uri
                    && note.params["version"] == version
            });
            if let Some(at) = found {
                let note = self.said.remove(at);
                return note.params["diagnostics"].as_array().unwrap().clone();
            }
            match self.receive() {
                Message::Notification(note) => self.said.push(note),
                Message::Request(request) => self.asked.push(request),
                other @ Message::Response(_) => panic!("unexpected: {other:?}"),
            }
        }
    }

    pub(crate) fn at(&mut self, method: &str, uri: &str, position: &Value) -> Value {
        self.ask(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// The server ends, and ends well.
    pub(crate) fn ends(&mut self) {
        self.tell("exit", Value::Null);
        let ended = self.server.take().unwrap().join().expect("the server does not panic");
        assert_eq!(ended, Ok(Goodbye::Said));
    }

    pub(crate) fn hover(&mut self, uri: &str, position: &Value) -> String {
        let hover = self.at("textDocument/hover", uri, position);
        hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Editor {
    /// Says goodbye, where that was not said: the server must end, and end well.
    fn drop(&mut self) {
        if !std::thread::panicking() && self.server.is_some() {
            self.ask("shutdown", Value::Null);
            self.ends();
        }
    }
}

/// A folder that is removed again.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("slipform-lsp-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        uri(&path)
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        uri(&self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A text without its marks, and the position of each mark, in UTF-16.
pub(crate) fn marked(text: &str) -> (String, Vec<Value>) {
    let mut plain = String::new();
    let mut marks: Vec<(usize, Value)> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (head, tail) = rest.split_at(start);
        plain.push_str(head);
        let number = tail[1..]
            .find('>')
            .and_then(|end| tail[1..=end].parse::<usize>().ok().map(|n| (n, end)));
        match number {
            Some((number, end)) => {
                let line = plain.matches('\n').count();
                let column = plain.rsplit('\n').next().unwrap().encode_utf16().count();
                marks.push((number, json!({ "line": line, "character": column })));
                rest = &tail[end + 2..];
            }
            None => {
                plain.push('<');
                rest = &tail[1..];
            }
        }
    }
    plain.push_str(rest);
    marks.sort_by_key(|(number, _)| *number);
    (plain, marks.into_iter().map(|(_, position)| position).collect())
}
