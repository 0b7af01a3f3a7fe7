//! What may be declared: types, constructors, kinds and components, from the standard library and from the
//! blueprint's own files.

mod kind;
mod late;

use crate::eval::room::LIMITS_DEPTH;
use crate::pattern::Pattern;
use crate::report::Reports;
use crate::types::{Ctor, FactKind, Field, Fields, Limit, Limited, Named, Type};
pub use kind::Kind;
use kind::kind_of;
pub(crate) use late::{Components, Ctors, LateFields, LateRead, LateType, StmtAt, collect_types};
use slipform_model::{Diagnostic, Map, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{
    BinaryOp, ComponentDecl, Decl, Expr, ExprKind, KindDecl, LiteralKind, Name, RecordField, Stmt,
    StmtKind, StrPart, Tree, TypeDecl, TypeExpr, TypeExprKind,
};
use std::ops::Deref;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_DUPLICATE = "names/duplicate":
        "a name is used twice where it must be unique",
        "rename one, or remove it";
    NAMES_UNKNOWN_TYPE = "names/unknown-type":
        "there is no type of this name",
        "check the spelling, or declare it: `type Name = ...`";
    TYPES_CONSTRUCTOR = "types/constructor":
        "a constructor needs a type of its own",
        "declare it: `type Name = name(...)`";
    pub(crate) TYPES_LIMIT = "types/limit":
        "a value lies outside of its limits",
        "choose one inside";
    pub(crate) TYPES_PATTERN = "types/pattern":
        "a text does not have the form that is wanted, or a pattern cannot be read",
        "see the form in the report";
    TYPES_RECURSIVE = "types/recursive":
        "a type contains itself",
        "break the circle";
}

/// What every noun may say besides the fields of its kind: the name by which everything outside of the blueprint knows it.
pub(crate) const WAS: &str = "was";

/// The type of that name.
const WAS_TYPE: &str = "FormerName";

/// How many types may need each other in a chain.
const MAX_CHAIN: usize = 100;

/// Everything that may be declared, by name.
#[derive(Clone, Default, Debug)]
pub struct Schema {
    /// Declared types.
    pub types: Map<Arc<str>, Arc<Named>>,
    /// Constructors of all sum types; their names are unique.
    pub ctors: Ctors,
    /// Kinds: `network`, and `cluster.gke` where a kind has platforms.
    pub kinds: Map<Arc<str>, Arc<Kind>>,
}

impl Schema {
    /// The variants of a kind: one, or one a platform; none for an unknown name.
    pub fn variants<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Arc<Kind>> {
        self.kinds.values().filter(move |known| &*known.name == kind)
    }

    /// Whether a kind of this name exists.
    pub fn has_kind(&self, kind: &str) -> bool {
        self.kinds.contains_key(kind) || self.variants(kind).next().is_some()
    }

    /// A kind by its name and platform.
    pub fn kind(&self, name: &str, platform: Option<&str>) -> Option<&Arc<Kind>> {
        match platform {
            Some(platform) => self.kinds.get(format!("{name}.{platform}").as_str()),
            None => self.kinds.get(name),
        }
    }

    /// The kind of a declaration: on its platform, where it has one.
    pub(crate) fn of_decl(&self, decl: &Decl) -> Option<&Arc<Kind>> {
        self.of_called(&decl.kind.value, decl)
    }

    /// The same of a declaration that goes by another kind's name.
    pub(crate) fn of_called(&self, kind: &str, decl: &Decl) -> Option<&Arc<Kind>> {
        let platform = decl.on.as_ref().and_then(|on| match &on.kind {
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        });
        self.kind(kind, None).or_else(|| self.kind(kind, Some(platform?)))
    }

    /// The type of a field of a noun: of every platform that has it.
    pub fn field_of(&self, kind: &str, field: &str) -> Option<Field> {
        let mut found = self.variants(kind).filter_map(|variant| variant.fields.0.get(field));
        let Some(first) = found.next().cloned() else { return self.parent_of(kind, field) };
        let ty = Type::union(
            std::iter::once(first.ty.clone()).chain(found.map(|field| field.ty.clone())),
        );
        Some(Field { ty, ..first })
    }

    /// What every noun may say, of whichever kind, and every use of a component.
    pub fn word_of_all(&self, name: &str) -> Option<Field> {
        let ty = self.types.get(WAS_TYPE).filter(|_| name == WAS)?;
        let (doc, span) = (ty.doc.clone(), ty.span);
        Some(Field { ty: Type::Named(ty.clone()), default: None, derived: false, doc, span })
    }

