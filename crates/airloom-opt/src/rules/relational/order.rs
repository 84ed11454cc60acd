//! Order that nobody looks at.

use crate::context::Cx;
use crate::facts::row_columns;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{holds_floats, key_count, pure_bodies};
use crate::stage::order_given_up;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::array::Array;
use airloom_ir::ops::core::Core;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::{Ty, TyId, Types};
use std::collections::BTreeSet;

pub(super) fn rules() -> Vec<Rule> {
    vec![sort_ignores_order(), group_ignores_order(), rows_ignore_order(), test_ignores_order()]
}

/// Whether a relation is one whose order was already given up, or that a rule could give up no more of.
fn worth_unordering(cx: &Cx<'_>, input: NodeId) -> bool {
    // Only above something whose order costs: a join, a sort, a group or a concatenation. Elsewhere the mark would stand about for nothing.
    let mut at = input;
    for _ in 0..64 {
        at = match cx.op(at) {
            Op::Relation(Relation::Project | Relation::Filter) => cx.args(at)[0],
            Op::Relation(Relation::Join | Relation::Sort | Relation::Group) => return true,
            _ => return false,
        };
    }
    false
}

fn sort_ignores_order() -> Rule {
    rule! {
        /// A sort by keys in which no two rows agree puts the rows in the same order, whatever order they had.
        ///
        ///     rel.sort(t) |r| {id: r.id}   →   rel.sort(rel.unordered(t)) |r| {id: r.id}
        ///
        /// The same holds for a selection of the first rows by such keys.
        Relational "sort-ignores-order" at [Relation::Sort, Relation::Top] |cx, node| {
            let (input, keys) = match (cx.as_sort(node), cx.as_top(node)) {
                (Some(sort), _) => (sort.input, sort.keys),
                (_, Some(top)) => (top.input, top.keys),
                _ => return None,
            };
            if cx.as_unordered(input).is_some() || !worth_unordering(cx, input) {
                return None;
            }
            let columns = columns_read_alone(cx, keys);
            let (facts, graph) = cx.facts();
            if !facts.relation(graph, input).is_unique(&columns) || order_given_up(cx, input) {
                return None;
            }
            let unordered = cx.unordered(input)?;
            match (cx.as_sort(node), cx.as_top(node)) {
                (Some(sort), _) => cx.sort(unordered, sort.keys, &sort.captures, sort.by),
                (_, Some(top)) => cx.top(unordered, top.count, top.keys, &top.captures, top.by),
                _ => None,
            }
        }
    }
}

/// The columns that stand among a body's keys as they are.
fn columns_read_alone(cx: &Cx<'_>, keys: NodeId) -> BTreeSet<airloom_ir::name::Name> {
    row_columns(cx, keys).into_values().collect()
}

/// Whether the aggregates of a group are the same in whatever order its rows come, to the bit.
pub(crate) fn order_free_group(graph: &Graph, id: NodeId) -> bool {
    // Of zeros of both signs, which are one key, the first is given.
    let keys_are_free = |keys: NodeId| !holds_floats(graph.types(), graph.ty_id(graph.result_of(keys)));
    graph.as_group(id).is_some_and(|group| keys_are_free(group.keys) && order_free(graph, group.aggregates))
}

/// Whether a body over the columns of a group gives the same in whatever order the rows come, to the bit: sums of floats do not.
fn order_free(graph: &Graph, lambda: NodeId) -> bool {
    let mut free = true;
    graph.visit_open(graph.result_of(lambda), |id| free &= one_is_order_free(graph, id));
    free
}

