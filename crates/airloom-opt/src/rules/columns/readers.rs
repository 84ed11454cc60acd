//! The ops that know which columns they read.

use super::narrow::{narrow, rebase};
use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{Read, changes_nothing, fields, read_of_param};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::relation::{BuildRelation, Relation};
use std::collections::BTreeSet;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        project_reads_columns(),
        group_reads_columns(),
        pivot_reads_columns(),
        semi_join_reads_columns(),
        columns_read_of_relation(),
        rows_read_nothing(),
    ]
}

/// `node` on its input narrowed to what is read of it, where that gains something.
fn on_narrower(cx: &mut Cx<'_>, node: NodeId, input: NodeId, read: Read) -> Option<NodeId> {
    let Read::Some(needed) = read else { return None };
    let have = fields(cx, input)?;
    let needed: BTreeSet<Name> = needed.into_iter().filter(|n| have.contains(n)).collect();
    if needed.len() == have.len() {
        return None;
    }
    let narrowed = narrow(cx, input, &needed, 0)?;
    rebase(cx, node, &[narrowed.node])
}

fn project_reads_columns() -> Rule {
    rule! {
        /// What a projection does not read need not be there, down to the source.
        ///
        ///     rel.project(rel.join(a, b) …) |r| {x: r.x}   →   rel.project(rel.join(rel.project(a) …, rel.project(b) …) …) |r| {x: r.x}
        Columns "project-reads-columns" at [Relation::Project] |cx, node| {
            let project = cx.as_project(node)?;
            let read = read_of_param(cx, project.row, 0);
            let narrower = on_narrower(cx, node, project.input, read)?;
            // Where nothing else is left, there is nothing to project.
            if changes_nothing(cx, narrower) { Some(cx.args(narrower)[0]) } else { Some(narrower) }
        }
    }
}

fn group_reads_columns() -> Rule {
    rule! {
        /// What neither the keys nor the aggregates of a group read need not be there.
        ///
        ///     rel.group(rel.sort(t) |r| {x: r.x}) |r| {k: r.k} |g| {s: arr.sum(g.x)}   →   rel.group(rel.sort(rel.project(t) |r| {k: r.k, x: r.x}) …) …
        Columns "group-reads-columns" at [Relation::Group] |cx, node| {
            let group = cx.as_group(node)?;
            let read = read_of_param(cx, group.keys, 0).union(read_of_param(cx, group.aggregates, 0));
            on_narrower(cx, node, group.input, read)
        }
    }
}

fn pivot_reads_columns() -> Rule {
    rule! {
        /// What no body of a pivot reads need not be there.
        ///
        ///     rel.pivot(source "t": …) |r| {k: r.k} |r| r.on |g| arr.sum(g.x)   →   the same of a source with `k`, `on` and `x` only
        Columns "pivot-reads-columns" at [Relation::Pivot] |cx, node| {
            let pivot = cx.as_pivot(node)?;
            let read = [pivot.keys, pivot.on, pivot.aggregate].map(|body| read_of_param(cx, body, 0)).into_iter().fold(Read::none(), Read::union);
            on_narrower(cx, node, pivot.input, read)
        }
    }
}

fn semi_join_reads_columns() -> Rule {
    rule! {
        /// Of what a semi or anti join only looks into, nothing is needed but what it compares.
        ///
        ///     rel.join{how: semi}(a, source "b": …) |r| {k: r.k} |s| {k: s.k} …   →   the same with a source of `k` only
        Columns "semi-join-reads-columns" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            if !join.how.is_test() {
                return None;
            }
            let Read::Some(needed) = read_of_param(cx, join.right_keys, 0).union(read_of_param(cx, join.predicate, 1)) else { return None };
            let have = fields(cx, join.right)?;
            if needed.len() == have.len() {
                return None;
            }
            let narrowed = narrow(cx, join.right, &needed, 0)?;
            rebase(cx, node, &[join.left, narrowed.node])
        }
    }
}

fn columns_read_of_relation() -> Rule {
    rule! {
        /// One column of a relation needs only that column.
        ///
        ///     rel.columns(t).a   →   rel.columns(rel.project(t) |r| {a: r.a}).a
        ///
        /// Where the columns are read one by one from several places, a relation that is dear to compute stays one.
        Columns "column-of-relation" at [Core::Get] |cx, node| {
            let get = cx.as_get(node)?;
            let columns = cx.as_columns(get.record)?;
            if cx.uses(get.record) > 1 || fields(cx, columns.input)?.len() == 1 {
                return None;
            }
            let narrowed = narrow(cx, columns.input, &BTreeSet::from([get.field.clone()]), 0)?;
            let record = cx.columns(narrowed.node)?;
            cx.get(record, get.field)
        }
    }
}

fn rows_read_nothing() -> Rule {
    rule! {
        /// Counting rows needs no column.
        ///
        ///     rel.rows(source "t": rel{a: i64, b: str})   →   rel.rows(source "t": rel{})
        Columns "rows-read-nothing" at [Relation::Rows] |cx, node| {
            let rows = cx.as_rows(node)?;
            if fields(cx, rows.input)?.is_empty() {
                return None;
            }
            let narrowed = narrow(cx, rows.input, &BTreeSet::new(), 0)?;
            cx.rows(narrowed.node)
        }
    }
}
