//! The engine proper: programs run on Arrow data, on every core, within a memory budget.

use crate::engine::{Job, RunOptions, Source};
use crate::errors::Error;
use airloom_compute::data::{Host, NoHost};
use airloom_exec::engine::Engine;
use airloom_exec::options::ExecOptions as Options;
use airloom_exec::place::{Backend, EngineBackend};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Does something with an engine that has the sources of a job and the functions of the host.
pub(crate) fn with_engine<T>(job: &Job, host: Arc<dyn Host>, work: impl FnOnce(&Arc<Engine>) -> Result<T, Error>) -> Result<T, Error> {
    with_sources(&job.options, job.alone, &job.sources, |engine| {
        engine.set_host(host);
        work(engine)
    })
}

/// The engine as what runs the parts of a job that no backend takes.
pub(crate) fn as_backend(engine: &Arc<Engine>, job: &Job) -> Arc<dyn Backend> {
    Arc::new(EngineBackend::new(engine.clone(), job.statistics.clone()).with_graph(&job.module, job.graph.clone()))
}

/// Does something with an engine that has these sources; `alone` is for what is done in a moment.
pub(crate) fn with_sources<T>(
    run: &RunOptions,
    alone: bool,
    sources: &BTreeMap<String, Source>,
    work: impl FnOnce(&Arc<Engine>) -> Result<T, Error>,
) -> Result<T, Error> {
    let borrowed = Borrowed::new(options(run), alone)?;
    for (name, source) in sources {
        match &source.table {
            Some(table) => borrowed.engine.register(name, table.clone()),
            None => borrowed.engine.register_datum(name, source.data.clone()),
        }
    }
    let done = work(&borrowed.engine);
    borrowed.give_back(sources.keys());
    done
}

pub(crate) fn options(options: &RunOptions) -> Options {
    Options {
        threads: options.threads,
        memory: usize::try_from(options.memory_limit).unwrap_or(usize::MAX),
        morsel_rows: options.batch_rows,
        spill_folder: PathBuf::from(&options.spill_directory),
        always_spill: false,
        equal_hashes: false,
        steps: u64::MAX,
    }
}

/// An engine that nobody else uses, while this lives. Starting threads costs more than a small program does, so engines are kept.
struct Borrowed {
    engine: Arc<Engine>,
}

static IDLE: Mutex<Vec<Arc<Engine>>> = Mutex::new(Vec::new());
/// How many engines are kept.
const KEPT: usize = 4;

impl Borrowed {
    fn new(options: Options, alone: bool) -> Result<Borrowed, Error> {
        let options = if alone { Options { threads: 1, ..options } } else { options };
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().position(|e| *e.options() == options && e.is_alone() == alone).map(|at| idle.swap_remove(at));
        drop(idle);
        match found {
            Some(engine) => Ok(Borrowed { engine }),
            None => if alone { Engine::alone(options) } else { Engine::new(options) }
                .map(|e| Borrowed { engine: Arc::new(e) })
                .map_err(|e| Error::Program(e.to_string())),
        }
    }

    /// Gives it back, with nothing of the run left in it.
    fn give_back<'a>(self, sources: impl Iterator<Item = &'a String>) {
        sources.for_each(|name| self.engine.forget(name));
        self.engine.set_host(Arc::new(NoHost));
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(self.engine);
        }
    }
}