    /// What a noun is declared in, which goes by its kind's name: the `cluster` of a pool.
    fn parent_of(&self, kind: &str, name: &str) -> Option<Field> {
        let kind = self.variants(kind).find(|variant| variant.parent.as_deref() == Some(name))?;
        let ty = Type::Noun(kind.parent.clone()?);
        Some(Field { ty, default: None, derived: false, doc: None, span: kind.span })
    }

    /// Adds what the files declare to what is known.
    pub fn extend<'t>(
        &mut self,
        trees: impl IntoIterator<Item = &'t Tree> + Clone,
        reports: &mut Reports,
    ) {
        Reader::new(self, reports).declarations(trees);
    }

    /// Adds what the standard library declares, of which nothing is wrong, as a test makes sure, and gives its components; `ctors` are the constructors
    /// of its types, each with the name of its type.
    pub(crate) fn extend_by_standard<'t>(
        &mut self,
        declaring: impl Iterator<Item = (usize, &'t Tree)>,
        ctors: &[(&str, &str)],
    ) -> Components {
        let mut components = Components::default();
        for (file, tree) in declaring {
            for (at, stmt) in tree.stmts.iter().enumerate() {
                let at = StmtAt { file, stmt: at };
                if let StmtKind::Type(TypeDecl { name: Some(name), .. }) = &stmt.kind {
                    let named = Named::new(name, stmt, LateRead::at(at));
                    self.types.insert(named.name.clone(), Arc::new(named));
                } else if let Some((name, decl)) = kind_of(stmt) {
                    let kind = Kind::new(name, stmt, decl, LateRead::at(at));
                    self.kinds.insert(kind.key(), Arc::new(kind));
                } else if let StmtKind::Component(_) = &stmt.kind {
                    components.add(stmt, at);
                }
            }
        }
        for (ctor, of) in ctors {
            if let Some(of) = self.types.get(*of) {
                self.ctors.insert_of(of, ctor);
            }
        }
        components
    }

    /// The fields of a component, read with the types that are known.
    pub fn component_fields(&mut self, decl: &ComponentDecl, reports: &mut Reports) -> Fields {
        let mut reader = Reader::new(self, reports);
        reader.fields(&decl.body)
    }

    /// A type as written in a `param`, a `let` or an `output`.
    pub fn read_type(&mut self, ty: &TypeExpr, reports: &mut Reports) -> Type {
        let mut reader = Reader::new(self, reports);
        reader.read(ty, None)
    }
}

/// The types that every blueprint has without declaring them.
pub const BUILT_IN: &[(&str, Type, &str)] = &[
    ("bool", Type::Bool, "`true` or `false`"),
    ("int", Type::Int, "a whole number"),
    ("float", Type::Float, "a number with a point"),
    ("string", Type::Str, "text"),
    ("Size", Type::Size, "memory or disk: `80GiB`"),
    ("Duration", Type::Duration, "a length of time: `2h30m`"),
    ("Cidr", Type::Cidr, "a range of addresses: `10.0.0.0/16`"),
    ("Address", Type::Address, "one address: `10.0.0.1`"),
    ("Topology", Type::Topology, "the shape of a TPU slice: `4x4x8`"),
    ("Range", Type::Range, "from one number to another, both included: `3..10`"),
    ("MachineType", Type::Fact(FactKind::Machine), "a machine type of the catalog"),
    ("Zone", Type::Fact(FactKind::Zone), "a zone of Google Cloud: `us-east4-a`"),
    ("Region", Type::Fact(FactKind::Region), "a region of Google Cloud: `us-east4`"),
];

/// What types are called elsewhere, and here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("str", "string"),
    ("String", "string"),
    ("text", "string"),
    ("boolean", "bool"),
    ("Boolean", "bool"),
    ("Bool", "bool"),
    ("integer", "int"),
    ("Int", "int"),
    ("number", "int"),
    ("uint", "int"),
    ("double", "float"),
    ("Float", "float"),
    ("bytes", "Size"),
    ("time", "Duration"),
    ("timedelta", "Duration"),
    ("IPAddress", "Address"),
    ("ip", "Address"),
];

/// How a type of another language is written here.
fn written_here(name: &str) -> Option<&'static str> {
    WRITTEN.iter().find(|(there, _)| *there == name).map(|(_, here)| *here)
}

