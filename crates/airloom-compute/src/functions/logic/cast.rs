//! Conversion among numbers, and among dates, timestamps and durations. What is text on one side is beside this.

use super::cast_text;
use crate::data::Vector;
use crate::data::bits;
use crate::data::native::{Native, Width, buffer_to_array, by_whole_width, each, numbers_to_array};
use crate::functions::call::KernelCall;
use airloom_ir::attrs::CastMode;
use airloom_ir::oracle::formula::DAY_SECONDS;
use airloom_ir::types::{TimeUnit, Ty, TyId};
use arrow::array::AsArray;
use arrow::buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};

pub(super) fn cast(call: &KernelCall<'_>) -> Option<Vector> {
    let to: TyId = call.attr(0);
    let (from, to) = (call.plain(0), call.types.plain(to));
    call.many(0)?;
    match (from, to) {
        (from, to) if from == to => Some(call.args[0].clone()),
        (Ty::List(_) | Ty::Struct(_), _) | (_, Ty::Bytes) | (Ty::Category { .. }, Ty::Category { .. }) => None,
        (Ty::Str, to) => cast_text::from_text(call, to),
        (from, Ty::Str) => cast_text::to_text(call, from),
        (Ty::Bool, to) => of_truths(call, to),
        (Ty::F32, to) => of_floats::<f32>(call, to),
        (Ty::F64, to) => of_floats::<f64>(call, to),
        (from, Ty::Bool) => by_whole_width!(Width::of(from)?, N => not_zero::<N>(call), None),
        (Ty::Decimal { scale, .. }, Ty::F32) => {
            let power = POWERS[..11].get(usize::from(*scale)).map(|power| *power as f32);
            decimal_to_float(call, *scale, power.map_or(0, |_| 1 << 24), |x| x as f32 / power.unwrap_or(1.0))
        }
        (Ty::Decimal { scale, .. }, Ty::F64) => {
            let power = POWERS.get(usize::from(*scale)).copied();
            decimal_to_float(call, *scale, power.map_or(0, |_| 1 << 53), |x| x as f64 / power.unwrap_or(1.0))
        }
        (from, Ty::F32) => by_whole_width!(Width::of(from)?, N => whole_to_float::<N, f32>(call, |x| x.as_f32()), None),
        (from, Ty::F64) => by_whole_width!(Width::of(from)?, N => whole_to_float::<N, f64>(call, |x| x.as_f64()), None),
        (from, to) => counted(call, from, to),
    }
}

/// The powers of ten that `f64` holds exactly.
const POWERS: [f64; 23] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22];

/// An integer that is widened before it is converted, and narrowed after.
trait Count: Native {
    fn wide(self) -> i128;
    fn narrow(self) -> i64;
    fn of_wide(wide: i128) -> Self;
    fn of_narrow(narrow: i64) -> Self;
    fn of_float(float: f64) -> Self;
    fn as_f32(self) -> f32;
    fn as_f64(self) -> f64;
}

macro_rules! count {
    ($($N:ident),+) => { $(
        impl Count for $N {
            #[inline(always)]
            fn wide(self) -> i128 {
                self as i128
            }
            #[inline(always)]
            fn narrow(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn of_wide(wide: i128) -> $N {
                wide as $N
            }
            #[inline(always)]
            fn of_narrow(narrow: i64) -> $N {
                narrow as $N
            }
            #[inline(always)]
            fn of_float(float: f64) -> $N {
                float as $N
            }
            #[inline(always)]
            fn as_f32(self) -> f32 {
                self as f32
            }
            #[inline(always)]
            fn as_f64(self) -> f64 {
                self as f64
            }
        }
    )+ };
}
count!(i8, i16, i32, i64, i128, u8, u16, u32, u64);

/// How a count becomes another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    Times(i128),
    Floor(i128),
    Trunc(i128),
    HalfEven(i128),
}

