//! A declared type beside the type of Rust that stands for it, at every depth.

use slipform_analysis::{Field, Fields, Type};
use slipform_model::{Entries, Shape};

/// Which of the two may hold more.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    /// Rust reads what the language has checked: text stands for words, an integer for numbers.
    Reads,
    /// Rust tells the language: nothing but what is declared.
    Tells,
}

/// What differs between declared fields and those of Rust, each with its path.
pub(crate) fn fields(way: Way, at: &str, declared: &Fields, typed: &Entries) -> Vec<String> {
    let declared = declared.0.iter().filter(|(_, field)| !field.derived);
    let declared: Vec<(&str, &Field)> = declared.map(|(name, field)| (&**name, field)).collect();
    let mut wrong = Vec::new();
    for (name, shape) in typed {
        match declared.iter().find(|(known, _)| known == name) {
            Some((_, field)) => wrong.extend(field_of(way, &format!("{at}.{name}"), field, shape)),
            None => wrong.push(format!("{at}.{name}: {shape} in Rust, and not declared")),
        }
    }
    let missing = declared.iter().filter(|(name, _)| typed.iter().all(|(known, _)| known != name));
    wrong
        .extend(missing.map(|(name, field)| format!("{at}.{name}: {}, and not in Rust", field.ty)));
    wrong
}

fn field_of(way: Way, at: &str, field: &Field, shape: &Shape) -> Vec<String> {
    types(way, at, &field.written(), shape)
}

/// What differs between a declared type and that of Rust.
pub(crate) fn types(way: Way, at: &str, declared: &Type, shape: &Shape) -> Vec<String> {
    let (optional, shape) = match shape {
        Shape::Optional(inner) => (true, &**inner),
        other => (false, other),
    };
    let mut wrong = Vec::new();
    if declared.is_optional() != optional {
        let is = |may: bool| if may { "may be absent" } else { "is always there" };
        wrong.push(format!("{at}: declared, it {}; in Rust it {}", is(!optional), is(optional)));
    }
    let arms = shape.arms();
    let mut used = vec![false; arms.len()];
    for arm in declared.arms() {
        let rank = |at: &usize| std::cmp::Reverse(matches!(arms.get(*at), Some(Shape::Str)));
        let found = (0..arms.len()).filter(|at| stands_for(way, arms[*at], &arm)).max_by_key(rank);
        match found {
            Some(found) => {
                used[found] = true;
                wrong.extend(inside(way, at, &arm, arms[found]));
            }
            None => wrong.push(format!("{at}: declared {arm}, in Rust {shape}")),
        }
    }
    let unused = arms.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(unused.map(|(arm, _)| format!("{at}: {arm} in Rust, declared {declared}")));
    wrong
}

/// Whether an arm of Rust stands for a declared one, whatever they hold.
fn stands_for(way: Way, shape: &Shape, declared: &Type) -> bool {
    match (shape, declared.bare()) {
        (Shape::Bool, Type::Bool)
        | (Shape::Int, Type::Int)
        | (Shape::Float, Type::Float)
        | (Shape::Str, Type::Str | Type::Fact(_))
        | (Shape::Size, Type::Size)
        | (Shape::Duration, Type::Duration)
        | (Shape::Cidr, Type::Cidr)
        | (Shape::Address, Type::Address)
        | (Shape::Topology, Type::Topology)
        | (Shape::Range, Type::Range)
        | (Shape::Auto, Type::Auto)
        | (Shape::List(_), Type::List(_))
        | (Shape::Map(_), Type::Map(..))
        | (Shape::Record(_), Type::Record(_)) => true,
        (Shape::Int, Type::Number(_))
        | (Shape::Str, Type::Word(_))
        | (Shape::AnyNoun, Type::Noun(_)) => way == Way::Reads,
        (Shape::Word(word), Type::Word(declared)) => *word == &**declared,
        (Shape::Word(word), Type::Ctor(ctor)) => *word == &*ctor.name && ctor.fields.0.is_empty(),
        (Shape::Ctor(name, _), Type::Ctor(ctor)) => {
            *name == &*ctor.name && !ctor.fields.0.is_empty()
        }
        (Shape::Noun(kind), Type::Noun(declared)) => *kind == &**declared,
        (Shape::Deferred, Type::Deferred(of)) => matches!(of.bare(), Type::Str),
        _ => false,
    }
}

/// What differs inside two arms of one sort.
fn inside(way: Way, at: &str, declared: &Type, shape: &Shape) -> Vec<String> {
    match (declared.bare(), shape) {
        (Type::List(declared), Shape::List(shape)) => {
            types(way, &format!("{at}[]"), declared, shape)
        }
        (Type::Map(_, declared), Shape::Map(shape)) => {
            types(way, &format!("{at}{{}}"), declared, shape)
        }
        (Type::Record(declared), Shape::Record(entries)) => fields(way, at, declared, entries),
        (Type::Ctor(ctor), Shape::Ctor(name, entries)) => {
            fields(way, &format!("{at}.{name}()"), &ctor.fields, entries)
        }
        _ => Vec::new(),
    }
}
