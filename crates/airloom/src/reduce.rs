//! Programs made smaller while something stays true of them: for bug reports.

use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::module::{Function, Module};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::{Table, Value};
use std::sync::Arc;

/// A function and arguments for it.
#[derive(Clone)]
pub struct Case {
    /// The program; its first function is the one.
    pub module: Module,
    /// The arguments.
    pub args: Vec<Value>,
}

/// How many tries a reduction may make.
const MAX_TRIES: usize = 20_000;

/// The smallest case found for which `interesting` is still true. It must be true of the case given.
pub fn reduce(case: Case, interesting: &dyn Fn(&Case) -> bool) -> Case {
    let mut best = case;
    let mut tries = 0;
    loop {
        let before = size(&best);
        shrink_rows(&mut best, interesting, &mut tries);
        shrink_nodes(&mut best, interesting, &mut tries);
        if size(&best) >= before || tries >= MAX_TRIES {
            return best;
        }
    }
}

fn size(case: &Case) -> (usize, usize) {
    let rows = case.args.iter().map(|v| if let Value::Rel(t) = v { t.rows.len() } else { 0 }).sum();
    (case.module.graph.post_order(&case.module.roots()).len(), rows)
}

/// Leaves out rows of relations, in halves, then quarters, then one by one.
fn shrink_rows(best: &mut Case, interesting: &dyn Fn(&Case) -> bool, tries: &mut usize) {
    for at in 0..best.args.len() {
        let Value::Rel(table) = best.args[at].clone() else { continue };
        let mut rows = table.rows.clone();
        let mut chunk = rows.len().div_ceil(2);
        while chunk > 0 {
            let mut start = 0;
            while start < rows.len() && *tries < MAX_TRIES {
                let mut fewer = rows.clone();
                fewer.drain(start..(start + chunk).min(rows.len()));
                let mut candidate = best.clone();
                candidate.args[at] = Value::Rel(Arc::new(Table { width: table.width, rows: fewer.clone() }));
                *tries += 1;
                if interesting(&candidate) {
                    *best = candidate;
                    rows = fewer;
                } else {
                    start += chunk;
                }
            }
            chunk /= 2;
        }
    }
}

/// Replaces nodes by their own arguments, by parameters or by constants of the same type, from the root down.
fn shrink_nodes(best: &mut Case, interesting: &dyn Fn(&Case) -> bool, tries: &mut usize) {
    let mut skip = 0;
    loop {
        let Some(function) = best.module.functions.first().cloned() else { return };
        let order: Vec<NodeId> = best.module.graph.post_order(&[function.lambda]).into_iter().rev().collect();
        let Some(&victim) = order.get(skip) else { return };
        if *tries >= MAX_TRIES {
            return;
        }
        let smaller = substitutes(&mut best.module.graph, victim).into_iter().find_map(|substitute| {
            *tries += 1;
            let mut candidate = best.clone();
            let made = candidate.module.graph.rebuild(function.lambda, &mut |_, id| Ok((id == victim).then_some(substitute)));
            let lambda = made.ok().filter(|&l| l != function.lambda && is_function(&candidate.module.graph, l))?;
            let compacted = candidate.module.graph.compact(&[lambda]);
            let lambda = compacted.moved[&lambda];
            candidate.module =
                Module { graph: compacted.graph, functions: vec![Function { name: function.name.clone(), lambda }], ..Module::default() };
            (size(&candidate) < size(best) && interesting(&candidate)).then_some(candidate)
        });
        match smaller {
            Some(smaller) => *best = smaller,
            None => skip += 1,
        }
    }
}

fn is_function(graph: &Graph, id: NodeId) -> bool {
    graph.as_lambda(id).is_some()
}

/// Nodes of the same type that may replace `victim`.
fn substitutes(graph: &mut Graph, victim: NodeId) -> Vec<NodeId> {
    let ty = graph.ty_id(victim);
    let mut found: Vec<NodeId> = graph.block_order(&[victim]).into_iter().filter(|&id| id != victim && graph.ty_id(id) == ty).collect();
    if graph.const_value(victim).is_none()
        && let Some(value) = plain_value(graph, ty)
        && let Ok(constant) = graph.constant(value, ty)
    {
        found.push(constant);
    }
    found.truncate(16);
    found
}

fn plain_value(graph: &Graph, ty: TyId) -> Option<Value> {
    match graph.types().get(ty) {
        Ty::Option(_) => Some(Value::Null),
        Ty::Bool => Some(Value::Bool(true)),
        Ty::Int(_) | Ty::Date | Ty::Timestamp { .. } | Ty::Duration(_) | Ty::Decimal { .. } => Some(Value::Int(0)),
        Ty::F64 => Some(Value::F64(0.0)),
        Ty::F32 => Some(Value::F32(0.0)),
        Ty::Str => Some(Value::str("")),
        _ => None,
    }
}
