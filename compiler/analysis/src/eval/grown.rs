//! A list that grows while declarations are expanded, and is only read afterwards, from several threads.

/// What was there before, read only, and what is added to it.
#[derive(Debug)]
pub(crate) struct Grown<'b, T> {
    below: &'b [T],
    own: Vec<T>,
}

impl<T> Default for Grown<'_, T> {
    fn default() -> Self {
        Self { below: &[], own: Vec::new() }
    }
}

impl<'b, T> Grown<'b, T> {
    /// A list on top of this one, which must not have anything below itself.
    pub(super) fn fork(&'b self) -> Grown<'b, T> {
        Grown { below: &self.own, own: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.below.len() + self.own.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&T> {
        self.below.get(at).or_else(|| self.own.get(at.checked_sub(self.below.len())?))
    }

    /// An element that may be changed; `None` for what lies below.
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.own.get_mut(at.checked_sub(self.below.len())?)
    }

    pub(super) fn push(&mut self, item: T) {
        self.own.push(item);
    }

    /// Gives back the room that was kept for more.
    pub(super) fn complete(&mut self) {
        self.own.shrink_to_fit();
    }

    /// Forgets what was added from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.own.truncate(len.saturating_sub(self.below.len()));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.below.iter().chain(&self.own)
    }
}
