//! Steps of the calendar and the clock, for dates and for timestamps whose clocks show UTC: counts are brought to a step, or moved by some.
//!
//! What does not fit raises; so may what fits although a product on the way to it does not: the interpreter computes those rows.

use super::exact::Toward;
use super::{Applied, Emitter, Lanes};
use crate::functions;
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::{DateStep, StepMode};
use airloom_ir::oracle::formula::{DAY_NANOS, DAY_SECONDS, Length};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// The length of some steps: in months, or in counts of a kind. `None` where that is no integer of 64 bits, or the kind has no calendar.
pub(crate) fn length_of(kind: Kind, unit: DateStep, every: i64) -> Option<i64> {
    let count_nanos = match kind {
        Kind::Date => i128::from(DAY_NANOS),
        Kind::Timestamp { unit, .. } => i128::from(1_000_000_000 / unit.per_second()),
        _ => return None,
    };
    match Length::of(unit) {
        Length::Months(months) => months.checked_mul(every),
        Length::Nanos(nanos) => {
            let nanos = nanos.checked_mul(every.into())?;
            if nanos % count_nanos == 0 { i64::try_from(nanos / count_nanos).ok() } else { None }
        }
    }
}

impl Emitter<'_> {
    pub(super) fn stepped(&mut self, call: &Applied<'_>) -> Lanes {
        let b = self.builder;
        let (unit, every, mode): (DateStep, i64, StepMode) = (call.attr(0), call.attr(1), call.attr(2));
        let length = self.length(call, unit, every);
        let reading = self.reading(call);
        let in_months = matches!(Length::of(unit), Length::Months(_));
        // Weeks are counted from 1970-01-05, the first Monday.
        let origin = if unit == DateStep::Week { 4 * per_day(call.kinds[0]) } else { 0 };
        let number = if in_months {
            let month = b.call_lanes(functions::MONTH_OF, &[(self.days(call), Repr::I64)], Repr::I64);
            self.rounded_quotient(month, Repr::I64, length.into(), Toward::Down)
        } else {
            let since = self.within(call, "sub", reading, b.splat(Repr::I64, origin.into()));
            self.rounded_quotient(since, Repr::I64, length.into(), Toward::Down)
        };
        let begin = |emitter: &mut Self, number: Value| {
            let steps = emitter.within(call, "mul", number, b.splat(Repr::I64, length.into()));
            if in_months {
                let days = emitter.called(call, functions::MONTH_BEGIN, &[steps]);
                return emitter.within(call, "mul", days, b.splat(Repr::I64, per_day(call.kinds[0]).into()));
            }
            emitter.within(call, "add", steps, b.splat(Repr::I64, origin.into()))
        };
        let floor = begin(self, number);
        if mode == StepMode::Floor {
            return self.counted(call, floor);
        }
        let next = begin(self, b.math(LLVMOpcode::LLVMAdd, number, b.splat(Repr::I64, 1)));
        let up = if mode == StepMode::Ceil {
            self.ints(LLVMIntPredicate::LLVMIntNE, floor, reading)
        } else {
            let (below, above) = (b.math(LLVMOpcode::LLVMSub, reading, floor), b.math(LLVMOpcode::LLVMSub, next, reading));
            let odd = self.ints(LLVMIntPredicate::LLVMIntNE, b.and(number, b.splat(Repr::I64, 1)), b.splat(Repr::I64, 0));
            let tied = b.and(self.ints(LLVMIntPredicate::LLVMIntEQ, below, above), odd);
            b.or(self.ints(LLVMIntPredicate::LLVMIntSGT, below, above), tied)
        };
        let nearest = b.select(up, next, floor);
        self.counted(call, nearest)
    }

    pub(super) fn moved(&mut self, call: &Applied<'_>) -> Lanes {
        let b = self.builder;
        let unit: DateStep = call.attr(0);
        let length = self.length(call, unit, 1);
        let (reading, by) = (self.reading(call), self.within(call, "mul", call.value(1), b.splat(Repr::I64, length.into())));
        if matches!(Length::of(unit), Length::Nanos(_)) {
            let later = self.within(call, "add", reading, by);
            return self.counted(call, later);
        }
        let (days, per_day) = (self.days(call), b.splat(Repr::I64, per_day(call.kinds[0]).into()));
        let rest = b.math(LLVMOpcode::LLVMSub, reading, b.math(LLVMOpcode::LLVMMul, days, per_day));
        let moved = self.called(call, functions::MONTHS_LATER, &[days, by]);
        let midnight = self.within(call, "mul", moved, per_day);
        let later = self.within(call, "add", midnight, rest);
        self.counted(call, later)
    }

    fn length(&self, call: &Applied<'_>, unit: DateStep, every: i64) -> i64 {
        length_of(call.kinds[0], unit, every).expect("invariant `shapes hold what has a kernel`: a step is a number of counts")
    }

    /// The count in 64 bits.
    fn reading(&self, call: &Applied<'_>) -> Value {
        self.resized(call.value(0), call.repr(), Repr::I64, true)
    }

    /// A count in the width of its kind; what does not fit raises.
    fn counted(&mut self, call: &Applied<'_>, count: Value) -> Lanes {
        if call.kind.repr() == Repr::I64 {
            return Lanes { value: count, valid: self.all_valid(call.args) };
        }
        let (value, range) = (self.resized(count, Repr::I64, call.kind.repr(), true), call.kind.range().expect("a date is a count"));
        match self.outside(count, Repr::I64, true, range) {
            Some(misfit) => self.misfit(call, value, misfit, false),
            None => Lanes { value, valid: self.all_valid(call.args) },
        }
    }

    /// What two numbers make, which raises where it has more than 64 bits.
    fn within(&mut self, call: &Applied<'_>, word: &str, left: Value, right: Value) -> Value {
        let pair = self.intrinsic(&format!("llvm.s{word}.with.overflow"), Repr::I64, &[left, right]);
        let (value, misfit) = self.builder.parts(pair);
        self.raise(call, misfit);
        value
    }

    /// The days that a function gives, which raises where it gives none.
    fn called(&mut self, call: &Applied<'_>, name: &str, args: &[Value]) -> Value {
        let args: Vec<(Value, Repr)> = args.iter().map(|&arg| (arg, Repr::I64)).collect();
        let days = self.builder.call_lanes(name, &args, Repr::I64);
        let none = self.ints(LLVMIntPredicate::LLVMIntEQ, days, self.builder.splat(Repr::I64, functions::NO_DAY.into()));
        self.raise(call, none);
        days
    }
}

/// How many counts a day has.
fn per_day(kind: Kind) -> i64 {
    match kind {
        Kind::Timestamp { unit, .. } => DAY_SECONDS * unit.per_second(),
        _ => 1,
    }
}
