//! Ops on sequences over a part that comes in pieces, one after the other.

use super::batched::Batched;
use super::group_value::GroupValue;
use super::sequences::applied;
use airloom_compute::array::{self, Carried};
use airloom_compute::data::{Datum, Failure, NdArray};
use airloom_ir::graph::NodeId;
use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use std::collections::HashMap;

/// What the pieces so far have left for the next one, for each op that looks at elements before its own.
pub(in crate::operators) struct Onward {
    /// Ops that look at a number of elements before each, and at how many.
    before: HashMap<NodeId, usize>,
    /// The last elements that these were given.
    elements: HashMap<NodeId, ArrayRef>,
    /// What the others have come to.
    carried: HashMap<NodeId, Carried>,
}

impl Onward {
    /// Before the first piece.
    pub(in crate::operators) fn new(before: HashMap<NodeId, usize>) -> Onward {
        Onward { before, elements: HashMap::new(), carried: HashMap::new() }
    }

    /// The elements an op makes of the next piece; nothing where only the whole part will do.
    pub(super) fn sequence(&mut self, batched: &Batched<'_>, id: NodeId) -> Result<Option<ArrayRef>, Failure> {
        let graph = batched.graph;
        let GroupValue::Rows(items) = batched.known(graph.args(id)[0]) else { return Ok(None) };
        let Some(&before) = self.before.get(&id) else {
            let args = [Datum::Array(NdArray::flat(items.clone()))];
            return Ok(array::onward(graph, id, &args, batched.runner, self.carried.entry(id).or_default()));
        };
        let all = match self.elements.get(&id) {
            Some(elements) => concat(&[elements, items]).expect("elements of one type"),
            None => items.clone(),
        };
        let left = before.min(all.len());
        self.elements.insert(id, all.slice(all.len() - left, left));
        let made = applied(batched, id, all.clone(), 0, &(0..items.len()))?;
        Ok(made.map(|made| made.slice(all.len() - items.len(), items.len())))
    }
}
