//! Reductions that need all elements of a group at once: medians, quantiles, lists, variances in two passes.

use super::runs::RunReduction;
use super::{CHUNK, Groups, Moves, Reduction, ReductionSpec, by_ranges, left_in, same_kind};
use crate::data::values::{array_to_values, no_values};
use crate::data::values_to_array;
use crate::data::{Cancel, array_bytes, concat_on, evenly, parallel_map};
use crate::keys::by_group;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::Stop;
use airloom_ir::types::Types;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};
use arrow::compute::take;
use std::ops::Range;
use std::sync::Arc;

/// Rows are put in the order of their groups in pieces of [`CHUNK`] rows, where such a piece has this many of a group.
const ROWS_OF_GROUP: usize = 16;

pub(super) struct Buffered {
    spec: ReductionSpec,
    graph: Arc<Graph>,
    cancel: Cancel,
    pieces: Vec<Piece>,
    /// What the values take.
    bytes: usize,
}

/// Rows that came together.
#[derive(Clone)]
struct Piece {
    /// The group of each; none where all are of the first.
    groups: Option<Arc<[u32]>>,
    values: ArrayRef,
    /// Which group each of these groups is, where they were numbered by themselves.
    places: Option<Arc<[u32]>>,
}

impl Piece {
    fn group(&self, row: usize) -> u32 {
        let group = self.groups.as_ref().map_or(0, |groups| groups[row]);
        self.places.as_ref().map_or(group, |places| places[group as usize])
    }

    /// Adds the group of each row.
    fn add_groups(&self, all: &mut Vec<u32>) {
        match (&self.groups, &self.places) {
            (Some(groups), None) => all.extend_from_slice(groups),
            (Some(groups), Some(places)) => all.extend(groups.iter().map(|&group| places[group as usize])),
            (None, _) => all.extend((0..self.values.len()).map(|row| self.group(row))),
        }
    }
}

/// Rows in the order of their groups, and where the rows of each group end.
struct Sorted {
    values: ArrayRef,
    ends: Vec<usize>,
}

impl Sorted {
    fn of_group(&self, group: usize) -> Range<usize> {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        start..self.ends[group]
    }
}

impl Buffered {
    pub(super) fn new(spec: ReductionSpec, graph: Arc<Graph>, cancel: Cancel) -> Buffered {
        Buffered { spec, graph, cancel, pieces: Vec::new(), bytes: 0 }
    }

    fn keep(&mut self, piece: Piece) {
        self.bytes += array_bytes(&piece.values) + piece.groups.as_ref().map_or(0, |groups| groups.len() * 4);
        self.pieces.push(piece);
    }

    /// The rows in the order of their groups, in chunks.
    fn sorted(&self, count: usize, threads: usize) -> Result<Vec<Sorted>, Stop> {
        let rows: usize = self.pieces.iter().map(|piece| piece.values.len()).sum();
        if count == 1 {
            let as_it_is = |piece: &Piece| Sorted { values: piece.values.clone(), ends: vec![piece.values.len()] };
            return Ok(self.pieces.iter().map(as_it_is).collect());
        }
        let chunks = (rows / CHUNK).min(rows / ROWS_OF_GROUP / count).max(1);
        let chunks = evenly(&self.pieces.iter().map(|piece| piece.values.len()).collect::<Vec<_>>(), chunks);
        let sort = |(): &mut (), at: usize| {
            self.cancel.check()?;
            let pieces = &self.pieces[chunks[at].clone()];
            let values = self.put_together(&pieces.iter().map(|piece| &piece.values).collect::<Vec<_>>(), 1);
            let mut groups = Vec::with_capacity(values.len());
            pieces.iter().for_each(|piece| piece.add_groups(&mut groups));
            let (rows, ends) = by_group(&groups, count);
            Ok(Sorted { values: take(&values, &rows, None).expect("rows there are"), ends })
        };
        parallel_map(threads, chunks.len(), || (), sort)
    }

