//! The oracle as a backend: it takes everything, slowly, and is right by definition.

use super::backend::{Backend, Compiled, Refusal};
use airloom_compute::data::{Cancel, Datum, Failure, Host};
use airloom_ir::graph::NodeId;
use airloom_ir::module::Module;
use airloom_ir::oracle::{Limits, Oracle, Source};
use airloom_ir::value::Value;
use std::sync::Arc;

/// The oracle, with the functions of the host. It needs sources only where it runs whole programs: as one backend of several it is given rows.
#[derive(Clone)]
pub struct OracleBackend {
    host: Arc<dyn Host>,
    limits: Limits,
    sources: Vec<(String, Source)>,
}

impl OracleBackend {
    /// What the oracle is called.
    pub const NAME: &str = "oracle";

    /// An oracle without sources.
    pub fn new(host: Arc<dyn Host>, limits: Limits) -> OracleBackend {
        OracleBackend { host, limits, sources: Vec::new() }
    }

    /// With the data of a source.
    pub fn with_source(mut self, name: &str, source: Source) -> OracleBackend {
        self.sources.push((name.to_string(), source));
        self
    }
}

impl Backend for OracleBackend {
    fn name(&self) -> &str {
        OracleBackend::NAME
    }

    fn supports(&self, _: &Module, _: NodeId) -> Result<Result<(), Refusal>, Failure> {
        Ok(Ok(()))
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        Ok(Arc::new(OraclePart { oracle: self.clone(), program: program.clone(), function }))
    }
}

/// A function for the oracle.
struct OraclePart {
    oracle: OracleBackend,
    program: Arc<Module>,
    function: NodeId,
}

impl Compiled for OraclePart {
    fn run(&self, inputs: Vec<Datum>, cancel: &Cancel) -> Result<Datum, Failure> {
        let (graph, types) = (&self.program.graph, self.program.graph.types());
        let params = graph.params_of(self.function);
        let args: Vec<Value> = inputs.iter().zip(params).map(|(datum, &ty)| datum.to_value(types, ty)).collect();
        let host = |name: &str, args: &[Value]| self.oracle.host.value(name, args);
        let mut oracle = Oracle::new(graph, self.oracle.limits).with_host(&host).with_stop(cancel.flag());
        for (name, source) in &self.oracle.sources {
            oracle = oracle.with_source(name, source.clone());
        }
        match oracle.call(self.function, &args) {
            Ok(value) => Ok(Datum::from_value(types, graph.ty_id(graph.result_of(self.function)), &value)),
            Err(_) if cancel.is_cancelled() => Err(Failure::Cancelled),
            Err(raised) => Err(raised.into()),
        }
    }
}
