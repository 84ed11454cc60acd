//! Records and their fields, by pandas' rules.

use super::scan::Scanner;

/// How fields are separated.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The separator between fields.
    pub delimiter: u8,
    /// The quote around fields, where there is one.
    pub quote: Option<u8>,
    /// What begins a comment, to the end of the line.
    pub comment: Option<u8>,
    /// Whether spaces at the beginning of a field are passed over.
    pub skip_space: bool,
}

/// Which fields of a record are kept.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// For each field of a record, whether it is.
    pub(super) kept: Vec<bool>,
    /// How many are.
    pub(super) count: usize,
    /// The most fields that a record may have.
    pub(super) most: usize,
}

impl Layout {
    pub(super) fn new(places: &[usize], most: usize) -> Layout {
        let mut kept = vec![false; places.iter().max().map_or(0, |last| last + 1)];
        places.iter().for_each(|place| kept[*place] = true);
        Layout { kept, count: places.len(), most }
    }
}

/// A field: where it begins and ends, in the text or, with [`ELSEWHERE`], among what was made of quotes.
pub(super) type Cell = (u32, u32);

/// Marks fields whose text is not in the file as it is.
pub(super) const ELSEWHERE: u32 = 1 << 31;

/// The kept fields of records, record by record.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) cells: Vec<Cell>,
    pub(super) rows: usize,
    pub(super) made: Vec<u8>,
    /// How many fields the last record had.
    pub(super) fields: usize,
}

/// Where reading records stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the beginning of a record, at or after the position where it should; or there are as many as were wanted.
    Done(usize),
    /// At the beginning of a record that is not all there.
    Unfinished(usize),
    /// At a record with too many fields.
    Long,
    /// In a quote that is never closed.
    Open,
}

/// Reads records from `at` on, as long as they begin before `stop` and there are fewer than `most`. With `last` the text ends where the bytes do.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) length: usize,
    pub(super) last: bool,
    pub(super) dialect: &'a Dialect,
    pub(super) layout: &'a Layout,
}

/// What a line is.
pub(super) enum Line {
    /// Nothing, and where the next one begins.
    Empty(usize),
    /// A record, and where it begins.
    Record(usize),
}

/// What finds the ends of fields, and quotes.
struct Scanners<'a> {
    ends: Scanner<'a>,
    quotes: Scanner<'a>,
}

/// How a field ended.
enum Ended {
    /// With a delimiter, after which the next begins.
    Field(usize),
    /// With its record, after which the next begins.
    Record(usize),
    Unfinished,
    Open,
}

