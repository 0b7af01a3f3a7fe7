//! The names of a file and of its blocks, with their types.

use super::Checker;
use crate::eval::MAX_COMPONENT_DEPTH;
use crate::index::{Called, Mention};
use crate::infer::{Infer, Outer, Seen};
use crate::program::{Component, Import, UnitId};
use crate::schema::NAMES_DUPLICATE;
use crate::types::{Block, Fields, Type};
use slipform_model::{Diagnostic, Map, nearest};
use slipform_syntax::tree::{Comprehension, Decl, Expr, ExprKind, Name, Stmt, StmtKind, StrPart};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The `let` of a block whose types are inferred.
struct Waiting<'t> {
    lets: Vec<(&'t Name, &'t Expr)>,
    first: Map<&'t str, usize>,
    done: Vec<bool>,
}

/// How many `let` may wait for each other's types; evaluation ends sooner.
const MAX_LET_CHAIN: usize = 500;

/// Names, and the scope around them.
#[derive(Default)]
pub(crate) struct Scope<'s> {
    outer: Option<&'s Scope<'s>>,
    names: Map<String, Seen>,
    set: Vec<String>,
    alike: RefCell<Map<String, Option<String>>>,
}

/// How many different names that nobody declares are compared with all that a scope has: of more nobody reads the reports, and each
/// takes as long as the scope is large.
const MOST_COMPARED: usize = 64;

impl<'s> Scope<'s> {
    /// A scope inside, where these paths are certainly set.
    pub(crate) fn assuming(&'s self, set: Vec<String>) -> Scope<'s> {
        Scope { outer: Some(self), set, ..Scope::default() }
    }

    /// Every path that is certainly set here.
    pub(crate) fn all_set(&self) -> Vec<String> {
        let mut set = self.outer.map(Scope::all_set).unwrap_or_default();
        set.extend(self.set.iter().cloned());
        set
    }

    /// Adds a name.
    pub(crate) fn add(&mut self, name: &str, seen: Seen) {
        self.names.insert(name.to_owned(), seen);
    }
}

impl Outer for Scope<'_> {
    fn name(&self, name: &str) -> Option<Seen> {
        self.names.get(name).cloned().or_else(|| self.outer?.name(name))
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.outer.map(Outer::names).unwrap_or_default();
        names.extend(self.names.keys().cloned());
        names
    }

    fn alike(&self, written: &str) -> Vec<String> {
        let mut found = self.outer.map(|outer| outer.alike(written)).unwrap_or_default();
        let mut known = self.alike.borrow_mut();
        if !known.contains_key(written) && known.len() < MOST_COMPARED {
            let near = nearest(written, self.names.keys().map(String::as_str));
            known.insert(written.to_owned(), near.map(str::to_owned));
        }
        found.extend(known.get(written).cloned().flatten());
        found
    }
}

/// The names that the uses of a file list, as the file calls them.
fn used_names(stmts: &[Stmt]) -> impl Iterator<Item = &Name> {
    let used = stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Use(used) => used.names.as_ref(),
        _ => None,
    });
    used.flatten().map(|(name, alias)| alias.as_ref().unwrap_or(name))
}

