//! From the code of a key to the rows that have it, in their order.
//!
//! Many rows are dealt out to parts by their codes, and each part of the index is filled by itself: on any number of threads, and within a cache. Rows of one code
//! are side by side then; of few rows each names the next.

use super::table::{PartedTable, TablePart, part_of_hash};
use super::{Code, EMPTY, EncodedKeys, HashTable, Hashing, KeyEncoder};
use crate::data::parallel_map;
use arrow::buffer::NullBuffer;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Finds the places of the rows of a code, which follow one another, and the row at a place.
pub struct Index {
    heads: Heads,
    follow: Follow,
}

/// How the other rows of a code are found from its first.
enum Follow {
    /// No two rows have one code. The place of a row is its number.
    Nothing,
    /// By the next row of each, or `EMPTY`. The place of a row is its number.
    Next(Vec<u32>),
    /// They are side by side.
    SideBySide {
        /// The row at each place.
        rows: Vec<u32>,
        /// A bit for each place that is the last of its code.
        last: Vec<AtomicU64>,
    },
}

enum Heads {
    Narrow(PartedTable<u64>),
    Wide(PartedTable<u128>),
    /// By the code itself, counted from the min: the first bits say which part it is in.
    Dense {
        base: u64,
        shift: u32,
        parts: Vec<Dense>,
    },
}

/// The codes of rows that follow one another.
pub struct Piece {
    /// The code of each row.
    pub codes: EncodedKeys,
    /// Which rows count; `None` is all.
    pub usable: Option<NullBuffer>,
}

/// How much larger than the number of rows a table by code may be: an entry takes four bytes where a hashed one takes thirty-two.
const DENSE: u64 = 8;

/// And how large whatever the number of rows: it is within a core's own cache.
const SMALL: u64 = 1 << 16;

/// From how many rows on they are dealt out to parts.
const MANY: usize = 1 << 15;
/// And to how many.
const PARTS: usize = 64;
/// With fewer threads than this, dealing rows out costs more than it saves as long as a table of all is not much larger than a cache: of hashes, this many bytes; by
/// code, which rows often come in the order of, this many rows.
const THREADS: usize = 4;
const CACHE: usize = 1 << 24;
const MANY_BY_CODE: usize = 1 << 22;

impl Index {
    /// Of the codes of rows, in pieces one after the other, by up to `threads` threads.
    pub fn new(pieces: &[Piece], encoder: &KeyEncoder, hashing: Hashing, threads: usize) -> Index {
        let usable: Vec<Option<&NullBuffer>> = pieces.iter().map(|piece| piece.usable.as_ref()).collect();
        if !encoder.is_narrow() {
            let codes: Vec<&[u128]> = pieces.iter().map(|piece| piece.codes.wide()).collect();
            let (table, follow) = Rows { codes: &codes, usable: &usable, threads }.hashed(hashing);
            return Index { heads: Heads::Wide(table), follow };
        }
        let codes: Vec<&[u64]> = pieces.iter().map(|piece| piece.codes.narrow()).collect();
        let rows = Rows { codes: &codes, usable: &usable, threads };
        if let Some((base, width)) = rows.dense_range(encoder, hashing) {
            return rows.dense(base, width);
        }
        let (table, follow) = rows.hashed(hashing);
        Index { heads: Heads::Narrow(table), follow }
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        let heads = match &self.heads {
            Heads::Narrow(table) => table.size(),
            Heads::Wide(table) => table.size(),
            Heads::Dense { parts, .. } => parts.iter().map(|part| part.numbers.len() * 4).sum(),
        };
        heads
            + match &self.follow {
                Follow::Nothing => 0,
                Follow::Next(next) => next.len() * 4,
                Follow::SideBySide { rows, last } => rows.len() * 4 + last.len() * 8,
            }
    }

    /// Whether each code has at most one row.
    pub fn is_unique(&self) -> bool {
        matches!(self.follow, Follow::Nothing)
    }

