//! A body over all groups at once: maps run over all rows, reductions run by run, and what is computed of reductions over a vector with one row for each group.

use super::group_value::{GroupValue, spread};
use super::in_place;
use super::layout::{Layout, runs};
use super::onward::Onward;
use super::sequences::{self, joined};
use super::{GroupBody, GroupColumns};
use crate::blocks::{Executable, Runner};
use airloom_compute::body::{BoundProgram, Program, slice};
use airloom_compute::data::{Datum, Failure, RunContext, Selection, Vector, parallel_map};
use airloom_compute::reduce::ReductionSpec;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::array::Array as ArrayOp;
use airloom_ir::ops::core::Core;
use airloom_ir::types::{Fields, Ty, TyId};
use airloom_ir::value::Value;
use airloom_plan::bodies::interpretable;
use arrow::array::{ArrayRef, Int64Array, UInt32Array};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// How many rows a body runs over at once: what they need stays in the cache.
const CHUNK: usize = 16_384;

/// What the body makes of all parts; nothing where it does something with arrays that only one part at a time can do.
pub(super) fn run(
    body: &GroupBody,
    runner: &Runner<'_>,
    columns: &GroupColumns,
    layout: Layout<'_>,
    onward: Option<&RefCell<Onward>>,
) -> Result<Option<GroupValue>, Failure> {
    let graph = &body.plan.graph;
    let result = graph.result_of(body.body);
    // Effects happen part by part. Where there are no parts nothing happens, and in one there is nothing to do at once.
    if graph.effect(result) == Effect::Effectful || layout.parts() == 0 {
        return Ok(None);
    }
    let mut batched = Batched {
        plan: &body.plan,
        graph: &body.plan.graph,
        context: &body.context,
        runner,
        layout,
        onward,
        known: HashMap::new(),
        parts: OnceCell::new(),
    };
    for id in graph.block_order(&[result]) {
        body.context.cancel.check()?;
        let known = match graph.as_param(id) {
            Some(param) if param.number == 0 => {
                let column =
                    |column: &Option<ArrayRef>| column.clone().map_or(GroupValue::Same(Datum::Value(Value::Null)), GroupValue::Rows);
                Some(GroupValue::Record(columns.iter().map(column).collect()))
            }
            Some(param) => Some(GroupValue::Same(body.captures[param.number as usize - 1].clone())),
            None => batched.node(id)?,
        };
        let Some(known) = known else { return Ok(None) };
        batched.known.insert(id, known);
    }
    Ok(batched.known.remove(&result))
}

/// The columns of a struct of arrays.
pub(super) fn into_columns(made: GroupValue) -> Option<Vec<ArrayRef>> {
    let GroupValue::Record(fields) = made else { return None };
    fields.into_iter().map(|field| if let GroupValue::Rows(items) = field { Some(items) } else { None }).collect()
}

/// A value for each part.
pub(super) fn into_lane(body: &GroupBody, made: GroupValue) -> Option<Vector> {
    let graph = &body.plan.graph;
    made.vector(graph.types(), graph.ty_id(graph.result_of(body.body)))
}

/// The nodes of a body, as far as they are known.
pub(super) struct Batched<'a> {
    plan: &'a Executable,
    pub(super) graph: &'a Arc<Graph>,
    pub(super) context: &'a Arc<RunContext>,
    pub(super) runner: &'a Runner<'a>,
    pub(super) layout: Layout<'a>,
    /// What is left of the pieces before, where the one part that there is comes in pieces.
    onward: Option<&'a RefCell<Onward>>,
    known: HashMap<NodeId, GroupValue>,
    parts: OnceCell<UInt32Array>,
}

