//! What type fits all values of a column.

use super::options::{CsvInference, CsvOptions};
use super::stamp::stamp;
use super::token::{Next, Tokens};
use super::value::{Nulls, Whole, float, truth, whole};
use crate::source::text::{FileBytes, Piece};
use airloom_compute::data::{SourceError, cores, parallel_map};
use arrow::datatypes::{DataType, Field, TimeUnit};

/// What a column is read as.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) data_type: DataType,
    /// How many of its rows are null, after reading.
    pub(crate) nulls: u64,
    /// Whether a missing value is NaN, not null.
    pub(crate) nan: bool,
}

impl Column {
    pub(crate) fn field(&self, name: &str) -> Field {
        Field::new(name, self.data_type.clone(), self.nulls > 0)
    }
}

/// What the values seen so far may be.
#[derive(Clone, Debug)]
struct Guess {
    missing: u64,
    values: u64,
    signed: bool,
    unsigned: bool,
    /// Every value is an integer, of whatever length.
    whole: bool,
    float: bool,
    truth: bool,
    stamp: bool,
    /// Of the timestamps, whether any, and whether all, say how far from UTC they are.
    zoned: (bool, bool),
}

impl Guess {
    fn new(stamp: bool) -> Guess {
        Guess { missing: 0, values: 0, signed: true, unsigned: true, whole: true, float: true, truth: true, stamp, zoned: (false, true) }
    }

    fn see(&mut self, text: &[u8], options: &CsvOptions) {
        self.values += 1;
        if self.stamp {
            match stamp(text) {
                Some((_, zoned)) => self.zoned = (self.zoned.0 | zoned, self.zoned.1 & zoned),
                None => self.stamp = false,
            }
        }
        if self.truth {
            self.truth = truth(text).is_some();
        }
        if self.whole {
            match whole(text, options.thousands) {
                Whole::Signed(value) => self.unsigned &= value >= 0,
                Whole::Unsigned(_) => self.signed = false,
                Whole::Long => (self.signed, self.unsigned) = (false, false),
                Whole::None => self.whole = false,
            }
            if self.whole {
                return;
            }
        }
        if self.float {
            self.float = float(text, options.thousands).is_some();
        }
    }

    fn merge(&mut self, other: &Guess) {
        self.missing += other.missing;
        self.values += other.values;
        self.signed &= other.signed;
        self.unsigned &= other.unsigned;
        self.whole &= other.whole;
        self.float &= other.float;
        self.truth &= other.truth;
        self.stamp &= other.stamp;
        self.zoned = (self.zoned.0 | other.zoned.0, self.zoned.1 & other.zoned.1);
    }

    fn decide(&self, options: &CsvOptions) -> Column {
        let pandas = options.inference == CsvInference::Pandas;
        let holes = self.missing > 0;
        let data_type = if self.stamp && self.values > 0 && (!self.zoned.0 || self.zoned.1) {
            DataType::Timestamp(TimeUnit::Microsecond, self.zoned.0.then(|| "UTC".into()))
        } else if self.values == 0 {
            DataType::Float64
        } else if self.whole && self.signed {
            if pandas && holes { DataType::Float64 } else { DataType::Int64 }
        } else if self.whole && self.unsigned && !(pandas && holes) {
            DataType::UInt64
        } else if self.whole {
            // Numbers too long for any type keep their digits as text.
            DataType::Utf8View
        } else if self.float {
            DataType::Float64
        } else if self.truth {
            DataType::Boolean
        } else {
            DataType::Utf8View
        };
        let nan = pandas && data_type == DataType::Float64;
        Column { data_type, nulls: if nan { 0 } else { self.missing }, nan }
    }
}

/// Looks at every field of every piece, on all cores.
pub(crate) fn guess_all(files: &[FileBytes], pieces: &[Piece], names: &[String], options: &CsvOptions) -> Result<Vec<Column>, SourceError> {
    let nulls = Nulls::of(options);
    let fresh = || names.iter().map(|name| Guess::new(options.dates.contains(name))).collect::<Vec<_>>();
    let found = parallel_map(cores(), pieces.len(), Vec::new, |bytes, number| -> Result<_, SourceError> {
        let piece = &pieces[number];
        bytes.clear();
        files[piece.file].read(piece.start, piece.end, bytes)?;
        let mut guesses = fresh();
        see_piece(bytes, piece, options, &nulls, &mut guesses);
        Ok(guesses)
    })?;
    let mut all = fresh();
    for guesses in found {
        for (guess, more) in all.iter_mut().zip(&guesses) {
            guess.merge(more);
        }
    }
    let decided = all.iter().zip(names).map(|(guess, name)| match options.type_of(name) {
        Some(data_type) => Column { data_type: data_type.clone(), nulls: guess.missing, nan: false },
        None => guess.decide(options),
    });
    Ok(decided.collect())
}

fn see_piece(bytes: &[u8], piece: &Piece, options: &CsvOptions, nulls: &Nulls, guesses: &mut [Guess]) {
    let exact = options.inference == CsvInference::Exact;
    let mut tokens = Tokens::new(bytes, piece.first_line, true, options);
    let mut fields = Vec::new();
    while tokens.next(&mut fields) == Next::Record {
        for (at, guess) in guesses.iter_mut().enumerate() {
            let Some(field) = fields.get(at) else {
                guess.missing += 1;
                continue;
            };
            let text = field.text(bytes, options.quote);
            if nulls.contains(&text) && !(exact && field.is_quoted()) {
                guess.missing += 1;
            } else {
                guess.see(&text, options);
            }
        }
    }
}
