//! Groups by their keys, numbered in the order of their first rows.

use super::few_keys::FewKeys;
use super::table::{BLOCK, Code};
use super::{EMPTY, EncodedKeys, HashTable, Hashing, KeyEncoder, KeyRange};
use crate::data::{array_bytes, compacted};
use airloom_ir::types::{TyId, Types};
use airloom_plan::value::KeyFacts;
use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::{concat, take};

/// The groups seen so far.
pub struct GroupTable {
    tys: Vec<TyId>,
    /// Determinant keys: the other keys depend on them functionally, and are not hashed.
    determinants: Option<Vec<usize>>,
    encoder: KeyEncoder,
    index: Index,
    /// The same, as long as there are few.
    few: FewKeys,
    /// The keys of groups, as in the first row of each, in pieces.
    keys: Vec<Vec<ArrayRef>>,
    /// What those take.
    keys_size: usize,
    count: usize,
    /// The rows of the last batch that began groups.
    fresh: UInt32Array,
}

enum Index {
    /// Without keys all rows are one group.
    Whole,
    Narrow(HashTable<u64>),
    /// Codes are small, from a base on: an array by code.
    Direct(Direct),
    Wide(HashTable<u128>),
}

/// The number of each code that is not far above a base. Codes of text are numbers themselves, and those of few bits are few.
struct Direct {
    base: u64,
    numbers: Vec<u32>,
    /// The code of a null that is far above all others, and its number.
    null: (u64, u32),
}

impl Direct {
    /// Codes of up to this many bits have an array, which grows as they are seen.
    const BITS: u32 = 20;

    fn new(base: u64, room: usize) -> Direct {
        Direct { base, numbers: vec![EMPTY; room], null: (u64::MAX, EMPTY) }
    }

    /// The number of a code; where it has none yet, `next` becomes it.
    #[inline]
    fn find_or_insert(&mut self, code: u64, next: u32) -> u32 {
        let at = code.wrapping_sub(self.base) as usize;
        let slot = match self.numbers.get_mut(at) {
            Some(slot) => slot,
            None => self.grow(code, at),
        };
        if *slot == EMPTY {
            *slot = next;
        }
        *slot
    }

    /// The number of a code; `EMPTY` where it has none.
    fn find(&self, code: u64) -> u32 {
        let found = self.numbers.get(code.wrapping_sub(self.base) as usize).copied();
        found.unwrap_or(if code == self.null.0 { self.null.1 } else { EMPTY })
    }

    #[cold]
    fn grow(&mut self, code: u64, at: usize) -> &mut u32 {
        if code == self.null.0 {
            return &mut self.null.1;
        }
        self.numbers.resize((at + 1).next_power_of_two().max(64), EMPTY);
        &mut self.numbers[at]
    }
}

/// Looks up the group of each code, and numbers new ones from `next` on. `note` is told the group of each row, and returns the number that the next new one gets.
fn insert_all<K: Code>(table: &mut HashTable<K>, codes: &[K], mut next: u32, mut note: impl FnMut(usize, u32) -> u32) {
    for (block, codes) in codes.chunks(BLOCK).enumerate() {
        if table.is_large() {
            table.touch(codes.iter().copied());
        }
        for (at, &code) in codes.iter().enumerate() {
            next = note(block * BLOCK + at, table.find_or_insert(code, next));
        }
    }
}

impl GroupTable {
    /// No groups yet, by keys of these types.
    pub fn new(types: &Types, tys: &[TyId], hashing: Hashing, known: &KeyFacts) -> GroupTable {
        let all: Vec<usize> = (0..tys.len()).collect();
        let determinants = known.determinants.as_ref().unwrap_or(&all);
        // A key that is never null is coded as one that cannot be.
        let coded: Vec<TyId> =
            determinants.iter().map(|&at| if known.not_null.contains(&at) { types.strip(tys[at]) } else { tys[at] }).collect();
        let ranges_of: Vec<Option<KeyRange>> =
            determinants.iter().map(|&at| known.ranges.get(at).copied().flatten().map(|(min, max)| KeyRange { min, max })).collect();
        let encoder = KeyEncoder::within(types, &coded, hashing, &ranges_of);
        let index = match ranges_of.as_slice() {
            _ if tys.is_empty() => Index::Whole,
            // Equal hashes are there to try the other way.
            [Some(range)] if known.dense && hashing == Hashing::Mixed => {
                let room = range.width() as usize;
                // Codes are the numbers themselves, or count from the least, and a null has the bit above them.
                let base = if encoder.is_whole_number() { range.min as u64 } else { 0 };
                let null = if types.nullable(coded[0]) { 1 << (encoder.bits() - 1) } else { u64::MAX };
                Index::Direct(Direct { null: (null, EMPTY), ..Direct::new(base, room) })
            }
            _ if encoder.bits() <= Direct::BITS && hashing == Hashing::Mixed => Index::Direct(Direct::new(0, 0)),
            _ if encoder.is_numbered() && hashing == Hashing::Mixed => {
                Index::Direct(Direct { null: (1 << u32::BITS, EMPTY), ..Direct::new(0, 0) })
            }
            _ if encoder.is_narrow() => Index::Narrow(HashTable::new(hashing)),
            _ => Index::Wide(HashTable::new(hashing)),
        };
        let count = usize::from(tys.is_empty());
        GroupTable {
            tys: tys.to_vec(),
            determinants: known.determinants.clone(),
            encoder,
            index,
            few: FewKeys::new(tys.is_empty() || hashing == Hashing::Equal),
            keys: Vec::new(),
            keys_size: 0,
            count,
            fresh: UInt32Array::from(Vec::<u32>::new()),
        }
    }

