//! Numbers for texts and nested values: each is numbered as it is first seen.

use super::few_texts::FewTexts;
use super::hash::Hashing;
use super::table::{BLOCK, EMPTY, HashTable};
use airloom_ir::oracle::order::canonical;
use airloom_ir::value::Value;
use arrow::array::{Array, BinaryViewArray};
use std::collections::HashMap;

/// Strings of at most 12 bytes are held whole by their view.
pub(super) const INLINE: u32 = 12;

/// Numbers for byte strings.
pub(super) struct StringInterner {
    hashing: Hashing,
    /// Short ones, by their view.
    short: HashTable<u128>,
    /// The same, as long as they are few.
    few: FewTexts,
    long: LongTable,
    count: u32,
}

impl StringInterner {
    pub(super) fn new(hashing: Hashing) -> StringInterner {
        // Equal hashes are there to try the tables.
        let few = FewTexts::new(hashing == Hashing::Equal);
        StringInterner { hashing, short: HashTable::with_room(hashing, 64), few, long: LongTable::new(hashing), count: 0 }
    }

    pub(super) fn size(&self) -> usize {
        self.short.size() + self.few.size() + self.long.size()
    }

    /// The number of each text; new ones are numbered. A null has number 0, which says nothing.
    pub(super) fn number(&mut self, texts: &BinaryViewArray, mut give: impl FnMut(usize, u32)) {
        let nulls = texts.nulls().filter(|nulls| nulls.null_count() > 0);
        let mut last: (u128, u32) = (0, EMPTY);
        let (mut block, mut numbers) = (Block::default(), [EMPTY; BLOCK]);
        for (at, views) in texts.views().chunks(BLOCK).enumerate() {
            let first = at * BLOCK;
            if nulls.is_none() && self.few.find_all(views, &mut numbers) {
                numbers[..views.len()].iter().enumerate().for_each(|(row, &number)| give(first + row, number));
                continue;
            }
            self.read(texts, first, &mut block);
            for (row, &view) in (first..).zip(views) {
                if nulls.is_some_and(|n| n.is_null(row)) {
                    continue;
                }
                // The same short text as in the row before is common in sorted and clustered columns.
                if last.1 != EMPTY && view == last.0 {
                    give(row, last.1);
                    continue;
                }
                let number = if view as u32 <= INLINE {
                    let number = self.short.find_or_insert(view, self.count);
                    last = (view, number);
                    if number == self.count {
                        self.few.insert(view, number);
                    }
                    number
                } else {
                    self.long.find_or_insert(texts.value(row), block.hashes[row - first], self.count)
                };
                self.count += u32::from(number == self.count);
                give(row, number);
            }
        }
        self.few.place();
    }

    /// The number of each text, `EMPTY` where it has none.
    pub(super) fn find(&self, texts: &BinaryViewArray, mut give: impl FnMut(usize, u32)) {
        let nulls = texts.nulls();
        let mut block = Block::default();
        for (row, &view) in texts.views().iter().enumerate() {
            if row % BLOCK == 0 {
                self.read(texts, row, &mut block);
            }
            if nulls.is_some_and(|n| n.is_null(row)) {
                continue;
            }
            let number =
                if view as u32 <= INLINE { self.short.find(view) } else { self.long.find(texts.value(row), block.hashes[row % BLOCK]) };
            give(row, number);
        }
    }
}

impl StringInterner {
    pub(super) fn hashing(&self) -> Hashing {
        self.hashing
    }

    /// How many texts have a number.
    pub(super) fn len(&self) -> u32 {
        self.count
    }

    /// The number of one text, given its hash, or that of its view where it is short; a new one is numbered.
    #[inline]
    pub(super) fn number_one(&mut self, texts: &BinaryViewArray, row: usize, hash: u64) -> u32 {
        let view = texts.views()[row];
        let number = match view as u32 <= INLINE {
            true => self.short.find_or_insert(view, self.count),
            false => self.long.find_or_insert(texts.value(row), hash, self.count),
        };
        self.count += u32::from(number == self.count);
        number
    }

    /// The number of one text, given its hash, or that of its view where it is short; `EMPTY` where it has none.
    #[inline]
    pub(super) fn find_one(&self, texts: &BinaryViewArray, row: usize, hash: u64) -> u32 {
        let view = texts.views()[row];
        if view as u32 <= INLINE { self.short.find(view) } else { self.long.find(texts.value(row), hash) }
    }

