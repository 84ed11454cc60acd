//! Columns of numbers, dates and times.

use super::ColumnFacts;
use super::cell::Cell;
use super::distinct::{SAMPLE, Set, Sketch, from_sample, mix, sample_places};
use super::order::Follow;
use arrow::array::{Array, ArrowPrimitiveType, PrimitiveArray};
use std::cmp::Ordering;

/// Up to this many rows every value is counted; beyond, a sample.
const COUNT_ALL: u64 = 1 << 24;
/// Up to this many rows a set of all values is worth building to prove that no two are the same.
const PROVE_UNIQUE: u64 = 1 << 22;
/// A column whose values span no more than this is counted exactly, by a bit for each value.
const SPAN: i128 = 1 << 27;

pub(crate) fn look<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>], facts: &mut ColumnFacts)
where
    T::Native: Cell,
{
    let values = facts.rows - facts.nulls;
    let (least, greatest) = extremes(chunks);
    let nan = chunks.iter().any(|chunk| has_nan(chunk));
    if !nan {
        facts.min = least.map(Cell::value);
        facts.max = greatest.map(Cell::value);
    }
    facts.order = order(chunks);
    if let Some(order) = facts.order {
        facts.unique = order.strict;
        facts.distinct = Some(order.distinct);
        return;
    }
    let null = u64::from(facts.nulls > 0);
    let span = least.and_then(Cell::whole).zip(greatest.and_then(Cell::whole)).map(|(low, high)| (low, high - low));
    if let Some((low, span)) = span.filter(|(_, span)| *span < SPAN && *span < 16 * i128::from(values) + 4096) {
        let counted = count_bits(chunks, low, span as usize);
        facts.distinct = Some(counted + null);
        facts.unique = counted == values && facts.nulls <= 1;
        return;
    }
    let estimate = estimate(chunks, facts.rows, values);
    let most = span.map_or(f64::INFINITY, |(_, span)| span as f64 + 1.0);
    facts.distinct = Some(estimate.min(values as f64).min(most).round() as u64 + null);
    facts.unique = estimate >= 0.9 * values as f64 && facts.nulls <= 1 && values <= PROVE_UNIQUE && all_differ(chunks);
}

/// The minimum and the maximum. Separate from `order`, so that the compiler vectorises both loops.
fn extremes<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>]) -> (Option<T::Native>, Option<T::Native>)
where
    T::Native: Cell,
{
    let least = chunks.iter().filter_map(|chunk| arrow::compute::min(*chunk)).reduce(|a, b| if b.order(a).is_lt() { b } else { a });
    let greatest = chunks.iter().filter_map(|chunk| arrow::compute::max(*chunk)).reduce(|a, b| if b.order(a).is_gt() { b } else { a });
    (least, greatest)
}

fn has_nan<T: ArrowPrimitiveType>(chunk: &PrimitiveArray<T>) -> bool
where
    T::Native: Cell,
{
    if !T::DATA_TYPE.is_floating() {
        return false;
    }
    match chunk.nulls() {
        None => chunk.values().iter().any(|value| value.is_nan()),
        Some(_) => chunk.iter().flatten().any(Cell::is_nan),
    }
}

fn order<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>]) -> Option<super::Order>
where
    T::Native: Cell,
{
    let mut follow = Follow::new();
    let mut last: Option<T::Native> = None;
    for chunk in chunks {
        if chunk.null_count() > 0 {
            for value in chunk.iter() {
                match value {
                    None => follow.null(),
                    Some(value) => {
                        follow.value(last.map(|last| value.order(last)));
                        last = Some(value);
                    }
                }
                if !follow.sorted() {
                    return None;
                }
            }
            continue;
        }
        let values = chunk.values();
        if let Some(&first) = values.first() {
            follow.value(last.map(|last| first.order(last)));
        }
        // A block without a branch in it, then one question: an unsorted column is left after a few hundred values.
        for start in (0..values.len().saturating_sub(1)).step_by(512) {
            let block = &values[start..values.len().min(start + 513)];
            let (mut fell, mut rose, mut changes) = (0u64, 0u64, 0u64);
            for pair in block.windows(2) {
                let to_last = pair[1].order(pair[0]);
                fell += u64::from(to_last == Ordering::Less);
                rose += u64::from(to_last == Ordering::Greater);
            }
            changes += fell + rose;
            let compared = block.len() as u64 - 1;
            follow.values(compared, fell > 0, rose > 0, changes, compared);
            if !follow.sorted() {
                return None;
            }
        }
        last = values.last().copied().or(last);
    }
    follow.finish()
}

/// How many different integers there are between `low` and `low + span`.
fn count_bits<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>], low: i128, span: usize) -> u64
where
    T::Native: Cell,
{
    let mut seen = vec![0u64; span / 64 + 1];
    let mut mark = |value: T::Native| {
        let at = (value.bits() as u64).wrapping_sub(low as u64) as usize;
        seen[at / 64] |= 1 << (at % 64);
    };
    for chunk in chunks {
        match chunk.nulls() {
            None => chunk.values().iter().copied().for_each(&mut mark),
            Some(_) => chunk.iter().flatten().for_each(&mut mark),
        }
    }
    seen.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn estimate<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>], rows: u64, values: u64) -> f64
where
    T::Native: Cell,
{
    if rows > COUNT_ALL {
        let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.len()).collect();
        let mut hashes = Vec::with_capacity(SAMPLE);
        each_sampled(&lengths, SAMPLE, |chunk, row| {
            if chunks[chunk].is_valid(row) {
                hashes.push(mix(chunks[chunk].value(row).bits()));
            }
        });
        return from_sample(hashes, values);
    }
    let mut sketch = Sketch::new();
    for chunk in chunks {
        match chunk.nulls() {
            None => chunk.values().iter().for_each(|value| sketch.add(mix(value.bits()))),
            Some(_) => chunk.iter().flatten().for_each(|value| sketch.add(mix(value.bits()))),
        }
    }
    sketch.estimate()
}

fn all_differ<T: ArrowPrimitiveType>(chunks: &[&PrimitiveArray<T>]) -> bool
where
    T::Native: Cell,
{
    // Whether floats are all different is never asked: two are hardly ever the same.
    if T::DATA_TYPE.is_floating() {
        return false;
    }
    let mut seen = Set::with_capacity_and_hasher(chunks.iter().map(|chunk| chunk.len()).sum(), Default::default());
    chunks.iter().all(|chunk| chunk.iter().flatten().all(|value| seen.insert(value.bits())))
}

/// The positions of a sample over chunks of these lengths: chunk and row within it.
pub(crate) fn each_sampled(lengths: &[usize], count: usize, mut visit: impl FnMut(usize, usize)) {
    let (mut chunk, mut before) = (0, 0);
    for place in sample_places(lengths.iter().sum(), count) {
        while place >= before + lengths[chunk] {
            before += lengths[chunk];
            chunk += 1;
        }
        visit(chunk, place - before);
    }
}
