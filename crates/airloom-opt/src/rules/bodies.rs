//! What rules share when they take bodies apart and put them together.

use crate::context::Cx;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, Graph, NodeId, TypeError};
use airloom_ir::name::Name;
use airloom_ir::ops::Op;
use airloom_ir::ops::core::{BuildCore, Core, view::Row};
use airloom_ir::ops::logic::{BuildLogic, Logic};
use airloom_ir::ops::relation::BuildRelation;
use airloom_ir::types::{Fields, Ty, TyId, Types};
use airloom_ir::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a relation.
pub(crate) fn fields(graph: &Graph, relation: NodeId) -> Option<Fields> {
    match graph.ty(relation) {
        Ty::Rel(fields) => Some(fields.clone()),
        _ => None,
    }
}

/// The type of a relation's rows.
pub(crate) fn row_type(cx: &mut Cx<'_>, relation: NodeId) -> Option<TyId> {
    let fields = fields(cx, relation)?;
    cx.graph_mut().types_mut().row(fields).ok()
}

/// A slot for a row of a relation.
pub(crate) fn row_slot(cx: &mut Cx<'_>, slot: u8, relation: NodeId) -> Option<NodeId> {
    let ty = row_type(cx, relation)?;
    cx.slot(slot, ty)
}

/// Which fields of a struct an expression reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// Only these.
    Some(BTreeSet<Name>),
    /// The struct as a whole.
    All,
}

impl Read {
    /// Whether nothing outside `names` is read.
    pub(crate) fn within(&self, names: &Fields) -> bool {
        match self {
            Read::Some(read) => read.iter().all(|n| names.contains(n)),
            Read::All => false,
        }
    }

    /// Both together.
    pub(crate) fn union(self, other: Read) -> Read {
        match (self, other) {
            (Read::Some(mut a), Read::Some(b)) => {
                a.extend(b);
                Read::Some(a)
            }
            _ => Read::All,
        }
    }

    /// Nothing.
    pub(crate) fn none() -> Read {
        Read::Some(BTreeSet::new())
    }
}

/// What an expression reads of `record`, a hole or a parameter.
pub(crate) fn read(graph: &Graph, expression: NodeId, record: NodeId) -> Read {
    let mut found = BTreeSet::new();
    let mut stack = vec![expression];
    let mut seen = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if id == record {
            return Read::All;
        }
        let node = graph.node(id);
        if !(node.has_holes() || node.is_open()) || !seen.insert(id) {
            continue;
        }
        match graph.as_get(id) {
            Some(get) if get.record == record => {
                found.insert(get.field);
            }
            _ => stack.extend(node.args()),
        }
    }
    Read::Some(found)
}

/// What a body reads of its parameter of a number.
pub(crate) fn read_of_param(graph: &Graph, lambda: NodeId, number: i64) -> Read {
    let mut found = BTreeSet::new();
    let mut all = false;
    let is_it = |id: NodeId| graph.as_param(id).is_some_and(|p| p.number == number);
    if is_it(graph.result_of(lambda)) {
        return Read::All;
    }
    graph.visit_open(graph.result_of(lambda), |id| match graph.as_get(id) {
        Some(get) if is_it(get.record) => {
            found.insert(get.field);
        }
        _ => all |= graph.args(id).iter().any(|&a| is_it(a)),
    });
    if all { Read::All } else { Read::Some(found) }
}

/// An expression with every field of `record` replaced by what `field` gives for it; nothing where `field` refuses one, or the record is read as a whole.
pub(crate) fn map_fields(
    cx: &mut Cx<'_>,
    expression: NodeId,
    record: NodeId,
    field: &mut dyn FnMut(&mut Graph, &Name) -> Result<Option<NodeId>, TypeError>,
) -> Option<NodeId> {
    let mut whole = false;
    let made = cx.graph_mut().rebuild(expression, &mut |graph, id| {
        if id == record {
            whole = true;
            return Ok(Some(id));
        }
        if !graph.node(id).has_holes() {
            return Ok(Some(id));
        }
        match graph.as_get(id) {
            Some(get) if get.record == record => {
                let found = field(graph, &get.field)?;
                whole |= found.is_none();
                Ok(Some(found.unwrap_or(id)))
            }
            _ => Ok(None),
        }
    });
    made.ok().filter(|_| !whole)
}

/// An expression over one record made one over another that has the fields it reads.
pub(crate) fn retarget(cx: &mut Cx<'_>, expression: NodeId, from: NodeId, to: NodeId) -> Option<NodeId> {
    map_fields(cx, expression, from, &mut |graph, name| graph.get(to, name.clone()).map(Some))
}

/// How often each parameter is read in an expression, what is shared counted as often as it is read.
pub(crate) fn times_read(graph: &Graph, root: NodeId) -> BTreeMap<i64, u32> {
    let mut found = BTreeMap::new();
    let mut reads: BTreeMap<NodeId, u32> = BTreeMap::from([(root, 1)]);
    for id in graph.block_order(&[root]).into_iter().rev() {
        let times = reads.get(&id).copied().unwrap_or(0);
        if let Some(param) = graph.as_param(id) {
            found.insert(param.number, times);
        }
        if graph.op(id) == Op::Core(Core::Lambda) {
            continue;
        }
        for arg in graph.args(id) {
            let read = reads.entry(*arg).or_default();
            *read = read.saturating_add(times);
        }
    }
    found
}