    /// Adds the rows of a code, in order, from its first place on.
    #[inline]
    pub fn extend(&self, first: u32, found: &mut Vec<u32>) {
        match &self.follow {
            Follow::Nothing => found.push(first),
            Follow::Next(next) => {
                let mut row = first;
                while row != EMPTY {
                    found.push(row);
                    row = next[row as usize];
                }
            }
            Follow::SideBySide { rows, last } => {
                let ends = |place: usize| last[place / 64].load(Ordering::Relaxed) >> (place % 64) & 1 == 1;
                let mut place = first as usize;
                found.push(rows[place]);
                while !ends(place) {
                    place += 1;
                    found.push(rows[place]);
                }
            }
        }
    }

    /// The first place of each code, `EMPTY` where it has no row.
    pub fn first(&self, codes: &EncodedKeys, found: &mut Vec<u32>) {
        found.clear();
        match (&self.heads, codes) {
            (Heads::Dense { base, shift, parts }, EncodedKeys::Narrow(codes)) => match parts.as_slice() {
                [all] => {
                    found.extend(codes.iter().map(|code| all.numbers.get(code.wrapping_sub(*base) as usize).copied().unwrap_or(EMPTY)))
                }
                parts => {
                    let number = |code: &u64| {
                        let at = code.wrapping_sub(*base);
                        let part = parts.get((at >> shift) as usize)?;
                        part.numbers.get((at & ((1 << shift) - 1)) as usize).copied()
                    };
                    found.extend(codes.iter().map(|code| number(code).unwrap_or(EMPTY)));
                }
            },
            (Heads::Narrow(table), EncodedKeys::Narrow(codes)) => table.find_all(codes, found),
            (Heads::Wide(table), EncodedKeys::Wide(codes)) => table.find_all(codes, found),
            _ => panic!("invariant `the codes of an encoder have one width`"),
        }
    }
}

impl Rows<'_, u64> {
    /// The min code of a row that counts, and how many there are up to the max, where a table by code is small enough.
    fn dense_range(&self, encoder: &KeyEncoder, hashing: Hashing) -> Option<(u64, usize)> {
        if !(encoder.is_whole_number() || encoder.is_numbered()) || hashing == Hashing::Equal {
            return None;
        }
        let ends = self.parallel(self.codes.len(), |piece| {
            let (codes, none) = (self.codes[piece], (i64::MAX, i64::MIN));
            let wider = |(min, max): (i64, i64), code: u64| (min.min(code as i64), max.max(code as i64));
            match self.usable[piece] {
                None => codes.iter().fold(none, |ends, &code| wider(ends, code)),
                Some(usable) => usable.valid_indices().fold(none, |ends, row| wider(ends, codes[row])),
            }
        });
        let (min, max) = ends.into_iter().fold((i64::MAX, i64::MIN), |(min, max), (low, high)| (min.min(low), max.max(high)));
        let width = if min > max { 0 } else { max.abs_diff(min).checked_add(1)? };
        let rows = self.count() as u64;
        (rows > 0 && width <= rows.saturating_mul(DENSE).max(SMALL)).then_some((min as u64, width as usize))
    }
}

/// A number for each code of a part.
trait Slots<K>: Send {
    /// The number of a code; that of a new one is `EMPTY`, and must be given another at once.
    fn slot(&mut self, code: K) -> &mut u32;

    /// The numbers of all codes.
    fn each(&mut self, take: impl FnMut(&mut u32));

    /// Forgets all codes.
    fn clear(&mut self);
}

impl<K: Code> Slots<K> for TablePart<K> {
    #[inline]
    fn slot(&mut self, code: K) -> &mut u32 {
        self.number(code)
    }

    fn each(&mut self, take: impl FnMut(&mut u32)) {
        self.numbers().for_each(take);
    }

    fn clear(&mut self) {
        self.numbers().for_each(|number| *number = EMPTY);
    }
}

/// Codes from a base on.
struct Dense {
    base: u64,
    numbers: Vec<u32>,
}

impl Slots<u64> for Dense {
    #[inline]
    fn slot(&mut self, code: u64) -> &mut u32 {
        &mut self.numbers[code.wrapping_sub(self.base) as usize]
    }

