//! A tree held to a shape.

use super::library::{Field, Kind, PLACE, Record};
use super::{Path, Shape, ShapeError, Step};
use slipform_document::{Map, Node};
use slipform_source::nearest;

/// How much of a document there is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All of it: what is required must be there.
    Whole,
    /// A patch: the rest is elsewhere.
    Patch,
}

impl Shape {
    /// Checks a whole document.
    #[must_use]
    pub fn check(&self, node: &Node) -> Vec<ShapeError> {
        self.run(node, Extent::Whole)
    }

    /// Checks a patch: what is required may be missing, since the document that it is merged into has it. Items of lists
    /// that are merged need the fields by which they are told apart; items of lists that are replaced must be whole.
    #[must_use]
    pub fn check_patch(&self, patch: &Node) -> Vec<ShapeError> {
        self.run(patch, Extent::Patch)
    }

    fn run(&self, node: &Node, extent: Extent) -> Vec<ShapeError> {
        let mut check = Check::new(*self);
        check.value(&self.root.kind, node, extent);
        check.errors
    }
}

pub(super) struct Check {
    pub(super) shape: Shape,
    pub(super) path: Vec<Step>,
    pub(super) errors: Vec<ShapeError>,
}

impl Check {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, path: Vec::new(), errors: Vec::new() }
    }

    fn value(&mut self, kind: &Kind, node: &Node, extent: Extent) {
        match (kind, node) {
            (Kind::Any, _) => {}
            (_, Node::Null) if extent == Extent::Patch && !self.path.is_empty() => {}
            (Kind::Record(name), Node::Map(map)) => self.record(name, map, extent),
            (Kind::Map(inner), Node::Map(map)) => {
                for (key, entry) in map.iter() {
                    self.within(Step::Key(key.to_owned()), |check| {
                        check.value(inner, &entry.value, extent)
                    });
                }
            }
            (Kind::List(inner, keys), Node::Seq(items)) => {
                let nodes = items.iter().map(|item| &item.value);
                self.list(inner, keys, nodes, extent);
            }
            (Kind::Blocks { most: Some(1), record, .. }, Node::Map(map)) => {
                self.record(record, map, extent)
            }
            (Kind::Blocks { record, .. }, Node::Map(map)) => {
                self.record(record, map, Extent::Whole)
            }
            (Kind::Blocks { most, record, .. }, Node::Seq(items)) => {
                self.count(*most, items.len());
                let inner = Kind::Record(record);
                let extent = if *most == Some(1) { extent } else { Extent::Whole };
                for (index, item) in items.iter().enumerate() {
                    self.within(Step::Index(index), |check| {
                        check.value(&inner, &item.value, extent)
                    });
                }
            }
            (Kind::Enum(values), Node::Str(text)) => self.one_of(values, text),
            _ if fits(kind, node) || self.shape.library.converts && converts(kind, node) => {}
            _ => self.wrong_type(kind, node.kind()),
        }
    }

    pub(super) fn within(&mut self, step: Step, check: impl FnOnce(&mut Self)) {
        self.path.push(step);
        check(self);
        self.path.pop();
    }

    fn record(&mut self, name: &str, map: &Map, extent: Extent) {
        let Some(record) = self.shape.library.record(name) else { return };
        for (key, entry) in map.iter() {
            match record.field(key) {
                Some(field) => {
                    let computed = field.computed;
                    self.within(Step::Key(key.to_owned()), |check| {
                        if computed {
                            check.computed(key);
                        } else {
                            check.value(&field.kind, &entry.value, extent);
                        }
                    });
                }
                None => self.unknown(record, key),
            }
        }
        if extent == Extent::Whole {
            let missing = record
                .fields()
                .iter()
                .filter(|field| field.required && map.get(field.name).is_none());
            for field in missing {
                self.missing(field);
            }
        }
    }

    fn list<'a>(
        &mut self,
        inner: &Kind,
        keys: &[&str],
        items: impl Iterator<Item = &'a Node>,
        extent: Extent,
    ) {
        let merged = extent == Extent::Patch && !keys.is_empty();
        let extent = if merged { Extent::Patch } else { Extent::Whole };
        let named = merged && keys != [PLACE];
        for (index, item) in items.enumerate() {
            self.within(Step::Index(index), |check| {
                if merged && !named && *item == Node::Null {
                    check.report(
                        format!(
                            "{} cannot be taken away, since those behind it would get its place",
                            check.here()
                        ),
                        None,
                    );
                }
                if named
                    && keys.iter().all(|key| item.get(key).is_none())
                    && matches!(item, Node::Map(_))
                {
                    let keys = keys.join("` and `");
                    check.report(
                        format!(
                            "{} needs `{keys}`, which tells which item it changes",
                            check.here()
                        ),
                        None,
                    );
                }
                check.value(inner, item, extent);
            });
        }
    }

    pub(super) fn unknown(&mut self, record: &Record, key: &str) {
        let title = self.shape.root.title;
        let within = if self.path.is_empty() {
            String::new()
        } else {
            format!(" in `{}`", Path(&self.path))
        };
        let nearest = nearest(key, record.names()).map(str::to_owned);
        self.within(Step::Key(key.to_owned()), |check| {
            let message = format!("{title} has no field `{key}`{within}");
            check.errors.push(ShapeError {
                path: check.path.clone(),
                message,
                nearest,
                unknown: true,
            });
        });
    }

    pub(super) fn missing(&mut self, field: &Field) {
        let name = field.name;
        self.report(format!("{} has no `{name}`, which is required", self.here()), None);
    }

    pub(super) fn computed(&mut self, key: &str) {
        let title = self.shape.root.title;
        self.report(
            format!("`{key}` of {title} is known only after it is made, and cannot be set"),
            None,
        );
    }

    pub(super) fn count(&mut self, most: Option<usize>, count: usize) {
        if let Some(most) = most.filter(|most| count > *most) {
            let plural = if most == 1 { "" } else { "s" };
            self.report(
                format!("{} takes at most {most} block{plural}, not {count}", self.here()),
                None,
            );
        }
    }

    pub(super) fn one_of(&mut self, values: &[&'static str], text: &str) {
        if values.contains(&text) {
            return;
        }
        let nearest = nearest(text, values.iter().copied()).map(str::to_owned);
        let values = listed(values);
        self.report(format!("`{text}` is not one of {values} in {}", self.here()), nearest);
    }

    pub(super) fn wrong_type(&mut self, kind: &Kind, found: &str) {
        self.report(format!("{} must be {}, not {found}", self.here(), described(kind)), None);
    }

    /// The place in a sentence.
    pub(super) fn here(&self) -> String {
        if self.path.is_empty() {
            self.shape.root.title.to_owned()
        } else {
            format!("`{}`", Path(&self.path))
        }
    }

    pub(super) fn report(&mut self, message: String, nearest: Option<String>) {
        self.errors.push(ShapeError { path: self.path.clone(), message, nearest, unknown: false });
    }
}

