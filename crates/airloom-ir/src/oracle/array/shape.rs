//! Extents and positions of arrays, checked before anything is allocated.

use crate::oracle::call::Call;
use crate::oracle::stop::{Raised, Stop, raise};
use crate::value::{Array, Value};

/// The most elements the oracle puts into one array, which is two gigabytes of them. Folding runs without a limit on steps, so steps alone do not
/// keep `arr.fill(0, 9223372036854775807)` from exhausting the memory.
const MOST_ELEMENTS: u128 = 1 << 26;

/// An extent that the program computed.
pub fn extent(value: i64) -> Result<usize, Raised> {
    usize::try_from(value).map_err(|_| Raised::new(format!("an extent must not be negative, found {value}")))
}

/// The extents that the program computed.
pub(in crate::oracle) fn extents(values: impl Iterator<Item = i64>) -> Result<Vec<usize>, Raised> {
    values.map(extent).collect()
}

/// How many elements an array of this shape has, where that is at most `most`. Empty axes do not excuse the others: an array of 0 by 2^62 is refused as NumPy
/// refuses it, so that no loop over its other axis is endless.
pub fn elements(shape: &[usize], most: u128) -> Result<usize, Raised> {
    let size = shape.iter().try_fold(1u128, |size, &extent| size.checked_mul(extent.max(1) as u128));
    if size.is_none_or(|size| size > most) {
        return raise(format!("an array of {} elements is too large", show(shape)));
    }
    Ok(shape.iter().product())
}

/// How many elements an array of this shape has, after counting the work of making it.
pub(in crate::oracle) fn room(call: &Call<'_>, shape: &[usize]) -> Result<usize, Stop> {
    let size = elements(shape, MOST_ELEMENTS)?;
    call.spend(size)?;
    Ok(size)
}

/// How many positions a loop over these extents has; it saturates.
pub fn places(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1usize, |size, &extent| size.saturating_mul(extent)) }
}

/// How many positions a loop over these extents has, after counting the work of visiting them. For loops that keep nothing: [`room`] is for those that do.
pub(in crate::oracle) fn visits(call: &Call<'_>, shape: &[usize]) -> Result<usize, Stop> {
    let size = places(shape);
    call.spend(size)?;
    Ok(size)
}

/// A shape for messages: `2 by 3`.
pub fn show(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" by ")
}

/// The next position in row-major order; after the last, the first.
#[inline]
pub fn advance(place: &mut [usize], shape: &[usize]) {
    for (at, &extent) in place.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < extent {
            return;
        }
        *at = 0;
    }
}

/// How far apart neighbours along each axis are. Only meant for shapes that have elements.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// The array of this shape whose neighbours along each axis are `strides` apart in `source`.
pub(super) fn gather(call: &Call<'_>, source: &Array, shape: Vec<usize>, strides: &[usize]) -> Result<Value, Stop> {
    let size = room(call, &shape)?;
    let mut place = vec![0; shape.len()];
    let mut items = Vec::with_capacity(size);
    for _ in 0..size {
        let offset: usize = place.iter().zip(strides).map(|(at, stride)| at * stride).sum();
        items.push(source.items[offset].clone());
        advance(&mut place, &shape);
    }
    Ok(Value::nd(shape, items))
}

/// An array as blocks along one axis.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// How many runs of the axis there are.
    pub outer: usize,
    /// The extent of the axis.
    pub extent: usize,
    /// How many elements are at one position of the axis in one run.
    pub inner: usize,
}

/// The blocks of a shape along an axis. The counts saturate, so use them only where there are elements.
pub fn blocks(shape: &[usize], axis: usize) -> Blocks {
    let product = |part: &[usize]| part.iter().fold(1usize, |size, &extent| size.saturating_mul(extent));
    Blocks { outer: product(&shape[..axis]), extent: shape[axis], inner: product(&shape[axis + 1..]) }
}

/// A position along an axis, counted from the end when negative.
#[inline]
pub fn position(index: i64, extent: usize, axis: usize) -> Result<usize, Raised> {
    let found = if index < 0 { i128::from(index) + extent as i128 } else { i128::from(index) };
    match usize::try_from(found) {
        Ok(at) if at < extent => Ok(at),
        _ => raise(format!("index {index} is outside axis {axis} of extent {extent}")),
    }
}
