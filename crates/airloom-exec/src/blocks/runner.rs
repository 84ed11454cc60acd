//! Running one block.

use super::executable::Executable;
use super::records;
use airloom_compute::array::{self, Bodies};
use airloom_compute::body::BoundProgram;
use airloom_compute::data::{Datum, Failure, NdArray, Relation, RunContext, Selection, Vector};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::relation::Relation as RelationOp;
use airloom_ir::oracle::{self, Call, Raised, Source, Stop};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use airloom_plan::value::{Apply, BlockId, PlanId, SlotId, SlotSource, Step, StepKind};
use arrow::compute::concat_batches;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Who computes rows.
pub trait Relations {
    /// All rows of a node, for the values of the block's slots.
    fn rows(&self, block: BlockId, slots: &[Datum], root: PlanId) -> Result<Relation, Failure>;

    /// A source that is not a relation.
    fn source(&self, name: &str, ty: TyId) -> Result<Datum, Failure>;
}

/// For blocks that hold no relations.
pub struct NoRelations;

impl Relations for NoRelations {
    fn rows(&self, _: BlockId, _: &[Datum], _: PlanId) -> Result<Relation, Failure> {
        Err(Failure::Bug("invariant `a body over groups holds no relations`".into()))
    }

    fn source(&self, _: &str, _: TyId) -> Result<Datum, Failure> {
        Err(Failure::Bug("invariant `a body over groups reads no sources`".into()))
    }
}

/// How deep functions may call functions.
const MAX_CALLS: usize = 200;

/// Runs blocks of one plan.
pub struct Runner<'a> {
    plan: &'a Executable,
    context: &'a Arc<RunContext>,
    threads: usize,
    relations: &'a dyn Relations,
    calls: Cell<usize>,
    /// The programs of bodies that have run over vectors.
    programs: RefCell<HashMap<NodeId, BoundProgram>>,
    /// Steps that loops have taken.
    steps: Cell<u64>,
}

