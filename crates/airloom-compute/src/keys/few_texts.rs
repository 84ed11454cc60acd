//! Few short texts, looked up without a branch to guess: which of three texts comes next in a column is as good as random, and a wrong guess costs more than the lookup.

use super::table::{BLOCK, EMPTY};

/// At most this many texts are held.
const MOST: usize = 32;
/// In this many slots, each in one of its own: with sixteen times as many slots there is soon a factor that gives no two the same.
const SLOTS: usize = 512;
/// How many factors are tried.
const FACTORS: u64 = 32;

/// The numbers of short texts by their views, as long as there are few.
pub(super) struct FewTexts {
    texts: Vec<(u128, u32)>,
    /// How many of them have slots.
    placed: usize,
    factor: u64,
    /// The text of each slot, and its number.
    views: Vec<u128>,
    numbers: Vec<u32>,
    /// Whether there have been too many.
    closed: bool,
}

impl FewTexts {
    /// None yet; `closed` where none are to be held.
    pub(super) fn new(closed: bool) -> FewTexts {
        FewTexts { texts: Vec::new(), placed: 0, factor: 0, views: Vec::new(), numbers: Vec::new(), closed }
    }

    pub(super) fn size(&self) -> usize {
        self.texts.len() * size_of::<(u128, u32)>() + self.views.len() * 16 + self.numbers.len() * 4
    }

    #[inline]
    fn slot(view: u128, factor: u64) -> usize {
        let folded = view as u64 ^ ((view >> 64) as u64).rotate_left(29);
        (folded.wrapping_mul(factor) >> 55) as usize % SLOTS
    }

    /// The numbers of up to a block of texts, if it knows all of them. The view of a long text is like none that it holds.
    #[inline]
    pub(super) fn find_all(&self, asked: &[u128], found: &mut [u32; BLOCK]) -> bool {
        let (Some(views), Some(numbers)) = (self.views.first_chunk::<SLOTS>(), self.numbers.first_chunk::<SLOTS>()) else { return false };
        let mut known = true;
        for (found, &view) in found.iter_mut().zip(asked) {
            let slot = Self::slot(view, self.factor);
            *found = numbers[slot];
            known &= (views[slot] == view) & (*found != EMPTY);
        }
        known
    }

    /// Takes in a short text that it has not, with its number. It is found once it has a slot.
    pub(super) fn insert(&mut self, view: u128, number: u32) {
        if self.texts.len() == MOST {
            *self = FewTexts::new(true);
        } else if !self.closed {
            self.texts.push((view, number));
        }
    }

    /// Gives slots to texts that have none.
    pub(super) fn place(&mut self) {
        if self.placed == self.texts.len() {
            return;
        }
        (self.views, self.numbers) = (vec![0; SLOTS], vec![EMPTY; SLOTS]);
        if !(1..=FACTORS).any(|at| self.place_by(at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)) {
            *self = FewTexts::new(true);
        }
    }

    /// Gives all texts the slots that a factor gives; whether it gives no two the same.
    fn place_by(&mut self, factor: u64) -> bool {
        self.numbers.fill(EMPTY);
        for &(view, number) in &self.texts {
            let slot = Self::slot(view, factor);
            if self.numbers[slot] != EMPTY {
                return false;
            }
            (self.views[slot], self.numbers[slot]) = (view, number);
        }
        (self.placed, self.factor) = (self.texts.len(), factor);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_known_until_there_are_too_many() {
        let view = |number: u32| u128::from(number % 7 + 1) | u128::from(number) << 40;
        let mut few = FewTexts::new(false);
        let mut found = [0; BLOCK];
        for number in 0..MOST as u32 {
            assert!(!few.find_all(&[view(number)], &mut found));
            few.insert(view(number), number);
            few.place();
            let views: Vec<u128> = (0..=number).map(view).collect();
            assert!(few.find_all(&views, &mut found) && found[..views.len()].iter().copied().eq(0..=number), "{number}");
            assert!(!few.find_all(&[view(0), 0], &mut found), "no text has the view of none");
        }
        few.insert(view(1000), 1000);
        few.place();
        assert!(few.closed && few.size() == 0 && !few.find_all(&[view(3)], &mut found));
    }
}
