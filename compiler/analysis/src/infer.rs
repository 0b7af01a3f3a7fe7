//! The types of expressions, without evaluating them: dead branches are checked like live ones.
//!
//! Checking is bidirectional: what is wanted flows down, what is found flows up. Each mistake is reported at the
//! innermost expression that it belongs to, and [`Type::Unknown`] keeps it from being reported again above.

mod access;
mod narrow;
mod operators;

pub(crate) use narrow::paths_set_when;

use crate::functions;
use crate::index::Index;
use crate::report::Reports;
use crate::schema::Schema;
use crate::types::{Ctor, Field, Fields, Type};
use ipnet::IpNet;
use slipform_model::{Diagnostic, Quantity, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{Arg, Comprehension, Entry, Expr, ExprKind, LiteralKind, StrPart};
use std::net::IpAddr;
use std::sync::Arc;

/// Where names outside of the expression itself come from.
pub(crate) trait Outer {
    /// The type of a name, and where it is declared.
    fn name(&self, name: &str) -> Option<Seen>;
    /// Every name, for suggestions.
    fn names(&self) -> Vec<String>;
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Its type.
    pub(crate) ty: Type,
    /// Where it is declared.
    pub(crate) span: Span,
    /// Its documentation.
    pub(crate) doc: Option<String>,
}

/// Infers types within one scope.
pub(crate) struct Infer<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) reports: &'a mut Reports,
    pub(crate) index: &'a mut Index,
    pub(crate) outer: &'a dyn Outer,
    /// Derived facts may be read: in rules, asserts and outputs.
    pub(crate) facts: bool,
    locals: Vec<(String, Seen)>,
    set: Vec<String>,
}

impl<'a> Infer<'a> {
    pub(crate) fn new(
        schema: &'a Schema,
        reports: &'a mut Reports,
        index: &'a mut Index,
        outer: &'a dyn Outer,
        facts: bool,
    ) -> Self {
        Self { schema, reports, index, outer, facts, locals: Vec::new(), set: Vec::new() }
    }

    /// Checks that an expression gives what is wanted.
    pub(crate) fn check(&mut self, expr: &Expr, wanted: &Type) -> Type {
        let found = self.expr(expr, Some(wanted));
        self.expect(&found, wanted, expr);
        found
    }

    /// Adds a name for what follows.
    pub(crate) fn bind(&mut self, name: &str, ty: Type, span: Span) {
        self.locals.push((name.to_owned(), Seen { ty, span, doc: None }));
    }

    /// The names that were bound, for a scope that outlives this one.
    pub(crate) fn into_locals(self) -> Vec<(String, Seen)> {
        self.locals
    }

    /// Takes for granted that these paths are set.
    pub(crate) fn assume(&mut self, paths: Vec<String>) {
        self.set.extend(paths);
    }

    fn expect(&mut self, found: &Type, wanted: &Type, expr: &Expr) {
        if found.fits(wanted) || self.reports.has_error_in(expr.span) {
            return;
        }
        if found.is_optional() && found.set().fits(wanted) {
            // A rule is silent where something that it asks for is absent.
            if self.facts {
                return;
            }
            return self.may_be_absent(expr);
        }
        let report = match (found, wanted.arms().as_slice()) {
            (Type::Word(word), arms) if arms.iter().any(|arm| matches!(arm, Type::Word(_))) => {
                self.no_such_word(word, arms, expr.span)
            }
            (Type::Auto, _) => Diagnostic::error(
                "types/mismatch",
                "`auto` is not possible here: the compiler has nothing to choose it by",
                expr.span,
            )
            .labelled(format!("expected `{wanted}`")),
            (Type::Deferred(_), _) => Diagnostic::error(
                "types/deferred",
                "this value exists only once Terraform has made it, but the compiler needs it now",
                expr.span,
            )
            .labelled(format!("expected `{wanted}`, found `{found}`"))
            .help("deferred values may go into `env`, `args` and `output`"),
            _ => Diagnostic::error(
                "types/mismatch",
                format!("expected `{wanted}`, found `{found}`"),
                expr.span,
            ),
        };
        self.reports.add(report);
    }