impl<'t> Checker<'_, 't> {
    /// Everything that a file may name without saying where it comes from.
    pub(crate) fn file_scope(&mut self, unit: UnitId) -> Scope<'static> {
        let mut scope = Scope::default();
        let program = self.program;
        let Some(file) = program.units.get(unit.0) else { return scope };
        for (name, import) in &file.imports {
            if let Some(seen) = self.imported(import) {
                scope.add(name, seen);
            }
        }
        for name in used_names(&file.tree.stmts) {
            // what does not exist there is reported at the `use`, and may be anything here
            if !file.imports.contains_key(name.value.as_str()) {
                scope.add(&name.value, Seen { ty: Type::Unknown, span: name.span, doc: None });
            }
        }
        self.declare(&file.tree.stmts, &mut scope);
        scope
    }

    fn imported(&mut self, import: &Import) -> Option<Seen> {
        let program = self.program;
        let (Import::Module(from) | Import::Name(from, _)) = import;
        let file = program.units.get(from.0)?;
        if program.is_circular(*from) {
            let span = slipform_source::Span::new(file.tree.file, 0, 0);
            return Some(Seen { ty: Type::Unknown, span, doc: None });
        }
        match import {
            Import::Module(unit) => {
                let scope = self.looked_into(*unit);
                let children = scope
                    .names
                    .iter()
                    .map(|(name, seen)| (Arc::from(name.as_str()), seen.ty.clone()));
                let ty = Type::Block(Arc::new(Block { kind: None, children: children.collect() }));
                let span = slipform_source::Span::new(file.tree.file, 0, 0);
                Some(Seen { ty, span, doc: None })
            }
            Import::Name(unit, name) => self.looked_into(*unit).names.get(name).cloned(),
        }
    }

    /// The names of another file, collected once.
    pub(super) fn looked_into(&mut self, unit: UnitId) -> Rc<Scope<'static>> {
        if let Some(known) = self.looked.get(&unit) {
            return known.clone();
        }
        let scope = Rc::new(self.quietly(|checker| {
            checker.unit = unit;
            checker.file_scope(unit)
        }));
        self.looked.insert(unit, scope.clone());
        scope
    }

    /// Looks into another file, whose mistakes are reported when it is checked itself.
    fn quietly<T>(&mut self, look: impl FnOnce(&mut Checker<'_, 't>) -> T) -> T {
        let mut reports = crate::report::Reports::default();
        let mut index = crate::index::Index::new(false);
        let mut checker = Checker {
            program: self.program,
            unit: self.unit,
            reports: &mut reports,
            index: &mut index,
            unfolding: self.unfolding.clone(),
            unfolded: std::mem::take(&mut self.unfolded),
            looked: std::mem::take(&mut self.looked),
        };
        let found = look(&mut checker);
        self.unfolded = checker.unfolded;
        self.looked = checker.looked;
        found
    }

    /// The scope of a block: what it declares, over what surrounds it.
    pub(crate) fn block_scope<'s>(&mut self, stmts: &'t [Stmt], outer: &'s Scope<'s>) -> Scope<'s> {
        let mut scope = Scope { outer: Some(outer), ..Scope::default() };
        self.declare(stmts, &mut scope);
        scope
    }

    /// The fields of a component as names.
    pub(crate) fn component_scope<'s>(
        &mut self,
        fields: &Fields,
        outer: &'s Scope<'s>,
    ) -> Scope<'s> {
        let mut scope = Scope { outer: Some(outer), ..Scope::default() };
        for (name, field) in &fields.0 {
            scope.add(name, Seen { ty: field.read(), span: field.span, doc: field.doc.clone() });
        }
        scope
    }

    /// The names of one round of a loop. Mistakes in what is walked are reported where `report` says so.
    pub(crate) fn round_scope<'s>(
        &mut self,
        (names, items): (&[Name], &Expr),
        outer: &'s Scope<'s>,
        report: bool,
    ) -> Scope<'s> {
        let program = self.program;
        let mut quiet = (crate::report::Reports::default(), crate::index::Index::new(false));
        let mut scope = Scope { outer: Some(outer), ..Scope::default() };
        let (reports, index) = if report {
            (&mut *self.reports, &mut *self.index)
        } else {
            (&mut quiet.0, &mut quiet.1)
        };
        let mut infer = Infer::new(&program.schema, reports, index, outer, false);
        infer.assume(outer.all_set());
        let walked = infer.expr(items, None);
        infer.bind_round(names, &walked, items.span);
        for (name, seen) in infer.into_locals() {
            scope.add(&name, seen);
        }
        scope
    }

    fn declare(&mut self, stmts: &'t [Stmt], scope: &mut Scope<'_>) {
        self.declare_nouns(stmts, scope, false);
        let lets: Vec<(&'t Name, &'t Expr)> = stmts
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Let(binding) if binding.ty.is_none() => {
                    Some((binding.name.as_ref()?, &binding.value))
                }
                _ => None,
            })
            .collect();
        let mut first = Map::default();
        for (at, (name, _)) in lets.iter().enumerate() {
            first.entry(name.value.as_str()).or_insert(at);
        }
        let mut waiting = Waiting { done: vec![false; lets.len()], first, lets };
        for at in 0..waiting.lets.len() {
            self.declare_let(at, 0, &mut waiting, scope);
        }
    }

    fn declare_nouns(&mut self, stmts: &'t [Stmt], scope: &mut Scope<'_>, looped: bool) {
        for stmt in stmts {
            let found = match &stmt.kind {
                StmtKind::Param(param) => param.name.as_ref().map(|name| {
                    let ty =
                        param.ty.as_ref().map_or(Type::Unknown, |ty| self.program.written_type(ty));
                    (name, ty)
                }),
                StmtKind::Let(binding) => binding.name.as_ref().map(|name| {
                    let ty = binding
                        .ty
                        .as_ref()
                        .map_or(Type::Unknown, |ty| self.program.written_type(ty));
                    (name, ty)
                }),
                StmtKind::Decl(decl) => {
                    decl.name.as_ref().map(|name| (name, self.decl_type(decl, scope)))
                }
                StmtKind::For(rounds) => {
                    self.declare_nouns(&rounds.body, scope, true);
                    None
                }
                StmtKind::If(choice) => {
                    self.declare_branch(&choice.then, scope, looped);
                    self.declare_branch(
                        choice.otherwise.as_deref().unwrap_or_default(),
                        scope,
                        looped,
                    );
                    None
                }
                _ => None,
            };
            let Some((name, ty)) = found else { continue };
            let is_decl = matches!(stmt.kind, StmtKind::Decl(_));
            if looped && !is_decl {
                continue;
            }
            let ty = if looped { Type::Group(Arc::new(ty)) } else { ty };
            self.declare_name(name, ty, stmt, scope);
        }
    }

    /// Both branches of a condition may declare one name: only one of them is built.
    fn declare_branch(&mut self, stmts: &'t [Stmt], scope: &mut Scope<'_>, looped: bool) {
        for stmt in stmts {
            if let StmtKind::If(choice) = &stmt.kind {
                self.declare_branch(&choice.then, scope, looped);
                let otherwise = choice.otherwise.as_deref().unwrap_or_default();
                self.declare_branch(otherwise, scope, looped);
            }
            if let StmtKind::For(rounds) = &stmt.kind {
                self.declare_branch(&rounds.body, scope, true);
            }
            let StmtKind::Decl(decl) = &stmt.kind else { continue };
            let Some(name) = &decl.name else { continue };
            let ty = self.decl_type(decl, scope);
            let ty = if looped { Type::Group(Arc::new(ty)) } else { ty };
            if !scope.names.contains_key(name.value.as_str()) {
                let seen = self.seen(name, ty, stmt.doc.clone());
                scope.add(&name.value, seen);
            }
        }
    }

    fn declare_name(&mut self, name: &'t Name, ty: Type, stmt: &Stmt, scope: &mut Scope<'_>) {
        if let Some(first) = scope.names.get(name.value.as_str()) {
            self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("`{}` is declared twice", name.value),
                    name.span,
                )
                .also(first.span, "first declared here"),
            );
            return;
        }
        let seen = self.seen(name, ty, stmt.doc.clone());
        scope.add(&name.value, seen);
    }

    /// Infers the type of a `let` after those that it names.
    fn declare_let(
        &mut self,
        at: usize,
        depth: usize,
        waiting: &mut Waiting<'t>,
        scope: &mut Scope<'_>,
    ) {
        let Some((name, expr)) = waiting.lets.get(at).copied() else { return };
        let Some(done) = waiting.done.get_mut(at) else { return };
        if depth > MAX_LET_CHAIN || std::mem::replace(done, true) {
            return;
        }
        let mut used = Vec::new();
        names_in(expr, &mut used);
        for other in used {
            if let Some(first) = waiting.first.get(other).copied() {
                self.declare_let(first, depth + 1, waiting, scope);
            }
        }
        let ty = widened(self.let_type(expr, scope));
        self.index.add(|| Mention {
            span: name.span,
            declared: Some(name.span),
            called: Called::Declared("let", name.value.clone()),
            ty: ty.clone(),
            doc: None,
        });
        if let Some(seen) = scope.names.get_mut(name.value.as_str()) {
            seen.ty = ty;
        }
    }

    /// The type of a reference to a declaration: its kind, and what is declared inside.
    fn decl_type(&mut self, decl: &'t Decl, outer: &Scope<'_>) -> Type {
        let schema = &self.program.schema;
        let program = self.program;
        let called = program.meant(self.unit, decl);
        let kind: Option<Arc<str>> = schema.variants(called).next().map(|kind| kind.name.clone());
        let (body, component) = match (&kind, program.component(self.unit, &decl.kind.value)) {
            (Some(_), _) => (decl.body.as_slice(), None),
            (None, Some(Component { decl, stmt, .. })) => (decl.body.as_slice(), Some(stmt.span)),
            (None, None) => return Type::Unknown,
        };
        if let Some(component) = component {
            if let Some(known) = self.unfolded.get(&component) {
                return known.clone();
            }
            // Deeper than this no component is used.
            if self.unfolding.len() > MAX_COMPONENT_DEPTH || self.unfolding.contains(&component) {
                return Type::Unknown;
            }
        }
        let mut children = Scope::default();
        let _ = outer;
        self.quietly(|checker| {
            checker.unfolding.extend(component);
            checker.declare_nouns(body, &mut children, false);
        });
        let strange = |name: &str| {
            body.iter().any(|stmt| match &stmt.kind {
                StmtKind::Decl(decl) => decl.name.as_ref().is_some_and(|it| it.value == *name),
                _ => false,
            })
        };
        let children = children.names.into_iter();
        let children = children.filter(|(name, seen)| is_declared(&seen.ty) || strange(name));
        let children = children.map(|(name, seen)| (Arc::from(name.as_str()), seen.ty)).collect();
        let ty = Type::Block(Arc::new(Block { kind, children }));
        if let Some(component) = component {
            self.unfolded.insert(component, ty.clone());
        }
        ty
    }
}