    /// Reads where a text would be found, given its view and its hash.
    #[inline]
    pub(super) fn touch(&self, view: u128, hash: u64) -> u32 {
        if view as u32 <= INLINE { self.short.read(view) } else { self.long.slots[self.long.place(hash)].record }
    }

    /// Reads where the texts of a block would be found, from a row on.
    fn read(&self, texts: &BinaryViewArray, first: usize, block: &mut Block) {
        block.read(self.hashing, &self.long, texts, first);
        if self.short.is_large() {
            let views = texts.views();
            let views = &views[first..views.len().min(first + BLOCK)];
            self.short.touch(views.iter().copied().filter(|&view| view as u32 <= INLINE));
        }
    }
}

/// The hashes of the long texts of a block.
struct Block {
    hashes: [u64; BLOCK],
}

impl Default for Block {
    fn default() -> Block {
        Block { hashes: [0; BLOCK] }
    }
}

impl Block {
    /// Hashes the long texts from a row on, and reads where they would be found, so that it is in the cache when they are looked for.
    fn read(&mut self, hashing: Hashing, table: &LongTable, texts: &BinaryViewArray, first: usize) {
        let views = texts.views();
        let views = &views[first..views.len().min(first + BLOCK)];
        if views.iter().all(|&view| view as u32 <= INLINE) {
            return;
        }
        let mut slots = [Slot::default(); BLOCK];
        for (at, &view) in views.iter().enumerate() {
            // What is null has a view of any kind.
            let long = view as u32 > INLINE && texts.is_valid(first + at);
            self.hashes[at] = if long { hashing.bytes(texts.value(first + at)) } else { 0 };
        }
        for (slot, &hash) in slots.iter_mut().zip(&self.hashes) {
            *slot = table.slots[table.place(hash)];
        }
        let touched =
            slots.iter().filter(|slot| slot.record != EMPTY).fold(0, |any, slot| any ^ table.records[slot.record as usize].length);
        std::hint::black_box(touched);
    }
}

/// Long texts with their numbers: a slot for each, by its hash, or the first free one after it. At most half of the slots are taken.
struct LongTable {
    hashing: Hashing,
    slots: Vec<Slot>,
    shift: u32,
    records: Vec<Record>,
    /// What does not fit into records.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// Some of the hash: what differs in it is not looked at.
    tag: u32,
    record: u32,
}

impl Default for Slot {
    fn default() -> Slot {
        Slot { tag: 0, record: EMPTY }
    }
}

/// A text: its first bytes are here, so that most are compared where they are found, in one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Record {
    number: u32,
    length: u32,
    head: [u8; HEAD],
    /// Where its other bytes are.
    start: usize,
}

/// How many bytes of a text are in its record.
const HEAD: usize = 16;

/// Whether the first bytes of a text of more than eight are those of a record: two numbers each, without a call.
#[inline]
fn same_head(head: &[u8; HEAD], text: &[u8]) -> bool {
    let word = |bytes: &[u8], at: usize| bytes[at..].first_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    // Of a text that ends within its head, the last eight bytes.
    let second = (text.len() - 8).min(8);
    word(head, 0) == word(text, 0) && word(head, second) == word(text, second)
}

impl LongTable {
    fn new(hashing: Hashing) -> LongTable {
        LongTable { hashing, slots: vec![Slot::default(); 64], shift: 64 - 6, records: Vec::new(), bytes: Vec::new() }
    }

    fn size(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.records.capacity() * size_of::<Record>() + self.bytes.capacity()
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        // The high bits of the hash are its best.
        (hash >> self.shift) as usize
    }

    /// The bytes of a text behind its head.
    fn rest(&self, record: &Record) -> &[u8] {
        &self.bytes[record.start..record.start + (record.length as usize).saturating_sub(HEAD)]
    }

