//! The language server, driven over its protocol as an editor would.
//!
//! Texts mark places with `<1>`, `<2>` ...: the marks are taken out before the server sees the text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/homes.rs"]
mod homes;
#[path = "lsp/pulled.rs"]
mod pulled;
#[path = "lsp/questions.rs"]
mod questions;

use client::{Editor, Folder, marked};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

const MAIN: &str = "file:///blueprints/main.bp";

const SOUND: &str = r#"## Where everything is.
let <1>zone = "us-east4-a"

network fabric {
  region = "us-east4"
  subnet = 10.0.0.0/20
  pods   = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m <2>on g<3>ke {
  network = fab<4>ric
  zone    = zo<5>ne
  pool gpus {
    mach<6>ine = "a3-mega<7>gpu-8g"
    nodes   = 16
  }
}

workload train on a3m.gp<8>us {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torch<9>run("train.py")
}
"#;

#[test]
fn a_mistake_is_shown_at_its_place_and_goes_with_it() {
    let mut editor = Editor::new();
    let broken = "network net {\n  regoin = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n";
    editor.open(MAIN, broken);
    let found = editor.diagnostics(MAIN, 1);
    let unknown = found.iter().find(|it| it["code"] == "names/unknown-field").expect("a report");
    let range =
        json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 8 } });
    assert_eq!(unknown["range"], range);
    assert_eq!(unknown["severity"], 1);
    assert!(unknown["message"].as_str().unwrap().contains("regoin"));

    let start = json!({ "line": 1, "character": 2 });
    let end = json!({ "line": 1, "character": 8 });
    editor.change(MAIN, 2, json!([{ "range": { "start": start, "end": end }, "text": "region" }]));
    assert_eq!(editor.diagnostics(MAIN, 2), Vec::<Value>::new());
}

#[test]
fn a_sound_blueprint_has_no_diagnostics() {
    let mut editor = Editor::new();
    editor.open(MAIN, &marked(SOUND).0);
    assert_eq!(editor.diagnostics(MAIN, 1), Vec::<Value>::new());
}

#[test]
fn a_burst_of_changes_ends_in_the_newest_text() {
    let mut editor = Editor::new();
    let text = marked(SOUND).0;
    editor.open(MAIN, &text);
    for version in 2..40 {
        let start = json!({ "line": 0, "character": 0 });
        editor.change(
            MAIN,
            version,
            json!([{ "range": { "start": start, "end": start }, "text": "#" }]),
        );
    }
    editor.replace(MAIN, 40, "nonsense here\n");
    assert!(!editor.diagnostics(MAIN, 40).is_empty());
}

#[test]
fn columns_count_as_agreed() {
    let text = "let a = \"\u{1F600}\u{e9}\" + nowhere\n";
    for (offered, expected, column) in
        [("utf-8", "utf-8", 19), ("utf-16", "utf-16", 16), ("utf-32", "utf-16", 16)]
    {
        let mut editor = Editor::with(json!({ "general": { "positionEncodings": [offered] } }));
        assert_eq!(editor.offered["capabilities"]["positionEncoding"], expected);
        editor.open(MAIN, text);
        let found = editor.diagnostics(MAIN, 1);
        assert_eq!(found[0]["code"], "names/unknown", "{found:?}");
        assert_eq!(
            found[0]["range"]["start"],
            json!({ "line": 0, "character": column }),
            "{offered}"
        );
        let hover = editor.hover(MAIN, &json!({ "line": 0, "character": 4 }));
        assert!(hover.contains("let a"), "{hover}");
    }
}

#[test]
fn hovers_tell_types_values_and_facts() {
    let (text, marks) = marked(SOUND);
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    let expected: [(usize, &[&str]); 9] = [
        (1, &["let zone: string", "Where everything is."]),
        (2, &["platform of a cluster"]),
        (3, &["kind cluster on gke", "Dataplane V2"]),
        (4, &["fabric: network", "network = fabric"]),
        (
            5,
            &[
                "zone: string",
                "Where everything is.",
                "zone = \"us-east4-a\"",
                "**us-east4-a**, zone",
            ],
        ),
        (6, &["machine: MachineType", "The machine type", "a3-megagpu-8g"]),
        (7, &["8 x h100-mega-80gb", "GPUDirect-TCPXO", "MTU 8244", "Source: "]),
        (8, &["pool gpus", "max_nodes = 16", "chips = 128"]),
        (9, &["torchrun(script: string", "How a workload's processes start"]),
    ];
    for (mark, parts) in expected {
        let hover = editor.hover(MAIN, &marks[mark - 1]);
        for part in parts {
            assert!(hover.contains(part), "mark {mark}: no `{part}` in\n{hover}");
        }
    }
    let space = editor.at("textDocument/hover", MAIN, &json!({ "line": 2, "character": 0 }));
    assert_eq!(space, Value::Null);
}

