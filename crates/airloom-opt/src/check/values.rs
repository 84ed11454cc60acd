//! Awkward values: the ends of each type, and what is next to them.

use crate::generate::Draw;
use airloom_ir::types::{Dim, IntTy, Ty, TyId, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// How often a value that may be null is.
const NULLS: u64 = 20;

const FLOATS: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    2.0,
    3.0,
    0.1,
    -0.3,
    8.0,
    1e16,
    9007199254740993.0,
    4503599627370495.5,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

const TEXTS: [&str; 29] = [
    "", "a", "A", "ab", "ba", "aa", "abab", " ", " a ", "\ta\n", "ß", "SS", "Σ", "ΑΣ", "σς", "İ", "ŉ", "ǅ", "ﬁ", "é", "e\u{301}", "😀a",
    "%", "a%", "%a%", "_", "a_\\%", "1", "ǰa",
];

/// Days, 2020-02-29 and the ends of the type among them.
const DAYS: [i128; 10] = [0, 1, -1, 59, 11_016, 18_321, -719_162, -719_528, i32::MAX as i128, i32::MIN as i128];

/// Seconds: leap days, and the hours around the changes of clocks in Paris in 2020 (01:00 UTC on March 29 and October 25).
const SECONDS: [i128; 12] =
    [0, 1, -1, 86_399, 86_400, 951_782_400, 1_582_934_400, 1_585_443_599, 1_585_443_600, 1_603_584_000, 1_603_587_600, 1_603_591_200];

/// An awkward value of a type.
pub fn value(types: &Types, ty: TyId, draw: &mut Draw) -> Value {
    match types.get(ty) {
        Ty::Option(_) if draw.chance(NULLS) => Value::Null,
        Ty::Option(inner) | Ty::Dict(inner) => value(types, *inner, draw),
        Ty::Bool => Value::Bool(draw.chance(50)),
        Ty::Int(int) => Value::Int(whole(*int, draw)),
        Ty::F64 => Value::F64(float(draw)),
        Ty::F32 => Value::F32(if draw.chance(5) { f32::from_bits(1) } else { float(draw) as f32 }),
        Ty::Decimal { precision, .. } => {
            let most = 10i128.pow(u32::from(*precision)) - 1;
            Value::Int([0, 1, -1, 5, -5, 15, 25, 100, most, -most, most / 2][draw.below(11)].clamp(-most, most))
        }
        Ty::Str => Value::str(draw.pick::<&str>(&TEXTS)),
        Ty::Bytes => Value::Bytes(draw.pick(&[&b""[..], b"\0", b"ab", b"\xff\xfe", b"a"]).to_vec().into()),
        Ty::Date => Value::Int(*draw.pick(&DAYS)),
        Ty::Time => Value::Int(*draw.pick(&[0, 1, 43_200_000_000_000, 86_399_999_999_999])),
        Ty::Timestamp { unit, .. } | Ty::Duration(unit) => {
            let ends = [i64::MIN, i64::MAX, i64::MIN + 1, i64::MAX - 1].map(i128::from);
            Value::Int(if draw.chance(15) {
                *draw.pick(&ends)
            } else {
                draw.pick(&SECONDS) * i128::from(unit.per_second()) + i128::from(draw.chance(30))
            })
        }
        Ty::Category { names, .. } => Value::Int(draw.below(names.len().max(1)) as i128),
        Ty::List(element) => Value::List((0..draw.below(4)).map(|_| value(types, *element, draw)).collect()),
        Ty::Struct(fields) => Value::Struct(fields.iter().map(|f| value(types, f.ty, draw)).collect()),
        Ty::Tuple(parts) => Value::Tuple(parts.iter().map(|&part| value(types, part, draw)).collect()),
        Ty::Rel(fields) => {
            let row = |draw: &mut Draw| -> Arc<[Value]> { fields.iter().map(|f| value(types, f.ty, draw)).collect() };
            Value::rel(fields.len(), (0..draw.below(4)).map(|_| row(draw)).collect())
        }
        Ty::Arr(element, dims) => {
            let shape: Vec<usize> = dims.iter().map(|d| if let Dim::Fixed(n) = d { *n as usize } else { draw.below(4) }).collect();
            let items = (0..shape.iter().product()).map(|_| value(types, *element, draw)).collect();
            Value::nd(shape, items)
        }
        Ty::Token => Value::Token,
        Ty::Fn(..) => unreachable!("no function is a parameter of a case"),
    }
}

/// Often one of the most awkward, so that two of them meet; now and then one of which nothing is special but its many digits.
fn float(draw: &mut Draw) -> f64 {
    match draw.below(10) {
        0..3 => *draw.pick(&[f64::NAN, 0.0, -0.0]),
        3 => (draw.number() >> 11) as f64 / 1e9 - 4e6,
        _ => *draw.pick(&FLOATS),
    }
}

fn whole(int: IntTy, draw: &mut Draw) -> i128 {
    let near = [0, 1, -1, 2, 3, 4, 7, 8, 16, -2, -7, 64, 100];
    let ends = [int.lowest(), int.highest(), int.lowest() + 1, int.highest() - 1, int.highest() / 2 + 1];
    let drawn = match draw.below(10) {
        0..3 => *draw.pick(&ends),
        3 => i128::from(draw.number()),
        _ => *draw.pick(&near),
    };
    int.wrap(drawn)
}
