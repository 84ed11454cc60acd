//! A part of a file in memory, which grows where a record reaches beyond it.

use super::records::{Cells, Dialect, ELSEWHERE, Layout, Reader, Stop};
use crate::source::text::FileBytes;
use airloom_compute::data::SourceError;

/// How much more is read where a record is not all there.
const MORE: usize = 1 << 16;

/// Why records could not be read.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// A record has too many fields: where it begins in the file, and how many.
    Long(u64, usize),
    /// A record that begins here has a quote that is never closed.
    Open(u64),
    /// A record that begins here or later reaches further than was allowed.
    Far(u64),
    /// The file cannot be read.
    Unreadable(SourceError),
}

/// What is read, and how.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub(super) file: &'a FileBytes,
    pub(super) dialect: &'a Dialect,
    pub(super) layout: &'a Layout,
    /// The longest that a window may become.
    pub(super) furthest: usize,
}

/// Bytes of a file, from a position on.
#[derive(Default)]
pub(super) struct Window {
    pub(super) base: u64,
    buffer: Vec<u8>,
    length: usize,
}

impl Window {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Reads the bytes from `base` to `end`, or to the end of the file.
    pub(super) fn load(&mut self, file: &FileBytes, base: u64, end: u64) -> Result<(), Trouble> {
        self.base = base;
        self.length = 0;
        self.extend(file, (end.min(file.size()) - base) as usize)
    }

    fn extend(&mut self, file: &FileBytes, length: usize) -> Result<(), Trouble> {
        if length as u64 >= u64::from(ELSEWHERE) {
            return Err(Trouble::Far(self.base));
        }
        // What was read before is written over, so that a window that is used again is not cleared first.
        if self.buffer.len() < length {
            self.buffer.resize(length, 0);
        }
        file.read_at(self.base + self.length as u64, &mut self.buffer[self.length..length]).map_err(Trouble::Unreadable)?;
        self.length = length;
        Ok(())
    }

    /// Whether the window reaches to the end of the file.
    pub(super) fn is_last(&self, file: &FileBytes) -> bool {
        self.base + self.length as u64 == file.size()
    }

    pub(super) fn reader<'a>(&'a self, from: &Bounds<'a>) -> Reader<'a> {
        Reader { bytes: self.bytes(), last: self.is_last(from.file), dialect: from.dialect, layout: from.layout }
    }

    /// Makes the window longer, by more each time.
    pub(super) fn grow(&mut self, from: &Bounds<'_>) -> Result<(), Trouble> {
        let length = (self.length * 2).min(self.length.saturating_add(16 << 20)).max(self.length + MORE);
        let length = ((from.file.size() - self.base).min(length as u64)) as usize;
        if length > from.furthest {
            return Err(Trouble::Far(self.base));
        }
        self.extend(from.file, length)
    }

    /// Reads records from `at` on, as long as they begin before `stop` and there are fewer than `most`. Where the next one begins.
    pub(super) fn records(&mut self, from: &Bounds<'_>, at: usize, stop: usize, most: usize, into: &mut Cells) -> Result<usize, Trouble> {
        let mut at = at;
        loop {
            match self.reader(from).read(at, stop, most, into) {
                Stop::Done(end) => return Ok(end),
                Stop::Unfinished(start) => at = start,
                Stop::Long(start) => return Err(Trouble::Long(self.base + start as u64, into.fields)),
                Stop::Open(start) => return Err(Trouble::Open(self.base + start as u64)),
            }
            self.grow(from)?;
        }
    }
}
