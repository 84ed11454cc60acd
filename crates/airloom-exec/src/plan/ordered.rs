//! Operators in which the order of rows is made, counted or kept.

use super::body::{body_schema, row_body};
use super::planned::{Planned, schema_part};
use super::planner::Planner;
use super::reads::{Places, all, fields_at};
use crate::operators::{self, Output, RowBody, Step};
use crate::plan::Shared;
use airloom_compute::data::{Datum, Failure};
use airloom_ir::attrs::{Effect, SortKey};
use airloom_ir::graph::NodeId;
use airloom_ir::oracle::Raised;
use airloom_ir::value::Value;
use arrow::datatypes::{Field, Schema};
use std::sync::Arc;

/// Only these fields, in their order.
pub(super) fn pick(planned: Planned, wanted: &Places) -> Planned {
    let width = planned.columns.iter().max().map_or(0, |m| m + 1).max(wanted.iter().max().map_or(0, |m| m + 1));
    let places = planned.places(width);
    let at: Vec<usize> = wanted.iter().map(|&field| places[field].expect("invariant `what is wanted is there`")).collect();
    let schema = schema_part(planned.schema(), &at);
    let outputs = at.into_iter().map(Output::Column).collect();
    let body = RowBody { program: None, fields: Vec::new(), captures: Vec::new(), outputs };
    let step = Step::Project { body, types: vec![airloom_ir::types::TyId::BOOL; wanted.len()], schema: schema.clone() };
    planned.with_step(step, schema, wanted.iter().copied().collect())
}

/// One relation after the other.
pub(super) fn concat(shared: &Arc<Shared>, inputs: Vec<Planned>, wanted: &Places) -> Planned {
    let depth = inputs.iter().map(|i| i.depth).max().unwrap_or(0) + 1;
    let inputs = inputs.into_iter().map(|input| input.seal(shared)).collect();
    Planned::new(operators::concat(inputs), wanted.iter().copied().collect(), depth)
}

/// `rel.sort` and `rel.top`.
pub(super) fn sort(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let (keys, by, captures, count): (NodeId, Arc<[SortKey]>, Vec<NodeId>, Option<NodeId>) = match graph.as_sort(id) {
        Some(sort) => (sort.keys, sort.by, sort.captures.to_vec(), None),
        None => {
            let top = graph.as_top(id).expect("a sort or a top");
            (top.keys, top.by, top.captures.to_vec(), Some(top.count))
        }
    };
    let fetch = match count {
        None => None,
        Some(count) => {
            let rows = whole(planner, count)?.unwrap_or(0);
            if rows < 0 {
                return Err(Raised::new(format!("the number of rows must not be negative, found {rows}")).at(id).into());
            }
            Some(rows as usize)
        }
    };
    let input_node = graph.args(id)[0];
    let width = fields_at(graph, input_node).len();
    let made = fields_at(graph, graph.result_of(keys)).len();
    let captures = planner.captures(&captures)?;
    let (mut body, key_types) = row_body(&shared, keys, &all(made), &input, width, captures);
    // The rows with their keys behind them; afterwards the keys are dropped.
    let own = input.columns.len();
    let mut fields: Vec<Field> = input.schema().fields().iter().map(|f| f.as_ref().clone()).collect();
    let key_schema = body_schema(&shared, keys, &all(made));
    fields.extend(key_schema.fields().iter().enumerate().map(|(at, f)| Field::new(format!("key {at}"), f.data_type().clone(), true)));
    let mut outputs: Vec<Output> = (0..own).map(Output::Column).collect();
    outputs.append(&mut body.outputs);
    let mut types = vec![airloom_ir::types::TyId::BOOL; own];
    types.extend(&key_types);
    let schema = Arc::new(Schema::new(fields));
    let columns = input.columns.clone();
    let body = RowBody { outputs, ..body };
    let kept_schema = input.schema().clone();
    let keyed = input.with_step(Step::Project { body, types, schema: schema.clone() }, schema, (0..own + made).collect());
    let depth = keyed.depth + 1;
    let plan = keyed.seal(&shared);
    let sorted = operators::sorted(plan, shared.sorting(kept_schema, own, key_types, by.to_vec()), fetch)?;
    Ok(Planned::new(sorted, columns, depth))
}

/// A count that is given: a whole number, or null.
fn whole(planner: &Planner<'_>, node: NodeId) -> Result<Option<i64>, Failure> {
    match planner.given.datum(node)? {
        Datum::Value(Value::Int(i)) => Ok(Some(i as i64)),
        Datum::Value(Value::Null) => Ok(None),
        other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a count, found {other:?}"))),
    }
}

/// `rel.slice`.
pub(super) fn slice(planner: &mut Planner<'_>, id: NodeId, input: Planned) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let slice = shared.graph.as_slice(id).expect("it is one");
    let offset = whole(planner, slice.offset)?.unwrap_or(0);
    let length = whole(planner, slice.length)?;
    if let Some(length) = length.filter(|l| *l < 0) {
        return Err(Raised::new(format!("the number of rows must not be negative, found {length}")).at(id).into());
    }
    let (columns, depth) = (input.columns.clone(), input.depth + 1);
    // Rows that are not in the slice are still computed where that may raise.
    let lazy = shared.graph.effect(slice.input) == Effect::Pure;
    let plan = operators::slice(&shared.options, input.seal(&shared), offset, length.map(|l| l as usize), lazy);
    Ok(Planned::new(plan, columns, depth))
}

/// `rel.number`.
pub(super) fn number(planner: &mut Planner<'_>, id: NodeId, input: Planned, wanted: &Places) -> Result<Planned, Failure> {
    let shared = planner.shared.clone();
    let graph = &shared.graph;
    let number = graph.as_number(id).expect("it is one");
    let place = fields_at(graph, id).len() - 1;
    if !wanted.contains(&place) {
        return Ok(input);
    }
    let mut columns = input.columns.clone();
    columns.push(place);
    let depth = input.depth + 1;
    let plan = operators::number(input.seal(&shared), number.name.as_str(), number.start);
    Ok(Planned::new(plan, columns, depth))
}
