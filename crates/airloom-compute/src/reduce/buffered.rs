//! Reductions that need all elements of a group at once: medians, quantiles, lists, variances in two passes.

use super::runs::RunReduction;
use super::{Groups, Moves, Reduction, ReductionSpec, left_in, same_kind};
use crate::data::values::{array_to_values, no_values};
use crate::data::values_to_array;
use crate::data::{Cancel, array_bytes};
use crate::keys::by_group;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::Stop;
use airloom_ir::types::Types;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};
use arrow::compute::{concat, take};
use std::ops::Range;
use std::sync::Arc;

pub(super) struct Buffered {
    spec: ReductionSpec,
    graph: Arc<Graph>,
    cancel: Cancel,
    groups: Vec<u32>,
    values: Vec<ArrayRef>,
    /// What the values take.
    bytes: usize,
}

impl Buffered {
    pub(super) fn new(spec: ReductionSpec, graph: Arc<Graph>, cancel: Cancel) -> Buffered {
        Buffered { spec, graph, cancel, groups: Vec::new(), values: Vec::new(), bytes: 0 }
    }
}

impl Buffered {
    fn keep(&mut self, groups: &[u32], values: ArrayRef) {
        self.groups.extend_from_slice(groups);
        self.bytes += array_bytes(&values);
        self.values.push(values);
    }
}

/// The reduction of each run of elements. `None` where there is no loop for it, or where one raises.
pub(super) fn of_runs(spec: &ReductionSpec, types: &Types, items: &ArrayRef, runs: &[Range<usize>]) -> Option<ArrayRef> {
    let level = match spec.rest.first() {
        Some(Value::F64(level)) => Some(*level),
        Some(_) => return None,
        None => None,
    };
    let reduce = RunReduction { op: spec.op, attrs: &spec.attrs, types, element: spec.element, level }.over(items)?;
    let results: Option<Vec<Value>> = runs.iter().cloned().map(reduce).collect();
    Some(values_to_array(types, spec.ty, &results?))
}

impl Reduction for Buffered {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, _: usize) -> Result<(), Stop> {
        let (groups, values) = groups.each(values);
        self.keep(&groups, values);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, _: usize) -> Result<(), Stop> {
        let other = same_kind::<Buffered>(other);
        let places = moves.places();
        let mut start = 0;
        for values in &other.values {
            let own = &other.groups[start..start + values.len()];
            start += values.len();
            let (groups, values) = left_in(own, values, &places);
            self.keep(&groups, values);
        }
        Ok(())
    }

    fn finish(&mut self, count: usize) -> Result<ArrayRef, Stop> {
        let types = self.graph.types();
        let pieces: Vec<&dyn Array> = self.values.iter().map(AsRef::as_ref).collect();
        let all = if pieces.is_empty() { no_values(types, self.spec.element) } else { concat(&pieces).expect("pieces of one type") };
        let (sorted, ends) = if count == 1 {
            let end = all.len();
            (all, vec![end])
        } else {
            let (rows, ends) = by_group(&self.groups, count);
            (take(&all, &rows, None).expect("rows there are"), ends)
        };
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let runs: Vec<Range<usize>> = starts.zip(&ends).map(|(start, &end)| start..end).collect();
        if let Some(reduced) = of_runs(&self.spec, types, &sorted, &runs) {
            return Ok(reduced);
        }
        let mut results: Vec<Value> = Vec::with_capacity(count);
        let mut start = 0;
        for end in ends {
            self.cancel.check()?;
            let items = sorted.slice(start, end - start);
            results.push(self.spec.oracle(types, array_to_values(types, self.spec.element, &items))?);
            start = end;
        }
        Ok(values_to_array(types, self.spec.ty, &results))
    }

    fn size(&self) -> usize {
        self.groups.len() * 4 + self.bytes
    }
}
