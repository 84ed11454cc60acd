//! The probe side of a join.

use super::hash_table::Keys;
use super::predicate::ProbeRows;
use super::{Ended, Join, JoinHashTable, JoinKind, JoinSide, Shape};
use airloom_compute::data::{Failure, Selected, Selection, record_batch};
use airloom_compute::keys::{EMPTY, without_nulls};
use airloom_io::failure::to_datafusion;
use airloom_io::metrics::SelectedStream;
use arrow::array::{ArrayRef, BooleanArray, BooleanBufferBuilder, RecordBatch, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::take;
use futures::StreamExt;
use std::sync::Arc;

/// How rows of a result are handed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HandOn {
    /// Alone: who reads them makes every column smaller at once.
    Rows,
    /// Among others, as they stand in the batch of the probe side: no column of that is copied for a reader that may not need it.
    Selected,
}

/// Pairs of rows, by their numbers on both sides.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) probe: Vec<u32>,
    /// `u32::MAX` where a row has no match.
    pub(super) build: Vec<u32>,
    /// Whether any row has no match.
    pub(super) unmatched: bool,
}

/// How many pairs are made into a batch at once.
const MANY: usize = 1 << 16;

/// Where at least this share of a batch is selected, all of its keys are looked up: that costs less than to find out which. Where as many have found a match, they are handed on among the others.
const DENSE: usize = 2;

/// The rows that a partition of the probe side makes.
pub(super) fn stream(join: Arc<Join>, built: Arc<JoinHashTable>, input: SelectedStream, ended: Ended, hand_on: HandOn) -> SelectedStream {
    let (schema, morsel) = (join.shape.schema.clone(), join.options.morsel_rows);
    let state = (join, built, input, None::<Probing>, ended);
    let rows = futures::stream::unfold(state, move |(join, built, mut input, mut probing, ended)| async move {
        loop {
            if let Some(current) = &mut probing {
                match current.next(&join, &join.shape, &built) {
                    Ok(Some(rows)) if rows.rows.is_empty() => continue,
                    Ok(Some(rows)) => return Some((Ok(rows), (join, built, input, probing, ended))),
                    Ok(None) => (),
                    Err(failure) => return Some((Err(to_datafusion(failure)), (join, built, input, None, ended))),
                }
            }
            let batch = match input.next().await? {
                Ok(batch) => batch,
                Err(error) => return Some((Err(error), (join, built, input, None, ended))),
            };
            match join.cancel.check().map_err(Failure::from).and_then(|()| Probing::new(&join, &built, batch, hand_on)) {
                Ok(begun) => probing = Some(begun),
                Err(failure) => return Some((Err(to_datafusion(failure)), (join, built, input, None, ended))),
            }
        }
    });
    super::super::coalesced(rows.boxed(), &schema, morsel)
}

/// One batch of the probe side, being joined.
pub(super) struct Probing {
    probe: ProbeRows,
    found: Found,
    row: usize,
    hand_on: HandOn,
}

/// What each row of a batch has found.
enum Found {
    /// The first place of its key in the index, or `EMPTY`.
    First(Vec<u32>),
    /// Whether there is one.
    Any(BooleanBuffer),
}

