//! What roots hand on.

use super::samples;
use super::{accept, at, expect, render};
use crate::Stage;
use crate::testing::{Blueprint, list, variant};
use slipform_model::{Deferred, Value};

#[test]
fn every_value_that_is_handed_on_is_an_output_of_the_root_that_knows_it() {
    let plan = samples::zoo().plan();
    let rendered = accept(samples::zoo());
    for (later, _) in plan.handed_on() {
        let folder = Stage::from(&later.root).folder();
        rendered.block(folder.as_str(), &format!("output {}", later.output));
    }
    assert_eq!(plan.handed_on().len(), 4);
}

#[test]
fn statements_stand_where_their_values_are_known() {
    let rendered = accept(samples::zoo());
    expect(
        &rendered.block("10-foundation", "output server"),
        &[("value", "google_filestore_instance.home.networks[0].ip_addresses[0]")],
    );
    let plane = at(&rendered.block("30-zoo", "output plane"), "value");
    assert!(
        plane.contains("google_container_cluster.this.endpoint") && plane.contains('3'),
        "{plane}"
    );
    expect(&rendered.block("30-zoo", "output zoo_endpoint"), &[("sensitive", "true")]);
}

#[test]
fn an_output_of_two_roots_or_of_a_taken_name_is_refused() {
    let both = |name: &str, join: bool| {
        let mut blueprint = samples::zoo();
        let id =
            |name: &str| blueprint.model.nouns.iter().find(|noun| noun.name == name).unwrap().id;
        let home = Value::Deferred(Deferred { noun: id("home"), field: "address".into() });
        let plane = Value::Deferred(Deferred { noun: id("zoo"), field: "endpoint".into() });
        blueprint.output(name, if join { list([home, plane]) } else { home });
        render(blueprint)
    };
    assert_eq!(both("joined", true).codes(), ["terraform/output-of-two-roots"]);
    assert_eq!(both("home_address", false).codes(), ["terraform/output-name"]);
}

#[test]
fn the_address_of_what_exists_is_looked_up() {
    let mut blueprint = Blueprint::new();
    let storage =
        variant("filestore", &[("capacity", crate::testing::gib(1024)), ("tier", "zonal".into())]);
    let home = blueprint.existing(
        "filesystem",
        "home",
        &[("storage", storage), ("location", "us-central1-a".into())],
    );
    blueprint.output("server", Value::Deferred(Deferred { noun: home, field: "address".into() }));
    let rendered = accept(blueprint);
    expect(
        &rendered.block("10-foundation", "data google_filestore_instance home"),
        &[("name", "\"home\""), ("location", "\"us-central1-a\"")],
    );
    expect(
        &rendered.block("10-foundation", "output server"),
        &[("value", "data.google_filestore_instance.home.networks[0].ip_addresses[0]")],
    );
}

#[test]
fn what_terraform_never_knows_is_refused() {
    let mut blueprint = Blueprint::new();
    let board = blueprint.existing("dashboard", "board", &[("region", "us-central1".into())]);
    blueprint.output("board", Value::Deferred(Deferred { noun: board, field: "resource".into() }));
    assert_eq!(render(blueprint).codes(), ["terraform/deferred"]);
}
