//! What one run works with: its sources, its host, how it may be stopped, and where it is computed.

mod catalog;
mod inline;
mod work;

pub use catalog::{Catalog, Source, source_fields};
pub use inline::is_inline;
pub use work::{Run, Schedule};

pub(crate) use inline::compute as compute_inline;
