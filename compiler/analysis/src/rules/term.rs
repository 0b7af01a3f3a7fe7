//! Expressions of rules with their names resolved. A rule is tried on many nouns: which field, fact or value a name means is
//! found out once a kind.

use super::subject::Subject;
use crate::eval::{Evaluation, compared, decided, is_set, literal, rounds_of};
use crate::functions::{self, Function};
use crate::pattern::Pattern;
use crate::program::UnitId;
use crate::schema::Kind;
use slipform_model::{Placed, Value};
use slipform_source::Span;
use slipform_syntax::tree::{
    Arg, BinaryOp, Comprehension, Expr, ExprKind, Lexeme, Name, StrPart, UnaryOp,
};

/// The function that looks for a regular expression.
const MATCHES: &str = "matches";

/// An expression, for the nouns of one kind. Equal ones have the same value for each of them, and as much to report.
#[derive(PartialEq, Debug)]
pub(super) enum Term<'t> {
    /// The same for every noun.
    Value(Value),
    /// A field or a fact of the noun, by its index in the kind.
    Field(usize),
    /// The noun.
    Own,
    /// What the noun is declared in.
    Parent,
    /// What a `let` or a round has named, by its place among all that the rule names.
    Named(usize),
    /// What there is to go through by a premise, by its place.
    Premise(usize),
    Member(Box<Self>, &'t str),
    Element(Box<[Self; 2]>, At),
    Call(&'static Function, Box<[Self]>, At),
    /// `matches(text, "...")`, which most rules ask: its regular expression is found once.
    Matches(Box<Matches<'t>>),
    Unary(UnaryOp, Box<Self>, At),
    Binary(BinaryOp, Box<[Self; 2]>, At),
    If(Box<[Self; 3]>),
    IsSet(Box<Self>, bool),
    Text(Vec<Piece<'t>>),
    Listed(Box<Listed<'t>>),
    /// Anything else, as it is written: evaluated in a scope of its file with what the rule has named so far.
    Written(&'t Expr, UnitId, Vec<&'t str>),
}

/// Where a term stands that may have something to report.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    span: Span,
    reports: bool,
}

/// What never reports anything is the same wherever it stands.
impl PartialEq for At {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span || !self.reports && !other.reports
    }
}

/// A piece of a text.
#[derive(PartialEq, Debug)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    Term(Term<'t>),
}

/// Whether a text has what a regular expression finds that is written out.
#[derive(Debug)]
pub(super) struct Matches<'t> {
    of: Term<'t>,
    pattern: Pattern,
    function: &'static Function,
    at: At,
}

impl PartialEq for Matches<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of && self.pattern.text() == other.pattern.text() && self.at == other.at
    }
}

/// A list of what rounds come to.
#[derive(PartialEq, Debug)]
pub(super) struct Listed<'t> {
    pub(super) names: usize,
    pub(super) items: Term<'t>,
    pub(super) condition: Option<Term<'t>>,
    pub(super) value: Term<'t>,
    /// Where the items, the value and all of it stand.
    at: [Span; 3],
}

/// Finds what the names in expressions of one file mean, for the nouns of one kind.
pub(super) struct Reader<'r, 't, 'b> {
    evaluation: &'r Evaluation<'t, 'b>,
    kind: &'r Kind,
    unit: UnitId,
    /// What the rule has named so far.
    pub(super) names: Vec<&'t str>,
}

impl<'r, 't, 'b> Reader<'r, 't, 'b> {
    pub(super) fn new(evaluation: &'r Evaluation<'t, 'b>, kind: &'r Kind, unit: UnitId) -> Self {
        Self { evaluation, kind, unit, names: Vec::new() }
    }

