//! Help in the files beside blueprints, `slipform.toml` and `catalog.local.toml`, and what is wrong in other environments.

use super::client::{Editor, Folder, marked};
use super::edited;
use serde_json::{Value, json};
use std::fmt::Write;

const BLUEPRINT: &str = r#"## Where everything is.
param region: Region = "us-east4"
## How hard it tries.
param effort: "low" | "high"
param nodes: int in 1..64 = 4
param loud: bool = false
network fabric {
  region = region
}
"#;

/// A project whose file of that name is open with a text, and the places of the marks.
fn project(folder: &Folder, name: &str, text: &str) -> (Editor, String, Vec<Value>) {
    let (text, marks) = marked(text);
    let main = folder.write("main.bp", BLUEPRINT);
    folder.write("slipform.toml", "[project]\nname = \"fleet\"\n");
    let snippets = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
    let mut editor = Editor::with(snippets);
    editor.open(&main, BLUEPRINT);
    editor.diagnostics(&main, 1);
    let uri = folder.uri(name);
    editor.open(&uri, &text);
    (editor, uri, marks)
}

/// What is offered and what is told at each mark.
fn told(name: &str, text: &str) -> String {
    let folder = Folder::new(&format!("beside-{}", name.replace('.', "-")));
    let (mut editor, uri, marks) = project(&folder, name, text);
    let mut shown = String::new();
    for (at, position) in marks.iter().enumerate() {
        let list = editor.at("textDocument/completion", &uri, position);
        let items = list["items"].as_array().cloned().unwrap_or_default();
        let inserted = |it: &Value| it["textEdit"]["newText"].as_str().unwrap().to_owned();
        let first: Vec<String> = items.iter().take(6).map(inserted).collect();
        // how many there are changes with every word of the catalog
        let more = if items.len() > 6 { ", and more" } else { "" };
        let hover = editor.hover(&uri, position);
        writeln!(shown, "# {}\n  {}{more}", at + 1, first.join(", ")).unwrap();
        if !hover.is_empty() {
            writeln!(shown, "{hover}").unwrap();
        }
    }
    shown
}

#[test]
fn a_project_file_is_helped_with() {
    insta::assert_snapshot!(told(
        "slipform.toml",
        "[proj<1>ect]\nname = \"fleet\"\nedition = \"<2>\"\n<3>\n\n[params]\neff<4>ort = \"hi<5>gh\"\n\
         region = <6>\n# re<7>mark\n\n[env.prod.params]\n<8>\nregion = \"us-east4<9>\"\n",
    ));
}

#[test]
fn the_table_of_an_environment_is_helped_with() {
    let text = "[env.dev]\n<1>\nparams.effort = \"<2>\"\nparams.<3>\nparams.region = \"us-east4<4>\"\nlabels.<5>\n";
    insta::assert_snapshot!(told("slipform.toml", text));
}

#[test]
fn a_file_that_is_empty_begins_with_a_table() {
    let (project, facts) = (told("slipform.toml", "<1>\n"), told("catalog.local.toml", "<1>\n"));
    insta::assert_snapshot!(format!("{project}{facts}"));
}

#[test]
fn a_file_of_facts_is_helped_with() {
    insta::assert_snapshot!(told(
        "catalog.local.toml",
        "[[mach<1>ine]]\nname = \"a3-megagpu-<2>8g\"\nvcp<3>us = 100\nnetwork.<4>\n<5>\n\n[kuber<6>netes]\n",
    ));
}

#[test]
fn values_of_facts_are_those_that_other_rows_have() {
    let text = "[[machine]]\nname = \"a3-newgpu-8g\"\nfamily = \"a3<1>\"\nkind = <2>\nvcpus = <3>\nnothing = <4>\n";
    insta::assert_snapshot!(told("catalog.local.toml", text));
}

