//! Of which elements a running result is, and what it has come to.

use super::carried::Carried;
use crate::data::{fill_pieces, parallel_map};
use arrow::array::BooleanBufferBuilder;
use arrow::buffer::{BooleanBuffer, NullBuffer};
use std::ops::Range;

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
    /// On how many threads they may be looked at.
    pub threads: usize,
    /// How many rows a thread looks at in one go. What each group has come to is kept for each such piece.
    pub piece: usize,
}

impl GroupsInPlace<'_> {
    /// Whether it is worth to look at the rows in pieces.
    pub(super) fn go_in_pieces(self) -> bool {
        self.threads > 1 && self.of_rows.len() > self.piece
    }
}

/// The positions of a range, from its end where `reverse`.
pub(super) fn places(range: Range<usize>, reverse: bool) -> impl Iterator<Item = usize> {
    let Range { start, end } = range;
    (start..end).map(move |at| if reverse { start + (end - 1 - at) } else { at })
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

/// The results of all rows, and which of them are no nulls, on several threads. What each group comes to in each piece of the rows is found first, by itself; then what it has come to before each; and
/// from there the results of the piece. `next` makes the result of a row of what its group has come to, and `merge` what two pieces come to, one after the other; nothing where that raises.
pub(super) fn in_pieces<S: Clone + Default + Send + Sync, R: Copy + Default + Send>(
    groups: GroupsInPlace<'_>,
    reverse: bool,
    next: impl Fn(&mut S, usize) -> Option<Option<R>> + Sync,
    merge: impl Fn(&S, &S) -> Option<S>,
) -> Option<(Vec<R>, Option<NullBuffer>)> {
    let GroupsInPlace { of_rows, count, threads, piece } = groups;
    let ends: Vec<usize> = (0..of_rows.len()).step_by(piece).map(|start| (start + piece).min(of_rows.len())).collect();
    let range = |number: usize| number * piece..ends[number];
    let come_to = |(): &mut (), number: usize| {
        let mut states = vec![S::default(); count];
        for at in places(range(number), reverse) {
            next(&mut states[of_rows[at] as usize], at).ok_or(())?;
        }
        Ok::<_, ()>(states)
    };
    let mut before = parallel_map(threads, ends.len(), || (), come_to).ok()?;
    let mut so_far = vec![S::default(); count];
    for number in places(0..ends.len(), reverse) {
        let after = so_far.iter().zip(&before[number]).map(|(so_far, own)| merge(so_far, own)).collect::<Option<Vec<S>>>()?;
        before[number] = std::mem::replace(&mut so_far, after);
    }
    let mut results = vec![R::default(); of_rows.len()];
    let valid = fill_pieces(threads, &mut results, &ends, |number, results| {
        let (range, mut states) = (range(number), before[number].clone());
        let mut valid: Option<Vec<bool>> = None;
        for at in places(range.clone(), reverse) {
            match next(&mut states[of_rows[at] as usize], at).ok_or(())? {
                Some(result) => results[at - range.start] = result,
                None => valid.get_or_insert_with(|| vec![true; range.len()])[at - range.start] = false,
            }
        }
        Ok::<_, ()>(valid.map(BooleanBuffer::from))
    });
    let valid = valid.ok()?;
    let nulls = valid.iter().any(Option::is_some).then(|| {
        let mut all = BooleanBufferBuilder::new(of_rows.len());
        for (number, valid) in valid.iter().enumerate() {
            match valid {
                Some(valid) => all.append_buffer(valid),
                None => all.append_n(range(number).len(), true),
            }
        }
        NullBuffer::new(all.finish())
    });
    Some((results, nulls))
}
