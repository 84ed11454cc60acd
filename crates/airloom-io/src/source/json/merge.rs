//! Types that fit what different pieces hold.

use arrow::datatypes::{DataType, Field, Fields};
use std::sync::Arc;

/// The fields of both, those of the first before what the second adds.
pub(crate) fn merge_fields(first: &Fields, second: &Fields) -> Fields {
    let mut fields: Vec<Arc<Field>> = first.iter().map(Arc::clone).collect();
    for field in second {
        match fields.iter_mut().find(|known| known.name() == field.name()) {
            Some(known) => *known = Arc::new(Field::new(known.name(), merge_types(known.data_type(), field.data_type()), true)),
            None => fields.push(Arc::clone(field)),
        }
    }
    fields.into()
}

fn merge_types(first: &DataType, second: &DataType) -> DataType {
    match (first, second) {
        (a, b) if a == b => a.clone(),
        (DataType::Null, other) | (other, DataType::Null) => other.clone(),
        (DataType::Int64, DataType::Float64) | (DataType::Float64, DataType::Int64) => DataType::Float64,
        (DataType::List(a), DataType::List(b)) => {
            DataType::List(Arc::new(Field::new("item", merge_types(a.data_type(), b.data_type()), true)))
        }
        (DataType::Struct(a), DataType::Struct(b)) => DataType::Struct(merge_fields(a, b)),
        // As within a piece: one value is a list of one where others are lists, and everything else is text.
        (DataType::List(item), other) | (other, DataType::List(item)) => {
            DataType::List(Arc::new(Field::new("item", merge_types(item.data_type(), other), true)))
        }
        _ => DataType::Utf8,
    }
}
