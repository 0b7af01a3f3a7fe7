//! Which blueprint answers for a file, with which settings, and when an editor is told to ask anew.

use super::client::{Editor, Folder};
use serde_json::{Value, json};

/// How many places speak of what stands at a position.
fn uses(editor: &mut Editor, uri: &str, line: u32, character: u32) -> Vec<String> {
    let params = json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": character },
        "context": { "includeDeclaration": false },
    });
    let found = editor.ask("textDocument/references", params);
    let places = found.as_array().cloned().unwrap_or_default();
    places.iter().map(|it| it["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_file_without_a_project_belongs_to_the_one_that_uses_it() {
    let folder = Folder::new("without-project");
    let (using, shared) =
        ("use b.{shared}\nlet x = shared + 1\noutput o = x\n", "let shared = 3\n");
    let (a, b) = (folder.write("a.bp", using), folder.write("b.bp", shared));
    let mut editor = Editor::new();
    editor.open(&b, shared);
    assert_eq!(editor.diagnostics(&b, 1)[0]["code"], "names/unused");
    editor.open(&a, using);
    assert_eq!(uses(&mut editor, &b, 0, 5), [a.clone(), a.clone()]);
    assert_eq!(editor.diagnostics(&b, 1), Vec::<Value>::new());
    let params = json!({
        "textDocument": { "uri": b }, "position": { "line": 0, "character": 5 }, "newName": "common",
    });
    let edit = editor.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][&a].as_array().unwrap().len(), 2, "{edit}");
    let found = editor.ask("workspace/symbol", json!({ "query": "shared" }));
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");

    editor.replace(&a, 2, "let x = 1\noutput o = x\n");
    assert_eq!(uses(&mut editor, &b, 0, 5), Vec::<String>::new());
}

#[test]
fn files_that_use_one_another_in_a_row_have_one_home() {
    let folder = Folder::new("row");
    let texts = ["let x = 1\n", "use a.{x}\nlet y = x\n", "use b.{y}\noutput o = y\n"];
    let [a, b, c] =
        [("a.bp", 0), ("b.bp", 1), ("c.bp", 2)].map(|(name, at)| folder.write(name, texts[at]));
    let mut editor = Editor::new();
    for (uri, text) in [&a, &b, &c].into_iter().zip(texts) {
        editor.open(uri, text);
    }
    assert_eq!(uses(&mut editor, &a, 0, 4), [b.clone(), b.clone()]);
    assert_eq!(uses(&mut editor, &b, 1, 4), [c.clone(), c.clone()]);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": c } }));
    assert_eq!(uses(&mut editor, &a, 0, 4), [b.clone(), b]);
}

#[test]
fn a_file_that_two_use_is_nobodys_alone() {
    let folder = Folder::new("two-use");
    let texts = [
        "use shared.{one}\noutput o = one\n",
        "use shared.{two}\noutput o = two\n",
        "let one = 1\nlet two = 2\nlet three = 3\n",
    ];
    let [a, c, shared] = ["a.bp", "c.bp", "shared.bp"].map(|name| folder.uri(name));
    let mut editor = Editor::new();
    for (uri, text) in [&a, &c, &shared].into_iter().zip(texts) {
        editor.open(uri, text);
    }
    // Known of all three.
    editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": shared } }));
    editor.replace(&shared, 2, &format!("{}# end\n", texts[2]));
    editor.ask("workspace/symbol", json!({ "query": "" }));
    let told = editor.diagnostics(&shared, 2);
    let pale: Vec<&Value> = told.iter().map(|it| &it["range"]["start"]["line"]).collect();
    assert_eq!(pale, [2], "{told:?}");
    let rename = |line: u32| json!({ "textDocument": { "uri": shared }, "position": { "line": line, "character": 4 }, "newName": "new" });
    let edit = editor.ask("textDocument/rename", rename(0));
    assert_eq!(edit["changes"][&a].as_array().unwrap().len(), 2, "{edit}");
    let edit = editor.ask("textDocument/rename", rename(1));
    let count = |uri: &str| edit["changes"][uri].as_array().map_or(0, Vec::len);
    assert_eq!([&a, &c, &shared].map(|uri| count(uri)), [0, 2, 1], "{edit}");

    editor.replace(&c, 2, "use shared.{two}\nlet new = two\noutput o = new\n");
    let why = editor.try_ask("textDocument/rename", rename(1)).unwrap_err();
    assert!(why.starts_with("`new` would not do in the blueprint `c.bp`: "), "{why}");
}

