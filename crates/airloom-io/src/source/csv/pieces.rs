//! The pieces of files: where each begins, and what is made of its rows, on several threads.
//!
//! A piece begins with the first line that begins in it. That is a guess, since a quoted field may hold line ends; where a piece does not begin where the one
//! before it ends, it is read again.

use super::records::{Cell, Cells, Dialect, ELSEWHERE, Layout};
use super::window::{Bounds, Trouble, Window};
use crate::source::text::FileBytes;
use airloom_compute::data::parallel_map;
use memchr::memchr;

/// How many bytes after a piece are read with it: most records end there.
const AFTER: u64 = 1 << 12;
/// How far a record may reach beyond its piece before it is a guess that went wrong.
const FURTHEST: usize = 4 << 20;

/// The kept fields of some records.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    /// What the records are read from.
    pub(super) bytes: &'a [u8],
    pub(super) cells: &'a Cells,
    /// How many are kept of each record.
    pub(super) width: usize,
}

impl<'a> Fields<'a> {
    /// How many records there are.
    pub(super) fn rows(&self) -> usize {
        self.cells.rows
    }

    /// The fields of a column, counted among those that are kept.
    #[inline(always)]
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = Cell> + use<'a> {
        self.cells.cells.get(column..).unwrap_or_default().iter().step_by(self.width.max(1)).copied()
    }

    /// What they say.
    #[inline(always)]
    pub(super) fn texts(&self, column: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let fields = *self;
        self.cells(column).map(move |cell| fields.text(cell))
    }

    #[inline(always)]
    pub(super) fn text(&self, (start, end): Cell) -> &'a [u8] {
        if start & ELSEWHERE == 0 {
            &self.bytes[start as usize..end as usize]
        } else {
            &self.cells.made[(start & !ELSEWHERE) as usize..(end & !ELSEWHERE) as usize]
        }
    }

    /// Whether a field that is there was written in quotes. Before one that was not there is a delimiter or a line end.
    pub(super) fn is_quoted(&self, (start, _): Cell, quote: Option<u8>) -> bool {
        start & ELSEWHERE != 0 || (start > 0 && Some(self.bytes[start as usize - 1]) == quote)
    }
}

/// Some of the rows of a file, and what was made of them.
pub(super) struct Piece<T> {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) rows: usize,
    pub(super) made: T,
}

/// A file that is read in pieces.
pub(super) struct Pieces<'a> {
    pub(super) file: &'a FileBytes,
    pub(super) dialect: &'a Dialect,
    pub(super) layout: &'a Layout,
    /// Where the first record begins.
    pub(super) start: u64,
    /// About how many bytes a piece has.
    pub(super) length: u64,
}

/// What a thread works with.
#[derive(Default)]
pub(super) struct Work {
    window: Window,
    cells: Cells,
}

