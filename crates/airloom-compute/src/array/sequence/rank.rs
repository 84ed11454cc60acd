//! Ranks and parts.

use super::arrange::in_order;
use crate::array::call::ArrayCall;
use crate::data::native::numbers_to_array;
use airloom_ir::attrs::{RankMethod, RankNulls};
use arrow::array::{Array, ArrayRef};

pub(super) fn rank(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let (method, descending, nulls, percent): (RankMethod, bool, RankNulls, bool) =
        (call.attr(0), call.attr(1), call.attr(2), call.attr(3));
    let order = in_order(call.types, call.element(0), items, descending)?;
    let (mut places, mut ends) = (order.places, order.ends);
    let missing: Vec<usize> = (0..items.len()).filter(|&at| items.is_null(at)).collect();
    if !missing.is_empty() && nulls != RankNulls::Keep {
        // Nulls tie with one another.
        if nulls == RankNulls::First {
            ends = std::iter::once(missing.len()).chain(ends.iter().map(|end| end + missing.len())).collect();
            places = missing.iter().copied().chain(places).collect();
        } else {
            places.extend(&missing);
            ends.push(places.len());
        }
    }
    let whole = if method == RankMethod::Dense { ends.len() } else { places.len() } as f64;
    // Twice the mean of the positions for `average`, so that it is an integer.
    let mut ranks = vec![0usize; items.len()];
    let mut before = 0;
    for (group, &end) in ends.iter().enumerate() {
        for (within, &at) in places[before..end].iter().enumerate() {
            ranks[at] = match method {
                RankMethod::Average => before + end + 1,
                RankMethod::Min => before + 1,
                RankMethod::Max => end,
                RankMethod::Dense => group + 1,
                RankMethod::Ordinal => before + within + 1,
            };
        }
        before = end;
    }
    let kept = items.nulls().filter(|_| nulls == RankNulls::Keep).cloned();
    let fractions = |make: &dyn Fn(f64) -> f64| {
        let ranks = ranks.iter().map(|&rank| make(rank as f64)).collect();
        numbers_to_array::<f64>(call.types, call.result_element(), ranks, kept.clone())
    };
    Some(match (method, percent) {
        (RankMethod::Average, false) => fractions(&|rank| rank / 2.0),
        (RankMethod::Average, true) => fractions(&|rank| rank / 2.0 / whole),
        (_, true) => fractions(&|rank| rank / whole),
        (_, false) => {
            numbers_to_array::<i64>(call.types, call.result_element(), ranks.iter().map(|&rank| rank as i64).collect(), kept.clone())
        }
    })
}

pub(super) fn ntile(call: &ArrayCall<'_>, items: &ArrayRef) -> Option<ArrayRef> {
    let (count, buckets) = (items.len() as i64, call.int(1)?);
    if buckets <= 0 {
        return None;
    }
    let (small, larger) = (count / buckets, count % buckets);
    let in_larger = larger * (small + 1);
    // Where there are more buckets than elements the small parts are empty, and no element lies beyond the larger ones.
    let bucket = |at: i64| if at < in_larger { at / (small + 1) } else { larger + (at - in_larger) / small };
    Some(numbers_to_array::<i64>(call.types, call.result_element(), (0..count).map(|at| bucket(at) + 1).collect(), None))
}
