//! Literals: constants of programs, and the arguments and results in filetests.

use super::SyntaxError;
use super::lexer::{Cursor, Token};
use super::quote;
use super::types::list;
use crate::name::Name;
use crate::oracle::convert::{scalar_to_text, text_to_scalar};
use crate::types::{Dim, Fields, Ty, TyId, Types};
use crate::value::{Array, Table, Value};
use std::sync::Arc;

/// How deep literals may nest.
const MAX_DEPTH: u32 = 64;

/// A literal before its type is known.
#[derive(Clone, PartialEq, Debug)]
pub enum Raw {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// Any other number, with its text.
    Float(f64, String),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// `[…]`.
    List(Vec<Raw>),
    /// `{a: …}`.
    Record(Vec<(Name, Raw)>),
    /// `(…)`.
    Tuple(Vec<Raw>),
    /// `rows(3)`, `shape(0, 3)`: what has no elements to be written.
    Counts(String, Vec<u64>),
}

/// Whether a literal begins here, bracketed ones apart.
pub(super) fn starts(token: &Token) -> bool {
    match token {
        Token::Int(_) | Token::Float(..) | Token::Text(_) | Token::Bytes(_) => true,
        Token::Word(w) => matches!(w.as_str(), "true" | "false" | "null" | "nan" | "inf"),
        _ => false,
    }
}

/// A literal.
pub(super) fn parse(cursor: &mut Cursor) -> Result<Raw, SyntaxError> {
    parse_at(cursor, 0)
}

/// Literals in parentheses.
pub(super) fn parse_arguments(cursor: &mut Cursor) -> Result<Vec<Raw>, SyntaxError> {
    cursor.expect('(')?;
    list(cursor, ')', parse)
}

fn parse_at(cursor: &mut Cursor, depth: u32) -> Result<Raw, SyntaxError> {
    if depth > MAX_DEPTH {
        return Err(cursor.error_at(cursor.place(), format!("the literal nests deeper than {MAX_DEPTH}")));
    }
    let raw = match cursor.peek().clone() {
        Token::Int(i) => Raw::Int(i),
        Token::Float(x, text) => Raw::Float(x, text),
        Token::Text(t) => Raw::Text(t),
        Token::Bytes(b) => Raw::Bytes(b),
        Token::Word(w) => match w.as_str() {
            "true" => Raw::Bool(true),
            "false" => Raw::Bool(false),
            "null" => Raw::Null,
            "nan" => Raw::Float(f64::NAN, w),
            "inf" => Raw::Float(f64::INFINITY, w),
            "rows" | "shape" => {
                cursor.skip();
                cursor.expect('(')?;
                let counts = list(cursor, ')', count)?;
                return Ok(Raw::Counts(w, counts));
            }
            _ => return Err(cursor.expected("a literal")),
        },
        Token::Sign('[') => {
            cursor.skip();
            return list(cursor, ']', |c| parse_at(c, depth + 1)).map(Raw::List);
        }
        Token::Sign('{') => {
            cursor.skip();
            let fields = list(cursor, '}', |c| {
                let name = c.name("a field's name")?;
                c.expect(':')?;
                Ok((name, parse_at(c, depth + 1)?))
            })?;
            return Ok(Raw::Record(fields));
        }
        Token::Sign('(') => {
            cursor.skip();
            return list(cursor, ')', |c| parse_at(c, depth + 1)).map(Raw::Tuple);
        }
        _ => return Err(cursor.expected("a literal")),
    };
    cursor.skip();
    Ok(raw)
}

fn count(cursor: &mut Cursor) -> Result<u64, SyntaxError> {
    match *cursor.peek() {
        Token::Int(n) if (0..1 << 20).contains(&n) => {
            cursor.skip();
            Ok(n as u64)
        }
        _ => Err(cursor.expected("a small integer")),
    }
}

