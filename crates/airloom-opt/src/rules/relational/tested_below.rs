//! Semi and anti joins moved to the side they ask about.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{fields, read, retarget, row_slot};
use airloom_ir::attrs::{Effect, JoinHow};
use airloom_ir::graph::NodeId;
use airloom_ir::ops::relation::view::Join;
use airloom_ir::ops::relation::{BuildRelation, Relation};

pub(super) fn rules() -> Vec<Rule> {
    vec![test_below_join(), test_below_project()]
}

fn is_pure(cx: &Cx<'_>, join: &Join) -> bool {
    [join.left_keys, join.right_keys, join.predicate].iter().all(|&b| cx.effect(b) == Effect::Pure)
}

/// A test of another relation: the same keys and predicate, over its rows.
struct Test {
    row: NodeId,
    right_row: NodeId,
    left_keys: NodeId,
    right_keys: NodeId,
    predicate: NodeId,
}

fn tested(cx: &mut Cx<'_>, join: &Join, test: &Test, input: NodeId) -> Option<NodeId> {
    let closed = cx.close_all(&[
        (&[test.row], test.left_keys),
        (&[test.right_row], test.right_keys),
        (&[test.row, test.right_row], test.predicate),
    ])?;
    let &[left_keys, right_keys, predicate] = closed.bodies.as_slice() else { return None };
    cx.join(input, join.right, left_keys, right_keys, predicate, &closed.captures, join.how, join.nulls, join.major)
}

fn test_below_join() -> Rule {
    rule! {
        /// Whether rows have a match, where only one side of a join is asked, is asked of that side before the join: fewer rows are joined.
        ///
        ///     rel.join{how: semi}(rel.join(a, b) …, c) |r| {k: r.x} …   →   rel.join(rel.join{how: semi}(a, c) |r| {k: r.x} …, b) …
        ///
        /// Of a left join only the left side is asked before, of a right join only the right. Not where anything may raise, nor where the test has a predicate: pairs
        /// are looked at one by one then, and it is better to have few rows left.
        Relational "test-below-join" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            if !join.how.is_test() || cx.uses(join.left) > 1 || !is_pure(cx, &join) || !crate::rules::bodies::always_true(cx, join.predicate) {
                return None;
            }
            let below = cx.as_join(join.left)?;
            if !is_pure(cx, &below) || !crate::rules::bodies::always_true(cx, below.predicate) {
                return None;
            }
            let (to_left, to_right) = match below.how {
                JoinHow::Inner | JoinHow::Cross => (true, true),
                JoinHow::Left => (true, false),
                JoinHow::Right => (false, true),
                JoinHow::Outer | JoinHow::Semi | JoinHow::Anti => return None,
            };
            let (result, right_row) = (row_slot(cx, 1, join.left)?, row_slot(cx, 2, join.right)?);
            let left_keys = cx.open(join.left_keys, &[result], &join.captures)?;
            let predicate = cx.open(join.predicate, &[result, right_row], &join.captures)?;
            let right_keys = cx.open(join.right_keys, &[right_row], &join.captures)?;
            let (left_fields, right_fields) = (fields(cx, below.left)?, fields(cx, below.right)?);
            let within = |cx: &Cx<'_>, side: &airloom_ir::types::Fields| {
                read(cx, left_keys, result).within(side) && read(cx, predicate, result).within(side)
            };
            let is_left = to_left && within(cx, &left_fields);
            let is_right = !is_left && to_right && within(cx, &right_fields);
            if !is_left && !is_right {
                return None;
            }
            let side = if is_left { below.left } else { below.right };
            let row = row_slot(cx, 3, side)?;
            let (left_keys, predicate) = (retarget(cx, left_keys, result, row)?, retarget(cx, predicate, result, row)?);
            let smaller = tested(cx, &join, &Test { row, right_row, left_keys, right_keys, predicate }, side)?;
            let (left, right) = if is_left { (smaller, below.right) } else { (below.left, smaller) };
            cx.join(left, right, below.left_keys, below.right_keys, below.predicate, &below.captures, below.how, below.nulls, below.major)
        }
    }
}

fn test_below_project() -> Rule {
    rule! {
        /// Whether rows have a match is asked before they are projected, so that fewer are.
        ///
        ///     rel.join{how: semi}(rel.project(a) |r| {x: f(r)}, c) |r| {k: r.x} …   →   rel.project(rel.join{how: semi}(a, c) |r| {k: f(r)} …) |r| {x: f(r)}
        ///
        /// Not where anything may raise.
        Relational "test-below-project" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            if !join.how.is_test() || cx.uses(join.left) > 1 || !is_pure(cx, &join) {
                return None;
            }
            let project = cx.as_project(join.left)?;
            if cx.effect(project.row) != Effect::Pure {
                return None;
            }
            let (row, right_row) = (row_slot(cx, 1, project.input)?, row_slot(cx, 2, join.right)?);
            let made = cx.open(project.row, &[row], &project.captures)?;
            let left_keys = cx.open(join.left_keys, &[made], &join.captures)?;
            let predicate = cx.open(join.predicate, &[made, right_row], &join.captures)?;
            let right_keys = cx.open(join.right_keys, &[right_row], &join.captures)?;
            let smaller = tested(cx, &join, &Test { row, right_row, left_keys, right_keys, predicate }, project.input)?;
            cx.project(smaller, project.row, &project.captures)
        }
    }
}