/// What makes something of records: of these fields, of records that are these bytes together.
pub(super) trait Make<T>: Fn(Fields<'_>, &[u8]) -> T + Sync {}
impl<T, F: Fn(Fields<'_>, &[u8]) -> T + Sync> Make<T> for F {}

/// All pieces of each file, in order; or which file there is trouble with.
pub(super) fn read_all<T: Send>(files: &[Pieces<'_>], threads: usize, make: impl Make<T>) -> Result<Vec<Vec<Piece<T>>>, (usize, Trouble)> {
    let work: Vec<(usize, usize)> =
        files.iter().enumerate().flat_map(|(at, file)| (0..file.count()).map(move |number| (at, number))).collect();
    let guess = |own: &mut Work, at: usize| match work[at] {
        // That is no guess: where it cannot be read, the rest need not be.
        (file, 0) => files[file].first(own, &make).map(Some).map_err(|trouble| (file, trouble)),
        (file, number) => Ok(files[file].guess(own, number, &make)),
    };
    let mut guessed = parallel_map(threads, work.len(), Work::default, guess)?.into_iter();
    let joined =
        files.iter().enumerate().map(|(at, file)| file.join(guessed.by_ref().take(file.count()), &make).map_err(|trouble| (at, trouble)));
    joined.collect()
}

impl Pieces<'_> {
    /// How many pieces there are to guess.
    fn count(&self) -> usize {
        (self.file.size().div_ceil(self.length) - self.start / self.length) as usize
    }

    /// Where the piece of a number should end.
    fn stop(&self, number: usize) -> u64 {
        self.length * (self.start / self.length + number as u64 + 1)
    }

    /// The first piece.
    fn first<T>(&self, work: &mut Work, make: &impl Make<T>) -> Result<Piece<T>, Trouble> {
        self.read(work, self.start, self.stop(0), usize::MAX, make)
    }

    /// A piece that is not the first, from the line that begins in it, if that is the beginning of a record.
    fn guess<T>(&self, work: &mut Work, number: usize, make: &impl Make<T>) -> Option<Piece<T>> {
        let (base, stop) = (self.stop(number - 1) - 1, self.stop(number));
        work.window.load(self.file, base, stop + AFTER).ok()?;
        let bytes = work.window.bytes();
        let line = memchr(b'\n', &bytes[..bytes.len().min(self.length as usize)])? + 1;
        work.cells.clear();
        let bounds = Bounds { furthest: FURTHEST, ..self.bounds() };
        // The first record begins after lines that are skipped.
        let start = work.window.records(&bounds, line, line, usize::MAX, &mut work.cells).ok()?;
        let end = work.window.records(&bounds, start, (stop - base) as usize, usize::MAX, &mut work.cells).ok()?;
        Some(self.piece(work, start, end, make))
    }

    /// The pieces that were guessed, those read again that are wrong.
    fn join<T>(&self, guessed: impl Iterator<Item = Option<Piece<T>>>, make: &impl Make<T>) -> Result<Vec<Piece<T>>, Trouble> {
        let mut work = Work::default();
        let mut pieces: Vec<Piece<T>> = Vec::new();
        let mut end = self.start;
        for (number, guess) in guessed.enumerate() {
            let stop = self.stop(number).min(self.file.size());
            let piece = match guess {
                Some(piece) if piece.start == end => piece,
                _ if end < stop => self.read(&mut work, end, stop, usize::MAX, make)?,
                _ => continue,
            };
            end = piece.end;
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// One piece after the other, until there are enough rows.
    pub(super) fn in_order<T>(&self, most: usize, make: impl Make<T>) -> Result<Vec<Piece<T>>, Trouble> {
        let mut work = Work::default();
        let (mut rows, mut end, mut pieces) = (0, self.start, Vec::new());
        while rows < most && end < self.file.size() {
            let piece = self.read(&mut work, end, end + self.length, most - rows, &make)?;
            (rows, end) = (rows + piece.rows, piece.end);
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// The records that begin before `stop`, at most `most` of them. One begins at `start`, or the file ends there.
    pub(super) fn read<T>(&self, work: &mut Work, start: u64, stop: u64, most: usize, make: &impl Make<T>) -> Result<Piece<T>, Trouble> {
        work.window.load(self.file, start, stop + AFTER)?;
        work.cells.clear();
        let end = work.window.records(&self.bounds(), 0, (stop - start) as usize, most, &mut work.cells)?;
        Ok(self.piece(work, 0, end, make))
    }

    fn bounds(&self) -> Bounds<'_> {
        Bounds { file: self.file, dialect: self.dialect, layout: self.layout, furthest: usize::MAX }
    }

    fn piece<T>(&self, work: &Work, start: usize, end: usize, make: &impl Make<T>) -> Piece<T> {
        let Work { window, cells } = work;
        let made = make(Fields { bytes: window.bytes(), cells, width: self.layout.count }, &window.bytes()[start..end]);
        Piece { start: window.base + start as u64, end: window.base + end as u64, rows: cells.rows, made }
    }
}
