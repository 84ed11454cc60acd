//! Rows divided by the values of columns, each value in a directory of its own.

use super::encoder::{Bytes, Encoder, encoder};
use super::output::Output;
use super::stage::Stage;
use super::target::Format;
use crate::source::listing::hive::directory;
use airloom_compute::data::SourceError;
use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many files are open at once. One more, and the one that was written to least lately is ended.
const OPEN_FILES: usize = 256;

/// One file under way.
pub(crate) struct OpenFile {
    name: String,
    encoder: Box<dyn Encoder>,
    bytes: Bytes,
    output: Output,
}

impl OpenFile {
    pub(crate) async fn begin(stage: &Stage, name: String, format: &Format, schema: &SchemaRef) -> Result<OpenFile, SourceError> {
        let bytes = Bytes::default();
        let encoder = encoder(format, schema, bytes.clone())?;
        Ok(OpenFile { output: stage.begin(&name).await?, name, encoder, bytes })
    }

    pub(crate) async fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        self.encoder.write(batch)?;
        // Small pieces are buffered: a call to the system for each batch of a narrow table would be most of the work.
        if self.bytes.len() >= 1 << 18 {
            self.output.write(self.bytes.take()).await?;
        }
        Ok(())
    }

    /// Ends the file. How many bytes it has.
    pub(crate) async fn end(mut self, stage: &Stage) -> Result<u64, SourceError> {
        self.encoder.finish()?;
        self.output.write(self.bytes.take()).await?;
        let bytes = self.output.complete().await?;
        stage.completed(self.name);
        Ok(bytes)
    }
}

/// The files of one part, by directory.
pub(crate) struct Divided<'a> {
    stage: &'a Stage,
    format: &'a Format,
    part: usize,
    /// Positions of the columns that name directories.
    keys: Vec<usize>,
    /// The other columns.
    rest: Vec<usize>,
    schema: SchemaRef,
    open: BTreeMap<String, (u64, OpenFile)>,
    /// How many files of a directory have begun.
    begun: BTreeMap<String, usize>,
    tick: u64,
    bytes: u64,
}

impl<'a> Divided<'a> {
    pub(crate) fn new(
        stage: &'a Stage,
        format: &'a Format,
        schema: &SchemaRef,
        by: &[String],
        part: usize,
    ) -> Result<Divided<'a>, SourceError> {
        let keys = by
            .iter()
            .map(|name| {
                schema.index_of(name).map_err(|_| SourceError::user(format!("unknown column `{name}`: there is none to divide rows by")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let rest: Vec<usize> = (0..schema.fields().len()).filter(|at| !keys.contains(at)).collect();
        if rest.is_empty() {
            return Err(SourceError::user("rows are divided by all their columns: none is left to stand in the files"));
        }
        let inner = schema.project(&rest).map_err(|error| SourceError::broken(error.to_string()))?;
        let schema = Arc::new(inner);
        Ok(Divided { stage, format, part, keys, rest, schema, open: BTreeMap::new(), begun: BTreeMap::new(), tick: 0, bytes: 0 })
    }

    pub(crate) async fn write(&mut self, batch: &RecordBatch) -> Result<(), SourceError> {
        let failed = |error: arrow::error::ArrowError| SourceError::broken(error.to_string());
        let rest = batch.project(&self.rest).map_err(failed)?;
        for (name, rows) in self.divide(batch)? {
            let piece = if rows.len() == batch.num_rows() {
                rest.clone()
            } else {
                take_record_batch(&rest, &UInt32Array::from(rows)).map_err(failed)?
            };
            self.write_to(name, &piece).await?;
        }
        Ok(())
    }

    /// The rows of each directory, in the order of the directories' names; those of one stay in their order.
    fn divide(&self, batch: &RecordBatch) -> Result<BTreeMap<String, Vec<u32>>, SourceError> {
        let options = FormatOptions::default();
        let names = self.keys.iter().map(|&key| {
            let column = batch.column(key);
            let formatter = ArrayFormatter::try_new(column, &options).map_err(|error| SourceError::user(error.to_string()))?;
            Ok((batch.schema().field(key).name().clone(), column, formatter))
        });
        let names = names.collect::<Result<Vec<_>, SourceError>>()?;
        let mut divided: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut last: Option<String> = None;
        for row in 0..batch.num_rows() {
            let mut path = String::new();
            for (key, column, formatter) in &names {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(&directory(key, value_text(column, formatter, row).as_deref()));
            }
            let next = row as u32;
            match last.as_ref().filter(|last| **last == path).and_then(|last| divided.get_mut(last)) {
                Some(rows) => rows.push(next),
                None => {
                    divided.entry(path.clone()).or_default().push(next);
                    last = Some(path);
                }
            }
        }
        Ok(divided)
    }

    async fn write_to(&mut self, directory: String, piece: &RecordBatch) -> Result<(), SourceError> {
        self.tick += 1;
        if let Some((used, file)) = self.open.get_mut(&directory) {
            *used = self.tick;
            return file.write(piece).await;
        }
        if self.open.len() >= OPEN_FILES {
            let oldest = self.open.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            if let Some((_, file)) = oldest.and_then(|oldest| self.open.remove(&oldest)) {
                self.bytes += file.end(self.stage).await?;
            }
        }
        let number = self.begun.entry(directory.clone()).or_default();
        let name = self.stage.part_name(&directory, self.part, *number);
        *number += 1;
        let mut file = OpenFile::begin(self.stage, name, self.format, &self.schema).await?;
        file.write(piece).await?;
        self.open.insert(directory, (self.tick, file));
        Ok(())
    }

    /// Ends every file. How many bytes they have.
    pub(crate) async fn end(mut self) -> Result<u64, SourceError> {
        while let Some((_, (_, file))) = self.open.pop_first() {
            self.bytes += file.end(self.stage).await?;
        }
        Ok(self.bytes)
    }
}

fn value_text(column: &ArrayRef, formatter: &ArrayFormatter<'_>, row: usize) -> Option<String> {
    if column.is_null(row) {
        return None;
    }
    Some(match column.data_type() {
        DataType::Utf8View => column.as_string_view().value(row).to_string(),
        _ => formatter.value(row).to_string(),
    })
}
