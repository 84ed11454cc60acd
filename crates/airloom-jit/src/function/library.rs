//! Loops of another library's over elements, called from code: NumPy's own, which have its last bits.
//!
//! Such a function is a `host.call` whose name says what is meant: `numpy.exp:f64` is of single values or of an array whose elements lie one after the other, and
//! `numpy.matmul:f64:at.whole:slice` is a product of two views, of which each is given as an array and the words of its axes (`at` has one, `slice` three).

use super::emit::{Why, Writer, size};
use super::make;
use super::memory::{ALLOCATE, SUM_NARROW, SUM_WIDE};
use super::value::{Object, Val};
use crate::functions::{HYPOT, OF_LIBM};
use crate::kind::{Kind, Repr};
use crate::llvm::Value;
use airloom_ir::graph::NodeId;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

/// A loop over strided elements, as NumPy's ufuncs have them: pointers, extents, steps in bytes, and what it is given besides.
type Function = unsafe extern "C" fn(*mut *mut u8, *const isize, *const isize, *mut c_void);

#[derive(Clone, Copy)]
struct Loop {
    function: Function,
    data: *mut c_void,
}

// SAFETY: both are addresses of what lives as long as the process does.
unsafe impl Send for Loop {}
// SAFETY: as above.
unsafe impl Sync for Loop {}

static LOOPS: Mutex<BTreeMap<String, &'static Loop>> = Mutex::new(BTreeMap::new());

/// Makes a loop known under a name.
///
/// # Safety
/// `function` is the address of such a loop, which may be called with `data` from any thread, for as long as the process lives.
pub unsafe fn register_loop(name: &str, function: usize, data: usize) {
    // SAFETY: by the contract.
    let function = unsafe { std::mem::transmute::<usize, Function>(function) };
    let mut loops = LOOPS.lock().unwrap_or_else(PoisonError::into_inner);
    loops.entry(name.to_string()).or_insert_with(|| Box::leak(Box::new(Loop { function, data: data as *mut c_void })));
}

fn known(name: &str) -> Result<&'static Loop, String> {
    let loops = LOOPS.lock().unwrap_or_else(PoisonError::into_inner);
    loops.get(name).copied().ok_or_else(|| format!("there is no loop `{name}`"))
}

const ONE_WIDE: &str = "airloom.loop.f64";
const ONE_NARROW: &str = "airloom.loop.f32";
const TWO_WIDE: &str = "airloom.loop.f64.f64";
const TWO_NARROW: &str = "airloom.loop.f32.f32";
const ELEMENTS: &str = "airloom.loop.elements";
const PRODUCT: &str = "airloom.loop.product";

/// The names and addresses of all functions.
pub(crate) fn all() -> Vec<(String, usize)> {
    let found: [(&str, *const ()); 6] = [
        (ONE_WIDE, one::<f64> as *const ()),
        (ONE_NARROW, one::<f32> as *const ()),
        (TWO_WIDE, two::<f64> as *const ()),
        (TWO_NARROW, two::<f32> as *const ()),
        (ELEMENTS, elements as *const ()),
        (PRODUCT, product as *const ()),
    ];
    found.into_iter().map(|(name, address)| (name.to_string(), address as usize)).collect()
}

fn of(entry: i64) -> &'static Loop {
    // SAFETY: code was written with the address of a loop that is never given back.
    unsafe { &*(entry as usize as *const Loop) }
}

extern "C" fn one<N: Default>(entry: i64, mut x: N) -> N {
    let (found, mut made) = (of(entry), N::default());
    let mut args = [(&raw mut x).cast(), (&raw mut made).cast()];
    let steps = [size_of::<N>() as isize; 2];
    // SAFETY: one element is read, and one is written.
    unsafe { (found.function)(args.as_mut_ptr(), [1].as_ptr(), steps.as_ptr(), found.data) };
    made
}

extern "C" fn two<N: Default>(entry: i64, mut x: N, mut y: N) -> N {
    let (found, mut made) = (of(entry), N::default());
    let mut args = [(&raw mut x).cast(), (&raw mut y).cast(), (&raw mut made).cast()];
    let steps = [size_of::<N>() as isize; 3];
    // SAFETY: two elements are read, and one is written.
    unsafe { (found.function)(args.as_mut_ptr(), [1].as_ptr(), steps.as_ptr(), found.data) };
    made
}

extern "C" fn elements(entry: i64, from: i64, to: i64, count: i64, size: i64) -> i64 {
    let found = of(entry);
    let mut args = [from as usize as *mut u8, to as usize as *mut u8];
    // SAFETY: both are as many elements, one after the other, and the second ones are code's own.
    unsafe { (found.function)(args.as_mut_ptr(), [count as isize].as_ptr(), [size as isize; 2].as_ptr(), found.data) };
    0
}

