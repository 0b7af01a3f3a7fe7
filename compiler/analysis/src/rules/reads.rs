//! What terms read of a noun. Most nouns say much of what the one before them said: what reads only that is not asked again.

use super::compile::Premise;
use super::of_kind::{Looked, Step};
use super::term::{Listed, Piece, Term};
use crate::eval::is_set;
use slipform_model::{Record, Value};
use slipform_syntax::tree::BinaryOp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of a noun.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Path {
    /// The field or fact, by its index in the kind.
    pub(super) field: usize,
    /// The way into it.
    ways: Vec<Way>,
}

/// One step of a way into a value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    /// The field of this name.
    Member(String),
    /// What each element or entry holds.
    Each,
    /// How many of these there are.
    Count,
    /// The names of all entries.
    Keys,
    /// How many there are, where all are known.
    Len,
    /// Whether there is one.
    Set,
    /// The name of the constructor, where all in it is known.
    Form,
}

impl Path {
    fn of(field: usize) -> Self {
        Self { field, ways: Vec::new() }
    }

    fn then(mut self, way: Way) -> Self {
        self.ways.push(way);
        self
    }

    /// Whether two values of its field have the same there.
    pub(super) fn is_same(&self, a: &Value, b: &Value) -> bool {
        alike(a, b, &self.ways)
    }
}

/// Whether two values have the same at the end of a way. Where it leads into what is no part of them, such as another noun, they
/// have it if they are equal.
fn alike(a: &Value, b: &Value, ways: &[Way]) -> bool {
    let Some((way, rest)) = ways.split_first() else { return same(a, b) };
    match (way, a, b) {
        (Way::Member(name), Value::Record(a), Value::Record(b)) => {
            match (a.get(name.as_str()), b.get(name.as_str())) {
                (Some(a), Some(b)) => alike(&a.value, &b.value, rest),
                (None, None) => true,
                _ => false,
            }
        }
        (Way::Member(_), Value::Variant(x, a_in), Value::Variant(y, b_in)) => {
            let [a, b] = [a_in, b_in].map(|of| Value::Record(of.clone()));
            x == y && alike(&a, &b, ways)
        }
        (Way::Each, Value::List(a), Value::List(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|(a, b)| alike(&a.value, &b.value, rest))
        }
        (Way::Each, Value::Record(a), Value::Record(b)) => {
            a.len() == b.len()
                && a.values().zip(b.values()).all(|(a, b)| alike(&a.value, &b.value, rest))
        }
        (Way::Count, Value::List(a), Value::List(b)) => a.len() == b.len(),
        (Way::Count, Value::Record(a), Value::Record(b)) => a.len() == b.len(),
        // functions have no result for what holds something unknown
        (Way::Keys | Way::Len | Way::Form, a, b) if a.has_unknown() || b.has_unknown() => {
            same(a, b)
        }
        (Way::Keys, Value::Record(a), Value::Record(b)) => a.keys().eq(b.keys()),
        (Way::Len, Value::List(a), Value::List(b)) => a.len() == b.len(),
        (Way::Len, Value::Record(a), Value::Record(b)) => a.len() == b.len(),
        (Way::Set, a, b) => is_set(a, true) == is_set(b, true),
        (Way::Form, Value::Variant(a, _), Value::Variant(b, _)) => a == b,
        _ => same(a, b),
    }
}

/// Whether nothing tells two values apart but where they were written.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| same(&a.value, &b.value))
        }
        (Value::Record(a), Value::Record(b)) => same_entries(a, b),
        (Value::Variant(x, a), Value::Variant(y, b)) => x == y && same_entries(a, b),
        _ => a == b,
    }
}

fn same_entries(a: &Arc<Record>, b: &Arc<Record>) -> bool {
    let mut pairs = a.iter().zip(b.iter());
    Arc::ptr_eq(a, b)
        || a.len() == b.len() && pairs.all(|((x, a), (y, b))| x == y && same(&a.value, &b.value))
}

/// Parts of the nouns of a kind, each once.
#[derive(Default)]
pub(super) struct Paths {
    pub(super) all: Vec<Path>,
    places: BTreeMap<Path, usize>,
}

impl Paths {
    fn place_of(&mut self, path: Path) -> usize {
        *self.places.entry(path).or_insert_with_key(|path| {
            self.all.push(path.clone());
            self.all.len() - 1
        })
    }
}

/// The parts that something reads, by their places; `None` where it reads anything else, so that it has to be asked of each noun.
pub(super) type Reads = Option<Box<[usize]>>;

/// Finds what terms read.
pub(super) struct Reading<'r, 't> {
    paths: &'r mut Paths,
    premises: &'r [Looked<'t>],
    /// For each name of the rule the part that it means; `None` for what is made of parts that are read already.
    named: Vec<Option<Path>>,
    found: Vec<usize>,
}

