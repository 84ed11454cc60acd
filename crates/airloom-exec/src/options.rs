//! How the engine runs: one struct, checked once.

use airloom_compute::data::Native;
use airloom_compute::keys::Hashing;
use std::path::PathBuf;

/// How programs are run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExecOptions {
    /// How many threads work at once.
    pub threads: usize,
    /// How many bytes of rows may be held in memory; what does not fit is spilled.
    pub memory: usize,
    /// How many rows a task takes at once.
    pub morsel_rows: usize,
    /// How many bytes of its files a partition of a scan should read; where nothing is said, a scan has as many partitions as there are threads.
    pub partition_bytes: Option<u64>,
    /// From how many rows on operators deal rows out to parts by their keys, and work on the parts at once.
    pub parts_rows: usize,
    /// Where rows are spilled.
    pub spill_folder: PathBuf,
    /// Whether to spill as soon as that is possible: for tests.
    pub always_spill: bool,
    /// Whether all hashes are equal: for tests of what happens when they are.
    pub equal_hashes: bool,
    /// How many steps loops may take before the run is ended, for programs of strangers.
    pub steps: u64,
    /// When bodies are compiled, by an engine that has a compiler.
    pub native: Native,
}

/// From how many threads on parts pay for few rows, too.
const MANY_THREADS: usize = 4;
/// The share of the rows from which on parts pay that is worth a thread.
const THREAD_SHARE: usize = 8;

impl ExecOptions {
    /// From how many rows on dealing them out to parts has been seen to pay.
    pub const PARTS_ROWS: usize = 1 << 17;

    /// How many threads are worth starting for one look at this many rows. A thread takes tens of microseconds to start; and of few threads, one alone is faster
    /// where the others would only deal rows out to it.
    pub(crate) fn threads_for(&self, rows: usize) -> usize {
        let many = if self.threads < MANY_THREADS { self.parts_rows } else { self.parts_rows.div_ceil(THREAD_SHARE) };
        if rows < many { 1 } else { (rows / self.parts_rows.div_ceil(THREAD_SHARE)).clamp(1, self.threads) }
    }

    /// How keys are hashed.
    pub(crate) fn hashing(&self) -> Hashing {
        if self.equal_hashes { Hashing::Equal } else { Hashing::Mixed }
    }

    /// What is wrong with them, if anything.
    pub fn check(&self) -> Result<(), String> {
        if self.threads == 0 {
            return Err("`threads` is 0, expected at least 1".into());
        }
        if self.threads > 4096 {
            return Err(format!("`threads` is {}, expected at most 4096", self.threads));
        }
        if self.morsel_rows == 0 {
            return Err("`morsel_rows` is 0, expected at least 1".into());
        }
        if self.partition_bytes == Some(0) {
            return Err("`partition_bytes` is 0, expected at least 1".into());
        }
        if self.parts_rows == 0 {
            return Err("`parts_rows` is 0, expected at least 1".into());
        }
        if self.memory < 1 << 20 {
            return Err(format!("`memory` is {} bytes, expected at least a mebibyte", self.memory));
        }
        Ok(())
    }
}