    pub(super) fn term(&mut self, expr: &'t Expr) -> Term<'t> {
        self.known(expr).unwrap_or_else(|| Term::Written(expr, self.unit, self.names.clone()))
    }

    /// The names of a round, for what follows.
    pub(super) fn name(&mut self, names: &'t [Name]) -> usize {
        let before = self.names.len();
        self.names.extend(names.iter().take(2).map(|name| name.value.as_str()));
        self.names.len() - before
    }

    /// Forgets the last names.
    pub(super) fn forget(&mut self, names: usize) {
        self.names.truncate(self.names.len() - names);
    }

    /// The term of an expression; none for what is evaluated as it is written.
    fn known(&mut self, expr: &'t Expr) -> Option<Term<'t>> {
        Some(match &expr.kind {
            ExprKind::Bool(truth) => Term::Value(Value::Bool(*truth)),
            ExprKind::Auto => Term::Value(Value::Auto),
            ExprKind::Literal(kind, text) => Term::Value(literal(*kind, text)),
            ExprKind::Str(parts) => self.text(parts),
            ExprKind::Name(name) => return self.named(name),
            ExprKind::Member(of, Some(name)) => Term::Member(self.known(of)?.into(), &name.value),
            ExprKind::Index(of, key) => {
                Term::Element([self.term(of), self.term(key)].into(), At::telling(key.span))
            }
            ExprKind::Call(called, args) => return self.call(called, args, expr.span),
            ExprKind::List(items) => Term::Value(self.list(items)?),
            ExprKind::ListFor(rounds) => Term::Listed(self.listed(rounds, expr.span).into()),
            ExprKind::Unary(op, of) => {
                let at = At { span: expr.span, reports: *op != UnaryOp::Not };
                Term::Unary(*op, self.term(of).into(), at)
            }
            // Their reports, or their results, tell where each side stands.
            ExprKind::Binary(BinaryOp::At | BinaryOp::Range, ..) => return None,
            ExprKind::Binary(op, word, left, right) => {
                let at = At { span: word.span, reports: may_report(*op) };
                Term::Binary(*op, [self.term(left), self.term(right)].into(), at)
            }
            ExprKind::If(condition, then, otherwise) => {
                let parts = [condition, then, otherwise];
                Term::If(parts.map(|part| self.term(part)).into())
            }
            ExprKind::IsSet(of, positive) => Term::IsSet(self.term(of).into(), *positive),
            ExprKind::Paren(inner) => return self.known(inner),
            ExprKind::Member(_, None) | ExprKind::Missing => Term::Value(Value::Unknown),
            ExprKind::Record(_) | ExprKind::RecordFor(_) => return None,
        })
    }

    /// What a name means: what the rule has named hides what the noun has, and that the names of the file.
    fn named(&self, name: &Lexeme) -> Option<Term<'t>> {
        if let Some(at) = self.names.iter().rposition(|known| *known == name.as_str()) {
            return Some(Term::Named(at));
        }
        if let Some(field) = self.kind.fields.0.get_index_of(name.as_str()) {
            return Some(Term::Field(field));
        }
        if name == "self" {
            return Some(Term::Own);
        }
        if self.kind.parent.as_deref() == Some(name) {
            return Some(Term::Parent);
        }
        self.evaluation.word(name, self.unit).map(Term::Value)
    }

    fn text(&mut self, parts: &'t [StrPart]) -> Term<'t> {
        if let [StrPart::Text(text)] = parts {
            return Term::Value(Value::Str(text.clone()));
        }
        let piece = |part: &'t StrPart| match part {
            StrPart::Text(text) => Piece::Text(text),
            StrPart::Interp(inner) => Piece::Term(self.term(inner)),
        };
        Term::Text(parts.iter().map(piece).collect())
    }

    fn call(&mut self, called: &'t Expr, args: &'t [Arg], span: Span) -> Option<Term<'t>> {
        let ExprKind::Name(name) = &called.kind else { return None };
        let is_ctor = self.evaluation.program.schema.ctors.contains_key(name.as_str());
        let function = functions::find(name).filter(|_| !is_ctor)?;
        let mut args: Vec<Term<'t>> = args.iter().map(|arg| self.term(&arg.value)).collect();
        let at = At { span, reports: !function.total };
        if let (MATCHES, [_, Term::Value(Value::Str(text))]) = (function.name, args.as_slice()) {
            let pattern = Pattern::new(text.clone());
            let of = args.swap_remove(0);
            let at = At { span, reports: !pattern.is_of_library() };
            return Some(Term::Matches(Matches { of, pattern, function, at }.into()));
        }
        Some(Term::Call(function, args.into(), at))
    }

