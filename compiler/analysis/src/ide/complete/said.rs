//! Texts that a blueprint says elsewhere in fields of the same name, and those that the catalog knows for them: namespaces, priorities, roles.

use super::standin::{StandIn, text_of};
use super::{Completer, CompletionKind};
use crate::ide::cursor::own_trees;
use crate::schema::Schema;
use slipform_source::Span;
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Arg, Attr, BinaryOp, Expr, ExprKind, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The field of `mount` that stands behind `at`.
const MOUNTED_AT: &str = "path";

/// The field, the argument or the entry whose value is around the cursor.
pub(super) fn slot(path: &[NodeRef<'_>], stand_in: &StandIn, schema: &Schema) -> Option<String> {
    let mut outer = path.iter().rev();
    while let Some(node) = outer.next() {
        match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Attr(attr), .. }) => {
                return Some(attr.name.value.to_string());
            }
            NodeRef::Stmt(_) => return None,
            NodeRef::Entry(entry) if stand_in.is_in(entry.value.span) => {
                return super::expected::key(&entry.key);
            }
            NodeRef::Arg(arg) => {
                let NodeRef::Expr(Expr { kind: ExprKind::Call(callee, args), .. }) =
                    outer.next()?
                else {
                    return None;
                };
                let at = args.iter().position(|known| std::ptr::eq(known, *arg))?;
                return argument(schema, callee, at, arg);
            }
            NodeRef::Expr(Expr { kind: ExprKind::Binary(op, _, _, right), .. }) => match op {
                BinaryOp::At if stand_in.is_in(right.span) => return Some(MOUNTED_AT.to_owned()),
                BinaryOp::At => {}
                _ => return None,
            },
            _ => {}
        }
    }
    None
}

/// What an argument of a constructor is called.
fn argument(schema: &Schema, callee: &Expr, at: usize, arg: &Arg) -> Option<String> {
    if let Some(name) = &arg.name {
        return Some(name.value.to_string());
    }
    let ExprKind::Name(name) = &callee.kind else { return None };
    let (name, _) = schema.ctors.get(name.as_str())?.fields.0.get_index(at)?;
    Some(name.to_string())
}

/// What is said in fields of one name.
struct Said<'s> {
    /// The last word of the name, alone and of many.
    names: [String; 3],
    schema: &'s Schema,
    /// Where the cursor is: what is being typed is no example.
    typed: Span,
    found: BTreeSet<String>,
}

impl<'s> Said<'s> {
    fn new(slot: &str, schema: &'s Schema, typed: Span) -> Self {
        let one = last(slot);
        let many = match one.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{one}s"),
        };
        let of_many = match (one.strip_suffix("ies"), one.strip_suffix('s')) {
            (Some(stem), _) => format!("{stem}y"),
            (None, Some(stem)) => stem.to_owned(),
            (None, None) => one.to_owned(),
        };
        Self { names: [one.to_owned(), many, of_many], schema, typed, found: BTreeSet::new() }
    }

    /// Whether a field holds the same: `namespace` and `namespaces`, `default_priority` and `priorities`.
    fn is_same(&self, name: &str) -> bool {
        let name = last(name);
        !name.is_empty() && self.names.iter().any(|known| known == name)
    }

    fn node(&mut self, node: NodeRef<'_>) {
        match node {
            NodeRef::Stmt(Stmt { kind: StmtKind::Attr(Attr { name, value }), .. }) => {
                self.value(&name.value, value);
            }
            NodeRef::Entry(entry) => {
                let name = super::expected::key(&entry.key).unwrap_or_default();
                self.value(&name, &entry.value);
            }
            NodeRef::Expr(Expr { kind: ExprKind::Call(callee, args), .. }) => {
                for (at, arg) in args.iter().enumerate() {
                    let name = argument(self.schema, callee, at, arg).unwrap_or_default();
                    self.value(&name, &arg.value);
                }
            }
            NodeRef::Expr(Expr { kind: ExprKind::Binary(BinaryOp::At, _, _, right), .. }) => {
                self.value(MOUNTED_AT, right);
            }
            _ => {}
        }
    }

    fn value(&mut self, name: &str, value: &Expr) {
        if !self.is_same(name) || value.span.meets(self.typed) && text_of(value).is_some() {
            return;
        }
        match &value.kind {
            ExprKind::Str(_) => self.found.extend(text_of(value).filter(|text| !text.is_empty())),
            ExprKind::List(items) => items.iter().for_each(|item| self.value(name, item)),
            ExprKind::Record(entries) => {
                let keys = entries.iter().map(|entry| &entry.key);
                let keys = keys.filter(|key| !key.span.meets(self.typed));
                self.found.extend(keys.filter_map(super::expected::key));
            }
            ExprKind::If(_, then, otherwise) => {
                self.value(name, then);
                self.value(name, otherwise);
            }
            ExprKind::Paren(inner) => self.value(name, inner),
            _ => {}
        }
    }
}

/// The last word of a name.
fn last(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or_default()
}

impl Completer<'_, '_, '_> {
    /// Texts for the place, those of the blueprint first.
    pub(super) fn said(&mut self) {
        let Some(slot) = self.place.slot.as_deref() else { return };
        for text in self.said_in(slot) {
            self.text(&text, String::new(), CompletionKind::Value, 2);
        }
        let known = self.catalog.limit(&format!("{slot}.known"));
        for text in known.map(|known| known.value.names()).unwrap_or_default() {
            self.text(text, String::new(), CompletionKind::Fact, 3);
        }
    }

    /// What the blueprint says, and what it says by itself where nothing is written.
    pub(super) fn said_in(&self, slot: &str) -> BTreeSet<String> {
        let schema = &self.program.schema;
        let typed = self.place.replace;
        let mut said = Said::new(slot, schema, typed);
        for tree in own_trees(self.analysis) {
            slipform_syntax::walk(tree, &mut |node| said.node(node));
        }
        for kind in schema.kinds.values() {
            for (name, field) in &kind.fields.0 {
                if let Some(default) = field.default.as_deref() {
                    said.value(name, default);
                }
            }
        }
        said.found
    }
}
