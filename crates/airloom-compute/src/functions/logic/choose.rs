//! One of several values.

use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Side, Width, buffer_to_array, by_width, numbers_to_array};
use crate::functions::call::KernelCall;
use crate::functions::views::{self, views_to_array};
use airloom_ir::ops::number::Number;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::kernels::zip::zip;

pub(super) fn select(call: &KernelCall<'_>) -> Option<Vector> {
    match &call.args[0] {
        Vector::Constant(Value::Bool(true)) => Some(call.args[1].clone()),
        Vector::Constant(_) => Some(call.args[2].clone()),
        Vector::Flat(condition) => {
            let chosen = Chosen { types: call.types, ty: call.ty, rows: call.rows };
            chosen.of(&bits::is_true(condition.as_boolean_opt()?), &call.args[1], &call.args[2])
        }
        Vector::Row(_) => None,
    }
}

pub(super) fn coalesce(call: &KernelCall<'_>) -> Option<Vector> {
    let chosen = Chosen { types: call.types, ty: call.ty, rows: call.rows };
    let mut result: Option<Vector> = None;
    for arg in call.args {
        result = Some(match result {
            None | Some(Vector::Constant(Value::Null)) => arg.clone(),
            Some(Vector::Flat(array)) => match array.nulls().filter(|nulls| nulls.null_count() > 0) {
                Some(nulls) => chosen.of(&nulls.inner().clone(), &Vector::Flat(array), arg)?,
                None => return Some(Vector::Flat(array)),
            },
            Some(whole) => return Some(whole),
        });
    }
    result
}

/// A choice between two values of a type in each row.
struct Chosen<'a> {
    types: &'a Types,
    ty: TyId,
    rows: usize,
}

