//! Floats, each in its own width. Nothing is reordered or contracted: the bits are those of the interpreter.

use super::{Applied, Emitter, Lanes};
use crate::functions;
use crate::kind::Repr;
use crate::llvm::{Compare, Value};
use airloom_ir::attrs::{NanPick, Rounding};
use airloom_ir::ops::Op;
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula::{Picked, ten_to};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

impl Emitter<'_> {
    pub(super) fn float(&mut self, op: Op, call: &Applied<'_>) -> Lanes {
        let Op::Number(op) = op else { panic!("invariant `floats are numbers`: found `{}`", op.def().name) };
        let (b, repr) = (self.builder, call.repr());
        let (x, y) = (call.value(0), call.args.last().expect("an op of floats has an argument").value);
        let math = |op: LLVMOpcode| b.math(op, x, y);
        let infinity = || b.splat_float(repr, f64::INFINITY);
        let value = match op {
            Number::Add => math(LLVMOpcode::LLVMFAdd),
            Number::Sub => math(LLVMOpcode::LLVMFSub),
            Number::Mul => math(LLVMOpcode::LLVMFMul),
            Number::Div => math(LLVMOpcode::LLVMFDiv),
            Number::TruncDiv => self.intrinsic("llvm.trunc", repr, &[math(LLVMOpcode::LLVMFDiv)]),
            Number::Neg => b.negative(x),
            Number::Abs => self.size(repr, x),
            Number::Sign => {
                let itself = self.floats(LLVMRealPredicate::LLVMRealUEQ, x, b.splat_float(repr, 0.0));
                b.select(itself, x, self.with_sign(repr, b.splat_float(repr, 1.0), x))
            }
            Number::Least => self.pick(call, x, y, Picked::Least),
            Number::Greatest => self.pick(call, x, y, Picked::Greatest),
            Number::Floor => self.intrinsic("llvm.floor", repr, &[x]),
            Number::Ceil => self.intrinsic("llvm.ceil", repr, &[x]),
            Number::Trunc => self.intrinsic("llvm.trunc", repr, &[x]),
            Number::Round => self.rounded(call, x),
            Number::Sqrt => self.intrinsic("llvm.sqrt", repr, &[x]),
            Number::CopySign => b.select(self.is_nan(y), self.size(repr, x), self.with_sign(repr, x, y)),
            Number::IsNan => self.is_nan(x),
            Number::IsFinite => self.floats(LLVMRealPredicate::LLVMRealOLT, self.size(repr, x), infinity()),
            Number::IsInfinite => self.floats(LLVMRealPredicate::LLVMRealOEQ, self.size(repr, x), infinity()),
            other => {
                let name = functions::of_number(other, repr == Repr::F64);
                let name = name.unwrap_or_else(|| panic!("invariant `shapes hold what has a kernel`: found {other:?} of floats"));
                let args: Vec<(Value, Repr)> = call.args.iter().map(|arg| (arg.value, repr)).collect();
                b.call_lanes(&name, &args, repr)
            }
        };
        Lanes { value, valid: self.all_valid(call.args) }
    }

    pub(super) fn floats(&self, how: LLVMRealPredicate, left: Value, right: Value) -> Value {
        self.builder.compare(Compare::Float(how), left, right)
    }

    pub(super) fn is_nan(&self, x: Value) -> Value {
        self.floats(LLVMRealPredicate::LLVMRealUNO, x, x)
    }

    fn size(&self, repr: Repr, x: Value) -> Value {
        self.intrinsic("llvm.fabs", repr, &[x])
    }

    fn with_sign(&self, repr: Repr, size: Value, sign: Value) -> Value {
        self.intrinsic("llvm.copysign", repr, &[size, sign])
    }

    /// The smaller or the greater, `-0.0` before `0.0`: the bits of floats that are not NaN are ordered as integers are, where those of negative numbers are turned round.
    fn pick(&self, call: &Applied<'_>, x: Value, y: Value, which: Picked) -> Value {
        let (b, repr) = (self.builder, call.repr());
        let int = if repr == Repr::F64 { Repr::I64 } else { Repr::I32 };
        let key = |x: Value| {
            let bits = b.convert(LLVMOpcode::LLVMBitCast, x, b.vector_type(int));
            let sign = b.math(LLVMOpcode::LLVMAShr, bits, b.splat(int, i128::from(int.bits() - 1)));
            b.math(LLVMOpcode::LLVMXor, bits, b.math(LLVMOpcode::LLVMLShr, sign, b.splat(int, 1)))
        };
        let how = if which == Picked::Least { LLVMIntPredicate::LLVMIntSLE } else { LLVMIntPredicate::LLVMIntSGT };
        let picked = b.select(self.ints(how, key(x), key(y)), x, y);
        match call.attr(0) {
            NanPick::Ignore => b.select(self.is_nan(x), y, b.select(self.is_nan(y), x, picked)),
            NanPick::Propagate => {
                let either = self.floats(LLVMRealPredicate::LLVMRealUNO, x, y);
                b.select(either, b.splat_float(repr, f64::NAN), picked)
            }
        }
    }

    fn rounded(&self, call: &Applied<'_>, x: Value) -> Value {
        let (b, repr) = (self.builder, call.repr());
        let (digits, half): (i64, Rounding) = (call.attr(0), call.attr(1));
        let nearest = |x: Value| match half {
            Rounding::HalfEven => self.intrinsic("llvm.roundeven", repr, &[x]),
            Rounding::HalfAway => self.intrinsic("llvm.round", repr, &[x]),
        };
        let scale = b.splat_float(repr, ten_to(digits.unsigned_abs()));
        match digits {
            0 => nearest(x),
            1.. => b.math(LLVMOpcode::LLVMFDiv, nearest(b.math(LLVMOpcode::LLVMFMul, x, scale)), scale),
            _ => b.math(LLVMOpcode::LLVMFMul, nearest(b.math(LLVMOpcode::LLVMFDiv, x, scale)), scale),
        }
    }
}
