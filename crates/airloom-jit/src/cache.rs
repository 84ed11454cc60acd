//! Code that was compiled in this process, kept by its shape, and the thread that compiles.

use crate::code::Code;
use crate::llvm::Loader;
use crate::shape::{Shape, Variant};
use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many kernels are kept. The one that was used least recently goes first.
const KEPT: usize = 512;

/// What was compiled, and what is to be.
pub(crate) struct Cache {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entries: HashMap<Key, Entry>,
    /// Keys by when they were last used.
    order: BTreeMap<u64, Key>,
    clock: u64,
    queue: VecDeque<Key>,
    /// The process whose thread compiles: one that was forked has none.
    worker: Option<u32>,
    counts: Counts,
}

type Key = (Arc<Shape>, Variant);

struct Entry {
    used: u64,
    /// How many rows were computed without the code.
    rows: u64,
    code: Status,
}

#[derive(Clone)]
enum Status {
    /// Not asked for.
    Missing,
    /// In the queue, or being compiled.
    Asked,
    Ready(Arc<Code>),
    /// LLVM did not compile it.
    Failed,
}

/// What was done in this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Kernels that were compiled.
    pub compiled: u64,
    /// Kernels that LLVM did not compile.
    pub failed: u64,
    /// Kernels that were given up for others.
    pub evicted: u64,
}

static CACHE: OnceLock<Cache> = OnceLock::new();

/// Keeps every other thread out of the cache and the loader, until what is returned is dropped.
pub(crate) fn hold() -> Vec<Box<dyn Any>> {
    let Some(cache) = CACHE.get() else { return Vec::new() };
    let state: Box<dyn Any> = Box::new(cache.lock());
    let loader = LOADER.get().and_then(|loader| loader.as_ref().ok()).map(|loader| loader.hold());
    [state].into_iter().chain(loader).collect()
}

/// The cache of this process.
pub(crate) fn cache() -> &'static Cache {
    CACHE.get_or_init(|| {
        crate::fork::watch();
        Cache { state: Mutex::default(), changed: Condvar::new() }
    })
}

impl Cache {
    /// The code of a variant, compiled now where it is not there.
    pub(crate) fn now(&self, shape: &Arc<Shape>, variant: &Variant) -> Option<Arc<Code>> {
        let key = (shape.clone(), variant.clone());
        match self.touched(&mut self.lock(), &key, 0) {
            Status::Ready(code) => return Some(code),
            Status::Failed => return None,
            Status::Missing | Status::Asked => (),
        }
        self.compile(&key)
    }

    /// The code of a variant where it is there. Where it is not, it is asked for once this many rows would have been computed by it.
    pub(crate) fn later(&'static self, shape: &Arc<Shape>, variant: &Variant, rows: usize, threshold: u64) -> Option<Arc<Code>> {
        let key = (shape.clone(), variant.clone());
        let mut state = self.lock();
        match self.touched(&mut state, &key, rows as u64) {
            Status::Ready(code) => return Some(code),
            Status::Missing => (),
            // The thread that would have compiled it was left behind by a fork.
            Status::Asked if state.worker != Some(std::process::id()) => (),
            Status::Asked | Status::Failed => return None,
        }
        let entry = state.entries.get_mut(&key).expect("it was touched");
        if entry.rows >= threshold {
            entry.code = Status::Asked;
            state.queue.push_back(key);
            self.work(&mut state);
            self.changed.notify_all();
        }
        None
    }

    /// What was done so far.
    pub(crate) fn counts(&self) -> Counts {
        self.lock().counts
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The status of a key that is used now.
    fn touched(&self, state: &mut State, key: &Key, rows: u64) -> Status {
        state.clock += 1;
        let clock = state.clock;
        let entry = state.entries.entry(key.clone()).or_insert(Entry { used: 0, rows: 0, code: Status::Missing });
        let before = std::mem::replace(&mut entry.used, clock);
        entry.rows += rows;
        let status = entry.code.clone();
        state.order.remove(&before);
        state.order.insert(clock, key.clone());
        while state.entries.len() > KEPT {
            let Some((_, oldest)) = state.order.pop_first() else { break };
            let gone = state.entries.remove(&oldest);
            state.counts.evicted += u64::from(gone.is_some_and(|entry| matches!(entry.code, Status::Ready(_))));
        }
        status
    }

    /// Starts the thread that compiles, where this process has none.
    fn work(&'static self, state: &mut State) {
        if state.worker == Some(std::process::id()) {
            return;
        }
        let run = || {
            loop {
                let mut state = self.lock();
                let key = loop {
                    match state.queue.pop_front() {
                        Some(key) => break key,
                        None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                    }
                };
                drop(state);
                self.compile(&key);
            }
        };
        // Where there is no thread to be had, nothing is compiled.
        if std::thread::Builder::new().name("airloom-compile".into()).spawn(run).is_ok() {
            state.worker = Some(std::process::id());
        }
    }

    fn compile(&self, key: &Key) -> Option<Arc<Code>> {
        let made = {
            let _compiling = crate::fork::compiling();
            loader().and_then(|loader| Code::compile(&key.0, &key.1, loader))
        };
        let mut state = self.lock();
        let (status, code) = match made {
            Ok(code) => {
                state.counts.compiled += 1;
                let code = Arc::new(code);
                (Status::Ready(code.clone()), Some(code))
            }
            Err(_) => {
                state.counts.failed += 1;
                (Status::Failed, None)
            }
        };
        if let Some(entry) = state.entries.get_mut(key) {
            entry.code = status;
        }
        code
    }
}

static LOADER: OnceLock<Result<Arc<Loader>, String>> = OnceLock::new();

/// The loader of this process.
pub(crate) fn loader() -> Result<&'static Arc<Loader>, String> {
    LOADER.get_or_init(|| Loader::new().map(Arc::new)).as_ref().map_err(Clone::clone)
}
