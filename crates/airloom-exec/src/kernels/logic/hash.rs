//! The hash that the language defines, as the oracle's module of that name describes it.

use crate::data::Lane;
use crate::kernels::call::KernelCall;
use crate::kernels::native::{Native, Side, Width, by_width, numbers_to_array};
use crate::kernels::views;
use airloom_ir::types::Ty;
use arrow::array::types::ByteViewType;
use arrow::array::{Array, AsArray, GenericByteViewArray};

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;

#[inline(always)]
fn word(state: u64, word: u64) -> u64 {
    (state.rotate_left(29) ^ word.wrapping_mul(PRIME_1)).wrapping_mul(PRIME_2)
}

#[inline(always)]
fn finish(h: u64) -> u64 {
    let h = (h ^ (h >> 33)).wrapping_mul(PRIME_1);
    let h = (h ^ (h >> 29)).wrapping_mul(PRIME_3);
    h ^ (h >> 32)
}

/// The words of a number after its kind.
trait Words: Native {
    fn hashed(self, start: u64) -> u64;
}

macro_rules! whole_words {
    ($($N:ident),+) => { $(
        impl Words for $N {
            #[inline(always)]
            fn hashed(self, start: u64) -> u64 {
                let wide = self as i128;
                finish(word(word(word(start, 2), wide as u64), (wide >> 64) as u64))
            }
        }
    )+ };
}
whole_words!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

impl Words for f32 {
    #[inline(always)]
    fn hashed(self, start: u64) -> u64 {
        let bits = if self.is_nan() { 0x7FC0_0000 } else { (self + 0.0).to_bits() };
        finish(word(word(start, 3), bits.into()))
    }
}

impl Words for f64 {
    #[inline(always)]
    fn hashed(self, start: u64) -> u64 {
        let bits = if self.is_nan() { 0x7FF8_0000_0000_0000 } else { (self + 0.0).to_bits() };
        finish(word(word(start, 4), bits))
    }
}

pub(super) fn hash(call: &KernelCall<'_>) -> Option<Lane> {
    let array = call.many(0)?;
    let start = (call.attr::<i64>(0) as u64).wrapping_add(PRIME_3);
    let mut hashes = match call.plain(0) {
        Ty::Bool => array.as_boolean_opt()?.values().iter().map(|b| finish(word(word(start, 1), b.into()))).collect(),
        Ty::Str => of_bytes(array.as_string_view_opt()?, word(start, 5)),
        Ty::Bytes => of_bytes(array.as_binary_view_opt()?, word(start, 6)),
        ty => by_width!(Width::of(ty)?, N => of_numbers::<N>(&call.args[0], start)?),
    };
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        let null = finish(word(start, 0));
        (!nulls.inner()).set_indices().for_each(|at| hashes[at] = null);
    }
    Some(Lane::Many(numbers_to_array(call.types, call.ty, hashes, None)))
}

fn of_numbers<N: Words>(lane: &Lane, start: u64) -> Option<Vec<u64>> {
    match Side::<N>::of(lane)? {
        Side::Many(numbers) => Some(numbers.iter().map(|x| x.hashed(start)).collect()),
        Side::One(_) => None,
    }
}

fn of_bytes<T: ByteViewType>(array: &GenericByteViewArray<T>, start: u64) -> Vec<u64> {
    (0..array.len())
        .map(|at| {
            let bytes = views::bytes(array, at);
            let mut state = word(start, bytes.len() as u64);
            let (chunks, rest) = bytes.as_chunks::<8>();
            for chunk in chunks {
                state = word(state, u64::from_le_bytes(*chunk));
            }
            if !rest.is_empty() {
                let mut last = [0; 8];
                last[..rest.len()].copy_from_slice(rest);
                state = word(state, u64::from_le_bytes(last));
            }
            finish(state)
        })
        .collect()
}
