//! Ranks, numbers and parts.

use crate::attrs::{RankMethod, RankNulls, SortKey};
use crate::oracle::call::Call;
use crate::oracle::order::by_key;
use crate::oracle::stop::{Stop, raise};
use crate::value::Value;

pub(super) fn rank(call: &Call<'_>) -> Value {
    let items = &call.array(0).items;
    let (method, nulls, percent): (RankMethod, RankNulls, bool) = (call.attr(0), call.attr(2), call.attr(3));
    let key = SortKey { descending: call.attr(1), nulls_first: nulls == RankNulls::First };
    let mut ranked: Vec<usize> = (0..items.len()).filter(|&at| nulls != RankNulls::Keep || !items[at].is_null()).collect();
    ranked.sort_by(|&a, &b| by_key(&items[a], &items[b], key));
    let ties: Vec<&[usize]> = ranked.chunk_by(|&a, &b| by_key(&items[a], &items[b], key).is_eq()).collect();
    let whole = if method == RankMethod::Dense { ties.len() } else { ranked.len() } as f64;
    let mut ranks = vec![Value::Null; items.len()];
    let mut before = 0;
    for (group, tied) in ties.iter().enumerate() {
        for (within, &at) in tied.iter().enumerate() {
            let place = match method {
                // Twice the mean of the positions, so that it is an integer.
                RankMethod::Average => 2 * before + tied.len() + 1,
                RankMethod::Min => before + 1,
                RankMethod::Max => before + tied.len(),
                RankMethod::Dense => group + 1,
                RankMethod::Ordinal => before + within + 1,
            };
            ranks[at] = match (method, percent) {
                (RankMethod::Average, false) => Value::F64(place as f64 / 2.0),
                (RankMethod::Average, true) => Value::F64(place as f64 / 2.0 / whole),
                (_, true) => Value::F64(place as f64 / whole),
                (_, false) => Value::Int(place as i128),
            };
        }
        before += tied.len();
    }
    Value::arr(ranks)
}

pub(super) fn row_number(call: &Call<'_>) -> Value {
    Value::arr((0..call.array(0).items.len()).map(|at| Value::Int(at as i128)).collect())
}

pub(super) fn ntile(call: &Call<'_>) -> Result<Value, Stop> {
    let count = call.array(0).items.len() as i128;
    let buckets = call.int(1);
    if buckets <= 0 {
        return raise(format!("the number of buckets must be positive, found {buckets}"));
    }
    let (small, larger) = (count / buckets, count % buckets);
    let in_larger = larger * (small + 1);
    // Where there are more buckets than elements the small parts are empty, and no element lies beyond the larger ones.
    let bucket = |at: i128| if at < in_larger { at / (small + 1) } else { larger + (at - in_larger) / small };
    Ok(Value::arr((0..count).map(|at| Value::Int(bucket(at) + 1)).collect()))
}
