//! Selections: which rows of a batch a filter has left. Columns are made smaller only where somebody reads them.

use super::Vector;
use arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::{FilterBuilder, FilterPredicate, prep_null_mask_filter};
use std::sync::Arc;

/// The rows of a batch that are computed.
#[derive(Clone, Debug)]
pub enum Selection {
    /// All of `n` rows.
    All(usize),
    /// Those for which a mask is true.
    Masked(Arc<Masked>),
}

/// A batch, and which of its rows are left.
#[derive(Clone, Debug)]
pub struct Selected {
    /// All rows.
    pub batch: RecordBatch,
    /// Those that are left.
    pub rows: Selection,
}

impl Selected {
    /// All rows of a batch.
    pub fn all(batch: RecordBatch) -> Selected {
        Selected { rows: Selection::All(batch.num_rows()), batch }
    }

    /// The rows that are left, alone.
    pub fn compact(self) -> RecordBatch {
        if self.rows.is_all() { self.batch } else { self.rows.batch(&self.batch) }
    }
}

/// A mask, made ready for many columns.
#[derive(Debug)]
pub struct Masked {
    mask: BooleanArray,
    filter: FilterPredicate,
}

impl Selection {
    /// The rows of a batch for which a mask is true. Null is not true.
    pub fn of_mask(mask: &BooleanArray) -> Selection {
        let mask = if mask.null_count() > 0 { prep_null_mask_filter(mask) } else { mask.clone() };
        if mask.true_count() == mask.len() {
            return Selection::All(mask.len());
        }
        let filter = FilterBuilder::new(&mask).optimize().build();
        Selection::Masked(Arc::new(Masked { mask, filter }))
    }

    /// None of `n` rows.
    pub fn none(n: usize) -> Selection {
        if n == 0 { Selection::All(0) } else { Selection::of_mask(&BooleanArray::new(BooleanBuffer::new_unset(n), None)) }
    }

    /// How many rows are selected.
    pub fn len(&self) -> usize {
        match self {
            Selection::All(rows) => *rows,
            Selection::Masked(masked) => masked.filter.count(),
        }
    }

    /// Whether no row is selected.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all rows are selected.
    pub fn is_all(&self) -> bool {
        matches!(self, Selection::All(_))
    }

    /// Of the selected rows those for which a mask over them is true.
    pub fn narrow(&self, mask: &BooleanArray) -> Selection {
        let Selection::Masked(masked) = self else { return Selection::of_mask(mask) };
        if mask.null_count() == 0 && mask.true_count() == mask.len() {
            return self.clone();
        }
        let mut both = BooleanBufferBuilder::new(masked.mask.len());
        both.append_n(masked.mask.len(), false);
        for (at, row) in masked.mask.values().set_indices().enumerate() {
            both.set_bit(row, mask.is_valid(at) && mask.value(at));
        }
        Selection::of_mask(&BooleanArray::new(both.finish(), None))
    }

    /// Which rows are selected, where not all are.
    pub fn mask(&self) -> Option<&BooleanBuffer> {
        if let Selection::Masked(masked) = self { Some(masked.mask.values()) } else { None }
    }

    /// The numbers of the selected rows, in order, where not all are.
    pub fn numbers(&self) -> Option<Vec<u32>> {
        match self {
            Selection::All(_) => None,
            Selection::Masked(masked) => Some(masked.mask.values().set_indices_u32().collect()),
        }
    }

    /// The selected rows of a column.
    pub fn array(&self, array: &ArrayRef) -> ArrayRef {
        match self {
            Selection::All(_) => array.clone(),
            Selection::Masked(masked) => masked.filter.filter(array).expect("a mask as long as the column"),
        }
    }

    /// The selected rows of a vector.
    pub fn vector(&self, vector: &Vector) -> Vector {
        match (self, vector) {
            (Selection::All(_), _) | (_, Vector::Constant(_)) => vector.clone(),
            (_, Vector::Flat(array)) => Vector::Flat(self.array(array)),
            (_, Vector::Row(parts)) => Vector::Row(parts.iter().map(|part| self.vector(part)).collect()),
        }
    }

    /// The selected rows of a batch.
    pub fn batch(&self, batch: &RecordBatch) -> RecordBatch {
        match self {
            Selection::All(_) => batch.clone(),
            Selection::Masked(masked) => masked.filter.filter_record_batch(batch).expect("a mask as long as the batch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::Int64Type;

    fn numbers(selection: &Selection, rows: usize) -> Vec<i64> {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
        selection.array(&column).as_primitive::<Int64Type>().values().to_vec()
    }

    #[test]
    fn narrowing_twice_keeps_the_rows_of_both_masks() {
        let even = Selection::of_mask(&(0..10).map(|row| Some(row % 2 == 0)).collect());
        assert_eq!(numbers(&even, 10), [0, 2, 4, 6, 8]);
        let some = even.narrow(&BooleanArray::from(vec![Some(true), None, Some(false), Some(true), Some(true)]));
        assert_eq!((numbers(&some, 10), some.len()), (vec![0, 6, 8], 3));
        assert!(some.narrow(&BooleanArray::from(vec![false; 3])).is_empty());
    }

    #[test]
    fn a_mask_that_is_true_everywhere_selects_all() {
        assert!(Selection::of_mask(&BooleanArray::from(vec![true; 3])).is_all());
        assert!(Selection::of_mask(&BooleanArray::from(Vec::<bool>::new())).is_all());
        assert!(Selection::none(4).is_empty() && Selection::none(0).is_empty());
    }
}
