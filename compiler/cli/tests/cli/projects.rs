//! Projects with environments, and parameters that have no value yet.

use crate::sandbox::{BUCKET, Sandbox};
use slipform::ExitStatus::{Clean, Errors, Unusable};

const TOML: &str = "[project]\nname = \"fleet\"\n\n[env.prod.params]\nproject = \"my-prod\"\nkeep = \"60d\"\n\n[env.test.params]\nproject = \"my-test\"\nkeep = \"1d\"\n";

fn fleet() -> Sandbox {
    Sandbox::new(&[("slipform.toml", TOML), ("train.bp", BUCKET)])
}

#[test]
fn several_environments_must_be_named() {
    let sandbox = fleet();
    sandbox.refuses(&["build"], Unusable, "the project has several environments: prod, test");
    sandbox.refuses(&["build", "--env", "prdo"], Unusable, "there is no environment `prdo`");
    sandbox.refuses(
        &["build", "--env", "prod", "--env", "test", "--out", "x"],
        Unusable,
        "into one folder",
    );
    sandbox.run(&["build", "--env", "prod"]).expect(Clean);
    assert!(sandbox.path("out/prod").is_dir() && !sandbox.path("out/test").exists());
}

#[test]
fn all_environments_are_built_into_folders_of_their_own() {
    let sandbox = fleet();
    sandbox.run(&["build", "--all-envs"]).expect(Clean);
    assert!(sandbox.read("out/prod/10-foundation/storage.tf").contains(" 60\n"));
    assert!(!sandbox.read("out/test/10-foundation/storage.tf").contains(" 60\n"));
    sandbox.run(&["build", "--env", "prod", "--env", "test", "--check"]).expect(Clean);
}

#[test]
fn nothing_is_written_if_one_environment_cannot_be() {
    let sandbox = fleet();
    sandbox.write("slipform.toml", TOML.replace("\"1d\"", "\"1h\""));
    sandbox.refuses(&["build", "--all-envs"], Errors, "does not satisfy its condition");
    let sandbox = fleet();
    sandbox.write("out/test/foreign.tf", "x");
    sandbox.refuses(&["build", "--all-envs"], Unusable, "holds files that no build wrote");
}

#[test]
fn check_looks_at_every_environment_and_says_where_it_is_wrong() {
    let sandbox = fleet();
    let outcome = sandbox.run(&["check"]).expect(Clean);
    assert_eq!(outcome.err, "checked .: no problems\n");
    sandbox.write("slipform.toml", TOML.replace("\"1d\"", "\"1h\""));
    let outcome = sandbox.run(&["check"]).expect(Errors);
    assert!(outcome.err.contains("so it is in the environment `test`"), "{}", outcome.err);
    sandbox.run(&["check", "--env", "prod"]).expect(Clean);
    sandbox.write("train.bp", BUCKET.replace("\"us-east4\"", "99"));
    let outcome = sandbox.run(&["check", "--env", "prod", "--env", "test"]).expect(Errors);
    assert_eq!(outcome.err.matches("error[types/mismatch]").count(), 1, "{}", outcome.err);
}

#[test]
fn what_all_environments_report_is_one_stream_of_objects() {
    let sandbox = fleet();
    sandbox.write("slipform.toml", TOML.replace("\"1d\"", "\"1h\"").replace("\"60d\"", "\"2h\""));
    let outcome = sandbox.run(&["check", "--message-format", "json"]).expect(Errors);
    let lines: Vec<serde_json::Value> =
        outcome.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |environment: &str| {
        let told = format!("so it is in the environment `{environment}`");
        lines.iter().any(|line| line["help"].to_string().contains(&told))
    };
    assert!(told("prod") && told("test"), "{}", outcome.err);
}

#[test]
fn a_missing_parameter_warns_a_check_and_stops_a_build() {
    let sandbox = Sandbox::new(&[("train.bp", &BUCKET.replace(" = \"my-project\"", ""))]);
    let outcome = sandbox.run(&["check", "train.bp"]).expect(Clean);
    assert!(outcome.err.contains("warning[param/missing]"), "{}", outcome.err);
    sandbox.refuses(&["build", "train.bp"], Errors, "error[param/missing]");
    sandbox.run(&["build", "train.bp", "--set", "project=my-project"]).expect(Clean);
}

