//! Checks every statement without evaluating it: names, places, fields and types.

mod components;
mod names;
pub(crate) mod nouns;

pub(crate) use names::Scope;

use crate::index::{Called, Index, Mention};
use crate::infer::{Infer, Seen, paths_set_when};
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::rules::{self, OwnRule};
use crate::schema::{Kind, NAMES_DUPLICATE};
use crate::types::{Fields, Type};
use slipform_model::{Diagnostic, Map};
use slipform_source::Span;
use slipform_syntax::tree::{
    Assert, ComponentDecl, Decl, Doc, Expr, For, If, Let, Name, Param, Patch, Stmt, StmtKind,
};
use std::collections::BTreeMap;
use std::rc::Rc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_PLACE = "names/place":
        "this kind of statement does not stand here",
        "move it to where the report says";
    PARAM_UNTYPED = "param/untyped":
        "a parameter says neither what it takes nor what it is without a value: nothing that is given for it could be checked",
        "give it a type, `param nodes: int`, or a default, `param nodes = 4`";
}

/// Fewer statements are checked faster than a thread starts.
const STATEMENTS_FOR_A_SECOND_THREAD: usize = 256;

/// Checks the files of a blueprint; those of the standard library only where `std` says so.
pub(crate) fn check(program: &Program<'_>, reports: &mut Reports, index: &mut Index, std: bool) {
    let units = program.units.iter().enumerate().filter(|(_, unit)| std || !unit.std);
    let units: Vec<(UnitId, &[Stmt])> =
        units.map(|(at, unit)| (UnitId(at), unit.tree.stmts.as_slice())).collect();
    let many = units.iter().map(|(_, stmts)| stmts.len()).sum::<usize>();
    let unasked = index.is_off() && reports.so_far().is_empty();
    if many >= STATEMENTS_FOR_A_SECOND_THREAD && unasked && are_clean(program, &units) {
        return;
    }
    check_all(program, &units, reports, index);
}

/// Whether there is nothing to say of files, asked on two threads. Where there is, one report depends on those before it, and all are
/// found in order.
fn are_clean<'t>(program: &Program<'t>, units: &[(UnitId, &'t [Stmt])]) -> bool {
    let split = |(unit, stmts): &(UnitId, &'t [Stmt])| {
        let (first, second) = stmts.split_at(stmts.len() / 2);
        ((*unit, first), (*unit, second))
    };
    let (first, second): (Vec<_>, Vec<_>) = units.iter().map(split).unzip();
    let is_clean = |units: &[(UnitId, &'t [Stmt])]| {
        let mut reports = Reports::default();
        check_all(program, units, &mut reports, &mut Index::default());
        reports.so_far().is_empty()
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| is_clean(&second));
        // a panic is met again, in order
        is_clean(&first) && other.join().unwrap_or(false)
    })
}

fn check_all<'t>(
    program: &Program<'t>,
    units: &[(UnitId, &'t [Stmt])],
    reports: &mut Reports,
    index: &mut Index,
) {
    let mut looked = BTreeMap::new();
    for (unit, stmts) in units {
        let mut checker = Checker::new(program, *unit, reports, index);
        checker.looked = std::mem::take(&mut looked);
        let scope = checker.file_scope(*unit);
        checker.stmts(stmts, &scope, &Place::File);
        looked = checker.looked;
    }
}

/// What a statement stands in.
enum Place<'p> {
    File,
    Noun(&'p Kind, &'p Decl),
    Component,
}

pub(crate) struct Checker<'a, 't> {
    pub(crate) program: &'a Program<'t>,
    pub(crate) unit: UnitId,
    pub(crate) reports: &'a mut Reports,
    pub(crate) index: &'a mut Index,
    /// The components whose bodies are being looked into: none of them holds itself.
    unfolding: Vec<Span>,
    /// What is declared inside components that were looked into, by where they are declared.
    unfolded: Map<Span, Type>,
    /// The names of files that were looked into.
    looked: BTreeMap<UnitId, Rc<Scope<'static>>>,
}

