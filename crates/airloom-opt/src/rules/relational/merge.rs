//! Two nodes of a kind made one.

use crate::rule::{Rule, rule};
use crate::rules::bodies::{conjuncts, fields, filtered, pure_bodies, retarget, row_slot, written_out};
use airloom_ir::attrs::{Effect, SortKey};
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::{BuildRelation, Relation};

pub(super) fn rules() -> Vec<Rule> {
    vec![merge_filters(), merge_projects(), merge_sorts(), merge_windows(), merge_concats()]
}

/// How large a merged filter's predicate, or what merged windows add, may be to take more.
const MOST_NODES: usize = 256;

fn merge_filters() -> Rule {
    rule! {
        /// Two filters in a row are one.
        ///
        ///     rel.filter(rel.filter(t) |r| p) |r| q   →   rel.filter(t) |r| and(p, q)
        ///
        /// Not where the outer predicate may raise: it would see rows that the inner one kept from it. Nor where the inner one is large already.
        Relational "merge-filters" at [Relation::Filter] |cx, node| {
            let outer = cx.as_filter(node)?;
            let inner = cx.as_filter(outer.input)?;
            if cx.effect(outer.predicate) != Effect::Pure || cx.uses(outer.input) > 1 {
                return None;
            }
            // A program made by a loop may have a filter for every turn: one that grew with each of them would be written out as many times.
            if cx.block_order(&[cx.result_of(inner.predicate)]).len() > MOST_NODES {
                return None;
            }
            let row = row_slot(cx, 0, inner.input)?;
            let below = cx.open(inner.predicate, &[row], &inner.captures)?;
            let above = cx.open(outer.predicate, &[row], &outer.captures)?;
            let mut all = conjuncts(cx, below);
            for one in conjuncts(cx, above) {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
            filtered(cx, inner.input, row, &all)
        }
    }
}

/// How much larger two projections may become by being one: past this, what is computed once and read often is better kept.
const GROWTH: usize = 4;

fn merge_projects() -> Rule {
    rule! {
        /// Two projections in a row are one.
        ///
        ///     rel.project(rel.project(t) |r| {b: f(r)}) |s| {c: g(s.b)}   →   rel.project(t) |r| {c: g(f(r))}
        ///
        /// Not where something else reads the inner one; nor where a column that is dear to compute is read more than once.
        Relational "merge-projects" at [Relation::Project] |cx, node| {
            let outer = cx.as_project(node)?;
            let inner = cx.as_project(outer.input)?;
            // What may raise in a column that the outer one drops would no longer raise.
            if !pure_bodies(cx, outer.input) || cx.uses(outer.input) > 1 {
                return None;
            }
            let row = row_slot(cx, 0, inner.input)?;
            let below = cx.open(inner.row, &[row], &inner.captures)?;
            let above = cx.open(outer.row, &[below], &outer.captures)?;
            let before = cx.block_order(&[cx.result_of(outer.row)]).len() + cx.block_order(&[cx.result_of(inner.row)]).len();
            let (body, captures) = cx.close(&[row], above)?;
            if cx.block_order(&[cx.result_of(body)]).len() > before * GROWTH {
                return None;
            }
            cx.project(inner.input, body, &captures)
        }
    }
}

fn merge_sorts() -> Rule {
    rule! {
        /// A sort of a sort is one sort by the outer keys and then the inner ones, since sorting is stable.
        ///
        ///     rel.sort(rel.sort(t) |r| {b: r.b}) |r| {a: r.a}   →   rel.sort(t) |r| {a: r.a, b: r.b}
        Relational "merge-sorts" at [Relation::Sort] |cx, node| {
            let outer = cx.as_sort(node)?;
            let inner = cx.as_sort(outer.input)?;
            if cx.uses(outer.input) > 1 {
                return None;
            }
            let row = row_slot(cx, 0, inner.input)?;
            let (first, second) = (cx.open(outer.keys, &[row], &outer.captures)?, cx.open(inner.keys, &[row], &inner.captures)?);
            let (first, second) = (written_out(cx, first)?, written_out(cx, second)?);
            let mut keys: Vec<(NodeId, SortKey)> = Vec::new();
            for (&value, &key) in first.values.iter().zip(outer.by.iter()).chain(second.values.iter().zip(inner.by.iter())) {
                // A key that stands before decides everything this one could.
                if !keys.iter().any(|(known, _)| *known == value) {
                    keys.push((value, key));
                }
            }
            let names: Vec<Name> = (0..keys.len()).map(|i| Name::from(format!("k{i}"))).collect();
            let values: Args = keys.iter().map(|k| k.0).collect();
            let result = cx.row(&values, names.into())?;
            let (body, captures) = cx.close(&[row], result)?;
            let by: Vec<SortKey> = keys.iter().map(|k| k.1).collect();
            cx.sort(inner.input, body, &captures, by.into())
        }
    }
}

fn merge_windows() -> Rule {
    rule! {
        /// Windows over windows with the same keys and order are one: rows are brought together by their keys once.
        ///
        ///     rel.window(rel.window(t) |r| {k: r.k} |r| {} |g| {a: f(g)}) |s| {k: s.k} |s| {} |h| {b: f(h.a)}   →   rel.window(t) |r| {k: r.k} |r| {} |g| {a: f(g), b: f(f(g))}
        ///
        /// Not where there are no keys: such windows are worked piece by piece, each as far as it can be. Not where something may raise, where something else reads the
        /// inner ones, where one takes the place of another's column, or where they are many already.
        Relational "merge-windows" at [Relation::Window] |cx, node| {
            let outer = cx.as_window(node)?;
            let inner = cx.as_window(outer.input)?;
            if outer.by != inner.by || cx.uses(outer.input) > 1 || !pure_bodies(cx, node) || !pure_bodies(cx, outer.input) {
                return None;
            }
            if cx.block_order(&[cx.result_of(inner.columns)]).len() > MOST_NODES {
                return None;
            }
            let (row, wide) = (row_slot(cx, 0, inner.input)?, row_slot(cx, 1, outer.input)?);
            let partition = cx.open(inner.partition, &[row], &inner.captures)?;
            let order = cx.open(inner.order, &[row], &inner.captures)?;
            let again = [cx.open(outer.partition, &[wide], &outer.captures)?, cx.open(outer.order, &[wide], &outer.captures)?];
            let again = [retarget(cx, again[0], wide, row)?, retarget(cx, again[1], wide, row)?];
            let keys = written_out(cx, partition)?.values;
            if keys.is_empty() || written_out(cx, again[0])?.values != keys || written_out(cx, again[1])?.values != written_out(cx, order)?.values {
                return None;
            }
            let columns = cx.params_of(inner.columns).first().copied()?;
            let group = cx.slot(2, columns)?;
            let added = cx.open(inner.columns, &[group], &inner.captures)?;
            let seen = cx.with(group, added)?;
            let above = cx.open(outer.columns, &[seen], &outer.captures)?;
            let (added, above) = (written_out(cx, added)?, written_out(cx, above)?);
            if above.names.iter().any(|name| added.names.contains(name)) {
                return None;
            }
            let names: Vec<Name> = added.names.iter().chain(above.names.iter()).cloned().collect();
            let values: Args = added.values.iter().chain(&above.values).copied().collect();
            let result = cx.row(&values, names.into())?;
            let closed = cx.close_all(&[(&[row], partition), (&[row], order), (&[group], result)])?;
            cx.window(inner.input, closed.bodies[0], closed.bodies[1], closed.bodies[2], &closed.captures, inner.by)
        }
    }
}

fn merge_concats() -> Rule {
    rule! {
        /// A concatenation within another is part of it, and a concatenation of one is that one.
        ///
        ///     rel.concat(rel.concat(a, b), c)   →   rel.concat(a, b, c)
        Relational "merge-concats" at [Relation::Concat] |cx, node| {
            let concat = cx.as_concat(node)?;
            fields(cx, node)?;
            if let [only] = concat.inputs.as_slice() {
                return Some(*only);
            }
            let mut inputs = Args::new();
            for &input in &concat.inputs {
                match cx.as_concat(input) {
                    Some(inner) if cx.uses(input) <= 1 => inputs.extend(inner.inputs),
                    _ => inputs.push(input),
                }
            }
            if inputs == concat.inputs { None } else { cx.concat(&inputs) }
        }
    }
}
