//! Arithmetic, mathematics and bits.

use super::def::{on_overflow, on_zero};
use super::marks::Aliasing::{Fresh, Holds, View};
use super::marks::Distribution::Scalar;
use super::ops;
use crate::attrs::{NanPick, Overflow, Rounding, ZeroDivide};
use crate::typing::number as rule;

ops! {
    /// Arithmetic, mathematics and bits. Both sides of an operator have the same type: conversions are written out. Null gives null.
    family Number BuildNumber "number";

    /// The sum of two numbers or two durations. Integers and durations that do not fit go by `overflow`. Decimals of one scale gain a digit, so that they fit:
    /// `decimal(p, s)` and `decimal(q, s)` make `decimal(max(p, q) + 1, s)`; only beyond 38 digits may they not, and then raise unless `overflow` is `null`.
    Add add as_add "add" (left, right) {overflow: Overflow = Overflow::Wrap} -> rule::sum, spreads(Scalar), aliases(Fresh), propagates(), commutes(), raises_by(rule::sum_effect);

    /// The difference of two numbers or two durations; overflow and decimals as for `add`.
    Sub sub as_sub "sub" (left, right) {overflow: Overflow = Overflow::Wrap} -> rule::sum, spreads(Scalar), aliases(Fresh), propagates(), raises_by(rule::sum_effect);

    /// The product of two numbers; overflow as for `add`. Decimals add their scales: `decimal(p, s)` by `decimal(q, t)` is `decimal(min(38, p + q), s + t)`.
    Mul mul as_mul "mul" (left, right) {overflow: Overflow = Overflow::Wrap} -> rule::product, spreads(Scalar), aliases(Fresh), propagates(), commutes(), raises_by(rule::product_effect);

    /// The quotient of two floats by IEEE 754: by zero it is an infinity or NaN.
    Div div as_div "div" (left, right) -> rule::floats, spreads(Scalar), aliases(Fresh), propagates();

    /// The quotient rounded down, as Python's `//`. Integers divided by zero go by `zero`; floats as NumPy's `floor_divide`. The least number divided by -1 wraps.
    FloorDiv floordiv as_floordiv "floordiv" (left, right) {zero: ZeroDivide = ZeroDivide::Raise} -> rule::divide, spreads(Scalar), aliases(Fresh), propagates(), raises_by(on_zero);

    /// What `floordiv` leaves: it has the sign of the divisor, as Python's `%`.
    FloorMod floormod as_floormod "floormod" (left, right) {zero: ZeroDivide = ZeroDivide::Raise} -> rule::divide, spreads(Scalar), aliases(Fresh), propagates(), raises_by(on_zero);

    /// The quotient rounded toward zero, as SQL's `/` of integers; of floats, `trunc` of `div`. The least number divided by -1 wraps.
    TruncDiv truncdiv as_truncdiv "truncdiv" (left, right) {zero: ZeroDivide = ZeroDivide::Raise} -> rule::divide, spreads(Scalar), aliases(Fresh), propagates(), raises_by(on_zero);

    /// What `truncdiv` leaves: it has the sign of the dividend, as C's `%` and `fmod`.
    TruncMod truncmod as_truncmod "truncmod" (left, right) {zero: ZeroDivide = ZeroDivide::Raise} -> rule::divide, spreads(Scalar), aliases(Fresh), propagates(), raises_by(on_zero);

    /// A number to a power of the same type. A negative power of an integer raises; overflow as for `add`.
    Pow pow as_pow "pow" (base, exponent) {overflow: Overflow = Overflow::Wrap} -> rule::power, spreads(Scalar), aliases(Fresh), propagates(), raises_by(rule::power_effect);

    /// The number with the other sign; overflow as for `add`. A decimal keeps its type.
    Neg neg as_neg "neg" (value) {overflow: Overflow = Overflow::Wrap} -> rule::additive, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises_by(on_overflow);

    /// The number without its sign; overflow as for `add`. A decimal keeps its type.
    Abs abs as_abs "abs" (value) {overflow: Overflow = Overflow::Wrap} -> rule::additive, spreads(Scalar), aliases(Holds(&["value"])), propagates(), idempotent(), raises_by(on_overflow);

    /// -1, 0 or 1, of the same type; NaN stays NaN and zeros keep their sign.
    Sign sign as_sign "sign" (value) -> rule::number, spreads(Scalar), aliases(Holds(&["value"])), propagates(), idempotent(), raises_by(rule::rounding_effect);

    /// The smaller of two values that have an order; `-0.0` is smaller than `0.0`.
    Least least as_least "least" (left, right) {nan: NanPick = NanPick::Propagate} -> rule::ordered, spreads(Scalar), aliases(View(&["left", "right"])), propagates(), commutes(), associates(), idempotent();

    /// The greater of two values that have an order; `0.0` is greater than `-0.0`.
    Greatest greatest as_greatest "greatest" (left, right) {nan: NanPick = NanPick::Propagate} -> rule::ordered, spreads(Scalar), aliases(View(&["left", "right"])), propagates(), commutes(), associates(), idempotent();

    /// The greatest integer not above it, of the same type.
    Floor floor as_floor "floor" (value) -> rule::number, spreads(Scalar), aliases(Holds(&["value"])), propagates(), idempotent(), raises_by(rule::rounding_effect);

    /// The least integer not below it, of the same type.
    Ceil ceil as_ceil "ceil" (value) -> rule::number, spreads(Scalar), aliases(Holds(&["value"])), propagates(), idempotent(), raises_by(rule::rounding_effect);

    /// The number without its fraction, of the same type.
    Trunc trunc as_trunc "trunc" (value) -> rule::number, spreads(Scalar), aliases(Holds(&["value"])), propagates(), idempotent();

    /// The number rounded to `n` digits after the point (before it, when negative). Floats are scaled by a power of ten, rounded and scaled back, as NumPy does.
    /// An integer that no longer fits wraps; a decimal raises, here as in `floor`, `ceil` and `sign`.
    Round round as_round "round" (value) {digits: i64 = 0, half: Rounding = Rounding::HalfEven} -> rule::number, spreads(Scalar), aliases(Holds(&["value"])), propagates(), raises_by(rule::rounding_effect);

    /// The square root; NaN of a negative number.
    Sqrt sqrt as_sqrt "sqrt" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The cube root.
    Cbrt cbrt as_cbrt "cbrt" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The natural exponential.
    Exp exp as_exp "exp" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// `exp(x) - 1`, accurate near zero.
    Expm1 expm1 as_expm1 "expm1" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The natural logarithm; minus infinity at zero, NaN below.
    Log log as_log "log" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The logarithm to base two.
    Log2 log2 as_log2 "log2" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The logarithm to base ten.
    Log10 log10 as_log10 "log10" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// `log(1 + x)`, accurate near zero.
    Log1p log1p as_log1p "log1p" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The sine of an angle in radians.
    Sin sin as_sin "sin" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The cosine of an angle in radians.
    Cos cos as_cos "cos" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The tangent of an angle in radians.
    Tan tan as_tan "tan" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The arc sine; NaN outside -1 to 1.
    Asin asin as_asin "asin" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The arc cosine; NaN outside -1 to 1.
    Acos acos as_acos "acos" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The arc tangent.
    Atan atan as_atan "atan" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The angle of the point `(x, y)`, in radians.
    Atan2 atan2 as_atan2 "atan2" (y, x) -> rule::floats, spreads(Scalar), aliases(Fresh), propagates();

    /// The hyperbolic sine.
    Sinh sinh as_sinh "sinh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The hyperbolic cosine.
    Cosh cosh as_cosh "cosh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The hyperbolic tangent.
    Tanh tanh as_tanh "tanh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The inverse hyperbolic sine.
    Asinh asinh as_asinh "asinh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The inverse hyperbolic cosine; NaN below 1.
    Acosh acosh as_acosh "acosh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// The inverse hyperbolic tangent; NaN outside -1 to 1.
    Atanh atanh as_atanh "atanh" (value) -> rule::float, spreads(Scalar), aliases(Fresh), propagates();

    /// `sqrt(x * x + y * y)` without overflow on the way.
    Hypot hypot as_hypot "hypot" (x, y) -> rule::floats, spreads(Scalar), aliases(Fresh), propagates(), commutes();

    /// The size of one float with the sign of another; NaN has none, and counts as positive.
    CopySign copysign as_copysign "copysign" (size, sign) -> rule::floats, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether a float is NaN.
    IsNan is_nan as_is_nan "is_nan" (value) -> rule::float_test, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether a float is neither NaN nor infinite.
    IsFinite is_finite as_is_finite "is_finite" (value) -> rule::float_test, spreads(Scalar), aliases(Fresh), propagates();

    /// Whether a float is an infinity of either sign.
    IsInfinite is_infinite as_is_infinite "is_infinite" (value) -> rule::float_test, spreads(Scalar), aliases(Fresh), propagates();

    /// The bits that both have; of `bool`, `and` without nulls.
    BitAnd bitand as_bitand "bitand" (left, right) -> rule::bits, spreads(Scalar), aliases(Fresh), propagates(), commutes(), associates(), idempotent();

    /// The bits that either has.
    BitOr bitor as_bitor "bitor" (left, right) -> rule::bits, spreads(Scalar), aliases(Fresh), propagates(), commutes(), associates(), idempotent();

    /// The bits that one of them has.
    BitXor bitxor as_bitxor "bitxor" (left, right) -> rule::bits, spreads(Scalar), aliases(Fresh), propagates(), commutes(), associates();

    /// Every bit the other way.
    BitNot bitnot as_bitnot "bitnot" (value) -> rule::bits, spreads(Scalar), aliases(Fresh), propagates();

    /// The bits moved up; zero when moved by the width or more, and by a negative number too.
    Shl shl as_shl "shl" (value, by) -> rule::shift, spreads(Scalar), aliases(Fresh), propagates();

    /// The bits moved down, the sign kept; moved by the width or more, or by a negative number, only the sign is left.
    Shr shr as_shr "shr" (value, by) -> rule::shift, spreads(Scalar), aliases(Fresh), propagates();

    /// How many bits are set in two's complement, as `i64`.
    BitCount bitcount as_bitcount "bitcount" (value) -> rule::bit_count, spreads(Scalar), aliases(Fresh), propagates();

    /// 64 random bits: the draw at a position, counted from 0, of NumPy's `Philox(key=key)`. The same arguments give the same bits, so draws may be made in any order and on any core.
    RandBits rand_bits as_rand_bits "rand.bits" (key, position) -> rule::random_bits, spreads(Scalar), aliases(Fresh), propagates();
}
