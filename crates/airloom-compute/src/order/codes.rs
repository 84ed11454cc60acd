//! Keys as numbers: where they are narrow, comparing them is comparing one number.

use super::canonical::canonical;
use airloom_ir::attrs::SortKey;
use airloom_ir::types::{TyId, Types};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int64Type, UInt64Type};

/// For each row a number, in the order of its keys.
pub enum Codes {
    /// In 64 bits.
    Narrow(Vec<u64>),
    /// In 128 bits.
    Wide(Vec<u128>),
}

/// How many bits a key takes, and whether one of them says that there is none.
struct Width {
    bits: u32,
    flag: bool,
}

impl Width {
    fn of(types: &Types, ty: TyId, data_type: &DataType) -> Option<Width> {
        let (bits, float) = match data_type {
            DataType::Boolean => (1, false),
            DataType::Int8 | DataType::UInt8 => (8, false),
            DataType::Int16 | DataType::UInt16 => (16, false),
            DataType::Int32 | DataType::UInt32 | DataType::Date32 => (32, false),
            DataType::Int64 | DataType::UInt64 | DataType::Timestamp(..) | DataType::Duration(_) | DataType::Time64(_) => (64, false),
            DataType::Float32 => (32, true),
            DataType::Float64 => (64, true),
            _ => return None,
        };
        // Of the many codes of NaN one is used: others are left for what is missing.
        Some(Width { bits, flag: !float && types.nullable(ty) })
    }

    fn all(&self) -> u32 {
        self.bits + u32::from(self.flag)
    }
}

impl Codes {
    /// The codes of `rows` rows, by their keys; `None` where these are not narrow enough, which their types alone decide: rows apart from one another have
    /// codes of one kind. Without keys all are the same.
    pub fn of(types: &Types, key_types: &[TyId], keys: &[ArrayRef], by: &[SortKey], rows: usize) -> Option<Codes> {
        let widths = key_types.iter().zip(keys).map(|(&ty, key)| Width::of(types, ty, key.data_type())).collect::<Option<Vec<_>>>()?;
        match widths.iter().map(Width::all).sum::<u32>() {
            bits if bits <= u64::BITS => Some(Codes::Narrow(packed(&widths, keys, by, rows)?)),
            bits if bits <= u128::BITS => Some(Codes::Wide(packed(&widths, keys, by, rows)?)),
            _ => None,
        }
    }
}

/// A number that codes are merged in.
trait Packed: Copy + Default {
    /// With `bits` more bits behind those it has.
    fn with(self, bits: u32, code: u64) -> Self;
}

impl Packed for u64 {
    fn with(self, bits: u32, code: u64) -> u64 {
        self.checked_shl(bits).unwrap_or(0) | code
    }
}

impl Packed for u128 {
    fn with(self, bits: u32, code: u64) -> u128 {
        (self << bits) | u128::from(code)
    }
}

fn packed<P: Packed>(widths: &[Width], keys: &[ArrayRef], by: &[SortKey], rows: usize) -> Option<Vec<P>> {
    let mut all = vec![P::default(); rows];
    for ((width, key), by) in widths.iter().zip(keys).zip(by) {
        let most = u64::MAX >> (u64::BITS - width.bits);
        let missing = if by.nulls_first { 0 } else { most };
        let turned = if by.descending { most } else { 0 };
        let (codes, nulls) = key_codes(key)?;
        let nulls: Option<&NullBuffer> = nulls.as_ref().filter(|nulls| nulls.null_count() > 0);
        let is_null = |row: usize| nulls.is_some_and(|nulls| nulls.is_null(row));
        for (row, packed) in all.iter_mut().enumerate() {
            let null = is_null(row);
            if width.flag {
                *packed = packed.with(1, u64::from(null != by.nulls_first));
            }
            *packed = packed.with(width.bits, if null { missing } else { codes[row] ^ turned });
        }
    }
    Some(all)
}

