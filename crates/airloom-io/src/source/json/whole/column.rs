//! A column of a piece, while it is read.

use super::number::Number;

/// The values of a column, in a piece; where one is missing, the value is arbitrary.
#[derive(Debug)]
pub(super) enum Values {
    /// There are none but gaps.
    Nothing,
    Whole(Vec<i64>),
    Float(Vec<f64>),
    Truth(Vec<bool>),
    /// Where each text ends, after a zero, and all of them.
    Text(Vec<i64>, Vec<u8>),
}

/// A row of a column that has no value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) row: usize,
    /// Whether the record says null, and otherwise it does not have the key.
    pub(super) null: bool,
}

/// What is refused where values of a column are of several kinds.
const MIXED: &str = "a column of mixed types";

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: Vec<u8>,
    /// Whether the name is written as it is, with nothing in it that would have to be escaped.
    pub(super) plain: bool,
    pub(super) values: Values,
    pub(super) gaps: Vec<Gap>,
    /// How many rows there are so far.
    pub(super) rows: usize,
}

impl Column {
    pub(super) fn new(name: Vec<u8>) -> Column {
        let plain = !name.iter().any(|byte| matches!(byte, b'"' | b'\\'));
        Column { name, plain, values: Values::Nothing, gaps: Vec::new(), rows: 0 }
    }

    /// Makes rows before this one gaps, which records have that lack the key.
    pub(super) fn fill(&mut self, row: usize) {
        while self.rows < row {
            self.gap(false);
        }
    }

    pub(super) fn null(&mut self) {
        self.gap(true);
    }

    fn gap(&mut self, null: bool) {
        self.gaps.push(Gap { row: self.rows, null });
        self.rows += 1;
        match &mut self.values {
            Values::Nothing => {}
            Values::Whole(values) => values.push(0),
            Values::Float(values) => values.push(f64::NAN),
            Values::Truth(values) => values.push(false),
            Values::Text(ends, bytes) => ends.push(bytes.len() as i64),
        }
    }

    pub(super) fn number(&mut self, number: Number) -> Result<(), &'static str> {
        if matches!(self.values, Values::Nothing) {
            self.values = match number {
                Number::Whole(_) => Values::Whole(vec![0; self.rows]),
                Number::Float(_) => Values::Float(vec![f64::NAN; self.rows]),
            };
        }
        match (&mut self.values, number) {
            (Values::Whole(values), Number::Whole(value)) => values.push(value),
            (Values::Float(values), Number::Whole(value)) => values.push(value as f64),
            (Values::Float(values), Number::Float(value)) => values.push(value),
            (Values::Whole(values), Number::Float(value)) => {
                let mut floats: Vec<f64> = values.iter().map(|value| *value as f64).collect();
                self.gaps.iter().for_each(|gap| floats[gap.row] = f64::NAN);
                floats.push(value);
                self.values = Values::Float(floats);
            }
            _ => return Err(MIXED),
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) fn truth(&mut self, value: bool) -> Result<(), &'static str> {
        if matches!(self.values, Values::Nothing) {
            self.values = Values::Truth(vec![false; self.rows]);
        }
        let Values::Truth(values) = &mut self.values else { return Err(MIXED) };
        values.push(value);
        self.rows += 1;
        Ok(())
    }

    /// Adds the text that `write` appends.
    pub(super) fn text(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<usize, &'static str>) -> Result<usize, &'static str> {
        if matches!(self.values, Values::Nothing) {
            self.values = Values::Text(vec![0; self.rows + 1], Vec::new());
        }
        let Values::Text(ends, bytes) = &mut self.values else { return Err(MIXED) };
        let length = write(bytes)?;
        ends.push(bytes.len() as i64);
        self.rows += 1;
        Ok(length)
    }
}
