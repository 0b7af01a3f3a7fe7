//! The files of one blueprint and what each of them may name.

use crate::load;
use crate::report::Reports;
use crate::schema::{LateFields, Schema, collect_types};
use crate::types::Type;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use slipform_model::{Diagnostic, Map, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{
    Attr, ComponentDecl, Decl, Name, Param, Stmt, StmtKind, Tree, TypeExpr, Use,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_USE = "names/use":
        "a `use` names something that does not exist",
        "check the path: `use a.b.{name}` reads `a/b.bp` of the project, `use std...` the library";
}

/// A file of a [`Program`], by its index there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct UnitId(pub(crate) usize);

/// One file.
#[derive(Debug)]
pub(crate) struct Unit<'t> {
    /// Its tree.
    pub(crate) tree: &'t Tree,
    /// Its path as a `use` writes it: `std.components.nccl_test`, `networks`.
    pub(crate) module: String,
    /// It is of the standard library.
    pub(crate) std: bool,
    /// It declares something besides rules, which nobody names.
    declares: bool,
    /// What its `use` statements bring in.
    pub(crate) imports: Map<&'t str, Import>,
}

/// What a `use` brings in.
#[derive(Clone, Debug)]
pub(crate) enum Import {
    /// A whole file under one name.
    Module(UnitId),
    /// One name of a file.
    Name(UnitId, String),
}

/// A component and where it lives.
#[derive(Clone, Debug)]
pub(crate) struct Component<'t> {
    /// The file.
    pub(crate) unit: UnitId,
    /// Its documentation.
    pub(crate) stmt: &'t Stmt,
    /// Its declaration.
    pub(crate) decl: &'t ComponentDecl,
    /// Its fields.
    pub(crate) fields: Arc<LateFields>,
}

/// All files and what they declare.
#[derive(Debug)]
pub(crate) struct Program<'t> {
    /// The standard library's files first.
    pub(crate) units: Vec<Unit<'t>>,
    /// Types and kinds.
    pub(crate) schema: Arc<Schema>,
    /// What components take, and types as they are written.
    pub(crate) signatures: Arc<Signatures>,
    components: BTreeMap<UnitId, Map<&'t str, Component<'t>>>,
    /// Files that use each other in a circle.
    circular: BTreeSet<UnitId>,
}

/// What components take, and types as they are written, by where they stand. It outlives the program, for questions
/// about the same texts.
#[derive(Default, Debug)]
pub(crate) struct Signatures {
    /// The fields of each component, the standard library's among them.
    fields: BTreeMap<Span, Arc<LateFields>>,
    /// Types as they are written in the blueprint.
    types: BTreeMap<Span, Type>,
}

impl Signatures {
    fn new(files: &[(&Tree, String)], schema: &mut Schema, reports: &mut Reports) -> Self {
        let mut found =
            Self { fields: load::standard().components.fields.clone(), ..Self::default() };
        for stmt in files.iter().flat_map(|(tree, _)| &tree.stmts) {
            if let StmtKind::Component(decl @ ComponentDecl { name: Some(_), .. }) = &stmt.kind {
                let fields = schema.component_fields(decl, reports);
                found.fields.insert(stmt.span, Arc::new(LateFields::read(fields)));
            }
        }
        let mut types = Vec::new();
        for (tree, _) in files {
            collect_types(&tree.stmts, &mut types);
        }
        for ty in types {
            found.types.insert(ty.span, schema.read_type(ty, reports));
        }
        found
    }

    /// A type as it is written.
    pub(crate) fn written(&self, ty: &TypeExpr) -> Option<&Type> {
        self.types.get(&ty.span).or_else(|| load::standard().components.written(ty))
    }

    /// Whether a parameter is the project of a blueprint, which is asked for by its type.
    pub(crate) fn is_project(&self, param: &Param) -> bool {
        param.ty.as_ref().and_then(|ty| self.written(ty)).is_some_and(is_project)
    }
}

