//! Running a program, seen from Python: its parts on the backends that Python registered, the rest on the engine or the oracle.

use crate::backends::{self, keep_refusals};
use crate::errors::{Error, cause_of};
use crate::hosts::Hosts;
use crate::native::{as_backend, with_engine};
use crate::python_host::PythonHost;
use crate::reference::oracle;
use airloom_compute::data::{Cancel, Datum, Failure as RunError};
use airloom_exec::engine::Engine;
use airloom_exec::explain::PhysicalPlan;
use airloom_exec::place::{Backend, Placed, place};
use airloom_io::source::Table;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Module;
use airloom_ir::name::Name;
use airloom_ir::types::TyId;
use airloom_opt::facts::Statistics;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A program ready to run, with everything it runs on.
pub(crate) struct Job {
    /// The program, optimised.
    pub(crate) module: Arc<Module>,
    /// The function to run.
    pub(crate) function: NodeId,
    /// The graph of the program, as the engine holds it.
    pub(crate) graph: Arc<Graph>,
    /// Whether it is done in a moment, by the thread that asks for it.
    pub(crate) alone: bool,
    /// Its arguments, in physical form.
    pub(crate) args: Vec<Datum>,
    /// The data of its sources.
    pub(crate) sources: BTreeMap<String, Source>,
    /// What is known of those.
    pub(crate) statistics: Statistics,
    /// The Python functions that it calls.
    pub(crate) hosts: Arc<Hosts>,
    /// How to run it.
    pub(crate) options: RunOptions,
    /// Whether to stop.
    pub(crate) cancel: Cancel,
}

/// The data of a source.
pub(crate) struct Source {
    /// The columns, in order, where it is a relation: all that the program asked for as it was written. Optimised, it may ask for fewer.
    pub(crate) columns: Vec<(Name, TyId)>,
    /// The type, where it is something else.
    pub(crate) ty: TyId,
    /// The data, in the physical form of the type; none, where the engine reads it from its table.
    pub(crate) data: Datum,
    /// The table it comes from, which knows more of it.
    pub(crate) table: Option<Arc<dyn Table>>,
}

/// The result of a job, in physical form.
pub(crate) fn run(job: &Job) -> Result<Datum, Error> {
    placed(job, |placed| {
        let ran = placed.run(&job.args, &job.cancel);
        // Only now: a backend may have run programs of its own.
        keep_refusals(placed.refused());
        ran
    })
}

/// Which backend would run which part of a job, as text; nothing where there are no backends.
pub(crate) fn placement(job: &Job) -> Result<String, Error> {
    if backends::none() {
        return Ok(String::new());
    }
    placed(job, |placed| Ok(format!("\nplaced:\n\n{placed}")))
}

/// Places a job, and does something with it.
fn placed<T>(job: &Job, work: impl FnOnce(&Placed) -> Result<T, RunError>) -> Result<T, Error> {
    let host = Arc::new(PythonHost::new(job.hosts.clone(), job.cancel.clone()));
    let backends = backends::all(&job.hosts);
    let on = |rest: Arc<dyn Backend>| {
        let placed = place(job.module.clone(), job.function, &backends, &rest).map_err(|error| told(error, &job.module, job))?;
        work(&placed).map_err(|error| told(error, placed.program(), job))
    };
    if job.options.oracle { on(oracle(job, host)) } else { with_engine(job, host, |engine| on(as_backend(engine, job))) }
}

/// Runs a job on the engine, and tells how that was done.
pub(crate) fn analyze(job: &Job) -> Result<PhysicalPlan, Error> {
    on_engine(job, |engine| engine.analyze(job.graph.clone(), job.function, &job.args, job.statistics.clone(), &job.cancel))
        .map(|(_, plan)| plan)
}

/// How the engine would run a job.
pub(crate) fn physical_plan(job: &Job) -> Result<PhysicalPlan, Error> {
    let args = (!job.args.is_empty()).then_some(job.args.as_slice());
    on_engine(job, |engine| engine.explain(job.graph.clone(), job.function, args, job.statistics.clone()))
}

/// Does something with a job on the engine, whose errors say where in the program they come from.
fn on_engine<T>(job: &Job, work: impl FnOnce(&Engine) -> Result<T, RunError>) -> Result<T, Error> {
    let host = Arc::new(PythonHost::new(job.hosts.clone(), job.cancel.clone()));
    with_engine(job, host, |engine| work(engine).map_err(|error| told(error, &job.module, job)))
}

/// An error of a run, with the line of the user's that it was raised for and the exception of Python behind it.
fn told(error: RunError, program: &Module, job: &Job) -> Error {
    match error {
        _ if job.cancel.is_cancelled() => Error::Cancelled,
        RunError::Program(message) => Error::Program(message),
        RunError::Raised(found) => {
            let places = found.node.map(|node| program.locations.of(node)).unwrap_or_default();
            let place = places.first().map(|place| format!(" ({place})")).unwrap_or_default();
            Error::Raised(format!("{}{place}", found.message), cause_of(&found))
        }
        RunError::Source(error) => error.into(),
        RunError::Memory(message) => Error::Memory(message),
        RunError::Cancelled => Error::Cancelled,
        stopped @ RunError::OutOfSteps(_) => Error::Raised(stopped.to_string(), None),
        RunError::Bug(message) => Error::Broken(message),
    }
}

/// The options of a run, as `airloom.options` has checked them.
#[derive(Clone, Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunOptions {
    /// How many threads work.
    pub(crate) threads: usize,
    /// How many bytes rows may take; past it they are spilled.
    pub(crate) memory_limit: u64,
    /// Where they are spilled.
    pub(crate) spill_directory: String,
    /// How many rows are worked on at once.
    pub(crate) batch_rows: usize,
    /// Whether what nothing can run is an error.
    #[allow(dead_code, reason = "the engine runs all there is; what front ends cannot say they refuse themselves")]
    pub(crate) strict: bool,
    /// Whether programs run on the oracle.
    pub(crate) oracle: bool,
    /// Whether rules rewrite the program.
    pub(crate) optimize: bool,
    /// How many firings of rules there may be.
    pub(crate) fuel: u64,
    /// Whether every firing is checked.
    pub(crate) checks: bool,
    /// Rules that are left out.
    pub(crate) without_rules: Vec<String>,
}
