//! How a file begins: what its columns are called, and where its first row is.

use super::options::CsvOptions;
use super::pieces::Fields;
use super::records::{Cells, Dialect, Layout};
use super::window::{Bounds, Trouble, Window};
use crate::source::text::FileBytes;
use airloom_compute::data::SourceError;
use memchr::{memchr_iter, memchr2};
use std::collections::HashSet;

/// How much is read at first.
const FIRST: u64 = 1 << 16;

/// How a file begins.
pub(super) struct Beginning {
    pub(super) names: Vec<String>,
    /// Where the first row begins.
    pub(super) start: u64,
    /// On which line, from 1.
    pub(super) line: u64,
}

/// Looks at the beginning of a file.
pub(super) fn beginning(file: &FileBytes, dialect: &Dialect, options: &CsvOptions) -> Result<Beginning, SourceError> {
    let all = Layout::all();
    let bounds = Bounds { file, dialect, layout: &all, furthest: usize::MAX };
    let told = |trouble| told(file, usize::MAX, trouble);
    let mut window = Window::default();
    window.load(file, 0, FIRST).map_err(told)?;
    let mut at = check_mark(window.bytes())?;
    for _ in 0..options.skip_rows {
        at = skip_line(&mut window, &bounds, at).map_err(told)?;
    }
    let mut cells = Cells::default();
    let start = window.records(&bounds, at, at, 1, &mut cells).map_err(told)?;
    let end = window.records(&bounds, start, usize::MAX, 1, &mut cells).map_err(told)?;
    if cells.rows == 0 {
        let names = options.names.clone().ok_or_else(|| SourceError::user("the file is empty: there are no columns to read"))?;
        return Ok(Beginning { names: different(names)?, start: file.size(), line: 1 });
    }
    let fields = Fields { bytes: window.bytes(), cells: &cells, width: cells.fields };
    let first: Vec<&[u8]> = cells.cells.iter().map(|cell| fields.text(*cell)).collect();
    let line = |at: usize| 1 + count_lines(&window.bytes()[..at]);
    let names = name_columns(&first, line(start), options)?;
    let start = if options.header { end } else { start };
    Ok(Beginning { names, start: start as u64, line: line(start) })
}

/// How many lines end in these bytes.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    let alone = memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n')).count();
    (memchr_iter(b'\n', bytes).count() + alone) as u64
}

/// What went wrong, and on which line. Lines are counted only now: hardly ever does anybody need their numbers.
pub(super) fn told(file: &FileBytes, expected: usize, trouble: Trouble) -> SourceError {
    let line = |at: u64| -> Result<u64, SourceError> {
        let (mut line, mut returned, mut bytes) = (1, false, Vec::new());
        for start in (0..at).step_by(1 << 20) {
            bytes.clear();
            file.read(start, at.min(start + (1 << 20)), &mut bytes)?;
            // A carriage return at the end of the bytes before was counted, and may be one of two.
            line += count_lines(&bytes) - u64::from(returned && bytes.first() == Some(&b'\n'));
            returned = bytes.last() == Some(&b'\r');
        }
        Ok(line)
    };
    let at_line = |at: u64, what: String| match line(at) {
        Ok(line) => SourceError::world(format!("line {line}: {what}")),
        Err(error) => error,
    };
    match trouble {
        Trouble::Long(at, fields) => at_line(at, format!("{expected} fields were expected, and {fields} found")),
        Trouble::Open(at) => at_line(at, "a quote is opened and never closed".into()),
        Trouble::Far(at) => at_line(at, "a row from here on has more than 2 GiB".into()),
        Trouble::Unreadable(error) => error,
    }
}

/// How many bytes of a mark of UTF-8 to pass over; other encodings are not read.
fn check_mark(bytes: &[u8]) -> Result<usize, SourceError> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(SourceError::user("the file is in UTF-16, and only UTF-8 is read")),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'B', b'Z', b'h', ..] | [b'P', b'K', 3, 4, ..] => {
            Err(SourceError::refused("the file is compressed, and only plain text is read"))
        }
        _ => Ok(0),
    }
}

/// Where the next line begins, whatever is in this one; the end of the file where there is none.
fn skip_line(window: &mut Window, bounds: &Bounds<'_>, at: usize) -> Result<usize, Trouble> {
    loop {
        let (bytes, last) = (window.bytes(), window.is_last(bounds.file));
        match memchr2(b'\n', b'\r', &bytes[at..]).map(|length| at + length) {
            Some(end) if bytes[end] == b'\n' => return Ok(end + 1),
            // Whether a line feed follows the carriage return is not known yet.
            Some(end) if end + 1 < bytes.len() || last => return Ok(end + 1 + usize::from(bytes.get(end + 1) == Some(&b'\n'))),
            None if last => return Ok(bytes.len()),
            _ => window.grow(bounds)?,
        }
    }
}

fn name_columns(first: &[&[u8]], line: u64, options: &CsvOptions) -> Result<Vec<String>, SourceError> {
    if let Some(names) = &options.names {
        if names.len() < first.len() {
            return Err(SourceError::user(format!("{} names are given for the {} columns of line {line}", names.len(), first.len())));
        }
        return different(names.clone());
    }
    if !options.header {
        return Ok((0..first.len()).map(|at| at.to_string()).collect());
    }
    let mut names = Vec::with_capacity(first.len());
    for (at, text) in first.iter().enumerate() {
        let text = std::str::from_utf8(text)
            .map_err(|_| SourceError::world(format!("line {line}: the name of column {at} is not valid UTF-8")))?;
        names.push(if text.is_empty() { format!("Unnamed: {at}") } else { text.to_string() });
    }
    Ok(numbered(names))
}

fn different(names: Vec<String>) -> Result<Vec<String>, SourceError> {
    let mut seen = HashSet::new();
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => Err(SourceError::user(format!("two columns are given the name `{name}`"))),
        None => Ok(names),
    }
}

/// The second `a` is called `a.1`, the third `a.2`, unless a column has that name of its own.
fn numbered(names: Vec<String>) -> Vec<String> {
    let own: HashSet<String> = names.iter().cloned().collect();
    let mut taken = HashSet::new();
    let mut result = Vec::with_capacity(names.len());
    for name in names {
        let mut unique = name.clone();
        let mut number = 0;
        while !taken.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}.{number}");
            while own.contains(&unique) || taken.contains(&unique) {
                number += 1;
                unique = format!("{name}.{number}");
            }
        }
        result.push(unique);
    }
    result
}
