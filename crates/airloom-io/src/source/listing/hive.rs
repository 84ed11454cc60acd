//! Columns that are stored in the names of directories: `year=2020/month=3/part.parquet`.

use super::File;
use airloom_compute::data::SourceError;
use airloom_ir::value::Value;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion_common::ScalarValue;
use std::sync::Arc;

/// The text of null in the name of a directory.
pub(crate) const NULL_DIRECTORY: &str = "__HIVE_DEFAULT_PARTITION__";

/// The columns that directories name, and the value of each in each file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partitions {
    /// Integers where every value is one, else text; nullable where a directory says null.
    pub(crate) fields: Vec<Arc<Field>>,
    /// For each file, a value for each field.
    pub(crate) values: Vec<Vec<ScalarValue>>,
}

impl Partitions {
    /// The columns of files, then those of their directories, which must be others.
    pub(crate) fn after(&self, files: impl IntoIterator<Item = Arc<Field>>) -> Result<SchemaRef, SourceError> {
        let mut fields: Vec<Arc<Field>> = files.into_iter().collect();
        if let Some(twice) = self.fields.iter().find(|field| fields.iter().any(|own| own.name() == field.name())) {
            return Err(SourceError::user(format!(
                "column `{}` stands both in the files and in the names of their directories",
                twice.name()
            )));
        }
        fields.extend(self.fields.iter().map(Arc::clone));
        Ok(Arc::new(Schema::new(fields)))
    }
}

/// A key and its value, where a directory's name is such.
pub(crate) fn key_and_value(name: &str) -> Option<(String, Option<String>)> {
    let (key, value) = name.split_once('=')?;
    (!key.is_empty()).then(|| (decode(key), (value != NULL_DIRECTORY).then(|| decode(value))))
}

/// The name of the directory for a key and its value.
pub(crate) fn directory(key: &str, value: Option<&str>) -> String {
    format!("{}={}", encode(key), value.map_or_else(|| NULL_DIRECTORY.to_string(), encode))
}

/// The columns of these files. All files must name the same.
pub(crate) fn partitions(files: &[File]) -> Result<Partitions, SourceError> {
    let Some(first) = files.first() else { return Ok(Partitions::default()) };
    let keys: Vec<&str> = first.keys.iter().map(|(key, _)| key.as_str()).collect();
    for file in files {
        if !file.keys.iter().map(|(key, _)| key.as_str()).eq(keys.iter().copied()) {
            let found: Vec<&str> = file.keys.iter().map(|(key, _)| key.as_str()).collect();
            return Err(SourceError::user(format!(
                "the directories of `{}` name the columns {found:?}, those of `{}` {keys:?}: all must name the same",
                file.url, first.url
            )));
        }
    }
    let mut partitions = Partitions { fields: Vec::new(), values: vec![Vec::new(); files.len()] };
    for (at, key) in keys.iter().enumerate() {
        let texts: Vec<Option<&str>> = files.iter().map(|file| file.keys[at].1.as_deref()).collect();
        let whole = texts.iter().flatten().all(|text| is_whole(text)) && texts.iter().any(Option::is_some);
        let data_type = if whole { DataType::Int64 } else { DataType::Utf8View };
        partitions.fields.push(Arc::new(Field::new(*key, data_type, texts.contains(&None))));
        for (values, text) in partitions.values.iter_mut().zip(texts) {
            values.push(match whole {
                true => ScalarValue::Int64(text.and_then(|text| text.parse().ok())),
                false => ScalarValue::Utf8View(text.map(str::to_string)),
            });
        }
    }
    Ok(partitions)
}

/// As a value of the graph.
pub(crate) fn to_value(value: &ScalarValue) -> Value {
    match value {
        ScalarValue::Int64(Some(number)) => Value::int(*number),
        ScalarValue::Utf8View(Some(text)) => Value::str(text),
        _ => Value::Null,
    }
}

/// Whether a text is an integer as one would write it: `007` is text, so that nothing of it is lost.
fn is_whole(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

/// Bytes that a directory's name may not have, or that would be read as something else.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || "\"#%'*/:=?\\{[]^<>|".contains(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten().and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::{directory, key_and_value};

    #[test]
    fn names_of_directories_keep_every_value() {
        for value in ["", "a", "a b", "ü", "a/b", "50%", "%41", "x=y", "\n", "..", "a:b"] {
            let name = directory("key", Some(value));
            assert!(!name.contains('/'));
            assert_eq!(key_and_value(&name), Some(("key".into(), Some(value.into()))));
        }
        assert_eq!(key_and_value(&directory("k/k", None)), Some(("k/k".into(), None)));
        assert_eq!(key_and_value("plain"), None);
    }
}
