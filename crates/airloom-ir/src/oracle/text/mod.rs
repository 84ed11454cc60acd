//! What the ops of text mean.

mod case;
mod class;
mod like;
mod pad;
mod parts;
mod python_format;
pub(super) mod regular;

pub use like::{LikePiece, like, like_pieces};

use super::call::{Call, mismatch};
use super::nested::{clip, place};
use super::stop::{Raised, raise};
use crate::attrs::{TextSide, TextUnit};
use crate::name::Name;
use crate::ops::text::Text;
use crate::value::Value;
use std::sync::Arc;

/// The most bytes that a text may have: a width or a number of repetitions is data, and must not be able to fill the memory.
const LONGEST: usize = 1 << 28;

pub(super) fn apply(op: Text, call: &Call<'_>) -> Result<Value, Raised> {
    // Every op but these three takes a text first; those that take none of it are given an empty one here.
    let text = if matches!(op, Text::Join | Text::Format | Text::Decode) { "" } else { call.str(0) };
    Ok(match op {
        Text::Len => match call.attr(0) {
            TextUnit::Chars => count(text.chars().count()),
            TextUnit::Bytes => count(text.len()),
        },
        Text::Case => Value::str(&case::to(text, call.attr(0))),
        Text::Is => Value::Bool(class::is(text, call.attr(0))),
        Text::Strip => Value::str(parts::strip(text, call.str(1), call.attr(0))),
        Text::StripPrefix => Value::str(text.strip_prefix(call.str(1)).unwrap_or(text)),
        Text::StripSuffix => Value::str(text.strip_suffix(call.str(1)).unwrap_or(text)),
        Text::Pad => made(pad::pad(text, call.i64(1), call.str(2), call.attr::<TextSide>(0))?),
        Text::Zfill => made(pad::zfill(text, call.i64(1))?),
        Text::Slice => {
            let chars: Vec<char> = text.chars().collect();
            made(chars[clip(call.i64(1), call.i64(2), chars.len())].iter().collect())
        }
        Text::At => match place(call.i64(1), text.chars().count()) {
            Some(at) => made(text.chars().skip(at).take(1).collect()),
            None => Value::Null,
        },
        Text::Find => position(text, text.find(call.str(1))),
        Text::FindLast => position(text, text.rfind(call.str(1))),
        Text::Count => count(text.matches(call.str(1)).count()),
        Text::Contains => Value::Bool(text.contains(call.str(1))),
        Text::Starts => Value::Bool(text.starts_with(call.str(1))),
        Text::Ends => Value::Bool(text.ends_with(call.str(1))),
        Text::Like => Value::Bool(like(text, &like_pieces(call.str(1)))),
        Text::Matches => Value::Bool(regular::matches(text, call.str(1), call.attr(0))?),
        Text::Replace => made(parts::replace(text, call.str(1), call.str(2), limit(call, 3))?),
        Text::ReplaceRegex => made(regular::replace(text, call.str(1), call.str(2), limit(call, 3))?),
        Text::Extract => regular::extract(text, call.str(1), call.attr(0))?.map_or(Value::Null, Value::str),
        Text::FindAll => list(regular::find_all(text, call.str(1))?),
        Text::Split => list(parts::split(text, call.str(1), limit(call, 2))),
        Text::SplitRegex => list(regular::split(text, call.str(1))?),
        Text::Concat => {
            let parts: Vec<&str> = (0..call.args.len()).map(|at| call.str(at)).collect();
            made(parts::join(&parts, "")?)
        }
        Text::Join => {
            let parts: Vec<&str> = call.list(0).iter().filter(|item| !item.is_null()).map(as_str).collect();
            made(parts::join(&parts, call.str(1))?)
        }
        Text::Repeat => made(pad::repeat(text, call.i64(1))?),
        Text::Reverse => made(text.chars().rev().collect()),
        Text::Format => made(python_format::format(call.plain_type(0), &call.args[0], &call.attr::<Name>(0)).map_err(Raised::new)?),
        Text::Encode => Value::Bytes(text.as_bytes().into()),
        Text::Decode => match &call.args[0] {
            Value::Bytes(bytes) => std::str::from_utf8(bytes).map_or(Value::Null, Value::str),
            other => mismatch("bytes", other),
        },
    })
}

/// Refuses a text that would be longer than any may be.
fn bounded(bytes: usize) -> Result<(), Raised> {
    if bytes > LONGEST { raise(format!("the text would have {bytes} bytes, expected at most {LONGEST}")) } else { Ok(()) }
}

fn made(text: String) -> Value {
    Value::Str(Arc::from(text))
}

fn count(count: usize) -> Value {
    Value::Int(count as i128)
}

fn list(parts: Vec<&str>) -> Value {
    Value::List(parts.into_iter().map(Value::str).collect())
}

fn as_str(value: &Value) -> &str {
    match value {
        Value::Str(text) => text,
        other => mismatch("text", other),
    }
}

/// The position of a byte among the characters, -1 where there is none.
fn position(text: &str, byte: Option<usize>) -> Value {
    byte.map_or(Value::Int(-1), |byte| count(text[..byte].chars().count()))
}

/// How many times at most; a negative limit is none.
fn limit(call: &Call<'_>, at: usize) -> usize {
    usize::try_from(call.i64(at)).unwrap_or(usize::MAX)
}