impl<'t> Program<'t> {
    /// Puts the files together: `files` are trees with their module paths.
    pub(crate) fn new(
        files: &[(&'t Tree, String)],
        mut schema: Schema,
        std_files: usize,
        reports: &mut Reports,
    ) -> Self {
        let own = files.get(std_files..).unwrap_or_default();
        schema.extend(own.iter().map(|(tree, _)| *tree), reports);
        let signatures = Arc::new(Signatures::new(own, &mut schema, reports));
        Self::again(files, std_files, (Arc::new(schema), signatures), reports)
    }

    /// Puts files together whose declarations were read before.
    pub(crate) fn again(
        files: &[(&'t Tree, String)],
        std_files: usize,
        (schema, signatures): (Arc<Schema>, Arc<Signatures>),
        reports: &mut Reports,
    ) -> Self {
        let standard = load::standard();
        let units = files.iter().enumerate().map(|(at, (tree, module))| Unit {
            tree,
            module: module.clone(),
            std: at < std_files,
            declares: at >= std_files || standard.declares(at),
            imports: Map::default(),
        });
        let units = units.collect();
        let (components, circular) = (BTreeMap::new(), BTreeSet::new());
        let mut program = Self { units, schema, signatures, components, circular };
        program.find_components();
        program.read_uses(reports);
        program.find_circles();
        program
    }

    /// The type of a `param`, a `let` or an `output` as it is written.
    pub(crate) fn written_type(&self, ty: &TypeExpr) -> Type {
        self.signatures.written(ty).cloned().unwrap_or(Type::Unknown)
    }

    /// The component that a file knows by this name: its own, or one that it uses.
    pub(crate) fn component(&self, unit: UnitId, name: &str) -> Option<&Component<'t>> {
        if let Some(own) = self.components.get(&unit).and_then(|own| own.get(name)) {
            return Some(own);
        }
        match self.units.get(unit.0)?.imports.get(name)? {
            Import::Name(from, name) => self.components.get(from)?.get(name.as_str()),
            Import::Module(_) => None,
        }
    }

    /// The kind or component that a declaration is of: what it names, or else the kind that this is mistaken for, where that has all that stands inside.
    pub(crate) fn meant<'a>(&'a self, unit: UnitId, decl: &'a Decl) -> &'a str {
        let written = decl.kind.value.as_str();
        if self.schema.has_kind(written) || self.component(unit, written).is_some() {
            return written;
        }
        let kinds = self.schema.kinds.values().map(|kind| &*kind.name);
        let fits = |kind: &&str| {
            decl.body.iter().all(|stmt| match &stmt.kind {
                StmtKind::Attr(Attr { name, .. }) => {
                    let mut of = self.schema.variants(kind);
                    of.any(|variant| variant.fields.0.contains_key(name.value.as_str()))
                }
                _ => true,
            })
        };
        nearest(written, kinds).filter(fits).unwrap_or(written)
    }

    /// Whether a file is one of several that use each other in a circle: what it declares cannot be known before itself.
    pub(crate) fn is_circular(&self, unit: UnitId) -> bool {
        self.circular.contains(&unit)
    }

    /// Every component, by file and name.
    pub(crate) fn components(&self) -> impl Iterator<Item = (&'t str, &Component<'t>)> {
        self.components
            .values()
            .flat_map(|own| own.iter().map(|(name, component)| (*name, component)))
    }

    fn find_components(&mut self) {
        for (at, unit) in self.units.iter().enumerate().filter(|(_, unit)| unit.declares) {
            for stmt in &unit.tree.stmts {
                let StmtKind::Component(decl) = &stmt.kind else { continue };
                let Some(name) = &decl.name else { continue };
                let Some(fields) = self.signatures.fields.get(&stmt.span).cloned() else {
                    continue;
                };
                let component = Component { unit: UnitId(at), stmt, decl, fields };
                self.components
                    .entry(UnitId(at))
                    .or_default()
                    .insert(name.value.as_str(), component);
            }
        }
    }

    fn read_uses(&mut self, reports: &mut Reports) {
        for at in 0..self.units.len() {
            let Some(unit) = self.units.get(at).filter(|it| it.declares) else { continue };
            let mut imports = Map::default();
            for stmt in &unit.tree.stmts {
                if let StmtKind::Use(used) = &stmt.kind {
                    self.read_use(stmt, used, &mut imports, reports);
                }
            }
            if let Some(unit) = self.units.get_mut(at) {
                unit.imports = imports;
            }
        }
    }

    fn find_circles(&mut self) {
        let used = |unit: &Unit<'_>| -> Vec<UnitId> {
            let from = |import: &Import| match import {
                Import::Module(from) | Import::Name(from, _) => *from,
            };
            unit.imports.values().map(from).collect()
        };
        let own = self.units.iter().enumerate().filter(|(_, unit)| !unit.std);
        let edges = own
            .flat_map(|(at, unit)| used(unit).into_iter().map(move |to| (at as u32, to.0 as u32)));
        let files = DiGraph::<(), ()>::from_edges(edges);
        let circles = tarjan_scc(&files);
        let circles = circles.into_iter().filter(|all| match all.as_slice() {
            [one] => files.contains_edge(*one, *one),
            _ => true,
        });
        self.circular = circles.flatten().map(|unit| UnitId(unit.index())).collect();
    }

    fn read_use(
        &self,
        stmt: &Stmt,
        used: &'t Use,
        imports: &mut Map<&'t str, Import>,
        reports: &mut Reports,
    ) {
        let path: Vec<&str> = used.path.iter().map(|name| name.value.as_str()).collect();
        let module = path.join(".");
        let inside: Vec<UnitId> = self.units_of(&module);
        // A file that could not be read is reported where it was looked for.
        if inside.is_empty() {
            return;
        }
        let Some(names) = &used.names else {
            let name = used.alias.as_ref().or(used.path.last());
            if let (Some(name), [one]) = (name, inside.as_slice()) {
                imports.insert(name.value.as_str(), Import::Module(*one));
            } else {
                reports.add(
                    Diagnostic::error(NAMES_USE, format!("`{module}` is a folder"), stmt.span)
                        .help(format!("say which of its names are used: `use {module}.{{name}}`")),
                );
            }
            return;
        };
        for (name, alias) in names {
            let from = inside.iter().copied().find(|unit| self.declares(*unit, &name.value));
            let local = alias.as_ref().unwrap_or(name);
            match from {
                Some(unit) => {
                    imports
                        .insert(local.value.as_str(), Import::Name(unit, name.value.to_string()));
                }
                None => self.not_declared(name, &module, &inside, reports),
            }
        }
    }

    fn not_declared(&self, name: &Name, module: &str, inside: &[UnitId], reports: &mut Reports) {
        let known: Vec<&str> = inside.iter().flat_map(|unit| self.declared(*unit)).collect();
        let mut report = Diagnostic::error(
            NAMES_USE,
            format!("`{module}` declares no `{}`", name.value),
            name.span,
        );
        if let Some(near) = nearest(&name.value, known.iter().copied()) {
            reports.miss(near);
            report = report.meant("a declaration", near, name.span);
        } else if !known.is_empty() {
            let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            report = report.help(format!("it declares {}", list.join(", ")));
        }
        reports.add(report);
    }

    /// The file of that module, or the files of that folder.
    fn units_of(&self, module: &str) -> Vec<UnitId> {
        let all = || self.units.iter().enumerate();
        if let Some((at, _)) = all().find(|(_, unit)| unit.module == module) {
            return vec![UnitId(at)];
        }
        let inside = |unit: &Unit<'_>| {
            unit.module.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
        };
        all().filter(|(_, unit)| inside(unit)).map(|(at, _)| UnitId(at)).collect()
    }

    fn declares(&self, unit: UnitId, name: &str) -> bool {
        self.declared(unit).any(|known| known == name)
    }

    fn declared(&self, unit: UnitId) -> impl Iterator<Item = &'t str> {
        let tree: Option<&'t Tree> = self.units.get(unit.0).map(|unit| unit.tree);
        tree.into_iter()
            .flat_map(|tree| tree.stmts.iter())
            .filter_map(declared_name)
            .map(|name| name.value.as_str())
    }

