//! The fields of a piece as columns.

use crate::source::csv::missing::{Missing, Truths};
use crate::source::csv::number::{Digits, Whole, float, whole};
use crate::source::csv::pieces::Fields;
use crate::source::csv::timestamp::{Form, timestamp};

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whatever its values are.
    Any,
    /// Integers, none missing.
    Whole,
    /// Floats.
    Float,
    /// Booleans, none missing.
    Truth,
    /// Text.
    Text,
    /// Timestamps, where all values have the same form, and otherwise text.
    Timestamp,
}

/// Text, one value after the other.
#[derive(Debug)]
pub(super) struct Strings {
    /// Where each value ends, after a zero.
    pub(super) ends: Vec<i64>,
    pub(super) bytes: Vec<u8>,
    /// Which values are there, a bit for each, where not all are.
    pub(super) valid: Option<Vec<u8>>,
    pub(super) nulls: usize,
}

impl Strings {
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        let there = self.valid.as_ref().is_none_or(|valid| valid[row / 8] >> (row % 8) & 1 == 1);
        there.then(|| &self.bytes[self.ends[row] as usize..self.ends[row + 1] as usize])
    }

    /// All missing.
    pub(super) fn nothing(rows: usize) -> Strings {
        Strings { ends: vec![0; rows + 1], bytes: Vec::new(), valid: Some(vec![0; rows.div_ceil(8)]), nulls: rows }
    }

    /// Whether it is Unicode: pandas complains where text is not.
    fn is_unicode(&self) -> bool {
        if self.bytes.is_ascii() {
            return true;
        }
        let inside = |end: &i64| self.bytes.get(*end as usize).is_some_and(|byte| (0x80..0xc0).contains(byte));
        std::str::from_utf8(&self.bytes).is_ok() && !self.ends.iter().any(inside)
    }
}

/// A column of a piece, as what its own values are.
#[derive(Debug)]
pub(super) enum Values {
    /// All are missing.
    Nothing,
    Whole(Vec<i64>),
    Unsigned(Vec<u64>),
    /// Also integers with some missing. `long` says whether there are integers that only floats hold.
    Float {
        values: Vec<f64>,
        long: bool,
    },
    /// 0, 1, and 255 where one is missing.
    Truth {
        values: Vec<u8>,
        missing: bool,
    },
    Text(Strings),
    Timestamp {
        values: Vec<i64>,
        form: Option<Form>,
    },
    /// Something else than what was asked for.
    Other(&'static str),
}

/// Rows of text to make columns of.
pub(super) struct Rows<'a> {
    pub(super) fields: Fields<'a>,
    pub(super) digits: Digits,
    pub(super) truths: &'a Truths,
}

