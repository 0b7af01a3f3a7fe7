//! One declaration: its kind, where it stands, and the fields that it sets.

use super::{Checker, Place, Scope};
use crate::check::NAMES_PLACE;
use crate::index::{Called, Mention};
use crate::infer::fields::NAMES_UNKNOWN_FIELD;
use crate::infer::{misspelt_fields, path_of, unknown_field};
use crate::load::as_used;
use crate::report::{one, this};
use crate::schema::Kind;
use crate::schema::NAMES_DUPLICATE;
use crate::types::{Field, Fields, Type};
use slipform_model::{Diagnostic, Fix, nearest};
use slipform_source::{FileId, Span};
use slipform_syntax::tree::{Attr, Decl, ExprKind, Stmt, StmtKind};
use std::collections::BTreeMap;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_PLATFORM = "names/platform":
        "a kind of noun is on one of its platforms, or on none where it has none",
        "write `on gke`, `on slurm` or `on vertex` behind a cluster's name";
    pub(crate) NAMES_UNKNOWN_KIND = "names/unknown-kind":
        "there is no kind of noun and no component of this name",
        "check the spelling, or bring a component in: `use std.components.{nccl_test}`";
    pub(crate) TYPES_DERIVED = "types/derived":
        "a derived field follows from the whole blueprint and cannot be set or used here",
        "leave it out, or use it in a rule or an output";
    pub(crate) TYPES_MISSING_FIELD = "types/missing-field":
        "a required field is missing",
        "add it";
}

