//! Booleans and nulls as bits, 64 rows at a time.

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer};
use std::sync::Arc;

/// Eight booleans, one to a byte, as the low bits of one byte: the product moves bit `8 k` to bit `56 + k`, and nothing else arrives there.
fn eight(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

fn word(bytes: &[u8; 64]) -> u64 {
    let mut word = 0;
    for (at, chunk) in bytes.chunks_exact(8).enumerate() {
        word |= eight(chunk.try_into().expect("a chunk of eight")) << (8 * at);
    }
    word
}

/// What holds of each element.
#[inline(always)]
pub(crate) fn test<A: Copy>(left: &[A], holds: impl Fn(A) -> bool) -> BooleanBuffer {
    let mut words = Vec::with_capacity(left.len().div_ceil(64));
    let chunks = left.chunks_exact(64);
    let rest = chunks.remainder();
    for chunk in chunks {
        let chunk: &[A; 64] = chunk.try_into().expect("a chunk of 64");
        let mut bytes = [0u8; 64];
        for at in 0..64 {
            bytes[at] = u8::from(holds(chunk[at]));
        }
        words.push(word(&bytes));
    }
    if !rest.is_empty() {
        words.push(rest.iter().enumerate().fold(0, |word, (at, x)| word | u64::from(holds(*x)) << at));
    }
    BooleanBuffer::new(Buffer::from_vec(words), 0, left.len())
}

/// What holds of each pair of elements.
#[inline(always)]
pub(crate) fn test_pairs<A: Copy, B: Copy>(left: &[A], right: &[B], holds: impl Fn(A, B) -> bool) -> BooleanBuffer {
    let length = left.len().min(right.len());
    let mut words = Vec::with_capacity(length.div_ceil(64));
    let (lefts, rights) = (left[..length].chunks_exact(64), right[..length].chunks_exact(64));
    let (left_rest, right_rest) = (lefts.remainder(), rights.remainder());
    for (left, right) in lefts.zip(rights) {
        let left: &[A; 64] = left.try_into().expect("a chunk of 64");
        let right: &[B; 64] = right.try_into().expect("a chunk of 64");
        let mut bytes = [0u8; 64];
        for at in 0..64 {
            bytes[at] = u8::from(holds(left[at], right[at]));
        }
        words.push(word(&bytes));
    }
    if !left_rest.is_empty() {
        let rest = left_rest.iter().zip(right_rest).enumerate();
        words.push(rest.fold(0, |word, (at, (x, y))| word | u64::from(holds(*x, *y)) << at));
    }
    BooleanBuffer::new(Buffer::from_vec(words), 0, length)
}

/// Booleans, with nulls.
pub(crate) fn truths(bits: BooleanBuffer, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(BooleanArray::new(bits, nulls.filter(|nulls| nulls.null_count() > 0)))
}

/// Where a boolean is true; null is not.
pub(crate) fn is_true(array: &BooleanArray) -> BooleanBuffer {
    match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => array.values() & nulls.inner(),
        _ => array.values().clone(),
    }
}

/// Whether one of the bits is set where there is no null.
pub(crate) fn any_valid(bits: &BooleanBuffer, nulls: Option<&NullBuffer>) -> bool {
    match nulls {
        Some(nulls) => (bits & nulls.inner()).count_set_bits() > 0,
        None => bits.count_set_bits() > 0,
    }
}

/// The nulls there are, and more of them where bits are set.
pub(crate) fn with_nulls(nulls: Option<&NullBuffer>, more: &BooleanBuffer) -> Option<NullBuffer> {
    let valid = !more;
    let valid = match nulls {
        Some(nulls) => &valid & nulls.inner(),
        None => valid,
    };
    Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
}
