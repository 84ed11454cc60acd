//! A relation with fewer columns.

use crate::context::Cx;
use crate::rules::bodies::{Read, changes_nothing, fields, key_count, picked, projected, pure_bodies, read_of_param, row_slot};
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::ops::{Make, Op};
use airloom_ir::types::Fields;
use std::collections::BTreeSet;

/// How far down narrowing goes in one step; below that a projection takes the columns away.
const MAX_DEPTH: u32 = 64;

/// A relation that has been narrowed.
pub(super) struct Narrowed {
    pub(super) node: NodeId,
    /// Whether fewer columns flow through a node that is neither a projection nor a filter.
    pub(super) gained: bool,
}

/// `relation` with the columns `wanted`, in the order it has them, and perhaps some more that it needs for itself; nothing where that gains nothing.
pub(super) fn narrow(cx: &mut Cx<'_>, relation: NodeId, wanted: &BTreeSet<Name>, depth: u32) -> Option<Narrowed> {
    let have = fields(cx, relation)?;
    let names: Vec<Name> = have.names().filter(|n| wanted.contains(*n)).cloned().collect();
    // What another node reads too would be computed twice, once narrow and once wide. What is only read of a source, row by row, may be: who reads few columns
    // of it would otherwise read all that anybody does.
    let shared = cx.uses(relation) > 1 && !is_read_row_by_row(cx, relation);
    if names.len() == have.len() || shared || depth >= MAX_DEPTH {
        return None;
    }
    through(cx, relation, &names, wanted, depth).filter(|n| n.gained)
}

/// Whether a relation is a source, filtered and projected.
fn is_read_row_by_row(cx: &Cx<'_>, relation: NodeId) -> bool {
    let mut at = relation;
    for _ in 0..MAX_DEPTH {
        match cx.op(at) {
            Op::Core(Core::Source) => return true,
            Op::Relation(Relation::Filter | Relation::Project) => at = cx.args(at)[0],
            _ => return false,
        }
    }
    false
}

/// `relation` with the columns `wanted` and no others, in the order it has them: a projection takes away what narrowing leaves.
fn exactly(cx: &mut Cx<'_>, relation: NodeId, wanted: &BTreeSet<Name>, depth: u32) -> Option<Narrowed> {
    let have = fields(cx, relation)?;
    let names: Vec<Name> = have.names().filter(|n| wanted.contains(*n)).cloned().collect();
    let Narrowed { node, gained } = narrow(cx, relation, wanted, depth).unwrap_or(Narrowed { node: relation, gained: false });
    let node = if fields(cx, node)?.len() == names.len() { node } else { projected(cx, node, &names)? };
    Some(Narrowed { node, gained })
}

/// The same op on narrower inputs, or nothing where that brings nothing.
fn through(cx: &mut Cx<'_>, relation: NodeId, names: &[Name], wanted: &BTreeSet<Name>, depth: u32) -> Option<Narrowed> {
    let gained = |node: NodeId| Narrowed { node, gained: true };
    match cx.op(relation) {
        Op::Core(Core::Source) => {
            let source = cx.as_source(relation)?;
            let have = fields(cx, relation)?;
            let list = names.iter().map(|n| Some((n.clone(), have.ty(n)?))).collect::<Option<Vec<_>>>()?;
            let ty = cx.graph_mut().types_mut().rel_of(list).ok()?;
            cx.source(source.name, ty).map(gained)
        }
        Op::Relation(Relation::Project) => {
            let project = cx.as_project(relation)?;
            if cx.effect(project.row) != Effect::Pure {
                return None;
            }
            let row = row_slot(cx, 4, project.input)?;
            let result = cx.open(project.row, &[row], &project.captures)?;
            let kept = picked(cx, result, names)?;
            let kept = simplified_row(cx, kept)?;
            let (body, captures) = cx.close(&[row], kept)?;
            let narrower = cx.project(project.input, body, &captures)?;
            // A column that is only passed on costs nothing; one that is computed, or one that need not be there below, does.
            let fewer = computed(cx, project.row) > computed(cx, body);
            let needed = read_of_param(cx, body, 0);
            match inner(cx, project.input, needed, depth) {
                Some(below) if below.gained => {
                    let rebased = rebase(cx, narrower, &[below.node])?;
                    Some(gained(if changes_nothing(cx, rebased) { below.node } else { rebased }))
                }
                _ => Some(Narrowed { node: narrower, gained: fewer }),
            }
        }
        Op::Relation(
            Relation::Filter
            | Relation::Sort
            | Relation::Top
            | Relation::Distinct
            | Relation::Slice
            | Relation::Unordered
            | Relation::Sample,
        ) => {
            let own = own_reads(cx, relation);
            let below = inner(cx, cx.args(relation)[0], own.union(Read::Some(wanted.clone())), depth)?;
            // Columns flow through a filter as through a projection; everything else handles them.
            let lighter = below.gained || cx.op(relation) != Op::Relation(Relation::Filter);
            rebase(cx, relation, &[below.node]).map(|node| Narrowed { node, gained: lighter })
        }
        Op::Relation(Relation::Number) => {
            let number = cx.as_number(relation)?;
            if !wanted.contains(&number.name) {
                // Nobody asks for the number: it need not be made.
                return exactly(cx, number.input, wanted, depth + 1).map(|n| gained(n.node));
            }
            let below = inner(cx, number.input, Read::Some(wanted.iter().filter(|n| **n != number.name).cloned().collect()), depth)?;
            cx.number(below.node, number.name, number.start).map(gained)
        }
        Op::Relation(Relation::Concat) => {
            let concat = cx.as_concat(relation)?;
            let mut inputs = Args::new();
            for &input in &concat.inputs {
                inputs.push(exactly(cx, input, wanted, depth + 1)?.node);
            }
            cx.concat(&inputs).map(gained)
        }
        Op::Relation(Relation::Join) => join(cx, relation, wanted, depth),
        Op::Relation(Relation::Group) => group(cx, relation, wanted),
        Op::Relation(Relation::Window) => window(cx, relation, wanted, depth),
        _ => None,
    }
}

