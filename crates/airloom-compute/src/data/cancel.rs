//! Stopping a run from outside.

use airloom_ir::oracle::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that every part of a run looks at often enough to end within a tenth of a second.
#[derive(Clone, Default, Debug)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the run to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for the oracle to look at.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Stops where it was asked to end.
    #[inline]
    pub fn check(&self) -> Result<(), Stop> {
        if self.is_cancelled() { Err(Stop::Cancelled) } else { Ok(()) }
    }
}