impl Batched<'_> {
    fn node(&self, id: NodeId) -> Result<Option<GroupValue>, Failure> {
        let graph = self.graph;
        let args = graph.args(id);
        Ok(match graph.op(id) {
            Op::Core(Core::Lambda) => Some(GroupValue::Same(Datum::Function(id))),
            Op::Core(Core::Const) => {
                let value = graph.const_value(id).expect("it is one");
                Some(GroupValue::Same(Datum::from_value(graph.types(), graph.ty_id(id), value)))
            }
            Op::Core(Core::Tuple | Core::Row) => Some(GroupValue::Record(args.iter().map(|arg| self.known[arg].clone()).collect())),
            Op::Core(Core::Item | Core::Get | Core::With | Core::Pick | Core::Without) => match self.record(id) {
                Some(known) => Some(known),
                None => self.value(id)?,
            },
            Op::Array(ArrayOp::Map) => self.map(id)?,
            Op::Array(ArrayOp::Dim) if matches!(self.known[&args[0]], GroupValue::Rows(_)) => {
                let lengths = Int64Array::from(self.layout.lengths());
                Some(GroupValue::Each(Vector::Flat(Arc::new(lengths))))
            }
            Op::Reduce(_) => self.reduce(id),
            Op::Sequence(op) => match (self.onward, self.layout) {
                (Some(left), _) => left.borrow_mut().sequence(self, id)?.map(GroupValue::Rows),
                (None, Layout::Together(ends)) => sequences::sequence(self, id, op, ends)?.map(GroupValue::Rows),
                (None, Layout::InPlace(groups)) => in_place::sequence(self, id, groups).map(GroupValue::Rows),
            },
            _ => self.value(id)?,
        })
    }

    /// The part of each row.
    fn parts(&self) -> &UInt32Array {
        self.parts.get_or_init(|| self.layout.of_rows())
    }

    pub(super) fn known(&self, id: NodeId) -> &GroupValue {
        &self.known[&id]
    }

    /// Records that hold arrays, taken apart and put batched.
    fn record(&self, id: NodeId) -> Option<GroupValue> {
        let graph = self.graph;
        let args = graph.args(id);
        let fields = |id: NodeId| -> Option<&Fields> {
            match graph.types().get(graph.ty_id(id)) {
                Ty::Struct(fields) => Some(fields),
                _ => None,
            }
        };
        let GroupValue::Record(parts) = &self.known[&args[0]] else { return None };
        match graph.op(id) {
            Op::Core(Core::Item) => parts.get(graph.as_item(id)?.number as usize).cloned(),
            Op::Core(Core::Get) => Some(parts[fields(args[0])?.position(&graph.as_get(id)?.field)?].clone()),
            _ => {
                let (base, changes) = (fields(args[0])?, args.get(1).copied());
                let pick = |name: &airloom_ir::name::Name| -> Option<GroupValue> {
                    match changes.and_then(|changes| Some((changes, fields(changes)?.position(name)?))) {
                        Some((changes, at)) => match &self.known[&changes] {
                            GroupValue::Record(parts) => Some(parts[at].clone()),
                            _ => None,
                        },
                        None => Some(parts[base.position(name)?].clone()),
                    }
                };
                Some(GroupValue::Record(fields(id)?.names().map(pick).collect::<Option<_>>()?))
            }
        }
    }

    fn bound(&self, program: Arc<Program>) -> BoundProgram {
        BoundProgram::new(program, self.context)
    }

    /// A node that is a single value for each part.
    fn value(&self, id: NodeId) -> Result<Option<GroupValue>, Failure> {
        let graph = self.graph;
        let (types, ty) = (graph.types(), graph.ty_id(id));
        let mut given: Vec<NodeId> = graph.args(id).iter().copied().filter(|&arg| graph.op(arg) != Op::Core(Core::Lambda)).collect();
        given.sort_unstable();
        given.dedup();
        let vectors: Option<Vec<Vector>> = given.iter().map(|&arg| self.known[&arg].vector(types, graph.ty_id(arg))).collect();
        let Some(vectors) = vectors.filter(|_| interpretable(graph, &given, &[id])) else { return Ok(None) };
        let program = self.bound(self.plan.programs().of_nodes(&given, &[id]));
        if given.iter().all(|arg| self.known[arg].is_same()) {
            let value = program.run(&vectors, &Selection::All(1))?.value(types, ty, 0);
            return Ok(Some(GroupValue::Same(Datum::from_value(types, ty, &value))));
        }
        Ok(Some(GroupValue::Each(program.run(&vectors, &Selection::All(self.layout.parts()))?)))
    }

    /// A body over the elements of all parts.
    fn map(&self, id: NodeId) -> Result<Option<GroupValue>, Failure> {
        let graph = self.graph;
        let types = graph.types();
        let map = graph.as_arr_map(id).expect("it is one");
        let GroupValue::Record(arrays) = &self.known[&map.arrays] else { return Ok(None) };
        let mut vectors: Vec<Vector> = Vec::with_capacity(arrays.len() + map.captures.len());
        for array in arrays {
            let GroupValue::Rows(items) = array else { return Ok(None) };
            vectors.push(Vector::Flat(items.clone()));
        }
        for &capture in map.captures.iter() {
            let Some(vector) = self.known[&capture].vector(types, graph.ty_id(capture)) else { return Ok(None) };
            vectors.push(if self.known[&capture].is_same() { vector } else { spread(&vector, self.parts()) });
        }
        let program = self.bound(self.plan.programs().of_function(map.element));
        let element = graph.ty_id(graph.result_of(map.element));
        let (rows, threads) = (self.layout.rows(), self.layout.threads());
        let cancel = &self.context.cancel;
        let chunk = |(): &mut (), number: usize| {
            cancel.check()?;
            let from = number * CHUNK;
            let count = CHUNK.min(rows - from);
            let given: Vec<Vector> = vectors.iter().map(|vector| slice(vector, from, count)).collect();
            Ok::<_, Failure>(program.run(&given, &Selection::All(count))?.to_array(types, element, count))
        };
        let chunks = parallel_map(threads, rows.div_ceil(CHUNK), || (), chunk)?;
        Ok(Some(GroupValue::Rows(joined(threads, types, element, &chunks))))
    }

    fn reduce(&self, id: NodeId) -> Option<GroupValue> {
        let graph = self.graph;
        let (types, args) = (graph.types(), graph.args(id));
        let GroupValue::Rows(items) = &self.known[&args[0]] else { return None };
        let same = |arg: &NodeId| match &self.known[arg] {
            GroupValue::Same(Datum::Value(value)) => Some(value.clone()),
            _ => None,
        };
        let rest = args[1..].iter().map(same).collect::<Option<Vec<Value>>>()?;
        let element: TyId = match types.get(graph.ty_id(args[0])) {
            Ty::Arr(element, _) if !matches!(graph.ty(id), Ty::Arr(..)) => *element,
            _ => return None,
        };
        let spec = ReductionSpec::of_node(graph, id, element, rest)?;
        let reduced = match self.layout {
            Layout::Together(ends) => spec.reduce_runs(graph, items, &runs(ends).collect::<Vec<_>>(), 1)?,
            Layout::InPlace(groups) => spec.reduce_groups(graph, items, groups.of_rows, groups.count)?,
        };
        Some(GroupValue::Each(Vector::Flat(reduced)))
    }
}
