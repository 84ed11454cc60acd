//! Slices and what they let be spared.

use crate::facts::all_columns;
use crate::rule::{Rule, rule};
use airloom_ir::attrs::{Effect, JoinHow, Side};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        slice_below_project(),
        merge_slices(),
        slice_of_everything(),
        top_from_sort(),
        top_below_project(),
        slice_of_top(),
        slice_below_number(),
        slice_below_left_join(),
        slice_of_concat(),
    ]
}

/// The constant bounds of a slice from the front: where it begins, and how many rows it takes, if there is an end.
fn bounds(graph: &Graph, offset: NodeId, length: NodeId) -> Option<(i64, Option<i64>)> {
    let offset = graph.const_int(offset).filter(|&n| n >= 0)?;
    match graph.const_value(length)? {
        Value::Null => Some((offset, None)),
        _ => Some((offset, Some(graph.const_int(length).filter(|&n| n >= 0)?))),
    }
}

fn slice_below_project() -> Rule {
    rule! {
        /// Slices before projecting, so that fewer rows are projected.
        ///
        ///     rel.slice(rel.project(t) |r| f, 0, 10)   →   rel.project(rel.slice(t, 0, 10)) |r| f
        ///
        /// Not where the projection may raise, or where something else reads it.
        Relational "slice-below-project" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let project = cx.as_project(slice.input)?;
            if cx.effect(project.row) != Effect::Pure || cx.uses(slice.input) > 1 {
                return None;
            }
            let sliced = cx.slice(project.input, slice.offset, slice.length)?;
            cx.project(sliced, project.row, &project.captures)
        }
    }
}

fn merge_slices() -> Rule {
    rule! {
        /// A slice of a slice is one slice.
        ///
        ///     rel.slice(rel.slice(t, 2, 10), 3, 4)   →   rel.slice(t, 5, 4)
        Relational "merge-slices" at [Relation::Slice] |cx, node| {
            let outer = cx.as_slice(node)?;
            let inner = cx.as_slice(outer.input)?;
            let (skip, take) = bounds(cx, outer.offset, outer.length)?;
            let (first, rows) = bounds(cx, inner.offset, inner.length)?;
            let offset = first.checked_add(skip)?;
            let left = rows.map(|rows| rows.saturating_sub(skip).max(0));
            let length = match (left, take) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            let offset = cx.constant(Value::Int(offset.into()), TyId::I64)?;
            let length = match length {
                Some(length) => cx.constant(Value::Int(length.into()), TyId::I64)?,
                None => inner.length,
            };
            cx.slice(inner.input, offset, length)
        }
    }
}

fn slice_of_everything() -> Rule {
    rule! {
        /// A slice that takes every row is no slice.
        ///
        ///     rel.slice(t, 0, null: i64?)   →   t
        ///
        /// Also where there are known to be no more rows than it takes.
        Relational "slice-of-everything" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let (offset, length) = bounds(cx, slice.offset, slice.length)?;
            if offset != 0 {
                return None;
            }
            let (facts, graph) = cx.facts();
            let most = facts.relation(graph, slice.input).rows.most;
            let enough = match (length, most) {
                (None, _) => true,
                (Some(length), Some(most)) => most <= length as u64,
                (Some(_), None) => false,
            };
            enough.then_some(slice.input)
        }
    }
}

fn top_from_sort() -> Rule {
    rule! {
        /// The head of a sorted relation is a selection, not a sort.
        ///
        ///     rel.slice(rel.sort(t) |r| k, 0, 10)   →   rel.top(t, 10) |r| k
        ///
        /// A slice that begins later is taken from the top of as many rows more.
        Relational "top-from-sort" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let sort = cx.as_sort(slice.input)?;
            let (offset, Some(length)) = bounds(cx, slice.offset, slice.length)? else { return None };
            let count = offset.checked_add(length)?;
            if cx.uses(slice.input) > 1 {
                return None;
            }
            let count = cx.constant(Value::Int(count.into()), TyId::I64)?;
            let top = cx.top(sort.input, count, sort.keys, &sort.captures, sort.by)?;
            if offset == 0 { Some(top) } else { cx.slice(top, slice.offset, slice.length) }
        }
    }
}

