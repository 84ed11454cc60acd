//! The records of a text that is in memory.

use super::header::count_lines;
use super::pieces::Fields;
use super::records::{Cells, Dialect, ELSEWHERE, Layout, Reader, Stop};

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextField {
    /// What it says.
    pub text: String,
    /// Whether it was written in quotes.
    pub quoted: bool,
}

/// The records of a text, whose fields have commas between them and quotes round them where they must. Lines of blanks are passed over.
pub fn text_to_records(text: &str) -> Result<Vec<Vec<TextField>>, String> {
    if text.len() as u64 >= u64::from(ELSEWHERE) {
        return Err("a text of more than 2 GiB".into());
    }
    let dialect = Dialect { delimiter: b',', quote: Some(b'"'), comment: None, skip_space: false, as_pandas: false };
    let reader = Reader { bytes: text.as_bytes(), last: true, dialect: &dialect, layout: &Layout::all() };
    let (mut records, mut cells, mut at) = (Vec::new(), Cells::default(), 0);
    loop {
        cells.clear();
        match reader.read(at, usize::MAX, 1, &mut cells) {
            Stop::Done(next) if cells.rows > 0 => at = next,
            Stop::Done(_) => return Ok(records),
            Stop::Unfinished(start) | Stop::Long(start) | Stop::Open(start) => {
                return Err(format!("line {}: a quote is opened and never closed", 1 + count_lines(&text.as_bytes()[..start])));
            }
        }
        let fields = Fields { bytes: text.as_bytes(), cells: &cells, width: cells.fields };
        let field = |cell| TextField {
            text: String::from_utf8_lossy(fields.text(cell)).into_owned(),
            quoted: fields.is_quoted(cell, dialect.quote),
        };
        records.push(cells.cells.iter().copied().map(field).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::{TextField, text_to_records};

    #[test]
    fn quotes_are_told_from_nothing() {
        let field = |text: &str, quoted: bool| TextField { text: text.into(), quoted };
        let found = text_to_records("a,\"\",\r\n\n\"x\"\"\ny\",ü");
        let expected = vec![vec![field("a", false), field("", true), field("", false)], vec![field("x\"\ny", true), field("ü", false)]];
        assert_eq!(found, Ok(expected));
        assert_eq!(text_to_records(""), Ok(Vec::new()));
        assert_eq!(text_to_records("a\n\"b"), Err("line 2: a quote is opened and never closed".into()));
    }
}
