//! The probe side of a join.

use super::hash_table::Keys;
use super::{Ended, Join, JoinHashTable, JoinKind, JoinSide, Shape};
use crate::adapter::{Stream, stream_of};
use airloom_compute::body::BoundProgram;
use airloom_compute::data::{Failure, Selection, Vector, record_batch};
use airloom_compute::keys::{EMPTY, without_nulls};
use airloom_io::failure::to_datafusion;
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, BooleanBufferBuilder, RecordBatch, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{filter_record_batch, take};
use futures::StreamExt;
use std::sync::Arc;

/// What must hold of a pair of rows besides equal keys.
pub struct Predicate {
    /// The body: the left row, the right row, what it captures.
    pub program: BoundProgram,
    /// Where each field of the left row is found, by side and column; `None` for those it does not read.
    pub left: Vec<Option<(JoinSide, usize)>>,
    /// Where each field of the right row is found.
    pub right: Vec<Option<(JoinSide, usize)>>,
    /// What it captures.
    pub captures: Vec<Vector>,
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

/// The rows that a partition of the probe side makes.
pub(super) fn stream(join: Arc<Join>, built: Arc<JoinHashTable>, input: Stream, ended: Ended) -> Stream {
    let schema = join.shape.schema.clone();
    let morsel = join.options.morsel_rows;
    let state = (join, built, input, None::<Probing>, ended);
    let rows = futures::stream::unfold(state, |(join, built, mut input, mut probing, ended)| async move {
        loop {
            if let Some(current) = &mut probing {
                match current.next(&join, &join.shape, &built) {
                    Ok(Some(rows)) if rows.num_rows() == 0 => continue,
                    Ok(Some(rows)) => return Some((Ok(rows), (join, built, input, probing, ended))),
                    Ok(None) => (),
                    Err(failure) => return Some((Err(to_datafusion(failure)), (join, built, input, None, ended))),
                }
            }
            let batch = match input.next().await? {
                Ok(batch) => batch,
                Err(error) => return Some((Err(error), (join, built, input, None, ended))),
            };
            match join.cancel.check().map_err(Failure::from).and_then(|()| Probing::new(&join, &built, batch)) {
                Ok(begun) => probing = Some(begun),
                Err(failure) => return Some((Err(to_datafusion(failure)), (join, built, input, None, ended))),
            }
        }
    });
    super::super::coalesced(stream_of(schema, rows), morsel)
}

/// One batch of the probe side, being joined.
pub(super) struct Probing {
    batch: RecordBatch,
    found: Found,
    row: usize,
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
    pub(super) fn new(join: &Join, built: &JoinHashTable, batch: RecordBatch) -> Result<Probing, Failure> {
        let (types, count) = (join.graph.types(), batch.num_rows());
        let vectors = join.probe_keys.run(&batch)?;
        let keys: Vec<ArrayRef> = vectors.iter().zip(&join.key_types).map(|(vector, &ty)| vector.to_array(types, ty, count)).collect();
        let (encoder, index) = match &built.keys {
            Keys::Rows { encoder, index } => (encoder, index),
            Keys::Any(members) => {
                let found = members.among(&keys[0]).expect("invariant `members are learned before they are asked for`");
                return Ok(Probing { batch, found: Found::Any(found), row: 0 });
            }
        };
        let (codes, known) = encoder.find(types, &keys, count);
        let mut first = Vec::with_capacity(count);
        index.first(&codes, &mut first);
        if let Some(known) = known {
            first.iter_mut().zip(known.iter()).filter(|(_, known)| !known).for_each(|(f, _)| *f = EMPTY);
        }
        if !join.nulls_equal
            && let Some(nulls) = without_nulls(&keys).filter(|n| n.null_count() > 0)
        {
            first.iter_mut().enumerate().filter(|(row, _)| nulls.is_null(*row)).for_each(|(_, f)| *f = EMPTY);
        }
        Ok(Probing { batch, found: Found::First(first), row: 0 })
    }

    /// The next rows of the result, or `None` at the end of the batch.
    pub(super) fn next(&mut self, join: &Join, shape: &Shape, built: &JoinHashTable) -> Result<Option<RecordBatch>, Failure> {
        if self.row >= self.batch.num_rows() {
            return Ok(None);
        }
        match join.kind {
            JoinKind::Probe { matched } => self.tested(join, shape, built, matched).map(Some),
            JoinKind::Pairs { keep_probe, keep_build } => {
                let pairs = self.pairs(join, built, keep_probe)?;
                if keep_build {
                    built.mark(&pairs.build);
                }
                Ok(Some(join.rows(shape, &self.batch, &built.rows, pairs)))
            }
            JoinKind::Build { .. } => {
                let pairs = self.pairs(join, built, false)?;
                built.mark(&pairs.build);
                Ok(Some(RecordBatch::new_empty(shape.schema.clone())))
            }
        }
    }