impl Probing {
    /// Looks up the keys of a batch.
    pub(super) fn new(join: &Join, built: &JoinHashTable, selected: Selected, hand_on: HandOn) -> Result<Probing, Failure> {
        // A row that was not selected is one that finds nothing, where those are not asked for.
        let only_matches = match join.kind {
            JoinKind::Pairs { keep_probe, .. } => !keep_probe,
            JoinKind::Probe { matched } => matched,
            JoinKind::Build { .. } => true,
        };
        let is_dense = selected.rows.len() * DENSE >= selected.batch.num_rows() && join.probe_keys.program.is_none();
        let (selected, dropped) = match selected.rows.mask().filter(|_| only_matches && is_dense) {
            Some(mask) => (Selected::all(selected.batch.clone()), Some(!mask)),
            None => (selected, None),
        };
        let probe = ProbeRows::new(selected);
        let (types, count) = (join.graph.types(), probe.len());
        let vectors = join.probe_keys.run_selected(&probe.batch, &probe.selection)?;
        let keys: Vec<ArrayRef> = vectors.iter().zip(&join.key_types).map(|(vector, &ty)| vector.to_array(types, ty, count)).collect();
        let (encoder, index) = match &built.keys {
            Keys::Rows { encoder, index } => (encoder, index),
            Keys::Any(members) => {
                let found = members.among(&keys[0]).expect("invariant `members are learned before they are asked for`");
                let found = dropped.map_or(found.clone(), |dropped| &found & &!&dropped);
                return Ok(Probing { probe, found: Found::Any(found), row: 0, hand_on });
            }
        };
        let (codes, known) = encoder.find(types, &keys, count);
        let mut first = Vec::with_capacity(count);
        index.first(&codes, &mut first);
        let unknown = known.map(|known| !&known);
        let nulls = if join.nulls_equal { None } else { without_nulls(&keys).map(|nulls| !nulls.inner()) };
        for nothing in [unknown, nulls, dropped].iter().flatten() {
            nothing.set_indices().for_each(|row| first[row] = EMPTY);
        }
        Ok(Probing { probe, found: Found::First(first), row: 0, hand_on })
    }

    /// The next rows of the result, or `None` at the end of the batch.
    pub(super) fn next(&mut self, join: &Join, shape: &Shape, built: &JoinHashTable) -> Result<Option<Selected>, Failure> {
        if self.row >= self.probe.len() {
            return Ok(None);
        }
        match join.kind {
            JoinKind::Probe { matched } => self.tested(join, shape, built, matched).map(Some),
            JoinKind::Pairs { keep_probe, keep_build } => {
                if let Some(rows) = self.among_others(join, shape, built) {
                    return Ok(Some(rows));
                }
                let pairs = self.pairs(join, built, keep_probe)?;
                if keep_build {
                    built.mark(&pairs.build);
                }
                Ok(Some(Selected::all(join.rows(shape, &self.probe, &built.rows, pairs))))
            }
            JoinKind::Build { .. } => {
                let pairs = self.pairs(join, built, false)?;
                built.mark(&pairs.build);
                Ok(Some(Selected::all(RecordBatch::new_empty(shape.schema.clone()))))
            }
        }
    }

    /// All rows that found their one partner, among those of the batch that found none, where these are few: the columns of the probe side stay as they are.
    fn among_others(&mut self, join: &Join, shape: &Shape, built: &JoinHashTable) -> Option<Selected> {
        let (Found::First(firsts), Keys::Rows { index, .. }) = (&self.found, &built.keys) else { return None };
        let plain = join.predicate.is_none() && join.kind == JoinKind::Pairs { keep_probe: false, keep_build: false };
        if self.hand_on == HandOn::Rows || !plain || !index.is_unique() || !self.probe.selection.is_all() || built.rows.num_rows() == 0 {
            return None;
        }
        let count = firsts.len();
        let matched = BooleanBuffer::collect_bool(count, |row| firsts[row] != EMPTY);
        // Columns of the build side are taken for the others, too: that must cost less than to copy those of the probe side.
        let (found, columns) = (matched.count_set_bits(), shape.output.len());
        let taken = shape.output.iter().filter(|(side, _)| *side == JoinSide::Build).count();
        if found * DENSE < count || found * columns < count * taken {
            return None;
        }
        // A row that is not selected may have any values.
        let build_rows: UInt32Array = firsts.iter().map(|&first| if first == EMPTY { 0 } else { first }).collect::<Vec<u32>>().into();
        let column = |&(side, at): &(JoinSide, usize)| match side {
            JoinSide::Probe => self.probe.batch.column(at).clone(),
            JoinSide::Build => take(built.rows.column(at), &build_rows, None).expect("rows that were gathered"),
        };
        let batch = record_batch(&shape.schema, shape.output.iter().map(column).collect(), count);
        self.row = count;
        Some(Selected { batch, rows: Selection::of_mask(&BooleanArray::new(matched, None)) })
    }

