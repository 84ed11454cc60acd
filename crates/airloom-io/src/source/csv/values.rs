//! What the fields of a source say: which are null, and by which rules the others are read.

use super::missing::{Missing, Truths};
use super::number::{Digits, Rounding};
use super::options::{CsvInference, CsvOptions};
use super::pieces::Fields;
use super::records::ABSENT;

/// What pandas takes for missing.
const USUAL_NULLS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None",
    "n/a", "nan", "null",
];

/// How the fields of a source are read.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) digits: Digits,
    pub(super) truths: Truths,
    nulls: Missing,
    /// Fields between these are never null.
    kept: Option<u8>,
}

impl Rules {
    pub(super) fn of(options: &CsvOptions) -> Rules {
        let digits = Digits { decimal: b'.', thousands: options.thousands, rounding: Rounding::Nearest };
        let truths = Truths { yes: Vec::new(), no: Vec::new() };
        let usual = USUAL_NULLS.iter().filter(|_| options.usual_nulls).map(|text| text.as_bytes().to_vec());
        let texts = usual.chain(options.nulls.iter().map(|text| text.as_bytes().to_vec())).collect();
        let kept = options.quote.filter(|_| options.inference == CsvInference::Exact);
        Rules { digits, nulls: Missing::new(texts, Vec::new(), digits, &truths), truths, kept }
    }

    /// The values of a column, `None` where one is null.
    #[inline(always)]
    pub(super) fn values<'a>(&'a self, fields: Fields<'a>, column: usize) -> impl Iterator<Item = Option<&'a [u8]>> {
        fields.cells(column).map(move |cell| {
            let text = fields.text(cell);
            let null = cell == ABSENT || (self.nulls.is(text) && !(self.kept.is_some() && fields.is_quoted(cell, self.kept)));
            (!null).then_some(text)
        })
    }
}
