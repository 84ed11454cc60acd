//! `rel.window` as a plan.

use super::oracle::by_oracle;
use super::{OverParts, grouped, made};
use crate::data::schema_of;
use crate::operators::{Parts, record_batch, runs_over_parts, whole};
use crate::plan::body::row_body;
use crate::plan::planned::{Planned, schema_part};
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at, reads};
use crate::run::Error;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::oracle::Raised;

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
pub(in crate::plan) fn window(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Error> {
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
    let depth = input.depth + 1;
    let (run, made_schema, by) = (shared.clone(), schema.clone(), window.by.clone());
    let plan = whole(&shared, "Window", vec![input.seal(&shared)], schema, move |batches| {
        let (rows, types) = (&batches[0], run.graph.types());
        let order = made(&run, &order, &order_types, rows)?;
        let keys = made(&run, &keys, &key_types, rows)?;
        let (table, groups) = grouped(&run, &key_types, &keys, rows.num_rows());
        let count = if rows.num_rows() == 0 { 0 } else { table.len() };
        let parts = Parts::of(&groups, count).sorted(types, &order, &order_types, &by)?;
        let added = over.body.columns(&over.columns(rows, &parts), &parts.ends);
        let added = parts.apart(added.map_err(|raised| Raised { node: raised.node.or(Some(id)), ..raised })?);
        Ok(record_batch(&made_schema, rows.columns().iter().cloned().chain(added).collect(), rows.num_rows()))
    });
    Ok(Planned::new(plan, columns, depth))
}
