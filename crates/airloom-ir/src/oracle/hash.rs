//! The hash of a program's values, as the op `hash` gives it: part of the language, so apart from the hash of our own tables.
//!
//! A value is a row of 64-bit words: first a word that says its kind, then its content. From `state = seed + PRIME_3`, each word makes
//! `state = (rotate_left(state, 29) ^ word * PRIME_1) * PRIME_2`, and in the end `state` is folded three times so that each of its bits depends on all.
//!
//! | kind | word | content |
//! |---|---|---|
//! | null | 0 | |
//! | bool | 1 | 0 or 1 |
//! | integers, decimals, dates, times, timestamps, durations, categories | 2 | the low, then the high half of the number in 128-bit two's complement |
//! | f32 | 3 | its bits |
//! | f64 | 4 | its bits |
//! | text | 5 | the number of bytes, then eight bytes to a word, little end first, the last word filled with zeros |
//! | bytes | 6 | as text |
//! | list | 7 | the number of elements, then each as a value |
//! | struct | 8 | the number of fields, then each as a value |
//!
//! `-0.0` is hashed as `0.0`, and every NaN as the positive quiet one without payload.

use super::call::mismatch;
use crate::value::Value;

/// The factors, in their order.
pub const HASH_PRIMES: [u64; 3] = [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9];
const PRIME_1: u64 = HASH_PRIMES[0];
const PRIME_2: u64 = HASH_PRIMES[1];
const PRIME_3: u64 = HASH_PRIMES[2];

/// The hash of a value.
pub(super) fn of(value: &Value, seed: i64) -> u64 {
    HashState::new(seed).value(value).finish()
}

/// A hash while words are still added to it.
#[derive(Clone, Copy, Debug)]
pub struct HashState(u64);

impl HashState {
    /// Before the first word.
    #[inline(always)]
    pub fn new(seed: i64) -> HashState {
        HashState((seed as u64).wrapping_add(PRIME_3))
    }

    #[inline(always)]
    fn word(self, word: u64) -> HashState {
        HashState((self.0.rotate_left(29) ^ word.wrapping_mul(PRIME_1)).wrapping_mul(PRIME_2))
    }

    /// With a null.
    #[inline(always)]
    #[must_use]
    pub fn null(self) -> HashState {
        self.word(0)
    }

    /// With a boolean.
    #[inline(always)]
    #[must_use]
    pub fn truth(self, truth: bool) -> HashState {
        self.word(1).word(truth.into())
    }

    /// With a number of a type whose values are integers.
    #[inline(always)]
    #[must_use]
    pub fn whole(self, number: i128) -> HashState {
        self.word(2).word(number as u64).word((number >> 64) as u64)
    }

    /// With an `f32`.
    #[inline(always)]
    #[must_use]
    pub fn single(self, x: f32) -> HashState {
        // Adding zero turns `-0.0` into `0.0`.
        let bits = if x.is_nan() { 0x7FC0_0000 } else { (x + 0.0).to_bits() };
        self.word(3).word(bits.into())
    }

    /// With an `f64`.
    #[inline(always)]
    #[must_use]
    pub fn double(self, x: f64) -> HashState {
        let bits = if x.is_nan() { 0x7FF8_0000_0000_0000 } else { (x + 0.0).to_bits() };
        self.word(4).word(bits)
    }

    /// With text.
    #[inline]
    #[must_use]
    pub fn text(self, text: &[u8]) -> HashState {
        self.word(5).content(text)
    }

    /// With bytes.
    #[inline]
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> HashState {
        self.word(6).content(bytes)
    }

    #[inline]
    fn content(self, bytes: &[u8]) -> HashState {
        let (chunks, rest) = bytes.as_chunks::<8>();
        let state = chunks.iter().fold(self.word(bytes.len() as u64), |state, chunk| state.word(u64::from_le_bytes(*chunk)));
        if rest.is_empty() {
            return state;
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        state.word(u64::from_le_bytes(last))
    }

    /// Recursive, but only as deep as types nest.
    fn value(self, value: &Value) -> HashState {
        match value {
            Value::Null => self.null(),
            Value::Bool(truth) => self.truth(*truth),
            Value::Int(number) => self.whole(*number),
            Value::F32(x) => self.single(*x),
            Value::F64(x) => self.double(*x),
            Value::Str(text) => self.text(text.as_bytes()),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::List(items) => self.parts(7, items),
            Value::Struct(items) => self.parts(8, items),
            other => mismatch("a value that can stand in a column", other),
        }
    }

    fn parts(self, kind: u64, items: &[Value]) -> HashState {
        items.iter().fold(self.word(kind).word(items.len() as u64), HashState::value)
    }

    /// The hash of what was added: every bit of it depends on every bit of the state.
    #[inline(always)]
    pub fn finish(self) -> u64 {
        let h = self.0;
        let h = (h ^ (h >> 33)).wrapping_mul(PRIME_1);
        let h = (h ^ (h >> 29)).wrapping_mul(PRIME_3);
        h ^ (h >> 32)
    }
}