#[test]
fn names_show_what_they_are_worth() {
    let (text, marks) = marked(
        "param n<1>odes: int = 4 where nodes >= 1\nlet tot<2>al = nodes * 2\nlet place = if to<3>tal > 6 { \"us-east4\" } else { \"us-east5\" }\nlet pla<4>ces = [place]\n",
    );
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    let mut hover = |mark: usize| editor.hover(MAIN, &marks[mark - 1]);
    assert!(hover(1).contains("nodes = 4"), "{}", hover(1));
    assert!(hover(2).contains("total = 8"), "{}", hover(2));
    assert!(hover(3).contains("total = 8"), "{}", hover(3));
    assert!(hover(4).contains("places = [\"us-east4\"]"), "{}", hover(4));
}

#[test]
fn a_topology_shows_the_slice_that_it_makes() {
    let (text, marks) = marked(
        "network net {\n  region = \"us-east5\"\n  subnet = 10.0.0.0/20\n  pods = 10.64.0.0/14\n}\ncluster c on gke {\n  network = net\n  zone = \"us-east5-a\"\n  pool tpus {\n    machine = \"ct5p-hightpu-4t\"\n    topology = 4x<1>4x8\n  }\n}\n",
    );
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("| chips | 128 |") && hover.contains("32, 4 chips each"), "{hover}");
}

#[test]
fn definitions_are_found_in_this_file_in_others_and_in_the_library() {
    let folder = Folder::new("definition");
    let networks = folder.write("networks.bp", "\nnetwork shared {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n  pods = 10.64.0.0/14\n}\n");
    let (text, marks) = marked(
        "use networks.{sha<1>red}\n\nlet zone = \"us-east4-a\"\n\ncluster a3m on gke {\n  network = sha<2>red\n  zo<3>ne = zo<4>ne\n  pool gpus {\n    machine = \"a3-megagpu-8g\"\n    nodes = 2\n  }\n}\n\nworkload train on a3m.gp<5>us {\n  image = \"nvcr.io/nvidia/nemo:24.07\"\n  launch = torchrun(\"train.py\")\n}\n\nparam project: Project<6>Id = \"my-project\"\n",
    );
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    let mut line = |mark: usize| {
        let found = editor.at("textDocument/definition", &main, &marks[mark - 1]);
        let uri = found["uri"].as_str().unwrap_or_default().to_owned();
        (uri, found["range"]["start"]["line"].as_u64().unwrap_or(u64::MAX))
    };
    assert_eq!(line(1), (networks.clone(), 1));
    assert_eq!(line(2), (networks, 1));
    assert_eq!(line(4), (main.clone(), 2));
    assert_eq!(line(5), (main.clone(), 7));
    let (kind, at) = line(3);
    assert_eq!(kind, "slipform://std/kinds/cluster.bp");
    let (types, _) = line(6);
    assert_eq!(types, "slipform://std/kinds/types.bp");
    for method in ["slipform/source", "workspace/textDocumentContent"] {
        let source = editor.ask(method, json!({ "uri": kind }));
        let text = source["text"].as_str().unwrap();
        assert!(
            text.lines().nth(at as usize).unwrap().trim_start().starts_with("zone:"),
            "{method}"
        );
    }
}

#[test]
fn a_file_of_a_project_is_checked_with_the_whole_project() {
    let folder = Folder::new("project");
    folder.write(
        "slipform.toml",
        "[project]\nname = \"demo\"\nsource = \"src\"\n\n[params]\nnodes = 0\n",
    );
    let main = folder.write("src/main.bp", "use sizes\n\nparam nodes: int where nodes >= 1\n\nassert sizes.most >= nodes, \"too many\"\n");
    let sizes = folder.write("src/sizes.bp", "let most = 16\n");
    let mut editor = Editor::new();
    editor.open(&main, "use sizes\n\nparam nodes: int where nodes >= 1\n\nassert sizes.most >= nodes, \"too many\"\n");
    editor.diagnostics(&main, 1);
    let toml = folder.uri("slipform.toml");
    let told = |note: &Notification| {
        note.params["uri"] == toml && note.params["diagnostics"][0]["code"] == "param/where"
    };
    assert!(editor.said.iter().any(told), "{:?}", editor.said);

    // What is typed into one file shows in the other before anything is saved.
    editor.open(&sizes, "let most = nowhere\n");
    let found = editor.diagnostics(&sizes, 1);
    assert_eq!(found.iter().filter(|it| it["code"] == "names/unknown").count(), 1, "{found:?}");
}

