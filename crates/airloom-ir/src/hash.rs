//! The hash of the tables: fast, and the same on every run and machine.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A table by node (or by anything else) that is asked and never iterated: it has no order to rely on.
pub type Table<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<Mix>>;

/// The hash of a value, by [`Mix`].
#[inline]
pub fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut mix = Mix::default();
    value.hash(&mut mix);
    mix.finish()
}

/// Multiply, fold and rotate: enough for a table whose keys are hardly chosen to collide, since a graph that a stranger sends is
/// bounded in size before it is built.
#[derive(Default, Clone)]
pub struct Mix(u64);

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Mix {
    #[inline]
    fn finish(&self) -> u64 {
        let h = (self.0 ^ (self.0 >> 32)).wrapping_mul(ODD);
        h ^ (h >> 29)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.write_u64(u64::from_le_bytes(chunk.try_into().expect("a chunk of eight")));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut last = [0u8; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last) ^ ((rest.len() as u64) << 56));
        }
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        let wide = u128::from(self.0.rotate_left(23) ^ value).wrapping_mul(u128::from(ODD | 1));
        self.0 = (wide as u64) ^ ((wide >> 64) as u64) ^ value.wrapping_mul(ODD);
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