#[test]
fn a_project_file_needs_no_blueprint_beside_it_to_be_open() {
    let folder = Folder::new("beside-alone");
    folder.write("main.bp", BLUEPRINT);
    let (text, marks) = marked("[params]\n<1>\n");
    let uri = folder.write("slipform.toml", &text);
    let mut editor = Editor::new();
    editor.open(&uri, &text);
    let list = editor.at("textDocument/completion", &uri, &marks[0]);
    let items = list["items"].as_array().unwrap();
    let labels: Vec<&Value> = items.iter().map(|it| &it["label"]).collect();
    assert_eq!(labels, ["effort", "region", "nodes", "loud"], "what needs a value first");
}

#[test]
fn what_is_wrong_in_another_environment_is_told_where_one_is_chosen() {
    let folder = Folder::new("beside-environments");
    let toml = "[project]\nname = \"fleet\"\nenvironment = \"dev\"\n\n[env.dev.params]\n\
                region = \"us-east4\"\n\n[env.prod.params]\nregion = \"us-eats4\"\n";
    let project = folder.write("slipform.toml", toml);
    let text = BLUEPRINT.replace("\"low\" | \"high\"", "\"low\" | \"high\" = \"low\"");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    editor.open(&project, toml);
    let messages = |found: &[Value]| -> Vec<String> {
        found
            .iter()
            .map(|it| it["message"].as_str().unwrap().lines().next().unwrap().to_owned())
            .collect()
    };
    let found = editor.diagnostics(&project, 1);
    assert_eq!(
        messages(&found),
        ["in the environment `prod`: the catalog knows no region `us-eats4`"]
    );
    // chosen itself, it needs no word in front
    editor
        .tell("workspace/didChangeConfiguration", json!({ "settings": { "environment": "prod" } }));
    let found = editor.diagnostics(&project, 1);
    assert_eq!(messages(&found), ["the catalog knows no region `us-eats4`"]);
    // mended, there is nothing more to say
    editor.replace(&project, 2, &toml.replace("us-eats4", "us-east4"));
    assert_eq!(editor.diagnostics(&project, 2), Vec::<Value>::new());
}

#[test]
fn what_two_environments_would_both_make_is_told() {
    let folder = Folder::new("beside-both");
    let envs = "[env.dev.params]\nproject = \"project-one\"\n\n[env.prod.params]\nproject = \"project-two\"\n";
    let toml = format!("[project]\nname = \"fleet\"\nenvironment = \"dev\"\n\n{envs}");
    folder.write("slipform.toml", &toml);
    let text = "param project: ProjectId\nbucket data {\n  name     = \"our-data\"\n  location = \"us-east4\"\n}\noutput o = project\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    let told = |found: &[Value]| -> Vec<String> {
        let both = found.iter().filter(|it| it["code"] == "project/environments");
        both.map(|it| it["message"].as_str().unwrap().to_owned()).collect()
    };
    let found = told(&editor.diagnostics(&main, 1));
    let [both] = found.as_slice() else { panic!("{found:?}") };
    assert!(both.starts_with("the environments `dev` and `prod` would both make bucket"), "{both}");
    editor.replace(&main, 2, &text.replace("our-data", "our-data-${project}"));
    assert_eq!(told(&editor.diagnostics(&main, 2)), Vec::<String>::new());
}