/// How many columns of a row body are computed, not only passed on.
pub(crate) fn computed(graph: &Graph, lambda: NodeId) -> u64 {
    let passed = |&v: &NodeId| graph.as_get(v).is_some_and(|g| graph.as_param(g.record).is_some_and(|p| p.number == 0));
    match graph.as_row(graph.result_of(lambda)) {
        Some(row) => row.values.iter().filter(|v| !passed(v)).count() as u64,
        None => 0,
    }
}

/// An input narrowed to what is read of it; nothing where that is all of it.
fn inner(cx: &mut Cx<'_>, input: NodeId, read: Read, depth: u32) -> Option<Narrowed> {
    let Read::Some(needed) = read else { return None };
    let have = fields(cx, input)?;
    let needed: BTreeSet<Name> = needed.into_iter().filter(|n| have.contains(n)).collect();
    if needed.len() == have.len() {
        return None;
    }
    exactly(cx, input, &needed, depth + 1)
}

/// What the bodies of a node with one input read of its rows.
fn own_reads(cx: &Cx<'_>, node: NodeId) -> Read {
    let bodies = cx.op(node).def().bodies.len();
    let fixed = cx.op(node).def().args.len();
    let read = |at: usize| read_of_param(cx, cx.args(node)[fixed + at], 0);
    (0..bodies).map(read).fold(Read::none(), Read::union)
}

/// The same node on other inputs, its bodies written anew for their rows: each body takes one row of the first input, or of the columns of it.
pub(super) fn rebase(cx: &mut Cx<'_>, node: NodeId, inputs: &[NodeId]) -> Option<NodeId> {
    let def = cx.op(node).def();
    let parts = def.parts(cx.args(node))?;
    let (mut fixed, bodies, captures): (Args, Args, Args) = (parts.fixed.into(), parts.bodies.into(), parts.tail.into());
    fixed[..inputs.len()].copy_from_slice(inputs);
    let arg_types: Vec<_> = fixed.iter().map(|&a| cx.ty_id(a)).collect();
    let attrs = cx.node(node).attrs().to_vec();
    let (mut results, mut opened): (Vec<airloom_ir::types::TyId>, Vec<(Vec<NodeId>, NodeId)>) = (Vec::new(), Vec::new());
    for (which, &body) in bodies.iter().enumerate() {
        let params = airloom_ir::typing::body_params(cx.graph_mut().types_mut(), def, &attrs, &arg_types, &results, which).ok()?;
        let mut holes = Vec::new();
        for (number, ty) in params.into_iter().enumerate() {
            holes.push(cx.slot(10 + (which * 2 + number) as u8, ty)?);
        }
        let result = cx.open(body, &holes, &captures)?;
        results.push(cx.ty_id(result));
        opened.push((holes, result));
    }
    let list: Vec<(&[NodeId], NodeId)> = opened.iter().map(|(holes, result)| (holes.as_slice(), *result)).collect();
    let closed = cx.close_all(&list)?;
    let tail: Args = if bodies.is_empty() { captures } else { closed.captures };
    let args: Args = fixed.iter().chain(&closed.bodies).chain(&tail).copied().collect();
    cx.make(cx.op(node), attrs.into(), &args)
}

