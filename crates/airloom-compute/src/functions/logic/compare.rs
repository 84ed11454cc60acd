//! Comparison.

use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, Width, by_whole_width, holds};
use crate::functions::call::KernelCall;
use crate::functions::views;
use airloom_ir::attrs::NanOrder;
use airloom_ir::ops::logic::Logic;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::types::{BinaryViewType, ByteViewType, StringViewType};
use arrow::array::{Array, AsArray, BinaryViewArray, GenericByteViewArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};

pub(super) fn compare(op: Logic, call: &KernelCall<'_>) -> Option<Vector> {
    let bits = compared(op, call, call.attr(0))?;
    Some(Vector::Flat(bits::truths(bits, call.nulls())))
}

/// Whether two values are the same, null among them.
pub(super) fn same(call: &KernelCall<'_>) -> Option<Vector> {
    let [left, right] = [0, 1].map(|at| validity(call, at));
    // One side is null in every row: the same is what is null on the other.
    if let [Vector::Constant(Value::Null), other] | [other, Vector::Constant(Value::Null)] = [&call.args[0], &call.args[1]] {
        let Vector::Flat(array) = other else { return None };
        let valid = array.nulls().map_or_else(|| BooleanBuffer::new_set(call.rows), |nulls| nulls.inner().clone());
        return Some(Vector::Flat(bits::truths(!&valid, None)));
    }
    let equal = compared(Logic::Eq, call, NanOrder::Total)?;
    let bits = match (left, right) {
        (None, None) => equal,
        (left, right) => {
            let [left, right] = [left, right].map(|side| side.unwrap_or_else(|| BooleanBuffer::new_set(call.rows)));
            // Equal where both are there, or both not there.
            &(&equal & &(&left & &right)) | &!&(&left | &right)
        }
    };
    Some(Vector::Flat(bits::truths(bits, None)))
}

fn validity(call: &KernelCall<'_>, at: usize) -> Option<BooleanBuffer> {
    call.many(at).and_then(|array| array.nulls()).filter(|nulls| nulls.null_count() > 0).map(NullBuffer::inner).cloned()
}

/// The result of a comparison in every row; any where one side is null.
fn compared(op: Logic, call: &KernelCall<'_>, nan: NanOrder) -> Option<BooleanBuffer> {
    // What is greater is the other way round less.
    let (op, left, right) = match op {
        Logic::Gt => (Logic::Lt, &call.args[1], &call.args[0]),
        Logic::Ge => (Logic::Le, &call.args[1], &call.args[0]),
        op => (op, &call.args[0], &call.args[1]),
    };
    match call.plain(0) {
        Ty::Bool => of_truths(op, call.rows, left, right),
        Ty::Str => of_bytes::<StringViewType>(op, call.rows, Bytes::text(left)?, Bytes::text(right)?),
        Ty::Bytes => of_bytes::<BinaryViewType>(op, call.rows, Bytes::raw(left)?, Bytes::raw(right)?),
        Ty::F32 => of_floats::<f32>(op, call.rows, left, right, nan),
        Ty::F64 => of_floats::<f64>(op, call.rows, left, right, nan),
        ty => by_whole_width!(Width::of(ty)?, N => of_wholes::<N>(op, call.rows, left, right), None),
    }
}

fn of_wholes<N: Native + Ord>(op: Logic, rows: usize, left: &Vector, right: &Vector) -> Option<BooleanBuffer> {
    let (left, right) = (Side::<N>::of(left)?, Side::<N>::of(right)?);
    Some(match op {
        Logic::Eq => holds(rows, &left, &right, |x, y| x == y),
        Logic::Ne => holds(rows, &left, &right, |x, y| x != y),
        Logic::Lt => holds(rows, &left, &right, |x, y| x < y),
        _ => holds(rows, &left, &right, |x, y| x <= y),
    })
}

/// Floats: NaN is unordered, or the maximum.
fn of_floats<N: Native>(op: Logic, rows: usize, left: &Vector, right: &Vector, nan: NanOrder) -> Option<BooleanBuffer> {
    let (left, right) = (Side::<N>::of(left)?, Side::<N>::of(right)?);
    // Only NaN is not itself.
    #[inline(always)]
    fn is_nan<N: Native>(x: N) -> bool {
        x.partial_cmp(&x).is_none()
    }
    Some(match (op, nan) {
        (Logic::Eq, NanOrder::Ieee) => holds(rows, &left, &right, |x, y| x == y),
        // Unequal is the opposite of equal: it holds of NaN and anything.
        (Logic::Ne, NanOrder::Ieee) => holds(rows, &left, &right, |x, y| x != y),
        (Logic::Lt, NanOrder::Ieee) => holds(rows, &left, &right, |x, y| x < y),
        (_, NanOrder::Ieee) => holds(rows, &left, &right, |x, y| x <= y),
        (Logic::Eq, NanOrder::Total) => holds(rows, &left, &right, |x, y| (x == y) | (is_nan(x) & is_nan(y))),
        (Logic::Ne, NanOrder::Total) => holds(rows, &left, &right, |x, y| (x != y) & !(is_nan(x) & is_nan(y))),
        (Logic::Lt, NanOrder::Total) => holds(rows, &left, &right, |x, y| (x < y) | (!is_nan(x) & is_nan(y))),
        (_, NanOrder::Total) => holds(rows, &left, &right, |x, y| (x <= y) | is_nan(y)),
    })
}

