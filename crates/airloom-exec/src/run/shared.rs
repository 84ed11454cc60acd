//! What every part of one run shares.

use super::{Cancel, Host, Options};
use airloom_ir::graph::Graph;
use airloom_ir::oracle::{Host as OracleHost, Limits, Oracle, Source};
use std::sync::Arc;

/// The program, and what it runs with.
pub struct Shared {
    /// The program.
    pub graph: Graph,
    /// Functions of the host.
    pub host: Arc<dyn Host>,
    /// How it may be stopped.
    pub cancel: Cancel,
    /// How it runs.
    pub options: Options,
    /// The data of sources that bodies read, for the oracle.
    pub plain_sources: Vec<(String, Source)>,
}

impl Shared {
    /// The oracle for what has no code of its own.
    pub fn oracle<'a>(&'a self, host: OracleHost<'a>) -> Oracle<'a> {
        let mut oracle = Oracle::new(&self.graph, Limits { steps: self.options.steps }).with_host(host).with_stop(self.cancel.flag());
        for (name, source) in &self.plain_sources {
            oracle = oracle.with_source(name, source.clone());
        }
        oracle
    }
}
