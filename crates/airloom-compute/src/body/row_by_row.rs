//! Bodies on the oracle, one row after the other: for those that cannot be computed over vectors, and for rows that raise.

use super::kernel::{Exit, Kernel};
use crate::data::{RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many rows are computed between two looks at whether the run is cancelled.
const LOOK: usize = 256;

/// The last kernel of every body: what it says holds.
pub(super) struct RowByRow {
    graph: Arc<Graph>,
    given: Vec<NodeId>,
    /// The types of what is given, where it is read. A parameter that is not read has no node, and no type.
    types: Vec<Option<TyId>>,
    roots: Vec<NodeId>,
}

impl RowByRow {
    /// Of nodes of a body.
    pub(super) fn new(graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId]) -> RowByRow {
        let computed = graph.block_order_above(given, roots);
        let not_function = |id: &&NodeId| graph.op(**id) != Op::Core(Core::Lambda);
        let read: BTreeSet<NodeId> = computed.iter().filter(not_function).flat_map(|&id| graph.args(id)).chain(roots).copied().collect();
        let types = given.iter().map(|id| read.contains(id).then(|| graph.ty_id(*id))).collect();
        RowByRow { graph: graph.clone(), given: given.to_vec(), types, roots: roots.to_vec() }
    }
}

impl Kernel for RowByRow {
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Exit> {
        let types = self.graph.types();
        let given: Vec<Vector> = given.iter().map(|vector| rows.vector(vector)).collect();
        let host = |name: &str, args: &[Value]| context.host.value(name, args);
        let oracle = context.oracle(&self.graph, &host);
        let roots = oracle.roots(&self.given, &self.roots);
        let mut columns: Vec<Vec<Value>> = vec![Vec::with_capacity(rows.len()); self.roots.len()];
        for row in 0..rows.len() {
            if row % LOOK == 0 {
                context.cancel.check().map_err(Exit::Stop)?;
            }
            let value = |(vector, ty): (&Vector, &Option<TyId>)| ty.map_or(Value::Null, |ty| vector.value(types, ty, row));
            let args: Vec<Value> = given.iter().zip(&self.types).map(value).collect();
            let made = roots.compute(&args).map_err(Exit::Stop)?;
            columns.iter_mut().zip(made).for_each(|(column, value)| column.push(value));
        }
        let vector = |(root, values): (&NodeId, &Vec<Value>)| Vector::from_values(types, self.graph.ty_id(*root), values);
        Ok(self.roots.iter().zip(&columns).map(vector).collect())
    }
}
