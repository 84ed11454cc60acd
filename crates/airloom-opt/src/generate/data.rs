//! Awkward values.

use super::Draw;
use airloom_ir::types::{Dim, Ty, TyId, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// How often a value that may be null is.
const NULLS: u64 = 25;

/// A value of a type.
pub(super) fn value(types: &Types, ty: TyId, draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Option(inner) => {
            if draw.chance(NULLS) {
                Value::Null
            } else {
                value(types, *inner, draw)
            }
        }
        Ty::Rel(fields) => {
            // Often none, often one, else a few: enough for ties, too few to be slow.
            let rows = *draw.pick(&[0, 1, 2, 3, 5, 8, 13]);
            let row = |draw: &mut Draw| -> Arc<[Value]> { fields.iter().map(|f| value(types, f.ty, draw)).collect() };
            Value::rel(fields.len(), (0..rows).map(|_| row(draw)).collect())
        }
        Ty::Arr(element, dims) => {
            let shape: Vec<usize> = dims.iter().map(|d| if let Dim::Fixed(n) = d { *n as usize } else { draw.below(5) }).collect();
            let items = (0..shape.iter().product()).map(|_| value(types, *element, draw)).collect();
            Value::nd(shape, items)
        }
        Ty::Struct(fields) => Value::Struct(fields.iter().map(|f| value(types, f.ty, draw)).collect()),
        Ty::List(element) => {
            let length = draw.below(4);
            Value::List((0..length).map(|_| value(types, *element, draw)).collect())
        }
        plain => scalar(plain, draw),
    }
}

/// A scalar; small numbers more often than large ones, so that keys meet.
pub(super) fn scalar(ty: &Ty, draw: &mut Draw) -> Value {
    match ty {
        Ty::Bool => Value::Bool(draw.chance(50)),
        Ty::Int(int) => {
            let extreme = [int.lowest(), int.highest(), int.lowest() + 1, int.highest() - 1];
            let value =
                if draw.chance(12) { *draw.pick(&extreme) } else { i128::from(draw.below(5) as u32) - i128::from(int.signed()) * 2 };
            Value::Int(value)
        }
        Ty::F64 => Value::F64(float(draw)),
        Ty::F32 => Value::F32(float(draw) as f32),
        Ty::Decimal { precision, .. } => {
            let most = 10i128.pow(u32::from(*precision)) - 1;
            Value::Int(*draw.pick(&[0, 1, -1, 100, 250, -250, most, -most]))
        }
        Ty::Str => Value::str(draw.pick::<&str>(&["", "a", "b", "ab", "A", "é", "e\u{301}", "😀", " x ", "10", "%_\\", "İ"])),
        Ty::Date => Value::Int(*draw.pick(&[0, 1, -1, 59, 365, 11_016, 18_321, -719_162])),
        Ty::Bytes => Value::Bytes(draw.pick(&[&b""[..], b"\0", b"ab", b"\xff\xfe"]).to_vec().into()),
        Ty::Time => Value::Int(*draw.pick(&[0, 1, 43_200_000_000_000, 86_399_999_999_999])),
        Ty::Timestamp { .. } | Ty::Duration(_) => {
            Value::Int(*draw.pick(&[0, 1, -1, 86_400_000_000, i128::from(i64::MAX), i128::from(i64::MIN)]))
        }
        Ty::Category { names, .. } => Value::Int(draw.below(names.len().max(1)) as i128),
        other => unreachable!("no value is drawn of {other:?}"),
    }
}

fn float(draw: &mut Draw) -> f64 {
    *draw.pick(&[
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        2.0,
        1.5,
        1e300,
        -1e300,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        0.1,
    ])
}