/// `{a: {a: x, b: y}.a}` is `{a: x}`.
fn simplified_row(cx: &mut Cx<'_>, row: NodeId) -> Option<NodeId> {
    let view = cx.as_row(row)?;
    let mut values = Args::new();
    for &value in &view.values {
        let direct = cx.as_get(value).and_then(|get| {
            let inner = cx.as_row(get.record)?;
            let at = inner.names.iter().position(|n| *n == get.field)?;
            Some(inner.values[at])
        });
        values.push(direct.unwrap_or(value));
    }
    cx.row(&values, view.names)
}

fn join(cx: &mut Cx<'_>, relation: NodeId, wanted: &BTreeSet<Name>, depth: u32) -> Option<Narrowed> {
    let join = cx.as_join(relation)?;
    let (left_fields, right_fields) = (fields(cx, join.left)?, fields(cx, join.right)?);
    let passes = !join.how.is_test();
    let of = |side: &Fields| Read::Some(wanted.iter().filter(|n| side.contains(n)).cloned().collect());
    let left = read_of_param(cx, join.left_keys, 0).union(read_of_param(cx, join.predicate, 0)).union(of(&left_fields));
    let right = read_of_param(cx, join.right_keys, 0).union(read_of_param(cx, join.predicate, 1));
    let right = if passes { right.union(of(&right_fields)) } else { right };
    let (narrow_left, narrow_right) = (inner(cx, join.left, left, depth), inner(cx, join.right, right, depth));
    if narrow_left.is_none() && narrow_right.is_none() {
        return None;
    }
    // A side that is only looked into does not make the join narrower by itself.
    let gained = narrow_left.is_some() || passes || narrow_right.as_ref().is_some_and(|n| n.gained);
    let node = |side: Option<Narrowed>, whole: NodeId| side.map_or(whole, |n| n.node);
    let inputs = [node(narrow_left, join.left), node(narrow_right, join.right)];
    rebase(cx, relation, &inputs).map(|node| Narrowed { node, gained })
}

/// A group without the aggregates that nobody reads; its keys stay, since they say what the groups are.
fn group(cx: &mut Cx<'_>, relation: NodeId, wanted: &BTreeSet<Name>) -> Option<Narrowed> {
    let group = cx.as_group(relation)?;
    let aggregates = cx.as_row(cx.result_of(group.aggregates))?;
    let kept: Vec<Name> = aggregates.names.iter().filter(|n| wanted.contains(*n)).cloned().collect();
    if kept.len() == aggregates.names.len()
        || cx.effect(group.aggregates) != Effect::Pure
        || key_count(cx, group.keys) == 0 && kept.is_empty()
    {
        return None;
    }
    let params = cx.params_of(group.aggregates).to_vec();
    let values: Args = aggregates.names.iter().zip(&aggregates.values).filter(|(n, _)| kept.contains(n)).map(|(_, &v)| v).collect();
    let result = cx.row(&values, kept.into())?;
    let body = cx.lambda(result, params.into())?;
    cx.group(group.input, group.keys, body, &group.captures).map(|node| Narrowed { node, gained: true })
}

/// A window without the columns that nobody reads.
fn window(cx: &mut Cx<'_>, relation: NodeId, wanted: &BTreeSet<Name>, depth: u32) -> Option<Narrowed> {
    let window = cx.as_window(relation)?;
    let columns = cx.as_row(cx.result_of(window.columns))?;
    let have = fields(cx, window.input)?;
    if cx.effect(window.columns) != Effect::Pure {
        return None;
    }
    let kept: Vec<Name> = columns.names.iter().filter(|n| wanted.contains(*n)).cloned().collect();
    if kept.is_empty() && pure_bodies(cx, relation) {
        return exactly(cx, window.input, wanted, depth + 1).map(|n| Narrowed { node: n.node, gained: true });
    }
    let params = cx.params_of(window.columns).to_vec();
    let values: Args = columns.names.iter().zip(&columns.values).filter(|(n, _)| kept.contains(n)).map(|(_, &v)| v).collect();
    let fewer = kept.len() < columns.names.len();
    let result = cx.row(&values, kept.into())?;
    let body = cx.lambda(result, params.into())?;
    let node = cx.window(window.input, window.partition, window.order, body, &window.captures, window.by.clone())?;
    let passed = Read::Some(wanted.iter().filter(|n| have.contains(n)).cloned().collect());
    let read =
        read_of_param(cx, window.partition, 0).union(read_of_param(cx, window.order, 0)).union(read_of_param(cx, body, 0)).union(passed);
    match inner(cx, window.input, read, depth) {
        Some(below) => rebase(cx, node, &[below.node]).map(|node| Narrowed { node, gained: true }),
        None => fewer.then_some(Narrowed { node, gained: true }),
    }
}
