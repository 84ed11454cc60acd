//! Hashes of codes and texts.

/// How codes and texts are hashed. All hashes are equal in a test that wants to see collisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hashing {
    /// As well as possible.
    Mixed,
    /// Every hash is 0.
    Equal,
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The high and the low half of a product, folded together: every bit of the result depends on every bit of both.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide >> 64) as u64 ^ wide as u64
}

impl Hashing {
    /// The hash of a code of 64 bits.
    #[inline]
    pub fn narrow(self, code: u64) -> u64 {
        match self {
            Hashing::Mixed => fold(code ^ 0xa076_1d64_78bd_642f, ODD),
            Hashing::Equal => 0,
        }
    }

    /// The hash of a code of 128 bits.
    #[inline]
    pub fn wide(self, code: u128) -> u64 {
        match self {
            Hashing::Mixed => fold((code as u64) ^ 0xe703_7ed1_a0b4_28db, ((code >> 64) as u64) ^ ODD),
            Hashing::Equal => 0,
        }
    }

    /// The hash of bytes.
    #[inline]
    pub fn bytes(self, bytes: &[u8]) -> u64 {
        if self == Hashing::Equal {
            return 0;
        }
        let mut hash = ODD ^ bytes.len() as u64;
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            hash = fold(hash ^ u64::from_le_bytes(chunk.try_into().expect("eight bytes")), 0x8ebc_6af0_9c88_c6e3);
        }
        let rest = chunks.remainder();
        let mut last = [0u8; 8];
        last[..rest.len()].copy_from_slice(rest);
        fold(hash ^ u64::from_le_bytes(last), 0x5899_65cc_7537_4cc3)
    }
}
