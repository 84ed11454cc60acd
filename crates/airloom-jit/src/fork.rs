//! A process that is forked while LLVM works would leave the child with locks that nobody opens. So a fork waits until nothing is compiled, loaded or looked up, and
//! the child begins with all of that at rest: what was loaded goes on working in both.

use crate::cache;
use std::any::Any;
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Held while LLVM works.
static COMPILING: Mutex<()> = Mutex::new(());

thread_local! {
    /// What the thread that forks holds meanwhile.
    static HELD: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the process from being forked, and other threads from compiling, until it is dropped.
pub(crate) fn compiling() -> MutexGuard<'static, ()> {
    COMPILING.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" {
    fn pthread_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
    ) -> std::ffi::c_int;
}

/// Watches forks from now on.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    // SAFETY: the handlers take no argument, do not unwind, and live as long as the process: they lock and unlock on the thread that forks.
    ONCE.call_once(|| unsafe {
        pthread_atfork(Some(prepare), Some(release), Some(release));
    });
}

unsafe extern "C" fn prepare() {
    // In the order in which all others take them.
    let compiling: Box<dyn Any> = Box::new(compiling());
    let guards = [compiling].into_iter().chain(cache::hold()).collect();
    HELD.with(|held| *held.borrow_mut() = guards);
}

unsafe extern "C" fn release() {
    HELD.with(|held| held.borrow_mut().clear());
}
