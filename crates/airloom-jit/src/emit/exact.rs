//! Integers, decimals, durations and bits.

use super::{Applied, Emitter, Lanes};
use crate::functions;
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::{Overflow, Rounding, ZeroDivide};
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula::{PHILOX_ROUNDS, PHILOX_STEPS, PHILOX_TIMES};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// Which way a number is rounded.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Toward {
    Down,
    Up,
    Zero,
    Nearest(Rounding),
}

impl Emitter<'_> {
    pub(super) fn exact(&mut self, op: Number, call: &Applied<'_>) -> Lanes {
        let b = self.builder;
        let plain = |emitter: &Self, value: Value| Lanes { value, valid: emitter.all_valid(call.args) };
        let math = |op: LLVMOpcode| b.math(op, call.value(0), call.value(1));
        match op {
            Number::Add | Number::Sub | Number::Mul => self.sum(op, call),
            Number::FloorDiv | Number::FloorMod | Number::TruncDiv | Number::TruncMod => self.divided(op, call),
            Number::Pow => self.power(call),
            Number::Neg => self.negated(call),
            Number::Abs => self.absolute(call),
            Number::Sign => self.sign(call),
            Number::Least | Number::Greatest => {
                let less = if call.kinds[0].signed() { LLVMIntPredicate::LLVMIntSLE } else { LLVMIntPredicate::LLVMIntULE };
                let first = self.ints(less, call.value(0), call.value(1));
                let (x, y) = if op == Number::Least { (call.value(0), call.value(1)) } else { (call.value(1), call.value(0)) };
                plain(self, b.select(first, x, y))
            }
            Number::Floor => self.rounded_to(call, 0, Toward::Down),
            Number::Ceil => self.rounded_to(call, 0, Toward::Up),
            Number::Trunc => self.rounded_to(call, 0, Toward::Zero),
            Number::Round => self.rounded_to(call, call.attr(0), Toward::Nearest(call.attr(1))),
            Number::BitAnd => plain(self, math(LLVMOpcode::LLVMAnd)),
            Number::BitOr => plain(self, math(LLVMOpcode::LLVMOr)),
            Number::BitXor => plain(self, math(LLVMOpcode::LLVMXor)),
            Number::BitNot => plain(self, b.not(call.value(0))),
            Number::Shl | Number::Shr => plain(self, self.shifted(op, call)),
            Number::BitCount => {
                let count = self.intrinsic("llvm.ctpop", call.repr(), &[call.value(0)]);
                plain(self, self.resized(count, call.repr(), Repr::I64, false))
            }
            Number::RandBits => plain(self, self.random_bits(call.value(0), call.value(1))),
            other => panic!("invariant `shapes hold what has a kernel`: found {other:?} of integers"),
        }
    }

    /// The draw of Philox at a position: see `random_bits` of the oracle, whose rounds these are.
    fn random_bits(&self, key: Value, position: Value) -> Value {
        let b = self.builder;
        let word = |value: u64| b.splat(Repr::I64, value.into());
        let xor = |x: Value, y: Value| b.math(LLVMOpcode::LLVMXor, x, y);
        let add = |x: Value, y: Value| b.math(LLVMOpcode::LLVMAdd, x, y);
        let product = |x: Value, by: u64| {
            let wide = b.math(LLVMOpcode::LLVMMul, self.resized(x, Repr::I64, Repr::I128, false), b.splat(Repr::I128, by.into()));
            let high = b.math(LLVMOpcode::LLVMLShr, wide, b.splat(Repr::I128, 64));
            (self.resized(high, Repr::I128, Repr::I64, false), self.resized(wide, Repr::I128, Repr::I64, false))
        };
        let zero = word(0);
        let mut counter = [add(b.math(LLVMOpcode::LLVMLShr, position, word(2)), word(1)), zero, zero, zero];
        let mut key = [key, zero];
        for _ in 0..PHILOX_ROUNDS {
            let ((first_high, first), (second_high, second)) = (product(counter[0], PHILOX_TIMES[0]), product(counter[2], PHILOX_TIMES[1]));
            counter = [xor(xor(second_high, counter[1]), key[0]), second, xor(xor(first_high, counter[3]), key[1]), first];
            key = [add(key[0], word(PHILOX_STEPS[0])), add(key[1], word(PHILOX_STEPS[1]))];
        }
        let within = b.and(position, word(3));
        let is_at = |at: u64| self.ints(LLVMIntPredicate::LLVMIntEQ, within, word(at));
        (0..3).rev().fold(counter[3], |found, at| b.select(is_at(at), counter[at as usize], found))
    }

    /// A sum, difference or product. Decimals whose digits leave no room for a misfit are not checked.
    fn sum(&mut self, op: Number, call: &Applied<'_>) -> Lanes {
        let (b, repr, signed) = (self.builder, call.kind.repr(), call.kind.signed());
        let wide = |at: usize| self.resized(call.value(at), call.kinds[at].repr(), repr, signed);
        let (x, y) = (wide(0), wide(1));
        let digits = |at: usize| if let Kind::Decimal { precision, .. } = call.kinds[at] { Some(u32::from(precision)) } else { None };
        let checked = match (digits(0), digits(1), op) {
            (Some(p), Some(q), Number::Mul) => p + q > 38,
            (Some(p), Some(q), _) => p.max(q) >= 38,
            _ => call.overflow() != Overflow::Wrap,
        };
        let (word, plain) = match op {
            Number::Add => ("add", LLVMOpcode::LLVMAdd),
            Number::Sub => ("sub", LLVMOpcode::LLVMSub),
            _ => ("mul", LLVMOpcode::LLVMMul),
        };
        if !checked {
            return Lanes { value: b.math(plain, x, y), valid: self.all_valid(call.args) };
        }
        let (value, mut misfit) = match (op, call.kinds[0].repr(), call.kinds[1].repr()) {
            (Number::Mul, Repr::I128, Repr::I64) => self.wide_product(x, call.value(1)),
            (Number::Mul, Repr::I64, Repr::I128) => self.wide_product(y, call.value(0)),
            _ => {
                let name = format!("llvm.{}{word}.with.overflow", if signed { "s" } else { "u" });
                b.parts(self.intrinsic(&name, repr, &[x, y]))
            }
        };
        if digits(0).is_some() {
            let range = call.kind.range().expect("a decimal has a range");
            misfit = self.outside(value, repr, true, range).map_or(misfit, |outside| b.or(misfit, outside));
        }
        self.misfit(call, value, misfit, call.overflow() == Overflow::Null)
    }

    /// The product of 128 bits and 64, and where it does not fit 128: two multiplications of 64 bits by 64, of numbers without their signs.
    fn wide_product(&self, wide: Value, narrow: Value) -> (Value, Value) {
        let b = self.builder;
        let size = |x: Value, repr: Repr| {
            let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, x, b.splat(repr, 0));
            (b.select(negative, b.math(LLVMOpcode::LLVMSub, b.splat(repr, 0), x), x), negative)
        };
        let ((x, x_negative), (y, y_negative)) = (size(wide, Repr::I128), size(narrow, Repr::I64));
        let y = self.resized(y, Repr::I64, Repr::I128, false);
        let half = b.splat(Repr::I128, 64);
        // Through 64 bits and back, so that it is seen that there are no more.
        let times = |x: Value| {
            let x = self.resized(self.resized(x, Repr::I128, Repr::I64, false), Repr::I64, Repr::I128, false);
            b.math(LLVMOpcode::LLVMMul, x, y)
        };
        let (low, high) = (times(x), times(b.math(LLVMOpcode::LLVMLShr, x, half)));
        // Both products have 128 bits, of which the higher one's are 64 further up.
        let above = b.math(LLVMOpcode::LLVMAdd, high, b.math(LLVMOpcode::LLVMLShr, low, half));
        let misfit = self.ints(LLVMIntPredicate::LLVMIntUGE, above, b.splat(Repr::I128, 1 << 63));
        let product = b.math(LLVMOpcode::LLVMAdd, low, b.math(LLVMOpcode::LLVMShl, high, half));
        let negative = b.math(LLVMOpcode::LLVMXor, x_negative, y_negative);
        (b.select(negative, b.math(LLVMOpcode::LLVMSub, b.splat(Repr::I128, 0), product), product), misfit)
    }

    fn negated(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, repr, x) = (self.builder, call.repr(), call.value(0));
        let value = b.math(LLVMOpcode::LLVMSub, b.splat(repr, 0), x);
        let misfit = match call.kind {
            Kind::Decimal { .. } => None,
            kind if kind.signed() => Some(self.ints(LLVMIntPredicate::LLVMIntEQ, x, self.lowest(repr))),
            _ => Some(self.ints(LLVMIntPredicate::LLVMIntNE, x, b.splat(repr, 0))),
        };
        self.by_overflow(call, value, misfit)
    }

    fn absolute(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, repr, x) = (self.builder, call.repr(), call.value(0));
        if !call.kind.signed() {
            return Lanes { value: x, valid: self.all_valid(call.args) };
        }
        let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, x, b.splat(repr, 0));
        let value = b.select(negative, b.math(LLVMOpcode::LLVMSub, b.splat(repr, 0), x), x);
        let misfit = match call.kind {
            Kind::Decimal { .. } => None,
            _ => Some(self.ints(LLVMIntPredicate::LLVMIntEQ, x, self.lowest(repr))),
        };
        self.by_overflow(call, value, misfit)
    }

    fn lowest(&self, repr: Repr) -> Value {
        self.builder.splat(repr, 1i128 << (repr.bits() - 1))
    }

    fn by_overflow(&mut self, call: &Applied<'_>, value: Value, misfit: Option<Value>) -> Lanes {
        match misfit.filter(|_| call.overflow() != Overflow::Wrap) {
            Some(misfit) => self.misfit(call, value, misfit, call.overflow() == Overflow::Null),
            None => Lanes { value, valid: self.all_valid(call.args) },
        }
    }

    fn sign(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, repr, x) = (self.builder, call.repr(), call.value(0));
        let zero = b.splat(repr, 0);
        let (one, misfits) = match call.kind {
            Kind::Decimal { precision, scale } => (10i128.pow(scale.into()), precision == scale),
            _ => (1, false),
        };
        let (greater, less) = match call.kind.signed() {
            true => (LLVMIntPredicate::LLVMIntSGT, LLVMIntPredicate::LLVMIntSLT),
            false => (LLVMIntPredicate::LLVMIntUGT, LLVMIntPredicate::LLVMIntULT),
        };
        let below = b.select(self.ints(less, x, zero), b.splat(repr, -one), zero);
        let value = b.select(self.ints(greater, x, zero), b.splat(repr, one), below);
        match misfits {
            true => {
                let misfit = self.ints(LLVMIntPredicate::LLVMIntNE, x, zero);
                self.misfit(call, value, misfit, false)
            }
            false => Lanes { value, valid: self.all_valid(call.args) },
        }
    }

    /// A division. Where the divisor is zero, or -1 (by which the least number does not divide), one is divided by in its place.
    fn divided(&mut self, op: Number, call: &Applied<'_>) -> Lanes {
        let (b, repr, signed) = (self.builder, call.repr(), call.kinds[0].signed());
        let (x, y) = (call.value(0), call.value(1));
        // By a power of two, rounding down is what bits do: `-7 % 4` is `-7 & 3`. So LLVM sees which numbers the result may be, and leaves checks out that never fail.
        if let Some(power) = b.known_integer(y).filter(|y| y.count_ones() == 1 && *y > 0) {
            let value = match op {
                Number::FloorMod => Some(b.and(x, b.splat(repr, i128::from(power) - 1))),
                Number::FloorDiv if signed => Some(b.math(LLVMOpcode::LLVMAShr, x, b.splat(repr, power.trailing_zeros().into()))),
                _ => None,
            };
            if let Some(value) = value {
                return Lanes { value, valid: self.all_valid(call.args) };
            }
        }
        let (zero, one) = (b.splat(repr, 0), b.splat(repr, 1));
        let by_zero = self.ints(LLVMIntPredicate::LLVMIntEQ, y, zero);
        let minus = signed.then(|| self.ints(LLVMIntPredicate::LLVMIntEQ, y, b.splat(repr, -1)));
        let special = minus.map_or(by_zero, |minus| b.or(by_zero, minus));
        let divisor = b.select(special, one, y);
        let (divide, remain) = match signed {
            true => (LLVMOpcode::LLVMSDiv, LLVMOpcode::LLVMSRem),
            false => (LLVMOpcode::LLVMUDiv, LLVMOpcode::LLVMURem),
        };
        let rest = || b.math(remain, x, divisor);
        let below = |rest: Value| {
            // The rest is on the other side of zero than the divisor.
            let differs = b.math(LLVMOpcode::LLVMXor, rest, divisor);
            b.and(self.ints(LLVMIntPredicate::LLVMIntNE, rest, zero), self.ints(LLVMIntPredicate::LLVMIntSLT, differs, zero))
        };
        let value = match op {
            Number::TruncMod => rest(),
            Number::FloorMod if !signed => rest(),
            Number::FloorMod => {
                let rest = rest();
                b.select(below(rest), b.math(LLVMOpcode::LLVMAdd, rest, divisor), rest)
            }
            _ => {
                let quotient = b.math(divide, x, divisor);
                let rounded = match signed && op == Number::FloorDiv {
                    true => b.select(below(rest()), b.math(LLVMOpcode::LLVMSub, quotient, one), quotient),
                    false => quotient,
                };
                minus.map_or(rounded, |minus| b.select(minus, b.math(LLVMOpcode::LLVMSub, zero, x), rounded))
            }
        };
        match call.attr(0) {
            ZeroDivide::Zero => Lanes { value: b.select(by_zero, zero, value), valid: self.all_valid(call.args) },
            ZeroDivide::Null => self.misfit(call, value, by_zero, true),
            ZeroDivide::Raise => self.misfit(call, value, by_zero, false),
        }
    }

    /// A power modulo two to the number of bits; a negative one raises.
    fn power(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, repr, signed) = (self.builder, call.repr(), call.kinds[0].signed());
        if call.overflow() != Overflow::Wrap {
            let base = self.resized(call.value(0), repr, Repr::I128, signed);
            let exponent = self.resized(call.value(1), repr, Repr::I64, signed);
            let value = b.call_lanes(functions::WIDE_POWER, &[(base, Repr::I128), (exponent, Repr::I64)], Repr::I128);
            let negative = signed.then(|| self.ints(LLVMIntPredicate::LLVMIntSLT, call.value(1), b.splat(repr, 0)));
            let outside = call.kind.range().and_then(|range| self.outside(value, Repr::I128, true, range));
            let misfit = [negative, outside].into_iter().flatten().reduce(|one, other| b.or(one, other)).expect("128 bits hold more");
            return self.misfit(call, self.resized(value, Repr::I128, repr, true), misfit, call.overflow() == Overflow::Null);
        }
        let wide = |at: usize| (self.resized(call.value(at), repr, Repr::I64, signed), Repr::I64);
        let (base, exponent) = (wide(0), wide(1));
        let value = self.resized(b.call_lanes(functions::POWER, &[base, exponent], Repr::I64), Repr::I64, repr, signed);
        match signed {
            true => {
                let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, call.value(1), b.splat(repr, 0));
                self.misfit(call, value, negative, false)
            }
            false => Lanes { value, valid: self.all_valid(call.args) },
        }
    }

    fn shifted(&self, op: Number, call: &Applied<'_>) -> Value {
        let (b, repr, bits) = (self.builder, call.repr(), i128::from(call.repr().bits()));
        let (x, by) = (call.value(0), call.value(1));
        let within = self.ints(LLVMIntPredicate::LLVMIntULT, by, b.splat(Repr::I64, bits));
        let clipped = b.select(within, by, b.splat(Repr::I64, bits - 1));
        let by = self.resized(clipped, Repr::I64, repr, false);
        match op {
            Number::Shr if call.kinds[0].signed() => b.math(LLVMOpcode::LLVMAShr, x, by),
            Number::Shr => b.select(within, b.math(LLVMOpcode::LLVMLShr, x, by), b.splat(repr, 0)),
            _ => b.select(within, b.math(LLVMOpcode::LLVMShl, x, by), b.splat(repr, 0)),
        }
    }

    /// A number rounded to `n` digits after the point. An integer that no longer fits wraps, a decimal raises.
    fn rounded_to(&mut self, call: &Applied<'_>, digits: i64, toward: Toward) -> Lanes {
        let (b, repr, signed) = (self.builder, call.repr(), call.kind.signed());
        let (precision, scale) = match call.kind {
            Kind::Decimal { precision, scale } => (Some(precision), i64::from(scale)),
            _ => (None, 0),
        };
        let dropped = scale.saturating_sub(digits);
        if dropped <= 0 {
            return Lanes { value: call.value(0), valid: self.all_valid(call.args) };
        }
        if dropped > 38 {
            return Lanes { value: b.splat(repr, 0), valid: self.all_valid(call.args) };
        }
        // 18 digits and a unit of 18 digits more leave room in 64 bits.
        let work = if repr == Repr::I64 && precision.is_some() && dropped <= 18 { Repr::I64 } else { Repr::I128 };
        let unit = 10i128.pow(dropped as u32);
        let x = self.resized(call.value(0), repr, work, signed);
        let quotient = self.rounded_quotient(x, work, unit, toward);
        let (multiple, overflow) = b.parts(self.intrinsic("llvm.smul.with.overflow", work, &[quotient, b.splat(work, unit)]));
        let value = self.resized(multiple, work, repr, signed);
        if precision.is_none() {
            return Lanes { value, valid: self.all_valid(call.args) };
        }
        let outside = self.outside(multiple, work, true, call.kind.range().expect("a decimal has a range"));
        let misfit = outside.map_or(overflow, |outside| b.or(overflow, outside));
        self.misfit(call, value, misfit, false)
    }

    /// `x / unit` rounded, for a positive unit.
    pub(super) fn rounded_quotient(&self, x: Value, repr: Repr, unit: i128, toward: Toward) -> Value {
        let b = self.builder;
        let (units, zero, one) = (b.splat(repr, unit), b.splat(repr, 0), b.splat(repr, 1));
        let quotient = b.math(LLVMOpcode::LLVMSDiv, x, units);
        if toward == Toward::Zero {
            return quotient;
        }
        let rest = b.math(LLVMOpcode::LLVMSub, x, b.math(LLVMOpcode::LLVMMul, quotient, units));
        let negative = self.ints(LLVMIntPredicate::LLVMIntSLT, rest, zero);
        let floor = b.select(negative, b.math(LLVMOpcode::LLVMSub, quotient, one), quotient);
        let rest = b.select(negative, b.math(LLVMOpcode::LLVMAdd, rest, units), rest);
        let up = match toward {
            Toward::Down | Toward::Zero => return floor,
            Toward::Up => self.ints(LLVMIntPredicate::LLVMIntSGT, rest, zero),
            Toward::Nearest(half) => {
                let other = b.math(LLVMOpcode::LLVMSub, units, rest);
                let tied = match half {
                    Rounding::HalfEven => self.ints(LLVMIntPredicate::LLVMIntNE, b.and(floor, one), zero),
                    Rounding::HalfAway => self.ints(LLVMIntPredicate::LLVMIntSGT, x, zero),
                };
                let nearer = self.ints(LLVMIntPredicate::LLVMIntSGT, rest, other);
                b.or(nearer, b.and(self.ints(LLVMIntPredicate::LLVMIntEQ, rest, other), tied))
            }
        };
        b.select(up, b.math(LLVMOpcode::LLVMAdd, floor, one), floor)
    }
}