/// What else types of other languages are written as here.
const WRITTEN: &[(&str, &str)] = &[
    ("list", "a list is written `[T]`: `[string]`"),
    ("set", "a list is written `[T]`: `[string]`"),
    ("array", "a list is written `[T]`: `[string]`"),
    ("tuple", "a record is written `{ a: T, b: U }`, a list `[T]`"),
    ("map", "a map is written `{string: T}`: `{string: int}`"),
    ("dict", "a map is written `{string: T}`: `{string: int}`"),
    ("object", "a record is written `{ a: T, b: U }`"),
    ("struct", "a record is written `{ a: T, b: U }`"),
    ("optional", "what may be absent is written `T?`: `string?`"),
    ("enum", "words are written `\"a\" | \"b\"`"),
    ("any", "a value has a type here; several are written `A | B`"),
];

struct Reader<'s, 't> {
    known: Known<'s>,
    waiting: Map<String, (&'t Stmt, &'t TypeDecl)>,
    active: Vec<String>,
    kinds: Vec<String>,
    reports: &'s mut Reports,
}

/// What is known of declarations while one is read.
enum Known<'s> {
    /// Of a blueprint: what is read is added.
    Growing(&'s mut Schema),
    /// Of the standard library, which is known to be right: all names are there, and no regular expression is tried, since compiling all would take longer
    /// than a check, and a test does.
    Whole(&'s Schema),
}

impl Deref for Known<'_> {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        match self {
            Self::Growing(schema) => schema,
            Self::Whole(schema) => schema,
        }
    }
}

impl Known<'_> {
    /// What is wrong with a regular expression.
    fn wrong(&self, pattern: &Pattern) -> Option<String> {
        match self {
            Self::Growing(_) => pattern.problem().map(str::to_owned),
            Self::Whole(_) => None,
        }
    }

    /// Where what is read is added.
    fn grow(&mut self) -> Option<&mut Schema> {
        match self {
            Self::Growing(schema) => Some(schema),
            Self::Whole(_) => None,
        }
    }
}

impl<'s, 't> Reader<'s, 't> {
    fn new(known: &'s mut Schema, reports: &'s mut Reports) -> Self {
        Self::of(Known::Growing(known), reports)
    }

    /// Of what the library declares.
    fn of_library(known: &'s Schema, reports: &'s mut Reports) -> Self {
        Self::of(Known::Whole(known), reports)
    }

    fn of(known: Known<'s>, reports: &'s mut Reports) -> Self {
        let (waiting, active, kinds) = (Map::default(), Vec::new(), Vec::new());
        Self { known, waiting, active, kinds, reports }
    }

    /// Reads what the files declare.
    fn declarations(&mut self, trees: impl IntoIterator<Item = &'t Tree> + Clone) {
        let stmts = || trees.clone().into_iter().flat_map(|tree| tree.stmts.iter());
        self.types(stmts());
        for (stmt, (name, decl)) in stmts().filter_map(|stmt| Some((stmt, kind_of(stmt)?))) {
            self.kind(name, stmt, decl);
        }
    }

