//! The session of this process: its rules and plans are one, whatever the options of a run are.

use crate::allocator;
use crate::errors::Error;
use airloom::embed::try_hold;
use airloom::{Native, Session, SessionOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// How many plans are kept.
const PLANS: usize = 256;

/// How many sets of options are remembered: each set of threads and memory has threads of its own.
const KEPT: usize = 8;

/// The options of a run, as `airloom.options` has checked them.
#[derive(Clone, Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunOptions {
    /// How many threads work.
    pub(crate) threads: usize,
    /// How many bytes rows may take; past it they are spilled.
    memory_limit: u64,
    /// Where they are spilled.
    spill_directory: String,
    /// How many rows are worked on at once.
    batch_rows: usize,
    /// How many bytes of its files a partition of a scan should read.
    target_partition_size: Option<u64>,
    /// Whether programs run on the oracle.
    pub(crate) oracle: bool,
    /// Whether rules rewrite the program.
    optimize: bool,
    /// How many firings of rules there may be.
    fuel: u64,
    /// Whether every firing is checked.
    checks: bool,
    /// Rules that are left out.
    without_rules: Vec<String>,
    /// When bodies are compiled to native code.
    native: String,
}

impl RunOptions {
    /// How many bytes rows may take.
    pub(crate) fn memory(&self) -> usize {
        usize::try_from(self.memory_limit).unwrap_or(usize::MAX)
    }

    /// Whether they ask for these threads and this memory.
    fn same_engine(&self, options: &SessionOptions) -> bool {
        self.threads == options.threads
            && self.memory() == options.memory
            && self.batch_rows == options.morsel_rows
            && self.target_partition_size == options.partition_bytes
            && self.spill_directory.as_str() == options.spill_folder.as_os_str()
            && self.native == options.native.word()
    }

    fn are(&self, options: &SessionOptions) -> bool {
        self.same_engine(options)
            && self.optimize == options.optimize
            && self.fuel == options.fuel
            && self.checks == options.checks
            && self.without_rules == options.without_rules
    }

    fn to_session(&self) -> Result<SessionOptions, Error> {
        let native = Native::from_word(&self.native);
        let native = native.ok_or_else(|| airloom::Error::Program(format!("there is no `native` called `{}`", self.native)))?;
        Ok(SessionOptions {
            threads: self.threads,
            memory: self.memory(),
            morsel_rows: self.batch_rows,
            partition_bytes: self.target_partition_size,
            spill_folder: PathBuf::from(&self.spill_directory),
            optimize: self.optimize,
            fuel: self.fuel,
            checks: self.checks,
            without_rules: self.without_rules.clone(),
            native,
            ..common().options().clone()
        })
    }
}

/// A session whose rules and plans are those of all others. Nothing runs with its own options.
pub(crate) fn common() -> &'static Session {
    static COMMON: OnceLock<Session> = OnceLock::new();
    COMMON.get_or_init(|| {
        let options = SessionOptions {
            threads: 1,
            memory: 1 << 30,
            morsel_rows: 8192,
            partition_bytes: None,
            spill_folder: std::env::temp_dir(),
            reports: std::env::temp_dir().join("airloom"),
            optimize: true,
            fuel: u64::MAX,
            checks: false,
            strict: true,
            without_rules: Vec::new(),
            plans: PLANS,
            native: Native::Auto,
        };
        session(options).expect("options that hold everywhere")
    })
}

/// A session that compiles bodies.
#[cfg(feature = "native")]
fn session(options: SessionOptions) -> Result<Session, airloom::Error> {
    Session::with_compiler(options, std::sync::Arc::new(airloom_jit::LlvmCompiler))
}

/// A session that interprets bodies: this is built without LLVM.
#[cfg(not(feature = "native"))]
fn session(options: SessionOptions) -> Result<Session, airloom::Error> {
    Session::new(options)
}

/// The sessions of the options that were asked for, the last at the end.
static SESSIONS: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// The session with these options.
pub(crate) fn with_options(options: &RunOptions) -> Result<Session, Error> {
    allocator::prepare(options.memory());
    let mut held = try_hold(&SESSIONS);
    let kept = held.as_deref().map_or(&[][..], Vec::as_slice);
    if let Some(place) = kept.iter().rposition(|session| options.are(session.options())) {
        let session = kept[place].clone();
        if let Some(kept) = held.as_deref_mut() {
            kept[place..].rotate_left(1);
        }
        return Ok(session);
    }
    let near = kept.iter().find(|session| options.same_engine(session.options())).unwrap_or(common());
    let session = near.with_options(options.to_session()?)?;
    let mut old = None;
    if let Some(kept) = held.as_deref_mut() {
        old = (kept.len() >= KEPT).then(|| kept.remove(0));
        kept.push(session.clone());
    }
    // Threads that end are waited for: not while others wait for the sessions.
    drop(held);
    drop(old);
    Ok(session)
}

/// How often a plan was there, how often it was not, and how many are kept.
#[pyfunction]
pub(crate) fn plan_cache(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let counts = common().plans();
    let dict = PyDict::new(py);
    dict.set_item("hits", counts.hits)?;
    dict.set_item("misses", counts.misses)?;
    dict.set_item("kept", counts.kept)?;
    Ok(dict)
}