fn of_truths(op: Logic, rows: usize, left: &Vector, right: &Vector) -> Option<BooleanBuffer> {
    let side = |row: &Vector| match row {
        Vector::Constant(Value::Bool(true)) => Some(BooleanBuffer::new_set(rows)),
        Vector::Constant(Value::Bool(false)) => Some(BooleanBuffer::new_unset(rows)),
        Vector::Flat(array) => array.as_boolean_opt().map(|array| array.values().clone()),
        _ => None,
    };
    let (left, right) = (side(left)?, side(right)?);
    Some(match op {
        Logic::Eq => !&(&left ^ &right),
        Logic::Ne => &left ^ &right,
        Logic::Lt => &!&left & &right,
        _ => &!&left | &right,
    })
}

/// Text or bytes in each row.
enum Bytes<'a, T: ByteViewType> {
    /// The same, as an array of one element.
    One(GenericByteViewArray<T>),
    /// One for each.
    Many(&'a GenericByteViewArray<T>),
}

impl<'a> Bytes<'a, StringViewType> {
    fn text(row: &'a Vector) -> Option<Bytes<'a, StringViewType>> {
        match row {
            Vector::Constant(Value::Str(text)) => Some(Bytes::One(StringViewArray::from_iter_values([text]))),
            Vector::Flat(array) => array.as_string_view_opt().map(Bytes::Many),
            _ => None,
        }
    }
}

impl<'a> Bytes<'a, BinaryViewType> {
    fn raw(row: &'a Vector) -> Option<Bytes<'a, BinaryViewType>> {
        match row {
            Vector::Constant(Value::Bytes(bytes)) => Some(Bytes::One(BinaryViewArray::from_iter_values([bytes]))),
            Vector::Flat(array) => array.as_binary_view_opt().map(Bytes::Many),
            _ => None,
        }
    }
}

fn of_bytes<T: ByteViewType>(op: Logic, rows: usize, left: Bytes<'_, T>, right: Bytes<'_, T>) -> Option<BooleanBuffer> {
    Some(match (&left, &right) {
        (Bytes::Many(left), Bytes::Many(right)) => match op {
            Logic::Eq => BooleanBuffer::collect_bool(rows, |at| views::equal(left, at, right, at)),
            Logic::Ne => BooleanBuffer::collect_bool(rows, |at| !views::equal(left, at, right, at)),
            Logic::Lt => BooleanBuffer::collect_bool(rows, |at| views::order(left, at, right, at).is_lt()),
            _ => BooleanBuffer::collect_bool(rows, |at| views::order(left, at, right, at).is_le()),
        },
        (Bytes::Many(many), Bytes::One(one)) | (Bytes::One(one), Bytes::Many(many)) if matches!(op, Logic::Eq | Logic::Ne) => {
            let equal = equal_to(many, one);
            if op == Logic::Eq { equal } else { !&equal }
        }
        (Bytes::Many(left), Bytes::One(right)) => match op {
            Logic::Lt => BooleanBuffer::collect_bool(rows, |at| views::order(left, at, right, 0).is_lt()),
            _ => BooleanBuffer::collect_bool(rows, |at| views::order(left, at, right, 0).is_le()),
        },
        (Bytes::One(left), Bytes::Many(right)) => match op {
            Logic::Lt => BooleanBuffer::collect_bool(rows, |at| views::order(left, 0, right, at).is_lt()),
            _ => BooleanBuffer::collect_bool(rows, |at| views::order(left, 0, right, at).is_le()),
        },
        (Bytes::One(_), Bytes::One(_)) => return None,
    })
}

/// Where an array has one element: a short one is compared as a number.
fn equal_to<T: ByteViewType>(many: &GenericByteViewArray<T>, one: &GenericByteViewArray<T>) -> BooleanBuffer {
    let wanted = one.views()[0];
    if wanted as u32 <= views::INLINE as u32 {
        return bits::test(many.views(), |view| view == wanted);
    }
    BooleanBuffer::collect_bool(many.len(), |at| views::equal(many, at, one, 0))
}
