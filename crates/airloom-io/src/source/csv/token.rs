//! Records and fields in bytes.

use super::options::CsvOptions;
use std::borrow::Cow;

/// A field, by its position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldAt {
    start: usize,
    end: usize,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// As it is in the file.
    Plain,
    /// As it is between quotes.
    Quoted,
    /// With quotes to be taken out.
    Mixed,
}

impl FieldAt {
    /// What the field says.
    pub(crate) fn text<'a>(&self, bytes: &'a [u8], quote: Option<u8>) -> Cow<'a, [u8]> {
        let raw = &bytes[self.start..self.end];
        match (self.shape, quote) {
            (Shape::Mixed, Some(quote)) => Cow::Owned(unquoted(raw, quote)),
            _ => Cow::Borrowed(raw),
        }
    }

    pub(crate) fn is_quoted(&self) -> bool {
        self.shape != Shape::Plain
    }
}

/// What a quoted field says: up to the closing quote a doubled quote is one, and after it everything is taken as it is.
fn unquoted(raw: &[u8], quote: u8) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut inside = false;
    let mut at = 0;
    while at < raw.len() {
        let byte = raw[at];
        at += 1;
        if byte != quote {
            text.push(byte);
        } else if at == 1 {
            inside = true;
        } else if inside && raw.get(at) == Some(&quote) {
            text.push(quote);
            at += 1;
        } else if inside {
            inside = false;
        } else {
            text.push(quote);
        }
    }
    text
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A record.
    Record,
    /// The bytes ended in the middle of a record, and more may follow.
    Unfinished,
    /// Nothing.
    End,
    /// The bytes ended in quotes, and nothing follows.
    OpenQuote,
}

/// Reads records one after the other.
pub(crate) struct Tokens<'a> {
    bytes: &'a [u8],
    /// Where the next record begins.
    pub(crate) at: usize,
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// Whether no more bytes will come.
    last: bool,
    delimiter: u8,
    quote: Option<u8>,
    comment: Option<u8>,
    stops: [bool; 256],
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8], line: u64, last: bool, options: &CsvOptions) -> Tokens<'a> {
        let mut stops = [false; 256];
        for byte in [Some(options.delimiter), Some(b'\n'), Some(b'\r'), options.comment].into_iter().flatten() {
            stops[usize::from(byte)] = true;
        }
        Tokens { bytes, at: 0, line, last, delimiter: options.delimiter, quote: options.quote, comment: options.comment, stops }
    }

    /// The next record that is not a blank line, its fields in `fields`. Where it is unfinished, `at` and `line` stay where it begins.
    pub(crate) fn next(&mut self, fields: &mut Vec<FieldAt>) -> Next {
        loop {
            fields.clear();
            let (start, line) = (self.at, self.line);
            let next = self.record(fields);
            if matches!(next, Next::Unfinished | Next::OpenQuote) {
                (self.at, self.line) = (start, line);
            }
            if next != Next::Record || !self.is_blank(fields) {
                return next;
            }
        }
    }

    /// The next line, whatever is in it.
    pub(crate) fn skip_line(&mut self) -> Next {
        if self.at >= self.bytes.len() {
            return if self.last { Next::End } else { Next::Unfinished };
        }
        match self.bytes[self.at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(length) => {
                let at = self.at + length;
                if self.bytes[at] == b'\r' && at + 1 == self.bytes.len() && !self.last {
                    return Next::Unfinished;
                }
                self.at = at;
                self.end_line();
                Next::Record
            }
            None if self.last => {
                self.at = self.bytes.len();
                Next::Record
            }
            None => Next::Unfinished,
        }
    }

    fn is_blank(&self, fields: &[FieldAt]) -> bool {
        match fields {
            [] => true,
            [only] => only.shape == Shape::Plain && self.bytes[only.start..only.end].iter().all(|byte| matches!(byte, b' ' | b'\t')),
            _ => false,
        }
    }

    fn record(&mut self, fields: &mut Vec<FieldAt>) -> Next {
        let bytes = self.bytes;
        if self.at >= bytes.len() {
            return if self.last { Next::End } else { Next::Unfinished };
        }
        loop {
            let start = self.at;
            let mut shape = Shape::Plain;
            if self.quote.is_some() && bytes.get(start).copied() == self.quote {
                match self.quoted(start) {
                    Ok(found) => shape = found,
                    Err(next) => return next,
                }
            }
            while self.at < bytes.len() && !self.stops[usize::from(bytes[self.at])] {
                self.at += 1;
            }
            let (start, end) = match shape {
                Shape::Quoted => (start + 1, self.at - 1),
                _ => (start, self.at),
            };
            match bytes.get(self.at).copied() {
                Some(byte) if byte == self.delimiter => {
                    fields.push(FieldAt { start, end, shape });
                    self.at += 1;
                }
                Some(byte) if Some(byte) == self.comment => {
                    if !(fields.is_empty() && start == end) {
                        fields.push(FieldAt { start, end, shape });
                    }
                    return match self.skip_line() {
                        Next::Record => Next::Record,
                        other => other,
                    };
                }
                // Whether a line feed follows the carriage return is not known yet.
                Some(b'\r') if self.at + 1 == bytes.len() && !self.last => return Next::Unfinished,
                Some(_) => {
                    fields.push(FieldAt { start, end, shape });
                    self.end_line();
                    return Next::Record;
                }
                None if self.last => {
                    fields.push(FieldAt { start, end, shape });
                    return Next::Record;
                }
                None => return Next::Unfinished,
            }
        }
    }

    /// Passes over a field that begins with a quote, up to its delimiter or line end.
    fn quoted(&mut self, start: usize) -> Result<Shape, Next> {
        let bytes = self.bytes;
        let mut doubled = false;
        self.at = start + 1;
        loop {
            let Some(byte) = bytes.get(self.at).copied() else {
                return Err(if self.last { Next::OpenQuote } else { Next::Unfinished });
            };
            self.at += 1;
            if byte == b'\n' || (byte == b'\r' && bytes.get(self.at) != Some(&b'\n')) {
                self.line += 1;
            }
            if Some(byte) != self.quote {
                continue;
            }
            match bytes.get(self.at).copied() {
                Some(next) if Some(next) == self.quote => {
                    doubled = true;
                    self.at += 1;
                }
                None if !self.last => return Err(Next::Unfinished),
                Some(next) if !self.stops[usize::from(next)] => return Ok(Shape::Mixed),
                _ => return Ok(if doubled { Shape::Mixed } else { Shape::Quoted }),
            }
        }
    }

    fn end_line(&mut self) {
        let two = self.bytes[self.at] == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
        self.at += if two { 2 } else { 1 };
        self.line += 1;
    }
}