    /// Makes room for groups that are expected.
    pub fn reserve(&mut self, groups: usize) {
        match &mut self.index {
            Index::Narrow(table) => table.reserve(groups),
            Index::Wide(table) => table.reserve(groups),
            Index::Whole | Index::Direct(_) => (),
        }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        let index = match &self.index {
            Index::Whole => 0,
            Index::Narrow(table) => table.size(),
            Index::Direct(direct) => direct.numbers.len() * 4,
            Index::Wide(table) => table.size(),
        };
        self.keys_size + index + self.few.size() + self.encoder.size()
    }

    /// The group of each row; keys not seen before begin new ones.
    pub fn number(&mut self, types: &Types, keys: &[ArrayRef], rows: usize, groups: &mut Vec<u32>) {
        groups.clear();
        if matches!(self.index, Index::Whole) {
            groups.resize(rows, 0);
            return;
        }
        groups.reserve(rows);
        let mut fresh: Vec<u32> = Vec::new();
        let first = self.count as u32;
        let mut next = first;
        // A group that has just been given the next number is a new one.
        let note = |row: usize, number: u32| {
            if number == next {
                fresh.push(row as u32);
                next += 1;
            }
            groups.push(number);
            next
        };
        let coded: Vec<ArrayRef> = match &self.determinants {
            Some(determinants) => determinants.iter().map(|&at| keys[at].clone()).collect(),
            None => keys.to_vec(),
        };
        match (&mut self.index, self.encoder.encode(types, &coded, rows)) {
            (Index::Narrow(table), EncodedKeys::Narrow(codes)) => insert_all(table, &codes, first, note),
            (Index::Direct(direct), EncodedKeys::Narrow(codes)) => {
                let (mut next, mut note) = (first, note);
                for (row, &code) in codes.iter().enumerate() {
                    next = note(row, direct.find_or_insert(code, next));
                }
            }
            (Index::Wide(table), EncodedKeys::Wide(codes)) => insert_all(table, &codes, first, note),
            _ => panic!("invariant `a encoder's codes have one width`"),
        }
        self.count = next as usize;
        if fresh.is_empty() {
            self.fresh = UInt32Array::from(fresh);
            return;
        }
        // Keys stay as long as the groups do: the rows they came with must not stay with them.
        let all = fresh.len() == rows;
        self.fresh = UInt32Array::from(fresh);
        let fresh = &self.fresh;
        let own = |key: &ArrayRef| compacted(&if all { key.clone() } else { take(key, fresh, None).expect("rows of the batch") });
        let piece: Vec<ArrayRef> = keys.iter().map(own).collect();
        self.few.insert(&piece, fresh.len());
        self.keys_size += piece.iter().map(array_bytes).sum::<usize>();
        self.keys.push(piece);
    }

    /// The group of each row where groups are few, `EMPTY` for keys that were not seen; whether it looked. It is quicker than [`GroupTable::number`], and begins no group.
    pub fn find_few(&self, keys: &[ArrayRef], rows: usize, groups: &mut Vec<u32>) -> bool {
        self.few.find(keys, rows, groups)
    }

    /// The group of each row; `EMPTY` where its keys have not been seen.
    pub fn find(&self, types: &Types, keys: &[ArrayRef], rows: usize) -> Vec<u32> {
        if matches!(self.index, Index::Whole) {
            return vec![0; rows];
        }
        let coded: Vec<ArrayRef> = match &self.determinants {
            Some(determinants) => determinants.iter().map(|&at| keys[at].clone()).collect(),
            None => keys.to_vec(),
        };
        let (codes, known) = self.encoder.find(types, &coded, rows);
        let mut groups: Vec<u32> = match (&self.index, codes) {
            (Index::Narrow(table), EncodedKeys::Narrow(codes)) => codes.iter().map(|&code| table.find(code)).collect(),
            (Index::Direct(direct), EncodedKeys::Narrow(codes)) => codes.iter().map(|&code| direct.find(code)).collect(),
            (Index::Wide(table), EncodedKeys::Wide(codes)) => codes.iter().map(|&code| table.find(code)).collect(),
            _ => panic!("invariant `a encoder's codes have one width`"),
        };
        if let Some(known) = known {
            groups.iter_mut().zip(known.iter()).filter(|(_, known)| !known).for_each(|(group, _)| *group = EMPTY);
        }
        groups
    }

    /// The rows of the last batch that were numbered which began new groups, in order.
    pub fn fresh(&self) -> &[u32] {
        self.fresh.values()
    }

    /// The keys of all groups, in order.
    pub fn keys(&self, types: &Types) -> Vec<ArrayRef> {
        (0..self.tys.len())
            .map(|at| {
                let pieces: Vec<&dyn arrow::array::Array> = self.keys.iter().map(|piece| piece[at].as_ref()).collect();
                match pieces.len() {
                    0 => crate::data::values::no_values(types, self.tys[at]),
                    1 => self.keys[0][at].clone(),
                    _ => concat(&pieces).expect("keys of one type"),
                }
            })
            .collect()
    }
}
