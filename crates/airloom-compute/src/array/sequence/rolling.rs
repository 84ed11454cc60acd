//! Rolling windows.

use super::pieces::in_pieces;
use super::windows::Windows;
use crate::array::call::{ArrayCall, datum_to_value};
use crate::data::values::no_values;
use crate::data::{Datum, Failure, NdArray, values_to_array};
use crate::reduce::{ReductionSpec, RunReduction};
use airloom_ir::attrs::Closed;
use airloom_ir::ops::Op;
use airloom_ir::oracle::Raised;
use airloom_ir::oracle::formula::{one_beside_the_other, window_between, window_bounds};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, make_array};
use arrow::buffer::NullBuffer;
use arrow::compute::concat;
use arrow::datatypes::Int64Type;
use std::ops::Range;

/// How many windows there are between two questions whether to go on.
const CHECKED: usize = 1024;

/// How many elements they have, each counted as often as it is in a window.
const ROWS: usize = 1 << 20;

pub(super) fn rolling(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Failure> {
    let width = i128::from(call.int(1).unwrap_or_default());
    if width < 0 {
        return Err(Raised::new(format!("the width of a window must not be negative, found {width}")).into());
    }
    let (centred, closed): (bool, Closed) = (call.attr(1), call.attr(2));
    let count = items.len();
    // Where a window begins and ends is as far from its position everywhere, and what is farther than there are elements is as far as they reach.
    let most = 2 * count + 2;
    let (begins, ends) = window_bounds(most / 2, most, width, centred, closed);
    let (begins, ends) = (begins as i64 - (most / 2) as i64, ends as i64 - (most / 2) as i64);
    let within = |place: i64| place.clamp(0, count as i64) as usize;
    over(call, items, count, |at| {
        let (start, end) = (within(at as i64 + begins), within(at as i64 + ends));
        (start.min(end), end)
    })
}

pub(super) fn between(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Failure> {
    let bounds = bounds(call, 1, items.len())?;
    over(call, items, bounds.len(), |at| bounds[at])
}

/// Whether no window begins or ends before the one before it.
pub(super) fn go_forward(bounds: &[(usize, usize)]) -> bool {
    bounds.windows(2).all(|two| two[0].0 <= two[1].0 && two[0].1 <= two[1].1)
}

/// The windows of `count` elements between the positions in argument `at` and those in the next.
pub(super) fn bounds(call: &ArrayCall<'_>, at: usize, count: usize) -> Result<Vec<(usize, usize)>, Failure> {
    let (starts, ends) = (call.array(at).items, call.array(at + 1).items);
    one_beside_the_other(starts.len(), ends.len())?;
    let (starts, ends) = (starts.as_primitive::<Int64Type>(), ends.as_primitive::<Int64Type>());
    Ok(starts.values().iter().zip(ends.values()).map(|(&start, &end)| window_between(start.into(), end.into(), count)).collect())
}

/// The body over each of `count` windows.
fn over(call: &ArrayCall<'_>, items: &ArrayRef, count: usize, bound: impl Fn(usize) -> (usize, usize) + Sync) -> Result<ArrayRef, Failure> {
    let least: i64 = call.attr(0);
    let reduction = reduction(call);
    if let Some(reduction) = reduction {
        call.run.check()?;
        let (types, result) = (call.types, call.result_element());
        let made = in_pieces(call.run.threads(), count, |range| {
            let mut bounds: Vec<(usize, usize)> = range.map(&bound).collect();
            let forward = go_forward(&bounds);
            // Windows that go forward see nothing of what is before the first or behind the last.
            let (from, to) = match (bounds.first(), bounds.last()) {
                (Some(first), Some(last)) if forward => (first.0, last.1),
                _ => (0, items.len()),
            };
            bounds.iter_mut().for_each(|window| *window = (window.0 - from, window.1 - from));
            let items = items.slice(from, to - from);
            Windows { types, result, reduction, items: &items, bounds: &bounds, enough: Enough::new(&items, least) }.reduced(forward)
        });
        if let Some(made) = made {
            return Ok(made);
        }
    }
    let enough = Enough::new(items, least);
    let spec = reduction.and_then(|reduction| {
        let result = call.graph.result_of(call.bodies[0]);
        ReductionSpec::of_node(call.graph, result, reduction.element, reduction.level.map(Value::F64).into_iter().collect())
    });
    let mut pieces: Vec<ArrayRef> = Vec::new();
    let mut at = 0;
    while at < count {
        call.run.check()?;
        let (mut windows, mut rows) = (Vec::new(), 0);
        while at + windows.len() < count && windows.len() < CHECKED && (rows < ROWS || windows.is_empty()) {
            let (from, to) = bound(at + windows.len());
            let is_enough = enough.are_in(from, to);
            rows += to - from;
            windows.push((from..if is_enough { to } else { from }, is_enough));
        }
        at += windows.len();
        let reduced = spec.as_ref().and_then(|spec| reduced(spec, call, items, &windows));
        pieces.push(match reduced {
            Some(piece) => piece,
            None => one_by_one(call, items, &windows)?,
        });
    }
    let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
    Ok(if pieces.is_empty() { no_values(call.types, call.result_element()) } else { concat(&pieces).expect("pieces of one type") })
}

/// A window, and whether it has as many elements as it needs.
type Window = (Range<usize>, bool);

/// The reduction of each window; `None` where the body itself must be asked.
fn reduced(spec: &ReductionSpec, call: &ArrayCall<'_>, items: &ArrayRef, windows: &[Window]) -> Option<ArrayRef> {
    let runs: Vec<Range<usize>> = windows.iter().map(|(run, _)| run.clone()).collect();
    let made = spec.reduce_runs(call.graph, items, &runs, call.run.threads())?;
    if windows.iter().all(|(_, is_enough)| *is_enough) {
        return Some(made);
    }
    let enough = NullBuffer::from_iter(windows.iter().map(|(_, is_enough)| *is_enough));
    let nulls = NullBuffer::union(made.nulls(), Some(&enough));
    let data = made.to_data().into_builder().nulls(nulls).build().expect("an array with more nulls is one");
    Some(make_array(data))
}

/// The body over each window.
fn one_by_one(call: &ArrayCall<'_>, items: &ArrayRef, windows: &[Window]) -> Result<ArrayRef, Failure> {
    let (body, result) = (call.bodies[0], call.result_of(0));
    let mut results = Vec::with_capacity(windows.len());
    for (run, is_enough) in windows {
        if !is_enough {
            results.push(Value::Null);
            continue;
        }
        let window = Datum::Array(NdArray::flat(items.slice(run.start, run.len())));
        results.push(datum_to_value(call.types, result, &call.run.once(body, &[window], call.captures)?));
    }
    Ok(values_to_array(call.types, call.result_element(), &results))
}

/// The reduction that the body is, where it is nothing but a reduction of the whole window.
fn reduction<'a>(call: &ArrayCall<'a>) -> Option<RunReduction<'a>> {
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
    Some(RunReduction { op, attrs: call.graph.node(result).attrs(), types: call.types, element: call.element(0), level, threads: 1 })
}

/// Whether windows have as many elements that are not null as they need.
pub(super) struct Enough {
    /// How many up to each position are not null; all are, where it is `None`.
    present: Option<Vec<usize>>,
    least: usize,
}

impl Enough {
    fn new(items: &ArrayRef, least: i64) -> Enough {
        let present = items.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| {
            let mut count = 0;
            let running = nulls.iter().map(|valid| {
                count += usize::from(valid);
                count
            });
            std::iter::once(0).chain(running).collect()
        });
        Enough { present, least: at_least(least) }
    }

    #[inline]
    pub(super) fn are_in(&self, from: usize, to: usize) -> bool {
        self.present.as_ref().map_or(to - from, |counts| counts[to] - counts[from]) >= self.least
    }
}

/// `count` as a number of elements: zero where it is negative.
pub(super) fn at_least(count: i64) -> usize {
    usize::try_from(count.max(0)).unwrap_or(usize::MAX)
}
