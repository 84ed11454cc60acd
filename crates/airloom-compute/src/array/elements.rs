//! Elements moved from one buffer to another, whatever their type.

use airloom_ir::oracle::formula::{advance, strides};
use arrow::array::{Array, ArrayDataBuilder, ArrayRef, MutableArrayData, UInt32Array, UInt64Array, make_array};
use arrow::buffer::Buffer;
use arrow::compute::take;
use arrow::datatypes::ArrowNativeType;

/// The elements at these positions, in this order.
pub(super) fn gather(items: &ArrayRef, places: impl Iterator<Item = usize>) -> Option<ArrayRef> {
    if u32::try_from(items.len()).is_ok() {
        return take(items, &UInt32Array::from_iter_values(places.map(|at| at as u32)), None).ok();
    }
    take(items, &UInt64Array::from_iter_values(places.map(|at| at as u64)), None).ok()
}

/// Runs of elements of several arrays of one type, one after the other: which array, where from, and how many.
pub(super) fn join(arrays: &[ArrayRef], size: usize, runs: impl Iterator<Item = (usize, usize, usize)>) -> ArrayRef {
    let data: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let nullable = arrays.iter().any(|array| array.null_count() > 0);
    let mut out = MutableArrayData::new(data.iter().collect(), nullable, size);
    for (array, from, count) in runs {
        out.try_extend(array, from, from + count)
            .expect("invariant `columns hold values`: offsets have 64 bits, and views keep their blocks");
    }
    make_array(out.freeze())
}

/// The array of this shape whose neighbours along each axis are `steps` apart in `items`.
pub(super) fn spread(items: &ArrayRef, shape: &[usize], steps: &[usize], size: usize) -> Option<ArrayRef> {
    // Already where they should be.
    if size == items.len() && steps == strides(shape) {
        return Some(items.clone());
    }
    if items.null_count() == 0
        && let Some(numbers) = by_bytes(items, shape, steps, size)
    {
        return Some(numbers);
    }
    let mut places: Vec<usize> = Vec::with_capacity(size);
    each_run(shape, steps, |from, step, count| places.extend((0..count).map(|at| from + at * step)));
    gather(items, places.into_iter())
}

fn by_bytes(items: &ArrayRef, shape: &[usize], steps: &[usize], size: usize) -> Option<ArrayRef> {
    match items.data_type().primitive_width()? {
        1 => spread_numbers::<u8>(items, shape, steps, size),
        2 => spread_numbers::<u16>(items, shape, steps, size),
        4 => spread_numbers::<u32>(items, shape, steps, size),
        8 => spread_numbers::<u64>(items, shape, steps, size),
        16 => spread_numbers::<i128>(items, shape, steps, size),
        _ => None,
    }
}

/// The runs along the last axis: where each begins, how far apart its elements are, and how many it has.
fn each_run(shape: &[usize], steps: &[usize], mut run: impl FnMut(usize, usize, usize)) {
    let Some((&last, outer)) = shape.split_last() else { return };
    let mut place = vec![0; outer.len()];
    for _ in 0..outer.iter().product() {
        let from: usize = place.iter().zip(steps).map(|(at, step)| at * step).sum();
        run(from, steps[outer.len()], last);
        advance(&mut place, outer);
    }
}

/// The same for elements of the width of `N` that have no nulls, whatever they mean: without a list of positions.
fn spread_numbers<N: ArrowNativeType>(items: &ArrayRef, shape: &[usize], steps: &[usize], size: usize) -> Option<ArrayRef> {
    if items.data_type().primitive_width() != Some(size_of::<N>()) {
        return None;
    }
    let data = items.to_data();
    let source = &data.buffer::<N>(0)[..items.len()];
    let mut numbers: Vec<N> = Vec::with_capacity(size);
    match tiles(shape, steps) {
        Some((rows, columns)) => transposed(source, rows, columns, &mut numbers),
        None => each_run(shape, steps, |from, step, count| match step {
            0 => numbers.resize(numbers.len() + count, source[from]),
            1 => numbers.extend_from_slice(&source[from..from + count]),
            _ => numbers.extend(source[from..].iter().step_by(step).take(count)),
        }),
    }
    let made = ArrayDataBuilder::new(items.data_type().clone()).len(size).add_buffer(Buffer::from_vec(numbers)).build();
    made.ok().map(make_array)
}

/// The extents of a matrix whose axes are exchanged, where the elements are one.
fn tiles(shape: &[usize], steps: &[usize]) -> Option<(usize, usize)> {
    match (shape, steps) {
        (&[rows, columns], &[1, step]) if step == rows => Some((rows, columns)),
        _ => None,
    }
}

/// A matrix of `columns` by `rows` with its axes exchanged, square by square, so that what is read together stays in the cache.
fn transposed<N: ArrowNativeType>(source: &[N], rows: usize, columns: usize, numbers: &mut Vec<N>) {
    const SIDE: usize = 16;
    numbers.resize(rows * columns, N::default());
    for row in (0..rows).step_by(SIDE) {
        for column in (0..columns).step_by(SIDE) {
            for row in row..rows.min(row + SIDE) {
                for column in column..columns.min(column + SIDE) {
                    numbers[row * columns + column] = source[column * rows + row];
                }
            }
        }
    }
}
