//! From what was written to what a field holds: defaults filled in, limits checked, names looked up in the catalog.

use super::Evaluation;
use super::operators::whole;
use crate::infer::TYPES_MISMATCH;
use crate::report::one;
use crate::schema::{TYPES_LIMIT, TYPES_PATTERN};
use crate::types::{Ctor, FactKind, Field, Fields, Limit, Named, Type};
use slipform_model::catalog::region_of;
use slipform_model::{Diagnostic, Placed, Record, Value, nearest, similar};
use slipform_source::Span;
use slipform_syntax::tree::{Arg, Expr, ExprKind, StrPart, UnaryOp};
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    CATALOG_MACHINE = "catalog/machine":
        "the catalog knows no such machine type",
        "`slipform catalog machines` lists them; add a new one to `catalog.local.toml`";
    CATALOG_REGION = "catalog/region":
        "the catalog knows no such region",
        "`slipform catalog zones` lists zones by region; add a new one to `catalog.local.toml`";
    CATALOG_ZONE = "catalog/zone":
        "the catalog knows no such zone",
        "`slipform catalog zones` lists them; add a new one to `catalog.local.toml`";
    EVAL_WHOLE = "eval/whole":
        "a quotient that has to be an integer does not come out whole",
        "change one of its sides, or round it with `floor(...)` or `ceil(...)`";
}

