//! Bodies of Terraform resources: held to a shape, and patched.

use super::check::Check;
use super::library::{Field, Kind, Record};
use super::merge::join;
use super::{Shape, ShapeError, Step};
use slipform_document::hcl::{Attribute, Block, Body, Expr, Key, Member};
use slipform_document::{Map, Node};

impl Shape {
    /// Checks the body of a resource. What Terraform computes (references, calls, templates) is taken to have the
    /// right type; `dynamic` blocks are checked by their content.
    #[must_use]
    pub fn check_body(&self, body: &Body) -> Vec<ShapeError> {
        let mut check = Check::new(*self);
        if let Kind::Record(record) = self.root.kind {
            check.body(record, body);
        }
        check.errors
    }

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

impl Check {
    fn body(&mut self, record: &str, body: &Body) {
        let Some(record) = self.shape.library.record(record) else { return };
        for member in &body.members {
            match member {
                Member::Attribute(attribute) => self.attribute(record, attribute),
                Member::Block(block) => self.block(record, block),
                Member::Comment(_) | Member::Gap => {}
            }
        }
        for field in record.fields() {
            self.field_count(field, body);
        }
    }

    fn attribute(&mut self, record: &Record, attribute: &Attribute) {
        let Some(field) = record.field(&attribute.name) else {
            return self.unknown(record, &attribute.name);
        };
        self.within(Step::Key(attribute.name.to_string()), |check| match &field.kind {
            _ if field.computed => check.computed(field.name),
            Kind::Blocks { .. } => {
                let name = field.name;
                check.report(
                    format!("{} is a block, written `{name} {{ ... }}` without `=`", check.here()),
                    None,
                );
            }
            kind => check.expr(kind, &attribute.expr),
        });
    }

    fn block(&mut self, record: &Record, block: &Block) {
        let name = block_name(block);
        let Some(field) = record.field(name) else { return self.unknown(record, name) };
        self.within(Step::Key(name.to_owned()), |check| match &field.kind {
            _ if field.computed => check.computed(field.name),
            Kind::Blocks { record, .. } => check.content(record, block),
            // the provider takes such lists in both forms
            Kind::List(inner, _) if matches!(**inner, Kind::Record(_)) => {
                if let Kind::Record(record) = **inner {
                    check.content(record, block);
                }
            }
            _ => {
                let name = field.name;
                check.report(
                    format!("{} is an attribute, written `{name} = ...`", check.here()),
                    None,
                );
            }
        });
    }

    /// The body of a block; of a `dynamic` one, that of its `content`.
    fn content(&mut self, record: &str, block: &Block) {
        if block.kind != "dynamic" {
            return self.body(record, &block.body);
        }
        for member in &block.body.members {
            if let Member::Block(content) = member
                && content.kind == "content"
            {
                self.body(record, &content.body);
            }
        }
    }

    fn field_count(&mut self, field: &Field, body: &Body) {
        let present = || body.members.iter().filter(|member| named(member) == Some(field.name));
        if field.required && present().next().is_none() {
            return self.missing(field);
        }
        if let Kind::Blocks { most, .. } = &field.kind {
            let count = present()
                .filter(|member| matches!(member, Member::Block(block) if block.kind != "dynamic"))
                .count();
            self.within(Step::Key(field.name.to_owned()), |check| check.count(*most, count));
        }
    }

    fn expr(&mut self, kind: &Kind, expr: &Expr) {
        match (kind, expr) {
            (Kind::Enum(values), Expr::Str(text)) => self.one_of(values, text),
            (Kind::List(inner, _), Expr::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Index(index), |check| check.expr(inner, item));
                }
            }
            (Kind::Map(inner), Expr::Object(object)) => {
                for (key, value) in &object.entries {
                    if let Key::Name(name) = key {
                        self.within(Step::Key(name.to_string()), |check| check.expr(inner, value));
                    }
                }
            }
            _ => {
                if let Some(found) = expr.kind().filter(|_| !may_be(kind, expr)) {
                    self.wrong_type(kind, found);
                }
            }
        }
    }
}

/// Whether what is written out turns into what `kind` asks for.
fn may_be(kind: &Kind, expr: &Expr) -> bool {
    match (kind, expr) {
        (Kind::Any, _) | (_, Expr::Null) => true,
        (Kind::Str | Kind::Enum(_) | Kind::Bool | Kind::Int | Kind::Number, Expr::Template(_)) => {
            true
        }
        (
            Kind::Str | Kind::Enum(_),
            Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_),
        ) => true,
        (Kind::Bool, Expr::Str(text)) => matches!(text.as_ref(), "true" | "false"),
        (Kind::Bool, Expr::Bool(_)) => true,
        (Kind::Int | Kind::Number, Expr::Int(_) | Expr::Float(_)) => true,
        (Kind::Int | Kind::Number, Expr::Str(text)) => text.parse::<f64>().is_ok(),
        (Kind::Record(_) | Kind::Map(_), Expr::Object(_) | Expr::For(_)) => true,
        (Kind::List(..), Expr::For(_)) => true,
        _ => false,
    }
}