fn top_below_project() -> Rule {
    rule! {
        /// Selects before projecting, so that fewer rows are projected.
        ///
        ///     rel.top(rel.project(t) |r| f, 10) |s| k   →   rel.project(rel.top(t, 10) |r| k(f)) |r| f
        Relational "top-below-project" at [Relation::Top] |cx, node| {
            let top = cx.as_top(node)?;
            let project = cx.as_project(top.input)?;
            if cx.effect(project.row) != Effect::Pure || cx.uses(top.input) > 1 {
                return None;
            }
            let row = crate::rules::bodies::row_slot(cx, 0, project.input)?;
            let made = cx.open(project.row, &[row], &project.captures)?;
            let keys = cx.open(top.keys, &[made], &top.captures)?;
            let (body, captures) = cx.close(&[row], keys)?;
            let selected = cx.top(project.input, top.count, body, &captures, top.by)?;
            cx.project(selected, project.row, &project.captures)
        }
    }
}

fn slice_of_top() -> Rule {
    rule! {
        /// The head of a selection is a smaller selection.
        ///
        ///     rel.slice(rel.top(t, 10) |r| k, 0, 3)   →   rel.top(t, 3) |r| k
        Relational "slice-of-top" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let top = cx.as_top(slice.input)?;
            let (offset, Some(length)) = bounds(cx, slice.offset, slice.length)? else { return None };
            let count = cx.const_int(top.count).filter(|&n| n >= 0)?;
            if offset != 0 || cx.uses(slice.input) > 1 {
                return None;
            }
            let count = cx.constant(Value::Int(count.min(length).into()), TyId::I64)?;
            cx.top(top.input, count, top.keys, &top.captures, top.by)
        }
    }
}

fn slice_below_number() -> Rule {
    rule! {
        /// The head of numbered rows is the head of the rows, numbered.
        ///
        ///     rel.slice(rel.number{name: "i"}(t), 0, 10)   →   rel.number{name: "i"}(rel.slice(t, 0, 10))
        Relational "slice-below-number" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let number = cx.as_number(slice.input)?;
            let (offset, _) = bounds(cx, slice.offset, slice.length)?;
            if cx.uses(slice.input) > 1 {
                return None;
            }
            let sliced = cx.slice(number.input, slice.offset, slice.length)?;
            cx.number(sliced, number.name, number.start.checked_add(offset)?)
        }
    }
}

fn slice_below_left_join() -> Rule {
    rule! {
        /// A left join whose right side has each key at most once gives one row for each left row: a slice of it is one of the left.
        ///
        ///     rel.slice(rel.join{how: left}(a, b) …, 0, 10)   →   rel.join{how: left}(rel.slice(a, 0, 10), b) …
        ///
        /// Not where the join's bodies may raise for a row that the slice leaves out.
        Relational "slice-below-left-join" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let join = cx.as_join(slice.input)?;
            let pure = [join.left_keys, join.right_keys, join.predicate].iter().all(|&b| cx.effect(b) == Effect::Pure);
            if join.how != JoinHow::Left || join.major != Side::Left || !pure || cx.uses(slice.input) > 1 {
                return None;
            }
            let keys = all_columns(cx, join.right_keys)?;
            let (facts, graph) = cx.facts();
            if !facts.relation(graph, join.right).is_unique(&keys) {
                return None;
            }
            let left = cx.slice(join.left, slice.offset, slice.length)?;
            cx.join(left, join.right, join.left_keys, join.right_keys, join.predicate, &join.captures, join.how, join.nulls, join.major)
        }
    }
}

fn slice_of_concat() -> Rule {
    rule! {
        /// The head of a concatenation is the head of its first part, where that is known to be long enough.
        ///
        ///     rel.slice(rel.concat(a, b), 0, 10)   →   rel.slice(a, 0, 10)
        ///
        /// Not where a later part may raise.
        Relational "slice-of-concat" at [Relation::Slice] |cx, node| {
            let slice = cx.as_slice(node)?;
            let concat = cx.as_concat(slice.input)?;
            let (offset, Some(length)) = bounds(cx, slice.offset, slice.length)? else { return None };
            let &first = concat.inputs.first()?;
            let needed = u64::try_from(offset.checked_add(length)?).ok()?;
            let (facts, graph) = cx.facts();
            let enough = facts.relation(graph, first).rows.least >= needed;
            let pure = concat.inputs[1..].iter().all(|&input| cx.effect(input) == Effect::Pure);
            if enough && pure && concat.inputs.len() > 1 { cx.slice(first, slice.offset, slice.length) } else { None }
        }
    }
}
