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

/// Rows in the order of their keys, and of their positions where these are equal.
pub enum Run {
    /// By keys of 64 bits.
    Narrow(Vec<(u64, Place)>),
    /// By keys of 128 bits.
    Wide(Vec<(u128, Place)>),
    /// By keys of any length.
    Bytes(ByBytes),
}

/// Rows by keys in a form that is compared byte by byte; with its first bytes, which mostly decide.
pub struct ByBytes {
    entries: Vec<(u128, Place)>,
    keys: Rows,
    /// Whether the first bytes are all there are, in each key: no key is the beginning of another, so that equal ones are equal keys.
    short: bool,
    /// The number of the first batch, and where the rows of each begin among the keys.
    first: usize,
    starts: Vec<usize>,
}

impl ByBytes {
    fn new(batches: &[RecordBatch], first: usize, own: usize, by: &[SortKey]) -> Result<ByBytes, ArrowError> {
        let field = |(field, by): (&FieldRef, &SortKey)| {
            let options = SortOptions { descending: by.descending, nulls_first: by.nulls_first };
            SortField::new_with_options(field.data_type().clone(), options)
        };
        let fields = batches.first().map_or_else(Vec::new, |batch| batch.schema().fields()[own..].iter().zip(by).map(field).collect());
        let converter = RowConverter::new(fields)?;
        let mut keys = converter.empty_rows(0, 0);
        let (mut entries, mut starts) = (Vec::new(), Vec::with_capacity(batches.len()));
        let mut short = true;
        for (number, batch) in (first..).zip(batches) {
            let start = keys.num_rows();
            starts.push(start);
            converter.append(&mut keys, &batch.columns()[own..].iter().map(canonical).collect::<Vec<ArrayRef>>())?;
            entries.extend((0..batch.num_rows()).map(|row| {
                let key = keys.row(start + row).data();
                short &= key.len() <= size_of::<u128>();
                (beginning(key), Place::new(number, row))
            }));
        }
        let mut run = ByBytes { entries: Vec::new(), keys, short, first, starts };
        entries.sort_unstable_by(|a, b| run.compare(a, &run, b));
        run.entries = entries;
        Ok(run)
    }

    fn key(&self, place: Place) -> &[u8] {
        let (batch, row) = place.parts();
        self.keys.row(self.starts[batch - self.first] + row).data()
    }

    fn compare(&self, entry: &(u128, Place), other: &ByBytes, theirs: &(u128, Place)) -> Ordering {
        let rest = || if self.short && other.short { Ordering::Equal } else { self.key(entry.1).cmp(other.key(theirs.1)) };
        entry.0.cmp(&theirs.0).then_with(rest).then(entry.1.cmp(&theirs.1))
    }
}

impl Run {
    /// Of batches that follow one another, of which the first has this number.
    pub fn new(batches: &[RecordBatch], first: usize, comparison: &Comparison<'_>) -> Result<Run, ArrowError> {
        let Comparison { types, own, key_types, by } = *comparison;
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for (number, batch) in (first..).zip(batches) {
            let places = (0..batch.num_rows()).map(|row| Place::new(number, row));
            match Codes::of(types, key_types, &batch.columns()[own..], by, batch.num_rows()) {
                Some(Codes::Narrow(codes)) => narrow.extend(codes.into_iter().zip(places)),
                Some(Codes::Wide(codes)) => wide.extend(codes.into_iter().zip(places)),
                None => return ByBytes::new(batches, first, own, by).map(Run::Bytes),
            }
        }
        narrow.sort_unstable();
        wide.sort_unstable();
        Ok(if wide.is_empty() { Run::Narrow(narrow) } else { Run::Wide(wide) })
    }

    /// The bytes it takes.
    pub fn size(&self) -> usize {
        match self {
            Run::Narrow(entries) => size_of_val(entries.as_slice()),
            Run::Wide(entries) => size_of_val(entries.as_slice()),
            Run::Bytes(run) => size_of_val(run.entries.as_slice()) + run.keys.size(),
        }
    }
}

/// The first bytes, as a number in their order.
fn beginning(bytes: &[u8]) -> u128 {
    let mut first = [0; size_of::<u128>()];
    let count = bytes.len().min(first.len());
    first[..count].copy_from_slice(&bytes[..count]);
    u128::from_be_bytes(first)
}