    fn may_be_absent(&mut self, expr: &Expr) {
        let text = path_of(expr).unwrap_or_else(|| "this".to_owned());
        self.reports.add(
            Diagnostic::error("types/optional", format!("`{text}` may be absent here"), expr.span)
                .help(format!("guard it: `if {text} is set {{ ... }} else {{ ... }}`")),
        );
    }

    fn no_such_word(&self, word: &str, arms: &[Type], span: Span) -> Diagnostic {
        let words: Vec<&str> = arms
            .iter()
            .filter_map(|arm| match arm {
                Type::Word(known) => Some(&**known),
                _ => None,
            })
            .collect();
        let list: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let report = Diagnostic::error(
            "types/word",
            format!("\"{word}\" is none of {}", list.join(", ")),
            span,
        );
        match nearest(word, words) {
            Some(near) => report
                .help(format!("a word with a similar spelling exists: \"{near}\""))
                .fix(format!("write \"{near}\""), span, format!("\"{near}\"")),
            None => report,
        }
    }

    /// The type of an expression; `wanted` guides it, but only [`Infer::check`] insists.
    pub(crate) fn expr(&mut self, expr: &Expr, wanted: Option<&Type>) -> Type {
        match &expr.kind {
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Auto => Type::Auto,
            ExprKind::Literal(kind, text) => self.literal(*kind, text, expr.span),
            ExprKind::Str(parts) => self.string(parts),
            ExprKind::Name(name) => self.name(name, expr, wanted),
            ExprKind::Member(base, member) => match member {
                Some(member) => self.member(expr, base, member),
                None => {
                    self.expr(base, None);
                    Type::Unknown
                }
            },
            ExprKind::Index(base, at) => self.index(base, at),
            ExprKind::Call(callee, args) => self.call(expr, callee, args),
            ExprKind::List(items) => self.list(items, wanted),
            ExprKind::ListFor(rounds) => self.list_for(rounds, wanted),
            ExprKind::Record(entries) => self.record(expr, entries, wanted),
            ExprKind::RecordFor(rounds) => self.record_for(rounds, wanted),
            ExprKind::Unary(op, inner) => self.unary(*op, inner),
            ExprKind::Binary(op, at, left, right) => self.binary(*op, at.span, left, right),
            ExprKind::If(condition, then, otherwise) => {
                self.choice(condition, then, otherwise, wanted)
            }
            ExprKind::IsSet(inner, _) => {
                self.expr(inner, None);
                Type::Bool
            }
            ExprKind::Paren(inner) => self.expr(inner, wanted),
            ExprKind::Missing => Type::Unknown,
        }
    }

    fn literal(&mut self, kind: LiteralKind, text: &str, span: Span) -> Type {
        match kind {
            LiteralKind::Int if text.replace('_', "").parse::<i64>().is_err() => {
                self.reports.error(
                    "types/number",
                    format!("`{text}` is too large for an integer"),
                    span,
                );
                Type::Unknown
            }
            LiteralKind::Int => Type::Int,
            LiteralKind::Float => Type::Float,
            LiteralKind::Quantity => match text.parse() {
                Ok(Quantity::Size(_)) => Type::Size,
                Ok(Quantity::Duration(_)) => Type::Duration,
                Err(error) => {
                    self.reports.error("types/unit", error.0, span);
                    Type::Unknown
                }
            },
            LiteralKind::Topology => match text.parse::<slipform_model::Topology>() {
                Ok(_) => Type::Topology,
                Err(error) => {
                    self.reports.error("types/topology", error.0, span);
                    Type::Unknown
                }
            },
            LiteralKind::Address => self.address(text, span),
        }
    }

