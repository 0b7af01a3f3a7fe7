//! What is read of declarations when somebody asks for it.

use super::{Reader, Schema};
use crate::report::Reports;
use crate::types::{Fields, Type};
use slipform_source::Span;
use slipform_syntax::tree::{Stmt, StmtKind, Tree, TypeExpr};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// The fields of a kind or a component. Those of the standard library are read when somebody asks for them: a blueprint has
/// nouns of few kinds.
#[derive(Debug)]
pub struct LateFields(Late<Fields>);

type Late<T> = LazyLock<T, Box<dyn FnOnce() -> T + Send>>;

impl LateFields {
    /// Fields that are read already.
    pub(crate) fn read(fields: Fields) -> Self {
        Self(LazyLock::new(Box::new(|| fields)))
    }
}

impl Deref for LateFields {
    type Target = Fields;

    fn deref(&self) -> &Fields {
        &self.0
    }
}

/// What the declarations of the standard library are read with: its types, and the names of its kinds.
#[derive(Clone)]
pub(super) struct Library(pub(super) Arc<(Schema, Vec<String>)>);

impl Library {
    /// The fields of a kind or a component, by the place of its statement.
    pub(super) fn fields(&self, tree: &Arc<Tree>, at: usize) -> LateFields {
        let (library, tree) = (self.clone(), tree.clone());
        LateFields(LazyLock::new(Box::new(move || {
            let body = match tree.stmts.get(at).map(|stmt| &stmt.kind) {
                Some(StmtKind::Kind(decl)) => &decl.body,
                Some(StmtKind::Component(decl)) => &decl.body,
                _ => return Fields::default(),
            };
            library.read(|reader| reader.fields(body))
        })))
    }

    /// The types that are written in a component, by the place of its statement.
    fn types(&self, tree: &Arc<Tree>, at: usize) -> Late<BTreeMap<Span, Type>> {
        let (library, tree) = (self.clone(), tree.clone());
        LazyLock::new(Box::new(move || {
            let mut written = Vec::new();
            collect_types(tree.stmts.get(at), &mut written);
            library.read(|reader| {
                written.into_iter().map(|ty| (ty.span, reader.read(ty, None))).collect()
            })
        }))
    }

    fn read<'t, T>(&self, read: impl FnOnce(&mut Reader<'_, 't>) -> T) -> T {
        let (mut known, names) = (*self.0).clone();
        read(&mut Reader::of_library(&mut known, names, &mut Reports::default()))
    }
}

/// What the components of the standard library take, by where they are declared, and types as they are written in them.
#[derive(Default, Debug)]
pub(crate) struct Components {
    pub(crate) fields: BTreeMap<Span, Arc<LateFields>>,
    types: Vec<(Span, Late<BTreeMap<Span, Type>>)>,
}

impl Components {
    pub(super) fn add(&mut self, library: &Library, tree: &Arc<Tree>, (at, stmt): (usize, &Stmt)) {
        self.fields.insert(stmt.span, Arc::new(library.fields(tree, at)));
        self.types.push((stmt.span, library.types(tree, at)));
    }

    /// A type as it is written in one of them.
    pub(crate) fn written(&self, ty: &TypeExpr) -> Option<&Type> {
        let (_, types) = self.types.iter().find(|(span, _)| span.covers(ty.span))?;
        types.get(&ty.span)
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
