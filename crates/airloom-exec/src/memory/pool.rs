//! The memory of an engine, charged to the operators that hold it.

use airloom_io::metrics::OperatorMetrics;
use datafusion_common::{DataFusionError, Result};
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pool that knows for which operator each of its consumers was registered, and keeps half of itself from those that can spill.
///
/// A sort that spills merges what it holds while it writes it, and the merge asks for about as much again. It cannot go on without, so no operator that could
/// have spilled instead may have taken it: not the sort of another partition, which may be collecting rows meanwhile.
#[derive(Debug)]
pub(crate) struct TrackedMemoryPool<P> {
    inner: P,
    owners: Mutex<HashMap<usize, Owner>>,
    /// What consumers hold that can spill.
    spillable: AtomicUsize,
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
        TrackedMemoryPool { inner, owners: Mutex::default(), spillable: AtomicUsize::new(0) }
    }

    /// Sets memory aside for one that can spill, if such may have more.
    fn set_aside(&self, consumer: &MemoryConsumer, additional: usize) -> Result<()> {
        let MemoryLimit::Finite(size) = self.inner.memory_limit() else {
            self.spillable.fetch_add(additional, Ordering::Relaxed);
            return Ok(());
        };
        let more = |held: usize| (held + additional <= size / 2).then_some(held + additional);
        self.spillable
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .map(drop)
            .map_err(|held| refused(consumer, additional, (size / 2).saturating_sub(held)))
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

/// Operators of DataFusion spill when they hear this.
fn refused(consumer: &MemoryConsumer, additional: usize, free: usize) -> DataFusionError {
    DataFusionError::ResourcesExhausted(format!("`{}` asked for {additional} bytes, and {free} are left", consumer.name()))
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
        if reservation.consumer().can_spill() {
            self.spillable.fetch_add(additional, Ordering::Relaxed);
        }
        self.inner.grow(reservation, additional);
        self.held(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        if reservation.consumer().can_spill() {
            self.spillable.fetch_sub(shrink, Ordering::Relaxed);
        }
        self.inner.shrink(reservation, shrink);
        if let Some(owner) = self.owners().get(&reservation.consumer().id()) {
            owner.0.release(shrink);
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        if consumer.can_spill() {
            self.set_aside(consumer, additional)?;
        }
        if self.inner.try_grow(reservation, additional).is_err() {
            if consumer.can_spill() {
                self.spillable.fetch_sub(additional, Ordering::Relaxed);
            }
            let free =
                if let MemoryLimit::Finite(size) = self.inner.memory_limit() { size.saturating_sub(self.inner.reserved()) } else { 0 };
            return Err(refused(consumer, additional, free));
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
