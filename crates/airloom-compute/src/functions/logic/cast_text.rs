//! Conversion from text and to text.

use crate::data::Vector;
use crate::data::native::{Native, Width, by_whole_width, numbers_to_array};
use crate::functions::call::KernelCall;
use crate::functions::temporal::civil;
use crate::functions::views::TextWriter;
use airloom_ir::types::Ty;
use airloom_ir::value::Value;
use arrow::array::{Array, AsArray, StringViewArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use std::fmt::Write;

/// Texts as values of a type: what is written plainly is read here, everything else by the oracle.
pub(super) fn from_text(call: &KernelCall<'_>, to: &Ty) -> Option<Vector> {
    let texts = call.many(0)?.as_string_view_opt()?;
    match to {
        Ty::Int(_) => by_whole_width!(Width::of(to)?, N => numbers(call, texts, |text| text.parse::<N>().ok()), None),
        Ty::F32 => numbers(call, texts, |text| text.parse::<f32>().ok()),
        Ty::F64 => numbers(call, texts, |text| text.parse::<f64>().ok()),
        Ty::Date => numbers(call, texts, |text| civil::text_to_days(text.as_bytes())),
        _ => None,
    }
}

/// Numbers that `read` reads; those it does not are left to the oracle.
fn numbers<N: Native>(call: &KernelCall<'_>, texts: &StringViewArray, read: impl Fn(&str) -> Option<N>) -> Option<Vector> {
    let mut numbers = Vec::with_capacity(texts.len());
    let mut missing = Vec::new();
    for row in 0..texts.len() {
        if texts.is_null(row) {
            numbers.push(N::default());
            continue;
        }
        match read(texts.value(row)) {
            Some(number) => numbers.push(number),
            None => match call.oracle(row).ok()? {
                Value::Null => {
                    missing.push(row);
                    numbers.push(N::default());
                }
                value => numbers.push(N::of(&value)?),
            },
        }
    }
    let mut nulls = call.nulls();
    if !missing.is_empty() {
        let mut valid: Vec<bool> = (0..texts.len()).map(|row| texts.is_valid(row)).collect();
        missing.iter().for_each(|&row| valid[row] = false);
        nulls = Some(NullBuffer::new(BooleanBuffer::from(valid)));
    }
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, nulls)))
}

/// Values of a type as text.
pub(super) fn to_text(call: &KernelCall<'_>, from: &Ty) -> Option<Vector> {
    let array = call.many(0)?;
    match from {
        Ty::Bool => {
            let truths = array.as_boolean_opt()?.values();
            written(call, |block, row| block.push_str(if truths.value(row) { "true" } else { "false" }))
        }
        Ty::Int(_) => by_whole_width!(Width::of(from)?, N => {
            let numbers = N::numbers(array)?;
            written(call, |block, row| wrote(write!(block, "{}", numbers[row])))
        }, None),
        Ty::F32 => {
            let numbers = f32::numbers(array)?;
            written(call, |block, row| float(block, numbers[row].is_nan(), format_args!("{:?}", numbers[row])))
        }
        Ty::F64 => {
            let numbers = f64::numbers(array)?;
            written(call, |block, row| float(block, numbers[row].is_nan(), format_args!("{:?}", numbers[row])))
        }
        Ty::Duration(_) => {
            let numbers = i64::numbers(array)?;
            written(call, |block, row| wrote(write!(block, "{}", numbers[row])))
        }
        Ty::Date => {
            let days = i32::numbers(array)?;
            written(call, |block, row| civil::write_date(block, days[row].into()))
        }
        Ty::Decimal { scale, .. } => match Width::of(from)? {
            Width::I64 => {
                let digits = i64::numbers(array)?;
                written(call, |block, row| decimal(block, digits[row].into(), *scale))
            }
            _ => {
                let digits = i128::numbers(array)?;
                written(call, |block, row| decimal(block, digits[row], *scale))
            }
        },
        Ty::Category { names, .. } => {
            let places = i32::numbers(array)?;
            written(call, |block, row| {
                if let Some(name) = usize::try_from(places[row]).ok().and_then(|at| names.get(at)) {
                    block.push_str(name);
                }
            })
        }
        _ => None,
    }
}

fn written(call: &KernelCall<'_>, write: impl Fn(&mut String, usize)) -> Option<Vector> {
    let nulls = call.nulls();
    let mut out = TextWriter::new(call.rows);
    for row in 0..call.rows {
        if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            out.push("");
        } else {
            out.push_with(|block| write(block, row));
        }
    }
    Some(Vector::Flat(out.finish(nulls)))
}

/// Writing to a `String` does not fail.
fn wrote(result: std::fmt::Result) {
    result.expect("a string takes every text");
}

fn float(block: &mut String, nan: bool, digits: std::fmt::Arguments<'_>) {
    if nan { block.push_str("nan") } else { wrote(block.write_fmt(digits)) }
}

fn decimal(block: &mut String, digits: i128, scale: u8) {
    let (unit, size) = (10u128.pow(scale.into()), digits.unsigned_abs());
    if digits < 0 {
        block.push('-');
    }
    wrote(if scale == 0 {
        write!(block, "{size}")
    } else {
        write!(block, "{}.{:0width$}", size / unit, size % unit, width = scale.into())
    });
}
