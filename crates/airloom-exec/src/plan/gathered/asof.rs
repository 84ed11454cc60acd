//! `rel.asof` as a plan.

use super::made;
use crate::operators::whole;
use crate::plan::body::{row_body, value_body};
use crate::plan::planned::{Planned, schema_part};
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at, reads};
use airloom_compute::data::{Failure, record_batch, schema_of};
use airloom_compute::keys::{GroupTable, grouped};
use airloom_compute::order::{Asof, AsofSide};
use airloom_ir::graph::{Graph, NodeId};
use arrow::compute::take;

/// What an as-of join reads of its inputs.
pub(in crate::plan) fn asof_needs(graph: &Graph, id: NodeId, wanted: &Places) -> Vec<Places> {
    let asof = graph.as_asof(id).expect("it is one");
    let width = fields_at(graph, asof.left).len();
    let read = |bodies: [NodeId; 2]| bodies.into_iter().flat_map(|body| reads(graph, &[graph.result_of(body)], 0)).collect::<Places>();
    let left = wanted.iter().copied().filter(|&at| at < width).chain(read([asof.left_on, asof.left_by])).collect();
    let right = wanted.iter().filter_map(|&at| at.checked_sub(width)).chain(read([asof.right_on, asof.right_by])).collect();
    vec![left, right]
}

/// The plan of an as-of join.
pub(in crate::plan) fn asof(planner: &mut Planner<'_>, id: NodeId, left: Planned, right: Planned) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let asof = graph.as_asof(id).expect("it is one");
    let tolerance = planner.given.datum(asof.tolerance)?.to_value(graph.types(), graph.ty_id(asof.tolerance));
    let how = Asof { direction: asof.direction, exact: asof.exact, tolerance };
    let captures = planner.captures(&asof.captures)?;
    let (left_width, right_width) = (fields_at(graph, asof.left).len(), fields_at(graph, asof.right).len());
    let on_types = [graph.ty_id(graph.result_of(asof.left_on)), graph.ty_id(graph.result_of(asof.right_on))];
    let fields = |body: NodeId| all(fields_at(graph, graph.result_of(body)).len());
    let left_on = value_body(&shared, asof.left_on, &left, left_width, captures.clone());
    let right_on = value_body(&shared, asof.right_on, &right, right_width, captures.clone());
    let (left_by, left_types) = row_body(&shared, asof.left_by, &fields(asof.left_by), &left, left_width, captures.clone());
    let (right_by, right_types) = row_body(&shared, asof.right_by, &fields(asof.right_by), &right, right_width, captures);
    // A key that may be null on one side may be so in the table of both.
    let key_types: Vec<_> = left_types.iter().zip(&right_types).map(|(&l, &r)| if graph.types().nullable(l) { l } else { r }).collect();
    let columns: Vec<usize> = left.columns.iter().copied().chain(right.columns.iter().map(|at| at + left_width)).collect();
    let schema = schema_part(&schema_of(graph.types(), fields_at(graph, id)), &columns);
    let depth = left.depth.max(right.depth) + 1;
    let (run, made_schema) = (shared.clone(), schema.clone());
    let inputs = vec![left.seal(&shared), right.seal(&shared)];
    let plan = whole(&shared.options, "Asof", inputs, schema, move |batches| {
        let (left, right, types) = (&batches[0], &batches[1], run.graph.types());
        let left_on = made(&run, &left_on, &on_types[..1], left)?.pop().expect("a body has a result");
        let right_on = made(&run, &right_on, &on_types[1..], right)?.pop().expect("a body has a result");
        let left_by = made(&run, &left_by, &left_types, left)?;
        let right_by = made(&run, &right_by, &right_types, right)?;
        let (mut table, right_keys): (GroupTable, Vec<u32>) =
            grouped(run.graph.types(), run.options.hashing(), &key_types, &right_by, right.num_rows());
        let mut left_keys = Vec::new();
        table.number(types, &left_by, left.num_rows(), &mut left_keys);
        let (left_side, right_side) = (AsofSide { on: &left_on, keys: &left_keys }, AsofSide { on: &right_on, keys: &right_keys });
        let matches = how.matches(types.plain(on_types[0]), &left_side, &right_side);
        let found = right.columns().iter().map(|column| take(column, &matches, None).expect("rows of the right"));
        let columns = left.columns().iter().cloned().chain(found).collect();
        Ok(record_batch(&made_schema, columns, left.num_rows()))
    });
    Ok(Planned::new(plan, columns, depth))
}
