//! Runs of one value and runs of packed values, by turns: how Parquet writes levels and positions in dictionaries.

use super::pages::damaged;
use super::unpack::unpack;
use airloom_compute::data::SourceError;
use bytes::Bytes;

/// Integers in runs.
pub(super) struct Hybrid {
    data: Bytes,
    /// Where the next run begins.
    next: usize,
    width: usize,
    run: Run,
}

enum Run {
    /// One value, `left` times.
    Same { value: u32, left: usize },
    /// Values from a byte on, of which some are taken.
    Packed { start: usize, taken: usize, left: usize },
}

impl Hybrid {
    /// Numbers of `width` bits.
    pub(super) fn new(data: Bytes, width: usize) -> Result<Hybrid, SourceError> {
        if width > 32 {
            return Err(damaged(&format!("its values have {width} bits")));
        }
        Ok(Hybrid { data, next: 0, width, run: Run::Same { value: 0, left: 0 } })
    }

    /// Adds the next `count` numbers.
    pub(super) fn read(&mut self, count: usize, out: &mut Vec<u32>) -> Result<(), SourceError> {
        self.each(count, |data, width, run, now| match *run {
            Run::Same { value, .. } => out.resize(out.len() + now, value),
            Run::Packed { start, taken, .. } => unpack(&data[start..], width, taken, now, out),
        })
    }

    /// Passes over the next `count` numbers.
    pub(super) fn skip(&mut self, count: usize) -> Result<(), SourceError> {
        self.each(count, |_, _, _, _| ())
    }

    /// Of the next `count` numbers of one bit, how many are one. Which, is added to `which` where not all of them are.
    pub(super) fn read_bits(&mut self, count: usize, which: &mut Vec<bool>) -> Result<usize, SourceError> {
        let (mut ones, mut done, mut packed) = (0, 0, Vec::new());
        self.each(count, |data, width, run, now| {
            match *run {
                Run::Same { value, .. } => {
                    if value == 0 && which.is_empty() {
                        which.resize(done, true);
                    }
                    if value == 0 || !which.is_empty() {
                        which.resize(done + now, value != 0);
                    }
                    ones += if value == 0 { 0 } else { now };
                }
                Run::Packed { start, taken, .. } => {
                    packed.clear();
                    unpack(&data[start..], width, taken, now, &mut packed);
                    which.resize(done, true);
                    which.extend(packed.iter().map(|&bit| bit != 0));
                    ones += packed.iter().filter(|&&bit| bit != 0).count();
                }
            }
            done += now;
        })?;
        if ones == count {
            which.clear();
        }
        Ok(ones)
    }

    /// Goes over the next `count` numbers, run by run: the data, the width, the run at hand, and how many of it.
    fn each(&mut self, count: usize, mut take: impl FnMut(&[u8], usize, &Run, usize)) -> Result<(), SourceError> {
        let mut wanted = count;
        while wanted > 0 {
            let (Run::Same { left, .. } | Run::Packed { left, .. }) = self.run;
            if left == 0 {
                self.begin_run()?;
                continue;
            }
            let now = left.min(wanted);
            take(&self.data, self.width, &self.run, now);
            match &mut self.run {
                Run::Same { left, .. } => *left -= now,
                Run::Packed { taken, left, .. } => (*taken, *left) = (*taken + now, *left - now),
            }
            wanted -= now;
        }
        Ok(())
    }

    fn begin_run(&mut self) -> Result<(), SourceError> {
        let header = self.header()?;
        let count = (header >> 1) as usize;
        if header & 1 == 0 {
            let length = self.width.div_ceil(8);
            let bytes = self.data.get(self.next..self.next + length).ok_or_else(|| damaged("a run ends too early"))?;
            let value = bytes.iter().rev().fold(0, |value, &byte| (value << 8) | u32::from(byte));
            self.next += length;
            self.run = Run::Same { value, left: count };
            return Ok(());
        }
        let bytes = count.checked_mul(self.width).ok_or_else(|| damaged("a run is too long"))?;
        // The last run may end with its last value: the rest of its last eight is not always written.
        let there = bytes.min(self.data.len() - self.next);
        let values = if bytes == there { count.saturating_mul(8) } else { there * 8 / self.width };
        self.run = Run::Packed { start: self.next, taken: 0, left: values };
        self.next += there;
        Ok(())
    }

    /// The number that begins a run, seven bits to the byte.
    fn header(&mut self) -> Result<u64, SourceError> {
        let mut header = 0;
        for shift in (0..35).step_by(7) {
            let byte = *self.data.get(self.next).ok_or_else(|| damaged("it has fewer values than it says"))?;
            self.next += 1;
            header |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(header);
            }
        }
        Err(damaged("a run has no length"))
    }
}

#[cfg(test)]
mod tests {
    use super::Hybrid;
    use bytes::Bytes;

    /// Three fives, then 0 to 7 in three bits each, then a run that says eight but ends after two.
    fn written() -> Bytes {
        Bytes::from(vec![3 << 1, 5, 1 << 1 | 1, 0b1000_1000, 0b1100_0110, 0b1111_1010, 1 << 1 | 1, 0b0001_1110])
    }

    #[test]
    fn runs_are_read_in_any_pieces() {
        let all = [5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 6, 3];
        for cut in 0..all.len() {
            for skipped in 0..all.len() - cut {
                let mut hybrid = Hybrid::new(written(), 3).expect("a width that is allowed");
                let mut read = Vec::new();
                hybrid.read(cut, &mut read).expect("there are as many");
                hybrid.skip(skipped).expect("there are as many");
                hybrid.read(all.len() - cut - skipped, &mut read).expect("there are as many");
                assert_eq!(read, [&all[..cut], &all[cut + skipped..]].concat());
            }
        }
    }

    #[test]
    fn bits_say_which_only_where_not_all_are_set() {
        // Four ones; then 0b1010_1010.
        let bytes = Bytes::from(vec![4 << 1, 1, 1 << 1 | 1, 0b1010_1010]);
        let mut hybrid = Hybrid::new(bytes, 1).expect("one bit");
        let mut which = Vec::new();
        assert_eq!(hybrid.read_bits(3, &mut which).expect("four ones"), 3);
        assert!(which.is_empty());
        assert_eq!(hybrid.read_bits(5, &mut which).expect("nine are left"), 3);
        assert_eq!(which, [true, false, true, false, true]);
    }

    #[test]
    fn too_few_are_an_error() {
        let mut hybrid = Hybrid::new(written(), 3).expect("a width that is allowed");
        assert!(hybrid.read(14, &mut Vec::new()).is_err());
        assert!(Hybrid::new(Bytes::from_static(&[0x80; 9]), 1).expect("one bit").skip(1).is_err());
        assert!(Hybrid::new(Bytes::new(), 33).is_err());
    }
}