/// The conjuncts of an opened predicate, from left to right. What does not mention the row is captured as a whole, and is one conjunct, whatever it is made of.
pub(crate) fn conjuncts(graph: &Graph, predicate: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut stack = vec![predicate];
    while let Some(id) = stack.pop() {
        match graph.as_and(id) {
            Some(and) if graph.node(id).has_holes() => stack.extend([and.right, and.left]),
            _ if graph.const_value(id) == Some(&Value::Bool(true)) => (),
            _ => found.push(id),
        }
    }
    found
}

/// All of these; of none, true.
pub(crate) fn all_of(cx: &mut Cx<'_>, predicates: &[NodeId]) -> Option<NodeId> {
    match predicates.split_first() {
        None => Some(cx.graph_mut().truth(true)),
        Some((&first, rest)) => rest.iter().try_fold(first, |all, &one| cx.and(all, one)),
    }
}

/// `input` filtered by predicates over `row`; where there are none, `input`.
pub(crate) fn filtered(cx: &mut Cx<'_>, input: NodeId, row: NodeId, predicates: &[NodeId]) -> Option<NodeId> {
    if predicates.is_empty() {
        return Some(input);
    }
    let predicate = all_of(cx, predicates)?;
    let (body, captures) = cx.close(&[row], predicate)?;
    cx.filter(input, body, &captures)
}

/// The fields of a struct, with what they are: those of a row as they stand there, those of any other struct read from it.
pub(crate) fn written_out(cx: &mut Cx<'_>, record: NodeId) -> Option<Row> {
    if let Some(row) = cx.as_row(record) {
        return Some(row);
    }
    let Ty::Struct(fields) = cx.ty(record) else { return None };
    let names: Vec<Name> = fields.names().cloned().collect();
    let values: Option<Args> = names.iter().map(|name| cx.get(record, name.clone())).collect();
    Some(Row { values: values?, names: names.into() })
}

/// The row of these fields of `record`.
pub(crate) fn picked(cx: &mut Cx<'_>, record: NodeId, names: &[Name]) -> Option<NodeId> {
    let values: Option<Vec<NodeId>> = names.iter().map(|n| cx.get(record, n.clone())).collect();
    cx.row(&values?, names.into())
}

/// `input` with only these columns, in this order.
pub(crate) fn projected(cx: &mut Cx<'_>, input: NodeId, names: &[Name]) -> Option<NodeId> {
    let row = row_slot(cx, 7, input)?;
    let result = picked(cx, row, names)?;
    let (body, captures) = cx.close(&[row], result)?;
    cx.project(input, body, &captures)
}

/// Whether a body always gives `true`.
pub(crate) fn always_true(graph: &Graph, lambda: NodeId) -> bool {
    graph.const_value(graph.result_of(lambda)) == Some(&Value::Bool(true))
}

/// Whether neither the bodies of a node nor what they capture may raise: it can be left out, if its inputs are not.
pub(crate) fn pure_bodies(graph: &Graph, node: NodeId) -> bool {
    let parts = graph.op(node).def().parts(graph.args(node));
    parts.is_some_and(|parts| parts.bodies.iter().chain(parts.tail).all(|&id| graph.effect(id) == Effect::Pure))
}

/// Whether a projection gives every row as it is.
pub(crate) fn changes_nothing(graph: &Graph, project: NodeId) -> bool {
    let Some(view) = graph.as_project(project) else { return false };
    let is_row = |id: NodeId| graph.as_param(id).is_some_and(|p| p.number == 0);
    let is_column = |(name, &value): (&Name, &NodeId)| graph.as_get(value).is_some_and(|get| get.field == *name && is_row(get.record));
    let result = graph.result_of(view.row);
    let same = is_row(result) || graph.as_row(result).is_some_and(|row| row.names.iter().zip(&row.values).all(is_column));
    same && graph.ty_id(project) == graph.ty_id(view.input) && pure_bodies(graph, project)
}

/// Whether an expression may differ for values of `record`'s fields that are `same`: zeros of both signs are one key, but can be told apart, by division for one.
pub(crate) fn tells_zeros_apart(graph: &Graph, expression: NodeId, record: NodeId) -> bool {
    let mut stack = vec![expression];
    let mut seen = BTreeSet::new();
    while let Some(id) = stack.pop() {
        let node = graph.node(id);
        if !(node.has_holes() || node.is_open()) || !seen.insert(id) {
            continue;
        }
        let is_field = |id: NodeId| graph.as_get(id).is_some_and(|get| get.record == record);
        if id == record || is_field(id) {
            if holds_floats(graph.types(), node.ty()) {
                return true;
            }
            continue;
        }
        // Zeros compare equal.
        let compares = matches!(node.op(), Op::Logic(op) if op <= Logic::Same || matches!(op, Logic::IsNull | Logic::IsIn | Logic::Hash));
        stack.extend(node.args().iter().filter(|&&a| !(compares && is_field(a))));
    }
    false
}

/// Whether values of a type are floats or have floats in them. Types nest at most so deep, so this may recurse.
pub(crate) fn holds_floats(types: &Types, ty: TyId) -> bool {
    match types.get(ty) {
        Ty::F32 | Ty::F64 => true,
        Ty::Option(inner) | Ty::Dict(inner) | Ty::List(inner) => holds_floats(types, *inner),
        Ty::Struct(fields) => fields.iter().any(|f| holds_floats(types, f.ty)),
        _ => false,
    }
}

/// How many fields a body's struct has.
pub(crate) fn key_count(graph: &Graph, lambda: NodeId) -> usize {
    match graph.ty(graph.result_of(lambda)) {
        Ty::Struct(fields) => fields.len(),
        _ => 0,
    }
}
