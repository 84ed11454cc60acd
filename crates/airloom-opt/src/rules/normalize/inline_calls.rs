//! Calls written out.

use crate::rule::{Rule, rule};
use airloom_ir::ops::Op;
use airloom_ir::ops::core::Core;

/// How large a function may be to be written out at each of several calls.
const SMALL: usize = 400;

/// The rule.
pub(super) fn inline_calls() -> Rule {
    rule! {
        /// A call of a known function is its result for those arguments.
        ///
        ///     call(|x| add(x, 1), 2)   →   add(2, 1)
        ///
        /// A large function that is called more than once stays a call.
        Normalize "inline-calls" at [Core::Call] |cx, node| {
            let call = cx.as_call(node)?;
            if cx.op(call.function) != Op::Core(Core::Lambda) {
                return None;
            }
            let size = cx.block_order(&[cx.result_of(call.function)]).len();
            if size > SMALL && cx.uses(call.function) > 1 {
                return None;
            }
            cx.open(call.function, &[], &call.args)
        }
    }
}
