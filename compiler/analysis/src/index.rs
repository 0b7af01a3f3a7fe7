//! What an editor asks of the places in a text: filled while types are inferred, read by hover and definition.

use crate::functions::Function;
use crate::infer::Seen;
use crate::schema::Schema;
use crate::types::{Ctor, Field};
use slipform_model::Value;
use slipform_source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of places in the blueprint's own files.
#[derive(Default, Debug)]
pub struct Index {
    /// Filled only where an editor listens: a build has no use for it.
    on: bool,
    mentions: Vec<Mention>,
    values: BTreeMap<Span, Vec<Value>>,
}

/// One place that stands for something declared elsewhere.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The place.
    pub span: Span,
    /// Where it is declared; `None` for what is built in.
    pub declared: Option<Span>,
    /// `nodes: int`, in the language itself.
    pub title: String,
    /// Its documentation.
    pub doc: Option<String>,
}

impl Index {
    /// An index that is filled, for an editor, or one that is not.
    pub fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    /// The innermost mention that a cursor touches.
    pub fn at(&self, file: slipform_source::FileId, offset: usize) -> Option<&Mention> {
        let touching =
            self.mentions.iter().filter(|it| it.span.file == file && it.span.touches(offset));
        touching.min_by_key(|it| it.span.end - it.span.start)
    }

    /// The values of the parameter or the `let` whose name stands at a place: none where that is not known, several
    /// where it stands in a loop.
    pub fn values(&self, declared: Span) -> &[Value] {
        self.values.get(&declared).map_or(&[], Vec::as_slice)
    }

    /// Takes note of values, by where the names stand that they belong to.
    pub(crate) fn learn(&mut self, values: Vec<(Span, Value)>) {
        for (span, value) in values.into_iter().filter(|_| self.on) {
            self.values.entry(span).or_default().push(value);
        }
    }

    pub(crate) fn add(&mut self, mention: impl FnOnce() -> Mention) {
        if self.on {
            self.mentions.push(mention());
        }
    }

    pub(crate) fn refer(&mut self, span: Span, seen: &Seen, name: &str) {
        self.add(|| Mention {
            span,
            declared: Some(seen.span),
            title: format!("{name}: {}", seen.ty),
            doc: seen.doc.clone(),
        });
    }

    pub(crate) fn field(&mut self, span: Span, name: &str, field: &Field) {
        self.add(|| Mention {
            span,
            declared: Some(field.span),
            title: format!("{name}: {}", field.ty),
            doc: field.doc.clone(),
        });
    }

    pub(crate) fn ctor(&mut self, span: Span, ctor: &Arc<Ctor>, schema: &Schema) {
        self.add(|| Mention {
            span,
            declared: Some(ctor.span),
            title: format!("{}: {}", crate::types::Type::Ctor(ctor.clone()), ctor.of),
            doc: schema.types.get(&ctor.of).and_then(|ty| ty.doc.clone()),
        });
    }

    pub(crate) fn function(&mut self, span: Span, function: &Function) {
        self.add(|| Mention {
            span,
            declared: None,
            title: function.signature.to_owned(),
            doc: Some(function.doc.to_owned()),
        });
    }
}
