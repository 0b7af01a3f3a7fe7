//! What facts tell: the types of Rust that stand for types of the language, and the words that only facts have.

use crate::catalog::{Offer, Support};
use crate::nouns::{
    Backoff, Capacity, ImageUse, Kind, Level, Ref, Reservation, Reserved, Upgrades,
};
use crate::plan::{Misfit, Place, PlacementPlan, Resource};
use crate::shape::Shape;
use crate::{Deferred, Duration, Map, NounId, NounRef, Size, Topology, Value};
use slipform_source::{Span, Spanned};
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

/// A type that facts have.
pub(super) trait Told {
    /// The type of the language that it stands for.
    fn shape() -> Shape;
    /// A value of that type; what it holds stands at `at`.
    fn value(self, at: Span) -> Value;
}

macro_rules! plain {
    ($($Type:ty => $Shape:ident, $value:expr;)*) => {$(
        impl Told for $Type {
            fn shape() -> Shape {
                Shape::$Shape
            }

            fn value(self, _: Span) -> Value {
                $value(self)
            }
        }
    )*};
}

plain! {
    bool => Bool, Value::Bool;
    i64 => Int, Value::Int;
    f64 => Float, Value::Float;
    String => Str, Value::str;
    Size => Size, Value::Size;
    Duration => Duration, Value::Duration;
    Topology => Topology, Value::Topology;
    Deferred => Deferred, Value::Deferred;
}

/// Nothing where there is none: known to be absent.
impl<T: Told> Told for Option<T> {
    fn shape() -> Shape {
        Shape::Optional(Box::new(T::shape()))
    }

    fn value(self, at: Span) -> Value {
        self.map_or(Value::Absent, |inner| inner.value(at))
    }
}

impl<T: Told> Told for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }

    fn value(self, at: Span) -> Value {
        Value::list(self.into_iter().map(|item| item.value(at)), at)
    }
}

/// What is written in several places, each at its own.
pub(super) struct Placed<T>(pub(super) T);

impl<T: Told> Told for Placed<Vec<Spanned<T>>> {
    fn shape() -> Shape {
        Vec::<T>::shape()
    }

    fn value(self, _: Span) -> Value {
        let item = |it: Spanned<T>| crate::Placed { value: it.value.value(it.span), span: it.span };
        Value::List(self.0.into_iter().map(item).collect())
    }
}

impl<T: Told> Told for Placed<Vec<(String, Spanned<T>)>> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }

    fn value(self, _: Span) -> Value {
        let entry = |(name, it): (String, Spanned<T>)| {
            (Arc::from(name), crate::Placed { value: it.value.value(it.span), span: it.span })
        };
        Value::Record(Arc::new(self.0.into_iter().map(entry).collect()))
    }
}

/// A value that several nouns share, made once.
#[derive(Debug)]
pub(super) struct Kept<T>(Value, PhantomData<fn() -> T>);

impl<T: Told> Kept<T> {
    pub(super) fn new(what: T, at: Span) -> Self {
        Self(what.value(at), PhantomData)
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<T: Told> Told for Kept<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn value(self, _: Span) -> Value {
        self.0
    }
}

impl<K: Kind> Told for Ref<K> {
    fn shape() -> Shape {
        Shape::Noun(K::KIND.0)
    }

