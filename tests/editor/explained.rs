//! What words and reports mean, where the cursor is.

use super::{FLEET, MAIN, opened};
use crate::client::Editor;
use serde_json::{Value, json};
use std::fmt::Write;

/// An editor that opens documents which the server alone has.
fn opening() -> Editor {
    Editor::with(json!({ "workspace": { "textDocumentContent": {} } }))
}

#[test]
fn a_report_leads_to_what_its_code_means() {
    let mut editor = opening();
    let text = FLEET.replace("region   =", "regoin   =").replace("nodes  = 4", "nodes  = 400");
    editor.open(MAIN, &text);
    let mut shown = String::new();
    for report in editor.diagnostics(MAIN, 1) {
        let page = &report["codeDescription"]["href"];
        let code = report["code"].as_str().unwrap();
        assert_eq!(*page, format!("slipform://explain/{code}"));
        for method in ["slipform/source", "workspace/textDocumentContent"] {
            let text = editor.ask(method, json!({ "uri": page }));
            let text = text["text"].as_str().unwrap();
            assert!(text.starts_with(code), "{method}: {text}");
            shown = text.to_owned();
        }
    }
    assert!(shown.contains("\nhelp: "), "{shown}");

    let (_, reports) = closed(&text);
    assert!(reports.iter().all(|it| it["codeDescription"].is_null()), "{reports:?}");
}

/// What an editor is told that opens files alone.
fn closed(text: &str) -> (Editor, Vec<Value>) {
    let mut editor = Editor::new();
    editor.open(MAIN, text);
    let reports = editor.diagnostics(MAIN, 1);
    (editor, reports)
}

#[test]
fn a_rule_of_the_project_has_no_page() {
    let mut editor = opening();
    let rule = "rule size/odd on pool {\n  require nodes == 3\n  error \"of three\"\n}\n";
    editor.open(MAIN, &format!("{FLEET}{rule}"));
    let reports = editor.diagnostics(MAIN, 1);
    let own = reports.iter().find(|it| it["code"] == "size/odd").expect("a report");
    assert!(own["codeDescription"].is_null(), "{own}");
    let page = editor.ask("slipform/source", json!({ "uri": "slipform://explain/size/odd" }));
    assert_eq!(page, Value::Null);
}

#[test]
fn a_word_says_what_it_means_and_what_else_there_is() {
    let inside = |line: &str| FLEET.replace("capacity = spot", line);
    let tries = [
        inside("placement = \"com<1>pact\""),
        inside("driver = if true { \"lat<1>est\" } else { \"none\" }"),
        inside("capacity = sp<1>ot"),
        FLEET.replace("zone    = place", "zone    = place\n  release = \"<1>rapid\""),
        FLEET.replace("\"train.py\",", "\"train.py\", rendezvous = \"c10<1>d\","),
        FLEET.replace("nodes  = 4", "nodes  = 4\n  topology = required(\"sub<1>block\")"),
        FLEET.to_owned()
            + "\ncluster q on gke {\n  network = fabric\n  zone = place\n  kueue = kueue(unqueued_jobs = \"wa<1>it\")\n}\n",
        FLEET.to_owned() + "\nparam size: \"small\" | \"large\" = \"la<1>rge\"\noutput o = size\n",
        FLEET.to_owned() + "\nassert train.platform == \"gk<1>e\", \"of GKE\"\n",
        FLEET.to_owned() + "\nlet free = \"gk<1>e\"\noutput o = free\n",
    ];
    let mut shown = String::new();
    for text in tries {
        let (mut editor, text, marks) = opened(&text);
        let line = usize::try_from(marks[0]["line"].as_u64().unwrap()).unwrap();
        let hover = editor.hover(MAIN, &marks[0]);
        writeln!(shown, "# {}\n{hover}\n", text.lines().nth(line).unwrap().trim()).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_field_of_a_constructor_and_a_part_of_a_range_are_told_of() {
    let text = FLEET
        .replace("capacity = spot", "capacity = reservation(na<1>me = \"r\")")
        .replace("10.64.0.0/14", "10.0.0.0/<2>8");
    let (mut editor, _, marks) = opened(&text);
    let field = editor.hover(MAIN, &marks[0]);
    assert!(field.contains("name: reservation | ReservationName"), "{field}");
    let range = editor.hover(MAIN, &marks[1]);
    assert!(
        range.contains("`10.0.0.0/20`, `subnet` of `network fabric`, takes part of it"),
        "{range}"
    );
}
