//! `rel.pivot` as a plan.

use super::oracle::by_oracle;
use super::{OverParts, made, over_keys};
use crate::operators::{Keyed, OneFor, runs_over_parts};
use crate::plan::body::{row_body, value_body};
use crate::plan::planned::Planned;
use crate::plan::planner::Planner;
use crate::plan::reads::{Places, all, fields_at, reads};
use airloom_compute::data::{Failure, record_batch, schema_of};
use airloom_compute::keys::GroupTable;
use airloom_compute::order::Parts;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::take;
use std::collections::HashMap;

/// What a pivot reads of its input.
pub(in crate::plan) fn pivot_needs(graph: &Graph, id: NodeId) -> Places {
    let pivot = graph.as_pivot(id).expect("it is one");
    if !runs_over_parts(graph, pivot.aggregate) {
        return all(fields_at(graph, pivot.input).len());
    }
    [pivot.keys, pivot.on, pivot.aggregate].iter().flat_map(|&body| reads(graph, &[graph.result_of(body)], 0)).collect()
}

/// The plan of a pivot.
pub(in crate::plan) fn pivot(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let pivot = graph.as_pivot(id).expect("it is one");
    if !runs_over_parts(graph, pivot.aggregate) {
        return by_oracle(planner, id, vec![input], wanted);
    }
    let width = fields_at(graph, pivot.input).len();
    let captures = planner.captures(&pivot.captures)?;
    let key_fields = fields_at(graph, graph.result_of(pivot.keys)).len();
    let on = value_body(&shared, pivot.on, &input, width, captures.clone());
    let on_type = graph.ty_id(graph.result_of(pivot.on));
    let (keys, key_types) = row_body(&shared, pivot.keys, &all(key_fields), &input, width, captures);
    let over = OverParts::new(planner, pivot.aggregate, &pivot.captures, &input, pivot.input)?;
    let value_type = graph.ty_id(graph.result_of(pivot.aggregate));
    let schema = schema_of(graph.types(), fields_at(graph, id));
    let columns = (0..schema.fields().len()).collect();
    let (run, made_schema, names) = (shared.clone(), schema.clone(), pivot.names.clone());
    let make = move |rows: &RecordBatch, table: &GroupTable, groups: &[u32]| {
        let types = run.graph.types();
        let on = made(&run, &on, &[on_type], rows)?.pop().expect("a body has a result");
        let cells = Cells::of(groups, table.len(), &on, &names);
        let values = over.body.values(&over.columns(rows, &cells.parts), &cells.parts.ends)?;
        let values = values.to_array(types, value_type, cells.parts.ends.len());
        let column = |name: usize| -> ArrayRef {
            let places: UInt32Array = (0..table.len()).map(|group| cells.places[group * names.len() + name]).collect();
            take(&values, &places, None).expect("cells there are")
        };
        let columns = table.keys(types).into_iter().chain((0..names.len()).map(column)).collect();
        Ok(record_batch(&made_schema, columns, table.len()))
    };
    let keyed = Keyed { name: "Pivot", keys, key_types, one_for: OneFor::Key, make: Box::new(make) };
    Ok(over_keys(planner, id, keyed, input, schema, columns))
}

/// The rows of each cell of a pivot, of those that have any: group by group, and within one in the order of names.
struct Cells {
    parts: Parts,
    /// The part of each cell.
    places: Vec<Option<u32>>,
}

impl Cells {
    fn of(groups: &[u32], count: usize, on: &ArrayRef, names: &[Name]) -> Cells {
        let numbers: HashMap<&str, usize> = names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let on = on.as_string_view();
        let mut sizes = vec![0usize; count * names.len()];
        let mut kept: Vec<(u32, usize)> = Vec::with_capacity(groups.len());
        for (row, &group) in groups.iter().enumerate().filter(|(row, _)| on.is_valid(*row)) {
            if let Some(number) = numbers.get(on.value(row)) {
                let cell = group as usize * names.len() + number;
                sizes[cell] += 1;
                kept.push((row as u32, cell));
            }
        }
        let (mut ends, mut places, mut starts, mut sum) = (Vec::new(), vec![None; sizes.len()], vec![0; sizes.len()], 0);
        for (cell, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
            places[cell] = Some(ends.len() as u32);
            starts[cell] = sum;
            sum += size;
            ends.push(sum);
        }
        let mut rows = vec![0u32; sum];
        for (row, cell) in kept {
            rows[starts[cell]] = row;
            starts[cell] += 1;
        }
        Cells { parts: Parts::new(rows.into(), ends), places }
    }
}
