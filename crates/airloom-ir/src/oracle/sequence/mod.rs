//! What the ops on sequences mean.

mod arrange;
mod decay;
mod fill;
mod pairs;
mod rank;
mod rolling;
mod running;

pub use decay::{Decay, DecayCov, Weights, one_beside_the_other};
pub use pairs::Pairs;
pub use rolling::{window_between, window_bounds};

use super::call::Call;
use super::reduce::{greatest, least};
use super::stop::Stop;
use crate::ops::sequence::Sequence;
use crate::value::Value;

pub(super) fn apply(op: Sequence, call: &Call<'_>) -> Result<Value, Stop> {
    call.spend(call.array(0).items.len())?;
    match op {
        Sequence::CumSum => running::sum(call),
        Sequence::CumProd => running::product(call),
        Sequence::CumMin => running::extreme(call, least),
        Sequence::CumMax => running::extreme(call, greatest),
        Sequence::CumCount => Ok(running::count(call)),
        Sequence::Shift => Ok(fill::shift(call)),
        Sequence::Rank => Ok(rank::rank(call)),
        Sequence::RowNumber => Ok(rank::row_number(call)),
        Sequence::Ntile => rank::ntile(call),
        Sequence::Rolling => rolling::rolling(call),
        Sequence::Windows => rolling::windows(call),
        Sequence::WindowsCov => pairs::windows(call),
        Sequence::Search => Ok(arrange::search(call)),
        Sequence::Decay => decay::decay(call),
        Sequence::DecayCov => decay::decay_cov(call),
        Sequence::FillForward => Ok(fill::fill_forward(call)),
        Sequence::FillBackward => Ok(fill::fill_backward(call)),
        Sequence::Sort => Ok(arrange::sort(call)),
        Sequence::ArgSort => Ok(arrange::argsort(call)),
        Sequence::Unique => Ok(arrange::unique(call)),
    }
}
