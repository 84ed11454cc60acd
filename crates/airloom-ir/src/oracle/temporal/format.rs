//! Dates, times and timestamps written by a format.

use super::civil::{DAY_SECONDS, Wall, day_of_year, days_to_civil, iso_week, weekday};
use super::codes::{Code, MONTHS, Piece, WEEKDAYS, pieces};
use super::literal::year_to_text;
use super::part::reading;
use super::stamp::Stamp;
use crate::name::Name;
use crate::oracle::call::Call;
use crate::oracle::stop::Raised;
use crate::oracle::zones;
use crate::types::Ty;
use crate::value::Value;

pub(super) fn format(call: &Call<'_>) -> Result<Value, Raised> {
    let text: Name = call.attr(0);
    let (ty, count) = (call.plain_type(0), call.int(0));
    let mut shown = Shown { wall: reading(ty, count)?, offset: None, zone: String::new() };
    if matches!(ty, Ty::Timestamp { zone: Some(_), .. }) {
        let stamp = Stamp::of(ty)?;
        shown.offset = Some(stamp.offset(count));
        shown.zone = stamp.zone.map(|zone| zone.abbreviation_at(stamp.seconds(count))).unwrap_or_default();
    }
    let mut out = String::new();
    for piece in pieces(&text).map_err(Raised::new)? {
        match piece {
            Piece::Char(c) => out.push(c),
            Piece::Code(code) if matches!(ty, Ty::Time) && !"HkIlMSfLNpPzZ".contains(code.letter) => {
                return Err(Raised::new(format!("found `%{}` in the format `{text}`, but a time of day has no date", code.letter)));
            }
            Piece::Code(code) => {
                out.push_str(&shown.code(code).ok_or_else(|| {
                    Raised::new(format!("found `%{}` in the format `{text}`, a code that cannot be written", code.letter))
                })?)
            }
        }
    }
    Ok(Value::str(&out))
}

/// What there is to write.
struct Shown {
    wall: Wall,
    /// Seconds ahead of UTC, where there is a zone.
    offset: Option<i64>,
    /// What the zone's time is called.
    zone: String,
}

impl Shown {
    /// A code, or `None` where there is no such code.
    fn code(&self, code: Code) -> Option<String> {
        let civil = days_to_civil(self.wall.days);
        let (day, day_of_year) = (weekday(self.wall.days), day_of_year(self.wall.days));
        let (iso_year, iso_week) = iso_week(self.wall.days);
        let seconds = self.wall.nanos / 1_000_000_000;
        let fraction = self.wall.nanos % 1_000_000_000;
        let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
        let hour_of_half = (hour + 11) % 12 + 1;
        let number = |value: i64, fill: char, width: usize| filled(value, code.fill.unwrap_or(fill), width);
        let name = |names: &[&str], at: i64| names[at as usize].to_string();
        let short = |names: &[&str], at: i64| names[at as usize][..3].to_string();
        Some(match code.letter {
            'Y' if code.fill.is_some() => number(civil.year, '0', 4),
            'Y' => year_to_text(civil.year),
            'G' if code.fill.is_some() => number(iso_year, '0', 4),
            'G' => year_to_text(iso_year),
            'C' => number(civil.year.div_euclid(100), '0', 2),
            'y' => number(civil.year.rem_euclid(100), '0', 2),
            'g' => number(iso_year.rem_euclid(100), '0', 2),
            'm' => number(civil.month, '0', 2),
            'd' => number(civil.day, '0', 2),
            'e' => number(civil.day, '_', 2),
            'j' => number(day_of_year, '0', 3),
            'H' => number(hour, '0', 2),
            'k' => number(hour, '_', 2),
            'I' => number(hour_of_half, '0', 2),
            'l' => number(hour_of_half, '_', 2),
            'M' => number(minute, '0', 2),
            'S' => number(seconds % 60, '0', 2),
            'f' => number(fraction / 1_000, '0', 6),
            'L' => number(fraction / 1_000_000, '0', 3),
            'N' => number(fraction, '0', 9),
            'p' => String::from(if hour < 12 { "AM" } else { "PM" }),
            'P' => String::from(if hour < 12 { "am" } else { "pm" }),
            'a' => short(&WEEKDAYS, day),
            'A' => name(&WEEKDAYS, day),
            'b' => short(&MONTHS, civil.month - 1),
            'B' => name(&MONTHS, civil.month - 1),
            'u' => number(day + 1, '0', 1),
            'w' => number((day + 1) % 7, '0', 1),
            // Days before the year's first Sunday or Monday are in week 0.
            'U' => number((day_of_year + 6 - (day + 1) % 7) / 7, '0', 2),
            'W' => number((day_of_year + 6 - day) / 7, '0', 2),
            'V' => number(iso_week, '0', 2),
            's' => (i128::from(self.wall.days) * i128::from(DAY_SECONDS) + i128::from(seconds - self.offset.unwrap_or(0))).to_string(),
            'z' => self.offset.map(|offset| zones::offset_to_text(offset, if code.colon { ":" } else { "" })).unwrap_or_default(),
            'Z' => self.zone.clone(),
            _ => return None,
        })
    }
}

fn filled(value: i64, fill: char, width: usize) -> String {
    match fill {
        '-' => value.to_string(),
        '_' => format!("{value:width$}"),
        // A minus is not counted among the digits.
        _ if value < 0 => format!("-{:0width$}", value.unsigned_abs()),
        _ => format!("{value:0width$}"),
    }
}
