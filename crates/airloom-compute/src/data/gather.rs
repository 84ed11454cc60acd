//! Rows of several columns in one.

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, PrimitiveArray, downcast_primitive_array};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow::compute::interleave;
use arrow::datatypes::DataType;
use std::collections::HashMap;
use std::sync::Arc;

/// A row of one of several columns: which column, and where in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct RowOf {
    /// The column.
    pub column: u32,
    /// The row of it.
    pub row: u32,
}

/// Rows of columns of one type, in this order. Numbers and the views of text are copied in one loop; the rest is Arrow's.
pub fn gather(columns: &[&dyn Array], rows: &[RowOf]) -> ArrayRef {
    let Some(&first) = columns.first() else { panic!("invariant `rows are of some column`") };
    downcast_primitive_array!(
        first => numbers(first, columns, rows),
        // Views are made anew for all rows of the columns: Arrow's way is better for few of them.
        DataType::Utf8View | DataType::BinaryView if 2 * rows.len() >= columns.iter().map(|column| column.len()).sum::<usize>() => {
            views(first, columns, rows)
        }
        _ => {
            let rows: Vec<(usize, usize)> = rows.iter().map(|at| (at.column as usize, at.row as usize)).collect();
            interleave(columns, &rows).expect("columns of one type, and rows of them")
        }
    )
}

fn numbers<T: arrow::datatypes::ArrowPrimitiveType>(model: &PrimitiveArray<T>, columns: &[&dyn Array], rows: &[RowOf]) -> ArrayRef {
    let columns: Vec<&PrimitiveArray<T>> =
        columns.iter().map(|column| column.as_any().downcast_ref().expect("columns of one type")).collect();
    let slices: Vec<&[T::Native]> = columns.iter().map(|column| column.values().as_ref()).collect();
    let values: Vec<T::Native> = rows.iter().map(|at| slices[at.column as usize][at.row as usize]).collect();
    Arc::new(PrimitiveArray::<T>::new(values.into(), valid(&columns, rows)).with_data_type(model.data_type().clone()))
}

fn views(model: &dyn Array, columns: &[&dyn Array], rows: &[RowOf]) -> ArrayRef {
    let columns: Vec<BinaryViewArray> = columns.iter().copied().map(as_bytes).collect();
    let (pieces, buffers) = views_in_one(&columns);
    let pieces: Vec<&[u128]> = pieces.iter().map(AsRef::as_ref).collect();
    let made: Vec<u128> = rows.iter().map(|at| pieces[at.column as usize][at.row as usize]).collect();
    of_views(model, made, buffers, valid(&columns.iter().collect::<Vec<_>>(), rows))
}

/// Which of some rows are valid, where some are not.
fn valid<A: Array>(columns: &[&A], rows: &[RowOf]) -> Option<NullBuffer> {
    columns.iter().any(|column| column.null_count() > 0).then(|| {
        let valid = |at: usize| columns[rows[at].column as usize].is_valid(rows[at].row as usize);
        NullBuffer::new(BooleanBuffer::collect_bool(rows.len(), valid))
    })
}

/// A column of text or bytes as one of bytes.
pub(crate) fn as_bytes(column: &dyn Array) -> BinaryViewArray {
    match column.as_string_view_opt() {
        Some(text) => text.clone().to_binary_view(),
        None => column.as_binary_view().clone(),
    }
}

/// A column as the model is, of text or of bytes, with these views, which [`views_in_one`] gave together with the buffers.
pub(super) fn of_views(model: &dyn Array, views: Vec<u128>, buffers: Vec<Buffer>, nulls: Option<NullBuffer>) -> ArrayRef {
    // SAFETY: the views are into these buffers.
    let made = unsafe { BinaryViewArray::new_unchecked(views.into(), buffers, nulls) };
    match model.data_type() {
        // SAFETY: every view is one of a column of text, with the bytes that it had there.
        DataType::Utf8View => Arc::new(unsafe { made.to_string_view_unchecked() }),
        _ => Arc::new(made),
    }
}

