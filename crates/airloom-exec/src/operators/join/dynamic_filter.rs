//! Dynamic filters over a source that cannot apply them itself: rows that have no match in later joins are dropped.

use airloom_compute::data::{Selected, Selection};
use airloom_compute::keys::{DynamicFilter, FilterSelectivity};
use arrow::array::BooleanArray;
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

/// Where at least this share of rows is selected, all are looked at.
const DENSE: usize = 2;

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

    /// Of the selected rows of a batch those that may have a match in every join whose dynamic filter is published by now.
    pub fn select(&self, input: &Selected) -> Selection {
        // Where most rows are selected, a look at all of them costs less than to bring the keys of those together.
        let mask = input.rows.mask().filter(|mask| input.rows.len() * DENSE >= mask.len());
        let column = |at: usize| if mask.is_some() { input.batch.column(at).clone() } else { input.rows.array(input.batch.column(at)) };
        let mut kept: Option<BooleanBuffer> = None;
        for key in self.keys.iter().filter(|key| key.learned.is_ready() && key.selectivity.pays(MOST)) {
            let Some(among) = key.learned.among(&column(key.column)) else { continue };
            let among = mask.map_or(among.clone(), |mask| &among & mask);
            key.selectivity.count(input.rows.len(), among.count_set_bits());
            kept = Some(match kept {
                Some(kept) => &kept & &among,
                None => among,
            });
        }
        match (kept, mask) {
            (None, _) => input.rows.clone(),
            (Some(kept), Some(_)) => Selection::of_mask(&BooleanArray::new(kept, None)),
            (Some(kept), None) => input.rows.narrow(&BooleanArray::new(kept, None)),
        }
    }
}
