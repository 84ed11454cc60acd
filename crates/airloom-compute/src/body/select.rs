//! Choosing among lanes: by a mask, and back to where they stood.

use crate::data::Lane;
use airloom_ir::types::{Ty, TyId, Types};
use arrow::array::{ArrayRef, BooleanArray, UInt32Array};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{filter, take};

/// The lanes for which the mask is true.
pub fn keep(lane: &Lane, mask: &BooleanArray) -> Lane {
    match lane {
        Lane::One(_) => lane.clone(),
        Lane::Many(array) => Lane::Many(filter(array, mask).expect("a mask as long as the lanes")),
        Lane::Row(parts) => Lane::Row(parts.iter().map(|part| keep(part, mask)).collect()),
    }
}

/// Lanes computed for a mask, back in the places where it is true; null elsewhere.
pub fn place(types: &Types, ty: TyId, lane: &Lane, mask: &BooleanArray, count: usize) -> Lane {
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

fn spread(types: &Types, ty: TyId, lane: &Lane, indices: &UInt32Array, count: usize) -> Lane {
    match (lane, types.get(ty)) {
        (Lane::One(_), _) => lane.clone(),
        (Lane::Row(parts), Ty::Tuple(tys)) => Lane::Row(parts.iter().zip(tys).map(|(p, &t)| spread(types, t, p, indices, count)).collect()),
        _ => {
            let array = lane.to_array(types, ty, count);
            Lane::Many(take(&array, indices, None).expect("every place is within the lanes"))
        }
    }
}

/// `then` where the mask is true, else `otherwise`. The mask has no nulls.
pub fn choose(types: &Types, ty: TyId, mask: &BooleanArray, then: &Lane, otherwise: &Lane, lanes: usize) -> Lane {
    if let (Lane::Row(a), Lane::Row(b), Ty::Tuple(tys)) = (then, otherwise, types.get(ty)) {
        return Lane::Row(a.iter().zip(b.iter()).zip(tys).map(|((a, b), &t)| choose(types, t, mask, a, b, lanes)).collect());
    }
    let (then, otherwise): (ArrayRef, ArrayRef) = (then.to_array(types, ty, lanes), otherwise.to_array(types, ty, lanes));
    Lane::Many(zip(mask, &then, &otherwise).expect("both sides have the type of the branch"))
}
