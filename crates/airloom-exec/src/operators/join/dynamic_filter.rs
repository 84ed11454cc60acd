//! Rows of a source that has no way to leave them out itself, without those that have no partner in joins further on.

use airloom_compute::keys::{DynamicFilter, FilterSelectivity};
use arrow::array::{BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::compute::filter_record_batch;
use arrow::datatypes::Schema;
use std::sync::Arc;

/// Keys of which joins further on will have gathered all that have a partner.
pub struct DynamicFilterProbe {
    keys: Vec<Key>,
}

struct Key {
    column: usize,
    name: String,
    learned: Arc<DynamicFilter>,
    selectivity: FilterSelectivity,
}

/// Where more than this share stay, what comes after is not worth the look.
const MOST: f64 = 0.5;

/// What is kept by these columns, for people.
pub(crate) fn describe_filter(columns: &[&str]) -> String {
    format!("only {} that joins above have", columns.join(", "))
}

impl DynamicFilterProbe {
    /// By columns of rows of a schema.
    pub fn new(schema: &Schema, keys: impl IntoIterator<Item = (usize, Arc<DynamicFilter>)>) -> DynamicFilterProbe {
        let key = |(column, learned)| {
            let name = schema.field(column).name().clone();
            Key { column, name, learned, selectivity: FilterSelectivity::default() }
        };
        DynamicFilterProbe { keys: keys.into_iter().map(key).collect() }
    }

    /// What it keeps, for people.
    pub fn describe(&self) -> String {
        describe_filter(&self.keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>())
    }

    /// The rows that may have a partner in every join that has gathered its keys by now.
    pub fn keep(&self, batch: RecordBatch) -> RecordBatch {
        let mut kept: Option<BooleanBuffer> = None;
        for key in self.keys.iter().filter(|key| key.selectivity.pays(MOST)) {
            let Some(among) = key.learned.among(batch.column(key.column)) else { continue };
            key.selectivity.count(among.len(), among.count_set_bits());
            kept = Some(match kept {
                Some(kept) => &kept & &among,
                None => among,
            });
        }
        match kept {
            Some(kept) if kept.count_set_bits() < batch.num_rows() => {
                filter_record_batch(&batch, &BooleanArray::new(kept, None)).expect("a mask as long as the batch")
            }
            _ => batch,
        }
    }
}