    /// The next pairs. Rows without a match keep their positions among them, where they are kept.
    fn pairs(&mut self, join: &Join, built: &JoinHashTable, keep: bool) -> Result<Pairs, Failure> {
        let start = self.row;
        let alone = keep && join.predicate.is_none();
        let mut pairs = self.candidates(built, alone);
        let Some(predicate) = &join.predicate else { return Ok(pairs) };
        let mask = predicate.holds(&self.probe, &built.rows, &pairs.probe, &pairs.build)?;
        let kept = |rows: &[u32]| -> Vec<u32> { rows.iter().zip(mask.values()).filter(|(_, keep)| *keep).map(|(&row, _)| row).collect() };
        pairs = Pairs { probe: kept(&pairs.probe), build: kept(&pairs.build), unmatched: false };
        if !keep {
            return Ok(pairs);
        }
        let mut all = Pairs { unmatched: true, ..Pairs::default() };
        let mut at = 0;
        for row in start as u32..self.row as u32 {
            if pairs.probe.get(at) != Some(&row) {
                all.probe.push(row);
                all.build.push(u32::MAX);
            }
            while pairs.probe.get(at) == Some(&row) {
                all.probe.push(row);
                all.build.push(pairs.build[at]);
                at += 1;
            }
        }
        Ok(all)
    }

    /// Pairs of equal keys, row by row until there are many.
    fn candidates(&mut self, built: &JoinHashTable, alone: bool) -> Pairs {
        let mut pairs = Pairs::default();
        let count = self.probe.len();
        let (Found::First(firsts), Keys::Rows { index, .. }) = (&self.found, &built.keys) else {
            panic!("invariant `where pairs are asked for, rows are found`");
        };
        if index.is_unique() && !alone {
            // Every row is written and the next one written over it where it has no match: no branch to guess.
            let rest = &firsts[self.row..];
            (pairs.probe, pairs.build) = (vec![0; rest.len()], vec![0; rest.len()]);
            let mut found = 0;
            for (row, &first) in (self.row as u32..).zip(rest) {
                (pairs.probe[found], pairs.build[found]) = (row, first);
                found += usize::from(first != EMPTY);
            }
            pairs.probe.truncate(found);
            pairs.build.truncate(found);
            self.row = count;
            return pairs;
        }
        if index.is_unique() {
            for (row, &first) in firsts.iter().enumerate().skip(self.row) {
                pairs.unmatched |= first == EMPTY;
                pairs.probe.push(row as u32);
                pairs.build.push(first);
            }
            self.row = count;
            return pairs;
        }
        while self.row < count && pairs.probe.len() < MANY {
            let found = firsts[self.row];
            if found != EMPTY {
                index.extend(found, &mut pairs.build);
                pairs.probe.resize(pairs.build.len(), self.row as u32);
            } else if alone {
                pairs.unmatched = true;
                pairs.probe.push(self.row as u32);
                pairs.build.push(EMPTY);
            }
            self.row += 1;
        }
        pairs
    }

    /// The rows that have a match, or those that have none.
    fn tested(&mut self, join: &Join, shape: &Shape, built: &JoinHashTable, matched: bool) -> Result<Selected, Failure> {
        let (start, count) = (self.row, self.probe.len());
        let has = if let Some(predicate) = &join.predicate {
            let pairs = self.candidates(built, false);
            let found = predicate.matched(&self.probe, &built.rows, &pairs)?;
            // Rows that were not looked at now are in another part of the result.
            let mut has = BooleanBufferBuilder::new(count);
            has.append_n(start, !matched);
            has.append_n(self.row - start, false);
            has.append_n(count - self.row, !matched);
            found.iter().for_each(|&row| has.set_bit(row as usize, true));
            has.finish()
        } else {
            self.row = count;
            match &self.found {
                Found::First(first) => BooleanBuffer::collect_bool(first.len(), |row| first[row] != EMPTY),
                Found::Any(any) => any.clone(),
            }
        };
        let mask = BooleanArray::new(if matched { has } else { !&has }, None);
        let columns: Vec<ArrayRef> = shape.output.iter().map(|&(_, at)| self.probe.batch.column(at).clone()).collect();
        let batch = record_batch(&shape.schema, columns, self.probe.batch.num_rows());
        Ok(Selected { batch, rows: self.probe.selection.narrow(&mask) })
    }
}
