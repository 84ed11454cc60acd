//! Rolling windows.

use super::windows;
use crate::arrays::call::{ArrayCall, datum_to_value};
use crate::arrays::reduce::{Reducer, Reduction};
use crate::data::{Datum, NdArray, values_to_array};
use airloom_ir::attrs::Closed;
use airloom_ir::ops::Op;
use airloom_ir::oracle::Raised;
use airloom_ir::oracle::formula::{one_beside_the_other, window_between, window_bounds};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::Int64Type;

/// How many windows there are between two questions whether to go on.
const CHECKED: usize = 1024;

pub(super) fn rolling(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Raised> {
    let width = i128::from(call.int(1).unwrap_or_default());
    if width < 0 {
        return Err(Raised::new(format!("the width of a window must not be negative, found {width}")));
    }
    let (centred, closed): (bool, Closed) = (call.attr(1), call.attr(2));
    over(call, items, (0..items.len()).map(|at| window_bounds(at, items.len(), width, centred, closed)).collect())
}

pub(super) fn between(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Raised> {
    over(call, items, bounds(call, 1, items.len())?)
}

/// The windows of so many elements between the places of an argument and those of the next.
pub(super) fn bounds(call: &ArrayCall<'_>, at: usize, count: usize) -> Result<Vec<(usize, usize)>, Raised> {
    let (starts, ends) = (call.array(at).items, call.array(at + 1).items);
    one_beside_the_other(starts.len(), ends.len())?;
    let (starts, ends) = (starts.as_primitive::<Int64Type>(), ends.as_primitive::<Int64Type>());
    Ok(starts.values().iter().zip(ends.values()).map(|(&start, &end)| window_between(start.into(), end.into(), count)).collect())
}

/// The body over each window.
fn over(call: &ArrayCall<'_>, items: &ArrayRef, bounds: Vec<(usize, usize)>) -> Result<ArrayRef, Raised> {
    let least: i64 = call.attr(0);
    let present = Present::of(items);
    let reduction = reduction(call);
    let reducer = reduction.and_then(|reduction| reduction.over(items));
    if let Some(reduction) = reduction {
        call.run.check()?;
        let enough = |from: usize, to: usize| present.between(from, to) as i128 >= i128::from(least);
        if let Some(made) = windows::windows(call, reduction, items, &bounds, &enough) {
            return Ok(made);
        }
    }
    let (body, result) = (call.bodies[0], call.result_of(0));
    let mut results = Vec::with_capacity(bounds.len());
    for (at, &(from, to)) in bounds.iter().enumerate() {
        if at % CHECKED == 0 {
            call.run.check()?;
        }
        if (present.between(from, to) as i128) < i128::from(least) {
            results.push(Value::Null);
            continue;
        }
        let reduced = reducer.as_ref().and_then(|reduce: &Reducer<'_>| reduce(from..to));
        results.push(match reduced {
            Some(value) => value,
            None => {
                let window = Datum::Array(NdArray::flat(items.slice(from, to - from)));
                datum_to_value(call.types, result, &call.run.once(body, &[window], call.captures)?)
            }
        });
    }
    Ok(values_to_array(call.types, call.result_element(), &results))
}

/// The reduction that the body is, where it is nothing but a reduction of the whole window.
fn reduction<'a>(call: &ArrayCall<'a>) -> Option<Reduction<'a>> {
    let result = call.graph.result_of(call.bodies[0]);
    let Op::Reduce(op) = call.graph.op(result) else { return None };
    let window = *call.graph.args(result).first()?;
    let is_window = call.graph.as_param(window).is_some_and(|param| param.number == 0);
    if !is_window {
        return None;
    }
    let level = match call.graph.args(result).get(1).map(|&level| call.graph.const_value(level)) {
        None => None,
        Some(Some(Value::F64(level))) => Some(*level),
        // Which quantile may differ from run to run.
        Some(_) => return None,
    };
    Some(Reduction { op, attrs: call.graph.node(result).attrs(), types: call.types, element: call.element(0), level })
}

/// How many elements up to each place are not null.
struct Present(Option<Vec<usize>>);

impl Present {
    fn of(items: &ArrayRef) -> Present {
        if items.null_count() == 0 {
            return Present(None);
        }
        let mut counts = vec![0];
        let mut count = 0;
        for at in 0..items.len() {
            count += usize::from(items.is_valid(at));
            counts.push(count);
        }
        Present(Some(counts))
    }

    fn between(&self, from: usize, to: usize) -> usize {
        self.0.as_ref().map_or(to - from, |counts| counts[to] - counts[from])
    }
}
