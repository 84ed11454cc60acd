//! Python's format mini-language: what `format(value, spec)` gives.

mod decimal;
mod float;
mod integer;
mod spec;

use crate::oracle::call::mismatch;
use crate::types::Ty;
use crate::value::Value;
use spec::{Align, Spec};

/// A value by a format; what is wrong with the format for such a value otherwise.
pub(super) fn format(ty: &Ty, value: &Value, text: &str) -> Result<String, String> {
    let spec = Spec::parse(text)?;
    let made = match (ty, value) {
        // A boolean is a number to every format but the empty one.
        (_, Value::Bool(b)) if text.is_empty() => Ok(String::from(if *b { "True" } else { "False" })),
        (_, Value::Bool(b)) => integer::format(i128::from(*b), &spec),
        (Ty::Decimal { scale, .. }, Value::Int(digits)) => decimal::format(*digits, *scale, &spec),
        (_, Value::Int(i)) => integer::format(*i, &spec),
        (_, Value::F32(x)) => float::format(f64::from(*x), || float::shortest_f32(x.abs()), &spec),
        (_, Value::F64(x)) => float::format(*x, || float::shortest_f64(x.abs()), &spec),
        (_, Value::Str(s)) => string(s, &spec),
        (_, other) => mismatch("a number or text", other),
    };
    made.map_err(|message| format!("the format `{text}`: {message}"))
}

fn string(text: &str, spec: &Spec) -> Result<String, String> {
    spec.refuse(spec.sign.is_some(), "a sign is for numbers, not for text")?;
    spec.refuse(spec.no_negative_zero, "`z` is for numbers, not for text")?;
    spec.refuse(spec.alternate, "`#` is for numbers, not for text")?;
    spec.refuse(spec.grouping.is_some(), "separators are for numbers, not for text")?;
    spec.refuse(spec.align == Some(Align::AfterSign), "`=` is for numbers, not for text")?;
    if !matches!(spec.code, None | Some('s')) {
        return Err(spec.unknown("text"));
    }
    let kept: String = text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect();
    Ok(spec.aligned("", &kept, spec.align.unwrap_or(Align::Left)))
}
