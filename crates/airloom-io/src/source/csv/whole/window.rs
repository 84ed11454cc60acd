//! A part of a file in memory, which grows where a record reaches beyond it.

use super::records::{Cells, Dialect, Layout, Line, Reader, Stop, skip_line};
use super::scan::SLACK;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// How much more is read where a record is not all there.
const MORE: usize = 1 << 16;

/// Why records could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A record has too many fields.
    Long,
    /// A quote is never closed.
    Open,
    /// A record reaches further than was allowed.
    Far,
    /// The file cannot be read.
    Unreadable(String),
}

/// Bytes of a file, from a position on.
#[derive(Default)]
pub(super) struct Window {
    pub(super) base: u64,
    pub(super) buffer: Vec<u8>,
    pub(super) length: usize,
}

impl Window {
    /// Reads the bytes from `base` to `end`, or to the end of the file.
    pub(super) fn load(&mut self, file: &File, size: u64, base: u64, end: u64) -> Result<(), Trouble> {
        self.base = base;
        self.length = 0;
        self.extend(file, (end.min(size) - base) as usize)
    }

    fn extend(&mut self, file: &File, length: usize) -> Result<(), Trouble> {
        if length as u64 >= u64::from(super::records::ELSEWHERE) {
            return Err(Trouble::Far);
        }
        if self.buffer.len() < length + SLACK {
            self.buffer.resize(length + SLACK, 0);
        }
        let wrong = |error: std::io::Error| Trouble::Unreadable(error.to_string());
        file.read_exact_at(&mut self.buffer[self.length..length], self.base + self.length as u64).map_err(wrong)?;
        self.buffer[length..length + SLACK].fill(0);
        self.length = length;
        Ok(())
    }

    /// Whether the window reaches to the end of the file.
    fn last(&self, size: u64) -> bool {
        self.base + self.length as u64 == size
    }

    fn reader<'a>(&'a self, size: u64, dialect: &'a Dialect, layout: &'a Layout) -> Reader<'a> {
        Reader { bytes: &self.buffer, length: self.length, last: self.last(size), dialect, layout }
    }

    /// Makes the window longer, by more each time.
    fn grow(&mut self, file: &File, size: u64, from: &Bounds<'_>) -> Result<(), Trouble> {
        let length = (self.length * 2).min(self.length.saturating_add(16 << 20)).max(self.length + MORE);
        let length = ((size - self.base).min(length as u64)) as usize;
        if length > from.furthest {
            return Err(Trouble::Far);
        }
        self.extend(file, length)
    }

    /// Reads records from `at` on, as long as they begin before `stop` and there are fewer than `most`. Where the next one begins.
    pub(super) fn records(&mut self, from: &Bounds<'_>, at: usize, stop: usize, most: usize, into: &mut Cells) -> Result<usize, Trouble> {
        let mut at = at;
        loop {
            match self.reader(from.size, from.dialect, from.layout).read(at, stop, most, into) {
                Stop::Done(end) => return Ok(end),
                Stop::Unfinished(start) => at = start,
                Stop::Long => return Err(Trouble::Long),
                Stop::Open => return Err(Trouble::Open),
            }
            self.grow(from.file, from.size, from)?;
        }
    }

    /// Passes over the lines of these numbers, and over what is before the last of them. Where reading goes on; records between are kept.
    pub(super) fn skip_lines(&mut self, from: &Bounds<'_>, at: usize, lines: &[u64], into: &mut Cells) -> Result<usize, Trouble> {
        let mut at = at;
        let Some(last) = lines.last() else { return Ok(at) };
        let mut line = 0;
        while line <= *last && (at < self.length || !self.last(from.size)) {
            let skipped = lines.binary_search(&line).is_ok();
            let next = if skipped {
                // A carriage return may be one of two.
                skip_line(&self.buffer, self.length, from.dialect, at).filter(|next| *next < self.length || self.last(from.size))
            } else {
                match self.reader(from.size, from.dialect, from.layout).line(at) {
                    Some(Line::Empty(next)) => Some(next),
                    Some(Line::Record(start)) => Some(self.records(from, start, usize::MAX, into.rows + 1, into)?),
                    None => None,
                }
            };
            match next {
                Some(next) => at = next,
                None if self.last(from.size) => return Ok(self.length),
                None => {
                    self.grow(from.file, from.size, from)?;
                    continue;
                }
            }
            line += 1;
        }
        Ok(at)
    }
}

/// What is read, and how.
pub(super) struct Bounds<'a> {
    pub(super) file: &'a File,
    pub(super) size: u64,
    pub(super) dialect: &'a Dialect,
    pub(super) layout: &'a Layout,
    /// The longest that a window may become.
    pub(super) furthest: usize,
}
