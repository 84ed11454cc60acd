//! How text is read.

use super::records::Dialect;
use airloom_compute::data::SourceError;
use arrow::datatypes::DataType;

/// How text is read.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// The separator between fields.
    pub delimiter: u8,
    /// The quote around a field that may contain delimiters and line ends; doubled, it is a quote in the text. `None` where quotes have no meaning.
    pub quote: Option<u8>,
    /// A line, or the rest of one, that begins with this is passed over.
    pub comment: Option<u8>,
    /// How many lines to pass over at the beginning.
    pub skip_rows: usize,
    /// Whether the first line has the names of the columns.
    pub header: bool,
    /// The names of the columns, instead of those in the file.
    pub names: Option<Vec<String>>,
    /// The types of columns, by name, as far as they are not to be found out: those of [`crate::source::schema::physical_type`], but nothing nested.
    pub types: Vec<(String, DataType)>,
    /// Columns to be read as timestamps. A column with a value that is not a timestamp stays text.
    pub dates: Vec<String>,
    /// Whether what pandas takes for missing is null: nothing, `NA`, `NaN`, `null`, `None` and their like.
    pub usual_nulls: bool,
    /// What else is null.
    pub nulls: Vec<String>,
    /// The separator between thousands, which is ignored.
    pub thousands: Option<u8>,
    /// By whose rules types are found out.
    pub inference: CsvInference,
}

/// By whose rules types are found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvInference {
    /// By those of pandas: integers of which some are missing are floats, a missing float is NaN, and quotes do not keep a field from being null.
    Pandas,
    /// Integers stay whole, what is missing is null, and what is quoted is not missing.
    Exact,
}

impl CsvOptions {
    /// Commas, a header, and the rules of pandas.
    pub fn plain() -> CsvOptions {
        CsvOptions {
            delimiter: b',',
            quote: Some(b'"'),
            comment: None,
            skip_rows: 0,
            header: true,
            names: None,
            types: Vec::new(),
            dates: Vec::new(),
            usual_nulls: true,
            nulls: Vec::new(),
            thousands: None,
            inference: CsvInference::Pandas,
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        Dialect { delimiter: self.delimiter, quote: self.quote, comment: self.comment, skip_space: false, as_pandas: false }
    }

    pub(super) fn check(&self) -> Result<(), SourceError> {
        let specials = [Some(self.delimiter), self.quote, self.comment];
        let clash = specials.iter().flatten().any(|byte| matches!(byte, b'\n' | b'\r') || !byte.is_ascii());
        if clash || Some(self.delimiter) == self.quote || Some(self.delimiter) == self.comment {
            return Err(SourceError::user(
                "the delimiter, the quote and the sign of a comment must be different ASCII characters, and no line ends",
            ));
        }
        if let Some((name, data_type)) =
            self.types.iter().find(|(_, data_type)| data_type.is_nested() || *data_type == DataType::BinaryView)
        {
            return Err(SourceError::refused(format!("column `{name}` cannot be read from text as `{data_type}`")));
        }
        Ok(())
    }

    pub(super) fn check_names(&self, names: &[String]) -> Result<(), SourceError> {
        let asked = self.types.iter().map(|(name, _)| name).chain(&self.dates);
        match asked.into_iter().find(|name| !names.contains(name)) {
            Some(name) => Err(SourceError::user(format!("unknown column `{name}`: the file has {names:?}"))),
            None => Ok(()),
        }
    }

    pub(super) fn type_of(&self, name: &str) -> Option<&DataType> {
        self.types.iter().find(|(named, _)| named == name).map(|(_, data_type)| data_type)
    }
}
