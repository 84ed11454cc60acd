//! What the ops on arrays mean.

mod contract;
mod make;
mod place;
pub(super) mod shape;

pub use contract::{Contraction, contraction};
pub use make::broadcast_steps;
pub(super) use make::{gathered, tabulate};
pub use place::{joined, reshaped, slice_positions};
pub use shape::{Blocks, advance, blocks, elements, extent, places, position, show, strides};

use super::call::Call;
use super::stop::Stop;
use crate::ops::array::Array;
use crate::value::Value;

pub(super) fn apply(op: Array, call: &Call<'_>) -> Result<Value, Stop> {
    match op {
        Array::Of => make::of(call),
        Array::Fill => make::fill(call),
        Array::Iota => make::iota(call),
        Array::Dim => make::dim(call),
        Array::Broadcast => make::broadcast(call),
        Array::Map => make::map(call),
        Array::Slice => place::slice(call),
        Array::Reshape => place::reshape(call),
        Array::Transpose => place::transpose(call),
        Array::Concat => place::concat(call),
        Array::At => place::at(call),
        Array::Put => place::put(call),
        Array::Contract => contract::contract(call),
        Array::Take => place::take(call),
    }
}
