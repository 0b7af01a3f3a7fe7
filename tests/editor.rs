//! What the language server answers, each feature with a text and what comes of it beside.
//!
//! Texts mark places with `<1>`, `<2>` ...: the marks are taken out before the server sees the text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what a test takes for granted fails it"
)]

#[path = "editor/beside.rs"]
mod beside;
#[path = "lsp/client.rs"]
mod client;
#[path = "editor/declared.rs"]
mod declared;
#[path = "editor/explained.rs"]
mod explained;
#[path = "editor/mended.rs"]
mod mended;
#[path = "editor/moves.rs"]
mod moves;
#[path = "editor/once.rs"]
mod once;
#[path = "editor/patched.rs"]
mod patched;
#[path = "editor/positions.rs"]
mod positions;
#[path = "editor/protocol.rs"]
mod protocol;
#[path = "editor/random.rs"]
mod random;
#[path = "editor/typed.rs"]
mod typed;
#[path = "editor/words.rs"]
mod words;
#[path = "editor/written.rs"]
mod written;

use client::{Editor, Folder, marked};
use serde_json::{Value, json};
use std::fmt::Write;

const MAIN: &str = "file:///blueprints/main.bp";

const FLEET: &str = r#"## Where everything is.
let place = "us-east4-a"

param slices: int = 2

network fabric {
  region   = "us-east4"
  subnet   = 10.0.0.0/20
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = place

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = slices * 8
    capacity = spot
  }
}

workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  nodes  = 4
  launch = torchrun("train.py", args = { name = "run-${slices}" })
}
"#;

/// An editor with one document, its marks, and its text.
fn opened(text: &str) -> (Editor, String, Vec<Value>) {
    let (text, marks) = marked(text);
    let mut editor = Editor::new();
    editor.open(MAIN, &text);
    editor.diagnostics(MAIN, 1);
    (editor, text, marks)
}

fn document() -> Value {
    json!({ "uri": MAIN })
}

/// The text in a range of the protocol; all of it is ASCII.
fn within<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}

fn offset(text: &str, position: &Value) -> usize {
    let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    start + usize::try_from(position["character"].as_u64().unwrap()).unwrap()
}

/// `line:column word`, counted from 1 as editors show it.
fn at(text: &str, range: &Value) -> String {
    let (line, column) = (&range["start"]["line"], &range["start"]["character"]);
    let one = |number: &Value| number.as_u64().unwrap() + 1;
    format!("{}:{} {}", one(line), one(column), within(text, range))
}

