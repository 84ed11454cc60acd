//! Filters whose predicate is known.

use crate::rule::{Rule, rule};
use crate::rules::bodies::{always_true, pure_bodies};
use airloom_ir::ops::core::BuildCore;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::types::TyId;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Rule> {
    vec![filter_of_true(), filter_of_false()]
}

fn filter_of_true() -> Rule {
    rule! {
        /// A filter that lets everything through is no filter.
        ///
        ///     rel.filter(t) |r| true   →   t
        Relational "filter-of-true" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            (always_true(cx, filter.predicate) && pure_bodies(cx, node)).then_some(filter.input)
        }
    }
}

fn filter_of_false() -> Rule {
    rule! {
        /// A filter that lets nothing through is an empty slice, which needs no look at the rows.
        ///
        ///     rel.filter(t) |r| false   →   rel.slice(t, 0, 0)
        Relational "filter-of-false" at [Relation::Filter] |cx, node| {
            let filter = cx.as_filter(node)?;
            match cx.const_value(cx.result_of(filter.predicate)) {
                Some(Value::Bool(false) | Value::Null) if pure_bodies(cx, node) => (),
                _ => return None,
            }
            let zero = cx.constant(Value::Int(0), TyId::I64)?;
            cx.slice(filter.input, zero, zero)
        }
    }
}
