//! Blueprints written from an empty file by what the editor offers: completions, actions and the layout. What has to be known by heart is
//! counted, and stands in the snapshots.

use super::{MAIN, document, edited, offset};
use crate::client::Editor;
use serde_json::{Value, json};
use std::fmt::Write;
use std::ops::Range;

/// Somebody who writes, with all that an editor does by itself: stops of snippets, and lines that begin below each other.
struct Writer {
    editor: Editor,
    text: String,
    version: i32,
    /// What is selected; empty where the cursor only stands.
    at: Range<usize>,
    /// The stops that come next.
    stops: Vec<Range<usize>>,
    picked: usize,
    acted: usize,
    /// Names, and files and hosts of one's own: nobody else can know them.
    own: Vec<String>,
    /// What somebody has to know by heart.
    memory: Vec<String>,
}

impl Writer {
    fn new(set: &Value) -> Self {
        let snippets = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
        let editor = Editor::started(snippets, json!({ "set": set }));
        editor.open(MAIN, "");
        let (text, at) = (String::new(), 0..0);
        let (stops, own, memory) = (Vec::new(), Vec::new(), Vec::new());
        Self { editor, text, version: 1, at, stops, picked: 0, acted: 0, own, memory }
    }

    /// A completion by its label, in the place of what is selected, up to the first of its stops.
    fn pick(&mut self, label: &str) -> &mut Self {
        self.put("");
        let position = self.position();
        let list = self.editor.at("textDocument/completion", MAIN, &position);
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let labels = || items.iter().map(|it| it["label"].as_str().unwrap()).collect::<Vec<_>>();
        let item = items.iter().find(|it| it["label"] == label);
        let edit = &item
            .unwrap_or_else(|| panic!("no `{label}` in {:?} at\n{}", labels(), self.text))["textEdit"];
        let range =
            offset(&self.text, &edit["range"]["start"])..offset(&self.text, &edit["range"]["end"]);
        let indent = self.indent();
        let (text, stops) =
            expanded(&edit["newText"].as_str().unwrap().replace('\n', &format!("\n{indent}")));
        let start = range.start;
        self.at = range;
        self.put(&text);
        let stops: Vec<Range<usize>> =
            stops.into_iter().map(|it| start + it.start..start + it.end).collect();
        if !stops.is_empty() {
            self.stops.splice(0..0, stops);
            self.next();
        }
        self.picked += 1;
        self
    }

    /// To the next stop, as the key tab.
    fn next(&mut self) -> &mut Self {
        self.at = self.stops.remove(0);
        self
    }

    /// A name of one's own.
    fn named(&mut self, name: &str) -> &mut Self {
        self.own.push(name.to_owned());
        self.put(name)
    }

    /// What nobody offered.
    fn typed(&mut self, text: &str) -> &mut Self {
        self.memory.push(text.to_owned());
        self.put(text)
    }

    /// A line below what the cursor is in: where a block ends in front of it, behind that.
    fn line(&mut self) -> &mut Self {
        let end =
            self.text[self.at.end..].find('\n').map_or(self.text.len(), |at| self.at.end + at);
        let indent = self.indent();
        let deeper = if self.text[..end].ends_with(['{', '[']) { "  " } else { "" };
        self.at = end..end;
        self.stops.clear();
        self.put(&format!("\n{indent}{deeper}"))
    }

    /// Below everything.
    fn below(&mut self) -> &mut Self {
        self.stops.clear();
        self.text.truncate(self.text.trim_end().len());
        self.at = self.text.len()..self.text.len();
        if self.text.is_empty() { self } else { self.put("\n\n") }
    }

    /// Behind something that stands in the text.
    fn go(&mut self, behind: &str) -> &mut Self {
        let at =
            self.text.rfind(behind).unwrap_or_else(|| panic!("no `{behind}` in\n{}", self.text));
        self.stops.clear();
        self.at = at + behind.len()..at + behind.len();
        self
    }

