//! Code of a shape: one loop over blocks of rows, each a vector of lanes, the whole body fused.
//!
//! A block reads its inputs, computes every node, and stores the results; where a row of it raises, nothing is stored and the number of the block is returned.
//! Booleans and nulls are bits, read and written as many at once as there are lanes.

mod cast;
mod exact;
mod float;
mod fold;
mod logic;
mod steps;
mod temporal;

pub(crate) use steps::length_of;

use crate::kind::{Kind, Repr};
use crate::llvm::{Builder, Compare, Leave, Module, Value};
use crate::shape::{Form, Grouping, Node, Shape, Variant, What};
use airloom_ir::attrs::{Attr, AttrType, Overflow};
use airloom_ir::ops::Op;
use airloom_ir::ops::control::Control;
use airloom_ir::ops::number::Number;
use airloom_ir::value::Value as Literal;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// A value in every lane.
#[derive(Clone, Copy)]
struct Lanes {
    value: Value,
    /// Where it is not null; without it, nowhere.
    valid: Option<Value>,
}

/// A module with the function `name`: of pointers to the inputs, pointers to the results, the number of blocks, and the number of rows in them. It returns how many
/// blocks were computed.
///
/// The inputs of a variant have one pointer each, to values or one value, and after it one to the bitmap of those that are not null, where there is one. Rows
/// that are selected have another pointer, to their numbers, and rows of several groups a last one, to those. A result has two pointers: to values, and to a bitmap where its node may be null.
pub(crate) fn emit(shape: &Shape, variant: &Variant, name: &str) -> Emitted {
    if !shape.folds.is_empty() {
        return fold::emit(shape, variant, name);
    }
    let mut nullable = Vec::with_capacity(shape.results.len());
    let builder = Builder::new(name, shape.lanes());
    let (inputs, outputs, blocks, rows) = (builder.param(0), builder.param(1), builder.param(2), builder.param(3));
    let pointers = pointers(&builder, variant, inputs);
    let results: Vec<(Value, Value)> =
        (0..shape.results.len()).map(|at| (builder.pointer_at(outputs, 2 * at), builder.pointer_at(outputs, 2 * at + 1))).collect();
    let constants = constants(&builder, shape, variant, &pointers);
    builder.rounds(blocks, |block| {
        let mut emitter = Emitter { shape, builder: &builder, slots: Vec::new(), raised: None };
        emitter.nodes(variant, &pointers, &constants, block);
        let raised = emitter.raised.map(|raised| emitter.any(raised, block, rows));
        let mut stores = Vec::new();
        for (&slot, &(values, bitmap)) in shape.results.iter().zip(&results) {
            let lanes = emitter.slots[slot];
            stores.push(emitter.stored(lanes.value, shape.nodes[slot].kind.repr(), values, block));
            nullable.push(lanes.valid.is_some());
            stores.extend(lanes.valid.map(|valid| emitter.stored(valid, Repr::Bit, bitmap, block)));
        }
        Leave { raised, stores }
    });
    Emitted { module: builder.finish(), nullable }
}

/// What is the same in all rows, which is read once, before the loop.
fn constants(builder: &Builder, shape: &Shape, variant: &Variant, pointers: &AllPointers) -> Vec<Option<Lanes>> {
    let outside = Emitter { shape, builder, slots: Vec::new(), raised: None };
    let zero = builder.number(0);
    (variant.forms.iter().zip(&pointers.inputs).zip(shape.input_reprs()))
        .map(|((form, pointers), repr)| matches!(form, Form::Scalar | Form::Null).then(|| outside.input(*form, pointers, repr, zero, None)))
        .collect()
}

/// An op on single values, none of them null, where the builder is one of scalars: its value, and whether it raises, where it may.
pub(crate) fn single(builder: &Builder, op: Op, attrs: &[Attr], args: &[(Value, Kind)], kind: Kind) -> (Value, Option<Value>) {
    let (shape, lanes): (Shape, Vec<Lanes>) = (Shape::default(), args.iter().map(|&(value, _)| Lanes { value, valid: None }).collect());
    let kinds: Vec<Kind> = args.iter().map(|&(_, kind)| kind).collect();
    let mut emitter = Emitter { shape: &shape, builder, slots: Vec::new(), raised: None };
    let made = emitter.applied(op, &Applied { attrs, args: &lanes, kinds: &kinds, kind, guard: None });
    assert!(made.valid.is_none(), "invariant `what is never null stays so`: `{}` made a null", op.def().name);
    (made.value, emitter.raised)
}

