//! Sums over the first axes: every sum takes its elements in order, but many sums take one at a time, so that nothing is moved first.

use super::call::ArrayCall;
use crate::data::NdArray;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::reduce::{Number, ReductionSpec};
use airloom_ir::attrs::Skip;
use airloom_ir::ops::reduce::Reduce;
use airloom_ir::types::Ty;
use arrow::array::Array;

/// The sums, where the first axes go, some are left, and every element is taken.
pub(super) fn sums(call: &ArrayCall<'_>, reduction: &ReductionSpec, array: &NdArray) -> Option<NdArray> {
    let axes = reduction.axes();
    let gone = axes.len();
    let leading = gone > 0 && gone < array.shape.len() && (0..gone as i64).all(|axis| axes.contains(&axis));
    let everything = array.items.null_count() == 0 && matches!(reduction.skip(), Skip::None | Skip::Null);
    if reduction.op != Reduce::Sum || !leading || !everything || call.attr::<i64>(2) > 0 || array.items.is_empty() {
        return None;
    }
    let shape = array.shape[gone..].to_vec();
    let cells: usize = shape.iter().product();
    let ty = call.types.plain(reduction.element);
    let items = match ty {
        Ty::F32 | Ty::F64 => by_width!(Width::of(ty)?, N => {
            let numbers = N::numbers(&array.items)?;
            let mut sums = vec![N::default(); cells];
            for row in numbers.chunks_exact(cells) {
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.plus(x));
            }
            numbers_to_array(call.types, call.result_element(), sums, None)
        }),
        Ty::Int(int) => by_width!(Width::of(ty)?, N => {
            let numbers = N::numbers(&array.items)?;
            let mut sums = vec![0u64; cells];
            for row in numbers.chunks_exact(cells) {
                sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum = sum.wrapping_add(x.low()));
            }
            if int.signed() {
                numbers_to_array(call.types, call.result_element(), sums.into_iter().map(|sum| sum as i64).collect(), None)
            } else {
                numbers_to_array(call.types, call.result_element(), sums, None)
            }
        }),
        _ => return None,
    };
    Some(NdArray { items, shape })
}
