//! How a session works: one struct, checked once.

use super::error::Error;
use crate::options::{memory, native, threads};
use airloom_compute::data::Native;
use airloom_exec::options::ExecOptions as EngineOptions;
use std::path::PathBuf;

/// How a session works.
///
/// ```
/// use airloom::{Session, SessionOptions};
///
/// let options = SessionOptions { threads: 2, memory: 64 << 20, ..SessionOptions::from_environment()? };
/// let session = Session::new(options)?;
/// assert_eq!(session.options().threads, 2);
///
/// let none = SessionOptions { threads: 0, ..SessionOptions::from_environment()? };
/// assert_eq!(Session::new(none).err().unwrap().to_string(), "`threads` is 0, expected at least 1");
/// # Ok::<(), airloom::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionOptions {
    /// How many threads work at once.
    pub threads: usize,
    /// How many bytes of rows may be held while running; what does not fit is spilled.
    pub memory: usize,
    /// How many rows a task takes at once.
    pub morsel_rows: usize,
    /// How many bytes of its files a partition of a scan should read; where nothing is said, a scan has as many partitions as there are threads.
    pub partition_bytes: Option<u64>,
    /// Where rows are spilled: a folder that exists.
    pub spill_folder: PathBuf,
    /// Where a program that shows a bug of airloom is written. The folder is made when it is needed.
    pub reports: PathBuf,
    /// Whether rules rewrite programs before they run.
    pub optimize: bool,
    /// How many times rules may fire on one program.
    pub fuel: u64,
    /// Whether every firing of a rule is checked: slow, and for those who write rules.
    pub checks: bool,
    /// Whether a broken rule is an error. Where it is not, the program runs as it was written, and [`Session::fallbacks`](crate::Session::fallbacks) says so.
    pub strict: bool,
    /// Names of rules that are left out.
    pub without_rules: Vec<String>,
    /// How many optimised programs are kept, so that one that comes again is not optimised again.
    pub plans: usize,
    /// When bodies of programs are compiled to native code, in a session that has a compiler.
    pub native: Native,
}

impl SessionOptions {
    /// What suits this machine: `AIRLOOM_THREADS`, `AIRLOOM_MEMORY_LIMIT` and `AIRLOOM_NATIVE` where they are set, else what the process may use.
    pub fn from_environment() -> Result<SessionOptions, Error> {
        Ok(SessionOptions {
            threads: threads().map_err(Error::Program)?,
            memory: memory().map_err(Error::Program)?,
            morsel_rows: 16384,
            partition_bytes: None,
            spill_folder: std::env::temp_dir(),
            reports: std::env::temp_dir().join("airloom"),
            optimize: true,
            fuel: 1_000_000,
            checks: false,
            strict: true,
            without_rules: Vec::new(),
            plans: 128,
            native: native().map_err(Error::Program)?,
        })
    }

    /// What is wrong with them, if anything; else how the engine is to run.
    pub(crate) fn check(&self) -> Result<EngineOptions, Error> {
        let engine = EngineOptions {
            threads: self.threads,
            memory: self.memory,
            morsel_rows: self.morsel_rows,
            partition_bytes: self.partition_bytes,
            spill_folder: self.spill_folder.clone(),
            parts_rows: EngineOptions::PARTS_ROWS,
            always_spill: false,
            equal_hashes: false,
            steps: u64::MAX,
            native: self.native,
        };
        engine.check().map_err(Error::Program)?;
        if !self.spill_folder.is_dir() {
            return Err(Error::Program(format!("`spill_folder` is `{}`, expected a folder that exists", self.spill_folder.display())));
        }
        if self.reports.is_file() {
            return Err(Error::Program(format!("`reports` is `{}`, expected a folder, not a file", self.reports.display())));
        }
        Ok(engine)
    }
}