    /// The number of a text, or the slot that is free for it.
    #[inline]
    fn look(&self, text: &[u8], hash: u64) -> Result<u32, usize> {
        let mut at = self.place(hash);
        loop {
            let slot = self.slots[at];
            if slot.record == EMPTY {
                return Err(at);
            }
            if slot.tag == hash as u32 {
                let record = &self.records[slot.record as usize];
                if record.length as usize == text.len()
                    && same_head(&record.head, text)
                    && (text.len() <= HEAD || *self.rest(record) == text[HEAD..])
                {
                    return Ok(record.number);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    #[inline]
    fn find(&self, text: &[u8], hash: u64) -> u32 {
        self.look(text, hash).unwrap_or(EMPTY)
    }

    /// The number of a text; where it has none yet, `number` becomes it.
    #[inline]
    fn find_or_insert(&mut self, text: &[u8], hash: u64, number: u32) -> u32 {
        let free = match self.look(text, hash) {
            Ok(known) => return known,
            Err(free) => free,
        };
        let (first, rest) = text.split_at(HEAD.min(text.len()));
        let mut head = [0; HEAD];
        head[..first.len()].copy_from_slice(first);
        self.slots[free] = Slot { tag: hash as u32, record: self.records.len() as u32 };
        self.records.push(Record { number, length: text.len() as u32, head, start: self.bytes.len() });
        self.bytes.extend_from_slice(rest);
        if self.records.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        self.slots = vec![Slot::default(); self.slots.len() * 2];
        self.shift -= 1;
        let mut text = Vec::new();
        for at in 0..self.records.len() {
            let record = &self.records[at];
            text.clear();
            text.extend_from_slice(&record.head[..HEAD.min(record.length as usize)]);
            text.extend_from_slice(self.rest(record));
            let hash = self.hashing.bytes(&text);
            let mut place = self.place(hash);
            while self.slots[place].record != EMPTY {
                place = (place + 1) & (self.slots.len() - 1);
            }
            self.slots[place] = Slot { tag: hash as u32, record: at as u32 };
        }
    }
}

/// Numbers for lists and structs.
#[derive(Default)]
pub(super) struct Nested {
    numbers: HashMap<Value, u32>,
}

impl Nested {
    pub(super) fn size(&self) -> usize {
        self.numbers.len() * 128
    }

    pub(super) fn number(&mut self, value: &Value) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(canonical(value)).or_insert(next)
    }

    pub(super) fn find(&self, value: &Value) -> u32 {
        self.numbers.get(&canonical(value)).copied().unwrap_or(EMPTY)
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, StringInterner};
    use crate::keys::hash::Hashing;
    use arrow::array::{Array, BinaryViewArray};
    use std::collections::HashMap;

    /// Texts of every length about where they are held otherwise, many with the same beginning or end, each twice; and nulls.
    fn texts(of: usize) -> BinaryViewArray {
        let text = |row: usize| {
            let number = row * 7919 % of;
            let mut text = vec![b'x'; number % 37];
            text.extend_from_slice(number.to_string().as_bytes());
            text.extend(std::iter::repeat_n(b'y', number % 5));
            text
        };
        (0..2 * of).map(|row| (row % 11 != 3).then(|| text(row))).collect()
    }

    #[test]
    fn equal_texts_have_one_number() {
        for (hashing, of) in [(Hashing::Mixed, 5000), (Hashing::Mixed, 1), (Hashing::Equal, 300)] {
            let texts = texts(of);
            let mut interner = StringInterner::new(hashing);
            let mut expected: HashMap<&[u8], u32> = HashMap::new();
            let mut numbers = vec![EMPTY; texts.len()];
            // In parts, so that tables grow between and within them.
            for first in (0..texts.len()).step_by(150) {
                let part = texts.slice(first, 150.min(texts.len() - first));
                interner.number(&part, |row, number| numbers[first + row] = number);
            }
            for (row, &number) in numbers.iter().enumerate().filter(|(row, _)| texts.is_valid(*row)) {
                let next = expected.len() as u32;
                assert_eq!(number, *expected.entry(texts.value(row)).or_insert(next), "row {row}");
            }
            let mut found = vec![EMPTY; texts.len()];
            interner.find(&texts, |row, number| found[row] = number);
            assert_eq!(found, numbers);
            let unknown: BinaryViewArray =
                [Some(b"a text that nobody has numbered".as_slice()), None, Some(b"short")].into_iter().collect();
            interner.find(&unknown, |row, number| assert_eq!(number, EMPTY, "row {row}"));
        }
    }
}
