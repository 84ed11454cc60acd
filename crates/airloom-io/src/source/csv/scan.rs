//! Finding bytes, many at a time.

/// How many bytes are looked at together.
const BLOCK: usize = 64;

/// Finds the next of a few bytes, block by block. What was found in a block is kept, since most fields are shorter than one.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    needles: [u8; 4],
    block: usize,
    mask: u64,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8], needles: [u8; 4]) -> Scanner<'a> {
        Scanner { bytes, needles, block: usize::MAX, mask: 0 }
    }

    /// Where the next of the bytes is, from `from` on; the length where there is none.
    #[inline(always)]
    pub(super) fn next(&mut self, from: usize) -> usize {
        if from >= self.bytes.len() {
            return self.bytes.len();
        }
        let mut block = from & !(BLOCK - 1);
        if block != self.block {
            self.load(block);
        }
        let mut mask = self.mask & (u64::MAX << (from & (BLOCK - 1)));
        while mask == 0 {
            block += BLOCK;
            if block >= self.bytes.len() {
                return self.bytes.len();
            }
            self.load(block);
            mask = self.mask;
        }
        block + mask.trailing_zeros() as usize
    }

    #[inline(always)]
    fn load(&mut self, block: usize) {
        self.block = block;
        self.mask = match self.bytes.get(block..block + BLOCK).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => any_of(bytes, self.needles),
            None => self.last(block),
        };
    }

    /// The bytes after the last whole block.
    #[cold]
    fn last(&self, block: usize) -> u64 {
        let rest = &self.bytes[block..];
        let mut bytes = [0; BLOCK];
        bytes[..rest.len()].copy_from_slice(rest);
        any_of(&bytes, self.needles) & !(u64::MAX << rest.len())
    }
}

/// Which of the bytes are one of four, a bit for each.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn any_of(bytes: &[u8; BLOCK], needles: [u8; 4]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8};
    let mut mask = 0;
    for part in 0..4 {
        // SAFETY: every processor of this architecture has these instructions, and sixteen bytes from `16 * part` on are within the sixty-four.
        unsafe {
            let found = _mm_loadu_si128(bytes.as_ptr().add(16 * part).cast::<__m128i>());
            let same = |needle: u8| _mm_cmpeq_epi8(found, _mm_set1_epi8(needle as i8));
            let any = _mm_or_si128(_mm_or_si128(same(needles[0]), same(needles[1])), _mm_or_si128(same(needles[2]), same(needles[3])));
            mask |= u64::from(_mm_movemask_epi8(any) as u32) << (16 * part);
        }
    }
    mask
}

/// Which of the bytes are one of four, a bit for each.
#[cfg(not(target_arch = "x86_64"))]
fn any_of(bytes: &[u8; BLOCK], needles: [u8; 4]) -> u64 {
    bytes.iter().enumerate().fold(0, |mask, (at, byte)| mask | (u64::from(needles.contains(byte)) << at))
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    #[test]
    fn bytes_are_found_in_every_block() {
        for length in [256, 257, 300, 320] {
            let mut bytes = vec![b'x'; length];
            for at in [0, 5, 63, 64, 129, 255] {
                bytes[at] = b',';
            }
            // A zero is what the last block is filled up with.
            for other in [b'\n', 0] {
                let mut scanner = Scanner::new(&bytes, [b',', b'\n', b'\r', other]);
                let mut found = Vec::new();
                let mut at = scanner.next(0);
                while at < length {
                    found.push(at);
                    at = scanner.next(at + 1);
                }
                assert_eq!((found.as_slice(), at), ([0, 5, 63, 64, 129, 255].as_slice(), length));
            }
        }
    }
}
