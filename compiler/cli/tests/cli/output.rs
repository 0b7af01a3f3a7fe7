//! What a build may touch on disk: its own files as it left them, and nothing else.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::{Clean, Different, Unusable};
use slipform::MANIFEST;
use std::fs;

const FILE: &str = "out/default/10-foundation/storage.tf";

fn built() -> Sandbox {
    let sandbox = Sandbox::with_bucket();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox
}

#[test]
fn building_twice_gives_the_same_bytes_and_writes_nothing() {
    let sandbox = built();
    let before = sandbox.tree();
    let written = fs::metadata(sandbox.path(FILE)).unwrap().modified().unwrap();
    let outcome = sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(outcome.err.contains("unchanged"), "{}", outcome.err);
    assert_eq!(outcome.out, "");
    assert!(sandbox.tree() == before);
    assert_eq!(fs::metadata(sandbox.path(FILE)).unwrap().modified().unwrap(), written);
    assert!(
        !before.keys().any(|path| path.contains("staging")),
        "nothing is left beside the artifacts"
    );
}

#[test]
fn the_output_does_not_depend_on_where_the_command_runs() {
    let sandbox = Sandbox::new(&[("deep/project/train.bp", BUCKET), ("other/x.txt", "")]);
    sandbox.run(&["build", "deep/project", "--out", "a"]).expect(Clean);
    sandbox.run_in("deep/project", &["build", "--out", "../../b"]).expect(Clean);
    sandbox.run_in("other", &["build", "../deep/project", "--out", "../c"]).expect(Clean);
    let tree = sandbox.tree();
    let below = |folder: &str| -> Vec<(String, &Vec<u8>)> {
        tree.iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix(folder)?.to_owned(), bytes)))
            .collect()
    };
    assert!(below("a/").len() > 3);
    assert_eq!(below("a/"), below("b/"));
    assert_eq!(below("a/"), below("c/"));
}

#[test]
fn the_manifest_tells_where_each_artifact_came_from() {
    let sandbox = built();
    let manifest: serde_json::Value =
        serde_json::from_str(&sandbox.read(&format!("out/default/{MANIFEST}"))).unwrap();
    assert_eq!(manifest["blueprint"], "train");
    assert_eq!(manifest["environment"], "default");
    assert_eq!(manifest["slipform"], env!("CARGO_PKG_VERSION"));
    let artifacts = manifest["artifacts"].as_array().unwrap();
    let storage =
        artifacts.iter().find(|entry| entry["path"] == "10-foundation/storage.tf").unwrap();
    assert_eq!(storage["nouns"], serde_json::json!(["data"]));
    assert_eq!(storage["sources"], serde_json::json!(["train.bp:4"]));
    assert_eq!(storage["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn its_own_files_are_updated() {
    let sandbox = built();
    let before = sandbox.read(FILE);
    let outcome = sandbox.run(&["build", "train.bp", "--set", "keep=7d"]).expect(Clean);
    assert!(outcome.err.contains("1 changed"), "{}", outcome.err);
    assert_ne!(sandbox.read(FILE), before);
}

#[test]
fn an_edited_file_is_not_overwritten_unless_told() {
    let sandbox = built();
    sandbox.write(FILE, "# mine\n");
    sandbox.refuses(&["build", "train.bp"], Unusable, "was edited since it was written");
    sandbox.run(&["build", "train.bp", "--force"]).expect(Clean);
    assert!(sandbox.read(FILE).contains("google_storage_bucket"));
}

#[test]
fn every_file_that_is_in_the_way_is_named() {
    let sandbox = built();
    sandbox.write(FILE, "# mine\n");
    sandbox.write("out/default/10-foundation/versions.tf", "# mine too\n");
    let outcome = sandbox.run(&["build", "train.bp", "--message-format", "short"]).expect(Unusable);
    assert_eq!(outcome.err.matches("error[output/edited]").count(), 2, "{}", outcome.err);
}

#[test]
fn a_deleted_file_is_written_again() {
    let sandbox = built();
    let before = sandbox.tree();
    fs::remove_file(sandbox.path(FILE)).unwrap();
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(sandbox.tree() == before);
}

#[test]
fn files_of_someone_else_are_not_overwritten_unless_told() {
    let sandbox = built();
    // A file that a build would write, beside files that a build wrote.
    let manifest = format!("out/default/{MANIFEST}");
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&manifest)).unwrap();
    value["artifacts"]
        .as_array_mut()
        .unwrap()
        .retain(|entry| entry["path"] != "10-foundation/storage.tf");
    sandbox.write(&manifest, value.to_string());
    sandbox.write(FILE, "# someone else's\n");
    sandbox.refuses(&["build", "train.bp"], Unusable, "exists, and no build wrote it");
    sandbox.run(&["build", "train.bp", "--force"]).expect(Clean);
}

