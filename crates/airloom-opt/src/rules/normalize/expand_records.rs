//! Rows said by what is changed, kept or left out, written out.

use crate::context::Cx;
use crate::rule::{Rule, rule};
use crate::rules::bodies::picked;
use airloom_ir::attrs::Effect;
use airloom_ir::graph::NodeId;
use airloom_ir::name::Name;
use airloom_ir::ops::core::{BuildCore, Core};
use airloom_ir::types::{Fields, Ty};

fn record_fields(cx: &Cx<'_>, record: NodeId) -> Option<Fields> {
    match cx.ty(record) {
        Ty::Struct(fields) => Some(fields.clone()),
        _ => None,
    }
}

/// `with`, written out.
pub(super) fn expand_with() -> Rule {
    rule! {
        /// A row with changes is the row of all its fields, so that every other rule sees one form only.
        ///
        ///     with(r, {b: x})   →   {a: r.a, b: x}
        ///
        /// Not where nothing is read of a row that may raise: it still has to.
        Normalize "expand-with" at [Core::With] |cx, node| {
            let with = cx.as_with(node)?;
            let changed = record_fields(cx, with.changes)?;
            let result = record_fields(cx, node)?;
            let names: Vec<Name> = result.names().cloned().collect();
            let is_read = |record: NodeId| names.iter().any(|n| changed.contains(n) == (record == with.changes));
            if [with.base, with.changes].iter().any(|&record| !is_read(record) && cx.effect(record) != Effect::Pure) {
                return None;
            }
            let mut values = Vec::with_capacity(names.len());
            for name in &names {
                let from = if changed.contains(name) { with.changes } else { with.base };
                values.push(cx.get(from, name.clone())?);
            }
            cx.row(&values, names.into())
        }
    }
}

/// `pick`, written out.
pub(super) fn expand_pick() -> Rule {
    rule! {
        /// Some fields of a struct that is never null are a row of their own.
        ///
        ///     pick{names: ["b"]}(r)   →   {b: r.b}
        Normalize "expand-pick" at [Core::Pick] |cx, node| {
            let pick = cx.as_pick(node)?;
            record_fields(cx, pick.record)?;
            if pick.names.is_empty() && cx.effect(pick.record) != Effect::Pure {
                return None;
            }
            picked(cx, pick.record, &pick.names)
        }
    }
}

/// `without`, written out.
pub(super) fn expand_without() -> Rule {
    rule! {
        /// A struct that is never null without some fields is the row of the others.
        ///
        ///     without{names: ["b"]}(r)   →   {a: r.a}
        Normalize "expand-without" at [Core::Without] |cx, node| {
            let without = cx.as_without(node)?;
            record_fields(cx, without.record)?;
            let names: Vec<Name> = record_fields(cx, node)?.names().cloned().collect();
            if names.is_empty() && cx.effect(without.record) != Effect::Pure {
                return None;
            }
            picked(cx, without.record, &names)
        }
    }
}
