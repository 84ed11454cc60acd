//! Conditions of many parts.

use crate::rule::{Rule, RuleError, rule};
use crate::rules::bodies::all_of;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::logic::{BuildLogic, Logic};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [repeated_conjuncts(), repeated_disjuncts(), factor_conjuncts()].map(Ok).into()
}

/// How long a chain is looked at. A program may be one chain of a hundred thousand, and the rules look at it from each of its links.
const LONGEST: usize = 64;

/// The conditions of a chain of `and`, from left to right; nothing where there are too many.
pub(super) fn all_parts(graph: &Graph, node: NodeId) -> Option<Vec<NodeId>> {
    parts(node, |id| graph.as_and(id).map(|and| [and.left, and.right]))
}

/// The choices of a chain of `or`, from left to right; nothing where there are too many.
pub(super) fn any_parts(graph: &Graph, node: NodeId) -> Option<Vec<NodeId>> {
    parts(node, |id| graph.as_or(id).map(|or| [or.left, or.right]))
}

fn parts(node: NodeId, sides: impl Fn(NodeId) -> Option<[NodeId; 2]>) -> Option<Vec<NodeId>> {
    let mut found = Vec::new();
    let mut stack = vec![node];
    while let Some(id) = stack.pop() {
        match sides(id) {
            Some([left, right]) => stack.extend([right, left]),
            None => found.push(id),
        }
        if found.len() + stack.len() > LONGEST {
            return None;
        }
    }
    Some(found)
}

fn once(parts: &[NodeId]) -> Vec<NodeId> {
    let mut kept = Vec::with_capacity(parts.len());
    for &part in parts {
        if !kept.contains(&part) {
            kept.push(part);
        }
    }
    kept
}

fn repeated_conjuncts() -> Rule {
    rule! {
        /// A condition is asked for once, however far apart its duplicates are.
        ///
        ///     and(and(p, q), p)   →   and(p, q)
        Simplify "repeated-conjuncts" at [Logic::And] |cx, node| {
            let parts = all_parts(cx, node)?;
            let kept = once(&parts);
            if kept.len() == parts.len() { None } else { all_of(cx, &kept) }
        }
    }
}

fn repeated_disjuncts() -> Rule {
    rule! {
        /// A choice is given once, however far apart its duplicates are.
        ///
        ///     or(or(p, q), p)   →   or(p, q)
        Simplify "repeated-disjuncts" at [Logic::Or] |cx, node| {
            let parts = any_parts(cx, node)?;
            let kept = once(&parts);
            if kept.len() == parts.len() {
                return None;
            }
            let (&first, rest) = kept.split_first()?;
            rest.iter().try_fold(first, |any, &part| cx.or(any, part))
        }
    }
}

fn factor_conjuncts() -> Rule {
    rule! {
        /// What both sides of a choice ask for is asked for once, before the choice: a filter can then take it by itself.
        ///
        ///     or(and(p, q), and(p, r))   →   and(p, or(q, r))
        ///
        /// Where one side asks for nothing more, neither need the other; but what may raise there still has to.
        Simplify "factor-conjuncts" at [Logic::Or] |cx, node| {
            let or = cx.as_or(node)?;
            let (left, right) = (all_parts(cx, or.left)?, all_parts(cx, or.right)?);
            let (common, left): (Vec<NodeId>, Vec<NodeId>) = left.into_iter().partition(|p| right.contains(p));
            if common.is_empty() {
                return None;
            }
            let right: Vec<NodeId> = right.into_iter().filter(|p| !common.contains(p)).collect();
            let mut parts = once(&common);
            if left.is_empty() || right.is_empty() {
                if left.iter().chain(&right).any(|&p| cx.effect(p) != Effect::Pure) {
                    return None;
                }
            } else {
                let (left, right) = (all_of(cx, &left)?, all_of(cx, &right)?);
                parts.push(cx.or(left, right)?);
            }
            let made = all_of(cx, &parts)?;
            (cx.ty_id(made) == cx.ty_id(node)).then_some(made)
        }
    }
}