fn change(from: &Ty, to: &Ty) -> Option<Change> {
    let ten_to = |exponent: u8| 10i128.pow(exponent.into());
    let rescaled = |from: TimeUnit, to: TimeUnit| match (i128::from(from.per_second()), i128::from(to.per_second())) {
        (from, to) if from == to => Change::Same,
        (from, to) if from < to => Change::Times(to / from),
        (from, to) => Change::Floor(from / to),
    };
    let day = |unit: TimeUnit| i128::from(DAY_SECONDS * unit.per_second());
    Some(match (from, to) {
        (Ty::Decimal { scale: from, .. }, Ty::Decimal { scale: to, .. }) => match from.cmp(to) {
            std::cmp::Ordering::Equal => Change::Same,
            std::cmp::Ordering::Less => Change::Times(ten_to(to - from)),
            std::cmp::Ordering::Greater => Change::HalfEven(ten_to(from - to)),
        },
        (Ty::Decimal { scale, .. }, _) => Change::Trunc(ten_to(*scale)),
        (_, Ty::Decimal { scale, .. }) => Change::Times(ten_to(*scale)),
        (Ty::Date, Ty::Timestamp { unit, .. }) => Change::Times(day(*unit)),
        (Ty::Timestamp { unit, .. }, Ty::Date) => Change::Floor(day(*unit)),
        (Ty::Timestamp { unit: from, .. }, Ty::Timestamp { unit: to, .. }) | (Ty::Duration(from), Ty::Duration(to)) => rescaled(*from, *to),
        _ => Change::Same,
    })
}

/// The minimum and the maximum count that a type holds.
fn range(ty: &Ty) -> Option<(i128, i128)> {
    Some(match ty {
        Ty::Int(int) => (int.lowest(), int.highest()),
        Ty::Decimal { precision, .. } => {
            let most = 10i128.pow((*precision).into()) - 1;
            (-most, most)
        }
        Ty::Date => (i32::MIN.into(), i32::MAX.into()),
        Ty::Time => (0, 86_399_999_999_999),
        Ty::Timestamp { .. } | Ty::Duration(_) => (i64::MIN.into(), i64::MAX.into()),
        _ => return None,
    })
}

/// Integers, decimals, and what is counted.
fn counted(call: &KernelCall<'_>, from: &Ty, to: &Ty) -> Option<Vector> {
    let (source, target) = (Width::of(from)?, Width::of(to)?);
    let (low, high) = range(to)?;
    let change = change(from, to)?;
    let mode: CastMode = call.attr(1);
    if mode == CastMode::Wrap && change == Change::Same && matches!(to, Ty::Int(_)) {
        let wide: Vec<i128> = by_whole_width!(source, N => each(&many::<N>(call)?, N::wide), return None);
        return by_whole_width!(target, N => Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&wide, N::of_wide), call.nulls()))), None);
    }
    let narrow_bounds = i64::try_from(low).ok().zip(i64::try_from(high).ok());
    let narrow_factor = match change {
        Change::Same => Some(1),
        Change::Times(by) | Change::Floor(by) | Change::Trunc(by) | Change::HalfEven(by) => i64::try_from(by).ok(),
    };
    if let (Some((low, high)), Some(by)) = (narrow_bounds, narrow_factor)
        && !matches!(source, Width::I128 | Width::U64)
    {
        let counts: ScalarBuffer<i64> = match source {
            Width::I64 => many::<i64>(call)?,
            other => by_whole_width!(other, N => each(&many::<N>(call)?, N::narrow).into(), return None),
        };
        // A type that holds every number of its width: what does not fit is what does not come back.
        let whole_width = matches!(to, Ty::Int(_) | Ty::Date | Ty::Timestamp { .. } | Ty::Duration(_));
        if change == Change::Same && whole_width && target != Width::I64 {
            let narrowed = by_whole_width!(target, N => come_back::<N>(call, &counts), None);
            if narrowed.is_some() {
                return narrowed;
            }
        }
        let fits = move |(x, over): (i64, bool)| (x, over | (x < low) | (x > high));
        let (counts, nulls) = match change {
            // Nothing to check where every count of the one type is one of the other.
            Change::Same if range(from).is_some_and(|(a, b)| a >= low.into() && b <= high.into()) => (counts, call.nulls()),
            Change::Same => kept(call, &counts, mode, move |x| fits((x, false)))?,
            Change::Times(_) => kept(call, &counts, mode, move |x: i64| fits(x.overflowing_mul(by)))?,
            Change::Floor(_) => kept(call, &counts, mode, move |x: i64| fits((x.div_euclid(by), false)))?,
            Change::Trunc(_) => kept(call, &counts, mode, move |x: i64| fits((x / by, false)))?,
            Change::HalfEven(_) => kept(call, &counts, mode, move |x: i64| {
                let (floor, rest) = (x.div_euclid(by), x.rem_euclid(by));
                fits((floor + i64::from(rest > by - rest || (rest == by - rest && floor % 2 != 0)), false))
            })?,
        };
        return Some(Vector::Flat(match target {
            Width::I64 => buffer_to_array(call.types, call.ty, counts, nulls),
            other => by_whole_width!(other, N => numbers_to_array(call.types, call.ty, each(&counts, N::of_narrow), nulls), return None),
        }));
    }
    let counts: ScalarBuffer<i128> = match source {
        Width::I128 => many::<i128>(call)?,
        other => by_whole_width!(other, N => each(&many::<N>(call)?, N::wide).into(), return None),
    };
    let fits = move |(x, over): (i128, bool)| (x, over | (x < low) | (x > high));
    let (counts, nulls) = match change {
        Change::Same => kept(call, &counts, mode, move |x| fits((x, false)))?,
        Change::Times(by) => kept(call, &counts, mode, move |x: i128| fits(x.overflowing_mul(by)))?,
        Change::Floor(by) => kept(call, &counts, mode, move |x: i128| fits((x.div_euclid(by), false)))?,
        Change::Trunc(by) => kept(call, &counts, mode, move |x: i128| fits((x / by, false)))?,
        Change::HalfEven(by) => kept(call, &counts, mode, move |x: i128| {
            let (floor, rest) = (x.div_euclid(by), x.rem_euclid(by));
            fits((floor + i128::from(rest > by - rest || (rest == by - rest && floor % 2 != 0)), false))
        })?,
    };
    Some(Vector::Flat(match target {
        Width::I128 => buffer_to_array(call.types, call.ty, counts, nulls),
        other => by_whole_width!(other, N => numbers_to_array(call.types, call.ty, each(&counts, N::of_wide), nulls), return None),
    }))
}