impl<'r, 't> Reading<'r, 't> {
    pub(super) fn new(paths: &'r mut Paths, premises: &'r [Looked<'t>]) -> Self {
        Self { paths, premises, named: Vec::new(), found: Vec::new() }
    }

    /// What the answer of a premise depends on.
    pub(super) fn of_premise(mut self, premise: &Premise<'t, Term<'t>>) -> Reads {
        let all = match premise {
            Premise::Holds(term) | Premise::Fails(term) => self.term(term),
            Premise::Any(items) => self.rounds(items, 0),
            Premise::Round(round) => {
                self.rounds(&round.items, round.names.len().min(2))
                    && round.conditions.iter().all(|it| self.term(it))
            }
        };
        all.then(|| self.finish())
    }

    /// What it depends on that a rule is silent behind its premises.
    pub(super) fn of_lines(mut self, steps: &[Step<'t>], require: &Term<'t>) -> Reads {
        let all = steps.iter().all(|step| match step {
            Step::When(condition) => self.term(condition),
            Step::Let(value) => {
                let path = self.path(value);
                let is_read = path.is_some() || self.term(value);
                self.named.push(path);
                is_read
            }
            Step::For(names, items, _) => self.rounds(items, *names),
        });
        (all && self.term(require)).then(|| self.finish())
    }

    fn finish(mut self) -> Box<[usize]> {
        self.found.sort_unstable();
        self.found.dedup();
        self.found.into()
    }

    fn read(&mut self, path: Path) -> bool {
        let place = self.paths.place_of(path);
        self.found.push(place);
        true
    }

    /// The part of the noun that a term is.
    fn path(&self, term: &Term<'t>) -> Option<Path> {
        match term {
            Term::Field(at) => Some(Path::of(*at)),
            Term::Member(of, name) => Some(self.path(of)?.then(Way::Member((*name).to_owned()))),
            Term::Named(at) => self.named.get(*at)?.clone(),
            Term::Premise(at) => match &self.premises.get(*at)?.premise {
                Premise::Any(items) => self.path(items),
                Premise::Holds(_) | Premise::Fails(_) | Premise::Round(_) => None,
            },
            _ => None,
        }
    }

    /// Reads as much of a term as a step into it shows, or all of it.
    fn into(&mut self, term: &Term<'t>, way: Way) -> bool {
        match self.path(term) {
            Some(path) => self.read(path.then(way)),
            None => self.term(term),
        }
    }

    /// Reads how many rounds there are, and gives their names a meaning.
    fn rounds(&mut self, items: &Term<'t>, names: usize) -> bool {
        let path = self.path(items);
        let all = self.into(items, Way::Count);
        let way = |way| path.clone().map(|path| path.then(way));
        self.named.extend((names > 1).then(|| way(Way::Keys)));
        self.named.extend((names > 0).then(|| way(Way::Each)));
        all
    }

    /// Adds what a term reads; false where that is more than parts of the noun.
    fn term(&mut self, term: &Term<'t>) -> bool {
        if let Some(path) = self.path(term) {
            return self.read(path);
        }
        match term {
            // What is named is a part, or made of what is read already.
            Term::Value(_) | Term::Named(_) => true,
            Term::Member(of, _) | Term::Unary(_, of, _) => self.term(of),
            Term::IsSet(of, _) => self.into(of, Way::Set),
            Term::Premise(at) => match self.premises.get(*at).map(|it| &it.premise) {
                Some(Premise::Any(items) | Premise::Holds(items) | Premise::Fails(items)) => {
                    self.term(items)
                }
                Some(Premise::Round(_)) | None => false,
            },
            Term::Element(parts, _) => parts.iter().all(|it| self.term(it)),
            Term::Call(function, args, _) => match (function.name, &**args) {
                // of one kind all are of one form
                ("form", [Term::Own]) => true,
                ("form", [of]) => self.into(of, Way::Form),
                ("len", [of]) => self.into(of, Way::Len),
                ("keys", [of]) => self.into(of, Way::Keys),
                (_, args) => args.iter().all(|it| self.term(it)),
            },
            Term::Matches(it) => self.term(it.of()),
            Term::Binary(BinaryOp::In, sides, _) => {
                let [part, whole] = &**sides;
                self.term(part) && self.into(whole, Way::Keys)
            }
            Term::Binary(_, sides, _) => sides.iter().all(|it| self.term(it)),
            Term::If(parts) => parts.iter().all(|it| self.term(it)),
            Term::Text(pieces) => pieces.iter().all(|piece| match piece {
                Piece::Text(_) => true,
                Piece::Term(term) => self.term(term),
            }),
            Term::Listed(listed) => self.listed(listed),
            Term::Field(_) | Term::Own | Term::Parent | Term::Written(..) => false,
        }
    }

    fn listed(&mut self, listed: &Listed<'t>) -> bool {
        let before = self.named.len();
        let all = self.rounds(&listed.items, listed.names)
            && listed.condition.iter().all(|it| self.term(it))
            && self.term(&listed.value);
        self.named.truncate(before);
        all
    }
}
