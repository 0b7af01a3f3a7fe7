//! What is read of declarations when somebody asks for it: a blueprint has nouns of few kinds, and speaks of few types.

use super::Reader;
use crate::load;
use crate::report::Reports;
use crate::types::{Ctor, Fields, Named, Type};
use serde::Deserialize;
use slipform_model::Map;
use slipform_source::Span;
use slipform_syntax::tree::{Stmt, StmtKind, TypeExpr};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// What a declaration comes to. Those of the standard library are read when somebody asks for them.
#[derive(Debug)]
pub struct LateRead<T> {
    /// Where the library declares it.
    at: StmtAt,
    read: OnceLock<T>,
}

/// A statement of the standard library: its file, and its place there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
pub(crate) struct StmtAt {
    pub(crate) file: usize,
    pub(crate) stmt: usize,
}

/// The fields of a kind or a component.
pub(crate) type LateFields = LateRead<Fields>;

/// What a type stands for.
pub(crate) type LateType = LateRead<Type>;

/// What can be read of a declaration.
pub trait Declared {
    /// It of a statement of the standard library.
    fn of_library(stmt: Option<&'static Stmt>) -> Self;
}

impl<T> LateRead<T> {
    /// What is read already.
    pub(crate) fn read(it: T) -> Self {
        Self { at: StmtAt::default(), read: OnceLock::from(it) }
    }

    /// What the library declares there.
    pub(super) fn at(at: StmtAt) -> Self {
        Self { at, read: OnceLock::new() }
    }
}

impl<T: Declared> Deref for LateRead<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.read.get_or_init(|| T::of_library(load::standard().stmt(self.at)))
    }
}

impl Declared for Fields {
    fn of_library(stmt: Option<&'static Stmt>) -> Self {
        let body = match stmt.map(|stmt| &stmt.kind) {
            Some(StmtKind::Kind(decl)) => &decl.body,
            Some(StmtKind::Component(decl)) => &decl.body,
            _ => return Self::default(),
        };
        with_library(|reader| reader.fields(body))
    }
}

impl Declared for Type {
    fn of_library(stmt: Option<&'static Stmt>) -> Self {
        let Some(StmtKind::Type(decl)) = stmt.map(|stmt| &stmt.kind) else { return Self::Unknown };
        let name = decl.name.as_ref().map(|name| name.value.as_str());
        with_library(|reader| reader.read(&decl.definition, name))
    }
}

/// The types that are written in a component, by where they stand.
impl Declared for BTreeMap<Span, Type> {
    fn of_library(stmt: Option<&'static Stmt>) -> Self {
        let mut written = Vec::new();
        collect_types(stmt, &mut written);
        with_library(|reader| {
            written.into_iter().map(|ty| (ty.span, reader.read(ty, None))).collect()
        })
    }
}

/// Reads with all that the library declares, of which nothing is wrong, as a test makes sure.
fn with_library<T>(read: impl FnOnce(&mut Reader<'_, 'static>) -> T) -> T {
    read(&mut Reader::of_library(&load::standard().schema, &mut Reports::default()))
}

/// What the components of the standard library take, by where they are declared, and types as they are written in them.
#[derive(Default, Debug)]
pub(crate) struct Components {
    pub(crate) fields: BTreeMap<Span, Arc<LateFields>>,
    types: Vec<(Span, LateRead<BTreeMap<Span, Type>>)>,
}

impl Components {
    pub(super) fn add(&mut self, stmt: &Stmt, at: StmtAt) {
        self.fields.insert(stmt.span, Arc::new(LateRead::at(at)));
        self.types.push((stmt.span, LateRead::at(at)));
    }

    /// A type as it is written in one of them.
    pub(crate) fn written(&self, ty: &TypeExpr) -> Option<&Type> {
        let (_, types) = self.types.iter().find(|(span, _)| span.covers(ty.span))?;
        types.get(&ty.span)
    }
}

/// Constructors of all sum types; their names are unique.
#[derive(Clone, Default, Debug)]
pub struct Ctors(Map<Arc<str>, Kept>);

/// A constructor.
#[derive(Clone, Debug)]
enum Kept {
    Read(Arc<Ctor>),
    /// Of a type of the library, which is read first.
    Of(Arc<Named>),
}

impl Ctors {
    /// The constructor of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Ctor>> {
        self.0.get(name)?.read(name)
    }

    /// Whether there is one of that name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Their names.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.keys()
    }

    /// All of them.
    pub fn values(&self) -> impl Iterator<Item = &Arc<Ctor>> {
        self.0.iter().filter_map(|(name, kept)| kept.read(name))
    }

    pub(super) fn insert(&mut self, ctor: Arc<Ctor>) {
        self.0.insert(ctor.name.clone(), Kept::Read(ctor));
    }

    /// Adds that a type of the library has one of that name.
    pub(super) fn insert_of(&mut self, of: &Arc<Named>, name: &str) {
        self.0.insert(name.into(), Kept::Of(of.clone()));
    }
}

impl Kept {
    fn read(&self, name: &str) -> Option<&Arc<Ctor>> {
        match self {
            Self::Read(ctor) => Some(ctor),
            Self::Of(named) => named.definition.ctor(name),
        }
    }
}

/// The types that are written in statements, but for those of fields.
pub(crate) fn collect_types<'t>(
    stmts: impl IntoIterator<Item = &'t Stmt>,
    found: &mut Vec<&'t TypeExpr>,
) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Param(param) => found.extend(param.ty.as_deref()),
            StmtKind::Let(binding) | StmtKind::Output(binding) => {
                found.extend(binding.ty.as_deref())
            }
            StmtKind::Decl(decl) => collect_types(&decl.body, found),
            StmtKind::Component(decl) => collect_types(decl.body.iter(), found),
            StmtKind::For(rounds) => collect_types(&rounds.body, found),
            StmtKind::If(choice) => {
                collect_types(&choice.then, found);
                collect_types(choice.otherwise.as_deref().unwrap_or_default(), found);
            }
            _ => {}
        }
    }
}
