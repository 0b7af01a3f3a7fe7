//! Kinds of nouns.

use super::late::LateFields;
use slipform_source::Span;
use slipform_syntax::tree::{Doc, KindDecl, Name, Stmt, StmtKind};
use std::sync::Arc;

/// A noun's kind.
#[derive(Debug)]
pub struct Kind {
    /// Its name, without the platform.
    pub name: Arc<str>,
    /// The platform of this variant.
    pub platform: Option<Arc<str>>,
    /// The kind that it is declared in.
    pub parent: Option<Arc<str>>,
    /// Its fields, derived ones included.
    pub fields: LateFields,
    /// Its documentation.
    pub doc: Option<Doc>,
    /// Where its name stands.
    pub span: Span,
}

impl Kind {
    pub(super) fn new(name: &Name, stmt: &Stmt, decl: &KindDecl, fields: LateFields) -> Self {
        let text = |name: &Name| Arc::from(name.value.as_str());
        Self {
            name: text(name),
            platform: decl.platform.as_ref().map(text),
            parent: decl.parent.as_ref().map(text),
            fields,
            doc: stmt.doc.clone(),
            span: name.span,
        }
    }

    /// What the schema knows it by.
    pub(super) fn key(&self) -> Arc<str> {
        match &self.platform {
            Some(platform) => format!("{}.{platform}", self.name).into(),
            None => self.name.clone(),
        }
    }

    /// `pool`, or `cluster on gke`, as messages name it.
    pub fn title(&self) -> String {
        match &self.platform {
            Some(platform) => format!("{} on {platform}", self.name),
            None => self.name.to_string(),
        }
    }
}

/// The kind that a statement declares, where it has a name.
pub(super) fn kind_of(stmt: &Stmt) -> Option<(&Name, &KindDecl)> {
    let StmtKind::Kind(decl) = &stmt.kind else { return None };
    Some((decl.name.as_ref()?, decl))
}
