//! Dynamic filters: a bitmap of one build key between its minimum and maximum, or of the hashes of keys that are far apart. Probe-side rows whose key is not in it
//! need not be read.

use super::hash::Hashing;
use crate::data::parallel_map;
use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::buffer::{BooleanBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use std::convert::Infallible;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The values of one build key, once they are published. Before that, and where they are too far apart, nothing is known.
#[derive(Default)]
pub struct DynamicFilter(OnceLock<Values>);

/// Integers between two others.
struct Values {
    min: i64,
    bits: Bits,
    /// Whether null is one of them.
    null: bool,
}

enum Bits {
    /// A bit for each integer from the min on.
    Each(BooleanBuffer),
    /// A bit for each hash, by its highest bits: integers that are not there may have the bit of one that is. And the max.
    Hashed { words: Vec<u64>, shift: u32, max: i64 },
}

impl Bits {
    /// The bit of an integer's hash: its word, and its place there.
    #[inline]
    fn hashed(number: i64, shift: u32) -> (usize, u32) {
        let bit = Hashing::Mixed.narrow(number as u64) >> shift;
        ((bit / 64) as usize, (bit % 64) as u32)
    }
}

/// The most bits, whatever the number of rows: two megabytes.
const FEW: u64 = 1 << 24;
/// How many bits there may be for each row, and at most.
const SPREAD: u64 = 256;
const MOST: u64 = 1 << 30;
/// Of integers that are further apart there are this many hashes for each, so that few of the others pass; and at most this many rows, whose bits are two megabytes.
const HASHES: usize = 16;
const HASHED_ROWS: usize = 1 << 20;
/// From how many rows on several threads insert them, and from how many threads on that is faster than one.
const MANY: usize = 1 << 15;
const THREADS: usize = 4;

impl DynamicFilter {
    /// Inserts the values of a column, which is in pieces, by up to `threads` threads. Where nulls equal nothing, they are not among them.
    pub fn insert(&self, column: &[ArrayRef], nulls_equal: bool, threads: usize) {
        let Some(numbers) = column.iter().map(whole_numbers).collect::<Option<Vec<_>>>() else { return };
        let rows: usize = numbers.iter().map(Array::len).sum();
        let nulls: usize = numbers.iter().map(Array::null_count).sum();
        let null = nulls_equal && nulls > 0;
        if nulls == rows {
            self.0.get_or_init(|| Values { min: 0, bits: Bits::Each(BooleanBuffer::new_unset(0)), null });
            return;
        }
        let threads = if rows < MANY || threads < THREADS { 1 } else { threads };
        let ends = |(): &mut (), piece: usize| {
            let known = numbers[piece].iter().flatten();
            Ok(known.fold((i64::MAX, i64::MIN), |(min, max), n| (min.min(n), max.max(n))))
        };
        let ends = parallel_map(threads, numbers.len(), || (), ends).unwrap_or_else(|never: Infallible| match never {});
        let (min, max) = ends.into_iter().fold((i64::MAX, i64::MIN), |(min, max), (low, high)| (min.min(low), max.max(high)));
        let width = max.abs_diff(min).saturating_add(1);
        if width > FEW.max((rows as u64).saturating_mul(SPREAD)).min(MOST) {
            if rows <= HASHED_ROWS {
                self.0.get_or_init(|| Values { min, bits: hashed_bits(&numbers, rows, max), null });
            }
            return;
        }
        let words = bits_of(&numbers, min, width, threads);
        let present = BooleanBuffer::new(ScalarBuffer::from(words).into_inner(), 0, width as usize);
        self.0.get_or_init(|| Values { min, bits: Bits::Each(present), null });
    }

    /// The bytes it takes.
    pub fn size(&self) -> usize {
        self.0.get().map_or(0, |values| match &values.bits {
            Bits::Each(present) => present.len() / 8,
            Bits::Hashed { words, .. } => words.len() * 8,
        })
    }

    /// Whether anything is known.
    pub fn is_ready(&self) -> bool {
        self.0.get().is_some()
    }

    /// Whether it lets through what it holds, and nothing else.
    pub fn is_exact(&self) -> bool {
        self.0.get().is_some_and(|values| matches!(values.bits, Bits::Each(_)))
    }

    /// For each row of a column whether its value may be in the filter; `None` where nothing is known.
    pub fn among(&self, column: &ArrayRef) -> Option<BooleanBuffer> {
        let values = self.0.get()?;
        let numbers = whole_numbers(column)?;
        let plain = numbers.values();
        let found = match &values.bits {
            Bits::Each(present) => {
                let width = present.len() as u64;
                let has = |number: i64| {
                    let at = (number as u64).wrapping_sub(values.min as u64);
                    at < width && present.value(at as usize)
                };
                BooleanBuffer::collect_bool(plain.len(), |row| has(plain[row]))
            }
            Bits::Hashed { words, shift, max } => {
                let has = |number: i64| {
                    let (word, bit) = Bits::hashed(number, *shift);
                    (values.min <= number) & (number <= *max) & (words[word] >> bit & 1 == 1)
                };
                BooleanBuffer::collect_bool(plain.len(), |row| has(plain[row]))
            }
        };
        Some(match numbers.nulls() {
            None => found,
            Some(nulls) if values.null => &found | &!nulls.inner(),
            Some(nulls) => &found & nulls.inner(),
        })
    }
}

/// A bit for the hash of each number that occurs.
fn hashed_bits(pieces: &[Int64Array], rows: usize, max: i64) -> Bits {
    let bits = (rows * HASHES).next_power_of_two().max(1 << 12);
    let (mut words, shift) = (vec![0u64; bits / 64], u64::BITS - bits.trailing_zeros());
    for number in pieces.iter().flat_map(|piece| piece.iter().flatten()) {
        let (word, bit) = Bits::hashed(number, shift);
        words[word] |= 1 << bit;
    }
    Bits::Hashed { words, shift, max }
}

/// A bit for each number between two others that occurs.
fn bits_of(pieces: &[Int64Array], min: i64, width: u64, threads: usize) -> Vec<u64> {
    if threads == 1 {
        let mut words = vec![0u64; width.div_ceil(64) as usize];
        for number in pieces.iter().flat_map(|piece| piece.iter().flatten()) {
            let at = number.abs_diff(min);
            words[(at / 64) as usize] |= 1 << (at % 64);
        }
        return words;
    }
    let words: Vec<AtomicU64> = (0..width.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
    let set = |(): &mut (), piece: usize| {
        for number in pieces[piece].iter().flatten() {
            let at = number.abs_diff(min);
            let (word, bit) = (&words[(at / 64) as usize], 1 << (at % 64));
            // Most bits are set already where keys are duplicates; looking is cheaper than setting.
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    parallel_map(threads, pieces.len(), || (), set).map_or_else(|never: Infallible| match never {}, drop);
    words.into_iter().map(AtomicU64::into_inner).collect()
}

impl fmt::Debug for DynamicFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynamicFilter({})", if self.is_ready() { "ready" } else { "nothing yet" })
    }
}

/// Whether a dynamic filter can hold values of a type.
pub fn is_filterable(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::Date32
    )
}

/// A column of integers in one type for all of them.
fn whole_numbers(column: &ArrayRef) -> Option<Int64Array> {
    match column.data_type() {
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().clone()),
        // There is no way from dates to numbers of 64 bits but by those of 32.
        DataType::Date32 => whole_numbers(&cast(column, &DataType::Int32).ok()?),
        other if is_filterable(other) => cast(column, &DataType::Int64).ok().map(|numbers| numbers.as_primitive::<Int64Type>().clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::DynamicFilter;
    use arrow::array::{ArrayRef, Date32Array, Int64Array};
    use std::sync::Arc;

    fn column(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    fn among(learned: &DynamicFilter, values: &[Option<i64>]) -> Option<Vec<bool>> {
        learned.among(&column(values)).map(|found| found.iter().collect())
    }

    #[test]
    fn values_are_found_among_those_learned() {
        let asked = [Some(-5), Some(-4), Some(0), Some(70), Some(71), None, Some(i64::MIN), Some(i64::MAX)];
        let learned = DynamicFilter::default();
        assert_eq!(among(&learned, &asked), None);
        learned.insert(&[column(&[Some(70), None, Some(-5), Some(70)])], false, 4);
        assert_eq!(among(&learned, &asked), Some(vec![true, false, false, true, false, false, false, false]));
        let with_null = DynamicFilter::default();
        with_null.insert(&[column(&[Some(0), None])], true, 4);
        assert_eq!(among(&with_null, &asked), Some(vec![false, false, true, false, false, true, false, false]));
    }

    #[test]
    fn nothing_gathered_lets_nothing_through() {
        let (learned, nulls) = (DynamicFilter::default(), DynamicFilter::default());
        learned.insert(&[column(&[])], true, 4);
        assert_eq!(among(&learned, &[Some(0), None]), Some(vec![false, false]));
        nulls.insert(&[column(&[None])], true, 4);
        assert_eq!(among(&nulls, &[Some(0), None]), Some(vec![false, true]));
    }

    #[test]
    fn of_values_far_apart_few_others_pass() {
        let learned = DynamicFilter::default();
        let values: Vec<Option<i64>> =
            (0..1000).map(|n: i64| Some(n.wrapping_mul(0x2545_f491_4f6c_dd1d))).chain([None, Some(i64::MIN), Some(i64::MAX)]).collect();
        learned.insert(&[column(&values[..400]), column(&values[400..])], false, 4);
        assert!(learned.is_ready() && !learned.is_exact());
        let found = among(&learned, &values).expect("ready");
        assert!(found.iter().zip(&values).all(|(found, value)| *found == value.is_some()), "what is there passes, and null does not");
        let others: Vec<Option<i64>> = (1000..11_000).map(|n: i64| Some(n.wrapping_mul(0x2545_f491_4f6c_dd1d))).collect();
        let passed = among(&learned, &others).expect("ready").into_iter().filter(|found| *found).count();
        assert!(passed < 1500, "{passed} of 10,000");
    }

    #[test]
    fn too_many_values_far_apart_are_not_learned() {
        let learned = DynamicFilter::default();
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values((0..(1i64 << 20) + 1).map(|n| n << 40)));
        learned.insert(&[values], false, 1);
        assert!(!learned.is_ready());
    }

    #[test]
    fn dates_are_whole_numbers() {
        let learned = DynamicFilter::default();
        learned.insert(&[Arc::new(Date32Array::from(vec![9000, 9001])) as ArrayRef], false, 4);
        let asked: ArrayRef = Arc::new(Date32Array::from(vec![8999, 9001]));
        assert_eq!(learned.among(&asked).map(|found| found.iter().collect::<Vec<_>>()), Some(vec![false, true]));
    }
}