/// A constant, where the builder is one of scalars.
pub(crate) fn constant(builder: &Builder, value: &Literal, kind: Kind) -> Value {
    Emitter { shape: &Shape::default(), builder, slots: Vec::new(), raised: None }.literal(value, kind).value
}

/// The code of a variant.
pub(crate) struct Emitted {
    pub(crate) module: Module,
    /// Which results may be null: those have a bitmap.
    pub(crate) nullable: Vec<bool>,
}

/// Where an input is.
struct Pointers {
    value: Value,
    bitmap: Option<Value>,
}

struct AllPointers {
    inputs: Vec<Pointers>,
    rows: Option<Value>,
    /// The group of each row, or the bitmap of rows that are not left out.
    groups: Option<Value>,
}

fn pointers(builder: &Builder, variant: &Variant, array: Value) -> AllPointers {
    let mut next = 0;
    let mut pointer = || {
        next += 1;
        builder.pointer_at(array, next - 1)
    };
    let inputs = variant.forms.iter().map(|form| Pointers { value: pointer(), bitmap: (*form == Form::Nullable).then(&mut pointer) });
    let inputs = inputs.collect();
    let rows = variant.selected.then(&mut pointer);
    AllPointers { inputs, rows, groups: (variant.grouping != Grouping::One).then(pointer) }
}

struct Emitter<'a> {
    shape: &'a Shape,
    builder: &'a Builder,
    slots: Vec<Lanes>,
    /// Where a lane raises.
    raised: Option<Value>,
}

