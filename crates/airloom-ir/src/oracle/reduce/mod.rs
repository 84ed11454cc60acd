//! What reductions mean.

mod cells;
mod extreme;
mod moments;
mod pick;
mod quantile;
mod sum;

pub(super) use cells::passes_over;
pub(super) use extreme::{greatest, least};
pub use moments::{decimal_to_float, kurtosis, kurtosis_of, skewness, skewness_of};
pub use quantile::interpolated;
pub(super) use sum::Adder;
pub use sum::{DECIMAL_LIMIT, ExactSum};

use super::call::Call;
use super::stop::Stop;
use crate::attrs::Skip;
use crate::ops::reduce::Reduce;
use crate::value::Value;
use std::sync::Arc;

pub(super) fn apply(op: Reduce, call: &Call<'_>) -> Result<Value, Stop> {
    // Every reduction has `axes` and then `skip`; only `arr.nth` has an attribute before them.
    let first = if op == Reduce::Nth { 1 } else { 0 };
    let axes: Arc<[i64]> = call.attr(first);
    let skip: Skip = call.attr(first + 1);
    if op == Reduce::Quantile {
        quantile::level(call)?;
    }
    cells::reduce(call, &axes, |cell| match op {
        Reduce::Sum => sum::sum(call, skip, cell),
        Reduce::Product => sum::product(call, skip, cell),
        Reduce::Mean => moments::mean(call, skip, cell),
        Reduce::Min => Ok(extreme::extreme(skip, cell, least)),
        Reduce::Max => Ok(extreme::extreme(skip, cell, greatest)),
        Reduce::Count => Ok(pick::count(skip, cell)),
        Reduce::CountDistinct => Ok(pick::count_distinct(skip, cell)),
        Reduce::First => Ok(pick::nth(skip, cell, 0)),
        Reduce::Last => Ok(pick::nth(skip, cell, -1)),
        Reduce::Nth => Ok(pick::nth(skip, cell, call.attr(0))),
        Reduce::Var => moments::var(call, skip, cell),
        Reduce::Std => moments::std(call, skip, cell),
        Reduce::Skew => Ok(moments::skew(call, skip, cell)),
        Reduce::Kurt => Ok(moments::kurt(call, skip, cell)),
        Reduce::Median => quantile::median(call, skip, cell),
        Reduce::Quantile => quantile::quantile(call, skip, cell),
        Reduce::Any => Ok(pick::decided_by(true, skip, cell)),
        Reduce::All => Ok(pick::decided_by(false, skip, cell)),
        Reduce::ArgMin => Ok(extreme::position(skip, cell, std::cmp::Ordering::Less)),
        Reduce::ArgMax => Ok(extreme::position(skip, cell, std::cmp::Ordering::Greater)),
        Reduce::List => Ok(pick::list(skip, cell)),
    })
}
