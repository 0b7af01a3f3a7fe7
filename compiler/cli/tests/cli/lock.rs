//! Projects that are held to facts: what a lock does, what other facts mean, and which changes come from them.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different, Errors, Unusable};
use slipform_model::catalog::sealed;
use std::process::Command;

const FLEET: &str = r#"param project: ProjectId = "my-project"

network fabric {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

cluster a3m on gke {
  network = fabric
  zone    = "us-east4-a"

  pool gpus {
    machine  = "a3-megagpu-8g"
    nodes    = 2
    capacity = spot
  }
}

workload train on a3m.gpus {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
}
"#;

/// Facts of another day: a label of the nodes' GPUs, a zone less, and a machine that is not known yet.
const OTHER: [(&str, &str); 3] = [
    ("\ncatalog = \"20", "\ncatalog = \"2025-01-01+0000000000000000\" # \""),
    ("\"nvidia-h100-mega-80gb\"", "\"nvidia-h100-mega-79gb\""),
    ("\n[[machine]]\nname = \"a2-highgpu-1g\"", "\n[[machine]]\nname = \"a2-oldgpu-1g\""),
];

fn held() -> Sandbox {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    sandbox.run(&["lock"]).expect(Clean);
    sandbox
}

/// Writes the lock that a compiler with other facts would have written.
fn other(sandbox: &Sandbox, pairs: &[(&str, &str)]) {
    let mut text = sandbox.read("slipform.lock");
    for (from, to) in pairs {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    sandbox.write("slipform.lock", sealed(&text));
}

fn git(sandbox: &Sandbox, args: &[&str]) -> bool {
    let who = ["-c", "user.email=a@example.com", "-c", "user.name=a"];
    let run = Command::new("git").arg("-C").arg(sandbox.path("")).args(who).args(args).output();
    run.is_ok_and(|output| output.status.success())
}

/// Without the version of the catalog, and the digests of what is rendered, which change with every fact.
fn told(text: &str) -> String {
    let version = slipform_model::catalog::Catalog::builtin().version();
    let is_digest = |word: &&str| word.len() == 12 && word.chars().all(|c| c.is_ascii_hexdigit());
    let text = text.replace(version, "<this catalog>");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_digest);
    words.fold(text.clone(), |text, digest| text.replace(digest, "<digest>"))
}

#[test]
fn a_lock_of_this_compiler_changes_nothing() {
    let sandbox = Sandbox::new(&[("train.bp", FLEET)]);
    sandbox.refuses(&["lock", "--check"], Different, "there is no slipform.lock");
    sandbox.run(&["build", "--out", "without"]).expect(Clean);
    sandbox.run(&["lock"]).expect(Clean);
    let text = sandbox.read("slipform.lock");
    for again in [&["lock"][..], &["lock", "--check"], &["lock", "--update"], &["lock", "train.bp"]]
    {
        let outcome = sandbox.run(again).expect(Clean);
        assert!(outcome.err.contains("the facts of this compiler already"), "{}", outcome.err);
    }
    assert_eq!(sandbox.read("slipform.lock"), text);
    let outcome = sandbox.run(&["check"]).expect(Clean);
    assert!(!outcome.err.contains("catalog/"), "{}", outcome.err);
    sandbox.run(&["build", "--out", "with"]).expect(Clean);
    for file in ["slipform.manifest.json", "30-a3m/node_pools.tf"] {
        assert_eq!(sandbox.read(&format!("with/{file}")), sandbox.read(&format!("without/{file}")));
    }
    sandbox.run(&["catalog", "diff"]).expect(Clean);
}

#[test]
fn a_revision_is_no_option() {
    let sandbox = held();
    assert!(git(&sandbox, &["init", "--quiet"]) && git(&sandbox, &["add", "."]));
    assert!(git(&sandbox, &["commit", "--quiet", "--message=one"]));
    for revision in ["--output=written", "-x", "--upload-pack=touch written", "HEAD\nHEAD", ""] {
        let diff = ["catalog", "diff", "--", revision, "."];
        sandbox.refuses(&diff, Unusable, "no revision of the repository that has a lock");
        let plan = format!("--against={revision}");
        sandbox.run(&["plan", &plan]).expect(Unusable);
    }
    assert!(!sandbox.path("written").exists());
    sandbox.run(&["catalog", "diff", "HEAD", "."]).expect(Clean);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_to_what_is_no_lock() {
    use std::os::unix::fs::symlink;
    let sandbox = held();
    sandbox.write("mine", "mine");
    std::fs::rename(sandbox.path("slipform.lock"), sandbox.path("shared.lock")).unwrap();
    symlink("shared.lock", sandbox.path("slipform.lock")).unwrap();
    sandbox.run(&["lock", "--update"]).expect(Clean);
    std::fs::remove_file(sandbox.path("slipform.lock")).unwrap();
    for target in ["mine", "nowhere"] {
        symlink(target, sandbox.path("slipform.lock")).unwrap();
        sandbox.refuses(
            &["lock", "--update"],
            Unusable,
            "is a symbolic link to something else than a lock",
        );
        std::fs::remove_file(sandbox.path("slipform.lock")).unwrap();
    }
    assert_eq!(sandbox.read("mine"), "mine");
}

#[test]
fn what_does_not_fit_everywhere_is_not_told_everywhere() {
    let sandbox = held();
    let text = sandbox.read("slipform.lock").replace("\nmemory_gib = ", "\nmemory_gib = -");
    sandbox.write("slipform.lock", sealed(&text));
    let outcome = sandbox.run(&["check", "--message-format", "short"]).expect(Errors);
    assert_eq!(outcome.err.matches("error[catalog/lock]").count(), 9, "{}", outcome.err);
    assert!(outcome.err.contains(" more facts do not fit"), "{}", outcome.err);
}

#[test]
fn a_project_stays_on_the_facts_of_its_lock() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    let outcome = sandbox.run(&["check"]).expect(Clean);
    assert_eq!(outcome.err.matches("catalog/held").count(), 1, "{}", outcome.err);
    assert!(outcome.err.contains("slipform catalog diff"), "{}", outcome.err);
    assert!(outcome.err.contains("slipform lock --update"), "{}", outcome.err);
    sandbox.run(&["build"]).expect(Clean);
    assert!(
        sandbox
            .read("out/default/slipform.manifest.json")
            .contains("\"2025-01-01+0000000000000000\"")
    );
    assert!(
        sandbox.read("out/default/50-workloads/train/base/jobset.yaml").contains("h100-mega-79gb")
    );
    let outcome = sandbox.run(&["catalog"]).expect(Clean);
    assert!(outcome.out.starts_with("catalog 2025-01-01+0"), "{}", outcome.out);
    sandbox.refuses(&["catalog", "machines", "a2-highgpu-1g"], Unusable, "no row");
    sandbox.refuses(&["lock", "--check"], Different, "this compiler has");
    sandbox.refuses(&["lock"], Clean, "slipform lock --update");
    sandbox.run(&["lock", "--update"]).expect(Clean);
    sandbox.run(&["lock", "--check"]).expect(Clean);
    sandbox.run(&["build"]).expect(Clean);
    assert!(
        sandbox.read("out/default/50-workloads/train/base/jobset.yaml").contains("h100-mega-80gb")
    );
}

#[test]
fn a_projects_own_facts_lie_on_top_of_a_lock() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    let own = "[[machine]]\nname = \"a3-megagpu-8g\"\naccelerator.gke_label = \"mine\"\n";
    sandbox.write("catalog.local.toml", own);
    sandbox.run(&["build"]).expect(Clean);
    assert!(sandbox.read("out/default/50-workloads/train/base/jobset.yaml").contains("mine"));
    assert!(
        sandbox
            .read("out/default/slipform.manifest.json")
            .contains("\"2025-01-01+0000000000000000+local.")
    );
    sandbox.run(&["lock", "--update"]).expect(Clean);
    assert!(!sandbox.read("slipform.lock").contains("\"mine\""));
}

