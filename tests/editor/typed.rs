//! What is typed: comments go on, lines are joined, things change places, what is no longer to be had is struck out.

use super::{FLEET, MAIN, document, edited, opened};
use crate::client::{Editor, Folder};
use serde_json::{Value, json};

/// The text once a request's edits are made.
fn made(text: &str, method: &str, params: impl Fn(&[Value]) -> Value) -> String {
    let (mut editor, text, marks) = opened(text);
    let found = editor.ask(method, params(&marks));
    edited(&text, found.as_array().map_or(&[], Vec::as_slice))
}

fn joined(text: &str) -> String {
    made(text, "experimental/joinLines", |marks| {
        let range = json!({ "start": marks[0], "end": marks.last() });
        json!({ "textDocument": document(), "ranges": [range] })
    })
}

fn moved(text: &str, direction: &str) -> String {
    made(text, "experimental/moveItem", |marks| {
        let range = json!({ "start": marks[0], "end": marks[0] });
        json!({ "textDocument": document(), "range": range, "direction": direction })
    })
}

#[test]
fn lines_are_joined_as_what_they_are_in_is_written_in_one() {
    for (text, one) in [
        ("let a = [<1>\n  1,\n  2,\n<2>]\n", "let a = [1, 2]\n"),
        ("let a = {<1>\n  b = 1\n  c = 2\n<2>}\n", "let a = { b = 1, c = 2 }\n"),
        ("let a = max(<1>\n  1,\n  2,\n<2>)\n", "let a = max(1, 2)\n"),
        ("let a = 1 +<1>\n  2\n", "let a = 1 + 2\n"),
        ("bucket b {<1>\n  location = \"US\"\n<2>}\n", "bucket b { location = \"US\" }\n"),
        ("## What<1> it is\n## and why.\nlet a = 1\n", "## What it is and why.\nlet a = 1\n"),
        ("# one<1>\n# two\n", "# one two\n"),
        // a remark takes the rest of its line, and two statements are none in one
        ("let a = [ # all<1>\n  1,\n]\n", "let a = [ # all\n  1,\n]\n"),
        ("let a<1> = 1\nlet b = 2\n", "let a = 1\nlet b = 2\n"),
        ("let a = \"\"\"<1>\n  one\n  two\n  \"\"\"\n", "let a = \"\"\"\n  one\n  two\n  \"\"\"\n"),
    ] {
        assert_eq!(joined(text), one);
    }
}

#[test]
fn what_stands_in_a_row_changes_places() {
    let list = "let a = [1, 2, <1>3]\n";
    assert_eq!(moved(list, "Up"), "let a = [1, 3, 2]\n");
    assert_eq!(moved(list, "Down"), "let a = [1, 2, 3]\n");
    let nouns = "## One.\nlet a = 1 # first\n\n# of two\n## Two.\nlet <1>b = 2\n";
    let other = "# of two\n## Two.\nlet b = 2\n\n## One.\nlet a = 1 # first\n";
    assert_eq!(moved(nouns, "Up"), other);
    let fields = "bucket b {\n  <1>location = \"US\"\n  versioning = true\n}\n";
    let other = "bucket b {\n  versioning = true\n  location = \"US\"\n}\n";
    assert_eq!(moved(fields, "Down"), other);
    let branches = "let c = true\nif c {\n  let a = <1>1\n} else {\n  let b = 2\n}\n";
    assert_eq!(moved(branches, "Down"), branches.replace("<1>", ""));
}

#[test]
fn a_comment_goes_on_in_the_line_below() {
    let typed = |text: &str| {
        made(text, "textDocument/onTypeFormatting", |marks| {
            let options = json!({ "tabSize": 2, "insertSpaces": true });
            json!({ "textDocument": document(), "position": marks[0], "ch": "\n", "options": options })
        })
    };
    for (text, then) in [
        ("## What\n<1>\nlet a = 1\n", "## What\n## \nlet a = 1\n"),
        ("# one\n# two\n<1>\nlet a = 1\n", "# one\n# two\n# \nlet a = 1\n"),
        ("# one\n<1>two\nlet a = 1\n", "# one\n# two\nlet a = 1\n"),
        ("# one\n<1>\nlet a = 1\n", "# one\n\nlet a = 1\n"),
        ("## What\n## <1>it is\nlet a = 1\n", "## What\n## it is\nlet a = 1\n"),
        ("let a = 1\n<1>\n", "let a = 1\n\n"),
    ] {
        assert_eq!(typed(text), then);
    }
    let entered = |text: &str| {
        made(
            text,
            "experimental/onEnter",
            |marks| json!({ "textDocument": document(), "position": marks[0] }),
        )
    };
    assert_eq!(entered("  ## What<1> it\nlet a = 1\n"), "  ## What\n  ## it\nlet a = 1\n");
    assert_eq!(entered("let a = 1<1>\n"), "let a = 1\n");
}

