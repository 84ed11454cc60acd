//! The engine proper: programs run on Arrow data, on every core, within a memory budget.

use crate::engine::{Engine, Job, RunOptions};
use crate::errors::Error;
use crate::hosts::Hosts;
use crate::reference::told;
use airloom_exec::data::{Datum, Lane};
use airloom_exec::engine::Engine as Executor;
use airloom_exec::run::{Cancel, Error as RunError, Host, Options};
use airloom_ir::oracle::Raised;
use airloom_ir::types::{TyId, Types};
use airloom_ir::value::Value;
use pyo3::PyErr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs programs on the engine.
pub(crate) struct Native;

impl Engine for Native {
    fn run(&self, mut job: Job) -> Result<Datum, Error> {
        let executor = Borrowed::new(options(&job.options))?;
        for (name, source) in &job.sources {
            match &source.table {
                Some(table) => executor.get().register(name, table.clone()),
                None => executor.get().register_datum(name, source.data.clone()),
            }
        }
        let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
        executor.get().set_host(Arc::new(PythonHost { hosts: job.hosts.clone(), raised: raised.clone(), cancel: job.cancel.clone() }));
        let locations = std::mem::take(&mut job.module.locations);
        let ran = executor.get().run(job.module.graph, job.function, &job.args, job.statistics, &job.cancel);
        let names: Vec<&str> = job.sources.keys().map(String::as_str).collect();
        executor.give_back(&names);
        ran.map_err(|error| match error {
            _ if job.cancel.is_cancelled() => Error::Cancelled,
            RunError::Program(message) => Error::Program(message),
            RunError::Raised(found) => {
                let cause = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
                Error::Raised(told(&locations, &found), cause)
            }
            RunError::World(message) => Error::Raised(message, None),
            RunError::Memory(message) => Error::Memory(message),
            RunError::Cancelled => Error::Cancelled,
            RunError::Broken(message) => Error::Broken(message),
        })
    }
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
struct Borrowed(Option<Executor>);

static IDLE: Mutex<Vec<Executor>> = Mutex::new(Vec::new());
/// How many engines are kept.
const KEPT: usize = 4;

impl Borrowed {
    fn new(options: Options) -> Result<Borrowed, Error> {
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        let found = idle.iter().position(|e| *e.options() == options).map(|at| idle.swap_remove(at));
        drop(idle);
        match found {
            Some(executor) => Ok(Borrowed(Some(executor))),
            None => Executor::new(options).map(|e| Borrowed(Some(e))).map_err(|e| Error::Program(e.to_string())),
        }
    }

    fn get(&self) -> &Executor {
        self.0.as_ref().expect("it is given back last")
    }

    /// Gives it back, with nothing of the run left in it.
    fn give_back(mut self, sources: &[&str]) {
        let Some(executor) = self.0.take() else { return };
        sources.iter().for_each(|name| executor.register_datum(name, Datum::Token));
        executor.set_host(Arc::new(airloom_exec::run::NoHost));
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(executor);
        }
    }
}

/// Python's functions, as the engine calls them.
struct PythonHost {
    hosts: Arc<Hosts>,
    raised: Arc<Mutex<Option<PyErr>>>,
    cancel: Cancel,
}

impl PythonHost {
    /// Keeps what Python raised as it is; the engine is told of it in words.
    fn keep(&self, error: PyErr) -> String {
        let text = error.to_string();
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        text
    }
}

impl Host for PythonHost {
    fn value(&self, name: &str, args: &[Value]) -> Result<Value, String> {
        self.cancel.check().map_err(|raised| raised.message)?;
        let function = self.hosts.get(name).ok_or_else(|| "there is no Python function of this name; hint: `hosts=`".to_string())?;
        function.call_values(args).map_err(|error| self.keep(error))
    }

    fn lanes(&self, name: &str, types: &Types, args: &[Lane], arg_types: &[TyId], ty: TyId, lanes: usize) -> Result<Lane, Raised> {
        self.cancel.check()?;
        let failed = |message: String| Raised::new(format!("host function `{name}`: {message}"));
        let Some(function) = self.hosts.get(name) else {
            let message = "there is no Python function of this name; hint: `hosts=`".to_string();
            return if lanes == 0 { Ok(Lane::from_values(types, ty, &[])) } else { Err(failed(message)) };
        };
        let arrays: Vec<_> = args.iter().zip(arg_types).map(|(lane, &ty)| lane.to_array(types, ty, lanes)).collect();
        function.call_arrays(&arrays, lanes, &self.cancel).map(Lane::Many).map_err(|error| failed(self.keep(error)))
    }
}
