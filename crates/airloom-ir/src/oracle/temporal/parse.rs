//! Dates, times and timestamps read by a format.
//!
//! A format becomes a regular expression, as in Python, so that `%d%m%Y` reads `1112020` as 11 January: the code that wanted more digits gives one back.

use super::civil::{DAY_SECONDS, Wall, days_of, iso_week, weekday};
use super::codes::{MONTHS, Piece, WEEKDAYS, pieces};
use crate::attrs::CastMode;
use crate::name::Name;
use crate::oracle::call::Call;
use crate::oracle::stop::{Raised, raise};
use crate::oracle::text::regular;
use crate::oracle::zones::{self, Local};
use crate::types::{Ty, TyId};
use crate::typing::core::fits;
use crate::value::Value;

pub(super) fn parse(call: &Call<'_>) -> Result<Value, Raised> {
    let (format, to, mode): (Name, TyId, CastMode) = (call.attr(0), call.attr(1), call.attr(2));
    let text = call.str(0);
    let expression = Expression::of(&format).map_err(Raised::new)?;
    let read = expression.read(text).and_then(|fields| count(&fields, call.types.get(to)));
    let value = read.map(Value::Int).filter(|value| fits(call.types, value, to));
    match (value, mode) {
        (Some(value), _) => Ok(value),
        (None, CastMode::Lenient) => Ok(Value::Null),
        (None, _) => raise(format!("found `{text}`, expected a `{}` in the format `{format}`", call.types.show(to))),
    }
}

/// What was read, field by field.
#[derive(Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    /// Monday is 0.
    weekday: Option<i64>,
    /// Weeks of the year that begin on Sunday, with days before the first in week 0.
    sunday_week: Option<i64>,
    /// The same with Monday.
    monday_week: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    hour: i64,
    /// An hour of twelve, and whether it is after noon.
    hour_of_half: Option<i64>,
    afternoon: bool,
    minute: i64,
    second: i64,
    nanos: i64,
    /// Seconds ahead of UTC.
    offset: Option<i64>,
    /// Seconds since 1970.
    epoch: Option<i64>,
}

/// A format as a regular expression, and the code of each of its groups.
struct Expression {
    pattern: String,
    letters: Vec<char>,
}

impl Expression {
    fn of(format: &str) -> Result<Expression, String> {
        let (mut pattern, mut letters) = (String::from(r"(?i)\A"), Vec::new());
        let pieces = pieces(format)?;
        for (at, piece) in pieces.iter().enumerate() {
            match piece {
                // Any white space matches any white space.
                Piece::Char(c) if c.is_whitespace() => {
                    if !matches!(at.checked_sub(1).map(|before| pieces[before]), Some(Piece::Char(before)) if before.is_whitespace()) {
                        pattern.push_str(r"\s+");
                    }
                }
                Piece::Char(c) => pattern.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
                Piece::Code(code) => {
                    let code_pattern = code_pattern(code.letter)
                        .ok_or_else(|| format!("found `%{}` in the format `{format}`, a code that cannot be read", code.letter))?;
                    // Without Unicode's idea of case, by which `ſep` would be a month.
                    pattern.push_str(&format!("((?-u:{code_pattern}))"));
                    letters.push(code.letter);
                }
            }
        }
        pattern.push_str(r"\z");
        Ok(Expression { pattern, letters })
    }

    fn read(&self, text: &str) -> Option<Fields> {
        let regex = regular::compiled(&self.pattern).expect("the pattern is ours");
        let groups = regex.captures(text)?;
        let mut fields = Fields::default();
        for (at, &letter) in self.letters.iter().enumerate() {
            fields.set(letter, groups.get(at + 1)?.as_str())?;
        }
        Some(fields)
    }
}

/// What a code matches, without groups.
fn code_pattern(letter: char) -> Option<String> {
    let names = |names: &[&str]| names.join("|");
    let short = |names: &[&str]| names.iter().map(|name| &name[..3]).collect::<Vec<_>>().join("|");
    let fixed = match letter {
        'Y' | 'G' => "[+-][0-9]{4,13}|[0-9]{4}",
        'y' => "[0-9]{2}",
        'm' => "1[0-2]|0[1-9]|[1-9]",
        'd' | 'e' => "3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9]",
        'j' => "36[0-6]|3[0-5][0-9]|[12][0-9]{2}|0[1-9][0-9]|00[1-9]|[1-9][0-9]|0[1-9]|[1-9]",
        'H' => "2[0-3]|[01][0-9]|[0-9]",
        'k' => "2[0-3]|[01][0-9]|[0-9]| [0-9]",
        'I' => "1[0-2]|0[1-9]|[1-9]",
        'l' => "1[0-2]|0[1-9]|[1-9]| [1-9]",
        'M' | 'S' => "[0-5][0-9]|[0-9]",
        'f' | 'N' => "[0-9]{1,9}",
        'L' => "[0-9]{1,3}",
        'p' | 'P' => "am|pm",
        'a' => return Some(short(&WEEKDAYS)),
        'A' => return Some(names(&WEEKDAYS)),
        'b' => return Some(short(&MONTHS)),
        'B' => return Some(names(&MONTHS)),
        'u' => "[1-7]",
        'w' => "[0-6]",
        'U' | 'W' => "5[0-3]|[0-4][0-9]|[0-9]",
        'V' => "5[0-3]|0[1-9]|[1-4][0-9]|[0-9]",
        's' => "[+-]?[0-9]{1,18}",
        'z' => "[+-][0-9]{2}:?[0-5][0-9](?::?[0-5][0-9])?|Z",
        'Z' => "UTC|GMT|Z",
        _ => return None,
    };
    Some(fixed.to_string())
}

