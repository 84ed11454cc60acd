//! Columns one after the other in one, copied by several threads.

use super::parallel_map;
use arrow::array::{
    Array, ArrayRef, AsArray, BooleanBufferBuilder, ByteView, GenericByteViewArray, PrimitiveArray, downcast_primitive_array,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::concat;
use arrow::datatypes::{ArrowPrimitiveType, BinaryViewType, ByteViewType, DataType, StringViewType};
use std::convert::Infallible;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};

/// Below this many rows one thread is as quick.
const ROWS: usize = 1 << 17;
/// How many rows a thread copies in one go.
const SLICE: usize = 1 << 16;

/// The rows of columns of one type, of which there is at least one. Numbers and views of text are copied on up to `threads` threads; the rest is Arrow's.
pub fn concat_on(threads: usize, columns: &[&dyn Array]) -> ArrayRef {
    let rows: usize = columns.iter().map(|column| column.len()).sum();
    let arrows = || concat(columns).expect("columns of one type, and one at least");
    if threads <= 1 || rows < ROWS || columns.len() <= 1 {
        return arrows();
    }
    let first = columns[0];
    downcast_primitive_array!(
        first => numbers(threads, first, columns),
        DataType::Utf8View => views::<StringViewType>(threads, columns),
        DataType::BinaryView => views::<BinaryViewType>(threads, columns),
        _ => arrows()
    )
}

fn numbers<T: ArrowPrimitiveType>(threads: usize, model: &PrimitiveArray<T>, columns: &[&dyn Array]) -> ArrayRef {
    let numbers: Vec<&[T::Native]> = columns.iter().map(|column| column.as_primitive::<T>().values().as_ref()).collect();
    let all = copied(threads, &numbers, |_, number| number);
    Arc::new(PrimitiveArray::<T>::new(all.into(), nulls(columns)).with_data_type(model.data_type().clone()))
}

fn views<T: ByteViewType>(threads: usize, columns: &[&dyn Array]) -> ArrayRef {
    let arrays: Vec<&GenericByteViewArray<T>> = columns.iter().map(|column| column.as_byte_view::<T>()).collect();
    let mut buffers = Vec::new();
    let mut first_buffers = Vec::with_capacity(arrays.len());
    for array in &arrays {
        first_buffers.push(buffers.len() as u32);
        buffers.extend(array.data_buffers().iter().cloned());
    }
    let slices: Vec<&[u128]> = arrays.iter().map(|array| array.views().as_ref()).collect();
    let all = copied(threads, &slices, |column, view| {
        // Short text stands in its view.
        if view as u32 <= 12 {
            return view;
        }
        let view = ByteView::from(view);
        view.with_buffer_index(view.buffer_index + first_buffers[column]).as_u128()
    });
    let all: ScalarBuffer<u128> = all.into();
    // SAFETY: each view is one of an array, whose buffers follow one another here, and names its own by the number of those before its array's. To look at all text again
    // would take longer than the copy.
    let made = unsafe { GenericByteViewArray::<T>::new_unchecked(all, buffers, nulls(columns)) };
    Arc::new(made)
}

/// What `of` makes of each element of the slices, one slice after the other; it is told which slice it is of.
fn copied<T: Copy + Send + Sync>(threads: usize, slices: &[&[T]], of: impl Fn(usize, T) -> T + Sync) -> Vec<T> {
    let count = slices.iter().map(|slice| slice.len()).sum();
    let pieces: Vec<(usize, &[T])> =
        slices.iter().enumerate().flat_map(|(at, slice)| slice.chunks(SLICE).map(move |piece| (at, piece))).collect();
    let mut all: Vec<T> = Vec::with_capacity(count);
    let mut rest = all.spare_capacity_mut();
    let places: Vec<Mutex<&mut [MaybeUninit<T>]>> = pieces
        .iter()
        .map(|(_, piece)| {
            let (place, after) = std::mem::take(&mut rest).split_at_mut(piece.len());
            rest = after;
            Mutex::new(place)
        })
        .collect();
    let copy = |(): &mut (), at: usize| {
        let (slice, piece) = pieces[at];
        let mut place = places[at].lock().unwrap_or_else(PoisonError::into_inner);
        place.iter_mut().zip(piece).for_each(|(place, &element)| {
            place.write(of(slice, element));
        });
        Ok::<(), Infallible>(())
    };
    let Ok(_) = parallel_map(threads, pieces.len(), || (), copy);
    drop(places);
    // SAFETY: the places are the first `count` of the capacity, one after the other, each as long as its piece, and every piece was copied: work that does not fail is done
    // for each index, and a panic does not come here. Zeros to begin with would be written by one thread, and take as long as the copy.
    unsafe { all.set_len(count) };
    all
}

fn nulls(columns: &[&dyn Array]) -> Option<NullBuffer> {
    if columns.iter().all(|column| column.null_count() == 0) {
        return None;
    }
    let mut valid = BooleanBufferBuilder::new(columns.iter().map(|column| column.len()).sum());
    for column in columns {
        match column.nulls() {
            Some(nulls) => valid.append_buffer(nulls.inner()),
            None => valid.append_n(column.len(), true),
        }
    }
    Some(NullBuffer::new(valid.finish()))
}

#[cfg(test)]
mod tests {
    use super::{ROWS, concat_on};
    use arrow::array::{Array, ArrayRef, BooleanArray, Int32Array, StringViewArray, TimestampNanosecondArray};
    use arrow::compute::concat;
    use std::sync::Arc;

    #[test]
    fn rows_are_those_of_arrow() {
        let text = |at: usize| match at % 5 {
            0 => None,
            1 => Some(String::new()),
            2 => Some(format!("{at}")),
            _ => Some(format!("a text that is longer than a view: {at}")),
        };
        let columns: [fn(usize) -> ArrayRef; 4] = [
            |rows| Arc::new(Int32Array::from_iter((0..rows as i32).map(|at| (at % 7 > 0).then_some(at)))),
            |rows| Arc::new(Int32Array::from_iter_values(0..rows as i32)),
            |rows| Arc::new(TimestampNanosecondArray::from_iter_values(0..rows as i64).with_timezone("UTC")),
            |rows| Arc::new(BooleanArray::from_iter((0..rows).map(|at| (at % 3 > 0).then_some(at % 2 == 0)))),
        ];
        let texts = |rows: usize| Arc::new(StringViewArray::from_iter((0..rows).map(text))) as ArrayRef;
        for column in columns.iter().map(|of| of as &dyn Fn(usize) -> ArrayRef).chain([&texts as &dyn Fn(usize) -> ArrayRef]) {
            // Slices too: the second begins within its buffers.
            let pieces = [column(ROWS), column(1000).slice(13, 900), column(0), column(ROWS / 2)];
            let pieces: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
            for pieces in [&pieces[..], &pieces[1..], &pieces[..1]] {
                let expected = concat(pieces).expect("columns of one type");
                for threads in [1, 4] {
                    assert_eq!(&concat_on(threads, pieces), &expected, "{}", expected.data_type());
                }
            }
        }
    }
}
