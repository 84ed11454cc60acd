//! Folds: the loop computes the nodes of a block of rows, and adds them up or compares them where they are. It stores nothing else.
//!
//! Where all rows are of one group, each sum has as many lanes as a block has rows. Where there are several groups, each has some lanes for all of its sums, next to each
//! other, and a row is added to those of its group, in the lane of its number modulo theirs; of many groups, each has one lane. Values are compared as signed numbers of 64 bits,
//! whatever they are: floats by their bits, so that the sign of a zero counts.

use super::{Emitted, Emitter, Lanes, constants, pointers};
use crate::kind::{Kind, Repr};
use crate::llvm::{Builder, Compare, Value};
use crate::shape::{FoldOf, Grouping, Shape, Variant, What};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// A module as [`super::emit`] makes it, whose only output is where sums are. They begin with what each is of no rows.
pub(super) fn emit(shape: &Shape, variant: &Variant, name: &str) -> Emitted {
    let builder = Builder::new(name, shape.lanes());
    let b = &builder;
    let (inputs, outputs, blocks, rows) = (b.param(0), b.param(1), b.param(2), b.param(3));
    let (pointers, sums) = (pointers(b, variant, inputs), b.pointer_at(outputs, 0));
    let constants = constants(b, shape, variant, &pointers);
    let (before, head, end) = (b.here(), b.block(), b.block());
    b.go(head);
    b.enter(head);
    let block = b.phi(b.int_type(64));
    b.meet(block, b.number(0), before);
    let mut emitter = Emitter { shape, builder: b, slots: Vec::new(), raised: None };
    emitter.nodes(variant, &pointers, &constants, block);
    emitter.check_bounds();
    let terms: Vec<Option<Value>> = shape.folds.iter().map(|fold| emitter.term(*fold)).collect();
    let mask = match (variant.grouping, pointers.groups) {
        (Grouping::Masked, Some(bitmap)) => Some(emitter.loaded(bitmap, Repr::Bit, block, None)),
        _ => None,
    };
    // What is left out does not raise.
    if let Some(raised) = emitter.raised.map(|raised| mask.map_or(raised, |mask| b.and(raised, mask))) {
        let (left, on) = (b.block(), b.block());
        b.go_if(emitter.any(raised, block, rows), left, on);
        b.enter(left);
        b.give(block);
        b.enter(on);
    }
    match pointers.groups {
        Some(groups) if !variant.grouping.is_one() => emitter.add_to_groups(&terms, sums, groups, variant.grouping, block),
        _ => emitter.add_to_lanes(&terms, sums, mask, block, rows),
    }
    let next = b.math(LLVMOpcode::LLVMAdd, block, b.number(1));
    b.meet(block, next, b.here());
    b.go_if(b.compare(Compare::Int(LLVMIntPredicate::LLVMIntULT), next, blocks), head, end);
    b.enter(end);
    b.give(blocks);
    Emitted { module: builder.finish(), nullable: Vec::new() }
}

