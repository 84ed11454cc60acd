//! Few groups, looked up by the bits of their keys without a branch to guess: all key columns of a row are looked up at once, and none of them is numbered on the way.

use super::pack::{self, width};
use super::table::{BLOCK, EMPTY};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;

/// At most this many groups are held.
const MOST: usize = 32;
/// In this many slots, each in one of its own.
const SLOTS: usize = 1024;
/// How many factors are tried.
const FACTORS: u64 = 64;
/// Strings of at most this many bytes are held whole by their view.
const INLINE: u32 = 12;

/// The numbers of groups by their keys, as long as there are few, and all of them are integers or short texts that are not null.
#[derive(Default)]
pub(super) struct FewKeys {
    /// The bits of the keys of each group, which has the number of its place.
    groups: Vec<Vec<u128>>,
    factor: u64,
    /// For each key column the bits of every slot's group, and the groups' numbers.
    slots: Vec<Vec<u128>>,
    numbers: Vec<u32>,
    /// Whether there have been groups that are not held.
    closed: bool,
}

/// The bits of a column, one value after the other.
enum Bits<'a> {
    Views(&'a [u128]),
    Words(Vec<u128>),
}

impl Bits<'_> {
    fn all(&self) -> &[u128] {
        match self {
            Bits::Views(views) => views,
            Bits::Words(words) => words,
        }
    }
}

impl FewKeys {
    /// None yet; `closed` where none are to be held.
    pub(super) fn new(closed: bool) -> FewKeys {
        FewKeys { closed, ..FewKeys::default() }
    }

    pub(super) fn size(&self) -> usize {
        self.numbers.len() * 4 + self.slots.len() * SLOTS * 16
    }

    /// Takes in groups that follow those it has, by the rows they began with.
    pub(super) fn insert(&mut self, keys: &[ArrayRef], rows: usize) {
        if self.closed || rows == 0 {
            return;
        }
        if !self.held(keys, rows) || !(1..=FACTORS).any(|at| self.place_by(at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)) {
            *self = FewKeys::new(true);
        }
    }

    /// Adds groups to those that get slots; whether they can be held.
    fn held(&mut self, keys: &[ArrayRef], rows: usize) -> bool {
        let columns: Option<Vec<Bits<'_>>> = keys.iter().map(bits).collect();
        let Some(columns) = columns.filter(|columns| !columns.is_empty() && self.groups.len() + rows <= MOST) else { return false };
        let short =
            |column: &Bits<'_>| if let Bits::Views(views) = column { views.iter().all(|&view| view as u32 <= INLINE) } else { true };
        self.groups.extend((0..rows).map(|row| columns.iter().map(|column| column.all()[row]).collect::<Vec<u128>>()));
        columns.iter().all(short)
    }

    /// Gives all groups the slots that a factor gives; whether it gives no two the same.
    fn place_by(&mut self, factor: u64) -> bool {
        self.factor = factor;
        self.numbers = vec![EMPTY; SLOTS];
        self.slots = vec![vec![0; SLOTS]; self.groups[0].len()];
        for (number, keys) in self.groups.iter().enumerate() {
            let slot = slot(keys.iter().fold(0, |mixed, &key| mix(mixed, key)), factor);
            if self.numbers[slot] != EMPTY {
                return false;
            }
            self.numbers[slot] = number as u32;
            self.slots.iter_mut().zip(keys).for_each(|(column, &key)| column[slot] = key);
        }
        true
    }

    /// The number of each row's group, `EMPTY` where it has none of those that are held; whether it could look.
    pub(super) fn find(&self, keys: &[ArrayRef], rows: usize, found: &mut Vec<u32>) -> bool {
        if self.groups.is_empty() {
            return false;
        }
        let columns: Option<Vec<Bits<'_>>> = keys.iter().map(bits).collect();
        let Some(columns) = columns else { return false };
        found.clear();
        found.reserve(rows);
        for first in (0..rows).step_by(BLOCK) {
            let count = BLOCK.min(rows - first);
            let mut mixed = [0u64; BLOCK];
            for column in &columns {
                mixed.iter_mut().zip(&column.all()[first..first + count]).for_each(|(mixed, &value)| *mixed = mix(*mixed, value));
            }
            let slots = mixed.map(|mixed| slot(mixed, self.factor));
            let mut numbers = [0u32; BLOCK];
            numbers.iter_mut().zip(&slots).for_each(|(number, &slot)| *number = self.numbers[slot]);
            for (held, column) in self.slots.iter().zip(&columns) {
                for ((number, &slot), &value) in numbers.iter_mut().zip(&slots).zip(&column.all()[first..first + count]) {
                    *number |= if held[slot] == value { 0 } else { EMPTY };
                }
            }
            found.extend_from_slice(&numbers[..count]);
        }
        true
    }
}

#[inline]
fn mix(mixed: u64, key: u128) -> u64 {
    mixed.rotate_left(17).wrapping_mul(5) ^ key as u64 ^ ((key >> 64) as u64).rotate_left(29)
}

#[inline]
fn slot(mixed: u64, factor: u64) -> usize {
    (mixed.wrapping_mul(factor) >> 54) as usize % SLOTS
}

/// The bits of a column by which its values are equal where they are, or `None` where there are nulls or the bits do not tell. The view of a long text is like none that is held.
fn bits(array: &ArrayRef) -> Option<Bits<'_>> {
    if array.null_count() > 0 {
        return None;
    }
    if array.data_type() == &DataType::Utf8View {
        return Some(Bits::Views(array.as_string_view().views()));
    }
    width(array.data_type())?;
    let mut words = vec![0; array.len()];
    pack::bits(array, |row, bits| words[row] = bits);
    Some(Bits::Words(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Int64Array, StringViewArray};
    use std::sync::Arc;

    #[test]
    fn groups_are_found_until_there_are_too_many() {
        let keys = |numbers: std::ops::Range<i64>| -> Vec<ArrayRef> {
            let texts = numbers.clone().map(|number| Some(["a", "bb", "zwölf"][number as usize % 3]));
            vec![Arc::new(texts.collect::<StringViewArray>()), Arc::new(Int64Array::from_iter_values(numbers))]
        };
        let (mut few, mut found) = (FewKeys::new(false), Vec::new());
        assert!(!few.find(&keys(0..1), 1, &mut found));
        for number in 0..MOST as i64 {
            few.insert(&keys(number..number + 1), 1);
            assert!(few.find(&keys(0..200), 200, &mut found));
            let expected = |row: u32| if i64::from(row) <= number { row } else { EMPTY };
            assert_eq!(found, (0..200).map(expected).collect::<Vec<_>>());
        }
        few.insert(&keys(500..501), 1);
        assert!(few.size() == 0 && !few.find(&keys(0..1), 1, &mut found));
    }

    #[test]
    fn long_texts_and_nulls_are_not_held() {
        for text in [Some("more than twelve bytes"), None] {
            let mut few = FewKeys::new(false);
            let keys: Vec<ArrayRef> = vec![Arc::new(StringViewArray::from(vec![text]))];
            few.insert(&keys, 1);
            assert!(!few.find(&keys, 1, &mut Vec::new()), "{text:?}");
        }
    }
}
