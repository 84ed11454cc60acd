//! Bodies made ready to run: one kernel after the other, until one has computed the row.

use super::Interpreter;
use super::fold::{FoldKernel, FoldSpec};
use super::kernel::{Compiler, Deopt, Exit, Kernel, calls_host};
use super::row_by_row::RowByRow;
use super::select::{join_all, slice};
use crate::data::{RunContext, Selection, Vector};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::oracle::Stop;
use airloom_plan::bodies::{interpretable, params};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Some nodes of a body, computed over batches. It belongs to no run, and is compiled once.
pub struct Program {
    graph: Arc<Graph>,
    roots: Vec<NodeId>,
    /// The fastest first; the last one, the oracle, hands over to nobody.
    kernels: Vec<Arc<dyn Kernel>>,
    calls_host: bool,
}

impl Program {
    fn new(graph: &Arc<Graph>, compiler: Option<&dyn Compiler>, given: &[NodeId], roots: &[NodeId]) -> Program {
        let mut kernels: Vec<Arc<dyn Kernel>> = Vec::new();
        let calls_host = calls_host(graph, given, roots);
        if interpretable(graph, given, roots) {
            kernels.extend(compiler.filter(|_| !calls_host).and_then(|compiler| compiler.compile(graph, given, roots)));
            kernels.push(Arc::new(Interpreter::new(graph, given, roots, calls_host)));
        }
        kernels.push(Arc::new(RowByRow::new(graph, given, roots)));
        Program { graph: graph.clone(), roots: roots.to_vec(), kernels, calls_host }
    }

    /// A vector for each root over the selected rows. Where rows raise, the first of them is heard.
    pub fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Stop> {
        let mut deopt = match self.kernels[0].run(context, given, rows) {
            Ok(made) => return Ok(made),
            Err(Exit::Stop(stop)) => return Err(stop),
            Err(Exit::Deopt(deopt)) => deopt,
        };
        // What is left is computed by the next kernel, over the rows from here on alone.
        let given: Vec<Vector> = given.iter().map(|vector| rows.vector(vector)).collect();
        let (count, mut from, mut pieces) = (rows.len(), 0, Vec::new());
        for kernel in &self.kernels[1..] {
            let Deopt { row, done } = deopt;
            if row > 0 {
                pieces.push((done, row));
            }
            from += row;
            let rest: Vec<Vector> = given.iter().map(|vector| slice(vector, from, count - from)).collect();
            match kernel.run(context, &rest, &Selection::All(count - from)) {
                Ok(made) => {
                    pieces.push((made, count - from));
                    let tys = self.roots.iter().map(|&root| self.graph.ty_id(root));
                    return Ok(join_all(self.graph.types(), tys, &pieces));
                }
                Err(Exit::Stop(stop)) => return Err(stop),
                Err(Exit::Deopt(next)) => deopt = next,
            }
        }
        panic!("invariant `the oracle computes every row`: it handed over")
    }
}

/// A program in a run.
#[derive(Clone)]
pub struct BoundProgram {
    program: Arc<Program>,
    context: Arc<RunContext>,
}

impl BoundProgram {
    /// A program, and what it runs with.
    pub fn new(program: Arc<Program>, context: &Arc<RunContext>) -> BoundProgram {
        BoundProgram { program, context: context.clone() }
    }

    /// Whether it calls functions of the host, which are called in the order of the rows, by the thread that runs the program.
    pub fn calls_host(&self) -> bool {
        self.program.calls_host
    }

    /// What it runs with.
    pub fn context(&self) -> &RunContext {
        &self.context
    }

    /// The vectors of all roots over the selected rows.
    pub fn run_all(&self, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Stop> {
        self.program.run(&self.context, given, rows)
    }

    /// The vector of the one root over the selected rows.
    pub fn run(&self, given: &[Vector], rows: &Selection) -> Result<Vector, Stop> {
        Ok(self.run_all(given, rows)?.pop().expect("a program has a root"))
    }
}

/// The programs of the bodies of one graph, each compiled when it is first asked for. All runs of a plan share them.
pub struct Programs {
    graph: Arc<Graph>,
    compiler: Option<Arc<dyn Compiler>>,
    compiled: Mutex<HashMap<Key, Arc<Program>>>,
    /// By the aggregate body whose reductions they are of.
    folds: Mutex<HashMap<NodeId, Option<Arc<dyn FoldKernel>>>>,
}

/// What is given, and what is computed.
type Key = (Box<[NodeId]>, Box<[NodeId]>);

impl Programs {
    /// None compiled yet. The compiler is asked for a kernel of each body.
    pub fn new(graph: &Arc<Graph>, compiler: Option<Arc<dyn Compiler>>) -> Programs {
        Programs { graph: graph.clone(), compiler, compiled: Mutex::default(), folds: Mutex::default() }
    }

    /// The fold of an aggregate body, where the compiler has one.
    pub fn of_aggregates(&self, function: NodeId, spec: impl FnOnce() -> Result<FoldSpec, String>) -> Option<Arc<dyn FoldKernel>> {
        let compiler = self.compiler.as_deref()?;
        let mut folds = self.folds.lock().unwrap_or_else(PoisonError::into_inner);
        folds.entry(function).or_insert_with(|| compiler.fold(&self.graph, &spec().ok()?)).clone()
    }

    /// The program of a closed function, from the vectors of its parameters.
    pub fn of_function(&self, function: NodeId) -> Arc<Program> {
        self.of_function_nodes(function, &[self.graph.result_of(function)])
    }

    /// The program of some nodes of a function, from the vectors of its parameters.
    pub fn of_function_nodes(&self, function: NodeId, roots: &[NodeId]) -> Arc<Program> {
        self.of_nodes(&params(&self.graph, function), roots)
    }

    /// The program of some nodes, from the vectors of others.
    pub fn of_nodes(&self, given: &[NodeId], roots: &[NodeId]) -> Arc<Program> {
        let key: Key = (given.into(), roots.into());
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(Program::new(&self.graph, self.compiler.as_deref(), given, roots));
        compiled.entry(key).or_insert_with(make).clone()
    }
}
