//! Sums and products.

use super::cells::{element, taken};
use crate::attrs::Skip;
use crate::oracle::call::{Call, as_int};
use crate::oracle::stop::{Raised, Stop, raise};
use crate::types::{IntTy, Ty};
use crate::value::Value;

/// One more than the largest number of 38 digits.
pub const DECIMAL_LIMIT: u128 = 10u128.pow(38);

/// How elements of a type are added and multiplied: in the type of their sum.
#[derive(Clone, Copy)]
pub(in crate::oracle) enum Adder {
    /// Modulo two to the 64th, signed or not.
    Whole(IntTy),
    /// Exactly, of at most 38 digits.
    Decimal,
    /// Exactly, of at most 64 bits.
    Duration,
    /// In 32 bits.
    F32,
    /// In 64 bits.
    F64,
}

impl Adder {
    /// For elements of this type.
    pub(in crate::oracle) fn of(ty: &Ty) -> Adder {
        match ty {
            Ty::Int(int) if !int.signed() => Adder::Whole(IntTy::U64),
            Ty::Bool | Ty::Int(_) => Adder::Whole(IntTy::I64),
            Ty::Decimal { .. } => Adder::Decimal,
            Ty::Duration(_) => Adder::Duration,
            Ty::F32 => Adder::F32,
            Ty::F64 => Adder::F64,
            _ => unreachable!("the type rule wants elements that have a sum"),
        }
    }

    /// An element in the type of the sum.
    pub(in crate::oracle) fn widen(self, value: &Value) -> Value {
        match value {
            Value::Bool(b) => Value::Int(i128::from(*b)),
            other => other.clone(),
        }
    }

    /// The sum of two values in the type of the sum.
    pub(in crate::oracle) fn add(self, left: &Value, right: &Value) -> Result<Value, Raised> {
        match (left, right) {
            (Value::F32(x), Value::F32(y)) => Ok(Value::F32(x + y)),
            (Value::F64(x), Value::F64(y)) => Ok(Value::F64(x + y)),
            _ => self.fit(as_int(left).checked_add(as_int(right))),
        }
    }

    /// The product of two values in the type of the sum.
    pub(in crate::oracle) fn multiply(self, left: &Value, right: &Value) -> Result<Value, Raised> {
        match (left, right) {
            (Value::F32(x), Value::F32(y)) => Ok(Value::F32(x * y)),
            (Value::F64(x), Value::F64(y)) => Ok(Value::F64(x * y)),
            // The low 64 bits of a product are right even where the product does not fit 128.
            _ => self.fit(Some(as_int(left).wrapping_mul(as_int(right)))),
        }
    }

    /// An integer of the type of the sum, `None` being one beyond 128 bits.
    fn fit(self, exact: Option<i128>) -> Result<Value, Raised> {
        match (self, exact) {
            (Adder::Whole(int), Some(value)) => Ok(Value::Int(int.wrap(value))),
            (Adder::Decimal, Some(value)) if value.unsigned_abs() < DECIMAL_LIMIT => Ok(Value::Int(value)),
            (Adder::Duration, Some(value)) => Ok(Value::Int(IntTy::I64.wrap(value))),
            _ => raise("overflow: the sum of decimals has more than 38 digits"),
        }
    }

    fn of_nothing(self, number: u8) -> Value {
        match self {
            Adder::F32 => Value::F32(f32::from(number)),
            Adder::F64 => Value::F64(f64::from(number)),
            _ => Value::Int(i128::from(number)),
        }
    }
}

/// The exact sum of integers, in whatever order they come: partial sums may be as large as they like.
#[derive(Clone, Copy, Default, Debug)]
pub struct ExactSum {
    high: i128,
    low: i128,
}

impl ExactSum {
    const HALF: i128 = 10i128.pow(19);

    /// With one more number.
    #[inline]
    #[must_use]
    pub fn plus(self, number: i128) -> ExactSum {
        ExactSum { high: self.high + number.div_euclid(Self::HALF), low: self.low + number.rem_euclid(Self::HALF) }
    }

    /// The sum, where 128 bits hold it.
    pub fn total(self) -> Option<i128> {
        let high = self.high + self.low.div_euclid(Self::HALF);
        high.checked_mul(Self::HALF)?.checked_add(self.low.rem_euclid(Self::HALF))
    }
}

/// The exact sum of values that are integers.
pub(super) fn exact(items: &[&Value]) -> Option<i128> {
    items.iter().fold(ExactSum::default(), |sum, item| sum.plus(as_int(item))).total()
}

pub(super) fn sum(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    let Some(items) = taken(skip, cell) else { return Ok(Value::Null) };
    if too_few(call, items.len()) {
        return Ok(Value::Null);
    }
    let adder = Adder::of(element(call));
    if matches!(adder, Adder::Decimal | Adder::Duration) {
        return Ok(adder.fit(exact(&items))?);
    }
    Ok(items.iter().try_fold(adder.of_nothing(0), |so_far, item| adder.add(&so_far, &adder.widen(item)))?)
}

pub(super) fn product(call: &Call<'_>, skip: Skip, cell: &[&Value]) -> Result<Value, Stop> {
    let Some(items) = taken(skip, cell) else { return Ok(Value::Null) };
    if too_few(call, items.len()) {
        return Ok(Value::Null);
    }
    let adder = Adder::of(element(call));
    Ok(items.iter().try_fold(adder.of_nothing(1), |so_far, item| adder.multiply(&so_far, &adder.widen(item)))?)
}

fn too_few(call: &Call<'_>, count: usize) -> bool {
    (count as i128) < i128::from(call.attr::<i64>(2))
}