/// A product of matrices or vectors: `words` are three pointers, three extents and the six steps of their axes.
extern "C" fn product(entry: i64, words: i64) -> i64 {
    let found = of(entry);
    // SAFETY: code has written twelve words there.
    let words = unsafe { std::slice::from_raw_parts(words as usize as *const isize, 12) };
    let mut args = [words[0] as *mut u8, words[1] as *mut u8, words[2] as *mut u8];
    let extents = [1, words[3], words[4], words[5]];
    let mut steps = [0isize; 9];
    steps[3..].copy_from_slice(&words[6..]);
    // SAFETY: the extents are within the arrays, and the last one is code's own.
    unsafe { (found.function)(args.as_mut_ptr(), extents.as_ptr(), steps.as_ptr(), found.data) };
    0
}

/// A view: where it begins, and its axes, each with its extent and its step.
struct Seen {
    pointer: Value,
    axes: Vec<(Value, Value)>,
}

impl Writer<'_> {
    pub(super) fn host_call(&mut self, id: NodeId, place: u32, args: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let name = self.graph.as_host(id).expect("it is one").name.to_string();
        if let (Some((known, _)), [Val::Scalar(x, Kind::F64)]) =
            (OF_LIBM.iter().find(|(known, _)| name.strip_prefix("libm.") == Some(known)), args)
        {
            let made = b.call_lanes(&format!("airloom.libm.{known}"), &[(*x, Repr::F64)], Repr::F64);
            return Ok(Val::Scalar(made, Kind::F64));
        }
        if let ("libm.hypot", [Val::Scalar(x, Kind::F64), Val::Scalar(y, Kind::F64)]) = (name.as_str(), args) {
            let made = b.call_lanes(HYPOT, &[(*x, Repr::F64), (*y, Repr::F64)], Repr::F64);
            return Ok(Val::Scalar(made, Kind::F64));
        }
        if let Some(number) = name.strip_prefix("objmode:").and_then(|number| number.parse().ok()) {
            return self.object_mode(id, place, number, args);
        }
        let mut parts = name.split(':');
        let (Some(function), Some(word)) = (parts.next(), parts.next()) else { return Err(format!("`{name}` has no code in loops")) };
        let specs: Vec<&str> = parts.collect();
        if function == "numpy.sum" {
            return self.sum_of_view(&specs, args);
        }
        self.is_portable = false;
        let entry = b.number(std::ptr::from_ref(known(&format!("{function}:{word}"))?) as i64);
        if !specs.is_empty() {
            return self.product(place, entry, &specs, args);
        }
        match args {
            [Val::Array { object, version }] => {
                self.is_current(*object, *version)?;
                let Object { kind, pointer, extents, is_made, .. } = self.objects[*object].clone();
                if !is_made {
                    return Err("a library's loop is given an array that the function has not made".into());
                }
                let made = self.blank(place, kind, &extents)?;
                let count = extents.iter().fold(b.number(1), |count, &extent| b.math(LLVMOpcode::LLVMMul, count, extent));
                let (Val::Array { object: own, .. }, from) = (&made, b.convert(LLVMOpcode::LLVMPtrToInt, pointer, b.int_type(64))) else {
                    unreachable!("it is an array")
                };
                let to = self.objects[*own].identity;
                self.runtime(ELEMENTS, &[entry, from, to, count, b.number(size(kind) as i64)], Repr::I64);
                Ok(made)
            }
            [Val::Scalar(x, kind)] => Ok(Val::Scalar(
                b.call_lanes(if *kind == Kind::F64 { ONE_WIDE } else { ONE_NARROW }, &[(entry, Repr::I64), (*x, kind.repr())], kind.repr()),
                *kind,
            )),
            [Val::Scalar(x, kind), Val::Scalar(y, _)] => {
                let name = if *kind == Kind::F64 { TWO_WIDE } else { TWO_NARROW };
                Ok(Val::Scalar(b.call_lanes(name, &[(entry, Repr::I64), (*x, kind.repr()), (*y, kind.repr())], kind.repr()), *kind))
            }
            _ => Err(format!("`{name}` is given what it does not take")),
        }
    }

    /// An array whose elements are zero.
    fn blank(&mut self, place: u32, kind: Kind, extents: &[Value]) -> Result<Val, String> {
        let zero = crate::emit::constant(self.builder, &make::zero(kind), kind);
        let extents: Vec<Val> = extents.iter().map(|&extent| Val::Scalar(extent, super::emit::kind_of_count())).collect();
        self.made(place, &Val::Scalar(zero, kind), &extents)
    }

    /// A product of two views: a number, a vector or a matrix.
    fn product(&mut self, place: u32, entry: Value, specs: &[&str], args: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let mut left = args.iter();
        let (mut seen, mut kind) = (Vec::new(), Kind::F64);
        for spec in specs {
            let Some(Val::Array { object, version }) = left.next() else { return Err("a product is given no array".into()) };
            self.is_current(*object, *version)?;
            kind = self.objects[*object].kind;
            seen.push(self.seen_by(*object, spec, &mut left)?);
        }
        let [x, y] = seen.as_slice() else { return Err("a product is of two arrays".into()) };
        let (one, step) = (b.number(1), b.number(size(kind) as i64));
        let axis = |seen: &Seen, at: usize| if at < seen.axes.len() { seen.axes[at] } else { (one, step) };
        // A vector on the left is a row, and one on the right is a column.
        let (rows, inner) = if x.axes.len() == 2 { (axis(x, 0), axis(x, 1)) } else { ((one, step), axis(x, 0)) };
        let (other, columns) = if y.axes.len() == 2 { (axis(y, 0), axis(y, 1)) } else { (axis(y, 0), (one, step)) };
        let zero = b.number(0);
        let differ = self.ints(LLVMIntPredicate::LLVMIntNE, inner.0, other.0);
        self.raise_if(differ, place, Why::Check, [inner.0, other.0, zero]);
        let mut extents = Vec::new();
        extents.extend((x.axes.len() == 2).then_some(rows.0));
        extents.extend((y.axes.len() == 2).then_some(columns.0));
        let room = if extents.is_empty() { vec![one] } else { extents.clone() };
        let made = self.blank(place, kind, &room)?;
        let Val::Array { object, .. } = made else { unreachable!("it is an array") };
        let to = self.objects[object].identity;
        let address = |pointer: Value| b.convert(LLVMOpcode::LLVMPtrToInt, pointer, b.int_type(64));
        let row = if y.axes.len() == 2 { b.math(LLVMOpcode::LLVMMul, columns.0, step) } else { step };
        let words =
            [address(x.pointer), address(y.pointer), to, rows.0, inner.0, columns.0, rows.1, inner.1, other.1, columns.1, row, step];
        let mark = self.mark();
        let room = self.runtime(ALLOCATE, &[b.param(2), b.number(12), zero, b.number(8)], Repr::I64);
        self.raise_if(self.ints(LLVMIntPredicate::LLVMIntEQ, room, zero), place, Why::Check, [zero, zero, zero]);
        let pointer = b.convert(LLVMOpcode::LLVMIntToPtr, room, b.pointer_type());
        for (at, word) in words.into_iter().enumerate() {
            b.store(word, b.offset(pointer, b.int_type(64), b.number(at as i64)));
        }
        self.runtime(PRODUCT, &[entry, room], Repr::I64);
        self.release(mark, &[]);
        if extents.is_empty() {
            let value = b.load(b.scalar_type(kind.repr()), self.objects[object].pointer);
            return Ok(Val::Scalar(value, kind));
        }
        Ok(made)
    }

    /// The sum of the elements of a view of one axis, in the order of NumPy's.
    fn sum_of_view(&mut self, specs: &[&str], args: &[Val]) -> Result<Val, String> {
        let b = self.builder;
        let mut left = args.iter();
        let (Some(Val::Array { object, version }), [spec]) = (left.next(), specs) else { return Err("a sum is of one view".into()) };
        self.is_current(*object, *version)?;
        let kind = self.objects[*object].kind;
        let seen = self.seen_by(*object, spec, &mut left)?;
        let [(count, step)] = seen.axes.as_slice() else { return Err("a sum is of a view of one axis".into()) };
        let address = b.convert(LLVMOpcode::LLVMPtrToInt, seen.pointer, b.int_type(64));
        let sum = match kind {
            Kind::F64 => self.runtime(SUM_WIDE, &[address, *count, *step], Repr::F64),
            Kind::F32 => self.runtime(SUM_NARROW, &[address, *count, *step], Repr::F32),
            _ => return Err("a sum by halves is of floats".into()),
        };
        Ok(Val::Scalar(b.math(LLVMOpcode::LLVMFAdd, b.splat_float(kind.repr(), 0.0), sum), kind))
    }

    /// A view of an array, by the words of its axes.
    fn seen_by<'a>(&self, object: usize, spec: &str, words: &mut impl Iterator<Item = &'a Val>) -> Result<Seen, String> {
        let b = self.builder;
        let mut word = || words.next().ok_or("a view has no words")?.scalar().map(|(value, _)| value);
        let own = &self.objects[object];
        let (mut offset, mut axes) = (b.number(0), Vec::new());
        for (axis, part) in spec.split('.').enumerate() {
            let stride = own.strides[axis];
            let skip = |by: Value| b.math(LLVMOpcode::LLVMMul, by, stride);
            match part {
                "at" => offset = b.math(LLVMOpcode::LLVMAdd, offset, skip(word()?)),
                "slice" => {
                    let (start, step, count) = (word()?, word()?, word()?);
                    offset = b.math(LLVMOpcode::LLVMAdd, offset, skip(start));
                    axes.push((count, b.math(LLVMOpcode::LLVMMul, step, stride)));
                }
                _ => axes.push((own.extents[axis], stride)),
            }
        }
        Ok(Seen { pointer: b.offset(own.pointer, b.int_type(8), offset), axes })
    }
}
