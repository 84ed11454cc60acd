//! The pieces of a file, read on several threads.

use super::convert::{Kind, Rows, Values};
use super::missing::{Missing, Truths};
use super::number::Digits;
use super::records::{Cells, Dialect, Layout};
use super::scan::find;
use super::window::{Bounds, Trouble, Window};
use airloom_compute::data::parallel_map;
use std::fs::File;
use std::path::PathBuf;

/// How many bytes after a piece are read with it: most records end there.
const AFTER: u64 = 1 << 12;
/// How far a record may reach beyond its piece before it is a guess that went wrong.
const FURTHEST: usize = 4 << 20;

/// A column to read.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Which field of a record it is.
    pub place: usize,
    /// What it is read as.
    pub kind: Kind,
    /// The texts of missing values, by their number in the request; `None` where there are none.
    pub missing: Option<usize>,
}

/// A file to read as a whole, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where it is.
    pub path: PathBuf,
    /// How fields are separated.
    pub dialect: Dialect,
    /// How numbers are written.
    pub digits: Digits,
    /// The texts of booleans.
    pub truths: Truths,
    /// The texts of missing values.
    pub missing: Vec<Missing>,
    /// Numbers of lines that are passed over, rising.
    pub skipped: Vec<u64>,
    /// How many records come before the data.
    pub header: usize,
    /// How many fields records have.
    pub width: usize,
    /// Whether a record may not have more of them.
    pub strict: bool,
    /// Whether the first record of the data must have as many.
    pub exact: bool,
    /// The columns, by ascending position.
    pub columns: Vec<Wanted>,
    /// How many rows are read at most.
    pub most: Option<usize>,
    /// After how many rows pandas looks at types anew, where it does.
    pub chunk: Option<usize>,
    /// On how many threads.
    pub threads: usize,
    /// About how many bytes are read at a time.
    pub piece: u64,
}

/// Some of the rows.
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) rows: usize,
    pub(super) columns: Vec<Values>,
}

/// What a thread works with.
#[derive(Default)]
struct Work {
    window: Window,
    cells: Cells,
}

pub(super) struct Gather<'a> {
    request: &'a Request,
    file: File,
    size: u64,
    layout: Layout,
    piece: u64,
}

fn told(trouble: Trouble) -> String {
    match trouble {
        Trouble::Long => "a line with too many fields".into(),
        Trouble::Open => "a quote that is never closed".into(),
        Trouble::Far => "a line that is too long".into(),
        Trouble::Unreadable(error) => format!("the file cannot be read: {error}"),
    }
}

impl<'a> Gather<'a> {
    pub(super) fn new(request: &'a Request) -> Result<Gather<'a>, String> {
        let file = File::open(&request.path).map_err(|error| error.to_string())?;
        let known = file.metadata().map_err(|error| error.to_string())?;
        if !known.is_file() {
            return Err("no plain file".into());
        }
        let places: Vec<usize> = request.columns.iter().map(|column| column.place).collect();
        let layout = Layout::new(&places, if request.strict { request.width } else { usize::MAX });
        Ok(Gather { request, file, size: known.len(), layout, piece: request.piece.max(1) })
    }

    /// All pieces, in order.
    pub(super) fn pieces(&self) -> Result<Vec<Piece>, String> {
        let count = self.size.div_ceil(self.piece).max(1) as usize;
        if let Some(most) = self.request.most {
            return self.in_order(most);
        }
        let mut guessed = self.parallel_map(count, |work, at| match at {
            0 => self.first(work, self.piece, usize::MAX).map(Some),
            _ => Ok(self.guessed(work, at as u64)),
        })?;
        let mut work = Work::default();
        let mut pieces: Vec<Piece> = Vec::with_capacity(count);
        for (at, found) in guessed.iter_mut().enumerate() {
            let stop = (self.piece * (at as u64 + 1)).min(self.size);
            match (pieces.last().map(|piece| piece.end), found.take()) {
                (None, Some(first)) => pieces.push(first),
                (Some(end), Some(piece)) if piece.start == end => pieces.push(piece),
                (Some(end), _) if end < stop => pieces.push(self.from(&mut work, end, stop, usize::MAX)?),
                _ => {}
            }
        }
        Ok(pieces)
    }

    /// The columns of a piece as text.
    pub(super) fn reread(&self, pieces: &[(&Piece, Vec<usize>)]) -> Result<Vec<Vec<Values>>, String> {
        let found = self.parallel_map(pieces.len(), |work, at| {
            let (piece, columns) = &pieces[at];
            work.window.load(&self.file, self.size, piece.start, piece.end + AFTER).map_err(told)?;
            work.cells = Cells::default();
            work.window
                .records(&self.bounds(usize::MAX), 0, (piece.end - piece.start) as usize, piece.rows, &mut work.cells)
                .map_err(told)?;
            if work.cells.rows != piece.rows {
                return Err("the file changed while it was read".to_string());
            }
            let rows = self.rows(work);
            Ok(columns.iter().map(|at| rows.text(*at, self.missing(*at))).collect())
        })?;
        Ok(found)
    }

    /// Whether the file is still what it was.
    pub(super) fn unchanged(&self) -> bool {
        let same = |before: std::fs::Metadata, after: std::fs::Metadata| {
            before.len() == self.size && before.modified().ok() == after.modified().ok()
        };
        match (self.file.metadata(), std::fs::metadata(&self.request.path)) {
            (Ok(before), Ok(after)) => same(before, after),
            _ => false,
        }
    }

    pub(super) fn missing(&self, column: usize) -> Option<&'a Missing> {
        self.request.columns[column].missing.map(|at| &self.request.missing[at])
    }

