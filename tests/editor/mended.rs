//! What is mended at a place: by rules, by targets, by leaving something out, by allowing it.

use super::{FLEET, done, edited, opened};
use crate::client::{Editor, Folder};
use serde_json::{Value, json};
use std::fmt::Write;

/// A text with more in the run.
fn run(lines: &str) -> String {
    FLEET.replace("  nodes  = 4\n", &format!("  nodes  = 4\n{lines}"))
}

/// What mends are offered besides those of a whole kind.
fn shown(tries: &[(&str, String)]) -> String {
    let mut shown = String::new();
    for (what, text) in tries {
        writeln!(shown, "# {what}\n{}", done(text, Some("quickfix"))).unwrap();
    }
    shown
}

#[test]
fn what_is_only_to_be_left_out_is_taken_away_with_its_comma_and_its_line() {
    let lines = "  env = {\n    A = \"1\"\n    RA<1>NK = \"0\"  # by hand\n    B = \"2\"\n  }\n";
    let text = |env: &str| run(&format!("  env = {env}\n"));
    insta::assert_snapshot!(shown(&[
        ("an entry on a line", run(&lines.replace("RA<1>NK = \"0\"", "RANK = \"<1>0\""))),
        ("the first of a line", text("{ RANK = \"<1>0\", A = \"1\" }")),
        ("the last of a line", text("{ A = \"1\", RANK = \"<1>0\" }")),
        ("the only one", text("{ RANK = \"<1>0\" }")),
        (
            "what no `let` says alone",
            format!("let shared = {{ RANK = \"0\" }}\n{}", text("sha<1>red")),
        ),
        ("an item", FLEET.to_owned() + "\nidentity me {\n  roles = [\n    \"roles/viewer\",\n    \"roles/vie<1>wer\",\n  ]\n}\n"),
        ("a field that the target has no use for", run("  shared_memory = 1GiB\n").replace("cluster a3m on gke {\n  network = fabric\n  zone    = place\n\n  pool gpus {\n    machine  = \"a3-megagpu-8g\"\n    nodes    = slices * 8\n    capacity = spot\n  }\n}\n", "cluster a3m on vertex {\n  region = \"us-east4\"\n  machine = \"a3-megagpu-8g\"\n}\n").replace("on a3m.gpus", "on a3m").replace("shared_memory = 1", "shared_memory = <1>1")),
        ("a key that is written twice", text("{ A = \"1\", <1>A = \"2\" }")),
        ("a patch", run("  patch jobst<1>e {\n    spec = { suspend = true }\n  }\n")),
        ("a field of a patch", run("  patch jobset {\n    spec = { suspe<1>n = true }\n  }\n")),
    ]));
}

#[test]
fn an_allowance_stands_in_the_noun_that_has_to_bear_it() {
    // the report points at the network, and the rule is of the cluster
    let nat = FLEET.replace(
        "  services = 10.68.0.0/20\n",
        "  services = 10.68.0.0/20\n  nat      = fa<1>lse\n",
    );
    let one_line =
        FLEET.to_owned() + "\nbucket data { location = \"us-east4\", versioning = true }\n";
    insta::assert_snapshot!(shown(&[
        ("of the run, told of at the network", nat),
        (
            "in one line",
            one_line
                .replace("versioning = true", "hierarchical = true\n versioning = tr<1>ue")
                .replace("\", h", "\"\n h")
        ),
    ]));
}

#[test]
fn names_that_nothing_speaks_of_go_one_by_one_or_all_at_once() {
    let folder = Folder::new("unused-names");
    folder.write("slipform.toml", "");
    folder.write("lib.bp", "let a = 1\nlet b = 2\nlet c = 3\n");
    let text = "use lib.{a, b as other, c}\nlet idle = 4\noutput o = c\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let mut at = |character: u32, only: Option<&str>| -> Vec<(String, String)> {
        let at = json!({ "line": 0, "character": character });
        let mut context = json!({ "diagnostics": [] });
        if let Some(only) = only {
            context["only"] = json!([only]);
        }
        let params = json!({
            "textDocument": { "uri": main }, "range": { "start": at, "end": at }, "context": context,
        });
        let found = editor.ask("textDocument/codeAction", params);
        let made = |it: &Value| {
            let edits = it["edit"]["changes"][&main].as_array().unwrap();
            (it["title"].as_str().unwrap().to_owned(), edited(text, edits))
        };
        found.as_array().unwrap().iter().map(made).collect()
    };
    let all = "use lib.{c}\noutput o = c\n".to_owned();
    let every = "remove all 3 names that nothing speaks of".to_owned();
    let first = ("remove the `use` of `a`".to_owned(), text.replace("a, ", ""));
    assert_eq!(at(9, None), [first, (every.clone(), all.clone())]);
    let second = ("remove the `use` of `other`".to_owned(), text.replace("b as other, ", ""));
    assert_eq!(at(20, None), [second, (every.clone(), all.clone())]);
    assert_eq!(at(0, Some("source.removeUnused")), [(every, all)]);
    assert_eq!(at(0, Some("source.fixAll")), []);
}

