//! Records and their fields.

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
    /// Whether bytes at places where they rarely are mean what they mean to pandas: after an empty line that ends with a carriage return alone a delimiter is
    /// passed over, a comment right after a closing quote begins one byte later, and a line of blanks before a comment is a record.
    pub as_pandas: bool,
}

/// Which fields of a record are kept.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// For each field of a record, whether it is.
    kept: Vec<bool>,
    /// Whether those after them are.
    rest: bool,
    /// How many are, without those.
    pub(super) count: usize,
    /// The most fields that a record may have.
    pub(super) most: usize,
}

impl Layout {
    /// The fields at these positions, of records of at most `most` fields.
    pub(super) fn new(positions: &[usize], most: usize) -> Layout {
        let mut kept = vec![false; positions.iter().max().map_or(0, |last| last + 1)];
        positions.iter().for_each(|position| kept[*position] = true);
        Layout { kept, rest: false, count: positions.len(), most }
    }

    /// Every field of every record.
    pub(super) fn all() -> Layout {
        Layout { kept: Vec::new(), rest: true, count: 0, most: usize::MAX }
    }
}

/// A field: where it begins and ends, in the text or, with [`ELSEWHERE`], among what was made of quotes.
pub(super) type Cell = (u32, u32);

/// Marks fields whose text is not in the file as it is.
pub(super) const ELSEWHERE: u32 = 1 << 31;

/// The field of a record that is too short to have it. Read as a field it is empty; what is made of quotes never is.
pub(super) const ABSENT: Cell = (ELSEWHERE, ELSEWHERE);

/// The kept fields of records, record by record.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) cells: Vec<Cell>,
    pub(super) rows: usize,
    pub(super) made: Vec<u8>,
    /// How many fields the last record had.
    pub(super) fields: usize,
}

impl Cells {
    /// Forgets all of them, but not the memory they were in.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.made.clear();
        (self.rows, self.fields) = (0, 0);
    }
}

/// Where reading records stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the beginning of a record, at or after the position where it should; or there are as many as were wanted.
    Done(usize),
    /// At the beginning of a record that is not all there.
    Unfinished(usize),
    /// At the beginning of a record with too many fields.
    Long(usize),
    /// At the beginning of a record with a quote that is never closed.
    Open(usize),
}