fn one_is_order_free(graph: &Graph, id: NodeId) -> bool {
    let exact = |array: NodeId| match graph.ty(array) {
        Ty::Arr(element, _) => !matches!(graph.types().plain(*element), Ty::F32 | Ty::F64),
        _ => false,
    };
    let has_arrays = |id: NodeId| holds_arrays(graph.types(), graph.ty_id(id));
    match graph.op(id) {
        Op::Reduce(Reduce::Count | Reduce::CountDistinct | Reduce::Any | Reduce::All) => true,
        Op::Reduce(Reduce::Sum | Reduce::Product | Reduce::Min | Reduce::Max) => exact(graph.args(id)[0]),
        // The mean of integers is summed in floats; that of decimals is exact until its one division.
        Op::Reduce(Reduce::Mean) => match graph.ty(graph.args(id)[0]) {
            Ty::Arr(element, _) => matches!(graph.types().plain(*element), Ty::Decimal { .. }),
            _ => false,
        },
        Op::Reduce(Reduce::Median | Reduce::Quantile) => exact(graph.args(id)[0]),
        Op::Reduce(_) | Op::Sequence(_) | Op::Control(_) => false,
        // Element by element, the result moves with the rows: if all it goes through does, and it sees no array as a whole. Anything else may look at places.
        Op::Array(Array::Map) => graph.as_arr_map(id).is_some_and(|map| {
            let of_rows = graph.as_tuple(map.arrays).is_some_and(|arrays| arrays.parts.iter().all(|&a| graph.node(a).is_open()));
            of_rows && !map.captures.iter().any(|&c| has_arrays(c))
        }),
        Op::Array(Array::Dim) => true,
        Op::Array(_) => false,
        Op::Core(Core::Param) => graph.as_param(id).is_some_and(|p| p.number == 0) || !has_arrays(id),
        Op::Core(Core::Get | Core::Row | Core::With | Core::Pick | Core::Without | Core::Tuple | Core::Item) => true,
        _ => !graph.args(id).iter().any(|&a| has_arrays(a)),
    }
}

/// Whether values of a type are arrays or relations, or have some in them. Types nest at most so deep, so this may recurse.
fn holds_arrays(types: &Types, ty: TyId) -> bool {
    match types.get(ty) {
        Ty::Arr(..) | Ty::Rel(_) => true,
        Ty::Struct(fields) => fields.iter().any(|f| holds_arrays(types, f.ty)),
        Ty::Tuple(parts) => parts.iter().any(|&p| holds_arrays(types, p)),
        _ => false,
    }
}

fn group_ignores_order() -> Rule {
    rule! {
        /// A group that nobody minds the order of, and whose aggregates come to the same in any order, does not mind the order of its rows.
        ///
        ///     rel.unordered(rel.group(t) |r| {k: r.k} |g| {n: arr.count(g.x)})   →   rel.group(rel.unordered(t)) |r| {k: r.k} |g| {n: arr.count(g.x)}
        ///
        /// Sums of floats depend on their order, and stay; so do keys of floats, which are given as they first stand, be it `0.0` or `-0.0`.
        Relational "group-ignores-order" at [Relation::Unordered, Relation::Group] |cx, node| {
            let (group_id, marked) = match cx.as_unordered(node) {
                Some(unordered) => (unordered.input, true),
                // Without keys there is one group: it has no order to give up.
                None => (node, false),
            };
            let group = cx.as_group(group_id)?;
            if !order_free_group(cx, group_id) {
                return None;
            }
            let keyless = key_count(cx, group.keys) == 0;
            if !(marked || keyless) || cx.uses(group_id) > 1 && marked {
                return None;
            }
            if cx.as_unordered(group.input).is_some() || !marked && (!worth_unordering(cx, group.input) || order_given_up(cx, group.input)) {
                return None;
            }
            let input = cx.unordered(group.input)?;
            cx.group(input, group.keys, group.aggregates, &group.captures)
        }
    }
}

fn test_ignores_order() -> Rule {
    rule! {
        /// Whether rows have a match does not depend on the order of what they are matched with.
        ///
        ///     rel.join{how: semi}(t, rel.join(a, b) …) …   →   rel.join{how: semi}(t, rel.unordered(rel.join(a, b) …)) …
        ///
        /// Not where the predicate may raise: it is asked up to the first match.
        Relational "test-ignores-order" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            let tests = join.how.is_test() && pure_bodies(cx, node);
            if !tests || cx.as_unordered(join.right).is_some() || !worth_unordering(cx, join.right) || order_given_up(cx, join.right) {
                return None;
            }
            let mut args: Args = cx.args(node).into();
            args[1] = cx.unordered(join.right)?;
            let (op, attrs) = (cx.op(node), cx.node(node).attrs().into());
            cx.make(op, attrs, &args)
        }
    }
}

fn rows_ignore_order() -> Rule {
    rule! {
        /// How many rows there are does not depend on their order, nor on their columns.
        ///
        ///     rel.rows(rel.sort(t) |r| k)   →   rel.rows(t)
        Relational "rows-ignore-order" at [Relation::Rows] |cx, node| {
            let rows = cx.as_rows(node)?;
            let same_rows = matches!(cx.op(rows.input), Op::Relation(Relation::Sort | Relation::Project | Relation::Unordered));
            if !same_rows || !pure_bodies(cx, rows.input) {
                return None;
            }
            let input = cx.args(rows.input)[0];
            cx.rows(input)
        }
    }
}
