//! `--watch`: the program itself, which runs again after each way in which files change.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::Unusable;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Far longer than anything takes: only a test that fails waits so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that runs until it is let go.
struct Watching {
    program: Child,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Watching {
    /// Starts it, and waits for its first run.
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_slipform"))
            .args(args)
            .current_dir(sandbox.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (tell, lines) = channel();
        let stderr = BufReader::new(program.stderr.take().unwrap());
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).all(|line| tell.send(line).is_ok());
        });
        let mut watching = Self { program, lines, heard: Vec::new() };
        watching.hears("-- watching");
        watching
    }

    /// Waits for a line with a text.
    fn hears(&mut self, text: &str) {
        let from = self.heard.len();
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| {
                let heard = self.heard.get(from..).unwrap_or_default();
                unheard(text, heard)
            });
            let found = line.contains(text);
            self.heard.push(line);
            if found {
                return;
            }
        }
    }

    /// Lets it go: how often it said that something changed.
    fn ends(mut self) -> usize {
        assert!(self.program.try_wait().unwrap().is_none(), "it ended by itself");
        self.program.kill().unwrap();
        self.program.wait().unwrap();
        self.heard.extend(self.lines.iter());
        self.heard.iter().filter(|line| line.starts_with("-- ")).count() - 1
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[track_caller]
fn unheard(text: &str, heard: &[String]) -> String {
    assert!(heard.is_empty() && text.is_empty(), "{text:?} is not in:\n{}", heard.join("\n"));
    String::new()
}

/// Puts another file in the place of one, at once.
fn replace(sandbox: &Sandbox, path: &str, text: &str) {
    sandbox.write("beside", text);
    fs::rename(sandbox.path("beside"), sandbox.path(path)).unwrap();
}

#[test]
fn a_check_follows_every_way_in_which_a_file_changes() {
    let sandbox = Sandbox::with_bucket();
    let mut watching =
        Watching::start(&sandbox, &["check", "--watch", "--message-format", "short"]);
    sandbox.write("train.bp", BUCKET.replace("keep\n", "kept\n"));
    watching.hears("-- train.bp changed");
    watching.hears("checked .: 1 error");
    sandbox.write("train.bp", "bucket {{{");
    watching.hears("error");
    watching.hears("checked .: ");
    // As editors save.
    replace(&sandbox, "train.bp", BUCKET);
    watching.hears("-- train.bp changed");
    watching.hears("checked .: no problems");
    fs::remove_file(sandbox.path("train.bp")).unwrap();
    watching.hears("-- train.bp is gone");
    watching.hears("there is no `.bp` file in it");
    sandbox.write("train.bp", BUCKET);
    watching.hears("-- train.bp is new");
    watching.hears("checked .: no problems");
    sandbox.write("more.bp", "bucket more {\n  location = 3\n}\n");
    watching.hears("-- more.bp is new");
    watching.hears("checked .: 1 error");
    watching.ends();
}

#[test]
fn a_check_follows_what_is_imported_and_what_describes_the_project() {
    let own = format!("use shared.limits.{{longest}}\n{}", BUCKET.replace("30d", "longest"));
    let sandbox = Sandbox::new(&[
        ("blueprints/train.bp", own.as_str()),
        ("slipform.toml", "[project]\nsource = \"blueprints\"\n"),
    ]);
    let mut watching = Watching::start(&sandbox, &["check", "--watch"]);
    sandbox.write("blueprints/shared/limits.bp", "let longest = 40d\n");
    watching.hears("-- blueprints/shared/limits.bp is new");
    watching.hears("checked .: no problems");
    sandbox.write("blueprints/shared/limits.bp", "let longest = 3\n");
    watching.hears("-- blueprints/shared/limits.bp changed");
    watching.hears("checked .: 1 error");
    // Another folder of the same name.
    fs::remove_dir_all(sandbox.path("blueprints/shared")).unwrap();
    watching.hears("is gone");
    watching.hears("checked .: ");
    sandbox.write("blueprints/shared/limits.bp", "let longest = 40d\n");
    watching.hears("is new");
    watching.hears("checked .: no problems");
    sandbox.write("blueprints/shared/limits.bp", "let longest = 50d\n");
    watching.hears("changed");
    watching.hears("checked .: no problems");
    sandbox.write("slipform.toml", "[project]\nsource = \"blueprints\"\n[params]\nkeep = 3\n");
    watching.hears("-- slipform.toml changed");
    watching.hears("checked .: 1 error");
    sandbox.write("catalog.local.toml", "[[machine]]\nname = \"a9\"\nnonsense = 1\n");
    watching.hears("-- catalog.local.toml is new");
    watching.hears("checked .: ");
    watching.ends();
}

#[test]
fn a_build_follows_changes_and_not_itself() {
    let sandbox = Sandbox::with_bucket();
    let mut watching = Watching::start(&sandbox, &["build", "train.bp", "--watch"]);
    for days in ["age = 40", "age = 50"] {
        let keep = days.replace("age = ", "");
        replace(&sandbox, "train.bp", &BUCKET.replace("30d", &format!("{keep}d")));
        watching.hears("-- train.bp changed");
        watching.hears("1 changed");
        assert!(sandbox.read("out/default/10-foundation/storage.tf").contains(days));
    }
    fs::rename(sandbox.path("train.bp"), sandbox.path("away.bp")).unwrap();
    watching.hears("-- train.bp is gone");
    watching.hears("there is no file or folder `train.bp`");
    fs::rename(sandbox.path("away.bp"), sandbox.path("train.bp")).unwrap();
    watching.hears("-- train.bp is new");
    watching.hears("unchanged");
    assert_eq!(watching.ends(), 4, "what it writes itself is no change");
}

#[test]
fn what_cannot_begin_is_not_watched() {
    let sandbox = Sandbox::with_bucket();
    for (args, said) in [
        (&["check", "other.bp", "--watch"][..], "there is no file or folder"),
        (&["check", "--watch", "--message-format", "sarif"], "one document"),
        (&["build", "--watch", "--check"], "cannot be used with"),
        (&["build", "--watch", "--stdout"], "cannot be used with"),
        (&["build", "--watch", "--prune"], "cannot be used with"),
        (&["build", "--watch", "--target", "nobody"], "there is no target"),
    ] {
        sandbox.refuses(args, Unusable, said);
    }
}
