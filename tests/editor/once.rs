//! One mistake, one report: what follows from a mistake that is told of already is not told of beside it.

use super::{FLEET, MAIN, at};
use crate::client::{Editor, Folder};
use serde_json::Value;

/// What is reported of a text besides what is of the fleet anyway, each as its place and its code.
fn told(text: &str) -> Vec<String> {
    let mut editor = Editor::new();
    editor.open(MAIN, text);
    codes(text, &editor.diagnostics(MAIN, 1))
}

fn codes(text: &str, reports: &[Value]) -> Vec<String> {
    let code = |it: &Value| format!("{} {}", at(text, &it["range"]), it["code"].as_str().unwrap());
    reports.iter().map(code).filter(|it| !it.ends_with("capacity/spot-without-restarts")).collect()
}

#[test]
fn what_follows_from_a_misspelt_region_is_told_of_with_it() {
    let text = FLEET.replace("region   = \"us-east4\"", "region   = \"us-esat4\"");
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    let found = editor.diagnostics(MAIN, 1);
    assert_eq!(codes(&text, &found), ["7:14 \"us-esat4\" catalog/region"]);
    let (severity, message) = (&found[0]["severity"], found[0]["message"].as_str().unwrap());
    assert_eq!(*severity, 1, "a blueprint with a zone elsewhere is not built");
    assert!(message.contains("`us-east4`"), "{message}");
    assert!(message.contains("the zone us-east4-a is not in us-esat4"), "{message}");
    // one that is newer than the catalog is allowed by the code that is told with it
    assert!(message.contains("(`cluster/zone-elsewhere`)"), "{message}");
    let allowed = "zone    = place\n  allow cluster/zone-elsewhere \"a new region\"";
    let text = text.replace("zone    = place", allowed);
    assert!(text.contains(allowed));
    editor.open(MAIN, &text);
    let found = editor.diagnostics(MAIN, 1);
    assert_eq!(found[0]["severity"], 2, "{found:?}");
    // a region that is none of a misspelling keeps both
    let text = FLEET.replace("region   = \"us-east4\"", "region   = \"atlantis-north77\"");
    assert_eq!(told(&text).len(), 2, "{:?}", told(&text));
}

#[test]
fn a_noun_without_its_block_lacks_the_block_alone() {
    for noun in ["  pool more\n}\n", "  pool more on\n}\n", "  queue all\n}\n"] {
        let text = FLEET.replace(
            "    capacity = spot\n  }\n}\n",
            &format!("    capacity = spot\n  }}\n{noun}"),
        );
        let found = told(&text);
        assert!(found.len() == 1 && found[0].contains("syntax/"), "{noun}: {found:?}");
    }
    // with its block it lacks its fields
    let text = FLEET.replace("  pool gpus {", "  pool more {}\n  pool gpus {");
    assert!(told(&text).iter().any(|it| it.ends_with("types/missing-field")), "{:?}", told(&text));
}

#[test]
fn a_use_of_what_is_not_there_is_told_of_once() {
    let folder = Folder::new("once");
    folder.write("slipform.toml", "");
    folder.write("lib.bp", "let most = 4\n");
    for (used, name) in [("moss as x", "x"), ("moss", "moss"), ("nothing_alike", "nothing_alike")] {
        let text = format!("use lib.{{{used}}}\noutput o = {name} + 1\n");
        let main = folder.write("main.bp", &text);
        let mut editor = Editor::new();
        editor.open(&main, &text);
        let found = codes(&text, &editor.diagnostics(&main, 1));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("names/use"), "{found:?}");
    }
}
