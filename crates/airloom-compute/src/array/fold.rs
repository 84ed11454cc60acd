//! Folds of loops: elements are computed on every thread, and combined so that the answer does not depend on how many there are.

use super::call::ArrayCall;
use super::combine::Combiner;
use super::element_loop::{ElementLoop, Own, chunks};
use super::make::CHUNK;
use crate::data::native::{Native, Width, by_width};
use crate::data::{Failure, FloatExceptions, Vector, value_at, values_to_array};
use crate::reduce::Number;
use airloom_ir::oracle::formula::{PAIRWISE_BLOCK, pairwise, pairwise_half};
use airloom_ir::types::{Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{Array, ArrayRef};
use std::ops::Range;

/// How many runs of elements are held at once where they are combined one after the other.
const HELD: usize = 64;

/// The elements of a loop over `size` positions, at least one, combined with an initial value; `None` where it is done row by row: where the combiner is more than an op
/// on numbers, or something raises.
pub(super) fn in_rows(call: &ArrayCall<'_>, own: &Own, size: usize, initial: &Value, ty: TyId) -> Result<Option<Value>, Failure> {
    let (Some(combiner), Some(body)) = (Combiner::of(call, call.bodies[1], ty), ElementLoop::new(call, 0, own, size)) else {
        return Ok(None);
    };
    let plain = call.types.plain(ty);
    let ranges = chunks(size);
    if combiner.associates(plain) {
        call.run.spend(size as u64)?;
        let types = call.types;
        let partial = |number: usize, vector: Vector| Ok(folded(types, combiner, ty, &vector.to_array(types, ty, ranges[number].len())));
        let Some(partial) = heard(body.over(&ranges, partial))? else { return Ok(None) };
        let partial: Option<Vec<Value>> = partial.into_iter().map(Option::flatten).collect();
        return Ok(partial.and_then(|partial| combiner.fold(plain, initial, &values_to_array(call.types, ty, &partial))));
    }
    let mut so_far = initial.clone();
    for held in ranges.chunks(HELD) {
        call.run.spend(held.iter().map(|range| range.len() as u64).sum())?;
        let types = call.types;
        let items = |at: usize, vector: Vector| Ok(vector.to_array(types, ty, held[at].len()));
        let Some(made) = heard(body.over(held, items))? else { return Ok(None) };
        let (folded, raised) = FloatExceptions::of(|| {
            let fold = |so_far: Value, items: Option<ArrayRef>| combiner.fold(plain, &so_far, &items?);
            made.into_iter().try_fold(so_far.clone(), fold)
        });
        body.noted(raised);
        let Some(folded) = folded else { return Ok(None) };
        so_far = folded;
    }
    Ok(Some(so_far))
}

/// The elements combined by halves, then the initial value with the result; `None` as for [`in_rows`].
pub(super) fn by_halves(call: &ArrayCall<'_>, own: &Own, size: usize, initial: &Value, ty: TyId) -> Result<Option<Value>, Failure> {
    let Some(combiner) = Combiner::of(call, call.bodies[1], ty) else { return Ok(None) };
    let (Some(width), false) = (Width::of(call.types.get(ty)), matches!(combiner, Combiner::And | Combiner::Or)) else { return Ok(None) };
    let Some(body) = ElementLoop::new(call, 0, own, size) else { return Ok(None) };
    let (types, ranges) = (call.types, halves(size));
    call.run.spend(size as u64)?;
    by_width!(width, N => {
        let total = |number: usize, vector: Vector| {
            let items = vector.to_array(types, ty, ranges[number].len());
            Ok(N::numbers(&items).filter(|_| items.null_count() == 0).map(|numbers| combined(combiner, &numbers)))
        };
        let Some(made) = heard(body.over(&ranges, total))? else { return Ok(None) };
        let Some(totals) = made.into_iter().map(Option::flatten).collect::<Option<Vec<N>>>() else { return Ok(None) };
        let Some(initial) = N::of(initial) else { return Ok(None) };
        let (total, raised) = FloatExceptions::of(|| combiner.apply(initial, joined(combiner, size, &mut totals.into_iter())));
        body.noted(raised);
        Ok(Some(total.value()))
    })
}

/// What is raised is heard row by row, in order, so here it is nothing.
fn heard<T>(made: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(Failure::Raised(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Elements, at least one, combined one after the other.
fn folded(types: &Types, combiner: Combiner, ty: TyId, items: &ArrayRef) -> Option<Value> {
    let first = value_at(types, ty, items, 0);
    combiner.fold(types.plain(ty), &first, &items.slice(1, items.len() - 1))
}

/// The runs of elements that are halves of halves of all, as far down as fits in the cache.
fn halves(size: usize) -> Vec<Range<usize>> {
    let (mut found, mut stack) = (Vec::new(), Vec::from([(0, size)]));
    while let Some((start, end)) = stack.pop() {
        if end - start <= CHUNK {
            found.push(start..end);
            continue;
        }
        let middle = start + pairwise_half(end - start);
        stack.extend([(middle, end), (start, middle)]);
    }
    found
}

/// The results of the runs that [`halves`] gives, combined. It recurses as deep as the logarithm of their number.
fn joined<N: Number>(combiner: Combiner, size: usize, totals: &mut impl Iterator<Item = N>) -> N {
    if size <= CHUNK {
        return totals.next().expect("invariant `every run has a result`");
    }
    let half = pairwise_half(size);
    let first = joined(combiner, half, totals);
    let second = joined(combiner, size - half, totals);
    combiner.apply(first, second)
}

/// Numbers, at least one, combined by halves.
fn combined<N: Number>(combiner: Combiner, numbers: &[N]) -> N {
    if combiner == Combiner::Add {
        return added(numbers);
    }
    let combine = &mut |left: &N, right: &N| Ok::<N, std::convert::Infallible>(combiner.apply(*left, *right));
    let Ok(found) = pairwise(numbers, combine);
    found.expect("a run has elements")
}

/// As [`combined`], for sums: eight partial results are a vector.
fn added<N: Number>(numbers: &[N]) -> N {
    if numbers.len() > PAIRWISE_BLOCK {
        let (first, second) = numbers.split_at(pairwise_half(numbers.len()));
        return added(first).plus(added(second));
    }
    let mut turns = numbers.chunks_exact(8);
    let Some(first) = turns.next() else {
        let (first, rest) = numbers.split_first().expect("a run has elements");
        return rest.iter().fold(*first, |sum, &x| sum.plus(x));
    };
    let mut partial: [N; 8] = std::array::from_fn(|at| first[at]);
    for turn in &mut turns {
        for (sum, &x) in partial.iter_mut().zip(turn) {
            *sum = sum.plus(x);
        }
    }
    let [a, b, c, d, e, f, g, h] = partial;
    let sum = a.plus(b).plus(c.plus(d)).plus(e.plus(f).plus(g.plus(h)));
    turns.remainder().iter().fold(sum, |sum, &x| sum.plus(x))
}

impl Combiner {
    /// Whether the order of combining does not matter, to the bit.
    fn associates(self, ty: &Ty) -> bool {
        !matches!((self, ty), (Combiner::Add | Combiner::Mul, Ty::F32 | Ty::F64))
    }
}
