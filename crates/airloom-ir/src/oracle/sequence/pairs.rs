//! Covariances of pairs in windows.

use super::decay::{floats, one_beside_the_other, results};
use super::rolling::window_between;
use crate::oracle::call::Call;
use crate::oracle::stop::Stop;
use crate::value::Value;

/// What is made of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Pairs {
    /// How many of them there must be.
    pub min_count: i64,
    /// What is taken off their count.
    pub ddof: i64,
    /// Whether it is the correlation.
    pub scaled: bool,
}

impl Pairs {
    /// The covariance of pairs, or their correlation; nothing of too few.
    pub fn of(&self, pairs: &[(f64, f64)]) -> Option<f64> {
        let first = pairs.first()?;
        // Asked before the means are: what is all equal may have a mean just beside it.
        let spreads = [pairs.iter().any(|pair| pair.0 != first.0), pairs.iter().any(|pair| pair.1 != first.1)];
        let count = pairs.len() as f64;
        let mean = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
        let mean = (mean.0 / count, mean.1 / count);
        let (mut products, mut squares) = (0.0, (0.0, 0.0));
        for &(x, y) in pairs {
            let off = (x - mean.0, y - mean.1);
            products += off.0 * off.1;
            squares = (squares.0 + off.0 * off.0, squares.1 + off.1 * off.1);
        }
        let squares = (if spreads[0] { squares.0 } else { 0.0 }, if spreads[1] { squares.1 } else { 0.0 });
        let products = if spreads == [true, true] || !products.is_finite() { products } else { 0.0 };
        self.of_sums(pairs.len(), products, squares)
    }

    /// The same, by the sums of the products and the squares of distances from the means.
    #[inline]
    pub fn of_sums(&self, count: usize, products: f64, squares: (f64, f64)) -> Option<f64> {
        // No array has more elements than an `i64` counts.
        let count = count as i64;
        if count == 0 || self.min_count > count {
            None
        } else if !self.scaled {
            let freedom = count.saturating_sub(self.ddof);
            (freedom > 0).then(|| products / freedom as f64)
        } else {
            (squares.0 != 0.0 && squares.1 != 0.0).then(|| (products / (squares.0 * squares.1).sqrt()).clamp(-1.0, 1.0))
        }
    }
}

pub(super) fn windows(call: &Call<'_>) -> Result<Value, Stop> {
    let (items, others) = (floats(call, 0), floats(call, 1));
    one_beside_the_other(items.len(), others.len())?;
    let (starts, ends) = (&call.array(2).items, &call.array(3).items);
    one_beside_the_other(starts.len(), ends.len())?;
    let pairs = Pairs { min_count: call.attr(0), ddof: call.attr(1), scaled: call.attr(2) };
    let place = |value: &Value| if let Value::Int(place) = value { *place } else { 0 };
    let mut found = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().zip(ends.iter()) {
        let (from, to) = window_between(place(start), place(end), items.len());
        call.spend(to - from)?;
        let both: Vec<(f64, f64)> = (from..to).filter_map(|at| items[at].zip(others[at])).collect();
        found.push(pairs.of(&both));
    }
    Ok(results(found.into_iter()))
}
