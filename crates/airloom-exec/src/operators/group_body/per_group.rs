//! A body over one part after the other: for bodies of any kind.

use super::sequences::{compacted, joined};
use super::{GroupBody, GroupColumns};
use crate::blocks::Runner;
use airloom_compute::data::{Datum, Failure, NdArray, Vector};
use airloom_ir::oracle::Raised;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};

/// What the body makes of each part.
fn each(
    body: &GroupBody,
    runner: &Runner<'_>,
    columns: &GroupColumns,
    ends: &[usize],
    mut take: impl FnMut(Datum, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Pieces of text share all blocks of the whole: few of them, since every piece holds on to each.
    let columns: Vec<Option<ArrayRef>> = columns.iter().map(|column| column.as_ref().map(compacted)).collect();
    let mut start = 0;
    for &end in ends {
        body.context.cancel.check()?;
        let part = |column: &Option<ArrayRef>| match column {
            Some(column) => Datum::Array(NdArray::flat(column.slice(start, end - start))),
            None => Datum::Value(Value::Null),
        };
        let args: Vec<Datum> =
            std::iter::once(Datum::Parts(columns.iter().map(part).collect())).chain(body.captures.iter().cloned()).collect();
        take(runner.call(body.block, &args)?, end - start)?;
        start = end;
    }
    Ok(())
}

pub(super) fn columns(body: &GroupBody, runner: &Runner<'_>, columns: &GroupColumns, ends: &[usize]) -> Result<Vec<ArrayRef>, Failure> {
    let graph = &body.plan.graph;
    let types = graph.types();
    let Ty::Struct(fields) = types.get(graph.ty_id(graph.result_of(body.body))) else {
        panic!("invariant `values have their node's type`: columns are a struct of arrays")
    };
    let elements: Vec<TyId> = fields.iter().map(|field| airloom_compute::data::nd::element_of(types, field.ty)).collect();
    let mut made: Vec<Vec<ArrayRef>> = vec![Vec::with_capacity(ends.len()); elements.len()];
    each(body, runner, columns, ends, |datum, rows| {
        let Datum::Parts(parts) = datum else { return Ok(()) };
        for (at, (part, pieces)) in parts.iter().zip(&mut made).enumerate() {
            let items = match part {
                Datum::Array(array) => array.items.clone(),
                other => match other.to_value(types, fields.get(at).expect("a field of the result").ty) {
                    Value::Arr(array) => NdArray::from_value(types, elements[at], &array).items,
                    other => panic!("invariant `values have their node's type`: expected an array, found {other:?}"),
                },
            };
            pieces.push(items);
        }
        // Types do not distinguish the rows of this partition from those of another that the body may have captured.
        match made.iter().filter_map(|pieces| pieces.last()).find(|column| column.len() != rows) {
            Some(wrong) => Err(Raised::new(format!("a column of {} elements for a partition of {rows} rows", wrong.len())).into()),
            None => Ok(()),
        }
    })?;
    Ok(made.iter().zip(&elements).map(|(pieces, &element)| joined(1, types, element, pieces)).collect())
}

pub(super) fn values(body: &GroupBody, runner: &Runner<'_>, columns: &GroupColumns, ends: &[usize]) -> Result<Vector, Failure> {
    let graph = &body.plan.graph;
    let (types, ty) = (graph.types(), graph.ty_id(graph.result_of(body.body)));
    let mut values: Vec<Value> = Vec::with_capacity(ends.len());
    each(body, runner, columns, ends, |datum, _| {
        values.push(datum.to_value(types, ty));
        Ok(())
    })?;
    Ok(Vector::from_values(types, ty, &values))
}
