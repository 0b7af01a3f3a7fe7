//! The values of expressions. Evaluation is total: what cannot be computed is [`Value::Unknown`], and why is
//! reported once. There is no recursion in the language, so its depth is that of the text.

mod conform;
mod expand;
mod fields;

pub(crate) use expand::Instance;

use crate::functions::{self, Call};
use crate::program::{Program, UnitId};
use crate::report::Reports;
use crate::types::Type;
use slipform_model::catalog::Catalog;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Map, NounRef, Placed, Quantity, Range, Record, Size, Value};
use slipform_source::Span;
use slipform_syntax::tree::{
    Arg, Assert, BinaryOp, Comprehension, Entry, Expr, ExprKind, Let, LiteralKind, StrPart, UnaryOp,
};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many rounds and nouns one blueprint may expand to.
pub const MAX_EXPANSION: u64 = 1_000_000;

/// A scope, by its index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FrameId(usize);

/// A scope: names, and the scope around it.
#[derive(Debug)]
struct Frame<'t> {
    outer: Option<FrameId>,
    unit: UnitId,
    names: Map<&'t str, Bound>,
    /// The noun whose fields, facts and parent are names here: in rules.
    noun: Option<NounRef>,
}

/// What a name is bound to.
#[derive(Clone, Debug)]
enum Bound {
    /// Evaluated on demand.
    Lazy(usize),
    /// A value.
    Value(Value),
    /// A noun.
    Noun(NounRef),
    /// What is declared inside a component's use.
    Inside(FrameId),
    /// What a loop declared, by key.
    Group(Vec<(String, Bound)>),
    /// A name of another file.
    Alias(FrameId, String),
    /// A field or a fact of a noun.
    Member(NounRef, Arc<str>),
}

/// An expression that is evaluated when it is asked for.
#[derive(Debug)]
struct Lazy<'t> {
    name: &'t str,
    expr: Option<&'t Expr>,
    frame: FrameId,
    ty: Option<Type>,
    span: Span,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Waiting,
    Active,
    Done(Value),
}

/// Something that an expression stands for: a value, or the inside of a component's use.
enum Thing {
    Value(Value),
    Inside(FrameId),
}

/// Regular expressions, each compiled once.
#[derive(Default)]
struct Patterns(RefCell<BTreeMap<String, regex_lite::Regex>>);

impl Patterns {
    fn matches(&self, text: &str, pattern: &str) -> Result<bool, String> {
        let mut known = self.0.borrow_mut();
        if let Some(known) = known.get(pattern) {
            return Ok(known.is_match(text));
        }
        let compiled = regex_lite::Regex::new(pattern).map_err(|error| error.to_string())?;
        let found = compiled.is_match(text);
        known.insert(pattern.to_owned(), compiled);
        Ok(found)
    }
}