#[test]
fn a_lock_that_cannot_be_used_is_told_at_its_line() {
    let sandbox = held();
    let text = sandbox.read("slipform.lock");
    let tries = [
        (text.replacen("vcpus = 208", "vcpus = 209", 1), "catalog.local.toml"),
        (text.replacen("[[machine]]", "<<<<<<< ours\n[[machine]]", 1), "git checkout --ours"),
        (text.split("pus = 208").next().unwrap().to_owned(), "cannot be read"),
        (String::new(), "lock --update"),
        (sealed(&text.replacen("slipform = \"0", "slipform = \"77", 1)), "slipform 77"),
        (sealed(&text.replacen("vcpus = 208", "vcpus = true", 1)), "`vcpus`"),
    ];
    for (text, said) in tries {
        sandbox.write("slipform.lock", &text);
        sandbox.refuses(&["check"], Errors, said);
        sandbox.refuses(&["build"], Errors, "catalog/lock");
        for command in [&["lock"][..], &["lock", "--check"], &["catalog"], &["catalog", "diff"]] {
            sandbox.refuses(command, Unusable, "slipform.lock:");
        }
        sandbox.run(&["lock", "--update"]).expect(Clean);
        sandbox.run(&["check"]).expect(Clean);
    }
    sandbox.write("slipform.lock", b"\xff\xfe");
    sandbox.refuses(&["check"], Errors, "not UTF-8");
    sandbox.run(&["lock", "--update"]).expect(Clean);
    std::fs::remove_file(sandbox.path("slipform.lock")).unwrap();
    std::fs::create_dir(sandbox.path("slipform.lock")).unwrap();
    sandbox.refuses(&["check"], Errors, "it is a folder");
    sandbox.refuses(&["lock", "--update"], Unusable, "it is a folder");
}

