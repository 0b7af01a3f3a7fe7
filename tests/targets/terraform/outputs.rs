//! What roots hand on.

use super::samples;
use super::{accept, at, expect, refuse};
use slipform_targets::Stage;

#[test]
fn every_value_that_is_handed_on_is_an_output_of_the_root_that_knows_it() {
    let rendered = accept(samples::zoo());
    let handed_on = rendered.text.planned.plan.handed_on();
    for (later, _) in handed_on {
        let folder = Stage::from(&later.root).folder();
        rendered.block(folder.as_str(), &format!("output {}", later.output));
    }
    assert_eq!(handed_on.len(), 4);
}

#[test]
fn statements_stand_where_their_values_are_known() {
    let rendered = accept(samples::zoo());
    expect(
        &rendered.block("10-foundation", "output server"),
        &[("value", "google_filestore_instance.home.networks[0].ip_addresses[0]")],
    );
    let plane = rendered.block("30-zoo", "output plane");
    expect(&plane, &[("sensitive", "true")]);
    let plane = at(&plane, "value");
    assert!(
        plane.contains("google_container_cluster.this.endpoint") && plane.contains('3'),
        "{plane}"
    );
    expect(&rendered.block("30-zoo", "output zoo_endpoint"), &[("sensitive", "true")]);
}

/// A filesystem and a cluster, whose addresses are known to roots of their own.
const TWO_ROOTS: &str = r#"
network fabric {
  region   = "us-central1"
  pods     = 10.64.0.0/14
  services = 10.68.0.0/20
}

filesystem home {
  storage  = filestore(2560GiB)
  network  = fabric
  location = "us-central1-a"
}

cluster zoo on gke {
  network = fabric
  zone    = "us-central1-a"
  pool cpus {
    machine = "n2-standard-8"
    nodes   = 3
  }
}
"#;

#[test]
fn an_output_of_two_roots_or_of_a_taken_name_is_refused() {
    let joined = format!("{TWO_ROOTS}output joined = [home.address, zoo.endpoint]\n");
    refuse(&joined, &["terraform/output-of-two-roots"]);
    let taken =
        format!("{TWO_ROOTS}output first = home.address\noutput home_address = home.address\n");
    refuse(&taken, &["terraform/output-name"]);
}

#[test]
fn the_address_of_what_exists_is_looked_up() {
    let text = r#"
existing network fabric {
  region = "us-central1"
}

existing filesystem home {
  storage  = filestore(1024GiB, tier = "zonal")
  network  = fabric
  location = "us-central1-a"
}

output server = home.address
"#;
    let files = ["10-foundation/data.tf", "10-foundation/outputs.tf"];
    insta::assert_snapshot!(accept(text).text.shown(&files));
}

#[test]
fn what_terraform_never_knows_is_refused() {
    let board =
        "existing dashboard board {\n  region = \"us-central1\"\n}\noutput name = board.resource\n";
    refuse(board, &["terraform/deferred"]);
}

#[test]
fn what_has_no_form_in_terraform_is_refused() {
    let age = "bucket shards {\n  location = \"us-central1\"\n  delete_after = 1h\n}\n";
    refuse(age, &["terraform/bucket-age"]);
    let network = "network fabric {\n  region = \"us-central1\"\n}\n";
    let filesystem = |fields: &str| format!("{network}filesystem home {{\n{fields}}}\n");
    let far = "  network = fabric\n  location = \"us-central1-a\"\n  share = \"far_too_long\"\n";
    refuse(
        &filesystem(&format!("  storage = lustre(36000GiB)\n{far}")),
        &["terraform/lustre-share"],
    );
}
