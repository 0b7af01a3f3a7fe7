//! A noun goes to a file of its own.

use super::{FLEET, edited};
use crate::client::{Editor, Folder, marked};
use serde_json::json;

/// What the files are once the noun at the mark is moved; nothing where that is not offered.
fn moved(folder: &Folder, text: &str) -> Option<[String; 2]> {
    let creates = json!({
        "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] } },
    });
    let (text, marks) = marked(text);
    folder.write("slipform.toml", "[project]\nname = \"p\"\n");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::with(creates);
    editor.open(&main, &text);
    let params = json!({
        "textDocument": { "uri": main }, "range": { "start": marks[0], "end": marks[0] },
        "context": { "diagnostics": [], "only": ["refactor.move"] },
    });
    let found = editor.ask("textDocument/codeAction", params);
    let changes = found[0]["edit"]["documentChanges"].as_array()?.clone();
    let edits = |uri: &str| {
        let of = changes.iter().find(|it| it["textDocument"]["uri"] == uri).expect("edits");
        of["edits"].as_array().unwrap().clone()
    };
    let new = changes[0]["uri"].as_str().unwrap().to_owned();
    assert_eq!(changes[0]["kind"], "create");
    let texts = [edited(&text, &edits(&main)), edited("", &edits(&new))];
    editor.replace(&main, 2, &texts[0]);
    editor.open(&new, &texts[1]);
    let found = editor.diagnostics(&main, 2);
    assert!(found.iter().all(|it| it["severity"] != 1), "{found:?} of {texts:?}");
    Some(texts)
}

#[test]
fn a_noun_goes_to_a_file_of_its_own() {
    let folder = Folder::new("moved");
    let [main, new] =
        moved(&folder, &FLEET.replace("network fabric", "netw<1>ork fabric")).unwrap();
    let start = FLEET.find("network fabric").unwrap();
    let end = FLEET.find("cluster a3m").unwrap();
    assert_eq!(main, format!("use fabric.{{fabric}}\n{}{}", &FLEET[..start], &FLEET[end..]));
    assert_eq!(new, FLEET[start..end].trim_end().to_owned() + "\n");
}

#[test]
fn what_it_speaks_of_is_brought_in() {
    let folder = Folder::new("moved-with");
    let text = FLEET.replace("workload train", "## How it runs.\nworkload tr<1>ain");
    let [main, new] = moved(&folder, &text).unwrap();
    assert!(!main.contains("workload") && !main.contains("How it runs"), "{main}");
    assert!(new.starts_with("use main.{a3m, slices}\n\n## How it runs.\nworkload train"), "{new}");
}

#[test]
fn what_cannot_go_stays() {
    let alone = "network fa<1>bric {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n";
    assert_eq!(moved(&Folder::new("alone"), alone), None, "it is all that the file has");
    let taken = Folder::new("taken");
    taken.write("fabric.bp", "let other = 1\n");
    let text = FLEET.replace("network fabric", "network fab<1>ric");
    assert_eq!(moved(&taken, &text), None, "there is such a file");
    let body = FLEET.replace("subnet   =", "sub<1>net   =");
    assert_eq!(moved(&Folder::new("body"), &body), None, "its head is not meant");
}
