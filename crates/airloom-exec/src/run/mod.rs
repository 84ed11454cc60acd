//! What one run works with: its sources, its host, how it may be stopped, where it is computed, and where its rows go.

mod catalog;
mod inline;
mod work;

pub use catalog::{Catalog, Source, source_fields};
pub use inline::is_inline;
pub use work::{Output, Run, Schedule, TakeBatch};

pub(crate) use inline::compute as compute_inline;
