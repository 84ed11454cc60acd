//! A table from codes to numbers.

use super::hash::Hashing;

/// No number: what an empty slot of a table holds.
pub const EMPTY: u32 = u32::MAX;

/// A code of some width.
pub trait Code: Copy + Eq + Default + Send + Sync + 'static {
    /// Its hash.
    fn hash(self, hashing: Hashing) -> u64;
}

impl Code for u64 {
    #[inline]
    fn hash(self, hashing: Hashing) -> u64 {
        hashing.narrow(self)
    }
}

impl Code for u128 {
    #[inline]
    fn hash(self, hashing: Hashing) -> u64 {
        hashing.wide(self)
    }
}

#[derive(Clone, Copy)]
struct Entry<K> {
    code: K,
    number: u32,
}

/// An open table: a code is in the slot of its hash, or at the first free one after it. At most half of it is full.
pub struct HashTable<K> {
    entries: Vec<Entry<K>>,
    mask: usize,
    shift: u32,
    len: usize,
    hashing: Hashing,
}

impl<K: Code> HashTable<K> {
    /// An empty table.
    pub fn new(hashing: Hashing) -> HashTable<K> {
        Self::with_room(hashing, 512)
    }

    /// An empty table with room for `codes` codes.
    pub fn with_room(hashing: Hashing, codes: usize) -> HashTable<K> {
        let places = (codes * 2).next_power_of_two().max(16);
        let empty = Entry { code: K::default(), number: EMPTY };
        HashTable { entries: vec![empty; places], mask: places - 1, shift: 64 - places.trailing_zeros(), len: 0, hashing }
    }

    /// How many codes it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.entries.len() * size_of::<Entry<K>>()
    }

    #[inline]
    fn place(&self, code: K) -> usize {
        // The high bits of the hash are its best.
        (code.hash(self.hashing) >> self.shift) as usize
    }

    /// The number of a code, or `EMPTY`.
    #[inline]
    pub fn find(&self, code: K) -> u32 {
        let mut at = self.place(code);
        loop {
            let entry = &self.entries[at & self.mask];
            if entry.number == EMPTY || entry.code == code {
                return entry.number;
            }
            at += 1;
        }
    }

    /// The number of a code; where it has none yet, `number` becomes it.
    #[inline]
    pub fn find_or_insert(&mut self, code: K, number: u32) -> u32 {
        self.insert(code, number).map_or(number, |known| *known)
    }

    /// The number of a code, replaced: what it was before, or `EMPTY`.
    #[inline]
    pub fn replace(&mut self, code: K, number: u32) -> u32 {
        self.insert(code, number).map_or(EMPTY, |known| std::mem::replace(known, number))
    }

    /// The number that a code has; where it has none, it is given this one.
    #[inline]
    fn insert(&mut self, code: K, number: u32) -> Option<&mut u32> {
        let mut at = self.place(code);
        loop {
            let place = at & self.mask;
            if self.entries[place].number == EMPTY {
                self.entries[place] = Entry { code, number };
                self.len += 1;
                if self.len * 2 > self.entries.len() {
                    self.grow();
                }
                return None;
            }
            if self.entries[place].code == code {
                return Some(&mut self.entries[place].number);
            }
            at += 1;
        }
    }

    fn grow(&mut self) {
        let mut larger = Self::with_room(self.hashing, self.entries.len());
        for entry in self.entries.iter().filter(|e| e.number != EMPTY) {
            let mut at = larger.place(entry.code);
            while larger.entries[at & larger.mask].number != EMPTY {
                at += 1;
            }
            let mask = larger.mask;
            larger.entries[at & mask] = *entry;
        }
        larger.len = self.len;
        *self = larger;
    }
}