    /// Reads the types that the files declare, which may speak of their kinds.
    fn types(&mut self, stmts: impl Iterator<Item = &'t Stmt>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Type(decl) => self.wait(stmt, decl),
                StmtKind::Kind(decl) => {
                    self.kinds.extend(decl.name.as_ref().map(|name| name.value.to_string()))
                }
                _ => {}
            }
        }
        while let Some((name, _)) = self.waiting.first().map(|(name, decl)| (name.clone(), decl.1))
        {
            self.named(&name);
        }
    }

    fn wait(&mut self, stmt: &'t Stmt, decl: &'t TypeDecl) {
        let Some(name) = &decl.name else { return };
        let first = self
            .waiting
            .get(name.value.as_str())
            .and_then(|(_, first)| first.name.as_ref())
            .map(|name| name.span);
        let first =
            first.or_else(|| self.known.types.get(name.value.as_str()).map(|known| known.span));
        match first {
            Some(first) => self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("the type `{}` is declared twice", name.value),
                    name.span,
                )
                .also(first, "first declared here"),
            ),
            None => {
                self.waiting.insert(name.value.to_string(), (stmt, decl));
            }
        }
    }

    /// A declared type; read now if it still waits.
    fn named(&mut self, name: &str) -> Option<Type> {
        if let Some(known) = self.known.types.get(name) {
            return Some(Type::Named(known.clone()));
        }
        let (stmt, decl) = *self.waiting.get(name)?;
        if self.active.iter().any(|active| active == name) {
            let span = decl.definition.span;
            self.reports.error(TYPES_RECURSIVE, format!("the type `{name}` contains itself"), span);
            return Some(Type::Unknown);
        }
        if self.active.len() >= MAX_CHAIN {
            self.reports.error(
                LIMITS_DEPTH,
                format!("the type `{name}` is needed by a chain of more than {MAX_CHAIN} others"),
                decl.definition.span,
            );
            return Some(Type::Unknown);
        }
        self.active.push(name.to_owned());
        let definition = self.read(&decl.definition, Some(name));
        self.active.pop();
        self.waiting.shift_remove(name);
        let declared = decl.name.as_ref()?;
        let named = Arc::new(Named::new(declared, stmt, LateRead::read(definition)));
        self.known.grow()?.types.insert(named.name.clone(), named.clone());
        Some(Type::Named(named))
    }

    fn kind(&mut self, name: &Name, stmt: &'t Stmt, decl: &'t KindDecl) {
        let fields = self.fields(&decl.body);
        let kind = Kind::new(name, stmt, decl, LateFields::read(fields));
        let key = kind.key();
        if let Some(first) = self.known.kinds.get(&key).map(|first| first.span) {
            self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("the kind `{}` is declared twice", kind.title()),
                    name.span,
                )
                .also(first, "first declared here"),
            );
            return;
        }
        if let Some(known) = self.known.grow() {
            known.kinds.insert(key, Arc::new(kind));
        }
    }

    fn fields(&mut self, body: &'t [Stmt]) -> Fields {
        let mut fields = Fields::default();
        for stmt in body {
            let StmtKind::Field(field) = &stmt.kind else { continue };
            if let Some(word) = self.known.word_of_all(&field.name.value) {
                let message = format!("every noun has the word `{}` already", field.name.value);
                let report = Diagnostic::error(NAMES_DUPLICATE, message, field.name.span);
                self.reports.add(report.also(word.span, "what it says"));
                continue;
            }
            let entry = Field {
                ty: self.read(&field.ty, None),
                default: field.default.clone().map(Arc::new),
                derived: field.derived,
                doc: stmt.doc.clone(),
                span: field.name.span,
            };
            self.insert(&mut fields, &field.name.value, entry);
        }
        fields
    }

    fn record(&mut self, written: &'t [RecordField]) -> Fields {
        let mut fields = Fields::default();
        for field in written {
            let entry = Field {
                ty: self.read(&field.ty, None),
                default: field.default.clone().map(Arc::new),
                derived: false,
                doc: field.doc.clone(),
                span: field.name.span,
            };
            self.insert(&mut fields, &field.name.value, entry);
        }
        fields
    }

    fn insert(&mut self, fields: &mut Fields, name: &str, field: Field) {
        let at = field.span;
        if let Some(first) = fields.0.get(name).map(|first| first.span) {
            self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("the field `{name}` is declared twice"),
                    at,
                )
                .also(first, "first declared here"),
            );
            return;
        }
        fields.0.insert(name.into(), field);
    }

    /// Reads a type; `owner` is the declared type that it defines, whose bare words are constructors.
    fn read(&mut self, ty: &'t TypeExpr, owner: Option<&str>) -> Type {
        match &ty.kind {
            TypeExprKind::Name(name) => self.name(name, ty.span, owner),
            TypeExprKind::Optional(inner) => self.read(inner, owner).optional(),
            TypeExprKind::List(item) => Type::List(Arc::new(self.read(item, None))),
            TypeExprKind::Map(key, value) => {
                Type::Map(Arc::new(self.read(key, None)), Arc::new(self.read(value, None)))
            }
            TypeExprKind::Record(fields) => Type::Record(Arc::new(self.record(fields))),
            TypeExprKind::Union(arms) => {
                Type::union(arms.iter().map(|arm| self.read(arm, owner)).collect::<Vec<_>>())
            }
            TypeExprKind::Word(word) => Type::Word(word.as_str().into()),
            TypeExprKind::Constructor(name, fields) => {
                let fields = self.record(fields);
                self.ctor(&name.value, name.span, fields, owner)
            }
            TypeExprKind::Deferred(inner) => Type::Deferred(Arc::new(self.read(inner, None))),
            TypeExprKind::In(base, limit) => self.limited_in(base, limit),
            TypeExprKind::Matching(base, pattern) => self.matching(base, pattern),
            TypeExprKind::Missing => Type::Unknown,
        }
    }

    fn name(&mut self, name: &str, span: Span, owner: Option<&str>) -> Type {
        if let Some((_, ty, _)) = BUILT_IN.iter().find(|(known, ..)| *known == name) {
            return ty.clone();
        }
        if let Some(ty) = self.named(name) {
            return ty;
        }
        if self.known.has_kind(name) || self.kinds.iter().any(|kind| kind == name) {
            return Type::Noun(name.into());
        }
        if let Ok(number) = name.parse() {
            return Type::Number(number);
        }
        if owner.is_some() && name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return self.ctor(name, span, Fields::default(), owner);
        }
        let built_in = BUILT_IN.iter().map(|(name, ..)| *name);
        let declared = self.known.types.keys().map(|name| &**name);
        let known: Vec<&str> =
            built_in.chain(declared).chain(self.kinds.iter().map(String::as_str)).collect();
        let mut report =
            Diagnostic::error(NAMES_UNKNOWN_TYPE, format!("there is no type `{name}`"), span);
        let written = written_here(name);
        let elsewhere = ELSEWHERE.iter().find(|(there, _)| *there == name).map(|(_, here)| *here);
        let near = elsewhere.or_else(|| nearest(name, known).filter(|_| written.is_none()));
        let near = near.map(str::to_owned);
        if let Some(here) = elsewhere {
            report = report.help(format!("it is called `{here}` here")).fix(
                format!("write `{here}`"),
                span,
                here,
            );
        } else if let Some(near) = &near {
            report = report.meant("a type", near, span);
        } else if let Some(written) = written {
            report = report.help(written);
        }
        self.reports.add_once(report);
        near.map_or(Type::Unknown, |near| self.name(&near, span, None))
    }

    fn ctor(&mut self, name: &str, span: Span, fields: Fields, owner: Option<&str>) -> Type {
        let Some(owner) = owner else {
            if let Some(written) = written_here(name) {
                let message = format!("there is no type `{name}(...)`");
                self.reports
                    .add(Diagnostic::error(NAMES_UNKNOWN_TYPE, message, span).help(written));
                return Type::Unknown;
            }
            self.reports.error(
                TYPES_CONSTRUCTOR,
                format!(
                    "the constructor `{name}` needs a type of its own: `type Name = {name}(...)`"
                ),
                span,
            );
            return Type::Unknown;
        };
        let ctor = Arc::new(Ctor { name: name.into(), of: owner.into(), fields, span });
        let Some(known) = self.known.grow() else { return Type::Ctor(ctor) };
        if let Some(first) = known.ctors.get(name) {
            self.reports.add(
                Diagnostic::error(
                    NAMES_DUPLICATE,
                    format!("the constructor `{name}` is declared twice"),
                    span,
                )
                .also(first.span, "first declared here"),
            );
        } else {
            known.ctors.insert(ctor.clone());
        }
        Type::Ctor(ctor)
    }

    fn limited_in(&mut self, base: &'t TypeExpr, limit: &'t Expr) -> Type {
        let ty = self.read(base, None);
        if let ExprKind::List(items) = &limit.kind {
            return Type::union(items.iter().map(|item| self.word(item)).collect::<Vec<_>>());
        }
        let ends = match &limit.kind {
            ExprKind::Binary(BinaryOp::Range, _, from, to) => constant(from).zip(constant(to)),
            _ => None,
        };
        match ends {
            Some((from, to)) if from <= to => {
                Type::Limited(Arc::new(Limited { base: ty, limit: Limit::Between(from, to) }))
            }
            _ => {
                self.reports.error(
                    TYPES_LIMIT,
                    "a limit is a range like 1..256 or a list of words",
                    limit.span,
                );
                Type::Unknown
            }
        }
    }

    fn word(&mut self, item: &Expr) -> Type {
        match &item.kind {
            ExprKind::Str(parts) => match parts.as_slice() {
                [StrPart::Text(text)] => Type::Word(text.clone()),
                _ => Type::Unknown,
            },
            _ => constant(item).map_or(Type::Unknown, Type::Number),
        }
    }

    fn matching(&mut self, base: &'t TypeExpr, pattern: &'t Expr) -> Type {
        let ty = self.read(base, None);
        let ExprKind::Str(parts) = &pattern.kind else { return ty };
        let [StrPart::Text(text)] = parts.as_slice() else { return ty };
        let matched = Pattern::new(text.clone());
        if let Some(why) = self.known.wrong(&matched) {
            self.reports.error(TYPES_PATTERN, why, pattern.span);
            return ty;
        }
        Type::Limited(Arc::new(Limited { base: ty, limit: Limit::Matching(matched) }))
    }
}

/// An integer written out, with its sign.
fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(LiteralKind::Int, text) => text.replace('_', "").parse().ok(),
        ExprKind::Unary(slipform_syntax::tree::UnaryOp::Neg, inner) => {
            constant(inner).map(|number| -number)
        }
        ExprKind::Paren(inner) => constant(inner),
        _ => None,
    }
}