impl Chosen<'_> {
    /// The first where a bit is set, else the second.
    fn of(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<Vector> {
        if let (Vector::Row(then), Vector::Row(otherwise), Ty::Struct(fields)) = (then, otherwise, self.types.plain(self.ty)) {
            let parts = fields.iter().zip(then.iter().zip(otherwise.iter()));
            let parts: Option<Vec<Vector>> =
                parts.map(|(field, (then, otherwise))| Chosen { ty: field.ty, ..*self }.of(first, then, otherwise)).collect();
            return parts.map(|parts| Vector::Row(parts.into()));
        }
        let array = match self.types.plain(self.ty) {
            Ty::Str => self.texts(first, then, otherwise),
            Ty::Bool => self.truths(first, then, otherwise),
            ty => match Width::of(ty) {
                Some(width) => by_width!(width, N => self.numbers::<N>(first, then, otherwise)),
                None => None,
            },
        };
        let array = match array {
            Some(array) => array,
            None => self.any(first, then, otherwise)?,
        };
        Some(Vector::Flat(array))
    }

    /// Where the chosen value is not null.
    fn nulls(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<NullBuffer> {
        let valid = |row: &Vector| match row {
            Vector::Constant(Value::Null) => Some(BooleanBuffer::new_unset(self.rows)),
            Vector::Flat(array) => array.nulls().map(|nulls| nulls.inner().clone()),
            _ => None,
        };
        let valid = match (valid(then), valid(otherwise)) {
            (None, None) => return None,
            (Some(then), None) => &then | &!first,
            (None, Some(otherwise)) => &otherwise | first,
            (Some(then), Some(otherwise)) => &(&then & first) | &(&otherwise & &!first),
        };
        Some(NullBuffer::new(valid))
    }

    fn numbers<N: Native>(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<ArrayRef> {
        let side = |row: &Vector| if let Vector::Constant(Value::Null) = row { Some(Side::One(N::default())) } else { Side::<N>::of(row) };
        let (left, right) = (side(then)?, side(otherwise)?);
        let mut numbers = Vec::with_capacity(self.rows);
        // Word by word; a condition that holds for 64 rows, or for none of them, is common.
        let chunks = first.bit_chunks();
        for (word, bits) in chunks.iter_padded().enumerate() {
            let from = word * 64;
            let to = (from + 64).min(self.rows);
            if from >= to {
                break;
            }
            match (&left, &right) {
                (Side::Many(left), _) if bits == u64::MAX => numbers.extend_from_slice(&left[from..to]),
                (_, Side::Many(right)) if bits == 0 => numbers.extend_from_slice(&right[from..to]),
                (Side::Many(left), Side::Many(right)) => {
                    let pairs = left[from..to].iter().zip(&right[from..to]).enumerate();
                    numbers.extend(pairs.map(|(at, (x, y))| if bits >> at & 1 == 1 { *x } else { *y }));
                }
                (Side::Many(left), Side::One(y)) => {
                    numbers.extend(left[from..to].iter().enumerate().map(|(at, x)| if bits >> at & 1 == 1 { *x } else { *y }));
                }
                (Side::One(x), Side::Many(right)) => {
                    numbers.extend(right[from..to].iter().enumerate().map(|(at, y)| if bits >> at & 1 == 1 { *x } else { *y }));
                }
                (Side::One(x), Side::One(y)) => numbers.extend((0..to - from).map(|at| if bits >> at & 1 == 1 { *x } else { *y })),
            }
        }
        Some(numbers_to_array(self.types, self.ty, numbers, self.nulls(first, then, otherwise)))
    }

    fn texts(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<ArrayRef> {
        let side = |row: &Vector| match row {
            Vector::Constant(Value::Null) => Some((StringViewArray::from_iter_values([""]), true)),
            Vector::Constant(Value::Str(text)) => Some((StringViewArray::from_iter_values([text]), true)),
            Vector::Flat(array) => array.as_string_view_opt().map(|array| (array.clone(), false)),
            _ => None,
        };
        let ((left, left_one), (right, right_one)) = (side(then)?, side(otherwise)?);
        let (lefts, rights) = (left.data_buffers(), right.data_buffers());
        let shared = lefts.len() == rights.len() && lefts.iter().zip(rights).all(|(x, y)| x.ptr_eq(y));
        // A view that points into a block of the second array names it by a number: the blocks of the first come before.
        let moved = if shared { 0 } else { (lefts.len() as u128) << 64 };
        let blocks = if shared { lefts.to_vec() } else { lefts.iter().chain(rights).cloned().collect() };
        let (left_views, right_views) = (left.views(), right.views());
        let views = (0..self.rows).map(|at| {
            if first.value(at) {
                left_views[if left_one { 0 } else { at }]
            } else {
                let view = right_views[if right_one { 0 } else { at }];
                if view as u32 <= views::INLINE as u32 { view } else { view + moved }
            }
        });
        // SAFETY: the views are those of two arrays of text, each with the number its block has among the blocks of both.
        Some(unsafe { views_to_array(views.collect(), blocks, self.nulls(first, then, otherwise)) })
    }

    fn truths(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<ArrayRef> {
        let side = |row: &Vector| match row {
            Vector::Constant(Value::Bool(true)) => Some(BooleanBuffer::new_set(self.rows)),
            Vector::Constant(_) => Some(BooleanBuffer::new_unset(self.rows)),
            Vector::Flat(array) => array.as_boolean_opt().map(|array| array.values().clone()),
            Vector::Row(_) => None,
        };
        let (then_bits, otherwise_bits) = (side(then)?, side(otherwise)?);
        let bits = &(&then_bits & first) | &(&otherwise_bits & &!first);
        Some(bits::truths(bits, self.nulls(first, then, otherwise)))
    }

    /// Values of any type.
    fn any(&self, first: &BooleanBuffer, then: &Vector, otherwise: &Vector) -> Option<ArrayRef> {
        let side = |row: &Vector| row.to_array(self.types, self.ty, self.rows);
        zip(&BooleanArray::new(first.clone(), None), &side(then), &side(otherwise)).ok()
    }
}

/// The smaller or greater of two booleans, texts or bytes, and the bits of booleans.
pub(in crate::functions) fn pick(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    if matches!(call.plain(0), Ty::Bool) {
        return truths(op, call);
    }
    if !matches!(op, Number::Least | Number::Greatest) {
        return None;
    }
    let (left, right) = (call.array(0), call.array(1));
    let wanted = if op == Number::Least { std::cmp::Ordering::is_le } else { std::cmp::Ordering::is_gt };
    let first = match (left.as_string_view_opt(), right.as_string_view_opt()) {
        (Some(left), Some(right)) => BooleanBuffer::collect_bool(call.rows, |at| wanted(views::order(left, at, right, at))),
        _ => {
            let (left, right) = (left.as_binary_view_opt()?, right.as_binary_view_opt()?);
            BooleanBuffer::collect_bool(call.rows, |at| wanted(views::order(left, at, right, at)))
        }
    };
    let chosen = Chosen { types: call.types, ty: call.ty, rows: call.rows };
    let Vector::Flat(array) = chosen.of(&first, &Vector::Flat(left), &Vector::Flat(right))? else { return None };
    Some(Vector::Flat(with_only(array, call.nulls())))
}

/// The array with other nulls.
fn with_only(array: ArrayRef, nulls: Option<NullBuffer>) -> ArrayRef {
    let data = array.to_data().into_builder().nulls(nulls).build();
    arrow::array::make_array(data.expect("invariant `columns hold values`: nulls are as long as their array"))
}

fn truths(op: Number, call: &KernelCall<'_>) -> Option<Vector> {
    let (left, nulls) = (call.array(0), call.nulls());
    let left = left.as_boolean_opt()?.values();
    if op == Number::BitNot {
        return Some(Vector::Flat(bits::truths(!left, nulls)));
    }
    let right = call.array(1);
    let right = right.as_boolean_opt()?.values();
    let bits = match op {
        Number::BitAnd | Number::Least => left & right,
        Number::BitOr | Number::Greatest => left | right,
        Number::BitXor => left ^ right,
        _ => return None,
    };
    Some(Vector::Flat(bits::truths(bits, nulls)))
}

pub(super) fn nan_to_null(call: &KernelCall<'_>) -> Option<Vector> {
    match call.plain(0) {
        Ty::F32 => without_nan::<f32>(call),
        _ => without_nan::<f64>(call),
    }
}

fn without_nan<N: Native>(call: &KernelCall<'_>) -> Option<Vector> {
    let Side::Many(numbers) = Side::<N>::of(&call.args[0])? else { return None };
    let nan = bits::test(&numbers, |x| x.partial_cmp(&x).is_none());
    let nulls = bits::with_nulls(call.nulls().as_ref(), &nan);
    Some(Vector::Flat(buffer_to_array(call.types, call.ty, numbers, nulls)))
}

pub(super) fn null_to_nan(call: &KernelCall<'_>) -> Option<Vector> {
    let Some(nulls) = call.nulls().filter(|nulls| nulls.null_count() > 0) else { return Some(call.args[0].clone()) };
    let nan = if matches!(call.plain(0), Ty::F32) { Value::F32(f32::NAN) } else { Value::F64(f64::NAN) };
    Chosen { types: call.types, ty: call.ty, rows: call.rows }.of(nulls.inner(), &call.args[0], &Vector::Constant(nan))
}