/// A text with the edits of the protocol applied.
fn edited(text: &str, edits: &[Value]) -> String {
    let mut edits: Vec<&Value> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(text, &edit["range"]["start"])));
    let mut text = text.to_owned();
    for edit in edits {
        let range = offset(&text, &edit["range"]["start"])..offset(&text, &edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn words_have_the_colours_of_what_they_stand_for() {
    let (mut editor, text, _) = opened(FLEET);
    let legend = &editor.offered["capabilities"]["semanticTokensProvider"]["legend"];
    let words: Vec<String> = legend["tokenTypes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect();
    let found =
        editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": document() }));
    let data: Vec<u64> =
        found["data"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let mut shown = String::new();
    for token in data.chunks(5) {
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        line += token[0];
        let start = json!({ "line": line, "character": column });
        let end = json!({ "line": line, "character": column + token[2] });
        let word = within(&text, &json!({ "start": start, "end": end }));
        let kind = &words[usize::try_from(token[3]).unwrap()];
        let shade = if token[4] & 1 == 1 { " (declared)" } else { "" };
        writeln!(shown, "{:>2}: {word}  {kind}{shade}", line + 1).unwrap();
    }
    insta::assert_snapshot!(shown);
    let range =
        json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let part = editor.ask(
        "textDocument/semanticTokens/range",
        json!({ "textDocument": document(), "range": range }),
    );
    assert!(part["data"].as_array().unwrap().len() < data.len() / 5);
}

#[test]
fn texts_that_nobody_can_read_have_colours_too() {
    let (mut editor, ..) =
        opened("let a = \nnetwork net {\n  region = \"us-e\n ) if \"x\" == 4x4\n");
    let found =
        editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": document() }));
    assert!(found["data"].as_array().unwrap().len() > 30, "{found}");
}

#[test]
fn uses_are_found_from_every_place_of_a_name() {
    let text = FLEET
        .replace("param slices", "param <1>slices")
        .replace("nodes    = slices", "nodes    = sli<2>ces")
        .replace("pool gpus", "pool <3>gpus")
        .replace("a3m.gpus", "a3m.gp<4>us")
        .replace("network fabric", "net<5>work fabric")
        .replace("machine  =", "mach<6>ine  =");
    let (mut editor, text, marks) = opened(&text);
    let mut shown = String::new();
    for (mark, position) in marks.iter().enumerate() {
        let params = json!({
            "textDocument": document(), "position": position, "context": { "includeDeclaration": false },
        });
        let found = editor.ask("textDocument/references", params);
        let places = found.as_array().cloned().unwrap_or_default();
        let places: Vec<String> = places.iter().map(|it| at(&text, &it["range"])).collect();
        writeln!(shown, "<{}> {}", mark + 1, places.join(", ")).unwrap();
    }
    insta::assert_snapshot!(shown);
    let marked = editor.at("textDocument/documentHighlight", MAIN, &marks[1]);
    let kinds: Vec<&Value> = marked.as_array().unwrap().iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, [3, 2, 2], "the declaration is written, the others are read");
}

/// What a rename makes of a text, or why it does not.
fn renamed(text: &str, new: &str) -> String {
    let (mut editor, text, marks) = opened(text);
    let position = &marks[0];
    if let Err(why) = editor.try_ask(
        "textDocument/prepareRename",
        json!({ "textDocument": document(), "position": position }),
    ) {
        return format!("refused: {why}");
    }
    let params = json!({ "textDocument": document(), "position": position, "newName": new });
    match editor.try_ask("textDocument/rename", params) {
        Ok(edit) => {
            let edits = edit["changes"][MAIN].as_array().cloned().unwrap_or_default();
            let lines = edited(&text, &edits);
            let changed = lines.lines().zip(text.lines()).filter(|(new, old)| new != old);
            changed.map(|(line, _)| line.trim().to_owned() + "\n").collect()
        }
        Err(why) => format!("refused: {why}"),
    }
}

#[test]
fn a_rename_reaches_every_place_or_is_refused() {
    let tries = [
        ("a parameter", FLEET.replace("slices * 8", "sl<1>ices * 8"), "count"),
        ("a pool", FLEET.replace("pool gpus", "pool g<1>pus"), "h100"),
        ("a cluster by its use", FLEET.replace("on a3m.gpus", "on a<1>3m.gpus"), "east"),
        ("a let", FLEET.replace("let place", "let <1>place"), "where_it_is"),
        ("a name that is taken", FLEET.replace("let place", "let pl<1>ace"), "slices"),
        ("no name", FLEET.replace("let place", "let pl<1>ace"), "a b"),
        ("a word of the language", FLEET.replace("let place", "let pl<1>ace"), "let"),
        ("a kind", FLEET.replace("network fabric", "net<1>work fabric"), "net"),
        ("a field", FLEET.replace("machine  =", "ma<1>chine  ="), "type_of"),
        ("a word of a type", "type P = lo<1>w | high\nlet a: P = low\n".to_owned(), "least"),
        ("a key of a record", "let a = { fi<1>rst = 1 }\nlet b = a.first\n".to_owned(), "one"),
        ("nothing", FLEET.replace("= 4\n", "= <1>4\n"), "five"),
    ];
    let mut shown = String::new();
    for (what, text, new) in tries {
        writeln!(shown, "# {what}: {new}\n{}", renamed(&text, new)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_parameter_is_renamed_in_the_project_file_and_in_other_files() {
    let folder = Folder::new("rename");
    let project = "[project]\nname = \"p\"\n\n[params]\nsize = 2\n\n[env.dev.params]\nsize = 1\n\n[env.prod.params]\n\"size\" = 3\n";
    let toml = folder.write("slipform.toml", project);
    let other = folder.write("shared/one.bp", "let most = 4\n");
    let text = "use shared.one.{most as top}\nparam size: int = 1\nlet a = size + top\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let mut rename = |line: u32, character: u32, new: &str| {
        let position = json!({ "line": line, "character": character });
        editor.try_ask(
            "textDocument/rename",
            json!({ "textDocument": { "uri": main }, "position": position, "newName": new }),
        )
    };
    let edit = rename(1, 8, "count").unwrap();
    let changed = edited(project, edit["changes"][&toml].as_array().unwrap());
    assert_eq!(changed, project.replace("size", "count"));
    let edit = rename(0, 17, "highest").unwrap();
    assert_eq!(
        edited("let most = 4\n", edit["changes"][&other].as_array().unwrap()),
        "let highest = 4\n"
    );
    let changed = edited(text, edit["changes"][&main].as_array().unwrap());
    assert_eq!(changed, text.replace("most as", "highest as"));
    // the name behind `as` is this file's own
    for at in [(0, 25), (2, 16)] {
        let edit = rename(at.0, at.1, "highest").unwrap();
        assert_eq!(edit["changes"].as_object().unwrap().len(), 1);
        let changed = edited(text, edit["changes"][&main].as_array().unwrap());
        assert_eq!(changed, text.replace("top", "highest"));
    }
}

#[test]
fn blocks_can_be_put_away() {
    let (mut editor, text, _) = opened(&format!("# one\n# two\n{FLEET}"));
    let found = editor.ask("textDocument/foldingRange", json!({ "textDocument": document() }));
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    for fold in found.as_array().unwrap() {
        let line = |key: &str| usize::try_from(fold[key].as_u64().unwrap()).unwrap();
        let (start, end) = (line("startLine"), line("endLine"));
        let kind = fold["kind"].as_str().unwrap();
        writeln!(shown, "{kind}: {} .. {}", lines[start].trim(), lines[end].trim()).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn remarks_behind_code_are_no_block_of_comments() {
    let (mut editor, ..) = opened("let a = 1 # one\nlet b = 2 # two\n  # three\n  # four\n");
    let found = editor.ask("textDocument/foldingRange", json!({ "textDocument": document() }));
    let lines = found.as_array().unwrap().iter().map(|it| (&it["startLine"], &it["endLine"]));
    assert_eq!(lines.collect::<Vec<_>>(), [(&json!(2), &json!(3))]);
}

#[test]
fn a_selection_grows_by_the_tree() {
    let (mut editor, text, marks) = opened(&FLEET.replace("slices * 8", "sl<1>ices * 8"));
    let found = editor.ask(
        "textDocument/selectionRange",
        json!({ "textDocument": document(), "positions": [marks[0]] }),
    );
    let mut shown = Vec::new();
    let mut next = &found[0];
    while next.is_object() {
        let text = within(&text, &next["range"]);
        shown.push(text.lines().next().unwrap_or_default().trim().to_owned());
        next = &next["parent"];
    }
    assert_eq!(
        shown,
        [
            "slices",
            "slices * 8",
            "nodes    = slices * 8",
            "pool gpus {",
            "cluster a3m on gke {",
            "## Where everything is.",
        ]
    );
}

#[test]
fn what_follows_stands_between_the_words() {
    insta::assert_snapshot!(hinted(FLEET));
}

/// A text with the hints of an editor in it, each as `<hint>`.
fn hinted(text: &str) -> String {
    let (mut editor, text, _) = opened(text);
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let found =
        editor.ask("textDocument/inlayHint", json!({ "textDocument": document(), "range": range }));
    let hints = found.as_array().unwrap().iter();
    let edits: Vec<Value> = hints
        .map(|hint| {
            let text = format!("  <{}>", hint["label"].as_str().unwrap());
            let at = &hint["position"];
            json!({ "range": { "start": at, "end": at }, "newText": text })
        })
        .collect();
    edited(&text, &edits)
}

#[test]
fn a_line_has_the_value_that_it_gives() {
    let branches = "if prod { nodes = big } else { nodes = small<1> }";
    let text = FLEET.replace("nodes    = slices * 8", branches)
        + "\nparam prod: bool = true\nlet big = 16\nlet small = 4\n";
    let shown = hinted(&text.replace("<1>", ""));
    assert!(shown.contains("if prod { nodes = big  <= 16> } else { nodes = small }"), "{shown}");
    let (mut editor, _, marks) = opened(&text);
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("small = 4") && !hover.contains("16"), "{hover}");

    let component = "component c {\n  location: string\n  bucket b {\n    location = \"us-east5\"\n  }\n}\n\
        let home = \"us-east4\"\nc x {\n  location = ho<1>me\n}\n";
    // what it is given, and not what it gives a field of the same name
    let shown = hinted(&component.replace("<1>", ""));
    assert!(
        shown.contains("= home  <= \"us-east4\">") && shown.matches('<').count() == 1,
        "{shown}"
    );
    let (mut editor, _, marks) = opened(component);
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("home = \"us-east4\"") && !hover.contains("us-east5"), "{hover}");

    let many = |condition: &str| {
        let text = format!(
            "for i in 0..8 {{\n  bucket b {{\n    if {condition} {{\n      loca<1>tion = \"us-east4\"\n    }}\n  }}\n}}\n"
        );
        let (mut editor, _, marks) = opened(&text);
        editor.hover(MAIN, &marks[0])
    };
    assert!(!many("i > 100").contains("more"), "{}", many("i > 100"));
    let some = many("i > 2");
    assert!(some.contains("b[3].location") && some.contains("# and 2 more"), "{some}");
}

#[test]
fn what_stands_in_a_call_has_its_value_too() {
    let text = FLEET
        .replace("args = { name", "args = { size = slices + 1, three = 3, name")
        .replace("  nodes  = 4\n", "  nodes  = 4\n  env = { PLACE = \"${place}!\" }\n");
    let shown = hinted(&text);
    for part in [
        "{ size = slices + 1  <= 3>, three = 3, ",
        "\"run-${slices}\"  <= \"run-2\">",
        "<= \"us-east4-a!\">",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("static"), "what a call is not given: {shown}");
}

#[test]
fn what_auto_came_to_stands_behind_it_and_what_is_left_out_in_the_hint_of_the_head() {
    let text = FLEET
        .replace(
            "    capacity = spot\n",
            "    capacity = spot\n    zone = auto\n    disk_type = auto\n",
        )
        .replace("  nodes  = 4\n", "  nodes  = 4\n  processes = au<1>to\n  grace = auto\n")
        + "\ncluster v5e on gke {\n  network = fabric\n  zone = \"us-east5-a\"\n  pool slice {\n    machine = \"ct5lp-hightpu-4t\"\n    topology = 4x4\n    nodes = auto\n  }\n}\n";
    insta::assert_snapshot!(hinted(&text.replace("<1>", "")));
    let (mut editor, _, marks) = opened(&text);
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("processes = 8") && hover.contains("The compiler chooses"), "{hover}");
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": document(), "range": range });
    let found = editor.ask("textDocument/inlayHint", params.clone());
    let all = found.to_string();
    assert!(all.contains("accelerators = 8, which is left out"), "{all}");
    assert!(
        all.contains("8 NICs a node: nics.data_nics, interfaces of each node besides the first"),
        "{all}"
    );
    assert!(!all.contains("processes = 8, which is left out"), "it is written: {all}");
    assert_eq!(all.matches("8 NICs a node: ").count(), 2, "of the pool and of the run: {all}");
    let (mut editor, ..) =
        opened(&FLEET.replace("  nodes  = 4\n", "  nodes  = 4\n  fabric = \"off\"\n"));
    let found = editor.ask("textDocument/inlayHint", params);
    assert_eq!(
        found.to_string().matches("8 NICs a node: ").count(),
        1,
        "the run does not use them"
    );
}

#[test]
fn above_a_noun_stands_who_uses_it_and_what_it_renders_to() {
    let (mut editor, found, shown) = lenses(FLEET);
    insta::assert_snapshot!(shown);
    let lens = found
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["command"]["command"] == "slipform.showArtifacts");
    let path = &lens.unwrap()["command"]["arguments"][2][0];
    let artifact =
        editor.ask("slipform/artifact", json!({ "textDocument": document(), "path": path }));
    let rendered = artifact["text"].as_str().unwrap();
    assert!(rendered.len() > 100, "{path}: {artifact}");
    let parts = artifact["parts"].as_array().unwrap();
    assert!(!parts.is_empty(), "{artifact}");
    for part in parts {
        let line = usize::try_from(part["line"].as_u64().unwrap()).unwrap();
        let said = rendered.lines().nth(line).unwrap().trim().trim_start_matches("# ");
        let head = within(&marked(FLEET).0, &part["range"]).to_owned();
        assert_eq!((part["uri"].as_str(), head.as_str()), (Some(MAIN), said), "what a line is of");
    }
}

#[test]
fn above_the_nouns_of_a_large_blueprint_stands_what_they_render_to_once_nobody_types() {
    let buckets = (0..120).map(|at| format!("bucket b{at} {{\n  location = \"us-east4\"\n}}\n"));
    let text = "let unused = 1\n".to_owned() + &buckets.collect::<String>();
    let refreshed = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
    let mut editor = Editor::with(refreshed);
    editor.open(MAIN, &text);
    let titles = |editor: &mut Editor| {
        let found = editor.ask("textDocument/codeLens", json!({ "textDocument": document() }));
        let titles = found.as_array().unwrap().iter();
        titles.filter(|it| it["command"]["command"] == "slipform.showArtifacts").count()
    };
    let told =
        |editor: &Editor| editor.asked.iter().any(|it| it.method == "workspace/codeLens/refresh");
    for _ in 0..100 {
        if told(&editor) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        titles(&mut editor);
    }
    assert!(told(&editor), "told to ask anew");
    assert_eq!(titles(&mut editor), 120);
    // and while a text is broken for now, it stays
    editor.replace(MAIN, 2, &text.replace("let unused = 1", "let unused = b0.nothing"));
    assert_eq!(titles(&mut editor), 120);
}

/// What stands above the heads of a text, also as lines.
fn lenses(text: &str) -> (Editor, Value, String) {
    let (mut editor, text, _) = opened(text);
    let found = editor.ask("textDocument/codeLens", json!({ "textDocument": document() }));
    let mut shown = String::new();
    for lens in found.as_array().unwrap() {
        let title = lens["command"]["title"].as_str().unwrap();
        writeln!(shown, "{}: {title}", within(&text, &lens["range"])).unwrap();
    }
    (editor, found, shown)
}

#[test]
fn above_a_head_stands_who_uses_any_of_its_nouns() {
    let pools = FLEET
        .replace("  pool gpus {", "  for i in 0..3 {\n  pool gpus {")
        .replace("capacity = spot\n  }\n", "capacity = spot\n  }\n  }\n")
        .replace("train on a3m.gpus {", "train on a3m.gpus[1] {");
    let second = "\nworkload second on a3m.gpus[2] {\n  image = \"i:1\"\n  nodes = 1\n  launch = torchrun(\"a.py\")\n}\n";
    let (_, found, shown) = lenses(&(pools + second));
    assert!(shown.contains("pool gpus: used by 2 workloads\n"), "{shown}");
    let mut all = found.as_array().unwrap().iter();
    let used = all.find(|it| it["command"]["title"] == "used by 2 workloads").unwrap();
    assert_eq!(used["command"]["arguments"][2].as_array().unwrap().len(), 2, "{used}");

    let run = |name: &str| {
        let fields = "    image = \"i:1\"\n    nodes = 1\n    launch = torchrun(\"a.py\")\n";
        format!("  workload {name} on place {{\n{fields}  }}\n")
    };
    let component = format!("component two {{\n  place: pool\n{}{}}}\n", run("one"), run("other"));
    let (_, found, shown) = lenses(&format!("{FLEET}{component}two x on a3m.gpus {{\n}}\n"));
    let mut all = found.as_array().unwrap().iter();
    let arguments = |it: &Value| it["command"]["arguments"].to_string();
    let of_both =
        all.any(|it| ["x-one", "x-other"].iter().all(|name| arguments(it).contains(name)));
    assert!(of_both, "{shown}{found}");
}

#[test]
fn a_call_says_what_it_takes() {
    let with = |call: &str| {
        FLEET.replace("launch = torchrun(\"train.py\", args = { name = \"run-${slices}\" })", call)
    };
    let mut shown = String::new();
    for call in [
        "launch = torchrun(<1>)",
        "launch = torchrun(\"a.py\", <1>",
        "launch = torchrun(\"a.py\", module = tr<1>ue)",
        "launch = torchrun(\"a.py\")<1>",
        "launch = torchrun(\"a)b\", <1>)",
        "launch = torchrun(join([\"a\"], \"b\")<1>, nodes = 3)",
        "mounts = [mount(scratch(<1>), \"/a\")]",
        "mounts = [mount(scratch(1GiB), \"/a\", read_only = <1>)]",
        "mounts = [mount(scratch(1GiB), read_only = true, <1>)]",
        "labels = { a = upper(<1>) }",
        "labels = { a = replace(\"a\", \"b\", <1>) }",
    ] {
        let (mut editor, _, marks) = opened(&with(call));
        let found = editor.at("textDocument/signatureHelp", MAIN, &marks[0]);
        writeln!(shown, "{call}").unwrap();
        let Some(signature) = found["signatures"].get(0) else {
            writeln!(shown, "  nothing").unwrap();
            continue;
        };
        let label = signature["label"].as_str().unwrap();
        let active = found["activeParameter"].as_u64();
        let active = active.map(|at| {
            let range = &signature["parameters"][usize::try_from(at).unwrap()]["label"];
            let bound = |at: usize| usize::try_from(range[at].as_u64().unwrap()).unwrap();
            label[bound(0)..bound(1)].to_owned()
        });
        writeln!(shown, "  {label}\n  {}", active.unwrap_or_default()).unwrap();
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn a_component_says_what_it_takes() {
    let mut shown = String::new();
    for line in ["layers = <1>", "max_run = <1>", "<1>", "args = { a<1> = 1 }"] {
        let tune = format!(
            "use std.components.{{megatron}}\n{FLEET}megatron tune on a3m.gpus {{\n  {line}\n}}\n"
        );
        let (mut editor, _, marks) = opened(&tune);
        let found = editor.at("textDocument/signatureHelp", MAIN, &marks[0]);
        let signature = &found["signatures"][0];
        let label = signature["label"].as_str().unwrap();
        let active = found["activeParameter"].as_u64();
        writeln!(shown, "{line}\n  {label}\n  {active:?}").unwrap();
    }
    insta::assert_snapshot!(shown);
}

/// What can be done at the first mark, or between the first two, and what each makes of the text.
fn done(text: &str, only: Option<&str>) -> String {
    let (mut editor, text, marks) = opened(text);
    let range = json!({ "start": marks[0], "end": marks.last() });
    let mut context = json!({ "diagnostics": [] });
    if let Some(only) = only {
        context["only"] = json!([only]);
    }
    let params = json!({ "textDocument": document(), "range": range, "context": context });
    let found = editor.ask("textDocument/codeAction", params);
    let mut shown = String::new();
    for action in found.as_array().unwrap() {
        writeln!(
            shown,
            "{} ({})",
            action["title"].as_str().unwrap(),
            action["kind"].as_str().unwrap()
        )
        .unwrap();
        let edits = action["edit"]["changes"][MAIN].as_array().unwrap();
        let new = edited(&text, edits);
        // what is laid out stays so
        let laid_out = |text: &str| {
            let tree = slipform_syntax::parse(slipform_source::FileId(0), text);
            tree.problems.is_empty().then(|| slipform_syntax::format(&tree, text))
        };
        let was = laid_out(&text).is_some_and(|it| it == text);
        assert!(!was || laid_out(&new).is_none_or(|it| it == new), "as `fmt` does it:\n{new}");
        let diff = similar_lines(&text, &new);
        shown.push_str(&diff);
    }
    shown
}

/// The lines of a text that another has not, and the reverse.
fn similar_lines(old: &str, new: &str) -> String {
    let mut shown = String::new();
    let (olds, news): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = olds.iter().zip(&news).take_while(|(a, b)| a == b).count();
    let rest = olds.len().min(news.len()) - head;
    let tail =
        olds.iter().rev().zip(news.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    for line in &olds[head..olds.len() - tail] {
        writeln!(shown, "  - {line}").unwrap();
    }
    for line in &news[head..news.len() - tail] {
        writeln!(shown, "  + {line}").unwrap();
    }
    shown
}

#[test]
fn a_component_of_another_file_is_brought_in_from_there() {
    let folder = Folder::new("component");
    folder.write("slipform.toml", "");
    folder.write("parts.bp", "component thing {\n  size: int = 1\n}\n");
    let text = "thing x {\n}\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    let found = editor.diagnostics(&main, 1);
    let help = "it is a component of `parts`: add `use parts.{thing}`";
    assert!(found.iter().any(|it| it["message"].as_str().unwrap().contains(help)), "{found:?}");
    let at = json!({ "line": 0, "character": 2 });
    let params = json!({
        "textDocument": { "uri": main }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
    });
    let actions = editor.ask("textDocument/codeAction", params);
    let edits = actions[0]["edit"]["changes"][&main].as_array().unwrap();
    assert_eq!(edited(text, edits), format!("use parts.{{thing}}\n{text}"));
}

#[test]
fn a_noun_that_is_to_be_renamed_can_say_what_it_was() {
    let title = "keep what is outside when this is renamed";
    let tries = [
        (FLEET.replace("pool gpus", "pool gp<1>us"), Some("  +     was      = \"gpus\"\n")),
        (
            "identity tra<1>iner {}\n".to_owned(),
            Some("  + identity trainer {\n  +   was = \"trainer\"\n  + }\n"),
        ),
        ("for i in 0..1 {\n  identity tra<1>iner {}\n}\n".to_owned(), None),
        ("identity tra<1>iner {\n  was = \"one\"\n}\n".to_owned(), None),
    ];
    for (text, wanted) in tries {
        let shown = done(&text, Some("refactor.rewrite"));
        match wanted {
            Some(wanted) => assert!(shown.contains(title) && shown.ends_with(wanted), "{shown}"),
            None => assert_eq!(shown, "", "{text}"),
        }
    }
    let (mut editor, _, marks) =
        opened(&FLEET.replace("pool gpus {", "pool gpus {\n    w<1>as = \"old\""));
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(
        hover.contains("was: FormerName") && hover.contains("goes on calling it so"),
        "{hover}"
    );
}

#[test]
fn values_are_written_as_a_blueprint_writes_them() {
    let (mut editor, _, marks) =
        opened("let la<1>bels = { \"a b\" = 1, c = 2 }\noutput o = labels\n");
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("labels = { \"a b\" = 1, c = 2 }"), "{hover}");
    let one = FLEET.replace("slices * 8", "1").replace("a3-megagpu-8g", "a2-highgpu-1g");
    let shown = hinted(&one);
    assert!(shown.contains("<1 chip>") && shown.contains("<up to 1 node>"), "{shown}");
}

#[test]
fn what_is_missing_can_be_added_and_what_is_too_much_taken_away() {
    let tries = [
        ("fields that are missing", "network ne<1>t {\n}\n".to_owned()),
        (
            "fields that nobody knows the values of",
            FLEET.to_owned() + "\nworkload ot<1>her on a3m.gpus { }\n",
        ),
        (
            "fields of a queue",
            FLEET.replace("  pool gpus {", "  queue q<1> {\n  }\n\n  pool gpus {"),
        ),
        (
            "fields of a component",
            "use std.components.{megatron}\n".to_owned()
                + FLEET
                + "\nmegatron benc<1>h on a3m.gpus {\n  nodes  = 4\n  layers = 2\n}\n",
        ),
        ("a component", FLEET.to_owned() + "\nnccl<1>_test bench on a3m.gpus {\n}\n"),
        ("a `let` that nothing speaks of", format!("let id<1>le = 4\n{FLEET}")),
        (
            "a `let` in a noun that nothing speaks of",
            FLEET.replace("  region ", "  ## Why.\n  let id<1>le = 4\n  region "),
        ),
        ("a misspelt field", FLEET.replace("region   =", "re<1>goin   =")),
        ("a field that is shortened", FLEET.replace("  image  =", "  im<1>g  =")),
        (
            "a field that is set twice",
            FLEET.replace("  nodes  = 4\n", "  nodes  = 4\n  nod<1>es  = 2\n"),
        ),
        (
            "an allowance of what holds",
            FLEET.replace(
                "  nodes  = 4\n",
                "  nodes  = 4\n  al<1>low workload/waits-for-queue \"so\"\n",
            ),
        ),
        ("a comparison turned round", format!("param least: int = 2 where least <1>=> 1\n{FLEET}")),
        ("a selected value", FLEET.replace("= \"us-east4\"\n", "= <1>\"us-east4\"<2>\n")),
        ("a `let` at its use", FLEET.replace("= place", "= pl<1>ace")),
        ("a rule", FLEET.replace("nodes  = 4", "nodes  = <1>400")),
        ("a range that another meets", FLEET.replace("10.64.0.0/14", "<1>10.0.0.0/14")),
        ("a mistake that is there twice", format!("{FLEET}{}", twice("lo<1>caton"))),
        ("a noun that others may be like", FLEET.replace("workload train", "workload tra<1>in")),
    ];
    let mut shown = String::new();
    for (what, text) in tries {
        writeln!(shown, "# {what}\n{}", done(&text, None)).unwrap();
    }
    insta::assert_snapshot!(shown);
}

/// Two buckets with the same mistake.
fn twice(field: &str) -> String {
    let second = field.replace("<1>", "");
    format!(
        "\nbucket a {{\n  {field} = \"us-east4\"\n}}\n\nbucket b {{\n  {second} = \"us-east4\"\n}}\n"
    )
}

#[test]
fn only_what_is_asked_for_is_offered() {
    let text = FLEET.replace("region   =", "re<1>goin   =").replace("zone    =", "zoen    =");
    let all = done(&text, Some("source.fixAll"));
    assert!(all.starts_with("mend all that can be mended (source.fixAll.slipform)"), "{all}");
    assert!(all.contains("+   region") && all.contains("+   zone"), "{all}");
    assert_eq!(done(&text, Some("refactor")), "");
    let mends = done(&text, Some("quickfix"));
    assert!(mends.contains("(quickfix)") && !mends.contains("fixAll"), "{mends}");
}

#[test]
fn paths_of_use_lead_to_files_and_types_to_their_declarations() {
    let text =
        "use std.components.{nccl_test}\nparam zo<1>ne: Zone = \"us-east4-a\"\nlet a = zone\n"
            .to_owned()
            + &FLEET
                .replace("capacity = spot", "capa<2>city = spot")
                .replace("= torchrun(", "= torch<3>run(")
                .replace(
                    "  nodes  = 4\n",
                    "  nodes  = 4\n  mounts = [mou<4>nt(data, \"/data\")]\n",
                )
            + "\nbucket data {\n  location = \"us-east4\"\n}\n";
    let (mut editor, text, marks) = opened(&text);
    let links = editor.ask("textDocument/documentLink", json!({ "textDocument": document() }));
    assert_eq!(within(&text, &links[0]["range"]), "nccl_test");
    let target = links[0]["target"].as_str().unwrap();
    assert!(target.starts_with("slipform://std/components/"), "{target}");
    let content = editor.ask("workspace/textDocumentContent", json!({ "uri": target }));
    assert!(content["text"].as_str().unwrap().contains("component"), "{content}");
    let capacity = editor.at("textDocument/typeDefinition", MAIN, &marks[1]);
    assert_eq!(capacity["uri"], "slipform://std/kinds/types.bp", "{capacity}");
    let content = editor.ask("workspace/textDocumentContent", json!({ "uri": capacity["uri"] }));
    let types = content["text"].as_str().unwrap();
    for (mark, declared) in [(1, "Capacity"), (2, "Launch"), (3, "Mount")] {
        let found = editor.at("textDocument/typeDefinition", MAIN, &marks[mark]);
        assert_eq!(within(types, &found["range"]), declared, "{found}");
    }
    let symbols = editor
        .ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": capacity["uri"] } }));
    assert!(symbols.as_array().unwrap().len() > 20, "texts of the library have outlines");
}

#[test]
fn declarations_of_all_files_are_found_by_their_letters() {
    let (mut editor, ..) = opened(FLEET);
    let mut names = |query: &str| {
        let found = editor.ask("workspace/symbol", json!({ "query": query }));
        let found = found.as_array().unwrap().clone();
        found.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("gp"), ["gpus"]);
    assert_eq!(names("a"), ["place", "fabric", "a3m", "train"]);
    assert_eq!(names("zzz"), Vec::<String>::new());
}

#[test]
fn nouns_say_what_they_need_and_what_needs_them() {
    let (mut editor, _, marks) = opened(&FLEET.replace("pool gpus", "pool g<1>pus"));
    let found = editor.at("textDocument/prepareCallHierarchy", MAIN, &marks[0]);
    assert_eq!(found[0]["name"], "a3m.gpus");
    let item = json!({ "item": found[0] });
    let name = |calls: &Value, end: &str| {
        let calls = calls.as_array().unwrap().clone();
        calls.iter().map(|it| it[end]["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let incoming = editor.ask("callHierarchy/incomingCalls", item.clone());
    assert_eq!(name(&incoming, "from"), ["train"]);
    let outgoing = editor.ask("callHierarchy/outgoingCalls", item);
    assert_eq!(name(&outgoing, "to"), ["a3m"]);
    // a component is called by what it makes
    let data =
        "component d<1>ata {\n  place: string\n  bucket data {\n    location = place\n  }\n}\n\n";
    let both =
        "component both {\n  data near {\n    place = \"us-east4\"\n  }\n}\n\nbo<2>th all {\n}\n";
    let (mut editor, _, marks) = opened(&format!("{data}{both}"));
    let calls = |editor: &mut Editor, mark: &Value, way: &str| {
        let found = editor.at("textDocument/prepareCallHierarchy", MAIN, mark);
        let method = format!("callHierarchy/{way}Calls");
        let calls = editor.ask(&method, json!({ "item": found[0] }));
        name(&calls, if way == "incoming" { "from" } else { "to" })
    };
    assert_eq!(calls(&mut editor, &marks[0], "incoming"), ["near"]);
    assert_eq!(calls(&mut editor, &marks[1], "incoming"), ["all"]);
    assert_eq!(calls(&mut editor, &marks[1], "outgoing"), ["component data"]);
}

#[test]
fn names_that_nothing_speaks_of_are_paler() {
    let text = "use std.components.{nccl_test}\nlet idle = 4\nparam unread: int = 1\nlet used = 2\noutput x = used\n";
    let mut editor = Editor::new();
    editor.open(MAIN, text);
    let found = editor.diagnostics(MAIN, 1);
    let pale: Vec<&str> = found
        .iter()
        .filter(|it| it["tags"] == json!([1]))
        .map(|it| within(text, &it["range"]))
        .collect();
    assert_eq!(pale, ["idle", "unread", "nccl_test"], "{found:?}");
}

#[test]
fn a_layout_changes_no_more_lines_than_it_must() {
    let text = "let a   = 1\n\n\nnetwork net {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n\nlet b =   2\n";
    let (mut editor, text, _) = opened(text);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = editor
        .ask("textDocument/formatting", json!({ "textDocument": document(), "options": options }));
    let edits = edits.as_array().unwrap().clone();
    let touched: Vec<&str> = edits.iter().map(|it| within(&text, &it["range"])).collect();
    assert_eq!(touched, ["let a   = 1\n", "\n", "let b =   2\n"]);
    let laid_out = edited(&text, &edits);
    assert_eq!(laid_out.lines().next(), Some("let a = 1"));
    let range =
        json!({ "start": { "line": 8, "character": 0 }, "end": { "line": 8, "character": 3 } });
    let part = editor.ask(
        "textDocument/rangeFormatting",
        json!({ "textDocument": document(), "options": options, "range": range }),
    );
    assert_eq!(part.as_array().unwrap().len(), 1, "{part}");

    let closed =
        "network net {\n    region = \"us-east4\"\n subnet = 10.0.0.0/20\n}<1>\nlet b =   2\n";
    let (mut editor, text, marks) = opened(closed);
    let typed =
        json!({ "textDocument": document(), "position": marks[0], "ch": "}", "options": options });
    let edits = editor.ask("textDocument/onTypeFormatting", typed);
    let laid_out = edited(&text, edits.as_array().unwrap());
    assert!(
        laid_out.contains("\n  region = ") && laid_out.ends_with("let b =   2\n"),
        "{laid_out}"
    );
}

#[test]
fn ends_of_lines_stay_as_they_are() {
    let mut editor = Editor::new();
    editor.open(MAIN, "let a   = 1\r\nlet b = 2\r\n");
    let edits = editor.ask("textDocument/formatting", json!({ "textDocument": document() }));
    assert_eq!(edits.as_array().unwrap().len(), 1, "{edits}");
    assert_eq!(edits[0]["newText"], "let a = 1\r\n");
}

#[test]
fn another_environment_needs_no_restart() {
    let folder = Folder::new("environment");
    folder.write("slipform.toml", "[env.dev.params]\nsize = 1\n\n[env.prod.params]\nsize = 3\n");
    let text = "param size: int\nlet total = size * 8\noutput x = total\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let hover = |editor: &mut Editor| editor.hover(&main, &json!({ "line": 1, "character": 6 }));
    editor.tell(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "slipform": { "environment": "prod" } } }),
    );
    assert!(hover(&mut editor).contains("24"), "{}", hover(&mut editor));
    let lens = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": main } }));
    assert_eq!(lens[0]["command"]["title"], "environment: prod");
    editor
        .tell("workspace/didChangeConfiguration", json!({ "settings": { "environment": "dev" } }));
    assert!(hover(&mut editor).contains("8"), "{}", hover(&mut editor));
}

#[test]
fn a_document_without_a_file_leaves_nothing_behind() {
    let mut editor = Editor::new();
    let uri = "untitled:Untitled-1";
    editor.open(uri, "network net {\n  regoin = 1\n}\n");
    assert!(!editor.diagnostics(uri, 1).is_empty());
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    editor.ask("workspace/symbol", json!({ "query": "" }));
    let last = editor.said.iter().rev().find(|note| note.params["uri"] == uri);
    assert_eq!(last.expect("a report").params["diagnostics"], json!([]));
}

#[test]
fn after_the_goodbye_nothing_is_answered() {
    let mut editor = Editor::new();
    editor.ask("shutdown", Value::Null);
    let why = editor.try_ask("workspace/symbol", json!({ "query": "" })).unwrap_err();
    assert_eq!(why, "the server has been shut down");
    editor.ends();
}

/// What is offered at the mark, what fits best first.
fn offered(text: &str) -> Vec<String> {
    let (mut editor, _, marks) = opened(text);
    let list = editor.at("textDocument/completion", MAIN, &marks[0]);
    let items = list["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_patch_is_completed_by_the_fields_of_its_consumer() {
    let pool = |patch: &str| {
        FLEET.replace("    capacity = spot\n", &format!("    capacity = spot\n{patch}\n"))
    };
    let documents = offered(&pool("    patch <1>"));
    assert_eq!(documents, ["node_pool", "resource_flavor"]);
    // a run has the documents of its platform
    let of_run = offered(&FLEET.replace("  nodes  = 4\n", "  nodes  = 4\n  patch <1>\n"));
    assert!(of_run.contains(&"jobset".to_owned()), "{of_run:?}");
    assert!(!of_run.iter().any(|it| it == "sbatch" || it == "custom_job"), "{of_run:?}");
    let fields = offered(&pool("    patch node_pool {\n      <1>\n    }"));
    assert!(fields.contains(&"max_pods_per_node".to_owned()), "{fields:?}");
    assert!(!fields.contains(&"instance_group_urls".to_owned()), "only the provider sets it");
    let inner = offered(&pool(
        "    patch node_pool {\n      management = { auto_repair = true, <1> }\n    }",
    ));
    assert_eq!(inner, ["auto_upgrade"]);
    let job = FLEET.replace(
        "  nodes  = 4\n",
        "  nodes  = 4\n  patch jobset {\n    spec = { replicatedJobs = [{ template = { spec = { <1> } } }] }\n  }\n",
    );
    let fields = offered(&job);
    assert_eq!(fields[0], "template", "what is required comes first: {fields:?}");
    assert!(fields.contains(&"backoffLimit".to_owned()), "{fields:?}");
    let (mut editor, _, marks) =
        opened(&pool("    patch node_pool {\n      management = { auto_re<1>pair = true }\n    }"));
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("management.auto_repair: a boolean"), "{hover}");
}

#[test]
fn what_is_offered_is_narrowed_to_what_fits_here() {
    let zones = offered(&FLEET.replace("zone    = place", "zone    = \"<1>\""));
    assert!(zones[0].starts_with("us-east4-"), "{zones:?}");
    let machines = offered(&FLEET.replace("\"a3-megagpu-8g\"", "\"<1>\""));
    assert!(machines.contains(&"a3-megagpu-8g".to_owned()));
    assert!(!machines.contains(&"hgx-h100".to_owned()), "a preset of a site's own floor");
    let in_cluster = offered(&FLEET.replace("  pool gpus {", "  <1>\n  pool gpus {"));
    assert!(in_cluster.contains(&"pool".to_owned()) && in_cluster.contains(&"queue".to_owned()));
    assert!(!in_cluster.contains(&"partition".to_owned()), "{in_cluster:?}");
    let compared = offered(&format!(
        "{FLEET}\nparam where_to: \"gke\" | \"slurm\" = \"gke\"\nlet a = where_to == \"<1>\"\n"
    ));
    assert_eq!(compared, ["gke", "slurm"]);
    assert_eq!(offered(&format!("{FLEET}\nworkload second <1>\n")), ["on"]);
    let mounts = offered(
        &(FLEET.replace("  nodes  = 4\n", "  nodes  = 4\n  mounts = [<1>]\n")
            + "\nbucket data {\n  location = \"us-east4\"\n}\n"),
    );
    assert!(mounts.contains(&"data".to_owned()), "{mounts:?}");
}

#[test]
fn an_example_of_a_range_is_free() {
    let (mut editor, _, marks) =
        opened(&format!("{FLEET}\nnetwork other {{\n  region = \"us-east4\"\n  <1>\n}}\n"));
    let list = editor.at("textDocument/completion", MAIN, &marks[0]);
    let item = |label: &str| {
        let items = list["items"].as_array().unwrap().iter();
        items.clone().find(|it| it["label"] == label).unwrap()["textEdit"]["newText"].clone()
    };
    assert_eq!(item("subnet"), "subnet = 10.0.16.0/20");
    assert_eq!(item("pods"), "pods = 10.4.0.0/14");
    let hover = FLEET.replace("10.0.0.0/20", "10.0.<1>0.0/20");
    let (mut editor, _, marks) = opened(&hover);
    let hover = editor.hover(MAIN, &marks[0]);
    assert!(hover.contains("10.0.0.0 to 10.0.15.255, 4096 addresses"), "{hover}");
}

#[test]
fn a_part_that_cannot_be_laid_out_alone_stays_as_it_is() {
    let text = "cluster managed on vertex {\n       region    =   \"us-central1\"\n      \n  machine  = \"a3-megagpu-8g\"\n\n}\n";
    let (mut editor, text, _) = opened(text);
    let part = |from: u32, to: u32| json!({ "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } });
    for (from, to) in [(1, 3), (1, 2), (2, 5), (0, 6), (3, 4)] {
        let edits = editor.ask(
            "textDocument/rangeFormatting",
            json!({ "textDocument": document(), "range": part(from, to) }),
        );
        let new = edited(&text, edits.as_array().unwrap());
        assert!(new.contains("machine") && new.contains("region") && new.ends_with("}\n"), "{new}");
    }
}

#[test]
fn edits_of_a_layout_never_meet() {
    for text in
        ["  }\n  }\n}\n", "a\n\n\n  }\nlet a   = 1\n}\n\n\n}\n", "network net {\n}\n}\n}\n\n\n"]
    {
        let (mut editor, ..) = opened(text);
        let edits = editor.ask("textDocument/formatting", json!({ "textDocument": document() }));
        let place = |edit: &Value, end: &str| {
            let at = &edit["range"][end];
            (at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap())
        };
        let edits = edits.as_array().unwrap();
        let apart = edits.windows(2).all(|two| place(&two[0], "end") < place(&two[1], "start"));
        assert!(apart, "{edits:?}");
    }
}

#[test]
fn a_name_of_both_branches_is_renamed_in_both() {
    let bucket = "  bucket data {\n    location = \"us-east4\"\n  }\n";
    let text = format!(
        "param p: bool = true\nif p {{\n{bucket}}} else {{\n{}}}\noutput o = data.url\n",
        bucket.replace("bucket data", "bucket da<1>ta")
    );
    let lines = renamed(&text, "files");
    assert_eq!(lines, "bucket files {\nbucket files {\noutput o = files.url\n");
}

#[test]
fn a_file_that_comes_back_belongs_to_its_project_again() {
    let folder = Folder::new("adopt");
    folder.write("slipform.toml", "");
    let (used, text) = ("use shared.two.{x}\noutput o = x\n", "let x = 1\n");
    let (main, two) = (folder.write("main.bp", used), folder.write("shared/two.bp", text));
    let mut editor = Editor::new();
    editor.open(&main, used);
    editor.open(&two, text);
    let uses = |editor: &mut Editor| {
        let position = json!({ "line": 0, "character": 4 });
        let params = json!({
            "textDocument": { "uri": two }, "position": position, "context": { "includeDeclaration": false },
        });
        editor.ask("textDocument/references", params).as_array().map_or(0, Vec::len)
    };
    assert_eq!(uses(&mut editor), 2);
    editor.replace(&main, 2, "# use shared.two.{x}\noutput o = 1\n");
    assert_eq!(uses(&mut editor), 0);
    editor.replace(&main, 3, used);
    assert_eq!(uses(&mut editor), 2);
}

#[test]
fn blocks_and_whole_files_have_names_that_nothing_speaks_of() {
    let folder = Folder::new("idle");
    folder.write("slipform.toml", "");
    folder.write("shared/sizes.bp", "let most = 4\n");
    let net = "network net {\n  region = \"us-east4\"\n  subnet = 10.0.0.0/20\n}\n";
    folder.write("shared/nets.bp", net);
    let blocks = |name: &str, kind: &str| {
        format!(
            "{kind} {{\n  let {name} = 1\n  let {name}_spoken = \"us-east4\"\n  bucket {name}_b {{\n    let of_{name} = 2\n    location = {name}_spoken\n  }}\n}}\n"
        )
    };
    let text = "use shared.sizes\nuse shared.sizes as s\nuse shared.sizes as spoken\nuse shared.nets\nuse shared.nets.{net as n}\nuse shared\noutput o = spoken.most\n"
        .to_owned()
        + &blocks("round", "for i in 0..2")
        + &blocks("choice", "if true")
        + &blocks("inner", "component c");
    let main = folder.write("main.bp", &text);
    let mut editor = Editor::new();
    editor.open(&main, &text);
    let found = editor.diagnostics(&main, 1);
    let pale: Vec<&str> = found
        .iter()
        .filter(|it| it["code"] == "names/unused")
        .map(|it| within(&text, &it["range"]))
        .collect();
    let lets = ["round", "of_round", "choice", "of_choice", "inner", "of_inner"];
    let uses = ["sizes", "s", "n"];
    let mut expected: Vec<&str> = lets.into_iter().chain(uses).collect();
    let mut sorted = pale.clone();
    expected.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, expected, "{found:?}");
}

#[test]
fn what_is_asked_for_by_its_type_or_through_a_file_is_in_use() {
    let folder = Folder::new("used");
    folder.write("slipform.toml", "");
    folder.write("shared/a.bp", "let most = 4\n");
    let text = |ty: &str| {
        format!(
            "use shared.a as s\ntype Mine = ProjectId\nparam project: {ty} = \"my-project\"\noutput o = s.most\n"
        )
    };
    let main = folder.write("main.bp", &text("ProjectId"));
    let mut editor = Editor::new();
    editor.open(&main, &text("ProjectId"));
    let pale = |it: &&Value| it["code"] == "names/unused";
    assert_eq!(editor.diagnostics(&main, 1).iter().filter(pale).count(), 0);
    for (version, ty) in [(2, "Mine"), (3, "ProjectId?")] {
        editor.replace(&main, version, &text(ty));
        let found = editor.diagnostics(&main, version);
        assert_eq!(found.iter().filter(pale).count(), 0, "{ty}: {found:?}");
    }
    let shared = folder.uri("shared/a.bp");
    let told = editor.said.iter().filter(|note| note.params["uri"] == shared);
    assert!(told.clone().all(|note| note.params["diagnostics"] == json!([])), "{told:?}");
}

#[test]
fn a_refactoring_changes_nothing_that_is_rendered() {
    // the key of a record is no value, and what stands in a loop stays there
    let key = FLEET.replace("name = \"run", "<1>name<2> = \"run");
    assert_eq!(done(&key, Some("refactor")), "");
    let in_loop =
        format!("{FLEET}\nlet all = [for x in [1, 2] {{ <1>x * 2<2> }}]\noutput o = all\n");
    assert_eq!(done(&in_loop, Some("refactor")), "");
    let captured =
        format!("{FLEET}\nlet a = 1\nlet b = a + 1\noutput o = [for a in [10, 20] {{ <1>b }}]\n");
    assert_eq!(done(&captured, Some("refactor.inline")), "");
}

#[test]
fn what_is_cancelled_is_not_answered() {
    let editor = Editor::new();
    editor.open(MAIN, FLEET);
    let ask = |id: i32| {
        let params =
            json!({ "textDocument": document(), "position": { "line": 3, "character": 8 } });
        lsp_server::Request::new(id.into(), "textDocument/hover".to_owned(), params)
    };
    for id in 100..140 {
        editor.connection.sender.send(ask(id).into()).unwrap();
    }
    for id in 101..140 {
        editor.tell("$/cancelRequest", json!({ "id": id }));
    }
    let mut cancelled = 0;
    let mut answers = 0;
    while answers < 40 {
        if let lsp_server::Message::Response(response) = editor.receive() {
            answers += 1;
            cancelled += usize::from(response.response_result.is_err());
        }
    }
    assert!(cancelled > 30, "{cancelled} of 39 were cancelled");
}

#[test]
fn what_stands_beside_the_text_is_asked_for_anew_where_the_editor_can() {
    let editor = Editor::with(json!({ "workspace": { "inlayHint": { "refreshSupport": true } } }));
    editor.open(MAIN, FLEET);
    editor.tell("workspace/didChangeConfiguration", json!({ "settings": { "environment": "" } }));
    loop {
        if let lsp_server::Message::Request(request) = editor.receive() {
            assert_eq!(request.method, "workspace/inlayHint/refresh");
            return;
        }
    }
}