impl Emitter<'_> {
    /// Rows raise whose inputs have more bits than the code relies on.
    fn check_bounds(&mut self) {
        let b = self.builder;
        for (slot, node) in self.shape.nodes.iter().enumerate() {
            let What::Input(number) = node.what else { continue };
            let (Some(bits), repr) = (self.shape.bounds[number], node.kind.repr()) else { continue };
            if bits + 1 >= repr.bits() {
                continue;
            }
            let Lanes { value, valid } = self.slots[slot];
            let moved = b.math(LLVMOpcode::LLVMAdd, value, b.splat(repr, 1 << bits));
            let outside = self.ints(LLVMIntPredicate::LLVMIntUGE, moved, b.splat(repr, 2 << bits));
            self.raise_where(valid.map_or(outside, |valid| b.and(outside, valid)));
        }
    }

    fn raise_where(&mut self, mask: Value) {
        self.raised = Some(self.raised.map_or(mask, |raised| self.builder.or(raised, mask)));
    }

    /// What each row adds to a sum, 64 bits of an integer or a float; `None` for one. What is passed over adds zero.
    fn term(&mut self, fold: FoldOf) -> Option<Value> {
        let b = self.builder;
        match fold {
            FoldOf::Rows => None,
            FoldOf::Present { slot, skip_nan, skip_null } => {
                let Lanes { value, valid } = self.slots[slot];
                if !skip_null && let Some(valid) = valid {
                    self.raise_where(b.not(valid));
                }
                let number = skip_nan.then(|| b.not(self.is_nan(value)));
                let taken = [valid, number].into_iter().flatten().reduce(|left, right| b.and(left, right));
                taken.map(|taken| self.resized(taken, Repr::Bit, Repr::I64, false))
            }
            FoldOf::Integers { slot, skip_null } => {
                let (Lanes { value, valid }, kind) = (self.slots[slot], self.shape.nodes[slot].kind);
                let wide = self.resized(value, kind.repr(), Repr::I64, kind.signed());
                if !skip_null && let Some(valid) = valid {
                    self.raise_where(b.not(valid));
                }
                Some(valid.map_or(wide, |valid| b.select(valid, wide, b.splat(Repr::I64, 0))))
            }
            FoldOf::Floats { slot, skip_nan } => {
                let (Lanes { value, valid }, kind) = (self.slots[slot], self.shape.nodes[slot].kind);
                if let Some(valid) = valid {
                    self.raise_where(b.not(valid));
                }
                if kind.is_float() {
                    if skip_nan {
                        self.raise_where(self.is_nan(value));
                    }
                    return Some(value);
                }
                let how = if kind.signed() { LLVMOpcode::LLVMSIToFP } else { LLVMOpcode::LLVMUIToFP };
                Some(b.convert(how, value, b.vector_type(Repr::F64)))
            }
            FoldOf::Extreme { slot, least, skip_nan, skip_null } => {
                let (Lanes { value, valid }, kind) = (self.slots[slot], self.shape.nodes[slot].kind);
                if !skip_null && let Some(valid) = valid {
                    self.raise_where(b.not(valid));
                }
                let nothing = b.splat(Repr::I64, fold.nothing().into());
                let mut ordered = self.ordered(value, kind);
                if kind.is_float() {
                    // One that is not passed over surpasses all others.
                    let nan = if skip_nan { nothing } else { b.splat(Repr::I64, if least { i64::MIN } else { i64::MAX }.into()) };
                    ordered = b.select(self.is_nan(value), nan, ordered);
                }
                Some(valid.map_or(ordered, |valid| b.select(valid, ordered, nothing)))
            }
        }
    }

    /// A signed number of 64 bits by which values are ordered.
    fn ordered(&self, value: Value, kind: Kind) -> Value {
        let b = self.builder;
        match kind {
            Kind::F32 => self.ordered(b.convert(LLVMOpcode::LLVMFPExt, value, b.vector_type(Repr::F64)), Kind::F64),
            Kind::F64 => {
                let bits = b.convert(LLVMOpcode::LLVMBitCast, value, b.vector_type(Repr::I64));
                let sign = b.math(LLVMOpcode::LLVMAShr, bits, b.splat(Repr::I64, 63));
                b.math(LLVMOpcode::LLVMXor, bits, b.and(sign, b.splat(Repr::I64, i64::MAX.into())))
            }
            _ if kind.repr() == Repr::I64 && !kind.signed() => b.math(LLVMOpcode::LLVMXor, value, b.splat(Repr::I64, i64::MIN.into())),
            _ => self.resized(value, kind.repr(), Repr::I64, kind.signed()),
        }
    }

    /// Adds a block to the lanes of sums. Lanes past the last row, and those that a mask leaves out, change nothing.
    fn add_to_lanes(&self, terms: &[Option<Value>], sums: Value, mask: Option<Value>, block: Value, rows: Value) {
        let b = self.builder;
        let first = b.math(LLVMOpcode::LLVMMul, block, b.number(b.lanes().into()));
        let left = b.broadcast(b.math(LLVMOpcode::LLVMSub, rows, first), Repr::I64);
        let within = b.compare(Compare::Int(LLVMIntPredicate::LLVMIntULT), b.lane_numbers(), left);
        let within = mask.map_or(within, |mask| b.and(within, mask));
        for (at, (fold, term)) in self.shape.folds.iter().zip(terms).enumerate() {
            let repr = repr_of(*fold);
            let term = term.unwrap_or_else(|| b.splat(Repr::I64, 1));
            let nothing = if repr == Repr::F64 { self.splat_zero(repr) } else { b.splat(repr, fold.nothing().into()) };
            let term = b.select(within, term, nothing);
            let sum = b.offset(sums, b.vector_type(repr), b.number(at as i64));
            b.store(added(b, *fold, b.load(b.vector_type(repr), sum), term), sum);
        }
    }

    /// Adds each row of a block to the sums of its group. Past the last row, groups are those of nobody.
    fn add_to_groups(&self, terms: &[Option<Value>], sums: Value, groups: Value, grouping: Grouping, block: Value) {
        let b = self.builder;
        let groups = b.load(b.vector_type(Repr::I32), b.offset(groups, b.vector_type(Repr::I32), block));
        let word = b.int_type(64);
        let (width, lanes) = (terms.len() as i64, grouping.lanes() as i64);
        for lane in 0..b.lanes() {
            let group = b.convert(LLVMOpcode::LLVMZExt, b.extract(groups, lane), word);
            let of_group = b.offset(sums, word, b.math(LLVMOpcode::LLVMMul, group, b.number(lanes * width)));
            let of_lane = i64::from(lane) % lanes * width;
            for (at, (fold, term)) in self.shape.folds.iter().zip(terms).enumerate() {
                let repr = repr_of(*fold);
                let sum = b.offset(of_group, word, b.number(of_lane + at as i64));
                let term = term.map_or_else(|| b.number(1), |term| b.extract(term, lane));
                b.store(added(b, *fold, b.load(b.scalar_type(repr), sum), term), sum);
            }
        }
    }
}

/// How a sum is stored.
fn repr_of(fold: FoldOf) -> Repr {
    if matches!(fold, FoldOf::Floats { .. }) { Repr::F64 } else { Repr::I64 }
}

/// A sum, or the value that was chosen so far, with one more.
fn added(b: &Builder, fold: FoldOf, sum: Value, term: Value) -> Value {
    match fold {
        FoldOf::Extreme { least, .. } => {
            let how = if least { LLVMIntPredicate::LLVMIntSLT } else { LLVMIntPredicate::LLVMIntSGT };
            b.select(b.compare(Compare::Int(how), term, sum), term, sum)
        }
        FoldOf::Floats { .. } => b.math(LLVMOpcode::LLVMFAdd, sum, term),
        FoldOf::Rows | FoldOf::Present { .. } | FoldOf::Integers { .. } => b.math(LLVMOpcode::LLVMAdd, sum, term),
    }
}
