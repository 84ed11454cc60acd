//! `rel.unordered` moved down to what may then be done in any order, and sorts under it taken away.

use crate::rule::{Rule, rule};
use crate::rules::bodies::pure_bodies;
use airloom_ir::graph::Args;
use airloom_ir::ops::relation::{BuildRelation, Relation};
use airloom_ir::ops::{Make, Op};

pub(super) fn rules() -> Vec<Rule> {
    vec![unordered_drops_sort(), unordered_below_rowwise()]
}

fn unordered_drops_sort() -> Rule {
    rule! {
        /// A sort whose order nobody looks at is not needed.
        ///
        ///     rel.unordered(rel.sort(t) |r| k)   →   rel.unordered(t)
        Relational "unordered-drops-sort" at [Relation::Unordered] |cx, node| {
            let unordered = cx.as_unordered(node)?;
            if cx.as_unordered(unordered.input).is_some() {
                return Some(unordered.input);
            }
            let sort = cx.as_sort(unordered.input).filter(|_| pure_bodies(cx, unordered.input))?;
            cx.unordered(sort.input)
        }
    }
}

fn unordered_below_rowwise() -> Rule {
    rule! {
        /// Rows in no order, projected or tested for a match, are such rows in no order.
        ///
        ///     rel.unordered(rel.project(t) |r| f)   →   rel.project(rel.unordered(t)) |r| f
        ///     rel.unordered(rel.join{how: semi}(t, u) …)   →   rel.join{how: semi}(rel.unordered(t), u) …
        ///
        /// Not below a test that may raise: which error is heard of depends on the order of rows.
        Relational "unordered-below-rowwise" at [Relation::Unordered] |cx, node| {
            let unordered = cx.as_unordered(node)?;
            let tests = cx.as_join(unordered.input).is_some_and(|join| join.how.is_test());
            let rowwise = cx.op(unordered.input) == Op::Relation(Relation::Project) || tests && pure_bodies(cx, unordered.input);
            if !rowwise || cx.uses(unordered.input) > 1 {
                return None;
            }
            let mut args: Args = cx.args(unordered.input).into();
            args[0] = cx.unordered(args[0])?;
            let (op, attrs) = (cx.op(unordered.input), cx.node(unordered.input).attrs().into());
            cx.make(op, attrs, &args)
        }
    }
}