#[test]
fn a_folder_full_of_someone_elses_files_is_left_alone() {
    let sandbox = Sandbox::with_bucket();
    sandbox.write("theirs/main.tf", "resource {}\n");
    sandbox.refuses(
        &["build", "train.bp", "--out", "theirs"],
        Unusable,
        "holds files that no build wrote",
    );
    sandbox.run(&["build", "train.bp", "--out", "theirs", "--force"]).expect(Clean);
    assert_eq!(sandbox.read("theirs/main.tf"), "resource {}\n");
}

#[test]
fn what_others_put_beside_the_artifacts_stays() {
    let sandbox = built();
    sandbox.write("out/default/10-foundation/terraform.tfstate", "{}");
    sandbox.run(&["build", "train.bp", "--set", "keep=7d"]).expect(Clean);
    sandbox.run(&["build", "train.bp", "--set", "keep=7d", "--check"]).expect(Clean);
    assert_eq!(sandbox.read("out/default/10-foundation/terraform.tfstate"), "{}");
}

#[test]
fn an_output_folder_that_is_a_file() {
    let sandbox = Sandbox::with_bucket();
    sandbox.write("rendered", "a file\n");
    sandbox.refuses(
        &["build", "train.bp", "--out", "rendered"],
        Unusable,
        "the output folder `rendered` is a file",
    );
    sandbox.refuses(&["build", "train.bp", "--out", "rendered", "--force"], Unusable, "is a file");
    sandbox.refuses(&["build", "train.bp", "--out", "rendered", "--check"], Unusable, "is a file");
    sandbox.refuses(&["build", "train.bp", "--out", "rendered/below"], Unusable, "output/");
}

#[test]
fn a_folder_in_the_place_of_a_file_and_the_other_way_round() {
    let sandbox = built();
    fs::remove_file(sandbox.path(FILE)).unwrap();
    sandbox.write(&format!("{FILE}/inside"), "x");
    sandbox.refuses(&["build", "train.bp"], Unusable, "is a folder where a file must be");
    let sandbox = built();
    fs::remove_dir_all(sandbox.path("out/default/10-foundation")).unwrap();
    sandbox.write("out/default/10-foundation", "a file\n");
    sandbox.refuses(
        &["build", "train.bp", "--force"],
        Unusable,
        "is a file where a folder must be",
    );
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_folder() {
    let sandbox = built();
    sandbox.write("elsewhere/keep.txt", "x");
    fs::remove_dir_all(sandbox.path("out/default/10-foundation")).unwrap();
    std::os::unix::fs::symlink(
        sandbox.path("elsewhere"),
        sandbox.path("out/default/10-foundation"),
    )
    .unwrap();
    sandbox.refuses(&["build", "train.bp"], Unusable, "is a symbolic link");
    sandbox.refuses(&["build", "train.bp", "--force"], Unusable, "is a symbolic link");
    let sandbox = built();
    sandbox.write("target.tf", "# theirs\n");
    fs::remove_file(sandbox.path(FILE)).unwrap();
    std::os::unix::fs::symlink(sandbox.path("target.tf"), sandbox.path(FILE)).unwrap();
    sandbox.refuses(&["build", "train.bp"], Unusable, "is a symbolic link");
    sandbox.run(&["build", "train.bp", "--force"]).expect(Clean);
    assert_eq!(
        sandbox.read("target.tf"),
        "# theirs\n",
        "the link is replaced, not what it leads to"
    );
}

#[test]
fn a_manifest_cannot_make_a_build_remove_what_lies_elsewhere() {
    let sandbox = built();
    sandbox.write("victim.txt", "x");
    let manifest = format!("out/default/{MANIFEST}");
    let mut value: serde_json::Value = serde_json::from_str(&sandbox.read(&manifest)).unwrap();
    let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let entry = serde_json::json!({"path": "../../victim.txt", "sha256": digest, "nouns": [], "sources": []});
    value["artifacts"].as_array_mut().unwrap().push(entry);
    sandbox.write(&manifest, value.to_string());
    sandbox.refuses(&["build", "train.bp"], Unusable, "which leads out of its folder");
    sandbox.write(&manifest, "not json");
    sandbox.refuses(&["build", "train.bp"], Unusable, "is not a manifest");
    sandbox.run(&["build", "train.bp", "--force"]).expect(Clean);
}

#[test]
fn artifacts_that_are_no_longer_made_are_removed_with_their_folders() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "p", "--template", "vertex"]).expect(Clean);
    sandbox.run(&["build", "p"]).expect(Clean);
    let text = sandbox.read("p/train.bp");
    let (head, _) = text.split_once("workload pretrain").unwrap();
    sandbox.write("p/train.bp", head);
    let old: Vec<String> =
        sandbox.tree().into_keys().filter(|path| path.contains("pretrain")).collect();
    assert!(old.len() > 1, "{old:?}");
    let check = sandbox.run(&["build", "p", "--check"]).expect(Different);
    assert!(check.out.contains("extra"), "{}", check.out);
    sandbox.run(&["build", "p"]).expect(Clean);
    let left: Vec<String> =
        sandbox.tree().into_keys().filter(|path| path.contains("50-workloads")).collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn an_edited_file_that_is_no_longer_made_is_not_removed_unless_told() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "p", "--template", "vertex"]).expect(Clean);
    sandbox.run(&["build", "p"]).expect(Clean);
    let files = sandbox.tree();
    let file =
        files.keys().find(|path| path.contains("50-workloads") && !path.ends_with('/')).unwrap();
    sandbox.write(file, "# mine\n");
    let text = sandbox.read("p/train.bp");
    let (head, _) = text.split_once("workload pretrain").unwrap();
    sandbox.write("p/train.bp", head);
    sandbox.refuses(&["build", "p"], Unusable, "is no longer made, but was edited");
    sandbox.run(&["build", "p", "--force"]).expect(Clean);
    assert!(!sandbox.path(file).exists());
}

