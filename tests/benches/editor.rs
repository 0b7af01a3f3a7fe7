//! How fast an editor is answered: from a key to the reports, to a hover and to a completion, on one file of 10,000 lines and in
//! a project of 100 files, and what the server holds in memory.
//!
//! `cargo bench --bench editor` runs the release binary as an editor does. With `RUFF=/path/to/ruff`, its server does the same
//! work on as many lines of Python in the same run.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs
)]

mod work;

use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use work::{binary, ground, millis, workload};

/// Keys of each sort: an even number, so that the text ends as it began.
const KEYS: usize = 60;
/// Where the name is that the typed value is given to.
const NAME: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    let folder = std::env::temp_dir().join(format!("slipform-editor-{}", std::process::id()));
    let mut servers: Vec<Server> = vec![(binary(), "lsp", blueprints)];
    servers.extend(std::env::var_os("RUFF").map(|ruff| (ruff.into(), "server", scripts as Make)));
    println!("{KEYS} keys of each sort, in milliseconds: p50 / p99");
    for files in [1, 100] {
        for (program, word, work) in &servers {
            let work = work(files);
            let root = folder.join(format!("{}-{files}", work.language));
            work.write(&root);
            println!("\n{}, {files} x {} lines", work.language, work.text().lines().count());
            measure(&mut Editor::start(program, word, &root), &work, &root);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A program, the word that makes it a server, and what it works on.
type Server = (PathBuf, &'static str, Make);
type Make = fn(usize) -> Work;

fn measure(editor: &mut Editor, work: &Work, root: &Path) {
    let first = editor.open(work, root);
    println!("  first reports                 {:>6.1}", millis(first));
    let (old, new, code) = work.rule;
    let line = u32::try_from(work.line).unwrap();
    for (what, old, new, code) in [
        ("a mistake, to its report", "", "@@@", None),
        ("a rule, to its report", old, new, Some(code)),
    ] {
        let at = work.column(old);
        let keys = (0..KEYS).map(|key| {
            let (from, to) = if key % 2 == 0 { (old, new) } else { (new, old) };
            let start = editor.edit(line, at, from, to);
            editor.told(code.map(|code| (code, key % 2 == 0))) - start
        });
        told(what, keys.collect());
        editor.settle();
    }
    let value = work.column(old);
    for (what, method, at) in [
        ("hover", "textDocument/hover", value),
        ("hover with a value", "textDocument/hover", NAME),
        ("completion", "textDocument/completion", value),
    ] {
        let keys = (0..KEYS).map(|key| {
            let (from, to) = if key % 2 == 0 { (old, "5") } else { ("5", old) };
            let start = editor.edit(line, value, from, to);
            let answered = editor.ask(method, line, at);
            editor.settle();
            answered - start
        });
        told(&format!("{what} after a key"), keys.collect());
    }
    let (all, own) = editor.memory();
    println!(
        "  memory                        {all:>6} MiB, of it {own} its own, the rest parts of the program that were read"
    );
}

fn told(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| millis(times[(part * (times.len() - 1) as f64).round() as usize]);
    println!("  {what:<29} {:>6.1} / {:.1}", at(0.5), at(0.99));
}

/// Files, of which the first is open, and what is typed in it.
struct Work {
    language: &'static str,
    files: Vec<(String, String)>,
    /// The line that is typed in.
    line: usize,
    /// The text on it that is replaced, by what, and the code of the rule that then has something to say.
    rule: (&'static str, &'static str, &'static str),
}

impl Work {
    fn write(&self, root: &Path) {
        std::fs::create_dir_all(root).unwrap();
        for (name, text) in &self.files {
            std::fs::write(root.join(name), text).unwrap();
        }
    }

    fn text(&self) -> &str {
        &self.files[0].1
    }

    /// Where a text stands on the line; the start of the line where it is empty.
    fn column(&self, text: &str) -> u32 {
        let line = self.text().lines().nth(self.line).unwrap();
        u32::try_from(line.rfind(text).filter(|_| !text.is_empty()).unwrap_or(0)).unwrap()
    }
}

/// A fleet of 10,000 lines in all: a file of workloads, and as many others beside that of their cluster.
fn blueprints(files: usize) -> Work {
    let each = 1_250 / files;
    let mut texts = vec![];
    for file in 0..files {
        let mut text = String::from("use ground.{fleet}\n");
        (file * each..(file + 1) * each).for_each(|at| workload(&mut text, at));
        texts.push((format!("part{file}.bp"), text));
    }
    let line = texts[0].1.lines().position(|line| line.ends_with(&format!("v{}\"", each / 2)));
    texts.push(("ground.bp".to_owned(), ground(1_250)));
    texts.push(("slipform.toml".to_owned(), "[project]\nname = \"fleet\"\n".to_owned()));
    let rule = ("4", "400", "capacity/nodes-exceed-pool");
    Work { language: "slipform", files: texts, line: line.unwrap() + 1, rule }
}

/// As many lines of Python.
fn scripts(files: usize) -> Work {
    let each = 1_250 / files;
    let mut texts = vec![];
    for file in 0..files {
        let mut text = String::from("import math\n");
        for at in file * each..(file + 1) * each {
            writeln!(
                text,
                "\ndef work{at}(steps, seed):\n    rate = math.sqrt(seed + {at})\n    total = 4\n    for step in range(steps):\n        total += step * rate\n    names = {{\"run\": \"run-{at}\"}}\n    return total, names"
            )
            .unwrap();
        }
        texts.push((format!("part{file}.py"), text));
    }
    let line = texts[0].1.lines().position(|line| line.ends_with(&format!("seed + {})", each / 2)));
    let rule = ("4", "missing", "F821");
    Work { language: "python", files: texts, line: line.unwrap() + 1, rule }
}

/// A server, and what an editor knows of it.
struct Editor {
    server: Child,
    input: ChildStdin,
    said: Receiver<(Instant, Message)>,
    uri: String,
    version: i32,
    asked: i32,
}

impl Editor {
    fn start(program: &Path, word: &str, root: &Path) -> Self {
        let mut server = Command::new(program)
            .arg(word)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let (say, said) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(message)) = Message::read(&mut output) {
                if say.send((Instant::now(), message)).is_err() {
                    break;
                }
            }
        });
        let uri = String::new();
        let mut editor = Self { server, input, said, uri, version: 1, asked: 0 };
        let folder = format!("file://{}", root.display());
        let folders = json!([{ "uri": folder, "name": "work" }]);
        let capabilities =
            json!({ "textDocument": { "publishDiagnostics": { "versionSupport": true } } });
        editor.request(
            "initialize",
            json!({ "processId": null, "rootUri": folder, "workspaceFolders": folders, "capabilities": capabilities }),
        );
        editor.notify("initialized", json!({}));
        editor
    }

    /// Opens the first file; how long until something is said of it.
    fn open(&mut self, work: &Work, root: &Path) -> Duration {
        self.uri = format!("file://{}", root.join(&work.files[0].0).display());
        let document = json!({ "uri": self.uri, "languageId": work.language, "version": 1, "text": work.text() });
        let start = Instant::now();
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let first = self.told(None) - start;
        self.settle();
        first
    }

    fn edit(&mut self, line: u32, at: u32, from: &str, to: &str) -> Instant {
        self.version += 1;
        let end = at + u32::try_from(from.len()).unwrap();
        let range = json!({ "start": { "line": line, "character": at }, "end": { "line": line, "character": end } });
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "range": range, "text": to }],
        });
        let start = Instant::now();
        self.notify("textDocument/didChange", params);
        start
    }

    /// When reports of the text as it is came; of a rule, when they had it, or had it no more.
    fn told(&mut self, rule: Option<(&str, bool)>) -> Instant {
        loop {
            let (when, message) = self.next();
            let Message::Notification(Notification { method, params }) = message else { continue };
            if method != "textDocument/publishDiagnostics" || params["uri"] != self.uri {
                continue;
            }
            let found = params["diagnostics"].as_array().unwrap();
            let has = |code: &str| found.iter().any(|it| it["code"] == code);
            let of_text = params["version"].as_i64().is_none_or(|it| it == i64::from(self.version));
            if of_text && rule.is_none_or(|(code, wanted)| has(code) == wanted) {
                return when;
            }
        }
    }

    fn ask(&mut self, method: &str, line: u32, at: u32) -> Instant {
        let position = json!({ "line": line, "character": at });
        self.request(method, json!({ "textDocument": { "uri": self.uri }, "position": position }))
    }

    /// Lets the server finish what it has to do for the last key.
    fn settle(&mut self) {
        while self.said.recv_timeout(Duration::from_millis(150)).is_ok() {}
    }

    /// When a request was answered.
    fn request(&mut self, method: &str, params: Value) -> Instant {
        self.asked += 1;
        let id = RequestId::from(self.asked);
        self.send(Request { id: id.clone(), method: method.to_owned(), params }.into());
        loop {
            match self.next() {
                (when, Message::Response(response)) if response.id == id => return when,
                _ => {}
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params }.into());
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.input).unwrap();
    }

    fn next(&mut self) -> (Instant, Message) {
        self.said.recv_timeout(PATIENCE).expect("the server answers in time")
    }

    /// What the server holds in MiB, and how much of it is no part of the program; zero where the system does not tell.
    fn memory(&self) -> (u64, u64) {
        let path = format!("/proc/{}/status", self.server.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let said = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            kib.unwrap_or(0) / 1024
        };
        (said("VmRSS:"), said("RssAnon:"))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
