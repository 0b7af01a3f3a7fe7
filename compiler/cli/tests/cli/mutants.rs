//! Files that somebody half wrote, broke, or put in the way: whatever they are, every command ends with a status and a message, and what
//! is rendered stands whole on disk or not at all.
//!
//! `SLIPFORM_MUTANTS=600` makes so many of each, `SLIPFORM_SEED` others than usual.

#![allow(clippy::string_slice, reason = "places in texts are at the bounds of letters")]

use crate::sandbox::{Outcome, Sandbox};
use slipform::ExitStatus::{Clean, Errors, Unusable};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::str::FromStr;

/// What is put into a text: what opens and closes, values at their bounds, and what other languages would read.
const PIECES: [&str; 40] = [
    "\"",
    "\"\"\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    "==",
    ",",
    ".",
    "#",
    "${",
    "\\",
    "\n",
    "\t",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\u{1F600}",
    "0",
    "-1",
    "9223372036854775807",
    "99999999999999999999",
    "1e400",
    "0.0.0.0/0",
    "10.0.0.0/33",
    "0x0",
    "1000000x1000000",
    "auto",
    "self",
    "../../etc",
    "/dev/zero",
    "$(id)",
    "`id`",
    "projects/p",
    "2026-02-30",
    "!!python/object",
];

/// Numbers without a pattern, always the same ones (xorshift).
struct Dice(u64);

impl Dice {
    /// As the environment says.
    fn new(salt: u64) -> Self {
        Self(told("SLIPFORM_SEED", 0x2545_F491_4F6C_DD1D) ^ salt)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A text with a few changes: a piece put in, a word gone or written as another one, a line gone, said twice or elsewhere.
    fn mutant(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(3) {
            let at = self.place(&text);
            let word = word_at(&text, at);
            match self.below(6) {
                0 => text.insert_str(at, PIECES[self.below(PIECES.len())]),
                1 => text.replace_range(word, PIECES[self.below(PIECES.len())]),
                2 => text.replace_range(word, ""),
                3 => {
                    let to = self.place(&text);
                    let other = text[word_at(&text, to)].to_owned();
                    text.replace_range(word, &other);
                }
                4 => {
                    text = self.with_line(&text, |lines, at, _| {
                        lines.remove(at);
                    })
                }
                _ => text = self.with_line(&text, |lines, at, to| lines.insert(to, lines[at])),
            }
        }
        text
    }

    fn with_line(&mut self, text: &str, change: impl Fn(&mut Vec<&str>, usize, usize)) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if !lines.is_empty() {
            let (at, to) = (self.below(lines.len()), self.below(lines.len()));
            change(&mut lines, at, to);
        }
        lines.concat()
    }
}

/// The word that a place lies in, or the one letter there.
fn word_at(text: &str, at: usize) -> std::ops::Range<usize> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let start = text[..at]
        .rfind(|letter| !is_word(letter))
        .map_or(0, |end| end + text[end..].chars().next().map_or(0, char::len_utf8));
    let end = text[at..].find(|letter| !is_word(letter)).map_or(text.len(), |length| at + length);
    if start < end {
        return start..end;
    }
    at..at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// What a variable of the environment says.
fn told<T: FromStr<Err: Debug>>(name: &str, usual: T) -> T {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

fn mutants() -> usize {
    told("SLIPFORM_MUTANTS", 40)
}

const BLUEPRINT: &str = include_str!("../../templates/everything/train.bp");

const PROJECT: &str = r#"[project]
name = "training"
edition = "2026"

[params]
project = "my-project"

[env.prod.params]
nodes = 8
"#;

const FACTS: &str = r#"[[limits.gke]]
pods_per_node_max = 200
"#;

#[test]
fn mutated_projects_are_checked_built_and_laid_out_or_refused() {
    let mut dice = Dice::new(1);
    for round in 0..mutants() {
        let (mut blueprint, mut project, mut facts) =
            (BLUEPRINT.to_owned(), PROJECT.to_owned(), String::new());
        match dice.below(8) {
            0 | 1 => project = dice.mutant(PROJECT),
            2 => facts = dice.mutant(FACTS),
            _ => blueprint = dice.mutant(BLUEPRINT),
        }
        let sandbox = Sandbox::new(&[("train.bp", &blueprint), ("slipform.toml", &project)]);
        if !facts.is_empty() {
            sandbox.write("catalog.local.toml", &facts);
        }
        let what = format!("round {round}:\n{project}{facts}{blueprint}");
        let checked = sandbox.run(&["check", ".", "--message-format", "json"]);
        assert!(matches!(checked.status, Clean | Errors | Unusable), "{what}");
        told_once(&checked, &what);
        let before = sandbox.tree();
        let built = sandbox.run(&["build", ".", "--all-envs"]);
        if built.status == Clean {
            let again = sandbox.tree();
            sandbox.run(&["build", ".", "--all-envs"]).expect(Clean);
            assert!(sandbox.tree() == again, "two builds give two outputs: {what}");
        } else {
            assert!(sandbox.tree() == before, "a build that failed left something: {what}");
        }
        sandbox.run(&["fmt", "train.bp"]);
        let laid_out = sandbox.tree();
        sandbox.run(&["fmt", "train.bp"]);
        assert!(sandbox.tree() == laid_out, "laid out twice it is another text: {what}");
    }
}

/// Each report has a place, a message and a code, and none is told twice.
fn told_once(outcome: &Outcome, what: &str) {
    let mut seen = BTreeSet::new();
    for line in outcome.err.lines() {
        let report: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}\n{what}"));
        assert!(report["message"].as_str().is_some_and(|it| !it.is_empty()), "{line}\n{what}");
        assert!(!line.contains("Some(") && !line.contains("panicked"), "{line}\n{what}");
        assert!(seen.insert(line), "told twice: {line}\n{what}");
    }
}

