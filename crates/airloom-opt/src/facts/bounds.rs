//! How large numbers can be, and that what could overflow by its type cannot by its values.

use super::columns::{ColumnFacts, RelFacts};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::number::Number;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::ops::{Given, Op};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use std::collections::BTreeMap;

/// Whether a body over the columns of a group can raise nothing, given what is known of the rows that are grouped. What its types leave open, bounds decide: the half
/// of a sum of six million numbers of fifteen digits has no more than 22.
pub fn aggregates_cannot_raise(graph: &Graph, aggregates: NodeId, rows: &RelFacts) -> bool {
    if graph.effect(aggregates) == Effect::Pure {
        return true;
    }
    let mut bounds: BTreeMap<NodeId, Option<u128>> = BTreeMap::new();
    for id in graph.block_order(&[graph.result_of(aggregates)]) {
        let args: Vec<TyId> = graph.args(id).iter().map(|&arg| graph.ty_id(arg)).collect();
        let given = Given { attrs: graph.node(id).attrs(), types: graph.types(), args: &args };
        let own = graph.op(id).def().effect_of(&given);
        let of_bodies = graph.args(id).iter().filter(|&&arg| graph.op(arg) == Op::Core(Core::Lambda)).map(|&body| graph.effect(body)).max();
        if of_bodies.is_some_and(|effect| effect != Effect::Pure) {
            return false;
        }
        let bound = bound(graph, id, rows, &bounds);
        let fits = bound.zip(room(graph, graph.ty_id(id))).is_some_and(|(bound, room)| bound <= room);
        if own != Effect::Pure && !(own == Effect::Raises && raises_by_overflow(graph.op(id)) && fits) {
            return false;
        }
        // What does not fit its type has wrapped, and does.
        bounds.insert(id, if fits { bound } else { magnitude(graph, graph.ty_id(id)) });
    }
    true
}

/// Whether all that an op raises is that its result does not fit its type.
fn raises_by_overflow(op: Op) -> bool {
    matches!(op, Op::Number(Number::Add | Number::Sub | Number::Mul | Number::Neg | Number::Abs) | Op::Reduce(Reduce::Sum))
}

/// What the magnitude of a number, or of the elements of an array, is at most. Of decimals the digits count, without the point.
fn bound(graph: &Graph, id: NodeId, rows: &RelFacts, known: &BTreeMap<NodeId, Option<u128>>) -> Option<u128> {
    let of = |at: usize| known.get(graph.args(id).get(at)?).copied().flatten();
    match graph.op(id) {
        Op::Number(Number::Add | Number::Sub) => of(0)?.checked_add(of(1)?),
        Op::Number(Number::Mul) => of(0)?.checked_mul(of(1)?),
        Op::Number(Number::Neg | Number::Abs) => of(0),
        // Only a column of the group is known to have no more elements than there are rows.
        Op::Reduce(Reduce::Sum) if column(graph, *graph.args(id).first()?).is_some() => of(0)?.checked_mul(most_rows(rows)?),
        Op::Reduce(Reduce::Sum) => None,
        Op::Reduce(Reduce::Min | Reduce::Max) => of(0),
        _ => match (graph.const_value(id), column(graph, id).and_then(|name| rows.columns.get(&name))) {
            (Some(Value::Int(value)), _) => Some(value.unsigned_abs()),
            (_, Some(ColumnFacts { min: Some(Value::Int(min)), max: Some(Value::Int(max)), .. })) => {
                Some(min.unsigned_abs().max(max.unsigned_abs()))
            }
            _ => magnitude(graph, graph.ty_id(id)),
        },
    }
}

/// The column of the group that a value is.
fn column(graph: &Graph, id: NodeId) -> Option<Name> {
    let get = graph.as_get(id)?;
    graph.as_param(get.record).is_some_and(|param| param.number == 0).then_some(get.field)
}

/// A plan is kept for as many rows as have the same power of two.
fn most_rows(rows: &RelFacts) -> Option<u128> {
    rows.rows.most.map(|most| (u128::from(most) + 1).next_power_of_two())
}

/// The largest magnitude that a number of a type has, or the elements of an array of it.
fn magnitude(graph: &Graph, ty: TyId) -> Option<u128> {
    match element(graph, ty) {
        Ty::Int(int) => Some(int.lowest().unsigned_abs().max(int.highest().unsigned_abs())),
        _ => room(graph, ty),
    }
}

/// The magnitude up to which every number fits a type, or the elements of an array of it.
fn room(graph: &Graph, ty: TyId) -> Option<u128> {
    match element(graph, ty) {
        Ty::Decimal { precision, .. } => Some(10u128.pow(u32::from(*precision)) - 1),
        Ty::Int(int) => Some(int.highest().unsigned_abs()),
        _ => None,
    }
}

fn element(graph: &Graph, ty: TyId) -> &Ty {
    match graph.types().plain(ty) {
        Ty::Arr(element, _) => graph.types().plain(*element),
        plain => plain,
    }
}
