//! One mistake, one report: what follows from a mistake that is told of already is not told of beside it.

use super::{FLEET, MAIN, at};
use crate::client::{Editor, Folder};
use serde_json::Value;
use std::fmt::Write;

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

#[test]
fn a_brace_too_many_or_a_head_that_is_gone_is_told_of_alone() {
    let mut astray = String::new();
    for (what, written, mistaken, told_of) in [
        (
            "closed in a value",
            "region   = \"us-east4\"",
            "region   = \"us-east4\"}",
            "7:24 } syntax/unopened",
        ),
        (
            "closed in front of one",
            "nodes    = slices",
            "nodes    = } slices",
            "19:16 } syntax/unopened",
        ),
        (
            "closed twice",
            "capacity = spot\n  }\n}",
            "capacity = spot\n  }\n  }\n  pool cpus {\n    machine = \"n2-standard-8\"\n    nodes = 1\n  }\n}",
            "22:3 } syntax/unopened",
        ),
        (
            "opened behind a value",
            "region   = \"us-east4\"",
            "region   = \"us-east4\" {",
            "7:25 { syntax/unclosed",
        ),
        (
            "opened in front of one",
            "zone    = place",
            "zone    = { place",
            "15:13 { syntax/unclosed",
        ),
        ("opened twice", "network fabric {", "network fabric {{", "6:16 { syntax/unclosed"),
        ("a head is gone", "network fabric {\n", "", "6:3 region syntax/unopened"),
        ("an inner head is gone", "  pool gpus {\n", "", "17:5 machine syntax/unopened"),
        (
            "an inner head with more behind",
            "  pool gpus {\n    machine",
            "    machine  = \"n2-standard-8\"\n    nodes    = 1\n  }\n\n  pool gpus {\n    machine",
            "17:5 machine syntax/unopened",
        ),
        ("an outer head is gone", "cluster a3m on gke {\n", "", "13:3 network syntax/unopened"),
        ("a head of three words", "network fabric {", "network my fabric {", "6:11  syntax/brace"),
        ("a head without a name", "network fabric {", "network {", "6:8  syntax/name"),
        ("a head with a dash", "network fabric {", "network-fabric {", "6:1 network-fabric"),
        ("an inner head with a dash", "pool gpus {", "pool-gpus {", "17:3 pool-gpus"),
        ("two fields on a line", "= \"us-east4\"\n  subnet", "= \"us-east4\" subnet", "7:"),
        ("two with a comma", "= \"us-east4\"\n  subnet", "= \"us-east4\", subnet", "7:"),
        (
            "a field of elsewhere",
            "    nodes    = slices",
            "    replicas = slices",
            "19:5 replicas names/unknown-field",
        ),
    ] {
        let text = FLEET.replace(written, mistaken);
        assert_ne!(text, FLEET, "{what}");
        let found = told(&text);
        if found.len() != 1 || !found[0].starts_with(told_of) {
            writeln!(astray, "{what}: {found:?}").unwrap();
        }
    }
    assert!(astray.is_empty(), "{astray}");
}

#[test]
fn an_entry_that_is_misspelt_or_could_not_be_read_is_not_missed_as_well() {
    let run = |launch: &str| {
        FLEET
            .replace("launch = torchrun(\"train.py\", args = { name = \"run-${slices}\" })", launch)
    };
    for launch in [
        "launch = torchrun(script \"train.py\")",
        "launch = torchrun(scirpt = \"train.py\")",
        "mounts = [mount(source = fabric, pth = \"/data\")]\n  launch = torchrun(\"train.py\")",
    ] {
        let found = told(&run(launch));
        let line = |it: &String| it.split(':').next().unwrap().to_owned();
        let missing = found.iter().filter(|it| it.ends_with("missing-field"));
        assert_eq!(missing.count(), 0, "{launch}: {found:?}");
        assert!(found.iter().all(|it| line(it) == line(&found[0])), "{launch}: {found:?}");
    }
}

#[test]
fn what_is_missing_for_a_reason_that_is_told_is_not_missed_as_well() {
    let folder = Folder::new("missed");
    folder.write("slipform.toml", "");
    folder.write("networks.bp", "network fabric {\n  region = \"us-east4\"\n  pods = 10.64.0.0/14\n  services = 10.68.0.0/20\n}\n");
    let text = "use networks.{fabri}\ncluster a3m on gke {\n  network = fabric\n  zone = \"us-east4-a\"\n}\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    assert_eq!(codes(text, &editor.diagnostics(&main, 1)), ["1:15 fabri names/use"]);

    let types =
        "param first: Frobnicated = 1\nparam second: Frobnicated = 2\noutput o = first + second\n";
    assert_eq!(told(types), ["1:14 Frobnicated names/unknown-type"]);

    let folder = Folder::new("missed-facts");
    folder.write("slipform.toml", "");
    let facts = "[[machine]]\nname = \"a3-edge-8g\"\nlike = \"a3-megagpu-8g\"\nvcpu = 208\n";
    folder.write("catalog.local.toml", facts);
    let text = FLEET.replace("a3-megagpu-8g", "a3-edge-8g");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    let found = codes(&text, &editor.diagnostics(&main, 1));
    assert!(found.iter().all(|it| !it.ends_with("catalog/machine")), "{found:?}");
}

#[test]
fn a_zone_that_nobody_knows_is_one_of_its_region() {
    let found = |zone: &str| {
        let text = FLEET.replace("let place = \"us-east4-a\"", &format!("let place = \"{zone}\""));
        let mut editor = Editor::new();
        editor.open(MAIN, &text);
        let found = editor.diagnostics(MAIN, 1);
        let found = found.iter().find(|it| it["code"] == "catalog/zone").expect("a report");
        found["message"].as_str().unwrap().to_owned()
    };
    assert!(found("us-east4-z").contains("us-east4 has us-east4-a"), "{}", found("us-east4-z"));
    assert!(found("us-esat4-a").contains("`us-east4-a`"), "{}", found("us-esat4-a"));
}

#[test]
fn a_name_that_was_changed_by_hand_is_told_of_where_it_is_spoken_of_alone() {
    let renamed = |old: &str, new: &str| {
        let text = FLEET.replace(old, new);
        assert_ne!(text, FLEET);
        text
    };
    for (old, new, places) in [
        ("let place", "let places", &["15:13 place names/unknown"][..]),
        ("let place", "let home", &["15:13 place names/unknown"]),
        ("param slices", "param slice", &["19:16 slices names/unknown"]),
        ("network fabric", "network fabrics", &["14:13 fabric names/unknown"]),
        ("network fabric", "network lan", &["14:13 fabric names/unknown"]),
        ("pool gpus", "pool gpu", &["24:23 gpus names/unknown-field"]),
    ] {
        assert_eq!(told(&renamed(old, new)), places, "{new}");
    }
}
