//! Distinct rows: a grouping by their keys, of which the first or the last row is kept, or the only one.

use super::rows::select;
use super::{Builder, Built};
use crate::adapter::OperatorExec;
use crate::operators::{self, AggregateInputs, BoundBody, FilterStep, Group, GroupInputs, InputColumn, Output};
use crate::schedule::Once;
use airloom_compute::data::Failure;
use airloom_compute::reduce::ReductionSpec;
use airloom_ir::attrs::{Attr, AttrType, Keep, Skip, SortKey};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::TyId;
use airloom_plan::value::{Body, KeyFacts, Node, Order, PlanId};
use arrow::array::{ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use std::sync::Arc;

/// Where a column of a row that is kept comes from.
enum Kept {
    /// A key, which is emitted as it was first seen.
    Key(usize),
    /// A reduction.
    Reduced(usize),
}

impl Builder<'_> {
    pub(super) fn distinct(&mut self, id: PlanId, node: &Node, keys: &Body, keep: Keep, known: &KeyFacts) -> Result<Built, Failure> {
        let columns = &self.plan.node(node.inputs[0]).columns;
        let (keys, key_types) = self.row_body(keys, columns);
        let width = columns.len();
        // Groups are in the order of their first rows; last rows are put in order again.
        let by_position = keep == Keep::Last && !key_types.is_empty();
        // Without keys there is one group, also of no rows.
        let counted = keep == Keep::None || key_types.is_empty();
        let mut input = self.sealed(node.inputs[0]);
        let kept_schema = input.schema();
        if by_position || (counted && width == 0) {
            input = operators::positions(input, "position");
        }
        let mut reductions = Reductions { node: keys_node(self, node), steps: Vec::new(), specs: Vec::new() };
        let pick = if keep == Keep::Last { Reduce::Last } else { Reduce::First };
        let mut kept = Vec::with_capacity(width);
        for (at, column) in columns.iter().enumerate() {
            let key = keys.outputs.iter().position(|output| *output == Output::Column(at)).filter(|_| keep != Keep::Last);
            kept.push(key.map_or_else(|| Kept::Reduced(reductions.add(pick, at, column.ty)), Kept::Key));
        }
        let mut fields: Vec<Arc<Field>> = kept_schema.fields().iter().map(Arc::clone).collect();
        let count = counted.then(|| {
            fields.push(Arc::new(Field::new("kept", DataType::Boolean, false)));
            reductions.add(Reduce::Count, 0, columns.first().map_or(TyId::I64, |column| column.ty))
        });
        let position = by_position.then(|| {
            fields.push(Arc::new(Field::new("position", DataType::Int64, true)));
            reductions.add(Reduce::Last, width, TyId::I64)
        });
        let finish = move |keys: &[ArrayRef], reduced: Vec<ArrayRef>, _: usize| -> Result<Vec<ArrayRef>, Failure> {
            let column = |kept: &Kept| match *kept {
                Kept::Key(at) => keys[at].clone(),
                Kept::Reduced(at) => reduced[at].clone(),
            };
            let wanted = |count: &i64| if keep == Keep::None { *count == 1 } else { *count > 0 };
            let booleans = count.map(|at| {
                let counts = reduced[at].as_primitive::<Int64Type>();
                Arc::new(counts.values().iter().map(wanted).map(Some).collect::<BooleanArray>()) as ArrayRef
            });
            Ok(kept.iter().map(column).chain(booleans).chain(position.map(|at| reduced[at].clone())).collect())
        };
        let (schema, partitions) = (Arc::new(Schema::new(fields)), self.options.threads);
        let values = AggregateInputs { steps: reductions.steps };
        let operator = Group {
            inputs: Arc::new(GroupInputs {
                fold: None,
                graph: self.plan.graph.clone(),
                cancel: self.context.cancel.clone(),
                options: self.options.clone(),
                keys,
                key_types,
                known: known.clone(),
                values,
                reductions: reductions.specs,
                rows: self.plan.node(node.inputs[0]).properties.rows,
            }),
            finish: Arc::new(finish),
            schema: schema.clone(),
            partitions,
            ordered: !by_position && node.properties.order != Order::Free,
            result: Once::default(),
        };
        let grouped = OperatorExec::plan(operator, vec![input], schema.clone(), partitions);
        if by_position {
            let ascending = SortKey { descending: false, nulls_first: false };
            let sorted = operators::sorted(
                grouped.clone(),
                self.sorting(grouped.schema(), kept_schema, width, vec![TyId::I64], vec![ascending]),
                None,
            );
            return Ok(self.operator(id, sorted?));
        }
        let grouped = self.operator(id, grouped);
        if !counted {
            return Ok(grouped);
        }
        let is_kept = BoundBody { program: None, fields: Vec::new(), captures: Vec::new(), outputs: vec![Output::Column(width)] };
        let own: Vec<usize> = (0..width).collect();
        Ok(select(grouped.with_step(id, FilterStep::Filter(is_kept), schema), id, &own))
    }
}

/// The node of the program that errors name; any node where the plan does not know it, since these reductions raise none.
fn keys_node(builder: &Builder<'_>, node: &Node) -> NodeId {
    builder.origin(node).unwrap_or_else(|| builder.plan.graph.ids().next().expect("a plan with a body has a node"))
}

/// Reductions of columns as they are.
struct Reductions {
    node: NodeId,
    steps: Vec<InputColumn>,
    specs: Vec<(ReductionSpec, usize)>,
}

impl Reductions {
    /// One more, of all elements of a column; its number.
    fn add(&mut self, op: Reduce, column: usize, ty: TyId) -> usize {
        let attrs = vec![Attr::Ints(Arc::from([])), Skip::None.to_attr()];
        let spec = ReductionSpec { node: self.node, op, attrs, element: ty, ty, rest: Vec::new(), arg_types: vec![ty] };
        self.specs.push((spec, self.steps.len()));
        self.steps.push(InputColumn::Column(column));
        self.specs.len() - 1
    }
}
