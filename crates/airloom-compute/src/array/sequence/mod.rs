//! Arrays made from arrays of one axis with regard to order.

mod among;
mod arrange;
mod carried;
mod decay;
mod fill;
mod merging;
mod pairs;
mod pieces;
mod rank;
mod rolling;
mod running;
mod sliding;
mod windows;

use super::call::ArrayCall;
use crate::data::{Datum, Failure, NdArray};
use airloom_ir::ops::sequence::Sequence;
use among::Among;
pub use among::GroupsInPlace;
use arrow::array::ArrayRef;
pub use carried::Carried;
pub use fill::STEPS_IN_GROUPS;
use std::cmp::Ordering;

/// The result, where there is a loop for it and it does not raise; windows raise what their body does.
pub(super) fn sequence(op: Sequence, call: &ArrayCall<'_>) -> Result<Option<Datum>, Failure> {
    let items = call.array(0).items;
    let made = match op {
        Sequence::CumSum
        | Sequence::CumProd
        | Sequence::CumMin
        | Sequence::CumMax
        | Sequence::CumCount
        | Sequence::RowNumber
        | Sequence::FillForward => running(op, call, &items, Among::All),
        Sequence::Shift => fill::shift(call, &items),
        Sequence::Rank => rank::rank(call, &items),
        Sequence::Ntile => rank::ntile(call, &items),
        Sequence::Rolling => return rolling::rolling(call, &items).map(|items| Some(flat(items))),
        Sequence::Windows => return rolling::between(call, &items).map(|items| Some(flat(items))),
        Sequence::WindowsCov => return pairs::windows(call, &items).map(|items| Some(flat(items))),
        Sequence::Search => arrange::search(call, &items),
        Sequence::Decay => return decay::decay(call, &items).map(|items| Some(flat(items))),
        Sequence::DecayCov => return decay::decay_cov(call, &items).map(|items| Some(flat(items))),
        Sequence::FillBackward => fill::backward(call, &items, None),
        Sequence::Sort => arrange::sort(call, &items),
        Sequence::ArgSort => arrange::argsort(call, &items),
        Sequence::Unique => arrange::unique(call, &items),
    };
    Ok(made.map(flat))
}

/// What an op that goes from the first element to the last makes of a piece of an array, after the pieces before it; nothing where there is no loop for it, where it
/// raises, and where it is none of these ops.
pub(super) fn onward(op: Sequence, call: &ArrayCall<'_>, items: &ArrayRef, carried: &mut Carried) -> Option<ArrayRef> {
    running(op, call, items, Among::Onward(carried))
}

/// What an op makes of groups whose rows lie among each other, each group by itself and every row at its place; nothing where it must see the rows of a group one
/// after the other.
pub(super) fn in_groups(op: Sequence, call: &ArrayCall<'_>, items: &ArrayRef, groups: GroupsInPlace<'_>) -> Option<ArrayRef> {
    match op {
        Sequence::Shift => fill::shift_in_groups(call, items, groups),
        Sequence::FillBackward => fill::backward(call, items, Some(groups)),
        _ => running(op, call, items, Among::Groups(groups)),
    }
}

fn running(op: Sequence, call: &ArrayCall<'_>, items: &ArrayRef, among: Among<'_>) -> Option<ArrayRef> {
    match op {
        Sequence::CumSum => running::sum(call, items, among),
        Sequence::CumProd => running::product(call, items, among),
        Sequence::CumMin => running::extreme(call, items, Ordering::Less, among),
        Sequence::CumMax => running::extreme(call, items, Ordering::Greater, among),
        Sequence::CumCount => running::count(call, items, among),
        Sequence::RowNumber => Some(running::numbers(items, among)),
        Sequence::FillForward => fill::forward(call, items, among),
        _ => None,
    }
}

fn flat(items: ArrayRef) -> Datum {
    Datum::Array(NdArray::flat(items))
}
