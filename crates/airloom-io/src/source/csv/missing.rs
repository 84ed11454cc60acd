//! The texts of missing values, and those of booleans.

use super::number::{Digits, Whole, float, whole};
use std::collections::HashSet;

/// The texts of missing values in a column.
#[derive(Clone, Debug)]
pub struct Missing {
    texts: HashSet<Vec<u8>>,
    /// For each first byte, of which lengths there are texts.
    lengths: Box<[u64; 256]>,
    empty: bool,
    /// Numbers that mean it, whatever way they are written.
    pub(super) numbers: Vec<f64>,
    /// Whether no text of it can be anything else.
    pub(super) plain: bool,
}

impl Missing {
    /// These texts, and in columns of floats these numbers.
    pub fn new(texts: Vec<Vec<u8>>, numbers: Vec<f64>, digits: Digits, truths: &Truths) -> Missing {
        let mut lengths = Box::new([0; 256]);
        let mut empty = false;
        for text in &texts {
            match text.first() {
                Some(first) => lengths[usize::from(*first)] |= 1 << text.len().min(63),
                None => empty = true,
            }
        }
        let other = |text: &Vec<u8>| float(text, digits).is_some() || whole(text, digits) != Whole::None || truths.read(text).is_some();
        Missing { plain: numbers.is_empty() && !texts.iter().any(other), texts: texts.into_iter().collect(), lengths, empty, numbers }
    }

    #[inline(always)]
    pub(super) fn is(&self, text: &[u8]) -> bool {
        match text.first() {
            None => self.empty,
            Some(first) => self.lengths[usize::from(*first)] >> text.len().min(63) & 1 == 1 && self.texts.contains(text),
        }
    }
}

/// The texts of booleans.
#[derive(Clone, Debug)]
pub struct Truths {
    /// Further texts for true.
    pub yes: Vec<Vec<u8>>,
    /// Further texts for false.
    pub no: Vec<Vec<u8>>,
}

impl Truths {
    pub(super) fn read(&self, text: &[u8]) -> Option<bool> {
        let among = |texts: &[Vec<u8>]| texts.iter().any(|known| known == text);
        if matches!(text, b"True" | b"TRUE" | b"true") || among(&self.yes) {
            return Some(true);
        }
        if matches!(text, b"False" | b"FALSE" | b"false") || among(&self.no) {
            return Some(false);
        }
        match text.len() {
            4 => text.eq_ignore_ascii_case(b"true").then_some(true),
            5 if text.eq_ignore_ascii_case(b"false") => Some(false),
            _ => None,
        }
    }
}
