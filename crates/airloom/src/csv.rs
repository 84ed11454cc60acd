//! CSV files as data of the oracle's sources: for examples and tests. The readers of the engine are another matter.

use airloom_ir::oracle::convert::text_to_scalar;
use airloom_ir::types::{Fields, Types};
use airloom_ir::value::Value;
use std::sync::Arc;

/// The relation of a CSV text with a header, its columns picked by name and read by type. An empty unquoted cell is null where the column allows it.
pub fn read(types: &Types, fields: &Fields, text: &str) -> Result<Value, String> {
    let mut records = parse(text)?.into_iter();
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

struct Cell {
    text: String,
    quoted: bool,
}

/// Records of cells, by RFC 4180.
fn parse(text: &str) -> Result<Vec<Vec<Cell>>, String> {
    let mut records = Vec::new();
    let mut record: Vec<Cell> = Vec::new();
    let mut cell = Cell { text: String::new(), quoted: false };
    let mut chars = text.chars().peekable();
    let mut inside = false;
    let mut line = 1;
    while let Some(c) = chars.next() {
        line += u32::from(c == '\n');
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                chars.next();
                cell.text.push('"');
            }
            '"' if inside => inside = false,
            '"' if cell.text.is_empty() && !cell.quoted => {
                inside = true;
                cell.quoted = true;
            }
            ',' if !inside => record.push(std::mem::replace(&mut cell, Cell { text: String::new(), quoted: false })),
            '\r' if !inside && chars.peek() == Some(&'\n') => (),
            '\n' if !inside => {
                record.push(std::mem::replace(&mut cell, Cell { text: String::new(), quoted: false }));
                records.push(std::mem::take(&mut record));
            }
            c => cell.text.push(c),
        }
    }
    if inside {
        return Err(format!("line {line}: the closing quote is missing"));
    }
    if !record.is_empty() || !cell.text.is_empty() || cell.quoted {
        record.push(cell);
        records.push(record);
    }
    Ok(records)
}
