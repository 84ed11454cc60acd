//! Rows that are dealt out to parts: where each goes, and columns whose rows are written there.

use super::gather::{RowOf, as_bytes, gather, of_views, views_in_one};
use arrow::array::{Array, ArrayRef, BinaryViewArray, PrimitiveArray, downcast_primitive_array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use std::ops::Range;
use std::sync::Arc;

/// Where rows go that are dealt out to parts: those of the first part come first, and rows of one part stay in their order.
pub struct PartPlaces {
    /// The place of each row.
    places: Vec<u32>,
    /// Where the rows of each part are.
    pub ends: PartEnds,
}

/// Where the rows of each part end, part after part.
pub struct PartEnds(Vec<usize>);

impl PartEnds {
    /// The places of the rows of a part.
    pub fn of(&self, part: usize) -> Range<usize> {
        let start = if part == 0 { 0 } else { self.0[part - 1] };
        start..self.0[part]
    }
}

impl PartPlaces {
    /// By the part of each row, of `count` parts.
    pub fn new(parts: &[u8], count: usize) -> PartPlaces {
        let mut next = vec![0usize; count];
        parts.iter().for_each(|&part| next[usize::from(part)] += 1);
        let mut sum = 0;
        for rows in &mut next {
            sum += *rows;
            *rows = sum - *rows;
        }
        let place = |&part: &u8| {
            let next = &mut next[usize::from(part)];
            *next += 1;
            *next as u32 - 1
        };
        let places = parts.iter().map(place).collect();
        // The place after the last row of a part is where it ends.
        PartPlaces { places, ends: PartEnds(next) }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    /// The row of each place.
    pub fn order(&self) -> Vec<u32> {
        let mut rows = vec![0; self.places.len()];
        self.places.iter().zip(0..).for_each(|(&place, row)| rows[place as usize] = row);
        rows
    }

    /// The rows of columns of one type, one column after the other, each at its place. Columns are read as they lie, and written to as many places as there are parts:
    /// that is faster than to gather the rows of each part.
    pub fn scatter(&self, columns: &[&dyn Array]) -> ArrayRef {
        scatter(columns, &self.places)
    }
}

/// The rows of columns of one type, each at its place: the first row of the first column becomes row `places[0]`. Every place is that of one row.
fn scatter(columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let Some(&first) = columns.first() else { panic!("invariant `rows are of some column`") };
    downcast_primitive_array!(
        first => numbers(first, columns, places),
        DataType::Utf8View | DataType::BinaryView => views(first, columns, places),
        _ => gather(columns, &order(columns, places))
    )
}

fn numbers<T: arrow::datatypes::ArrowPrimitiveType>(model: &PrimitiveArray<T>, columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let values = |column: &&dyn Array| column.as_any().downcast_ref::<PrimitiveArray<T>>().expect("columns of one type").values().clone();
    let slices: Vec<_> = columns.iter().map(values).collect();
    let values = placed(slices.iter().map(|slice| slice.as_ref()), places);
    Arc::new(PrimitiveArray::<T>::new(values.into(), valid(columns, places)).with_data_type(model.data_type().clone()))
}

fn views(model: &dyn Array, columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let bytes: Vec<BinaryViewArray> = columns.iter().copied().map(as_bytes).collect();
    let (pieces, buffers) = views_in_one(&bytes);
    of_views(model, placed(pieces.iter().map(AsRef::as_ref), places), buffers, valid(columns, places))
}

/// Values at their places.
fn placed<'a, T: Copy + Default + 'a>(columns: impl Iterator<Item = &'a [T]>, places: &[u32]) -> Vec<T> {
    let mut values = vec![T::default(); places.len()];
    let mut places = places.iter();
    for column in columns {
        for (&value, &place) in column.iter().zip(&mut places) {
            values[place as usize] = value;
        }
    }
    values
}

/// Which rows are valid, where some are not.
fn valid(columns: &[&dyn Array], places: &[u32]) -> Option<NullBuffer> {
    if columns.iter().all(|column| column.null_count() == 0) {
        return None;
    }
    let mut valid = vec![true; places.len()];
    let mut first = 0;
    for column in columns {
        if let Some(nulls) = column.nulls() {
            let own = &places[first..first + column.len()];
            own.iter().zip(nulls).filter(|(_, is_valid)| !is_valid).for_each(|(&place, _)| valid[place as usize] = false);
        }
        first += column.len();
    }
    Some(NullBuffer::from(valid))
}

/// The row that each place has.
fn order(columns: &[&dyn Array], places: &[u32]) -> Vec<RowOf> {
    let mut order = vec![RowOf::default(); places.len()];
    let mut places = places.iter();
    for (column, rows) in columns.iter().enumerate() {
        for (row, &place) in (0..rows.len()).zip(&mut places) {
            order[place as usize] = RowOf { column: column as u32, row: row as u32 };
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{PartPlaces, order, scatter};
    use crate::data::gather;
    use arrow::array::{Array, ArrayRef, BinaryViewArray, BooleanArray, Float64Array, Int8Array, StringViewArray};
    use std::sync::Arc;

    #[test]
    fn rows_of_a_part_stay_in_their_order() {
        let places = PartPlaces::new(&[2, 0, 2, 1, 0], 4);
        assert_eq!(places.places, [3, 0, 4, 2, 1]);
        assert_eq!(places.order(), [1, 4, 3, 0, 2]);
        assert_eq!((0..4).map(|part| places.ends.of(part)).collect::<Vec<_>>(), [0..2, 2..3, 3..5, 5..5]);
        assert_eq!(PartPlaces::new(&[], 2).ends.of(1), 0..0);
    }

    #[test]
    fn rows_are_those_that_are_gathered() {
        let long = |row: usize| format!("a text that is longer than a view, of row {row}");
        let texts: StringViewArray =
            (0..40).map(|row| (row % 7 != 2).then(|| if row % 3 == 0 { "short".into() } else { long(row) })).collect();
        let bytes: BinaryViewArray = (0..40).map(|row| (row % 5 != 1).then(|| long(row).into_bytes())).collect();
        let cases: Vec<ArrayRef> = vec![
            Arc::new((0..40).map(|row| (row % 4 != 1).then_some(row as f64)).collect::<Float64Array>()),
            Arc::new(Int8Array::from_iter_values(0..40)),
            Arc::new((0..40).map(|row| (row % 6 != 1).then_some(row % 2 == 0)).collect::<BooleanArray>()),
            Arc::new(texts),
            Arc::new(bytes),
        ];
        for column in cases {
            let other = arrow::compute::concat(&[column.as_ref(), column.as_ref()]).expect("columns of one type");
            for pieces in
                [vec![column.slice(0, 40)], vec![column.slice(3, 20), other.slice(41, 20)], vec![column.slice(0, 0), column.slice(5, 11)]]
            {
                let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
                let rows: usize = pieces.iter().map(|piece| piece.len()).sum();
                let places: Vec<u32> = (0..rows).map(|row| (row * 13 % rows) as u32).collect();
                assert_eq!(&scatter(&pieces, &places), &gather(&pieces, &order(&pieces, &places)), "{}", column.data_type());
            }
        }
    }
}
