//! Data in memory: how values of the graph's types are stored in Arrow buffers, and what a run over them may end with.

mod batch;
pub(crate) mod bits;
mod cancel;
mod compact;
mod context;
mod failure;
mod floating;
mod gather;
mod host;
pub(crate) mod native;
pub mod nd;
mod parallel;
mod relation;
mod selection;
mod source_error;
mod tier;
pub mod types;
pub mod values;
pub mod vector;

pub use batch::record_batch;
pub use cancel::Cancel;
pub use compact::{array_bytes, batch_size, compacted};
pub use context::RunContext;
pub use failure::Failure;
pub use floating::FloatExceptions;
pub use gather::{RowOf, gather};
pub use host::{Host, NoHost, of_host};
pub use nd::{Datum, NdArray};
pub use parallel::{cores, parallel_map};
pub use relation::Relation;
pub use selection::Selection;
pub use source_error::{ErrorKind, SourceError, WorldError};
pub use tier::Native;
pub use types::{arrow_to_type, fields_of, schema_of, type_to_arrow, widens};
pub use values::{value_at, values_to_array};
pub use vector::Vector;
