//! Nodes that change nothing.

use crate::facts::{all_columns, sort_order};
use crate::rule::{Rule, rule};
use crate::rules::bodies::{changes_nothing, pure_bodies};
use airloom_ir::attrs::Keep;
use airloom_ir::ops::relation::{BuildRelation, Relation};

pub(super) fn rules() -> Vec<Rule> {
    vec![redundant_project(), redundant_sort(), redundant_distinct(), distinct_of_distinct()]
}

fn redundant_project() -> Rule {
    rule! {
        /// A projection to the very columns there are is none.
        ///
        ///     rel.project(t) |r| {a: r.a, b: r.b}   →   t
        Relational "redundant-project" at [Relation::Project] |cx, node| {
            changes_nothing(cx, node).then(|| cx.args(node)[0])
        }
    }
}

fn redundant_sort() -> Rule {
    rule! {
        /// Rows that stand in order need no sorting; nor does a sort by nothing do anything.
        ///
        ///     rel.sort(rel.sort(t) |r| {a: r.a, b: r.b}) |r| {a: r.a}   →   rel.sort(t) |r| {a: r.a, b: r.b}
        Relational "redundant-sort" at [Relation::Sort] |cx, node| {
            let sort = cx.as_sort(node)?;
            if !pure_bodies(cx, node) {
                return None;
            }
            if sort.by.is_empty() {
                return Some(sort.input);
            }
            let wanted = sort_order(cx, sort.keys, &sort.by);
            if wanted.len() != sort.by.len() {
                return None;
            }
            let (facts, graph) = cx.facts();
            facts.relation(graph, sort.input).is_sorted(&wanted).then_some(sort.input)
        }
    }
}

fn redundant_distinct() -> Rule {
    rule! {
        /// Rows of which no two agree in the keys are distinct already.
        ///
        ///     rel.distinct(rel.group(t) |r| {k: r.k} |g| …) |r| {k: r.k}   →   rel.group(t) |r| {k: r.k} |g| …
        Relational "redundant-distinct" at [Relation::Distinct] |cx, node| {
            let distinct = cx.as_distinct(node)?;
            let keys = all_columns(cx, distinct.keys)?;
            if !pure_bodies(cx, node) {
                return None;
            }
            let (facts, graph) = cx.facts();
            facts.relation(graph, distinct.input).is_unique(&keys).then_some(distinct.input)
        }
    }
}

fn distinct_of_distinct() -> Rule {
    rule! {
        /// A distinct by columns below a distinct by some of them does nothing more.
        ///
        ///     rel.distinct{keep: first}(rel.distinct{keep: first}(t) |r| {a: r.a, b: r.b}) |r| {a: r.a}   →   rel.distinct{keep: first}(t) |r| {a: r.a}
        ///
        /// The first of those that agree in some columns is also the first of those that agree in more of them.
        Relational "distinct-of-distinct" at [Relation::Distinct] |cx, node| {
            let outer = cx.as_distinct(node)?;
            let inner = cx.as_distinct(outer.input)?;
            let (wide, narrow) = (all_columns(cx, inner.keys)?, all_columns(cx, outer.keys)?);
            let same_end = outer.keep == inner.keep && outer.keep != Keep::None;
            if !same_end || !narrow.is_subset(&wide) || !pure_bodies(cx, outer.input) || cx.uses(outer.input) > 1 {
                return None;
            }
            cx.distinct(inner.input, outer.keys, &outer.captures, outer.keep)
        }
    }
}
