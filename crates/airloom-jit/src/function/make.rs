//! Arrays that are made, and sums whose order is NumPy's.

use super::Layout;
use super::emit::{Why, Writer, kind_of_count, size};
use super::loops::Counted;
use super::memory::{ALLOCATE, KEEP, MARK, RELEASE, SUM_NARROW, SUM_WIDE};
use super::value::{Object, Val};
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::attrs::FoldOrder;
use airloom_ir::graph::NodeId;
use airloom_ir::ops::Op;
use airloom_ir::ops::number::Number;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

impl Writer<'_> {
    /// An array of these extents, every element the same.
    pub(super) fn made(&mut self, place: u32, item: &Val, extents: &[Val]) -> Result<Val, String> {
        let (b, (item, kind)) = (self.builder, item.scalar()?);
        let extents: Vec<Value> = extents.iter().map(|extent| extent.scalar().map(|(value, _)| value)).collect::<Result<_, _>>()?;
        let bytes = size(kind) as i64;
        let mut strides = vec![b.number(bytes); extents.len()];
        let mut count = b.number(1);
        let none = b.mask(false);
        let mut misfit = none;
        for (axis, &extent) in extents.iter().enumerate().rev() {
            strides[axis] = b.math(LLVMOpcode::LLVMMul, count, b.number(bytes));
            misfit = b.or(misfit, self.ints(LLVMIntPredicate::LLVMIntSLT, extent, b.number(0)));
            let product = b.intrinsic("llvm.smul.with.overflow", &[b.int_type(64)], &[count, extent]);
            let (product, over) = b.parts(product);
            misfit = b.or(misfit, over);
            count = product;
        }
        if let Some(last) = strides.last_mut() {
            *last = b.number(bytes);
        }
        let zero = b.number(0);
        self.raise_if(misfit, place, Why::Check, [zero, zero, zero]);
        let bits = self.bits(item, kind);
        let address = self.runtime(ALLOCATE, &[self.memory(), count, bits, b.number(bytes)], Repr::I64);
        self.raise_if(self.ints(LLVMIntPredicate::LLVMIntEQ, address, zero), place, Why::Check, [zero, zero, zero]);
        let pointer = b.convert(LLVMOpcode::LLVMIntToPtr, address, b.pointer_type());
        let scope = Some(self.scope());
        let (layout, param, is_made) = (Layout::Rows, None, true);
        Ok(self.object(Object { pointer, extents, strides, kind, layout, current: 0, identity: address, param, is_made, scope }))
    }

    /// The bits of an element, in the low ones of a word.
    fn bits(&self, item: Value, kind: Kind) -> Value {
        let b = self.builder;
        let word = b.int_type(64);
        match kind.repr() {
            Repr::I64 => item,
            Repr::F64 => b.convert(LLVMOpcode::LLVMBitCast, item, word),
            Repr::F32 => b.convert(LLVMOpcode::LLVMZExt, b.convert(LLVMOpcode::LLVMBitCast, item, b.int_type(32)), word),
            _ => b.convert(LLVMOpcode::LLVMZExt, item, word),
        }
    }

    fn memory(&self) -> Value {
        self.builder.param(2)
    }

    pub(super) fn runtime(&self, name: &str, args: &[Value], result: Repr) -> Value {
        let args: Vec<(Value, Repr)> = args.iter().map(|&arg| (arg, Repr::I64)).collect();
        self.builder.call_lanes(name, &args, result)
    }

    /// Where arrays that are made from here on begin.
    pub(super) fn mark(&self) -> Value {
        self.runtime(MARK, &[self.memory()], Repr::I64)
    }

    /// Gives back the arrays that were made since a mark, but for some.
    pub(super) fn release(&self, mark: Value, kept: &[Value]) {
        for &identity in kept {
            self.runtime(KEEP, &[self.memory(), identity], Repr::I64);
        }
        self.runtime(RELEASE, &[self.memory(), mark], Repr::I64);
    }

    /// The sum of what a body makes of the numbers up to an extent, in the order of NumPy's: elements are written one after the other, and added up there.
    pub(super) fn reduced(&mut self, id: NodeId, place: u32, fixed: &[Val], bodies: &[NodeId], captures: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let order = self.graph.as_par_reduce(id).expect("it is one").order;
        let (Val::Tuple(extents), (initial, kind)) = (&fixed[1], fixed[0].scalar()?) else {
            return Err("`par.reduce` is given no extents".into());
        };
        let [extent] = extents.as_slice() else { return Err("`par.reduce` of several axes has no code in loops".into()) };
        if order != FoldOrder::Pairwise || !matches!(kind, Kind::F64 | Kind::F32) || !self.adds(bodies[1]) {
            return Err("`par.reduce` has code in loops for sums of floats by halves alone".into());
        }
        let (count, mark, zero) = (extent.scalar()?.0, self.mark(), b.number(0));
        let bytes = b.number(size(kind) as i64);
        let address = self.runtime(ALLOCATE, &[self.memory(), count, zero, bytes], Repr::I64);
        self.raise_if(self.ints(LLVMIntPredicate::LLVMIntEQ, address, zero), place, Why::Check, [zero, zero, zero]);
        let pointer = b.convert(LLVMOpcode::LLVMIntToPtr, address, b.pointer_type());
        let scope = self.scope();
        self.elements(count, bodies[0], captures, &|writer, turn, value| {
            let place = b.offset(pointer, b.scalar_type(kind.repr()), turn);
            let store = b.store(value, place);
            b.touches(store, &writer.scopes, scope);
        })?;
        let sum = match kind {
            Kind::F64 => self.runtime(SUM_WIDE, &[address, count, bytes], Repr::F64),
            _ => self.runtime(SUM_NARROW, &[address, count, bytes], Repr::F32),
        };
        self.release(mark, &[]);
        Ok(Val::Scalar(b.math(LLVMOpcode::LLVMFAdd, initial, sum), kind))
    }

    /// Whether a body adds its two parameters.
    fn adds(&self, body: NodeId) -> bool {
        let result = self.graph.result_of(body);
        let param = |at: usize| self.graph.args(result).get(at).and_then(|&id| self.graph.as_param(id)).map(|param| param.number);
        self.graph.op(result) == Op::Number(Number::Add) && param(0) == Some(0) && param(1) == Some(1)
    }

    /// A loop over the numbers up to an extent: what a body makes of each is taken.
    fn elements(&mut self, count: Value, body: NodeId, captures: &[Val], take: &dyn Fn(&Writer<'_>, Value, Value)) -> Result<(), String> {
        let b = self.builder;
        let (some, end) = (b.block(), b.block());
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntSGT, count, b.number(0)), some, end);
        b.enter(some);
        let versions = self.versions_now();
        let outer = std::mem::take(&mut self.known);
        if let Some((holds, known)) = self.foreseen(body, &super::loops::Turns::up_to(b, count), &[], captures) {
            let (with, without) = (b.block(), b.block());
            b.go_if(holds, with, without);
            b.enter(with);
            self.known = known;
            self.each(count, body, captures, take)?;
            b.go(end);
            b.enter(without);
            self.known = super::known::Known::default();
        }
        self.each(count, body, captures, take)?;
        self.known = outer;
        b.go(end);
        b.enter(end);
        if self.versions_now()[..versions.len()] != versions[..] { Err("a sum stores".into()) } else { Ok(()) }
    }

    fn each(&mut self, count: Value, body: NodeId, captures: &[Val], take: &dyn Fn(&Writer<'_>, Value, Value)) -> Result<(), String> {
        let b = self.builder;
        let Counted { turn, head, end, .. } = Counted::begin(b);
        let number = [Val::Scalar(turn, kind_of_count())];
        let (value, _) = self.body(body, &[&number[..], captures].concat())?.scalar()?;
        take(self, turn, value);
        let after = b.fitting(LLVMOpcode::LLVMAdd, turn, b.number(1));
        b.meet(turn, after, b.here());
        b.go_if(self.ints(LLVMIntPredicate::LLVMIntSLT, after, count), head, end);
        b.enter(end);
        Ok(())
    }
}

/// The zero of a kind.
pub(super) fn zero(kind: Kind) -> airloom_ir::value::Value {
    match kind {
        Kind::F64 => airloom_ir::value::Value::F64(0.0),
        Kind::F32 => airloom_ir::value::Value::F32(0.0),
        Kind::Bool => airloom_ir::value::Value::Bool(false),
        _ => airloom_ir::value::Value::int(0),
    }
}