    /// An action at the cursor.
    fn act(&mut self, title: &str) -> &mut Self {
        let position = self.position();
        let params = json!({
            "textDocument": document(), "range": { "start": position, "end": position },
            "context": { "diagnostics": [] },
        });
        let found = self.editor.ask("textDocument/codeAction", params);
        let action = found
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["title"].as_str().unwrap().starts_with(title));
        let action = action.unwrap_or_else(|| panic!("no `{title}` in {found} at\n{}", self.text));
        let edits = action["edit"]["changes"][MAIN].as_array().unwrap();
        self.replaced(edited(&self.text, edits));
        self.acted += 1;
        self
    }

    /// Takes the place of what is selected; a bracket or quotes around it are there already.
    fn put(&mut self, text: &str) -> &mut Self {
        let Range { start, end } = self.at.clone();
        if start == end && text.is_empty() {
            return self;
        }
        let moved = |at: usize| at + text.len() - (end - start);
        for stop in &mut self.stops {
            if stop.start >= end {
                *stop = moved(stop.start)..moved(stop.end);
            }
        }
        let mut whole = self.text.clone();
        whole.replace_range(start..end, text);
        self.replaced(whole);
        self.at = start + text.len()..start + text.len();
        self
    }

    fn replaced(&mut self, text: String) {
        self.version += 1;
        self.text = text;
        self.editor.replace(MAIN, self.version, &self.text);
    }

    fn indent(&self) -> String {
        let line = self.text[..self.at.start].rsplit('\n').next().unwrap_or_default();
        line.chars().take_while(|c| *c == ' ').collect()
    }

    fn position(&self) -> Value {
        let head = &self.text[..self.at.end];
        let column = head.rsplit('\n').next().unwrap_or_default().len();
        json!({ "line": head.matches('\n').count(), "character": column })
    }

    /// Lays the text out, and tells what it took; nothing may be wrong with it, and no more may have been written by heart.
    #[allow(clippy::print_stdout, reason = "whoever runs it reads the counts")]
    fn done(mut self, by_heart: usize) -> String {
        let params = json!({ "textDocument": document(), "options": { "tabSize": 2, "insertSpaces": true } });
        let edits = self.editor.ask("textDocument/formatting", params);
        self.replaced(edited(&self.text.clone(), edits.as_array().unwrap()));
        let found = self.editor.diagnostics(MAIN, self.version);
        assert_eq!(found, Vec::<Value>::new(), "of\n{}", self.text);
        let mut shown = String::new();
        let count = |words: &[String]| words.iter().map(String::len).sum::<usize>();
        writeln!(
            shown,
            "{} characters: {} completions, {} actions",
            self.text.len(),
            self.picked,
            self.acted
        )
        .unwrap();
        writeln!(shown, "of one's own, {} characters: {}", count(&self.own), self.own.join("  "))
            .unwrap();
        writeln!(shown, "by heart, {} characters: {}", count(&self.memory), self.memory.join("  "))
            .unwrap();
        print!("{shown}");
        assert!(count(&self.memory) <= by_heart, "more than {by_heart} characters by heart");
        writeln!(shown, "\n{}", self.text).unwrap();
        shown
    }
}

/// The text of a snippet, and its stops in their order.
fn expanded(snippet: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let mut stops: Vec<(u32, Range<usize>)> = Vec::new();
    let mut rest = snippet;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let next = rest.chars().next().unwrap();
                text.push(next);
                rest = &rest[next.len_utf8()..];
            }
            '$' => {
                let braced = rest.starts_with('{');
                rest = rest.trim_start_matches('{');
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let number: u32 = rest[..digits].parse().unwrap();
                rest = &rest[digits..];
                let start = text.len();
                if braced {
                    let end = rest.find('}').unwrap();
                    let inner = &rest[..end];
                    text.push_str(match inner.strip_prefix('|') {
                        Some(words) => words.split([',', '|']).next().unwrap(),
                        None => inner.trim_start_matches(':'),
                    });
                    rest = &rest[end + 1..];
                }
                stops.push((if number == 0 { u32::MAX } else { number }, start..text.len()));
            }
            c => text.push(c),
        }
    }
    stops.sort_by_key(|(number, _)| *number);
    (text, stops.into_iter().map(|(_, range)| range).collect())
}

