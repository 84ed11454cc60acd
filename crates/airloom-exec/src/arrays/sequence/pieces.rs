//! Many windows, some of them on each core.

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use std::ops::Range;

/// Fewer windows than this are not worth a thread of their own.
const WINDOWS: usize = 1 << 16;

/// What `make` makes of all windows: of pieces of them at once, on so many threads. Nothing where it makes nothing of one piece.
pub(super) fn in_pieces(threads: usize, windows: usize, make: impl Fn(Range<usize>) -> Option<ArrayRef> + Sync) -> Option<ArrayRef> {
    let pieces = threads.min(windows / WINDOWS).max(1);
    if pieces == 1 {
        return make(0..windows);
    }
    let make = &make;
    let piece = |number: usize| windows * number / pieces..windows * (number + 1) / pieces;
    let made: Option<Vec<ArrayRef>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..pieces).map(|number| scope.spawn(move || make(piece(number)))).collect();
        let first = make(piece(0));
        // A panic of a piece is one of the whole.
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others.collect::<Vec<_>>()).collect()
    });
    let made = made?;
    concat(&made.iter().map(|piece| piece as &dyn Array).collect::<Vec<_>>()).ok()
}
