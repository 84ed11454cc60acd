//! Work on many things at once.

use super::critical_path;
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// How many threads there are cores for.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads that wait for work, of the process that they were started in: starting them anew for each piece of work would take longer than many pieces do.
struct Pool {
    process: u32,
    threads: Arc<ThreadPool>,
}

static POOL: RwLock<Option<Pool>> = RwLock::new(None);

/// The threads of this process; none where they cannot be had. A forked process has none of its parent's, and starts its own.
fn pool() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    // A thread that the fork left behind may have the lock for ever: nobody waits for it.
    let known = POOL.try_read().ok()?.as_ref().filter(|pool| pool.process == process).map(|pool| pool.threads.clone());
    if known.is_some() {
        return known;
    }
    let mut pool = POOL.try_write().ok()?;
    // Another thread may have been first.
    if let Some(pool) = pool.as_ref().filter(|pool| pool.process == process) {
        return Some(pool.threads.clone());
    }
    let threads = Arc::new(ThreadPoolBuilder::new().num_threads(cores()).thread_name(|number| format!("airloom-{number}")).build().ok()?);
    // Threads of the parent's cannot be waited for.
    std::mem::forget(pool.replace(Pool { process, threads: threads.clone() }));
    Some(threads)
}

/// Runs `work` for each index below `count` on up to `threads` threads, no more than there are cores. Results are in index order. Each thread begins with what `start` makes, and takes the
/// next index when it is done with the last. After a failure no index is started. A panic is one of the whole.
pub fn parallel_map<S, R: Send, E: Send>(
    threads: usize,
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (begun, operator) = (critical_path::here(), critical_path::operator());
    let run = || {
        let mut own = start();
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            let mut path = begun.clone();
            let result = critical_path::along(&mut path, || critical_path::of_operator(operator, || work(&mut own, number)));
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((number, result, path));
        }
        done
    };
    let all = Mutex::new(Vec::with_capacity(count));
    let add = || {
        let done = run();
        all.lock().unwrap_or_else(PoisonError::into_inner).extend(done);
    };
    let others = threads.min(count).saturating_sub(1);
    match pool().filter(|_| others > 0) {
        Some(pool) => pool.in_place_scope(|scope| {
            (0..others.min(pool.current_num_threads())).for_each(|_| scope.spawn(|_| add()));
            add();
        }),
        None => add(),
    }
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(number, ..)| *number);
    all.iter().for_each(|(.., path)| critical_path::wait_for(path.as_ref()));
    all.into_iter().map(|(_, result, _)| result).collect()
}

/// Does two things at once, where there is more than one thread. A panic is one of the whole.
pub fn parallel_both<A: Send, B: Send>(threads: usize, first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let Some(pool) = pool().filter(|_| threads > 1) else { return (first(), second()) };
    let (begun, operator) = (critical_path::here(), critical_path::operator());
    let (mut paths, mut other) = ((begun.clone(), begun), None);
    let own = pool.in_place_scope(|scope| {
        let (path, other) = (&mut paths.1, &mut other);
        scope.spawn(move |_| *other = Some(critical_path::along(path, || critical_path::of_operator(operator, second))));
        critical_path::along(&mut paths.0, || critical_path::of_operator(operator, first))
    });
    [&paths.0, &paths.1].into_iter().for_each(|path| critical_path::wait_for(path.as_ref()));
    (own, other.expect("invariant `a scope ends when its work is done`: a panic has passed it"))
}

/// Fills pieces of `all`, given where each ends, on up to `threads` threads; what `work` makes of each besides is in their order.
pub fn fill_pieces<T: Send, R: Send, E: Send>(
    threads: usize,
    all: &mut [T],
    ends: &[usize],
    work: impl Fn(usize, &mut [T]) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let (mut rest, mut start) = (all, 0);
    let mut pieces: Vec<Mutex<&mut [T]>> = Vec::with_capacity(ends.len());
    for &end in ends {
        let (piece, after) = std::mem::take(&mut rest).split_at_mut(end - start);
        pieces.push(Mutex::new(piece));
        (rest, start) = (after, end);
    }
    // Each piece is asked for once: nobody waits for another.
    let fill = |(): &mut (), number: usize| work(number, &mut pieces[number].lock().unwrap_or_else(PoisonError::into_inner));
    parallel_map(threads, ends.len(), || (), fill)
}

/// Ranges of things that weigh about the same, as many as are asked for at most.
pub fn evenly(weights: &[usize], ranges: usize) -> Vec<Range<usize>> {
    let total: usize = weights.iter().sum();
    let (mut found, mut start, mut so_far) = (Vec::with_capacity(ranges), 0, 0);
    for (at, weight) in weights.iter().enumerate() {
        so_far += weight;
        let is_full = found.len() + 1 < ranges && so_far * ranges >= total * (found.len() + 1);
        if is_full || at + 1 == weights.len() {
            found.push(start..at + 1);
            start = at + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{evenly, parallel_map};

    #[test]
    fn results_stand_in_their_order() {
        for count in [0, 1, 2, 100] {
            for threads in [0, 1, 3, 200] {
                let made: Result<Vec<usize>, ()> = parallel_map(
                    threads,
                    count,
                    || 0,
                    |seen, number| {
                        *seen += 1;
                        Ok(number * 2)
                    },
                );
                assert_eq!(made, Ok((0..count).map(|number| number * 2).collect()));
            }
        }
    }

    #[test]
    fn ranges_weigh_about_the_same() {
        assert!(evenly(&[], 4).is_empty());
        assert_eq!(evenly(&[3, 3, 3, 3], 2), [0..2, 2..4]);
        assert_eq!(evenly(&[1, 1, 1, 100, 1], 2), [0..4, 4..5]);
        assert_eq!(evenly(&[100, 1, 1, 1], 2), [0..1, 1..4]);
        assert_eq!(evenly(&[0, 0, 0], 2), [0..1, 1..3]);
    }

    #[test]
    fn the_first_that_fails_is_told() {
        let made: Result<Vec<usize>, usize> =
            parallel_map(4, 1_000, || (), |(), number| if number % 10 == 7 { Err(number) } else { Ok(number) });
        assert_eq!(made.map_err(|number| number % 10), Err(7));
    }

    #[test]
    fn a_panic_is_one_of_the_whole() {
        let work = |(): &mut (), number: usize| -> Result<(), ()> { if number == 3 { panic!("as asked") } else { Ok(()) } };
        assert!(std::panic::catch_unwind(|| parallel_map(2, 8, || (), work)).is_err());
    }
}
