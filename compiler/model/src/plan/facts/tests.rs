use super::*;
use crate::nouns::Body;
use std::collections::BTreeSet;

#[test]
fn a_fact_is_there_once_and_belongs_to_a_kind() {
    let mut seen = BTreeSet::new();
    let named = |table: &'static Table| table.facts().map(move |fact| (table, fact.name()));
    for (Table { kind, platform, .. }, name) in Table::all().flat_map(named) {
        assert!(Body::KINDS.contains(&(*kind, *platform)), "{kind} {platform:?}");
        assert!(seen.insert((kind, platform, name)), "{kind}.{name} stands twice");
    }
}
