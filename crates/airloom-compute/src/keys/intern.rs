//! Numbers for texts and nested values: each is numbered as it is first seen.

use super::hash::Hashing;
use super::table::{EMPTY, HashTable};
use airloom_ir::oracle::order::canonical;
use airloom_ir::value::Value;
use arrow::array::{Array, BinaryViewArray};
use hashbrown::HashTable as BytesTable;
use std::collections::HashMap;

/// Strings of at most 12 bytes are held whole by their view.
const INLINE: u32 = 12;

/// Numbers for byte strings.
pub(super) struct StringInterner {
    hashing: Hashing,
    /// Short ones, by their view.
    short: HashTable<u128>,
    /// Long ones: found by hash, they are stored in `bytes`.
    long: BytesTable<Long>,
    bytes: Vec<u8>,
    count: u32,
}

#[derive(Clone, Copy)]
struct Long {
    hash: u64,
    number: u32,
    start: usize,
    length: usize,
}

impl StringInterner {
    pub(super) fn new(hashing: Hashing) -> StringInterner {
        StringInterner { hashing, short: HashTable::with_room(hashing, 64), long: BytesTable::new(), bytes: Vec::new(), count: 0 }
    }

    pub(super) fn size(&self) -> usize {
        self.short.size() + self.long.capacity() * size_of::<Long>() + self.bytes.capacity()
    }

    /// The number of each text; new ones are numbered. A null has number 0, which says nothing.
    pub(super) fn number(&mut self, texts: &BinaryViewArray, mut give: impl FnMut(usize, u32)) {
        let nulls = texts.nulls();
        let mut last: (u128, u32) = (0, EMPTY);
        for (row, &view) in texts.views().iter().enumerate() {
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
                self.count += u32::from(number == self.count);
                last = (view, number);
                number
            } else {
                self.number_long(texts.value(row))
            };
            give(row, number);
        }
    }

    fn number_long(&mut self, text: &[u8]) -> u32 {
        let hash = self.hashing.bytes(text);
        if let Some(number) = self.find_long(hash, text) {
            return number;
        }
        let number = self.count;
        self.count += 1;
        let long = Long { hash, number, start: self.bytes.len(), length: text.len() };
        self.bytes.extend_from_slice(text);
        self.long.insert_unique(hash, long, |long| long.hash);
        number
    }

    fn find_long(&self, hash: u64, text: &[u8]) -> Option<u32> {
        let same = |long: &Long| long.hash == hash && &self.bytes[long.start..long.start + long.length] == text;
        self.long.find(hash, same).map(|long| long.number)
    }

    /// The number of each text, `EMPTY` where it has none.
    pub(super) fn find(&self, texts: &BinaryViewArray, mut give: impl FnMut(usize, u32)) {
        let nulls = texts.nulls();
        for (row, &view) in texts.views().iter().enumerate() {
            if nulls.is_some_and(|n| n.is_null(row)) {
                continue;
            }
            if view as u32 <= INLINE {
                give(row, self.short.find(view));
                continue;
            }
            let text = texts.value(row);
            give(row, self.find_long(self.hashing.bytes(text), text).unwrap_or(EMPTY));
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
