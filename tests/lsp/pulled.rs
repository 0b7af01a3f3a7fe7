//! Diagnostics for an editor that asks for them.

use super::client::{Editor, Folder};
use super::{MAIN, SOUND, marked};
use serde_json::{Value, json};

const MISSPELT: &str = "network net {\n  regoin = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n";

fn editor(related: bool) -> Editor {
    Editor::with(json!({
        "textDocument": { "diagnostic": { "relatedDocumentSupport": related } },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    }))
}

fn pull(editor: &mut Editor, uri: &str, previous: &Value) -> Value {
    let mut params = json!({ "textDocument": { "uri": uri }, "identifier": "slipform" });
    if !previous.is_null() {
        params["previousResultId"] = previous.clone();
    }
    editor.ask("textDocument/diagnostic", params)
}

fn pull_all(editor: &mut Editor, previous: &Value) -> Vec<Value> {
    let report = editor.ask("workspace/diagnostic", json!({ "previousResultIds": previous }));
    report["items"].as_array().unwrap().clone()
}

fn codes(report: &Value) -> Vec<&str> {
    report["items"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect()
}

/// How many errors a report has.
fn errors(report: &Value) -> usize {
    report["items"].as_array().unwrap().iter().filter(|it| it["severity"] == 1).count()
}

/// Waits until the server has nothing else to do, and says how often it had the editor ask anew.
fn told_to_ask(editor: &mut Editor, uri: &str) -> usize {
    let start = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": start, "end": start });
    let (document, context) = (json!({ "uri": uri }), json!({ "diagnostics": [] }));
    // mends wait for the rules
    let params = json!({ "textDocument": document, "range": range, "context": context });
    editor.ask("textDocument/codeAction", params);
    let asked = editor.asked.drain(..);
    asked.filter(|request| request.method == "workspace/diagnostic/refresh").count()
}

#[test]
fn who_asks_is_answered_and_not_told_unasked() {
    let mut editor = editor(false);
    let provider = &editor.offered["capabilities"]["diagnosticProvider"];
    assert_eq!(provider["interFileDependencies"], true, "{provider}");
    assert_eq!(provider["workspaceDiagnostics"], true, "{provider}");
    editor.open(MAIN, MISSPELT);
    let first = pull(&mut editor, MAIN, &Value::Null);
    assert_eq!(first["kind"], "full");
    assert!(codes(&first).contains(&"names/unknown-field"), "{first}");
    let again = pull(&mut editor, MAIN, &first["resultId"]);
    assert_eq!(again, json!({ "kind": "unchanged", "resultId": first["resultId"] }));

    editor.replace(MAIN, 2, &MISSPELT.replace("regoin", "region"));
    let mended = pull(&mut editor, MAIN, &first["resultId"]);
    assert_eq!(codes(&mended), Vec::<&str>::new());
    assert_ne!(mended["resultId"], first["resultId"]);
    editor.replace(MAIN, 3, &format!("# why\n{}", MISSPELT.replace("regoin", "region")));
    assert_eq!(pull(&mut editor, MAIN, &mended["resultId"])["kind"], "unchanged");
    assert_eq!(told_to_ask(&mut editor, MAIN), 0, "of what it asks by itself");
    assert!(editor.said.is_empty(), "{:?}", editor.said);
}

#[test]
fn what_another_file_breaks_is_asked_for_anew() {
    let folder = Folder::new("pulled");
    folder.write("slipform.toml", "");
    let (used, shared) = ("use shared.{most}\noutput o = most + 1\n", "let most = 4\n");
    let (main, other) = (folder.write("main.bp", used), folder.write("shared.bp", shared));
    let mut editor = editor(false);
    editor.open(&main, used);
    editor.open(&other, shared);
    for uri in [&main, &other] {
        assert_eq!(errors(&pull(&mut editor, uri, &Value::Null)), 0);
    }
    told_to_ask(&mut editor, &main);
    editor.replace(&other, 2, "let least = 4\n");
    pull(&mut editor, &other, &Value::Null);
    assert_ne!(told_to_ask(&mut editor, &main), 0);
    assert_ne!(errors(&pull(&mut editor, &main, &Value::Null)), 0);
    assert_eq!(told_to_ask(&mut editor, &main), 0);
}

#[test]
fn files_that_are_not_open_are_told_of_with_all_and_beside_one() {
    let folder = Folder::new("pulled-closed");
    let toml = folder.write("slipform.toml", "[params]\nsizes = 2\n");
    let used = "use shared.{most}\nparam size: int = 1\noutput o = most + size\n";
    let main = folder.write("main.bp", used);
    let other = folder.write("shared.bp", "let most = nowhere\n");
    let mut editor = editor(true);
    editor.open(&main, used);
    let report = pull(&mut editor, &main, &Value::Null);
    let related = report["relatedDocuments"].as_object().unwrap();
    assert_eq!(codes(&related[&other]), ["names/unknown"], "{report}");
    assert!(related.contains_key(&toml), "{report}");
    let report = pull(&mut editor, &main, &report["resultId"]);
    assert_eq!(report["relatedDocuments"], Value::Null, "the editor has them: {report}");

    let all = pull_all(&mut editor, &json!([]));
    let mut uris: Vec<&str> = all.iter().map(|it| it["uri"].as_str().unwrap()).collect();
    uris.sort_unstable();
    assert_eq!(uris, [main.as_str(), other.as_str(), toml.as_str()]);
    let known: Vec<Value> =
        all.iter().map(|it| json!({ "uri": it["uri"], "value": it["resultId"] })).collect();
    let kinds = pull_all(&mut editor, &json!(known));
    assert!(kinds.iter().all(|it| it["kind"] == "unchanged"), "{kinds:?}");

    folder.write("shared.bp", "let most = 16\n");
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let mended = pull_all(&mut editor, &json!(known));
    let mended = mended.iter().find(|it| it["uri"] == other.as_str()).unwrap();
    assert_eq!(mended["kind"], "full");
    assert_eq!(mended["items"], json!([]));
    assert!(editor.said.is_empty(), "{:?}", editor.said);
}

#[test]
fn what_is_found_late_is_asked_for_anew() {
    let mut text = marked(SOUND).0;
    for at in 0..120 {
        text.push_str(&format!("bucket b{at} {{\n  location = \"us-east4\"\n}}\n"));
    }
    let mut editor = editor(false);
    editor.open(MAIN, &text);
    assert_eq!(codes(&pull(&mut editor, MAIN, &Value::Null)), Vec::<&str>::new());
    told_to_ask(&mut editor, MAIN);
    editor.replace(MAIN, 2, &text.replace("  image  =", "  nodes = 400\n  image  ="));
    let early = pull(&mut editor, MAIN, &Value::Null);
    let asked = told_to_ask(&mut editor, MAIN);
    let all = pull(&mut editor, MAIN, &Value::Null);
    assert!(!codes(&all).is_empty(), "{all}");
    // Who asks while nothing else waits is told of everything at once.
    assert!(asked > 0 || codes(&early) == codes(&all), "{early}");
}
