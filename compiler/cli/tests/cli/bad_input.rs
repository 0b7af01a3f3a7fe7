//! Bad input of every kind: a clear diagnostic, the right status, and nothing on disk changes.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::{Clean, Errors, Unusable};

#[test]
fn paths_that_are_no_blueprint() {
    let sandbox = Sandbox::with_bucket();
    sandbox.write("notes.txt", "hello");
    sandbox.write("empty/readme.md", "hello");
    sandbox.write("folder.bp/inner.txt", "hello");
    sandbox.write("latin.bp", b"# caf\xe9\n");
    for command in ["check", "build", "graph"] {
        for (path, said) in [
            ("nowhere.bp", "there is no file or folder `nowhere.bp`"),
            ("notes.txt", "`notes.txt` is no blueprint: its name does not end in `.bp`"),
            ("folder.bp", "`folder.bp` is a folder, not a file"),
            ("empty", "nothing to compile in `empty`: there is no `.bp` file in it"),
            ("latin.bp", "`latin.bp` cannot be read: it is not UTF-8 text (byte 5)"),
        ] {
            sandbox.refuses(&[command, path], Unusable, said);
        }
    }
    sandbox.refuses(&["fmt", "latin.bp"], Unusable, "it is not UTF-8 text (byte 5)");
    sandbox.refuses(&["fmt", "notes.txt"], Unusable, "`notes.txt` is no blueprint");
    sandbox.refuses(&["fmt", "empty"], Unusable, "there is no `.bp` file in `empty`");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let sandbox = Sandbox::with_bucket();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe.bp")).status();
    if made.is_ok_and(|status| status.success()) {
        let outcome = sandbox.run(&["check", "pipe.bp"]).expect(Unusable);
        assert!(outcome.err.contains("it is not an ordinary file"), "{}", outcome.err);
    }
}

#[test]
fn files_that_use_each_other_in_a_circle() {
    let sandbox =
        Sandbox::new(&[("a.bp", "use b.{y}\nlet x = 1\n"), ("b.bp", "use a.{x}\nlet y = 2\n")]);
    sandbox.refuses(&["build", "a.bp"], Errors, "files use each other in a circle");
    sandbox.write("c.bp", "use missing.{x}\n");
    sandbox.refuses(&["build", "c.bp"], Errors, "there is no such file");
}

#[test]
fn a_megabyte_on_one_line_is_shown_in_part() {
    let sandbox = Sandbox::new(&[("long.bp", &format!("let x = \"{}\" +\n", "é".repeat(500_000)))]);
    let before = sandbox.tree();
    let outcome = sandbox.run(&["build", "long.bp"]).expect(Errors);
    assert!(outcome.err.contains("expected a value after `+`"), "{}", outcome.err);
    assert!(outcome.err.contains("long.bp:1:500013"), "{}", outcome.err);
    assert!(outcome.err.len() < 2_000, "{} bytes", outcome.err.len());
    assert!(sandbox.tree() == before);
}

#[test]
fn a_hundred_thousand_open_brackets() {
    for bracket in ["[", "(", "{ a = "] {
        let sandbox =
            Sandbox::new(&[("deep.bp", &format!("let x = {}\n", bracket.repeat(100_000)))]);
        sandbox.refuses(&["build", "deep.bp"], Errors, "nested more than");
    }
}

#[test]
fn many_problems_are_capped_for_people_only() {
    let sandbox = Sandbox::new(&[("many.bp", &"let = 1\n".repeat(200))]);
    let human = sandbox.run(&["check", "many.bp"]).expect(Errors);
    assert_eq!(human.err.matches("error[").count(), 50);
    assert!(human.err.contains("... and 150 more in many.bp"), "{}", human.err);
    assert!(human.err.ends_with("checked many.bp: 200 errors\n"), "{}", human.err);
    let json = sandbox.run(&["check", "many.bp", "--message-format", "json"]).expect(Errors);
    assert_eq!(json.err.lines().count(), 200);
}

