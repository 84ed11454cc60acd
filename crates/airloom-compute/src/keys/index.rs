//! From the code of a key to the rows that have it, in their order.

use super::{Code, EMPTY, EncodedKeys, HashTable, Hashing, KeyEncoder};
use arrow::buffer::NullBuffer;

/// Finds the first row of a code, and from each row the next one of the same code.
pub struct Index {
    heads: Heads,
    /// Empty where no two rows have the same code.
    next: Vec<u32>,
}

enum Heads {
    Narrow(HashTable<u64>),
    Wide(HashTable<u128>),
    /// By the code itself, counted from the min.
    Dense {
        base: u64,
        heads: Vec<u32>,
    },
}

/// How much larger than the number of rows a table by code may be: an entry takes four bytes where a hashed one takes thirty-two.
const DENSE: u64 = 8;

impl Index {
    /// Of the codes of rows; those that are not usable are left out.
    pub fn new(codes: &EncodedKeys, usable: Option<&NullBuffer>, encoder: &KeyEncoder, hashing: Hashing) -> Index {
        let has = |row: usize| usable.is_none_or(|u| u.is_valid(row));
        match codes {
            EncodedKeys::Narrow(codes) => match dense_range(codes, encoder, hashing) {
                Some((base, width)) => {
                    let mut heads = vec![EMPTY; width];
                    let next =
                        chain(codes.len(), has, |row| std::mem::replace(&mut heads[codes[row].wrapping_sub(base) as usize], row as u32));
                    Index { heads: Heads::Dense { base, heads }, next }
                }
                None => {
                    let (table, next) = hashed(codes, has, hashing);
                    Index { heads: Heads::Narrow(table), next }
                }
            },
            EncodedKeys::Wide(codes) => {
                let (table, next) = hashed(codes, has, hashing);
                Index { heads: Heads::Wide(table), next }
            }
        }
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        let heads = match &self.heads {
            Heads::Narrow(table) => table.size(),
            Heads::Wide(table) => table.size(),
            Heads::Dense { heads, .. } => heads.len() * 4,
        };
        heads + self.next.len() * 4
    }

    /// Whether each code has at most one row.
    pub fn is_unique(&self) -> bool {
        self.next.is_empty()
    }

    /// The row after another with the same code.
    #[inline]
    pub fn next(&self, row: u32) -> u32 {
        if self.next.is_empty() { EMPTY } else { self.next[row as usize] }
    }

    /// The first row of each code, `EMPTY` where there is none.
    pub fn first(&self, codes: &EncodedKeys, found: &mut Vec<u32>) {
        found.clear();
        match (&self.heads, codes) {
            (Heads::Dense { base, heads }, EncodedKeys::Narrow(codes)) => {
                found.extend(codes.iter().map(|code| heads.get(code.wrapping_sub(*base) as usize).copied().unwrap_or(EMPTY)));
            }
            (Heads::Narrow(table), EncodedKeys::Narrow(codes)) => found.extend(codes.iter().map(|&code| table.find(code))),
            (Heads::Wide(table), EncodedKeys::Wide(codes)) => found.extend(codes.iter().map(|&code| table.find(code))),
            _ => panic!("invariant `a encoder's codes have one width`"),
        }
    }
}

/// The min code, and how many there are up to the max, where a table by code is small enough.
fn dense_range(codes: &[u64], encoder: &KeyEncoder, hashing: Hashing) -> Option<(u64, usize)> {
    if !encoder.is_whole_number() || hashing == Hashing::Equal || codes.is_empty() {
        return None;
    }
    let signed = codes.iter().map(|&c| c as i64);
    let (min, max) = signed.fold((i64::MAX, i64::MIN), |(l, g), c| (l.min(c), g.max(c)));
    let width = max.abs_diff(min).checked_add(1)?;
    (width <= (codes.len() as u64).saturating_mul(DENSE).max(4096)).then_some((min as u64, width as usize))
}

fn hashed<K: Code>(codes: &[K], has: impl Fn(usize) -> bool, hashing: Hashing) -> (HashTable<K>, Vec<u32>) {
    let mut table = HashTable::with_room(hashing, codes.len());
    let next = chain(codes.len(), has, |row| table.replace(codes[row], row as u32));
    (table, next)
}

/// Links the rows of each code. They are inserted from the last to the first, so that the first is at the head.
fn chain(rows: usize, has: impl Fn(usize) -> bool, mut put: impl FnMut(usize) -> u32) -> Vec<u32> {
    let mut next: Vec<u32> = Vec::new();
    for row in (0..rows).rev().filter(|&row| has(row)) {
        let after = put(row);
        if after != EMPTY {
            if next.is_empty() {
                next = vec![EMPTY; rows];
            }
            next[row] = after;
        }
    }
    next
}
