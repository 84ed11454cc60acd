//! Filters moved into joins and below them, and predicates of joins moved to a side.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::{all_of, conjuncts, fields, filtered, key_count, map_fields, read, retarget, row_slot, written_out};
use airloom_ir::attrs::{Effect, JoinHow, NullMatch};
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::view::Join;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::types::{Fields, Ty};

pub(super) fn rules() -> Vec<Rule> {
    vec![filter_below_join(), join_predicate_below(), join_key_from_predicate()]
}

fn is_pure(cx: &Cx<'_>, join: &Join) -> bool {
    [join.left_keys, join.right_keys, join.predicate].iter().all(|&b| cx.effect(b) == Effect::Pure)
}

/// A join opened: its inputs' rows, and its parts over them.
struct Opened {
    left_row: NodeId,
    right_row: NodeId,
    left_keys: NodeId,
    right_keys: NodeId,
    predicate: NodeId,
}

fn open(cx: &mut Cx<'_>, join: &Join) -> Option<Opened> {
    let (left_row, right_row) = (row_slot(cx, 2, join.left)?, row_slot(cx, 3, join.right)?);
    Some(Opened {
        left_keys: cx.open(join.left_keys, &[left_row], &join.captures)?,
        right_keys: cx.open(join.right_keys, &[right_row], &join.captures)?,
        predicate: cx.open(join.predicate, &[left_row, right_row], &join.captures)?,
        left_row,
        right_row,
    })
}

fn close(cx: &mut Cx<'_>, join: &Join, opened: &Opened, left: NodeId, right: NodeId, how: JoinHow) -> Option<NodeId> {
    let closed = cx.close_all(&[
        (&[opened.left_row], opened.left_keys),
        (&[opened.right_row], opened.right_keys),
        (&[opened.left_row, opened.right_row], opened.predicate),
    ])?;
    let &[left_keys, right_keys, predicate] = closed.bodies.as_slice() else { return None };
    cx.join(left, right, left_keys, right_keys, predicate, &closed.captures, how, join.nulls, join.major)
}

/// Whether an expression over a row of the join reads only fields of one side.
fn only(cx: &Cx<'_>, expression: NodeId, row: NodeId, side: &Fields) -> bool {
    read(cx, expression, row).within(side)
}

fn filter_below_join() -> Rule {
    rule! {
        /// What a filter asks of one side of a join it can ask before the join; what it asks of both sides of an inner join becomes part of the join.
        ///
        ///     rel.filter(rel.join(a, b) …) |r| and(p(r.x), q(r.x, r.y))   →   rel.join(rel.filter(a) |r| p(r.x), b) … |r, s| q(r.x, s.y)
        ///
        /// Of a left join only the left side is filtered before, of a right join only the right. Not where anything may raise.
        Relational "filter-below-join" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            let join = cx.as_join(filter.input)?;
            if cx.uses(filter.input) > 1 || cx.effect(filter.predicate) != Effect::Pure || !is_pure(cx, &join) {
                return None;
            }
            let (to_left, to_right, into) = match join.how {
                JoinHow::Inner | JoinHow::Cross => (true, true, true),
                JoinHow::Left => (true, false, false),
                JoinHow::Right => (false, true, false),
                JoinHow::Outer | JoinHow::Semi | JoinHow::Anti => return None,
            };
            let (left_fields, right_fields) = (fields(cx, join.left)?, fields(cx, join.right)?);
            let result = row_slot(cx, 1, filter.input)?;
            let predicate = cx.open(filter.predicate, &[result], &filter.captures)?;
            let mut opened = open(cx, &join)?;
            let (mut left, mut right, mut both, mut stay) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for one in conjuncts(cx, predicate) {
                if to_left && only(cx, one, result, &left_fields) {
                    left.push(retarget(cx, one, result, opened.left_row)?);
                } else if to_right && only(cx, one, result, &right_fields) {
                    right.push(retarget(cx, one, result, opened.right_row)?);
                } else if into {
                    let (l, r) = (opened.left_row, opened.right_row);
                    let placed = map_fields(cx, one, result, &mut |graph, name| {
                        graph.get(if left_fields.contains(name) { l } else { r }, name.clone()).map(Some)
                    });
                    match placed {
                        Some(placed) => both.push(placed),
                        None => stay.push(one),
                    }
                } else {
                    stay.push(one);
                }
            }
            if left.is_empty() && right.is_empty() && both.is_empty() {
                return None;
            }
            let new_left = filtered(cx, join.left, opened.left_row, &left)?;
            let new_right = filtered(cx, join.right, opened.right_row, &right)?;
            let mut predicates = conjuncts(cx, opened.predicate);
            predicates.extend(both);
            opened.predicate = all_of(cx, &predicates)?;
            let how = if join.how == JoinHow::Cross { JoinHow::Inner } else { join.how };
            let joined = close(cx, &join, &opened, new_left, new_right, how)?;
            filtered(cx, joined, result, &stay)
        }
    }
}

