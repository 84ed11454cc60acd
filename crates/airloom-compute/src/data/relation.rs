//! A relation of a running program.

use super::{record_batch, schema_of, value_at, values_to_array};
use airloom_ir::types::{Fields, Ty, TyId, Types};
use airloom_ir::value::{Table, Value};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use std::sync::Arc;

/// Rows in order, batch after batch.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The columns, in the engine's physical types.
    pub schema: SchemaRef,
    /// The rows, in order.
    pub batches: Arc<[RecordBatch]>,
}

impl Relation {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// From a plain value of a relation's type.
    pub fn from_value(types: &Types, ty: TyId, table: &Table) -> Relation {
        let fields = fields(types, ty);
        let column = |at: usize| -> Vec<Value> { table.rows.iter().map(|row| row[at].clone()).collect() };
        let columns = fields.iter().enumerate().map(|(at, f)| values_to_array(types, f.ty, &column(at))).collect();
        let schema = schema_of(types, fields);
        let batch = record_batch(&schema, columns, table.rows.len());
        Relation { schema, batches: Arc::from([batch]) }
    }

    /// As a plain value.
    pub fn to_value(&self, types: &Types, ty: TyId) -> Value {
        let fields = fields(types, ty);
        let mut rows: Vec<Arc<[Value]>> = Vec::with_capacity(self.rows());
        for batch in self.batches.iter() {
            for row in 0..batch.num_rows() {
                rows.push(fields.iter().enumerate().map(|(at, f)| value_at(types, f.ty, batch.column(at), row)).collect());
            }
        }
        Value::rel(fields.len(), rows)
    }
}

fn fields(types: &Types, ty: TyId) -> &Fields {
    match types.get(ty) {
        Ty::Rel(fields) => fields,
        other => panic!("invariant `values have their node's type`: expected a relation, found {other:?}"),
    }
}
