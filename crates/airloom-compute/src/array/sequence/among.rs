//! Of which elements a running result is, and what it has come to.

use super::carried::Carried;

/// The elements that a running result goes over.
pub(super) enum Among<'a> {
    /// All of an array.
    All,
    /// Those of the next piece of one.
    Onward(&'a mut Carried),
    /// Those of groups that lie among each other, each group by itself.
    Groups(GroupsInPlace<'a>),
}

/// Rows of groups that lie among each other.
#[derive(Clone, Copy)]
pub struct GroupsInPlace<'a> {
    /// The number of each row's group.
    pub of_rows: &'a [u32],
    /// How many groups there are.
    pub count: usize,
}

/// What results have come to: the one there is, or that of each group.
pub(super) trait States<S> {
    /// That which the element at a position goes on from.
    fn at(&mut self, position: usize) -> &mut S;
}

/// Of one array.
pub(super) struct One<S>(pub(super) S);

impl<S> States<S> for One<S> {
    #[inline(always)]
    fn at(&mut self, _: usize) -> &mut S {
        &mut self.0
    }
}

/// Of each group.
pub(super) struct PerGroup<'a, S> {
    groups: &'a [u32],
    states: Vec<S>,
}

impl<'a, S: Clone> PerGroup<'a, S> {
    pub(super) fn new(groups: GroupsInPlace<'a>, first: S) -> PerGroup<'a, S> {
        PerGroup { groups: groups.of_rows, states: vec![first; groups.count] }
    }
}

impl<S> States<S> for PerGroup<'_, S> {
    #[inline(always)]
    fn at(&mut self, position: usize) -> &mut S {
        &mut self.states[self.groups[position] as usize]
    }
}
