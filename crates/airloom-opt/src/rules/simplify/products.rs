//! Products, quotients, remainders and powers.

use crate::rule::{Rule, RuleError, rules};

pub(super) fn rules() -> Vec<Result<Rule, RuleError>> {
    [multiplied(), divided(), powers()].into_iter().flatten().collect()
}

fn multiplied() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// One is the unit of multiplication, NaN and zeros of both signs included.
        "mul-one": "mul(?x:number, 1)" => "?x";
        /// An integer times zero is zero. Of floats, infinity times zero is NaN, and `-1.0` times zero is `-0.0`.
        "mul-zero-int": "mul(?x:int!, 0)" => "0";
        /// A number times minus one is its negative, and overflows where that does.
        "mul-minus-one": "mul{overflow: ?o}(?x:number, -1)" => "neg{overflow: ?o}(?x)";
        /// Two signs cancel, where integers wrap.
        "mul-neg-neg-int": "mul{overflow: wrap}(neg{overflow: wrap}(?x:int), neg{overflow: wrap}(?y))" => "mul(?x, ?y)";
        /// Two signs cancel: the sign of a product is apart from its size.
        "mul-neg-neg-float": "mul(neg(?x:float), neg(?y))" => "mul(?x, ?y)";
        /// The size of a square does not depend on the sign.
        "mul-abs-abs-float": "mul(abs(?x:float), abs(?x))" => "mul(?x, ?x)";
        /// A factor that two products share is multiplied once, where integers wrap.
        "factor-sum-int": "add{overflow: wrap}(mul{overflow: wrap}(?x:int, ?y), mul{overflow: wrap}(?x, ?z))" => "mul(?x, add(?y, ?z))";
        /// A factor that two products share is multiplied once, where integers wrap.
        "factor-difference-int": "sub{overflow: wrap}(mul{overflow: wrap}(?x:int, ?y), mul{overflow: wrap}(?x, ?z))" => "mul(?x, sub(?y, ?z))";
    } }
}

fn divided() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// A float divided by one is itself.
        "div-one": "div(?x, 1)" => "?x";
        /// A float divided by minus one is its negative.
        "div-minus-one": "div(?x, -1)" => "neg(?x)";
        /// Two signs cancel: the sign of a quotient is apart from its size.
        "div-neg-neg": "div(neg(?x), neg(?y))" => "div(?x, ?y)";
        /// An integer divided by one is itself. A float is not: `floordiv(inf, 1.0)` is NaN.
        "floordiv-one-int": "floordiv(?x:int, 1)" => "?x";
        /// An integer divided by one is itself.
        "truncdiv-one-int": "truncdiv(?x:int, 1)" => "?x";
        /// A float divided by one and cut is cut.
        "truncdiv-one-float": "truncdiv(?x:float, 1)" => "trunc(?x)";
        /// Division by one leaves nothing.
        "floormod-one-int": "floormod(?x:int!, 1)" => "0";
        /// Division by one leaves nothing.
        "truncmod-one-int": "truncmod(?x:int!, 1)" => "0";
        /// An integer divided by minus one is its negative, wrapped.
        "floordiv-minus-one-int": "floordiv(?x:int, -1)" => "neg(?x)";
        /// An integer divided by minus one is its negative, wrapped.
        "truncdiv-minus-one-int": "truncdiv(?x:int, -1)" => "neg(?x)";
        /// Division by minus one leaves nothing.
        "floormod-minus-one-int": "floormod(?x:int!, -1)" => "0";
        /// Division by minus one leaves nothing.
        "truncmod-minus-one-int": "truncmod(?x:int!, -1)" => "0";
        /// Bits moved down round down, as `floordiv` does, negative numbers too: `floordiv(x, 8)` is `shr(x, 3)`.
        "floordiv-power-of-two": "floordiv(?x:int, ?n:const)" => "shr(?x, bitcount(sub(?n, 1: ?n)))",
            when "and(gt(?n, 0: ?n), eq(bitand(?n, sub(?n, 1: ?n)), 0: ?n))";
        /// The low bits are what `floordiv` leaves, of negative numbers too: `floormod(x, 8)` is `bitand(x, 7)`.
        "floormod-power-of-two": "floormod(?x:int, ?n:const)" => "bitand(?x, sub(?n, 1: ?n))",
            when "and(gt(?n, 0: ?n), eq(bitand(?n, sub(?n, 1: ?n)), 0: ?n))";
    } }
}

fn powers() -> Vec<Result<Rule, RuleError>> {
    rules! { Simplify {
        /// An integer to the first power is itself.
        "pow-one-int": "pow(?x:int, 1)" => "?x";
        /// An integer to the power of zero is one, zero too.
        "pow-zero-int": "pow(?x:int!, 0)" => "1";
        /// A float to the first power is itself.
        "pow-one-float": "pow(?x:float, 1)" => "?x";
        /// A float to the power of zero is one, NaN too: IEEE 754 says so.
        "pow-zero-float": "pow(?x:float!, 0)" => "1";
    } }
}
