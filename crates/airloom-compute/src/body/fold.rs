//! The seam between groups and who folds their rows: compiled code that computes what reductions read and adds it up in one loop.

use crate::data::{RunContext, Selection, Vector};
use crate::reduce::{Fold, Folded};
use airloom_ir::graph::NodeId;
use airloom_ir::types::TyId;

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
    /// The group of each row, where there are more than [`LANE_GROUPS`](crate::reduce::LANE_GROUPS).
    Many {
        /// The groups.
        groups: &'a [u32],
        /// For each fold the sums of floats that its groups have so far, where it goes on from them.
        so_far: &'a [Option<&'a [f64]>],
    },
}

/// A fold made ready. It is immutable: one serves all threads and all runs.
pub trait FoldKernel: Send + Sync {
    /// What each fold comes to over the selected rows of a batch, of whose groups there are `count`. `None` where some row is not computed by it: then nothing was folded.
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection, groups: FoldGroups<'_>, count: usize) -> Option<Vec<Folded>>;

    /// Whether it may be given rows that are to be left out, of several groups or one: the order of rows does not show in its sums, none that was left out has raised so far, and it is
    /// worth being given them.
    fn leaves_out(&self, context: &RunContext, several: bool) -> bool;
}
