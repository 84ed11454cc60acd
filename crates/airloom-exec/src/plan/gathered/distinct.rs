//! `rel.distinct` as a plan.

use super::hashing;
use crate::group::{GroupTable, KeyRanges};
use crate::operators::{record_batch, whole};
use crate::plan::body::row_body;
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::plan::reads::{all, fields_at};
use crate::run::Error;
use airloom_ir::attrs::Keep;
use airloom_ir::graph::NodeId;
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;

/// `rel.distinct`.
pub(in crate::plan) fn distinct(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Error> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let distinct = graph.as_distinct(id).expect("it is one");
    let width = fields_at(graph, distinct.input).len();
    let made = fields_at(graph, graph.result_of(distinct.keys)).len();
    let captures = planner.captures(&distinct.captures)?;
    let (body, key_types) = row_body(&shared, distinct.keys, &all(made), &input, width, captures);
    let (columns, depth, schema) = (input.columns.clone(), input.depth + 1, input.schema().clone());
    let (run, kept, keep) = (shared.clone(), schema.clone(), distinct.keep);
    let plan = whole(&shared, "Distinct", vec![input.seal(&shared)], schema, move |batches| {
        let (rows, types) = (&batches[0], run.graph.types());
        let count = rows.num_rows();
        let keys: Vec<ArrayRef> = body.run(rows)?.iter().zip(&key_types).map(|(lane, &ty)| lane.to_array(types, ty, count)).collect();
        // Without key fields all rows are alike, and the first of them there is.
        let mut groups = vec![0u32; count];
        if !key_types.is_empty() {
            GroupTable::new(types, &key_types, hashing(&run), &KeyRanges::default()).number(types, &keys, count, &mut groups);
        }
        let order = UInt32Array::from(chosen(&groups, keep));
        let columns = rows.columns().iter().map(|c| take(c, &order, None).expect("rows there are")).collect();
        Ok(record_batch(&kept, columns, order.len()))
    });
    Ok(Planned::new(plan, columns, depth))
}

/// The rows to keep, in order, given the group of each.
fn chosen(groups: &[u32], keep: Keep) -> Vec<u32> {
    let count = groups.iter().max().map_or(0, |&m| m as usize + 1);
    let mut seen = vec![0u32; count];
    groups.iter().for_each(|&group| seen[group as usize] += 1);
    match keep {
        Keep::None => (0..groups.len() as u32).filter(|&row| seen[groups[row as usize] as usize] == 1).collect(),
        Keep::First => {
            let mut fresh = vec![true; count];
            (0..groups.len() as u32).filter(|&row| std::mem::replace(&mut fresh[groups[row as usize] as usize], false)).collect()
        }
        Keep::Last => {
            let mut left = seen;
            let last = |row: &u32| {
                let left = &mut left[groups[*row as usize] as usize];
                *left -= 1;
                *left == 0
            };
            (0..groups.len() as u32).filter(last).collect()
        }
    }
}
