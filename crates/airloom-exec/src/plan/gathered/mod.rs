//! Operators that need their whole inputs, or the columns of some rows as arrays.

mod asof;
mod distinct;
mod group;
mod oracle;
mod pivot;
mod reshape;
mod sample;
mod window;

pub(super) use asof::{asof, asof_needs};
pub(super) use distinct::distinct;
pub(super) use group::{group, group_needs};
pub(super) use oracle::by_oracle;
pub(super) use pivot::{pivot, pivot_needs};
pub(super) use reshape::{explode, explode_needs, unpivot, unpivot_needs};
pub(super) use sample::sample;
pub(super) use window::{window, window_needs};

use super::planned::Planned;
use super::planner::Planner;
use super::reads::fields_at;
use crate::operators::{Keyed, PartBody, PartColumns, RowBody};
use crate::plan::Shared;
use airloom_compute::data::{Datum, Failure};
use airloom_compute::order::Parts;
use airloom_ir::graph::NodeId;
use airloom_ir::types::TyId;
use arrow::array::{ArrayRef, RecordBatch};
use arrow::datatypes::SchemaRef;
use std::sync::Arc;

/// What a body makes of rows, as columns.
fn made(shared: &Shared, body: &RowBody, types: &[TyId], rows: &RecordBatch) -> Result<Vec<ArrayRef>, Failure> {
    let lanes = body.run(rows)?;
    Ok(lanes.iter().zip(types).map(|(lane, &ty)| lane.to_array(shared.graph.types(), ty, rows.num_rows())).collect())
}

/// The plan of an operator over the rows of each key.
fn over_keys(planner: &Planner<'_>, id: NodeId, keyed: Keyed, input: Planned, schema: SchemaRef, columns: Vec<usize>) -> Planned {
    let depth = input.depth + 1;
    let shared = planner.shared;
    let (graph, cancel, options) = (&shared.graph, &shared.context.cancel, &shared.options);
    let plan = keyed.over(graph, cancel, options, input.seal(shared), schema, !planner.order_is_free(id));
    Planned::new(plan, columns, depth)
}

/// A body over the columns of parts, and where each field it sees is found among the columns of its input.
struct OverParts {
    body: PartBody,
    fields: Vec<Option<usize>>,
}

impl OverParts {
    fn new(planner: &Planner<'_>, body: NodeId, captures: &[NodeId], input: &Planned, input_node: NodeId) -> Result<OverParts, Failure> {
        let shared: &Arc<Shared> = planner.shared;
        let captures = captures.iter().map(|&id| planner.given.datum(id)).collect::<Result<Vec<Datum>, Failure>>()?;
        let graph = &shared.graph;
        let mut fields = input.places(fields_at(graph, input_node).len());
        // Only what the body reads is put together by parts.
        let read = super::reads::reads(graph, &[graph.result_of(body)], 0);
        fields.iter_mut().enumerate().filter(|(at, _)| !read.contains(at)).for_each(|(_, place)| *place = None);
        Ok(OverParts { body: PartBody { shared: shared.clone(), body, captures }, fields })
    }

    fn columns(&self, rows: &RecordBatch, parts: &Parts) -> PartColumns {
        self.fields.iter().map(|place| place.map(|at| parts.together(rows.column(at)))).collect()
    }
}