#[test]
fn a_build_for_one_target_leaves_the_files_of_others_alone() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "p", "--template", "vertex"]).expect(Clean);
    sandbox.run(&["build", "p"]).expect(Clean);
    let before = sandbox.tree();
    sandbox.run(&["build", "p", "--target", "vertex"]).expect(Clean);
    assert!(sandbox.tree() == before);
    sandbox.run(&["build", "p", "--check"]).expect(Clean);
}

#[test]
fn a_folder_may_hold_one_target_only() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "p", "--template", "vertex"]).expect(Clean);
    sandbox.run(&["build", "p", "--target", "vertex"]).expect(Clean);
    let has_terraform = |sandbox: &Sandbox| sandbox.tree().keys().any(|path| path.ends_with(".tf"));
    assert!(!has_terraform(&sandbox));
    assert!(!sandbox.read("p/out/default/README.md").contains("terraform"));
    sandbox.run(&["build", "p", "--target", "terraform"]).expect(Clean);
    assert!(has_terraform(&sandbox));
    sandbox.run(&["build", "p", "--target", "images"]).expect(Clean);
    sandbox.run(&["build", "p", "--check"]).expect(Clean);
}

#[test]
fn another_blueprint_does_not_take_over_a_folder() {
    let sandbox = built();
    sandbox.write("other.bp", BUCKET);
    sandbox.refuses(&["build", "other.bp"], Unusable, "holds the artifacts of `train`");
    sandbox.run(&["build", "other.bp", "--out", "elsewhere"]).expect(Clean);
}

#[test]
fn check_compares_and_writes_nothing() {
    let sandbox = Sandbox::with_bucket();
    sandbox.refuses(&["build", "train.bp", "--check"], Different, "is not what would be built");
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    sandbox.refuses(&["build", "train.bp", "--check"], Clean, "is what would be built");
    sandbox.write(FILE, "# mine\n");
    fs::remove_file(sandbox.path("out/default/10-foundation/versions.tf")).unwrap();
    let outcome = sandbox.run(&["build", "train.bp", "--check"]).expect(Different);
    assert_eq!(
        outcome.out,
        "different out/default/10-foundation/storage.tf\nmissing   out/default/10-foundation/versions.tf\n"
    );
}

#[test]
fn stdout_prints_and_writes_nothing() {
    let sandbox = Sandbox::with_bucket();
    let before = sandbox.tree();
    let outcome = sandbox.run(&["build", "train.bp", "--stdout"]).expect(Clean);
    let headers: Vec<&str> =
        outcome.out.lines().filter_map(|line| line.strip_prefix("==> ")).collect();
    assert!(headers.contains(&"10-foundation/storage.tf"), "{headers:?}");
    assert!(headers.is_sorted(), "{headers:?}");
    assert!(sandbox.tree() == before);
}

#[test]
fn a_blueprint_with_errors_writes_nothing() {
    let sandbox = built();
    sandbox.write("train.bp", BUCKET.replace("\"us-east4\"", "99"));
    sandbox.refuses(
        &["build", "train.bp"],
        slipform::ExitStatus::Errors,
        "nothing built from train.bp: 1 error",
    );
}

