//! Functions that kernels call, lane by lane: those of the standard library by which the interpreter computes the same, and the divisions that processors do not have.

use airloom_ir::attrs::DatePart;
use airloom_ir::ops::number::Number;
use airloom_ir::oracle::formula::{self, Float, day_in_month, days_in_month, days_to_civil, iso_week};

/// The name of the function of floats for an op, where it is one that is called.
pub(crate) fn of_number(op: Number, wide: bool) -> Option<String> {
    let known = FLOATS.iter().any(|(known, ..)| *known == op);
    known.then(|| format!("airloom.{}.{}", airloom_ir::ops::Op::Number(op).def().name, if wide { "f64" } else { "f32" }))
}

/// The name of the function for a part of the calendar.
pub(crate) fn of_part(part: DatePart) -> Option<String> {
    PARTS.iter().any(|(known, _)| *known == part).then(|| format!("airloom.part.{}", part.word()))
}

/// The name of the function that makes a float of a decimal.
pub(crate) const DECIMAL_TO_FLOAT: &str = "airloom.decimal_to_float";

/// The name of the function that makes an `f32` of a decimal, and of the one that makes a decimal of a float: the greatest number where it has too many digits.
pub(crate) const DECIMAL_TO_SINGLE: &str = "airloom.decimal_to_single";
pub(crate) const FLOAT_TO_DECIMAL: &str = "airloom.float_to_decimal";

/// The name of the function for powers of integers, modulo two to the 64.
pub(crate) const POWER: &str = "airloom.power";

/// The name of the function for powers of integers as they are; those that pass 128 bits are the greatest number.
pub(crate) const WIDE_POWER: &str = "airloom.wide_power";

/// The names of functions of the calendar: the month that a day is in, counted from the beginning of year 0; the first day of such a month; and the day `n` months later.
pub(crate) const MONTH_OF: &str = "airloom.month_of";
pub(crate) const MONTH_BEGIN: &str = "airloom.month_begin";
pub(crate) const MONTHS_LATER: &str = "airloom.months_later";

/// What functions give where there is no such day.
pub(crate) const NO_DAY: i64 = i64::MIN;

/// Whether a function is given numbers alone, and gives one.
pub(crate) fn is_of_numbers(name: &str) -> bool {
    !["airloom.memory.", "airloom.loop.", "airloom.pairwise.", "airloom.object_mode"].iter().any(|prefix| name.starts_with(prefix))
}

/// The names and addresses of all functions.
pub(crate) fn all() -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (op, wide, narrow) in &FLOATS {
        found.extend(of_number(*op, true).map(|name| (name, *wide as usize)));
        found.extend(of_number(*op, false).map(|name| (name, *narrow as usize)));
    }
    found.extend(PARTS.iter().filter_map(|(part, function)| Some((of_part(*part)?, *function as *const () as usize))));
    found.push((DECIMAL_TO_FLOAT.into(), decimal_to_float as *const () as usize));
    found.push((DECIMAL_TO_SINGLE.into(), decimal_to_single as *const () as usize));
    found.push((FLOAT_TO_DECIMAL.into(), float_to_decimal as *const () as usize));
    found.push((POWER.into(), power as *const () as usize));
    found.push((WIDE_POWER.into(), wide_power as *const () as usize));
    found.push((MONTH_OF.into(), month_of as *const () as usize));
    found.push((MONTH_BEGIN.into(), month_begin as *const () as usize));
    found.push((MONTHS_LATER.into(), months_later as *const () as usize));
    found.extend(OF_LIBM.iter().map(|(name, function)| (format!("airloom.libm.{name}"), *function as *const () as usize)));
    found.push((HYPOT.into(), of_hypot as *const () as usize));
    let library: [(&str, usize); 14] = [
        ("__divti3", divide as *const () as usize),
        ("__modti3", remainder as *const () as usize),
        ("__udivti3", divide_unsigned as *const () as usize),
        ("__umodti3", remainder_unsigned as *const () as usize),
        ("floor", floor as *const () as usize),
        ("floorf", floor_narrow as *const () as usize),
        ("ceil", ceil as *const () as usize),
        ("ceilf", ceil_narrow as *const () as usize),
        ("trunc", trunc as *const () as usize),
        ("truncf", trunc_narrow as *const () as usize),
        ("round", round as *const () as usize),
        ("roundf", round_narrow as *const () as usize),
        ("roundeven", round_even as *const () as usize),
        ("roundevenf", round_even_narrow as *const () as usize),
    ];
    found.extend(library.into_iter().map(|(name, address)| (name.to_string(), address)));
    found.extend(crate::function::runtime());
    found
}

unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn hypot(x: f64, y: f64) -> f64;
}

/// The name of the function for the length of a vector.
pub(crate) const HYPOT: &str = "airloom.libm.hypot";

extern "C" fn of_hypot(x: f64, y: f64) -> f64 {
    hypot(x, y)
}

/// Functions of the C library that the graph has no op for, by name.
pub(crate) const OF_LIBM: [(&str, extern "C" fn(f64) -> f64); 2] = [("erf", of_erf), ("erfc", of_erfc)];

extern "C" fn of_erf(x: f64) -> f64 {
    erf(x)
}

extern "C" fn of_erfc(x: f64) -> f64 {
    erfc(x)
}

/// A function under the address that compiled code calls.
type Address = *const ();

/// Each op with its function of both widths, by one formula.
macro_rules! floats {
    ($($Op:ident ($($x:ident),+) => $body:expr;)*) => {
        const FLOATS: [(Number, Address, Address); { [$(stringify!($Op)),*].len() }] = [$({
            extern "C" fn wide($($x: f64),+) -> f64 { $body }
            extern "C" fn narrow($($x: f32),+) -> f32 { $body }
            (Number::$Op, wide as Address, narrow as Address)
        }),*];
    };
}