    fn address(&mut self, text: &str, span: Span) -> Type {
        if !text.contains('/') {
            if text.parse::<IpAddr>().is_ok() {
                return Type::Address;
            }
            self.reports.error("types/address", format!("`{text}` is no address"), span);
            return Type::Unknown;
        }
        match text.parse::<IpNet>() {
            Ok(net) if net.trunc() != net => {
                let net = net.trunc();
                self.reports.add(
                    Diagnostic::error(
                        "types/address",
                        format!("`{text}` does not start at the beginning of its range"),
                        span,
                    )
                    .help(format!("the range that it lies in is `{net}`"))
                    .fix(format!("write `{net}`"), span, net.to_string()),
                );
            }
            Ok(_) => {}
            Err(_) => self.reports.error(
                "types/address",
                format!("`{text}` is no range of addresses"),
                span,
            ),
        }
        Type::Cidr
    }

    fn string(&mut self, parts: &[StrPart]) -> Type {
        if let [StrPart::Text(text)] = parts {
            return Type::Word(text.as_str().into());
        }
        if parts.is_empty() {
            return Type::Word("".into());
        }
        for part in parts {
            let StrPart::Interp(inner) = part else { continue };
            let found = self.expr(inner, None);
            self.in_text(&found, inner);
        }
        Type::Str
    }

    /// Whether a value of this type can be written into a text.
    fn in_text(&mut self, found: &Type, expr: &Expr) {
        if self.reports.has_error_in(expr.span) {
            return;
        }
        if found.is_optional() {
            if !self.facts {
                self.may_be_absent(expr);
            }
            return;
        }
        let refused = found.arms().into_iter().find(|arm| {
            matches!(arm, Type::Noun(_) | Type::Block(_) | Type::Group(_) | Type::Deferred(_))
        });
        match refused {
            Some(Type::Deferred(_)) => self.reports.add(
                Diagnostic::error(
                    "types/deferred",
                    "a value that Terraform makes cannot be put into a text here",
                    expr.span,
                )
                .help("give it to an environment variable and let the program put it together"),
            ),
            Some(noun) if !self.facts => self.reports.add(
                Diagnostic::error(
                    "types/mismatch",
                    format!("a {noun} cannot be put into a text"),
                    expr.span,
                )
                .help("name one of its fields: `${noun.field}`"),
            ),
            _ => {}
        }
    }