    /// A list of values that are the same for every noun.
    fn list(&mut self, items: &'t [Expr]) -> Option<Value> {
        let mut value = |item: &'t Expr| match self.known(item)? {
            Term::Value(value) => Some(Placed { value, span: item.span }),
            _ => None,
        };
        Some(Value::List(items.iter().map(&mut value).collect::<Option<_>>()?))
    }

    fn listed(&mut self, rounds: &'t Comprehension, span: Span) -> Listed<'t> {
        let Comprehension { names, items, condition, value, key: _ } = rounds;
        let at = [items.span, value.span, span];
        let items = self.term(items);
        let names = self.name(names);
        let condition = condition.as_ref().map(|condition| self.term(condition));
        let value = self.term(value);
        self.forget(names);
        Listed { names, items, condition, value, at }
    }
}

/// Whether an operator may have something to report.
fn may_report(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Range
        | BinaryOp::At => true,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::In
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => false,
    }
}

impl At {
    fn telling(span: Span) -> Self {
        Self { span, reports: true }
    }
}

impl<'t> Term<'t> {
    /// The field or fact that is asked for first, by its index in the kind, where that is seen at once.
    pub(super) fn first_field(&self) -> Option<usize> {
        match self {
            Self::Field(at) => Some(*at),
            Self::Member(of, _) | Self::Unary(_, of, _) | Self::IsSet(of, _) => of.first_field(),
            Self::Element(parts, _) | Self::Binary(_, parts, _) => parts.first()?.first_field(),
            Self::Call(_, args, _) => args.first()?.first_field(),
            Self::Matches(it) => it.of.first_field(),
            Self::If(parts) => parts.first()?.first_field(),
            Self::Listed(listed) => listed.items.first_field(),
            Self::Value(_)
            | Self::Own
            | Self::Parent
            | Self::Named(_)
            | Self::Premise(_)
            | Self::Text(_)
            | Self::Written(..) => None,
        }
    }

    /// Whether it has nothing to report for any noun.
    pub(super) fn is_quiet(&self) -> bool {
        let all = |parts: &[Self]| parts.iter().all(Self::is_quiet);
        match self {
            Self::Value(_)
            | Self::Field(_)
            | Self::Own
            | Self::Parent
            | Self::Named(_)
            | Self::Premise(_) => true,
            Self::Member(of, _) | Self::IsSet(of, _) => of.is_quiet(),
            Self::Element(parts, at) | Self::Binary(_, parts, at) => !at.reports && all(&**parts),
            Self::Call(_, args, at) => !at.reports && all(args),
            Self::Matches(it) => !it.at.reports && it.of.is_quiet(),
            Self::Unary(_, of, at) => !at.reports && of.is_quiet(),
            Self::If(parts) => all(&**parts),
            Self::Text(pieces) => pieces.iter().all(|piece| match piece {
                Piece::Text(_) => true,
                Piece::Term(term) => term.is_quiet(),
            }),
            Self::Listed(_) | Self::Written(..) => false,
        }
    }

    /// Adds the fields that its value depends on, by their index in the kind; false where it depends on anything else of a noun, or
    /// may report something about it.
    pub(super) fn depends(&self, on: &mut Vec<usize>) -> bool {
        let mut all = |parts: &[Self]| parts.iter().all(|part| part.depends(on));
        match self {
            Self::Value(_) => true,
            Self::Field(at) => {
                on.push(*at);
                true
            }
            Self::Member(of, _) | Self::IsSet(of, _) => of.depends(on),
            Self::Element(parts, at) | Self::Binary(_, parts, at) => !at.reports && all(&**parts),
            Self::Call(_, args, at) => !at.reports && all(args),
            Self::Matches(it) => !it.at.reports && it.of.depends(on),
            Self::Unary(_, of, at) => !at.reports && of.depends(on),
            Self::If(parts) => all(&**parts),
            Self::Text(pieces) => pieces.iter().all(|piece| match piece {
                Piece::Text(_) => true,
                Piece::Term(term) => term.depends(on),
            }),
            Self::Own
            | Self::Parent
            | Self::Named(_)
            | Self::Premise(_)
            | Self::Listed(_)
            | Self::Written(..) => false,
        }
    }

