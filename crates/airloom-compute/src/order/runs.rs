//! Rows in order, a part of them at a time, and their order all together.

use super::canonical::canonical;
use super::codes::Codes;
use airloom_ir::attrs::SortKey;
use airloom_ir::types::{TyId, Types};
use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::SortOptions;
use arrow::datatypes::FieldRef;
use arrow::error::ArrowError;
use arrow_row::{RowConverter, Rows, SortField};
use std::cmp::Ordering;
use std::ops::Range;

/// The position of a row: the number of its batch, and its own within it. Positions are in the order of the rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u64);

impl Place {
    #[inline]
    fn new(batch: usize, row: usize) -> Place {
        Place((batch as u64) << 32 | row as u64)
    }

    /// The batch, and the row of it.
    #[inline]
    pub fn parts(self) -> (usize, usize) {
        ((self.0 >> 32) as usize, self.0 as u32 as usize)
    }
}

/// How keys are compared.
pub struct Comparison<'a> {
    /// The types that those of keys are among.
    pub types: &'a Types,
    /// How many columns are the rows' own; their keys come after these.
    pub own: usize,
    /// The types of the keys.
    pub key_types: &'a [TyId],
    /// The direction of each.
    pub by: &'a [SortKey],
}

/// Rows with their keys, before they are in order.
pub enum Unsorted {
    /// By keys of 64 bits.
    Narrow(Vec<(u64, Place)>),
    /// By keys of 128 bits.
    Wide(Vec<(u128, Place)>),
    /// By keys of any length.
    Bytes(Keys),
}

/// Rows in the order of their keys, and of their positions where these are equal.
pub enum Run {
    /// By keys of 64 bits.
    Narrow(Vec<(u64, Place)>),
    /// By keys of 128 bits.
    Wide(Vec<(u128, Place)>),
    /// By keys of any length.
    Bytes(ByBytes),
}

/// What makes keys comparable byte by byte.
pub(super) fn converter(batches: &[RecordBatch], comparison: &Comparison<'_>) -> Result<RowConverter, ArrowError> {
    let field = |(field, by): (&FieldRef, &SortKey)| {
        let options = SortOptions { descending: by.descending, nulls_first: by.nulls_first };
        SortField::new_with_options(field.data_type().clone(), options)
    };
    let fields = |batch: &RecordBatch| batch.schema().fields()[comparison.own..].iter().zip(comparison.by).map(field).collect();
    RowConverter::new(batches.first().map_or_else(Vec::new, fields))
}

/// Keys in a form that is compared byte by byte. No key is the beginning of another.
pub struct Keys {
    keys: Rows,
    /// The number of the first batch, and where the rows of each begin among the keys.
    first: usize,
    starts: Vec<usize>,
    /// How many bytes all of them begin with alike.
    common: usize,
}

impl Keys {
    fn new(batches: &[RecordBatch], first: usize, comparison: &Comparison<'_>) -> Result<Keys, ArrowError> {
        let (converter, own) = (converter(batches, comparison)?, comparison.own);
        let mut keys = converter.empty_rows(0, 0);
        let mut starts = Vec::with_capacity(batches.len());
        for batch in batches {
            starts.push(keys.num_rows());
            converter.append(&mut keys, &batch.columns()[own..].iter().map(canonical).collect::<Vec<ArrayRef>>())?;
        }
        let keys = Keys { keys, first, starts, common: 0 };
        let common = keys.each().next().map_or(0, |(key, _)| keys.common(key));
        Ok(Keys { common, ..keys })
    }

    fn key(&self, place: Place) -> &[u8] {
        let (batch, row) = place.parts();
        self.keys.row(self.starts[batch - self.first] + row).data()
    }

    /// The positions of all rows, each with the bytes of its key.
    fn each(&self) -> impl Iterator<Item = (&[u8], Place)> {
        let ends = self.starts.iter().skip(1).copied().chain([self.keys.num_rows()]);
        let batches = (self.first..).zip(self.starts.iter().zip(ends));
        batches
            .flat_map(move |(batch, (&start, end))| (start..end).map(move |at| (self.keys.row(at).data(), Place::new(batch, at - start))))
    }

    /// How many of the bytes of `prefix` all keys begin with.
    fn common(&self, prefix: &[u8]) -> usize {
        self.each().fold(prefix.len(), |most, (key, _)| common(&prefix[..most], key))
    }
}

/// How many of the bytes of `prefix` a key begins with.
fn common(prefix: &[u8], key: &[u8]) -> usize {
    if key.starts_with(prefix) { prefix.len() } else { prefix.iter().zip(key).take_while(|(a, b)| a == b).count() }
}

