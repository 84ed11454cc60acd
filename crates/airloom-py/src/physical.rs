//! Foreign data brought into the engine's physical types, and results taken out of them.

use airloom::arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, Int32Array, RecordBatch, RecordBatchOptions, StringArray};
use airloom::arrow::compute::{CastOptions, cast, cast_with_options};
use airloom::arrow::datatypes::{DataType, Field, Int32Type, Schema, SchemaRef};
use airloom::data::Relation;
use airloom::data::widens;
use airloom::data::{schema_of, type_to_arrow};
use airloom::ir::name::Name;
use airloom::ir::types::{Fields, Ty, TyId, Types};
use airloom::source::{MemoryTable, Table};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An array in the physical form of a type. The same buffers where it is in that form already.
pub(crate) fn to_physical(types: &Types, ty: TyId, array: &ArrayRef) -> Result<ArrayRef, String> {
    if !types.nullable(ty) && array.null_count() > 0 {
        return Err(format!("it holds nulls, but its type is `{}`; hint: `ir.optional`", types.show(ty)));
    }
    if let Ty::Category { names, .. } = types.plain(ty) {
        return codes(names, array);
    }
    let wanted = type_to_arrow(types, ty).ok_or_else(|| format!("`{}` cannot stand in a column", types.show(ty)))?;
    if *array.data_type() == wanted {
        return Ok(array.clone());
    }
    if !same_values(types, ty, array.data_type()) && !widens(array.data_type(), &wanted) {
        return Err(format!("it is Arrow's `{}`, but its type is `{}`; hint: `ir.cast` it", array.data_type(), types.show(ty)));
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, &wanted, &options).map_err(|e| e.to_string())
}

/// Whether an Arrow type holds the values of a type, only written otherwise.
fn same_values(types: &Types, ty: TyId, found: &DataType) -> bool {
    // A table of its own: asking what a foreign type is must not add to the program's.
    let mut own = Types::new();
    let wanted = own.import(types, types.strip(ty), &mut BTreeMap::new());
    if *found == DataType::Null {
        return types.nullable(ty);
    }
    let Ok(read) = airloom::data::arrow_to_type(&mut own, found, false) else { return false };
    alike(&own, wanted, read)
}

/// Whether two types are the same but for nulls and encodings.
fn alike(types: &Types, wanted: TyId, found: TyId) -> bool {
    match (types.plain(wanted), types.plain(found)) {
        (Ty::List(a), Ty::List(b)) => alike(types, *a, *b),
        (Ty::Struct(a), Ty::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.name == b.name && alike(types, a.ty, b.ty))
        }
        (Ty::Decimal { precision: p, scale: s }, Ty::Decimal { precision: q, scale: t }) => s == t && p >= q,
        (Ty::Category { .. }, Ty::Str) => true,
        (a, b) => a == b,
    }
}

/// The positions of names, from text, a dictionary of text, or positions.
fn codes(names: &[Name], array: &ArrayRef) -> Result<ArrayRef, String> {
    if *array.data_type() == DataType::Int32 {
        return Ok(array.clone());
    }
    let text = cast(array, &DataType::Utf8).map_err(|_| format!("it is Arrow's `{}`, but its type is a category", array.data_type()))?;
    let text = text.as_string::<i32>();
    let mut places = Vec::with_capacity(text.len());
    for value in text.iter() {
        places.push(match value {
            None => None,
            Some(value) => {
                let place = names.iter().position(|n| n.as_str() == value);
                Some(place.ok_or_else(|| format!("`{value}` is not among the names of the category"))? as i32)
            }
        });
    }
    Ok(Arc::new(Int32Array::from(places)))
}