floats! {
    FloorDiv(x, y) => Float::floordiv(x, y);
    FloorMod(x, y) => Float::floormod(x, y);
    TruncMod(x, y) => x % y;
    Pow(x, y) => x.powf(y);
    Cbrt(x) => x.cbrt();
    Exp(x) => x.exp();
    Expm1(x) => x.exp_m1();
    Log(x) => x.ln();
    Log2(x) => x.log2();
    Log10(x) => x.log10();
    Log1p(x) => x.ln_1p();
    Sin(x) => x.sin();
    Cos(x) => x.cos();
    Tan(x) => x.tan();
    Asin(x) => x.asin();
    Acos(x) => x.acos();
    Atan(x) => x.atan();
    Atan2(y, x) => y.atan2(x);
    Sinh(x) => x.sinh();
    Cosh(x) => x.cosh();
    Tanh(x) => x.tanh();
    Asinh(x) => x.asinh();
    Acosh(x) => x.acosh();
    Atanh(x) => x.atanh();
    Hypot(x, y) => x.hypot(y);
}

/// Parts of the calendar, of days since 1970.
const PARTS: [(DatePart, extern "C" fn(i64) -> i32); 9] = [
    (DatePart::Year, year),
    (DatePart::Quarter, quarter),
    (DatePart::Month, month),
    (DatePart::Week, week),
    (DatePart::IsoYear, iso_year),
    (DatePart::Day, day),
    (DatePart::DayOfYear, day_of_year),
    (DatePart::Weekday, weekday),
    (DatePart::DaysInMonth, month_length),
];

fn narrow(part: i64) -> i32 {
    part.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

extern "C" fn year(days: i64) -> i32 {
    narrow(days_to_civil(days).year)
}

extern "C" fn quarter(days: i64) -> i32 {
    narrow((days_to_civil(days).month - 1) / 3 + 1)
}

extern "C" fn month(days: i64) -> i32 {
    narrow(days_to_civil(days).month)
}

extern "C" fn week(days: i64) -> i32 {
    narrow(iso_week(days).1)
}

extern "C" fn iso_year(days: i64) -> i32 {
    narrow(iso_week(days).0)
}

extern "C" fn day(days: i64) -> i32 {
    narrow(days_to_civil(days).day)
}

extern "C" fn day_of_year(days: i64) -> i32 {
    narrow(formula::day_of_year(days))
}

extern "C" fn weekday(days: i64) -> i32 {
    narrow(formula::weekday(days))
}

extern "C" fn month_length(days: i64) -> i32 {
    let civil = days_to_civil(days);
    narrow(days_in_month(civil.year, civil.month))
}

extern "C" fn decimal_to_float(digits: i128, scale: i32) -> f64 {
    formula::decimal_to_float(digits, scale as u8)
}

extern "C" fn decimal_to_single(digits: i128, scale: i32) -> f32 {
    formula::decimal_to_single(digits, scale as u8)
}

extern "C" fn float_to_decimal(x: f64, scale: i32) -> i128 {
    formula::float_to_decimal(x, scale as u8).unwrap_or(i128::MAX)
}

/// A power modulo two to the 64; the exponent is not negative.
extern "C" fn power(base: i64, exponent: u64) -> i64 {
    let (mut base, mut exponent, mut result) = (base, exponent, 1i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        exponent >>= 1;
        base = base.wrapping_mul(base);
    }
    result
}

/// A power, or the greatest number where it has more than 128 bits.
extern "C" fn wide_power(base: i128, exponent: u64) -> i128 {
    let (mut base, mut exponent, mut result) = (base, exponent, 1i128);
    while exponent > 0 {
        if exponent & 1 == 1 {
            match result.checked_mul(base) {
                Some(more) => result = more,
                None => return i128::MAX,
            }
        }
        exponent >>= 1;
        // A square that no later digit of the exponent needs is not computed, so it can not fail either.
        if exponent > 0 {
            match base.checked_mul(base) {
                Some(square) => base = square,
                None => return i128::MAX,
            }
        }
    }
    result
}

extern "C" fn month_of(days: i64) -> i64 {
    let civil = days_to_civil(days);
    civil.year * 12 + civil.month - 1
}

extern "C" fn month_begin(month: i64) -> i64 {
    day_in_month(month, 1).unwrap_or(NO_DAY)
}

extern "C" fn months_later(days: i64, months: i64) -> i64 {
    let later = month_of(days).checked_add(months).and_then(|month| day_in_month(month, days_to_civil(days).day));
    later.unwrap_or(NO_DAY)
}

extern "C" fn divide(x: i128, y: i128) -> i128 {
    x.wrapping_div(y)
}

extern "C" fn remainder(x: i128, y: i128) -> i128 {
    x.wrapping_rem(y)
}

extern "C" fn divide_unsigned(x: u128, y: u128) -> u128 {
    x / y
}

extern "C" fn remainder_unsigned(x: u128, y: u128) -> u128 {
    x % y
}

/// Rounding, for processors that have no instruction for it.
macro_rules! rounding {
    ($($wide:ident $narrow:ident => $method:ident;)*) => { $(
        extern "C" fn $wide(x: f64) -> f64 {
            x.$method()
        }
        extern "C" fn $narrow(x: f32) -> f32 {
            x.$method()
        }
    )* };
}

rounding! {
    floor floor_narrow => floor;
    ceil ceil_narrow => ceil;
    trunc trunc_narrow => trunc;
    round round_narrow => round;
    round_even round_even_narrow => round_ties_even;
}