/// The value that a literal is, of a type. Literals nest at most so deep, so this may recurse.
pub fn raw_to_value(types: &Types, ty: TyId, raw: &Raw) -> Result<Value, String> {
    let wrong = || format!("expected a literal of `{}`, found {}", types.show(ty), describe(raw));
    match (types.get(ty), raw) {
        (Ty::Option(_), Raw::Null) => Ok(Value::Null),
        (Ty::Option(inner) | Ty::Dict(inner), _) => raw_to_value(types, *inner, raw),
        (Ty::Bool, Raw::Bool(b)) => Ok(Value::Bool(*b)),
        (Ty::F64, Raw::Int(i)) => Ok(Value::F64(*i as f64)),
        (Ty::F32, Raw::Int(i)) => Ok(Value::F32(*i as f32)),
        (Ty::F64, Raw::Float(x, _)) => Ok(Value::F64(*x)),
        (Ty::F32, Raw::Float(x, text)) => Ok(Value::F32(text.parse().unwrap_or(*x as f32))),
        (Ty::Int(int), Raw::Int(i)) if int.holds(*i) => Ok(Value::Int(*i)),
        (Ty::Duration(_), Raw::Int(i)) if i64::try_from(*i).is_ok() => Ok(Value::Int(*i)),
        (Ty::Decimal { .. }, Raw::Int(i)) => text_to_scalar(types, ty, &i.to_string()),
        (Ty::Decimal { .. }, Raw::Float(_, text)) => text_to_scalar(types, ty, text),
        (Ty::Str, Raw::Text(t)) => Ok(Value::str(t)),
        (Ty::Bytes, Raw::Bytes(b)) => Ok(Value::Bytes(b.as_slice().into())),
        (Ty::Date | Ty::Time | Ty::Timestamp { .. } | Ty::Decimal { .. } | Ty::Category { .. }, Raw::Text(t)) => {
            text_to_scalar(types, ty, t)
        }
        (Ty::List(element), Raw::List(items)) => {
            let items: Result<Vec<Value>, String> = items.iter().map(|raw| raw_to_value(types, *element, raw)).collect();
            Ok(Value::List(items?.into()))
        }
        (Ty::Struct(fields), Raw::Record(values)) => Ok(Value::Struct(record(types, fields, values)?.into())),
        (Ty::Tuple(parts), Raw::Tuple(values)) if parts.len() == values.len() => {
            let values: Result<Vec<Value>, String> = parts.iter().zip(values).map(|(t, raw)| raw_to_value(types, *t, raw)).collect();
            Ok(Value::Tuple(values?.into()))
        }
        (Ty::Rel(fields), Raw::Record(columns)) if !fields.is_empty() => table(types, fields, columns),
        (Ty::Rel(fields), Raw::Counts(word, counts)) if word == "rows" && counts.len() == 1 && fields.is_empty() => {
            Ok(Value::rel(0, vec![Arc::from([]); counts[0] as usize]))
        }
        (Ty::Arr(element, dims), Raw::List(_)) => {
            let mut array = Array { shape: Vec::new(), items: Vec::new() };
            elements(types, *element, raw, dims.len(), 0, &mut array)?;
            extents(dims, &array.shape)?;
            Ok(Value::Arr(Arc::new(array)))
        }
        (Ty::Arr(_, dims), Raw::Counts(word, counts)) if word == "shape" && counts.len() == dims.len() && counts.contains(&0) => {
            let shape: Vec<usize> = counts.iter().map(|&n| n as usize).collect();
            extents(dims, &shape)?;
            Ok(Value::nd(shape, Vec::new()))
        }
        (Ty::Token, Raw::Tuple(parts)) if parts.is_empty() => Ok(Value::Token),
        _ => Err(wrong()),
    }
}

fn describe(raw: &Raw) -> String {
    match raw {
        Raw::Null => "`null`".into(),
        Raw::Bool(b) => format!("`{b}`"),
        Raw::Int(i) => format!("`{i}`"),
        Raw::Float(_, text) => format!("`{text}`"),
        Raw::Text(t) => quote::string(&t.chars().take(40).collect::<String>()),
        Raw::Bytes(_) => "bytes".into(),
        Raw::List(items) => format!("a list of {}", items.len()),
        Raw::Record(fields) => format!("a record of {} fields", fields.len()),
        Raw::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Raw::Counts(word, _) => format!("`{word}(…)`"),
    }
}

fn record(types: &Types, fields: &Fields, values: &[(Name, Raw)]) -> Result<Vec<Value>, String> {
    if let Some((name, _)) = values.iter().find(|(name, _)| !fields.contains(name)) {
        return Err(crate::typing::core::no_field(name, fields));
    }
    let one = |field: &crate::types::Field| {
        let mut found = values.iter().filter(|(name, _)| *name == field.name);
        match (found.next(), found.next()) {
            (Some((_, raw)), None) => raw_to_value(types, field.ty, raw),
            (None, _) => Err(format!("the field `{}` is missing", field.name)),
            (Some(_), Some(_)) => Err(format!("duplicate field `{}`", field.name)),
        }
    };
    fields.iter().map(one).collect()
}

fn table(types: &Types, fields: &Fields, columns: &[(Name, Raw)]) -> Result<Value, String> {
    if let Some((name, _)) = columns.iter().find(|(name, _)| !fields.contains(name)) {
        return Err(crate::typing::core::no_field(name, fields));
    }
    let mut rows: Option<Vec<Vec<Value>>> = None;
    for field in fields.iter() {
        let found = columns.iter().find(|(name, _)| *name == field.name);
        let (_, raw) = found.ok_or_else(|| format!("the column `{}` is missing", field.name))?;
        let Raw::List(items) = raw else {
            return Err(format!("the column `{}` must be a list of values, not {}", field.name, describe(raw)));
        };
        let rows = rows.get_or_insert_with(|| vec![Vec::with_capacity(fields.len()); items.len()]);
        if rows.len() != items.len() {
            return Err(format!("the column `{}` has {} values, the ones before it {}", field.name, items.len(), rows.len()));
        }
        for (row, raw) in rows.iter_mut().zip(items) {
            row.push(raw_to_value(types, field.ty, raw).map_err(|m| format!("column `{}`: {m}", field.name))?);
        }
    }
    let rows = rows.unwrap_or_default().into_iter().map(Arc::from).collect();
    Ok(Value::Rel(Arc::new(Table { width: fields.len(), rows })))
}