#[test]
fn what_is_wrong_in_another_environment_is_mended_from_here() {
    let folder = Folder::new("beside-mended-elsewhere");
    let envs = "[env.dev.params]\neffort = \"low\"\n\n[env.prod.params]\neffort = \"hihg\"\n";
    let toml = format!("[project]\nname = \"fleet\"\nenvironment = \"dev\"\n\n{envs}");
    let uri = folder.write("slipform.toml", &toml);
    let main = folder.write("main.bp", BLUEPRINT);
    let mut editor = Editor::new();
    editor.open(&main, BLUEPRINT);
    editor.open(&uri, &toml);
    let found = editor.diagnostics(&uri, 1);
    let params = json!({
        "textDocument": { "uri": uri }, "range": found[0]["range"],
        "context": { "diagnostics": found },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let edits =
        actions[0]["edit"]["changes"][&uri].as_array().unwrap_or_else(|| panic!("{actions}"));
    assert_eq!(edited(&toml, edits), toml.replace("hihg", "high"));
}

/// What becomes of the file by the first mend of what is reported there, with the report.
fn mended(file: &str, name: &str, toml: &str) -> String {
    let folder = Folder::new(&format!("beside-mended-{name}"));
    let main = folder.write("main.bp", BLUEPRINT);
    folder.write("slipform.toml", "[project]\nname = \"fleet\"\n");
    let uri = folder.write(file, toml);
    let mut editor = Editor::new();
    editor.open(&main, BLUEPRINT);
    editor.open(&uri, toml);
    let found = editor.diagnostics(&uri, 1);
    let Some(report) = found.first() else { return "nothing is wrong\n".to_owned() };
    let said = report["message"].as_str().unwrap().lines().next().unwrap();
    let params = json!({
        "textDocument": { "uri": uri }, "range": report["range"], "context": { "diagnostics": [report] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let edits = actions[0]["edit"]["changes"][&uri].as_array().cloned().unwrap_or_default();
    let new = edited(toml, &edits);
    let at = super::at(toml, &report["range"]);
    let changed = new.lines().zip(toml.lines()).filter(|(new, old)| new != old);
    let changed: Vec<&str> = changed.map(|(line, _)| line).collect();
    format!("{said}\n  at {at}\n  => {}\n", changed.join(" | "))
}

#[test]
fn mistakes_of_a_project_file_are_mended_where_they_stand() {
    let envs = "[params]\neffort = \"low\"\n\n[env.dev.params]\nnodes = 1\n\n[env.prod.params]\nnodes = 2\n";
    let tries = [
        ("environment", format!("[project]\nenvironment = \"prdo\"\n\n{envs}")),
        ("edition", format!("[project]\nedition = \"2025\"\n\n{envs}")),
        ("word", format!("[project]\neditoin = \"2026\"\n\n{envs}")),
        ("table", format!("[project]\n\n{}", envs.replace("[params]", "[parms]"))),
        ("param", format!("[project]\n\n{}", envs.replace("effort =", "efort ="))),
        ("value", format!("[project]\n\n{}", envs.replace("\"low\"", "\"lwo\""))),
    ];
    let mut shown = String::new();
    for (name, toml) in tries {
        write!(shown, "# {name}: {}", mended("slipform.toml", name, &toml)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn mistakes_of_a_project_s_own_facts_are_mended_where_they_stand() {
    let tries = [
        ("table", "[[machin]]\nname = \"x\"\n"),
        ("like", "[[machine]]\nname = \"x\"\nlike = \"a3-megagpu-8\"\n"),
        ("inner", "[[machine]]\nname = \"a3-megagpu-8g\"\naccelerator.cout = 4\n"),
        ("key", "[[region]]\nname = \"us-east9\"\nzons = [\"a\"]\n"),
        ("sheet", "[kubernets]\n"),
    ];
    let mut shown = String::new();
    for (name, facts) in tries {
        let came = mended("catalog.local.toml", &format!("facts-{name}"), facts);
        write!(shown, "# {name}: {came}").unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn words_of_a_project_file_lead_to_what_they_stand_for() {
    let folder = Folder::new("beside-ways");
    let main = folder.write("main.bp", BLUEPRINT);
    let (toml, marks) = marked(
        "[project]\nenvironment = \"pr<1>od\"\n\n[params]\neff<2>ort = \"low\"\n\n[env.dev.params]\nnodes = 1\n\n[env.prod.params]\nno<3>des = 2\n",
    );
    let uri = folder.write("slipform.toml", &toml);
    let mut editor = Editor::new();
    editor.open(&main, BLUEPRINT);
    editor.open(&uri, &toml);
    editor.diagnostics(&uri, 1);
    let found = editor.at("textDocument/definition", &uri, &marks[0]);
    assert_eq!(
        (&found["uri"], super::at(&toml, &found["range"])),
        (&json!(uri), "10:6 prod".into())
    );
    let found = editor.at("textDocument/definition", &uri, &marks[1]);
    let place = (&found["uri"], super::at(BLUEPRINT, &found["range"]));
    assert_eq!(place, (&json!(main), "4:7 effort".into()));
    let params = json!({
        "textDocument": { "uri": uri }, "position": marks[2], "context": { "includeDeclaration": true },
    });
    let found = editor.ask("textDocument/references", params);
    assert_eq!(found.as_array().unwrap().len(), 3, "{found}");
    let params =
        json!({ "textDocument": { "uri": uri }, "position": marks[2], "newName": "count" });
    let edit = editor.ask("textDocument/rename", params);
    let new = edited(&toml, edit["changes"][&uri].as_array().unwrap());
    assert_eq!(new, toml.replace("nodes", "count"));
    let new = edited(BLUEPRINT, edit["changes"][&main].as_array().unwrap());
    assert_eq!(new, BLUEPRINT.replace("nodes", "count"));
}

#[test]
fn a_word_of_a_project_file_is_told_of_as_what_it_is() {
    let folder = Folder::new("words-of-projects");
    let text = "[params]\nnodes = \"two\"\n\n[env.]\n";
    let toml = folder.write("slipform.toml", "[params]\nnodes = \"two\"\n");
    let main = folder.write("main.bp", "param nodes: int = 1\noutput o = nodes\n");
    let mut editor = Editor::new();
    editor.open(&toml, "[params]\nnodes = \"two\"\n");
    editor.open(&main, "param nodes: int = 1\noutput o = nodes\n");
    let found = editor.diagnostics(&toml, 1);
    assert_eq!(found[0]["message"], "`two` is no `int`");
    let position = json!({ "line": 3, "character": 5 });
    editor.change(&toml, 2, json!([{ "text": text }]));
    let found = editor.ask(
        "textDocument/completion",
        json!({ "textDocument": { "uri": toml }, "position": position }),
    );
    let labels: Vec<&Value> =
        found["items"].as_array().unwrap().iter().map(|it| &it["label"]).collect();
    assert_eq!(labels, ["dev", "prod", "staging"]);
    let text = "[project]\nname = multi # of all\n";
    editor.change(&toml, 3, json!([{ "text": text }]));
    let range =
        json!({ "start": { "line": 1, "character": 7 }, "end": { "line": 1, "character": 8 } });
    let params = json!({ "textDocument": { "uri": toml }, "range": range, "context": { "diagnostics": [] } });
    let found = editor.ask("textDocument/codeAction", params);
    let edits = found[0]["edit"]["changes"][&toml].as_array().unwrap();
    assert_eq!(super::edited(text, edits), text.replace("multi", "\"multi\""));
}

#[test]
fn nothing_of_files_in_a_circle_is_taken_for_idle() {
    let folder = Folder::new("in-a-circle");
    folder.write("slipform.toml", "");
    folder.write("parts/a.bp", "use main.{b}\nlet a = 1\nlet c = b\n");
    let text = "use parts.a.{a}\nlet b = 1\noutput o = a\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    let found = editor.diagnostics(&main, 1);
    let codes: Vec<&Value> = found.iter().map(|it| &it["code"]).collect();
    assert!(codes.contains(&&json!("names/use-cycle")) || codes.is_empty(), "{codes:?}");
    assert!(!codes.contains(&&json!("names/unused")), "{found:?}");
    let told = found.iter().map(|it| it["message"].as_str().unwrap());
    assert!(told.into_iter().all(|it| !it.contains("/tmp")), "{found:?}");
}
