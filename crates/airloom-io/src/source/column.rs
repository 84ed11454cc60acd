//! A column in memory: what is found out about it is found out once, whichever tables it is in.

use super::schema::{convert, physical_type};
use super::statistics::{ColumnFacts, Pair, column_facts};
use airloom_compute::data::SourceError;
use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The values of a column, in chunks that the caller owns. It is converted to the engine's physical type, and looked at for statistics, when first asked.
#[derive(Debug)]
pub struct MemoryColumn {
    data_type: DataType,
    /// None of them is empty.
    foreign: Vec<ArrayRef>,
    rows: usize,
    nulls: usize,
    physical: OnceLock<Result<Arc<[ArrayRef]>, SourceError>>,
    facts: OnceLock<ColumnFacts>,
    /// What is known of it together with others that still live.
    pairs: Mutex<Vec<(Weak<MemoryColumn>, Option<Pair>)>>,
}

impl MemoryColumn {
    /// The column of these chunks, which must all be of this type.
    pub fn new(data_type: &DataType, chunks: Vec<ArrayRef>) -> Result<MemoryColumn, SourceError> {
        if let Some(other) = chunks.iter().find(|chunk| chunk.data_type() != data_type) {
            return Err(SourceError::user(format!("it holds `{}` where its schema says `{data_type}`", other.data_type())));
        }
        let foreign: Vec<ArrayRef> = chunks.into_iter().filter(|chunk| !chunk.is_empty()).collect();
        Ok(MemoryColumn {
            data_type: data_type.clone(),
            rows: foreign.iter().map(|chunk| chunk.len()).sum(),
            nulls: foreign.iter().map(|chunk| chunk.logical_null_count()).sum(),
            foreign,
            physical: OnceLock::new(),
            facts: OnceLock::new(),
            pairs: Mutex::default(),
        })
    }

    /// The type as it came.
    pub fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many of them are null.
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// The chunks as they came, but for those without rows.
    pub fn foreign(&self) -> &[ArrayRef] {
        &self.foreign
    }

    /// The chunks in the engine's physical type, as long as those that came.
    pub(crate) fn physical(&self) -> Result<Arc<[ArrayRef]>, SourceError> {
        let convert_all = || {
            let physical = physical_type(&self.data_type).map_err(SourceError::refused)?;
            self.foreign.iter().map(|chunk| convert(chunk, &physical)).collect()
        };
        self.physical.get_or_init(convert_all).clone()
    }

    /// Whether the physical chunks are there.
    pub(crate) fn is_converted(&self) -> bool {
        self.physical.get().is_some()
    }

    /// What its values show.
    pub(crate) fn facts(&self) -> Result<&ColumnFacts, SourceError> {
        let chunks = self.physical()?;
        Ok(self.facts.get_or_init(|| column_facts(&chunks)))
    }

    /// Whether its values were looked at.
    pub(crate) fn is_known(&self) -> bool {
        self.facts.get().is_some()
    }

    /// What it says together with another column, found out by `look` the first time.
    pub(crate) fn pair(&self, other: &Arc<MemoryColumn>, look: impl FnOnce() -> Option<Pair>) -> Option<Pair> {
        let asked = Arc::downgrade(other);
        let known = |pairs: &[(Weak<MemoryColumn>, Option<Pair>)]| pairs.iter().find(|(of, _)| of.ptr_eq(&asked)).map(|(_, pair)| *pair);
        if let Some(pair) = known(&self.pairs.lock().unwrap_or_else(PoisonError::into_inner)) {
            return pair;
        }
        let pair = look();
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.retain(|(of, _)| of.strong_count() > 0);
        pairs.push((asked, pair));
        pair
    }
}

/// The same rows in chunks of these lengths: the chunks themselves where they have these lengths already.
pub(crate) fn cut(chunks: &Arc<[ArrayRef]>, lengths: &[usize]) -> Arc<[ArrayRef]> {
    if chunks.iter().map(|chunk| chunk.len()).eq(lengths.iter().copied()) {
        return Arc::clone(chunks);
    }
    let mut chunks = chunks.iter().filter(|chunk| !chunk.is_empty());
    let mut rest: Option<ArrayRef> = None;
    lengths
        .iter()
        .filter_map(|&length| {
            let chunk = rest.take().or_else(|| chunks.next().cloned())?;
            if chunk.len() > length {
                rest = Some(chunk.slice(length, chunk.len() - length));
            }
            Some(if chunk.len() == length { chunk } else { chunk.slice(0, length) })
        })
        .collect()
}
