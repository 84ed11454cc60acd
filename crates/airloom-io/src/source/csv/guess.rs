//! What type fits all values of a column.

use super::number::{Whole, float, whole};
use super::options::{CsvInference, CsvOptions};
use super::pieces::Fields;
use super::timestamp::timestamp_of_any;
use super::values::Rules;
use arrow::datatypes::{DataType, Field, TimeUnit};

/// What a column is read as.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) data_type: DataType,
    /// How many of its rows are null, after reading.
    pub(super) nulls: u64,
    /// Whether a missing value is NaN, not null.
    pub(super) nan: bool,
}

impl Column {
    pub(super) fn field(&self, name: &str) -> Field {
        Field::new(name, self.data_type.clone(), self.nulls > 0)
    }
}

/// What the values seen so far may be.
#[derive(Clone, Debug)]
pub(super) struct Guess {
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
    /// Before any value of a column was seen.
    pub(super) fn of(name: &str, options: &CsvOptions) -> Guess {
        // Where the type is given, only what is missing is counted.
        let open = options.type_of(name).is_none();
        let stamp = open && options.dates.iter().any(|date| date == name);
        Guess { missing: 0, values: 0, signed: open, unsigned: open, whole: open, float: open, truth: open, stamp, zoned: (false, true) }
    }

    /// Looks at the values of a column of these fields.
    pub(super) fn see_all(&mut self, fields: Fields<'_>, column: usize, rules: &Rules) {
        for value in rules.values(fields, column) {
            match value {
                Some(text) => self.see(text, rules),
                None => self.missing += 1,
            }
        }
    }

    #[inline(always)]
    fn see(&mut self, text: &[u8], rules: &Rules) {
        self.values += 1;
        if self.stamp {
            match timestamp_of_any(text) {
                Some((_, zoned)) => self.zoned = (self.zoned.0 | zoned, self.zoned.1 & zoned),
                None => self.stamp = false,
            }
        }
        if self.truth {
            self.truth = rules.truths.read(text).is_some();
        }
        if self.whole {
            match whole(text, rules.digits) {
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
            self.float = float(text, rules.digits).is_some();
        }
    }

    pub(super) fn merge(&mut self, other: &Guess) {
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

    /// What the column of this name is read as.
    pub(super) fn decide(&self, name: &str, options: &CsvOptions) -> Column {
        if let Some(data_type) = options.type_of(name) {
            return Column { data_type: data_type.clone(), nulls: self.missing, nan: false };
        }
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