/// Evaluates a program.
pub(crate) struct Evaluation<'t, 'r> {
    pub(crate) program: &'t Program<'t>,
    pub(crate) catalog: &'t Catalog,
    pub(crate) reports: &'r mut Reports,
    /// Every noun, in the order of the blueprint.
    pub(crate) nouns: Vec<Instance<'t>>,
    /// Values given from outside, by parameter.
    pub(crate) given: &'t BTreeMap<String, &'t Expr>,
    /// What follows from the whole blueprint, once that is known.
    pub(crate) plan: Option<Arc<Plan>>,
    /// `assert` and `output` statements, each with its scope; an assert also with the use of the component that it
    /// came out of.
    pub(crate) asserts: Vec<(&'t Assert, FrameId, Option<Span>)>,
    pub(crate) outputs: Vec<(&'t Let, FrameId)>,
    frames: Vec<Frame<'t>>,
    lazies: Vec<Lazy<'t>>,
    file_frames: Vec<FrameId>,
    defaults: BTreeMap<Span, Value>,
    patterns: Patterns,
    expanded: u64,
}

impl<'t, 'r> Evaluation<'t, 'r> {
    pub(crate) fn new(
        program: &'t Program<'t>,
        catalog: &'t Catalog,
        given: &'t BTreeMap<String, &'t Expr>,
        reports: &'r mut Reports,
    ) -> Self {
        Self {
            program,
            catalog,
            reports,
            nouns: Vec::new(),
            given,
            plan: None,
            asserts: Vec::new(),
            outputs: Vec::new(),
            frames: Vec::new(),
            lazies: Vec::new(),
            file_frames: Vec::new(),
            defaults: BTreeMap::new(),
            patterns: Patterns::default(),
            expanded: 0,
        }
    }

    /// The scope of a file.
    pub(crate) fn file_frame(&self, unit: UnitId) -> Option<FrameId> {
        self.file_frames.get(unit.0).copied()
    }

    /// A scope inside another, with these values.
    pub(crate) fn scope(
        &mut self,
        outer: FrameId,
        values: impl IntoIterator<Item = (&'t str, Value)>,
    ) -> FrameId {
        let names = values.into_iter().map(|(name, value)| (name, Bound::Value(value))).collect();
        let unit = self.frames.get(outer.0).map_or(UnitId(0), |frame| frame.unit);
        self.frames.push(Frame { outer: Some(outer), unit, names, noun: None });
        FrameId(self.frames.len() - 1)
    }

    /// A scope in which the fields, the facts and the parent of a noun are names.
    pub(crate) fn noun_scope(&mut self, outer: FrameId, noun: NounRef) -> FrameId {
        let frame = self.scope(outer, []);
        if let Some(frame) = self.frames.get_mut(frame.0) {
            frame.noun = Some(noun);
        }
        frame
    }

    /// Forgets a scope and those made after it.
    pub(crate) fn leave(&mut self, frame: FrameId) {
        self.frames.truncate(frame.0);
    }

    /// Sets a name of a scope.
    pub(crate) fn set(&mut self, frame: FrameId, name: &'t str, value: Value) {
        if let Some(frame) = self.frames.get_mut(frame.0) {
            frame.names.insert(name, Bound::Value(value));
        }
    }

    /// Counts one more round or noun; false once there are too many.
    fn expand_one(&mut self, at: Span) -> bool {
        self.expanded += 1;
        if self.expanded == MAX_EXPANSION + 1 {
            self.reports.add(
                Diagnostic::error(
                    "limits/expansion",
                    format!("the blueprint expands to more than {MAX_EXPANSION} nouns and rounds"),
                    at,
                )
                .help("make the lists that it walks shorter, or split it into several blueprints"),
            );
        }
        self.expanded <= MAX_EXPANSION
    }

    /// The value of an expression in a scope.
    pub(crate) fn eval(&mut self, expr: &'t Expr, frame: FrameId) -> Value {
        match &expr.kind {
            ExprKind::Bool(truth) => Value::Bool(*truth),
            ExprKind::Auto => Value::Auto,
            ExprKind::Literal(kind, text) => literal(*kind, text),
            ExprKind::Str(parts) => self.string(parts, frame),
            ExprKind::Name(_) | ExprKind::Member(..) => match self.thing(expr, frame) {
                Thing::Value(value) => value,
                Thing::Inside(_) => Value::Unknown,
            },
            ExprKind::Index(base, at) => self.element(base, at, frame),
            ExprKind::Call(callee, args) => self.call(expr, callee, args, frame),
            ExprKind::List(items) => {
                let items = items
                    .iter()
                    .map(|item| Placed { value: self.eval(item, frame), span: item.span });
                Value::List(items.collect())
            }
            ExprKind::Record(entries) => self.record(entries, frame),
            ExprKind::ListFor(rounds) => self.list_for(rounds, frame),
            ExprKind::RecordFor(rounds) => self.record_for(rounds, frame),
            ExprKind::Unary(op, inner) => {
                let value = self.eval(inner, frame);
                self.unary(*op, value, expr.span)
            }
            ExprKind::Binary(op, at, left, right) => self.binary(*op, at.span, left, right, frame),
            ExprKind::If(condition, then, otherwise) => match self.eval(condition, frame) {
                Value::Bool(true) => self.eval(then, frame),
                Value::Bool(false) => self.eval(otherwise, frame),
                _ => Value::Unknown,
            },
            ExprKind::IsSet(inner, positive) => match self.eval(inner, frame) {
                Value::Unknown => Value::Unknown,
                Value::Absent | Value::Auto => Value::Bool(!positive),
                _ => Value::Bool(*positive),
            },
            ExprKind::Paren(inner) => self.eval(inner, frame),
            ExprKind::Missing => Value::Unknown,
        }
    }

    /// The value of a name in a scope.
    pub(crate) fn named(&mut self, name: &str, frame: FrameId) -> Value {
        match self.lookup(name, frame).map(|bound| self.bound(bound)) {
            Some(Thing::Value(value)) => value,
            Some(Thing::Inside(_)) | None => Value::Unknown,
        }
    }

    /// Evaluates every name that nothing asked for, so that its mistakes are found too.
    pub(crate) fn force_all(&mut self) {
        let mut at = 0;
        while at < self.lazies.len() {
            self.force(at);
            at += 1;
        }
    }

    /// The value of an expression, and where it stands.
    pub(crate) fn placed(&mut self, expr: &'t Expr, frame: FrameId) -> Placed {
        Placed { value: self.eval(expr, frame), span: expr.span }
    }

    fn string(&mut self, parts: &'t [StrPart], frame: FrameId) -> Value {
        let mut text = String::new();
        for part in parts {
            match part {
                StrPart::Text(piece) => text.push_str(piece),
                StrPart::Interp(inner) => match self.eval(inner, frame) {
                    Value::Unknown => return Value::Unknown,
                    Value::Ref(noun) => text
                        .push_str(self.nouns.get(noun.id.0 as usize).map_or("", |noun| &noun.path)),
                    value => text.push_str(&value.to_string()),
                },
            }
        }
        Value::Str(text.into())
    }

    fn thing(&mut self, expr: &'t Expr, frame: FrameId) -> Thing {
        match &expr.kind {
            ExprKind::Name(name) => match self.lookup(name, frame) {
                Some(bound) => self.bound(bound),
                None => Thing::Value(self.bare_ctor(name)),
            },
            ExprKind::Member(base, Some(member)) => match self.thing(base, frame) {
                Thing::Inside(inside) => match self.own_name(inside, &member.value) {
                    Some(bound) => self.bound(bound),
                    None => Thing::Value(Value::Unknown),
                },
                Thing::Value(value) => Thing::Value(self.member(value, &member.value)),
            },
            ExprKind::Paren(inner) => self.thing(inner, frame),
            ExprKind::Member(_, None) => Thing::Value(Value::Unknown),
            _ => Thing::Value(self.eval(expr, frame)),
        }
    }

    fn own_name(&self, frame: FrameId, name: &str) -> Option<Bound> {
        self.frames.get(frame.0)?.names.get(name).cloned()
    }

    fn lookup(&self, name: &str, frame: FrameId) -> Option<Bound> {
        let mut at = Some(frame);
        while let Some(frame) = at {
            let frame = self.frames.get(frame.0)?;
            if let Some(bound) = frame.names.get(name) {
                return Some(bound.clone());
            }
            if let Some(bound) = frame.noun.as_ref().and_then(|noun| self.name_of_noun(noun, name))
            {
                return Some(bound);
            }
            at = frame.outer;
        }
        None
    }

    fn name_of_noun(&self, noun: &NounRef, name: &str) -> Option<Bound> {
        let instance = self.nouns.get(noun.id.0 as usize)?;
        if name == "self" {
            return Some(Bound::Noun(noun.clone()));
        }
        if let Some((name, _)) = instance.kind.fields.0.get_key_value(name) {
            return Some(Bound::Member(noun.clone(), name.clone()));
        }
        let parent = self.nouns.get(instance.parent?.0 as usize)?;
        (*parent.kind.name == *name).then(|| Bound::Noun(parent.noun_ref()))
    }

    fn bound(&mut self, bound: Bound) -> Thing {
        match bound {
            Bound::Member(noun, name) => Thing::Value(self.noun_member(&noun, &name)),
            Bound::Value(value) => Thing::Value(value),
            Bound::Lazy(lazy) => Thing::Value(self.force(lazy)),
            Bound::Noun(noun) => Thing::Value(Value::Ref(noun)),
            Bound::Inside(frame) => Thing::Inside(frame),
            Bound::Alias(frame, name) => match self.own_name(frame, &name) {
                Some(bound) => self.bound(bound),
                None => Thing::Value(Value::Unknown),
            },
            Bound::Group(items) => {
                let mut record = Record::default();
                for (key, item) in items {
                    if let Thing::Value(value @ Value::Ref(_)) = self.bound(item) {
                        let span = self.span_of(&value);
                        record.insert(key.as_str().into(), Placed { value, span });
                    }
                }
                Thing::Value(Value::Record(Arc::new(record)))
            }
        }
    }

    fn span_of(&self, value: &Value) -> Span {
        let noun = match value {
            Value::Ref(noun) => self.nouns.get(noun.id.0 as usize),
            _ => None,
        };
        noun.map_or(Span::new(slipform_source::FileId(0), 0, 0), |noun| noun.header)
    }

    /// Evaluates what waited; a value that needs itself is reported as the path of names that leads back.
    fn force(&mut self, at: usize) -> Value {
        let Some(lazy) = self.lazies.get_mut(at) else { return Value::Unknown };
        match &lazy.state {
            State::Done(value) => return value.clone(),
            State::Active => {
                self.report_cycle(at);
                return Value::Unknown;
            }
            State::Waiting => lazy.state = State::Active,
        }
        let (expr, frame, ty, span) = (lazy.expr, lazy.frame, lazy.ty.clone(), lazy.span);
        let mut value = expr.map_or(Value::Unknown, |expr| self.eval(expr, frame));
        if let Some(ty) = ty {
            value = self.conform(value, &ty, expr.map_or(span, |expr| expr.span));
        }
        if let Some(lazy) = self.lazies.get_mut(at) {
            lazy.state = State::Done(value.clone());
        }
        value
    }

    fn report_cycle(&mut self, at: usize) {
        let Some(lazy) = self.lazies.get(at) else { return };
        let active = self.lazies.iter().filter(|lazy| matches!(lazy.state, State::Active));
        let others: Vec<(&str, Span)> = active
            .filter(|other| other.span != lazy.span)
            .map(|other| (other.name, other.span))
            .collect();
        let mut report = Diagnostic::error(
            "names/cycle",
            format!("`{}` needs its own value", lazy.name),
            lazy.span,
        );
        for (name, span) in others {
            report = report.also(span, format!("through `{name}`"));
        }
        self.reports.add(report);
    }

    fn bare_ctor(&mut self, name: &str) -> Value {
        match self.program.schema.ctors.get(name) {
            Some(ctor) => Value::Variant(ctor.name.clone(), Arc::default()),
            None => Value::Unknown,
        }
    }

    fn member(&mut self, base: Value, name: &str) -> Value {
        match base {
            Value::Ref(noun) => self.noun_member(&noun, name),
            Value::Record(record) | Value::Variant(_, record) => {
                record.get(name).map_or(Value::Absent, |placed| placed.value.clone())
            }
            Value::Absent | Value::Auto => Value::Absent,
            _ => Value::Unknown,
        }
    }

    fn element(&mut self, base: &'t Expr, at: &'t Expr, frame: FrameId) -> Value {
        let found = self.eval(base, frame);
        let key = self.eval(at, frame);
        match (&found, &key) {
            (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
            (Value::List(items), Value::Int(number)) => {
                let item = usize::try_from(*number).ok().and_then(|number| items.get(number));
                match item {
                    Some(item) => item.value.clone(),
                    None => {
                        let message = format!(
                            "there is no element {number}: the list has {}, counted from 0",
                            items.len()
                        );
                        self.reports.error("eval/index", message, at.span);
                        Value::Unknown
                    }
                }
            }
            (Value::Record(record), key) => match record.get(key.to_string().as_str()) {
                Some(placed) => placed.value.clone(),
                None => {
                    let keys: Vec<String> =
                        record.keys().take(8).map(|key| format!("\"{key}\"")).collect();
                    let keys = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
                    let message = format!("there is no \"{key}\" here");
                    self.reports.add(
                        Diagnostic::error("eval/key", message, at.span)
                            .help(format!("the keys are: {keys}")),
                    );
                    Value::Unknown
                }
            },
            _ => Value::Unknown,
        }
    }

    fn record(&mut self, entries: &'t [Entry], frame: FrameId) -> Value {
        let mut record = Record::default();
        for entry in entries {
            let key: Arc<str> = match &entry.key.kind {
                ExprKind::Name(name) => name.as_str().into(),
                _ => match self.eval(&entry.key, frame) {
                    Value::Str(key) => key,
                    _ => return Value::Unknown,
                },
            };
            let placed = self.placed(&entry.value, frame);
            if !matches!(placed.value, Value::Absent) {
                record.insert(key, placed);
            }
        }
        Value::Record(Arc::new(record))
    }

    /// The rounds of a loop: the value of the first name, and of the second where there are two.
    pub(crate) fn rounds(&mut self, items: &Value) -> Vec<(Value, Value)> {
        match items {
            Value::List(items) => items
                .iter()
                .enumerate()
                .map(|(at, item)| (Value::Int(at as i64), item.value.clone()))
                .collect(),
            Value::Record(record) => record
                .iter()
                .map(|(key, item)| (Value::Str(key.clone()), item.value.clone()))
                .collect(),
            Value::Range(Range(from, to)) => {
                let count = to.saturating_sub(*from).clamp(-1, MAX_EXPANSION as i64);
                (0..=count).map(|at| (Value::Int(at), Value::Int(from + at))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn walk(
        &mut self,
        rounds: &'t Comprehension,
        frame: FrameId,
        mut each: impl FnMut(&mut Self, FrameId),
    ) {
        let items = self.eval(&rounds.items, frame);
        for (key, value) in self.rounds(&items) {
            if !self.expand_one(rounds.items.span) {
                return;
            }
            let inner = self.round_frame(&rounds.names, key, value, frame);
            let counts = rounds
                .condition
                .as_ref()
                .is_none_or(|condition| matches!(self.eval(condition, inner), Value::Bool(true)));
            if counts {
                each(self, inner);
            }
            self.frames.truncate(inner.0);
        }
    }

    fn round_frame(
        &mut self,
        names: &'t [slipform_syntax::tree::Name],
        key: Value,
        value: Value,
        frame: FrameId,
    ) -> FrameId {
        match names {
            [one] => self.scope(frame, [(one.value.as_str(), value)]),
            [first, second, ..] => {
                self.scope(frame, [(first.value.as_str(), key), (second.value.as_str(), value)])
            }
            [] => self.scope(frame, []),
        }
    }

    fn list_for(&mut self, rounds: &'t Comprehension, frame: FrameId) -> Value {
        let mut items = Vec::new();
        self.walk(rounds, frame, |this, inner| {
            let placed = this.placed(&rounds.value, inner);
            items.push(placed);
        });
        Value::List(items.into())
    }

    fn record_for(&mut self, rounds: &'t Comprehension, frame: FrameId) -> Value {
        let mut record = Record::default();
        self.walk(rounds, frame, |this, inner| {
            let Some(key) = &rounds.key else { return };
            if let Value::Str(key) = this.eval(key, inner) {
                let placed = this.placed(&rounds.value, inner);
                record.insert(key, placed);
            }
        });
        Value::Record(Arc::new(record))
    }

    fn call(&mut self, expr: &'t Expr, callee: &'t Expr, args: &'t [Arg], frame: FrameId) -> Value {
        let ExprKind::Name(name) = &callee.kind else { return Value::Unknown };
        if let Some(ctor) = self.program.schema.ctors.get(name.as_str()) {
            let mut fields = Record::default();
            for (at, arg) in args.iter().enumerate() {
                let field = match &arg.name {
                    Some(name) => ctor.fields.0.get_key_value(name.value.as_str()),
                    None => ctor.fields.0.get_index(at),
                };
                let placed = self.placed(&arg.value, frame);
                if let (Some((field, _)), false) = (field, matches!(placed.value, Value::Absent)) {
                    fields.insert(field.clone(), placed);
                }
            }
            return Value::Variant(ctor.name.clone(), Arc::new(fields));
        }
        let Some(function) = functions::find(name) else { return Value::Unknown };
        let args: Vec<Placed> = args.iter().map(|arg| self.placed(&arg.value, frame)).collect();
        if args
            .iter()
            .any(|arg| arg.value.has_unknown() || matches!(arg.value, Value::Absent | Value::Auto))
        {
            return Value::Unknown;
        }
        let whole = self.plan.is_some();
        let nouns = &self.nouns;
        let all = |kind: &str| {
            let of_kind = nouns.iter().filter(|noun| &*noun.kind.name == kind);
            whole.then(|| of_kind.map(Instance::noun_ref).collect())
        };
        let matches = |text: &str, pattern: &str| self.patterns.matches(text, pattern);
        let call = Call { catalog: self.catalog, all: &all, matches: &matches, span: expr.span };
        match (function.eval)(&call, &args) {
            Ok(value) => value,
            Err(message) => {
                self.reports.error("eval/function", message, expr.span);
                Value::Unknown
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, value: Value, at: Span) -> Value {
        match (op, value) {
            (UnaryOp::Not, Value::Bool(truth)) => Value::Bool(!truth),
            (UnaryOp::Neg, Value::Int(number)) => match number.checked_neg() {
                Some(number) => Value::Int(number),
                None => self.too_large(at),
            },
            (UnaryOp::Neg, Value::Float(number)) => Value::Float(-number),
            _ => Value::Unknown,
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        left: &'t Expr,
        right: &'t Expr,
        frame: FrameId,
    ) -> Value {
        let first = self.eval(left, frame);
        match (op, &first) {
            (BinaryOp::And, Value::Bool(false)) => return Value::Bool(false),
            (BinaryOp::Or, Value::Bool(true)) => return Value::Bool(true),
            _ => {}
        }
        let second = self.eval(right, frame);
        match op {
            BinaryOp::And | BinaryOp::Or => match (first, second) {
                (Value::Bool(_), Value::Bool(truth)) => Value::Bool(truth),
                // What holds whatever the unknown side is.
                (Value::Unknown | Value::Absent, Value::Bool(truth))
                    if truth == (op == BinaryOp::Or) =>
                {
                    Value::Bool(truth)
                }
                _ => Value::Unknown,
            },
            BinaryOp::At => {
                let fields = [("source", first, left.span), ("path", second, right.span)];
                let fields = fields
                    .into_iter()
                    .map(|(name, value, span)| (Arc::from(name), Placed { value, span }));
                Value::Variant("mount".into(), Arc::new(fields.collect()))
            }
            BinaryOp::Range => match (first, second) {
                (Value::Int(from), Value::Int(to)) if from <= to => Value::Range(Range(from, to)),
                (Value::Int(from), Value::Int(to)) => {
                    self.reports.error(
                        "eval/range",
                        format!("the range {from}..{to} is empty: {from} is more than {to}"),
                        at,
                    );
                    Value::Unknown
                }
                _ => Value::Unknown,
            },
            BinaryOp::Eq | BinaryOp::Ne => {
                if first.has_unknown() || second.has_unknown() {
                    return Value::Unknown;
                }
                Value::Bool(equal(&first, &second) == (op == BinaryOp::Eq))
            }
            BinaryOp::In => within(&first, &second),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                match compare(&first, &second) {
                    Some(order) => Value::Bool(match op {
                        BinaryOp::Lt => order.is_lt(),
                        BinaryOp::Le => order.is_le(),
                        BinaryOp::Gt => order.is_gt(),
                        _ => order.is_ge(),
                    }),
                    None => Value::Unknown,
                }
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.arithmetic(op, first, second, at)
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value, at: Span) -> Value {
        use BinaryOp::{Add, Div, Mul, Rem, Sub};
        let by_zero = matches!(right, Value::Int(0)) && matches!(op, Div | Rem);
        if by_zero && !matches!(left, Value::Unknown | Value::Absent | Value::Auto) {
            self.reports.error("eval/divide", "this divides by zero", at);
            return Value::Unknown;
        }
        match (left, right) {
            (Value::Int(a), Value::Int(b)) => {
                let result = match op {
                    Add => a.checked_add(b),
                    Sub => a.checked_sub(b),
                    Mul => a.checked_mul(b),
                    Rem => a.checked_rem(b),
                    _ if a.checked_rem(b) == Some(0) => a.checked_div(b),
                    _ => return Value::Float(a as f64 / b as f64),
                };
                result.map_or_else(|| self.too_large(at), Value::Int)
            }
            (Value::Size(a), Value::Size(b)) => match op {
                Add => self.size(a.0.checked_add(b.0), at),
                Sub => self.size(a.0.checked_sub(b.0), at),
                _ => Value::Float(a.0 as f64 / b.0 as f64),
            },
            (Value::Duration(a), Value::Duration(b)) => match op {
                Add => self.seconds(a.0.checked_add(b.0), at),
                Sub => self.seconds(a.0.checked_sub(b.0), at),
                _ => Value::Float(a.0 as f64 / b.0 as f64),
            },
            (Value::Size(a), Value::Int(b)) | (Value::Int(b), Value::Size(a)) => {
                let result = u64::try_from(b).ok().and_then(|b| scale(op, a.0, b));
                self.size(result, at)
            }
            (Value::Duration(a), Value::Int(b)) | (Value::Int(b), Value::Duration(a)) => {
                let result = u64::try_from(b).ok().and_then(|b| scale(op, a.0, b));
                self.seconds(result, at)
            }
            (Value::List(a), Value::List(b)) => {
                Value::List(a.iter().chain(b.iter()).cloned().collect())
            }
            (a, b) => match (number(&a), number(&b)) {
                (Some(a), Some(b)) => Value::Float(match op {
                    Add => a + b,
                    Sub => a - b,
                    Mul => a * b,
                    Div => a / b,
                    _ => a % b,
                }),
                _ => Value::Unknown,
            },
        }
    }

    fn size(&mut self, bytes: Option<u64>, at: Span) -> Value {
        bytes.map_or_else(|| self.too_large(at), |bytes| Value::Size(Size(bytes)))
    }

    fn seconds(&mut self, seconds: Option<u64>, at: Span) -> Value {
        seconds.map_or_else(
            || self.too_large(at),
            |seconds| Value::Duration(slipform_model::Duration(seconds)),
        )
    }

    fn too_large(&mut self, at: Span) -> Value {
        self.reports.error(
            "eval/overflow",
            "the result is too large, or below zero where that cannot be",
            at,
        );
        Value::Unknown
    }
}

fn scale(op: BinaryOp, a: u64, b: u64) -> Option<u64> {
    match op {
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        _ => None,
    }
}

fn literal(kind: LiteralKind, text: &str) -> Value {
    let value = match kind {
        LiteralKind::Int => text.replace('_', "").parse().ok().map(Value::Int),
        LiteralKind::Float => text.replace('_', "").parse().ok().map(Value::Float),
        LiteralKind::Quantity => text.parse().ok().map(|quantity| match quantity {
            Quantity::Size(size) => Value::Size(size),
            Quantity::Duration(duration) => Value::Duration(duration),
        }),
        LiteralKind::Topology => text.parse().ok().map(Value::Topology),
        LiteralKind::Address if text.contains('/') => text.parse().ok().map(Value::Cidr),
        LiteralKind::Address => text.parse().ok().map(Value::Address),
    };
    value.unwrap_or(Value::Unknown)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// Whether two values are the same, wherever they were written.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            number(a) == number(b)
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(&a.value, &b.value))
        }
        (Value::Record(a), Value::Record(b)) => same_entries(a, b),
        (Value::Variant(x, a), Value::Variant(y, b)) => x == y && same_entries(a, b),
        _ => a == b,
    }
}

fn same_entries(a: &Record, b: &Record) -> bool {
    a.len() == b.len()
        && a.iter()
            .all(|(name, item)| b.get(name).is_some_and(|other| equal(&item.value, &other.value)))
}

/// The order of two values of one type that has one.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Size(a), Value::Size(b)) => Some(a.cmp(b)),
        (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        _ => number(a)?.partial_cmp(&number(b)?),
    }
}

fn within(found: &Value, among: &Value) -> Value {
    if found.has_unknown() || matches!(found, Value::Absent | Value::Auto) {
        return Value::Unknown;
    }
    match (found, among) {
        (_, Value::List(items)) => Value::Bool(items.iter().any(|item| equal(&item.value, found))),
        (Value::Int(number), Value::Range(range)) => Value::Bool(range.contains(*number)),
        (Value::Str(key), Value::Record(record)) => Value::Bool(record.contains_key(&**key)),
        (Value::Cidr(inner), Value::Cidr(outer)) => Value::Bool(outer.contains(inner)),
        (Value::Address(inner), Value::Cidr(outer)) => Value::Bool(outer.contains(inner)),
        (Value::Str(part), Value::Str(text)) => Value::Bool(text.contains(&**part)),
        _ => Value::Unknown,
    }
}
