//! Reductions of arrays.

use super::call::{ArrayCall, datum_to_value};
use super::cells::Cells;
use super::leading;
use crate::data::{Datum, NdArray, value_at};
use crate::reduce::ReductionSpec;
use airloom_ir::value::Value;
use std::ops::Range;

/// The result, where there is a loop for it and it does not raise.
pub(super) fn reduce(call: &ArrayCall<'_>) -> Option<Datum> {
    let rest: Vec<Value> = call.args.iter().zip(&call.arg_types).skip(1).map(|(arg, &ty)| datum_to_value(call.types, ty, arg)).collect();
    let reduction = ReductionSpec::of_node(call.graph, call.node, call.element(0), rest)?;
    let array = call.array(0);
    if let Some(sums) = leading::sums(call, &reduction, &array) {
        return Some(Datum::Array(sums));
    }
    let cells = Cells::of(&array, &reduction.axes())?;
    let runs: Vec<Range<usize>> = cells.ranges().collect();
    let items = reduction.reduce_runs(call.graph, &cells.items, &runs, call.run.threads())?;
    Some(match cells.shape {
        Some(shape) => Datum::Array(NdArray { items, shape }),
        None => Datum::Value(value_at(call.types, reduction.ty, &items, 0)),
    })
}
