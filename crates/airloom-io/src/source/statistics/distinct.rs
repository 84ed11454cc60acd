//! How many different values there are, about.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// How many values a sample takes.
pub(crate) const SAMPLE: usize = 1 << 16;

/// Spreads the bits of a value over all 64.
pub(crate) fn mix(bits: u128) -> u64 {
    let mut x = (bits as u64) ^ ((bits >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A hash of bytes, eight at a time.
pub(crate) fn mix_bytes(bytes: &[u8]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(u128::from(state ^ u64::from_le_bytes(last).wrapping_mul(0xff51_afd7_ed55_8ccd)))
}

/// A set of values whose hashes are those above: they are quick, and who chooses values with equal ones makes it slow and nothing else.
pub(crate) type Set<T> = HashSet<T, BuildHasherDefault<Mixing>>;

/// The hash of what was written last, with a trace of what came before.
#[derive(Default)]
pub(crate) struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = self.0.rotate_left(5) ^ mix_bytes(bytes);
    }

    fn write_u128(&mut self, number: u128) {
        self.0 = self.0.rotate_left(5) ^ mix(number);
    }
}

/// Counts different hashes in little memory: for each of some thousand groups of hashes, the longest run of zeros seen (HyperLogLog).
pub(crate) struct Sketch {
    registers: Vec<u8>,
}

const REGISTER_BITS: u32 = 12;

impl Sketch {
    pub(crate) fn new() -> Sketch {
        Sketch { registers: vec![0; 1 << REGISTER_BITS] }
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let register = (hash >> (64 - REGISTER_BITS)) as usize;
        let run = (hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() as u8 + 1;
        let longest = &mut self.registers[register];
        *longest = (*longest).max(run);
    }

    pub(crate) fn estimate(&self) -> f64 {
        let count = self.registers.len() as f64;
        let sum: f64 = self.registers.iter().map(|&run| (-f64::from(run)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.registers.iter().filter(|&&run| run == 0).count() as f64;
        if raw <= 2.5 * count && empty > 0.0 { count * (count / empty).ln() } else { raw }
    }
}

/// How many different values `rows` rows have, of which a sample has these hashes: the more of them occur once in the sample, the more others were not seen
/// (the first-order jackknife of Haas and Stokes).
pub(crate) fn from_sample(mut hashes: Vec<u64>, rows: u64) -> f64 {
    if hashes.is_empty() {
        return 0.0;
    }
    let (taken, rows) = (hashes.len() as f64, rows as f64);
    hashes.sort_unstable();
    let (mut once, mut all) = (0.0, 0.0);
    for run in hashes.chunk_by(|a, b| a == b) {
        once += f64::from(u8::from(run.len() == 1));
        all += 1.0;
    }
    taken * all / (taken - once + once * taken / rows)
}

/// The positions of a sample of `count` of `rows` rows: one from each of equally long stretches, at a position that looks random but is always the same.
pub(crate) fn sample_places(rows: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(rows);
    (0..count).map(move |number| {
        let (from, to) = (place(rows, number, count), place(rows, number + 1, count));
        from + (mix(number as u128) % (to - from) as u64) as usize
    })
}

fn place(rows: usize, number: usize, count: usize) -> usize {
    (rows as u128 * number as u128 / count as u128) as usize
}
