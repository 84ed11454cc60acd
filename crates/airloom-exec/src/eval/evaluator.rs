//! Running one function.

use super::{inner, parts};
use crate::plan::{Given, Planner, Shared, Wanted, reads_sources};
use airloom_compute::array::{self, Bodies};
use airloom_compute::body::LaneProgram;
use airloom_compute::data::{Datum, Failure, Lane, NdArray, Relation};
use airloom_io::source::Scan;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation as Rel;
use airloom_ir::oracle::{self, Call, Raised, Stop};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_opt::facts::Facts;
use arrow::compute::concat_batches;
use datafusion_physical_plan::ExecutionPlan;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use tracing::debug_span;

/// What lies outside a program: its sources, and the threads its plans run on.
pub trait World {
    /// A plan that reads some columns of a source.
    fn scan(&self, shared: &Arc<Shared>, source: NodeId, wanted: Wanted) -> Result<Scan, Failure>;

    /// A plan that lets a database compute a relation of its tables, where it does so exactly as we would.
    fn query(&self, shared: &Arc<Shared>, node: NodeId) -> Option<Arc<dyn ExecutionPlan>>;

    /// A source that is not a relation.
    fn datum(&self, name: &str, ty: TyId) -> Result<Datum, Failure>;

    /// The rows of a plan.
    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure>;
}

/// How deep functions may call functions.
const MAX_CALLS: usize = 200;

/// Runs functions of one program.
pub struct Evaluator<'a> {
    shared: &'a Arc<Shared>,
    world: &'a dyn World,
    facts: RefCell<Facts>,
    calls: Cell<usize>,
    /// Bodies made ready for lanes.
    programs: RefCell<HashMap<NodeId, Arc<LaneProgram>>>,
    /// Steps that loops have taken.
    steps: Cell<u64>,
    /// Which nodes hold sources.
    reads_sources: Vec<bool>,
    /// Which relations are captured by bodies of others. Those are computed before what captures them is planned: a plan is not made while another one is.
    captured: Vec<bool>,
}

/// The nodes of one function while it runs.
struct Frame<'a> {
    evaluator: &'a Evaluator<'a>,
    known: RefCell<HashMap<NodeId, Datum>>,
}

impl<'a> Evaluator<'a> {
    /// For one run.
    pub fn new(shared: &'a Arc<Shared>, world: &'a dyn World, facts: Facts) -> Evaluator<'a> {
        Evaluator {
            shared,
            world,
            facts: RefCell::new(facts),
            calls: Cell::new(0),
            programs: RefCell::default(),
            steps: Cell::new(0),
            reads_sources: reads_sources(&shared.graph),
            captured: captured(shared),
        }
    }

    /// The result of a closed function.
    pub fn call(&self, lambda: NodeId, args: &[Datum]) -> Result<Datum, Failure> {
        if self.calls.get() >= MAX_CALLS {
            return Err(Raised::new(format!("functions call each other deeper than {MAX_CALLS}")).into());
        }
        self.calls.set(self.calls.get() + 1);
        let result = self.follow(lambda, args);
        self.calls.set(self.calls.get() - 1);
        result
    }

    fn follow(&self, lambda: NodeId, args: &[Datum]) -> Result<Datum, Failure> {
        let graph = &self.shared.graph;
        let result = graph.result_of(lambda);
        let frame = Frame { evaluator: self, known: RefCell::new(HashMap::new()) };
        for id in graph.block_order(&[result]) {
            self.shared.context.cancel.check()?;
            inner::read_for(self.shared, self.world, &self.reads_sources, id)?;
            if is_planned(self.shared, id) {
                if self.captured[id.index()] {
                    frame.datum(id).map_err(|failure| failure.at(id))?;
                }
                continue;
            }
            let datum = match graph.as_param(id) {
                Some(param) => args[param.number as usize].clone(),
                None => frame.node(id).map_err(|failure| failure.at(id))?,
            };
            frame.known.borrow_mut().insert(id, datum);
        }
        frame.datum(result)
    }
}

