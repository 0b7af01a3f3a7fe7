//! Checks every statement without evaluating it: names, places, fields and types.

mod components;
mod names;

pub(crate) use names::Scope;

use crate::index::{Index, Mention};
use crate::infer::{Infer, Seen, path_of, paths_set_when, unknown_field};
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::rules::{self, Rule};
use crate::schema::Kind;
use crate::types::{Field, Fields, Type};
use slipform_model::{Diagnostic, Fix, Map, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{
    Assert, Attr, Decl, Expr, ExprKind, For, If, Let, Name, Param, Stmt, StmtKind,
};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Checks the files of a blueprint; those of the standard library only where `std` says so.
pub(crate) fn check(program: &Program<'_>, reports: &mut Reports, index: &mut Index, std: bool) {
    let mut looked = BTreeMap::new();
    for (at, unit) in program.units.iter().enumerate() {
        if unit.std && !std {
            continue;
        }
        let mut checker = Checker::new(program, UnitId(at), reports, index);
        checker.looked = std::mem::take(&mut looked);
        let scope = checker.file_scope(UnitId(at));
        checker.stmts(&unit.tree.stmts, &scope, &Place::File);
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
    /// Files that are being looked into: those that use each other in a circle are looked into once.
    looking: Vec<UnitId>,
    /// The names of files that were looked into.
    looked: BTreeMap<UnitId, Rc<Scope<'static>>>,
    /// A file was left out because it is being looked into: what was found without it is not all there is.
    cut: bool,
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
            looking: Vec::new(),
            looked: BTreeMap::new(),
            cut: false,
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
            StmtKind::Param(param) => self.param(param, scope, place),
            StmtKind::Let(binding) => self.binding(binding, scope, false),
            StmtKind::Output(binding) => self.binding(binding, scope, true),
            StmtKind::Assert(assert) => self.assert(assert, scope),
            StmtKind::Decl(decl) => self.decl(stmt, decl, scope, place),
            StmtKind::For(rounds) => self.rounds(rounds, scope, place),
            StmtKind::If(choice) => self.choice(choice, scope, place),
            StmtKind::Attr(attr) => self.stray_attr(attr, scope, place),
            StmtKind::Component(component) => {
                let fields = component
                    .name
                    .as_ref()
                    .and_then(|name| self.program.component(self.unit, &name.value));
                let fields = fields.map(|component| component.fields.clone()).unwrap_or_default();
                let scope = self.component_scope(&fields, scope);
                let inner = self.block_scope(&component.body, &scope);
                for stmt in &component.body {
                    if !matches!(stmt.kind, StmtKind::Field(_)) {
                        self.stmt(stmt, &inner, &Place::Component);
                    }
                }
            }
            StmtKind::Patch(patch) => {
                if matches!(place, Place::File | Place::Component) {
                    self.reports.error(
                        "names/place",
                        "a patch stands inside of the noun whose output it changes",
                        stmt.span,
                    );
                }
                for inner in &patch.body {
                    if let StmtKind::Attr(attr) = &inner.kind {
                        self.infer(scope, false).expr(&attr.value, None);
                    }
                }
            }
            StmtKind::Allow(_) if matches!(place, Place::File) => {
                self.reports.error(
                    "names/place",
                    "an allowance stands inside of the noun that may break the rule",
                    stmt.span,
                );
            }
            StmtKind::Field(field) => self.reports.add(
                Diagnostic::error(
                    "names/place",
                    "fields are declared in kinds and components only",
                    stmt.span,
                )
                .help(format!("to set a value, write `{} = ...`", field.name.value)),
            ),
            StmtKind::Rule(_) if matches!(place, Place::File) => {
                if let Some(rule) = Rule::new(self.unit, stmt) {
                    rules::check(self, &rule, scope);
                }
            }
            StmtKind::Rule(_) | StmtKind::Kind(_) | StmtKind::Type(_) | StmtKind::Use(_) => {
                if !matches!(place, Place::File) {
                    self.reports.error(
                        "names/place",
                        "this stands at the top of a file only",
                        stmt.span,
                    );
                }
            }
            StmtKind::Allow(_) | StmtKind::Error => {}
        }
    }

    fn param(&mut self, param: &'t Param, scope: &Scope<'_>, place: &Place<'_>) {
        let Some(name) = &param.name else { return };
        if !matches!(place, Place::File) {
            self.reports.error(
                "names/place",
                "parameters stand at the top of a file only",
                name.span,
            );
        }
        let ty = param.ty.as_ref().map_or(Type::Unknown, |ty| self.program.written_type(ty));
        let declared = Mention {
            span: name.span,
            declared: Some(name.span),
            title: format!("param {}: {ty}", name.value),
            doc: None,
        };
        self.index.add(|| declared);
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
            let title = format!("{}: {}", name.value, ty.as_ref().unwrap_or(&found));
            self.index.add(|| Mention {
                span: name.span,
                declared: Some(name.span),
                title,
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

    fn stray_attr(&mut self, attr: &'t Attr, scope: &Scope<'_>, place: &Place<'_>) {
        let Place::Noun(kind, decl) = place else {
            self.infer(scope, false).expr(&attr.value, None);
            self.reports.add(
                Diagnostic::error(
                    "names/place",
                    format!("`{}` stands outside of any noun", attr.name.value),
                    attr.name.span,
                )
                .help("a value for later use is named with `let`")
                .fix("put `let` in front", attr.name.span.at_start(), "let "),
            );
            return;
        };
        self.attr(attr, kind, decl, scope);
    }

    fn attr(&mut self, attr: &'t Attr, kind: &Kind, decl: &Decl, scope: &Scope<'_>) {
        match kind.fields.0.get(attr.name.value.as_str()) {
            Some(field) if field.derived => {
                self.infer(scope, false).expr(&attr.value, None);
                let message =
                    format!("`{}` follows from the rest; it cannot be set", attr.name.value);
                self.reports.error("types/derived", message, attr.name.span);
            }
            Some(field) => {
                self.index.field(attr.name.span, &attr.name.value, field);
                self.infer(scope, false).check(&attr.value, &allowing_absent(field));
            }
            None => {
                self.infer(scope, false).expr(&attr.value, None);
                let report = match misplaced_on(attr, &kind.fields, decl) {
                    Some(report) => report,
                    None => self.no_such_field(&attr.name, kind),
                };
                self.reports.add(report);
            }
        }
    }

    fn no_such_field(&self, name: &Name, kind: &Kind) -> Diagnostic {
        let settable =
            || kind.fields.0.iter().filter(|(_, field)| !field.derived).map(|(name, _)| &**name);
        let of = format!("a {}", kind.title());
        let report = unknown_field(&name.value, &of, name.span, settable());
        let elsewhere = self.program.schema.variants(&kind.name).find(|variant| {
            variant.platform != kind.platform && variant.fields.0.contains_key(name.value.as_str())
        });
        match elsewhere {
            Some(variant) => report.help(format!("only a {} has it", variant.title())),
            None => report,
        }
    }

    fn decl(&mut self, stmt: &'t Stmt, decl: &'t Decl, scope: &Scope<'_>, place: &Place<'_>) {
        if let Some(name) = &decl.name {
            let title = format!("{} {}", decl.kind.value, name.value);
            let doc = stmt.doc.clone();
            self.index.add(|| Mention { span: name.span, declared: Some(name.span), title, doc });
        }
        if self.program.schema.has_kind(&decl.kind.value) {
            let Some(kind) = self.kind_of(decl) else {
                return self.unknown_block(decl, scope);
            };
            self.index.add(|| Mention {
                span: decl.kind.span,
                declared: Some(kind.span),
                title: format!("kind {}", kind.title()),
                doc: kind.doc.clone(),
            });
            self.parent(decl, &kind, place);
            return self.noun(decl, &kind, scope);
        }
        let program = self.program;
        match program.component(self.unit, &decl.kind.value) {
            Some(component) => {
                self.index.add(|| Mention {
                    span: decl.kind.span,
                    declared: component.decl.name.as_ref().map(|name| name.span),
                    title: format!("component {}", decl.kind.value),
                    doc: component.stmt.doc.clone(),
                });
                self.component_use(decl, &component.fields.clone(), scope);
            }
            None => {
                self.unknown_kind(decl);
                self.unknown_block(decl, scope);
            }
        }
    }

    /// Names and types of what an unknown noun says are still worth checking, but nothing is said of its fields.
    fn unknown_block(&mut self, decl: &'t Decl, scope: &Scope<'_>) {
        let inner = self.block_scope(&decl.body, scope);
        for stmt in &decl.body {
            match &stmt.kind {
                // A platform that is written inside is no name; that it is missing above is said.
                StmtKind::Attr(attr) if attr.name.value == "on" => {}
                StmtKind::Attr(attr) => {
                    self.infer(&inner, false).expr(&attr.value, None);
                }
                StmtKind::Decl(nested) if self.program.schema.has_kind(&nested.kind.value) => {
                    if let Some(kind) = self.kind_of(nested) {
                        self.noun(nested, &kind, &inner);
                    }
                }
                _ => {}
            }
        }
    }

    fn unknown_kind(&mut self, decl: &Decl) {
        let kinds = self.program.schema.kinds.values().map(|kind| kind.name.to_string());
        let mut known: Vec<String> = kinds.collect();
        known.dedup();
        let components: Vec<&str> = self.program.components().map(|(name, _)| name).collect();
        let name = &decl.kind.value;
        let mut report = Diagnostic::error(
            "names/unknown-kind",
            format!("there is no kind of noun called `{name}`"),
            decl.kind.span,
        );
        if components.contains(&name.as_str()) {
            report = report.help(format!(
                "it is a component of the standard library: add `use std.components.{{{name}}}`"
            ));
        } else if let Some(near) = nearest(name, known.iter().map(String::as_str).chain(components))
        {
            report = report.help(format!("a kind with a similar name exists: `{near}`")).fix(
                format!("write `{near}`"),
                decl.kind.span,
                near,
            );
        } else {
            let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            report = report.help(format!("the kinds are {}", list.join(", ")));
        }
        self.reports.add(report);
    }

    /// The kind of a declaration, with its platform.
    fn kind_of(&mut self, decl: &'t Decl) -> Option<Arc<Kind>> {
        let schema = &self.program.schema;
        if let Some(kind) = schema.kind(&decl.kind.value, None) {
            return Some(kind.clone());
        }
        let platforms: Vec<&str> =
            schema.variants(&decl.kind.value).filter_map(|kind| kind.platform.as_deref()).collect();
        let list: Vec<String> = platforms.iter().map(|platform| format!("`{platform}`")).collect();
        let Some(on) = &decl.on else {
            self.reports.add(
                Diagnostic::error(
                    "names/platform",
                    format!("a {} needs a platform", decl.kind.value),
                    decl.header,
                )
                .help(format!("write `on` and one of {}", list.join(", "))),
            );
            return None;
        };
        let written = match &on.kind {
            ExprKind::Name(name) => name.as_str(),
            _ => "",
        };
        if let Some(kind) = schema.kind(&decl.kind.value, Some(written)) {
            return Some(kind.clone());
        }
        let mut report = Diagnostic::error(
            "names/platform",
            format!("a {} cannot be on `{written}`; it is on {}", decl.kind.value, list.join(", ")),
            on.span,
        );
        if let Some(near) = nearest(written, platforms) {
            report = report.help(format!("write `{near}`")).fix(
                format!("write `{near}`"),
                on.span,
                near,
            );
        }
        self.reports.add(report);
        None
    }

    fn parent(&mut self, decl: &Decl, kind: &Kind, place: &Place<'_>) {
        let inside = match place {
            Place::Noun(parent, _) => Some(parent.name.clone()),
            _ => None,
        };
        if matches!(place, Place::Component) || inside == kind.parent {
            return;
        }
        let message = match (&kind.parent, &inside) {
            (Some(parent), _) => format!("a {} is declared inside of a {parent}", kind.name),
            (None, Some(inside)) => format!("a {} is not declared inside of a {inside}", kind.name),
            (None, None) => return,
        };
        self.reports.error("names/place", message, decl.header);
    }

    fn noun(&mut self, decl: &'t Decl, kind: &Kind, scope: &Scope<'_>) {
        self.place_of(decl, kind, scope);
        let inner = self.block_scope(&decl.body, scope);
        self.stmts(&decl.body, &inner, &Place::Noun(kind, decl));
        let mut written: BTreeMap<&str, Span> = BTreeMap::new();
        let sure = self.written(&decl.body, &mut written);
        let placed = kind.platform.is_none() && decl.on.is_some();
        if placed {
            written.insert("place", decl.header);
        }
        if sure {
            self.missing(decl, &format!("this {}", kind.name), &kind.fields, &written);
        }
    }

    /// Reports the fields that have to be written and are not.
    fn missing(
        &mut self,
        decl: &Decl,
        of: &str,
        fields: &Fields,
        written: &BTreeMap<&'t str, Span>,
    ) {
        // A field that is there but misspelt is reported as such; that it is missing is only the echo.
        let misspelt: Vec<&str> =
            written.keys().copied().filter(|name| !fields.0.contains_key(*name)).collect();
        let missing = fields.0.iter().filter(|(name, field)| {
            let echo = misspelt.iter().any(|written| {
                nearest(written, [&***name]).is_some() || (*written == "on" && &***name == "place")
            });
            !field.may_be_left_out() && !written.contains_key(&***name) && !echo
        });
        let missing: Vec<(&Arc<str>, &Field)> = missing.collect();
        if missing.is_empty() {
            return;
        }
        let list: Vec<String> =
            missing.iter().map(|(name, field)| missing_field(name, field)).collect();
        let message = format!("{of} needs {}", list.join(" and "));
        let report = Diagnostic::error("types/missing-field", message, decl.header);
        let place = missing.iter().find(|(name, _)| &***name == "place");
        self.reports.add(match place {
            Some((_, field)) => report.help(format!(
                "its place stands behind its name: `{} on ...`, with {}",
                headed(decl),
                one_of(&field.ty)
            )),
            None => report,
        });
    }

    fn place_of(&mut self, decl: &'t Decl, kind: &Kind, scope: &Scope<'_>) {
        let Some(on) = decl.on.as_ref().filter(|_| kind.platform.is_none()) else { return };
        match kind.fields.0.get("place") {
            Some(field) => {
                self.infer(scope, false).check(on, &field.ty);
            }
            None => {
                self.reports.error(
                    "names/platform",
                    format!("a {} is not `on` anything", kind.name),
                    on.span,
                );
            }
        }
    }

    /// The attributes that a block sets, twice-set ones reported. False where a broken statement may hide one.
    fn written(&mut self, stmts: &'t [Stmt], written: &mut BTreeMap<&'t str, Span>) -> bool {
        let mut sure = true;
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Attr(attr) => {
                    if let Some(first) = written.insert(&attr.name.value, attr.name.span) {
                        self.reports.add(
                            Diagnostic::error(
                                "names/duplicate",
                                format!("`{}` is set twice", attr.name.value),
                                attr.name.span,
                            )
                            .also(first, "first set here"),
                        );
                    }
                }
                StmtKind::If(choice) => {
                    for branch in
                        [Some(&choice.then), choice.otherwise.as_ref()].into_iter().flatten()
                    {
                        let mut inside = BTreeMap::new();
                        sure &= self.written(branch, &mut inside);
                        for (name, span) in inside {
                            written.entry(name).or_insert(span);
                        }
                    }
                }
                StmtKind::Error => sure = false,
                _ => {}
            }
        }
        sure
    }

    fn rounds(&mut self, rounds: &'t For, scope: &Scope<'_>, place: &Place<'_>) {
        let inner = self.round_scope(rounds, scope, true);
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
            self.reports.error("names/place", message, attr.span);
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

    fn seen(&self, name: &Name, ty: Type, doc: Option<String>) -> Seen {
        Seen { ty, span: name.span, doc }
    }
}

/// What a field takes: an absent optional leaves a field that has a default to it.
fn allowing_absent(field: &Field) -> Type {
    if field.may_be_left_out() { field.written().optional() } else { field.written() }
}

fn missing_field(name: &str, field: &Field) -> String {
    if name == "place" { "a place".to_owned() } else { format!("`{name}: {}`", field.ty) }
}

/// `workload train`, as a declaration begins.
fn headed(decl: &Decl) -> String {
    match &decl.name {
        Some(name) => format!("{} {}", decl.kind.value, name.value),
        None => decl.kind.value.clone(),
    }
}

/// `a pool, a partition or a cluster`
fn one_of(ty: &Type) -> String {
    let mut arms: Vec<String> = ty.arms().iter().map(|arm| format!("a {arm}")).collect();
    match arms.pop() {
        Some(last) if !arms.is_empty() => format!("{} or {last}", arms.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// `on = ...` inside of a block that is `on` something: it stands behind the name.
fn misplaced_on(attr: &Attr, fields: &Fields, decl: &Decl) -> Option<Diagnostic> {
    if attr.name.value != "on" || !fields.0.contains_key("place") {
        return None;
    }
    let report = Diagnostic::error(
        "names/unknown-field",
        "the place stands behind the name, not inside of the block",
        attr.name.span,
    );
    let head = headed(decl);
    let (Some(path), Some(name)) = (path_of(&attr.value), &decl.name) else {
        return Some(report.help(format!("write `{head} on ... {{ }}`")));
    };
    let mut report = report.help(format!("write `{head} on {path} {{ ... }}`"));
    if decl.on.is_none() {
        let line = attr.name.span.to(attr.value.span);
        report.fixes.push(Fix {
            title: format!("write `{head} on {path}`"),
            edits: vec![(name.span.at_end(), format!(" on {path}")), (line, String::new())],
        });
    }
    Some(report)
}