    /// The next pairs. Rows without a match keep their positions among them, where they are kept.
    fn pairs(&mut self, join: &Join, built: &JoinHashTable, keep: bool) -> Result<Pairs, Failure> {
        let start = self.row;
        let alone = keep && join.predicate.is_none();
        let mut pairs = self.candidates(built, alone);
        let Some(predicate) = &join.predicate else { return Ok(pairs) };
        let mask = predicate.holds(&self.batch, &built.rows, &pairs.probe, &pairs.build)?;
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
        let count = self.batch.num_rows();
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
    fn tested(&mut self, join: &Join, shape: &Shape, built: &JoinHashTable, matched: bool) -> Result<RecordBatch, Failure> {
        let start = self.row;
        let has = if let Some(predicate) = &join.predicate {
            let pairs = self.candidates(built, false);
            let found = predicate.matched(&self.batch, &built.rows, &pairs)?;
            let mut has = BooleanBufferBuilder::new(self.row - start);
            has.append_n(self.row - start, false);
            found.iter().for_each(|&row| has.set_bit(row as usize - start, true));
            has.finish()
        } else {
            self.row = self.batch.num_rows();
            match &self.found {
                Found::First(first) => BooleanBuffer::collect_bool(first.len(), |row| first[row] != EMPTY),
                Found::Any(any) => any.clone(),
            }
        };
        let mask = BooleanArray::new(if matched { has } else { !&has }, None);
        let rows = self.batch.slice(start, self.row - start);
        let columns: Vec<usize> = shape.output.iter().map(|&(_, at)| at).collect();
        let rows = rows.project(&columns).expect("columns of the batch");
        let rows = filter_record_batch(&rows, &mask).expect("a mask of its rows");
        Ok(record_batch(&shape.schema, rows.columns().to_vec(), rows.num_rows()))
    }
}

impl Predicate {
    /// The rows of the probe side that have a match; one may stand there more than once. A row is decided by its first match: what a pair after that raises is not
    /// heard. So where any pair raises, pairs are looked at one by one.
    fn matched(&self, probe: &RecordBatch, build: &RecordBatch, pairs: &Pairs) -> Result<Vec<u32>, Failure> {
        match self.holds(probe, build, &pairs.probe, &pairs.build) {
            Ok(mask) => Ok(mask.values().set_indices().map(|at| pairs.probe[at]).collect()),
            Err(Failure::Raised(_)) => {
                let mut matched = Vec::new();
                for (at, &row) in pairs.probe.iter().enumerate() {
                    if matched.last() != Some(&row) && self.holds(probe, build, &[row], &pairs.build[at..=at])?.value(0) {
                        matched.push(row);
                    }
                }
                Ok(matched)
            }
            Err(failure) => Err(failure),
        }
    }

    /// For each pair, by the numbers of its rows, whether it is true.
    fn holds(&self, probe: &RecordBatch, build: &RecordBatch, probe_rows: &[u32], build_rows: &[u32]) -> Result<BooleanArray, Failure> {
        let count = probe_rows.len();
        if count == 0 {
            return Ok(BooleanArray::from(Vec::<bool>::new()));
        }
        let (probe_rows, build_rows) = (UInt32Array::from(probe_rows.to_vec()), UInt32Array::from(build_rows.to_vec()));
        let part = |place: &Option<(JoinSide, usize)>| match place {
            None => Vector::Constant(Value::Null),
            Some((JoinSide::Probe, at)) => Vector::Flat(take(probe.column(*at), &probe_rows, None).expect("rows of the batch")),
            Some((JoinSide::Build, at)) => Vector::Flat(take(build.column(*at), &build_rows, None).expect("rows that were gathered")),
        };
        let row = |places: &[Option<(JoinSide, usize)>]| Vector::Row(places.iter().map(part).collect());
        let given: Vec<Vector> = [row(&self.left), row(&self.right)].into_iter().chain(self.captures.iter().cloned()).collect();
        Ok(match self.program.run(&given, &Selection::All(count))? {
            Vector::Constant(value) => BooleanArray::from(vec![value == Value::Bool(true); count]),
            Vector::Flat(mask) => {
                let mask = mask.as_boolean();
                if mask.null_count() > 0 { arrow::compute::prep_null_mask_filter(mask) } else { mask.clone() }
            }
            Vector::Row(_) => panic!("invariant `values have their node's type`: a predicate is a boolean"),
        })
    }
}
