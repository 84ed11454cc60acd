//! What every part of one run shares.

use super::{Cancel, Host, Options};
use crate::explain::Watch;
use airloom_ir::graph::Graph;
use airloom_ir::oracle::{Host as OracleHost, Limits, Oracle, Source};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The program, and what it runs with.
pub struct Shared {
    /// The program.
    pub graph: Arc<Graph>,
    /// Functions of the host.
    pub host: Arc<dyn Host>,
    /// How it may be stopped.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Options,
    /// The data of sources that bodies read, for the oracle: read before the node whose bodies they are is computed.
    plain_sources: RwLock<BTreeMap<String, Source>>,
    /// Who wants to know how it is run, if anybody does.
    pub watch: Option<Arc<Watch>>,
}

impl Shared {
    /// For one run of a program, which somebody may watch.
    pub fn new(graph: Arc<Graph>, host: Arc<dyn Host>, cancel: Cancel, options: Options, watch: Option<Arc<Watch>>) -> Shared {
        Shared { graph, host, cancel, options, plain_sources: RwLock::default(), watch }
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
    pub fn oracle<'a>(&'a self, host: OracleHost<'a>) -> Oracle<'a> {
        let mut oracle = Oracle::new(&self.graph, Limits { steps: self.options.steps }).with_host(host).with_stop(self.cancel.flag());
        for (name, source) in self.plain_sources.read().unwrap_or_else(PoisonError::into_inner).iter() {
            oracle = oracle.with_source(name, source.clone());
        }
        oracle
    }
}
