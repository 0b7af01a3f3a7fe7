//! What roots hand on.

use super::samples;
use super::{accept, at, expect, render};
use crate::deferred::output_name;
use crate::terraform::output_stage;
use crate::testing::{Blueprint, list, variant};
use slipform_model::{Deferred, Value};

#[test]
fn every_deferred_value_is_an_output_of_the_root_that_knows_it() {
    let plan = samples::zoo().plan();
    let rendered = accept(samples::zoo());
    let fields = [("filesystem", "address"), ("dashboard", "resource"), ("cluster", "endpoint")];
    let mut seen = 0;
    for noun in &plan.model.nouns {
        for (_, field) in fields.iter().filter(|(kind, _)| *kind == noun.body.kind()) {
            let deferred = Deferred { noun: noun.id, field: (*field).into() };
            let folder = output_stage(&plan, &deferred).unwrap().folder();
            rendered.block(folder.as_str(), &format!("output {}", output_name(&plan, &deferred)));
            seen += 1;
        }
    }
    assert_eq!(seen, 4);
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
