//! Whether rows are sorted by a column.

use airloom_ir::attrs::SortKey;
use std::cmp::Ordering;

/// How rows are sorted by one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Under this key.
    pub key: SortKey,
    /// No two rows are equal.
    pub strict: bool,
    /// How many values there are, null being one.
    pub distinct: u64,
}

/// Follows the values of a column from the first to the last, and gives up as soon as they are sorted neither way.
pub(crate) struct Follow {
    rises: bool,
    falls: bool,
    equal: bool,
    /// How often a value differs from the one before.
    changes: u64,
    values: u64,
    nulls_before: u64,
    nulls_after: u64,
    split: bool,
}

impl Follow {
    pub(crate) fn new() -> Follow {
        Follow { rises: true, falls: true, equal: false, changes: 0, values: 0, nulls_before: 0, nulls_after: 0, split: false }
    }

    /// Whether it may still be sorted.
    pub(crate) fn sorted(&self) -> bool {
        (self.rises || self.falls) && !self.split
    }

    /// The next row is null.
    pub(crate) fn null(&mut self) {
        if self.values == 0 {
            self.nulls_before += 1;
        } else {
            self.nulls_after += 1;
        }
    }

    /// The next row has a value, which compares so to the value before.
    pub(crate) fn value(&mut self, to_last: Option<Ordering>) {
        // Nulls are at one end, not at both and not between values.
        self.split |= self.nulls_after > 0;
        self.values += 1;
        match to_last {
            None => (),
            Some(Ordering::Less) => {
                self.rises = false;
                self.changes += 1;
            }
            Some(Ordering::Greater) => {
                self.falls = false;
                self.changes += 1;
            }
            Some(Ordering::Equal) => self.equal = true,
        }
    }

    /// Several rows with values: whether one fell, one rose, and how many changed.
    pub(crate) fn values(&mut self, count: u64, fell: bool, rose: bool, changes: u64, compared: u64) {
        self.split |= count > 0 && self.nulls_after > 0;
        self.values += count;
        self.rises &= !fell;
        self.falls &= !rose;
        self.changes += changes;
        self.equal |= changes < compared;
    }

    pub(crate) fn finish(&self) -> Option<Order> {
        let nulls = self.nulls_before + self.nulls_after;
        if !self.sorted() || (self.nulls_before > 0 && self.nulls_after > 0) {
            return None;
        }
        let key = SortKey { descending: !self.rises, nulls_first: self.nulls_before > 0 };
        let distinct = u64::from(self.values > 0) + self.changes + u64::from(nulls > 0);
        Some(Order { key, strict: !self.equal && nulls <= 1, distinct })
    }
}
