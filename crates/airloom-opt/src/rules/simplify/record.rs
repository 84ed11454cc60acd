//! Rows and tuples taken apart where they are put together.

use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::types::{Fields, Ty};
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// All fields in their order are the struct.
        "pick-everything": "pick(?r)" => "?r";
        /// A struct without nothing is the struct.
        "without-nothing": "without(?r)" => "?r";
        /// A row with nothing put in is the row.
        "with-nothing": "with(?r, row())" => "?r";
    } };
    all.extend([get_of_row(), get_of_changed(), get_of_constant(), row_of_gets(), item_of_tuple(), tuple_of_items()].map(Ok));
    all
}

/// Whether nothing is lost but values where only `kept` of these stays.
fn only(graph: &Graph, parts: &[NodeId], kept: NodeId) -> bool {
    parts.iter().all(|&part| part == kept || graph.effect(part) == Effect::Pure)
}

fn get_of_row() -> Rule {
    rule! {
        /// A field of a row that is written out is what was written there.
        ///
        ///     {a: x, b: y}.a   →   x
        ///
        /// Not where another field may raise: it still has to.
        Simplify "get-of-row" at [Core::Get] |cx, node| {
            let get = cx.as_get(node)?;
            let row = cx.as_row(get.record)?;
            let value = row.values[row.names.iter().position(|n| *n == get.field)?];
            only(cx, &row.values, value).then_some(value)
        }
    }
}

fn fields(graph: &Graph, record: NodeId) -> Option<&Fields> {
    match graph.types().get(graph.types().strip(graph.ty_id(record))) {
        Ty::Struct(fields) => Some(fields),
        _ => None,
    }
}

fn get_of_changed() -> Rule {
    rule! {
        /// A field of a struct that others were put into, picked from or left out of is a field of what it came from.
        ///
        ///     with(r, {b: x}).a   →   r.a
        ///     pick{names: ["a"]}(r).a   →   r.a
        Simplify "get-of-changed" at [Core::Get] |cx, node| {
            let get = cx.as_get(node)?;
            let from = if let Some(with) = cx.as_with(get.record) {
                let from = if fields(cx, with.changes)?.contains(&get.field) { with.changes } else { with.base };
                Some(from).filter(|&from| only(cx, &[with.base, with.changes], from))?
            } else if let Some(pick) = cx.as_pick(get.record) {
                pick.record
            } else {
                cx.as_without(get.record)?.record
            };
            cx.get(from, get.field)
        }
    }
}

fn get_of_constant() -> Rule {
    rule! {
        /// A field of a constant is a constant.
        ///
        ///     ({a: 1}: {a: i64}).a   →   1
        Simplify "get-of-constant" at [Core::Get] |cx, node| {
            let get = cx.as_get(node)?;
            let value = match cx.const_value(get.record)? {
                Value::Struct(values) => values[fields(cx, get.record)?.position(&get.field)?].clone(),
                _ => Value::Null,
            };
            let ty = cx.ty_id(node);
            cx.constant(value, ty)
        }
    }
}

fn row_of_gets() -> Rule {
    rule! {
        /// A row of all fields of a struct, in their order, is the struct.
        ///
        ///     {a: r.a, b: r.b}   →   r
        Simplify "row-of-gets" at [Core::Row] |cx, node| {
            let row = cx.as_row(node)?;
            let record = cx.as_get(*row.values.first()?)?.record;
            let is_field = |(name, &value): (&Name, &NodeId)| cx.as_get(value).is_some_and(|get| get.record == record && get.field == *name);
            let all = row.names.iter().zip(row.values.iter()).all(is_field);
            // The types differ where there are more fields, or in another order, or where the struct may be null.
            (all && cx.ty_id(record) == cx.ty_id(node)).then_some(record)
        }
    }
}

fn item_of_tuple() -> Rule {
    rule! {
        /// A part of a tuple that is written out is what was written there.
        ///
        ///     (x, y).0   →   x
        Simplify "item-of-tuple" at [Core::Item] |cx, node| {
            let item = cx.as_item(node)?;
            let tuple = cx.as_tuple(item.tuple)?;
            let value = *tuple.parts.get(usize::try_from(item.number).ok()?)?;
            only(cx, &tuple.parts, value).then_some(value)
        }
    }
}

fn tuple_of_items() -> Rule {
    rule! {
        /// A tuple of all parts of a tuple, in their order, is that tuple.
        ///
        ///     (t.0, t.1)   →   t
        Simplify "tuple-of-items" at [Core::Tuple] |cx, node| {
            let parts = cx.as_tuple(node)?.parts;
            let tuple = cx.as_item(*parts.first()?)?.tuple;
            let is_part = |(at, &part): (usize, &NodeId)| cx.as_item(part).is_some_and(|item| item.tuple == tuple && item.number == at as i64);
            let all = parts.iter().enumerate().all(is_part);
            (all && cx.ty_id(tuple) == cx.ty_id(node)).then_some(tuple)
        }
    }
}