#[test]
fn formatting_writes_the_one_layout() {
    let mut editor = Editor::new();
    let text = "let a   =  1\nnetwork net {\nregion=\"us-east4\" # here\n    subnet   = 10.0.0.0/20\n}\nlet b = 2\n";
    editor.open(MAIN, text);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": MAIN }, "options": options });
    let edits = editor.ask("textDocument/formatting", params.clone());
    let tree = slipform_syntax::parse(slipform_source::FileId(0), text);
    let formatted = slipform_syntax::format(&tree, text);
    let index = slipform_source::LineIndex::new(text);
    let offset = |at: &Value| {
        let number = |key: &str| at[key].as_u64().unwrap() as u32;
        let position =
            slipform_source::Position { line: number("line"), column: number("character") };
        index.offset(text, position, slipform_source::Encoding::Utf16)
    };
    let mut edited = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        edited.replace_range(range, edit["newText"].as_str().unwrap());
    }
    assert_eq!(edited, formatted);

    editor.replace(MAIN, 2, &formatted);
    assert_eq!(editor.ask("textDocument/formatting", params), json!([]));
}

#[test]
fn the_outline_has_what_is_declared() {
    let mut editor = Editor::new();
    editor.open(MAIN, &marked(SOUND).0);
    let symbols =
        editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": MAIN } }));
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["zone", "fabric", "a3m", "train"]);
    assert_eq!(symbols[2]["children"][0]["name"], "gpus");
}