#[test]
fn what_other_facts_mean_is_told() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    let human = sandbox.run(&["catalog", "diff"]).expect(Different);
    let markdown =
        sandbox.run(&["catalog", "diff", "--message-format", "markdown"]).expect(Different);
    insta::assert_snapshot!(told(&format!("{}\n# as markdown\n\n{}", human.out, markdown.out)));
    let json = sandbox.run(&["catalog", "diff", "--message-format", "json"]).expect(Different);
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let row = |name: &str| lines.iter().find(|line| line["row"] == name).unwrap();
    assert_eq!(
        (&row("a3-megagpu-8g")["used"], &row("a3-megagpu-8g")["change"]),
        (&true.into(), &"changed".into())
    );
    assert_eq!(
        (&row("a2-highgpu-1g")["used"], &row("a2-highgpu-1g")["change"]),
        (&false.into(), &"added".into())
    );
    assert_eq!(row("a2-oldgpu-1g")["change"], "removed");
    let mut changes =
        lines.iter().filter(|line| line["noun"] != serde_json::Value::Null).peekable();
    assert!(changes.peek().is_some(), "{}", json.out);
    assert!(changes.all(|line| line["by_facts"] == "whole"), "{}", json.out);
}

#[test]
fn what_a_file_adds_lies_on_the_other_side_or_on_the_lock() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    sandbox.write("trial.toml", "[[machine]]\nname = \"a3-megagpu-8g\"\nvcpus = 200\n");
    sandbox.write("same.toml", "[[machine]]\nname = \"a3-megagpu-8g\"\nvcpus = 208\n");
    for (old, on) in
        [(".", "./slipform.lock"), ("builtin", "builtin"), ("same.toml", "slipform.lock")]
    {
        let outcome = sandbox.run(&["catalog", "diff", old, "trial.toml"]).expect(Different);
        assert!(outcome.out.contains(&format!("trial.toml on {on} (")), "{}", outcome.out);
        assert!(outcome.out.contains("vcpus 208 -> 200"), "{}", outcome.out);
        assert!(!outcome.out.contains("a2-oldgpu-1g"), "{}", outcome.out);
    }
    sandbox.refuses(&["catalog", "diff", ".", "none.toml"], Unusable, "`none.toml` is no file");
}