    fn each(&mut self, take: impl FnMut(&mut u32)) {
        self.numbers.iter_mut().filter(|number| **number != EMPTY).for_each(take);
    }

    fn clear(&mut self) {
        self.numbers.fill(EMPTY);
    }
}

/// What was filled.
fn filled<S>(parts: Vec<Mutex<S>>) -> Vec<S> {
    parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Rows that an index is made of.
struct Rows<'a, K> {
    codes: &'a [&'a [K]],
    usable: &'a [Option<&'a NullBuffer>],
    threads: usize,
}

/// The rows of a piece by their parts: those of each part one after the other, in order, each with its code; and where each part's end.
struct Dealt<K> {
    rows: Vec<(K, u32)>,
    ends: Vec<usize>,
}

impl<K> Dealt<K> {
    fn of(&self, part: usize) -> &[(K, u32)] {
        &self.rows[if part == 0 { 0 } else { self.ends[part - 1] }..self.ends[part]]
    }
}

impl<K: Code> Rows<'_, K> {
    fn count(&self) -> usize {
        self.codes.iter().map(|codes| codes.len()).sum()
    }

    /// In how many parts a table is filled.
    fn parts(&self, is_large: bool) -> usize {
        if (is_large || self.threads >= THREADS) && self.count() >= MANY { PARTS } else { 1 }
    }

    /// Does something for each index below `count`, at once.
    fn parallel<R: Send>(&self, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let threads = if self.count() < MANY { 1 } else { self.threads };
        let made = parallel_map(threads, count, || (), |(), at| Ok::<R, Infallible>(work(at)));
        made.unwrap_or_else(|never| match never {})
    }

    /// The rows of each piece by the part of their codes; nothing where there is one part, which has them all.
    fn dealt(&self, parts: usize, part_of: impl Fn(K) -> usize + Sync) -> Option<Vec<Dealt<K>>> {
        if parts == 1 {
            return None;
        }
        let firsts: Vec<usize> = self.codes.iter().scan(0, |first, codes| Some(std::mem::replace(first, *first + codes.len()))).collect();
        Some(self.parallel(self.codes.len(), |piece| {
            let (codes, usable) = (self.codes[piece], self.usable[piece]);
            let counted =
                || (firsts[piece] as u32..).zip(codes).enumerate().filter(|(at, _)| usable.is_none_or(|usable| usable.is_valid(*at)));
            let rows = || counted().map(|(_, (row, &code))| (code, row));
            let mut next = vec![0usize; parts];
            rows().for_each(|(code, _)| next[part_of(code)] += 1);
            let mut sum = 0;
            for count in &mut next {
                sum += *count;
                *count = sum - *count;
            }
            let mut dealt = vec![(K::default(), 0); sum];
            for (code, row) in rows() {
                let to = &mut next[part_of(code)];
                dealt[*to] = (code, row);
                *to += 1;
            }
            Dealt { rows: dealt, ends: next }
        }))
    }

    /// The rows of a part with their codes, in order, as long as `take` says so; whether it did to the end.
    fn each(&self, dealt: Option<&[Dealt<K>]>, part: usize, mut take: impl FnMut(K, u32) -> bool) -> bool {
        if let Some(dealt) = dealt {
            return dealt.iter().all(|piece| piece.of(part).iter().all(|&(code, row)| take(code, row)));
        }
        let mut first = 0;
        self.codes.iter().zip(self.usable).all(|(codes, usable)| {
            let rows = first as u32..;
            first += codes.len();
            match usable {
                None => rows.zip(*codes).all(|(row, &code)| take(code, row)),
                Some(usable) => rows.zip(*codes).zip(usable.iter()).all(|((row, &code), counts)| !counts || take(code, row)),
            }
        })
    }

    /// The rows of a part with their codes, from the last to the first.
    fn each_back(&self, dealt: Option<&[Dealt<K>]>, part: usize, mut take: impl FnMut(K, u32)) {
        if let Some(dealt) = dealt {
            return dealt.iter().rev().for_each(|piece| piece.of(part).iter().rev().for_each(|&(code, row)| take(code, row)));
        }
        let mut first = self.count();
        for (codes, usable) in self.codes.iter().zip(self.usable).rev() {
            first -= codes.len();
            for (row, &code) in codes.iter().enumerate().rev().filter(|(row, _)| usable.is_none_or(|usable| usable.is_valid(*row))) {
                take(code, (first + row) as u32);
            }
        }
    }

    /// How many rows a part has.
    fn count_of(&self, dealt: Option<&[Dealt<K>]>, part: usize) -> usize {
        let unusable = || self.usable.iter().flatten().map(|usable| usable.null_count()).sum::<usize>();
        dealt.map_or_else(|| self.count() - unusable(), |dealt| dealt.iter().map(|piece| piece.of(part).len()).sum())
    }

    /// Gives every code its place: that of its row, or of the first of its rows, which are side by side in order.
    fn fill<S: Slots<K>>(&self, dealt: Option<&[Dealt<K>]>, mut parts: Vec<S>) -> (Follow, Vec<S>) {
        if let (None, [slots]) = (dealt, parts.as_mut_slice()) {
            return (self.chain(slots), parts);
        }
        let parts: Vec<Mutex<S>> = parts.into_iter().map(Mutex::new).collect();
        let part_of = |part: usize| parts[part].lock().unwrap_or_else(PoisonError::into_inner);
        // Keys that are joined by are mostly unique.
        let unique = self.parallel(parts.len(), |part| {
            let mut slots = part_of(part);
            self.each(dealt, part, |code, row| {
                let slot = slots.slot(code);
                let is_new = *slot == EMPTY;
                *slot = row;
                is_new
            })
        });
        if unique.into_iter().all(|unique| unique) {
            return (Follow::Nothing, filled(parts));
        }
        self.parallel(parts.len(), |part| {
            let mut slots = part_of(part);
            slots.clear();
            self.each(dealt, part, |code, _| {
                let count = slots.slot(code);
                *count = if *count == EMPTY { 1 } else { *count + 1 };
                true
            });
        });
        let sizes: Vec<usize> = (0..parts.len()).map(|part| self.count_of(dealt, part)).collect();
        let mut rows = vec![0u32; sizes.iter().sum()];
        let last: Vec<AtomicU64> = (0..rows.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let (mut rest, mut first) = (rows.as_mut_slice(), 0);
        let mut places = Vec::with_capacity(parts.len());
        for size in sizes {
            let (own, after) = rest.split_at_mut(size);
            places.push(Mutex::new((first, own)));
            (rest, first) = (after, first + size);
        }
        self.parallel(parts.len(), |part| {
            let (mut slots, mut places) = (part_of(part), places[part].lock().unwrap_or_else(PoisonError::into_inner));
            let (first, own) = &mut *places;
            let mut end = *first;
            slots.each(|count| {
                end += *count as usize;
                last[(end - 1) / 64].fetch_or(1 << ((end - 1) % 64), Ordering::Relaxed);
                *count = end as u32;
            });
            // From the last row to the first: each code's place goes down from its end to its beginning.
            self.each_back(dealt, part, |code, row| {
                let place = slots.slot(code);
                *place -= 1;
                own[*place as usize - *first] = row;
            });
        });
        drop(places);
        (Follow::SideBySide { rows, last }, filled(parts))
    }

    /// Links the rows of each code, in one pass from the last to the first, so that the first is at the head.
    fn chain(&self, slots: &mut impl Slots<K>) -> Follow {
        let mut next: Vec<u32> = Vec::new();
        self.each_back(None, 0, |code, row| {
            let after = std::mem::replace(slots.slot(code), row);
            if after != EMPTY {
                if next.is_empty() {
                    next = vec![EMPTY; self.count()];
                }
                next[row as usize] = after;
            }
        });
        if next.is_empty() { Follow::Nothing } else { Follow::Next(next) }
    }

    fn hashed(&self, hashing: Hashing) -> (PartedTable<K>, Follow) {
        // Where all hashes are equal, all rows are in one part.
        let parts = if hashing == Hashing::Equal { 1 } else { self.parts(HashTable::<K>::size_for(self.count()) > CACHE) };
        let bits = parts.trailing_zeros();
        let dealt = self.dealt(parts, |code| part_of_hash(code.hash(hashing), bits));
        // A new table is written once, which for many rows takes as long as filling it does: each part by itself.
        let tables = self.parallel(parts, |part| TablePart::with_room(hashing, bits, self.count_of(dealt.as_deref(), part)));
        let (follow, tables) = self.fill(dealt.as_deref(), tables);
        (PartedTable::new(hashing, bits, tables), follow)
    }
}