    /// Arrays one after the other.
    fn put_together(&self, arrays: &[&ArrayRef], threads: usize) -> ArrayRef {
        match arrays {
            [] => no_values(self.graph.types(), self.spec.element),
            [one] => (*one).clone(),
            _ => concat_on(threads, &arrays.iter().map(|array| array.as_ref() as &dyn Array).collect::<Vec<_>>()),
        }
    }

    /// The results of some groups.
    fn of_groups(&self, sorted: &[Sorted], groups: Range<usize>, threads: usize) -> Result<ArrayRef, Stop> {
        let types = self.graph.types();
        let (items, runs) = match sorted {
            [one] => (one.values.clone(), groups.map(|group| one.of_group(group)).collect::<Vec<_>>()),
            _ => {
                let slice = |chunk: &Sorted, run: Range<usize>| chunk.values.slice(run.start, run.len());
                let of_group = |group: usize| sorted.iter().map(move |chunk| slice(chunk, chunk.of_group(group)));
                let mut end = 0;
                let runs = groups.clone().map(|group| {
                    let start = end;
                    end += sorted.iter().map(|chunk| chunk.of_group(group).len()).sum::<usize>();
                    start..end
                });
                let runs: Vec<Range<usize>> = runs.collect();
                let slices: Vec<ArrayRef> = groups.flat_map(of_group).filter(|slice| !slice.is_empty()).collect();
                (self.put_together(&slices.iter().collect::<Vec<_>>(), threads), runs)
            }
        };
        if let Some(reduced) = of_runs(&self.spec, types, &items, &runs, threads) {
            return Ok(reduced);
        }
        let one = |run: Range<usize>| {
            self.cancel.check()?;
            self.spec.oracle(types, array_to_values(types, self.spec.element, &items.slice(run.start, run.len())))
        };
        let results: Vec<Value> = runs.into_iter().map(one).collect::<Result<_, Stop>>()?;
        Ok(values_to_array(types, self.spec.ty, &results))
    }
}

/// The reduction of each run of elements. `None` where there is no loop for it, or where one raises.
pub(super) fn of_runs(spec: &ReductionSpec, types: &Types, items: &ArrayRef, runs: &[Range<usize>], threads: usize) -> Option<ArrayRef> {
    let level = match spec.rest.first() {
        Some(Value::F64(level)) => Some(*level),
        Some(_) => return None,
        None => None,
    };
    let reduce = RunReduction { op: spec.op, attrs: &spec.attrs, types, element: spec.element, level, threads }.over(items)?;
    let results: Option<Vec<Value>> = runs.iter().cloned().map(reduce).collect();
    Some(values_to_array(types, spec.ty, &results?))
}

impl Reduction for Buffered {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, _: usize) -> Result<(), Stop> {
        let piece = match groups {
            Groups::One => Piece { groups: None, values: values.clone(), places: None },
            _ => {
                let (groups, values) = groups.each(values);
                Piece { groups: Some(groups.into()), values, places: None }
            }
        };
        self.keep(piece);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, _: usize) -> Result<(), Stop> {
        let places: Arc<[u32]> = moves.places().into();
        for piece in &same_kind::<Buffered>(other).pieces {
            let piece = if moves.are_all() && piece.places.is_none() {
                Piece { places: Some(places.clone()), ..piece.clone() }
            } else {
                let mut groups = Vec::with_capacity(piece.values.len());
                piece.add_groups(&mut groups);
                let (groups, values) = left_in(&groups, &piece.values, &places);
                Piece { groups: Some(groups.into()), values, places: None }
            };
            self.keep(piece);
        }
        Ok(())
    }

    fn finish(&mut self, count: usize, threads: usize) -> Result<ArrayRef, Stop> {
        if count == 0 {
            return Ok(no_values(self.graph.types(), self.spec.ty));
        }
        let sorted = self.sorted(count, threads)?;
        self.pieces.clear();
        let rows: Vec<usize> = (0..count).map(|group| sorted.iter().map(|chunk| chunk.of_group(group).len()).sum()).collect();
        by_ranges(&rows, threads, |groups, threads| self.of_groups(&sorted, groups, threads))
    }

    fn size(&self) -> usize {
        self.bytes
    }
}