/// The extents that the type states are those that there are.
fn extents(dims: &[Dim], shape: &[usize]) -> Result<(), String> {
    let wrong = dims.iter().zip(shape).enumerate().find(|(_, (dim, found))| matches!(dim, Dim::Fixed(extent) if *extent != **found as u64));
    match wrong {
        Some((axis, (Dim::Fixed(extent), found))) => Err(format!("expected {extent} elements along axis {axis}, found {found}")),
        _ => Ok(()),
    }
}

/// The elements of a nested list, which must be a full block of `axes` axes.
fn elements(types: &Types, element: TyId, raw: &Raw, axes: usize, axis: usize, out: &mut Array) -> Result<(), String> {
    if axis == axes {
        out.items.push(raw_to_value(types, element, raw)?);
        return Ok(());
    }
    let Raw::List(items) = raw else { return Err(format!("expected an array of {axes} axes, found {} at axis {axis}", describe(raw))) };
    match out.shape.get(axis) {
        None => out.shape.push(items.len()),
        Some(&extent) if extent != items.len() => {
            return Err(format!("the parts of axis {axis} have {extent} and {} elements", items.len()));
        }
        Some(_) => (),
    }
    if items.is_empty() && axis + 1 < axes {
        return Err("an array with an empty axis is written `shape(…)`".into());
    }
    items.iter().try_for_each(|raw| elements(types, element, raw, axes, axis + 1, out))
}

/// The text of a value, which [`raw_to_value`] reads back.
pub fn value_to_text(types: &Types, ty: TyId, value: &Value) -> String {
    match (types.get(ty), value) {
        (_, Value::Null) => "null".into(),
        (Ty::Option(inner) | Ty::Dict(inner), _) => value_to_text(types, *inner, value),
        (Ty::Str, Value::Str(s)) => quote::string(s),
        (_, Value::Bytes(b)) => quote::bytes(b),
        (Ty::Int(_) | Ty::Duration(_), Value::Int(i)) => i.to_string(),
        (Ty::List(element), Value::List(items)) => format!("[{}]", joined(items.iter().map(|v| value_to_text(types, *element, v)))),
        (Ty::Struct(fields), Value::Struct(values)) => {
            format!(
                "{{{}}}",
                joined(fields.iter().zip(values.iter()).map(|(f, v)| format!(
                    "{}: {}",
                    quote::name(&f.name),
                    value_to_text(types, f.ty, v)
                )))
            )
        }
        (Ty::Tuple(parts), Value::Tuple(values)) => {
            format!("({})", joined(parts.iter().zip(values.iter()).map(|(t, v)| value_to_text(types, *t, v))))
        }
        (Ty::Rel(fields), Value::Rel(table)) if fields.is_empty() => format!("rows({})", table.rows.len()),
        (Ty::Rel(fields), Value::Rel(table)) => {
            let column = |(at, field): (usize, &crate::types::Field)| {
                let cells = joined(table.rows.iter().map(|row| value_to_text(types, field.ty, &row[at])));
                format!("{}: [{cells}]", quote::name(&field.name))
            };
            format!("{{{}}}", joined(fields.iter().enumerate().map(column)))
        }
        (Ty::Arr(_, _), Value::Arr(array)) if array.shape.len() > 1 && array.shape.contains(&0) => {
            format!("shape({})", joined(array.shape.iter().map(usize::to_string)))
        }
        (Ty::Arr(element, _), Value::Arr(array)) => nested(types, *element, &array.shape, &array.items),
        (_, Value::Bool(_) | Value::Int(_) | Value::F32(_) | Value::F64(_) | Value::Str(_)) => {
            let text = scalar_to_text(types, ty, value);
            if matches!(types.get(ty), Ty::Bool | Ty::F32 | Ty::F64) { text } else { quote::string(&text) }
        }
        (_, Value::Token) => "()".into(),
        (_, Value::Func(_)) => "a function".into(),
        _ => panic!("invariant `values have their node's type`: {value:?} is not of `{}`", types.show(ty)),
    }
}

fn nested(types: &Types, element: TyId, shape: &[usize], items: &[Value]) -> String {
    match shape {
        [] => items.first().map_or(String::new(), |v| value_to_text(types, element, v)),
        [_] => format!("[{}]", joined(items.iter().map(|v| value_to_text(types, element, v)))),
        [_, rest @ ..] => {
            let size: usize = rest.iter().product::<usize>().max(1);
            format!("[{}]", joined(items.chunks(size).map(|part| nested(types, element, rest, part))))
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