impl<'t> Checker<'_, 't> {
    pub(super) fn decl(
        &mut self,
        stmt: &'t Stmt,
        decl: &'t Decl,
        scope: &Scope<'_>,
        place: &Place<'_>,
    ) {
        if decl.is_lost() {
            return self.unknown_block(decl, scope);
        }
        let called = self.program.meant(self.unit, decl);
        if let Some(name) = &decl.name {
            let kind = self.program.schema.variants(called).next();
            self.index.add(|| Mention {
                span: name.span,
                declared: Some(name.span),
                called: Called::Named(decl.kind.value.clone(), name.value.clone()),
                ty: kind.map_or(Type::Unknown, |kind| Type::Noun(kind.name.clone())),
                doc: stmt.doc.clone(),
            });
        }
        if self.program.schema.has_kind(called) {
            if called != decl.kind.value {
                self.unknown_kind(decl);
            }
            let Some(kind) = self.kind_of(decl, called) else {
                return self.unknown_block(decl, scope);
            };
            self.index.add(|| Mention {
                span: decl.kind.span,
                declared: Some(kind.span),
                called: Called::Kind(kind.clone()),
                ty: Type::Noun(kind.name.clone()),
                doc: kind.doc.clone(),
            });
            if !stmt.broken {
                self.parent(decl, &kind, place);
            }
            return self.noun(decl, &kind, scope);
        }
        let program = self.program;
        match program.component(self.unit, &decl.kind.value) {
            Some(component) => {
                self.index.add(|| Mention {
                    span: decl.kind.span,
                    declared: component.decl.name.as_ref().map(|name| name.span),
                    called: Called::Named("component".into(), decl.kind.value.clone()),
                    ty: Type::Unknown,
                    doc: component.stmt.doc.clone(),
                });
                self.component_use(decl, &component.fields, scope);
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
                    if let Some(kind) = self.kind_of(nested, &nested.kind.value) {
                        self.noun(nested, &kind, &inner);
                    }
                }
                _ => {}
            }
        }
    }

    /// The last `use` of a file.
    fn last_use(&self, file: FileId) -> Option<Span> {
        let home = self.program.units.iter().find(|unit| unit.tree.file == file)?;
        let uses = home.tree.stmts.iter().filter(|it| matches!(it.kind, StmtKind::Use(_)));
        uses.last().map(|stmt| stmt.span)
    }

    /// Whether what is wrong with a kind is said already: in the head of the declaration, or in the `use` that means to bring it in.
    fn is_said(&self, decl: &Decl) -> bool {
        let kind = decl.kind.value.as_str();
        let unit = self.program.units.get(self.unit.0);
        let stmts = unit.map(|unit| unit.tree.stmts.as_slice()).unwrap_or_default();
        let mut uses = stmts.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Use(used) => Some((stmt.span, used.names.as_deref().unwrap_or_default())),
            _ => None,
        });
        self.reports.has_error_in(decl.header)
            || uses.any(|(span, names)| {
                let named = names.iter().map(|(name, alias)| alias.as_ref().unwrap_or(name));
                let named = named.map(|name| name.value.as_str());
                self.reports.has_error_in(span) && nearest(kind, named).is_some()
            })
    }

    fn unknown_kind(&mut self, decl: &Decl) {
        if self.is_said(decl) {
            return;
        }
        let kinds = self.program.schema.kinds.values().map(|kind| kind.name.to_string());
        let mut known: Vec<String> = kinds.collect();
        known.dedup();
        let components: Vec<&str> = self.program.components().map(|(name, _)| name).collect();
        let name = &decl.kind.value;
        let units = &self.program.units;
        let of_name = self.program.components().filter(|(known, _)| known == name);
        let home = of_name.last().and_then(|(_, component)| units.get(component.unit.0));
        let mut report = Diagnostic::error(
            NAMES_UNKNOWN_KIND,
            format!("there is no kind of noun called `{name}`"),
            decl.kind.span,
        );
        if name == "test" && home.is_none() {
            report =
                report.help("tests stand in `tests/NAME.test.bp`, and `slipform test` runs them");
        } else if let Some(home) = home {
            let module = as_used(&home.module);
            let of = match home.std {
                true => "the standard library".to_owned(),
                false => format!("`{module}`"),
            };
            let line = format!("use {module}.{{{name}}}");
            report = report.help(format!("it is a component of {of}: add `{line}`"));
            let (at, line) = match self.last_use(decl.kind.span.file) {
                Some(last) => (last.at_end(), format!("\n{line}")),
                None => (Span::new(decl.kind.span.file, 0, 0), format!("{line}\n")),
            };
            report = report.fix(format!("add `{}`", line.trim()), at, line);
        } else if let Some(near) = nearest(name, known.iter().map(String::as_str).chain(components))
        {
            report = report.meant("a kind", near, decl.kind.span);
        } else {
            let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            report = report.help(format!("the kinds are {}", list.join(", ")));
        }
        self.reports.add(report);
    }

    /// The kind of a declaration, with its platform.
    fn kind_of(&mut self, decl: &'t Decl, called: &str) -> Option<Arc<Kind>> {
        let schema = &self.program.schema;
        if let Some(kind) = schema.kind(called, None) {
            return Some(kind.clone());
        }
        let platforms: Vec<&str> =
            schema.variants(called).filter_map(|kind| kind.platform.as_deref()).collect();
        let list: Vec<String> = platforms.iter().map(|platform| format!("`{platform}`")).collect();
        let Some(on) = &decl.on else {
            self.reports.add(
                Diagnostic::error(
                    NAMES_PLATFORM,
                    format!("{} needs a platform", one(called)),
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
        if let Some(kind) = schema.kind(called, Some(written)) {
            return Some(kind.clone());
        }
        let mut report = Diagnostic::error(
            NAMES_PLATFORM,
            format!("{} cannot be on `{written}`; it is on {}", one(called), list.join(", ")),
            on.span,
        );
        if let Some(near) = nearest(written, platforms) {
            report = report.meant("a platform", near, on.span);
        }
        self.reports.add(report);
        None
    }

    fn parent(&mut self, decl: &Decl, kind: &Kind, place: &Place<'_>) {
        let inside = match place {
            Place::Component => return,
            Place::Noun(parent, _) => Some(parent.name.clone()),
            Place::File => None,
        };
        if inside == kind.parent {
            return;
        }
        let message = match (&kind.parent, &inside) {
            (Some(parent), _) => {
                format!("{} is declared inside of {}", one(&kind.name), one(parent))
            }
            (None, Some(inside)) => {
                format!("{} is not declared inside of {}", one(&kind.name), one(inside))
            }
            (None, None) => return,
        };
        self.reports.error(NAMES_PLACE, message, decl.header);
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
            self.missing(decl, &this(&kind.name), &kind.fields, &written);
        }
    }

    /// Reports the fields that have to be written and are not.
    pub(super) fn missing(
        &mut self,
        decl: &Decl,
        of: &str,
        fields: &Fields,
        written: &BTreeMap<&'t str, Span>,
    ) {
        // A field that is there but misspelt is reported as such; that it is missing is only the echo.
        let mut meant = misspelt_fields(fields, written.keys().copied());
        meant.extend(written.contains_key("on").then_some("place"));
        let missing = fields.0.iter().filter(|(name, field)| {
            !field.may_be_left_out()
                && !written.contains_key(&***name)
                && !meant.contains(&&***name)
        });
        let missing: Vec<(&Arc<str>, &Field)> = missing.collect();
        // whoever has not written the block yet has not left out its fields
        if missing.is_empty() || decl.body.is_empty() && self.reports.has_error_in(decl.header) {
            return;
        }
        let list: Vec<String> =
            missing.iter().map(|(name, field)| missing_field(name, field)).collect();
        let message = format!("{of} needs {}", list.join(" and "));
        let report = Diagnostic::error(TYPES_MISSING_FIELD, message, decl.header);
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
                    NAMES_PLATFORM,
                    format!("{} is not `on` anything", one(&kind.name)),
                    on.span,
                );
            }
        }
    }

    /// The attributes that a block sets, twice-set ones reported. False where a broken statement may hide one.
    pub(super) fn written(
        &mut self,
        stmts: &'t [Stmt],
        written: &mut BTreeMap<&'t str, Span>,
    ) -> bool {
        let mut sure = true;
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Attr(attr) => {
                    // text behind its end may be a field
                    sure &= !stmt.broken || stmt.span.end <= attr.value.span.end;
                    if let Some(first) = written.insert(&attr.name.value, attr.name.span) {
                        self.reports.add(
                            Diagnostic::error(
                                NAMES_DUPLICATE,
                                format!("`{}` is set twice", attr.name.value),
                                attr.name.span,
                            )
                            .also(first, "first set here")
                            .left_out(),
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

    pub(super) fn stray_attr(
        &mut self,
        (attr, broken): (&'t Attr, bool),
        scope: &Scope<'_>,
        place: &Place<'_>,
    ) {
        let Place::Noun(kind, decl) = place else {
            self.infer(scope, false).expr(&attr.value, None);
            // what is not whole may belong to a block that is cut short: that is told
            if !broken {
                let message = format!("`{}` stands outside of any noun", attr.name.value);
                let report = Diagnostic::error(NAMES_PLACE, message, attr.name.span);
                let at = attr.name.span.at_start();
                let report = report.help("a value for later use is named with `let`");
                self.reports.add(report.fix("put `let` in front", at, "let "));
            }
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
                let report = Diagnostic::error(TYPES_DERIVED, message, attr.name.span);
                self.reports.add(report.left_out());
            }
            Some(field) => {
                self.index.field(attr.name.span, &attr.name.value, field);
                self.infer(scope, false).check(&attr.value, &allowing_absent(field));
            }
            None if self.word_of_all(attr, scope) => {}
            None => {
                self.infer(scope, false).expr(&attr.value, None);
                let report = match misplaced_on(attr, &kind.fields, decl) {
                    Some(report) => report,
                    None => self.no_such_field(attr, kind, decl),
                };
                self.reports.add(report);
            }
        }
    }

    /// Checks what every noun may say; false where it is something else.
    pub(super) fn word_of_all(&mut self, attr: &'t Attr, scope: &Scope<'_>) -> bool {
        let Some(field) = self.program.schema.word_of_all(&attr.name.value) else { return false };
        self.index.field(attr.name.span, &attr.name.value, &field);
        self.infer(scope, false).check(&attr.value, &field.ty.optional());
        true
    }

    fn no_such_field(&self, attr: &Attr, kind: &Kind, decl: &Decl) -> Diagnostic {
        let name = &attr.name;
        let settable =
            || kind.fields.0.iter().filter(|(_, field)| !field.derived).map(|(name, _)| &**name);
        let of = one(&kind.title());
        if let Some(outer) = holder(&name.value, &kind.fields) {
            let message = format!("{of} has no field `{name}`", name = name.value);
            let mut report = Diagnostic::error(NAMES_UNKNOWN_FIELD, message, name.span)
                .help(format!("`{outer}` has it: `{outer} = {{ {} = ... }}`", name.value));
            let is_outer =
                |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Attr(it) if it.name.value == outer);
            if !decl.body.iter().any(is_outer) {
                let (before, behind) = (name.span.at_start(), attr.value.span.at_end());
                let edits = vec![(before, format!("{outer} = {{ ")), (behind, " }".to_owned())];
                report.fixes.push(Fix { title: format!("put it into `{outer}`"), edits });
            }
            return report;
        }
        let report = unknown_field(&name.value, &of, name.span, settable());
        let elsewhere = self.program.schema.variants(&kind.name).find(|variant| {
            variant.platform != kind.platform && variant.fields.0.contains_key(name.value.as_str())
        });
        match elsewhere {
            Some(variant) => report.help(format!("only {} has it", one(&variant.title()))),
            None => report,
        }
    }
}

/// The field whose record has an entry of this name.
fn holder<'f>(name: &str, fields: &'f Fields) -> Option<&'f str> {
    let has = |ty: &Type| matches!(ty, Type::Record(inner) if inner.0.contains_key(name));
    let settable = fields.0.iter().filter(|(_, field)| !field.derived);
    settable
        .map(|(outer, field)| (&**outer, field.ty.arms()))
        .find(|(_, arms)| arms.iter().any(has))
        .map(|(outer, _)| outer)
}

