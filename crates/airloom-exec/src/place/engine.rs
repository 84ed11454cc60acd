//! The engine as a backend: it takes everything.

use super::backend::{Backend, Compiled, Refusal};
use crate::engine::Engine;
use airloom_compute::data::{Cancel, Datum, Failure};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::Module;
use airloom_opt::facts::Statistics;
use airloom_plan::value::Plan;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The engine, with what is known of the sources of a program.
pub struct EngineBackend {
    engine: Arc<Engine>,
    statistics: Statistics,
    /// The program that was compiled last, and its graph, which its parts share.
    last: Mutex<Option<(Weak<Module>, Arc<Graph>)>>,
}

impl EngineBackend {
    /// What the engine is called.
    pub const NAME: &str = "engine";

    /// For programs over sources of which this is known.
    pub fn new(engine: Arc<Engine>, statistics: Statistics) -> EngineBackend {
        EngineBackend { engine, statistics, last: Mutex::default() }
    }

    /// Knows the graph of a program already.
    pub fn with_graph(self, program: &Arc<Module>, graph: Arc<Graph>) -> EngineBackend {
        EngineBackend { last: Mutex::new(Some((Arc::downgrade(program), graph))), ..self }
    }

    /// The graph of a program, copied once for all its parts.
    fn graph(&self, program: &Arc<Module>) -> Arc<Graph> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, graph)) if std::ptr::eq(known.as_ptr(), Arc::as_ptr(program)) => graph.clone(),
            _ => {
                let graph = Arc::new(program.graph.clone());
                *last = Some((Arc::downgrade(program), graph.clone()));
                graph
            }
        }
    }
}

impl Backend for EngineBackend {
    fn name(&self) -> &str {
        EngineBackend::NAME
    }

    fn supports(&self, _: &Module, _: NodeId) -> Result<Result<(), Refusal>, Failure> {
        Ok(Ok(()))
    }

    fn compile(&self, program: &Arc<Module>, function: NodeId) -> Result<Arc<dyn Compiled>, Failure> {
        let plan = self.engine.lower(&self.graph(program), function, self.statistics.clone());
        Ok(Arc::new(EnginePart { engine: self.engine.clone(), plan: Arc::new(plan) }))
    }
}

/// A plan for the engine.
struct EnginePart {
    engine: Arc<Engine>,
    plan: Arc<Plan>,
}

impl Compiled for EnginePart {
    fn run(&self, inputs: Vec<Datum>, cancel: &Cancel) -> Result<Datum, Failure> {
        self.engine.execute(&self.plan, &inputs, cancel, None)
    }
}