impl<'a> Runner<'a> {
    /// For one run.
    pub fn new(plan: &'a Executable, context: &'a Arc<RunContext>, threads: usize, relations: &'a dyn Relations) -> Runner<'a> {
        Runner { plan, context, threads, relations, calls: Cell::new(0), programs: RefCell::default(), steps: Cell::new(0) }
    }

    /// The result of a block.
    pub fn call(&self, block: BlockId, arguments: &[Datum]) -> Result<Datum, Failure> {
        if self.calls.get() >= MAX_CALLS {
            return Err(Raised::new(format!("functions call each other deeper than {MAX_CALLS}")).into());
        }
        self.calls.set(self.calls.get() + 1);
        let result = self.follow(block, arguments);
        self.calls.set(self.calls.get() - 1);
        result
    }

    fn follow(&self, id: BlockId, arguments: &[Datum]) -> Result<Datum, Failure> {
        let (block, types) = (self.plan.block(id), self.plan.graph.types());
        let mut slots: Vec<Datum> = Vec::with_capacity(block.slots.len());
        let mut steps = block.steps.iter();
        for slot in &block.slots {
            let datum = match &slot.source {
                SlotSource::Argument(number) => arguments[*number].clone(),
                SlotSource::Literal(value) => Datum::from_value(types, slot.ty, value),
                SlotSource::Placeholder(number) => {
                    return Err(Failure::Program(format!("the plan is not bound: placeholder {number} has no value")));
                }
                SlotSource::Step => {
                    self.context.cancel.check()?;
                    let step = steps.next().expect("invariant `steps fill slots in their order`");
                    self.step(id, &slots, step, slot.ty).map_err(|failure| located(failure, step))?
                }
            };
            slots.push(datum);
        }
        Ok(slots.swap_remove(block.result.index()))
    }

    fn step(&self, block: BlockId, slots: &[Datum], step: &Step, ty: TyId) -> Result<Datum, Failure> {
        match &step.kind {
            StepKind::Relation(root) => self.relations.rows(block, slots, *root).map(Datum::Table),
            StepKind::Apply(apply) => self.apply(slots, apply),
            StepKind::Call { block: called, arguments } => self.call(*called, &data(slots, arguments)),
            StepKind::CallValue { function, arguments } => match datum(slots, *function) {
                Datum::Function(function) => self.call(self.block_of(function)?, &data(slots, arguments)),
                _ => Err(Failure::Bug("invariant `values have their node's type`: only a function is called".into())),
            },
            StepKind::Function { function, .. } => Ok(Datum::Function(*function)),
            StepKind::Source(name) => self.relations.source(name, ty),
            StepKind::Provide { name, rows } => {
                self.provide(block, slots, name, *rows, ty)?;
                Ok(Datum::Token)
            }
        }
    }

    fn apply(&self, slots: &[Datum], apply: &Apply) -> Result<Datum, Failure> {
        let graph = &self.plan.graph;
        let (types, id) = (graph.types(), apply.node);
        let (op, ty) = (graph.op(id), graph.ty_id(id));
        let parts = op.def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        let given = data(slots, &apply.arguments);
        match op {
            Op::Core(Core::Token) => Ok(Datum::Token),
            Op::Core(Core::Host) => self.interpret(id, &given),
            Op::Core(_) => Ok(records::apply(graph, id, &given)),
            Op::Relation(RelationOp::Rows) => Ok(Datum::Value(Value::Int(relation(&given[0])?.rows() as i128))),
            Op::Relation(RelationOp::Columns) => {
                let relation = relation(&given[0])?;
                let whole = concat_batches(&relation.schema, relation.batches.iter()).map_err(|e| Failure::Bug(e.to_string()))?;
                Ok(Datum::Parts(whole.columns().iter().map(|c| Datum::Array(NdArray::flat(c.clone()))).collect()))
            }
            Op::Number(_) | Op::Logic(_) | Op::Text(_) | Op::Temporal(_) | Op::Nested(_) if types.is_value(ty) => {
                let args: Vec<Value> = given.iter().zip(graph.args(id)).map(|(d, &a)| d.to_value(types, graph.ty_id(a))).collect();
                let arg_types: Vec<TyId> = graph.args(id).iter().map(|&a| graph.ty_id(a)).collect();
                let call = Call::plain(types, graph.node(id).attrs(), &args, &arg_types, ty);
                Ok(Datum::Value(oracle::apply(op, &call)?))
            }
            Op::Array(_) | Op::Reduce(_) | Op::Sequence(_) | Op::Control(_) => {
                let own = if parts.bodies.is_empty() { given.len() } else { parts.fixed.len() };
                let made = array::apply(graph, id, &given[..own], parts.bodies, &given[own..], self)?;
                if let Datum::Array(array) = &made {
                    self.count(array.items.len() as u64)?;
                }
                Ok(made)
            }
            _ => self.interpret(id, &given),
        }
    }

    /// A node on the oracle, from plain values.
    fn interpret(&self, id: NodeId, given: &[Datum]) -> Result<Datum, Failure> {
        let graph = &self.plan.graph;
        let types = graph.types();
        let parts = graph.op(id).def().parts(graph.args(id)).expect("a node has the arguments its op takes");
        let mut given = given.iter();
        let mut value = |&arg: &NodeId| match parts.bodies.contains(&arg) {
            true => Datum::Function(arg).to_value(types, graph.ty_id(arg)),
            false => given.next().expect("an argument that is no body is given").to_value(types, graph.ty_id(arg)),
        };
        let args: Vec<Value> = graph.args(id).iter().map(&mut value).collect();
        let host = |name: &str, args: &[Value]| self.context.host.value(name, args);
        let value = self.context.oracle(graph, &host).apply(id, &args)?;
        Ok(Datum::from_value(types, graph.ty_id(id), &value))
    }

    /// Gives bodies on the oracle the columns of a source that they do not have yet: another step may have asked for others.
    fn provide(&self, block: BlockId, slots: &[Datum], name: &str, rows: Option<PlanId>, ty: TyId) -> Result<(), Failure> {
        let (context, types) = (self.context, self.plan.graph.types());
        let known = context.plain_source(name);
        let (Some(root), Ty::Rel(fields)) = (rows, types.get(ty)) else {
            if known.is_none() {
                let value = self.relations.source(name, ty)?.to_value(types, ty);
                context.keep_plain_source(name, Source { columns: Vec::new(), value });
            }
            return Ok(());
        };
        if known.as_ref().is_some_and(|known| fields.names().all(|column| known.columns.contains(column))) {
            return Ok(());
        }
        let value = self.relations.rows(block, slots, root)?.to_value(types, ty);
        let read = Source { columns: fields.names().cloned().collect(), value };
        let merged = match known {
            None => read,
            Some(known) => beside(known, &read),
        };
        context.keep_plain_source(name, merged);
        Ok(())
    }

    /// The block of a body.
    fn block_of(&self, body: NodeId) -> Result<BlockId, Failure> {
        self.plan.block_of(body).ok_or_else(|| Failure::Bug("invariant `a body that is run on its own has a block`".into()))
    }

    /// Counts steps that are about to be taken, so that a loop without end ends where a limit was asked for, and always when the run is cancelled.
    fn count(&self, steps: u64) -> Result<(), Stop> {
        self.steps.set(self.steps.get().saturating_add(steps));
        let limit = self.context.steps;
        if self.steps.get() > limit {
            return Err(Stop::OutOfSteps(limit));
        }
        self.context.cancel.check()
    }
}

impl Bodies for Runner<'_> {
    fn rows(&self, body: NodeId, own: &[Vector], captures: &[Datum], rows: usize) -> Result<Vector, Failure> {
        self.count(rows as u64 + 1)?;
        let graph = &self.plan.graph;
        let program = self.programs.borrow().get(&body).cloned();
        let program = program.unwrap_or_else(|| {
            let program = BoundProgram::new(self.plan.programs().of_function(body), self.context);
            self.programs.borrow_mut().insert(body, program.clone());
            program
        });
        let tys = &graph.params_of(body)[own.len()..];
        let captures = captures.iter().zip(tys).map(|(datum, &ty)| Vector::Constant(datum.to_value(graph.types(), ty)));
        Ok(program.run(&own.iter().cloned().chain(captures).collect::<Vec<_>>(), &Selection::All(rows))?)
    }