#[test]
fn a_single_name_that_nothing_speaks_of_goes_when_a_file_is_saved() {
    let shown =
        done("let us<1>ed = 1\nlet idle = 2\noutput o = used\n", Some("source.removeUnused"));
    assert!(shown.ends_with("  - let idle = 2\n"), "{shown}");
}

#[test]
fn a_use_that_brings_in_nothing_more_goes_as_a_whole() {
    let text = "use std.components.{nccl_<1>test, megatron}\noutput o = 1\n";
    let shown = done(text, Some("source.removeUnused"));
    assert!(shown.ends_with("  - use std.components.{nccl_test, megatron}\n"), "{shown}");
    let (mut editor, ..) = opened("let used = 1\noutput o = used\n");
    let at = json!({ "line": 0, "character": 4 });
    let params = json!({
        "textDocument": super::document(), "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["source.removeUnused.slipform"] },
    });
    assert_eq!(editor.ask("textDocument/codeAction", params), json!([]));
}

#[test]
fn all_is_mended_but_what_would_leave_something_new_behind() {
    let shown = done("let us<1>ed: int = some-text\noutptu o = used\n", Some("source.fixAll"));
    assert!(shown.ends_with("  - outptu o = used\n  + output o = used\n"), "{shown}");
    assert!(!shown.contains("\"some-text\""), "{shown}");
}

/// A cluster of Vertex AI with a run of a foreign image, and what stands in front of it.
fn managed(before: &str) -> String {
    format!(
        "param project: ProjectId = \"my-project\"\n\n{before}cluster managed on vertex {{\n  region  = \"us-central1\"\n  \
         machine = \"a3-highgpu-8g\"\n}}\n\nworkload train on managed {{\n  image  = \"nvcr.io/nvidia/py<1>torch:25.01-py3\"\n  \
         launch = torchrun(\"train.py\")\n  nodes  = 1\n}}\n"
    )
}

#[test]
fn what_a_message_knows_is_offered_as_a_mend() {
    let lacking =
        |from: &str| FLEET.replace(from, "").replace("network = fabric", "network = fab<1>ric");
    let secret = "  env = { HF_TOKEN = \"<1>hf_abcdefghijklmnopqrstuvwxyz0123\" }\n";
    let registry = "registry images {\n  location = \"us-central1\"\n}\n\n";
    insta::assert_snapshot!(shown(&[
        (
            "both ranges of a network",
            lacking("  pods     = 10.64.0.0/14\n  services = 10.68.0.0/20\n")
        ),
        ("one of them", lacking("  pods     = 10.64.0.0/14\n")),
        ("a secret that is written out", run(secret)),
        ("an image of elsewhere, with a registry there", managed(registry)),
        ("without one", managed("")),
        ("with one in another region", managed(&registry.replace("us-central1", "us-east4"))),
        (
            "a part of the library",
            FLEET.replace("## Where", "use std.compo<1>nent.{nccl_test}\n## Where")
        ),
    ]));
}

#[test]
fn what_a_message_tells_is_offered_where_it_mends() {
    let pool = |line: &str| {
        FLEET.replace("    capacity = spot\n", &format!("    capacity = spot\n    {line}\n"))
    };
    let queue = "  queue shared {\n    pools      = [gpus]\n    namespaces = [\"research\"]\n  }\n\n  pool gpus";
    let queued = |line: &str| run(line).replace("  pool gpus", queue);
    let bucket = run("  mounts = [<1>ckpt at \"/checkpoints\"]\n")
        + "\nbucket ckpt {\n  location = \"us-east4\"\n}\n\nparam project: ProjectId = \"my-project\"\n";
    insta::assert_snapshot!(shown(&[
        (
            "a zone of another region",
            FLEET.replace("zone    = place", "zone    = \"us-ce<1>ntral1-a\"")
        ),
        (
            "a machine that is in other zones",
            FLEET
                .replace("    machine  = \"a3-megagpu-8g\"", "    machine  = \"a4-hig<1>hgpu-8g\"")
        ),
        ("a priority that is misspelt", queued("  priority = \"hi<1>hg\"\n")),
        ("a namespace that is misspelt", queued("  namespace = \"rese<1>rch\"\n")),
        ("a variable that is misspelt", run("  env = { NCLL_DEBUG = \"IN<1>FO\" }\n")),
        ("more nodes than there are", FLEET.replace("nodes  = 4", "nodes  = 1<1>7")),
        ("a bucket that nobody may read", bucket),
        ("a cluster in the place of a pool", FLEET.replace("on a3m.gpus", "on a<1>3m")),
        ("a time without a unit", run("  max_run = <1>7\n")),
        ("a word that is misspelt", pool("placement = \"com<1>pat\"")),
        ("on and off", run("  fabric = \"o<1>f\"\n")),
        ("text for a name", FLEET.replace("network = fabric", "network = net<1>work.fabric")),
    ]));
}

