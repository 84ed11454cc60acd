//! Running: what all parts of one run share, and what can stop it.

mod at_once;
mod cancel;
mod catalog;
mod error;
mod host;
mod inline;
mod lock;
mod options;
mod pool;
mod process;
mod reads;
mod shared;
mod work;

pub use cancel::Cancel;
pub use catalog::{Catalog, Source};
pub use error::{Error, WorldError, raised_to_datafusion};
pub use host::{Host, NoHost};
pub use inline::is_inline;
pub use lock::try_hold;
pub use options::Options;
pub use reads::{reads_sources, source_fields};
pub use shared::Shared;
pub use work::{Run, Schedule};

pub(crate) use at_once::{at_once, cores};
pub(crate) use inline::compute as compute_inline;
pub(crate) use process::{LOOK, Process};
