//! Operators on values. What is too large, or asks for what is not there, is reported and unknown.

use super::{Evaluation, FrameId};
use crate::types::Type;
use slipform_model::{Duration, Placed, Range, Record, Size, Value};
use slipform_source::Span;
use slipform_syntax::tree::{BinaryOp, Expr, UnaryOp};
use std::cmp::Ordering;
use std::sync::Arc;

slipform_source::codes! {
    pub(crate) CODES;
    EVAL_DIVIDE = "eval/divide":
        "a number is divided by zero",
        "guard it: `if count > 0 { total / count } else { 0 }`";
    EVAL_OVERFLOW = "eval/overflow":
        "the result of a calculation is too large, or below zero where that cannot be",
        "check the values and their units";
    EVAL_RANGE = "eval/range":
        "a range ends before it starts",
        "write the smaller number first: `0..3`";
}

impl<'t> Evaluation<'t, '_> {
    pub(crate) fn unary(&mut self, op: UnaryOp, value: Value, at: Span) -> Value {
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

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        at: Span,
        left: &'t Expr,
        right: &'t Expr,
        frame: FrameId,
    ) -> Value {
        let first = self.eval(left, frame);
        if let Some(value) = decided(op, &first) {
            return value;
        }
        let second = self.eval(right, frame);
        self.operate(op, at, (first, left.span), (second, right.span))
    }

    /// What an operator that stands at `at` makes of two values.
    pub(crate) fn operate(
        &mut self,
        op: BinaryOp,
        at: Span,
        (first, from): (Value, Span),
        (second, to): (Value, Span),
    ) -> Value {
        let walked = matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In);
        if walked && !(self.takes(&first, at) && self.takes(&second, at)) {
            return Value::Unknown;
        }
        match op {
            BinaryOp::And | BinaryOp::Or => joined(op, &first, &second),
            BinaryOp::At => {
                let fields = [("source", first, from), ("path", second, to)];
                let fields = fields
                    .into_iter()
                    .map(|(name, value, span)| (Arc::from(name), Placed { value, span }));
                Value::Variant("mount".into(), Arc::new(fields.collect()))
            }
            BinaryOp::Range => self.range((first, from), (second, to), at),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                self.arithmetic(op, first, second, at)
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::In
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => compared(op, &first, &second).unwrap_or(Value::Unknown),
        }
    }

    fn range(&mut self, from: (Value, Span), to: (Value, Span), at: Span) -> Value {
        match ((whole(from.0), from.1), (whole(to.0), to.1)) {
            ((Value::Int(from), _), (Value::Int(to), _)) if from <= to => {
                Value::Range(Range(from, to))
            }
            ((Value::Int(from), _), (Value::Int(to), _)) => {
                self.reports.error(
                    EVAL_RANGE,
                    format!("the range {from}..{to} is empty: {from} is more than {to}"),
                    at,
                );
                Value::Unknown
            }
            (from, to) => {
                for (end, span) in [from, to] {
                    if matches!(end, Value::Float(_)) {
                        self.conform(end, &Type::Int, span);
                    }
                }
                Value::Unknown
            }
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Value, right: Value, at: Span) -> Value {
        use BinaryOp::{Add, Div, Mul, Rem, Sub};
        let by_zero = matches!(right, Value::Int(0)) && matches!(op, Div | Rem);
        if by_zero && !matches!(left, Value::Unknown | Value::Absent | Value::Auto) {
            self.reports.error(EVAL_DIVIDE, "this divides by zero", at);
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
                let list = Value::List(a.iter().chain(b.iter()).cloned().collect());
                self.kept(list, at)
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
        seconds.map_or_else(|| self.too_large(at), |seconds| Value::Duration(Duration(seconds)))
    }

    fn too_large(&mut self, at: Span) -> Value {
        self.reports.error(
            EVAL_OVERFLOW,
            "the result is too large, or below zero where that cannot be",
            at,
        );
        Value::Unknown
    }
}

/// What `and` and `or` give where the first side decides it.
pub(crate) fn decided(op: BinaryOp, first: &Value) -> Option<Value> {
    match (op, first) {
        (BinaryOp::And, Value::Bool(false)) => Some(Value::Bool(false)),
        (BinaryOp::Or, Value::Bool(true)) => Some(Value::Bool(true)),
        _ => None,
    }
}

/// `and`, `or`: what holds whatever the unknown side is, is known.
fn joined(op: BinaryOp, first: &Value, second: &Value) -> Value {
    match (first, second) {
        (Value::Bool(_), Value::Bool(truth)) => Value::Bool(*truth),
        (Value::Unknown | Value::Absent, Value::Bool(truth)) if *truth == (op == BinaryOp::Or) => {
            Value::Bool(*truth)
        }
        _ => Value::Unknown,
    }
}

/// How two values compare; `None` for an operator that makes something of them. Nothing is reported.
pub(crate) fn compared(op: BinaryOp, first: &Value, second: &Value) -> Option<Value> {
    Some(match op {
        BinaryOp::Eq | BinaryOp::Ne if first.has_unknown() || second.has_unknown() => {
            Value::Unknown
        }
        BinaryOp::Eq | BinaryOp::Ne => Value::Bool(equal(first, second) == (op == BinaryOp::Eq)),
        BinaryOp::In => within(first, second),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => ordered(op, first, second),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::At
        | BinaryOp::Range
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem => return None,
    })
}

/// `<`, `<=`, `>`, `>=`
fn ordered(op: BinaryOp, first: &Value, second: &Value) -> Value {
    let Some(order) = compare(first, second) else { return Value::Unknown };
    Value::Bool(match op {
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    })
}

fn scale(op: BinaryOp, a: u64, b: u64) -> Option<u64> {
    match op {
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// A float that is an integer, as one; anything else as it is.
pub(super) fn whole(value: Value) -> Value {
    // Above, floats are too far apart to say which integer was meant.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Float(number) if number.fract() == 0.0 && number.abs() < EXACT => {
            Value::Int(number as i64)
        }
        value => value,
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
        (_, Value::List(items)) => match items.iter().any(|item| equal(&item.value, found)) {
            false if items.iter().any(|item| item.value.has_unknown()) => Value::Unknown,
            among => Value::Bool(among),
        },
        (Value::Int(number), Value::Range(range)) => Value::Bool(range.contains(*number)),
        (Value::Str(key), Value::Record(record)) => Value::Bool(record.contains_key(&**key)),
        (Value::Cidr(inner), Value::Cidr(outer)) => Value::Bool(outer.contains(inner)),
        (Value::Address(inner), Value::Cidr(outer)) => Value::Bool(outer.contains(inner)),
        (Value::Str(part), Value::Str(text)) => Value::Bool(text.contains(&**part)),
        _ => Value::Unknown,
    }
}
