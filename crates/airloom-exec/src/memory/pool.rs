//! The memory of an engine, charged to the operators that hold it.

use airloom_io::metrics::OperatorMetrics;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pool that knows for which operator each of its consumers was registered.
#[derive(Debug)]
pub(crate) struct TrackedMemoryPool<P> {
    inner: P,
    owners: Mutex<HashMap<usize, Owner>>,
}

/// The operator of a consumer.
struct Owner(Arc<OperatorMetrics>);

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partition {}", self.0.set().1)
    }
}

impl<P: MemoryPool> TrackedMemoryPool<P> {
    /// Over a pool that says how much there is.
    pub(crate) fn new(inner: P) -> TrackedMemoryPool<P> {
        TrackedMemoryPool { inner, owners: Mutex::default() }
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<usize, Owner>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self, reservation: &MemoryReservation, bytes: usize) {
        if let Some(owner) = self.owners().get(&reservation.consumer().id()) {
            owner.0.hold(bytes);
        }
    }
}

impl<P: MemoryPool> fmt::Display for TrackedMemoryPool<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner, f)
    }
}

impl<P: MemoryPool> MemoryPool for TrackedMemoryPool<P> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if let Some(counters) = OperatorMetrics::working() {
            self.owners().insert(consumer.id(), Owner(counters));
        }
        self.inner.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.owners().remove(&consumer.id());
        self.inner.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.inner.grow(reservation, additional);
        self.held(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.inner.shrink(reservation, shrink);
        if let Some(owner) = self.owners().get(&reservation.consumer().id()) {
            owner.0.release(shrink);
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        if self.inner.try_grow(reservation, additional).is_err() {
            let free =
                if let MemoryLimit::Finite(size) = self.inner.memory_limit() { size.saturating_sub(self.inner.reserved()) } else { 0 };
            let name = reservation.consumer().name();
            return Err(DataFusionError::ResourcesExhausted(format!("`{name}` asked for {additional} bytes, and {free} are left")));
        }
        self.held(reservation, additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.inner.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.inner.memory_limit()
    }
}
