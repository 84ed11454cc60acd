//! A body compiled to be computed over vectors.

use super::{branch, records};
use crate::data::{RunContext, Vector};
use crate::functions::{self, KernelCall};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::oracle::Stop;
use airloom_ir::types::TyId;
use airloom_ir::value::Value;
use airloom_plan::bodies::{interpretable, params};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes in the order they are computed, over vectors. What is given from outside (parameters, or nodes computed elsewhere) has the first slots.
pub struct Interpreter {
    graph: Arc<Graph>,
    context: Arc<RunContext>,
    /// The nodes whose vectors are given.
    given: Vec<NodeId>,
    steps: Vec<Step>,
    roots: Vec<usize>,
    /// The function to be computed row by row on the oracle instead, where some node of it cannot be computed over vectors.
    row_by_row: Option<NodeId>,
}

struct Step {
    node: NodeId,
    /// The slots of its arguments.
    args: Vec<usize>,
    /// Programs of its bodies.
    bodies: Vec<Interpreter>,
}

impl Interpreter {
    /// The program of a closed function: its parameters are given.
    pub fn of_function(graph: &Arc<Graph>, context: &Arc<RunContext>, lambda: NodeId) -> Interpreter {
        let given = params(graph, lambda);
        let root = graph.result_of(lambda);
        Self::compile(graph, context, &given, &[root]).unwrap_or_else(|| Self::row_by_row(graph, context, lambda))
    }

    /// The program that computes a function row by row on the oracle.
    pub fn row_by_row(graph: &Arc<Graph>, context: &Arc<RunContext>, lambda: NodeId) -> Interpreter {
        let (graph, context) = (graph.clone(), context.clone());
        Interpreter { given: params(&graph, lambda), graph, context, steps: Vec::new(), roots: Vec::new(), row_by_row: Some(lambda) }
    }

    /// The program that computes `roots` from the vectors of `given`, or `None` where a node on the way cannot be computed over vectors.
    pub fn compile(graph: &Arc<Graph>, context: &Arc<RunContext>, given: &[NodeId], roots: &[NodeId]) -> Option<Interpreter> {
        interpretable(graph, given, roots).then(|| Self::build(graph, context, given, roots))
    }

    /// The program of nodes that can all be computed over vectors.
    fn build(graph: &Arc<Graph>, context: &Arc<RunContext>, given: &[NodeId], roots: &[NodeId]) -> Interpreter {
        let mut places: BTreeMap<NodeId, usize> = given.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let mut steps = Vec::new();
        let mut stack: Vec<(NodeId, bool)> = roots.iter().rev().map(|&id| (id, false)).collect();
        while let Some((id, ready)) = stack.pop() {
            if places.contains_key(&id) {
                continue;
            }
            let op = graph.op(id);
            let parts = op.def().parts(graph.args(id)).expect("invariant `a node has the arguments its op takes`");
            if !ready {
                stack.push((id, true));
                let below = parts.fixed.iter().chain(parts.tail).rev();
                stack.extend(below.filter(|&&arg| graph.op(arg) != Op::Core(Core::Lambda)).map(|&arg| (arg, false)));
                continue;
            }
            let function = (op == Op::Core(Core::Call)).then(|| parts.fixed[0]);
            let body = |body: NodeId| Self::build(graph, context, &params(graph, body), &[graph.result_of(body)]);
            let bodies = parts.bodies.iter().copied().chain(function).map(body).collect();
            let args = parts.fixed.iter().chain(parts.tail).filter(|&&arg| Some(arg) != function).map(|arg| places[arg]).collect();
            places.insert(id, given.len() + steps.len());
            steps.push(Step { node: id, args, bodies });
        }
        let roots = roots.iter().map(|id| places[id]).collect();
        Interpreter { graph: graph.clone(), context: context.clone(), given: given.to_vec(), steps, roots, row_by_row: None }
    }

    /// The one result over `lanes` rows.
    pub fn run(&self, given: &[Vector], lanes: usize) -> Result<Vector, Stop> {
        Ok(self.run_all(given, lanes)?.pop().expect("a program has a root"))
    }

    /// The result of each root over `lanes` rows.
    pub fn run_all(&self, given: &[Vector], lanes: usize) -> Result<Vec<Vector>, Stop> {
        if let Some(lambda) = self.row_by_row {
            return Ok(vec![self.run_row_by_row(lambda, given, lanes)?]);
        }
        let mut slots: Vec<Vector> = Vec::with_capacity(given.len() + self.steps.len());
        slots.extend_from_slice(given);
        for step in &self.steps {
            let lane = self.step(step, &slots, lanes).map_err(|stop| stop.at(step.node))?;
            slots.push(lane);
        }
        Ok(self.roots.iter().map(|&place| slots[place].clone()).collect())
    }

    fn step(&self, step: &Step, slots: &[Vector], lanes: usize) -> Result<Vector, Stop> {
        let graph = &self.graph;
        let (types, node) = (graph.types(), graph.node(step.node));
        let args: Vec<Vector> = step.args.iter().map(|&place| slots[place].clone()).collect();
        let arg_type = |at: usize| {
            let place = step.args[at];
            graph.ty_id(if place < self.given.len() { self.given[place] } else { self.steps[place - self.given.len()].node })
        };
        match node.op() {
            Op::Core(Core::Const) => Ok(Vector::Constant(graph.const_value(step.node).expect("it is one").clone())),
            Op::Core(Core::Call) => step.bodies[0].run(&args, lanes),
            Op::Core(Core::Host) => self.host(step.node, &args, lanes),
            Op::Core(_) => {
                let arg_types: Vec<TyId> = (0..args.len()).map(arg_type).collect();
                Ok(records::apply(graph, step.node, &args, &arg_types, lanes))
            }
            Op::Control(Control::If) => branch::apply(types, node.ty(), &step.bodies, &args, lanes),
            op => {
                let arg_types: Vec<TyId> = (0..args.len()).map(arg_type).collect();
                functions::apply(&KernelCall { types, op, attrs: node.attrs(), args: &args, arg_types: &arg_types, ty: node.ty(), lanes })
            }
        }
    }

    /// Calls the host once for each row.
    fn host(&self, node: NodeId, args: &[Vector], lanes: usize) -> Result<Vector, Stop> {
        let graph = &self.graph;
        let types = graph.types();
        let host = graph.as_host(node).expect("it is one");
        let arg_types: Vec<TyId> = graph.args(node).iter().map(|&a| graph.ty_id(a)).collect();
        self.context.host.lanes(host.name.as_str(), types, args, &arg_types, graph.ty_id(node), lanes)
    }

    fn run_row_by_row(&self, lambda: NodeId, given: &[Vector], lanes: usize) -> Result<Vector, Stop> {
        let graph = &self.graph;
        let types = graph.types();
        let params = graph.params_of(lambda);
        let host = |name: &str, args: &[Value]| self.context.host.value(name, args);
        let oracle = self.context.oracle(graph, &host);
        let mut values = Vec::with_capacity(lanes);
        for lane in 0..lanes {
            if lane % 256 == 0 {
                self.context.cancel.check()?;
            }
            let args: Vec<Value> = given.iter().zip(params).map(|(g, &ty)| g.value(types, ty, lane)).collect();
            values.push(oracle.call(lambda, &args)?);
        }
        let ty = graph.ty_id(graph.result_of(lambda));
        Ok(Vector::from_values(types, ty, &values))
    }
}
