//! Arrays made from arrays of one axis with regard to order.

mod arrange;
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
use arrow::array::ArrayRef;

/// The result, where there is a loop for it and it does not raise; windows raise what their body does.
pub(super) fn sequence(op: Sequence, call: &ArrayCall<'_>) -> Result<Option<Datum>, Failure> {
    let items = call.array(0).items;
    let made = match op {
        Sequence::CumSum => running::sum(call, &items),
        Sequence::CumProd => running::product(call, &items),
        Sequence::CumMin => running::extreme(call, &items, std::cmp::Ordering::Less),
        Sequence::CumMax => running::extreme(call, &items, std::cmp::Ordering::Greater),
        Sequence::CumCount => running::count(call, &items),
        Sequence::Shift => fill::shift(call, &items),
        Sequence::Rank => rank::rank(call, &items),
        Sequence::RowNumber => Some(super::make::numbers(0, arrow::array::Array::len(&items))),
        Sequence::Ntile => rank::ntile(call, &items),
        Sequence::Rolling => return rolling::rolling(call, &items).map(|items| Some(flat(items))),
        Sequence::Windows => return rolling::between(call, &items).map(|items| Some(flat(items))),
        Sequence::WindowsCov => return pairs::windows(call, &items).map(|items| Some(flat(items))),
        Sequence::Search => arrange::search(call, &items),
        Sequence::Decay => return decay::decay(call, &items).map(|items| Some(flat(items))),
        Sequence::DecayCov => return decay::decay_cov(call, &items).map(|items| Some(flat(items))),
        Sequence::FillForward => fill::forward(call, &items),
        Sequence::FillBackward => fill::backward(call, &items),
        Sequence::Sort => arrange::sort(call, &items),
        Sequence::ArgSort => arrange::argsort(call, &items),
        Sequence::Unique => arrange::unique(call, &items),
    };
    Ok(made.map(flat))
}

fn flat(items: ArrayRef) -> Datum {
    Datum::Array(NdArray::flat(items))
}
