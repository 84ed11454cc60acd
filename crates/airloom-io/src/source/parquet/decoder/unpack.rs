//! Integers of a few bits, packed without gaps.

/// How many values are unpacked at a time: as many as end at a byte whatever their width.
const BLOCK: usize = 32;

/// Adds `count` values of `width` bits, from the one numbered `first` on. They must all lie within `packed`.
pub(super) fn unpack(packed: &[u8], width: usize, first: usize, count: usize, out: &mut Vec<u32>) {
    if width == 0 {
        out.resize(out.len() + count, 0);
        return;
    }
    let end = first + count;
    // Blocks begin at multiples of their length; what is before and after them is taken one by one.
    let begin = first.next_multiple_of(BLOCK).min(end);
    let blocks = (end - begin) / BLOCK;
    let stop = begin + blocks * BLOCK;
    out.reserve(count);
    out.extend((first..begin).map(|at| single(packed, width, at)));
    let packed_blocks = &packed[begin * width / 8..stop * width / 8];
    unpack_blocks(packed_blocks, width, out);
    out.extend((stop..end).map(|at| single(packed, width, at)));
}

/// The value at a position.
fn single(packed: &[u8], width: usize, at: usize) -> u32 {
    let bit = at * width;
    let mut bytes = [0; 8];
    let rest = &packed[bit / 8..];
    let length = rest.len().min(8);
    bytes[..length].copy_from_slice(&rest[..length]);
    ((u64::from_le_bytes(bytes) >> (bit % 8)) & ((1 << width) - 1)) as u32
}

/// Calls `blocks` with the width as a constant, so that every shift of a block is one.
macro_rules! by_width {
    ($width:expr, $packed:expr, $out:expr, $($constant:literal)*) => {
        match $width {
            $($constant => blocks::<$constant>($packed, $out),)*
            other => panic!("invariant `values have at most 32 bits`: found {other}"),
        }
    };
}

fn unpack_blocks(packed: &[u8], width: usize, out: &mut Vec<u32>) {
    by_width!(width, packed, out, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

fn blocks<const WIDTH: usize>(packed: &[u8], out: &mut Vec<u32>) {
    for block in packed.chunks_exact(4 * WIDTH) {
        let mut words = [0; BLOCK + 1];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let mut values = [0; BLOCK];
        for (at, value) in values.iter_mut().enumerate() {
            let (word, shift) = (at * WIDTH / 32, at * WIDTH % 32);
            let high = if shift + WIDTH > 32 { words[word + 1] << (32 - shift) } else { 0 };
            *value = ((words[word] >> shift) | high) & (u32::MAX >> (32 - WIDTH));
        }
        out.extend_from_slice(&values);
    }
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn values_of_every_width_come_back_from_every_place() {
        for width in 0..=32 {
            let mask = if width == 32 { u32::MAX } else { (1u32 << width) - 1 };
            let values: Vec<u32> = (0..200u32).map(|at| at.wrapping_mul(2_654_435_761) & mask).collect();
            let mut packed = vec![0u8; (values.len() * width).div_ceil(8)];
            for (at, value) in values.iter().enumerate() {
                for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                    let place = at * width + bit;
                    packed[place / 8] |= 1 << (place % 8);
                }
            }
            for (first, count) in [(0, 200), (0, 0), (1, 199), (31, 2), (32, 64), (63, 130), (7, 5)] {
                let mut out = vec![99];
                unpack(&packed, width, first, count, &mut out);
                assert_eq!(out[1..], values[first..first + count], "width {width}, from {first}");
            }
        }
    }
}
