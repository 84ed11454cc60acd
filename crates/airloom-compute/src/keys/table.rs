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

/// Tables of more bytes than this are not in the cache of a core.
const LARGE: usize = 1 << 20;

/// How many codes are looked up after their slots were read together.
pub(super) const BLOCK: usize = 64;

#[derive(Clone, Copy)]
struct Entry<K> {
    code: K,
    number: u32,
}

/// An open table: a code is in the slot of its hash, or at the first free one after it. At most half of it is full.
pub struct HashTable<K> {
    entries: Vec<Entry<K>>,
    /// The slots, less one.
    mask: usize,
    shift: u32,
    len: usize,
    hashing: Hashing,
}

/// How many slots a table of this many codes has.
fn places_for(codes: usize) -> usize {
    (codes * 2).next_power_of_two().max(16)
}

impl<K: Code> HashTable<K> {
    /// An empty table.
    pub fn new(hashing: Hashing) -> HashTable<K> {
        Self::with_room(hashing, 512)
    }

    /// An empty table with room for `codes` codes.
    pub fn with_room(hashing: Hashing, codes: usize) -> HashTable<K> {
        let places = places_for(codes);
        let empty = Entry { code: K::default(), number: EMPTY };
        HashTable { entries: vec![empty; places], mask: places - 1, shift: 64 - places.trailing_zeros(), len: 0, hashing }
    }

    /// Makes room for `codes` codes, where it holds none yet.
    pub fn reserve(&mut self, codes: usize) {
        if self.is_empty() && codes * 2 > self.entries.len() {
            *self = Self::with_room(self.hashing, codes);
        }
    }

    /// How many codes it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes a table of this many codes takes.
    pub fn size_for(codes: usize) -> usize {
        places_for(codes) * size_of::<Entry<K>>()
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
            let entry = &self.entries[at];
            if entry.number == EMPTY || entry.code == code {
                return entry.number;
            }
            at = (at + 1) & self.mask;
        }
    }

    /// Whether it is so large that most lookups wait for memory.
    pub fn is_large(&self) -> bool {
        self.size() > LARGE
    }

    /// Reads where codes would be found. Memory is waited for once, for all of them, and not for each in its turn; it is in the cache when they are looked for.
    #[inline]
    pub fn touch(&self, codes: impl Iterator<Item = K>) {
        let touched = codes.fold(0, |any, code| any ^ self.read(code));
        std::hint::black_box(touched);
    }

    /// The number in the slot where a code would be found first.
    #[inline]
    pub(super) fn read(&self, code: K) -> u32 {
        self.entries[self.place(code)].number
    }

    /// The number of a code; where it has none yet, `number` becomes it.
    #[inline]
    pub fn find_or_insert(&mut self, code: K, number: u32) -> u32 {
        self.insert(code, number).map_or(number, |known| *known)
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

/// One part of a table whose codes are told apart by the first bits of their hashes. Parts are made and filled apart from one another. It must never be full.
pub(super) struct TablePart<K> {
    entries: Vec<Entry<K>>,
    /// How many bits of a hash say which part its code is in.
    bits: u32,
    shift: u32,
    hashing: Hashing,
}

impl<K: Code> TablePart<K> {
    /// An empty one with room for `codes` codes.
    pub(super) fn with_room(hashing: Hashing, bits: u32, codes: usize) -> TablePart<K> {
        let places = places_for(codes);
        let empty = Entry { code: K::default(), number: EMPTY };
        TablePart { entries: vec![empty; places], bits, shift: 64 - places.trailing_zeros(), hashing }
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash << self.bits >> self.shift) as usize
    }

    /// The number of a code; that of a new one is `EMPTY`, and must be given another at once.
    #[inline]
    pub(super) fn number(&mut self, code: K) -> &mut u32 {
        let mask = self.entries.len() - 1;
        let mut at = self.place(code.hash(self.hashing));
        loop {
            let entry = &self.entries[at];
            if entry.number == EMPTY {
                self.entries[at].code = code;
                break;
            }
            if entry.code == code {
                break;
            }
            at = (at + 1) & mask;
        }
        &mut self.entries[at].number
    }

    /// The numbers of all codes.
    pub(super) fn numbers(&mut self) -> impl Iterator<Item = &mut u32> {
        self.entries.iter_mut().filter(|entry| entry.number != EMPTY).map(|entry| &mut entry.number)
    }
}

/// A table in parts, which are complete.
pub(super) struct PartedTable<K> {
    parts: Vec<TablePart<K>>,
    bits: u32,
    hashing: Hashing,
}

/// The part of a hash by its first bits.
#[inline]
pub(super) fn part_of_hash(hash: u64, bits: u32) -> usize {
    // Of no bits there is one part; no number is shifted by all of its own.
    (hash >> 1 >> (63 - bits)) as usize
}

impl<K: Code> PartedTable<K> {
    /// Of parts by the first `bits` bits.
    pub(super) fn new(hashing: Hashing, bits: u32, parts: Vec<TablePart<K>>) -> PartedTable<K> {
        PartedTable { parts, bits, hashing }
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.parts.iter().map(|part| part.entries.len() * size_of::<Entry<K>>()).sum()
    }

    /// The number of each code, or `EMPTY`.
    pub(super) fn find_all(&self, codes: &[K], found: &mut Vec<u32>) {
        let is_large = self.size() > LARGE;
        for codes in codes.chunks(BLOCK) {
            if is_large {
                self.touch(codes);
            }
            found.extend(codes.iter().map(|&code| self.find(code)));
        }
    }

    /// Reads where codes would be found, so that memory is waited for once for all of them.
    #[inline]
    fn touch(&self, codes: &[K]) {
        let read = |any: u32, &code: &K| {
            let hash = code.hash(self.hashing);
            let part = &self.parts[part_of_hash(hash, self.bits)];
            any ^ part.entries[part.place(hash)].number
        };
        std::hint::black_box(codes.iter().fold(0, read));
    }

    #[inline]
    fn find(&self, code: K) -> u32 {
        let hash = code.hash(self.hashing);
        let part = &self.parts[part_of_hash(hash, self.bits)];
        let (mut at, mask) = (part.place(hash), part.entries.len() - 1);
        loop {
            let entry = &part.entries[at];
            if entry.number == EMPTY || entry.code == code {
                return entry.number;
            }
            at = (at + 1) & mask;
        }
    }
}
