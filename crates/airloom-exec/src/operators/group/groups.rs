//! Groups of some rows, and their reductions.

use super::GroupInputs;
use super::columns::Columns;
use airloom_compute::data::Failure;
use airloom_compute::keys::GroupTable;
use airloom_compute::reduce::{Groups as RowGroups, Moves, Reduction};
use airloom_ir::types::Types;
use airloom_plan::value::KeyFacts;
use arrow::array::ArrayRef;

/// Groups of some rows.
pub(super) struct Groups {
    pub(super) table: GroupTable,
    pub(super) states: Vec<Box<dyn Reduction>>,
}

/// What groups have come to: their keys, and the value of each reduction.
#[derive(Clone)]
pub(super) struct Reduced {
    pub(super) keys: Vec<ArrayRef>,
    pub(super) values: Vec<ArrayRef>,
    pub(super) count: usize,
}

impl Groups {
    /// None yet, by keys of which this is known. `later` says that rows of earlier partitions will be put before its own.
    pub(super) fn new(inputs: &GroupInputs, known: &KeyFacts, later: bool) -> Groups {
        let hashing = inputs.options.hashing();
        let table = GroupTable::new(inputs.graph.types(), &inputs.key_types, hashing, known);
        Groups { table, states: states(inputs, later) }
    }

    pub(super) fn size(&self) -> usize {
        self.table.size() + self.states.iter().map(|s| s.size()).sum::<usize>()
    }

    /// Takes in rows by their keys and the columns of their reductions. The group of each row is left in `numbers`.
    pub(super) fn take(&mut self, types: &Types, columns: &Columns, numbers: &mut Vec<u32>) -> Result<(), Failure> {
        self.table.number(types, &columns.keys, columns.rows, numbers);
        self.reduce(columns, numbers)
    }

    /// Takes in rows whose groups are known.
    pub(super) fn reduce(&mut self, columns: &Columns, numbers: &[u32]) -> Result<(), Failure> {
        reduce(&mut self.states, columns, numbers, self.table.len())
    }

    /// Takes in groups of later rows, by their keys: some of them, or all.
    pub(super) fn merge(&mut self, types: &Types, keys: &[ArrayRef], later: &Groups, some: Option<&[u32]>) -> Result<(), Failure> {
        let mut numbers = Vec::new();
        self.table.number(types, keys, some.map_or(later.table.len(), <[u32]>::len), &mut numbers);
        let moves = some.map_or_else(|| Moves::all(&numbers), |some| Moves::some(some, &numbers));
        for (state, other) in self.states.iter_mut().zip(&later.states) {
            state.merge(other.as_ref(), moves, self.table.len())?;
        }
        Ok(())
    }

    /// What they have come to, made on up to `threads` threads.
    pub(super) fn reduced(mut self, types: &Types, threads: usize) -> Result<Reduced, Failure> {
        let count = self.table.len();
        let keys = self.table.keys(types);
        let values = self.states.iter_mut().map(|state| state.finish(count, threads)).collect::<Result<Vec<_>, _>>()?;
        Ok(Reduced { keys, values, count })
    }
}

/// Fresh states of all reductions.
pub(super) fn states(inputs: &GroupInputs, later: bool) -> Vec<Box<dyn Reduction>> {
    let hashing = inputs.options.hashing();
    inputs.reductions.iter().map(|(spec, _)| spec.state(&inputs.graph, hashing, &inputs.cancel, later)).collect()
}

/// Takes rows whose groups are known into states of `count` groups.
pub(super) fn reduce(states: &mut [Box<dyn Reduction>], columns: &Columns, numbers: &[u32], count: usize) -> Result<(), Failure> {
    let groups = if columns.keys.is_empty() { RowGroups::One } else { RowGroups::Each(numbers) };
    for (state, values) in states.iter_mut().zip(&columns.values) {
        state.update(groups, values, count)?;
    }
    Ok(())
}
