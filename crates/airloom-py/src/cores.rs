//! Work on parts of large data, on every core.

/// Data of fewer bytes is worked on by the thread that asks: starting others takes longer.
pub(crate) const WORTH_A_THREAD: usize = 1 << 20;

/// Into how many parts work on `bytes` bytes is divided.
pub(crate) fn parts_for(bytes: usize) -> usize {
    if bytes < WORTH_A_THREAD {
        return 1;
    }
    std::thread::available_parallelism().map_or(1, usize::from).min(bytes / (WORTH_A_THREAD / 2))
}

/// Does each piece of work on a thread of its own, the last on this one. What they come to, in order.
pub(crate) fn parallel_map<W: Send, R: Send>(mut pieces: Vec<W>, work: impl Fn(W) -> R + Sync) -> Vec<R> {
    let Some(own) = pieces.pop() else { return Vec::new() };
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = pieces.into_iter().map(|piece| scope.spawn(move || work(piece))).collect();
        let own = work(own);
        let join = |thread: std::thread::ScopedJoinHandle<'_, R>| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        others.into_iter().map(join).chain(std::iter::once(own)).collect()
    })
}
