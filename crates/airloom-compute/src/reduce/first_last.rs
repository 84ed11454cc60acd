//! The first and the last element of a group.

use super::{Groups, Moves, Reduction, not_skipped, same_kind};
use crate::data::array_bytes;
use crate::data::values::no_values;
use airloom_ir::attrs::Skip;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::Stop;
use airloom_ir::types::TyId;
use arrow::array::{Array, ArrayRef, UInt32Array};
use arrow::compute::{concat, take};
use std::sync::Arc;

/// Where the element of a group that has none is.
const NONE: u32 = u32::MAX;

/// For each group the position of its element among those kept.
pub(super) struct FirstLast {
    last: bool,
    skip: Skip,
    element: TyId,
    graph: Arc<Graph>,
    places: Vec<u32>,
    kept: Vec<ArrayRef>,
    length: usize,
}

impl FirstLast {
    pub(super) fn first(skip: Skip, element: TyId, graph: Arc<Graph>) -> FirstLast {
        FirstLast { last: false, skip, element, graph, places: Vec::new(), kept: Vec::new(), length: 0 }
    }

    pub(super) fn last(skip: Skip, element: TyId, graph: Arc<Graph>) -> FirstLast {
        FirstLast { last: true, ..Self::first(skip, element, graph) }
    }

    /// Keeps the elements at these rows for their groups.
    fn keep(&mut self, chosen: Vec<(usize, u32)>, values: &ArrayRef) {
        if chosen.is_empty() {
            return;
        }
        let rows = UInt32Array::from_iter_values(chosen.iter().map(|&(_, row)| row));
        self.kept.push(take(values, &rows, None).expect("rows of the batch"));
        for (at, &(group, _)) in chosen.iter().enumerate() {
            self.places[group] = (self.length + at) as u32;
        }
        self.length += chosen.len();
        // The last elements of earlier batches are no longer wanted once later ones have come.
        if self.length > 4 * self.places.len() + 65_536 {
            self.compact();
        }
    }

    fn compact(&mut self) {
        let all = self.gather();
        let present: Vec<usize> = (0..self.places.len()).filter(|&g| self.places[g] != NONE).collect();
        let rows = UInt32Array::from_iter_values(present.iter().map(|&g| g as u32));
        self.kept = vec![take(&all, &rows, None).expect("groups there are")];
        present.iter().enumerate().for_each(|(at, &group)| self.places[group] = at as u32);
        self.length = present.len();
    }

    /// The element of each group; null where there is none.
    fn gather(&self) -> ArrayRef {
        let pieces: Vec<&dyn Array> = self.kept.iter().map(AsRef::as_ref).collect();
        let all =
            if pieces.is_empty() { no_values(self.graph.types(), self.element) } else { concat(&pieces).expect("pieces of one type") };
        let rows: UInt32Array = self.places.iter().map(|&place| (place != NONE).then_some(place)).collect();
        take(&all, &rows, None).expect("places of kept elements")
    }
}

impl Reduction for FirstLast {
    fn update(&mut self, groups: Groups<'_>, values: &ArrayRef, count: usize) -> Result<(), Stop> {
        self.places.resize(count, NONE);
        // Only what `skip` names is passed over: a null that it does not name is an element like others.
        let mask = not_skipped(self.skip, values);
        let wanted = |row: usize| mask.as_ref().is_none_or(|m| m.value(row));
        let mut chosen: Vec<(usize, u32)> = Vec::new();
        if let Some(runs) = groups.runs(values.len()) {
            for (group, mut run) in runs.filter(|(group, _)| self.last || self.places[*group] == NONE) {
                let found = if self.last { run.rev().find(|&row| wanted(row)) } else { run.find(|&row| wanted(row)) };
                chosen.extend(found.map(|row| (group, row as u32)));
            }
        } else if self.last {
            let mut seen = hashbrown::HashMap::new();
            groups.for_each(values.len(), |row, group| {
                if wanted(row) {
                    seen.insert(group, row as u32);
                }
            });
            chosen.extend(seen);
            chosen.sort_unstable();
        } else {
            let places = &mut self.places;
            groups.for_each(values.len(), |row, group| {
                if places[group] == NONE && wanted(row) {
                    // A mark for groups already chosen in this batch: a position beyond every kept element.
                    places[group] = NONE - 1;
                    chosen.push((group, row as u32));
                }
            });
        }
        self.keep(chosen, values);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Reduction, moves: Moves<'_>, count: usize) -> Result<(), Stop> {
        let other = same_kind::<FirstLast>(other);
        self.places.resize(count, NONE);
        let elements = other.gather();
        let chosen = moves.pairs().filter_map(|(at, group)| {
            let has = other.places.get(at).is_some_and(|&place| place != NONE);
            (has && (self.last || self.places[group] == NONE)).then_some((group, at as u32))
        });
        let chosen = chosen.collect();
        self.keep(chosen, &elements);
        Ok(())
    }

    fn finish(&mut self, count: usize, _: usize) -> Result<ArrayRef, Stop> {
        self.places.resize(count, NONE);
        Ok(self.gather())
    }

    fn size(&self) -> usize {
        self.places.len() * 4 + self.kept.iter().map(array_bytes).sum::<usize>()
    }
}
