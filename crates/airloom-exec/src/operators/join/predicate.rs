//! What must hold of a pair of rows besides equal keys, and the rows that are asked.

use super::JoinSide;
use super::probe::Pairs;
use airloom_compute::body::BoundProgram;
use airloom_compute::data::{Failure, Selected, Selection, Vector};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray, RecordBatch, UInt32Array};
use arrow::compute::take;
use std::cell::OnceCell;

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

/// The rows of a batch of the probe side that are looked up. They are numbered among themselves.
pub(super) struct ProbeRows {
    pub(super) batch: RecordBatch,
    pub(super) selection: Selection,
    /// The number of each in the batch, where it is not its own and was asked for.
    in_batch: OnceCell<Vec<u32>>,
}

impl ProbeRows {
    pub(super) fn new(selected: Selected) -> ProbeRows {
        let Selected { batch, rows: selection } = selected;
        ProbeRows { batch, selection, in_batch: OnceCell::new() }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.selection.len()
    }

    /// The numbers of rows in the batch.
    pub(super) fn numbers_in_batch(&self, mut rows: Vec<u32>) -> Vec<u32> {
        if !self.selection.is_all() {
            let in_batch = self.in_batch.get_or_init(|| self.selection.numbers().unwrap_or_default());
            rows.iter_mut().for_each(|row| *row = in_batch[*row as usize]);
        }
        rows
    }

    /// Whether these are all rows of the batch in their order.
    pub(super) fn is_whole(&self, rows: &[u32]) -> bool {
        self.selection.is_all() && rows.len() == self.batch.num_rows() && rows.iter().enumerate().all(|(at, &row)| row as usize == at)
    }
}

impl Predicate {
    /// The rows of the probe side that have a match; one may stand there more than once. A row is decided by its first match: what a pair after that raises is not
    /// heard. So where any pair raises, pairs are looked at one by one.
    pub(super) fn matched(&self, probe: &ProbeRows, build: &RecordBatch, pairs: &Pairs) -> Result<Vec<u32>, Failure> {
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
    pub(super) fn holds(
        &self,
        probe: &ProbeRows,
        build: &RecordBatch,
        probe_rows: &[u32],
        build_rows: &[u32],
    ) -> Result<BooleanArray, Failure> {
        let count = probe_rows.len();
        if count == 0 {
            return Ok(BooleanArray::from(Vec::<bool>::new()));
        }
        let probe_rows = UInt32Array::from(probe.numbers_in_batch(probe_rows.to_vec()));
        let build_rows = UInt32Array::from(build_rows.to_vec());
        let part = |place: &Option<(JoinSide, usize)>| match place {
            None => Vector::Constant(Value::Null),
            Some((JoinSide::Probe, at)) => Vector::Flat(take(probe.batch.column(*at), &probe_rows, None).expect("rows of the batch")),
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
