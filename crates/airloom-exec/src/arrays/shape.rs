//! Extents and places of arrays, checked before anything is allocated.

use crate::data::Datum;
use airloom_ir::oracle::Raised;
use airloom_ir::value::Value;

/// The most elements of one array: an extent is data, and must not be able to ask for more memory than any machine has.
const MOST_ELEMENTS: u128 = 1 << 34;

/// An extent that the program computed.
pub(super) fn extent(value: i64) -> Result<usize, Raised> {
    usize::try_from(value).map_err(|_| Raised::new(format!("an extent must not be negative, found {value}")))
}

/// The extents of a gathered argument.
pub(super) fn extents(parts: &[Datum]) -> Result<Vec<usize>, Raised> {
    parts
        .iter()
        .map(|part| match part {
            Datum::Value(Value::Int(value)) => extent(*value as i64),
            other => panic!("invariant `values have their node's type`: expected a whole number, found {other:?}"),
        })
        .collect()
}

/// How many elements an array of this shape has. Empty axes do not excuse the others: an array of 0 by 2^62 is refused as NumPy refuses it.
pub(crate) fn room(shape: &[usize]) -> Result<usize, Raised> {
    let most = shape.iter().try_fold(1u128, |size, &extent| size.checked_mul(extent.max(1) as u128));
    if most.is_none_or(|size| size > MOST_ELEMENTS) {
        return Err(Raised::new(format!("an array of {} elements is too large", show(shape))));
    }
    Ok(shape.iter().product())
}

/// How many places a loop over these extents has.
pub(super) fn visits(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1usize, |size, &extent| size.saturating_mul(extent)) }
}

/// A shape for messages: `2 by 3`.
pub(super) fn show(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" by ")
}

/// The next place in row-major order; after the last, the first.
pub(super) fn advance(place: &mut [usize], shape: &[usize]) {
    for (at, &extent) in place.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < extent {
            return;
        }
        *at = 0;
    }
}

/// How far apart neighbours along each axis are. Only meant for shapes that have elements.
pub(super) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// An array as blocks along one axis.
pub(super) struct Blocks {
    /// How many runs of the axis there are.
    pub(super) outer: usize,
    /// The extent of the axis.
    pub(super) extent: usize,
    /// How many elements stand at one place of the axis in one run.
    pub(super) inner: usize,
}

/// The blocks of a shape along an axis. The counts saturate, so use them only where there are elements.
pub(super) fn blocks(shape: &[usize], axis: usize) -> Blocks {
    let product = |part: &[usize]| part.iter().fold(1usize, |size, &extent| size.saturating_mul(extent));
    Blocks { outer: product(&shape[..axis]), extent: shape[axis], inner: product(&shape[axis + 1..]) }
}

/// A position along an axis, counted from the end when negative; nothing outside.
pub(super) fn position(index: i64, extent: usize) -> Option<usize> {
    let found = if index < 0 { i128::from(index) + extent as i128 } else { i128::from(index) };
    usize::try_from(found).ok().filter(|at| *at < extent)
}