/// Some bytes of a key, in the order of keys: mostly they decide.
pub(super) type Beginning = [u64; 3];

/// How many bytes those are.
const BEGINNING: usize = size_of::<Beginning>();

/// The first bytes, as numbers in their order.
fn beginning(bytes: &[u8]) -> Beginning {
    let mut first = [0; BEGINNING];
    let count = bytes.len().min(BEGINNING);
    first[..count].copy_from_slice(&bytes[..count]);
    let word = |at: usize| first[at * 8..].first_chunk().map_or(0, |word| u64::from_be_bytes(*word));
    [word(0), word(1), word(2)]
}

/// Rows by keys of any length, with the bytes of each that come after those that all keys of the sort begin with.
pub struct ByBytes {
    pub(super) entries: Vec<(Beginning, Place)>,
    keys: Keys,
    /// Whether no key has more bytes than those: equal ones are equal keys.
    short: bool,
}

impl ByBytes {
    /// The rows of keys that all begin with the same `skipped` bytes, in order.
    fn new(keys: Keys, skipped: usize) -> ByBytes {
        let mut short = true;
        let entry = |(key, place): (&[u8], Place)| {
            short &= key.len() <= skipped + BEGINNING;
            (beginning(&key[skipped..]), place)
        };
        let mut entries: Vec<(Beginning, Place)> = keys.each().map(entry).collect();
        entries.sort_unstable();
        let mut run = ByBytes { entries, keys, short };
        if !short {
            run.sort_equal(skipped + BEGINNING);
        }
        run
    }

    /// Sorts rows whose beginnings are equal by the bytes from a position on: as many of them as a beginning has, and again those where these are equal too.
    fn sort_equal(&mut self, from: usize) {
        let mut some: Vec<(Beginning, Place)> = Vec::new();
        let mut left: Vec<(Range<usize>, usize)> = equal_ranges(&self.entries, 0).map(|range| (range, from)).collect();
        while let Some((range, from)) = left.pop() {
            let rows = &mut self.entries[range.clone()];
            let mut longer = false;
            some.clear();
            some.extend(rows.iter().map(|&(_, place)| {
                let key = self.keys.key(place);
                longer |= key.len() > from + BEGINNING;
                (beginning(key.get(from..).unwrap_or_default()), place)
            }));
            some.sort_unstable();
            rows.iter_mut().zip(&some).for_each(|(row, (_, place))| row.1 = *place);
            if longer {
                left.extend(equal_ranges(&some, range.start).map(|range| (range, from + BEGINNING)));
            }
        }
    }

    pub(super) fn compare(&self, entry: &(Beginning, Place), other: &ByBytes, theirs: &(Beginning, Place)) -> Ordering {
        let rest = || if self.short && other.short { Ordering::Equal } else { self.keys.key(entry.1).cmp(other.keys.key(theirs.1)) };
        entry.0.cmp(&theirs.0).then_with(rest).then(entry.1.cmp(&theirs.1))
    }
}

/// Where several entries with equal beginnings follow one another, counted from `first` on.
fn equal_ranges(entries: &[(Beginning, Place)], first: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = first;
    entries.chunk_by(|a, b| a.0 == b.0).filter_map(move |equal| {
        let range = start..start + equal.len();
        start = range.end;
        (range.len() > 1).then_some(range)
    })
}

impl Unsorted {
    /// Of batches that follow one another, of which the first has this number.
    pub fn new(batches: &[RecordBatch], first: usize, comparison: &Comparison<'_>) -> Result<Unsorted, ArrowError> {
        let Comparison { types, own, key_types, by } = *comparison;
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for (number, batch) in (first..).zip(batches) {
            let places = (0..batch.num_rows()).map(|row| Place::new(number, row));
            match Codes::of(types, key_types, &batch.columns()[own..], by, batch.num_rows()) {
                Some(Codes::Narrow(codes)) => narrow.extend(codes.into_iter().zip(places)),
                Some(Codes::Wide(codes)) => wide.extend(codes.into_iter().zip(places)),
                None => return Keys::new(batches, first, comparison).map(Unsorted::Bytes),
            }
        }
        Ok(if wide.is_empty() { Unsorted::Narrow(narrow) } else { Unsorted::Wide(wide) })
    }

    /// How many bytes the keys of all these begin with alike.
    pub fn common_prefix(all: &[Unsorted]) -> usize {
        let keys = all.iter().filter_map(|some| if let Unsorted::Bytes(keys) = some { Some(keys) } else { None });
        // Those of each begin alike as far as is known of it: between them one key of each tells.
        let mut prefixes = keys.filter_map(|keys| Some(&keys.each().next()?.0[..keys.common]));
        let Some(first) = prefixes.next() else { return 0 };
        prefixes.fold(first, |prefix, own| &prefix[..common(prefix, own)]).len()
    }