#[test]
fn settings_that_are_not_spoken_of_stay() {
    let folder = Folder::new("settings");
    folder.write("slipform.toml", "[env.dev.params]\nsize = 1\n\n[env.prod.params]\nsize = 3\n");
    let text =
        "param size: int\nparam more: int = 0\nlet total = size * 100 + more\noutput x = total\n";
    let main = folder.write("main.bp", text);
    let options = json!({ "environment": "prod", "set": { "more": 5 } });
    let mut editor = Editor::started(json!({}), options);
    editor.open(&main, text);
    let mut total = |settings: Value| {
        editor.tell("workspace/didChangeConfiguration", json!({ "settings": settings }));
        let hover = editor.hover(&main, &json!({ "line": 2, "character": 6 }));
        hover
            .split("total = ")
            .nth(1)
            .unwrap()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    assert_eq!(total(Value::Null), "305");
    assert_eq!(total(json!({ "editor": { "tabSize": 2 } })), "305");
    assert_eq!(total(json!({ "slipform": { "environment": "dev" } })), "105");
    assert_eq!(total(json!({ "slipform": { "set": { "more": "7" } } })), "107");
    assert_eq!(total(json!({ "slipform": { "environment": "prod", "set": {} } })), "300");
}

/// The requests to ask anew that came since the last time.
fn refreshes(editor: &mut Editor, uri: &str) -> Vec<String> {
    // An answer for which all has to be known comes behind them.
    let start = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": start, "end": start }, "context": { "diagnostics": [] },
    });
    editor.ask("textDocument/codeAction", params);
    editor.asked.drain(..).map(|request| request.id.to_string()).collect()
}

#[test]
fn what_stands_beside_other_documents_is_asked_for_anew_once() {
    let folder = Folder::new("beside");
    let project = "[project]\nname = \"p\"\n\n[params]\nsize = 2\n";
    let text = "use shared.two.{more}\nparam size: int = 1\nlet a = size * more\noutput o = a\n";
    let toml = folder.write("slipform.toml", project);
    let two = folder.write("shared/two.bp", "let more = 2\n");
    let main = folder.write("main.bp", text);
    let capabilities = json!({
        "workspace": { "inlayHint": { "refreshSupport": true }, "codeLens": { "refreshSupport": true } },
    });
    let mut editor = Editor::with(capabilities);
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    editor.open(&toml, project);
    assert_eq!(refreshes(&mut editor, &main), Vec::<String>::new(), "nothing has another text");
    editor.replace(&main, 2, &text.replace("size * more", "size + more"));
    assert_eq!(refreshes(&mut editor, &main), Vec::<String>::new(), "who types asks by himself");
    editor.replace(&toml, 2, &project.replace("= 2", "= 4"));
    let asked = refreshes(&mut editor, &main);
    assert_eq!(asked.len(), 2, "{asked:?}");
    editor.open(&two, "let more = 3\n");
    let again = refreshes(&mut editor, &main);
    assert_eq!(again.len(), 2, "{again:?}");
    assert!(again.iter().all(|id| !asked.contains(id)), "{again:?} and {asked:?}");
    folder.write("shared/two.bp", "let more = 8\n");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": two } }));
    assert_eq!(refreshes(&mut editor, &main).len(), 2);
    folder.write("shared/two.bp", "let more = 16\n");
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(refreshes(&mut editor, &main).len(), 2);
}

#[test]
fn tests_of_a_project_are_read_with_it_and_say_nothing_of_other_files() {
    let folder = Folder::new("tests");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let main = "bucket data {\n  location = \"us-east4\"\n}\n";
    let rule = "rule company/owner on bucket {\n  require \"owner\" in labels\n  error   \"nobody's\"\n  label   labels \"here\"\n}\n";
    let main = (folder.write("main.bp", main), main);
    let test = format!(
        "use main.{{data}}\n\ntest it {{\n  renders = [data]\n  refusd  = []\n}}\n\n{rule}\nassert data.location == \"us-east4\"\n"
    );
    let told = (folder.write("tests/fleet.test.bp", &test), test.as_str());
    folder.write("policy.bp", rule);
    let program = "use policy\n\nbucket data {\n  location = \"us-east4\"\n  labels   = {} # error: [company/owner] nobody\n}\n";
    let refused = (folder.write("tests/owner.bp", program), program);
    let mut editor = Editor::new();
    for (uri, text) in [&told, &refused, &main] {
        editor.open(uri, text);
    }
    let codes = |found: Vec<Value>| -> Vec<String> {
        found.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(editor.diagnostics(&told.0, 1)), ["test/statement"]);
    assert_eq!(codes(editor.diagnostics(&refused.0, 1)), [""; 0]);
    assert_eq!(codes(editor.diagnostics(&main.0, 1)), ["company/owner"], "of the policy alone");

    editor.replace(&refused.0, 2, &program.replace("nobody", "somebody"));
    let found = codes(editor.diagnostics(&refused.0, 2));
    assert_eq!(found, ["test/expected"], "it says what is reported instead");
    editor.replace(&told.0, 2, &test.replace("  refusd  = []\n", ""));
    assert_eq!(codes(editor.diagnostics(&told.0, 2)), [""; 0]);
    let lost = test.replace("  refusd  = []\n", "").replace("[data]", "[daata]");
    editor.replace(&told.0, 3, &lost);
    assert_eq!(codes(editor.diagnostics(&told.0, 3)), ["test/renders"]);
}

