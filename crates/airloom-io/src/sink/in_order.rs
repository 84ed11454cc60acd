//! Pieces that are made on every core and put down one after the other.

use airloom_compute::data::Cancel;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// What stopped the work before its end.
#[derive(Debug)]
pub enum Stopped {
    /// What takes the bytes could not.
    Failed(io::Error),
    /// It was cancelled.
    Cancelled,
}

struct Turn<P> {
    /// The piece that is put down next.
    next: usize,
    put: P,
    failed: Option<io::Error>,
}

/// Makes `pieces` pieces on `threads` threads, and writes them in order. `make` appends a piece to what it is given.
pub fn in_order<P: FnMut(&[u8]) -> io::Result<()> + Send>(
    pieces: usize,
    threads: usize,
    cancel: &Cancel,
    make: impl Fn(usize, &mut Vec<u8>) + Sync,
    put: P,
) -> Result<(), Stopped> {
    let taken = AtomicUsize::new(0);
    let turn = Mutex::new(Turn { next: 0, put, failed: None });
    let moved = Condvar::new();
    let work = || {
        let mut bytes = Vec::new();
        loop {
            let piece = taken.fetch_add(1, Ordering::Relaxed);
            if piece >= pieces {
                return;
            }
            bytes.clear();
            // One that panics must not leave the others waiting for its turn.
            let made = cancel.is_cancelled() || catch_unwind(AssertUnwindSafe(|| make(piece, &mut bytes))).is_ok();
            let mut own = turn.lock().unwrap_or_else(PoisonError::into_inner);
            if !made {
                own.failed = Some(io::Error::other("invariant `a piece can be made` does not hold"));
            }
            while own.next != piece && own.failed.is_none() && !cancel.is_cancelled() {
                own = moved.wait(own).unwrap_or_else(PoisonError::into_inner);
            }
            if own.failed.is_some() || cancel.is_cancelled() {
                moved.notify_all();
                return;
            }
            own.failed = (own.put)(&bytes).err();
            own.next += 1;
            moved.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(pieces) {
            scope.spawn(work);
        }
        work();
    });
    match turn.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
        Some(error) => Err(Stopped::Failed(error)),
        None if cancel.is_cancelled() => Err(Stopped::Cancelled),
        None => Ok(()),
    }
}