    fn value(self, _: Span) -> Value {
        noun(self.id(), K::KIND.0)
    }
}

/// A noun of the kind that is asked, which is named here.
pub(super) struct Alike(pub(super) NounId, pub(super) &'static str);

impl Told for Alike {
    fn shape() -> Shape {
        Shape::Alike
    }

    fn value(self, _: Span) -> Value {
        noun(self.0, self.1)
    }
}

/// Where a queue may admit a workload.
pub(super) enum Admits {
    Pool(NounId),
    Cluster(NounId),
}

impl Told for Admits {
    fn shape() -> Shape {
        Shape::Union(vec![Shape::Noun("pool"), Shape::Noun("cluster")])
    }

    fn value(self, _: Span) -> Value {
        match self {
            Self::Pool(id) => noun(id, "pool"),
            Self::Cluster(id) => noun(id, "cluster"),
        }
    }
}

fn noun(id: NounId, kind: &'static str) -> Value {
    Value::Ref(NounRef { id, kind: name(kind) })
}

thread_local! {
    /// The names that were told of, by where they stand in the program.
    static NAMES: RefCell<Map<*const str, Arc<str>>> = RefCell::default();
}

/// A name of the compiler's own, made once a thread: the same few are told of every noun.
pub(super) fn name(text: &'static str) -> Arc<str> {
    let make = |names: &RefCell<Map<*const str, Arc<str>>>| {
        names.borrow_mut().entry(text).or_insert_with(|| text.into()).clone()
    };
    NAMES.with(make)
}

/// Enums that are told as a word of an enumeration, an arm each.
macro_rules! words {
    ($($Type:ty { $($arm:pat => $word:literal,)* })*) => {$(
        impl Told for $Type {
            fn shape() -> Shape {
                Shape::Union(vec![$(Shape::Word($word)),*])
            }

            fn value(self, _: Span) -> Value {
                Value::Str(name(match self { $($arm => $word,)* }))
            }
        }
    )*};
}

/// Whether Vertex AI has an accelerator in a region.
pub(super) enum OnVertex {
    Offered,
    Missing,
    Unknown,
}

/// Whether an image holds what speaks to a Reduction Server.
#[derive(Debug)]
pub(super) enum Plugin {
    There,
    Missing,
    Unknown,
}

words! {
    Plugin {
        Plugin::There => "yes",
        Plugin::Missing => "no",
        Plugin::Unknown => "unknown",
    }
    Support {
        Support::Yes => "yes",
        Support::No => "no",
        Support::Allowlist => "allowlist",
        Support::Unknown => "unknown",
    }
    Offer {
        Offer::InZone => "zone",
        Offer::InRegion => "region",
        Offer::Nowhere => "nowhere",
        Offer::Unknown => "unknown",
    }
    OnVertex {
        OnVertex::Offered => "yes",
        OnVertex::Missing => "no",
        OnVertex::Unknown => "unknown",
    }
    Place {
        Place::Pool(_) => "gke",
        Place::Partition(_) => "slurm",
        Place::Vertex(_) => "vertex",
    }
    ImageUse {
        ImageUse::Image(_) | ImageUse::String(_) => "image",
        ImageUse::Squashfs { .. } => "squashfs",
        ImageUse::NoContainer => "no_container",
    }
    Upgrades {
        Upgrades::Automatic => "automatic",
        Upgrades::EndOfSupport => "end_of_support",
        Upgrades::ByHand => "by_hand",
    }
    Level {
        Level::Block => "block",
        Level::Subblock => "subblock",
        Level::NodePool => "node_pool",
        Level::Host => "host",
        Level::Node => "node",
    }
    Misfit {
        Misfit::Cluster => "cluster",
        Misfit::Admission => "admission",
        Misfit::Devices => "devices",
        Misfit::Sharing => "sharing",
        Misfit::Topology => "topology",
        Misfit::Machine => "machine",
        Misfit::Interfaces => "interfaces",
        Misfit::RawDisks => "raw_disks",
        Misfit::Node(Resource::Devices) => "node_devices",
        Misfit::Node(Resource::Cpus) => "node_cpus",
        Misfit::Node(Resource::Memory) => "node_memory",
        Misfit::Node(Resource::Disk) => "node_disk",
        Misfit::Parts => "parts",
        Misfit::Pods => "pods",
        Misfit::Nodes => "nodes",
    }
    PlacementPlan {
        Self::Spread => "spread",
        Self::Compact | Self::Named { workload: false, .. } => "compact",
        Self::WorkloadPolicy(_) | Self::Named { workload: true, .. } => "workload_policy",
    }
}

impl Told for Capacity {
    fn shape() -> Shape {
        let optional = || <Option<String>>::shape();
        let reservation =
            vec![("name", <Reserved>::shape()), ("block", optional()), ("policy", optional())];
        Shape::Union(vec![
            Shape::Word("on_demand"),
            Shape::Word("spot"),
            Shape::Ctor("reservation", reservation),
            Shape::Word("any_reservation"),
            Shape::Ctor("flex_start", vec![("max", Shape::Duration)]),
            Shape::Ctor(
                "queued",
                vec![
                    ("max", Shape::Duration),
                    ("check", optional()),
                    ("retry", <Option<Backoff>>::shape()),
                ],
            ),
            Shape::Ctor("calendar", vec![("name", <Reserved>::shape())]),
        ])
    }

    fn value(self, at: Span) -> Value {
        let text = |name, text: String| Some((name, Value::str(text)));
        let (name, fields) = match self {
            Self::OnDemand => ("on_demand", Vec::new()),
            Self::Spot => ("spot", Vec::new()),
            Self::Reservation { name, block, policy } => {
                let block = block.and_then(|block| text("block", block));
                let policy = policy.and_then(|policy| text("policy", policy));
                ("reservation", vec![Some(("name", name.value(at))), block, policy])
            }
            Self::AnyReservation => ("any_reservation", Vec::new()),
            Self::FlexStart { max } => ("flex_start", vec![Some(("max", Value::Duration(max)))]),
            Self::Queued { max, check, retry } => {
                let check = check.and_then(|check| text("check", check));
                let retry = retry.map(|retry| ("retry", retry.value(at)));
                ("queued", vec![Some(("max", Value::Duration(max))), check, retry])
            }
            Self::Calendar { name } => ("calendar", vec![Some(("name", name.value(at)))]),
        };
        let Value::Record(fields) = Value::record(fields.into_iter().flatten(), at) else {
            return Value::Unknown;
        };
        Value::Variant(Arc::from(name), fields)
    }
}

impl Told for Reserved {
    fn shape() -> Shape {
        Shape::Union(vec![<Ref<Reservation>>::shape(), Shape::Str])
    }

    fn value(self, at: Span) -> Value {
        match self {
            Self::Reservation(it) => it.value(at),
            Self::String(name) => Value::str(name),
        }
    }
}

impl Told for Backoff {
    fn shape() -> Shape {
        let fields = [("limit", Shape::Int), ("base", Shape::Duration), ("max", Shape::Duration)];
        Shape::Union(vec![Shape::Ctor("backoff", fields.into())])
    }

    fn value(self, at: Span) -> Value {
        let Self::Backoff { limit, base, max } = self;
        let fields = [
            ("limit", Value::Int(limit)),
            ("base", Value::Duration(base)),
            ("max", Value::Duration(max)),
        ];
        let Value::Record(fields) = Value::record(fields, at) else {
            return Value::Unknown;
        };
        Value::Variant(Arc::from("backoff"), fields)
    }
}
