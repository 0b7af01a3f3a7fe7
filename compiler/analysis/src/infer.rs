//! The types of expressions, without evaluating them: dead branches are checked like live ones.
//!
//! Checking is bidirectional: what is wanted flows down, what is found flows up. Each mistake is reported at the
//! innermost expression that it belongs to, and [`Type::Unknown`] keeps it from being reported again above.

mod access;
pub(crate) mod fields;
pub(crate) mod literals;
mod misfit;
mod narrow;
mod neighbours;
mod operators;

pub(crate) use fields::{key_text, misspelt_fields, unknown_field};
pub(crate) use narrow::paths_set_when;

use crate::functions;
use crate::index::Index;
use crate::report::Reports;
use crate::schema::Schema;
use crate::types::{Distinct, Type};
use slipform_model::{Diagnostic, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{Comprehension, Doc, Expr, ExprKind};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    pub(crate) NAMES_UNKNOWN = "names/unknown":
        "nothing is called so here",
        "check the spelling; text stands in quotes";
    pub(crate) TYPES_DEFERRED = "types/deferred":
        "a value that Terraform makes is used where the compiler needs it now",
        "hand it on to a place that is filled in later, such as `env` or an `output`";
    pub(crate) TYPES_MISMATCH = "types/mismatch":
        "a value is not of the type that is wanted",
        "give a value of that type; units do not mix";
    TYPES_OPTIONAL = "types/optional":
        "a value may be absent here",
        "guard it: `if name is set { ... } else { ... }`";
    TYPES_WORD = "types/word":
        "this is none of the words that are possible",
        "take one that the report lists";
}

/// Stands among the paths that are set where nobody knows which are.
const ANYTHING: &str = "*";

/// What is said of a name that stands for nothing.
pub(crate) fn not_called(name: &str) -> String {
    format!("nothing here is called `{name}`")
}

