//! Bodies that see the columns of some rows as arrays, over many such parts of a relation: groups, partitions of windows, cells of pivots.

mod batched;
mod group_value;
mod in_place;
mod layout;
mod onward;
mod per_group;
mod sequences;

use crate::blocks::{Executable, NoRelations, Runner};
use airloom_compute::array::GroupsInPlace;
use airloom_compute::data::{Datum, Failure, RunContext, Vector};
use airloom_ir::graph::NodeId;
use airloom_plan::value::BlockId;
use arrow::array::ArrayRef;
use layout::Layout;
pub(super) use onward::Onward;
use std::cell::RefCell;
use std::sync::Arc;

/// A body over the columns of each part.
pub struct GroupBody {
    /// The plan that it is of.
    pub plan: Arc<Executable>,
    /// The host, and what may stop the run.
    pub context: Arc<RunContext>,
    /// On how many threads array ops may work.
    pub threads: usize,
    /// The body: the columns, then what it captures.
    pub body: NodeId,
    /// The same as a block.
    pub block: BlockId,
    /// What it captures.
    pub captures: Vec<Datum>,
}

/// The columns that a body sees, field by field, the rows of one part after those of the other. Fields it does not read are not there.
pub type GroupColumns = Vec<Option<ArrayRef>>;

impl GroupBody {
    /// The columns it makes, each as long as all parts batched. `ends` says where each part ends.
    pub fn columns(&self, columns: &GroupColumns, ends: &[usize]) -> Result<Vec<ArrayRef>, Failure> {
        self.either(
            |runner| Ok(batched::run(self, runner, columns, Layout::Together(ends), None)?.and_then(batched::into_columns)),
            |runner| per_group::columns(self, runner, columns, ends),
        )
    }

    /// Whether it goes from row to row, so that rows of a part need not be brought together.
    pub(crate) fn goes_in_place(&self) -> bool {
        in_place::suits(&self.plan.graph, self.body)
    }

    /// Whether it goes from row to row in such a way that pieces of the rows can be worked at once.
    pub(crate) fn goes_in_pieces(&self) -> bool {
        self.goes_in_place() && in_place::goes_in_pieces(&self.plan.graph, self.body)
    }

    /// The columns it makes of `count` parts whose rows are where they were, given the part of each, on up to `threads` threads, which look at `piece` rows in one go; nothing where they must be
    /// brought together after all, as they must where it raises, so that the first part that raises is heard.
    pub(crate) fn columns_in_place(
        &self,
        columns: &GroupColumns,
        of_rows: &[u32],
        count: usize,
        threads: usize,
        piece: usize,
    ) -> Option<Vec<ArrayRef>> {
        let groups = Layout::InPlace(GroupsInPlace { of_rows, count, threads, piece });
        batched::run(self, &self.runner(), columns, groups, None).ok()?.and_then(batched::into_columns)
    }

    /// The columns it makes of one part that comes in pieces: those of the next piece of some rows, after what the pieces before it have left. Nothing where only the
    /// whole part will do.
    pub(super) fn columns_onward(
        &self,
        columns: &GroupColumns,
        rows: usize,
        left: &RefCell<Onward>,
    ) -> Result<Option<Vec<ArrayRef>>, Failure> {
        Ok(batched::run(self, &self.runner(), columns, Layout::Together(&[rows]), Some(left))?.and_then(batched::into_columns))
    }

    /// The value it makes of each part.
    pub fn values(&self, columns: &GroupColumns, ends: &[usize]) -> Result<Vector, Failure> {
        self.either(
            |runner| Ok(batched::run(self, runner, columns, Layout::Together(ends), None)?.and_then(|made| batched::into_lane(self, made))),
            |runner| per_group::values(self, runner, columns, ends),
        )
    }

    /// All parts at once where that is possible; else, or where that raises, one part after the other, so that the first part that raises is heard.
    fn either<T>(
        &self,
        batched: impl FnOnce(&Runner<'_>) -> Result<Option<T>, Failure>,
        each: impl FnOnce(&Runner<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if let Ok(Some(made)) = batched(&self.runner()) {
            return Ok(made);
        }
        self.context.cancel.check()?;
        each(&self.runner())
    }

    fn runner(&self) -> Runner<'_> {
        Runner::new(&self.plan, &self.context, self.threads, &NoRelations)
    }
}