impl<'t> Evaluation<'t, '_> {
    /// The value as the type holds it. What does not fit is reported (once) and [`Value::Unknown`].
    pub(crate) fn conform(&mut self, value: Value, ty: &Type, at: Span) -> Value {
        self.conform_named(value, ty, at, None)
    }

    fn conform_named(&mut self, value: Value, ty: &Type, at: Span, name: Option<&Named>) -> Value {
        match (value, ty) {
            (Value::Unknown, _) => Value::Unknown,
            (value, Type::Unknown) => value,
            (value, Type::Named(named)) => {
                self.conform_named(value, &named.definition, at, Some(named))
            }
            (value, Type::Limited(limited)) => {
                let value = self.conform_named(value, &limited.base, at, name);
                self.limit(value, &limited.limit, at, name)
            }
            (Value::Absent, Type::Optional(_)) => Value::Absent,
            (value, Type::Optional(inner)) => self.conform_named(value, inner, at, name),
            (value, Type::Union(arms)) => self.conform_union(value, arms, ty, at, name),
            (value, Type::Deferred(inner)) if !matches!(value, Value::Deferred(_)) => {
                self.conform_named(value, inner, at, name)
            }
            (Value::Int(number), Type::Float) => Value::Float(number as f64),
            // Types let no fraction through but a quotient of integers, which has to come out whole.
            (value @ Value::Float(_), Type::Int) => match whole(value) {
                Value::Float(number) => self.not_whole(number, at),
                whole => whole,
            },
            (Value::List(items), Type::List(item)) => {
                let items = items.iter().map(|placed| Placed {
                    value: self.conform(placed.value.clone(), item, placed.span),
                    span: placed.span,
                });
                Value::List(items.collect())
            }
            (Value::Record(record), Type::Map(key, item)) => self.conform_map(&record, key, item),
            (Value::Record(record), Type::Record(fields)) => {
                self.conform_fields(&record, fields, at).map_or(Value::Unknown, Value::Record)
            }
            (Value::Variant(ctor, record), Type::Ctor(wanted)) if ctor == wanted.name => {
                self.conform_ctor(&record, wanted, at)
            }
            (Value::Str(text), Type::Fact(kind)) => self.conform_fact(text, *kind, at),
            (value, ty) if plain_fits(&value, ty) => value,
            (value, ty) => self.misfit(&value, ty, at),
        }
    }

    fn conform_union(
        &mut self,
        value: Value,
        arms: &[Type],
        whole: &Type,
        at: Span,
        name: Option<&Named>,
    ) -> Value {
        // Words first: a string that is one of them needs no other arm.
        if arms.iter().any(|arm| arm.lists(&value)) {
            return value;
        }
        if let Value::Str(text) = &value
            && let Some(meant) = small_word(text, arms)
        {
            let report =
                Diagnostic::error(CATALOG_REGION, format!("no region is called {text:?}"), at)
                    .help(format!("what holds several regions has small letters: `{meant}`"))
                    .fix(format!("write \"{meant}\""), at, format!("\"{meant}\""));
            self.reports.add_once(report);
            return Value::Unknown;
        }
        // A zone and a region are both strings, told apart by their ends.
        let suits = |arm: &&Type| match (&value, arm.bare()) {
            (Value::Str(text), Type::Fact(FactKind::Zone)) => region_of(text).is_some(),
            (Value::Str(text), Type::Fact(FactKind::Region)) => region_of(text).is_none(),
            _ => true,
        };
        let fitting = || arms.iter().filter(|arm| shape_fits(&value, arm));
        let quotient = || {
            let whole = Value::Int(0);
            let fraction = matches!(value, Value::Float(_));
            arms.iter().find(|arm| fraction && shape_fits(&whole, arm))
        };
        match fitting().find(suits).or_else(|| fitting().next()).or_else(quotient) {
            Some(arm) => self.conform_named(value, arm, at, name),
            None => self.misfit(&value, whole, at),
        }
    }

    fn conform_map(&mut self, record: &Record, key: &Type, item: &Type) -> Value {
        let mut result = Record::default();
        // what is wrong of the other entries is told all the same
        let mut is_known = true;
        for (name, placed) in record {
            let at = self.keys.get(&placed.span).copied().unwrap_or(placed.span);
            is_known &= !matches!(self.conform(Value::Str(name.clone()), key, at), Value::Unknown);
            let value = self.conform(placed.value.clone(), item, placed.span);
            result.insert(name.clone(), Placed { value, span: placed.span });
        }
        if is_known { Value::Record(Arc::new(result)) } else { Value::Unknown }
    }

    fn conform_ctor(&mut self, record: &Record, ctor: &Ctor, at: Span) -> Value {
        match self.conform_fields(record, &ctor.fields, at) {
            Some(fields) => Value::Variant(ctor.name.clone(), fields),
            None => Value::Unknown,
        }
    }

    /// All fields, given or by default; `None` where one is missing (which is reported before).
    fn conform_fields(
        &mut self,
        record: &Record,
        fields: &Fields,
        at: Span,
    ) -> Option<Arc<Record>> {
        let mut found = Vec::with_capacity(fields.0.len());
        for (name, field) in &fields.0 {
            let placed = match record.get(name) {
                Some(placed) => Placed {
                    value: self.conform(placed.value.clone(), &field.written(), placed.span),
                    span: placed.span,
                },
                None => Placed { value: self.default_of(field, at)?, span: at },
            };
            if !matches!(placed.value, Value::Absent) {
                found.push((name.clone(), placed));
            }
        }
        // with room for as many as have a value: most of a constructor's fields are absent
        Some(Arc::new(found.into_iter().collect()))
    }

    /// What a field holds where nothing is written; `None` where something has to be.
    pub(super) fn default_of(&mut self, field: &Field, at: Span) -> Option<Value> {
        let Some(default) = &field.default else {
            return field.ty.is_optional().then_some(Value::Absent);
        };
        if let Some(known) = self.defaults.get(&default.span) {
            return Some(known.clone());
        }
        let value = constant(default, self);
        let value = self.conform(value, &field.written(), at);
        // What holds other values holds their places too, and those differ from noun to noun.
        let holds_others = match &value {
            Value::List(items) => !items.is_empty(),
            Value::Record(fields) | Value::Variant(_, fields) => !fields.is_empty(),
            _ => false,
        };
        if !holds_others {
            self.defaults.insert(default.span, value.clone());
        }
        Some(value)
    }

    /// Whether the default of a field is one value, wherever it stands.
    pub(super) fn is_shared(&self, field: &Field) -> bool {
        field.default.as_ref().is_some_and(|default| self.defaults.contains_key(&default.span))
    }

    fn conform_fact(&mut self, text: Arc<str>, kind: FactKind, at: Span) -> Value {
        match kind {
            FactKind::Machine => {
                if self.catalog.machine(&text).is_some() {
                    return Value::Str(text);
                }
                if self.reports.is_missed(&text) {
                    return Value::Unknown;
                }
                let mut report = Diagnostic::error(
                    CATALOG_MACHINE,
                    format!("the catalog knows no machine type `{text}`"),
                    at,
                );
                // A preset that begins so says more than it was written: that is closer than any misspelling.
                let begun = format!("{}-", text.to_lowercase());
                let longer: Vec<&str> =
                    self.catalog.machine_names().filter(|name| name.starts_with(&begun)).collect();
                let near = match longer.as_slice() {
                    [] => nearest(&text, self.catalog.machine_names()),
                    [one] => Some(*one),
                    several => {
                        let list: Vec<String> =
                            several.iter().take(8).map(|name| format!("`{name}`")).collect();
                        report = report.help(format!("it goes on: {}", list.join(", ")));
                        None
                    }
                };
                if let Some(near) = near {
                    report = report.meant_text("a machine type", near, at);
                }
                self.reports.add(report.help(
                    "a machine type that is newer than the catalog goes into `catalog.local.toml`",
                ));
                Value::Unknown
            }
            FactKind::Zone | FactKind::Region => {
                let (what, known) = match kind {
                    FactKind::Zone => ("zone", self.catalog.has_zone(&text)),
                    _ => ("region", self.catalog.regions().contains(&&*text)),
                };
                if !known && self.reports.is_missed(&text) {
                    return Value::Unknown;
                }
                if !known && !self.reports.has_error_in(at) {
                    self.unknown_place(&text, what, at);
                }
                // what is no place at all is in no region, and nothing is offered there
                if known || has_the_form(&text, what) { Value::Str(text) } else { Value::Unknown }
            }
        }
    }

    /// New zones open every month, so an unknown one is doubtful, not wrong.
    fn unknown_place(&mut self, text: &str, what: &str, at: Span) {
        let known: Vec<String> = match what {
            "zone" => self.catalog.zones(),
            _ => self.catalog.regions().into_iter().map(str::to_owned).collect(),
        };
        let near = match region_of(text).filter(|_| what == "zone") {
            Some(region) => self.zones_meant(text, region, &known),
            None => nearest(text, known.iter().map(String::as_str))
                .into_iter()
                .map(str::to_owned)
                .collect(),
        };
        let code = if what == "zone" { CATALOG_ZONE } else { CATALOG_REGION };
        let mut report = if has_the_form(text, what) {
            Diagnostic::warning(code, format!("the catalog knows no {what} `{text}`"), at)
        } else {
            // it would end in addresses that requests are sent to
            let form = match what {
                "zone" => "`us-east4-a`",
                _ => "`us-east4`",
            };
            Diagnostic::error(code, format!("no {what} is called {text:?}"), at)
                .help(format!("a {what} has small letters and digits, with dashes between: {form}"))
        };
        // Where a name stands for it, it is written elsewhere, and mended there.
        let is_written = at.range().len() == text.len() + "\"\"".len();
        if !is_written && self.reports.says(&report.message) {
            return;
        }
        if !near.is_empty() {
            self.reports.doubt(text, &report.message);
        }
        report = match near.as_slice() {
            [] => report,
            [near] if is_written => report.meant_text(&one(what), near, at),
            [near] => report.help(similar(&one(what), near)),
            several => {
                let region = region_of(text).unwrap_or_default();
                let report = report.help(format!("{region} has {}", several.join(", ")));
                let several = several.iter().filter(|_| is_written);
                several.fold(report, |report, zone| {
                    report.fix(format!("write \"{zone}\""), at, format!("\"{zone}\""))
                })
            }
        };
        self.reports.add_once(report);
    }

    /// The zones that one which nobody knows may mean: those of its region where that is one, and the same of a region that is called so.
    fn zones_meant(&self, text: &str, region: &str, known: &[String]) -> Vec<String> {
        if self.catalog.region(region).is_some() {
            return known.iter().filter(|zone| region_of(zone) == Some(region)).cloned().collect();
        }
        let letter = text.strip_prefix(region).unwrap_or_default();
        let near = nearest(region, self.catalog.regions());
        let zone = near.map(|region| format!("{region}{letter}"));
        zone.filter(|zone| known.contains(zone)).into_iter().collect()
    }

    fn limit(&mut self, value: Value, limit: &Limit, at: Span, name: Option<&Named>) -> Value {
        match (&value, limit) {
            (Value::Int(number), Limit::Between(from, to)) if !(*from..=*to).contains(number) => {
                let message = format!("{number} is not between {from} and {to}");
                self.reports.add(Diagnostic::error(TYPES_LIMIT, message, at));
                Value::Unknown
            }
            (Value::Str(text), Limit::Matching(pattern)) => {
                // A pattern that cannot be read is reported where it is declared.
                if pattern.matches(text).unwrap_or(true) {
                    return value;
                }
                let what = name.map_or_else(
                    || "a value of this field".to_owned(),
                    |named| format!("a `{}`", named.name),
                );
                // words with an example where the type has some, the pattern where not
                let help = match name.and_then(|named| named.doc.as_deref()) {
                    Some(doc) => doc.split("\n\n").next().unwrap_or(doc).replace('\n', " "),
                    None => format!("it must match {}", pattern.text()),
                };
                let report =
                    Diagnostic::error(TYPES_PATTERN, format!("{:?} is not {what}", &**text), at)
                        .help(help);
                self.reports.add(report);
                Value::Unknown
            }
            _ => value,
        }
    }

    fn not_whole(&mut self, number: f64, at: Span) -> Value {
        if !self.reports.has_error_in(at) {
            self.reports.add(
                Diagnostic::error(
                    EVAL_WHOLE,
                    format!("an integer is needed, but this comes out as {number}"),
                    at,
                )
                .help("`floor(...)` and `ceil(...)` round a quotient down and up"),
            );
        }
        Value::Unknown
    }

    fn misfit(&mut self, value: &Value, ty: &Type, at: Span) -> Value {
        // what is not there may be declared where nothing could be read
        let is_lost = self.reports.has_lost_names() && matches!(value, Value::Absent);
        if !is_lost && !self.reports.has_error_in(at) {
            let words: Vec<String> = ty
                .arms()
                .iter()
                .filter_map(|arm| match arm {
                    Type::Word(word) => Some(format!("\"{word}\"")),
                    Type::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect();
            let message = match value {
                Value::Str(_) | Value::Int(_) if !words.is_empty() => {
                    format!("`{value}` is none of {}", words.join(", "))
                }
                Value::Ref(noun) => format!("expected `{ty}`, found {}", one(&noun.kind)),
                Value::Absent => format!("expected `{ty}`, but nothing is set"),
                _ => format!("expected `{ty}`, found {}", value.described()),
            };
            let report = Diagnostic::error(TYPES_MISMATCH, message, at);
            let arms = ty.arms();
            let words = arms.iter().filter_map(|arm| match arm {
                Type::Word(word) => Some(&**word),
                _ => None,
            });
            let near = match value {
                Value::Str(text) => nearest(text, words),
                _ => None,
            };
            self.reports.add(match near {
                Some(near) => report.meant_text("a word", near, at),
                None => report,
            });
        }
        Value::Unknown
    }
}

/// Defaults in declarations are plain: they name nothing.
fn constant(default: &Expr, evaluation: &mut Evaluation<'_, '_>) -> Value {
    match &default.kind {
        ExprKind::Bool(truth) => Value::Bool(*truth),
        ExprKind::Auto => Value::Auto,
        ExprKind::Literal(kind, text) => super::literal(*kind, text),
        ExprKind::Str(parts) => {
            let text: Option<String> = parts
                .iter()
                .map(|part| match part {
                    StrPart::Text(text) => Some(&**text),
                    StrPart::Interp(_) => None,
                })
                .collect();
            text.map_or(Value::Unknown, Value::from)
        }
        ExprKind::List(items) => {
            let items = items
                .iter()
                .map(|item| Placed { value: constant(item, evaluation), span: item.span });
            Value::List(items.collect())
        }
        ExprKind::Record(entries) => {
            let mut record = Record::default();
            for entry in entries {
                if let Some(key) = crate::infer::key_text(&entry.key) {
                    let value = constant(&entry.value, evaluation);
                    record.insert(key.as_str().into(), Placed { value, span: entry.value.span });
                }
            }
            Value::Record(Arc::new(record))
        }
        ExprKind::Name(name) => evaluation.bare_ctor(name),
        ExprKind::Call(callee, args) => constant_call(callee, args, evaluation),
        ExprKind::Unary(UnaryOp::Neg, inner) => match constant(inner, evaluation) {
            Value::Int(number) => Value::Int(-number),
            Value::Float(number) => Value::Float(-number),
            _ => Value::Unknown,
        },
        _ => Value::Unknown,
    }
}

/// A constructor with its arguments; functions are not called in defaults.
fn constant_call(callee: &Expr, args: &[Arg], evaluation: &mut Evaluation<'_, '_>) -> Value {
    let ExprKind::Name(name) = &callee.kind else { return Value::Unknown };
    let Some(ctor) = evaluation.program.schema.ctors.get(name.as_str()).cloned() else {
        return Value::Unknown;
    };
    let mut fields = Record::default();
    for (at, arg) in args.iter().enumerate() {
        let field = match &arg.name {
            Some(name) => ctor.fields.0.get_key_value(name.value.as_str()),
            None => ctor.fields.0.get_index(at),
        };
        if let Some((name, _)) = field {
            let value = constant(&arg.value, evaluation);
            fields.insert(name.clone(), Placed { value, span: arg.value.span });
        }
    }
    Value::Variant(ctor.name.clone(), Arc::new(fields))
}

/// The word beside regions that a text is in other letters: `us` of `"US"`.
fn small_word(text: &str, arms: &[Type]) -> Option<String> {
    let small = text.to_ascii_lowercase();
    let beside = arms.iter().any(|arm| matches!(arm.bare(), Type::Fact(FactKind::Region)));
    let word = Value::Str(small.as_str().into());
    (beside && small != text && arms.iter().any(|arm| arm.lists(&word))).then_some(small)
}

fn plain_fits(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (Value::Bool(_), Type::Bool)
        | (Value::Int(_), Type::Int)
        | (Value::Float(_), Type::Float)
        | (Value::Str(_), Type::Str)
        | (Value::Size(_), Type::Size)
        | (Value::Duration(_), Type::Duration)
        | (Value::Cidr(_), Type::Cidr)
        | (Value::Address(_), Type::Address)
        | (Value::Topology(_), Type::Topology)
        | (Value::Range(_), Type::Range)
        | (Value::Auto, Type::Auto)
        | (Value::Deferred(_), Type::Deferred(_)) => true,
        (Value::Str(text), Type::Word(word)) => text == word,
        (Value::Int(number), Type::Number(known)) => number == known,
        (Value::Ref(noun), Type::Noun(kind)) => noun.kind == *kind,
        (Value::Ref(noun), Type::Block(block)) => block.kind.as_ref() == Some(&noun.kind),
        _ => false,
    }
}

