//! Conversion between types of a fixed width.

use super::exact::Toward;
use super::{Applied, Emitter, Lanes};
use crate::functions;
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::{CastMode, Rounding};
use airloom_ir::oracle::formula::{DAY_SECONDS, ten_to};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

/// A count, and where it is not what the value means since the bits did not hold it.
struct Count {
    value: Value,
    repr: Repr,
    signed: bool,
    lost: Option<Value>,
}

impl Emitter<'_> {
    pub(super) fn cast(&mut self, call: &Applied<'_>) -> Lanes {
        let (from, to) = (call.kinds[0], call.kind);
        let valid = self.all_valid(call.args);
        if from == to {
            return call.args[0];
        }
        match to {
            Kind::Bool => Lanes { value: self.is_not_zero(call), valid },
            Kind::F32 | Kind::F64 => Lanes { value: self.to_float(call), valid },
            Kind::Decimal { scale, .. } if from.is_float() => self.float_to_decimal(call, scale),
            _ if from.is_float() => self.float_to_count(call),
            _ => {
                let count = self.count(call);
                self.fitted(call, &count)
            }
        }
    }

    fn is_not_zero(&self, call: &Applied<'_>) -> Value {
        let zero = self.zero(call.kinds[0]);
        match call.kinds[0].is_float() {
            true => self.floats(LLVMRealPredicate::LLVMRealUNE, call.value(0), zero),
            false => self.ints(LLVMIntPredicate::LLVMIntNE, call.value(0), zero),
        }
    }

    fn to_float(&self, call: &Applied<'_>) -> Value {
        let (b, x, to) = (self.builder, call.value(0), call.kind.repr());
        let ty = b.vector_type(to);
        match call.kinds[0] {
            Kind::F32 => b.convert(LLVMOpcode::LLVMFPExt, x, ty),
            Kind::F64 => b.convert(LLVMOpcode::LLVMFPTrunc, x, ty),
            Kind::Decimal { scale, .. } if to == Repr::F32 => {
                let digits = (self.resized(x, call.repr(), Repr::I128, true), Repr::I128);
                b.call_lanes(functions::DECIMAL_TO_SINGLE, &[digits, (b.splat(Repr::I32, scale.into()), Repr::I32)], Repr::F32)
            }
            // Up to 15 digits and 22 after the point, both are floats, and one division is exact.
            Kind::Decimal { precision: ..=15, scale: scale @ ..=22 } => {
                let digits = b.convert(LLVMOpcode::LLVMSIToFP, x, ty);
                b.math(LLVMOpcode::LLVMFDiv, digits, b.splat_float(to, ten_to(scale.into())))
            }
            Kind::Decimal { scale, .. } => {
                let digits = (self.resized(x, call.repr(), Repr::I128, true), Repr::I128);
                let scale = (b.splat(Repr::I32, scale.into()), Repr::I32);
                b.call_lanes(functions::DECIMAL_TO_FLOAT, &[digits, scale], Repr::F64)
            }
            kind if kind.signed() => b.convert(LLVMOpcode::LLVMSIToFP, x, ty),
            _ => b.convert(LLVMOpcode::LLVMUIToFP, x, ty),
        }
    }

    /// A float by its exact digits. What is outside saturates, and NaN is zero, where the mode wraps.
    fn float_to_decimal(&mut self, call: &Applied<'_>, scale: u8) -> Lanes {
        let (b, to) = (self.builder, call.kind);
        let x = self.widened(call);
        let (least, greatest) = to.range().expect("a decimal has a range");
        let scale = (b.splat(Repr::I32, scale.into()), Repr::I32);
        let digits = b.call_lanes(functions::FLOAT_TO_DECIMAL, &[(x, Repr::F64), scale], Repr::I128);
        let misfit = self.outside(digits, Repr::I128, true, (least, greatest)).expect("128 bits hold more than 38 digits");
        let value = self.resized(digits, Repr::I128, to.repr(), true);
        match call.attr(0) {
            CastMode::Wrap => {
                let negative = self.floats(LLVMRealPredicate::LLVMRealOLT, x, b.splat_float(Repr::F64, 0.0));
                let end = b.select(negative, b.splat(to.repr(), least), b.splat(to.repr(), greatest));
                let end = b.select(self.is_nan(x), self.zero(to), end);
                Lanes { value: b.select(misfit, end, value), valid: self.all_valid(call.args) }
            }
            mode => self.misfit(call, value, misfit, mode == CastMode::Lenient),
        }
    }

    /// A float in 64 bits.
    fn widened(&self, call: &Applied<'_>) -> Value {
        match call.kinds[0] {
            Kind::F32 => self.builder.convert(LLVMOpcode::LLVMFPExt, call.value(0), self.builder.vector_type(Repr::F64)),
            _ => call.value(0),
        }
    }

    /// A float without its fraction. What is outside saturates, and NaN is zero, where the mode wraps.
    fn float_to_count(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, to) = (self.builder, call.kind);
        let x = self.widened(call);
        let (least, greatest) = to.range().expect("a count has a range");
        // One past either end is a float of its own for every type: ends of 64 bits are powers of two, and smaller ones have less than 53 bits.
        let above = self.floats(LLVMRealPredicate::LLVMRealOGT, x, b.splat_float(Repr::F64, before(least)));
        let above = match least == i128::from(i64::MIN) {
            true => self.floats(LLVMRealPredicate::LLVMRealOGE, x, b.splat_float(Repr::F64, least as f64)),
            false => above,
        };
        let below = self.floats(LLVMRealPredicate::LLVMRealOLT, x, b.splat_float(Repr::F64, (greatest + 1) as f64));
        let misfit = b.not(b.and(above, below));
        let name = if to.signed() { "llvm.fptosi.sat" } else { "llvm.fptoui.sat" };
        let value = b.intrinsic(name, &[b.vector_type(to.repr()), b.vector_type(Repr::F64)], &[x]);
        match (call.attr(0), to) {
            (CastMode::Wrap, Kind::Int(_)) => Lanes { value, valid: self.all_valid(call.args) },
            (mode, _) => self.misfit(call, value, misfit, mode == CastMode::Lenient),
        }
    }

    /// The count that a value becomes, before it is asked whether the type holds it.
    fn count(&self, call: &Applied<'_>) -> Count {
        let (b, x, repr) = (self.builder, call.value(0), call.repr());
        let signed = call.kinds[0].signed();
        let exact = |value: Value, repr: Repr| Count { value, repr, signed: true, lost: None };
        match (call.kinds[0], call.kind) {
            (Kind::Decimal { scale: from, precision }, Kind::Decimal { scale: to, .. }) => {
                let narrow = precision <= 18 && to.saturating_sub(from) == 0;
                let work = if narrow { repr } else { Repr::I128 };
                let x = self.resized(x, repr, work, true);
                match from > to {
                    true => {
                        exact(self.rounded_quotient(x, work, 10i128.pow(u32::from(from - to)), Toward::Nearest(Rounding::HalfEven)), work)
                    }
                    false => self.times(x, work, 10i128.pow(u32::from(to - from))),
                }
            }
            (_, Kind::Decimal { scale, .. }) => self.times(self.resized(x, repr, Repr::I128, signed), Repr::I128, 10i128.pow(scale.into())),
            (Kind::Date, Kind::Timestamp { unit, .. }) => {
                self.times(self.resized(x, repr, Repr::I64, true), Repr::I64, i128::from(DAY_SECONDS * unit.per_second()))
            }
            (Kind::Timestamp { unit, .. }, Kind::Date) => {
                exact(self.rounded_quotient(x, repr, i128::from(DAY_SECONDS * unit.per_second()), Toward::Down), repr)
            }
            (Kind::Timestamp { unit: from, .. }, Kind::Timestamp { unit: to, .. }) | (Kind::Duration(from), Kind::Duration(to)) => {
                let (from, to) = (from.per_second(), to.per_second());
                match from > to {
                    true => exact(self.rounded_quotient(x, repr, i128::from(from / to), Toward::Down), repr),
                    false => self.times(x, repr, i128::from(to / from)),
                }
            }
            (Kind::Decimal { scale, .. }, _) => exact(b.math(LLVMOpcode::LLVMSDiv, x, b.splat(repr, 10i128.pow(scale.into()))), repr),
            (Kind::Bool, _) => Count { value: self.resized(x, repr, Repr::I8, false), repr: Repr::I8, signed: false, lost: None },
            _ => Count { value: x, repr, signed, lost: None },
        }
    }

    fn times(&self, x: Value, repr: Repr, unit: i128) -> Count {
        if unit == 1 {
            return Count { value: x, repr, signed: true, lost: None };
        }
        let b = self.builder;
        let (value, lost) = b.parts(self.intrinsic("llvm.smul.with.overflow", repr, &[x, b.splat(repr, unit)]));
        Count { value, repr, signed: true, lost: Some(lost) }
    }

    /// A count as the type of the result, where that holds it; else as the mode says.
    fn fitted(&mut self, call: &Applied<'_>, count: &Count) -> Lanes {
        let (b, to) = (self.builder, call.kind);
        let range = to.range().expect("a count has a range");
        let value = self.resized(count.value, count.repr, to.repr(), count.signed);
        let outside = self.outside(count.value, count.repr, count.signed, range);
        let misfit = [count.lost, outside].into_iter().flatten().reduce(|left, right| b.or(left, right));
        let Some(misfit) = misfit else { return Lanes { value, valid: self.all_valid(call.args) } };
        match (call.attr(0), to) {
            // The bits that are left are those of the integer modulo two to their number.
            (CastMode::Wrap, Kind::Int(_)) => Lanes { value, valid: self.all_valid(call.args) },
            (CastMode::Wrap, Kind::Decimal { .. }) => {
                let zero = self.zero(call.kinds[0]);
                let less = if call.kinds[0].signed() { LLVMIntPredicate::LLVMIntSLT } else { LLVMIntPredicate::LLVMIntULT };
                let negative = self.ints(less, call.value(0), zero);
                let end = b.select(negative, b.splat(to.repr(), range.0), b.splat(to.repr(), range.1));
                Lanes { value: b.select(misfit, end, value), valid: self.all_valid(call.args) }
            }
            (mode, _) => self.misfit(call, value, misfit, mode == CastMode::Lenient),
        }
    }
}

/// One less than an end of a range that has less than 53 bits.
fn before(least: i128) -> f64 {
    (least - 1) as f64
}
