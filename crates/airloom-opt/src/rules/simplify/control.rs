//! Branches and loops that are decided.

use crate::rule::{Rule, RuleError, rule};
use crate::rules::bodies::times_read;
use airloom_ir::attrs::Effect;
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::core::Core;
use airloom_ir::value::Value;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [branch_of_constant(), while_never()].map(Ok).into()
}

fn branch_of_constant() -> Rule {
    rule! {
        /// A branch whose condition is known is the body that runs.
        ///
        ///     seq.if(true) [x] |x| add(x, 1) |x| x   →   add(x, 1)
        ///
        /// Not where the body reads something large twice: written out, it would stand there twice.
        Simplify "branch-of-constant" at [Control::If] |cx, node| {
            let branch = cx.as_branch(node)?;
            let body = match cx.const_value(branch.condition)? {
                Value::Bool(true) => branch.then,
                _ => branch.otherwise,
            };
            let reads = times_read(cx, cx.result_of(body));
            for (number, &capture) in branch.captures.iter().enumerate() {
                let times = reads.get(&(number as i64)).copied().unwrap_or(0);
                let leaf = matches!(cx.op(capture), Op::Core(Core::Const | Core::Placeholder | Core::Param | Core::Hole));
                if (times == 0 && cx.effect(capture) != Effect::Pure) || (times > 1 && !leaf) {
                    return None;
                }
            }
            cx.open(body, &[], &branch.captures)
        }
    }
}

fn while_never() -> Rule {
    rule! {
        /// A loop whose test is never true leaves the state as it is.
        ///
        ///     seq.while(s) |s| false |s| add(s, 1)   →   s
        Simplify "while-never" at [Control::While] |cx, node| {
            let repeat = cx.as_while(node)?;
            let never = matches!(cx.const_value(cx.result_of(repeat.test)), Some(Value::Bool(false) | Value::Null));
            let pure = repeat.captures.iter().all(|&c| cx.effect(c) == Effect::Pure);
            (never && pure).then_some(repeat.state)
        }
    }
}