    /// Its value for a noun.
    pub(super) fn value(
        &self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Field(at) => subject.field(*at, evaluation),
            Self::Own => evaluation.noun(Some(subject.id)),
            Self::Parent => {
                let noun = evaluation.nouns.get(subject.id.0 as usize);
                evaluation.noun(noun.and_then(|noun| noun.parent))
            }
            Self::Named(at) => subject.named.get(*at).map_or(Value::Unknown, Value::clone),
            Self::Premise(at) => subject.items(*at),
            Self::Member(of, name) => self.member(of, name, subject, evaluation),
            Self::Element(parts, at) => {
                let [of, key] = parts.each_ref().map(|part| part.value(subject, evaluation));
                evaluation.element(&of, key, at.span)
            }
            Self::Call(function, args, at) => called(function, args, at.span, subject, evaluation),
            Self::Matches(it) => it.value(subject, evaluation),
            Self::Unary(op, of, at) => {
                let of = of.value(subject, evaluation);
                evaluation.unary(*op, of, at.span)
            }
            Self::Binary(op, sides, at) => binary(*op, sides, at.span, subject, evaluation),
            Self::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                match condition.value(subject, evaluation) {
                    Value::Bool(true) => then.value(subject, evaluation),
                    Value::Bool(false) => otherwise.value(subject, evaluation),
                    _ => Value::Unknown,
                }
            }
            Self::IsSet(of, positive) => {
                of.look(subject, evaluation, |value, _| is_set(value, *positive))
            }
            Self::Text(pieces) => text_of(pieces, subject, evaluation),
            Self::Listed(listed) => listed.value(subject, evaluation),
            Self::Written(expr, unit, names) => {
                let Some(frame) = subject.scope(evaluation, *unit, names) else {
                    return Value::Unknown;
                };
                let value = evaluation.eval(expr, frame);
                evaluation.leave(frame);
                value
            }
        }
    }

    fn member(
        &self,
        of: &Self,
        name: &str,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Value {
        self.learn(subject, evaluation);
        if let Some(known) = self.ready(subject) {
            return known.clone();
        }
        let of = of.value(subject, evaluation);
        evaluation.member(of, name)
    }

    /// Looks at its value, where it lies if it lies ready.
    fn look<T>(
        &self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
        look: impl FnOnce(&Value, &mut Evaluation<'t, '_>) -> T,
    ) -> T {
        self.learn(subject, evaluation);
        if let Some(known) = self.ready(subject) {
            return look(known, evaluation);
        }
        let value = self.value(subject, evaluation);
        look(&value, evaluation)
    }

    /// Asks for the field or fact that it reads, if it does nothing else.
    fn learn(&self, subject: &mut Subject<'_, 't>, evaluation: &mut Evaluation<'t, '_>) {
        match self {
            Self::Field(at) => subject.learn(*at, evaluation),
            Self::Member(of, _) => of.learn(subject, evaluation),
            _ => {}
        }
    }

    /// Its value where that lies ready once what it reads is asked for: most conditions look at values, and need none of their own.
    fn ready<'v>(&'v self, subject: &'v Subject<'_, 't>) -> Option<&'v Value> {
        const ABSENT: &Value = &Value::Absent;
        match self {
            Self::Value(value) => Some(value),
            Self::Field(at) => subject.known(*at),
            Self::Named(at) => subject.named.get(*at),
            Self::Premise(at) => subject.known_items(*at),
            Self::Member(of, name) => match of.ready(subject)? {
                Value::Record(record) | Value::Variant(_, record) => {
                    Some(record.get(*name).map_or(ABSENT, |placed| &placed.value))
                }
                Value::Absent | Value::Auto => Some(ABSENT),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it holds; `None` where that is unknown.
    pub(super) fn holds(
        &self,
        subject: &mut Subject<'_, 't>,
        evaluation: &mut Evaluation<'t, '_>,
    ) -> Option<bool> {
        self.look(subject, evaluation, |value, _| match value {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        })
    }
}

fn binary<'t>(
    op: BinaryOp,
    sides: &[Term<'t>; 2],
    at: Span,
    subject: &mut Subject<'_, 't>,
    evaluation: &mut Evaluation<'t, '_>,
) -> Value {
    let [left, right] = sides;
    left.learn(subject, evaluation);
    let known = left.ready(subject);
    if let Some(value) = known.and_then(|known| decided(op, known)) {
        return value;
    }
    let first = known.is_none().then(|| left.value(subject, evaluation));
    if let Some(value) = first.as_ref().and_then(|first| decided(op, first)) {
        return value;
    }
    right.learn(subject, evaluation);
    let compared =
        |first: &Value, subject: &Subject<'_, 't>| compared(op, first, right.ready(subject)?);
    let found = match &first {
        Some(first) => compared(first, subject),
        None => left.ready(subject).and_then(|first| compared(first, subject)),
    };
    found.unwrap_or_else(|| {
        let first = first.unwrap_or_else(|| left.value(subject, evaluation));
        let second = right.value(subject, evaluation);
        evaluation.operate(op, at, (first, at), (second, at))
    })
}

fn called<'t>(
    function: &Function,
    args: &[Term<'t>],
    at: Span,
    subject: &mut Subject<'_, 't>,
    evaluation: &mut Evaluation<'t, '_>,
) -> Value {
    match args {
        [only] => only.look(subject, evaluation, |only, evaluation| {
            evaluation.apply(function, std::slice::from_ref(only), at)
        }),
        [first, second] => {
            let args = [first, second].map(|arg| arg.value(subject, evaluation));
            evaluation.apply(function, &args, at)
        }
        args => {
            let args: Vec<_> = args.iter().map(|arg| arg.value(subject, evaluation)).collect();
            evaluation.apply(function, &args, at)
        }
    }
}

fn text_of<'t>(
    pieces: &[Piece<'t>],
    subject: &mut Subject<'_, 't>,
    evaluation: &mut Evaluation<'t, '_>,
) -> Value {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Term(term) => {
                let value = term.value(subject, evaluation);
                if !evaluation.tell(&value, &mut text) {
                    return Value::Unknown;
                }
            }
        }
    }
    Value::Str(text.into())
}

impl<'t> Matches<'t> {
    /// The text that is looked through.
    pub(super) fn of(&self) -> &Term<'t> {
        &self.of
    }

    fn value(&self, subject: &mut Subject<'_, 't>, evaluation: &mut Evaluation<'t, '_>) -> Value {
        let at = self.at.span;
        let found = self.of.look(subject, evaluation, |value, evaluation| match value {
            Value::Str(text) if evaluation.takes(value, at) => {
                self.pattern.matches(text).ok().map(Value::Bool)
            }
            Value::Str(_) | Value::Unknown | Value::Absent | Value::Auto => Some(Value::Unknown),
            // what is known after apply alone, of which nothing can be said
            _ => (!self.at.reports).then_some(Value::Unknown),
        });
        // what is wrong is told as it is of any call
        found.unwrap_or_else(|| {
            let text = self.of.value(subject, evaluation);
            let pattern = Value::Str(self.pattern.text().into());
            evaluation.apply(self.function, &[text, pattern], at)
        })
    }
}

impl<'t> Listed<'t> {
    fn value(&self, subject: &mut Subject<'_, 't>, evaluation: &mut Evaluation<'t, '_>) -> Value {
        let [at_items, at_value, at] = self.at;
        let mut found = Vec::new();
        let items = self.items.value(subject, evaluation);
        if matches!(items, Value::Unknown) {
            return Value::Unknown;
        }
        let before = subject.named.len();
        for round in rounds_of(&items) {
            if !evaluation.expand_one(at_items) {
                break;
            }
            subject.name(round, self.names);
            let condition = self.condition.as_ref();
            if condition.is_none_or(|it| it.holds(subject, evaluation) == Some(true)) {
                let value = self.value.value(subject, evaluation);
                found.push(Placed { value, span: at_value });
            }
            subject.named.truncate(before);
        }
        evaluation.kept(Value::List(found.into()), at)
    }
}
