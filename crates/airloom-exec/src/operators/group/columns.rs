//! What grouping reads of a batch.

use super::GroupInputs;
use airloom_compute::data::{Failure, Selected, record_batch, type_to_arrow};
use arrow::array::{ArrayRef, AsArray, RecordBatch, UInt64Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use std::sync::Arc;

/// The keys of some rows, and the column that each reduction reads.
pub(super) struct Columns {
    pub(super) keys: Vec<ArrayRef>,
    pub(super) values: Vec<ArrayRef>,
    pub(super) rows: usize,
}

impl Columns {
    /// Of the rows of a batch.
    pub(super) fn of(spec: &GroupInputs, batch: &RecordBatch) -> Result<Columns, Failure> {
        let keys = keys(spec, &Selected::all(batch.clone()))?;
        let (types, rows) = (spec.graph.types(), batch.num_rows());
        let values = spec.values.run(batch)?;
        let values = spec.reductions.iter().map(|(reduction, at)| values[*at].to_array(types, reduction.element, rows)).collect();
        Ok(Columns { keys, values, rows })
    }

    /// All columns, the keys first.
    pub(super) fn all(&self) -> impl Iterator<Item = &ArrayRef> {
        self.keys.iter().chain(&self.values)
    }

    /// The same kind of columns, made of others one by one.
    pub(super) fn with_all(&self, mut columns: Vec<ArrayRef>, rows: usize) -> Columns {
        let values = columns.split_off(self.keys.len());
        Columns { keys: columns, values, rows }
    }

    /// Rows that follow one another.
    pub(super) fn slice(&self, first: usize, rows: usize) -> Columns {
        let cut = |columns: &[ArrayRef]| columns.iter().map(|column| column.slice(first, rows)).collect();
        Columns { keys: cut(&self.keys), values: cut(&self.values), rows }
    }

    /// As a batch, with the position of each row within its partition.
    pub(super) fn to_batch(&self, schema: &SchemaRef, positions: UInt64Array) -> RecordBatch {
        let positions: ArrayRef = Arc::new(positions);
        record_batch(schema, self.all().cloned().chain([positions]).collect(), self.rows)
    }

    /// From such a batch; and the positions.
    pub(super) fn from_batch(spec: &GroupInputs, batch: &RecordBatch) -> (Columns, UInt64Array) {
        let (keys, rest) = batch.columns().split_at(spec.key_types.len());
        let (values, positions) = rest.split_at(spec.reductions.len());
        let columns = Columns { keys: keys.to_vec(), values: values.to_vec(), rows: batch.num_rows() };
        (columns, positions[0].as_primitive::<UInt64Type>().clone())
    }
}

/// The keys of the selected rows of a batch.
pub(super) fn keys(spec: &GroupInputs, rows: &Selected) -> Result<Vec<ArrayRef>, Failure> {
    let (types, count) = (spec.graph.types(), rows.rows.len());
    let vectors = spec.keys.run_selected(&rows.batch, &rows.rows)?;
    Ok(vectors.iter().zip(&spec.key_types).map(|(vector, &ty)| vector.to_array(types, ty, count)).collect())
}

/// The schema of rows on disk: keys, the columns of reductions, the position of the row.
pub(super) fn spilled_schema(spec: &GroupInputs) -> SchemaRef {
    let types = spec.graph.types();
    let data = |ty| type_to_arrow(types, ty).expect("invariant `columns hold values`");
    let tys = spec.key_types.iter().copied().chain(spec.reductions.iter().map(|(reduction, _)| reduction.element));
    let mut fields: Vec<Field> = tys.enumerate().map(|(at, ty)| Field::new(format!("c{at}"), data(ty), true)).collect();
    fields.push(Field::new("position", DataType::UInt64, true));
    Arc::new(Schema::new(fields))
}