/// Whether an arm of a union is the one that a value is meant for, limits aside.
fn shape_fits(value: &Value, ty: &Type) -> bool {
    match (value, ty) {
        (value, Type::Named(named)) => shape_fits(value, &named.definition),
        (value, Type::Limited(limited)) => shape_fits(value, &limited.base),
        (value, Type::Optional(inner)) => shape_fits(value, inner),
        (value, Type::Union(arms)) => arms.iter().any(|arm| shape_fits(value, arm)),
        (Value::Int(_), Type::Float) => true,
        (Value::Deferred(_), Type::Deferred(_)) => true,
        (Value::Deferred(_), _) => false,
        (Value::List(_), Type::List(_)) | (Value::Record(_), Type::Map(..) | Type::Record(_)) => {
            true
        }
        (Value::Variant(name, _), Type::Ctor(ctor)) => *name == ctor.name,
        (Value::Str(_), Type::Fact(_)) => true,
        (value, ty) => plain_fits(value, ty),
    }
}

/// Whether a text is as zones and regions are called: `us-east4`, `us-east4-a`, `us-south1-ai1b`.
pub(crate) fn has_the_form(text: &str, what: &str) -> bool {
    let region = match text.rsplit_once('-') {
        Some((region, part)) if what == "zone" => {
            let plain = part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
            if !plain || part.is_empty() {
                return false;
            }
            region
        }
        _ => text,
    };
    let (parts, last) = region.rsplit_once('-').unwrap_or_default();
    let letters = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    text.is_empty()
        || text.len() < 64 && parts.split('-').all(is_word) && is_word(letters) && letters != last
}
