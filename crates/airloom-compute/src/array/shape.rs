//! Extents of arrays, checked before anything is allocated.

use crate::data::Datum;
use airloom_ir::oracle::Raised;
use airloom_ir::oracle::formula::{elements, extent};
use airloom_ir::value::Value;

/// The most elements of one array: an extent is data, and must not be able to ask for more memory than any machine has.
const MOST_ELEMENTS: u128 = 1 << 34;

/// The extents of a variadic argument.
pub(super) fn extents(parts: &[Datum]) -> Result<Vec<usize>, Raised> {
    parts
        .iter()
        .map(|part| match part {
            Datum::Value(Value::Int(value)) => extent(*value as i64),
            other => panic!("invariant `values have their node's type`: expected an integer, found {other:?}"),
        })
        .collect()
}

/// How many elements an array of this shape has, where there may be as many.
pub fn room(shape: &[usize]) -> Result<usize, Raised> {
    elements(shape, MOST_ELEMENTS)
}