impl<'a, 't> Checker<'a, 't> {
    /// A checker of one file.
    pub(crate) fn new(
        program: &'a Program<'t>,
        unit: UnitId,
        reports: &'a mut Reports,
        index: &'a mut Index,
    ) -> Self {
        Self {
            program,
            unit,
            reports,
            index,
            unfolding: Vec::new(),
            unfolded: Map::default(),
            looked: BTreeMap::new(),
        }
    }
}

impl<'t> Checker<'_, 't> {
    fn infer<'s>(&'s mut self, scope: &'s Scope<'_>, facts: bool) -> Infer<'s> {
        let mut infer = Infer::new(&self.program.schema, self.reports, self.index, scope, facts);
        infer.assume(scope.all_set());
        infer
    }

    fn stmts(&mut self, stmts: &'t [Stmt], scope: &Scope<'_>, place: &Place<'_>) {
        for stmt in stmts {
            self.stmt(stmt, scope, place);
        }
    }

    fn stmt(&mut self, stmt: &'t Stmt, scope: &Scope<'_>, place: &Place<'_>) {
        match &stmt.kind {
            StmtKind::Param(param) => {
                if !stmt.broken {
                    self.untyped(param);
                }
                self.param(param, scope, place);
            }
            StmtKind::Let(binding) => self.binding(binding, scope, false),
            StmtKind::Output(binding) => self.binding(binding, scope, true),
            StmtKind::Assert(assert) => self.assert(assert, scope),
            StmtKind::Decl(decl) => self.decl(stmt, decl, scope, place),
            StmtKind::For(rounds) => self.rounds(rounds, scope, place),
            StmtKind::If(choice) => self.choice(choice, scope, place),
            StmtKind::Attr(attr) => self.stray_attr((attr, stmt.broken), scope, place),
            StmtKind::Component(component) => self.component(component, scope),
            StmtKind::Patch(patch) => self.patch(patch, stmt.span, scope, place),
            StmtKind::Allow(_) if matches!(place, Place::File) => {
                self.reports.error(
                    NAMES_PLACE,
                    "an allowance stands inside of the noun that may break the rule",
                    stmt.span,
                );
            }
            StmtKind::Field(field) => self.reports.add(
                Diagnostic::error(
                    NAMES_PLACE,
                    "fields are declared in kinds and components only",
                    stmt.span,
                )
                .help(format!("to set a value, write `{} = ...`", field.name.value)),
            ),
            StmtKind::Rule(_) if matches!(place, Place::File) => {
                if let Some(rule) = OwnRule::new(self.unit, stmt) {
                    rules::check(self, &rule, scope);
                }
            }
            StmtKind::Rule(_) | StmtKind::Kind(_) | StmtKind::Type(_) | StmtKind::Use(_) => {
                if !matches!(place, Place::File) {
                    self.reports.error(
                        NAMES_PLACE,
                        "this stands at the top of a file only",
                        stmt.span,
                    );
                }
            }
            StmtKind::Allow(_) | StmtKind::Error => {}
        }
    }

    fn component(&mut self, component: &'t ComponentDecl, scope: &Scope<'_>) {
        let program = self.program;
        let known =
            component.name.as_ref().and_then(|name| program.component(self.unit, &name.value));
        let none = Fields::default();
        let fields = known.map_or(&none, |component| &component.fields);
        let scope = self.component_scope(fields, scope);
        let inner = self.block_scope(&component.body, &scope);
        for stmt in component.body.iter() {
            if !matches!(stmt.kind, StmtKind::Field(_)) {
                self.stmt(stmt, &inner, &Place::Component);
            }
        }
    }

    fn patch(&mut self, patch: &'t Patch, at: Span, scope: &Scope<'_>, place: &Place<'_>) {
        if matches!(place, Place::File | Place::Component) {
            self.reports.error(
                NAMES_PLACE,
                "a patch stands inside of the noun whose output it changes",
                at,
            );
        }
        let mut written: BTreeMap<&str, Span> = BTreeMap::new();
        for inner in &patch.body {
            if let StmtKind::Attr(attr) = &inner.kind {
                self.infer(scope, false).expr(&attr.value, None);
                let Name { value: key, span } = &attr.name;
                if let Some(first) = written.insert(key, *span) {
                    let message = format!("the key `{key}` is written twice");
                    self.reports.add(
                        Diagnostic::error(NAMES_DUPLICATE, message, *span)
                            .also(first, "first written here")
                            .left_out(),
                    );
                }
            }
        }
    }

    /// Reports a parameter of which nothing is said that what is given for it could be held against.
    fn untyped(&mut self, param: &Param) {
        let Param { name: Some(name), ty: None, default: None, .. } = param else { return };
        let message =
            format!("`{}` says neither what it takes nor what it is by itself", name.value);
        self.reports.add(Diagnostic::error(PARAM_UNTYPED, message, name.span).help(format!(
            "give it a type, `param {0}: int`, or a default, `param {0} = 4`",
            name.value
        )));
    }

    fn param(&mut self, param: &'t Param, scope: &Scope<'_>, place: &Place<'_>) {
        let Some(name) = &param.name else { return };
        if !matches!(place, Place::File) {
            self.reports.error(
                NAMES_PLACE,
                "parameters stand at the top of a file only",
                name.span,
            );
        }
        let ty = param.ty.as_ref().map_or(Type::Unknown, |ty| self.program.written_type(ty));
        self.index.add(|| Mention {
            span: name.span,
            declared: Some(name.span),
            called: Called::Declared("param", name.value.clone()),
            ty: ty.clone(),
            doc: None,
        });
        if let Some(default) = &param.default {
            self.infer(scope, false).check(default, &ty);
        }
        if let Some(condition) = &param.condition {
            self.infer(scope, false).check(condition, &Type::Bool);
        }
    }

    fn binding(&mut self, binding: &'t Let, scope: &Scope<'_>, output: bool) {
        let ty = binding.ty.as_ref().map(|ty| self.program.written_type(ty));
        let found = match &ty {
            Some(ty) => self.infer(scope, output).check(&binding.value, ty),
            // The types of lets are inferred, and their mistakes reported, when names are collected.
            None if !output => return,
            None => self.infer(scope, output).expr(&binding.value, None),
        };
        if let Some(name) = &binding.name {
            let ty = ty.unwrap_or(found);
            self.index.add(|| Mention {
                span: name.span,
                declared: Some(name.span),
                called: Called::Value(name.value.clone()),
                ty,
                doc: None,
            });
        }
    }

    fn assert(&mut self, assert: &'t Assert, scope: &Scope<'_>) {
        let mut infer = self.infer(scope, true);
        infer.check(&assert.condition, &Type::Bool);
        if let Some(message) = &assert.message {
            infer.check(message, &Type::Str);
        }
    }

    fn rounds(&mut self, rounds: &'t For, scope: &Scope<'_>, place: &Place<'_>) {
        let inner = self.round_scope((&rounds.names, &rounds.items), scope, true);
        if let Some(key) = &rounds.key {
            self.infer(&inner, false).check(key, &Type::union([Type::Str, Type::Int]));
        }
        let body = self.block_scope(&rounds.body, &inner);
        let attr = rounds.body.iter().find(|stmt| matches!(stmt.kind, StmtKind::Attr(_)));
        if let (Place::Noun(kind, _), Some(attr)) = (place, attr) {
            let message = format!(
                "a loop cannot set fields of a {}: each would be set several times",
                kind.name
            );
            self.reports.error(NAMES_PLACE, message, attr.span);
            return;
        }
        self.stmts(&rounds.body, &body, place);
    }

    fn choice(&mut self, choice: &'t If, scope: &Scope<'_>, place: &Place<'_>) {
        self.infer(scope, false).check(&choice.condition, &Type::Bool);
        let then = scope.assuming(paths_set_when(&choice.condition, true));
        let then = self.block_scope(&choice.then, &then);
        self.stmts(&choice.then, &then, place);
        if let Some(otherwise) = &choice.otherwise {
            let scope = scope.assuming(paths_set_when(&choice.condition, false));
            let scope = self.block_scope(otherwise, &scope);
            self.stmts(otherwise, &scope, place);
        }
    }

    /// The type of an expression of a `let`, which has no written type.
    fn let_type(&mut self, expr: &Expr, scope: &Scope<'_>) -> Type {
        self.infer(scope, false).expr(expr, None)
    }

    fn seen(&self, name: &Name, ty: Type, doc: Option<Doc>) -> Seen {
        Seen { ty, span: name.span, doc }
    }
}