impl Rows<'_> {
    pub(super) fn column(&self, column: usize, kind: Kind, missing: Option<&Missing>) -> Values {
        match kind {
            Kind::Any => self.any(column, missing),
            Kind::Whole => match self.wholes(column, missing) {
                Some(Values::Whole(values)) => Values::Whole(values),
                _ => Values::Other("a value that is not an integer of 64 bits"),
            },
            Kind::Float => self.floats(column, missing).unwrap_or(Values::Other("a value that is no number")),
            Kind::Truth => match self.truths(column, missing) {
                Some((values, 0)) => Values::Truth { values, missing: false },
                _ => Values::Other("a value that is no boolean"),
            },
            Kind::Text => self.text(column, missing),
            Kind::Timestamp => self.timestamps(column, missing).unwrap_or_else(|| self.text(column, missing)),
        }
    }

    fn any(&self, column: usize, missing: Option<&Missing>) -> Values {
        if let Some(values) = self.wholes(column, missing) {
            return values;
        }
        match self.floats(column, missing) {
            Some(Values::Float { values, .. }) if self.all_missing(column, missing, &values) => return Values::Nothing,
            Some(values) => return values,
            None => {}
        }
        match self.truths(column, missing) {
            Some((values, count)) => Values::Truth { values, missing: count > 0 },
            None => self.text(column, missing),
        }
    }

    fn all_missing(&self, column: usize, missing: Option<&Missing>, values: &[f64]) -> bool {
        values.iter().all(|value| value.is_nan()) && missing.is_some_and(|missing| self.fields.texts(column).all(|text| missing.is(text)))
    }

    /// Integers, none missing.
    fn wholes(&self, column: usize, missing: Option<&Missing>) -> Option<Values> {
        let never = missing.filter(|missing| !missing.plain);
        let mut values = Vec::with_capacity(self.fields.rows());
        for text in self.fields.texts(column) {
            match whole(text, self.digits) {
                Whole::Signed(value) if never.is_none_or(|missing| !missing.is(text)) => values.push(value),
                Whole::Unsigned(_) => return self.unsigned(column, never),
                _ => return None,
            }
        }
        Some(Values::Whole(values))
    }

    fn unsigned(&self, column: usize, never: Option<&Missing>) -> Option<Values> {
        let mut values = Vec::with_capacity(self.fields.rows());
        for text in self.fields.texts(column) {
            match whole(text, self.digits) {
                _ if never.is_some_and(|missing| missing.is(text)) => return None,
                Whole::Signed(value) if value >= 0 => values.push(value.unsigned_abs()),
                Whole::Unsigned(value) => values.push(value),
                _ => return None,
            }
        }
        Some(Values::Unsigned(values))
    }

    fn floats(&self, column: usize, missing: Option<&Missing>) -> Option<Values> {
        let early = missing.filter(|missing| !missing.plain);
        let mut values = Vec::with_capacity(self.fields.rows());
        let mut long = false;
        for text in self.fields.texts(column) {
            if early.is_some_and(|missing| missing.is(text)) {
                values.push(f64::NAN);
                continue;
            }
            match float(text, self.digits) {
                Some(value) => {
                    long |= text.len() > 18 && matches!(whole(text, self.digits), Whole::Long | Whole::Unsigned(_));
                    let known = early.is_some_and(|missing| missing.numbers.contains(&value));
                    values.push(if known { f64::NAN } else { value });
                }
                None if missing.is_some_and(|missing| missing.is(text)) => values.push(f64::NAN),
                None => return None,
            }
        }
        Some(Values::Float { values, long })
    }

    /// Booleans, and how many are missing.
    fn truths(&self, column: usize, missing: Option<&Missing>) -> Option<(Vec<u8>, usize)> {
        let mut values = Vec::with_capacity(self.fields.rows());
        let mut count = 0;
        for text in self.fields.texts(column) {
            if missing.is_some_and(|missing| missing.is(text)) {
                values.push(255);
                count += 1;
            } else {
                values.push(u8::from(self.truths.read(text)?));
            }
        }
        Some((values, count))
    }

    pub(super) fn text(&self, column: usize, missing: Option<&Missing>) -> Values {
        let rows = self.fields.rows();
        let mut strings = Strings { ends: Vec::with_capacity(rows + 1), bytes: Vec::with_capacity(rows * 8), valid: None, nulls: 0 };
        strings.ends.push(0);
        for (row, text) in self.fields.texts(column).enumerate() {
            if missing.is_some_and(|missing| missing.is(text)) {
                strings.nulls += 1;
                strings.valid.get_or_insert_with(|| vec![255; rows.div_ceil(8)])[row / 8] &= !(1 << (row % 8));
            } else {
                strings.bytes.extend_from_slice(text);
            }
            strings.ends.push(strings.bytes.len() as i64);
        }
        if strings.is_unicode() { Values::Text(strings) } else { Values::Other("text that is not UTF-8") }
    }

    /// Timestamps in one form; none where there are others.
    fn timestamps(&self, column: usize, missing: Option<&Missing>) -> Option<Values> {
        let mut values = Vec::with_capacity(self.fields.rows());
        let mut form = None;
        for text in self.fields.texts(column) {
            if text.is_empty() || missing.is_some_and(|missing| missing.is(text)) {
                values.push(i64::MIN);
                continue;
            }
            let (value, found) = timestamp(text)?;
            if *form.get_or_insert(found) != found {
                return None;
            }
            values.push(value);
        }
        Some(Values::Timestamp { values, form })
    }
}
