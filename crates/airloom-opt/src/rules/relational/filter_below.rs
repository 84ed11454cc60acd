//! Filters moved below nodes with one input.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{Read, conjuncts, fields, filtered, map_fields, read, retarget, row_slot, tells_zeros_apart, written_out};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::Make;
use airloom_ir::ops::relation::{BuildRelation, Relation};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        filter_below_project(),
        filter_below_order(),
        filter_below_group(),
        filter_below_window(),
        filter_below_distinct(),
        filter_below_concat(),
        filter_below_reshape(),
        filter_below_semi_join(),
    ]
}

fn filter_below_project() -> Rule {
    rule! {
        /// Filters before projecting, so that fewer rows are projected.
        ///
        ///     rel.filter(rel.project(t) |r| f) |s| p   →   rel.project(rel.filter(t) |r| p(f)) |r| f
        ///
        /// Not when another node reads the projection, nor when the projection may raise: rows that are filtered out would no longer raise.
        Relational "filter-below-project" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let project = cx.as_project(filter.input)?;
            if cx.uses(filter.input) > 1 || cx.effect(project.row) != Effect::Pure {
                return None;
            }
            let row = row_slot(cx, 0, project.input)?;
            let made = cx.open(project.row, &[row], &project.captures)?;
            let predicate = cx.open(filter.predicate, &[made], &filter.captures)?;
            let all = conjuncts(cx, predicate);
            let kept = filtered(cx, project.input, row, &all)?;
            cx.project(kept, project.row, &project.captures)
        }
    }
}

/// The same node on another first input of the same type.
fn on_input(cx: &mut Cx<'_>, node: NodeId, input: NodeId) -> Option<NodeId> {
    let mut args: Args = cx.args(node).into();
    args[0] = input;
    let (op, attrs) = (cx.op(node), cx.node(node).attrs().into());
    cx.make(op, attrs, &args)
}

fn filter_below_order() -> Rule {
    rule! {
        /// Filters before sorting, so that fewer rows are sorted.
        ///
        ///     rel.filter(rel.sort(t) |r| k) |r| p   →   rel.sort(rel.filter(t) |r| p) |r| k
        ///
        /// Likewise below `rel.unordered`. Not where the keys may raise.
        Relational "filter-below-order" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let input = match (cx.as_sort(filter.input), cx.as_unordered(filter.input)) {
                (Some(sort), _) if cx.effect(sort.keys) == Effect::Pure => sort.input,
                (_, Some(unordered)) => unordered.input,
                _ => return None,
            };
            if cx.uses(filter.input) > 1 {
                return None;
            }
            let kept = cx.filter(input, filter.predicate, &filter.captures)?;
            on_input(cx, filter.input, kept)
        }
    }
}

