//! What must agree across the house: the kinds and the model's structs, the derived fields and the facts, the rules
//! and their documentation.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

#[path = "agreement/compare.rs"]
mod compare;
#[path = "agreement/trace.rs"]
mod trace;

use compare::Way;
use slipform_analysis::{Options, Type, analyse, check_library, explain_rules};
use slipform_model::Shape;
use slipform_model::catalog::{Catalog, MachineKind};
use slipform_model::nouns::Body;
use slipform_model::plan::Table;
use slipform_source::MemoryWorld;
use std::collections::BTreeSet;
use std::sync::Arc;

fn schema() -> Arc<slipform_analysis::Schema> {
    schema_with("")
}

fn schema_with(text: &str) -> Arc<slipform_analysis::Schema> {
    let world = MemoryWorld::new([("main.bp", text)]);
    analyse(&world, &Options { path: "main.bp".into(), ..Options::default() }).schema
}

#[test]
fn every_kind_has_a_struct_of_its_fields_and_their_types() {
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
    let differences = schema.kinds.values().flat_map(|kind| {
        let typed = trace::fields_of(&kind.name, kind.platform.as_deref());
        compare::fields(Way::Reads, &kind.title(), &kind.fields, &typed)
    });
    assert_eq!(differences.collect::<Vec<String>>(), [""; 0]);
}

#[test]
fn every_derived_field_has_a_fact_of_its_type_and_every_fact_a_field() {
    let schema = schema();
    let mut wrong = Vec::new();
    for kind in schema.kinds.values() {
        let table = Table::all()
            .find(|table| table.kind == &*kind.name && table.platform == kind.platform.as_deref());
        let facts: Vec<_> = table.into_iter().flat_map(Table::facts).collect();
        let derived: Vec<_> = kind.fields.0.iter().filter(|(_, field)| field.derived).collect();
        for (name, field) in &derived {
            let at = format!("{}.{name}", kind.title());
            match facts.iter().find(|fact| fact.name() == &***name) {
                Some(fact) => {
                    let shape = of_kind(fact.shape(), &kind.name);
                    wrong.extend(compare::types(Way::Tells, &at, &field.ty, &shape));
                }
                None => wrong.push(format!("{at} has no fact")),
            }
        }
        for fact in facts {
            if !derived.iter().any(|(name, _)| &***name == fact.name()) {
                wrong.push(format!("{}.{} is told and not declared", kind.title(), fact.name()));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// What is told of any kind refers to its own.
fn of_kind(shape: Shape, kind: &str) -> Shape {
    match shape {
        Shape::Alike => {
            let known = Body::KINDS.iter().find(|(known, _)| *known == kind);
            Shape::Noun(known.map_or("", |(kind, _)| *kind))
        }
        Shape::Optional(inner) => Shape::Optional(Box::new(of_kind(*inner, kind))),
        other => other,
    }
}

#[test]
fn what_differs_is_found_at_every_depth() {
    let schema = schema_with(
        "type Inner = { size: Size, word: \"a\" | \"b\" }\ntype Outer = { list: [Inner], may: int? }\n",
    );
    let outer = &schema.types["Outer"].definition;
    let shape = |size: Shape, words: &[&'static str], may: Shape| {
        let words = words.iter().map(|word| Shape::Word(word)).collect();
        let inner = Shape::Record(vec![("size", size), ("word", Shape::Union(words))]);
        Shape::Record(vec![("list", Shape::List(Box::new(inner))), ("may", may)])
    };
    let may = || Shape::Optional(Box::new(Shape::Int));
    for (shape, wrong) in [
        (shape(Shape::Size, &["a", "b"], may()), ""),
        (shape(Shape::Int, &["a", "b"], may()), "at.list[].size"),
        (shape(Shape::Size, &["a"], may()), "at.list[].word"),
        (shape(Shape::Size, &["a", "b", "c"], may()), "at.list[].word"),
        (shape(Shape::Size, &["a", "b"], Shape::Int), "at.may"),
        (Shape::Record(vec![("may", may())]), "at.list"),
    ] {
        for way in [Way::Reads, Way::Tells] {
            let found = compare::types(way, "at", outer, &shape);
            let at = found.first().and_then(|it| it.split(": ").next()).unwrap_or_default();
            assert_eq!(at, wrong, "{found:?}");
        }
    }
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
    let schema = schema();
    let of_kinds = schema.kinds.values().map(|kind| (kind.title(), &kind.fields.0));
    let of_types = schema.types.iter().filter_map(|(name, ty)| match &*ty.definition {
        Type::Record(fields) => Some((name.to_string(), &fields.0)),
        _ => None,
    });
    let fields = of_kinds.chain(of_types).flat_map(|(title, fields)| {
        fields.iter().map(move |(name, field)| (format!("{title}.{name}"), field))
    });
    let silent: Vec<String> =
        fields.filter(|(_, field)| field.doc.is_none()).map(|(name, _)| name).collect();
    assert_eq!(silent, [""; 0], "fields without documentation");
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

/// The trial of the control plane makes nodes of a table of its own, from other sources than the catalog's: what the catalog has, it has.
#[test]
fn the_trial_of_the_control_plane_has_a_node_of_every_machine() {
    let table = slipform_tests::root().join("tests/consumers/admit/machines.tsv");
    let table = std::fs::read_to_string(table).unwrap();
    let known: BTreeSet<&str> = table.lines().filter_map(|line| line.split('\t').next()).collect();
    let catalog = Catalog::builtin();
    let machines = catalog.machines().filter(|machine| machine.kind != MachineKind::Node);
    let missing: Vec<&str> =
        machines.map(|machine| machine.name.as_str()).filter(|it| !known.contains(it)).collect();
    assert_eq!(missing, [""; 0], "write them into the table");
}
