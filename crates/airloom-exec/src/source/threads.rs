//! Work on many things at once, while a source is looked at.

use super::error::SourceError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` for the numbers below `count`, on as many threads as there are cores. Each thread begins with what `start` makes and takes the next number when
/// it is done with the last; what the threads come to is given back.
pub(crate) fn on_all_cores<S: Send>(
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<(), SourceError> + Sync,
) -> Result<Vec<S>, SourceError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = start();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(state);
            }
            work(&mut state, number)?;
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mine = run();
        let lost = || Err(SourceError::broken("a thread that looked at a source panicked"));
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost()));
        std::iter::once(mine).chain(others.collect::<Vec<_>>()).collect()
    })
}
