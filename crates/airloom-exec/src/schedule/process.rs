//! What an engine has in one process: threads, a memory budget and spill files.

use crate::memory::{SpillFolder, TrackedMemoryPool};
use crate::options::ExecOptions;
use airloom_compute::data::{Failure, cores};
use airloom_io::failure::from_datafusion;
use datafusion_execution::disk_manager::DiskManagerBuilder;
use datafusion_execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion_execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// How often a waiting thread looks whether the run was cancelled.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// How long threads that are just ending are waited for.
const FAREWELL: Duration = Duration::from_secs(2);

/// Threads, memory and spill files. A forked process has none of its parent's: neither the threads, nor the memory that those held, nor the files.
pub(crate) struct Process {
    id: u32,
    environment: Arc<RuntimeEnv>,
    threads: OnceLock<Arc<Runtime>>,
}

impl Process {
    /// For the process that asks. Threads start when they are first needed.
    pub(crate) fn new(options: &ExecOptions) -> Result<Process, Failure> {
        // Three eighths are for what is not accounted: pages being decoded, rows being merged, batches on their way from one operator to the next.
        let pool = TrackConsumersPool::new(FairSpillPool::new(options.memory / 8 * 5), NonZeroUsize::new(3).expect("three is not zero"));
        let disk = DiskManagerBuilder::default().with_temp_file_factory(Arc::new(SpillFolder::new(options.spill_folder.clone())));
        let pool = Arc::new(TrackedMemoryPool::new(pool));
        let environment = RuntimeEnvBuilder::new()
            .with_memory_pool(pool)
            .with_disk_manager_builder(disk)
            .build_arc()
            .map_err(|error| from_datafusion(&error))?;
        Ok(Process { id: std::process::id(), environment, threads: OnceLock::new() })
    }

    /// Whether it is the process that asks.
    pub(crate) fn is_own(&self) -> bool {
        self.id == std::process::id()
    }

    /// The memory budget and the spill files.
    pub(crate) fn environment(&self) -> &Arc<RuntimeEnv> {
        &self.environment
    }

    /// The threads: as many as are asked for, and no more than there are cores. Work is cut for as many as are asked for all the same; more of them than cores would only
    /// take turns, each with a cache that the others have filled.
    pub(crate) fn threads(&self, count: usize) -> Result<Arc<Runtime>, Failure> {
        if let Some(threads) = self.threads.get() {
            return Ok(threads.clone());
        }
        let built = Builder::new_multi_thread().worker_threads(count.min(cores())).thread_name("airloom").enable_all().build();
        let built = Arc::new(built.map_err(|e| Failure::world(format!("cannot start threads: {e}")))?);
        let kept = self.threads.get_or_init(|| built.clone());
        if !Arc::ptr_eq(kept, &built) {
            // Another run was first.
            end(built);
        }
        Ok(kept.clone())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let own = self.is_own();
        match self.threads.take() {
            Some(threads) if own => end(threads),
            threads => std::mem::forget(threads),
        }
        if !own {
            // The files are the parent's to remove.
            std::mem::forget(self.environment.clone());
        }
    }
}

fn end(threads: Arc<Runtime>) {
    let Ok(threads) = Arc::try_unwrap(threads) else { return };
    // Spilled files go with the last task that holds them: a moment is given to those that are just ending. Code of another runtime must not wait.
    if Handle::try_current().is_ok() {
        threads.shutdown_background();
    } else {
        threads.shutdown_timeout(FAREWELL);
    }
}
