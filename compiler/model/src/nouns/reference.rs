//! References from one noun to another, with the kind of noun that each leads to.

use super::{Partition, Pool, VertexCluster};
use crate::NounId;
use serde::de::{Deserialize, Deserializer};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// What a noun says, as one struct a kind.
pub trait Kind: 'static {
    /// The kind, and the platform where it has variants: as `stdlib/kinds` declares them.
    const KIND: (&'static str, Option<&'static str>);

    /// What a noun says, where it is of this kind.
    fn of(body: &super::Body) -> Option<&Self>;
}

/// A reference to a noun of one kind. A blueprint can only refer to a noun of that kind, but the noun itself may not
/// have been understood: [`crate::plan::Sound`] is where every reference leads to what it says.
pub struct Ref<K>(NounId, PhantomData<fn() -> K>);

impl<K> Ref<K> {
    /// A reference to a noun that is known to be of this kind.
    pub(crate) fn to(id: NounId) -> Self {
        Self(id, PhantomData)
    }

    /// The noun, of whatever kind.
    pub fn id(self) -> NounId {
        self.0
    }
}

impl<K> From<Ref<K>> for NounId {
    fn from(reference: Ref<K>) -> Self {
        reference.0
    }
}

impl<K> Clone for Ref<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Ref<K> {}

impl<K> PartialEq for Ref<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K> PartialEq<NounId> for Ref<K> {
    fn eq(&self, other: &NounId) -> bool {
        self.0 == *other
    }
}

impl<K> PartialEq<Ref<K>> for NounId {
    fn eq(&self, other: &Ref<K>) -> bool {
        *self == other.0
    }
}

impl<K> Eq for Ref<K> {}

impl<K> PartialOrd for Ref<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Ref<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<K> Hash for Ref<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<K> fmt::Debug for Ref<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of the newtype is the kind, which the lowering compares with that of the noun.
impl<'de, K: Kind> Deserialize<'de> for Ref<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Noun;
        impl<'de> serde::de::Visitor<'de> for Noun {
            type Value = NounId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a reference")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                inner: D,
            ) -> Result<NounId, D::Error> {
                u32::deserialize(inner).map(NounId)
            }
        }
        deserializer.deserialize_newtype_struct(K::KIND.0, Noun).map(Self::to)
    }
}

/// Where a workload runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A pool of a GKE cluster.
    Pool(Ref<Pool>),
    /// A partition of a Slurm cluster.
    Partition(Ref<Partition>),
    /// Vertex AI.
    #[serde(rename = "cluster")]
    Vertex(Ref<VertexCluster>),
}

impl Place {
    /// The noun, whichever it is.
    pub fn id(self) -> NounId {
        match self {
            Self::Pool(pool) => pool.id(),
            Self::Partition(partition) => partition.id(),
            Self::Vertex(cluster) => cluster.id(),
        }
    }
}

impl From<Place> for NounId {
    fn from(place: Place) -> Self {
        place.id()
    }
}
