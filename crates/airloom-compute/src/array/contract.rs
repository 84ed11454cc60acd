//! Products of elements, added up: rows of the result at once, on every core.

use super::call::ArrayCall;
use super::shape::room;
use crate::data::native::{Native, Width, by_width, numbers_to_array};
use crate::data::{Datum, Failure, NdArray, parallel_map};
use airloom_ir::oracle::formula::{Contraction, advance, contraction, places};
use std::sync::Arc;

/// From how many products on several threads share the work.
const PARALLEL: usize = 1 << 17;

/// After how many products it is looked whether the user still waits.
const BETWEEN_CHECKS: usize = 1 << 26;

pub(super) fn contract(call: &ArrayCall<'_>) -> Result<Option<Datum>, Failure> {
    let (first, second) = (call.array(0), call.array(1));
    let (left, right, out): (Arc<[i64]>, Arc<[i64]>, Arc<[i64]>) = (call.attr(0), call.attr(1), call.attr(2));
    let loops = contraction((&left, &first.shape), (&right, &second.shape), &out)?;
    let size = room(&loops.shape)?;
    // Where there is nothing to multiply, the oracle says what zero is.
    let terms = places(&loops.summed);
    let Some(width) = Width::of(call.types.get(call.element(0))).filter(|_| size > 0 && terms > 0) else { return Ok(None) };
    call.run.spend(size as u64)?;
    let items = by_width!(width, N => {
        let (Some(left), Some(right)) = (N::numbers(&first.items), N::numbers(&second.items)) else { return Ok(None) };
        numbers_to_array(call.types, call.result_element(), sums::<N>(call, &loops, &left, &right)?, None)
    });
    Ok(Some(Datum::Array(NdArray { items, shape: loops.shape })))
}

/// All sums, row by row of the result's last axis.
fn sums<N: Term>(call: &ArrayCall<'_>, loops: &Contraction, left: &[N], right: &[N]) -> Result<Vec<N>, Failure> {
    let (&width, outer) = loops.shape.split_last().expect("invariant `a contraction has an axis`: its type rule says so");
    let rows = places(outer);
    let of_row = width.saturating_mul(places(&loops.summed));
    let threads = if rows.saturating_mul(of_row) < PARALLEL { 1 } else { call.run.threads() };
    let chunk = (BETWEEN_CHECKS / of_row).max(threads);
    let mut made = Vec::with_capacity(rows * width);
    for begin in (0..rows).step_by(chunk) {
        call.run.check()?;
        let here = chunk.min(rows - begin);
        let pieces = parallel_map(
            threads,
            here.min(threads),
            || (),
            |(), piece| {
                let count = here.min(threads);
                let (from, to) = (begin + piece * here / count, begin + (piece + 1) * here / count);
                let mut sums = vec![N::default(); (to - from) * width];
                for (row, own) in (from..to).zip(sums.chunks_mut(width)) {
                    loops.row(outer, row, own, left, right);
                }
                Ok::<Vec<N>, Failure>(sums)
            },
        )?;
        pieces.into_iter().for_each(|piece| made.extend(piece));
    }
    Ok(made)
}

/// Adds up one row of the result.
trait Rows {
    fn row<N: Term>(&self, outer: &[usize], row: usize, sums: &mut [N], left: &[N], right: &[N]);
}

impl Rows for Contraction {
    fn row<N: Term>(&self, outer: &[usize], row: usize, sums: &mut [N], left: &[N], right: &[N]) {
        let (mut left_at, mut right_at, mut rest) = (0, 0, row);
        for (axis, &extent) in outer.iter().enumerate().rev() {
            left_at += rest % extent * self.left[axis];
            right_at += rest % extent * self.right[axis];
            rest /= extent;
        }
        let last = outer.len();
        let (left_step, right_step) = (self.left[last], self.right[last]);
        let mut place = vec![0; self.summed.len()];
        for _ in 0..places(&self.summed) {
            let along = |steps: &[usize]| place.iter().zip(&steps[last + 1..]).map(|(at, step)| at * step).sum::<usize>();
            let (x, y) = (left_at + along(&self.left), right_at + along(&self.right));
            // Each sum is added to in the order of the summed axes, whichever loop is the inner one.
            match (left_step, right_step) {
                (0, 1) => add_products(sums, left[x], &right[y..y + sums.len()]),
                (1, 0) => add_products(sums, right[y], &left[x..x + sums.len()]),
                _ => {
                    for (at, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.added(left[x + at * left_step], right[y + at * right_step]);
                    }
                }
            }
            advance(&mut place, &self.summed);
        }
    }
}

#[inline]
fn add_products<N: Term>(sums: &mut [N], one: N, many: &[N]) {
    for (sum, &other) in sums.iter_mut().zip(many) {
        *sum = sum.added(one, other);
    }
}

/// A number that products are added to: integers wrap, and floats are rounded after the product and after the sum.
trait Term: Native + Default + Send + Sync {
    fn added(self, x: Self, y: Self) -> Self;
}

macro_rules! integers {
    ($($N:ident),+) => { $(
        impl Term for $N {
            #[inline(always)]
            fn added(self, x: $N, y: $N) -> $N {
                self.wrapping_add(x.wrapping_mul(y))
            }
        }
    )+ };
}
integers!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

macro_rules! floats {
    ($($N:ident),+) => { $(
        impl Term for $N {
            #[inline(always)]
            fn added(self, x: $N, y: $N) -> $N {
                self + x * y
            }
        }
    )+ };
}
floats!(f32, f64);
