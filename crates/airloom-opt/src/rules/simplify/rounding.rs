//! Rounding, the smaller and the greater, and what floats are.

use crate::rule::{Rule, RuleError, rule, rules};
use airloom_ir::graph::{Graph, NodeId};
use airloom_ir::ops::Op;
use airloom_ir::ops::number::Number;
use airloom_ir::types::Ty;

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    let mut all = rules! { Simplify {
        /// An integer is its own floor.
        "floor-int": "floor(?x:int)" => "?x";
        /// An integer is its own ceiling.
        "ceil-int": "ceil(?x:int)" => "?x";
        /// An integer has no fraction to lose.
        "trunc-int": "trunc(?x:int)" => "?x";
        /// An integer rounded to integers is itself.
        "round-int": "round{digits: 0}(?x:int)" => "?x";
        /// The smaller of a value and itself is itself.
        "least-self": "least(?x, ?x)" => "?x";
        /// The greater of a value and itself is itself.
        "greatest-self": "greatest(?x, ?x)" => "?x";
        /// Asked twice, a value counts once.
        "least-least": "least{nan: ?n}(least{nan: ?n}(?x, ?y), ?x)" => "least{nan: ?n}(?x, ?y)";
        /// Asked twice, a value counts once.
        "greatest-greatest": "greatest{nan: ?n}(greatest{nan: ?n}(?x, ?y), ?x)" => "greatest{nan: ?n}(?x, ?y)";
        /// NaN has no sign that could be seen.
        "is-nan-neg": "is_nan(neg(?x))" => "is_nan(?x)";
        /// NaN has no sign that could be seen.
        "is-nan-abs": "is_nan(abs(?x))" => "is_nan(?x)";
        /// The sign does not make a float finite.
        "is-finite-neg": "is_finite(neg(?x))" => "is_finite(?x)";
        /// The sign does not make a float finite.
        "is-finite-abs": "is_finite(abs(?x))" => "is_finite(?x)";
        /// Infinity has two signs.
        "is-infinite-neg": "is_infinite(neg(?x))" => "is_infinite(?x)";
        /// Infinity has two signs.
        "is-infinite-abs": "is_infinite(abs(?x))" => "is_infinite(?x)";
    } };
    all.push(Ok(round_of_whole()));
    all
}

fn round_of_whole() -> Rule {
    rule! {
        /// What is whole already is not rounded again.
        ///
        ///     floor(ceil(x))                   →   ceil(x)
        ///     trunc(cast{to: f64}(n: i32))     →   cast{to: f64}(n)
        Simplify "round-of-whole" at [Number::Floor, Number::Ceil, Number::Trunc, Number::Round] |cx, node| {
            if cx.as_round(node).is_some_and(|round| round.digits != 0) {
                return None;
            }
            let &[value] = cx.args(node) else { return None };
            is_whole(cx, value).then_some(value)
        }
    }
}

/// Whether a number is sure to have no fraction, or is NaN or an infinity.
fn is_whole(graph: &Graph, id: NodeId) -> bool {
    match graph.op(id) {
        Op::Number(Number::Floor | Number::Ceil | Number::Trunc) => true,
        Op::Number(Number::Round) => graph.as_round(id).is_some_and(|round| round.digits == 0),
        // Not as a decimal: `cast{to: decimal(3, 2), mode: wrap}(1000)` is `9.99`.
        _ => graph.as_cast(id).is_some_and(|cast| {
            let plain = |id: NodeId| graph.types().plain(graph.ty_id(id));
            matches!((plain(cast.value), plain(id)), (Ty::Int(_) | Ty::Bool, Ty::F32 | Ty::F64))
        }),
    }
}
