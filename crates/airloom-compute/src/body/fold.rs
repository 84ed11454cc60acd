//! The seam between groups and who folds their rows: compiled code that computes what reductions read and adds it up in one loop.

use crate::data::{RunContext, Selection, Vector};
use crate::reduce::{Fold, Folded};
use airloom_ir::graph::NodeId;
use airloom_ir::types::TyId;
use arrow::buffer::BooleanBuffer;

/// A value that folds read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoldInput {
    /// A column, of this type: the next of what is given.
    Column(TyId),
    /// A body over values before this one. What it captures is the next of what is given.
    Map {
        /// The body.
        function: NodeId,
        /// Which values its first parameters are.
        inputs: Vec<usize>,
    },
}

/// What is folded: values, and what is made of some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoldSpec {
    /// The values, one after the other.
    pub inputs: Vec<FoldInput>,
    /// Each fold, with the number of the value that it is of.
    pub folds: Vec<(Fold, usize)>,
}

/// The groups of the rows that are folded.
#[derive(Clone, Copy, Debug)]
pub enum FoldGroups<'a> {
    /// All rows are of one.
    One,
    /// The group of each row.
    Each(&'a [u32]),
    /// The group of each row, or the number after the last group where the row is left out.
    Some(&'a [u32]),
    /// All rows are of one, but for those that a mask does not select, which are left out.
    Masked(&'a BooleanBuffer),
}

/// What folds of many groups have come to over some batches, in numbers of the kernel's own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoldTotals {
    /// The numbers of all groups, one group after the other.
    pub words: Vec<u64>,
    /// How many groups there were.
    pub groups: usize,
    /// How large the sums of decimals may have become.
    pub largest: u128,
}

/// A fold made ready. It is immutable: one serves all threads and all runs.
pub trait FoldKernel: Send + Sync {
    /// What each fold comes to over the selected rows of a batch, of whose groups there are `count`. `None` where some row is not computed by it: then nothing was folded.
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection, groups: FoldGroups<'_>, count: usize) -> Option<Vec<Folded>>;

    /// What folds of many groups begin with: for each of them the sums of floats that its `count` groups have so far, where it adds those up.
    fn begin(&self, so_far: &[Option<&[f64]>], count: usize) -> FoldTotals;

    /// Takes the selected rows of a batch into totals of more than [`LANE_GROUPS`](crate::reduce::LANE_GROUPS) groups, of which there are `count` by now. Where it returns
    /// false, some row is not computed by it, and the totals are as they were.
    fn run_many(
        &self,
        context: &RunContext,
        given: &[Vector],
        rows: &Selection,
        groups: &[u32],
        count: usize,
        totals: &mut FoldTotals,
    ) -> bool;

    /// What each fold has come to in totals.
    fn finish(&self, totals: &FoldTotals) -> Vec<Folded>;

    /// Whether it may be given rows that are to be left out, of several groups or one: the order of rows does not show in its sums, none that was left out has raised so far, and it is
    /// worth being given them.
    fn leaves_out(&self, context: &RunContext, several: bool) -> bool;
}