/// The positions of one of several parts of all rows, in order: parts are about as long, and every row of one comes before those of the next.
pub fn places(runs: &[Run], part: usize, parts: usize) -> Vec<Place> {
    match runs.iter().find(|run| !matches!(run, Run::Narrow(entries) if entries.is_empty())) {
        None => Vec::new(),
        Some(Run::Narrow(_)) => {
            let entries = runs.iter().map(|run| if let Run::Narrow(entries) = run { entries.as_slice() } else { &[] });
            merged(&entries.collect::<Vec<_>>(), part, parts, |_, a, _, b| a.cmp(b))
        }
        Some(Run::Wide(_)) => {
            let entries = runs.iter().map(|run| if let Run::Wide(entries) = run { entries.as_slice() } else { &[] });
            merged(&entries.collect::<Vec<_>>(), part, parts, |_, a, _, b| a.cmp(b))
        }
        Some(Run::Bytes(_)) => {
            let runs: Vec<&ByBytes> = runs.iter().filter_map(|run| if let Run::Bytes(run) = run { Some(run) } else { None }).collect();
            let entries: Vec<_> = runs.iter().map(|run| run.entries.as_slice()).collect();
            merged(&entries, part, parts, |mine, a, theirs, b| runs[mine].compare(a, runs[theirs], b))
        }
    }
}

/// How many entries of each run are sampled to find where parts begin, for each part.
const SAMPLES: usize = 32;

/// The positions of a part of the entries of all runs. `compare` gets the run of each of two entries.
fn merged<K: Copy>(
    runs: &[&[(K, Place)]],
    part: usize,
    parts: usize,
    compare: impl Fn(usize, &(K, Place), usize, &(K, Place)) -> Ordering,
) -> Vec<Place> {
    let step = |run: &[(K, Place)]| (run.len() / (parts * SAMPLES)).max(1);
    let mut samples: Vec<(usize, (K, Place))> =
        runs.iter().enumerate().flat_map(|(number, run)| run.iter().step_by(step(run)).map(move |&entry| (number, entry))).collect();
    samples.sort_unstable_by(|(mine, a), (theirs, b)| compare(*mine, a, *theirs, b));
    // Where a part begins in a run: at the first entry that is not before the part's first sample.
    let bound = |part: usize, number: usize| match part {
        0 => 0,
        part if part >= parts => runs[number].len(),
        part => {
            let (of, sample) = samples[samples.len() * part / parts];
            runs[number].partition_point(|entry| compare(number, entry, of, &sample) == Ordering::Less)
        }
    };
    if samples.is_empty() {
        return Vec::new();
    }
    let mut pieces: Vec<Vec<(usize, (K, Place))>> = Vec::with_capacity(runs.len());
    let cut: Vec<&[(K, Place)]> = runs.iter().enumerate().map(|(number, run)| &run[bound(part, number)..bound(part + 1, number)]).collect();
    let mut full = cut.iter().enumerate().filter(|(_, piece)| !piece.is_empty());
    match (full.next(), full.next(), full.next()) {
        (None, ..) => return Vec::new(),
        (Some((_, only)), None, _) => return only.iter().map(|entry| entry.1).collect(),
        (Some((mine, left)), Some((theirs, right)), None) => {
            return zipped(left, right, |a, b| compare(mine, a, theirs, b), |entry| entry.1);
        }
        _ => pieces.extend(cut.iter().enumerate().map(|(number, piece)| piece.iter().map(|&entry| (number, entry)).collect())),
    }
    // Neighbours two by two, until there is one.
    while pieces.len() > 1 {
        let mut next = Vec::with_capacity(pieces.len().div_ceil(2));
        let mut rest = pieces.into_iter();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => zipped(&left, &right, |(mine, a), (theirs, b)| compare(*mine, a, *theirs, b), |entry| *entry),
                None => left,
            });
        }
        pieces = next;
    }
    pieces.into_iter().flatten().map(|(_, entry)| entry.1).collect()
}

/// The entries of two runs, in order, and of each what is made of it.
fn zipped<E, T>(left: &[E], right: &[E], compare: impl Fn(&E, &E) -> Ordering, make: impl Fn(&E) -> T) -> Vec<T> {
    let mut made = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (0, 0);
    while a < left.len() && b < right.len() {
        let first = compare(&left[a], &right[b]) != Ordering::Greater;
        made.push(make(if first { &left[a] } else { &right[b] }));
        a += usize::from(first);
        b += usize::from(!first);
    }
    made.extend(left[a..].iter().map(&make));
    made.extend(right[b..].iter().map(&make));
    made
}