#[test]
fn a_name_is_brought_in_from_a_file_that_nobody_uses_yet() {
    let folder = Folder::new("imports");
    folder.write("slipform.toml", "");
    folder.write("networks/home.bp", "network fabric {\n  region = \"us-east4\"\n}\n");
    folder.write("networks/back.bp", "use main\nlet fabric = 1\n");
    let text = "cluster a3m on gke {\n  network = fabric\n  zone    = \"us-east4-a\"\n}\n";
    let main = folder.write("main.bp", text);
    let mut editor = Editor::new();
    editor.open(&main, text);
    editor.diagnostics(&main, 1);
    let at = json!({ "line": 1, "character": 14 });
    let params = json!({
        "textDocument": { "uri": main }, "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["quickfix"] },
    });
    let found = editor.ask("textDocument/codeAction", params);
    let titles: Vec<&str> =
        found.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"add `use networks.home.{fabric}`"), "{titles:?}");
    assert!(!titles.iter().any(|it| it.contains("networks.back")), "{titles:?}");
    let action =
        found.as_array().unwrap().iter().find(|it| it["title"].as_str().unwrap().contains("home"));
    let edits = action.unwrap()["edit"]["changes"][&main].as_array().unwrap();
    assert_eq!(edited(text, edits), format!("use networks.home.{{fabric}}\n\n{text}"));
}

#[test]
fn what_nothing_can_be_written_without_is_not_offered_to_be_allowed() {
    let elsewhere =
        |inner: &str| FLEET.replace("  pool gpus {", &format!("  {inner}\n\n  pool gpus {{"));
    let partition =
        elsewhere("partition b<1>ig {\n    machine = \"hgx-h100\"\n    nodes   = 4\n  }");
    let found = done(&partition, Some("quickfix"));
    assert!(!found.contains("allow `cluster/partition-elsewhere`"), "{found}");
    let queue = "cluster floor on slurm {\n  queue b<1>ig {}\n}\n";
    let found = done(queue, Some("quickfix"));
    assert!(!found.contains("allow `cluster/queue-elsewhere`"), "{found}");
    let secret = run("  env = { HF_TOKEN = \"<1>hf_abcdefghijklmnopqrstuvwxyz0123\" }\n");
    let found = done(&secret, Some("quickfix"));
    assert!(found.contains("allow `cluster/literal-secret`"), "{found}");
}

#[test]
fn an_argument_that_is_not_written_is_put_behind_those_that_are() {
    let rule = |field: &str| {
        format!(
            "\nrule own/said on workload {{\n  require {field}\n  error   \"no\"\n  label   nodes \"here\"\n  fix     set {field} = true\n}}\n"
        )
    };
    let ruled = |line: &str, field: &str| {
        run(line).replace("  nodes  = 4", "  nodes  = <1>4") + &rule(field)
    };
    let entry = "\nrule own/said on workload {\n  require parallel.pipeline == 2\n  error   \"no\"\n  label   nodes \"here\"\n  fix     set parallel.pipeline = 2\n}\n";
    let entry = run("  parallel = { tensor = 8 }\n") + entry;
    insta::assert_snapshot!(shown(&[
        ("an entry of a record", entry.replace("  nodes  = 4", "  nodes  = <1>4")),
        ("an argument of a constructor", ruled("", "launch.module")),
    ]));
}

#[test]
fn a_name_that_was_changed_by_hand_is_written_wherever_it_is_spoken_of() {
    let text = FLEET.replace("param slices", "param many").replace("slices * 8", "sli<1>ces * 8");
    insta::assert_snapshot!(shown(&[
        ("a parameter", text),
        (
            "a network",
            FLEET.replace("network fabric", "network lan").replace("= fabric", "= fa<1>bric")
        ),
        ("a pool", FLEET.replace("pool gpus", "pool all").replace("a3m.gpus", "a3m.gp<1>us")),
        (
            "an identity: a pool that nothing runs on has no name outside of its cluster",
            FLEET
                .replace(
                    "  pool gpus",
                    "  pool idle {\n    machine = \"c4-standard-8\"\n  }\n\n  pool gpus"
                )
                .replace("  nodes  = 4", "  nodes  = 4\n  identity = tra<1>iner")
                + "\nidentity runner {\n}\n"
        ),
        (
            "an image, which may be a text too",
            FLEET.replace("\"nvcr.io/nvidia/nemo:24.07\"", "ne<1>mo")
                + "\nimage base {\n  from = \"nvcr.io/nvidia/nemo:24.07\"\n}\n"
        ),
    ]));
}

#[test]
fn what_a_noun_lacks_is_known_before_it_is_closed() {
    let text = FLEET
        .replace("  launch = torchrun(\"train.py\", args = { name = \"run-${slices}\" })\n}\n", "")
        .replace("workload tr", "workload t<1>r");
    let shown = done(&text, Some("quickfix"));
    assert!(
        shown.contains("add `launch` (quickfix)") && shown.contains("+   launch = "),
        "{shown}"
    );
}