impl Bodies for Evaluator<'_> {
    fn lanes(&self, body: NodeId, own: &[Lane], captures: &[Datum], lanes: usize) -> Result<Lane, Failure> {
        self.spend(lanes as u64 + 1)?;
        let types = self.shared.graph.types();
        let program = self.programs.borrow().get(&body).cloned();
        let program = program.unwrap_or_else(|| {
            let program = Arc::new(LaneProgram::of_function(&self.shared.graph, &self.shared.context, body));
            self.programs.borrow_mut().insert(body, program.clone());
            program
        });
        let tys = &self.shared.graph.params_of(body)[own.len()..];
        let captures = captures.iter().zip(tys).map(|(datum, &ty)| Lane::One(datum.to_value(types, ty)));
        Ok(program.run(&own.iter().cloned().chain(captures).collect::<Vec<_>>(), lanes)?)
    }

    fn once(&self, body: NodeId, own: &[Datum], captures: &[Datum]) -> Result<Datum, Failure> {
        let args: Vec<Datum> = own.iter().chain(captures).cloned().collect();
        self.call(body, &args)
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(self.spend(1)?)
    }

    fn threads(&self) -> usize {
        self.shared.options.threads
    }
}

impl Evaluator<'_> {
    /// Counts steps that are about to be taken, so that a loop without end ends where a limit was asked for, and always when the run is cancelled.
    fn spend(&self, steps: u64) -> Result<(), Stop> {
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > self.shared.options.steps {
            return Err(Stop::OutOfSteps(self.shared.options.steps));
        }
        self.shared.context.cancel.check()
    }
}

/// Whether a node becomes part of a plan rather than a datum of its own.
fn is_planned(shared: &Shared, id: NodeId) -> bool {
    let graph = &shared.graph;
    match graph.op(id) {
        Op::Relation(op) => !matches!(op, Rel::Columns | Rel::Pack | Rel::Rows),
        Op::Core(Core::Source) => matches!(graph.ty(id), Ty::Rel(_)),
        _ => false,
    }
}

/// For each node, whether it is planned and a body of a relation captures it.
fn captured(shared: &Shared) -> Vec<bool> {
    let graph = &shared.graph;
    let mut captured = vec![false; graph.len()];
    for id in graph.ids().filter(|&id| matches!(graph.op(id), Op::Relation(_))) {
        let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        if !parts.bodies.is_empty() {
            parts.tail.iter().filter(|&&capture| is_planned(shared, capture)).for_each(|capture| captured[capture.index()] = true);
        }
    }
    captured
}

