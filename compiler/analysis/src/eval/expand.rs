//! From declarations to nouns: loops are walked, conditions decided, components unfolded.
//!
//! Plain declarations get their nouns first, inner ones included, so that names can be referred to from anywhere;
//! loops and conditions follow in the order of the text, since what they depend on may be any of those names.

pub(crate) mod components;
mod names;
mod patches;

pub(super) use names::Named;
use names::origin;

use super::fields::FieldState;
use super::outside::By;
use super::{Bound, Evaluation, Frame, FrameId, Lazy, State, rounds_of};
use crate::program::{Import, UnitId};
use crate::schema::Kind;
use crate::types::Type;
use slipform_model::{Diagnostic, Map, NounId, NounRef, Record, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Allow, Attr, Decl, Expr, For, If, Name, Patch, Stmt, StmtKind};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    NAMES_KEY = "names/key":
        "the rounds of a `for` around declarations need keys that stay the same",
        "walk strings or numbers, or say the key: `for x in xs by x.name { }`";
}

/// How deep components may be used inside each other.
pub(crate) const MAX_COMPONENT_DEPTH: usize = 32;

/// One noun: a declaration, in one round of the loops around it.
#[derive(Debug)]
pub(crate) struct Instance<'t> {
    pub(crate) id: NounId,
    pub(crate) kind: Arc<Kind>,
    pub(crate) stmt: &'t Stmt,
    pub(crate) decl: &'t Decl,
    pub(crate) name: String,
    pub(crate) path: String,
    /// `cluster a3m, pool gpus`
    pub(crate) origin: String,
    pub(crate) parent: Option<NounId>,
    /// The scope of what is declared inside.
    pub(crate) frame: FrameId,
    pub(crate) attrs: Map<&'t str, (&'t Name, &'t Expr, FrameId)>,
    pub(crate) patches: Vec<(&'t Patch, FrameId)>,
    pub(crate) allows: Vec<&'t Allow>,
    /// The fields of its kind as far as they were asked for, in the kind's order; none once all
    /// are known.
    pub(crate) fields: Vec<FieldState>,
    /// All fields that hold something, once they are known.
    pub(crate) settled: Option<Arc<Record>>,
    /// Where the blueprint asked for it: its own header, or that of the component's use that it came out of.
    pub(crate) header: Span,
    /// It came out of a component.
    pub(crate) unfolded: bool,
    /// What may call it something else outside of the blueprint, where anything does.
    pub(super) called: Option<usize>,
    /// The scope in which its header is read.
    outer: FrameId,
}

impl Instance<'_> {
    pub(crate) fn noun_ref(&self) -> NounRef {
        NounRef { id: self.id, kind: self.kind.name.clone() }
    }

    /// Where the blueprint wrote a field, once it is evaluated.
    pub(crate) fn written(&self, field: &str) -> Option<Span> {
        if let Some(fields) = &self.settled {
            let by_default =
                || self.kind.fields.0.get(field)?.default.as_ref().map(|_| self.header);
            return fields.get(field).map(|placed| placed.span).or_else(by_default);
        }
        match self.fields.get(self.kind.fields.0.get_index_of(field)?)? {
            FieldState::Done(placed) => Some(placed.span),
            FieldState::Active | FieldState::Waiting => None,
        }
    }

    /// The scope in which its header is read.
    pub(crate) fn outer(&self) -> FrameId {
        self.outer
    }
}

/// Where a declaration stands: what its names begin with.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    parent: Option<NounId>,
    /// `allreduce`, for what is declared inside a component's use.
    name: Option<String>,
    path: String,
    /// How all of this is declared: `cluster a3m`, `nccl_test allreduce`.
    origin: String,
    /// The keys of the loops around it.
    keys: Vec<Value>,
    depth: usize,
    /// The use of a component, written by hand, that all of this comes out of.
    used: Option<Span>,
    /// The components that this comes out of, outermost first.
    components: Vec<Span>,
    /// The component declares this one noun, which therefore takes the name of its use.
    only: bool,
    /// What is around it, where that may be called something else outside of the blueprint.
    pub(super) called: Option<usize>,
}

