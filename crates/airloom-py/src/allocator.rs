//! Memory.

use std::sync::atomic::{AtomicBool, Ordering};

/// Operators allocate and free large buffers all the time, which the system's own allocator gives back to the kernel, page by page, to ask for them again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The option of mimalloc's that says after how many milliseconds freed memory goes back to the kernel; its Rust crate has no name for it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Memory that an operator frees is asked for again by the next one or the next query. After the ten milliseconds that are usual it would be gone, and the kernel would
/// have to clear new pages: that was a fifth of the time of some queries. Ten seconds are what other allocators give it.
const DELAY: std::ffi::c_long = 10_000;

/// With less memory than this for rows, what one operator has freed may not stay while the next one takes as much: it goes back soon. At once would be too soon: each
/// time the kernel stops all threads to do it, which was half of the time of runs that spill on two threads.
const TIGHT: usize = 4 << 30;
const TIGHT_DELAY: std::ffi::c_long = 1;

/// Whether memory is tight.
static IS_TIGHT: AtomicBool = AtomicBool::new(false);

/// Gives back what is free now, where memory is tight: after something that takes much, and frees it all.
pub(crate) fn give_back() {
    if IS_TIGHT.load(Ordering::Relaxed) {
        // SAFETY: the call may be made at any time, from any thread.
        unsafe { libmimalloc_sys::mi_collect(true) };
    }
}

/// Sets the allocator up for runs whose rows may take this many bytes.
pub(crate) fn prepare(memory: usize) {
    let delay = if memory < TIGHT { TIGHT_DELAY } else { DELAY };
    IS_TIGHT.store(memory < TIGHT, Ordering::Relaxed);
    // SAFETY: the option exists, and the call only stores a number.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, delay) };
}