#[test]
fn values_cannot_break_out_of_their_place() {
    let hostile =
        r#"x\"\n$(touch /tmp/pwned) `id` !!python/object: {a: &b *b} ${"$"}{HOME} ' ; rm -rf"#;
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "everything", "--template", "everything"]).expect(Clean);
    let text = sandbox.read("everything/train.bp");
    let env = format!("  env = {{ HOSTILE = \"{hostile}\" }}\n  max_run  = 2d\n");
    sandbox.write("everything/train.bp", text.replace("  max_run  = 2d\n", &env));
    let outcome = sandbox.run(&["build", "everything", "--stdout"]).expect(Clean);
    assert!(outcome.out.contains("touch /tmp/pwned"), "the value is rendered");
    for line in outcome.out.lines().filter(|line| line.contains("$(touch")) {
        let quoted =
            line.contains('\'') || line.contains('"') || line.trim_start().starts_with('$');
        assert!(quoted, "{line}");
    }
}

#[test]
fn names_cannot_lead_out_of_the_output_folder() {
    let sandbox = Sandbox::with_bucket();
    sandbox.write("slipform.toml", "[env.\"../../up\".params]\nkeep = \"7d\"\n");
    sandbox.refuses(
        &["build"],
        Unusable,
        "the environment `../../up` cannot be the name of a folder",
    );
    sandbox.write("slipform.toml", "[env.\"a\\n::error::b\".params]\nkeep = \"7d\"\n");
    let told = r#"an environment cannot be called "a\n::error::b""#;
    sandbox.refuses(&["build"], Errors, told);
    sandbox.write("slipform.toml", "[project]\nout = \"../elsewhere\"\n");
    sandbox.refuses(&["build"], Errors, "`../elsewhere` leads out of the project");
    sandbox.write("slipform.toml", "");
    sandbox.write("train.bp", BUCKET.replace("bucket data", "bucket ../data"));
    sandbox.refuses(&["build"], Errors, "error[syntax/");
    sandbox.write("train.bp", BUCKET.replace("delete_after = keep", "name = \"../../data\""));
    sandbox.refuses(&["build"], Errors, "error[types/pattern]");
}

#[test]
fn settings_that_cannot_be() {
    let sandbox = Sandbox::with_bucket();
    for (set, said) in [
        ("kep=7d", "a parameter with a similar name exists: `keep`"),
        ("keep=seven", "error["),
        ("keep=[", "error[param/value]"),
        ("keep=16", "error["),
        ("keep=80GiB", "error["),
        ("keep=0d", "does not satisfy its condition"),
        ("keep", "`--set keep` is not of the form `name=value`"),
        ("=7d", "is not of the form `name=value`"),
        ("a b=7d", "is not of the form `name=value`"),
        ("project=x\ny", "error[types/pattern]"),
    ] {
        sandbox.refuses(&["build", "train.bp", "--set", set], Unusable, said);
        sandbox.refuses(&["check", "train.bp", "--set", set], Unusable, said);
    }
    sandbox.refuses(
        &["build", "train.bp", "--set", "keep=7d", "--set", "keep=8d"],
        Unusable,
        "is given twice",
    );
}

#[test]
fn options_that_do_not_exist() {
    let sandbox = Sandbox::with_bucket();
    sandbox.refuses(
        &["build", "--target", "kubernets"],
        Unusable,
        "a target with a similar name exists: `kubernetes`",
    );
    sandbox.refuses(&["build", "--target", "x"], Unusable, "the targets are terraform");
    sandbox.refuses(&["build", "--no-such-flag"], Unusable, "unexpected argument '--no-such-flag'");
    sandbox.refuses(&["check", "--message-format", "xml"], Unusable, "invalid value 'xml'");
    sandbox.refuses(&["biuld"], Unusable, "build");
    sandbox.refuses(&["build", "--stdout", "--check"], Unusable, "cannot be used with");
    sandbox.refuses(&["build", "--env", "prod"], Unusable, "there is no environment `prod`");
    sandbox.refuses(&[], Unusable, "Usage: slipform");
}

#[test]
fn help_and_version_are_results() {
    let sandbox = Sandbox::new(&[]);
    for command in [
        "check",
        "build",
        "plan",
        "init",
        "fmt",
        "graph",
        "explain",
        "catalog",
        "completions",
        "man",
        "lsp",
    ] {
        let outcome = sandbox.run(&[command, "--help"]).expect(Clean);
        assert!(outcome.out.contains("Examples:"), "{command} has no examples");
        assert_eq!(outcome.err, "");
    }
    let version = sandbox.run(&["--version"]).expect(Clean).out;
    assert!(version.starts_with(&format!("slipform {}\n", env!("CARGO_PKG_VERSION"))), "{version}");
}
