//! Bodies of Terraform resources: held to a shape, and patched.

use super::Shape;
use super::library::{Field, Kind};
use super::merge::join;
use slipform_document::hcl::{Attribute, Block, Body, Expr, Member};
use slipform_document::{Map, Node};

impl Shape {
    /// Applies a `patch` to the body of a resource. Strings of the patch stay text; only the names in `ignore_changes` and
    /// `replace_triggered_by` become references. A patch that is not a record changes nothing.
    pub fn merge_body(&self, base: &mut Body, patch: Node) {
        if let (Kind::Record(record), Node::Map(patch)) = (&self.root.kind, patch) {
            self.merge_record(record, base, patch);
        }
    }

    fn merge_record(&self, record: &str, base: &mut Body, patch: Map) {
        let record = self.library.record(record);
        for (key, entry) in patch {
            let field = record.and_then(|record| record.field(&key));
            if entry.value == Node::Null {
                base.members.retain(|member| named(member) != Some(&key));
                continue;
            }
            match field {
                Some(Field { kind: Kind::Blocks { most: Some(1), record, .. }, .. }) => {
                    self.merge_block(record, base, &key, &entry.comment, single(entry.value));
                }
                Some(Field { kind: Kind::Blocks { record, .. }, .. }) => {
                    self.replace_blocks(record, base, &key, &entry.comment, entry.value);
                }
                _ => merge_attribute(base, &key, &entry.comment, entry.value),
            }
        }
    }

    fn merge_block(&self, record: &str, base: &mut Body, key: &str, comment: &str, patch: Node) {
        let Node::Map(patch) = patch else { return };
        for member in &mut base.members {
            if let Member::Block(block) = member
                && block.kind == key
            {
                join(&mut block.comment, comment);
                return self.merge_record(record, &mut block.body, patch);
            }
        }
        base.members.push(Member::Block(self.block(record, key, comment, patch)));
    }

    fn replace_blocks(&self, record: &str, base: &mut Body, key: &str, comment: &str, patch: Node) {
        let patches = match patch {
            Node::Seq(items) => items.into_iter().map(|item| (item.comment, item.value)).collect(),
            other => vec![(String::new(), other)],
        };
        let mut comment = comment.to_owned();
        let blocks = patches.into_iter().filter_map(|(more, patch)| {
            let Node::Map(patch) = patch else { return None };
            join(&mut comment, &more);
            Some(Member::Block(self.block(record, key, &std::mem::take(&mut comment), patch)))
        });
        let blocks: Vec<_> = blocks.collect();
        let place = base.members.iter().position(|member| named(member) == Some(key));
        let place = place.unwrap_or(base.members.len());
        base.members.retain(|member| named(member) != Some(key));
        base.members.splice(place..place, blocks);
    }

    fn block(&self, record: &str, key: &str, comment: &str, patch: Map) -> Block {
        let mut block = Block::of(key.to_owned()).comment(comment);
        self.merge_record(record, &mut block.body, patch);
        block
    }
}

/// The field that a member sets; that of a `dynamic` block is its label.
fn named(member: &Member) -> Option<&str> {
    match member {
        Member::Attribute(attribute) => Some(&attribute.name),
        Member::Block(block) => Some(block_name(block)),
        Member::Comment(_) | Member::Gap => None,
    }
}

fn block_name(block: &Block) -> &str {
    match block.labels.as_slice() {
        [label, ..] if block.kind == "dynamic" => label,
        _ => &block.kind,
    }
}

/// A list of one for the one.
fn single(node: Node) -> Node {
    match node {
        Node::Seq(mut items) if items.len() == 1 => {
            items.pop().map(|item| item.value).unwrap_or_default()
        }
        other => other,
    }
}

fn merge_attribute(base: &mut Body, key: &str, comment: &str, patch: Node) {
    let patch = if matches!(key, "ignore_changes" | "replace_triggered_by") {
        references(patch)
    } else {
        patch.into()
    };
    for member in &mut base.members {
        if let Member::Attribute(attribute) = member
            && attribute.name == key
        {
            join(&mut attribute.comment, comment);
            return merge_expr(&mut attribute.expr, patch);
        }
    }
    let attribute =
        Attribute { comment: comment.to_owned(), ..Attribute::new(key.to_owned(), patch) };
    // attributes stand in front of blocks
    let last = base.members.iter().rposition(|member| matches!(member, Member::Attribute(_)));
    let first = base.members.iter().position(|member| matches!(member, Member::Block(_)));
    let place = last.map_or(first.unwrap_or(base.members.len()), |last| last + 1);
    base.members.insert(place, Member::Attribute(attribute));
}

/// Mappings merge by key.
fn merge_expr(base: &mut Expr, patch: Expr) {
    match (base, patch) {
        (Expr::Object(base), Expr::Object(patch)) => {
            for (key, value) in patch.entries {
                match base.entries.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, slot)) => *slot = value,
                    None => base.entries.push((key, value)),
                }
            }
        }
        (base, patch) => *base = patch,
    }
}

fn references(node: Node) -> Expr {
    match node {
        Node::Seq(items) => {
            Expr::List(items.into_iter().map(|item| references(item.value)).collect())
        }
        Node::Str(text) if is_path(&text) => Expr::Raw(text),
        other => other.into(),
    }
}

/// Names with points between them: `node_config.labels`, `all`.
fn is_path(text: &str) -> bool {
    text.split('.').all(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
