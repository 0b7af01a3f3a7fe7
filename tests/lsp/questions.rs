//! Answers that depend on how a question is put: by whom, of how large a text, with which ends of lines.

use super::client::{Editor, Folder, marked};
use super::{MAIN, NETWORK, SOUND};
use serde_json::{Value, json};

fn opened(text: &str) -> (Editor, Vec<Value>) {
    let (text, marks) = marked(text);
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    editor.diagnostics(MAIN, 1);
    (editor, marks)
}

/// What can be done between the first mark and the last.
fn actions(editor: &mut Editor, marks: &[Value], only: &Value) -> Vec<Value> {
    let mut context = json!({ "diagnostics": [] });
    if !only.is_null() {
        context["only"] = only.clone();
    }
    let range = json!({ "start": marks.first(), "end": marks.last() });
    let params = json!({ "textDocument": { "uri": MAIN }, "range": range, "context": context });
    editor.ask("textDocument/codeAction", params).as_array().unwrap().clone()
}

fn titles(actions: &[Value]) -> Vec<&str> {
    actions.iter().map(|it| it["title"].as_str().unwrap()).collect()
}

#[test]
fn the_empty_kind_asks_for_all_that_can_be_done() {
    let (mut editor, marks) =
        opened("network net {\n  re<1>goin = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n");
    let all = actions(&mut editor, &marks, &json!([""]));
    let kinds: Vec<&Value> = all.iter().map(|it| &it["kind"]).collect();
    assert!(kinds.contains(&&json!("quickfix")), "{kinds:?}");
    assert!(kinds.contains(&&json!("source.fixAll.slipform")), "{kinds:?}");
}

#[test]
fn refactorings_of_a_large_blueprint_are_there_for_who_asks() {
    let mut text = SOUND.replace("region = \"us-east4\"", "region = <21>\"us-east4\"<22>");
    for at in 0..120 {
        text.push_str(&format!("bucket b{at} {{\n  location = \"us-east4\"\n}}\n"));
    }
    let (mut editor, marks) = opened(&text);
    let marks = marks.get(marks.len() - 2..).unwrap();
    assert_eq!(titles(&actions(&mut editor, marks, &Value::Null)), Vec::<&str>::new());
    let asked = actions(&mut editor, marks, &json!(["refactor"]));
    assert_eq!(asked[0]["kind"], "refactor.extract", "{asked:?}");
}

#[test]
fn mends_have_the_ends_of_lines_of_the_text() {
    let (mut editor, marks) = opened("network n<1>et {\r\n}\r\n");
    let mends = actions(&mut editor, &marks, &json!(["quickfix"]));
    let edits = mends.iter().flat_map(|it| it["edit"]["changes"][MAIN].as_array().unwrap().clone());
    let texts: Vec<String> = edits.map(|it| it["newText"].as_str().unwrap().to_owned()).collect();
    assert!(texts.iter().any(|text| text.contains("\r\n")), "{texts:?}");
    assert!(texts.iter().all(|text| !text.replace("\r\n", "").contains('\n')), "{texts:?}");
}

#[test]
fn a_part_may_end_behind_all_lines() {
    let (mut editor, _) = opened("let a   = 1\noutput o = a\n");
    let end = json!({ "line": u32::MAX, "character": u32::MAX });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let params = json!({ "textDocument": { "uri": MAIN }, "range": range });
    let edits = editor.ask("textDocument/rangeFormatting", params);
    assert_eq!(edits[0]["newText"], "let a = 1\n", "{edits}");
}

#[test]
fn options_of_sbatch_that_are_written_are_not_offered_again() {
    let text = format!(
        "{NETWORK}cluster s on slurm {{\n  network = net\n  zone = \"us-east4-a\"\n  partition gpus {{\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }}\n}}\nworkload w on s.gpus {{\n  image = \"nvcr.io/nvidia/nemo:24.07\"\n  launch = torchrun(\"a.py\")\n  patch sbatch {{\n    cpus_<2>per_task = 3\n    <1>\n  }}\n}}\n"
    );
    let (mut editor, marks) = opened(&text);
    let list = editor.at("textDocument/completion", MAIN, &marks[0]);
    let items = list["items"].as_array().unwrap().iter();
    let labels: Vec<&str> = items.map(|item| item["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"gpus_per_node"), "{labels:?}");
    assert!(!labels.contains(&"cpus_per_task"), "{labels:?}");
    let hover = editor.hover(MAIN, &marks[1]);
    assert!(hover.contains("cpus_per_task: a value"), "{hover}");
    let value = text.replace("cpus_<2>per_task = 3", "cpus_per_task = <2>");
    let (mut editor, marks) = opened(&format!("let cores = 4\n{value}"));
    let list = editor.at("textDocument/completion", MAIN, &marks[1]);
    let items = list["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["label"] == "cores"), "values have names: {items:?}");
}

#[test]
fn columns_of_colours_are_counted_along_the_line() {
    let text = "let é = \"\u{e9}\u{1F600}\" + \"x\"\nlet b = 2\n";
    let (mut editor, _) = opened(text);
    let found =
        editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": MAIN } }));
    let data: Vec<u64> =
        found["data"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let mut places = Vec::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        places.push((line, column, token[2]));
    }
    let string = places.iter().position(|place| *place == (0, 8, 5)).expect("the first text");
    assert!(places[string..].contains(&(0, 16, 3)), "{places:?}");
    assert!(places.contains(&(1, 0, 3)) && places.contains(&(1, 8, 1)), "{places:?}");
}

#[test]
fn who_opens_files_alone_is_led_to_copies_of_the_library() {
    let folder = Folder::new("copies");
    let mut editor = Editor::of_files(&folder.0);
    let (text, marks) = marked("use std.components.{nccl<1>_test}\nbucket data {\n}\n");
    editor.open(MAIN, &text);
    let reported = editor.diagnostics(MAIN, 1).len();
    let found = editor.at("textDocument/definition", MAIN, &marks[0]);
    let copy = found["uri"].as_str().or(found[0]["uri"].as_str());
    let copy = copy.or(found[0]["targetUri"].as_str()).unwrap().to_owned();
    let within = folder.uri("slipform");
    assert!(copy.starts_with(&within) && copy.ends_with("/std/components/nccl_test.bp"), "{found}");
    let links = editor.ask("textDocument/documentLink", json!({ "textDocument": { "uri": MAIN } }));
    assert!(links[0]["target"].as_str().unwrap().ends_with("/std/components/nccl_test.bp"));
    let file = copy.strip_prefix("file://").unwrap();
    let library = std::fs::read_to_string(file).unwrap();
    // there it is what it is elsewhere: nothing is wrong with it, and names lead on
    editor.open(&copy, &library);
    let line = library.lines().position(|line| line.starts_with("component nccl_test")).unwrap();
    let hover = editor.at("textDocument/hover", &copy, &json!({ "line": line, "character": 12 }));
    assert!(hover["contents"]["value"].as_str().unwrap().contains("nccl_test"), "{hover}");
    editor.replace(MAIN, 2, &text);
    assert_eq!(editor.diagnostics(MAIN, 2).len(), reported);
    assert!(editor.said.iter().all(|note| note.params["uri"] != copy), "{:?}", editor.said);
}