    fn once(&self, body: NodeId, own: &[Datum], captures: &[Datum]) -> Result<Datum, Failure> {
        let arguments: Vec<Datum> = own.iter().chain(captures).cloned().collect();
        self.call(self.block_of(body)?, &arguments)
    }

    fn program(&self, given: &[NodeId], roots: &[NodeId]) -> Option<BoundProgram> {
        Some(BoundProgram::new(self.plan.programs().of_nodes(given, roots), self.context))
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(self.count(1)?)
    }

    fn spend(&self, steps: u64) -> Result<(), Failure> {
        Ok(self.count(steps)?)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

fn datum(slots: &[Datum], slot: SlotId) -> Datum {
    slots[slot.index()].clone()
}

fn data(slots: &[Datum], wanted: &[SlotId]) -> Vec<Datum> {
    wanted.iter().map(|&slot| datum(slots, slot)).collect()
}

fn relation(datum: &Datum) -> Result<&Relation, Failure> {
    match datum {
        Datum::Table(relation) => Ok(relation),
        other => Err(Failure::Bug(format!("invariant `values have their node's type`: expected a relation, found {other:?}"))),
    }
}

/// A failure of a step, where it does not say already of which node.
fn located(failure: Failure, step: &Step) -> Failure {
    let own = if let StepKind::Apply(apply) = &step.kind { Some(apply.node) } else { None };
    match step.origin.or(own) {
        Some(node) => failure.at(node),
        None => failure,
    }
}

/// A table with those columns of another that it lacks. Both are of one source, so they have the same rows.
fn beside(known: Source, read: &Source) -> Source {
    let new: Vec<usize> = (0..read.columns.len()).filter(|&at| !known.columns.contains(&read.columns[at])).collect();
    let (Value::Rel(left), Value::Rel(right)) = (&known.value, &read.value) else {
        panic!("invariant `values have their node's type`: a relation")
    };
    let rows =
        left.rows.iter().zip(&right.rows).map(|(left, right)| left.iter().chain(new.iter().map(|&at| &right[at])).cloned().collect());
    let rows = rows.collect();
    let columns: Vec<_> = known.columns.iter().chain(new.iter().map(|&at| &read.columns[at])).cloned().collect();
    Source { value: Value::rel(columns.len(), rows), columns }
}