#[test]
fn files_are_shown_as_the_path_was_given() {
    let sandbox =
        Sandbox::new(&[("a/b/train.bp", "bucket x {\n  location = 99\n}\n"), ("c/x", "")]);
    for (folder, path, shown) in [
        (".", "a/b/train.bp", "a/b/train.bp:2:14:"),
        (".", "a/b", "a/b/train.bp:2:14:"),
        ("a/b", ".", "train.bp:2:14:"),
        ("a/b", "train.bp", "train.bp:2:14:"),
        ("c", "../a/b", "../a/b/train.bp:2:14:"),
    ] {
        let outcome =
            sandbox.run_in(folder, &["check", path, "--message-format", "short"]).expect(Errors);
        assert!(outcome.err.starts_with(shown), "{folder} {path}: {}", outcome.err);
    }
}

#[test]
fn the_graph_is_written_for_both_that_draw_it() {
    let sandbox = Sandbox::with_bucket();
    let dot = sandbox.run(&["graph", "train.bp"]).expect(Clean).out;
    assert!(dot.starts_with("digraph") && dot.contains("bucket data"), "{dot}");
    let mermaid = sandbox.run(&["graph", "train.bp", "--format", "mermaid"]).expect(Clean).out;
    assert!(mermaid.starts_with("flowchart") && mermaid.contains("bucket data"), "{mermaid}");
    sandbox.refuses(&["graph", "train.bp", "--format", "png"], Unusable, "invalid value 'png'");
}

#[test]
fn a_project_labels_what_it_makes_on_google_cloud() {
    let labels =
        "\n[labels]\ncost-center = \"llm\"\n\n[env.prod.labels]\nenvironment = \"production\"\n";
    let sandbox = fleet();
    sandbox.write("slipform.toml", format!("{TOML}{labels}"));
    sandbox.run(&["build", "--all-envs"]).expect(Clean);
    let labels = |environment: &str| {
        let file = sandbox.read(&format!("out/{environment}/10-foundation/versions.tf"));
        let (_, labels) = file.split_once("default_labels = {").unwrap();
        let labels = labels.split_once('}').unwrap().0.split_whitespace().collect::<String>();
        labels.replace('"', "")
    };
    assert_eq!(
        labels("prod"),
        "managed-by=slipformblueprint=fleetcost-center=llmenvironment=production"
    );
    assert_eq!(labels("test"), "managed-by=slipformblueprint=fleetenvironment=testcost-center=llm");
    sandbox.write("slipform.toml", format!("{TOML}\n[env.prod.labels]\nOwner = \"Me\"\n"));
    let outcome = sandbox.run(&["check", "--env", "prod"]).expect(Errors);
    for wrong in ["\"Owner\" is not a `GoogleLabelKey`", "\"Me\" is not a `GoogleLabelValue`"] {
        assert!(outcome.err.contains(wrong), "{}", outcome.err);
    }
}

#[test]
fn a_project_says_what_stands_before_names_and_which_apis_are_on() {
    let cloud = "\n[cloud]\napis = [\"bigquery.googleapis.com\"]\n\n[env.test.cloud]\nprefix = \"dev\"\napis = [\"dataflow.googleapis.com\"]\n";
    let blueprint = "network fabric {\n  region = \"us-east4\"\n}\n\nidentity loads {}\n\nbucket shards {\n  location = \"us-east4\"\n}\n\nregistry said \
                     {\n  location = \"us-east4\"\n  name     = \"my-own\"\n}\n\nexisting identity theirs {}\n\nassert theirs.email != \"\"\n";
    let sandbox = fleet();
    sandbox.write("slipform.toml", format!("{TOML}{cloud}"));
    sandbox.write("more.bp", blueprint);
    sandbox.run(&["build", "--all-envs"]).expect(Clean);
    let read = |environment: &str, file: &str| {
        sandbox.read(&format!("out/{environment}/10-foundation/{file}.tf"))
    };
    for (environment, network, account, apis) in [
        ("test", "\"dev-fabric\"", "\"dev-loads\"", "\"dataflow.googleapis.com\""),
        ("prod", "\"fabric\"", "\"loads-identity\"", "\"bigquery.googleapis.com\""),
    ] {
        assert!(read(environment, "network").contains(network), "{environment}");
        let iam = read(environment, "iam");
        assert!(iam.contains(account), "{iam}");
        let storage = read(environment, "storage");
        assert!(read(environment, "registry").contains("\"my-own\""), "{environment}");
        assert_eq!(storage.contains("-dev-shards\""), environment == "test", "{storage}");
        let services = read(environment, "services");
        assert!(services.contains(apis), "{services}");
        assert!(services.contains("\"bigquery.googleapis.com\""), "{services}");
    }
    assert!(!read("prod", "services").contains("dataflow"));
    for (wrong, said) in [
        ("prefix = \"Dev\"", "`Dev` cannot stand before names"),
        ("prefix = \"dev-\"", "`dev-` cannot stand before names"),
        ("apis = [\"bigquery\"]", "`bigquery` is no name of an API"),
    ] {
        sandbox.write("slipform.toml", format!("{TOML}\n[env.prod.cloud]\n{wrong}\n"));
        let outcome = sandbox.run(&["check", "--env", "prod"]).expect(Errors);
        assert!(outcome.err.contains(said), "{}", outcome.err);
    }
}