#[test]
fn a_file_of_a_revision_has_a_bound() {
    let sandbox = held();
    if !git(&sandbox, &["init", "-q"]) {
        return;
    }
    let large = vec![b' '; slipform_source::MAX_FILE_BYTES + 1];
    sandbox.write("large.bp", &large);
    sandbox.write("slipform.lock", &large);
    assert!(git(&sandbox, &["add", "."]) && git(&sandbox, &["commit", "-qm", "first"]));
    std::fs::remove_file(sandbox.path("large.bp")).unwrap();
    std::fs::remove_file(sandbox.path("slipform.lock")).unwrap();
    sandbox.refuses(&["plan", "--against", "HEAD"], Unusable, "`large.bp` at HEAD cannot be read");
    sandbox.refuses(&["catalog", "diff", "HEAD", "builtin"], Unusable, "that has a lock");
}

#[test]
fn what_is_reported_under_other_facts_comes_and_goes() {
    let sandbox = held();
    sandbox.write("trial.toml", "[[machine]]\nname = \"a3-megagpu-8g\"\ncapacity.spot = \"no\"\n");
    let outcome = sandbox.run(&["catalog", "diff", "builtin", "trial.toml"]).expect(Different);
    assert!(outcome.out.contains("\nappears: train.bp:"), "{}", outcome.out);
    assert!(outcome.out.contains("default: under the new facts it has errors"), "{}", outcome.out);
    let outcome = sandbox.run(&["catalog", "diff", "trial.toml", "builtin"]).expect(Different);
    assert!(outcome.out.contains("\ngoes: train.bp:"), "{}", outcome.out);
}

#[test]
fn facts_have_several_names() {
    let sandbox = held();
    let made = git(&sandbox, &["init", "-q"])
        && git(&sandbox, &["add", "."])
        && git(&sandbox, &["commit", "-qm", "first"]);
    other(&sandbox, &OTHER);
    for sides in [&["slipform.lock"][..], &["."], &["slipform.lock", "builtin"], &["builtin", "."]]
    {
        sandbox.run(&[&["catalog", "diff"], sides].concat()).expect(Different);
    }
    if made {
        sandbox.run(&["catalog", "diff", "HEAD"]).expect(Clean);
        let outcome = sandbox.run(&["catalog", "diff", "HEAD", "."]).expect(Different);
        assert!(outcome.out.starts_with("facts: slipform.lock at HEAD ("), "{}", outcome.out);
    }
    let facts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stdlib/catalog");
    sandbox.run(&["catalog", "diff", "builtin", facts]).expect(Clean);
    sandbox.write("empty/words", "");
    for odd in ["nothing", "", "--upload-pack=x", "empty", "train.bp"] {
        sandbox.refuses(&["catalog", "diff", "--", odd], Unusable, "error[");
    }
    std::fs::remove_file(sandbox.path("slipform.lock")).unwrap();
    sandbox.refuses(&["catalog", "diff"], Unusable, "slipform lock");
}

#[test]
fn rows_alone_are_told_where_there_is_no_blueprint() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    sandbox.refuses(&["catalog", "diff", "--env", "prod"], Unusable, "no environment `prod`");
    std::fs::remove_file(sandbox.path("train.bp")).unwrap();
    sandbox.refuses(&["lock", "--update"], Unusable, "neither a blueprint");
    let outcome = sandbox.run(&["catalog", "diff"]).expect(Different);
    assert!(outcome.out.contains("\nwhat differs:\n"), "{}", outcome.out);
    assert!(!outcome.out.contains("the project uses"), "{}", outcome.out);
}