/// Reads records from `at` on, as long as they begin before `stop` and there are fewer than `most`. With `last` the text ends where the bytes do.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
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
            ends: Scanner::new(self.bytes, [self.dialect.delimiter, b'\n', b'\r', comment]),
            quotes: Scanner::new(self.bytes, [self.dialect.quote.unwrap_or(b'\n'); 4]),
        };
        let mut at = at;
        while into.rows < most {
            // Where a record begins is reported without the lines before it that are skipped, so that both pieces at a boundary report the same.
            match self.skip(at) {
                Some(start) => at = start,
                None if self.last => return Stop::Done(self.bytes.len()),
                None => return Stop::Unfinished(at),
            }
            if at >= stop {
                break;
            }
            let start = at;
            match self.record(at, &mut scanners, into) {
                Ended::Record(next) => at = next,
                Ended::Unfinished | Ended::Field(_) => return Stop::Unfinished(at),
                Ended::Open => return Stop::Open(start),
            }
            if into.fields > self.layout.most {
                return Stop::Long(start);
            }
        }
        Stop::Done(at)
    }

    /// Where the next record begins, after lines that are skipped; `None` where the text ends before that is known.
    #[inline(always)]
    fn skip(&self, mut at: usize) -> Option<usize> {
        loop {
            if at >= self.bytes.len() {
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
        let byte = *self.bytes.get(at)?;
        let end = match byte {
            b'\n' | b'\r' => at,
            _ if Some(byte) == self.dialect.comment => self.line_end(at)?,
            b' ' | b'\t' if byte != self.dialect.delimiter => {
                let blank = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != self.dialect.delimiter;
                let end = at + self.bytes[at..].iter().position(|byte| !blank(byte))?;
                if Some(self.bytes[end]) == self.dialect.comment && !self.dialect.as_pandas {
                    self.line_end(end)?
                } else if matches!(self.bytes[end], b'\n' | b'\r') {
                    end
                } else {
                    // To read blanks that are no empty line, pandas goes back to the beginning of the line, before a delimiter that it passed over.
                    let passed = at > 0 && self.bytes[at - 1] == self.dialect.delimiter;
                    return Some(Line::Record(at - usize::from(passed)));
                }
            }
            _ => return Some(Line::Record(at)),
        };
        if self.bytes[end] == b'\n' {
            return Some(Line::Empty(end + 1));
        }
        if end + 1 >= self.bytes.len() {
            return self.last.then_some(Line::Empty(self.bytes.len()));
        }
        let more = self.bytes[end + 1] == b'\n' || (self.dialect.as_pandas && self.bytes[end + 1] == self.dialect.delimiter);
        Some(Line::Empty(end + 1 + usize::from(more)))
    }

    fn line_end(&self, at: usize) -> Option<usize> {
        self.bytes[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map(|place| at + place)
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
            if kept.get(field).copied().unwrap_or(self.layout.rest) {
                into.cells.push(cell);
            }
            field += 1;
            match ended {
                Ended::Field(next) => at = next,
                _ => {
                    into.fields = field;
                    into.rows += 1;
                    if field < kept.len() {
                        into.cells.resize(before + self.layout.count, ABSENT);
                    }
                    return ended;
                }
            }
        }
    }

    #[inline(always)]
    fn field(&self, mut at: usize, scanners: &mut Scanners<'_>, cell: &mut Cell, made: &mut Vec<u8>) -> Ended {
        if self.dialect.skip_space {
            while at < self.bytes.len() && self.bytes[at] == b' ' && self.dialect.delimiter != b' ' {
                at += 1;
            }
        }
        if at < self.bytes.len() && Some(self.bytes[at]) == self.dialect.quote {
            return self.quoted(at + 1, scanners, cell, made);
        }
        let end = scanners.ends.next(at);
        *cell = (at as u32, end as u32);
        self.ended(end, scanners)
    }

    /// What comes after a field that ends here.
    #[inline(always)]
    fn ended(&self, end: usize, scanners: &mut Scanners<'_>) -> Ended {
        if end >= self.bytes.len() {
            return if self.last { Ended::Record(self.bytes.len()) } else { Ended::Unfinished };
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
        while end < self.bytes.len() && !matches!(self.bytes[end], b'\n' | b'\r') {
            end = scanners.ends.next(end + 1);
        }
        if end + 1 >= self.bytes.len() && !self.last {
            return Ended::Unfinished;
        }
        let two = end + 1 < self.bytes.len() && self.bytes[end] == b'\r' && self.bytes[end + 1] == b'\n';
        Ended::Record((end + if two { 2 } else { 1 }).min(self.bytes.len()))
    }

    /// A field after its opening quote.
    fn quoted(&self, start: usize, scanners: &mut Scanners<'_>, cell: &mut Cell, made: &mut Vec<u8>) -> Ended {
        let quote = self.dialect.quote.unwrap_or_default();
        let unclosed = || if self.last { Ended::Open } else { Ended::Unfinished };
        let mut close = scanners.quotes.next(start);
        if close >= self.bytes.len() {
            return unclosed();
        }
        if close + 1 >= self.bytes.len() {
            *cell = (start as u32, close as u32);
            return self.ended(self.bytes.len(), scanners);
        }
        let comment = self.dialect.comment.filter(|_| !self.dialect.as_pandas);
        let ends = |byte: u8| byte == self.dialect.delimiter || byte == b'\n' || byte == b'\r' || Some(byte) == comment;
        if ends(self.bytes[close + 1]) && self.bytes[close + 1] != quote {
            *cell = (start as u32, close as u32);
            return self.ended(close + 1, scanners);
        }
        let begin = made.len();
        let mut from = start;
        loop {
            made.extend_from_slice(&self.bytes[from..close]);
            if self.bytes.get(close + 1) == Some(&quote) {
                made.push(quote);
                from = close + 2;
                close = scanners.quotes.next(from);
                if close >= self.bytes.len() {
                    return unclosed();
                }
                continue;
            }
            let end = if close + 1 >= self.bytes.len() || ends(self.bytes[close + 1]) {
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