impl Emitter<'_> {
    /// The nodes of the shape for a block of rows.
    fn nodes(&mut self, variant: &Variant, pointers: &AllPointers, constants: &[Option<Lanes>], block: Value) {
        let (shape, b) = (self.shape, self.builder);
        let numbers = pointers.rows.map(|numbers| b.load(b.vector_type(Repr::I32), b.offset(numbers, b.vector_type(Repr::I32), block)));
        for node in &shape.nodes {
            let lanes = match &node.what {
                What::Input(number) => constants[*number]
                    .unwrap_or_else(|| self.input(variant.forms[*number], &pointers.inputs[*number], node.kind.repr(), block, numbers)),
                What::Literal(value) => self.literal(value, node.kind),
                What::Apply(op, attrs) => self.apply(*op, attrs, node),
            };
            self.slots.push(lanes);
        }
    }

    fn input(&self, form: Form, pointers: &Pointers, repr: Repr, block: Value, numbers: Option<Value>) -> Lanes {
        let b = self.builder;
        match form {
            Form::Null => Lanes { value: self.splat_zero(repr), valid: Some(b.mask(false)) },
            Form::Scalar => {
                // A boolean is in a byte of its own.
                let value = match repr {
                    Repr::Bit => b.convert(LLVMOpcode::LLVMTrunc, b.load(b.int_type(8), pointers.value), b.int_type(1)),
                    _ => b.load(b.scalar_type(repr), pointers.value),
                };
                Lanes { value: b.broadcast(value, repr), valid: None }
            }
            Form::Values | Form::Nullable => Lanes {
                value: self.loaded(pointers.value, repr, block, numbers),
                valid: pointers.bitmap.map(|bitmap| self.loaded(bitmap, Repr::Bit, block, numbers)),
            },
        }
    }

    fn loaded(&self, pointer: Value, repr: Repr, block: Value, numbers: Option<Value>) -> Value {
        let b = self.builder;
        match (numbers, repr) {
            (None, Repr::Bit) => {
                let bits = b.int_type(b.lanes());
                b.convert(LLVMOpcode::LLVMBitCast, b.load(bits, b.offset(pointer, bits, block)), b.vector_type(Repr::Bit))
            }
            (None, _) => {
                let vector = b.vector_type(repr);
                b.load(vector, self.block_at(pointer, repr, block))
            }
            (Some(rows), Repr::Bit) => b.gather(rows, Repr::Bit, |row| {
                let row = b.convert(LLVMOpcode::LLVMZExt, row, b.int_type(64));
                let byte = b.load(b.int_type(8), b.offset(pointer, b.int_type(8), b.math(LLVMOpcode::LLVMLShr, row, b.number(3))));
                let place = b.convert(LLVMOpcode::LLVMTrunc, b.and(row, b.number(7)), b.int_type(8));
                b.convert(LLVMOpcode::LLVMTrunc, b.math(LLVMOpcode::LLVMLShr, byte, place), b.int_type(1))
            }),
            (Some(rows), _) => b.gather(rows, repr, |row| {
                let row = b.convert(LLVMOpcode::LLVMZExt, row, b.int_type(64));
                b.load(b.scalar_type(repr), b.offset(pointer, b.scalar_type(repr), row))
            }),
        }
    }

    /// The address of a block of values.
    fn block_at(&self, pointer: Value, repr: Repr, block: Value) -> Value {
        let b = self.builder;
        let row = b.math(LLVMOpcode::LLVMMul, block, b.number(b.lanes().into()));
        b.offset(pointer, b.scalar_type(repr), row)
    }

    fn stored(&self, value: Value, repr: Repr, pointer: Value, block: Value) -> (Value, Value) {
        let b = self.builder;
        match repr {
            Repr::Bit => {
                let bits = b.int_type(b.lanes());
                (b.convert(LLVMOpcode::LLVMBitCast, value, bits), b.offset(pointer, bits, block))
            }
            _ => (value, self.block_at(pointer, repr, block)),
        }
    }

    fn literal(&self, value: &Literal, kind: Kind) -> Lanes {
        let b = self.builder;
        let repr = kind.repr();
        let value = match value {
            Literal::Null => return Lanes { value: self.splat_zero(repr), valid: Some(b.mask(false)) },
            Literal::Bool(value) => b.mask(*value),
            Literal::Int(value) => b.splat(repr, *value),
            Literal::F32(value) => b.splat_float(repr, f64::from(*value)),
            Literal::F64(value) => b.splat_float(repr, *value),
            other => panic!("invariant `literals have their node's type`: {other:?} is of no fixed width"),
        };
        Lanes { value, valid: None }
    }

    /// Whether a row of a block raises. Lanes past the last row do not count.
    fn any(&self, raised: Value, block: Value, rows: Value) -> Value {
        let b = self.builder;
        let first = b.math(LLVMOpcode::LLVMMul, block, b.number(b.lanes().into()));
        let left = b.broadcast(b.math(LLVMOpcode::LLVMSub, rows, first), Repr::I64);
        let within = b.compare(Compare::Int(LLVMIntPredicate::LLVMIntULT), b.lane_numbers(), left);
        let bits = b.convert(LLVMOpcode::LLVMBitCast, b.and(raised, within), b.int_type(b.lanes()));
        let none = b.convert(LLVMOpcode::LLVMTrunc, b.number(0), b.int_type(b.lanes()));
        b.compare(Compare::Int(LLVMIntPredicate::LLVMIntNE), bits, none)
    }

    fn apply(&mut self, op: Op, attrs: &[Attr], node: &Node) -> Lanes {
        let args: Vec<Lanes> = node.args.iter().map(|&arg| self.slots[arg]).collect();
        let kinds: Vec<Kind> = node.args.iter().map(|&arg| self.shape.nodes[arg].kind).collect();
        let call = Applied { attrs, args: &args, kinds: &kinds, kind: node.kind, guard: node.guard.map(|guard| self.slots[guard].value) };
        self.applied(op, &call)
    }

    fn applied(&mut self, op: Op, call: &Applied<'_>) -> Lanes {
        match op {
            Op::Number(Number::IsNan | Number::IsFinite | Number::IsInfinite) => self.float(op, call),
            Op::Number(_) if call.kinds[0].is_float() => self.float(op, call),
            Op::Number(op) => self.exact(op, call),
            Op::Logic(op) => self.logic(op, call),
            Op::Temporal(op) => self.temporal(op, call),
            Op::Control(Control::Check) => self.check(call),
            other => panic!("invariant `shapes hold what has a kernel`: found `{}`", other.def().name),
        }
    }

    /// Where none of the arguments is null.
    fn all_valid(&self, args: &[Lanes]) -> Option<Value> {
        args.iter().filter_map(|arg| arg.valid).reduce(|left, right| self.builder.and(left, right))
    }

    /// Lanes raise where a mask is true, the value is not null, and the row comes here.
    fn raise(&mut self, call: &Applied<'_>, mask: Value) {
        let b = self.builder;
        let counted = [self.all_valid(call.args), call.guard].into_iter().flatten().fold(mask, |mask, also| b.and(mask, also));
        self.raised = Some(self.raised.map_or(counted, |raised| b.or(raised, counted)));
    }

    /// Lanes raise where the condition is false or null, and the row comes here.
    fn check(&mut self, call: &Applied<'_>) -> Lanes {
        let (b, condition) = (self.builder, call.args[0]);
        let holds = condition.valid.map_or(condition.value, |valid| b.and(condition.value, valid));
        let raised = call.guard.map_or(b.not(holds), |guard| b.and(b.not(holds), guard));
        self.raised = Some(self.raised.map_or(raised, |before| b.or(before, raised)));
        condition
    }

    /// A result that does not fit where a mask is true: null there, or the row raises.
    fn misfit(&mut self, call: &Applied<'_>, value: Value, mask: Value, null: bool) -> Lanes {
        let valid = self.all_valid(call.args);
        if null {
            let fits = self.builder.not(mask);
            return Lanes { value, valid: Some(valid.map_or(fits, |valid| self.builder.and(valid, fits))) };
        }
        self.raise(call, mask);
        Lanes { value, valid }
    }

    fn zero(&self, kind: Kind) -> Value {
        self.splat_zero(kind.repr())
    }

    fn splat_zero(&self, repr: Repr) -> Value {
        match repr {
            Repr::F32 | Repr::F64 => self.builder.splat_float(repr, 0.0),
            _ => self.builder.splat(repr, 0),
        }
    }

    /// A function of LLVM's on one type.
    fn intrinsic(&self, name: &str, repr: Repr, args: &[Value]) -> Value {
        self.builder.intrinsic(name, &[self.builder.vector_type(repr)], args)
    }

    fn ints(&self, how: LLVMIntPredicate, left: Value, right: Value) -> Value {
        self.builder.compare(Compare::Int(how), left, right)
    }

    /// An integer in another width.
    fn resized(&self, value: Value, from: Repr, to: Repr, signed: bool) -> Value {
        let how = match from.bits().cmp(&to.bits()) {
            std::cmp::Ordering::Equal => return value,
            std::cmp::Ordering::Greater => LLVMOpcode::LLVMTrunc,
            std::cmp::Ordering::Less if signed => LLVMOpcode::LLVMSExt,
            std::cmp::Ordering::Less => LLVMOpcode::LLVMZExt,
        };
        self.builder.convert(how, value, self.builder.vector_type(to))
    }

    /// Where an integer of this width is outside a range; `None` where its width leaves no room for that.
    fn outside(&self, value: Value, repr: Repr, signed: bool, (least, greatest): (i128, i128)) -> Option<Value> {
        let (lowest, highest) = match (repr.bits(), signed) {
            (128, _) => (i128::MIN, i128::MAX),
            (bits, true) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            (bits, false) => (0, (1i128 << bits) - 1),
        };
        let (less, greater) = match signed {
            true => (LLVMIntPredicate::LLVMIntSLT, LLVMIntPredicate::LLVMIntSGT),
            false => (LLVMIntPredicate::LLVMIntULT, LLVMIntPredicate::LLVMIntUGT),
        };
        let below = (least > lowest).then(|| self.ints(less, value, self.builder.splat(repr, least)));
        let above = (greatest < highest).then(|| self.ints(greater, value, self.builder.splat(repr, greatest)));
        match (below, above) {
            (Some(below), Some(above)) => Some(self.builder.or(below, above)),
            (below, above) => below.or(above),
        }
    }
}

/// An op applied.
struct Applied<'a> {
    attrs: &'a [Attr],
    args: &'a [Lanes],
    kinds: &'a [Kind],
    /// The kind of the result.
    kind: Kind,
    /// Where the row comes here.
    guard: Option<Value>,
}

impl Applied<'_> {
    fn attr<T: AttrType>(&self, at: usize) -> T {
        self.attrs.get(at).and_then(T::from_attr).expect("a node's attributes have the shapes of the op table")
    }

    fn value(&self, at: usize) -> Value {
        self.args[at].value
    }

    fn repr(&self) -> Repr {
        self.kinds[0].repr()
    }

    fn overflow(&self) -> Overflow {
        self.attr(0)
    }
}
