//! Data in memory: how values of the graph's types stand in Arrow buffers, and what a run over them may end with.

mod at_once;
mod batch;
pub(crate) mod bits;
mod cancel;
mod compact;
mod context;
mod failure;
mod host;
pub mod lane;
pub(crate) mod native;
pub mod nd;
mod relation;
mod source_error;
pub mod types;
pub mod values;

pub use at_once::{at_once, cores};
pub use batch::record_batch;
pub use cancel::Cancel;
pub use compact::{array_bytes, batch_size, compacted};
pub use context::RunContext;
pub use failure::Failure;
pub use host::{Host, NoHost, of_host};
pub use lane::Lane;
pub use nd::{Datum, NdArray};
pub use relation::Relation;
pub use source_error::{ErrorKind, SourceError, WorldError};
pub use types::{arrow_to_type, fields_of, schema_of, type_to_arrow, widens};
pub use values::{value_at, values_to_array};
