//! Running: what all parts of one run share, and what can stop it.

mod catalog;
mod inline;
mod lock;
mod options;
mod pool;
mod process;
mod shared;
mod trace;
mod work;

pub use catalog::{Catalog, Source, source_fields};
pub use inline::is_inline;
pub use lock::try_hold;
pub use options::Options;
pub use shared::Shared;
pub use trace::Trace;
pub use work::{Run, Schedule};

pub(crate) use inline::compute as compute_inline;
pub(crate) use process::{LOOK, Process};