#[test]
fn whatever_lies_in_an_output_folder_a_build_ends_and_reaches_nothing_else() {
    let sandbox = Sandbox::with_bucket();
    sandbox.run(&["build", "train.bp", "--out", "out"]).expect(Clean);
    let fresh = sandbox.tree();
    let mut dice = Dice::new(2);
    for round in 0..mutants() {
        let sandbox = Sandbox::with_bucket();
        sandbox.write("canary", "mine");
        sandbox.run(&["build", "train.bp", "--out", "out"]).expect(Clean);
        let damage: Vec<String> =
            (0..=dice.below(3)).map(|_| damaged(&sandbox, &mut dice)).collect();
        let what = format!("round {round}: {damage:?}");
        let args = ["build", "train.bp", "--out", "out", "--set", "keep=60d"];
        let built = sandbox.run(&args);
        assert!(matches!(built.status, Clean | Errors | Unusable), "{what}");
        assert_eq!(built.status == Clean, !built.err.contains("error["), "{what}: {}", built.err);
        sandbox.run(&[&args[..], &["--force"]].concat());
        assert_eq!(sandbox.read("canary"), "mine", "{what}");
        // what is in the way is taken out of it by hand, as the messages ask for
        let _ = fs::remove_dir_all(sandbox.path("out"));
        let _ = fs::remove_file(sandbox.path("out"));
        fs::remove_file(sandbox.path("canary")).unwrap();
        sandbox.run(&["build", "train.bp", "--out", "out"]).expect(Clean);
        assert!(sandbox.tree() == fresh, "{what}");
    }
}

/// Does something to a file of the output folder that no build does; says what.
fn damaged(sandbox: &Sandbox, dice: &mut Dice) -> String {
    let tree = sandbox.tree();
    let names: Vec<&String> = tree
        .keys()
        .filter(|name| name.starts_with("out/") && !name.ends_with(['/', '@']))
        .collect();
    let Some(name) = names.get(dice.below(names.len())) else {
        return "nothing is left".to_owned();
    };
    let (path, text) = (sandbox.path(name), String::from_utf8_lossy(&tree[*name]).into_owned());
    let aside = format!("{name}.{}", dice.below(100));
    let how = match dice.below(7) {
        0 => fs::remove_file(&path).map(|()| "gone"),
        1 => fs::write(&path, dice.mutant(&text)).map(|()| "changed"),
        2 => fs::write(&path, "").map(|()| "empty"),
        3 => fs::remove_file(&path).and_then(|()| fs::create_dir(&path)).map(|()| "a folder"),
        4 => fs::remove_file(&path)
            .and_then(|()| link(&sandbox.path("canary"), &path))
            .map(|()| "a link outside"),
        5 => fs::write(sandbox.path(&aside), dice.mutant(&text)).map(|()| "beside it another"),
        _ => fs::create_dir_all(sandbox.path("out/.slipform-staging/left"))
            .map(|()| "left behind in the staging folder"),
    };
    format!("{name}: {}", how.unwrap_or("cannot be done"))
}

#[cfg(unix)]
fn link(to: &std::path::Path, at: &std::path::Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn link(_: &std::path::Path, _: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}

#[test]
fn a_server_that_cannot_read_what_it_is_sent_lives_until_it_is_told_to_go() {
    let mut dice = Dice::new(3);
    let usual = [
        r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x/train.bp","languageId":"slipform","version":1,"text":"bucket b {\n  location = \"us\"\n}\n"}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x/train.bp"},"position":{"line":0,"character":2}}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"textDocument/completion","params":{"textDocument":{"uri":"file:///x/train.bp"},"position":{"line":1,"character":2}}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x/train.bp","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":4}},"text":"\ud83d"}]}}"#,
    ];
    for round in 0..mutants().div_ceil(10) {
        let mut sent = vec![
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#
                .to_owned(),
            r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#.to_owned(),
        ];
        sent.extend((0..20).map(|_| {
            let message = usual[dice.below(usual.len())];
            // what says where a message ends is kept: behind a wrong length nothing can be found again
            dice.mutant(message)
        }));
        sent.push(r#"{"jsonrpc":"2.0","id":99,"method":"shutdown"}"#.to_owned());
        sent.push(r#"{"jsonrpc":"2.0","method":"exit"}"#.to_owned());
        let mut server = Command::new(env!("CARGO_BIN_EXE_slipform"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = server.stdin.take().unwrap();
        let bytes: String =
            sent.iter().map(|it| format!("Content-Length: {}\r\n\r\n{it}", it.len())).collect();
        let writer = std::thread::spawn(move || input.write_all(bytes.as_bytes()));
        let ended = server.wait_with_output().unwrap();
        let _ = writer.join().unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert!(ended.status.success(), "round {round}: {err}\n{sent:#?}");
        assert!(out.contains("\"id\":99"), "round {round}: the goodbye has no answer\n{sent:#?}");
        assert!(!err.contains("panicked"), "round {round}: {err}\n{sent:#?}");
    }
}
