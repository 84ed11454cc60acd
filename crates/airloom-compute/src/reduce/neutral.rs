//! Columns of which some elements are passed over, as columns without such: a number that changes nothing stands in their place, so that the loop over a column has no branch.

use arrow::buffer::BooleanBuffer;

/// How many elements are replaced at once: few enough to stay in the cache.
const CHUNK: usize = 1024;
/// How many elements one lookup covers.
const LANES: usize = 8;

/// Numbers that are chosen by their bits.
pub(super) trait Masked: Copy + 'static {
    /// For each pattern of eight bits, all ones for a lane whose bit is set, and else zeros.
    fn lanes(pattern: u8) -> &'static [Self; LANES];
    /// `self` where the mask is all ones, `other` where it is zeros.
    fn masked(self, mask: Self, other: Self) -> Self;
}

macro_rules! masked {
    ($($ty:ty, $word:ty, $from:expr, $into:expr);* $(;)?) => { $(impl Masked for $ty {
        #[inline]
        fn lanes(pattern: u8) -> &'static [Self; LANES] {
            static MASKS: [[$ty; LANES]; 256] = {
                let mut masks = [[$from(0); LANES]; 256];
                let mut at = 0;
                while at < 256 * LANES {
                    if (at / LANES) >> (at % LANES) & 1 == 1 {
                        masks[at / LANES][at % LANES] = $from(<$word>::MAX);
                    }
                    at += 1;
                }
                masks
            };
            &MASKS[pattern as usize]
        }

        #[inline]
        fn masked(self, mask: Self, other: Self) -> Self {
            let mask: $word = $into(mask);
            $from(($into(self) & mask) | ($into(other) & !mask))
        }
    })* };
}
masked!(
    i8, u8, u8::cast_signed, i8::cast_unsigned;
    i16, u16, u16::cast_signed, i16::cast_unsigned;
    i32, u32, u32::cast_signed, i32::cast_unsigned;
    i64, u64, u64::cast_signed, i64::cast_unsigned;
    i128, u128, u128::cast_signed, i128::cast_unsigned;
    u8, u8, same, same;
    u16, u16, same, same;
    u32, u32, same, same;
    u64, u64, same, same;
    f32, u32, f32::from_bits, f32::to_bits;
    f64, u64, f64::from_bits, f64::to_bits;
);

const fn same<T: Copy>(number: T) -> T {
    number
}

/// Calls `visit` with all elements, some at a time and in their order; those that are not taken are `neutral`.
pub(super) fn each_chunk<T: Masked>(items: &[T], taken: &BooleanBuffer, neutral: T, mut visit: impl FnMut(&[T])) {
    debug_assert_eq!(items.len(), taken.len());
    let mut chunk = [neutral; CHUNK];
    let bits = taken.bit_chunks();
    let mut words = bits.iter().chain(std::iter::once(bits.remainder_bits()));
    for items in items.chunks(CHUNK) {
        for (chosen, items) in chunk.chunks_mut(u64::BITS as usize).zip(items.chunks(u64::BITS as usize)) {
            let word = words.next().unwrap_or(0).to_le_bytes();
            for ((chosen, items), pattern) in chosen.chunks_mut(LANES).zip(items.chunks(LANES)).zip(word) {
                let masks = T::lanes(pattern);
                for ((own, &item), &mask) in chosen.iter_mut().zip(items).zip(masks) {
                    *own = item.masked(mask, neutral);
                }
            }
        }
        visit(&chunk[..items.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::each_chunk;
    use arrow::buffer::BooleanBuffer;

    #[test]
    fn what_is_not_taken_is_neutral() {
        for rows in [0, 1, 7, 8, 63, 64, 65, 1023, 1024, 1025, 5000] {
            for offset in [0, 3] {
                let there = |row: usize| row.is_multiple_of(3) || row % 7 == 2;
                let taken = BooleanBuffer::collect_bool(rows + offset, |row| there(row.wrapping_sub(offset))).slice(offset, rows);
                let items: Vec<f64> = (0..rows).map(|row| row as f64 - 10.5).collect();
                let mut found = Vec::new();
                each_chunk(&items, &taken, f64::NEG_INFINITY, |chunk| found.extend_from_slice(chunk));
                let expected: Vec<f64> =
                    items.iter().enumerate().map(|(row, &item)| if there(row) { item } else { f64::NEG_INFINITY }).collect();
                assert_eq!(found, expected, "{rows} rows");
                let small: Vec<i8> = (0..rows).map(|row| row as i8).collect();
                let mut found = Vec::new();
                each_chunk(&small, &taken, 0, |chunk| found.extend_from_slice(chunk));
                assert_eq!(found, small.iter().enumerate().map(|(row, &item)| if there(row) { item } else { 0 }).collect::<Vec<_>>());
            }
        }
    }
}