    fn bounds(&self, furthest: usize) -> Bounds<'_> {
        Bounds { file: &self.file, size: self.size, dialect: &self.request.dialect, layout: &self.layout, furthest }
    }

    /// Runs `work` for each index below `count` on the threads of the request.
    fn parallel_map<R: Send>(&self, count: usize, work: impl Fn(&mut Work, usize) -> Result<R, String> + Sync) -> Result<Vec<R>, String> {
        parallel_map(self.request.threads, count, Work::default, work)
    }

    /// One piece after the other, until there are enough rows.
    fn in_order(&self, most: usize) -> Result<Vec<Piece>, String> {
        let mut work = Work::default();
        let first = self.first(&mut work, self.piece, most)?;
        let (mut rows, mut end) = (first.rows, first.end);
        let mut pieces = vec![first];
        while rows < most && end < self.size {
            let piece = self.from(&mut work, end, end + self.piece, most - rows)?;
            (rows, end) = (rows + piece.rows, piece.end);
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// The piece at the beginning, with what comes before the data.
    fn first(&self, work: &mut Work, stop: u64, most: usize) -> Result<Piece, String> {
        work.window.load(&self.file, self.size, 0, stop + AFTER).map_err(told)?;
        let bounds = self.bounds(usize::MAX);
        let any = Layout { most: usize::MAX, ..self.layout.clone() };
        let lenient = Bounds { layout: &any, ..self.bounds(usize::MAX) };
        let cells = &mut work.cells;
        *cells = Cells::default();
        let mark = work.window.buffer[..work.window.length].starts_with(&[0xef, 0xbb, 0xbf]);
        let mut at = work.window.skip_lines(&lenient, if mark { 3 } else { 0 }, &self.request.skipped, cells).map_err(told)?;
        if cells.rows > 0 {
            return Err("lines between those that are skipped".into());
        }
        at = work.window.records(&lenient, at, usize::MAX, self.request.header, cells).map_err(told)?;
        *cells = Cells::default();
        let start = at;
        if most > 0 {
            at = work.window.records(&lenient, at, usize::MAX, 1, cells).map_err(told)?;
            if cells.fields > self.layout.most {
                return Err(told(Trouble::Long));
            }
            if self.request.exact && cells.rows > 0 && cells.fields != self.request.width {
                return Err("more names than columns".into());
            }
            at = work.window.records(&bounds, at, stop as usize, most, cells).map_err(told)?;
        }
        Ok(self.piece(work, start as u64, at as u64))
    }

    /// A piece from the line that begins in it, if that is the beginning of a record.
    fn guessed(&self, work: &mut Work, number: u64) -> Option<Piece> {
        let base = number * self.piece - 1;
        let stop = base + 1 + self.piece;
        work.window.load(&self.file, self.size, base, stop + AFTER).ok()?;
        let line = find(&work.window.buffer, work.window.length.min(self.piece as usize), 0, b'\n')? + 1;
        work.cells = Cells { cells: std::mem::take(&mut work.cells.cells), ..Cells::default() };
        work.cells.cells.clear();
        let bounds = self.bounds(FURTHEST);
        // The first record begins after lines that are skipped.
        let start = work.window.records(&bounds, line, line, usize::MAX, &mut work.cells).ok()?;
        let end = work.window.records(&bounds, start, (stop - base) as usize, usize::MAX, &mut work.cells).ok()?;
        Some(self.piece(work, base + start as u64, base + end as u64))
    }

    /// A piece from the beginning of a record on.
    fn from(&self, work: &mut Work, start: u64, stop: u64, most: usize) -> Result<Piece, String> {
        work.window.load(&self.file, self.size, start, stop + AFTER).map_err(told)?;
        work.cells = Cells::default();
        let end = work.window.records(&self.bounds(usize::MAX), 0, (stop - start) as usize, most, &mut work.cells).map_err(told)?;
        Ok(self.piece(work, start, start + end as u64))
    }

    fn rows<'w>(&'w self, work: &'w Work) -> Rows<'w> {
        Rows {
            bytes: &work.window.buffer,
            cells: &work.cells,
            width: self.layout.count,
            digits: self.request.digits,
            truths: &self.request.truths,
        }
    }

    fn piece(&self, work: &Work, start: u64, end: u64) -> Piece {
        let rows = self.rows(work);
        let columns = self.request.columns.iter().enumerate().map(|(at, column)| rows.column(at, column.kind, self.missing(at)));
        Piece { start, end, rows: work.cells.rows, columns: columns.collect() }
    }
}
