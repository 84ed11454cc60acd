//! Rows that were selected back at their positions, and vectors of rows that follow one another.

use crate::data::Vector;
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{concat, take};

/// Rows computed for a mask, back at the positions where it is true; null elsewhere.
pub(super) fn place(types: &Types, ty: TyId, vector: &Vector, mask: &BooleanArray, count: usize) -> Vector {
    let mut next = 0u32;
    let indices: UInt32Array = mask
        .values()
        .iter()
        .map(|taken| {
            taken.then(|| {
                next += 1;
                next - 1
            })
        })
        .collect();
    spread(types, ty, vector, &indices, count)
}

fn spread(types: &Types, ty: TyId, vector: &Vector, indices: &UInt32Array, count: usize) -> Vector {
    match (vector, types.get(ty)) {
        (Vector::Constant(_), _) => vector.clone(),
        (Vector::Row(parts), Ty::Tuple(tys)) => {
            Vector::Row(parts.iter().zip(tys).map(|(p, &t)| spread(types, t, p, indices, count)).collect())
        }
        _ => {
            let array = vector.to_array(types, ty, count);
            Vector::Flat(take(&array, indices, None).expect("every position is within the vector"))
        }
    }
}

/// `then` where the mask is true, else `otherwise`. The mask has no nulls.
pub(super) fn choose(types: &Types, ty: TyId, mask: &BooleanArray, then: &Vector, otherwise: &Vector, rows: usize) -> Vector {
    if let (Vector::Row(a), Vector::Row(b), Ty::Tuple(tys)) = (then, otherwise, types.get(ty)) {
        return Vector::Row(a.iter().zip(b.iter()).zip(tys).map(|((a, b), &t)| choose(types, t, mask, a, b, rows)).collect());
    }
    let (then, otherwise): (ArrayRef, ArrayRef) = (then.to_array(types, ty, rows), otherwise.to_array(types, ty, rows));
    Vector::Flat(zip(mask, &then, &otherwise).expect("both sides have the type of the branch"))
}

/// Some rows of a vector that follow one another.
pub fn slice(vector: &Vector, from: usize, rows: usize) -> Vector {
    match vector {
        Vector::Constant(_) => vector.clone(),
        Vector::Flat(array) => Vector::Flat(array.slice(from, rows)),
        Vector::Row(parts) => Vector::Row(parts.iter().map(|part| slice(part, from, rows)).collect()),
    }
}

/// The vectors of several roots over rows that follow one another: pieces have a vector for each root, and the number of their rows.
pub(super) fn join_all(types: &Types, tys: impl Iterator<Item = TyId>, pieces: &[(Vec<Vector>, usize)]) -> Vec<Vector> {
    let root = |(at, ty): (usize, TyId)| {
        let of_root: Vec<(&Vector, usize)> = pieces.iter().map(|(vectors, rows)| (&vectors[at], *rows)).collect();
        join(types, ty, &of_root)
    };
    tys.enumerate().map(root).collect()
}

/// The rows of several vectors of one type, one after the other; with each the number of its rows.
fn join(types: &Types, ty: TyId, pieces: &[(&Vector, usize)]) -> Vector {
    if let [(vector, _)] = pieces {
        return (*vector).clone();
    }
    if let Ty::Tuple(tys) = types.get(ty) {
        let part = |(at, &ty): (usize, &TyId)| {
            let parts: Vec<(Vector, usize)> = pieces.iter().map(|(vector, rows)| (tuple_part(vector, at), *rows)).collect();
            join(types, ty, &parts.iter().map(|(vector, rows)| (vector, *rows)).collect::<Vec<_>>())
        };
        return Vector::Row(tys.iter().enumerate().map(part).collect());
    }
    let arrays: Vec<ArrayRef> = pieces.iter().map(|(vector, rows)| vector.to_array(types, ty, *rows)).collect();
    if arrays.is_empty() {
        return Vector::from_values(types, ty, &[]);
    }
    let arrays: Vec<&dyn arrow::array::Array> = arrays.iter().map(AsRef::as_ref).collect();
    Vector::Flat(concat(&arrays).expect("vectors of one type"))
}

/// One part of a tuple.
pub(super) fn tuple_part(tuple: &Vector, at: usize) -> Vector {
    match tuple {
        Vector::Row(parts) => parts[at].clone(),
        Vector::Constant(Value::Tuple(parts)) => Vector::Constant(parts[at].clone()),
        other => panic!("invariant `values have their node's type`: expected a tuple, found {other:?}"),
    }
}