    /// The parameters that name a project: their values may still be missing, which is reported elsewhere.
    pub(crate) fn project_params(&'t self) -> Vec<(UnitId, &'t Name)> {
        let mut found = Vec::new();
        for (at, unit) in self.units.iter().enumerate().filter(|(_, unit)| !unit.std) {
            for stmt in &unit.tree.stmts {
                let StmtKind::Param(param) = &stmt.kind else { continue };
                let name = param.name.as_ref().filter(|_| self.signatures.is_project(param));
                found.extend(name.map(|name| (UnitId(at), name)));
            }
        }
        found
    }
}

fn is_project(ty: &Type) -> bool {
    match ty {
        Type::Named(named) => &*named.name == "ProjectId" || is_project(&named.definition),
        Type::Optional(inner) => is_project(inner),
        _ => false,
    }
}

/// The name that a statement declares.
pub(crate) fn declared_name(stmt: &Stmt) -> Option<&Name> {
    match &stmt.kind {
        StmtKind::Param(param) => param.name.as_ref(),
        StmtKind::Let(binding) => binding.name.as_ref(),
        StmtKind::Type(decl) => decl.name.as_ref(),
        StmtKind::Kind(decl) => decl.name.as_ref(),
        StmtKind::Component(decl) => decl.name.as_ref(),
        StmtKind::Decl(decl) => decl.name.as_ref(),
        _ => None,
    }
}
