//! CSV files as data of the oracle's sources, typed by the program: for examples and tests.

use airloom_io::source::csv::text_to_records;
use airloom_ir::oracle::convert::text_to_scalar;
use airloom_ir::types::{Fields, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// The relation of a CSV text with a header, its columns picked by name and read by type. An empty unquoted cell is null where the column allows it.
pub fn read(types: &Types, fields: &Fields, text: &str) -> Result<Value, String> {
    let mut records = text_to_records(text)?.into_iter();
    let header: Vec<String> = records.next().ok_or("the file is empty: expected a header")?.into_iter().map(|c| c.text).collect();
    let mut places = Vec::with_capacity(fields.len());
    for name in fields.names() {
        let place = header.iter().position(|h| h == name.as_str());
        places.push(place.ok_or_else(|| format!("there is no column `{name}`; there are: {}", header.join(", ")))?);
    }
    let mut rows = Vec::new();
    for (at, record) in records.enumerate() {
        if record.len() != header.len() {
            return Err(format!("record {}: {} cells, expected {}", at + 1, record.len(), header.len()));
        }
        let mut row = Vec::with_capacity(fields.len());
        for (field, &place) in fields.iter().zip(&places) {
            let cell = &record[place];
            let null = cell.text.is_empty() && !cell.quoted && types.nullable(field.ty);
            let value = if null { Ok(Value::Null) } else { text_to_scalar(types, types.strip(field.ty), &cell.text) };
            row.push(value.map_err(|e| format!("record {}, column `{}`: {e}", at + 1, field.name))?);
        }
        rows.push(Arc::from(row));
    }
    Ok(Value::rel(fields.len(), rows))
}
