//! As-of joins.

use super::{Builder, Built, group_apply::made};
use crate::operators::single_partition;
use airloom_compute::data::record_batch;
use airloom_compute::keys::{GroupTable, grouped};
use airloom_compute::order::{Asof as Search, AsofSide};
use airloom_plan::value::{Asof, Node, PlanId};
use arrow::compute::take;

impl Builder<'_> {
    pub(super) fn asof(&mut self, id: PlanId, node: &Node, asof: &Asof) -> Built {
        let graph = self.plan.graph.clone();
        let (left, right) = (&self.plan.node(node.inputs[0]).columns, &self.plan.node(node.inputs[1]).columns);
        let on_types = [graph.ty_id(graph.result_of(asof.left_on.function)), graph.ty_id(graph.result_of(asof.right_on.function))];
        let (left_on, right_on) = (self.value_body(&asof.left_on, left), self.value_body(&asof.right_on, right));
        let (left_by, left_types) = self.row_body(&asof.left_by, left);
        let (right_by, right_types) = self.row_body(&asof.right_by, right);
        // A key that may be null on one side may be so in the table of both.
        let either = |(&left, &right)| if graph.types().nullable(left) { left } else { right };
        let key_types: Vec<_> = left_types.iter().zip(&right_types).map(either).collect();
        let search = Search { direction: asof.direction, exact: asof.exact, tolerance: self.value(asof.tolerance) };
        let inputs = node.inputs.iter().map(|&input| self.sealed(input)).collect();
        let (schema, hashing) = (self.schema(&node.columns), self.options.hashing());
        let made_schema = schema.clone();
        let operator = single_partition(self.options, "Asof", inputs, schema, move |batches| {
            let (left, right, types) = (&batches[0], &batches[1], graph.types());
            let left_on = made(types, &left_on, &on_types[..1], left)?.pop().expect("a body has a result");
            let right_on = made(types, &right_on, &on_types[1..], right)?.pop().expect("a body has a result");
            let left_by = made(types, &left_by, &left_types, left)?;
            let right_by = made(types, &right_by, &right_types, right)?;
            let (mut table, right_keys): (GroupTable, Vec<u32>) = grouped(types, hashing, &key_types, &right_by, right.num_rows());
            let mut left_keys = Vec::new();
            table.number(types, &left_by, left.num_rows(), &mut left_keys);
            let (left_side, right_side) = (AsofSide { on: &left_on, keys: &left_keys }, AsofSide { on: &right_on, keys: &right_keys });
            let matches = search.matches(types.plain(on_types[0]), &left_side, &right_side);
            let found = right.columns().iter().map(|column| take(column, &matches, None).expect("rows of the right"));
            let columns = left.columns().iter().cloned().chain(found).collect();
            Ok(record_batch(&made_schema, columns, left.num_rows()))
        });
        self.operator(id, operator)
    }
}
