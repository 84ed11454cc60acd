//! Arrow IPC files and streams.

use super::encoder::{Bytes, Encoder, unsayable};
use crate::source::schema::convert_batch;
use airloom_compute::data::SourceError;
use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use std::sync::Arc;

/// How Arrow IPC is written.
#[derive(Clone, Copy, Debug)]
pub struct IpcWriting {
    /// How buffers are made smaller.
    pub compression: IpcCompression,
    /// As a stream, which is read from its beginning to its end, instead of a file.
    pub stream: bool,
    /// As it is stored in memory, with views and short decimals, which older readers do not know, instead of in types that all know.
    pub as_it_stands: bool,
}

impl IpcWriting {
    /// A file that every reader knows.
    pub fn plain() -> IpcWriting {
        IpcWriting { compression: IpcCompression::None, stream: false, as_it_stands: false }
    }
}

/// How buffers are made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IpcCompression {
    /// Not at all: such a file is read without a copy.
    None,
    /// Fast.
    Lz4,
    /// Small.
    Zstd,
}

/// A schema in types that every reader of Arrow knows.
pub(crate) fn interchange_schema(schema: &Schema) -> Schema {
    Schema::new(schema.fields().iter().map(|field| interchange_field(field)).collect::<Fields>())
}

fn interchange_field(field: &Field) -> Field {
    Field::new(field.name(), interchange_type(field.data_type()), field.is_nullable())
}

fn interchange_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => DataType::Decimal128(*precision, *scale),
        DataType::LargeList(item) => DataType::List(Arc::new(interchange_field(item))),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| interchange_field(field)).collect()),
        other => other.clone(),
    }
}

pub(crate) fn encoder(writing: &IpcWriting, schema: &SchemaRef, bytes: Bytes) -> Result<Box<dyn Encoder>, SourceError> {
    let schema = if writing.as_it_stands { Arc::clone(schema) } else { Arc::new(interchange_schema(schema)) };
    let compression = match writing.compression {
        IpcCompression::None => None,
        IpcCompression::Lz4 => Some(CompressionType::LZ4_FRAME),
        IpcCompression::Zstd => Some(CompressionType::ZSTD),
    };
    let options = IpcWriteOptions::default().try_with_compression(compression).map_err(|error| unsayable("Arrow IPC", error))?;
    let failed = |error| unsayable("Arrow IPC", error);
    let writer = match writing.stream {
        true => Writer::Stream(StreamWriter::try_new_with_options(bytes, &schema, options).map_err(failed)?),
        false => Writer::File(FileWriter::try_new_with_options(bytes, &schema, options).map_err(failed)?),
    };
    Ok(Box::new(IpcEncoder { writer, schema }))
}

enum Writer {
    File(FileWriter<Bytes>),
    Stream(StreamWriter<Bytes>),
}

struct IpcEncoder {
    writer: Writer,
    schema: SchemaRef,
}

impl Encoder for IpcEncoder {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        let batch = convert_batch(batch, &self.schema)?;
        let written = match &mut self.writer {
            Writer::File(writer) => writer.write(&batch),
            Writer::Stream(writer) => writer.write(&batch),
        };
        written.map_err(|error| unsayable("Arrow IPC", error))
    }

    fn finish(&mut self) -> Result<(), SourceError> {
        let finished = match &mut self.writer {
            Writer::File(writer) => writer.finish(),
            Writer::Stream(writer) => writer.finish(),
        };
        finished.map_err(|error| unsayable("Arrow IPC", error))
    }
}
