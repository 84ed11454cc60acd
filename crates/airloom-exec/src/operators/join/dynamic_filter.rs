//! Dynamic filters over a source that cannot apply them itself: rows that have no match in later joins are dropped.

use airloom_compute::data::Selection;
use airloom_compute::keys::{DynamicFilter, FilterSelectivity};
use arrow::array::{BooleanArray, RecordBatch};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::Schema;
use std::sync::Arc;

/// Keys whose dynamic filters are published by later joins once they have built their hash tables.
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

    /// The rows of a batch that may have a match in every join whose dynamic filter is published by now.
    pub fn select(&self, batch: &RecordBatch) -> Selection {
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
            Some(kept) => Selection::of_mask(&BooleanArray::new(kept, None)),
            None => Selection::All(batch.num_rows()),
        }
    }
}
