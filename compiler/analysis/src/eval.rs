//! The values of expressions. Evaluation is total: what cannot be computed is [`Value::Unknown`], and why is
//! reported once. There is no recursion in the language, so its depth is that of the text.

pub(crate) mod conform;
pub(crate) mod expand;
pub(crate) mod fields;
mod grown;
pub(crate) mod operators;
pub(crate) mod outside;
pub(crate) mod room;
mod rounds;
mod scopes;
mod settled;

pub(crate) use expand::{Instance, MAX_COMPONENT_DEPTH};
pub(crate) use operators::{compare, compared, decided};
pub(crate) use room::Rounds;
pub(crate) use rounds::{has_rounds, rounds_of};
pub(crate) use scopes::NounScopes;
pub(crate) use settled::{Lowered, Settled};

use grown::Grown;
use room::Room;

use crate::functions::{self, Call, Function};
use crate::pattern::Pattern;
use crate::program::{Program, UnitId};
use crate::project::Project;
use crate::report::Reports;
use crate::schema::Kind;
use crate::types::Type;
use slipform_model::catalog::Catalog;
use slipform_model::plan::Plan;
use slipform_model::{Diagnostic, Map, NounId, NounRef, Placed, Quantity, Record, Value};
use slipform_source::Span;
use slipform_syntax::tree::{Arg, Assert, Entry, Expr, ExprKind, Let, LiteralKind, StrPart};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    EVAL_FUNCTION = "eval/function":
        "a function was given a value that it has no answer for",
        "give it a value of the kind that its description names";
    EVAL_INDEX = "eval/index":
        "a list has no element at this place; the first is 0",
        "use an index below the number of elements";
    EVAL_KEY = "eval/key":
        "a record, or a declaration inside a `for`, has no such key",
        "use one of the keys that the report lists";
}

/// How many rounds and nouns one blueprint may expand to.
pub const MAX_EXPANSION: u64 = 1_000_000;
/// How many expressions may wait for each other's values.
const MAX_DEPTH: usize = 500;

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
    noun: Option<NounId>,
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
    /// A field or a fact of a noun, by its index in the kind. (Nothing shared is cloned to find one: rules look up
    /// many, on several threads.)
    Member(NounId, usize),
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

/// Regular expressions that functions were given, each compiled once.
#[derive(Default)]
struct Patterns(RefCell<Map<Arc<str>, Pattern>>);

impl Patterns {
    fn matches(&self, text: &str, pattern: &str) -> Result<bool, String> {
        let mut known = self.0.borrow_mut();
        let found = match known.get(pattern) {
            Some(known) => known.matches(text),
            None => {
                let pattern: Arc<str> = pattern.into();
                known.entry(pattern.clone()).or_insert_with(|| Pattern::new(pattern)).matches(text)
            }
        };
        found.map_err(str::to_owned)
    }
}