#[test]
fn a_program_whose_rule_is_wrong_is_told_of_the_rule() {
    let folder = Folder::new("tests-wrong");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let rule = "rule own/keys on bucket {\n  require \"owner\" in labels\n  error   \"nobody's\"\n  label   labels \"here\"\n}\n";
    let noun =
        "bucket data {\n  location = \"us-east4\"\n  labels   = {} # error: [own/keys] nobody\n}\n";
    let text = format!("{rule}{noun}");
    let uri = folder.write("tests/keys.bp", &text);
    let mut editor = Editor::new();
    editor.open(&uri, &text);
    let codes = |found: Vec<Value>| -> Vec<String> {
        found.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(editor.diagnostics(&uri, 1)), [""; 0]);
    // its name or its type is wrong: that it is silent follows from it
    for (at, wrong) in [(2, "labls"), (3, "nodes")] {
        editor.replace(&uri, at, &text.replace("in labels", &format!("in {wrong}")));
        let found = codes(editor.diagnostics(&uri, at));
        assert!(found.len() == 1 && found[0].starts_with("names/"), "{found:?}");
    }
    // it reports at another place, or in other words: once, with the edit that expects it
    editor.replace(&uri, 4, &text.replace("label   labels", "label   location"));
    let found = editor.diagnostics(&uri, 4);
    let said = found[0]["message"].as_str().unwrap();
    assert!(found.len() == 1 && said.contains("reported in line 7"), "{found:?}");
    editor.replace(&uri, 5, &text.replace("nobody's", "no one's"));
    let found = editor.diagnostics(&uri, 5);
    let said = found[0]["message"].as_str().unwrap();
    assert!(found.len() == 1 && said.contains("otherwise than this line expects"), "{found:?}");
}

#[test]
fn tests_beside_blueprints_need_no_project_file() {
    let folder = Folder::new("tests-alone");
    folder.write("main.bp", "bucket data {\n  location = \"us-east4\"\n}\n");
    let text = "use main.{data}\n\ntest it {\n  renders = [data]\n}\n\nassert data.location == \"us-east5\"\n";
    let test = folder.write("tests/deep/it.test.bp", text);
    let other = folder.write("other/tests/it.test.bp", text);
    let mut editor = Editor::new();
    editor.open(&test, text);
    let found = editor.diagnostics(&test, 1);
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("assert")), "{found:?}");
    editor.open(&other, text);
    assert!(!editor.diagnostics(&other, 1).is_empty());
}

#[test]
fn names_are_found_in_tests_that_nobody_has_open() {
    let folder = Folder::new("tests-closed");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let main = "bucket data {\n  location = \"us-east4\"\n}\n";
    let test = "use main.{data}\n\nassert data.location == \"us-east4\"\n";
    let uri = folder.write("main.bp", main);
    let closed = folder.write("tests/deep/it.test.bp", test);
    let mut editor = Editor::new();
    editor.open(&uri, main);
    assert_eq!(uses(&mut editor, &uri, 0, 8), [closed.clone(), closed.clone()]);
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": 0, "character": 8 }, "newName": "texts",
    });
    let edit = editor.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][&closed].as_array().unwrap().len(), 2, "{edit}");
    let files = json!({ "files": [{ "oldUri": uri, "newUri": uri.replace("main.bp", "all.bp") }] });
    let edit = editor.ask("workspace/willRenameFiles", files);
    assert_eq!(edit["changes"][&closed].as_array().unwrap().len(), 1, "{edit}");
}

