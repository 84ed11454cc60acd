//! Running a whole program: values from leaves to root, without recursion but for bodies.

use super::call::Call;
use super::stop::{Raised, Stop, raise};
use crate::graph::{Args, Graph, NodeId};
use crate::name::Name;
use crate::ops::Op;
use crate::ops::core::Core;
use crate::types::{Ty, TyId};
use crate::typing::core::fits;
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much a run may do before it is stopped: programs come from strangers too.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes computed, rows made, elements made.
    pub steps: u64,
}

impl Limits {
    /// Enough for tests and examples; a few seconds.
    pub const EXAMPLES: Limits = Limits { steps: 200_000_000 };
}

/// Functions of the host, by name.
pub type Host<'a> = &'a dyn Fn(&str, &[Value]) -> Result<Value, Stop>;

/// The data of a source, and the names of its columns where it is a relation: a program may ask for some of them.
#[derive(Clone, Debug)]
pub struct Source {
    /// The names of the columns, in order; empty where it is not a relation.
    pub columns: Vec<Name>,
    /// The data.
    pub value: Value,
}

/// The reference evaluator of one graph.
pub struct Oracle<'a> {
    graph: &'a Graph,
    sources: BTreeMap<String, Source>,
    host: Option<Host<'a>>,
    stop: Option<&'a AtomicBool>,
    limits: Limits,
}

impl<'a> Oracle<'a> {
    /// An oracle without sources or host functions.
    pub fn new(graph: &'a Graph, limits: Limits) -> Oracle<'a> {
        Oracle { graph, sources: BTreeMap::new(), host: None, stop: None, limits }
    }

    /// Gives it the data of a source.
    pub fn with_source(mut self, name: &str, source: Source) -> Oracle<'a> {
        self.sources.insert(name.to_string(), source);
        self
    }

    /// Gives it the functions of the host.
    pub fn with_host(mut self, host: Host<'a>) -> Oracle<'a> {
        self.host = Some(host);
        self
    }

    /// Gives it a flag that it looks at now and then while running; set, it ends the run.
    pub fn with_stop(mut self, stop: &'a AtomicBool) -> Oracle<'a> {
        self.stop = Some(stop);
        self
    }

    /// The result of a closed function for these arguments.
    pub fn call(&self, function: NodeId, args: &[Value]) -> Result<Value, Stop> {
        let params = self.graph.params_of(function);
        if self.graph.op(function) != Op::Core(Core::Lambda) {
            return raise("only a function can be called");
        }
        if params.len() != args.len() {
            return raise(format!("the function takes {} arguments, found {}", params.len(), args.len()));
        }
        self.machine().run(function, args)
    }

    /// The value of a node that mentions no parameter.
    pub fn eval(&self, node: NodeId) -> Result<Value, Stop> {
        if self.graph.node(node).is_open() {
            return raise("the node mentions a parameter: call the function it stands in");
        }
        let machine = self.machine();
        let plan = machine.plan(node);
        machine.follow(&plan, &[])
    }

    /// What one node makes of the values of its arguments, given in the order the node holds them; for bodies any value will do. It is how a backend
    /// computes what it has no code of its own for.
    pub fn apply(&self, node: NodeId, args: &[Value]) -> Result<Value, Stop> {
        let places: Vec<u32> = (0..args.len() as u32).collect();
        let step = self.machine().step(self.graph.op(node), node, &places, args);
        step.map_err(|stop| stop.at(node))
    }

    /// Makes ready to compute some nodes of a body from the values of others, as often as it is asked to.
    pub fn roots(&self, given: &[NodeId], roots: &[NodeId]) -> Roots<'_> {
        let mut places: BTreeMap<NodeId, u32> = given.iter().zip(0..).map(|(&id, place)| (id, place)).collect();
        let mut steps = Vec::new();
        for id in self.graph.block_order_above(given, roots) {
            let is_function = self.graph.op(id) == Op::Core(Core::Lambda);
            let args = if is_function { &[] } else { self.graph.args(id) };
            steps.push((id, args.iter().map(|arg| places[arg]).collect()));
            places.insert(id, (given.len() + steps.len() - 1) as u32);
        }
        Roots { machine: self.machine(), plan: Plan { steps }, roots: roots.iter().map(|root| places[root] as usize).collect() }
    }

    fn machine(&self) -> Machine<'_> {
        Machine { oracle: self, plans: RefCell::new(BTreeMap::new()), spent: Cell::new(0), depth: Cell::new(0) }
    }
}

