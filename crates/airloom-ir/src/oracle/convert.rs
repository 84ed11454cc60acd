//! Scalars from text and to text: how literals are written, and what `cast` makes of text.

use super::temporal::literal;
use crate::types::{Ty, TyId, Types};
use crate::typing::core::fits;
use crate::value::Value;

/// Reads text as a value of a type. Timestamps have an offset from UTC exactly where their type has a zone; durations are written as their count.
pub fn text_to_scalar(types: &Types, ty: TyId, text: &str) -> Result<Value, String> {
    let value = match types.plain(ty) {
        Ty::Str => return Ok(Value::str(text)),
        Ty::Bytes => return Ok(Value::Bytes(text.as_bytes().into())),
        Ty::Bool => match text {
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ => return Err(format!("found `{text}`, expected `true` or `false`")),
        },
        Ty::F32 => return text.parse().map(Value::F32).map_err(|_| not_a_number(text)),
        Ty::F64 => return text.parse().map(Value::F64).map_err(|_| not_a_number(text)),
        Ty::Int(_) | Ty::Duration(_) => text_to_int(text).ok_or_else(|| format!("found `{text}`, expected an integer"))?,
        Ty::Decimal { scale, .. } => text_to_decimal(text, *scale)?,
        Ty::Date => Some(literal::text_to_date(text)?.into()),
        Ty::Time => Some(literal::text_to_time(text)?.into()),
        Ty::Timestamp { unit, zone } => Some(literal::text_to_timestamp(text, *unit, zone.is_some())?),
        Ty::Category { names, .. } => match names.iter().position(|name| name.as_str() == text) {
            Some(at) => Some(at as i128),
            None => return Err(format!("found `{text}`, expected {}", one_of(names))),
        },
        Ty::Dict(_) | Ty::List(_) | Ty::Struct(_) | Ty::Rel(_) | Ty::Arr(..) | Ty::Tuple(_) | Ty::Fn(..) | Ty::Token | Ty::Option(_) => {
            return Err(format!("found `{text}`, expected a value of `{}`, which is not written as text", types.show(ty)));
        }
    };
    let value = value.map(Value::Int).filter(|value| fits(types, value, types.strip(ty)));
    value.ok_or_else(|| format!("`{text}` does not fit `{}`", types.show(types.strip(ty))))
}

/// A value as text that [`text_to_scalar`] reads back: the shortest for floats, UTC for timestamps with a zone.
pub fn scalar_to_text(types: &Types, ty: TyId, value: &Value) -> String {
    match (types.plain(ty), value) {
        (_, Value::Null) => "null".into(),
        (_, Value::Bool(b)) => b.to_string(),
        (_, Value::F32(x)) => float_to_text(format!("{x:?}")),
        (_, Value::F64(x)) => float_to_text(format!("{x:?}")),
        (_, Value::Str(text)) => text.to_string(),
        (_, Value::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        (Ty::Decimal { scale, .. }, Value::Int(digits)) => decimal_to_text(*digits, *scale),
        (Ty::Date, Value::Int(days)) => i64::try_from(*days).map_or_else(|_| days.to_string(), literal::date_to_text),
        (Ty::Time, Value::Int(nanos)) => literal::time_to_text(*nanos as i64),
        (Ty::Timestamp { unit, zone }, Value::Int(count)) => literal::timestamp_to_text(*count, *unit, zone.is_some()),
        (Ty::Category { names, .. }, Value::Int(at)) => {
            usize::try_from(*at).ok().and_then(|at| names.get(at)).map_or_else(|| at.to_string(), ToString::to_string)
        }
        (_, Value::Int(i)) => i.to_string(),
        (_, other) => format!("{other:?}"),
    }
}

fn not_a_number(text: &str) -> String {
    format!("found `{text}`, expected a number such as `1.5`, `1e300`, `nan` or `-inf`")
}

/// The shortest digits that come back as the same float, with the names of what has no digits in lower case.
fn float_to_text(shortest: String) -> String {
    if shortest.ends_with("NaN") { "nan".into() } else { shortest }
}

/// An integer; `Some(None)` where it has more than 128 bits.
fn text_to_int(text: &str) -> Option<Option<i128>> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    whole.then(|| text.parse().ok())
}

/// The digits of a decimal number at a scale; `None` where it has more than 128 bits.
fn text_to_decimal(text: &str, scale: u8) -> Result<Option<i128>, String> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let is_number = whole.len() + fraction.len() > 0 && whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
    if !is_number {
        return Err(format!("found `{text}`, expected a decimal number such as `-1.50`"));
    }
    let kept = fraction.trim_end_matches('0');
    let scale = usize::from(scale);
    if kept.len() > scale {
        return Err(format!("found `{text}`, expected at most {scale} digits after the point"));
    }
    let digits = format!("{whole}{kept:0<scale$}");
    let size = if digits.is_empty() { Some(0) } else { digits.parse::<i128>().ok() };
    Ok(size.map(|size| if text.starts_with('-') { -size } else { size }))
}

