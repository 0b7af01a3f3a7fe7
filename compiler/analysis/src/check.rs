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
    let halved = many >= STATEMENTS_FOR_A_SECOND_THREAD
        && check_in_halves(program, &units, many / 2, reports, index);
    if !halved {
        check_all(program, &units, None, reports, index);
    }
}

/// Checks the first statements of some files, as many as are said, on one thread, and the others on a second. False, and nothing is done, where
/// there is something to say of both parts: one report depends on those before it, so that all have to be found in order.
fn check_in_halves<'t>(
    program: &Program<'t>,
    units: &[(UnitId, &'t [Stmt])],
    count: usize,
    reports: &mut Reports,
    index: &mut Index,
) -> bool {
    let (first, second) = parted(units, count);
    let is_on = !index.is_off();
    let begun = first.last().map(|(unit, _)| *unit);
    let known = &*reports;
    let check = |units: &[(UnitId, &'t [Stmt])], begun| {
        let (mut reports, mut index) = (known.clone(), Index::new(is_on));
        check_all(program, units, begun, &mut reports, &mut index);
        ((reports != *known).then_some(reports), index)
    };
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| check(&second, begun));
        // a panic is met again, in order
        Some((check(&first, None), other.join().ok()?))
    });
    let Some(((first, first_index), (second, second_index))) = both else { return false };
    if first.is_some() && second.is_some() {
        return false;
    }
    if let Some(told) = first.or(second) {
        *reports = told;
    }
    index.append(first_index);
    index.append(second_index);
    true
}

/// Statements of some files.
type Part<'s> = Vec<(UnitId, &'s [Stmt])>;

/// The statements of some files in two parts, of which the first has so many: what stands in front stays in front.
fn parted<'s>(units: &[(UnitId, &'s [Stmt])], count: usize) -> (Part<'s>, Part<'s>) {
    let (mut first, mut second, mut left) = (Vec::new(), Vec::new(), count);
    for (unit, stmts) in units {
        let (front, rest) = stmts.split_at(left.min(stmts.len()));
        left -= front.len();
        first.extend((!front.is_empty()).then_some((*unit, front)));
        second.extend((!rest.is_empty()).then_some((*unit, rest)));
    }
    (first, second)
}

/// Checks some statements of files, in order; what is declared in the one that is `begun` is looked at already.
fn check_all<'t>(
    program: &Program<'t>,
    units: &[(UnitId, &'t [Stmt])],
    begun: Option<UnitId>,
    reports: &mut Reports,
    index: &mut Index,
) {
    let mut looked = BTreeMap::new();
    for (unit, stmts) in units {
        let mut checker = Checker::new(program, *unit, reports, index);
        checker.looked = std::mem::take(&mut looked);
        let scope = match begun == Some(*unit) {
            true => checker.looked_into(*unit),
            false => checker.file_scope(*unit).into(),
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use slipform_syntax::tree::Tree;
    use std::sync::Arc;

    /// What is known of a place: where it leads, and what it is.
    type Known = (Span, Option<Span>, String);

    /// What is reported of a text, and what is known of its places; in halves, where these tell the same.
    fn looked_at(text: &str, halves: bool) -> Option<(Reports, Vec<Known>)> {
        let standard = crate::load::standard();
        let mut sources = standard.sources.clone();
        let tree: Tree =
            slipform_syntax::parse(sources.add("main.bp", Arc::<str>::from(text)), text);
        let own = (&tree, "main".to_owned());
        let library = standard.files.iter().map(|(tree, name)| (&**tree, name.clone()));
        let files: Vec<(&Tree, String)> = library.chain([own]).collect();
        let mut reports = Reports::default();
        let schema = standard.schema.clone();
        let program = Program::new(&files, schema, standard.files.len(), &mut reports);
        let units = [(UnitId(standard.files.len()), tree.stmts.as_slice())];
        let mut index = Index::new(true);
        let half = tree.stmts.len() / 2;
        if !halves {
            check_all(&program, &units, None, &mut reports, &mut index);
        } else if !check_in_halves(&program, &units, half, &mut reports, &mut index) {
            return None;
        }
        let known = index.within(tree.file).map(|it| (it.span, it.declared, it.title()));
        Some((reports, known.collect()))
    }

    /// Many buckets, of which some have a mistake.
    fn buckets(wrong: &[usize]) -> String {
        let field = |at: &usize| if wrong.contains(at) { "lacation" } else { "location" };
        let bucket = |at: usize| {
            format!(
                "let place{at} = \"us-east4\"\nbucket b{at} {{\n  {} = place{at}\n}}\n",
                field(&at)
            )
        };
        (0..40).map(bucket).collect()
    }

    #[test]
    fn halves_tell_what_the_whole_does() {
        for wrong in [&[][..], &[3], &[31], &[3, 5], &[31, 35]] {
            let text = buckets(wrong);
            let whole = looked_at(&text, false);
            assert!(whole.as_ref().is_some_and(|it| it.0.so_far().len() == wrong.len()));
            assert!(whole == looked_at(&text, true), "{wrong:?}");
        }
        assert_eq!(looked_at(&buckets(&[3, 31]), true), None);
    }
}