impl Rows<'_, u64> {
    fn dense(&self, base: u64, width: usize) -> Index {
        let share = width.div_ceil(self.parts(self.count() >= MANY_BY_CODE)).max(1).next_power_of_two();
        let shift = share.trailing_zeros();
        let parts = width.div_ceil(share);
        let dealt = self.dealt(parts, |code| (code.wrapping_sub(base) >> shift) as usize);
        let parts = self.parallel(parts, |part| Dense {
            base: base.wrapping_add((part as u64) << shift),
            numbers: vec![EMPTY; share.min(width - part * share)],
        });
        let (follow, parts) = self.fill(dealt.as_deref(), parts);
        Index { heads: Heads::Dense { base, shift, parts }, follow }
    }
}

#[cfg(test)]
mod tests {
    use super::{EncodedKeys, Index, Piece};
    use crate::keys::{EMPTY, Hashing, KeyEncoder};
    use airloom_ir::types::{TyId, Types};
    use arrow::buffer::NullBuffer;

    /// The rows of a code, in the order in which the index gives them.
    fn rows_of(index: &Index, codes: &EncodedKeys) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        index.first(codes, &mut found);
        let rows = |&first: &u32| {
            let mut rows = Vec::new();
            if first != EMPTY {
                index.extend(first, &mut rows);
            }
            rows
        };
        found.iter().map(rows).collect()
    }

    #[test]
    fn rows_of_a_code_are_found_in_order_whatever_the_threads() {
        let types = Types::default();
        // Many enough rows for parts; codes that are dense, far apart, and the same for all.
        for (count, of) in [(0, 1), (5, 3), (300_000, 40_000), (300_000, 300_000), (150_000, 1)] {
            for spread in [1u64, 0x9e37_79b9_7f4a_7c15] {
                let code = |row: usize| ((row * 7919 % of) as u64).wrapping_mul(spread);
                let usable = |row: usize| row % 13 != 5;
                let pieces: Vec<Piece> = (0..count)
                    .collect::<Vec<_>>()
                    .chunks(70_001)
                    .map(|rows| Piece {
                        codes: EncodedKeys::Narrow(rows.iter().map(|&row| code(row)).collect()),
                        usable: Some(NullBuffer::from_iter(rows.iter().map(|&row| usable(row)))),
                    })
                    .collect();
                let encoder = KeyEncoder::new(&types, &[TyId::I64], Hashing::Mixed);
                let mut expected: std::collections::HashMap<u64, Vec<u32>> = std::collections::HashMap::new();
                (0..count).filter(|&row| usable(row)).for_each(|row| expected.entry(code(row)).or_default().push(row as u32));
                let asked: Vec<u64> = (0..of.min(50)).map(code).chain([u64::MAX / 3]).collect();
                for (hashing, threads) in [(Hashing::Mixed, 1), (Hashing::Mixed, 5), (Hashing::Equal, 4)] {
                    if hashing == Hashing::Equal && count > 1000 && of > 1 {
                        continue;
                    }
                    let index = Index::new(&pieces, &encoder, hashing, threads);
                    let found = rows_of(&index, &EncodedKeys::Narrow(asked.clone()));
                    for (code, rows) in asked.iter().zip(found) {
                        assert_eq!(
                            Some(&rows).filter(|rows| !rows.is_empty()),
                            expected.get(code),
                            "{count} rows, {of} codes, {threads} threads"
                        );
                    }
                    assert_eq!(index.is_unique(), expected.values().all(|rows| rows.len() < 2));
                }
            }
        }
    }
}