/// Narrower numbers, where every one of them is the same number.
fn come_back<N: Count>(call: &KernelCall<'_>, counts: &[i64]) -> Option<Vector> {
    let mut lost = 0;
    let narrowed: Vec<N> = counts
        .iter()
        .map(|&count| {
            let number = N::of_narrow(count);
            lost |= count ^ number.narrow();
            number
        })
        .collect();
    (lost == 0).then(|| Vector::Flat(numbers_to_array(call.types, call.ty, narrowed, call.nulls())))
}

/// The numbers of the argument.
fn many<N: Native>(call: &KernelCall<'_>) -> Option<ScalarBuffer<N>> {
    N::numbers(call.many(0)?)
}

/// Converted numbers with their nulls: what does not convert is null where the mode is lenient, and else the kernel gives up.
#[inline(always)]
fn kept<A: Native, R: Native>(
    call: &KernelCall<'_>,
    numbers: &[A],
    mode: CastMode,
    make: impl Fn(A) -> (R, bool) + Copy,
) -> Option<(ScalarBuffer<R>, Option<NullBuffer>)> {
    let mut wrong = false;
    let converted: Vec<R> = numbers
        .iter()
        .map(|x| {
            let (number, misfits) = make(*x);
            wrong |= misfits;
            number
        })
        .collect();
    let nulls = call.nulls();
    if !wrong {
        return Some((converted.into(), nulls));
    }
    let misfits = bits::test(numbers, move |x| make(x).1);
    if mode == CastMode::Lenient {
        return Some((converted.into(), bits::with_nulls(nulls.as_ref(), &misfits)));
    }
    if bits::any_valid(&misfits, nulls.as_ref()) { None } else { Some((converted.into(), nulls)) }
}

fn not_zero<N: Native>(call: &KernelCall<'_>) -> Option<Vector> {
    let numbers = many::<N>(call)?;
    Some(Vector::Flat(bits::truths(bits::test(&numbers, |x| x != N::default()), call.nulls())))
}

fn whole_to_float<N: Count, F: Native>(call: &KernelCall<'_>, make: impl Fn(N) -> F) -> Option<Vector> {
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&many::<N>(call)?, make), call.nulls())))
}

/// A decimal as the nearest float: by one division where its digits are at most `most`, so that they and the power of ten are floats; else by its text, which
/// rounds once as well.
fn decimal_to_float<F: Native + std::str::FromStr>(
    call: &KernelCall<'_>,
    scale: u8,
    most: u64,
    divide: impl Fn(i64) -> F,
) -> Option<Vector> {
    if let Some(small) = i64::numbers(call.many(0)?).filter(|digits| digits.iter().fold(0, |all, x| all.max(x.unsigned_abs())) <= most) {
        return Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&small, divide), call.nulls())));
    }
    let mut text = String::new();
    let mut make = |x: i128| {
        if x.unsigned_abs() <= most.into() {
            return Some(divide(x as i64));
        }
        text.clear();
        std::fmt::Write::write_fmt(&mut text, format_args!("{x}e-{scale}")).ok()?;
        text.parse().ok()
    };
    let floats: Option<Vec<F>> = match Width::of(call.plain(0))? {
        Width::I64 => many::<i64>(call)?.iter().map(|x| make((*x).into())).collect(),
        _ => many::<i128>(call)?.iter().map(|x| make(*x)).collect(),
    };
    Some(Vector::Flat(numbers_to_array(call.types, call.ty, floats?, call.nulls())))
}