/// The values of a key as numbers without a sign, in the same order, in as few bits as the type has.
fn key_codes(key: &ArrayRef) -> Option<(Vec<u64>, Option<NullBuffer>)> {
    const SIGN: u64 = 1 << 63;
    const SIGN_32: u32 = 1 << 31;
    let nulls = key.nulls().cloned();
    let codes = match key.data_type() {
        DataType::Boolean => key.as_boolean().values().iter().map(u64::from).collect(),
        // Floats below zero are in the order of their bits backwards.
        DataType::Float64 => {
            let float = |x: f64| if x.to_bits() & SIGN == 0 { x.to_bits() | SIGN } else { !x.to_bits() };
            canonical(key).as_primitive::<Float64Type>().values().iter().map(|&x| float(x)).collect()
        }
        DataType::Float32 => {
            let float = |x: f32| u64::from(if x.to_bits() & SIGN_32 == 0 { x.to_bits() | SIGN_32 } else { !x.to_bits() });
            canonical(key).as_primitive::<Float32Type>().values().iter().map(|&x| float(x)).collect()
        }
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            cast(key, &DataType::UInt64).ok()?.as_primitive::<UInt64Type>().values().to_vec()
        }
        DataType::Date32 => return key_codes(&cast(key, &DataType::Int32).ok()?),
        DataType::Int8 | DataType::Int16 | DataType::Int32 => {
            // From the minimum of the type on.
            let least = 1u64 << (key.data_type().primitive_width()? * 8 - 1);
            let wide = cast(key, &DataType::Int64).ok()?;
            wide.as_primitive::<Int64Type>().values().iter().map(|&x| (x as u64).wrapping_add(least) & (2 * least - 1)).collect()
        }
        _ => cast(key, &DataType::Int64).ok()?.as_primitive::<Int64Type>().values().iter().map(|&x| x as u64 ^ SIGN).collect(),
    };
    Some((codes, nulls))
}

#[cfg(test)]
mod tests {
    use super::Codes;
    use airloom_ir::attrs::SortKey;
    use airloom_ir::types::{TyId, Types};
    use arrow::array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int8Array, Int64Array};
    use std::sync::Arc;

    /// The rows in the order of their codes.
    fn order(types: &Types, key_types: &[TyId], keys: &[ArrayRef], by: &[SortKey]) -> Vec<usize> {
        let codes: Vec<u128> = match Codes::of(types, key_types, keys, by, keys[0].len()).expect("narrow keys") {
            Codes::Narrow(codes) => codes.into_iter().map(u128::from).collect(),
            Codes::Wide(codes) => codes,
        };
        let mut rows: Vec<usize> = (0..codes.len()).collect();
        rows.sort_by_key(|&row| codes[row]);
        rows
    }

    fn every_way() -> impl Iterator<Item = SortKey> {
        [(false, false), (false, true), (true, false), (true, true)]
            .into_iter()
            .map(|(descending, nulls_first)| SortKey { descending, nulls_first })
    }

    /// The expected order of ascending rows, of which the last is the missing one: it goes to its end of the order.
    fn expected(count: usize, by: SortKey) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..count - 1).collect();
        if by.descending {
            rows.reverse();
        }
        rows.insert(if by.nulls_first { 0 } else { rows.len() }, count - 1);
        rows
    }

    #[test]
    fn codes_are_in_the_order_of_keys() {
        let mut types = Types::new();
        let mut optional = |ty: TyId| types.option(ty);
        let (floats, narrow_floats, wholes, bytes, truths) =
            (optional(TyId::F64), optional(TyId::F32), optional(TyId::I64), optional(TyId::I8), optional(TyId::BOOL));
        let inf = f64::INFINITY;
        let rising = [-inf, f64::MIN, -1.0, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.0, f64::MAX, inf, f64::NAN];
        let keys: Vec<(TyId, ArrayRef)> = vec![
            (floats, Arc::new(Float64Array::from_iter(rising.map(Some).into_iter().chain([None])))),
            (
                narrow_floats,
                Arc::new(Float32Array::from(vec![Some(f32::MIN), Some(-0.5), Some(0.0), Some(f32::INFINITY), Some(-f32::NAN), None])),
            ),
            (wholes, Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(-1), Some(0), Some(i64::MAX), None]))),
            (bytes, Arc::new(Int8Array::from(vec![Some(i8::MIN), Some(-1), Some(0), Some(i8::MAX), None]))),
            (truths, Arc::new(BooleanArray::from(vec![Some(false), Some(true), None]))),
        ];
        for (ty, key) in &keys {
            for by in every_way() {
                assert_eq!(
                    order(&types, &[*ty], std::slice::from_ref(key), &[by]),
                    expected(key.len(), by),
                    "{:?} {by:?}",
                    key.data_type()
                );
            }
        }
        let zeros: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0, 0.0]));
        assert_eq!(order(&types, &[TyId::F64], &[zeros], &[SortKey { descending: true, nulls_first: false }]), [0, 1, 2]);
    }

    #[test]
    fn the_first_key_comes_first() {
        let types = Types::new();
        let keys: [ArrayRef; 2] = [Arc::new(Int64Array::from(vec![2, 1, 2, 1])), Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0, 4.0]))];
        let by = [SortKey { descending: false, nulls_first: false }, SortKey { descending: true, nulls_first: false }];
        assert_eq!(order(&types, &[TyId::I64, TyId::F64], &keys, &by), [3, 1, 2, 0]);
    }
}
