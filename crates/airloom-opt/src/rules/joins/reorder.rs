//! The rules that choose an order.

use super::cluster::{Cluster, Set, Tree, equal};
use super::plan::{Estimates, best};
use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{all_of, fields, filtered, map_fields, projected, row_slot};
use crate::stage::chosen_key;
use airloom_ir::attrs::{JoinHow, NullMatch, Side, SortKey};
use airloom_ir::graph::{Args, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::ops::{Make, Op};
use std::collections::BTreeSet;

/// How much cheaper a tree must be to be worth changing at all: estimates are rough.
const BETTER: f64 = 0.9;
/// And to be worth numbering and sorting for.
const MUCH_BETTER: f64 = 0.25;

pub(super) fn reorder_joins() -> Rule {
    rule! {
        /// Inner joins whose row order nobody looks at are made in the order that is estimated to make the fewest rows on the way.
        ///
        ///     rel.unordered(rel.join(rel.join(a, b) …, c) …)   →   rel.unordered(rel.project(rel.join(rel.join(a, c) …, b) …) …)
        ///
        /// Needs the sizes of all that is joined.
        Joins "reorder-joins" at [Relation::Unordered] |cx, node| {
            let unordered = cx.as_unordered(node)?;
            let names: Vec<Name> = fields(cx, node)?.names().cloned().collect();
            let cluster = Cluster::collect(cx, unordered.input)?;
            if cluster.chosen {
                return None;
            }
            let estimates = Estimates::new(cx, &cluster)?;
            let tree = best(&cluster, &estimates);
            if estimates.cost(&tree) > estimates.cost(&cluster.tree) * BETTER {
                return None;
            }
            let joined = assemble(cx, &cluster, &cluster.leaves, &tree)?;
            let ordered = projected(cx, joined, &names)?;
            cx.unordered(ordered)
        }
    }
}

pub(super) fn reorder_joins_in_order() -> Rule {
    rule! {
        /// Inner joins whose row order is promised are made in a cheaper order too, where that spares most of the work: rows are numbered before and sorted after.
        ///
        ///     rel.group(rel.join(rel.join(a, b) …, c) …) …   →   rel.group(rel.project(rel.sort(rel.join(rel.join(rel.number(a), rel.number(c)) …, rel.number(b)) …) …) …) …
        Joins "reorder-joins-in-order" at [Relation::Project, Relation::Filter, Relation::Group, Relation::Sort, Relation::Top, Relation::Slice, Relation::Distinct] |cx, node| {
            let top = cx.args(node)[0];
            if cx.op(top) != Op::Relation(Relation::Join) || cx.uses(top) > 1 {
                return None;
            }
            let names: Vec<Name> = fields(cx, top)?.names().cloned().collect();
            let cluster = Cluster::collect(cx, top)?;
            if cluster.chosen {
                return None;
            }
            let estimates = Estimates::new(cx, &cluster)?;
            let tree = best(&cluster, &estimates);
            let rows = estimates.rows(tree.set());
            let sorting = rows * rows.log2().max(1.0) + cluster.leaves.len() as f64;
            if estimates.cost(&tree) + sorting > estimates.cost(&cluster.tree) * MUCH_BETTER {
                return None;
            }
            let mut numbered = cluster.leaves.clone();
            let mut by = Vec::new();
            for at in ordering_leaves(cx, &cluster) {
                let name = free_name(&names, at);
                numbered[at] = cx.number(numbered[at], name.clone(), 0)?;
                by.push(name);
            }
            let joined = assemble(cx, &cluster, &numbered, &tree)?;
            let row = row_slot(cx, 43, joined)?;
            let keys = crate::rules::bodies::picked(cx, row, &by)?;
            let (body, captures) = cx.close(&[row], keys)?;
            let rising = vec![SortKey { descending: false, nulls_first: false }; by.len()];
            let sorted = cx.sort(joined, body, &captures, rising.into())?;
            let result = projected(cx, sorted, &names)?;
            let mut args: Args = cx.args(node).into();
            args[0] = result;
            let (op, attrs) = (cx.op(node), cx.node(node).attrs().into());
            cx.make(op, attrs, &args)
        }
    }
}

/// The leaves by whose row numbers rows are put in order. One whose row those before it determine, since it has each key once, tells no two rows apart.
fn ordering_leaves(cx: &mut Cx<'_>, cluster: &Cluster) -> Vec<usize> {
    let mut ordering = Vec::new();
    let mut determined: Set = 0;
    for &at in &cluster.order {
        if determined >> at & 1 == 1 {
            continue;
        }
        ordering.push(at);
        determined |= 1 << at;
        while let Some(more) =
            (0..cluster.leaves.len()).find(|&leaf| determined >> leaf & 1 == 0 && is_determined(cx, cluster, leaf, determined))
        {
            determined |= 1 << more;
        }
    }
    ordering
}

/// Whether no two rows of a leaf go with the same rows of others: its keys are made of theirs, and no two of its rows have the same.
fn is_determined(cx: &mut Cx<'_>, cluster: &Cluster, leaf: usize, others: Set) -> bool {
    let own: Set = 1 << leaf;
    let mut keys = BTreeSet::new();
    for edge in &cluster.edges {
        for ((key, of), (_, other)) in [(edge.left, edge.right), (edge.right, edge.left)] {
            if of == own && other & !others == 0 {
                keys.extend(cx.as_get(key).filter(|get| get.record == cluster.whole).map(|get| get.field));
            }
        }
    }
    let (facts, graph) = cx.facts();
    facts.relation(graph, cluster.leaves[leaf]).is_unique(&keys)
}

/// A name for a row number that no column has.
fn free_name(taken: &[Name], at: usize) -> Name {
    let mut name = format!("row_{at}");
    while taken.iter().any(|t| t.as_str() == name) {
        name.push('_');
    }
    Name::from(name)
}

/// The tree put together of joins of `leaves`, every condition at the first join that has all it reads.
fn assemble(cx: &mut Cx<'_>, cluster: &Cluster, leaves: &[NodeId], tree: &Tree) -> Option<NodeId> {
    match tree {
        Tree::Leaf(at) => {
            // What reads nothing is asked of one leaf: without its rows there are none.
            let is_own = |set: Set| set == 1 << at || (set == 0 && *at == 0);
            let own: Vec<NodeId> = cluster.predicates.iter().filter(|(_, set)| is_own(*set)).map(|(p, _)| *p).collect();
            let row = row_slot(cx, 44, leaves[*at])?;
            let mut placed = Vec::new();
            for one in own {
                placed.push(crate::rules::bodies::retarget(cx, one, cluster.whole, row)?);
            }
            filtered(cx, leaves[*at], row, &placed)
        }
        Tree::Join(left_tree, right_tree) => {
            let (left, right) = (assemble(cx, cluster, leaves, left_tree)?, assemble(cx, cluster, leaves, right_tree)?);
            join(cx, cluster, (left, left_tree.set()), (right, right_tree.set()))
        }
    }
}

fn join(cx: &mut Cx<'_>, cluster: &Cluster, (left, left_set): (NodeId, Set), (right, right_set): (NodeId, Set)) -> Option<NodeId> {
    let (left_row, right_row) = (row_slot(cx, 45, left)?, row_slot(cx, 46, right)?);
    let left_fields = fields(cx, left)?;
    let both = left_set | right_set;
    let is_new = |set: Set| set & !both == 0 && set & !left_set != 0 && set & !right_set != 0;
    let place = |cx: &mut Cx<'_>, id: NodeId| {
        map_fields(cx, id, cluster.whole, &mut |graph, name| {
            let row = if left_fields.contains(name) { left_row } else { right_row };
            graph.get(row, name.clone()).map(Some)
        })
    };
    let (mut left_keys, mut right_keys, mut predicates) = (Vec::new(), Vec::new(), Vec::new());
    for edge in &cluster.edges {
        let ((a, a_set), (b, b_set)) = (edge.left, edge.right);
        if !is_new(a_set | b_set) {
            continue;
        }
        let (a, b) = (place(cx, a)?, place(cx, b)?);
        if a_set & !left_set == 0 && b_set & !right_set == 0 {
            left_keys.push(a);
            right_keys.push(b);
        } else if b_set & !left_set == 0 && a_set & !right_set == 0 {
            left_keys.push(b);
            right_keys.push(a);
        } else {
            // A key that is made of both sides is no key any more.
            predicates.push(equal(cx, a, b)?);
        }
    }
    for &(predicate, set) in &cluster.predicates {
        if is_new(set) {
            predicates.push(place(cx, predicate)?);
        }
    }
    let names: Vec<Name> = (0..left_keys.len()).map(|i| Name::from(chosen_key(i))).collect();
    let how = if names.is_empty() && predicates.is_empty() { JoinHow::Cross } else { JoinHow::Inner };
    let left_result = cx.row(&left_keys, names.clone().into())?;
    let right_result = cx.row(&right_keys, names.into())?;
    let predicate = all_of(cx, &predicates)?;
    let closed = cx.close_all(&[(&[left_row], left_result), (&[right_row], right_result), (&[left_row, right_row], predicate)])?;
    let &[left_body, right_body, predicate_body] = closed.bodies.as_slice() else { return None };
    cx.join(left, right, left_body, right_body, predicate_body, &closed.captures, how, NullMatch::Never, Side::Left)
}
