//! The records of a piece.

use super::column::Column;
use super::number::{Number, number};
use super::text::text;
use memchr::memchr;
use std::collections::HashMap;

/// Some of the records, column by column, in the order in which their keys first occur.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) rows: usize,
    pub(super) columns: Vec<Column>,
    places: HashMap<Vec<u8>, usize>,
}

/// The records of these bytes: one on each line, or with commas between them.
pub(super) fn parse(bytes: &[u8], lines: bool, precise: bool) -> Result<Piece, &'static str> {
    if std::str::from_utf8(bytes).is_err() {
        return Err("text that is not UTF-8");
    }
    if memchr(0, bytes).is_some() {
        return Err("a zero among the text");
    }
    let mut reading = Reading { bytes, at: 0, precise, piece: Piece::default(), key: Vec::new() };
    if lines {
        // No line end belongs to a record, not even within a text.
        for line in bytes.split(|byte| *byte == b'\n') {
            reading.line(line)?;
        }
    } else {
        reading.list()?;
    }
    let mut piece = reading.piece;
    let rows = piece.rows;
    piece.columns.iter_mut().for_each(|column| column.fill(rows));
    Ok(piece)
}

struct Reading<'a> {
    bytes: &'a [u8],
    at: usize,
    precise: bool,
    piece: Piece,
    /// The key that was read last, where something in it was escaped.
    key: Vec<u8>,
}

impl<'a> Reading<'a> {
    fn line(&mut self, line: &'a [u8]) -> Result<(), &'static str> {
        (self.bytes, self.at) = (line, 0);
        self.skip();
        match self.next() {
            None => return Ok(()),
            Some(b'{') => self.record()?,
            Some(_) => return Err("a line that is no record"),
        }
        self.skip();
        if self.next().is_some() { Err("a line of more than one record") } else { Ok(()) }
    }

    fn list(&mut self) -> Result<(), &'static str> {
        loop {
            self.skip();
            if self.next() != Some(b'{') {
                return Err("something else than records in an array");
            }
            self.record()?;
            self.skip();
            match self.next() {
                None => return Ok(()),
                Some(b',') => {}
                Some(_) => return Err("something else than a comma between records"),
            }
        }
    }

    /// Reads a record, after its opening brace.
    fn record(&mut self) -> Result<(), &'static str> {
        let row = self.piece.rows;
        self.piece.rows += 1;
        self.skip();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        let mut expected = 0;
        loop {
            self.skip();
            let place = self.key(expected)?;
            expected = place + 1;
            self.skip();
            if self.next() != Some(b':') {
                return Err("a key without a value");
            }
            self.skip();
            self.value(place, row)?;
            self.skip();
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(()),
                _ => return Err("a record that is not closed"),
            }
        }
    }

    /// Reads a key: the position of its column, which is mostly the one that is expected.
    fn key(&mut self, expected: usize) -> Result<usize, &'static str> {
        if self.next() != Some(b'"') {
            return Err("a key that is no text");
        }
        let rest = &self.bytes[self.at..];
        if let Some(column) = self.piece.columns.get(expected) {
            let length = column.name.len();
            if column.plain && rest.len() > length && rest[length] == b'"' && rest[..length] == *column.name {
                self.at += length + 1;
                return Ok(expected);
            }
        }
        self.key.clear();
        self.at += text(rest, &mut self.key)?;
        if let Some(place) = self.piece.places.get(&self.key) {
            return Ok(*place);
        }
        let place = self.piece.columns.len();
        self.piece.places.insert(self.key.clone(), place);
        self.piece.columns.push(Column::new(self.key.clone()));
        Ok(place)
    }

    /// Reads a value into a column.
    fn value(&mut self, place: usize, row: usize) -> Result<(), &'static str> {
        let column = &mut self.piece.columns[place];
        if column.rows > row {
            return Err("a duplicate key in a record");
        }
        column.fill(row);
        let rest = &self.bytes[self.at..];
        let length = match rest.first() {
            Some(b'"') => column.text(|out| text(&rest[1..], out))? + 1,
            Some(b'-' | b'0'..=b'9') if !rest.starts_with(b"-I") => {
                let (value, length) = number(rest, self.precise)?;
                column.number(value)?;
                length
            }
            Some(b'{' | b'[') => return Err("values within values"),
            _ => {
                let (word, length) = word(rest)?;
                match word {
                    Word::Null => column.null(),
                    Word::Truth(value) => column.truth(value)?,
                    Word::Float(value) => column.number(Number::Float(value))?,
                }
                length
            }
        };
        self.at += length;
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Passes over space.
    fn skip(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }
}

enum Word {
    Null,
    Truth(bool),
    Float(f64),
}

/// A value that is a word, and how long that is. Not a number is null for pandas.
fn word(bytes: &[u8]) -> Result<(Word, usize), &'static str> {
    let words: [(&[u8], Word); 6] = [
        (b"null", Word::Null),
        (b"true", Word::Truth(true)),
        (b"false", Word::Truth(false)),
        (b"NaN", Word::Null),
        (b"Infinity", Word::Float(f64::INFINITY)),
        (b"-Infinity", Word::Float(f64::NEG_INFINITY)),
    ];
    let found = words.into_iter().find(|(text, _)| bytes.starts_with(text));
    found.map(|(text, word)| (word, text.len())).ok_or("a value that JSON does not know")
}
