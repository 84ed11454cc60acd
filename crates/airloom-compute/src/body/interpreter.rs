//! Bodies over vectors: each node is computed for all rows of a batch, then the next.

use super::kernel::{Deopt, Exit, Kernel};
use super::select::{join_all, slice};
use super::{branch, check, list_reduction, records};
use crate::data::{RunContext, Selection, Vector};
use crate::functions::{self, KernelCall};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::oracle::{Raised, Stop};
use airloom_ir::types::TyId;
use airloom_plan::bodies::{params, reduced_list};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes in the order they are computed. What is given from outside (parameters, or nodes computed elsewhere) has the first slots.
pub(super) struct Interpreter {
    graph: Arc<Graph>,
    /// The nodes whose vectors are given.
    given: Vec<NodeId>,
    steps: Vec<Step>,
    roots: Vec<usize>,
    /// Whether it calls functions of the host. Those have been called when a row raises, and are not called again.
    calls_host: bool,
}

struct Step {
    node: NodeId,
    /// The slots of its arguments.
    args: Vec<usize>,
    /// And their types.
    arg_types: Vec<TyId>,
    /// Programs of its bodies.
    bodies: Vec<Interpreter>,
}

/// Where a row of a batch raises, this many rows around it are left to the oracle, which finds the first that does.
const RAISING: usize = 1024;

impl Interpreter {
    /// The program of nodes that can all be computed over vectors.
    pub(super) fn new(graph: &Arc<Graph>, given: &[NodeId], roots: &[NodeId], calls_host: bool) -> Interpreter {
        let mut places: BTreeMap<NodeId, usize> = given.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let mut steps = Vec::new();
        let mut stack: Vec<(NodeId, bool)> = roots.iter().rev().map(|&id| (id, false)).collect();
        while let Some((id, ready)) = stack.pop() {
            if places.contains_key(&id) {
                continue;
            }
            let op = graph.op(id);
            let parts = op.def().parts(graph.args(id)).expect("invariant `a node has the arguments its op takes`");
            // The array of a list is no vector: what reduces it reads the list itself.
            let list = reduced_list(graph, id);
            if !ready {
                stack.push((id, true));
                let below = parts.fixed.iter().chain(parts.tail).rev().filter(|_| list.is_none()).copied().chain(list);
                stack.extend(below.filter(|&arg| graph.op(arg) != Op::Core(Core::Lambda)).map(|arg| (arg, false)));
                continue;
            }
            let function = (op == Op::Core(Core::Call)).then(|| parts.fixed[0]);
            let body = |body: NodeId| Self::new(graph, &params(graph, body), &[graph.result_of(body)], calls_host);
            let bodies = parts.bodies.iter().copied().chain(function).map(body).collect();
            let all = || parts.fixed.iter().chain(parts.tail).filter(|_| list.is_none()).copied().chain(list);
            let read = || all().filter(|&arg| Some(arg) != function);
            let (args, arg_types) = (read().map(|arg| places[&arg]).collect(), read().map(|arg| graph.ty_id(arg)).collect());
            places.insert(id, given.len() + steps.len());
            steps.push(Step { node: id, args, arg_types, bodies });
        }
        let roots = roots.iter().map(|id| places[id]).collect();
        Interpreter { graph: graph.clone(), given: given.to_vec(), steps, roots, calls_host }
    }

    /// The vector of the one root, over `rows` rows.
    pub(super) fn one(&self, context: &RunContext, given: &[Vector], rows: usize) -> Result<Vector, Stop> {
        Ok(self.all(context, given, rows)?.pop().expect("a program has a root"))
    }

    /// The vector of each root, over `rows` rows.
    fn all(&self, context: &RunContext, given: &[Vector], rows: usize) -> Result<Vec<Vector>, Stop> {
        let mut slots: Vec<Vector> = Vec::with_capacity(given.len() + self.steps.len());
        slots.extend_from_slice(given);
        for step in &self.steps {
            let vector = self.step(context, step, &slots, rows).map_err(|stop| stop.at(step.node))?;
            slots.push(vector);
        }
        Ok(self.roots.iter().map(|&place| slots[place].clone()).collect())
    }