#[cfg(unix)]
#[test]
fn programs_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["init", "p", "--template", "vertex"]).expect(Clean);
    sandbox.run(&["build", "p"]).expect(Clean);
    let tree = sandbox.tree();
    let scripts: Vec<&String> = tree.keys().filter(|path| path.ends_with(".sh")).collect();
    assert!(!scripts.is_empty());
    for script in scripts {
        assert_ne!(
            fs::metadata(sandbox.path(script)).unwrap().permissions().mode() & 0o100,
            0,
            "{script}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_failure_half_way_leaves_everything_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = built();
    let folder = sandbox.path("out/default/10-foundation");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let can_write_anyway = fs::write(folder.join("probe"), "").is_ok();
    let before = sandbox.tree();
    let outcome = sandbox.run(&["build", "train.bp", "--set", "keep=7d"]);
    // Root may write everywhere; then there is no failure to look at.
    if !can_write_anyway {
        assert_eq!(outcome.status, Unusable);
        assert!(outcome.err.contains("permission denied"), "{}", outcome.err);
        assert!(sandbox.tree() == before);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_an_interrupted_build_left_is_taken_over() {
    let sandbox = built();
    let before = sandbox.tree();
    sandbox.write("out/default/.slipform-staging/0.new", "half");
    sandbox.write("out/default/.slipform-staging/lock", "");
    sandbox.run(&["build", "train.bp", "--set", "keep=7d"]).expect(Clean);
    sandbox.run(&["build", "train.bp"]).expect(Clean);
    assert!(sandbox.tree() == before);
}

#[test]
fn two_builds_do_not_write_into_one_folder_at_once() {
    let sandbox = built();
    sandbox.write("out/default/.slipform-staging/lock", "");
    let lock = fs::File::open(sandbox.path("out/default/.slipform-staging/lock")).unwrap();
    lock.lock().unwrap();
    sandbox.refuses(
        &["build", "train.bp", "--set", "keep=7d"],
        Unusable,
        "another build is writing to `out/default`",
    );
}

/// What another build meant to write, half of it in place.
fn cut_short(sandbox: &Sandbox, keep: &str) {
    sandbox.run(&["build", "train.bp", "--set", keep, "--out", "meant"]).expect(Clean);
    sandbox.write(FILE, sandbox.read("meant/10-foundation/storage.tf"));
    let staged = "out/default/.slipform-staging/manifest.new";
    sandbox.write(staged, sandbox.read(&format!("meant/{MANIFEST}")));
}

#[test]
fn a_build_that_was_cut_short_is_followed_by_any_other() {
    for next in ["keep=30d", "keep=7d", "keep=14d"] {
        let sandbox = built();
        cut_short(&sandbox, "keep=7d");
        sandbox.run(&["build", "train.bp", "--set", next]).expect(Clean);
        assert!(!sandbox.path("out/default/.slipform-staging").exists());
        sandbox.run(&["build", "train.bp", "--set", next, "--check"]).expect(Clean);
    }
    // also where it was the first one, and had no manifest yet
    let sandbox = built();
    cut_short(&sandbox, "keep=7d");
    fs::remove_file(sandbox.path(&format!("out/default/{MANIFEST}"))).unwrap();
    fs::remove_file(sandbox.path("out/default/README.md")).unwrap();
    let outcome = sandbox.run(&["build", "train.bp", "--set", "keep=14d"]);
    assert!(!outcome.err.contains("foreign-folder"), "{}", outcome.err);
}

#[test]
fn what_somebody_edited_is_not_taken_for_what_a_build_left() {
    let sandbox = built();
    cut_short(&sandbox, "keep=7d");
    sandbox.write(FILE, "mine");
    sandbox.refuses(
        &["build", "train.bp", "--set", "keep=14d"],
        Unusable,
        "was edited since it was written",
    );
}

#[cfg(unix)]
#[test]
fn a_link_at_the_lock_is_not_followed() {
    let sandbox = built();
    sandbox.write("precious.txt", "precious");
    fs::create_dir_all(sandbox.path("out/default/.slipform-staging")).unwrap();
    let lock = sandbox.path("out/default/.slipform-staging/lock");
    std::os::unix::fs::symlink(sandbox.path("precious.txt"), lock).unwrap();
    let outcome = sandbox.run(&["build", "train.bp", "--set", "keep=7d"]);
    assert_eq!(outcome.status, Unusable);
    assert_eq!(sandbox.read("precious.txt"), "precious");
}
