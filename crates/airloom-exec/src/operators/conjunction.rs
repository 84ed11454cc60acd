//! A filter of several conditions, some of text, none of which may raise: where others drop most rows, those of text are computed of the rest alone.

use super::BoundBody;
use airloom_compute::data::{Failure, Selected, Selection, Vector};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::compute::prep_null_mask_filter;
use std::sync::atomic::{AtomicU64, Ordering};

/// Conditions that must all hold.
pub struct Conjunction {
    /// All of them as one body.
    whole: BoundBody,
    parts: Vec<Condition>,
    batches: AtomicU64,
}

/// Conditions that are computed together.
pub struct Condition {
    /// One root for each.
    body: BoundBody,
    cost: Cost,
    /// Of how many rows they were computed by themselves, and for how many they held.
    rows: AtomicU64,
    held: AtomicU64,
}

/// About how many nanoseconds conditions take for a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Of all rows.
    pub of_all: f64,
    /// Of some that are left: each is found, and text is seldom in the cache.
    pub by_number: f64,
}

/// In one batch of `n` each condition is computed of all rows, to see for how many it holds.
const LOOK: u64 = 32;

/// One condition after the other pays where it is expected to take less than this of the time of all at once.
const PAYS: f64 = 0.8;

impl Condition {
    /// Conditions of a body.
    pub fn new(body: BoundBody, cost: Cost) -> Condition {
        Condition { body, cost, rows: AtomicU64::new(0), held: AtomicU64::new(0) }
    }

    /// For which of some rows of a batch all of them hold.
    fn holds(&self, input: &Selected, rows: &Selection) -> Result<BooleanBuffer, Failure> {
        let truths = self.body.run_selected(&input.batch, rows)?;
        Ok(truths.iter().map(|truth| truth_of(truth, rows.len())).reduce(|all, own| &all & &own).expect("a condition has a root"))
    }

    /// The share of rows for which they hold.
    fn share(&self) -> f64 {
        self.held.load(Ordering::Relaxed) as f64 / self.rows.load(Ordering::Relaxed).max(1) as f64
    }

    /// Whether they are computed of the rows that are left alone, which are this share of all.
    fn is_by_number(&self, left: f64) -> bool {
        left * self.cost.by_number < self.cost.of_all
    }
}

impl Conjunction {
    /// Conditions, each by itself and all as one.
    pub fn new(whole: BoundBody, parts: Vec<Condition>) -> Conjunction {
        Conjunction { whole, parts, batches: AtomicU64::new(0) }
    }

    /// The selected rows of a batch for which all conditions hold.
    pub(super) fn select(&self, input: &Selected) -> Result<Selection, Failure> {
        if self.batches.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOK) {
            return self.look(input);
        }
        let Some(order) = self.order() else {
            let truth = self.whole.run_selected(&input.batch, &input.rows)?.pop().expect("a filter has one root");
            return Ok(input.rows.narrow(&BooleanArray::new(truth_of(&truth, input.rows.len()), None)));
        };
        let all = input.batch.num_rows();
        let mut left = input.rows.mask().cloned().unwrap_or_else(|| BooleanBuffer::new_set(all));
        for part in order {
            let share = left.count_set_bits() as f64 / all.max(1) as f64;
            if share == 0.0 {
                break;
            }
            left = if part.is_by_number(share) {
                let rows = Selection::of_mask(&BooleanArray::new(left, None));
                let holds = BooleanArray::new(part.holds(input, &rows)?, None);
                rows.narrow(&holds).mask().cloned().unwrap_or_else(|| BooleanBuffer::new_set(all))
            } else {
                &left & &part.holds(input, &Selection::All(all))?
            };
        }
        Ok(Selection::of_mask(&BooleanArray::new(left, None)))
    }

    /// The order in which conditions are expected to take the least time, first those that drop the most rows for it; `None` where that is not much less than all at once.
    fn order(&self) -> Option<Vec<&Condition>> {
        let rank = |part: &Condition| part.cost.of_all / (1.0 - part.share()).max(1e-9);
        let mut order: Vec<&Condition> = self.parts.iter().collect();
        order.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
        let (mut left, mut expected) = (1.0, 0.0);
        for part in &order {
            expected += (left * part.cost.by_number).min(part.cost.of_all);
            left *= part.share();
        }
        let whole: f64 = self.parts.iter().map(|part| part.cost.of_all).sum();
        (expected < whole * PAYS).then_some(order)
    }

    /// The same, each condition computed of all selected rows and counted.
    fn look(&self, input: &Selected) -> Result<Selection, Failure> {
        let rows = input.rows.len();
        let mut all = BooleanBuffer::new_set(rows);
        for part in &self.parts {
            let holds = part.holds(input, &input.rows)?;
            part.rows.fetch_add(rows as u64, Ordering::Relaxed);
            part.held.fetch_add(holds.count_set_bits() as u64, Ordering::Relaxed);
            all = &all & &holds;
        }
        Ok(input.rows.narrow(&BooleanArray::new(all, None)))
    }
}

/// Where a boolean is true; null is not.
fn truth_of(truth: &Vector, rows: usize) -> BooleanBuffer {
    match truth {
        Vector::Constant(Value::Bool(true)) => BooleanBuffer::new_set(rows),
        Vector::Constant(_) => BooleanBuffer::new_unset(rows),
        Vector::Flat(mask) => {
            let mask = mask.as_boolean();
            if mask.null_count() > 0 { prep_null_mask_filter(mask).values().clone() } else { mask.values().clone() }
        }
        Vector::Row(_) => panic!("invariant `values have their node's type`: a predicate is a boolean"),
    }
}
