//! What the bodies of one run are computed with.

use super::{Cancel, Host, Native};
use airloom_ir::graph::Graph;
use airloom_ir::oracle::{Host as OracleHost, Limits, Oracle, Source};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// What belongs to one run beside the program: the host it calls, what may stop it, and data that the oracle reads.
pub struct RunContext {
    /// Functions of the host.
    pub host: Arc<dyn Host>,
    /// How it may be stopped.
    pub cancel: Cancel,
    /// How many steps loops may take before the run is ended.
    pub steps: u64,
    /// When bodies are compiled.
    pub native: Native,
    /// The data of sources that bodies read, for the oracle: read before the node whose bodies they are is computed.
    plain_sources: RwLock<BTreeMap<String, Source>>,
}

impl RunContext {
    /// For one run.
    pub fn new(host: Arc<dyn Host>, cancel: Cancel, steps: u64, native: Native) -> RunContext {
        RunContext { host, cancel, steps, native, plain_sources: RwLock::default() }
    }

    /// The data of a source that bodies read, where it is here already.
    pub fn plain_source(&self, name: &str) -> Option<Source> {
        self.plain_sources.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Keeps the data of a source that bodies read.
    pub fn keep_plain_source(&self, name: &str, source: Source) {
        self.plain_sources.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_string(), source);
    }

    /// The oracle for what has no code of its own.
    pub fn oracle<'a>(&'a self, graph: &'a Graph, host: OracleHost<'a>) -> Oracle<'a> {
        let mut oracle = Oracle::new(graph, Limits { steps: self.steps }).with_host(host).with_stop(self.cancel.flag());
        for (name, source) in self.plain_sources.read().unwrap_or_else(PoisonError::into_inner).iter() {
            oracle = oracle.with_source(name, source.clone());
        }
        oracle
    }
}
