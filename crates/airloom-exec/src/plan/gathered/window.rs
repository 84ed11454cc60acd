//! `rel.window` as a plan.

use super::oracle::by_oracle;
use super::{OverParts, made, over_keys};
use crate::operators::{Keyed, OneFor, runs_over_parts};
use crate::plan::body::row_body;
use crate::plan::planned::{Planned, schema_part};
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at, reads};
use airloom_compute::data::{Failure, record_batch, schema_of};
use airloom_compute::keys::GroupTable;
use airloom_compute::order::Parts;
use airloom_ir::graph::{Graph, NodeId};
use arrow::array::RecordBatch;

/// What a window reads of its input.
pub(in crate::plan) fn window_needs(graph: &Graph, id: NodeId, wanted: &Places) -> Places {
    let window = graph.as_window(id).expect("it is one");
    let width = fields_at(graph, window.input).len();
    if !runs_over_parts(graph, window.columns) {
        return all(width);
    }
    let bodies = [window.partition, window.order, window.columns];
    let read = bodies.iter().flat_map(|&body| reads(graph, &[graph.result_of(body)], 0));
    wanted.iter().copied().filter(|&at| at < width).chain(read).collect()
}

/// The plan of a window.
pub(in crate::plan) fn window(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let window = graph.as_window(id).expect("it is one");
    if !runs_over_parts(graph, window.columns) {
        return by_oracle(planner, id, vec![input], wanted);
    }
    let width = fields_at(graph, window.input).len();
    let captures = planner.captures(&window.captures)?;
    let fields = |body: NodeId| all(fields_at(graph, graph.result_of(body)).len());
    let (order, order_types) = row_body(&shared, window.order, &fields(window.order), &input, width, captures.clone());
    let (keys, key_types) = row_body(&shared, window.partition, &fields(window.partition), &input, width, captures);
    let over = OverParts::new(planner, window.columns, &window.captures, &input, window.input)?;
    let added = fields_at(graph, graph.result_of(window.columns)).len();
    let columns: Vec<usize> = input.columns.iter().copied().chain(width..width + added).collect();
    let schema = schema_part(&schema_of(graph.types(), fields_at(graph, id)), &columns);
    let (run, made_schema, by) = (shared.clone(), schema.clone(), window.by.clone());
    let make = move |rows: &RecordBatch, table: &GroupTable, groups: &[u32]| {
        let order = made(&run, &order, &order_types, rows)?;
        let count = if rows.num_rows() == 0 { 0 } else { table.len() };
        let parts = Parts::of(groups, count).sorted(run.graph.types(), &order, &order_types, &by)?;
        let added = over.body.columns(&over.columns(rows, &parts), &parts.ends);
        let added = parts.apart(added.map_err(|failure| failure.at(id))?);
        Ok(record_batch(&made_schema, rows.columns().iter().cloned().chain(added).collect(), rows.num_rows()))
    };
    let keyed = Keyed { name: "Window", keys, key_types, one_for: OneFor::Row, make: Box::new(make) };
    Ok(over_keys(planner, id, keyed, input, schema, columns))
}