/// Some nodes of a body, to be computed from the values of others. Each time it is asked it may take as many steps as the oracle may.
pub struct Roots<'a> {
    machine: Machine<'a>,
    plan: Plan,
    roots: Vec<usize>,
}

impl Roots<'_> {
    /// The values of the roots for these values of what is given.
    pub fn compute(&self, given: &[Value]) -> Result<Vec<Value>, Stop> {
        self.machine.spent.set(0);
        let mut values = given.to_vec();
        self.machine.steps(&self.plan, &[], &mut values)?;
        Ok(self.roots.iter().map(|&place| values[place].clone()).collect())
    }
}

/// How deep functions may call functions while running.
const MAX_CALL_DEPTH: u32 = 200;

/// One run: its plans, and what it has spent.
pub(super) struct Machine<'a> {
    oracle: &'a Oracle<'a>,
    plans: RefCell<BTreeMap<NodeId, Rc<Plan>>>,
    spent: Cell<u64>,
    depth: Cell<u32>,
}

/// The nodes of one body in the order they are computed, with the positions of their arguments in that order.
struct Plan {
    steps: Vec<(NodeId, smallvec::SmallVec<[u32; 4]>)>,
}

impl<'a> Machine<'a> {
    pub(super) fn graph(&self) -> &'a Graph {
        self.oracle.graph
    }

    pub(super) fn spend(&self, steps: u64) -> Result<(), Stop> {
        let before = self.spent.get();
        let spent = before.saturating_add(steps);
        self.spent.set(spent);
        if before >> 10 != spent >> 10 && self.oracle.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if spent > self.oracle.limits.steps {
            return Err(Stop::OutOfSteps(self.oracle.limits.steps));
        }
        Ok(())
    }

    pub(super) fn source(&self, name: &str, ty: TyId) -> Result<Value, Stop> {
        let Some(source) = self.oracle.sources.get(name) else { return raise(format!("there is no source `{name}`")) };
        let types = self.graph().types();
        let wrong = || Raised::new(format!("the data of source `{name}` is not of its type `{}`", types.show(ty)));
        match (types.get(ty), &source.value) {
            (Ty::Rel(fields), Value::Rel(table)) => {
                let places: Option<Vec<usize>> = fields.names().map(|n| source.columns.iter().position(|c| c == n)).collect();
                let places = places.ok_or_else(wrong)?;
                self.spend(table.rows.len() as u64)?;
                let mut rows = Vec::with_capacity(table.rows.len());
                for row in &table.rows {
                    let row: Option<Vec<Value>> = places.iter().map(|&p| row.get(p).cloned()).collect();
                    let row = row.ok_or_else(wrong)?;
                    if !fields.iter().zip(&row).all(|(f, v)| fits(types, v, f.ty)) {
                        return Err(wrong().into());
                    }
                    rows.push(row.into());
                }
                Ok(Value::rel(fields.len(), rows))
            }
            (Ty::Arr(element, dims), Value::Arr(array))
                if array.shape.len() == dims.len() && array.items.iter().all(|v| fits(types, v, *element)) =>
            {
                Ok(source.value.clone())
            }
            (Ty::Rel(_) | Ty::Arr(..), _) => Err(wrong().into()),
            _ if fits(types, &source.value, ty) => Ok(source.value.clone()),
            _ => Err(wrong().into()),
        }
    }

    pub(super) fn host(&self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        match self.oracle.host {
            Some(host) => host(name, args).map_err(|stop| match stop {
                Stop::Raised(raised) => Raised { message: format!("host function `{name}`: {}", raised.message), ..raised }.into(),
                other => other,
            }),
            None => raise(format!("there is no host to call `{name}`")),
        }
    }

    /// The result of a function.
    pub(super) fn run(&self, function: NodeId, args: &[Value]) -> Result<Value, Stop> {
        if self.depth.get() >= MAX_CALL_DEPTH {
            return raise(format!("functions call each other deeper than {MAX_CALL_DEPTH}"));
        }
        self.depth.set(self.depth.get() + 1);
        let plan = self.plan(self.graph().result_of(function));
        let result = self.follow(&plan, args);
        self.depth.set(self.depth.get() - 1);
        result
    }

    fn plan(&self, result: NodeId) -> Rc<Plan> {
        if let Some(plan) = self.plans.borrow().get(&result) {
            return plan.clone();
        }
        let order = self.graph().block_order(&[result]);
        let places: BTreeMap<NodeId, u32> = order.iter().enumerate().map(|(place, &id)| (id, place as u32)).collect();
        let steps = order
            .iter()
            .map(|&id| {
                let is_function = self.graph().op(id) == Op::Core(Core::Lambda);
                let args = if is_function { &[] } else { self.graph().args(id) };
                (id, args.iter().map(|a| places[a]).collect())
            })
            .collect();
        let plan = Rc::new(Plan { steps });
        self.plans.borrow_mut().insert(result, plan.clone());
        plan
    }

    fn follow(&self, plan: &Plan, params: &[Value]) -> Result<Value, Stop> {
        let mut values: Vec<Value> = Vec::with_capacity(plan.steps.len());
        self.steps(plan, params, &mut values)?;
        Ok(values.pop().expect("a body computes at least its result"))
    }

    /// Adds the values of a plan's steps to those that are there.
    fn steps(&self, plan: &Plan, params: &[Value], values: &mut Vec<Value>) -> Result<(), Stop> {
        self.spend(plan.steps.len() as u64)?;
        for (id, places) in &plan.steps {
            let value = match self.graph().op(*id) {
                Op::Core(Core::Lambda) => Value::Func(*id),
                Op::Core(Core::Param) => {
                    let number = self.graph().as_param(*id).expect("it is one").number;
                    params[number as usize].clone()
                }
                op => self.step(op, *id, places, values).map_err(|stop| stop.at(*id))?,
            };
            values.push(value);
        }
        Ok(())
    }

    fn step(&self, op: Op, id: NodeId, places: &[u32], values: &[Value]) -> Result<Value, Stop> {
        let node = self.graph().node(id);
        let def = op.def();
        let parts = def.parts(node.args()).expect("a node has the arguments its op takes");
        let (fixed, bodies) = (parts.fixed.len(), parts.bodies.len());
        let tail = fixed + bodies;
        let own: Vec<u32> = if bodies == 0 { places.to_vec() } else { places[..fixed].to_vec() };
        let arg_ids: Args = if bodies == 0 { node.args().into() } else { parts.fixed.into() };
        let args: Vec<Value> = own.iter().map(|&p| values[p as usize].clone()).collect();
        let arg_types: Vec<_> = arg_ids.iter().map(|&a| self.graph().ty_id(a)).collect();
        let captures: Vec<Value> =
            if bodies == 0 { Vec::new() } else { places[tail..].iter().map(|&p| values[p as usize].clone()).collect() };
        let call = Call {
            types: self.graph().types(),
            attrs: node.attrs(),
            args: &args,
            arg_types: &arg_types,
            ty: node.ty(),
            bodies: parts.bodies,
            captures: &captures,
            machine: Some(self),
        };
        super::apply(op, &call)
    }
}