/// The views of columns, as they are in a column that has the buffers of all of them; each buffer once.
pub(super) fn views_in_one(columns: &[BinaryViewArray]) -> (Vec<ScalarBuffer<u128>>, Vec<Buffer>) {
    /// Text of at most this many bytes is held by its view, and has no buffer.
    const INLINE: u128 = 12;
    let mut numbers: HashMap<(*const u8, usize), u32> = HashMap::new();
    let mut buffers: Vec<Buffer> = Vec::new();
    let mut views = Vec::with_capacity(columns.len());
    for column in columns {
        let number = |buffer: &Buffer| {
            *numbers.entry((buffer.as_ptr(), buffer.len())).or_insert_with(|| {
                buffers.push(buffer.clone());
                buffers.len() as u32 - 1
            })
        };
        let moved: Vec<u32> = column.data_buffers().iter().map(number).collect();
        if moved.iter().enumerate().all(|(at, &number)| at as u32 == number) {
            views.push(column.views().clone());
            continue;
        }
        let own = |&view: &u128| {
            if view & 0xffff_ffff <= INLINE {
                return view;
            }
            let buffer = (view >> 64) as u32;
            // A null has a view of any kind.
            let moved = moved.get(buffer as usize).copied().unwrap_or(0);
            view & !(0xffff_ffff << 64) | u128::from(moved) << 64
        };
        views.push(column.views().iter().map(own).collect());
    }
    (views, buffers)
}

#[cfg(test)]
mod tests {
    use super::{RowOf, gather};
    use arrow::array::{Array, ArrayRef, BooleanArray, Decimal128Array, Int32Array, StringViewArray, TimestampNanosecondArray};
    use arrow::compute::interleave;
    use std::sync::Arc;

    #[test]
    fn rows_are_those_of_arrow() {
        let zoned = |values: Vec<Option<i64>>| Arc::new(TimestampNanosecondArray::from(values).with_timezone("UTC")) as ArrayRef;
        let decimal = |values: Vec<Option<i128>>| {
            Arc::new(Decimal128Array::from(values).with_precision_and_scale(20, 3).expect("room for all")) as ArrayRef
        };
        let cases: Vec<[ArrayRef; 2]> = vec![
            [Arc::new(Int32Array::from(vec![1, 2, 3])), Arc::new(Int32Array::from(vec![Some(4), None, Some(6)]))],
            [Arc::new(Int32Array::from(vec![1, 2, 3])), Arc::new(Int32Array::from(vec![4, 5, 6]))],
            [zoned(vec![Some(1), None, Some(3)]), zoned(vec![Some(4), Some(5), Some(6)])],
            [decimal(vec![Some(1), None, Some(3)]), decimal(vec![None, Some(5), Some(6)])],
            [Arc::new(BooleanArray::from(vec![true, false, true])), Arc::new(BooleanArray::from(vec![Some(false), None, Some(true)]))],
            [
                Arc::new(StringViewArray::from(vec!["a", "b", "a text that is longer than a view"])),
                Arc::new(StringViewArray::from(vec![Some("d"), None, Some("")])),
            ],
        ];
        let rows: Vec<(usize, usize)> = vec![(1, 2), (0, 0), (1, 1), (1, 1), (0, 2), (0, 1)];
        for [first, second] in cases {
            let columns: [&dyn Array; 2] = [&first.slice(0, 3), &second.slice(0, 3)];
            for count in [0, 1, rows.len()] {
                let own: Vec<RowOf> = rows[..count].iter().map(|&(column, row)| RowOf { column: column as u32, row: row as u32 }).collect();
                assert_eq!(
                    &gather(&columns, &own),
                    &interleave(&columns, &rows[..count]).expect("rows of the columns"),
                    "{}",
                    first.data_type()
                );
            }
        }
    }
}
