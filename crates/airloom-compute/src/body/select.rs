//! Selecting rows of a vector by a mask, and scattering them back to their positions.

use crate::data::Vector;
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{filter, take};

/// The rows for which the mask is true.
pub fn keep(lane: &Vector, mask: &BooleanArray) -> Vector {
    match lane {
        Vector::Constant(_) => lane.clone(),
        Vector::Flat(array) => Vector::Flat(filter(array, mask).expect("a mask as long as the lanes")),
        Vector::Row(parts) => Vector::Row(parts.iter().map(|part| keep(part, mask)).collect()),
    }
}

/// Rows computed for a mask, back at the positions where it is true; null elsewhere.
pub fn place(types: &Types, ty: TyId, lane: &Vector, mask: &BooleanArray, count: usize) -> Vector {
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
    spread(types, ty, lane, &indices, count)
}

fn spread(types: &Types, ty: TyId, lane: &Vector, indices: &UInt32Array, count: usize) -> Vector {
    match (lane, types.get(ty)) {
        (Vector::Constant(_), _) => lane.clone(),
        (Vector::Row(parts), Ty::Tuple(tys)) => {
            Vector::Row(parts.iter().zip(tys).map(|(p, &t)| spread(types, t, p, indices, count)).collect())
        }
        _ => {
            let array = lane.to_array(types, ty, count);
            Vector::Flat(take(&array, indices, None).expect("every place is within the lanes"))
        }
    }
}

/// `then` where the mask is true, else `otherwise`. The mask has no nulls.
pub fn choose(types: &Types, ty: TyId, mask: &BooleanArray, then: &Vector, otherwise: &Vector, lanes: usize) -> Vector {
    if let (Vector::Row(a), Vector::Row(b), Ty::Tuple(tys)) = (then, otherwise, types.get(ty)) {
        return Vector::Row(a.iter().zip(b.iter()).zip(tys).map(|((a, b), &t)| choose(types, t, mask, a, b, lanes)).collect());
    }
    let (then, otherwise): (ArrayRef, ArrayRef) = (then.to_array(types, ty, lanes), otherwise.to_array(types, ty, lanes));
    Vector::Flat(zip(mask, &then, &otherwise).expect("both sides have the type of the branch"))
}
