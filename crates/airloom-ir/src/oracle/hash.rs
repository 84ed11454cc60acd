//! The hash of a program's values, as the op `hash` gives it: part of the language, so apart from the hash of our own tables.
//!
//! A value is a row of 64-bit words: first a word that says its kind, then its content. From `state = seed + PRIME_3`, each word makes
//! `state = (rotate_left(state, 29) ^ word * PRIME_1) * PRIME_2`, and in the end `state` is folded three times so that each of its bits depends on all.
//!
//! | kind | word | content |
//! |---|---|---|
//! | null | 0 | |
//! | bool | 1 | 0 or 1 |
//! | whole numbers, decimals, dates, times, timestamps, durations, categories | 2 | the low, then the high half of the number in 128-bit two's complement |
//! | f32 | 3 | its bits |
//! | f64 | 4 | its bits |
//! | text | 5 | the number of bytes, then eight bytes to a word, little end first, the last word filled with zeros |
//! | bytes | 6 | as text |
//! | list | 7 | the number of elements, then each as a value |
//! | struct | 8 | the number of fields, then each as a value |
//!
//! `-0.0` is hashed as `0.0`, and every NaN as the positive quiet one without payload.

use super::call::mismatch;
use super::order::canonical;
use crate::value::Value;

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;

/// The hash of a value.
pub(super) fn of(value: &Value, seed: i64) -> u64 {
    let mut state = State((seed as u64).wrapping_add(PRIME_3));
    state.value(&canonical(value));
    state.finish()
}

struct State(u64);

impl State {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(29) ^ word.wrapping_mul(PRIME_1)).wrapping_mul(PRIME_2);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    /// Recursive, but only as deep as types nest.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.word(0),
            Value::Bool(b) => self.words(1, &[u64::from(*b)]),
            Value::Int(i) => self.words(2, &[*i as u64, (*i >> 64) as u64]),
            Value::F32(x) => self.words(3, &[u64::from(if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() })]),
            Value::F64(x) => self.words(4, &[if x.is_nan() { 0x7FF8_0000_0000_0000 } else { x.to_bits() }]),
            Value::Str(s) => {
                self.word(5);
                self.bytes(s.as_bytes());
            }
            Value::Bytes(b) => {
                self.word(6);
                self.bytes(b);
            }
            Value::List(items) => self.parts(7, items),
            Value::Struct(items) => self.parts(8, items),
            other => mismatch("a value that can stand in a column", other),
        }
    }

    fn words(&mut self, kind: u64, words: &[u64]) {
        self.word(kind);
        words.iter().for_each(|&word| self.word(word));
    }

    fn parts(&mut self, kind: u64, items: &[Value]) {
        self.words(kind, &[items.len() as u64]);
        items.iter().for_each(|item| self.value(item));
    }

    fn finish(&self) -> u64 {
        let mut h = self.0;
        h = (h ^ (h >> 33)).wrapping_mul(PRIME_1);
        h = (h ^ (h >> 29)).wrapping_mul(PRIME_3);
        h ^ (h >> 32)
    }
}