fn is_declared(ty: &Type) -> bool {
    matches!(ty, Type::Block(_) | Type::Group(_))
}

/// A named value is not bound to the word that it happens to be.
fn widened(ty: Type) -> Type {
    match ty {
        Type::Word(_) => Type::Str,
        Type::Number(_) => Type::Int,
        Type::List(item) => Type::List(Arc::new(widened_item(&item))),
        other => other,
    }
}

fn widened_item(item: &Type) -> Type {
    match item {
        Type::Union(arms) => Type::union(arms.iter().cloned().map(widened).collect::<Vec<_>>()),
        other => widened(other.clone()),
    }
}

/// The plain names in an expression.
fn names_in<'e>(expr: &'e Expr, found: &mut Vec<&'e str>) {
    let mut each = |inner: &'e Expr| names_in(inner, found);
    match &expr.kind {
        ExprKind::Name(name) => found.push(name),
        ExprKind::Str(parts) => parts.iter().for_each(|part| {
            if let StrPart::Interp(inner) = part {
                each(inner);
            }
        }),
        ExprKind::Member(base, _) => each(base),
        ExprKind::Index(a, b) | ExprKind::Binary(_, _, a, b) => {
            each(a);
            each(b);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|arg| each(&arg.value)),
        ExprKind::List(items) => items.iter().for_each(each),
        ExprKind::Record(entries) => entries.iter().for_each(|entry| each(&entry.value)),
        ExprKind::ListFor(rounds) | ExprKind::RecordFor(rounds) => {
            let Comprehension { items, condition, key, value, .. } = &**rounds;
            each(items);
            condition.iter().for_each(&mut each);
            key.iter().for_each(&mut each);
            each(value);
        }
        ExprKind::Unary(_, inner) | ExprKind::IsSet(inner, _) | ExprKind::Paren(inner) => {
            each(inner)
        }
        ExprKind::If(a, b, c) => {
            each(a);
            each(b);
            each(c);
        }
        ExprKind::Bool(_) | ExprKind::Auto | ExprKind::Literal(..) | ExprKind::Missing => {}
    }
}
