//! What follows for some of the nouns, found by their indices.

use crate::NounId;

/// Something of some nouns, in the order of the blueprint. Facts and targets ask for it all the time: nothing is searched.
#[derive(Clone, Debug)]
pub(crate) struct OfNouns<T>(Vec<Option<T>>);

impl<T> Default for OfNouns<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> OfNouns<T> {
    /// That of a noun, where it has some.
    pub(crate) fn get(&self, id: &NounId) -> Option<&T> {
        self.0.get(id.0 as usize)?.as_ref()
    }

    /// All, in the order of the blueprint.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NounId, &T)> {
        let all = self.0.iter().enumerate();
        all.filter_map(|(at, it)| Some((NounId(at as u32), it.as_ref()?)))
    }
}

/// Fewer nouns are worked out faster than a thread starts.
const NOUNS_FOR_A_SECOND_THREAD: usize = 256;

impl<T: Send> OfNouns<T> {
    /// What follows for each of some nouns from all else: on two threads where there are many.
    pub(crate) fn of_each<I: Sync>(
        nouns: &[I],
        follows: impl Fn(&I) -> Option<(NounId, T)> + Sync,
    ) -> Self {
        if nouns.len() < NOUNS_FOR_A_SECOND_THREAD {
            return nouns.iter().filter_map(follows).collect();
        }
        let (first, second) = nouns.split_at(nouns.len() / 2);
        let half = |nouns: &[I]| {
            let mut found = Vec::with_capacity(nouns.len());
            found.extend(nouns.iter().filter_map(&follows));
            found
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| half(second));
            let first = half(first);
            let second = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            first.into_iter().chain(second).collect()
        })
    }
}

impl<T> FromIterator<(NounId, T)> for OfNouns<T> {
    fn from_iter<I: IntoIterator<Item = (NounId, T)>>(all: I) -> Self {
        let mut of_nouns = Vec::new();
        for (id, it) in all {
            let at = id.0 as usize;
            if of_nouns.len() <= at {
                of_nouns.resize_with(at + 1, || None);
            }
            if let Some(place) = of_nouns.get_mut(at) {
                *place = Some(it);
            }
        }
        Self(of_nouns)
    }
}