impl Reader<'_> {
    pub(super) fn read(&self, at: usize, stop: usize, most: usize, into: &mut Cells) -> Stop {
        let comment = self.dialect.comment.unwrap_or(b'\n');
        let mut scanners = Scanners {
            ends: Scanner::new(self.bytes, self.length, [self.dialect.delimiter, b'\n', b'\r', comment]),
            quotes: Scanner::new(self.bytes, self.length, [self.dialect.quote.unwrap_or(b'\n'); 4]),
        };
        let mut at = at;
        while into.rows < most {
            // Where a record begins is reported without the lines before it that are skipped, so that both pieces at a boundary report the same.
            match self.skip(at) {
                Some(start) => at = start,
                None if self.last => return Stop::Done(self.length),
                None => return Stop::Unfinished(at),
            }
            if at >= stop {
                break;
            }
            match self.record(at, &mut scanners, into) {
                Ended::Record(next) => at = next,
                Ended::Unfinished | Ended::Field(_) => return Stop::Unfinished(at),
                Ended::Open => return Stop::Open,
            }
            if into.fields > self.layout.most {
                return Stop::Long;
            }
        }
        Stop::Done(at)
    }

    /// Where the next record begins, after lines that are skipped; `None` where the text ends before that is known.
    #[inline(always)]
    fn skip(&self, mut at: usize) -> Option<usize> {
        loop {
            if at >= self.length {
                return None;
            }
            let byte = self.bytes[at];
            if byte > b'#' && Some(byte) != self.dialect.comment {
                return Some(at);
            }
            match self.line(at)? {
                Line::Empty(next) => at = next,
                Line::Record(start) => return Some(start),
            }
        }
    }

    /// What a line is; `None` where the text ends before that is known.
    pub(super) fn line(&self, at: usize) -> Option<Line> {
        let byte = *self.bytes[..self.length].get(at)?;
        let end = match byte {
            b'\n' | b'\r' => at,
            _ if Some(byte) == self.dialect.comment => self.line_end(at)?,
            b' ' | b'\t' if byte != self.dialect.delimiter => {
                let blank = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != self.dialect.delimiter;
                let end = at + self.bytes[at..self.length].iter().position(|byte| !blank(byte))?;
                if !matches!(self.bytes[end], b'\n' | b'\r') {
                    // To read blanks that are no empty line, pandas goes back to the beginning of the line, before a delimiter that it passed over.
                    let passed = at > 0 && self.bytes[at - 1] == self.dialect.delimiter;
                    return Some(Line::Record(at - usize::from(passed)));
                }
                end
            }
            _ => return Some(Line::Record(at)),
        };
        if self.bytes[end] == b'\n' {
            return Some(Line::Empty(end + 1));
        }
        if end + 1 >= self.length {
            return self.last.then_some(Line::Empty(self.length));
        }
        // After an empty line that ends so, pandas passes over a delimiter too.
        let more = self.bytes[end + 1] == b'\n' || self.bytes[end + 1] == self.dialect.delimiter;
        Some(Line::Empty(end + 1 + usize::from(more)))
    }

    fn line_end(&self, at: usize) -> Option<usize> {
        self.bytes[at..self.length].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map(|place| at + place)
    }

    fn record(&self, at: usize, scanners: &mut Scanners<'_>, into: &mut Cells) -> Ended {
        let (before, made) = (into.cells.len(), into.made.len());
        let kept = &self.layout.kept;
        let mut field = 0;
        let mut at = at;
        loop {
            let mut cell = (0, 0);
            let ended = self.field(at, scanners, &mut cell, &mut into.made);
            match ended {
                Ended::Field(_) | Ended::Record(_) => {}
                _ => {
                    into.cells.truncate(before);
                    into.made.truncate(made);
                    return ended;
                }
            }
            if kept.get(field).copied().unwrap_or(false) {
                into.cells.push(cell);
            }
            field += 1;
            match ended {
                Ended::Field(next) => at = next,
                _ => {
                    into.fields = field;
                    into.rows += 1;
                    if field < kept.len() {
                        into.cells.resize(before + self.layout.count, (0, 0));
                    }
                    return ended;
                }
            }
        }
    }

    #[inline(always)]
    fn field(&self, mut at: usize, scanners: &mut Scanners<'_>, cell: &mut Cell, made: &mut Vec<u8>) -> Ended {
        if self.dialect.skip_space {
            while at < self.length && self.bytes[at] == b' ' && self.dialect.delimiter != b' ' {
                at += 1;
            }
        }
        // After the text there is slack, which is never a quote that counts.
        if at < self.length && Some(self.bytes[at]) == self.dialect.quote {
            return self.quoted(at + 1, scanners, cell, made);
        }
        let end = scanners.ends.next(at);
        *cell = (at as u32, end as u32);
        self.ended(end, scanners)
    }

    /// What comes after a field that ends here.
    #[inline(always)]
    fn ended(&self, end: usize, scanners: &mut Scanners<'_>) -> Ended {
        if end >= self.length {
            return if self.last { Ended::Record(self.length) } else { Ended::Unfinished };
        }
        let byte = self.bytes[end];
        if byte == self.dialect.delimiter {
            return Ended::Field(end + 1);
        }
        if byte == b'\n' {
            return Ended::Record(end + 1);
        }
        self.line_ended(end, scanners)
    }

    /// Where a record ends whose last line has a carriage return or a comment here.
    #[cold]
    fn line_ended(&self, mut end: usize, scanners: &mut Scanners<'_>) -> Ended {
        while end < self.length && !matches!(self.bytes[end], b'\n' | b'\r') {
            end = scanners.ends.next(end + 1);
        }
        if end + 1 >= self.length && !self.last {
            return Ended::Unfinished;
        }
        let two = end + 1 < self.length && self.bytes[end] == b'\r' && self.bytes[end + 1] == b'\n';
        Ended::Record((end + if two { 2 } else { 1 }).min(self.length))
    }

    /// A field after its opening quote.
    fn quoted(&self, start: usize, scanners: &mut Scanners<'_>, cell: &mut Cell, made: &mut Vec<u8>) -> Ended {
        let quote = self.dialect.quote.unwrap_or_default();
        let unclosed = || if self.last { Ended::Open } else { Ended::Unfinished };
        let mut close = scanners.quotes.next(start);
        if close >= self.length {
            return unclosed();
        }
        if close + 1 >= self.length {
            *cell = (start as u32, close as u32);
            return self.ended(self.length, scanners);
        }
        let ends = |byte: u8| byte == self.dialect.delimiter || byte == b'\n' || byte == b'\r';
        if ends(self.bytes[close + 1]) && self.bytes[close + 1] != quote {
            *cell = (start as u32, close as u32);
            return self.ended(close + 1, scanners);
        }
        let begin = made.len();
        let mut from = start;
        loop {
            made.extend_from_slice(&self.bytes[from..close]);
            if self.bytes.get(close + 1) == Some(&quote) && close + 1 < self.length {
                made.push(quote);
                from = close + 2;
                close = scanners.quotes.next(from);
                if close >= self.length {
                    return unclosed();
                }
                continue;
            }
            let end = if close + 1 >= self.length || ends(self.bytes[close + 1]) {
                close + 1
            } else {
                // What comes after a closing quote is the field's too; its first byte whatever it is.
                let end = scanners.ends.next(close + 2);
                made.extend_from_slice(&self.bytes[close + 1..end]);
                end
            };
            *cell = (begin as u32 | ELSEWHERE, made.len() as u32 | ELSEWHERE);
            return self.ended(end, scanners);
        }
    }
}

/// Passes over a line, as pandas does with those in `skiprows`. `None` where the text ends first.
pub(super) fn skip_line(bytes: &[u8], length: usize, dialect: &Dialect, mut at: usize) -> Option<usize> {
    let is_quote = |byte: u8| Some(byte) == dialect.quote;
    let first = *bytes[..length].get(at)?;
    if first == b'\n' {
        return Some(at + 1);
    }
    // The first byte is looked at no further, even where it ends a field or a line.
    at += 1;
    let mut inside = is_quote(first);
    let mut field_begins = false;
    while at < length {
        let byte = bytes[at];
        at += 1;
        if inside {
            if is_quote(byte) {
                if at < length && is_quote(bytes[at]) {
                    at += 1;
                } else {
                    inside = false;
                }
            }
            continue;
        }
        match byte {
            b'\n' => return Some(at),
            b'\r' => {
                let more = at < length && (bytes[at] == b'\n' || bytes[at] == dialect.delimiter);
                return Some(at + usize::from(more));
            }
            _ if field_begins && is_quote(byte) => inside = true,
            _ => field_begins = byte == dialect.delimiter,
        }
    }
    None
}
