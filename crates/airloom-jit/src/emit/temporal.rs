//! Dates and times whose clocks show UTC.

use super::exact::Toward;
use super::{Applied, Emitter, Lanes};
use crate::functions;
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::{DatePart, Overflow};
use airloom_ir::ops::temporal::Temporal;
use airloom_ir::oracle::formula::DAY_SECONDS;
use llvm_sys::LLVMOpcode;

impl Emitter<'_> {
    pub(super) fn temporal(&mut self, op: Temporal, call: &Applied<'_>) -> Lanes {
        let strict = |emitter: &Self, value: Value| Lanes { value, valid: emitter.all_valid(call.args) };
        match op {
            Temporal::AddDuration => self.checked(call, "add", LLVMOpcode::LLVMAdd),
            Temporal::Since if call.kinds[0] == Kind::Date => {
                // The days between two dates have 33 bits.
                let b = self.builder;
                let days = |at: usize| self.resized(call.value(at), Repr::I32, Repr::I64, true);
                let between = b.math(LLVMOpcode::LLVMSub, days(0), days(1));
                strict(self, b.math(LLVMOpcode::LLVMMul, between, b.splat(Repr::I64, DAY_SECONDS.into())))
            }
            Temporal::Since => self.checked(call, "sub", LLVMOpcode::LLVMSub),
            Temporal::Scale => self.checked(call, "mul", LLVMOpcode::LLVMMul),
            Temporal::ToZone | Temporal::Wall => call.args[0],
            Temporal::Date => {
                let days = self.days(call);
                match self.outside(days, Repr::I64, true, (i32::MIN.into(), i32::MAX.into())) {
                    Some(misfit) => {
                        let value = self.resized(days, Repr::I64, Repr::I32, true);
                        self.misfit(call, value, misfit, false)
                    }
                    None => unreachable!("64 bits hold more than 32"),
                }
            }
            Temporal::Time => {
                let nanos = self.nanos(call);
                strict(self, nanos)
            }
            Temporal::Part => {
                let part = self.part(call);
                strict(self, part)
            }
            Temporal::Step => self.stepped(call),
            Temporal::Shift => self.moved(call),
            other => panic!("invariant `shapes hold what has a kernel`: found {other:?}"),
        }
    }

    fn checked(&mut self, call: &Applied<'_>, word: &str, plain: LLVMOpcode) -> Lanes {
        let b = self.builder;
        if call.overflow() == Overflow::Wrap {
            return Lanes { value: b.math(plain, call.value(0), call.value(1)), valid: self.all_valid(call.args) };
        }
        let pair = self.intrinsic(&format!("llvm.s{word}.with.overflow"), Repr::I64, &[call.value(0), call.value(1)]);
        let (value, misfit) = b.parts(pair);
        self.misfit(call, value, misfit, call.overflow() == Overflow::Null)
    }

    /// Days since 1970, in 64 bits.
    pub(super) fn days(&self, call: &Applied<'_>) -> Value {
        match call.kinds[0] {
            Kind::Date => self.resized(call.value(0), Repr::I32, Repr::I64, true),
            Kind::Timestamp { unit, .. } | Kind::Duration(unit) => {
                self.rounded_quotient(call.value(0), Repr::I64, i128::from(DAY_SECONDS * unit.per_second()), Toward::Down)
            }
            other => panic!("invariant `shapes hold what has a kernel`: `{other}` has no days"),
        }
    }

    /// Thousand-millionths of a second since midnight.
    fn nanos(&self, call: &Applied<'_>) -> Value {
        let b = self.builder;
        match call.kinds[0] {
            Kind::Time => call.value(0),
            Kind::Timestamp { unit, .. } | Kind::Duration(unit) => {
                let per_day = b.splat(Repr::I64, i128::from(DAY_SECONDS * unit.per_second()));
                let rest = b.math(LLVMOpcode::LLVMSub, call.value(0), b.math(LLVMOpcode::LLVMMul, self.days(call), per_day));
                b.math(LLVMOpcode::LLVMMul, rest, b.splat(Repr::I64, i128::from(1_000_000_000 / unit.per_second())))
            }
            other => panic!("invariant `shapes hold what has a kernel`: `{other}` has no time of day"),
        }
    }

    fn part(&self, call: &Applied<'_>) -> Value {
        let b = self.builder;
        let part: DatePart = call.attr(0);
        if let Some(name) = functions::of_part(part) {
            return b.call_lanes(&name, &[(self.days(call), Repr::I64)], Repr::I32);
        }
        let nanos = self.nanos(call);
        // None of these is negative.
        let over = |x: Value, by: i128| b.math(LLVMOpcode::LLVMUDiv, x, b.splat(Repr::I64, by));
        let rest = |x: Value, by: i128| b.math(LLVMOpcode::LLVMURem, x, b.splat(Repr::I64, by));
        let value = match part {
            DatePart::Hour => over(nanos, 3_600_000_000_000),
            DatePart::Minute => rest(over(nanos, 60_000_000_000), 60),
            DatePart::Second => rest(over(nanos, 1_000_000_000), 60),
            DatePart::Milli => over(rest(nanos, 1_000_000_000), 1_000_000),
            DatePart::Micro => over(rest(nanos, 1_000_000_000), 1_000),
            DatePart::Nano => rest(nanos, 1_000_000_000),
            other => panic!("invariant `shapes hold what has a kernel`: found the part {other:?}"),
        };
        self.resized(value, Repr::I64, Repr::I32, false)
    }
}