#[test]
fn commands_of_a_project_and_of_its_tests_are_known() {
    let folder = Folder::new("runnables");
    folder.write("slipform.toml", "");
    let main = folder.write("main.bp", FLEET);
    let text = "## All holds.\ntest \"budget\" {\n}\n";
    let tests = folder.write("tests/fleet.test.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, FLEET);
    editor.open(&tests, text);
    let mut labels = |uri: &str| -> Vec<String> {
        let found = editor.ask("experimental/runnables", json!({ "textDocument": { "uri": uri } }));
        let label = |it: &Value| it["label"].as_str().unwrap().to_owned();
        found.as_array().unwrap().iter().map(label).collect()
    };
    assert_eq!(labels(&main), ["slipform check .", "slipform build .", "slipform test"]);
    assert_eq!(labels(&tests), ["slipform test fleet::", "slipform test fleet::budget"]);
}

#[test]
fn commands_of_lenses_are_carried_out_for_editors_that_do_not() {
    let folder = Folder::new("commands");
    folder.write("slipform.toml", "[env.dev]\n\n[env.prod]\n");
    let main = folder.write("main.bp", FLEET);
    let mut editor =
        Editor::started(json!({ "window": { "showDocument": { "support": true } } }), Value::Null);
    let offered = &editor.offered["capabilities"]["executeCommandProvider"]["commands"];
    assert_eq!(offered.as_array().unwrap().len(), 3);
    editor.open(&main, FLEET);
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": main } }));
    let run = |editor: &mut Editor, command: &str, part: &str| {
        let lens = lenses.as_array().unwrap().iter().find(|it| {
            let title = it["command"]["title"].as_str().unwrap();
            it["command"]["command"] == command && title.contains(part)
        });
        let command = &lens.expect(part)["command"];
        editor.asked.clear();
        editor.ask("workspace/executeCommand", command.clone());
        editor.asked.iter().find(|it| it.method.starts_with("window/")).cloned().expect("a request")
    };
    let asked = run(&mut editor, "slipform.chooseEnvironment", "environment: ");
    assert_eq!(asked.method, "window/showMessageRequest");
    assert_eq!(asked.params["actions"], json!([{ "title": "dev" }, { "title": "prod" }]));
    editor.answer(asked.id, json!({ "title": "prod" }));
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": main } }));
    assert_eq!(lenses[0]["command"]["title"], "environment: prod");
    let asked = run(&mut editor, "slipform.showReferences", "used by 1 cluster");
    assert_eq!(
        (asked.method.as_str(), &asked.params["uri"]),
        ("window/showDocument", &json!(main))
    );
    // who says that it carries them out is not offered to have it done
    let own = json!({ "experimental": { "commands": { "commands": [
        "slipform.showArtifacts", "slipform.showReferences", "slipform.chooseEnvironment",
    ] } } });
    let editor = Editor::with(own);
    assert_eq!(editor.offered["capabilities"]["executeCommandProvider"], Value::Null);
}

#[test]
fn there_is_a_page_that_says_more() {
    let page = |text: &str| {
        let (mut editor, _, marks) = opened(text);
        let params = json!({ "textDocument": document(), "position": marks[0] });
        editor.ask("experimental/externalDocs", params)
    };
    let patched = FLEET.replace(
        "  nodes  = 4\n",
        "  nodes  = 4\n  patch jobset {\n    spec = { sus<1>pend = true }\n  }\n",
    );
    assert!(page(&patched).as_str().unwrap().starts_with("https://"), "{}", page(&patched));
    assert_eq!(page("output o = noth<1>ing\n"), json!("slipform://explain/names/unknown"));
    assert_eq!(page("let a<1> = 1\n"), Value::Null);
}

#[test]
fn what_is_no_longer_to_be_had_is_struck_out() {
    let pool = |gpu: &str| {
        FLEET
            .replace("\"us-east4-a\"", "\"us-east4-c\"")
            .replace("\"a3-megagpu-8g\"", &format!("\"n1-standard-8\"\n    gpus = {gpu}"))
    };
    let mut editor = Editor::new();
    let text = pool("attached(\"p100\", 1)");
    editor.open(MAIN, &text);
    let found = editor.diagnostics(MAIN, 1);
    let gone = found.iter().find(|it| it["code"] == "gpu/gone").expect("a report");
    assert_eq!(gone["tags"], json!([2]));
    assert_eq!(super::within(&text, &gone["range"]), "attached(\"p100\", 1)");
    let (mut editor, _, marks) = opened(&pool("attached(\"<1>\", 1)"));
    let params = json!({ "textDocument": document(), "position": marks[0] });
    let found = editor.ask("textDocument/completion", params);
    let tags = |label: &str| {
        let items = found["items"].as_array().unwrap();
        let item = items.iter().find(|it| it["label"].as_str().unwrap().contains(label));
        item.expect("a word")["tags"].clone()
    };
    assert_eq!((tags("p100"), tags("v100")), (json!([1]), Value::Null));
}

#[test]
fn a_component_by_another_name_is_known_by_what_it_declares() {
    let folder = Folder::new("another-name");
    folder.write("slipform.toml", "");
    let store = "component model_store {\n  region: Region\n  size: int = 1\n  bucket checkpoints {\n    location = region\n  }\n}\n";
    let parts = folder.write("parts/store.bp", store);
    let text = "use parts.store.{model_store as shop}\nlet half = 2\nshop llama {\n  region = \"us-east4\"\n  size = half * 2\n}\noutput o = llama.checkpoints.url\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    let place = |position: &Value| json!({ "textDocument": { "uri": main }, "position": position });
    let found = editor.ask("textDocument/definition", place(&at(6, 20)));
    assert_eq!((&found["uri"], &found["range"]["start"]), (&json!(parts), &at(3, 9)));
    let mut rename = |position: Value| {
        let mut params = place(&position);
        params["newName"] = json!("other");
        editor.ask("textDocument/rename", params)["changes"].clone()
    };
    let edits = rename(at(6, 20));
    let changed =
        |edits: &Value, uri: &str, text: &str| edited(text, edits[uri].as_array().unwrap());
    assert_eq!(changed(&edits, &main, text), text.replace("llama.checkpoints", "llama.other"));
    assert_eq!(changed(&edits, &parts, store), store.replace("bucket checkpoints", "bucket other"));
    let edits = rename(at(2, 1));
    assert_eq!(changed(&edits, &main, text), text.replace("shop", "other"));
    let range = json!({ "start": at(0, 0), "end": at(7, 0) });
    let params = json!({ "textDocument": { "uri": main }, "range": range });
    let hints = editor.ask("textDocument/inlayHint", params);
    assert_eq!(hints[0]["label"], "= 4");
    let hover = editor.hover(&main, &at(6, 20));
    assert!(hover.contains("bucket checkpoints"), "{hover}");
}

#[test]
fn members_of_files_and_of_what_is_walked_say_what_they_are() {
    let folder = Folder::new("members");
    folder.write("slipform.toml", "");
    folder.write("words.bp", "## What is said.\nlet greeting = \"hello\"\n");
    let text = "use words\nlet stages = [{ nodes = 2 }]\noutput o = words.greeting\nfor stage in stages {\n  bucket b {\n    location = \"us-east4\"\n    soft_delete = if stage.nodes > 1 { 7d } else { 0s }\n  }\n}\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let hover = editor.hover(&main, &json!({ "line": 2, "character": 20 }));
    assert!(hover.contains("What is said.") && hover.contains("greeting = \"hello\""), "{hover}");
    let at = json!({ "line": 3, "character": 5 });
    let found = editor
        .ask("textDocument/definition", json!({ "textDocument": { "uri": main }, "position": at }));
    assert_eq!(found["range"]["start"], json!({ "line": 3, "character": 4 }));
    let hover = editor.hover(&main, &json!({ "line": 6, "character": 28 }));
    assert!(hover.contains("nodes: int"), "{hover}");
}

#[test]
fn a_word_of_a_parameter_says_what_it_is_of() {
    let (mut editor, _, marks) = opened(
        "## How it runs: `fast` or `slow`.\nparam mode: \"fa<1>st\" | \"slow\" = \"fast\"\noutput o = mode\n",
    );
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("\"fast\"") && hover.contains("How it runs"), "{hover}");
}
