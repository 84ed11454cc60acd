//! The memory of an engine, charged to the operators that hold it.

use crate::operators::Counters;
use datafusion_common::Result;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A pool that knows for which operator each of its consumers was registered.
#[derive(Debug)]
pub(crate) struct ChargingPool<P> {
    inner: P,
    owners: Mutex<HashMap<usize, Owner>>,
}

/// The operator of a consumer.
struct Owner(Arc<Counters>);

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partition {}", self.0.set().1)
    }
}

impl<P: MemoryPool> ChargingPool<P> {
    /// Over a pool that says how much there is.
    pub(crate) fn new(inner: P) -> ChargingPool<P> {
        ChargingPool { inner, owners: Mutex::default() }
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

impl<P: MemoryPool> fmt::Display for ChargingPool<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.inner, f)
    }
}

impl<P: MemoryPool> MemoryPool for ChargingPool<P> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if let Some(counters) = Counters::working() {
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
        self.inner.try_grow(reservation, additional)?;
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