#[test]
fn a_plan_tells_what_comes_from_other_facts() {
    let sandbox = held();
    sandbox.run(&["build"]).expect(Clean);
    other(&sandbox, &OTHER);
    sandbox.write("train.bp", FLEET.replace("nodes    = 2", "nodes    = 4"));
    let outcome = sandbox.run(&["plan"]).expect(Different);
    insta::assert_snapshot!(told(&outcome.out));
    let json = sandbox.run(&["plan", "--message-format", "json"]).expect(Different);
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |thing: &str| &lines.iter().find(|line| line["thing"] == thing).unwrap()["by_facts"];
    assert_eq!(of("JobSet default/train"), "part");
    assert_eq!(of("DaemonSet kube-system/device-injector"), "whole");
    let pool = lines.iter().find(|it| it["thing"] == "google_container_node_pool.gpus").unwrap();
    let by_facts: Vec<&serde_json::Value> =
        pool["details"].as_array().unwrap().iter().filter(|it| it["by_facts"] == true).collect();
    assert_eq!(by_facts.len(), 1, "{pool}");
    assert_eq!(by_facts[0]["path"], "node_config[0].guest_accelerator[0].type");
}

#[test]
fn the_facts_of_a_build_are_found_in_the_repository() {
    let sandbox = held();
    other(&sandbox, &OTHER);
    sandbox.run(&["build"]).expect(Clean);
    let commit = |what| git(&sandbox, &["add", "."]) && git(&sandbox, &["commit", "-qm", what]);
    if !git(&sandbox, &["init", "-q"]) || !commit("first") {
        return;
    }
    sandbox.run(&["lock", "--update"]).expect(Clean);
    for against in [&["plan"][..], &["plan", "--against", "HEAD"]] {
        let outcome = sandbox.run(against).expect(Different);
        assert!(outcome.out.contains("facts of the catalog 2025-01-01+0"), "{}", outcome.out);
        assert!(outcome.out.contains("workload train, by other facts"), "{}", outcome.out);
    }
    assert!(commit("second"));
    let outcome = sandbox.run(&["plan"]).expect(Different);
    assert!(outcome.out.contains("workload train, by other facts"), "{}", outcome.out);
    // where they are gone, that is all that is known
    std::fs::remove_dir_all(sandbox.path(".git")).unwrap();
    let outcome = sandbox.run(&["plan"]).expect(Different);
    assert!(outcome.out.contains("built with the catalog 2025-01-01+0"), "{}", outcome.out);
    assert!(outcome.out.contains("may come from there"), "{}", outcome.out);
}

#[test]
fn what_comes_from_facts_of_the_projects_own_is_told() {
    let own = |label: &str| {
        format!("[[machine]]\nname = \"a3-megagpu-8g\"\naccelerator.gke_label = \"{label}\"\n")
    };
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("catalog.local.toml", &own("mine"))]);
    sandbox.run(&["build"]).expect(Clean);
    let commit = |what| git(&sandbox, &["add", "."]) && git(&sandbox, &["commit", "-qm", what]);
    if !git(&sandbox, &["init", "-q"]) || !commit("first") {
        return;
    }
    sandbox.write("catalog.local.toml", own("another"));
    sandbox.write("train.bp", FLEET.replace("24.07", "24.09"));
    for against in [&["plan"][..], &["plan", "--against", "HEAD"]] {
        let told = sandbox.run(against).expect(Different).out;
        let note = "note: the other side has other facts of the project's own, in `catalog.local.toml`: what comes from there is told so\n";
        assert!(told.contains(note), "{told}");
        assert!(told.contains("pool a3m.gpus, by other facts"), "{told}");
        let run = told.lines().find(|line| line.contains("JobSet default/train"));
        assert!(run.is_some_and(|it| it.contains("by other facts: ")), "{told}");
    }
    // those that were added, and those that are taken away
    std::fs::remove_file(sandbox.path("catalog.local.toml")).unwrap();
    let told = sandbox.run(&["plan", "--against", "HEAD"]).expect(Different).out;
    assert!(told.contains("pool a3m.gpus, by other facts"), "{told}");
}