fn join_predicate_below() -> Rule {
    rule! {
        /// What a join's predicate asks of one side only is a filter of that side.
        ///
        ///     rel.join(a, b) |r| k |s| k |r, s| p(r)   →   rel.join(rel.filter(a) |r| p(r), b) |r| k |s| k |r, s| true
        ///
        /// Of a left or anti join only what is asked of the right side, of a right join only of the left: rows of the other side stay whatever they are.
        Relational "join-predicate-below" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            if !is_pure(cx, &join) {
                return None;
            }
            let (to_left, to_right) = match join.how {
                JoinHow::Inner | JoinHow::Cross | JoinHow::Semi => (true, true),
                JoinHow::Left | JoinHow::Anti => (false, true),
                JoinHow::Right => (true, false),
                JoinHow::Outer => (false, false),
            };
            if crate::rules::bodies::always_true(cx, join.predicate) {
                return None;
            }
            let mut opened = open(cx, &join)?;
            let (mut left, mut right, mut stay) = (Vec::new(), Vec::new(), Vec::new());
            let none = crate::rules::bodies::Read::none();
            for one in conjuncts(cx, opened.predicate) {
                let (reads_left, reads_right) = (read(cx, one, opened.left_row) != none, read(cx, one, opened.right_row) != none);
                if to_left && reads_left && !reads_right {
                    left.push(one);
                } else if to_right && reads_right && !reads_left {
                    right.push(one);
                } else {
                    stay.push(one);
                }
            }
            if left.is_empty() && right.is_empty() {
                return None;
            }
            let new_left = filtered(cx, join.left, opened.left_row, &left)?;
            let new_right = filtered(cx, join.right, opened.right_row, &right)?;
            opened.predicate = all_of(cx, &stay)?;
            close(cx, &join, &opened, new_left, new_right, join.how)
        }
    }
}

fn join_key_from_predicate() -> Rule {
    rule! {
        /// An equality between the sides in a join's predicate is a key, so that the join can be made by hashing.
        ///
        ///     rel.join(a, b) |r| {} |s| {} |r, s| eq(r.x, s.y)   →   rel.join(a, b) |r| {k0: r.x} |s| {k0: s.y} |r, s| true
        ///
        /// Not for floats, whose NaN is equal to itself as a key and not by `eq`; nor beside keys for which null equals null.
        Relational "join-key-from-predicate" at [Relation::Join] |cx, node| {
            let join = cx.as_join(node)?;
            let counted = key_count(cx, join.left_keys);
            if !is_pure(cx, &join) || (join.nulls == NullMatch::Equal && counted > 0) || crate::rules::bodies::always_true(cx, join.predicate) {
                return None;
            }
            let mut opened = open(cx, &join)?;
            let none = crate::rules::bodies::Read::none();
            let side = |cx: &Cx<'_>, id: NodeId, row: NodeId, other: NodeId| read(cx, id, row) != none && read(cx, id, other) == none;
            let (left_keys, right_keys) = (written_out(cx, opened.left_keys)?, written_out(cx, opened.right_keys)?);
            let (mut left, mut right): (Vec<NodeId>, Vec<NodeId>) = (left_keys.values.to_vec(), right_keys.values.to_vec());
            let mut stay = Vec::new();
            for one in conjuncts(cx, opened.predicate) {
                let sides = cx.as_eq(one).and_then(|eq| {
                    let (a, b) = (eq.left, eq.right);
                    if matches!(cx.types().plain(cx.ty_id(a)), Ty::F32 | Ty::F64 | Ty::List(_) | Ty::Struct(_)) {
                        None
                    } else if side(cx, a, opened.left_row, opened.right_row) && side(cx, b, opened.right_row, opened.left_row) {
                        Some((a, b))
                    } else if side(cx, b, opened.left_row, opened.right_row) && side(cx, a, opened.right_row, opened.left_row) {
                        Some((b, a))
                    } else {
                        None
                    }
                });
                match sides {
                    Some((l, r)) => {
                        left.push(l);
                        right.push(r);
                    }
                    None => stay.push(one),
                }
            }
            if left.len() == counted {
                return None;
            }
            let names: Vec<Name> = (0..left.len()).map(|i| Name::from(format!("k{i}"))).collect();
            opened.left_keys = cx.row(&left, names.clone().into())?;
            opened.right_keys = cx.row(&right, names.into())?;
            opened.predicate = all_of(cx, &stay)?;
            let how = if join.how == JoinHow::Cross { JoinHow::Inner } else { join.how };
            let keyed = Join { nulls: NullMatch::Never, ..join };
            close(cx, &keyed, &opened, keyed.left, keyed.right, how)
        }
    }
}
