//! `rel.sample` as a plan.

use crate::operators::whole;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use airloom_compute::array::room;
use airloom_compute::data::{Failure, record_batch};
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::formula::drawn;
use airloom_ir::value::Value;
use arrow::array::UInt32Array;
use arrow::compute::take;

/// The plan of a sample.
pub(in crate::plan) fn sample(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let sample = graph.as_sample(id).expect("it is one");
    let number = |node: NodeId| match planner.given.datum(node)?.to_value(graph.types(), graph.ty_id(node)) {
        Value::Int(number) => Ok(number),
        other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a whole number, found {other:?}"))),
    };
    let (count, key, replace) = (number(sample.count)?, number(sample.key)? as u64, sample.replace);
    let (columns, depth, schema) = (input.columns.clone(), input.depth + 1, input.schema().clone());
    let made_schema = schema.clone();
    let plan = whole(&shared.options, "Sample", vec![input.seal(&shared)], schema, move |batches| {
        let rows = &batches[0];
        let drawn = drawn(rows.num_rows(), count, key, replace, |size| Ok(room(&[size]).map(|_| ())?)).map_err(|stop| stop.at(id))?;
        let places = UInt32Array::from_iter_values(drawn.into_iter().map(|place| place as u32));
        let columns = rows.columns().iter().map(|column| take(column, &places, None).expect("rows there are")).collect();
        Ok(record_batch(&made_schema, columns, places.len()))
    });
    Ok(Planned::new(plan, columns, depth))
}
