//! Reductions of arrays.

use super::call::ArrayCall;
use super::cells::Cells;
use super::leading;
use crate::data::{Datum, NdArray, values_to_array};
use crate::reduce::RunReduction;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::value::Value;
use arrow::array::Array;

/// The result, where there is a loop for it and it does not raise.
pub(super) fn reduce(op: Reduce, call: &ArrayCall<'_>) -> Option<Datum> {
    let level = match call.args.get(1) {
        Some(Datum::Value(Value::F64(level))) => Some(*level),
        _ => None,
    };
    let reduction = RunReduction { op, attrs: call.attrs, types: call.types, element: call.element(0), level };
    let array = call.array(0);
    if let Some(sums) = leading::sums(call, reduction, &array) {
        return Some(Datum::Array(sums));
    }
    let cells = Cells::of(&array, &reduction.axes())?;
    let reduce = reduction.over(&cells.items)?;
    let Some(shape) = cells.shape.clone() else { return reduce(0..cells.items.len()).map(Datum::Value) };
    let mut results = Vec::with_capacity(cells.count());
    for cell in cells.ranges() {
        results.push(reduce(cell)?);
    }
    Some(Datum::Array(NdArray { items: values_to_array(call.types, call.result_element(), &results), shape }))
}