    /// The rows in order. The keys of all rows that they are merged with begin with the same bytes, this many.
    pub fn sorted(self, common_prefix: usize) -> Run {
        match self {
            Unsorted::Narrow(mut entries) => {
                entries.sort_unstable();
                Run::Narrow(entries)
            }
            Unsorted::Wide(mut entries) => {
                entries.sort_unstable();
                Run::Wide(entries)
            }
            Unsorted::Bytes(keys) => Run::Bytes(ByBytes::new(keys, common_prefix)),
        }
    }
}

impl Run {
    /// Of batches that follow one another, which are merged with no others.
    pub fn new(batches: &[RecordBatch], comparison: &Comparison<'_>) -> Result<Run, ArrowError> {
        let unsorted = Unsorted::new(batches, 0, comparison)?;
        let common_prefix = Unsorted::common_prefix(std::slice::from_ref(&unsorted));
        Ok(unsorted.sorted(common_prefix))
    }

    /// The bytes it takes.
    pub fn size(&self) -> usize {
        match self {
            Run::Narrow(entries) => size_of_val(entries.as_slice()),
            Run::Wide(entries) => size_of_val(entries.as_slice()),
            Run::Bytes(run) => size_of_val(run.entries.as_slice()) + run.keys.keys.size(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cuts;
    use super::{Comparison, Run, Unsorted};
    use airloom_ir::attrs::SortKey;
    use airloom_ir::types::{TyId, Types};
    use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringViewArray};
    use std::sync::Arc;

    type Row = (Option<String>, i64);

    /// Texts of every length about where beginnings end, many of them equal, with the same beginning or without one; and nulls.
    fn rows(count: usize, prefix: &str) -> Vec<Row> {
        let text = |row: usize| (row % 7 != 2).then(|| format!("{prefix}{}{}", "y".repeat(row * 31 % 60), row * 13 % 5));
        (0..count).map(|row| (text(row), (row * 7919 % 11) as i64)).collect()
    }

    fn batch(rows: &[Row]) -> RecordBatch {
        let texts: ArrayRef = Arc::new(rows.iter().map(|(text, _)| text.as_deref()).collect::<StringViewArray>());
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|(_, number)| *number)));
        RecordBatch::try_from_iter_with_nullable([("t", texts, true), ("n", numbers, false)]).expect("columns of one length")
    }

    #[test]
    fn rows_are_in_the_order_of_their_keys_and_then_of_their_positions() {
        let mut types = Types::new();
        let key_types = [types.option(TyId::STR), TyId::I64];
        for (prefix, descending) in [("", false), ("", true), ("one beginning of all, long enough for two: ", false), ("a", true)] {
            let by = [SortKey { descending, nulls_first: false }, SortKey { descending: false, nulls_first: false }];
            let comparison = Comparison { types: &types, own: 0, key_types: &key_types, by: &by };
            let all = rows(700, prefix);
            let batches: Vec<RecordBatch> = all.chunks(90).map(batch).collect();
            for runs in [1, 2, 3] {
                let share = batches.len().div_ceil(runs);
                let unsorted: Vec<Unsorted> = (0..batches.len())
                    .step_by(share)
                    .map(|first| {
                        Unsorted::new(&batches[first..batches.len().min(first + share)], first, &comparison).expect("keys of rows")
                    })
                    .collect();
                let common = Unsorted::common_prefix(&unsorted);
                let sorted: Vec<Run> = unsorted.into_iter().map(|some| some.sorted(common)).collect();
                let cuts = Cuts::new(&sorted, 3);
                let found = (0..4).flat_map(|part| cuts.places(&sorted, part));
                let found: Vec<usize> = found.map(|place| place.parts()).map(|(batch, row)| batch * 90 + row).collect();
                let mut expected: Vec<usize> = (0..all.len()).collect();
                expected.sort_by(|&a, &b| {
                    let texts = match (&all[a].0, &all[b].0) {
                        (Some(a), Some(b)) if descending => b.cmp(a),
                        (Some(a), Some(b)) => a.cmp(b),
                        (a, b) => a.is_none().cmp(&b.is_none()),
                    };
                    texts.then(all[a].1.cmp(&all[b].1)).then(a.cmp(&b))
                });
                assert_eq!(found, expected, "{prefix:?}, descending: {descending}, {runs} runs");
            }
        }
    }
}