/// Evaluates a program.
pub(crate) struct Evaluation<'t, 'r> {
    pub(crate) program: &'t Program<'t>,
    pub(crate) catalog: &'t Arc<Catalog>,
    /// The name of the blueprint.
    pub(crate) blueprint: &'t str,
    /// What stands before the names of what is made.
    pub(crate) prefix: Option<&'t str>,
    pub(crate) reports: &'r mut Reports,
    /// Every noun, in the order of the blueprint.
    pub(crate) nouns: Grown<'r, Instance<'t>>,
    /// Values given from outside, by parameter.
    pub(crate) given: &'t BTreeMap<String, &'t Expr>,
    /// What follows from the whole blueprint, once that is known.
    pub(crate) plan: Option<Arc<Plan>>,
    /// `assert` and `output` statements, each with its scope; an assert also with the use of the component that it
    /// came out of.
    pub(crate) asserts: Vec<(&'t Assert, FrameId, Option<Span>)>,
    pub(crate) outputs: Vec<(&'t Let, FrameId)>,
    frames: Grown<'r, Frame<'t>>,
    lazies: Grown<'r, Lazy<'t>>,
    /// Facts that were asked for, of each noun.
    facts: Map<NounId, Vec<(usize, Value)>>,
    file_frames: Vec<FrameId>,
    defaults: Map<Span, Value>,
    /// What the fields of each kind that was met hold where they are not written.
    unwritten: Vec<(Arc<Kind>, Arc<[settled::Unwritten]>)>,
    /// Where the keys of records stand, by their values.
    keys: Map<Span, Span>,
    patterns: Patterns,
    /// Expressions that wait for the value of the one that is evaluated.
    depth: usize,
    room: Room,
    named: expand::Named,
    /// Declarations that may be called something else outside of the blueprint.
    called: Grown<'r, outside::Called<'t>>,
    /// What is evaluated is read outside of the blueprint, where nouns are called as there.
    pub(crate) outward: bool,
}

impl<'t, 'r> Evaluation<'t, 'r> {
    pub(crate) fn new(
        program: &'t Program<'t>,
        catalog: &'t Arc<Catalog>,
        project: &'t Project,
        given: &'t BTreeMap<String, &'t Expr>,
        reports: &'r mut Reports,
    ) -> Self {
        Self {
            program,
            catalog,
            blueprint: &project.name,
            prefix: project.prefix.as_deref(),
            reports,
            nouns: Grown::default(),
            given,
            plan: None,
            asserts: Vec::new(),
            outputs: Vec::new(),
            frames: Grown::default(),
            lazies: Grown::default(),
            facts: Map::default(),
            file_frames: Vec::new(),
            defaults: Map::default(),
            unwritten: Vec::new(),
            keys: Map::default(),
            patterns: Patterns::default(),
            depth: 0,
            room: Room::of_a_blueprint(),
            named: expand::Named::default(),
            called: Grown::default(),
            outward: false,
        }
    }

    /// A second evaluation over everything that is known, to go on from here on its own. Nothing that this one knows
    /// may wait to be evaluated.
    pub(crate) fn fork<'b>(&'b self, reports: &'b mut Reports) -> Evaluation<'t, 'b> {
        Evaluation {
            program: self.program,
            catalog: self.catalog,
            blueprint: self.blueprint,
            prefix: self.prefix,
            reports,
            nouns: self.nouns.fork(),
            given: self.given,
            plan: self.plan.clone(),
            asserts: Vec::new(),
            outputs: Vec::new(),
            frames: self.frames.fork(),
            lazies: self.lazies.fork(),
            facts: Map::default(),
            file_frames: self.file_frames.clone(),
            defaults: Map::default(),
            unwritten: Vec::new(),
            keys: Map::default(),
            patterns: Patterns::default(),
            depth: self.depth,
            room: Room::of_rules(self.nouns.len()),
            named: expand::Named::default(),
            called: self.called.fork(),
            outward: false,
        }
    }

    /// The scope of a file.
    pub(crate) fn file_frame(&self, unit: UnitId) -> Option<FrameId> {
        self.file_frames.get(unit.0).copied()
    }

    /// The value of an expression in a scope.
    pub(crate) fn eval(&mut self, expr: &'t Expr, frame: FrameId) -> Value {
        if self.depth >= MAX_DEPTH {
            self.too_deep(expr.span);
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.evaluate(expr, frame);
        self.depth -= 1;
        value
    }

    fn evaluate(&mut self, expr: &'t Expr, frame: FrameId) -> Value {
        match &expr.kind {
            ExprKind::Bool(truth) => Value::Bool(*truth),
            ExprKind::Auto => Value::Auto,
            ExprKind::Literal(kind, text) => literal(*kind, text),
            ExprKind::Str(parts) => {
                let text = self.string(parts, frame);
                self.kept(text, expr.span)
            }
            ExprKind::Name(_) | ExprKind::Member(..) => match self.thing(expr, frame) {
                Thing::Value(value) => value,
                Thing::Inside(_) => Value::Unknown,
            },
            ExprKind::Index(base, at) => {
                let found = self.eval(base, frame);
                let key = self.eval(at, frame);
                self.element(&found, key, at.span)
            }
            ExprKind::Call(callee, args) => self.call(expr, callee, args, frame),
            ExprKind::List(items) => {
                let items = items
                    .iter()
                    .map(|item| Placed { value: self.eval(item, frame), span: item.span });
                let list = Value::List(items.collect());
                self.kept(list, expr.span)
            }
            ExprKind::Record(entries) => {
                let record = self.record(entries, frame);
                self.kept(record, expr.span)
            }
            ExprKind::ListFor(rounds) => {
                let list = self.list_for(rounds, frame);
                self.kept(list, expr.span)
            }
            ExprKind::RecordFor(rounds) => {
                let record = self.record_for(rounds, frame);
                self.kept(record, expr.span)
            }
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
            ExprKind::IsSet(inner, positive) => is_set(&self.eval(inner, frame), *positive),
            ExprKind::Paren(inner) => self.eval(inner, frame),
            ExprKind::Missing => Value::Unknown,
        }
    }

    /// The value of an expression, and where it stands.
    pub(crate) fn placed(&mut self, expr: &'t Expr, frame: FrameId) -> Placed {
        Placed { value: self.eval(expr, frame), span: expr.span }
    }

    fn string(&mut self, parts: &'t [StrPart], frame: FrameId) -> Value {
        if let [StrPart::Text(text)] = parts {
            return Value::Str(text.clone());
        }
        let mut text = String::new();
        for part in parts {
            match part {
                StrPart::Text(piece) => text.push_str(piece),
                StrPart::Interp(inner) => {
                    let value = self.eval(inner, frame);
                    if !self.tell(&value, &mut text) {
                        return Value::Unknown;
                    }
                }
            }
        }
        Value::Str(text.into())
    }

    /// Puts a value into a text; false where that cannot be.
    pub(crate) fn tell(&mut self, value: &Value, text: &mut String) -> bool {
        match value {
            Value::Unknown => return false,
            // That it cannot be put into a text is reported; what comes of it is not understood.
            value if value.has_deferred() => return false,
            Value::Ref(noun) => text.push_str(&self.told(noun.id)),
            value => text.push_str(&value.to_string()),
        }
        true
    }

    /// A noun in a text: of a message, or of what is handed on.
    fn told(&mut self, noun: NounId) -> String {
        if self.outward {
            return self.outside(noun).map_or_else(String::new, |outside| outside.path);
        }
        self.nouns.get(noun.0 as usize).map_or_else(String::new, |it| it.path.clone())
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

    fn bare_ctor(&self, name: &str) -> Value {
        match self.program.schema.ctors.get(name) {
            Some(ctor) => Value::Variant(ctor.name.clone(), Arc::default()),
            None => Value::Unknown,
        }
    }

    /// What a value has under a name.
    pub(crate) fn member(&mut self, base: Value, name: &str) -> Value {
        match base {
            Value::Ref(noun) => self.noun_member(noun.id, name),
            Value::Record(record) | Value::Variant(_, record) => {
                record.get(name).map_or(Value::Absent, |placed| placed.value.clone())
            }
            Value::Absent | Value::Auto => Value::Absent,
            _ => Value::Unknown,
        }
    }

    /// What a value has at a place, or under a key, which stands at `at`.
    pub(crate) fn element(&mut self, found: &Value, key: Value, at: Span) -> Value {
        let key = operators::whole(key);
        match (found, &key) {
            (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
            (Value::List(_), Value::Float(_)) => self.conform(key, &Type::Int, at),
            (Value::List(items), Value::Int(number)) => {
                let item = usize::try_from(*number).ok().and_then(|number| items.get(number));
                match item {
                    Some(item) => item.value.clone(),
                    None => {
                        let message = format!(
                            "there is no element {number}: the list has {}, counted from 0",
                            items.len()
                        );
                        self.reports.error(EVAL_INDEX, message, at);
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
                        Diagnostic::error(EVAL_KEY, message, at)
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
            self.keys.insert(placed.span, entry.key.span);
            if !matches!(placed.value, Value::Absent) {
                record.insert(key, placed);
            }
        }
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
                // Which field was meant is not known, so neither is what it has in place of its default.
                let Some((field, _)) = field else { return Value::Unknown };
                let placed = self.placed(&arg.value, frame);
                if !matches!(placed.value, Value::Absent) {
                    fields.insert(field.clone(), placed);
                }
            }
            let variant = Value::Variant(ctor.name.clone(), Arc::new(fields));
            return self.kept(variant, expr.span);
        }
        let Some(function) = functions::find(name) else { return Value::Unknown };
        let args: Vec<Value> = args.iter().map(|arg| self.eval(&arg.value, frame)).collect();
        self.apply(function, &args, expr.span)
    }

    /// What a function gives for arguments, where it is called at `at`.
    pub(crate) fn apply(&mut self, function: &Function, args: &[Value], at: Span) -> Value {
        if !args.iter().all(|arg| self.takes(arg, at)) {
            return Value::Unknown;
        }
        let open = |arg: &Value| arg.has_unknown() || matches!(arg, Value::Absent | Value::Auto);
        if args.iter().any(open) {
            return Value::Unknown;
        }
        let whole = self.plan.is_some();
        let nouns = &self.nouns;
        let all = |kind: &str| {
            let of_kind = nouns.iter().filter(|noun| &*noun.kind.name == kind);
            whole.then(|| of_kind.map(Instance::noun_ref).collect())
        };
        let matches = |text: &str, pattern: &str| self.patterns.matches(text, pattern);
        let call = Call { catalog: self.catalog, all: &all, matches: &matches, span: at };
        match (function.eval)(&call, args) {
            Ok(value) => self.kept(value, at),
            Err(message) => {
                self.reports.error(EVAL_FUNCTION, message, at);
                Value::Unknown
            }
        }
    }
}

/// Whether a value is set, or is not, where that is asked.
pub(crate) fn is_set(value: &Value, positive: bool) -> Value {
    match value {
        Value::Unknown => Value::Unknown,
        Value::Absent | Value::Auto => Value::Bool(!positive),
        _ => Value::Bool(positive),
    }
}

/// What a literal stands for.
pub(crate) fn literal(kind: LiteralKind, text: &str) -> Value {
    let value = match kind {
        LiteralKind::Int => digits(text).parse().ok().map(Value::Int),
        LiteralKind::Float => digits(text).parse().ok().map(Value::Float),
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

/// A number without the `_` between its digits.
fn digits(text: &str) -> Cow<'_, str> {
    if text.contains('_') { text.replace('_', "").into() } else { text.into() }
}
