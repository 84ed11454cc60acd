//! Joins that can be joins of a cheaper kind.

use crate::context::Cx;
use crate::facts::all_columns;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{always_true, fields, pure_bodies, read_of_param, row_slot};
use airloom_ir::attrs::{Effect, JoinHow, Keep, Side};
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::ops::relation::view::{Join, Project};
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::ops::{Make, Op};

pub(super) fn rules() -> Vec<Rule> {
    vec![semi_join_from_join(), semi_join_ignores_distinct(), join_ignores_right_sort(), left_join_unread()]
}

fn semi_join_from_join() -> Rule {
    rule! {
        /// An inner join of which only left columns are read, and whose right side has each key once, only asks whether there is a match.
        ///
        ///     rel.project(rel.join(a, rel.distinct(b) |s| {k: s.k}) |r| {k: r.k} |s| {k: s.k} …) |r| {x: r.x}
        ///         →   rel.project(rel.join{how: semi}(a, rel.distinct(b) …) …) |r| {x: r.x}
        Relational "semi-join-from-join" at [Relation::Project] |cx, node| {
            let project = cx.as_project(node)?;
            let join = cx.as_join(project.input)?;
            if join.how != JoinHow::Inner || join.major != Side::Left || cx.uses(project.input) > 1 {
                return None;
            }
            if !reads_left_once(cx, &project, &join)? {
                return None;
            }
            let semi = cx.join(join.left, join.right, join.left_keys, join.right_keys, join.predicate, &join.captures, JoinHow::Semi, join.nulls, join.major)?;
            // The body was written for a wider row: it is written anew for this one.
            narrowed(cx, &project, semi)
        }
    }
}

fn semi_join_ignores_distinct() -> Rule {
    rule! {
        /// Whether there is a match does not depend on how many there are: what a semi or anti join looks at need not be distinct.
        ///
        ///     rel.join{how: semi}(a, rel.distinct(b) |s| {k: s.k}) |r| {k: r.k} |s| {k: s.k} |r, s| true   →   rel.join{how: semi}(a, b) …
        ///
        /// The distinct must go by all that the join compares, and there must be no further predicate.
        Relational "semi-join-ignores-distinct" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            let distinct = cx.as_distinct(join.right).filter(|_| join.how.is_test())?;
            let (of, compared) = (all_columns(cx, distinct.keys)?, all_columns(cx, join.right_keys)?);
            let keeps_one = distinct.keep != Keep::None;
            // Rows that agree in what the join compares agree in whether they match.
            if !keeps_one || !compared.is_subset(&of) || !always_true(cx, join.predicate) || !pure_bodies(cx, join.right) {
                return None;
            }
            with_right(cx, &join, distinct.input)
        }
    }
}

fn join_ignores_right_sort() -> Rule {
    rule! {
        /// Where each left row has at most one partner, or it only matters whether it has one, the right side need not be sorted.
        ///
        ///     rel.join(a, rel.sort(rel.group(b) |s| {k: s.k} …) |s| {k: s.k}) |r| {k: r.k} |s| {k: s.k} …   →   rel.join(a, rel.group(b) …) …
        ///
        /// Projections and filters may stand between, where nothing else reads them. Not where something may raise: which row does so first is a matter of order.
        Relational "join-ignores-right-sort" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            if join.major != Side::Left || cx.effect(join.predicate) != Effect::Pure {
                return None;
            }
            let chain = down_to_sort(cx, join.right)?;
            let order_unobserved = match join.how {
                JoinHow::Semi | JoinHow::Anti => true,
                JoinHow::Inner | JoinHow::Left => {
                    let keys = all_columns(cx, join.right_keys)?;
                    let (facts, graph) = cx.facts();
                    facts.relation(graph, join.right).is_unique(&keys)
                }
                _ => false,
            };
            if !order_unobserved {
                return None;
            }
            let (&sort, between) = chain.split_last()?;
            let mut right = cx.args(sort)[0];
            for &at in between.iter().rev() {
                let (op, attrs) = (cx.op(at), cx.node(at).attrs().into());
                let mut args: Args = cx.args(at).into();
                args[0] = right;
                right = cx.make(op, attrs, &args)?;
            }
            with_right(cx, &join, right)
        }
    }
}

/// Projections and filters that nothing else reads, then the sort that they stand on.
fn down_to_sort(cx: &Cx<'_>, relation: NodeId) -> Option<Vec<NodeId>> {
    let mut chain = Vec::new();
    let mut at = relation;
    for _ in 0..64 {
        if !pure_bodies(cx, at) {
            return None;
        }
        chain.push(at);
        match cx.op(at) {
            Op::Relation(Relation::Sort) => return Some(chain),
            Op::Relation(Relation::Project | Relation::Filter) if cx.uses(at) <= 1 => at = cx.args(at)[0],
            _ => return None,
        }
    }
    None
}

/// The same join with another right side.
fn with_right(cx: &mut Cx<'_>, join: &Join, right: NodeId) -> Option<NodeId> {
    cx.join(join.left, right, join.left_keys, join.right_keys, join.predicate, &join.captures, join.how, join.nulls, join.major)
}

fn left_join_unread() -> Rule {
    rule! {
        /// A left join of which only left columns are read, and whose right side has each key at most once, changes nothing.
        ///
        ///     rel.project(rel.join{how: left}(a, b) …) |r| {x: r.x}   →   rel.project(a) |r| {x: r.x}
        Relational "left-join-unread" at [Relation::Project] |cx, node| {
            let project = cx.as_project(node)?;
            let join = cx.as_join(project.input)?;
            let pure = pure_bodies(cx, project.input) && cx.effect(join.right) == Effect::Pure;
            if join.how != JoinHow::Left || join.major != Side::Left || !pure {
                return None;
            }
            if !reads_left_once(cx, &project, &join)? {
                return None;
            }
            narrowed(cx, &project, join.left)
        }
    }
}

/// Whether a projection of a join reads left columns only, and each left row has at most one partner.
fn reads_left_once(cx: &mut Cx<'_>, project: &Project, join: &Join) -> Option<bool> {
    let left = fields(cx, join.left)?;
    if !read_of_param(cx, project.row, 0).within(&left) {
        return Some(false);
    }
    let keys = all_columns(cx, join.right_keys)?;
    let (facts, graph) = cx.facts();
    Some(facts.relation(graph, join.right).is_unique(&keys))
}

/// The same projection of an input with fewer columns.
fn narrowed(cx: &mut Cx<'_>, project: &Project, input: NodeId) -> Option<NodeId> {
    let row = row_slot(cx, 0, input)?;
    let result = cx.open(project.row, &[row], &project.captures)?;
    let (body, captures) = cx.close(&[row], result)?;
    cx.project(input, body, &captures)
}
