//! Finding bytes, many at a time.

/// Buffers that are scanned have this many bytes more than they hold text.
pub(super) const SLACK: usize = 64;

/// Finds the next of a few bytes, block by block.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    /// How many of the bytes are text; after them there are at least [`SLACK`] others.
    length: usize,
    needles: [u8; 4],
    block: usize,
    mask: u64,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8], length: usize, needles: [u8; 4]) -> Scanner<'a> {
        assert!(length + SLACK <= bytes.len(), "scanned bytes have slack");
        Scanner { bytes, length, needles, block: usize::MAX, mask: 0 }
    }

    /// Where the next of the bytes is, from `from` on; the length where there is none.
    #[inline(always)]
    pub(super) fn next(&mut self, from: usize) -> usize {
        if from >= self.length {
            return self.length;
        }
        let mut block = from & !63;
        if block != self.block {
            self.load(block);
        }
        let mut mask = self.mask & (u64::MAX << (from & 63));
        while mask == 0 {
            block += 64;
            if block >= self.length {
                return self.length;
            }
            self.load(block);
            mask = self.mask;
        }
        (block + mask.trailing_zeros() as usize).min(self.length)
    }

    #[inline(always)]
    fn load(&mut self, block: usize) {
        let Some(bytes) = self.bytes.get(block..block + 64).and_then(|bytes| bytes.first_chunk::<64>()) else {
            unreachable!("a block begins within the text, and the slack is as long as a block");
        };
        self.block = block;
        self.mask = any_of(bytes, self.needles);
    }
}

/// Where a byte is, from `from` on.
pub(super) fn find(bytes: &[u8], length: usize, from: usize, needle: u8) -> Option<usize> {
    let mut at = from;
    while at < length {
        let Some(block) = bytes.get(at..at + 64).and_then(|bytes| bytes.first_chunk::<64>()) else {
            return bytes[at..length].iter().position(|byte| *byte == needle).map(|place| at + place);
        };
        let mask = any_of(block, [needle; 4]);
        if mask != 0 {
            let found = at + mask.trailing_zeros() as usize;
            return (found < length).then_some(found);
        }
        at += 64;
    }
    None
}

/// Which of the bytes are one of four, a bit for each.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn any_of(bytes: &[u8; 64], needles: [u8; 4]) -> u64 {
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
fn any_of(bytes: &[u8; 64], needles: [u8; 4]) -> u64 {
    bytes.iter().enumerate().fold(0, |mask, (at, byte)| mask | (u64::from(needles.contains(byte)) << at))
}

#[cfg(test)]
mod tests {
    use super::{SLACK, Scanner, find};

    #[test]
    fn bytes_are_found_in_every_block() {
        let mut bytes = vec![b'x'; 300];
        for at in [0, 5, 63, 64, 129, 255] {
            bytes[at] = b',';
        }
        bytes.resize(300 + SLACK, b',');
        let mut scanner = Scanner::new(&bytes, 300, [b',', b'\n', b'\r', b'\n']);
        let mut found = Vec::new();
        let mut at = scanner.next(0);
        while at < 300 {
            found.push(at);
            at = scanner.next(at + 1);
        }
        assert_eq!(found, [0, 5, 63, 64, 129, 255]);
        assert_eq!((find(&bytes, 300, 130, b','), find(&bytes, 300, 256, b','), find(&bytes, 300, 0, b'y')), (Some(255), None, None));
    }
}
