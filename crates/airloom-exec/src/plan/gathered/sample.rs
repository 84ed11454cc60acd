//! `rel.sample` as a plan.

use crate::arrays::room;
use crate::operators::{record_batch, whole};
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::run::Error;
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::Raised;
use airloom_ir::value::Value;
use arrow::array::UInt32Array;
use arrow::compute::take;

/// The plan of a sample.
pub(in crate::plan) fn sample(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Error> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let sample = graph.as_sample(id).expect("it is one");
    let number = |node: NodeId| match planner.given.datum(node)?.to_value(graph.types(), graph.ty_id(node)) {
        Value::Int(number) => Ok(number),
        other => Err(Error::Broken(format!("invariant `values have their node's type`: expected a whole number, found {other:?}"))),
    };
    let (count, key, replace) = (number(sample.count)?, number(sample.key)? as u64, sample.replace);
    let (columns, depth, schema) = (input.columns.clone(), input.depth + 1, input.schema().clone());
    let made_schema = schema.clone();
    let plan = whole(&shared, "Sample", vec![input.seal(&shared)], schema, move |batches| {
        let rows = &batches[0];
        let drawn = drawn(rows.num_rows(), count, key, replace).map_err(|raised| Raised { node: Some(id), ..raised })?;
        let places = UInt32Array::from(drawn);
        let columns = rows.columns().iter().map(|column| take(column, &places, None).expect("rows there are")).collect();
        Ok(record_batch(&made_schema, columns, places.len()))
    });
    Ok(Planned::new(plan, columns, depth))
}

/// The rows that a key draws.
fn drawn(rows: usize, count: i128, key: u64, replace: bool) -> Result<Vec<u32>, Raised> {
    let Ok(count) = usize::try_from(count) else {
        return Err(Raised::new(format!("the number of rows must not be negative, found {count}")));
    };
    if replace {
        if rows == 0 && count > 0 {
            return Err(Raised::new(format!("cannot draw {count} rows from none")));
        }
        room(&[count])?;
        return Ok((0..count).map(|number| scaled(draw(key, number as u64), rows) as u32).collect());
    }
    if count > rows {
        return Err(Raised::new(format!("cannot draw {count} of {rows} rows without replacement")));
    }
    let mut lots: Vec<(u64, u32)> = (0..rows).map(|at| (draw(key, at as u64), at as u32)).collect();
    if count > 0 && count < rows {
        lots.select_nth_unstable(count - 1);
    }
    let mut places: Vec<u32> = lots[..count].iter().map(|&(_, at)| at).collect();
    places.sort_unstable();
    Ok(places)
}

/// The number that a key draws at a place. The key is mixed first, lest keys that follow one another draw the same numbers one place apart.
fn draw(key: u64, place: u64) -> u64 {
    mix(mix(key).wrapping_add(place.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
}

/// The output function of SplitMix64.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A number below `count` from one of 64 bits: the high half of their product.
fn scaled(number: u64, count: usize) -> usize {
    ((u128::from(number) * count as u128) >> 64) as usize
}
