//! Locks in a process that may be forked.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// How often a lock that is held is tried again at once, and then after a pause.
const TRIES: usize = 1000;
const PAUSES: usize = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// What a mutex guards; `None` where another thread holds it for longer than any thread does. In a forked process that is a thread of the parent's, which is
/// not there to let go of it. Only for what is held for a moment.
pub fn try_hold<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    for attempt in 0..TRIES + PAUSES {
        match mutex.try_lock() {
            Ok(held) => return Some(held),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if attempt < TRIES => std::thread::yield_now(),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
    None
}
