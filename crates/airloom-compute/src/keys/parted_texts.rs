//! Numbers for the texts of a whole column at once: dealt out to parts by their hashes, each of which is a table by itself, filled on whatever thread is free.

use super::hash::Hashing;
use super::intern::{INLINE, StringInterner};
use super::table::{BLOCK, EMPTY};
use crate::data::{PartPlaces, parallel_map};
use arrow::array::{Array, BinaryViewArray};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};

/// Into how many parts texts are dealt out.
const PARTS: usize = 64;

/// The part of a hash. Tables use its first bits, and tell texts apart by its last.
#[inline]
fn part_of(hash: u64) -> usize {
    (hash >> 32) as usize % PARTS
}

/// Texts with their numbers, in parts that share none.
pub(super) struct PartedTexts {
    hashing: Hashing,
    parts: Vec<StringInterner>,
    /// The first number of each part.
    firsts: Vec<u32>,
}

/// The rows of a piece by their parts.
struct Dealt {
    parts: Vec<u8>,
    hashes: Vec<u64>,
    places: PartPlaces,
    order: Vec<u32>,
}

impl PartedTexts {
    /// The texts of all pieces, and the number of each row. A null has number 0, which says nothing.
    pub(super) fn of(hashing: Hashing, pieces: &[BinaryViewArray], threads: usize) -> (PartedTexts, Vec<Vec<u32>>) {
        let dealt = |(): &mut (), piece: usize| {
            let texts = &pieces[piece];
            let hashes: Vec<u64> = (0..texts.len()).map(|row| if texts.is_valid(row) { hash(hashing, texts, row) } else { 0 }).collect();
            let parts: Vec<u8> = hashes.iter().map(|&hash| part_of(hash) as u8).collect();
            let places = PartPlaces::new(&parts, PARTS);
            Ok::<_, Infallible>(Dealt { order: places.order(), places, hashes, parts })
        };
        let Ok(dealt) = parallel_map(threads, pieces.len(), || (), dealt);
        let numbers: Vec<Vec<AtomicU32>> = pieces.iter().map(|texts| (0..texts.len()).map(|_| AtomicU32::new(0)).collect()).collect();
        let part = |(): &mut (), part: usize| {
            let mut interner = StringInterner::new(hashing);
            for ((texts, dealt), numbers) in pieces.iter().zip(&dealt).zip(&numbers) {
                let rows = dealt.order[dealt.places.ends.of(part)].iter().map(|&row| row as usize);
                for row in rows.filter(|&row| texts.is_valid(row)) {
                    numbers[row].store(interner.number_one(texts, row, dealt.hashes[row]), Ordering::Relaxed);
                }
            }
            Ok::<_, Infallible>(interner)
        };
        let Ok(parts) = parallel_map(threads, PARTS, || (), part);
        let firsts: Vec<u32> = parts.iter().scan(0, |next, part| Some(std::mem::replace(next, *next + part.len()))).collect();
        let of_piece = |(): &mut (), piece: usize| {
            let (dealt, numbers) = (&dealt[piece], &numbers[piece]);
            let number = |(number, &part): (&AtomicU32, &u8)| number.load(Ordering::Relaxed) + firsts[usize::from(part)];
            Ok::<_, Infallible>(numbers.iter().zip(&dealt.parts).map(number).collect())
        };
        let Ok(numbers) = parallel_map(threads, pieces.len(), || (), of_piece);
        (PartedTexts { hashing, parts, firsts }, numbers)
    }

    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(StringInterner::size).sum()
    }

    /// The number of each text, `EMPTY` where it has none.
    pub(super) fn find(&self, texts: &BinaryViewArray, mut give: impl FnMut(usize, u32)) {
        let mut hashes = [0; BLOCK];
        for first in (0..texts.len()).step_by(BLOCK) {
            let rows = first..texts.len().min(first + BLOCK);
            // Where texts would be found is read for all of a block first: memory is then waited for once.
            let mut touched = 0;
            for row in rows.clone().filter(|&row| texts.is_valid(row)) {
                let hash = hash(self.hashing, texts, row);
                hashes[row - first] = hash;
                touched ^= self.parts[part_of(hash)].touch(texts.views()[row], hash);
            }
            std::hint::black_box(touched);
            for row in rows.filter(|&row| texts.is_valid(row)) {
                let hash = hashes[row - first];
                let part = part_of(hash);
                let number = self.parts[part].find_one(texts, row, hash);
                give(row, if number == EMPTY { EMPTY } else { number + self.firsts[part] });
            }
        }
    }
}

/// The hash of a text: of a short one that of its view, by which it is found.
#[inline]
fn hash(hashing: Hashing, texts: &BinaryViewArray, row: usize) -> u64 {
    let view = texts.views()[row];
    if view as u32 <= INLINE { hashing.wide(view) } else { hashing.bytes(texts.value(row)) }
}

#[cfg(test)]
mod tests {
    use super::PartedTexts;
    use crate::keys::hash::Hashing;
    use crate::keys::table::EMPTY;
    use arrow::array::{Array, BinaryViewArray};
    use std::collections::HashMap;

    #[test]
    fn equal_texts_have_one_number_and_others_another() {
        let text = |row: usize| (row % 11 != 3).then(|| format!("{}{}", "long".repeat(row % 5), row * 7919 % 3000).into_bytes());
        let all: BinaryViewArray = (0..9000).map(text).collect();
        let pieces: Vec<BinaryViewArray> =
            [(0, 1), (1, 0), (1, 4000), (4001, 4999)].iter().map(|&(at, rows)| all.slice(at, rows)).collect();
        let unknown: BinaryViewArray = [Some(b"a text that nobody has numbered".as_slice()), None, Some(b"short")].into_iter().collect();
        for (hashing, threads) in [(Hashing::Mixed, 1), (Hashing::Mixed, 4), (Hashing::Equal, 2)] {
            let (texts, numbers) = PartedTexts::of(hashing, &pieces, threads);
            let numbers: Vec<u32> = numbers.concat();
            let mut known: HashMap<&[u8], u32> = HashMap::new();
            for row in (0..all.len()).filter(|&row| all.is_valid(row)) {
                assert_eq!(numbers[row], *known.entry(all.value(row)).or_insert(numbers[row]), "row {row}");
            }
            let mut distinct: Vec<u32> = known.values().copied().collect();
            distinct.sort_unstable();
            assert!(distinct.iter().copied().eq(0..known.len() as u32), "each text has a number of its own, and none is left out");
            let mut found = vec![0; all.len()];
            texts.find(&all, |row, number| found[row] = number);
            assert!((0..all.len()).all(|row| all.is_null(row) || found[row] == numbers[row]));
            texts.find(&unknown, |row, number| assert_eq!(number, EMPTY, "row {row}"));
        }
    }
}
