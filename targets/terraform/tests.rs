//! Every kind of block that can be made is known to what goes by kinds.

use super::roles;
use super::services::of_block;
use crate::document::hcl::Block;
use crate::schema::Shape;

fn blocks() -> impl Iterator<Item = (&'static str, Block)> {
    let kinds = Shape::names().filter(|name| name.starts_with("google_"));
    kinds.map(|kind| (kind, Block::new("resource", [kind, "it"])))
}

#[test]
fn every_kind_of_resource_stands_behind_a_service() {
    for (kind, block) in blocks() {
        assert_ne!(of_block(&block).count(), 0, "{kind}");
    }
}

#[test]
fn every_kind_of_resource_takes_a_role() {
    for (kind, block) in blocks() {
        assert_ne!(roles::of_block(&block).count(), 0, "{kind}");
    }
}
