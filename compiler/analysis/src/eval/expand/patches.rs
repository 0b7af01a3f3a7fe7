//! Patches: records with the places of what is written in them.

use crate::eval::Evaluation;
use slipform_model::{NounId, Patch, Placed, Record, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Expr, ExprKind, StmtKind};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Evaluation<'_, '_> {
    /// The patches of a noun, as records.
    pub(crate) fn patches(&mut self, id: NounId) -> Vec<Patch> {
        let patches =
            self.nouns.get(id.0 as usize).map(|noun| noun.patches.clone()).unwrap_or_default();
        let mut found = Vec::new();
        for (patch, frame) in patches {
            let Some(target) = &patch.target else { continue };
            let mut record = Record::default();
            let mut keys = BTreeMap::new();
            for stmt in &patch.body {
                if let StmtKind::Attr(attr) = &stmt.kind {
                    keys.insert(attr.value.span, attr.name.span);
                    keys_in(&attr.value, &mut keys);
                    let value = self.eval(&attr.value, frame);
                    if !matches!(value, Value::Absent) {
                        record.insert(
                            attr.name.value.as_str().into(),
                            Placed { value, span: attr.value.span },
                        );
                    }
                }
            }
            let value = Value::Record(Arc::new(record));
            found.push(Patch { target: target.value.to_string(), span: target.span, value, keys });
        }
        found
    }
}

/// The places of keys by those of their values, in an expression that is written out.
fn keys_in(expr: &Expr, keys: &mut BTreeMap<Span, Span>) {
    match &expr.kind {
        ExprKind::Record(entries) => {
            for entry in entries {
                keys.insert(entry.value.span, entry.key.span);
                keys_in(&entry.value, keys);
            }
        }
        ExprKind::List(items) => items.iter().for_each(|item| keys_in(item, keys)),
        ExprKind::Paren(inner) => keys_in(inner, keys),
        ExprKind::If(_, then, otherwise) => {
            keys_in(then, keys);
            keys_in(otherwise, keys);
        }
        _ => {}
    }
}
