//! `explain` and `catalog`: what the compiler knows, looked up.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Unusable};

#[test]
fn a_code_means_one_thing() {
    let sandbox = Sandbox::new(&[]);
    let listed = sandbox.run(&["explain"]).expect(Clean).out;
    let codes: Vec<&str> =
        listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let twice: Vec<_> = codes.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "a rule's and a target's, or two crates': {twice:?}");
    for code in
        ["syntax/brace", "types/mismatch", "slurm/addresses", "output/taken-away", "tpu/hosts"]
    {
        assert!(codes.contains(&code), "{code} of {}", codes.len());
    }
}

#[test]
fn a_rule_explains_itself() {
    let sandbox = Sandbox::new(&[]);
    let text = sandbox.run(&["explain", "error[tpu/hosts]:"]).expect(Clean).out;
    assert!(text.starts_with("tpu/hosts: error on pool\n"), "{text}");
    assert!(text.contains("Why:") && text.contains("rule tpu/hosts on pool {"), "{text}");
    for asked in ["advice[queue/empty]:", "queue/empty"] {
        let text = sandbox.run(&["explain", asked]).expect(Clean).out;
        assert!(text.starts_with("queue/empty: "), "{text}");
    }
    let json = sandbox.run(&["explain", "tpu/hosts", "--message-format", "json"]).expect(Clean).out;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["code"], "tpu/hosts");
    sandbox.refuses(
        &["explain", "tpu/host"],
        Unusable,
        "a code with a similar name exists: `tpu/hosts`",
    );
    sandbox.refuses(&["explain", "zzz"], Unusable, "lists all of them");
}

#[test]
fn the_catalog_shows_tables_and_rows() {
    let sandbox = Sandbox::new(&[]);
    for (table, name) in [
        ("machines", "a3-megagpu-8g"),
        ("gpus", "h100-80gb"),
        ("tpus", "v5p"),
        ("zones", "us-east4-a"),
        ("stacks", "tcpxo"),
    ] {
        let overview = sandbox.run(&["catalog"]).expect(Clean).out;
        assert!(overview.contains(table), "{overview}");
        let whole = sandbox.run(&["catalog", table]).expect(Clean).out;
        assert!(whole.lines().any(|line| line.starts_with(name)), "{table}");
        let row = sandbox.run(&["catalog", table, name]).expect(Clean).out;
        assert!(
            row.contains(name) && row.contains("stated 20") && row.contains("source: "),
            "{row}"
        );
        let json =
            sandbox.run(&["catalog", table, name, "--message-format", "json"]).expect(Clean).out;
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(value["source"].is_array() && value["date"].is_string(), "{value}");
        let lines = sandbox.run(&["catalog", table, "--message-format", "json"]).expect(Clean).out;
        assert_eq!(lines.lines().count(), whole.lines().count() - 1);
    }
    sandbox.refuses(
        &["catalog", "machine"],
        Unusable,
        "a table with a similar name exists: `machines`",
    );
    sandbox.refuses(&["catalog", "machines", "a3-megagpu-8"], Unusable, "`a3-megagpu-8g`");
}

#[test]
fn a_project_adds_facts() {
    let sandbox = Sandbox::new(&[(
        "catalog.local.toml",
        "[[machine]]\nname = \"a9-megagpu-8g\"\nlike = \"a3-megagpu-8g\"\n",
    )]);
    sandbox.run(&["catalog", "machines", "a9-megagpu-8g"]).expect(Clean);
    sandbox.write("catalog.local.toml", "[[machine]]\nname = \"a9\"\nnonsense = 1\n");
    sandbox.refuses(&["catalog"], Unusable, "catalog.local.toml:");
}

#[test]
fn shells_and_manuals_get_every_command() {
    let sandbox = Sandbox::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).expect(Clean).out;
        for word in ["check", "build", "plan", "fail-on"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let page = sandbox.run(&["man"]).expect(Clean).out;
    for title in [".TH slipform 1", ".TH slipform-plan 1", ".TH slipform-build 1"] {
        assert!(page.contains(title), "{title}");
    }
    let version = sandbox.run(&["--version"]).expect(Clean).out;
    let lines: Vec<&str> = version.lines().collect();
    let [compiler, edition, catalog] = lines.as_slice() else { panic!("{version}") };
    assert!(compiler.starts_with("slipform ") && edition.starts_with("edition 2026"), "{version}");
    assert!(catalog.starts_with("catalog 20"), "{version}");
}

#[test]
fn lines_of_a_project_say_what_their_keys_are() {
    let both = "[project]\nname = \"training\"\n\n[env.dev.params]\nkeep = \"2d\"\n\n[env.prod.params]\nkeep = \"9d\"\n";
    let sandbox = Sandbox::with_bucket();
    sandbox.write("slipform.toml", both);
    for (line, said) in [
        (1, "What the project is called"),
        (2, "`name` is a text. What it is called. States of Terraform lie below it"),
        (5, "`keep` is a Duration"),
        (8, "`keep` is a Duration, and this is its value in the environment `prod`: `--env prod`"),
    ] {
        let told = sandbox.run(&["explain", &format!("slipform.toml:{line}"), "--env", "dev"]);
        let told = told.expect(Clean).out;
        assert!(told.contains(said), "{line}: {told}");
    }
}