fn of_truths(call: &KernelCall<'_>, to: &Ty) -> Option<Vector> {
    let truths: &BooleanBuffer = call.many(0)?.as_boolean_opt()?.values();
    let one = match to {
        Ty::Decimal { scale, precision } if scale == precision => return None,
        Ty::Decimal { scale, .. } => 10i128.pow((*scale).into()),
        Ty::Int(_) => 1,
        Ty::F32 => {
            let numbers = truths.iter().map(|b| f32::from(u8::from(b))).collect();
            return Some(Vector::Flat(numbers_to_array::<f32>(call.types, call.ty, numbers, call.nulls())));
        }
        Ty::F64 => {
            let numbers = truths.iter().map(|b| f64::from(u8::from(b))).collect();
            return Some(Vector::Flat(numbers_to_array::<f64>(call.types, call.ty, numbers, call.nulls())));
        }
        _ => return None,
    };
    by_whole_width!(Width::of(to)?, N => {
        let one = <N as Count>::of_wide(one);
        let numbers: Vec<N> = truths.iter().map(|b| if b { one } else { 0 }).collect();
        Some(Vector::Flat(numbers_to_array(call.types, call.ty, numbers, call.nulls())))
    }, None)
}

fn of_floats<F: Native + Into<f64>>(call: &KernelCall<'_>, to: &Ty) -> Option<Vector> {
    let numbers = many::<F>(call)?;
    let mode: CastMode = call.attr(1);
    match to {
        Ty::Bool => Some(Vector::Flat(bits::truths(bits::test(&numbers, |x| x.into() != 0.0), call.nulls()))),
        Ty::F32 => Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&numbers, |x| x.into() as f32), call.nulls()))),
        Ty::F64 => Some(Vector::Flat(numbers_to_array::<f64>(call.types, call.ty, each(&numbers, |x| x.into()), call.nulls()))),
        Ty::Int(int) => {
            // Between these it converts. For 64 bits, the minimum less one is no float: the float before it is taken instead.
            let below = if int.lowest() == i64::MIN.into() { -9_223_372_036_854_777_856.0 } else { int.lowest() as f64 - 1.0 };
            let above = (int.highest() + 1) as f64;
            by_whole_width!(Width::of(to)?, N => {
                let make = move |x: F| {
                    let x: f64 = x.into();
                    (<N as Count>::of_float(x), !(x > below && x < above))
                };
                if mode == CastMode::Wrap {
                    return Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&numbers, |x| make(x).0), call.nulls())));
                }
                let (numbers, nulls) = kept(call, &numbers, mode, make)?;
                Some(Vector::Flat(buffer_to_array(call.types, call.ty, numbers, nulls)))
            }, None)
        }
        // At a greater scale 128 bits do not hold what the digits are found by.
        Ty::Decimal { precision, scale } if *scale <= 21 => {
            let (scale, limit) = (*scale, 10u128.pow((*precision).into()));
            let make = move |x: F| match float_to_decimal(x.into(), scale) {
                Some(digits) => (digits, digits.unsigned_abs() >= limit),
                None => (0, true),
            };
            let (digits, nulls) = kept(call, &numbers, mode, make)?;
            match Width::of(to)? {
                Width::I64 => Some(Vector::Flat(numbers_to_array(call.types, call.ty, each(&digits, i64::of_wide), nulls))),
                _ => Some(Vector::Flat(buffer_to_array(call.types, call.ty, digits, nulls))),
            }
        }
        _ => None,
    }
}

/// The digits of a float at a scale, halves rounded to even: exactly, since a float is an integer times a power of two. Nothing where 128 bits do not
/// hold them.
fn float_to_decimal(x: f64, scale: u8) -> Option<i128> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
    let (size, power) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let scaled = i128::from(size).checked_mul(10i128.checked_pow(scale.into())?)?;
    let rounded = match power {
        0.. => {
            let room = scaled.leading_zeros() as i32;
            if power >= room && scaled != 0 {
                return None;
            }
            if scaled == 0 { 0 } else { scaled << power }
        }
        -126..0 => {
            let (floor, rest, half) = (scaled >> -power, scaled & ((1i128 << -power) - 1), 1i128 << (-power - 1));
            floor + i128::from(rest > half || (rest == half && floor & 1 == 1))
        }
        // Less than half of one.
        _ => 0,
    };
    Some(if x < 0.0 { -rounded } else { rounded })
}