/// Where names outside of the expression itself come from.
pub(crate) trait Outer {
    /// The type of a name, and where it is declared.
    fn name(&self, name: &str) -> Option<Seen>;
    /// Every name.
    fn names(&self) -> Vec<String>;
    /// The names most like one that is written, one a scope.
    fn alike(&self, written: &str) -> Vec<String>;
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Its type.
    pub(crate) ty: Type,
    /// Where it is declared.
    pub(crate) span: Span,
    /// Its documentation.
    pub(crate) doc: Option<Doc>,
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
                TYPES_MISMATCH,
                "`auto` is not possible here: the compiler has nothing to choose it by",
                expr.span,
            )
            .labelled(format!("expected `{wanted}`")),
            (Type::Deferred(_), _) => Diagnostic::error(
                TYPES_DEFERRED,
                "this value exists only once Terraform has made it, but the compiler needs it now",
                expr.span,
            )
            .labelled(format!("expected `{wanted}`, found `{found}`"))
            .help("deferred values may go into `env`, `args` and `output`"),
            _ => {
                let message = format!("expected `{}`, found `{found}`", wanted.set());
                let report = Diagnostic::error(TYPES_MISMATCH, message, expr.span);
                match (self.hidden(found, wanted, expr), self.not_inside(wanted, expr)) {
                    (Some(help), _) => report.help(help),
                    (None, Some(report)) => report,
                    (None, None) => self.mended(report, found, wanted, expr),
                }
            }
        };
        self.reports.add(report);
    }

    /// What to do where a name of the blueprint stands before the word that is meant.
    fn hidden(&self, found: &Type, wanted: &Type, expr: &Expr) -> Option<String> {
        let ExprKind::Name(name) = &expr.kind else { return None };
        let meant = wanted.arms().iter().any(|arm| match arm.bare() {
            Type::Ctor(ctor) => *ctor.name == **name,
            _ => false,
        });
        meant.then(|| format!("the {found} `{name}` hides the word `{name}`: give it another name"))
    }

    /// Where a noun inside of another is wanted, and a field of that one is called as it is written: `a3m.gpus` of a cluster whose
    /// pool has another name.
    fn not_inside(&self, wanted: &Type, expr: &Expr) -> Option<Diagnostic> {
        let ExprKind::Member(base, Some(member)) = &expr.kind else { return None };
        let ExprKind::Name(base) = &base.kind else { return None };
        let Type::Block(block) = self.outer.name(base)?.ty.bare().clone() else { return None };
        let fitting = block.children.iter().filter(|(_, child)| child.fits(wanted));
        let fitting: Vec<&str> = fitting.map(|(name, _)| &**name).collect();
        let message = format!("nothing inside of `{base}` that fits is called `{}`", member.value);
        let report = Diagnostic::error(fields::NAMES_UNKNOWN_FIELD, message, member.span);
        Some(match (nearest(&member.value, fitting.iter().copied()), fitting.as_slice()) {
            (_, []) => return None,
            (Some(near), _) => report.meant("something", near, member.span),
            (None, [only]) => report.help(format!("what fits is `{only}`")).fix(
                format!("write `{only}`"),
                member.span,
                *only,
            ),
            (None, fitting) => report.help(format!("what fits is `{}`", fitting.join("`, `"))),
        })
    }

    fn may_be_absent(&mut self, expr: &Expr) {
        if self.set.iter().any(|path| path == ANYTHING) {
            return;
        }
        let text = path_of(expr).unwrap_or_else(|| "this".to_owned());
        self.reports.add(
            Diagnostic::error(TYPES_OPTIONAL, format!("`{text}` may be absent here"), expr.span)
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
            TYPES_WORD,
            format!("\"{word}\" is none of {}", list.join(", ")),
            span,
        );
        match nearest(word, words) {
            Some(near) => report.meant_text("a word", near, span),
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
            ExprKind::Call(callee, args) => self.call(expr, callee, args, wanted),
            ExprKind::List(items) => self.list(items, wanted),
            ExprKind::ListFor(rounds) => self.list_for(rounds, wanted),
            ExprKind::Record(entries) => self.record(expr, entries, wanted),
            ExprKind::RecordFor(rounds) => self.record_for(rounds, wanted),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, wanted),
            ExprKind::Binary(op, at, left, right) => self.binary(*op, at.span, left, right, wanted),
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
            let whole = !self.reports.has_error_in(expr.span);
            return if whole { Type::Ctor(ctor) } else { Type::Unknown };
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

    /// Whether a name that is not known may be that of a noun whose head could not be read.
    fn may_be_lost(&self, wanted: Option<&Type>) -> bool {
        let is_noun = |arm: &Type| matches!(arm.bare(), Type::Noun(_) | Type::Unknown);
        self.reports.has_lost_names()
            && wanted.is_none_or(|wanted| wanted.arms().iter().any(is_noun))
    }

    /// Whether a name may be what a misspelt one means: not a noun, where one of another kind is wanted.
    fn may_be_meant(&self, name: &str, wanted: Option<&Type>) -> bool {
        let Some(wanted) = wanted else { return true };
        let is_noun = |ty: &Type| matches!(ty.bare(), Type::Noun(_) | Type::Block(_));
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        let seen = local.map(|(_, seen)| seen.clone()).or_else(|| self.outer.name(name));
        let is_other = |seen: Seen| is_noun(&seen.ty) && !seen.ty.fits(wanted);
        !(wanted.arms().iter().any(is_noun) && seen.is_some_and(is_other))
    }

    fn unknown_name(&mut self, name: &str, span: Span, wanted: Option<&Type>) {
        if self.may_be_lost(wanted) || self.reports.is_missed(name) {
            return;
        }
        let mut known: Vec<String> = self.locals.iter().map(|(name, _)| name.clone()).collect();
        known.extend(self.outer.alike(name));
        known.retain(|it| self.may_be_meant(it, wanted));
        // a word of another language means a name here only where the name begins with it, or it with the name
        let is_like_a_name = nearest(name, known.iter().map(String::as_str))
            .is_some_and(|near| near.starts_with(name) || name.starts_with(near));
        let arms = wanted.map(Type::arms).unwrap_or_default();
        known.extend(arms.iter().filter_map(|arm| match arm {
            Type::Ctor(ctor) => Some(ctor.name.to_string()),
            _ => None,
        }));
        let mut report = Diagnostic::error(NAMES_UNKNOWN, not_called(name), span);
        let words = arms.iter().any(|arm| matches!(arm, Type::Word(word) if &**word == name));
        let truth = match name {
            "yes" | "on" | "True" => Some("true"),
            "no" | "off" | "False" => Some("false"),
            _ => None,
        };
        let neighbour = neighbours::name(name)
            .filter(|_| !is_like_a_name && !wanted.is_some_and(misfit::takes_any_text));
        let truth = truth.filter(|_| arms.iter().any(|arm| matches!(arm.bare(), Type::Bool)));
        if let Some(truth) = truth {
            report = report.help(format!("write `{truth}`")).fix(
                format!("write `{truth}`"),
                span,
                truth,
            );
        } else if words {
            report = report.help(format!("words are written in quotes: \"{name}\"")).fix(
                format!("write \"{name}\""),
                span,
                format!("\"{name}\""),
            );
        } else if let Some(instead) = neighbour {
            report = report.help(instead);
        } else if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
            report = report.meant("something", near, span);
        } else if neighbours::is_variable(name) {
            report = report.help(format!(
                "a variable that the shell puts in is written `${name}`, or `\\${{{name}}}` in a text"
            ));
        } else if functions::find(name).is_some() {
            report = report.help(format!("`{name}` is a function: call it as `{name}(...)`"));
        } else if wanted.is_some_and(misfit::takes_any_text) {
            report = report.help(format!("text is written in quotes: \"{name}\"")).fix(
                "put it in quotes",
                span,
                format!("\"{name}\""),
            );
        }
        self.reports.add_once(report);
    }

    fn list(&mut self, items: &[Expr], wanted: Option<&Type>) -> Type {
        let wanted_item = wanted.and_then(item_of);
        let mut found = Distinct::default();
        for item in items {
            let ty = match &wanted_item {
                Some(wanted) => {
                    self.check(item, wanted);
                    wanted.clone()
                }
                None => self.expr(item, None),
            };
            found.add(ty);
        }
        match wanted_item {
            Some(item) => Type::List(Arc::new(item)),
            None => Type::List(Arc::new(Type::union(found.types))),
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
                        TYPES_MISMATCH,
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
}

/// `a.b.c` as text, for names and members.
pub(crate) fn path_of(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
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
