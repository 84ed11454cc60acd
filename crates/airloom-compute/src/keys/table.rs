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

/// An open table: a code is in the slot of its hash, or at the first free one after it. At most half of it is full. Where it has several regions, a code is in the
/// region of its hash, and after the last slot of that comes its first.
pub struct HashTable<K> {
    entries: Vec<Entry<K>>,
    /// The slots of a region, less one.
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
            at = (at & !self.mask) | ((at + 1) & self.mask);
        }
    }

    /// An empty table for `codes` codes, in as many regions as is said, a power of two. The regions are filled apart from one another.
    pub fn in_regions(hashing: Hashing, codes: usize, regions: usize) -> HashTable<K> {
        let mut table = Self::with_room(hashing, codes.max(8 * regions));
        table.mask = table.entries.len() / regions - 1;
        table
    }

    /// How many slots a region has.
    pub fn region_len(&self) -> usize {
        self.mask + 1
    }

    /// The region of a code.
    #[inline]
    pub fn region_of(&self, code: K) -> usize {
        self.place(code) / (self.mask + 1)
    }

    /// The regions, to be filled.
    pub fn regions(&mut self) -> impl Iterator<Item = Region<'_, K>> {
        let (length, shift, hashing) = (self.mask + 1, self.shift, self.hashing);
        self.entries.chunks_mut(length).map(move |entries| Region { entries, shift, hashing })
    }

    /// Whether it is so large that most lookups wait for memory.
    pub fn is_large(&self) -> bool {
        self.size() > LARGE
    }

    /// Reads where codes would be found. Memory is waited for once, for all of them, and not for each in its turn; it is in the cache when they are looked for.
    #[inline]
    pub fn touch(&self, codes: impl Iterator<Item = K>) {
        let touched = codes.fold(0, |any, code| any ^ self.entries[self.place(code)].number);
        std::hint::black_box(touched);
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

/// One region of a table. It must never be full.
pub struct Region<'a, K> {
    entries: &'a mut [Entry<K>],
    shift: u32,
    hashing: Hashing,
}

impl<K: Code> Region<'_, K> {
    /// The number of a code; that of a new one is `EMPTY`, and must be given another at once.
    #[inline]
    pub fn number(&mut self, code: K) -> &mut u32 {
        let mask = self.entries.len() - 1;
        let mut at = (code.hash(self.hashing) >> self.shift) as usize & mask;
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
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut u32> {
        self.entries.iter_mut().filter(|entry| entry.number != EMPTY).map(|entry| &mut entry.number)
    }
}
