//! What runs a program, seen from Python: one trait, so that what stands behind it can be another.

use crate::backends::Backend;
use crate::errors::Error;
use crate::hosts::Hosts;
use airloom_exec::data::Datum;
use airloom_exec::run::Cancel;
use airloom_exec::source::Table;
use airloom_ir::graph::NodeId;
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
    pub(crate) module: Module,
    /// The function to run.
    pub(crate) function: NodeId,
    /// Its arguments, in physical form.
    pub(crate) args: Vec<Datum>,
    /// The data of its sources.
    pub(crate) sources: BTreeMap<String, Source>,
    /// What is known of those.
    pub(crate) statistics: Statistics,
    /// The Python functions that it calls.
    pub(crate) hosts: Arc<Hosts>,
    /// The backends that Python registered, in the order they are asked.
    pub(crate) backends: Vec<Arc<dyn Backend>>,
    /// How to run it.
    pub(crate) options: RunOptions,
    /// Whether to stop.
    pub(crate) cancel: Cancel,
}

impl Job {
    /// Another function of the same program on the same data. Nothing of it is copied but the graph.
    pub(crate) fn part(&self, function: NodeId) -> Job {
        Job {
            module: self.module.clone(),
            function,
            args: self.args.clone(),
            sources: self.sources.clone(),
            statistics: self.statistics.clone(),
            hosts: self.hosts.clone(),
            backends: Vec::new(),
            options: self.options.clone(),
            cancel: self.cancel.clone(),
        }
    }
}

/// The data of a source.
#[derive(Clone)]
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

/// Something that runs programs.
pub(crate) trait Engine: Send + Sync {
    /// The result of a job, in physical form.
    fn run(&self, job: Job) -> Result<Datum, Error>;
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
