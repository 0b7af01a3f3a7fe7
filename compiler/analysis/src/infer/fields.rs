//! Records and calls: values that are put together field by field.

use super::Infer;
use super::misfit::forms;
use super::neighbours::{self, Instead};
use crate::check::nouns::TYPES_MISSING_FIELD;
use crate::functions;
use crate::infer::NAMES_UNKNOWN;
use crate::schema::{NAMES_DUPLICATE, WAS};
use crate::types::{Ctor, Field, Fields, Type};
use slipform_model::{Diagnostic, nearest};
use slipform_source::Span;
use slipform_syntax::tree::{Arg, Entry, Expr, ExprKind, StrPart};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    NAMES_NOT_A_FUNCTION = "names/not-a-function":
        "something is called that is neither a function nor a constructor",
        "leave the parentheses out";
    pub(crate) NAMES_UNKNOWN_FIELD = "names/unknown-field":
        "there is no field of this name",
        "check the spelling, or look at the fields of the kind in the reference";
    TYPES_ARGUMENT = "types/argument":
        "a function or constructor is called with wrong arguments",
        "call it as the report shows";
}

impl Infer<'_> {
    pub(super) fn record(&mut self, expr: &Expr, entries: &[Entry], wanted: Option<&Type>) -> Type {
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
                            NAMES_DUPLICATE,
                            format!("the key `{key}` is written twice"),
                            entry.key.span,
                        )
                        .also(first.span, "first written here")
                        .left_out(),
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
        let (mut written, mut meant): (Vec<String>, Vec<String>) = Default::default();
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
                    let known: Vec<&str> = wanted.0.keys().map(|name| &**name).collect();
                    meant.extend(field_meant(&key, &known).map(str::to_owned));
                    let report = unknown_field(&key, "this record", entry.key.span, known);
                    self.reports.add(report);
                }
            }
            if written.contains(&key) {
                self.reports.error(
                    NAMES_DUPLICATE,
                    format!("the key `{key}` is written twice"),
                    entry.key.span,
                );
            }
            written.push(key);
        }
        // what is misspelt is there
        written.extend(meant);
        self.missing(whole, wanted, &written, "this record");
    }

    fn missing(&mut self, whole: Span, wanted: &Fields, written: &[String], of: &str) {
        // what could not be read may be what is missing
        if self.reports.has_error_of("syntax/", whole) {
            return;
        }
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
                TYPES_MISSING_FIELD,
                format!("{of} needs {}", missing.join(" and ")),
                whole,
            );
        }
    }

    pub(super) fn call(
        &mut self,
        expr: &Expr,
        callee: &Expr,
        args: &[Arg],
        wanted: Option<&Type>,
    ) -> Type {
        let ExprKind::Name(name) = &callee.kind else {
            self.expr(callee, None);
            self.arguments_alone(args);
            self.reports.error(
                NAMES_NOT_A_FUNCTION,
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
                            Diagnostic::error(TYPES_ARGUMENT, message, expr.span)
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
            NAMES_UNKNOWN,
            format!("there is no function or constructor `{name}`"),
            callee.span,
        );
        if let Some(near) = nearest(name, known) {
            report = report.meant("a function or constructor", near, callee.span);
        } else if let Some(instead) = neighbours::function(name) {
            report = report.help(instead);
        } else if let Some(forms) = wanted.and_then(forms) {
            report = report.help(forms);
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
    pub(super) fn arguments(&mut self, whole: Span, ctor: &Ctor, args: &[Arg]) {
        let (mut written, mut meant): (Vec<String>, Vec<String>) = Default::default();
        for (at, arg) in args.iter().enumerate() {
            let field = match &arg.name {
                Some(name) => ctor.fields.0.get_key_value(name.value.as_str()),
                None => ctor.fields.0.get_index(at),
            };
            let Some((name, field)) = field else {
                self.expr(&arg.value, None);
                let report = match &arg.name {
                    Some(name) => {
                        let known = || ctor.fields.0.keys().map(|name| &**name);
                        let all: Vec<&str> = known().collect();
                        meant.extend(field_meant(&name.value, &all).map(str::to_owned));
                        unknown_field(&name.value, &format!("`{}`", ctor.name), name.span, known())
                    }
                    None => Diagnostic::error(
                        TYPES_ARGUMENT,
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
                let message = format!("`{name}` is given twice");
                let report = Diagnostic::error(NAMES_DUPLICATE, message, arg.value.span);
                self.reports.add(report.left_out());
            }
            written.push(name.to_string());
        }
        // What is misspelt is there.
        written.extend(meant);
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
        Diagnostic::error(NAMES_UNKNOWN_FIELD, format!("{of} has no field `{name}`"), span);
    let report = match neighbours::field(name) {
        Some(Instead { help, field: Some(field), is_alike: true }) if known.contains(&field) => {
            return report.help(help).fix(format!("write `{field}`"), span, field);
        }
        Some(instead) => return report.help(instead.help),
        None => report,
    };
    match field_meant(name, &known) {
        Some(near) => report.meant("a field", near, span),
        None if known.is_empty() => report.help("it has no fields"),
        None => report.help(format!("its fields are {}", quoted(&known))),
    }
}

/// The fields that are there under another name: what is written and is no field is called almost as they are, or shorter.
pub(crate) fn misspelt_fields<'k, 'w>(
    fields: &'k Fields,
    written: impl Iterator<Item = &'w str> + Clone,
) -> Vec<&'k str> {
    let strange: Vec<&str> =
        written.clone().filter(|name| !fields.0.contains_key(*name) && *name != WAS).collect();
    if strange.is_empty() {
        return Vec::new();
    }
    let settable = fields.0.iter().filter(|(_, field)| !field.derived).map(|(name, _)| &**name);
    let unset: Vec<&str> = settable.filter(|name| written.clone().all(|it| it != *name)).collect();
    strange.into_iter().filter_map(|name| field_meant(name, &unset)).collect()
}

/// The field that a name which is none probably means.
fn field_meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let is = |meant: &str| known.iter().find(|known| **known == meant).copied();
    let instead = || neighbours::field(name).and_then(|it| it.field).and_then(is);
    let near = nearest(name, known.iter().copied()).or_else(instead);
    near.or_else(|| in_full(name, known)).or_else(|| in_words(name, known))
}

/// The one name that stands in another, whole words of it: `machine` in `machine_type`, `nodes` in `node_count`.
fn in_words<'k>(long: &str, known: &[&'k str]) -> Option<&'k str> {
    let words = |name: &str| -> Vec<String> {
        name.split(['_', '-']).map(|word| word.trim_end_matches('s').to_lowercase()).collect()
    };
    if !long.contains(['_', '-']) {
        return None;
    }
    let written = words(long);
    let mut meant = known.iter().filter(|name| {
        let own = words(name);
        written.windows(own.len()).any(|some| some == own.as_slice())
    });
    meant.next().filter(|_| meant.next().is_none()).copied()
}

/// The one name that another shortens: `image`, for `img`.
fn in_full<'k>(short: &str, known: &[&'k str]) -> Option<&'k str> {
    let mut meant = known.iter().filter(|name| {
        let mut letters = name.chars();
        let has_all = short.chars().all(|letter| letters.any(|it| it == letter));
        has_all && name.chars().next() == short.chars().next()
    });
    meant.next().filter(|_| meant.next().is_none()).copied()
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The key of a record's entry, where it is plain.
pub(crate) fn key_text(key: &Expr) -> Option<String> {
    match &key.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Str(parts) => match parts.as_slice() {
            [StrPart::Text(text)] => Some(text.to_string()),
            [] => Some(String::new()),
            _ => None,
        },
        _ => None,
    }
}
