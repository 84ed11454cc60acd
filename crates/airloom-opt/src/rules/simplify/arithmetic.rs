//! Sums, differences and signs.
//!
//! Integers that wrap are a ring, so most of algebra holds of them; those that raise or become null do not, and neither do floats.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [sums(), differences(), signs(), cancelled()].into_iter().flatten().collect()
}

fn sums() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Zero is the unit of addition, for integers.
        "add-zero-int": "add(?x:int, 0)" => "?x";
        /// Zero is the unit of addition, for decimals.
        "add-zero-decimal": "add(?x:decimal, 0)" => "?x";
        /// No time is the unit of addition, for durations.
        "add-zero-duration": "add(?x:time, 0)" => "?x";
        /// For floats the unit is `-0.0`: `-0.0 + 0.0` is `0.0`, so `0.0` is not one.
        "add-zero-float": "add(?x:float, -0.0)" => "?x";
        /// To add the negative is to subtract, where integers wrap.
        "add-neg-int": "add{overflow: wrap}(?x:int, neg{overflow: wrap}(?y))" => "sub(?x, ?y)";
        /// To add the negative is to subtract; IEEE 754 defines it so.
        "add-neg-float": "add(?x:float, neg(?y))" => "sub(?x, ?y)";
        /// To add the negative is to subtract; every decimal has one.
        "add-neg-decimal": "add{overflow: ?o}(?x:decimal, neg(?y))" => "sub{overflow: ?o}(?x, ?y)";
    } }
}

fn differences() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Taking away zero leaves everything as it is, `-0.0` too.
        "sub-zero": "sub(?x:number, 0)" => "?x";
        /// Taking away no time leaves a duration as it is.
        "sub-zero-duration": "sub(?x:time, 0)" => "?x";
        /// An integer less itself is zero. Of floats that is not so: infinity less itself is NaN.
        "sub-self-int": "sub(?x:int!, ?x)" => "0";
        /// A decimal less itself is zero.
        "sub-self-decimal": "sub(?x:decimal!, ?x)" => "0";
        /// A duration less itself is none.
        "sub-self-duration": "sub(?x:time!, ?x)" => "0";
        /// Zero less an integer is its negative.
        "zero-minus-int": "sub{overflow: ?o}(0, ?x:int)" => "neg{overflow: ?o}(?x)";
        /// Zero less a decimal is its negative.
        "zero-minus-decimal": "sub{overflow: ?o}(0, ?x:decimal)" => "neg{overflow: ?o}(?x)";
        /// No time less a duration is its negative.
        "zero-minus-duration": "sub{overflow: ?o}(0, ?x:time)" => "neg{overflow: ?o}(?x)";
        /// `-0.0` less a float is its negative; `0.0` less `0.0` would be `0.0`, and its negative `-0.0`.
        "zero-minus-float": "sub(-0.0, ?x:float)" => "neg(?x)";
        /// To take away the negative is to add, where integers wrap.
        "sub-neg-int": "sub{overflow: wrap}(?x:int, neg{overflow: wrap}(?y))" => "add(?x, ?y)";
        /// To take away the negative is to add; IEEE 754 defines it so.
        "sub-neg-float": "sub(?x:float, neg(?y))" => "add(?x, ?y)";
        /// To take away the negative is to add; every decimal has one.
        "sub-neg-decimal": "sub{overflow: ?o}(?x:decimal, neg(?y))" => "add{overflow: ?o}(?x, ?y)";
    } }
}

fn signs() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// Two changes of sign are none.
        "neg-neg": "neg{overflow: wrap}(neg{overflow: wrap}(?x:number))" => "?x";
        /// The negative of a difference is the difference the other way round, where integers wrap. Of floats, `-(1.0 - 1.0)` is `-0.0`.
        "neg-sub-int": "neg{overflow: wrap}(sub{overflow: wrap}(?x:int, ?y))" => "sub(?y, ?x)";
        /// The sign does not survive `abs`.
        "abs-neg-float": "abs(neg(?x:float))" => "abs(?x)";
        /// The sign of a decimal does not survive `abs`. Of an unsigned number that wraps, the negative is another number altogether.
        "abs-neg-decimal": "abs{overflow: ?o}(neg{overflow: ?o}(?x:decimal))" => "abs{overflow: ?o}(?x)";
        /// What has no sign has none to lose.
        "abs-abs": "abs{overflow: ?o}(abs{overflow: ?o}(?x))" => "abs{overflow: ?o}(?x)";
        /// The sign of a sign is itself.
        "sign-sign": "sign(sign(?x))" => "sign(?x)";
        /// Only the sign of the second matters, and here it is its own.
        "copysign-self": "copysign(?x, ?x)" => "?x";
        /// The sign that is about to be replaced need not be taken away.
        "copysign-abs": "copysign(abs(?x), ?y)" => "copysign(?x, ?y)";
        /// The sign that is about to be replaced need not be changed.
        "copysign-neg": "copysign(neg(?x), ?y)" => "copysign(?x, ?y)";
        /// The sign that is about to be taken away need not be given.
        "abs-copysign": "abs(copysign(?x, ?y:float!))" => "abs(?x)";
        /// The cosine is even.
        "cos-neg": "cos(neg(?x))" => "cos(?x)";
        /// The hyperbolic cosine is even.
        "cosh-neg": "cosh(neg(?x))" => "cosh(?x)";
    } }
}

fn cancelled() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// What is taken away and added again cancels, where integers wrap.
        "add-of-sub-int": "add{overflow: wrap}(sub{overflow: wrap}(?x:int, ?y:int!), ?y)" => "?x";
        /// What is added and taken away again cancels, where integers wrap.
        "sub-of-add-int": "sub{overflow: wrap}(add{overflow: wrap}(?x:int, ?y:int!), ?y)" => "?x";
        /// A number less what it is more than another is that other, where integers wrap.
        "sub-sub-left-int": "sub{overflow: wrap}(?x:int!, sub{overflow: wrap}(?x, ?y))" => "?y";
        /// A difference less its first number is the negative of the second, where integers wrap.
        "sub-sub-right-int": "sub{overflow: wrap}(sub{overflow: wrap}(?x:int!, ?y), ?x)" => "neg(?y)";
        /// A number less its sum with another is the negative of that other, where integers wrap.
        "sub-sum-int": "sub{overflow: wrap}(?x:int!, add{overflow: wrap}(?x, ?y))" => "neg(?y)";
    } }
}
