//! Covariances of pairs in windows.

use super::merging::{FAR, Summary, summaries};
use super::pieces::in_pieces;
use super::rolling::{bounds, go_forward};
use crate::array::call::ArrayCall;
use crate::data::Failure;
use airloom_ir::oracle::formula::{Pairs, one_beside_the_other};
use arrow::array::{Array, ArrayRef, AsArray, Float64Builder};
use arrow::buffer::NullBuffer;
use arrow::datatypes::Float64Type;
use std::sync::Arc;

/// How many windows there are between two questions whether to go on.
const CHECKED: usize = 1024;

pub(super) fn windows(call: &ArrayCall<'_>, items: &ArrayRef) -> Result<ArrayRef, Failure> {
    let others = call.array(1).items;
    one_beside_the_other(items.len(), others.len())?;
    let bounds = bounds(call, 2, items.len())?;
    let make = Pairs { min_count: call.attr(0), ddof: call.attr(1), scaled: call.attr(2) };
    let there = NullBuffer::union(items.nulls(), others.nulls());
    let (xs, ys) = (items.as_primitive::<Float64Type>().values(), others.as_primitive::<Float64Type>().values());
    let pair = |at: usize| there.as_ref().is_none_or(|there| there.is_valid(at)).then(|| (xs[at], ys[at]));
    // Products of what is farther apart may leave the range of floats on the way.
    let near = || (0..items.len()).filter_map(pair).all(|(x, y)| !(x.abs() > FAR || y.abs() > FAR));
    if call.attr(3) && go_forward(&bounds) && near() {
        call.run.check()?;
        let result = |all: Products| make.of_sums(all.count as usize, all.products, (all.squares_x, all.squares_y));
        let made = in_pieces(call.run.threads(), bounds.len(), |range| {
            let mut results = Float64Builder::with_capacity(range.len());
            summaries(&bounds[range], pair, |all| results.append_option(result(all)));
            Some(Arc::new(results.finish()))
        });
        if let Some(made) = made {
            return Ok(made);
        }
    }
    let mut results = Float64Builder::with_capacity(bounds.len());
    for (at, &(from, to)) in bounds.iter().enumerate() {
        if at % CHECKED == 0 {
            call.run.check()?;
        }
        results.append_option(make.of(&(from..to).filter_map(pair).collect::<Vec<_>>()));
    }
    Ok(Arc::new(results.finish()))
}

/// How many pairs, the means of both sides, and the sums of the products and squares of distances from them.
#[derive(Clone, Copy, Default)]
struct Products {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    products: f64,
    squares_x: f64,
    squares_y: f64,
}

impl Summary for Products {
    type Item = (f64, f64);

    #[inline]
    fn add(&mut self, (x, y): (f64, f64)) {
        self.count += 1.0;
        let (off_x, off_y) = (x - self.mean_x, y - self.mean_y);
        self.mean_x += off_x / self.count;
        self.mean_y += off_y / self.count;
        let left = x - self.mean_x;
        self.products += left * off_y;
        self.squares_x += left * off_x;
        self.squares_y += (y - self.mean_y) * off_y;
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.count == 0.0
    }

    #[inline]
    fn merged(self, other: Self) -> Self {
        let count = self.count + other.count;
        let (off_x, off_y) = (other.mean_x - self.mean_x, other.mean_y - self.mean_y);
        let share = other.count / count;
        let weight = self.count * share;
        Products {
            count,
            mean_x: self.mean_x + off_x * share,
            mean_y: self.mean_y + off_y * share,
            products: self.products + other.products + off_x * off_y * weight,
            squares_x: self.squares_x + other.squares_x + off_x * off_x * weight,
            squares_y: self.squares_y + other.squares_y + off_y * off_y * weight,
        }
    }
}
