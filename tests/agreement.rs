//! What must agree across the house: the kinds and the model's structs, the derived fields and the facts, the rules
//! and their documentation.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

use slipform_analysis::{Fields, Options, Type, analyse, check_library, explain_rules};
use slipform_model::nouns::Body;
use slipform_model::plan::Table;
use slipform_source::MemoryWorld;

fn schema() -> slipform_analysis::Schema {
    let world = MemoryWorld::new([("main.bp", "")]);
    analyse(&world, &Options { path: "main.bp".into(), ..Options::default() }).schema
}

#[test]
fn every_kind_has_a_struct_with_its_fields_and_no_others() {
    let schema = schema();
    let mut kinds: Vec<(String, Option<String>)> = schema
        .kinds
        .values()
        .map(|kind| {
            (kind.name.to_string(), kind.platform.as_ref().map(|platform| platform.to_string()))
        })
        .collect();
    kinds.sort();
    let mut structs: Vec<(String, Option<String>)> = Body::KINDS
        .iter()
        .map(|(kind, platform)| ((*kind).to_owned(), platform.map(str::to_owned)))
        .collect();
    structs.sort();
    assert_eq!(kinds, structs);
    for kind in schema.kinds.values() {
        let declared: Vec<&str> = kind
            .fields
            .0
            .iter()
            .filter(|(_, field)| !field.derived)
            .map(|(name, _)| &**name)
            .collect();
        let typed = Body::fields_of(&kind.name, kind.platform.as_deref()).unwrap();
        assert_eq!(declared, typed, "the fields of {}", kind.title());
    }
}

#[test]
fn every_constructor_has_a_struct_with_its_fields_and_no_others() {
    let schema = schema();
    let names = |fields: &Fields| fields.0.keys().map(|name| name.to_string()).collect();
    let mut declared: Vec<(String, Vec<String>)> =
        schema.ctors.values().map(|it| (it.name.to_string(), names(&it.fields))).collect();
    // what only derived fields hold is made here, and read by nobody
    let of_fields = ["Parallel"];
    declared.retain(|(_, fields)| !fields.is_empty());
    for name in of_fields {
        let Type::Record(fields) = &schema.types[name].definition else {
            panic!("{name} is no record")
        };
        declared.push((name.to_owned(), names(fields)));
    }
    let all =
        slipform_model::nouns::constructors().into_iter().chain(slipform_model::nouns::records());
    let mut typed: Vec<(String, Vec<String>)> = all
        .map(|(name, fields)| (name.to_owned(), fields.iter().map(|it| (*it).to_owned()).collect()))
        .collect();
    declared.sort();
    typed.sort();
    assert_eq!(declared, typed);
}

#[test]
fn every_derived_field_has_a_fact_and_every_fact_a_field() {
    let schema = schema();
    let mut declared: Vec<String> = Vec::new();
    for kind in schema.kinds.values() {
        for (name, field) in &kind.fields.0 {
            if field.derived {
                declared.push(format!("{} {name}", kind.title()));
            }
        }
    }
    let mut facts: Vec<String> = Vec::new();
    for table in Table::all() {
        for kind in schema.variants(table.kind) {
            if table.platform.is_none() || table.platform == kind.platform.as_deref() {
                facts.extend(table.facts().map(|fact| format!("{} {}", kind.title(), fact.name)));
            }
        }
    }
    declared.sort();
    facts.sort();
    assert_eq!(declared, facts);
}

#[test]
fn the_standard_library_is_free_of_mistakes() {
    let reports: Vec<String> = check_library()
        .iter()
        .map(|report| format!("[{}] {}", report.code, report.message))
        .collect();
    assert!(reports.is_empty(), "{reports:#?}");
}

#[test]
fn every_kind_field_and_rule_is_documented() {
    for kind in schema().kinds.values() {
        assert!(kind.doc.is_some(), "the kind {} has no documentation", kind.title());
    }
    for rule in explain_rules() {
        let lines: Vec<&str> = rule.doc.lines().collect();
        assert!(
            lines.first().is_some_and(|line| !line.is_empty()),
            "{} says nothing of itself",
            rule.code
        );
        assert!(
            lines.iter().any(|line| line.starts_with("Why:")),
            "{} does not say why",
            rule.code
        );
        assert!(!rule.message.is_empty(), "{} has no message", rule.code);
        // what differs from case to case is shown as three dots
        assert!(
            !rule.message.ends_with('.') || rule.message.ends_with("..."),
            "the message of {} ends with a period",
            rule.code
        );
    }
}