    /// Rows of which one raises: those before it are computed piece by piece.
    fn before_raising(&self, context: &RunContext, given: &[Vector], rows: usize) -> Result<Deopt, Stop> {
        let mut pieces: Vec<(Vec<Vector>, usize)> = Vec::new();
        let mut row = 0;
        while row < rows {
            let count = RAISING.min(rows - row);
            let piece: Vec<Vector> = given.iter().map(|vector| slice(vector, row, count)).collect();
            match self.all(context, &piece, count) {
                Ok(made) => pieces.push((made, count)),
                Err(Stop::Raised(_)) => break,
                Err(other) => return Err(other),
            }
            row += count;
        }
        let tys = self.roots.iter().map(|&place| self.graph.ty_id(self.node_at(place)));
        Ok(Deopt { row, done: join_all(self.graph.types(), tys, &pieces) })
    }

    /// The node whose vector has a slot.
    fn node_at(&self, place: usize) -> NodeId {
        self.given.get(place).copied().unwrap_or_else(|| self.steps[place - self.given.len()].node)
    }

    fn step(&self, context: &RunContext, step: &Step, slots: &[Vector], rows: usize) -> Result<Vector, Stop> {
        let graph = &self.graph;
        let (types, node) = (graph.types(), graph.node(step.node));
        let args: Vec<Vector> = step.args.iter().map(|&place| slots[place].clone()).collect();
        match node.op() {
            Op::Core(Core::Const) => Ok(Vector::Constant(graph.const_value(step.node).expect("it is one").clone())),
            Op::Core(Core::Placeholder) => {
                Err(Stop::Raised(Raised::new("the program is not bound: the value of a placeholder is missing")))
            }
            Op::Core(Core::Call) => step.bodies[0].one(context, &args, rows),
            Op::Core(Core::Host) => self.host(context, step, &args, rows),
            Op::Core(_) => Ok(records::apply(graph, step.node, &args, &step.arg_types, rows)),
            Op::Reduce(_) => list_reduction::apply(graph, step.node, &args[0], step.arg_types[0], rows),
            Op::Control(Control::Check) => {
                let check = graph.as_check(step.node).expect("it is one");
                check::apply(&check.message, &args[0], &args[1], rows)
            }
            Op::Control(Control::If) => branch::apply(context, types, node.ty(), &step.bodies, &args, rows),
            op => {
                let (attrs, arg_types, ty) = (node.attrs(), &step.arg_types, node.ty());
                functions::apply(&KernelCall { types, op, attrs, args: &args, arg_types, ty, rows })
            }
        }
    }

    /// Calls the host once for each row.
    fn host(&self, context: &RunContext, step: &Step, args: &[Vector], rows: usize) -> Result<Vector, Stop> {
        let (graph, node) = (&self.graph, step.node);
        let types = graph.types();
        let host = graph.as_host(node).expect("it is one");
        context.host.rows(host.name.as_str(), types, args, &step.arg_types, graph.ty_id(node), rows)
    }
}

impl Kernel for Interpreter {
    fn run(&self, context: &RunContext, given: &[Vector], rows: &Selection) -> Result<Vec<Vector>, Exit> {
        let count = rows.len();
        let selected: Vec<Vector> = given.iter().map(|vector| rows.vector(vector)).collect();
        match self.all(context, &selected, count) {
            Ok(made) => Ok(made),
            Err(Stop::Raised(_)) if !self.calls_host => {
                Err(self.before_raising(context, &selected, count).map_or_else(Exit::Stop, Exit::Deopt))
            }
            Err(stop) => Err(Exit::Stop(stop)),
        }
    }
}