impl Fields {
    fn set(&mut self, letter: char, text: &str) -> Option<()> {
        let number = || text.trim_start().parse::<i64>().ok();
        let among = |names: &[&str]| names.iter().position(|name| name[..3].eq_ignore_ascii_case(&text[..3])).map(|at| at as i64);
        match letter {
            'Y' => self.year = Some(number()?),
            // As POSIX has it: 69 to 99 are of the twentieth century.
            'y' => self.year = Some(number()? + if number()? < 69 { 2000 } else { 1900 }),
            'G' => self.iso_year = Some(number()?),
            'm' => self.month = Some(number()?),
            'd' | 'e' => self.day = Some(number()?),
            'j' => self.day_of_year = Some(number()?),
            'H' | 'k' => self.hour = number()?,
            'I' | 'l' => self.hour_of_half = Some(number()?),
            'M' => self.minute = number()?,
            'S' => self.second = number()?,
            'f' | 'L' | 'N' => self.nanos = number()? * 10i64.pow(9 - text.len() as u32),
            'p' | 'P' => self.afternoon = text.eq_ignore_ascii_case("pm"),
            'a' | 'A' => self.weekday = Some(among(&WEEKDAYS)?),
            'b' | 'B' => self.month = Some(among(&MONTHS)? + 1),
            'u' => self.weekday = Some(number()? - 1),
            'w' => self.weekday = Some((number()? + 6) % 7),
            'U' => self.sunday_week = Some(number()?),
            'W' => self.monday_week = Some(number()?),
            'V' => self.iso_week = Some(number()?),
            's' => self.epoch = Some(number()?),
            'z' => self.offset = Some(offset(text)),
            _ => self.offset = Some(0),
        }
        Some(())
    }

    /// The reading, where there is such a day. What the format leaves out is as in Python: 1900, January, the first, midnight.
    fn wall(&self) -> Option<Wall> {
        if let Some(epoch) = self.epoch {
            let seconds = epoch + self.offset.unwrap_or(0);
            return Some(Wall {
                days: seconds.div_euclid(DAY_SECONDS),
                nanos: seconds.rem_euclid(DAY_SECONDS) * 1_000_000_000 + self.nanos,
            });
        }
        Some(Wall { days: self.days()?, nanos: self.clock() })
    }

    fn days(&self) -> Option<i64> {
        let year = self.year.unwrap_or(1900);
        if self.iso_year.is_some() || self.iso_week.is_some() {
            return self.iso_days();
        }
        let new_year = days_of(year, 1, 1)?;
        // Week 1 begins on the first Sunday or Monday of the year, which itself begins `past` days after one. Days outside the year are not refused, as in Python.
        let by_week = |week: i64, past: i64, day: i64| new_year + day + if week == 0 { -past } else { (7 - past) % 7 + (week - 1) * 7 };
        match (self.day_of_year, self.sunday_week, self.monday_week, self.weekday) {
            (Some(day), ..) => Some(new_year + day - 1),
            (None, Some(week), _, Some(day)) => Some(by_week(week, (weekday(new_year) + 1) % 7, (day + 1) % 7)),
            (None, None, Some(week), Some(day)) => Some(by_week(week, weekday(new_year), day)),
            _ => days_of(year, self.month.unwrap_or(1), self.day.unwrap_or(1)),
        }
    }

    /// A day by ISO year, week and weekday, all of which are needed.
    fn iso_days(&self) -> Option<i64> {
        let (year, week, day) = (self.iso_year?, self.iso_week?, self.weekday?);
        let fourth = days_of(year, 1, 4)?;
        let days = fourth - weekday(fourth) + (week - 1) * 7 + day;
        (iso_week(days) == (year, week)).then_some(days)
    }

    fn clock(&self) -> i64 {
        let hour = match self.hour_of_half {
            Some(hour) => hour % 12 + if self.afternoon { 12 } else { 0 },
            None => self.hour,
        };
        (hour * 3600 + self.minute * 60 + self.second) * 1_000_000_000 + self.nanos
    }
}

/// The seconds of an offset such as `+0200`, `-09:30` or `Z`.
fn offset(text: &str) -> i64 {
    let digits: Vec<i64> = text.bytes().filter(u8::is_ascii_digit).map(|b| i64::from(b - b'0')).collect();
    let seconds: i64 = digits.chunks(2).zip([3600, 60, 1]).map(|(pair, unit)| (pair[0] * 10 + pair[1]) * unit).sum();
    if text.starts_with('-') { -seconds } else { seconds }
}

/// The count of a type from what was read; `None` where there is none.
fn count(fields: &Fields, to: &Ty) -> Option<i128> {
    let (unit, zone) = match to {
        Ty::Date => return Some(fields.wall()?.days.into()),
        Ty::Time => return Some(fields.epoch.map_or(fields.clock(), |_| fields.wall().map_or(0, |wall| wall.nanos)).into()),
        Ty::Timestamp { unit, zone } => (*unit, zone),
        other => unreachable!("the type rule wants a date, time or timestamp, not {other:?}"),
    };
    let wall = fields.wall()?;
    let count = wall.to_count(unit)?;
    let per_second = i128::from(unit.per_second());
    let offset = match (zone, fields.offset) {
        (None, None) => 0,
        (None, Some(_)) => return None,
        (Some(_), Some(offset)) => offset,
        (Some(_), None) if fields.epoch.is_some() => 0,
        // Without an offset it is what the zone's clocks show, if they do so once.
        (Some(zone), None) => match zones::find(zone)?.local(i64::try_from(count.div_euclid(per_second)).ok()?) {
            Local::One(offset) => offset,
            Local::Two(..) | Local::Gap(_) => return None,
        },
    };
    Some(count - i128::from(offset) * per_second)
}