#[test]
fn a_revision_has_the_facts_of_its_own_day() {
    let own = |label: &str| {
        format!("[[machine]]\nname = \"a3-megagpu-8g\"\naccelerator.gke_label = \"{label}\"\n")
    };
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("catalog.local.toml", &own("mine"))]);
    let commit = |what| git(&sandbox, &["add", "."]) && git(&sandbox, &["commit", "-qm", what]);
    if !git(&sandbox, &["init", "-q"]) || !commit("first") {
        return;
    }
    let diff = |sides: &[&str]| sandbox.run(&[&["catalog", "diff"], sides].concat());
    diff(&["HEAD"]).expect(Clean);
    sandbox.write("catalog.local.toml", own("another"));
    for sides in [&["HEAD"][..], &["HEAD", "builtin"], &["HEAD", "catalog.local.toml"]] {
        let told = diff(sides).expect(Different).out;
        for words in [
            "facts: builtin with catalog.local.toml at HEAD (",
            "what differs of what the project uses:\n  machine a3-megagpu-8g",
            "accelerator.gke_label \"mine\" -> \"another\"\n",
            "pool a3m.gpus\n",
        ] {
            assert!(told.contains(words), "{sides:?} {words}:\n{told}");
        }
    }
    // those of two days, whatever there is now
    assert!(commit("second"));
    sandbox.write("catalog.local.toml", own("third"));
    let told = diff(&["HEAD~1", "HEAD"]).expect(Different).out;
    assert!(told.contains("gke_label \"mine\" -> \"another\"\n"), "{told}");
    // what a project adds at all
    let told = diff(&["builtin", "catalog.local.toml"]).expect(Different).out;
    assert!(told.contains("-> \"third\"\n"), "{told}");
    assert!(told.contains("pool a3m.gpus\n"), "{told}");
    // on top of a lock
    sandbox.run(&["lock"]).expect(Clean);
    assert!(commit("third"));
    sandbox.write("catalog.local.toml", own("fourth"));
    let told = diff(&["HEAD", "."]).expect(Different).out;
    assert!(told.starts_with("facts: slipform.lock with catalog.local.toml at HEAD ("), "{told}");
    assert!(told.contains("gke_label \"third\" -> \"fourth\"\n"), "{told}");
    // one that cannot be read is told by its place
    sandbox.write("catalog.local.toml", "[[machine]]\nnam = 1\n");
    assert!(commit("fourth"));
    sandbox.write("catalog.local.toml", own("fourth"));
    sandbox.refuses(&["catalog", "diff", "HEAD"], Unusable, "HEAD:catalog.local.toml:");
    assert!(git(&sandbox, &["rm", "-q", "--cached", "catalog.local.toml", "slipform.lock"]));
    assert!(git(&sandbox, &["commit", "-qm", "fifth"]));
    sandbox.refuses(&["catalog", "diff", "HEAD"], Unusable, "that has a lock, or a `catalog.local");
}

#[test]
fn a_project_is_no_catalog() {
    let sandbox = Sandbox::new(&[("train.bp", FLEET), ("slipform.toml", "")]);
    let diff = ["catalog", "diff", "builtin", "."];
    sandbox.refuses(&diff, Unusable, "`.` is a project without a lock: it has the facts of this");
    sandbox.write("catalog.local.toml", "");
    sandbox.refuses(
        &diff,
        Unusable,
        "`.` is a project without a lock, and `catalog.local.toml` is",
    );
    sandbox.refuses(&diff, Unusable, "`slipform catalog diff builtin catalog.local.toml`");
}

#[test]
fn another_compiler_is_told() {
    let sandbox = held();
    sandbox.run(&["build"]).expect(Clean);
    let path = "out/default/slipform.manifest.json";
    let manifest = sandbox.read(path);
    let own = format!("\"slipform\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(manifest.contains(&own), "{manifest}");
    sandbox.write(path, manifest.replace(&own, "\"slipform\": \"0.0.7\""));
    let outcome = sandbox.run(&["plan"]).expect(Clean);
    assert!(
        outcome.out.contains("built by slipform 0.0.7, and this is slipform"),
        "{}",
        outcome.out
    );
}