/// Splits a filter's conjuncts over `row`, all of them pure, into those that `below` can say of the input and those that stay.
fn split(
    cx: &mut Cx<'_>,
    predicate: NodeId,
    below: &mut dyn FnMut(&mut Cx<'_>, NodeId) -> Option<NodeId>,
) -> Option<(Vec<NodeId>, Vec<NodeId>)> {
    let (mut down, mut stay) = (Vec::new(), Vec::new());
    for one in conjuncts(cx, predicate) {
        match below(cx, one) {
            Some(moved) => down.push(moved),
            None => stay.push(one),
        }
    }
    (!down.is_empty()).then_some((down, stay))
}

fn filter_below_group() -> Rule {
    rule! {
        /// What a filter asks of a group's keys it can ask of the rows, so that fewer are grouped.
        ///
        ///     rel.filter(rel.group(t) |r| {k: f} |g| …) |s| p(s.k)   →   rel.group(rel.filter(t) |r| p(f)) |r| {k: f} |g| …
        ///
        /// Not where there are no keys: then there is one group even of no rows. Not where an aggregate may raise. Not where the filter tells zeros of both
        /// signs apart, which are one key.
        Relational "filter-below-group" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let group = cx.as_group(filter.input)?;
            let pure = [filter.predicate, group.keys, group.aggregates].iter().all(|&b| cx.effect(b) == Effect::Pure);
            if cx.uses(filter.input) > 1 || !pure {
                return None;
            }
            let row = row_slot(cx, 0, group.input)?;
            let result = row_slot(cx, 1, filter.input)?;
            let keys = cx.open(group.keys, &[row], &group.captures)?;
            let keys = written_out(cx, keys)?;
            if keys.names.is_empty() {
                return None;
            }
            let key = |name: &Name| keys.names.iter().position(|n| n == name).map(|at| keys.values[at]);
            let predicate = cx.open(filter.predicate, &[result], &filter.captures)?;
            let (down, stay) = split(cx, predicate, &mut |cx, one| {
                // A predicate that reads no key is about the number of groups at best.
                if read(cx, one, result) == Read::none() || tells_zeros_apart(cx, one, result) {
                    return None;
                }
                map_fields(cx, one, result, &mut |_, name| Ok(key(name)))
            })?;
            let kept = filtered(cx, group.input, row, &down)?;
            let grouped = cx.group(kept, group.keys, group.aggregates, &group.captures)?;
            filtered(cx, grouped, result, &stay)
        }
    }
}

fn filter_below_window() -> Rule {
    rule! {
        /// What a filter asks of the partition's key it can ask before the windows: whole partitions go or stay.
        ///
        ///     rel.filter(rel.window(t) |r| {k: r.k} …) |s| p(s.k)   →   rel.window(rel.filter(t) |r| p(r.k)) |r| {k: r.k} …
        ///
        /// Not where anything may raise, or where the filter tells zeros of both signs apart, which are one key.
        Relational "filter-below-window" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let window = cx.as_window(filter.input)?;
            let pure = [filter.predicate, window.partition, window.order, window.columns].iter().all(|&b| cx.effect(b) == Effect::Pure);
            if cx.uses(filter.input) > 1 || !pure {
                return None;
            }
            let row = row_slot(cx, 0, window.input)?;
            let result = row_slot(cx, 1, filter.input)?;
            let partition = cx.open(window.partition, &[row], &window.captures)?;
            let partition = written_out(cx, partition)?;
            let predicate = cx.open(filter.predicate, &[result], &filter.captures)?;
            let (down, stay) = split(cx, predicate, &mut |cx, one| {
                if tells_zeros_apart(cx, one, result) {
                    return None;
                }
                map_fields(cx, one, result, &mut |graph, name| {
                    // Only a column that is itself part of the key is the same throughout a partition.
                    let plain = |&v: &NodeId| graph.as_get(v).is_some_and(|g| g.record == row && g.field == *name);
                    Ok(partition.values.iter().copied().find(plain))
                })
                .filter(|&moved| read(cx, moved, row) != Read::none())
            })?;
            let kept = filtered(cx, window.input, row, &down)?;
            let windowed = cx.window(kept, window.partition, window.order, window.columns, &window.captures, window.by)?;
            filtered(cx, windowed, result, &stay)
        }
    }
}

fn filter_below_distinct() -> Rule {
    rule! {
        /// What a filter asks of the columns that make rows distinct it can ask before: equal rows go or stay together.
        ///
        ///     rel.filter(rel.distinct(t) |r| {k: r.k}) |r| p(r.k)   →   rel.distinct(rel.filter(t) |r| p(r.k)) |r| {k: r.k}
        ///
        /// Not where the filter may raise, or where it tells zeros of both signs apart, which are one key.
        Relational "filter-below-distinct" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let distinct = cx.as_distinct(filter.input)?;
            if cx.uses(filter.input) > 1 || cx.effect(filter.predicate) != Effect::Pure || cx.effect(distinct.keys) != Effect::Pure {
                return None;
            }
            let row = row_slot(cx, 0, distinct.input)?;
            let keys = cx.open(distinct.keys, &[row], &distinct.captures)?;
            let keys = written_out(cx, keys)?;
            let predicate = cx.open(filter.predicate, &[row], &filter.captures)?;
            let (down, stay) = split(cx, predicate, &mut |cx, one| {
                if tells_zeros_apart(cx, one, row) {
                    return None;
                }
                map_fields(cx, one, row, &mut |graph, name| {
                    let plain = |&v: &NodeId| graph.as_get(v).is_some_and(|g| g.record == row && g.field == *name);
                    Ok(keys.values.iter().copied().find(plain))
                })
            })?;
            let kept = filtered(cx, distinct.input, row, &down)?;
            let again = cx.distinct(kept, distinct.keys, &distinct.captures, distinct.keep)?;
            filtered(cx, again, row, &stay)
        }
    }
}

