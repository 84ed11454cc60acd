//! Types of the graph as Arrow types, and back.
//!
//! The engine keeps one physical form for each type, so that a kernel has one case for it: text is always views, decimals of at most 18 digits are
//! always 64 bits wide, lists always have 64-bit offsets. Sources bring their data into this form; results leave it as the caller asks.

use airloom_ir::name::Name;
use airloom_ir::types::{Fields as IrFields, IntTy, TimeUnit as IrUnit, Ty, TyId, Types};
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use std::sync::Arc;

/// The most digits of a decimal that is stored in 64 bits.
pub const NARROW_DECIMAL: u8 = 18;

/// The physical form of a type, or `None` for what cannot be stored in a column.
pub fn type_to_arrow(types: &Types, ty: TyId) -> Option<DataType> {
    Some(match types.get(ty) {
        Ty::Option(inner) | Ty::Dict(inner) => type_to_arrow(types, *inner)?,
        Ty::Bool => DataType::Boolean,
        Ty::Int(int) => match int {
            IntTy::I8 => DataType::Int8,
            IntTy::I16 => DataType::Int16,
            IntTy::I32 => DataType::Int32,
            IntTy::I64 => DataType::Int64,
            IntTy::U8 => DataType::UInt8,
            IntTy::U16 => DataType::UInt16,
            IntTy::U32 => DataType::UInt32,
            IntTy::U64 => DataType::UInt64,
        },
        Ty::F32 => DataType::Float32,
        Ty::F64 => DataType::Float64,
        Ty::Decimal { precision, scale } if *precision <= NARROW_DECIMAL => DataType::Decimal64(*precision, *scale as i8),
        Ty::Decimal { precision, scale } => DataType::Decimal128(*precision, *scale as i8),
        Ty::Str => DataType::Utf8View,
        Ty::Bytes => DataType::BinaryView,
        Ty::Date => DataType::Date32,
        Ty::Time => DataType::Time64(TimeUnit::Nanosecond),
        Ty::Timestamp { unit, zone } => DataType::Timestamp(unit_to_arrow(*unit), zone.as_ref().map(|z| Arc::from(z.as_str()))),
        Ty::Duration(unit) => DataType::Duration(unit_to_arrow(*unit)),
        Ty::Category { .. } => DataType::Int32,
        Ty::List(element) => DataType::LargeList(Arc::new(item_field(types, *element)?)),
        Ty::Struct(fields) => DataType::Struct(fields_of(types, fields)?),
        Ty::Rel(_) | Ty::Arr(..) | Ty::Tuple(_) | Ty::Fn(..) | Ty::Token => return None,
    })
}

/// The field of a list's elements.
pub fn item_field(types: &Types, element: TyId) -> Option<Field> {
    Some(Field::new("item", type_to_arrow(types, element)?, true))
}

/// The fields of a struct or relation. All are nullable to Arrow: what the type promises is the type's business, and a kernel asks the array.
pub fn fields_of(types: &Types, fields: &IrFields) -> Option<Fields> {
    fields.iter().map(|f| Some(Field::new(f.name.as_str(), type_to_arrow(types, f.ty)?, true))).collect()
}

/// The schema of a relation of these fields.
pub fn schema_of(types: &Types, fields: &IrFields) -> SchemaRef {
    let fields = fields_of(types, fields).expect("invariant `columns hold values`: the type rule of `rel` admits value types only");
    Arc::new(Schema::new(fields))
}

/// The unit of time in Arrow's words.
pub fn unit_to_arrow(unit: IrUnit) -> TimeUnit {
    match unit {
        IrUnit::Second => TimeUnit::Second,
        IrUnit::Milli => TimeUnit::Millisecond,
        IrUnit::Micro => TimeUnit::Microsecond,
        IrUnit::Nano => TimeUnit::Nanosecond,
    }
}

fn arrow_to_unit(unit: &TimeUnit) -> IrUnit {
    match unit {
        TimeUnit::Second => IrUnit::Second,
        TimeUnit::Millisecond => IrUnit::Milli,
        TimeUnit::Microsecond => IrUnit::Micro,
        TimeUnit::Nanosecond => IrUnit::Nano,
    }
}

/// The type that a physical or foreign Arrow type is read as, or why there is none.
pub fn arrow_to_type(types: &mut Types, data: &DataType, nullable: bool) -> Result<TyId, String> {
    let plain = match data {
        DataType::Boolean => TyId::BOOL,
        DataType::Int8 => types.int(IntTy::I8),
        DataType::Int16 => types.int(IntTy::I16),
        DataType::Int32 => types.int(IntTy::I32),
        DataType::Int64 => types.int(IntTy::I64),
        DataType::UInt8 => types.int(IntTy::U8),
        DataType::UInt16 => types.int(IntTy::U16),
        DataType::UInt32 => types.int(IntTy::U32),
        DataType::UInt64 => types.int(IntTy::U64),
        DataType::Float16 | DataType::Float32 => TyId::F32,
        DataType::Float64 => TyId::F64,
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) | DataType::Decimal128(p, s) => {
            let scale = u8::try_from(*s).map_err(|_| format!("a decimal of negative scale {s} has no type here"))?;
            types.decimal(*p, scale)?
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => TyId::STR,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => TyId::BYTES,
        DataType::Date32 => TyId::DATE,
        DataType::Date64 => types.timestamp(IrUnit::Milli, None)?,
        DataType::Time32(_) | DataType::Time64(_) => TyId::TIME,
        DataType::Timestamp(unit, zone) => types.timestamp(arrow_to_unit(unit), zone.as_ref().map(|z| Name::new(z)))?,
        DataType::Duration(unit) => types.duration(arrow_to_unit(unit)),
        DataType::Dictionary(_, value) => arrow_to_type(types, value, false)?,
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) | DataType::LargeListView(item) => {
            let element = arrow_to_type(types, item.data_type(), item.is_nullable())?;
            types.list(element)?
        }
        DataType::FixedSizeList(item, _) => {
            let element = arrow_to_type(types, item.data_type(), item.is_nullable())?;
            types.list(element)?
        }
        DataType::Struct(fields) => {
            let fields: Result<Vec<_>, String> =
                fields.iter().map(|f| Ok((Name::new(f.name()), arrow_to_type(types, f.data_type(), f.is_nullable())?))).collect();
            types.row_of(fields?)?
        }
        DataType::Null => return Ok(types.option(TyId::BOOL)),
        other => return Err(format!("Arrow's `{other}` has no type here")),
    };
    Ok(types.with_null(plain, nullable))
}

/// Whether every number of one type is one of the other: a program may ask for the wider one.
pub fn widens(from: &DataType, to: &DataType) -> bool {
    let width = |data: &DataType| match data {
        DataType::Int8 => Some((8, true)),
        DataType::Int16 => Some((16, true)),
        DataType::Int32 => Some((32, true)),
        DataType::Int64 => Some((64, true)),
        DataType::UInt8 => Some((8, false)),
        DataType::UInt16 => Some((16, false)),
        DataType::UInt32 => Some((32, false)),
        DataType::UInt64 => Some((64, false)),
        _ => None,
    };
    match (width(from), width(to)) {
        (Some((from, signed)), Some((to, also))) => from < to && (signed == also || also),
        _ => false,
    }
}
