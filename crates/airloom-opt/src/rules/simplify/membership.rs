//! Membership: what is one of several.

use super::chains::{all_parts, any_parts};
use crate::context::Cx;
use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::attrs::{NanOrder, NullMatch};
use airloom_ir::graph::{Args, Graph, NodeId};
use airloom_ir::ops::logic::{BuildLogic, Logic};
use airloom_ir::types::{Ty, TyId, Types};
use std::collections::BTreeSet;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// To be one of one is to be equal to it.
        "is-in-one": "is_in{nulls: never}(?x, ?y)" => "eq(?x, ?y)";
        /// To be one of one, null and NaN counted, is to be the same.
        "is-in-one-equal": "is_in{nulls: equal}(?x, ?y)" => "same(?x, ?y)";
        /// Nothing is one of none.
        "is-in-none": "is_in(?x:value!)" => "false";
    } };
    all.extend([is_in_once(), is_in_from_equalities(), not_in_from_inequalities()].map(Ok));
    all
}

/// How many items are put together: a list that grew by one at each link of a long chain would be written out as many times.
const MOST: usize = 64;

fn is_in_once() -> Rule {
    rule! {
        /// An item counts once.
        ///
        ///     is_in(x, 1, 2, 1)   →   is_in(x, 1, 2)
        Simplify "is-in-once" at [Logic::IsIn] |cx, node| {
            let is_in = cx.as_is_in(node)?;
            let items = once(&is_in.items);
            if items.len() == is_in.items.len() { None } else { cx.is_in(is_in.value, &items, is_in.nulls) }
        }
    }
}

fn once(items: &[NodeId]) -> Args {
    let mut seen = BTreeSet::new();
    items.iter().copied().filter(|&item| seen.insert(item)).collect()
}

fn is_in_from_equalities() -> Rule {
    rule! {
        /// To be equal to one constant or another is to be one of them.
        ///
        ///     or(eq(x, 1), or(p, eq(x, 2)))   →   or(is_in(x, 1, 2), p)
        ///
        /// Null is null in both, and NaN equals nothing in both; so not where NaN equals itself.
        Simplify "is-in-from-equalities" at [Logic::Or] |cx, node| {
            let parts = any_parts(cx, node)?;
            merged(cx, &parts, equals, |cx, value, items| cx.is_in(value, items, NullMatch::Never), |cx, all, one| cx.or(all, one))
        }
    }
}

fn not_in_from_inequalities() -> Rule {
    rule! {
        /// To differ from one constant and from another is to be none of them.
        ///
        ///     and(ne(x, 1), and(p, ne(x, 2)))   →   and(not(is_in(x, 1, 2)), p)
        Simplify "not-in-from-inequalities" at [Logic::And] |cx, node| {
            let parts = all_parts(cx, node)?;
            let none_of = |cx: &mut Cx<'_>, value: NodeId, items: &[NodeId]| {
                let is_in = cx.is_in(value, items, NullMatch::Never)?;
                cx.not(is_in)
            };
            merged(cx, &parts, differs, none_of, |cx, all, one| cx.and(all, one))
        }
    }
}

/// What a condition asks: of which value, and among which constants.
type Asked = (NodeId, Args);

/// The chain with two of its parts, which ask of the same value, made one.
fn merged(
    cx: &mut Cx<'_>,
    parts: &[NodeId],
    asks: fn(&Graph, NodeId) -> Option<Asked>,
    one: impl Fn(&mut Cx<'_>, NodeId, &[NodeId]) -> Option<NodeId>,
    join: impl Fn(&mut Cx<'_>, NodeId, NodeId) -> Option<NodeId>,
) -> Option<NodeId> {
    let asked: Vec<Option<Asked>> = parts.iter().map(|&part| asks(cx, part)).collect();
    let meets = |(value, items): &Asked, (other, more): &Asked| value == other && items.len() + more.len() <= MOST;
    let partner = |first: usize| {
        let asked_first = asked[first].as_ref()?;
        (first + 1..parts.len()).find(|&second| asked[second].as_ref().is_some_and(|other| meets(asked_first, other)))
    };
    let (first, second) = (0..parts.len()).find_map(|first| partner(first).map(|second| (first, second)))?;
    let ((value, items), (_, more)) = (asked[first].as_ref()?, asked[second].as_ref()?);
    let items: Args = items.iter().chain(more).copied().collect();
    let both = one(cx, *value, &once(&items))?;
    let mut left = parts.iter().enumerate().filter(|(at, _)| *at != second).map(|(at, &part)| if at == first { both } else { part });
    let head = left.next()?;
    left.try_fold(head, |all, part| join(cx, all, part))
}

/// The value and the constants to one of which it is equal.
fn equals(graph: &Graph, id: NodeId) -> Option<Asked> {
    if let Some(is_in) = graph.as_is_in(id) {
        let grows = (1..MOST).contains(&is_in.items.len());
        let constant = || is_in.items.iter().all(|&item| graph.is_constant(item));
        return (is_in.nulls == NullMatch::Never && grows && constant()).then_some((is_in.value, is_in.items));
    }
    let eq = graph.as_eq(id)?;
    with_constant(graph, eq.left, eq.right, eq.nan)
}

/// The value and the constants from all of which it differs.
fn differs(graph: &Graph, id: NodeId) -> Option<Asked> {
    if let Some(not) = graph.as_not(id) {
        return graph.as_is_in(not.value).and_then(|_| equals(graph, not.value));
    }
    let ne = graph.as_ne(id)?;
    with_constant(graph, ne.left, ne.right, ne.nan)
}

fn with_constant(graph: &Graph, left: NodeId, right: NodeId, nan: NanOrder) -> Option<Asked> {
    if nan == NanOrder::Total && has_floats(graph.types(), graph.ty_id(left)) {
        return None;
    }
    match (graph.is_constant(left), graph.is_constant(right)) {
        (false, true) => Some((left, Args::from_slice(&[right]))),
        (true, false) => Some((right, Args::from_slice(&[left]))),
        _ => None,
    }
}

/// Whether there may be a NaN in a value of a type. Types nest at most so deep, so this may recurse.
pub(super) fn has_floats(types: &Types, ty: TyId) -> bool {
    match types.plain(ty) {
        Ty::F32 | Ty::F64 => true,
        Ty::List(element) => has_floats(types, *element),
        Ty::Struct(fields) => fields.iter().any(|f| has_floats(types, f.ty)),
        _ => false,
    }
}