    fn name(&mut self, name: &str, expr: &Expr, wanted: Option<&Type>) -> Type {
        let local =
            self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, seen)| seen.clone());
        if let Some(seen) = local.or_else(|| self.outer.name(name)) {
            self.index.refer(expr.span, &seen, name);
            return if self.set.iter().any(|path| path == name) { seen.ty.set() } else { seen.ty };
        }
        if let Some(ctor) = self.schema.ctors.get(name).cloned() {
            self.index.ctor(expr.span, &ctor, self.schema);
            self.arguments(expr.span, &ctor, &[]);
            return Type::Ctor(ctor);
        }
        self.unknown_name(name, expr.span, wanted);
        Type::Unknown
    }

    /// Whether a name stands for anything here.
    fn knows(&self, name: &str) -> bool {
        self.locals.iter().any(|(local, _)| local == name)
            || self.outer.name(name).is_some()
            || self.schema.ctors.contains_key(name)
    }

    fn unknown_name(&mut self, name: &str, span: Span, wanted: Option<&Type>) {
        let mut known: Vec<String> = self.locals.iter().map(|(name, _)| name.clone()).collect();
        known.extend(self.outer.names());
        let arms = wanted.map(Type::arms).unwrap_or_default();
        known.extend(arms.iter().filter_map(|arm| match arm {
            Type::Ctor(ctor) => Some(ctor.name.to_string()),
            _ => None,
        }));
        let mut report =
            Diagnostic::error("names/unknown", format!("nothing here is called `{name}`"), span);
        let words = arms.iter().any(|arm| matches!(arm, Type::Word(word) if &**word == name));
        if words {
            report = report.help(format!("words are written in quotes: \"{name}\"")).fix(
                format!("write \"{name}\""),
                span,
                format!("\"{name}\""),
            );
        } else if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
            report = report.help(format!("a name that is spelt similarly exists: `{near}`")).fix(
                format!("write `{near}`"),
                span,
                near,
            );
        } else if functions::find(name).is_some() {
            report = report.help(format!("`{name}` is a function: call it as `{name}(...)`"));
        }
        self.reports.add(report);
    }

    fn list(&mut self, items: &[Expr], wanted: Option<&Type>) -> Type {
        let wanted_item = wanted.and_then(item_of);
        let mut found = Vec::new();
        for item in items {
            let ty = match &wanted_item {
                Some(wanted) => {
                    self.check(item, wanted);
                    wanted.clone()
                }
                None => self.expr(item, None),
            };
            if !found.iter().any(|known: &Type| known.same(&ty)) {
                found.push(ty);
            }
        }
        match wanted_item {
            Some(item) => Type::List(Arc::new(item)),
            None => Type::List(Arc::new(Type::union(found))),
        }
    }

    fn list_for(&mut self, rounds: &Comprehension, wanted: Option<&Type>) -> Type {
        let wanted_item = wanted.and_then(item_of);
        let item = self.rounds(rounds, |infer| match &wanted_item {
            Some(wanted) => infer.check(&rounds.value, wanted),
            None => infer.expr(&rounds.value, None),
        });
        Type::List(Arc::new(wanted_item.unwrap_or(item)))
    }

    fn record_for(&mut self, rounds: &Comprehension, wanted: Option<&Type>) -> Type {
        let wanted_value = wanted.and_then(value_of);
        let value = self.rounds(rounds, |infer| {
            if let Some(key) = &rounds.key {
                infer.check(key, &Type::Str);
            }
            match &wanted_value {
                Some(wanted) => infer.check(&rounds.value, wanted),
                None => infer.expr(&rounds.value, None),
            }
        });
        Type::Map(Arc::new(Type::Str), Arc::new(wanted_value.unwrap_or(value)))
    }

    fn rounds(&mut self, rounds: &Comprehension, body: impl FnOnce(&mut Self) -> Type) -> Type {
        let items = self.expr(&rounds.items, None);
        let (names, assumed) = (self.locals.len(), self.set.len());
        self.bind_round(&rounds.names, &items, rounds.items.span);
        if let Some(condition) = &rounds.condition {
            self.check(condition, &Type::Bool);
            self.set.extend(paths_set_when(condition, true));
        }
        let ty = body(self);
        self.locals.truncate(names);
        self.set.truncate(assumed);
        ty
    }

    /// Binds the names of one round over `items`.
    pub(crate) fn bind_round(
        &mut self,
        names: &[slipform_syntax::tree::Name],
        items: &Type,
        span: Span,
    ) {
        let (key, value) = match round_of(items) {
            Some(round) => round,
            None => {
                if !self.reports.has_error_in(span) {
                    self.reports.error(
                        "types/mismatch",
                        format!("`for` walks lists, records and ranges, not `{items}`"),
                        span,
                    );
                }
                (Type::Unknown, Type::Unknown)
            }
        };
        match names {
            [one] => self.bind(&one.value, value, one.span),
            [first, second, ..] => {
                self.bind(&first.value, key, first.span);
                self.bind(&second.value, value, second.span);
            }
            [] => {}
        }
    }

    fn record(&mut self, expr: &Expr, entries: &[Entry], wanted: Option<&Type>) -> Type {
        let arms = wanted.map(Type::arms).unwrap_or_default();
        let fields = arms.iter().find_map(|arm| match arm {
            Type::Record(fields) => Some(fields.clone()),
            _ => None,
        });
        if let Some(fields) = fields {
            self.fields(expr.span, entries, &fields);
            return Type::Record(fields);
        }
        let map = arms.iter().find_map(|arm| match arm {
            Type::Map(key, value) => Some((key.clone(), value.clone())),
            _ => None,
        });
        let mut found = Fields::default();
        for entry in entries {
            let ty = match &map {
                Some((_, value)) => self.check(&entry.value, value),
                None => self.expr(&entry.value, None),
            };
            self.entry_key(entry);
            if let Some(key) = key_text(&entry.key) {
                let field =
                    Field { ty, default: None, derived: false, doc: None, span: entry.key.span };
                if let Some(first) = found.0.insert(key.as_str().into(), field) {
                    self.reports.add(
                        Diagnostic::error(
                            "names/duplicate",
                            format!("the key `{key}` is written twice"),
                            entry.key.span,
                        )
                        .also(first.span, "first written here"),
                    );
                }
            }
        }
        match map {
            Some((key, value)) => Type::Map(key, value),
            None => Type::Record(Arc::new(found)),
        }
    }

    fn entry_key(&mut self, entry: &Entry) {
        if let ExprKind::Str(parts) = &entry.key.kind {
            self.string(parts);
        }
    }

    /// Checks entries against the fields of a record type.
    fn fields(&mut self, whole: Span, entries: &[Entry], wanted: &Fields) {
        let mut written: Vec<String> = Vec::new();
        for entry in entries {
            let Some(key) = key_text(&entry.key) else {
                self.expr(&entry.value, None);
                continue;
            };
            match wanted.0.get(key.as_str()) {
                Some(field) => {
                    self.index.field(entry.key.span, &key, field);
                    self.check(&entry.value, &field.written());
                }
                None => {
                    self.expr(&entry.value, None);
                    let known = wanted.0.keys().map(|name| &**name);
                    let report = unknown_field(&key, "this record", entry.key.span, known);
                    self.reports.add(report);
                }
            }
            if written.contains(&key) {
                self.reports.error(
                    "names/duplicate",
                    format!("the key `{key}` is written twice"),
                    entry.key.span,
                );
            }
            written.push(key);
        }
        self.missing(whole, wanted, &written, "this record");
    }

    fn missing(&mut self, whole: Span, wanted: &Fields, written: &[String], of: &str) {
        let missing: Vec<String> = wanted
            .0
            .iter()
            .filter(|(name, field)| {
                !field.may_be_left_out() && !written.iter().any(|known| **known == ***name)
            })
            .map(|(name, field)| format!("`{name}: {}`", field.ty))
            .collect();
        if !missing.is_empty() {
            self.reports.error(
                "types/missing-field",
                format!("{of} needs {}", missing.join(" and ")),
                whole,
            );
        }
    }

    fn call(&mut self, expr: &Expr, callee: &Expr, args: &[Arg]) -> Type {
        let ExprKind::Name(name) = &callee.kind else {
            self.expr(callee, None);
            self.arguments_alone(args);
            self.reports.error(
                "names/not-a-function",
                "only functions and constructors can be called",
                callee.span,
            );
            return Type::Unknown;
        };
        if let Some(ctor) = self.schema.ctors.get(name.as_str()).cloned() {
            self.index.ctor(callee.span, &ctor, self.schema);
            self.arguments(expr.span, &ctor, args);
            return Type::Ctor(ctor);
        }
        if let Some(function) = functions::find(name) {
            self.index.function(callee.span, function);
            let found: Vec<Type> = args.iter().map(|arg| self.expr(&arg.value, None)).collect();
            return match (function.ty)(&found) {
                Ok(ty) => ty,
                Err(message) => {
                    if !self.reports.has_error_in(expr.span) {
                        self.reports.add(
                            Diagnostic::error("types/argument", message, expr.span)
                                .help(format!("it is called as `{}`", function.signature)),
                        );
                    }
                    Type::Unknown
                }
            };
        }
        self.arguments_alone(args);
        let known = functions::ALL
            .iter()
            .map(|function| function.name)
            .chain(self.schema.ctors.keys().map(|name| &**name));
        let mut report = Diagnostic::error(
            "names/unknown",
            format!("there is no function or constructor `{name}`"),
            callee.span,
        );
        if let Some(near) = nearest(name, known) {
            report = report.help(format!("a similar one exists: `{near}`")).fix(
                format!("write `{near}`"),
                callee.span,
                near,
            );
        }
        self.reports.add(report);
        Type::Unknown
    }

    fn arguments_alone(&mut self, args: &[Arg]) {
        for arg in args {
            self.expr(&arg.value, None);
        }
    }

    /// Checks the arguments of a constructor: positional ones in the order of its fields, then named ones.
    fn arguments(&mut self, whole: Span, ctor: &Ctor, args: &[Arg]) {
        let mut written: Vec<String> = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let field = match &arg.name {
                Some(name) => ctor.fields.0.get_key_value(name.value.as_str()),
                None => ctor.fields.0.get_index(at),
            };
            let Some((name, field)) = field else {
                self.expr(&arg.value, None);
                let report = match &arg.name {
                    Some(name) => {
                        let known = ctor.fields.0.keys().map(|name| &**name);
                        unknown_field(&name.value, &format!("`{}`", ctor.name), name.span, known)
                    }
                    None => Diagnostic::error(
                        "types/argument",
                        format!(
                            "`{}` takes {} arguments, this is one more",
                            ctor.name,
                            ctor.fields.0.len()
                        ),
                        arg.value.span,
                    ),
                };
                self.reports.add(report);
                continue;
            };
            if let Some(name) = &arg.name {
                self.index.field(name.span, &name.value, field);
            }
            self.check(&arg.value, &field.written());
            if written.iter().any(|known| **known == **name) {
                self.reports.error(
                    "names/duplicate",
                    format!("`{name}` is given twice"),
                    arg.value.span,
                );
            }
            written.push(name.to_string());
        }
        self.missing(whole, &ctor.fields, &written, &format!("`{}`", ctor.name));
    }
}

