//! Letter case and classes of characters: ASCII here, the rest of Unicode by the oracle.

use super::{texts, truths};
use crate::data::Vector;
use crate::functions::call::KernelCall;
use crate::functions::views::TextWriter;
use airloom_ir::attrs::{TextCase, TextClass};
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray};

pub(super) fn case(call: &KernelCall<'_>) -> Option<Vector> {
    let to: TextCase = call.attr(0);
    let array = call.many(0)?.as_string_view_opt()?;
    let nulls = call.nulls();
    let mut out = TextWriter::new(call.rows);
    for row in 0..call.rows {
        let text = array.value(row);
        if text.is_ascii() {
            out.push_with(|block| ascii(block, text, to));
        } else if array.is_null(row) {
            out.push("");
        } else {
            match (to, call.oracle(row).ok()?) {
                (_, Value::Str(text)) => out.push(&text),
                _ => return None,
            }
        }
    }
    Some(Vector::Flat(out.finish(nulls)))
}

fn ascii(block: &mut String, text: &str, to: TextCase) {
    let start = block.len();
    match to {
        TextCase::Upper => {
            block.push_str(text);
            block[start..].make_ascii_uppercase();
        }
        TextCase::Lower | TextCase::Fold => {
            block.push_str(text);
            block[start..].make_ascii_lowercase();
        }
        TextCase::Capitalize => {
            block.push_str(text);
            block[start..].make_ascii_lowercase();
            if let Some(first) = block.get_mut(start..start + 1) {
                first.make_ascii_uppercase();
            }
        }
        TextCase::Swap => {
            block.extend(text.chars().map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }))
        }
        TextCase::Title => {
            let mut inside = false;
            block.extend(text.chars().map(|c| {
                let made = if inside { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
                inside = c.is_ascii_alphabetic();
                made
            }));
        }
    }
}

pub(super) fn is(call: &KernelCall<'_>) -> Option<Vector> {
    let class: TextClass = call.attr(0);
    let text = texts(call, 0)?;
    truths(call, |row| {
        let text = text.at(row);
        if text.is_ascii() { is_ascii(text, class) } else { matches!(call.oracle(row), Ok(Value::Bool(true))) }
    })
}

fn is_ascii(text: &str, class: TextClass) -> bool {
    let all = |holds: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(holds);
    let cased =
        |wanted: fn(&u8) -> bool, unwanted: fn(&u8) -> bool| text.as_bytes().iter().any(wanted) && !text.as_bytes().iter().any(unwanted);
    match class {
        TextClass::Alpha => all(u8::is_ascii_alphabetic),
        TextClass::Alnum => all(u8::is_ascii_alphanumeric),
        TextClass::Decimal | TextClass::Digit | TextClass::Numeric => all(u8::is_ascii_digit),
        TextClass::Space => all(|b| super::is_space(char::from(*b))),
        TextClass::Lower => cased(u8::is_ascii_lowercase, u8::is_ascii_uppercase),
        TextClass::Upper => cased(u8::is_ascii_uppercase, u8::is_ascii_lowercase),
        TextClass::Title => {
            let (mut any, mut inside) = (false, false);
            for b in text.bytes() {
                if (b.is_ascii_uppercase() && inside) || (b.is_ascii_lowercase() && !inside) {
                    return false;
                }
                inside = b.is_ascii_alphabetic();
                any |= inside;
            }
            any
        }
    }
}
