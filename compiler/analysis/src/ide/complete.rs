//! What may be written at a place: words, fields, kinds, names, values that fit, facts of the catalog.
//!
//! While somebody types, a text is broken as a rule: something is missing where the cursor is. So a name is put there,
//! and the parser reads the statement with it (`standin`). What is wanted is told by the tree around that name (`place`,
//! `expected`, `behind`), and where no type says it by what stands beside (`sought`, `said`); names and types come from
//! what could be understood around it (`scope`), and what fits is offered by the other modules.

mod behind;
pub(crate) mod expected;
mod facts;
mod fields;
mod known;
mod modules;
pub(super) mod names;
mod of_tests;
mod place;
mod said;
pub(super) mod scope;
pub(crate) mod snippet;
mod sought;
pub(crate) mod standin;
mod statements;
#[cfg(test)]
mod tests;
mod values;

pub use modules::Unread;
pub use snippet::plain;

use super::cursor::Cursor;
use super::patches::{self, PatchPlace};
use super::{facts_file, project_file};
use crate::check::{Checker, Scope};
use crate::program::{Program, UnitId};
use crate::types::Type;
use crate::{Analysis, Depth};
use place::{Place, Site, Typed, Wanted};
use slipform_model::catalog::Catalog;
use slipform_source::{FileId, Span};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Doc, Expr, ExprKind};
use standin::StandIn;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that may be written at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Completion {
    /// As it is listed.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its type, or a fact, in one line.
    pub detail: String,
    /// Its documentation, as Markdown.
    pub doc: Option<Doc>,
    /// What is written, as a snippet: `${1:text}` is a place to fill in, `$0` the last one; `\$`, `\}` and `\\` stand
    /// for themselves.
    pub insert: String,
    /// What it replaces: the word or the text that is being typed.
    pub replace: Span,
    /// What the typed text is compared with.
    pub filter: String,
    /// What fits best has the lowest.
    pub rank: u8,
    /// Of those that fit alike the lowest goes first: how far above it is declared.
    pub near: u32,
}

/// What a completion is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// A kind of noun, or a component.
    Kind,
    /// A field.
    Field,
    /// A word of an enumeration, `true`, `auto`.
    Value,
    /// A constructor.
    Constructor,
    /// A function.
    Function,
    /// A `let`, a `param` or the name of a loop.
    Name,
    /// A noun.
    Noun,
    /// A type.
    Type,
    /// A file.
    Module,
    /// A rule.
    Rule,
    /// A machine type, a zone, a region or a topology of the catalog.
    Fact,
}

/// What may be written at an offset.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Offered {
    /// What the language knows, what fits best first.
    pub found: Vec<Completion>,
    /// Where it is in a `patch` block, of which its consumer knows more.
    pub patch: Option<PatchPlace>,
    /// Where fields of a noun are offered, whose: targets know which of them it has.
    pub fields_of: Option<FieldsOf>,
    /// Where a file is wanted, those that are not read yet.
    pub unread: Option<Unread>,
    /// It is another once so much is known.
    pub waits: Option<Depth>,
}

/// Whose fields are offered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldsOf {
    /// The kind of the noun.
    pub kind: Arc<str>,
    /// The platform that it is for.
    pub platform: Arc<str>,
    /// Its machines are made on Google Cloud, and that is written.
    pub on_cloud: bool,
}

/// What may be written at an offset: of a blueprint, of `slipform.toml` or `catalog.local.toml`.
pub fn complete(analysis: &Analysis, file: FileId, offset: usize) -> Offered {
    if super::cursor::tree(analysis, file).is_none() {
        let mut found = project_file::complete(analysis, file, offset);
        found.extend(facts_file::complete(analysis, file, offset));
        found.sort_by_cached_key(order);
        return Offered { found, ..Offered::default() };
    }
    let cursor = Cursor::new(analysis, file, offset);
    let read = cursor.and_then(|cursor| Some((StandIn::new(&cursor)?, cursor)));
    let Some((stand_in, cursor)) = read else { return Offered::default() };
    let Found { found, fields_of, unread } = found(&cursor, &stand_in);
    let in_text = stand_in.path().last().is_some_and(|it| is_text(*it));
    let patch = patches::place(&cursor, &stand_in);
    // within the quotes of a patch nothing of the language stands but what is put into texts
    let of_consumer = patch.as_ref().is_some_and(|it| it.quoted && it.value) && in_text;
    let found = if of_consumer { Vec::new() } else { found };
    let patch = patch.map(|it| {
        let known = |checker: &mut Checker<'_, '_>, scope: &Scope<'_>| {
            scope::platform(&cursor, checker.program, scope)
        };
        let platform = scope::with(analysis, file, offset, known).flatten();
        PatchPlace { platform, ..it }
    });
    let values = cursor.waits.get().then_some(Depth::Values);
    let rules = cursor.waits_for_rules.get().then_some(Depth::Rules);
    Offered { found, patch, fields_of, unread, waits: rules.or(values) }
}

fn is_text(node: NodeRef<'_>) -> bool {
    matches!(node, NodeRef::Expr(Expr { kind: ExprKind::Str(_), .. }))
}

/// The type that is wanted of the text which the cursor is in.
pub(super) fn wanted_of_text(cursor: &Cursor<'_>) -> Option<Type> {
    let stand_in = StandIn::new(cursor)?;
    let wanted = scope::with(cursor.analysis, cursor.file, cursor.offset, |checker, scope| {
        let place = place::find(cursor, &stand_in, checker)?;
        scope::in_rounds(checker, &place.rounds, scope, |checker, scope| match place.wanted {
            Wanted::Text(ty) => ty,
            Wanted::Compared(with, Typed::Quoted) => scope::type_of(checker, scope, &with),
            _ => None,
        })
    });
    wanted.flatten()
}

