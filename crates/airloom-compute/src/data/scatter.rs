//! Rows of several columns in one, each written to its place.

use super::gather::{RowOf, gather, views_in_one};
use arrow::array::{Array, ArrayRef, BinaryViewArray, PrimitiveArray, StringViewArray, downcast_primitive_array};
use arrow::buffer::NullBuffer;
use arrow::datatypes::DataType;
use std::sync::Arc;

/// The rows of columns of one type, one after the other, each at its place: the first row of the first column becomes row `places[0]`. Every row of the result has a row
/// that is written to it. Columns are read as they lie, so that where places of neighbours are in few ranges, as those of parts are, this is faster than gathering.
pub fn scatter(columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let Some(&first) = columns.first() else { panic!("invariant `rows are of some column`") };
    downcast_primitive_array!(
        first => numbers(first, columns, places),
        DataType::Utf8View => text(columns, places),
        DataType::BinaryView => bytes(columns, places),
        _ => gather(columns, &order(columns, places))
    )
}

fn numbers<T: arrow::datatypes::ArrowPrimitiveType>(model: &PrimitiveArray<T>, columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let column = |column: &&dyn Array| column.as_any().downcast_ref::<PrimitiveArray<T>>().expect("columns of one type").values().clone();
    let slices: Vec<_> = columns.iter().map(column).collect();
    let values = placed(slices.iter().map(|slice| slice.as_ref()), places);
    Arc::new(PrimitiveArray::<T>::new(values.into(), valid(columns, places)).with_data_type(model.data_type().clone()))
}

fn text(columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let column =
        |column: &&dyn Array| column.as_any().downcast_ref::<StringViewArray>().expect("columns of one type").clone().to_binary_view();
    let columns: Vec<BinaryViewArray> = columns.iter().map(column).collect();
    let made = placed_views(&columns, places);
    // SAFETY: every view is one of a column of text, with the buffer that it had there.
    Arc::new(unsafe { made.to_string_view_unchecked() })
}

fn bytes(columns: &[&dyn Array], places: &[u32]) -> ArrayRef {
    let column = |column: &&dyn Array| column.as_any().downcast_ref::<BinaryViewArray>().expect("columns of one type").clone();
    Arc::new(placed_views(&columns.iter().map(column).collect::<Vec<_>>(), places))
}

fn placed_views(columns: &[BinaryViewArray], places: &[u32]) -> BinaryViewArray {
    let (views, buffers) = views_in_one(columns);
    let nulls = valid(&columns.iter().map(|column| column as &dyn Array).collect::<Vec<_>>(), places);
    let views = placed(views.iter().map(AsRef::as_ref), places);
    // SAFETY: `views_in_one` gives views into these buffers.
    unsafe { BinaryViewArray::new_unchecked(views.into(), buffers, nulls) }
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
    use super::{order, scatter};
    use crate::data::gather;
    use arrow::array::{Array, ArrayRef, BinaryViewArray, BooleanArray, Float64Array, Int8Array, StringViewArray};
    use std::sync::Arc;

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