/// Whether a scalar may stand where `kind` is asked for.
fn fits(kind: &Kind, node: &Node) -> bool {
    match kind {
        Kind::Str => matches!(node, Node::Str(_)),
        Kind::Bool => matches!(node, Node::Bool(_)),
        Kind::Int => matches!(node, Node::Int(_)),
        Kind::Number => matches!(node, Node::Int(_) | Node::Float(_)),
        Kind::Quantity => matches!(node, Node::Int(_) | Node::Float(_) | Node::Str(_)),
        Kind::IntOrStr => matches!(node, Node::Int(_) | Node::Str(_)),
        _ => false,
    }
}

/// Whether a scalar turns into what `kind` asks for.
fn converts(kind: &Kind, node: &Node) -> bool {
    match (kind, node) {
        (Kind::Str, Node::Bool(_) | Node::Int(_) | Node::Float(_)) => true,
        (Kind::Bool, Node::Str(text)) => matches!(text.as_ref(), "true" | "false"),
        (Kind::Number, Node::Str(text)) => text.parse::<f64>().is_ok(),
        _ => false,
    }
}

/// A type in a user's words.
pub(super) fn described(kind: &Kind) -> &'static str {
    match kind {
        Kind::Str | Kind::Enum(_) => "a string",
        Kind::Bool => "a boolean",
        Kind::Int => "an integer",
        Kind::Number => "a number",
        Kind::Quantity => "a number or a quantity such as \"80Gi\"",
        Kind::IntOrStr => "an integer or a string",
        Kind::Any => "anything",
        Kind::List(..) => "a list",
        Kind::Map(_) | Kind::Record(_) | Kind::Blocks { .. } => "a record",
    }
}

/// Up to a dozen values in a sentence.
fn listed(values: &[&'static str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<_> =
        values.iter().take(MOST).map(|v| if v.is_empty() { "\"\"" } else { v }).collect();
    let rest = if values.len() > MOST { " ..." } else { "" };
    format!("{}{rest}", shown.join(", "))
}