#[test]
fn what_a_test_names_is_found_and_renamed() {
    let folder = Folder::new("tests-named");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let main = "param size: int = 1\nrule own/size on bucket {\n  require size > 0\n  error \"small\"\n}\nbucket data {\n  location = \"us-east4\"\n}\n";
    let test = "test sizes {\n  params  = { size = [0] }\n  refused = [\"own/size\"]\n  renders = [data]\n}\n";
    let uri = folder.write("main.bp", main);
    let closed = folder.write("tests/it.test.bp", test);
    let mut editor = Editor::new();
    editor.open(&uri, main);
    let renamed = |editor: &mut Editor, line: u32, character: u32, new: &str| {
        let position = json!({ "line": line, "character": character });
        let params =
            json!({ "textDocument": { "uri": uri }, "position": position, "newName": new });
        let edit = editor.ask("textDocument/rename", params);
        edit["changes"][&closed].as_array().unwrap_or_else(|| panic!("{edit}"))[0].clone()
    };
    for opened in [false, true] {
        if opened {
            editor.open(&closed, test);
            editor.diagnostics(&closed, 1);
        }
        for (line, character) in [(0, 7), (1, 8), (5, 8)] {
            assert!(uses(&mut editor, &uri, line, character).contains(&closed), "{line} {opened}");
        }
        let param = renamed(&mut editor, 0, 7, "extent");
        assert_eq!(
            (&param["newText"], &param["range"]["start"]["line"]),
            (&json!("extent"), &json!(1))
        );
        let rule = renamed(&mut editor, 1, 8, "own/extent");
        assert_eq!(rule["newText"], "\"own/extent\"");
        let noun = renamed(&mut editor, 5, 8, "texts");
        assert_eq!(
            (&noun["newText"], &noun["range"]["start"]["line"]),
            (&json!("texts"), &json!(3))
        );
    }
}

#[test]
fn comments_that_expect_a_rule_follow_its_name() {
    let folder = Folder::new("tests-expected");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let main = "rule own/size on bucket {\n  require versioning\n  error \"small\"\n}\n";
    let program =
        "use main\n\nbucket data {  # error: [own/size] small\n  location = \"us-east4\"\n}\n";
    let uri = folder.write("main.bp", main);
    let closed = folder.write("tests/small.bp", program);
    let mut editor = Editor::new();
    editor.open(&uri, main);
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": 0, "character": 7 }, "newName": "own/version",
    });
    let edit = editor.ask("textDocument/rename", params);
    let edits = edit["changes"][&closed].as_array().unwrap_or_else(|| panic!("{edit}"));
    assert_eq!(edits[0]["newText"], "own/version");
    assert_eq!(edits[0]["range"]["start"], json!({ "line": 2, "character": 25 }));
}

#[test]
fn a_file_of_tests_begins_with_what_it_takes() {
    let folder = Folder::new("tests-top");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    folder.write("main.bp", "let size = 1\n");
    let text = "\n";
    let uri = folder.write("tests/it.test.bp", text);
    let mut editor = Editor::new();
    editor.open(&uri, text);
    let position = json!({ "line": 0, "character": 0 });
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    let found = editor.ask("textDocument/completion", params);
    let items = found["items"].as_array().unwrap().iter();
    let mut labels: Vec<&str> = items.map(|it| it["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["assert", "let", "rule", "test", "type", "use"]);
}

#[test]
fn a_file_under_another_name_is_spoken_of_as_before() {
    let folder = Folder::new("repathed");
    folder.write("slipform.toml", "[project]\nname = \"demo\"\n");
    let lib = "let size = 1\n";
    let lib_uri = folder.write("parts/lib.bp", lib);
    folder.write("parts/more.bp", "let other = 2\n");
    let main = "use parts.lib\nuse parts.{size as extent, other}\n\nassert lib.size + extent + other == 4\n";
    let uri = folder.write("main.bp", main);
    let mut editor = Editor::new();
    editor.open(&uri, main);
    editor.diagnostics(&uri, 1);
    let mut moved = |new: &str| {
        let files = json!({ "files": [{ "oldUri": lib_uri, "newUri": folder.uri(new) }] });
        let edit = editor.ask("workspace/willRenameFiles", files);
        let edits = edit["changes"][&uri].as_array().unwrap().iter();
        edits.map(|it| it["newText"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(moved("parts/base.bp"), ["parts.base as lib"]);
    let line = "use parts.{other}\nuse base.lib.{size as extent}";
    assert_eq!(moved("base/lib.bp"), ["base.lib", line]);
}

#[test]
fn a_rule_that_reports_can_be_renamed() {
    let text = "rule own/nodes on bucket {\n  require \"owner\" in labels\n  error   \"nobody's\"\n  label   labels \"here\"\n}\n\nbucket data {\n  location = \"us-east4\"\n  labels   = {}\n}\n";
    let folder = Folder::new("rule");
    let uri = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&uri, text);
    assert_eq!(editor.diagnostics(&uri, 1)[0]["code"], "own/nodes");
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": 0, "character": 7 }, "newName": "own/owner",
    });
    let edit = editor.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][&uri].as_array().unwrap().len(), 1, "{edit}");
}
