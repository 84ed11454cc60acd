//! `rel.group` as a plan, where the aggregates are more than reductions of what is mapped.

use super::oracle::by_oracle;
use super::{OverParts, over_keys};
use crate::operators::{Keyed, OneFor, runs_over_parts};
use crate::plan::body::row_body;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at, reads};
use airloom_compute::body::lane_part;
use airloom_compute::data::{Failure, record_batch, schema_of};
use airloom_compute::keys::GroupTable;
use airloom_compute::order::Parts;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::types::TyId;
use arrow::array::RecordBatch;

/// What such a grouping reads of its input.
pub(in crate::plan) fn group_needs(graph: &Graph, id: NodeId) -> Places {
    let group = graph.as_group(id).expect("it is one");
    if !runs_over_parts(graph, group.aggregates) {
        return all(fields_at(graph, group.input).len());
    }
    [group.keys, group.aggregates].iter().flat_map(|&body| reads(graph, &[graph.result_of(body)], 0)).collect()
}

/// The plan of such a grouping.
pub(in crate::plan) fn group(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let group = graph.as_group(id).expect("it is one");
    if !runs_over_parts(graph, group.aggregates) {
        return by_oracle(planner, id, vec![input], wanted);
    }
    let width = fields_at(graph, group.input).len();
    let key_fields = fields_at(graph, graph.result_of(group.keys)).len();
    let captures = planner.captures(&group.captures)?;
    let (keys, key_types) = row_body(&shared, group.keys, &all(key_fields), &input, width, captures);
    let over = OverParts::new(planner, group.aggregates, &group.captures, &input, group.input)?;
    let schema = schema_of(graph.types(), fields_at(graph, id));
    let columns = (0..schema.fields().len()).collect();
    let aggregate_types: Vec<TyId> = fields_at(graph, graph.result_of(group.aggregates)).iter().map(|field| field.ty).collect();
    let (run, made_schema) = (shared.clone(), schema.clone());
    let make = move |rows: &RecordBatch, table: &GroupTable, groups: &[u32]| {
        let (types, count) = (run.graph.types(), table.len());
        let parts = Parts::of(groups, count);
        let row = over.body.values(&over.columns(rows, &parts), &parts.ends)?;
        let aggregates = aggregate_types.iter().enumerate().map(|(at, &ty)| lane_part(&row, at).to_array(types, ty, count));
        Ok(record_batch(&made_schema, table.keys(types).into_iter().chain(aggregates).collect(), count))
    };
    let keyed = Keyed { name: "Groups", keys, key_types, one_for: OneFor::Key, make: Box::new(make) };
    Ok(over_keys(planner, id, keyed, input, schema, columns))
}