/// What a field takes: an absent optional leaves a field that has a default to it.
pub(super) fn allowing_absent(field: &Field) -> Type {
    if field.may_be_left_out() { field.written().optional() } else { field.written() }
}

fn missing_field(name: &str, field: &Field) -> String {
    if name == "place" { "a place".to_owned() } else { format!("`{name}: {}`", field.ty) }
}

/// `workload train`, as a declaration begins.
fn headed(decl: &Decl) -> String {
    match &decl.name {
        Some(name) => format!("{} {}", decl.kind.value, name.value),
        None => decl.kind.value.to_string(),
    }
}

/// `a pool, a partition or a cluster`
fn one_of(ty: &Type) -> String {
    let mut arms: Vec<String> = ty.arms().iter().map(|arm| one(&arm.to_string())).collect();
    match arms.pop() {
        Some(last) if !arms.is_empty() => format!("{} or {last}", arms.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// `on = ...` inside of a block that is `on` something: it stands behind the name.
pub(super) fn misplaced_on(attr: &Attr, fields: &Fields, decl: &Decl) -> Option<Diagnostic> {
    if attr.name.value != "on" || !fields.0.contains_key("place") {
        return None;
    }
    let report = Diagnostic::error(
        NAMES_UNKNOWN_FIELD,
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