#[test]
fn a_fix_is_offered_where_the_mistake_is() {
    let mut editor = Editor::new();
    editor.open(MAIN, "network net {\n  regoin = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n");
    let at = json!({ "line": 1, "character": 4 });
    let params = json!({
        "textDocument": { "uri": MAIN },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][MAIN][0];
    assert_eq!(edit["newText"], "region", "{actions}");
    assert_eq!(edit["range"]["start"], json!({ "line": 1, "character": 2 }));
}

#[test]
fn a_closed_file_is_forgotten() {
    let mut editor = Editor::new();
    editor.open(MAIN, "nonsense here\n");
    assert!(!editor.diagnostics(MAIN, 1).is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": MAIN } }));
    editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": MAIN } }));
    let last = editor.said.iter().rfind(|note| note.params["uri"] == MAIN).expect("it is cleared");
    assert_eq!(last.params["diagnostics"], json!([]));
}

#[test]
fn what_is_not_understood_is_refused_and_the_server_goes_on() {
    let mut editor = Editor::new();
    let odd = Request::new(77.into(), "textDocument/unheardOf".to_owned(), json!({}));
    editor.connection.sender.send(odd.into()).unwrap();
    let Message::Response(response) = editor.receive() else { panic!("an answer is expected") };
    assert_eq!(response.response_result.unwrap_err().code, -32601);
    editor.tell("textDocument/didOpen", json!({ "odd": true }));
    editor.open(MAIN, "# nothing is wrong here\n");
    assert_eq!(editor.diagnostics(MAIN, 1), Vec::<Value>::new());
}

#[test]
fn a_document_that_was_never_saved_is_served() {
    let mut editor = Editor::new();
    editor.open("untitled:Untitled-1", "let a = nowhere\n");
    assert_eq!(editor.diagnostics("untitled:Untitled-1", 1)[0]["code"], "names/unknown");
}

#[test]
fn a_file_of_ten_thousand_lines_is_served() {
    let mut text = marked(SOUND).0;
    for at in 0..2_000 {
        text.push_str(&format!(
            "\nworkload w{at} on a3m.gpus {{\n  image  = \"nvcr.io/nvidia/nemo:24.07\"\n  launch = torchrun(\"train.py\")\n}}\n"
        ));
    }
    let lines = text.lines().count();
    assert!(lines >= 10_000, "{lines}");
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    assert_eq!(editor.diagnostics(MAIN, 1), Vec::<Value>::new());
    let middle = text.lines().position(|line| line.starts_with("workload w1000")).unwrap();
    let at = json!({ "line": middle, "character": 0 });
    editor.change(MAIN, 2, json!([{ "range": { "start": at, "end": at }, "text": "@@@" }]));
    let found = editor.diagnostics(MAIN, 2);
    assert!(found.iter().any(|it| it["range"]["start"]["line"] == middle), "{found:?}");
    let end = json!({ "line": middle, "character": 3 });
    editor.change(MAIN, 3, json!([{ "range": { "start": at, "end": end }, "text": "" }]));
    assert_eq!(editor.diagnostics(MAIN, 3), Vec::<Value>::new());
}

/// The labels that are offered at each mark of a text.
fn offered(text: &str) -> Vec<Vec<String>> {
    let (text, marks) = marked(text);
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    let labels = marks.iter().map(|mark| {
        let list = editor.at("textDocument/completion", MAIN, mark);
        let items = list["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    });
    labels.collect()
}

/// Checks what is offered at the first mark of a text, and what is not.
fn offers(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let found = offered(text).remove(0);
    for label in wanted {
        assert!(found.iter().any(|it| it == label), "`{label}` is missing in {found:?}\nof {text}");
    }
    for label in unwanted {
        assert!(
            !found.iter().any(|it| it == label),
            "`{label}` is too much in {found:?}\nof {text}"
        );
    }
}

const NETWORK: &str =
    "network net {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n  pods = 10.64.0.0/14\n}\n";

#[test]
fn statements_are_completed_by_where_they_stand() {
    offers(
        "<1>",
        &["network", "cluster on gke", "workload", "param", "let", "use"],
        &["pool", "patch", "nodes"],
    );
    offers("let a = 1\nnetw<1>\nlet b = 2\n", &["network", "existing"], &["pool"]);
    let cluster = format!("{NETWORK}cluster c on gke {{\n  network = net\n  <1>\n}}\n");
    offers(
        &cluster,
        &["zone", "location", "pool", "queue", "allow", "patch", "for"],
        &["network", "param", "region"],
    );
    let unclosed = format!("{NETWORK}cluster c on gke {{\n  pool gpus {{\n    mach<1>\n");
    offers(&unclosed, &["machine", "nodes", "capacity"], &["zone_offers", "param", "max_nodes"]);
    offers(
        "kind thing {\n  size: <1>\n}\n",
        &["int", "string", "Duration", "Capacity", "network"],
        &["param", "min"],
    );
    offers("param a: <1>", &["int", "Zone", "ProjectId", "bucket"], &["let"]);
}

#[test]
fn fields_that_are_set_are_not_offered_again() {
    let text = format!(
        "{NETWORK}cluster c on gke {{\n  network = net\n  <1>\n  zone = \"us-east4-a\"\n  release = \"rapid\"\n}}\n"
    );
    offers(&text, &["location", "version"], &["network", "zone", "release"]);
}

#[test]
fn values_are_completed_by_their_types() {
    let pool = |line: &str| {
        format!(
            "{NETWORK}param ready: bool = true\ncluster c on gke {{\n  network = net\n  pool gpus {{\n    {line}\n  }}\n}}\n"
        )
    };
    let machine = pool("machine = <1>");
    let elsewhere = "\"ct5p-hightpu-4t\"";
    offers(&machine, &["\"a3-megagpu-8g\""], &["net", "ready", "min", "\"us-east4-a\"", elsewhere]);
    offers(&machine.replace("us-east4", "us-east5"), &[elsewhere], &["net"]);
    offers(&pool("machine = \"a3<1>\""), &["a3-megagpu-8g", "a3-highgpu-8g"], &["us-east4-a"]);
    offers(&pool("machine = \"a3<1>"), &["a3-megagpu-8g"], &[]);
    offers(&pool("zone = \"<1>\""), &["us-east4-a"], &["us-east4", "a3-megagpu-8g"]);
    offers(
        &pool("capacity = <1>"),
        &["spot", "on_demand", "reservation", "flex_start"],
        &["net", "auto", "true"],
    );
    offers(&pool("capacity = reservation(<1>"), &["block", "name"], &["spot"]);
    offers(&pool("placement = <1>"), &["\"compact\"", "\"spread\"", "auto"], &["spot"]);
    offers(&pool("autoscale = <1>"), &["true", "false", "ready", "overlaps"], &["auto", "upper"]);
    offers(&pool("capacity = if ready { <1> } else { spot }"), &["spot", "reservation"], &["true"]);
    offers(&pool("nodes = <1>"), &["auto", "min"], &["spot", "true", "overlaps"]);
    // Behind a value nothing is wanted.
    assert_eq!(offered(&pool("nodes = 16 <1>")), [Vec::<String>::new()]);
    assert_eq!(offered(&pool("# machine = <1>")), [Vec::<String>::new()]);
}

#[test]
fn topologies_are_those_of_the_machine() {
    let text = format!(
        "{NETWORK}cluster c on gke {{\n  network = net\n  pool tpus {{\n    topology = 4x<1>\n    machine = \"ct6e-standard-4t\"\n  }}\n}}\n"
    );
    offers(&text, &["4x4", "8x8"], &["4x4x8", "2x2x1"]);
    offers(&text.replace("ct6e-standard-4t", "ct5p-hightpu-4t"), &["4x4x8"], &["8x8"]);
}

#[test]
fn nouns_are_offered_where_they_fit() {
    let (mut text, _) = marked(SOUND);
    text.push_str("\nworkload second on <1> {\n  image = nemo\n}\n");
    offers(&text, &["a3m.gpus"], &["fabric", "zone", "spot"]);
    offers(&text.replace("on <1>", "on a3m.<1>"), &["gpus"], &["fabric"]);
    offers("cluster c on <1>", &["gke", "slurm", "vertex"], &["network"]);
    let fields = format!("{NETWORK}let region = net.<1>\n");
    offers(&fields, &["region", "subnet"], &["param", "net"]);
    let record = "let sizes = { small = 2, large = 16 }\nlet most = sizes.<1>\n";
    offers(record, &["small", "large"], &["sizes"]);
}

#[test]
fn records_and_constructors_offer_their_fields() {
    let (text, _) = marked(SOUND);
    let with = |line: &str| {
        format!("{}\n  {line}\n}}\n", text.trim_end().trim_end_matches('}').trim_end())
    };
    offers(&with("parallel = { <1>"), &["tensor", "pipeline", "expert"], &["image"]);
    offers(&with("parallel = { tensor = 2, <1> }"), &["pipeline"], &["tensor"]);
    offers(&with("grace = 5m\n  parallel = {\n    <1>\n  }"), &["tensor"], &["grace"]);
    offers(&with("mounts = [mount(fabric, \"/data\", <1>)]"), &["folder", "read_only"], &["path"]);
}

#[test]
fn rules_and_files_are_completed() {
    let (text, _) = marked(SOUND);
    let text = text.replace("    nodes   = 16\n", "    nodes   = 16\n    allow <1>\n");
    let found = offered(&text).remove(0);
    assert!(found.iter().any(|code| code.contains('/')), "{found:?}");
    let folder = Folder::new("use");
    folder.write("slipform.toml", "");
    folder.write("shared/nets.bp", NETWORK);
    let text = "use \nuse shared.nets.{}\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    let mut labels = |line: u32, character: u32| {
        let at = json!({ "line": line, "character": character });
        let list = editor.at("textDocument/completion", &main, &at);
        let items = list["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(labels(0, 4).iter().any(|module| module == "shared.nets"), "{:?}", labels(0, 4));
    assert_eq!(labels(1, 17), ["net"]);
}

#[test]
fn what_is_offered_can_be_written() {
    for (snippets, expected) in [(true, "region = \"$1\""), (false, "region = \"\"")] {
        let support = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": snippets } } } });
        let mut editor = Editor::with(support);
        editor.open(MAIN, "network net {\n  reg\n}\n");
        let list =
            editor.at("textDocument/completion", MAIN, &json!({ "line": 1, "character": 5 }));
        let region = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .find(|item| item["label"] == "region")
            .unwrap();
        let start = json!({ "line": 1, "character": 2 });
        let end = json!({ "line": 1, "character": 5 });
        assert_eq!(
            region["textEdit"],
            json!({ "range": { "start": start, "end": end }, "newText": expected })
        );
        assert_eq!(region["insertTextFormat"], if snippets { 2 } else { 1 });
    }
}

#[test]
fn every_place_of_a_text_that_is_being_typed_is_answered() {
    use slipform_analysis::{Options, analyse, ide};
    use slipform_source::{MemoryWorld, Span};
    let (whole, _) = marked(SOUND);
    let policy = "kind rack in cluster {\n  ## é\n  size: int | \"all\" = 2\n}\n\nrule rack/size on rack {\n  when size is set\n  require size > 1\n  error \"${size} of ${len(\"a\")}\"\n  fix set size = 2\n}\n\ncomponent pair {\n  place: pool\n  image: image?\n  workload one on place { image = image }\n}\n\nlet m = [for x in 1..3 if x > 1 { \"${x}\" }]\nlet r = { for k, v in { a = 1 } { k = v } }\n";
    let texts =
        [whole.as_str(), policy, "use std.components.{nccl_test, \nlet s = \"\"\"\n a ${b.\n"];
    for text in texts {
        let places: Vec<usize> =
            text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for (number, at) in places.iter().enumerate() {
            // Cut off behind the cursor, as while it is written; and in the midst of the whole.
            let cut = text.get(..*at).unwrap();
            let typed = if number % 2 == 0 { cut } else { text };
            if number % 5 > 1 {
                continue;
            }
            let world = MemoryWorld::new([("main.bp", typed)]);
            let options = Options { path: "main.bp".into(), editor: true, ..Options::default() };
            let analysis = analyse(&world, &options);
            let file = analysis.sources.find("main.bp".into()).unwrap();
            let offered = ide::complete(&analysis, file, *at);
            let replaced = offered.found.iter().map(|it| it.replace);
            let replaced = replaced.chain(offered.patch.map(|place| place.replace));
            for range in replaced.map(Span::range) {
                assert!(typed.get(range.clone()).is_some(), "{range:?} of {typed:?}");
                assert!(range.start <= *at && *at <= range.end, "{range:?} at {at} of {typed:?}");
            }
            if let Some(hover) = ide::hover(&analysis, file, *at) {
                assert!(hover.span.touches(*at) && !hover.markdown.is_empty());
            }
            ide::definition(&analysis, file, *at);
            ide::symbols(&analysis, file);
            asked_of_all(&analysis, file, *at);
        }
    }
}

/// What else an editor asks: every answer lies in the text.
fn asked_of_all(analysis: &slipform_analysis::Analysis, file: slipform_source::FileId, at: usize) {
    use slipform_analysis::ide;
    use slipform_source::Span;
    let text = &analysis.sources.get(file).unwrap().text;
    let lies = |span: Span| {
        let source = analysis.sources.get(span.file).unwrap();
        assert!(source.text.get(span.range()).is_some(), "{span:?} at {at} of {text:?}");
    };
    let tokens = ide::tokens(analysis, file);
    tokens.iter().for_each(|token| lies(token.span));
    assert!(tokens.windows(2).all(|two| two[0].span.end <= two[1].span.start), "{tokens:?}");
    ide::folds(analysis, file);
    ide::hints(analysis, file, 0..text.len())
        .iter()
        .for_each(|it| assert!(it.offset <= text.len()));
    ide::signature(analysis, file, at);
    ide::around(analysis, file, at).into_iter().for_each(lies);
    if let Some(found) = ide::references(analysis, file, at) {
        lies(found.declared);
        found.uses.into_iter().for_each(lies);
    }
    if let Ok(found) = ide::renamed(analysis, file, at) {
        assert!(found.places.contains(&found.span), "{found:?}");
    }
    let edited = |edits: Vec<(Span, String)>| {
        let mut spans: Vec<Span> = edits.into_iter().map(|(span, _)| span).collect();
        spans.sort_unstable();
        let apart = |two: &[Span]| two[0].file != two[1].file || two[0].end <= two[1].start;
        assert!(spans.windows(2).all(apart), "{spans:?} at {at} of {text:?}");
        spans.into_iter().for_each(lies);
    };
    for action in ide::actions(analysis, &analysis.diagnostics, Span::new(file, at, at)) {
        edited(action.fix.edits);
    }
    for report in &analysis.diagnostics {
        report.fixes.iter().for_each(|fix| edited(fix.edits.clone()));
    }
    ide::without_all_unused(analysis, file).into_iter().for_each(|fix| edited(fix.edits));
    ide::moved(analysis, Span::new(file, at, at)).into_iter().for_each(|it| edited(it.edits));
    ide::unused(analysis, file).into_iter().for_each(|it| lies(it.span));
    ide::lenses(analysis, file);
    ide::type_definition(analysis, file, at).into_iter().for_each(lies);
    ide::node_at(analysis, file, at);
}
