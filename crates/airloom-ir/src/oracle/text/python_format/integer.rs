//! Integers by a format.

use super::float;
use super::spec::{Align, Pieces, Spec};

pub(super) fn format(value: i128, spec: &Spec) -> Result<String, String> {
    if matches!(spec.code, Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) {
        let value = value as f64;
        return float::format(value, || float::shortest_f64(value.abs()), spec);
    }
    spec.refuse(spec.precision.is_some(), "an integer takes no precision")?;
    spec.refuse(spec.no_negative_zero, "an integer takes no `z`")?;
    let size = value.unsigned_abs();
    let (prefix, whole, group) = match spec.code {
        None | Some('d') => ("", size.to_string(), 3),
        Some('b') => ("0b", format!("{size:b}"), 4),
        Some('o') => ("0o", format!("{size:o}"), 4),
        Some('x') => ("0x", format!("{size:x}"), 4),
        Some('X') => ("0X", format!("{size:X}"), 4),
        Some('c') => return character(value, spec),
        Some(_) => return Err(spec.unknown("integers")),
    };
    spec.refuse(group == 4 && spec.grouping == Some(','), "only `_` separates groups of digits that are not decimal")?;
    let prefix = if spec.alternate { prefix } else { "" };
    Ok(spec.number(&Pieces { negative: value < 0, prefix, whole, rest: String::new(), group }))
}

/// The character with this number.
fn character(value: i128, spec: &Spec) -> Result<String, String> {
    spec.refuse(spec.sign.is_some(), "a character takes no sign")?;
    spec.refuse(spec.alternate, "a character takes no `#`")?;
    spec.refuse(spec.grouping.is_some(), "a character takes no separators")?;
    let found = u32::try_from(value).ok().and_then(char::from_u32);
    let c = found.ok_or_else(|| format!("found {value}, expected the number of a character"))?;
    let align = spec.align.unwrap_or(if spec.zero { Align::AfterSign } else { Align::Right });
    Ok(spec.aligned("", &c.to_string(), align))
}