/// The type of an expression at the cursor.
pub(super) fn type_at(cursor: &Cursor<'_>, expr: &Expr) -> Option<Type> {
    let found = scope::with(cursor.analysis, cursor.file, cursor.offset, |checker, scope| {
        scope::type_of(checker, scope, expr)
    });
    found.flatten()
}

/// What is offered, whose fields are, and where files are wanted.
#[derive(Default)]
struct Found {
    found: Vec<Completion>,
    fields_of: Option<FieldsOf>,
    unread: Option<Unread>,
}

fn found(cursor: &Cursor<'_>, stand_in: &StandIn) -> Found {
    let of_test = of_tests::offered(cursor, stand_in);
    let of_test = of_test.map(|found| Found { found, ..Found::default() });
    let of_any = || in_program(cursor, stand_in).unwrap_or_default();
    let mut all = of_test.unwrap_or_else(of_any);
    all.found.sort_by_cached_key(order);
    let mut known = BTreeSet::new();
    all.found.retain(|it| known.insert((it.kind, it.label.clone())));
    all
}

/// Where something stands in a list: fields as their kind has them, which begins with what matters most.
fn order(it: &Completion) -> (u8, u32, Option<String>) {
    let name = (it.kind != CompletionKind::Field).then(|| it.filter.clone());
    (it.rank, it.near, name)
}

/// What fits at a place of a blueprint.
fn in_program(cursor: &Cursor<'_>, stand_in: &StandIn) -> Option<Found> {
    let analysis = cursor.analysis;
    scope::with(analysis, cursor.file, cursor.offset, |checker, scope| {
        let place = place::find(cursor, stand_in, checker)?;
        Some(scope::in_rounds(checker, &place.rounds, scope, |checker, scope| {
            let mut completer = Completer {
                cursor,
                analysis,
                program: checker.program,
                unit: checker.unit,
                checker,
                scope,
                catalog: &analysis.catalog,
                place: &place,
                found: Vec::new(),
            };
            completer.offer();
            let (fields_of, unread) = (completer.fields_of(), completer.unread());
            Found { found: completer.found, fields_of, unread }
        }))
    })
    .flatten()
}

/// Offers what fits a place.
struct Completer<'c, 'a, 't> {
    cursor: &'c Cursor<'c>,
    analysis: &'c Analysis,
    program: &'a Program<'t>,
    unit: UnitId,
    checker: &'c mut Checker<'a, 't>,
    scope: &'c Scope<'c>,
    catalog: &'c Catalog,
    place: &'c Place,
    found: Vec<Completion>,
}

impl Completer<'_, '_, '_> {
    /// Whose fields are offered, where the platform of the noun at the cursor is known.
    fn fields_of(&self) -> Option<FieldsOf> {
        let Wanted::Statement(place::Block::Noun(kind)) = &self.place.wanted else { return None };
        let on_cloud = self.place.site == Site::Cloud;
        Some(FieldsOf { kind: kind.name.clone(), platform: self.platform()?, on_cloud })
    }

    /// The platform of the noun at the cursor.
    fn platform(&self) -> Option<Arc<str>> {
        scope::platform(self.cursor, self.program, self.scope)
    }

    fn offer(&mut self) {
        let place = self.place;
        match &place.wanted {
            Wanted::Statement(block) => self.statements(block),
            Wanted::Key(fields) => self.fields(fields, 1),
            Wanted::NewKey => {
                self.new_keys();
                self.variables();
            }
            Wanted::Value(ty) => self.values(ty.as_ref()),
            Wanted::Sought(sought) => self.sought(sought),
            Wanted::Behind(behind) => self.words_behind(behind),
            Wanted::Element(base, typed) => self.elements(base, *typed),
            Wanted::Argument(callee, ty) => {
                self.fields(&callee.fields, 1);
                self.values(ty.as_ref());
            }
            Wanted::Text(ty) => self.texts(ty.as_ref()),
            Wanted::Compared(with, typed) => self.compared(with, *typed),
            Wanted::Words(words) => self.words_alone(words),
            Wanted::TextOf(function) => self.texts_of(function),
            Wanted::Member(base, ty) => self.members(base, ty.as_ref()),
            Wanted::Type => self.types(),
            Wanted::Platform(kind) => self.platforms(kind),
            Wanted::Existing(parent) => self.kinds_that_exist(parent.as_deref()),
            Wanted::Named(fields) => self.names_of(fields),
            Wanted::Kind(parents) => self.kinds_by_name(*parents),
            Wanted::Rule(kind) => self.rules(kind.as_deref()),
            Wanted::Clause => self.clauses(),
            Wanted::Module => self.modules(),
            Wanted::Import(module) => self.imports(module),
        }
    }

    /// A completion of what is being typed, which stands for itself.
    fn item(&self, label: impl Into<String>, kind: CompletionKind, rank: u8) -> Completion {
        let label = label.into();
        Completion {
            kind,
            detail: String::new(),
            doc: None,
            insert: snippet::escaped(&label),
            replace: self.place.replace,
            filter: label.clone(),
            rank,
            // What the blueprint declares goes before what there is anyway.
            near: if kind == CompletionKind::Field { 0 } else { u32::MAX },
            label,
        }
    }
}
