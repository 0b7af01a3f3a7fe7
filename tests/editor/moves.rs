//! A noun goes to a file of its own.

use super::{FLEET, edited};
use crate::client::{Editor, Folder, marked};
use serde_json::json;

/// What the file and the new one are once the noun at the mark is moved; nothing where that is not offered.
fn moved(folder: &Folder, text: &str) -> Option<[String; 2]> {
    let files: Vec<String> = moved_to(folder, text)?.into_iter().map(|(_, text)| text).collect();
    files.try_into().ok()
}

/// The files once the noun at the mark is moved, each with its name.
fn moved_to(folder: &Folder, text: &str) -> Option<Vec<(String, String)>> {
    moved_as(folder, text, 0)
}

/// The same of all that stands between two marks, by the offer at a place of the list.
fn moved_as(folder: &Folder, text: &str, offer: usize) -> Option<Vec<(String, String)>> {
    let creates = json!({
        "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create"] } },
    });
    let (text, marks) = marked(text);
    folder.write("slipform.toml", "[project]\nname = \"p\"\n");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::with(creates);
    editor.open(&main, &text);
    let params = json!({
        "textDocument": { "uri": main }, "range": { "start": marks[0], "end": marks.last() },
        "context": { "diagnostics": [], "only": ["refactor.move"] },
    });
    let found = editor.ask("textDocument/codeAction", params);
    let changes = found[offer]["edit"]["documentChanges"].as_array()?.clone();
    let edits = |uri: &str| {
        let of = changes.iter().find(|it| it["textDocument"]["uri"] == uri).expect("edits");
        of["edits"].as_array().unwrap().clone()
    };
    let mut texts = vec![(main.clone(), edited(&text, &edits(&main)))];
    for created in changes.iter().filter(|it| it["kind"] == "create") {
        let new = created["uri"].as_str().unwrap().to_owned();
        let text = edited("", &edits(&new));
        editor.open(&new, &text);
        texts.push((new, text));
    }
    editor.replace(&main, 2, &texts[0].1);
    let found = editor.diagnostics(&main, 2);
    assert!(found.iter().all(|it| it["severity"] != 1), "{found:?} of {texts:?}");
    let named = |(uri, text): (String, String)| {
        (uri.rsplit('/').next().unwrap_or_default().to_owned(), text)
    };
    Some(texts.into_iter().map(named).collect())
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

#[test]
fn what_both_need_goes_to_a_third_file() {
    let folder = Folder::new("moved-shared");
    let text = FLEET
        .replace(
            "param slices",
            "## The region.\nparam region: Region = \"us-east4\"\nparam slices",
        )
        .replace("  region   = \"us-east4\"\n", "  region   = region\n")
        .replace("workload train", "bucket da<1>ta {\n  location = region\n}\n\nworkload train")
        .replace("  nodes  = 4\n", "  nodes  = 4\n  env    = { DATA = data.url }\n");
    let files = moved_to(&folder, &text).unwrap();
    let shown: Vec<String> =
        files.iter().map(|(name, text)| format!("=== {name}\n{text}")).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_cluster_goes_with_what_stands_on_it() {
    let text = FLEET.replace("cluster a3m", "cluster a<1>3m");
    // alone it would be used by this file, and use it
    let files = moved_as(&Folder::new("moved-cluster"), &text, 0).unwrap();
    let [(_, main), (name, new)] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(name, "a3m.bp");
    assert!(!main.contains("cluster") && !main.contains("workload"), "{main}");
    let uses = "use main.{fabric, place, slices}\n\ncluster a3m on gke {";
    assert!(new.starts_with(uses) && new.contains("}\n\nworkload train"), "{new}");
}

#[test]
fn several_that_are_selected_go_together() {
    let text = FLEET
        .replace(
            "workload train",
            "bucket d<1>ata {\n  location = \"us-east4\"\n}\n\nworkload train",
        )
        .replace("  nodes  = 4\n", "  nodes  = 4\n<2>");
    let files = moved_as(&Folder::new("moved-several"), &text, 0).unwrap();
    let [(_, main), (name, new)] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(name, "data.bp");
    assert!(main.contains("cluster") && !main.contains("workload"), "{main}");
    assert!(new.contains("}\n\nworkload train") && new.contains("bucket data"), "{new}");
}
