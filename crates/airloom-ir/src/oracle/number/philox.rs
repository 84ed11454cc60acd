//! Random numbers by key and position: Philox 4x64 with ten rounds, as NumPy draws from it.

/// How often the words of a counter are mixed.
pub const PHILOX_ROUNDS: usize = 10;
/// What the first and the third word of a counter are multiplied by.
pub const PHILOX_TIMES: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
/// What is added to the words of a key from round to round.
pub const PHILOX_STEPS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];

/// The draw at a position of a generator with a key. A counter gives four draws; NumPy counts up before it draws, so that the first counter is 1.
pub fn random_bits(key: u64, position: u64) -> u64 {
    let mut counter = [position / 4 + 1, 0, 0, 0];
    let mut key = [key, 0];
    for _ in 0..PHILOX_ROUNDS {
        let product = |number: usize| u128::from(counter[2 * number]) * u128::from(PHILOX_TIMES[number]);
        let (first, second) = (product(0), product(1));
        counter = [(second >> 64) as u64 ^ counter[1] ^ key[0], second as u64, (first >> 64) as u64 ^ counter[3] ^ key[1], first as u64];
        key = [key[0].wrapping_add(PHILOX_STEPS[0]), key[1].wrapping_add(PHILOX_STEPS[1])];
    }
    counter[(position % 4) as usize]
}
