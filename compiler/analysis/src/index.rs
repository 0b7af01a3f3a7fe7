//! What an editor asks of the places in a text: filled while types are inferred, read by hover and definition.

use crate::functions::Function;
use crate::infer::Seen;
use crate::schema::{Kind, Schema};
use crate::types::{Ctor, Field, Type};
use slipform_model::Value;
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Doc, Lexeme};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// What is known of places in the blueprint's own files.
#[derive(Default, Debug)]
pub struct Index {
    /// Filled only where an editor listens: a build has no use for it.
    on: bool,
    mentions: Vec<Mention>,
    /// The mentions by place, once somebody asks for one, and the length of the longest.
    by_place: OnceLock<(Vec<usize>, u32)>,
    values: BTreeMap<Span, Vec<Value>>,
}

/// One place that stands for something declared elsewhere.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The place.
    pub span: Span,
    /// Where it is declared; `None` for what is built in.
    pub declared: Option<Span>,
    /// What it is called.
    pub(crate) called: Called,
    /// The type of what it stands for; unknown where that is no value.
    pub ty: Type,
    /// Its documentation.
    pub doc: Option<Doc>,
}

/// What something is called where it is mentioned. Nobody looks at most mentions, so the words are put together when
/// they are asked for.
#[derive(Clone, Debug)]
pub(crate) enum Called {
    /// `nodes`, a value of the mention's type.
    Value(Lexeme),
    /// `param` or `let`, and its name: a value of the mention's type.
    Declared(&'static str, Lexeme),
    /// A constructor.
    Ctor(Arc<Ctor>),
    /// A function, with what it takes.
    Function(&'static str),
    /// `pool gpus`, `component nccl_test`
    Named(Lexeme, Lexeme),
    /// A kind.
    Kind(Arc<Kind>),
}

impl Mention {
    /// `nodes: int`, in the language itself.
    pub fn title(&self) -> String {
        match &self.called {
            Called::Value(name) => format!("{name}: {}", self.ty),
            Called::Declared(word, name) => format!("{word} {name}: {}", self.ty),
            Called::Ctor(ctor) => format!("{}: {}", self.ty, ctor.of),
            Called::Function(signature) => (*signature).to_owned(),
            Called::Named(kind, name) => format!("{kind} {name}"),
            Called::Kind(kind) => format!("kind {}", kind.title()),
        }
    }
}

impl Index {
    /// An index that is filled, for an editor, or one that is not.
    pub fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    /// Nothing is kept.
    pub(crate) fn is_off(&self) -> bool {
        !self.on
    }

    /// The innermost mention that a cursor touches.
    pub fn at(&self, file: FileId, offset: usize) -> Option<&Mention> {
        let (order, longest) = self.by_place();
        let start =
            |at: &usize| self.mentions.get(*at).map(|it| (it.span.file, it.span.start as usize));
        let behind = order.partition_point(|at| start(at) <= Some((file, offset)));
        let before = order.get(..behind).unwrap_or_default().iter().rev();
        let near = before.map_while(|at| {
            let mention = self.mentions.get(*at)?;
            let reach = mention.span.start as usize + *longest as usize;
            (mention.span.file == file && reach >= offset).then_some(mention)
        });
        let touching = near.filter(|it| it.span.touches(offset));
        touching.min_by_key(|it| it.span.end - it.span.start)
    }

    /// Where something is mentioned that is declared at a place.
    pub fn of(&self, declared: Span) -> impl Iterator<Item = Span> {
        let mentions = self.mentions.iter().filter(move |it| it.declared == Some(declared));
        mentions.map(|it| it.span)
    }

    /// Those of some declarations that nothing else mentions.
    pub fn unmentioned(&self, mut declared: BTreeSet<Span>) -> BTreeSet<Span> {
        for mention in self.mentions.iter().filter(|it| it.declared != Some(it.span)) {
            if let Some(span) = mention.declared {
                declared.remove(&span);
            }
        }
        declared
    }

    /// Every mention in a file, in the order of the text; outer ones first.
    pub fn within(&self, file: FileId) -> impl Iterator<Item = &Mention> {
        let (order, _) = self.by_place();
        let of = move |at: &usize| self.mentions.get(*at).filter(|it| it.span.file == file);
        order.iter().filter_map(of)
    }

    fn by_place(&self) -> &(Vec<usize>, u32) {
        self.by_place.get_or_init(|| {
            let mut order: Vec<(FileId, u32, u32, usize)> = self
                .mentions
                .iter()
                .enumerate()
                .map(|(at, it)| (it.span.file, it.span.start, u32::MAX - it.span.end, at))
                .collect();
            order.sort_unstable();
            let longest = self.mentions.iter().map(|it| it.span.end - it.span.start).max();
            (order.into_iter().map(|(.., at)| at).collect(), longest.unwrap_or(0))
        })
    }

    /// The values of the parameter or the `let` whose name stands at a place: none where that is not known, several
    /// where it stands in a loop.
    pub fn values(&self, declared: Span) -> &[Value] {
        self.values.get(&declared).map_or(&[], Vec::as_slice)
    }

    /// Takes note of values, by where the names stand that they belong to, in the place of those before.
    pub(crate) fn learn(&mut self, values: Vec<(Span, Value)>) {
        self.values.clear();
        for (span, value) in values.into_iter().filter(|_| self.on) {
            self.values.entry(span).or_default().push(value);
        }
    }

    /// Adds the mentions of places further on.
    pub(crate) fn append(&mut self, further: Self) {
        match self.mentions.is_empty() {
            true => self.mentions = further.mentions,
            false => self.mentions.extend(further.mentions),
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
            called: Called::Value(name.into()),
            ty: seen.ty.clone(),
            doc: seen.doc.clone(),
        });
    }

    pub(crate) fn field(&mut self, span: Span, name: &str, field: &Field) {
        self.add(|| Mention {
            span,
            declared: Some(field.span),
            called: Called::Value(name.into()),
            ty: field.ty.clone(),
            doc: field.doc.clone(),
        });
    }

    pub(crate) fn ctor(&mut self, span: Span, ctor: &Arc<Ctor>, schema: &Schema) {
        self.add(|| Mention {
            span,
            declared: Some(ctor.span),
            called: Called::Ctor(ctor.clone()),
            ty: Type::Ctor(ctor.clone()),
            doc: schema.types.get(&ctor.of).and_then(|ty| ty.doc.clone()),
        });
    }

    pub(crate) fn function(&mut self, span: Span, function: &Function) {
        self.add(|| Mention {
            span,
            declared: None,
            called: Called::Function(function.signature),
            ty: Type::Unknown,
            doc: Some(function.doc.into()),
        });
    }
}
