//! Joins: the build side, its hash table and the probe as one operator.

use super::{Builder, Built};
use crate::adapter::OperatorExec;
use crate::operators::{Join, JoinKind, JoinSide, Predicate, Shape, positions, sorted};
use airloom_compute::data::Failure;
use airloom_ir::attrs::{JoinHow, Side, SortKey};
use airloom_ir::types::TyId;
use airloom_plan::value::{HashProbe, Kind, Node, Order, PlanId};
use arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion_physical_plan::ExecutionPlanProperties;
use std::sync::Arc;

/// What the position of a build row is called.
const POSITION: &str = "position";

impl Builder<'_> {
    pub(super) fn join(&mut self, id: PlanId, node: &Node, probe: &HashProbe) -> Result<Built, Failure> {
        let build_node = self.plan.node(node.inputs[1]);
        let Kind::HashBuild(table) = &build_node.kind else {
            return Err(Failure::Bug("invariant `a probe reads a hash table`".into()));
        };
        let (probe_columns, build_columns) = (&self.plan.node(node.inputs[0]).columns, &build_node.columns);
        let left_probes = probe.probe == Side::Left;
        let (keeps_left, keeps_right) =
            (matches!(probe.how, JoinHow::Left | JoinHow::Outer), matches!(probe.how, JoinHow::Right | JoinHow::Outer));
        let kind = match (probe.how, left_probes) {
            (JoinHow::Semi | JoinHow::Anti, true) => JoinKind::Probe { matched: probe.how == JoinHow::Semi },
            (JoinHow::Semi | JoinHow::Anti, false) => JoinKind::Build { matched: probe.how == JoinHow::Semi },
            (_, true) => JoinKind::Pairs { keep_probe: keeps_left, keep_build: keeps_right },
            (_, false) => JoinKind::Pairs { keep_probe: keeps_right, keep_build: keeps_left },
        };
        let (probe_keys, _) = self.row_body(&probe.keys, probe_columns);
        let (build_keys, _) = self.row_body(&table.keys, build_columns);
        let side = |is_left: bool| if is_left == left_probes { JoinSide::Probe } else { JoinSide::Build };
        let (left_columns, right_columns) = if left_probes { (probe_columns, build_columns) } else { (build_columns, probe_columns) };
        let predicate = probe.residual.as_ref().map(|residual| {
            let sided = |param: usize, columns, is_left: bool| -> Vec<Option<(JoinSide, usize)>> {
                let positions = self.positions(residual.function, param, columns);
                positions.iter().map(|position| position.map(|at| (side(is_left), at))).collect()
            };
            Predicate {
                program: self.bound(self.plan.programs().of_function(residual.function)),
                left: sided(0, left_columns, true),
                right: sided(1, right_columns, false),
                captures: self.captures(residual),
            }
        });
        // Both sides differ in the names of their columns; of a semi or anti join only the left ones are made.
        let filters = probe.how.is_test();
        let mut output = Vec::with_capacity(node.columns.len() + 1);
        for column in &node.columns {
            let at = |columns: &[airloom_plan::value::Column]| columns.iter().position(|own| own.name == column.name);
            let found = at(left_columns).map(|at| (side(true), at));
            let found = found.or_else(|| if filters { None } else { at(right_columns).map(|at| (side(false), at)) });
            output.push(found.expect("invariant `what is wanted is there`"));
        }
        let schema = self.schema(&node.columns);
        let probe_rows = self.sealed(node.inputs[0]);
        let mut build_rows = self.sealed(node.inputs[1]);
        let mut joined = schema.clone();
        if probe.restores_order {
            let position = build_rows.schema().fields().len();
            build_rows = positions(build_rows, POSITION);
            output.push((JoinSide::Build, position));
            joined = with_field(&schema, build_rows.schema().field(position));
        }
        let learned = table.publishes.iter().map(|published| (published.key, self.filter_of(published.filter))).collect();
        let operator = Join {
            graph: self.plan.graph.clone(),
            cancel: self.context.cancel.clone(),
            options: self.options.clone(),
            probe_keys,
            build_keys,
            key_types: table.key_types.clone(),
            nulls_equal: table.nulls_equal,
            predicate,
            kind,
            shape: Shape { output, schema: joined.clone() },
            gathered: if left_probes { Side::Right } else { Side::Left },
            ordered: node.properties.order == Order::Exact,
            learned,
        };
        let (operator, partitions) = operator.operator(probe_rows.output_partitioning().partition_count());
        let operator = OperatorExec::plan(operator, vec![probe_rows, build_rows], joined, partitions);
        let built = self.operator(id, operator);
        if !probe.restores_order {
            return Ok(built);
        }
        // Rows that found the same build row stay in the order in which they probed.
        let ascending = SortKey { descending: false, nulls_first: false };
        let own = schema.fields().len();
        let ordered = sorted(built.base.clone(), self.sorting(built.base.schema(), schema, own, vec![TyId::I64], vec![ascending]), None);
        Ok(Built::new(ordered?))
    }
}

/// A schema with one more field.
fn with_field(schema: &SchemaRef, more: &Field) -> SchemaRef {
    Arc::new(Schema::new(schema.fields().iter().cloned().chain([Arc::new(more.clone())]).collect::<Vec<_>>()))
}