fn filter_below_concat() -> Rule {
    rule! {
        /// A filter of a concatenation filters its parts.
        ///
        ///     rel.filter(rel.concat(a, b)) |r| p   →   rel.concat(rel.filter(a) |r| p, rel.filter(b) |r| p)
        Relational "filter-below-concat" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let concat = cx.as_concat(filter.input)?;
            if cx.uses(filter.input) > 1 {
                return None;
            }
            let mut inputs = Args::new();
            for &input in &concat.inputs {
                inputs.push(cx.filter(input, filter.predicate, &filter.captures)?);
            }
            cx.concat(&inputs)
        }
    }
}

fn filter_below_reshape() -> Rule {
    rule! {
        /// What a filter asks of the columns that an explode or an unpivot repeats it can ask before.
        ///
        ///     rel.filter(rel.explode{columns: ["xs"]}(t)) |r| p(r.a)   →   rel.explode{columns: ["xs"]}(rel.filter(t) |r| p(r.a))
        ///
        /// Not where several columns are exploded: lists of unequal length raise.
        Relational "filter-below-reshape" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            if cx.uses(filter.input) > 1 || cx.effect(filter.predicate) != Effect::Pure {
                return None;
            }
            let (input, changed) = if let Some(explode) = cx.as_explode(filter.input) {
                // Lists of unequal length raise: in a row that is filtered out first they would not.
                if explode.columns.len() > 1 {
                    return None;
                }
                (explode.input, explode.columns.to_vec())
            } else {
                let unpivot = cx.as_unpivot(filter.input)?;
                (unpivot.input, vec![unpivot.variable, unpivot.value])
            };
            let result = row_slot(cx, 1, filter.input)?;
            let row = row_slot(cx, 0, input)?;
            let below = fields(cx, input)?;
            let predicate = cx.open(filter.predicate, &[result], &filter.captures)?;
            let (down, stay) = split(cx, predicate, &mut |cx, one| {
                let kept = match read(cx, one, result) {
                    Read::Some(names) => names.iter().all(|n| below.contains(n) && !changed.contains(n)) && !names.is_empty(),
                    Read::All => false,
                };
                if kept { retarget(cx, one, result, row) } else { None }
            })?;
            let kept = filtered(cx, input, row, &down)?;
            let reshaped = on_input(cx, filter.input, kept)?;
            filtered(cx, reshaped, result, &stay)
        }
    }
}

fn filter_below_semi_join() -> Rule {
    rule! {
        /// A filter of the rows that have a match, or have none, is a filter of the rows before they are matched.
        ///
        ///     rel.filter(rel.join{how: semi}(a, b) …) |r| p   →   rel.join{how: semi}(rel.filter(a) |r| p, b) …
        Relational "filter-below-semi-join" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let join = cx.as_join(filter.input)?;
            let pure = [filter.predicate, join.left_keys, join.right_keys, join.predicate].iter().all(|&b| cx.effect(b) == Effect::Pure);
            if !join.how.is_test() || cx.uses(filter.input) > 1 || !pure {
                return None;
            }
            let kept = cx.filter(join.left, filter.predicate, &filter.captures)?;
            on_input(cx, filter.input, kept)
        }
    }
}
