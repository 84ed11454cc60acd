//! Ranges of keys: rows are dealt out to them before they are sorted, and the rows of one range come before those of the next.

use super::canonical::canonical;
use super::codes::Codes;
use super::runs::{Comparison, converter};
use arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use arrow::compute::take_record_batch;
use arrow::error::ArrowError;
use arrow_row::RowConverter;

/// How many rows are looked at for each range, to find where ranges begin.
const SAMPLES: usize = 64;

/// Where ranges of keys begin.
pub enum Ranges {
    /// By keys of 64 bits.
    Narrow(Vec<Bound<u64>>),
    /// By keys of 128 bits.
    Wide(Vec<Bound<u128>>),
    /// By keys of any length.
    Bytes(Vec<Bound<Box<[u8]>>>, RowConverter),
}

/// A key where a range ends and the next begins.
pub struct Bound<K> {
    key: K,
    /// Whether rows with this very key are before it. A key that many rows have is a bound twice: the range between has no other.
    after: bool,
}

impl Ranges {
    /// At most `count` ranges with about as many rows of some batches each.
    pub fn new(batches: &[RecordBatch], comparison: &Comparison<'_>, count: usize) -> Result<Ranges, ArrowError> {
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        let step = (rows / (SAMPLES * count)).max(1);
        let (mut narrow, mut wide, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let converter = converter(batches, comparison)?;
        let mut before = 0;
        for batch in batches {
            // Rows at a distance, as if the batches were one.
            let first = (step - before % step) % step;
            let rows = UInt64Array::from_iter_values((first..batch.num_rows()).step_by(step).map(|row| row as u64));
            before += batch.num_rows();
            let sample = take_record_batch(batch, &rows)?;
            match codes(&sample, comparison) {
                Some(Codes::Narrow(codes)) => narrow.extend(codes),
                Some(Codes::Wide(codes)) => wide.extend(codes),
                None => {
                    let rows = converter.convert_columns(&keys(&sample, comparison))?;
                    bytes.extend(rows.iter().map(|row| Box::<[u8]>::from(row.data())));
                }
            }
        }
        Ok(if !bytes.is_empty() {
            Ranges::Bytes(bounds(bytes, count), converter)
        } else if !wide.is_empty() {
            Ranges::Wide(bounds(wide, count))
        } else {
            Ranges::Narrow(bounds(narrow, count))
        })
    }

    /// The range of each row of a batch.
    pub fn of(&self, batch: &RecordBatch, comparison: &Comparison<'_>) -> Result<Vec<u8>, ArrowError> {
        Ok(match (self, codes(batch, comparison)) {
            // Without a sample there is one range.
            (Ranges::Narrow(bounds), _) if bounds.is_empty() => vec![0; batch.num_rows()],
            (Ranges::Narrow(bounds), Some(Codes::Narrow(codes))) => codes.iter().map(|code| range(bounds, |key| key.cmp(code))).collect(),
            (Ranges::Wide(bounds), Some(Codes::Wide(codes))) => codes.iter().map(|code| range(bounds, |key| key.cmp(code))).collect(),
            (Ranges::Bytes(bounds, converter), None) => {
                let rows = converter.convert_columns(&keys(batch, comparison))?;
                rows.iter().map(|row| range(bounds, |key| key.as_ref().cmp(row.data()))).collect()
            }
            _ => panic!("invariant `keys of one sort have one form`"),
        })
    }

    /// Whether keys are numbers of at most 128 bits: finding the range of a row costs little.
    pub fn are_short(&self) -> bool {
        !matches!(self, Ranges::Bytes(..))
    }

    /// Whether all rows of a range have the same key.
    pub fn is_one_key(&self, range: usize) -> bool {
        match self {
            Ranges::Narrow(bounds) => is_one_key(bounds, range),
            Ranges::Wide(bounds) => is_one_key(bounds, range),
            Ranges::Bytes(bounds, _) => is_one_key(bounds, range),
        }
    }
}

fn codes(batch: &RecordBatch, comparison: &Comparison<'_>) -> Option<Codes> {
    let Comparison { types, own, key_types, by } = *comparison;
    Codes::of(types, key_types, &batch.columns()[own..], by, batch.num_rows())
}

fn keys(batch: &RecordBatch, comparison: &Comparison<'_>) -> Vec<ArrayRef> {
    batch.columns()[comparison.own..].iter().map(canonical).collect()
}

/// Bounds of up to `count` ranges of about as many of the keys each.
fn bounds<K: Ord + Clone>(mut keys: Vec<K>, count: usize) -> Vec<Bound<K>> {
    keys.sort_unstable();
    let mut bounds: Vec<Bound<K>> = Vec::new();
    for at in (1..count).map(|number| number * keys.len() / count).filter(|&at| at < keys.len()) {
        match bounds.last_mut() {
            Some(last) if last.key == keys[at] => {
                let again = !last.after;
                if again {
                    bounds.push(Bound { key: keys[at].clone(), after: true });
                }
            }
            _ => bounds.push(Bound { key: keys[at].clone(), after: false }),
        }
    }
    bounds
}

/// How many bounds come before a key, given how each of them compares with it.
#[inline]
fn range<K>(bounds: &[Bound<K>], compared: impl Fn(&K) -> std::cmp::Ordering) -> u8 {
    bounds.partition_point(|bound| if bound.after { compared(&bound.key).is_lt() } else { compared(&bound.key).is_le() }) as u8
}

fn is_one_key<K: Eq>(bounds: &[Bound<K>], range: usize) -> bool {
    matches!((range.checked_sub(1).and_then(|at| bounds.get(at)), bounds.get(range)), (Some(low), Some(high)) if low.key == high.key)
}

#[cfg(test)]
mod tests {
    use super::{bounds, is_one_key, range};

    #[test]
    fn ranges_are_even_and_a_common_key_has_its_own() {
        let even = bounds((0..1000u64).collect(), 10);
        assert_eq!((0..1000u64).map(|key| usize::from(range(&even, |bound| bound.cmp(&key)))).filter(|&at| at == 3).count(), 100);
        assert!((0..10).all(|at| !is_one_key(&even, at)));
        let skewed = bounds((0..1000u64).map(|key| if key < 700 { 7 } else { key }).collect(), 10);
        let of = |key: u64| usize::from(range(&skewed, |bound| bound.cmp(&key)));
        assert!(is_one_key(&skewed, of(7)) && of(6) < of(7) && of(7) < of(8) && !is_one_key(&skewed, of(8)));
        assert_eq!(range(&bounds(Vec::<u64>::new(), 5), |bound| bound.cmp(&3)), 0);
    }
}
