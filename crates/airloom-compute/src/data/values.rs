//! Single values in and out of Arrow arrays: for constants, for tests, and for what has no kernel of its own.

use super::types::{NARROW_DECIMAL, fields_of, item_field, type_to_arrow};
use airloom_ir::types::{IntTy, TimeUnit, Ty, TyId, Types};
use airloom_ir::value::Value;
use arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewBuilder, BooleanBuilder, Decimal64Array, Decimal128Array, LargeListArray, PrimitiveArray,
    StringViewBuilder, StructArray, new_empty_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{
    ArrowPrimitiveType, Date32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use std::sync::Arc;

/// The values of one type as an array in its physical form.
///
/// # Panics
/// Where a value is not of the type: the caller's type rules are broken.
pub fn values_to_array(types: &Types, ty: TyId, values: &[Value]) -> ArrayRef {
    match types.plain(ty) {
        Ty::Bool => {
            let mut out = BooleanBuilder::with_capacity(values.len());
            values.iter().for_each(|v| out.append_option(if let Value::Bool(b) = v { Some(*b) } else { None }));
            Arc::new(out.finish())
        }
        Ty::Int(int) => match int {
            IntTy::I8 => ints::<Int8Type>(values, |i| i as i8),
            IntTy::I16 => ints::<Int16Type>(values, |i| i as i16),
            IntTy::I32 => ints::<Int32Type>(values, |i| i as i32),
            IntTy::I64 => ints::<Int64Type>(values, |i| i as i64),
            IntTy::U8 => ints::<UInt8Type>(values, |i| i as u8),
            IntTy::U16 => ints::<UInt16Type>(values, |i| i as u16),
            IntTy::U32 => ints::<UInt32Type>(values, |i| i as u32),
            IntTy::U64 => ints::<UInt64Type>(values, |i| i as u64),
        },
        Ty::F32 => {
            Arc::new(values.iter().map(|v| if let Value::F32(x) = v { Some(*x) } else { None }).collect::<PrimitiveArray<Float32Type>>())
        }
        Ty::F64 => {
            Arc::new(values.iter().map(|v| if let Value::F64(x) = v { Some(*x) } else { None }).collect::<PrimitiveArray<Float64Type>>())
        }
        Ty::Decimal { precision, scale } if *precision <= NARROW_DECIMAL => {
            let array: Decimal64Array = values.iter().map(|v| int(v).map(|i| i as i64)).collect();
            Arc::new(array.with_data_type(arrow::datatypes::DataType::Decimal64(*precision, *scale as i8)))
        }
        Ty::Decimal { precision, scale } => {
            let array: Decimal128Array = values.iter().map(int).collect();
            Arc::new(array.with_data_type(arrow::datatypes::DataType::Decimal128(*precision, *scale as i8)))
        }
        Ty::Str => {
            let mut out = StringViewBuilder::with_capacity(values.len());
            values.iter().for_each(|v| out.append_option(if let Value::Str(s) = v { Some(s) } else { None }));
            Arc::new(out.finish())
        }
        Ty::Bytes => {
            let mut out = BinaryViewBuilder::with_capacity(values.len());
            values.iter().for_each(|v| out.append_option(if let Value::Bytes(b) = v { Some(b) } else { None }));
            Arc::new(out.finish())
        }
        Ty::Date => ints::<Date32Type>(values, |i| i as i32),
        Ty::Time => ints::<Time64NanosecondType>(values, |i| i as i64),
        Ty::Timestamp { unit, zone } => {
            let zone = zone.as_ref().map(|z| Arc::<str>::from(z.as_str()));
            let counts = values.iter().map(|v| int(v).map(|i| i as i64));
            match unit {
                TimeUnit::Second => Arc::new(counts.collect::<PrimitiveArray<TimestampSecondType>>().with_timezone_opt(zone)),
                TimeUnit::Milli => Arc::new(counts.collect::<PrimitiveArray<TimestampMillisecondType>>().with_timezone_opt(zone)),
                TimeUnit::Micro => Arc::new(counts.collect::<PrimitiveArray<TimestampMicrosecondType>>().with_timezone_opt(zone)),
                TimeUnit::Nano => Arc::new(counts.collect::<PrimitiveArray<TimestampNanosecondType>>().with_timezone_opt(zone)),
            }
        }
        Ty::Duration(unit) => match unit {
            TimeUnit::Second => ints::<DurationSecondType>(values, |i| i as i64),
            TimeUnit::Milli => ints::<DurationMillisecondType>(values, |i| i as i64),
            TimeUnit::Micro => ints::<DurationMicrosecondType>(values, |i| i as i64),
            TimeUnit::Nano => ints::<DurationNanosecondType>(values, |i| i as i64),
        },
        Ty::Category { .. } => ints::<Int32Type>(values, |i| i as i32),
        Ty::List(element) => lists(types, *element, values),
        Ty::Struct(_) => structs(types, ty, values),
        other => panic!("invariant `columns hold values`: {other:?} cannot stand in a column"),
    }
}

fn int(value: &Value) -> Option<i128> {
    if let Value::Int(i) = value { Some(*i) } else { None }
}

fn ints<T: ArrowPrimitiveType>(values: &[Value], narrow: impl Fn(i128) -> T::Native) -> ArrayRef {
    Arc::new(values.iter().map(|v| int(v).map(&narrow)).collect::<PrimitiveArray<T>>())
}

fn lists(types: &Types, element: TyId, values: &[Value]) -> ArrayRef {
    let mut items = Vec::new();
    let mut lengths = Vec::with_capacity(values.len());
    for value in values {
        if let Value::List(list) = value {
            items.extend(list.iter().cloned());
            lengths.push(list.len());
        } else {
            lengths.push(0);
        }
    }
    let field = Arc::new(item_field(types, element).expect("invariant `columns hold values`: a list holds values"));
    let nulls = NullBuffer::from_iter(values.iter().map(|v| !v.is_null()));
    Arc::new(LargeListArray::new(field, OffsetBuffer::from_lengths(lengths), values_to_array(types, element, &items), Some(nulls)))
}

fn structs(types: &Types, ty: TyId, values: &[Value]) -> ArrayRef {
    let Ty::Struct(fields) = types.plain(ty) else { unreachable!("the caller has looked") };
    let nulls = values.iter().any(Value::is_null).then(|| NullBuffer::from_iter(values.iter().map(|v| !v.is_null())));
    if fields.is_empty() {
        return Arc::new(StructArray::new_empty_fields(values.len(), nulls));
    }
    let columns = fields.iter().enumerate().map(|(at, field)| {
        let column: Vec<Value> =
            values.iter().map(|v| if let Value::Struct(parts) = v { parts[at].clone() } else { Value::Null }).collect();
        values_to_array(types, field.ty, &column)
    });
    let columns = columns.collect();
    Arc::new(StructArray::new(fields_of(types, fields).expect("invariant `columns hold values`: a struct holds values"), columns, nulls))
}

/// The value at a position of an array in the physical form of its type.
pub fn value_at(types: &Types, ty: TyId, array: &dyn Array, at: usize) -> Value {
    if array.is_null(at) {
        return Value::Null;
    }
    let whole = |i: i128| Value::Int(i);
    match types.plain(ty) {
        Ty::Bool => Value::Bool(array.as_boolean().value(at)),
        Ty::Int(int) => whole(match int {
            IntTy::I8 => array.as_primitive::<Int8Type>().value(at).into(),
            IntTy::I16 => array.as_primitive::<Int16Type>().value(at).into(),
            IntTy::I32 => array.as_primitive::<Int32Type>().value(at).into(),
            IntTy::I64 => array.as_primitive::<Int64Type>().value(at).into(),
            IntTy::U8 => array.as_primitive::<UInt8Type>().value(at).into(),
            IntTy::U16 => array.as_primitive::<UInt16Type>().value(at).into(),
            IntTy::U32 => array.as_primitive::<UInt32Type>().value(at).into(),
            IntTy::U64 => array.as_primitive::<UInt64Type>().value(at).into(),
        }),
        Ty::F32 => Value::F32(array.as_primitive::<Float32Type>().value(at)),
        Ty::F64 => Value::F64(array.as_primitive::<Float64Type>().value(at)),
        Ty::Decimal { precision, .. } if *precision <= NARROW_DECIMAL => whole(array.as_primitive::<Decimal64Type>().value(at).into()),
        Ty::Decimal { .. } => whole(array.as_primitive::<Decimal128Type>().value(at)),
        Ty::Str => Value::str(array.as_string_view().value(at)),
        Ty::Bytes => Value::Bytes(array.as_binary_view().value(at).into()),
        Ty::Date => whole(array.as_primitive::<Date32Type>().value(at).into()),
        Ty::Time => whole(array.as_primitive::<Time64NanosecondType>().value(at).into()),
        Ty::Timestamp { unit, .. } => whole(i128::from(match unit {
            TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value(at),
            TimeUnit::Milli => array.as_primitive::<TimestampMillisecondType>().value(at),
            TimeUnit::Micro => array.as_primitive::<TimestampMicrosecondType>().value(at),
            TimeUnit::Nano => array.as_primitive::<TimestampNanosecondType>().value(at),
        })),
        Ty::Duration(unit) => whole(i128::from(match unit {
            TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(at),
            TimeUnit::Milli => array.as_primitive::<DurationMillisecondType>().value(at),
            TimeUnit::Micro => array.as_primitive::<DurationMicrosecondType>().value(at),
            TimeUnit::Nano => array.as_primitive::<DurationNanosecondType>().value(at),
        })),
        Ty::Category { .. } => whole(array.as_primitive::<Int32Type>().value(at).into()),
        Ty::List(element) => {
            let items = array.as_list::<i64>().value(at);
            Value::List((0..items.len()).map(|i| value_at(types, *element, &items, i)).collect())
        }
        Ty::Struct(fields) => {
            let parts = array.as_struct();
            Value::Struct(fields.iter().enumerate().map(|(i, f)| value_at(types, f.ty, parts.column(i), at)).collect())
        }
        other => panic!("invariant `columns hold values`: {other:?} cannot stand in a column"),
    }
}

/// Every value of an array.
pub fn array_to_values(types: &Types, ty: TyId, array: &dyn Array) -> Vec<Value> {
    (0..array.len()).map(|at| value_at(types, ty, array, at)).collect()
}

/// One value `times` times.
pub fn repeated(types: &Types, ty: TyId, value: &Value, times: usize) -> ArrayRef {
    let one = values_to_array(types, ty, std::slice::from_ref(value));
    if times == 1 {
        return one;
    }
    let indices = arrow::array::UInt32Array::from(vec![0u32; times]);
    arrow::compute::take(&one, &indices, None).expect("every index is 0, and there is one value")
}

/// No values of a type.
pub fn no_values(types: &Types, ty: TyId) -> ArrayRef {
    new_empty_array(&type_to_arrow(types, ty).expect("invariant `columns hold values`: only value types stand in columns"))
}