/// A decimal number from its digits and its scale.
pub(super) fn decimal_to_text(digits: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let sign = if digits < 0 { "-" } else { "" };
    let padded = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// The first few of the names that would have done.
fn one_of(names: &[crate::name::Name]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "a category, but there is none".into(),
        n if n > SHOWN => format!("one of {} or {} more categories", shown.join(", "), n - SHOWN),
        _ => format!("one of the categories {}", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::Name;
    use crate::types::TimeUnit;

    fn types() -> (Types, Vec<TyId>) {
        let mut types = Types::new();
        let mut list = vec![TyId::BOOL, TyId::I8, TyId::I64, TyId::U64, TyId::F32, TyId::F64, TyId::STR, TyId::DATE, TyId::TIME];
        list.extend([(1, 0), (10, 2), (38, 0), (38, 38), (38, 6)].map(|(p, s)| types.decimal(p, s).expect("it is a decimal type")));
        for unit in TimeUnit::ALL {
            list.extend([
                types.timestamp(unit, None).expect("a zone that there is"),
                types.timestamp(unit, Some(Name::new("Europe/Paris"))).expect("a zone that there is"),
                types.duration(unit),
            ]);
        }
        list.push(types.intern(Ty::Category { names: [Name::new("a"), Name::new("")].into(), ordered: false }).expect("it is a category"));
        (types, list)
    }

    #[test]
    fn every_scalar_comes_back() {
        let (types, list) = types();
        let tens = |digits: u32| 10i128.pow(digits) - 1;
        let ints = [
            0,
            1,
            -1,
            9,
            -9,
            127,
            i128::from(i32::MIN),
            i128::from(i32::MAX),
            86_399_999_999_999,
            i128::from(i64::MIN),
            i128::from(i64::MAX),
            i128::from(u64::MAX),
            tens(38),
            -tens(38),
        ];
        let floats = [0.0, -0.0, 1.5, 1e300, 5e-324, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.1];
        let mut values: Vec<Value> = ints.map(Value::Int).to_vec();
        values.extend(floats.map(Value::F64));
        values.extend(floats.map(|x| Value::F32(x as f32)));
        values.extend(["", "a", "ß\n", "null"].map(Value::str));
        values.extend([Value::Bool(true), Value::Bool(false)]);
        for ty in list {
            for value in values.iter().filter(|value| fits(&types, value, ty)) {
                let text = scalar_to_text(&types, ty, value);
                assert_eq!(text_to_scalar(&types, ty, &text).as_ref(), Ok(value), "`{text}` of `{}`", types.show(ty));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (mut types, _) = types();
        let decimal = types.decimal(3, 2).expect("it is a decimal type");
        let seconds = types.timestamp(TimeUnit::Second, None).expect("a zone that there is");
        let zoned = types.timestamp(TimeUnit::Nano, Some(Name::new("UTC"))).expect("a zone that there is");
        for (ty, text) in [
            (TyId::I8, "128"),
            (TyId::I8, "1.0"),
            (TyId::I8, ""),
            (TyId::I8, "-"),
            (TyId::I64, "999999999999999999999999999999999999999999999"),
            (TyId::BOOL, "True"),
            (TyId::F64, "1,5"),
            (TyId::DATE, "2019-02-29"),
            (TyId::DATE, "20-02-29"),
            (TyId::DATE, "12020-02-29"),
            (TyId::DATE, "+9999999-01-01"),
            (TyId::DATE, "2020-1-1"),
            (TyId::DATE, "2020-01-01T00:00:00"),
            (TyId::TIME, "24:00:00"),
            (TyId::TIME, "12"),
            (TyId::TIME, "12:00:00."),
            (TyId::TIME, "12:00:00.0000000001"),
            (decimal, "10.00"),
            (decimal, "1.005"),
            (decimal, "."),
            (decimal, "1e2"),
            (seconds, "2020-01-01T00:00:00.5"),
            (seconds, "2020-01-01T00:00:00Z"),
            (zoned, "2020-01-01T00:00:00"),
            (zoned, "2020-01-01T00:00:00+1:00"),
            (zoned, "2262-04-11T23:47:16.854775808Z"),
        ] {
            assert!(text_to_scalar(&types, ty, text).is_err(), "`{text}` of `{}`", types.show(ty));
        }
    }
}