/// The project, a bucket, an image and who runs: what every run on Google Cloud has.
fn beginning(writer: &mut Writer, region: &str, from: &str) {
    writer.pick("param").named("project").next().pick("ProjectId");
    writer.below().pick("bucket").named("checkpoints").next().pick(region);
    writer.below().pick("registry").named("images");
    writer.below().pick("image").named("trainer").next().typed(from);
    writer.line().pick("push_to").pick("images");
    writer.below().pick("identity").named("training");
}

/// A network, and a cluster in it, up to its zone.
fn cluster(writer: &mut Writer, zone: &str) {
    writer.below().pick("network").named("fabric");
    writer.next().line().pick("subnet").line().pick("pods").line().pick("services");
    writer.below().pick("cluster on gke").named("place").next().pick("fabric");
    writer.line().pick("zone").pick(zone);
}

/// What a run is, behind its head.
fn run(writer: &mut Writer, launcher: &str) {
    writer.go("image  = ").pick("trainer");
    writer.go("launch = ").pick(launcher).named("/app/train.py");
    writer.line().pick("mounts").pick("checkpoints").line().pick("identity").pick("training");
    writer.line().pick("restarts").named("3");
}

#[test]
fn a_run_on_gpus_of_gke() {
    let mut writer = Writer::new(&json!({ "project": "my-project" }));
    beginning(&mut writer, "us-east4", "nvcr.io/nvidia/pytorch:25.01-py3");
    cluster(&mut writer, "us-east4-a");
    writer.line().pick("pool").named("h100").next().pick("a3-megagpu-8g");
    writer.line().pick("nodes").named("2").line().pick("capacity").put("").pick("spot");
    writer.below().pick("workload").named("pretrain").next().pick("place.h100");
    run(&mut writer, "torchrun");
    insta::assert_snapshot!(writer.done(32));
}

#[test]
fn a_run_on_a_slice_of_tpus_on_gke() {
    let mut writer = Writer::new(&json!({ "project": "my-project" }));
    beginning(&mut writer, "us-west4", "python:3.12-slim-bookworm");
    cluster(&mut writer, "us-west4-a");
    writer.line().pick("pool").named("slice").next().pick("ct5lp-hightpu-4t");
    writer.line().pick("topology").pick("4x4").line().pick("capacity").put("").pick("spot");
    writer.below().pick("workload").named("pretrain").next().pick("place.slice");
    run(&mut writer, "python");
    insta::assert_snapshot!(writer.done(25));
}

#[test]
fn a_run_on_slurm() {
    let mut writer = Writer::new(&json!({}));
    writer.below().pick("filesystem").named("home").next().pick("path").named("/mnt/home");
    writer.below().pick("cluster on slurm").named("hpc");
    writer.go("on slurm {").line().pick("controllers").named("head1(10.0.0.10)");
    writer.line().pick("shared").put("").named("\"/mnt/home\"");
    writer.line().pick("partition").named("gpu").next().pick("hgx-h100").next().named("4");
    writer.line().pick("first_address").named("10.0.1.1");
    writer.below().pick("workload").named("pretrain").next().pick("hpc.gpu");
    writer.go("image  = ").typed("\"nvcr.io/nvidia/pytorch:25.01-py3\"");
    writer.go("launch = ").pick("torchrun").named("/mnt/home/train.py");
    writer.line().pick("mounts").pick("home").line().pick("nodes").put("").named("4");
    writer.line().pick("max_run").put("").pick("1d");
    insta::assert_snapshot!(writer.done(34));
}

#[test]
fn a_run_on_vertex() {
    let mut writer = Writer::new(&json!({ "project": "my-project" }));
    beginning(&mut writer, "us-central1", "nvcr.io/nvidia/pytorch:25.01-py3");
    writer.below().pick("cluster on vertex").named("managed").next().pick("us-central1");
    writer.next().pick("a3-highgpu-8g").line().pick("staging").pick("checkpoints");
    writer.below().pick("workload").named("pretrain").next().pick("managed");
    run(&mut writer, "torchrun");
    writer.line().pick("nodes").put("").named("2");
    writer.go("workload pretrain on man").act("set `fabric = \"off\"`");
    insta::assert_snapshot!(writer.done(32));
}