/// What is made in the project is called behind the prefix, whatever it is; only what lies in something else (pools, ranges, shares) is not.
#[test]
fn every_name_in_a_project_is_behind_its_prefix() {
    let blueprint = r#"
network wires {
  region   = "us-east4"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

bucket shards {
  location = "us-east4"
}

filesystem home {
  storage  = filestore(2560GiB)
  network  = wires
  location = "us-east4-a"
}

filesystem fast {
  storage  = lustre(36000GiB)
  network  = wires
  location = "us-east4-a"
}

filesystem work {
  storage  = hyperdisk_balanced(100GiB)
  location = "us-east4-a"
}

registry images {
  location = "us-east4"
}

identity runner {
  federated = { github = github("a/b") }
}

dashboard runs {
  region = "us-east4"
}

reservation cpus {
  machine = "c3-standard-44"
  zone    = "us-east4-a"
  count   = 2
}

machines loaders {
  machine = "c3-standard-8"
  nodes   = 2
  zone    = "us-east4-a"
  network = wires
  image   = image_family("ubuntu-2404-lts-amd64", project = "ubuntu-os-cloud")
}

cluster main on gke {
  network = wires
  zone    = "us-east4-a"
  pool mega {
    machine   = "a3-megagpu-8g"
    nodes     = 2
    capacity  = spot
    placement = "compact"
  }
}
"#;
    let sandbox = fleet();
    sandbox.write("slipform.toml", format!("{TOML}\n[env.test.cloud]\nprefix = \"pfx\"\n"));
    sandbox.write("more.bp", blueprint);
    sandbox.run(&["build", "--env", "test"]).expect(Clean);
    // what people read of an account is no name, and rights have none
    let words = [
        "name",
        "name_prefix",
        "account_id",
        "instance_id",
        "repository_id",
        "workload_identity_pool_id",
    ];
    let unnamed = |header: &str| header.contains("_iam_member") || header.contains("_node_pool\"");
    let mut names = 0;
    for root in ["10-foundation", "30-pfx-main", "30-pfx-loaders"] {
        let files = std::fs::read_dir(sandbox.path(&format!("out/test/{root}"))).unwrap();
        let files = files
            .map(|file| file.unwrap().path())
            .filter(|it| it.extension().is_some_and(|it| it == "tf"));
        for text in files.map(|file| std::fs::read_to_string(file).unwrap()) {
            for block in text.split("\n}\n") {
                let header = block.lines().find(|line| line.starts_with("resource "));
                let Some(header) = header.filter(|header| !unnamed(header)) else { continue };
                let said =
                    block.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(" = "));
                for (word, name) in said.filter(|(word, _)| words.contains(&word.trim_end())) {
                    let written = name.starts_with('"') && !name.contains("${");
                    assert!(!written || name.contains("pfx"), "{header}: {word} = {name}");
                    names += usize::from(written);
                }
                if header.contains("tensorboard") {
                    assert!(block.contains("\"pfx-runs\""), "{block}");
                }
            }
        }
    }
    assert!(names > 15, "{names} names");
}
