//! Comparison, booleans, nulls and choice.

use super::{Applied, Emitter, Lanes};
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::{NanOrder, NullMatch};
use airloom_ir::ops::logic::Logic;
use airloom_ir::oracle::formula::HASH_PRIMES;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};

impl Emitter<'_> {
    pub(super) fn logic(&mut self, op: Logic, call: &Applied<'_>) -> Lanes {
        let b = self.builder;
        let never_null = |value: Value| Lanes { value, valid: None };
        let strict = |emitter: &Self, value: Value| Lanes { value, valid: emitter.all_valid(call.args) };
        match op {
            Logic::Eq => strict(self, self.equal(call, call.attr(0), call.args[0], call.args[1])),
            Logic::Ne => strict(self, b.not(self.equal(call, call.attr(0), call.args[0], call.args[1]))),
            Logic::Lt => strict(self, self.before(call, 0, 1)),
            Logic::Gt => strict(self, self.before(call, 1, 0)),
            Logic::Le => strict(self, self.not_after(call, 0, 1)),
            Logic::Ge => strict(self, self.not_after(call, 1, 0)),
            Logic::Same => never_null(self.same(call, call.args[0], call.args[1])),
            Logic::And => self.decided(call, false),
            Logic::Or => self.decided(call, true),
            Logic::Xor => strict(self, b.math(LLVMOpcode::LLVMXor, call.value(0), call.value(1))),
            Logic::Not => strict(self, b.not(call.value(0))),
            Logic::IsNull => never_null(call.args[0].valid.map_or_else(|| b.mask(false), |valid| b.not(valid))),
            Logic::IsTrue => never_null(self.truth(call.args[0])),
            Logic::Coalesce => self.coalesced(call.args),
            Logic::NanToNull => {
                let number = b.not(self.is_nan(call.value(0)));
                let valid = call.args[0].valid.map_or(number, |valid| b.and(valid, number));
                Lanes { value: call.value(0), valid: Some(valid) }
            }
            Logic::NullToNan => never_null(match call.args[0].valid {
                Some(valid) => b.select(valid, call.value(0), b.splat_float(call.repr(), f64::NAN)),
                None => call.value(0),
            }),
            Logic::Select => {
                let truth = self.truth(call.args[0]);
                let (then, otherwise) = (call.args[1], call.args[2]);
                let valid = match (then.valid, otherwise.valid) {
                    (None, None) => None,
                    (then, otherwise) => {
                        let or_all = |valid: Option<Value>| valid.unwrap_or_else(|| b.mask(true));
                        Some(b.select(truth, or_all(then), or_all(otherwise)))
                    }
                };
                Lanes { value: b.select(truth, then.value, otherwise.value), valid }
            }
            Logic::IsIn => self.is_in(call),
            Logic::Cast => self.cast(call),
            Logic::Hash => never_null(self.hash(call)),
        }
    }

    /// The hash that the language defines: words of the value's kind and of its bits, mixed one after the other.
    fn hash(&self, call: &Applied<'_>) -> Value {
        let (b, kind, value) = (self.builder, call.kinds[0], call.value(0));
        let [first, second, third] = HASH_PRIMES;
        let word = |word: u64| b.splat(Repr::I64, i128::from(word as i64));
        let math = |op: LLVMOpcode, left: Value, right: Value| b.math(op, left, right);
        let mixed = |state: Value, more: Value| {
            let turned = self.intrinsic("llvm.fshl", Repr::I64, &[state, state, word(29)]);
            math(LLVMOpcode::LLVMMul, math(LLVMOpcode::LLVMXor, turned, math(LLVMOpcode::LLVMMul, more, word(first))), word(second))
        };
        let finished = |state: Value| {
            let folded = |state: Value, by: u64| math(LLVMOpcode::LLVMXor, state, math(LLVMOpcode::LLVMLShr, state, word(by)));
            let state = math(LLVMOpcode::LLVMMul, folded(state, 33), word(first));
            folded(math(LLVMOpcode::LLVMMul, folded(state, 29), word(third)), 32)
        };
        let seed: i64 = call.attr(0);
        let begun = word((seed as u64).wrapping_add(third));
        let words: Vec<Value> = match kind {
            Kind::Bool => vec![word(1), self.resized(value, Repr::Bit, Repr::I64, false)],
            Kind::F32 | Kind::F64 => {
                let (number, repr, nan) =
                    if kind == Kind::F32 { (3, Repr::I32, 0x7FC0_0000) } else { (4, Repr::I64, 0x7FF8_0000_0000_0000) };
                // Adding zero turns `-0.0` into `0.0`.
                let positive = math(LLVMOpcode::LLVMFAdd, value, self.zero(kind));
                let bits = b.convert(LLVMOpcode::LLVMBitCast, positive, b.vector_type(repr));
                let bits = b.select(self.is_nan(value), b.splat(repr, nan), bits);
                vec![word(number), self.resized(bits, repr, Repr::I64, false)]
            }
            _ => {
                let wide = self.resized(value, kind.repr(), Repr::I128, kind.signed());
                let high = math(LLVMOpcode::LLVMAShr, wide, b.splat(Repr::I128, 64));
                vec![word(2), self.resized(wide, Repr::I128, Repr::I64, false), self.resized(high, Repr::I128, Repr::I64, false)]
            }
        };
        let hash = finished(words.into_iter().fold(begun, mixed));
        call.args[0].valid.map_or(hash, |valid| b.select(valid, hash, finished(mixed(begun, word(0)))))
    }

    /// Where a boolean is true; null is not.
    fn truth(&self, lanes: Lanes) -> Value {
        lanes.valid.map_or(lanes.value, |valid| self.builder.and(lanes.value, valid))
    }

    fn equal(&self, call: &Applied<'_>, nan: NanOrder, left: Lanes, right: Lanes) -> Value {
        let (b, x, y) = (self.builder, left.value, right.value);
        if !call.kinds[0].is_float() {
            return self.ints(LLVMIntPredicate::LLVMIntEQ, x, y);
        }
        let equal = self.floats(LLVMRealPredicate::LLVMRealOEQ, x, y);
        match nan {
            NanOrder::Ieee => equal,
            NanOrder::Total => b.or(equal, b.and(self.is_nan(x), self.is_nan(y))),
        }
    }

    /// Whether one argument comes before another.
    fn before(&self, call: &Applied<'_>, left: usize, right: usize) -> Value {
        let (b, x, y) = (self.builder, call.value(left), call.value(right));
        match call.kinds[0] {
            Kind::F32 | Kind::F64 => {
                let less = self.floats(LLVMRealPredicate::LLVMRealOLT, x, y);
                match call.attr(0) {
                    NanOrder::Ieee => less,
                    NanOrder::Total => b.or(less, b.and(b.not(self.is_nan(x)), self.is_nan(y))),
                }
            }
            kind if kind.signed() => self.ints(LLVMIntPredicate::LLVMIntSLT, x, y),
            _ => self.ints(LLVMIntPredicate::LLVMIntULT, x, y),
        }
    }

    fn not_after(&self, call: &Applied<'_>, left: usize, right: usize) -> Value {
        match (call.kinds[0].is_float(), call.attr(0)) {
            (true, NanOrder::Ieee) => self.floats(LLVMRealPredicate::LLVMRealOLE, call.value(left), call.value(right)),
            _ => self.builder.not(self.before(call, right, left)),
        }
    }

    /// Whether two values are the same, nulls and NaN included.
    fn same(&self, call: &Applied<'_>, left: Lanes, right: Lanes) -> Value {
        let b = self.builder;
        let equal = self.equal(call, NanOrder::Total, left, right);
        if left.valid.is_none() && right.valid.is_none() {
            return equal;
        }
        let (x, y) = (left.valid.unwrap_or_else(|| b.mask(true)), right.valid.unwrap_or_else(|| b.mask(true)));
        b.or(b.and(equal, b.and(x, y)), b.not(b.or(x, y)))
    }

    /// Kleene's `and` and `or`: one side of the deciding value decides, whatever the other is.
    fn decided(&self, call: &Applied<'_>, deciding: bool) -> Lanes {
        let b = self.builder;
        let (x, y) = (call.args[0], call.args[1]);
        let value = if deciding { b.or(x.value, y.value) } else { b.and(x.value, y.value) };
        let all = self.all_valid(call.args);
        let Some(all) = all else { return Lanes { value, valid: None } };
        let decides = |lanes: Lanes| {
            let is = if deciding { lanes.value } else { b.not(lanes.value) };
            lanes.valid.map_or(is, |valid| b.and(valid, is))
        };
        // Where neither decides, the value under a null may be anything: it is null.
        Lanes { value, valid: Some(b.or(all, b.or(decides(x), decides(y)))) }
    }

    fn coalesced(&self, args: &[Lanes]) -> Lanes {
        let b = self.builder;
        let (last, before) = args.split_last().expect("`coalesce` has a value");
        before.iter().rev().fold(*last, |rest, first| match first.valid {
            None => *first,
            Some(valid) => Lanes { value: b.select(valid, first.value, rest.value), valid: rest.valid.map(|rest| b.or(valid, rest)) },
        })
    }

    fn is_in(&self, call: &Applied<'_>) -> Lanes {
        let b = self.builder;
        let (value, items) = (call.args[0], &call.args[1..]);
        let any = |found: Vec<Value>| found.into_iter().reduce(|left, right| b.or(left, right)).unwrap_or_else(|| b.mask(false));
        match call.attr(0) {
            NullMatch::Equal => Lanes { value: any(items.iter().map(|&item| self.same(call, value, item)).collect()), valid: None },
            NullMatch::Never => {
                let equal = |&item: &Lanes| {
                    let equal = self.equal(call, NanOrder::Ieee, value, item);
                    item.valid.map_or(equal, |valid| b.and(equal, valid))
                };
                let found = any(items.iter().map(equal).collect());
                let nulls: Vec<Value> = items.iter().filter_map(|item| item.valid).map(|valid| b.not(valid)).collect();
                let decided = (!nulls.is_empty()).then(|| b.or(found, b.not(any(nulls))));
                let valid = [value.valid, decided].into_iter().flatten().reduce(|left, right| b.and(left, right));
                Lanes { value: found, valid }
            }
        }
    }
}
