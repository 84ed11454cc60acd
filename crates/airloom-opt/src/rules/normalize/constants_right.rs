//! Constants to the right.

use crate::rule::{Rule, rule};
use airloom_ir::graph::Args;
use airloom_ir::ops::logic::Logic;
use airloom_ir::ops::{self, Make, Op};

/// The comparison that holds when the sides are exchanged.
fn mirrored(op: Op) -> Op {
    match op {
        Op::Logic(Logic::Lt) => Op::Logic(Logic::Gt),
        Op::Logic(Logic::Le) => Op::Logic(Logic::Ge),
        Op::Logic(Logic::Gt) => Op::Logic(Logic::Lt),
        Op::Logic(Logic::Ge) => Op::Logic(Logic::Le),
        other => other,
    }
}

/// The rule.
pub(super) fn constants_right() -> Rule {
    let mut rule = rule! {
        /// A constant stands on the right of an op that does not mind, so that rules need to look for it there only.
        ///
        ///     add(1, x)   →   add(x, 1)
        ///     lt(1, x)    →   gt(x, 1)
        Normalize "constants-right" at [Logic::Eq] |cx, node| {
            let &[left, right] = cx.args(node) else { return None };
            if !cx.is_constant(left) || cx.is_constant(right) {
                return None;
            }
            let (op, attrs) = (mirrored(cx.op(node)), cx.node(node).attrs().into());
            cx.make(op, attrs, &Args::from_slice(&[right, left]))
        }
    };
    let comparisons = [Logic::Lt, Logic::Le, Logic::Gt, Logic::Ge].map(Op::Logic);
    rule.roots = ops::all().filter(|def| def.commutative).map(|def| def.op).chain(comparisons).collect();
    rule
}
