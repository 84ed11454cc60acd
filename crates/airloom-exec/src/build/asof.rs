//! As-of joins.

use super::{Builder, Built};
use crate::operators::{AsofJoin, AsofSide};
use airloom_compute::order::Asof as Search;
use airloom_plan::value::{Asof, Body, Column, Node, Order, PlanId};

impl Builder<'_> {
    pub(super) fn asof(&mut self, id: PlanId, node: &Node, asof: &Asof) -> Built {
        let graph = self.plan.graph.clone();
        let columns = |input: usize| &self.plan.node(node.inputs[input]).columns;
        let left = self.asof_side(&asof.left_on, &asof.left_by, columns(0));
        let right = self.asof_side(&asof.right_on, &asof.right_by, columns(1));
        // A key that may be null on one side may be so in the table of both.
        let either = |(&left, &right)| if graph.types().nullable(left) { left } else { right };
        let key_types = left.by_types.iter().zip(&right.by_types).map(either).collect();
        let join = AsofJoin {
            cancel: self.context.cancel.clone(),
            options: self.options.clone(),
            search: Search { direction: asof.direction, exact: asof.exact, tolerance: self.value(asof.tolerance) },
            left,
            right,
            key_types,
            schema: self.schema(&node.columns),
            ordered: node.properties.order == Order::Exact,
            graph,
        };
        let (left, right) = (self.sealed(node.inputs[0]), self.sealed(node.inputs[1]));
        self.operator(id, join.over(left, right))
    }

    fn asof_side(&self, on: &Body, by: &Body, columns: &[Column]) -> AsofSide {
        let graph = &self.plan.graph;
        let (by, by_types) = self.row_body(by, columns);
        AsofSide { on_type: graph.ty_id(graph.result_of(on.function)), on: self.value_body(on, columns), by, by_types }
    }
}