impl Frame<'_> {
    fn node(&self, id: NodeId) -> Result<Datum, Failure> {
        let shared = self.evaluator.shared;
        let graph = &shared.graph;
        let types = graph.types();
        let (op, ty) = (graph.op(id), graph.ty_id(id));
        let parts = op.def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        match op {
            Op::Core(Core::Const) => Ok(Datum::from_value(types, ty, graph.const_value(id).expect("it is one"))),
            Op::Core(Core::Lambda) => Ok(Datum::Function(id)),
            Op::Core(Core::Token) => Ok(Datum::Token),
            Op::Core(Core::Call) => {
                let Datum::Function(function) = self.datum(parts.fixed[0])? else {
                    return Err(Failure::Bug("invariant `values have their node's type`: only a function is called".into()));
                };
                let args = self.data(parts.tail)?;
                self.evaluator.call(function, &args)
            }
            Op::Core(Core::Source) => self.evaluator.world.datum(graph.as_source(id).expect("it is one").name.as_str(), ty),
            Op::Core(Core::Host) => self.by_oracle(id),
            Op::Core(_) => Ok(parts::apply(graph, id, &self.data(graph.args(id))?)),
            Op::Relation(Rel::Rows) => {
                let rows = self.relation(parts.fixed[0])?.rows();
                Ok(Datum::Value(Value::Int(rows as i128)))
            }
            Op::Relation(Rel::Columns) => {
                let relation = self.relation(parts.fixed[0])?;
                let whole = concat_batches(&relation.schema, relation.batches.iter()).map_err(|e| Failure::Bug(e.to_string()))?;
                Ok(Datum::Parts(whole.columns().iter().map(|c| Datum::Array(NdArray::flat(c.clone()))).collect()))
            }
            Op::Number(_) | Op::Logic(_) | Op::Text(_) | Op::Temporal(_) | Op::Nested(_) if types.is_value(ty) => {
                let args: Vec<Value> =
                    self.data(graph.args(id))?.iter().zip(graph.args(id)).map(|(d, &a)| d.to_value(types, graph.ty_id(a))).collect();
                let arg_types: Vec<TyId> = graph.args(id).iter().map(|&a| graph.ty_id(a)).collect();
                let call = Call::plain(types, graph.node(id).attrs(), &args, &arg_types, ty);
                Ok(Datum::Value(oracle::apply(op, &call)?))
            }
            Op::Array(_) | Op::Reduce(_) | Op::Sequence(_) | Op::Control(_) => {
                let own = if parts.bodies.is_empty() { graph.args(id) } else { parts.fixed };
                let captures = if parts.bodies.is_empty() { Vec::new() } else { self.data(parts.tail)? };
                let made = array::apply(graph, id, &self.data(own)?, parts.bodies, &captures, self.evaluator)?;
                if let Datum::Array(array) = &made {
                    self.evaluator.spend(array.items.len() as u64)?;
                }
                Ok(made)
            }
            _ => self.by_oracle(id),
        }
    }

    /// A node on the oracle, from plain values.
    fn by_oracle(&self, id: NodeId) -> Result<Datum, Failure> {
        let shared = self.evaluator.shared;
        let graph = &shared.graph;
        let types = graph.types();
        let mut args = Vec::with_capacity(graph.args(id).len());
        for &arg in graph.args(id) {
            args.push(self.datum(arg)?.to_value(types, graph.ty_id(arg)));
        }
        let host = |name: &str, args: &[Value]| shared.context.host.value(name, args);
        let value = shared.context.oracle(&shared.graph, &host).apply(id, &args)?;
        Ok(Datum::from_value(types, graph.ty_id(id), &value))
    }

    fn data(&self, nodes: &[NodeId]) -> Result<Vec<Datum>, Failure> {
        nodes.iter().map(|&id| self.datum(id)).collect()
    }

    fn relation(&self, id: NodeId) -> Result<Relation, Failure> {
        match self.datum(id)? {
            Datum::Table(relation) => Ok(relation),
            other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a relation, found {other:?}"))),
        }
    }
}

impl Given for Frame<'_> {
    fn datum(&self, node: NodeId) -> Result<Datum, Failure> {
        if let Some(datum) = self.known.borrow().get(&node) {
            return Ok(datum.clone());
        }
        let evaluator = self.evaluator;
        let plan = {
            let _entered = debug_span!("plan", op = evaluator.shared.graph.op(node).name()).entered();
            let mut facts = evaluator.facts.borrow_mut();
            Planner::new(evaluator.shared, &mut facts, self).plan(node)?
        };
        let datum = Datum::Table(evaluator.world.collect(plan)?);
        self.known.borrow_mut().insert(node, datum.clone());
        Ok(datum)
    }

    fn scan(&self, source: NodeId, wanted: Wanted) -> Result<Scan, Failure> {
        self.evaluator.world.scan(self.evaluator.shared, source, wanted)
    }

    fn query(&self, node: NodeId) -> Option<Arc<dyn ExecutionPlan>> {
        self.evaluator.world.query(self.evaluator.shared, node)
    }

    fn collect(&self, plan: Arc<dyn ExecutionPlan>) -> Result<Relation, Failure> {
        self.evaluator.world.collect(plan)
    }
}