/// Batches as a relation of these fields, which are found by name; other columns are left out.
pub(crate) fn to_relation(types: &Types, fields: &Fields, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Relation, String> {
    let mut places = Vec::with_capacity(fields.len());
    for field in fields.iter() {
        let mut found = schema.fields().iter().enumerate().filter(|(_, f)| f.name() == field.name.as_str());
        match (found.next(), found.next()) {
            (Some((place, _)), None) => places.push(place),
            (None, _) => {
                let known: Vec<String> = schema.fields().iter().map(|f| format!("`{}`", f.name())).collect();
                return Err(format!("there is no column `{}`; there are: {}", field.name, known.join(", ")));
            }
            (Some(_), Some(_)) => return Err(format!("duplicate column `{}`", field.name)),
        }
    }
    let physical = schema_of(types, fields);
    let mut made = Vec::with_capacity(batches.len());
    for batch in batches {
        let mut columns = Vec::with_capacity(fields.len());
        for (field, &place) in fields.iter().zip(&places) {
            let column = to_physical(types, field.ty, batch.column(place)).map_err(|m| format!("column `{}`: {m}", field.name))?;
            columns.push(column);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        made.push(RecordBatch::try_new_with_options(physical.clone(), columns, &options).map_err(|e| e.to_string())?);
    }
    Ok(Relation { schema: physical, batches: made.into() })
}

/// A table's columns as a relation of these fields, where the table has them as they are wanted; `None` where they need more than to be found.
pub(crate) fn relation_of(types: &Types, fields: &Fields, table: &MemoryTable) -> Result<Option<Relation>, String> {
    let physical = schema_of(types, fields);
    let own = Table::schema(table);
    let mut columns = Vec::with_capacity(fields.len());
    for (field, wanted) in fields.iter().zip(physical.fields()) {
        let mut places = own.fields().iter().enumerate().filter(|(_, f)| f.name() == wanted.name());
        let (Some((place, found)), None) = (places.next(), places.next()) else { return Ok(None) };
        if found.data_type() != wanted.data_type() || matches!(types.plain(field.ty), Ty::Category { .. }) {
            return Ok(None);
        }
        let chunks = table.column(place).map_err(|e| e.message)?;
        if !types.nullable(field.ty) && chunks.iter().any(|c| c.null_count() > 0) {
            return Ok(None);
        }
        columns.push(chunks);
    }
    let one = |(at, &rows): (usize, &usize)| {
        let columns = columns.iter().map(|chunks| chunks[at].clone()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(physical.clone(), columns, &options).map_err(|e| e.to_string())
    };
    let batches = table.chunk_lengths().iter().enumerate().map(one).collect::<Result<Vec<_>, String>>()?;
    Ok(Some(Relation { schema: physical, batches: batches.into() }))
}

/// A relation as its consumers know it: categories as dictionaries, nullable where its type says so. No value is copied.
pub(crate) fn from_relation(types: &Types, fields: &Fields, relation: &Relation) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    let outside = |ty: TyId, physical: &DataType| match types.plain(ty) {
        Ty::Category { .. } => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        _ => physical.clone(),
    };
    let list = fields.iter().zip(relation.schema.fields());
    let list: Vec<Field> =
        list.map(|(f, physical)| Field::new(f.name.as_str(), outside(f.ty, physical.data_type()), types.nullable(f.ty))).collect();
    let schema = Arc::new(Schema::new(list));
    let one = |batch: &RecordBatch| {
        let columns = fields.iter().zip(batch.columns()).map(|(f, column)| from_physical(types, f.ty, column));
        let columns = columns.collect::<Result<Vec<_>, String>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options).map_err(|e| e.to_string())
    };
    let batches = relation.batches.iter().map(one).collect::<Result<Vec<_>, String>>()?;
    Ok((schema, batches))
}

/// An array as its consumers know it.
pub(crate) fn from_physical(types: &Types, ty: TyId, array: &ArrayRef) -> Result<ArrayRef, String> {
    let Ty::Category { names, .. } = types.plain(ty) else { return Ok(array.clone()) };
    let values = StringArray::from_iter_values(names.iter().map(|n| n.as_str()));
    let keys = array.as_primitive::<Int32Type>().clone();
    Ok(Arc::new(DictionaryArray::try_new(keys, Arc::new(values)).map_err(|e| e.to_string())?))
}

/// Batches without views and 64-bit decimals. Columns that have none stay where they are.
pub(crate) fn plain_batches(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    in_layouts(schema, batches, plain_type)
}

/// Batches without 64-bit decimals, which some consumers take for wider ones. Columns that have none stay where they are.
pub(crate) fn wide_batches(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    in_layouts(schema, batches, wide_type)
}

fn in_layouts(
    schema: &SchemaRef,
    batches: &[RecordBatch],
    layout: impl Fn(&DataType) -> DataType,
) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    let fields = schema.fields().iter().map(|f| Arc::new(f.as_ref().clone().with_data_type(layout(f.data_type()))));
    let plain = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()));
    let one = |batch: &RecordBatch| {
        let columns = batch.columns().iter().zip(plain.fields()).map(|(column, field)| match column.data_type() == field.data_type() {
            true => Ok(column.clone()),
            false => cast(column, field.data_type()).map_err(|e| e.to_string()),
        });
        let columns = columns.collect::<Result<Vec<_>, String>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(plain.clone(), columns, &options).map_err(|e| e.to_string())
    };
    let batches = batches.iter().map(one).collect::<Result<Vec<_>, String>>()?;
    Ok((plain, batches))
}

fn plain_type(ty: &DataType) -> DataType {
    match ty {
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        other => nested_type(other, plain_type),
    }
}

fn wide_type(ty: &DataType) -> DataType {
    nested_type(ty, wide_type)
}

/// A type without 64-bit decimals; what it is made of in another layout.
fn nested_type(ty: &DataType, layout: fn(&DataType) -> DataType) -> DataType {
    let field = |f: &Arc<Field>| Arc::new(f.as_ref().clone().with_data_type(layout(f.data_type())));
    match ty {
        DataType::Decimal32(p, s) | DataType::Decimal64(p, s) => DataType::Decimal128(*p, *s),
        DataType::List(f) => DataType::List(field(f)),
        DataType::LargeList(f) => DataType::LargeList(field(f)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        other => other.clone(),
    }
}