/// A declaration that has a name.
#[derive(Clone, Copy)]
struct Declared<'t> {
    stmt: &'t Stmt,
    decl: &'t Decl,
    name: &'t Name,
}

/// A loop or a condition that waits until all plain names are known.
struct Waiting<'t> {
    stmt: &'t Stmt,
    frame: FrameId,
    site: Site,
}

impl<'t> Evaluation<'t, '_> {
    /// Declares everything in the files.
    pub(crate) fn expand(&mut self) {
        let root = Site {
            parent: None,
            name: None,
            path: String::new(),
            origin: String::new(),
            keys: Vec::new(),
            depth: 0,
            used: None,
            components: Vec::new(),
            only: false,
            called: None,
        };
        for at in 0..self.program.units.len() {
            self.frames.push(Frame {
                outer: None,
                unit: UnitId(at),
                names: Map::default(),
                noun: None,
            });
            self.file_frames.push(FrameId(self.frames.len() - 1));
        }
        let mut waiting = Vec::new();
        for (at, unit) in self.program.units.iter().enumerate() {
            let Some(frame) = self.file_frame(UnitId(at)) else { continue };
            for (name, import) in &unit.imports {
                if let Some(bound) = self.import(import) {
                    self.bind(frame, name, bound);
                }
            }
            if !unit.std {
                self.declare(&unit.tree.stmts, frame, &root, &mut waiting);
            }
        }
        self.walk_waiting(waiting);
        self.nouns.complete();
        if self.is_full() {
            // That it is too large is said; what a part of it would mean is of no use, and takes long to find out.
            self.nouns = super::grown::Grown::default();
            self.asserts.clear();
            self.outputs.clear();
        }
    }

    /// What an imported name stands for among values. Components and types have names of their own: a `let` may be called like one.
    fn import(&self, import: &Import) -> Option<Bound> {
        Some(match import {
            Import::Module(unit) => Bound::Inside(self.file_frame(*unit)?),
            Import::Name(unit, name) if self.is_no_value(*unit, name) => return None,
            Import::Name(unit, name) => Bound::Alias(self.file_frame(*unit)?, name.clone()),
        })
    }

    fn is_no_value(&self, unit: UnitId, name: &str) -> bool {
        let stmts = self.program.units.get(unit.0).map(|unit| unit.tree.stmts.as_slice());
        stmts.unwrap_or_default().iter().any(|stmt| {
            let declared = match &stmt.kind {
                StmtKind::Component(it) => &it.name,
                StmtKind::Type(it) => &it.name,
                _ => return false,
            };
            declared.as_ref().is_some_and(|it| it.value == *name)
        })
    }

    fn bind(&mut self, frame: FrameId, name: &'t str, bound: Bound) {
        if let Some(frame) = self.frames.get_mut(frame.0) {
            frame.names.entry(name).or_insert(bound);
        }
    }

    /// Walks what waited, and what that declares in turn, in the order of the text.
    fn walk_waiting(&mut self, waiting: Vec<Waiting<'t>>) {
        let mut stack: Vec<Waiting<'t>> = waiting.into_iter().rev().collect();
        while let Some(Waiting { stmt, frame, site }) = stack.pop() {
            let mut more = Vec::new();
            match &stmt.kind {
                StmtKind::For(rounds) => self.declare_rounds(stmt, rounds, frame, &site, &mut more),
                StmtKind::If(choice) => self.declare_choice(choice, frame, &site, &mut more),
                _ => {}
            }
            stack.extend(more.into_iter().rev());
        }
    }

    fn declare(
        &mut self,
        stmts: &'t [Stmt],
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Param(param) => {
                    let Some(name) = &param.name else { continue };
                    let given = self.given.get(name.value.as_str()).copied();
                    let ty = param.ty.as_ref().map(|ty| self.program.written_type(ty));
                    let absent = ty.as_ref().is_some_and(Type::is_optional);
                    match given.or(param.default.as_ref()) {
                        None if absent => {
                            self.bind(frame, &name.value, Bound::Value(Value::Absent))
                        }
                        expr => self.lazy(name, expr, frame, ty),
                    }
                }
                StmtKind::Let(binding) => {
                    let Some(name) = &binding.name else { continue };
                    let ty = binding.ty.as_ref().map(|ty| self.program.written_type(ty));
                    self.lazy(name, Some(&binding.value), frame, ty);
                }
                StmtKind::Decl(decl) => self.declare_noun(stmt, decl, frame, site, waiting),
                StmtKind::For(_) | StmtKind::If(_) => {
                    waiting.push(Waiting { stmt, frame, site: site.clone() });
                }
                StmtKind::Attr(attr) => {
                    if let Some(noun) = self.owner(site) {
                        noun.attrs.entry(&attr.name.value).or_insert((
                            &attr.name,
                            &attr.value,
                            frame,
                        ));
                    }
                }
                StmtKind::Patch(patch) => {
                    if let Some(noun) = self.owner(site) {
                        noun.patches.push((patch, frame));
                    }
                }
                StmtKind::Assert(assert) => self.asserts.push((assert, frame, site.used)),
                StmtKind::Output(output) => self.outputs.push((output, frame)),
                StmtKind::Allow(allow) => {
                    if let Some(noun) = self.owner(site) {
                        noun.allows.push(allow);
                    }
                }
                _ => {}
            }
        }
    }

    fn owner(&mut self, site: &Site) -> Option<&mut Instance<'t>> {
        self.nouns.get_mut(site.parent?.0 as usize)
    }

    fn lazy(&mut self, name: &'t Name, expr: Option<&'t Expr>, frame: FrameId, ty: Option<Type>) {
        let lazy =
            Lazy { name: &name.value, expr, frame, ty, span: name.span, state: State::Waiting };
        self.lazies.push(lazy);
        let bound = Bound::Lazy(self.lazies.len() - 1);
        self.bind(frame, &name.value, bound);
    }

    fn declare_noun(
        &mut self,
        stmt: &'t Stmt,
        decl: &'t Decl,
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        let Some(name) = &decl.name else { return };
        if !self.expand_one(decl.header) {
            return;
        }
        let declared = Declared { stmt, decl, name };
        let program = self.program;
        let unit = self.frames.get(frame.0).map(|frame| frame.unit);
        let called = unit.map_or(decl.kind.value.as_str(), |unit| program.meant(unit, decl));
        if program.schema.has_kind(called) {
            if let Some(kind) = program.schema.of_called(called, decl).cloned() {
                self.declare_instance(declared, kind, frame, site, waiting);
            }
            return;
        }
        if let Some(component) = unit.and_then(|unit| program.component(unit, called)) {
            self.unfold(declared, component, frame, site, waiting);
        } else {
            // That there is no such kind is said; nothing more is said of who refers to it.
            self.bind(frame, &name.value, Bound::Value(Value::Unknown));
        }
    }

    fn declare_instance(
        &mut self,
        declared: Declared<'t>,
        kind: Arc<Kind>,
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        let Declared { stmt, decl, name } = declared;
        let id = NounId(self.nouns.len() as u32);
        let (full, path) = self.names(name, site);
        let origin = origin(decl, name, site);
        let called = self.call_declared(decl, name, By::Noun(id), site);
        if called.is_none() {
            self.unique(&full, &kind, site, name.span);
        }
        let inner = self.scope(frame, []);
        self.nouns.push(Instance {
            id,
            kind: kind.clone(),
            stmt,
            decl,
            name: full,
            path: path.clone(),
            origin: origin.clone(),
            parent: site.parent,
            frame: inner,
            attrs: Map::default(),
            patches: Vec::new(),
            allows: Vec::new(),
            fields: Vec::new(),
            settled: None,
            header: site.used.unwrap_or(decl.header),
            unfolded: site.used.is_some(),
            called,
            outer: frame,
        });
        self.bind_declared(frame, name, Bound::Noun(NounRef { id, kind: kind.name.clone() }), site);
        let inside = Site {
            parent: Some(id),
            name: None,
            path: format!("{path}."),
            origin,
            keys: Vec::new(),
            depth: site.depth,
            used: site.used,
            components: site.components.clone(),
            only: false,
            called,
        };
        self.declare(&decl.body, inner, &inside, waiting);
    }

    /// Binds a declared name. In a loop, the group of the loop is bound where the loop stands instead.
    fn bind_declared(&mut self, frame: FrameId, name: &'t Name, bound: Bound, site: &Site) {
        self.bind(frame, &name.value, bound.clone());
        if site.keys.is_empty() {
            return;
        }
        let key = key_path(&site.keys);
        let mut outer = self.frames.get(frame.0).and_then(|frame| frame.outer);
        for _ in 1..site.keys.len() {
            outer = outer.and_then(|frame| self.frames.get(frame.0)).and_then(|frame| frame.outer);
        }
        let Some(outer) = outer.and_then(|frame| self.frames.get_mut(frame.0)) else { return };
        let group = outer.names.entry(&name.value).or_insert_with(|| Bound::Group(Vec::new()));
        if let Bound::Group(items) = group {
            items.push((key, bound));
        }
    }

    fn declare_rounds(
        &mut self,
        stmt: &'t Stmt,
        rounds: &'t For,
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        let items = self.eval(&rounds.items, frame);
        let keyed = matches!(items, Value::Record(_));
        for (key, value) in rounds_of(&items) {
            if !self.expand_one(stmt.span) {
                return;
            }
            let inner = self.round_frame(&rounds.names, key.clone(), value.clone(), frame);
            let key = match &rounds.key {
                Some(expr) => self.eval(expr, inner),
                None if keyed => key,
                None => value,
            };
            if matches!(key, Value::Unknown) {
                continue;
            }
            if !matches!(key, Value::Str(_) | Value::Int(_)) {
                self.reports.add(
                    Diagnostic::error(
                        NAMES_KEY,
                        "each round needs a key that is a string or a number",
                        rounds.items.span,
                    )
                    .help("say which one: `for x in xs by x.name { ... }`"),
                );
                return;
            }
            let mut site = site.clone();
            site.keys.push(key);
            self.declare(&rounds.body, inner, &site, waiting);
        }
    }

    fn declare_choice(
        &mut self,
        choice: &'t If,
        frame: FrameId,
        site: &Site,
        waiting: &mut Vec<Waiting<'t>>,
    ) {
        match self.branch(choice, frame) {
            Some(branch) => self.declare(branch, frame, site, waiting),
            None => self.leave_open(choice, frame, site),
        }
    }

    /// The branch of a choice that holds; none where its condition could not be understood.
    fn branch(&mut self, choice: &'t If, frame: FrameId) -> Option<&'t [Stmt]> {
        let known = !self.reports.has_error_in(choice.condition.span);
        match self.eval(&choice.condition, frame) {
            Value::Bool(true) if known => Some(&choice.then),
            Value::Bool(false) if known => Some(choice.otherwise.as_deref().unwrap_or_default()),
            _ => None,
        }
    }

    /// Of a condition that could not be understood: what it would have set is not known either.
    fn leave_open(&mut self, choice: &'t If, frame: FrameId, site: &Site) {
        let Some(noun) = self.owner(site) else { return };
        for attr in attributes(choice) {
            let value = (&attr.name, &choice.condition, frame);
            noun.attrs.entry(&attr.name.value).or_insert(value);
        }
    }
}

/// What a choice may set, whatever holds.
fn attributes(choice: &If) -> Vec<&Attr> {
    let mut found = Vec::new();
    for stmt in choice.then.iter().chain(choice.otherwise.iter().flatten()) {
        match &stmt.kind {
            StmtKind::Attr(attr) => found.push(attr),
            StmtKind::If(inner) => found.extend(attributes(inner)),
            _ => {}
        }
    }
    found
}

fn key_path(keys: &[Value]) -> String {
    keys.iter().map(Value::to_string).collect::<Vec<_>>().join("/")
}
