//! Where the records of a file are, and what its columns are called.

use super::options::CsvOptions;
use super::token::{Next, Tokens};
use crate::source::text::{FileBytes, Piece};
use airloom_compute::data::SourceError;
use std::collections::HashSet;

/// How many bytes are looked through at a time.
const WINDOW: u64 = 8 << 20;
/// About how many bytes a piece has.
const PIECE: u64 = 1 << 20;

/// What a file turned out to be.
pub(crate) struct Found {
    pub(crate) names: Vec<String>,
    pub(crate) pieces: Vec<Piece>,
}

/// Looks through a file once.
pub(crate) fn cut(file: &FileBytes, number: usize, options: &CsvOptions) -> Result<Found, SourceError> {
    let mut cutter = Cutter { options, number, names: None, pieces: Vec::new(), left: options.skip_rows };
    let size = file.size();
    let mut bytes = Vec::new();
    // Where the first of `bytes` is in the file, and how far the file has been read.
    let (mut base, mut read) = (0, 0);
    let mut line = 1;
    let mut fields = Vec::new();
    loop {
        let end = size.min(read + WINDOW);
        file.read(read, end, &mut bytes)?;
        if read == 0 {
            base = check_beginning(&bytes)?;
            bytes.drain(..base as usize);
        }
        read = end;
        let mut tokens = Tokens::new(&bytes, line, read == size, options);
        loop {
            let (start, first_line) = (tokens.at, tokens.line);
            let next = if cutter.left > 0 { tokens.skip_line() } else { tokens.next(&mut fields) };
            match next {
                Next::Record => cutter.record(&bytes, &fields, base + start as u64, base + tokens.at as u64, first_line)?,
                Next::Unfinished => break,
                Next::End => return cutter.finish(),
                Next::OpenQuote => {
                    return Err(SourceError::world(format!("line {first_line}: a quote is opened and never closed")));
                }
            }
        }
        base += tokens.at as u64;
        line = tokens.line;
        let done = tokens.at;
        bytes.drain(..done);
    }
}

/// How many bytes of a mark of UTF-8 to pass over; other encodings are not read.
fn check_beginning(bytes: &[u8]) -> Result<u64, SourceError> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(SourceError::user("the file is in UTF-16, and only UTF-8 is read")),
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'B', b'Z', b'h', ..] | [b'P', b'K', 3, 4, ..] => {
            Err(SourceError::refused("the file is compressed, and only plain text is read"))
        }
        _ => Ok(0),
    }
}

struct Cutter<'a> {
    options: &'a CsvOptions,
    number: usize,
    names: Option<Vec<String>>,
    pieces: Vec<Piece>,
    /// How many lines are still to be passed over.
    left: usize,
}

impl Cutter<'_> {
    fn record(&mut self, bytes: &[u8], fields: &[super::token::FieldAt], start: u64, end: u64, line: u64) -> Result<(), SourceError> {
        if self.left > 0 {
            self.left -= 1;
            return Ok(());
        }
        let Some(names) = &self.names else {
            let texts: Vec<_> = fields.iter().map(|field| field.text(bytes, self.options.quote)).collect();
            self.names = Some(self.name_columns(&texts, line)?);
            if self.options.header {
                return Ok(());
            }
            return self.record(bytes, fields, start, end, line);
        };
        if fields.len() > names.len() {
            return Err(SourceError::world(format!("line {line}: {} fields were expected, and {} found", names.len(), fields.len())));
        }
        match self.pieces.last_mut() {
            Some(piece) if end - piece.start <= PIECE => {
                piece.end = end;
                piece.rows += 1;
            }
            _ => self.pieces.push(Piece { file: self.number, start, end, rows: 1, first_line: line }),
        }
        Ok(())
    }

    fn name_columns(&self, first: &[std::borrow::Cow<'_, [u8]>], line: u64) -> Result<Vec<String>, SourceError> {
        if let Some(names) = &self.options.names {
            if names.len() < first.len() {
                return Err(SourceError::user(format!("{} names are given for the {} columns of line {line}", names.len(), first.len())));
            }
            return different(names.clone());
        }
        if !self.options.header {
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

    fn finish(self) -> Result<Found, SourceError> {
        match self.names.or_else(|| self.options.names.clone()) {
            Some(names) => Ok(Found { names, pieces: self.pieces }),
            None => Err(SourceError::user("the file is empty: there are no columns to read")),
        }
    }
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
