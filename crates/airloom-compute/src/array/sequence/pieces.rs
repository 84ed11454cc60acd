//! Many windows, some of them on each core.

use crate::data::parallel_map;
use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use std::ops::Range;

/// Fewer windows than this are not worth a thread of their own.
const WINDOWS: usize = 1 << 16;

/// What `make` makes of all windows: of pieces of them at once, on `threads` threads. `None` where it makes nothing of one piece.
pub(super) fn in_pieces(threads: usize, windows: usize, make: impl Fn(Range<usize>) -> Option<ArrayRef> + Sync) -> Option<ArrayRef> {
    let pieces = threads.min(windows / WINDOWS).max(1);
    if pieces == 1 {
        return make(0..windows);
    }
    let piece = |number: usize| windows * number / pieces..windows * (number + 1) / pieces;
    let made = parallel_map(pieces, pieces, || (), |(), number| make(piece(number)).ok_or(())).ok()?;
    concat(&made.iter().map(|piece| piece as &dyn Array).collect::<Vec<_>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::{WINDOWS, in_pieces};
    use arrow::array::{ArrayRef, AsArray, Int64Array};
    use arrow::datatypes::Int64Type;
    use std::ops::Range;
    use std::sync::Arc;

    fn numbers(range: Range<usize>) -> Option<ArrayRef> {
        Some(Arc::new(Int64Array::from_iter_values(range.map(|at| at as i64))))
    }

    #[test]
    fn pieces_stand_in_their_order() {
        for windows in [0, 1, WINDOWS, 3 * WINDOWS + 7] {
            for threads in [1, 2, 5] {
                let made = in_pieces(threads, windows, numbers).expect("a piece for each");
                assert!(made.as_primitive::<Int64Type>().values().iter().copied().eq(0..windows as i64), "{windows} on {threads}");
            }
        }
    }

    #[test]
    fn without_a_piece_there_is_nothing() {
        assert!(in_pieces(4, 4 * WINDOWS, |range| if range.start == 0 { numbers(range) } else { None }).is_none());
    }
}
