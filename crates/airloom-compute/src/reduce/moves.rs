//! Which groups of one state are which of another.

use crate::keys::EMPTY;
use std::borrow::Cow;

/// Groups of a state that is merged into another, and the groups that they are there.
#[derive(Clone, Copy)]
pub struct Moves<'a> {
    from: Option<&'a [u32]>,
    to: &'a [u32],
}

impl<'a> Moves<'a> {
    /// All groups: the n-th is group `to[n]` there.
    pub fn all(to: &'a [u32]) -> Moves<'a> {
        Moves { from: None, to }
    }

    /// Some of the groups, in ascending order: `from[n]` is group `to[n]` there.
    pub fn some(from: &'a [u32], to: &'a [u32]) -> Moves<'a> {
        debug_assert_eq!(from.len(), to.len(), "invariant `a group moves to one place`");
        Moves { from: Some(from), to }
    }

    /// Whether no group is left behind.
    pub(super) fn are_all(self) -> bool {
        self.from.is_none()
    }

    /// Each group, and the group that it is there.
    pub(super) fn pairs(self) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let from = move |at: usize| self.from.map_or(at, |from| from[at] as usize);
        self.to.iter().enumerate().map(move |(at, &to)| (from(at), to as usize))
    }

    /// The group there of each value, with the value. What has come to no value yet is not among them.
    pub(super) fn of<T>(self, values: &'a [T]) -> impl Iterator<Item = (usize, &'a T)> + use<'a, T> {
        self.pairs().filter_map(|(from, to)| Some((to, values.get(from)?)))
    }

    /// The group there of every group up to the last that moves; `EMPTY` where it does not.
    pub(super) fn places(self) -> Cow<'a, [u32]> {
        let Some(from) = self.from else { return Cow::Borrowed(self.to) };
        let mut places = vec![EMPTY; from.last().map_or(0, |&last| last as usize + 1)];
        from.iter().zip(self.to).for_each(|(&from, &to)| places[from as usize] = to);
        Cow::Owned(places)
    }
}