/// The report of a field that does not exist, with the nearest one that does.
pub(crate) fn unknown_field<'k>(
    name: &str,
    of: &str,
    span: Span,
    known: impl IntoIterator<Item = &'k str>,
) -> Diagnostic {
    let known: Vec<&str> = known.into_iter().collect();
    let report =
        Diagnostic::error("names/unknown-field", format!("{of} has no field `{name}`"), span);
    match nearest(name, known.iter().copied()) {
        Some(near) => report.help(format!("a field with a similar name exists: `{near}`")).fix(
            format!("write `{near}`"),
            span,
            near,
        ),
        None if known.is_empty() => report.help("it has no fields"),
        None => report.help(format!("its fields are {}", quoted(&known))),
    }
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The key of a record's entry, where it is plain.
pub(crate) fn key_text(key: &Expr) -> Option<String> {
    match &key.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Str(parts) => match parts.as_slice() {
            [StrPart::Text(text)] => Some(text.clone()),
            [] => Some(String::new()),
            _ => None,
        },
        _ => None,
    }
}

/// `a.b.c` as text, for names and members.
pub(crate) fn path_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Member(base, Some(member)) => {
            Some(format!("{}.{}", path_of(base)?, member.value))
        }
        ExprKind::Paren(inner) => path_of(inner),
        _ => None,
    }
}

fn item_of(wanted: &Type) -> Option<Type> {
    wanted.arms().into_iter().find_map(|arm| match arm {
        Type::List(item) => Some((*item).clone()),
        _ => None,
    })
}

fn value_of(wanted: &Type) -> Option<Type> {
    wanted.arms().into_iter().find_map(|arm| match arm {
        Type::Map(_, value) => Some((*value).clone()),
        _ => None,
    })
}

/// The types of a key and a value of one round.
fn round_of(items: &Type) -> Option<(Type, Type)> {
    match items.bare() {
        Type::List(item) => Some((Type::Int, (**item).clone())),
        Type::Range => Some((Type::Int, Type::Int)),
        Type::Map(_, value) => Some((Type::Str, (**value).clone())),
        Type::Record(fields) => Some((
            Type::Str,
            Type::union(fields.0.values().map(|field| field.ty.clone()).collect::<Vec<_>>()),
        )),
        Type::Group(item) => Some((Type::Str, (**item).clone())),
        Type::Unknown => Some((Type::Unknown, Type::Unknown)),
        _ => None,
    }
}
