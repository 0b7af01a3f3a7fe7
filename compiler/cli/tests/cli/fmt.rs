//! `fmt`: which files it changes, and which it only names.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Different, Errors};

const UGLY: &str = "let   x=1 # one\n";
const NEAT: &str = "let x = 1  # one\n";

#[test]
fn files_below_a_folder_are_laid_out_once() {
    let sandbox = Sandbox::new(&[
        ("a.bp", UGLY),
        ("deep/er/b.bp", UGLY),
        ("c.bp", NEAT),
        (".hidden/d.bp", UGLY),
        ("e.txt", UGLY),
    ]);
    let outcome = sandbox.run(&["fmt"]).expect(Clean);
    assert_eq!(outcome.out, "a.bp\ndeep/er/b.bp\n");
    assert_eq!(
        (sandbox.read("a.bp"), sandbox.read("deep/er/b.bp")),
        (NEAT.to_owned(), NEAT.to_owned())
    );
    assert_eq!(
        (sandbox.read(".hidden/d.bp"), sandbox.read("e.txt")),
        (UGLY.to_owned(), UGLY.to_owned())
    );
    let before = sandbox.tree();
    let again = sandbox.run(&["fmt"]).expect(Clean);
    assert_eq!(again.out, "");
    assert!(sandbox.tree() == before);
}

#[test]
fn check_names_what_would_change_and_changes_nothing() {
    let sandbox = Sandbox::new(&[("a.bp", UGLY), ("c.bp", NEAT)]);
    sandbox.refuses(&["fmt", "--check"], Different, "1 of 2 files would change");
    assert_eq!(sandbox.run(&["fmt", "--check"]).out, "a.bp\n");
    sandbox.refuses(&["fmt", "--check", "c.bp"], Clean, "laid out already");
}

#[test]
fn a_file_with_errors_is_laid_out_where_it_is_sound() {
    let broken = format!("{UGLY}\nbucket data {{\n  location = = 1\n}}\n");
    let sandbox = Sandbox::new(&[("a.bp", &broken)]);
    let outcome = sandbox.run(&["fmt", "a.bp"]).expect(Errors);
    assert!(outcome.err.contains("error[syntax/"), "{}", outcome.err);
    let text = sandbox.read("a.bp");
    assert!(text.starts_with(NEAT), "{text}");
    assert!(text.contains("location = = 1"), "{text}");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new(&[("a.bp", UGLY)]);
    fs::set_permissions(sandbox.path("a.bp"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.bp", sandbox.path("link.bp")).unwrap();
    sandbox.run(&["fmt", "link.bp"]).expect(Clean);
    assert_eq!(sandbox.read("a.bp"), NEAT);
    assert!(fs::symlink_metadata(sandbox.path("link.bp")).unwrap().is_symlink());
    assert_eq!(fs::metadata(sandbox.path("a.bp")).unwrap().permissions().mode() & 0o777, 0o640);
}
