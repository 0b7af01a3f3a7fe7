//! Lists and tables that most nouns leave empty.

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer};
use std::ops::Deref;
use std::sync::LazyLock;

/// A list or a table of which nothing is kept where it is empty: a fleet has ten thousand runs, and few say any of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Rare<T>(Option<Box<T>>);

/// What can be empty.
pub trait Emptiness: 'static {
    /// Whether nothing is in it.
    fn is_empty(&self) -> bool;
    /// The empty one.
    fn empty() -> &'static Self;
}

impl<T: 'static> Emptiness for Vec<T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn empty() -> &'static Self {
        const { &Self::new() }
    }
}

macro_rules! tables {
    ($($Value:ty),*) => {
        $(impl Emptiness for IndexMap<String, $Value> {
            fn is_empty(&self) -> bool {
                self.is_empty()
            }

            fn empty() -> &'static Self {
                static EMPTY: LazyLock<IndexMap<String, $Value>> = LazyLock::new(IndexMap::new);
                &EMPTY
            }
        })*
    };
}

tables!(String, i64);

impl<T: Emptiness> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::empty())
    }
}

impl<T: Emptiness> From<T> for Rare<T> {
    fn from(all: T) -> Self {
        Self((!all.is_empty()).then(|| Box::new(all)))
    }
}

impl<'a, T: Emptiness> IntoIterator for &'a Rare<T>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (**self).into_iter()
    }
}

impl<'de, T: Emptiness + Deserialize<'de>> Deserialize<'de> for Rare<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Rare;
    use crate::nouns::Workload;
    use indexmap::IndexMap;

    #[test]
    fn what_is_empty_reads_as_empty() {
        assert!(Rare::from(Vec::<String>::new()).is_empty());
        assert!(Rare::from(IndexMap::<String, i64>::new()).is_empty());
        assert_eq!(Rare::from(vec![1, 2]).iter().sum::<i32>(), 3);
    }

    /// The allocator gives out room of 1,280, 1,536, 1,792 and 2,048 bytes.
    #[test]
    fn a_run_of_a_fleet_keeps_to_the_room_that_it_has() {
        assert!(size_of::<Workload>() <= 1536, "{}", size_of::<Workload>());
    }
}
