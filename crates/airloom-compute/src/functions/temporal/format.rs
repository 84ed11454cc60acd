//! Dates and timestamps read and written by the formats that are used most: years, months, days, hours, minutes and seconds in digits. Other formats, and texts
//! that are not as wide as the format makes them, are left to the oracle.

use super::part::{nanos_of_day, whole_days};
use super::wall;
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, numbers_to_array};
use crate::functions::call::KernelCall;
use crate::functions::views::TextWriter;
use airloom_ir::name::Name;
use airloom_ir::oracle::formula::{Civil, DAY_SECONDS, days_of, days_to_civil};
use airloom_ir::types::{Ty, TyId};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray};
use arrow::buffer::BooleanBuffer;

/// One piece of a format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A character as it is.
    Char(char),
    /// A number: which one, and in how many digits.
    Number(Part, usize),
}

/// The numbers of a format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
}

impl Part {
    const ALL: [Part; 6] = [Part::Year, Part::Month, Part::Day, Part::Hour, Part::Minute, Part::Second];
}

/// The pieces of a format; nothing where it has other codes.
fn pieces(format: &str) -> Option<Vec<Piece>> {
    let full = format.replace("%F", "%Y-%m-%d").replace("%T", "%H:%M:%S").replace("%R", "%H:%M");
    // A code in literal text: `%%F`.
    if format.contains("%%") {
        return None;
    }
    let mut pieces = Vec::new();
    let mut chars = full.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            pieces.push(Piece::Char(c));
            continue;
        }
        let (part, width) = match chars.next()? {
            'Y' => (Part::Year, 4),
            'm' => (Part::Month, 2),
            'd' => (Part::Day, 2),
            'H' => (Part::Hour, 2),
            'M' => (Part::Minute, 2),
            'S' => (Part::Second, 2),
            _ => return None,
        };
        pieces.push(Piece::Number(part, width));
    }
    Some(pieces)
}

fn has(pieces: &[Piece], part: Part) -> usize {
    pieces.iter().filter(|piece| matches!(piece, Piece::Number(found, _) if *found == part)).count()
}

pub(super) fn parse(call: &KernelCall<'_>) -> Option<Vector> {
    let (format, to): (Name, TyId) = (call.attr(0), call.attr(1));
    let pieces = pieces(&format)?;
    let texts = call.many(0)?.as_string_view_opt()?;
    let clock = Part::ALL[3..].iter().any(|part| has(&pieces, *part) > 0);
    let dated = Part::ALL[..3].iter().all(|part| has(&pieces, *part) == 1);
    if !dated || Part::ALL.iter().any(|part| has(&pieces, *part) > 1) {
        return None;
    }
    match call.types.get(to) {
        Ty::Date if !clock => numbers::<i32>(call, texts, |text| read(text, &pieces).map(|(days, _)| days as i32)),
        Ty::Timestamp { unit, zone: None } => {
            let per_second = unit.per_second();
            numbers::<i64>(call, texts, |text| {
                let (days, seconds) = read(text, &pieces)?;
                (days * DAY_SECONDS + seconds).checked_mul(per_second)
            })
        }
        _ => None,
    }
}

/// The days and the seconds of a text that is as wide as its format makes it.
fn read(text: &str, pieces: &[Piece]) -> Option<(i64, i64)> {
    let mut rest = text.as_bytes();
    let mut found = [0i64; 6];
    for piece in pieces {
        match piece {
            Piece::Char(c) => rest = rest.strip_prefix(c.encode_utf8(&mut [0; 4]).as_bytes())?,
            Piece::Number(part, width) => {
                let (digits, after) = rest.split_at_checked(*width)?;
                let mut number = 0;
                for digit in digits {
                    if !digit.is_ascii_digit() {
                        return None;
                    }
                    number = number * 10 + i64::from(digit - b'0');
                }
                found[*part as usize] = number;
                rest = after;
            }
        }
    }
    let [year, month, day, hour, minute, second] = found;
    let shown = rest.is_empty() && year > 0 && hour < 24 && minute < 60 && second < 60;
    let days = days_of(year, month, day).filter(|_| shown)?;
    Some((days, hour * 3600 + minute * 60 + second))
}

/// Numbers that `read` reads; those it does not are left to the oracle.
fn numbers<N: Native>(call: &KernelCall<'_>, texts: &arrow::array::StringViewArray, read: impl Fn(&str) -> Option<N>) -> Option<Vector> {
    let mut numbers = Vec::with_capacity(call.rows);
    let mut missing = vec![false; call.rows];
    for (row, missing) in missing.iter_mut().enumerate() {
        if texts.is_null(row) {
            numbers.push(N::default());
            continue;
        }
        numbers.push(match read(texts.value(row)) {
            Some(number) => number,
            None => match call.oracle(row).ok()? {
                Value::Null => {
                    *missing = true;
                    N::default()
                }
                value => N::of(&value)?,
            },
        });
    }
    let nulls = bits::with_nulls(call.nulls().as_ref(), &BooleanBuffer::from(missing));
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, nulls)))
}

pub(super) fn format(call: &KernelCall<'_>) -> Option<Vector> {
    let pieces = pieces(&call.attr::<Name>(0))?;
    let (days, nanos): (Vec<i64>, Vec<i64>) = match call.plain(0) {
        Ty::Date => (i32::numbers(call.many(0)?)?.iter().map(|&days| days.into()).collect(), vec![0; call.rows]),
        Ty::Timestamp { unit, .. } => {
            let readings = wall::readings(call)?;
            (whole_days(&readings, *unit), nanos_of_day(&readings, *unit))
        }
        Ty::Time if Part::ALL[..3].iter().all(|part| has(&pieces, *part) == 0) => (vec![0; call.rows], wall::counts(call)?.to_vec()),
        _ => return None,
    };
    let nulls = call.nulls();
    let mut out = TextWriter::new(call.rows);
    for row in 0..call.rows {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            out.push("");
            continue;
        }
        let Civil { year, month, day } = days_to_civil(days[row]);
        if !(0..=9999).contains(&year) {
            let Value::Str(text) = call.oracle(row).ok()? else { return None };
            out.push(&text);
            continue;
        }
        let seconds = nanos[row] / 1_000_000_000;
        let parts = [year, month, day, seconds / 3600, seconds / 60 % 60, seconds % 60];
        out.push_with(|block| {
            for piece in &pieces {
                match piece {
                    Piece::Char(c) => block.push(*c),
                    Piece::Number(part, width) => write_digits(block, parts[*part as usize], *width),
                }
            }
        });
    }
    Some(Vector::Flat(out.finish(nulls)))
}

/// Writes a number in `width` digits; it has no more.
fn write_digits(block: &mut String, number: i64, width: usize) {
    let mut unit = 10i64.pow(width as u32 - 1);
    while unit > 0 {
        block.push(char::from(b'0' + (number / unit % 10) as u8));
        unit /= 10;
    }
}
