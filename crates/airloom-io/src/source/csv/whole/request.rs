//! What is read, and the pieces of it.

use super::convert::{Kind, Rows, Values};
use super::skip::skip_lines;
use crate::source::csv::missing::{Missing, Truths};
use crate::source::csv::number::Digits;
use crate::source::csv::pieces::{Fields, Piece, Pieces, Work, read_all};
use crate::source::csv::records::{Cells, Dialect, Layout};
use crate::source::csv::window::{Bounds, Trouble, Window};
use crate::source::text::FileBytes;
use airloom_compute::data::parallel_map;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

/// How much is read to find the first row.
const FIRST: u64 = 1 << 16;

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
    /// Where the first record to read begins, where that is known since those before it were read.
    pub start: Option<u64>,
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

/// The columns of a piece.
pub(super) type Columns = Piece<Vec<Values>>;

/// A file that is read.
pub(super) struct Gather<'a> {
    request: &'a Request,
    file: FileBytes,
    layout: Layout,
}

fn told(trouble: Trouble) -> String {
    match trouble {
        Trouble::Long(..) => "a line with too many fields".into(),
        Trouble::Open(_) => "a quote that is never closed".into(),
        Trouble::Far(_) => "a line that is too long".into(),
        Trouble::Unreadable(error) => format!("the file cannot be read: {}", error.message),
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
        Ok(Gather { request, file: FileBytes::Local { path: request.path.clone(), file: Arc::new(file), size: known.len() }, layout })
    }

    /// All pieces, in order, and where they end.
    pub(super) fn pieces(&self) -> Result<(Vec<Columns>, u64), String> {
        let start = self.request.start.map_or_else(|| self.beginning(), Ok)?;
        let found = self.pieces_from(start)?;
        let end = found.last().map_or(start, |piece| piece.end);
        Ok((found, end))
    }

    fn pieces_from(&self, start: u64) -> Result<Vec<Columns>, String> {
        let pieces = self.from(start);
        let make = |fields: Fields<'_>, _: &[u8]| {
            let rows = self.rows(fields);
            let columns = self.request.columns.iter().enumerate();
            columns.map(|(at, column)| rows.column(at, column.kind, self.missing(at))).collect::<Vec<Values>>()
        };
        match self.request.most {
            Some(most) => pieces.in_order(most, make).map_err(told),
            None => {
                let found = read_all(&[pieces], self.request.threads, make).map_err(|(_, trouble)| told(trouble))?;
                Ok(found.into_iter().flatten().collect())
            }
        }
    }

    /// The columns of a piece as text.
    pub(super) fn reread(&self, pieces: &[(&Columns, Vec<usize>)]) -> Result<Vec<Vec<Values>>, String> {
        let file = self.from(0);
        parallel_map(self.request.threads, pieces.len(), Work::default, |work, at| {
            let (piece, columns) = &pieces[at];
            let make = |fields: Fields<'_>, _: &[u8]| columns.iter().map(|at| self.rows(fields).text(*at, self.missing(*at))).collect();
            let read = file.read(work, piece.start, piece.end, piece.rows, &make).map_err(told)?;
            if read.rows != piece.rows { Err("the file changed while it was read".to_string()) } else { Ok(read.made) }
        })
    }

    /// Whether the file is still what it was.
    pub(super) fn unchanged(&self) -> bool {
        let FileBytes::Local { path, file, size } = &self.file else { return true };
        let same =
            |before: std::fs::Metadata, after: std::fs::Metadata| before.len() == *size && before.modified().ok() == after.modified().ok();
        match (file.metadata(), std::fs::metadata(path)) {
            (Ok(before), Ok(after)) => same(before, after),
            _ => false,
        }
    }

    fn missing(&self, column: usize) -> Option<&'a Missing> {
        self.request.columns[column].missing.map(|at| &self.request.missing[at])
    }

    fn rows<'f>(&'f self, fields: Fields<'f>) -> Rows<'f> {
        Rows { fields, digits: self.request.digits, truths: &self.request.truths }
    }

    /// The pieces from a position on.
    fn from(&self, start: u64) -> Pieces<'_> {
        let Request { dialect, piece, .. } = self.request;
        Pieces { file: &self.file, dialect, layout: &self.layout, start, length: (*piece).max(1) }
    }

    /// Where the data begin.
    fn beginning(&self) -> Result<u64, String> {
        let any = Layout::all();
        let bounds = Bounds { file: &self.file, dialect: &self.request.dialect, layout: &any, furthest: usize::MAX };
        let (mut window, mut cells) = (Window::default(), Cells::default());
        window.load(&self.file, 0, FIRST).map_err(told)?;
        let mark = window.bytes().starts_with(&[0xef, 0xbb, 0xbf]);
        let at = skip_lines(&mut window, &bounds, if mark { 3 } else { 0 }, &self.request.skipped, &mut cells).map_err(told)?;
        if cells.rows > 0 {
            return Err("lines between those that are skipped".into());
        }
        let start = window.records(&bounds, at, usize::MAX, self.request.header, &mut cells).map_err(told)?;
        cells.clear();
        if self.request.exact && self.request.most != Some(0) {
            window.records(&bounds, start, usize::MAX, 1, &mut cells).map_err(told)?;
            if cells.fields > self.layout.most {
                return Err(told(Trouble::Long(start as u64, cells.fields)));
            }
            if cells.rows > 0 && cells.fields != self.request.width {
                return Err("more names than columns".into());
            }
        }
        Ok(start as u64)
    }
}
